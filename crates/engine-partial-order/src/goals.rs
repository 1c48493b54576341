//! What it means that a property fails.

use crate::events::Events;
use engine::Property;
use logic::Bool;
use symbolic::{Failing, Input};

/// When a property fails, and the places that it can fail at.
/// `races`: the pairs of events that make the program undefined, and when they do.
pub fn violation(events: &mut Events<'_>, property: Property, races: &[(usize, usize, Bool)]) -> (Bool, Vec<Failing>) {
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
            let stands = events.structure.stands.clone();
            let together = Failing::together(events.terms(), stands, witness::TWO_INSIDE);
            let nobody = events.structure.not_stuck(|_| false);
            for two in &together {
                goals.push(events.terms().and(two.when, nobody));
            }
            failing.extend(together);
            (events.terms().any(goals), failing)
        }
        Property::Deadlock | Property::Progress => deadlock(events),
        Property::Race => race(events, races),
    }
}

/// Two accesses race. The later one in the list of events shows it.
fn race(events: &mut Events<'_>, races: &[(usize, usize, Bool)]) -> (Bool, Vec<Failing>) {
    let mut failing = Vec::new();
    for &(a, b, when) in races {
        let event = &events.structure.events[a.max(b)];
        if let Some(thread) = event.thread {
            failing.push(Failing { when, thread, span: event.span, message: witness::UNORDERED.to_owned() });
        }
    }
    let some = events.terms().any(failing.iter().map(|failing| failing.when));
    (some, failing)
}

/// A failure, and no thread but the one that fails stops inside an atomic section.
fn alone(events: &mut Events<'_>, failure: Bool) -> Bool {
    let nobody = events.structure.not_stuck(|stuck| stuck.when == failure);
    events.terms().and(failure, nobody)
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
