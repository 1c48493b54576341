//! Expressions.

use super::{DEPTH, Parsed, Parser};
use crate::ast::{Expr, ExprKind, Function};
use crate::lex::Token;
use source::Span;
use std::rc::Rc;

impl Parser<'_> {
    fn make(&self, start: Span, kind: ExprKind) -> Parsed<Expr> {
        use ExprKind as K;
        let tallest = |parts: &[Expr]| parts.iter().map(|e| e.height).max().unwrap_or(0);
        let height = 1 + match &kind {
            K::Name(_) | K::Zero | K::Braces | K::Universe | K::Fun(_) => 0,
            K::Union(parts) | K::Intersection(parts) | K::Sequence(parts) | K::Tuple(parts) => tallest(parts),
            K::Difference(a, b) | K::Product(a, b) | K::Apply(a, b) | K::Try(a, b) | K::If(_, a, b) => {
                a.height.max(b.height)
            }
            K::Complement(a) | K::Inverse(a) | K::Plus(a) | K::Star(a) | K::Optional(a) | K::Test(a) => a.height,
            K::Let(_, body) => body.height,
        };
        let span = start.to(self.last());
        if height > DEPTH { Err(self.too_deep(span)) } else { Ok(Expr { span, kind, height }) }
    }

    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(Self::expr_inner)
    }

    fn expr_inner(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = match self.token() {
            Token::Keyword("let") => {
                let bindings = self.bindings()?;
                self.expect("in", "after the local definitions")?;
                ExprKind::Let(Rc::new(bindings), Box::new(self.expr()?))
            }
            Token::Keyword("fun") => {
                self.advance();
                let params = self.params()?;
                self.expect("->", "after the parameters")?;
                ExprKind::Fun(Rc::new(Function { params, body: self.expr()? }))
            }
            Token::Keyword("try") => {
                self.advance();
                let first = self.expr()?;
                self.expect("with", "after what is tried")?;
                ExprKind::Try(Box::new(first), Box::new(self.expr()?))
            }
            Token::Keyword("if") => {
                self.advance();
                let condition = self.condition()?;
                self.expect("then", "after the condition")?;
                let then = self.expr()?;
                self.expect("else", "after the first alternative")?;
                ExprKind::If(condition, Box::new(then), Box::new(self.expr()?))
            }
            Token::Keyword("match") => {
                return Err(self.unsupported("`match`", "define the relation by `let` or `let rec` instead"));
            }
            _ => {
                let first = self.union()?;
                if !self.is(",") {
                    return Ok(first);
                }
                let mut parts = vec![first];
                while self.eat(",") {
                    parts.push(self.union()?);
                }
                ExprKind::Tuple(parts)
            }
        };
        self.make(start, kind)
    }

    /// `part op part op …` as one node.
    fn list(&mut self, op: &str, part: fn(&mut Self) -> Parsed<Expr>, kind: fn(Vec<Expr>) -> ExprKind) -> Parsed<Expr> {
        let start = self.span();
        let first = part(self)?;
        if !self.is(op) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat(op) {
            parts.push(part(self)?);
        }
        self.make(start, kind(parts))
    }

    pub(super) fn union(&mut self) -> Parsed<Expr> {
        self.list("|", Self::sequence, ExprKind::Union)
    }

    fn sequence(&mut self) -> Parsed<Expr> {
        let expr = self.list(";", Self::difference, ExprKind::Sequence)?;
        if self.is("++") {
            return Err(self.unsupported("`++`, adding to a set of sets,", "write `|` for the union"));
        }
        Ok(expr)
    }

    fn difference(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.intersection()?;
        while self.eat("\\") {
            let right = self.intersection()?;
            left = self.make(start, ExprKind::Difference(Box::new(left), Box::new(right)))?;
        }
        Ok(left)
    }

    fn intersection(&mut self) -> Parsed<Expr> {
        self.list("&", Self::product, ExprKind::Intersection)
    }

    fn product(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let left = self.unary()?;
        if !self.eat("*") {
            return Ok(left);
        }
        let right = self.unary()?;
        if self.is("*") {
            return Err(self.unexpected("one product, such as `A * B`"));
        }
        self.make(start, ExprKind::Product(Box::new(left), Box::new(right)))
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        if self.eat("~") {
            let inner = self.nested(Self::unary)?;
            return self.make(start, ExprKind::Complement(Box::new(inner)));
        }
        let mut expr = self.application()?;
        loop {
            let inner = |e| Box::new(e);
            let kind = if self.eat("+") {
                ExprKind::Plus(inner(expr))
            } else if self.eat("?") {
                ExprKind::Optional(inner(expr))
            } else if self.is("*") && !self.begins_operand(1) {
                self.advance();
                ExprKind::Star(inner(expr))
            } else if self.eat("^") {
                self.expect("-1", "after `^`")?;
                ExprKind::Inverse(inner(expr))
            } else {
                return Ok(expr);
            };
            expr = self.make(start, kind)?;
        }
    }

    /// Whether the token `n` further on begins an operand, which makes the `*` before it a product.
    fn begins_operand(&self, n: usize) -> bool {
        match self.ahead(n) {
            Token::Symbol("~") => !matches!(self.ahead(n + 1), Token::Keyword("acyclic" | "irreflexive" | "empty")),
            Token::Keyword(word) => *word == "begin",
            _ => self.begins_argument(n),
        }
    }

    fn begins_argument(&self, n: usize) -> bool {
        matches!(self.ahead(n), Token::Name(_) | Token::Symbol("0" | "_" | "{" | "(" | "[") | Token::Keyword("begin"))
    }

    fn application(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut expr = self.argument()?;
        while matches!(expr.kind, ExprKind::Name(_) | ExprKind::Apply(..)) && self.begins_argument(0) {
            let argument = self.argument()?;
            expr = self.make(start, ExprKind::Apply(Box::new(expr), Box::new(argument)))?;
        }
        Ok(expr)
    }

    /// A name, a constant or something in brackets.
    pub(super) fn argument(&mut self) -> Parsed<Expr> {
        let start = self.span();
        if let Token::Name(name) = self.token() {
            let kind = ExprKind::Name(name.clone());
            self.advance();
            return self.make(start, kind);
        }
        let kind = if self.eat("0") {
            ExprKind::Zero
        } else if self.eat("_") {
            ExprKind::Universe
        } else if self.eat("{") {
            if !self.is("}") {
                return Err(self.unsupported("a set written out in braces", "write sets with tags and `|`"));
            }
            self.advance();
            ExprKind::Braces
        } else if self.eat("[") {
            let inner = self.expr()?;
            self.expect("]", "to close `[`")?;
            ExprKind::Test(Box::new(inner))
        } else if self.eat("(") {
            if self.eat(")") {
                return self.make(start, ExprKind::Tuple(Vec::new()));
            }
            let inner = self.expr()?;
            self.expect(")", "to close `(`")?;
            return Ok(inner);
        } else if self.eat("begin") {
            let inner = self.expr()?;
            self.expect("end", "to close `begin`")?;
            return Ok(inner);
        } else {
            return Err(self.unexpected("a set or a relation"));
        };
        self.make(start, kind)
    }
}
