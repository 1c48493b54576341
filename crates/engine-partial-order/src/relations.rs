//! Relations and sets of a model as conditions on pairs and events.
//!
//! Used where an expression is not regular. What does not depend on reads-from and coherence is exact. The rest need not be: an
//! axiom that forbids pairs holds of a relation as soon as it holds of a larger one. So each expression has two values, an
//! *upper* one that contains it and a *lower* one that it contains, and negation exchanges the two. In an upper value the
//! closures and recursive definitions are fresh truth values that must hold where the definition says so, and may hold
//! elsewhere: the solver is free to choose the least ones, so no execution is lost, and any choice contains the least, so none is
//! gained. In a lower value closures are Warshall's algorithm on conditions, and recursive definitions are iterated until the
//! conditions no longer change.

use crate::bases::{base_members, base_pairs, po_loc_between};
use crate::events::Events;
use crate::pairs::{self, Conditions};
use crate::recursion::Automaton;
use engine::NoAnswer;
use logic::Bool;
use model::{Base, BaseSet, Model, Node, NodeId, Sort};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A relation: the pairs it can have and when, relative to both events being executed.
pub type Pairs = Rc<Conditions>;

/// A set: when each event is in it, relative to it being executed.
pub type Members = Rc<Vec<Bool>>;

/// On which side of the exact value a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// It contains the exact value: for what must not be.
    Upper,
    /// The exact value contains it: for what must be.
    Lower,
}

impl Bound {
    fn opposite(self) -> Self {
        match self {
            Bound::Upper => Bound::Lower,
            Bound::Lower => Bound::Upper,
        }
    }
}

/// The value of an expression.
#[derive(Clone, PartialEq)]
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
    memo: FxHashMap<(NodeId, Bound), Value>,
    groups: FxHashMap<(u32, Bound), Vec<Value>>,
    /// The groups being solved, with the current approximation of their members.
    open: FxHashMap<(u32, Bound), Vec<Value>>,
    /// For each node, whether it depends on reads-from or coherence.
    varies: Vec<bool>,
    /// For each node, the recursive groups that it mentions.
    mentions: Vec<Vec<u32>>,
    /// The automata of groups, where there are any and somebody has asked.
    automata: FxHashMap<u32, Option<Rc<Automaton>>>,
}

impl<'m> Relations<'m> {
    pub fn new(model: &'m Model) -> Self {
        Relations {
            model,
            memo: FxHashMap::default(),
            groups: FxHashMap::default(),
            open: FxHashMap::default(),
            varies: varying(model),
            mentions: mentions(model),
            automata: FxHashMap::default(),
        }
    }

    /// The automaton of a recursive group, if it is regular.
    pub fn automaton(&mut self, group: u32) -> Option<Rc<Automaton>> {
        let model = self.model;
        self.automata.entry(group).or_insert_with(|| Automaton::new(model, group).map(Rc::new)).clone()
    }

    /// The pairs of a relation.
    pub fn pairs(&mut self, events: &mut Events<'_>, node: NodeId, bound: Bound) -> Result<Pairs, NoAnswer> {
        match self.value(events, node, bound)? {
            Value::Relation(pairs) => Ok(pairs),
            Value::Set(_) => panic!("a set where a relation was resolved"),
        }
    }

    /// The members of a set.
    pub fn members(&mut self, events: &mut Events<'_>, node: NodeId, bound: Bound) -> Result<Members, NoAnswer> {
        match self.value(events, node, bound)? {
            Value::Set(members) => Ok(members),
            Value::Relation(_) => panic!("a relation where a set was resolved"),
        }
    }

    /// Whether a node is the same in all executions of the same events.
    pub fn is_fixed(&self, node: NodeId) -> bool {
        !self.varies[node.index()]
    }

    fn value(&mut self, events: &mut Events<'_>, node: NodeId, bound: Bound) -> Result<Value, NoAnswer> {
        // What is fixed is exact: the two values are one. So is an order that is chosen.
        let chosen = matches!(self.model.node(node), Node::Order(..));
        let bound = if self.varies[node.index()] && !chosen { bound } else { Bound::Lower };
        if let Some(known) = self.memo.get(&(node, bound)) {
            return Ok(known.clone());
        }
        let value = self.compute(events, node, bound)?;
        events.count(value.size())?;
        // What mentions a recursive group that is being solved is an approximation, not to be remembered.
        let group_is_open = |group: &u32| self.open.keys().any(|(open, _)| open == group);
        if !self.mentions[node.index()].iter().any(group_is_open) {
            self.memo.insert((node, bound), value.clone());
        }
        Ok(value)
    }

