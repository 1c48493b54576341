//! Memory in a replay: which locations there are, and what those hold that are not shared.

use crate::execution::{Action, Execution};
use crate::flaw::Flaw;
use crate::relations::no_locals;
use crate::replay::Taint;
use ir::life::{LIFE_WIDTH, Storage, is_life};
use ir::{Address, Cell, ObjectId, Program, ThreadId, Width, eval, truncate};
use std::collections::{BTreeMap, BTreeSet};

/// What an object that the program made is like.
#[derive(Clone)]
struct Made {
    size: u64,
    /// Its cells, if the program says which ones it has.
    fixed: Option<Vec<Cell>>,
    zeroed: bool,
    /// What its address is a multiple of.
    align: u64,
    storage: Storage,
}

/// Who touched a location that is not shared, after other threads could exist.
#[derive(Clone)]
struct Touch {
    thread: ThreadId,
    several: bool,
    written: bool,
}

/// A shared location that an access covers: how wide it is, and at which byte of the access it begins.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub address: Address,
    pub width: Width,
    pub byte: u32,
}

/// Where an access goes.
pub(super) enum Target {
    /// To shared locations: an event for each. Says whether nobody can see the access in part.
    Shared(Vec<Piece>, bool),
    /// To a location that only this thread uses, or that is only read.
    Plain(Address, Width),
    /// To bytes of such locations, the lowest one first: which location, how wide it is, and which byte of it.
    Bytes(Vec<(Address, Width, u32)>),
    /// Nowhere: there is no location.
    Nowhere,
}

impl Target {
    /// The location, if it is one.
    pub fn address(&self) -> Option<Address> {
        match self {
            Target::Shared(pieces, _) => {
                if let [only] = pieces[..] {
                    Some(only.address)
                } else {
                    None
                }
            }
            Target::Plain(address, _) => Some(*address),
            Target::Bytes(_) | Target::Nowhere => None,
        }
    }
}

#[derive(Clone)]
pub(super) struct Memory<'a> {
    program: &'a Program,
    execution: &'a Execution,
    made: BTreeMap<ObjectId, Made>,
    /// The locations with an initial write, and the write's value.
    shared: BTreeMap<Address, u64>,
    plain: BTreeMap<Address, u64>,
    /// What the values there were computed from.
    taints: BTreeMap<Address, Taint>,
    touched: BTreeMap<Address, Touch>,
    published: bool,
}

fn bytes(width: Width) -> u64 {
    u64::from(width.bits().div_ceil(8))
}

fn overlap(cell: &Cell, offset: u64, width: Width) -> bool {
    cell.offset < offset + bytes(width) && offset < cell.offset + bytes(cell.width)
}

/// The cells of an object of the program or of one that it can make, as the execution has them.
fn cells<'a>(program: &'a Program, execution: &'a Execution, object: ObjectId) -> Option<&'a [Cell]> {
    if let Some(made) = object.index().checked_sub(program.objects.len()) {
        return Some(&execution.made.get(made)?.cells);
    }
    let refined = execution.refined.iter().find(|(refined, _)| *refined == object);
    Some(refined.map_or(&program.objects[object.index()].cells, |(_, cells)| cells))
}

/// The cell at an address.
fn cell(program: &Program, execution: &Execution, address: Address) -> Option<Cell> {
    let cells = cells(program, execution, address.object)?;
    if is_life(address.offset) {
        return Some(Cell { offset: address.offset, width: LIFE_WIDTH, initial: ir::Expr::Const(0, LIFE_WIDTH) });
    }
    cells.iter().find(|cell| cell.offset == address.offset).cloned()
}

