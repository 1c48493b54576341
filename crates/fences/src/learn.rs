//! What an execution that goes wrong says about fences and memory orders.

use crate::orders::{Effect, after, before, without_branches};
use crate::seams::marker;
use ir::{Program, Site};
use model::{Evaluator, EventSet, Model, Role, Structure};
use source::Span;
use std::collections::BTreeMap;
use witness::{Execution, Flaw};

/// A change of the program that could be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Atom {
    /// A fence: the number of a seam, and of the way in which fences are written.
    Fence { seam: usize, spelling: usize },
    /// A memory order: the number of a site, and of one of its orders.
    Order { site: usize, order: usize },
}

/// Changes that go together: fences, and an order for every site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub fences: Vec<(usize, usize)>,
    pub orders: Vec<usize>,
}

/// A machine: its model, what each way to write a fence becomes on it, and what the orders of each site become.
pub(crate) struct Machine<'a> {
    pub model: &'a Model,
    pub fences: Vec<Vec<String>>,
    pub effects: Vec<Vec<Effect>>,
}

/// The events of a site.
#[derive(Debug, Default)]
struct Marked {
    before: Vec<usize>,
    after: Vec<usize>,
    own: Vec<usize>,
}

/// An execution that goes wrong, as a model sees it.
pub(crate) struct Learnt {
    /// Without what the orders of sites and fences at seams give to events.
    structure: Structure,
    /// The machine on which it happens.
    pub machine: usize,
    sites: Vec<Marked>,
    /// The place of each event, if it accesses memory.
    spans: Vec<Option<Span>>,
    /// The axiom by which the execution makes the program undefined, if that is what is wrong with it.
    undefines: Option<usize>,
}

