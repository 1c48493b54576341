//! Expressions that begin with themselves: names, constants, parentheses, and what may follow them.

use super::Parser;
use crate::ast::{
    Association, Binary, BinaryOperator, Call, Constant, Designator, Expression, GenericSelection, Member,
    MemberOperator, Node, OffsetOf, TypesCompatible, VaArg,
};
use crate::error::Parsed;
use crate::literal;
use crate::token::{Keyword, Kind, Punct};

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Parsed<Node<Expression>> {
        let token = self.nth(0);
        let text = self.text_of(token);
        self.height = 0;
        let e = match token.kind {
            Kind::Identifier => {
                if self.names_type(token) {
                    let error = self.error(format!("expected an expression, but `{text}` is a type"));
                    return Err(error.help("a declaration cannot stand here; a cast needs parentheses"));
                }
                self.bump();
                // Words of C23 that older programs may use as names of their own.
                match text {
                    "true" | "false" if self.scopes.get(text).is_none() => {
                        Expression::Constant(Constant::Bool(text == "true"))
                    }
                    "nullptr" if self.scopes.get(text).is_none() => Expression::Constant(Constant::Nullptr),
                    _ => Expression::Identifier(text.to_owned()),
                }
            }
            Kind::Number => {
                self.bump();
                Expression::Constant(literal::number(text, token.span)?)
            }
            Kind::Character => {
                self.bump();
                Expression::Constant(Constant::Character(literal::character(text, token.span)?))
            }
            Kind::String => Expression::StringLiteral(self.strings("a string")?),
            Kind::Punct(Punct::LeftParen) if self.nth_is(1, Punct::LeftBrace) => {
                self.bump();
                let block = self.deeper(Self::compound)?;
                self.expect(Punct::RightParen, "the statement expression")?;
                Expression::Statement(Box::new(block))
            }
            Kind::Punct(Punct::LeftParen) => return self.parenthesised(),
            Kind::Keyword(Keyword::Generic) => self.generic()?,
            Kind::Keyword(Keyword::Offsetof) => self.offset_of()?,
            Kind::Keyword(Keyword::VaArg) => {
                self.bump();
                self.expect(Punct::LeftParen, "`__builtin_va_arg`")?;
                let list = self.assignment()?;
                self.expect(Punct::Comma, "the list")?;
                let type_name = self.type_name()?;
                self.expect(Punct::RightParen, "the type")?;
                Expression::VaArg(Box::new(VaArg { list, type_name }))
            }
            Kind::Keyword(Keyword::TypesCompatible) => {
                self.bump();
                self.expect(Punct::LeftParen, "`__builtin_types_compatible_p`")?;
                let left = self.type_name()?;
                self.expect(Punct::Comma, "the first type")?;
                let right = self.type_name()?;
                self.expect(Punct::RightParen, "the second type")?;
                Expression::TypesCompatible(Box::new(TypesCompatible { left, right }))
            }
            Kind::Keyword(_) | Kind::Punct(_) | Kind::End => {
                return Err(self.expected("an expression").help("an operand is missing here"));
            }
        };
        Ok(Node::new(e, self.since(token.span.start)))
    }

    /// `(e)`. The parentheses belong to the place of the expression, but to nothing else.
    fn parenthesised(&mut self) -> Parsed<Node<Expression>> {
        let start = self.start();
        self.bump();
        let inner = self.nth(0);
        let e = self.deeper(Self::expression)?;
        self.expect(Punct::RightParen, "the expression")?;
        let unknown = match &e.node {
            Expression::Identifier(name) => self.scopes.get(name).is_none(),
            _ => false,
        };
        // `(name) operand` can only be a cast.
        if unknown && matches!(self.kind(), Kind::Identifier | Kind::Number | Kind::Character | Kind::String) {
            return Err(self.unknown_type(inner));
        }
        Ok(Node::new(e.node, self.since(start)))
    }

    pub(super) fn index(&mut self, lhs: Node<Expression>) -> Parsed<Expression> {
        self.bump();
        let rhs = self.deeper(Self::expression)?;
        self.expect(Punct::RightBracket, "the index")?;
        Ok(Expression::Binary(Box::new(Binary { operator: BinaryOperator::Index, lhs, rhs })))
    }

    pub(super) fn call(&mut self, callee: Node<Expression>) -> Parsed<Expression> {
        self.bump();
        let mut arguments = Vec::new();
        if !self.is(Punct::RightParen) {
            arguments.push(self.assignment()?);
            while self.eat(Punct::Comma) {
                let height = self.height;
                arguments.push(self.assignment()?);
                self.height = self.height.max(height);
            }
        }
        self.expect(Punct::RightParen, "the arguments")?;
        Ok(Expression::Call(Box::new(Call { callee, arguments })))
    }

    pub(super) fn member(&mut self, expression: Node<Expression>) -> Parsed<Expression> {
        let operator = if self.is(Punct::Dot) { MemberOperator::Direct } else { MemberOperator::Indirect };
        self.bump();
        let identifier = self.identifier("the name of a member")?;
        Ok(Expression::Member(Box::new(Member { operator, expression, identifier })))
    }

    fn generic(&mut self) -> Parsed<Expression> {
        self.bump();
        self.expect(Punct::LeftParen, "`_Generic`")?;
        let expression = self.assignment()?;
        let mut associations = Vec::new();
        while self.eat(Punct::Comma) {
            let ty = if self.eat_keyword(Keyword::Default) { None } else { Some(self.type_name()?) };
            self.expect(Punct::Colon, "the type")?;
            associations.push(Association { ty, expression: self.assignment()? });
        }
        self.expect(Punct::RightParen, "the generic selection")?;
        Ok(Expression::GenericSelection(Box::new(GenericSelection { expression, associations })))
    }

    fn offset_of(&mut self) -> Parsed<Expression> {
        self.bump();
        self.expect(Punct::LeftParen, "`__builtin_offsetof`")?;
        let type_name = self.type_name()?;
        self.expect(Punct::Comma, "the type")?;
        let member = self.identifier("the name of a member")?;
        let span = member.span;
        let mut designators = vec![Node::new(Designator::Member(member), span)];
        designators.extend(self.designators()?);
        self.expect(Punct::RightParen, "the member")?;
        Ok(Expression::OffsetOf(Box::new(OffsetOf { type_name, designators })))
    }
}
