//! Relations and sets of a model as conditions on pairs and events.
//!
//! Used where an expression is not regular: the conditions are exact, so differences and complements are fine.
//! Transitive closures are Warshall's algorithm on conditions; recursive definitions are iterated until the conditions
//! no longer change.

use crate::events::Events;
use engine::NoAnswer;
use logic::Bool;
use model::{Base, BaseSet, Model, Node, NodeId, Scope};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use symbolic::{Dependency, Kind};

/// A relation: the pairs it can have and when, relative to both events being executed.
pub type Pairs = Rc<BTreeMap<(usize, usize), Bool>>;

/// A set: when each event is in it, relative to it being executed.
pub type Members = Rc<Vec<Bool>>;

/// The value of an expression.
#[derive(Clone)]
enum Value {
    Relation(Pairs),
    Set(Members),
}

impl Value {
    /// How many pairs or members were looked at to make it, at least.
    fn size(&self) -> usize {
        match self {
            Value::Relation(pairs) => pairs.len(),
            Value::Set(members) => members.len(),
        }
    }
}

/// Computes and remembers relations and sets.
pub struct Relations<'m> {
    pub model: &'m Model,
    memo: FxHashMap<NodeId, Value>,
    groups: FxHashMap<u32, Vec<Pairs>>,
    /// The groups being solved, with the current approximation of their members.
    open: FxHashMap<u32, Vec<Pairs>>,
}

impl<'m> Relations<'m> {
    pub fn new(model: &'m Model) -> Self {
        Relations { model, memo: FxHashMap::default(), groups: FxHashMap::default(), open: FxHashMap::default() }
    }

    /// The pairs of a relation.
    pub fn pairs(&mut self, events: &mut Events<'_>, node: NodeId) -> Result<Pairs, NoAnswer> {
        match self.value(events, node)? {
            Value::Relation(pairs) => Ok(pairs),
            Value::Set(_) => panic!("a set where a relation was resolved"),
        }
    }

    /// The members of a set.
    pub fn members(&mut self, events: &mut Events<'_>, node: NodeId) -> Result<Members, NoAnswer> {
        match self.value(events, node)? {
            Value::Set(members) => Ok(members),
            Value::Relation(_) => panic!("a relation where a set was resolved"),
        }
    }

    fn value(&mut self, events: &mut Events<'_>, node: NodeId) -> Result<Value, NoAnswer> {
        if let Some(known) = self.memo.get(&node) {
            return Ok(known.clone());
        }
        let value = self.compute(events, node)?;
        events.count(value.size())?;
        // While a recursive group is being solved its approximations must not be remembered.
        if self.open.is_empty() {
            self.memo.insert(node, value.clone());
        }
        Ok(value)
    }

