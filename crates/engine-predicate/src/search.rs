//! The search: all abstract states, breadth first, until a bad one or the end.

use crate::automaton::Automata;
use crate::machine::{Control, Machine, Move, State};
use crate::trace::{Feasible, Trace};
use crate::zone::{Sum, Zone};
use engine::{Keep, NoAnswer, Observer};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;
use std::time::{Duration, Instant};
use stepper::Halt;

/// How often the observer hears of the search.
const REPORT: Duration = Duration::from_millis(500);

/// How many states are visited at most, unless there is a reason for less.
pub const STATES: usize = 5_000_000;

/// How many units of work it costs to visit a state.
const STATE: u64 = 30;

/// What a search has found.
pub enum Outcome {
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

/// A machine with buffers of which k writes are kept.
pub fn machine<'a, 'p>(automata: &'a mut Automata<'p>, k: usize, keep: Keep) -> Machine<'a, 'p> {
    Machine { automata, k, keep, overflow: BTreeSet::new(), choices: None, chosen: 0, record: None }
}

impl Search<'_, '_> {
    /// Visits all states.
    pub fn explore(&mut self) -> Result<Result<Outcome, Halt>, NoAnswer> {
        let constants = self.constants;
        let observer = self.observer;
        let mut machine = machine(self.automata, self.k, self.keep);
        let mut states: Vec<State> = Vec::new();
        let mut parents: Vec<(usize, Move)> = Vec::new();
        let mut known: FxHashMap<Vec<Control>, Vec<usize>> = FxHashMap::default();
        let mut covered: Vec<bool> = Vec::new();
        let mut first = match machine.first(Zone::new(self.sums)) {
            Ok(first) => first,
            Err(halt) => return Ok(Err(halt)),
        };
        first.zone.abstracted(constants);
        known.insert(first.control.clone(), vec![0]);
        states.push(first);
        covered.push(false);
        parents.push((usize::MAX, Move::Run(0, 0)));
        let mut open = VecDeque::from([0]);
        let (mut count, mut reported) = (0usize, Instant::now());
        let meter = observer.meter();
        while let Some(at) = open.pop_front() {
            count += 1;
            if count.is_multiple_of(64) {
                engine::spend(&meter, observer, 64 * STATE)?;
                if reported.elapsed() > REPORT {
                    reported = Instant::now();
                    observer.phase("search", &format!("{} states", states.len()));
                }
                if states.len() > self.most {
                    return Err(NoAnswer::GaveUp(format!("there are more than {} abstract states", self.most)));
                }
            }
            if covered[at] {
                continue;
            }
            let state = states[at].clone();
            let moves = match machine.moves(&state) {
                Ok(moves) => moves,
                Err(halt) => return Ok(Err(halt)),
            };
            for step in moves {
                let mut next = match machine.step(&state, step) {
                    Ok(Some(next)) => next,
                    Ok(None) => continue,
                    Err(halt) => return Ok(Err(halt)),
                };
                if let Move::Run(thread, _) = step
                    && machine.violation(&next, thread).is_some()
                {
                    let mut path = vec![step];
                    let mut from = at;
                    while from != 0 {
                        path.push(parents[from].1);
                        from = parents[from].0;
                    }
                    path.reverse();
                    let states = states.len() as u64;
                    let detail = format!("{states} states, k = {}: a path of {} steps", self.k, path.len());
                    observer.phase("search", &detail);
                    return Ok(Ok(Outcome::Failure { path, states }));
                }
                next.zone.abstracted(constants);
                let same = known.entry(next.control.clone()).or_default();
                if same.iter().any(|&other| next.zone.is_inside(&states[other].zone)) {
                    continue;
                }
                same.retain(|&other| {
                    let stays = !states[other].zone.is_inside(&next.zone);
                    covered[other] |= !stays;
                    stays
                });
                same.push(states.len());
                open.push_back(states.len());
                parents.push((at, step));
                covered.push(false);
                states.push(next);
            }
        }
        let overflow = machine.overflow;
        let count = states.len() as u64;
        observer.phase("search", &format!("{count} states, k = {}, {} constants: all good", self.k, constants.len()));
        let left = states.into_iter().zip(covered).filter(|(_, covered)| !covered).map(|(state, _)| state).collect();
        Ok(Ok(Outcome::Safe { overflow, states: count, left }))
    }

    /// Goes a path with the search's buffers, and values as exact as zones are or abstracted with these constants.
    pub fn try_path(&mut self, path: &[Move], constants: Option<&[i64]>) -> Result<Tried, Halt> {
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
