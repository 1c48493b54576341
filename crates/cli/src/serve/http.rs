//! As much of HTTP/1.1 as a page of our own needs: one request a connection, a body of a known length.

use std::io::{BufRead, BufReader, Read, Result, Write};
use std::net::TcpStream;

/// Heads larger than this are refused.
const HEAD: u64 = 16 << 10;

/// What a browser asks for.
pub struct Request {
    /// `GET`.
    pub method: String,
    /// The path without the question behind it.
    pub path: String,
    headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// The value of a header, whose name is in small letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// Why a request is not answered.
pub struct Refusal {
    status: u16,
    message: String,
    /// How many bytes of the request were announced and not read.
    unread: u64,
}

impl Refusal {
    fn new(status: u16, message: impl Into<String>) -> Refusal {
        Refusal { status, message: message.into(), unread: 0 }
    }

    /// Says so, and reads what is left: a browser that is still sending would not see the answer.
    pub fn refuse(self, stream: &mut TcpStream) -> Result<()> {
        Response::text(self.status, &self.message).write(stream)?;
        std::io::copy(&mut stream.take(self.unread.min(64 << 20)), &mut std::io::sink())?;
        Ok(())
    }
}

/// Reads a request whose body has at most so many bytes.
pub fn read(stream: &TcpStream, most: u64) -> std::result::Result<Request, Refusal> {
    let broken = |_| Refusal::new(400, "the request breaks off");
    let mut reader = BufReader::new(stream.take(HEAD));
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).map_err(broken)? == 0 {
            return Err(Refusal::new(431, "the head of the request has no end, or is too large"));
        }
        let line = line.trim_end().to_owned();
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let mut words = lines.first().map(String::as_str).unwrap_or_default().split(' ');
    let (Some(method), Some(target)) = (words.next(), words.next()) else {
        return Err(Refusal::new(400, "this is no request"));
    };
    let path = target.split(['?', '#']).next().unwrap_or_default().to_owned();
    let header = |line: &String| {
        let (name, value) = line.split_once(':')?;
        Some((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
    };
    let headers = lines.iter().skip(1).filter_map(header).collect();
    let mut request = Request { method: method.to_owned(), path, headers, body: Vec::new() };
    let length = request.header("content-length").map_or(Ok(0), str::parse::<u64>);
    let length = length.map_err(|_| Refusal::new(400, "the length of the body is no number"))?;
    if request.header("transfer-encoding").is_some() {
        return Err(Refusal::new(411, "the length of the body must be known"));
    }
    let buffered = reader.buffer().len() as u64;
    if length > most {
        let message = format!("the program is too large: {length} bytes, at most {most} are read");
        return Err(Refusal { unread: length.saturating_sub(buffered), ..Refusal::new(413, message) });
    }
    let mut body = reader.buffer().to_vec();
    body.truncate(length as usize);
    let missing = length - body.len() as u64;
    let mut stream = stream;
    Read::by_ref(&mut stream).take(missing).read_to_end(&mut body).map_err(broken)?;
    if (body.len() as u64) < length {
        return Err(Refusal::new(400, "the body breaks off"));
    }
    request.body = body;
    Ok(request)
}

/// An answer.
pub struct Response {
    status: u16,
    kind: &'static str,
    policy: &'static str,
    body: Vec<u8>,
}

/// A page that loads nothing and asks nobody but its own server.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
                      frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

impl Response {
    /// A few words.
    pub fn text(status: u16, message: &str) -> Response {
        let body = format!("{message}\n").into_bytes();
        Response { status, kind: "text/plain; charset=utf-8", policy: "default-src 'none'", body }
    }

    /// A page.
    pub fn html(text: String) -> Response {
        Response { status: 200, kind: "text/html; charset=utf-8", policy: POLICY, body: text.into_bytes() }
    }

    /// Sends it.
    pub fn write(self, stream: &mut TcpStream) -> Result<()> {
        let head = head(self.status, self.kind, self.policy);
        write!(stream, "{head}Content-Length: {}\r\n\r\n", self.body.len())?;
        stream.write_all(&self.body)?;
        stream.flush()
    }
}

fn head(status: u16, kind: &str, policy: &str) -> String {
    let reason = match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        411 => "Length Required",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        _ => "Service Unavailable",
    };
    format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}\r\nContent-Security-Policy: {policy}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n"
    )
}

/// An answer that comes line by line; it ends with the connection.
pub struct Lines<'a>(&'a mut TcpStream);

impl<'a> Lines<'a> {
    /// Begins it.
    pub fn begin(stream: &'a mut TcpStream) -> Result<Lines<'a>> {
        let head = head(200, "application/x-ndjson", "default-src 'none'");
        write!(stream, "{head}\r\n")?;
        Ok(Lines(stream))
    }

    /// Sends a line; an error if nobody reads any more.
    pub fn line(&mut self, value: &serde_json::Value) -> Result<()> {
        self.0.write_all(format!("{value}\n").as_bytes())?;
        self.0.flush()
    }
}
