//! Functions that only our own runtime and our own header call.
//!
//! | call | meaning |
//! |---|---|
//! | `__fencepost_wait(c)` | go on where `c` holds; the thread is blocked elsewhere |
//! | `__fencepost_assume(c)` | go on where `c` holds; nobody asks about other paths |
//! | `__fencepost_limit(c, text)` | `c` must hold: the program goes beyond what the runtime can do elsewhere |
//! | `__fencepost_misuse(c, text)` | `c` must hold: the library is used wrongly elsewhere, which is a failure |
//! | `__fencepost_self()` | the handle of this thread |
//! | `__fencepost_mark()` | what a mutex holds that this thread has: its handle, or 1 in programs that need no more |
//! | `__fencepost_size(p)` | how many bytes the block has that was allocated at `p` |
//! | `__fencepost_fence()` | a full fence; of a language's model, none |
//! | `__fencepost_mutex_fence()` | what stands on either side of locking and unlocking: a full fence, unless the model says that its locks have none |
//! | `__fencepost_spin_fence()` | the same around the unlock of a spin lock: it orders all but a write before a read |
//! | `__fencepost_apart(to, from, n)` | the blocks between which `memcpy` copies do not overlap |
//! | `__fencepost_block(n)` | a block of the library itself, which nobody frees |
//! | `__fencepost_choice()`, `__fencepost_number()` | any truth value, any `unsigned int` |
//! | `__fencepost_get(p)`, `__fencepost_set(p, v)` | a relaxed atomic read, write |
//! | `__fencepost_see(p)`, `__fencepost_show(p, v)` | the same between threads that synchronise: they acquire and release where no fence does |
//! | `__fencepost_release(p, v)` | a write that releases |
//! | `__fencepost_swap_if(p, old, new)` | one read-modify-write: if `*p == old` then `*p = new` |
//! | `__fencepost_acquire_if(p, old, new)` | the same, and it acquires |
//! | `__fencepost_try_acquire_if(p, old, new)`, `_try_swap_if`, `_try_enter`, `_try_take` | the same as those without `try_`, where the thread goes on if nothing is written: then it acquires nothing |
//! | `__fencepost_add(p, v)`, `_and`, `_or` | one read-modify-write |
//! | `__fencepost_enter(p)`, `__fencepost_leave(p)` | a reader comes unless there is a writer; somebody goes |
//! | `__fencepost_take(p)` | one less unless it is 0 |
//! | `__fencepost_give(p)` | one more unless it is the most that a semaphore can be |
//! | `__fencepost_arrive(p, n)` | one more has come to the barrier; the `n`th begins a new round |
//!
//! The read-modify-writes give back what they read. Those that take something acquire, those that give something release. The accesses that do have the
//! tag `LIBRARY` (see `session`'s `compile`).

use super::Outcome;
use super::context::{Call, Update};
use crate::lower::Value;
use crate::types::Type;
use ir::{BinaryOp, Expr, Op, System, Width};
use source::Diagnostic;

