//! Sums of dimensions in a zone: those that guards and values are made of, and those that are tracked.
//!
//! A tracked sum is a dimension whose value is always that of the sum. So no step needs to know about sums but for two
//! things: when a part gets another value, the new value of the sum is a combination of old ones, and is related to
//! what is known about those; and what is learnt about a sum says something about its parts, and the other way round.

use super::{NONE, Zone, add};
use crate::linear::Form;
use crate::values::{Dim, Values};

/// Rows of a zone with factors, in the order of rows, no factor zero, and a constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Combination {
    pub terms: Vec<(usize, i64)>,
    pub constant: i64,
}

/// How often what is known about sums and about their parts is compared.
const ROUNDS: usize = 3;

impl Combination {
    fn row(row: usize) -> Self {
        Combination { terms: vec![(row, 1)], constant: 0 }
    }

    /// `self + factor * other`; nothing if numbers become too large.
    fn plus(&self, other: &Combination, factor: i64) -> Option<Self> {
        let limit = |value: i64| (value.unsigned_abs() < 1 << 58).then_some(value);
        let mut sum = self.clone();
        sum.constant = limit(sum.constant.checked_add(other.constant.checked_mul(factor)?)?)?;
        for &(row, own) in &other.terms {
            let more = own.checked_mul(factor)?;
            match sum.terms.binary_search_by_key(&row, |term| term.0) {
                Ok(at) => sum.terms[at].1 = limit(sum.terms[at].1.checked_add(more)?)?,
                Err(at) => sum.terms.insert(at, (row, limit(more)?)),
            }
        }
        sum.terms.retain(|term| term.1 != 0);
        Some(sum)
    }

    fn negated(&self) -> Option<Self> {
        Combination { terms: Vec::new(), constant: 0 }.plus(self, -1)
    }
}

impl Zone {
    /// The tracked sums of which a dimension is a part.
    pub(super) fn sums_of(&self, dim: Dim) -> Vec<usize> {
        let has = |number: &usize| self.tracked[*number].iter().any(|term| term.0 == dim);
        (0..self.tracked.len()).filter(has).collect()
    }

    /// A tracked sum over rows, if all of its parts are there.
    fn over_rows(&self, number: usize) -> Option<Combination> {
        let term = |&(dim, factor): &(Dim, i64)| Some((self.at(dim)?, factor));
        let mut terms: Vec<(usize, i64)> = self.tracked[number].iter().map(term).collect::<Option<_>>()?;
        terms.sort_unstable();
        Some(Combination { terms, constant: 0 })
    }

    /// A form over rows, if all of its variables are there.
    pub(super) fn combination(&self, form: &Form, thread: usize) -> Option<Combination> {
        let term = |&(var, factor): &(u32, i64)| Some((self.at(Dim::Local(thread, var))?, factor));
        let mut terms: Vec<(usize, i64)> = form.terms.iter().map(term).collect::<Option<_>>()?;
        terms.sort_unstable();
        Some(Combination { terms, constant: form.constant })
    }

    /// Adds the sums that are complete now that this dimension is there.
    pub(super) fn complete(&mut self, dim: Dim) {
        for number in self.sums_of(dim) {
            if self.over_rows(number).is_some() {
                self.push_alone(Dim::Sum(number));
            }
        }
    }

    /// The sums that are there: their rows, and what they are sums of, in terms of the first of equal rows.
    fn present(&self) -> Vec<(usize, Combination)> {
        let of = |number| Some((self.at(Dim::Sum(number))?, self.canonical(&self.over_rows(number)?)?));
        (0..self.tracked.len()).filter_map(of).collect()
    }

    /// The same with the first of rows whose differences are known instead of each row.
    fn canonical(&self, all: &Combination) -> Option<Combination> {
        let mut sum = Combination { terms: Vec::new(), constant: all.constant };
        for &(row, factor) in &all.terms {
            let same = |other: &usize| {
                let (up, down) = (self.bound(row, *other), self.bound(*other, row));
                up < NONE && down < NONE && up == -down
            };
            let first = (0..row).find(same).unwrap_or(row);
            let mut term =
                if first == 0 { Combination { terms: vec![], constant: 0 } } else { Combination::row(first) };
            if first != row {
                term.constant = self.bound(row, first);
            }
            sum = sum.plus(&term, factor)?;
        }
        Some(sum)
    }

    /// The difference of rows that it is but for the constant.
    fn difference(all: &Combination) -> Option<(usize, usize)> {
        match all.terms[..] {
            [(a, 1)] => Some((a, 0)),
            [(a, -1)] => Some((0, a)),
            [(a, 1), (b, -1)] | [(b, -1), (a, 1)] => Some((a, b)),
            _ => None,
        }
    }

    /// The differences of rows that it is but for constants, with those constants, when sums count as rows.
    fn differences(&self, all: &Combination, present: &[(usize, Combination)]) -> Vec<(usize, usize, i64)> {
        let mut found = Vec::new();
        found.extend(Self::difference(all).map(|(a, b)| (a, b, all.constant)));
        for (row, sum) in present {
            for sign in [1, -1] {
                let Some(rest) = all.plus(sum, -sign) else { continue };
                if rest.terms.len() >= all.terms.len() {
                    continue;
                }
                // What is left is a constant without a row, or less one that goes the other way.
                let left = match rest.terms[..] {
                    [] => Some((0, rest.constant)),
                    [(other, factor)] if factor == -sign => Some((other, rest.constant)),
                    _ => present.iter().find_map(|(other, own)| {
                        let rest = rest.plus(own, sign)?;
                        rest.terms.is_empty().then_some((*other, rest.constant))
                    }),
                };
                let Some((other, constant)) = left else { continue };
                found.push(if sign == 1 { (*row, other, constant) } else { (other, *row, constant) });
            }
        }
        found
    }

