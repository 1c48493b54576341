//! What the programs of other verifiers call: GenMC's and Dartagnan's marks and threads, Nidhugg's waits.
//!
//! Marks tell their tools how to search: where a loop that only waits begins, which store is the last one to its location. Here
//! they mean nothing. A loop between marks is the loop that the text says.

use super::Outcome;
use super::context::{Call, Update};
use super::threads;
use crate::lower::Value;
use crate::types::Type;
use ir::{BinaryOp, Expr, Op, System, Width};
use source::Diagnostic;

pub(super) fn call(call: &mut Call<'_, '_>) -> Outcome {
    let Some(name) = call.name.strip_prefix("__VERIFIER_") else { return Ok(None) };
    let value = match name {
        "loop_begin" | "spin_start" | "spin_end" | "annotate_begin" | "annotate_end" | "method_begin"
        | "method_end" | "hp_clear" | "hp_free" | "hp_retire" => {
            call.evaluate_all()?;
            None
        }
        "spawn" | "spawn_symmetric" => {
            call.arity(if name == "spawn" { 2 } else { 3 })?;
            if name == "spawn_symmetric" {
                call.value(2)?;
            }
            Some(threads::start(call, 0, 1)?)
        }
        "thread_create" => {
            call.arity(3)?;
            Some(threads::start(call, 1, 2)?)
        }
        "join" | "thread_join" => {
            call.arity(1)?;
            Some(threads::join(call)?)
        }
        "join_symmetric" => {
            call.arity(1)?;
            threads::join(call)?;
            None
        }
        "tid" => {
            let handle = threads::current(call)?;
            Some(call.lowering.convert(handle, &Type::UINT)?)
        }
        _ if name.starts_with("load_await_") => {
            call.arity(3)?;
            Some(load_await(call)?)
        }
        _ if name.starts_with("xchg_await_") => {
            call.arity(4)?;
            Some(exchange_await(call)?)
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// Nidhugg's `__VERIFIER_load_await_T(p, condition, operand)`: a load that waits for a value that fits.
fn load_await(call: &mut Call<'_, '_>) -> Result<Value, Diagnostic> {
    let condition = Condition::new(call, 1)?;
    let (addr, ty) = call.object(0)?;
    let operand = call.value_as(2, &ty)?;
    let operand = call.keep(operand).expr;
    let tags = call.lowering.tags(&["A", "SC"]);
    call.lowering.emit(Op::System(System::Await));
    let value = call.lowering.load(addr, &ty, tags)?;
    let value = call.keep(value);
    call.assume(condition.holds(&value.expr, &operand), true);
    Ok(value)
}

/// `__VERIFIER_xchg_await_T(p, value, condition, operand)`: an exchange that waits for a value that fits.
fn exchange_await(call: &mut Call<'_, '_>) -> Result<Value, Diagnostic> {
    let condition = Condition::new(call, 2)?;
    let (addr, ty) = call.object(0)?;
    let new = call.value_as(1, &ty)?;
    let new = call.keep(new).expr;
    let operand = call.value_as(3, &ty)?;
    let operand = call.keep(operand).expr;
    let tags = call.lowering.tags(&["A", "SC"]);
    let update = Update { addr, ty, read_tags: tags.clone(), write_tags: tags };
    let old = call.update(update, |old| (Some(condition.holds(&old, &operand)), new));
    call.assume(condition.holds(&old.expr, &operand), true);
    Ok(old)
}

/// What Nidhugg waits for, a comparison as four bits: signed, less, equal, greater.
#[derive(Debug, Clone)]
struct Condition(Expr);

impl Condition {
    fn new(call: &mut Call<'_, '_>, at: usize) -> Result<Self, Diagnostic> {
        let bits = call.value_as(at, &Type::UINT)?;
        Ok(Condition(call.keep(bits).expr))
    }

    /// Whether all of these bits are set.
    fn has(&self, bits: u64) -> Expr {
        let mask = Expr::Const(bits, Width::INT);
        self.0.clone().binary(BinaryOp::And, mask.clone()).binary(BinaryOp::Eq, mask)
    }

    fn holds(&self, value: &Expr, operand: &Expr) -> Expr {
        let compare = |left: &Expr, op: BinaryOp, right: &Expr| left.clone().binary(op, right.clone());
        let by_sign = |left: &Expr, right: &Expr| {
            let (signed, unsigned) = (compare(left, BinaryOp::SLt, right), compare(left, BinaryOp::ULt, right));
            Expr::Select(Box::new(self.has(8)), Box::new(signed), Box::new(unsigned))
        };
        let less = self.has(4).binary(BinaryOp::And, by_sign(value, operand));
        let equal = self.has(2).binary(BinaryOp::And, compare(value, BinaryOp::Eq, operand));
        let greater = self.has(1).binary(BinaryOp::And, by_sign(operand, value));
        less.binary(BinaryOp::Or, equal).binary(BinaryOp::Or, greater)
    }
}
