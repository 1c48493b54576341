//! `fencepost serve`: limits, the order of requests, cancelling, other sites, and the page in a browser.

use crate::common::{clean, root, stdout};
use crate::pages::browser;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that is gone when this is.
struct Server {
    child: Child,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().expect("the server can be ended");
        self.child.wait().expect("the server has ended");
    }
}

fn serve(more: &[&str]) -> Server {
    let mut child = clean(&["serve", "--port", "0"]).args(more).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut line).expect("it says its address");
    let port = line.trim().trim_end_matches('/').rsplit(':').next().and_then(|port| port.parse().ok());
    Server { child, port: port.expect("the address has a port") }
}

impl Server {
    fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        let length = body.len();
        write!(stream, "{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n").expect("it reads");
        // A body that is too large is refused before it has been sent.
        let _ = stream.write_all(body.as_bytes());
        stream
    }

    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\n", self.port)
    }

    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        let mut text = String::new();
        self.send(method, path, headers, body).read_to_string(&mut text).expect("it answers");
        text
    }

    /// The last line of the answer to a request.
    fn check(&self, program: &str, model: &str) -> Value {
        let body = json!({ "program": program, "command": "check", "model": model }).to_string();
        let text = self.ask("POST", "/run", &self.host(), &body);
        let last = text.trim_end().lines().last().unwrap_or_default();
        serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// How many children it has.
    fn children(&self) -> usize {
        let ps = Command::new("ps").args(["--no-headers", "--ppid", &self.child.id().to_string()]).output();
        stdout(&ps.expect("ps is installed")).lines().filter(|line| !line.contains("defunct")).count()
    }
}

fn example(name: &str) -> String {
    std::fs::read_to_string(root().join("examples").join(name)).expect("the example is there")
}

/// A program that no engine finishes.
const ENDLESS: &str = "#include <pthread.h>\n#include <assert.h>\nint x, y;\nvoid *t(void *a) {\n\
    for (unsigned i = 0; i < 1000000u; i++) { x = x * 3 + y; y = y * 5 + x + (unsigned)(long)a; }\n  return 0;\n}\n\
    int main(void) {\n  pthread_t a, b;\n  pthread_create(&a, 0, t, (void *)1);\n  pthread_create(&b, 0, t, (void *)2);\n\
    pthread_join(a, 0);\n  pthread_join(b, 0);\n  assert(x * y != 123456789);\n  return 0;\n}\n";

#[test]
fn many_clients_are_all_answered() {
    let server = serve(&["--jobs", "2"]);
    let program = example("sb.litmus");
    std::thread::scope(|scope| {
        for client in 0..8 {
            let (server, program) = (&server, &program);
            scope.spawn(move || {
                for model in ["tso", "sc", "tso"] {
                    let done = &server.check(program, model)["done"];
                    assert_eq!(done["code"], if model == "sc" { 0 } else { 10 }, "client {client}");
                    assert!(done["page"].as_str().is_some_and(|page| page.contains("</html>")), "{done}");
                }
            });
        }
    });
    assert_eq!(server.children(), 0, "no child is left");
}

#[test]
fn limits_are_kept_and_whoever_leaves_is_forgotten() {
    let server = serve(&["--jobs", "1", "--timeout", "2", "--memory", "1000"]);
    let large = json!({ "program": "x".repeat(10 << 20), "command": "check" }).to_string();
    let answer = server.ask("POST", "/run", &server.host(), &large);
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    let done = &server.check(ENDLESS, "pso")["done"];
    assert_eq!(done["code"], 5, "{done}");
    let body = json!({ "program": ENDLESS, "command": "check", "model": "pso" }).to_string();
    let mut stream = server.send("POST", "/run", &server.host(), &body);
    stream.read_exact(&mut [0; 200]).expect("it says how it goes");
    drop(stream);
    let (left, patience) = (Instant::now(), Duration::from_secs(20));
    while server.children() > 0 {
        assert!(left.elapsed() < patience, "a child is left");
        std::thread::sleep(Duration::from_millis(50));
    }
    let bad = &server.check("X86 broken\n{ }\n P0 ;\n nonsense ;\nexists (x=1)\n", "tso")["done"];
    assert_eq!(bad["code"], 2, "{bad}");
    assert!(bad["said"].as_str().is_some_and(|said| said.contains("error")), "{bad}");
}

#[test]
fn other_sites_are_turned_away() {
    let server = serve(&[]);
    let body = json!({ "program": example("sb.litmus"), "command": "check" }).to_string();
    let page = server.ask("GET", "/", &server.host(), "");
    assert!(page.starts_with("HTTP/1.1 200 ") && page.contains("connect-src 'self'"), "{page:.400}");
    assert!(page.contains("\"sb.litmus\"") && page.contains("\"rc11\""), "examples and models are offered");
    let foreign = format!("{}Origin: http://example.org\r\n", server.host());
    for (headers, body) in [("Host: example.org\r\n", &*body), (&*foreign, &*body), ("", &*body)] {
        let answer = server.ask("POST", "/run", headers, body);
        assert!(answer.starts_with("HTTP/1.1 403 "), "{headers}: {answer}");
    }
    for body in ["", "{}", "{\"program\": 1}", "{\"program\":\"\",\"command\":\"check\",\"model\":\"../own.cat\"}"] {
        let answer = server.ask("POST", "/run", &server.host(), body);
        assert!(answer.starts_with("HTTP/1.1 400 "), "{body}: {answer}");
    }
    assert!(server.ask("GET", "/etc/passwd", &server.host(), "").starts_with("HTTP/1.1 404 "));
    assert!(server.ask("DELETE", "/", &server.host(), "").starts_with("HTTP/1.1 405 "));
}

#[test]
fn a_link_opens_a_program_with_its_result() {
    let Some(browser) = browser() else {
        eprintln!("skipped: no chromium is installed");
        return;
    };
    let server = serve(&[]);
    let held = json!({ "program": example("sb.litmus"), "model": "tso", "property": "", "run": "check" }).to_string();
    let address = format!("http://127.0.0.1:{}/#{}", server.port, encoded(held.as_bytes()));
    let profile = tempfile::tempdir().expect("there is room for a profile");
    let mut window = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0"])
        .args([&format!("--user-data-dir={}", profile.path().display()), &address])
        .stderr(Stdio::null())
        .spawn()
        .expect("the browser starts");
    let (begun, patience) = (Instant::now(), Duration::from_secs(60));
    let mut seen = String::new();
    while !seen.contains("\"unsafe, shown - Fencepost\"") && begun.elapsed() < patience {
        std::thread::sleep(Duration::from_millis(100));
        seen = titles(&profile.path().join("DevToolsActivePort")).unwrap_or(seen);
    }
    window.kill().expect("the browser can be ended");
    window.wait().expect("the browser has ended");
    assert!(seen.contains("\"unsafe, shown - Fencepost\""), "{seen}");
}

/// What the browser that wrote this file says about its windows.
fn titles(file: &Path) -> Option<String> {
    let port: u16 = std::fs::read_to_string(file).ok()?.lines().next()?.parse().ok()?;
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_millis(500))).ok()?;
    write!(stream, "GET /json/list HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n").ok()?;
    let mut text = Vec::new();
    // The browser keeps the connection open: what has come so far is all.
    let _ = stream.read_to_end(&mut text);
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Base64 as addresses have it.
fn encoded(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let group = |chunk: &[u8]| {
        let word = chunk.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        let letter = move |at: usize| LETTERS[(word >> (18 - 6 * at)) as usize & 63] as char;
        (0..=chunk.len()).map(letter).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}