    fn compute(&mut self, events: &mut Events<'_>, node: NodeId) -> Result<Value, NoAnswer> {
        let relation = |pairs: BTreeMap<(usize, usize), Bool>| Ok(Value::Relation(Rc::new(pairs)));
        let set = |members: Vec<Bool>| Ok(Value::Set(Rc::new(members)));
        match self.model.node(node).clone() {
            Node::Base(base) => relation(base_pairs(events, base)?),
            Node::Set(base) => set(base_members(events, &base)),
            Node::EmptyRelation => relation(BTreeMap::new()),
            Node::EmptySet => set(vec![Bool::FALSE; events.len()]),
            Node::Union(members) => self.fold(events, &members, false),
            Node::Intersection(members) => self.fold(events, &members, true),
            Node::Difference(left, right) => match (self.value(events, left)?, self.value(events, right)?) {
                (Value::Relation(left), Value::Relation(right)) => {
                    let mut result = BTreeMap::new();
                    for (&pair, &when) in left.iter() {
                        let not = right.get(&pair).copied().unwrap_or(Bool::FALSE);
                        insert(events, &mut result, pair, when, !not);
                    }
                    relation(result)
                }
                (Value::Set(left), Value::Set(right)) => {
                    set(left.iter().zip(right.iter()).map(|(&l, &r)| events.terms().and(l, !r)).collect())
                }
                _ => panic!("operands of different sorts were resolved"),
            },
            Node::Complement(operand) => match self.value(events, operand)? {
                Value::Relation(pairs) => {
                    let all = (0..events.len()).flat_map(|a| (0..events.len()).map(move |b| (a, b)));
                    let not = |pair| !pairs.get(&pair).copied().unwrap_or(Bool::FALSE);
                    relation(all.map(|pair| (pair, not(pair))).filter(|&(_, when)| when != Bool::FALSE).collect())
                }
                Value::Set(members) => set(members.iter().map(|&m| !m).collect()),
            },
            Node::Sequence(members) => {
                let mut members = members.into_iter();
                let first = members.next().expect("a sequence has members");
                let mut result = self.pairs(events, first)?;
                for next in members {
                    let next = self.pairs(events, next)?;
                    result = Rc::new(compose(events, &result, &next)?);
                }
                Ok(Value::Relation(result))
            }
            Node::Inverse(operand) => {
                let pairs = self.pairs(events, operand)?;
                relation(pairs.iter().map(|(&(a, b), &when)| ((b, a), when)).collect())
            }
            Node::Plus(operand) => {
                let pairs = self.pairs(events, operand)?;
                relation(closure(events, &pairs)?)
            }
            Node::Star(operand) => {
                let pairs = self.pairs(events, operand)?;
                let mut result = closure(events, &pairs)?;
                result.extend((0..events.len()).map(|e| ((e, e), Bool::TRUE)));
                relation(result)
            }
            Node::Optional(operand) => {
                let mut result = (*self.pairs(events, operand)?).clone();
                result.extend((0..events.len()).map(|e| ((e, e), Bool::TRUE)));
                relation(result)
            }
            Node::Product(left, right) => {
                let (left, right) = (self.members(events, left)?, self.members(events, right)?);
                let mut result = BTreeMap::new();
                for (a, &from) in left.iter().enumerate().filter(|&(_, &from)| from != Bool::FALSE) {
                    for (b, &to) in right.iter().enumerate() {
                        insert(events, &mut result, (a, b), from, to);
                    }
                }
                relation(result)
            }
            Node::Test(operand) => {
                let members = self.members(events, operand)?;
                let pairs = members.iter().enumerate().filter(|&(_, &when)| when != Bool::FALSE);
                relation(pairs.map(|(e, &when)| ((e, e), when)).collect())
            }
            Node::Domain(operand) => self.projection(events, operand, |(a, b)| (a, b)),
            Node::Range(operand) => self.projection(events, operand, |(a, b)| (b, a)),
            Node::Rec(group, member) => {
                let solved = self.group(events, group)?;
                Ok(Value::Relation(Rc::clone(&solved[member as usize])))
            }
        }
    }

    fn fold(&mut self, events: &mut Events<'_>, operands: &[NodeId], all: bool) -> Result<Value, NoAnswer> {
        let mut operands = operands.iter();
        let mut result = self.value(events, *operands.next().expect("an operator has operands"))?;
        for &operand in operands {
            result = match (result, self.value(events, operand)?) {
                (Value::Relation(left), Value::Relation(right)) if all => {
                    let mut both = BTreeMap::new();
                    for (pair, &when) in left.iter() {
                        if let Some(&also) = right.get(pair) {
                            insert(events, &mut both, *pair, when, also);
                        }
                    }
                    Value::Relation(Rc::new(both))
                }
                (Value::Relation(left), Value::Relation(right)) => {
                    let mut either = (*left).clone();
                    for (&pair, &when) in right.iter() {
                        add(events, &mut either, pair, when);
                    }
                    Value::Relation(Rc::new(either))
                }
                (Value::Set(left), Value::Set(right)) => {
                    let terms = events.terms();
                    let members = left.iter().zip(right.iter());
                    let combine = |(&l, &r)| if all { terms.and(l, r) } else { terms.or(l, r) };
                    Value::Set(Rc::new(members.map(combine).collect()))
                }
                _ => panic!("operands of different sorts were resolved"),
            };
        }
        Ok(result)
    }

