//! The meaning of operators on concrete values.

use crate::expr::{BinaryOp, Expr, UnaryOp, Width};
use crate::program::{Address, Function};

/// The value of an expression and its width, where `locals` holds the values of the function's locals.
pub fn eval(expr: &Expr, function: &Function, locals: &[u64]) -> (u64, Width) {
    match expr {
        Expr::Const(value, width) => (*value, *width),
        Expr::Local(local) => (locals[local.index()], function.locals[local.index()].width),
        Expr::Address(object, offset) => (Address { object: *object, offset: *offset }.to_bits(), Width::WORD),
        Expr::Unary(op, operand) => {
            let (value, width) = eval(operand, function, locals);
            eval_unary(*op, value, width)
        }
        Expr::Binary(op, left, right) => {
            let (left, width) = eval(left, function, locals);
            eval_binary(*op, left, eval(right, function, locals).0, width)
        }
        Expr::Select(condition, then, otherwise) => {
            let chosen = if eval(condition, function, locals).0 != 0 { then } else { otherwise };
            eval(chosen, function, locals)
        }
    }
}

/// Keeps the low bits.
pub fn truncate(value: u64, width: Width) -> u64 {
    value & width.mask()
}

/// Reads the low bits as a signed number.
pub fn sign_extend(value: u64, width: Width) -> i64 {
    let unused = 64 - width.bits();
    ((value << unused) as i64) >> unused
}

/// The value of `op operand`, and its width.
pub fn eval_unary(op: UnaryOp, operand: u64, width: Width) -> (u64, Width) {
    match op {
        UnaryOp::Not => (truncate(!operand, width), width),
        UnaryOp::Neg => (truncate(operand.wrapping_neg(), width), width),
        UnaryOp::ZeroExtend(to) | UnaryOp::Truncate(to) => (truncate(operand, to), to),
        UnaryOp::SignExtend(to) => (truncate(sign_extend(operand, width) as u64, to), to),
        UnaryOp::Life => (crate::life::life_of(operand), Width::WORD),
    }
}

/// The value of `left op right`, both of width `width`, and its width.
pub fn eval_binary(op: BinaryOp, left: u64, right: u64, width: Width) -> (u64, Width) {
    let (sl, sr) = (sign_extend(left, width), sign_extend(right, width));
    let shift = u32::try_from(right).unwrap_or(u32::MAX);
    let word = |value: u64| (truncate(value, width), width);
    let truth = |value: bool| (u64::from(value), Width::BOOL);
    match op {
        BinaryOp::Add => word(left.wrapping_add(right)),
        BinaryOp::Sub => word(left.wrapping_sub(right)),
        BinaryOp::Mul => word(left.wrapping_mul(right)),
        BinaryOp::UDiv => word(left.checked_div(right).unwrap_or(u64::MAX)),
        BinaryOp::URem => word(left.checked_rem(right).unwrap_or(left)),
        BinaryOp::SDiv if sr == 0 => word(if sl < 0 { 1 } else { u64::MAX }),
        BinaryOp::SDiv => word(sl.wrapping_div(sr) as u64),
        BinaryOp::SRem if sr == 0 => word(left),
        BinaryOp::SRem => word(sl.wrapping_rem(sr) as u64),
        BinaryOp::And => word(left & right),
        BinaryOp::Or => word(left | right),
        BinaryOp::Xor => word(left ^ right),
        BinaryOp::Shl => word(if shift < width.bits() { left << shift } else { 0 }),
        BinaryOp::LShr => word(if shift < width.bits() { left >> shift } else { 0 }),
        BinaryOp::AShr => word((sl >> shift.min(63)) as u64),
        BinaryOp::Eq => truth(left == right),
        BinaryOp::Ne => truth(left != right),
        BinaryOp::ULt => truth(left < right),
        BinaryOp::ULe => truth(left <= right),
        BinaryOp::SLt => truth(sl < sr),
        BinaryOp::SLe => truth(sl <= sr),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_arithmetic_wraps() {
        let byte = Width::new(8);
        assert_eq!(eval_binary(BinaryOp::Add, 200, 100, byte), (44, byte));
        assert_eq!(eval_binary(BinaryOp::SLt, 200, 100, byte), (1, Width::BOOL));
        assert_eq!(eval_binary(BinaryOp::ULt, 200, 100, byte), (0, Width::BOOL));
        assert_eq!(eval_binary(BinaryOp::SDiv, 0xF9, 2, byte), (0xFD, byte));
        assert_eq!(eval_binary(BinaryOp::SRem, 0xF9, 2, byte), (0xFF, byte));
        assert_eq!(eval_binary(BinaryOp::AShr, 0x80, 200, byte), (0xFF, byte));
        assert_eq!(eval_binary(BinaryOp::Shl, 1, 8, byte), (0, byte));
        assert_eq!(eval_unary(UnaryOp::SignExtend(Width::WORD), 0x80, byte), (0xFFFF_FFFF_FFFF_FF80, Width::WORD));
    }

    #[test]
    fn division_by_zero_is_defined_as_in_smt_lib() {
        let byte = Width::new(8);
        assert_eq!(eval_binary(BinaryOp::UDiv, 5, 0, byte).0, 0xFF);
        assert_eq!(eval_binary(BinaryOp::URem, 5, 0, byte).0, 5);
        assert_eq!(eval_binary(BinaryOp::SDiv, 0xFB, 0, byte).0, 1);
        assert_eq!(eval_binary(BinaryOp::SDiv, 0x80, 0xFF, byte).0, 0x80);
    }
}
