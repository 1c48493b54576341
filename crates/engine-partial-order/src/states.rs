//! All final states: each is excluded once it is known.
//!
//! Executions are counted as long as they are few. Where they are not, those that end in a known state are excluded
//! together, and the answer has no counts: there can be thousands of executions for each state.

use crate::encode::{Found, Problem};
use engine::{FinalState, Findings, NoAnswer, Number, Observer, Task};
use ir::{Proposition, State};
use model::Role;
use std::collections::BTreeMap;

pub const EXECUTIONS: Number = Number {
    name: "executions",
    value: "N",
    help: "With --states, count executions if they are no more than this [default: 4000]",
    range: (0, u32::MAX),
};

const MANY: u32 = 4000;

pub fn states(problem: &mut Problem<'_>, task: &Task<'_>, observer: &dyn Observer) -> Result<Findings, NoAnswer> {
    // Flags belong to executions: to know those of a state, all of its executions have to be looked at.
    let flagged = task.model.axioms.iter().any(|axiom| axiom.role != Role::Forbids);
    let most = u64::from(EXECUTIONS.of(task.options).unwrap_or(MANY));
    problem.finish();
    let goal = problem.goal(&Proposition::True);
    let mut states: BTreeMap<State, FinalState> = BTreeMap::new();
    let mut executions = 0;
    while let Some(found) = problem.find_flagged(goal, flagged.then_some(task.model), observer)? {
        let counted = flagged || executions < most;
        if counted {
            problem.exclude(&found);
        } else {
            if executions == most {
                states.keys().for_each(|state| problem.exclude_state(state));
            }
            problem.exclude_state(&found.execution.finals);
        }
        executions += 1;
        add(&mut states, found);
    }
    if !flagged && executions > most {
        states.values_mut().for_each(|state| state.executions = 0);
    }
    observer.phase("solve", &format!("{} final states", states.len()));
    Ok(Findings::States(states.into_values().collect()))
}

fn add(states: &mut BTreeMap<State, FinalState>, found: Found) {
    let Found { execution, flags, choices: _, values: _ } = found;
    let state = states.entry(execution.finals.clone()).or_insert_with(|| FinalState {
        state: execution.finals.clone(),
        executions: 0,
        example: None,
        flags: Vec::new(),
    });
    state.executions += 1;
    state.flags.extend(flags);
    state.flags.sort();
    state.flags.dedup();
    state.example.get_or_insert(execution);
}
