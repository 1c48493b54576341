//! A function that is being executed: states, and how they meet.

use crate::walk::Walk;
use ir::{BlockId, FunctionId};
use logic::{Bool, Term};
use std::collections::BTreeMap;
use std::rc::Rc;
use symbolic::Analysis;

/// Where a thread may be: under which condition, and with which locals.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub guard: Bool,
    pub locals: Vec<Term>,
}

/// A function that is being executed.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub function: FunctionId,
    pub analysis: Rc<Analysis>,
    /// The states that wait at the beginning of each block.
    pub incoming: BTreeMap<BlockId, Vec<State>>,
    /// Under which conditions it returned, and what.
    pub returned: Vec<(Bool, Option<Term>)>,
}

impl Walk<'_> {
    /// The states at the beginning of a block as one.
    pub(crate) fn meet(&mut self, frame: &mut Frame, block: BlockId) -> Option<State> {
        let states = frame.incoming.remove(&block)?;
        let mut states = states.into_iter().filter(|state| state.guard != Bool::FALSE);
        let first = states.next()?;
        Some(states.fold(first, |merged, state| {
            let pairs = merged.locals.into_iter().zip(state.locals);
            let locals = pairs.map(|(old, new)| self.terms.ite(state.guard, new, old)).collect();
            State { guard: self.terms.or(merged.guard, state.guard), locals }
        }))
    }

    /// What a function that has been executed returns, and when.
    pub(crate) fn returned(&mut self, frame: Frame) -> (Bool, Option<Term>) {
        let mut result: (Bool, Option<Term>) = (Bool::FALSE, None);
        for (guard, value) in frame.returned {
            let value = match (value, result.1) {
                (Some(new), Some(old)) => Some(self.terms.ite(guard, new, old)),
                (new, old) => new.or(old),
            };
            result = (self.terms.or(result.0, guard), value);
        }
        result
    }
}
