//! Why a text is no C.

use crate::ast::Range;

/// What is wrong, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What is wrong, as a compiler would say it.
    pub message: String,
    /// Where.
    pub span: Range,
    /// What to do about it.
    pub help: Option<String>,
}

/// What a part of the parser gives.
pub(crate) type Parsed<T> = Result<T, Error>;

impl Error {
    pub(crate) fn new(span: Range, message: impl Into<String>) -> Self {
        Error { message: message.into(), span, help: None }
    }

    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
