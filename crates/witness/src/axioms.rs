//! A naive evaluator of models: sets of pairs, straightforward recursion.
//!
//! It is slow and shares nothing with the evaluator of `model` but the definition of the language, so that a mistake in
//! one of them shows as a disagreement.

use model::{Base, BaseSet, Model, Node, NodeId, Requirement, Role, Scope, Structure};
use std::collections::{BTreeMap, BTreeSet};

type Set = BTreeSet<usize>;
type Pairs = BTreeSet<(usize, usize)>;

/// The value of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Set(Set),
    Pairs(Pairs),
}

struct Naive<'a> {
    model: &'a Model,
    structure: &'a Structure,
    memo: BTreeMap<NodeId, Value>,
    /// The current approximations of the members of the recursive groups that are being solved or are solved.
    groups: BTreeMap<u32, Vec<Value>>,
}

/// The name of the first axiom that forbids the execution, if one does.
pub(crate) fn forbidden_by(model: &Model, structure: &Structure) -> Option<String> {
    let mut naive = Naive { model, structure, memo: BTreeMap::new(), groups: BTreeMap::new() };
    for axiom in model.axioms.iter().filter(|axiom| axiom.role == Role::Forbids) {
        let value = naive.value(axiom.node);
        let met = match axiom.requirement {
            Requirement::Acyclic => closure(&naive.pairs(axiom.node)).iter().all(|(from, to)| from != to),
            Requirement::Irreflexive => naive.pairs(axiom.node).iter().all(|(from, to)| from != to),
            Requirement::Empty => value.is_empty(),
        };
        if met == axiom.negated {
            return Some(axiom.name.clone());
        }
    }
    None
}

impl Value {
    fn is_empty(&self) -> bool {
        match self {
            Value::Set(set) => set.is_empty(),
            Value::Pairs(pairs) => pairs.is_empty(),
        }
    }
}

fn compose(left: &Pairs, right: &Pairs) -> Pairs {
    let through = |&(from, middle): &(usize, usize)| {
        right.range((middle, 0)..=(middle, usize::MAX)).map(move |&(_, to)| (from, to))
    };
    left.iter().flat_map(through).collect()
}

fn closure(pairs: &Pairs) -> Pairs {
    let mut all = pairs.clone();
    loop {
        let before = all.len();
        all.extend(compose(&all, pairs));
        if all.len() == before {
            return all;
        }
    }
}

/// A set operation, on sets or on relations.
fn combine(left: Value, right: Value, op: fn(bool, bool) -> bool) -> Value {
    fn both<T: Ord + Clone>(left: &BTreeSet<T>, right: &BTreeSet<T>, op: fn(bool, bool) -> bool) -> BTreeSet<T> {
        left.union(right).filter(|&item| op(left.contains(item), right.contains(item))).cloned().collect()
    }
    match (left, right) {
        (Value::Set(left), Value::Set(right)) => Value::Set(both(&left, &right, op)),
        (Value::Pairs(left), Value::Pairs(right)) => Value::Pairs(both(&left, &right, op)),
        (Value::Set(_), Value::Pairs(_)) | (Value::Pairs(_), Value::Set(_)) => {
            panic!("a resolved model combines sets with sets and relations with relations")
        }
    }
}

