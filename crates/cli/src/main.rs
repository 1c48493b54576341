//! The command line of Fencepost: files, the terminal, exit codes.

mod args;
mod artefacts;
mod check;
mod competition;
mod facts;
mod fences;
mod input;
mod list;
mod litmus;
mod log;
mod lsp;
mod machines;
mod output;
mod own;
mod project;
#[cfg(test)]
mod seam;
mod serve;
mod shell;
mod systems;
mod units;
mod watch;
mod why;

use args::Command;
use clap::error::ErrorKind;
use report::json::Trouble;
use session::{Engines, Failure};
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// Proved safe, or done.
const SAFE: u8 = 0;
/// The command makes no sense.
const USAGE: u8 = 1;
/// The input is bad or not supported.
const INPUT: u8 = 2;
/// Bounded or unknown.
const UNKNOWN: u8 = 5;
/// A defect of Fencepost.
const INTERNAL: u8 = 6;
/// Unsafe.
const UNSAFE: u8 = 10;

fn main() -> ExitCode {
    watch::catch_interrupts();
    session::remember_panics();
    let line: Vec<OsString> = std::env::args_os().collect();
    ExitCode::from(session::with_stack(|| run(session::ENGINES, line)))
}

/// Does what a command line says, with these engines, and returns the exit code.
fn run(engines: Engines, line: impl IntoIterator<Item = OsString>) -> u8 {
    let line: Vec<OsString> = units::normalised(line);
    let matches = own::command(engines).try_get_matches_from(&line);
    let mut cli = match matches.and_then(|matches| own::parse(engines, &matches)) {
        Ok(cli) => cli,
        Err(error) => {
            let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            // Nobody is left to tell if this fails.
            let _ = error.print();
            if !asked && args::asks_for_json(&line) {
                output::complain_as_json(&usage(&error), None);
            }
            return if asked { SAFE } else { USAGE };
        }
    };
    let filter = cli.command.running().and_then(|running| running.log.clone());
    if let Err(error) = log::begin(filter.as_deref()) {
        return output::complain(&error);
    }
    let result = catch_unwind(AssertUnwindSafe(|| match &cli.command {
        Command::Check(args) => check::run(args),
        Command::Litmus(args) => litmus::run(args),
        Command::Why(args) => why::run(args),
        Command::Fences(args) => fences::run(args),
        Command::Weaken(args) => fences::weaken(args),
        Command::Run(args) => project::run(args, engines),
        Command::Merge(args) => project::merge(args),
        Command::Serve(args) => serve::run(args),
        Command::Lsp => lsp::run(),
        Command::List { what } => list::run(*what, engines),
        Command::Completions { shell } => shell::completions(*shell, engines),
        Command::Man { command } => shell::man(command.as_deref(), engines),
    }));
    let error = match result {
        Ok(Ok(code)) => return code,
        Ok(Err(error)) => error,
        Err(panic) => Failure::Internal(session::panic_message(&*panic)).into(),
    };
    if let Some(to) = cli.command.json() {
        output::complain_as_json(&output::trouble(&error), to);
    }
    output::complain(&error)
}

/// What is wrong with a command line.
fn usage(error: &clap::Error) -> Trouble {
    let rendered = error.render().to_string();
    let first = rendered.lines().next().unwrap_or_default();
    let message = first.trim_start_matches("error: ").to_owned();
    output::trouble(&Failure::Usage(message).into())
}
