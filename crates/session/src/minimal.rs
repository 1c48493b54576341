//! Executions with nothing in them that could be left out.
//!
//! A thread may stop anywhere before its next event, so what shows a failure is the failing thread up to the failure, what
//! comes before that in program order, the writes that are read from, and so on. A solver shows any execution: threads run
//! on in it that have nothing to do with the failure. What is left here is an execution of the same program, with fewer
//! events in the same relations, and it is replayed like any other before it is believed.

use ir::{Program, ThreadId};
use model::{Model, Structure};
use witness::{Execution, Property, TWO_INSIDE};

/// How often at most a shorter execution is replayed to see whether it holds.
const TRIES: usize = 48;

/// How often at most the failing thread is cut at an earlier event.
const CUTS: usize = 8;

/// The execution without what its violation does not need; nothing if nothing can be left out, or if what would be left does
/// not hold. That all threads wait, or that two accesses race, is not shown by one thread: there all is left as it is.
pub fn minimal(program: &Program, model: &Model, execution: &Execution, property: Property) -> Option<Execution> {
    if !matches!(property, Property::Assertions { .. }) {
        return None;
    }
    let structure = witness::structure(program, execution).ok()?;
    let mut execution = execution.clone();
    if let Some(first) = witness::first_failure(program, &execution).ok()? {
        execution.violation = Some(first);
        let cuts = cuts(&execution).into_iter().take(CUTS);
        let mut shorter =
            cuts.filter_map(|last| restricted(program, model, &execution, property, &closure(&structure, &[last])));
        if let Some(shorter) = shorter.next() {
            return Some(shorter);
        }
    }
    let kept = closure(&structure, &seeds(program, &execution)?);
    if kept.iter().all(|&kept| kept) {
        return None;
    }
    restricted(program, model, &execution, property, &kept)
}

/// The events of the failing thread at the place of its failure, the first one first: it may stop behind each of them.
fn cuts(execution: &Execution) -> Vec<usize> {
    let Some(violation) = &execution.violation else { return Vec::new() };
    let own = execution.events.iter().enumerate().filter(|(_, event)| event.thread == Some(violation.thread));
    own.filter(|(_, event)| event.span == violation.span).map(|(at, _)| at).collect()
}

/// The execution with these events only, if its violation holds in it.
fn restricted(
    program: &Program,
    model: &Model,
    execution: &Execution,
    property: Property,
    kept: &[bool],
) -> Option<Execution> {
    let mut shorter = execution.restricted(kept);
    let holds = |e: &Execution| witness::check_violation(program, model, e, property).is_ok();
    // A thread that stops earlier makes fewer choices; how many, only a replay can say.
    let cut = |thread: usize| {
        let own = |(at, _): &(usize, &bool)| execution.events[*at].thread == Some(ThreadId(thread as u32));
        kept.iter().enumerate().filter(own).any(|(_, &kept)| !kept)
    };
    let mut open: Vec<usize> =
        (0..shorter.choices.len()).filter(|&t| cut(t) && !shorter.choices[t].is_empty()).collect();
    for _ in 0..TRIES {
        if holds(&shorter) {
            return Some(shorter);
        }
        while open.last().is_some_and(|&thread| shorter.choices[thread].is_empty()) {
            let thread = open.pop()?;
            shorter.choices[thread].clone_from(&execution.choices[thread]);
        }
        shorter.choices[*open.last()?].pop();
    }
    None
}

/// The events of the threads whose events are needed in any case.
fn seeds(program: &Program, execution: &Execution) -> Option<Vec<usize>> {
    let violation = execution.violation.as_ref()?;
    let mut threads = vec![violation.thread];
    if violation.message == TWO_INSIDE {
        let inside = witness::inside(program, execution).ok()?;
        threads.push(inside.into_iter().map(|(thread, _)| thread).find(|&thread| thread != violation.thread)?);
    }
    let needed = |event: &witness::Event| event.thread.is_some_and(|thread| threads.contains(&thread));
    Some((0..execution.events.len()).filter(|&at| needed(&execution.events[at])).collect())
}

/// These events with all that they need: what comes before in program order, what is read from, the other
/// events of an atomic section and the other half of a read-modify-write. The initial writes say which locations are shared.
fn closure(s: &Structure, seeds: &[usize]) -> Vec<bool> {
    let mut kept: Vec<bool> = (0..s.size).map(|event| s.threads[event].is_none()).collect();
    let mut open = seeds.to_vec();
    let (before, sources, halves) = (s.po.inverse(), s.rf.inverse(), s.rmw.union(&s.rmw.inverse()));
    while let Some(event) = open.pop() {
        if std::mem::replace(&mut kept[event], true) {
            continue;
        }
        open.extend(before.successors(event).chain(sources.successors(event)).chain(halves.successors(event)));
        if let Some(section) = s.sections[event] {
            open.extend((0..s.size).filter(|&other| s.sections[other] == Some(section)));
        }
    }
    kept
}
