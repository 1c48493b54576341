//! Addresses as numbers.
//!
//! Nobody can predict an address beyond what it is a multiple of, and that objects do not overlap. The words that stand for
//! addresses here are one choice among many. So each operation on an address is one of two kinds: its result is the same for
//! every choice, or moves along with the object (steps inside an object, bits that the alignment leaves free, tests for null);
//! or it tells something about the choice (hashes, the order of objects, parts of an address). What executes a program asks
//! here and refuses the latter: what it would find out is true of its own choice only.

use crate::expr::{BinaryOp, Expr, UnaryOp, Width};
use crate::program::{Address, Function, LocalId, ObjectId};
use crate::{eval_binary, eval_unary};

/// What is known of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// A number between these two.
    Number(u64, u64),
    /// An address: in this object, unless it can be in several, and a multiple of this if the offset is.
    Address(Option<ObjectId>, u64),
}

/// What is wrong with a part of an address.
const PART: &str = "a part of an address is used as a number, and nobody knows which number";

/// What is wrong with sums, products and comparisons.
const VALUE: &str = "the number of an address is computed with, or compared, and nobody knows which number it is";

/// No object is in the first page, and none is at or behind this address.
const PAGE: u64 = 4096;
const TOP: u64 = 1 << 47;

/// Where integers have 32 bits, a front end puts an address into one by means of this shift and this mask, and takes it out
/// again.
const OBJECT_SHIFT: u64 = 40;
const OFFSET_MASK: u64 = 0xf_ffff;

/// Complains about an operation that tells which number an address is.
///
/// # Errors
/// What is wrong with it.
pub fn check_unary(op: UnaryOp, operand: Sight) -> Result<(), &'static str> {
    match (op, operand) {
        (_, Sight::Number(..))
        | (UnaryOp::ZeroExtend(_) | UnaryOp::SignExtend(_) | UnaryOp::Life, Sight::Address(..)) => Ok(()),
        (UnaryOp::Truncate(width), Sight::Address(..)) if width == Width::WORD => Ok(()),
        (UnaryOp::Truncate(_), Sight::Address(..)) => Err(PART),
        (UnaryOp::Not | UnaryOp::Neg, Sight::Address(..)) => Err(VALUE),
    }
}

/// The same for two operands; `same` says that they are one and the same value.
///
/// # Errors
/// What is wrong with it.
pub fn check_binary(op: BinaryOp, left: Sight, right: Sight, same: bool) -> Result<(), &'static str> {
    use BinaryOp::{AShr, Add, And, Eq, LShr, Mul, Ne, Or, SDiv, SLe, SLt, SRem, Shl, Sub, UDiv, ULe, ULt, URem, Xor};
    let (align, least, most) = match (left, right) {
        (Sight::Number(..), Sight::Number(..)) => return Ok(()),
        (Sight::Address(one, _), Sight::Address(other, _)) => {
            let inside = same || one.is_some() && one == other;
            let fine = match op {
                Eq | Ne => true,
                Sub | ULt | ULe | SLt | SLe => inside,
                And | Or | Xor => same,
                Add | Mul | UDiv | URem | SDiv | SRem | Shl | LShr | AShr => false,
            };
            return if fine { Ok(()) } else { Err(VALUE) };
        }
        (Sight::Address(_, align), Sight::Number(least, most)) => (align, least, most),
        // A number on the left of what is not commutative: only comparisons may come out alike.
        (Sight::Number(least, most), Sight::Address(_, align)) => match op {
            Sub | UDiv | URem | SDiv | SRem | Shl | LShr | AShr => return Err(VALUE),
            Add | Mul | And | Or | Xor | Eq | Ne | ULt | ULe | SLt | SLe => (align, least, most),
        },
    };
    let known = (least == most).then_some(least);
    let (fine, complaint) = match op {
        Add | Sub => (true, VALUE),
        Mul => (known.is_some_and(|factor| factor <= 1), VALUE),
        Or | Xor => (most < align, VALUE),
        And => (most < align || known.is_some_and(|mask| keeps(mask, align)), PART),
        // What is not known can be any number, a guess of the address among them.
        Eq | Ne => (least != most || most < PAGE || least >= TOP, VALUE),
        ULt | ULe | SLt | SLe => (most < PAGE || least >= TOP, VALUE),
        URem | SRem => (known.is_some_and(|by| by.is_power_of_two() && by <= align), PART),
        LShr | AShr => (known.is_some_and(|by| by == OBJECT_SHIFT || by >= 47), PART),
        UDiv | SDiv | Shl => (false, VALUE),
    };
    if fine { Ok(()) } else { Err(complaint) }
}

/// Whether a mask leaves an address as it is, but for bits that its alignment leaves free.
fn keeps(mask: u64, align: u64) -> bool {
    let all = TOP - 1;
    mask & all | (align - 1) == all || mask == OFFSET_MASK
}

/// What a word is, where `align` tells what the addresses of an object are multiples of, if there is such an object.
pub fn sight(value: u64, width: Width, align: impl Fn(ObjectId) -> Option<u64>) -> Sight {
    let found = Address::from_bits(value).filter(|_| width == Width::WORD);
    match found.and_then(|address| align(address.object).map(|align| (address.object, align))) {
        Some((object, align)) => Sight::Address(Some(object), align),
        None => Sight::Number(value, value),
    }
}

