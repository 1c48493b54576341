//! What is left of constraints when equations are used up.
//!
//! An equation with a variable whose factor is 1 or -1 defines that variable, which is then replaced everywhere. Each
//! row remembers of which constraints, with which factors, it is the sum.

use super::ratio::{Ratio, gcd};
use super::simplex::Row as Fractions;
use super::{Constraint, Terms, collected};
use std::collections::BTreeMap;

/// A sum of constraints.
#[derive(Debug, Clone)]
struct Row {
    terms: Terms,
    bound: i128,
    equal: bool,
    why: BTreeMap<usize, Ratio>,
}

/// Constraints with factors.
pub type Why = Vec<(usize, Ratio)>;

/// An equation over replaced variables: factors by variable, the bound, and of which given ones with which factors it
/// is the sum.
type Equation = (BTreeMap<u32, i128>, i128, BTreeMap<usize, Ratio>);

/// All rows, and the variables that were replaced, in the order in which they were.
pub struct Rows {
    rows: Vec<Row>,
    replaced: Vec<(u32, Row)>,
    /// The rows of the table: which row, and whether turned round.
    sources: Vec<(usize, bool)>,
}

impl Row {
    fn factor(&self, var: u32) -> i128 {
        self.terms.binary_search_by_key(&var, |term| term.0).map_or(0, |at| self.terms[at].1)
    }

    /// Adds another row with a factor.
    fn add(&mut self, other: &Row, factor: i128) -> Option<()> {
        let mut terms = self.terms.clone();
        for &(var, own) in &other.terms {
            terms.push((var, own.checked_mul(factor)?));
        }
        self.terms = collected(terms)?;
        self.bound = self.bound.checked_add(other.bound.checked_mul(factor)?)?;
        add_why(&mut self.why, &other.why, Ratio::whole(factor))
    }

    /// Whether no values satisfy it, and how it is to be turned to say so.
    fn contradiction(&self) -> Option<i128> {
        if !self.terms.is_empty() {
            return None;
        }
        if self.bound < 0 {
            return Some(1);
        }
        (self.equal && self.bound > 0).then_some(-1)
    }
}

fn add_why(own: &mut BTreeMap<usize, Ratio>, other: &BTreeMap<usize, Ratio>, factor: Ratio) -> Option<()> {
    for (&at, &more) in other {
        let sum = own.entry(at).or_insert(Ratio::ZERO);
        *sum = sum.plus(more.times(factor)?)?;
        if sum.is_zero() {
            own.remove(&at);
        }
    }
    Some(())
}

impl Rows {
    pub fn new(constraints: &[Constraint]) -> Self {
        let row = |(at, own): (usize, &Constraint)| Row {
            terms: own.terms.clone(),
            bound: own.bound,
            equal: own.equal,
            why: BTreeMap::from([(at, Ratio::ONE)]),
        };
        let rows = constraints.iter().enumerate().map(row).collect();
        Rows { rows, replaced: Vec::new(), sources: Vec::new() }
    }

    /// Uses up equations. If a row becomes false, it says why. The outer answer is nothing if numbers become too large.
    pub fn eliminate(&mut self) -> Option<Option<Why>> {
        let unit = |row: &Row| row.equal.then(|| row.terms.iter().find(|term| term.1.abs() == 1).copied()).flatten();
        while let Some((at, (var, sign))) =
            self.rows.iter().enumerate().find_map(|(at, row)| unit(row).map(|term| (at, term)))
        {
            let defines = self.rows.remove(at);
            for row in &mut self.rows {
                let factor = row.factor(var);
                if factor != 0 {
                    row.add(&defines, factor.checked_mul(-sign)?)?;
                }
            }
            self.replaced.push((var, defines));
        }
        for row in &self.rows {
            if let Some(sign) = row.contradiction() {
                let mut why = Vec::with_capacity(row.why.len());
                for (&at, &factor) in &row.why {
                    why.push((at, factor.times(Ratio::whole(sign))?));
                }
                return Some(Some(why));
            }
        }
        self.rows.retain(|row| !row.terms.is_empty());
        Some(None)
    }

