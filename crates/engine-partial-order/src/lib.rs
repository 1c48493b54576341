//! Bounded model checking with partial orders.
//!
//! # The method
//! Alglave, Kroening and Tautschnig, "Partial Orders for Efficient Bounded Model Checking of Concurrent Software" (CAV
//! 2013). Loops are unrolled, threads are executed symbolically into guarded events, and the question becomes one
//! formula: what the threads compute (`ssa`), who reads from whom and in which order writes reach memory, and that the
//! relations which the model wants acyclic are so (`pord`).
//!
//! # How it deviates
//! * Models are not compiled in: any relation expression of a model becomes a graph, the product of the events with the
//!   expression's automaton (`graph.rs`), or, where it is not regular, conditions on pairs (`relations.rs`).
//! * From-read is never built: `fr` is `rf^-1 ; co`, so it is two steps in the product, through the write.
//! * Acyclicity is decided by a theory inside the SAT solver; the paper's clocks are there behind an option.
//! * Threads that do the same are taken in one order only (`symmetry.rs`).
//! * Program order is a chain of nodes per thread, not a set of pairs, so nothing needs the paper's transitive reduction.
//!
//! # What it can miss
//! Executions that take a jump back more often than the bound says; the guarantee says so. Values out of thin air.

mod artefacts;
mod bases;
mod chains;
mod communication;
mod cubes;
mod encode;
mod events;
mod family;
mod flags;
mod goals;
mod graph;
mod ladders;
mod order;
mod pairs;
mod query;
mod ranges;
mod recursion;
mod relations;
mod rereads;
mod shape;
mod states;
mod symmetry;

use engine::{
    Answer, Choices, Declared, Engine, Family, Findings, Guarantee, NoAnswer, Observer, OneOf, Options, Property,
    Question, Refusal, Task,
};
use ir::Proposition;
use logic::Bool;
use model::{Requirement, Role};
use source::Span;
use symbolic::{Halt, Settings};
use witness::Execution;

/// How many units of work the symbolic execution of a block costs.
const BLOCK: u64 = 20;

/// How acyclicity is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// By a theory inside the SAT solver.
    Theory,
    /// By a clock of bits per event, as Alglave, Kroening and Tautschnig (CAV 2013) have it.
    Clocks,
}

const ORDER: OneOf<Order> = OneOf {
    name: "order",
    value: "HOW",
    help: "How events are ordered",
    choices: &[
        ("theory", "A theory inside the SAT solver", Order::Theory),
        ("clocks", "A clock of bits for each event: slower, for cross-checking", Order::Clocks),
    ],
};

const SYMMETRY: OneOf<bool> = OneOf {
    name: "symmetry",
    value: "HOW",
    help: "What is done with threads that do the same",
    choices: &[
        ("broken", "One execution stands for all that differ in which of them did what", true),
        ("kept", "All executions are looked at: slower, for cross-checking", false),
    ],
};

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

    fn options(&self) -> Vec<Declared> {
        vec![
            ORDER.declared(),
            SYMMETRY.declared(),
            cubes::CUBES.declared(),
            cubes::CUBE.declared(),
            states::EXECUTIONS.declared(),
        ]
    }

    fn reads_relations(&self) -> bool {
        true
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Refusal> {
        cubes::accepts(task)?;
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
        // That accesses of different sizes meet is believed when it can happen.
        match attempt(task, false, observer)? {
            Some(answer) => Ok(answer),
            None => attempt(task, true, observer)?
                .ok_or_else(|| NoAnswer::GaveUp("internal: nothing was left out".to_owned())),
        }
    }

    fn family<'t>(
        &self,
        task: &Task<'t>,
        choices: &Choices,
        observer: &'t dyn Observer,
    ) -> Result<Option<Box<dyn Family + 't>>, NoAnswer> {
        family::family(task, choices, observer)
    }
}

