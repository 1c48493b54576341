//! Cubes: what some processes are like, as a conjunction of literals, and the reads that are still without a write.

use crate::linear::{self, Linear, Relation};
use system::{System, Type};

/// The index that is not there.
pub(crate) const NONE: u8 = u8::MAX;

/// The event number of a value that is about to be forgotten.
pub(crate) const FORGOTTEN: u8 = 254;

/// A cell of the state (event 0), or what a pending read sees in a cell (its event's number and 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Cell {
    pub event: u8,
    pub symbol: u16,
    pub args: [u8; 3],
}

impl Cell {
    /// The cell in memory.
    pub(crate) fn place(self) -> Place {
        (self.symbol, self.args)
    }
}

/// A symbol and its indices.
pub(crate) type Place = (u16, [u8; 3]);

/// A value that is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Val {
    /// A constructor's place.
    Con(u16),
    /// A process.
    Proc(u8),
}

/// A literal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Lit {
    /// The cell has the value, or has another one.
    Is(Cell, Val, bool),
    /// Both have the same value, or different ones; the first is the smaller cell.
    Same(Cell, Cell, bool),
    /// Something about numbers.
    Number(Linear),
    /// The first process is before the second.
    Before(u8, u8),
    /// The read takes its value from a write that is still to be found and that takes effect after the write of an event:
    /// that event's view of the cell stands for its write.
    Over(Cell, Cell),
    /// The read does not take its value from a write of this process.
    NotFrom(Cell, u8),
}

impl Lit {
    pub(crate) fn cells(&self, see: &mut dyn FnMut(Cell)) {
        match self {
            Lit::Is(cell, _, _) | Lit::Over(cell, _) | Lit::NotFrom(cell, _) => see(*cell),
            Lit::Same(one, two, _) => {
                see(*one);
                see(*two);
            }
            Lit::Number(linear) => linear.terms.iter().for_each(|&(_, cell)| see(cell)),
            Lit::Before(..) => {}
        }
    }

    /// The events that it speaks of, counted from 1.
    pub(crate) fn events(&self, see: &mut dyn FnMut(u8)) {
        let mut event = |cell: Cell| {
            if cell.event > 0 {
                see(cell.event);
            }
        };
        self.cells(&mut event);
        if let Lit::Over(_, write) = self {
            event(*write);
        }
    }

    pub(crate) fn processes(&self, see: &mut dyn FnMut(u8)) {
        self.cells(&mut |cell| cell.args.iter().filter(|&&arg| arg != NONE).for_each(|&arg| see(arg)));
        match self {
            Lit::Is(_, Val::Proc(process), _) | Lit::NotFrom(_, process) => see(*process),
            Lit::Before(one, two) => {
                see(*one);
                see(*two);
            }
            Lit::Is(..) | Lit::Same(..) | Lit::Number(_) | Lit::Over(..) => {}
        }
    }

    /// The literal with processes and events renamed.
    pub(crate) fn renamed(&self, processes: &[u8], events: &[u8]) -> Lit {
        let cell = |cell: Cell| rename_cell(cell, processes, events);
        match self {
            Lit::Is(of, Val::Con(value), sign) => Lit::Is(cell(*of), Val::Con(*value), *sign),
            Lit::Is(of, Val::Proc(process), sign) => {
                Lit::Is(cell(*of), Val::Proc(processes[usize::from(*process)]), *sign)
            }
            Lit::Same(one, two, sign) => same(cell(*one), cell(*two), *sign),
            Lit::Number(linear) => Lit::Number(linear.map(&cell)),
            Lit::Before(one, two) => Lit::Before(processes[usize::from(*one)], processes[usize::from(*two)]),
            Lit::Over(of, write) => Lit::Over(cell(*of), cell(*write)),
            Lit::NotFrom(of, process) => Lit::NotFrom(cell(*of), processes[usize::from(*process)]),
        }
    }
}

