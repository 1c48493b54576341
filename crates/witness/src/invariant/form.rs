//! Linear terms: a constant plus variables with factors.

use super::Quantity;

/// What a term of a step speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Var {
    /// A quantity before the step.
    Now(Quantity),
    /// Anything.
    Fresh(u32),
}

/// A linear term. Variables are in order, no factor is zero.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Form<V> {
    pub constant: i64,
    pub terms: Vec<(V, i64)>,
}

/// Numbers stay below this, so that sums of a few cannot overflow.
const LARGEST: u64 = 1 << 59;

fn small(value: i64) -> Option<i64> {
    (value.unsigned_abs() < LARGEST).then_some(value)
}

impl<V: Copy + Ord> Form<V> {
    pub fn constant(constant: i64) -> Self {
        Form { constant, terms: Vec::new() }
    }

    pub fn var(var: V) -> Self {
        Form { constant: 0, terms: vec![(var, 1)] }
    }

    /// Its value, if it has no variables.
    pub fn number(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// `self + factor * other`, unless numbers become too large.
    pub fn plus(&self, factor: i64, other: &Form<V>) -> Option<Form<V>> {
        let constant = small(self.constant.checked_add(other.constant.checked_mul(factor)?)?)?;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let (var, sum) = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(&&(a, f)), Some(&&(b, g))) if a == b => {
                    left.next();
                    right.next();
                    (a, f.checked_add(g.checked_mul(factor)?)?)
                }
                (Some(&&(a, f)), other) if other.is_none_or(|&&(b, _)| a < b) => {
                    left.next();
                    (a, f)
                }
                (_, Some(&&(b, g))) => {
                    right.next();
                    (b, g.checked_mul(factor)?)
                }
                (Some(_), None) => break,
            };
            if sum != 0 {
                terms.push((var, small(sum)?));
            }
        }
        Some(Form { constant, terms })
    }

    /// The same term over other variables; nothing if one of them has no counterpart or numbers become too large.
    pub fn map<W: Copy + Ord>(&self, mut to: impl FnMut(V) -> Option<Form<W>>) -> Option<Form<W>> {
        let mut sum = Form::constant(self.constant);
        for &(var, factor) in &self.terms {
            sum = sum.plus(factor, &to(var)?)?;
        }
        Some(sum)
    }

    /// As the condition that it is at most zero: divided by what all factors have in common, rounded as integers allow.
    pub fn tightened(mut self) -> Self {
        let common = self.terms.iter().fold(0, |all, term| common(all, term.1.unsigned_abs()));
        if let Ok(common) = i64::try_from(common)
            && common > 1
        {
            self.terms.iter_mut().for_each(|term| term.1 /= common);
            // a + constant <= 0 with a a multiple of `common`: a / common <= floor(-constant / common).
            self.constant = -(-self.constant).div_euclid(common);
        }
        self
    }
}

fn common(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common(b, a % b) }
}
