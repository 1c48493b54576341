//! `cargo xtask serve-load [--clients N] [--requests N]`: many clients at once ask `fencepost serve`, which must answer all, overtake
//! nobody, keep its limits and leave no process behind.

use crate::run::{fencepost, root};
use anyhow::{Context, Result, bail};
use std::process::Command;
use std::time::{Duration, Instant};
use testkit::server::{ENDLESS, Server, crowd, oversized};

/// Asks small programs that are safe and that are not, an endless one, and one that is too large.
pub fn run(args: &[String]) -> Result<u8> {
    let (mut clients, mut requests) = (8, 25);
    for pair in args.chunks(2) {
        match pair {
            [name, value] if name == "--clients" => clients = value.parse()?,
            [name, value] if name == "--requests" => requests = value.parse()?,
            _ => bail!("`serve-load` takes --clients N and --requests N"),
        }
    }
    let example = |name: &str| {
        std::fs::read_to_string(root().join("examples").join(name)).with_context(|| format!("examples/{name}"))
    };
    let (litmus, dekker, mutex) = (example("sb.litmus")?, example("dekker.c")?, example("mutex-counter.c")?);
    let questions = [
        ("sb.litmus", &*litmus, "tso", 10),
        ("sb.litmus", &litmus, "sc", 0),
        ("dekker.c", &dekker, "tso", 10),
        ("mutex-counter.c", &mutex, "aarch64", 0),
        ("an empty text", "", "tso", 2),
    ];
    let server = Server::start(Command::new(fencepost()?), &["--timeout", "5", "--memory", "1000"])?;
    let started = Instant::now();
    let mut wrong = crowd(&server, clients, requests, &questions);
    println!("{clients} clients, {requests} requests each: {:.1} s", started.elapsed().as_secs_f64());
    let large = server.ask("POST", "/run", &server.host(), &oversized())?;
    if !large.starts_with("HTTP/1.1 413 ") {
        wrong.push(format!("a program of 10 MB: {large:.100}"));
    }
    // More of them than may work at once, so that some must wait for others to be stopped.
    wrong.extend(crowd(&server, clients, 1, &[("an endless program", ENDLESS, "pso", 5)]));
    // A child that was ended is waited for by the server, which may take a moment.
    let patience = Instant::now() + Duration::from_secs(20);
    while server.children()? > 0 && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(50));
    }
    if server.children()? > 0 {
        wrong.push("a process is left".to_owned());
    }
    for complaint in &wrong {
        println!("{complaint}");
    }
    println!("all in all {:.1} s, {} wrong", started.elapsed().as_secs_f64(), wrong.len());
    Ok(u8::from(!wrong.is_empty()))
}
