//! Proofs for programs with endless loops and unbounded store buffers.
//!
//! # The method
//! Kuperstein, Vechev and Yahav, "Partial-Coherence Abstractions for Relaxed Memory Models" (paper 002). All states of the
//! program are visited; store buffers, which can grow without bound, are abstracted to a newest value, a bounded head in
//! order, and a set. What the abstraction shows is more than what can happen, so a program in which it shows no violation
//! has none, for any number of iterations and any length of buffers. A violation that it shows is tried on real
//! buffers; if it does not happen there, the abstraction is refined: more of the head, sets apart instead of merged.
//!
//! # How it deviates
//! * TSO has the same buffers as PSO, but with each write in a group of its own as long as there are groups; see `buffer`.
//! * States carry no labels of stores. Fences are inferred from executions, by the crate `fences`, not from formulas over
//!   labels in states.
//! * Writes go to the buffer together with the step before them, which restricts how threads take turns, but not what they
//!   can do: nobody sees a buffer but its thread.
//! * Searches with short real buffers look for violations in turn with the abstractions.
//!
//! # What it can miss
//! Nothing that it says is safe. It gives up where the values of a thread or the objects it makes are not finite, where a
//! choice has too many values, and where memory is read that nobody has written.

mod buffer;

mod local;
mod machine;
mod search;
mod space;
mod thread;
mod world;

use buffer::Memory;
use engine::{Abstraction, Answer, Engine, Findings, Guarantee, NoAnswer, Observer, Question, Refusal, Task};
use model::Buffers;
use search::{Beginning, Outcome, Search};
use witness::Execution;
use world::Knowledge;

/// How many states each search visits at most in the first round; four times as many in the next.
const FIRST_LOOK: usize = 20_000;

/// How many searches more have a turn in each round.
const TURNS: usize = 6;

/// The largest k that is tried without being asked for.
const LARGEST_K: usize = 12;

/// The engine `coherence`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Coherence;

impl Engine for Coherence {
    fn name(&self) -> &'static str {
        "coherence"
    }

    fn about(&self) -> &'static str {
        "partial-coherence abstraction of store buffers (SC, TSO, PSO): proofs for endless loops over finite data"
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Refusal> {
        engine::takes_programs(self.name(), task)
    }

    fn run(&self, task: &Task<'_>, observer: &dyn Observer) -> Result<Answer, NoAnswer> {
        let (Some(buffers), Question::Violation(property)) = (task.model.head.buffers, task.question) else {
            return Err(NoAnswer::GaveUp("the engine `coherence` does not take this task".to_owned()));
        };
        let knowledge = Knowledge { threads: 1, ..Knowledge::default() };
        let search = Search { task, buffers, property, observer, knowledge, cost: search::Cost::default() };
        Proof { search, k: None }.find()
    }
}

/// The search for a proof or a violation.
struct Proof<'t> {
    search: Search<'t>,
    /// The largest k that was needed.
    k: Option<usize>,
}

/// What is known after a search.
enum Known {
    Safe,
    Violation(Box<Execution>),
    /// The abstraction shows a violation that does not happen; or the buffers were too short.
    Nothing,
    /// There are more states than were to be visited.
    TooMany,
}

