//! The checker of violations: decides whether an execution shows that a property fails.

use crate::axioms::{forbidden_by, knows_mixed_sizes, knows_sections, undefining};
use crate::execution::{EventId, Execution, Property, TWO_INSIDE, Violation};
use crate::flaw::Flaw;
use crate::relations::relate;
use crate::replay::{Outcome, Stop, Whole, replay_all};
use ir::{Address, Program, ThreadId};
use model::{Model, Structure};
use source::Span;
use std::collections::BTreeSet;

/// Checks that `execution` is an execution of `program` under `model` in which `property` fails as it says.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn check_violation(
    program: &Program,
    model: &Model,
    execution: &Execution,
    property: Property,
) -> Result<(), Flaw> {
    let Some(violation) = &execution.violation else {
        return Err(Flaw::Violation("the execution does not say what fails".to_owned()));
    };
    let Outcome { replays, stops, stands, failed, .. } = replay_all(program, execution, Whole::of(property))?;
    let structure = relate(program, execution, &replays)?;
    let Some(stop) = stops.get(violation.thread.index()) else {
        return Err(Flaw::Violation("there is no such thread".to_owned()));
    };
    match property {
        Property::Assertions { memory: _ } if violation.message == TWO_INSIDE => together(&stands, violation)?,
        Property::Assertions { memory: _ } if failed_on_the_way(&failed, violation) => {}
        Property::Assertions { memory } => fails(stop, violation, memory)?,
        Property::Deadlock | Property::Progress => deadlocked(program, execution, &stops, violation)?,
        Property::Race => unordered(model, &structure, execution, violation)?,
    }
    if structure.sections.iter().any(Option::is_some) && !knows_sections(model) {
        return Err(Flaw::Violation(format!("the model {} does not say what an atomic section is", model.name)));
    }
    if replays.mixed && !knows_mixed_sizes(model) {
        return Err(Flaw::Violation(format!("the model {} says nothing about accesses of mixed sizes", model.name)));
    }
    forbidden_by(model, &structure).map_or(Ok(()), |axiom| Err(Flaw::Forbidden(axiom)))
}

/// The two accesses that race, in an execution whose violation says that two do: one at its place, and the other one.
///
/// # Errors
/// What the program cannot do.
pub fn racing(program: &Program, model: &Model, execution: &Execution) -> Result<Option<(EventId, EventId)>, Flaw> {
    let Some(violation) = &execution.violation else { return Ok(None) };
    let Outcome { replays, .. } = replay_all(program, execution, Whole::No)?;
    let structure = relate(program, execution, &replays)?;
    Ok(racing_pair(model, &structure, execution, violation))
}

fn racing_pair(
    model: &Model,
    structure: &Structure,
    execution: &Execution,
    violation: &Violation,
) -> Option<(EventId, EventId)> {
    let named = |at: usize| {
        let event = &execution.events[at];
        event.thread == Some(violation.thread) && event.span == violation.span
    };
    let pair = undefining(model, structure).into_iter().find(|&(a, b)| named(a) || named(b));
    let pair = pair.map(|(a, b)| if named(a) { (a, b) } else { (b, a) });
    pair.map(|(a, b)| (EventId(a as u32), EventId(b as u32)))
}

/// Checks that the model leaves the program undefined because of the access that the violation names.
fn unordered(model: &Model, structure: &Structure, execution: &Execution, violation: &Violation) -> Result<(), Flaw> {
    match racing_pair(model, structure, execution, violation) {
        Some(_) => Ok(()),
        None => Err(Flaw::Violation("the access that it names does not race".to_owned())),
    }
}

/// The threads that wait at the end of an execution, each with the instruction that it waits at.
///
/// # Errors
/// What the program cannot do.
pub fn waiting(program: &Program, execution: &Execution) -> Result<Vec<(ThreadId, Span)>, Flaw> {
    let Outcome { stops, .. } = replay_all(program, execution, Whole::Spins)?;
    let waits = |(at, stop): (usize, &Stop)| match stop {
        Stop::Waits { span, .. } | Stop::Joins { span } => Some((ThreadId(at as u32), *span)),
        Stop::Unborn | Stop::Finished(_) | Stop::Leaves | Stop::Fails { .. } | Stop::Strays { .. } => None,
    };
    Ok(stops.iter().enumerate().filter_map(waits).collect())
}

