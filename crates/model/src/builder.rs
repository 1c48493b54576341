//! Makes nodes: each expression once, simplified as it is built.
//!
//! The simplifications keep the meaning on every [`crate::Structure`]. They recognise the relations that executions have by
//! themselves, so that `rf & ext`, `rf \ rfi` and `rfe` are one node, whatever way a model writes it.
#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "a rule of simplification is about some nodes: the others stay as they are"
)]

use crate::node::{Base, BaseSet, Node, NodeId, Scope, Sort};
use rustc_hash::FxHashMap;

#[derive(Default)]
pub(crate) struct Builder {
    pub nodes: Vec<Node>,
    pub sorts: Vec<Sort>,
    /// Names given at the top level. A named union stays a node of its own, so that reports can use its name.
    pub names: Vec<Option<String>>,
    ids: FxHashMap<Node, NodeId>,
}

impl Builder {
    fn intern(&mut self, node: Node, sort: Sort) -> NodeId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.ids.insert(node.clone(), id);
        self.nodes.push(node);
        self.sorts.push(sort);
        self.names.push(None);
        id
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub fn sort(&self, id: NodeId) -> Sort {
        self.sorts[id.index()]
    }

    pub fn name(&mut self, id: NodeId, name: &str) {
        let leaf = matches!(self.node(id), Node::Base(_) | Node::Set(_) | Node::EmptyRelation | Node::EmptySet);
        let slot = &mut self.names[id.index()];
        if slot.is_none() && !leaf {
            *slot = Some(name.to_owned());
        }
    }

    pub fn base(&mut self, base: Base) -> NodeId {
        self.intern(Node::Base(base), Sort::Relation)
    }

    pub fn set(&mut self, set: BaseSet) -> NodeId {
        self.intern(Node::Set(set), Sort::Set)
    }

    pub fn empty(&mut self, sort: Sort) -> NodeId {
        match sort {
            Sort::Set => self.intern(Node::EmptySet, sort),
            Sort::Relation => self.intern(Node::EmptyRelation, sort),
        }
    }

    pub fn is_empty(&self, id: NodeId) -> bool {
        matches!(self.node(id), Node::EmptySet | Node::EmptyRelation)
    }

    fn is_universe(&self, id: NodeId) -> bool {
        *self.node(id) == Node::Set(BaseSet::Universe)
    }

    fn is_id(&self, id: NodeId) -> bool {
        *self.node(id) == Node::Base(Base::Id)
    }

    pub fn rec(&mut self, group: u32, member: u32, sort: Sort) -> NodeId {
        self.intern(Node::Rec(group, member), sort)
    }

    pub fn order(&mut self, number: u32, set: NodeId, within: NodeId) -> NodeId {
        self.intern(Node::Order(number, set, within), Sort::Relation)
    }

