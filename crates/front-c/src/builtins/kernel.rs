//! The operations of the Linux kernel, for programs that do not define them.
//!
//! A value-returning operation without a suffix has a full fence on both sides, which is a tag of its accesses: what machines make
//! of it is up to their models. A `cmpxchg` that fails orders nothing.
//! A spin lock is free when it is 0; to lock it is one read-modify-write that waits until it finds 0.

use super::Outcome;
use super::atomics::Swap;
use super::context::{Call, Update};
use crate::lower::{Role, Value};
use crate::types::Type;
use ir::{BinaryOp, Expr, TagSet, UnaryOp, Width};
use source::Diagnostic;

/// How an operation is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Full,
    Relaxed,
    Acquire,
    Release,
    /// An operation without a result orders nothing.
    NoReturn,
    /// A spin lock is taken.
    Lock,
}

/// The tag of a function that is nothing but a fence.
fn fence_tag(name: &str) -> Option<&'static str> {
    Some(match name {
        "smp_mb" | "mb" => "MB",
        "smp_rmb" | "rmb" => "RMB",
        "smp_wmb" | "wmb" => "WMB",
        "smp_mb__before_atomic" => "BEFORE-ATOMIC",
        "smp_mb__after_atomic" => "AFTER-ATOMIC",
        "smp_mb__after_spinlock" => "AFTER-SPINLOCK",
        "smp_mb__after_unlock_lock" => "AFTER-UNLOCK-LOCK",
        "rcu_read_lock" => "RCU-LOCK",
        "rcu_read_unlock" => "RCU-UNLOCK",
        "synchronize_rcu" | "synchronize_rcu_expedited" => "SYNC-RCU",
        _ => return None,
    })
}

impl Order {
    /// The tags of the read and of the write of a read-modify-write.
    pub fn tags(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Order::Full => (&["RMW", "MB"], &["RMW", "MB"]),
            Order::Relaxed => (&["RMW", "ONCE"], &["RMW", "ONCE"]),
            Order::Acquire => (&["RMW", "ACQUIRE"], &["RMW", "ONCE"]),
            Order::Release => (&["RMW", "ONCE"], &["RMW", "RELEASE"]),
            Order::NoReturn => (&["RMW", "NORETURN", "ONCE"], &["RMW", "ONCE"]),
            Order::Lock => (&["LKR", "ACQUIRE"], &["LKW"]),
        }
    }
}

/// What an `atomic_` operation gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gives {
    Nothing,
    Old,
    New,
    NewIsZero,
    NewIsNegative,
}

/// `atomic_add_return` and its kin, by their names.
#[derive(Debug, Clone, Copy)]
struct Arithmetic {
    op: BinaryOp,
    /// Whether the operand is complemented first.
    complement: bool,
    by_one: bool,
    gives: Gives,
    order: Order,
}

/// Splits a name into its base and its ordering.
fn ordering(name: &str) -> (&str, Order) {
    for (suffix, order) in [("_relaxed", Order::Relaxed), ("_acquire", Order::Acquire), ("_release", Order::Release)] {
        if let Some(base) = name.strip_suffix(suffix) {
            return (base, order);
        }
    }
    (name, Order::Full)
}

fn arithmetic(name: &str) -> Option<Arithmetic> {
    let (base, order) = ordering(name);
    let rest = ["atomic_", "atomic64_", "atomic_long_"].iter().find_map(|prefix| base.strip_prefix(prefix))?;
    let (word, gives) = if let Some(word) = rest.strip_prefix("fetch_") {
        (word, Gives::Old)
    } else if let Some(word) = rest.strip_suffix("_return") {
        (word, Gives::New)
    } else if let Some(word) = rest.strip_suffix("_and_test") {
        (word, Gives::NewIsZero)
    } else if let Some(word) = rest.strip_suffix("_negative") {
        (word, Gives::NewIsNegative)
    } else {
        (rest, Gives::Nothing)
    };
    let op = match word {
        "add" | "inc" => BinaryOp::Add,
        "sub" | "dec" => BinaryOp::Sub,
        "and" | "andnot" => BinaryOp::And,
        "or" => BinaryOp::Or,
        "xor" => BinaryOp::Xor,
        _ => return None,
    };
    let order = if gives == Gives::Nothing { Order::NoReturn } else { order };
    let complement = word == "andnot";
    Some(Arithmetic { op, complement, by_one: matches!(word, "inc" | "dec"), gives, order })
}

