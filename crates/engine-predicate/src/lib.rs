//! Proofs for programs with integers without bounds and store buffers without bounds.
//!
//! # The method
//! Abdulla, Atig, Chen, Leonardsson and Rezine, "Automatic Fence Insertion in Integer Programs via Predicate Abstraction"
//! (paper 004). The oldest k writes of a buffer are kept, the others are abstracted to the set of their cells and the newest
//! value of each. Values are abstracted to predicates. All abstract states are visited; if none is bad, the program is
//! safe. Otherwise the path to the bad one is tried, and there are four cases: it happens with real buffers, with or without
//! a delay of writes; it happens only in the abstraction of buffers, so k grows; or values rule it out, so
//! there are more predicates.
//!
//! # How it deviates
//! * Predicates are the paper's "parameterised predicates" of the shape `x - y <= c`, for all pairs of variables (memory, locals, writes in
//!   buffers, newest writes, zero) and a finite set of constants c, which refinement makes larger. A conjunction of them is a `zone::Zone`, and
//!   what follows from it is looked up, not asked from a solver. The strongest postcondition is exact where guards and values are
//!   differences of two variables and a constant. What is linear but not of that shape is approximated by bounds from above.
//! * Locals that do not depend on reads belong to the control state.
//! * Steps that others can neither notice nor prevent are taken together with the one before.
//! * PSO: a write can reach memory when no older one to the same cell, or before an ordering fence, is in the buffer.
//! * Fences are inferred by the crate `fences`.
//!
//! # What it can miss
//! It computes with mathematical integers. If all results are in the range of their types in all states that were visited, the
//! answer holds for the machine's integers too. Otherwise the answer says that it takes for granted that nothing overflows. It gives up
//! where values are not linear, where memory is made while there are threads, and where refinement does not help.

mod automaton;
mod linear;
mod machine;
mod search;
mod zone;

use automaton::{Automata, Halt, Knowledge};
use engine::{Answer, Engine, Findings, Guarantee, Integers, NoAnswer, Observer, Property, Question, Refusal, Task};
use machine::Move;
use search::{Outcome, Search, Tried};
use std::sync::Arc;
use witness::{Execution, Record};

/// The first k.
const FIRST_K: usize = 2;

/// The largest k that is tried without being asked for.
const LARGEST_K: usize = 12;

/// The largest constant up to which all constants are taken.
const LARGEST_CONSTANT: i64 = 64;

/// The engine `predicate`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Predicate;

impl Engine for Predicate {
    fn name(&self) -> &'static str {
        "predicate"
    }

    fn about(&self) -> &'static str {
        "predicate abstraction refined by counterexamples (SC, TSO, PSO): proofs for endless loops over integers"
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Refusal> {
        engine::takes_programs(self.name(), task)
    }

    fn run(&self, task: &Task<'_>, observer: &dyn Observer) -> Result<Answer, NoAnswer> {
        let Question::Violation(property) = task.question else {
            return Err(NoAnswer::GaveUp("the engine `predicate` does not take this task".to_owned()));
        };
        let mut knowledge = Knowledge::default();
        loop {
            match Proof::new(task, property, observer, knowledge) {
                Err((Halt::Limit(what), _)) => return Err(NoAnswer::GaveUp(what)),
                Err((Halt::Again, learnt)) => knowledge = learnt,
                Ok(mut proof) => match proof.find()? {
                    Ok(answer) => return Ok(answer),
                    Err(Halt::Limit(what)) => return Err(NoAnswer::GaveUp(what)),
                    Err(Halt::Again) => knowledge = proof.automata.knowledge.clone(),
                },
            }
        }
    }
}

/// The search for a proof or a violation.
struct Proof<'t> {
    task: &'t Task<'t>,
    property: Property,
    observer: &'t dyn Observer,
    automata: Automata<'t>,
    k: usize,
    /// The constants of predicates, in order.
    constants: Vec<i64>,
    states: u64,
    refinements: u64,
}

impl<'t> Proof<'t> {
    fn new(
        task: &'t Task<'t>,
        property: Property,
        observer: &'t dyn Observer,
        knowledge: Knowledge,
    ) -> Result<Self, (Halt, Knowledge)> {
        let kept = knowledge.clone();
        let automata = Automata::new(task.program, &task.model.head, property, knowledge);
        let automata = automata.map_err(|halt| (halt, kept))?;
        let k = task.options.k.map_or(FIRST_K, |k| k as usize);
        let constants = (-1..=1).collect();
        Ok(Proof { task, property, observer, automata, k, constants, states: 0, refinements: 0 })
    }

    fn search(&mut self) -> Search<'_, 't> {
        Search { automata: &mut self.automata, observer: self.observer, k: self.k, constants: &self.constants }
    }

