//! Recursive definitions: they must have a least solution.

use crate::builder::Builder;
use crate::node::{Node, NodeId};

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
