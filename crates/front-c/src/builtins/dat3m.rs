//! The intrinsics behind Dartagnan's own header of the Linux kernel's operations, for programs that include that one instead of ours.
//!
//! The order of an operation and what it computes are arguments: the enumerators `__LKMM_once`, `__LKMM_acquire`… and
//! `__LKMM_op_add`… of that header, known by their values.

use super::Outcome;
use super::atomics::Swap;
use super::context::Call;
use super::kernel::{Order, ordered};
use crate::lower::Value;
use crate::types::Type;
use ir::{BinaryOp, Expr};
use source::Diagnostic;

/// The memory orders of the header, in its order, as an operation and as the tag of an access or a fence.
const ORDERS: [(Order, &str); 13] = [
    (Order::Relaxed, "ONCE"),
    (Order::Acquire, "ACQUIRE"),
    (Order::Release, "RELEASE"),
    (Order::Full, "MB"),
    (Order::Full, "WMB"),
    (Order::Full, "RMB"),
    (Order::Full, "RCU-LOCK"),
    (Order::Full, "RCU-UNLOCK"),
    (Order::Full, "SYNC-RCU"),
    (Order::Full, "BEFORE-ATOMIC"),
    (Order::Full, "AFTER-ATOMIC"),
    (Order::Full, "AFTER-SPINLOCK"),
    (Order::Relaxed, COMPILER),
];

/// The fence that only compilers see.
const COMPILER: &str = "";

const OPERATIONS: [BinaryOp; 4] = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::And, BinaryOp::Or];

pub(super) fn call(call: &mut Call<'_, '_>) -> Outcome {
    let Some(name) = call.name.strip_prefix("__LKMM_") else { return Ok(None) };
    let value = match name {
        "fence" => {
            call.arity(1)?;
            let (_, tag) = chosen(call, 0, &ORDERS)?;
            if tag != COMPILER {
                call.fence(&[tag]);
            }
            None
        }
        "load" => {
            call.arity(3)?;
            let (addr, ty) = call.object(0)?;
            let (_, tag) = chosen(call, 2, &ORDERS)?;
            let tags = call.lowering.tags(&[tag]);
            Some(call.lowering.load(addr, &ty, tags)?)
        }
        "store" => {
            call.arity(4)?;
            let (addr, ty) = call.object(0)?;
            let value = call.value_as(2, &ty)?;
            let (_, tag) = chosen(call, 3, &ORDERS)?;
            let tags = call.lowering.tags(&[tag]);
            call.lowering.store(addr, value, tags);
            None
        }
        "xchg" => {
            call.arity(4)?;
            let object = call.object(0)?;
            let new = operand(call, 2, &object.1)?;
            let (order, _) = chosen(call, 3, &ORDERS)?;
            Some(ordered(call, object, order, |_| (None, new)))
        }
        "cmpxchg" => {
            call.arity(6)?;
            let (addr, ty) = call.object(0)?;
            let expected = operand(call, 2, &ty)?;
            let new = operand(call, 3, &ty)?;
            let (order, _) = chosen(call, 4, &ORDERS)?;
            let swap = Swap { addr, ty: ty.clone(), expected, new, weak: false };
            let (found, _) = swap.emit(call, order.tags(), &["RMW", "ONCE"])?;
            Some(Value { expr: found, ty })
        }
        "atomic_op" => {
            call.arity(4)?;
            update(call, Order::NoReturn, 3)?;
            None
        }
        "atomic_op_return" | "atomic_fetch_op" => {
            call.arity(5)?;
            let (order, _) = chosen(call, 3, &ORDERS)?;
            let (old, new) = update(call, order, 4)?;
            Some(if name == "atomic_fetch_op" { old } else { new })
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// The entry of a table that an argument chooses.
fn chosen<T: Copy>(call: &mut Call<'_, '_>, at: usize, table: &[T]) -> Result<T, Diagnostic> {
    let number = call.lowering.const_value(&call.args[at]).and_then(|number| usize::try_from(number).ok());
    number.and_then(|number| table.get(number).copied()).ok_or_else(|| {
        let message = format!("argument {} of `{}` is none of the constants of its header", at + 1, call.name);
        call.error(message).help("use the macros of the header, such as READ_ONCE")
    })
}

fn operand(call: &mut Call<'_, '_>, at: usize, ty: &Type) -> Result<Expr, Diagnostic> {
    let value = call.value_as(at, ty)?;
    Ok(call.keep(value).expr)
}

/// What a read-modify-write found and what it left; `op` is the argument that says what it computes.
fn update(call: &mut Call<'_, '_>, order: Order, op: usize) -> Result<(Value, Value), Diagnostic> {
    let (addr, ty) = call.object(0)?;
    let amount = operand(call, 2, &ty)?;
    let op = chosen(call, op, &OPERATIONS)?;
    let old = ordered(call, (addr, ty.clone()), order, |old| (None, old.binary(op, amount.clone())));
    let new = Value { expr: old.expr.clone().binary(op, amount), ty };
    Ok((old, new))
}
