//! Constants: literals, and expressions that are known when the program is compiled.

use super::scope::Entity;
use super::{Lowering, Value};
use crate::types::{Kind, Type};
use c_syntax::ast::{
    BinaryOperator, Constant, Encoding, Expression, FloatSuffix, Integer, Node, StringLiteral, UnaryOperator,
};
use ir::{Expr, Width};
use source::Diagnostic;

impl Lowering {
    /// A literal.
    pub fn literal(&mut self, constant: &Constant) -> Value {
        match constant {
            Constant::Integer(integer) => {
                let ty = self.integer_type(integer);
                self.int(integer.value as i64, &ty)
            }
            Constant::Character(character) => {
                let ty = match character.encoding {
                    Encoding::Plain | Encoding::Wide => Type::INT,
                    Encoding::Utf8 => Type::UCHAR,
                    Encoding::Utf16 => Type::USHORT,
                    Encoding::Utf32 => Type::UINT,
                };
                self.int(character.value, &ty)
            }
            Constant::Float(float) => match float.suffix {
                FloatSuffix::Float => {
                    let bits = (float.value as f32).to_bits();
                    Value { expr: Expr::Const(u64::from(bits), Width::new(32)), ty: Type::FLOAT }
                }
                FloatSuffix::Double | FloatSuffix::Long => {
                    Value { expr: Expr::Const(float.value.to_bits(), Width::WORD), ty: Type::DOUBLE }
                }
            },
            Constant::Bool(value) => self.int(i64::from(*value), &Type::BOOL),
            Constant::Nullptr => self.int(0, &Type::VOID.pointer_to()),
        }
    }

    /// The first type in which an integer fits, of those that its base and its suffix allow.
    fn integer_type(&self, integer: &Integer) -> Type {
        let rank = 3 + integer.longs;
        let long = self.types.long(true).width().map_or(64, Width::bits) as u8;
        for (r, bits) in [(3u8, 32u8), (4, long), (5, 64)].into_iter().filter(|(r, _)| *r >= rank) {
            for signed in [true, false] {
                let unsigned = integer.is_unsigned;
                let allowed = if signed { !unsigned } else { !integer.is_decimal || unsigned };
                let limit = if signed { u64::MAX >> (65 - bits) } else { u64::MAX >> (64 - bits) };
                if allowed && integer.value <= limit {
                    return Type::integer(bits, signed, r);
                }
            }
        }
        Type::ULONG_LONG
    }

    /// The bytes of a string literal, without the final zero.
    pub fn string_bytes(&self, literal: &StringLiteral) -> Result<Vec<u8>, Diagnostic> {
        literal.bytes().ok_or_else(|| {
            let complaint = self.error(self.at(literal.span), "wide strings are not supported");
            complaint.help("use a plain string")
        })
    }

    /// The text of a string literal, also in a cast.
    pub fn string_value(&self, e: &Node<Expression>) -> Option<String> {
        match super::strip_casts(&e.node) {
            Expression::StringLiteral(literal) => {
                let bytes = self.string_bytes(literal).ok()?;
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
            Expression::Identifier(name) => matches!(self.lookup(name), Some(Entity::Constant(..))),
            Expression::Constant(_)
            | Expression::SizeOfType(_)
            | Expression::SizeOfValue(_)
            | Expression::AlignOfType(_)
            | Expression::AlignOfValue(_)
            | Expression::TypesCompatible(_)
            | Expression::OffsetOf(_) => true,
            Expression::Unary(unary) => match unary.operator {
                UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Complement | UnaryOperator::Negate => {
                    self.maybe_constant(&unary.operand.node)
                }
                UnaryOperator::Address => self.is_offset(&unary.operand.node),
                UnaryOperator::PostIncrement
                | UnaryOperator::PostDecrement
                | UnaryOperator::PreIncrement
                | UnaryOperator::PreDecrement
                | UnaryOperator::Indirection => false,
            },
            Expression::Cast(cast) => self.maybe_constant(&cast.expression.node),
            Expression::Binary(binary) => {
                binary.operator != BinaryOperator::Index
                    && self.maybe_constant(&binary.lhs.node)
                    && self.maybe_constant(&binary.rhs.node)
            }
            Expression::Conditional(parts) => {
                self.maybe_constant(&parts.condition.node)
                    && parts.then_expression.as_ref().is_none_or(|then| self.maybe_constant(&then.node))
                    && self.maybe_constant(&parts.else_expression.node)
            }
            Expression::Call(call) => {
                let known = matches!(&call.callee.node, Expression::Identifier(name)
                    if matches!(&**name, "__builtin_expect" | "__builtin_constant_p"));
                known && call.arguments.iter().all(|arg| self.maybe_constant(&arg.node))
            }
            Expression::GenericSelection(_)
            | Expression::StringLiteral(_)
            | Expression::Member(_)
            | Expression::CompoundLiteral(_)
            | Expression::Comma(_)
            | Expression::VaArg(_)
            | Expression::LabelAddress(_)
            | Expression::Statement(_) => false,
        }
    }

    /// Whether this is a place relative to a constant address, as in `&((struct s *)0)->member`.
    fn is_offset(&self, e: &Expression) -> bool {
        match e {
            Expression::Member(member) => {
                let inner = &member.expression.node;
                self.is_offset(inner) || self.maybe_constant(inner)
            }
            Expression::Binary(binary) if binary.operator == BinaryOperator::Index => {
                self.is_offset(&binary.lhs.node) && self.maybe_constant(&binary.rhs.node)
            }
            Expression::Unary(unary) if unary.operator == UnaryOperator::Indirection => {
                self.maybe_constant(&unary.operand.node)
            }
            _ => false,
        }
    }
}