    fn compute(&mut self, events: &mut Events<'_>, node: NodeId, bound: Bound) -> Result<Value, NoAnswer> {
        let relation = |pairs: Conditions| Ok(Value::Relation(Rc::new(pairs)));
        let set = |members: Vec<Bool>| Ok(Value::Set(Rc::new(members)));
        match self.model.node(node).clone() {
            Node::Base(base) => relation(base_pairs(events, base)?),
            Node::Set(base) => set(base_members(events, &base)),
            Node::EmptyRelation => relation(Conditions::new()),
            Node::EmptySet => set(vec![Bool::FALSE; events.len()]),
            Node::Union(operands) => self.union(events, &operands, bound),
            Node::Intersection(operands) => self.intersection(events, &operands, bound),
            Node::Difference(left, right) => {
                let left = self.value(events, left, bound)?;
                match (left, self.value(events, right, bound.opposite())?) {
                    (Value::Relation(left), Value::Relation(right)) => {
                        relation(pairs::difference(events, &left, &right))
                    }
                    (Value::Set(left), Value::Set(right)) => {
                        set(left.iter().zip(right.iter()).map(|(&l, &r)| events.terms().and(l, !r)).collect())
                    }
                    _ => panic!("operands of different sorts were resolved"),
                }
            }
            Node::Complement(operand) => match self.value(events, operand, bound.opposite())? {
                Value::Relation(pairs) => {
                    let all = (0..events.len()).flat_map(|a| (0..events.len()).map(move |b| (a, b)));
                    let not = |pair| !pairs.get(&pair).copied().unwrap_or(Bool::FALSE);
                    relation(all.map(|pair| (pair, not(pair))).filter(|&(_, when)| when != Bool::FALSE).collect())
                }
                Value::Set(members) => set(members.iter().map(|&m| !m).collect()),
            },
            Node::Sequence(operands) => self.sequence(events, &operands, bound),
            Node::Inverse(operand) => {
                let pairs = self.pairs(events, operand, bound)?;
                relation(pairs.iter().map(|(&(a, b), &when)| ((b, a), when)).collect())
            }
            Node::Plus(operand) if self.is_free(node, bound) => {
                let step = self.pairs(events, operand, bound)?;
                relation(pairs::reach(events, &step, &step)?)
            }
            Node::Star(operand) if self.is_free(node, bound) => {
                let step = self.pairs(events, operand, bound)?;
                let identity = pairs::identity(events);
                relation(pairs::reach(events, &identity, &step)?)
            }
            Node::Plus(operand) => {
                let step = self.pairs(events, operand, bound)?;
                relation(pairs::closure(events, &step)?)
            }
            Node::Star(operand) => {
                let step = self.pairs(events, operand, bound)?;
                let mut result = pairs::closure(events, &step)?;
                result.extend(pairs::identity(events));
                relation(result)
            }
            Node::Optional(operand) => {
                let mut result = (*self.pairs(events, operand, bound)?).clone();
                result.extend(pairs::identity(events));
                relation(result)
            }
            Node::Product(left, right) => {
                let left = self.members(events, left, bound)?;
                let right = self.members(events, right, bound)?;
                let mut result = Conditions::new();
                for (a, &from) in left.iter().enumerate().filter(|&(_, &from)| from != Bool::FALSE) {
                    for (b, &to) in right.iter().enumerate() {
                        pairs::insert(events, &mut result, (a, b), from, to);
                    }
                }
                relation(result)
            }
            Node::Test(operand) => {
                let members = self.members(events, operand, bound)?;
                let pairs = members.iter().enumerate().filter(|&(_, &when)| when != Bool::FALSE);
                relation(pairs.map(|(e, &when)| ((e, e), when)).collect())
            }
            Node::Domain(operand) => self.projection(events, operand, bound, |(a, b)| (a, b)),
            Node::Range(operand) => self.projection(events, operand, bound, |(a, b)| (b, a)),
            Node::Rec(group, member) => Ok(self.group(events, group, bound)?[member as usize].clone()),
            Node::Order(_, of, within) => {
                if !self.is_fixed(of) {
                    let why = "a linear order of a set that depends on communication; use `--engine enumerate`";
                    return Err(NoAnswer::GaveUp(why.to_owned()));
                }
                let of = self.members(events, of, Bound::Lower)?;
                let within = self.pairs(events, within, Bound::Upper)?;
                relation(pairs::linear(events, &of, &within)?)
            }
        }
    }

