//! The ordering theory: it keeps the graphs acyclic while the solver searches.
//!
//! The active edges are kept in a topological order that is repaired when an edge is added (Pearce and Kelly's
//! algorithm). An edge that would close a cycle is answered with the clause that forbids a shortest such cycle. When the
//! solver backtracks, edges go and the order stays, since it is still topological.
//!
//! Open graphs may have cycles, but no path from the first to the second of some pairs of nodes; see `paths.rs`.

use crate::order::OrderGraph;
use crate::paths::Paths;
use crate::solver::{Lit, Search, Steps};
use cadical_sys::ExternalPropagator;
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Marks edges that are always there.
pub(crate) const FIXED: u32 = u32::MAX;

/// All graphs of a problem.
#[derive(Default)]
pub struct Theory {
    /// The literal of each edge that may be there, and its ends.
    edges: Vec<(u32, u32, Lit)>,
    /// The edges of each literal, by its code.
    watched: Vec<Vec<u32>>,
    graph: Active,
    open: Paths,
    /// The first edge of open graphs, if there are any: those behind it are also theirs.
    first_open: Option<u32>,
    /// Observed literals in the order in which they became true.
    assigned: Vec<Lit>,
    /// How many of them were already turned into edges.
    processed: usize,
    /// The length of `assigned` at each decision.
    levels: Vec<usize>,
    /// Edges in the order in which they became active, with the position in `assigned` that made them so.
    trail: Vec<(u32, usize)>,
    /// Which edges are on the trail.
    active: Vec<bool>,
    /// A clause that the solver has yet to be told, last literal first.
    clause: Option<Vec<Lit>>,
    conflicts: Rc<Cell<u64>>,
    /// Edges that were added and nodes that moved for them, which is most of the work.
    inserted: Rc<Cell<u64>>,
    search: Search,
}

/// The position of each node in an order that the fixed edges agree with; none if they have a cycle.
fn topological(graph: &OrderGraph) -> Option<Vec<u32>> {
    let count = graph.node_count();
    let (mut out, mut waits) = (vec![Vec::new(); count], vec![0u32; count]);
    for &(from, to) in graph.fixed() {
        out[from as usize].push(to);
        waits[to as usize] += 1;
    }
    let mut ready: VecDeque<u32> = (0..count as u32).filter(|&node| waits[node as usize] == 0).collect();
    let (mut position, mut done) = (vec![0; count], 0);
    while let Some(node) = ready.pop_front() {
        position[node as usize] = done;
        done += 1;
        for &next in &out[node as usize] {
            waits[next as usize] -= 1;
            if waits[next as usize] == 0 {
                ready.push_back(next);
            }
        }
    }
    (done as usize == count).then_some(position)
}

/// The edges that are there now, in a topological order of the nodes.
#[derive(Default)]
struct Active {
    out: Vec<Vec<(u32, u32)>>,
    into: Vec<Vec<(u32, u32)>>,
    position: Vec<u32>,
    parent: Vec<(u32, u32)>,
    seen: Vec<u32>,
    round: u32,
    /// How many nodes got new positions since somebody asked.
    moved: u64,
}

impl Theory {
    /// A theory without graphs.
    pub fn new() -> Self {
        Theory::default()
    }

    /// Adds a graph. Returns false if its fixed edges alone have a cycle: then there is no solution.
    pub fn add_graph(&mut self, graph: &OrderGraph) -> bool {
        let base = self.graph.out.len() as u32;
        let Some(order) = topological(graph) else { return false };
        for position in order {
            self.graph.position.push(base + position);
            self.graph.out.push(Vec::new());
            self.graph.into.push(Vec::new());
            self.graph.parent.push((0, FIXED));
            self.graph.seen.push(0);
        }
        assert!(self.first_open.is_none(), "open graphs come last");
        self.watch(graph, base);
        graph.fixed().iter().all(|&(from, to)| self.graph.insert(base + from, base + to, FIXED).is_none())
    }

    /// Adds a graph that must have no path from the first to the second of any of these pairs of nodes. Returns false if its
    /// fixed edges alone have one. All graphs without cycles come first.
    pub fn add_open(&mut self, graph: &OrderGraph, ends: &[(u32, u32)]) -> bool {
        self.first_open.get_or_insert(self.edges.len() as u32);
        let base = self.open.add(graph, ends);
        self.watch(graph, base);
        self.open.is_possible()
    }

