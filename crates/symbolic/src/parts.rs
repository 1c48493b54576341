//! Accesses that are not one whole cell: parts of cells, and several cells at once.

use ir::{Address, BinaryOp, UnaryOp, Width};
use logic::{Term, Terms};
use std::collections::BTreeSet;

/// Where an access can begin that is not one whole cell, and what it consists of.
#[derive(Debug)]
pub struct Spot {
    pub start: Address,
    pub parts: Vec<Part>,
}

/// The bits of a cell that an access takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub cell: Address,
    /// The width of the cell.
    pub width: Width,
    /// How many bits of the cell are below those of the access.
    below: u32,
    /// Where in the value of the access the bits are.
    at: u32,
    /// How many they are.
    bits: u32,
}

/// Where an access goes.
#[derive(Debug, PartialEq, Eq)]
pub enum Fit {
    /// To one whole cell.
    Cell,
    /// To these parts of cells.
    Parts(Vec<Part>),
    /// Some byte of it is in no cell.
    Nowhere,
}

/// How many bytes a value takes in memory.
pub fn bytes(width: Width) -> u64 {
    u64::from(width.bits().div_ceil(8))
}

/// Where an access goes that begins at an address, among cells by offset. The first byte is at the lowest bits.
pub fn fit(cells: impl Iterator<Item = (u64, Width)>, start: Address, access: Width) -> Fit {
    let Some(end) = start.offset.checked_add(bytes(access)) else { return Fit::Nowhere };
    let mut parts = Vec::new();
    let mut at = start.offset;
    for (offset, width) in cells {
        if offset + bytes(width) <= at {
            continue;
        }
        if offset == start.offset && width == access {
            return Fit::Cell;
        }
        if offset > at {
            break;
        }
        let until = end.min(offset + bytes(width));
        parts.push(Part {
            cell: Address { offset, ..start },
            width,
            below: 8 * (at - offset) as u32,
            at: 8 * (at - start.offset) as u32,
            bits: 8 * (until - at) as u32,
        });
        at = until;
        if at == end {
            return Fit::Parts(parts);
        }
    }
    Fit::Nowhere
}

/// What a cell falls into where it is cut: offsets and widths.
pub fn pieces(offset: u64, width: Width, cuts: &BTreeSet<u64>) -> Vec<(u64, Width)> {
    let end = offset + bytes(width);
    let inside: Vec<u64> = cuts.range(offset + 1..end).copied().collect();
    if inside.is_empty() {
        return vec![(offset, width)];
    }
    let ends = inside.iter().copied().chain([end]);
    let starts = std::iter::once(offset).chain(inside.iter().copied());
    starts.zip(ends).map(|(from, to)| (from, Width::new(8 * (to - from) as u8))).collect()
}

impl Part {
    /// Whether it is all of its cell.
    pub fn is_whole(&self) -> bool {
        self.below == 0 && self.bits >= self.width.bits()
    }

    /// The bits of the cell that are taken.
    pub fn mask(&self) -> u64 {
        self.width().mask() << self.below
    }

    /// At which byte of the access it begins.
    pub fn byte(&self) -> u64 {
        u64::from(self.at / 8)
    }

    /// How many bits of the cell are taken.
    pub fn width(&self) -> Width {
        Width::new(self.bits as u8)
    }

    /// The bits of the cell at their place in a value of this width.
    pub fn extract(&self, terms: &mut Terms, cell: Term, width: Width) -> Term {
        let moved = shift(terms, BinaryOp::LShr, cell, self.below);
        let bits = resize(terms, moved, Width::new(self.bits as u8));
        let wide = resize(terms, bits, width);
        shift(terms, BinaryOp::Shl, wide, self.at)
    }

