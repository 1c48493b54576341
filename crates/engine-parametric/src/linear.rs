//! Linear arithmetic, by Fourier and Motzkin's elimination over the rationals.
//!
//! Strict inequalities of whole numbers are made weak first, which decides most of what matters about whole numbers.
//! What is called contradictory is so; what is not may still have no solution in whole numbers.

use crate::cube::Cell;

/// How a sum compares with zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Relation {
    /// It is zero.
    Zero,
    /// It is at most zero.
    AtMost,
    /// It is less than zero.
    Less,
    /// It is not zero.
    Not,
    /// It cannot be.
    Never,
}

/// A comparison of a sum with zero.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Linear {
    /// Sorted by cell, without zeros.
    pub terms: Vec<(i64, Cell)>,
    pub constant: i64,
    pub relation: Relation,
}

/// Sums beyond this are not computed with.
const LARGE: i64 = 1 << 50;

impl Linear {
    pub(crate) fn new(mut terms: Vec<(i64, Cell)>, constant: i64, relation: Relation) -> Linear {
        terms.sort_unstable_by_key(|&(_, cell)| cell);
        let mut merged: Vec<(i64, Cell)> = Vec::with_capacity(terms.len());
        for (factor, cell) in terms {
            match merged.last_mut() {
                Some((sum, last)) if *last == cell => *sum += factor,
                _ => merged.push((factor, cell)),
            }
        }
        merged.retain(|&(factor, _)| factor != 0);
        Linear { terms: merged, constant, relation }
    }

    pub(crate) fn map(&self, rename: &dyn Fn(Cell) -> Cell) -> Linear {
        let terms = self.terms.iter().map(|&(factor, cell)| (factor, rename(cell))).collect();
        Linear::new(terms, self.constant, self.relation).oriented()
    }

    /// Equations and their denials begin with a positive factor.
    fn oriented(mut self) -> Linear {
        let symmetric = matches!(self.relation, Relation::Zero | Relation::Not);
        if symmetric && self.terms.first().is_some_and(|&(factor, _)| factor < 0) {
            self.terms.iter_mut().for_each(|(factor, _)| *factor = -*factor);
            self.constant = -self.constant;
        }
        self
    }

    /// Divided by what all factors have in common; whole numbers are made tight.
    fn reduced(mut self, whole: &dyn Fn(Cell) -> bool) -> Linear {
        let all_whole = self.terms.iter().all(|&(_, cell)| whole(cell));
        if all_whole && self.relation == Relation::Less {
            self.relation = Relation::AtMost;
            self.constant += 1;
        }
        let common = self.terms.iter().fold(0, |common, &(factor, _)| gcd(common, factor.abs()));
        if common > 1 {
            let fits = self.constant % common == 0;
            if fits || (all_whole && self.relation == Relation::AtMost) {
                self.terms.iter_mut().for_each(|(factor, _)| *factor /= common);
                self.constant = -(-self.constant).div_euclid(common);
            } else if all_whole && self.relation == Relation::Zero {
                self.relation = Relation::Never;
            }
        }
        self.oriented()
    }

    /// Whether it holds, if it has no cells.
    fn decided(&self) -> Option<bool> {
        if self.relation == Relation::Never {
            return Some(false);
        }
        self.terms.is_empty().then_some(match self.relation {
            Relation::Zero => self.constant == 0,
            Relation::AtMost => self.constant <= 0,
            Relation::Less => self.constant < 0,
            Relation::Not => self.constant != 0,
            Relation::Never => false,
        })
    }

    /// What holds if this does not: one of these.
    pub(crate) fn denied(&self) -> Vec<Linear> {
        let negative = |relation| {
            let terms = self.terms.iter().map(|&(factor, cell)| (-factor, cell)).collect();
            Linear { terms, constant: -self.constant, relation }
        };
        let positive = |relation| Linear { relation, ..self.clone() };
        match self.relation {
            Relation::Zero => vec![positive(Relation::Less), negative(Relation::Less)],
            Relation::AtMost => vec![negative(Relation::Less)],
            Relation::Less => vec![negative(Relation::AtMost)],
            Relation::Not => vec![positive(Relation::Zero)],
            Relation::Never => vec![],
        }
    }

    fn factor(&self, cell: Cell) -> i64 {
        self.terms.iter().find(|&&(_, known)| known == cell).map_or(0, |&(factor, _)| factor)
    }

