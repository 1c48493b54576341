//! The checker: decides whether an execution is evidence for a proposition.

use crate::axioms::forbidden_by;
use crate::execution::Execution;
use crate::flaw::Flaw;
use crate::relations::relate;
use crate::replay::{Outcome, Stop, Whole, replay_all};
use ir::{Location, Program, Proposition, State, ThreadId};
use model::Model;

/// Checks that `execution` is an execution of `program` under `model` whose final state satisfies `goal`.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn check(program: &Program, model: &Model, execution: &Execution, goal: &Proposition) -> Result<(), Flaw> {
    let outcome = replay_all(program, execution, Whole::Waits)?;
    let structure = relate(program, execution, &outcome.replays)?;
    if let Some(at) = outcome.stops.iter().position(|stop| !matches!(stop, Stop::Finished(_))) {
        let thread = execution.thread_name(program, ThreadId(at as u32));
        return Err(Flaw::Unfinished(thread));
    }
    let observed = program.observables();
    let mut wanted = observed.clone();
    goal.for_each_location(&mut |location| wanted.push(location));
    program.filter.iter().for_each(|filter| filter.for_each_location(&mut |location| wanted.push(location)));
    let finals = final_state(execution, &outcome, &wanted);
    let everywhere = observed.iter().chain(execution.finals.keys());
    for location in everywhere {
        let found = finals.get(location).filter(|_| observed.contains(location)).copied();
        let claimed = execution.finals.get(location).copied();
        if claimed != found {
            return Err(Flaw::Final { location: location.name(program), claimed, found });
        }
    }
    if program.filter.as_ref().is_some_and(|filter| !filter.holds(&finals)) {
        return Err(Flaw::Filter);
    }
    if !goal.holds(&finals) {
        return Err(Flaw::Goal);
    }
    forbidden_by(model, &structure).map_or(Ok(()), |axiom| Err(Flaw::Forbidden(axiom)))
}

/// The values of the locations when all threads have ended.
fn final_state(execution: &Execution, outcome: &Outcome<'_>, locations: &[Location]) -> State {
    let value = |location: &Location| match *location {
        Location::Local(thread, local) => {
            outcome.replays.threads.get(thread.index())?.locals.get(local.index()).copied()
        }
        Location::Memory(address) => {
            let writes = |id: &&crate::EventId| execution.events[id.index()].address() == Some(address);
            let last = execution.co.iter().filter_map(|order| order.last()).find(writes);
            let last = last.map(|id| &execution.events[id.index()]);
            let only = || execution.events.iter().find(|event| event.is_write() && event.address() == Some(address));
            last.or_else(only).map_or_else(|| outcome.plain(address), crate::Event::value)
        }
    };
    locations.iter().filter_map(|location| Some((*location, value(location)?))).collect()
}
