//! Input, which can be anything.

use super::Outcome;
use super::context::Call;
use crate::lower::Value;
use crate::types::Type;
use ir::{BinaryOp, Expr, Width};

pub(super) fn call(call: &mut Call<'_, '_>) -> Outcome {
    let value = match call.name {
        "srand" | "srandom" | "setbuf" | "tzset" => {
            call.evaluate_all()?;
            None
        }
        "rand" | "random" | "rand_r" | "lrand48" => {
            if call.name == "rand_r" {
                call.arity(1)?;
                let state = call.any_value(&Type::UINT)?;
                call.lowering.assign_through(&call.args[0], state)?;
            }
            let value = call.any(Width::INT);
            let expr = value.binary(BinaryOp::And, Expr::Const(0x7fff_ffff, Width::INT));
            let result = Value { expr, ty: Type::INT };
            let long = call.lowering.types.long(true);
            Some(if matches!(call.name, "rand" | "rand_r") { result } else { call.lowering.convert(result, &long)? })
        }
        "time" => {
            call.arity(1)?;
            let long = call.lowering.types.long(true);
            let now = call.any_value(&long)?;
            if !call.is_null(0) {
                call.lowering.assign_through(&call.args[0], now.clone())?;
            }
            Some(now)
        }
        "clock" => {
            let long = call.lowering.types.long(true);
            Some(call.any_value(&long)?)
        }
        "getpid" | "getppid" | "getuid" | "gettid" | "sched_getcpu" => {
            call.evaluate_all()?;
            Some(call.any_value(&Type::INT)?)
        }
        "get_nprocs" | "get_nprocs_conf" => {
            call.arity(0)?;
            let count = call.any_value(&Type::INT)?;
            call.assume(Expr::constant(0, Width::INT).binary(BinaryOp::SLt, count.expr.clone()), false);
            Some(count)
        }
        // A byte, or that there is none.
        "getchar" => {
            call.evaluate_all()?;
            let (byte, ends) = (call.any_value(&Type::UCHAR)?, call.any_value(&Type::BOOL)?);
            let byte = call.lowering.convert(byte, &Type::INT)?;
            let ends = call.lowering.truth(ends);
            let none = call.lowering.int(-1, &Type::INT);
            let expr = Expr::Select(Box::new(ends), Box::new(none.expr), Box::new(byte.expr));
            Some(Value { expr, ty: Type::INT })
        }
        "sysconf" => {
            call.evaluate_all()?;
            let long = call.lowering.types.long(true);
            Some(call.any_value(&long)?)
        }
        "clock_gettime" => {
            call.arity(2)?;
            call.evaluate_effects(0..1)?;
            any_time(call, 1, 1_000_000_000)?;
            Some(call.success())
        }
        "timespec_get" => {
            call.arity(2)?;
            any_time(call, 0, 1_000_000_000)?;
            Some(call.value_as(1, &Type::INT)?)
        }
        "gettimeofday" => {
            call.arity(2)?;
            call.evaluate_effects(1..2)?;
            any_time(call, 0, 1_000_000)?;
            Some(call.success())
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// What an argument points to takes any time: a number of seconds, and of parts of one.
fn any_time(call: &mut Call<'_, '_>, at: usize, parts: u64) -> Result<(), source::Diagnostic> {
    let pointer = call.value(at)?;
    let pointer = call.keep(pointer);
    let ty = call.lowering.pointee(&pointer)?;
    let leaves = call.lowering.types.leaves(&ty).map_err(|why| call.error(why))?;
    let tags = call.lowering.tags(&["NA"]);
    for leaf in leaves {
        let value = call.any_value(&leaf.ty)?;
        if leaf.offset > 0 {
            let width = leaf.ty.width().unwrap_or(Width::WORD);
            call.assume(value.expr.clone().binary(BinaryOp::ULt, Expr::Const(parts, width)), false);
        }
        let addr = pointer.expr.clone().binary(BinaryOp::Add, Expr::Const(leaf.offset, Width::WORD));
        call.lowering.store(addr, value, tags.clone());
    }
    Ok(())
}