impl Naive<'_> {
    fn events(&self) -> Set {
        (0..self.structure.size).collect()
    }

    fn identity(&self) -> Pairs {
        self.events().into_iter().map(|event| (event, event)).collect()
    }

    fn set(&mut self, id: NodeId) -> Set {
        match self.value(id) {
            Value::Set(set) => set,
            Value::Pairs(_) => panic!("a resolved model has a set where one is needed"),
        }
    }

    fn pairs(&mut self, id: NodeId) -> Pairs {
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
            Node::EmptyRelation => Value::Pairs(Pairs::new()),
            Node::EmptySet => Value::Set(Set::new()),
            Node::Union(parts) => self.fold(parts, |a, b| a || b),
            Node::Intersection(parts) => self.fold(parts, |a, b| a && b),
            Node::Difference(left, right) => combine(self.value(*left), self.value(*right), |a, b| a && !b),
            Node::Complement(inner) => {
                let inner = self.value(*inner);
                let all = match &inner {
                    Value::Set(_) => Value::Set(self.events()),
                    Value::Pairs(_) => Value::Pairs(product(&self.events(), &self.events())),
                };
                combine(all, inner, |a, b| a && !b)
            }
            Node::Sequence(parts) => {
                let parts: Vec<Pairs> = parts.iter().map(|&part| self.pairs(part)).collect();
                Value::Pairs(parts.into_iter().fold(self.identity(), |left, right| compose(&left, &right)))
            }
            Node::Inverse(inner) => Value::Pairs(self.pairs(*inner).into_iter().map(|(from, to)| (to, from)).collect()),
            Node::Plus(inner) => Value::Pairs(closure(&self.pairs(*inner))),
            Node::Star(inner) => Value::Pairs(&closure(&self.pairs(*inner)) | &self.identity()),
            Node::Optional(inner) => Value::Pairs(&self.pairs(*inner) | &self.identity()),
            Node::Product(from, to) => Value::Pairs(product(&self.set(*from), &self.set(*to))),
            Node::Test(inner) => Value::Pairs(self.set(*inner).into_iter().map(|event| (event, event)).collect()),
            Node::Domain(inner) => Value::Set(self.pairs(*inner).into_iter().map(|(from, _)| from).collect()),
            Node::Range(inner) => Value::Set(self.pairs(*inner).into_iter().map(|(_, to)| to).collect()),
            Node::Rec(group, member) => {
                self.solve(*group);
                self.groups[group][*member as usize].clone()
            }
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
            model::Sort::Relation => Value::Pairs(Pairs::new()),
        };
        let mut current: Vec<Value> = bodies.iter().map(sort).collect();
        // What is remembered while the approximation changes is worth nothing afterwards.
        let memo = self.memo.clone();
        loop {
            self.groups.insert(group, current.clone());
            let next: Vec<Value> = bodies.iter().map(|&body| self.value(body)).collect();
            self.memo.clone_from(&memo);
            if next == current {
                return;
            }
            current = next;
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

    fn base(&self, base: Base) -> Pairs {
        let s = self.structure;
        let internal = |from: usize, to: usize| s.threads[from].is_some() && s.threads[from] == s.threads[to];
        let scoped = |pairs: Pairs, scope: Scope| -> Pairs {
            let keep = |&(from, to): &(usize, usize)| match scope {
                Scope::Any => true,
                Scope::Internal => internal(from, to),
                Scope::External => !internal(from, to),
            };
            pairs.into_iter().filter(keep).collect()
        };
        match base {
            Base::Po => s.po.iter().collect(),
            Base::PoLoc => s.po.iter().filter(|&(from, to)| s.loc.contains(from, to)).collect(),
            Base::Addr => s.addr.iter().collect(),
            Base::Data => s.data.iter().collect(),
            Base::Ctrl => s.ctrl.iter().collect(),
            Base::Rmw => s.rmw.iter().collect(),
            Base::Amo => s.amo.iter().collect(),
            Base::Rf(scope) => scoped(s.rf.iter().collect(), scope),
            Base::Co(scope) => scoped(s.co.iter().collect(), scope),
            Base::Fr(scope) => {
                let reads: Pairs = s.rf.iter().map(|(write, read)| (read, write)).collect();
                scoped(compose(&reads, &s.co.iter().collect()), scope)
            }
            Base::Loc => s.loc.iter().collect(),
            Base::Int => {
                let all = product(&self.events(), &self.events());
                all.into_iter().filter(|&(from, to)| internal(from, to)).collect()
            }
            Base::Ext => {
                let all = product(&self.events(), &self.events());
                let owned = |event: usize| s.threads[event].is_some();
                let apart = |&(from, to): &(usize, usize)| !internal(from, to) && (owned(from) || owned(to));
                all.into_iter().filter(apart).collect()
            }
            Base::Id => self.identity(),
        }
    }
}

fn product(from: &Set, to: &Set) -> Pairs {
    from.iter().flat_map(|&from| to.iter().map(move |&to| (from, to))).collect()
}
