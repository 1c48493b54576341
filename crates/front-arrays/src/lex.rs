//! Words of the language.

use source::{Diagnostic, SourceFile, Span};

/// A word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// An identifier or a keyword.
    Word(String),
    /// A number.
    Int(i64),
    /// `#n`
    Process(u8),
    /// A sign.
    Sign(&'static str),
    /// The end of the text.
    End,
}

const SIGNS: &[&str] = &[
    "<=>", ":=", "&&", "||", "=>", "<>", "<=", ">=", "{", "}", "(", ")", "[", "]", ",", ";", ":", "|", "=", "<", ">",
    "@", ".", "?", "+", "-", "*", "_",
];

/// Splits a text into words.
pub(crate) fn lex(file: &SourceFile) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let text = file.text();
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut tokens = Vec::new();
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        if byte.is_ascii_whitespace() {
            at += 1;
        } else if text[at..].starts_with("(*") {
            at = comment(file, at)?;
        } else if byte.is_ascii_alphabetic() || (byte == b'_' && bytes.get(at + 1).is_some_and(|&b| is_word(b))) {
            while at < bytes.len() && is_word(bytes[at]) {
                at += 1;
            }
            tokens.push((Token::Word(text[start..at].to_owned()), Span::new(start, at)));
        } else if byte.is_ascii_digit() {
            at = digits(bytes, at);
            let point = bytes.get(at) == Some(&b'.') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
            let whole = at;
            if point {
                at = digits(bytes, at + 1);
                if text[whole + 1..at].bytes().any(|digit| digit != b'0') {
                    return Err(Diagnostic::error(
                        file,
                        Span::new(start, at),
                        "a number with a fraction is not supported",
                    )
                    .help("multiply all real numbers of the system so that they become whole"));
                }
            }
            let number = text[start..whole].parse().ok().filter(|&number: &i64| number < 1 << 40);
            let number = number.ok_or_else(|| {
                Diagnostic::error(file, Span::new(start, at), "this number is too large").help("the limit is 2^40")
            })?;
            tokens.push((Token::Int(number), Span::new(start, at)));
        } else if byte == b'#' {
            at = digits(bytes, at + 1);
            let number = text[start + 1..at].parse().ok().filter(|&number: &u8| (1..=16).contains(&number));
            let number = number.ok_or_else(|| {
                Diagnostic::error(file, Span::new(start, at), "`#` wants the number of a process, from 1 to 16")
            })?;
            tokens.push((Token::Process(number - 1), Span::new(start, at)));
        } else if let Some(sign) = SIGNS.iter().find(|sign| text[at..].starts_with(**sign)) {
            at += sign.len();
            tokens.push((Token::Sign(sign), Span::new(start, at)));
        } else {
            let end = start + text[start..].chars().next().map_or(1, char::len_utf8);
            return Err(Diagnostic::error(file, Span::new(start, end), "this character has no meaning here"));
        }
    }
    tokens.push((Token::End, Span::new(at, at)));
    Ok(tokens)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'\''
}

fn digits(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at].is_ascii_digit() {
        at += 1;
    }
    at
}

/// The place behind a comment; comments nest.
fn comment(file: &SourceFile, start: usize) -> Result<usize, Diagnostic> {
    let bytes = file.text().as_bytes();
    let (mut at, mut depth) = (start, 0u32);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"(*" => (depth, at) = (depth + 1, at + 2),
            b"*)" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return Ok(at);
        }
    }
    Err(Diagnostic::error(file, Span::new(start, start + 2), "this comment has no end").help("write `*)`"))
}
