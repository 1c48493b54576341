//! The decision procedure: what follows from a conjunction of linear constraints over integers.
//!
//! Differences are a matrix of shortest paths. What is linear but no difference is decided by eliminating variables one by
//! one (Fourier and Motzkin), with constants rounded as integers allow. It may fail to see that something follows; it never says so if it does not.

use super::form::Form;
use std::collections::BTreeMap;

/// No bound.
pub(super) const NONE: i64 = i64::MAX / 4;

/// How many constraints an elimination may have.
const CONSTRAINTS: usize = 400;

fn sum(a: i64, b: i64) -> i64 {
    if a >= NONE || b >= NONE { NONE } else { a.saturating_add(b).clamp(-NONE + 1, NONE) }
}

/// Bounds of differences of variables; variable 0 is the number zero.
#[derive(Debug, Clone)]
pub(super) struct Matrix {
    size: usize,
    bounds: Vec<i64>,
}

impl Matrix {
    /// Of so many variables nothing is known.
    pub fn new(size: usize) -> Self {
        let mut bounds = vec![NONE; size * size];
        (0..size).for_each(|at| bounds[at * size + at] = 0);
        Matrix { size, bounds }
    }

    pub fn get(&self, left: usize, right: usize) -> i64 {
        self.bounds[left * self.size + right]
    }

    /// Notes a bound; what follows from it is not computed yet.
    pub fn note(&mut self, left: usize, right: usize, limit: i64) {
        let own = &mut self.bounds[left * self.size + right];
        *own = limit.min(*own);
    }

    /// Computes all that follows. Says whether there is a solution.
    pub fn close(&mut self) -> bool {
        let size = self.size;
        for middle in 0..size {
            for left in 0..size {
                let first = self.get(left, middle);
                if first >= NONE {
                    continue;
                }
                for right in 0..size {
                    let way = sum(first, self.get(middle, right));
                    self.note(left, right, way);
                }
            }
        }
        (0..size).all(|at| self.get(at, at) >= 0)
    }

    /// The same with more variables of which nothing is known.
    pub fn wider(&self, more: usize) -> Matrix {
        let mut wide = Matrix::new(self.size + more);
        for left in 0..self.size {
            let to = left * wide.size;
            wide.bounds[to..to + self.size].copy_from_slice(&self.bounds[left * self.size..(left + 1) * self.size]);
        }
        wide
    }

    /// Adds a bound to what is closed, and keeps it so. Says whether there is a solution.
    pub fn add(&mut self, left: usize, right: usize, limit: i64) -> bool {
        if limit >= self.get(left, right) {
            return true;
        }
        if sum(self.get(right, left), limit) < 0 {
            return false;
        }
        for from in 0..self.size {
            let first = sum(self.get(from, left), limit);
            if first >= NONE {
                continue;
            }
            for to in 0..self.size {
                let way = sum(first, self.get(right, to));
                self.note(from, to, way);
            }
        }
        true
    }

    /// A bound of a term from above, as far as differences and ranges show.
    pub fn upper(&self, form: &Form<usize>) -> i64 {
        match difference(form) {
            Some((left, right)) => sum(self.get(left, right), form.constant),
            None => form.terms.iter().fold(form.constant, |all, &(var, factor)| {
                let bound = if factor > 0 { self.get(var, 0) } else { self.get(0, var) };
                if bound >= NONE { NONE } else { sum(all, bound.checked_mul(factor.abs()).unwrap_or(NONE)) }
            }),
        }
    }
}

/// The two variables whose difference a term is, apart from its constant.
pub(super) fn difference(form: &Form<usize>) -> Option<(usize, usize)> {
    match form.terms[..] {
        [] => Some((0, 0)),
        [(var, 1)] => Some((var, 0)),
        [(var, -1)] => Some((0, var)),
        [(left, 1), (right, -1)] | [(right, -1), (left, 1)] => Some((left, right)),
        _ => None,
    }
}