/// Checks that smaller locations of an object of the program are what its own fall into, and hold the same.
fn check_refined(program: &Program, object: ObjectId, refined: &[Cell]) -> Result<(), Flaw> {
    let name = || program.objects.get(object.index()).map_or("?".to_owned(), |object| object.name.clone());
    let flaw = || Flaw::Initial(format!("the locations of {} are not those of the program", name()));
    let Some(own) = program.objects.get(object.index()).filter(|object| !object.shared) else { return Err(flaw()) };
    let value = |cell: &Cell| truncate(eval(&cell.initial, &no_locals(), &[]).0, cell.width);
    let mut rest = refined.iter();
    for cell in &own.cells {
        let mut at = cell.offset;
        while at < cell.offset + bytes(cell.width) {
            let Some(part) = rest.next().filter(|part| part.offset == at) else { return Err(flaw()) };
            let whole = part.width == cell.width && at == cell.offset;
            let shift = 8 * (at - cell.offset);
            let holds = shift < 64 && value(part) == truncate(value(cell) >> shift, part.width);
            if !holds || !(whole || part.width.bits().is_multiple_of(8)) {
                return Err(flaw());
            }
            at += bytes(part.width);
        }
        if at != cell.offset + bytes(cell.width) {
            return Err(flaw());
        }
    }
    if rest.next().is_some() { Err(flaw()) } else { Ok(()) }
}

impl<'a> Memory<'a> {
    /// Reads the initial writes at the front of the execution; says how many there are.
    pub fn new(program: &'a Program, execution: &'a Execution) -> Result<(Self, usize), Flaw> {
        let mut shared = BTreeMap::new();
        for (at, event) in execution.events.iter().enumerate().take_while(|(_, event)| event.thread.is_none()) {
            let Action::Write { address, value } = event.action else {
                return Err(Flaw::Initial(format!("event {at} is not a write")));
            };
            if !event.tags.is_empty() || shared.insert(address, value).is_some() {
                let name = execution.address_name(program, address);
                return Err(Flaw::Initial(format!("event {at} is not the one of {name}")));
            }
        }
        let count = shared.len();
        for (object, cells) in &execution.refined {
            check_refined(program, *object, cells)?;
        }
        let is_cell = |address: Address| cell(program, execution, address).is_some();
        if let Some(&address) = shared.keys().find(|&&address| !is_cell(address)) {
            let name = execution.address_name(program, address);
            return Err(Flaw::Initial(format!("{name} is not a location")));
        }
        if let Some(address) =
            program.addresses().find(|address| program.is_shared(address.object) && !shared.contains_key(address))
        {
            let name = program.address_name(address);
            return Err(Flaw::Initial(format!("the one of {name} is missing")));
        }
        let (made, plain, taints, touched) = Default::default();
        let mut memory = Memory { program, execution, made, shared, plain, taints, touched, published: false };
        if !program.begins_alone() {
            memory.publish()?;
        }
        Ok((memory, count))
    }

    /// Whether other threads may exist.
    pub fn is_published(&self) -> bool {
        self.published
    }

    /// From here on the shared locations are those of the events, which must begin with what is there now.
    pub fn publish(&mut self) -> Result<(), Flaw> {
        self.published = true;
        let known: Vec<Address> = self.shared.keys().copied().filter(|a| self.exists(a.object)).collect();
        known.into_iter().try_for_each(|address| self.confirm(address))
    }

    fn exists(&self, object: ObjectId) -> bool {
        object.index() < self.program.objects.len() || self.made.contains_key(&object)
    }