    /// Whether the closure or recursive definition may be larger than it is.
    fn is_free(&self, node: NodeId, bound: Bound) -> bool {
        bound == Bound::Upper && self.varies[node.index()]
    }

    fn union(&mut self, events: &mut Events<'_>, operands: &[NodeId], bound: Bound) -> Result<Value, NoAnswer> {
        let mut result = self.value(events, operands[0], bound)?;
        for &operand in &operands[1..] {
            result = match (result, self.value(events, operand, bound)?) {
                (Value::Relation(left), Value::Relation(right)) => {
                    Value::Relation(Rc::new(pairs::union(events, &left, &right)))
                }
                (Value::Set(left), Value::Set(right)) => {
                    let members = left.iter().zip(right.iter());
                    Value::Set(Rc::new(members.map(|(&l, &r)| events.terms().or(l, r)).collect()))
                }
                _ => panic!("operands of different sorts were resolved"),
            };
        }
        Ok(result)
    }

    fn intersection(&mut self, events: &mut Events<'_>, operands: &[NodeId], bound: Bound) -> Result<Value, NoAnswer> {
        let mut operands = self.cheapest_first(operands);
        let mut result = match self.po_loc_and_composition(&operands, bound) {
            Some((po_loc, first, last)) => {
                operands.retain(|&operand| operand != po_loc);
                let (first, last) = (self.pairs(events, first, bound)?, self.pairs(events, last, bound)?);
                let starts: FxHashSet<usize> = first.keys().map(|&(a, _)| a).collect();
                let ends: FxHashSet<usize> = last.keys().map(|&(_, b)| b).collect();
                let within = po_loc_between(events, &|a| starts.contains(&a), &|b| ends.contains(&b));
                Value::Relation(Rc::new(within))
            }
            None => self.value(events, operands.remove(0), bound)?,
        };
        for &operand in &operands {
            if is_empty(&result) {
                return Ok(result);
            }
            if let (Value::Relation(within), Some((first, last))) = (&result, self.composition(operand, bound)) {
                let first = self.sequence(events, &first, bound)?;
                let last = self.pairs(events, last, bound)?;
                let Value::Relation(first) = first else { panic!("a set where a relation was resolved") };
                result = Value::Relation(Rc::new(pairs::compose_within(events, within, &first, &last)?));
                continue;
            }
            result = match (result, self.value(events, operand, bound)?) {
                (Value::Relation(left), Value::Relation(right)) => {
                    Value::Relation(Rc::new(pairs::intersection(events, &left, &right)))
                }
                (Value::Set(left), Value::Set(right)) => {
                    let members = left.iter().zip(right.iter());
                    Value::Set(Rc::new(members.map(|(&l, &r)| events.terms().and(l, r)).collect()))
                }
                _ => panic!("operands of different sorts were resolved"),
            };
        }
        Ok(result)
    }

    /// Program order of one location and the parts of a composition that it is intersected with: only what the composition can have
    /// is made of program order then.
    fn po_loc_and_composition(&self, operands: &[NodeId], bound: Bound) -> Option<(NodeId, NodeId, NodeId)> {
        let po_loc = |&&node: &&NodeId| *self.model.node(node) == Node::Base(Base::PoLoc);
        let po_loc = *operands.iter().find(po_loc)?;
        let (first, last) = operands.iter().find_map(|&operand| self.composition(operand, bound))?;
        Some((po_loc, *first.first()?, last))
    }

    /// What a composition consists of, all but the last part and the last, if it may be larger than it is. Then only the pairs are made that
    /// the other operands of an intersection have: of the reads of one thread at one location, say, those that follow each other.
    fn composition(&self, node: NodeId, bound: Bound) -> Option<(Vec<NodeId>, NodeId)> {
        let Node::Sequence(parts) = self.model.node(node) else { return None };
        let (&last, first) = parts.split_last()?;
        let known = self.memo.contains_key(&(node, bound));
        (self.is_free(node, bound) && !known && first.len() == 1).then(|| (first.to_vec(), last))
    }

