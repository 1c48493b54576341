//! Lazy sequentialisation: deep bugs that need few turns.
//!
//! # The method
//! Tomasco, Nguyen, Inverso, Fischer, La Torre, Parlato, "Lazy sequentialization for TSO and PSO via shared memory
//! abstractions" (FMCAD 2016). A concurrent program becomes a sequential one: in each of a few rounds, each thread goes on from
//! where it was left up to a point that is guessed, and memory is computed on the way. Reads, writes and fences are
//! operations on a shared memory abstraction (`memory.rs`); store buffers hide inside it, as lists ordered by the time at
//! which writes reach memory (`lists.rs`), or as the queues that they are (`queues.rs`). A solver looks for turns that lead
//! to a violation.
//!
//! # How it deviates
//! * A thread is executed symbolically once, not once in each round: its guards and values are terms over what it reads.
//!   A round only decides which of its steps take place in it and what memory is then. That is the sequential program in
//!   single-assignment form, and it leaves local computations out of the rounds.
//! * What is guessed about a step (the time, where a write goes in its list) is guessed once per step, not once per round.
//! * Where a location only ever holds a few constants, memory holds their numbers (`values.rs`). The paper cuts integers to a
//!   few bits instead and must check its counterexamples again at full width; here nothing is cut. A small width only says
//!   which executions are looked for first: those whose values fit. Then come all others.
//! * Symbolic execution knows the locations that are shared. A bound on them does not bound the search: programs that
//!   need more are refused.
//! * Locations that one thread writes need no list, and steps that nobody else notices are no points where a turn can end
//!   (`sole.rs`). What comes before the first start takes no turn, and the first thread has its turns last.
//! * A thread may be left where it is after the last round.
//!
//! # What it can miss
//! Executions that need more rounds, more points of time, longer lists or more repetitions of loops than the bounds allow;
//! the guarantee says so. Values out of thin air.

mod emit;
mod execution;
mod lists;
mod memory;
mod options;
mod problem;
mod queues;
mod schedule;
mod sole;
#[cfg(test)]
mod tests;
mod values;

use engine::{Answer, Bound, Declared, Engine, Findings, Guarantee, NoAnswer, Observer, Question, Refusal, Task};
use logic::Bool;
use model::Buffers;
use options::{Bounds, Representation, representation};
use problem::{Problem, Tags};
use source::Span;
use std::collections::BTreeSet;
use symbolic::{Halt, Kind, Settings, Structure};
use witness::Execution;

/// The rounds, points of time and nodes that are tried one after the other, if nobody says otherwise.
const LADDER: [Bounds; 4] = [
    Bounds { rounds: 2, clock: 2, nodes: 2 },
    Bounds { rounds: 3, clock: 4, nodes: 3 },
    Bounds { rounds: 4, clock: 6, nodes: 3 },
    Bounds { rounds: 6, clock: 6, nodes: 4 },
];

/// Programs that need no more rounds than this are covered wholly.
const FEW_ROUNDS: u32 = 12;

/// How many units of work the symbolic execution of a block costs.
const BLOCK: u64 = 20;

/// The engine `lazy`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lazy;

impl Engine for Lazy {
    fn name(&self) -> &'static str {
        "lazy"
    }

    fn about(&self) -> &'static str {
        "lazy sequentialisation (SC, TSO, PSO): threads take turns in a few rounds, memory as lists of timed writes"
    }

    fn options(&self) -> Vec<Declared> {
        options::declared()
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Refusal> {
        engine::takes_buffers(self.name(), task)?;
        match task.question {
            Question::Violation(_) | Question::Reach(_) => Ok(()),
            Question::States => {
                Err(Refusal::new("the engine `lazy` does not count states", "use the engine `partial-order`"))
            }
        }
    }

    fn run(&self, task: &Task<'_>, observer: &dyn Observer) -> Result<Answer, NoAnswer> {
        let Some(buffers) = task.model.head.buffers else {
            return Err(NoAnswer::GaveUp("the engine `lazy` does not take this task".to_owned()));
        };
        let tags = Tags::new(task.program, &task.model.head, buffers, representation(task.options));
        let enough = {
            let structure = structure(task, &tags, true, observer)?;
            problem::enough(&structure, &tags)
        };
        let count = match task.question {
            Question::Reach(goals) => goals.len(),
            Question::Violation(_) | Question::States => 1,
        };
        let mut found: Vec<Option<Execution>> = vec![None; count];
        let ladder = ladder(task, enough);
        for (at, &bounds) in ladder.iter().enumerate() {
            let answer = Search { task, tags: &tags, bounds, enough, observer }.run(&mut found)?;
            let full = answer.guarantee.is_full();
            let line = if full { "any bound".to_owned() } else { answer.guarantee.to_string() };
            observer.phase("rounds", &format!("nothing up to {line}"));
            let done = found.iter().all(Option::is_some) || full;
            if done || at + 1 == ladder.len() {
                return Ok(answer);
            }
            observer.known(answer);
        }
        Err(NoAnswer::GaveUp("no bounds were given to try".to_owned()))
    }
}

