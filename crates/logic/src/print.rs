//! Terms as text, for those who debug a formula.

use crate::terms::{Bool, BoolNode, Term, TermNode, Terms};

/// How deep a term is printed; what is deeper is an ellipsis. Terms share parts, so their trees can be huge.
const DEPTH: u32 = 6;

impl Terms {
    /// A truth value as text.
    pub fn show(&self, condition: Bool) -> String {
        self.show_bool(condition, DEPTH)
    }

    /// A bit-vector as text.
    pub fn show_term(&self, term: Term) -> String {
        self.show_bits(term, DEPTH)
    }

    fn show_bool(&self, condition: Bool, depth: u32) -> String {
        let Some(depth) = depth.checked_sub(1) else { return "…".to_owned() };
        let sign = if condition.is_negated() { "!" } else { "" };
        let pair = |operator: &str, a: Term, b: Term| {
            format!("{sign}({} {operator} {})", self.show_bits(a, depth), self.show_bits(b, depth))
        };
        match self.bool_node(condition) {
            BoolNode::True if condition.is_negated() => "false".to_owned(),
            BoolNode::True => "true".to_owned(),
            BoolNode::Var(number) => format!("{sign}p{number}"),
            BoolNode::And(a, b) => format!("{sign}({} & {})", self.show_bool(a, depth), self.show_bool(b, depth)),
            BoolNode::Eq(a, b) => pair("=", a, b),
            BoolNode::Ult(a, b) => pair("<u", a, b),
            BoolNode::Slt(a, b) => pair("<s", a, b),
        }
    }

    fn show_bits(&self, term: Term, depth: u32) -> String {
        let Some(depth) = depth.checked_sub(1) else { return "…".to_owned() };
        match self.node(term) {
            TermNode::Const(value) => value.to_string(),
            TermNode::Var(number) => format!("v{number}"),
            TermNode::Ite(when, then, otherwise) => format!(
                "({} ? {} : {})",
                self.show_bool(when, depth),
                self.show_bits(then, depth),
                self.show_bits(otherwise, depth)
            ),
            TermNode::Unary(operator, operand) => format!("{operator:?}({})", self.show_bits(operand, depth)),
            TermNode::Binary(operator, a, b) => {
                format!("{operator:?}({}, {})", self.show_bits(a, depth), self.show_bits(b, depth))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::Width;

    #[test]
    fn shared_parts_do_not_make_the_text_long() {
        let mut terms = Terms::new();
        let mut all = terms.fresh_bool();
        for _ in 0..200 {
            let other = terms.fresh_bool();
            all = !terms.and(all, !other);
        }
        assert!(terms.show(all).chars().count() < 400);
    }

    #[test]
    fn operators_are_shown_with_their_operands() {
        let mut terms = Terms::new();
        let (value, one) = (terms.fresh(Width::INT), terms.constant(1, Width::INT));
        let same = terms.eq(value, one);
        assert_eq!(terms.show(!same), "!(v0 = 1)");
    }
}
