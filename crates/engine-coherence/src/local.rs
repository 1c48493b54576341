//! What belongs to one thread: where it is, its locals, and the memory that only it uses.

use crate::world::At;
use ir::{Address, FunctionId, LocalId, ObjectId, Width};
use source::Span;

/// The state of a thread, but for its buffer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Local {
    /// Its number.
    pub thread: usize,
    pub body: FunctionId,
    /// Where it was started, if it has a number of its own and another thread started it.
    pub started: Option<At>,
    /// The functions that are being executed, the innermost last.
    pub frames: Vec<Frame>,
    pub status: Status,
    /// How many atomic sections are open.
    pub open: u32,
    /// Where it entered the critical section that it is inside.
    pub inside: Option<Span>,
    /// Whether it has jumped back since its last step that others could notice.
    pub jumped: bool,
    /// The objects that it has made and nobody else can know, by their numbers.
    pub heap: Vec<(u32, Object)>,
    /// The values of the cells that only this thread uses, if they are not the initial ones.
    pub own: Vec<(u32, u64)>,
    /// How many objects that others may know it has made at each place.
    pub made: Vec<(u32, u32)>,
}

/// Whether a thread can go on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Status {
    Runs,
    /// It has ended with this result.
    Ended(u64),
    /// It does nothing any more.
    Stopped,
    /// The property fails here.
    Failed(Span, String),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Frame {
    pub function: FunctionId,
    pub block: u32,
    pub index: u32,
    pub locals: Vec<u64>,
    /// The local of the caller that takes the result.
    pub dst: Option<LocalId>,
    /// For a function of the library: where the library was called.
    pub place: Option<Span>,
    /// The locals that can be anything, in order: what they are has never mattered.
    pub open: Vec<LocalId>,
}

/// An object that was made, or one of the program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Object {
    /// Where it was made: a position in the table of places.
    pub site: u32,
    pub size: u64,
    /// The cells by offset.
    pub cells: Vec<Slot>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Slot {
    pub offset: u64,
    pub width: Width,
    /// What it holds; nothing if nobody has written it.
    pub value: Option<u64>,
}

/// Where objects are made.
#[derive(Debug, Clone)]
pub struct Site {
    pub name: String,
    /// Whether objects have the cells only that they had at first; else accesses make them.
    pub fixed: bool,
    pub zeroed: bool,
    /// Whether other threads may know the objects.
    pub escapes: bool,
}

/// Where an access goes.
pub enum Target {
    /// To this slot of the object.
    Slot(usize),
    /// To this slot, which does not exist yet.
    New(Slot),
    Nowhere,
    /// To a part of a slot, or to several.
    Mixed,
}

pub fn bytes(width: Width) -> u64 {
    u64::from(width.bits().div_ceil(8))
}

impl Object {
    pub fn target(&self, site: &Site, offset: u64, width: Width) -> Target {
        match self.cells.iter().position(|slot| slot.offset == offset) {
            Some(at) if self.cells[at].width == width => return Target::Slot(at),
            Some(_) => return Target::Mixed,
            None => {}
        }
        let end = offset + bytes(width);
        if site.fixed || end > self.size {
            return Target::Nowhere;
        }
        let apart = |slot: &Slot| slot.offset >= end || slot.offset + bytes(slot.width) <= offset;
        if !self.cells.iter().all(apart) {
            return Target::Mixed;
        }
        Target::New(Slot { offset, width, value: site.zeroed.then_some(0) })
    }

    /// Adds a slot and says where it is.
    pub fn insert(&mut self, slot: Slot) -> usize {
        let at = self.cells.partition_point(|other| other.offset < slot.offset);
        self.cells.insert(at, slot);
        at
    }
}

/// The numbers of objects that only one thread knows begin here; no other objects have such numbers.
pub const PRIVATE: u32 = 1 << 22;

/// The number of the private object that a word points into.
pub fn private(word: u64) -> Option<u32> {
    Address::from_bits(word).map(|address| address.object.0).filter(|&number| number >= PRIVATE)
}

impl Local {
    pub fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a thread that runs has a frame")
    }

    /// The value of a cell that only this thread uses.
    pub fn own(&self, cell: u32) -> Option<u64> {
        self.own.binary_search_by_key(&cell, |(own, _)| *own).ok().map(|at| self.own[at].1)
    }

    pub fn set_own(&mut self, cell: u32, value: u64, initial: Option<u64>) {
        match self.own.binary_search_by_key(&cell, |(own, _)| *own) {
            Ok(at) if initial == Some(value) => {
                self.own.remove(at);
            }
            Ok(at) => self.own[at].1 = value,
            Err(_) if initial == Some(value) => {}
            Err(at) => self.own.insert(at, (cell, value)),
        }
    }

    /// Forgets the private objects that the thread cannot reach, and numbers the others in the order in which it can.
    pub fn tidy(&mut self) {
        if self.heap.is_empty() {
            return;
        }
        let old = std::mem::take(&mut self.heap);
        let mut names = Names { old: &old, kept: Vec::new() };
        self.frames.iter_mut().flat_map(|frame| &mut frame.locals).for_each(|word| names.rename(word));
        self.own.iter_mut().for_each(|(_, value)| names.rename(value));
        if let Status::Ended(value) = &mut self.status {
            names.rename(value);
        }
        let mut next = 0;
        while let Some(&number) = names.kept.get(next) {
            let mut objects = old.iter().filter(|(own, _)| *own == number).map(|(_, object)| object.clone());
            if let Some(mut object) = objects.next() {
                object.cells.iter_mut().filter_map(|slot| slot.value.as_mut()).for_each(|word| names.rename(word));
                self.heap.push((PRIVATE + next as u32, object));
            }
            next += 1;
        }
    }
}

/// New numbers for private objects.
struct Names<'a> {
    old: &'a [(u32, Object)],
    /// The old numbers of the objects that can be reached, in the order of the new ones.
    kept: Vec<u32>,
}

impl Names<'_> {
    fn rename(&mut self, word: &mut u64) {
        let known = |number: &u32| self.old.iter().any(|(own, _)| own == number);
        let Some(number) = private(*word).filter(known) else { return };
        let at = self.kept.iter().position(|&kept| kept == number).unwrap_or_else(|| {
            self.kept.push(number);
            self.kept.len() - 1
        });
        let offset = Address::from_bits(*word).map_or(0, |address| address.offset);
        *word = Address { object: ObjectId(PRIVATE + at as u32), offset }.to_bits();
    }
}
