//! Formulas about given processes, as disjunctions of conjunctions of literals.
//!
//! Quantifiers over all processes are about those that are named: the others may not exist. For quantifiers over some
//! process that must hold one is chosen, a named one or a new one; other ones are taken to hold. This leaves more states
//! than there are, never fewer.

use crate::cube::{Cell, Lit, NONE, Val, is_number, same};
use crate::linear::{Linear, Relation};
use system::{Access, Comparison, Formula, Process, System, Term};

/// A conjunction.
pub(crate) type Conj = Vec<Lit>;

/// A term about given processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ground {
    Val(Val),
    Cell(Cell),
    Sum(Vec<(i64, Cell)>, i64),
}

/// Who reads.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reader<'a> {
    /// Nobody: memory itself.
    Memory,
    /// The event with this number.
    Event(u8),
    /// For each process its event.
    Each(&'a [u8]),
}

/// The processes in slots, how many have names, and who reads.
#[derive(Debug, Clone)]
pub(crate) struct Frame<'a> {
    pub system: &'a System,
    pub slots: Vec<u8>,
    pub named: u8,
    pub reader: Reader<'a>,
    /// How many have numbers in the text.
    pub fixed: u8,
    /// Whether weak variables are weak.
    pub weak: bool,
    /// The slots of quantifiers over some process for which one was chosen; it is in its slot.
    pub chosen: &'a [u8],
}

/// The quantifiers over some process that must hold, outer ones first.
pub(crate) fn wanted<'f>(formula: &'f Formula, sign: bool, found: &mut Vec<(u8, &'f [Process])>) {
    match formula {
        Formula::Bool(_) | Formula::Fence | Formula::Compare(..) => {}
        Formula::Not(inner) => wanted(inner, !sign, found),
        Formula::And(parts) | Formula::Or(parts) => {
            if matches!(formula, Formula::And(_)) == sign {
                parts.iter().for_each(|part| wanted(part, sign, found));
            }
        }
        Formula::Each { all, slot, apart, body } => {
            if *all != sign {
                found.push((*slot, apart));
                wanted(body, sign, found);
            }
        }
    }
}

/// More conjunctions than this are not multiplied out; then the weaker formula `true` is taken for the rest.
const MANY: usize = 4096;

impl Frame<'_> {
    pub(crate) fn process(&self, process: Process) -> u8 {
        match process {
            Process::Slot(slot) => self.slots[usize::from(slot)],
            Process::Fixed(process) => process,
        }
    }

    pub(crate) fn args(&self, args: &[Process]) -> [u8; 3] {
        let mut found = [NONE; 3];
        for (place, &arg) in found.iter_mut().zip(args) {
            *place = self.process(arg);
        }
        found
    }

    fn cell(&self, access: &Access) -> Cell {
        let weak = self.weak && self.system.symbols[access.symbol].weak;
        let event = match self.reader {
            Reader::Event(event) if weak => event,
            Reader::Each(events) if weak => access.by.map_or(0, |by| events[usize::from(self.process(by))]),
            Reader::Memory | Reader::Event(_) | Reader::Each(_) => 0,
        };
        Cell { event, symbol: access.symbol as u16, args: self.args(&access.args) }
    }

    pub(crate) fn term(&self, term: &Term) -> Ground {
        match term {
            Term::Proc(process) => Ground::Val(Val::Proc(self.process(*process))),
            Term::Constructor(_, at) => Ground::Val(Val::Con(*at)),
            Term::Access(access) => Ground::Cell(self.cell(access)),
            Term::Sum(parts, number) => {
                Ground::Sum(parts.iter().map(|(factor, access)| (*factor, self.cell(access))).collect(), *number)
            }
        }
    }

    /// The formula, or its denial, as a disjunction.
    pub(crate) fn formula(&mut self, formula: &Formula, sign: bool) -> Vec<Conj> {
        match formula {
            Formula::Bool(value) => {
                if *value == sign {
                    vec![Vec::new()]
                } else {
                    Vec::new()
                }
            }
            // What a fence means is said by the event.
            Formula::Fence => vec![Vec::new()],
            Formula::Compare(how, left, right) => {
                let (left, right) = (self.term(left), self.term(right));
                let (how, swapped) = if sign { (*how, false) } else { how.denied() };
                let (left, right) = if swapped { (right, left) } else { (left, right) };
                match compare(self.system, how, &left, &right, self.fixed) {
                    Truth::Always => vec![Vec::new()],
                    Truth::Never => Vec::new(),
                    Truth::If(lit) => vec![vec![lit]],
                }
            }
            Formula::Not(inner) => self.formula(inner, !sign),
            Formula::And(parts) | Formula::Or(parts) => {
                if matches!(formula, Formula::And(_)) == sign {
                    let mut all = vec![Vec::new()];
                    for part in parts {
                        let part = self.formula(part, sign);
                        all = product(all, &part);
                    }
                    all
                } else {
                    parts.iter().flat_map(|part| self.formula(part, sign)).collect()
                }
            }
            Formula::Each { all, slot, body, .. } if *all != sign => {
                if self.chosen.contains(slot) {
                    self.formula(body, sign)
                } else {
                    vec![Vec::new()]
                }
            }
            Formula::Each { slot, apart, body, .. } => {
                let slot = usize::from(*slot);
                self.slots.resize(self.slots.len().max(slot + 1), NONE);
                let apart: Vec<u8> = apart.iter().map(|&p| self.process(p)).collect();
                let mut all = vec![Vec::new()];
                for process in (0..self.named).filter(|process| !apart.contains(process)) {
                    self.slots[slot] = process;
                    let part = self.formula(body, sign);
                    all = product(all, &part);
                }
                all
            }
        }
    }
}