    /// Operands that cost little come first: if one of them is empty the others need not be looked at.
    fn cheapest_first(&self, operands: &[NodeId]) -> Vec<NodeId> {
        let cost = |node: &NodeId| {
            if !self.varies[node.index()] {
                0
            } else if matches!(self.model.node(*node), Node::Base(_)) {
                1
            } else if !self.mentions[node.index()].is_empty() {
                2
            } else {
                3
            }
        };
        let mut operands = operands.to_vec();
        operands.sort_by_key(cost);
        operands
    }

    /// Parts one after the other, from the left: closures then begin only where something leads to.
    fn sequence(&mut self, events: &mut Events<'_>, parts: &[NodeId], bound: Bound) -> Result<Value, NoAnswer> {
        let nothing = Value::Relation(Pairs::default());
        for part in self.cheapest_first(parts) {
            let closure = matches!(self.model.node(part), Node::Star(_) | Node::Optional(_));
            if (self.is_fixed(part) || !self.mentions[part.index()].is_empty())
                && !closure
                && self.pairs(events, part, bound)?.is_empty()
            {
                return Ok(nothing);
            }
        }
        let mut result = self.pairs(events, parts[0], bound)?;
        for &part in &parts[1..] {
            result = self.then(events, &result, part, bound)?;
            if result.is_empty() {
                return Ok(nothing);
            }
        }
        Ok(Value::Relation(result))
    }

    /// `left ; part`.
    fn then(&mut self, events: &mut Events<'_>, left: &Pairs, part: NodeId, bound: Bound) -> Result<Pairs, NoAnswer> {
        let node = self.model.node(part).clone();
        if let Node::Star(operand) = node
            && self.is_free(part, bound)
        {
            let step = self.pairs(events, operand, bound)?;
            Ok(Rc::new(pairs::reach(events, left, &step)?))
        } else if let Node::Optional(operand) = node {
            let more = self.then(events, left, operand, bound)?;
            Ok(Rc::new(pairs::union(events, left, &more)))
        } else {
            let right = self.pairs(events, part, bound)?;
            Ok(Rc::new(pairs::compose(events, left, &right)?))
        }
    }

