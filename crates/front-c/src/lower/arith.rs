//! Conversions and operators.

use super::fold::fold;
use super::{Lowering, Value};
use crate::types::{Kind, Type};
use c_syntax::ast::BinaryOperator;
use ir::{Address, BinaryOp, Expr, ObjectId, Op, System, UnaryOp, Width};
use source::Diagnostic;

impl Lowering {
    /// Converts as by assignment or cast.
    pub fn convert(&mut self, value: Value, to: &Type) -> Result<Value, Diagnostic> {
        let to = to.unqualified();
        if to.is_void() || value.ty.kind == to.kind {
            return Ok(Value { expr: value.expr, ty: to });
        }
        let width = self.scalar_width(&to)?;
        self.scalar_width(&value.ty)?;
        if value.ty.is_float() || to.is_float() {
            return self.convert_float(&value, &to, width);
        }
        if to.kind == Kind::Bool {
            let bit = self.truth(value);
            return Ok(Value { expr: fold(bit.unary(UnaryOp::ZeroExtend(width))), ty: to });
        }
        let value = if self.types.ilp32 { self.between_sizes(value, &to) } else { value };
        let from = self.body.width(&value.expr);
        let signed = value.ty.is_signed();
        let expr = if width < from {
            self.refuse_address(&value.expr)?;
            narrow(value.expr, width)
        } else if width > from {
            // A truth value that was widened is widened further in one step.
            match value.expr {
                Expr::Unary(UnaryOp::ZeroExtend(_), inner) => fold(inner.unary(UnaryOp::ZeroExtend(width))),
                expr => {
                    let extend = if signed { UnaryOp::SignExtend(width) } else { UnaryOp::ZeroExtend(width) };
                    fold(expr.unary(extend))
                }
            }
        } else {
            value.expr
        };
        Ok(Value { expr, ty: to })
    }