/// All pairs of conjunctions joined.
pub(crate) fn product(all: Vec<Conj>, with: &[Conj]) -> Vec<Conj> {
    if all.len() * with.len() > MANY {
        return all;
    }
    if let [one] = with {
        let mut all = all;
        all.iter_mut().for_each(|conj| conj.extend(one.iter().cloned()));
        return all;
    }
    let join = |conj: &Conj| {
        let joined: Vec<Conj> = with.iter().map(|more| conj.iter().chain(more).cloned().collect()).collect();
        joined
    };
    all.iter().flat_map(join).collect()
}

/// What is known about a comparison.
pub(crate) enum Truth {
    Always,
    Never,
    If(Lit),
}

impl From<bool> for Truth {
    fn from(value: bool) -> Truth {
        if value { Truth::Always } else { Truth::Never }
    }
}

/// A comparison of terms as a literal.
pub(crate) fn compare(system: &System, how: Comparison, left: &Ground, right: &Ground, fixed: u8) -> Truth {
    let number = |term: &Ground| match term {
        Ground::Val(_) => false,
        Ground::Cell(cell) => is_number(system, *cell),
        Ground::Sum(..) => true,
    };
    if number(left) || number(right) {
        return numbers(how, left, right);
    }
    let sign = how == Comparison::Equal;
    match (how, left, right) {
        (Comparison::Equal | Comparison::Differ, Ground::Val(one), Ground::Val(two)) => ((one == two) == sign).into(),
        (Comparison::Equal | Comparison::Differ, Ground::Cell(cell), Ground::Val(value))
        | (Comparison::Equal | Comparison::Differ, Ground::Val(value), Ground::Cell(cell)) => {
            Truth::If(Lit::Is(*cell, *value, sign))
        }
        (Comparison::Equal | Comparison::Differ, Ground::Cell(one), Ground::Cell(two)) => {
            if one == two {
                sign.into()
            } else {
                Truth::If(same(*one, *two, sign))
            }
        }
        (Comparison::Less | Comparison::AtMost, Ground::Val(Val::Proc(one)), Ground::Val(Val::Proc(two))) => {
            if one == two {
                (how == Comparison::AtMost).into()
            } else if *one < fixed && *two < fixed {
                (one < two).into()
            } else {
                Truth::If(Lit::Before(*one, *two))
            }
        }
        // The front end lets nothing else be ordered; leaving it out is sound.
        (Comparison::Less | Comparison::AtMost, _, _) | (_, Ground::Sum(..), _) | (_, _, Ground::Sum(..)) => {
            Truth::Always
        }
    }
}

fn numbers(how: Comparison, left: &Ground, right: &Ground) -> Truth {
    let mut terms = Vec::new();
    let mut constant = 0;
    for (side, sign) in [(left, 1), (right, -1)] {
        match side {
            Ground::Val(_) => {}
            Ground::Cell(cell) => terms.push((sign, *cell)),
            Ground::Sum(parts, number) => {
                terms.extend(parts.iter().map(|&(factor, cell)| (factor * sign, cell)));
                constant += number * sign;
            }
        }
    }
    let relation = match how {
        Comparison::Equal => Relation::Zero,
        Comparison::Differ => Relation::Not,
        Comparison::Less => Relation::Less,
        Comparison::AtMost => Relation::AtMost,
    };
    Truth::If(Lit::Number(Linear::new(terms, constant, relation)))
}

/// The literal with cells replaced by terms.
pub(crate) fn substitute(system: &System, lit: &Lit, put: &dyn Fn(Cell) -> Option<Ground>, fixed: u8) -> Truth {
    let term = |cell: Cell| put(cell).unwrap_or(Ground::Cell(cell));
    let how = |sign: bool| if sign { Comparison::Equal } else { Comparison::Differ };
    match lit {
        Lit::Is(cell, value, sign) => compare(system, how(*sign), &term(*cell), &Ground::Val(*value), fixed),
        Lit::Same(one, two, sign) => compare(system, how(*sign), &term(*one), &term(*two), fixed),
        Lit::Number(linear) => {
            let mut terms = Vec::new();
            let mut constant = linear.constant;
            for &(factor, cell) in &linear.terms {
                match term(cell) {
                    Ground::Val(_) => {}
                    Ground::Cell(cell) => terms.push((factor, cell)),
                    Ground::Sum(parts, number) => {
                        terms.extend(parts.iter().map(|&(by, cell)| (factor * by, cell)));
                        constant += factor * number;
                    }
                }
            }
            Truth::If(Lit::Number(Linear::new(terms, constant, linear.relation)))
        }
        Lit::Before(..) => Truth::If(lit.clone()),
        Lit::Over(cell, _) | Lit::NotFrom(cell, _) => {
            if put(*cell).is_some() {
                Truth::Always
            } else {
                Truth::If(lit.clone())
            }
        }
    }
}