    /// Watches the edges of a graph whose nodes begin with this number.
    fn watch(&mut self, graph: &OrderGraph, base: u32) {
        for edge in graph.edges() {
            let number = self.edges.len() as u32;
            self.edges.push((base + edge.from, base + edge.to, edge.literal));
            self.active.push(false);
            let code = edge.literal.code();
            if self.watched.len() <= code {
                self.watched.resize(code + 1, Vec::new());
            }
            self.watched[code].push(number);
        }
    }

    fn is_open(&self, edge: u32) -> bool {
        self.first_open.is_some_and(|first| edge >= first)
    }

    /// Whether there is nothing to watch.
    pub fn is_trivial(&self) -> bool {
        self.edges.is_empty()
    }

    /// Counts conflicts, edges that are added, and decisions.
    pub(crate) fn count(&mut self, conflicts: Rc<Cell<u64>>, inserted: Rc<Cell<u64>>, search: Search) {
        self.conflicts = conflicts;
        self.inserted = inserted;
        self.search = search;
    }

    /// Decisions were made or taken back.
    fn step(&self, decisions: u64, backtracks: u64) {
        let add =
            |steps: Steps| Steps { decisions: steps.decisions + decisions, backtracks: steps.backtracks + backtracks };
        self.search.set(self.search.get().map(add));
    }

    pub(crate) fn observed(&self) -> Vec<Lit> {
        let mut literals: Vec<Lit> = self.edges.iter().map(|&(_, _, literal)| literal).collect();
        literals.iter_mut().for_each(|literal| *literal = Lit(literal.0.abs()));
        literals.sort();
        literals.dedup();
        literals
    }

    /// Turns newly true literals into edges until one closes a cycle.
    fn process(&mut self) {
        while self.clause.is_none() && self.processed < self.assigned.len() {
            let at = self.processed;
            let code = self.assigned[at].code();
            let count = self.watched.get(code).map_or(0, Vec::len);
            let moved = std::mem::take(&mut self.graph.moved);
            self.inserted.set(self.inserted.get() + count as u64 + moved);
            for watch in 0..count {
                let number = self.watched[code][watch];
                let (from, to, _) = self.edges[number as usize];
                let closed = if self.is_open(number) {
                    self.open.insert(from, to, number)
                } else {
                    self.graph.insert(from, to, number)
                };
                if let Some(cycle) = closed {
                    self.clause = Some(self.forbid(&cycle));
                    // The literal stays unprocessed: its other edges come when it is still true after the conflict.
                    return;
                }
                self.active[number as usize] = true;
                self.trail.push((number, at));
            }
            self.processed += 1;
        }
    }

    /// The clause that not all of these edges are there.
    fn forbid(&self, cycle: &[u32]) -> Vec<Lit> {
        let literals = cycle.iter().filter(|&&edge| edge != FIXED).map(|&edge| !self.edges[edge as usize].2);
        let mut clause: Vec<Lit> = literals.collect();
        clause.sort();
        clause.dedup();
        clause
    }

    /// Removes the edges that became active at or after this position of `assigned`.
    fn undo(&mut self, length: usize) {
        while let Some(&(number, at)) = self.trail.last() {
            if at < length {
                break;
            }
            self.trail.pop();
            let (from, to, _) = self.edges[number as usize];
            if self.is_open(number) {
                self.open.remove(from, to, number);
            } else {
                self.graph.remove(from, to, number);
            }
            self.active[number as usize] = false;
        }
    }
}

impl ExternalPropagator for Theory {
    fn notify_assignment(&mut self, literals: &[i32]) {
        self.assigned.extend(literals.iter().map(|&literal| Lit(literal)));
        self.process();
    }

    fn notify_new_decision_level(&mut self) {
        self.levels.push(self.assigned.len());
        self.step(1, 0);
    }

    fn notify_backtrack(&mut self, new_level: usize) {
        if new_level >= self.levels.len() {
            return;
        }
        self.step(0, 1);
        let length = self.levels[new_level];
        self.levels.truncate(new_level);
        self.assigned.truncate(length);
        self.undo(length);
        self.processed = self.processed.min(length);
        self.clause = None;
        // Edges of a literal that was being processed when a conflict came up are on the trail already.
        if self.trail.last().is_some_and(|&(_, at)| at >= self.processed) {
            self.undo(self.processed);
        }
        self.process();
    }

