//! `fencepost serve`: a page on loopback with an editor, over a small HTTP server.
//!
//! The server checks nothing itself. For each request it runs this binary as a child with limits on time and memory, tells the
//! page how it goes, line by line, and ends the child when the page goes away: closing the connection is how to cancel. Only so
//! many children work at once; the others wait in the order in which they came.

mod gate;
mod http;
mod job;
mod page;

use crate::{SAFE, output, watch};
use anyhow::{Context, Result};
use clap::Args;
use gate::Gate;
use http::{Request, Response};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// `fencepost serve`.
#[derive(Args)]
pub struct Serve {
    /// The port; 0 for any that is free
    #[arg(short, long, default_value_t = 8017)]
    pub port: u16,
    /// Stop a request after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub timeout: u64,
    /// Stop a request that uses this much memory
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    pub memory: u64,
    /// Refuse requests larger than this
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20)]
    pub bytes: u64,
    /// Let this many requests work at once, by default as many as there are cores; others wait in their order
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
}

/// More connections than this at once are turned away.
const MOST_CONNECTIONS: usize = 128;

/// How often the server looks whether it is to end.
const INTERVAL: Duration = Duration::from_millis(20);

/// What all connections share.
pub struct Server {
    /// Who may work.
    gate: Gate,
    /// The limits of one request.
    limits: job::Limits,
    /// The address as browsers name it.
    port: u16,
    connections: AtomicUsize,
}

/// Serves until Ctrl-C.
pub fn run(args: &Serve) -> Result<u8> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
        .with_context(|| format!("cannot listen on port {} of this machine", args.port))?;
    listener.set_nonblocking(true).context("cannot listen")?;
    let port = listener.local_addr().context("cannot listen")?.port();
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let server = Arc::new(Server {
        gate: Gate::new(args.jobs.map_or_else(cores, usize::from)),
        limits: job::Limits { timeout: args.timeout, memory: args.memory, bytes: args.bytes },
        port,
        connections: AtomicUsize::new(0),
    });
    output::write(&format!("http://127.0.0.1:{port}/\n"), None)?;
    while !watch::interrupted() {
        match listener.accept() {
            Ok((stream, _)) => accept(&server, stream),
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(INTERVAL),
            // One connection that fails is no reason to end.
            Err(_) => std::thread::sleep(INTERVAL),
        }
    }
    Ok(SAFE)
}

/// Serves a connection in a thread of its own.
fn accept(server: &Arc<Server>, mut stream: TcpStream) {
    if server.connections.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS {
        server.connections.fetch_sub(1, Ordering::SeqCst);
        // Whoever is turned away may be gone already.
        let _ = Response::text(503, "too many connections").write(&mut stream);
        return;
    }
    let server = Arc::clone(server);
    std::thread::spawn(move || {
        // A connection that breaks off has nobody to complain to.
        let _ = server.connection(&mut stream);
        server.connections.fetch_sub(1, Ordering::SeqCst);
    });
}

impl Server {
    fn connection(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        stream.set_write_timeout(Some(Duration::from_secs(10)))?;
        let request = match http::read(stream, self.limits.bytes) {
            Ok(request) => request,
            Err(refusal) => return refusal.refuse(stream),
        };
        if !self.is_own(&request) {
            return Response::text(403, "this server is for pages of this machine").write(stream);
        }
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/") => page::page().write(stream),
            ("POST", "/run") => match job::Job::parse(&request.body) {
                Ok(job) => job.run(&self.gate, &self.limits, stream),
                Err(message) => Response::text(400, &message).write(stream),
            },
            ("GET" | "HEAD", _) => Response::text(404, "there is no such page").write(stream),
            (_, _) => Response::text(405, "there is no such method").write(stream),
        }
    }

    /// Whether a request is for this server by its own name, and from one of its own pages: another site that a browser shows
    /// must not make it work, nor read from it under a name of its own.
    fn is_own(&self, request: &Request) -> bool {
        let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let host = request.header("host").is_some_and(|host| names.iter().any(|name| name == host));
        let origin = request.header("origin");
        let own = origin.is_none_or(|origin| names.iter().any(|name| origin == format!("http://{name}")));
        host && own
    }
}
