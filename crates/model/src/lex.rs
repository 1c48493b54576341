//! The tokens of a model's text.

use source::{Diagnostic, SourceFile, Span};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name that is no keyword. Names may contain `-` and `.`.
    Name(String),
    Keyword(&'static str),
    /// `'tag`, without the quote.
    Tag(String),
    Text(String),
    Symbol(&'static str),
    End,
}

#[derive(Debug, Clone)]
pub(crate) struct Lexeme {
    pub token: Token,
    pub span: Span,
}

pub(crate) struct Lexed {
    /// Ends with [`Token::End`].
    pub tokens: Vec<Lexeme>,
    /// The `(* … *)` comments.
    pub comments: Vec<Span>,
}

const KEYWORDS: &[&str] = &[
    "let",
    "rec",
    "and",
    "when",
    "acyclic",
    "irreflexive",
    "empty",
    "show",
    "unshow",
    "subset",
    "as",
    "fun",
    "in",
    "undefined_unless",
    "flag",
    "assert",
    "include",
    "variant",
    "begin",
    "end",
    "procedure",
    "call",
    "enum",
    "debug",
    "match",
    "with",
    "forall",
    "from",
    "do",
    "try",
    "if",
    "then",
    "else",
    "catdep",
    "instructions",
    "default",
    "not",
];

/// Longer symbols first.
const SYMBOLS: &[&str] = &[
    "||", "&&", "++", "->", "-1", "(", ")", "{", "}", "[", "]", "_", "0", "|", "&", "*", "~", "+", "^", "\\", "?", "=",
    ";", ",",
];

pub(crate) fn lex(file: &SourceFile) -> Result<Lexed, Diagnostic> {
    let text = file.text();
    let mut lexed = Lexed { tokens: Vec::new(), comments: Vec::new() };
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if first == '#' || rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("(*") {
            let length = comment(rest).ok_or_else(|| {
                Diagnostic::error(file, Span::new(at, at + 2), "comment is never closed")
                    .label("begins here")
                    .help("comments nest: each `(*` needs its own `*)`")
            })?;
            lexed.comments.push(Span::new(at, at + length));
            length
        } else if first == '"' {
            let length = rest[1..].find('"').ok_or_else(|| {
                Diagnostic::error(file, Span::new(at, at + 1), "string is never closed")
                    .label("begins here")
                    .help("end it with `\"`")
            })?;
            push(&mut lexed, Token::Text(rest[1..=length].to_owned()), at, length + 2);
            length + 2
        } else if let Some(length) = name(rest) {
            let word = &rest[..length];
            let keyword = KEYWORDS.iter().find(|k| **k == word);
            push(&mut lexed, keyword.map_or_else(|| Token::Name(word.to_owned()), |k| Token::Keyword(k)), at, length);
            length
        } else if let Some(length) = rest.strip_prefix('\'').and_then(name) {
            push(&mut lexed, Token::Tag(rest[1..=length].to_owned()), at, 1 + length);
            1 + length
        } else if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
            push(&mut lexed, Token::Symbol(symbol), at, symbol.len());
            symbol.len()
        } else {
            let span = Span::new(at, at + first.len_utf8());
            let error = Diagnostic::error(file, span, format!("unexpected character `{first}`"));
            return Err(
                error.help("a model is written with names, `| & \\ ; ~ ^-1 + * ?`, brackets and comments `(* *)`")
            );
        };
        at += length;
    }
    push(&mut lexed, Token::End, at, 0);
    Ok(lexed)
}

fn push(lexed: &mut Lexed, token: Token, at: usize, length: usize) {
    lexed.tokens.push(Lexeme { token, span: Span::new(at, at + length) });
}

/// The length of the comment at the beginning of `text`, if it ends.
fn comment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"(*" => {
                depth += 1;
                at += 2;
            }
            b"*)" => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => at += 1,
        }
    }
    None
}

/// The length of the name at the beginning of `text`: `_? letter (letter | digit | _ . -)* '?`.
fn name(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let start = usize::from(bytes.first() == Some(&b'_'));
    bytes.get(start).filter(|b| b.is_ascii_alphabetic())?;
    let inside = |b: &&u8| b.is_ascii_alphanumeric() || matches!(**b, b'_' | b'.' | b'-');
    let length = start + bytes[start..].iter().take_while(inside).count();
    Some(length + usize::from(bytes.get(length) == Some(&b'\'')))
}