/// Two cells in order.
pub(crate) fn same(one: Cell, two: Cell, sign: bool) -> Lit {
    if one <= two { Lit::Same(one, two, sign) } else { Lit::Same(two, one, sign) }
}

pub(crate) fn rename_place((symbol, args): Place, processes: &[u8]) -> Place {
    (symbol, args.map(|arg| if arg == NONE { NONE } else { processes[usize::from(arg)] }))
}

fn rename_cell(cell: Cell, processes: &[u8], events: &[u8]) -> Cell {
    let (symbol, args) = rename_place(cell.place(), processes);
    let event =
        if cell.event == 0 || cell.event == FORGOTTEN { cell.event } else { events[usize::from(cell.event) - 1] + 1 };
    Cell { event, symbol, args }
}

/// What is before a pending read: whoever does this, does it before the read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Hook {
    /// Any read of the process.
    Any(u8),
    /// Any write of the process.
    Write(u8),
    /// Any access to the cell.
    Cell(Place),
    /// Any read of the cell, and any write of it by this process.
    CellOf(u8, Place),
}

impl Hook {
    pub(crate) fn renamed(self, processes: &[u8]) -> Hook {
        match self {
            Hook::Any(process) => Hook::Any(processes[usize::from(process)]),
            Hook::Write(process) => Hook::Write(processes[usize::from(process)]),
            Hook::Cell(place) => Hook::Cell(rename_place(place, processes)),
            Hook::CellOf(process, place) => {
                Hook::CellOf(processes[usize::from(process)], rename_place(place, processes))
            }
        }
    }

    pub(crate) fn processes(self, see: &mut dyn FnMut(u8)) {
        let (process, place) = match self {
            Hook::Any(process) | Hook::Write(process) => (Some(process), None),
            Hook::Cell(place) => (None, Some(place)),
            Hook::CellOf(process, place) => (Some(process), Some(place)),
        };
        if let Some(process) = process {
            see(process);
        }
        if let Some((_, args)) = place {
            args.iter().filter(|&&arg| arg != NONE).for_each(|&arg| see(arg));
        }
    }
}

/// The reads of one transition that are still without a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// Who reads.
    pub process: u8,
    /// The events that come after it (or at the same time), as bits.
    pub after: u64,
    /// What comes before it, sorted. If an event is before another, its hooks are hooks of the other.
    pub hooks: Vec<Hook>,
}

impl Event {
    pub(crate) fn has(&self, hook: Hook) -> bool {
        self.hooks.binary_search(&hook).is_ok()
    }

    pub(crate) fn add(&mut self, hooks: &[Hook]) {
        for &hook in hooks {
            if let Err(at) = self.hooks.binary_search(&hook) {
                self.hooks.insert(at, hook);
            }
        }
    }
}

/// A set of states: some distinct processes are like this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cube {
    /// How many.
    pub processes: u8,
    /// In normal form.
    pub lits: Vec<Lit>,
    /// Pending reads; what they see is in the literals.
    pub events: Vec<Event>,
    /// Bits for literals that whoever is subsumed must have too.
    pub signature: u64,
    /// For each process, bits for literals about it that whoever stands for it must have too.
    pub profiles: Vec<u64>,
}

impl Cube {
    pub(crate) fn new(processes: u8, lits: Vec<Lit>, events: Vec<Event>) -> Cube {
        let mut signature = 0;
        let mut profiles = vec![0; usize::from(processes)];
        for lit in &lits {
            let Lit::Is(cell, value, true) = lit else { continue };
            signature |= sign(*cell, *value, 0);
            for (at, &arg) in cell.args.iter().enumerate().filter(|(_, arg)| **arg != NONE) {
                profiles[usize::from(arg)] |= sign(*cell, *value, at as u64 + 1);
            }
            if let Val::Proc(process) = value {
                profiles[usize::from(*process)] |= sign(*cell, *value, 0);
            }
        }
        Cube { processes, lits, events, signature, profiles }
    }
}

