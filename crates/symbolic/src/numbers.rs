//! Addresses as numbers.
//!
//! Nobody can predict an address beyond its alignment and that objects do not overlap. The words that stand for addresses
//! here are one choice among many, so a program that looks at parts of an address, or compares addresses of different
//! objects, is refused: what would be found out is true of this choice only.

use crate::pointers::Pointers;
use crate::run::Run;
use ir::{Address, BinaryOp, UnaryOp, Width};
use logic::Term;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Objects are aligned to this many bytes: the bits of addresses below that are known.
const ALIGNMENT: u64 = 8;

/// Where integers have 32 bits, the front end puts an address into one by means of this shift and this mask, and takes it
/// out again.
const OBJECT_SHIFT: u64 = 40;
const OFFSET_MASK: u64 = 0xf_ffff;

impl Run<'_> {
    /// The addresses that a term can be, if it is a word and can be any.
    fn addresses(&mut self, term: Term) -> Option<Rc<Pointers>> {
        if self.structure.terms.width(term) != Width::WORD {
            return None;
        }
        let objects = self.object_count();
        let pointers = self.pointers.pointers(&self.structure.terms, term, &|object| object < objects);
        (!pointers.is_empty()).then_some(pointers)
    }

    /// Notes that a part of an address is looked at.
    pub fn watch_unary(&mut self, op: UnaryOp, operand: Term) {
        if matches!(op, UnaryOp::Truncate(_)) && self.addresses(operand).is_some() {
            self.observed("a part of an address is used as a number, and nobody knows which number");
        }
    }

    /// Notes that something is computed from an address that depends on which number it is.
    pub fn watch_binary(&mut self, op: BinaryOp, left: Term, right: Term) {
        let reveals = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Eq | BinaryOp::Ne => return,
            BinaryOp::Mul | BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem | BinaryOp::Shl => {
                self.addresses(left).is_some() || self.addresses(right).is_some()
            }
            BinaryOp::LShr | BinaryOp::AShr => {
                self.structure.terms.as_const(right) != Some(OBJECT_SHIFT) && self.addresses(left).is_some()
            }
            BinaryOp::And => {
                let mask = self.structure.terms.as_const(right).or(self.structure.terms.as_const(left));
                let low = |mask: u64| (ALIGNMENT..1 << OBJECT_SHIFT).contains(&mask) && mask != OFFSET_MASK;
                mask.is_some_and(low) && (self.addresses(left).is_some() || self.addresses(right).is_some())
            }
            BinaryOp::ULt | BinaryOp::ULe | BinaryOp::SLt | BinaryOp::SLe => self.compares(left, right),
        };
        if reveals {
            self.observed(
                "the number of an address is computed with, or compared, and nobody knows which number it is",
            );
        }
    }

    /// Whether an order is asked for of addresses that are not all of one object.
    fn compares(&mut self, left: Term, right: Term) -> bool {
        let (left_pointers, right_pointers) = (self.addresses(left), self.addresses(right));
        let is_zero = |run: &Self, term: Term| run.structure.terms.as_const(term) == Some(0);
        match (left_pointers, right_pointers) {
            (None, None) => false,
            (Some(_), None) => !is_zero(self, right),
            (None, Some(_)) => !is_zero(self, left),
            (Some(left), Some(right)) => {
                let objects: BTreeSet<u32> = [left, right].iter().flat_map(|pointers| objects(pointers)).collect();
                objects.len() > 1
            }
        }
    }

    fn observed(&mut self, what: &str) {
        let halt = self.refuse(self.current.at, what);
        self.doubt.get_or_insert(halt);
    }
}

/// The objects that these addresses are in.
fn objects(pointers: &Pointers) -> Vec<u32> {
    let exact = pointers.exact.iter().filter_map(|&bits| Address::from_bits(bits)).map(|address| address.object.0);
    exact.chain(pointers.inside.keys().copied()).collect()
}
