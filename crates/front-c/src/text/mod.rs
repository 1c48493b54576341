//! The text that is parsed, and the way back from its places to the user's.
//!
//! The parser reads what the preprocessor made of the user's files. Line markers lead from there to the files.

mod anchors;

pub use anchors::with_anchors;
pub(crate) use anchors::{SYNCHRONIZE, implicit};

use anchors::Taken;
use c_syntax::ast::Range;
use rustc_hash::FxHashMap;
use source::{File, Marker, SourceFile, Span};
use std::rc::Rc;

/// A text for the parser, and where its parts come from.
#[derive(Debug)]
pub(crate) struct Text {
    /// What the parser reads.
    pub parsed: String,
    /// The lines of the preprocessor's output; none if the text is the user's own.
    lines: Vec<Line>,
    /// Pairs of places, in the text and in the user's, that are known to be the same, in order.
    anchors: Vec<(usize, usize)>,
    /// The places in the text behind memory orders, and where these are in the user's.
    orders: Vec<(usize, usize)>,
    /// The places in the text before operations whose order is in their name, and where these are in the user's.
    operations: Vec<(usize, usize)>,
    file: SourceFile,
    /// Where the text begins in the user's files, if it is the user's own.
    base: usize,
}

/// A line of the preprocessor's output.
#[derive(Debug, Clone)]
struct Line {
    /// Where it begins.
    start: usize,
    /// The header and the line in it, for a line of a file that is not among the user's.
    header: Option<(Rc<str>, usize)>,
    /// The line of the user's file, its own or that of the directive that included the header, without blanks around it.
    own: (usize, usize),
    /// Where the two agree but for a comment at the end: the byte of the user's file that this one's first byte is.
    same: Option<usize>,
    /// Whether they agree to the end.
    whole: bool,
}

/// A place in the user's files.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub span: Span,
    /// `name:line` if it is in a header that is not among them.
    pub header: Option<String>,
}

impl Text {
    /// One of the user's files, or what a preprocessor made of it.
    pub fn new(file: &SourceFile, name: &str, preprocessed: Option<&str>) -> Text {
        let own = file.files().find(|file| file.name == name).unwrap_or_else(|| file.file_at(0));
        let Taken { text: parsed, anchors, orders, operations } = match preprocessed {
            Some(text) => anchors::take(text),
            None => {
                Taken { text: own.text.to_owned(), anchors: Vec::new(), orders: Vec::new(), operations: Vec::new() }
            }
        };
        let lines = if preprocessed.is_some() { markers(&parsed, file, own) } else { Vec::new() };
        Text { parsed, lines, anchors, orders, operations, file: file.clone(), base: own.start as usize }
    }

    /// The user's place of a range of the text.
    pub fn place(&self, range: Range) -> Place {
        let (start, end) = (range.start as usize, range.end as usize);
        if self.lines.is_empty() {
            return Place { span: Span::new(self.base + start, self.base + end.max(start)), header: None };
        }
        let (from, header) = self.line_place(start);
        let (to, _) = self.line_place(end.saturating_sub(1).max(start));
        let apart = self.file.file_at(from.start).start != self.file.file_at(to.start).start;
        let end = if to.end - to.start == 1 && to.start >= from.start { to.end } else { to.end.max(from.end) };
        let span = if header.is_some() || apart { from } else { Span { start: from.start, end: end.max(from.start) } };
        Place { span, header }
    }

    /// The user's place of a statement, if it is in one of the user's files and both of its ends are outside of macros.
    pub fn statement(&self, range: Range) -> Option<Span> {
        let (from, last) = (range.start as usize, (range.end as usize).checked_sub(1)?);
        if !matches!(self.parsed.as_bytes().get(last), Some(b';' | b'}')) {
            return None;
        }
        let (from, to) = (self.anchored_start(from).or_else(|| self.exact(from))?, self.end(last)?);
        let file = |at: usize| self.file.file_at(Span::new(at, at).start).start;
        let fits = from < to && file(from) == file(to) && matches!(self.file.slice(Span::new(to - 1, to)), ";" | "}");
        fits.then(|| Span::new(from, to))
    }

