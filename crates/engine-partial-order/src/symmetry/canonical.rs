//! Terms up to a renaming of variables and the order of conjuncts.

use ir::{BinaryOp, UnaryOp, Width};
use logic::{Bool, BoolNode, Term, TermNode, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What a term is, of parts that have numbers. Signs of truth values are the last bits of their numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    True,
    Flag(u32),
    And(Rc<Vec<u32>>),
    Eq(u32, u32),
    Ult(u32, u32),
    Slt(u32, u32),
    Const(u64, Width),
    Var(u32),
    Ite(u32, u32, u32),
    Unary(UnaryOp, u32, Width),
    Binary(BinaryOp, u32, u32),
}

/// Numbers for terms: equal terms have equal numbers, also if conjuncts come in another order.
#[derive(Debug, Default)]
pub(super) struct Canon {
    numbers: FxHashMap<Key, u32>,
}

/// An exchange of variables: each is its own partner's partner.
#[derive(Debug, Default)]
pub(super) struct Swap {
    flags: FxHashMap<u32, u32>,
    vars: FxHashMap<u32, u32>,
    /// Pairs that were already made equal.
    met: FxHashSet<(Bool, Bool)>,
    met_terms: FxHashSet<(Term, Term)>,
}

/// Numbers of terms in which variables are exchanged.
#[derive(Debug, Default)]
pub(super) struct View<'s> {
    swap: Option<&'s Swap>,
    bools: FxHashMap<usize, u32>,
    terms: FxHashMap<Term, u32>,
    /// The conjuncts of conjunctions, sorted.
    conjuncts: FxHashMap<usize, Rc<Vec<u32>>>,
}

impl Swap {
    /// Exchanges variables so that one truth value becomes the other, if that can be.
    pub(super) fn unify(&mut self, terms: &Terms, a: Bool, b: Bool) -> bool {
        if a.is_negated() != b.is_negated() {
            return false;
        }
        if !self.met.insert((a, b)) {
            return true;
        }
        match (terms.bool_node(a), terms.bool_node(b)) {
            (BoolNode::True, BoolNode::True) => true,
            (BoolNode::Var(a), BoolNode::Var(b)) => exchange(&mut self.flags, a, b),
            (BoolNode::And(a, c), BoolNode::And(b, d)) => self.unify(terms, a, b) && self.unify(terms, c, d),
            (BoolNode::Eq(a, c), BoolNode::Eq(b, d)) => self.unify_either_way(terms, (a, c), (b, d)),
            (BoolNode::Ult(a, c), BoolNode::Ult(b, d)) | (BoolNode::Slt(a, c), BoolNode::Slt(b, d)) => {
                self.unify_terms(terms, a, b) && self.unify_terms(terms, c, d)
            }
            (
                BoolNode::True
                | BoolNode::Var(_)
                | BoolNode::And(..)
                | BoolNode::Eq(..)
                | BoolNode::Ult(..)
                | BoolNode::Slt(..),
                _,
            ) => false,
        }
    }

    /// The same for the operands of something that commutes: in their order if they look alike, else crosswise.
    fn unify_either_way(&mut self, terms: &Terms, (a, c): (Term, Term), (b, d): (Term, Term)) -> bool {
        let kind = |term: Term| std::mem::discriminant(&terms.node(term));
        if kind(a) == kind(b) {
            self.unify_terms(terms, a, b) && self.unify_terms(terms, c, d)
        } else {
            self.unify_terms(terms, a, d) && self.unify_terms(terms, c, b)
        }
    }

    /// The same for bit-vectors.
    pub(super) fn unify_terms(&mut self, terms: &Terms, a: Term, b: Term) -> bool {
        if terms.width(a) != terms.width(b) {
            return false;
        }
        if !self.met_terms.insert((a, b)) {
            return true;
        }
        match (terms.node(a), terms.node(b)) {
            (TermNode::Const(a), TermNode::Const(b)) => a == b,
            (TermNode::Var(a), TermNode::Var(b)) => exchange(&mut self.vars, a, b),
            (TermNode::Ite(a, c, e), TermNode::Ite(b, d, f)) => {
                self.unify(terms, a, b) && self.unify_terms(terms, c, d) && self.unify_terms(terms, e, f)
            }
            (TermNode::Unary(one, a), TermNode::Unary(other, b)) => one == other && self.unify_terms(terms, a, b),
            (TermNode::Binary(one, a, c), TermNode::Binary(other, b, d)) => {
                one == other
                    && if commutes(one) {
                        self.unify_either_way(terms, (a, c), (b, d))
                    } else {
                        self.unify_terms(terms, a, b) && self.unify_terms(terms, c, d)
                    }
            }
            (
                TermNode::Const(_) | TermNode::Var(_) | TermNode::Ite(..) | TermNode::Unary(..) | TermNode::Binary(..),
                _,
            ) => false,
        }
    }
}

