//! Addresses as numbers: which operands can be addresses is known from [`crate::pointers`], what may be done with them is said
//! by [`ir::numbers`].

use crate::parts::Part;
use crate::pointers::Pointers;
use crate::run::Run;
use crate::state::State;
use ir::life::LIFE;
use ir::numbers::{Sight, check_binary, check_unary};
use ir::{Address, BinaryOp, ObjectId, UnaryOp, Width};
use logic::{Term, TermNode, Terms};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What is wrong with a pointer of which some bytes were overwritten.
const BROKEN: &str = "a part of an address was overwritten, and nobody knows which number is left";

impl Run<'_> {
    /// Notes that an operation tells which number an address is.
    pub fn watch_unary(&mut self, op: UnaryOp, operand: Term) {
        let operand = self.sight(operand);
        self.note_sight(check_unary(op, operand));
    }

    /// The same for two operands.
    pub fn watch_binary(&mut self, op: BinaryOp, left: Term, right: Term) {
        let (one, other) = (self.sight(left), self.sight(right));
        self.note_sight(check_binary(op, one, other, left == right));
    }

    /// Whether two terms are the life cells of objects that they can never share. (What is no address has none: its access has failed.)
    pub fn are_apart(&mut self, left: Term, right: Term) -> bool {
        let terms = &self.structure.terms;
        let is_life = |term: Term| match terms.node(term) {
            TermNode::Unary(UnaryOp::Life, _) => true,
            TermNode::Const(bits) => Address::from_bits(bits).is_some_and(|address| address.offset == LIFE),
            TermNode::Var(_) | TermNode::Ite(..) | TermNode::Unary(..) | TermNode::Binary(..) => false,
        };
        if !is_life(left) || !is_life(right) {
            return false;
        }
        let count = self.object_count();
        let mut lives = |term| self.pointers.pointers(&self.structure.terms, term, &|object| object < count);
        let (left, right) = (lives(left), lives(right));
        let known = |lives: &Pointers| !lives.lost && lives.inside.is_empty() && !lives.exact.is_empty();
        known(&left) && known(&right) && left.exact.is_disjoint(&right.exact)
    }

    /// Notes that a part of a cell is read that can hold an address.
    pub fn watch_part(&mut self, cell: Term, part: Width) {
        if part < self.structure.terms.width(cell) {
            self.watch_unary(UnaryOp::Truncate(part), cell);
        }
    }

    /// Notes that bits of a cell are read that are left of an address of which others were overwritten.
    pub fn watch_broken(&mut self, state: &State, cell: Address, bits: u64) {
        if state.broken.get(&cell).is_some_and(|left| left & bits != 0) {
            self.note_sight(Err(BROKEN));
        }
    }

    /// Which bits of an address are left in a cell when a part of it is overwritten.
    pub fn left_of_address(&mut self, state: &State, part: &Part, old: Term) -> u64 {
        let before = match state.broken.get(&part.cell) {
            Some(&left) => left,
            None if !part.is_whole() && matches!(self.sight(old), Sight::Address(..)) => u64::MAX,
            None => 0,
        };
        before & !part.mask()
    }

    fn note_sight(&mut self, checked: Result<(), &'static str>) {
        if let Err(what) = checked {
            let halt = self.refuse(self.current.at, what);
            self.doubt.get_or_insert(halt);
        }
    }

    /// What is known of a term: whether it can be an address, or else how large it is.
    fn sight(&mut self, term: Term) -> Sight {
        let number = |terms: &Terms| {
            let known = terms.as_const(term);
            known.map_or_else(|| Sight::Number(0, most(terms, term, 0)), |value| Sight::Number(value, value))
        };
        if self.structure.terms.width(term) != Width::WORD {
            return number(&self.structure.terms);
        }
        let count = self.object_count();
        let pointers = self.pointers.pointers(&self.structure.terms, term, &|object| object < count);
        if pointers.is_empty() {
            return number(&self.structure.terms);
        }
        let exact = pointers.exact.iter().filter_map(|&bits| Address::from_bits(bits)).map(|address| address.object.0);
        let objects: BTreeSet<u32> = exact.chain(pointers.inside.keys().copied()).collect();
        let align = objects.iter().map(|&object| self.align(object)).min().unwrap_or(1);
        let only = (objects.len() == 1).then(|| objects.first().copied()).flatten();
        Sight::Address(only.map(ObjectId), align)
    }

    /// What the address of an object is a multiple of.
    pub fn align(&self, object: u32) -> u64 {
        let own = self.program.objects.get(object as usize).map(|object| object.align);
        own.or_else(|| self.knowledge.made.get(&object).map(|object| object.align)).unwrap_or(1)
    }
}

/// A write leaves these bits of an address in a cell. One that may not take place leaves what was there, too.
pub fn break_address(state: &mut State, cell: Address, left: u64, sure: bool) {
    let before = state.broken.get(&cell).copied().unwrap_or(0);
    let after = if sure { left } else { left | before };
    if after == before {
        return;
    }
    let broken = Rc::make_mut(&mut state.broken);
    match after {
        0 => _ = broken.remove(&cell),
        _ => _ = broken.insert(cell, after),
    }
}

/// How deep terms are looked into for their largest value.
const DEPTH: u32 = 16;

/// The largest number that a term can be, as far as its shape tells.
pub fn most(terms: &Terms, term: Term, depth: u32) -> u64 {
    let all = terms.width(term).mask();
    if depth > DEPTH {
        return all;
    }
    let most = |term| most(terms, term, depth + 1);
    match terms.node(term) {
        TermNode::Const(value) => value,
        TermNode::Var(_) => all,
        TermNode::Ite(_, then, otherwise) => most(then).max(most(otherwise)),
        TermNode::Unary(UnaryOp::ZeroExtend(_), operand) => most(operand),
        TermNode::Unary(
            UnaryOp::Not | UnaryOp::Neg | UnaryOp::SignExtend(_) | UnaryOp::Truncate(_) | UnaryOp::Life,
            _,
        ) => all,
        TermNode::Binary(BinaryOp::And, left, right) => most(left).min(most(right)),
        TermNode::Binary(..) => all,
    }
}
