//! Functions of numbers: bit counting, absolute values, hints to the compiler.

use super::Outcome;
use super::context::Call;
use crate::lower::Value;
use crate::types::Type;
use ir::{BinaryOp, Expr, UnaryOp, Width};
use source::Diagnostic;

pub(super) fn call(call: &mut Call<'_, '_>) -> Outcome {
    let value = match call.name {
        "__builtin_expect" | "__builtin_expect_with_probability" => {
            call.at_least(1)?;
            let long = call.lowering.types.long(true);
            call.value_as(0, &long)?
        }
        "__builtin_constant_p" => call.success(),
        "__builtin_object_size" | "__builtin_dynamic_object_size" => {
            let ty = call.lowering.types.size_type();
            call.lowering.int(-1, &ty)
        }
        "__builtin_bswap16" => swapped(call, &Type::USHORT)?,
        "__builtin_bswap32" => swapped(call, &Type::UINT)?,
        "__builtin_bswap64" => swapped(call, &Type::ULONG_LONG)?,
        "__builtin_prefetch" => {
            call.evaluate_effects(0..call.args.len())?;
            return Ok(Some(None));
        }
        "__builtin_assume_aligned" => {
            call.at_least(1)?;
            call.value(0)?
        }
        "abs" | "labs" | "llabs" => {
            call.arity(1)?;
            let ty = match call.name {
                "abs" => Type::INT,
                "labs" => call.lowering.types.long(true),
                _ => Type::LONG_LONG,
            };
            let value = call.value_as(0, &ty)?;
            let value = call.keep(value).expr;
            call.lowering.check_negation(&value, &ty);
            let zero = Expr::Const(0, ty.width().unwrap_or(Width::INT));
            let negative = value.clone().binary(BinaryOp::SLt, zero);
            let opposite = value.clone().unary(UnaryOp::Neg);
            Value { expr: Expr::Select(Box::new(negative), Box::new(opposite), Box::new(value)), ty }
        }
        name => match counting(name) {
            Some((count, long)) => {
                call.arity(1)?;
                let ty = match long {
                    Long::No => Type::UINT,
                    Long::Once => call.lowering.types.long(false),
                    Long::Twice => Type::ULONG_LONG,
                };
                counted(call, count, &ty)?
            }
            None => return Ok(None),
        },
    };
    Ok(Some(Some(value)))
}

/// A number with its bytes in the other order.
fn swapped(call: &mut Call<'_, '_>, ty: &Type) -> Result<Value, Diagnostic> {
    call.arity(1)?;
    let value = call.value_as(0, ty)?;
    let value = call.keep(value).expr;
    let width = ty.width().unwrap_or(Width::WORD);
    Ok(Value { expr: swapped_bytes(&value, width), ty: ty.clone() })
}

/// The bytes of a value in the other order.
pub(super) fn swapped_bytes(value: &Expr, width: Width) -> Expr {
    let number = |n: u64| Expr::Const(n, width);
    let bits = u64::from(width.bits());
    if bits <= 8 {
        return value.clone();
    }
    let bytes = (0..bits / 8).map(|at| {
        let byte = value.clone().binary(BinaryOp::LShr, number(8 * at)).binary(BinaryOp::And, number(0xff));
        byte.binary(BinaryOp::Shl, number(bits - 8 - 8 * at))
    });
    bytes.fold(number(0), |all, byte| all.binary(BinaryOp::Or, byte))
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Count {
    Ones,
    Parity,
    LeadingZeros,
    TrailingZeros,
    FirstSet,
}

/// Which letters follow the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Long {
    No,
    Once,
    Twice,
}

fn counting(name: &str) -> Option<(Count, Long)> {
    // Of these functions one is in the C library as well.
    let name = if name.starts_with("ffs") { name } else { name.strip_prefix("__builtin_")? };
    let (name, long) = match (name.strip_suffix("ll"), name.strip_suffix('l')) {
        (Some(name), _) => (name, Long::Twice),
        (None, Some(name)) => (name, Long::Once),
        (None, None) => (name, Long::No),
    };
    let count = match name {
        "popcount" => Count::Ones,
        "parity" => Count::Parity,
        "clz" => Count::LeadingZeros,
        "ctz" => Count::TrailingZeros,
        "ffs" => Count::FirstSet,
        _ => return None,
    };
    Some((count, long))
}

fn counted(call: &mut Call<'_, '_>, count: Count, ty: &Type) -> Result<Value, Diagnostic> {
    let value = call.value_as(0, ty)?;
    let value = call.keep(value).expr;
    let width = ty.width().unwrap_or(Width::INT);
    let bits = i64::from(width.bits());
    if matches!(count, Count::LeadingZeros | Count::TrailingZeros) {
        let some = value.clone().binary(BinaryOp::Ne, Expr::constant(0, width));
        call.demand(some, "the zeros of 0 are counted, which is undefined");
    }
    let number = |n: i64| Expr::constant(n, Width::INT);
    let bit = |at: i64| {
        let moved = value.clone().binary(BinaryOp::LShr, Expr::constant(at, width));
        moved.unary(UnaryOp::Truncate(Width::BOOL))
    };
    let first = |order: &mut dyn Iterator<Item = i64>, result: &dyn Fn(i64) -> i64, none: i64| {
        let places: Vec<i64> = order.collect();
        places.iter().rev().fold(number(none), |rest, &at| {
            Expr::Select(Box::new(bit(at)), Box::new(number(result(at))), Box::new(rest))
        })
    };
    let expr = match count {
        Count::Ones => (0..bits)
            .map(|at| bit(at).unary(UnaryOp::ZeroExtend(Width::INT)))
            .fold(number(0), |sum, one| sum.binary(BinaryOp::Add, one)),
        Count::Parity => {
            (1..bits).fold(bit(0), |sum, at| sum.binary(BinaryOp::Xor, bit(at))).unary(UnaryOp::ZeroExtend(Width::INT))
        }
        Count::LeadingZeros => first(&mut (0..bits).rev(), &|at| bits - 1 - at, bits),
        Count::TrailingZeros => first(&mut (0..bits), &|at| at, bits),
        Count::FirstSet => first(&mut (0..bits), &|at| at + 1, 0),
    };
    Ok(Value { expr, ty: Type::INT })
}
