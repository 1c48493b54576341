//! Where accesses go, and what cells hold that make no events.

use crate::run::{Halt, Run};
use crate::state::State;
use crate::structure::Cause;
use ir::{Address, Expr, ObjectId, Width};
use logic::{Bool, Term, Terms};
use source::Span;
use std::collections::BTreeSet;
use std::rc::Rc;

/// An object that the program made in this run.
#[derive(Debug, Clone)]
pub struct MadeObject {
    pub name: String,
    pub size: u64,
    /// Whether the cells are known by its type; otherwise accesses make them.
    pub typed: bool,
    pub zeroed: bool,
    pub cells: std::collections::BTreeMap<u64, (Width, Term)>,
}

/// Who touches a cell when other threads may exist: the threads that read it and those that write it.
#[derive(Debug, Clone, Default)]
pub struct Touch {
    pub readers: BTreeSet<u32>,
    pub writers: BTreeSet<u32>,
}

impl Touch {
    /// Whether what one thread does here can be seen by another.
    pub fn is_shared(&self) -> bool {
        let mut threads = self.readers.union(&self.writers);
        !self.writers.is_empty() && threads.next().is_some() && threads.next().is_some()
    }
}

/// Where an access goes: the cells that it can be, all of them shared or none.
#[derive(Debug)]
pub struct Place {
    pub address: Term,
    pub cells: Vec<Address>,
    pub shared: bool,
}

/// How many cells of an object without a type are considered for an address that is not known.
const MAX_CELLS: u64 = 4096;

