//! Two engines side by side: the first answer that cannot get better wins, and the other engine is stopped.

use crate::evidence::run_engine;
use crate::{Failure, engine};
use engine::{Answer, Engine, Findings, Guarantee, NoAnswer, Observer, Task};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

/// The name for `--engine`.
pub const RACE: &str = "race";

/// Who takes part, the one whose answers are preferred first.
pub const RUNNERS: [&str; 2] = ["partial-order", "lazy"];

/// Tells an engine to stop when another one has won.
struct Runner<'a> {
    inner: &'a dyn Observer,
    over: &'a AtomicBool,
}

impl Observer for Runner<'_> {
    fn stop(&self) -> Option<NoAnswer> {
        self.inner.stop().or_else(|| self.over.load(Ordering::Relaxed).then_some(NoAnswer::Cancelled))
    }

    fn phase(&self, name: &str, detail: &str) {
        self.inner.phase(name, detail);
    }
}

/// What an engine came to, checked.
type Outcome = Result<Result<Answer, NoAnswer>, Failure>;

/// Whether no other engine could know more: everything that was asked for was found, or the answer holds for all schedules.
fn is_final(outcome: &Outcome) -> bool {
    let Ok(Ok(answer)) = outcome else { return false };
    let found = match &answer.findings {
        Findings::Reach(found) => found.iter().all(Option::is_some),
        Findings::States(_) => false,
        Findings::Proof(_) => true,
    };
    found || !matches!(answer.guarantee, Guarantee::Rounds { .. })
}

/// Runs the engines that take the task, and gives the answer that wins with the engine's name.
///
/// # Errors
/// None of them takes it, or one of them has a defect.
pub fn race(task: &Task<'_>, observer: &dyn Observer) -> Result<(&'static str, Result<Answer, NoAnswer>), Failure> {
    let all: Vec<&'static dyn Engine> = RUNNERS.iter().filter_map(|name| engine(name)).collect();
    let mut refusal = None;
    let mut runners = Vec::new();
    for runner in all {
        match runner.accepts(task) {
            Ok(()) => runners.push(runner),
            Err(why) => refusal = refusal.or(Some(Failure::Refused(why.reason, why.help))),
        }
    }
    if runners.is_empty() {
        return Err(refusal.unwrap_or_else(|| Failure::Internal("nobody takes part in the race".to_owned())));
    }
    let over = AtomicBool::new(false);
    let mut outcomes: Vec<(usize, Outcome)> = std::thread::scope(|scope| {
        let (report, reports) = mpsc::channel();
        for (at, &runner) in runners.iter().enumerate() {
            let (report, over) = (report.clone(), &over);
            scope.spawn(move || {
                let outcome = run_engine(runner, task, &Runner { inner: observer, over });
                // Nobody listens any more if the other one has failed.
                let _ = report.send((at, outcome));
            });
        }
        drop(report);
        let mut outcomes = Vec::new();
        for (at, outcome) in reports {
            if is_final(&outcome) {
                over.store(true, Ordering::Relaxed);
                // What comes after this is cancelled, or no better.
                outcomes.insert(0, (at, outcome));
                break;
            }
            outcomes.push((at, outcome));
        }
        over.store(true, Ordering::Relaxed);
        outcomes
    });
    // A defect is never hidden. Then answers come before none, and the preferred engine before the other.
    if let Some(at) = outcomes.iter().position(|(_, outcome)| outcome.is_err()) {
        let (_, outcome) = outcomes.swap_remove(at);
        return outcome.map(|answer| (RACE, answer));
    }
    let rank = |(at, outcome): &(usize, Outcome)| (!is_final(outcome), !matches!(outcome, Ok(Ok(_))), *at);
    outcomes.sort_by_key(rank);
    match outcomes.into_iter().next() {
        Some((at, outcome)) => outcome.map(|answer| (runners[at].name(), answer)),
        None => Err(Failure::Internal("nobody came to the end of the race".to_owned())),
    }
}
