//! Whether one truth value implies another, as far as that shows at once.

use crate::terms::{Bool, BoolNode, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Remembers the conjuncts of truth values.
#[derive(Debug, Default)]
pub struct Implications {
    conjuncts: FxHashMap<Bool, Rc<FxHashSet<Bool>>>,
    known: FxHashMap<(Bool, Bool), bool>,
}

impl Implications {
    /// Nothing is known yet.
    pub fn new() -> Self {
        Implications::default()
    }

    /// Whether `b` holds wherever `a` does: each conjunct of `b` is one of `a`, or a disjunction with one of them in it.
    ///
    /// The answer can be no where the implication holds for deeper reasons.
    pub fn holds(&mut self, terms: &Terms, a: Bool, b: Bool) -> bool {
        if a == b || b == Bool::TRUE || a == Bool::FALSE {
            return true;
        }
        if let Some(&known) = self.known.get(&(a, b)) {
            return known;
        }
        let have = self.conjuncts(terms, a);
        let want = self.conjuncts(terms, b);
        let holds = want.iter().all(|&part| {
            have.contains(&part)
                || matches!(terms.bool_node(part), BoolNode::And(x, y)
                    if part.is_negated() && (have.contains(&!x) || have.contains(&!y)))
        });
        self.known.insert((a, b), holds);
        holds
    }

    fn conjuncts(&mut self, terms: &Terms, whole: Bool) -> Rc<FxHashSet<Bool>> {
        if let Some(known) = self.conjuncts.get(&whole) {
            return Rc::clone(known);
        }
        let mut parts = FxHashSet::default();
        let mut open = vec![whole];
        while let Some(part) = open.pop() {
            if part != Bool::TRUE && parts.insert(part) {
                match terms.bool_node(part) {
                    BoolNode::And(left, right) if !part.is_negated() => open.extend([left, right]),
                    BoolNode::True
                    | BoolNode::Var(_)
                    | BoolNode::And(..)
                    | BoolNode::Eq(..)
                    | BoolNode::Ult(..)
                    | BoolNode::Slt(..) => {}
                }
            }
        }
        // A conjunction follows from its parts.
        let split = |part: &Bool| part.is_negated() || !matches!(terms.bool_node(*part), BoolNode::And(..));
        let parts: Rc<FxHashSet<Bool>> = Rc::new(parts.into_iter().filter(split).collect());
        self.conjuncts.insert(whole, Rc::clone(&parts));
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_conjunctions_imply_their_parts() {
        let mut terms = Terms::new();
        let vars: Vec<Bool> = (0..40).map(|_| terms.fresh_bool()).collect();
        let whole = terms.all(vars.iter().copied());
        let some = terms.all([vars[3], vars[17], vars[39]]);
        let either = terms.or(vars[5], !vars[6]);
        let other = terms.fresh_bool();
        let mut implications = Implications::new();
        assert!(implications.holds(&terms, whole, some));
        assert!(implications.holds(&terms, whole, either));
        assert!(!implications.holds(&terms, some, whole));
        assert!(!implications.holds(&terms, whole, other));
        assert!(!implications.holds(&terms, whole, !vars[0]));
    }
}
