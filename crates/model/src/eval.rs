//! Evaluates a model on executions.
//!
//! Engines judge very many executions of one program that differ only in reads-from and coherence. So what depends on the
//! program alone is evaluated once, the rest in place for each execution, and only as far as an answer needs it.

use crate::model::Model;
use crate::node::{Base, BaseSet, Node, NodeId, Requirement, Role, Scope, Sort};
use crate::orders::Orders;
use crate::plan::{Plan, PlanStep};
use crate::relation::{EventSet, Relation};
use crate::structure::Structure;
use std::collections::BTreeMap;

/// A model on the executions of one program.
#[derive(Debug, Clone)]
pub struct Evaluator<'m> {
    model: &'m Model,
    plan: Plan,
    writes: EventSet,
    internal: Relation,
    external: Relation,
    rf: Relation,
    co: Relation,
    fr: Relation,
    /// The value of each node, of its sort; the other vector has nothing of use at that place.
    relations: Vec<Relation>,
    sets: Vec<EventSet>,
    /// How many parts of the plan are done for the present execution.
    done: usize,
    scratch: Relation,
    orders: Orders,
}

/// Whether a relation is transitive, whatever the execution is.
fn is_transitive(node: &Node) -> bool {
    matches!(
        node,
        Node::Base(Base::Po | Base::PoLoc | Base::Co(Scope::Any) | Base::Loc | Base::Id)
            | Node::Plus(_)
            | Node::Star(_)
    )
}

