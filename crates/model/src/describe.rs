//! Expressions of a model as text, with the names that the file gives them.

use crate::model::Model;
use crate::node::{Base, BaseSet, Node, NodeId, Requirement, Scope};

impl Model {
    /// What an axiom requires, in the terms of the file: `acyclic ppo | rfe | co | fr`.
    pub fn describe(&self, axiom: usize) -> String {
        let axiom = &self.axioms[axiom];
        let requirement = match axiom.requirement {
            Requirement::Acyclic => "acyclic",
            Requirement::Irreflexive => "irreflexive",
            Requirement::Empty => "empty",
        };
        let not = if axiom.negated { "~" } else { "" };
        format!("{not}{requirement} {}", self.show(axiom.node, true))
    }

    /// An expression; `open` looks behind its own name.
    fn show(&self, id: NodeId, open: bool) -> String {
        if !open && let Some(name) = &self.names[id.index()] {
            return name.clone();
        }
        let inner = |id: &NodeId| self.show(*id, false);
        let list = |members: &[NodeId], operator: &str| members.iter().map(inner).collect::<Vec<_>>().join(operator);
        let text = match self.node(id) {
            Node::Base(base) => return base_name(*base).to_owned(),
            Node::Set(set) => return set_name(set).to_owned(),
            Node::EmptyRelation => return "0".to_owned(),
            Node::EmptySet => return "{}".to_owned(),
            Node::Rec(group, member) => return self.groups[*group as usize].names[*member as usize].clone(),
            Node::Complement(operand) => return format!("~{}", inner(operand)),
            Node::Inverse(operand) => return format!("{}^-1", inner(operand)),
            Node::Plus(operand) => return format!("{}+", inner(operand)),
            Node::Star(operand) => return format!("{}*", inner(operand)),
            Node::Optional(operand) => return format!("{}?", inner(operand)),
            Node::Test(set) => return format!("[{}]", self.show(*set, false)),
            Node::Domain(operand) => return format!("domain({})", inner(operand)),
            Node::Range(operand) => return format!("range({})", inner(operand)),
            Node::Union(members) => list(members, " | "),
            Node::Intersection(members) => list(members, " & "),
            Node::Sequence(members) => list(members, " ; "),
            Node::Difference(left, right) => format!("{} \\ {}", inner(left), inner(right)),
            Node::Product(left, right) => format!("{} * {}", inner(left), inner(right)),
        };
        if open { text } else { format!("({text})") }
    }
}

/// The name of a relation of the execution.
pub(crate) fn base_name(base: Base) -> &'static str {
    let scoped = |names: [&'static str; 3], scope: Scope| match scope {
        Scope::Any => names[0],
        Scope::Internal => names[1],
        Scope::External => names[2],
    };
    match base {
        Base::Po => "po",
        Base::PoLoc => "po-loc",
        Base::Addr => "addr",
        Base::Data => "data",
        Base::Ctrl => "ctrl",
        Base::Rmw => "rmw",
        Base::Amo => "amo",
        Base::Rf(scope) => scoped(["rf", "rfi", "rfe"], scope),
        Base::Co(scope) => scoped(["co", "coi", "coe"], scope),
        Base::Fr(scope) => scoped(["fr", "fri", "fre"], scope),
        Base::Loc => "loc",
        Base::Int => "int",
        Base::Ext => "ext",
        Base::Id => "id",
    }
}

fn set_name(set: &BaseSet) -> &str {
    match set {
        BaseSet::Universe => "_",
        BaseSet::R => "R",
        BaseSet::W => "W",
        BaseSet::F => "F",
        BaseSet::Iw => "IW",
        BaseSet::Fw => "FW",
        BaseSet::Tag(name) => name,
    }
}