impl Run<'_> {
    /// The cells that an access can go to. Where the address is none of them, the thread stops.
    pub fn locate(
        &mut self,
        state: &mut State,
        address: Term,
        width: Width,
        write: bool,
        span: Span,
    ) -> Result<Place, Halt> {
        let mut cells = Vec::new();
        if let Some(bits) = self.structure.terms.as_const(address) {
            if let Some(cell) = Address::from_bits(bits)
                && self.is_cell(cell, width, true, span)?
            {
                cells.push(cell);
            }
        } else {
            let objects = self.object_count();
            let pointers = self.pointers.pointers(&self.structure.terms, address, &|object| object < objects);
            if pointers.lost {
                return Err(self.refuse(span, "it cannot be told where this pointer points"));
            }
            let mut found: BTreeSet<Address> = BTreeSet::new();
            for &bits in &pointers.exact {
                if let Some(cell) = Address::from_bits(bits)
                    && self.is_cell(cell, width, true, span)?
                {
                    found.insert(cell);
                }
            }
            for (&object, &(remainder, divisor)) in &pointers.inside {
                for offset in self.offsets(ObjectId(object), width, span)? {
                    if divisor == 0 && offset == remainder || divisor != 0 && offset % divisor == remainder % divisor {
                        found.insert(Address { object: ObjectId(object), offset });
                    }
                }
            }
            cells.extend(found);
        }
        let terms = &mut self.structure.terms;
        let mut valid = Bool::FALSE;
        for cell in &cells {
            let here = terms.constant(cell.to_bits(), Width::WORD);
            let same = terms.eq(address, here);
            valid = terms.or(valid, same);
        }
        if cells.is_empty() && !self.program.alone {
            return Err(self.refuse(span, "an access to an address where there is no location"));
        }
        if valid != Bool::TRUE {
            let fails = self.structure.terms.and(state.guard, !valid);
            let what = "an access to no object: a null or wild pointer, or an index out of bounds";
            self.failure(fails, what, span, true);
            self.stop(state, valid, Cause::Memory);
        }
        for &cell in &cells {
            self.touch(cell, write);
        }
        let shared = cells.iter().filter(|cell| self.published && self.knowledge.shared.contains_key(*cell)).count();
        if shared != 0 && shared != cells.len() {
            cells.iter().for_each(|&cell| self.mixed.push(cell));
        }
        Ok(Place { address, shared: shared == cells.len() && shared > 0, cells })
    }

    fn touch(&mut self, cell: Address, write: bool) {
        if self.published {
            let touch = self.touched.entry(cell).or_default();
            let who = if write { &mut touch.writers } else { &mut touch.readers };
            who.insert(self.current.id.0);
        }
    }

    /// Whether there is a cell of this width at an address; `certain` says that the program does mean this one.
    fn is_cell(&mut self, address: Address, width: Width, certain: bool, span: Span) -> Result<bool, Halt> {
        let object = address.object.index();
        if let Some(object) = self.program.objects.get(object) {
            let found = object.cells.binary_search_by_key(&address.offset, |cell| cell.offset);
            return match found {
                Ok(at) if !self.program.alone || object.cells[at].width == width => Ok(true),
                Ok(at) => {
                    let what = (object.cells[at].width, width);
                    if certain { Err(self.mixed_sizes(span, what)) } else { Ok(false) }
                }
                Err(at) => {
                    let inside = at > 0 && {
                        let before = &object.cells[at - 1];
                        address.offset < before.offset + u64::from(before.width.bits().div_ceil(8)).min(4)
                    };
                    if inside && certain {
                        let before = object.cells[at - 1].width;
                        return Err(self.mixed_sizes(span, (before, width)));
                    }
                    Ok(false)
                }
            };
        }
        let number = address.object.0;
        self.foresee(number);
        let Some(made) = self.made.get(&number) else { return Ok(false) };
        if let Some(&(there, _)) = made.cells.get(&address.offset) {
            if there == width {
                return Ok(true);
            }
            return if certain { Err(self.mixed_sizes(span, (there, width))) } else { Ok(false) };
        }
        // A pointer's cell may take four bytes only.
        let bytes = |width: Width| u64::from(width.bits().div_ceil(8)).min(4);
        if address.offset.saturating_add(bytes(width)) > made.size || (made.typed && !certain) {
            return Ok(false);
        }
        let before = made.cells.range(..address.offset).next_back();
        let overlaps = before.is_some_and(|(&offset, &(there, _))| offset + bytes(there) > address.offset);
        let after = made.cells.range(address.offset..).next();
        let overlaps = overlaps || after.is_some_and(|(&offset, _)| address.offset + bytes(width) > offset);
        if overlaps {
            let there = before.or(after).map_or(width, |(_, &(there, _))| there);
            return if certain { Err(self.mixed_sizes(span, (there, width))) } else { Ok(false) };
        }
        if made.typed {
            return Ok(false);
        }
        self.make_cell(number, address.offset, width);
        Ok(true)
    }

    /// An object that a thread makes which is executed later in this run is known from the run before.
    fn foresee(&mut self, number: u32) {
        if !self.made.contains_key(&number)
            && let Some(object) = self.knowledge.made.get(&number).cloned()
        {
            self.make(number, object);
        }
    }

    /// There is a new object, with the cells that are known.
    pub fn make(&mut self, number: u32, object: MadeObject) {
        self.made.insert(number, object);
        let cells = self.knowledge.cells.get(&number).cloned().unwrap_or_default();
        cells.into_iter().for_each(|(offset, width)| self.make_cell(number, offset, width));
    }

    /// Makes a cell of an object.
    pub fn make_cell(&mut self, number: u32, offset: u64, width: Width) {
        self.knowledge.cells.entry(number).or_default().insert(offset, width);
        if let Some(made) = self.made.get_mut(&number) {
            let terms = &mut self.structure.terms;
            // What happens to be there is any number, but no address: memory that nobody wrote points nowhere.
            let value = match (made.zeroed, width) {
                (true, _) => terms.constant(0, width),
                (false, Width::WORD) => {
                    let low = terms.fresh(Width::new(40));
                    terms.unary(ir::UnaryOp::ZeroExtend(Width::WORD), low)
                }
                (false, _) => terms.fresh(width),
            };
            made.cells.insert(offset, (width, value));
        }
    }

    fn mixed_sizes(&self, span: Span, (there, here): (Width, Width)) -> Halt {
        self.refuse(
            span,
            &format!(
                "an access of {} bits to a location of {} bits: accesses of different sizes to one place are not supported",
                here.bits(),
                there.bits()
            ),
        )
    }

    /// The offsets at which an object has cells of this width.
    fn offsets(&mut self, object: ObjectId, width: Width, span: Span) -> Result<Vec<u64>, Halt> {
        if let Some(object) = self.program.objects.get(object.index()) {
            let fits = |cell: &&ir::Cell| !self.program.alone || cell.width == width;
            return Ok(object.cells.iter().filter(fits).map(|cell| cell.offset).collect());
        }
        self.foresee(object.0);
        let Some(made) = self.made.get(&object.0) else { return Ok(Vec::new()) };
        if made.typed {
            return Ok(made.cells.iter().filter(|(_, cell)| cell.0 == width).map(|(&offset, _)| offset).collect());
        }
        let step = u64::from(width.bits().div_ceil(8)).max(1);
        if made.size / step > MAX_CELLS {
            return Err(self.refuse(span, "an access at an unknown place of a large block of memory"));
        }
        let size = made.size;
        let mut offsets = Vec::new();
        for offset in (0..size).step_by(step as usize) {
            if self.is_cell(Address { object, offset }, width, false, span)? {
                offsets.push(offset);
            }
        }
        Ok(offsets)
    }

    /// What a cell holds that was never written in this state.
    pub fn first_value(&mut self, cell: Address) -> Term {
        first_value(&mut self.structure.terms, self.program, &self.made, cell)
    }

    /// What a cell that makes no events holds.
    pub fn held(&mut self, state: &State, cell: Address) -> Term {
        match state.memory.get(&cell) {
            Some(&value) => value,
            None => self.first_value(cell),
        }
    }

    /// Reads a place that makes no events; if there is no cell at all, any value will do.
    pub fn read_private(&mut self, state: &State, place: &Place, width: Width) -> Term {
        let Some((&last, others)) = place.cells.split_last() else {
            return self.structure.terms.constant(0, width);
        };
        let mut value = self.held(state, last);
        for &cell in others {
            let other = self.held(state, cell);
            let terms = &mut self.structure.terms;
            let here = terms.constant(cell.to_bits(), Width::WORD);
            let same = terms.eq(place.address, here);
            value = terms.ite(same, other, value);
        }
        value
    }

    /// Writes a place that makes no events, under a condition.
    pub fn write_private(&mut self, state: &mut State, place: &Place, value: Term, when: Bool) {
        for &cell in &place.cells {
            let old = self.held(state, cell);
            let terms = &mut self.structure.terms;
            let here = terms.constant(cell.to_bits(), Width::WORD);
            let same = if place.cells.len() == 1 { Bool::TRUE } else { terms.eq(place.address, here) };
            let both = terms.and(same, when);
            let new = terms.ite(both, value, old);
            if new != old {
                state.effect(terms, both);
                Rc::make_mut(&mut state.memory).insert(cell, new);
            }
        }
    }

    /// A value is written to shared cells: notes which addresses it can be.
    pub fn note_pointers(&mut self, cells: &[Address], value: Term, span: Span) -> Result<(), Halt> {
        if self.structure.terms.width(value) != Width::WORD {
            return Ok(());
        }
        let objects = self.object_count();
        let pointers = self.pointers.pointers(&self.structure.terms, value, &|object| object < objects);
        if pointers.lost {
            return Err(self.refuse(span, "it cannot be told where this pointer points"));
        }
        let mut exact = pointers.exact.clone();
        for (&object, &(remainder, divisor)) in &pointers.inside {
            let object = ObjectId(object);
            let offsets: Vec<u64> = match self.program.objects.get(object.index()) {
                Some(object) => object.cells.iter().map(|cell| cell.offset).collect(),
                None => self.made.get(&object.0).map_or(Vec::new(), |made| made.cells.keys().copied().collect()),
            };
            let fits = |offset: &u64| {
                if divisor == 0 { *offset == remainder } else { offset % divisor == remainder % divisor }
            };
            exact.extend(offsets.into_iter().filter(fits).map(|offset| Address { object, offset }.to_bits()));
        }
        for &cell in cells {
            let known = self.knowledge.points.entry(cell).or_default();
            let before = known.len();
            known.extend(&exact);
            self.grew |= known.len() != before;
        }
        Ok(())
    }

    /// A variable takes what shared cells hold: says which addresses it can be.
    pub fn learn_pointers(&mut self, variable: Term, cells: &[Address]) {
        if self.structure.terms.width(variable) == Width::WORD {
            let known = cells.iter().filter_map(|cell| self.knowledge.points.get(cell));
            let exact: BTreeSet<u64> = known.flatten().copied().collect();
            self.pointers.learn(variable, exact);
        }
    }
}

/// What a cell holds before anybody writes it.
pub fn first_value(
    terms: &mut Terms,
    program: &ir::Program,
    made: &rustc_hash::FxHashMap<u32, MadeObject>,
    cell: Address,
) -> Term {
    if let Some(there) = program.cell(cell) {
        return match &there.initial {
            Expr::Address(object, offset) => {
                terms.constant(Address { object: *object, offset: *offset }.to_bits(), Width::WORD)
            }
            Expr::Const(value, _) => terms.constant(*value, there.width),
            Expr::Local(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => {
                panic!("an initial value is a constant or an address")
            }
        };
    }
    let found = made.get(&cell.object.0).and_then(|made| made.cells.get(&cell.offset));
    found.map_or_else(|| terms.constant(0, Width::WORD), |&(_, value)| value)
}