    fn cb_check_found_model(&mut self, model: &[i32]) -> bool {
        if self.clause.is_some() {
            return false;
        }
        let highest = model.iter().map(|literal| literal.unsigned_abs()).max().unwrap_or(0) as usize;
        let mut truth = vec![false; highest + 1];
        model.iter().for_each(|&literal| truth[literal.unsigned_abs() as usize] = literal > 0);
        let value = |literal: Lit| truth.get(literal.variable() + 1).copied().unwrap_or(false) != literal.is_negated();
        // The search has seen every edge as it came; that it missed none is checked here from scratch.
        for (&(_, _, literal), &active) in self.edges.iter().zip(&self.active) {
            assert!(!value(literal) || active, "the theory has seen every edge of the model");
        }
        true
    }

    fn cb_has_external_clause(&mut self, is_forgettable: &mut bool) -> bool {
        *is_forgettable = false;
        if self.clause.is_some() {
            self.conflicts.set(self.conflicts.get() + 1);
        }
        self.clause.is_some()
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        let next = self.clause.as_mut().and_then(Vec::pop);
        match next {
            Some(literal) => literal.0,
            None => {
                self.clause = None;
                0
            }
        }
    }
}

impl Active {
    /// Adds an edge; if it closes a cycle it is not added and the edges of a shortest cycle are returned.
    fn insert(&mut self, from: u32, to: u32, edge: u32) -> Option<Vec<u32>> {
        if from == to {
            return Some(vec![edge]);
        }
        let (low, high) = (self.position[to as usize], self.position[from as usize]);
        if low < high {
            let ahead = self.forward(to, high);
            if self.seen[from as usize] == self.round {
                return Some(self.path(to, from, edge));
            }
            let behind = self.backward(from, low);
            self.moved += (ahead.len() + behind.len()) as u64;
            self.reorder(behind, ahead);
        }
        self.out[from as usize].push((to, edge));
        self.into[to as usize].push((from, edge));
        None
    }

    /// Removes an edge: it is the last one that its ends got.
    fn remove(&mut self, from: u32, to: u32, edge: u32) {
        let out = self.out[from as usize].pop();
        let into = self.into[to as usize].pop();
        assert_eq!((out, into), (Some((to, edge)), Some((from, edge))), "edges go in the opposite order of coming");
    }

    /// The nodes reachable from `start` at positions up to `limit`, breadth first; stops when `limit` is reached.
    fn forward(&mut self, start: u32, limit: u32) -> Vec<u32> {
        self.round += 1;
        self.seen[start as usize] = self.round;
        let mut queue = VecDeque::from([start]);
        let mut found = vec![start];
        while let Some(node) = queue.pop_front() {
            for &(next, edge) in &self.out[node as usize] {
                let at = self.position[next as usize];
                if at > limit || self.seen[next as usize] == self.round {
                    continue;
                }
                self.seen[next as usize] = self.round;
                self.parent[next as usize] = (node, edge);
                if at == limit {
                    return found;
                }
                found.push(next);
                queue.push_back(next);
            }
        }
        found
    }

    /// The nodes that reach `start` at positions down to `limit`.
    fn backward(&mut self, start: u32, limit: u32) -> Vec<u32> {
        self.round += 1;
        self.seen[start as usize] = self.round;
        let mut stack = vec![start];
        let mut found = vec![start];
        while let Some(node) = stack.pop() {
            for &(previous, _) in &self.into[node as usize] {
                if self.position[previous as usize] > limit && self.seen[previous as usize] != self.round {
                    self.seen[previous as usize] = self.round;
                    found.push(previous);
                    stack.push(previous);
                }
            }
        }
        found
    }

    /// Gives the nodes behind the edge the lower of their positions and those ahead of it the higher ones.
    fn reorder(&mut self, mut behind: Vec<u32>, mut ahead: Vec<u32>) {
        behind.sort_unstable_by_key(|&node| self.position[node as usize]);
        ahead.sort_unstable_by_key(|&node| self.position[node as usize]);
        let nodes: Vec<u32> = behind.into_iter().chain(ahead).collect();
        let mut positions: Vec<u32> = nodes.iter().map(|&node| self.position[node as usize]).collect();
        positions.sort_unstable();
        nodes.iter().zip(positions).for_each(|(&node, position)| self.position[node as usize] = position);
    }

