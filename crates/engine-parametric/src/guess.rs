//! Invariant candidates: what a few processes never do may never happen.
//!
//! As in BRAB (Conchon, Goel, Krstić, Mebsout, Zaïdi, FMCAD 2013): a forward exploration with few processes, with store
//! buffers under weak memory. Of each new cube a smallest part that no explored state satisfies is taken in its place;
//! of several, the one with the fewest pre-images that are not yet known. A candidate is proved like a bad state, or
//! dropped when it meets an initial state; so it need not be right. The exploration begins small. It grows when a
//! candidate was wrong, or when the search does not come to an end.

use crate::cube::{Cell, Cube, Lit, Val};
use crate::linear::{Linear, Relation};
use crate::pre::Images;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use system::Memory;
use system::machine::{Machine, Reach, State};

/// How many states are explored at first, and at most.
const STATES: (usize, usize) = (1_500, 96_000);

/// How many candidates of a cube are compared.
const CANDIDATES: usize = 16;

/// How many literals a candidate has at most.
const LITERALS: usize = 4;

/// States, as bits.
type Set = Rc<Vec<u64>>;

/// What some processes can do.
#[derive(Debug)]
pub(crate) struct Explored<'a> {
    machine: Machine<'a>,
    reach: Reach,
    limit: usize,
    processes: u8,
    /// For a literal about these processes, the states in which it may hold.
    holding: RefCell<FxHashMap<Lit, Set>>,
}

