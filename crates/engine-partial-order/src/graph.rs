//! From `acyclic r` to a graph: the product of the events with the automaton of `r`.
//!
//! A layer is a state of the automaton: it has a node for each event. Following `r` leads from the first layer through
//! others back to it, so `r` has a cycle iff the graph has one. An edge into the node of an event carries a condition
//! that implies the event's guard; so a cycle only goes through events that are executed.

use crate::events::{Coherence, Events};
use crate::ladders::Climb;
use crate::relations::{Bound, Members, Relations};
use crate::rereads;
use crate::shape;
use engine::NoAnswer;
use ir::ThreadId;
use logic::{Blaster, Bool, Lit, OrderGraph, Solver};
use model::{Base, Node, NodeId, Scope};
use std::rc::Rc;
use symbolic::Kind;

/// A state of the automaton: the nodes of the events, made when they are needed.
pub(crate) type Layer = usize;

/// The first layer: where paths begin and end.
pub(crate) const HOME: Layer = 0;

/// Builds the graph of one axiom.
pub struct Product<'a, 'p, 'm> {
    pub events: &'a mut Events<'p>,
    pub relations: &'a mut Relations<'m>,
    pub blaster: &'a mut Blaster,
    pub solver: &'a mut Solver,
    pub(crate) graph: OrderGraph,
    layers: Vec<Vec<Option<u32>>>,
    units: Units,
    /// Whether the first layer has all of coherence within a thread, so that reads of a location with one writer can use
    /// ladders: see [`Product::climb`].
    ladders: bool,
    /// Steps of reads-from by other ladders.
    pub(crate) climbs: Vec<Climb>,
}

/// Events that are one: those of an atomic section, or the read and the write of one instruction. In the first layer
/// they share a node, and program order goes past them as a whole.
#[derive(Debug, Clone, Default)]
pub struct Units {
    /// For each event the first event of its unit, if it is in one.
    first: Vec<Option<usize>>,
}

impl Units {
    /// No event is in a unit.
    pub fn none(events: usize) -> Self {
        Units { first: vec![None; events] }
    }

    /// These events are one, and with them all that some of them are one with.
    pub fn join(&mut self, events: &[usize]) {
        let mut known: Vec<usize> = events.iter().filter_map(|&event| self.first[event]).collect();
        known.sort_unstable();
        known.dedup();
        let first = known.first().copied().unwrap_or(events[0]);
        if known.len() > 1 {
            let joined = self.first.iter_mut().flatten().filter(|own| known.contains(own));
            joined.for_each(|own| *own = first);
        }
        events.iter().for_each(|&event| self.first[event] = Some(first));
    }

    /// The unit of an event.
    pub fn of(&self, event: usize) -> Option<usize> {
        self.first[event]
    }
}

/// Which events a path may begin or end with.
#[derive(Clone)]
pub(crate) struct Ends {
    pub(crate) from: Option<Members>,
    pub(crate) to: Option<Members>,
}

const ANYWHERE: Ends = Ends { from: None, to: None };

impl<'a, 'p, 'm> Product<'a, 'p, 'm> {
    pub fn new(
        events: &'a mut Events<'p>,
        relations: &'a mut Relations<'m>,
        blaster: &'a mut Blaster,
        solver: &'a mut Solver,
        units: Units,
    ) -> Self {
        Product {
            events,
            relations,
            blaster,
            solver,
            graph: OrderGraph::new(),
            layers: Vec::new(),
            units,
            ladders: false,
            climbs: Vec::new(),
        }
    }

    /// The graph that has a cycle iff the relation has one.
    pub fn build(mut self, relation: NodeId) -> Result<OrderGraph, NoAnswer> {
        let home = self.layer();
        assert_eq!(home, HOME, "the first layer is made first");
        let orders = |&member: &NodeId| {
            matches!(
                self.relations.model.node(member),
                Node::Base(Base::Co(Scope::Any | Scope::Internal) | Base::PoLoc)
            )
        };
        self.ladders = self.relations.model.union_members(relation).iter().any(orders);
        self.follow(relation, home, home, &ANYWHERE)?;
        self.climb_where_ordered();
        self.events.count(self.graph.edges().len())?;
        Ok(self.graph.simplify())
    }

