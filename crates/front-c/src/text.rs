//! Text that the parser can digest, and the way back from its places to the user's.
//!
//! Comments, line markers and attributes without meaning are blanked; words that the parser does not know are replaced.
//! A table of segments leads from a place in the new text back to the old one, and the line markers lead from there to
//! the user's file.

use rustc_hash::FxHashMap;
use source::{Diagnostic, SourceFile, Span};

/// Declarations that the parser needs before any text: words that compilers know without declaration.
const PRELUDE: &str = "typedef int __auto_type; typedef _Complex __int128_t; typedef _Complex __uint128_t;\n";

/// Stands for the missing middle of `a ?: b`.
pub(crate) const SAME: &str = " __fencepost_same ";

/// Words that may begin a declaration and be followed by a parenthesis, and are no name of a function.
const TYPE_WORDS: &[&str] =
    &["typeof", "__typeof", "__typeof__", "_Static_assert", "_Atomic", "_Alignas", "asm", "__asm", "__asm__"];

/// Brackets may be nested this deep.
const MAX_BRACKETS: usize = 400;
/// So many tokens may be open at once: each can be a level of the syntax tree.
const MAX_OPEN: usize = 12_000;
/// An `if` may have so many `else`s in a row.
const MAX_ELSE: usize = 4_000;

/// A text for the parser, and where its parts come from.
#[derive(Debug)]
pub(crate) struct Text {
    /// What the parser reads.
    pub parsed: String,
    /// Pairs of places, in the parser's text and in the original one: from there on both run in step.
    segments: Vec<(usize, usize)>,
    /// The lines of the preprocessor's output; none if the original text is the user's own.
    lines: Vec<Line>,
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
        let original = preprocessed.unwrap_or(file.text());
        let file_lines = line_starts(file.text());
        let mut text = Text {
            parsed: String::new(),
            segments: Vec::new(),
            lines: Vec::new(),
            original: original.to_owned(),
            file: file.clone(),
            file_lines,
        };
        if preprocessed.is_some() {
            text.lines = markers(original);
        }
        let mut rewriter = Rewriter::new(original);
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

/// Why the text cannot be prepared.
struct Stop {
    at: usize,
    message: String,
    help: &'static str,
}

struct Rewriter<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    out: String,
    segments: Vec<(usize, usize)>,
    /// For each open bracket, how many tokens since the last one that ends a construct.
    open: Vec<usize>,
    total: usize,
    elses: Vec<usize>,
    replaced: FxHashMap<&'static str, &'static str>,
    last: Last,
    in_function: bool,
}

/// What the last token was, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    /// The beginning of the text, or the end of a declaration outside functions.
    End,
    /// A closing parenthesis outside functions: a body may follow.
    Parameters,
    Other,
}

impl<'t> Rewriter<'t> {
    fn new(text: &'t str) -> Self {
        let mut out = String::with_capacity(text.len() + PRELUDE.len() + 16);
        out.push_str(PRELUDE);
        let segments = vec![(0, 0), (out.len(), 0)];
        let replaced = [
            ("__thread", "_Thread_local"),
            ("__float128", "double"),
            ("__int128", "_Complex"),
            ("__extension__", ""),
            ("_Noreturn", ""),
            ("restrict", ""),
            ("__restrict", ""),
            ("__restrict__", ""),
            ("__inline", "inline"),
            ("__inline__", "inline"),
            ("__forceinline", "inline"),
            ("__const__", "const"),
            ("__builtin_alloca", "alloca"),
        ];
        Rewriter {
            text,
            bytes: text.as_bytes(),
            at: 0,
            out,
            segments,
            open: vec![0],
            total: 0,
            elses: vec![0],
            replaced: replaced.into_iter().collect(),
            last: Last::End,
            in_function: false,
        }
    }