/// What is known: differences, and terms that are at most zero and no differences.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    pub matrix: Matrix,
    pub others: Vec<Form<usize>>,
}

impl Facts {
    /// Adds that a term is at most zero. Says whether a solution may be left.
    pub fn assume(&mut self, form: &Form<usize>) -> bool {
        let form = form.clone().tightened();
        match difference(&form) {
            Some((left, right)) if left == right => form.constant <= 0,
            Some((left, right)) => self.matrix.add(left, right, -form.constant),
            None => {
                let negative = Form::constant(0).plus(-1, &form);
                let possible = negative.is_none_or(|negative| self.matrix.upper(&negative) >= 0);
                self.others.push(form);
                possible
            }
        }
    }

    /// Whether it follows that a term is at most `limit`. With `hard`, variables are eliminated if need be.
    pub fn implies(&self, form: &Form<usize>, limit: i64, hard: bool) -> bool {
        if self.matrix.upper(form) <= limit {
            return true;
        }
        if !hard || (self.others.is_empty() && difference(form).is_some()) {
            return false;
        }
        let Some(denied) = limit.checked_add(1).and_then(|more| Form::constant(more).plus(-1, form)) else {
            return false;
        };
        self.refuted(Some(&denied))
    }

    /// Whether it can be shown that there is no solution, with one more term that is at most zero.
    pub fn refuted(&self, more: Option<&Form<usize>>) -> bool {
        let terms: Vec<&Form<usize>> = self.others.iter().chain(more).collect();
        let mut vars: Vec<usize> = terms.iter().flat_map(|form| form.terms.iter().map(|term| term.0)).collect();
        vars.push(0);
        vars.sort_unstable();
        vars.dedup();
        let mut system = System::default();
        for form in terms {
            system.insert(form.terms.iter().map(|&(var, f)| (var, i128::from(f))).collect(), form.constant.into());
        }
        for &left in &vars {
            for &right in &vars {
                let bound = self.matrix.get(left, right);
                if left != right && bound < NONE {
                    let mut row = BTreeMap::from([(left, 1), (right, -1)]);
                    row.remove(&0);
                    system.insert(row, -i128::from(bound));
                }
            }
        }
        for var in vars.into_iter().filter(|var| *var != 0) {
            if system.wrong || !system.eliminate(var) {
                break;
            }
        }
        system.wrong
    }
}

/// Rows that are at most zero: factors of variables, and the largest constant.
#[derive(Default)]
struct System {
    rows: BTreeMap<Vec<(usize, i128)>, i128>,
    /// Whether there is no solution.
    wrong: bool,
}

impl System {
    fn insert(&mut self, row: BTreeMap<usize, i128>, constant: i128) {
        let mut row: Vec<(usize, i128)> = row.into_iter().filter(|term| term.1 != 0).collect();
        let common = row.iter().fold(0, |all, term| gcd(all, term.1.unsigned_abs()));
        if common == 0 {
            self.wrong |= constant > 0;
            return;
        }
        let mut constant = constant;
        if let Ok(common) = i128::try_from(common) {
            row.iter_mut().for_each(|term| term.1 /= common);
            constant = -(-constant).div_euclid(common);
        }
        let own = self.rows.entry(row).or_insert(constant);
        *own = constant.max(*own);
    }