    /// The graph with a path from the first to the second of some nodes iff the relation relates an event to itself, and these nodes.
    pub fn build_open(mut self, relation: NodeId) -> Result<(OrderGraph, Vec<(u32, u32)>), NoAnswer> {
        let (from, to) = (self.layer(), self.layer());
        self.follow(relation, from, to, &ANYWHERE)?;
        self.climb_where_ordered();
        self.events.count(self.graph.edges().len())?;
        let ends = self.layers[from].iter().zip(&self.layers[to]);
        let ends: Vec<(u32, u32)> = ends.filter_map(|(&from, &to)| Some((from?, to?))).collect();
        Ok(self.graph.between(&ends))
    }

    pub(crate) fn layer(&mut self) -> Layer {
        self.layers.push(vec![None; self.events.len()]);
        self.layers.len() - 1
    }

    pub(crate) fn node(&mut self, layer: Layer, event: usize) -> u32 {
        let graph = &mut self.graph;
        let event = if layer == HOME { self.units.of(event).unwrap_or(event) } else { event };
        *self.layers[layer][event].get_or_insert_with(|| graph.node())
    }

    /// The unit of an event.
    pub(crate) fn unit(&self, event: usize) -> Option<usize> {
        self.units.of(event)
    }

    /// The unit of an event or, if it is in none, the access that it is a part of: program order goes past either as a whole.
    pub(crate) fn together(&self, event: usize) -> Option<usize> {
        self.units.of(event).or_else(|| self.events.group_start(event))
    }

    /// What an edge from the node of an event must say about the event being executed: nothing, unless the node stands
    /// for other events too. Otherwise only edges into a node do.
    pub(crate) fn departure(&self, layer: Layer, event: usize) -> Bool {
        let shared = layer == HOME && self.units.of(event).is_some();
        if shared { self.events.guard(event) } else { Bool::TRUE }
    }

    fn lit(&mut self, condition: Bool) -> Lit {
        self.blaster.lit(&self.events.structure.terms, self.solver, condition)
    }

    /// An edge under a condition. What leads from a unit to itself is no edge.
    pub(crate) fn edge(&mut self, from: u32, to: u32, condition: Bool) {
        if condition == Bool::TRUE {
            self.graph.add_fixed(from, to);
        } else if condition != Bool::FALSE {
            let literal = self.lit(condition);
            self.graph.add(from, to, literal);
        }
    }

    /// An edge between the nodes of two executed events, if the path may begin and end there. `sure`: the condition
    /// implies that both are executed.
    pub(crate) fn step(&mut self, (p, a): (Layer, usize), (q, b): (Layer, usize), when: Bool, sure: bool, ends: &Ends) {
        if self.events.guard(a) == Bool::FALSE || (p == HOME && q == HOME && self.are_one(a, b)) {
            return;
        }
        let allowed = self.allowed(a, &ends.from);
        let wanted = self.allowed(b, &ends.to);
        let guards = if sure { [Bool::TRUE; 2] } else { [self.events.guard(b), self.departure(p, a)] };
        let [arrival, departure] = guards;
        let condition = self.events.terms().all([when, arrival, departure, allowed, wanted]);
        if condition != Bool::FALSE {
            let (from, to) = (self.node(p, a), self.node(q, b));
            self.edge(from, to, condition);
        }
    }

    /// Whether two events are in the same unit.
    pub(crate) fn are_one(&self, a: usize, b: usize) -> bool {
        a != b && self.units.of(a).is_some() && self.units.of(a) == self.units.of(b)
    }

    pub(crate) fn allowed(&self, event: usize, set: &Option<Members>) -> Bool {
        set.as_ref().map_or(Bool::TRUE, |set| set[event])
    }

