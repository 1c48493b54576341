//! Memory: which objects and cells there are, what they hold when others may come to be, and who uses them.

use super::eval::number;
use super::{Invariant, Keep};
use crate::execution::Property;
use crate::relations::no_locals;
use ir::life::{LIFE_WIDTH, Storage, is_life};
use ir::{Address, ObjectId, Program, TagSet, Width, eval, truncate};
use model::{Buffers, Head};
use std::collections::{BTreeMap, BTreeSet};

/// A location.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub width: Width,
    /// What it holds when others may come to be, if somebody has written it.
    pub value: Option<i64>,
}

struct Object {
    /// How many bytes it has, if accesses make its cells.
    grows: Option<u64>,
    zeroed: bool,
    cells: BTreeMap<u64, Cell>,
    /// What its life cell holds at first.
    life: u64,
}

/// How a cell is used while there are threads.
pub(super) enum Use {
    /// Several threads use it.
    Shared,
    /// It is the thread's own.
    Own,
    /// Nobody writes it.
    Constant,
    /// The certificate says that it belongs to another thread.
    Foreign,
}

/// What does not change while there are threads.
pub(super) struct World<'a> {
    pub program: &'a Program,
    pub property: Property,
    pub buffers: Buffers,
    pub keep: Keep,
    pub k: usize,
    /// Tags of what waits for an empty buffer, and of fences that order writes.
    drain: TagSet,
    order: TagSet,
    objects: Vec<Object>,
    pub shared: &'a BTreeSet<Address>,
    settled: &'a BTreeSet<Address>,
    private: &'a BTreeMap<Address, usize>,
    pub variables: &'a BTreeSet<(ir::FunctionId, ir::LocalId)>,
    pub counted: &'a BTreeSet<Address>,
    /// Whether the first thread is still alone, and what it does depends on no choice.
    pub alone: bool,
    /// Whether it has come to something that does.
    pub stuck: bool,
}

fn bytes(width: Width) -> u64 {
    u64::from(width.bits().div_ceil(8))
}

const MIXED: &str = "a part of a location is accessed, or several locations at once";

impl<'a> World<'a> {
    pub fn new(program: &'a Program, head: &Head, invariant: &'a Invariant, property: Property) -> Self {
        let object = |object: &ir::Object| {
            let cell = |cell: &ir::Cell| {
                let value = truncate(eval(&cell.initial, &no_locals(), &[]).0, cell.width);
                (cell.offset, Cell { width: cell.width, value: Some(number(value, cell.width)) })
            };
            Object { grows: None, zeroed: false, cells: object.cells.iter().map(cell).collect(), life: 0 }
        };
        World {
            program,
            property,
            buffers: invariant.buffers,
            keep: invariant.keep,
            k: invariant.k,
            drain: program.tags_named(&head.drain),
            order: program.tags_named(&head.order_writes),
            objects: program.objects.iter().map(object).collect(),
            shared: &invariant.shared,
            settled: &invariant.settled,
            private: &invariant.private,
            variables: &invariant.variables,
            counted: &invariant.counted,
            alone: true,
            stuck: false,
        }
    }

    pub fn drains(&self, tags: &TagSet) -> bool {
        self.buffers == Buffers::None || tags.iter().any(|tag| self.drain.contains(tag))
    }

    pub fn orders(&self, tags: &TagSet) -> bool {
        tags.iter().any(|tag| self.order.contains(tag))
    }

    /// A new object; its address.
    pub fn make(&mut self, size: u64, cells: Option<&[ir::Cell]>, zeroed: bool, storage: Storage) -> Address {
        let value = zeroed.then_some(0);
        let cell = |cell: &ir::Cell| (cell.offset, Cell { width: cell.width, value });
        let grows = cells.is_none().then_some(size);
        let cells = cells.iter().copied().flatten().map(cell).collect();
        self.objects.push(Object { grows, zeroed, cells, life: storage.life() });
        Address { object: ObjectId((self.objects.len() - 1) as u32), offset: 0 }
    }

    /// What an access of this width to this address finds: whether there is a location.
    pub fn exists(&mut self, address: Address, width: Width) -> Result<bool, &'static str> {
        let alone = self.alone;
        let Some(object) = self.objects.get_mut(address.object.index()) else { return Ok(false) };
        if let Some(cell) = object.cells.get(&address.offset) {
            return if cell.width == width { Ok(true) } else { Err(MIXED) };
        }
        if is_life(address.offset) {
            let life = number(object.life, LIFE_WIDTH);
            object.cells.insert(address.offset, Cell { width: LIFE_WIDTH, value: Some(life) });
            return if width == LIFE_WIDTH { Ok(true) } else { Err(MIXED) };
        }
        let end = address.offset + bytes(width);
        if object.grows.is_none_or(|size| end > size) {
            return Ok(false);
        }
        let overlaps = |(offset, cell): (&u64, &Cell)| *offset < end && address.offset < *offset + bytes(cell.width);
        if object.cells.iter().any(overlaps) {
            return Err(MIXED);
        }
        if !alone {
            return Err("memory without a type is used that was not used before");
        }
        object.cells.insert(address.offset, Cell { width, value: object.zeroed.then_some(0) });
        Ok(true)
    }

    /// The offsets of all cells of an object that has a type, if each is of this width.
    pub fn row(&self, object: ObjectId, width: Width) -> Option<Vec<u64>> {
        let object = self.objects.get(object.index()).filter(|object| object.grows.is_none())?;
        let cells = || object.cells.iter().filter(|(offset, _)| !is_life(**offset));
        let fits = cells().all(|(_, cell)| cell.width == width);
        fits.then(|| cells().map(|(offset, _)| *offset).collect())
    }

    pub fn cell(&self, address: Address) -> Option<Cell> {
        self.objects.get(address.object.index())?.cells.get(&address.offset).copied()
    }

    /// The first thread writes while it is alone.
    pub fn write(&mut self, address: Address, value: i64) {
        let object = self.objects.get_mut(address.object.index());
        if let Some(cell) = object.and_then(|object| object.cells.get_mut(&address.offset)) {
            cell.value = Some(value);
        }
    }

    pub fn usage(&self, address: Address, thread: usize) -> Use {
        if self.shared.contains(&address) {
            return Use::Shared;
        }
        match self.private.get(&address) {
            Some(owner) if *owner == thread => Use::Own,
            Some(_) => Use::Foreign,
            None => Use::Constant,
        }
    }

    /// Whether nobody may write this cell once there may be several threads.
    pub fn is_settled(&self, address: Address) -> bool {
        self.settled.contains(&address)
    }

    /// The own cells of a thread.
    pub fn own(&self, thread: usize) -> impl Iterator<Item = Address> + '_ {
        let own = self.private.iter().filter(move |(cell, owner)| **owner == thread && !self.shared.contains(cell));
        own.map(|(cell, _)| *cell)
    }
}
