//! Accesses to shared memory: to one cell, or to several at once.
//!
//! An access to several cells makes an event for each of them. They have the same instruction and no order among themselves, and
//! the dependencies of the instruction are those of each. If the access is aligned, or locked, nobody sees it in part: it is
//! single-copy atomic. This is the mixed-size reading of Alglave, Deacon, Grisenthwaite, Hacquard and Maranget ("Armed Cats",
//! TOPLAS 2021), with the coarsest cells that all accesses respect instead of bytes.
//!
//! Where an address is not known the access may be cut in different ways at different places. Each way makes events of its
//! own, under the condition that it is this one.

use crate::memory::Place;
use crate::ops::Action;
use crate::parts::{bytes, place_bits, take_bits};
use crate::run::{Halt, Run};
use crate::state::{State, Taint, join_taints, taint_of};
use crate::structure::{Group, Kind};
use ir::{Address, BinaryOp, TagSet, Width};
use logic::{Bool, Term};
use source::Span;

/// What kind of access it is.
pub struct Access<'a> {
    pub kind: Kind,
    pub tags: &'a TagSet,
    pub span: Span,
    /// Whether it is a half of a read-modify-write, which is atomic wherever it is.
    pub locked: bool,
}

/// What a read gives: the value, what it depends on, and the events that it makes.
pub struct Found {
    pub value: Term,
    pub taint: Taint,
    pub reads: Vec<u32>,
}

/// A way in which an access is cut: its cells, as bytes of the access and widths, and where it can begin.
struct Shape {
    pieces: Vec<(u64, Width)>,
    atomic: bool,
    starts: Vec<Address>,
}

