//! What is known about some processes: for each cell the set of values that it may have, which cells are equal, and
//! comparisons of numbers.

use super::sums::{self, Sum};
use std::collections::BTreeMap;
use system::{Comparison, System, Type};

/// The index that is not there.
pub(super) const NONE: u8 = u8::MAX;

/// The view of a value that nobody knows.
pub(super) const ANY: u8 = u8::MAX;

/// A set of values: constructors or processes by number.
pub(super) type Set = u128;

/// The value of a cell of processes that is none of those with names.
const ELSE: Set = 1 << 127;

/// A symbol and its indices.
pub(super) type Place = (u16, [u8; 3]);

/// A cell of the state (view 0), or what a pending read sees in it (its number and 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    pub view: u8,
    pub place: Place,
}

/// A term about given processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ground {
    Constructor(u16),
    Process(u8),
    Cell(Cell),
    Sum(Vec<(i64, Cell)>, i64),
}

/// A condition about given processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fact {
    /// The cell has one of these values.
    In(Cell, Set),
    /// Both have the same value, or different ones.
    Same(Cell, Cell, bool),
    /// Something about numbers.
    Number(Sum),
    /// The first process has the smaller number.
    Before(u8, u8),
    /// The read sees a write that takes effect after the write with this view.
    Over(Cell, u8),
    /// The read does not see a write of the process.
    NotFrom(Cell, u8),
    /// It is so, or not.
    Known(bool),
}

/// What the facts are about.
#[derive(Debug, Clone, Copy)]
pub(super) struct World<'a> {
    pub system: &'a System,
    /// How many processes have names here.
    pub named: u8,
    /// How many of them have numbers in the text.
    pub fixed: u8,
}

impl World<'_> {
    fn ty(&self, cell: Cell) -> Type {
        self.system.symbols[usize::from(cell.place.0)].ty
    }

    fn whole(&self, cell: Cell) -> bool {
        self.ty(cell) == Type::Int
    }

    /// All values of a cell, where they are counted.
    fn all(&self, cell: Cell) -> Option<Set> {
        match self.ty(cell) {
            Type::Enum(at) => Some((1 << self.system.enums[at].constructors.len()) - 1),
            Type::Proc => {
                let others = if self.system.processes == Some(self.named) { 0 } else { ELSE };
                Some(((1 << self.named) - 1) | others)
            }
            Type::Int | Type::Real | Type::Opaque(_) => None,
        }
    }

    /// Only this value, or all but it.
    pub(super) fn value(&self, cell: Cell, value: u8, sign: bool) -> Fact {
        let one: Set = 1 << value;
        Fact::In(cell, if sign { one } else { !one })
    }

    /// A comparison of two terms.
    pub(super) fn compare(&self, how: Comparison, left: &Ground, right: &Ground) -> Fact {
        let number = |term: &Ground| match term {
            Ground::Constructor(_) | Ground::Process(_) => false,
            Ground::Cell(cell) => self.ty(*cell).is_number(),
            Ground::Sum(..) => true,
        };
        if number(left) || number(right) {
            let mut parts = Vec::new();
            let mut constant = 0i64;
            for (side, sign) in [(left, 1), (right, -1)] {
                match side {
                    Ground::Constructor(_) | Ground::Process(_) => {}
                    Ground::Cell(cell) => parts.push((sign, *cell)),
                    Ground::Sum(terms, add) => {
                        parts.extend(terms.iter().map(|&(factor, cell)| (factor.saturating_mul(sign), cell)));
                        constant = constant.saturating_add(add.saturating_mul(sign));
                    }
                }
            }
            return Fact::Number(Sum::new(&parts, constant, how));
        }
        let sign = match how {
            Comparison::Equal => true,
            Comparison::Differ => false,
            Comparison::Less | Comparison::AtMost => {
                return match (left, right) {
                    (Ground::Process(one), Ground::Process(two)) if one == two => {
                        Fact::Known(how == Comparison::AtMost)
                    }
                    (Ground::Process(one), Ground::Process(two)) => Fact::Before(*one, *two),
                    // Nothing else has an order; to know nothing is no mistake.
                    _ => Fact::Known(true),
                };
            }
        };
        match (left, right) {
            (Ground::Constructor(one), Ground::Constructor(two)) => Fact::Known((one == two) == sign),
            (Ground::Process(one), Ground::Process(two)) => Fact::Known((one == two) == sign),
            (Ground::Cell(cell), Ground::Constructor(value)) | (Ground::Constructor(value), Ground::Cell(cell)) => {
                self.value(*cell, *value as u8, sign)
            }
            (Ground::Cell(cell), Ground::Process(value)) | (Ground::Process(value), Ground::Cell(cell)) => {
                self.value(*cell, *value, sign)
            }
            (Ground::Cell(one), Ground::Cell(two)) => Fact::Same(*one, *two, sign),
            // The front end compares only what has one type.
            (Ground::Sum(..), _) | (_, Ground::Sum(..)) => Fact::Known(true),
            (Ground::Constructor(_), Ground::Process(_)) | (Ground::Process(_), Ground::Constructor(_)) => {
                Fact::Known(true)
            }
        }
    }
}

