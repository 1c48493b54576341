//! The states of the machine.

use ir::life::{LIFE_WIDTH, Storage, is_life};
use ir::{Address, Cell, Expr, LocalId, Location, ObjectId, Program, Width, eval, truncate};
use source::Span;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
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
    /// The cells that it covers, and what it writes to each. It reaches all of them at once.
    pub cells: Vec<(Address, u64)>,
    /// Different from that of all other writes in the buffer.
    pub id: u32,
    pub epoch: u32,
    /// Whether later reads of the thread wait for this one.
    pub awaited: bool,
    /// For the write of an atomic pair: what the read of the pair read of each cell. Between that and this write no write of
    /// another thread may reach the location.
    pub link: Vec<Reservation>,
}

impl Entry {
    pub fn value(&self, address: Address) -> Option<u64> {
        self.cells.iter().find(|(own, _)| *own == address).map(|&(_, value)| value)
    }

    pub fn overlaps(&self, other: &Entry) -> bool {
        self.cells.iter().any(|&(address, _)| other.value(address).is_some())
    }
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
    /// What its life cell holds at first.
    pub life: u64,
    /// The cells by offset.
    pub cells: Vec<Slot>,
    print: Print,
}

/// The fingerprint of an object, once it was asked for: most steps leave most objects as they are. It says nothing that the object does not, and
/// a copy, which is made to be changed, has none.
#[derive(Debug, Default)]
struct Print(OnceCell<u128>);

impl Clone for Print {
    fn clone(&self) -> Self {
        Print::default()
    }
}

impl PartialEq for Print {
    fn eq(&self, _: &Print) -> bool {
        true
    }
}

impl Eq for Print {}

impl Hash for Print {
    fn hash<H: Hasher>(&self, _: &mut H) {}
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
    /// To all of these cells, by address.
    Cells(Vec<(Address, Width)>),
    Nowhere,
    /// To a part of a cell: the cells of this object must be cut where the access begins and ends.
    Part(Address),
}

/// For each object the offsets at which its cells are cut.
pub(super) type Cuts = BTreeMap<ObjectId, BTreeSet<u64>>;

/// Where a cell is cut: the pieces, as offsets and widths.
fn pieces(cuts: &Cuts, object: ObjectId, offset: u64, width: Width) -> Vec<(u64, Width)> {
    let end = offset + bytes(width);
    let mut borders = vec![offset];
    borders.extend(cuts.get(&object).into_iter().flatten().filter(|&&cut| offset < cut && cut < end));
    if borders.len() == 1 {
        return vec![(offset, width)];
    }
    borders.push(end);
    borders.windows(2).map(|pair| (pair[0], Width::new(8 * (pair[1] - pair[0]) as u8))).collect()
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
    /// The pieces of a cell that holds this.
    fn pieces(cuts: &Cuts, object: ObjectId, cell: &Cell, value: Option<u64>) -> Vec<Self> {
        let part = |(offset, width): (u64, Width)| {
            let value = value.map(|value| truncate(value >> (8 * (offset - cell.offset)), width));
            Slot { offset, width, value }
        };
        pieces(cuts, object, cell.offset, cell.width).into_iter().map(part).collect()
    }
}

impl Object {
    /// An object that is made while the program runs.
    pub fn made(name: &str, size: u64, cells: Option<&[Cell]>, zeroed: bool, (align, storage): (u64, Storage)) -> Self {
        let value = zeroed.then_some(0);
        let slot = |cell: &Cell| Slot { offset: cell.offset, width: cell.width, value };
        let slots = cells.iter().flat_map(|cells| cells.iter()).map(slot).collect();
        let (name, fixed, life) = (name.to_owned(), cells.is_some(), storage.life());
        Object { name, size, fixed, zeroed, align, life, cells: slots, print: Print::default() }
    }

    /// A number that stands for the object, as [`State::fingerprint`].
    fn fingerprint(&self) -> u128 {
        *self.print.0.get_or_init(|| fingerprint(self))
    }

    /// The same with its cells cut.
    pub fn cut(mut self, cuts: &Cuts, number: ObjectId) -> Self {
        self.print = Print::default();
        let cell = |slot: &Slot| Cell { offset: slot.offset, width: slot.width, initial: Expr::Const(0, slot.width) };
        let own = std::mem::take(&mut self.cells);
        self.cells = own.iter().flat_map(|slot| Slot::pieces(cuts, number, &cell(slot), slot.value)).collect();
        self
    }
}

