//! Bounded model checking with partial orders.
//!
//! # The method
//! Paper 000 (Alglave, Kroening, Tautschnig: "Partial Orders for Efficient Bounded Model Checking of Concurrent
//! Software"). Loops are unrolled, threads are executed symbolically into guarded events, and the question becomes one
//! formula: what the threads compute (`ssa`), who reads from whom and in which order writes reach memory, and that the
//! relations which the model wants acyclic are so (`pord`).
//!
//! # How it deviates
//! * Models are not compiled in: any relation expression of a model becomes a graph, the product of the events with the
//!   expression's automaton (`graph.rs`), or, where it is not regular, conditions on pairs (`relations.rs`).
//! * From-read is never built: `fr` is `rf^-1 ; co`, so it is two steps in the product, through the write.
//! * Acyclicity is decided by a theory inside the SAT solver; the paper's clocks are there behind an option.
//! * Program order is a chain of nodes per thread, not a set of pairs, so nothing needs the paper's transitive reduction.
//!
//! # What it can miss
//! Executions that take a jump back more often than the bound says; the guarantee says so. Values out of thin air.

mod chains;
mod communication;
mod encode;
mod events;
mod goals;
mod graph;
mod order;
mod query;
mod ranges;
mod relations;
mod shape;

use engine::{
    Answer, Engine, FinalState, Findings, Guarantee, NoAnswer, Observer, Options, Order, Property, Question, Refusal,
    Task,
};
use ir::Proposition;
use logic::Bool;
use model::{Requirement, Role};
use source::Span;
use std::collections::BTreeMap;
use symbolic::{Halt, Settings};
use witness::Execution;

/// While the bound on loops is still growing, this many iterations that constants decide are free.
const DECIDED_WHILE_DEEPENING: u32 = 8;

/// While it is, this many threads are started for free.
const THREADS_WHILE_DEEPENING: u32 = 4;

/// The engine.
#[derive(Debug, Clone, Copy, Default)]
pub struct PartialOrder;

impl Engine for PartialOrder {
    fn name(&self) -> &'static str {
        "partial-order"
    }

    fn about(&self) -> &'static str {
        "bounded model checking: one formula over events and partial orders"
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Refusal> {
        for axiom in task.model.axioms.iter().filter(|axiom| axiom.role == Role::Forbids) {
            if axiom.negated && axiom.requirement != Requirement::Empty {
                return Err(Refusal {
                    reason: format!("the axiom `{}` demands a cycle, which is not encoded", axiom.name),
                    help: "use `--engine enumerate`".to_owned(),
                });
            }
        }
        Ok(())
    }

    fn run(&self, task: &Task<'_>, observer: &dyn Observer) -> Result<Answer, NoAnswer> {
        let waits = matches!(task.question, Question::Violation(Property::Deadlock));
        let last = task.options.unwind.saturating_add(task.options.widen);
        let settings = Settings {
            unwind: (task.options.unwind, last),
            threads: if task.options.deepens { THREADS_WHILE_DEEPENING } else { u32::MAX },
            free: if task.options.deepens { DECIDED_WHILE_DEEPENING } else { u32::MAX },
            loops: &task.options.loops,
            dependencies: waits || shape::wants_dependencies(task.model),
            waits,
            go_on: &|| observer.stop().is_none(),
        };
        let mut structure = symbolic::execute(task.program, &settings).map_err(|halt| match halt {
            Halt::Cancelled => observer.stop().unwrap_or(NoAnswer::Cancelled),
            Halt::Refused(why) => NoAnswer::GaveUp(why),
        })?;
        symbolic::narrow(&mut structure, settings.go_on);
        let reachable = structure.cuts.iter().filter(|(when, _)| *when != Bool::FALSE);
        let mut loops: Vec<Span> = reachable.map(|&(_, span)| span).collect();
        loops.sort();
        loops.dedup();
        let clocks = task.options.order == Order::Clocks;
        let mut problem = encode::Problem::new(task.program, structure, task.model, clocks, observer)?;
        observer.phase("encode", &problem.describe());
        if task.options.clauses.is_some_and(|most| problem.clauses() > most) {
            return Err(NoAnswer::TooLarge(problem.clauses()));
        }
        let findings = match task.question {
            Question::Reach(goals) => reach(&mut problem, goals, observer)?,
            Question::States => states(&mut problem, task, observer)?,
            Question::Violation(property) => {
                let (found, bound) = violation(&mut problem, property, task.options, observer)?;
                let guarantee = bound.map_or(Guarantee::Full, |unwind| Guarantee::Unwound { unwind, loops });
                let findings = Findings::Reach(vec![found]);
                return Ok(Answer { findings, guarantee, statistics: problem.statistics() });
            }
        };
        // It only matters how far the search went if something was not found.
        let is_open = match &findings {
            Findings::Reach(found) => found.iter().any(Option::is_none),
            Findings::States(_) => true,
            Findings::Proof(_) => false,
        };
        let is_cut = is_open && problem.is_cut(observer)?;
        let guarantee =
            if is_cut { Guarantee::Unwound { unwind: task.options.unwind, loops } } else { Guarantee::Full };
        Ok(Answer { findings, guarantee, statistics: problem.statistics() })
    }
}

/// An execution in which the property fails, within bounds that are widened as long as that is allowed and needed; and
/// the bound that was not enough, if none was.
///
/// When the time is up after the first bound, what is known by then is the answer.
fn violation(
    problem: &mut encode::Problem<'_>,
    property: Property,
    options: &Options,
    observer: &dyn Observer,
) -> Result<(Option<Execution>, Option<u32>), NoAnswer> {
    let goal = problem.violation(property);
    for by in 0..=options.widen {
        problem.widen(by);
        let bound = options.unwind + by;
        let outcome = problem.find(goal, observer).and_then(|found| match found {
            Some(found) => Ok((Some(found.execution), false)),
            None => Ok((None, problem.is_cut(observer)?)),
        });
        match outcome {
            Ok((found, false)) => return Ok((found, None)),
            Ok(_) => observer.phase("bound", &format!("safe up to {bound} repetitions")),
            Err(NoAnswer::TimedOut(_)) if by > 0 => return Ok((None, Some(bound - 1))),
            Err(other) => return Err(other),
        }
    }
    Ok((None, Some(options.unwind + options.widen)))
}

fn reach(
    problem: &mut encode::Problem<'_>,
    goals: &[Proposition],
    observer: &dyn Observer,
) -> Result<Findings, NoAnswer> {
    problem.finish();
    let mut found = Vec::with_capacity(goals.len());
    for goal in goals {
        let goal = problem.goal(goal);
        let execution = problem.find(goal, observer)?.map(|found| found.execution);
        found.push(execution);
    }
    observer.phase("solve", "");
    Ok(Findings::Reach(found))
}

fn states(problem: &mut encode::Problem<'_>, task: &Task<'_>, observer: &dyn Observer) -> Result<Findings, NoAnswer> {
    let flagged = task.model.axioms.iter().any(|axiom| axiom.role != Role::Forbids);
    problem.finish();
    let goal = problem.goal(&Proposition::True);
    let mut states: BTreeMap<ir::State, FinalState> = BTreeMap::new();
    while let Some(found) = problem.find(goal, observer)? {
        problem.exclude(&found);
        let execution = found.execution;
        let flags = if flagged { query::flags(task, &execution)? } else { Vec::new() };
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
    observer.phase("solve", &format!("{} final states", states.len()));
    Ok(Findings::States(states.into_values().collect()))
}