    /// Where in the user's file the memory order stands that an expression is; for an operation without an order, where the operation
    /// stands.
    pub fn order(&self, range: Range) -> Option<usize> {
        let (from, to) = (range.start as usize, range.end as usize);
        let mut found = self.orders.iter().filter(|(here, _)| from < *here && *here <= to).map(|(_, own)| *own);
        let first = found.next()?;
        found.all(|other| other == first).then_some(first)
    }

    /// Where in the user's file the same text stands, if it does: its line is the same, or all is the same from an anchor on this side of
    /// it or on the other one.
    pub fn same(&self, range: Range) -> Option<(usize, usize)> {
        let (from, to) = (range.start as usize, range.end as usize);
        let row = self.file.row();
        if let (Some(start), Some(last)) = (self.exact(from), to.checked_sub(1).and_then(|last| self.exact(last)))
            && self.parsed.get(from..to) == row.get(start..=last)
        {
            return Some((start, last + 1));
        }
        let next = self.anchors.partition_point(|&(here, _)| here < to);
        let before = self.anchors[..next].iter().rev().find(|(here, _)| *here <= from);
        let from_before = before.and_then(|&(here, own)| {
            let end = own + (to - here);
            (self.parsed.get(here..to)? == row.get(own..end)?).then_some((own + (from - here), end))
        });
        let from_behind = self.anchors.get(next).and_then(|&(here, own)| {
            let start = own.checked_sub(here - from)?;
            (self.parsed.get(from..here)? == row.get(start..own)?).then_some((start, start + (to - from)))
        });
        from_before.or(from_behind)
    }

    /// Where in the user's file the operation stands that a call is, if its order is in its name.
    pub fn operation(&self, call: Range) -> Option<usize> {
        let from = call.start as usize;
        let at = self.operations.partition_point(|&(here, _)| here <= from).checked_sub(1)?;
        let (here, own) = self.operations[at];
        self.is_blank(here, from).then_some(own)
    }

    /// Whether there is nothing between two places but line markers.
    fn is_blank(&self, from: usize, to: usize) -> bool {
        let between = self.parsed.get(from..to);
        between.is_some_and(|text| text.lines().all(|l| l.trim().is_empty() || l.trim_start().starts_with('#')))
    }

    /// Where in the user's file a statement begins that begins here in the original text, right behind an anchor.
    fn anchored_start(&self, offset: usize) -> Option<usize> {
        let at = self.anchors.partition_point(|&(here, _)| here <= offset).checked_sub(1)?;
        let (here, own) = self.anchors[at];
        if !self.is_blank(here, offset) {
            return None;
        }
        let file = self.file.file_at(Span::new(own, own).start);
        let mut rest = file.text.get(own - file.start as usize..)?;
        loop {
            rest = rest.trim_start();
            rest = if rest.starts_with("//") {
                rest.split_once('\n')?.1
            } else if rest.starts_with("/*") {
                rest.split_once("*/")?.1
            } else {
                break;
            };
        }
        // Behind a directive there may be text that does not count.
        (!rest.starts_with('#')).then(|| file.start as usize + file.text.len() - rest.len())
    }

    /// The place in the user's file behind the last byte, here in the original text, of a statement.
    fn end(&self, last: usize) -> Option<usize> {
        let found = self.anchors.binary_search_by_key(&(last + 1), |&(here, _)| here).ok();
        found.map(|at| self.anchors[at].1).or_else(|| self.exact(last).map(|at| at + 1))
    }

    /// The byte of the user's file that stands for one of the text, where the lines agree but for a comment.
    fn exact(&self, offset: usize) -> Option<usize> {
        if self.lines.is_empty() {
            return Some(self.base + offset);
        }
        let line = self.line(offset)?;
        Some(line.same? + (offset - line.start))
    }

    fn line(&self, offset: usize) -> Option<&Line> {
        let at = self.lines.partition_point(|line| line.start <= offset).saturating_sub(1);
        self.lines.get(at)
    }

