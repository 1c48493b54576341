//! A naive evaluator of models: plain matrices, straightforward recursion.
//!
//! It is slow and shares nothing with the evaluator of `model` but the definition of the language, so that a mistake in
//! one of them shows as a disagreement.
//!
//! # Atomic sections
//! No event comes between those of an atomic section. For a model that is: for each axiom `acyclic r` where r is a union
//! with `co` and `fr` among its members, r is acyclic even if all events of a section are taken for one (pairs within a
//! section are dropped). A model needs such an axiom that is about more than one location, that is, without `po-loc`
//! among the members; otherwise it says nothing about sections.
//!
//! # Accesses to several locations
//! Nobody sees a single-copy atomic access in part. For a model that is: its events are taken for one in the axioms that the
//! model's head names (`@mixed-size`). Elsewhere, and above all where locations are looked at one by one, they are single events.

use crate::matrix::Matrix;
use model::{Base, BaseSet, Model, Node, NodeId, Requirement, Role, Scope, Structure};
use std::collections::{BTreeMap, BTreeSet};

type Set = BTreeSet<usize>;

/// The value of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Set(Set),
    Pairs(Matrix),
}

struct Naive<'a> {
    model: &'a Model,
    structure: &'a Structure,
    memo: BTreeMap<NodeId, Value>,
    /// The current approximations of the members of the recursive groups that are being solved or are solved.
    groups: BTreeMap<u32, Vec<Value>>,
}

/// The name of an axiom that forbids the execution, if one does: the first of them. Where the model asks for linear orders, one that
/// does with the last of them, if one does with each.
pub fn forbidden_by(model: &Model, structure: &Structure) -> Option<String> {
    let orders = (0..).zip(&model.nodes).filter(|(_, node)| matches!(node, Node::Order(..))).map(|(at, _)| NodeId(at));
    with_orders(model, structure, &orders.collect::<Vec<_>>(), &BTreeMap::new())
}

/// The orders that are chosen, as relations.
type Chosen = BTreeMap<NodeId, Value>;

/// Tries all orders of those that are left to choose, given the others. Children come before parents, so nothing that an order has to
/// respect depends on a later one.
fn with_orders(model: &Model, structure: &Structure, left: &[NodeId], chosen: &Chosen) -> Option<String> {
    let Some((&next, others)) = left.split_first() else { return forbidden_with(model, structure, chosen.clone()) };
    let Node::Order(_, set, within) = *model.node(next) else { return None };
    let mut naive = Naive { model, structure, memo: chosen.clone(), groups: BTreeMap::new() };
    let (set, within) = (naive.set(set), naive.pairs(within));
    let mut forbidden = Some("an order exists".to_owned());
    let mut open: Vec<(Vec<usize>, Set)> = vec![(Vec::new(), set)];
    while let Some((begun, rest)) = open.pop() {
        if rest.is_empty() {
            let before = |from: usize, to: usize| {
                let place = |event| begun.iter().position(|&other| other == event);
                place(from).is_some() && place(to).is_some() && place(from) < place(to)
            };
            let pairs = begun.iter().flat_map(|&from| begun.iter().map(move |&to| (from, to)));
            let order = Matrix::new(structure.size, pairs.filter(|&(from, to)| before(from, to)));
            let mut chosen = chosen.clone();
            chosen.insert(next, Value::Pairs(order));
            forbidden = with_orders(model, structure, others, &chosen);
            forbidden.as_ref()?;
        }
        let follows = |event: &usize| within.iter().any(|(from, to)| to == *event && rest.contains(&from));
        for &event in rest.iter().filter(|event| !follows(event)) {
            let (mut begun, mut rest) = (begun.clone(), rest.clone());
            begun.push(event);
            rest.remove(&event);
            open.push((begun, rest));
        }
    }
    forbidden
}

