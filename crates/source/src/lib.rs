//! Files, spans and diagnostics.
//!
//! Every part of Fencepost that reads text (litmus tests, C, models) keeps the text in a [`SourceFile`], points into it
//! with a [`Span`] and complains with a [`Diagnostic`]. Nothing here touches the file system.

mod diagnostic;

pub use diagnostic::{Diagnostic, Severity};

use std::sync::Arc;

/// A text that was read, with the name to print for it. A program may have further files: what it includes, and its other
/// translation units. All of them have their places in one row of bytes, so that a [`Span`] says in which file it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    inner: Arc<Inner>,
}

#[derive(Debug, PartialEq, Eq)]
struct Inner {
    /// The texts of all files, one behind the other, a byte apart.
    text: String,
    /// The first is the one that the user named.
    files: Vec<Part>,
}

/// A file among those of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    name: String,
    start: u32,
    end: u32,
    /// Byte offsets at which lines begin, in the row of all files.
    lines: Vec<u32>,
    /// From which byte on the text says that it stands in which line of which file.
    markers: Vec<Marker>,
}

/// What the text itself says about where it stands: a line marker of a preprocessor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// The byte, in the text of the file, from which on this holds.
    pub offset: usize,
    /// The file.
    pub name: Arc<str>,
    /// The line in which that byte stands.
    pub line: u32,
}

/// A file of a program, to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct File<'a> {
    /// The name to print.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
    /// Where its text begins in the row of all files.
    pub start: u32,
}

/// A range of bytes in a [`SourceFile`]. Which one is known from context: a program, a model and an error belong to one each.
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
        let part = Part::new(name.into(), 0, &text);
        SourceFile { inner: Arc::new(Inner { text, files: vec![part] }) }
    }

    /// The same with further files behind it.
    #[must_use]
    pub fn with_files(&self, others: impl IntoIterator<Item = (String, String)>) -> Self {
        let (mut text, mut files) = (self.inner.text.clone(), self.inner.files.clone());
        for (name, other) in others {
            text.push('\n');
            files.push(Part::new(name, text.len(), &other));
            text.push_str(&other);
        }
        SourceFile { inner: Arc::new(Inner { text, files }) }
    }

    /// The same, where the text of the first file says itself where it stands.
    #[must_use]
    pub fn with_markers(&self, markers: Vec<Marker>) -> Self {
        let mut files = self.inner.files.clone();
        files[0].markers = markers;
        SourceFile { inner: Arc::new(Inner { text: self.inner.text.clone(), files }) }
    }

    /// The name to print: that of the first file.
    pub fn name(&self) -> &str {
        &self.inner.files[0].name
    }

    /// The whole text of the first file.
    pub fn text(&self) -> &str {
        &self.inner.text[..self.inner.files[0].end as usize]
    }

    /// The texts of all files, one behind the other, a line break apart: what spans point into.
    pub fn row(&self) -> &str {
        &self.inner.text
    }

    /// All files.
    pub fn files(&self) -> impl Iterator<Item = File<'_>> {
        self.inner.files.iter().map(|part| self.look(part))
    }

    /// The file that a byte belongs to.
    pub fn file_at(&self, offset: u32) -> File<'_> {
        self.look(self.part(offset))
    }

    /// Whether a byte belongs to the first file.
    pub fn is_main(&self, offset: u32) -> bool {
        self.part(offset).start == 0
    }

    fn look<'a>(&'a self, part: &'a Part) -> File<'a> {
        File { name: &part.name, text: &self.inner.text[part.start as usize..part.end as usize], start: part.start }
    }

    fn part(&self, offset: u32) -> &Part {
        let number = self.inner.files.partition_point(|part| part.start <= offset).max(1) - 1;
        &self.inner.files[number]
    }

    /// The text that `span` covers; empty where the span does not fall on character boundaries.
    pub fn slice(&self, span: Span) -> &str {
        self.inner.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Where the byte at `offset` stands in its file.
    pub fn position(&self, offset: u32) -> Position {
        let part = self.part(offset);
        let line = part.line(offset);
        let start = part.lines[line] as usize;
        let end = offset.min(part.end) as usize;
        let column = self.inner.text.as_bytes()[start..end.max(start)].iter().filter(|&&b| b & 0xC0 != 0x80).count();
        Position { line: line as u32 + 1, column: column as u32 + 1 }
    }

    /// The line of its file, counted from 1, that `span` begins on.
    pub fn line(&self, span: Span) -> u32 {
        self.part(span.start).line(span.start) as u32 + 1
    }

    /// The text of the line that a span begins on.
    pub fn line_text(&self, span: Span) -> &str {
        let part = self.part(span.start);
        let line = part.line(span.start);
        let end = part.lines.get(line + 1).map_or(part.end, |next| next - 1);
        self.inner.text[part.lines[line] as usize..end.max(part.lines[line]) as usize].trim_end_matches(['\r', '\n'])
    }

    /// The line that a span begins on, for a column of lines: `12` in the first file, `queue.h:12` in another one, or where
    /// the text says that it stands elsewhere.
    pub fn mark(&self, span: Span) -> String {
        let part = self.part(span.start);
        let line = part.line(span.start) as u32 + 1;
        let at = part.markers.partition_point(|marker| marker.offset <= span.start as usize);
        match at.checked_sub(1).map(|at| &part.markers[at]) {
            Some(marker) => {
                let from = part.line(marker.offset as u32) as u32 + 1;
                format!("{}:{}", self.label(&marker.name), marker.line + (line - from))
            }
            None if part.start == 0 => line.to_string(),
            None => format!("{}:{line}", self.label(&part.name)),
        }
    }

    /// The same in running text: `line 12`, `queue.h:12`.
    pub fn place(&self, span: Span) -> String {
        line_words(&self.mark(span))
    }

    /// The name of another file for the reader, from the folder of the first file if it is there; its last two parts suffice.
    fn label<'a>(&self, name: &'a str) -> &'a str {
        let folder = self.name().rfind('/').map_or("", |at| &self.name()[..=at]);
        let name = name.strip_prefix(folder).filter(|rest| !rest.starts_with('/')).unwrap_or(name);
        let cut = name.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
        &name[cut..]
    }
}

