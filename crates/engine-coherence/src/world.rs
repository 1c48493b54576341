//! What all threads have in common and what does not change: the program, the places where objects are made, and who
//! uses which cell.

use crate::local::{Object, Site, Slot};
use engine::Property;
use ir::liveness::Liveness;
use ir::{Address, FunctionId, ObjectId, Op, Program, System, TagSet, Usage, eval, truncate};
use model::{Buffers, Head};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use witness::Record;

/// Why the search does not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halt {
    /// What was taken for one thread's own is shared, or there are more threads: begin anew.
    Again,
    /// The engine cannot do this.
    Limit(String),
}

/// The number that all threads of crowds have.
pub const CROWD: usize = 1 << 20;

/// The handle that all threads of crowds have. It fits into 32 bits and is the address of nothing.
pub const HANDLE: u64 = 0x7EAD_0001;

/// A place in the program: a function, a block, and an instruction there.
pub type At = (FunctionId, u32, u32);

/// A cell that is not in a private object.
#[derive(Debug, Clone)]
pub struct Cell {
    pub address: Address,
    pub name: CellName,
    /// What it holds when other threads come to be.
    pub initial: Option<u64>,
}

/// A cell, whatever number its object has: an object that exists when other threads come to be, or one that was made
/// later, by its place, its thread and how many it had made there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CellName {
    Global(Address),
    Made { site: u32, thread: usize, count: u32, offset: u64 },
}

/// What is learnt about a program while it is searched and holds for the next search.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    pub classes: FxHashMap<CellName, Usage>,
    /// Places where objects are made that other threads may know.
    pub escapes: FxHashSet<At>,
    /// How many threads there are that have a number of their own.
    pub threads: usize,
    /// Places that start crowds: any number of threads without numbers.
    pub crowds: FxHashSet<At>,
    /// How many threads one place may start before they are taken for a crowd.
    pub few: usize,
    /// Whether all threads have to have numbers.
    pub apart: bool,
    /// If there are crowds: the cells that somebody reads.
    pub read: FxHashSet<CellName>,
}

/// The program and what is known about its memory.
pub struct World<'p> {
    pub program: &'p Program,
    pub property: Property,
    pub buffers: Buffers,
    drain: TagSet,
    order: TagSet,
    wait: TagSet,
    /// Whether a store right before a fence reaches memory at once.
    pub direct: bool,
    pub knowledge: Knowledge,
    pub liveness: Liveness<'p>,
    pub sites: Vec<Site>,
    site_of: FxHashMap<At, u32>,
    /// The objects that exist when other threads come to be.
    pub globals: Vec<Object>,
    /// The objects that were made later and that others may know.
    pub made: BTreeMap<u32, (Object, usize, u32)>,
    pub cells: Vec<Cell>,
    numbers: FxHashMap<Address, u32>,
    /// Cells whose writes were left out, since nobody reads them.
    left_out: FxHashSet<CellName>,
    /// When a path is shown: what happens on it.
    pub record: Option<Record>,
    /// When a path is shown: the objects made so far, in order.
    pub shown: Vec<Object>,
}

/// How many objects may be made at one place by one thread, if others may know them.
pub const OBJECTS: u32 = 64;

impl<'p> World<'p> {
    pub fn new(program: &'p Program, head: &Head, buffers: Buffers, property: Property, knowledge: Knowledge) -> Self {
        let named = |names: &[String]| program.tags_named(names);
        let mut world = World {
            program,
            property,
            buffers,
            drain: named(&head.drain),
            order: named(&head.order_writes),
            wait: named(&head.wait),
            direct: false,
            knowledge,
            liveness: Liveness::new(program),
            sites: Vec::new(),
            site_of: FxHashMap::default(),
            globals: Vec::new(),
            made: BTreeMap::new(),
            cells: Vec::new(),
            numbers: FxHashMap::default(),
            left_out: FxHashSet::default(),
            record: None,
            shown: Vec::new(),
        };
        world.find_sites();
        world
    }

    /// The objects of the program, as they are at first.
    pub fn objects(&self) -> Vec<Object> {
        let nowhere = ir::Function { name: String::new(), params: 0, library: false, locals: vec![], blocks: vec![] };
        let slot = |cell: &ir::Cell| Slot {
            offset: cell.offset,
            width: cell.width,
            value: Some(truncate(eval(&cell.initial, &nowhere, &[]).0, cell.width)),
        };
        let cells = |object: &ir::Object| object.cells.iter().map(slot).collect();
        self.program.objects.iter().map(|object| Object { site: 0, size: 0, cells: cells(object) }).collect()
    }

