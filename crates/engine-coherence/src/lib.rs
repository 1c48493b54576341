//! Proofs for programs with endless loops and unbounded store buffers.
//!
//! # The method
//! Kuperstein, Vechev and Yahav, "Partial-Coherence Abstractions for Relaxed Memory Models" (PLDI 2011). All states of the
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
//! * Places that start more than a few threads start replicas of a thread template: any number of threads that nobody tells
//!   apart, proved by view abstraction. See `views`. If that does not lead to a proof, or somebody does tell them apart, all
//!   threads have numbers again, and are at most 32.
//!
//! # What it can miss
//! Nothing that it says is safe. It gives up where the values of a thread or the objects it makes are not finite, where a
//! choice has too many values, and where memory is read that nobody has written. Of a program that starts threads without an
//! end it finds violations with few threads only. It gives no proof if replicas are waited for, ask who they are, or make
//! objects that others may know, or if their handles are compared.

mod buffer;
mod choice;
mod domain;
mod machine;
mod search;
mod space;
mod thread;
mod views;
mod world;

use buffer::Memory;
use engine::{Answer, Declared, Engine, Findings, Guarantee, K, NoAnswer, Observer, OneOf, Question, Refusal, Task};
use model::Buffers;
use search::{Beginning, Explored, Search};
use stepper::Halt;
use witness::Execution;
use world::Knowledge;

/// How many states each search visits at most in the first round; four times as many in the next.
const FIRST_LOOK: usize = 20_000;

/// How many searches more have a turn in each round.
const TURNS: usize = 6;

/// The largest k that is tried without being asked for.
const LARGEST_K: usize = 12;

/// How many threads one place may start before they are taken for replicas.
const FEW: usize = 4;

/// How many replicas a view has at first: less says nothing about locks.
const FIRST_VIEW: usize = 2;

/// The largest k that is tried with replicas.
const REPLICATED_K: usize = 4;

/// How store buffers are abstracted, from coarse to fine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Abstraction {
    /// As coarse as possible, as fine as necessary.
    Auto,
    /// To a set of values for each location.
    Set,
    /// To a newest value, the k oldest and a set; states that differ in their sets only are merged.
    Partial,
    /// The same, but such states are not merged.
    Full,
    /// Not at all.
    None,
}

const ABSTRACTION: OneOf<Abstraction> = OneOf {
    name: "abstraction",
    value: "HOW",
    help: "How store buffers are abstracted",
    choices: &[
        ("auto", "As coarse as possible, as fine as necessary", Abstraction::Auto),
        ("set", "A set of values for each location", Abstraction::Set),
        (
            "pd",
            "A newest value, the k oldest and a set; states that differ in their sets only are merged",
            Abstraction::Partial,
        ),
        ("fd", "The same, but such states are not merged", Abstraction::Full),
        ("none", "The buffers as they are; with --k, of at most so many writes", Abstraction::None),
    ],
};

/// How far the search goes before it gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    Full,
    Shallow,
}

const DEPTH: OneOf<Depth> = OneOf {
    name: "depth",
    value: "HOW",
    help: "How far the search goes",
    choices: &[
        ("full", "Until there is an answer", Depth::Full),
        ("shallow", "Once through the first abstractions, a few states of each: for short violations", Depth::Shallow),
    ],
};

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

    fn options(&self) -> Vec<Declared> {
        vec![ABSTRACTION.declared(), K.declared(), DEPTH.declared()]
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Refusal> {
        engine::takes_programs(self.name(), task)
    }

    fn run(&self, task: &Task<'_>, observer: &dyn Observer) -> Result<Answer, NoAnswer> {
        let (Some(buffers), Question::Violation(property)) = (task.model.head.buffers, task.question) else {
            return Err(NoAnswer::GaveUp("the engine `coherence` does not take this task".to_owned()));
        };
        let shallow = DEPTH.of(task.options) == Some(Depth::Shallow);
        let knowledge = Knowledge { threads: 1, few: FEW, apart: shallow, ..Knowledge::default() };
        let cost = search::Cost::default();
        let search = Search { task, shallow, buffers, property, observer, knowledge, cost, view_size: 0 };
        Proof { search, k: None, view_size: None, why_numbered: None }.find()
    }
}

