//! Recursive definitions: iterating them must come to an end.

use crate::builder::Builder;
use crate::node::{BaseSet, Node, NodeId};

/// Whether a node can only grow when the members of the group grow: none stands under `~` or right of `\`.
pub(crate) fn is_monotone(builder: &Builder, body: NodeId, group: u32) -> bool {
    // Children come before parents, so one pass finds which nodes mention the group.
    let mut mentions = vec![false; builder.nodes.len()];
    let mut falls = vec![false; builder.nodes.len()];
    for (at, node) in builder.nodes.iter().enumerate() {
        let children = node.children();
        mentions[at] = matches!(node, Node::Rec(g, _) if *g == group) || children.iter().any(|c| mentions[c.index()]);
        falls[at] = children.iter().any(|c| falls[c.index()])
            || matches!(node, Node::Complement(a) | Node::Difference(_, a) if mentions[a.index()]);
    }
    !falls[body.index()]
}

/// Whether iterating definitions that are not monotone comes to an end nevertheless, as in `matched = matched | …`: what
/// such a member has it keeps, and the others, which follow from it, do not depend on each other in a circle.
pub(crate) fn is_inflationary(builder: &Builder, bodies: &[NodeId], group: u32) -> bool {
    let keeps = |at: usize| {
        let itself = Node::Rec(group, at as u32);
        matches!(builder.node(bodies[at]), Node::Union(parts) if parts.iter().any(|&part| *builder.node(part) == itself))
    };
    let mut left: Vec<usize> = (0..bodies.len()).filter(|&at| !keeps(at)).collect();
    // Takes away whatever depends on nothing that is left, until nothing changes.
    loop {
        let uses: Vec<Vec<u32>> = left.iter().map(|&at| members(builder, bodies[at], group)).collect();
        let free = |uses: &[u32]| !left.iter().any(|&other| uses.contains(&(other as u32)));
        let kept: Vec<usize> = left.iter().zip(&uses).filter(|(_, uses)| !free(uses)).map(|(&at, _)| at).collect();
        if kept.is_empty() {
            return true;
        }
        if kept.len() == left.len() {
            return false;
        }
        left = kept;
    }
}

/// Whether a definition depends on reads-from or coherence, given that the other groups are looked into.
pub(crate) fn varies(builder: &Builder, groups: &[crate::node::RecGroup], body: NodeId, group: u32) -> bool {
    let mut seen = vec![false; builder.nodes.len()];
    let mut open = vec![body];
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            continue;
        }
        let node = builder.node(node);
        let dynamic = matches!(node, Node::Base(base) if base.is_dynamic());
        if dynamic || *node == Node::Set(BaseSet::Fw) || matches!(node, Node::Order(..)) {
            return true;
        }
        if let Node::Rec(other, _) = node
            && *other != group
        {
            open.extend(&groups[*other as usize].bodies);
        } else {
            open.extend(node.children());
        }
    }
    false
}

/// The members of the group that a definition mentions.
fn members(builder: &Builder, body: NodeId, group: u32) -> Vec<u32> {
    let mut seen = vec![false; builder.nodes.len()];
    let (mut open, mut found) = (vec![body], Vec::new());
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            continue;
        }
        let node = builder.node(node);
        if let Node::Rec(own, member) = node
            && *own == group
        {
            found.push(*member);
        } else {
            open.extend(node.children());
        }
    }
    found
}
