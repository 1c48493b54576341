//! Graphs that must have no cycle, with literals on their edges.

use crate::solver::{Lit, Solver};

/// No number.
const NONE: u32 = u32::MAX;

/// The nodes that these lead to over some edges, themselves among them.
fn reached(nodes: u32, edges: &mut [(u32, u32)], mut open: Vec<u32>) -> Vec<bool> {
    edges.sort_unstable();
    let mut reached = vec![false; nodes as usize];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node as usize], true) {
            let first = edges.partition_point(|edge| edge.0 < node);
            open.extend(edges[first..].iter().take_while(|edge| edge.0 == node).map(|edge| edge.1));
        }
    }
    reached
}

/// An edge that is there if its literal holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Where it begins.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
    /// When it is there.
    pub literal: Lit,
}

/// A graph that must have no cycle.
#[derive(Debug, Clone, Default)]
pub struct OrderGraph {
    nodes: u32,
    fixed: Vec<(u32, u32)>,
    edges: Vec<Edge>,
}

impl OrderGraph {
    /// A graph without nodes.
    pub fn new() -> Self {
        OrderGraph::default()
    }

    /// A new node.
    pub fn node(&mut self) -> u32 {
        self.nodes += 1;
        self.nodes - 1
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes as usize
    }

    /// The edges that are always there.
    pub fn fixed(&self) -> &[(u32, u32)] {
        &self.fixed
    }

    /// The edges that may be there.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// An edge that is always there.
    pub fn add_fixed(&mut self, from: u32, to: u32) {
        self.fixed.push((from, to));
    }

    /// An edge that is there if `literal` holds.
    pub fn add(&mut self, from: u32, to: u32, literal: Lit) {
        self.edges.push(Edge { from, to, literal });
    }

    /// Drops what no cycle can use: nodes and edges outside of strongly connected components, and repeated edges.
    #[must_use]
    pub fn simplify(mut self) -> OrderGraph {
        let every = self.fixed.iter().copied().chain(self.edges.iter().map(|edge| (edge.from, edge.to)));
        let (component, _) = components(self.nodes, every);
        let inside = |from: u32, to: u32| component[from as usize] == component[to as usize];
        self.fixed.retain(|&(from, to)| inside(from, to));
        self.edges.retain(|edge| inside(edge.from, edge.to));
        self.tidy();
        self.renumber();
        self.contract(&vec![false; self.nodes as usize]);
        self.renumber();
        self
    }

    /// Leaves out nodes without edges. Says which number each node has now, if it is still there.
    fn renumber(&mut self) -> Vec<u32> {
        let mut number = vec![NONE; self.nodes as usize];
        let mut count = 0;
        let endpoints = self.fixed.iter().copied().chain(self.edges.iter().map(|e| (e.from, e.to)));
        for node in endpoints.flat_map(|(from, to)| [from, to]) {
            if number[node as usize] == NONE {
                number[node as usize] = count;
                count += 1;
            }
        }
        let renumber = |node: u32| number[node as usize];
        self.fixed.iter_mut().for_each(|(from, to)| (*from, *to) = (renumber(*from), renumber(*to)));
        self.edges.iter_mut().for_each(|e| (e.from, e.to) = (renumber(e.from), renumber(e.to)));
        self.nodes = count;
        number
    }

    /// Leaves out nodes without edges, and gives those of these pairs that are left, with the numbers that they have now.
    fn renumbered(&mut self, ends: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let number = self.renumber();
        let numbered = ends.iter().map(|&(from, to)| (number[from as usize], number[to as usize]));
        numbered.filter(|&(from, to)| from != NONE && to != NONE).collect()
    }

    /// Leaves what paths from the first to the second of these pairs can use, and gives the pairs between which there can be one, with the
    /// numbers that their nodes have now.
    #[must_use]
    pub fn between(mut self, ends: &[(u32, u32)]) -> (OrderGraph, Vec<(u32, u32)>) {
        let all = |graph: &OrderGraph| -> Vec<(u32, u32)> {
            graph.fixed.iter().copied().chain(graph.edges.iter().map(|edge| (edge.from, edge.to))).collect()
        };
        let mut pairs = all(&self);
        let ahead = reached(self.nodes, &mut pairs, ends.iter().map(|&(from, _)| from).collect());
        pairs.iter_mut().for_each(|(from, to)| std::mem::swap(from, to));
        let behind = reached(self.nodes, &mut pairs, ends.iter().map(|&(_, to)| to).collect());
        let useful = |from: u32, to: u32| ahead[from as usize] && behind[to as usize];
        self.fixed.retain(|&(from, to)| useful(from, to));
        self.edges.retain(|edge| useful(edge.from, edge.to));
        self.tidy();
        let ends = self.renumbered(ends);
        let mut kept = vec![false; self.nodes as usize];
        ends.iter().for_each(|&(from, to)| (kept[from as usize], kept[to as usize]) = (true, true));
        self.contract(&kept);
        let ends = self.renumbered(&ends);
        (self, ends)
    }

