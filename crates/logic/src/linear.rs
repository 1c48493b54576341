//! Conjunctions of linear constraints over the integers: are they satisfiable, why not, and interpolants.
//!
//! [`decide`] gives values, or a [`Proof`] that there are none. A proof is a tree: each leaf is a sum of constraints
//! with factors that says `0 <= -1` (Farkas), each fork is a sum of variables that is at most a number or larger than
//! it. Fractions are decided by the simplex method. Where fractions solve what integers do not, there is a fork: on a
//! sum that equations make fractional, on a sum that can be rounded, or on a variable with a fractional value.
//! [`interpolants`] reads interpolants off a proof.
//!
//! All numbers are exact. Where one becomes too large, or the tree, the answer is [`Decision::Unknown`].

mod interpolant;
mod ratio;
mod rows;
mod simplex;

pub use interpolant::{Formula, Strength, interpolants};

use ratio::{gcd, proportional};
use rows::Rows;
use simplex::Fractional;
use std::collections::BTreeMap;

/// Variables with factors, in the order of variables, no factor zero.
pub type Terms = Vec<(u32, i128)>;

/// A sum of variables with factors that is at most, or exactly, a number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Constraint {
    terms: Terms,
    bound: i128,
    equal: bool,
}

/// Whether there are integers that satisfy all constraints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// These do. What is not mentioned can be anything.
    Feasible(BTreeMap<u32, i128>),
    /// There are none.
    Infeasible(Proof),
    /// Numbers or the search have become too large.
    Unknown,
}

/// Why no integers satisfy some constraints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// The sum of constraints with these factors says `0 <= -1` or worse. Factors of equations may be negative. A
    /// number from the count of constraints on means what the forks on the way here say, from the root.
    Sum(Vec<(usize, i128)>),
    /// Each integer is at most the bound, or at least one more.
    Fork {
        /// The sum of variables that is looked at.
        terms: Terms,
        /// The number.
        bound: i128,
        /// Why it is not at most the bound.
        below: Box<Proof>,
        /// Why it is not larger.
        above: Box<Proof>,
    },
}

/// How many forks a proof may have.
const FORKS: usize = 400;

/// How many of them may be above each other.
const DEPTH: usize = 40;

impl Constraint {
    /// `sum of terms <= bound`. Terms may be in any order and repeat a variable; nothing comes back if numbers become
    /// too large.
    pub fn at_most(terms: impl IntoIterator<Item = (u32, i128)>, bound: i128) -> Option<Self> {
        let mut terms = collected(terms)?;
        let common = terms.iter().fold(0, |common, (_, factor)| gcd(common, *factor));
        let mut bound = bound;
        if common > 1 {
            terms.iter_mut().for_each(|(_, factor)| *factor /= common);
            bound = bound.div_euclid(common);
        }
        Some(Constraint { terms, bound, equal: false })
    }

    /// `sum of terms = bound`.
    pub fn equal(terms: impl IntoIterator<Item = (u32, i128)>, bound: i128) -> Option<Self> {
        Some(Constraint { terms: collected(terms)?, bound, equal: true })
    }

    /// The variables and their factors.
    pub fn terms(&self) -> &[(u32, i128)] {
        &self.terms
    }

    /// What the sum is at most.
    pub fn bound(&self) -> i128 {
        self.bound
    }

    /// Whether the sum is exactly that.
    pub fn is_equation(&self) -> bool {
        self.equal
    }

    /// Whether these values satisfy it; what is not mentioned is zero. Nothing comes back if numbers become too large.
    pub fn holds(&self, values: &BTreeMap<u32, i128>) -> Option<bool> {
        let mut sum: i128 = 0;
        for (var, factor) in &self.terms {
            sum = sum.checked_add(factor.checked_mul(values.get(var).copied().unwrap_or(0))?)?;
        }
        Some(if self.equal { sum == self.bound } else { sum <= self.bound })
    }
}

/// Terms in order, each variable once.
fn collected(terms: impl IntoIterator<Item = (u32, i128)>) -> Option<Terms> {
    let mut all: BTreeMap<u32, i128> = BTreeMap::new();
    for (var, factor) in terms {
        let own = all.entry(var).or_insert(0);
        *own = own.checked_add(factor)?;
    }
    all.retain(|_, factor| *factor != 0);
    Some(all.into_iter().collect())
}

