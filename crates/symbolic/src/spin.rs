//! Loops that spin: iterations without effect as places where a thread may wait for ever.
//!
//! An iteration that changes nothing and that nobody could see will be the same the next time, if its reads find the same. If all
//! of them read the last writes of their locations, they always will. So the thread waits there, as at a wait that is written as one. What
//! an iteration chooses it may choose differently the next time: a choice of one bit (may a weak compare-exchange fail for no reason?) must be
//! zero there, and with larger ones the iteration is beyond the bound.

use crate::run::Run;
use crate::state::State;
use crate::structure::{Input, Kind, Wait};
use ir::Width;
use logic::{Bool, BoolNode, Term, TermNode};
use rustc_hash::FxHashSet;

/// How many events and choices there were when an iteration began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begin {
    events: usize,
    inputs: usize,
}

impl Run<'_> {
    /// An iteration of a loop begins.
    pub(crate) fn begin_round(&self) -> Begin {
        let inputs = self.structure.inputs.get(self.current.id.index()).map_or(0, Vec::len);
        Begin { events: self.structure.events.len(), inputs }
    }

    /// An iteration that changed no live local jumps back; where it was not `seen`, the thread may do so for ever.
    pub(crate) fn spin(&mut self, state: &State, seen: Bool, begin: Begin) {
        let own = |event: usize| self.structure.events[event].thread == Some(self.current.id);
        let events: Vec<usize> = (begin.events..self.structure.events.len()).filter(|&event| own(event)).collect();
        let mut left = self.structure.terms.and(state.guard, !seen);
        let mut beyond = Bool::FALSE;
        let all = self.structure.inputs.get(self.current.id.index());
        let inputs: Vec<(Bool, Input)> = all.map_or_else(Vec::new, |all| all[begin.inputs..].to_vec());
        for (when, input) in inputs {
            match input {
                Input::Value(value) if self.structure.terms.width(value) == Width::BOOL => {
                    let terms = &mut self.structure.terms;
                    let chosen = terms.to_bool(value);
                    let chosen = terms.and(when, chosen);
                    left = terms.and(left, !chosen);
                }
                // Nothing depends on what it is: a variable without a value, as in the macros of C's atomics.
                Input::Value(value) if !self.decides(value, left, &events) => {}
                Input::Value(_) | Input::Object(_) | Input::Thread(_) => {
                    beyond = self.structure.terms.or(beyond, when);
                }
            }
        }
        if state.section.is_some() {
            beyond = Bool::TRUE;
        }
        let reads: Vec<(u32, Bool)> = events
            .iter()
            .filter(|&&event| self.structure.events[event].kind == Kind::Read)
            .map(|&event| (event as u32, self.structure.events[event].guard))
            .collect();
        for event in events {
            let (guard, span) = (self.structure.events[event].guard, self.structure.events[event].span);
            let terms = &mut self.structure.terms;
            let here = terms.and(left, guard);
            let when = terms.and(here, !beyond);
            left = terms.and(left, !guard);
            if when != Bool::FALSE {
                let (thread, reads) = (self.current.id, reads.clone());
                self.structure.waits.push(Wait { when, thread, span, reads });
            }
            self.beyond(state, here, beyond);
        }
        // What spins without looking at anything that could change does so for ever, whatever the others do.
        let terms = &mut self.structure.terms;
        let when = terms.and(left, !beyond);
        if when != Bool::FALSE {
            let (thread, span) = (self.current.id, self.current.visible.unwrap_or(self.current.at));
            self.structure.waits.push(Wait { when, thread, span, reads: Vec::new() });
        }
        self.beyond(state, left, beyond);
    }

    /// Whether the way through an iteration, or where its accesses go, depends on a value.
    fn decides(&self, value: Term, guard: Bool, events: &[usize]) -> bool {
        let terms = &self.structure.terms;
        let (mut truths, mut pending) = (vec![guard], Vec::new());
        for &event in events {
            truths.push(self.structure.events[event].guard);
            pending.push(self.structure.events[event].address);
        }
        let (mut seen, mut known) = (FxHashSet::default(), FxHashSet::default());
        loop {
            if let Some(truth) = truths.pop() {
                if known.insert(truth.index()) {
                    match terms.bool_node(truth) {
                        BoolNode::True | BoolNode::Var(_) => {}
                        BoolNode::And(left, right) => truths.extend([left, right]),
                        BoolNode::Eq(left, right) | BoolNode::Ult(left, right) | BoolNode::Slt(left, right) => {
                            pending.extend([left, right]);
                        }
                    }
                }
            } else if let Some(term) = pending.pop() {
                if term == value {
                    return true;
                }
                if seen.insert(term) {
                    match terms.node(term) {
                        TermNode::Const(_) | TermNode::Var(_) => {}
                        TermNode::Ite(condition, then, otherwise) => {
                            truths.push(condition);
                            pending.extend([then, otherwise]);
                        }
                        TermNode::Unary(_, operand) => pending.push(operand),
                        TermNode::Binary(_, left, right) => pending.extend([left, right]),
                    }
                }
            } else {
                return false;
            }
        }
    }

    fn beyond(&mut self, state: &State, here: Bool, beyond: Bool) {
        let guard = self.structure.terms.and(here, beyond);
        if guard != Bool::FALSE {
            let at = self.current.at;
            let mut stopped = State { guard, ..state.clone() };
            self.cut_here(&mut stopped, Bool::FALSE, at);
        }
    }
}
