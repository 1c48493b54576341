//! What a term leaves when it is divided: which multiples it is of what.
//!
//! Terms are numbers modulo a power of two, and a remainder by anything but a power of two says nothing about a number that
//! wraps around. So the range of each term is kept beside its remainder; where it can leave its width, only the power of
//! two in the divisor is kept.

use ir::{BinaryOp, UnaryOp, Width};
use logic::{Term, TermNode, Terms};
use rustc_hash::FxHashMap;

/// Numbers, as signed ones, that lie between `low` and `high` and leave `remainder` when divided by `divisor`; the divisor 0
/// means that there is one such number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    pub remainder: i128,
    pub divisor: i128,
    low: i128,
    high: i128,
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

impl Class {
    /// One number.
    pub fn exactly(number: i128) -> Class {
        Class { remainder: number, divisor: 0, low: number, high: number }
    }

    /// Every number of this width.
    fn any(width: Width) -> Class {
        let half = 1i128 << (width.bits() - 1);
        Class { remainder: 0, divisor: 1, low: -half, high: half - 1 }
    }

    fn new(remainder: i128, divisor: i128, low: i128, high: i128) -> Class {
        let remainder = if divisor == 0 { remainder } else { remainder.rem_euclid(divisor) };
        Class { remainder, divisor, low, high }
    }

    /// Whether a number can be one of these, whatever the range says.
    pub fn contains(&self, number: i128) -> bool {
        if self.divisor == 0 {
            number == self.remainder
        } else {
            (number - self.remainder).rem_euclid(self.divisor) == 0
        }
    }

    /// The numbers from 0 to a last one.
    pub fn up_to(&self, last: u64) -> impl Iterator<Item = u64> {
        let first = if self.divisor == 0 { self.remainder } else { self.remainder.rem_euclid(self.divisor) };
        let step = if self.divisor == 0 { i128::MAX } else { self.divisor };
        let next = move |&number: &i128| number.checked_add(step);
        let inside = move |number: &i128| *number <= i128::from(last);
        std::iter::successors(Some(first), next).take_while(inside).filter_map(|number| u64::try_from(number).ok())
    }

    /// What both classes have in common.
    pub fn join(self, other: Class) -> Class {
        let divisor = gcd(gcd(self.divisor, other.divisor), self.remainder - other.remainder);
        Class::new(self.remainder, divisor, self.low.min(other.low), self.high.max(other.high))
    }

    /// All sums.
    pub fn plus(self, other: Class) -> Class {
        let divisor = gcd(self.divisor, other.divisor);
        Class::new(self.remainder + other.remainder, divisor, self.low + other.low, self.high + other.high)
    }

    /// The same numbers with the other sign.
    pub fn negated(self) -> Class {
        self.times(-1)
    }

    /// Every number.
    pub fn anything() -> Class {
        Class::any(Width::WORD)
    }

    /// A class that does not grow when the numbers get a little larger: what is found in one run holds in the next.
    pub fn settled(self) -> Class {
        const FAR: i128 = 1 << 40;
        if -FAR <= self.low && self.high <= FAR {
            return Class { low: -FAR, high: FAR, ..self };
        }
        let all = Class::anything();
        let divisor = if self.divisor == 0 { 0 } else { gcd(self.divisor, 1 << 64) };
        Class::new(self.remainder, divisor, all.low, all.high)
    }

    fn times(self, factor: i128) -> Class {
        let (low, high) = (self.low * factor, self.high * factor);
        let divisor = (self.divisor * factor).abs();
        Class::new(self.remainder * factor, divisor, low.min(high), low.max(high))
    }

    /// The numbers as they are in so many bits.
    pub fn within(self, width: Width) -> Class {
        let all = Class::any(width);
        if all.low <= self.low && self.high <= all.high {
            return self;
        }
        if self.divisor == 0 {
            let modulus = 1i128 << width.bits();
            let number = (self.remainder - all.low).rem_euclid(modulus) + all.low;
            return Class::exactly(number);
        }
        let divisor = gcd(self.divisor, 1i128 << width.bits());
        Class::new(self.remainder, divisor, all.low, all.high)
    }
}

/// The classes of terms, computed once each.
#[derive(Debug, Default)]
pub struct Classes {
    known: FxHashMap<Term, Class>,
}

