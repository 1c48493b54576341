//! Reads of locations that only one thread writes.
//!
//! The writes have an order that is known, so what a read sees is a height: at least the first write, at least the second, and so on. A read that is at
//! least as high as a write comes after it, and one that is lower comes before it. If edges carry these conditions and not the choice
//! of a single write, one conflict tells the solver about all lower and all higher writes too: there are as many conflicts as writes and
//! not as pairs of them.

use crate::communication::Candidate;
use crate::events::{Events, WriteChain};
use crate::graph::{Ends, HOME, Layer, Product};
use logic::{Bool, OrderGraph};
use model::Scope;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What a read sees of the writes of a location's only writer.
#[derive(Debug, Clone)]
pub(crate) struct Ladder {
    pub(crate) thread: u32,
    /// The writes in coherence order, and when the read sees this one or a later one.
    pub(crate) rungs: Rc<Vec<(usize, Bool)>>,
}

const ANYWHERE: Ends = Ends { from: None, to: None };

impl Events<'_> {
    /// The ladder of a read, if its location has one writer.
    pub(crate) fn ladder(&self, read: usize) -> Option<Ladder> {
        self.ladders.get(&read).cloned()
    }

    /// The number of the chain that all writes to the location of a read are in, but for the initial one.
    pub(crate) fn only_chain(&self, read: usize) -> Option<usize> {
        let location = self.certain_location(read)?;
        let first = self.chains.partition_point(|chain| chain.location < location);
        let chain = self.chains.get(first).filter(|chain| chain.location == location)?;
        // An initial write has the number of its location.
        let others = |&&(event, _): &&(usize, Bool)| self.kind(event) == symbolic::Kind::Write && event != location;
        let all = self.accesses[location].iter().filter(others).count();
        (all == chain.writes.len()).then_some(first)
    }

    /// Chooses what a read sees of the writes of a chain and the initial one, by how high it is: a truth value for "this one or a later one"
    /// each. That it sees one of them, and one only, needs no more than that these are in order.
    pub(crate) fn choose_height(&mut self, read: usize, possible: &[Candidate], chain: usize) {
        let WriteChain { thread, writes, .. } = self.chains[chain].clone();
        let guard = self.guard(read);
        let place: FxHashMap<usize, usize> =
            writes.iter().enumerate().map(|(at, &(_, write))| (write, at + 1)).collect();
        let height = |write: usize| place.get(&write).copied().unwrap_or(0);
        let mut possible: Vec<&Candidate> = possible.iter().collect();
        possible.sort_by_key(|(write, ..)| height(*write));
        let mut heights = vec![guard];
        for _ in 1..possible.len() {
            let at_least = self.structure.terms.fresh_bool();
            let below = heights[heights.len() - 1];
            let constraint = self.structure.terms.implies(at_least, below);
            self.constraints.push(constraint);
            heights.push(at_least);
        }
        let whole = possible.iter().all(|(.., seen)| matches!(seen[..], [(Bool::TRUE, _)]));
        if whole {
            let written = possible.iter().zip(&heights).map(|((.., seen), &height)| (height, seen[0].1));
            self.heights.push((written.collect(), self.structure.events[read].value));
        }
        let mut sources = Vec::with_capacity(possible.len());
        for (at, &&(write, _, ref seen)) in possible.iter().enumerate() {
            let from = self.guard(write);
            let above = heights.get(at + 1).copied().unwrap_or(Bool::FALSE);
            let terms = &mut self.structure.terms;
            let reads = terms.and(heights[at], !above);
            let executed = terms.implies(reads, from);
            self.constraints.push(executed);
            for &(when, written) in seen.iter().filter(|_| !whole) {
                let when = terms.and(reads, when);
                self.copies.push((when, written, self.structure.events[read].value));
            }
            sources.push((write, reads));
        }
        self.rf[read] = sources;
        let mut rungs = Vec::with_capacity(writes.len());
        let mut next = 0;
        for &(_, write) in &writes {
            while possible.get(next).is_some_and(|(other, ..)| height(*other) < height(write)) {
                next += 1;
            }
            // What is seen for certain whenever the read is executed is relative to that.
            let at_least = if next == 0 { Bool::TRUE } else { heights.get(next).copied().unwrap_or(Bool::FALSE) };
            rungs.push((write, at_least));
        }
        self.ladders.insert(read, Ladder { thread, rungs: Rc::new(rungs) });
    }

    /// Whether the writer of a ladder is in this scope of a reader.
    pub(crate) fn ladder_in_scope(&self, scope: Scope, read: usize, ladder: &Ladder) -> bool {
        let near = self.structure.events[read].thread.is_some_and(|thread| thread.0 == ladder.thread);
        match scope {
            Scope::Any => true,
            Scope::Internal => near,
            Scope::External => !near,
        }
    }
}

