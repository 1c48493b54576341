//! Where accesses go, and what cells hold that make no events.

use crate::congruence::Class;
use crate::numbers::break_address;
use crate::parts::{Fit, Part, Spot, bytes, fit};
use crate::pointers::Pointers;
use crate::run::{Halt, Run};
use crate::state::{State, Taint, join_taints, merge_taints};
use crate::structure::Cause;
use ir::life::{LIFE_WIDTH, Storage, is_life};
use ir::{Address, BinaryOp, Expr, ObjectId, Width};
use logic::{Bool, Term, Terms};
use source::Span;
use std::collections::BTreeSet;
use std::rc::Rc;

/// An object that the program made in this run.
#[derive(Debug, Clone)]
pub struct MadeObject {
    pub name: String,
    /// How many bytes it has at most.
    pub size: u64,
    /// How many it has, if that is no constant.
    pub limit: Option<Term>,
    /// Whether the cells are known by its type; otherwise accesses make them.
    pub typed: bool,
    pub zeroed: bool,
    /// What its address is a multiple of.
    pub align: u64,
    pub storage: Storage,
    pub cells: std::collections::BTreeMap<u64, (Width, Term)>,
}

impl MadeObject {
    /// An object that nobody has touched.
    pub fn new(name: &str, size: u64, typed: bool, zeroed: bool, (align, storage): (u64, Storage)) -> Self {
        let (name, cells) = (name.to_owned(), Default::default());
        MadeObject { name, size, limit: None, typed, zeroed, align, storage, cells }
    }

    /// The cells that an access from here on can touch.
    fn cells_from(&self, offset: u64) -> impl Iterator<Item = (u64, Width)> + '_ {
        let before = self.cells.range(..offset).next_back();
        let rest = self.cells.range(offset..);
        before.into_iter().chain(rest).map(|(&offset, &(width, _))| (offset, width))
    }

    /// The last cell that begins before an offset.
    fn cell_before(&self, offset: u64) -> Option<(u64, Width)> {
        self.cells.range(..offset).next_back().map(|(&offset, &(width, _))| (offset, width))
    }

    /// Cells for the bytes between two offsets that have none: as large as possible.
    fn gaps(&self, start: u64, end: u64) -> Vec<(u64, Width)> {
        let mut gaps = Vec::new();
        let mut at = start;
        for (offset, width) in
            self.cells_from(start).take_while(|&(offset, _)| offset < end).chain([(end, Width::BOOL)])
        {
            while at < offset {
                let size =
                    [8, 4, 2, 1].into_iter().find(|size| at.is_multiple_of(*size) && at + size <= offset).unwrap_or(1);
                gaps.push((at, Width::new(8 * size as u8)));
                at += size;
            }
            at = at.max(offset + bytes(width));
        }
        gaps
    }
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
    /// Where it can go besides that is not one whole cell. If these cells are shared, the access takes all of each.
    pub parts: Vec<Spot>,
    pub shared: bool,
    /// Whether it takes a part of a shared cell: the next run will have cut that.
    pub torn: bool,
}

impl Place {
    /// Shared cells of which an access can be one, all as wide as the access.
    pub fn shared(address: Term, cells: Vec<Address>) -> Place {
        Place { address, cells, parts: Vec::new(), shared: true, torn: false }
    }

    /// Where a fence is.
    pub fn nowhere(zero: Term) -> Place {
        Place { address: zero, cells: Vec::new(), parts: Vec::new(), shared: false, torn: false }
    }

    /// The cells that it touches, whole or in part.
    pub fn all_cells(&self) -> impl Iterator<Item = Address> + '_ {
        self.cells.iter().copied().chain(self.parts.iter().flat_map(|spot| spot.parts.iter().map(|part| part.cell)))
    }
}

/// How many places of an object are considered for an address that is not known, besides whole cells of an object with a
/// type.
const MAX_CELLS: usize = 4096;

