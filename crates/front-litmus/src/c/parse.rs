//! The grammar of C as far as litmus tests use it.

use super::ast::{E, Function, Node, Operator, Param, Stmt, Ty, known_type};
use crate::lex::{Cursor, Kind, Token};
use ir::{BinaryOp, Place};
use source::{Diagnostic, SourceFile, Span};
use std::ops::Range;

/// How deep statements and expressions may nest.
const DEPTH: u32 = 64;
/// How many operators an expression may have.
const OPERATORS: u32 = 400;

/// Reads all functions, which must be `P0`, `P1`… in order.
pub(crate) fn functions<'s>(
    file: &'s SourceFile,
    tokens: &[Token],
    range: &Range<usize>,
) -> Result<Vec<Function<'s>>, Diagnostic> {
    let end = Span::new(range.end, range.end);
    let mut parser = Parser { cursor: Cursor::new(file, tokens, end), depth: 0, operators: 0 };
    let mut functions = Vec::new();
    while !parser.cursor.at_end() {
        let number = functions.len();
        functions.push(parser.function(number)?);
    }
    if functions.is_empty() {
        let span = Span::new(range.start, range.start);
        return Err(Diagnostic::error(file, span, "the test has no program")
            .help("write a function per thread: `P0 (int *x) { … }`"));
    }
    Ok(functions)
}

struct Parser<'s, 't> {
    cursor: Cursor<'s, 't>,
    depth: u32,
    operators: u32,
}

