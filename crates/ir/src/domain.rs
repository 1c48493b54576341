//! Which values of a local that can be anything make a difference.
//!
//! A choice among all values of many bits is too much to try. But where a function only looks at some bits of the local,
//! or only compares it with constants, a few values stand for all.

use crate::{BinaryOp, Expr, Function, LocalId, Op, Terminator, UnaryOp, Width};
use std::collections::BTreeSet;

/// The widest value for which all choices are tried.
const CHOICE_BITS: u32 = 8;

/// All uses of a local in a function.
#[derive(Debug, Default)]
struct Uses {
    /// The bits that are looked at.
    mask: u64,
    /// The constants that it is compared with.
    constants: BTreeSet<u64>,
    /// Whether it matters on which side of them it is.
    ordered: bool,
    /// Whether there is another use.
    other: bool,
    /// The locals that it is copied to.
    seen: BTreeSet<LocalId>,
}

/// Values that stand for all values of this local; nothing if they are too many.
pub fn values(function: &Function, local: LocalId) -> Option<Vec<u64>> {
    let width = function.locals[local.index()].width;
    if let Some(all) = every(width) {
        return Some(all);
    }
    let mut uses = Uses::default();
    uses.local(function, local);
    let (mask, constants) = (uses.mask & width.mask(), uses.constants);
    if uses.other || (mask != 0 && !constants.is_empty()) || mask.count_ones() > CHOICE_BITS {
        return None;
    }
    if mask != 0 {
        // The next value with bits in the mask only comes after the last one as numbers do.
        let next = |&value: &u64| Some((value | !mask).wrapping_add(1) & mask).filter(|&next| next != 0);
        return Some(std::iter::successors(Some(0), next).collect());
    }
    if uses.ordered {
        // One value from each interval between the constants and the ends, however it is signed.
        let (zero, top) = (0, 1 << (width.bits() - 1));
        let ends = constants.into_iter().chain([zero, top]);
        let near: BTreeSet<u64> = ends.flat_map(|c: u64| [c.wrapping_sub(1), c, c.wrapping_add(1)]).collect();
        return Some(near.into_iter().map(|value| value & width.mask()).collect::<BTreeSet<_>>().into_iter().collect());
    }
    let another = (0..).find(|value| !constants.contains(value));
    Some(constants.into_iter().chain(another).map(|value| value & width.mask()).collect())
}

/// All values of this width, unless they are too many.
pub fn every(width: Width) -> Option<Vec<u64>> {
    (width.bits() <= CHOICE_BITS).then(|| (0..=width.mask()).collect())
}

impl Uses {
    fn local(&mut self, function: &Function, local: LocalId) {
        if !self.seen.insert(local) {
            return;
        }
        for block in &function.blocks {
            for instr in &block.instrs {
                self.op(function, local, &instr.op);
            }
            match &block.terminator {
                Terminator::Branch { condition, .. } => self.expr(local, condition),
                Terminator::Return(Some(value)) | Terminator::Exit(Some(value)) => self.expr(local, value),
                Terminator::Goto(_) | Terminator::Return(None) | Terminator::Exit(None) | Terminator::Cut { .. } => {}
            }
        }
    }

    fn op(&mut self, function: &Function, local: LocalId, op: &Op) {
        if let Op::Assign { dst, value } = op
            && is(value, local)
        {
            return self.local(function, *dst);
        }
        op.expressions().for_each(|expr| self.expr(local, expr));
    }

    fn expr(&mut self, local: LocalId, expr: &Expr) {
        match expr {
            Expr::Local(own) => self.other |= *own == local,
            Expr::Const(..) | Expr::Address(..) => {}
            Expr::Unary(UnaryOp::Truncate(width), operand) if is(operand, local) => self.mask |= width.mask(),
            Expr::Unary(_, operand) => self.expr(local, operand),
            Expr::Binary(BinaryOp::And, left, right) if is(left, local) && constant(right).is_some() => {
                self.mask |= constant(right).unwrap_or(0);
            }
            Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right) if is(left, local) && constant(right).is_some() => {
                self.constants.extend(constant(right));
            }
            Expr::Binary(op, left, right)
                if op.is_comparison()
                    && (is(left, local) && constant(right).is_some()
                        || is(right, local) && constant(left).is_some()) =>
            {
                self.constants.extend(constant(left).or(constant(right)));
                self.ordered = true;
            }
            Expr::Binary(_, left, right) => {
                self.expr(local, left);
                self.expr(local, right);
            }
            Expr::Select(condition, then, otherwise) => {
                self.expr(local, condition);
                self.expr(local, then);
                self.expr(local, otherwise);
            }
        }
    }
}

fn is(expr: &Expr, local: LocalId) -> bool {
    matches!(expr, Expr::Local(own) if *own == local)
}

fn constant(expr: &Expr) -> Option<u64> {
    match expr {
        Expr::Const(value, _) => Some(*value),
        Expr::Local(_) | Expr::Address(..) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Block, Instr, Local};
    use source::Span;

    fn function(values: Vec<Expr>) -> Function {
        let local = |name: &str| Local { name: name.to_owned(), width: Width::INT };
        let assign = |value| Instr { op: Op::Assign { dst: LocalId(1), value }, span: Span::default() };
        let instrs = values.into_iter().map(assign).collect();
        let blocks = vec![Block { instrs, terminator: Terminator::Return(None) }];
        Function { name: "f".into(), params: 0, library: false, locals: vec![local("a"), local("b")], blocks }
    }

    #[test]
    fn only_what_is_looked_at_counts() {
        let a = || Expr::Local(LocalId(0));
        let b = || Expr::Local(LocalId(1));
        let with = |op, value| a().binary(op, Expr::constant(value, Width::INT));
        let found = |uses| values(&function(uses), LocalId(0));
        assert_eq!(found(Vec::new()), Some(vec![0]));
        assert_eq!(found(vec![with(BinaryOp::And, 5)]), Some(vec![0, 1, 4, 5]));
        assert_eq!(found(vec![with(BinaryOp::And, 4), with(BinaryOp::And, 2)]), Some(vec![0, 2, 4, 6]));
        assert_eq!(found(vec![with(BinaryOp::And, 0xFFF)]), None);
        assert_eq!(found(vec![with(BinaryOp::Eq, 0), with(BinaryOp::Ne, 7)]), Some(vec![0, 7, 1]));
        assert_eq!(found(vec![with(BinaryOp::Eq, 0), with(BinaryOp::And, 1)]), None);
        assert_eq!(found(vec![with(BinaryOp::And, 1), with(BinaryOp::SLt, 7)]), None);
        let below = found(vec![with(BinaryOp::SLt, 7)]).expect("a few values");
        let (least, most) = (1 << 31, (1 << 31) - 1);
        assert!([6, 7, 8, 0, least, most, u64::from(u32::MAX)].iter().all(|value| below.contains(value)));
        // A copy is looked at as the original is.
        assert_eq!(found(vec![a(), b().binary(BinaryOp::And, Expr::constant(3, Width::INT))]), Some(vec![0, 1, 2, 3]));
        assert_eq!(found(vec![a(), b().binary(BinaryOp::Add, Expr::constant(3, Width::INT))]), None);
    }
}
