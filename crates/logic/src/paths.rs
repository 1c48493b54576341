//! Graphs that must have no path between certain nodes.
//!
//! When an edge becomes active, the nodes that lead to its beginning and those that its end leads to are visited, and a pair of which one node is among the
//! former and the other among the latter is a path that must not be. Cycles do no harm.

use crate::order::OrderGraph;
use crate::theory::FIXED;
use std::collections::VecDeque;

/// No node, or no pair.
const NONE: u32 = u32::MAX;

/// The edges that are there now.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    out: Vec<Vec<(u32, u32)>>,
    into: Vec<Vec<(u32, u32)>>,
    /// The pairs that begin and that end at each node.
    begins: Vec<Vec<u32>>,
    ends: Vec<Vec<u32>>,
    /// For each pair the round in which its beginning was found to lead to an edge, and which node that is.
    led: Vec<(u32, u32)>,
    /// For each node the round in which it was visited, and by which edge from which node; backwards and forwards.
    behind: Vec<(u32, u32, u32)>,
    ahead: Vec<(u32, u32, u32)>,
    round: u32,
    pairs: Vec<(u32, u32)>,
}

impl Paths {
    /// Adds a graph with its fixed edges, and gives the number of its first node.
    pub(crate) fn add(&mut self, graph: &OrderGraph, ends: &[(u32, u32)]) -> u32 {
        let base = self.out.len() as u32;
        let count = self.out.len() + graph.node_count();
        self.out.resize(count, Vec::new());
        self.into.resize(count, Vec::new());
        self.begins.resize(count, Vec::new());
        self.ends.resize(count, Vec::new());
        self.behind.resize(count, (0, NONE, NONE));
        self.ahead.resize(count, (0, NONE, NONE));
        for &(from, to) in ends {
            let pair = self.pairs.len() as u32;
            self.pairs.push((base + from, base + to));
            self.led.push((0, NONE));
            self.begins[(base + from) as usize].push(pair);
            self.ends[(base + to) as usize].push(pair);
        }
        for &(from, to) in graph.fixed() {
            self.connect(base + from, base + to, FIXED);
        }
        base
    }

    /// Whether the edges that are there have no path that must not be.
    pub(crate) fn is_possible(&mut self) -> bool {
        (0..self.pairs.len()).all(|pair| {
            let (from, to) = self.pairs[pair];
            self.round += 1;
            self.forward(from, |_, node| node == to).is_none()
        })
    }

    fn connect(&mut self, from: u32, to: u32, edge: u32) {
        self.out[from as usize].push((to, edge));
        self.into[to as usize].push((from, edge));
    }

    /// Adds an edge; if there is then a path that must not be it is not added, and the edges of the path are returned.
    pub(crate) fn insert(&mut self, from: u32, to: u32, edge: u32) -> Option<Vec<u32>> {
        self.round += 1;
        if self.backward(from) {
            let round = self.round;
            let meets = |paths: &Paths, node: u32| {
                paths.ends[node as usize].iter().any(|&pair| paths.led[pair as usize].0 == round)
            };
            if let Some(last) = self.forward(to, meets) {
                return Some(self.path(from, to, last, edge));
            }
        }
        self.connect(from, to, edge);
        None
    }

    /// Removes an edge: it is the last one that its ends got.
    pub(crate) fn remove(&mut self, from: u32, to: u32, edge: u32) {
        let (out, into) = (self.out[from as usize].pop(), self.into[to as usize].pop());
        assert_eq!((out, into), (Some((to, edge)), Some((from, edge))), "edges go in the opposite order of coming");
    }