impl<'s> Parser<'s, '_> {
    fn function(&mut self, number: usize) -> Result<Function<'s>, Diagnostic> {
        while self.cursor.eat_word("static") || self.cursor.eat_word("void") {}
        let (name, span) = self.cursor.name("a function `P0`, `P1`, …")?;
        if name.strip_prefix('P') != Some(&*number.to_string()) {
            return Err(self.cursor.error(span, format!("expected the function `P{number}`, found `{name}`")));
        }
        self.cursor.expect("(")?;
        let mut params = Vec::new();
        let mut printed = format!("P{number}(");
        if !(self.cursor.eat_word("void") && self.cursor.eat(")")) {
            while !self.cursor.eat(")") {
                if !params.is_empty() {
                    self.cursor.expect(",")?;
                    printed.push_str(", ");
                }
                params.push(self.param(&mut printed)?);
            }
        }
        let open = self.cursor.expect("{")?;
        let mut body = Vec::new();
        loop {
            let close = self.cursor.peek();
            if self.cursor.eat("}") {
                let text = self.cursor.file.slice(Span { start: open.span.end, end: close.span.start });
                printed.push_str(") {\n");
                printed.push_str(text);
                printed.push_str("\n}\n");
                return Ok(Function { params, body, printed });
            }
            self.statement(&mut body, false)?;
        }
    }

    fn param(&mut self, printed: &mut String) -> Result<Param<'s>, Diagnostic> {
        let start = self.cursor.peek().span;
        let ty = self.ty(Some(printed))?;
        let (name, span) = self.cursor.name("the name of a parameter")?;
        if !ty.is_pointer() {
            return Err(self
                .cursor
                .error(start.to(span), format!("the parameter `{name}` is not a pointer"))
                .help(format!("write `int *{name}`: a parameter points to the shared location of its name")));
        }
        printed.push(' ');
        printed.push_str(name);
        Ok(Param { ty, name })
    }

    fn at_type(&self) -> bool {
        let token = self.cursor.peek();
        let name = self.cursor.text(token);
        let qualifier = matches!(name, "const" | "volatile" | "_Atomic" | "unsigned" | "signed" | "struct");
        let call = self.cursor.peek_at(1).kind == Kind::Sym("(") && name != "_Atomic";
        token.kind == Kind::Name && !call && (qualifier || known_type(name).is_some())
    }

    /// Reads a type with its stars; `printed` takes it as herd prints it.
    fn ty(&mut self, printed: Option<&mut String>) -> Result<Ty, Diagnostic> {
        let mut base = None;
        let mut unsigned = false;
        let mut atomic = false;
        let mut text = String::new();
        let mut constant = "";
        loop {
            let token = self.cursor.peek();
            let word = self.cursor.text(token);
            if token.kind != Kind::Name {
                break;
            }
            let name = match word {
                "_Atomic" if self.cursor.peek_at(1).kind == Kind::Sym("(") => {
                    self.cursor.bump();
                    self.cursor.bump();
                    let (name, span) = self.cursor.name("a type")?;
                    let known = known_type(name).ok_or_else(|| self.unknown_type(name, span))?;
                    self.cursor.expect(")")?;
                    base = Some(known);
                    atomic = true;
                    text.push_str("_Atomic ");
                    text.push_str(name);
                    continue;
                }
                "const" | "volatile" | "_Atomic" | "signed" | "unsigned" | "struct" => word.to_owned(),
                _ => match (known_type(word), base) {
                    (Some(known), None) => {
                        base = Some(known);
                        match word.strip_prefix("atomic_") {
                            Some(inner) if !matches!(inner, "t" | "long_t") => format!("_Atomic {inner}"),
                            _ => word.to_owned(),
                        }
                    }
                    // `long long`, `unsigned long int`.
                    (Some(_), Some(_)) => word.to_owned(),
                    (None, None) if !unsigned => return Err(self.unknown_type(word, token.span)),
                    (None, _) => break,
                },
            };
            unsigned |= word == "unsigned";
            atomic |=
                word == "_Atomic" || (word.starts_with("atomic_") && !matches!(word, "atomic_t" | "atomic_long_t"));
            self.cursor.bump();
            // herd prints `volatile` first and `const` last, wherever they stand.
            match word {
                "volatile" => text.insert_str(0, if text.is_empty() { "volatile" } else { "volatile " }),
                "const" => constant = " const",
                _ => {}
            }
            if matches!(word, "volatile" | "const") {
                continue;
            }
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&name);
        }
        if base.is_none() && !unsigned {
            return Err(self.cursor.expected("a type"));
        }
        text.push_str(constant);
        let (bits, signed) = base.unwrap_or((32, true));
        let mut ty = Ty { bits, signed: signed && !unsigned, depth: 0, atomic };
        while self.cursor.eat("*") {
            ty = ty.pointer();
            text.push('*');
            while self.cursor.eat_word("const") || self.cursor.eat_word("volatile") || self.cursor.eat_word("restrict")
            {
            }
        }
        if let Some(printed) = printed {
            printed.push_str(&text);
        }
        Ok(ty)
    }

    fn unknown_type(&self, name: &str, span: Span) -> Diagnostic {
        self.cursor
            .error(span, format!("unknown type `{name}`"))
            .help("write `int`, `atomic_int`, `long` or a pointer to one")
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Diagnostic>) -> Result<T, Diagnostic> {
        if self.depth >= DEPTH {
            let span = self.cursor.peek().span;
            return Err(self.cursor.error(span, format!("this nests deeper than {DEPTH} levels")));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// The body of a branch or a loop.
    fn one_statement(&mut self) -> Result<Box<Stmt<'s>>, Diagnostic> {
        let mut statements = Vec::new();
        if matches!(self.cursor.text(self.cursor.peek()), "{" | ";") {
            self.deeper(|parser| parser.statement_here(&mut statements))?;
        } else {
            self.statement(&mut statements, true)?;
        }
        Ok(Box::new(Stmt::Block(statements)))
    }

    /// Reads a statement; a declaration of several variables is several statements. Before it and after it another one
    /// could be put in, with braces around both if so it is said.
    fn statement(&mut self, out: &mut Vec<Stmt<'s>>, braces: bool) -> Result<(), Diagnostic> {
        let start = self.cursor.peek().span;
        let before = out.len();
        self.deeper(|parser| parser.statement_here(out))?;
        let statement = start.to(self.cursor.last());
        out.insert(before, Stmt::Seam(Place::Before { statement, braces }));
        out.push(Stmt::Seam(Place::After { statement, braces }));
        Ok(())
    }

    fn statement_here(&mut self, out: &mut Vec<Stmt<'s>>) -> Result<(), Diagnostic> {
        if self.cursor.eat(";") {
            return Ok(());
        }
        if self.cursor.eat("{") {
            let mut inner = Vec::new();
            while !self.cursor.eat("}") {
                self.statement(&mut inner, false)?;
            }
            out.push(Stmt::Block(inner));
            return Ok(());
        }
        let token = self.cursor.peek();
        match self.cursor.text(token) {
            "if" => {
                let condition = self.condition()?;
                let then = self.one_statement()?;
                let otherwise = if self.cursor.eat_word("else") { Some(self.one_statement()?) } else { None };
                out.push(Stmt::If(condition, then, otherwise));
            }
            "while" => {
                let condition = self.condition()?;
                out.push(Stmt::While(condition, self.one_statement()?));
            }
            "do" => {
                self.cursor.bump();
                let body = self.one_statement()?;
                if self.cursor.text(self.cursor.peek()) != "while" {
                    return Err(self.cursor.expected("`while`"));
                }
                out.push(Stmt::DoWhile(body, self.condition()?));
                self.cursor.expect(";")?;
            }
            "for" => {
                self.cursor.bump();
                self.cursor.expect("(")?;
                let mut first = Vec::new();
                self.simple_statement(&mut first)?;
                let condition = if self.cursor.eat(";") {
                    None
                } else {
                    let condition = self.expression()?;
                    self.cursor.expect(";")?;
                    Some(condition)
                };
                let step = if self.cursor.eat(")") {
                    None
                } else {
                    let step = self.expression()?;
                    self.cursor.expect(")")?;
                    Some(step)
                };
                out.push(Stmt::For(Box::new(Stmt::Block(first)), condition, step, self.one_statement()?));
            }
            // herd has no such statement, and tests use the word as a name.
            "continue" if matches!(self.cursor.peek_at(1).kind, Kind::Sym("=")) => self.simple_statement(out)?,
            word @ ("break" | "continue" | "return" | "goto" | "switch") => {
                let message = format!("`{word}` is not supported in litmus tests");
                return Err(self.cursor.error(token.span, message).help("rewrite it with `if` and `while`"));
            }
            _ => self.simple_statement(out)?,
        }
        Ok(())
    }

    /// `( expression )` after a keyword.
    fn condition(&mut self) -> Result<E<'s>, Diagnostic> {
        self.cursor.bump();
        self.cursor.expect("(")?;
        let condition = self.expression()?;
        self.cursor.expect(")")?;
        Ok(condition)
    }

    /// A declaration or an expression, with its `;`.
    fn simple_statement(&mut self, out: &mut Vec<Stmt<'s>>) -> Result<(), Diagnostic> {
        if self.cursor.eat(";") {
            return Ok(());
        }
        if !self.at_type() {
            let (first, second) = (self.cursor.peek(), self.cursor.peek_at(1));
            if first.kind == Kind::Name && second.kind == Kind::Name {
                return Err(self.unknown_type(self.cursor.text(first), first.span));
            }
            out.push(Stmt::Expr(self.expression()?));
            self.cursor.expect(";")?;
            return Ok(());
        }
        let first = self.ty(None)?;
        let base = Ty { depth: 0, ..first };
        let mut ty = first;
        loop {
            let (name, span) = self.cursor.name("the name of a variable")?;
            let value = if self.cursor.eat("=") { Some(self.expression()?) } else { None };
            let span = value.as_ref().map_or(span, |value| span.to(value.span));
            out.push(Stmt::Declare { ty, name, span, value });
            if self.cursor.eat(";") {
                return Ok(());
            }
            self.cursor.expect(",")?;
            ty = base;
            while self.cursor.eat("*") {
                ty = ty.pointer();
            }
        }
    }

    fn expression(&mut self) -> Result<E<'s>, Diagnostic> {
        let outer = std::mem::take(&mut self.operators);
        let expression = self.assignment();
        self.operators += outer;
        expression
    }

    fn node(&mut self, kind: Node<'s>, span: Span) -> Result<E<'s>, Diagnostic> {
        self.operators += 1;
        if self.operators > OPERATORS {
            return Err(self.cursor.error(span, format!("an expression of more than {OPERATORS} operators")));
        }
        Ok(E { kind, span })
    }

    fn assignment(&mut self) -> Result<E<'s>, Diagnostic> {
        self.deeper(Self::assignment_here)
    }

    fn assignment_here(&mut self) -> Result<E<'s>, Diagnostic> {
        let left = self.binary(0)?;
        if self.cursor.eat("?") {
            let then = self.assignment()?;
            self.cursor.expect(":")?;
            let otherwise = self.assignment()?;
            let span = left.span.to(otherwise.span);
            return self.node(Node::Choose(Box::new(left), Box::new(then), Box::new(otherwise)), span);
        }
        let Kind::Sym(sign) = self.cursor.peek().kind else { return Ok(left) };
        let compound = sign.strip_suffix('=').and_then(operator);
        let operator = match (sign, compound) {
            ("=", _) => None,
            ("==" | "!=" | "<=" | ">=", _) | (_, None) => return Ok(left),
            (_, Some((operator, _))) => Some(operator),
        };
        self.cursor.bump();
        let right = self.assignment()?;
        let span = left.span.to(right.span);
        self.node(Node::Assign(Box::new(left), operator, Box::new(right)), span)
    }

    /// Operators that bind at least as tightly as `level`.
    fn binary(&mut self, level: u32) -> Result<E<'s>, Diagnostic> {
        let mut left = self.unary()?;
        loop {
            let Kind::Sym(sign) = self.cursor.peek().kind else { return Ok(left) };
            let here = match sign {
                "||" => 1,
                "&&" => 2,
                _ => operator(sign).map_or(0, |(_, level)| level),
            };
            if here == 0 || here <= level {
                return Ok(left);
            }
            self.cursor.bump();
            let right = self.binary(here)?;
            let span = left.span.to(right.span);
            let (a, b) = (Box::new(left), Box::new(right));
            let kind = match (sign, operator(sign)) {
                ("||", _) => Node::Or(a, b),
                (_, Some((operator, _))) => Node::Binary(operator, a, b),
                (_, None) => Node::And(a, b),
            };
            left = self.node(kind, span)?;
        }
    }

    fn unary(&mut self) -> Result<E<'s>, Diagnostic> {
        self.deeper(Self::unary_here)
    }

    fn unary_here(&mut self) -> Result<E<'s>, Diagnostic> {
        let start = self.cursor.peek();
        let Kind::Sym(sign) = start.kind else { return self.postfix() };
        let build: fn(Box<E<'s>>) -> Node<'s> = match sign {
            "-" => Node::Negate,
            "~" => Node::Complement,
            "!" => Node::Not,
            "*" => Node::Deref,
            "&" => Node::AddressOf,
            "++" | "--" => {
                let operator = Operator::plain(if sign == "++" { BinaryOp::Add } else { BinaryOp::Sub });
                self.cursor.bump();
                let target = self.unary()?;
                let span = start.span.to(target.span);
                let one = E { kind: Node::Number(1), span: start.span };
                return self.node(Node::Assign(Box::new(target), Some(operator), Box::new(one)), span);
            }
            "(" => {
                self.cursor.bump();
                if self.at_type() {
                    let ty = self.ty(None)?;
                    self.cursor.expect(")")?;
                    let inner = self.unary()?;
                    let span = start.span.to(inner.span);
                    return self.node(Node::Cast(ty, Box::new(inner)), span);
                }
                let inner = self.assignment()?;
                let end = self.cursor.expect(")")?;
                return self.suffixes(E { kind: inner.kind, span: start.span.to(end.span) });
            }
            _ => return self.postfix(),
        };
        self.cursor.bump();
        let inner = self.unary()?;
        let span = start.span.to(inner.span);
        self.node(build(Box::new(inner)), span)
    }

    fn postfix(&mut self) -> Result<E<'s>, Diagnostic> {
        let token = self.cursor.peek();
        let primary = match token.kind {
            Kind::Number => {
                self.cursor.bump();
                let text = self.cursor.text(token).trim_end_matches(['u', 'U', 'l', 'L']);
                let value = crate::lex::parse_number(text);
                let value = value.ok_or_else(|| self.cursor.error(token.span, format!("`{text}` is not a number")))?;
                E { kind: Node::Number(value), span: token.span }
            }
            Kind::Name => {
                self.cursor.bump();
                let name = self.cursor.text(token);
                if self.cursor.eat("(") {
                    let mut args = Vec::new();
                    let mut end = self.cursor.peek();
                    while !self.cursor.eat(")") {
                        if !args.is_empty() {
                            self.cursor.expect(",")?;
                        }
                        args.push(self.assignment()?);
                        end = self.cursor.peek();
                    }
                    self.node(Node::Call(name, args), token.span.to(end.span))?
                } else {
                    E { kind: Node::Name(name), span: token.span }
                }
            }
            Kind::Sym(_) | Kind::End => return Err(self.cursor.expected("an expression")),
        };
        self.suffixes(primary)
    }

    fn suffixes(&mut self, mut inner: E<'s>) -> Result<E<'s>, Diagnostic> {
        loop {
            let token = self.cursor.peek();
            match token.kind {
                Kind::Sym("[") => {
                    self.cursor.bump();
                    let index = self.assignment()?;
                    let end = self.cursor.expect("]")?;
                    let span = inner.span.to(end.span);
                    inner = self.node(Node::Index(Box::new(inner), Box::new(index)), span)?;
                }
                Kind::Sym(sign @ ("++" | "--")) => {
                    self.cursor.bump();
                    let operator = Operator::plain(if sign == "++" { BinaryOp::Add } else { BinaryOp::Sub });
                    let span = inner.span.to(token.span);
                    inner = self.node(Node::Step(Box::new(inner), operator), span)?;
                }
                Kind::Sym("->" | ".") => {
                    return Err(self
                        .cursor
                        .error(token.span, "structures are not supported in litmus tests")
                        .help("use a shared location for each field"));
                }
                Kind::Name | Kind::Number | Kind::Sym(_) | Kind::End => return Ok(inner),
            }
        }
    }
}

