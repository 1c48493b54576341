//! Says why an axiom forbids an execution: a cycle of steps that a reader knows from the program and the model.

use crate::eval::Evaluator;
use crate::node::{Base, Node, NodeId, Requirement, Sort};
use std::collections::VecDeque;

/// Why an axiom fires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The axiom, by its number in [`crate::Model::axioms`].
    pub axiom: usize,
    /// A cycle: each step ends where the next begins, the last where the first begins. For `empty` of something that is
    /// no intersection only a path; for a set one step from the event to itself.
    pub steps: Vec<Step>,
}

/// A step of an [`Explanation`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The event it leads from.
    pub from: usize,
    /// The event it leads to.
    pub to: usize,
    /// A relation of the execution such as `po` or `rfe`, or a name that the model gave to a relation. `^-1` is appended
    /// where it leads backwards.
    pub relation: String,
}

impl Evaluator<'_> {
    /// Why the axiom with this number fires in the present execution. None if it does not, or if it fires because something
    /// is missing (`~empty r`).
    pub fn explain(&mut self, axiom: usize) -> Option<Explanation> {
        let (node, requirement) = self.model().axioms.get(axiom).map(|axiom| (axiom.node, axiom.requirement))?;
        if !self.fails(axiom) {
            return None;
        }
        self.finish();
        let steps = match (requirement, self.model().sorts[node.index()]) {
            (Requirement::Acyclic, _) => {
                let cycle = self.value(node).shortest_cycle()?;
                let next = cycle.iter().cycle().skip(1);
                let mut steps = Vec::new();
                cycle.iter().zip(next).for_each(|(&from, &to)| self.steps(node, from, to, &mut steps));
                steps
            }
            (Requirement::Irreflexive, _) => {
                let relation = self.value(node);
                let loops = (0..relation.size()).filter(|&event| relation.contains(event, event));
                loops.map(|event| self.path(node, event, event)).min_by_key(Vec::len)?
            }
            (Requirement::Empty, Sort::Relation) => self.pair(node)?,
            (Requirement::Empty, Sort::Set) => {
                let event = self.set_value(node).iter().next()?;
                vec![Step { from: event, to: event, relation: self.label(node) }]
            }
        };
        Some(Explanation { axiom, steps })
    }

    /// A pair that should not be there. For `a & b` the way by `b`, closed by `a` backwards.
    fn pair(&self, node: NodeId) -> Option<Vec<Step>> {
        let (from, to) = self.value(node).iter().next()?;
        let Node::Intersection(parts) = self.model().node(node) else { return Some(self.path(node, from, to)) };
        let ways: Vec<NodeId> = parts.iter().copied().filter(|part| self.is_way(*part)).collect();
        // Simple relations come first among the operands, so the last is the one that wants explaining.
        let (Some(&close), Some(&open)) = (ways.first(), ways.last()) else { return Some(self.path(node, from, to)) };
        let mut steps = self.path(open, from, to);
        if close != open {
            steps.extend(reversed(self.path(close, from, to)));
        }
        Some(steps)
    }

    /// Whether a relation leads somewhere, rather than only restricting others.
    fn is_way(&self, node: NodeId) -> bool {
        let restricts = matches!(self.model().node(node), Node::Base(Base::Loc | Base::Int | Base::Ext | Base::Id));
        !restricts && !matches!(self.model().node(node), Node::Product(..) | Node::Complement(_) | Node::Test(_))
    }

    fn path(&self, node: NodeId, from: usize, to: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        self.steps(node, from, to, &mut steps);
        steps
    }

    /// Appends the steps of a pair that is in a relation.
    fn steps(&self, node: NodeId, from: usize, to: usize, out: &mut Vec<Step>) {
        let leaf = |out: &mut Vec<Step>| out.push(Step { from, to, relation: self.label(node) });
        if from == to && matches!(self.model().node(node), Node::Test(_) | Node::Base(Base::Id)) {
            return;
        }
        if self.is_leaf(node) {
            // A name that collects others, such as all fences, says less than the one among them that is meant.
            return match &self.parts(node, from, to)[..] {
                [only] if !self.hides_recursion(node) && only.relation != "po" && only.relation != "po-loc" => {
                    out.push(only.clone());
                }
                _ => leaf(out),
            };
        }
        out.extend(self.parts(node, from, to));
    }

    /// The steps of a pair by the parts of a relation, whatever name it has itself.
    fn parts(&self, node: NodeId, from: usize, to: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        let out = &mut steps;
        let holds = |part: &NodeId| self.value(*part).contains(from, to);
        let leaf = |out: &mut Vec<Step>| out.push(Step { from, to, relation: self.label(node) });
        match self.model().node(node) {
            Node::Union(parts) => match parts.iter().find(|part| holds(part)) {
                Some(part) => self.steps(*part, from, to, out),
                None => leaf(out),
            },
            Node::Intersection(parts) => match parts.iter().find(|part| self.is_way(**part)) {
                Some(part) => self.steps(*part, from, to, out),
                None => leaf(out),
            },
            Node::Difference(a, _) => self.steps(*a, from, to, out),
            Node::Inverse(a) => out.extend(reversed(self.path(*a, to, from))),
            Node::Optional(_) | Node::Star(_) if from == to => {}
            Node::Optional(a) => self.steps(*a, from, to, out),
            Node::Plus(a) | Node::Star(a) => {
                for (from, to) in self.shortest(*a, from, to) {
                    self.steps(*a, from, to, out);
                }
            }
            Node::Sequence(parts) => self.through(parts, from, to, out),
            Node::Base(_)
            | Node::Set(_)
            | Node::EmptyRelation
            | Node::EmptySet
            | Node::Complement(_)
            | Node::Product(..)
            | Node::Test(_)
            | Node::Domain(_)
            | Node::Range(_)
            | Node::Rec(..)
            | Node::Order(..) => leaf(out),
        }
        steps
    }

    /// Names stand for themselves where the program alone decides them, and where recursion is just below them.
    fn is_leaf(&self, node: NodeId) -> bool {
        self.model().names[node.index()].is_some() && (!self.varies(node) || self.hides_recursion(node))
    }

    fn hides_recursion(&self, node: NodeId) -> bool {
        let mut todo = vec![node];
        while let Some(id) = todo.pop() {
            if matches!(self.model().node(id), Node::Rec(..)) {
                return true;
            }
            if id == node || self.model().names[id.index()].is_none() {
                todo.extend(self.model().node(id).children());
            }
        }
        false
    }

    fn through(&self, parts: &[NodeId], from: usize, to: usize, out: &mut Vec<Step>) {
        // The events from which the rest of the sequence leads to `to`, for each rest.
        let size = self.value(parts[0]).size();
        let mut rests = vec![vec![false; size]];
        rests[0][to] = true;
        for part in parts.iter().rev() {
            let goal = &rests[rests.len() - 1];
            rests.push((0..size).map(|event| self.value(*part).successors(event).any(|next| goal[next])).collect());
        }
        rests.reverse();
        let mut at = from;
        for (part, goal) in parts.iter().zip(&rests[1..]) {
            // To stand still is the shortest step, where the part allows it.
            let stay = self.value(*part).contains(at, at) && goal[at];
            let next = if stay { Some(at) } else { self.value(*part).successors(at).find(|next| goal[*next]) };
            let Some(next) = next else { return };
            self.steps(*part, at, next, out);
            at = next;
        }
    }

    /// The pairs of a shortest path of at least one step.
    fn shortest(&self, node: NodeId, from: usize, to: usize) -> Vec<(usize, usize)> {
        let relation = self.value(node);
        let mut before = vec![None; relation.size()];
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            for next in relation.successors(at) {
                if before[next].is_none() {
                    before[next] = Some(at);
                    queue.push_back(next);
                }
            }
            if before[to].is_some() {
                break;
            }
        }
        let mut pairs = Vec::new();
        let mut at = to;
        while let Some(previous) = before[at] {
            pairs.push((previous, at));
            at = previous;
            if at == from {
                break;
            }
        }
        pairs.reverse();
        pairs
    }

    fn label(&self, node: NodeId) -> String {
        let model = self.model();
        match (&model.names[node.index()], model.node(node)) {
            (_, Node::Base(base)) => base.name().to_owned(),
            (Some(name), _) => name.clone(),
            (None, Node::Rec(group, member)) => model.groups[*group as usize].names[*member as usize].clone(),
            (None, _) => model.text(node),
        }
    }
}

fn reversed(steps: Vec<Step>) -> impl Iterator<Item = Step> {
    steps.into_iter().rev().map(|step| {
        let relation = match step.relation.strip_suffix("^-1") {
            Some(forwards) => forwards.to_owned(),
            None => format!("{}^-1", step.relation),
        };
        Step { from: step.to, to: step.from, relation }
    })
}