impl<'a> Explored<'a> {
    pub(crate) fn new(images: &Images<'a>, memory: Memory, processes: u8, stop: &dyn Fn() -> bool) -> Explored<'a> {
        // A text that names processes by number has as many as it says.
        let processes = images.system.processes.unwrap_or(processes);
        let machine = Machine::new(images.system, processes, memory);
        let mut reach = Reach::default();
        machine.reach(&mut reach, STATES.0, stop);
        Explored { machine, reach, limit: STATES.0, processes, holding: RefCell::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.reach.states.len()
    }

    /// Whether there is more to explore.
    pub(crate) fn can_grow(&self) -> bool {
        self.limit < STATES.1 && !self.reach.is_complete()
    }

    /// Explores further: the candidates were wrong, or of no use.
    pub(crate) fn grow(&mut self, stop: &dyn Fn() -> bool) {
        self.limit = (self.limit * 4).min(STATES.1);
        if self.machine.reach(&mut self.reach, self.limit, stop) {
            self.holding.borrow_mut().clear();
        }
    }

    /// The smallest parts of a cube that no state satisfies, of those that `wanted` likes.
    pub(crate) fn parts(&self, images: &Images<'_>, cube: &Cube, wanted: &dyn Fn(&Cube) -> bool) -> Vec<Cube> {
        // Numbers are looked at only if nothing else tells.
        let parts = self.parts_of(images, cube, false, wanted);
        if parts.is_empty() { self.parts_of(images, cube, true, wanted) } else { parts }
    }

    fn parts_of(&self, images: &Images<'_>, cube: &Cube, numbers: bool, wanted: &dyn Fn(&Cube) -> bool) -> Vec<Cube> {
        if numbers && !cube.lits.iter().any(|lit| matches!(lit, Lit::Number(_))) {
            return Vec::new();
        }
        let local = |lit: &&Lit| {
            let mut here =
                !matches!(lit, Lit::Over(..) | Lit::NotFrom(..)) && (numbers || !matches!(lit, Lit::Number(_)));
            lit.cells(&mut |cell| here &= cell.event == 0);
            here
        };
        let mut lits: Vec<Lit> = Vec::new();
        for lit in cube.lits.iter().filter(local) {
            // An equation that never holds may be so because of an inequality.
            if let Lit::Number(linear) = lit
                && linear.relation == Relation::Zero
            {
                let negative = linear.terms.iter().map(|&(factor, cell)| (-factor, cell)).collect();
                let sides = [(linear.terms.clone(), linear.constant), (negative, -linear.constant)];
                lits.extend(
                    sides.map(|(terms, constant)| Lit::Number(Linear { terms, constant, relation: Relation::AtMost })),
                );
            }
            lits.push(lit.clone());
        }
        let mut found: Vec<Cube> = Vec::new();
        for size in 1..=LITERALS.min(lits.len()) {
            let mut chosen: Vec<usize> = (0..size).collect();
            while found.len() < CANDIDATES {
                let part: Vec<Lit> = chosen.iter().map(|&at| lits[at].clone()).collect();
                if let Some(candidate) = self.candidate(images, cube.processes, part)
                    && candidate.lits != cube.lits
                    && !found.contains(&candidate)
                    && wanted(&candidate)
                {
                    found.push(candidate);
                }
                // The next choice in lexical order.
                let Some(at) = (0..size).rev().find(|&at| chosen[at] < lits.len() - size + at) else { break };
                chosen[at] += 1;
                for later in at + 1..size {
                    chosen[later] = chosen[later - 1] + 1;
                }
            }
            if !found.is_empty() {
                break;
            }
        }
        found
    }

    fn candidate(&self, images: &Images<'_>, named: u8, part: Vec<Lit>) -> Option<Cube> {
        let (cube, _) = images.compact(named, part, &[]);
        let fits = cube.processes <= self.processes && !self.place(&cube, &mut Vec::new());
        fits.then_some(cube)
    }

    /// Whether some state satisfies the cube, with these processes in place of its first ones.
    fn place(&self, cube: &Cube, chosen: &mut Vec<u8>) -> bool {
        if chosen.len() == usize::from(cube.processes) {
            return self.together(cube, chosen);
        }
        for process in 0..self.processes {
            if !chosen.contains(&process) {
                chosen.push(process);
                if self.place(cube, chosen) {
                    return true;
                }
                chosen.pop();
            }
        }
        false
    }

    /// Whether the literals hold in one state.
    fn together(&self, cube: &Cube, chosen: &[u8]) -> bool {
        let sets: Vec<Set> = cube.lits.iter().map(|lit| self.set(lit.renamed(chosen, &[]))).collect();
        (0..self.len().div_ceil(64)).any(|at| sets.iter().fold(!0, |all, set| all & set[at]) != 0)
    }

    fn set(&self, lit: Lit) -> Set {
        if let Some(set) = self.holding.borrow().get(&lit) {
            return set.clone();
        }
        let mut set = vec![0u64; self.len().div_ceil(64)];
        for (at, state) in self.reach.states.iter().enumerate() {
            if self.holds(state, &lit) {
                set[at / 64] |= 1 << (at % 64);
            }
        }
        let set = Rc::new(set);
        self.holding.borrow_mut().insert(lit, set.clone());
        set
    }

    fn value(&self, state: &State, cell: Cell) -> Option<i64> {
        state.memory[self.machine.index(usize::from(cell.symbol), &cell.args)]
    }

    /// Whether a literal may hold: what is not yet chosen may be anything.
    fn holds(&self, state: &State, lit: &Lit) -> bool {
        match lit {
            Lit::Is(cell, value, sign) => {
                let wanted = match value {
                    Val::Con(value) => i64::from(*value),
                    Val::Proc(process) => i64::from(*process),
                };
                self.value(state, *cell).is_none_or(|value| (value == wanted) == *sign)
            }
            Lit::Same(one, two, sign) => match (self.value(state, *one), self.value(state, *two)) {
                (Some(one), Some(two)) => (one == two) == *sign,
                (None, _) | (_, None) => true,
            },
            Lit::Number(linear) => {
                let mut sum = linear.constant;
                for &(factor, cell) in &linear.terms {
                    let Some(value) = self.value(state, cell) else { return true };
                    sum = sum.saturating_add(factor.saturating_mul(value));
                }
                match linear.relation {
                    Relation::Zero => sum == 0,
                    Relation::AtMost => sum <= 0,
                    Relation::Less => sum < 0,
                    Relation::Not => sum != 0,
                    Relation::Never => false,
                }
            }
            Lit::Before(one, two) => one < two,
            Lit::Over(..) | Lit::NotFrom(..) => true,
        }
    }
}