impl Classes {
    /// A class that the term is in.
    pub fn of(&mut self, terms: &Terms, term: Term) -> Class {
        if let Some(&known) = self.known.get(&term) {
            return known;
        }
        let width = terms.width(term);
        let class = match terms.node(term) {
            TermNode::Const(value) => Class::exactly(i128::from(ir::sign_extend(value, width))),
            TermNode::Var(_) => Class::any(width),
            TermNode::Ite(_, then, otherwise) => self.of(terms, then).join(self.of(terms, otherwise)),
            TermNode::Unary(op, operand) => self.unary(terms, op, operand),
            TermNode::Binary(op, a, b) => self.binary(terms, op, a, b),
        };
        let class = class.within(width);
        self.known.insert(term, class);
        class
    }

    fn unary(&mut self, terms: &Terms, op: UnaryOp, operand: Term) -> Class {
        let (class, from) = (self.of(terms, operand), terms.width(operand));
        match op {
            UnaryOp::Neg => class.negated(),
            UnaryOp::Not => class.negated().plus(Class::exactly(-1)),
            UnaryOp::SignExtend(_) | UnaryOp::Truncate(_) => class,
            UnaryOp::Life => Class::any(from),
            UnaryOp::ZeroExtend(_) if class.low >= 0 => class,
            UnaryOp::ZeroExtend(_) => {
                let modulus = 1i128 << from.bits();
                Class::new(class.remainder, gcd(class.divisor, modulus), 0, modulus - 1)
            }
        }
    }

    fn binary(&mut self, terms: &Terms, op: BinaryOp, a: Term, b: Term) -> Class {
        let width = terms.width(a);
        let (left, right) = (self.of(terms, a), self.of(terms, b));
        // Products of a number of 64 bits and a small one fit.
        let factor = |class: Class| Some(class.remainder).filter(|r| class.divisor == 0 && r.abs() < 1 << 32);
        match op {
            BinaryOp::Add => left.plus(right),
            BinaryOp::Sub => left.plus(right.negated()),
            BinaryOp::Mul => match (factor(left), factor(right)) {
                (_, Some(factor)) => left.times(factor),
                (Some(factor), None) => right.times(factor),
                (None, None) => Class::any(width),
            },
            BinaryOp::Shl => match factor(right) {
                Some(shift @ 0..32) => left.times(1 << shift),
                Some(_) | None => Class::any(width),
            },
            BinaryOp::And => match [left, right].into_iter().find(|class| class.divisor == 0 && class.remainder > 0) {
                Some(mask) => {
                    let lowest = mask.remainder & -mask.remainder;
                    Class::new(0, lowest, 0, mask.remainder)
                }
                None => Class::any(width),
            },
            BinaryOp::URem if right.divisor == 0 && right.remainder > 0 => Class::new(0, 1, 0, right.remainder - 1),
            BinaryOp::UDiv
            | BinaryOp::URem
            | BinaryOp::SDiv
            | BinaryOp::SRem
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::LShr
            | BinaryOp::AShr
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::ULt
            | BinaryOp::ULe
            | BinaryOp::SLt
            | BinaryOp::SLe => Class::any(terms_width(op, width)),
        }
    }
}

/// The width of what an operator gives.
fn terms_width(op: BinaryOp, width: Width) -> Width {
    if op.is_comparison() { Width::BOOL } else { width }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The remainder and the divisor of `(i + shift) * factor`, where `i` is any `int` or any word.
    fn product(wide: bool, shift: u64, factor: u64) -> (i128, i128) {
        let mut terms = Terms::new();
        let index = if wide {
            terms.fresh(Width::WORD)
        } else {
            let index = terms.fresh(Width::INT);
            terms.unary(UnaryOp::SignExtend(Width::WORD), index)
        };
        let (shift, factor) = (terms.constant(shift, Width::WORD), terms.constant(factor, Width::WORD));
        let product = terms.binary(BinaryOp::Mul, index, factor);
        let term = terms.binary(BinaryOp::Add, product, shift);
        let class = Classes::default().of(&terms, term);
        (class.remainder, class.divisor)
    }

    #[test]
    fn steps_of_twelve_bytes_survive_a_step_back() {
        assert_eq!(product(false, 0, 12), (0, 12));
        assert_eq!(product(false, 4, 12), (4, 12));
        assert_eq!(product(false, 12u64.wrapping_neg(), 12), (0, 12));
        assert_eq!(product(false, 8u64.wrapping_neg(), 12), (4, 12));
    }

    #[test]
    fn what_wraps_around_keeps_the_power_of_two_only() {
        assert_eq!(product(true, 0, 12), (0, 4));
        assert_eq!(product(true, 1u64.wrapping_neg(), 12), (3, 4));
        assert_eq!(product(true, 0, 8), (0, 8));
    }
}
