//! Fences: C11's, GNU C's, CBMC's and those of compilers' intrinsics for hardware.
//!
//! C11's carry C11's tags, which a model's head maps to fences of the machine. Those of the machine carry the machine's
//! tags and stay what they are.

use super::Outcome;
use super::atomics::{Order, Ordered, order_argument};
use super::context::Call;
use crate::lower::Role;
use crate::text::SYNCHRONIZE;
use c_syntax::ast::{Expression, Node};
use source::Diagnostic;

/// Fences that order one kind of pairs each: their tags, by the letters of the pair.
const PAIRS: [(&str, &str); 4] = [("WW", "WWFENCE"), ("WR", "WRFENCE"), ("RW", "RWFENCE"), ("RR", "RRFENCE")];

pub(super) fn call(call: &mut Call<'_, '_>) -> Outcome {
    match call.name {
        "__atomic_thread_fence" | "atomic_thread_fence" | "__c11_atomic_thread_fence" => {
            call.arity(1)?;
            let Ordered { order, mark } = order_argument(call, 0, Role::Fence)?;
            // A relaxed fence does nothing, but it could do something.
            let tag = (order != Order::Relaxed).then(|| order.tag());
            let tags: Vec<&str> = tag.into_iter().chain(mark.as_deref()).collect();
            if !tags.is_empty() {
                call.fence(&tags);
            }
        }
        "__atomic_signal_fence" | "atomic_signal_fence" | "__c11_atomic_signal_fence" => call.arity(1)?,
        SYNCHRONIZE => {
            let mark = call.operation_site(SYNCHRONIZE, Role::Fence);
            let tags: Vec<&str> = std::iter::once("SC").chain(mark.as_deref()).collect();
            call.fence(&tags);
        }
        "__builtin_ia32_mfence" | "_mm_mfence" => call.fence(&["MFENCE"]),
        "__builtin_ia32_sfence" | "_mm_sfence" => call.fence(&["SFENCE"]),
        "__builtin_ia32_lfence" | "_mm_lfence" => call.fence(&["LFENCE"]),
        "__builtin_ia32_pause" | "_mm_pause" => {}
        "__builtin_ppc_sync" | "__sync" => call.fence(&["SYNC"]),
        "__builtin_ppc_lwsync" | "__lwsync" => call.fence(&["LWSYNC"]),
        "__builtin_ppc_isync" | "__isync" => call.fence(&["ISYNC"]),
        "__builtin_ppc_eieio" | "__eieio" => call.fence(&["EIEIO"]),
        "__CPROVER_fence" => chosen(call)?,
        _ => return Ok(None),
    }
    Ok(Some(None))
}

/// `__CPROVER_fence("WWfence", "RRfence", …)`. That it is cumulative (`"WWcumul"`) is not believed: it orders less then,
/// which is on the safe side.
fn chosen(call: &mut Call<'_, '_>) -> Result<(), Diagnostic> {
    let mut pairs = Vec::new();
    for arg in call.args {
        pairs.extend(pair(call, arg)?);
    }
    emit_pairs(call, &pairs);
    Ok(())
}

fn pair(call: &Call<'_, '_>, arg: &Node<Expression>) -> Result<Option<&'static str>, Diagnostic> {
    let text = call.lowering.string_value(arg).unwrap_or_default();
    let known = PAIRS.iter().find(|(letters, _)| text.strip_prefix(letters) == Some("fence"));
    if let Some((letters, _)) = known {
        return Ok(Some(letters));
    }
    if PAIRS.iter().any(|(letters, _)| text.strip_prefix(letters) == Some("cumul")) {
        return Ok(None);
    }
    let span = call.lowering.at(arg.span);
    Err(call
        .lowering
        .error(span, "this is no kind of fence")
        .help("the kinds are \"WWfence\", \"WRfence\", \"RWfence\" and \"RRfence\""))
}

/// A fence that orders pairs of these kinds, such as `WR`: the full one if they are all there.
pub(super) fn emit_pairs(call: &mut Call<'_, '_>, pairs: &[&str]) {
    let tags: Vec<&str> = PAIRS.iter().filter(|(letters, _)| pairs.contains(letters)).map(|(_, tag)| *tag).collect();
    match tags.len() {
        0 => {}
        4 => call.full_fence(),
        _ => call.fence(&tags),
    }
}
