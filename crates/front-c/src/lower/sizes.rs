//! How large allocated blocks are, in programs that ask for it (`realloc`): each block has locations for that beyond its end.

use super::alive::life;
use super::fold::add_offset;
use super::{Lowering, Value};
use crate::types::Type;
use ir::life::{LIFE, LIFE_WIDTH, SIZE, SIZE_BYTES};
use ir::{BinaryOp, Expr, LocalId, Op, UnaryOp, Width};
use source::Diagnostic;

/// Where a byte of the size of a block is.
fn part(block: &Expr, at: u64) -> Expr {
    add_offset(life(block.clone()), SIZE - LIFE + at)
}

fn places(at: u64) -> Expr {
    Expr::Const(8 * at, Width::WORD)
}

impl Lowering {
    /// Writes down how many bytes a block has that was just allocated, if anybody asks.
    pub fn note_size(&mut self, block: LocalId, size: &Expr) {
        if !self.needs.sizes {
            return;
        }
        let tags = self.tags(&["NA"]);
        for at in 0..SIZE_BYTES {
            let value = size.clone().binary(BinaryOp::LShr, places(at)).unary(UnaryOp::Truncate(LIFE_WIDTH));
            self.emit(Op::Store { addr: part(&Expr::Local(block), at), value, tags: tags.clone() });
        }
    }

    /// How many bytes a block has.
    pub fn noted_size(&mut self, block: &Expr) -> Result<Value, Diagnostic> {
        let tags = self.tags(&["NA"]);
        let mut expr = Expr::Const(0, Width::WORD);
        for at in 0..SIZE_BYTES {
            let byte = self.load(part(block, at), &Type::UCHAR, tags.clone())?;
            let byte = byte.expr.unary(UnaryOp::ZeroExtend(Width::WORD)).binary(BinaryOp::Shl, places(at));
            expr = expr.binary(BinaryOp::Or, byte);
        }
        Ok(Value { expr, ty: Type::ULONG_LONG })
    }
}
