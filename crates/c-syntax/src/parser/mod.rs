//! A parser by recursive descent: one function for each notion of the grammar, one token of lookahead nearly everywhere.

mod asm;
mod attribute;
mod declaration;
mod declarator;
mod expression;
mod initializer;
mod primary;
mod record;
mod specifiers;
mod statement;

use crate::ast::{Name, Range, StringLiteral, Unit};
use crate::error::{Error, Parsed};
use crate::lexer::Lexed;
use crate::scope::{Meaning, Scopes};
use crate::token::{Keyword, Kind, Punct, Token};
use crate::{MAX_DEPTH, literal};

pub(crate) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    packs: Vec<(usize, Option<u64>)>,
    /// The next token.
    at: usize,
    scopes: Scopes<'t>,
    /// How many levels of the tree are open.
    depth: usize,
    /// How many levels the part has that was parsed last.
    height: usize,
}

impl<'t> Parser<'t> {
    pub fn new(text: &'t str, lexed: Lexed, types: impl Iterator<Item = &'t str>) -> Self {
        let Lexed { tokens, packs } = lexed;
        Parser { text, tokens, packs, at: 0, scopes: Scopes::new(types), depth: 0, height: 0 }
    }

    pub fn unit(&mut self) -> Parsed<Unit> {
        let mut items = Vec::new();
        while self.kind() != Kind::End {
            if !self.eat(Punct::Semicolon) {
                items.push(self.item()?);
            }
        }
        Ok(Unit { items })
    }

    /// The token so many places after the next one.
    fn nth(&self, ahead: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[(self.at + ahead).min(last)]
    }

    fn kind(&self) -> Kind {
        self.nth(0).kind
    }

    fn is(&self, punct: Punct) -> bool {
        self.kind() == Kind::Punct(punct)
    }

    fn nth_is(&self, ahead: usize, punct: Punct) -> bool {
        self.nth(ahead).kind == Kind::Punct(punct)
    }

    fn is_keyword(&self, keyword: Keyword) -> bool {
        self.kind() == Kind::Keyword(keyword)
    }

    fn bump(&mut self) -> Token {
        let token = self.nth(0);
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.is(punct);
        if found {
            self.bump();
        }
        found
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.is_keyword(keyword);
        if found {
            self.bump();
        }
        found
    }

    fn text_of(&self, token: Token) -> &'t str {
        &self.text[token.span.start as usize..token.span.end as usize]
    }

    /// Where the next token begins.
    fn start(&self) -> u32 {
        self.nth(0).span.start
    }

    /// The range from a place up to the last token that was taken.
    fn since(&self, start: u32) -> Range {
        let end = self.at.checked_sub(1).map_or(0, |last| self.tokens[last].span.end);
        Range { start, end: end.max(start) }
    }

    /// The next token in quotes, for a complaint.
    fn found(&self) -> String {
        let token = self.nth(0);
        match token.kind {
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.text_of(token)),
        }
    }

    fn error(&self, message: impl Into<String>) -> Error {
        Error::new(self.nth(0).span, message)
    }

    /// `what` is missing before the next token.
    fn expected(&self, what: &str) -> Error {
        self.error(format!("expected {what} before {}", self.found()))
    }

    /// Takes a token that must be there after what was just read.
    fn expect(&mut self, punct: Punct, after: &str) -> Parsed<()> {
        if self.eat(punct) {
            return Ok(());
        }
        let message = format!("expected `{}` after {after}, found {}", punct.text(), self.found());
        // Nobody looks on the next line for what is missing at the end of this one.
        let before = self.tokens[self.at.saturating_sub(1)].span;
        let gap = self.text.get(before.end as usize..self.start() as usize).unwrap_or("");
        let here = self.kind() != Kind::End && !gap.contains('\n');
        let span = if here { self.nth(0).span } else { before };
        Err(Error::new(span, message).help(format!("put `{}` here", punct.text())))
    }

    fn identifier(&mut self, what: &str) -> Parsed<Name> {
        if self.kind() != Kind::Identifier {
            return Err(self.expected(what));
        }
        let token = self.bump();
        Ok(Name { text: self.text_of(token).to_owned(), span: token.span })
    }

    fn declare(&mut self, name: &Name, meaning: Meaning) {
        // The name is a part of the text; this only finds it again with the text's own lifetime.
        let text = &self.text[name.span.start as usize..name.span.end as usize];
        self.scopes.declare(text, meaning);
    }

    /// Whether a token is a name that stands for a type.
    fn names_type(&self, token: Token) -> bool {
        let is_type = |name| matches!(self.scopes.get(name), Some(Meaning::Type | Meaning::Builtin));
        token.kind == Kind::Identifier && is_type(self.text_of(token))
    }

    fn strings(&mut self, what: &str) -> Parsed<StringLiteral> {
        let first = self.at;
        while self.kind() == Kind::String {
            self.bump();
        }
        if self.at == first {
            return Err(self.expected(what));
        }
        let parts = self.tokens[first..self.at].iter().map(|&token| (self.text_of(token), token.span));
        literal::string(parts)
    }

    /// Goes one level deeper, for the time that `work` takes.
    fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.check_depth(0)?;
        self.depth += 1;
        self.height = 0;
        let result = work(self);
        self.depth -= 1;
        self.grow(0)?;
        result
    }

    /// The part parsed last, and one with so many levels, become parts of a new one.
    fn grow(&mut self, other: usize) -> Parsed<()> {
        self.height = self.height.max(other) + 1;
        self.check_depth(self.height)
    }

    /// Complains if so many levels more are too many.
    fn check_depth(&self, more: usize) -> Parsed<()> {
        if self.depth + more < MAX_DEPTH {
            return Ok(());
        }
        let message = format!("the text is nested too deeply here: more than {MAX_DEPTH} levels");
        Err(self.error(message).help("split it into several statements or functions"))
    }

    /// Skips a bracket and what belongs to it.
    fn skip_group(&mut self) -> Parsed<()> {
        let start = self.nth(0).span;
        let mut depth = 0usize;
        loop {
            match self.bump().kind {
                Kind::Punct(Punct::LeftParen | Punct::LeftBracket | Punct::LeftBrace) => depth += 1,
                Kind::Punct(Punct::RightParen | Punct::RightBracket | Punct::RightBrace) => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                Kind::End => return Err(Error::new(start, "this bracket is not closed").help("close it")),
                Kind::Identifier | Kind::Keyword(_) | Kind::Number | Kind::Character | Kind::String => {}
                Kind::Punct(_) => {}
            }
        }
    }
}
