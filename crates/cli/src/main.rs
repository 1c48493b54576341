//! The command line of Fencepost: files, the terminal, exit codes.

mod args;
mod artefacts;
mod check;
mod competition;
mod fences;
mod input;
mod list;
mod litmus;
mod log;
mod output;
mod own;
mod preprocess;
mod systems;
mod watch;
mod why;

use args::Command;
use clap::error::ErrorKind;
use session::Failure;
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
    let cli = match own::command().try_get_matches().and_then(|matches| own::parse(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            let code = if asked { SAFE } else { USAGE };
            // Nobody is left to tell if this fails.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    watch::catch_interrupts();
    session::remember_panics();
    let running = match &cli.command {
        Command::Check(args) => Some(&args.running),
        Command::Litmus(args) => Some(&args.running),
        Command::Why(args) => Some(&args.running),
        Command::Fences(args) => Some(&args.running),
        Command::List { .. } => None,
    };
    if let Err(error) = log::begin(running.and_then(|running| running.log.as_deref())) {
        return ExitCode::from(output::complain(&error));
    }
    let result = std::panic::catch_unwind(|| match &cli.command {
        Command::Check(args) => check::run(args),
        Command::Litmus(args) => litmus::run(args),
        Command::Why(args) => why::run(args),
        Command::Fences(args) => fences::run(args),
        Command::List { what } => list::run(*what),
    });
    match result {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(error)) => ExitCode::from(output::complain(&error)),
        Err(panic) => {
            let failure = Failure::Internal(session::panic_message(&*panic));
            ExitCode::from(output::complain(&failure.into()))
        }
    }
}
