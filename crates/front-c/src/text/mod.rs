//! Text that the parser can digest, and the way back from its places to the user's.
//!
//! Comments, line markers and attributes without meaning are blanked; words that the parser does not know are replaced.
//! A table of segments leads from a place in the new text back to the old one, and the line markers lead from there to
//! the user's file.

mod anchors;
mod rewrite;

pub use anchors::with_anchors;
pub(crate) use rewrite::SAME;

use rewrite::{Rewriter, Stop};
use source::{Diagnostic, SourceFile, Span};

/// A text for the parser, and where its parts come from.
#[derive(Debug)]
pub(crate) struct Text {
    /// What the parser reads.
    pub parsed: String,
    /// Pairs of places, in the parser's text and in the original one: from there on both run in step.
    segments: Vec<(usize, usize)>,
    /// The lines of the preprocessor's output; none if the original text is the user's own.
    lines: Vec<Line>,
    /// Pairs of places, in the original text and in the user's, that are known to be the same, in order.
    anchors: Vec<(usize, usize)>,
    original: String,
    file: SourceFile,
    file_lines: Vec<usize>,
}

/// A line of the preprocessor's output.
#[derive(Debug, Clone)]
struct Line {
    /// Where it begins.
    start: usize,
    /// The line of the user's file: its own, or that of the directive that included the header.
    line: usize,
    /// The header and the line in it, for a line that is not the user's own.
    header: Option<(String, usize)>,
}

/// A place in the user's file.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub span: Span,
    /// `name:line` if it is in a header.
    pub header: Option<String>,
}

impl Text {
    /// Prepares the user's file, or what a preprocessor made of it.
    pub fn new(file: &SourceFile, preprocessed: Option<&str>) -> Result<Text, Diagnostic> {
        let (original, anchors) = match preprocessed {
            Some(text) => anchors::take(text),
            None => (file.text().to_owned(), Vec::new()),
        };
        let file_lines = line_starts(file.text());
        let mut text = Text {
            parsed: String::new(),
            segments: Vec::new(),
            lines: Vec::new(),
            anchors,
            original: original.clone(),
            file: file.clone(),
            file_lines,
        };
        if preprocessed.is_some() {
            text.lines = markers(&original);
        }
        let mut rewriter = Rewriter::new(&original);
        let result = rewriter.run();
        text.parsed = rewriter.out;
        text.segments = rewriter.segments;
        match result {
            Ok(()) => Ok(text),
            Err(Stop { at, message, help }) => {
                let place = text.original_place(at, at + 1);
                Err(Diagnostic::error(file, place.span, message).help(help))
            }
        }
    }

    /// The user's place of a range of the parser's text.
    pub fn place(&self, start: usize, end: usize) -> Place {
        self.original_place(self.original_offset(start), self.original_offset(end))
    }

    /// The user's place of a statement, if it is in the user's file and both of its ends are outside of macros.
    pub fn statement(&self, start: usize, end: usize) -> Option<Span> {
        let last = end.checked_sub(1)?;
        if !matches!(self.parsed.as_bytes().get(last), Some(b';' | b'}')) {
            return None;
        }
        let (from, to) = (self.original_offset(start), self.original_offset(last));
        let (from, to) = (self.anchored_start(from).or_else(|| self.exact(from))?, self.end(to)?);
        let fits = from < to && matches!(self.file.text().as_bytes().get(to - 1), Some(b';' | b'}'));
        fits.then(|| Span::new(from, to))
    }

    /// Where in the user's file a statement begins that begins here in the original text, right behind an anchor.
    fn anchored_start(&self, offset: usize) -> Option<usize> {
        let at = self.anchors.partition_point(|&(here, _)| here <= offset).checked_sub(1)?;
        let (here, own) = self.anchors[at];
        let between = self.original.get(here..offset)?;
        let blank = between.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
        if !blank {
            return None;
        }
        let mut rest = self.file.text().get(own..)?;
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
        (!rest.starts_with('#')).then(|| self.file.text().len() - rest.len())
    }

    /// The place in the user's file behind the last byte, here in the original text, of a statement.
    fn end(&self, last: usize) -> Option<usize> {
        let found = self.anchors.binary_search_by_key(&(last + 1), |&(here, _)| here).ok();
        found.map(|at| self.anchors[at].1).or_else(|| self.exact(last).map(|at| at + 1))
    }

    /// The byte of the user's file that stands for one of the original text, where the lines agree but for a comment.
    fn exact(&self, offset: usize) -> Option<usize> {
        if self.lines.is_empty() {
            return Some(offset);
        }
        let at = self.lines.partition_point(|line| line.start <= offset).checked_sub(1)?;
        let line = self.lines.get(at).filter(|line| line.header.is_none())?;
        let next = self.lines.get(at + 1).map_or(self.original.len(), |next| next.start);
        let number = line.line.checked_sub(1)?;
        let start = *self.file_lines.get(number)?;
        let end = self.file_lines.get(number + 1).map_or(self.file.text().len(), |&next| next);
        let (output, own) = (self.original.get(line.start..next)?.trim_end(), self.file.text().get(start..end)?);
        let rest = own.trim_end().strip_prefix(output)?.trim_start();
        let same = rest.is_empty() || rest.starts_with("//") || rest.starts_with("/*");
        same.then(|| start + (offset - line.start))
    }

