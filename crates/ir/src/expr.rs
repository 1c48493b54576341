//! Expressions: trees over locals, constants and addresses, without side effects and without memory accesses.

use crate::program::{Function, LocalId, ObjectId};

/// The number of bits of a value, 1 to 64. A truth value has one bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Width(u8);

impl Width {
    /// A truth value.
    pub const BOOL: Width = Width(1);
    /// A byte.
    pub const BYTE: Width = Width(8);
    /// C's `int`.
    pub const INT: Width = Width(32);
    /// A machine word and a pointer.
    pub const WORD: Width = Width(64);

    /// A width of `bits` bits.
    ///
    /// # Panics
    /// When `bits` is not between 1 and 64.
    pub fn new(bits: u8) -> Self {
        assert!((1..=64).contains(&bits), "a width is 1 to 64 bits, not {bits}");
        Width(bits)
    }

    /// The number of bits.
    pub fn bits(self) -> u32 {
        u32::from(self.0)
    }

    /// All bits of this width set.
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }
}

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Bitwise complement.
    Not,
    /// Two's complement negation.
    Neg,
    /// Widen with zeros.
    ZeroExtend(Width),
    /// Widen with copies of the sign bit.
    SignExtend(Width),
    /// Keep the low bits.
    Truncate(Width),
    /// Of an address, the address of the life cell of its object (see [`crate::life`]); a word, as its operand.
    Life,
}

/// Operators with two operands of the same width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Sum modulo 2^width.
    Add,
    /// Difference modulo 2^width.
    Sub,
    /// Product modulo 2^width.
    Mul,
    /// Unsigned quotient; all ones when the divisor is zero.
    UDiv,
    /// Unsigned remainder; the dividend when the divisor is zero.
    URem,
    /// Signed quotient, rounded to zero; as SMT-LIB when the divisor is zero.
    SDiv,
    /// Signed remainder with the dividend's sign; the dividend when the divisor is zero.
    SRem,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Shift left; zero when the amount is not smaller than the width.
    Shl,
    /// Shift right with zeros.
    LShr,
    /// Shift right with copies of the sign bit.
    AShr,
    /// Equal; one bit.
    Eq,
    /// Different; one bit.
    Ne,
    /// Unsigned less; one bit.
    ULt,
    /// Unsigned less or equal; one bit.
    ULe,
    /// Signed less; one bit.
    SLt,
    /// Signed less or equal; one bit.
    SLe,
}

impl BinaryOp {
    /// Whether the result is a truth value whatever the width of the operands.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::{
            AShr, Add, And, Eq, LShr, Mul, Ne, Or, SDiv, SLe, SLt, SRem, Shl, Sub, UDiv, ULe, ULt, URem, Xor,
        };
        match self {
            Eq | Ne | ULt | ULe | SLt | SLe => true,
            Add | Sub | Mul | UDiv | URem | SDiv | SRem | And | Or | Xor | Shl | LShr | AShr => false,
        }
    }
}

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant; bits above the width are zero.
    Const(u64, Width),
    /// The current value of a local.
    Local(LocalId),
    /// The address of a byte of an object, a word wide.
    Address(ObjectId, u64),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// The second where the first, a truth value, holds; the third elsewhere.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// The constant `value`, cut to `width`.
    pub fn constant(value: i64, width: Width) -> Expr {
        Expr::Const(value as u64 & width.mask(), width)
    }

    /// Its width, in this function.
    pub fn width(&self, function: &Function) -> Width {
        match self {
            Expr::Const(_, width) => *width,
            Expr::Local(local) => function.locals[local.index()].width,
            Expr::Address(..) => Width::WORD,
            Expr::Unary(UnaryOp::Not | UnaryOp::Neg | UnaryOp::Life, operand) => operand.width(function),
            Expr::Unary(UnaryOp::ZeroExtend(to) | UnaryOp::SignExtend(to) | UnaryOp::Truncate(to), _) => *to,
            Expr::Binary(op, ..) if op.is_comparison() => Width::BOOL,
            Expr::Binary(_, left, _) => left.width(function),
            Expr::Select(_, then, _) => then.width(function),
        }
    }

    /// `self op other`.
    #[must_use]
    pub fn binary(self, op: BinaryOp, other: Expr) -> Expr {
        Expr::Binary(op, Box::new(self), Box::new(other))
    }

    /// `op self`.
    #[must_use]
    pub fn unary(self, op: UnaryOp) -> Expr {
        Expr::Unary(op, Box::new(self))
    }

    /// Calls `visit` with every local that the expression mentions.
    pub fn for_each_local(&self, visit: &mut impl FnMut(LocalId)) {
        match self {
            Expr::Const(..) | Expr::Address(..) => {}
            Expr::Local(local) => visit(*local),
            Expr::Unary(_, operand) => operand.for_each_local(visit),
            Expr::Binary(_, left, right) => {
                left.for_each_local(visit);
                right.for_each_local(visit);
            }
            Expr::Select(condition, then, otherwise) => {
                condition.for_each_local(visit);
                then.for_each_local(visit);
                otherwise.for_each_local(visit);
            }
        }
    }
}
