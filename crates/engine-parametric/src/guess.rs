//! Invariant candidates: what a few processes never do may never happen.
//!
//! As in BRAB (Conchon, Goel, Krstić, Mebsout, Zaïdi, FMCAD 2013): a forward exploration with few processes, with store
//! buffers under weak memory. Of each new cube the smallest part that no explored state satisfies is taken in its
//! place. A candidate is proved like a bad state, or dropped when it meets an initial state; so it need not be right.

use crate::cube::{Cell, Cube, Lit, Val};
use crate::linear::{Linear, Relation};
use crate::pre::Images;
use system::Memory;
use system::machine::{Machine, State};

/// How many states are explored.
const STATES: usize = 20_000;

/// How many literals a candidate has at most.
const LITERALS: usize = 4;

/// What some processes can do.
#[derive(Debug)]
pub(crate) struct Explored<'a> {
    machine: Machine<'a>,
    states: Vec<State>,
    processes: u8,
}

impl<'a> Explored<'a> {
    pub(crate) fn new(images: &Images<'a>, memory: Memory, processes: u8, stop: &dyn Fn() -> bool) -> Explored<'a> {
        let machine = Machine::new(images.system, processes, memory);
        let states = machine.reach(STATES, stop);
        Explored { machine, states, processes }
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// The smallest parts of a cube that no state satisfies, as long as `wanted` likes them.
    pub(crate) fn part(&self, images: &Images<'_>, cube: &Cube, wanted: &dyn Fn(&Cube) -> bool) -> Option<Cube> {
        // Numbers are looked at only if nothing else tells.
        self.part_of(images, cube, false, wanted).or_else(|| self.part_of(images, cube, true, wanted))
    }

    fn part_of(&self, images: &Images<'_>, cube: &Cube, numbers: bool, wanted: &dyn Fn(&Cube) -> bool) -> Option<Cube> {
        if numbers && !cube.lits.iter().any(|lit| matches!(lit, Lit::Number(_))) {
            return None;
        }
        let local = |lit: &&Lit| {
            let mut here =
                !matches!(lit, Lit::Written(_) | Lit::NotFrom(..)) && (numbers || !matches!(lit, Lit::Number(_)));
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
        for size in 1..=LITERALS.min(lits.len()) {
            let mut chosen: Vec<usize> = (0..size).collect();
            loop {
                let part: Vec<Lit> = chosen.iter().map(|&at| lits[at].clone()).collect();
                if let Some(candidate) = self.candidate(images, cube.processes, part)
                    && candidate.lits != cube.lits
                    && wanted(&candidate)
                {
                    return Some(candidate);
                }
                // The next choice in lexical order.
                let Some(at) = (0..size).rev().find(|&at| chosen[at] < lits.len() - size + at) else { break };
                chosen[at] += 1;
                for later in at + 1..size {
                    chosen[later] = chosen[later - 1] + 1;
                }
            }
        }
        None
    }

    fn candidate(&self, images: &Images<'_>, named: u8, part: Vec<Lit>) -> Option<Cube> {
        let (cube, _) = images.compact(named, part, &[]);
        if cube.processes > self.processes || self.states.iter().any(|state| self.satisfies(state, &cube)) {
            return None;
        }
        Some(cube)
    }

    fn satisfies(&self, state: &State, cube: &Cube) -> bool {
        let mut chosen = Vec::with_capacity(usize::from(cube.processes));
        self.place(state, cube, &mut chosen)
    }

    fn place(&self, state: &State, cube: &Cube, chosen: &mut Vec<u8>) -> bool {
        if chosen.len() == usize::from(cube.processes) {
            return cube.lits.iter().all(|lit| self.holds(state, &lit.renamed(chosen, &[])));
        }
        for process in 0..self.processes {
            if !chosen.contains(&process) {
                chosen.push(process);
                if self.place(state, cube, chosen) {
                    return true;
                }
                chosen.pop();
            }
        }
        false
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
            Lit::Written(_) | Lit::NotFrom(..) => true,
        }
    }
}