    /// The cell with its bits taken from the value of the access.
    pub fn insert(&self, terms: &mut Terms, cell: Term, value: Term) -> Term {
        let moved = shift(terms, BinaryOp::LShr, value, self.at);
        let bits = resize(terms, moved, Width::new(self.bits as u8));
        if self.bits == self.width.bits() {
            return bits;
        }
        let wide = resize(terms, bits, self.width);
        let new = shift(terms, BinaryOp::Shl, wide, self.below);
        let mask = terms.constant(!(Width::new(self.bits as u8).mask() << self.below), self.width);
        let kept = terms.binary(BinaryOp::And, cell, mask);
        terms.binary(BinaryOp::Or, kept, new)
    }
}

/// A value, moved up by so many bytes in one of this width.
pub fn place_bits(terms: &mut Terms, value: Term, byte: u64, width: Width) -> Term {
    let wide = resize(terms, value, width);
    shift(terms, BinaryOp::Shl, wide, 8 * byte as u32)
}

/// The bits of a value that begin at a byte.
pub fn take_bits(terms: &mut Terms, value: Term, byte: u64, width: Width) -> Term {
    let moved = shift(terms, BinaryOp::LShr, value, 8 * byte as u32);
    resize(terms, moved, width)
}

fn shift(terms: &mut Terms, op: BinaryOp, value: Term, by: u32) -> Term {
    if by == 0 {
        return value;
    }
    let by = terms.constant(u64::from(by), terms.width(value));
    terms.binary(op, value, by)
}

fn resize(terms: &mut Terms, value: Term, to: Width) -> Term {
    let from = terms.width(value);
    match to.cmp(&from) {
        std::cmp::Ordering::Less => terms.unary(UnaryOp::Truncate(to), value),
        std::cmp::Ordering::Equal => value,
        std::cmp::Ordering::Greater => terms.unary(UnaryOp::ZeroExtend(to), value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::ObjectId;

    fn at(offset: u64) -> Address {
        Address { object: ObjectId(0), offset }
    }

    #[test]
    fn a_cell_is_taken_whole_or_in_parts() {
        let cells = || [(0, Width::WORD), (8, Width::INT), (12, Width::new(8))].into_iter();
        assert_eq!(fit(cells(), at(0), Width::WORD), Fit::Cell);
        assert_eq!(fit(cells(), at(8), Width::INT), Fit::Cell);
        let Fit::Parts(upper) = fit(cells(), at(4), Width::INT) else { panic!("a part of the first cell") };
        assert_eq!((upper[0].cell, upper[0].below, upper[0].at, upper[0].bits), (at(0), 32, 0, 32));
        let Fit::Parts(both) = fit(cells(), at(4), Width::WORD) else { panic!("parts of two cells") };
        assert_eq!((both[1].cell, both[1].below, both[1].at, both[1].bits), (at(8), 0, 32, 32));
        assert_eq!(fit(cells(), at(12), Width::INT), Fit::Nowhere);
        assert_eq!(fit(cells(), at(16), Width::INT), Fit::Nowhere);
    }

    #[test]
    fn a_cell_is_cut_at_the_offsets_inside_it() {
        let cuts = BTreeSet::from([4, 5, 8]);
        assert_eq!(pieces(0, Width::INT, &cuts), [(0, Width::INT)]);
        let cut = [(4, Width::new(8)), (5, Width::new(24))];
        assert_eq!(pieces(4, Width::INT, &cuts), cut);
        assert_eq!(pieces(8, Width::WORD, &cuts), [(8, Width::WORD)]);
    }

    #[test]
    fn what_is_put_in_comes_out() {
        let mut terms = Terms::new();
        let cell = terms.constant(0x1122_3344_5566_7788, Width::WORD);
        let value = terms.constant(0xAABB, Width::new(16));
        let part = Part { cell: at(0), width: Width::WORD, below: 24, at: 0, bits: 16 };
        let changed = part.insert(&mut terms, cell, value);
        assert_eq!(terms.as_const(changed), Some(0x1122_33AA_BB66_7788));
        let read = part.extract(&mut terms, changed, Width::new(16));
        assert_eq!(terms.as_const(read), Some(0xAABB));
    }
}
