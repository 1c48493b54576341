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
//! * Places that start more than a few threads start crowds: any number of threads that nobody tells apart. See `crowd`. If
//!   that does not lead to a proof, or somebody does tell them apart, all threads have numbers again, and are at most 32.
//!
//! # What it can miss
//! Nothing that it says is safe. It gives up where the values of a thread or the objects it makes are not finite, where a
//! choice has too many values, and where memory is read that nobody has written. Of a program that starts threads without an
//! end it finds violations with few threads only. It gives no proof if threads of a crowd are waited for, ask who they are,
//! or make objects that others may know, or if their handles are compared.

mod buffer;
mod choice;
mod crowd;
mod domain;
mod machine;
mod search;
mod space;
mod thread;
mod world;

use buffer::Memory;
use engine::{
    Abstraction, Answer, Choice, Declared, Engine, Findings, Guarantee, NoAnswer, Observer, Question, Refusal, Task,
    Values,
};
use model::Buffers;
use search::{Beginning, Outcome, Search};
use stepper::Halt;
use witness::Execution;
use world::Knowledge;

/// How many states each search visits at most in the first round; four times as many in the next.
const FIRST_LOOK: usize = 20_000;

/// How many searches more have a turn in each round.
const TURNS: usize = 6;

/// The largest k that is tried without being asked for.
const LARGEST_K: usize = 12;

/// How many threads one place may start before they are taken for a crowd.
const FEW: usize = 4;

/// How many threads of a crowd are looked at together at first: less says nothing about locks.
const COMPANY: usize = 2;

/// The largest k that is tried with crowds.
const CROWD_K: usize = 4;

/// What can be said about it on the command line.
static OPTIONS: &[Declared] = &[
    Declared {
        name: "abstraction",
        value: "HOW",
        help: "How store buffers are abstracted",
        values: Values::Choice(&[
            Choice {
                name: "auto",
                help: "As coarse as possible, as fine as necessary",
                set: |options| options.abstraction = Abstraction::Auto,
            },
            Choice {
                name: "set",
                help: "A set of values for each location",
                set: |options| options.abstraction = Abstraction::Set,
            },
            Choice {
                name: "pd",
                help: "A newest value, the k oldest and a set; states that differ in their sets only are merged",
                set: |options| options.abstraction = Abstraction::Partial,
            },
            Choice {
                name: "fd",
                help: "The same, but such states are not merged",
                set: |options| options.abstraction = Abstraction::Full,
            },
            Choice {
                name: "none",
                help: "The buffers as they are; with --k, of at most so many writes",
                set: |options| options.abstraction = Abstraction::None,
            },
        ]),
    },
    Declared {
        name: "k",
        value: "N",
        help: "How many writes of a buffer are kept in order; otherwise as many as are needed",
        values: Values::Number { from: 0, to: u32::MAX, set: |options, k| options.k = Some(k) },
    },
];

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

    fn options(&self) -> &'static [Declared] {
        OPTIONS
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Refusal> {
        engine::takes_programs(self.name(), task)
    }

    fn run(&self, task: &Task<'_>, observer: &dyn Observer) -> Result<Answer, NoAnswer> {
        let (Some(buffers), Question::Violation(property)) = (task.model.head.buffers, task.question) else {
            return Err(NoAnswer::GaveUp("the engine `coherence` does not take this task".to_owned()));
        };
        let knowledge = Knowledge { threads: 1, few: FEW, apart: task.options.glance, ..Knowledge::default() };
        let search = Search { task, buffers, property, observer, knowledge, cost: search::Cost::default(), company: 0 };
        Proof { search, k: None, company: None, lonely: None }.find()
    }
}

/// The search for a proof or a violation.
struct Proof<'t> {
    search: Search<'t>,
    /// The largest k that was needed.
    k: Option<usize>,
    /// The largest number of threads of a crowd that had to be looked at together.
    company: Option<usize>,
    /// Why threads have numbers of their own, though many are started.
    lonely: Option<String>,
}

/// What is known after a search.
enum Known {
    Safe,
    Violation(Box<Execution>),
    /// The abstraction shows a violation that does not happen; or the buffers were too short.
    Nothing,
    /// There are more states than were to be visited.
    TooMany,
    /// There are crowds.
    Crowd,
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
        statistics.extend(self.company.map(|size| ("threads of a crowd looked at together".to_owned(), size as u64)));
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
            Known::Crowd if self.crowd(beginning, &[given])? => Ok(None),
            Known::Crowd => self.decide(beginning),
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
                    Known::Crowd => {
                        let memories = match self.search.buffers {
                            Buffers::None => vec![memory],
                            Buffers::Thread | Buffers::Location => (0..=CROWD_K).map(Memory::Full).collect(),
                        };
                        if self.crowd(beginning, &memories)? {
                            return Ok(None);
                        }
                        open.push(memory);
                    }
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

    /// Looks for a proof for any number of threads, from coarse to fine. If there is none, threads have numbers from now on.
    fn crowd(&mut self, beginning: &Beginning, memories: &[Memory]) -> Result<bool, NoAnswer> {
        let mut plan: Vec<(Memory, usize)> = memories.iter().map(|memory| (*memory, COMPANY)).collect();
        let mut why = "what any number of threads seem to do need not happen".to_owned();
        for round in 0.. {
            let budget = FIRST_LOOK << (2 * round).min(40);
            let mut open = Vec::new();
            for (memory, company) in plan {
                // States that are merged would be views that are not there.
                let memory = if let Memory::Partial(k) = memory { Memory::Full(k) } else { memory };
                self.search.company = company;
                let known = self.attempt(beginning, memory, budget);
                self.search.company = 0;
                match known {
                    Ok(Known::Safe) => {
                        self.company = self.company.max(Some(company));
                        return Ok(true);
                    }
                    Ok(Known::TooMany) => open.push((memory, company)),
                    Ok(Known::Nothing | Known::Violation(_) | Known::Crowd) if company < crowd::MOST => {
                        open.push((memory, company + 1));
                    }
                    Ok(Known::Nothing | Known::Violation(_) | Known::Crowd) => {}
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
        self.lonely = Some(why);
        self.search.knowledge.crowds.clear();
        self.search.knowledge.apart = true;
        Ok(false)
    }

    /// Why there is no answer, and why there is none for any number of threads.
    fn explain(&self, why: NoAnswer) -> NoAnswer {
        match (why, &self.lonely) {
            (NoAnswer::GaveUp(what), Some(lonely)) => NoAnswer::GaveUp(format!("{what}, and {lonely}")),
            (why, _) => why,
        }
    }

    fn attempt(&mut self, beginning: &Beginning, memory: Memory, budget: usize) -> Result<Known, NoAnswer> {
        let outcome = match self.search.run(beginning, memory, budget)? {
            // Crowds can do what a thread that has a number cannot: be anything.
            Err(_) if !self.search.knowledge.apart && self.search.knowledge.few > 0 => {
                self.search.knowledge.few = 0;
                self.search.knowledge.threads = 1;
                self.search.run(beginning, memory, budget)?
            }
            outcome => outcome,
        };
        match outcome.map_err(NoAnswer::GaveUp)? {
            Outcome::Done { exact } => {
                if matches!(memory, Memory::Exact(_)) && !exact {
                    return Ok(Known::Nothing);
                }
                if let Memory::Full(k) | Memory::Partial(k) = memory {
                    self.k = self.k.max(Some(k));
                }
                Ok(Known::Safe)
            }
            Outcome::Failure(_) if self.search.company > 0 => Ok(Known::Nothing),
            Outcome::Crowd => Ok(Known::Crowd),
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
