//! What several tests need: a thread with enough stack, numbers that look random, and the tree as text.

#![allow(dead_code, reason = "each test uses a part of this")]

pub mod print;

use c_syntax::ast::Unit;

/// Runs on a stack that is large enough for any tree.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(c_syntax::STACK).spawn_scoped(scope, work);
        worker.expect("a thread").join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Parses a text that must be C.
#[track_caller]
pub fn accepted(text: &str) -> Unit {
    c_syntax::parse(text, &[]).unwrap_or_else(|error| panic!("{}\n{text}", describe(text, &error)))
}

/// The line and what is wrong in it.
pub fn describe(text: &str, error: &c_syntax::Error) -> String {
    let line = text[..error.span.start as usize].matches('\n').count() + 1;
    format!("{line}: {}", error.message)
}
