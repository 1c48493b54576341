//! What the C library, the compiler's builtins and the other verifiers' intrinsics do.
//!
//! Some of it is code ([`call`] and the modules below), some of it is C text of our own ([`RUNTIME`]) that is lowered like
//! the user's program. A function that the user's file defines is the user's, unless [`ours_wins`].
//!
//! # What it decides
//!
//! * Creating and joining threads and barriers order like full fences: a sequentially consistent fence of C11 stands before or
//!   after them, or both. Locks, semaphores, `pthread_once` and condition variables acquire and release, with such fences where the model says so.
//! * `__sync_*` operations are full barriers; `__atomic_*` and C11's operations have the order that they are given.
//!   `memory_order_consume` is acquire. An order must be a constant.
//! * A weak compare-exchange may fail, and a wait for a condition variable may end, for no reason. The order of a failing one is its own.
//! * `malloc` and creating a thread never fail. What `free` gives back may be allocated again (`lower/reuse.rs`).
//! * `abort`, `__builtin_trap` and `exit` with a status other than 0 are failures, and so is a division by zero; under the rules
//!   of competitions they stop the thread, as `exit(0)` does. The others can do nothing then that they could not do before.
//! * In atomic sections nothing of another thread comes between; they are full fences on either side.
//!
//! # What is left out because it cannot change the verdict
//!
//! Output (`printf` and its kin: the arguments are evaluated, and texts are read), sleeping and yielding, attributes other than the kind
//! of a mutex and whether a thread is detached, destroying objects, `pthread_detach`, `pthread_setcancelstate`, `free`, seeds of random numbers, bounds and hints
//! for other verifiers (`__VERIFIER_loop_bound`, `__builtin_expect`, `__builtin_prefetch`), fences for signal handlers.

mod assembly;
mod atomics;
mod bits;
mod context;
mod dat3m;
mod fences;
mod input;
mod intrinsics;
mod kernel;
mod memory;
mod overflow;
mod print;
mod property;
mod threads;
mod verifiers;
mod x86;

pub(crate) use assembly::asm;
pub(crate) use property::{atomic_begin, atomic_end};

use crate::lower::{Lowering, Value};
use c_syntax::ast::{Expression, Node, Range};
use context::Call;
use source::{Diagnostic, Span};

/// What a family of functions makes of a call: nothing if the function is not of the family; else its value, if it has
/// one.
type Outcome = Result<Option<Option<Value>>, Diagnostic>;

/// C files of our library: name and text. The first one has the types; a type name that it defines means this and
/// nothing else, whatever the user's headers say.
pub(crate) const RUNTIME: &[(&str, &str)] = &[
    ("types.c", include_str!("../../runtime/types.c")),
    ("mutex.c", include_str!("../../runtime/mutex.c")),
    ("cond.c", include_str!("../../runtime/cond.c")),
    ("rwlock.c", include_str!("../../runtime/rwlock.c")),
    ("thread.c", include_str!("../../runtime/thread.c")),
    ("threads.c", include_str!("../../runtime/threads.c")),
    ("genmc.c", include_str!("../../runtime/genmc.c")),
    ("stdlib.c", include_str!("../../runtime/stdlib.c")),
    ("ctype.c", include_str!("../../runtime/ctype.c")),
    ("stdio.c", include_str!("../../runtime/stdio.c")),
    ("string.c", include_str!("../../runtime/string.c")),
];

macro_rules! header {
    ($name:literal) => {
        ($name, include_str!(concat!("../../runtime/include/", $name)))
    };
}

/// See [`crate::headers`].
pub(crate) fn headers() -> &'static [(&'static str, &'static str)] {
    &[
        header!("assert.h"),
        header!("dat3m.h"),
        header!("errno.h"),
        header!("fencepost.h"),
        header!("first/stdatomic.h"),
        header!("genmc.h"),
        header!("gnu/stubs-32.h"),
        header!("limits.h"),
        header!("lkmm.h"),
        header!("pthread.h"),
        header!("rcu.h"),
        header!("sched.h"),
        header!("semaphore.h"),
        header!("stdatomic.h"),
        header!("stdbool.h"),
        header!("stddef.h"),
        header!("stdint.h"),
        header!("stdio.h"),
        header!("stdlib.h"),
        header!("string.h"),
        header!("threads.h"),
        header!("unistd.h"),
    ]
}

/// Whether our headers declare a function of this name.
pub(crate) fn declares(name: &str) -> bool {
    let words = [format!(" {name}("), format!("*{name}(")];
    headers().iter().any(|(_, text)| words.iter().any(|word| text.contains(word)))
}

/// Translates a call of a function of the library; None: it is none, or it is one in C.
pub(crate) fn call(
    lowering: &mut Lowering,
    name: &str,
    args: &[Node<Expression>],
    (span, range): (Span, Range),
) -> Outcome {
    let families: &[fn(&mut Call<'_, '_>) -> Outcome] = &[
        intrinsics::call,
        property::call,
        fences::call,
        atomics::call,
        threads::call,
        memory::call,
        bits::call,
        overflow::call,
        input::call,
        print::call,
        kernel::call,
        dat3m::call,
        verifiers::call,
    ];
    // `__builtin_memcpy` is `memcpy`, and so with all others that are not known under their long name.
    let names = [Some(name), name.strip_prefix("__builtin_")];
    for name in names.into_iter().flatten() {
        let mut call = Call { lowering: &mut *lowering, name, args, span, range: Some(range) };
        for family in families {
            if let Some(outcome) = family(&mut call)? {
                return Ok(Some(outcome));
            }
        }
    }
    Ok(None)
}

/// Whether the call keeps nothing of this argument: it reads or writes through it and forgets it. Then `&x` there does not
/// make `x` an object in memory.
pub(crate) fn writes_through(name: &str, arg: usize) -> bool {
    match name {
        "pthread_create" => arg < 2,
        "pthread_join" | "pthread_setcancelstate" | "pthread_setcanceltype" => arg == 1,
        "pthread_key_create" | "tss_create" | "posix_memalign" | "time" => arg == 0,
        _ if name.ends_with("_overflow") => arg == 2,
        _ if threads::ignored(name) => true,
        _ => atomics::writes_through(name, arg),
    }
}

/// Whether our meaning counts even when the user's file defines the function.
pub(crate) fn ours_wins(name: &str) -> bool {
    matches!(
        name,
        "reach_error"
            | "__VERIFIER_error"
            | "__VERIFIER_assume"
            | "assume_abort_if_not"
            | "__VERIFIER_atomic_begin"
            | "__VERIFIER_atomic_end"
            | "__CPROVER_assume"
            | "__CPROVER_atomic_begin"
            | "__CPROVER_atomic_end"
            | "__assert_fail"
    ) || name.starts_with("__VERIFIER_nondet_")
}

/// Whether the whole body of this function is an atomic section.
pub(crate) fn is_atomic_function(name: &str) -> bool {
    name.starts_with("__VERIFIER_atomic_") && !ours_wins(name)
}
