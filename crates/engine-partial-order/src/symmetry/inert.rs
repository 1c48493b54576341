//! Fences that do nothing beside others.
//!
//! Between starting one thread and the next there is a fence, and one behind each that is waited for. So the threads are not before and
//! after the same events, although nobody could tell. A fence can be left out if nothing comes before it; if whatever comes before it
//! comes before an equal fence earlier in its thread; or if whatever comes after it comes after an equal fence later.

use crate::events::Events;
use model::{Base, BaseSet, Model, Node, NodeId};
use rustc_hash::FxHashSet;
use symbolic::Kind;

/// Whether leaving such fences out changes no axiom of a model. What is taken away somewhere must have nothing to do with program order or
/// fences; and a path must come to a fence by program order, not by relations between whatever events there are.
pub(super) fn may_be_ignored(model: &Model) -> bool {
    let free: Vec<bool> = free(model);
    let is_free = |node: &NodeId| free[node.index()];
    let mut taken: Vec<NodeId> = Vec::new();
    for node in &model.nodes {
        match node {
            Node::Difference(_, right) => taken.push(*right),
            Node::Complement(inner) => taken.push(*inner),
            Node::Inverse(inner) => taken.push(*inner),
            Node::Sequence(parts) if parts.iter().any(is_free) => return false,
            Node::Plus(inner) | Node::Star(inner) | Node::Domain(inner) | Node::Range(inner) if is_free(inner) => {
                return false;
            }
            Node::Base(_)
            | Node::Set(_)
            | Node::EmptyRelation
            | Node::EmptySet
            | Node::Union(_)
            | Node::Intersection(_)
            | Node::Sequence(_)
            | Node::Plus(_)
            | Node::Star(_)
            | Node::Optional(_)
            | Node::Product(..)
            | Node::Test(_)
            | Node::Domain(_)
            | Node::Range(_)
            | Node::Rec(..) => {}
            // Each fence of its set has a place of its own in it.
            Node::Order(..) => return false,
        }
    }
    !model.axioms.iter().any(|axiom| is_free(&axiom.node)) && !taken.into_iter().any(|node| mentions_order(model, node))
}

/// For each node, whether it can relate a fence to events that have nothing to do with it.
fn free(model: &Model) -> Vec<bool> {
    let mut free: Vec<bool> = Vec::with_capacity(model.nodes.len());
    for node in &model.nodes {
        let is_free = match node {
            Node::Base(base) => matches!(base, Base::Int | Base::Ext),
            Node::Product(..) | Node::Complement(_) | Node::Order(..) => true,
            Node::Union(parts) => parts.iter().any(|part| free[part.index()]),
            Node::Intersection(parts) => parts.iter().all(|part| free[part.index()]),
            Node::Difference(inner, _) | Node::Optional(inner) | Node::Inverse(inner) => free[inner.index()],
            // These are asked for free parts by themselves.
            Node::Sequence(_) | Node::Plus(_) | Node::Star(_) | Node::Rec(..) => false,
            Node::Set(_) | Node::EmptySet | Node::EmptyRelation | Node::Test(_) | Node::Domain(_) | Node::Range(_) => {
                false
            }
        };
        free.push(is_free);
    }
    free
}

/// Whether an expression has to do with program order or with fences.
fn mentions_order(model: &Model, node: NodeId) -> bool {
    let mut open = vec![node];
    let mut seen = vec![false; model.nodes.len()];
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            continue;
        }
        let node = model.node(node);
        if matches!(node, Node::Base(Base::Po | Base::Ctrl) | Node::Set(BaseSet::F | BaseSet::Tag(_)) | Node::Rec(..)) {
            return true;
        }
        open.extend(node.children());
    }
    false
}