/// The words for a line that [`SourceFile::mark`] gives: `line 12`, but `queue.h:12` in another file.
pub fn line_words(mark: &str) -> String {
    if mark.contains(':') { mark.to_owned() } else { format!("line {mark}") }
}

impl Part {
    fn new(name: String, start: usize, text: &str) -> Part {
        let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let begins = std::iter::once(start).chain(breaks.map(|(at, _)| start + at + 1));
        let lines = begins.map(|at| Span::new(at, at).start).collect();
        let Span { start, end } = Span::new(start, start + text.len());
        Part { name, start, end, lines, markers: Vec::new() }
    }

    /// The line of a byte, from 0.
    fn line(&self, offset: u32) -> usize {
        self.lines.partition_point(|&start| start <= offset).max(1) - 1
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

    #[test]
    fn further_files_have_lines_of_their_own() {
        let file = SourceFile::new("src/t.c", "ab\ncd").with_files([
            ("src/lib/q.h".to_owned(), "x\n  y;\n".to_owned()),
            ("/usr/include/a/b/z.h".to_owned(), "z".to_owned()),
        ]);
        assert_eq!((file.name(), file.text()), ("src/t.c", "ab\ncd"));
        let q = file.files().nth(1).expect("there");
        assert_eq!((q.name, q.text, q.start), ("src/lib/q.h", "x\n  y;\n", 6));
        let y = Span::new(10, 12);
        assert_eq!((file.slice(y), file.line_text(y)), ("y;", "  y;"));
        assert_eq!(file.position(10), Position { line: 2, column: 3 });
        assert_eq!((file.mark(y), file.place(y)), ("lib/q.h:2".to_owned(), "lib/q.h:2".to_owned()));
        assert_eq!(file.place(Span::new(3, 4)), "line 2");
        let z = file.files().nth(2).expect("there");
        assert_eq!(file.mark(Span::new(z.start as usize, 0)), "b/z.h:1");
        assert_eq!(file.file_at(z.start).text, "z");
        assert_eq!(file.line_text(Span::new(4, 5)), "cd", "the last line of a file ends with it");
    }

    #[test]
    fn a_text_can_say_where_it_stands() {
        let marker = Marker { offset: 7, name: "a.c".into(), line: 30 };
        let file = SourceFile::new("t.i", "first\n\nx\ny\n").with_markers(vec![marker]);
        assert_eq!(file.mark(Span::new(0, 1)), "1");
        assert_eq!(file.mark(Span::new(7, 8)), "a.c:30");
        assert_eq!(file.mark(Span::new(9, 10)), "a.c:31");
        assert_eq!(file.line(Span::new(9, 10)), 4);
    }
}
