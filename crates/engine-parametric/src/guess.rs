//! Invariant candidates: what a few processes never do may never happen.
//!
//! As in BRAB (Conchon, Goel, Krstić, Mebsout, Zaïdi, FMCAD 2013): a forward exploration with few processes, with store
//! buffers under weak memory. Of each new cube a smallest part that no explored state satisfies is taken in its place;
//! of several, the one with the fewest pre-images that are not yet known. A candidate is proved like a bad state, or
//! dropped when it meets an initial state; so it need not be right. The exploration begins small and grows when a
//! candidate was wrong.
//!
//! Under weak memory a part may keep pending reads. A state satisfies what is said about them if the read could see such a
//! value: in memory or in a buffer, but nothing older than a write that is known to come before the read. What the reads
//! have to do with each other is not looked at, so there are fewer candidates than there could be.

use crate::cube::{Cell, Cube, Event, Hook, Lit, NONE, Val};
use crate::linear::{Linear, Relation};
use crate::pre::Images;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use system::Memory;
use system::machine::{Machine, Reach, State};

/// How many states are explored at first, and at most: without buffers, and with them.
const STATES: usize = 1_500;
const MOST: (usize, usize) = (96_000, 6_000);

/// How many candidates of a cube are compared.
const CANDIDATES: usize = 16;

/// How many literals a candidate has at most.
const LITERALS: usize = 4;

/// States, as bits.
type Set = Rc<Vec<u64>>;

/// Who reads, and whose writes come before the read, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Reader {
    process: u8,
    before: u64,
}

/// A literal, and the readers of the events that it speaks of.
type Question = (Lit, Vec<Reader>);

/// The reader of an event that a literal speaks of by this number, with these processes in place of the cube's.
fn reader(event: &Event, number: u8, lit: &Lit, chosen: &[u8]) -> Reader {
    let mut before = 0;
    for hook in &event.hooks {
        match *hook {
            Hook::Write(process) => before |= 1 << chosen[usize::from(process)],
            Hook::Cell(place) => lit.cells(&mut |cell| {
                if cell.event == number && cell.place() == place {
                    before = u64::MAX;
                }
            }),
            Hook::CellOf(process, place) => lit.cells(&mut |cell| {
                if cell.event == number && cell.place() == place {
                    before |= 1 << chosen[usize::from(process)];
                }
            }),
            Hook::Any(_) => {}
        }
    }
    Reader { process: chosen[usize::from(event.process)], before }
}

/// What follows from an equation and an equation or inequality with a common cell, without that cell.
fn consequences(lits: &[Lit]) -> Vec<Lit> {
    let number = |lit: &Lit| match lit {
        Lit::Number(linear) if matches!(linear.relation, Relation::Zero | Relation::AtMost) => Some(linear.clone()),
        Lit::Is(..) | Lit::Same(..) | Lit::Number(_) | Lit::Before(..) | Lit::Over(..) | Lit::NotFrom(..) => None,
    };
    let all: Vec<Linear> = lits.iter().filter_map(number).collect();
    let mut found = Vec::new();
    for equation in all.iter().filter(|linear| linear.relation == Relation::Zero) {
        for other in &all {
            for &(factor, cell) in &equation.terms {
                let Some(&(of_other, _)) = other.terms.iter().find(|(_, known)| *known == cell) else { continue };
                let sum = other.combined(factor.abs(), equation, -of_other * factor.signum(), other.relation);
                if let Some(sum) = sum.filter(|sum| !sum.terms.is_empty()) {
                    // The same form as that of all literals.
                    found.push(Lit::Number(sum.map(&|cell| cell)));
                }
            }
        }
    }
    found.retain(|lit| !lits.contains(lit));
    found.sort_unstable();
    found.dedup();
    found
}

/// What some processes can do.
#[derive(Debug)]
pub(crate) struct Explored<'a> {
    machine: Machine<'a>,
    reach: Reach,
    limit: usize,
    most: usize,
    processes: u8,
    /// For a literal about these processes, the states in which it may hold, of the first so many.
    holding: RefCell<FxHashMap<Question, (usize, Set)>>,
}

