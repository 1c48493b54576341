//! Where results go.

use anyhow::{Context, Result};
use report::json::Trouble;
use session::Failure;
use source::Diagnostic;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

/// What to do about a defect.
const DEFECT: &str = "\
This is a defect of Fencepost, not of the input. Please report it as CONTRIBUTING.md says, with the input file, the
command, the output of `fencepost --version`, and what the same command prints with `--log debug`.";

/// In fewer columns than this nothing can be put side by side.
const NARROWEST: usize = 30;

/// Writes a result to a file, or to the standard output. A reader that has gone away is no error.
pub fn write(text: &str, to: Option<&Path>) -> Result<()> {
    if let Some(path) = to {
        return std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()));
    }
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("cannot write the result"),
        _ => Ok(()),
    }
}

/// Says something on the standard error. If nobody listens there, nothing can be done about it.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Whether to colour what goes to a stream.
pub fn color(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// How many characters a line has: what COLUMNS says, else what the terminal has, if it is one.
pub fn width(stream: &impl IsTerminal) -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    said.or_else(|| if stream.is_terminal() { terminal() } else { None }).filter(|&width| width >= NARROWEST)
}

/// What went wrong, as data.
pub fn trouble(error: &anyhow::Error) -> Trouble {
    let plain = |reason, message: String, exit_code| Trouble {
        reason,
        rendered: format!("error: {message}"),
        message,
        help: None,
        file: None,
        line: None,
        column: None,
        exit_code,
    };
    let at = |diagnostic: &Diagnostic| {
        let place = diagnostic.file().position(diagnostic.span().start);
        Trouble {
            file: Some(diagnostic.file().name().to_owned()),
            line: Some(place.line),
            column: Some(place.column),
            rendered: diagnostic.render(false),
            ..plain("input", diagnostic.message().to_owned(), crate::INPUT)
        }
    };
    match error.downcast_ref::<Failure>() {
        Some(Failure::Usage(message)) => plain("usage", message.clone(), crate::USAGE),
        Some(Failure::Input(diagnostic)) => at(diagnostic),
        Some(Failure::Refused(reason, help)) => Trouble {
            help: Some(help.clone()),
            rendered: format!("error: {reason}\nhelp: {help}"),
            ..plain("refused", reason.clone(), crate::INPUT)
        },
        Some(Failure::Internal(message)) => Trouble {
            rendered: format!("internal error: {message}\n{DEFECT}"),
            ..plain("internal", message.clone(), crate::INTERNAL)
        },
        None => match error.downcast_ref::<Diagnostic>() {
            Some(diagnostic) => at(diagnostic),
            None => plain("input", format!("{error:#}"), crate::INPUT),
        },
    }
}

/// Says what went wrong and returns the exit code for it.
pub fn complain(error: &anyhow::Error) -> u8 {
    let Trouble { rendered, exit_code, .. } = trouble(error);
    let diagnostic = match error.downcast_ref::<Failure>() {
        Some(Failure::Input(diagnostic)) => Some(diagnostic),
        Some(Failure::Usage(_) | Failure::Refused(..) | Failure::Internal(_)) => None,
        None => error.downcast_ref::<Diagnostic>(),
    };
    say(&diagnostic.map_or(rendered, |diagnostic| diagnostic.render(color(&std::io::stderr()))));
    exit_code
}

/// Puts what went wrong where the result was to go, for a program that reads it there.
pub fn complain_as_json(trouble: &Trouble, to: Option<&Path>) {
    // The complaint is on the standard error too, so nothing is lost if this fails.
    let _ = write(&report::json::error(trouble), to);
}
