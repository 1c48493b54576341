//! Zones: conjunctions of predicates `x - y <= c` over integers, as matrices of bounds.
//!
//! A zone is kept closed: each bound is the best that follows from all of them. So a predicate follows from a zone iff
//! its bound is at most `c`, and that is what a query to a solver would be asked.

use crate::linear::{Form, Var};
use ir::Width;

/// No bound.
pub const NONE: i64 = i64::MAX / 4;

/// What a row of a matrix stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dim {
    /// The number zero.
    Zero,
    /// What memory holds.
    Memory(u32),
    /// A variable of a thread.
    Local(usize, Var),
    /// A write in the buffer of a thread, counted from the oldest.
    Slot(usize, usize),
    /// The newest write of a thread to a cell, beyond those that are kept in order.
    Last(usize, u32),
    /// A choice on a path, when the path is tried.
    Choice(usize),
}

/// A set of valuations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    dims: Vec<Dim>,
    /// `bounds[i * n + j]` bounds dimension i minus dimension j.
    bounds: Vec<i64>,
}

fn add(a: i64, b: i64) -> i64 {
    if a >= NONE || b >= NONE { NONE } else { (a + b).clamp(-NONE + 1, NONE) }
}

impl Zone {
    /// All valuations of no variables.
    pub fn new() -> Self {
        Zone { dims: vec![Dim::Zero], bounds: vec![0] }
    }

    fn at(&self, dim: Dim) -> Option<usize> {
        self.dims.iter().position(|own| *own == dim)
    }

    fn bound(&self, i: usize, j: usize) -> i64 {
        self.bounds[i * self.dims.len() + j]
    }

    /// A new dimension that can be anything.
    pub fn push(&mut self, dim: Dim) {
        self.drop(dim);
        let n = self.dims.len();
        let mut bounds = Vec::with_capacity((n + 1) * (n + 1));
        for i in 0..n {
            bounds.extend_from_slice(&self.bounds[i * n..(i + 1) * n]);
            bounds.push(NONE);
        }
        bounds.extend(std::iter::repeat_n(NONE, n));
        bounds.push(0);
        self.dims.push(dim);
        self.bounds = bounds;
    }

    /// Forgets a dimension.
    pub fn drop(&mut self, dim: Dim) {
        let Some(gone) = self.at(dim) else { return };
        let n = self.dims.len();
        let kept = |at: &usize| at / n != gone && at % n != gone;
        self.bounds = (0..n * n).filter(kept).map(|at| self.bounds[at]).collect();
        self.dims.remove(gone);
    }

    /// Gives a dimension another name; what had that name is forgotten.
    pub fn rename(&mut self, from: Dim, to: Dim) {
        if from == to {
            return;
        }
        self.drop(to);
        if let Some(at) = self.at(from) {
            self.dims[at] = to;
        }
    }

    /// Adds `i - j <= c`. Says whether something is left.
    fn constrain(&mut self, i: usize, j: usize, c: i64) -> bool {
        let n = self.dims.len();
        if c >= self.bound(i, j) {
            return true;
        }
        if add(self.bound(j, i), c) < 0 {
            return false;
        }
        let from_j: Vec<i64> = self.bounds[j * n..(j + 1) * n].to_vec();
        for a in 0..n {
            let first = add(self.bounds[a * n + i], c);
            if first >= NONE {
                continue;
            }
            for (b, rest) in from_j.iter().enumerate() {
                let through = add(first, *rest);
                if through < self.bounds[a * n + b] {
                    self.bounds[a * n + b] = through;
                }
            }
        }
        true
    }

    /// The largest value of a form, where its variables are those of a thread.
    pub fn upper(&self, form: &Form, thread: usize) -> i64 {
        let at = |var: Var| self.at(Dim::Local(thread, var));
        let constant = form.constant;
        match form.terms[..] {
            [] => constant,
            [(a, 1), (b, -1)] | [(b, -1), (a, 1)] => match (at(a), at(b)) {
                (Some(a), Some(b)) => add(self.bound(a, b), constant),
                _ => NONE,
            },
            _ => form.terms.iter().fold(constant, |sum, &(var, factor)| {
                let Some(at) = at(var) else { return NONE };
                let bound = if factor > 0 { self.bound(at, 0) } else { self.bound(0, at) };
                if bound >= NONE {
                    return NONE;
                }
                add(sum, bound.checked_mul(factor.abs()).unwrap_or(NONE))
            }),
        }
    }