impl Learnt {
    /// Takes an execution of a program with marks at so many seams; `undefines` is the axiom by which it makes the program undefined.
    pub fn new(
        (program, seams): (&Program, usize),
        execution: &Execution,
        undefines: Option<usize>,
        (number, machine): (usize, &Machine<'_>),
    ) -> Result<Learnt, Flaw> {
        let has_branches = machine.effects.iter().flatten().any(|effect| effect.ctrl);
        let mut structure = if has_branches {
            witness::structure(&without_branches(program), execution)?
        } else {
            witness::structure(program, execution)?
        };
        let span = |event: &witness::Event| event.address().map(|_| event.span);
        let spans = execution.events.iter().map(span).collect();
        let mut sites = Vec::new();
        for (site, effects) in machine.effects.iter().enumerate() {
            let events = |mark: &str| -> Vec<usize> {
                structure.tags.get(mark).map(|events| events.iter().collect()).unwrap_or_default()
            };
            let marked =
                Marked { before: events(&before(site)), after: events(&after(site)), own: events(&Site::mark(site)) };
            let all = [&marked.before, &marked.after, &marked.own].into_iter().flatten().copied();
            let others = EventSet::of(structure.size, all).complement();
            for tag in effects.iter().flat_map(Effect::tags) {
                if let Some(events) = structure.tags.get_mut(tag) {
                    *events = events.zip(&others, |a, b| a & b);
                }
            }
            sites.push(marked);
        }
        for seam in 0..seams {
            let Some(marks) = structure.tags.get(&marker(seam)).map(EventSet::complement) else { continue };
            for tag in machine.fences.iter().flatten() {
                if let Some(events) = structure.tags.get_mut(tag) {
                    *events = events.zip(&marks, |a, b| a & b);
                }
            }
        }
        Ok(Learnt { structure, machine: number, sites, spans, undefines })
    }

    /// The events that mark a seam.
    fn marks(&self, seam: usize) -> Vec<usize> {
        self.structure.tags.get(&marker(seam)).map(|marks| marks.iter().collect()).unwrap_or_default()
    }

    /// Whether the execution passes what would be changed.
    fn passes(&self, atom: Atom) -> bool {
        match atom {
            Atom::Fence { seam, .. } => self.structure.tags.contains_key(&marker(seam)),
            Atom::Order { site, .. } => !self.sites[site].own.is_empty(),
        }
    }

    /// The tags that these changes give to more events, with all events that have them then.
    fn tags(&self, machine: &Machine<'_>, chosen: &Chosen) -> BTreeMap<String, EventSet> {
        let mut tags: BTreeMap<String, EventSet> = BTreeMap::new();
        let mut add = |events: &[usize], added: &[String]| {
            for tag in added {
                let known = tags.entry(tag.clone());
                let set = known.or_insert_with(|| self.tagged(tag));
                events.iter().for_each(|&event| set.insert(event));
            }
        };
        for &(seam, spelling) in &chosen.fences {
            add(&self.marks(seam), &machine.fences[spelling]);
        }
        for (site, marked) in self.sites.iter().enumerate() {
            let Some(effect) = machine.effects[site].get(chosen.orders[site]) else { continue };
            let of =
                |set: &EventSet| marked.own.iter().copied().filter(|&event| set.contains(event)).collect::<Vec<_>>();
            add(&marked.before, &effect.before);
            add(&marked.after, &effect.after);
            add(&of(&self.structure.reads), &effect.read);
            add(&of(&self.structure.writes), &effect.write);
            add(&of(&self.structure.fences), &effect.fence);
        }
        tags
    }

    /// The events that have a tag without any changes.
    fn tagged(&self, tag: &str) -> EventSet {
        self.structure.tags.get(tag).cloned().unwrap_or_else(|| EventSet::empty(self.structure.size))
    }

    /// The execution with these changes.
    fn with(&self, machine: &Machine<'_>, chosen: &Chosen) -> Structure {
        let mut structure = self.structure.clone();
        structure.tags.extend(self.tags(machine, chosen));
        self.add_branches(&mut structure, machine, chosen);
        structure
    }

    /// Makes what comes behind reads depend on them where their order puts a branch there.
    fn add_branches(&self, structure: &mut Structure, machine: &Machine<'_>, chosen: &Chosen) {
        for (site, marked) in self.sites.iter().enumerate() {
            if !machine.effects[site].get(chosen.orders[site]).is_some_and(|effect| effect.ctrl) {
                continue;
            }
            for &read in marked.own.iter().filter(|&&event| self.structure.reads.contains(event)) {
                let same = |&later: &usize| self.structure.threads[later] == self.structure.threads[read];
                let later: Vec<usize> = self.structure.po.successors(read).filter(same).collect();
                later.into_iter().for_each(|later| structure.ctrl.insert(read, later));
            }
        }
    }

    /// Whether nothing is wrong with these changes: the model forbids the execution, or the program is no longer undefined by
    /// it.
    pub fn forbidden(&self, machine: &Machine<'_>, chosen: &Chosen) -> bool {
        let structure = self.with(machine, chosen);
        // Only the checker knows atomic sections and accesses to several locations; the other evaluator is quicker.
        if structure.sections.iter().chain(&structure.groups).any(Option::is_some) {
            return witness::forbidden(machine.model, &structure).is_some();
        }
        self.is_forbidden(&mut Evaluator::new(machine.model, &structure))
    }

    fn is_forbidden(&self, evaluator: &mut Evaluator<'_>) -> bool {
        !evaluator.is_consistent() || self.undefines.is_some_and(|axiom| !evaluator.fails(axiom))
    }

    /// An evaluator for many changes that are nothing but tags, if these changes are and it knows all that there is in the execution.
    fn prober<'m>(&self, machine: &Machine<'m>) -> Option<Evaluator<'m>> {
        let special = self.structure.sections.iter().chain(&self.structure.groups).any(Option::is_some);
        let branches = machine.effects.iter().flatten().any(|effect| effect.ctrl);
        (!special && !branches).then(|| Evaluator::new(machine.model, &self.structure))
    }

    /// The changes of which every repair must have one, given some that do not suffice: as many as possible are added, and
    /// those that cannot be are the answer. Empty if nothing helps. `choose` makes one of several changes.
    pub fn demand(
        &self,
        machine: &Machine<'_>,
        atoms: &[Atom],
        present: &[usize],
        choose: &dyn Fn(&[usize]) -> Chosen,
    ) -> Vec<usize> {
        let rest: Vec<usize> = (0..atoms.len()).filter(|at| !present.contains(at) && self.passes(atoms[*at])).collect();
        let (prober, allowed) = (self.prober(machine), present.to_vec());
        let mut growth = Growth { learnt: self, machine, choose, prober, allowed, demanded: Vec::new() };
        growth.grow(&rest);
        growth.demanded.sort_unstable();
        growth.demanded
    }

    /// The pairs of places that a change keeps in order here, where the model forbids the execution with all these changes: the
    /// pairs on a cycle that it stands between, or is a part of.
    pub fn orders(&self, machine: &Machine<'_>, chosen: &Chosen, atom: Atom) -> Vec<(Span, Span)> {
        let structure = self.with(machine, chosen);
        let mut evaluator = Evaluator::new(machine.model, &structure);
        let (between, part) = match atom {
            Atom::Fence { seam, .. } => (self.marks(seam), Vec::new()),
            Atom::Order { site, .. } => {
                let marked = &self.sites[site];
                ([&marked.before[..], &marked.after, &marked.own].concat(), marked.own.clone())
            }
        };
        let mut pairs = Vec::new();
        for axiom in (0..machine.model.axioms.len()).filter(|&axiom| machine.model.axioms[axiom].role == Role::Forbids)
        {
            let Some(explanation) = evaluator.explain(axiom) else { continue };
            let accesses: Vec<usize> =
                explanation.steps.iter().map(|step| step.from).filter(|&event| self.spans[event].is_some()).collect();
            let next = accesses.iter().cycle().skip(1);
            for (&from, &to) in accesses.iter().zip(next) {
                let po = |a: usize, b: usize| structure.po.contains(a, b);
                let inside = between.iter().any(|&mark| po(from, mark) && po(mark, to));
                let end = po(from, to) && (part.contains(&from) || part.contains(&to));
                if inside || end {
                    pairs.extend(self.spans[from].zip(self.spans[to]));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}

/// Adding as much as an execution still allows.
struct Growth<'a, 'm> {
    learnt: &'a Learnt,
    machine: &'a Machine<'m>,
    choose: &'a dyn Fn(&[usize]) -> Chosen,
    prober: Option<Evaluator<'m>>,
    allowed: Vec<usize>,
    demanded: Vec<usize>,
}

impl Growth<'_, '_> {
    /// Whether nothing is wrong with these changes.
    fn forbids(&mut self, changes: &[usize]) -> bool {
        let chosen = (self.choose)(changes);
        let Some(prober) = &mut self.prober else { return self.learnt.forbidden(self.machine, &chosen) };
        let tags = self.learnt.tags(self.machine, &chosen);
        prober.retag(&|tag| tags.get(tag).cloned().unwrap_or_else(|| self.learnt.tagged(tag)));
        self.learnt.is_forbidden(prober)
    }

    /// Adds those of `more` that can be added; all at once if they can be, else one half after the other.
    fn grow(&mut self, more: &[usize]) {
        if more.is_empty() {
            return;
        }
        let all: Vec<usize> = self.allowed.iter().chain(more).copied().collect();
        if !self.forbids(&all) {
            self.allowed = all;
        } else if let [one] = more {
            self.demanded.push(*one);
        } else {
            let (first, second) = more.split_at(more.len() / 2);
            self.grow(first);
            self.grow(second);
        }
    }
}