/// The name of the first axiom that forbids the execution with these orders, if one does.
fn forbidden_with(model: &Model, structure: &Structure, chosen: Chosen) -> Option<String> {
    let mut naive = Naive { model, structure, memo: chosen, groups: BTreeMap::new() };
    for axiom in model.axioms.iter().filter(|axiom| axiom.role == Role::Forbids) {
        let value = naive.value(axiom.node);
        let met = match axiom.requirement {
            Requirement::Acyclic => {
                let pairs = naive.pairs(axiom.node);
                let whole = if is_consensus(model, axiom.node) { &structure.sections[..] } else { &[] };
                let grouped = if model.head.mixed_size.contains(&axiom.name) { &structure.groups[..] } else { &[] };
                let pairs = quotient(&quotient(&pairs, whole), grouped);
                pairs.closure().is_irreflexive()
            }
            Requirement::Irreflexive => naive.pairs(axiom.node).is_irreflexive(),
            Requirement::Empty => value.is_empty(),
        };
        if met == axiom.negated {
            return Some(axiom.name.clone());
        }
    }
    None
}

/// The pairs of events by which the model leaves the program undefined.
pub(crate) fn undefining(model: &Model, structure: &Structure) -> Vec<(usize, usize)> {
    let mut naive = Naive { model, structure, memo: BTreeMap::new(), groups: BTreeMap::new() };
    let mut found = Vec::new();
    for axiom in model.axioms.iter().filter(|axiom| axiom.role == Role::Undefines && !axiom.negated) {
        match (axiom.requirement, naive.value(axiom.node)) {
            (Requirement::Empty, Value::Set(set)) => found.extend(set.into_iter().map(|event| (event, event))),
            (Requirement::Empty, Value::Pairs(pairs)) => found.extend(pairs.iter()),
            (Requirement::Irreflexive, Value::Pairs(pairs)) => found.extend(pairs.iter().filter(|(a, b)| a == b)),
            (Requirement::Acyclic, _) | (Requirement::Irreflexive, Value::Set(_)) => {}
        }
    }
    found
}

/// Whether the model says what an atomic section is.
pub(crate) fn knows_sections(model: &Model) -> bool {
    let fits = |axiom: &&model::Axiom| {
        axiom.role == Role::Forbids && axiom.requirement == Requirement::Acyclic && !axiom.negated
    };
    let mut axioms = model.axioms.iter().filter(fits);
    axioms.any(|axiom| is_consensus(model, axiom.node) && !has_member(model, axiom.node, Base::PoLoc))
}

/// Whether the model says what an access to several locations is.
pub(crate) fn knows_mixed_sizes(model: &Model) -> bool {
    !model.head.mixed_size.is_empty()
}

/// Whether the relation is a union with coherence and from-read among its members.
fn is_consensus(model: &Model, node: NodeId) -> bool {
    has_member(model, node, Base::Co(Scope::Any)) && has_member(model, node, Base::Fr(Scope::Any))
}

