//! Constants are computed at once.

use ir::{BinaryOp, Expr, Width};

/// `addr + offset`.
pub(crate) fn add_offset(addr: Expr, offset: u64) -> Expr {
    if offset == 0 {
        return addr;
    }
    fold(addr.binary(BinaryOp::Add, Expr::Const(offset, Width::WORD)))
}

/// Computes what is constant at the top of an expression. What mentions a local keeps its shape: dependencies are
/// syntactic.
pub(crate) fn fold(e: Expr) -> Expr {
    match e {
        Expr::Binary(op, left, right) => match (op, *left, *right) {
            (op, Expr::Const(a, width), Expr::Const(b, _)) => {
                let (value, width) = ir::eval_binary(op, a, b, width);
                Expr::Const(value, width)
            }
            (BinaryOp::Add, Expr::Address(object, base), Expr::Const(offset, _))
            | (BinaryOp::Add, Expr::Const(offset, _), Expr::Address(object, base))
                if in_object(base, offset) =>
            {
                Expr::Address(object, base.wrapping_add(offset))
            }
            (BinaryOp::Sub, Expr::Address(object, base), Expr::Const(offset, _))
                if in_object(base, offset.wrapping_neg()) =>
            {
                Expr::Address(object, base.wrapping_sub(offset))
            }
            (BinaryOp::Sub, Expr::Address(a, from), Expr::Address(b, to)) if a == b => {
                Expr::Const(from.wrapping_sub(to), Width::WORD)
            }
            // Members of members: one sum instead of two.
            (BinaryOp::Add, Expr::Binary(BinaryOp::Add, base, first), Expr::Const(second, width)) => match *first {
                Expr::Const(first, _) => {
                    let sum = first.wrapping_add(second) & width.mask();
                    base.binary(BinaryOp::Add, Expr::Const(sum, width))
                }
                first => base.binary(BinaryOp::Add, first).binary(BinaryOp::Add, Expr::Const(second, width)),
            },
            (op, left, right) => left.binary(op, right),
        },
        Expr::Unary(op, operand) => match (op, *operand) {
            (op, Expr::Const(value, width)) => {
                let (value, width) = ir::eval_unary(op, value, width);
                Expr::Const(value, width)
            }
            (op, operand) => operand.unary(op),
        },
        Expr::Select(condition, then, otherwise) => match *condition {
            Expr::Const(0, _) => *otherwise,
            Expr::Const(..) => *then,
            condition => Expr::Select(Box::new(condition), then, otherwise),
        },
        Expr::Const(..) | Expr::Local(_) | Expr::Address(..) => e,
    }
}

/// Whether an offset stays where an address can be written as object and offset.
fn in_object(base: u64, offset: u64) -> bool {
    base.wrapping_add(offset) < 1 << 39
}