impl Proof<'_> {
    fn find(mut self) -> Result<Answer, NoAnswer> {
        let alone = search::alone(&mut self.search.world());
        let alone = alone.map_err(|halt| match halt {
            world::Halt::Limit(what) => NoAnswer::GaveUp(what),
            world::Halt::Again => NoAnswer::GaveUp("internal: one thread alone shares nothing".to_owned()),
        })?;
        let mut found = None;
        if let Some((choices, violation)) = alone.failure {
            found = self.search.replay_alone(&choices, violation);
            if found.is_none() {
                return Err(NoAnswer::GaveUp("internal: a path of the search cannot be gone again".to_owned()));
            }
        }
        for beginning in &alone.beginnings {
            if found.is_none() {
                found = self.decide(beginning)?;
            }
        }
        let cost = self.search.cost;
        let mut statistics = vec![("states".to_owned(), cost.states), ("bytes".to_owned(), cost.bytes)];
        statistics.extend(self.k.map(|k| ("k".to_owned(), k as u64)));
        Ok(Answer { findings: Findings::Reach(vec![found]), guarantee: Guarantee::Full, statistics })
    }

    /// Looks from one beginning, as the options say.
    fn decide(&mut self, beginning: &Beginning) -> Result<Option<Execution>, NoAnswer> {
        let options = self.search.task.options;
        let k = options.k.map(|k| k as usize);
        let given = match options.abstraction {
            Abstraction::Auto => return self.refine(beginning, k),
            Abstraction::None => Memory::Exact(k.unwrap_or(usize::MAX)),
            Abstraction::Set => Memory::Set,
            Abstraction::Full => Memory::Full(k.unwrap_or(1)),
            Abstraction::Partial => Memory::Partial(k.unwrap_or(1)),
        };
        match self.attempt(beginning, given, usize::MAX)? {
            Known::Safe => Ok(None),
            Known::Violation(execution) => Ok(Some(*execution)),
            Known::Nothing if matches!(given, Memory::Exact(_)) => Err(NoAnswer::GaveUp(format!(
                "nothing was found with buffers of at most {} writes",
                k.unwrap_or(usize::MAX)
            ))),
            Known::Nothing | Known::TooMany => Err(NoAnswer::GaveUp(format!(
                "the abstraction {} is too coarse: what it shows does not happen",
                name(given)
            ))),
        }
    }

    /// From coarse to fine until there is an answer.
    fn refine(&mut self, beginning: &Beginning, fixed: Option<usize>) -> Result<Option<Execution>, NoAnswer> {
        let mut plan: Vec<Memory> = match self.search.buffers {
            Buffers::None => vec![Memory::Exact(usize::MAX)],
            Buffers::Thread | Buffers::Location => (fixed.unwrap_or(0)..=fixed.unwrap_or(LARGEST_K))
                .flat_map(|k| [Memory::Exact(k + 2), Memory::Partial(k), Memory::Full(k)])
                .collect(),
        };
        // Fine abstractions have their turn before coarse ones have visited too many states.
        for round in 0.. {
            let budget = FIRST_LOOK << (2 * round).min(40);
            let turns = plan.len().min(TURNS * (round + 1));
            let mut open = Vec::new();
            for &memory in &plan[..turns] {
                match self.attempt(beginning, memory, budget)? {
                    Known::Safe => return Ok(None),
                    Known::Violation(execution) => return Ok(Some(*execution)),
                    Known::Nothing => {}
                    Known::TooMany => open.push(memory),
                }
            }
            if self.search.task.options.glance {
                return Err(NoAnswer::GaveUp("a first look shows nothing".to_owned()));
            }
            plan.splice(..turns, open);
            if plan.is_empty() {
                break;
            }
        }
        let k = fixed.unwrap_or(LARGEST_K);
        Err(NoAnswer::GaveUp(format!("the abstraction with k = {k} shows violations that do not happen")))
    }

    fn attempt(&mut self, beginning: &Beginning, memory: Memory, budget: usize) -> Result<Known, NoAnswer> {
        match self.search.run(beginning, memory, budget)?.map_err(NoAnswer::GaveUp)? {
            Outcome::Done { exact } => {
                if matches!(memory, Memory::Exact(_)) && !exact {
                    return Ok(Known::Nothing);
                }
                if let Memory::Full(k) | Memory::Partial(k) = memory {
                    self.k = self.k.max(Some(k));
                }
                Ok(Known::Safe)
            }
            Outcome::Failure(path) => {
                let found = self.search.replay(beginning, &path);
                Ok(found.map_or(Known::Nothing, |execution| Known::Violation(Box::new(execution))))
            }
            Outcome::Budget => Ok(Known::TooMany),
        }
    }
}

fn name(memory: Memory) -> String {
    match memory {
        Memory::Exact(_) => "none".to_owned(),
        Memory::Set => "set".to_owned(),
        Memory::Full(k) => format!("fd with k = {k}"),
        Memory::Partial(k) => format!("pd with k = {k}"),
    }
}