/// The formula of a task, and the loops that it cuts; `mixed`: accesses of different sizes can meet.
fn prepare<'t>(
    task: &Task<'t>,
    mixed: bool,
    choices: Option<&Choices>,
    observer: &'t dyn Observer,
) -> Result<(encode::Problem<'t>, Vec<Span>), NoAnswer> {
    let spins = matches!(task.question, Question::Violation(Property::Progress));
    let waits = spins || matches!(task.question, Question::Violation(Property::Deadlock));
    let races = matches!(task.question, Question::Violation(Property::Race));
    let last = task.options.unwind.saturating_add(task.options.widen);
    let meter = observer.meter();
    let settings = Settings {
        unwind: (task.options.unwind, last),
        threads: task.options.free_threads,
        free: task.options.free_iterations,
        loops: &task.options.loops,
        dependencies: waits || shape::wants_dependencies(task.model),
        // A litmus test and a model without rules of compilation are about the text as it stands.
        choices: task.program.condition.is_none() && !task.model.head.compile.is_empty(),
        finals: task.question.is_about_ends(),
        mixed,
        waits,
        races,
        spins,
        go_on: &|| engine::spend(&meter, observer, BLOCK).is_ok(),
    };
    let span = tracing::debug_span!("execute").entered();
    let mut structure = symbolic::execute(task.program, &settings).map_err(|halt| match halt {
        Halt::Cancelled => observer.stop().unwrap_or(NoAnswer::Cancelled),
        Halt::Refused(why) => NoAnswer::GaveUp(why),
    })?;
    let all = Options::default();
    let few = (task.options.free_iterations, task.options.free_threads) != (all.free_iterations, all.free_threads);
    if few && !structure.charged {
        return Err(NoAnswer::GaveUp("it is the same task as with all threads and iterations".to_owned()));
    }
    symbolic::narrow(&mut structure, settings.go_on);
    let reachable = structure.cuts.iter().filter(|(when, _)| *when != Bool::FALSE);
    let mut loops: Vec<Span> = reachable.map(|&(_, span)| span).collect();
    loops.sort();
    loops.dedup();
    let how = encode::How {
        clocks: ORDER.of(task.options) == Some(Order::Clocks),
        races,
        // Only a violation is the same whoever shows it: conditions speak of single threads.
        representatives: matches!(task.question, Question::Violation(_))
            && !races
            && SYMMETRY.of(task.options) != Some(false),
        choices,
    };
    drop(span);
    let _span = tracing::debug_span!("encode").entered();
    let problem = encode::Problem::new(task.program, structure, task.model, how, observer)?;
    observer.phase("encode", &problem.describe());
    Ok((problem, loops))
}

/// Answers the question; nothing if an access can be to several cells that was taken for one to a whole cell.
fn attempt(task: &Task<'_>, mixed: bool, observer: &dyn Observer) -> Result<Option<Answer>, NoAnswer> {
    let (mut problem, loops) = prepare(task, mixed, None, observer)?;
    let _span = tracing::debug_span!("solve").entered();
    let findings = match task.question {
        Question::Reach(goals) => reach(&mut problem, goals, observer)?,
        Question::States => states::states(&mut problem, task, observer)?,
        Question::Violation(property) => {
            return violation(&mut problem, property, (task, &loops), observer);
        }
    };
    // It only matters how far the search went if something was not found.
    let is_open = match &findings {
        Findings::Reach(found) => found.iter().any(Option::is_none),
        Findings::States(_) => true,
        Findings::Proof(_) => false,
    };
    if is_open && problem.is_mixed(observer)? {
        return Ok(None);
    }
    let is_cut = is_open && problem.is_cut(observer)?;
    let guarantee = match is_cut {
        true => Guarantee::unwound(&task.program.source, task.options.unwind, loops),
        false => Guarantee::FULL,
    };
    Ok(Some(Answer { findings, guarantee, statistics: problem.statistics() }))
}

/// An execution in which the property fails, within bounds that are widened as long as that is allowed and needed.
fn violation(
    problem: &mut encode::Problem<'_>,
    property: Property,
    (task, loops): (&Task<'_>, &[Span]),
    observer: &dyn Observer,
) -> Result<Option<Answer>, NoAnswer> {
    let goal = problem.violation(property);
    let options = task.options;
    let cube = cubes::asked(options).map(|(index, of)| {
        let chosen = cubes::choose(&mut problem.events, of);
        problem.fix(&chosen, index);
        cubes::cube(task, (index, of), &chosen)
    });
    let answer = |problem: &encode::Problem<'_>, found: Option<Execution>, guarantee: Guarantee| {
        // Executions of other cubes were not looked at.
        let cube = cube.iter().filter(|_| found.is_none()).map(engine::Cube::bound);
        let guarantee = Guarantee::within(guarantee.bounds().iter().cloned().chain(cube));
        Answer { findings: Findings::Reach(vec![found]), guarantee, statistics: problem.statistics() }
    };
    for by in 0..=options.widen {
        problem.widen(by);
        let unwind = options.unwind + by;
        let found = problem.find(goal, observer)?.map(|found| found.execution);
        if found.is_none() && problem.is_mixed(observer)? {
            return Ok(None);
        }
        if found.is_some() || !problem.is_cut(observer)? {
            return Ok(Some(answer(problem, found, Guarantee::FULL)));
        }
        observer.phase("bound", &format!("safe up to {unwind} repetitions"));
        let guarantee = Guarantee::unwound(&task.program.source, unwind, loops.to_vec());
        let bounded = answer(problem, None, guarantee);
        if by == options.widen {
            return Ok(Some(bounded));
        }
        observer.known(bounded);
    }
    Err(NoAnswer::GaveUp("no bounds were given to try".to_owned()))
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
