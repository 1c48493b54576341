//! The flags of x86 that comparisons look at.

use ir::{BinaryOp, Expr, UnaryOp, Width};

/// The flags, each a truth value; none where an instruction leaves it undefined, or nobody has set it.
#[derive(Debug, Clone, Default)]
pub(super) struct Flags {
    pub zero: Option<Expr>,
    pub carry: Option<Expr>,
    pub sign: Option<Expr>,
    pub overflow: Option<Expr>,
}

fn not(bit: Expr) -> Expr {
    bit.unary(UnaryOp::Not)
}

/// The highest bit of a value.
fn top(value: Expr, width: Width) -> Expr {
    value.binary(BinaryOp::SLt, Expr::Const(0, width))
}

impl Flags {
    /// What a result says about itself.
    fn of(result: Expr, width: Width) -> Flags {
        let zero = result.clone().binary(BinaryOp::Eq, Expr::Const(0, width));
        Flags { zero: Some(zero), sign: Some(top(result, width)), carry: None, overflow: None }
    }

    /// Those of a bitwise operation.
    pub fn bitwise(result: Expr, width: Width) -> Flags {
        let clear = || Some(Expr::Const(0, Width::BOOL));
        Flags { carry: clear(), overflow: clear(), ..Flags::of(result, width) }
    }

    /// Those of `result = left + right + carry`.
    pub fn sum(left: &Expr, right: &Expr, result: &Expr, carry: Option<Expr>, width: Width) -> Flags {
        // Without a carry in, the sum wraps around where it is less than an operand; with one, also where it is equal.
        let less = result.clone().binary(BinaryOp::ULt, left.clone());
        let out = match carry {
            Some(carry) => {
                let same = result.clone().binary(BinaryOp::Eq, left.clone());
                less.binary(BinaryOp::Or, same.binary(BinaryOp::And, carry))
            }
            None => less,
        };
        let a = left.clone().binary(BinaryOp::Xor, result.clone());
        let b = right.clone().binary(BinaryOp::Xor, result.clone());
        let overflow = top(a.binary(BinaryOp::And, b), width);
        Flags { carry: Some(out), overflow: Some(overflow), ..Flags::of(result.clone(), width) }
    }

    /// Those of `result = left - right - carry`.
    pub fn difference(left: &Expr, right: &Expr, result: &Expr, carry: Option<Expr>, width: Width) -> Flags {
        let less = left.clone().binary(BinaryOp::ULt, right.clone());
        let out = match carry {
            Some(carry) => {
                let same = left.clone().binary(BinaryOp::Eq, right.clone());
                less.binary(BinaryOp::Or, same.binary(BinaryOp::And, carry))
            }
            None => less,
        };
        let a = left.clone().binary(BinaryOp::Xor, right.clone());
        let b = left.clone().binary(BinaryOp::Xor, result.clone());
        let overflow = top(a.binary(BinaryOp::And, b), width);
        Flags { carry: Some(out), overflow: Some(overflow), ..Flags::of(result.clone(), width) }
    }

    /// Whether a condition holds, by the letters of its instructions: `z` of `setz`. None: the flags are not known.
    pub fn holds(&self, condition: &str) -> Option<Expr> {
        let zero = || self.zero.clone();
        let carry = || self.carry.clone();
        let less = || Some(self.sign.clone()?.binary(BinaryOp::Ne, self.overflow.clone()?));
        Some(match condition {
            "z" | "e" => zero()?,
            "nz" | "ne" => not(zero()?),
            "c" | "b" | "nae" => carry()?,
            "nc" | "ae" | "nb" => not(carry()?),
            "s" => self.sign.clone()?,
            "ns" => not(self.sign.clone()?),
            "o" => self.overflow.clone()?,
            "no" => not(self.overflow.clone()?),
            "be" | "na" => carry()?.binary(BinaryOp::Or, zero()?),
            "a" | "nbe" => not(carry()?.binary(BinaryOp::Or, zero()?)),
            "l" | "nge" => less()?,
            "ge" | "nl" => not(less()?),
            "le" | "ng" => less()?.binary(BinaryOp::Or, zero()?),
            "g" | "nle" => not(less()?.binary(BinaryOp::Or, zero()?)),
            _ => return None,
        })
    }
}

/// Whether these letters are a condition.
pub(super) fn is_condition(letters: &str) -> bool {
    let one = || Some(Expr::Const(1, Width::BOOL));
    Flags { zero: one(), carry: one(), sign: one(), overflow: one() }.holds(letters).is_some()
}
