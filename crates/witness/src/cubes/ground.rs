//! Formulas about given processes, as disjunctions of conjunctions of facts.
//!
//! What is asked of all processes is asked of those with names. That some process is such and such is taken to hold,
//! unless the process was chosen before. Both leave more states than there are, never fewer.

use super::facts::{Cell, Fact, Ground, NONE, Place, World};
use std::cell::Cell as Flag;
use system::{Access, Formula, Process, Term};

/// A conjunction.
pub(super) type Conj = Vec<Fact>;

/// More conjunctions than this are not made.
const MANY: usize = 20_000;

/// Who sees what in weak memory.
#[derive(Debug, Clone, Copy)]
pub(super) enum Views<'a> {
    /// All see the state.
    State,
    /// One pending read.
    One(u8),
    /// For each process its pending read.
    Each(&'a [u8]),
}

/// The processes in slots, and who sees what.
#[derive(Debug, Clone)]
pub(super) struct Frame<'a> {
    pub world: World<'a>,
    pub slots: Vec<u8>,
    pub views: Views<'a>,
    /// Processes that were chosen for formulas about some process.
    pub chosen: &'a [(&'a Formula, u8)],
    /// Set when something was taken to hold.
    pub weaker: &'a Flag<bool>,
}

impl Frame<'_> {
    fn process(&self, process: Process) -> u8 {
        match process {
            Process::Slot(slot) => self.slots[usize::from(slot)],
            Process::Fixed(number) => number,
        }
    }

    pub(super) fn args(&self, args: &[Process]) -> [u8; 3] {
        let mut found = [NONE; 3];
        for (place, &arg) in found.iter_mut().zip(args) {
            *place = self.process(arg);
        }
        found
    }

    pub(super) fn put(&mut self, slot: u8, process: u8) {
        let slot = usize::from(slot);
        self.slots.resize(self.slots.len().max(slot + 1), NONE);
        self.slots[slot] = process;
    }

    fn cell(&self, access: &Access) -> Cell {
        let place: Place = (access.symbol as u16, self.args(&access.args));
        let view = match self.views {
            Views::One(view) if self.world.system.symbols[access.symbol].weak => view,
            Views::Each(views) if self.world.system.symbols[access.symbol].weak => {
                access.by.map_or(0, |by| views[usize::from(self.process(by))])
            }
            Views::State | Views::One(_) | Views::Each(_) => 0,
        };
        Cell { view, place }
    }

    pub(super) fn term(&self, term: &Term) -> Ground {
        match term {
            Term::Proc(process) => Ground::Process(self.process(*process)),
            Term::Constructor(_, at) => Ground::Constructor(*at),
            Term::Access(access) => Ground::Cell(self.cell(access)),
            Term::Sum(parts, number) => {
                Ground::Sum(parts.iter().map(|(factor, access)| (*factor, self.cell(access))).collect(), *number)
            }
        }
    }

    /// The formula, or its denial.
    pub(super) fn cases(&mut self, formula: &Formula, sign: bool) -> Vec<Conj> {
        match formula {
            Formula::Bool(value) if *value == sign => vec![Vec::new()],
            Formula::Bool(_) => Vec::new(),
            // What a fence means is said by the order.
            Formula::Fence => vec![Vec::new()],
            Formula::Compare(how, left, right) => {
                let (left, right) = (self.term(left), self.term(right));
                let fact = if sign {
                    self.world.compare(*how, &left, &right)
                } else {
                    let (how, swapped) = how.denied();
                    if swapped {
                        self.world.compare(how, &right, &left)
                    } else {
                        self.world.compare(how, &left, &right)
                    }
                };
                match fact {
                    Fact::Known(true) => vec![Vec::new()],
                    Fact::Known(false) => Vec::new(),
                    fact @ (Fact::In(..)
                    | Fact::Same(..)
                    | Fact::Number(_)
                    | Fact::Before(..)
                    | Fact::Over(..)
                    | Fact::NotFrom(..)) => vec![vec![fact]],
                }
            }
            Formula::Not(inner) => self.cases(inner, !sign),
            Formula::And(parts) | Formula::Or(parts) => {
                if matches!(formula, Formula::And(_)) != sign {
                    return parts.iter().flat_map(|part| self.cases(part, sign)).collect();
                }
                let mut all = vec![Vec::new()];
                for part in parts {
                    let part = self.cases(part, sign);
                    all = self.both(all, &part);
                }
                all
            }
            Formula::Each { all, slot, apart, body } => {
                if *all != sign {
                    let chosen = self.chosen.iter().find(|(known, _)| std::ptr::eq(*known, formula));
                    let Some(&(_, process)) = chosen else {
                        self.weaker.set(true);
                        return vec![Vec::new()];
                    };
                    self.put(*slot, process);
                    return self.cases(body, sign);
                }
                let apart: Vec<u8> = apart.iter().map(|&p| self.process(p)).collect();
                let mut found = vec![Vec::new()];
                for process in (0..self.world.named).filter(|process| !apart.contains(process)) {
                    self.put(*slot, process);
                    let part = self.cases(body, sign);
                    found = self.both(found, &part);
                }
                found
            }
        }
    }

    /// All pairs of conjunctions joined; too many of them are left out.
    pub(super) fn both(&self, one: Vec<Conj>, two: &[Conj]) -> Vec<Conj> {
        if one.len() * two.len() > MANY {
            self.weaker.set(true);
            return one;
        }
        let join =
            |conj: &Conj| -> Vec<Conj> { two.iter().map(|more| conj.iter().chain(more).cloned().collect()).collect() };
        one.iter().flat_map(join).collect()
    }

    /// The processes that a formula about some process must not be about.
    pub(super) fn apart(&self, apart: &[Process]) -> Vec<u8> {
        apart.iter().map(|&process| self.process(process)).collect()
    }
}

/// The parts of a formula that are about some process and must hold, outer ones first.
pub(super) fn some<'f>(formula: &'f Formula, sign: bool, found: &mut Vec<&'f Formula>) {
    match formula {
        Formula::Bool(_) | Formula::Fence | Formula::Compare(..) => {}
        Formula::Not(inner) => some(inner, !sign, found),
        Formula::And(parts) | Formula::Or(parts) => {
            if matches!(formula, Formula::And(_)) == sign {
                parts.iter().for_each(|part| some(part, sign, found));
            }
        }
        Formula::Each { all, body, .. } => {
            if *all != sign {
                found.push(formula);
                some(body, sign, found);
            }
        }
    }
}