/// The bounds to try: those that are asked for, or larger and larger ones.
fn ladder(task: &Task<'_>, enough: Bounds) -> Vec<Bounds> {
    let [rounds, clock, nodes] =
        [options::ROUNDS, options::CLOCK, options::NODES].map(|number| number.of(task.options));
    let limit = |bounds: Bounds| Bounds {
        rounds: rounds.unwrap_or(bounds.rounds.min(enough.rounds)).max(1),
        clock: clock.unwrap_or(bounds.clock.min(enough.clock)).max(1),
        nodes: nodes.unwrap_or(bounds.nodes.min(enough.nodes)).max(2),
    };
    let mut all: Vec<Bounds> = LADDER.iter().map(|&bounds| limit(bounds)).collect();
    if enough.rounds <= FEW_ROUNDS {
        all.push(limit(enough));
    }
    all.dedup();
    all
}

/// The sequential program as C text, with the bounds of the task or else the largest ones that are tried by themselves.
///
/// # Errors
/// Why there is none.
pub fn emit_c(task: &Task<'_>, observer: &dyn Observer) -> Result<String, NoAnswer> {
    let Some(buffers) = task.model.head.buffers else {
        return Err(NoAnswer::GaveUp("only programs under models with store buffers become sequential C".to_owned()));
    };
    let tags = Tags::new(task.program, &task.model.head, buffers, Representation::Timed);
    let structure = structure(task, &tags, false, observer)?;
    let enough = problem::enough(&structure, &tags);
    let bounds = ladder(task, enough).into_iter().take(3).next_back();
    let Some(bounds) = bounds else { return Err(NoAnswer::GaveUp("no bounds were given to try".to_owned())) };
    // One round is enough to know the steps: in C the rounds are calls.
    let one = Bounds { rounds: 1, ..bounds };
    let mut problem = Problem::new(task.program, structure, &tags, one, true, observer)?;
    let goal = match task.question {
        Question::Violation(property) => problem.violation(property),
        Question::Reach([goal]) => problem.reaches(goal),
        Question::Reach(_) | Question::States => {
            return Err(NoAnswer::GaveUp("a sequential C program answers one question".to_owned()));
        }
    };
    Ok(emit::emit(&problem, goal, buffers, bounds))
}

/// The guarded events of the program.
fn structure(task: &Task<'_>, tags: &Tags, narrow: bool, observer: &dyn Observer) -> Result<Structure, NoAnswer> {
    let meter = observer.meter();
    let settings = Settings {
        unwind: (task.options.unwind, task.options.unwind),
        threads: task.options.free_threads,
        free: task.options.free_iterations,
        loops: &task.options.loops,
        dependencies: false,
        choices: false,
        finals: task.question.is_about_ends(),
        mixed: false,
        waits: false,
        races: false,
        spins: false,
        go_on: &|| engine::spend(&meter, observer, BLOCK).is_ok(),
    };
    let mut structure = symbolic::execute(task.program, &settings).map_err(|halt| match halt {
        Halt::Cancelled => observer.stop().unwrap_or(NoAnswer::Cancelled),
        Halt::Refused(why) => NoAnswer::GaveUp(why),
    })?;
    if narrow {
        symbolic::narrow(&mut structure, settings.go_on);
    }
    let give_up = |what: &str, event: u32| {
        let place = task.program.source.place(structure.events[event as usize].span);
        Err(NoAnswer::GaveUp(format!("{place}: {what}")))
    };
    if let Some(event) = structure.events.iter().position(|event| event.group.is_some()) {
        return give_up("accesses of different sizes to the same bytes; use `--engine partial-order`", event as u32);
    }
    if let Some(limit) = options::ADDRESSES.of(task.options)
        && let Some((event, count)) = through_pointers(&structure)
        && count > limit as usize
    {
        let what = format!(
            "{count} locations can be written through pointers, more than --addresses {limit}; raise it or leave it out"
        );
        return give_up(&what, event);
    }
    for pair in &structure.rmw {
        if !structure.amo.contains(pair) {
            return give_up("the engine `lazy` knows no reservations; use `partial-order`", pair.from);
        }
        let event = &structure.events[pair.from as usize];
        let write = &structure.events[pair.to as usize];
        if event.section.is_none() && !tags.drains(&event.tags) && !tags.drains(&write.tags) {
            return give_up("a read-modify-write that is no locked instruction; use `partial-order`", pair.from);
        }
    }
    Ok(structure)
}

