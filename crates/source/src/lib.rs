//! Files, spans and diagnostics.
//!
//! Every part of Fencepost that reads text (litmus tests, C, models) keeps the text in a [`SourceFile`], points into it
//! with a [`Span`] and complains with a [`Diagnostic`]. Nothing here touches the file system.

mod diagnostic;

pub use diagnostic::{Diagnostic, Severity};

use std::sync::Arc;

/// A text that was read, with the name to print for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    inner: Arc<Inner>,
}

#[derive(Debug, PartialEq, Eq)]
struct Inner {
    name: String,
    text: String,
    /// Byte offsets at which lines begin; the first is 0.
    lines: Vec<u32>,
}

/// A range of bytes in one file. Which file is known from context: a program, a model and an error belong to one each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

/// A line and a column, both counted from 1; the column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
}

impl Span {
    /// The span from byte `start` up to byte `end`.
    pub fn new(start: usize, end: usize) -> Self {
        let clip = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Span { start: clip(start), end: clip(end) }
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl SourceFile {
    /// Keeps `text` under `name`, which is what diagnostics print.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let mut lines = vec![0];
        lines.extend(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| Span::new(i + 1, i + 1).start));
        SourceFile { inner: Arc::new(Inner { name: name.into(), text, lines }) }
    }

    /// The name to print.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// The text that `span` covers; empty where the span does not fall on character boundaries.
    pub fn slice(&self, span: Span) -> &str {
        self.inner.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Where the byte at `offset` stands.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.inner.lines.partition_point(|&start| start <= offset).max(1) - 1;
        let start = self.inner.lines[line] as usize;
        let end = (offset as usize).min(self.inner.text.len()).max(start);
        let column = self.inner.text.as_bytes()[start..end].iter().filter(|&&b| b & 0xC0 != 0x80).count();
        Position { line: line as u32 + 1, column: column as u32 + 1 }
    }

    /// The line, counted from 1, that `span` begins on.
    pub fn line(&self, span: Span) -> u32 {
        self.position(span.start).line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let file = SourceFile::new("f", "ab\n\u{e9}c\n");
        assert_eq!(file.position(0), Position { line: 1, column: 1 });
        assert_eq!(file.position(1), Position { line: 1, column: 2 });
        assert_eq!(file.position(5), Position { line: 2, column: 2 });
        assert_eq!(file.position(99), Position { line: 3, column: 1 });
        assert_eq!(file.slice(Span::new(3, 6)), "\u{e9}c");
        assert_eq!(file.slice(Span::new(4, 6)), "", "a span inside a character covers nothing");
    }
}
