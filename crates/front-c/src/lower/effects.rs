//! Which expressions do nothing but compute.

use super::scope::{Entity, Storage};
use super::{Lowering, Value};
use ir::{Expr, Op};
use lang_c::ast::{BinaryOperator, Expression, UnaryOperator};

impl Lowering {
    /// Whether evaluating an expression emits nothing: no access to memory, no assignment, no call.
    pub fn pure(&self, e: &Expression) -> bool {
        match e {
            Expression::Identifier(name) => match self.lookup(&name.node.name) {
                Some(Entity::Constant(..)) => true,
                Some(Entity::Variable(variable)) => {
                    matches!(variable.storage, Storage::Local(_)) && !variable.ty.is_float()
                }
                Some(Entity::Typedef(_) | Entity::Global(_) | Entity::Function(_) | Entity::Bad(_)) | None => false,
            },
            Expression::Constant(_) | Expression::SizeOfTy(_) | Expression::SizeOfVal(_) | Expression::AlignOf(_) => {
                true
            }
            Expression::UnaryOperator(unary) => match unary.node.operator.node {
                UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Complement | UnaryOperator::Negate => {
                    self.pure(&unary.node.operand.node)
                }
                UnaryOperator::PostIncrement
                | UnaryOperator::PostDecrement
                | UnaryOperator::PreIncrement
                | UnaryOperator::PreDecrement
                | UnaryOperator::Address
                | UnaryOperator::Indirection => false,
            },
            Expression::Cast(cast) => self.pure(&cast.node.expression.node),
            Expression::BinaryOperator(binary) => {
                computes(&binary.node.operator.node)
                    && self.pure(&binary.node.lhs.node)
                    && self.pure(&binary.node.rhs.node)
            }
            Expression::Conditional(conditional) => {
                let parts = &conditional.node;
                self.pure(&parts.condition.node)
                    && self.pure(&parts.then_expression.node)
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
        | Expression::SizeOfTy(_)
        | Expression::SizeOfVal(_)
        | Expression::AlignOf(_)
        | Expression::OffsetOf(_)
        | Expression::CompoundLiteral(_) => false,
        Expression::Member(member) => assigns(&member.node.expression.node),
        // A call may assign to a local through `&x` where the library does so.
        Expression::Call(_) | Expression::Statement(_) | Expression::VaArg(_) | Expression::GenericSelection(_) => true,
        Expression::UnaryOperator(unary) => match unary.node.operator.node {
            UnaryOperator::PostIncrement
            | UnaryOperator::PostDecrement
            | UnaryOperator::PreIncrement
            | UnaryOperator::PreDecrement => true,
            UnaryOperator::Address
            | UnaryOperator::Indirection
            | UnaryOperator::Plus
            | UnaryOperator::Minus
            | UnaryOperator::Complement
            | UnaryOperator::Negate => assigns(&unary.node.operand.node),
        },
        Expression::Cast(cast) => assigns(&cast.node.expression.node),
        Expression::BinaryOperator(binary) => {
            let op = &binary.node.operator.node;
            (!computes(op) && *op != BinaryOperator::Index)
                || assigns(&binary.node.lhs.node)
                || assigns(&binary.node.rhs.node)
        }
        Expression::Conditional(conditional) => {
            let parts = &conditional.node;
            assigns(&parts.condition.node)
                || assigns(&parts.then_expression.node)
                || assigns(&parts.else_expression.node)
        }
        Expression::Comma(all) => all.iter().any(|each| assigns(&each.node)),
    }
}
