//! From preprocessed text to tokens.
//!
//! Line markers and `#line` are skipped here: who knows the text can find the file and line of any place by them. Of
//! pragmas, `pack` means something for structures and is noted with the token that it stands before.

use crate::ast::Range;
use crate::error::{Error, Parsed};
use crate::token::{Kind, Token, keyword, punct};

/// The tokens of a text, with one at its end, and the bounds that `#pragma pack` sets.
pub(crate) struct Lexed {
    pub tokens: Vec<Token>,
    /// From which token on, which bound.
    pub packs: Vec<(usize, Option<u64>)>,
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    out: Lexed,
    /// What `#pragma pack(push)` keeps.
    kept: Vec<(Option<String>, Option<u64>)>,
}

/// Splits a text into tokens.
pub(crate) fn lex(text: &str) -> Parsed<Lexed> {
    if u32::try_from(text.len()).is_err() {
        return Err(Error::new(Range::default(), "the text has more than 4 GiB"));
    }
    let out = Lexed { tokens: Vec::with_capacity(text.len() / 4), packs: Vec::new() };
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0, out, kept: Vec::new() };
    lexer.run()?;
    Ok(lexer.out)
}

impl Lexer<'_> {
    fn run(&mut self) -> Parsed<()> {
        let mut line_begins = true;
        while let Some(&byte) = self.bytes.get(self.at) {
            let start = self.at;
            match byte {
                b'\n' => {
                    line_begins = true;
                    self.at += 1;
                    continue;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                    self.at += 1;
                    continue;
                }
                b'\\' if self.rest().trim_start_matches(['\\', '\r']).starts_with('\n') => {
                    self.at += 1;
                    continue;
                }
                b'#' if line_begins => {
                    self.directive()?;
                    continue;
                }
                b'/' if self.rest().starts_with("//") => {
                    self.at = self.line_end();
                    continue;
                }
                b'/' if self.rest().starts_with("/*") => {
                    let length = self.rest()[2..].find("*/").map(|length| length + 4);
                    let Some(length) = length else {
                        return Err(Error::new(self.span(start, start + 2), "this comment does not end").help("add */"));
                    };
                    self.at += length;
                    continue;
                }
                _ => {}
            }
            line_begins = false;
            let kind = self.token(byte)?;
            let pragma = kind == Kind::Identifier && &self.text[start..self.at] == "_Pragma";
            if pragma {
                self.pragma_operator(start)?;
            } else {
                self.push(kind, start);
            }
        }
        self.push(Kind::End, self.at);
        Ok(())
    }

    fn token(&mut self, byte: u8) -> Parsed<Kind> {
        let start = self.at;
        let digit_follows = self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit);
        match byte {
            b'"' | b'\'' => self.literal(byte),
            b'0'..=b'9' => Ok(self.number()),
            b'.' if digit_follows => Ok(self.number()),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => self.word(),
            b'\\' if self.rest().starts_with("\\u") || self.rest().starts_with("\\U") => self.word(),
            _ => match punct(self.rest()) {
                Some((punct, length)) => {
                    self.at += length;
                    Ok(Kind::Punct(punct))
                }
                None => Err(self.stray(start)),
            },
        }
    }

    fn stray(&self, at: usize) -> Error {
        let found = self.text[at..].chars().next().unwrap_or('\0');
        let shown: String = found.escape_default().collect();
        let shown = if found.is_ascii_graphic() { found.to_string() } else { shown };
        let error = Error::new(self.span(at, at + found.len_utf8()), format!("stray `{shown}` in the program"));
        error.help("no token of C begins like this")
    }

    /// A name, a keyword, or a literal with a prefix.
    fn word(&mut self) -> Parsed<Kind> {
        let start = self.at;
        loop {
            match self.bytes.get(self.at) {
                Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$') => self.at += 1,
                // A universal character name.
                Some(b'\\') if matches!(self.bytes.get(self.at + 1), Some(b'u' | b'U')) => self.at += 2,
                Some(0x80..) => match self.rest().chars().next().filter(|c| c.is_alphanumeric()) {
                    Some(letter) => self.at += letter.len_utf8(),
                    None => return Err(self.stray(self.at)),
                },
                Some(_) | None => break,
            }
        }
        let word = &self.text[start..self.at];
        if let (Some(&quote @ (b'"' | b'\'')), "L" | "u" | "U" | "u8") = (self.bytes.get(self.at), word) {
            return self.literal(quote);
        }
        Ok(keyword(word).map_or(Kind::Identifier, Kind::Keyword))
    }

    /// A preprocessing number: more than what C takes as one, which is looked at later.
    fn number(&mut self) -> Kind {
        while let Some(&byte) = self.bytes.get(self.at) {
            let next = self.bytes.get(self.at + 1);
            match byte {
                b'e' | b'E' | b'p' | b'P' if matches!(next, Some(b'+' | b'-')) => self.at += 2,
                b'\'' if next.is_some_and(u8::is_ascii_alphanumeric) => self.at += 2,
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' => self.at += 1,
                _ => break,
            }
        }
        Kind::Number
    }

    /// A string or a character, from its quote on.
    fn literal(&mut self, quote: u8) -> Parsed<Kind> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                Some(b'\\') => self.at += 2,
                Some(&byte) if byte == quote => break,
                Some(b'\n') | None => {
                    let end = self.at.min(self.text.len());
                    let error = Error::new(self.span(start, end), format!("missing terminating `{}`", quote as char));
                    return Err(error.help("close it on the same line"));
                }
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        Ok(if quote == b'"' { Kind::String } else { Kind::Character })
    }

    fn directive(&mut self) -> Parsed<()> {
        let (start, end) = (self.at, self.line_end());
        let line = self.text[start + 1..end].trim();
        self.at = end;
        let word_end = line.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(line.len());
        match &line[..word_end] {
            "pragma" => self.pragma(line[word_end..].trim(), self.span(start, end)),
            "" | "line" | "ident" | "sccs" => Ok(()),
            number if number.bytes().all(|b| b.is_ascii_digit()) => Ok(()),
            _ => {
                let message = format!("`#{line}` has not been preprocessed");
                let help = "give the file a name that ends in .c, so that the C preprocessor runs first";
                Err(Error::new(self.span(start, end), message).help(help))
            }
        }
    }

    /// `_Pragma("…")`, whose word has been read.
    fn pragma_operator(&mut self, start: usize) -> Parsed<()> {
        let close = self.rest().find(')').map_or(self.text.len(), |length| self.at + length);
        let close = match self.rest().find('"') {
            // The text may have parentheses of its own.
            Some(open) => {
                let text = &self.rest()[open + 1..];
                let end = text.find('"').map_or(self.text.len(), |end| self.at + open + 1 + end);
                self.text[end..].find(')').map_or(self.text.len(), |length| end + length)
            }
            None => close,
        };
        let inner = self.text[self.at..close].trim().trim_start_matches('(').trim().trim_matches('"');
        let inner = inner.to_owned();
        self.at = (close + 1).min(self.text.len());
        self.pragma(&inner, self.span(start, self.at))
    }

    fn pragma(&mut self, text: &str, span: Range) -> Parsed<()> {
        let word_end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        match &text[..word_end] {
            "pack" => self.pack(text[word_end..].trim(), span),
            word @ ("scalar_storage_order" | "redefine_extname") => {
                let error = Error::new(span, format!("`#pragma {word}` is not supported"));
                Err(error.help("it changes what the program means"))
            }
            _ => Ok(()),
        }
    }

    /// `#pragma pack(n)`, `pack()`, `pack(push, n)`, `pack(push, name, n)`, `pack(pop)`, `pack(pop, name)`.
    fn pack(&mut self, text: &str, span: Range) -> Parsed<()> {
        let malformed =
            || Error::new(span, "malformed `#pragma pack`").help("write `#pragma pack(1)` or `pack(push, 1)`");
        let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).ok_or_else(malformed)?;
        let mut current = self.out.packs.last().and_then(|(_, bound)| *bound);
        let mut parts = inner.split(',').map(str::trim).filter(|part| !part.is_empty()).peekable();
        let action = parts.next_if(|part| matches!(*part, "push" | "pop"));
        let is_name = |part: &&str| !part.starts_with(|c: char| c.is_ascii_digit());
        let name = if action.is_some() { parts.next_if(is_name).map(str::to_owned) } else { None };
        let bound = match parts.next() {
            Some(number) => {
                let value = number.parse().ok().filter(|value: &u64| matches!(value, 0 | 1 | 2 | 4 | 8 | 16));
                Some(value.ok_or_else(malformed)?)
            }
            None => None,
        };
        match action {
            Some("push") => self.kept.push((name, current)),
            Some(_) => {
                let at = match &name {
                    Some(_) => self.kept.iter().rposition(|(kept, _)| *kept == name),
                    None => self.kept.len().checked_sub(1),
                };
                if let Some(at) = at {
                    current = self.kept[at].1;
                    self.kept.truncate(at);
                }
            }
            None => current = None,
        }
        let bound = bound.map_or(current, |value| (value > 0).then_some(value));
        self.out.packs.push((self.out.tokens.len(), bound));
        Ok(())
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn line_end(&self) -> usize {
        self.rest().find('\n').map_or(self.text.len(), |length| self.at + length)
    }

    fn span(&self, start: usize, end: usize) -> Range {
        // The whole text has less than 4 GiB.
        Range { start: start as u32, end: end as u32 }
    }

    fn push(&mut self, kind: Kind, start: usize) {
        let span = self.span(start, self.at);
        self.out.tokens.push(Token { kind, span });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::Punct;

    fn texts(text: &str) -> Vec<&str> {
        let lexed = lex(text).expect("tokens");
        lexed.tokens.iter().map(|t| &text[t.span.start as usize..t.span.end as usize]).collect()
    }

    #[test]
    fn the_longest_token_is_taken() {
        assert_eq!(texts("a+++b>>=c...->x"), ["a", "++", "+", "b", ">>=", "c", "...", "->", "x", ""]);
        assert_eq!(
            texts("1.5e+3f 0x1p-3 .5 1'000 a.b 1...2"),
            ["1.5e+3f", "0x1p-3", ".5", "1'000", "a", ".", "b", "1...2", ""]
        );
        assert_eq!(texts("L\"a\\\"b\" u8'c' u u8x"), ["L\"a\\\"b\"", "u8'c'", "u", "u8x", ""]);
        assert_eq!(lex("<: %>").expect("digraphs").tokens[0].kind, Kind::Punct(Punct::LeftBracket));
    }

    #[test]
    fn comments_markers_and_pragmas_are_no_tokens() {
        let text = "# 1 \"a.c\" 1\n#line 7\n#pragma omp parallel\n#ident \"x\"\n#\nint /* ; */ x; // y\n_Pragma(\"GCC poison (x)\") z";
        assert_eq!(texts(text), ["int", "x", ";", "z", ""]);
        assert_eq!(texts("caf\u{e9} $a"), ["caf\u{e9}", "$a", ""]);
    }

    #[test]
    fn packing_is_a_stack() {
        let text = "#pragma pack(push, 1)\na\n#pragma pack(2)\nb\n#pragma pack(pop)\nc _Pragma(\"pack(4)\") d\n#pragma pack()\n";
        let packs = lex(text).expect("tokens").packs;
        assert_eq!(packs, [(0, Some(1)), (1, Some(2)), (2, None), (3, Some(4)), (4, None)]);
        let named = "#pragma pack(push, old, 8)\n#pragma pack(push, 1)\n#pragma pack(pop, old)\n";
        assert_eq!(lex(named).expect("tokens").packs.last(), Some(&(0, None)));
    }

    #[test]
    fn what_is_no_token_is_named() {
        let message = |text: &str| lex(text).err().map(|error| error.message).unwrap_or_default();
        assert!(message("int @x;").contains("stray `@`"));
        assert!(message("int\u{a0}x;").contains("stray `\\u{a0}`"));
        assert!(message("\"abc\n").contains("missing terminating"));
        assert!(message("/* abc").contains("does not end"));
        assert!(message("#define X 1\n").contains("has not been preprocessed"));
        assert!(message("#pragma pack(3)\n").contains("malformed"));
    }
}
