//! In which order a model's nodes are evaluated, and which of them depend on the execution rather than on the program.

use crate::model::Model;
use crate::node::{BaseSet, Node, NodeId};

/// A step of an evaluation.
#[derive(Debug, Clone)]
pub(crate) enum PlanStep {
    /// Evaluates one node from its children.
    Node(NodeId),
    /// Finds the least solution of a group: evaluates these nodes until nothing changes.
    Fixpoint { group: usize, nodes: Vec<NodeId> },
}

#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// What depends on the program alone.
    pub fixed: Vec<PlanStep>,
    /// What else the first axiom needs, then what the second needs beyond that, and so on; at last everything else.
    pub varying: Vec<Vec<PlanStep>>,
    /// For each node the part of `varying` that evaluates it.
    pub part: Vec<Option<usize>>,
}

impl Plan {
    pub fn new(model: &Model) -> Plan {
        let ends: Vec<usize> = (0..).take(model.groups.len()).map(|group| end(model, group)).collect();
        let inside = recursive_parts(model, &ends);
        let varies = varying_nodes(model, &inside);
        let steps = steps(model, &inside, &ends);

        let mut part: Vec<Option<usize>> = vec![None; model.nodes.len()];
        let roots = model.axioms.iter().map(|axiom| vec![axiom.node]).chain([all(model)]);
        for (number, mut todo) in roots.enumerate() {
            while let Some(id) = todo.pop() {
                if !varies[id.index()] || part[id.index()].is_some() {
                    continue;
                }
                part[id.index()] = Some(number);
                todo.extend(model.node(id).children());
                if let Node::Rec(group, _) = model.node(id) {
                    // A fixpoint evaluates all of its group at once.
                    todo.extend(&model.groups[*group as usize].bodies);
                    todo.extend(all(model).into_iter().filter(|other| inside[other.index()] == Some(*group)));
                }
            }
        }

        let mut plan = Plan { fixed: Vec::new(), varying: vec![Vec::new(); model.axioms.len() + 1], part };
        for step in steps {
            let of = match &step {
                PlanStep::Node(id) => plan.part[id.index()],
                PlanStep::Fixpoint { nodes, .. } => nodes.iter().find_map(|id| plan.part[id.index()]),
            };
            match of {
                Some(number) => plan.varying[number].push(step),
                None => plan.fixed.push(step),
            }
        }
        plan
    }

    pub fn varies(&self, id: NodeId) -> bool {
        self.part[id.index()].is_some()
    }
}

fn all(model: &Model) -> Vec<NodeId> {
    (0..).take(model.nodes.len()).map(NodeId).collect()
}

/// For each node the group whose solution it takes part in: it mentions a member and stands no later than the bodies.
fn recursive_parts(model: &Model, ends: &[usize]) -> Vec<Option<u32>> {
    let mut inside: Vec<Option<u32>> = vec![None; model.nodes.len()];
    for (at, node) in model.nodes.iter().enumerate() {
        inside[at] = if let Node::Rec(group, _) = node {
            Some(*group)
        } else {
            let children = node.children();
            let mut groups = children.iter().filter_map(|child| inside[child.index()]);
            groups.find(|group| at <= ends[*group as usize])
        };
    }
    inside
}

/// The last node of a group: its last body or member.
fn end(model: &Model, group: u32) -> usize {
    let bodies = model.groups[group as usize].bodies.iter().map(|id| id.index());
    let members = model.nodes.iter().rposition(|node| matches!(node, Node::Rec(g, _) if *g == group));
    bodies.chain(members).max().unwrap_or(0)
}

fn varying_nodes(model: &Model, inside: &[Option<u32>]) -> Vec<bool> {
    let mut varies = vec![false; model.nodes.len()];
    let mut groups = vec![false; model.groups.len()];
    loop {
        let before = (varies.clone(), groups.clone());
        for (at, node) in model.nodes.iter().enumerate() {
            varies[at] = inside[at].is_some_and(|group| groups[group as usize])
                || matches!(node, Node::Base(base) if base.is_dynamic())
                || *node == Node::Set(BaseSet::Fw)
                || matches!(node, Node::Order(..))
                || node.children().iter().any(|child| varies[child.index()]);
            if let (true, Some(group)) = (varies[at], inside[at]) {
                groups[group as usize] = true;
            }
        }
        for (group, varies_group) in model.groups.iter().zip(&mut groups) {
            *varies_group |= group.bodies.iter().any(|body| varies[body.index()]);
        }
        if before == (varies.clone(), groups.clone()) {
            return varies;
        }
    }
}

/// All steps in order: a group is solved where its last node stands, when everything that it uses is known.
fn steps(model: &Model, inside: &[Option<u32>], ends: &[usize]) -> Vec<PlanStep> {
    let mut steps = Vec::new();
    for id in all(model) {
        if inside[id.index()].is_none() {
            steps.push(PlanStep::Node(id));
        }
        for (group, _) in ends.iter().enumerate().filter(|(_, end)| **end == id.index()) {
            let own = |other: &NodeId| inside[other.index()].is_some_and(|g| g as usize == group);
            steps.push(PlanStep::Fixpoint { group, nodes: all(model).into_iter().filter(own).collect() });
        }
    }
    steps
}
