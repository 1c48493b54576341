//! The shared memory abstraction: what the sequential program knows of memory.
//!
//! Section II of Tomasco et al. (FMCAD 2016): reads, writes and fences of threads are operations of an abstract data type, and only its
//! implementations know the memory model. Each operation happens under a condition, and its results are terms.

use logic::{Bool, Term, Terms};

/// What is built: terms, and what must hold of them.
pub struct Build<'a> {
    pub terms: &'a mut Terms,
    /// What holds in every execution.
    pub facts: Vec<Bool>,
    /// Values that are equal where a condition holds.
    pub copies: Vec<(Bool, Term, Term)>,
}

impl Build<'_> {
    /// One value where the condition holds, another one elsewhere, by a name of its own: memory would otherwise be a
    /// choice between choices, without an end.
    pub fn choose(&mut self, when: Bool, then: Term, otherwise: Term) -> Term {
        if when == Bool::TRUE || then == otherwise {
            return then;
        }
        if when == Bool::FALSE {
            return otherwise;
        }
        let chosen = self.terms.fresh(self.terms.width(then));
        self.copies.push((when, chosen, then));
        self.copies.push((!when, chosen, otherwise));
        chosen
    }

    /// What must hold where a condition does.
    pub fn demand(&mut self, when: Bool, what: Bool) {
        let fact = self.terms.implies(when, what);
        if fact != Bool::TRUE {
            self.facts.push(fact);
        }
    }

    /// Whether one number is at most another.
    pub fn at_most(&mut self, left: Term, right: Term) -> Bool {
        self.terms.compare(ir::BinaryOp::ULe, left, right)
    }

    /// Whether one number is less than another.
    pub fn less(&mut self, left: Term, right: Term) -> Bool {
        self.terms.compare(ir::BinaryOp::ULt, left, right)
    }
}

/// A read or a write of a thread.
#[derive(Debug, Clone)]
pub struct Access {
    /// Who.
    pub thread: usize,
    /// When it happens.
    pub when: Bool,
    /// The locations that it can go to, and when it does if it happens.
    pub places: Vec<(usize, Bool)>,
    /// When time may pass before it.
    pub ticks: Bool,
    /// Whether it matters what time it is, whatever the locations.
    pub late: bool,
    /// Whether a write reaches memory at once.
    pub at_once: bool,
    /// What is guessed about it.
    pub guess: Guess,
}

/// What is guessed about an access: it happens once at most, so one guess serves all rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guess {
    /// The time at which it happens.
    pub time: Term,
    /// For a write: the time at which it reaches memory.
    pub lands: Term,
    /// For a write: the node of the list of its location that it comes before.
    pub before: Term,
}

/// What a fence does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fence {
    /// All earlier writes of the thread reach memory.
    Drain,
    /// Earlier writes reach memory before later ones.
    Order,
    /// Later reads wait for earlier writes.
    Wait,
}

/// An implementation of memory.
pub trait Memory {
    /// Before a step: some writes reach memory, one for each number, which says where it comes from. Where time decides
    /// when writes land there is nothing to do.
    fn pass(&mut self, _build: &mut Build<'_>, _when: Bool, _arrivals: &[Term]) {}

    /// What a thread reads: for each location that the access can go to, what it holds for this thread.
    fn read(&mut self, build: &mut Build<'_>, access: &Access) -> Vec<Term>;

    /// A thread writes these, one for each location that the access can go to.
    fn write(&mut self, build: &mut Build<'_>, access: &Access, values: &[Term]);

    /// A thread passes a fence.
    fn fence(&mut self, build: &mut Build<'_>, thread: usize, when: Bool, fence: Fence);

    /// The time, if time passes.
    fn clock(&self) -> Option<Term>;

    /// All steps are over, and all writes reach memory.
    fn finish(&mut self, _build: &mut Build<'_>) {}

    /// What a location holds when all writes have reached memory.
    fn last(&mut self, build: &mut Build<'_>, location: usize) -> Term;
}

/// Memory under sequential consistency: a value for each location.
#[derive(Debug, Clone)]
pub struct Plain {
    values: Vec<Term>,
}

impl Plain {
    /// Memory that holds this at first.
    pub fn new(values: Vec<Term>) -> Self {
        Plain { values }
    }

    /// What each location holds now.
    pub fn values(self) -> Vec<Term> {
        self.values
    }
}

impl Memory for Plain {
    fn read(&mut self, _build: &mut Build<'_>, access: &Access) -> Vec<Term> {
        access.places.iter().map(|&(place, _)| self.values[place]).collect()
    }

    fn write(&mut self, build: &mut Build<'_>, access: &Access, values: &[Term]) {
        for (&(place, here), &value) in access.places.iter().zip(values) {
            let when = build.terms.and(access.when, here);
            self.values[place] = build.choose(when, value, self.values[place]);
        }
    }

    fn fence(&mut self, _build: &mut Build<'_>, _thread: usize, _when: Bool, _fence: Fence) {}

    fn clock(&self) -> Option<Term> {
        None
    }

    fn last(&mut self, _build: &mut Build<'_>, location: usize) -> Term {
        self.values[location]
    }
}