fn has_member(model: &Model, node: NodeId, base: Base) -> bool {
    match model.node(node) {
        Node::Base(own) => *own == base,
        Node::Union(parts) => parts.iter().any(|&part| has_member(model, part, base)),
        Node::Set(_)
        | Node::EmptyRelation
        | Node::EmptySet
        | Node::Intersection(_)
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

/// The relation with the events of each section taken for one, the first of them.
fn quotient(pairs: &Matrix, sections: &[Option<u32>]) -> Matrix {
    if sections.iter().all(Option::is_none) {
        return pairs.clone();
    }
    let first: Vec<usize> = (0..sections.len())
        .map(|event| match sections[event] {
            Some(section) => sections.iter().position(|other| *other == Some(section)).unwrap_or(event),
            None => event,
        })
        .collect();
    let within = |from: usize, to: usize| sections[from].is_some() && sections[from] == sections[to];
    let between = pairs.iter().filter(|&(from, to)| !within(from, to));
    Matrix::new(sections.len(), between.map(|(from, to)| (first[from], first[to])))
}

impl Value {
    fn is_empty(&self) -> bool {
        match self {
            Value::Set(set) => set.is_empty(),
            Value::Pairs(pairs) => pairs.is_empty(),
        }
    }
}

/// A set operation, on sets or on relations.
fn combine(left: Value, right: Value, op: fn(bool, bool) -> bool) -> Value {
    let both = |left: &Set, right: &Set| -> Set {
        left.union(right).filter(|&item| op(left.contains(item), right.contains(item))).copied().collect()
    };
    match (left, right) {
        (Value::Set(left), Value::Set(right)) => Value::Set(both(&left, &right)),
        (Value::Pairs(left), Value::Pairs(right)) => Value::Pairs(left.combine(&right, op)),
        (Value::Set(_), Value::Pairs(_)) | (Value::Pairs(_), Value::Set(_)) => {
            panic!("a resolved model combines sets with sets and relations with relations")
        }
    }
}

impl Naive<'_> {
    fn events(&self) -> Set {
        (0..self.structure.size).collect()
    }

    fn identity(&self) -> Matrix {
        Matrix::identity(self.structure.size)
    }

    fn all(&self) -> Matrix {
        Matrix::product(self.structure.size, &self.events(), &self.events())
    }

    fn copy(&self, relation: &model::Relation) -> Matrix {
        Matrix::new(self.structure.size, relation.iter())
    }

    fn keep(&self, pairs: &Matrix, keep: impl Fn(usize, usize) -> bool) -> Matrix {
        Matrix::new(self.structure.size, pairs.iter().filter(|&(from, to)| keep(from, to)))
    }

    fn set(&mut self, id: NodeId) -> Set {
        match self.value(id) {
            Value::Set(set) => set,
            Value::Pairs(_) => panic!("a resolved model has a set where one is needed"),
        }
    }

    fn pairs(&mut self, id: NodeId) -> Matrix {
        match self.value(id) {
            Value::Pairs(pairs) => pairs,
            Value::Set(_) => panic!("a resolved model has a relation where one is needed"),
        }
    }

    fn value(&mut self, id: NodeId) -> Value {
        if let Some(known) = self.memo.get(&id) {
            return known.clone();
        }
        let value = self.compute(id);
        self.memo.insert(id, value.clone());
        value
    }

    fn compute(&mut self, id: NodeId) -> Value {
        let model = self.model;
        match model.node(id) {
            Node::Base(base) => Value::Pairs(self.base(*base)),
            Node::Set(set) => Value::Set(self.base_set(set)),
            Node::EmptyRelation => Value::Pairs(Matrix::empty(self.structure.size)),
            Node::EmptySet => Value::Set(Set::new()),
            Node::Union(parts) => self.fold(parts, |a, b| a || b),
            Node::Intersection(parts) => self.fold(parts, |a, b| a && b),
            Node::Difference(left, right) => combine(self.value(*left), self.value(*right), |a, b| a && !b),
            Node::Complement(inner) => {
                let inner = self.value(*inner);
                let all = match &inner {
                    Value::Set(_) => Value::Set(self.events()),
                    Value::Pairs(_) => Value::Pairs(self.all()),
                };
                combine(all, inner, |a, b| a && !b)
            }
            Node::Sequence(parts) => {
                let parts: Vec<Matrix> = parts.iter().map(|&part| self.pairs(part)).collect();
                Value::Pairs(parts.into_iter().fold(self.identity(), |left, right| left.compose(&right)))
            }
            Node::Inverse(inner) => Value::Pairs(self.pairs(*inner).inverse()),
            Node::Plus(inner) => Value::Pairs(self.pairs(*inner).closure()),
            Node::Star(inner) => Value::Pairs(self.pairs(*inner).closure().combine(&self.identity(), |a, b| a || b)),
            Node::Optional(inner) => Value::Pairs(self.pairs(*inner).combine(&self.identity(), |a, b| a || b)),
            Node::Product(from, to) => {
                Value::Pairs(Matrix::product(self.structure.size, &self.set(*from), &self.set(*to)))
            }
            Node::Test(inner) => {
                let set = self.set(*inner);
                Value::Pairs(Matrix::new(self.structure.size, set.into_iter().map(|event| (event, event))))
            }
            Node::Domain(inner) => Value::Set(self.pairs(*inner).iter().map(|(from, _)| from).collect()),
            Node::Range(inner) => Value::Set(self.pairs(*inner).iter().map(|(_, to)| to).collect()),
            Node::Rec(group, member) => {
                self.solve(*group);
                self.groups[group][*member as usize].clone()
            }
            Node::Order(..) => panic!("the orders that a model asks for are chosen before it is evaluated"),
        }
    }

    fn fold(&mut self, parts: &[NodeId], op: fn(bool, bool) -> bool) -> Value {
        let values: Vec<Value> = parts.iter().map(|&part| self.value(part)).collect();
        let folded = values.into_iter().reduce(|left, right| combine(left, right, op));
        folded.expect("unions and intersections have operands")
    }

    /// Solves a group of recursive definitions by iteration from nothing.
    fn solve(&mut self, group: u32) {
        if self.groups.contains_key(&group) {
            return;
        }
        let bodies = &self.model.groups[group as usize].bodies;
        let sort = |body: &NodeId| match self.model.sorts[body.index()] {
            model::Sort::Set => Value::Set(Set::new()),
            model::Sort::Relation => Value::Pairs(Matrix::empty(self.structure.size)),
        };
        let mut current: Vec<Value> = bodies.iter().map(sort).collect();
        // What is remembered while the approximation changes is worth nothing afterwards.
        let memo = self.memo.clone();
        loop {
            let before = current.clone();
            // One after the other: definitions that are not monotone are meant so.
            for (at, &body) in bodies.iter().enumerate() {
                self.groups.insert(group, current.clone());
                current[at] = self.value(body);
                self.memo.clone_from(&memo);
            }
            if before == current {
                return;
            }
        }
    }

    fn base_set(&self, set: &BaseSet) -> Set {
        let s = self.structure;
        match set {
            BaseSet::Universe => self.events(),
            BaseSet::R => s.reads.iter().collect(),
            BaseSet::W => s.writes.iter().collect(),
            BaseSet::F => s.fences.iter().collect(),
            BaseSet::Iw => s.initial.iter().collect(),
            BaseSet::Fw => s.writes.iter().filter(|&write| s.co.iter().all(|(from, _)| from != write)).collect(),
            BaseSet::Tag(name) => s.tags.get(name).map(|set| set.iter().collect()).unwrap_or_default(),
        }
    }

    fn base(&self, base: Base) -> Matrix {
        let s = self.structure;
        let internal = |from: usize, to: usize| s.threads[from].is_some() && s.threads[from] == s.threads[to];
        let scoped = |pairs: &Matrix, scope: Scope| {
            self.keep(pairs, |from, to| match scope {
                Scope::Any => true,
                Scope::Internal => internal(from, to),
                Scope::External => !internal(from, to),
            })
        };
        match base {
            Base::Po => self.copy(&s.po),
            Base::PoLoc => self.keep(&self.copy(&s.po), |from, to| s.loc.contains(from, to)),
            Base::Addr => self.copy(&s.addr),
            Base::Data => self.copy(&s.data),
            Base::Ctrl => self.copy(&s.ctrl),
            Base::Rmw => self.copy(&s.rmw),
            Base::Amo => self.copy(&s.amo),
            Base::Rf(scope) => scoped(&self.copy(&s.rf), scope),
            Base::Co(scope) => scoped(&self.copy(&s.co), scope),
            Base::Fr(scope) => scoped(&self.copy(&s.rf).inverse().compose(&self.copy(&s.co)), scope),
            Base::Loc => self.copy(&s.loc),
            Base::Int => self.keep(&self.all(), internal),
            Base::Ext => {
                let owned = |event: usize| s.threads[event].is_some();
                self.keep(&self.all(), |from, to| !internal(from, to) && (owned(from) || owned(to)))
            }
            Base::Id => self.identity(),
        }
    }
}