/// The bit of a literal `cell = value`, whatever its processes are; `role` is the part that one of them has in it.
fn sign(cell: Cell, value: Val, role: u64) -> u64 {
    let value = match value {
        Val::Con(value) => u64::from(value) + 1,
        Val::Proc(_) => 0,
    };
    let key = (role << 40) ^ (u64::from(cell.symbol) << 18) ^ (value << 1) ^ u64::from(cell.event > 0);
    1 << (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58)
}

/// The number of values of a symbol, if there are few.
fn size(system: &System, cell: Cell) -> Option<usize> {
    match system.symbols[usize::from(cell.symbol)].ty {
        Type::Enum(at) => Some(system.enums[at].constructors.len()),
        Type::Int | Type::Real | Type::Proc | Type::Opaque(_) => None,
    }
}

/// Whether a cell holds numbers.
pub(crate) fn is_number(system: &System, cell: Cell) -> bool {
    system.symbols[usize::from(cell.symbol)].ty.is_number()
}

/// Literals in normal form, or nothing if they contradict each other.
///
/// Values are spread over equalities, what they decide is dropped, exclusions of all values but one become that value, and
/// values that are to be forgotten are gone. Forgetting may leave more states than there are, never fewer.
pub(crate) fn normal(system: &System, mut lits: Vec<Lit>) -> Option<Vec<Lit>> {
    loop {
        lits.sort_unstable();
        lits.dedup();
        let mut changed = false;
        let values: Vec<(Cell, Val)> = lits
            .iter()
            .filter_map(|lit| if let Lit::Is(cell, value, true) = lit { Some((*cell, *value)) } else { None })
            .collect();
        if values.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return None;
        }
        let value = |cell: Cell| values.binary_search_by_key(&cell, |&(cell, _)| cell).ok().map(|at| values[at].1);
        let mut next = Vec::with_capacity(lits.len());
        for lit in &lits {
            match *lit {
                Lit::Is(cell, of, false) => match value(cell) {
                    Some(value) if value == of => return None,
                    Some(_) => {
                        changed = true;
                        continue;
                    }
                    None => {}
                },
                Lit::Same(one, two, sign) => {
                    if one == two {
                        if !sign {
                            return None;
                        }
                        changed = true;
                        continue;
                    }
                    match (value(one), value(two)) {
                        (Some(one), Some(two)) => {
                            if (one == two) != sign {
                                return None;
                            }
                            changed = true;
                            continue;
                        }
                        (Some(value), None) => {
                            changed = true;
                            next.push(Lit::Is(two, value, sign));
                            continue;
                        }
                        (None, Some(value)) => {
                            changed = true;
                            next.push(Lit::Is(one, value, sign));
                            continue;
                        }
                        (None, None) => {}
                    }
                }
                Lit::Is(_, _, true) | Lit::Number(_) | Lit::Before(..) | Lit::Over(..) | Lit::NotFrom(..) => {}
            }
            next.push(lit.clone());
        }
        changed |= representatives(&mut next);
        changed |= exclusions(system, &mut next)?;
        lits = next;
        if !changed {
            break;
        }
    }
    order(&mut lits)?;
    numbers(system, &mut lits)?;
    forget(&mut lits);
    lits.sort_unstable();
    lits.dedup();
    Some(lits)
}

