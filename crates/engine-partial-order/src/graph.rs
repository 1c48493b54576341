//! From `acyclic r` to a graph: the product of the events with the automaton of `r`.
//!
//! A layer is a state of the automaton: it has a node for each event. Following `r` leads from the first layer through
//! others back to it, so `r` has a cycle iff the graph has one. An edge into the node of an event carries a condition
//! that implies the event's guard; so a cycle only goes through events that are executed.

use crate::events::Events;
use crate::relations::{Members, Relations};
use engine::NoAnswer;
use logic::{Blaster, Bool, Lit, OrderGraph, Solver};
use model::{Axiom, Base, Model, Node, NodeId, Requirement, Role, Scope};
use std::rc::Rc;
use symbolic::Kind;

/// A state of the automaton: the nodes of the events, made when they are needed.
type Layer = usize;

/// Builds the graph of one axiom.
pub struct Product<'a, 'p, 'm> {
    pub events: &'a mut Events<'p>,
    pub relations: &'a mut Relations<'m>,
    pub blaster: &'a mut Blaster,
    pub solver: &'a mut Solver,
    graph: OrderGraph,
    layers: Vec<Vec<Option<u32>>>,
}

/// Which events a path may begin or end with.
#[derive(Clone)]
struct Ends {
    from: Option<Members>,
    to: Option<Members>,
}

const ANYWHERE: Ends = Ends { from: None, to: None };

impl<'a, 'p, 'm> Product<'a, 'p, 'm> {
    pub fn new(
        events: &'a mut Events<'p>,
        relations: &'a mut Relations<'m>,
        blaster: &'a mut Blaster,
        solver: &'a mut Solver,
    ) -> Self {
        Product { events, relations, blaster, solver, graph: OrderGraph::new(), layers: Vec::new() }
    }

    /// The graph that has a cycle iff the relation has one.
    pub fn build(mut self, relation: NodeId) -> Result<OrderGraph, NoAnswer> {
        let home = self.layer();
        self.follow(relation, home, home, &ANYWHERE)?;
        Ok(self.graph.simplify())
    }

    fn layer(&mut self) -> Layer {
        self.layers.push(vec![None; self.events.len()]);
        self.layers.len() - 1
    }

    fn node(&mut self, layer: Layer, event: usize) -> u32 {
        let graph = &mut self.graph;
        *self.layers[layer][event].get_or_insert_with(|| graph.node())
    }

    fn lit(&mut self, condition: Bool) -> Lit {
        self.blaster.lit(&self.events.structure.terms, self.solver, condition)
    }

    /// An edge under a condition.
    fn edge(&mut self, from: u32, to: u32, condition: Bool) {
        if condition == Bool::TRUE {
            self.graph.add_fixed(from, to);
        } else if condition != Bool::FALSE {
            let literal = self.lit(condition);
            self.graph.add(from, to, literal);
        }
    }

    /// An edge between the nodes of two executed events, if the path may begin and end there.
    fn step(&mut self, (p, a): (Layer, usize), (q, b): (Layer, usize), when: Bool, ends: &Ends) {
        let guard = self.events.guard(b);
        let allowed = self.allowed(a, &ends.from);
        let wanted = self.allowed(b, &ends.to);
        let condition = self.events.terms().all([when, guard, allowed, wanted]);
        if condition != Bool::FALSE && self.events.guard(a) != Bool::FALSE {
            let (from, to) = (self.node(p, a), self.node(q, b));
            self.edge(from, to, condition);
        }
    }

    fn allowed(&self, event: usize, set: &Option<Members>) -> Bool {
        set.as_ref().map_or(Bool::TRUE, |set| set[event])
    }

