//! `cargo xtask ci`: what must hold before a change goes in, the same here and on the server.

use crate::run::{cargo, files, root, works};
use anyhow::Result;
use std::process::Command;
use std::time::Instant;

/// Runs all steps, stops at the first that fails, and gives its exit code.
pub fn run() -> Result<u8> {
    let mut times: Vec<(&str, f64)> = Vec::new();
    for (name, command) in steps()? {
        let started = Instant::now();
        println!("── {name}");
        let code = match command {
            Step::Cargo(mut command) => command.status()?.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1),
            Step::Tidy => crate::tidy::run()?,
        };
        let seconds = started.elapsed().as_secs_f64();
        times.push((name, seconds));
        if code != 0 {
            println!("── {name} failed after {seconds:.1} s (exit code {code})");
            return Ok(code);
        }
    }
    println!("── all is well");
    for (name, seconds) in &times {
        println!("{name:<8} {seconds:>7.1} s");
    }
    println!("{:<8} {:>7.1} s", "all", times.iter().map(|(_, seconds)| seconds).sum::<f64>());
    Ok(0)
}

enum Step {
    Cargo(Command),
    Tidy,
}

fn steps() -> Result<Vec<(&'static str, Step)>> {
    let step = |args: &[&str]| Step::Cargo(cargo(args));
    let mut steps = vec![
        ("fmt", step(&["fmt", "--all", "--check"])),
        ("tidy", Step::Tidy),
        ("clippy", step(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])),
    ];
    if works(&mut cargo(&["nextest", "--version"])) {
        steps.push(("tests", step(&["nextest", "run", "--workspace", "--no-fail-fast"])));
        if has_doc_tests()? {
            steps.push(("doctests", step(&["test", "--doc", "--workspace"])));
        }
    } else {
        steps.push(("tests", step(&["test", "--workspace", "--no-fail-fast"])));
    }
    if works(&mut cargo(&["deny", "--version"])) {
        steps.push(("deny", step(&["deny", "check", "licenses", "bans", "sources"])));
    }
    let mut doc = cargo(&["doc", "--workspace", "--no-deps"]);
    doc.env("RUSTDOCFLAGS", "-Dwarnings");
    steps.push(("doc", Step::Cargo(doc)));
    Ok(steps)
}

/// Whether some documentation has a code block.
fn has_doc_tests() -> Result<bool> {
    for folder in ["crates", "testkit"] {
        for file in files(&root().join(folder), &["rs"])? {
            let text = std::fs::read_to_string(file)?;
            let fence = |line: &str| line.starts_with("/// ```") || line.starts_with("//! ```");
            if text.lines().any(|line| fence(line.trim_start())) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