    /// The sum of the largest values of its parts.
    fn apart(&self, all: &Combination) -> i64 {
        all.terms.iter().fold(all.constant, |sum, &(row, factor)| {
            let bound = if factor > 0 { self.bound(row, 0) } else { self.bound(0, row) };
            if bound >= NONE {
                return NONE;
            }
            add(sum, bound.checked_mul(factor.abs()).unwrap_or(NONE))
        })
    }

    /// The largest value that is known to be possible.
    pub(super) fn most(&self, all: &Combination) -> i64 {
        let Some(all) = self.canonical(all) else { return NONE };
        let present = if self.tracked.is_empty() { Vec::new() } else { self.present() };
        let known = self.differences(&all, &present).into_iter();
        let known = known.map(|(a, b, constant)| add(self.bound(a, b), constant));
        known.fold(self.apart(&all), i64::min)
    }

    /// Only valuations in which it is at most zero. Says whether some are left.
    pub(super) fn at_most_zero(&mut self, all: &Combination) -> bool {
        if self.tracked.is_empty() {
            if all.terms.is_empty() {
                return all.constant <= 0;
            }
            if let Some((a, b)) = Self::difference(all) {
                return self.constrain(a, b, -all.constant);
            }
        }
        let least = all.negated().map_or(NONE, |negated| self.most(&negated));
        if least < 0 {
            return false;
        }
        let Some(all) = self.canonical(all) else { return true };
        let present = self.present();
        for (a, b, constant) in self.differences(&all, &present) {
            if !self.constrain(a, b, -constant) {
                return false;
            }
        }
        self.reduce()
    }

    /// Bounds a row that is this combination by what is known about the parts. Says whether something is left.
    fn relate(&mut self, row: usize, all: &Combination) -> bool {
        let Some(all) = self.canonical(all) else { return true };
        let present: Vec<usize> = self.present().into_iter().map(|(at, _)| at).collect();
        let parts = all.terms.iter().map(|term| term.0);
        let others: Vec<usize> = [0].into_iter().chain(parts).chain(present).filter(|other| *other != row).collect();
        for other in others {
            let (Some(up), Some(down)) = (all.plus(&Combination::row(other), -1), all.negated()) else { continue };
            let up = if other == 0 { self.most(&all) } else { self.most(&up) };
            if up < NONE && !self.constrain(row, other, up) {
                return false;
            }
            let Some(down) = (if other == 0 { Some(down) } else { down.plus(&Combination::row(other), 1) }) else {
                continue;
            };
            let down = self.most(&down);
            if down < NONE && !self.constrain(other, row, down) {
                return false;
            }
        }
        true
    }

    /// Compares what is known about sums and about their parts. Says whether something is left.
    pub(super) fn reduce(&mut self) -> bool {
        if self.tracked.is_empty() {
            return true;
        }
        for _ in 0..ROUNDS {
            let before = self.bounds.clone();
            for number in 0..self.tracked.len() {
                let (Some(row), Some(sum)) = (self.at(Dim::Sum(number)), self.over_rows(number)) else { continue };
                if !self.relate(row, &sum) || !self.parts(row, &sum) {
                    return false;
                }
            }
            if self.bounds == before {
                break;
            }
        }
        true
    }

    /// Bounds the parts of a sum by what is known about it.
    fn parts(&mut self, row: usize, sum: &Combination) -> bool {
        for &(part, factor) in &sum.terms {
            // The factor times the part is the sum without the others.
            let own = Combination { terms: vec![(part, factor)], constant: 0 };
            let Some(rest) = Combination::row(row).plus(sum, -1).and_then(|rest| rest.plus(&own, 1)) else { continue };
            let Some(negated) = rest.negated() else { continue };
            let (mut high, mut low) = (self.most(&rest), self.most(&negated));
            if factor < 0 {
                std::mem::swap(&mut high, &mut low);
            }
            let size = factor.abs();
            if high < NONE && !self.constrain(part, 0, high.div_euclid(size)) {
                return false;
            }
            if low < NONE && !self.constrain(0, part, low.div_euclid(size)) {
                return false;
            }
        }
        true
    }

    /// A dimension takes the value of a combination of rows, and the sums of which it is a part follow.
    pub(super) fn replace(&mut self, dim: Dim, all: &Combination) {
        let mut targets = vec![(dim, Some(all.clone()))];
        for number in self.sums_of(dim) {
            let mut new = Some(Combination { terms: Vec::new(), constant: 0 });
            let mut there = true;
            for &(part, factor) in &self.tracked[number] {
                let value = if part == dim { Some(all.clone()) } else { self.at(part).map(Combination::row) };
                there &= value.is_some();
                new = new.and_then(|new| new.plus(&value?, factor));
            }
            if there {
                targets.push((Dim::Sum(number), new));
            }
        }
        // The new values stand beside the old ones until all are known.
        for (at, (_, value)) in targets.iter().enumerate() {
            self.push_alone(Dim::Next(at));
            let row = self.dims.len() - 1;
            if let Some(value) = value {
                self.become_sum(row, value);
            }
        }
        self.drop(dim);
        for (at, (target, _)) in targets.iter().enumerate() {
            self.rename_alone(Dim::Next(at), *target);
        }
        self.reduce();
    }

    /// A new row gets the value of a combination of older ones.
    fn become_sum(&mut self, row: usize, value: &Combination) {
        let Some(value) = self.canonical(value) else { return };
        if value.terms.is_empty() {
            self.equal(row, 0, value.constant);
        } else if let [(other, 1)] = value.terms[..] {
            self.equal(row, other, value.constant);
        } else {
            self.relate(row, &value);
        }
    }
}
