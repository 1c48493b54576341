//! The project's own chores: `cargo xtask ci|tidy|bless|bench|fuzz|repeat|serve-load|tables`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "chores talk to whoever runs them")]

mod bench;
mod bless;
mod ci;
mod fuzz;
mod repeat;
mod run;
mod serve_load;
mod tables;
mod tidy;

use anyhow::{Result, bail};
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask COMMAND

  ci                       all that must hold: fmt, clippy, tests, docs, tidy
  tidy                     the house rules
  bless                    rewrite the expected outputs
  bench [--quick] [NAME…]  arrays, c, coherence, corpus, growth, integers, rings: print how long things take
  fuzz [--c N | --endless N | --predicate N | --sequential N | --csmith N]
       [--seed N] [--count N] [--models LIST] [--jobs N] [--accesses N] [--limit SECONDS]
                           random programs through all engines; a disagreement is shrunk and saved
  repeat [--programs N] [--times N]
                           the same command must give the same answer, also beside a busy machine
  serve-load [--clients N] [--requests N]
                           clients that ask `fencepost serve` at once, with limits: all are answered, nothing is left
  tables FOLDER [--table FILE] [--models LIST] [--step N] [--jobs N] [--limit SECONDS]
                           a table of verdicts for the litmus tests below FOLDER against ours";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match command(&args) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn command(args: &[String]) -> Result<u8> {
    let Some((name, rest)) = args.split_first() else { bail!("what to do?\n\n{HELP}") };
    let alone = || if rest.is_empty() { Ok(()) } else { bail!("`{name}` takes no arguments") };
    match name.as_str() {
        "ci" => alone().and_then(|()| ci::run()),
        "tidy" => alone().and_then(|()| tidy::run()),
        "bless" => alone().and_then(|()| bless::run()),
        "bench" => bench::run(rest),
        "fuzz" => fuzz::run(rest),
        "repeat" => repeat::run(rest),
        "serve-load" => serve_load::run(rest),
        "tables" => tables::run(rest),
        "help" | "--help" | "-h" => {
            println!("{HELP}");
            Ok(0)
        }
        _ => bail!("there is no chore `{name}`\n\n{HELP}"),
    }
}
