//! Graphs that must have no path between certain nodes.
//!
//! Every node has a row with a bit for each beginning of a pair that leads to it. When an edge becomes active, the row of its beginning joins that of its
//! end, and so on; a row that gets a bit which it must not have is a path that must not be. Rows only grow until edges go again, so that a
//! descent of the search costs as much as a closure of the graph that it ends with. Cycles do no harm.

use crate::order::OrderGraph;
use crate::theory::FIXED;
use std::collections::VecDeque;
use std::ops::Range;

/// No node.
const NONE: u32 = u32::MAX;

/// The edges that are there now.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    out: Vec<Vec<(u32, u32)>>,
    into: Vec<Vec<(u32, u32)>>,
    graphs: Vec<Graph>,
    /// The graph of each node.
    graph: Vec<u32>,
    /// All rows.
    words: Vec<u64>,
    /// For each node from which a pair must not be reached, the bits that its row must not have.
    forbidden: Vec<Option<Box<[u64]>>>,
    /// What words held before they changed, and how many of these there were before each active edge came.
    log: Vec<(usize, u64)>,
    marks: Vec<usize>,
    /// Nodes whose rows have grown and have not been passed on.
    queue: VecDeque<u32>,
    queued: Vec<bool>,
}

/// One of the graphs: where its nodes and their rows begin, and which nodes the bits of a row are.
#[derive(Debug)]
struct Graph {
    base: u32,
    words: usize,
    width: usize,
    begins: Vec<u32>,
}

impl Paths {
    /// Adds a graph with its fixed edges, and gives the number of its first node.
    pub(crate) fn add(&mut self, graph: &OrderGraph, ends: &[(u32, u32)]) -> u32 {
        let base = self.out.len() as u32;
        let count = self.out.len() + graph.node_count();
        let mut begins: Vec<u32> = ends.iter().map(|&(from, _)| base + from).collect();
        begins.sort_unstable();
        begins.dedup();
        let width = begins.len().div_ceil(64);
        self.out.resize(count, Vec::new());
        self.into.resize(count, Vec::new());
        self.graph.resize(count, self.graphs.len() as u32);
        self.forbidden.resize(count, None);
        self.queued.resize(count, false);
        self.graphs.push(Graph { base, words: self.words.len(), width, begins: begins.clone() });
        self.words.resize(self.words.len() + width * graph.node_count(), 0);
        for &(from, to) in ends {
            let bit = self.bit(base + from);
            let row = self.forbidden[(base + to) as usize].get_or_insert_with(|| vec![0; width].into());
            row[bit / 64] |= 1 << (bit % 64);
        }
        for &(from, to) in graph.fixed() {
            self.connect(base + from, base + to, FIXED);
        }
        for (at, node) in begins.into_iter().enumerate() {
            let row = self.row(node);
            self.words[row.start + at / 64] |= 1 << (at % 64);
            self.enqueue(node);
        }
        base
    }

    /// Whether the fixed edges of the graph that was added last have no path that must not be.
    pub(crate) fn is_possible(&mut self) -> bool {
        let nodes: Vec<u32> = self.queue.iter().copied().collect();
        let possible = nodes.into_iter().all(|node| !self.is_forbidden(node)) && self.pass_on().is_none();
        self.log.clear();
        possible
    }

    /// Which bit of its graph's rows a beginning of pairs is.
    fn bit(&self, node: u32) -> usize {
        self.graphs[self.graph[node as usize] as usize].begins.partition_point(|&other| other < node)
    }

    /// Where the row of a node is.
    fn row(&self, node: u32) -> Range<usize> {
        let graph = &self.graphs[self.graph[node as usize] as usize];
        let start = graph.words + (node - graph.base) as usize * graph.width;
        start..start + graph.width
    }

    fn is_forbidden(&self, node: u32) -> bool {
        let Some(mask) = &self.forbidden[node as usize] else { return false };
        let first = self.row(node).start;
        (0..mask.len()).any(|at| self.words[first + at] & mask[at] != 0)
    }

