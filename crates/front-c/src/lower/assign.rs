//! Assignments.

use super::expr::Outcome;
use super::place::{At, Place};
use super::sites::Written;
use super::{Lowering, Value};
use crate::types::Type;
use c_syntax::ast::{BinaryOperator, Expression, Node, Range};
use ir::{Expr, Op};
use source::Diagnostic;

impl Lowering {
    /// `++` and `--`; gives the old or the new value. `whole` is all of it, if nobody wants that value.
    pub fn step(
        &mut self,
        operand: &Node<Expression>,
        op: &BinaryOperator,
        old: bool,
        whole: Option<Range>,
    ) -> Result<Value, Diagnostic> {
        let place = self.place(operand)?;
        let one = self.int(1, &Type::INT);
        if place.ty.is_atomic() {
            let written = || Written::update(whole?, operand.span, None, op);
            return self.written_as(&place, written, |lowering| lowering.atomic_update(&place, op, one, old));
        }
        let before = self.read(&place)?;
        let before = match &place.at {
            // The local changes, so its old value is kept elsewhere.
            At::Local(_) | At::Split(..) if old => {
                let width = self.body.width(&before.expr);
                let dst = self.temp(width);
                self.emit(Op::Assign { dst, value: before.expr });
                Value { expr: Expr::Local(dst), ty: before.ty }
            }
            At::Local(_) | At::Split(..) | At::Memory(_) => before,
        };
        let after = self.binary(op, before.clone(), one)?;
        let after = self.convert(after, &place.ty.unqualified())?;
        let written = self.write(&place, after)?;
        Ok(if old { before } else { written })
    }

    /// `lhs op= rhs`; `whole` is all of it, if nobody wants its value.
    pub fn compound_assign(
        &mut self,
        op: &BinaryOperator,
        lhs: &Node<Expression>,
        rhs: &Node<Expression>,
        whole: Option<Range>,
    ) -> Result<Value, Diagnostic> {
        let place = self.place(lhs)?;
        if place.ty.is_atomic() {
            let operand = self.rvalue(rhs)?;
            let written = || Written::update(whole?, lhs.span, Some(rhs.span), op);
            return self.written_as(&place, written, |lowering| lowering.atomic_update(&place, op, operand, false));
        }
        let left = self.read(&place)?;
        let left = self.keep_unless_pure(left, &rhs.node);
        let right = self.rvalue(rhs)?;
        let value = self.binary(op, left, right)?;
        let value = self.convert(value, &place.ty.unqualified())?;
        self.write(&place, value)
    }

    /// An update of an `_Atomic` object: one read-modify-write.
    fn atomic_update(
        &mut self,
        place: &Place,
        op: &BinaryOperator,
        operand: Value,
        old: bool,
    ) -> Result<Value, Diagnostic> {
        let At::Memory(addr) = place.at.clone() else {
            // An atomic variable that never leaves its function is like any other.
            let before = self.read(place)?;
            let width = self.body.width(&before.expr);
            let dst = self.temp(width);
            self.emit(Op::Assign { dst, value: before.expr });
            let before = Value { expr: Expr::Local(dst), ty: before.ty };
            let after = self.wrapping(|lowering| lowering.binary(op, before.clone(), operand))?;
            let after = self.convert(after, &place.ty.unqualified())?;
            let written = self.write(place, after)?;
            return Ok(if old { before } else { written });
        };
        let ty = place.ty.unqualified();
        let width = self.scalar_width(&ty)?;
        let dst = self.temp(width);
        let before = Value { expr: Expr::Local(dst), ty: ty.clone() };
        let after = self.wrapping(|lowering| lowering.binary(op, before.clone(), operand))?;
        let after = self.convert(after, &ty)?;
        let tags = self.plain_tags(&place.ty);
        let value = after.expr.clone();
        self.emit(Op::Rmw { dst, addr, when: None, value, read_tags: tags.clone(), write_tags: tags });
        Ok(if old { before } else { after })
    }

    /// `lhs = rhs`, which is all of `e`; its value may be unused.
    pub fn assign(
        &mut self,
        e: &Node<Expression>,
        lhs: &Node<Expression>,
        rhs: &Node<Expression>,
        unused: bool,
    ) -> Result<Outcome, Diagnostic> {
        let ty = self.type_of(lhs)?;
        if ty.is_record() {
            return self.eval_place(e);
        }
        let mut place = self.place(lhs)?;
        if let At::Memory(addr) = place.at {
            let kept = self.keep_unless_pure(Value { expr: addr, ty: Type::ULONG_LONG }, &rhs.node);
            place.at = At::Memory(kept.expr);
        }
        let value = self.rvalue(rhs)?;
        let value = self.convert(value, &place.ty.unqualified())?;
        self.name_block(&value, lhs);
        let written = || unused.then(|| Written::store(e.span, lhs.span, rhs.span));
        let value = self.written_as(&place, written, |lowering| lowering.write(&place, value))?;
        Ok(Outcome::Value(value))
    }
}

/// The operator inside `+=` and its kin.
pub(crate) fn compound(op: &BinaryOperator) -> Option<BinaryOperator> {
    Some(match op {
        BinaryOperator::AssignMultiply => BinaryOperator::Multiply,
        BinaryOperator::AssignDivide => BinaryOperator::Divide,
        BinaryOperator::AssignModulo => BinaryOperator::Modulo,
        BinaryOperator::AssignPlus => BinaryOperator::Plus,
        BinaryOperator::AssignMinus => BinaryOperator::Minus,
        BinaryOperator::AssignShiftLeft => BinaryOperator::ShiftLeft,
        BinaryOperator::AssignShiftRight => BinaryOperator::ShiftRight,
        BinaryOperator::AssignBitwiseAnd => BinaryOperator::BitwiseAnd,
        BinaryOperator::AssignBitwiseXor => BinaryOperator::BitwiseXor,
        BinaryOperator::AssignBitwiseOr => BinaryOperator::BitwiseOr,
        BinaryOperator::Index
        | BinaryOperator::Multiply
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
        | BinaryOperator::LogicalOr
        | BinaryOperator::Assign => return None,
    })
}
