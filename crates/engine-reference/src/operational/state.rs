//! The states of the machine.

use ir::{Address, Cell, Expr, LocalId, Location, Program, Width, eval, truncate};
use source::Span;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// A state: the threads by number, and the objects by number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub threads: Vec<Thread>,
    pub objects: Vec<Rc<Object>>,
    /// Whether other threads may exist.
    pub published: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Thread {
    pub body: ir::FunctionId,
    /// The functions that are being executed, the innermost last.
    pub frames: Vec<Frame>,
    pub status: Status,
    /// The writes that have not reached memory, oldest first.
    pub buffer: Vec<Entry>,
    /// How many fences that order writes the thread has passed since its buffer was last empty.
    pub epoch: u32,
    /// How many atomic sections are open.
    pub open: u32,
    /// Where it entered the critical section that it is inside.
    pub inside: Option<Span>,
    /// The reservation of its last load with reservation, unless another thread's write has broken it.
    pub reservation: Option<Reservation>,
    /// The last values of its outermost function's locals, if it has ended and final states are asked for.
    pub finals: Vec<u64>,
}

/// What a read that begins an atomic pair read: a location, and the thread's own write if that has not reached memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Reservation {
    pub address: Address,
    pub own: Option<u32>,
}

/// Whether a thread can go on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Status {
    Runs,
    /// It has ended with this result.
    Ended(u64),
    /// A waiting condition, computed from these reads, does not hold.
    Waits(Span, Taint),
    /// It is on a path that nobody asks about, or that is too long.
    Stopped,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Frame {
    pub function: ir::FunctionId,
    pub block: u32,
    pub index: u32,
    pub locals: Vec<u64>,
    /// What the locals were computed from.
    pub taints: Vec<Taint>,
    /// The local of the caller that takes the result.
    pub dst: Option<LocalId>,
    /// For a function of the library: where the library was called.
    pub place: Option<Span>,
    /// How often the jumps back to these blocks were taken since the loop was entered.
    pub loops: Vec<(u32, u32)>,
    /// The locals that can be anything, in order: what they are has never mattered.
    pub open: Vec<LocalId>,
}

/// A buffered write.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    pub address: Address,
    pub value: u64,
    /// Different from that of all other writes in the buffer.
    pub id: u32,
    pub epoch: u32,
    /// Whether later reads of the thread wait for this one.
    pub awaited: bool,
    /// For the write of an atomic pair: what the read of the pair read. Between that and this write no write of another
    /// thread may reach the location.
    pub link: Option<Reservation>,
}

/// The reads that a value was computed from, as far as it matters for deadlocks: where they read, and the write that they
/// read if it is still in a buffer (the thread and its number). Once one of these locations changes, it is only known that the value is stale.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Taint {
    pub stale: bool,
    pub reads: Vec<(Address, Option<Pending>)>,
}

