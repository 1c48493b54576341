//! The frame of a test: where the head, the initial state, the program and the condition stand.

use crate::lex::skip_comment;
use source::{Diagnostic, SourceFile, Span};
use std::ops::Range;

/// The parts of a test, not yet read.
#[derive(Debug)]
pub(crate) struct Frame<'s> {
    pub arch: &'s str,
    pub name: &'s str,
    pub doc: Option<&'s str>,
    pub info: Vec<(&'s str, &'s str)>,
    pub init: Range<usize>,
    pub program: Range<usize>,
    pub condition: Range<usize>,
}

/// The architectures that this front end reads.
pub(crate) const ARCHITECTURES: &[&str] = &["X86", "PPC", "AArch64", "RISCV", "C"];

/// The architecture that a test says it is for, if this front end does not read it.
pub(crate) fn unknown_architecture(file: &SourceFile) -> Option<&str> {
    let mut scan = Scan { file, text: file.text(), at: 0 };
    scan.blanks_and_comments().ok()?;
    let arch = file.slice(scan.architecture());
    (!arch.is_empty() && !ARCHITECTURES.contains(&arch)).then_some(arch)
}

/// Finds the parts of a test.
pub(crate) fn split(file: &SourceFile) -> Result<Frame<'_>, Diagnostic> {
    let mut scan = Scan { file, text: file.text(), at: 0 };
    scan.blanks_and_comments()?;
    if scan.at == scan.text.len() {
        return Err(Diagnostic::error(file, Span::new(0, 0), "the file is empty")
            .help("a litmus test begins with an architecture and a name, such as `X86 SB`"));
    }
    let arch_span = scan.architecture();
    let arch = file.slice(arch_span);
    if arch.is_empty() {
        return Err(crate::lex::bad_character(file, scan.at)
            .help("a litmus test begins with an architecture and a name, such as `X86 SB`"));
    }
    if !ARCHITECTURES.contains(&arch) {
        let known = ARCHITECTURES.join(", ");
        return Err(Diagnostic::error(file, arch_span, format!("unknown architecture `{arch}`"))
            .help(format!("known architectures are {known}")));
    }
    scan.while_in(|b| b == b' ' || b == b'\t');
    let name_span = scan.while_in(|b| !b.is_ascii_whitespace() && !matches!(b, b'"' | b'{' | b'(' | b';'));
    if name_span.start == name_span.end {
        return Err(Diagnostic::error(file, arch_span, "the test has no name")
            .help(format!("write a name after the architecture: `{arch} SB`")));
    }
    let mut frame = Frame {
        arch,
        name: file.slice(name_span),
        doc: None,
        info: Vec::new(),
        init: 0..0,
        program: 0..0,
        condition: 0..0,
    };
    scan.head(&mut frame)?;
    let open = scan.at;
    scan.at += 1;
    let end = scan.closing_brace(open)?;
    frame.init = open + 1..end;
    scan.at = end + 1;
    let start = scan.at;
    let condition = if arch == "C" { scan.condition_after_c()? } else { scan.condition_after_columns()? };
    frame.program = start..condition;
    frame.condition = condition..scan.text.trim_end().len().max(condition);
    Ok(frame)
}

struct Scan<'s> {
    file: &'s SourceFile,
    text: &'s str,
    at: usize,
}

impl<'s> Scan<'s> {
    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn starts_with(&self, prefix: &str) -> bool {
        self.text.as_bytes()[self.at..].starts_with(prefix.as_bytes())
    }

    fn while_in(&mut self, accept: impl Fn(u8) -> bool) -> Span {
        let start = self.at;
        while self.at < self.text.len() && accept(self.byte(self.at)) {
            self.at += 1;
        }
        Span::new(start, self.at)
    }

    fn architecture(&mut self) -> Span {
        self.while_in(|b| b.is_ascii_alphanumeric() || b == b'_')
    }

    fn comment(&mut self) -> Result<(), Diagnostic> {
        self.at = skip_comment(self.file, self.at, self.text.len())?;
        Ok(())
    }

    fn blanks_and_comments(&mut self) -> Result<(), Diagnostic> {
        loop {
            self.while_in(|b| b.is_ascii_whitespace());
            if !self.starts_with("(*") {
                return Ok(());
            }
            self.comment()?;
        }
    }

