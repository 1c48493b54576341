//! Who watches engines in tests.

use engine::{Meter, NoAnswer, Observer};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Stops an engine after an amount of work, and writes down the phases.
///
/// Work is what engines count, in units, and how often they ask whether to stop: once for each state, candidate or row of
/// conflicts. So whether the limit is reached does not depend on how fast or how busy the machine is.
#[derive(Debug)]
pub struct Budget {
    limit: u64,
    used: AtomicU64,
    meter: Meter,
    phases: Mutex<Vec<String>>,
}

impl Budget {
    /// The engine may ask so often, and spend as much as it likes in between.
    pub fn of(limit: u64) -> Self {
        Budget { limit, used: AtomicU64::new(0), meter: Meter::default(), phases: Mutex::new(Vec::new()) }
    }

    /// The engine may spend so many units. A judge, which counts none, may ask as often.
    pub fn units(units: u64) -> Self {
        Budget { meter: Meter::limited(units), ..Budget::of(units) }
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

    fn meter(&self) -> Meter {
        self.meter.clone()
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

    #[test]
    fn units_are_counted_by_the_engine() {
        let budget = Budget::units(100);
        let meter = budget.meter();
        assert!(engine::spend(&meter, &budget, 60).is_ok());
        assert!(engine::spend(&meter, &budget, 60).is_err());
    }
}
