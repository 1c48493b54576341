//! Operations of C that have no result for some operands: each becomes an assertion before it, where that is asked for.

use super::{Lowering, Unit, Value};
use crate::types::Type;
use c_syntax::ast::{BinaryOperator, Expression};
use ir::faults::{OVERFLOW, SHIFT};
use ir::{BinaryOp, Expr, Op, System, UnaryOp, Width};

impl Lowering {
    /// Does something whose operations are defined whatever the operands are, as those of atomic objects.
    pub fn wrapping<T>(&mut self, work: impl FnOnce(&mut Lowering) -> T) -> T {
        let overflow = std::mem::replace(&mut self.options.checks.overflow, false);
        let result = work(self);
        self.options.checks.overflow = overflow;
        result
    }

    /// Whether an assertion may come before an operation. Shifts by a number that is written there are not worth one.
    pub fn is_checked(&self, op: &BinaryOperator, right: &Expression) -> bool {
        match op {
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => {
                self.options.checks.overflow || self.options.checks.shifts && !matches!(right, Expression::Constant(_))
            }
            BinaryOperator::Plus
            | BinaryOperator::Minus
            | BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::Modulo => self.options.checks.overflow,
            _ => false,
        }
    }

    /// `left << right` is a number of the type of `left`, and `left` is not negative.
    pub fn check_shift_overflow(&mut self, left: &Expr, right: &Expr, ty: &Type) {
        if !self.options.checks.overflow || self.body.unit == Unit::Library || !ty.is_signed() {
            return;
        }
        let width = self.body.width(left);
        let shifted = left.clone().binary(BinaryOp::Shl, right.clone());
        let back = shifted.clone().binary(BinaryOp::AShr, right.clone());
        let zero = || Expr::constant(0, width);
        self.assert(zero().binary(BinaryOp::SLe, left.clone()), OVERFLOW);
        self.assert(zero().binary(BinaryOp::SLe, shifted), OVERFLOW);
        self.assert(back.binary(BinaryOp::Eq, left.clone()), OVERFLOW);
    }

    fn assert(&mut self, condition: Expr, message: &str) {
        let condition = super::fold::fold(condition);
        if !matches!(condition, Expr::Const(1, _)) {
            self.emit(Op::System(System::Assert { condition, message: message.to_owned() }));
        }
    }

    /// The amount of a shift is a number of bits that there are. It has its own type still.
    pub fn check_shift(&mut self, amount: &Value, shifted: Width) {
        if !self.options.checks.shifts || self.body.unit == Unit::Library {
            return;
        }
        let width = self.body.width(&amount.expr);
        let bits = Expr::Const(u64::from(shifted.bits()), width);
        self.assert(amount.expr.clone().binary(BinaryOp::ULt, bits), SHIFT);
    }

    /// `left op right` is a number of the type, which is the type of both.
    pub fn check_overflow(&mut self, op: BinaryOp, left: &Expr, right: &Expr, ty: &Type) {
        if !self.options.checks.overflow || self.body.unit == Unit::Library || !ty.is_signed() {
            return;
        }
        let width = self.body.width(left);
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if width < Width::WORD => {
                self.check_narrow(op, left, right, width);
            }
            BinaryOp::Add | BinaryOp::Sub => self.check_wide_sum(op, left, right, width),
            BinaryOp::Mul => self.check_wide_product(left, right, width),
            BinaryOp::SDiv | BinaryOp::SRem => {
                let least = left.clone().binary(BinaryOp::Eq, least(width));
                let minus = right.clone().binary(BinaryOp::Eq, Expr::constant(-1, width));
                self.assert(not(least.binary(BinaryOp::And, minus)), OVERFLOW);
            }
            BinaryOp::UDiv
            | BinaryOp::URem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::LShr
            | BinaryOp::AShr
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::ULt
            | BinaryOp::ULe
            | BinaryOp::SLt
            | BinaryOp::SLe => {}
        }
    }

    /// `-operand` is a number of the type.
    pub fn check_negation(&mut self, operand: &Expr, ty: &Type) {
        let zero = Expr::constant(0, self.body.width(operand));
        self.check_overflow(BinaryOp::Sub, &zero, operand, ty);
    }

    /// The exact result fits into twice the width.
    fn check_narrow(&mut self, op: BinaryOp, left: &Expr, right: &Expr, width: Width) {
        let wide = |expr: &Expr| super::fold::fold(expr.clone().unary(UnaryOp::SignExtend(Width::WORD)));
        let exact = super::fold::fold(wide(left).binary(op, wide(right)));
        let most = (width.mask() >> 1) as i64;
        let number = |value: i64| Expr::constant(value, Width::WORD);
        self.assert(number(-most - 1).binary(BinaryOp::SLe, exact.clone()), OVERFLOW);
        self.assert(exact.binary(BinaryOp::SLe, number(most)), OVERFLOW);
    }

    /// A sum overflows if it is on the wrong side of an operand, whose distance from it is the other one.
    fn check_wide_sum(&mut self, op: BinaryOp, left: &Expr, right: &Expr, width: Width) {
        let result = left.clone().binary(op, right.clone());
        let zero = || Expr::constant(0, width);
        let down = right.clone().binary(BinaryOp::SLt, zero());
        let lower = result.binary(BinaryOp::SLt, left.clone());
        let (down, lower) =
            if op == BinaryOp::Add { (down, lower) } else { (zero().binary(BinaryOp::SLt, right.clone()), lower) };
        self.assert(down.binary(BinaryOp::Eq, lower), OVERFLOW);
    }

    fn check_wide_product(&mut self, left: &Expr, right: &Expr, width: Width) {
        let result = left.clone().binary(BinaryOp::Mul, right.clone());
        let zero = left.clone().binary(BinaryOp::Eq, Expr::constant(0, width));
        let back = result.binary(BinaryOp::SDiv, left.clone()).binary(BinaryOp::Eq, right.clone());
        // The quotient of the least number and -1 is the least number again.
        let minus = left.clone().binary(BinaryOp::Eq, Expr::constant(-1, width));
        let turned = minus.binary(BinaryOp::And, right.clone().binary(BinaryOp::Eq, least(width)));
        self.assert(zero.binary(BinaryOp::Or, back.binary(BinaryOp::And, not(turned))), OVERFLOW);
    }
}

/// The least signed number.
fn least(width: Width) -> Expr {
    Expr::Const((width.mask() >> 1) + 1, width)
}

fn not(bit: Expr) -> Expr {
    bit.unary(UnaryOp::Not)
}
