//! Why there is no verdict.

use crate::preprocess::Complaint;
use session::Failure;
use std::fmt;

/// Why there is no verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// What is asked makes no sense: no such model or engine, an option that the engine does not have.
    Usage(String),
    /// The text is wrong, or something in it is not supported.
    Input {
        /// What is wrong.
        message: String,
        /// In which file.
        file: String,
        /// The line, from 1.
        line: u32,
        /// The column, from 1.
        column: u32,
        /// All of that with the line itself and a way round, for people.
        rendered: String,
    },
    /// No engine can do this: why, and a way round.
    Refused {
        /// What cannot be done.
        reason: String,
        /// What to do instead.
        help: String,
    },
    /// The preprocessor does not take a C program, or there is none; or a file cannot be read.
    File(String),
    /// A defect of Fencepost.
    Internal(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage(message) | Error::File(message) => f.write_str(message),
            Error::Input { rendered, .. } => f.write_str(rendered),
            Error::Refused { reason, help } => write!(f, "{reason}; {help}"),
            Error::Internal(message) => write!(f, "internal error: {message}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        match failure {
            Failure::Usage(message) => Error::Usage(message),
            Failure::Input(diagnostic) => {
                let place = diagnostic.file().position(diagnostic.span().start);
                Error::Input {
                    message: diagnostic.message().to_owned(),
                    file: diagnostic.file().name().to_owned(),
                    line: place.line,
                    column: place.column,
                    rendered: diagnostic.render(false),
                }
            }
            Failure::Refused(reason, help) => Error::Refused { reason, help },
            Failure::Internal(message) => Error::Internal(message),
        }
    }
}

impl From<Complaint> for Error {
    fn from(complaint: Complaint) -> Error {
        Error::File(complaint.to_string())
    }
}
