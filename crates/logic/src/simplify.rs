//! The rules for truth values and for operators with neutral and absorbing operands.
#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "a rule of simplification is about some operators: the others stay as they are"
)]

use crate::terms::{Bool, BoolNode, Term, Terms};
use ir::BinaryOp;

impl Terms {
    /// Both hold.
    pub fn and(&mut self, a: Bool, b: Bool) -> Bool {
        if a == b || b == Bool::TRUE {
            return a;
        }
        if a == Bool::TRUE {
            return b;
        }
        if a == !b || a == Bool::FALSE || b == Bool::FALSE {
            return Bool::FALSE;
        }
        if let Some(simple) = self.absorb(a, b).or_else(|| self.absorb(b, a)).or_else(|| self.resolve(a, b)) {
            return simple;
        }
        let (a, b) = if b < a { (b, a) } else { (a, b) };
        self.intern_bool(BoolNode::And(a, b))
    }

    /// `a & b` where `b` is, or negates, a conjunction with `a` or its negation in it.
    fn absorb(&mut self, a: Bool, b: Bool) -> Option<Bool> {
        let BoolNode::And(x, y) = self.bool_node(b) else {
            return None;
        };
        if !b.is_negated() {
            if x == a || y == a {
                return Some(b);
            }
            return (x == !a || y == !a).then_some(Bool::FALSE);
        }
        if x == !a || y == !a {
            return Some(a);
        }
        if x == a {
            return Some(self.and(a, !y));
        }
        (y == a).then(|| self.and(a, !x))
    }

    /// `!(x & y) & !(x & !y)` is `!x`: where the two ways of a branch meet again, its condition is forgotten.
    fn resolve(&self, a: Bool, b: Bool) -> Option<Bool> {
        let (BoolNode::And(x, y), BoolNode::And(u, v)) = (self.bool_node(a), self.bool_node(b)) else { return None };
        if !a.is_negated() || !b.is_negated() {
            return None;
        }
        let meet = |x: Bool, y: Bool, u: Bool, v: Bool| (x == u && y == !v).then_some(!x);
        meet(x, y, u, v).or(meet(x, y, v, u)).or(meet(y, x, u, v)).or(meet(y, x, v, u))
    }

    /// One holds.
    pub fn or(&mut self, a: Bool, b: Bool) -> Bool {
        !self.and(!a, !b)
    }

    /// All hold.
    pub fn all(&mut self, operands: impl IntoIterator<Item = Bool>) -> Bool {
        operands.into_iter().fold(Bool::TRUE, |all, b| self.and(all, b))
    }

    /// One of them holds.
    pub fn any(&mut self, operands: impl IntoIterator<Item = Bool>) -> Bool {
        operands.into_iter().fold(Bool::FALSE, |any, b| self.or(any, b))
    }

    /// The second holds if the first does.
    pub fn implies(&mut self, a: Bool, b: Bool) -> Bool {
        !self.and(a, !b)
    }

    /// `then` where `condition` holds, else `otherwise`.
    pub fn ite_bool(&mut self, condition: Bool, then: Bool, otherwise: Bool) -> Bool {
        if then == otherwise {
            return then;
        }
        let yes = self.and(condition, then);
        let no = self.and(!condition, otherwise);
        self.or(yes, no)
    }

    /// Operators with a neutral, an absorbing or an equal operand.
    pub(crate) fn simplify_binary(&mut self, op: BinaryOp, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        let (x, y) = (self.as_const(a), self.as_const(b));
        let ones = width.mask();
        match op {
            BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor if x == Some(0) => Some(b),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::LShr
            | BinaryOp::AShr
                if y == Some(0) =>
            {
                Some(a)
            }
            BinaryOp::Sub | BinaryOp::Xor if a == b => Some(self.constant(0, width)),
            BinaryOp::And | BinaryOp::Or if a == b => Some(a),
            BinaryOp::And if x == Some(ones) => Some(b),
            BinaryOp::And if y == Some(ones) => Some(a),
            BinaryOp::And | BinaryOp::Mul if x == Some(0) || y == Some(0) => Some(self.constant(0, width)),
            BinaryOp::Mul if x == Some(1) => Some(b),
            BinaryOp::Mul | BinaryOp::UDiv | BinaryOp::SDiv if y == Some(1) => Some(a),
            BinaryOp::Or if x == Some(ones) || y == Some(ones) => Some(self.constant(ones, width)),
            _ => None,
        }
    }
}