    fn projection(
        &mut self,
        events: &mut Events<'_>,
        operand: NodeId,
        keep: impl Fn((usize, usize)) -> (usize, usize),
    ) -> Result<Value, NoAnswer> {
        let pairs = self.pairs(events, operand)?;
        let mut members = vec![Bool::FALSE; events.len()];
        for (&pair, &when) in pairs.iter() {
            let (kept, other) = keep(pair);
            let guard = events.guard(other);
            let terms = events.terms();
            let present = terms.and(when, guard);
            members[kept] = terms.or(members[kept], present);
        }
        Ok(Value::Set(Rc::new(members)))
    }

    /// Solves a group of recursive definitions by iteration from the empty relations.
    fn group(&mut self, events: &mut Events<'_>, group: u32) -> Result<Vec<Pairs>, NoAnswer> {
        if let Some(solved) = self.groups.get(&group) {
            return Ok(solved.clone());
        }
        if let Some(current) = self.open.get(&group) {
            return Ok(current.clone());
        }
        let definition = &self.model.groups[group as usize];
        let mut current: Vec<Pairs> = vec![Pairs::default(); definition.bodies.len()];
        // A definition that only goes forward in program order is stable after as many rounds as a thread has events.
        for _ in 0..=2 * events.len() + 2 {
            self.open.insert(group, current.clone());
            let mut next = Vec::with_capacity(current.len());
            for &body in &definition.bodies {
                next.push(self.pairs(events, body)?);
            }
            if next == current {
                self.open.remove(&group);
                self.groups.insert(group, current.clone());
                return Ok(current);
            }
            current = next;
        }
        let names = definition.names.join(", ");
        Err(NoAnswer::GaveUp(format!("the recursive definition of {names} does not settle; use `--engine enumerate`")))
    }
}

/// Adds a pair under two conditions, unless they exclude each other.
fn insert(events: &mut Events<'_>, into: &mut BTreeMap<(usize, usize), Bool>, pair: (usize, usize), a: Bool, b: Bool) {
    let when = events.terms().and(a, b);
    add(events, into, pair, when);
}

fn add(events: &mut Events<'_>, into: &mut BTreeMap<(usize, usize), Bool>, pair: (usize, usize), when: Bool) {
    if when != Bool::FALSE {
        let already = into.get(&pair).copied().unwrap_or(Bool::FALSE);
        into.insert(pair, events.terms().or(already, when));
    }
}

fn compose(
    events: &mut Events<'_>,
    left: &BTreeMap<(usize, usize), Bool>,
    right: &BTreeMap<(usize, usize), Bool>,
) -> Result<BTreeMap<(usize, usize), Bool>, NoAnswer> {
    let mut result = BTreeMap::new();
    for (&(a, middle), &first) in left {
        let guard = events.guard(middle);
        let first = events.terms().and(first, guard);
        let mut pairs = 0;
        for (&(_, b), &second) in right.range((middle, 0)..(middle + 1, 0)) {
            insert(events, &mut result, (a, b), first, second);
            pairs += 1;
        }
        events.count(pairs)?;
    }
    Ok(result)
}

/// Warshall's algorithm.
fn closure(
    events: &mut Events<'_>,
    pairs: &BTreeMap<(usize, usize), Bool>,
) -> Result<BTreeMap<(usize, usize), Bool>, NoAnswer> {
    let mut result = pairs.clone();
    for middle in 0..events.len() {
        let guard = events.guard(middle);
        let into: Vec<(usize, Bool)> =
            result.iter().filter(|((_, b), _)| *b == middle).map(|(&(a, _), &when)| (a, when)).collect();
        let out: Vec<(usize, Bool)> =
            result.range((middle, 0)..(middle + 1, 0)).map(|(&(_, b), &when)| (b, when)).collect();
        events.count(into.len() * out.len())?;
        for &(a, first) in &into {
            let first = events.terms().and(first, guard);
            for &(b, second) in &out {
                insert(events, &mut result, (a, b), first, second);
            }
        }
    }
    Ok(result)
}

fn dependencies(list: &[Dependency]) -> BTreeMap<(usize, usize), Bool> {
    let pairs = list.iter().filter(|d| d.when != Bool::FALSE);
    pairs.map(|d| ((d.from as usize, d.to as usize), d.when)).collect()
}