    fn original_offset(&self, offset: usize) -> usize {
        let next = self.segments.partition_point(|&(out, _)| out <= offset);
        let Some(&(out, from)) = next.checked_sub(1).and_then(|at| self.segments.get(at)) else { return 0 };
        let limit = self.segments.get(next).map_or(self.original.len(), |&(_, from)| from);
        (from + (offset - out)).min(limit)
    }

    fn original_place(&self, start: usize, end: usize) -> Place {
        if self.lines.is_empty() {
            return Place { span: Span::new(start, end.max(start)), header: None };
        }
        let (from, header) = self.line_place(start);
        let (to, _) = self.line_place(end.saturating_sub(1).max(start));
        let end = if to.end - to.start == 1 && to.start >= from.start { to.end } else { to.end.max(from.end) };
        let span = if header.is_some() { from } else { Span { start: from.start, end: end.max(from.start) } };
        Place { span, header }
    }

    /// The place of one byte of the preprocessor's output: a byte, or a whole line where the two do not agree.
    fn line_place(&self, offset: usize) -> (Span, Option<String>) {
        let at = self.lines.partition_point(|line| line.start <= offset).saturating_sub(1);
        let Some(line) = self.lines.get(at) else { return (Span::default(), None) };
        let text = self.file.text();
        let number = line.line.clamp(1, self.file_lines.len()) - 1;
        let start = self.file_lines[number];
        let end = self.file_lines.get(number + 1).map_or(text.len(), |&next| next);
        let own = text.get(start..end).unwrap_or("").trim_end();
        if line.header.is_none() {
            let output_end = self.lines.get(at + 1).map_or(self.original.len(), |next| next.start);
            let output = self.original.get(line.start..output_end).unwrap_or("").trim_end();
            if output == own {
                let column = start + (offset - line.start);
                return (Span::new(column, column + 1), None);
            }
        }
        let blank = own.len() - own.trim_start().len();
        let header = line.header.as_ref().map(|(name, line)| format!("{name}:{line}"));
        (Span::new(start + blank, start + own.len()), header)
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

/// Where each line of a preprocessor's output comes from.
fn markers(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut main: Option<String> = None;
    let mut current: Option<String> = None;
    let (mut number, mut included_at) = (1, 1);
    let starts = line_starts(text);
    for (at, &start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).map_or(text.len(), |&next| next);
        let line = &text[start..end];
        let inside = main != current;
        let header = if inside { current.clone().map(|name| (name, number)) } else { None };
        lines.push(Line { start, line: if inside { included_at } else { number }, header });
        if let Some((next, name)) = marker(line) {
            if let Some(name) = name {
                if main.is_none() {
                    main = Some(name.to_owned());
                } else if !inside {
                    included_at = number;
                }
                current = Some(name.to_owned());
            }
            number = next;
        } else {
            number += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lead_back_to_the_users_file() {
        let file = SourceFile::new("t.c", "#include \"h.h\"\nint x; /* c */ int y;\n  int z = MACRO;\n");
        let output = "# 0 \"t.c\"\n# 1 \"t.c\"\n# 1 \"h.h\" 1\nint inner;\n# 2 \"t.c\" 2\nint x; /* c */ int y;\n  int z = 12;\n";
        let text = Text::new(&file, Some(output)).expect("prepared");
        let find = |what: &str| {
            let at = text.parsed.find(what).expect("there");
            text.place(at, at + what.len())
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
        let output = with_anchors(own).replace("CHECK", "check").replace("ONE", "12").replace("BOTH", "b = 1; c = 2;");
        let output = format!("# 1 \"t.c\"\n{}", output.replace(" // c", ""));
        let text = Text::new(&file, Some(&output)).expect("prepared");
        assert!(text.parsed.contains("x = 12; y = 2; b = 1; c = 2;\n"), "{}", text.parsed);
        let find = |what: &str| {
            let at = text.parsed.find(what).expect("there");
            text.statement(at, at + what.len()).map(|span| file.slice(span))
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
    fn replaced_words_keep_the_places_of_what_follows() {
        let file = SourceFile::new("t.i", "__thread int x; __attribute__((unused)) int a$b; // c\nint y;");
        let text = Text::new(&file, None).expect("prepared");
        assert!(text.parsed.contains("_Thread_local int x;"), "{}", text.parsed);
        assert!(!text.parsed.contains("unused"), "{}", text.parsed);
        for what in ["x", "y"] {
            let at = text.parsed.rfind(what).expect("there");
            assert_eq!(file.slice(text.place(at, at + 1).span), what);
        }
    }

    #[test]
    fn what_is_nested_too_deeply_is_refused() {
        for deep in ["(".repeat(5_000), "- ".repeat(50_000), "if(1) ".repeat(50_000)] {
            let file = SourceFile::new("t.i", deep);
            let error = Text::new(&file, None).expect_err("too deep");
            assert!(error.message().contains("nested too deeply"), "{error}");
        }
    }
}