impl<'a> Explored<'a> {
    pub(crate) fn new(images: &Images<'a>, memory: Memory, processes: u8, stop: &dyn Fn() -> bool) -> Explored<'a> {
        // A text that names processes by number has as many as it says.
        let processes = images.system.processes.unwrap_or(processes);
        let machine = Machine::new(images.system, processes, memory);
        let mut reach = Reach::default();
        machine.reach(&mut reach, STATES, stop);
        let most = if images.weak { MOST.1 } else { MOST.0 };
        Explored { machine, reach, limit: STATES, most, processes, holding: RefCell::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.reach.states.len()
    }

    /// Explores further: the candidates were wrong, or of no use.
    pub(crate) fn grow(&mut self, stop: &dyn Fn() -> bool) {
        self.limit = (self.limit * 4).min(self.most);
        self.machine.reach(&mut self.reach, self.limit, stop);
    }

    /// The smallest parts of a cube that no state satisfies, of those that `wanted` likes. Pending reads are
    /// looked at if `reads` says so, and if nothing else tells; so are numbers.
    pub(crate) fn parts(
        &self,
        images: &Images<'_>,
        cube: &Cube,
        reads: bool,
        wanted: &dyn Fn(&Cube) -> bool,
    ) -> Vec<Cube> {
        for kind in [(false, false), (true, false), (false, true), (true, true)] {
            let parts = if kind.1 && !reads { Vec::new() } else { self.parts_of(images, cube, kind, wanted) };
            if !parts.is_empty() {
                return parts;
            }
        }
        Vec::new()
    }

    /// The same, with numbers and with pending reads or without.
    fn parts_of(
        &self,
        images: &Images<'_>,
        cube: &Cube,
        (numbers, reads): (bool, bool),
        wanted: &dyn Fn(&Cube) -> bool,
    ) -> Vec<Cube> {
        if (numbers && !cube.lits.iter().any(|lit| matches!(lit, Lit::Number(_)))) || (reads && cube.events.is_empty())
        {
            return Vec::new();
        }
        let local = |lit: &&Lit| {
            let mut here =
                !matches!(lit, Lit::Over(..) | Lit::NotFrom(..)) && (numbers || !matches!(lit, Lit::Number(_)));
            lit.cells(&mut |cell| here &= reads || cell.event == 0);
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
        if numbers {
            lits.extend(consequences(&lits));
        }
        let about = |lit: &Lit| {
            let mut all = 0u64;
            lit.processes(&mut |process| all |= 1 << process);
            lit.events(&mut |event| all |= 1 << cube.events[usize::from(event) - 1].process);
            all
        };
        let named: Vec<u64> = lits.iter().map(about).collect();
        let mut found: Vec<Cube> = Vec::new();
        for size in 1..=LITERALS.min(lits.len()) {
            let mut chosen: Vec<usize> = (0..size).collect();
            while found.len() < CANDIDATES {
                let about = chosen.iter().fold(0u64, |all, &at| all | named[at]);
                let part: Vec<Lit> = chosen.iter().map(|&at| lits[at].clone()).collect();
                if about.count_ones() <= u32::from(self.processes)
                    && let Some(candidate) = self.candidate(images, cube, part)
                    && candidate != *cube
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

    fn candidate(&self, images: &Images<'_>, whole: &Cube, part: Vec<Lit>) -> Option<Cube> {
        // An order with processes that nothing else is said about does not matter.
        let mut named = vec![false; usize::from(whole.processes)];
        for lit in &part {
            lit.processes(&mut |process| named[usize::from(process)] = true);
            lit.events(&mut |event| named[usize::from(whole.events[usize::from(event) - 1].process)] = true);
        }
        let mut events = whole.events.clone();
        for event in &mut events {
            event.hooks.retain(|hook| {
                let mut known = true;
                hook.processes(&mut |process| known &= named[usize::from(process)]);
                known
            });
        }
        let (cube, _) = images.compact(whole.processes, part, &events);
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
        let sets: Vec<Set> = cube.lits.iter().map(|lit| self.set(&cube.events, lit, chosen)).collect();
        (0..self.len().div_ceil(64)).any(|at| sets.iter().fold(!0, |all, set| all & set[at]) != 0)
    }

    /// The states in which a literal of a cube with these events may hold.
    fn set(&self, events: &[Event], lit: &Lit, chosen: &[u8]) -> Set {
        let mut numbers = vec![NONE; events.len()];
        let mut readers: Vec<Reader> = Vec::new();
        lit.events(&mut |event| {
            let event = usize::from(event) - 1;
            if numbers[event] == NONE {
                numbers[event] = readers.len() as u8;
                readers.push(reader(&events[event], event as u8 + 1, lit, chosen));
            }
        });
        let key = (lit.renamed(chosen, &numbers), readers);
        let mut holding = self.holding.borrow_mut();
        let (seen, set) = holding.entry(key.clone()).or_default();
        if *seen < self.len() {
            // States that were found since.
            let bits = Rc::make_mut(set);
            bits.resize(self.len().div_ceil(64), 0);
            for (at, state) in self.reach.states.iter().enumerate().skip(*seen) {
                if self.holds(state, &key.0, &key.1) {
                    bits[at / 64] |= 1 << (at % 64);
                }
            }
            *seen = self.len();
        }
        set.clone()
    }

    /// What memory holds in a cell.
    fn memory(&self, state: &State, cell: Cell) -> Option<i64> {
        state.memory[self.machine.index(usize::from(cell.symbol), &cell.args)]
    }

    /// What a cell may hold, or what a read of it may see: what its process sees now, or what waits in
    /// another's buffer.
    fn values(&self, state: &State, cell: Cell, readers: &[Reader]) -> Vec<Option<i64>> {
        let Some(reader) = usize::from(cell.event).checked_sub(1).map(|at| readers[at]) else {
            return vec![self.memory(state, cell)];
        };
        let index = self.machine.index(usize::from(cell.symbol), &cell.args);
        let mut values = Vec::new();
        let mut hidden = false;
        for (process, buffer) in state.buffers.iter().enumerate() {
            let first = values.len();
            values.extend(buffer.iter().flatten().filter(|(written, _)| *written == index).map(|&(_, value)| value));
            // Of its own writes, and of those that come before the read, nothing but the last can be seen.
            let last = process == usize::from(reader.process) || reader.before & (1 << process) != 0;
            if last && first < values.len() {
                hidden = true;
                values.drain(first..values.len() - 1);
            }
        }
        if !hidden {
            values.push(state.memory[index]);
        }
        values
    }

    /// Whether a literal may hold: what is not yet chosen may be anything.
    fn holds(&self, state: &State, lit: &Lit, readers: &[Reader]) -> bool {
        match lit {
            Lit::Is(cell, value, sign) => {
                let wanted = match value {
                    Val::Con(value) => i64::from(*value),
                    Val::Proc(process) => i64::from(*process),
                };
                if cell.event == 0 {
                    return self.memory(state, *cell).is_none_or(|value| (value == wanted) == *sign);
                }
                self.values(state, *cell, readers)
                    .iter()
                    .any(|value| value.is_none_or(|value| (value == wanted) == *sign))
            }
            Lit::Same(one, two, sign) if one.event == 0 && two.event == 0 => {
                match (self.memory(state, *one), self.memory(state, *two)) {
                    (Some(one), Some(two)) => (one == two) == *sign,
                    (None, _) | (_, None) => true,
                }
            }
            Lit::Same(one, two, sign) => {
                let two = self.values(state, *two, readers);
                self.values(state, *one, readers).iter().any(|one| {
                    two.iter().any(|two| match (one, two) {
                        (Some(one), Some(two)) => (one == two) == *sign,
                        (None, _) | (_, None) => true,
                    })
                })
            }
            Lit::Number(linear) => {
                let mut sums = vec![linear.constant];
                for &(factor, cell) in &linear.terms {
                    let mut next = Vec::new();
                    for value in self.values(state, cell, readers) {
                        let Some(value) = value else { return true };
                        next.extend(sums.iter().map(|sum| sum.saturating_add(factor.saturating_mul(value))));
                    }
                    sums = next;
                }
                sums.iter().any(|&sum| match linear.relation {
                    Relation::Zero => sum == 0,
                    Relation::AtMost => sum <= 0,
                    Relation::Less => sum < 0,
                    Relation::Not => sum != 0,
                    Relation::Never => false,
                })
            }
            Lit::Before(one, two) => one < two,
            Lit::Over(..) | Lit::NotFrom(..) => true,
        }
    }
}