    /// The doc string and the `Key=Value` lines, up to the `{` of the initial state.
    fn head(&mut self, frame: &mut Frame<'s>) -> Result<(), Diagnostic> {
        while self.at < self.text.len() {
            match self.byte(self.at) {
                b'{' => return Ok(()),
                b'(' if self.starts_with("(*") => self.comment()?,
                b'"' => {
                    let start = self.at + 1;
                    let Some(length) = self.text.as_bytes()[start..].iter().position(|&b| b == b'"') else {
                        return Err(Diagnostic::error(self.file, Span::new(self.at, start), "unterminated string"));
                    };
                    if frame.doc.is_none() {
                        frame.doc = self.text.get(start..start + length);
                    }
                    self.at = start + length + 1;
                }
                byte if byte.is_ascii_whitespace() => self.at += 1,
                _ => self.line(frame),
            }
        }
        let end = self.text.trim_end().len();
        Err(Diagnostic::error(self.file, Span::new(end, end), "the initial state is missing")
            .help("write `{ }` before the program, with initial values if any differ from 0"))
    }

    /// A `Key=Value` line, or a line that says nothing.
    fn line(&mut self, frame: &mut Frame<'s>) {
        let key = self.while_in(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'/' | b'.' | b'-'));
        self.while_in(|b| b == b' ' || b == b'\t');
        if key.start < key.end && self.byte(self.at) == b'=' {
            self.at += 1;
            let value = self.while_in(|b| b != b'\n');
            frame.info.push((self.file.slice(key), self.file.slice(value).trim()));
        } else {
            self.while_in(|b| b != b'\n' && b != b'{');
        }
    }

    fn closing_brace(&self, open: usize) -> Result<usize, Diagnostic> {
        let mut depth = 0usize;
        let mut at = open + 1;
        while at < self.text.len() {
            match self.byte(at) {
                b'(' if self.byte(at + 1) == b'*' => {
                    at = skip_comment(self.file, at, self.text.len())?;
                    continue;
                }
                b'{' => depth += 1,
                b'}' if depth == 0 => return Ok(at),
                b'}' => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        Err(Diagnostic::error(self.file, Span::new(open, open + 1), "the initial state does not end")
            .help("end it with `}`"))
    }

    /// Where the condition begins after a program in columns.
    fn condition_after_columns(&mut self) -> Result<usize, Diagnostic> {
        let mut before = None;
        while self.at < self.text.len() {
            match self.byte(self.at) {
                b'(' if self.starts_with("(*") => self.comment()?,
                byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                    if let Some(start) = self.keyword(&mut before) {
                        return Ok(start);
                    }
                }
                b'~' => {
                    before = Some(self.at);
                    self.at += 1;
                }
                byte => {
                    if !byte.is_ascii_whitespace() {
                        before = None;
                    }
                    self.at += 1;
                }
            }
        }
        Err(self.no_condition())
    }

    /// Where the condition begins after functions in C, where `(*` is no comment.
    fn condition_after_c(&mut self) -> Result<usize, Diagnostic> {
        let mut before = None;
        let mut depth = 0usize;
        let mut open = self.at;
        while self.at < self.text.len() {
            let byte = self.byte(self.at);
            if self.starts_with("/*") {
                self.at = crate::c::skip_comment(self.file, self.at, self.text.len())?;
                continue;
            }
            if self.starts_with("//") {
                self.while_in(|b| b != b'\n');
                continue;
            }
            if byte.is_ascii_alphabetic() || byte == b'_' {
                let start = self.keyword(&mut before);
                if let (Some(start), 0) = (start, depth) {
                    return Ok(start);
                }
                continue;
            }
            match byte {
                b'{' => {
                    if depth == 0 {
                        open = self.at;
                    }
                    depth += 1;
                }
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if !byte.is_ascii_whitespace() {
                before = (byte == b'~').then_some(self.at);
            }
            self.at += 1;
        }
        if depth > 0 {
            let span = Span::new(open, open + 1);
            return Err(Diagnostic::error(self.file, span, "this function does not end").help("end it with `}`"));
        }
        Err(self.no_condition())
    }

    /// Takes a word; if it opens the condition, the place where the condition begins. `before` is the place of a `~` or
    /// `not` right before.
    fn keyword(&mut self, before: &mut Option<usize>) -> Option<usize> {
        let start = self.at;
        let word = self.while_in(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'));
        let negation = before.take();
        match self.file.slice(word) {
            "exists" => Some(negation.unwrap_or(start)),
            "forall" | "locations" | "filter" | "final" | "observed" => Some(start),
            "not" => {
                *before = Some(start);
                None
            }
            _ => None,
        }
    }

    fn no_condition(&self) -> Diagnostic {
        let end = self.text.trim_end().len();
        Diagnostic::error(self.file, Span::new(end, end), "the test has no condition")
            .help("end it with `exists (...)`, `~exists (...)` or `forall (...)`")
    }
}
