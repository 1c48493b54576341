//! The search: learn from executions, try the cheapest placement that is left.

use crate::hitting::{Blocked, Hit, Hitting};
use crate::kinds::{Costs, Kind, Spelling, spellings, told_apart};
use crate::learn::{Atom, Chosen, Learnt, Machine};
use crate::orders::{Change, Orders, fence_alone, fence_tags};
use crate::placement::Placement;
use crate::places::{Frequencies, Lines, Loops};
use crate::probes::{Probe, Probes};
use crate::seams::{beside, useful, with_fences};
use engine::{Choices, Guarantee, NoAnswer, Verdict};
use ir::{Program, Seam};
use model::{Model, Role};
use source::Span;
use std::collections::BTreeSet;
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

    /// The models under which the program is to be safe.
    fn models(&self) -> &[Model];

    /// Is the program safe under the model of this number?
    ///
    /// # Errors
    /// Why there is no verdict.
    fn check(&self, program: &Program, model: usize) -> Result<Checked, Self::Error>;

    /// The program as the machine of the model of this number runs it.
    ///
    /// # Errors
    /// Why the program is not for that machine.
    fn machine(&self, program: &Program, model: usize) -> Result<Program, Self::Error>;

    /// Somebody who looks for executions that go wrong under the model of this number, whatever is chosen in the program of the
    /// machine, and is quicker than one check for each choice; nothing if there is nobody.
    fn probe<'s>(
        &'s self,
        _machine: &'s Program,
        _model: usize,
        _choices: &Choices,
    ) -> Option<Box<dyn Probe<Self::Error> + 's>> {
        None
    }

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
    /// Whether no fences are put in.
    pub no_fences: bool,
    /// Which way memory orders may be changed.
    pub change: Change,
    /// How many changes there may be at most.
    pub at_most: Option<usize>,
    /// Whether, besides the cheapest, those are wanted that cost more and have fewer changes.
    pub pareto: bool,
    /// Where something may be changed; everywhere if there are none.
    pub only: Vec<Lines>,
    /// Where nothing may be changed.
    pub not: Vec<Lines>,
}

impl Options {
    /// Whether something may be changed at a place.
    pub(crate) fn allows(&self, program: &Program, span: Span) -> bool {
        let within = |lines: &[Lines]| lines.iter().any(|lines| lines.contain(&program.source, span));
        (self.only.is_empty() || within(&self.only)) && !within(&self.not)
    }
}

/// How a search for fences ended.
#[derive(Debug, Clone)]
pub enum End {
    /// All that was asked for was found.
    Complete,
    /// There is an execution that goes wrong whatever fences there are.
    Unrepairable,
    /// There is no repair with so few changes.
    TooMany(usize),
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
    /// What the orders of the text cost, more than the weakest that were allowed.
    pub now: u64,
}

/// An execution that was learnt from, and its program.
pub(crate) struct Past {
    pub learnt: Learnt,
    pub execution: Execution,
    pub program: Program,
}

pub(crate) struct Search<'a, O: Oracle> {
    pub program: &'a Program,
    pub oracle: &'a O,
    pub machines: Vec<Machine<'a>>,
    pub orders: Orders,
    pub seams: Vec<Seam>,
    pub spellings: Vec<Spelling>,
    pub atoms: Vec<Atom>,
    pub costs: Vec<u32>,
    /// How often each choice is executed, as one guesses from the text; of orders nothing is guessed.
    ties: Vec<u32>,
    pub past: Vec<Past>,
    clauses: Vec<Vec<usize>>,
    found: Vec<Vec<usize>>,
    /// How many changes there may be at most.
    at_most: Option<usize>,
    /// For each model, somebody who finds executions quickly.
    probes: Probes<'a, O::Error>,
}

