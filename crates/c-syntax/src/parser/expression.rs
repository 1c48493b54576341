//! Expressions, from the comma down to unary operators.

use super::Parser;
use crate::ast::{
    Binary, BinaryOperator, Cast, CompoundLiteral, Conditional, Expression, Node, TypeName, Unary, UnaryOperator,
};
use crate::error::Parsed;
use crate::token::{Keyword, Kind, Punct};

/// An operator with two operands, and how tightly it binds.
fn binary_operator(punct: Punct) -> Option<(BinaryOperator, u8)> {
    Some(match punct {
        Punct::OrOr => (BinaryOperator::LogicalOr, 1),
        Punct::AndAnd => (BinaryOperator::LogicalAnd, 2),
        Punct::Bar => (BinaryOperator::BitwiseOr, 3),
        Punct::Caret => (BinaryOperator::BitwiseXor, 4),
        Punct::Ampersand => (BinaryOperator::BitwiseAnd, 5),
        Punct::Equal => (BinaryOperator::Equals, 6),
        Punct::NotEqual => (BinaryOperator::NotEquals, 6),
        Punct::Less => (BinaryOperator::Less, 7),
        Punct::Greater => (BinaryOperator::Greater, 7),
        Punct::LessEqual => (BinaryOperator::LessOrEqual, 7),
        Punct::GreaterEqual => (BinaryOperator::GreaterOrEqual, 7),
        Punct::ShiftLeft => (BinaryOperator::ShiftLeft, 8),
        Punct::ShiftRight => (BinaryOperator::ShiftRight, 8),
        Punct::Plus => (BinaryOperator::Plus, 9),
        Punct::Minus => (BinaryOperator::Minus, 9),
        Punct::Star => (BinaryOperator::Multiply, 10),
        Punct::Slash => (BinaryOperator::Divide, 10),
        Punct::Percent => (BinaryOperator::Modulo, 10),
        _ => return None,
    })
}

fn assignment_operator(punct: Punct) -> Option<BinaryOperator> {
    Some(match punct {
        Punct::Assign => BinaryOperator::Assign,
        Punct::MultiplyAssign => BinaryOperator::AssignMultiply,
        Punct::DivideAssign => BinaryOperator::AssignDivide,
        Punct::ModuloAssign => BinaryOperator::AssignModulo,
        Punct::PlusAssign => BinaryOperator::AssignPlus,
        Punct::MinusAssign => BinaryOperator::AssignMinus,
        Punct::ShiftLeftAssign => BinaryOperator::AssignShiftLeft,
        Punct::ShiftRightAssign => BinaryOperator::AssignShiftRight,
        Punct::AndAssign => BinaryOperator::AssignBitwiseAnd,
        Punct::XorAssign => BinaryOperator::AssignBitwiseXor,
        Punct::OrAssign => BinaryOperator::AssignBitwiseOr,
        _ => return None,
    })
}

fn unary_operator(punct: Punct) -> Option<UnaryOperator> {
    Some(match punct {
        Punct::Ampersand => UnaryOperator::Address,
        Punct::Star => UnaryOperator::Indirection,
        Punct::Plus => UnaryOperator::Plus,
        Punct::Minus => UnaryOperator::Minus,
        Punct::Tilde => UnaryOperator::Complement,
        Punct::Exclamation => UnaryOperator::Negate,
        _ => return None,
    })
}

