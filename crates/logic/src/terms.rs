//! Hash-consed truth values and bit-vectors.
//!
//! Truth values are and-inverter graphs: a node and a sign. What simplification decides here is never built later, so
//! the rules matter: constants fold, and operations on small trees of choices between constants are pushed to the
//! leaves, which turns comparisons of such values into plain truth values without any bits.

use ir::{BinaryOp, UnaryOp, Width};
use rustc_hash::FxHashMap;

/// A truth value: a node of [`Terms`] and a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bool(u32);

/// A bit-vector of [`Terms`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

/// What a truth value is, without its sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BoolNode {
    /// Holds.
    True,
    /// A variable.
    Var(u32),
    /// Both hold.
    And(Bool, Bool),
    /// Equal.
    Eq(Term, Term),
    /// Unsigned less.
    Ult(Term, Term),
    /// Signed less.
    Slt(Term, Term),
}

/// What a bit-vector is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TermNode {
    /// A constant.
    Const(u64),
    /// A variable.
    Var(u32),
    /// A choice.
    Ite(Bool, Term, Term),
    /// An operator with one operand.
    Unary(UnaryOp, Term),
    /// An operator with two operands that is no comparison.
    Binary(BinaryOp, Term, Term),
}

/// Trees of choices between constants are pushed through operators up to this many leaves.
const MAX_LEAVES: u32 = 16;

#[derive(Debug, Clone, Copy)]
struct Info {
    node: TermNode,
    width: Width,
    /// The number of leaves if this is a tree of choices between constants, else 0.
    leaves: u32,
}

/// The store of all terms.
#[derive(Debug, Default)]
pub struct Terms {
    bools: Vec<BoolNode>,
    bool_table: FxHashMap<BoolNode, u32>,
    terms: Vec<Info>,
    term_table: FxHashMap<(TermNode, Width), u32>,
    bool_vars: u32,
    term_vars: u32,
}

impl Bool {
    /// Holds.
    pub const TRUE: Bool = Bool(0);
    /// Does not hold.
    pub const FALSE: Bool = Bool(1);

    /// The position of the node.
    pub fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether the node is negated.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The truth value of a constant.
    pub fn constant(value: bool) -> Bool {
        if value { Bool::TRUE } else { Bool::FALSE }
    }

    /// This, negated if `negate`.
    #[must_use]
    pub fn negated_if(self, negate: bool) -> Bool {
        Bool(self.0 ^ u32::from(negate))
    }
}

impl std::ops::Not for Bool {
    type Output = Bool;

    fn not(self) -> Bool {
        Bool(self.0 ^ 1)
    }
}

impl Term {
    /// The position of the node.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Terms {
    /// A store with the constants only.
    pub fn new() -> Self {
        Terms { bools: vec![BoolNode::True], ..Terms::default() }
    }

    /// The node of a truth value.
    pub fn bool_node(&self, b: Bool) -> BoolNode {
        self.bools[b.index()]
    }

    /// The node of a bit-vector.
    pub fn node(&self, t: Term) -> TermNode {
        self.terms[t.index()].node
    }

    /// The width of a bit-vector.
    pub fn width(&self, t: Term) -> Width {
        self.terms[t.index()].width
    }

    /// The value, if it is a constant.
    pub fn as_const(&self, t: Term) -> Option<u64> {
        match self.node(t) {
            TermNode::Const(value) => Some(value),
            TermNode::Var(_) | TermNode::Ite(..) | TermNode::Unary(..) | TermNode::Binary(..) => None,
        }
    }

    pub(crate) fn intern_bool(&mut self, node: BoolNode) -> Bool {
        let next = self.bools.len() as u32;
        let at = *self.bool_table.entry(node).or_insert(next);
        if at == next {
            self.bools.push(node);
        }
        Bool(at << 1)
    }

    fn intern(&mut self, node: TermNode, width: Width, leaves: u32) -> Term {
        let next = self.terms.len() as u32;
        let at = *self.term_table.entry((node, width)).or_insert(next);
        if at == next {
            self.terms.push(Info { node, width, leaves });
        }
        Term(at)
    }

    /// A new variable.
    pub fn fresh_bool(&mut self) -> Bool {
        self.bool_vars += 1;
        self.intern_bool(BoolNode::Var(self.bool_vars - 1))
    }

    /// How many variables [`Terms::fresh`] has made.
    pub fn variables(&self) -> u32 {
        self.term_vars
    }

