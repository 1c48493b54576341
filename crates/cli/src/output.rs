//! Where results go.

use anyhow::{Context, Result};
use session::Failure;
use source::Diagnostic;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

/// What to do about a defect.
const DEFECT: &str = "\
This is a defect of Fencepost, not of the input. Please report it as CONTRIBUTING.md says, with the input file, the
command, the output of `fencepost --version`, and what the same command prints with `--log debug`.";

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

/// Says what went wrong and returns the exit code for it.
pub fn complain(error: &anyhow::Error) -> u8 {
    let styled = color(&std::io::stderr());
    let (text, code) = match error.downcast_ref::<Failure>() {
        Some(Failure::Usage(message)) => (format!("error: {message}"), crate::USAGE),
        Some(Failure::Input(diagnostic)) => (diagnostic.render(styled), crate::INPUT),
        Some(Failure::Refused(reason, help)) => (format!("error: {reason}\nhelp: {help}"), crate::INPUT),
        Some(Failure::Internal(message)) => (format!("internal error: {message}\n{DEFECT}"), crate::INTERNAL),
        None => match error.downcast_ref::<Diagnostic>() {
            Some(diagnostic) => (diagnostic.render(styled), crate::INPUT),
            None => (format!("error: {error:#}"), crate::INPUT),
        },
    };
    say(&text);
    code
}
