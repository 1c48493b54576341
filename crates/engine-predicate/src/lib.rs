//! Proofs for programs with integers without bounds and store buffers without bounds.
//!
//! # The method
//! Abdulla, Atig, Chen, Leonardsson and Rezine, "Automatic Fence Insertion in Integer Programs via Predicate
//! Abstraction" (SAS 2012). The oldest k writes of a buffer are kept, the others are abstracted to the set of their
//! cells and the newest value of each. Values are abstracted to predicates. All abstract states are visited; if none is
//! bad, the program is safe. Otherwise the path to the bad one is tried, and there are four cases: it happens with real
//! buffers, with or without a delay of writes; it happens only in the abstraction of buffers, so k grows; or values
//! rule it out, so there are more predicates.
//!
//! # How it deviates
//! * Predicates are the paper's "parameterised predicates" of the shape `x - y <= c`, for all pairs of variables
//!   (memory, locals, writes in buffers, newest writes, zero) and a finite set of constants c, which refinement makes
//!   larger. A conjunction of them is a `zone::Zone`, and what follows from it is looked up, not asked from a solver.
//!   The strongest postcondition is exact where guards and values are differences of two variables and a constant. What
//!   is linear but not of that shape is approximated by bounds from above, unless an interpolant has that sum: then the
//!   sum counts as a variable from then on.
//! * The oldest k writes are kept, and the newest k if that is not enough or if it is asked for.
//! * Locals that do not depend on reads belong to the control state.
//! * Steps that others can neither notice nor prevent are taken together with the one before.
//! * PSO: a write can reach memory when no older one to the same cell, or before an ordering fence, is in the buffer.
//! * Fences are inferred by the crate `fences`.
//!
//! # What it can miss
//! It computes with mathematical integers. If all results are in the range of their types in all states that were
//! visited, the answer holds for the machine's integers too. Otherwise the answer says that it takes for granted that
//! nothing overflows. It gives up where values are not linear, where memory is made while there are threads, and where
//! refinement does not help.

mod automaton;
mod linear;
mod machine;
mod search;
mod trace;
mod values;
mod zone;

use automaton::{Automata, Knowledge};
use engine::Record;
use engine::{
    Answer, Bound, Declared, Engine, Findings, Guarantee, K, NoAnswer, Observer, OneOf, Property, Question, Refusal,
    Task,
};
use machine::Move;
use model::{Buffers, Model};
use search::{Reachability, STATES, Search};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use stepper::Halt;
use trace::{Feasible, Predicate as Learnt, Trace};
use values::Dim;
use witness::Execution;
use witness::invariant::{Keep, NO_OVERFLOW};
use zone::{Sum, Zone};

/// The first k.
const FIRST_K: usize = 2;

/// The largest k that is tried without being asked for.
const LARGEST_K: usize = 12;

/// The largest constant up to which all constants are taken.
const LARGEST_CONSTANT: i64 = 64;

/// How many times more states are visited to show that nothing overflows.
const MORE_STATES: usize = 4;

/// After how many refinements a local that takes many values becomes a variable.
const PATIENCE: u64 = 8;

const CHOICE: &str = "internal: the first thread cannot go on alone";

const KEEP: OneOf<Keep> = OneOf {
    name: "keep",
    value: "WHICH",
    help: "Which writes these are; otherwise the oldest, and the newest if that is not enough",
    choices: &[
        ("oldest", "Those that reach memory next", Keep::Oldest),
        ("newest", "Those that were made last", Keep::Newest),
    ],
};

/// What integers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Integers {
    /// Numbers without bounds: it may be taken for granted that nothing overflows, if the answer says so.
    Math,
    /// Those of the machine: an answer that needs more than that is none.
    Machine,
}

const INTEGERS: OneOf<Integers> = OneOf {
    name: "integers",
    value: "WHAT",
    help: "Whether it may be taken for granted that no integer overflows",
    choices: &[
        (
            "math",
            "Numbers without bounds; the answer says if it takes for granted that nothing overflows",
            Integers::Math,
        ),
        ("machine", "Those of the machine: no answer where something may overflow", Integers::Machine),
    ],
};

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

    fn options(&self) -> Vec<Declared> {
        vec![K.declared(), KEEP.declared(), INTEGERS.declared()]
    }

    fn certifies(&self) -> bool {
        true
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
                Err((Halt::Choice, _)) => return Err(NoAnswer::GaveUp(CHOICE.to_owned())),
                Err((Halt::Again, learnt)) => knowledge = learnt,
                Ok(mut proof) => match proof.find()? {
                    Ok(answer) => return Ok(answer),
                    Err(Halt::Limit(what)) => return Err(NoAnswer::GaveUp(what)),
                    Err(Halt::Choice) => return Err(NoAnswer::GaveUp(CHOICE.to_owned())),
                    Err(Halt::Again) => knowledge = proof.automata.knowledge.clone(),
                },
            }
        }
    }
}