    /// Checks the initial write of a shared location.
    fn confirm(&self, address: Address) -> Result<(), Flaw> {
        let name = self.execution.address_name(self.program, address);
        let Some(cell) = self.cell(address) else { return Ok(()) };
        let found = truncate(self.peek(address, &cell), cell.width);
        match self.shared.get(&address) {
            Some(value) if *value != found => {
                Err(Flaw::Initial(format!("{name} is {value} in the execution, {found} is found")))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The program makes the object with this number.
    pub fn make(
        &mut self,
        number: u64,
        (size, align): (u64, u64),
        fixed: Option<&[Cell]>,
        (zeroed, storage): (bool, Storage),
    ) -> Result<Address, String> {
        let first = self.program.objects.len() as u64;
        let listed = number.checked_sub(first).and_then(|at| self.execution.made.get(usize::try_from(at).ok()?));
        let Some(listed) = listed else { return Err(format!("object {number} is not one that can be made")) };
        for (at, cell) in listed.cells.iter().enumerate() {
            let fits = match fixed {
                _ if is_life(cell.offset) => cell.width == LIFE_WIDTH,
                Some(fixed) => fixed.iter().any(|own| {
                    let end = cell.offset + bytes(cell.width);
                    let inside = own.offset <= cell.offset && end <= own.offset + bytes(own.width);
                    let whole = own.offset == cell.offset && own.width == cell.width;
                    whole || (inside && cell.width.bits().is_multiple_of(8))
                }),
                None => cell.offset.checked_add(bytes(cell.width)).is_some_and(|end| end <= size),
            };
            let apart = listed.cells[..at].iter().all(|other| !overlap(other, cell.offset, cell.width));
            if !fits || !apart {
                return Err(format!("object {number} has no cell at byte {}", cell.offset));
            }
        }
        let object = ObjectId(u32::try_from(number).map_err(|_| format!("object {number} is not possible"))?);
        let fixed = fixed.map(<[Cell]>::to_vec);
        if self.made.insert(object, Made { size, fixed, zeroed, align, storage }).is_some() {
            return Err(format!("object {number} is made twice"));
        }
        if self.published {
            let own: Vec<Address> = self.shared.keys().copied().filter(|address| address.object == object).collect();
            own.into_iter().try_for_each(|address| self.confirm(address)).map_err(|flaw| flaw.to_string())?;
        }
        Ok(Address { object, offset: 0 })
    }

    fn cell(&self, address: Address) -> Option<Cell> {
        cell(self.program, self.execution, address)
    }

    /// Whether a word is an address in an object that the execution lists but that nobody has made yet.
    pub fn is_awaited(&self, word: u64) -> bool {
        let Some(address) = Address::from_bits(word) else { return false };
        let listed = address.object.index() < self.program.objects.len() + self.execution.made.len();
        listed && !self.exists(address.object)
    }

    /// Where an access of this width to this word goes. `locked`: it is a half of a read-modify-write.
    pub fn target(&self, word: u64, width: Width, locked: bool) -> Result<Target, String> {
        let Some(address) = Address::from_bits(word).filter(|address| self.exists(address.object)) else {
            return Ok(Target::Nowhere);
        };
        let aligned = locked || self.program.is_shared(address.object) || self.is_aligned(address, width);
        match self.cell(address) {
            Some(cell) if cell.width == width => {
                let shared = self.published && self.shared.contains_key(&address);
                if shared && !aligned && width.bits() > 8 {
                    return Err(format!("an access of {} bits that may be misaligned is one event", width.bits()));
                }
                let piece = Piece { address, width, byte: 0 };
                Ok(if shared { Target::Shared(vec![piece], true) } else { Target::Plain(address, width) })
            }
            Some(_) | None => self.bytes(address, width, aligned),
        }
    }

    /// Whether an access is aligned, whatever number the address of the object is.
    fn is_aligned(&self, address: Address, width: Width) -> bool {
        let own = self.program.objects.get(address.object.index()).map(|object| object.align);
        let align = own.or_else(|| self.made.get(&address.object).map(|made| made.align)).unwrap_or(1);
        address.offset.is_multiple_of(bytes(width)) && align.is_multiple_of(bytes(width))
    }

    /// The bytes of an access to no single cell.
    fn bytes(&self, address: Address, width: Width, aligned: bool) -> Result<Target, String> {
        let cells = cells(self.program, self.execution, address.object).unwrap_or_default();
        let mut found = Vec::new();
        for offset in (0..bytes(width)).map(|byte| address.offset + byte) {
            let Some(cell) =
                cells.iter().find(|cell| cell.offset <= offset && offset - cell.offset < bytes(cell.width))
            else {
                return self.missing(address, width);
            };
            let at = Address { offset: cell.offset, ..address };
            found.push((at, cell.width, (offset - cell.offset) as u32));
        }
        let shared = |at: &Address| self.published && self.shared.contains_key(at);
        let events = found.iter().filter(|(at, _, _)| shared(at)).count();
        if events == 0 {
            return Ok(Target::Bytes(found));
        }
        let mut pieces: Vec<Piece> = Vec::new();
        for (number, &(at, own, byte)) in found.iter().enumerate() {
            if byte == 0 {
                pieces.push(Piece { address: at, width: own, byte: number as u32 });
            }
        }
        let covered: u64 = pieces.iter().map(|piece| bytes(piece.width)).sum();
        let torn = !aligned && pieces.iter().any(|piece| piece.width.bits() > 8);
        if events < found.len() || covered != bytes(width) || found[0].2 != 0 || torn {
            let access = width.bits();
            return Err(format!("an access of {access} bits covers a part of a shared location"));
        }
        Ok(Target::Shared(pieces, aligned))
    }

    /// An access to bytes that are in no listed cell: is there no location, or should it have been listed?
    fn missing(&self, address: Address, width: Width) -> Result<Target, String> {
        let Some(made) = self.made.get(&address.object) else { return Ok(Target::Nowhere) };
        let end = address.offset.checked_add(bytes(width));
        if made.fixed.is_some() || end.is_none_or(|end| end > made.size) {
            return Ok(Target::Nowhere);
        }
        let name = self.execution.address_name(self.program, address);
        Err(format!("the execution does not list {name}, which is accessed"))
    }

    /// What a location of the program that is not shared holds now.
    pub fn plain(&self, address: Address) -> Option<u64> {
        let cell = self.cell(address).filter(|_| !self.shared.contains_key(&address));
        cell.map(|cell| self.peek(address, &cell))
    }

    /// What a location holds that nobody wrote, or that the first thread wrote before others could exist.
    fn peek(&self, address: Address, cell: &Cell) -> u64 {
        if let Some(value) = self.plain.get(&address) {
            return *value;
        }
        match self.made.get(&address.object) {
            Some(made) if is_life(address.offset) => made.storage.life(),
            Some(made) if made.zeroed => 0,
            Some(_) | None => truncate(eval(&cell.initial, &no_locals(), &[]).0, cell.width),
        }
    }

    /// The shared locations of objects that the program made in which nothing was ever set before they were shared.
    pub fn unset(&self) -> BTreeSet<Address> {
        let never = |address: &&Address| {
            let made = self.made.get(&address.object).is_some_and(|made| !made.zeroed);
            made && !is_life(address.offset) && !self.plain.contains_key(address)
        };
        self.shared.keys().filter(never).copied().collect()
    }

    /// Notes an access to a location that is not shared.
    fn touch(&mut self, thread: ThreadId, address: Address, writes: bool) -> Result<(), String> {
        if !self.published {
            return Ok(());
        }
        let fresh = Touch { thread, several: false, written: false };
        let touch = self.touched.entry(address).or_insert(fresh);
        touch.several |= touch.thread != thread;
        touch.written |= writes;
        if touch.several && touch.written {
            let name = self.execution.address_name(self.program, address);
            return Err(format!("{name} is not shared, but several threads access it"));
        }
        Ok(())
    }

    /// Reads a location that is not shared, and what its value was computed from.
    pub fn read(&mut self, thread: ThreadId, address: Address) -> Result<(u64, Taint), String> {
        self.touch(thread, address, false)?;
        let taint = self.taints.get(&address).cloned().unwrap_or_default();
        Ok((self.cell(address).map_or(0, |cell| self.peek(address, &cell)), taint))
    }

    /// Writes a location that is not shared.
    pub fn write(&mut self, thread: ThreadId, address: Address, value: u64, taint: Taint) -> Result<(), String> {
        self.touch(thread, address, true)?;
        self.plain.insert(address, value);
        self.taints.insert(address, taint);
        Ok(())
    }

    /// Reads bytes of locations that are not shared.
    pub fn read_bytes(&mut self, thread: ThreadId, at: &[(Address, Width, u32)]) -> Result<(u64, Taint), String> {
        let (mut value, mut taint) = (0, Taint::new());
        for (number, &(address, _, byte)) in at.iter().enumerate() {
            let (cell, own) = self.read(thread, address)?;
            value |= (cell >> (8 * byte) & 0xff) << (8 * number);
            taint.extend(own);
        }
        Ok((value, taint))
    }

    /// Writes bytes of locations that are not shared.
    pub fn write_bytes(
        &mut self,
        thread: ThreadId,
        at: &[(Address, Width, u32)],
        value: u64,
        taint: &Taint,
    ) -> Result<(), String> {
        for (number, &(address, width, byte)) in at.iter().enumerate() {
            let (cell, mut both) = self.read(thread, address)?;
            let new = (value >> (8 * number) & 0xff) << (8 * byte);
            both.extend(taint);
            self.write(thread, address, truncate(cell & !(0xff << (8 * byte)) | new, width), both)?;
        }
        Ok(())
    }
}