/// The name without what our header and the kernel's internals put around it.
fn plain(name: &str) -> &str {
    match name {
        "__fencepost_read_once" | "__READ_ONCE" | "__read_once" => "READ_ONCE",
        "__fencepost_write_once" | "__WRITE_ONCE" | "__write_once" => "WRITE_ONCE",
        "__fencepost_load_acquire" => "smp_load_acquire",
        "__fencepost_store_release" => "smp_store_release",
        "__fencepost_xchg" => "xchg",
        "__fencepost_cmpxchg" => "cmpxchg",
        "atomic64_read" | "atomic_long_read" => "atomic_read",
        "atomic64_read_acquire" | "atomic_long_read_acquire" => "atomic_read_acquire",
        "atomic64_set" | "atomic_long_set" => "atomic_set",
        "atomic64_set_release" | "atomic_long_set_release" => "atomic_set_release",
        "_raw_spin_lock" | "raw_spin_lock" | "__LKMM_SPIN_LOCK" => "spin_lock",
        "_raw_spin_unlock" | "raw_spin_unlock" | "__LKMM_SPIN_UNLOCK" => "spin_unlock",
        _ => name,
    }
}

pub(super) fn call(call: &mut Call<'_, '_>) -> Outcome {
    if let Some(tag) = fence_tag(call.name) {
        call.arity(0)?;
        let mark = call.operation_site(call.name, Role::Fence);
        let tags: Vec<&str> = std::iter::once(tag).chain(mark.as_deref()).collect();
        call.fence(&tags);
        return Ok(Some(None));
    }
    let value = match plain(call.name) {
        "READ_ONCE" | "atomic_read" => Some(read(call, "ONCE")?),
        "smp_load_acquire" | "atomic_read_acquire" => Some(read(call, "ACQUIRE")?),
        "WRITE_ONCE" | "atomic_set" => {
            write(call, "ONCE")?;
            None
        }
        "smp_store_release" | "atomic_set_release" => {
            write(call, "RELEASE")?;
            None
        }
        "smp_store_mb" => {
            write(call, "ONCE")?;
            call.fence(&["MB"]);
            None
        }
        "spin_lock_init" => {
            call.arity(1)?;
            let (addr, ty) = call.object(0)?;
            let zero = call.lowering.int(0, &ty);
            let tags = call.lowering.tags(&["ONCE"]);
            call.lowering.store(addr, zero, tags);
            None
        }
        "spin_lock" => {
            call.arity(1)?;
            let (found, _) = lock(call, &["LKR", "ACQUIRE"])?;
            let free = is_zero(call, found);
            call.assume(free, true);
            None
        }
        "spin_trylock" => {
            call.arity(1)?;
            let (_, done) = lock(call, &["LKR", "ONCE"])?;
            Some(call.truth_value(done))
        }
        "spin_is_locked" => {
            let found = read(call, "ONCE")?;
            let locked = call.lowering.truth(found);
            Some(call.truth_value(locked))
        }
        "spin_unlock" => {
            call.arity(1)?;
            let (addr, ty) = call.object(0)?;
            let zero = call.lowering.int(0, &ty);
            let tags = call.lowering.tags(&["UL", "RELEASE"]);
            call.lowering.store(addr, zero, tags);
            None
        }
        "cpu_relax" | "cond_resched" | "barrier" | "might_sleep" | "preempt_disable" | "preempt_enable" => None,
        name if name.contains("rcu") && kernels(name) => {
            return Err(call
                .error(format!("`{name}` is not supported: there is no read-copy-update here"))
                .help("leave it out, or put a lock in its place"));
        }
        name => {
            if let Some(arithmetic) = arithmetic(name) {
                return update(call, arithmetic);
            }
            match ordering(name) {
                ("xchg" | "atomic_xchg" | "atomic64_xchg" | "atomic_long_xchg", order) => Some(exchange(call, order)?),
                ("cmpxchg" | "atomic_cmpxchg" | "atomic64_cmpxchg" | "atomic_long_cmpxchg", order) => {
                    Some(compare_exchange(call, order)?)
                }
                _ => return Ok(None),
            }
        }
    };
    Ok(Some(value))
}

/// Whether a name with `rcu` in it is one of the kernel's.
fn kernels(name: &str) -> bool {
    ["rcu_", "srcu_", "synchronize_", "call_", "hlist_", "list_"].iter().any(|prefix| name.starts_with(prefix))
}

