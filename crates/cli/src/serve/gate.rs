//! Who may work: so many at once, the others in the order in which they came.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[derive(Default)]
struct State {
    working: usize,
    waiting: VecDeque<u64>,
    next: u64,
}

/// Lets a number of workers in.
pub struct Gate {
    most: usize,
    state: Mutex<State>,
    changed: Condvar,
}

/// A place in the row of those who wait; leaving it gives the place up.
pub struct Ticket<'a> {
    gate: &'a Gate,
    number: u64,
    working: bool,
}

impl Gate {
    /// Lets so many in at once.
    pub fn new(most: usize) -> Gate {
        Gate { most: most.max(1), state: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A thread that panicked between two statements here has changed nothing by halves.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stands in the row.
    pub fn stand(&self) -> Ticket<'_> {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.waiting.push_back(number);
        Ticket { gate: self, number, working: false }
    }
}

impl Ticket<'_> {
    /// Waits for a while; how many are before it if it was not its turn.
    pub fn wait(&mut self, time: Duration) -> Result<(), usize> {
        let number = self.number;
        let blocked = |state: &mut State| state.working >= self.gate.most || state.waiting.front() != Some(&number);
        let state = self.gate.lock();
        let waited = self.gate.changed.wait_timeout_while(state, time, |state| blocked(state));
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if blocked(&mut state) {
            return Err(state.waiting.iter().position(|&other| other == number).unwrap_or(0));
        }
        state.waiting.pop_front();
        state.working += 1;
        self.working = true;
        drop(state);
        self.gate.changed.notify_all();
        Ok(())
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let mut state = self.gate.lock();
        if self.working {
            state.working -= 1;
        } else {
            state.waiting.retain(|&other| other != self.number);
        }
        drop(state);
        self.gate.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::Gate;
    use std::time::Duration;

    #[test]
    fn the_first_who_came_goes_first() {
        let gate = Gate::new(1);
        let now = Duration::ZERO;
        let (mut first, mut second, mut third) = (gate.stand(), gate.stand(), gate.stand());
        assert_eq!(second.wait(now), Err(1), "not before the first");
        assert_eq!(first.wait(now), Ok(()));
        assert_eq!(second.wait(now), Err(0), "not while the first works");
        assert_eq!(third.wait(now), Err(1));
        drop(second);
        drop(first);
        assert_eq!(third.wait(now), Ok(()), "who has gone away holds nobody up");
    }
}
