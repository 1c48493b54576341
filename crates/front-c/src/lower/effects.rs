//! Which expressions do nothing but compute.

use super::scope::{Entity, Storage};
use super::{Lowering, Value};
use c_syntax::ast::{BinaryOperator, Constant, Expression, Node, Statement, UnaryOperator};
use c_syntax::visit::{self, Visit};
use ir::{Expr, Op};
use source::Diagnostic;

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
                UnaryOperator::Minus if self.options.checks.overflow => {
                    matches!(unary.operand.node, Expression::Constant(_))
                }
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
                let divides = matches!(binary.operator, BinaryOperator::Divide | BinaryOperator::Modulo);
                computes(&binary.operator)
                    && !self.is_checked(&binary.operator, &binary.rhs.node)
                    && !(divides && may_be_zero(&binary.rhs.node))
                    && self.pure(&binary.lhs.node)
                    && self.pure(&binary.rhs.node)
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

    /// Whether evaluating an expression may change more than locals of functions that it calls.
    pub fn changes_something(&self, e: &Node<Expression>) -> bool {
        let mut effects = Effects { lowering: self, functions: Vec::new(), found: false };
        effects.expression(e);
        effects.found
    }

    /// Evaluates an expression again and again until it holds.
    pub fn repeat_until(&mut self, e: &Node<Expression>) -> Result<(), Diagnostic> {
        let (again, after) = (self.body.block(), self.body.block());
        self.body.fall_into(again);
        self.branch_on(e, after, again)?;
        self.body.resume(after);
        Ok(())
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

/// Looks for what changes memory, also in functions of the user that are called.
struct Effects<'l> {
    lowering: &'l Lowering,
    functions: Vec<String>,
    found: bool,
}

impl Visit for Effects<'_> {
    fn expression(&mut self, e: &Node<Expression>) {
        match &e.node {
            Expression::Unary(unary) => {
                self.found |= matches!(
                    unary.operator,
                    UnaryOperator::PostIncrement
                        | UnaryOperator::PostDecrement
                        | UnaryOperator::PreIncrement
                        | UnaryOperator::PreDecrement
                );
            }
            Expression::Binary(binary) => {
                let op = &binary.operator;
                self.found |= !computes(op) && *op != BinaryOperator::Index;
            }
            Expression::Call(call) => self.call(&call.callee.node),
            _ => {}
        }
        visit::expression(self, e);
    }

    fn statement(&mut self, s: &Statement) {
        self.found |= matches!(s, Statement::Asm(_));
        visit::statement(self, s);
    }
}

impl Effects<'_> {
    fn call(&mut self, callee: &Expression) {
        let Expression::Identifier(name) = callee else {
            self.found = true;
            return;
        };
        match self.lowering.definition(name) {
            Some(definition) => {
                if !self.functions.contains(name) {
                    self.functions.push(name.clone());
                    self.statement(&definition.statement.node);
                }
            }
            // What the library only reads is called so.
            None => {
                self.found |= !["load", "read", "expect", "fence", "mb"].iter().any(|word| name.contains(word));
            }
        }
    }
}

/// Whether a divisor is anything but a number other than zero: then dividing by it can fail.
fn may_be_zero(divisor: &Expression) -> bool {
    !matches!(divisor, Expression::Constant(Constant::Integer(integer)) if integer.value != 0)
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