    /// The smallest one.
    pub fn lower(&self, form: &Form, thread: usize) -> i64 {
        let terms = form.terms.iter().map(|&(var, factor)| (var, -factor)).collect();
        let upper = self.upper(&Form { constant: -form.constant, terms }, thread);
        if upper >= NONE { -NONE } else { -upper }
    }

    /// Whether all values of a form are in the range of a width.
    pub fn fits(&self, form: &Form, width: Width, thread: usize) -> bool {
        let half = 1i128 << (width.bits() - 1);
        let (low, high) = (i128::from(self.lower(form, thread)), i128::from(self.upper(form, thread)));
        // No bound is no bound even where a word could hold the number that stands for it.
        let bounded = low > i128::from(-NONE) && high < i128::from(NONE);
        if width == Width::BOOL { low >= 0 && high <= 1 } else { bounded && -half <= low && high < half }
    }

    /// Only valuations in which the form is at most zero. Says whether some are left.
    pub fn guard(&mut self, guard: &Form, thread: usize) -> bool {
        let at = |zone: &Zone, var: Var| zone.at(Dim::Local(thread, var));
        match guard.terms[..] {
            [] => guard.constant <= 0,
            [(a, 1)] => at(self, a).is_none_or(|a| self.constrain(a, 0, -guard.constant)),
            [(a, -1)] => at(self, a).is_none_or(|a| self.constrain(0, a, -guard.constant)),
            [(a, 1), (b, -1)] | [(b, -1), (a, 1)] => match (at(self, a), at(self, b)) {
                (Some(a), Some(b)) => self.constrain(a, b, -guard.constant),
                _ => true,
            },
            _ => self.lower(guard, thread) <= 0,
        }
    }

    /// A dimension takes the value of a form. Says whether that is exact.
    pub fn assign(&mut self, dim: Dim, form: &Form, thread: usize) -> bool {
        match form.terms[..] {
            [] => {
                self.push(dim);
                self.equal(self.dims.len() - 1, 0, form.constant);
                true
            }
            [(var, 1)] => {
                let from = Dim::Local(thread, var);
                if from == dim {
                    self.shift(dim, form.constant);
                } else {
                    self.copy(dim, from, form.constant);
                }
                true
            }
            _ => {
                let (low, high) = (self.lower(form, thread), self.upper(form, thread));
                self.push(dim);
                let last = self.dims.len() - 1;
                if high < NONE {
                    self.constrain(last, 0, high);
                }
                if low > -NONE {
                    self.constrain(0, last, -low);
                }
                low == high
            }
        }
    }

    fn equal(&mut self, a: usize, b: usize, c: i64) {
        self.constrain(a, b, c);
        self.constrain(b, a, -c);
    }

    /// A dimension becomes another one plus a constant.
    pub fn copy(&mut self, dim: Dim, from: Dim, constant: i64) {
        self.push(dim);
        if let Some(from) = self.at(from) {
            self.equal(self.dims.len() - 1, from, constant);
        }
    }

    fn shift(&mut self, dim: Dim, constant: i64) {
        let (Some(at), n) = (self.at(dim), self.dims.len()) else { return };
        for other in (0..n).filter(|other| *other != at) {
            self.bounds[at * n + other] = add(self.bounds[at * n + other], constant);
            self.bounds[other * n + at] = add(self.bounds[other * n + at], -constant);
        }
    }

    /// The value of a dimension, if there is only one.
    pub fn value(&self, dim: Dim) -> Option<i64> {
        let at = self.at(dim)?;
        let (high, low) = (self.bound(at, 0), self.bound(0, at));
        (high < NONE && low < NONE && high == -low).then_some(high)
    }

    /// Fixes a dimension to its value nearest to zero and says which that is.
    pub fn fix(&mut self, dim: Dim) -> Option<i64> {
        let at = self.at(dim)?;
        let (high, low) = (self.bound(at, 0), self.bound(0, at));
        let value = if high < 0 {
            high
        } else if low < 0 {
            -low
        } else {
            0
        };
        self.equal(at, 0, value);
        Some(value)
    }

    /// Fixes a dimension to a value. Says whether something is left.
    pub fn set(&mut self, dim: Dim, value: i64) -> bool {
        self.at(dim).is_none_or(|at| self.constrain(at, 0, value) && self.constrain(0, at, -value))
    }

