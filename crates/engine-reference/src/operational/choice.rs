//! The values that are tried for a local that can be anything.
//!
//! A choice among all values of many bits is too much to try. Where a function looks at a few bits of the local only, or
//! compares it with constants only, a few values stand for all. This is the judge's own reading of that: whoever is
//! judged has another.

use ir::{BinaryOp, Expr, Function, LocalId, Op, Terminator, UnaryOp, Width};
use std::collections::BTreeSet;

/// The widest value for which all choices are tried.
const CHOICE_BITS: u32 = 8;

/// All values of this width, unless they are too many.
pub(super) fn every(width: Width) -> Option<Vec<u64>> {
    (width.bits() <= CHOICE_BITS).then(|| (0..=width.mask()).collect())
}

/// Values that stand for all values of this local; nothing if there are too many of them.
pub(super) fn values(function: &Function, local: LocalId) -> Option<Vec<u64>> {
    let width = function.locals[local.index()].width;
    let mut looks = Looks { local, bits: 0, constants: BTreeSet::new(), whole: false };
    let mut copies = vec![local];
    let mut seen = BTreeSet::new();
    while let Some(copy) = copies.pop() {
        if seen.insert(copy) {
            looks.local = copy;
            copies.extend(looks.function(function));
        }
    }
    let bits = looks.bits & width.mask();
    match (looks.whole, bits != 0, looks.constants.is_empty()) {
        (true, _, _) | (false, true, false) => every(width),
        (false, true, true) if bits.count_ones() > CHOICE_BITS => every(width),
        (false, true, true) => Some((0..1u64 << bits.count_ones()).map(|number| spread(number, bits)).collect()),
        (false, false, _) => {
            // Each side of each constant, and of where signed and unsigned numbers begin and end.
            let ends = [0, 1 << (width.bits() - 1)].into_iter().filter(|_| !looks.constants.is_empty());
            let near = ends.chain(looks.constants.iter().copied());
            let near = near.flat_map(|c: u64| [c.wrapping_sub(1), c, c.wrapping_add(1)]);
            let all: BTreeSet<u64> = near.chain([0]).map(|value| value & width.mask()).collect();
            Some(all.into_iter().collect())
        }
    }
}

/// The lowest bits of a number, put where the mask has ones.
fn spread(number: u64, mask: u64) -> u64 {
    let places = (0..u64::BITS).filter(|place| mask >> place & 1 == 1);
    places.enumerate().fold(0, |sum, (at, place)| sum | (number >> at & 1) << place)
}

/// What a function looks at of a local.
struct Looks {
    local: LocalId,
    bits: u64,
    constants: BTreeSet<u64>,
    whole: bool,
}

impl Looks {
    /// Notes all uses in a function; gives the locals that the local is copied to.
    fn function(&mut self, function: &Function) -> Vec<LocalId> {
        let mut copies = Vec::new();
        for block in &function.blocks {
            for instr in &block.instrs {
                copies.extend(self.op(&instr.op));
            }
            match &block.terminator {
                Terminator::Branch { condition: value, .. }
                | Terminator::Return(Some(value))
                | Terminator::Exit(Some(value)) => self.expr(value),
                Terminator::Goto(_) | Terminator::Return(None) | Terminator::Exit(None) | Terminator::Cut { .. } => {}
            }
        }
        copies
    }

    /// Notes the uses in an instruction; gives the local that it copies the local to.
    fn op(&mut self, op: &Op) -> Option<LocalId> {
        if let Op::Assign { dst, value } = op
            && self.is(value)
        {
            return Some(*dst);
        }
        self.all(op.expressions());
        None
    }

    fn all<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) {
        exprs.into_iter().for_each(|expr| self.expr(expr));
    }

    fn is(&self, expr: &Expr) -> bool {
        *expr == Expr::Local(self.local)
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Local(local) => self.whole |= *local == self.local,
            Expr::Const(..) | Expr::Address(..) => {}
            Expr::Unary(UnaryOp::Truncate(width), operand) if self.is(operand) => self.bits |= width.mask(),
            Expr::Unary(_, operand) => self.expr(operand),
            Expr::Binary(op, left, right) => match (op, &**left, &**right) {
                (BinaryOp::And, local, Expr::Const(mask, _)) if self.is(local) => self.bits |= mask,
                (op, local, Expr::Const(constant, _)) | (op, Expr::Const(constant, _), local)
                    if op.is_comparison() && self.is(local) =>
                {
                    self.constants.insert(*constant);
                }
                (_, left, right) => self.all([left, right]),
            },
            Expr::Select(condition, then, otherwise) => self.all([&**condition, then, otherwise]),
        }
    }
}
