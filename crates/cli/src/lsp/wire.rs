//! Messages of the language server protocol: JSON behind a head with its length.

use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Messages larger than this are not read.
const LARGEST: usize = 64 << 20;

/// The next message; none at the end, or where nothing can be understood any more.
pub fn read(input: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let length = length.filter(|&length| length <= LARGEST)?;
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Where messages go; several threads may send.
#[derive(Clone)]
pub struct Sender(Arc<Mutex<Box<dyn Write + Send>>>);

impl Sender {
    /// Sends there.
    pub fn new(output: impl Write + Send + 'static) -> Sender {
        Sender(Arc::new(Mutex::new(Box::new(output))))
    }

    fn send(&self, message: &Value) {
        let text = message.to_string();
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // An editor that has gone away closes the input too, which ends the server.
        let _ = write!(output, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| output.flush());
    }

    /// Answers a request.
    pub fn answer(&self, id: &Value, result: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    /// Refuses a request.
    pub fn refuse(&self, id: &Value, code: i32, message: &str) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }));
    }

    /// Tells something.
    pub fn tell(&self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }
}