fn read(call: &mut Call<'_, '_>, tag: &str) -> Result<Value, Diagnostic> {
    call.arity(1)?;
    let (addr, ty) = call.object(0)?;
    let tags = site_tags(call, tag, Role::Load);
    call.lowering.load(addr, &ty, tags)
}

fn write(call: &mut Call<'_, '_>, tag: &str) -> Result<(), Diagnostic> {
    call.arity(2)?;
    let (addr, ty) = call.object(0)?;
    let value = call.value_as(1, &ty)?;
    let tags = site_tags(call, tag, Role::Store);
    call.lowering.store(addr, value, tags);
    Ok(())
}

/// The tags of an access, with the mark of the site that it is.
fn site_tags(call: &mut Call<'_, '_>, tag: &str, role: Role) -> TagSet {
    let mark = call.operation_site(plain(call.name), role);
    let tags: Vec<&str> = std::iter::once(tag).chain(mark.as_deref()).collect();
    call.lowering.tags(&tags)
}

fn is_zero(call: &mut Call<'_, '_>, found: Value) -> Expr {
    call.lowering.truth(found).binary(BinaryOp::Eq, Expr::Const(0, Width::BOOL))
}

/// Takes the lock if it is free. Gives what was found, and whether it was taken.
fn lock(call: &mut Call<'_, '_>, failure: &[&str]) -> Result<(Value, Expr), Diagnostic> {
    let (addr, ty) = call.object(0)?;
    let width = ty.width().unwrap_or(Width::INT);
    let (expected, new) = (Expr::Const(0, width), Expr::Const(1, width));
    let swap = Swap { addr, ty: ty.clone(), expected, new, weak: false };
    let (found, done) = swap.emit(call, Order::Lock.tags(), failure)?;
    Ok((Value { expr: found, ty }, done))
}

/// Emits a read-modify-write.
pub(super) fn ordered(
    call: &mut Call<'_, '_>,
    (addr, ty): (Expr, Type),
    order: Order,
    new: impl FnOnce(Expr) -> (Option<Expr>, Expr),
) -> Value {
    let (read, write) = order.tags();
    let (read_tags, write_tags) = (call.lowering.tags(read), call.lowering.tags(write));
    call.update(Update { addr, ty, read_tags, write_tags }, new)
}

fn exchange(call: &mut Call<'_, '_>, order: Order) -> Result<Value, Diagnostic> {
    call.arity(2)?;
    let (addr, ty) = call.object(0)?;
    let new = call.value_as(1, &ty)?;
    let new = call.keep(new).expr;
    Ok(ordered(call, (addr, ty), order, |_| (None, new)))
}

fn compare_exchange(call: &mut Call<'_, '_>, order: Order) -> Result<Value, Diagnostic> {
    call.arity(3)?;
    let (addr, ty) = call.object(0)?;
    let expected = call.value_as(1, &ty)?;
    let expected = call.keep(expected).expr;
    let new = call.value_as(2, &ty)?;
    let new = call.keep(new).expr;
    let swap = Swap { addr, ty: ty.clone(), expected, new, weak: false };
    let (found, _) = swap.emit(call, order.tags(), &["RMW", "ONCE"])?;
    Ok(Value { expr: found, ty })
}

/// `atomic_inc(x)`, `atomic_add_return(1, x)`, `atomic_fetch_add(1, x)`…
fn update(call: &mut Call<'_, '_>, arithmetic: Arithmetic) -> Outcome {
    let Arithmetic { op, complement, by_one, gives, order } = arithmetic;
    let pointer = usize::from(!by_one);
    call.arity(pointer + 1)?;
    let amount = if by_one { call.lowering.int(1, &Type::INT) } else { call.value(0)? };
    let (addr, ty) = call.object(pointer)?;
    let amount = call.lowering.convert(amount, &ty)?;
    let mut amount = call.keep(amount).expr;
    if complement {
        amount = amount.unary(UnaryOp::Not);
    }
    let old = ordered(call, (addr, ty.clone()), order, |old| (None, old.binary(op, amount.clone())));
    let new = Value { expr: old.expr.clone().binary(op, amount), ty };
    Ok(Some(match gives {
        Gives::Nothing => None,
        Gives::Old => Some(old),
        Gives::New => Some(new),
        Gives::NewIsZero => {
            let zero = is_zero(call, new);
            Some(call.truth_value(zero))
        }
        Gives::NewIsNegative => {
            let zero = Expr::Const(0, new.ty.width().unwrap_or(Width::INT));
            Some(call.truth_value(new.expr.binary(BinaryOp::SLt, zero)))
        }
    }))
}
