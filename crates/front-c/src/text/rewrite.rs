//! Blanks and replaces what the parser cannot digest.

use super::marker;
use rustc_hash::FxHashMap;

/// Declarations that the parser needs before any text: words that compilers know without declaration.
const PRELUDE: &str = "typedef int __auto_type; typedef _Complex __int128_t; typedef _Complex __uint128_t;\n";

/// Stands for the missing middle of `a ?: b`.
pub(crate) const SAME: &str = " __fencepost_same ";

/// Words that may begin a declaration and be followed by a parenthesis, and are no name of a function.
const TYPE_WORDS: &[&str] =
    &["typeof", "__typeof", "__typeof__", "_Static_assert", "_Atomic", "_Alignas", "asm", "__asm", "__asm__"];

/// Words that begin a declaration and nothing else.
const DECLARATION_WORDS: &[&str] = &[
    "void",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "signed",
    "unsigned",
    "_Bool",
    "struct",
    "union",
    "enum",
    "static",
    "const",
    "volatile",
    "register",
    "_Atomic",
    "__auto_type",
];

/// Brackets may be nested this deep.
const MAX_BRACKETS: usize = 400;
/// So many tokens may be open at once: each can be a level of the syntax tree.
const MAX_OPEN: usize = 12_000;
/// An `if` may have so many `else`s in a row.
const MAX_ELSE: usize = 4_000;

/// Why the text cannot be prepared.
pub(super) struct Stop {
    pub at: usize,
    pub message: String,
    pub help: &'static str,
}

/// Copies a text and changes what the parser cannot digest.
pub(super) struct Rewriter<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    pub out: String,
    pub segments: Vec<(usize, usize)>,
    /// For each open bracket, how many tokens since the last one that ends a construct.
    open: Vec<usize>,
    total: usize,
    elses: Vec<usize>,
    replaced: FxHashMap<&'static str, &'static str>,
    last: Last,
    in_function: bool,
    /// Whether an initialiser outside functions is being read.
    initializes: bool,
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
    pub fn new(text: &'t str) -> Self {
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
            initializes: false,
        }
    }

    pub fn run(&mut self) -> Result<(), Stop> {
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
                    let unclosed =
                        Stop { at: self.at, message: "this comment does not end".to_owned(), help: "add */" };
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
        let has = |name: &&str| {
            text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|w| w.trim_matches('_') == *name)
        };
        if matters.iter().any(has) {
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

    /// Whether a declaration follows a label, which C allows only since 2023.
    fn next_begins_declaration(&self) -> bool {
        let rest = self.text[self.at..].trim_start();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        DECLARATION_WORDS.contains(&&rest[..end])
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
        let body = byte == b'{' && outside && self.last == Last::Parameters && !self.initializes;
        if outside && matches!(byte, b'=' | b';') {
            self.initializes = byte == b'=';
        }
        let width = self.text[self.at..].chars().next().map_or(1, char::len_utf8);
        self.keep(width);
        self.last = Last::Other;
        match byte {
            b'?' if self.next_is(b':') => self.insert(SAME),
            b':' if self.next_is(b'}') || self.next_begins_declaration() => self.insert(";"),
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

/// Whether parameters and a body, or the types of the parameters, follow the first word of a declaration: then `int` is missing before it.
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
    let next = rest.find(|b| !b.is_ascii_whitespace());
    next.is_some_and(|b| *b == b'{' || b.is_ascii_alphabetic())
}
