//! Linear orders that a model asks for: `with S from linearisations(set, relation)`.
//!
//! They are not a part of an execution. An execution is allowed if some order of each kind makes the axioms hold, so all are tried, one
//! after the other; each is known by the sequence of its events, and sequences are tried in lexicographic order.

use crate::model::Model;
use crate::node::{Node, NodeId};
use crate::relation::{EventSet, Relation};

#[derive(Debug, Clone)]
pub(crate) struct Orders {
    all: Vec<Order>,
    /// For each node whether it depends on an order.
    matter: Vec<bool>,
}

#[derive(Debug, Clone)]
struct Order {
    node: NodeId,
    number: u32,
    within: NodeId,
    /// Which one it is now; not known before somebody needs it.
    events: Option<Vec<usize>>,
}

impl Orders {
    /// Children come before parents: an order whose relation depends on another one comes after it.
    pub fn new(model: &Model) -> Self {
        let mut all = Vec::new();
        for (at, node) in (0..).zip(&model.nodes) {
            if let Node::Order(number, _, within) = node {
                all.push(Order { node: NodeId(at), number: *number, within: *within, events: None });
            }
        }
        let matter = if all.is_empty() { vec![false; model.nodes.len()] } else { depending(model) };
        Orders { all, matter }
    }

    /// Begins with the first of each again.
    pub fn reset(&mut self) {
        self.all.iter_mut().for_each(|order| order.events = None);
    }

    /// Whether a node depends on which orders there are.
    pub fn matter(&self, node: NodeId) -> bool {
        self.matter[node.index()]
    }

    /// The events of an order, first to last; none if its relation has a cycle, which an axiom forbids.
    pub fn current(&mut self, number: u32, set: &EventSet, within: &Relation) -> &[usize] {
        let Some(order) = self.all.iter_mut().find(|order| order.number == number) else { return &[] };
        order.events.get_or_insert_with(|| arrange(set.iter().collect(), within))
    }

    /// Turns to the next choice of orders, and says whose values are no longer so; nothing if there are no more.
    pub fn advance(&mut self, relations: &[Relation]) -> Option<Vec<NodeId>> {
        for at in (0..self.all.len()).rev() {
            let within = &relations[self.all[at].within.index()];
            if self.all[at].events.as_mut().is_some_and(|events| next(events, within)) {
                self.all[at + 1..].iter_mut().for_each(|order| order.events = None);
                return Some(self.all[at..].iter().map(|order| order.node).collect());
            }
        }
        None
    }
}

/// For each node whether it depends on an order, also by way of recursive definitions.
fn depending(model: &Model) -> Vec<bool> {
    let mut depends = vec![false; model.nodes.len()];
    loop {
        let before = depends.clone();
        for (at, node) in model.nodes.iter().enumerate() {
            let parts = if let Node::Rec(group, _) = node {
                model.groups[*group as usize].bodies.clone()
            } else {
                node.children()
            };
            depends[at] = matches!(node, Node::Order(..)) || parts.iter().any(|part| depends[part.index()]);
        }
        if before == depends {
            return depends;
        }
    }
}

/// The first of the axioms that only mark executions and depend on an order: of which order would they speak?
pub(crate) fn marks_by_order(model: &Model) -> Option<&crate::node::Axiom> {
    if !model.nodes.iter().any(|node| matches!(node, Node::Order(..))) {
        return None;
    }
    let depends = depending(model);
    model.axioms.iter().find(|axiom| axiom.role != crate::node::Role::Forbids && depends[axiom.node.index()])
}

/// Whether an event may come first among others.
fn is_free(event: usize, among: &[usize], within: &Relation) -> bool {
    !among.iter().any(|&other| within.contains(other, event))
}

/// The first sequence of events that respects a relation.
fn arrange(mut left: Vec<usize>, within: &Relation) -> Vec<usize> {
    left.sort_unstable();
    let mut sequence = Vec::with_capacity(left.len());
    while let Some(at) = left.iter().position(|&event| is_free(event, &left, within)) {
        sequence.push(left.remove(at));
    }
    sequence
}

/// Turns to the next sequence; whether there is one.
fn next(events: &mut Vec<usize>, within: &Relation) -> bool {
    for at in (0..events.len()).rev() {
        let rest = events[at..].to_vec();
        let later = rest.iter().copied().filter(|&event| event > rest[0] && is_free(event, &rest, within));
        if let Some(first) = later.min() {
            events.truncate(at);
            events.push(first);
            events.extend(arrange(rest.into_iter().filter(|&event| event != first).collect(), within));
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{arrange, next};
    use crate::relation::Relation;

    fn sequences(size: usize, pairs: &[(usize, usize)]) -> Vec<Vec<usize>> {
        let within = Relation::from_pairs(size, pairs.iter().copied());
        let mut events = arrange((0..size).collect(), &within);
        let mut all = vec![events.clone()];
        while next(&mut events, &within) {
            all.push(events.clone());
        }
        all
    }

    #[test]
    fn every_sequence_comes_once() {
        assert_eq!(sequences(0, &[]), [[]]);
        assert_eq!(sequences(4, &[]).len(), 24);
        assert_eq!(sequences(3, &[(2, 0)]), [vec![1, 2, 0], vec![2, 0, 1], vec![2, 1, 0]]);
        // Two chains of two: as many as there are ways to merge them.
        let mut merged = sequences(4, &[(0, 1), (2, 3)]);
        assert_eq!(merged.len(), 6);
        merged.dedup();
        assert_eq!(merged.len(), 6);
    }
}
