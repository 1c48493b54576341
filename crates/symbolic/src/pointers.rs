//! Which addresses a term can be.

use ir::{Address, BinaryOp, UnaryOp};
use logic::{Term, TermNode, Terms};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The addresses that a term can be, besides numbers that are none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pointers {
    /// These.
    pub exact: BTreeSet<u64>,
    /// Any offset in these objects that leaves this remainder when divided by that number.
    pub inside: BTreeMap<u32, (u64, u64)>,
    /// Whether an address went through an operation that this analysis does not follow.
    pub lost: bool,
}

impl Pointers {
    fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.inside.is_empty()
    }

    fn add_inside(&mut self, object: u32, class: (u64, u64)) {
        let class = self.inside.get(&object).map_or(class, |&old| join(old, class));
        self.inside.insert(object, class);
    }

    fn union(&mut self, other: &Pointers) {
        self.exact.extend(&other.exact);
        other.inside.iter().for_each(|(&object, &class)| self.add_inside(object, class));
        self.lost |= other.lost;
    }
}

/// More exact addresses than this are taken as any offset.
const MAX_EXACT: usize = 64;

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// What two remainders have in common.
fn join((r1, g1): (u64, u64), (r2, g2): (u64, u64)) -> (u64, u64) {
    let g = gcd(gcd(g1, g2), r1.abs_diff(r2));
    (if g == 0 { r1 } else { r1 % g }, g)
}

/// A number and a divisor such that the term leaves that remainder; the divisor 0 means that it is that number.
fn congruence(terms: &Terms, term: Term) -> (u64, u64) {
    let reduce = |r: u64, g: u64| (if g == 0 { r } else { r % g }, g);
    match terms.node(term) {
        TermNode::Const(value) => (value, 0),
        TermNode::Ite(_, then, otherwise) => join(congruence(terms, then), congruence(terms, otherwise)),
        TermNode::Binary(op, a, b) => {
            let ((r1, g1), (r2, g2)) = (congruence(terms, a), congruence(terms, b));
            match op {
                BinaryOp::Add => {
                    let g = gcd(g1, g2);
                    reduce(r1.wrapping_add(r2), g)
                }
                BinaryOp::Mul if g2 == 0 => reduce(r1.wrapping_mul(r2), g1.wrapping_mul(r2)),
                BinaryOp::Mul if g1 == 0 => reduce(r2.wrapping_mul(r1), g2.wrapping_mul(r1)),
                BinaryOp::Shl if g2 == 0 && r2 < 32 => reduce(r1 << r2, g1 << r2),
                _ => (0, 1),
            }
        }
        TermNode::Var(_) | TermNode::Unary(..) => (0, 1),
    }
}

/// Finds the addresses that terms can be; what loads give is told by `known`.
#[derive(Debug, Default)]
pub struct Analysis {
    known: FxHashMap<Term, Rc<Pointers>>,
}

impl Analysis {
    /// A load gave this variable, which can be these addresses.
    pub fn learn(&mut self, variable: Term, exact: BTreeSet<u64>) {
        self.known.insert(variable, Rc::new(Pointers { exact, ..Pointers::default() }));
    }

    /// The addresses that a term can be.
    pub fn pointers(&mut self, terms: &Terms, term: Term, is_object: &dyn Fn(u32) -> bool) -> Rc<Pointers> {
        if let Some(known) = self.known.get(&term) {
            return Rc::clone(known);
        }
        let mut result = Pointers::default();
        match terms.node(term) {
            TermNode::Const(value) => {
                if Address::from_bits(value).is_some_and(|address| is_object(address.object.0)) {
                    result.exact.insert(value);
                }
            }
            TermNode::Var(_) => {}
            TermNode::Ite(_, then, otherwise) => {
                result = (*self.pointers(terms, then, is_object)).clone();
                result.union(&self.pointers(terms, otherwise, is_object));
            }
            TermNode::Unary(op, operand) => {
                let inner = self.pointers(terms, operand, is_object);
                let from = terms.width(operand);
                match op {
                    UnaryOp::Not | UnaryOp::Neg => result.lost = !inner.is_empty(),
                    UnaryOp::ZeroExtend(_) | UnaryOp::SignExtend(_) if from < ir::Width::WORD => {}
                    UnaryOp::ZeroExtend(_) | UnaryOp::SignExtend(_) => result = (*inner).clone(),
                    // Only the lower bits are left: no address any more, until somebody uses it as one.
                    UnaryOp::Truncate(_) => {}
                }
            }
            TermNode::Binary(op, a, b) => result = self.binary(terms, op, a, b, is_object),
        }
        if result.exact.len() > MAX_EXACT {
            for bits in std::mem::take(&mut result.exact) {
                if let Some(address) = Address::from_bits(bits) {
                    result.add_inside(address.object.0, (address.offset, 0));
                }
            }
        }
        let result = Rc::new(result);
        self.known.insert(term, Rc::clone(&result));
        result
    }

    fn binary(&mut self, terms: &Terms, op: BinaryOp, a: Term, b: Term, is_object: &dyn Fn(u32) -> bool) -> Pointers {
        let (left, right) = (self.pointers(terms, a, is_object), self.pointers(terms, b, is_object));
        let mut result = Pointers::default();
        let (pointers, other, other_pointers) = if left.is_empty() { (&right, a, &left) } else { (&left, b, &right) };
        if pointers.is_empty() {
            result.lost = left.lost || right.lost;
            return result;
        }
        // The difference of two addresses is a number.
        if op == BinaryOp::Sub && !right.is_empty() {
            return result;
        }
        let follows = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
        if !follows || !other_pointers.is_empty() {
            result.lost = true;
            return result;
        }
        let width = terms.width(a);
        if let Some(constant) = terms.as_const(other) {
            for &bits in &pointers.exact {
                let value = ir::eval_binary(op, bits, constant, width).0;
                if Address::from_bits(value).is_some_and(|address| is_object(address.object.0)) {
                    result.exact.insert(value);
                }
            }
        } else {
            let (r, g) = if op == BinaryOp::Add { congruence(terms, other) } else { (0, 1) };
            for &bits in &pointers.exact {
                if let Some(address) = Address::from_bits(bits) {
                    let sum = address.offset.wrapping_add(r);
                    result.add_inside(address.object.0, (if g == 0 { sum } else { sum % g }, g));
                }
            }
        }
        let (r, g) = if op == BinaryOp::Add { congruence(terms, other) } else { (0, 1) };
        for (&object, &(r1, g1)) in &pointers.inside {
            let g = gcd(g1, g);
            let sum = r1.wrapping_add(r);
            result.add_inside(object, (if g == 0 { sum } else { sum % g }, g));
        }
        result.lost = pointers.lost;
        result
    }
}