    /// The edges of the path that the last [`Active::forward`] found, and the edge that closes the cycle.
    fn path(&self, start: u32, end: u32, closing: u32) -> Vec<u32> {
        let mut edges = vec![closing];
        let mut node = end;
        while node != start {
            let (previous, edge) = self.parent[node as usize];
            edges.push(edge);
            node = previous;
        }
        edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{Outcome, Solver};
    use testkit::Rng;

    fn has_cycle(nodes: usize, edges: &[(u32, u32)]) -> bool {
        let mut reach = vec![vec![false; nodes]; nodes];
        edges.iter().for_each(|&(a, b)| reach[a as usize][b as usize] = true);
        for k in 0..nodes {
            for i in 0..nodes {
                for j in 0..nodes {
                    reach[i][j] |= reach[i][k] && reach[k][j];
                }
            }
        }
        (0..nodes).any(|node| reach[node][node])
    }

    /// Random graphs with random clauses over the edges: the theory and the clocks agree with brute force.
    #[test]
    fn theory_and_clocks_agree_with_brute_force() {
        let mut rng = Rng::new(1);
        let mut outcomes = [0; 2];
        for _ in 0..400 {
            let nodes = 3 + rng.below(4);
            let count = 3 + rng.below(7);
            let mut pair = || (rng.below(nodes) as u32, rng.below(nodes) as u32);
            let ends: Vec<(u32, u32)> = (0..count).map(|_| pair()).collect();
            let fixed: Vec<(u32, u32)> = (0..nodes as u32 - 1).filter(|n| n % 2 == 0).map(|n| (n, n + 1)).collect();
            let clauses: Vec<Vec<i32>> = (0..2 + rng.below(6))
                .map(|_| {
                    (0..1 + rng.below(3))
                        .map(|_| {
                            let variable = rng.below(count) as i32 + 1;
                            if rng.below(3) == 0 { -variable } else { variable }
                        })
                        .collect()
                })
                .collect();
            let expected = (0..1u32 << count).any(|choice| {
                let holds = |l: i32| (choice >> (l.unsigned_abs() - 1) & 1 == 1) == (l > 0);
                let mut present = fixed.clone();
                present.extend((0..count).filter(|&e| choice >> e & 1 == 1).map(|e| ends[e]));
                clauses.iter().all(|c| c.iter().any(|&l| holds(l))) && !has_cycle(nodes, &present)
            });
            for clocks in [false, true] {
                let mut solver = Solver::new();
                let literals: Vec<Lit> = (0..count).map(|_| solver.fresh()).collect();
                let mut graph = OrderGraph::new();
                for _ in 0..nodes {
                    graph.node();
                }
                fixed.iter().for_each(|&(from, to)| graph.add_fixed(from, to));
                ends.iter().zip(&literals).for_each(|(&(from, to), &literal)| graph.add(from, to, literal));
                let graph = graph.simplify();
                for clause in &clauses {
                    let clause: Vec<Lit> = clause
                        .iter()
                        .map(|&l| {
                            let literal = literals[l.unsigned_abs() as usize - 1];
                            if l > 0 { literal } else { !literal }
                        })
                        .collect();
                    solver.clause(&clause);
                }
                if clocks {
                    graph.encode_clocks(&mut solver);
                } else {
                    let mut theory = Theory::new();
                    assert!(theory.add_graph(&graph));
                    solver.connect(theory);
                }
                let outcome = solver.solve(&[], &|| true);
                assert_eq!(outcome == Outcome::Satisfiable, expected, "clocks {clocks}: {ends:?} {clauses:?}");
            }
            outcomes[usize::from(expected)] += 1;
        }
        assert!(outcomes.iter().all(|&n| n > 50), "both outcomes occur often: {outcomes:?}");
    }

    #[test]
    fn a_cycle_of_fixed_edges_is_noticed() {
        let mut graph = OrderGraph::new();
        let (a, b) = (graph.node(), graph.node());
        graph.add_fixed(a, b);
        graph.add_fixed(b, a);
        assert!(!Theory::new().add_graph(&graph));
    }
}