    /// Adds paths from layer `p` to layer `q` that follow the relation.
    pub(crate) fn follow(&mut self, relation: NodeId, p: Layer, q: Layer, ends: &Ends) -> Result<(), NoAnswer> {
        self.events.count(0)?;
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
                let members = self.relations.members(self.events, set, Bound::Upper)?;
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
            Node::Base(Base::Rf(scope)) => {
                self.follow_reads_from(scope, p, q, ends);
                Ok(())
            }
            Node::Base(Base::Co(scope)) => {
                self.follow_coherence(scope, p, q, ends);
                Ok(())
            }
            Node::Base(Base::PoLoc) => {
                self.program_order_by_location(p, q, ends);
                Ok(())
            }
            Node::Rec(group, name) => match self.relations.automaton(group) {
                Some(automaton) => self.recursion(&automaton, name, (p, q), ends),
                None => self.pairs(relation, p, q, ends),
            },
            Node::Base(_)
            | Node::Complement(_)
            | Node::Inverse(_)
            | Node::Product(..)
            | Node::Set(_)
            | Node::EmptySet
            | Node::Domain(_)
            | Node::Range(_)
            | Node::Order(..) => self.pairs(relation, p, q, ends),
        }
    }

    /// The pairs of a relation as edges, one each.
    fn pairs(&mut self, relation: NodeId, p: Layer, q: Layer, ends: &Ends) -> Result<(), NoAnswer> {
        let pairs = self.relations.pairs(self.events, relation, Bound::Upper)?;
        for (&(a, b), &when) in pairs.iter() {
            self.step((p, a), (q, b), when, false, ends);
        }
        Ok(())
    }

    /// From each event to itself.
    pub(crate) fn skip(&mut self, p: Layer, q: Layer, ends: &Ends) {
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
            Node::Base(_)
            | Node::Set(_)
            | Node::EmptySet
            | Node::Intersection(_)
            | Node::Difference(..)
            | Node::Complement(_)
            | Node::Sequence(_)
            | Node::Inverse(_)
            | Node::Product(..)
            | Node::Domain(_)
            | Node::Range(_)
            | Node::Rec(..)
            | Node::Order(..) => (!self.may_stay(operand) && self.is_known_acyclic(operand)).then(|| vec![operand]),
        }
    }

    /// Whether a relation may relate an event to itself without a step of the execution's own relations.
    fn may_stay(&self, node: NodeId) -> bool {
        shape::may_stay(self.relations.model, node, &mut Vec::new())
    }

    /// Whether an axiom of the model forbids the cycles of a relation.
    fn is_known_acyclic(&self, relation: NodeId) -> bool {
        let model = self.relations.model;
        let mut axioms = model.axioms.iter().filter(|axiom| shape::forbids_cycles(axiom));
        axioms.any(|axiom| shape::consists_of(model, relation, &model.union_members(axiom.node)))
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
            let set = self.relations.members(self.events, set, Bound::Upper)?;
            ends = self.restrict(&ends, Some(&set), None);
            members = rest;
        }
        while let [rest @ .., last] = members
            && !rest.is_empty()
            && let Node::Test(set) = *self.relations.model.node(*last)
        {
            let set = self.relations.members(self.events, set, Bound::Upper)?;
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
        let is_products = |&&member: &&NodeId| {
            let Node::Union(choices) = model.node(member) else { return false };
            choices.iter().all(|choice| matches!(model.node(*choice), Node::Product(..)))
        };
        let rest: Vec<NodeId> = members.iter().filter(|m| !is_product(m) && !is_products(m)).copied().collect();
        if let Some(parts) = rereads::parts(model, members)
            && self.rereads(parts, (p, q), ends)?
        {
            return Ok(());
        }
        let [relation] = rest[..] else { return self.pairs(whole, p, q, ends) };
        let mut ways = vec![ends.clone()];
        for &member in members.iter().filter(|&&m| m != relation) {
            let choices = if let Node::Union(choices) = model.node(member) { choices.clone() } else { vec![member] };
            let mut next = Vec::new();
            for way in &ways {
                for &choice in &choices {
                    let Node::Product(from, to) = *model.node(choice) else { panic!("only products are left") };
                    let from = self.relations.members(self.events, from, Bound::Upper)?;
                    let to = self.relations.members(self.events, to, Bound::Upper)?;
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
        let from = outside(&self.relations.members(self.events, from, Bound::Lower)?);
        let to = outside(&self.relations.members(self.events, to, Bound::Lower)?);
        let before = self.restrict(ends, Some(&from), None);
        self.follow(left, p, q, &before)?;
        let after = self.restrict(ends, None, Some(&to));
        self.follow(left, p, q, &after)
    }

    /// Whether a step between these layers can use ladders.
    pub(crate) fn can_climb(&self, p: Layer, q: Layer, ends: &Ends) -> bool {
        self.ladders && p == HOME && q == HOME && ends.from.is_none() && ends.to.is_none()
    }

    /// Reads-from: an edge for each choice.
    fn follow_reads_from(&mut self, scope: Scope, p: Layer, q: Layer, ends: &Ends) {
        let climbs = self.can_climb(p, q, ends);
        for read in 0..self.events.len() {
            if climbs && let Some(ladder) = self.events.ladder(read) {
                self.climb(scope, read, &ladder);
                continue;
            }
            let ladder = self.events.ladder(read);
            let waits = ladder.is_some_and(|ladder| self.events.ladder_in_scope(scope, read, &ladder));
            if waits {
                self.climbs.push(Climb { read, layers: (p, q), ends: ends.clone() });
            }
            for at in 0..self.events.rf[read].len() {
                let (write, when) = self.events.rf[read][at];
                let later = waits && !self.events.is_initial(write);
                if !later && self.events.in_scope(scope, write, read) {
                    self.step((p, write), (q, read), when, true, ends);
                }
            }
        }
    }

    /// Coherence: along chains of writes, and an edge for each other pair.
    fn follow_coherence(&mut self, scope: Scope, p: Layer, q: Layer, ends: &Ends) {
        let boards = |product: &Self, write: usize, _: u32| match scope {
            Scope::Any => true,
            Scope::Internal => !product.events.is_initial(write),
            Scope::External => product.events.is_initial(write),
        };
        self.write_chains((p, q), ends, &boards, &|_, _| true);
        for at in 0..self.events.co.len() {
            let Coherence { first, second, when, sure, chained } = self.events.co[at];
            if !chained && self.events.in_scope(scope, first, second) {
                self.step((p, first), (q, second), when, sure, ends);
            }
        }
    }

    /// From-read: back to the write that was read, then on in coherence order. The write's node in between belongs to
    /// the reader's thread where the scope needs to know it, and to the reader's unit if it is in one: a unit has no edge
    /// to itself.
    fn follow_from_read(&mut self, scope: Scope, p: Layer, q: Layer, ends: &Ends) {
        let key = |product: &Self, read: usize| {
            let thread = match scope {
                Scope::Any => None,
                Scope::Internal | Scope::External => product.events.structure.events[read].thread,
            };
            (thread, product.unit(read))
        };
        let readers = (0..self.events.len()).filter(|&event| self.events.kind(event) == Kind::Read);
        let (descending, mut readers): (Vec<usize>, Vec<usize>) =
            readers.partition(|&read| self.events.ladder(read).is_some());
        self.descend(scope, descending, (p, q), ends);
        readers.sort_by_key(|&read| key(self, read));
        let later = self.coherence_by_first();
        for group in readers.chunk_by(|&a, &b| key(self, a) == key(self, b)).map(<[usize]>::to_vec).collect::<Vec<_>>()
        {
            let middle = self.layer();
            let from = Ends { from: ends.from.clone(), to: None };
            let mut sources = Vec::new();
            for &read in &group {
                for (write, when) in self.events.rf[read].clone() {
                    self.step((p, read), (middle, write), when, true, &from);
                    sources.push(write);
                }
            }
            sources.sort_unstable();
            sources.dedup();
            let to = Ends { from: None, to: ends.to.clone() };
            let reader = self.events.structure.events[group[0]].thread;
            let boards = |_: &Self, write: usize, thread: u32| {
                let near = reader == Some(ThreadId(thread));
                let reaches = match scope {
                    Scope::Any => true,
                    Scope::Internal => near,
                    Scope::External => !near,
                };
                reaches && sources.binary_search(&write).is_ok()
            };
            let leaves = |product: &Self, write: usize| !product.are_one(group[0], write);
            self.write_chains((middle, q), &to, &boards, &leaves);
            for &write in &sources {
                for at in later[write].clone() {
                    let Coherence { second, when, sure, chained, .. } = self.events.co[at];
                    if !chained && self.events.in_scope(scope, group[0], second) && !self.are_one(group[0], second) {
                        self.step((middle, write), (q, second), when, sure, &to);
                    }
                }
            }
        }
    }

    /// For each write the pairs of coherence that it is the first of.
    fn coherence_by_first(&self) -> Vec<Vec<usize>> {
        let mut later = vec![Vec::new(); self.events.len()];
        for (at, pair) in self.events.co.iter().enumerate() {
            later[pair.first].push(at);
        }
        later
    }
}
