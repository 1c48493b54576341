//! Pending reads and the order in which accesses take effect.

use super::facts::Place;
use system::Memory;

/// What is before a pending read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hook {
    /// Reads and fences of the process.
    Reads(u8),
    /// Its writes.
    Writes(u8),
    /// Accesses to the cell.
    Cell(Place),
    /// Reads of the cell, and writes of it by the process.
    CellOf(u8, Place),
}

/// The reads of one transition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub process: u8,
    pub hooks: Vec<Hook>,
}

/// Pending reads in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Orders {
    pub nodes: Vec<Node>,
    /// Whether the first is not after the second.
    pub edges: Vec<Vec<bool>>,
}

/// What a transition does to weak memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Doing<'a> {
    pub memory: Memory,
    pub actor: u8,
    /// Its reads and writes are one.
    pub locked: bool,
    /// It waits for an empty buffer.
    pub flush: bool,
    pub reads: &'a [Place],
    pub written: &'a [Place],
    /// Pending reads before its writes.
    pub earlier: &'a [usize],
    /// Pending reads behind its writes.
    pub later: &'a [usize],
}

impl Orders {
    /// Closes the order, and hands down what is before a read to those behind it.
    fn close(&mut self) {
        let count = self.nodes.len();
        for via in 0..count {
            for from in 0..count {
                if self.edges[from][via] {
                    for to in 0..count {
                        self.edges[from][to] |= self.edges[via][to];
                    }
                }
            }
        }
        let own: Vec<Vec<Hook>> = self.nodes.iter().map(|node| node.hooks.clone()).collect();
        for (from, hooks) in own.iter().enumerate() {
            for to in (0..count).filter(|&to| self.edges[from][to]) {
                for hook in hooks {
                    if !self.nodes[to].hooks.contains(hook) {
                        self.nodes[to].hooks.push(*hook);
                    }
                }
            }
        }
    }

    /// A closed order from its parts.
    pub(super) fn new(nodes: Vec<Node>, pairs: &[(usize, usize)]) -> Orders {
        let mut edges = vec![vec![false; nodes.len()]; nodes.len()];
        for &(from, to) in pairs {
            edges[from][to] = true;
        }
        let mut orders = Orders { nodes, edges };
        orders.close();
        orders
    }

    /// The order before a transition, or nothing if a write would be before itself. The transition's reads are the
    /// last node, or the last but one before its writes.
    pub(super) fn before(&self, doing: &Doing<'_>) -> Option<Orders> {
        let count = self.nodes.len();
        let (read, write) = (count, count + 1);
        let (reads, writes) = (!doing.reads.is_empty() || doing.flush, !doing.written.is_empty());
        let mut pairs = Vec::new();
        for from in 0..count {
            pairs.extend((0..count).filter(|&to| self.edges[from][to]).map(|to| (from, to)));
        }
        for (at, node) in self.nodes.iter().enumerate() {
            for hook in &node.hooks {
                let (after_reads, after_writes) = match hook {
                    Hook::Reads(by) => (*by == doing.actor, false),
                    Hook::Writes(by) => (false, *by == doing.actor),
                    Hook::Cell(place) => (doing.reads.contains(place), doing.written.contains(place)),
                    Hook::CellOf(by, place) => {
                        (doing.reads.contains(place), *by == doing.actor && doing.written.contains(place))
                    }
                };
                if reads && after_reads {
                    pairs.push((read, at));
                }
                if writes && after_writes {
                    pairs.push((write, at));
                }
            }
        }
        if writes {
            pairs.extend(doing.earlier.iter().map(|&at| (at, write)));
            pairs.extend(doing.later.iter().map(|&at| (write, at)));
        }
        if reads && writes {
            pairs.push((read, write));
            if doing.locked {
                pairs.push((write, read));
            }
        }
        let mut nodes = self.nodes.clone();
        let mut behind_read = vec![Hook::Reads(doing.actor)];
        if doing.flush {
            behind_read.push(Hook::Writes(doing.actor));
        }
        nodes.push(Node { process: doing.actor, hooks: behind_read });
        let mut behind_write = vec![Hook::Reads(doing.actor)];
        match doing.memory {
            Memory::Sc | Memory::Tso => {
                behind_write.push(Hook::Writes(doing.actor));
                behind_write.extend(doing.written.iter().map(|&place| Hook::Cell(place)));
            }
            Memory::Pso => behind_write.extend(doing.written.iter().map(|&place| Hook::CellOf(doing.actor, place))),
        }
        nodes.push(Node { process: doing.actor, hooks: behind_write });
        let mut orders = Orders::new(nodes, &pairs);
        if writes && (0..count).any(|at| orders.edges[at][write] && orders.edges[write][at]) {
            return None;
        }
        // Under PSO something may be said about the write itself.
        if doing.memory == Memory::Pso && writes && !doing.locked {
            return Some(orders);
        }
        orders.nodes.pop();
        orders.edges.pop();
        orders.edges.iter_mut().for_each(|row| {
            row.pop();
        });
        Some(orders)
    }
}