impl Parser<'_> {
    /// An expression, commas included.
    pub(super) fn expression(&mut self) -> Parsed<Node<Expression>> {
        let start = self.start();
        let first = self.assignment()?;
        if !self.is(Punct::Comma) {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.eat(Punct::Comma) {
            let height = self.height;
            all.push(self.assignment()?);
            self.height = self.height.max(height);
        }
        Ok(Node::new(Expression::Comma(all), self.since(start)))
    }

    /// An expression without commas.
    pub(super) fn assignment(&mut self) -> Parsed<Node<Expression>> {
        self.deeper(|parser| {
            let start = parser.start();
            let lhs = parser.conditional()?;
            let Kind::Punct(punct) = parser.kind() else { return Ok(lhs) };
            let Some(operator) = assignment_operator(punct) else { return Ok(lhs) };
            parser.bump();
            let height = parser.height;
            let rhs = parser.assignment()?;
            parser.height = parser.height.max(height);
            let binary = Binary { operator, lhs, rhs };
            Ok(Node::new(Expression::Binary(Box::new(binary)), parser.since(start)))
        })
    }

    /// An expression without commas and assignments.
    pub(super) fn conditional(&mut self) -> Parsed<Node<Expression>> {
        let start = self.start();
        let condition = self.binary(1)?;
        if !self.eat(Punct::Question) {
            return Ok(condition);
        }
        let mut height = self.height;
        let then_expression = if self.is(Punct::Colon) { None } else { Some(self.deeper(Self::expression)?) };
        self.expect(Punct::Colon, "the middle of `? :`")?;
        height = height.max(self.height);
        let else_expression = self.deeper(Self::conditional)?;
        self.height = self.height.max(height);
        let conditional = Conditional { condition, then_expression, else_expression };
        Ok(Node::new(Expression::Conditional(Box::new(conditional)), self.since(start)))
    }

    /// Operators that bind at least so tightly. All of them associate to the left.
    fn binary(&mut self, least: u8) -> Parsed<Node<Expression>> {
        let start = self.start();
        let mut lhs = self.cast()?;
        while let Kind::Punct(punct) = self.kind() {
            let Some((operator, tightness)) = binary_operator(punct).filter(|(_, tightness)| *tightness >= least)
            else {
                break;
            };
            self.bump();
            let height = self.height;
            let rhs = self.binary(tightness + 1)?;
            self.grow(height)?;
            lhs = Node::new(Expression::Binary(Box::new(Binary { operator, lhs, rhs })), self.since(start));
        }
        Ok(lhs)
    }

    /// Whether `(type` follows.
    pub(super) fn begins_cast(&self) -> bool {
        self.is(Punct::LeftParen) && self.begins_type_after_extension(1)
    }

    fn begins_type_after_extension(&self, mut ahead: usize) -> bool {
        while self.nth(ahead).kind == Kind::Keyword(Keyword::Extension) {
            ahead += 1;
        }
        let storage = [Keyword::Static, Keyword::Register, Keyword::ThreadLocal, Keyword::Constexpr];
        let class = storage.iter().any(|keyword| self.nth(ahead).kind == Kind::Keyword(*keyword));
        class || self.begins_type(self.nth(ahead))
    }

    fn cast(&mut self) -> Parsed<Node<Expression>> {
        if !self.begins_cast() {
            return self.unary();
        }
        self.deeper(|parser| {
            let start = parser.start();
            let type_name = parser.parenthesised_type()?;
            if parser.is(Punct::LeftBrace) {
                let literal = parser.compound_literal(start, type_name)?;
                return parser.postfix(start, literal);
            }
            let expression = parser.cast()?;
            let cast = Cast { type_name, expression };
            Ok(Node::new(Expression::Cast(Box::new(cast)), parser.since(start)))
        })
    }

    pub(super) fn parenthesised_type(&mut self) -> Parsed<TypeName> {
        self.expect(Punct::LeftParen, "this")?;
        let type_name = self.type_name()?;
        self.expect(Punct::RightParen, "the type")?;
        Ok(type_name)
    }

    pub(super) fn compound_literal(&mut self, start: u32, type_name: TypeName) -> Parsed<Node<Expression>> {
        let initializer = self.initializer_list()?;
        let literal = CompoundLiteral { type_name, initializer };
        Ok(Node::new(Expression::CompoundLiteral(Box::new(literal)), self.since(start)))
    }

    fn unary(&mut self) -> Parsed<Node<Expression>> {
        let start = self.start();
        let operator = match self.kind() {
            Kind::Punct(punct) => unary_operator(punct),
            Kind::Identifier | Kind::Keyword(_) | Kind::Number | Kind::Character | Kind::String | Kind::End => None,
        };
        if let Some(operator) = operator {
            self.bump();
            let operand = self.deeper(Self::cast)?;
            return Ok(self.unary_node(start, operator, operand));
        }
        match self.kind() {
            Kind::Punct(Punct::Increment | Punct::Decrement) => {
                let operator =
                    if self.is(Punct::Increment) { UnaryOperator::PreIncrement } else { UnaryOperator::PreDecrement };
                self.bump();
                // Behind what looks like a cast there can be a compound literal.
                let operand = self.deeper(Self::cast)?;
                Ok(self.unary_node(start, operator, operand))
            }
            Kind::Punct(Punct::AndAnd) => {
                self.bump();
                let label = self.identifier("the name of a label")?;
                Ok(Node::new(Expression::LabelAddress(label), self.since(start)))
            }
            Kind::Keyword(Keyword::Sizeof | Keyword::Alignof) => self.deeper(Self::size_of),
            Kind::Keyword(Keyword::Extension) => {
                self.bump();
                self.deeper(Self::cast)
            }
            Kind::Keyword(Keyword::RealPart | Keyword::ImagPart) => {
                let error = self.error("complex numbers are not supported");
                Err(error.help("keep the two parts in variables of their own"))
            }
            _ => {
                let primary = self.primary()?;
                self.postfix(start, primary)
            }
        }
    }

    fn unary_node(&self, start: u32, operator: UnaryOperator, operand: Node<Expression>) -> Node<Expression> {
        Node::new(Expression::Unary(Box::new(Unary { operator, operand })), self.since(start))
    }

    fn size_of(&mut self) -> Parsed<Node<Expression>> {
        let start = self.start();
        let align = self.is_keyword(Keyword::Alignof);
        self.bump();
        let operand = if self.begins_cast() {
            let inner = self.start();
            let type_name = self.parenthesised_type()?;
            if !self.is(Punct::LeftBrace) {
                let type_name = Box::new(type_name);
                let e = if align { Expression::AlignOfType(type_name) } else { Expression::SizeOfType(type_name) };
                return Ok(Node::new(e, self.since(start)));
            }
            let literal = self.compound_literal(inner, type_name)?;
            self.postfix(inner, literal)?
        } else {
            self.unary()?
        };
        let operand = Box::new(operand);
        let e = if align { Expression::AlignOfValue(operand) } else { Expression::SizeOfValue(operand) };
        Ok(Node::new(e, self.since(start)))
    }

    /// What follows an operand: calls, indices, members, `++` and `--`.
    pub(super) fn postfix(&mut self, start: u32, first: Node<Expression>) -> Parsed<Node<Expression>> {
        let mut e = first;
        while let Kind::Punct(punct) = self.kind() {
            let height = self.height;
            let node = match punct {
                Punct::LeftBracket => self.index(e)?,
                Punct::LeftParen => self.call(e)?,
                Punct::Dot | Punct::Arrow => self.member(e)?,
                Punct::Increment | Punct::Decrement => {
                    let increments = punct == Punct::Increment;
                    self.bump();
                    let operator = if increments { UnaryOperator::PostIncrement } else { UnaryOperator::PostDecrement };
                    Expression::Unary(Box::new(Unary { operator, operand: e }))
                }
                _ => return Ok(e),
            };
            self.grow(height)?;
            e = Node::new(node, self.since(start));
        }
        Ok(e)
    }
}
