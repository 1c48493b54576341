//! A function that is being executed: states, and how they meet.

use crate::memory::Memory;
use crate::walk::Walk;
use ir::{BlockId, FunctionId};
use logic::{Bool, Term};
use std::collections::BTreeMap;
use std::rc::Rc;
use symbolic::Analysis;

/// Where a thread may be: under which condition, with which locals, and what it knows of memory.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub guard: Bool,
    pub locals: Vec<Term>,
    pub memory: Memory,
}

/// A function that is being executed.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub function: FunctionId,
    pub analysis: Rc<Analysis>,
    /// The states that wait at the beginning of each block.
    pub incoming: BTreeMap<BlockId, Vec<State>>,
    /// The states in which it returned, and what.
    pub returned: Vec<(State, Option<Term>)>,
}

/// What a call comes to.
#[derive(Debug)]
pub(crate) struct Returned {
    /// Under which condition the function returned.
    pub guard: Bool,
    pub memory: Memory,
    pub value: Option<Term>,
}

impl Walk<'_> {
    /// The states at the beginning of a block as one.
    pub(crate) fn meet(&mut self, frame: &mut Frame, block: BlockId) -> Option<State> {
        let states = frame.incoming.remove(&block).unwrap_or_default();
        let mut states = states.into_iter().filter(|state| state.guard != Bool::FALSE);
        let mut merged = states.next()?;
        for state in states {
            let pairs = merged.locals.iter().zip(&state.locals);
            let locals = pairs.map(|(&old, &new)| self.terms.ite(state.guard, new, old)).collect();
            let guard = self.terms.or(merged.guard, state.guard);
            merged = State { guard, locals, memory: self.meet_memories(merged, state) };
        }
        Some(merged)
    }

    /// What a function that has been executed returns, and when. Nothing comes of one that never does.
    pub(crate) fn returned(&mut self, frame: Frame) -> Option<Returned> {
        let mut result: Option<(State, Option<Term>)> = None;
        for (state, new) in frame.returned.into_iter().filter(|(state, _)| state.guard != Bool::FALSE) {
            let Some((merged, old)) = result else {
                result = Some((state, new));
                continue;
            };
            let value = match (new, old) {
                (Some(new), Some(old)) => Some(self.terms.ite(state.guard, new, old)),
                (new, old) => new.or(old),
            };
            let guard = self.terms.or(merged.guard, state.guard);
            result = Some((State { guard, locals: Vec::new(), memory: self.meet_memories(merged, state) }, value));
        }
        result.map(|(State { guard, memory, .. }, value)| Returned { guard, memory, value })
    }
}
