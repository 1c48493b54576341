//! Exact fractions. Nothing comes back where a number becomes too large.

use std::cmp::Ordering;

/// A fraction in lowest terms with a positive denominator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratio {
    over: i128,
    under: i128,
}

/// The largest number that divides both; 0 for 0 and 0.
pub fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

impl Ratio {
    pub const ZERO: Ratio = Ratio { over: 0, under: 1 };
    pub const ONE: Ratio = Ratio { over: 1, under: 1 };

    pub fn whole(over: i128) -> Self {
        Ratio { over, under: 1 }
    }

    pub fn new(over: i128, under: i128) -> Option<Self> {
        if under == 0 {
            return None;
        }
        let common = gcd(over, under).max(1);
        let (over, under) = (over / common, under / common);
        if under < 0 {
            return Some(Ratio { over: over.checked_neg()?, under: under.checked_neg()? });
        }
        Some(Ratio { over, under })
    }

    pub fn is_zero(self) -> bool {
        self.over == 0
    }

    pub fn is_negative(self) -> bool {
        self.over < 0
    }

    pub fn is_positive(self) -> bool {
        self.over > 0
    }

    /// The number, if it is whole.
    pub fn integer(self) -> Option<i128> {
        (self.under == 1).then_some(self.over)
    }

    pub fn floor(self) -> i128 {
        self.over.div_euclid(self.under)
    }

    pub fn denominator(self) -> i128 {
        self.under
    }

    pub fn plus(self, other: Ratio) -> Option<Ratio> {
        if self.under == 1 && other.under == 1 {
            return Some(Ratio::whole(self.over.checked_add(other.over)?));
        }
        let left = self.over.checked_mul(other.under)?;
        let right = other.over.checked_mul(self.under)?;
        Ratio::new(left.checked_add(right)?, self.under.checked_mul(other.under)?)
    }

    pub fn minus(self, other: Ratio) -> Option<Ratio> {
        self.plus(other.negated()?)
    }

    pub fn times(self, other: Ratio) -> Option<Ratio> {
        if self.under == 1 && other.under == 1 {
            return Some(Ratio::whole(self.over.checked_mul(other.over)?));
        }
        Ratio::new(self.over.checked_mul(other.over)?, self.under.checked_mul(other.under)?)
    }

    pub fn divided(self, other: Ratio) -> Option<Ratio> {
        Ratio::new(self.over.checked_mul(other.under)?, self.under.checked_mul(other.over)?)
    }

    pub fn negated(self) -> Option<Ratio> {
        Some(Ratio { over: self.over.checked_neg()?, under: self.under })
    }

    pub fn compare(self, other: Ratio) -> Option<Ordering> {
        let difference = self.minus(other)?;
        Some(difference.over.cmp(&0))
    }
}

/// Makes whole numbers of fractions that have the same proportions.
pub fn proportional(values: &[(usize, Ratio)]) -> Option<Vec<(usize, i128)>> {
    let mut common: i128 = 1;
    for (_, value) in values {
        let under = value.denominator();
        common = common.checked_mul(under / gcd(common, under))?;
    }
    let scaled = |&(at, value): &(usize, Ratio)| Some((at, value.times(Ratio::whole(common))?.integer()?));
    values.iter().filter(|(_, value)| !value.is_zero()).map(scaled).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_in_lowest_terms_and_round_down() {
        let half = Ratio::new(3, -6).expect("it is a number");
        assert_eq!(half, Ratio::new(-1, 2).expect("it is a number"));
        assert_eq!(half.floor(), -1);
        assert_eq!(half.plus(half).and_then(Ratio::integer), Some(-1));
        assert_eq!(half.times(half), Ratio::new(1, 4));
        assert_eq!(half.divided(half), Some(Ratio::ONE));
        assert_eq!(half.compare(Ratio::ZERO), Some(Ordering::Less));
        assert_eq!(Ratio::new(1, 0), None);
        assert_eq!(Ratio::whole(i128::MAX).plus(Ratio::ONE), None);
    }

    #[test]
    fn proportions_stay() {
        let values = [(0, Ratio::new(1, 2)), (3, Ratio::new(-2, 3)), (4, Some(Ratio::ZERO))];
        let values: Vec<_> = values.into_iter().map(|(at, value)| (at, value.expect("it is a number"))).collect();
        assert_eq!(proportional(&values), Some(vec![(0, 3), (3, -4)]));
    }
}
