//! Zones: conjunctions of predicates `x - y <= c` over integers, as matrices of bounds.
//!
//! A zone is kept closed: each bound is the best that follows from all of them. So a predicate follows from a zone iff
//! its bound is at most `c`, and that is what a query to a solver would be asked. Sums of variables with other factors
//! can be tracked: a tracked sum is one more variable of the zone, present as long as all of its parts are.

mod sums;

use crate::linear::Form;
use crate::values::{Dim, Values};
use ir::Width;
use std::rc::Rc;
use sums::Combination;

/// No bound.
pub const NONE: i64 = i64::MAX / 4;

/// A sum of dimensions with factors, in the order of dimensions.
pub type Sum = Vec<(Dim, i64)>;

/// A set of valuations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    /// The sums that are tracked, by their numbers.
    tracked: Rc<[Sum]>,
    dims: Vec<Dim>,
    /// `bounds[i * n + j]` bounds dimension i minus dimension j.
    bounds: Vec<i64>,
}

fn add(a: i64, b: i64) -> i64 {
    if a >= NONE || b >= NONE { NONE } else { (a + b).clamp(-NONE + 1, NONE) }
}

impl Zone {
    /// All valuations of no variables.
    pub fn new(tracked: &Rc<[Sum]>) -> Self {
        Zone { tracked: Rc::clone(tracked), dims: vec![Dim::Zero], bounds: vec![0] }
    }

    fn at(&self, dim: Dim) -> Option<usize> {
        self.dims.iter().position(|own| *own == dim)
    }

    fn bound(&self, i: usize, j: usize) -> i64 {
        self.bounds[i * self.dims.len() + j]
    }

