//! A path again, with real buffers.

use super::{Machine, Move, State};
use crate::automaton::{Edge, Step, Way};
use crate::values::Values;
use std::rc::Rc;
use stepper::Halt;
use witness::Violation;

impl Machine<'_, '_> {
    /// Goes a path with real buffers: where a thread has to wait for its buffer, it is emptied. If writes reach memory
    /// at once, it always is.
    pub fn follow<V: Values>(
        &mut self,
        path: &[Move],
        at_once: bool,
        zone: V,
    ) -> Result<Option<(State<V>, Violation)>, Halt> {
        let mut state = self.first(zone)?;
        for &step in path {
            match step {
                Move::Run(thread, edge) => {
                    if !self.follow_edge(&mut state, thread, edge)? {
                        return Ok(None);
                    }
                    if let Some(violation) = self.violation(&state, thread) {
                        return Ok(Some((state, violation)));
                    }
                    if at_once {
                        self.empty(&mut state, thread);
                    }
                }
                Move::Slot(..) | Move::Some(..) | Move::Last(..) if at_once => {}
                Move::Slot(thread, at) => self.follow_flush(&mut state, thread, |ready, _| ready == at),
                Move::Some(thread, cell) | Move::Last(thread, cell) => {
                    // Which one it was is known by its cell.
                    self.follow_flush(&mut state, thread, |_, own| own == cell);
                }
            }
        }
        Ok(None)
    }

    /// Takes an edge, with what it waits for done before. Says whether it is possible.
    fn follow_edge<V: Values>(&mut self, state: &mut State<V>, thread: usize, edge: usize) -> Result<bool, Halt> {
        let Some(own) = state.control.get(thread) else { return Ok(false) };
        let edges: Rc<[Edge]> = self.automata.edges(own.node)?;
        let Some(edge) = edges.get(edge) else { return Ok(false) };
        if edge.steps.iter().any(waits) {
            self.empty(state, thread);
        }
        for step in &edge.steps {
            if let Step::Join(other, _) = step {
                self.empty(state, *other);
            }
        }
        Ok(self.run(state, thread, edge))
    }

    /// All writes of a thread reach memory.
    fn empty<V: Values>(&mut self, state: &mut State<V>, thread: usize) {
        while let Some(at) = { state.control.get(thread).and_then(|own| own.buffer.ready().next()) } {
            self.flush(state, thread, at);
        }
    }

    /// A write that can, by its place in the buffer and its cell, reaches memory.
    fn follow_flush<V: Values>(&mut self, state: &mut State<V>, thread: usize, is_it: impl Fn(usize, u32) -> bool) {
        let Some(own) = state.control.get(thread) else { return };
        let found = own.buffer.ready().find(|ready| is_it(*ready, own.buffer.slots[*ready].0));
        if let Some(at) = found {
            self.flush(state, thread, at);
        }
    }
}

/// Whether a step waits for the buffer to be empty.
fn waits(step: &Step) -> bool {
    match step {
        Step::Load { way, .. } | Step::Store { way, .. } => *way == Way::Direct,
        Step::Fence { drains, .. } => *drains,
        Step::Begin | Step::Spawn(..) => true,
        Step::Guard(_)
        | Step::Fits(..)
        | Step::Assign(..)
        | Step::Forget(_)
        | Step::Choose(..)
        | Step::Made(_)
        | Step::End(_)
        | Step::Join(..) => false,
    }
}
