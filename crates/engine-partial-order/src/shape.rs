//! What can be said about a model's axioms by looking at them.

use model::{Axiom, Base, BaseSet, Model, Node, NodeId, Requirement, Role, Scope};

/// Whether an axiom forbids the cycles of a relation.
pub fn forbids_cycles(axiom: &Axiom) -> bool {
    axiom.requirement == Requirement::Acyclic && axiom.role == Role::Forbids && !axiom.negated
}

/// Whether the model has an axiom that gives every location a sequential order: `acyclic po-loc | rf | co | fr`, or more.
pub fn has_uniproc(model: &Model) -> bool {
    model.axioms.iter().any(|axiom| is_uniproc(model, axiom))
}

/// Whether this axiom gives every location a sequential order.
pub fn is_uniproc(model: &Model, axiom: &Axiom) -> bool {
    let members = model.union_members(axiom.node);
    let has = |base: Base| is_member(model, base, &members);
    let communication = has(Base::Rf(Scope::Any)) && has(Base::Co(Scope::Any)) && has(Base::Fr(Scope::Any));
    let own = has(Base::PoLoc) || members.iter().any(|&member| keeps_all(model, member));
    forbids_cycles(axiom) && communication && own
}

/// Whether a relation contains all of program order between accesses: `po`, `po & (M * M)`.
fn keeps_all(model: &Model, node: NodeId) -> bool {
    is_po_between(model, node, |part| is_product(model, part, |from| has_accesses(model, from)))
}

/// Whether a relation is `po`, or `po` cut down by restrictions of this kind only.
fn is_po_between(model: &Model, node: NodeId, restriction: impl Fn(NodeId) -> bool) -> bool {
    let is_po = |node: NodeId| *model.node(node) == Node::Base(Base::Po);
    let parts = if let Node::Intersection(parts) = model.node(node) { &parts[..] } else { &[] };
    is_po(node) || (!parts.is_empty() && parts.iter().all(|&part| is_po(part) || restriction(part)))
}

/// Whether a relation is a product of such a set and one that has all accesses.
fn is_product(model: &Model, node: NodeId, first: impl Fn(NodeId) -> bool) -> bool {
    let Node::Product(from, to) = *model.node(node) else { return false };
    first(from) && has_accesses(model, to)
}

/// Whether all accesses are in a set.
fn has_accesses(model: &Model, node: NodeId) -> bool {
    let sets = sets(model, node);
    sets.contains(&&BaseSet::Universe) || (sets.contains(&&BaseSet::R) && sets.contains(&&BaseSet::W))
}

/// The sets of which a set is the union, as far as they are those of the execution.
fn sets(model: &Model, node: NodeId) -> Vec<&BaseSet> {
    let members = model.union_members(node).into_iter();
    members.filter_map(|member| if let Node::Set(set) = model.node(member) { Some(set) } else { None }).collect()
}

fn is_member(model: &Model, base: Base, members: &[NodeId]) -> bool {
    members.iter().any(|&member| *model.node(member) == Node::Base(base))
}

/// Whether this axiom is about the order of all accesses, not only of those to one location: where an atomic section is
/// one event.
pub fn is_global(model: &Model, axiom: &Axiom) -> bool {
    let members = model.union_members(axiom.node);
    let has = |base: Base| is_member(model, base, &members);
    let communication = has(Base::Co(Scope::Any)) && has(Base::Fr(Scope::Any));
    forbids_cycles(axiom) && communication && !has(Base::PoLoc)
}

/// Whether an axiom is `empty rmw & (fre ; coe)`: nothing comes between a read and its write.
pub fn is_atomicity(model: &Model, axiom: &Axiom) -> bool {
    let Node::Intersection(parts) = model.node(axiom.node) else { return false };
    let is_rmw = |&part: &NodeId| *model.node(part) == Node::Base(Base::Rmw);
    let between = |&part: &NodeId| {
        let Node::Sequence(steps) = model.node(part) else { return false };
        let steps: Vec<&Node> = steps.iter().map(|&step| model.node(step)).collect();
        steps == [&Node::Base(Base::Fr(Scope::External)), &Node::Base(Base::Co(Scope::External))]
    };
    let plain = axiom.requirement == Requirement::Empty && axiom.role == Role::Forbids && !axiom.negated;
    plain && parts.len() == 2 && parts.iter().any(is_rmw) && parts.iter().any(between)
}