    /// Removes a variable. Says whether it could be done.
    fn eliminate(&mut self, var: usize) -> bool {
        let factor = |row: &[(usize, i128)]| row.iter().find(|term| term.0 == var).map_or(0, |term| term.1);
        let (with, without): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.rows).into_iter().partition(|(row, _)| factor(row) != 0);
        self.rows = without.into_iter().collect();
        for (high, above) in with.iter().filter(|(row, _)| factor(row) > 0) {
            for (low, below) in with.iter().filter(|(row, _)| factor(row) < 0) {
                let (times, also) = (-factor(low), factor(high));
                let mut row: BTreeMap<usize, i128> = BTreeMap::new();
                for (terms, by) in [(high, times), (low, also)] {
                    for &(other, own) in terms {
                        let Some(product) = own.checked_mul(by) else { return false };
                        let entry = row.entry(other).or_default();
                        let Some(total) = entry.checked_add(product) else { return false };
                        *entry = total;
                    }
                }
                let (Some(above), Some(below)) = (above.checked_mul(times), below.checked_mul(also)) else {
                    return false;
                };
                let Some(constant) = above.checked_add(below) else { return false };
                self.insert(row, constant);
                if self.wrong || self.rows.len() > CONSTRAINTS {
                    return self.wrong;
                }
            }
        }
        true
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Rng;

    const RANGE: std::ops::RangeInclusive<i64> = -4..=4;

    fn below(rng: &mut Rng, limit: u64) -> i64 {
        (rng.next_u64() % limit) as i64
    }

    fn form(rng: &mut Rng) -> Form<usize> {
        let mut form = Form::constant(below(rng, 9) - 4);
        for _ in 0..=below(rng, 3) {
            let var = Form::var(1 + below(rng, 3) as usize);
            form = form.plus(below(rng, 5) - 2, &var).expect("numbers are small");
        }
        form
    }

    fn value(form: &Form<usize>, values: [i64; 4]) -> i64 {
        form.terms.iter().fold(form.constant, |sum, &(var, factor)| sum + factor * values[var])
    }

    fn all() -> impl Iterator<Item = [i64; 4]> {
        RANGE.flat_map(|a| RANGE.flat_map(move |b| RANGE.map(move |c| [0, a, b, c])))
    }

    /// What is said to follow does, valuation by valuation; and differences are decided exactly.
    #[test]
    fn what_follows_holds_in_every_solution() {
        let (mut shown, mut open, mut refuted) = (0, 0, 0);
        for seed in 0..1_500 {
            let mut rng = Rng::new(seed);
            let mut facts = Facts { matrix: Matrix::new(4), others: Vec::new() };
            for var in 1..4 {
                facts.matrix.note(var, 0, 4);
                facts.matrix.note(0, var, 4);
            }
            assert!(facts.matrix.close());
            let mut known = Vec::new();
            let mut possible = true;
            for _ in 0..3 {
                let form = form(&mut rng);
                possible = possible && facts.assume(&form);
                known.push(form);
            }
            let solutions: Vec<[i64; 4]> =
                all().filter(|values| known.iter().all(|form| value(form, *values) <= 0)).collect();
            if !possible || facts.refuted(None) {
                assert!(solutions.is_empty(), "seed {seed}: {known:?}");
                refuted += 1;
                continue;
            }
            let asked = form(&mut rng);
            let limit = below(&mut rng, 9) - 2;
            let follows = solutions.iter().all(|values| value(&asked, *values) <= limit);
            let said = facts.implies(&asked, limit, true);
            assert!(follows || !said, "seed {seed}: {known:?}, but {asked:?} <= {limit} was said to follow");
            assert!(facts.implies(&asked, limit, false) <= said);
            if facts.others.is_empty() && difference(&asked).is_some() {
                assert_eq!(follows, said, "seed {seed}: {known:?}, {asked:?} <= {limit}");
            }
            if said { shown += 1 } else { open += 1 }
        }
        assert!(shown > 100 && open > 100 && refuted > 50, "{shown} {open} {refuted}");
    }

    #[test]
    fn there_is_no_integer_between_two_integers() {
        // 2x + 2y is odd.
        let odd = Form { constant: -1, terms: vec![(1, 2), (2, 2)] };
        let minus = Form { constant: 1, terms: vec![(1, -2), (2, -2)] };
        let mut facts = Facts { matrix: Matrix::new(3), others: Vec::new() };
        assert!(facts.assume(&odd));
        assert!(!facts.refuted(None));
        assert!(!facts.assume(&minus) || facts.refuted(None));
    }
}
