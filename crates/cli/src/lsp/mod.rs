//! `fencepost lsp`: the language server protocol on the standard input and output.
//!
//! A document is checked when it is opened and when it is saved, by this binary as a child with a limit on time; a new check of a document ends
//! the old one. Models (`.cat`) are read here, also while they are edited. A repair is looked for when the editor asks for it.

mod check;
mod edit;
mod hover;
mod wire;

use crate::SAFE;
use anyhow::Result;
use check::{Checks, Settings};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wire::Sender;

/// The error of the protocol for a method that there is not.
const UNKNOWN_METHOD: i32 = -32601;

/// The error of the protocol for a request that cannot be met.
const FAILED: i32 = -32803;

struct Server {
    sender: Sender,
    settings: Settings,
    checks: Checks,
    /// The texts of the open documents, by address.
    texts: BTreeMap<String, String>,
}

/// Serves an editor until it says `exit` or goes away.
pub fn run() -> Result<u8> {
    let sender = Sender::new(std::io::stdout());
    let mut server =
        Server { sender, settings: Settings::default(), checks: Checks::default(), texts: BTreeMap::new() };
    let mut input = std::io::stdin().lock();
    while let Some(message) = wire::read(&mut input) {
        if message["method"] == "exit" {
            break;
        }
        server.take(&message);
    }
    server.checks.end();
    Ok(SAFE)
}

/// The file that an address names.
pub fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let mut bytes = Vec::new();
    let mut letters = rest.bytes();
    while let Some(letter) = letters.next() {
        if letter != b'%' {
            bytes.push(letter);
            continue;
        }
        let digits = [letters.next()?, letters.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// Whether a file is a model.
fn is_model(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "cat")
}

impl Server {
    fn take(&mut self, message: &Value) {
        let (id, params) = (&message["id"], &message["params"]);
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
        match message["method"].as_str().unwrap_or_default() {
            "initialize" => {
                self.settings = Settings::new(&params["initializationOptions"]);
                self.sender.answer(id, &capabilities());
            }
            "shutdown" => {
                self.checks.end();
                self.sender.answer(id, &Value::Null);
            }
            "textDocument/didOpen" => {
                let text = params["textDocument"]["text"].as_str().unwrap_or_default();
                self.texts.insert(uri.clone(), text.to_owned());
                self.look(&uri);
            }
            "textDocument/didChange" => {
                let text = params["contentChanges"].as_array().and_then(|all| all.last()?["text"].as_str());
                self.texts.insert(uri.clone(), text.unwrap_or_default().to_owned());
                if path(&uri).is_some_and(|path| is_model(&path)) {
                    self.look(&uri);
                }
            }
            "textDocument/didSave" => self.look(&uri),
            "textDocument/didClose" => {
                self.texts.remove(&uri);
                self.checks.stop(&uri);
                check::publish(&self.sender, &uri, &[]);
            }
            "textDocument/hover" => {
                let text = self.texts.get(&uri).map(String::as_str).unwrap_or_default();
                let found = hover::hover(text, &params["position"], path(&uri).as_deref());
                self.sender.answer(id, &found.unwrap_or(Value::Null));
            }
            "textDocument/codeAction" => self.sender.answer(id, &actions(&uri, params)),
            "codeAction/resolve" => self.resolve(id, params),
            // Notifications that mean nothing here need no answer.
            _ if id.is_null() => {}
            other => self.sender.refuse(id, UNKNOWN_METHOD, &format!("there is no method {other} here")),
        }
    }

    /// Checks a document.
    fn look(&mut self, uri: &str) {
        let Some(path) = path(uri) else { return };
        if is_model(&path) {
            let text = self.texts.get(uri).cloned().unwrap_or_default();
            check::publish(&self.sender, uri, &check::model(&path, &text));
        } else {
            self.checks.start(&self.sender, uri, &path, &self.settings);
        }
    }

    /// Looks for the repair that an action stands for.
    fn resolve(&self, id: &Value, action: &Value) {
        let uri = action["data"]["uri"].as_str().unwrap_or_default();
        let saved = path(uri).and_then(|path| std::fs::read_to_string(path).ok());
        if self.texts.get(uri) != saved.as_ref() {
            return self.sender.refuse(id, FAILED, "the file is not as the editor shows it: save it first");
        }
        let (sender, id, mut action, settings) =
            (self.sender.clone(), id.clone(), action.clone(), self.settings.clone());
        std::thread::spawn(move || {
            let data = &action["data"];
            let (uri, model) = (data["uri"].as_str().unwrap_or_default(), data["model"].as_str().unwrap_or_default());
            match edit::repair(uri, model, &settings) {
                Ok(change) => {
                    action["edit"] = change;
                    sender.answer(&id, &action);
                }
                Err(message) => sender.refuse(&id, FAILED, &message),
            }
        });
    }
}

fn capabilities() -> Value {
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": { "openClose": true, "change": 1, "save": true },
            "hoverProvider": true,
            "codeActionProvider": { "codeActionKinds": ["quickfix"], "resolveProvider": true }
        },
        "serverInfo": { "name": "fencepost", "version": env!("CARGO_PKG_VERSION") }
    })
}

/// For each failure that fences may mend, the action that looks for them.
fn actions(uri: &str, params: &Value) -> Value {
    let none = Vec::new();
    let diagnostics = params["context"]["diagnostics"].as_array().unwrap_or(&none);
    let action = |diagnostic: &Value| {
        let model = diagnostic["data"]["model"].as_str()?;
        Some(json!({
            "title": format!("Add the fences or memory orders that it needs under {model}"),
            "kind": "quickfix",
            "diagnostics": [diagnostic],
            "data": { "uri": uri, "model": model }
        }))
    };
    diagnostics.iter().filter_map(action).collect()
}

#[cfg(test)]
mod tests {
    use super::path;
    use std::path::Path;

    #[test]
    fn addresses_name_files() {
        assert_eq!(path("file:///a/b%20c.c").as_deref(), Some(Path::new("/a/b c.c")));
        assert_eq!(path("file:///a/%C3%A9.c").as_deref(), Some(Path::new("/a/é.c")));
        assert_eq!(path("file:///a%"), None);
        assert_eq!(path("untitled:1"), None);
    }
}