/// Whether a read and a write of one instruction can be one node in the graph of this axiom: every path from the one to
/// the other that is not program order goes through another write that comes between them.
pub fn joins_instructions(model: &Model, axiom: &Axiom) -> bool {
    let bases = [Base::Po, Base::PoLoc, Base::Rf(Scope::Any), Base::Co(Scope::Any), Base::Fr(Scope::Any)];
    let known: Vec<NodeId> = (0..model.nodes.len() as u32)
        .map(NodeId)
        .filter(|&node| bases.map(Node::Base).contains(model.node(node)))
        .collect();
    is_uniproc(model, axiom) && consists_of(model, axiom.node, &known)
}

/// Whether `acyclic strong` obviously implies `acyclic weak`: every member of the weak union is in the strong one, or the
/// weak one is about dependencies and reads-from only and the strong one orders reads with all that comes later.
pub fn implies(model: &Model, strong: NodeId, weak: NodeId) -> bool {
    let strong = model.union_members(strong);
    let weak = model.union_members(weak);
    if weak.iter().all(|&member| is_within(model, member, &strong)) {
        return true;
    }
    // From a read by a dependency to a write, and from there, if at all within the thread, to a later read: what comes of
    // it is program order from a read. So only reads-from between threads is left.
    let external =
        is_member(model, Base::Rf(Scope::External), &strong) || is_member(model, Base::Rf(Scope::Any), &strong);
    let dependent = |&node: &NodeId| is_dependency(model, node) || matches!(model.node(node), Node::Base(Base::Rf(_)));
    has_uniproc(model) && external && weak.iter().all(dependent) && strong.iter().any(|&node| keeps_reads(model, node))
}

/// Whether an acyclicity axiom need not be looked at because of another one. Of two that imply each other the first
/// counts. With `sections`, atomic sections are one event for those axioms that are about all accesses, so that these say
/// nothing about single locations any more.
pub fn is_implied(model: &Model, axiom: &Axiom, sections: bool) -> bool {
    let axioms: Vec<&Axiom> = model.axioms.iter().filter(|axiom| forbids_cycles(axiom)).collect();
    if !forbids_cycles(axiom) || (sections && !is_global(model, axiom) && is_uniproc(model, axiom)) {
        return false;
    }
    let at = axioms.iter().position(|other| std::ptr::eq(*other, axiom));
    axioms.iter().enumerate().any(|(other, by)| {
        Some(other) != at
            && implies(model, by.node, axiom.node)
            && (Some(other) < at || !implies(model, axiom.node, by.node))
    })
}

/// Whether an axiom, or one that only flags executions, mentions dependencies and has to be looked at.
pub fn wants_dependencies(model: &Model) -> bool {
    let mut open: Vec<NodeId> =
        model.axioms.iter().filter(|axiom| !is_implied(model, axiom, true)).map(|axiom| axiom.node).collect();
    let mut seen = vec![false; model.nodes.len()];
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            continue;
        }
        match model.node(node) {
            Node::Base(Base::Addr | Base::Data | Base::Ctrl) => return true,
            Node::Base(_) | Node::Set(_) | Node::EmptyRelation | Node::EmptySet => {}
            Node::Union(parts) | Node::Intersection(parts) | Node::Sequence(parts) => open.extend(parts),
            Node::Difference(left, right) | Node::Product(left, right) | Node::Order(_, left, right) => {
                open.extend([*left, *right]);
            }
            Node::Complement(inner)
            | Node::Inverse(inner)
            | Node::Plus(inner)
            | Node::Star(inner)
            | Node::Optional(inner)
            | Node::Test(inner)
            | Node::Domain(inner)
            | Node::Range(inner) => open.push(*inner),
            Node::Rec(group, _) => open.extend(&model.groups[*group as usize].bodies),
        }
    }
    false
}

