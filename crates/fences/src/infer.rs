//! The search: learn from executions, try the cheapest placement that is left.

use crate::hitting::{Blocked, Hit, Hitting};
use crate::kinds::{Costs, Kind, Spelling, spellings, told_apart};
use crate::learn::{Atom, Learnt};
use crate::seams::{beside, useful, with_fences};
use engine::{Guarantee, NoAnswer, Verdict};
use ir::{Place, Program, Seam};
use model::{Model, Role};
use source::Span;
use std::fmt::Display;
use witness::Execution;

/// What somebody who is asked about a program says.
#[derive(Debug, Clone)]
pub struct Checked {
    /// Is it safe?
    pub verdict: Verdict,
    /// The program to which an execution belongs: the given one as the model's machine runs it.
    pub program: Program,
    /// If the execution makes the program undefined, the name of the axiom by which it does.
    pub undefined: Option<String>,
}

/// Somebody who can say whether a program is safe.
pub trait Oracle {
    /// Why there is no verdict at all.
    type Error: Display;

    /// Is the program safe under the model?
    ///
    /// # Errors
    /// Why there is no verdict.
    fn check(&self, program: &Program) -> Result<Checked, Self::Error>;

    /// The tags of the fences that a fence with this tag becomes on the model's machine.
    ///
    /// # Errors
    /// Why the program is not for that machine.
    fn machine_tags(&self, program: &Program, tag: &str) -> Result<Vec<String>, Self::Error>;

    /// Whether to stop, and why.
    fn stop(&self) -> Option<NoAnswer>;

    /// Something is done.
    fn phase(&self, name: &str, detail: &str);

    /// A defect: evidence that does not hold.
    fn defect(&self, what: String) -> Self::Error;
}

/// What is wanted.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What fences cost.
    pub costs: Costs,
    /// The kinds of fences to use; all if there are none.
    pub kinds: Vec<Kind>,
    /// Whether all minimal placements are wanted, not only a cheapest one.
    pub all: bool,
}

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

/// Fences that make the program safe. Without any one of them it goes wrong again.
#[derive(Debug, Clone)]
pub struct Placement {
    /// The fences, in the order of the text, thread by thread.
    pub fences: Vec<Fence>,
    /// What they cost together.
    pub cost: u64,
    /// How far the oracle looked.
    pub guarantee: Guarantee,
    /// For each fence, an execution that goes wrong without it and with all the others, and its program.
    pub without: Vec<(Execution, Program)>,
}

/// How a search for fences ended.
#[derive(Debug, Clone)]
pub enum End {
    /// All that was asked for was found.
    Complete,
    /// There is an execution that goes wrong whatever fences there are.
    Unrepairable,
    /// It had to stop.
    Stopped(NoAnswer),
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Inference {
    /// Placements, the cheapest first. One without fences, if none is needed.
    pub placements: Vec<Placement>,
    /// How the search ended.
    pub end: End,
    /// How many placements were tried.
    pub tried: u64,
    /// At how many places fences could stand.
    pub seams: usize,
}

struct Search<'a, O: Oracle> {
    program: &'a Program,
    model: &'a Model,
    oracle: &'a O,
    seams: Vec<Seam>,
    spellings: Vec<Spelling>,
    atoms: Vec<Atom>,
    /// For each atom, how it is spelled: a number in `spellings`.
    kinds: Vec<usize>,
    costs: Vec<u32>,
    learnt: Vec<(Learnt, Execution, Program)>,
    clauses: Vec<Vec<usize>>,
    found: Vec<Vec<usize>>,
}

/// Looks for the cheapest fences, or for all minimal placements.
///
/// # Errors
/// Why the oracle says nothing.
pub fn infer<O: Oracle>(
    program: &Program,
    model: &Model,
    oracle: &O,
    options: &Options,
) -> Result<Inference, O::Error> {
    let seams = useful(program);
    let wanted = |one: &Spelling| options.kinds.is_empty() || options.kinds.contains(&one.kind);
    let mut machine = Vec::new();
    for one in spellings(program).iter().copied().filter(wanted) {
        machine.push((one.tag, oracle.machine_tags(program, one.tag)?));
    }
    let usable: Vec<Spelling> = spellings(program).iter().copied().filter(wanted).collect();
    let tags = |tag: &str| machine.iter().find(|(known, _)| *known == tag).map(|(_, tags)| tags.clone());
    let kinds = told_apart(&usable, |tag| tags(tag).unwrap_or_default());
    let mut search = Search {
        program,
        model,
        oracle,
        seams,
        spellings: kinds.iter().map(|(one, _)| *one).collect(),
        atoms: Vec::new(),
        kinds: Vec::new(),
        costs: Vec::new(),
        learnt: Vec::new(),
        clauses: Vec::new(),
        found: Vec::new(),
    };
    for seam in 0..search.seams.len() {
        for (number, (one, tags)) in kinds.iter().enumerate() {
            search.atoms.push(Atom { seam, tags: tags.clone() });
            search.kinds.push(number);
            search.costs.push(options.costs.of(one.kind));
        }
    }
    search.run(options.all)
}

