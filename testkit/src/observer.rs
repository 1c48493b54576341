//! Who watches engines in tests.

use engine::{NoAnswer, Observer};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Stops an engine after a number of questions whether to stop, and writes down the phases.
///
/// Engines ask once for each state, candidate or row of conflicts. So this is a limit on work: whether it is reached does
/// not depend on how fast or how busy the machine is.
#[derive(Debug)]
pub struct Budget {
    limit: u64,
    used: AtomicU64,
    phases: Mutex<Vec<String>>,
}

impl Budget {
    /// The engine may ask so often.
    pub fn of(limit: u64) -> Self {
        Budget { limit, used: AtomicU64::new(0), phases: Mutex::new(Vec::new()) }
    }

    /// How often it has asked.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// What it has done: names of phases.
    pub fn phases(&self) -> Vec<String> {
        self.phases.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

impl Observer for Budget {
    fn stop(&self) -> Option<NoAnswer> {
        let used = self.used.fetch_add(1, Ordering::Relaxed);
        (used >= self.limit).then(|| NoAnswer::GaveUp(format!("the test's budget of {} steps is used up", self.limit)))
    }

    fn phase(&self, name: &str, _detail: &str) {
        self.phases.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(name.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_and_stays_ended() {
        let budget = Budget::of(2);
        budget.phase("search", "");
        assert!(budget.stop().is_none() && budget.stop().is_none());
        assert!(budget.stop().is_some() && budget.stop().is_some());
        assert_eq!((budget.used(), budget.phases()), (4, vec!["search".to_owned()]));
    }
}
