//! Objects, where they are made, and the cells that several threads may know.

use ir::life::{LIFE_WIDTH, is_life};
use ir::{Address, Expr, FunctionId, ObjectId, Op, Program, System, Width, eval, truncate};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault};

/// An instruction of the program: its function, its block, and its index there.
pub type At = (FunctionId, u32, u32);

/// An object that was made, or one of the program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Object {
    /// Where it was made: a position in the table of allocation sites.
    pub site: u32,
    /// How many bytes it has.
    pub size: u64,
    /// The cells by offset.
    pub cells: Vec<Slot>,
}

/// A cell of an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Slot {
    /// Where it begins.
    pub offset: u64,
    /// How wide it is.
    pub width: Width,
    /// What it holds; nothing if nobody has written it.
    pub value: Option<u64>,
}

/// An allocation site.
#[derive(Debug, Clone)]
pub struct Site {
    /// How its objects are called.
    pub name: String,
    /// Whether objects have the cells only that they had at first; else accesses make them.
    pub fixed: bool,
    /// Whether cells hold zero at first.
    pub zeroed: bool,
    /// What the addresses of its objects are multiples of.
    pub align: u64,
    /// What the life cells of its objects hold at first.
    pub life: u64,
    /// Whether other threads may know the objects.
    pub escapes: bool,
}

/// Where in an object an access goes.
#[derive(Debug)]
pub enum Target {
    /// To this slot of the object.
    Slot(usize),
    /// To this slot, which does not exist yet.
    New(Slot),
    /// To no location.
    Nowhere,
    /// To a part of a slot, or to several.
    Mixed,
}

fn bytes(width: Width) -> u64 {
    u64::from(width.bits().div_ceil(8))
}

impl Object {
    /// Where an access goes.
    pub fn target(&self, site: &Site, offset: u64, width: Width) -> Target {
        match self.cells.iter().position(|slot| slot.offset == offset) {
            Some(at) if self.cells[at].width == width => return Target::Slot(at),
            Some(_) => return Target::Mixed,
            None => {}
        }
        if is_life(offset) {
            return Target::New(Slot { offset, width: LIFE_WIDTH, value: Some(site.life) });
        }
        let end = offset + bytes(width);
        let apart = |slot: &Slot| slot.offset >= end || slot.offset + bytes(slot.width) <= offset;
        if !self.cells.iter().all(apart) {
            return Target::Mixed;
        }
        if site.fixed || end > self.size {
            return Target::Nowhere;
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

/// A cell that is not in a private object.
#[derive(Debug, Clone)]
pub struct Cell {
    /// Where it is.
    pub address: Address,
    /// How it is called in every search.
    pub name: CellName,
    /// How wide it is.
    pub width: Width,
    /// What it holds when other threads come to be.
    pub initial: Option<u64>,
}

/// A cell, whatever number its object has: of an object that exists when other threads come to be, or of one that was made
/// later, by its allocation site, its thread and how many that had made there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum CellName {
    Global(Address),
    Made { site: u32, thread: usize, count: u32, offset: u64 },
}

/// An object that was made while there may be other threads, and that they may know.
#[derive(Debug, Clone)]
pub struct Made {
    /// It.
    pub object: Object,
    /// Who made it.
    pub thread: usize,
    /// How many objects that thread had made there before.
    pub count: u32,
}

/// All memory but the threads' private objects: what there is, not what it holds.
#[derive(Debug)]
pub struct Memory<'p> {
    /// The program.
    pub program: &'p Program,
    /// The allocation sites. The first one stands for the objects of the program.
    pub sites: Vec<Site>,
    site_of: FxHashMap<At, u32>,
    /// Whether there is only the first thread: objects hold what it has written then.
    pub alone: bool,
    /// The objects that exist when other threads come to be.
    pub objects: Vec<Object>,
    /// The objects that were made later and that others may know, by their numbers.
    pub made: BTreeMap<u32, Made>,
    /// The cells of all of these that somebody has used.
    pub cells: Vec<Cell>,
    numbers: FxHashMap<Address, u32>,
    /// A number for what objects hold, as far as the first thread has written it while it was alone.
    written: u64,
}

impl<'p> Memory<'p> {
    /// The first thread writes while it is alone.
    pub(crate) fn write_alone(&mut self, object: usize, slot: usize, bits: u64) {
        let cell = &mut self.objects[object].cells[slot];
        let number =
            |value: Option<u64>| BuildHasherDefault::<FxHasher>::default().hash_one((object, cell.offset, value));
        self.written ^= number(cell.value) ^ number(Some(bits));
        cell.value = Some(bits);
    }

    /// A number for the part of the first thread's state that is kept here while it is alone: where it differs, states differ.
    pub fn fingerprint(&self) -> u64 {
        if self.alone { self.written.wrapping_add(self.objects.len() as u64) } else { 0 }
    }

