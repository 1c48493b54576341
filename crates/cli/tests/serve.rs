//! `fencepost serve`: limits, the order of requests, cancelling, other sites, and the page in a browser.

use crate::common::{clean, root};
use crate::pages::browser;
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use testkit::server::{ENDLESS, Server, crowd, oversized};

fn serve(more: &[&str]) -> Server {
    Server::start(clean(&[]), more).expect("it starts")
}

fn ask(server: &Server, method: &str, path: &str, headers: &str, body: &str) -> String {
    server.ask(method, path, headers, body).expect("it answers")
}

fn example(name: &str) -> String {
    std::fs::read_to_string(root().join("examples").join(name)).expect("the example is there")
}

#[test]
fn many_clients_are_all_answered() {
    let server = serve(&["--jobs", "2"]);
    let program = example("sb.litmus");
    let questions = [("sb", &*program, "tso", 10), ("sb", &program, "sc", 0)];
    assert_eq!(crowd(&server, 8, 3, &questions), [""; 0]);
    let done = server.check(&program, "tso").expect("it answers").done;
    assert!(done["page"].as_str().is_some_and(|page| page.contains("</html>")), "{done}");
    assert_eq!(server.children().expect("ps is installed"), 0, "no child is left");
}

#[test]
fn limits_are_kept_and_whoever_leaves_is_forgotten() {
    let server = serve(&["--jobs", "1", "--timeout", "2", "--memory", "1000"]);
    let answer = ask(&server, "POST", "/run", &server.host(), &oversized());
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    let done = server.check(ENDLESS, "pso").expect("it answers").done;
    assert_eq!(done["code"], 5, "{done}");
    let body = json!({ "program": ENDLESS, "command": "check", "model": "pso" }).to_string();
    let mut stream = server.send("POST", "/run", &server.host(), &body).expect("it listens");
    stream.read_exact(&mut [0; 200]).expect("it says how it goes");
    drop(stream);
    let (left, patience) = (Instant::now(), Duration::from_secs(20));
    while server.children().expect("ps is installed") > 0 {
        assert!(left.elapsed() < patience, "a child is left");
        std::thread::sleep(Duration::from_millis(50));
    }
    let broken = "X86 broken\n{ }\n P0 ;\n nonsense ;\nexists (x=1)\n";
    let bad = server.check(broken, "tso").expect("it answers").done;
    assert_eq!(bad["code"], 2, "{bad}");
    assert!(bad["said"].as_str().is_some_and(|said| said.contains("error")), "{bad}");
}

#[test]
fn other_sites_are_turned_away() {
    let server = serve(&[]);
    let body = json!({ "program": example("sb.litmus"), "command": "check" }).to_string();
    let page = ask(&server, "GET", "/", &server.host(), "");
    assert!(page.starts_with("HTTP/1.1 200 ") && page.contains("connect-src 'self'"), "{page:.400}");
    assert!(page.contains("\"sb.litmus\"") && page.contains("\"rc11\""), "examples and models are offered");
    let foreign = format!("{}Origin: http://example.org\r\n", server.host());
    for (headers, body) in [("Host: example.org\r\n", &*body), (&*foreign, &*body), ("", &*body)] {
        let answer = ask(&server, "POST", "/run", headers, body);
        assert!(answer.starts_with("HTTP/1.1 403 "), "{headers}: {answer}");
    }
    for body in ["", "{}", "{\"program\": 1}", "{\"program\":\"\",\"command\":\"check\",\"model\":\"../own.cat\"}"] {
        let answer = ask(&server, "POST", "/run", &server.host(), body);
        assert!(answer.starts_with("HTTP/1.1 400 "), "{body}: {answer}");
    }
    assert!(ask(&server, "GET", "/etc/passwd", &server.host(), "").starts_with("HTTP/1.1 404 "));
    assert!(ask(&server, "DELETE", "/", &server.host(), "").starts_with("HTTP/1.1 405 "));
}

#[test]
fn a_link_opens_a_program_with_its_result() {
    let Some(browser) = browser() else {
        eprintln!("skipped: no chromium is installed");
        return;
    };
    let server = serve(&[]);
    let held = json!({ "program": example("sb.litmus"), "model": "tso", "property": "", "run": "check" }).to_string();
    let address = format!("http://127.0.0.1:{}/#{}", server.port(), encoded(held.as_bytes()));
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
