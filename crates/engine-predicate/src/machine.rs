//! States and steps: control and buffers as they are, values as zones.
//!
//! The same steps serve three purposes: the search (zones are abstracted after each), the question whether a path of
//! the search is possible with its buffers but exact values, and the replay with real buffers, which tells a
//! [`Record`].

mod buffer;
mod replay;
mod steps;

use crate::automaton::{Automata, Edge, Step};
use crate::linear::number;
use crate::values::{Dim, Values};
use crate::zone::Zone;
pub use buffer::Buffer;
use engine::Record;
use ir::ThreadId;
use model::Buffers;
use std::collections::BTreeSet;
use stepper::{Halt, Status};
use witness::invariant::Keep;
use witness::{TWO_INSIDE, Violation};

/// Where a thread is, and its buffer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Control {
    pub node: u32,
    pub buffer: Buffer,
}

/// A set of states.
#[derive(Debug, Clone)]
pub struct State<V = Zone> {
    pub control: Vec<Control>,
    pub zone: V,
}

/// A move from state to state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// A thread takes an edge.
    Run(usize, usize),
    /// A write of a thread, by its place among those in order, reaches memory.
    Slot(usize, usize),
    /// A write to a cell from beyond those reaches memory; there are more of them.
    Some(usize, u32),
    /// The last one.
    Last(usize, u32),
}

/// How steps are taken.
pub struct Machine<'a, 'p> {
    pub automata: &'a mut Automata<'p>,
    /// How many writes are kept in order.
    pub k: usize,
    /// Which.
    pub keep: Keep,
    /// The widths of results that were out of range.
    pub overflow: BTreeSet<u32>,
    /// On a path: the values that are chosen, as far as they are fixed.
    pub choices: Option<Vec<i64>>,
    /// On a path: how many were chosen so far.
    pub chosen: usize,
    pub record: Option<Record>,
}

impl<'p> Machine<'_, 'p> {
    /// The state in which others may come to be.
    pub fn first<V: Values>(&mut self, mut zone: V) -> Result<State<V>, Halt> {
        for (cell, known) in self.automata.memory.cells.iter().enumerate() {
            if self.automata.knowledge.classes.get(&(cell as u32)) != Some(&ir::Usage::Shared) {
                continue;
            }
            zone.push(Dim::Memory(cell as u32));
            if let Some(value) = known.initial {
                zone.set(Dim::Memory(cell as u32), number(value, known.width));
            }
        }
        let control = vec![Control { node: self.automata.first, buffer: Buffer::default() }];
        let mut state = State { control, zone };
        for step in self.automata.prefix.clone() {
            if !self.one(&mut state, 0, &step) {
                return Err(Halt::Limit("internal: the first thread cannot begin".to_owned()));
            }
        }
        state.zone.settle();
        Ok(state)
    }

    /// What can happen in a state.
    pub fn moves<V>(&mut self, state: &State<V>) -> Result<Vec<Move>, Halt> {
        let mut moves = Vec::new();
        let opened = state.control.iter().position(|own| self.automata.node(own.node).atomic > 0);
        for (thread, own) in state.control.iter().enumerate() {
            if opened.is_some_and(|opened| opened != thread) {
                continue;
            }
            let edges = self.automata.edges(own.node)?;
            let runs = (0..edges.len()).map(|edge| Move::Run(thread, edge));
            let starts = |edge: &Edge| edge.steps.iter().any(|step| matches!(step, Step::Spawn(..)));
            if own.buffer.is_empty() && !edges.is_empty() && edges.iter().all(starts) {
                // Nobody can tell whether a thread was started earlier.
                return Ok(runs.collect());
            }
            moves.extend(runs);
            if opened.is_some() {
                continue;
            }
            let newest = self.keep == Keep::Newest;
            let ready = own.buffer.ready().filter(|&at| !newest || !own.buffer.behind_the_set(at));
            moves.extend(ready.map(|at| Move::Slot(thread, at)));
            let total = self.automata.buffers == Buffers::Thread;
            for &cell in &own.buffer.set {
                let waits = match total {
                    true => !own.buffer.slots.is_empty(),
                    false => own.buffer.slots.iter().any(|(other, _)| *other == cell),
                };
                if newest || !waits {
                    moves.extend([Move::Some(thread, cell), Move::Last(thread, cell)]);
                }
            }
        }
        Ok(moves)
    }

    /// Does a move, if it is possible.
    pub fn step<V: Values>(&mut self, state: &State<V>, step: Move) -> Result<Option<State<V>>, Halt> {
        let mut next = state.clone();
        match step {
            Move::Run(thread, edge) => {
                let edges = self.automata.edges(state.control[thread].node)?;
                let Some(edge) = edges.get(edge) else { return Ok(None) };
                if !self.run(&mut next, thread, edge) {
                    return Ok(None);
                }
            }
            Move::Slot(thread, at) => self.flush(&mut next, thread, at),
            Move::Some(_, cell) => next.zone.push(Dim::Memory(cell)),
            Move::Last(thread, cell) => {
                next.zone.rename(Dim::Last(thread, cell), Dim::Memory(cell));
                let buffer = &mut next.control[thread].buffer;
                buffer.set.retain(|own| *own != cell);
                buffer.settle(self.keep);
            }
        }
        next.zone.settle();
        Ok(Some(next))
    }

    /// What fails in a state into which this thread has come.
    pub fn violation<V>(&self, state: &State<V>, thread: usize) -> Option<Violation> {
        let node = self.automata.node(state.control[thread].node);
        let id = ThreadId(thread as u32);
        if let Status::Failed(span, message) = &node.status {
            return Some(Violation { thread: id, span: *span, message: message.clone() });
        }
        let span = node.critical?;
        let counts = |own: &Control| {
            let node = self.automata.node(own.node);
            node.critical.is_some() && node.atomic == 0
        };
        let others = state.control.iter().enumerate().filter(|(at, _)| *at != thread);
        let together = counts(&state.control[thread]) && others.into_iter().any(|(_, own)| counts(own));
        together.then(|| Violation { thread: id, span, message: TWO_INSIDE.to_owned() })
    }
}
