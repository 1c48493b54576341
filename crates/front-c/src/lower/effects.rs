//! Which expressions do nothing but compute.

use super::scope::{Entity, Storage};
use super::{Lowering, Value};
use c_syntax::ast::{BinaryOperator, Expression, UnaryOperator};
use ir::{Expr, Op};

impl Lowering {
    /// Whether evaluating an expression emits nothing: no access to memory, no assignment, no call.
    pub fn pure(&self, e: &Expression) -> bool {
        match e {
            Expression::Identifier(name) => match self.lookup(name) {
                Some(Entity::Constant(..)) => true,
                Some(Entity::Variable(variable)) => {
                    matches!(variable.storage, Storage::Local(_)) && !variable.ty.is_float()
                }
                Some(Entity::Typedef(_) | Entity::Global(_) | Entity::Function(_) | Entity::Bad(_)) | None => false,
            },
            Expression::Constant(_)
            | Expression::SizeOfType(_)
            | Expression::SizeOfValue(_)
            | Expression::AlignOfType(_)
            | Expression::AlignOfValue(_)
            | Expression::TypesCompatible(_) => true,
            Expression::Unary(unary) => match unary.operator {
                UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Complement | UnaryOperator::Negate => {
                    self.pure(&unary.operand.node)
                }
                UnaryOperator::PostIncrement
                | UnaryOperator::PostDecrement
                | UnaryOperator::PreIncrement
                | UnaryOperator::PreDecrement
                | UnaryOperator::Address
                | UnaryOperator::Indirection => false,
            },
            Expression::Cast(cast) => self.pure(&cast.expression.node),
            Expression::Binary(binary) => {
                computes(&binary.operator) && self.pure(&binary.lhs.node) && self.pure(&binary.rhs.node)
            }
            Expression::Conditional(parts) => {
                self.pure(&parts.condition.node)
                    && parts.then_expression.as_ref().is_some_and(|then| self.pure(&then.node))
                    && self.pure(&parts.else_expression.node)
            }
            Expression::GenericSelection(_)
            | Expression::StringLiteral(_)
            | Expression::Member(_)
            | Expression::Call(_)
            | Expression::CompoundLiteral(_)
            | Expression::Comma(_)
            | Expression::OffsetOf(_)
            | Expression::VaArg(_)
            | Expression::LabelAddress(_)
            | Expression::Statement(_) => false,
        }
    }

    /// A value that stays what it is while `next` is evaluated.
    pub fn keep_unless_pure(&mut self, value: Value, next: &Expression) -> Value {
        let mut named = false;
        value.expr.for_each_local(&mut |local| {
            named |= !self.body.function.locals[local.index()].name.starts_with('%');
        });
        if !named || !assigns(next) {
            return value;
        }
        let width = self.body.width(&value.expr);
        let dst = self.temp(width);
        self.emit(Op::Assign { dst, value: value.expr });
        Value { expr: Expr::Local(dst), ty: value.ty }
    }
}

/// Whether an operator computes a value from the values of both operands.
fn computes(op: &BinaryOperator) -> bool {
    match op {
        BinaryOperator::Multiply
        | BinaryOperator::Divide
        | BinaryOperator::Modulo
        | BinaryOperator::Plus
        | BinaryOperator::Minus
        | BinaryOperator::ShiftLeft
        | BinaryOperator::ShiftRight
        | BinaryOperator::Less
        | BinaryOperator::Greater
        | BinaryOperator::LessOrEqual
        | BinaryOperator::GreaterOrEqual
        | BinaryOperator::Equals
        | BinaryOperator::NotEquals
        | BinaryOperator::BitwiseAnd
        | BinaryOperator::BitwiseXor
        | BinaryOperator::BitwiseOr
        | BinaryOperator::LogicalAnd
        | BinaryOperator::LogicalOr => true,
        BinaryOperator::Index
        | BinaryOperator::Assign
        | BinaryOperator::AssignMultiply
        | BinaryOperator::AssignDivide
        | BinaryOperator::AssignModulo
        | BinaryOperator::AssignPlus
        | BinaryOperator::AssignMinus
        | BinaryOperator::AssignShiftLeft
        | BinaryOperator::AssignShiftRight
        | BinaryOperator::AssignBitwiseAnd
        | BinaryOperator::AssignBitwiseXor
        | BinaryOperator::AssignBitwiseOr => false,
    }
}

/// Whether an expression may change a local variable.
fn assigns(e: &Expression) -> bool {
    match e {
        Expression::Identifier(_)
        | Expression::Constant(_)
        | Expression::StringLiteral(_)
        | Expression::SizeOfType(_)
        | Expression::SizeOfValue(_)
        | Expression::AlignOfType(_)
        | Expression::AlignOfValue(_)
        | Expression::OffsetOf(_)
        | Expression::TypesCompatible(_)
        | Expression::LabelAddress(_)
        | Expression::CompoundLiteral(_) => false,
        Expression::Member(member) => assigns(&member.expression.node),
        // A call may assign to a local through `&x` where the library does so.
        Expression::Call(_) | Expression::Statement(_) | Expression::VaArg(_) | Expression::GenericSelection(_) => true,
        Expression::Unary(unary) => match unary.operator {
            UnaryOperator::PostIncrement
            | UnaryOperator::PostDecrement
            | UnaryOperator::PreIncrement
            | UnaryOperator::PreDecrement => true,
            UnaryOperator::Address
            | UnaryOperator::Indirection
            | UnaryOperator::Plus
            | UnaryOperator::Minus
            | UnaryOperator::Complement
            | UnaryOperator::Negate => assigns(&unary.operand.node),
        },
        Expression::Cast(cast) => assigns(&cast.expression.node),
        Expression::Binary(binary) => {
            let op = &binary.operator;
            (!computes(op) && *op != BinaryOperator::Index) || assigns(&binary.lhs.node) || assigns(&binary.rhs.node)
        }
        Expression::Conditional(parts) => {
            assigns(&parts.condition.node)
                || parts.then_expression.as_ref().is_some_and(|then| assigns(&then.node))
                || assigns(&parts.else_expression.node)
        }
        Expression::Comma(all) => all.iter().any(|each| assigns(&each.node)),
    }
}
