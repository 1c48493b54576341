//! Tokens of C.

use crate::lex::{Kind, Token, bad_character};
use source::{Diagnostic, SourceFile, Span};
use std::ops::Range;

/// The signs, longest first.
const SIGNS: &[&str] = &[
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "(", ")", "{", "}", "[", "]", ";", ",", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|",
    "^", "~", "!", "?", ":", ".",
];

/// The tokens of the range, with an end token last.
pub(crate) fn tokens(file: &SourceFile, range: Range<usize>) -> Result<Vec<Token>, Diagnostic> {
    let bytes = &file.text().as_bytes()[..range.end];
    let mut out = Vec::with_capacity((range.end - range.start) / 4 + 1);
    let mut at = range.start;
    while at < bytes.len() {
        let start = at;
        let rest = &bytes[at..];
        let kind = match bytes[at] {
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if rest.starts_with(b"//") => {
                at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                continue;
            }
            b'/' if rest.starts_with(b"/*") => {
                at = skip_comment(file, at, bytes.len())?;
                continue;
            }
            b'0'..=b'9' => {
                at += rest.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
                Kind::Number
            }
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                at += rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
                Kind::Name
            }
            _ => {
                let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes())) else {
                    return Err(bad_character(file, at));
                };
                at += sign.len();
                Kind::Sym(sign)
            }
        };
        out.push(Token { kind, span: Span::new(start, at) });
    }
    out.push(Token { kind: Kind::End, span: Span::new(range.end, range.end) });
    Ok(out)
}

/// The byte after the `/* */` comment that begins at `at`.
pub(crate) fn skip_comment(file: &SourceFile, at: usize, to: usize) -> Result<usize, Diagnostic> {
    let inside = &file.text().as_bytes()[(at + 2).min(to)..to];
    match inside.windows(2).position(|pair| pair == b"*/") {
        Some(length) => Ok(at + 2 + length + 2),
        None => Err(Diagnostic::error(file, Span::new(at, at + 2), "unterminated comment").help("end it with `*/`")),
    }
}
