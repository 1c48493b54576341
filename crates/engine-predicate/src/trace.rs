//! The values on one path, exactly: a linear constraint for each thing that happens, in groups by step.
//!
//! Each dimension has a variable of `logic::linear` that changes when the dimension gets another value. So what an
//! interpolant between two steps is about are dimensions of the state between them.

use crate::linear::Form;
use crate::values::{Dim, Values};
use ir::Width;
use logic::linear::{Constraint, Decision, Formula, Proof, Strength, decide, interpolants};
use std::collections::BTreeMap;

/// The values on a path.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// The variable of each dimension.
    current: BTreeMap<Dim, u32>,
    vars: u32,
    groups: Vec<Vec<Constraint>>,
    open: Vec<Constraint>,
    /// The dimension of each variable after each step.
    named: Vec<BTreeMap<u32, Dim>>,
    /// Whether a number was too large for an exact answer.
    lost: bool,
}

/// A predicate: a sum of dimensions with factors that is at most a constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predicate {
    pub terms: Vec<(Dim, i64)>,
    pub constant: i64,
}

/// Whether a path is possible.
pub enum Feasible {
    /// With these choices, in their order.
    Yes(Vec<i64>),
    /// No, and each of these sets of predicates says why.
    No(Vec<Vec<Predicate>>),
    /// Numbers were too large.
    Unknown,
}

impl Trace {
    fn fresh(&mut self, dim: Dim) -> u32 {
        let var = self.vars;
        self.vars += 1;
        self.current.insert(dim, var);
        var
    }

    fn terms(&mut self, form: &Form, thread: usize) -> Vec<(u32, i128)> {
        let of = |&(var, factor): &(u32, i64)| {
            let dim = Dim::Local(thread, var);
            let var = self.current.get(&dim).copied().unwrap_or_else(|| self.fresh(dim));
            (var, i128::from(factor))
        };
        form.terms.iter().map(of).collect()
    }

    fn add(&mut self, constraint: Option<Constraint>) {
        self.lost |= constraint.is_none();
        self.open.extend(constraint);
    }

    /// Whether the path is possible, and with which of this many choices.
    pub fn decide(&self, choices: usize) -> Feasible {
        let mut groups = self.groups.clone();
        groups.push(self.open.clone());
        if self.lost {
            return Feasible::Unknown;
        }
        match decide(&groups.concat()) {
            Decision::Unknown => Feasible::Unknown,
            Decision::Feasible(values) => {
                let of = |at| {
                    let var = self.current.get(&Dim::Choice(at));
                    let value = var.and_then(|var| values.get(var).copied()).unwrap_or(0);
                    i64::try_from(value).ok()
                };
                (0..choices).map(of).collect::<Option<_>>().map_or(Feasible::Unknown, Feasible::Yes)
            }
            Decision::Infeasible(proof) => {
                // A reason that needs only the last guard is about the property, and more likely to hold for other
                // paths.
                let mut all = Vec::new();
                let mut late = groups.clone();
                let mut guards = late.iter().flatten().filter(|own| !own.is_equation()).count();
                for group in &mut late {
                    group.retain(|own| {
                        guards -= usize::from(!own.is_equation());
                        own.is_equation() || guards == 0
                    });
                }
                if let Decision::Infeasible(proof) = decide(&late.concat()) {
                    all.push(self.predicates(&late, &proof));
                }
                all.push(self.predicates(&groups, &proof));
                Feasible::No(all)
            }
        }
    }

    /// What interpolants between steps say.
    fn predicates(&self, groups: &[Vec<Constraint>], proof: &Proof) -> Vec<Predicate> {
        let mut all = Vec::new();
        for strength in [Strength::Weak, Strength::Strong] {
            for (formula, named) in interpolants(groups, proof, strength).iter().zip(&self.named) {
                for atom in formula.iter().flat_map(Formula::atoms) {
                    let predicate = predicate(atom, named);
                    all.extend(predicate.filter(|predicate| !all.contains(predicate)));
                }
            }
        }
        all
    }
}

fn predicate(atom: &Constraint, named: &BTreeMap<u32, Dim>) -> Option<Predicate> {
    let of = |(var, factor): &(u32, i128)| Some((*named.get(var)?, i64::try_from(*factor).ok()?));
    let mut terms: Vec<(Dim, i64)> = atom.terms().iter().map(of).collect::<Option<_>>()?;
    terms.sort_unstable();
    Some(Predicate { terms, constant: i64::try_from(atom.bound()).ok()? })
}

impl Values for Trace {
    fn push(&mut self, dim: Dim) {
        self.fresh(dim);
    }

    fn drop(&mut self, dim: Dim) {
        self.current.remove(&dim);
    }

    fn rename(&mut self, from: Dim, to: Dim) {
        if from == to {
            return;
        }
        match self.current.remove(&from) {
            Some(var) => self.current.insert(to, var),
            None => self.current.remove(&to),
        };
    }

    fn copy(&mut self, dim: Dim, from: Dim, constant: i64) {
        let old = self.current.get(&from).copied();
        let new = self.fresh(dim);
        if let Some(old) = old {
            self.add(Constraint::equal([(new, 1), (old, -1)], constant.into()));
        }
    }

    fn assign(&mut self, dim: Dim, form: &Form, thread: usize) {
        let mut terms = self.terms(form, thread);
        terms.iter_mut().for_each(|term| term.1 = -term.1);
        terms.push((self.fresh(dim), 1));
        self.add(Constraint::equal(terms, form.constant.into()));
    }

    fn guard(&mut self, guard: &Form, thread: usize) -> bool {
        let terms = self.terms(guard, thread);
        self.add(Constraint::at_most(terms, -i128::from(guard.constant)));
        true
    }

    fn set(&mut self, dim: Dim, value: i64) -> bool {
        if let Some(var) = self.current.get(&dim).copied() {
            self.add(Constraint::equal([(var, 1)], value.into()));
        }
        true
    }

    fn fits(&self, _form: &Form, _width: Width, _thread: usize) -> bool {
        true
    }

    fn value(&self, _dim: Dim) -> Option<i64> {
        None
    }

    fn settle(&mut self) {
        self.groups.push(std::mem::take(&mut self.open));
        self.named.push(self.current.iter().map(|(dim, var)| (*var, *dim)).collect());
    }
}
