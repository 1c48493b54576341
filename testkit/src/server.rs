//! A running `fencepost serve`, and a client that asks it: for tests, and for the chore that asks a lot.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Error, Read, Result, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A server that is gone when this is.
pub struct Server {
    child: Child,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended by itself cannot be ended, and is waited for all the same.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a request was told.
pub struct Told {
    /// The numbers in the row that it was given while it waited.
    pub waiting: Vec<u64>,
    /// What it was told at the end: `code`, `said` and `page`.
    pub done: Value,
}

impl Server {
    /// Starts `fencepost` as a server on a free port.
    pub fn start(mut fencepost: Command, options: &[&str]) -> Result<Server> {
        let mut child = fencepost.args(["serve", "--port", "0"]).args(options).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        let out = child.stdout.take().ok_or_else(|| Error::other("its output is not piped"))?;
        BufReader::new(out).read_line(&mut line)?;
        let port = line.trim().trim_end_matches('/').rsplit(':').next().and_then(|port| port.parse().ok());
        let mut server = Server { child, port: 0 };
        server.port = port.ok_or_else(|| Error::other(format!("it says no address: `{line}`")))?;
        Ok(server)
    }

    /// Its port on this machine.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The header that names it.
    pub fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\n", self.port)
    }

    /// Sends a request, and leaves the answer to be read.
    pub fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> Result<TcpStream> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        let length = body.len();
        write!(stream, "{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n")?;
        // A body that is too large is refused before it has been sent.
        let _ = stream.write_all(body.as_bytes());
        Ok(stream)
    }

    /// The whole answer to a request.
    pub fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Result<String> {
        let mut text = String::new();
        self.send(method, path, headers, body)?.read_to_string(&mut text)?;
        Ok(text)
    }

    /// Has a program checked.
    pub fn check(&self, program: &str, model: &str) -> Result<Told> {
        let body = json!({ "program": program, "command": "check", "model": model }).to_string();
        let answer = self.ask("POST", "/run", &self.host(), &body)?;
        let lines: Vec<Value> = answer.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let waiting = lines.iter().filter_map(|line| line["waiting"].as_u64()).collect();
        let done = lines.into_iter().find_map(|mut line| line.get_mut("done").map(Value::take));
        Ok(Told { waiting, done: done.ok_or_else(|| Error::other(format!("no end: {answer:.400}")))? })
    }

    /// How many processes it has started that still run.
    pub fn children(&self) -> Result<usize> {
        let ps = Command::new("ps").args(["--no-headers", "--ppid", &self.child.id().to_string()]).output()?;
        Ok(String::from_utf8_lossy(&ps.stdout).lines().filter(|line| !line.contains("defunct")).count())
    }
}

/// What clients ask, each in turn: a name, a program, a model, and the exit code that is right.
pub type Question<'a> = (&'a str, &'a str, &'a str, i64);

/// Lets clients ask at the same time, each so often, and gives what was wrong. Nobody may be overtaken: the number in the row only
/// falls, and never exceeds the number of the others.
pub fn crowd(server: &Server, clients: usize, requests: usize, questions: &[Question]) -> Vec<String> {
    let client = |client: usize| {
        let mut wrong = Vec::new();
        for request in 0..requests {
            let (name, program, model, code) = questions[(client + request) % questions.len()];
            let complaint = match server.check(program, model) {
                Err(error) => Some(error.to_string()),
                Ok(told) if told.done["code"] != code => Some(format!("{} instead of {code}", told.done)),
                Ok(Told { waiting, .. }) if !waiting.is_sorted_by(|a, b| a >= b) => {
                    Some(format!("it was overtaken: {waiting:?}"))
                }
                Ok(Told { waiting, .. }) if waiting.iter().any(|&before| before as usize >= clients) => {
                    Some(format!("more before it than there are clients: {waiting:?}"))
                }
                Ok(_) => None,
            };
            wrong.extend(complaint.map(|why| format!("client {client}, request {request}, {name}: {why}")));
        }
        wrong
    };
    std::thread::scope(|scope| {
        let client = &client;
        let all: Vec<_> = (0..clients).map(|number| scope.spawn(move || client(number))).collect();
        let done = all.into_iter().map(|thread| thread.join().unwrap_or_else(|_| vec!["a client panicked".to_owned()]));
        done.flatten().collect()
    })
}

/// A program that no engine finishes.
pub const ENDLESS: &str = "#include <pthread.h>\n#include <assert.h>\nint x, y;\nvoid *t(void *a) {\n\
    for (unsigned i = 0; i < 1000000u; i++) { x = x * 3 + y; y = y * 5 + x + (unsigned)(long)a; }\n  return 0;\n}\n\
    int main(void) {\n  pthread_t a, b;\n  pthread_create(&a, 0, t, (void *)1);\n  pthread_create(&b, 0, t, (void *)2);\n\
    pthread_join(a, 0);\n  pthread_join(b, 0);\n  assert(x * y != 123456789);\n  return 0;\n}\n";

/// A request whose program has 10 MB.
pub fn oversized() -> String {
    json!({ "program": "x".repeat(10 << 20), "command": "check" }).to_string()
}