    /// Adds paths from layer `p` to layer `q` that follow the relation.
    fn follow(&mut self, relation: NodeId, p: Layer, q: Layer, ends: &Ends) -> Result<(), NoAnswer> {
        self.events.go_on()?;
        match self.relations.model.node(relation).clone() {
            Node::EmptyRelation => Ok(()),
            Node::Union(members) => members.iter().try_for_each(|&member| self.follow(member, p, q, ends)),
            Node::Sequence(members) => self.sequence(&members, p, q, ends),
            Node::Optional(operand) => {
                self.follow(operand, p, q, ends)?;
                self.skip(p, q, ends);
                Ok(())
            }
            Node::Plus(operand) if p == q && ends.from.is_none() && ends.to.is_none() && !self.may_stay(operand) => {
                self.follow(operand, p, q, ends)
            }
            Node::Star(operand) | Node::Plus(operand) if self.steps(operand).is_none() => {
                self.pairs(relation, p, q, ends)
            }
            Node::Star(operand) => {
                let middle = self.layer();
                self.skip(p, middle, &Ends { from: ends.from.clone(), to: None });
                self.repeat(operand, middle)?;
                self.skip(middle, q, &Ends { from: None, to: ends.to.clone() });
                Ok(())
            }
            Node::Plus(operand) => {
                let middle = self.layer();
                self.follow(operand, p, middle, &Ends { from: ends.from.clone(), to: None })?;
                self.repeat(operand, middle)?;
                self.skip(middle, q, &Ends { from: None, to: ends.to.clone() });
                Ok(())
            }
            Node::Test(set) => {
                let members = self.relations.members(self.events, set)?;
                let ends = self.restrict(ends, Some(&members), None);
                self.skip(p, q, &ends);
                Ok(())
            }
            Node::Intersection(members) => self.intersection(relation, &members, p, q, ends),
            Node::Difference(left, right) => self.difference(relation, left, right, p, q, ends),
            Node::Base(Base::Po) => {
                self.program_order(p, q, ends);
                Ok(())
            }
            Node::Base(Base::Fr(scope)) => {
                self.follow_from_read(scope, p, q, ends);
                Ok(())
            }
            Node::Base(_)
            | Node::Complement(_)
            | Node::Inverse(_)
            | Node::Product(..)
            | Node::Rec(..)
            | Node::Set(_)
            | Node::EmptySet
            | Node::Domain(_)
            | Node::Range(_) => self.pairs(relation, p, q, ends),
        }
    }

    /// The pairs of a relation as edges, one each.
    fn pairs(&mut self, relation: NodeId, p: Layer, q: Layer, ends: &Ends) -> Result<(), NoAnswer> {
        let pairs = self.relations.pairs(self.events, relation)?;
        for (&(a, b), &when) in pairs.iter() {
            self.step((p, a), (q, b), when, ends);
        }
        Ok(())
    }

    /// From each event to itself.
    fn skip(&mut self, p: Layer, q: Layer, ends: &Ends) {
        for event in 0..self.events.len() {
            let (from, to) = (self.allowed(event, &ends.from), self.allowed(event, &ends.to));
            let guard = self.events.guard(event);
            let condition = self.events.terms().all([guard, from, to]);
            if condition != Bool::FALSE {
                let (from, to) = (self.node(p, event), self.node(q, event));
                self.edge(from, to, condition);
            }
        }
    }

    /// Relations whose union, repeated, is the operand repeated, if each can have edges within a layer: none relates an
    /// event to itself by doing nothing, which would look like a cycle, and an axiom of the model forbids the cycles of
    /// each anyway, which count there even if they do not go through the first layer.
    fn steps(&self, operand: NodeId) -> Option<Vec<NodeId>> {
        let model = self.relations.model;
        let parts = |parts: &[NodeId]| -> Option<Vec<NodeId>> {
            Some(parts.iter().map(|&part| self.steps(part)).collect::<Option<Vec<_>>>()?.concat())
        };
        match model.node(operand) {
            Node::Test(_) | Node::EmptyRelation => Some(Vec::new()),
            Node::Optional(inner) | Node::Star(inner) | Node::Plus(inner) => self.steps(*inner),
            Node::Union(members) => parts(members),
            // (a? ; b?)* is (a | b)*.
            Node::Sequence(members)
                if members.iter().all(|&m| matches!(model.node(m), Node::Optional(_) | Node::Star(_))) =>
            {
                parts(members)
            }
            _ => (!self.may_stay(operand) && self.is_known_acyclic(operand)).then(|| vec![operand]),
        }
    }

    /// Whether a relation may relate an event to itself without a step of the execution's own relations.
    fn may_stay(&self, node: NodeId) -> bool {
        may_stay(self.relations.model, node, &mut Vec::new())
    }

