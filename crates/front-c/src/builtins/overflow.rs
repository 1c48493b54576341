//! `__builtin_add_overflow` and its kin: the exact result, cut to a type, and whether the cut lost anything.
//!
//! Numbers have at most 64 bits here. The exact result is computed in 64 bits, signed where both operands fit that, else
//! unsigned, and it is found out whether even that overflows. Operands for which neither will do are refused.

use super::Outcome;
use super::context::Call;
use crate::lower::Value;
use crate::types::{Kind, Type};
use ir::{BinaryOp, Expr, UnaryOp, Width};
use source::Diagnostic;

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Sum,
    Difference,
    Product,
}

impl Operation {
    fn named(name: &str) -> Option<Operation> {
        match name {
            "add" => Some(Operation::Sum),
            "sub" => Some(Operation::Difference),
            "mul" => Some(Operation::Product),
            _ => None,
        }
    }

    fn op(self) -> BinaryOp {
        match self {
            Operation::Sum => BinaryOp::Add,
            Operation::Difference => BinaryOp::Sub,
            Operation::Product => BinaryOp::Mul,
        }
    }
}

pub(super) fn call(call: &mut Call<'_, '_>) -> Outcome {
    let Some(name) = call.name.strip_prefix("__builtin_").and_then(|name| name.strip_suffix("_overflow")) else {
        return Ok(None);
    };
    let (op, ty) = match (Operation::named(name), typed(call, name)) {
        (Some(op), _) => (op, None),
        (None, Some((op, ty))) => (op, Some(ty)),
        (None, None) => return Ok(None),
    };
    call.arity(3)?;
    let mut operand = |at: usize| -> Result<Value, Diagnostic> {
        let value = match &ty {
            Some(ty) => call.value_as(at, ty)?,
            None => call.value(at)?,
        };
        Ok(call.keep(value))
    };
    let (left, right) = (operand(0)?, operand(1)?);
    let pointer = call.lowering.type_of(&call.args[2])?;
    let target = match &pointer.kind {
        Kind::Pointer(target) if target.is_integer() => target.unqualified(),
        _ => return Err(call.error("the result goes to no integer").help("give it the address of an integer")),
    };
    let (exact, lost) = exact(call, op, &left, &right, &target)?;
    let width = target.width().unwrap_or(Width::WORD);
    let cut = if width < Width::WORD { exact.unary(UnaryOp::Truncate(width)) } else { exact };
    let lost = Value { expr: lost.unary(UnaryOp::ZeroExtend(Width::INT)), ty: Type::INT };
    let lost = call.keep(lost);
    call.lowering.assign_through(&call.args[2], Value { expr: cut, ty: target })?;
    Ok(Some(Some(lost)))
}

/// `saddl`: the operation and the type of `__builtin_saddl_overflow`.
fn typed(call: &Call<'_, '_>, name: &str) -> Option<(Operation, Type)> {
    let signed = name.starts_with('s');
    let name = name.strip_prefix(['s', 'u'])?;
    let (op, long) = name.split_at_checked(3)?;
    let op = Operation::named(op)?;
    let ty = match (long, signed) {
        ("", true) => Type::INT,
        ("", false) => Type::UINT,
        ("l", signed) => call.lowering.types.long(signed),
        ("ll", true) => Type::LONG_LONG,
        ("ll", false) => Type::ULONG_LONG,
        _ => return None,
    };
    Some((op, ty))
}

/// The result in 64 bits, and whether it is wrong in the type of the target.
fn exact(
    call: &mut Call<'_, '_>,
    op: Operation,
    left: &Value,
    right: &Value,
    target: &Type,
) -> Result<(Expr, Expr), Diagnostic> {
    let wide = |value: &Value| value.ty.width() == Some(Width::WORD);
    let narrow = !wide(left) && !wide(right);
    let natural = |value: &Value| !value.ty.is_signed();
    // The product of two unsigned numbers of 32 bits needs all 64.
    let unsigned = natural(left) && natural(right) && (!narrow || op == Operation::Product);
    let fits = |value: &Value| value.ty.is_signed() || !wide(value);
    let known = if unsigned { op != Operation::Difference || !target.is_signed() } else { fits(left) && fits(right) };
    if !known {
        return Err(call
            .error(format!("`{}` is not supported for these types together", call.name))
            .help("convert both operands and the result to one type first"));
    }
    let mut extended = |value: &Value| -> Result<Expr, Diagnostic> {
        let ty = if unsigned { Type::ULONG_LONG } else { Type::LONG_LONG };
        let value = call.lowering.convert(value.clone(), &ty)?;
        Ok(call.keep(value).expr)
    };
    let (a, b) = (extended(left)?, extended(right)?);
    let sum = a.clone().binary(op.op(), b.clone());
    let ty = Type::ULONG_LONG;
    let result = call.keep(Value { expr: sum, ty }).expr;
    let mut lost = if narrow { never() } else { overflows(op, unsigned, &a, &b, &result) };
    let number = |n: u64| Expr::Const(n, Width::WORD);
    let bits = target.width().unwrap_or(Width::WORD).bits();
    let is_bool = matches!(target.kind, Kind::Bool);
    let most = match (is_bool, target.is_signed()) {
        (true, _) => 1,
        (false, true) => u64::MAX >> (65 - bits),
        (false, false) => u64::MAX >> (64 - bits),
    };
    let out = if unsigned {
        number(most).binary(BinaryOp::ULt, result.clone())
    } else if target.is_signed() {
        let low = result.clone().binary(BinaryOp::SLt, number(!most));
        low.binary(BinaryOp::Or, number(most).binary(BinaryOp::SLt, result.clone()))
    } else {
        let negative = result.clone().binary(BinaryOp::SLt, number(0));
        negative.binary(BinaryOp::Or, number(most).binary(BinaryOp::ULt, result.clone()))
    };
    lost = lost.binary(BinaryOp::Or, out);
    Ok((result, lost))
}

fn never() -> Expr {
    Expr::Const(0, Width::BOOL)
}

/// Whether an operation in 64 bits overflows.
fn overflows(op: Operation, unsigned: bool, a: &Expr, b: &Expr, result: &Expr) -> Expr {
    let number = |n: u64| Expr::Const(n, Width::WORD);
    let (a, b, r) = (a.clone(), b.clone(), result.clone());
    let negative = |value: Expr| value.binary(BinaryOp::SLt, number(0));
    let differ = |x: &Expr, y: &Expr| x.clone().binary(BinaryOp::Xor, y.clone());
    match (op, unsigned) {
        (Operation::Sum, true) => r.binary(BinaryOp::ULt, a),
        (Operation::Difference, true) => a.binary(BinaryOp::ULt, b),
        (Operation::Sum, false) => negative(differ(&a, &r).binary(BinaryOp::And, differ(&b, &r))),
        (Operation::Difference, false) => negative(differ(&a, &b).binary(BinaryOp::And, differ(&a, &r))),
        (Operation::Product, _) => {
            let some = a.clone().binary(BinaryOp::Ne, number(0));
            let divide = if unsigned { BinaryOp::UDiv } else { BinaryOp::SDiv };
            let wrong = r.binary(divide, a.clone()).binary(BinaryOp::Ne, b.clone());
            let wrong = some.binary(BinaryOp::And, wrong);
            if unsigned {
                return wrong;
            }
            // The quotient of the smallest number and -1 is the smallest number again.
            let minus = a.binary(BinaryOp::Eq, number(u64::MAX));
            let smallest = b.binary(BinaryOp::Eq, number(1 << 63));
            wrong.binary(BinaryOp::Or, minus.binary(BinaryOp::And, smallest))
        }
    }
}