/// What the sides of a fork say.
fn sides(terms: &Terms, bound: i128) -> Option<[Constraint; 2]> {
    let below = Constraint::at_most(terms.iter().copied(), bound)?;
    let mut negated = Vec::with_capacity(terms.len());
    for &(var, factor) in terms {
        negated.push((var, factor.checked_neg()?));
    }
    let above = Constraint::at_most(negated, bound.checked_add(1)?.checked_neg()?)?;
    Some([below, above])
}

impl Proof {
    /// Whether it proves that no integers satisfy these constraints. Only sums and comparisons are used.
    pub fn is_valid(&self, constraints: &[Constraint]) -> bool {
        let mut all = constraints.to_vec();
        self.checks(&mut all).unwrap_or(false)
    }

    fn checks(&self, all: &mut Vec<Constraint>) -> Option<bool> {
        match self {
            Proof::Sum(factors) => {
                if factors.iter().any(|(at, factor)| all.get(*at).is_none_or(|own| !own.equal && *factor < 0)) {
                    return Some(false);
                }
                let (terms, bound) = sum(all, factors)?;
                Some(terms.is_empty() && bound < 0)
            }
            Proof::Fork { terms, bound, below, above } => {
                let [low, high] = sides(terms, *bound)?;
                for (side, proof) in [(low, below), (high, above)] {
                    all.push(side);
                    let valid = proof.checks(all);
                    all.pop();
                    if !valid? {
                        return Some(false);
                    }
                }
                Some(true)
            }
        }
    }
}

/// The sum of constraints with factors.
fn sum(all: &[Constraint], factors: &[(usize, i128)]) -> Option<(Terms, i128)> {
    let mut terms = Vec::new();
    let mut bound: i128 = 0;
    for &(at, factor) in factors {
        for &(var, own) in &all.get(at)?.terms {
            terms.push((var, own.checked_mul(factor)?));
        }
        bound = bound.checked_add(all[at].bound.checked_mul(factor)?)?;
    }
    Some((collected(terms)?, bound))
}

/// Whether there are integers that satisfy all constraints.
pub fn decide(constraints: &[Constraint]) -> Decision {
    let mut search = Search { all: constraints.to_vec(), forks: 0 };
    search.node(0).unwrap_or(Decision::Unknown)
}

struct Search {
    /// The constraints, and what the forks on the way here say.
    all: Vec<Constraint>,
    forks: usize,
}

impl Search {
    fn node(&mut self, depth: usize) -> Option<Decision> {
        let mut rows = Rows::new(&self.all);
        if let Some(conflict) = rows.eliminate()? {
            return Some(Decision::Infeasible(Proof::Sum(proportional(&conflict)?)));
        }
        let (vars, table) = rows.table()?;
        let values = match simplex::solve(vars.len(), &table)? {
            Fractional::Conflict(conflict) => {
                let why = rows.explain(&conflict)?;
                return Some(Decision::Infeasible(Proof::Sum(proportional(&why)?)));
            }
            Fractional::Solution(values) => values,
        };
        let fraction = values.iter().position(|value| value.integer().is_none());
        let Some(fraction) = fraction else {
            let integers = vars.iter().zip(&values).filter_map(|(var, value)| Some((*var, value.integer()?)));
            return Some(Decision::Feasible(rows.complete(integers.collect())?));
        };
        let by_variable = || (vec![(vars[fraction], 1)], values[fraction].floor());
        let fork = match rows.fractional_equation()? {
            Some(fork) => fork,
            None => rows.rounded(&self.all).unwrap_or_else(by_variable),
        };
        self.fork(fork, depth)
    }

    fn fork(&mut self, (terms, bound): (Terms, i128), depth: usize) -> Option<Decision> {
        self.forks += 1;
        if self.forks > FORKS || depth > DEPTH {
            return None;
        }
        let mut proofs = Vec::new();
        let mut open = false;
        for side in sides(&terms, bound)? {
            self.all.push(side);
            let found = self.node(depth + 1);
            self.all.pop();
            match found {
                Some(Decision::Feasible(values)) => return Some(Decision::Feasible(values)),
                Some(Decision::Infeasible(proof)) => proofs.push(Box::new(proof)),
                Some(Decision::Unknown) | None => open = true,
            }
        }
        if open {
            return None;
        }
        let (above, below) = (proofs.pop()?, proofs.pop()?);
        Some(Decision::Infeasible(Proof::Fork { terms, bound, below, above }))
    }
}
