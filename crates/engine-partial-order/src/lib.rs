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

mod encode;
mod events;
mod graph;
mod query;
mod relations;

use engine::{Answer, Engine, FinalState, Findings, Guarantee, NoAnswer, Observer, Order, Question, Refusal, Task};
use ir::{Proposition, Unrolled};
use logic::Bool;
use model::{Requirement, Role};
use std::collections::BTreeMap;

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
        let Unrolled { program, cut } = ir::unroll(task.program, task.options.unwind);
        let mut structure = symbolic::execute(&program);
        symbolic::narrow(&program, &mut structure);
        // A loop that ends by itself within the bound is not cut.
        let is_cut = structure.cuts.iter().any(|&reached| reached != Bool::FALSE);
        let clocks = task.options.order == Order::Clocks;
        let mut problem = encode::Problem::new(&program, structure, task.model, clocks, observer)?;
        observer.phase("encode", &problem.describe());
        let findings = match task.question {
            Question::Reach(goals) => reach(&mut problem, goals, observer)?,
            Question::States => states(&mut problem, task, observer)?,
        };
        let guarantee =
            if is_cut { Guarantee::Unwound { unwind: task.options.unwind, loops: cut } } else { Guarantee::Full };
        Ok(Answer { findings, guarantee, statistics: problem.statistics() })
    }
}

fn reach(
    problem: &mut encode::Problem<'_>,
    goals: &[Proposition],
    observer: &dyn Observer,
) -> Result<Findings, NoAnswer> {
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