    fn run(&mut self) -> Result<(), Stop> {
        let mut line_begins = true;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => {
                    line_begins = true;
                    self.keep(1);
                    continue;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                    self.keep(1);
                    continue;
                }
                b'#' if line_begins => self.directive()?,
                b'/' if self.bytes.get(self.at + 1) == Some(&b'/') => {
                    let end = self.find("\n").unwrap_or(self.text.len());
                    self.blank(end);
                    continue;
                }
                b'/' if self.bytes.get(self.at + 1) == Some(&b'*') => {
                    let end = self.text[self.at + 2..].find("*/").map(|n| self.at + n + 4);
                    let unclosed = Stop { at: self.at, message: "this comment does not end".to_owned(), help: "add */" };
                    self.blank(end.ok_or(unclosed)?);
                    continue;
                }
                b'"' | b'\'' => self.literal(byte),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => self.word()?,
                b'0'..=b'9' => {
                    let end = self.word_end();
                    self.keep(end - self.at);
                    self.token()?;
                }
                b'\\' if self.bytes.get(self.at + 1) == Some(&b'\n') => self.blank(self.at + 2),
                _ => self.punctuation(byte)?,
            }
            line_begins = false;
        }
        Ok(())
    }

    fn find(&self, what: &str) -> Option<usize> {
        self.text[self.at..].find(what).map(|n| self.at + n)
    }

    /// Copies so many bytes.
    fn keep(&mut self, bytes: usize) {
        let end = (self.at + bytes).min(self.text.len());
        self.out.push_str(&self.text[self.at..end]);
        self.at = end;
    }

    /// Writes blanks for what stands before `end`; lines stay lines.
    fn blank(&mut self, end: usize) {
        let end = end.min(self.text.len());
        for &byte in &self.bytes[self.at..end] {
            self.out.push(if byte == b'\n' { '\n' } else { ' ' });
        }
        self.at = end;
    }

    fn directive(&mut self) -> Result<(), Stop> {
        let end = self.find("\n").unwrap_or(self.text.len());
        let line = &self.text[self.at..end];
        let name = line[1..].trim_start();
        let harmless = name.is_empty() || name.starts_with("pragma") || name.starts_with("ident");
        if !harmless && marker(line).is_none() {
            return Err(Stop {
                at: self.at,
                message: format!("`{}` has not been preprocessed", line.trim_end()),
                help: "give the file a name that ends in .c, so that the C preprocessor runs first",
            });
        }
        self.blank(end);
        Ok(())
    }

    /// Copies a string or a character.
    fn literal(&mut self, quote: u8) {
        let mut end = self.at + 1;
        while let Some(&byte) = self.bytes.get(end) {
            match byte {
                b'\\' => end += 2,
                b'\n' => break,
                _ if byte == quote => {
                    end += 1;
                    break;
                }
                _ => end += 1,
            }
        }
        let mut end = end.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        self.keep(end - self.at);
    }

    fn word_end(&self) -> usize {
        let rest = &self.bytes[self.at..];
        let of_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.');
        let number = rest.first().is_some_and(u8::is_ascii_digit);
        self.at + rest.iter().take_while(|b| of_word(b) && (number || **b != b'.')).count()
    }

    fn word(&mut self) -> Result<(), Stop> {
        let end = self.word_end();
        let word = &self.text[self.at..end];
        if matches!(word, "__attribute__" | "__attribute") {
            return self.attribute(end);
        }
        if word == "__label__" {
            let end = self.find(";").map_or(self.text.len(), |n| n + 1);
            self.blank(end);
            return Ok(());
        }
        if self.last == Last::End && !TYPE_WORDS.contains(&word) && defines_function(&self.bytes[end..]) {
            self.insert("int ");
        }
        if word == "else" {
            let elses = self.elses.last_mut();
            let count = elses.map_or(0, |n| {
                *n += 1;
                *n
            });
            if count > MAX_ELSE {
                return Err(self.too_deep());
            }
        }
        match self.replaced.get(word) {
            Some(new) => {
                self.segments.push((self.out.len(), self.at));
                self.out.push_str(new);
                for _ in new.len()..word.len() {
                    self.out.push(' ');
                }
                self.at = end;
                self.segments.push((self.out.len(), self.at));
            }
            None if word.contains('$') => {
                self.out.push_str(&word.replace('$', "_"));
                self.at = end;
            }
            None => self.keep(end - self.at),
        }
        self.token()
    }

    /// Blanks an attribute, unless it changes what the program means.
    fn attribute(&mut self, word_end: usize) -> Result<(), Stop> {
        let (mut end, mut depth) = (word_end, 0usize);
        while let Some(&byte) = self.bytes.get(end) {
            end += 1;
            match byte {
                b'(' => depth += 1,
                b')' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break;
                    }
                }
                b'"' => {
                    end += self.bytes[end..].iter().take_while(|&&b| b != b'"' && b != b'\n').count() + 1;
                }
                b if depth == 0 && !b.is_ascii_whitespace() => {
                    end -= 1;
                    break;
                }
                _ => {}
            }
        }
        let mut end = end.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        let matters = ["mode", "vector_size", "cleanup", "constructor", "destructor"];
        let text = &self.text[self.at..end];
        let has = |name: &&str| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|w| w.trim_matches('_') == *name);
        if matters.iter().any(|name| has(name)) {
            self.keep(end - self.at);
        } else {
            self.blank(end);
        }
        self.count()
    }

    /// Adds a word that the original text does not have.
    fn insert(&mut self, text: &str) {
        self.segments.push((self.out.len(), self.at));
        self.out.push_str(text);
        self.segments.push((self.out.len(), self.at));
    }

    fn next_is(&self, byte: u8) -> bool {
        self.bytes[self.at..].iter().find(|b| !b.is_ascii_whitespace()) == Some(&byte)
    }

    fn punctuation(&mut self, byte: u8) -> Result<(), Stop> {
        let outside = self.open.len() == 1;
        if byte == b';' && outside && self.last == Last::End {
            self.blank(self.at + 1);
            return Ok(());
        }
        let body = byte == b'{' && outside && self.last == Last::Parameters;
        let width = self.text[self.at..].chars().next().map_or(1, char::len_utf8);
        self.keep(width);
        self.last = Last::Other;
        match byte {
            b'?' if self.next_is(b':') => self.insert(SAME),
            b':' if self.next_is(b'}') => self.insert(";"),
            b'(' | b'[' | b'{' => {
                self.open.push(0);
                self.elses.push(0);
                self.in_function |= body;
                if self.open.len() > MAX_BRACKETS {
                    return Err(self.too_deep());
                }
            }
            b')' | b']' | b'}' => {
                if self.open.len() > 1 {
                    self.total -= self.open.pop().unwrap_or(0);
                    self.elses.pop();
                }
                if byte == b'}' {
                    self.reset();
                }
                if self.open.len() == 1 {
                    self.last = match byte {
                        b')' => Last::Parameters,
                        b'}' if self.in_function => Last::End,
                        _ => Last::Other,
                    };
                    self.in_function = false;
                }
            }
            b';' | b',' => {
                self.reset();
                if byte == b';' && outside {
                    self.last = Last::End;
                }
            }
            _ => {}
        }
        self.count()
    }

    fn reset(&mut self) {
        if let Some(open) = self.open.last_mut() {
            self.total -= *open;
            *open = 0;
        }
    }

    fn token(&mut self) -> Result<(), Stop> {
        self.last = Last::Other;
        self.count()
    }

    fn count(&mut self) -> Result<(), Stop> {
        self.total += 1;
        if let Some(open) = self.open.last_mut() {
            *open += 1;
        }
        if self.total > MAX_OPEN { Err(self.too_deep()) } else { Ok(()) }
    }

    fn too_deep(&self) -> Stop {
        Stop {
            at: self.at.saturating_sub(1),
            message: "the text is nested too deeply here".to_owned(),
            help: "split it into several statements or functions",
        }
    }
}

/// Whether parameters and a body follow the first word of a declaration: then `int` is missing before it.
fn defines_function(rest: &[u8]) -> bool {
    let mut rest = rest.iter().skip_while(|b| b.is_ascii_whitespace()).peekable();
    if rest.peek() != Some(&&b'(') {
        return false;
    }
    let mut depth = 0usize;
    for byte in rest.by_ref() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => break,
            b')' => depth -= 1,
            _ => {}
        }
    }
    rest.find(|b| !b.is_ascii_whitespace()) == Some(&b'{')
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
