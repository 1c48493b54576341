//! What a thread knows of memory while nobody else can write it: before other threads exist, and in atomic sections.

use crate::frame::State;
use crate::prove::bytes;
use crate::walk::Walk;
use engine::NoAnswer;
use ir::{BinaryOp, Expr, ObjectId, Width};
use logic::{Bool, Term, TermNode};
use std::collections::{BTreeMap, BTreeSet};

/// The values of cells that were read or written, by address.
pub(crate) type Cells = BTreeMap<(Term, Width), Term>;

/// Who else can write memory now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Memory {
    /// Nobody: there are no other threads yet.
    Alone(Cells),
    /// Nobody until the atomic section with this number ends.
    Section(Cells, u32),
    /// Everybody, but these cells only the thread itself.
    Shared(Cells),
    /// Perhaps everybody: some ways here have let other threads begin, and others have not.
    Unclear,
}

impl Memory {
    /// Whether both say the same of who can write.
    pub fn is_like(&self, other: &Memory) -> bool {
        match (self, other) {
            (Memory::Section(_, one), Memory::Section(_, other)) => one == other,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    pub fn cells(&mut self) -> Option<&mut Cells> {
        match self {
            Memory::Alone(cells) | Memory::Section(cells, _) | Memory::Shared(cells) => Some(cells),
            Memory::Unclear => None,
        }
    }

    /// Who can write where two ways meet after which that is different.
    pub fn either(&self, other: &Memory) -> Memory {
        let is_shared = |memory: &Memory| matches!(memory, Memory::Shared(_) | Memory::Section(..));
        if is_shared(self) && is_shared(other) { Memory::Shared(Cells::new()) } else { Memory::Unclear }
    }
}

/// Where an access may go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// To this offset of an object of the program.
    Exact(ObjectId, u64),
    /// Into one of these objects, or into one whose address somebody else knows.
    Anywhere(Vec<ObjectId>),
}

impl Walk<'_> {
    pub(crate) fn target(&self, address: Term) -> Target {
        let object = |term: Term| self.bases.get(&term).and_then(|base| base.object);
        if let Some(object) = object(address) {
            return Target::Exact(object, 0);
        }
        if let TermNode::Binary(BinaryOp::Add, left, right) = self.terms.node(address) {
            for (base, offset) in [(left, right), (right, left)] {
                if let (Some(object), Some(offset)) = (object(base), self.terms.as_const(offset)) {
                    return Target::Exact(object, offset);
                }
            }
        }
        Target::Anywhere(self.mentioned(address).0.iter().filter_map(|base| base.object).collect())
    }

    /// Whether two accesses, given as targets with widths, may touch the same byte.
    fn may_meet(&self, one: (&Target, Width), other: (&Target, Width)) -> bool {
        match (one.0, other.0) {
            (Target::Exact(object, at), Target::Exact(also, there)) => {
                object == also && *at < there + bytes(other.1) && *there < at + bytes(one.1)
            }
            (Target::Exact(object, _), Target::Anywhere(among))
            | (Target::Anywhere(among), Target::Exact(object, _)) => {
                among.contains(object) || self.escaped.contains(object)
            }
            (Target::Anywhere(_), Target::Anywhere(_)) => true,
        }
    }

    /// Forgets what an access that writes may have changed.
    fn overwrite(&self, cells: &mut Cells, address: Term, width: Width) {
        let target = self.target(address);
        cells.retain(|&(there, size), _| !self.may_meet((&target, width), (&self.target(there), size)));
    }

    /// What is known of memory wherever an iteration begins that writes there.
    pub(crate) fn unwritten(&self, memory: &Memory, written: &[(Term, Width)]) -> Memory {
        let mut left = memory.clone();
        if let Some(cells) = left.cells() {
            for &(address, width) in written {
                self.overwrite(cells, address, width);
            }
        }
        left
    }