fn is_dependency(model: &Model, node: NodeId) -> bool {
    match model.node(node) {
        Node::Base(base) => matches!(base, Base::Addr | Base::Data | Base::Ctrl),
        Node::Intersection(parts) => parts.iter().any(|&part| is_dependency(model, part)),
        Node::Union(parts) => parts.iter().all(|&part| is_dependency(model, part)),
        Node::Set(_)
        | Node::EmptyRelation
        | Node::EmptySet
        | Node::Difference(..)
        | Node::Complement(_)
        | Node::Sequence(_)
        | Node::Inverse(_)
        | Node::Plus(_)
        | Node::Star(_)
        | Node::Optional(_)
        | Node::Product(..)
        | Node::Test(_)
        | Node::Domain(_)
        | Node::Range(_)
        | Node::Rec(..)
        | Node::Order(..) => false,
    }
}

/// Whether a relation contains program order from reads to all accesses: `po`, `po & (R * M)`, or more.
fn keeps_reads(model: &Model, node: NodeId) -> bool {
    let reads = |node: NodeId| sets(model, node).iter().any(|s| matches!(s, BaseSet::R | BaseSet::Universe));
    is_po_between(model, node, |part| {
        model.union_members(part).into_iter().any(|choice| is_product(model, choice, reads))
    })
}

/// Whether a relation is one of the members, or a part of one that is known by its name.
pub fn is_within(model: &Model, relation: NodeId, members: &[NodeId]) -> bool {
    let has = |base: Base| is_member(model, base, members);
    if members.contains(&relation) {
        return true;
    }
    let Node::Base(base) = *model.node(relation) else { return false };
    match base {
        Base::PoLoc => members.iter().any(|&member| keeps_all(model, member)),
        Base::Rf(_) => has(Base::Rf(Scope::Any)),
        Base::Co(_) => has(Base::Co(Scope::Any)),
        Base::Fr(_) => has(Base::Fr(Scope::Any)),
        Base::Po
        | Base::Addr
        | Base::Data
        | Base::Ctrl
        | Base::Rmw
        | Base::Amo
        | Base::Loc
        | Base::Int
        | Base::Ext
        | Base::Id => false,
    }
}

/// Whether every step of a relation is a step of one of the members, so that its cycles are cycles of their union.
pub fn consists_of(model: &Model, relation: NodeId, members: &[NodeId]) -> bool {
    if is_within(model, relation, members) {
        return true;
    }
    match model.node(relation) {
        Node::EmptyRelation | Node::Test(_) => true,
        Node::Union(parts) | Node::Sequence(parts) => parts.iter().all(|&part| consists_of(model, part, members)),
        Node::Intersection(parts) => parts.iter().any(|&part| consists_of(model, part, members)),
        Node::Difference(inner, _) | Node::Optional(inner) | Node::Star(inner) | Node::Plus(inner) => {
            consists_of(model, *inner, members)
        }
        Node::Base(_)
        | Node::Set(_)
        | Node::EmptySet
        | Node::Complement(_)
        | Node::Inverse(_)
        | Node::Product(..)
        | Node::Domain(_)
        | Node::Range(_)
        | Node::Rec(..)
        | Node::Order(..) => false,
    }
}

/// Whether a relation may relate an event to itself without a step of the execution's own relations; `open` are the
/// members of recursive definitions being looked at, which add nothing by themselves.
pub fn may_stay(model: &Model, node: NodeId, open: &mut Vec<(u32, u32)>) -> bool {
    match model.node(node) {
        Node::Base(base) => matches!(base, Base::Loc | Base::Int | Base::Ext | Base::Id),
        Node::EmptyRelation => false,
        Node::Optional(_) | Node::Star(_) | Node::Test(_) | Node::Product(..) | Node::Complement(_) => true,
        Node::Plus(inner) | Node::Inverse(inner) | Node::Difference(inner, _) => may_stay(model, *inner, open),
        Node::Union(parts) => parts.iter().any(|&part| may_stay(model, part, open)),
        Node::Sequence(parts) | Node::Intersection(parts) => parts.iter().all(|&part| may_stay(model, part, open)),
        Node::Rec(group, member) => {
            if open.contains(&(*group, *member)) {
                return false;
            }
            open.push((*group, *member));
            let body = model.groups[*group as usize].bodies[*member as usize];
            let stays = may_stay(model, body, open);
            open.pop();
            stays
        }
        Node::Set(_) | Node::EmptySet | Node::Domain(_) | Node::Range(_) | Node::Order(..) => false,
    }
}