    /// `self * a + other * b`; nothing if it grows too large.
    pub(crate) fn combined(&self, a: i64, other: &Linear, b: i64, relation: Relation) -> Option<Linear> {
        let scale = |(factor, cell): (i64, Cell), by: i64| Some((factor.checked_mul(by)?, cell));
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        for &term in &self.terms {
            terms.push(scale(term, a)?);
        }
        for &term in &other.terms {
            terms.push(scale(term, b)?);
        }
        let constant = self.constant.checked_mul(a)?.checked_add(other.constant.checked_mul(b)?)?;
        let linear = Linear::new(terms, constant, relation);
        let small = constant.abs() < LARGE && linear.terms.iter().all(|&(factor, _)| factor.abs() < LARGE);
        small.then_some(linear)
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A normal form, or nothing if there is a contradiction.
pub(crate) fn simplify(all: Vec<Linear>, whole: &dyn Fn(Cell) -> bool) -> Option<Vec<Linear>> {
    let mut all: Vec<Linear> = all.into_iter().map(|linear| linear.reduced(whole)).collect();
    // Known values are put in.
    loop {
        let known: Vec<(Cell, i64)> = all
            .iter()
            .filter_map(|linear| match (&linear.terms[..], linear.relation) {
                ([(1, cell)], Relation::Zero) => Some((*cell, -linear.constant)),
                _ => None,
            })
            .collect();
        let mut changed = false;
        for linear in &mut all {
            if linear.terms.len() == 1 && linear.relation == Relation::Zero && linear.terms[0].0 == 1 {
                continue;
            }
            let before = linear.terms.len();
            let mut constant = linear.constant;
            linear.terms.retain(|&(factor, cell)| {
                let value = known.iter().find(|&&(known, _)| known == cell).map(|&(_, value)| value);
                if let Some(value) = value {
                    constant = constant.saturating_add(factor.saturating_mul(value));
                }
                value.is_none()
            });
            linear.constant = constant;
            if linear.terms.len() != before {
                changed = true;
                *linear = linear.clone().reduced(whole);
            }
        }
        if !changed {
            break;
        }
    }
    let mut kept: Vec<Linear> = Vec::new();
    for linear in all {
        match linear.decided() {
            Some(true) => continue,
            Some(false) => return None,
            None => {}
        }
        // Of two bounds on the same sum the tighter one is kept.
        match kept.iter_mut().find(|known| known.terms == linear.terms && known.relation == linear.relation) {
            Some(known) if linear.relation == Relation::AtMost || linear.relation == Relation::Less => {
                known.constant = known.constant.max(linear.constant);
            }
            Some(known) if known.constant == linear.constant => {}
            Some(_) if linear.relation == Relation::Zero => return None,
            _ => kept.push(linear),
        }
    }
    satisfiable(&kept).then_some(kept)
}

/// Whether there is a solution in rationals. Sums that grow too large count as having one.
pub(crate) fn satisfiable(all: &[Linear]) -> bool {
    let (denials, convex): (Vec<&Linear>, Vec<&Linear>) =
        all.iter().partition(|linear| linear.relation == Relation::Not);
    let convex: Vec<Linear> = convex.into_iter().cloned().collect();
    if !possible(convex.clone()) {
        return false;
    }
    // Solutions are convex: if each denial alone leaves some, all together do.
    denials.iter().all(|denial| {
        let zero = Linear { relation: Relation::Zero, ..(*denial).clone() };
        zero.denied().into_iter().any(|side| {
            let mut with = convex.clone();
            with.push(side);
            possible(with)
        })
    })
}

/// Whether `all` imply `one`.
pub(crate) fn implies(all: &[Linear], one: &Linear, whole: &dyn Fn(Cell) -> bool) -> bool {
    one.denied().into_iter().all(|side| {
        let mut with: Vec<Linear> = all.to_vec();
        with.push(side.reduced(whole));
        !satisfiable(&with)
    })
}

fn possible(mut all: Vec<Linear>) -> bool {
    loop {
        for linear in &all {
            if linear.decided() == Some(false) {
                return false;
            }
        }
        all.retain(|linear| linear.decided().is_none());
        let Some(cell) = all.first().and_then(|linear| linear.terms.first()).map(|&(_, cell)| cell) else {
            return true;
        };
        match without(&all, cell) {
            Some(next) if next.len() <= 400 => all = next,
            _ => return true,
        }
    }
}

/// The shadow without a cell; nothing if numbers grow too large. Denials about the cell are dropped.
fn without(all: &[Linear], cell: Cell) -> Option<Vec<Linear>> {
    let mut next: Vec<Linear> = all.iter().filter(|linear| linear.factor(cell) == 0).cloned().collect();
    let with: Vec<&Linear> =
        all.iter().filter(|linear| linear.factor(cell) != 0 && linear.relation != Relation::Not).collect();
    if let Some(equation) = with.iter().find(|linear| linear.relation == Relation::Zero) {
        let by = equation.factor(cell);
        for linear in with.iter().filter(|linear| !std::ptr::eq(**linear, *equation)) {
            let factor = linear.factor(cell);
            let (a, b) = if by > 0 { (by, -factor) } else { (-by, factor) };
            next.push(linear.combined(a, equation, b, linear.relation)?);
        }
        return Some(next);
    }
    for low in with.iter().filter(|linear| linear.factor(cell) < 0) {
        for high in with.iter().filter(|linear| linear.factor(cell) > 0) {
            let strict = low.relation == Relation::Less || high.relation == Relation::Less;
            let relation = if strict { Relation::Less } else { Relation::AtMost };
            let combined = low.combined(high.factor(cell), high, -low.factor(cell), relation)?;
            if combined.decided() != Some(true) && !next.contains(&combined) {
                next.push(combined);
            }
        }
    }
    Some(next)
}

/// What is left of the comparisons when some cells are forgotten; at least as weak as that.
pub(crate) fn eliminate(mut all: Vec<Linear>, gone: &dyn Fn(Cell) -> bool) -> Vec<Linear> {
    loop {
        let cell = all.iter().flat_map(|linear| &linear.terms).map(|&(_, cell)| cell).find(|&cell| gone(cell));
        let Some(cell) = cell else { return all };
        match without(&all, cell) {
            Some(next) => all = next,
            None => all.retain(|linear| linear.factor(cell) == 0),
        }
    }
}
