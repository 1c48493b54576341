//! `fencepost lsp`, by a client with a script.

use crate::common::{clean, root, scratch};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};

struct Client {
    child: Child,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    fn new(options: &Value) -> Client {
        let mut child = clean(&["lsp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut client = Client { child, output, next: 0 };
        let answer = client.ask("initialize", &json!({ "capabilities": {}, "initializationOptions": options }));
        assert_eq!(answer["result"]["capabilities"]["hoverProvider"], true, "{answer}");
        client.tell("initialized", &json!({}));
        client
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.child.stdin.as_mut().expect("it is piped");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it reads");
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).expect("it writes"), 0, "it is still there");
            if line == "\r\n" {
                break;
            }
            length =
                line.trim().strip_prefix("Content-Length: ").and_then(|number| number.parse().ok()).unwrap_or(length);
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes).expect("it writes all of it");
        serde_json::from_slice(&bytes).expect("it is JSON")
    }

    fn tell(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.read();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Opens a file: the diagnostics for it.
    fn open(&mut self, path: &Path) -> Vec<Value> {
        let text = std::fs::read_to_string(path).expect("the file is there");
        self.tell("textDocument/didOpen", &json!({ "textDocument": { "uri": uri(path), "text": text } }));
        self.diagnostics(path)
    }

    fn diagnostics(&mut self, path: &Path) -> Vec<Value> {
        loop {
            let message = self.read();
            let params = &message["params"];
            if message["method"] == "textDocument/publishDiagnostics" && params["uri"] == uri(path) {
                return params["diagnostics"].as_array().expect("a list").clone();
            }
        }
    }

    fn end(mut self) {
        assert_eq!(self.ask("shutdown", &Value::Null)["result"], Value::Null);
        self.tell("exit", &Value::Null);
        assert!(self.child.wait().expect("it ends").success());
    }
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

fn example(name: &str) -> PathBuf {
    let path = scratch("lsp").join(name);
    std::fs::copy(root().join("examples").join(name), &path).expect("the example is there");
    path
}

/// The text with the edits of an action.
fn edited(text: &str, edits: &[Value]) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    // From the last to the first, so that places stay what they are.
    for edit in edits.iter().rev() {
        let line = |end: &str| edit["range"][end]["line"].as_u64().expect("a line") as usize;
        lines.splice(line("start")..line("end"), [edit["newText"].as_str().expect("a text").to_owned()]);
    }
    lines.concat()
}

#[test]
fn a_violation_is_marked_and_mended() {
    let mut client = Client::new(&json!({ "models": ["tso"], "races": false }));
    let path = example("dekker.c");
    let found = client.open(&path);
    assert_eq!(found.len(), 1, "{found:?}");
    let line = found[0]["range"]["start"]["line"].as_u64();
    assert_eq!((line, found[0]["severity"].as_u64()), (Some(33), Some(1)), "the assertion is an error");
    assert!(found[0]["relatedInformation"].as_array().is_some_and(|steps| steps.len() > 4), "the story is there");
    let document = json!({ "uri": uri(&path) });
    let params = json!({ "textDocument": document, "range": found[0]["range"], "context": { "diagnostics": found } });
    let actions = client.ask("textDocument/codeAction", &params);
    let action = client.ask("codeAction/resolve", &actions["result"][0]);
    let edits =
        action["result"]["edit"]["changes"][uri(&path)].as_array().unwrap_or_else(|| panic!("{action}")).clone();
    let text = std::fs::read_to_string(&path).expect("the file is there");
    std::fs::write(&path, edited(&text, &edits)).expect("it can be written");
    client.tell("textDocument/didSave", &json!({ "textDocument": document }));
    assert_eq!(client.diagnostics(&path), Vec::<Value>::new(), "it is right now");
    // What the editor shows is what it was opened with: edits of another text are no edits of it.
    let stale = client.ask("codeAction/resolve", &actions["result"][0]);
    assert!(stale["error"]["message"].as_str().is_some_and(|message| message.contains("save it")), "{stale}");
    client.end();
}

#[test]
fn each_language_has_diagnostics() {
    let mut client = Client::new(&json!({ "timeout": 10 }));
    let litmus = client.open(&example("sb.litmus"));
    let message = litmus[0]["message"].as_str().unwrap_or_default();
    assert!(message.contains("UNSAFE under tso") && message.contains("; SAFE under sc"), "{message}");
    let system = client.open(&example("mutex-no-fence.cub"));
    assert_eq!(system[0]["severity"], 1, "{system:?}");
    let folder = scratch("lsp");
    let race = folder.join("race.c");
    let text = "#include <pthread.h>\nint x;\nvoid *t(void *a) { x = 1; return 0; }\nint main(void) {\n  pthread_t a;\n\
        pthread_create(&a, 0, t, 0);\n  x = 2;\n  pthread_join(a, 0);\n  return 0;\n}\n";
    std::fs::write(&race, text).expect("it can be written");
    let found = client.open(&race);
    assert!(found.iter().any(|one| one["code"] == "race"), "{found:?}");
    let broken = folder.join("broken.litmus");
    std::fs::copy(root().join("corpus/ui/input/syntax.litmus"), &broken).expect("it is there");
    let found = client.open(&broken);
    let at = &found[0]["range"]["start"];
    assert_eq!((&at["line"], &at["character"]), (&json!(3), &json!(7)), "{found:?}");
    client.end();
}

#[test]
fn models_are_read_while_they_are_edited() {
    let mut client = Client::new(&Value::Null);
    let path = scratch("lsp").join("own.cat");
    std::fs::write(&path, "\"own\"\nacyclic po | rf | fr | co as sc\n").expect("it can be written");
    assert_eq!(client.open(&path), Vec::<Value>::new());
    let document = json!({ "uri": uri(&path) });
    let changes = json!([{ "text": "\"own\"\nacyclic po | rf | fr | as sc\n" }]);
    client.tell("textDocument/didChange", &json!({ "textDocument": document, "contentChanges": changes }));
    let found = client.diagnostics(&path);
    assert_eq!((found.len(), &found[0]["range"]["start"]["line"]), (1, &json!(1)), "{found:?}");
    let hover = client
        .ask("textDocument/hover", &json!({ "textDocument": document, "position": { "line": 1, "character": 13 } }));
    assert!(hover["result"]["contents"]["value"].as_str().is_some_and(|words| words.contains("reads-from")), "{hover}");
    assert_eq!(client.ask("no/such", &Value::Null)["error"]["code"], -32601);
    client.end();
}