impl Object {
    /// Its cells with what they hold at first.
    pub fn initial(&self) -> Vec<Cell> {
        let cell = |slot: &Slot| {
            let initial = Expr::Const(slot.value.unwrap_or(0), slot.width);
            Cell { offset: slot.offset, width: slot.width, initial }
        };
        self.cells.iter().map(cell).collect()
    }

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
    pub fn new(program: &Program, cuts: &Cuts) -> Self {
        let nowhere = crate::layout::nowhere();
        let value = |cell: &Cell| Some(truncate(eval(&cell.initial, &nowhere, &[]).0, cell.width));
        let object = |(number, object): (usize, &ir::Object)| {
            let number = ObjectId(number as u32);
            let slots = object.cells.iter().flat_map(|cell| Slot::pieces(cuts, number, cell, value(cell)));
            Rc::new(Object {
                name: object.name.clone(),
                size: 0,
                fixed: true,
                zeroed: false,
                align: object.align,
                life: 0,
                cells: slots.collect(),
                print: Print::default(),
            })
        };
        let objects = program.objects.iter().enumerate().map(object).collect();
        State { threads: Vec::new(), objects, published: !program.begins_alone() }
    }

    /// The cells that an access of this width to this word covers. Makes cells if the object lets accesses do so.
    pub fn target(&mut self, word: u64, width: Width, cuts: &Cuts) -> Target {
        let Some(address) = Address::from_bits(word) else { return Target::Nowhere };
        let Some(object) = self.objects.get_mut(address.object.index()) else { return Target::Nowhere };
        if is_life(address.offset) {
            if object.cells.iter().all(|slot| slot.offset != address.offset) {
                let slot = Slot { offset: address.offset, width: LIFE_WIDTH, value: Some(object.life) };
                let at = object.cells.partition_point(|slot| slot.offset < address.offset);
                changed(object).insert(at, slot);
            }
            return if width == LIFE_WIDTH { Target::Cells(vec![(address, width)]) } else { Target::Nowhere };
        }
        let end = address.offset + bytes(width);
        let inside = |slot: &&Slot| slot.offset < end && slot.offset + bytes(slot.width) > address.offset;
        let covered: Vec<(u64, Width)> =
            object.cells.iter().filter(inside).map(|slot| (slot.offset, slot.width)).collect();
        if covered.iter().any(|&(offset, width)| offset < address.offset || offset + bytes(width) > end) {
            return Target::Part(address);
        }
        let mut cells = Vec::new();
        let mut at = address.offset;
        for (offset, width) in covered.into_iter().chain([(end, Width::BOOL)]) {
            if at < offset {
                if object.fixed || end > object.size {
                    return Target::Nowhere;
                }
                for (offset, width) in pieces(cuts, address.object, at, Width::new(8 * (offset - at) as u8)) {
                    let place = object.cells.partition_point(|slot| slot.offset < offset);
                    let slot = Slot { offset, width, value: object.zeroed.then_some(0) };
                    changed(object).insert(place, slot);
                    cells.push((Address { offset, ..address }, width));
                }
            }
            if offset < end {
                cells.push((Address { offset, ..address }, width));
            }
            at = offset + bytes(width);
        }
        Target::Cells(cells)
    }

    /// Whether a word is the address of something in an object.
    pub fn is_address(&self, word: u64) -> bool {
        Address::from_bits(word).is_some_and(|address| address.object.index() < self.objects.len())
    }

    /// Whether one of the cells that an access touches holds an address.
    pub fn holds_address(&self, start: Address, width: Width) -> bool {
        let touches =
            |slot: &&Slot| slot.offset < start.offset + bytes(width) && start.offset < slot.offset + bytes(slot.width);
        let mut slots = self.objects[start.object.index()].cells.iter().filter(touches);
        slots.any(|slot| slot.width == Width::WORD && slot.value.is_some_and(|value| self.is_address(value)))
    }

    /// Whether an access is aligned, whatever number the address of its object is.
    pub fn is_aligned(&self, address: Address, width: Width) -> bool {
        let align = self.objects.get(address.object.index()).map_or(1, |object| object.align);
        address.offset.is_multiple_of(bytes(width)) && align.is_multiple_of(bytes(width))
    }

    pub fn slot(&self, address: Address) -> &Slot {
        let slots = &self.objects[address.object.index()].cells;
        slots.iter().find(|slot| slot.offset == address.offset).expect("accesses are to cells that exist")
    }

    pub fn slot_mut(&mut self, address: Address) -> &mut Slot {
        let slots = changed(&mut self.objects[address.object.index()]);
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
            let mut links = thread.buffer.iter_mut().flat_map(|entry| &mut entry.link);
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
        let State { threads, objects, published } = self;
        let objects: Vec<u128> = objects.iter().map(|object| object.fingerprint()).collect();
        fingerprint(&(threads, objects, published))
    }
}

/// A number that stands for a value.
fn fingerprint(value: &impl Hash) -> u128 {
    let half = |seed: u64| {
        let mut hasher = DefaultHasher::new();
        seed.hash(&mut hasher);
        value.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}

/// The cells of an object, to change them.
fn changed(object: &mut Rc<Object>) -> &mut Vec<Slot> {
    let object = Rc::make_mut(object);
    object.print = Print::default();
    &mut object.cells
}
