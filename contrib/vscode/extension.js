// Starts `fencepost lsp` for C programs, litmus tests, memory models and array-based systems.
"use strict";
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const settings = workspace.getConfiguration("fencepost");
  const languages = ["c", "litmus", "cat-model", "cubicle"];
  client = new LanguageClient(
    "fencepost",
    "Fencepost",
    { command: settings.get("path"), args: ["lsp"] },
    {
      documentSelector: languages.map((language) => ({ scheme: "file", language })),
      initializationOptions: {
        models: settings.get("models"),
        timeout: settings.get("timeout"),
        races: settings.get("races"),
        arguments: settings.get("arguments"),
      },
    },
  );
  return client.start();
};

exports.deactivate = () => client && client.stop();