/// Looks for the cheapest fences and orders, or for all minimal placements.
///
/// # Errors
/// Why the oracle says nothing.
pub fn infer<O: Oracle>(program: &Program, oracle: &O, options: &Options) -> Result<Inference, O::Error> {
    let mut seams = if options.no_fences { Vec::new() } else { useful(program) };
    seams.retain(|seam| options.allows(program, beside(seam.place)));
    let wanted = |one: &Spelling| options.kinds.is_empty() || options.kinds.contains(&one.kind);
    let usable: Vec<Spelling> = spellings(program).iter().copied().filter(wanted).collect();
    let mut tags: Vec<Vec<Vec<String>>> = Vec::new();
    for one in &usable {
        let mut machines = Vec::new();
        for model in 0..oracle.models().len() {
            machines.push(fence_tags(&oracle.machine(&fence_alone(program, one.tag), model)?));
        }
        tags.push(machines);
    }
    let of = |tag: &str| usable.iter().position(|one| one.tag == tag);
    // What several machines make of a fence, in one row: they tell apart what one of them tells apart.
    let row = |tag: &str| -> Vec<String> {
        let machines = of(tag).map(|at| tags[at].iter().enumerate()).into_iter().flatten();
        machines.flat_map(|(number, tags)| tags.iter().map(move |tag| format!("{number} {tag}"))).collect()
    };
    let kinds: Vec<Spelling> = told_apart(&usable, row).into_iter().map(|(one, _)| one).collect();
    let loops = Loops::new(program);
    let orders = Orders::new(program, oracle, options, &loops)?;
    let machines = oracle.models().iter().enumerate().map(|(number, model)| {
        let fences = kinds.iter().map(|one| of(one.tag).map(|at| tags[at][number].clone()).unwrap_or_default());
        Machine { model, fences: fences.collect(), effects: orders.effects[number].clone() }
    });
    let machines = machines.collect();
    // Those who look at these programs go before them.
    let mut bases: Vec<Program>;
    let mut search = Search {
        program,
        oracle,
        machines,
        orders,
        seams,
        spellings: kinds,
        atoms: Vec::new(),
        costs: Vec::new(),
        ties: Vec::new(),
        past: Vec::new(),
        clauses: Vec::new(),
        found: Vec::new(),
        at_most: options.at_most,
        probes: Probes::default(),
    };
    let frequencies = Frequencies::new(program);
    for (at, seam) in search.seams.iter().enumerate() {
        let times = options.costs.times(loops.has(seam.function.index(), seam.block));
        for (spelling, one) in search.spellings.iter().enumerate() {
            search.atoms.push(Atom::Fence { seam: at, spelling });
            search.costs.push(options.costs.of(one.kind).saturating_mul(times));
            search.ties.push(frequencies.of(seam.function.index(), seam.block));
        }
    }
    for &(site, order, cost) in &search.orders.choices {
        search.atoms.push(Atom::Order { site, order });
        search.costs.push(cost);
        search.ties.push(0);
    }
    bases = search.bases()?;
    search.probes = Probes::new(&search, &mut bases);
    search.run(options)
}