pub(super) fn call(call: &mut Call<'_, '_>) -> Outcome {
    let Some(name) = call.name.strip_prefix("__fencepost_") else { return Ok(None) };
    let (name, tries) = name.strip_prefix("try_").map_or((name, false), |name| (name, true));
    let value = match name {
        "wait" if call.args.len() == 1 && call.lowering.changes_something(&call.args[0]) => {
            call.lowering.repeat_until(&call.args[0])?;
            None
        }
        "wait" | "assume" => {
            call.arity(1)?;
            if name == "wait" {
                call.lowering.emit(Op::System(System::Await));
            }
            let condition = call.truth(0)?;
            call.assume(condition, name == "wait");
            None
        }
        "limit" => {
            call.arity(2)?;
            let condition = call.truth(0)?;
            // What lies beyond is not looked at, as beyond the bound of a loop: no alarm, and no full proof either.
            call.lowering.if_(
                condition,
                |_| Ok(()),
                |lowering| {
                    lowering.cut();
                    Ok(())
                },
            )?;
            None
        }
        "misuse" => {
            call.arity(2)?;
            let message = call.lowering.string_value(&call.args[1]).unwrap_or_default();
            let condition = call.truth(0)?;
            // For competitions only `reach_error` counts, and what follows a misuse is not defined.
            if call.lowering.options().competition {
                call.assume(condition, false);
            } else {
                call.lowering.emit(Op::System(System::Assert { condition, message }));
            }
            None
        }
        "self" => {
            call.arity(0)?;
            Some(super::threads::current(call)?)
        }
        "mark" => {
            call.arity(0)?;
            if call.lowering.has_owners() {
                let handle = super::threads::current(call)?;
                Some(call.lowering.convert(handle, &Type::INT)?)
            } else {
                Some(call.lowering.int(1, &Type::INT))
            }
        }
        "fence" => {
            call.arity(0)?;
            call.library_fence();
            None
        }
        "mutex_fence" => {
            call.arity(0)?;
            call.fence(&["MUTEX", "SC"]);
            None
        }
        "spin_fence" => {
            call.arity(0)?;
            call.fence(&["ACQ_REL", "MUTEX"]);
            None
        }
        "apart" => {
            call.arity(3)?;
            let mut words = Vec::new();
            for at in 0..3 {
                let value = call.value_as(at, &Type::ULONG_LONG)?;
                words.push(call.keep(value).expr);
            }
            super::memory::apart(call, &words[0], &words[1], &words[2])?;
            None
        }
        "size" => {
            call.arity(1)?;
            let block = call.value(0)?;
            let block = call.keep(block);
            Some(call.lowering.noted_size(&block.expr)?)
        }
        "choice" => {
            call.arity(0)?;
            let bit = call.any(Width::BOOL);
            Some(call.truth_value(bit))
        }
        "number" => {
            call.arity(0)?;
            Some(call.any_value(&Type::UINT)?)
        }
        "get" | "see" => {
            call.arity(1)?;
            let (addr, ty) = call.object(0)?;
            let tags = call.lowering.tags(if name == "see" { ACQUIRES } else { RELAXED });
            Some(call.lowering.load(addr, &ty, tags)?)
        }
        "set" | "show" | "release" => {
            call.arity(2)?;
            let (addr, ty) = call.object(0)?;
            let value = call.value_as(1, &ty)?;
            let tags = call.lowering.tags(match name {
                "release" => &["A", "REL"],
                "show" => RELEASES,
                _ => RELAXED,
            });
            call.lowering.store(addr, value, tags);
            None
        }
        "swap_if" | "acquire_if" => {
            call.arity(3)?;
            let mut update = relaxed(call, Sides::Acquires)?;
            if name == "acquire_if" {
                update.read_tags = call.lowering.tags(&["A", "ACQ"]);
            }
            mark(call, &mut update, tries);
            let expected = call.value_as(1, &update.ty)?.expr;
            let new = call.value_as(2, &update.ty)?.expr;
            Some(call.update(update, |old| (Some(old.binary(BinaryOp::Eq, expected)), new)))
        }
        "add" => Some(combine(call, BinaryOp::Add, Sides::Releases)?),
        "and" => Some(combine(call, BinaryOp::And, Sides::Both)?),
        "or" => Some(combine(call, BinaryOp::Or, Sides::Neither)?),
        "enter" => {
            call.arity(1)?;
            let mut update = relaxed(call, Sides::Acquires)?;
            mark(call, &mut update, tries);
            let number = numbers(&update.ty);
            Some(call.update(update, |old| {
                (Some(number(0).binary(BinaryOp::SLe, old.clone())), old.binary(BinaryOp::Add, number(1)))
            }))
        }
        "leave" => {
            call.arity(1)?;
            let update = relaxed(call, Sides::Releases)?;
            let number = numbers(&update.ty);
            Some(call.update(update, |old| {
                let writer = old.clone().binary(BinaryOp::SLt, number(0));
                let less = old.binary(BinaryOp::Sub, number(1));
                (None, Expr::Select(Box::new(writer), Box::new(number(0)), Box::new(less)))
            }))
        }
        "take" => {
            call.arity(1)?;
            let mut update = relaxed(call, Sides::Acquires)?;
            mark(call, &mut update, tries);
            let number = numbers(&update.ty);
            Some(call.update(update, |old| {
                (Some(old.clone().binary(BinaryOp::Ne, number(0))), old.binary(BinaryOp::Sub, number(1)))
            }))
        }
        "give" => {
            call.arity(1)?;
            let update = relaxed(call, Sides::Releases)?;
            let number = numbers(&update.ty);
            Some(call.update(update, |old| {
                let room = old.clone().binary(BinaryOp::Ne, number(i64::from(i32::MAX)));
                (Some(room), old.binary(BinaryOp::Add, number(1)))
            }))
        }
        "arrive" => {
            call.arity(2)?;
            let update = relaxed(call, Sides::Both)?;
            let needed = call.value_as(1, &update.ty)?.expr;
            let number = numbers(&update.ty);
            Some(call.update(update, |old| {
                let more = old.clone().binary(BinaryOp::Add, number(1));
                let come = more.clone().binary(BinaryOp::And, number(0xffff));
                let round = old.binary(BinaryOp::And, number(0xffff_0000)).binary(BinaryOp::Add, number(0x1_0000));
                let last = come.binary(BinaryOp::Eq, needed);
                (None, Expr::Select(Box::new(last), Box::new(round), Box::new(more)))
            }))
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// Constants of the width of a type.
fn numbers(ty: &Type) -> impl Fn(i64) -> Expr + use<> {
    let width = ty.width().unwrap_or(Width::INT);
    move |value| Expr::constant(value, width)
}

/// The tags of accesses by which the library synchronises threads.
const ACQUIRES: &[&str] = &["A", "ACQ", "LIBRARY"];
const RELEASES: &[&str] = &["A", "REL", "LIBRARY"];
/// Those of its others.
const RELAXED: &[&str] = &["A", "RLX"];

/// Which sides of a read-modify-write synchronise.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sides {
    Neither,
    Acquires,
    Releases,
    Both,
}

/// An atomic read-modify-write of what the first argument points to.
fn relaxed(call: &mut Call<'_, '_>, sides: Sides) -> Result<Update, Diagnostic> {
    let (addr, ty) = call.object(0)?;
    let acquires = matches!(sides, Sides::Acquires | Sides::Both);
    let releases = matches!(sides, Sides::Releases | Sides::Both);
    let read_tags = call.lowering.tags(if acquires { ACQUIRES } else { RELAXED });
    let write_tags = call.lowering.tags(if releases { RELEASES } else { RELAXED });
    Ok(Update { addr, ty, read_tags, write_tags })
}

/// What is only tried acquires where it succeeds: under a language's model the read itself does not (see `session`'s `compile`).
fn mark(call: &mut Call<'_, '_>, update: &mut Update, tries: bool) {
    if tries {
        let tries = call.lowering.tags(&["TRY"]);
        update.read_tags = update.read_tags.iter().chain(tries.iter()).collect();
    }
}

fn combine(call: &mut Call<'_, '_>, op: BinaryOp, sides: Sides) -> Result<Value, Diagnostic> {
    call.arity(2)?;
    let update = relaxed(call, sides)?;
    let operand = call.value_as(1, &update.ty)?.expr;
    Ok(call.update(update, |old| (None, old.binary(op, operand))))
}
