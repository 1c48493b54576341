//! The search: all abstract states, breadth first, until a bad one or the end.

use crate::automaton::Automata;
use crate::machine::{Control, Machine, Move, State};
use crate::trace::{Feasible, Trace};
use crate::zone::{Sum, Zone};
use engine::{NoAnswer, Observer};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;
use std::time::{Duration, Instant};
use stepper::Halt;
use witness::invariant::Keep;

/// How often the observer hears of the search.
const REPORT: Duration = Duration::from_millis(500);

/// How many states are visited at most, unless there is a reason for less.
pub const STATES: usize = 5_000_000;

/// How many units of work it costs to visit a state.
const STATE: u64 = 30;

/// What each pair of tracked sums adds to that: zones compare them with each other.
const PAIR_OF_SUMS: u64 = 20;

/// What a search has found.
pub enum Reachability {
    /// No state is bad.
    Safe {
        /// The widths of results that may be out of the range of their type.
        overflow: BTreeSet<u32>,
        states: u64,
        /// The states that no other one covers.
        left: Vec<State>,
    },
    /// This path leads to a bad one.
    Failure { path: Vec<Move>, states: u64 },
}

/// What is known about a path.
pub struct Tried {
    pub possible: bool,
    /// Whether a buffer was abstracted on it.
    pub abstracted: bool,
    /// The bounds of values on it.
    pub bounds: Vec<i64>,
}

/// A search with an abstraction.
pub struct Search<'a, 'p> {
    pub automata: &'a mut Automata<'p>,
    pub observer: &'a dyn Observer,
    pub k: usize,
    pub keep: Keep,
    pub constants: &'a [i64],
    pub sums: &'a Rc<[Sum]>,
    /// How many states are visited at most.
    pub most: usize,
}

/// Why a search does not come to its end.
enum Stop {
    Halt(Halt),
    NoAnswer(NoAnswer),
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        Stop::Halt(halt)
    }
}

/// A machine with buffers of which k writes are kept.
pub fn machine<'a, 'p>(automata: &'a mut Automata<'p>, k: usize, keep: Keep) -> Machine<'a, 'p> {
    Machine { automata, k, keep, overflow: BTreeSet::new(), choices: None, chosen: 0, record: None }
}

/// The abstract states that were reached.
#[derive(Default)]
struct Reached {
    states: Vec<State>,
    /// For each of them from which one it was reached, and how.
    parents: Vec<(usize, Move)>,
    /// For each of them whether a later one covers it.
    covered: Vec<bool>,
    /// The states at the same places, with the same buffers, that no other one covers.
    known: FxHashMap<Vec<Control>, Vec<usize>>,
    /// Those that are still to be visited.
    open: VecDeque<usize>,
}

impl Reached {
    /// Adds a state, unless another one covers it.
    fn add(&mut self, state: State, from: usize, step: Move) {
        let Reached { states, parents, covered, known, open } = self;
        let same = known.entry(state.control.clone()).or_default();
        if same.iter().any(|&other| state.zone.is_inside(&states[other].zone)) {
            return;
        }
        same.retain(|&other| {
            let stays = !states[other].zone.is_inside(&state.zone);
            covered[other] |= !stays;
            stays
        });
        same.push(states.len());
        open.push_back(states.len());
        parents.push((from, step));
        covered.push(false);
        states.push(state);
    }

    /// The moves that lead to a state, and one more.
    fn path(&self, mut at: usize, last: Move) -> Vec<Move> {
        let mut path = vec![last];
        while at != 0 {
            path.push(self.parents[at].1);
            at = self.parents[at].0;
        }
        path.reverse();
        path
    }

    fn left(self) -> Vec<State> {
        self.states.into_iter().zip(self.covered).filter(|(_, covered)| !covered).map(|(state, _)| state).collect()
    }
}

impl Search<'_, '_> {
    /// Visits all states.
    pub fn explore(&mut self) -> Result<Result<Reachability, Halt>, NoAnswer> {
        let mut reached = Reached::default();
        match self.reach(&mut reached) {
            Err(Stop::Halt(halt)) => Ok(Err(halt)),
            Err(Stop::NoAnswer(why)) => Err(why),
            Ok(Err(path)) => {
                let states = reached.states.len() as u64;
                let detail = format!("{states} states, k = {}: a path of {} steps", self.k, path.len());
                self.observer.phase("search", &detail);
                Ok(Ok(Reachability::Failure { path, states }))
            }
            Ok(Ok(overflow)) => {
                let (states, constants) = (reached.states.len() as u64, self.constants.len());
                let detail = format!("{states} states, k = {}, {constants} constants: all good", self.k);
                self.observer.phase("search", &detail);
                Ok(Ok(Reachability::Safe { overflow, states, left: reached.left() }))
            }
        }
    }