    /// Refuses a part of an address as a number: which one it is, nobody can tell.
    fn refuse_address(&self, expr: &Expr) -> Result<(), Diagnostic> {
        let local = |local: &ir::LocalId| self.body.function.locals[local.index()].name.starts_with('&');
        let found = match expr {
            Expr::Address(..) => true,
            Expr::Local(id) => local(id),
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub, base, _) => match &**base {
                Expr::Address(..) => true,
                Expr::Local(id) => local(id),
                Expr::Const(..) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => false,
            },
            Expr::Const(..) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => false,
        };
        if !found {
            return Ok(());
        }
        let complaint =
            self.error(self.span(), "a part of an address is used as a number, and nobody knows which number");
        Err(complaint.help("compare pointers with pointers, or keep the whole address in an `uintptr_t`"))
    }

    /// Where integers have half the width of an address: a pointer becomes an integer of 32 bits, or the other way round,
    /// so that it can be turned back. The number of the object goes into the upper 12 bits, the offset into the others;
    /// numbers below 2^20 stay what they are.
    fn between_sizes(&mut self, value: Value, to: &Type) -> Value {
        let shift = |e: Expr, op: BinaryOp, by: i64| fold(e.binary(op, Expr::constant(by, Width::WORD)));
        let first = (Address { object: ObjectId(0), offset: 0 }.to_bits() >> 40) as i64 - 1;
        // The number of an object, from what stands for it elsewhere; nothing stays nothing.
        let moved = |e: Expr, by: i64| {
            let nothing = fold(e.clone().binary(BinaryOp::Eq, Expr::constant(0, Width::WORD)));
            let sum = fold(e.clone().binary(BinaryOp::Add, Expr::constant(by, Width::WORD)));
            fold(Expr::Select(Box::new(nothing), Box::new(e), Box::new(sum)))
        };
        let low = |e: Expr| fold(e.binary(BinaryOp::And, Expr::constant(0xf_ffff, Width::WORD)));
        let narrow = |ty: &Type| matches!(ty.kind, Kind::Int { bits, .. } if bits <= 32);
        if value.ty.is_pointer() && narrow(to) {
            let object = shift(moved(shift(value.expr.clone(), BinaryOp::LShr, 40), -first), BinaryOp::Shl, 20);
            let expr = fold(object.binary(BinaryOp::Or, low(value.expr)));
            return Value { expr, ty: Type::ULONG_LONG };
        }
        if to.is_pointer() && narrow(&value.ty) {
            let bits = if value.ty.is_signed() && self.body.width(&value.expr) < Width::INT {
                fold(value.expr.unary(UnaryOp::SignExtend(Width::INT)))
            } else {
                value.expr
            };
            let word = fold(bits.unary(UnaryOp::ZeroExtend(Width::WORD)));
            let object = shift(moved(shift(word.clone(), BinaryOp::LShr, 20), first), BinaryOp::Shl, 40);
            return Value { expr: fold(object.binary(BinaryOp::Or, low(word))), ty: Type::ULONG_LONG };
        }
        value
    }

    fn convert_float(&mut self, value: &Value, to: &Type, width: Width) -> Result<Value, Diagnostic> {
        if !to.is_float() {
            if let Some(number) = float_constant(value) {
                let whole = if to.kind == Kind::Bool { i64::from(number != 0.0) } else { number as i64 };
                return Ok(self.int(whole, to));
            }
            let complaint = self.error(self.span(), "a floating-point value is made into an integer here");
            return Err(complaint.help("compute it with integers: the values of floating-point numbers are not known"));
        }
        let number = match (&value.expr, value.ty.is_float()) {
            (_, true) => float_constant(value),
            (Expr::Const(bits, from), false) => {
                let signed = value.ty.is_signed();
                Some(if signed { ir::sign_extend(*bits, *from) as f64 } else { *bits as f64 })
            }
            (_, false) => None,
        };
        match number {
            Some(number) if width.bits() == 32 => {
                Ok(Value { expr: Expr::Const(u64::from((number as f32).to_bits()), width), ty: to.clone() })
            }
            Some(number) => Ok(Value { expr: Expr::Const(number.to_bits(), width), ty: to.clone() }),
            None => Ok(self.any(to, width)),
        }
    }

    /// Any value of a scalar type.
    pub fn any(&mut self, ty: &Type, width: Width) -> Value {
        let dst = self.temp(width);
        self.emit(Op::System(System::Nondet { dst }));
        Value { expr: Expr::Local(dst), ty: ty.unqualified() }
    }

    /// Whether a scalar is not zero: one bit. A floating value is complained about at the end.
    pub fn truth(&mut self, value: Value) -> Expr {
        if value.ty.is_float() {
            if let Some(number) = float_constant(&value) {
                return Expr::constant(i64::from(number != 0.0), Width::BOOL);
            }
            let complaint = self.float_decides();
            self.complain(complaint);
            return Expr::constant(0, Width::BOOL);
        }
        self.bit(value.expr)
    }

    fn bit(&mut self, expr: Expr) -> Expr {
        match expr {
            Expr::Unary(UnaryOp::ZeroExtend(_), inner) => self.bit(*inner),
            Expr::Address(..) => Expr::constant(1, Width::BOOL),
            expr => {
                let width = self.body.width(&expr);
                if width == Width::BOOL {
                    return expr;
                }
                fold(expr.binary(BinaryOp::Ne, Expr::constant(0, width)))
            }
        }
    }

    fn float_decides(&self) -> Diagnostic {
        let complaint = self.error(self.span(), "a floating-point value decides here");
        complaint.help("use integers: the values of floating-point numbers are not known")
    }

    /// A truth value as an `int`.
    pub fn int_from_bit(&self, bit: Expr) -> Value {
        Value { expr: fold(bit.unary(UnaryOp::ZeroExtend(Width::INT))), ty: Type::INT }
    }

    /// The integer promotions.
    pub fn promote(&mut self, value: Value) -> Result<Value, Diagnostic> {
        match value.ty.kind {
            Kind::Bool => self.convert(value, &Type::INT),
            Kind::Int { bits, .. } if bits < 32 => self.convert(value, &Type::INT),
            Kind::Int { .. } | Kind::Float(_) | Kind::Pointer(_) => Ok(value),
            Kind::Void
            | Kind::Array(..)
            | Kind::VariableArray(..)
            | Kind::Record(_)
            | Kind::Function(_)
            | Kind::Bad(_) => {
                self.scalar_width(&value.ty)?;
                Ok(value)
            }
        }
    }

    /// The type that two operands have in common.
    pub fn common_type(left: &Type, right: &Type) -> Type {
        match (&left.kind, &right.kind) {
            (Kind::Float(a), Kind::Float(b)) => Kind::Float(*a.max(b)).into(),
            (Kind::Float(_), _) => left.clone(),
            (_, Kind::Float(_)) => right.clone(),
            (Kind::Int { bits: a, signed: s, rank: r }, Kind::Int { bits: b, signed: t, rank: q }) => {
                let rank = *r.max(q);
                match a.cmp(b) {
                    std::cmp::Ordering::Less => Type::integer(*b, *t, *q),
                    std::cmp::Ordering::Greater => Type::integer(*a, *s, *r),
                    std::cmp::Ordering::Equal => Type::integer(*a, *s && *t, rank),
                }
            }
            _ => left.clone(),
        }
    }

    /// `left op right` for all operators but `&&`, `||`, `[]` and assignments.
    pub fn binary(&mut self, op: &BinaryOperator, left: Value, right: Value) -> Result<Value, Diagnostic> {
        let (pointers, compares) = (left.ty.is_pointer() || right.ty.is_pointer(), comparison(op));
        if pointers {
            return match op {
                BinaryOperator::Plus if left.ty.is_pointer() => self.pointer_sum(left, right, false),
                BinaryOperator::Plus => self.pointer_sum(right, left, false),
                BinaryOperator::Minus if right.ty.is_pointer() => self.pointer_difference(left, right),
                BinaryOperator::Minus => self.pointer_sum(left, right, true),
                _ if compares => {
                    self.note_comparison(&left, &right);
                    let ty = if left.ty.is_pointer() { left.ty.clone() } else { right.ty.clone() };
                    let (left, right) = (self.convert(left, &ty)?, self.convert(right, &ty)?);
                    Ok(self.compare(op, left.expr, right.expr, false))
                }
                _ => {
                    let complaint = self.error(self.span(), "this cannot be computed with pointers");
                    Err(complaint.help("cast the pointer to an integer as wide as a pointer first"))
                }
            };
        }
        let (left, right) = (self.promote(left)?, self.promote(right)?);
        if matches!(op, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight) {
            return self.shift(op, left, right);
        }
        let ty = Self::common_type(&left.ty, &right.ty);
        let (left, right) = (self.convert(left, &ty)?, self.convert(right, &ty)?);
        if ty.is_float() {
            return self.float_binary(op, &left, &right, &ty);
        }
        if compares {
            return Ok(self.compare(op, left.expr, right.expr, ty.is_signed()));
        }
        let signed = ty.is_signed();
        let op = match op {
            BinaryOperator::Multiply => BinaryOp::Mul,
            BinaryOperator::Divide if signed => BinaryOp::SDiv,
            BinaryOperator::Divide => BinaryOp::UDiv,
            BinaryOperator::Modulo if signed => BinaryOp::SRem,
            BinaryOperator::Modulo => BinaryOp::URem,
            BinaryOperator::Plus => BinaryOp::Add,
            BinaryOperator::Minus => BinaryOp::Sub,
            BinaryOperator::BitwiseAnd => BinaryOp::And,
            BinaryOperator::BitwiseXor => BinaryOp::Xor,
            BinaryOperator::BitwiseOr => BinaryOp::Or,
            _ => return Err(self.error(self.span(), "this operator cannot stand here").help("rewrite the expression")),
        };
        self.check_overflow(op, &left.expr, &right.expr, &ty);
        if matches!(op, BinaryOp::SDiv | BinaryOp::UDiv | BinaryOp::SRem | BinaryOp::URem) {
            self.check_divisor(&right.expr);
        }
        Ok(Value { expr: fold(left.expr.binary(op, right.expr)), ty })
    }

    /// A division by zero is a failure.
    fn check_divisor(&mut self, divisor: &Expr) {
        let width = self.body.width(divisor);
        let condition = fold(divisor.clone().binary(BinaryOp::Ne, Expr::constant(0, width)));
        if self.options.competition || matches!(condition, Expr::Const(1, _)) {
            return;
        }
        self.emit(Op::System(System::Assert { condition, message: ir::DIVISION.to_owned() }));
    }

    fn compare(&mut self, op: &BinaryOperator, left: Expr, right: Expr, signed: bool) -> Value {
        let (less, at_most) = if signed { (BinaryOp::SLt, BinaryOp::SLe) } else { (BinaryOp::ULt, BinaryOp::ULe) };
        let bit = match op {
            BinaryOperator::Less => left.binary(less, right),
            BinaryOperator::Greater => right.binary(less, left),
            BinaryOperator::LessOrEqual => left.binary(at_most, right),
            BinaryOperator::GreaterOrEqual => right.binary(at_most, left),
            BinaryOperator::Equals => left.binary(BinaryOp::Eq, right),
            _ => left.binary(BinaryOp::Ne, right),
        };
        // The address of an object is never null.
        let bit = match bit {
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) => match (&*a, &*b) {
                (Expr::Address(x, _), Expr::Address(y, _)) if x != y => {
                    Expr::constant(i64::from(op == BinaryOp::Ne), Width::BOOL)
                }
                (Expr::Address(_, x), Expr::Address(_, y)) => {
                    Expr::constant(i64::from((x == y) == (op == BinaryOp::Eq)), Width::BOOL)
                }
                (Expr::Address(..), Expr::Const(0, _)) | (Expr::Const(0, _), Expr::Address(..)) => {
                    Expr::constant(i64::from(op == BinaryOp::Ne), Width::BOOL)
                }
                _ => fold(Expr::Binary(op, a, b)),
            },
            other => fold(other),
        };
        self.int_from_bit(bit)
    }

    fn shift(&mut self, op: &BinaryOperator, left: Value, right: Value) -> Result<Value, Diagnostic> {
        if left.ty.is_float() || right.ty.is_float() {
            return Err(self.error(self.span(), "a floating-point value cannot be shifted").help("use integers"));
        }
        let ty = left.ty.clone();
        self.check_shift(&right, self.body.width(&left.expr));
        // The amount has a type of its own: what does not fit the other's width is too much in any case.
        let mut amount = self.convert(right.clone(), &ty)?;
        if self.body.width(&right.expr) > self.body.width(&left.expr) && !matches!(right.expr, Expr::Const(..)) {
            let limit = self.int(i64::from(self.body.width(&left.expr).bits()), &right.ty);
            let fits = right.expr.binary(BinaryOp::ULt, limit.expr);
            let most = self.int(-1, &ty);
            amount.expr = Expr::Select(Box::new(fits), Box::new(amount.expr), Box::new(most.expr));
        }
        let op = match op {
            BinaryOperator::ShiftLeft => {
                self.check_shift_overflow(&left.expr, &amount.expr, &ty);
                BinaryOp::Shl
            }
            _ if ty.is_signed() => BinaryOp::AShr,
            _ => BinaryOp::LShr,
        };
        Ok(Value { expr: fold(left.expr.binary(op, amount.expr)), ty })
    }

    fn float_binary(
        &mut self,
        op: &BinaryOperator,
        left: &Value,
        right: &Value,
        ty: &Type,
    ) -> Result<Value, Diagnostic> {
        let constants = float_constant(left).zip(float_constant(right));
        if comparison(op) {
            let Some((a, b)) = constants else { return Err(self.float_decides()) };
            let holds = match op {
                BinaryOperator::Less => a < b,
                BinaryOperator::Greater => a > b,
                BinaryOperator::LessOrEqual => a <= b,
                BinaryOperator::GreaterOrEqual => a >= b,
                BinaryOperator::Equals => a == b,
                _ => a != b,
            };
            return Ok(self.int(i64::from(holds), &Type::INT));
        }
        let width = self.scalar_width(ty)?;
        let exact = match (op, constants, width.bits()) {
            (BinaryOperator::Plus, Some((a, b)), 64) => Some(a + b),
            (BinaryOperator::Minus, Some((a, b)), 64) => Some(a - b),
            (BinaryOperator::Multiply, Some((a, b)), 64) => Some(a * b),
            (BinaryOperator::Divide, Some((a, b)), 64) => Some(a / b),
            _ => None,
        };
        Ok(match exact {
            Some(number) => Value { expr: Expr::Const(number.to_bits(), width), ty: ty.clone() },
            None => self.any(ty, width),
        })
    }

    /// `pointer + index`, or `pointer - index`.
    pub fn pointer_sum(&mut self, pointer: Value, index: Value, minus: bool) -> Result<Value, Diagnostic> {
        let element = self.pointee(&pointer)?;
        if !index.ty.is_integer() {
            let complaint = self.error(self.span(), "only an integer can be added to a pointer");
            return Err(complaint.help("use an integer index"));
        }
        let step = self.size_value(&element)?;
        let wide = if index.ty.is_signed() { Type::LONG_LONG } else { Type::ULONG_LONG };
        let index = self.convert(index, &wide)?;
        let one = step == Expr::Const(1, Width::WORD);
        let bytes = if one { index.expr } else { fold(index.expr.binary(BinaryOp::Mul, step)) };
        let op = if minus { BinaryOp::Sub } else { BinaryOp::Add };
        let expr = match bytes {
            Expr::Const(0, _) => pointer.expr,
            bytes => fold(pointer.expr.binary(op, bytes)),
        };
        Ok(Value { expr, ty: pointer.ty })
    }

    fn pointer_difference(&mut self, left: Value, right: Value) -> Result<Value, Diagnostic> {
        let element = self.pointee(&left)?;
        if !right.ty.is_pointer() {
            return Err(self.error(self.span(), "a pointer is taken from a number").help("swap the operands"));
        }
        let step = self.size_value(&element)?;
        let bytes = fold(left.expr.binary(BinaryOp::Sub, right.expr));
        let count = match step {
            Expr::Const(0 | 1, _) => bytes,
            step => fold(bytes.binary(BinaryOp::SDiv, step)),
        };
        let ty = self.types.long(true);
        self.convert(Value { expr: count, ty: Type::LONG_LONG }, &ty)
    }
}