/// The search for a proof or a violation.
struct Proof<'t> {
    task: &'t Task<'t>,
    observer: &'t dyn Observer,
    automata: Automata<'t>,
    k: usize,
    keep: Keep,
    /// The constants of predicates, in order.
    constants: Vec<i64>,
    /// The sums that are tracked.
    sums: Rc<[Sum]>,
    states: u64,
    refinements: u64,
    /// A proof that takes for granted that nothing overflows, while one is looked for that does not.
    for_now: Option<Answer>,
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
        let k = K.of(task.options).map_or(FIRST_K, |k| k as usize);
        let keep = KEEP.of(task.options).unwrap_or(Keep::Oldest);
        let constants = (-1..=1).collect();
        let sums = Rc::from(Vec::new());
        Ok(Proof { task, observer, automata, k, keep, constants, sums, states: 0, refinements: 0, for_now: None })
    }

    fn search(&mut self) -> Search<'_, 't> {
        let (constants, sums) = (&self.constants[..], &self.sums);
        let most = self.for_now.as_ref().map_or(STATES, |_| MORE_STATES * self.states as usize + 1_000);
        let (observer, k, keep) = (self.observer, self.k, self.keep);
        Search { automata: &mut self.automata, observer, k, keep, constants, sums, most }
    }

    fn find(&mut self) -> Result<Result<Answer, Halt>, NoAnswer> {
        loop {
            let explored = self.search().explore();
            if let (
                Some(answer),
                Ok(Ok(Reachability::Failure { .. })) | Ok(Err(Halt::Limit(_) | Halt::Choice)) | Err(_),
            ) = (&self.for_now, &explored)
            {
                return self.said(answer.clone());
            }
            let outcome = match explored? {
                Ok(outcome) => outcome,
                Err(halt) => return Ok(Err(halt)),
            };
            let path = match outcome {
                Reachability::Safe { overflow, states, left } => {
                    self.states += states;
                    if let (Some(answer), false) = (&self.for_now, overflow.is_empty()) {
                        return self.said(answer.clone());
                    }
                    let overflows = !overflow.is_empty();
                    let granted = overflows.then(|| Bound::assumption(NO_OVERFLOW, "no integer overflows"));
                    let guarantee = Guarantee::within(granted);
                    let invariant = self.automata.certificate(self.k, self.keep, &left);
                    let findings = Findings::Proof(Arc::new(invariant));
                    let answer = Answer { findings, guarantee, statistics: self.statistics() };
                    if self.take_ranges(&overflow) {
                        self.observer.phase("refine", "the ranges of types are predicates: maybe nothing overflows");
                        self.for_now = Some(answer);
                        continue;
                    }
                    return self.said(answer);
                }
                Reachability::Failure { path, states } => {
                    self.states += states;
                    path
                }
            };
            match self.replay(&path) {
                Err(halt) => return Ok(Err(halt)),
                Ok(Some(execution)) => {
                    let findings = Findings::Reach(vec![Some(execution)]);
                    return Ok(Ok(Answer { findings, guarantee: Guarantee::FULL, statistics: self.statistics() }));
                }
                Ok(None) => {}
            }
            self.refinements += 1;
            if self.refinements.is_multiple_of(PATIENCE) && self.automata.unfolds() {
                self.observer.phase("refine", "a local takes new values without an end: it becomes a variable");
                return Ok(Err(Halt::Again));
            }
            match self.refine(&path) {
                Err(halt) => return Ok(Err(halt)),
                Ok(Err(why)) => return Err(NoAnswer::GaveUp(why)),
                Ok(Ok(())) => {}
            }
        }
    }

    /// A proof, if it is one of the kind that was asked for.
    fn said(&self, answer: Answer) -> Result<Result<Answer, Halt>, NoAnswer> {
        if !answer.guarantee.is_full() && INTEGERS.of(self.task.options) == Some(Integers::Machine) {
            let why = "a result may be out of the range of its type; `--integers math` takes for granted that none is";
            return Err(NoAnswer::GaveUp(why.to_owned()));
        }
        Ok(Ok(answer))
    }

    /// Makes the limits of these widths predicates. Says whether any of them is new.
    fn take_ranges(&mut self, widths: &BTreeSet<u32>) -> bool {
        let before = self.constants.len();
        for bits in widths.iter().filter(|bits| (2..58).contains(*bits)) {
            let half = 1i64 << (bits - 1);
            // One less, for what is about to be counted up or down.
            self.constants.extend([half - 2, half - 1, half]);
        }
        self.constants.sort_unstable();
        self.constants.dedup();
        self.constants.len() > before
    }

    fn statistics(&self) -> Vec<(String, u64)> {
        let statistics = [
            ("states", self.states),
            ("places", self.automata.len() as u64),
            ("predicates", self.constants.len() as u64),
            ("sums", self.sums.len() as u64),
            ("refinements", self.refinements),
            ("k", self.k as u64),
        ];
        statistics.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    /// Goes a path with real buffers, and shows it if the property fails on it: without delays if that is possible too.
    fn replay(&mut self, path: &[Move]) -> Result<Option<Execution>, Halt> {
        let mut execution = self.go(path, true)?;
        let mut sequential = execution.is_some();
        if execution.is_none() && self.automata.buffers != Buffers::None {
            execution = self.go(path, false)?;
            // Delays need not matter even where there are some.
            let sc = Model::builtin("sc");
            let task = sc.as_ref().map(|model| Task { model, ..*self.task });
            let allowed = |found: &Execution| task.is_some_and(|task| self.observer.confirm(&task, found).is_ok());
            sequential = execution.as_ref().is_some_and(allowed);
        }
        if sequential {
            self.observer.phase("case 1", "possible under SC: fences do not help");
        } else if execution.is_some() {
            let model = self.task.model.name.to_uppercase();
            self.observer.phase("case 2", &format!("possible under {model}: fences can help"));
        }
        Ok(execution)
    }

    /// Goes a path with real buffers; writes reach memory at once, or when the path says.
    fn go(&mut self, path: &[Move], at_once: bool) -> Result<Option<Execution>, Halt> {
        let mut machine = search::machine(&mut self.automata, usize::MAX, Keep::Oldest);
        machine.choices = Some(Vec::new());
        let Some((state, _)) = machine.follow(path, at_once, Trace::default())? else { return Ok(None) };
        let Feasible::Yes(fixed) = state.zone.decide(machine.chosen) else { return Ok(None) };
        machine.choices = Some(fixed);
        machine.chosen = 0;
        machine.record = Some(Record::default());
        let zone = Zone::new(&Rc::from(Vec::new()));
        let Some((state, violation)) = machine.follow(path, at_once, zone)? else { return Ok(None) };
        let Some(record) = machine.record.take() else { return Ok(None) };
        let bodies: Vec<_> = state.control.iter().map(|own| self.automata.node(own.node).body).collect();
        let program = self.task.program;
        let execution = record.execution(program, &bodies, self.automata.memory.declared(&[]), violation);
        // What holds for mathematical integers need not hold for the machine's.
        let checked = self.observer.confirm(self.task, &execution);
        if let Err(flaw) = &checked {
            self.observer.phase("replay", &format!("not confirmed: {flaw}"));
        }
        Ok(checked.is_ok().then_some(execution))
    }

    /// Makes the abstraction finer, so that it does not show this path any more.
    fn refine(&mut self, path: &[Move]) -> Result<Result<(), String>, Halt> {
        let (feasible, abstracted) = self.search().trace(path)?;
        match feasible {
            Feasible::No(learnt) => self.learn(path, &learnt),
            Feasible::Unknown => Ok(Err("numbers on a path are too large to tell whether it is possible".to_owned())),
            Feasible::Yes(_) if !abstracted => {
                let why = "a path that cannot be shown: values are too large for their types, or a fence is not known \
                    exactly";
                Ok(Err(why.to_owned()))
            }
            Feasible::Yes(_) => {
                if K.of(self.task.options).is_some() || self.k >= LARGEST_K {
                    if KEEP.of(self.task.options).is_none() && self.keep == Keep::Oldest {
                        self.keep = Keep::Newest;
                        self.k = K.of(self.task.options).map_or(FIRST_K, |k| k as usize);
                        let detail =
                            format!("possible in the k-abstraction only: the newest {} writes are kept", self.k);
                        self.observer.phase("case 3", &detail);
                        return Ok(Ok(()));
                    }
                    return Ok(Err(format!("the abstraction with k = {} shows violations that do not happen", self.k)));
                }
                self.k += 1;
                self.observer.phase("case 3", &format!("possible in the k-abstraction only: k = {}", self.k));
                Ok(Ok(()))
            }
        }
    }

    /// Adds predicates that rule out a path: those of one of these sets, which come from interpolants.
    ///
    /// New sums are tried without new constants first. What the abstraction of values loses may need more constants
    /// than interpolants have: then all small ones are taken, and at last all that are on the path.
    fn learn(&mut self, path: &[Move], reasons: &[Vec<Learnt>]) -> Result<Result<(), String>, Halt> {
        let old = (self.constants.clone(), Rc::clone(&self.sums));
        let bounds = self.search().try_path(path, None)?.bounds;
        let largest = old.0.iter().copied().filter(|c| *c <= LARGEST_CONSTANT).max().unwrap_or(0);
        let ranges = (largest + 1..=LARGEST_CONSTANT).map(|c| (-c..=c).collect());
        let of = |learnt: &[Learnt]| learnt.iter().map(|predicate| predicate.constant).collect();
        let mut candidates: Vec<(usize, Vec<i64>)> = Vec::new();
        for (reason, learnt) in reasons.iter().enumerate() {
            candidates.extend([(reason, Vec::new()), (reason, of(learnt))]);
        }
        let last = reasons.len().saturating_sub(1);
        candidates.extend(ranges.chain([bounds]).map(|constants| (last, constants)));
        for (reason, mut constants) in candidates {
            constants.extend_from_slice(&old.0);
            constants.sort_unstable();
            constants.dedup();
            let mut sums = old.1.to_vec();
            for sum in reasons.get(reason).into_iter().flatten().filter_map(tracked) {
                if !sums.contains(&sum) {
                    sums.push(sum);
                }
            }
            if constants == old.0 && sums[..] == old.1[..] {
                continue;
            }
            self.sums = sums.into();
            if !self.search().try_path(path, Some(&constants))?.possible {
                self.constants = constants;
                self.tell_learnt(reasons.get(reason).map_or(&[], |learnt| learnt));
                return Ok(Ok(()));
            }
        }
        self.sums = old.1;
        Ok(Err("more predicates do not help".to_owned()))
    }

    fn tell_learnt(&self, learnt: &[Learnt]) {
        let names: Vec<String> = learnt.iter().take(3).map(|predicate| shown(&self.automata, predicate)).collect();
        let more = if learnt.len() > 3 { ", ..." } else { "" };
        let (constants, sums) = (self.constants.len(), self.sums.len());
        let detail = format!("new predicates {}{more} ({constants} constants, {sums} sums)", names.join(", "));
        self.observer.phase("case 4", &format!("impossible: {detail}"));
    }
}

