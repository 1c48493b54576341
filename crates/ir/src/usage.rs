//! Who uses a cell, as far as that is known while a program is executed.

/// The threads that use a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    /// Nobody writes it; these threads, a bit each, read it.
    Constant(u64),
    /// Only this thread uses it.
    Private(usize),
    /// A thread writes it and another one uses it.
    Shared,
}

impl Usage {
    /// What is known when a thread reads or writes the cell.
    #[must_use]
    pub fn with(self, thread: usize, writes: bool) -> Usage {
        let me = 1u64 << thread.min(63);
        match self {
            Usage::Constant(readers) if !writes => Usage::Constant(readers | me),
            Usage::Constant(readers) if readers & !me == 0 => Usage::Private(thread),
            Usage::Private(owner) if owner == thread => self,
            Usage::Constant(_) | Usage::Private(_) | Usage::Shared => Usage::Shared,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_shared_once_somebody_writes_what_others_use() {
        let new = Usage::Constant(0);
        assert_eq!(new.with(1, false).with(2, false), Usage::Constant(0b110));
        assert_eq!(new.with(1, false).with(1, true), Usage::Private(1));
        assert_eq!(new.with(1, true).with(1, false), Usage::Private(1));
        assert_eq!(new.with(1, false).with(2, true), Usage::Shared);
        assert_eq!(new.with(1, true).with(2, false), Usage::Shared);
        assert_eq!(new.with(1, true).with(2, true).with(1, false), Usage::Shared);
    }
}
