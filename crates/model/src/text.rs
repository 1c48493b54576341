//! Writes nodes in the language of models.

use crate::model::Model;
use crate::node::{BaseSet, Node, NodeId, Requirement};

impl Model {
    /// What an axiom requires: `acyclic ppo | rfe | co | fr`.
    pub fn axiom_text(&self, axiom: usize) -> String {
        let axiom = &self.axioms[axiom];
        let requirement = match axiom.requirement {
            Requirement::Acyclic => "acyclic",
            Requirement::Irreflexive => "irreflexive",
            Requirement::Empty => "empty",
        };
        let not = if axiom.negated { "~" } else { "" };
        format!("{not}{requirement} {}", self.text(axiom.node))
    }

    /// The members of a union and of the unions among them, or just the node if it is no union.
    pub fn union_members(&self, node: NodeId) -> Vec<NodeId> {
        let Node::Union(members) = self.node(node) else { return vec![node] };
        members.iter().flat_map(|&member| self.union_members(member)).collect()
    }

    /// A node as an expression, with the names that the model gave to its parts.
    pub fn text(&self, node: NodeId) -> String {
        let part = |id: &NodeId| match &self.names[id.index()] {
            Some(name) => name.clone(),
            None => {
                let binary = matches!(
                    self.node(*id),
                    Node::Union(_)
                        | Node::Intersection(_)
                        | Node::Difference(..)
                        | Node::Sequence(_)
                        | Node::Product(..)
                );
                if binary { format!("({})", self.text(*id)) } else { self.text(*id) }
            }
        };
        // In brackets of its own.
        let inner = |id: &NodeId| self.names[id.index()].clone().unwrap_or_else(|| self.text(*id));
        let join = |parts: &[NodeId], operator: &str| parts.iter().map(part).collect::<Vec<_>>().join(operator);
        match self.node(node) {
            Node::Base(base) => base.name().to_owned(),
            Node::Set(set) => match set {
                BaseSet::Universe => "_".to_owned(),
                BaseSet::R => "R".to_owned(),
                BaseSet::W => "W".to_owned(),
                BaseSet::F => "F".to_owned(),
                BaseSet::Iw => "IW".to_owned(),
                BaseSet::Fw => "FW".to_owned(),
                BaseSet::Tag(tag) => tag.clone(),
            },
            Node::EmptyRelation => "0".to_owned(),
            Node::EmptySet => "{}".to_owned(),
            Node::Union(parts) => join(parts, " | "),
            Node::Intersection(parts) => join(parts, " & "),
            Node::Sequence(parts) => join(parts, "; "),
            Node::Difference(a, b) => format!("{} \\ {}", part(a), part(b)),
            Node::Product(a, b) => format!("{} * {}", part(a), part(b)),
            Node::Complement(a) => format!("~{}", part(a)),
            Node::Inverse(a) => format!("{}^-1", part(a)),
            Node::Plus(a) => format!("{}+", part(a)),
            Node::Star(a) => format!("{}*", part(a)),
            Node::Optional(a) => format!("{}?", part(a)),
            Node::Test(a) => format!("[{}]", inner(a)),
            Node::Domain(a) => format!("domain({})", inner(a)),
            Node::Range(a) => format!("range({})", inner(a)),
            Node::Order(_, set, within) => format!("linearisations({}, {})", inner(set), inner(within)),
            Node::Rec(group, member) => self.groups[*group as usize].names[*member as usize].clone(),
        }
    }
}
