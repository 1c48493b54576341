//! From a text to a [`Model`].

use crate::library::PRELUDE;
use crate::model::Model;
use crate::node::{Node, NodeId, RecGroup};
use crate::orders;
use crate::resolve::{Failure, Include, Resolver};
use source::{Diagnostic, SourceFile};

impl Model {
    /// Parses and resolves a model.
    ///
    /// Files that it includes come from `includes`, then from the library; [`library`](crate::library()) says which models
    /// are there. Every error points into the file that it is about.
    pub fn load(name: &str, file: &SourceFile, includes: &dyn Include) -> Result<Model, Diagnostic> {
        let mut resolver = Resolver::new(file, includes);
        load(name, file, &mut resolver).map_err(Failure::into_diagnostic)
    }

    /// The node that was given this name at the top level of the model.
    pub fn named(&self, name: &str) -> Option<NodeId> {
        let at = self.names.iter().rposition(|own| own.as_deref() == Some(name))?;
        u32::try_from(at).ok().map(NodeId)
    }
}

fn load(name: &str, file: &SourceFile, resolver: &mut Resolver<'_>) -> Result<Model, Failure> {
    resolver.run(&SourceFile::new("stdlib.cat", PRELUDE))?;
    resolver.builder.names.fill(None);
    resolver.enter(&format!("{name}.cat"));
    resolver.run_bell(&format!("{name}.bell"))?;
    let (parsed, head) = resolver.run(file)?;
    let builder = std::mem::take(&mut resolver.builder);
    let model = Model {
        name: name.to_owned(),
        title: parsed.title.unwrap_or_else(|| name.to_owned()),
        head,
        nodes: builder.nodes,
        sorts: builder.sorts,
        groups: std::mem::take(&mut resolver.groups),
        axioms: std::mem::take(&mut resolver.axioms),
        names: builder.names,
        assumed: std::mem::take(&mut resolver.assumed),
        warnings: std::mem::take(&mut resolver.warnings),
        foreign: false,
    };
    let model = compact(model);
    if let Some(axiom) = orders::marks_by_order(&model) {
        let message = format!("what `{}` marks depends on an order that is enumerated", axiom.name);
        let error = Diagnostic::error(&axiom.file, axiom.span, message);
        return Err(error
            .help("orders of `linearisations` can only be mentioned in axioms that forbid executions")
            .into());
    }
    Ok(model)
}

/// Drops the nodes that neither an axiom nor a name needs.
fn compact(model: Model) -> Model {
    let count = model.nodes.len();
    let mut live = vec![false; count];
    let mut todo: Vec<NodeId> = model.axioms.iter().map(|axiom| axiom.node).collect();
    todo.extend((0..).zip(&model.names).filter(|(_, name)| name.is_some()).map(|(at, _)| NodeId(at)));
    while let Some(id) = todo.pop() {
        if std::mem::replace(&mut live[id.index()], true) {
            continue;
        }
        todo.extend(model.node(id).children());
        if let Node::Rec(group, _) = model.node(id) {
            todo.extend(&model.groups[*group as usize].bodies);
        }
    }
    let live_group = |group: usize| {
        (0..)
            .zip(&model.nodes)
            .any(|(at, node): (usize, _)| live[at] && matches!(node, Node::Rec(g, _) if *g as usize == group))
    };
    let mut group_ids = vec![0; model.groups.len()];
    let mut groups: Vec<RecGroup> = Vec::new();
    for (at, group) in model.groups.iter().enumerate().filter(|(at, _)| live_group(*at)) {
        group_ids[at] = groups.len() as u32;
        groups.push(group.clone());
    }
    // A live group keeps all its members: its bodies are live, and so is whatever they mention.
    let mut ids = vec![NodeId(0); count];
    for (new, (id, _)) in (0..).zip(ids.iter_mut().zip(&live).filter(|(_, live)| **live)) {
        *id = NodeId(new);
    }
    let map = |id: NodeId| ids[id.index()];
    let kept = |at: &usize| live[*at];
    let nodes = (0..count).filter(kept).map(|at| renumber(&model.nodes[at], map, &group_ids)).collect();
    groups.iter_mut().flat_map(|group| &mut group.bodies).for_each(|body| *body = map(*body));
    let mut axioms = model.axioms;
    axioms.iter_mut().for_each(|axiom| axiom.node = map(axiom.node));
    Model {
        nodes,
        sorts: (0..count).filter(kept).map(|at| model.sorts[at]).collect(),
        names: (0..count).filter(kept).map(|at| model.names[at].clone()).collect(),
        groups,
        axioms,
        ..Model {
            nodes: Vec::new(),
            sorts: Vec::new(),
            names: Vec::new(),
            groups: Vec::new(),
            axioms: Vec::new(),
            ..model
        }
    }
}

fn renumber(node: &Node, map: impl Fn(NodeId) -> NodeId, groups: &[u32]) -> Node {
    let all = |parts: &[NodeId]| parts.iter().map(|part| map(*part)).collect();
    match node {
        Node::Base(_) | Node::Set(_) | Node::EmptyRelation | Node::EmptySet => node.clone(),
        Node::Union(parts) => Node::Union(all(parts)),
        Node::Intersection(parts) => Node::Intersection(all(parts)),
        Node::Sequence(parts) => Node::Sequence(all(parts)),
        Node::Difference(a, b) => Node::Difference(map(*a), map(*b)),
        Node::Product(a, b) => Node::Product(map(*a), map(*b)),
        Node::Complement(a) => Node::Complement(map(*a)),
        Node::Inverse(a) => Node::Inverse(map(*a)),
        Node::Plus(a) => Node::Plus(map(*a)),
        Node::Star(a) => Node::Star(map(*a)),
        Node::Optional(a) => Node::Optional(map(*a)),
        Node::Test(a) => Node::Test(map(*a)),
        Node::Domain(a) => Node::Domain(map(*a)),
        Node::Range(a) => Node::Range(map(*a)),
        Node::Rec(group, member) => Node::Rec(groups[*group as usize], *member),
        Node::Order(number, set, within) => Node::Order(*number, map(*set), map(*within)),
    }
}