/// The threads that stand inside a critical section at the end of an execution whose violation says that two do, each with
/// the place where it entered.
///
/// # Errors
/// What the program cannot do.
pub fn inside(program: &Program, execution: &Execution) -> Result<Vec<(ThreadId, Span)>, Flaw> {
    let Outcome { stands, .. } = replay_all(program, execution, Whole::No)?;
    let last = |(at, places): (usize, &BTreeSet<Span>)| places.last().map(|&span| (ThreadId(at as u32), span));
    Ok(stands.iter().enumerate().filter_map(last).collect())
}

/// The first check that fails in the thread of the violation of an execution, if the thread went on behind one.
///
/// # Errors
/// What the program cannot do.
pub fn first_failure(program: &Program, execution: &Execution) -> Result<Option<Violation>, Flaw> {
    let Some(Violation { thread, .. }) = execution.violation else { return Ok(None) };
    let Outcome { failed, .. } = replay_all(program, execution, Whole::No)?;
    let first = failed.into_iter().nth(thread.index()).and_then(|own| own.into_iter().next());
    Ok(first.map(|(span, message)| Violation { thread, span, message }))
}

/// The locations of an execution whose first value nobody has set: in memory that was allocated, and in variables of functions.
///
/// # Errors
/// What the program cannot do.
pub fn unset(program: &Program, execution: &Execution) -> Result<BTreeSet<Address>, Flaw> {
    Ok(replay_all(program, execution, Whole::No)?.unset())
}

/// Whether a check failed as the violation says, and the thread went on.
fn failed_on_the_way(failed: &[Vec<(Span, String)>], violation: &Violation) -> bool {
    let own = failed.get(violation.thread.index()).into_iter().flatten();
    own.into_iter().any(|(span, message)| *span == violation.span && *message == violation.message)
}

/// Checks that a thread stops where the violation says, because of what it says.
fn fails(stop: &Stop, violation: &Violation, memory: bool) -> Result<(), Flaw> {
    let found = match stop {
        Stop::Fails { span, message } => {
            if *message != violation.message {
                return Err(Flaw::Violation(format!("what fails is `{message}`, not `{}`", violation.message)));
            }
            span
        }
        Stop::Strays { span } if memory => span,
        Stop::Unborn
        | Stop::Finished(_)
        | Stop::Leaves
        | Stop::Waits { .. }
        | Stop::Joins { .. }
        | Stop::Strays { .. } => {
            return Err(Flaw::Violation(format!("`{}` does not fail", violation.message)));
        }
    };
    if *found == violation.span { Ok(()) } else { Err(Flaw::Violation("it fails at another place".to_owned())) }
}

/// Checks that the thread of the violation can stop inside the critical section that it names, and another one in some.
fn together(stands: &[BTreeSet<Span>], violation: &Violation) -> Result<(), Flaw> {
    if !stands[violation.thread.index()].contains(&violation.span) {
        return Err(Flaw::Violation("the thread is not inside a critical section that it entered there".to_owned()));
    }
    let mut others = stands.iter().enumerate().filter(|&(at, _)| at != violation.thread.index());
    if !others.any(|(_, places)| !places.is_empty()) {
        return Err(Flaw::Violation("no other thread is inside a critical section".to_owned()));
    }
    Ok(())
}

/// Checks that every thread has ended or waits for ever, the one of the violation at its place.
fn deadlocked(program: &Program, execution: &Execution, stops: &[Stop], violation: &Violation) -> Result<(), Flaw> {
    for (at, stop) in stops.iter().enumerate() {
        let name = || execution.thread_name(program, ThreadId(at as u32));
        let span = match stop {
            Stop::Unborn | Stop::Finished(_) => None,
            Stop::Joins { span } => Some(span),
            Stop::Waits { span, reads } => {
                if let Some(read) = reads.iter().find(|&&read| !reads_last(execution, read)) {
                    let what = format!("{} waits, but what it read at event {read} changes", name());
                    return Err(Flaw::Violation(what));
                }
                Some(span)
            }
            Stop::Leaves | Stop::Fails { .. } | Stop::Strays { .. } => {
                return Err(Flaw::Violation(format!("{} has neither ended nor does it wait", name())));
            }
        };
        if at == violation.thread.index() && span != Some(&violation.span) {
            return Err(Flaw::Violation(format!("{} does not wait there", name())));
        }
    }
    Ok(())
}

/// Whether a read takes its value from the last write of its location in coherence order.
fn reads_last(execution: &Execution, read: usize) -> bool {
    let source = execution.rf.iter().find(|(_, reader)| reader.index() == read).map(|&(write, _)| write);
    let last = |write: EventId| {
        let order = execution.co.iter().find(|order| order.contains(&write));
        order.is_none_or(|order| order.last() == Some(&write))
    };
    source.is_some_and(last)
}