/// The fences of threads outside a group that do nothing.
pub(super) fn fences(events: &mut Events<'_>, group: &[u32]) -> FxHashSet<usize> {
    let mut ignored = FxHashSet::default();
    for thread in 0..events.structure.threads.len() as u32 {
        if !group.contains(&thread) {
            Thread::new(events, thread).ignore(events, &mut ignored);
        }
    }
    ignored
}

/// A thread with the positions where links to and from others are.
struct Thread {
    events: Vec<usize>,
    arrivals: Vec<u32>,
    departures: Vec<u32>,
}

impl Thread {
    fn new(events: &Events<'_>, thread: u32) -> Self {
        let links = events.order.links();
        Thread {
            events: events.structure.threads[thread as usize].iter().map(|&event| event as usize).collect(),
            arrivals: links.iter().filter(|link| link.to.0 == thread).map(|link| link.to.1).collect(),
            departures: links.iter().filter(|link| link.from.0 == thread).map(|link| link.from.1).collect(),
        }
    }

    fn ignore(&self, events: &mut Events<'_>, ignored: &mut FxHashSet<usize>) {
        // Those that others are left out for.
        let mut needed = FxHashSet::default();
        for at in 0..self.events.len() {
            if self.is_fence(events, at)
                && (self.is_first(events, at) || self.earlier(events, at, ignored, &mut needed))
            {
                ignored.insert(self.events[at]);
            }
        }
        for at in (0..self.events.len()).rev() {
            let event = self.events[at];
            if self.is_fence(events, at)
                && !needed.contains(&event)
                && !ignored.contains(&event)
                && self.later(events, at, ignored, &mut needed)
            {
                ignored.insert(event);
            }
        }
    }

    fn is_fence(&self, events: &Events<'_>, at: usize) -> bool {
        events.kind(self.events[at]) == Kind::Fence
    }

    /// Whether nothing but fences comes before.
    fn is_first(&self, events: &Events<'_>, at: usize) -> bool {
        (0..at).all(|before| self.is_fence(events, before))
            && self.arrivals.iter().all(|&arrival| arrival as usize > at)
    }

    fn are_alike(&self, events: &Events<'_>, a: usize, b: usize) -> bool {
        let tags = |at: usize| &events.structure.events[self.events[at]].tags;
        tags(a) == tags(b)
    }

    /// Whether an equal fence comes earlier, and nothing between them.
    fn earlier(
        &self,
        events: &mut Events<'_>,
        at: usize,
        ignored: &FxHashSet<usize>,
        needed: &mut FxHashSet<usize>,
    ) -> bool {
        for before in (0..at).rev() {
            let between = |&arrival: &u32| arrival as usize > before && arrival as usize <= at;
            if !self.is_fence(events, before) || self.arrivals.iter().any(between) {
                return false;
            }
            if ignored.contains(&self.events[before]) {
                continue;
            }
            let (one, other) = (events.guard(self.events[at]), events.guard(self.events[before]));
            let covered = self.are_alike(events, at, before) && events.implied(one, other);
            if covered {
                needed.insert(self.events[before]);
            }
            return covered;
        }
        false
    }

    /// Whether an equal fence comes later, whenever anything does, and nothing between them.
    fn later(
        &self,
        events: &mut Events<'_>,
        at: usize,
        ignored: &FxHashSet<usize>,
        needed: &mut FxHashSet<usize>,
    ) -> bool {
        if self.departures.iter().any(|&departure| departure as usize > at) {
            return false;
        }
        for after in at + 1..self.events.len() {
            if !self.is_fence(events, after) {
                return false;
            }
            let fence = events.guard(self.events[after]);
            let passed = |events: &mut Events<'_>, later: usize| {
                let guard = events.guard(self.events[later]);
                events.implied(guard, fence)
            };
            if ignored.contains(&self.events[after]) {
                continue;
            }
            let covered =
                self.are_alike(events, at, after) && (after + 1..self.events.len()).all(|later| passed(events, later));
            if covered {
                needed.insert(self.events[after]);
            }
            return covered;
        }
        false
    }
}