fn base_pairs(events: &mut Events<'_>, base: Base) -> Result<BTreeMap<(usize, usize), Bool>, NoAnswer> {
    let all = || (0..events.len()).flat_map(|a| (0..events.len()).map(move |b| (a, b)));
    let fixed = |keep: &dyn Fn(usize, usize) -> bool| {
        all().filter(|&(a, b)| keep(a, b)).map(|pair| (pair, Bool::TRUE)).collect::<BTreeMap<_, _>>()
    };
    Ok(match base {
        Base::Po => {
            let pairs: Vec<(usize, usize)> = all().collect();
            ordered(events, pairs)
        }
        Base::Int => fixed(&|a, b| events.same_thread(a, b)),
        Base::Ext => fixed(&|a, b| !events.same_thread(a, b) && (!events.is_initial(a) || !events.is_initial(b))),
        Base::Id => fixed(&|a, b| a == b),
        Base::PoLoc => {
            let mut result = BTreeMap::new();
            for ((a, b), same) in located(events) {
                let po = events.po(a, b);
                insert(events, &mut result, (a, b), same, po);
            }
            result
        }
        Base::Loc => located(events),
        Base::Addr => dependencies(&events.structure.addr),
        Base::Data => dependencies(&events.structure.data),
        Base::Ctrl => dependencies(&events.structure.ctrl),
        Base::Rmw => dependencies(&events.structure.rmw),
        Base::Amo => dependencies(&events.structure.amo),
        Base::Rf(scope) => {
            let reads = events.rf.iter().enumerate();
            let pairs = reads.flat_map(|(read, sources)| sources.iter().map(move |&(w, when)| ((w, read), when)));
            pairs.filter(|&((w, r), _)| events.in_scope(scope, w, r)).collect()
        }
        Base::Co(scope) => {
            let pairs = events.co.iter().map(|pair| ((pair.first, pair.second), pair.when));
            pairs.filter(|&((a, b), _)| events.in_scope(scope, a, b)).collect()
        }
        Base::Fr(scope) => {
            let rf = base_pairs(events, Base::Rf(Scope::Any))?;
            let inverse = rf.into_iter().map(|((w, r), when)| ((r, w), when)).collect();
            let co = base_pairs(events, Base::Co(Scope::Any))?;
            let mut fr = compose(events, &inverse, &co)?;
            fr.retain(|&(r, w), _| events.in_scope(scope, r, w));
            fr
        }
    })
}

/// The pairs that are in program order, and when.
fn ordered(events: &mut Events<'_>, pairs: Vec<(usize, usize)>) -> BTreeMap<(usize, usize), Bool> {
    let mut result = BTreeMap::new();
    for (a, b) in pairs {
        let when = events.po(a, b);
        add(events, &mut result, (a, b), when);
    }
    result
}

/// The pairs that are of the same location, and when.
fn located(events: &mut Events<'_>) -> BTreeMap<(usize, usize), Bool> {
    let mut result = BTreeMap::new();
    for location in 0..events.accesses.len() {
        let here = events.accesses[location].clone();
        for &(a, one) in &here {
            for &(b, other) in &here {
                insert(events, &mut result, (a, b), one, other);
            }
        }
    }
    result
}

fn base_members(events: &mut Events<'_>, set: &BaseSet) -> Vec<Bool> {
    let fixed = |keep: &dyn Fn(usize) -> bool| (0..events.len()).map(|e| Bool::constant(keep(e))).collect::<Vec<_>>();
    match set {
        BaseSet::Universe => fixed(&|_| true),
        BaseSet::R => fixed(&|e| events.kind(e) == Kind::Read),
        BaseSet::W => fixed(&|e| events.kind(e) == Kind::Write),
        BaseSet::F => fixed(&|e| events.kind(e) == Kind::Fence),
        BaseSet::Iw => fixed(&|e| events.is_initial(e)),
        BaseSet::Tag(name) => {
            let tag = events.program.tags.iter().position(|t| t == name).map(|at| ir::TagId(at as u32));
            fixed(&|e| tag.is_some_and(|tag| events.structure.events[e].tags.contains(tag)))
        }
        BaseSet::Fw => {
            let mut members = vec![Bool::FALSE; events.len()];
            for location in 0..events.accesses.len() {
                for (write, last) in events.last_writes(location) {
                    members[write] = events.terms().or(members[write], last);
                }
            }
            members
        }
    }
}
