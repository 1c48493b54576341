//! Replacing variables by terms, and evaluating terms under an assignment.

use crate::blast::Assignment;
use crate::terms::{Bool, BoolNode, Term, TermNode, Terms};
use ir::BinaryOp;
use rustc_hash::FxHashMap;

/// Replaces bit-vector variables by other terms, simplifying again.
#[derive(Debug, Default)]
pub struct Substitution {
    map: FxHashMap<Term, Term>,
    bools: FxHashMap<usize, Bool>,
}

impl Substitution {
    /// A substitution that changes nothing yet.
    pub fn new() -> Self {
        Substitution::default()
    }

    /// Replaces `variable` by `by`, which must have the same width and mention no variable that is replaced.
    pub fn replace(&mut self, variable: Term, by: Term) {
        self.map.insert(variable, by);
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// The term after replacement.
    pub fn apply(&mut self, terms: &mut Terms, t: Term) -> Term {
        if let Some(&done) = self.map.get(&t) {
            return done;
        }
        let result = match terms.node(t) {
            TermNode::Const(_) | TermNode::Var(_) => t,
            TermNode::Ite(condition, then, otherwise) => {
                let condition = self.apply_bool(terms, condition);
                let then = self.apply(terms, then);
                let otherwise = self.apply(terms, otherwise);
                terms.ite(condition, then, otherwise)
            }
            TermNode::Unary(op, operand) => {
                let operand = self.apply(terms, operand);
                terms.unary(op, operand)
            }
            TermNode::Binary(op, left, right) => {
                let left = self.apply(terms, left);
                let right = self.apply(terms, right);
                terms.binary(op, left, right)
            }
        };
        self.map.insert(t, result);
        result
    }

    /// The truth value after replacement.
    pub fn apply_bool(&mut self, terms: &mut Terms, b: Bool) -> Bool {
        if let Some(&done) = self.bools.get(&b.index()) {
            return done.negated_if(b.is_negated());
        }
        let positive = b.negated_if(b.is_negated());
        let result = match terms.bool_node(b) {
            BoolNode::True | BoolNode::Var(_) => positive,
            BoolNode::And(left, right) => {
                let left = self.apply_bool(terms, left);
                let right = self.apply_bool(terms, right);
                terms.and(left, right)
            }
            BoolNode::Eq(left, right) => self.comparison(terms, BinaryOp::Eq, left, right),
            BoolNode::Ult(left, right) => self.comparison(terms, BinaryOp::ULt, left, right),
            BoolNode::Slt(left, right) => self.comparison(terms, BinaryOp::SLt, left, right),
        };
        self.bools.insert(b.index(), result);
        result.negated_if(b.is_negated())
    }

    fn comparison(&mut self, terms: &mut Terms, op: BinaryOp, left: Term, right: Term) -> Bool {
        let left = self.apply(terms, left);
        let right = self.apply(terms, right);
        terms.compare(op, left, right)
    }
}

/// The values of terms under an assignment of variables.
pub struct Evaluation<'a> {
    terms: &'a Terms,
    assignment: &'a Assignment,
    values: FxHashMap<Term, u64>,
    truths: FxHashMap<usize, bool>,
}

impl<'a> Evaluation<'a> {
    /// Evaluates with the given values of variables.
    pub fn new(terms: &'a Terms, assignment: &'a Assignment) -> Self {
        Evaluation { terms, assignment, values: FxHashMap::default(), truths: FxHashMap::default() }
    }

    /// The value of a bit-vector.
    pub fn value(&mut self, t: Term) -> u64 {
        if let Some(&known) = self.values.get(&t) {
            return known;
        }
        let value = match self.terms.node(t) {
            TermNode::Const(value) => value,
            TermNode::Var(_) => self.assignment.value(t),
            TermNode::Ite(condition, then, otherwise) => {
                if self.truth(condition) {
                    self.value(then)
                } else {
                    self.value(otherwise)
                }
            }
            TermNode::Unary(op, operand) => ir::eval_unary(op, self.value(operand), self.terms.width(operand)).0,
            TermNode::Binary(op, left, right) => {
                ir::eval_binary(op, self.value(left), self.value(right), self.terms.width(left)).0
            }
        };
        self.values.insert(t, value);
        value
    }

    /// Whether a truth value holds.
    pub fn truth(&mut self, b: Bool) -> bool {
        let known = self.truths.get(&b.index()).copied();
        let truth = known.unwrap_or_else(|| {
            let positive = b.negated_if(b.is_negated());
            let truth = match self.terms.bool_node(b) {
                BoolNode::True => true,
                BoolNode::Var(_) => self.assignment.truth(positive),
                BoolNode::And(left, right) => self.truth(left) && self.truth(right),
                BoolNode::Eq(left, right) => self.value(left) == self.value(right),
                BoolNode::Ult(left, right) => self.value(left) < self.value(right),
                BoolNode::Slt(left, right) => {
                    let width = self.terms.width(left);
                    ir::sign_extend(self.value(left), width) < ir::sign_extend(self.value(right), width)
                }
            };
            self.truths.insert(b.index(), truth);
            truth
        });
        truth != b.is_negated()
    }
}