/// Keeps the low bits. What was widened before is not widened at all.
fn narrow(expr: Expr, width: Width) -> Expr {
    match expr {
        Expr::Unary(UnaryOp::ZeroExtend(_) | UnaryOp::SignExtend(_), inner) if matches!(&*inner, Expr::Binary(op, ..) if op.is_comparison()) => {
            fold(inner.unary(UnaryOp::ZeroExtend(width)))
        }
        expr => fold(expr.unary(UnaryOp::Truncate(width))),
    }
}

/// The number that a floating-point constant stands for.
fn float_constant(value: &Value) -> Option<f64> {
    match (&value.expr, &value.ty.kind) {
        (Expr::Const(bits, _), Kind::Float(32)) => Some(f64::from(f32::from_bits(*bits as u32))),
        (Expr::Const(bits, _), Kind::Float(_)) => Some(f64::from_bits(*bits)),
        _ => None,
    }
}

/// Whether an operator compares.
pub(crate) fn comparison(op: &BinaryOperator) -> bool {
    matches!(
        op,
        BinaryOperator::Less
            | BinaryOperator::Greater
            | BinaryOperator::LessOrEqual
            | BinaryOperator::GreaterOrEqual
            | BinaryOperator::Equals
            | BinaryOperator::NotEquals
    )
}
