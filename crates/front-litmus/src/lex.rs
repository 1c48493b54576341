//! Words, numbers and signs of everything but C bodies: the initial state, columns of instructions, conditions.

use source::{Diagnostic, SourceFile, Span};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A word: letters, digits, `_` and `.`, not beginning with a digit.
    Name,
    /// A decimal or hexadecimal number without a sign.
    Number,
    /// A sign.
    Sym(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// The signs, longest first.
const SIGNS: &[&str] = &[
    "/\\", "\\/", "=>", "!=", "<>", "==", "[", "]", "(", ")", "{", "}", "=", ":", ";", ",", "|", "&", "*", "-", "+",
    "~", "$", "#", "!",
];

/// The tokens of `text[from..to]`, with an end token last.
pub(crate) fn tokens(file: &SourceFile, from: usize, to: usize) -> Result<Vec<Token>, Diagnostic> {
    let bytes = file.text().as_bytes();
    let mut out = Vec::with_capacity((to - from) / 3 + 1);
    let mut at = from;
    while at < to {
        let byte = bytes[at];
        let start = at;
        let kind = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'(' if at + 1 < to && bytes[at + 1] == b'*' => {
                at = skip_comment(file, at, to)?;
                continue;
            }
            b'0'..=b'9' => {
                while at < to && bytes[at].is_ascii_alphanumeric() {
                    at += 1;
                }
                Kind::Number
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' => {
                while at < to && (bytes[at].is_ascii_alphanumeric() || matches!(bytes[at], b'_' | b'.')) {
                    at += 1;
                }
                Kind::Name
            }
            _ => {
                let Some(sign) = SIGNS.iter().find(|sign| bytes[at..to].starts_with(sign.as_bytes())) else {
                    return Err(bad_character(file, at));
                };
                at += sign.len();
                Kind::Sym(sign)
            }
        };
        out.push(Token { kind, span: Span::new(start, at) });
    }
    out.push(Token { kind: Kind::End, span: Span::new(to, to) });
    Ok(out)
}

/// The complaint about a character that no token begins with.
pub(crate) fn bad_character(file: &SourceFile, at: usize) -> Diagnostic {
    let character = file.text().get(at..).and_then(|rest| rest.chars().next()).unwrap_or('?');
    let span = Span::new(at, at + character.len_utf8());
    Diagnostic::error(file, span, format!("unexpected character {character:?}"))
}

/// The byte after the comment that begins at `at`. Comments nest.
pub(crate) fn skip_comment(file: &SourceFile, at: usize, to: usize) -> Result<usize, Diagnostic> {
    let bytes = file.text().as_bytes();
    let mut depth = 0u32;
    let mut next = at;
    while next + 1 < to {
        match (bytes[next], bytes[next + 1]) {
            (b'(', b'*') => {
                depth += 1;
                next += 2;
            }
            (b'*', b')') => {
                depth -= 1;
                next += 2;
                if depth == 0 {
                    return Ok(next);
                }
            }
            _ => next += 1,
        }
    }
    Err(Diagnostic::error(file, Span::new(at, at + 2), "unterminated comment").help("end it with `*)`"))
}

/// A place in a list of tokens.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'s, 't> {
    pub file: &'s SourceFile,
    tokens: &'t [Token],
    at: usize,
    end: Token,
}

impl<'s, 't> Cursor<'s, 't> {
    /// A cursor over tokens; where they end, the end is reported right after the last one.
    pub fn new(file: &'s SourceFile, tokens: &'t [Token], end: Span) -> Self {
        Cursor { file, tokens, at: 0, end: Token { kind: Kind::End, span: end } }
    }

    /// The token here.
    pub fn peek(&self) -> Token {
        self.tokens.get(self.at).copied().unwrap_or(self.end)
    }

    /// The token `ahead` places further on.
    pub fn peek_at(&self, ahead: usize) -> Token {
        self.tokens.get(self.at + ahead).copied().unwrap_or(self.end)
    }

    /// The place of the token that was taken last.
    pub fn last(&self) -> Span {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(self.end.span, |token| token.span)
    }

    /// The text of a token.
    pub fn text(&self, token: Token) -> &'s str {
        self.file.slice(token.span)
    }

    /// Takes the token here.
    pub fn bump(&mut self) -> Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Takes the sign if it is here.
    pub fn eat(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek().kind, Kind::Sym(s) if s == sign);
        self.at += usize::from(found);
        found
    }

    /// Takes the word if it is here.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let token = self.peek();
        let found = token.kind == Kind::Name && self.text(token) == word;
        self.at += usize::from(found);
        found
    }

    /// Takes the sign, which must be here.
    pub fn expect(&mut self, sign: &str) -> Result<Token, Diagnostic> {
        let token = self.peek();
        if self.eat(sign) { Ok(token) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    /// Takes a word, which must be here; `what` says for the reader what it stands for.
    pub fn name(&mut self, what: &str) -> Result<(&'s str, Span), Diagnostic> {
        let token = self.peek();
        if token.kind != Kind::Name {
            return Err(self.expected(what));
        }
        self.at += 1;
        Ok((self.text(token), token.span))
    }

    /// Takes a number with an optional sign.
    pub fn number(&mut self, what: &str) -> Result<(i64, Span), Diagnostic> {
        let first = self.peek();
        let negative = self.eat("-");
        let token = self.peek();
        if token.kind != Kind::Number {
            return Err(self.expected(what));
        }
        self.at += 1;
        let span = first.span.to(token.span);
        let value = parse_number(self.text(token)).ok_or_else(|| {
            Diagnostic::error(self.file, span, format!("`{}` is not a number of 64 bits", self.text(token)))
        })?;
        Ok((if negative { value.wrapping_neg() } else { value }, span))
    }

    /// Whether all tokens are taken.
    pub fn at_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    /// The complaint that something else should stand here.
    pub fn expected(&self, what: &str) -> Diagnostic {
        let token = self.peek();
        let found = match token.kind {
            Kind::End => "the end".to_owned(),
            _ => format!("`{}`", self.text(token)),
        };
        Diagnostic::error(self.file, token.span, format!("expected {what}, found {found}"))
    }

    /// A complaint about a place.
    pub fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.file, span, message)
    }
}

/// The value of a decimal or `0x` number; numbers up to 2^64-1 wrap into the sign.
pub(crate) fn parse_number(text: &str) -> Option<i64> {
    let value = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    value.ok().map(u64::cast_signed)
}