    fn projection(
        &mut self,
        events: &mut Events<'_>,
        operand: NodeId,
        bound: Bound,
        keep: impl Fn((usize, usize)) -> (usize, usize),
    ) -> Result<Value, NoAnswer> {
        let pairs = self.pairs(events, operand, bound)?;
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

    /// The members of a group of recursive definitions.
    fn group(&mut self, events: &mut Events<'_>, group: u32, bound: Bound) -> Result<Vec<Value>, NoAnswer> {
        let bodies = self.model.groups[group as usize].bodies.clone();
        let varies = bodies.iter().any(|body| self.varies[body.index()]);
        let bound = if varies { bound } else { Bound::Lower };
        if let Some(solved) = self.groups.get(&(group, bound)).or_else(|| self.open.get(&(group, bound))) {
            return Ok(solved.clone());
        }
        let current = bodies
            .iter()
            .map(|body| match self.model.sorts[body.index()] {
                Sort::Relation => Value::Relation(Pairs::default()),
                Sort::Set => Value::Set(Rc::new(vec![Bool::FALSE; events.len()])),
            })
            .collect();
        let solved = match bound {
            Bound::Upper => self.contain(events, group, &bodies, current)?,
            Bound::Lower => self.settle(events, group, &bodies, current)?,
        };
        self.open.remove(&(group, bound));
        self.groups.insert((group, bound), solved.clone());
        Ok(solved)
    }

    /// Iterates a group from nothing, each member with what the members before it have become.
    fn settle(
        &mut self,
        events: &mut Events<'_>,
        group: u32,
        bodies: &[NodeId],
        mut current: Vec<Value>,
    ) -> Result<Vec<Value>, NoAnswer> {
        // A definition that only goes forward in program order is stable after as many rounds as a thread has events.
        for _ in 0..=2 * events.len() + 2 {
            let before = current.clone();
            for (at, &body) in bodies.iter().enumerate() {
                self.open.insert((group, Bound::Lower), current.clone());
                current[at] = self.value(events, body, Bound::Lower)?;
            }
            if before == current {
                return Ok(current);
            }
        }
        self.open.remove(&(group, Bound::Lower));
        let names = self.model.groups[group as usize].names.join(", ");
        Err(NoAnswer::GaveUp(format!("the recursive definition of {names} does not settle; use `--engine enumerate`")))
    }

    /// Truth values for whatever the members of a group can have, which hold at least where the definitions say so.
    fn contain(
        &mut self,
        events: &mut Events<'_>,
        group: u32,
        bodies: &[NodeId],
        mut current: Vec<Value>,
    ) -> Result<Vec<Value>, NoAnswer> {
        loop {
            self.open.insert((group, Bound::Upper), current.clone());
            let mut defined = Vec::with_capacity(bodies.len());
            for &body in bodies {
                defined.push(self.value(events, body, Bound::Upper)?);
            }
            let mut grown = false;
            for (member, body) in current.iter_mut().zip(&defined) {
                grown |= grow(events, member, body);
            }
            if grown {
                continue;
            }
            for (member, body) in current.iter().zip(&defined) {
                require(events, member, body);
            }
            return Ok(current);
        }
    }
}

/// Gives whatever is in the definition and not yet in the member a truth value; says whether there was anything.
fn grow(events: &mut Events<'_>, member: &mut Value, body: &Value) -> bool {
    match (member, body) {
        (Value::Relation(member), Value::Relation(body)) => {
            let new: Vec<(usize, usize)> = body.keys().filter(|pair| !member.contains_key(pair)).copied().collect();
            let member = Rc::make_mut(member);
            for pair in &new {
                // What the definition says in any case needs no truth value of its own.
                let holds = if body[pair] == Bool::TRUE { Bool::TRUE } else { events.demanded() };
                member.insert(*pair, holds);
            }
            !new.is_empty()
        }
        (Value::Set(member), Value::Set(body)) => {
            let absent = |at: &usize| member[*at] == Bool::FALSE && body[*at] != Bool::FALSE;
            let new: Vec<usize> = (0..body.len()).filter(absent).collect();
            let member = Rc::make_mut(member);
            for &at in &new {
                member[at] = events.demanded();
            }
            !new.is_empty()
        }
        _ => panic!("a recursive name was resolved to another sort than its definition"),
    }
}

/// Requires that the member contains its definition.
fn require(events: &mut Events<'_>, member: &Value, body: &Value) {
    match (member, body) {
        (Value::Relation(member), Value::Relation(body)) => {
            body.iter().for_each(|(pair, &when)| pairs::imply(events, when, member[pair]));
        }
        (Value::Set(member), Value::Set(body)) => {
            body.iter().zip(member.iter()).for_each(|(&when, &holds)| pairs::imply(events, when, holds));
        }
        _ => panic!("a recursive name was resolved to another sort than its definition"),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Relation(pairs) => pairs.is_empty(),
        Value::Set(members) => members.iter().all(|&member| member == Bool::FALSE),
    }
}

/// For each node, whether it depends on reads-from or coherence.
fn varying(model: &Model) -> Vec<bool> {
    let mut varies = vec![false; model.nodes.len()];
    loop {
        let before = varies.clone();
        for (at, node) in model.nodes.iter().enumerate() {
            let base = matches!(
                node,
                Node::Base(Base::Rf(_) | Base::Co(_) | Base::Fr(_)) | Node::Set(BaseSet::Fw) | Node::Order(..)
            );
            let parts = if let Node::Rec(group, _) = node {
                model.groups[*group as usize].bodies.clone()
            } else {
                node.children()
            };
            varies[at] = base || parts.iter().any(|part| varies[part.index()]);
        }
        if before == varies {
            return varies;
        }
    }
}

/// For each node, the recursive groups whose members it mentions.
fn mentions(model: &Model) -> Vec<Vec<u32>> {
    let mut mentions: Vec<Vec<u32>> = Vec::with_capacity(model.nodes.len());
    for node in &model.nodes {
        let mut groups: Vec<u32> = if let Node::Rec(group, _) = node {
            vec![*group]
        } else {
            node.children().iter().flat_map(|child| mentions[child.index()].clone()).collect()
        };
        groups.sort_unstable();
        groups.dedup();
        mentions.push(groups);
    }
    mentions
}