impl Run<'_> {
    /// The cells that an access can go to. Where the address is none of them, the thread stops.
    pub fn locate(
        &mut self,
        state: &mut State,
        address: Term,
        width: Width,
        (write, locked): (bool, bool),
        span: Span,
    ) -> Result<Place, Halt> {
        let mut place = Place { shared: false, ..Place::shared(address, Vec::new()) };
        for start in self.starts(address, width, span)? {
            if write && self.program.constants.contains(&start.object) {
                continue;
            }
            match self.fit(start, width) {
                Fit::Cell => place.cells.push(start),
                Fit::Parts(parts) => place.parts.push(Spot { start, parts }),
                Fit::Nowhere => {}
            }
        }
        if place.cells.is_empty() && place.parts.is_empty() && self.settings.finals {
            return Err(self.refuse(span, "an access to an address where there is no location"));
        }
        let mut valid = Bool::FALSE;
        for start in place.cells.iter().chain(place.parts.iter().map(|spot| &spot.start)) {
            let limit = self.made.get(&start.object.0).and_then(|made| made.limit).filter(|_| !is_life(start.offset));
            let terms = &mut self.structure.terms;
            let here = terms.constant(start.to_bits(), Width::WORD);
            let mut same = terms.eq(address, here);
            if let Some(limit) = limit {
                let end = terms.constant(start.offset + bytes(width), Width::WORD);
                let inside = terms.binary(BinaryOp::ULe, end, limit);
                let inside = terms.to_bool(inside);
                same = terms.and(same, inside);
            }
            valid = terms.or(valid, same);
        }
        if valid != Bool::TRUE {
            let fails = self.structure.terms.and(state.guard, !valid);
            let what = "an access to no object: a null or wild pointer, or an index out of bounds";
            self.failure(fails, what, span, true);
            self.stop(state, valid, Cause::Memory);
        }
        self.leave_out_odd(state, &mut place, width, locked, span);
        place.torn = self.learn_cuts(&place, width, span) | self.learn_bytes(&place, width, locked);
        self.stale |= place.torn;
        for cell in place.all_cells().collect::<Vec<_>>() {
            self.touch(cell, write);
        }
        let is_shared = |cell: &Address| self.published && self.knowledge.shared.contains_key(cell);
        let shared = place.all_cells().filter(is_shared).count();
        let all = place.all_cells().count();
        if shared != 0 && shared != all {
            self.mixed.extend(place.all_cells());
        }
        place.shared = shared == all && shared > 0 && !place.torn;
        Ok(place)
    }

    /// If an access takes a part of a shared cell, the cell should be cut there, in the next run.
    fn learn_cuts(&mut self, place: &Place, width: Width, span: Span) -> bool {
        let is_shared = |cell: &Address| self.published && self.knowledge.shared.contains_key(cell);
        let torn = |part: &Part| !part.is_whole() && is_shared(&part.cell);
        let spots: Vec<&Spot> = place.parts.iter().filter(|spot| spot.parts.iter().any(torn)).collect();
        for spot in &spots {
            for part in spot.parts.iter().filter(|part| torn(part)) {
                if part.width == Width::WORD && self.can_hold_address(part.cell) {
                    let what = "a part of a location that can hold an address, which other threads access";
                    let halt = self.refuse(span, what);
                    self.torn_address.get_or_insert(halt);
                }
            }
            let ends = [spot.start.offset, spot.start.offset + bytes(width)];
            self.cuts.entry(spot.start.object.0).or_default().extend(ends);
        }
        !spots.is_empty()
    }

    /// An access that can be to one whole cell is taken for one, unless it is known that it is not: where it is to several or misaligned,
    /// that is left out and noted. So what is only not known about an address does not cut cells.
    fn leave_out_odd(&mut self, state: &mut State, place: &mut Place, width: Width, locked: bool, span: Span) {
        if self.settings.mixed {
            return;
        }
        let is_shared = |cell: &Address| self.published && self.knowledge.shared.contains_key(cell);
        let odd_cell = |cell: &Address| is_shared(cell) && self.is_torn(*cell, width, locked);
        let odd_spot = |spot: &Spot| spot.parts.iter().any(|part| is_shared(&part.cell));
        let plain = place.cells.iter().any(|cell| !odd_cell(cell)) || place.parts.iter().any(|spot| !odd_spot(spot));
        let mut out: Vec<Address> = place.cells.iter().filter(|cell| odd_cell(cell)).copied().collect();
        out.extend(place.parts.iter().filter(|spot| odd_spot(spot)).map(|spot| spot.start));
        if !plain || out.is_empty() {
            return;
        }
        place.cells.retain(|cell| !out.contains(cell));
        place.parts.retain(|spot| !out.contains(&spot.start));
        let terms = &mut self.structure.terms;
        let mut elsewhere = Bool::TRUE;
        for start in out {
            let here = terms.constant(start.to_bits(), Width::WORD);
            let same = terms.eq(place.address, here);
            elsewhere = terms.and(elsewhere, !same);
        }
        let odd = terms.and(state.guard, !elsewhere);
        self.structure.mixed.push(odd);
        self.cut_here(state, elsewhere, span);
    }

    /// Whether nobody says in which parts a machine makes an access here.
    fn is_torn(&self, start: Address, width: Width, locked: bool) -> bool {
        let declared = self.program.is_shared(start.object);
        width > Width::new(8) && !locked && !declared && !self.is_aligned(start, width)
    }

    /// Where an access may be misaligned, shared cells fall into bytes.
    fn learn_bytes(&mut self, place: &Place, width: Width, locked: bool) -> bool {
        let is_shared = |cell: &Address| self.published && self.knowledge.shared.contains_key(cell);
        let cells = place.cells.iter().map(|&cell| (cell, is_shared(&cell)));
        let large = |part: &Part| part.width > Width::new(8) && is_shared(&part.cell);
        let spots = place.parts.iter().map(|spot| (spot.start, spot.parts.iter().any(large)));
        let split = |&(start, large): &(Address, bool)| large && self.is_torn(start, width, locked);
        let found: Vec<Address> = cells.chain(spots).filter(split).map(|(start, _)| start).collect();
        for start in &found {
            let all = start.offset..=start.offset + bytes(width);
            self.cuts.entry(start.object.0).or_default().extend(all);
        }
        !found.is_empty()
    }

    /// Whether a cell can hold an address, as far as this run knows.
    fn can_hold_address(&self, cell: Address) -> bool {
        let initial = self.program.cell(cell).is_some_and(|cell| matches!(cell.initial, Expr::Address(..)));
        initial || self.knowledge.points.get(&cell).is_some_and(|points| !points.is_empty())
    }

    /// The addresses that an access of this width can begin at.
    fn starts(&mut self, address: Term, width: Width, span: Span) -> Result<BTreeSet<Address>, Halt> {
        if let Some(bits) = self.structure.terms.as_const(address) {
            return Ok(Address::from_bits(bits).into_iter().collect());
        }
        let objects = self.object_count();
        let pointers = self.pointers.pointers(&self.structure.terms, address, &|object| object < objects);
        if pointers.lost {
            return Err(self.refuse(span, "it cannot be told where this pointer points"));
        }
        let mut starts: BTreeSet<Address> =
            pointers.exact.iter().filter_map(|&bits| Address::from_bits(bits)).collect();
        for (&object, class) in &pointers.inside {
            let object = ObjectId(object);
            let offsets = self.offsets(object, class, width, span)?;
            starts.extend(offsets.into_iter().map(|offset| Address { object, offset }));
        }
        Ok(starts)
    }

    fn touch(&mut self, cell: Address, write: bool) {
        if self.published {
            let touch = self.touched.entry(cell).or_default();
            let who = if write { &mut touch.writers } else { &mut touch.readers };
            who.insert(self.current.id.0);
            self.stale |= touch.is_shared() && !self.knowledge.shared.contains_key(&cell);
        }
    }

    /// Where an access of this width goes that begins here. Of objects without a type it makes the cells.
    fn fit(&mut self, start: Address, width: Width) -> Fit {
        if is_life(start.offset) {
            return self.fit_life(start, width);
        }
        if let Some(object) = self.program.objects.get(start.object.index()) {
            let there = object.cells.binary_search_by_key(&start.offset, |cell| cell.offset);
            // What is declared to be shared is accessed by whole cells.
            if object.shared {
                let whole = there.is_ok_and(|at| object.cells[at].width == width);
                return if whole { Fit::Cell } else { Fit::Nowhere };
            }
            let from = there.unwrap_or_else(|at| at.saturating_sub(1));
            let cells = object.cells[from..].iter().map(|cell| (cell.offset, cell.width));
            return fit(cells, start, width);
        }
        let number = start.object.0;
        self.foresee(number);
        let Some(made) = self.made.get(&number) else { return Fit::Nowhere };
        if !made.typed {
            let Some(end) = start.offset.checked_add(bytes(width)).filter(|&end| end <= made.size) else {
                return Fit::Nowhere;
            };
            let overlaps = |&(offset, there): &(u64, Width)| offset < end && offset + bytes(there) > start.offset;
            let new = match made.cell_before(end).filter(overlaps) {
                Some(_) => made.gaps(start.offset, end),
                None => vec![(start.offset, width)],
            };
            let pieces = |(offset, width)| self.knowledge.pieces(number, offset, width);
            let new: Vec<(u64, Width)> = new.into_iter().flat_map(pieces).collect();
            new.into_iter().for_each(|(offset, width)| self.make_cell(number, offset, width));
        }
        self.made.get(&number).map_or(Fit::Nowhere, |made| fit(made.cells_from(start.offset), start, width))
    }

    /// The life cell of an object is there as soon as somebody looks at it.
    fn fit_life(&mut self, Address { object, offset }: Address, width: Width) -> Fit {
        let number = object.0;
        self.foresee(number);
        let own = object.index() < self.program.objects.len();
        match self.made.get(&number).map(|made| made.cells.contains_key(&offset)) {
            Some(false) => self.make_cell(number, offset, LIFE_WIDTH),
            Some(true) => {}
            None if own => {}
            None => return Fit::Nowhere,
        }
        if width == LIFE_WIDTH { Fit::Cell } else { Fit::Nowhere }
    }

    /// An object that a thread makes which is executed later in this run is known from the run before.
    fn foresee(&mut self, number: u32) {
        if !self.made.contains_key(&number)
            && let Some(mut object) = self.knowledge.made.get(&number).cloned()
        {
            // What it was in that run says nothing in this one.
            object.limit = object.limit.map(|_| self.structure.terms.fresh(Width::WORD));
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
                _ if is_life(offset) => terms.constant(made.storage.life(), LIFE_WIDTH),
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

    /// The offsets of a class at which an access of this width is inside an object.
    fn offsets(&mut self, object: ObjectId, class: &Class, width: Width, span: Span) -> Result<Vec<u64>, Halt> {
        let large = "an access at an unknown place of a large block of memory";
        let contains = |offset: &u64| class.contains(i128::from(*offset));
        if let Some(object) = self.program.objects.get(object.index()) {
            let mut found: Vec<u64> = object.cells.iter().map(|cell| cell.offset).filter(contains).collect();
            if !object.shared {
                let end = object.cells.last().map_or(0, |cell| cell.offset + bytes(cell.width));
                let whole = |offset: &u64| {
                    let at = object.cells.binary_search_by_key(offset, |cell| cell.offset);
                    at.is_ok_and(|at| object.cells[at].width == width)
                };
                let others = class.up_to(end.saturating_sub(bytes(width))).filter(|offset| !whole(offset));
                found.extend(others.take(MAX_CELLS + 1));
            }
            return if found.len() > object.cells.len() + MAX_CELLS {
                Err(self.refuse(span, large))
            } else {
                Ok(found)
            };
        }
        self.foresee(object.0);
        let Some(made) = self.made.get(&object.0) else { return Ok(Vec::new()) };
        let (typed, last) = (made.typed, made.size.checked_sub(bytes(width)));
        let Some(last) = last else { return Ok(Vec::new()) };
        if !typed {
            // What is aligned comes first: so cells are as large as they can be.
            let aligned: Vec<u64> =
                (0..=last).step_by(bytes(width) as usize).filter(contains).take(MAX_CELLS + 1).collect();
            for offset in aligned {
                self.fit(Address { object, offset }, width);
            }
        }
        let found: Vec<u64> = class.up_to(last).take(MAX_CELLS + 1).collect();
        let whole = self.made.get(&object.0).map_or(0, |made| if typed { made.cells.len() } else { 0 });
        if found.len() > MAX_CELLS.max(whole) { Err(self.refuse(span, large)) } else { Ok(found) }
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

    /// What the value of a cell that makes no events depends on.
    fn held_taint(&self, state: &State, cell: Address) -> Taint {
        state.memory_taints.get(&cell).cloned().unwrap_or_default()
    }

    /// Reads a place that makes no events; if there is no cell at all, any value will do.
    pub fn read_private(&mut self, state: &State, place: &Place, width: Width) -> (Term, Taint) {
        if place.torn {
            return (self.structure.terms.fresh(width), Taint::new());
        }
        let mut found: Option<(Term, Taint)> = None;
        let whole: Vec<(Address, Option<&Spot>)> = place.cells.iter().map(|&cell| (cell, None)).collect();
        let others = place.parts.iter().map(|spot| (spot.start, Some(spot)));
        for (start, spot) in whole.into_iter().chain(others) {
            let (value, taint) = match spot {
                None => {
                    self.watch_broken(state, start, u64::MAX);
                    (self.held(state, start), self.held_taint(state, start))
                }
                Some(spot) => self.read_parts(state, spot, width),
            };
            let terms = &mut self.structure.terms;
            found = Some(match found {
                None => (value, taint),
                Some((other, other_taint)) => {
                    let here = terms.constant(start.to_bits(), Width::WORD);
                    let same = terms.eq(place.address, here);
                    let taint = merge_taints(terms, same, &taint, !same, &other_taint);
                    (terms.ite(same, value, other), taint)
                }
            });
        }
        found.unwrap_or_else(|| (self.structure.terms.constant(0, width), Taint::new()))
    }

    /// Puts a value together from parts of cells.
    fn read_parts(&mut self, state: &State, spot: &Spot, width: Width) -> (Term, Taint) {
        let (mut value, mut taint) = (self.structure.terms.constant(0, width), Taint::new());
        for part in &spot.parts {
            let (cell, cell_taint) = (self.held(state, part.cell), self.held_taint(state, part.cell));
            self.watch_part(cell, part.width());
            self.watch_broken(state, part.cell, part.mask());
            let terms = &mut self.structure.terms;
            let bits = part.extract(terms, cell, width);
            value = terms.binary(BinaryOp::Or, value, bits);
            taint = join_taints(terms, &taint, &cell_taint);
        }
        (value, taint)
    }

    /// Writes a place that makes no events, under a condition.
    pub fn write_private(&mut self, state: &mut State, place: &Place, (value, taint): (Term, &Taint), when: Bool) {
        if place.torn {
            return;
        }
        let only = place.cells.len() + place.parts.len() == 1;
        let mut writes = Vec::new();
        for &cell in &place.cells {
            writes.push((cell, cell, value, taint.clone(), 0));
        }
        for spot in &place.parts {
            for part in &spot.parts {
                if self.knowledge.shared.contains_key(&part.cell) {
                    self.watch_part(value, part.width());
                }
                let (old, old_taint) = (self.held(state, part.cell), self.held_taint(state, part.cell));
                let left = self.left_of_address(state, part, old);
                let terms = &mut self.structure.terms;
                let new = part.insert(terms, old, value);
                writes.push((spot.start, part.cell, new, join_taints(terms, &old_taint, taint), left));
            }
        }
        for (start, cell, value, taint, left) in writes {
            let (old, old_taint) = (self.held(state, cell), self.held_taint(state, cell));
            let terms = &mut self.structure.terms;
            let here = terms.constant(start.to_bits(), Width::WORD);
            let same = if only { Bool::TRUE } else { terms.eq(place.address, here) };
            let both = terms.and(same, when);
            let new = terms.ite(both, value, old);
            let new_taint = merge_taints(terms, both, &taint, !both, &old_taint);
            break_address(state, cell, left, both == Bool::TRUE);
            if new != old {
                state.effect(terms, both);
                Rc::make_mut(&mut state.memory).insert(cell, new);
            }
            if new_taint != old_taint {
                Rc::make_mut(&mut state.memory_taints).insert(cell, new_taint);
            }
        }
    }

    /// A value is written to shared cells where a condition holds: notes which addresses it can be.
    pub fn note_pointers(&mut self, cells: &[Address], value: Term, when: Bool, span: Span) -> Result<(), Halt> {
        self.escape(value, when);
        if self.structure.terms.width(value) != Width::WORD {
            return Ok(());
        }
        let objects = self.object_count();
        let pointers = self.pointers.pointers(&self.structure.terms, value, &|object| object < objects);
        if pointers.lost {
            return Err(self.refuse(span, "it cannot be told where this pointer points"));
        }
        for &cell in cells {
            self.grew |= self.knowledge.points.entry(cell).or_default().grow(&pointers);
        }
        Ok(())
    }

    /// A variable takes what shared cells hold: says which addresses it can be.
    pub fn learn_pointers(&mut self, variable: Term, cells: &[Address]) {
        if self.structure.terms.width(variable) == Width::WORD {
            let mut known = Pointers::default();
            cells.iter().filter_map(|cell| self.knowledge.points.get(cell)).for_each(|points| known.union(points));
            self.pointers.learn(variable, known);
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
    if is_life(cell.offset) && cell.object.index() < program.objects.len() {
        return terms.constant(0, LIFE_WIDTH);
    }
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