    /// What the thread knows before it has done anything, if there are no others: the values that variables begin with.
    pub(crate) fn initial(&mut self) -> Memory {
        /// Objects with more cells are tables, of which single cells matter little.
        const CELLS: usize = 16;
        let mut cells = Cells::new();
        let program = self.program;
        for (at, object) in program.objects.iter().enumerate().filter(|(_, object)| object.cells.len() <= CELLS) {
            for cell in &object.cells {
                let address = self.address(ObjectId(at as u32), cell.offset);
                let value = match &cell.initial {
                    Expr::Const(value, width) => self.terms.constant(*value, *width),
                    Expr::Address(object, offset) => self.address(*object, *offset),
                    Expr::Local(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => continue,
                };
                cells.insert((address, cell.width), value);
            }
        }
        Memory::Alone(cells)
    }

    /// The value that is read at an address.
    pub(crate) fn read(&mut self, state: &mut State, address: Term, width: Width) -> Term {
        if let Some(&value) = state.memory.cells().and_then(|cells| cells.get(&(address, width))) {
            return value;
        }
        let beside = matches!(state.memory, Memory::Shared(_) | Memory::Section(..));
        if let Some(value) = self.frozen(address, width).filter(|_| beside) {
            return value;
        }
        let value = self.terms.fresh(width);
        if beside {
            let holds = self.invariant(address, value);
            state.guard = self.terms.and(state.guard, holds);
        }
        if self.remembers(&state.memory, address, width)
            && let Some(cells) = state.memory.cells()
        {
            cells.insert((address, width), value);
        }
        value
    }

    /// Whether what is read or written there is known until it is written again by this thread, or until the atomic section ends.
    fn remembers(&self, memory: &Memory, address: Term, width: Width) -> bool {
        match memory {
            Memory::Alone(_) | Memory::Section(..) => true,
            Memory::Shared(_) => self.owns(address, width),
            Memory::Unclear => false,
        }
    }

    /// A value is written where the condition holds; if it is not known what memory holds then, nothing is.
    pub(crate) fn write(&mut self, state: &mut State, address: Term, value: Term, when: Bool) -> Result<(), NoAnswer> {
        let width = self.terms.width(value);
        self.written.push((address, width));
        if !matches!(state.memory, Memory::Alone(_)) {
            let guard = self.terms.and(state.guard, when);
            self.keep(guard, address, value)?;
            self.note_write(address, width);
        }
        let remembers = self.remembers(&state.memory, address, width);
        let Some(mut cells) = state.memory.cells().map(std::mem::take) else { return Ok(()) };
        let before = cells.get(&(address, width)).copied();
        self.overwrite(&mut cells, address, width);
        let now = match before {
            _ if when == Bool::TRUE => Some(value),
            Some(before) => Some(self.terms.ite(when, value, before)),
            None => None,
        };
        cells.extend(now.filter(|_| remembers).map(|now| ((address, width), now)));
        if let Some(place) = state.memory.cells() {
            *place = cells;
        }
        Ok(())
    }

    /// From here on others may write.
    pub(crate) fn publish(&mut self, state: &mut State) -> Result<(), NoAnswer> {
        let memory = std::mem::replace(&mut state.memory, Memory::Unclear);
        if !self.quiet {
            match &memory {
                Memory::Alone(cells) => self.note_begin(state.guard, Some(cells)),
                Memory::Unclear => self.note_begin(state.guard, None),
                Memory::Section(..) | Memory::Shared(_) => {}
            }
        }
        let lasting = match memory {
            Memory::Alone(cells) => {
                self.establish(state.guard, &cells)?;
                self.lasting(cells)
            }
            Memory::Unclear => {
                self.establish(state.guard, &Cells::new())?;
                Cells::new()
            }
            Memory::Section(cells, _) => self.lasting(cells),
            Memory::Shared(cells) => cells,
        };
        state.memory = Memory::Shared(lasting);
        Ok(())
    }

    /// What two states that meet know of memory.
    pub(crate) fn meet_memories(&mut self, one: State, other: State) -> Memory {
        if !one.memory.is_like(&other.memory) {
            return one.memory.either(&other.memory);
        }
        let (mut one, mut other, when) = (one.memory, other.memory, other.guard);
        let alone = matches!(one, Memory::Alone(_));
        if let (Some(cells), Some(others)) = (one.cells(), other.cells()) {
            let places: BTreeSet<(Term, Width)> = cells.keys().chain(others.keys()).copied().collect();
            for place in places {
                let (then, otherwise) = match (others.get(&place), cells.get(&place)) {
                    (Some(&other), Some(&one)) => (other, one),
                    // Before there are others it is not worth while: too much is known then.
                    (None, _) | (_, None) if alone => {
                        cells.remove(&place);
                        continue;
                    }
                    // One of the ways has not looked: there is something.
                    (other, one) => {
                        let unseen = self.terms.fresh(place.1);
                        (other.copied().unwrap_or(unseen), one.copied().unwrap_or(unseen))
                    }
                };
                let value = self.terms.ite(when, then, otherwise);
                cells.insert(place, value);
            }
        }
        one
    }
}
