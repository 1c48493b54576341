//! The SAT solver, behind an interface of ours.

use crate::theory::Theory;
use cadical_sys::{CaDiCal, Status, TerminateFlag};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A literal: a variable of the solver and a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(pub(crate) i32);

impl Lit {
    /// The position of the variable, counted from 0.
    pub fn variable(self) -> usize {
        self.0.unsigned_abs() as usize - 1
    }

    /// Whether it is a negated variable.
    pub fn is_negated(self) -> bool {
        self.0 < 0
    }

    /// A number for tables: two per variable.
    pub(crate) fn code(self) -> usize {
        self.variable() * 2 + usize::from(self.is_negated())
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

/// What a call to the solver came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// There is a model; ask [`Solver::value`].
    Satisfiable,
    /// There is none under the assumptions.
    Unsatisfiable,
    /// It was told to stop.
    Stopped,
}

/// How many conflicts the solver works through before somebody watches it: most calls need fewer.
const UNWATCHED: i32 = 1000;

/// How often the one who watches asks whether to go on.
const INTERVAL: Duration = Duration::from_millis(20);

/// A solver for clauses, with an ordering theory inside if one is connected.
pub struct Solver {
    sat: CaDiCal,
    variables: i32,
    clauses: u64,
    truth: Option<Lit>,
    conflicts: Rc<Cell<u64>>,
    stop: TerminateFlag,
}

impl Default for Solver {
    fn default() -> Self {
        Solver::new()
    }
}

impl Solver {
    /// A solver without clauses.
    pub fn new() -> Self {
        let mut sat = CaDiCal::new();
        // Bounded variable addition does not go together with an external propagator.
        sat.set("factor", 0);
        let stop = TerminateFlag::default();
        sat.connect_terminator(stop.clone());
        Solver { sat, variables: 0, clauses: 0, truth: None, conflicts: Rc::new(Cell::new(0)), stop }
    }

    /// A new variable.
    pub fn fresh(&mut self) -> Lit {
        self.variables += 1;
        Lit(self.variables)
    }

    /// A literal that holds.
    pub fn truth(&mut self) -> Lit {
        if let Some(truth) = self.truth {
            return truth;
        }
        let truth = self.fresh();
        self.clause(&[truth]);
        self.truth = Some(truth);
        truth
    }

    /// One of the literals must hold.
    pub fn clause(&mut self, literals: &[Lit]) {
        self.clauses += 1;
        for literal in literals {
            self.sat.add(literal.0);
        }
        self.sat.add(0);
    }

    /// The number of variables.
    pub fn variable_count(&self) -> u64 {
        self.variables.unsigned_abs().into()
    }

    /// The number of clauses that were added.
    pub fn clause_count(&self) -> u64 {
        self.clauses
    }

    /// The number of conflicts so far.
    pub fn conflict_count(&self) -> u64 {
        self.sat.get_statistic_value("conflicts").unsigned_abs()
    }

    /// The number of decisions so far.
    pub fn decision_count(&self) -> u64 {
        self.sat.get_statistic_value("decisions").unsigned_abs()
    }

    /// The number of clauses that the theory added.
    pub fn theory_conflicts(&self) -> u64 {
        self.conflicts.get()
    }

    /// Puts a theory into the solver. To be called once, when the theory's edges are complete.
    pub fn connect(&mut self, mut theory: Theory) {
        if theory.is_trivial() {
            return;
        }
        theory.count_conflicts(Rc::clone(&self.conflicts));
        let observed = theory.observed();
        self.sat.resize(self.variables);
        self.sat.connect_external_propagator(theory);
        for literal in observed {
            self.sat.add_observed_var(literal.0.abs());
        }
    }

    /// Looks for a model under assumptions, asking now and then whether to go on.
    ///
    /// What it finds does not depend on how long anything takes.
    pub fn solve(&mut self, assumptions: &[Lit], go_on: &(dyn Fn() -> bool + Sync)) -> Outcome {
        if !go_on() {
            return Outcome::Stopped;
        }
        let first = self.attempt(assumptions, Some(UNWATCHED));
        if first != Outcome::Stopped {
            return first;
        }
        let (stop, done) = (self.stop.clone(), AtomicBool::new(false));
        let outcome = std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    std::thread::park_timeout(INTERVAL);
                    if !go_on() {
                        stop.terminate();
                        break;
                    }
                }
            });
            let outcome = self.attempt(assumptions, None);
            done.store(true, Ordering::Relaxed);
            watcher.thread().unpark();
            outcome
        });
        self.stop.reset();
        outcome
    }

    /// One call of the solver, up to a number of conflicts if one is given.
    fn attempt(&mut self, assumptions: &[Lit], conflicts: Option<i32>) -> Outcome {
        for literal in assumptions {
            self.sat.assume(literal.0);
        }
        self.sat.limit("conflicts", conflicts.unwrap_or(-1));
        match self.sat.solve() {
            Status::SATISFIABLE => Outcome::Satisfiable,
            Status::UNSATISFIABLE => Outcome::Unsatisfiable,
            Status::UNKNOWN => Outcome::Stopped,
        }
    }

    /// Whether a literal holds in the model just found.
    pub fn value(&mut self, literal: Lit) -> bool {
        self.sat.val(literal.0) == literal.0
    }
}