impl<'m> Evaluator<'m> {
    /// Evaluates what depends on the program alone, and takes the execution of `structure` as the first one to judge.
    pub fn new(model: &'m Model, structure: &Structure) -> Self {
        let size = structure.size;
        let mut internal = Relation::empty(size);
        let mut threads: BTreeMap<u32, EventSet> = BTreeMap::new();
        for (event, thread) in structure.threads.iter().enumerate() {
            thread.iter().for_each(|&thread| {
                threads.entry(thread).or_insert_with(|| EventSet::empty(size)).insert(event);
            });
        }
        threads.values().for_each(|own| own.iter().for_each(|event| internal.relate(event, own)));
        // Initial writes belong to no thread: external to the events of every thread, but not to each other.
        let mut external = internal.complement();
        let nobody = EventSet::of(size, (0..size).filter(|&event| structure.threads[event].is_none()));
        external.apply(&Relation::product(&nobody, &nobody), |a, b| a & !b);
        let slot = |sort: &Sort| Relation::empty(if *sort == Sort::Relation { size } else { 0 });
        let mut evaluator = Evaluator {
            model,
            plan: Plan::new(model),
            writes: structure.writes.clone(),
            internal,
            external,
            rf: Relation::empty(size),
            co: Relation::empty(size),
            fr: Relation::empty(size),
            relations: model.sorts.iter().map(slot).collect(),
            sets: vec![EventSet::empty(size); model.nodes.len()],
            done: 0,
            scratch: Relation::empty(size),
            orders: Orders::new(model),
        };
        evaluator.fill(structure);
        evaluator.run(|plan| &mut plan.fixed);
        evaluator.set(&structure.rf, &structure.co);
        evaluator
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// Turns to the execution with these reads-from and coherence. Coherence must be transitive.
    pub fn set(&mut self, rf: &Relation, co: &Relation) {
        self.rf.copy_from(rf);
        self.co.copy_from(co);
        self.fr.clear();
        for (write, read) in rf.iter() {
            self.fr.add_successors(read, co, write);
        }
        self.done = 0;
        self.orders.reset();
    }

    /// Turns to an execution that differs only in which events have some tags. What does not depend on them keeps its value.
    pub fn retag(&mut self, tags: &dyn Fn(&str) -> EventSet) {
        let mut changed = vec![false; self.model.nodes.len()];
        for (at, node) in self.model.nodes.iter().enumerate() {
            if let Node::Set(BaseSet::Tag(tag)) = node {
                let set = tags(tag);
                changed[at] = set != self.sets[at];
                self.sets[at] = set;
            }
        }
        let fixed = std::mem::take(&mut self.plan.fixed);
        for step in &fixed {
            if self.is_touched(step, &mut changed) {
                self.step(step);
            }
        }
        self.plan.fixed = fixed;
        let mut part = 0;
        while part < self.done {
            let steps = std::mem::take(&mut self.plan.varying[part]);
            let touched = steps.iter().fold(false, |touched, step| self.is_touched(step, &mut changed) | touched);
            self.plan.varying[part] = steps;
            if touched {
                self.done = part;
            }
            part += 1;
        }
        if self.model.nodes.iter().any(|node| matches!(node, Node::Order(..))) {
            self.done = 0;
        }
        self.orders.reset();
    }

    /// Whether a step depends on nodes that have changed; then so have those that it evaluates.
    fn is_touched(&self, step: &PlanStep, changed: &mut [bool]) -> bool {
        let of = |id: NodeId| self.model.node(id).children().iter().any(|child| changed[child.index()]);
        match step {
            PlanStep::Node(id) => {
                changed[id.index()] |= of(*id);
                changed[id.index()] && !matches!(self.model.node(*id), Node::Set(_))
            }
            PlanStep::Fixpoint { nodes, .. } => {
                let touched = nodes.iter().any(|&id| of(id));
                nodes.iter().for_each(|id| changed[id.index()] |= touched);
                touched
            }
        }
    }

    /// Whether no axiom forbids the execution, with one of the orders that the model asks for if it does. Stops at the first that
    /// does.
    pub fn is_consistent(&mut self) -> bool {
        let axioms = &self.model.axioms;
        loop {
            let forbids = |axiom: &usize| axioms[*axiom].role == Role::Forbids && self.fails(*axiom);
            match (0..axioms.len()).find(forbids) {
                None => return true,
                Some(axiom) if !self.orders.matter(axioms[axiom].node) => return false,
                Some(_) => {
                    let Some(changed) = self.orders.advance(&self.relations) else { return false };
                    let part = changed.iter().filter_map(|node| self.plan.part[node.index()]).min();
                    self.done = self.done.min(part.unwrap_or(0));
                }
            }
        }
    }

    /// The axioms that forbid the execution, with the last of the orders that the model asks for if none will do.
    pub fn violated(&mut self) -> Vec<usize> {
        if self.is_consistent() { Vec::new() } else { self.failing(|role| role == Role::Forbids) }
    }

    /// The axioms that mark the execution, or make the program undefined because of it.
    pub fn flags(&mut self) -> Vec<usize> {
        self.failing(|role| role != Role::Forbids)
    }

    fn failing(&mut self, which: impl Fn(Role) -> bool) -> Vec<usize> {
        (0..self.model.axioms.len())
            .filter(|&axiom| which(self.model.axioms[axiom].role) && self.fails(axiom))
            .collect()
    }

    /// Whether the axiom with this number fires. `flag` and `undefined_unless` differ here: herd's `flag ~empty r` marks
    /// the execution when its test holds, `undefined_unless empty r` spoils the program when its test fails.
    pub fn fails(&mut self, axiom: usize) -> bool {
        let axiom = &self.model.axioms[axiom];
        self.need(axiom.node);
        let relation = &self.relations[axiom.node.index()];
        let met = match (axiom.requirement, self.model.sorts[axiom.node.index()]) {
            (Requirement::Empty, Sort::Set) => self.sets[axiom.node.index()].is_empty(),
            (Requirement::Empty, Sort::Relation) => relation.is_empty(),
            (Requirement::Acyclic, _) => relation.is_acyclic(),
            (Requirement::Irreflexive, _) => !relation.is_reflexive_somewhere(),
        };
        let holds = met != axiom.negated;
        match axiom.role {
            Role::Forbids | Role::Undefines => !holds,
            Role::Flags => holds,
        }
    }

    /// The value of a relation; an empty one for a node that is a set.
    pub fn relation(&mut self, node: NodeId) -> &Relation {
        self.need(node);
        &self.relations[node.index()]
    }

    /// The value of a set; an empty one for a node that is a relation.
    pub fn set_of(&mut self, node: NodeId) -> &EventSet {
        self.need(node);
        &self.sets[node.index()]
    }

    /// Whether a node depends on reads-from or coherence.
    pub fn varies(&self, node: NodeId) -> bool {
        self.plan.varies(node)
    }

    /// Evaluates everything, so that values can be read without asking for each.
    pub(crate) fn finish(&mut self) {
        while self.done < self.plan.varying.len() {
            let part = self.done;
            self.run(|plan| &mut plan.varying[part]);
            self.done += 1;
        }
    }

    pub(crate) fn value(&self, node: NodeId) -> &Relation {
        &self.relations[node.index()]
    }

    pub(crate) fn set_value(&self, node: NodeId) -> &EventSet {
        &self.sets[node.index()]
    }

    /// Makes sure that a node has the value of the present execution.
    fn need(&mut self, node: NodeId) {
        let Some(last) = self.plan.part[node.index()] else { return };
        while self.done <= last {
            let part = self.done;
            self.run(|plan| &mut plan.varying[part]);
            self.done += 1;
        }
    }

    fn run(&mut self, part: impl Fn(&mut Plan) -> &mut Vec<PlanStep>) {
        let steps = std::mem::take(part(&mut self.plan));
        steps.iter().for_each(|step| self.step(step));
        *part(&mut self.plan) = steps;
    }

    fn step(&mut self, step: &PlanStep) {
        match step {
            PlanStep::Node(id) => self.evaluate(*id),
            PlanStep::Fixpoint { group, nodes } => self.solve(*group, nodes),
        }
    }

    /// Iterates from nothing. If the definitions are monotone this ends in the least solution, however it is done.
    fn solve(&mut self, group: usize, nodes: &[NodeId]) {
        let bodies = &self.model.groups[group].bodies;
        let (members, others): (Vec<NodeId>, Vec<NodeId>) =
            nodes.iter().partition(|id| matches!(self.model.node(**id), Node::Rec(..)));
        for member in &members {
            self.relations[member.index()].clear();
            self.sets[member.index()] = EventSet::empty(self.writes.size());
        }
        let stepwise = self.model.groups[group].stepwise;
        let mut members = members;
        members.sort_by_key(|member| self.model.node(*member).member());
        loop {
            others.iter().for_each(|id| self.evaluate(*id));
            let mut changed = false;
            for member in &members {
                if stepwise {
                    others.iter().for_each(|id| self.evaluate(*id));
                }
                let Node::Rec(_, number) = self.model.node(*member) else { continue };
                let (own, body) = (member.index(), bodies[*number as usize].index());
                if own == body {
                    continue;
                }
                if self.relations[own] != self.relations[body] || self.sets[own] != self.sets[body] {
                    changed = true;
                    let mut value = std::mem::replace(&mut self.relations[own], Relation::empty(0));
                    value.copy_from(&self.relations[body]);
                    self.relations[own] = value;
                    self.sets[own] = self.sets[body].clone();
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn evaluate(&mut self, id: NodeId) {
        match self.model.sorts[id.index()] {
            Sort::Relation => {
                let mut out = std::mem::replace(&mut self.relations[id.index()], Relation::empty(0));
                self.evaluate_relation(id, &mut out);
                self.relations[id.index()] = out;
            }
            Sort::Set => {
                if let Some(set) = self.evaluate_set(id) {
                    self.sets[id.index()] = set;
                }
            }
        }
    }

    fn evaluate_relation(&mut self, id: NodeId, out: &mut Relation) {
        let model = self.model;
        let value = |id: &NodeId| &self.relations[id.index()];
        match model.node(id) {
            Node::Base(base) => self.communication(*base, out),
            Node::Union(parts) => {
                out.clear();
                parts.iter().for_each(|part| out.apply(value(part), |a, b| a | b));
            }
            Node::Intersection(parts) => {
                out.copy_from(value(&parts[0]));
                parts[1..].iter().for_each(|part| out.apply(value(part), |a, b| a & b));
            }
            Node::Difference(a, b) => {
                out.copy_from(value(a));
                out.apply(value(b), |a, b| a & !b);
            }
            Node::Complement(a) => *out = value(a).complement(),
            Node::Sequence(parts) => {
                let mut scratch = std::mem::replace(&mut self.scratch, Relation::empty(0));
                out.copy_from(value(&parts[0]));
                for part in &parts[1..] {
                    if let Node::Test(set) = model.node(*part) {
                        out.restrict(None, Some(&self.sets[set.index()]));
                        continue;
                    }
                    std::mem::swap(out, &mut scratch);
                    if is_transitive(model.node(*part)) {
                        out.become_transitive_composition(&scratch, value(part));
                    } else {
                        out.become_composition(&scratch, value(part));
                    }
                }
                self.scratch = scratch;
            }
            Node::Inverse(a) => {
                out.clear();
                value(a).iter().for_each(|(from, to)| out.insert(to, from));
            }
            Node::Plus(a) => {
                out.copy_from(value(a));
                out.close();
            }
            Node::Star(a) => {
                out.copy_from(value(a));
                out.close();
                out.add_identity();
            }
            Node::Optional(a) => {
                out.copy_from(value(a));
                out.add_identity();
            }
            Node::Product(a, b) => *out = Relation::product(&self.sets[a.index()], &self.sets[b.index()]),
            Node::Test(a) => {
                out.clear();
                self.sets[a.index()].iter().for_each(|event| out.insert(event, event));
            }
            Node::Order(number, set, within) => {
                let order = self.orders.current(*number, &self.sets[set.index()], &self.relations[within.index()]);
                out.clear();
                for (at, &from) in order.iter().enumerate() {
                    order[at + 1..].iter().for_each(|&to| out.insert(from, to));
                }
            }
            // Filled with the structure, by the fixpoint, or empty from the beginning.
            Node::EmptyRelation | Node::Rec(..) => {}
            Node::Set(_) | Node::EmptySet | Node::Domain(_) | Node::Range(_) => {}
        }
    }

    fn evaluate_set(&self, id: NodeId) -> Option<EventSet> {
        let value = |id: &NodeId| &self.sets[id.index()];
        let fold = |parts: &[NodeId], combine: fn(u64, u64) -> u64| {
            parts[1..].iter().fold(value(&parts[0]).clone(), |all, part| all.zip(value(part), combine))
        };
        match self.model.node(id) {
            Node::Set(BaseSet::Fw) => Some(self.writes.zip(&self.co.domain(), |all, earlier| all & !earlier)),
            Node::Union(parts) => Some(fold(parts, |a, b| a | b)),
            Node::Intersection(parts) => Some(fold(parts, |a, b| a & b)),
            Node::Difference(a, b) => Some(value(a).zip(value(b), |a, b| a & !b)),
            Node::Complement(a) => Some(value(a).complement()),
            Node::Domain(a) => Some(self.relations[a.index()].domain()),
            Node::Range(a) => Some(self.relations[a.index()].range()),
            Node::Base(_)
            | Node::Set(_)
            | Node::EmptyRelation
            | Node::EmptySet
            | Node::Sequence(_)
            | Node::Inverse(_)
            | Node::Plus(_)
            | Node::Star(_)
            | Node::Optional(_)
            | Node::Product(..)
            | Node::Test(_)
            | Node::Rec(..)
            | Node::Order(..) => None,
        }
    }

    fn communication(&self, base: Base, out: &mut Relation) {
        let (all, scope) = match base {
            Base::Rf(scope) => (&self.rf, scope),
            Base::Co(scope) => (&self.co, scope),
            Base::Fr(scope) => (&self.fr, scope),
            // The others were filled from the structure.
            Base::Po
            | Base::PoLoc
            | Base::Addr
            | Base::Data
            | Base::Ctrl
            | Base::Rmw
            | Base::Amo
            | Base::Loc
            | Base::Int
            | Base::Ext
            | Base::Id => return,
        };
        out.copy_from(all);
        match scope {
            Scope::Any => {}
            Scope::Internal => out.apply(&self.internal, |a, b| a & b),
            Scope::External => out.apply(&self.external, |a, b| a & b),
        }
    }

    /// Copies what the program has by itself.
    fn fill(&mut self, structure: &Structure) {
        for (at, node) in self.model.nodes.iter().enumerate() {
            match node {
                Node::Base(base) => {
                    let relation = match base {
                        Base::Po => structure.po.clone(),
                        Base::PoLoc => structure.po.zip(&structure.loc, |a, b| a & b),
                        Base::Addr => structure.addr.clone(),
                        Base::Data => structure.data.clone(),
                        Base::Ctrl => structure.ctrl.clone(),
                        Base::Rmw => structure.rmw.clone(),
                        Base::Amo => structure.amo.clone(),
                        Base::Loc => structure.loc.clone(),
                        Base::Int => self.internal.clone(),
                        Base::Ext => self.external.clone(),
                        Base::Id => Relation::identity(structure.size),
                        Base::Rf(_) | Base::Co(_) | Base::Fr(_) => continue,
                    };
                    self.relations[at] = relation;
                }
                Node::Set(set) => {
                    self.sets[at] = match set {
                        BaseSet::Universe => EventSet::universe(structure.size),
                        BaseSet::R => structure.reads.clone(),
                        BaseSet::W => structure.writes.clone(),
                        BaseSet::F => structure.fences.clone(),
                        BaseSet::Iw => structure.initial.clone(),
                        BaseSet::Fw => continue,
                        BaseSet::Tag(tag) => match structure.tags.get(tag) {
                            Some(set) => set.clone(),
                            None => EventSet::empty(structure.size),
                        },
                    };
                }
                Node::EmptyRelation
                | Node::EmptySet
                | Node::Union(_)
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
                | Node::Order(..) => {}
            }
        }
    }
}
