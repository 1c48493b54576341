//! Work instead of time: what an engine has done, and how much it may do.
//!
//! An engine counts what it does (clauses, decisions, states) in *units*. A unit is about what a machine of today does in a
//! microsecond, but it is counted and never measured: the same task costs the same number of units on every machine, so
//! whoever hands out units decides the same everywhere.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A thousand units: about a millisecond.
pub const MILLI: u64 = 1_000;

/// A million units: about a second.
pub const SECOND: u64 = 1_000 * MILLI;

/// Counts the work of one engine. Clones count together.
///
/// When the grant is used up, whoever spends is held until there is more. Nothing that was built is lost meanwhile.
#[derive(Clone, Default)]
pub struct Meter(Option<Arc<Account>>);

struct Account {
    spent: AtomicU64,
    granted: AtomicU64,
    state: Mutex<State>,
    changed: Condvar,
    /// Called when somebody has to wait for more.
    used_up: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct State {
    /// How often there was more.
    grants: u64,
    /// Whether there will be no more.
    closed: bool,
}

impl std::fmt::Debug for Meter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            None => f.write_str("Meter(without limit)"),
            Some(account) => write!(f, "Meter({} spent)", account.spent.load(Ordering::Relaxed)),
        }
    }
}

impl Meter {
    /// Nothing was granted yet. `used_up` is called each time that somebody begins to wait for more.
    pub fn new(used_up: impl Fn() + Send + Sync + 'static) -> Self {
        Meter(Some(Arc::new(Account {
            spent: AtomicU64::new(0),
            granted: AtomicU64::new(0),
            state: Mutex::default(),
            changed: Condvar::new(),
            used_up: Box::new(used_up),
        })))
    }

    /// This much may be spent, and nobody waits for more.
    pub fn limited(units: u64) -> Self {
        let meter = Meter::new(|| ());
        meter.grant(units);
        if let Some(account) = &meter.0 {
            account.lock().closed = true;
        }
        meter
    }

    /// Counts work that was done, or is about to be done. If it was more than may be done, waits until there is more.
    ///
    /// Says whether to go on: not if there will be no more.
    pub fn spend(&self, units: u64) -> bool {
        let Some(account) = &self.0 else { return true };
        let spent = account.spent.fetch_add(units, Ordering::Relaxed).saturating_add(units);
        spent <= account.granted.load(Ordering::Acquire) || account.wait()
    }

    /// Gives back what is left of the grant and waits for the next one. Says whether to go on.
    pub fn rest(&self) -> bool {
        let Some(account) = &self.0 else { return true };
        let left = account.granted.load(Ordering::Acquire).saturating_sub(account.spent.load(Ordering::Relaxed));
        account.granted.fetch_sub(left, Ordering::AcqRel);
        self.spend(1)
    }

    /// How much was allowed so far and not given back.
    pub fn granted(&self) -> u64 {
        self.0.as_ref().map_or(0, |account| account.granted.load(Ordering::Acquire))
    }

    /// Allows this much more.
    pub fn grant(&self, units: u64) {
        let Some(account) = &self.0 else { return };
        let mut state = account.lock();
        if !state.closed {
            state.grants += 1;
            account.granted.fetch_add(units, Ordering::AcqRel);
            account.changed.notify_all();
        }
    }

    /// Lets nobody spend any more; who waits is told so.
    pub fn close(&self) {
        let Some(account) = &self.0 else { return };
        account.lock().closed = true;
        account.granted.store(0, Ordering::Release);
        account.changed.notify_all();
    }

    /// How much was spent.
    pub fn spent(&self) -> u64 {
        self.0.as_ref().map_or(0, |account| account.spent.load(Ordering::Relaxed))
    }
}

impl Account {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Who holds it does nothing that could leave it half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn may_go_on(&self) -> bool {
        self.spent.load(Ordering::Relaxed) <= self.granted.load(Ordering::Acquire)
    }

    fn wait(&self) -> bool {
        let mut state = self.lock();
        while !state.closed && !self.may_go_on() {
            let before = state.grants;
            (self.used_up)();
            while !state.closed && state.grants == before {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
        !state.closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn without_a_grant_nobody_goes_on_and_nothing_is_lost() {
        let (tell, told) = channel();
        let meter = Meter::new(move || tell.send(()).unwrap_or_default());
        meter.grant(10);
        assert!(meter.spend(4) && meter.spend(6));
        let worker = {
            let meter = meter.clone();
            std::thread::spawn(move || (meter.spend(5), meter.spend(100)))
        };
        told.recv().expect("the worker waits");
        assert_eq!(meter.spent(), 15);
        // Not enough for what was spent already.
        meter.grant(4);
        told.recv().expect("the worker still waits");
        meter.grant(6);
        told.recv().expect("the worker waits again");
        meter.close();
        assert_eq!(worker.join().expect("no panic"), (true, false));
        assert!(!meter.spend(1));
    }

    #[test]
    fn who_rests_gives_back_what_is_left() {
        let (tell, told) = channel();
        let meter = Meter::new(move || tell.send(()).unwrap_or_default());
        meter.grant(1_000);
        let worker = {
            let meter = meter.clone();
            std::thread::spawn(move || (meter.spend(10) && meter.rest(), meter.spend(500)))
        };
        told.recv().expect("the worker rests");
        meter.grant(100);
        told.recv().expect("the rest of the first grant is gone");
        meter.close();
        assert_eq!(worker.join().expect("no panic"), (true, false));
    }

    #[test]
    fn a_limit_is_the_end() {
        let meter = Meter::limited(10);
        assert!(meter.spend(10) && !meter.spend(1) && !meter.spend(0));
    }

    #[test]
    fn a_meter_without_limit_counts_nothing() {
        let meter = Meter::default();
        assert!(meter.spend(u64::MAX) && meter.rest());
        assert_eq!(meter.spent(), 0);
    }
}