    /// Sorts the edges; each is there once.
    fn tidy(&mut self) {
        self.fixed.sort_unstable();
        self.fixed.dedup();
        self.edges.sort_unstable_by_key(|edge| (edge.from, edge.to, edge.literal));
        self.edges.dedup();
    }

    /// Makes one of two nodes where a fixed edge between them is the only way on from the first, or the only way to the second: who passes one of
    /// them passes the other. Nodes that are kept are no such first or second ones.
    fn contract(&mut self, kept: &[bool]) {
        let (mut before, mut forward) = (usize::MAX, true);
        // In turns, until neither way there is anything left.
        let mut idle = 0;
        while idle < 2 {
            self.contract_once(kept, forward);
            let count = self.fixed.len() + self.edges.len();
            idle = if count == before { idle + 1 } else { 0 };
            (before, forward) = (count, !forward);
        }
    }

    /// The same for edges that are the only way on (`forward`), or the only way there.
    fn contract_once(&mut self, kept: &[bool], forward: bool) {
        let ends = |from: u32, to: u32| if forward { (from, to) } else { (to, from) };
        let mut degree = vec![0u32; self.nodes as usize];
        let mut partner: Vec<Option<u32>> = vec![None; self.nodes as usize];
        for edge in &self.edges {
            degree[ends(edge.from, edge.to).0 as usize] += 1;
        }
        for &(from, to) in &self.fixed {
            let (own, other) = ends(from, to);
            degree[own as usize] += 1;
            partner[own as usize] = Some(other);
        }
        let goes = |node: u32| {
            let other = partner[node as usize].filter(|&other| other != node && degree[node as usize] == 1);
            other.filter(|_| !kept[node as usize])
        };
        // Where each node goes in the end; nodes that go round in a circle stay.
        let mut target: Vec<u32> = (0..self.nodes).collect();
        let mut state = vec![0u8; self.nodes as usize];
        let mut path = Vec::new();
        for start in 0..self.nodes {
            let mut at = start;
            while state[at as usize] == 0 {
                state[at as usize] = 1;
                path.push(at);
                match goes(at) {
                    Some(next) => at = next,
                    None => break,
                }
            }
            let end = if state[at as usize] == 2 { target[at as usize] } else { at };
            for node in path.drain(..) {
                (target[node as usize], state[node as usize]) = (end, 2);
            }
        }
        let gone = |from: u32, to: u32| {
            let (own, other) = ends(from, to);
            goes(own) == Some(other) && target[own as usize] != own
        };
        self.fixed.retain(|&(from, to)| !gone(from, to));
        let place = |node: u32| target[node as usize];
        self.fixed.iter_mut().for_each(|(from, to)| (*from, *to) = (place(*from), place(*to)));
        self.edges.iter_mut().for_each(|edge| (edge.from, edge.to) = (place(edge.from), place(edge.to)));
        self.tidy();
    }

    /// The literals that cannot hold because their edge goes against the fixed edges, each once.
    pub fn impossible(&self) -> Vec<Lit> {
        let (component, successors) = components(self.nodes, self.fixed.iter().copied());
        // Of two components the one that leads to the other has the greater number.
        let mut order: Vec<u32> = (0..self.nodes).collect();
        order.sort_unstable_by_key(|&node| std::cmp::Reverse(component[node as usize]));
        let mut by_end: Vec<&Edge> = self.edges.iter().collect();
        by_end.sort_unstable_by_key(|edge| std::cmp::Reverse((component[edge.to as usize], edge.to)));
        let mut ends: Vec<&[&Edge]> = by_end.chunk_by(|a, b| a.to == b.to).collect();
        ends.retain(|group| !successors[group[0].to as usize].is_empty());
        let mut impossible = Vec::new();
        // For each component, from which of some ends it is reached.
        let mut reached = vec![0u64; self.node_count()];
        for ends in ends.chunks(u64::BITS as usize) {
            let last = component[ends[0][0].to as usize];
            reached[..=last as usize].fill(0);
            for (bit, group) in ends.iter().enumerate() {
                reached[component[group[0].to as usize] as usize] |= 1 << bit;
            }
            let first = order.partition_point(|&node| component[node as usize] > last);
            for &node in &order[first..] {
                let from = reached[component[node as usize] as usize];
                if from != 0 {
                    successors[node as usize].iter().for_each(|&to| reached[component[to as usize] as usize] |= from);
                }
            }
            for (bit, group) in ends.iter().enumerate() {
                let back = |edge: &&&Edge| {
                    let from = component[edge.from as usize];
                    from <= last && reached[from as usize] >> bit & 1 == 1
                };
                impossible.extend(group.iter().filter(back).map(|edge| edge.literal));
            }
        }
        let loops = self.edges.iter().filter(|edge| edge.from == edge.to);
        impossible.extend(loops.map(|edge| edge.literal));
        impossible.sort();
        impossible.dedup();
        impossible
    }

