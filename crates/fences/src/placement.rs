//! What is found: fences and memory orders, with what each of them is for.

use crate::infer::Search;
use crate::infer::{Oracle, Past};
use crate::kinds::Spelling;
use crate::learn::Atom;
use crate::seams::beside;
use engine::Guarantee;
use ir::{Place, Program, Seam};
use source::Span;
use witness::Execution;

/// A fence that is to be put in.
#[derive(Debug, Clone)]
pub struct Fence {
    /// Where.
    pub seam: Seam,
    /// How it is spelled.
    pub spelling: Spelling,
    /// What it costs.
    pub cost: u32,
    /// The places of accesses that it keeps in order in executions that would go wrong without it.
    pub orders: Vec<(Span, Span)>,
}

impl Fence {
    /// The statement beside which it stands.
    pub fn statement(&self) -> Span {
        beside(self.seam.place)
    }

    /// Whether it stands before that statement.
    pub fn is_before(&self) -> bool {
        matches!(self.seam.place, Place::Before { .. })
    }
}

/// The memory order that a site is to have.
#[derive(Debug, Clone)]
pub struct OrderChange {
    /// The number of the site in the program.
    pub site: usize,
    /// The number of the order among those of the site.
    pub order: usize,
    /// What it costs, more than the weakest that was allowed.
    pub cost: u32,
    /// The places of accesses that it keeps in order in executions that would go wrong without it.
    pub orders: Vec<(Span, Span)>,
    /// For each of the next weaker orders, what goes wrong with it. None if there is no weaker one to choose.
    pub reasons: Vec<Reason>,
}

/// Why an order cannot be weaker.
#[derive(Debug, Clone)]
pub struct Reason {
    /// The weaker order.
    pub order: usize,
    /// The number of the model under which it goes wrong.
    pub model: usize,
    /// An execution that goes wrong with it.
    pub execution: Execution,
    /// The program to which the execution belongs.
    pub program: Program,
}

/// Fences and orders that make the program safe. Without any one of them it goes wrong again.
#[derive(Debug, Clone)]
pub struct Placement {
    /// The fences, in the order of the text, thread by thread.
    pub fences: Vec<Fence>,
    /// The orders of all sites that were looked at.
    pub orders: Vec<OrderChange>,
    /// What they cost together.
    pub cost: u64,
    /// How far the oracle looked.
    pub guarantee: Guarantee,
    /// For each fence, an execution that goes wrong without it and with all the others: the number of the model under which
    /// it does, and the program to which it belongs.
    pub without: Vec<(usize, Execution, Program)>,
}

impl Placement {
    /// What is to be replaced in the text of a program for its orders.
    pub fn edits(&self, program: &Program) -> Vec<(Span, String)> {
        let changed = self.orders.iter().filter(|change| change.order != program.sites[change.site].now);
        changed.flat_map(|change| program.sites[change.site].orders[change.order].edits.clone()).collect()
    }

    /// How many fences there are, and orders that are not those of the text.
    pub fn changes(&self, program: &Program) -> usize {
        self.fences.len() + self.orders.iter().filter(|change| change.order != program.sites[change.site].now).count()
    }
}

impl<O: Oracle> Search<'_, O> {
    /// A set of choices that is safe, with the reasons for each.
    pub(crate) fn placement(&self, set: &[usize], guarantee: Guarantee) -> Placement {
        let mut placement =
            Placement { fences: Vec::new(), orders: Vec::new(), cost: 0, guarantee, without: Vec::new() };
        let all = self.chosen(set);
        let mut in_text = set.to_vec();
        in_text.sort_by_key(|&at| match self.atoms[at] {
            Atom::Fence { seam, .. } => match self.seams[seam].place {
                Place::Before { statement, .. } => (statement.start, at),
                Place::After { statement, .. } => (statement.end, at),
                Place::Row { .. } => (0, at),
            },
            Atom::Order { .. } => (0, at),
        });
        for at in in_text {
            placement.cost += u64::from(self.costs[at]);
            let others: Vec<usize> = set.iter().copied().filter(|&other| other != at).collect();
            let (mut orders, mut witness) = (Vec::new(), None);
            for past in self.allowed_by(&others) {
                orders.extend(past.learnt.orders(&self.machines[past.learnt.machine], &all, self.atoms[at]));
                witness = witness.or(Some(past));
            }
            orders.sort_unstable();
            orders.dedup();
            match self.atoms[at] {
                Atom::Fence { seam, spelling } => {
                    let wrong = |past: &Past| (past.learnt.machine, past.execution.clone(), past.program.clone());
                    placement.without.extend(witness.map(wrong));
                    let (seam, spelling) = (self.seams[seam], self.spellings[spelling]);
                    placement.fences.push(Fence { seam, spelling, cost: self.costs[at], orders });
                }
                Atom::Order { site, order } => {
                    let reasons = self.reasons(at, &others);
                    placement.orders.push(OrderChange { site, order, cost: self.costs[at], orders, reasons });
                }
            }
        }
        for site in 0..self.program.sites.len() {
            let looked_at =
                self.atoms.iter().any(|atom| matches!(atom, Atom::Order { site: other, .. } if *other == site));
            let weakest =
                self.program.sites[site].orders.len() > 1 && self.orders.floor[site] != self.program.sites[site].now;
            if (looked_at || weakest) && placement.orders.iter().all(|change| change.site != site) {
                let order = self.orders.floor[site];
                placement.orders.push(OrderChange { site, order, cost: 0, orders: Vec::new(), reasons: Vec::new() });
            }
        }
        placement.orders.sort_by_key(|change| self.program.sites[change.site].span);
        placement
    }

    /// The executions learnt from that these choices do not forbid.
    fn allowed_by<'s>(&'s self, set: &[usize]) -> impl Iterator<Item = &'s Past> + use<'s, O> {
        let chosen = self.chosen(set);
        let allows = move |past: &&Past| !past.learnt.forbidden(&self.machines[past.learnt.machine], &chosen);
        self.past.iter().filter(allows)
    }

    /// Why the order that a choice stands for cannot be weaker, all others being as they are.
    fn reasons(&self, at: usize, others: &[usize]) -> Vec<Reason> {
        let Atom::Order { site, order } = self.atoms[at] else { return Vec::new() };
        let known = &self.program.sites[site].orders;
        let weaker = |other: usize| other != order && known[order].covers.contains(&other);
        let choices = self.atoms.iter().enumerate().filter_map(|(number, atom)| match atom {
            Atom::Order { site: same, order } if *same == site && weaker(*order) => Some((Some(number), *order)),
            Atom::Order { .. } | Atom::Fence { .. } => None,
        });
        let below: Vec<(Option<usize>, usize)> = choices.chain([(None, self.orders.floor[site])]).collect();
        let next = |one: &&(Option<usize>, usize)| {
            !below.iter().any(|other| other.1 != one.1 && known[other.1].covers.contains(&one.1))
        };
        let mut reasons = Vec::new();
        for &(number, order) in below.iter().filter(next) {
            let set: Vec<usize> = others.iter().copied().chain(number).collect();
            let past = self.allowed_by(&set).next();
            reasons.extend(past.map(|past| Reason {
                order,
                model: past.learnt.machine,
                execution: past.execution.clone(),
                program: past.program.clone(),
            }));
        }
        reasons
    }
}