    /// A new variable of some width.
    pub fn fresh(&mut self, width: Width) -> Term {
        self.term_vars += 1;
        self.intern(TermNode::Var(self.term_vars - 1), width, 0)
    }

    /// A constant, cut to the width.
    pub fn constant(&mut self, value: u64, width: Width) -> Term {
        self.intern(TermNode::Const(value & width.mask()), width, 1)
    }

    /// `then` where `condition` holds, else `otherwise`.
    pub fn ite(&mut self, condition: Bool, then: Term, otherwise: Term) -> Term {
        if condition == Bool::TRUE || then == otherwise {
            return then;
        }
        if condition == Bool::FALSE {
            return otherwise;
        }
        if condition.is_negated() {
            return self.ite(!condition, otherwise, then);
        }
        // A choice on the same condition below is already made.
        let then = if let TermNode::Ite(inner, yes, _) = self.node(then)
            && inner == condition
        {
            yes
        } else {
            then
        };
        let otherwise = if let TermNode::Ite(inner, _, no) = self.node(otherwise)
            && inner == condition
        {
            no
        } else {
            otherwise
        };
        if then == otherwise {
            return then;
        }
        let (left, right) = (self.terms[then.index()].leaves, self.terms[otherwise.index()].leaves);
        let leaves = if left > 0 && right > 0 { left.saturating_add(right) } else { 0 };
        self.intern(TermNode::Ite(condition, then, otherwise), self.width(then), leaves)
    }

    /// Whether operators on these trees are pushed to the leaves.
    fn small(&self, a: Term, b: Term) -> bool {
        let (left, right) = (self.terms[a.index()].leaves, self.terms[b.index()].leaves);
        left > 0 && right > 0 && left.saturating_mul(right) <= MAX_LEAVES
    }

    /// `op t`.
    pub fn unary(&mut self, op: UnaryOp, t: Term) -> Term {
        let width = self.width(t);
        let result = ir::eval_unary(op, 0, width).1;
        match self.node(t) {
            TermNode::Const(value) => {
                let (value, width) = ir::eval_unary(op, value, width);
                self.constant(value, width)
            }
            TermNode::Ite(condition, then, otherwise) if self.small(t, t) => {
                let then = self.unary(op, then);
                let otherwise = self.unary(op, otherwise);
                self.ite(condition, then, otherwise)
            }
            TermNode::Var(_) | TermNode::Ite(..) | TermNode::Unary(..) | TermNode::Binary(..) => {
                if result == width && !matches!(op, UnaryOp::Not | UnaryOp::Neg | UnaryOp::Life) {
                    return t;
                }
                self.intern(TermNode::Unary(op, t), result, 0)
            }
        }
    }

    /// `a op b`; comparisons give one bit.
    pub fn binary(&mut self, op: BinaryOp, a: Term, b: Term) -> Term {
        if op.is_comparison() {
            let truth = self.compare(op, a, b);
            return self.from_bool(truth);
        }
        let width = self.width(a);
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            let (value, width) = ir::eval_binary(op, x, y, width);
            return self.constant(value, width);
        }
        if let Some(simple) = self.simplify_binary(op, a, b) {
            return simple;
        }
        if self.small(a, b) {
            if let TermNode::Ite(condition, then, otherwise) = self.node(a) {
                let then = self.binary(op, then, b);
                let otherwise = self.binary(op, otherwise, b);
                return self.ite(condition, then, otherwise);
            }
            if let TermNode::Ite(condition, then, otherwise) = self.node(b) {
                let then = self.binary(op, a, then);
                let otherwise = self.binary(op, a, otherwise);
                return self.ite(condition, then, otherwise);
            }
        }
        let commutes = matches!(op, BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
        let (a, b) = if commutes && b < a { (b, a) } else { (a, b) };
        self.intern(TermNode::Binary(op, a, b), width, 0)
    }

    /// The truth value of a comparison.
    ///
    /// # Panics
    /// When `op` is not a comparison.
    pub fn compare(&mut self, op: BinaryOp, a: Term, b: Term) -> Bool {
        match op {
            BinaryOp::Eq => self.eq(a, b),
            BinaryOp::Ne => !self.eq(a, b),
            BinaryOp::ULt => self.less(a, b, false),
            BinaryOp::ULe => !self.less(b, a, false),
            BinaryOp::SLt => self.less(a, b, true),
            BinaryOp::SLe => !self.less(b, a, true),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::UDiv
            | BinaryOp::URem
            | BinaryOp::SDiv
            | BinaryOp::SRem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::LShr
            | BinaryOp::AShr => panic!("{op:?} is no comparison"),
        }
    }