    /// The objects of the program, before its first thread begins. Objects of these allocation sites may be known to several threads.
    pub fn new(program: &'p Program, escapes: &FxHashSet<At>) -> Self {
        let mut memory = Memory {
            program,
            sites: vec![Site { name: String::new(), fixed: true, zeroed: false, align: 1, life: 0, escapes: true }],
            site_of: FxHashMap::default(),
            alone: false,
            objects: Vec::new(),
            made: BTreeMap::new(),
            cells: Vec::new(),
            numbers: FxHashMap::default(),
            written: 0,
        };
        for (function, body) in program.functions.iter().enumerate() {
            for (block, instrs) in body.blocks.iter().enumerate() {
                for (index, instr) in instrs.instrs.iter().enumerate() {
                    let Op::System(System::Alloc { name, cells, zeroed, align, storage, .. }) = &instr.op else {
                        continue;
                    };
                    let at = (FunctionId(function as u32), block as u32, index as u32);
                    memory.site_of.insert(at, memory.sites.len() as u32);
                    let (fixed, escapes) = (cells.is_some(), escapes.contains(&at));
                    let (name, life) = (name.clone(), storage.life());
                    memory.sites.push(Site { name, fixed, zeroed: *zeroed, align: *align, life, escapes });
                }
            }
        }
        memory
    }

    /// From here on the first thread runs alone, on the objects of the program as they are at first.
    pub fn begin(&mut self) {
        let nowhere = ir::Function { name: String::new(), params: 0, library: false, locals: vec![], blocks: vec![] };
        let slot = |cell: &ir::Cell| {
            let value = truncate(eval(&cell.initial, &nowhere, &[]).0, cell.width);
            Slot { offset: cell.offset, width: cell.width, value: Some(value) }
        };
        let cells = |object: &ir::Object| object.cells.iter().map(slot).collect();
        self.objects =
            self.program.objects.iter().map(|object| Object { site: 0, size: 0, cells: cells(object) }).collect();
        self.alone = true;
    }

    /// The allocation site of an instruction.
    pub fn site(&self, at: At) -> u32 {
        self.site_of[&at]
    }

    /// The instruction of an allocation site.
    pub fn instruction(&self, site: u32) -> Option<At> {
        self.site_of.iter().find(|(_, own)| **own == site).map(|(at, _)| *at)
    }

    /// The cell at an address, which becomes known.
    pub fn cell(&mut self, address: Address, slot: &Slot) -> u32 {
        if let Some(&known) = self.numbers.get(&address) {
            return known;
        }
        let number = self.cells.len() as u32;
        let name = match self.made.get(&address.object.0) {
            Some(Made { object, thread, count }) => {
                CellName::Made { site: object.site, thread: *thread, count: *count, offset: address.offset }
            }
            None => CellName::Global(address),
        };
        self.cells.push(Cell { address, name, width: slot.width, initial: slot.value });
        self.numbers.insert(address, number);
        number
    }

    /// Whether nobody says that a machine accesses this cell at once: it is not certainly aligned.
    pub fn is_torn(&self, cell: u32) -> bool {
        let Cell { address, width, .. } = &self.cells[cell as usize];
        let size = u64::from(width.bits()).div_ceil(8);
        let declared = self.program.objects.get(address.object.index());
        let site = || self.object(address.object).map_or(1, |object| self.sites[object.site as usize].align);
        let align = declared.map_or_else(site, |object| object.align);
        let shared = declared.is_some_and(|object| object.shared);
        let aligned = address.offset.is_multiple_of(size) && align.is_multiple_of(size);
        !shared && !aligned
    }

    /// The object of this number, unless it is private.
    pub fn object(&self, number: ObjectId) -> Option<&Object> {
        self.objects.get(number.index()).or_else(|| self.made.get(&number.0).map(|made| &made.object))
    }

    /// The same, to change it.
    pub fn object_mut(&mut self, number: ObjectId) -> Option<&mut Object> {
        match self.objects.get_mut(number.index()) {
            Some(object) => Some(object),
            None => self.made.get_mut(&number.0).map(|made| &mut made.object),
        }
    }

    /// Objects that were made, as a record of an execution declares them: those that the first thread made alone, and these.
    pub fn declared(&self, later: &[Object]) -> Vec<ir::Object> {
        let cell =
            |slot: &Slot| ir::Cell { offset: slot.offset, width: slot.width, initial: Expr::Const(0, slot.width) };
        let object = |object: &Object| ir::Object {
            name: self.sites[object.site as usize].name.clone(),
            cells: object.cells.iter().map(cell).collect(),
            shared: false,
            align: self.sites[object.site as usize].align,
        };
        self.objects.iter().skip(self.program.objects.len()).chain(later).map(object).collect()
    }
}