    /// A new dimension that can be anything, without the sums of which it is a part.
    fn push_alone(&mut self, dim: Dim) {
        self.drop_alone(dim);
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

    fn drop_alone(&mut self, dim: Dim) {
        let Some(gone) = self.at(dim) else { return };
        let n = self.dims.len();
        let kept = |at: &usize| at / n != gone && at % n != gone;
        self.bounds = (0..n * n).filter(kept).map(|at| self.bounds[at]).collect();
        self.dims.remove(gone);
    }

    fn rename_alone(&mut self, from: Dim, to: Dim) {
        self.drop_alone(to);
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
        self.combination(form, thread).map_or(NONE, |all| self.most(&all))
    }

    /// The smallest one.
    pub fn lower(&self, form: &Form, thread: usize) -> i64 {
        let terms = form.terms.iter().map(|&(var, factor)| (var, -factor)).collect();
        let upper = self.upper(&Form { constant: -form.constant, terms }, thread);
        if upper >= NONE { -NONE } else { -upper }
    }

    fn equal(&mut self, a: usize, b: usize, c: i64) {
        self.constrain(a, b, c);
        self.constrain(b, a, -c);
    }

    fn shift(&mut self, dim: Dim, constant: i64) {
        let (Some(at), n) = (self.at(dim), self.dims.len()) else { return };
        for other in (0..n).filter(|other| *other != at) {
            self.bounds[at * n + other] = add(self.bounds[at * n + other], constant);
            self.bounds[other * n + at] = add(self.bounds[other * n + at], -constant);
        }
    }

    /// Puts the dimensions in order.
    fn sort(&mut self) {
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

    /// What a tracked sum is a sum of.
    pub fn tracked(&self, number: usize) -> &Sum {
        &self.tracked[number]
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

impl Values for Zone {
    fn push(&mut self, dim: Dim) {
        self.drop(dim);
        self.push_alone(dim);
        self.complete(dim);
    }

    fn drop(&mut self, dim: Dim) {
        for sum in self.sums_of(dim) {
            self.drop_alone(Dim::Sum(sum));
        }
        self.drop_alone(dim);
    }

    fn rename(&mut self, from: Dim, to: Dim) {
        if from == to {
            return;
        }
        if self.sums_of(from).is_empty() && self.sums_of(to).is_empty() {
            self.rename_alone(from, to);
            return;
        }
        if self.at(from).is_some() {
            self.copy(to, from, 0);
            self.drop(from);
        } else {
            self.drop(to);
        }
    }

    fn copy(&mut self, dim: Dim, from: Dim, constant: i64) {
        let Some(at) = self.at(from) else {
            self.push(dim);
            return;
        };
        if from != dim && self.sums_of(dim).is_empty() {
            self.push_alone(dim);
            if let Some(from) = self.at(from) {
                self.equal(self.dims.len() - 1, from, constant);
            }
        } else if self.sums_of(dim).is_empty() {
            self.shift(dim, constant);
        } else {
            self.replace(dim, &Combination { terms: vec![(at, 1)], constant });
        }
    }

    fn assign(&mut self, dim: Dim, form: &Form, thread: usize) {
        match form.terms[..] {
            [(var, 1)] => self.copy(dim, Dim::Local(thread, var), form.constant),
            _ => match self.combination(form, thread) {
                Some(all) => self.replace(dim, &all),
                None => self.push(dim),
            },
        }
    }

    fn guard(&mut self, guard: &Form, thread: usize) -> bool {
        self.combination(guard, thread).is_none_or(|all| self.at_most_zero(&all))
    }

    fn set(&mut self, dim: Dim, value: i64) -> bool {
        let Some(at) = self.at(dim) else { return true };
        self.constrain(at, 0, value) && self.constrain(0, at, -value) && self.reduce()
    }

    fn fits(&self, form: &Form, width: Width, thread: usize) -> bool {
        let half = 1i128 << (width.bits() - 1);
        let (low, high) = (i128::from(self.lower(form, thread)), i128::from(self.upper(form, thread)));
        // No bound is no bound even where a word could hold the number that stands for it.
        let bounded = low > i128::from(-NONE) && high < i128::from(NONE);
        if width == Width::BOOL { low >= 0 && high <= 1 } else { bounded && -half <= low && high < half }
    }

    fn value(&self, dim: Dim) -> Option<i64> {
        let at = self.at(dim)?;
        let (high, low) = (self.bound(at, 0), self.bound(0, at));
        (high < NONE && low < NONE && high == -low).then_some(high)
    }

    fn settle(&mut self) {
        self.sort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::Var;

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
            let mut zone = Zone::new(&Rc::from(Vec::new()));
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

    /// The valuations that are possible and the zone that knows them, with the tracked sums.
    struct Both {
        zone: Zone,
        possible: Vec<[i64; 3]>,
    }

    impl Both {
        /// Whether a zone has room for these values, sums included.
        fn has(zone: &Zone, sums: &[Sum], values: [i64; 3]) -> bool {
            let mut zone = zone.clone();
            let of = |dim: &Dim| VARS.iter().position(|own| own == dim).map_or(0, |at| values[at]);
            let sums = sums.iter().map(|sum| sum.iter().map(|(dim, factor)| of(dim) * factor).sum());
            let rows = VARS.iter().copied().zip(values).chain(sums.enumerate().map(|(at, sum)| (Dim::Sum(at), sum)));
            rows.into_iter().all(|(dim, value): (Dim, i64)| {
                let Some(at) = zone.at(dim) else { return false };
                zone.constrain(at, 0, value) && zone.constrain(0, at, -value)
            })
        }

        /// A random step on both.
        fn step(&mut self, numbers: &mut Numbers) {
            let (to, from) = (numbers.below(3) as usize, numbers.below(3) as usize);
            let new = form(numbers);
            match numbers.below(5) {
                0 => {
                    self.zone.assign(VARS[to], &new, 0);
                    self.possible.iter_mut().for_each(|values| values[to] = value(&new, *values));
                }
                1 => {
                    self.zone.copy(VARS[to], VARS[from], new.constant);
                    self.possible.iter_mut().for_each(|values| values[to] = values[from] + new.constant);
                }
                2 => {
                    self.zone.rename(VARS[from], VARS[to]);
                    self.possible.iter_mut().for_each(|values| values[to] = values[from]);
                    if from != to {
                        self.zone.push(VARS[from]);
                        self.possible.iter_mut().for_each(|values| values[from] = new.constant);
                    }
                }
                3 => self.zone.abstracted(&[-2, 0, 1, 3]),
                _ => {
                    let guard = new.tightened();
                    let left = self.zone.guard(&guard, 0);
                    self.possible.retain(|values| value(&guard, *values) <= 0);
                    assert!(left || self.possible.is_empty());
                }
            }
            self.zone.settle();
        }
    }

    /// Sums that are tracked: no step loses a valuation or gives a sum another value than it has, and much is excluded.
    #[test]
    fn tracked_sums_are_the_sums_of_their_parts() {
        let (mut kept, mut excluded) = (0, 0);
        for seed in 0..300 {
            let mut numbers = Numbers(seed * 7907 + 5);
            let mut sums: Vec<Sum> = vec![vec![(VARS[0], 1), (VARS[1], 1)]];
            sums.extend((numbers.below(2) > 0).then(|| vec![(VARS[0], 2), (VARS[2], -1)]));
            sums.extend((numbers.below(2) > 0).then(|| vec![(VARS[0], 1), (VARS[1], -1), (VARS[2], 1)]));
            let tracked = Rc::from(sums.clone());
            let mut both = Both { zone: Zone::new(&tracked), possible: all().collect() };
            for (at, dim) in VARS.iter().enumerate() {
                both.zone.push(*dim);
                assert!(both.zone.guard(&Form { constant: -3, terms: vec![(at as Var, 1)] }, 0));
                assert!(both.zone.guard(&Form { constant: -3, terms: vec![(at as Var, -1)] }, 0));
            }
            for _ in 0..8 {
                both.step(&mut numbers);
                if both.possible.is_empty() {
                    break;
                }
                for values in &both.possible {
                    assert!(Both::has(&both.zone, &sums, *values), "seed {seed}: {values:?} is lost");
                    kept += 1;
                }
                // A guard on a sum that is tracked is known exactly.
                let sum = both.zone.at(Dim::Sum(0)).expect("all of its parts are there");
                let high = both.possible.iter().map(|values| values[0] + values[1]).max().expect("there are some");
                assert!(both.zone.bound(sum, 0) >= high, "seed {seed}");
                excluded += u32::from(both.zone.bound(sum, 0) < NONE);
            }
        }
        assert!(kept > 10_000 && excluded > 400, "{kept} {excluded}");
    }

    #[test]
    fn a_sum_stays_known_when_its_parts_change() {
        let tracked = Rc::from(vec![vec![(VARS[0], 1), (VARS[1], 1)]]);
        let mut zone = Zone::new(&tracked);
        let var = |var: Var, constant| Form { constant, terms: vec![(var, 1)] };
        zone.assign(VARS[0], &Form::constant(0), 0);
        zone.assign(VARS[1], &Form::constant(0), 0);
        for _ in 0..3 {
            zone.assign(VARS[2], &var(0, 0), 0);
            zone.assign(VARS[0], &var(2, 1), 0);
            zone.assign(VARS[1], &var(1, -1), 0);
            zone.abstracted(&[0]);
        }
        assert_eq!(zone.value(VARS[0]), None);
        let sum = |constant| Form { constant, terms: vec![(0, 1), (1, 1)] };
        assert!(!zone.clone().guard(&sum(1), 0));
        assert!(zone.clone().guard(&sum(0), 0));
    }

    #[test]
    fn integers_are_between_no_two_integers() {
        // 2x - 1 <= 0 and 1 - 2x <= 0 have a solution, but no integer one.
        let (low, high) = (Form { constant: 1, terms: vec![(0, -2)] }, Form { constant: -1, terms: vec![(0, 2)] });
        let mut zone = Zone::new(&Rc::from(Vec::new()));
        zone.push(VARS[0]);
        assert!(zone.guard(&low.tightened(), 0));
        assert!(!zone.guard(&high.tightened(), 0));
    }

    #[test]
    fn reduced_zones_say_the_same() {
        let mut dropped = 0;
        for seed in 0..300 {
            let mut numbers = Numbers(seed * 31 + 5);
            let mut zone = Zone::new(&Rc::from(Vec::new()));
            VARS.iter().for_each(|dim| zone.push(*dim));
            let possible = (0..5).all(|_| {
                let (i, j) = (numbers.below(4) as usize, numbers.below(4) as usize);
                i == j || zone.constrain(i, j, numbers.below(7) - 3)
            });
            if !possible {
                continue;
            }
            let mut again = Zone::new(&Rc::from(Vec::new()));
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
        let mut zone = Zone::new(&Rc::from(Vec::new()));
        zone.push(VARS[0]);
        assert!(!zone.fits(&Form::var(0), Width::WORD, 0));
    }

    #[test]
    fn ranges_of_widths() {
        let mut zone = Zone::new(&Rc::from(Vec::new()));
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
