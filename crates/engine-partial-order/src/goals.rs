//! What it means that a property fails.

use crate::events::Events;
use engine::Property;
use ir::ThreadId;
use logic::Bool;
use source::Span;
use symbolic::{Input, Stuck};

/// A place where the property can fail, for the report.
#[derive(Debug, Clone)]
pub struct Failing {
    pub when: Bool,
    pub thread: ThreadId,
    pub span: Span,
    pub message: String,
}

/// When a property fails, and the places that it can fail at.
pub fn violation(events: &mut Events<'_>, property: Property) -> (Bool, Vec<Failing>) {
    match property {
        Property::Assertions { memory } => {
            let failures = events.structure.failures.iter().filter(|failure| memory || !failure.memory);
            let failing = failures.map(|failure| Failing {
                when: failure.when,
                thread: failure.thread,
                span: failure.span,
                message: failure.message.clone(),
            });
            let mut failing: Vec<Failing> = failing.collect();
            let mut goals: Vec<Bool> = failing.iter().map(|failing| alone(events, failing.when)).collect();
            let together = together(events);
            let nobody = not_stuck(events, |_| false);
            for two in &together {
                goals.push(events.terms().and(two.when, nobody));
            }
            failing.extend(together);
            (events.terms().any(goals), failing)
        }
        Property::Deadlock => deadlock(events),
    }
}

/// Two threads stand inside a critical section: for each place where one may, when another one does too. Where one has
/// just entered comes last.
fn together(events: &mut Events<'_>) -> Vec<Failing> {
    let mut stands = events.structure.stands.clone();
    stands.sort_by_key(|stand| stand.enters);
    let terms = events.terms();
    let mut failing = Vec::new();
    for stand in &stands {
        let others = stands.iter().filter(|other| other.thread != stand.thread);
        let others = terms.any(others.map(|other| other.when));
        let when = terms.and(stand.when, others);
        if when != Bool::FALSE {
            let message = witness::TWO_INSIDE.to_owned();
            failing.push(Failing { when, thread: stand.thread, span: stand.span, message });
        }
    }
    failing
}

/// A failure, and no thread but the one that fails stops inside an atomic section.
fn alone(events: &mut Events<'_>, failure: Bool) -> Bool {
    let stuck: Vec<Bool> = events.structure.stuck.iter().map(|stuck| stuck.when).collect();
    let others = stuck.into_iter().filter(|&when| when != failure).map(|when| !when);
    let others: Vec<Bool> = others.collect();
    let terms = events.terms();
    let nobody = terms.all(others);
    terms.and(failure, nobody)
}

/// No thread stops inside an atomic section, except in the ways that are allowed.
pub fn not_stuck(events: &mut Events<'_>, allowed: impl Fn(&Stuck) -> bool) -> Bool {
    let stuck: Vec<Bool> = events.structure.stuck.iter().filter(|s| !allowed(s)).map(|stuck| !stuck.when).collect();
    events.terms().all(stuck)
}

/// Every thread has ended or waits, one waits at least, and those that wait have seen the last that there is to see.
fn deadlock(events: &mut Events<'_>) -> (Bool, Vec<Failing>) {
    let mut stuck = events.structure.finished.clone();
    // A thread that was never started keeps nobody waiting.
    let own = events.program.threads.len();
    let mut begun = vec![Bool::TRUE; own];
    begun.resize(stuck.len(), Bool::FALSE);
    for (when, input) in events.structure.inputs.clone().into_iter().flatten() {
        if let Input::Thread(number) = input {
            let known = begun[number as usize];
            begun[number as usize] = events.terms().or(known, when);
        }
    }
    for (thread, &begun) in begun.iter().enumerate() {
        stuck[thread] = events.terms().or(stuck[thread], !begun);
    }
    let mut failing = Vec::new();
    for wait in events.structure.waits.clone() {
        let mut vain = wait.when;
        for &(read, when) in &wait.reads {
            let last = reads_last(events, read as usize);
            let terms = events.terms();
            let seen = terms.implies(when, last);
            vain = terms.and(vain, seen);
        }
        let thread = wait.thread.index();
        stuck[thread] = events.terms().or(stuck[thread], vain);
        failing.push(Failing { when: vain, thread: wait.thread, span: wait.span, message: "deadlock".to_owned() });
    }
    let terms = events.terms();
    let waiting = terms.any(failing.iter().map(|failing| failing.when));
    let stuck = terms.all(stuck);
    (terms.and(stuck, waiting), failing)
}

/// When a read reads from the last write of its location.
fn reads_last(events: &mut Events<'_>, read: usize) -> Bool {
    let mut result = Bool::FALSE;
    for (location, here) in events.locations[read].clone() {
        for (write, last) in events.last_writes(location) {
            let reads = events.rf[read].iter().find(|&&(from, _)| from == write).map_or(Bool::FALSE, |&(_, when)| when);
            let terms = events.terms();
            let both = terms.all([here, reads, last]);
            result = terms.or(result, both);
        }
    }
    result
}