/// The search for a proof or a violation.
struct Proof<'t> {
    search: Search<'t>,
    /// The largest k that was needed.
    k: Option<usize>,
    /// The largest number of replicas in a view that was needed.
    view_size: Option<usize>,
    /// Why threads have numbers of their own, though many are started: there was no proof for replicas.
    why_numbered: Option<String>,
}

/// What is known after a search.
enum Known {
    Safe,
    Violation(Box<Execution>),
    /// The abstraction shows a violation that does not happen; or the buffers were too short.
    Nothing,
    /// There are more states than were to be visited. If so far no buffer had to be abstracted, all that remembers more would
    /// visit the same.
    TooMany {
        exact: bool,
    },
    /// There are replicas.
    Replicated,
}

impl Proof<'_> {
    fn find(mut self) -> Result<Answer, NoAnswer> {
        let alone = search::alone(&mut self.search.world());
        let alone = alone.map_err(|halt| match halt {
            Halt::Limit(what) => NoAnswer::GaveUp(what),
            Halt::Again | Halt::Choice => NoAnswer::GaveUp("internal: one thread alone shares nothing".to_owned()),
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
                found = self.decide(beginning).map_err(|why| self.explain(why))?;
            }
        }
        let cost = self.search.cost;
        let mut statistics = vec![("states".to_owned(), cost.states), ("bytes".to_owned(), cost.bytes)];
        statistics.extend(self.k.map(|k| ("k".to_owned(), k as u64)));
        statistics.extend(self.view_size.map(|size| ("replicas in a view".to_owned(), size as u64)));
        Ok(Answer { findings: Findings::Reach(vec![found]), guarantee: Guarantee::FULL, statistics })
    }

    /// Looks from one beginning, as the options say.
    fn decide(&mut self, beginning: &Beginning) -> Result<Option<Execution>, NoAnswer> {
        let options = self.search.task.options;
        let k = K.of(options).map(|k| k as usize);
        let given = match ABSTRACTION.of(options).unwrap_or(Abstraction::Auto) {
            Abstraction::Auto => return self.refine(beginning, k),
            Abstraction::None => Memory::Exact(k.unwrap_or(usize::MAX)),
            Abstraction::Set => Memory::Set,
            Abstraction::Full => Memory::Full(k.unwrap_or(1)),
            Abstraction::Partial => Memory::Partial(k.unwrap_or(1)),
        };
        match self.attempt(beginning, given, usize::MAX)? {
            Known::Safe => Ok(None),
            Known::Replicated if self.prove_replicated(beginning, &[given])? => Ok(None),
            Known::Replicated => self.decide(beginning),
            Known::Violation(execution) => Ok(Some(*execution)),
            Known::Nothing if matches!(given, Memory::Exact(_)) => Err(NoAnswer::GaveUp(format!(
                "nothing was found with buffers of at most {} writes",
                k.unwrap_or(usize::MAX)
            ))),
            Known::Nothing | Known::TooMany { .. } => Err(NoAnswer::GaveUp(format!(
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
            // What visited as many states as it may without abstracting a buffer.
            let mut enough: Vec<Memory> = Vec::new();
            for &memory in &plan[..turns] {
                if enough.iter().any(|&enough| memory.remembers(enough)) {
                    open.push(memory);
                    continue;
                }
                match self.attempt(beginning, memory, budget)? {
                    Known::Safe => return Ok(None),
                    Known::Replicated => {
                        let memories = match self.search.buffers {
                            Buffers::None => vec![memory],
                            Buffers::Thread | Buffers::Location => (0..=REPLICATED_K).map(Memory::Full).collect(),
                        };
                        if self.prove_replicated(beginning, &memories)? {
                            return Ok(None);
                        }
                        open.push(memory);
                    }
                    Known::Violation(execution) => return Ok(Some(*execution)),
                    Known::Nothing => {}
                    Known::TooMany { exact } => {
                        enough.extend(exact.then_some(memory));
                        open.push(memory);
                    }
                }
            }
            if self.search.shallow {
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

    /// Looks for a proof for any number of threads, from coarse to fine. If there is none, threads have numbers from now on.
    fn prove_replicated(&mut self, beginning: &Beginning, memories: &[Memory]) -> Result<bool, NoAnswer> {
        let mut plan: Vec<(Memory, usize)> = memories.iter().map(|memory| (*memory, FIRST_VIEW)).collect();
        let mut why = "what any number of threads seem to do need not happen".to_owned();
        for round in 0.. {
            let budget = FIRST_LOOK << (2 * round).min(40);
            let mut open = Vec::new();
            for (memory, view_size) in plan {
                // States that are merged would be views that are not there.
                let memory = if let Memory::Partial(k) = memory { Memory::Full(k) } else { memory };
                self.search.view_size = view_size;
                let known = self.attempt(beginning, memory, budget);
                self.search.view_size = 0;
                match known {
                    Ok(Known::Safe) => {
                        self.view_size = self.view_size.max(Some(view_size));
                        return Ok(true);
                    }
                    Ok(Known::TooMany { .. }) => open.push((memory, view_size)),
                    Ok(Known::Nothing | Known::Violation(_) | Known::Replicated) if view_size < views::LARGEST => {
                        open.push((memory, view_size + 1));
                    }
                    Ok(Known::Nothing | Known::Violation(_) | Known::Replicated) => {}
                    Err(NoAnswer::GaveUp(what)) => {
                        why = what;
                        open.clear();
                        break;
                    }
                    Err(other) => return Err(other),
                }
            }
            plan = open;
            if plan.is_empty() {
                break;
            }
        }
        self.why_numbered = Some(why);
        self.search.knowledge.replicated.clear();
        self.search.knowledge.apart = true;
        Ok(false)
    }

    /// Why there is no answer, and why there is none for any number of threads.
    fn explain(&self, why: NoAnswer) -> NoAnswer {
        match (why, &self.why_numbered) {
            (NoAnswer::GaveUp(what), Some(why_numbered)) => NoAnswer::GaveUp(format!("{what}, and {why_numbered}")),
            (why, _) => why,
        }
    }

    fn attempt(&mut self, beginning: &Beginning, memory: Memory, budget: usize) -> Result<Known, NoAnswer> {
        let outcome = match self.search.run(beginning, memory, budget)? {
            // Replicas can do what a thread that has a number cannot: have values that can be anything.
            Err(_) if !self.search.knowledge.apart && self.search.knowledge.few > 0 => {
                self.search.knowledge.few = 0;
                self.search.knowledge.threads = 1;
                self.search.run(beginning, memory, budget)?
            }
            outcome => outcome,
        };
        match outcome.map_err(NoAnswer::GaveUp)? {
            Explored::Done { exact } => {
                if matches!(memory, Memory::Exact(_)) && !exact {
                    return Ok(Known::Nothing);
                }
                if let Memory::Full(k) | Memory::Partial(k) = memory {
                    self.k = self.k.max(Some(k));
                }
                Ok(Known::Safe)
            }
            Explored::Failure(_) if self.search.view_size > 0 => Ok(Known::Nothing),
            Explored::Replicated => Ok(Known::Replicated),
            Explored::Failure(path) => {
                let found = self.search.replay(beginning, &path);
                Ok(found.map_or(Known::Nothing, |execution| Known::Violation(Box::new(execution))))
            }
            Explored::Budget { exact } => Ok(Known::TooMany { exact }),
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