/// Equal cells are spoken of by the smallest one. Says whether something changed.
fn representatives(lits: &mut Vec<Lit>) -> bool {
    let mut least: Vec<(Cell, Cell)> = Vec::new();
    for lit in lits.iter() {
        let Lit::Same(one, two, true) = lit else { continue };
        for cell in [*one, *two] {
            if !least.iter().any(|&(known, _)| known == cell) {
                least.push((cell, cell));
            }
        }
        let find = |cell: Cell| least.iter().find(|&&(known, _)| known == cell).map_or(cell, |&(_, by)| by);
        let (a, b) = (find(*one), find(*two));
        let (low, high) = (a.min(b), a.max(b));
        least.iter_mut().filter(|(_, by)| *by == high).for_each(|(_, by)| *by = low);
    }
    if least.is_empty() {
        return false;
    }
    let find = |cell: Cell| least.iter().find(|&&(known, _)| known == cell).map_or(cell, |&(_, by)| by);
    let mut next: Vec<Lit> = lits
        .iter()
        .filter_map(|lit| match lit {
            Lit::Same(_, _, true) => None,
            Lit::Is(cell, value, sign) => Some(Lit::Is(find(*cell), *value, *sign)),
            Lit::Same(one, two, false) => Some(same(find(*one), find(*two), false)),
            Lit::Number(_) | Lit::Before(..) | Lit::Over(..) | Lit::NotFrom(..) => Some(lit.clone()),
        })
        .collect();
    next.extend(least.iter().filter(|(cell, by)| cell != by).map(|&(cell, by)| same(by, cell, true)));
    next.sort_unstable();
    next.dedup();
    let mut before = lits.clone();
    before.sort_unstable();
    before.dedup();
    let changed = next != before;
    *lits = next;
    changed
}

/// A cell for which all values but one are excluded has that one.
fn exclusions(system: &System, lits: &mut Vec<Lit>) -> Option<bool> {
    let mut at: Vec<(Cell, Vec<u16>)> = Vec::new();
    for lit in lits.iter() {
        if let Lit::Is(cell, Val::Con(value), false) = lit {
            match at.iter_mut().find(|(known, _)| known == cell) {
                Some((_, excluded)) if !excluded.contains(value) => excluded.push(*value),
                Some(_) => {}
                None => at.push((*cell, vec![*value])),
            }
        }
    }
    let mut changed = false;
    for (cell, excluded) in at {
        let Some(size) = size(system, cell) else { continue };
        if excluded.len() + 1 < size {
            continue;
        }
        let left = (0..size as u16).find(|value| !excluded.contains(value))?;
        lits.push(Lit::Is(cell, Val::Con(left), true));
        changed = true;
    }
    Some(changed)
}

/// The order of processes is total: closes it, or finds a cycle.
fn order(lits: &mut Vec<Lit>) -> Option<()> {
    let mut pairs: Vec<(u8, u8)> =
        lits.iter().filter_map(|lit| if let Lit::Before(one, two) = lit { Some((*one, *two)) } else { None }).collect();
    let mut at = 0;
    while at < pairs.len() {
        let (one, two) = pairs[at];
        if one == two {
            return None;
        }
        for other in 0..pairs.len() {
            let (three, four) = pairs[other];
            if two == three && !pairs.contains(&(one, four)) {
                pairs.push((one, four));
                lits.push(Lit::Before(one, four));
            }
            if four == one && !pairs.contains(&(three, two)) {
                pairs.push((three, two));
                lits.push(Lit::Before(three, two));
            }
        }
        at += 1;
    }
    Some(())
}

fn numbers(system: &System, lits: &mut Vec<Lit>) -> Option<()> {
    if !lits.iter().any(|lit| matches!(lit, Lit::Number(_))) {
        return Some(());
    }
    let mut all = Vec::new();
    lits.retain(|lit| {
        let Lit::Number(linear) = lit else { return true };
        all.push(linear.clone());
        false
    });
    let whole = |cell: Cell| system.symbols[usize::from(cell.symbol)].ty == Type::Int;
    let all = linear::simplify(all, &whole)?;
    let forgotten = |linear: &Linear| linear.terms.iter().any(|&(_, cell)| cell.event == FORGOTTEN);
    let all = if all.iter().any(forgotten) { linear::eliminate(all, &|cell| cell.event == FORGOTTEN) } else { all };
    let all = linear::simplify(all, &whole)?;
    lits.extend(all.into_iter().filter(|linear| linear.relation != Relation::Never).map(Lit::Number));
    Some(())
}

/// Drops what is said about values that are to be forgotten. Numbers have already lost them.
fn forget(lits: &mut Vec<Lit>) {
    lits.retain(|lit| {
        let mut found = false;
        lit.cells(&mut |cell| found |= cell.event == FORGOTTEN);
        !found
    });
}