/// The operator that a sign stands for, and how tightly it binds.
fn operator(sign: &str) -> Option<(Operator, u32)> {
    use BinaryOp::{AShr, Add, And, Eq, LShr, Mul, Ne, Or, SDiv, SLe, SLt, SRem, Shl, Sub, UDiv, ULe, ULt, URem, Xor};
    let signs = |signed, unsigned, swapped| Operator { signed, unsigned, swapped };
    Some(match sign {
        "|" => (Operator::plain(Or), 3),
        "^" => (Operator::plain(Xor), 4),
        "&" => (Operator::plain(And), 5),
        "==" => (Operator::plain(Eq), 6),
        "!=" => (Operator::plain(Ne), 6),
        "<" => (signs(SLt, ULt, false), 7),
        "<=" => (signs(SLe, ULe, false), 7),
        ">" => (signs(SLt, ULt, true), 7),
        ">=" => (signs(SLe, ULe, true), 7),
        "<<" => (Operator::plain(Shl), 8),
        ">>" => (signs(AShr, LShr, false), 8),
        "+" => (Operator::plain(Add), 9),
        "-" => (Operator::plain(Sub), 9),
        "*" => (Operator::plain(Mul), 10),
        "/" => (signs(SDiv, UDiv, false), 10),
        "%" => (signs(SRem, URem, false), 10),
        _ => return None,
    })
}