impl<O: Oracle> Search<'_, O> {
    fn run(&mut self, all: bool) -> Result<Inference, O::Error> {
        let mut placements: Vec<Placement> = Vec::new();
        let mut tried = 0;
        let end = loop {
            if let Some(reason) = self.oracle.stop() {
                break End::Stopped(reason);
            }
            let candidate = match self.cheapest() {
                Hit::Set(candidate) => candidate,
                Hit::None => break End::Complete,
                Hit::Stopped => {
                    break End::Stopped(self.oracle.stop().unwrap_or(NoAnswer::Cancelled));
                }
            };
            tried += 1;
            self.oracle.phase("fences", &format!("{} at {} places", candidate.len(), self.seams.len()));
            let checked = self.oracle.check(&self.program_with(&candidate))?;
            match checked.verdict {
                Verdict::Safe(guarantee) => {
                    placements.push(self.placement(&candidate, guarantee));
                    if !all || candidate.is_empty() {
                        break End::Complete;
                    }
                    self.found.push(candidate);
                }
                Verdict::Unknown(reason) => break End::Stopped(reason),
                Verdict::Unsafe(execution) => {
                    let undefines = checked.undefined.and_then(|name| {
                        self.model.axioms.iter().position(|a| a.role == Role::Undefines && a.name == name)
                    });
                    let learnt = Learnt::new(&checked.program, &execution, undefines);
                    let learnt = learnt.map_err(|flaw| self.oracle.defect(flaw.to_string()))?;
                    if learnt.forbidden(self.model, &self.chosen(&candidate)) {
                        let what = "an execution passes fences that forbid it".to_owned();
                        return Err(self.oracle.defect(what));
                    }
                    // What was found to be safe up to a bound may let this longer execution pass.
                    let holds: Vec<bool> =
                        self.found.iter().map(|old| learnt.forbidden(self.model, &self.chosen(old))).collect();
                    let mut kept = holds.iter();
                    placements.retain(|_| kept.next().copied().unwrap_or(true));
                    let mut kept = holds.iter();
                    self.found.retain(|_| kept.next().copied().unwrap_or(true));
                    self.learnt.push((learnt, *execution, checked.program));
                    if !self.demand_from(self.learnt.len() - 1, &candidate) {
                        break End::Unrepairable;
                    }
                }
            }
        };
        placements.sort_by_key(|placement| (placement.cost, placement.fences.len()));
        Ok(Inference { placements, end, tried, seams: self.seams.len() })
    }

    fn chosen(&self, fences: &[usize]) -> Vec<&Atom> {
        fences.iter().map(|&at| &self.atoms[at]).collect()
    }

    fn program_with(&self, fences: &[usize]) -> Program {
        let fences: Vec<(usize, Spelling)> =
            fences.iter().map(|&at| (self.atoms[at].seam, self.spellings[self.kinds[at]])).collect();
        with_fences(self.program, &self.seams, &fences)
    }

    /// Learns from an execution that these fences do not forbid what every repair must contain; false if nothing helps.
    fn demand_from(&mut self, number: usize, fences: &[usize]) -> bool {
        let clause = self.learnt[number].0.demand(self.model, &self.atoms, fences);
        let hope = !clause.is_empty();
        if hope {
            self.clauses.push(clause);
        }
        hope
    }

    /// The cheapest fences that forbid all executions learnt so far and are no stronger form of what was found.
    fn cheapest(&mut self) -> Hit {
        loop {
            let covers = |stronger: usize, weaker: usize| {
                let kind = |at: usize| self.spellings[self.kinds[at]].kind;
                self.atoms[stronger].seam == self.atoms[weaker].seam && kind(stronger).covers(kind(weaker))
            };
            let blocked = |set: &[usize]| {
                let dominates = |found: &Vec<usize>| found.iter().all(|&old| set.iter().any(|&new| covers(new, old)));
                self.found.iter().any(dominates)
            };
            let go_on = || self.oracle.stop().is_none();
            let blocked: Option<Blocked<'_>> = if self.found.is_empty() { None } else { Some(&blocked) };
            let hitting = Hitting { costs: &self.costs, clauses: &self.clauses, blocked, go_on: &go_on };
            let set = match hitting.cheapest() {
                Hit::Set(set) => set,
                other @ (Hit::None | Hit::Stopped) => return other,
            };
            let allowed =
                |(learnt, ..): &(Learnt, Execution, Program)| !learnt.forbidden(self.model, &self.chosen(&set));
            let Some(number) = self.learnt.iter().position(allowed) else { return Hit::Set(set) };
            if !self.demand_from(number, &set) {
                // All fences together forbid it: that was so when it was learnt.
                return Hit::None;
            }
        }
    }

    fn placement(&self, fences: &[usize], guarantee: Guarantee) -> Placement {
        let mut placement = Placement { fences: Vec::new(), cost: 0, guarantee, without: Vec::new() };
        let all = self.chosen(fences);
        let mut in_text = fences.to_vec();
        in_text.sort_by_key(|&at| match self.seams[self.atoms[at].seam].place {
            Place::Before { statement, .. } => (statement.start, at),
            Place::After { statement, .. } => (statement.end, at),
            Place::Row { .. } => (0, at),
        });
        for at in in_text {
            let others: Vec<usize> = fences.iter().copied().filter(|&other| other != at).collect();
            let allows = |learnt: &Learnt| !learnt.forbidden(self.model, &self.chosen(&others));
            let mut orders = Vec::new();
            let mut witness = None;
            for (learnt, execution, program) in self.learnt.iter().filter(|(learnt, ..)| allows(learnt)) {
                orders.extend(learnt.orders(self.model, &all, self.atoms[at].seam));
                witness = witness.or(Some((execution, program)));
            }
            orders.sort_unstable();
            orders.dedup();
            placement.without.extend(witness.map(|(execution, program)| (execution.clone(), program.clone())));
            let (seam, spelling) = (self.seams[self.atoms[at].seam], self.spellings[self.kinds[at]]);
            placement.fences.push(Fence { seam, spelling, cost: self.costs[at], orders });
            placement.cost += u64::from(self.costs[at]);
        }
        placement
    }
}
