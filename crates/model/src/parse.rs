//! From the text of a model to its tree.
//!
//! The grammar and the precedences are those of herd's cat language: `|` binds weakest, then `++`, `;`, `\`, `&`, the
//! product `*`, then `~` and the postfix operators. What herd has for computing sets of sets is refused.
#![allow(clippy::wildcard_enum_match_arm, reason = "any other token is a mistake in the text")]

mod expr;

use crate::ast::{Binding, Bindings, Bound, Condition, File, Function, Instr, InstrKind, Procedure};
use crate::lex::{Lexeme, Token, lex};
use crate::node::{Requirement, Role};
use source::{Diagnostic, SourceFile, Span};
use std::rc::Rc;

/// How deep expressions and blocks may nest.
const DEPTH: u32 = 100;

type Parsed<T> = Result<T, Diagnostic>;

pub(crate) fn parse(file: &SourceFile) -> Parsed<File> {
    let lexed = lex(file)?;
    let mut parser = Parser { file, tokens: &lexed.tokens, at: 0, depth: 0 };
    let title = parser.title();
    let first = parser.span();
    let head = lexed.comments.iter().copied().filter(|comment| comment.end <= first.start).collect();
    let instrs = parser.block(&[])?;
    Ok(File { title, head, instrs })
}

struct Parser<'a> {
    file: &'a SourceFile,
    tokens: &'a [Lexeme],
    at: usize,
    depth: u32,
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        self.ahead(0)
    }

    /// The token `n` further on; [`Token::End`] for ever after the last.
    fn ahead(&self, n: usize) -> &Token {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)].token
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The span of the token before this one.
    fn last(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.token(), Token::Symbol(s) | Token::Keyword(s) if *s == symbol)
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, symbol: &str, why: &str) -> Parsed<()> {
        if self.eat(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}` {why}"))) }
    }

    fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.file, span, message)
    }

    fn unexpected(&self, wanted: &str) -> Diagnostic {
        let found = match self.token() {
            Token::End => "the end of the file".to_owned(),
            Token::Name(name) => format!("the name `{name}`"),
            Token::Text(text) => format!("the string \"{text}\""),
            Token::Keyword(word) => format!("the keyword `{word}`"),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::Tag(tag) => format!("the tag `'{tag}`"),
        };
        self.error(self.span(), format!("expected {wanted}, found {found}"))
    }

    fn unsupported(&self, construct: &str, help: &str) -> Diagnostic {
        self.error(self.span(), format!("{construct} is not supported in models")).help(help)
    }

    /// Runs `inner` one level deeper.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH {
            return Err(self.too_deep(self.span()));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn too_deep(&self, span: Span) -> Diagnostic {
        self.error(span, "nested too deeply").help("name a part of it with `let`")
    }

    fn name(&mut self, what: &str) -> Parsed<String> {
        let Token::Name(name) = self.token() else { return Err(self.unexpected(what)) };
        let name = name.clone();
        self.advance();
        Ok(name)
    }

    /// `"title"`, or bare words on the first line; the last string or all the words are the title.
    fn title(&mut self) -> Option<String> {
        let line = self.file.line(self.span());
        let mut words: Vec<String> = Vec::new();
        while self.file.line(self.span()) == line {
            match self.token() {
                Token::Text(text) => {
                    let text = text.clone();
                    self.advance();
                    return Some(text);
                }
                Token::Name(name) => words.push(name.clone()),
                _ => break,
            }
            self.advance();
        }
        (!words.is_empty()).then(|| words.join(" "))
    }

    /// Instructions up to one of the keywords `ends`, or to the end of the file if there are none.
    fn block(&mut self, ends: &[&str]) -> Parsed<Vec<Instr>> {
        let mut instrs = Vec::new();
        loop {
            match self.token() {
                Token::End if ends.is_empty() => return Ok(instrs),
                Token::Keyword(word) if ends.contains(word) => return Ok(instrs),
                _ => instrs.push(self.nested(Self::instr)?),
            }
        }
    }

    fn instr(&mut self) -> Parsed<Instr> {
        let start = self.span();
        let kind = match self.token() {
            Token::Keyword("let") => {
                let bindings = self.bindings()?;
                self.eat("in");
                InstrKind::Let(Rc::new(bindings))
            }
            Token::Keyword("show" | "unshow") => self.show()?,
            Token::Keyword("include") => {
                self.advance();
                let Token::Text(name) = self.token() else { return Err(self.unexpected("a file's name in quotes")) };
                let name = name.clone();
                self.advance();
                InstrKind::Include(name)
            }
            Token::Keyword("if") => {
                self.advance();
                let condition = self.condition()?;
                let then = self.block(&["else", "end"])?;
                let otherwise = if self.eat("else") { self.block(&["end"])? } else { Vec::new() };
                self.expect("end", "to close `if`")?;
                InstrKind::If(condition, then, otherwise)
            }
            Token::Keyword("procedure") => self.procedure()?,
            Token::Keyword("call") => {
                self.advance();
                let name = self.name("a procedure's name")?;
                let argument = self.argument()?;
                InstrKind::Call { name, argument, rename: self.optional_name()? }
            }
            Token::Keyword("with") => {
                self.advance();
                let name = self.name("the name of an order")?;
                self.expect("from", "after the name")?;
                InstrKind::From(name, self.expr()?)
            }
            Token::Keyword("enum") => self.enumeration()?,
            Token::Keyword("instructions" | "default") => self.instructions()?,
            Token::Keyword("assert") => return Err(self.unsupported("`assert`", "write `flag` to mark executions")),
            Token::Keyword("catdep") => {
                let help = "dependencies are those of the program here and not computed from events of registers; \
                            use `--model aarch64`, the same model with `addr`, `data` and `ctrl` as they are";
                return Err(self.unsupported("`catdep`", help));
            }
            Token::Keyword(word @ ("match" | "forall" | "debug")) => {
                let construct = format!("`{word}`");
                return Err(self.unsupported(&construct, "write out the definitions and axioms that it stands for"));
            }
            _ => self.axiom()?,
        };
        Ok(Instr { span: start.to(self.last()), kind })
    }

    fn axiom(&mut self) -> Parsed<InstrKind> {
        let role = match self.token() {
            Token::Keyword("flag") => Role::Flags,
            Token::Keyword("undefined_unless") => Role::Undefines,
            _ => Role::Forbids,
        };
        if role != Role::Forbids {
            self.advance();
        }
        let negated = self.eat("~");
        let requirement = match self.token() {
            Token::Keyword("acyclic") => Requirement::Acyclic,
            Token::Keyword("irreflexive") => Requirement::Irreflexive,
            Token::Keyword("empty") => Requirement::Empty,
            _ if negated || role != Role::Forbids => {
                return Err(self.unexpected("`acyclic`, `irreflexive` or `empty`"));
            }
            _ => return Err(self.unexpected("an instruction such as `let`, `acyclic` or `include`")),
        };
        self.advance();
        let expr = self.expr()?;
        Ok(InstrKind::Axiom { role, negated, requirement, expr, name: self.optional_name()? })
    }

    fn optional_name(&mut self) -> Parsed<Option<String>> {
        if self.eat("as") { self.name("a name").map(Some) } else { Ok(None) }
    }

    /// `show r, s as name`: for herd's pictures only.
    fn show(&mut self) -> Parsed<InstrKind> {
        self.advance();
        loop {
            self.union()?;
            self.optional_name()?;
            if !self.eat(",") {
                return Ok(InstrKind::Nothing);
            }
        }
    }

    /// `enum Name = 'a || 'b || …`, in bell files.
    fn enumeration(&mut self) -> Parsed<InstrKind> {
        self.advance();
        self.name("the name of the enumeration")?;
        self.expect("=", "after the enumeration's name")?;
        self.eat("||");
        let mut tags = Vec::new();
        loop {
            let Token::Tag(tag) = self.token() else { return Err(self.unexpected("a tag such as `'once`")) };
            tags.push(tag.clone());
            self.advance();
            if !self.eat("||") {
                return Ok(InstrKind::Enum(tags));
            }
        }
    }

    /// `instructions R[{'once, 'acquire}]`: which annotations herd's front end accepts where. Ours knows by itself.
    fn instructions(&mut self) -> Parsed<InstrKind> {
        self.advance();
        self.name("a kind of instruction")?;
        self.expect("[", "after the kind of instruction")?;
        let mut open = 1;
        while open > 0 {
            match self.token() {
                Token::Symbol("[") => open += 1,
                Token::Symbol("]") => open -= 1,
                Token::End => return Err(self.unexpected("`]` to close `[`")),
                _ => {}
            }
            self.advance();
        }
        Ok(InstrKind::Nothing)
    }

    fn procedure(&mut self) -> Parsed<InstrKind> {
        self.advance();
        if self.is("rec") {
            return Err(self.unsupported("a recursive procedure", "write out the axioms that it stands for"));
        }
        let name = self.name("a procedure's name")?;
        let params = self.params()?;
        self.expect("=", "after the procedure's parameters")?;
        let body = self.block(&["end"])?;
        self.expect("end", "to close the procedure")?;
        Ok(InstrKind::Procedure(name, Rc::new(Procedure { params, body })))
    }

    /// `x`, `_`, `()` or `(x, y, …)`.
    fn params(&mut self) -> Parsed<Vec<Option<String>>> {
        if !self.eat("(") {
            return Ok(vec![self.param()?]);
        }
        let mut params = Vec::new();
        if !self.is(")") {
            params.push(self.param()?);
            while self.eat(",") {
                params.push(self.param()?);
            }
        }
        self.expect(")", "after the parameters")?;
        Ok(params)
    }

    fn param(&mut self) -> Parsed<Option<String>> {
        if self.eat("_") { Ok(None) } else { self.name("a parameter's name").map(Some) }
    }

    /// `let [rec] a = … and f x = …`
    fn bindings(&mut self) -> Parsed<Bindings> {
        self.advance();
        let recursive = self.eat("rec");
        let mut items = vec![self.binding()?];
        while self.eat("and") {
            items.push(self.binding()?);
        }
        if self.is("when") {
            return Err(self.unsupported("`when` after `let rec`", "state the requirement as an axiom"));
        }
        Ok(Bindings { recursive, items })
    }

    fn binding(&mut self) -> Parsed<Binding> {
        let span = self.span();
        if self.is("(") || self.is("_") || *self.ahead(1) == Token::Symbol(",") {
            return Err(self.unsupported("a tuple on the left of `=`", "define each name by its own `let`"));
        }
        let name = self.name("a name to define")?;
        let value = if self.eat("=") {
            Bound::Value(self.expr()?)
        } else {
            let params = self.params()?;
            self.expect("=", "after the parameters")?;
            Bound::Function(Rc::new(Function { params, body: self.expr()? }))
        };
        Ok(Binding { name, span, value })
    }

    /// `"a"`, `not c`, `c && c`, `c || c`, with `&&` binding tighter.
    fn condition(&mut self) -> Parsed<Condition> {
        let mut parts = vec![self.conjunction()?];
        while self.eat("||") {
            parts.push(self.conjunction()?);
        }
        Ok(Condition::Any(parts))
    }

    fn conjunction(&mut self) -> Parsed<Condition> {
        let mut parts = vec![self.nested(Self::condition_atom)?];
        while self.eat("&&") {
            parts.push(self.nested(Self::condition_atom)?);
        }
        Ok(Condition::All(parts))
    }

    fn condition_atom(&mut self) -> Parsed<Condition> {
        if self.eat("not") {
            return Ok(Condition::Not(Box::new(self.nested(Self::condition_atom)?)));
        }
        if self.eat("(") {
            let inner = self.condition()?;
            self.expect(")", "to close `(`")?;
            return Ok(inner);
        }
        self.eat("variant");
        if !matches!(self.token(), Token::Text(_)) {
            let error = self.unexpected("the name of a variant in quotes");
            return Err(error.help("conditions on sets and relations are not supported in models"));
        }
        self.advance();
        Ok(Condition::Variant)
    }
}