/// A conjunction of facts.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    sets: BTreeMap<Cell, Set>,
    equal: Vec<(Cell, Cell)>,
    apart: Vec<(Cell, Cell)>,
    numbers: Vec<Sum>,
    before: Vec<(u8, u8)>,
    over: Vec<(Cell, u8)>,
    not_from: Vec<(Cell, u8)>,
}

impl Facts {
    /// Adds a fact; `false` if it contradicts what is known at once.
    pub(super) fn add(&mut self, world: &World<'_>, fact: Fact) -> bool {
        match fact {
            Fact::In(cell, set) => {
                let known = self.set(world, cell);
                self.sets.insert(cell, known & set);
                known & set != 0
            }
            Fact::Same(one, two, sign) => {
                if one == two {
                    return sign;
                }
                if sign {
                    self.equal.push((one, two));
                } else {
                    self.apart.push((one, two));
                }
                true
            }
            Fact::Number(sum) => {
                if !self.numbers.contains(&sum) {
                    self.numbers.push(sum);
                }
                true
            }
            Fact::Before(one, two) => {
                if one < world.fixed && two < world.fixed {
                    return one < two;
                }
                self.before.push((one, two));
                one != two
            }
            Fact::Over(cell, write) => {
                self.over.push((cell, write));
                true
            }
            Fact::NotFrom(cell, by) => {
                self.not_from.push((cell, by));
                true
            }
            Fact::Known(value) => value,
        }
    }

    fn set(&self, world: &World<'_>, cell: Cell) -> Set {
        self.sets.get(&cell).copied().or_else(|| world.all(cell)).unwrap_or(Set::MAX)
    }

    /// The cell that stands for all that are equal to one.
    fn leader(&self, cell: Cell) -> Cell {
        let mut class = vec![cell];
        let mut at = 0;
        while at < class.len() {
            for &(one, two) in &self.equal {
                for (here, there) in [(one, two), (two, one)] {
                    if here == class[at] && !class.contains(&there) {
                        class.push(there);
                    }
                }
            }
            at += 1;
        }
        class.into_iter().min().unwrap_or(cell)
    }

    /// Draws conclusions; `false` if there is a contradiction.
    pub(super) fn settle(&mut self, world: &World<'_>) -> bool {
        loop {
            let mut changed = false;
            let mut narrow = |sets: &mut BTreeMap<Cell, Set>, cell: Cell, to: Set| {
                let known = sets.get(&cell).copied().or_else(|| world.all(cell)).unwrap_or(Set::MAX);
                if known & to != known {
                    sets.insert(cell, known & to);
                    changed = true;
                }
            };
            for &(one, two) in &self.equal {
                let both =
                    self.sets.get(&one).copied().unwrap_or(Set::MAX) & self.sets.get(&two).copied().unwrap_or(Set::MAX);
                narrow(&mut self.sets, one, both);
                narrow(&mut self.sets, two, both);
            }
            for &(one, two) in &self.apart {
                for (here, there) in [(one, two), (two, one)] {
                    let set = self.sets.get(&here).copied().unwrap_or(Set::MAX);
                    if set.count_ones() == 1 && set != ELSE {
                        narrow(&mut self.sets, there, !set);
                    }
                }
            }
            if self.sets.values().any(|&set| set == 0) {
                return false;
            }
            if !changed {
                break;
            }
        }
        if self.apart.iter().any(|&(one, two)| self.leader(one) == self.leader(two)) {
            return false;
        }
        self.close_before(world)
            && (self.numbers.is_empty() || !sums::impossible(&self.numbers, &|cell| world.whole(cell)))
    }