    /// Whether an axiom of the model forbids the cycles of a relation.
    fn is_known_acyclic(&self, relation: NodeId) -> bool {
        let model = self.relations.model;
        let forbids_cycles =
            |axiom: &&Axiom| axiom.requirement == Requirement::Acyclic && axiom.role == Role::Forbids && !axiom.negated;
        let mut axioms = model.axioms.iter().filter(forbids_cycles);
        axioms.any(|axiom| consists_of(model, relation, &model.union_members(axiom.node)))
    }

    /// Steps within a layer, as many as one likes.
    fn repeat(&mut self, operand: NodeId, layer: Layer) -> Result<(), NoAnswer> {
        let steps = self.steps(operand).expect("asked before: the operand can be repeated in a layer");
        steps.into_iter().try_for_each(|step| self.follow(step, layer, layer, &ANYWHERE))
    }

    fn restrict(&mut self, ends: &Ends, from: Option<&Members>, to: Option<&Members>) -> Ends {
        let mut both = |old: &Option<Members>, new: Option<&Members>| match (old, new) {
            (Some(old), Some(new)) => {
                let terms = self.events.terms();
                Some(Rc::new(old.iter().zip(new.iter()).map(|(&a, &b)| terms.and(a, b)).collect()))
            }
            (Some(only), None) | (None, Some(only)) => Some(Rc::clone(only)),
            (None, None) => None,
        };
        Ends { from: both(&ends.from, from), to: both(&ends.to, to) }
    }

    /// Parts one after the other; tests at the ends become restrictions.
    fn sequence(&mut self, members: &[NodeId], p: Layer, q: Layer, ends: &Ends) -> Result<(), NoAnswer> {
        let mut ends = ends.clone();
        let mut members = members;
        while let [first, rest @ ..] = members
            && !rest.is_empty()
            && let Node::Test(set) = *self.relations.model.node(*first)
        {
            let set = self.relations.members(self.events, set)?;
            ends = self.restrict(&ends, Some(&set), None);
            members = rest;
        }
        while let [rest @ .., last] = members
            && !rest.is_empty()
            && let Node::Test(set) = *self.relations.model.node(*last)
        {
            let set = self.relations.members(self.events, set)?;
            ends = self.restrict(&ends, None, Some(&set));
            members = rest;
        }
        if let [only] = members {
            return self.follow(*only, p, q, &ends);
        }
        let mut at = p;
        for (place, &member) in members.iter().enumerate() {
            let last = place + 1 == members.len();
            let next = if last { q } else { self.layer() };
            let part = Ends {
                from: if place == 0 { ends.from.clone() } else { None },
                to: if last { ends.to.clone() } else { None },
            };
            self.follow(member, at, next, &part)?;
            at = next;
        }
        Ok(())
    }

    /// `r & (A * B) & …` follows `r` between restricted ends; anything else is done pair by pair.
    fn intersection(
        &mut self,
        whole: NodeId,
        members: &[NodeId],
        p: Layer,
        q: Layer,
        ends: &Ends,
    ) -> Result<(), NoAnswer> {
        let model = self.relations.model;
        let is_product = |&&member: &&NodeId| matches!(model.node(member), Node::Product(..));
        let is_products = |&&member: &&NodeId| match model.node(member) {
            Node::Union(choices) => choices.iter().all(|choice| matches!(model.node(*choice), Node::Product(..))),
            _ => false,
        };
        let rest: Vec<NodeId> = members.iter().filter(|m| !is_product(m) && !is_products(m)).copied().collect();
        let [relation] = rest[..] else { return self.pairs(whole, p, q, ends) };
        let mut ways = vec![ends.clone()];
        for &member in members.iter().filter(|&&m| m != relation) {
            let choices = match model.node(member) {
                Node::Union(choices) => choices.clone(),
                _ => vec![member],
            };
            let mut next = Vec::new();
            for way in &ways {
                for &choice in &choices {
                    let Node::Product(from, to) = *model.node(choice) else { panic!("only products are left") };
                    let from = self.relations.members(self.events, from)?;
                    let to = self.relations.members(self.events, to)?;
                    next.push(self.restrict(way, Some(&from), Some(&to)));
                }
            }
            ways = next;
        }
        ways.iter().try_for_each(|way| self.follow(relation, p, q, way))
    }

