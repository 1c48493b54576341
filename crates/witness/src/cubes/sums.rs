//! Comparisons of sums with zero: whether they contradict each other, by Fourier and Motzkin's elimination.
//!
//! What is called impossible has no solution in rationals, after whole numbers were made tight. What is not may still
//! have none in whole numbers. So an implication that is claimed holds, and not every one is found.

use super::facts::Cell;
use std::collections::BTreeMap;
use system::Comparison;

/// Numbers beyond this are not computed with.
const LARGE: i128 = 1 << 60;

/// More comparisons than this are not made by an elimination.
const MANY: usize = 600;

/// A sum compares with zero like this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sum {
    pub terms: BTreeMap<Cell, i128>,
    pub constant: i128,
    pub how: Comparison,
}

impl Sum {
    pub(super) fn new(parts: &[(i64, Cell)], constant: i64, how: Comparison) -> Sum {
        let mut terms = BTreeMap::new();
        for &(factor, cell) in parts {
            *terms.entry(cell).or_insert(0) += i128::from(factor);
        }
        terms.retain(|_, factor| *factor != 0);
        Sum { terms, constant: i128::from(constant), how }
    }

    fn decided(&self) -> Option<bool> {
        self.terms.is_empty().then_some(match self.how {
            Comparison::Equal => self.constant == 0,
            Comparison::Differ => self.constant != 0,
            Comparison::Less => self.constant < 0,
            Comparison::AtMost => self.constant <= 0,
        })
    }

    /// `a` times this and `b` times the other; nothing if it grows too large.
    fn plus(&self, a: i128, other: &Sum, b: i128, how: Comparison) -> Option<Sum> {
        let small = |number: i128| number.abs() < LARGE;
        let fits = |sum: &Sum| small(sum.constant) && sum.terms.values().all(|&factor| small(factor));
        if !fits(self) || !fits(other) {
            return None;
        }
        let mut terms: BTreeMap<Cell, i128> = self.terms.iter().map(|(&cell, &factor)| (cell, factor * a)).collect();
        for (&cell, &factor) in &other.terms {
            *terms.entry(cell).or_insert(0) += factor * b;
        }
        terms.retain(|_, factor| *factor != 0);
        let constant = self.constant * a + other.constant * b;
        let common = terms.values().fold(constant.abs(), |common, factor| gcd(common, factor.abs()));
        let mut sum = Sum { terms, constant, how };
        if common > 1 {
            sum.terms.values_mut().for_each(|factor| *factor /= common);
            sum.constant /= common;
        }
        fits(&sum).then_some(sum)
    }

    /// `self` with a strict comparison of whole numbers made weak, and rounded.
    fn tight(mut self, whole: &dyn Fn(Cell) -> bool) -> Sum {
        if !self.terms.keys().all(|&cell| whole(cell)) {
            return self;
        }
        if self.how == Comparison::Less {
            self.how = Comparison::AtMost;
            self.constant += 1;
        }
        let common = self.terms.values().fold(0, |common, factor| gcd(common, factor.abs()));
        if common > 1 {
            match self.how {
                Comparison::AtMost => {
                    self.terms.values_mut().for_each(|factor| *factor /= common);
                    self.constant = -(-self.constant).div_euclid(common);
                }
                Comparison::Equal if self.constant % common != 0 => {
                    self.terms.clear();
                    self.constant = 1;
                }
                Comparison::Equal | Comparison::Differ | Comparison::Less => {}
            }
        }
        self
    }

    /// One of these holds if this does not.
    pub(super) fn denied(&self) -> Vec<Sum> {
        let turned = |how| Sum {
            terms: self.terms.iter().map(|(&cell, &factor)| (cell, -factor)).collect(),
            constant: -self.constant,
            how,
        };
        match self.how {
            Comparison::Equal => vec![Sum { how: Comparison::Less, ..self.clone() }, turned(Comparison::Less)],
            Comparison::Differ => vec![Sum { how: Comparison::Equal, ..self.clone() }],
            Comparison::Less => vec![turned(Comparison::AtMost)],
            Comparison::AtMost => vec![turned(Comparison::Less)],
        }
    }

    fn factor(&self, cell: Cell) -> i128 {
        self.terms.get(&cell).copied().unwrap_or(0)
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Whether nothing satisfies all of them.
pub(super) fn impossible(all: &[Sum], whole: &dyn Fn(Cell) -> bool) -> bool {
    let tight: Vec<Sum> = all.iter().map(|sum| sum.clone().tight(whole)).collect();
    let (apart, rest): (Vec<Sum>, Vec<Sum>) = tight.into_iter().partition(|sum| sum.how == Comparison::Differ);
    if empty(rest.clone()) {
        return true;
    }
    // What is left is convex: a point is excluded by one denial alone, or by none.
    apart.iter().any(|denial| {
        Sum { how: Comparison::Equal, ..denial.clone() }.denied().into_iter().all(|side| {
            let mut with = rest.clone();
            with.push(side.tight(whole));
            empty(with)
        })
    })
}

/// Whether all that satisfies `all` satisfies `one`.
pub(super) fn implied(all: &[Sum], one: &Sum, whole: &dyn Fn(Cell) -> bool) -> bool {
    // The value of the sum is known more often than not.
    if let Some(known) = all.iter().find(|sum| sum.how == Comparison::Equal && sum.terms == one.terms) {
        let left = Sum { terms: BTreeMap::new(), constant: one.constant - known.constant, how: one.how };
        return left.decided() == Some(true);
    }
    one.denied().into_iter().all(|side| {
        let mut with = all.to_vec();
        with.push(side);
        impossible(&with, whole)
    })
}

fn empty(mut all: Vec<Sum>) -> bool {
    loop {
        if all.iter().any(|sum| sum.decided() == Some(false)) {
            return true;
        }
        all.retain(|sum| sum.decided().is_none());
        let Some(cell) = all.first().and_then(|sum| sum.terms.keys().next().copied()) else { return false };
        let Some(next) = without(&all, cell) else { return false };
        if next.len() > MANY {
            return false;
        }
        all = next;
    }
}

/// What is left when a cell is eliminated; nothing if numbers grow too large.
fn without(all: &[Sum], cell: Cell) -> Option<Vec<Sum>> {
    let (with, mut next): (Vec<Sum>, Vec<Sum>) = all.iter().cloned().partition(|sum| sum.factor(cell) != 0);
    if let Some(at) = with.iter().position(|sum| sum.how == Comparison::Equal) {
        let by = with[at].factor(cell);
        for (_, sum) in with.iter().enumerate().filter(|(other, _)| *other != at) {
            // The factor of the inequality stays positive.
            next.push(sum.plus(by.abs(), &with[at], -sum.factor(cell) * by.signum(), sum.how)?);
        }
        return Some(next);
    }
    for low in with.iter().filter(|sum| sum.factor(cell) < 0) {
        for high in with.iter().filter(|sum| sum.factor(cell) > 0) {
            let strict = low.how == Comparison::Less || high.how == Comparison::Less;
            let how = if strict { Comparison::Less } else { Comparison::AtMost };
            let sum = low.plus(high.factor(cell), high, -low.factor(cell), how)?;
            if sum.decided() != Some(true) && !next.contains(&sum) {
                next.push(sum);
            }
        }
    }
    Some(next)
}