    /// The place of one byte of the preprocessor's output: a byte, or a whole line where the two do not agree.
    fn line_place(&self, offset: usize) -> (Span, Option<String>) {
        let Some(line) = self.line(offset) else { return (Span::default(), None) };
        if line.whole
            && let Some(same) = line.same
        {
            let column = same + (offset - line.start);
            return (Span::new(column, column + 1), None);
        }
        let header = line.header.as_ref().map(|(name, line)| format!("{name}:{line}"));
        (Span::new(line.own.0, line.own.1), header)
    }
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i + 1)).collect()
}

/// What a line marker says: the line number that follows, and the file if it is named.
fn marker(line: &str) -> Option<(usize, Option<&str>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok()?;
    let rest = rest[digits..].trim_start();
    let name = rest.strip_prefix('"').and_then(|rest| rest.split('"').next());
    Some((number, name))
}

/// The files that a preprocessor's output names, each once. Those of the system are left out: a marker says of which these are.
pub fn named_files(text: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for line in text.lines().filter(|line| line.starts_with('#')) {
        let Some((_, Some(name))) = marker(line) else { continue };
        let flags = line.rsplit('"').next().unwrap_or_default();
        let system = flags.split_whitespace().any(|flag| flag == "3");
        if !system && !name.starts_with('<') && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A preprocessed text with what its line markers say about its places.
pub(crate) fn with_markers(file: &SourceFile) -> SourceFile {
    let mut markers: Vec<Marker> = Vec::new();
    let mut name = None;
    let mut offset = 0;
    for line in file.text().split_inclusive('\n') {
        offset += line.len();
        let Some((number, named)) = marker(line).filter(|_| line.starts_with('#')) else { continue };
        name = named.map(Into::into).or(name);
        let Some(name) = &name else { continue };
        markers.push(Marker { offset, name: std::sync::Arc::clone(name), line: number as u32 });
    }
    file.with_markers(markers)
}

/// Where each line of a preprocessor's output comes from; `main` is the file that it was given.
fn markers(text: &str, files: &SourceFile, main: File<'_>) -> Vec<Line> {
    let by_name: FxHashMap<&str, File<'_>> = files.files().map(|file| (file.name, file)).collect();
    let mut starts: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    let mut lines = Vec::new();
    // The file of the current line; none before the first marker.
    let mut current: Option<Rc<str>> = None;
    let mut first: Option<Rc<str>> = None;
    let mut included_at = (main, 1);
    let mut number = 1;
    let mut start = 0;
    for line in text.split_inclusive('\n').chain(text.ends_with('\n').then_some("")) {
        let own = match &current {
            None => Some(main),
            name if *name == first => Some(main),
            Some(name) => by_name.get(&**name).copied(),
        };
        let (file, at) = own.map_or(included_at, |file| (file, number));
        let header = if own.is_some() { None } else { current.clone().map(|name| (name, number)) };
        let own_starts = starts.entry(file.start).or_insert_with(|| line_starts(file.text));
        lines.push(Line::new(start, line, header, at, file, own_starts));
        start += line.len();
        if let Some((next, name)) = marker(line) {
            if let Some(name) = name {
                let name: Rc<str> = name.into();
                first.get_or_insert_with(|| name.clone());
                included_at = (file, at);
                current = Some(name);
            }
            number = next;
        } else {
            number += 1;
        }
    }
    lines
}

impl Line {
    /// The line of the output at `start`, which stands for line `number` of a user's file.
    fn new(
        start: usize,
        output: &str,
        header: Option<(Rc<str>, usize)>,
        number: usize,
        file: File<'_>,
        own_starts: &[usize],
    ) -> Line {
        let (own, base) = (file.text, file.start as usize);
        let at = number.saturating_sub(1);
        let from = own_starts.get(at).map_or(own.len(), |&from| from);
        let to = own_starts.get(at + 1).map_or(own.len(), |&next| next);
        let users = own[from..to].trim_end();
        let blank = users.len() - users.trim_start().len();
        let output = output.trim_end();
        let rest = users.strip_prefix(output).filter(|_| header.is_none() && number > 0).map(str::trim_start);
        let same = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("//") || rest.starts_with("/*"));
        let whole = header.is_none() && output == users;
        let own = (base + from + blank, base + from + users.len());
        Line { start, header, own, same: same.then_some(base + from), whole }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(at: usize, length: usize) -> Range {
        Range { start: at as u32, end: (at + length) as u32 }
    }

    #[test]
    fn places_lead_back_to_the_users_file() {
        let file = SourceFile::new("t.c", "#include \"h.h\"\nint x; /* c */ int y;\n  int z = MACRO;\n");
        let output = "# 0 \"t.c\"\n# 1 \"t.c\"\n# 1 \"h.h\" 1\nint inner;\n# 2 \"t.c\" 2\nint x; /* c */ int y;\n  int z = 12;\n";
        let text = Text::new(&file, "t.c", Some(output));
        let find = |what: &str| {
            let at = text.parsed.find(what).expect("there");
            text.place(range(at, what.len()))
        };
        assert_eq!(file.slice(find("y;").span), "y;");
        assert_eq!(file.slice(find("x;").span), "x;");
        assert_eq!(file.slice(find("z = 12").span), "int z = MACRO;");
        let inner = find("inner");
        assert_eq!(file.slice(inner.span), "#include \"h.h\"");
        assert_eq!(inner.header.as_deref(), Some("h.h:1"));
    }

    #[test]
    fn statements_are_found_beside_macros() {
        let own = "  x = 1; // c\n  CHECK(x);\n  x = ONE; y = 2; BOTH\n  if (x) CHECK(y);\n";
        let file = SourceFile::new("t.c", own);
        // What a preprocessor would make of it.
        let output =
            with_anchors(own, 0).replace("CHECK", "check").replace("ONE", "12").replace("BOTH", "b = 1; c = 2;");
        let output = format!("# 1 \"t.c\"\n{}", output.replace(" // c", ""));
        let text = Text::new(&file, "t.c", Some(&output));
        assert!(text.parsed.contains("x = 12; y = 2; b = 1; c = 2;\n"), "{}", text.parsed);
        let find = |what: &str| {
            let at = text.parsed.find(what).expect("there");
            text.statement(range(at, what.len())).map(|span| file.slice(span))
        };
        assert_eq!(find("x = 1;"), Some("x = 1;"));
        assert_eq!(find("check(x);"), Some("CHECK(x);"));
        assert_eq!(find("x = 12;"), Some("x = ONE;"));
        assert_eq!(find("y = 2;"), Some("y = 2;"));
        assert_eq!(find("b = 1;"), None, "it is in a macro");
        assert_eq!(find("c = 2;"), None, "it is in a macro");
        assert_eq!(find("check(y);"), Some("CHECK(y);"));
        assert_eq!(find("if (x) check(y);"), None, "where it begins nobody knows: a macro is before it");
        assert_eq!(find("x = 1"), None, "this is no statement");
    }

    #[test]
    fn what_is_included_has_places_of_its_own() {
        let file = SourceFile::new("t.c", "#include \"h.h\"\nint x;\n")
            .with_files([("h.h".to_owned(), "#include <sys.h>\nint inner; // c\n  TWICE\n".to_owned())]);
        let output = "# 0 \"t.c\"\n# 1 \"t.c\"\n# 1 \"h.h\" 1\n# 1 \"/s/sys.h\" 1 3\nint far;\n# 2 \"h.h\" 2\nint inner;\n  int a; int b;\n\
                      # 2 \"t.c\" 2\nint x;\n";
        let text = Text::new(&file, "t.c", Some(output));
        let find = |what: &str| {
            let at = text.parsed.find(what).expect("there");
            text.place(range(at, what.len()))
        };
        assert_eq!((file.slice(find("x;").span), file.mark(find("x;").span)), ("x;", "2".to_owned()));
        assert_eq!(file.mark(find("inner").span), "h.h:2");
        assert_eq!((file.slice(find("int b;").span), file.mark(find("int b;").span)), ("TWICE", "h.h:3".to_owned()));
        let far = find("far");
        assert_eq!((file.slice(far.span), far.header.as_deref()), ("#include <sys.h>", Some("/s/sys.h:1")));
        let at = text.parsed.find("int inner;").expect("there");
        assert_eq!(text.statement(range(at, 10)).map(|span| file.slice(span)), Some("int inner;"));
        assert_eq!(named_files(output), ["t.c", "h.h"]);
    }
}
