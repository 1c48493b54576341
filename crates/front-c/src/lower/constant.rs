//! Constants: literals, and expressions that are known when the program is compiled.

use super::scope::Entity;
use super::{Lowering, Value};
use crate::types::{Kind, Type};
use ir::{Expr, Width};
use lang_c::ast::{BinaryOperator, Constant, Expression, Integer, IntegerBase, IntegerSize, UnaryOperator};
use lang_c::span::{Node, Span};
use source::Diagnostic;

/// The number that the digits of an integer literal stand for.
pub(crate) fn integer_digits(integer: &Integer) -> Option<u64> {
    let radix = match integer.base {
        IntegerBase::Decimal => 10,
        IntegerBase::Octal => 8,
        IntegerBase::Hexadecimal => 16,
        IntegerBase::Binary => 2,
    };
    let digits = if integer.number.is_empty() { "0" } else { &integer.number };
    u64::from_str_radix(digits, radix).ok()
}

/// The bytes of one string or character literal, with its quotes and prefix. None for wide characters.
pub(crate) fn literal_bytes(literal: &str) -> Option<Vec<u8>> {
    let open = literal.find(['"', '\''])?;
    if !matches!(&literal[..open], "" | "u8") {
        return None;
    }
    let mut bytes = literal.get(open + 1..literal.len() - 1)?.bytes().peekable();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let escaped = bytes.next()?;
        out.push(match escaped {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'e' => 27,
            b'x' => {
                let mut value = 0u32;
                while let Some(digit) = bytes.peek().and_then(|b| char::from(*b).to_digit(16)) {
                    value = value.wrapping_mul(16).wrapping_add(digit);
                    bytes.next();
                }
                value as u8
            }
            b'0'..=b'7' => {
                let mut value = u32::from(escaped - b'0');
                for _ in 0..2 {
                    let Some(digit) = bytes.peek().and_then(|b| char::from(*b).to_digit(8)) else { break };
                    value = value * 8 + digit;
                    bytes.next();
                }
                value as u8
            }
            other => other,
        });
    }
    Some(out)
}