    /// `a == b`.
    pub fn eq(&mut self, a: Term, b: Term) -> Bool {
        assert_eq!(self.width(a), self.width(b), "equality of values of different widths");
        if a == b {
            return Bool::TRUE;
        }
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return Bool::constant(x == y);
        }
        if let Some(pushed) = self.push_comparison(a, b, Terms::eq) {
            return pushed;
        }
        let (a, b) = if b < a { (b, a) } else { (a, b) };
        self.intern_bool(BoolNode::Eq(a, b))
    }

    /// Whether two values, possibly of different widths, are the same number without a sign.
    pub fn same_number(&mut self, a: Term, b: Term) -> Bool {
        let width = self.width(a).max(self.width(b));
        let [a, b] = [a, b].map(|t| if self.width(t) == width { t } else { self.unary(UnaryOp::ZeroExtend(width), t) });
        self.eq(a, b)
    }

    fn less(&mut self, a: Term, b: Term, signed: bool) -> Bool {
        if a == b {
            return Bool::FALSE;
        }
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            let op = if signed { BinaryOp::SLt } else { BinaryOp::ULt };
            return Bool::constant(ir::eval_binary(op, x, y, self.width(a)).0 == 1);
        }
        if let Some(pushed) = self.push_comparison(a, b, |terms, x, y| terms.less(x, y, signed)) {
            return pushed;
        }
        self.intern_bool(if signed { BoolNode::Slt(a, b) } else { BoolNode::Ult(a, b) })
    }

    /// Pushes a comparison into choices: always when one side is a tree of constants and the other a constant.
    fn push_comparison(&mut self, a: Term, b: Term, compare: impl Fn(&mut Terms, Term, Term) -> Bool) -> Option<Bool> {
        let constants = |t: Term| self.terms[t.index()].leaves > 0;
        let pushable = constants(a) && constants(b) && (self.as_const(a).is_some() || self.as_const(b).is_some());
        if !pushable && !self.small(a, b) {
            return None;
        }
        let (condition, yes, no) = if let TermNode::Ite(condition, then, otherwise) = self.node(a) {
            (condition, compare(self, then, b), compare(self, otherwise, b))
        } else if let TermNode::Ite(condition, then, otherwise) = self.node(b) {
            (condition, compare(self, a, then), compare(self, a, otherwise))
        } else {
            return None;
        };
        Some(self.ite_bool(condition, yes, no))
    }

    /// A truth value as a bit.
    pub fn from_bool(&mut self, b: Bool) -> Term {
        let one = self.constant(1, Width::BOOL);
        let zero = self.constant(0, Width::BOOL);
        self.ite(b, one, zero)
    }

    /// A bit as a truth value.
    pub fn to_bool(&mut self, t: Term) -> Bool {
        let one = self.constant(1, Width::BOOL);
        self.eq(t, one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_between_constants_need_no_bits() {
        let mut terms = Terms::new();
        let s = terms.fresh_bool();
        let (one, two, three) =
            (terms.constant(1, Width::WORD), terms.constant(2, Width::WORD), terms.constant(3, Width::WORD));
        let choice = terms.ite(s, one, two);
        assert_eq!(terms.eq(choice, one), s);
        assert_eq!(terms.eq(choice, two), !s);
        assert_eq!(terms.eq(choice, three), Bool::FALSE);
        let sum = terms.binary(BinaryOp::Add, choice, one);
        assert_eq!(terms.eq(sum, three), !s);
        assert_eq!(terms.compare(BinaryOp::SLt, choice, two), s);
        let zero = terms.binary(BinaryOp::Xor, choice, choice);
        assert_eq!(terms.as_const(zero), Some(0));
    }

    #[test]
    fn conditions_are_shared() {
        let mut terms = Terms::new();
        let (a, b) = (terms.fresh_bool(), terms.fresh_bool());
        let both = terms.and(a, b);
        assert_eq!(terms.and(b, a), both);
        assert_eq!(terms.and(both, a), both);
        assert_eq!(terms.and(both, !a), Bool::FALSE);
        assert_eq!(terms.and(a, !both), terms.and(a, !b));
        assert_eq!(terms.or(a, !a), Bool::TRUE);
        assert_eq!(terms.or(both, a), a);
    }
}
