//! The SAT solver, behind an interface of ours.

use crate::theory::Theory;
use cadical_sys::{CaDiCal, Status, TerminateFlag, Terminator};
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

/// How many units of work a clause costs. A formula that is large to build is larger to search, so this is more than the
/// building alone.
const CLAUSE: u64 = 1;

/// After how many clauses their work is accounted for.
const CLAUSES: u64 = 1024;

/// How many units of work lie at most between two questions of the search whether to go on: some ten decisions or conflicts, which
/// take longer in a formula of many clauses.
const QUESTION: u64 = 20;
const CLAUSES_OF_A_UNIT: u64 = 4000;

/// How many units a decision that is taken back costs, and in how many clauses it costs one more. A decision as such costs one.
const BACKTRACK: u64 = 30;
const CLAUSES_OF_A_BACKTRACK: u64 = 2500;

/// The same while the solver simplifies its clauses. It asks much more often then, above all from the small solver inside that sweeps for
/// equivalent literals.
const SIMPLIFYING: u64 = 1;

/// How many edges in the ordering theory cost a unit of work.
const EDGES: u64 = 16;

/// Counts work, and says whether to go on; may take its time for that.
pub type Spend = Box<dyn Fn(u64) -> bool>;

/// Asks, from inside the search, whether to go on.
struct Question {
    stop: TerminateFlag,
    spend: Rc<Spend>,
    clauses: Rc<Cell<u64>>,
    inserted: Rc<Cell<u64>>,
    accounted: u64,
    search: Search,
    looked: Steps,
}

/// What the theory sees of the search. Nothing before one is connected.
pub(crate) type Search = Rc<Cell<Option<Steps>>>;

/// How far a search has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Steps {
    /// How many decisions were made.
    pub decisions: u64,
    /// How often some were taken back.
    pub backtracks: u64,
}

impl Terminator for Question {
    fn terminated(&mut self) -> bool {
        let inserted = self.inserted.get();
        let clauses = self.clauses.get();
        let most = QUESTION + clauses / CLAUSES_OF_A_UNIT;
        let question = match self.search.get() {
            None => most,
            Some(steps) if steps == self.looked => SIMPLIFYING,
            Some(steps) => {
                let before = std::mem::replace(&mut self.looked, steps);
                let backtrack = BACKTRACK + clauses / CLAUSES_OF_A_BACKTRACK;
                let backtracks = (steps.backtracks - before.backtracks) * backtrack;
                most.min(steps.decisions - before.decisions + backtracks)
            }
        };
        let work = question + (inserted - self.accounted) / EDGES;
        self.accounted = inserted;
        !(self.spend)(work) || self.stop.is_terminated()
    }
}

/// A solver for clauses, with an ordering theory inside if one is connected.
pub struct Solver {
    sat: CaDiCal,
    variables: i32,
    clauses: Rc<Cell<u64>>,
    truth: Option<Lit>,
    conflicts: Rc<Cell<u64>>,
    inserted: Rc<Cell<u64>>,
    search: Search,
    stop: TerminateFlag,
    spend: Rc<Spend>,
    /// The clauses, each ended by 0, if somebody wants to see them.
    recorded: Option<Vec<i32>>,
}

impl Default for Solver {
    fn default() -> Self {
        Solver::new()
    }
}

impl Solver {
    /// A solver without clauses, whose work nobody counts.
    pub fn new() -> Self {
        Solver::metered(Box::new(|_| true))
    }

    /// A solver without clauses, whose work is accounted for by `spend`.
    pub fn metered(spend: Spend) -> Self {
        let mut sat = CaDiCal::new();
        // Bounded variable addition does not go together with an external propagator.
        sat.set("factor", 0);
        let (stop, spend, inserted) = (TerminateFlag::default(), Rc::new(spend), Rc::new(Cell::new(0)));
        let (clauses, search) = (Rc::new(Cell::new(0)), Search::default());
        let question = Question {
            stop: stop.clone(),
            spend: Rc::clone(&spend),
            clauses: Rc::clone(&clauses),
            inserted: Rc::clone(&inserted),
            accounted: 0,
            search: Rc::clone(&search),
            looked: Steps::default(),
        };
        sat.connect_terminator(question);
        let conflicts = Rc::new(Cell::new(0));
        Solver { sat, variables: 0, clauses, truth: None, conflicts, inserted, search, stop, spend, recorded: None }
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
        self.clauses.set(self.clauses.get() + 1);
        if self.clauses.get().is_multiple_of(CLAUSES) {
            // Whoever adds clauses asks elsewhere whether to go on.
            (self.spend)(CLAUSE * CLAUSES);
        }
        for literal in literals {
            self.sat.add(literal.0);
        }
        self.sat.add(0);
        if let Some(recorded) = &mut self.recorded {
            recorded.extend(literals.iter().map(|literal| literal.0).chain([0]));
        }
    }

    /// Says which value of a variable the search is to try first.
    pub fn prefer(&mut self, literal: Lit) {
        self.sat.phase(literal.0);
    }

    /// From here on clauses are kept, for [`Solver::dimacs`].
    pub fn record(&mut self) {
        self.recorded.get_or_insert_default();
    }

    /// The clauses that were recorded, in the DIMACS format. What the ordering theory knows is not among them.
    pub fn dimacs(&self) -> String {
        let recorded = self.recorded.as_deref().unwrap_or_default();
        let clauses: Vec<&[i32]> = recorded.split_inclusive(|&literal| literal == 0).collect();
        let mut text = format!("p cnf {} {}\n", self.variables, clauses.len());
        for clause in clauses {
            let literals: Vec<String> = clause.iter().map(i32::to_string).collect();
            text += &literals.join(" ");
            text.push('\n');
        }
        text
    }

    /// The number of variables.
    pub fn variable_count(&self) -> u64 {
        self.variables.unsigned_abs().into()
    }

    /// The number of clauses that were added.
    pub fn clause_count(&self) -> u64 {
        self.clauses.get()
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
        self.search.set(Some(Steps::default()));
        theory.count(Rc::clone(&self.conflicts), Rc::clone(&self.inserted), Rc::clone(&self.search));
        let observed = theory.observed();
        self.sat.resize(self.variables);
        self.sat.connect_external_propagator(theory);
        for literal in observed {
            self.sat.add_observed_var(literal.0.abs());
        }
    }

    /// Looks for a model under assumptions, asking now and then whether to go on.
    ///
    /// What it finds does not depend on how long anything takes. It is asked from another thread, too.
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