impl Lowering {
    /// A literal.
    pub fn literal(&mut self, constant: &Constant, span: Span) -> Result<Value, Diagnostic> {
        match constant {
            Constant::Integer(integer) => {
                let Some(value) = integer_digits(integer) else {
                    let complaint = self.error(self.at(span), "this integer does not fit in 64 bits");
                    return Err(complaint.help("use a smaller number"));
                };
                let decimal = integer.base == IntegerBase::Decimal;
                let rank = match integer.suffix.size {
                    IntegerSize::Int => 3,
                    IntegerSize::Long => 4,
                    IntegerSize::LongLong => 5,
                };
                let long = self.types.long(true).width().map_or(64, Width::bits) as u8;
                let sizes = [(3u8, 32u8), (4, long), (5, 64)];
                let mut ty = Type::ULONG_LONG;
                'found: for (r, bits) in sizes.into_iter().filter(|(r, _)| *r >= rank) {
                    for signed in [true, false] {
                        let allowed =
                            if signed { !integer.suffix.unsigned } else { !decimal || integer.suffix.unsigned };
                        let limit = if signed { u64::MAX >> (65 - bits) } else { u64::MAX >> (64 - bits) };
                        if allowed && value <= limit {
                            ty = Type::integer(bits, signed, r);
                            break 'found;
                        }
                    }
                }
                Ok(self.int(value as i64, &ty))
            }
            Constant::Character(text) => {
                let bytes = literal_bytes(text).filter(|bytes| bytes.len() == 1);
                let Some(bytes) = bytes else {
                    let complaint = self.error(self.at(span), "this kind of character constant is not supported");
                    return Err(complaint.help("write its number"));
                };
                Ok(self.int(i64::from(bytes[0] as i8), &Type::INT))
            }
            Constant::Float(float) => {
                let value: f64 = float.number.parse().unwrap_or(f64::NAN);
                Ok(match float.suffix.format {
                    lang_c::ast::FloatFormat::Float => {
                        let bits = (value as f32).to_bits();
                        Value { expr: Expr::Const(u64::from(bits), Width::new(32)), ty: Type::FLOAT }
                    }
                    _ => Value { expr: Expr::Const(value.to_bits(), Width::WORD), ty: Type::DOUBLE },
                })
            }
        }
    }

    /// The bytes of a string literal, without the final zero.
    pub fn string_bytes(&self, parts: &[String], span: Span) -> Result<Vec<u8>, Diagnostic> {
        let mut out = Vec::new();
        for part in parts {
            let bytes = literal_bytes(part).ok_or_else(|| {
                let complaint = self.error(self.at(span), "wide strings are not supported");
                complaint.help("use a plain string")
            })?;
            out.extend(bytes);
        }
        Ok(out)
    }

    /// The text of a string literal, also in a cast.
    pub fn string_value(&self, e: &Node<Expression>) -> Option<String> {
        match super::strip_casts(&e.node) {
            Expression::StringLiteral(literal) => {
                let bytes = self.string_bytes(&literal.node, e.span).ok()?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            }
            _ => None,
        }
    }

    /// The value of an integer constant expression.
    pub fn const_value(&mut self, e: &Node<Expression>) -> Option<i64> {
        if !self.maybe_constant(&e.node) {
            return None;
        }
        let value = self.constant(e)?;
        match (&value.expr, &value.ty.kind) {
            (Expr::Const(bits, width), Kind::Int { signed: true, .. }) => Some(ir::sign_extend(*bits, *width)),
            (Expr::Const(bits, _), Kind::Bool | Kind::Int { .. } | Kind::Pointer(_)) => Some(*bits as i64),
            _ => None,
        }
    }

    /// The value of an expression if it is a constant or an address; nothing is emitted.
    pub fn constant(&mut self, e: &Node<Expression>) -> Option<Value> {
        let (value, emitted) = self.dry(|lowering| {
            let before = lowering.body.instructions();
            let value = lowering.rvalue(e).ok();
            (value, lowering.body.instructions() != before)
        });
        value.filter(|value| !emitted && matches!(value.expr, Expr::Const(..) | Expr::Address(..)))
    }

    /// Whether an expression looks like a constant, so that finding out has no effect on what is reachable.
    fn maybe_constant(&self, e: &Expression) -> bool {
        match e {
            Expression::Identifier(name) => matches!(self.lookup(&name.node.name), Some(Entity::Constant(..))),
            Expression::Constant(_)
            | Expression::SizeOfTy(_)
            | Expression::SizeOfVal(_)
            | Expression::AlignOf(_)
            | Expression::OffsetOf(_) => true,
            Expression::UnaryOperator(unary) => match unary.node.operator.node {
                UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Complement | UnaryOperator::Negate => {
                    self.maybe_constant(&unary.node.operand.node)
                }
                UnaryOperator::Address => self.is_offset(&unary.node.operand.node),
                UnaryOperator::PostIncrement
                | UnaryOperator::PostDecrement
                | UnaryOperator::PreIncrement
                | UnaryOperator::PreDecrement
                | UnaryOperator::Indirection => false,
            },
            Expression::Cast(cast) => self.maybe_constant(&cast.node.expression.node),
            Expression::BinaryOperator(binary) => {
                binary.node.operator.node != BinaryOperator::Index
                    && self.maybe_constant(&binary.node.lhs.node)
                    && self.maybe_constant(&binary.node.rhs.node)
            }
            Expression::Conditional(conditional) => {
                let parts = &conditional.node;
                self.maybe_constant(&parts.condition.node)
                    && self.maybe_constant(&parts.then_expression.node)
                    && self.maybe_constant(&parts.else_expression.node)
            }
            Expression::Call(call) => {
                let known = matches!(&call.node.callee.node, Expression::Identifier(name)
                    if matches!(&*name.node.name, "__builtin_expect" | "__builtin_constant_p"));
                known && call.node.arguments.iter().all(|arg| self.maybe_constant(&arg.node))
            }
            Expression::GenericSelection(_)
            | Expression::StringLiteral(_)
            | Expression::Member(_)
            | Expression::CompoundLiteral(_)
            | Expression::Comma(_)
            | Expression::VaArg(_)
            | Expression::Statement(_) => false,
        }
    }

    /// Whether this is a place relative to a constant address, as in `&((struct s *)0)->member`.
    fn is_offset(&self, e: &Expression) -> bool {
        match e {
            Expression::Member(member) => {
                let inner = &member.node.expression.node;
                self.is_offset(inner) || self.maybe_constant(inner)
            }
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                self.is_offset(&binary.node.lhs.node) && self.maybe_constant(&binary.node.rhs.node)
            }
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                self.maybe_constant(&unary.node.operand.node)
            }
            _ => false,
        }
    }
}