    /// Puts the dimensions in order.
    pub fn sort(&mut self) {
        if self.dims.is_sorted() {
            return;
        }
        let n = self.dims.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&at| self.dims[at]);
        let bounds = order.iter().flat_map(|&i| order.iter().map(move |&j| (i, j)));
        self.bounds = bounds.map(|(i, j)| self.bounds[i * n + j]).collect();
        self.dims = order.iter().map(|&at| self.dims[at]).collect();
    }

    /// Keeps only what predicates with these constants say. The constants are in order.
    pub fn abstracted(&mut self, constants: &[i64]) {
        let mut changed = false;
        let n = self.dims.len();
        for at in 0..n * n {
            let bound = self.bounds[at];
            if bound < NONE && at / n != at % n {
                let next = constants.partition_point(|constant| *constant < bound);
                let weaker = constants.get(next).copied().unwrap_or(NONE);
                changed |= weaker != bound;
                self.bounds[at] = weaker;
            }
        }
        if changed {
            self.close();
        }
    }

    fn close(&mut self) {
        let n = self.dims.len();
        for through in 0..n {
            for i in 0..n {
                let first = self.bounds[i * n + through];
                if first >= NONE {
                    continue;
                }
                for j in 0..n {
                    let sum = add(first, self.bounds[through * n + j]);
                    if sum < self.bounds[i * n + j] {
                        self.bounds[i * n + j] = sum;
                    }
                }
            }
        }
    }

    /// Whether all valuations of this zone are in the other one, over the same dimensions in the same order.
    pub fn is_inside(&self, other: &Zone) -> bool {
        debug_assert_eq!(self.dims, other.dims);
        self.bounds.iter().zip(&other.bounds).all(|(own, other)| own <= other)
    }

    /// Predicates from which all others of this zone follow.
    pub fn reduced(&self) -> Vec<(Dim, Dim, i64)> {
        let n = self.dims.len();
        let equal = |i: usize, j: usize| {
            let (there, back) = (self.bound(i, j), self.bound(j, i));
            there < NONE && back < NONE && there + back == 0
        };
        // Dimensions that differ by a constant have one among them that speaks for all.
        let speaker: Vec<usize> = (0..n).map(|i| (0..i).find(|&j| equal(i, j)).unwrap_or(i)).collect();
        let speaks = |i: usize| speaker[i] == i;
        let mut kept = Vec::new();
        for (i, &first) in speaker.iter().enumerate() {
            for (j, &second) in speaker.iter().enumerate() {
                let bound = self.bound(i, j);
                let follows = || {
                    let mut others = (0..n).filter(|&k| k != i && k != j && speaks(k));
                    others.any(|k| add(self.bound(i, k), self.bound(k, j)) <= bound)
                };
                let ties = (first == j && !speaks(i)) || (second == i && !speaks(j));
                if i != j && bound < NONE && (ties || (speaks(i) && speaks(j) && !follows())) {
                    kept.push((self.dims[i], self.dims[j], bound));
                }
            }
        }
        kept
    }

    /// All bounds there are, in absolute terms.
    pub fn constants(&self) -> impl Iterator<Item = i64> + '_ {
        self.bounds.iter().copied().filter(|bound| *bound < NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator of numbers.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, limit: u64) -> i64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((self.0 >> 33) % limit) as i64
        }
    }

    const VARS: [Dim; 3] = [Dim::Local(0, 0), Dim::Local(0, 1), Dim::Local(0, 2)];

    /// Whether a zone says that these values are possible.
    fn contains(zone: &Zone, values: [i64; 3]) -> bool {
        let mut zone = zone.clone();
        VARS.iter().zip(values).all(|(dim, value)| zone.set(*dim, value))
    }

    fn value(form: &Form, values: [i64; 3]) -> i64 {
        form.terms.iter().fold(form.constant, |sum, &(var, factor)| sum + factor * values[var as usize])
    }

    fn form(numbers: &mut Numbers) -> Form {
        let mut form = Form::constant(numbers.below(7) - 3);
        for _ in 0..numbers.below(3) {
            let var = Form::var(numbers.below(3) as Var);
            form = form.plus(&var, numbers.below(5) - 2).expect("numbers are small");
        }
        form
    }

    const RANGE: std::ops::RangeInclusive<i64> = -3..=3;

    fn all() -> impl Iterator<Item = [i64; 3]> {
        RANGE.flat_map(|a| RANGE.flat_map(move |b| RANGE.map(move |c| [a, b, c])))
    }

    /// Guards, assignments and abstraction against their meaning, valuation by valuation.
    #[test]
    fn no_valuation_is_lost_and_differences_are_exact() {
        let (mut kept, mut excluded) = (0, 0);
        for seed in 0..400 {
            let mut numbers = Numbers(seed * 7919 + 1);
            let mut zone = Zone::new();
            VARS.iter().for_each(|dim| zone.push(*dim));
            // All valuations that are possible, and whether the zone has said only exact things so far.
            let mut possible: Vec<[i64; 3]> = all().collect();
            for dim in VARS {
                let Dim::Local(_, var) = dim else { continue };
                assert!(zone.guard(&Form { constant: -3, terms: vec![(var, 1)] }, 0));
                assert!(zone.guard(&Form { constant: -3, terms: vec![(var, -1)] }, 0));
            }
            let mut exact = true;
            for _ in 0..6 {
                let form = form(&mut numbers).tightened();
                let before = zone.clone();
                possible.retain(|values| value(&form, *values) <= 0);
                exact &= form.is_difference();
                if !zone.guard(&form, 0) {
                    assert!(possible.is_empty(), "seed {seed}: {form:?} {before:?}");
                    break;
                }
                for values in all() {
                    let is = contains(&zone, values);
                    let should = possible.contains(&values);
                    assert!(is || !should, "seed {seed}: {values:?} is lost");
                    assert!(!exact || is == should, "seed {seed}: {values:?} is too much");
                    if should { kept += 1 } else { excluded += 1 }
                }
                let mut coarse = zone.clone();
                coarse.abstracted(&[-1, 0, 2]);
                assert!(zone.is_inside(&coarse));
                assert!(possible.iter().all(|values| contains(&coarse, *values)));
            }
            // An assignment: what was possible is still possible, with the new value.
            let new = form(&mut numbers);
            let mut after = zone.clone();
            after.assign(VARS[0], &new, 0);
            for values in &possible {
                let [_, b, c] = *values;
                assert!(contains(&after, [value(&new, *values), b, c]), "seed {seed}: {new:?}");
            }
            if !possible.is_empty() {
                let (low, high) = (zone.lower(&new, 0), zone.upper(&new, 0));
                assert!(possible.iter().all(|values| (low..=high).contains(&value(&new, *values))));
            }
        }
        assert!(kept > 1_000 && excluded > 1_000, "{kept} {excluded}");
    }

    #[test]
    fn integers_are_between_no_two_integers() {
        // 2x - 1 <= 0 and 1 - 2x <= 0 have a solution, but no integer one.
        let (low, high) = (Form { constant: 1, terms: vec![(0, -2)] }, Form { constant: -1, terms: vec![(0, 2)] });
        let mut zone = Zone::new();
        zone.push(VARS[0]);
        assert!(zone.guard(&low.tightened(), 0));
        assert!(!zone.guard(&high.tightened(), 0));
    }

    #[test]
    fn reduced_zones_say_the_same() {
        let mut dropped = 0;
        for seed in 0..300 {
            let mut numbers = Numbers(seed * 31 + 5);
            let mut zone = Zone::new();
            VARS.iter().for_each(|dim| zone.push(*dim));
            let possible = (0..5).all(|_| {
                let (i, j) = (numbers.below(4) as usize, numbers.below(4) as usize);
                i == j || zone.constrain(i, j, numbers.below(7) - 3)
            });
            if !possible {
                continue;
            }
            let mut again = Zone::new();
            VARS.iter().for_each(|dim| again.push(*dim));
            let kept = zone.reduced();
            dropped += zone.constants().count() - zone.dims.len() - kept.len();
            for (left, right, limit) in kept {
                let at = |dim| again.at(dim).expect("the same dimensions");
                let (left, right) = (at(left), at(right));
                assert!(again.constrain(left, right, limit));
            }
            assert_eq!(again, zone, "seed {seed}");
        }
        assert!(dropped > 200, "{dropped}");
    }

    #[test]
    fn what_has_no_bound_fits_no_width() {
        let mut zone = Zone::new();
        zone.push(VARS[0]);
        assert!(!zone.fits(&Form::var(0), Width::WORD, 0));
    }

    #[test]
    fn ranges_of_widths() {
        let mut zone = Zone::new();
        zone.push(VARS[0]);
        let (x, next) = (Form::var(0), Form { constant: 1, terms: vec![(0, 1)] });
        assert!(!zone.fits(&x, Width::INT, 0));
        assert!(zone.guard(&Form { constant: -i64::from(i32::MAX), terms: vec![(0, 1)] }, 0));
        assert!(!zone.fits(&x, Width::INT, 0));
        assert!(zone.guard(&Form { constant: 0, terms: vec![(0, -1)] }, 0));
        assert!(zone.fits(&x, Width::INT, 0));
        assert!(!zone.fits(&next, Width::INT, 0));
    }
}
