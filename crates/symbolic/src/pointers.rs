//! Which addresses a term can be.

use crate::congruence::{Class, Classes};
use ir::life::{LIFE, is_life};
use ir::{Address, BinaryOp, UnaryOp, Width};
use logic::{Term, TermNode, Terms};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The addresses that a term can be, besides numbers that are none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pointers {
    /// These, also where they are outside of their object.
    pub exact: BTreeSet<u64>,
    /// Any offset in these objects that is in the class.
    pub inside: BTreeMap<u32, Class>,
    /// Whether an address went through an operation that this analysis does not follow.
    pub lost: bool,
}

impl Pointers {
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.inside.is_empty()
    }

    fn add_inside(&mut self, object: u32, class: Class) {
        let class = class.within(Width::WORD);
        let class = self.inside.get(&object).map_or(class, |&old| old.join(class));
        self.inside.insert(object, class);
    }

    pub fn union(&mut self, other: &Pointers) {
        self.exact.extend(&other.exact);
        other.inside.iter().for_each(|(&object, &class)| self.add_inside(object, class));
        self.lost |= other.lost;
    }

    /// Adds the addresses of a value that is written, as they are kept from run to run. Says whether any are new.
    pub fn grow(&mut self, written: &Pointers) -> bool {
        let before = self.clone();
        for (&object, &class) in &written.inside {
            self.add_inside(object, class);
        }
        let covered = |inside: &BTreeMap<u32, Class>, bits: u64| {
            near(bits).is_some_and(|(object, offset)| inside.get(&object).is_some_and(|class| class.contains(offset)))
        };
        self.exact.extend(written.exact.iter().filter(|&&bits| !covered(&self.inside, bits)));
        self.coarsen();
        self.inside.values_mut().for_each(|class| *class = class.settled());
        *self != before
    }

    /// Too many addresses become classes. Life cells stay as they are: no class of offsets inside an object has them.
    fn coarsen(&mut self) {
        if self.exact.len() > MAX_EXACT {
            let lives = |&bits: &u64| Address::from_bits(bits).is_some_and(|address| is_life(address.offset));
            let (lives, others) = std::mem::take(&mut self.exact).into_iter().partition(lives);
            self.exact = lives;
            for bits in BTreeSet::<u64>::into_iter(others) {
                if let Some((object, offset)) = near(bits) {
                    self.add_inside(object, Class::exactly(offset));
                }
            }
        }
    }
}

/// More exact addresses than this are taken as any offset.
const MAX_EXACT: usize = 64;

/// The object that an address belongs to, and the offset in it: one that is a little too small belongs to the object behind
/// it.
fn near(bits: u64) -> Option<(u32, i128)> {
    const HALF: u64 = 1 << 39;
    let address = Address::from_bits(bits.wrapping_add(HALF))?;
    Some((address.object.0, i128::from(address.offset) - i128::from(HALF)))
}

/// The object that a number is an address of, if it is one.
pub fn object_near(bits: u64) -> Option<u32> {
    near(bits).map(|(object, _)| object)
}

/// Finds the addresses that terms can be; what loads give is told by `known`.
#[derive(Debug, Default)]
pub struct Analysis {
    known: FxHashMap<Term, Rc<Pointers>>,
    classes: Classes,
}

impl Analysis {
    /// A load gave this variable, which can be these addresses.
    pub fn learn(&mut self, variable: Term, pointers: Pointers) {
        self.known.insert(variable, Rc::new(pointers));
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
                    UnaryOp::ZeroExtend(_) | UnaryOp::SignExtend(_) if from < Width::WORD => {}
                    UnaryOp::ZeroExtend(_) | UnaryOp::SignExtend(_) => result = (*inner).clone(),
                    // Only the lower bits are left: no address any more, until somebody uses it as one.
                    UnaryOp::Truncate(_) => {}
                    UnaryOp::Life => {
                        result.exact = inner.exact.iter().map(|&bits| ir::life::life_of(bits)).collect();
                        let life = |&object: &u32| Address { object: ir::ObjectId(object), offset: LIFE }.to_bits();
                        result.exact.extend(inner.inside.keys().map(life));
                        result.lost = inner.lost;
                    }
                }
            }
            TermNode::Binary(op, a, b) => result = self.binary(terms, op, a, b, is_object),
        }
        result.coarsen();
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
        let class = matches!(op, BinaryOp::Add | BinaryOp::Sub).then(|| self.classes.of(terms, other));
        let step = class.map(|class| if op == BinaryOp::Sub { class.negated() } else { class });
        let unknown = Class::anything();
        match terms.as_const(other) {
            Some(constant) => {
                let values = pointers.exact.iter().map(|&bits| ir::eval_binary(op, bits, constant, width).0);
                result.exact.extend(values.filter(|&value| near(value).is_some_and(|(object, _)| is_object(object))));
            }
            None => {
                for (object, offset) in pointers.exact.iter().filter_map(|&bits| near(bits)) {
                    let class = step.map_or(unknown, |step| step.plus(Class::exactly(offset)));
                    result.add_inside(object, class);
                }
            }
        }
        for (&object, &class) in &pointers.inside {
            result.add_inside(object, step.map_or(unknown, |step| step.plus(class)));
        }
        result.lost = pointers.lost;
        result
    }
}