impl Product<'_, '_, '_> {
    /// Reads-from by a ladder: the read comes after each write that it is at least as high as. The graph has coherence within
    /// the writer's thread, so this adds nothing to it but shorter ways.
    pub(crate) fn climb(&mut self, scope: Scope, read: usize, ladder: &Ladder) {
        let location = self.events.certain_location(read);
        for at in 0..self.events.rf[read].len() {
            let (write, when) = self.events.rf[read][at];
            if Some(write) == location && self.events.in_scope(scope, write, read) {
                self.step((HOME, write), (HOME, read), when, true, &ANYWHERE);
            }
        }
        if !self.events.ladder_in_scope(scope, read, ladder) {
            return;
        }
        // Of those below for certain the highest that is executed for certain stands for all.
        for &(write, at_least) in ladder.rungs.iter().rev() {
            self.step((HOME, write), (HOME, read), at_least, false, &ANYWHERE);
            if at_least == Bool::TRUE && self.events.guard(write) == Bool::TRUE {
                break;
            }
        }
    }

    /// From-read by ladders: a read comes before each write that it is lower than.
    pub(crate) fn descend(&mut self, scope: Scope, readers: Vec<usize>, (p, q): (Layer, Layer), ends: &Ends) {
        // Where the graph has coherence within the writer's thread the first of those above for certain stands for all.
        let first = self.can_climb(p, q, ends);
        for read in readers {
            let Some(ladder) = self.events.ladder(read) else { continue };
            if !self.events.ladder_in_scope(scope, read, &ladder) {
                continue;
            }
            for &(write, at_least) in ladder.rungs.iter() {
                if self.are_one(read, write) {
                    continue;
                }
                self.step((p, read), (q, write), !at_least, false, ends);
                if first && at_least == Bool::FALSE && self.events.guard(write) == Bool::TRUE {
                    break;
                }
            }
        }
    }

    /// Reads-from by ladders where the graph need not have coherence within the writer's thread. When all its edges that are there for
    /// certain are known, they may lead from each write to the next: then it is as good as if it had.
    pub(crate) fn climb_where_ordered(&mut self) {
        let climbs = std::mem::take(&mut self.climbs);
        if climbs.is_empty() {
            return;
        }
        let certain = Certain::new(&self.graph);
        let mut known: FxHashMap<(u32, u32), bool> = FxHashMap::default();
        for Climb { read, layers: (p, q), ends } in climbs {
            let Some(ladder) = self.events.ladder(read) else { continue };
            let choices: FxHashMap<usize, Bool> = self.events.rf[read].iter().copied().collect();
            let mut above: Option<u32> = None;
            let mut ordered = true;
            for &(write, at_least) in ladder.rungs.iter().rev() {
                let node = self.node(p, write);
                let follows = |above: u32| *known.entry((node, above)).or_insert_with(|| certain.path(node, above));
                ordered = ordered && above.is_none_or(follows);
                match choices.get(&write) {
                    Some(&when) if !ordered => self.step((p, write), (q, read), when, true, &ends),
                    Some(_) => self.step((p, write), (q, read), at_least, false, &ends),
                    None => {}
                }
                ordered = ordered && self.allowed(write, &ends.from) == Bool::TRUE;
                above = Some(node);
            }
        }
    }
}

/// A step of reads-from between two layers that waits for [`Product::climb_where_ordered`].
pub(crate) struct Climb {
    pub(crate) read: usize,
    pub(crate) layers: (Layer, Layer),
    pub(crate) ends: Ends,
}

/// The edges of a graph that are there for certain.
struct Certain {
    edges: Vec<(u32, u32)>,
}

impl Certain {
    /// How many nodes are looked at for a path: from a write to the next one through the fence between them it is a short one.
    const NEAR: usize = 64;

    fn new(graph: &OrderGraph) -> Self {
        let mut edges = graph.fixed().to_vec();
        edges.sort_unstable();
        Certain { edges }
    }

    /// Whether a short path leads from a node to another one.
    fn path(&self, from: u32, to: u32) -> bool {
        if from == to {
            return true;
        }
        let (mut seen, mut next) = (vec![from], 0);
        while let Some(&node) = seen.get(next)
            && next < Certain::NEAR
        {
            next += 1;
            let first = self.edges.partition_point(|edge| edge.0 < node);
            for &(_, end) in self.edges[first..].iter().take_while(|edge| edge.0 == node) {
                if end == to {
                    return true;
                }
                if !seen.contains(&end) {
                    seen.push(end);
                }
            }
        }
        false
    }
}