/// How a dimension is called in messages.
fn name(automata: &Automata<'_>, dim: Dim) -> String {
    match dim {
        Dim::Zero => "0".to_owned(),
        Dim::Memory(cell) => automata.cell_name(cell),
        Dim::Local(thread, var) => format!("P{thread}:{}", automata.var_name(var)),
        Dim::Slot(thread, at) => format!("P{thread}:buffer[{at}]"),
        Dim::Last(thread, cell) => format!("P{thread}:last({})", automata.cell_name(cell)),
        Dim::Choice(at) => format!("choice {at}"),
        Dim::Sum(at) | Dim::Next(at) => format!("sum {at}"),
    }
}

/// A predicate in words.
fn shown(automata: &Automata<'_>, predicate: &Learnt) -> String {
    let mut text = String::new();
    for (at, (dim, factor)) in predicate.terms.iter().enumerate() {
        text += match (at, *factor < 0) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        if factor.abs() != 1 {
            text += &format!("{}*", factor.abs());
        }
        text += &name(automata, *dim);
    }
    format!("{text} <= {}", predicate.constant)
}

/// How many parts a sum that is tracked may have.
const PARTS: usize = 6;

/// The sum of a predicate, if it is no difference of two dimensions: those are always known.
fn tracked(predicate: &Learnt) -> Option<Sum> {
    let terms = &predicate.terms;
    let choice = terms.iter().any(|(dim, _)| matches!(dim, Dim::Choice(_)));
    let difference = match terms[..] {
        [] | [(_, 1 | -1)] => true,
        [(_, one), (_, other)] => one.abs() == 1 && one == -other,
        _ => false,
    };
    if choice || difference || terms.len() > PARTS {
        return None;
    }
    let sign = terms[0].1.signum();
    Some(terms.iter().map(|(dim, factor)| (*dim, factor * sign)).collect())
}
