//! What all threads have in common and what does not change: the program, what there is in memory, and who uses which cell.

use engine::Property;
use engine::Record;
use ir::liveness::Liveness;
use ir::{Op, Program, TagSet, Usage};
use model::{Buffers, Head};
use rustc_hash::{FxHashMap, FxHashSet};
use stepper::{At, CellName, Halt, Memory, Object};

/// The number that all replicas have.
pub const REPLICA: usize = 1 << 20;

/// The handle that all replicas have. It fits into 32 bits and is the address of nothing.
pub const HANDLE: u64 = 0x7EAD_0001;

/// What is learnt about a program while it is searched and holds for the next search.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    pub classes: FxHashMap<CellName, Usage>,
    /// Places where objects are made that other threads may know.
    pub escapes: FxHashSet<At>,
    /// How many threads there are that have a number of their own.
    pub threads: usize,
    /// Places that start replicas: any number of threads of one template, without numbers.
    pub replicated: FxHashSet<At>,
    /// How many threads one place may start before they are taken for replicas.
    pub few: usize,
    /// Whether all threads have to have numbers.
    pub apart: bool,
    /// If there are replicas: the cells that somebody reads.
    pub read: FxHashSet<CellName>,
}

/// The program and what is known about its memory.
pub struct World<'p> {
    pub memory: Memory<'p>,
    pub property: Property,
    pub buffers: Buffers,
    drain: TagSet,
    order: TagSet,
    wait: TagSet,
    /// Whether a store right before a fence reaches memory at once.
    pub direct: bool,
    pub knowledge: Knowledge,
    pub liveness: Liveness<'p>,
    /// Cells whose writes were left out, since nobody reads them.
    left_out: FxHashSet<CellName>,
    /// When a path is shown: what happens on it.
    pub record: Option<Record>,
    /// When a path is shown: the objects made so far, in order.
    pub shown: Vec<Object>,
}

impl<'p> World<'p> {
    pub fn new(program: &'p Program, head: &Head, buffers: Buffers, property: Property, knowledge: Knowledge) -> Self {
        let named = |names: &[String]| program.tags_named(names);
        World {
            memory: Memory::new(program, &knowledge.escapes),
            property,
            buffers,
            drain: named(&head.drain),
            order: named(&head.order_writes),
            wait: named(&head.wait),
            direct: false,
            knowledge,
            liveness: Liveness::new(program),
            left_out: FxHashSet::default(),
            record: None,
            shown: Vec::new(),
        }
    }

    /// Others may know what is made there.
    pub fn escape(&mut self, site: u32) -> Halt {
        self.knowledge.escapes.extend(self.memory.instruction(site));
        Halt::Again
    }

    pub fn drains(&self, tags: &TagSet) -> bool {
        self.buffers == Buffers::None || tags.iter().any(|tag| self.drain.contains(tag))
    }

    /// Whether the instruction after this one empties the buffer. A store may as well reach memory at once then: the thread
    /// does nothing between the two that others could notice, so a store that lands later is one that is made later.
    pub fn drains_after(&self, (function, block, index): At) -> bool {
        let next =
            self.memory.program.functions[function.index()].blocks[block as usize].instrs.get(index as usize + 1);
        self.direct && next.is_some_and(|next| matches!(&next.op, Op::Fence { tags } if self.drains(tags)))
    }

    pub fn orders(&self, tags: &TagSet) -> bool {
        tags.iter().any(|tag| self.order.contains(tag))
    }

    pub fn waits(&self, tags: &TagSet) -> bool {
        tags.iter().any(|tag| self.wait.contains(tag))
    }

    pub fn class(&self, cell: u32) -> Usage {
        match self.memory.cells[cell as usize].name {
            CellName::Made { .. } => Usage::Shared,
            name @ CellName::Global(_) => self.knowledge.classes.get(&name).copied().unwrap_or(Usage::Constant(0)),
        }
    }

    /// A thread uses a cell: who uses it now? If that is not what was thought, the search begins anew.
    pub fn classify(&mut self, cell: u32, thread: usize, writes: bool) -> Result<Usage, Halt> {
        let class = self.class(cell);
        let now = match class.with(thread, writes) {
            // One replica is never the only one.
            Usage::Private(REPLICA) => Usage::Shared,
            now @ (Usage::Constant(_) | Usage::Private(_) | Usage::Shared) => now,
        };
        if now != class {
            self.knowledge.classes.insert(self.memory.cells[cell as usize].name, now);
            if !matches!(now, Usage::Constant(_)) {
                return Err(Halt::Again);
            }
        }
        Ok(now)
    }

    /// A cell counts as shared from here on, even if only one thread uses it.
    pub fn share(&mut self, cell: u32) -> Halt {
        self.knowledge.classes.insert(self.memory.cells[cell as usize].name, Usage::Shared);
        Halt::Again
    }

    /// Whether there are threads without numbers.
    pub fn has_replicas(&self) -> bool {
        !self.knowledge.replicated.is_empty()
    }

    /// A thread reads a cell. If writes to it were left out, the search begins anew.
    pub fn note_read(&mut self, cell: u32) -> Result<(), Halt> {
        if !self.has_replicas() {
            return Ok(());
        }
        let name = self.memory.cells[cell as usize].name;
        self.knowledge.read.insert(name);
        if self.left_out.contains(&name) { Err(Halt::Again) } else { Ok(()) }
    }

    /// Whether a write to a cell can be left out, since nobody reads it.
    pub fn leaves_out(&mut self, cell: u32) -> bool {
        let name = self.memory.cells[cell as usize].name;
        let unread = !self.knowledge.read.contains(&name);
        if unread {
            self.left_out.insert(name);
        }
        unread
    }
}