    /// `r \ (A * B)` follows `r` from outside `A` or to outside `B`; anything else is done pair by pair.
    fn difference(
        &mut self,
        whole: NodeId,
        left: NodeId,
        right: NodeId,
        p: Layer,
        q: Layer,
        ends: &Ends,
    ) -> Result<(), NoAnswer> {
        let Node::Product(from, to) = *self.relations.model.node(right) else {
            return self.pairs(whole, p, q, ends);
        };
        let outside = |members: &Members| -> Members { Rc::new(members.iter().map(|&m| !m).collect()) };
        let from = outside(&self.relations.members(self.events, from)?);
        let to = outside(&self.relations.members(self.events, to)?);
        let before = self.restrict(ends, Some(&from), None);
        self.follow(left, p, q, &before)?;
        let after = self.restrict(ends, None, Some(&to));
        self.follow(left, p, q, &after)
    }

    /// Program order: a chain of nodes along each thread that events get on and off.
    fn program_order(&mut self, p: Layer, q: Layer, ends: &Ends) {
        let mut at = 0;
        while at < self.events.len() {
            let thread = self.events.structure.events[at].thread;
            let count = self.events.structure.events[at..].iter().take_while(|e| e.thread == thread).count();
            if thread.is_some() {
                self.chain(at..at + count, p, q, ends);
            }
            at += count;
        }
    }

    fn chain(&mut self, thread: std::ops::Range<usize>, p: Layer, q: Layer, ends: &Ends) {
        let mut link: Option<u32> = None;
        for event in thread {
            if self.events.guard(event) == Bool::FALSE {
                continue;
            }
            let (on, off) = (self.allowed(event, &ends.from), self.allowed(event, &ends.to));
            if let Some(link) = link
                && off != Bool::FALSE
            {
                let guard = self.events.guard(event);
                let condition = self.events.terms().and(off, guard);
                let node = self.node(q, event);
                self.edge(link, node, condition);
            }
            if on != Bool::FALSE {
                let next = self.graph.node();
                if let Some(link) = link {
                    self.graph.add_fixed(link, next);
                }
                let node = self.node(p, event);
                self.edge(node, next, on);
                link = Some(next);
            }
        }
    }

    /// From-read: back to the write that was read, then on in coherence order. The write's node in between belongs to
    /// the reader's thread where the scope needs to know it.
    fn follow_from_read(&mut self, scope: Scope, p: Layer, q: Layer, ends: &Ends) {
        let readers: Vec<usize> = (0..self.events.len()).filter(|&e| self.events.kind(e) == Kind::Read).collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for read in readers {
            match groups.last_mut() {
                Some(group) if scope == Scope::Any || self.events.same_thread(group[0], read) => group.push(read),
                _ => groups.push(vec![read]),
            }
        }
        for group in groups {
            let middle = self.layer();
            let from = Ends { from: ends.from.clone(), to: None };
            for &read in &group {
                for (write, when) in self.events.rf[read].clone() {
                    self.step((p, read), (middle, write), when, &from);
                }
            }
            let to = Ends { from: None, to: ends.to.clone() };
            for (write, later, when) in self.events.co.clone() {
                if self.layers[middle][write].is_some() && self.events.in_scope(scope, group[0], later) {
                    self.step((middle, write), (q, later), when, &to);
                }
            }
        }
    }
}

/// Whether a relation is one of the members, or a part of one that is known by its name.
pub fn is_within(model: &Model, relation: NodeId, members: &[NodeId]) -> bool {
    let has = |base: Base| members.iter().any(|&member| *model.node(member) == Node::Base(base));
    members.contains(&relation)
        || match *model.node(relation) {
            Node::Base(Base::PoLoc) => has(Base::Po),
            Node::Base(Base::Rf(_)) => has(Base::Rf(Scope::Any)),
            Node::Base(Base::Co(_)) => has(Base::Co(Scope::Any)),
            Node::Base(Base::Fr(_)) => has(Base::Fr(Scope::Any)),
            _ => false,
        }
}

/// Whether every step of a relation is a step of one of the members, so that its cycles are cycles of their union.
fn consists_of(model: &Model, relation: NodeId, members: &[NodeId]) -> bool {
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
        | Node::Rec(..) => false,
    }
}

/// Whether a relation may relate an event to itself without a step of the execution's own relations; `open` are the
/// members of recursive definitions being looked at, which add nothing by themselves.
fn may_stay(model: &Model, node: NodeId, open: &mut Vec<(u32, u32)>) -> bool {
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
        Node::Set(_) | Node::EmptySet | Node::Domain(_) | Node::Range(_) => false,
    }
}