    /// The rows as inequalities over the variables that are left.
    pub fn table(&mut self) -> Option<(Vec<u32>, Vec<Fractions>)> {
        let mut vars: Vec<u32> = self.rows.iter().flat_map(|row| row.terms.iter().map(|term| term.0)).collect();
        vars.sort_unstable();
        vars.dedup();
        let mut table = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            for turned in [false, true].into_iter().take(1 + usize::from(row.equal)) {
                let sign = Ratio::whole(if turned { -1 } else { 1 });
                let mut terms = Vec::with_capacity(row.terms.len());
                for &(var, factor) in &row.terms {
                    let at = vars.binary_search(&var).ok()?;
                    terms.push((at, Ratio::whole(factor).times(sign)?));
                }
                table.push((terms, Ratio::whole(row.bound).times(sign)?));
                self.sources.push((at, turned));
            }
        }
        Some((vars, table))
    }

    /// What a conflict in the table means for the constraints.
    pub fn explain(&self, conflict: &[(usize, Ratio)]) -> Option<Why> {
        let mut all = BTreeMap::new();
        for &(at, factor) in conflict {
            let (row, turned) = *self.sources.get(at)?;
            let factor = if turned { factor.negated()? } else { factor };
            add_why(&mut all, &self.rows[row].why, factor)?;
        }
        Some(all.into_iter().collect())
    }

    /// The values of the variables that were replaced, too.
    pub fn complete(&self, mut values: BTreeMap<u32, i128>) -> Option<BTreeMap<u32, i128>> {
        for (var, row) in self.replaced.iter().rev() {
            let mut rest = row.bound;
            for (other, factor) in row.terms.iter().filter(|term| term.0 != *var) {
                let value = *values.entry(*other).or_insert(0);
                rest = rest.checked_sub(factor.checked_mul(value)?)?;
            }
            values.insert(*var, rest.checked_mul(row.factor(*var))?);
        }
        Some(values)
    }

    /// A sum of variables that the equations make a fraction, and that fraction rounded down.
    ///
    /// Replacing variables by others of the same range makes each equation say what one variable is; factors of rows
    /// are not touched by that, so the sum is found in the old variables.
    pub fn fractional_equation(&self) -> Option<Option<(Terms, i128)>> {
        let given: Vec<&Row> = self.rows.iter().filter(|row| row.equal).collect();
        let mut open: Vec<Equation> = Vec::new();
        for (at, row) in given.iter().enumerate() {
            open.push((row.terms.iter().copied().collect(), row.bound, BTreeMap::from([(at, Ratio::ONE)])));
        }
        while let Some((mut own, bound, why)) = open.pop() {
            let common = own.values().fold(0, |common, factor| gcd(common, *factor));
            if common == 0 {
                continue;
            }
            if bound % common != 0 {
                return self.scaled(&given, &why, common, bound).map(Some);
            }
            while own.len() > 1 {
                let Some((&least, &factor)) = own.iter().min_by_key(|term| term.1.abs()) else { break };
                let others: Vec<(u32, i128)> =
                    own.iter().filter(|term| *term.0 != least).map(|(a, b)| (*a, *b)).collect();
                for (var, other) in others {
                    let times = other.div_euclid(factor);
                    for terms in open.iter_mut().map(|row| &mut row.0).chain([&mut own]) {
                        let more = terms.get(&least).copied().unwrap_or(0).checked_mul(times)?;
                        let left = terms.get(&var).copied().unwrap_or(0).checked_sub(more)?;
                        if left == 0 {
                            terms.remove(&var);
                        } else {
                            terms.insert(var, left);
                        }
                    }
                }
            }
            let Some((&var, &factor)) = own.iter().next() else { continue };
            for (terms, other, sum) in &mut open {
                let Some(times) = terms.remove(&var) else { continue };
                *other = other.checked_sub((bound / factor).checked_mul(times)?)?;
                add_why(sum, &why, Ratio::new(times.checked_neg()?, factor)?)?;
            }
        }
        Some(None)
    }

    fn scaled(&self, given: &[&Row], why: &BTreeMap<usize, Ratio>, by: i128, bound: i128) -> Option<(Terms, i128)> {
        let mut sum: BTreeMap<u32, Ratio> = BTreeMap::new();
        for (&at, &factor) in why {
            for &(var, own) in &given[at].terms {
                let all = sum.entry(var).or_insert(Ratio::ZERO);
                *all = all.plus(factor.times(Ratio::whole(own))?)?;
            }
        }
        let mut terms = Terms::new();
        for (var, factor) in sum {
            terms.push((var, factor.divided(Ratio::whole(by))?.integer()?));
        }
        Some((collected(terms)?, bound.div_euclid(by)))
    }

    /// A sum of variables whose bound can be rounded, and has not been in these constraints.
    pub fn rounded(&self, all: &[Constraint]) -> Option<(Terms, i128)> {
        self.rows.iter().find_map(|row| {
            let common = row.terms.iter().fold(0, |common, term| gcd(common, term.1));
            if common <= 1 || row.bound % common == 0 {
                return None;
            }
            let terms: Terms = row.terms.iter().map(|(var, factor)| (*var, factor / common)).collect();
            let bound = row.bound.div_euclid(common);
            let done = all.iter().any(|own| own.terms == terms && own.bound <= bound);
            (!done).then_some((terms, bound))
        })
    }
}
