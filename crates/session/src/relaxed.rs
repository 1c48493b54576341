//! What a weak model did differently from a stronger one where it allows an execution.
//!
//! The stronger model is the weakest of those that the head of the model names and that forbid the execution: where PSO goes
//! wrong and TSO does not, the reader wants to see writes that overtake each other, not the reads that overtake writes
//! under both. Of all cycles that the stronger model objects to, the one is shown with the fewest pairs of program order that
//! the weaker model does not keep, since a fence between each of these is what forbids the execution.

use crate::{Failure, structure, suits};
use ir::Program;
use model::{Evaluator, Model, Relation, Requirement, Role, Step, Structure};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use witness::Execution;

/// What a model did differently from a stronger one.
#[derive(Debug, Clone)]
pub struct Relaxation {
    /// The stronger model, in words.
    pub stronger: String,
    /// The axiom of the stronger model that the execution violates.
    pub axiom: String,
    /// What that axiom requires.
    pub requirement: String,
    /// The cycle that violates it.
    pub cycle: Vec<Step>,
    /// The pairs of program order on the cycle that the model does not keep.
    pub pairs: Vec<(usize, usize)>,
}

/// In executions with more events than this, any cycle will do.
const MANY: usize = 400;

/// What the model did differently in an execution from the weakest stronger model that forbids it; nothing if the execution is
/// sequentially consistent.
///
/// # Errors
/// The execution does not belong to the program.
pub fn relaxation(program: &Program, model: &Model, execution: &Execution) -> Result<Option<Relaxation>, Failure> {
    let structure = structure(program, execution)?;
    Ok(stronger(program, model).find_map(|strong| differs(&structure, model, &strong)))
}

/// The models that this one is weaker than and that can judge the program, the weakest first, as the head has them; sequential
/// consistency last. Each is read when it is looked at.
fn stronger(program: &Program, model: &Model) -> impl Iterator<Item = Model> {
    let names = model.head.weaker_than.iter().map(String::as_str).filter(|name| *name != "sc");
    let weaker = names.filter_map(Model::builtin).filter(|strong| suits(program, strong).is_ok());
    weaker.chain(Model::builtin("sc"))
}

/// What a model did differently from a stronger one, if that one forbids the execution.
fn differs(s: &Structure, model: &Model, strong: &Model) -> Option<Relaxation> {
    let mut evaluator = Evaluator::new(strong, s);
    let axiom = evaluator.violated().pop()?;
    let order = evaluator.relation(strong.axioms[axiom].node).plus();
    let kept = kept(s, model);
    let is_cycle = strong.axioms[axiom].requirement == Requirement::Acyclic;
    let cheapest = (is_cycle && s.size <= MANY).then(|| Cycles { s, order: &order, kept: &kept }.cheapest()).flatten();
    let cycle = match cheapest {
        Some(cycle) => cycle,
        None => named(s, evaluator.explain(axiom)?.steps),
    };
    let relaxed = |step: &&Step| step.relation == "po" && !kept.contains(step.from, step.to);
    let pairs = cycle.iter().filter(relaxed).map(|step| (step.from, step.to)).collect();
    let stronger = if strong.name == "sc" { "sequential consistency".to_owned() } else { strong.title.clone() };
    let (axiom, requirement) = (strong.axioms[axiom].name.clone(), strong.axiom_text(axiom));
    Some(Relaxation { stronger, axiom, requirement, cycle, pairs })
}

/// What the model keeps in order.
fn kept(s: &Structure, model: &Model) -> Relation {
    let mut evaluator = Evaluator::new(model, s);
    let mut kept = Relation::empty(s.size);
    for axiom in model.axioms.iter().filter(|a| a.role == Role::Forbids && a.requirement == Requirement::Acyclic) {
        kept = kept.union(&evaluator.relation(axiom.node).plus());
    }
    kept
}

/// Steps in program order are called so, whatever the model calls them.
fn named(s: &Structure, mut steps: Vec<Step>) -> Vec<Step> {
    for step in &mut steps {
        let communicates = ["rf", "co", "fr"].iter().any(|name| step.relation.starts_with(name));
        if !communicates && s.po.contains(step.from, step.to) {
            "po".clone_into(&mut step.relation);
        }
    }
    steps
}

/// The cycles of communication and program order that a model objects to.
struct Cycles<'a> {
    s: &'a Structure,
    /// What the stronger model keeps in order, transitive.
    order: &'a Relation,
    /// What the weaker model keeps in order.
    kept: &'a Relation,
}

/// What a way costs: pairs that are not kept, and steps.
type Cost = (usize, usize);

impl Cycles<'_> {
    /// The cycle with the fewest pairs that the weaker model does not keep, then the fewest steps.
    fn cheapest(&self) -> Option<Vec<Step>> {
        let steps = self.steps();
        let relaxed = |event: usize| steps[event].iter().any(|(_, _, cost)| *cost > 0);
        let found = (0..self.s.size).filter(|&event| relaxed(event)).filter_map(|event| self.around(event, &steps));
        found.min_by_key(|(cost, _)| *cost).map(|(_, cycle)| cycle)
    }

    /// From each event the steps of the stronger model's order: where to, by which relation, and whether it is not kept.
    fn steps(&self) -> Vec<Vec<(usize, &'static str, usize)>> {
        let s = self.s;
        let mut steps: Vec<Vec<(usize, &'static str, usize)>> = vec![Vec::new(); s.size];
        let mut add = |from: usize, to: usize, relation: &'static str, cost: usize| {
            if self.order.contains(from, to) {
                steps[from].push((to, relation, cost));
            }
        };
        let is_fence = |event: usize| s.fences.contains(event);
        for (from, to) in s.po.iter().filter(|&(from, to)| !is_fence(from) && !is_fence(to)) {
            add(from, to, "po", usize::from(!self.kept.contains(from, to)));
        }
        s.co.iter().for_each(|(from, to)| add(from, to, "co", 0));
        for (write, read) in s.rf.iter() {
            add(write, read, "rf", 0);
            s.co.successors(write)
                .filter(|&over| !s.rmw.contains(read, over))
                .for_each(|over| add(read, over, "fr", 0));
        }
        steps
    }

    /// The cheapest cycle through an event.
    fn around(&self, start: usize, steps: &[Vec<(usize, &'static str, usize)>]) -> Option<(Cost, Vec<Step>)> {
        let mut best: Vec<Option<(Cost, usize, &'static str)>> = vec![None; self.s.size];
        let mut open = BinaryHeap::from([Reverse(((0, 0), start))]);
        let mut begun = false;
        while let Some(Reverse((cost, event))) = open.pop() {
            if event == start && begun {
                break;
            }
            if event != start && best[event].is_some_and(|(known, _, _)| known < cost) {
                continue;
            }
            begun = true;
            for &(to, relation, extra) in &steps[event] {
                let next = (cost.0 + extra, cost.1 + 1);
                if best[to].is_none_or(|(known, _, _)| next < known) {
                    best[to] = Some((next, event, relation));
                    open.push(Reverse((next, to)));
                }
            }
        }
        let (cost, _, _) = best[start]?;
        let mut cycle = Vec::new();
        let mut at = start;
        loop {
            let (_, from, relation) = best[at]?;
            cycle.push(Step { from, to: at, relation: relation.to_owned() });
            at = from;
            if at == start {
                cycle.reverse();
                return Some((cost, cycle));
            }
        }
    }
}