/// A write through a pointer, and how many locations can be written so.
fn through_pointers(structure: &Structure) -> Option<(u32, usize)> {
    let writes = |event: &&symbolic::Event| event.kind == Kind::Write && event.candidates.len() > 1;
    let first = structure.events.iter().position(|event| writes(&event))?;
    let places: BTreeSet<u32> =
        structure.events.iter().filter(writes).flat_map(|event| event.candidates.iter().copied()).collect();
    Some((first as u32, places.len()))
}

/// A search within bounds.
struct Search<'t> {
    task: &'t Task<'t>,
    tags: &'t Tags,
    bounds: Bounds,
    /// The bounds that leave nothing out.
    enough: Bounds,
    observer: &'t dyn Observer,
}

impl Search<'_> {
    /// Looks for what has not been found yet.
    fn run(&self, found: &mut [Option<Execution>]) -> Result<Answer, NoAnswer> {
        let structure = structure(self.task, self.tags, true, self.observer)?;
        let mut problem = Problem::new(self.task.program, structure, self.tags, self.bounds, false, self.observer)?;
        self.observer.phase("encode", &problem.describe());
        match self.task.question {
            Question::Reach(goals) => {
                for (found, goal) in found.iter_mut().zip(goals) {
                    if found.is_none() {
                        let goal = problem.reaches(goal);
                        *found = self.find(&mut problem, goal)?;
                    }
                }
            }
            Question::Violation(property) => {
                let goal = problem.violation(property);
                found[0] = self.find(&mut problem, goal)?;
            }
            Question::States => return Err(NoAnswer::GaveUp("states are not counted".to_owned())),
        }
        let open = found.iter().any(Option::is_none);
        let guarantee = if open { self.guarantee(&mut problem)? } else { Guarantee::FULL };
        let findings = Findings::Reach(found.to_vec());
        Ok(Answer { findings, guarantee, statistics: problem.statistics() })
    }

    fn find(&self, problem: &mut Problem<'_>, goal: Bool) -> Result<Option<Execution>, NoAnswer> {
        let mut found = None;
        if let Some(bits) = options::INT_WIDTH.of(self.task.options) {
            let small = problem.small(bits);
            let both = problem.structure.terms.and(goal, small);
            found = problem.find(both)?;
            if found.is_none() {
                self.observer.phase("width", &format!("nothing in {bits} bits, now all values"));
            }
        }
        if found.is_none() {
            found = problem.find(goal)?;
        }
        Ok(found.map(|assignment| execution::extract(problem, self.tags.buffers, &assignment)))
    }

    /// What it means that nothing was found.
    fn guarantee(&self, problem: &mut Problem<'_>) -> Result<Guarantee, NoAnswer> {
        let buffers = self.tags.buffers != Buffers::None;
        let (bounds, enough) = (self.bounds, self.enough);
        let whole = bounds.rounds >= enough.rounds
            && (!buffers || (bounds.clock >= enough.clock && bounds.nodes >= enough.nodes));
        let cuts = problem.structure.cuts.iter().filter(|(when, _)| *when != Bool::FALSE);
        let mut loops: Vec<Span> = cuts.map(|&(_, span)| span).collect();
        loops.sort();
        loops.dedup();
        let unwind = self.task.options.unwind;
        let is_cut = !loops.is_empty() && problem.is_cut()?;
        let turns = if whole { Vec::new() } else { bounds.guaranteed(buffers.then_some(self.tags.queues)) };
        let cut = is_cut.then(|| Bound::unwind(&self.task.program.source, unwind, loops));
        Ok(Guarantee::within(turns.into_iter().chain(cut)))
    }
}