/// A write in a buffer: the thread, and [`Entry::id`].
pub(super) type Pending = (usize, u32);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Object {
    pub name: String,
    pub size: u64,
    /// Whether it has these cells only; else accesses make them.
    pub fixed: bool,
    pub zeroed: bool,
    /// What its address is a multiple of.
    pub align: u64,
    /// The cells by offset.
    pub cells: Vec<Slot>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Slot {
    pub offset: u64,
    pub width: Width,
    /// What it holds; nothing if that has never mattered.
    pub value: Option<u64>,
}

/// Where an access goes.
pub(super) enum Target {
    Cell(Address),
    Nowhere,
    /// The machine does not know what this means.
    Mixed,
}

pub(super) fn bytes(width: Width) -> u64 {
    u64::from(width.bits().div_ceil(8))
}

impl Taint {
    pub fn join(&mut self, other: &Taint) {
        self.stale |= other.stale;
        self.reads.extend(&other.reads);
        self.reads.sort();
        self.reads.dedup();
        if self.stale {
            self.reads.clear();
        }
    }

    /// What was read stays as it is.
    pub fn settle(&mut self) {
        *self = Taint::default();
    }

    /// A write to a location reaches memory, from a buffer if it was in one.
    fn land(&mut self, address: Address, from: Option<Pending>) {
        for (read, source) in &mut self.reads {
            if *read == address {
                match *source {
                    None => self.stale = true,
                    Some(_) if *source == from => *source = None,
                    Some(_) => {}
                }
            }
        }
        if self.stale {
            self.reads.clear();
        }
    }
}

impl Slot {
    fn new(cell: &Cell, value: Option<u64>) -> Self {
        Slot { offset: cell.offset, width: cell.width, value }
    }
}

impl Object {
    /// An object that is made while the program runs.
    pub fn made(name: &str, size: u64, cells: Option<&[Cell]>, zeroed: bool, align: u64) -> Self {
        let value = zeroed.then_some(0);
        let slots = cells.iter().flat_map(|cells| cells.iter()).map(|cell| Slot::new(cell, value)).collect();
        Object { name: name.to_owned(), size, fixed: cells.is_some(), zeroed, align, cells: slots }
    }
}

impl Object {
    /// Its cells, for the record.
    pub fn shown(&self) -> ir::Object {
        let cell = |slot: &Slot| Cell { offset: slot.offset, width: slot.width, initial: Expr::Const(0, slot.width) };
        ir::Object {
            name: self.name.clone(),
            cells: self.cells.iter().map(cell).collect(),
            shared: false,
            align: self.align,
        }
    }
}

impl State {
    /// The objects of the program, and no thread.
    pub fn new(program: &Program) -> Self {
        let nowhere = crate::layout::nowhere();
        let slot = |cell: &Cell| Slot::new(cell, Some(truncate(eval(&cell.initial, &nowhere, &[]).0, cell.width)));
        let object = |object: &ir::Object| Object {
            name: object.name.clone(),
            size: 0,
            fixed: true,
            zeroed: false,
            align: object.align,
            cells: object.cells.iter().map(slot).collect(),
        };
        let objects = program.objects.iter().map(|o| Rc::new(object(o))).collect();
        State { threads: Vec::new(), objects, published: !program.begins_alone() }
    }

    /// The cell that an access of this width to this word touches. Makes the cell if the object lets accesses do so.
    pub fn target(&mut self, word: u64, width: Width) -> Target {
        let Some(address) = Address::from_bits(word) else { return Target::Nowhere };
        let Some(object) = self.objects.get_mut(address.object.index()) else { return Target::Nowhere };
        match object.cells.iter().find(|slot| slot.offset == address.offset) {
            Some(slot) if slot.width == width => return Target::Cell(address),
            Some(_) => return Target::Mixed,
            None => {}
        }
        let end = address.offset + bytes(width);
        let apart = |slot: &Slot| slot.offset >= end || slot.offset + bytes(slot.width) <= address.offset;
        if !object.cells.iter().all(apart) {
            return Target::Mixed;
        }
        if object.fixed || end > object.size {
            return Target::Nowhere;
        }
        let at = object.cells.partition_point(|slot| slot.offset < address.offset);
        let value = object.zeroed.then_some(0);
        let slot = Slot { offset: address.offset, width, value };
        Rc::make_mut(object).cells.insert(at, slot);
        Target::Cell(address)
    }

    pub fn slot(&self, address: Address) -> &Slot {
        let slots = &self.objects[address.object.index()].cells;
        slots.iter().find(|slot| slot.offset == address.offset).expect("accesses are to cells that exist")
    }

    pub fn slot_mut(&mut self, address: Address) -> &mut Slot {
        let slots = &mut Rc::make_mut(&mut self.objects[address.object.index()]).cells;
        slots.iter_mut().find(|slot| slot.offset == address.offset).expect("accesses are to cells that exist")
    }

    /// A write of a thread reaches memory: from the buffer, where it has this number, or at once. Says whether that is
    /// possible.
    ///
    /// It breaks the reservations of other threads that read this location from memory. If it comes between the read and
    /// the buffered write of an atomic pair of another thread, that write can never reach memory.
    pub fn land(&mut self, at: usize, address: Address, value: u64, number: Option<u32>) -> bool {
        self.slot_mut(address).value = Some(value);
        let from = number.map(|number| (at, number));
        for (other, thread) in self.threads.iter_mut().enumerate() {
            let mut links = thread.buffer.iter_mut().filter_map(|entry| entry.link.as_mut());
            if other == at {
                let read_it = |link: &&mut Reservation| link.own.is_some() && link.own == number;
                links.chain(&mut thread.reservation).filter(read_it).for_each(|link| link.own = None);
            } else {
                let broken = |link: &Reservation| link.address == address && link.own.is_none();
                if links.any(|link| broken(link)) {
                    return false;
                }
                thread.reservation = thread.reservation.filter(|link| !broken(link));
            }
            let locals = thread.frames.iter_mut().flat_map(|frame| &mut frame.taints);
            locals.for_each(|taint| taint.land(address, from));
            if let Status::Waits(_, taint) = &mut thread.status {
                taint.land(address, from);
            }
        }
        true
    }

    /// Whether all threads have ended and all writes have reached memory.
    pub fn is_final(&self) -> bool {
        let ended = |thread: &Thread| matches!(thread.status, Status::Ended(_)) && thread.buffer.is_empty();
        self.threads.iter().all(ended)
    }

    /// The value of a location in a final state.
    pub fn last(&self, location: Location) -> u64 {
        match location {
            Location::Local(thread, local) => self.threads[thread.index()].finals[local.index()],
            Location::Memory(address) => self.slot(address).value.unwrap_or(0),
        }
    }

    /// A number that stands for the state. That two states of a search have the same one does not happen.
    pub fn fingerprint(&self) -> u128 {
        let half = |seed: u64| {
            let mut hasher = DefaultHasher::new();
            seed.hash(&mut hasher);
            self.hash(&mut hasher);
            u128::from(hasher.finish())
        };
        half(1) << 64 | half(2)
    }
}