    fn find(&mut self) -> Result<Result<Answer, Halt>, NoAnswer> {
        loop {
            let outcome = match self.search().explore()? {
                Ok(outcome) => outcome,
                Err(halt) => return Ok(Err(halt)),
            };
            let path = match outcome {
                Outcome::Safe { overflow, states, left } => {
                    self.states += states;
                    if overflow && self.task.options.integers == Integers::Machine {
                        let why = "a result may be out of the range of its type; `--integers math` takes for granted \
                            that none is";
                        return Err(NoAnswer::GaveUp(why.to_owned()));
                    }
                    let guarantee = if overflow { Guarantee::NoOverflow } else { Guarantee::Full };
                    let invariant = self.automata.certificate(self.k, &left);
                    let findings = Findings::Proof(Arc::new(invariant));
                    return Ok(Ok(Answer { findings, guarantee, statistics: self.statistics() }));
                }
                Outcome::Failure { path, states } => {
                    self.states += states;
                    path
                }
            };
            match self.replay(&path) {
                Err(halt) => return Ok(Err(halt)),
                Ok(Some(execution)) => {
                    let findings = Findings::Reach(vec![Some(execution)]);
                    return Ok(Ok(Answer { findings, guarantee: Guarantee::Full, statistics: self.statistics() }));
                }
                Ok(None) => {}
            }
            self.refinements += 1;
            match self.refine(&path) {
                Err(halt) => return Ok(Err(halt)),
                Ok(Err(why)) => return Err(NoAnswer::GaveUp(why)),
                Ok(Ok(())) => {}
            }
        }
    }

    fn statistics(&self) -> Vec<(String, u64)> {
        let statistics = [
            ("states", self.states),
            ("places", self.automata.len() as u64),
            ("predicates", self.constants.len() as u64),
            ("refinements", self.refinements),
            ("k", self.k as u64),
        ];
        statistics.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    /// Goes a path with real buffers, and shows it if the property fails on it.
    fn replay(&mut self, path: &[Move]) -> Result<Option<Execution>, Halt> {
        let mut machine = search::machine(&mut self.automata, usize::MAX);
        machine.choices = Some(Vec::new());
        let Some((mut state, _)) = machine.follow(path)? else { return Ok(None) };
        let fixed: Option<Vec<i64>> = (0..machine.chosen).map(|at| state.zone.fix(zone::Dim::Choice(at))).collect();
        let Some(fixed) = fixed else { return Ok(None) };
        machine.choices = Some(fixed);
        machine.chosen = 0;
        machine.record = Some(Record::default());
        let Some((state, violation)) = machine.follow(path)? else { return Ok(None) };
        let Some(record) = machine.record.take() else { return Ok(None) };
        let bodies: Vec<_> = state.control.iter().map(|own| self.automata.node(own.node).body).collect();
        let program = self.task.program;
        let execution = record.execution(program, &bodies, self.automata.made(), violation);
        // What holds for mathematical integers need not hold for the machine's.
        let checked = witness::check_violation(program, self.task.model, &execution, self.property);
        if let Err(flaw) = &checked {
            self.observer.phase("replay", &format!("not confirmed: {flaw}"));
        }
        Ok(checked.is_ok().then_some(execution))
    }

    /// Makes the abstraction finer, so that it does not show this path any more.
    fn refine(&mut self, path: &[Move]) -> Result<Result<(), String>, Halt> {
        let Tried { possible, abstracted, bounds } = self.search().try_path(path, None)?;
        if possible {
            if !abstracted {
                return Ok(Err(
                    "a path that cannot be shown: values are not differences of variables, or too large for \
                    their types, or a fence is not known exactly"
                        .to_owned(),
                ));
            }
            if self.task.options.k.is_some() || self.k >= LARGEST_K {
                return Ok(Err(format!("the abstraction with k = {} shows violations that do not happen", self.k)));
            }
            self.k += 1;
            self.observer.phase("refine", &format!("possible with longer buffers only: k = {}", self.k));
            return Ok(Ok(()));
        }
        let largest = self.constants.iter().copied().filter(|c| *c <= LARGEST_CONSTANT).max().unwrap_or(0);
        let range = (largest + 1..=LARGEST_CONSTANT).map(|c| (-c..=c).collect());
        for mut constants in range.chain([bounds]) {
            let constants: Vec<i64> = {
                constants.extend_from_slice(&self.constants);
                constants.sort_unstable();
                constants.dedup();
                constants
            };
            if !self.search().try_path(path, Some(&constants))?.possible {
                self.constants = constants;
                let count = self.constants.len();
                self.observer.phase("refine", &format!("values rule it out: {count} constants in predicates"));
                return Ok(Ok(()));
            }
        }
        Ok(Err("more predicates do not help".to_owned()))
    }
}