    pub fn union(&mut self, parts: &[NodeId], sort: Sort) -> NodeId {
        let mut flat = Vec::new();
        for &part in parts {
            match self.node(part) {
                Node::Union(inner) if self.names[part.index()].is_none() => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        flat.retain(|&part| !self.is_empty(part));
        flat.sort_unstable();
        flat.dedup();
        if let Some(&all) = flat.iter().find(|&&part| self.is_universe(part)) {
            return all;
        }
        match flat[..] {
            [] => self.empty(sort),
            [only] => only,
            _ => self.intern(Node::Union(flat), sort),
        }
    }

    pub fn intersection(&mut self, parts: &[NodeId], sort: Sort) -> NodeId {
        let mut flat = Vec::new();
        for &part in parts {
            match self.node(part) {
                Node::Intersection(inner) if self.names[part.index()].is_none() => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        if flat.iter().any(|&part| self.is_empty(part)) {
            return self.empty(sort);
        }
        if flat.len() > 1 {
            flat.retain(|&part| !self.is_universe(part));
        }
        if sort == Sort::Relation {
            let bases: Vec<Base> = flat.iter().filter_map(|&part| self.as_base(part)).collect();
            let Some(bases) = meet(&bases) else { return self.empty(sort) };
            flat.retain(|&part| self.as_base(part).is_none());
            flat.extend(bases.into_iter().map(|base| self.base(base)).collect::<Vec<_>>());
            flat.sort_unstable();
        }
        match flat[..] {
            [] => self.set(BaseSet::Universe),
            [only] => only,
            _ => self.intern(Node::Intersection(flat), sort),
        }
    }

    fn as_base(&self, id: NodeId) -> Option<Base> {
        match self.node(id) {
            Node::Base(base) => Some(*base),
            _ => None,
        }
    }

    pub fn difference(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let sort = self.sort(a);
        if a == b || self.is_empty(a) || self.is_universe(b) {
            return self.empty(sort);
        }
        if self.is_empty(b) {
            return a;
        }
        if self.is_universe(a) {
            return self.complement(b);
        }
        if let (Some(base), Some(minus)) = (self.as_base(a), self.as_base(b)) {
            if scope(base) == Some(Scope::Any) {
                let same = with_scope(base, Scope::Any) == with_scope(minus, Scope::Any);
                let left = match (minus, scope(minus)) {
                    (Base::Int, _) => Some(Scope::External),
                    (Base::Ext, _) => Some(Scope::Internal),
                    (_, Some(Scope::Internal)) if same => Some(Scope::External),
                    (_, Some(Scope::External)) if same => Some(Scope::Internal),
                    _ => None,
                };
                if let Some(left) = left {
                    return self.base(with_scope(base, left));
                }
            }
            let irreflexive = !matches!(base, Base::Loc | Base::Int | Base::Ext | Base::Id);
            if minus == Base::Id && irreflexive {
                return a;
            }
        }
        self.intern(Node::Difference(a, b), sort)
    }

    pub fn complement(&mut self, a: NodeId) -> NodeId {
        match *self.node(a) {
            Node::Complement(inner) => inner,
            Node::EmptySet => self.set(BaseSet::Universe),
            Node::Set(BaseSet::Universe) => self.empty(Sort::Set),
            _ => self.intern(Node::Complement(a), self.sort(a)),
        }
    }

    pub fn sequence(&mut self, parts: &[NodeId]) -> NodeId {
        let mut flat: Vec<NodeId> = Vec::new();
        for &part in parts {
            match self.node(part) {
                Node::Sequence(inner) if self.names[part.index()].is_none() => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        if flat.iter().any(|&part| self.is_empty(part)) {
            return self.empty(Sort::Relation);
        }
        let mut merged: Vec<NodeId> = Vec::new();
        for part in flat {
            let last = merged.last().copied();
            match (last.map(|last| self.node(last).clone()), self.node(part).clone()) {
                (_, Node::Base(Base::Id)) => {}
                (Some(Node::Test(a)), Node::Test(b)) => {
                    let both = self.intersection(&[a, b], Sort::Set);
                    merged.pop();
                    merged.push(self.test(both));
                }
                (Some(Node::Inverse(rf)), Node::Base(Base::Co(Scope::Any)))
                    if self.as_base(rf) == Some(Base::Rf(Scope::Any)) =>
                {
                    merged.pop();
                    merged.push(self.base(Base::Fr(Scope::Any)));
                }
                _ => merged.push(part),
            }
        }
        if merged.iter().any(|&part| self.is_empty(part)) {
            return self.empty(Sort::Relation);
        }
        match merged[..] {
            [] => self.base(Base::Id),
            [only] => only,
            _ => self.intern(Node::Sequence(merged), Sort::Relation),
        }
    }

    pub fn inverse(&mut self, a: NodeId) -> NodeId {
        match *self.node(a) {
            Node::Inverse(inner) => inner,
            Node::EmptyRelation | Node::Test(_) | Node::Base(Base::Loc | Base::Int | Base::Ext | Base::Id) => a,
            Node::Product(from, to) => self.product(to, from),
            _ => self.intern(Node::Inverse(a), Sort::Relation),
        }
    }

    pub fn plus(&mut self, a: NodeId) -> NodeId {
        match *self.node(a) {
            Node::EmptyRelation | Node::Plus(_) | Node::Star(_) | Node::Test(_) => a,
            Node::Base(Base::Po | Base::PoLoc | Base::Co(Scope::Any) | Base::Loc | Base::Int | Base::Id) => a,
            Node::Optional(inner) => self.star(inner),
            _ => self.intern(Node::Plus(a), Sort::Relation),
        }
    }

    pub fn star(&mut self, a: NodeId) -> NodeId {
        match *self.node(a) {
            Node::EmptyRelation | Node::Test(_) | Node::Base(Base::Id) => self.base(Base::Id),
            Node::Star(_) => a,
            Node::Plus(inner) | Node::Optional(inner) => self.star(inner),
            _ => self.intern(Node::Star(a), Sort::Relation),
        }
    }

    pub fn optional(&mut self, a: NodeId) -> NodeId {
        match *self.node(a) {
            Node::EmptyRelation | Node::Test(_) | Node::Base(Base::Id) => self.base(Base::Id),
            Node::Star(_) | Node::Optional(_) => a,
            Node::Plus(inner) => self.star(inner),
            _ => self.intern(Node::Optional(a), Sort::Relation),
        }
    }

    pub fn product(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if self.is_empty(a) || self.is_empty(b) {
            return self.empty(Sort::Relation);
        }
        self.intern(Node::Product(a, b), Sort::Relation)
    }

    pub fn test(&mut self, a: NodeId) -> NodeId {
        match self.node(a) {
            Node::EmptySet => self.empty(Sort::Relation),
            Node::Set(BaseSet::Universe) => self.base(Base::Id),
            _ => self.intern(Node::Test(a), Sort::Relation),
        }
    }

    pub fn domain(&mut self, a: NodeId) -> NodeId {
        match *self.node(a) {
            Node::EmptyRelation => self.empty(Sort::Set),
            Node::Test(set) => set,
            _ if self.is_id(a) => self.set(BaseSet::Universe),
            _ => self.intern(Node::Domain(a), Sort::Set),
        }
    }

    pub fn range(&mut self, a: NodeId) -> NodeId {
        match *self.node(a) {
            Node::EmptyRelation => self.empty(Sort::Set),
            Node::Test(set) => set,
            _ if self.is_id(a) => self.set(BaseSet::Universe),
            _ => self.intern(Node::Range(a), Sort::Set),
        }
    }
}

/// The scope of a communication relation.
fn scope(base: Base) -> Option<Scope> {
    match base {
        Base::Rf(scope) | Base::Co(scope) | Base::Fr(scope) => Some(scope),
        _ => None,
    }
}

/// The communication relation of the same kind with another scope.
fn with_scope(base: Base, scope: Scope) -> Base {
    match base {
        Base::Rf(_) => Base::Rf(scope),
        Base::Co(_) => Base::Co(scope),
        Base::Fr(_) => Base::Fr(scope),
        other => other,
    }
}

/// The intersection of base relations, or `None` if it is empty.
fn meet(bases: &[Base]) -> Option<Vec<Base>> {
    let mut rest: Vec<Base> = bases.to_vec();
    let in_order = rest.iter().any(|base| matches!(base, Base::Po | Base::PoLoc));
    if in_order {
        if rest.contains(&Base::Ext) {
            return None;
        }
        let same_place = rest.contains(&Base::PoLoc) || rest.contains(&Base::Loc);
        rest.retain(|base| !matches!(base, Base::Po | Base::PoLoc | Base::Loc | Base::Int));
        rest.push(if same_place { Base::PoLoc } else { Base::Po });
    }
    if rest.contains(&Base::Int) && rest.contains(&Base::Ext) {
        return None;
    }
    for kind in [Base::Rf(Scope::Any), Base::Co(Scope::Any), Base::Fr(Scope::Any)] {
        let mut scopes: Vec<Scope> =
            rest.iter().filter(|base| with_scope(**base, Scope::Any) == kind).filter_map(|base| scope(*base)).collect();
        if scopes.is_empty() {
            continue;
        }
        if bases.contains(&Base::Int) {
            scopes.push(Scope::Internal);
        }
        if bases.contains(&Base::Ext) {
            scopes.push(Scope::External);
        }
        let (internal, external) = (scopes.contains(&Scope::Internal), scopes.contains(&Scope::External));
        let scope = match (internal, external) {
            (true, true) => return None,
            (true, false) => Scope::Internal,
            (false, true) => Scope::External,
            (false, false) => Scope::Any,
        };
        rest.retain(|base| with_scope(*base, Scope::Any) != kind && !matches!(base, Base::Int | Base::Ext));
        rest.push(with_scope(kind, scope));
    }
    Some(rest)
}
