//! Threads: starting, joining, ending. What is built on memory alone is in the runtime, in C.

use super::Outcome;
use super::context::Call;
use crate::Leaks;
use crate::lower::Value;
use crate::types::Type;
use ir::{BinaryOp, Expr, Op, System, Width};
use source::Diagnostic;

pub(super) fn call(call: &mut Call<'_, '_>) -> Outcome {
    let value = match call.name {
        "pthread_create" => {
            call.arity(4)?;
            let detached = detached(call)?;
            let handle = start(call, 2, 3)?;
            call.lowering.assign_through(&call.args[0], handle.clone())?;
            if let Some(detached) = detached {
                call.lowering.if_(
                    detached,
                    |lowering| lowering.call_function("__fencepost_detaches", vec![handle]).map(drop),
                    |_| Ok(()),
                )?;
            }
            Some(call.success())
        }
        "pthread_join" => {
            call.arity(2)?;
            if call.is_null(1) {
                let thread = joined(call)?;
                call.lowering.emit(Op::System(System::Join { thread, result: None }));
                call.library_fence();
            } else {
                let value = join(call)?;
                call.lowering.assign_through(&call.args[1], value)?;
            }
            Some(call.success())
        }
        "pthread_cond_wait" | "cnd_wait" => {
            call.arity(2)?;
            Some(cond_wait(call)?)
        }
        "pthread_barrier_init" | "pthread_mutex_init" | "pthread_rwlock_init" | "mtx_init" => {
            unused_before(call)?;
            return Ok(None);
        }
        // What pthread_cleanup_push and pthread_cleanup_pop are made of: handlers that are called where they are taken off.
        "__sigsetjmp_cancel" => {
            call.lowering.note_handlers(Some(call.span), None);
            Some(call.success())
        }
        "__pthread_register_cancel" | "__pthread_unregister_cancel" => None,
        "__pthread_unwind_next" => {
            call.stop();
            None
        }
        "pthread_exit" => {
            call.lowering.note_handlers(None, Some(call.span));
            call.arity(1)?;
            let result = call.value_as(0, &Type::VOID.pointer_to())?;
            let result = call.keep(result);
            if call.lowering.options().checks.leaks != Leaks::Allowed {
                call.lowering.call_function("__fencepost_leaves", Vec::new())?;
            }
            call.lowering.exit_thread(Some(result))?;
            None
        }
        "pthread_self" | "thrd_current" => Some(current(call)?),
        "pthread_equal" | "thrd_equal" => {
            call.arity(2)?;
            let left = call.value_as(0, &Type::ULONG_LONG)?;
            let left = call.keep(left).expr;
            let right = call.value_as(1, &Type::ULONG_LONG)?.expr;
            Some(call.truth_value(left.binary(BinaryOp::Eq, right)))
        }
        "pthread_key_create" | "tss_create" => {
            call.arity(2)?;
            let key = if call.is_null(1) {
                call.lowering.call_function("__fencepost_new_key", Vec::new())?
            } else {
                let destructor = call.value(1)?;
                call.lowering.call_function("__fencepost_new_key_with", vec![destructor])?
            };
            if let Some(key) = key {
                call.lowering.assign_through(&call.args[0], key)?;
            }
            Some(call.success())
        }
        "pthread_setcancelstate" | "pthread_setcanceltype" => {
            call.arity(2)?;
            call.evaluate_effects(0..1)?;
            if !call.is_null(1) {
                let enabled = call.success();
                call.lowering.assign_through(&call.args[1], enabled)?;
            }
            Some(call.success())
        }
        "pthread_detach" | "thrd_detach" => {
            call.arity(1)?;
            gone(call, "__fencepost_detaches")?;
            Some(call.success())
        }
        "pthread_setname_np"
        | "pthread_setconcurrency"
        | "sched_setaffinity"
        | "sched_yield"
        | "pthread_yield"
        | "sleep"
        | "usleep"
        | "nanosleep"
        | "clock_nanosleep"
        | "thrd_sleep" => {
            call.evaluate_all()?;
            Some(call.success())
        }
        "thrd_yield" => None,
        "pthread_attr_init" if call.lowering.has_detached() => {
            call.arity(1)?;
            let joinable = call.success();
            call.lowering.assign_through(&call.args[0], joinable)?;
            Some(call.success())
        }
        "pthread_attr_setdetachstate" => {
            call.arity(2)?;
            // Where nobody asks for another state, attributes need none.
            if call.lowering.has_detached() || !call.is_null(1) {
                let state = call.value(1)?;
                if let Some(state) = call.lowering.call_function("__fencepost_detach_state", vec![state])? {
                    call.lowering.assign_through(&call.args[0], state)?;
                }
            } else {
                call.evaluate_effects(0..1)?;
            }
            Some(call.success())
        }
        "pthread_attr_getdetachstate" => {
            call.arity(2)?;
            let state =
                if call.lowering.has_detached() { call.lowering.read_through(&call.args[0])? } else { call.success() };
            call.lowering.assign_through(&call.args[1], state)?;
            Some(call.success())
        }
        "pthread_mutexattr_setrobust" => {
            if is_default(call)? {
                call.evaluate_effects(0..1)?;
                return Ok(Some(Some(call.success())));
            }
            let message =
                "robust mutexes are not supported: nobody is told that the thread has ended which had the mutex";
            return Err(call.error(message).help("leave this call out, if no thread ends while it has the mutex"));
        }
        name if ignored(name) => {
            call.evaluate_effects(0..call.args.len())?;
            Some(call.success())
        }
        "pthread_cancel" | "pthread_kill" | "pthread_cleanup_push" | "pthread_cleanup_pop" => {
            let message = format!("`{}` is not supported: threads end only by themselves", call.name);
            return Err(call.error(message).help("let the thread look at a flag, and set the flag here"));
        }
        name if unknown(name) => {
            let message = format!("`{name}` is not supported");
            return Err(call.error(message).help(
                "known are threads, mutexes, condition variables, read-write locks, barriers, semaphores, spin locks, keys \
                 and once",
            ));
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// Whether the attributes of a thread that is to be started say that it is detached, if any do.
fn detached(call: &mut Call<'_, '_>) -> Result<Option<Expr>, Diagnostic> {
    if call.is_null(1) || !call.lowering.has_detached() {
        call.evaluate_effects(1..2)?;
        return Ok(None);
    }
    let named = crate::lower::address_of(crate::lower::strip_casts(&call.args[1].node)).is_some();
    let state = if named {
        Some(call.lowering.read_through(&call.args[1])?)
    } else {
        let attributes = call.value(1)?;
        call.lowering.call_function("__fencepost_detached", vec![attributes])?
    };
    Ok(state.map(|state| {
        let state = call.keep(state).expr;
        state.binary(BinaryOp::Eq, Expr::constant(1, Width::INT))
    }))
}

/// A wait that ends with a signal, or for no reason: then the mutex is given back and taken again, and that is all.
fn cond_wait(call: &mut Call<'_, '_>) -> Result<Value, Diagnostic> {
    let mut args = Vec::new();
    for at in 0..2 {
        let value = call.value(at)?;
        args.push(call.keep(value));
    }
    let woken = call.any(Width::BOOL);
    if let Some(dst) = call.lowering.woken() {
        call.lowering.emit(Op::Assign { dst, value: woken.clone() });
    }
    let mutex = args[1].clone();
    call.lowering.if_(
        woken,
        |lowering| {
            lowering.call_function("pthread_mutex_unlock", vec![mutex.clone()])?;
            lowering.call_function("pthread_mutex_lock", vec![mutex])?;
            Ok(())
        },
        |lowering| {
            lowering.call_function("pthread_cond_wait", args)?;
            Ok(())
        },
    )?;
    Ok(call.success())
}

/// Whether the second argument sets what an attribute is anyway.
fn is_default(call: &mut Call<'_, '_>) -> Result<bool, Diagnostic> {
    call.arity(2)?;
    Ok(call.lowering.const_value(&call.args[1]) == Some(0))
}

/// Starts a thread that runs one argument and is given another. Gives its handle.
pub(super) fn start(call: &mut Call<'_, '_>, run: usize, arg: usize) -> Result<Value, Diagnostic> {
    let arg = call.value_as(arg, &Type::VOID.pointer_to())?;
    let arg = call.keep(arg);
    call.library_fence();
    call.lowering.spawn(&call.args[run], arg)
}

/// What is initialised must not be in use. That is known of variables outside functions only: others hold anything before.
fn unused_before(call: &mut Call<'_, '_>) -> Result<(), Diagnostic> {
    let Some(argument) = call.args.first() else { return Ok(()) };
    if call.lowering.options().competition || !call.lowering.is_static(argument) {
        return Ok(());
    }
    let function = match call.name {
        "pthread_barrier_init" => "__fencepost_unused_barrier",
        "pthread_rwlock_init" => "__fencepost_unused_rwlock",
        _ => "__fencepost_unused_mutex",
    };
    let value = call.value(0)?;
    call.lowering.call_function(function, vec![value])?;
    Ok(())
}

/// Waits for the thread whose handle is the first argument. Gives what it returned.
pub(super) fn join(call: &mut Call<'_, '_>) -> Result<Value, Diagnostic> {
    let thread = joined(call)?;
    let result = call.lowering.temp(Width::WORD);
    call.lowering.emit(Op::System(System::Join { thread, result: Some(result) }));
    call.library_fence();
    Ok(Value { expr: Expr::Local(result), ty: Type::VOID.pointer_to() })
}

/// The handle of the thread that is waited for.
fn joined(call: &mut Call<'_, '_>) -> Result<Expr, Diagnostic> {
    gone(call, "__fencepost_joins")
}

/// A thread is joined or detached: a function of the library sees to it that this is so once. For competitions a misuse is
/// no failure, and a join that is one waits for ever.
fn gone(call: &mut Call<'_, '_>, function: &str) -> Result<Expr, Diagnostic> {
    let thread = call.value_as(0, &Type::ULONG_LONG)?;
    let thread = call.keep(thread);
    if !call.lowering.options().competition {
        call.lowering.call_function(function, vec![thread.clone()])?;
    }
    Ok(thread.expr)
}

/// The handle of this thread.
pub(super) fn current(call: &mut Call<'_, '_>) -> Result<Value, Diagnostic> {
    call.arity(0)?;
    let dst = call.lowering.temp(Width::WORD);
    call.lowering.emit(Op::System(System::Current { dst }));
    Ok(Value { expr: Expr::Local(dst), ty: Type::ULONG_LONG })
}

/// Functions that set or destroy attributes which change nothing here. Their arguments are evaluated only if that does anything: most are
/// addresses of attributes and constants.
pub(super) fn ignored(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("pthread_") else { return false };
    let plain = ["attr_", "condattr_", "rwlockattr_", "barrierattr_"];
    if plain.iter().any(|prefix| rest.starts_with(prefix)) {
        return !rest.contains("_get") && !in_runtime(name);
    }
    matches!(rest, "setschedparam" | "setaffinity_np")
}

/// Whether a function of POSIX threads is neither code here nor in the runtime.
fn unknown(name: &str) -> bool {
    let posix = ["pthread_", "sem_", "mtx_", "cnd_", "thrd_", "tss_"];
    posix.iter().any(|prefix| name.starts_with(prefix)) && !in_runtime(name)
}

/// Whether a function is one of the runtime's.
fn in_runtime(name: &str) -> bool {
    let ours = |text: &str| text.contains(&format!(" {name}(")) || text.contains(&format!("*{name}("));
    super::RUNTIME.iter().any(|(_, text)| ours(text))
}
