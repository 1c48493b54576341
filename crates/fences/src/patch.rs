//! Fences as changes of a text, and the changes as a unified diff.

use crate::placement::Fence;
use ir::Place;
use source::{File, SourceFile, Span};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A changed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// The text of the first file with the changes.
    pub text: String,
    /// All files with the changes.
    pub source: SourceFile,
    /// The names of the files that have changed.
    pub changed: Vec<String>,
    /// The changes as a unified diff with three lines of context.
    pub diff: String,
}

/// How many lines of context a diff has.
const CONTEXT: usize = 3;

/// Text to be put in. Where several go to one place, the smaller rank comes first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Insertion {
    at: usize,
    rank: (bool, Reverse<u32>, bool),
    text: String,
    /// How much of the text it replaces.
    replaced: usize,
}

/// The text with these words in it, each at a place of its own; what goes to the same place keeps its order.
pub fn insert(file: &SourceFile, words: &[(usize, String)]) -> Patch {
    let rank = (true, Reverse(0), true);
    let mut insertions: Vec<Insertion> =
        words.iter().map(|(at, text)| Insertion { at: *at, rank, text: text.clone(), replaced: 0 }).collect();
    insertions.sort_by_key(|insertion| insertion.at);
    diff(file, &insertions)
}

/// The text with these fences in it, and with what else is to be replaced; `threads` is the number of columns if the text is a
/// table.
pub fn patch(file: &SourceFile, fences: &[Fence], edits: &[(Span, String)], threads: usize) -> Patch {
    let layout = Layout { text: file.row() };
    let edit = |(span, text): &(Span, String)| {
        let (at, replaced) = (span.start as usize, (span.end - span.start) as usize);
        Insertion { at, rank: (false, Reverse(0), true), text: text.clone(), replaced }
    };
    // What several translation units include is there once.
    let edits = edits.iter().enumerate().filter(|(at, edit)| !edits[..*at].contains(edit)).map(|(_, edit)| edit);
    let mut insertions: Vec<Insertion> = edits.map(edit).collect();
    let same = |a: &Fence, b: &Fence| a.seam.place == b.seam.place && a.spelling.text == b.spelling.text;
    let fences = fences.iter().enumerate().filter(|(at, fence)| !fences[..*at].iter().any(|b| same(fence, b)));
    let fences = fences.map(|(_, fence)| fence);
    let mut rows: BTreeMap<u32, (Span, BTreeMap<u32, Vec<&str>>)> = BTreeMap::new();
    for fence in fences {
        let text = fence.spelling.text;
        match fence.seam.place {
            Place::Before { statement, braces } => {
                insertions.push(layout.before(statement, braces, text));
                insertions.extend(braces.then(|| Layout::braces(statement)).into_iter().flatten());
            }
            Place::After { statement, braces } => {
                insertions.push(layout.after(statement, braces, text));
                insertions.extend(braces.then(|| Layout::braces(statement)).into_iter().flatten());
            }
            Place::Row { row, column } => {
                let (_, cells) = rows.entry(row.end).or_insert_with(|| (row, BTreeMap::new()));
                cells.entry(column).or_default().push(text);
            }
        }
    }
    for (row, cells) in rows.into_values() {
        insertions.push(layout.rows(row, &cells, threads));
    }
    insertions.sort();
    // The braces of one statement are there once, whoever wants them.
    insertions.dedup_by(|a, b| a == b && (a.text == OPEN || a.text == CLOSE));
    diff(file, &insertions)
}

const OPEN: &str = "{ ";
const CLOSE: &str = " }";

struct Layout<'t> {
    text: &'t str,
}