    /// Visits what leads to a node, nearest first. Says whether a pair begins there.
    fn backward(&mut self, start: u32) -> bool {
        let mut found = false;
        self.behind[start as usize] = (self.round, NONE, NONE);
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for &pair in &self.begins[node as usize] {
                self.led[pair as usize] = (self.round, node);
                found = true;
            }
            for &(previous, edge) in &self.into[node as usize] {
                if self.behind[previous as usize].0 != self.round {
                    self.behind[previous as usize] = (self.round, node, edge);
                    queue.push_back(previous);
                }
            }
        }
        found
    }

    /// Visits what a node leads to, nearest first, until it finds what it looks for.
    fn forward(&mut self, start: u32, wanted: impl Fn(&Paths, u32) -> bool) -> Option<u32> {
        self.ahead[start as usize] = (self.round, NONE, NONE);
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            if wanted(self, node) {
                return Some(node);
            }
            for at in 0..self.out[node as usize].len() {
                let (next, edge) = self.out[node as usize][at];
                if self.ahead[next as usize].0 != self.round {
                    self.ahead[next as usize] = (self.round, node, edge);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// The edges from the beginning of a pair over an edge to the pair's end.
    fn path(&self, from: u32, to: u32, last: u32, edge: u32) -> Vec<u32> {
        let mut edges = vec![edge];
        let mut node = last;
        while node != to {
            let (_, previous, edge) = self.ahead[node as usize];
            edges.push(edge);
            node = previous;
        }
        let met = self.ends[last as usize].iter().find(|&&pair| self.led[pair as usize].0 == self.round);
        let mut node = met.map_or(from, |&pair| self.led[pair as usize].1);
        while node != from {
            let (_, next, edge) = self.behind[node as usize];
            edges.push(edge);
            node = next;
        }
        edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{Lit, Outcome, Solver};
    use crate::theory::Theory;
    use testkit::Rng;

    /// Whether a node leads to another one.
    fn leads(nodes: usize, edges: &[(u32, u32)], from: u32, to: u32) -> bool {
        let mut reached = vec![false; nodes];
        reached[from as usize] = true;
        for _ in 0..nodes {
            edges.iter().for_each(|&(a, b)| reached[b as usize] |= reached[a as usize]);
        }
        reached[to as usize]
    }

    /// Random graphs with random pairs, and clauses that want edges: as many solutions as trying all choices finds.
    #[test]
    fn no_path_is_missed_and_none_is_made_up() {
        let mut rng = Rng::new(7);
        let mut total = 0;
        for _ in 0..300 {
            let nodes = 3 + rng.below(4);
            let mut pair = || (rng.below(nodes) as u32, rng.below(nodes) as u32);
            let ends: Vec<(u32, u32)> = (0..7).map(|_| pair()).collect();
            let forbidden: Vec<(u32, u32)> = (0..2).map(|_| pair()).filter(|(a, b)| a != b).collect();
            let fixed: Vec<(u32, u32)> = (0..1).map(|_| pair()).collect();
            let expected = (0..1u32 << ends.len()).filter(|choice| {
                let mut present = fixed.clone();
                present.extend((0..ends.len()).filter(|edge| choice >> edge & 1 == 1).map(|edge| ends[edge]));
                forbidden.iter().all(|&(from, to)| !leads(nodes, &present, from, to))
            });
            let expected = expected.count();
            let mut solver = Solver::new();
            let literals: Vec<Lit> = (0..ends.len()).map(|_| solver.fresh()).collect();
            let mut graph = OrderGraph::new();
            (0..nodes).for_each(|_| {
                graph.node();
            });
            fixed.iter().for_each(|&(from, to)| graph.add_fixed(from, to));
            ends.iter().zip(&literals).for_each(|(&(from, to), &literal)| graph.add(from, to, literal));
            let mut theory = Theory::new();
            let mut found = 0;
            if theory.add_open(&graph, &forbidden) {
                solver.connect(theory);
                while solver.solve(&[], &|| true) == Outcome::Satisfiable {
                    found += 1;
                    let clause: Vec<Lit> = literals
                        .iter()
                        .map(|&literal| if solver.value(literal) { !literal } else { literal })
                        .collect();
                    solver.clause(&clause);
                }
            }
            assert_eq!(found, expected, "{ends:?}, fixed {fixed:?}, forbidden {forbidden:?}");
            total += found;
        }
        assert!(total > 3000, "{total} solutions");
    }
}