impl<O: Oracle> Search<'_, O> {
    fn run(&mut self, options: &Options) -> Result<Inference, O::Error> {
        let mut placements: Vec<Placement> = Vec::new();
        let mut tried = 0;
        let end = loop {
            if let Some(reason) = self.oracle.stop() {
                break End::Stopped(reason);
            }
            let candidate = match self.cheapest() {
                Hit::Set(candidate) => candidate,
                Hit::None => match options.at_most {
                    Some(most) if placements.is_empty() => break End::TooMany(most),
                    Some(_) | None => break End::Complete,
                },
                Hit::Stopped => {
                    break End::Stopped(self.oracle.stop().unwrap_or(NoAnswer::Cancelled));
                }
            };
            tried += 1;
            self.oracle.phase("fences", &format!("{} of {} choices", candidate.len(), self.atoms.len()));
            let (model, checked) = self.check(&candidate)?;
            match checked.verdict {
                Verdict::Safe(guarantee) => {
                    placements.push(self.placement(&candidate, guarantee));
                    if !(options.all || options.pareto) || candidate.is_empty() {
                        break End::Complete;
                    }
                    if options.pareto {
                        self.at_most = Some(self.changes(&candidate) - 1);
                    }
                    self.found.push(candidate);
                }
                Verdict::Unknown(reason) => break End::Stopped(reason),
                Verdict::Unsafe(execution) => {
                    self.learn(model, *execution, checked.program, checked.undefined)?;
                    if self.forbids(&candidate, self.past.len() - 1) {
                        let what = "an execution passes fences that forbid it".to_owned();
                        return Err(self.oracle.defect(what));
                    }
                    // What was found to be safe up to a bound may let this longer execution pass.
                    let last = self.past.len() - 1;
                    let holds: Vec<bool> = self.found.iter().map(|old| self.forbids(old, last)).collect();
                    let mut kept = holds.iter();
                    placements.retain(|_| kept.next().copied().unwrap_or(true));
                    let mut kept = holds.iter();
                    self.found.retain(|_| kept.next().copied().unwrap_or(true));
                    if !self.demand_from(last, &candidate) {
                        break End::Unrepairable;
                    }
                }
            }
        };
        placements.sort_by_key(|placement| (placement.cost, placement.changes(self.program)));
        Ok(Inference { placements, end, tried, seams: self.seams.len(), now: self.orders.now })
    }

    /// Asks about the program with these choices under one model after the other: the first under which it is not safe, and
    /// what was said; if there is none, how far the least of the answers looked.
    fn check(&mut self, set: &[usize]) -> Result<(usize, Checked), O::Error> {
        let chosen = self.chosen(set);
        for model in 0..self.machines.len() {
            if let Some(checked) = self.probes.ask(model, &chosen)? {
                return Ok((model, checked));
            }
        }
        let program = self.program_with(set);
        let mut least: Option<(usize, Checked)> = None;
        for model in 0..self.machines.len() {
            let checked = self.oracle.check(&program, model)?;
            let limited = match &checked.verdict {
                Verdict::Safe(guarantee) => !guarantee.is_full(),
                Verdict::Unknown(_) => return Ok((model, checked)),
                Verdict::Unsafe(_) => {
                    self.probes.deepen(model);
                    return Ok((model, checked));
                }
            };
            if limited || least.is_none() {
                least = Some((model, checked));
            }
        }
        let nothing = || (0, Checked { verdict: Verdict::Safe(Guarantee::FULL), program, undefined: None });
        Ok(least.unwrap_or_else(nothing))
    }

    fn learn(
        &mut self,
        model: usize,
        execution: Execution,
        program: Program,
        undefined: Option<String>,
    ) -> Result<(), O::Error> {
        let machine = &self.machines[model];
        let undefines = undefined
            .and_then(|name| machine.model.axioms.iter().position(|a| a.role == Role::Undefines && a.name == name));
        let learnt = Learnt::new((&program, self.seams.len()), &execution, undefines, (model, machine));
        let learnt = learnt.map_err(|flaw| self.oracle.defect(flaw.to_string()))?;
        self.past.push(Past { learnt, execution, program });
        Ok(())
    }

    /// Whether these choices forbid an execution that was learnt from.
    fn forbids(&self, set: &[usize], past: usize) -> bool {
        let learnt = &self.past[past].learnt;
        learnt.forbidden(&self.machines[learnt.machine], &self.chosen(set))
    }

    /// What a set of choices means: where there are several orders for a site, the weakest that is as strong as all of them.
    pub fn chosen(&self, set: &[usize]) -> Chosen {
        let mut chosen = Chosen { fences: Vec::new(), orders: self.orders.floor.clone() };
        for &at in set {
            match self.atoms[at] {
                Atom::Fence { seam, spelling } => chosen.fences.push((seam, spelling)),
                Atom::Order { site, order } => {
                    chosen.orders[site] = self.program.sites[site].join(&[chosen.orders[site], order]);
                }
            }
        }
        chosen
    }

    pub fn program_with(&self, set: &[usize]) -> Program {
        let Chosen { fences, orders } = self.chosen(set);
        let fences: Vec<(usize, Spelling)> =
            fences.into_iter().map(|(seam, spelling)| (seam, self.spellings[spelling])).collect();
        let mut program = with_fences(self.program, &self.seams, &fences);
        for (site, &order) in orders.iter().enumerate() {
            if !self.program.sites[site].orders.is_empty() {
                program.set_order(site, order);
            }
        }
        program
    }

    /// Learns from an execution that these choices do not forbid what every repair must contain; false if nothing helps.
    fn demand_from(&mut self, number: usize, set: &[usize]) -> bool {
        let learnt = &self.past[number].learnt;
        let choose = |set: &[usize]| self.chosen(set);
        let clause = learnt.demand(&self.machines[learnt.machine], &self.atoms, set, &choose);
        let hope = !clause.is_empty();
        if hope {
            self.clauses.push(clause);
        }
        hope
    }

    /// Whether a choice does all that another one does.
    fn covers(&self, stronger: usize, weaker: usize) -> bool {
        match (self.atoms[stronger], self.atoms[weaker]) {
            (Atom::Fence { seam, spelling }, Atom::Fence { seam: other, spelling: than }) => {
                seam == other && self.spellings[spelling].kind.covers(self.spellings[than].kind)
            }
            (Atom::Order { site, order }, Atom::Order { site: other, order: than }) => {
                site == other && self.program.sites[site].orders[order].covers.contains(&than)
            }
            (Atom::Fence { .. } | Atom::Order { .. }, _) => false,
        }
    }

    /// At how many places a set changes something.
    fn changes(&self, set: &[usize]) -> usize {
        let place = |&at: &usize| match self.atoms[at] {
            Atom::Fence { seam, .. } => (false, seam),
            Atom::Order { site, .. } => (true, site),
        };
        set.iter().map(place).collect::<BTreeSet<_>>().len()
    }

    /// The cheapest choices that forbid all executions learnt so far and are no stronger form of what was found.
    fn cheapest(&mut self) -> Hit {
        loop {
            let blocked = |set: &[usize]| {
                let dominates =
                    |found: &Vec<usize>| found.iter().all(|&old| set.iter().any(|&new| self.covers(new, old)));
                self.found.iter().any(dominates) || self.at_most.is_some_and(|most| self.changes(set) > most)
            };
            let go_on = || self.oracle.stop().is_none();
            let free = self.found.is_empty() && self.at_most.is_none();
            let blocked: Option<Blocked<'_>> = if free { None } else { Some(&blocked) };
            let hitting =
                Hitting { costs: &self.costs, ties: &self.ties, clauses: &self.clauses, blocked, go_on: &go_on };
            let set = match hitting.cheapest() {
                Hit::Set(set) => self.joined(&set),
                other @ (Hit::None | Hit::Stopped) => return other,
            };
            let Some(number) = (0..self.past.len()).find(|&past| !self.forbids(&set, past)) else {
                return Hit::Set(set);
            };
            if !self.demand_from(number, &set) {
                // All choices together forbid it: that was so when it was learnt.
                return Hit::None;
            }
        }
    }

    /// The same choices with one order for each site. What several orders cost together is no less than what the one costs that
    /// is as strong as all of them.
    fn joined(&self, set: &[usize]) -> Vec<usize> {
        let orders = self.chosen(set).orders;
        let mut joined: Vec<usize> = set
            .iter()
            .map(|&at| match self.atoms[at] {
                Atom::Fence { .. } => at,
                Atom::Order { site, .. } => {
                    let whole = Atom::Order { site, order: orders[site] };
                    self.atoms.iter().position(|atom| *atom == whole).unwrap_or(at)
                }
            })
            .collect();
        joined.sort_unstable();
        joined.dedup();
        joined
    }
}