    fn find_sites(&mut self) {
        // The objects of the program have a place too.
        self.sites.push(Site { name: String::new(), fixed: true, zeroed: false, escapes: true });
        for (function, body) in self.program.functions.iter().enumerate() {
            for (block, instrs) in body.blocks.iter().enumerate() {
                for (index, instr) in instrs.instrs.iter().enumerate() {
                    let Op::System(System::Alloc { name, cells, zeroed, .. }) = &instr.op else { continue };
                    let place = (FunctionId(function as u32), block as u32, index as u32);
                    self.site_of.insert(place, self.sites.len() as u32);
                    let escapes = self.knowledge.escapes.contains(&place);
                    let site = Site { name: name.clone(), fixed: cells.is_some(), zeroed: *zeroed, escapes };
                    self.sites.push(site);
                }
            }
        }
    }

    pub fn site(&self, function: FunctionId, block: u32, index: u32) -> u32 {
        self.site_of[&(function, block, index)]
    }

    /// Others may know what is made there.
    pub fn escape(&mut self, site: u32) -> Halt {
        let place = self.site_of.iter().find(|(_, own)| **own == site).map(|(place, _)| *place);
        self.knowledge.escapes.extend(place);
        Halt::Again
    }

    pub fn drains(&self, tags: &TagSet) -> bool {
        self.buffers == Buffers::None || tags.iter().any(|tag| self.drain.contains(tag))
    }

    /// Whether the instruction after this one empties the buffer. A store may as well reach memory at once then: the thread
    /// does nothing between the two that others could notice, so a store that lands later is one that is made later.
    pub fn drains_after(&self, function: FunctionId, block: u32, index: u32) -> bool {
        let next = self.program.functions[function.index()].blocks[block as usize].instrs.get(index as usize + 1);
        self.direct && next.is_some_and(|next| matches!(&next.op, Op::Fence { tags } if self.drains(tags)))
    }

    pub fn orders(&self, tags: &TagSet) -> bool {
        tags.iter().any(|tag| self.order.contains(tag))
    }

    pub fn waits(&self, tags: &TagSet) -> bool {
        tags.iter().any(|tag| self.wait.contains(tag))
    }

    /// The cell of an object that is not private, if it is known already.
    pub fn known(&self, address: Address) -> Option<u32> {
        self.numbers.get(&address).copied()
    }

    /// A cell of an object that is not private, which becomes known.
    pub fn cell(&mut self, address: Address, slot: &Slot) -> u32 {
        if let Some(known) = self.known(address) {
            return known;
        }
        let number = self.cells.len() as u32;
        let offset = address.offset;
        let name = match self.made.get(&address.object.0) {
            Some((object, thread, count)) => {
                CellName::Made { site: object.site, thread: *thread, count: *count, offset }
            }
            None => CellName::Global(address),
        };
        self.cells.push(Cell { address, name, initial: slot.value });
        self.numbers.insert(address, number);
        number
    }

    pub fn class(&self, cell: u32) -> Usage {
        match self.cells[cell as usize].name {
            CellName::Made { .. } => Usage::Shared,
            name @ CellName::Global(_) => self.knowledge.classes.get(&name).copied().unwrap_or(Usage::Constant(0)),
        }
    }

    /// A thread uses a cell: who uses it now? If that is not what was thought, the search begins anew.
    pub fn touch(&mut self, cell: u32, thread: usize, writes: bool) -> Result<Usage, Halt> {
        let class = self.class(cell);
        let now = match class.with(thread, writes) {
            // One thread of a crowd is never the only one.
            Usage::Private(CROWD) => Usage::Shared,
            now @ (Usage::Constant(_) | Usage::Private(_) | Usage::Shared) => now,
        };
        if now != class {
            self.knowledge.classes.insert(self.cells[cell as usize].name, now);
            if !matches!(now, Usage::Constant(_)) {
                return Err(Halt::Again);
            }
        }
        Ok(now)
    }

    /// Whether there are threads without numbers.
    pub fn has_crowds(&self) -> bool {
        !self.knowledge.crowds.is_empty()
    }

    /// A thread reads a cell. If writes to it were left out, the search begins anew.
    pub fn note_read(&mut self, cell: u32) -> Result<(), Halt> {
        if !self.has_crowds() {
            return Ok(());
        }
        let name = self.cells[cell as usize].name;
        self.knowledge.read.insert(name);
        if self.left_out.contains(&name) { Err(Halt::Again) } else { Ok(()) }
    }

    /// Whether a write to a cell can be left out, since nobody reads it.
    pub fn leaves_out(&mut self, cell: u32) -> bool {
        let name = self.cells[cell as usize].name;
        let unread = !self.knowledge.read.contains(&name);
        if unread {
            self.left_out.insert(name);
        }
        unread
    }

    /// The object of this number that others may know.
    pub fn object(&self, number: u32) -> Option<&Object> {
        match self.globals.get(number as usize) {
            Some(object) => Some(object),
            None => self.made.get(&number).map(|(object, ..)| object),
        }
    }

    /// A new cell of an object.
    pub fn grow(&mut self, object: ObjectId, slot: Slot) {
        let own = match self.globals.get_mut(object.index()) {
            Some(object) => Some(object),
            None => self.made.get_mut(&object.0).map(|(object, ..)| object),
        };
        if let Some(own) = own {
            own.insert(slot);
        }
    }
}