    /// Gives every node a clock of ⌈log2 nodes⌉ bits and requires of each edge that its end's clock is later.
    pub fn encode_clocks(&self, solver: &mut Solver) {
        let bits = usize::BITS - self.node_count().saturating_sub(1).leading_zeros();
        let clocks: Vec<Vec<Lit>> = (0..self.nodes).map(|_| (0..bits).map(|_| solver.fresh()).collect()).collect();
        let truth = solver.truth();
        let fixed = self.fixed.iter().map(|&(from, to)| Edge { from, to, literal: truth });
        let mut later = rustc_hash::FxHashMap::default();
        for edge in fixed.chain(self.edges.iter().copied()) {
            let before = *later
                .entry((edge.from, edge.to))
                .or_insert_with(|| implied_less(solver, &clocks[edge.from as usize], &clocks[edge.to as usize]));
            solver.clause(&[!edge.literal, before]);
        }
    }
}

/// A literal that, if it holds, makes `a < b`; bits are lowest first.
fn implied_less(solver: &mut Solver, a: &[Lit], b: &[Lit]) -> Lit {
    // From the lowest bit up: less on these bits iff the top bits are (0, 1), or equal and less below.
    let mut less = !solver.truth();
    for (&x, &y) in a.iter().zip(b) {
        let next = solver.fresh();
        solver.clause(&[!next, !x, y]);
        solver.clause(&[!next, !x, less]);
        solver.clause(&[!next, y, less]);
        less = next;
    }
    less
}

/// The number of each node's strongly connected component, and the successors of each node.
fn components(nodes: u32, edges: impl Iterator<Item = (u32, u32)>) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut successors = vec![Vec::new(); nodes as usize];
    edges.for_each(|(from, to)| successors[from as usize].push(to));
    let mut tarjan = Tarjan {
        successors: &successors,
        index: vec![u32::MAX; nodes as usize],
        low: vec![0; nodes as usize],
        component: vec![u32::MAX; nodes as usize],
        stack: Vec::new(),
        next_index: 0,
        next_component: 0,
    };
    (0..nodes).for_each(|node| tarjan.visit(node));
    (tarjan.component, successors)
}

/// Tarjan's algorithm without recursion.
struct Tarjan<'a> {
    successors: &'a [Vec<u32>],
    index: Vec<u32>,
    low: Vec<u32>,
    component: Vec<u32>,
    stack: Vec<u32>,
    next_index: u32,
    next_component: u32,
}

impl Tarjan<'_> {
    fn visit(&mut self, root: u32) {
        if self.index[root as usize] != u32::MAX {
            return;
        }
        self.open(root);
        let mut work = vec![(root, 0usize)];
        while let Some((node, at)) = work.last_mut() {
            let node = *node as usize;
            if let Some(&next) = self.successors[node].get(*at) {
                *at += 1;
                if self.index[next as usize] == u32::MAX {
                    self.open(next);
                    work.push((next, 0));
                } else if self.component[next as usize] == u32::MAX {
                    self.low[node] = self.low[node].min(self.index[next as usize]);
                }
                continue;
            }
            work.pop();
            if let Some(&(parent, _)) = work.last() {
                self.low[parent as usize] = self.low[parent as usize].min(self.low[node]);
            }
            if self.low[node] == self.index[node] {
                while let Some(member) = self.stack.pop() {
                    self.component[member as usize] = self.next_component;
                    if member as usize == node {
                        break;
                    }
                }
                self.next_component += 1;
            }
        }
    }

    fn open(&mut self, node: u32) {
        self.index[node as usize] = self.next_index;
        self.low[node as usize] = self.next_index;
        self.next_index += 1;
        self.stack.push(node);
    }
}