    fn connect(&mut self, from: u32, to: u32, edge: u32) {
        self.out[from as usize].push((to, edge));
        self.into[to as usize].push((from, edge));
    }

    fn enqueue(&mut self, node: u32) {
        if !std::mem::replace(&mut self.queued[node as usize], true) {
            self.queue.push_back(node);
        }
    }

    /// What leads to a node leads to the next one. Says whether that makes a path that must not be.
    fn join(&mut self, node: u32, next: u32) -> bool {
        let (from, to) = (self.row(node), self.row(next));
        let mut grown = false;
        for at in 0..from.len() {
            let old = self.words[to.start + at];
            let new = old | self.words[from.start + at];
            if new != old {
                self.log.push((to.start + at, old));
                self.words[to.start + at] = new;
                grown = true;
            }
        }
        if grown {
            self.enqueue(next);
        }
        grown && self.is_forbidden(next)
    }

    /// Passes on what rows have got, nearest first, until one has a bit that it must not have: then gives its node.
    fn pass_on(&mut self) -> Option<u32> {
        while let Some(node) = self.queue.pop_front() {
            self.queued[node as usize] = false;
            for at in 0..self.out[node as usize].len() {
                let (next, _) = self.out[node as usize][at];
                if self.join(node, next) {
                    self.settle();
                    return Some(next);
                }
            }
        }
        None
    }

    /// Forgets what would have to be passed on.
    fn settle(&mut self) {
        while let Some(node) = self.queue.pop_front() {
            self.queued[node as usize] = false;
        }
    }

    /// Adds an edge; if there is then a path that must not be it is not added, and the edges of the path are returned.
    pub(crate) fn insert(&mut self, from: u32, to: u32, edge: u32) -> Option<Vec<u32>> {
        let mark = self.log.len();
        self.connect(from, to, edge);
        let reached = if self.join(from, to) { Some(to) } else { self.pass_on() };
        self.settle();
        self.marks.push(mark);
        let path = self.path(reached?);
        self.remove(from, to, edge);
        Some(path)
    }

    /// Removes an edge: it is the last one that came.
    pub(crate) fn remove(&mut self, from: u32, to: u32, edge: u32) {
        let (out, into) = (self.out[from as usize].pop(), self.into[to as usize].pop());
        assert_eq!((out, into), (Some((to, edge)), Some((from, edge))), "edges go in the opposite order of coming");
        let mark = self.marks.pop().unwrap_or(0);
        for (word, old) in self.log.drain(mark..).rev() {
            self.words[word] = old;
        }
    }

    /// The edges of a shortest path that must not be to a node.
    fn path(&self, last: u32) -> Vec<u32> {
        let graph = &self.graphs[self.graph[last as usize] as usize];
        let mask = self.forbidden[last as usize].as_deref().unwrap_or_default();
        let is_begin = |node: u32| {
            let bit = self.bit(node);
            graph.begins.get(bit) == Some(&node) && mask.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
        };
        let nodes = self.graph.iter().skip(graph.base as usize).take_while(|&&of| of == self.graph[last as usize]);
        let mut seen = vec![(NONE, FIXED); nodes.count()];
        let at = |node: u32| (node - graph.base) as usize;
        seen[at(last)] = (last, FIXED);
        let mut queue = VecDeque::from([last]);
        loop {
            let mut node = queue.pop_front().expect("a bit has come over edges that are there");
            if is_begin(node) {
                let mut edges = Vec::new();
                while node != last {
                    let (next, edge) = seen[at(node)];
                    edges.push(edge);
                    node = next;
                }
                return edges;
            }
            for &(previous, edge) in &self.into[node as usize] {
                if seen[at(previous)].0 == NONE {
                    seen[at(previous)] = (node, edge);
                    queue.push_back(previous);
                }
            }
        }
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

    #[test]
    fn a_graph_of_which_nothing_is_left_forbids_nothing() {
        let (graph, ends) = OrderGraph::new().between(&[]);
        assert!(Theory::new().add_open(&graph, &ends));
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