impl Layout<'_> {
    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// The end of the line, before its line break.
    fn line_end(&self, at: usize) -> usize {
        let end = self.text[at..].find('\n').map_or(self.text.len(), |newline| at + newline);
        if self.text[at..end].ends_with('\r') { end - 1 } else { end }
    }

    fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    fn indentation(&self, at: usize) -> &str {
        let line = &self.text[self.line_start(at)..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// Whether nothing but a comment follows in the line.
    fn ends_line(&self, at: usize) -> bool {
        let rest = self.text[at..self.line_end(at)].trim();
        let whole = |open: &str, close: &str| {
            rest.strip_prefix(open).is_some_and(|inner| inner.strip_suffix(close).is_some_and(|c| !c.contains(close)))
        };
        rest.is_empty() || rest.starts_with("//") || whole("/*", "*/") || whole("(*", "*)")
    }

    fn braces(statement: Span) -> [Insertion; 2] {
        let (start, end) = (statement.start, statement.end);
        [
            Insertion { at: start as usize, rank: (true, Reverse(end), false), text: OPEN.to_owned(), replaced: 0 },
            Insertion { at: end as usize, rank: (false, Reverse(start), true), text: CLOSE.to_owned(), replaced: 0 },
        ]
    }

    fn before(&self, statement: Span, braces: bool, text: &str) -> Insertion {
        let start = statement.start as usize;
        let line = self.line_start(start);
        let rank = (true, Reverse(statement.end), true);
        if !braces && self.text[line..start].trim().is_empty() {
            let text = format!("{}{text}{}", &self.text[line..start], self.newline());
            return Insertion { at: line, rank, text, replaced: 0 };
        }
        Insertion { at: start, rank, text: format!("{text} "), replaced: 0 }
    }

    fn after(&self, statement: Span, braces: bool, text: &str) -> Insertion {
        let (start, end) = (statement.start as usize, statement.end as usize);
        let rank = (false, Reverse(statement.start), false);
        if !braces && self.ends_line(end) {
            let text = format!("{}{}{text}", self.newline(), self.indentation(start));
            return Insertion { at: self.line_end(end), rank, text, replaced: 0 };
        }
        Insertion { at: end, rank, text: format!(" {text}"), replaced: 0 }
    }

    /// New rows of a table below a row.
    fn rows(&self, row: Span, cells: &BTreeMap<u32, Vec<&str>>, threads: usize) -> Insertion {
        let (start, end) = (self.line_start(row.start as usize), row.end as usize);
        let line = &self.text[start..end - 1];
        let known: Vec<usize> = line.split('|').map(|cell| cell.chars().count()).collect();
        let fits = known.len() == threads && !line.contains('\n');
        let widths = if fits { known } else { vec![0; threads] };
        let mut text = String::new();
        for number in 0..cells.values().map(Vec::len).max().unwrap_or(0) {
            text.push_str(self.newline());
            for (column, &width) in widths.iter().enumerate() {
                let cell = cells.get(&(column as u32)).and_then(|own| own.get(number)).copied().unwrap_or_default();
                let cell = format!("{}{cell} ", if column == 0 { self.indentation(start) } else { " " });
                let _ = write!(text, "{cell:<width$}{}", if column + 1 < threads { '|' } else { ';' });
            }
        }
        let rank = (false, Reverse(row.start), false);
        if self.ends_line(end) {
            return Insertion { at: self.line_end(end), rank, text, replaced: 0 };
        }
        text.push_str(self.newline());
        Insertion { at: end, rank, text, replaced: 0 }
    }
}

/// A line of a diff: what it begins with, and the line with its line break.
type DiffLine = (char, String);

/// Applies insertions in order, and writes down what changed.
fn diff(source: &SourceFile, insertions: &[Insertion]) -> Patch {
    let (mut texts, mut changed, mut diff) = (Vec::new(), Vec::new(), String::new());
    for file in source.files() {
        let start = file.start as usize;
        let inside = |at: usize| at >= start && at <= start + file.text.len();
        let own: Vec<Insertion> = insertions
            .iter()
            .filter(|insertion| inside(insertion.at))
            .map(|insertion| Insertion { at: insertion.at - start, ..insertion.clone() })
            .collect();
        let (text, part) = diff_file(file, &own);
        changed.extend((!part.is_empty()).then(|| file.name.to_owned()));
        diff.push_str(&part);
        texts.push((file.name.to_owned(), text));
    }
    let mut texts = texts.into_iter();
    let (name, text) = texts.next().unwrap_or_default();
    let source = SourceFile::new(name, text.clone()).with_files(texts);
    Patch { text, source, changed, diff }
}

/// The text of one file with its insertions, and what changed.
fn diff_file(file: File<'_>, insertions: &[Insertion]) -> (String, String) {
    let mut text = String::new();
    let mut lines: Vec<DiffLine> = Vec::new();
    let mut rest = insertions.iter().peekable();
    let mut start = 0;
    let old: Vec<&str> = file.text.split_inclusive('\n').collect();
    for (number, line) in old.iter().enumerate() {
        let end = start + line.len();
        let mut new = String::new();
        let mut done = start;
        // What goes to the very end belongs to the last line.
        let last = number + 1 == old.len();
        while let Some(insertion) = rest.next_if(|insertion| insertion.at < end || (last && insertion.at == end)) {
            new.push_str(&file.text[done..insertion.at]);
            new.push_str(&insertion.text);
            done = insertion.at + insertion.replaced;
        }
        new.push_str(&file.text[done..end]);
        text.push_str(&new);
        let parts: Vec<&str> = new.split_inclusive('\n').collect();
        let kept = parts.iter().position(|part| part == line);
        if kept.is_none() {
            lines.push(('-', (*line).to_owned()));
        }
        for (at, part) in parts.iter().enumerate() {
            lines.push((if Some(at) == kept { ' ' } else { '+' }, (*part).to_owned()));
        }
        start = end;
    }
    (text, unified(file.name, &lines))
}

/// The lines as a unified diff.
fn unified(name: &str, lines: &[DiffLine]) -> String {
    let changed: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].0 != ' ').collect();
    let mut out = String::new();
    let mut next = 0;
    while next < changed.len() {
        let first = changed[next];
        let mut last = first;
        while next < changed.len() && changed[next] <= last + 2 * CONTEXT + 1 {
            last = changed[next];
            next += 1;
        }
        let (from, to) = (first.saturating_sub(CONTEXT), (last + CONTEXT + 1).min(lines.len()));
        let count = |range: &[DiffLine], sign: char| range.iter().filter(|(s, _)| *s == ' ' || *s == sign).count();
        let part = |sign: char| {
            let (before, size) = (count(&lines[..from], sign), count(&lines[from..to], sign));
            let start = if size == 0 { before } else { before + 1 };
            if size == 1 { start.to_string() } else { format!("{start},{size}") }
        };
        if out.is_empty() {
            let _ = write!(out, "--- {name}\n+++ {name}\n");
        }
        let _ = writeln!(out, "@@ -{} +{} @@", part('-'), part('+'));
        for (sign, line) in &lines[from..to] {
            let _ = write!(out, "{sign}{line}");
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests;
