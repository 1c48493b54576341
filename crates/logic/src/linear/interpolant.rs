//! Interpolants from proofs.
//!
//! Constraints come in groups, such as the steps of a path. An interpolant for a cut between groups follows from the
//! groups before it, contradicts those after it, and is about variables that occur on both sides. For a leaf of a proof
//! it is the sum of the leaf's constraints before the cut: what is not on both sides has gone from that sum. A fork
//! counts as part of the group in which the last of its variables occurs first. Before the cut it makes a disjunction
//! of the interpolants of its sides, behind it a conjunction.

use super::{Constraint, Proof, Terms, sides, sum};
use std::collections::BTreeMap;

/// A combination of constraints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formula {
    /// A constraint.
    Atom(Constraint),
    /// All of them. Without any it is true.
    All(Vec<Formula>),
    /// One of them. Without any it is false.
    Any(Vec<Formula>),
}

/// Which interpolant of a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// All that the sum before the cut says.
    Strong,
    /// Just what the sum behind the cut needs.
    Weak,
}

impl Formula {
    /// Whether these values satisfy it. Nothing comes back if numbers become too large.
    pub fn holds(&self, values: &BTreeMap<u32, i128>) -> Option<bool> {
        Some(match self {
            Formula::Atom(constraint) => constraint.holds(values)?,
            Formula::All(parts) => {
                let parts: Option<Vec<bool>> = parts.iter().map(|part| part.holds(values)).collect();
                parts?.into_iter().all(|part| part)
            }
            Formula::Any(parts) => {
                let parts: Option<Vec<bool>> = parts.iter().map(|part| part.holds(values)).collect();
                parts?.into_iter().any(|part| part)
            }
        })
    }

    /// The constraints in it.
    pub fn atoms(&self) -> Vec<&Constraint> {
        match self {
            Formula::Atom(constraint) => vec![constraint],
            Formula::All(parts) | Formula::Any(parts) => parts.iter().flat_map(Formula::atoms).collect(),
        }
    }
}

/// An interpolant for each cut between groups, one less than there are groups, from a proof about all groups in order.
///
/// Each together with the next group implies the next one. There is none where a fork of the proof mixes variables that
/// are on different sides of the cut only, or where numbers become too large.
pub fn interpolants(groups: &[Vec<Constraint>], proof: &Proof, strength: Strength) -> Vec<Option<Formula>> {
    let mut all = Vec::new();
    let mut group_of = Vec::new();
    let mut occurs: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for (group, constraints) in groups.iter().enumerate() {
        for constraint in constraints {
            for &(var, _) in &constraint.terms {
                occurs.entry(var).or_insert((group, group)).1 = group;
            }
            all.push(constraint.clone());
            group_of.push(group);
        }
    }
    let cuts = 0..groups.len().saturating_sub(1);
    cuts.map(|cut| Cut { all: all.clone(), group_of: group_of.clone(), occurs: &occurs, cut, strength }.of(proof))
        .collect()
}

struct Cut<'a> {
    all: Vec<Constraint>,
    group_of: Vec<usize>,
    occurs: &'a BTreeMap<u32, (usize, usize)>,
    /// The last group before the cut.
    cut: usize,
    strength: Strength,
}

impl Cut<'_> {
    fn of(&mut self, proof: &Proof) -> Option<Formula> {
        match proof {
            Proof::Sum(factors) => self.leaf(factors),
            Proof::Fork { terms, bound, below, above } => {
                let group = self.group(terms)?;
                let mut parts = Vec::new();
                for (side, proof) in sides(terms, *bound)?.into_iter().zip([below, above]) {
                    self.all.push(side);
                    self.group_of.push(group);
                    let part = self.of(proof);
                    self.all.pop();
                    self.group_of.pop();
                    parts.push(part?);
                }
                Some(if group <= self.cut { any(parts) } else { every(parts) })
            }
        }
    }

    /// The group to which a fork belongs.
    fn group(&self, terms: &Terms) -> Option<usize> {
        let mut group = 0;
        for (var, _) in terms {
            group = group.max(self.occurs.get(var)?.0);
        }
        let behind = terms.iter().all(|(var, _)| self.occurs.get(var).is_some_and(|own| own.1 > self.cut));
        (group <= self.cut || behind).then_some(group)
    }

    fn leaf(&self, factors: &[(usize, i128)]) -> Option<Formula> {
        let (before, behind): (Vec<_>, Vec<_>) = factors.iter().partition(|(at, _)| self.group_of[*at] <= self.cut);
        let (terms, bound) = sum(&self.all, &before)?;
        if terms.is_empty() {
            return Some(if bound < 0 { Formula::Any(vec![]) } else { Formula::All(vec![]) });
        }
        let bound = match self.strength {
            Strength::Strong => bound,
            Strength::Weak => sum(&self.all, &behind)?.1.checked_add(1)?.checked_neg()?,
        };
        Some(Formula::Atom(Constraint::at_most(terms, bound)?))
    }
}

fn every(parts: Vec<Formula>) -> Formula {
    let mut all = Vec::new();
    for part in parts {
        match part {
            Formula::All(parts) => all.extend(parts),
            Formula::Any(parts) if parts.is_empty() => return Formula::Any(parts),
            Formula::Any(_) | Formula::Atom(_) => all.push(part),
        }
    }
    one(all, Formula::All)
}

fn any(parts: Vec<Formula>) -> Formula {
    let mut all = Vec::new();
    for part in parts {
        match part {
            Formula::Any(parts) => all.extend(parts),
            Formula::All(parts) if parts.is_empty() => return Formula::All(parts),
            Formula::All(_) | Formula::Atom(_) => all.push(part),
        }
    }
    one(all, Formula::Any)
}

fn one(mut all: Vec<Formula>, many: fn(Vec<Formula>) -> Formula) -> Formula {
    if all.len() == 1
        && let Some(only) = all.pop()
    {
        return only;
    }
    many(all)
}