/// Whether the operands of an operator can come in any order: then theirs is an accident.
fn commutes(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
}

/// Makes two variables partners, unless one of them has another partner.
fn exchange(partners: &mut FxHashMap<u32, u32>, a: u32, b: u32) -> bool {
    *partners.entry(a).or_insert(b) == b && *partners.entry(b).or_insert(a) == a
}

impl<'s> View<'s> {
    /// Terms as they are.
    pub(super) fn plain() -> Self {
        View::default()
    }

    /// Terms with variables exchanged.
    pub(super) fn of(swap: &'s Swap) -> Self {
        View { swap: Some(swap), ..View::default() }
    }

    /// The number of a truth value.
    pub(super) fn bool(&mut self, canon: &mut Canon, terms: &Terms, b: Bool) -> u32 {
        let number = match self.bools.get(&b.index()) {
            Some(&known) => known,
            None => {
                let key = self.bool_key(canon, terms, b.negated_if(b.is_negated()));
                let number = canon.number(key) << 1;
                self.bools.insert(b.index(), number);
                number
            }
        };
        number ^ u32::from(b.is_negated())
    }

    fn bool_key(&mut self, canon: &mut Canon, terms: &Terms, b: Bool) -> Key {
        match terms.bool_node(b) {
            BoolNode::True => Key::True,
            BoolNode::Var(var) => Key::Flag(self.swap.and_then(|swap| swap.flags.get(&var)).copied().unwrap_or(var)),
            BoolNode::And(..) => Key::And(self.conjunction(canon, terms, b)),
            BoolNode::Eq(left, right) => {
                let (left, right) = (self.term(canon, terms, left), self.term(canon, terms, right));
                Key::Eq(left.min(right), left.max(right))
            }
            BoolNode::Ult(left, right) => Key::Ult(self.term(canon, terms, left), self.term(canon, terms, right)),
            BoolNode::Slt(left, right) => Key::Slt(self.term(canon, terms, left), self.term(canon, terms, right)),
        }
    }

    /// The conjuncts of a conjunction that are none themselves.
    fn conjunction(&mut self, canon: &mut Canon, terms: &Terms, b: Bool) -> Rc<Vec<u32>> {
        if let Some(known) = self.conjuncts.get(&b.index()) {
            return Rc::clone(known);
        }
        let mut parts = Vec::new();
        if let BoolNode::And(left, right) = terms.bool_node(b) {
            for part in [left, right] {
                if !part.is_negated() && matches!(terms.bool_node(part), BoolNode::And(..)) {
                    parts.extend(self.conjunction(canon, terms, part).iter().copied());
                } else {
                    parts.push(self.bool(canon, terms, part));
                }
            }
        }
        parts.sort_unstable();
        parts.dedup();
        let parts = Rc::new(parts);
        self.conjuncts.insert(b.index(), Rc::clone(&parts));
        parts
    }

    /// The number of a bit-vector.
    pub(super) fn term(&mut self, canon: &mut Canon, terms: &Terms, t: Term) -> u32 {
        if let Some(&known) = self.terms.get(&t) {
            return known;
        }
        let width = terms.width(t);
        let key = match terms.node(t) {
            TermNode::Const(value) => Key::Const(value, width),
            TermNode::Var(var) => Key::Var(self.swap.and_then(|swap| swap.vars.get(&var)).copied().unwrap_or(var)),
            TermNode::Ite(condition, then, otherwise) => Key::Ite(
                self.bool(canon, terms, condition),
                self.term(canon, terms, then),
                self.term(canon, terms, otherwise),
            ),
            TermNode::Unary(op, operand) => Key::Unary(op, self.term(canon, terms, operand), width),
            TermNode::Binary(op, left, right) => {
                let (left, right) = (self.term(canon, terms, left), self.term(canon, terms, right));
                if commutes(op) {
                    Key::Binary(op, left.min(right), left.max(right))
                } else {
                    Key::Binary(op, left, right)
                }
            }
        };
        let number = canon.number(key);
        self.terms.insert(t, number);
        number
    }
}

impl Canon {
    fn number(&mut self, key: Key) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(key).or_insert(next)
    }
}