impl Run<'_> {
    /// Reads a place.
    pub fn read(&mut self, state: &State, at: &Place, width: Width, addr_taint: &Taint, access: &Access<'_>) -> Found {
        if !at.shared {
            let (value, taint) = self.read_private(state, at, width);
            let taint = join_taints(&mut self.structure.terms, &taint, addr_taint);
            return Found { value, taint, reads: Vec::new() };
        }
        let mut found: Option<Term> = None;
        let (mut taint, mut reads) = (Taint::new(), Vec::new());
        for (here, parts, group) in self.ways(at, width, access) {
            let guard = self.structure.terms.and(state.guard, here);
            let mut whole: Option<Term> = None;
            for (byte, piece, place) in parts {
                let value = self.structure.terms.fresh(piece);
                self.learn_pointers(value, &place.cells);
                let action = Action { kind: access.kind, guard, value, tags: access.tags, span: access.span, group };
                let read = self.event(state, &place, addr_taint, &action);
                reads.push(read);
                let terms = &mut self.structure.terms;
                if self.settings.dependencies {
                    taint = join_taints(terms, &taint, &taint_of(read, Bool::TRUE));
                }
                whole = Some(join_bits(terms, whole, value, byte, width));
            }
            let terms = &mut self.structure.terms;
            let whole = whole.unwrap_or_else(|| terms.constant(0, width));
            found = Some(found.map_or(whole, |other| terms.ite(here, whole, other)));
        }
        let value = found.unwrap_or_else(|| self.structure.terms.constant(0, width));
        Found { value, taint, reads }
    }

    /// Writes shared cells where a condition holds. Gives the events.
    pub fn write(
        &mut self,
        state: &State,
        at: &Place,
        value: Term,
        when: Bool,
        (addr_taint, taint): (&Taint, &Taint),
        access: &Access<'_>,
    ) -> Result<Vec<u32>, Halt> {
        let width = self.structure.terms.width(value);
        let mut writes = Vec::new();
        for (here, parts, group) in self.ways(at, width, access) {
            let guard = self.structure.terms.all([state.guard, when, here]);
            for (byte, piece, place) in parts {
                self.watch_part(value, piece);
                let value = take_bits(&mut self.structure.terms, value, byte, piece);
                let action = Action { kind: access.kind, guard, value, tags: access.tags, span: access.span, group };
                let write = self.event(state, &place, addr_taint, &action);
                self.depend(write, taint, |s| &mut s.data);
                self.note_pointers(&place.cells, value, guard, access.span)?;
                writes.push(write);
            }
        }
        Ok(writes)
    }

    /// Reads several cells in an atomic section. There nobody can see them in part anyway.
    pub fn read_parts_in_section(
        &mut self,
        state: &mut State,
        at: &Place,
        width: Width,
        addr_taint: &Taint,
        tags: &TagSet,
        span: Span,
    ) -> Result<(Term, Taint), Halt> {
        let access = Access { kind: Kind::Read, tags, span, locked: false };
        let (mut found, mut all) = (None, Taint::new());
        let mut states = Vec::new();
        for (here, parts, _) in self.ways(at, width, &access) {
            let mut branch = state.clone();
            branch.guard = self.structure.terms.and(branch.guard, here);
            let mut whole = None;
            for (byte, piece, place) in parts {
                let (value, taint) = self.read_in_section(&mut branch, &place, piece, addr_taint, tags, span)?;
                let terms = &mut self.structure.terms;
                whole = Some(join_bits(terms, whole, value, byte, width));
                all = join_taints(terms, &all, &taint);
            }
            let terms = &mut self.structure.terms;
            let whole = whole.unwrap_or_else(|| terms.constant(0, width));
            found = Some(found.map_or(whole, |other| terms.ite(here, whole, other)));
            states.push(branch);
        }
        self.meet_in_section(state, states)?;
        Ok((found.unwrap_or_else(|| self.structure.terms.constant(0, width)), all))
    }

    /// Writes several cells in an atomic section.
    pub fn write_parts_in_section(
        &mut self,
        state: &mut State,
        at: &Place,
        value: Term,
        taint: &Taint,
        when: Bool,
    ) -> Result<(), Halt> {
        let width = self.structure.terms.width(value);
        let tags = TagSet::default();
        let access = Access { kind: Kind::Write, tags: &tags, span: self.current.at, locked: false };
        let mut states = Vec::new();
        for (here, parts, _) in self.ways(at, width, &access) {
            let mut branch = state.clone();
            branch.guard = self.structure.terms.and(branch.guard, here);
            for (byte, piece, place) in parts {
                self.watch_part(value, piece);
                let value = take_bits(&mut self.structure.terms, value, byte, piece);
                self.write_in_section(&mut branch, &place, value, taint, when)?;
            }
            states.push(branch);
        }
        self.meet_in_section(state, states)
    }

    /// The ways of an access meet again: only what the section knows has changed.
    fn meet_in_section(&mut self, state: &mut State, states: Vec<State>) -> Result<(), Halt> {
        if let Some(merged) = self.merge(states)? {
            *state = State { guard: state.guard, ..merged };
        }
        Ok(())
    }

    /// The ways in which an access to shared cells can be cut: when it is this one, the pieces, and their group.
    #[allow(clippy::type_complexity)]
    fn ways(
        &mut self,
        at: &Place,
        width: Width,
        access: &Access<'_>,
    ) -> Vec<(Bool, Vec<(u64, Width, Place)>, Option<Group>)> {
        let shapes = self.shapes(at, width, access.locked);
        let several = shapes.len() > 1;
        let mut ways = Vec::with_capacity(shapes.len());
        for Shape { pieces, atomic, starts } in shapes {
            let terms = &mut self.structure.terms;
            let mut here = Bool::constant(!several);
            for start in starts.iter().filter(|_| several) {
                let bits = terms.constant(start.to_bits(), Width::WORD);
                let same = terms.eq(at.address, bits);
                here = terms.or(here, same);
            }
            let mut parts = Vec::with_capacity(pieces.len());
            for &(byte, piece) in &pieces {
                let offset = terms.constant(byte, Width::WORD);
                let address = terms.binary(BinaryOp::Add, at.address, offset);
                let cells = starts.iter().map(|start| Address { offset: start.offset + byte, ..*start }).collect();
                parts.push((byte, piece, Place::shared(address, cells)));
            }
            let group = (pieces.len() > 1).then(|| {
                self.groups += 1;
                Group { number: self.groups - 1, atomic }
            });
            ways.push((here, parts, group));
        }
        ways
    }

    fn shapes(&mut self, at: &Place, width: Width, locked: bool) -> Vec<Shape> {
        let mut shapes: Vec<Shape> = Vec::new();
        let mut add = |start: Address, pieces: Vec<(u64, Width)>, atomic: bool| match shapes
            .iter_mut()
            .find(|shape| shape.pieces == pieces && shape.atomic == atomic)
        {
            Some(shape) => shape.starts.push(start),
            None => shapes.push(Shape { pieces, atomic, starts: vec![start] }),
        };
        at.cells.iter().for_each(|&cell| add(cell, vec![(0, width)], true));
        for spot in &at.parts {
            let pieces = spot.parts.iter().map(|part| (part.byte(), part.width)).collect();
            add(spot.start, pieces, locked || self.is_aligned(spot.start, width));
        }
        shapes
    }

    /// Whether an access is certainly aligned: the object is, and its place in the object.
    pub fn is_aligned(&self, start: Address, width: Width) -> bool {
        let size = bytes(width);
        start.offset.is_multiple_of(size) && self.align(start.object.0).is_multiple_of(size)
    }
}

/// Adds the bits of a value from a byte on.
fn join_bits(terms: &mut logic::Terms, others: Option<Term>, value: Term, byte: u64, width: Width) -> Term {
    let bits = place_bits(terms, value, byte, width);
    others.map_or(bits, |others| terms.binary(BinaryOp::Or, others, bits))
}
