//! What an execution that goes wrong says about fences.

use crate::seams::marker;
use ir::Program;
use model::{Evaluator, EventSet, Model, Role, Structure};
use source::Span;
use witness::{Execution, Flaw};

/// A fence that could be put in: the number of a seam, and the tags that it has on the machine.
#[derive(Debug, Clone)]
pub(crate) struct Atom {
    pub seam: usize,
    pub tags: Vec<String>,
}

/// An execution that goes wrong, as the model sees it.
pub(crate) struct Learnt {
    structure: Structure,
    /// The place of each event, if it accesses memory.
    spans: Vec<Option<Span>>,
    /// The axiom by which the execution makes the program undefined, if that is what is wrong with it.
    undefines: Option<usize>,
}

impl Learnt {
    /// Takes an execution of a program with marks; `undefines` is the axiom by which it makes the program undefined.
    pub fn new(program: &Program, execution: &Execution, undefines: Option<usize>) -> Result<Learnt, Flaw> {
        let structure = witness::structure(program, execution)?;
        let span = |event: &witness::Event| event.address().map(|_| event.span);
        Ok(Learnt { structure, spans: execution.events.iter().map(span).collect(), undefines })
    }

    /// The events that mark a seam.
    fn marks(&self, seam: usize) -> Vec<usize> {
        self.structure.tags.get(&marker(seam)).map(|marks| marks.iter().collect()).unwrap_or_default()
    }

    /// Whether the execution passes a seam.
    pub fn passes(&self, seam: usize) -> bool {
        self.structure.tags.contains_key(&marker(seam))
    }

    /// The execution with fences put in.
    fn with(&self, fences: &[&Atom]) -> Structure {
        let mut structure = self.structure.clone();
        for fence in fences {
            for tag in &fence.tags {
                let events = structure.tags.entry(tag.clone()).or_insert_with(|| EventSet::empty(self.structure.size));
                self.marks(fence.seam).into_iter().for_each(|mark| events.insert(mark));
            }
        }
        structure
    }

    /// Whether nothing is wrong with these fences: the model forbids the execution, or the program is no longer undefined by
    /// it.
    pub fn forbidden(&self, model: &Model, fences: &[&Atom]) -> bool {
        let structure = self.with(fences);
        // Only the checker knows atomic sections and accesses to several locations; the other evaluator is quicker.
        if structure.sections.iter().chain(&structure.groups).any(Option::is_some) {
            return witness::forbidden(model, &structure).is_some();
        }
        let mut evaluator = Evaluator::new(model, &structure);
        !evaluator.is_consistent() || self.undefines.is_some_and(|axiom| !evaluator.fails(axiom))
    }

    /// The fences of which every repair must have one, given some that do not suffice: as many as possible are added, and
    /// those that cannot be are the answer. Empty if no fence helps.
    pub fn demand(&self, model: &Model, atoms: &[Atom], present: &[usize]) -> Vec<usize> {
        let mut allowed: Vec<usize> = present.to_vec();
        let rest: Vec<usize> =
            (0..atoms.len()).filter(|at| !present.contains(at) && self.passes(atoms[*at].seam)).collect();
        let mut demanded = Vec::new();
        self.grow(model, atoms, &rest, &mut allowed, &mut demanded);
        demanded.sort_unstable();
        demanded
    }

    /// Adds those of `more` that can be added; all at once if they can be, else one half after the other.
    fn grow(&self, model: &Model, atoms: &[Atom], more: &[usize], allowed: &mut Vec<usize>, demanded: &mut Vec<usize>) {
        if more.is_empty() {
            return;
        }
        let all: Vec<&Atom> = allowed.iter().chain(more).map(|&at| &atoms[at]).collect();
        if !self.forbidden(model, &all) {
            allowed.extend(more);
        } else if let [one] = more {
            demanded.push(*one);
        } else {
            let (first, second) = more.split_at(more.len() / 2);
            self.grow(model, atoms, first, allowed, demanded);
            self.grow(model, atoms, second, allowed, demanded);
        }
    }

    /// The pairs of places that a fence keeps in order here, where the model forbids the execution with all these fences: the
    /// pairs on a cycle with the fence between them.
    pub fn orders(&self, model: &Model, fences: &[&Atom], seam: usize) -> Vec<(Span, Span)> {
        let structure = self.with(fences);
        let mut evaluator = Evaluator::new(model, &structure);
        let mut pairs = Vec::new();
        for axiom in (0..model.axioms.len()).filter(|&axiom| model.axioms[axiom].role == Role::Forbids) {
            let Some(explanation) = evaluator.explain(axiom) else { continue };
            let accesses: Vec<usize> =
                explanation.steps.iter().map(|step| step.from).filter(|&event| self.spans[event].is_some()).collect();
            let next = accesses.iter().cycle().skip(1);
            for (&from, &to) in accesses.iter().zip(next) {
                let po = |a: usize, b: usize| structure.po.contains(a, b);
                if self.marks(seam).into_iter().any(|mark| po(from, mark) && po(mark, to)) {
                    pairs.extend(self.spans[from].zip(self.spans[to]));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}