    /// Visits all states: gives the widths of results that may be out of range, or a path to a bad state.
    fn reach(&mut self, reached: &mut Reached) -> Result<Result<BTreeSet<u32>, Vec<Move>>, Stop> {
        let price = self.price();
        let mut machine = machine(self.automata, self.k, self.keep);
        let mut first = machine.first(Zone::new(self.sums))?;
        first.zone.abstracted(self.constants);
        reached.add(first, usize::MAX, Move::Run(0, 0));
        let (mut count, mut reported) = (0usize, Instant::now());
        let meter = self.observer.meter();
        while let Some(at) = reached.open.pop_front() {
            count += 1;
            if count.is_multiple_of(64) {
                engine::spend(&meter, self.observer, 64 * STATE).map_err(Stop::NoAnswer)?;
                if reported.elapsed() > REPORT {
                    reported = Instant::now();
                    self.observer.phase("search", &format!("{} states", reached.states.len()));
                }
                if reached.states.len() > self.most {
                    let why = format!("there are more than {} abstract states", self.most);
                    return Err(Stop::NoAnswer(NoAnswer::GaveUp(why)));
                }
            }
            if reached.covered[at] {
                continue;
            }
            if !self.sums.is_empty() {
                engine::spend(&meter, self.observer, price).map_err(Stop::NoAnswer)?;
            }
            let state = reached.states[at].clone();
            for step in machine.moves(&state)? {
                let Some(mut next) = machine.step(&state, step)? else { continue };
                if let Move::Run(thread, _) = step
                    && machine.violation(&next, thread).is_some()
                {
                    return Ok(Err(reached.path(at, step)));
                }
                next.zone.abstracted(self.constants);
                reached.add(next, at, step);
            }
        }
        Ok(Ok(machine.overflow))
    }

    /// The work of a step of a state with tracked sums.
    fn price(&self) -> u64 {
        STATE + PAIR_OF_SUMS * (self.sums.len() * self.sums.len()) as u64
    }

    /// Counts the work of going a path.
    fn count(&self, path: &[Move]) -> Result<(), Halt> {
        let goes_on = self.observer.meter().spend(self.price() * path.len() as u64) && self.observer.stop().is_none();
        if goes_on { Ok(()) } else { Err(Halt::Limit("it was told to stop".to_owned())) }
    }

    /// Goes a path with the search's buffers, and values as exact as zones are or abstracted with these constants.
    pub fn try_path(&mut self, path: &[Move], constants: Option<&[i64]>) -> Result<Tried, Halt> {
        self.count(path)?;
        let mut machine = machine(self.automata, self.k, self.keep);
        let mut state = machine.first(Zone::new(self.sums))?;
        let mut tried = Tried { possible: false, abstracted: false, bounds: state.zone.constants().collect() };
        for &step in path {
            if let Some(constants) = constants {
                state.zone.abstracted(constants);
            }
            let Some(next) = machine.step(&state, step)? else { return Ok(tried) };
            state = next;
            tried.abstracted |= state.control.iter().any(|own| own.buffer.is_abstract());
            tried.bounds.extend(state.zone.constants());
            tried.bounds.sort_unstable();
            tried.bounds.dedup();
        }
        tried.possible = true;
        Ok(tried)
    }

    /// Whether a path is possible with the search's buffers and exact values; and whether a buffer was abstracted on
    /// it.
    pub fn trace(&mut self, path: &[Move]) -> Result<(Feasible, bool), Halt> {
        self.count(path)?;
        let mut machine = machine(self.automata, self.k, self.keep);
        let mut state = machine.first(Trace::default())?;
        let mut abstracted = false;
        for &step in path {
            let Some(next) = machine.step(&state, step)? else { return Ok((Feasible::Unknown, abstracted)) };
            state = next;
            abstracted |= state.control.iter().any(|own| own.buffer.is_abstract());
        }
        Ok((state.zone.decide(0), abstracted))
    }
}