/// Evaluates an expression as far as its locals are known, and complains if it tells which number an address is.
///
/// # Errors
/// What is wrong with it.
pub fn check(
    expr: &Expr,
    function: &Function,
    local: &impl Fn(LocalId) -> Option<u64>,
    align: &impl Fn(ObjectId) -> Option<u64>,
) -> Result<Option<(u64, Width)>, &'static str> {
    Ok(match expr {
        Expr::Const(value, width) => Some((*value, *width)),
        Expr::Address(object, offset) => Some((Address { object: *object, offset: *offset }.to_bits(), Width::WORD)),
        Expr::Local(id) => local(*id).map(|value| (value, function.locals[id.index()].width)),
        Expr::Unary(op, operand) => {
            let Some((value, width)) = check(operand, function, local, align)? else { return Ok(None) };
            check_unary(*op, sight(value, width, align))?;
            Some(eval_unary(*op, value, width))
        }
        Expr::Binary(op, left, right) => {
            let (left, right) = (check(left, function, local, align)?, check(right, function, local, align)?);
            let seen = |side: Option<(u64, Width)>| {
                side.map_or(Sight::Number(0, u64::MAX), |(value, width)| sight(value, width, align))
            };
            check_binary(*op, seen(left), seen(right), left.is_some() && left == right)?;
            match (left, right) {
                (Some((left, width)), Some((right, _))) => Some(eval_binary(*op, left, right, width)),
                (Some(_) | None, None) | (None, Some(_)) => None,
            }
        }
        Expr::Select(condition, then, otherwise) => match check(condition, function, local, align)? {
            Some((0, _)) => check(otherwise, function, local, align)?,
            Some(_) => check(then, function, local, align)?,
            None => {
                check(then, function, local, align)?;
                check(otherwise, function, local, align)?;
                None
            }
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTER: Sight = Sight::Address(Some(ObjectId(3)), 8);
    const OTHER: Sight = Sight::Address(Some(ObjectId(4)), 8);
    const ANYWHERE: Sight = Sight::Address(None, 8);

    fn number(value: u64) -> Sight {
        Sight::Number(value, value)
    }

    fn fine(op: BinaryOp, left: Sight, right: Sight) -> bool {
        check_binary(op, left, right, false).is_ok()
    }

    #[test]
    fn what_moves_along_with_the_object_is_allowed() {
        assert!(fine(BinaryOp::Add, POINTER, number(1 << 20)));
        assert!(fine(BinaryOp::Sub, POINTER, POINTER) && fine(BinaryOp::ULt, POINTER, POINTER));
        assert!(fine(BinaryOp::Or, POINTER, number(5)) && fine(BinaryOp::Xor, number(1), POINTER));
        assert!(fine(BinaryOp::And, POINTER, number(!7)) && fine(BinaryOp::And, POINTER, number(7)));
        assert!(fine(BinaryOp::URem, POINTER, number(4)));
        assert!(fine(BinaryOp::Eq, POINTER, OTHER) && fine(BinaryOp::Ne, POINTER, number(0)));
        assert!(fine(BinaryOp::ULe, number(-4095_i64 as u64), POINTER), "errors in pointers");
        assert!(check_binary(BinaryOp::Xor, ANYWHERE, ANYWHERE, true).is_ok(), "a dependency");
    }

    #[test]
    fn what_tells_the_number_is_refused() {
        assert!(!fine(BinaryOp::Mul, POINTER, number(31)) && !fine(BinaryOp::LShr, POINTER, number(4)));
        assert!(!fine(BinaryOp::And, POINTER, number(15)) && !fine(BinaryOp::And, POINTER, number(!15)));
        assert!(!fine(BinaryOp::Or, POINTER, number(8)) && !fine(BinaryOp::Or, POINTER, Sight::Number(0, 9)));
        assert!(!fine(BinaryOp::URem, POINTER, number(16)) && !fine(BinaryOp::URem, POINTER, number(3)));
        assert!(!fine(BinaryOp::ULt, POINTER, OTHER) && !fine(BinaryOp::Sub, POINTER, OTHER));
        assert!(!fine(BinaryOp::ULt, ANYWHERE, ANYWHERE) && !fine(BinaryOp::Sub, number(0), POINTER));
        assert!(!fine(BinaryOp::Eq, POINTER, number(0x10000)) && !fine(BinaryOp::SLt, POINTER, number(0x10000)));
        assert!(!fine(BinaryOp::Add, POINTER, POINTER) && !fine(BinaryOp::Xor, POINTER, OTHER));
        assert!(check_unary(UnaryOp::Truncate(Width::INT), POINTER).is_err());
        assert!(check_unary(UnaryOp::Not, POINTER).is_err());
    }

    #[test]
    fn numbers_that_programs_count_with_are_no_addresses() {
        let align = |object: ObjectId| (object.0 < 1000).then_some(8);
        for shift in 0..64 {
            assert_eq!(sight(1 << shift, Width::WORD, align), number(1 << shift));
        }
        let address = Address { object: ObjectId(3), offset: 5 }.to_bits();
        assert_eq!(sight(address, Width::WORD, align), POINTER);
    }
}