    /// The order of processes is total, and that of numbers in the text is known.
    fn close_before(&mut self, world: &World<'_>) -> bool {
        if self.before.is_empty() {
            return true;
        }
        for two in 0..world.fixed {
            self.before.extend((0..two).map(|one| (one, two)));
        }
        loop {
            let mut more = Vec::new();
            for &(one, two) in &self.before {
                for &(_, four) in self.before.iter().filter(|&&(three, _)| three == two) {
                    if !self.before.contains(&(one, four)) && !more.contains(&(one, four)) {
                        more.push((one, four));
                    }
                }
            }
            if more.is_empty() {
                break;
            }
            self.before.extend(more);
        }
        self.before.iter().all(|(one, two)| one != two)
    }

    /// Whether a fact follows. What is said to follow does; not everything that follows is found.
    pub(super) fn implies(&self, world: &World<'_>, fact: &Fact) -> bool {
        match fact {
            Fact::In(cell, set) => self.set(world, *cell) & !set == 0,
            Fact::Same(one, two, sign) => {
                let (a, b) = (self.set(world, *one), self.set(world, *two));
                let counted = world.all(*one).is_some();
                if *sign {
                    let single = counted && a == b && a.count_ones() == 1 && a != ELSE;
                    single || self.leader(*one) == self.leader(*two)
                } else {
                    let ends = (self.leader(*one), self.leader(*two));
                    let told = self.apart.iter().any(|&(one, two)| {
                        let known = (self.leader(one), self.leader(two));
                        known == ends || (known.1, known.0) == ends
                    });
                    (counted && a & b == 0) || told
                }
            }
            Fact::Number(sum) => {
                self.numbers.contains(sum) || sums::implied(&self.numbers, sum, &|cell| world.whole(cell))
            }
            Fact::Before(one, two) => {
                (*one < world.fixed && *two < world.fixed && one < two) || self.before.contains(&(*one, *two))
            }
            Fact::Over(cell, write) => self.over.contains(&(*cell, *write)),
            Fact::NotFrom(cell, by) => self.not_from.contains(&(*cell, *by)),
            Fact::Known(value) => *value,
        }
    }

    /// Cells whose value is open, with the values that they may have.
    pub(super) fn open(&self) -> Vec<(Cell, Set)> {
        let few = self.sets.iter().filter(|(_, set)| set.count_ones() > 1 && set.count_ones() <= 16);
        few.map(|(&cell, &set)| (cell, set)).collect()
    }

    /// What is known of the cells of a symbol, pending reads apart.
    pub(super) fn sets(&self) -> impl Iterator<Item = (Cell, Set)> + '_ {
        self.sets.iter().map(|(&cell, &set)| (cell, set))
    }

    /// A read sees a write that takes effect after this one of a process, and none of that process.
    pub(super) fn mark(&mut self, cell: Cell, write: u8, by: u8) {
        self.over.push((cell, write));
        self.not_from.push((cell, by));
    }

    /// The cells that something is said about and that a pending read sees.
    pub(super) fn seen(&self) -> Vec<Cell> {
        let mut cells: Vec<Cell> = self.sets.keys().copied().collect();
        cells.extend(self.equal.iter().chain(&self.apart).flat_map(|&(one, two)| [one, two]));
        cells.extend(self.numbers.iter().flat_map(|sum| sum.terms.keys().copied()));
        cells.retain(|cell| cell.view != 0 && cell.view != ANY);
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}
