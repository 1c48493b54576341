//! Room for deep recursion.

/// The stack of whoever runs an engine, which follows nested calls of a program with nested calls of its own: only what is used takes memory.
pub const STACK: usize = 512 << 20;

/// Does the work on a stack that is large enough for every engine, or on the caller's if there is no memory for one.
pub fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let mut work = Some(work);
    let result = std::thread::scope(|scope| {
        let taken = &mut work;
        let run = move || taken.take().map(|work| work());
        std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).map(std::thread::ScopedJoinHandle::join)
    });
    match (result, work) {
        (Ok(Ok(Some(value))), _) => value,
        (Ok(Err(panic)), _) => std::panic::resume_unwind(panic),
        (_, Some(work)) => work(),
        (_, None) => unreachable!("work that was taken has a result"),
    }
}
