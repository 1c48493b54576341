//! Threads that go round a loop for ever.
//!
//! The execution says no more about the thread, all writes are in memory, and nobody else moves. Then what the thread does is
//! determined: it is run on, reading the last write of each location. If it comes to a place that it was at before, with the same
//! locals, and has written nothing in between, it will do so for ever.

use super::thread::{Frame, Thread};
use super::{Stop, World};
use crate::execution::Action;
use ir::{Address, BlockId};
use source::Span;
use std::collections::BTreeSet;

/// Where a thread is: for each function the block, the instruction and the locals.
type State = Vec<(BlockId, usize, Vec<u64>)>;

/// How often a thread may read before it is given up.
const READS: usize = 4_096;

/// A thread that is run on beyond its last event.
#[derive(Default)]
pub(super) struct Spin {
    /// Where it made its first access.
    start: Option<Span>,
    states: Vec<State>,
    /// Whether it has written what others can see: it does not spin.
    pub writes: bool,
    /// Where it was some steps without an event ago, and the places that it passed since.
    round: Option<(State, BTreeSet<Span>)>,
}

/// After so many steps without an event a thread may be one that goes round without looking at anything.
const STEPS: u32 = 1_024;

/// What can be said about a thread that spins, where it makes an access.
pub(super) enum Spins {
    /// It may read.
    On,
    /// It has been here before: it goes round for ever, from this place on.
    ForEver(Span),
    /// It has gone too far.
    Unknown,
}

impl<'a> World<'a> {
    /// What a shared location holds when all writes have reached memory.
    pub(super) fn last(&self, address: Address) -> u64 {
        let events = &self.execution.events;
        let write = |at: usize| match events[at].action {
            Action::Write { address: own, value } if own == address => Some(value),
            Action::Write { .. } | Action::Read { .. } | Action::Fence => None,
        };
        let ordered = self.execution.co.iter().filter_map(|order| order.last()).find_map(|last| write(last.index()));
        ordered.or_else(|| (0..events.len()).find_map(write)).unwrap_or(0)
    }
}

impl<'a> Thread<'a> {
    /// Whether the thread is run on beyond what the execution says, to see whether it spins.
    pub(super) fn may_spin(&self, world: &World<'a>) -> bool {
        world.spins && self.open == 0 && self.is_idle(world)
    }

    /// The thread is about to make an access that is no event of the execution.
    pub(super) fn spin_on(&mut self) -> Spins {
        let state: State = self.frames.iter().map(Frame::state).collect();
        let start = *self.spin.start.get_or_insert(self.span);
        if self.spin.states.contains(&state) {
            return Spins::ForEver(start);
        }
        if self.spin.states.len() >= READS {
            return Spins::Unknown;
        }
        self.spin.states.push(state);
        Spins::On
    }

    /// Something changed that only this thread can see.
    pub(super) fn spin_changes(&mut self) {
        self.spin.states.clear();
        self.spin.round = None;
    }

    /// The thread has made so many steps without an event. Says where it goes round for ever if it has come back to where it was: the
    /// places to come back to are further and further apart, as in Brent's search for cycles.
    pub(super) fn goes_round(&mut self, world: &World<'a>, silent: u32) -> Option<Stop> {
        // Who is promised to fail and does not come to it is where it waits.
        if silent < STEPS || self.open > 0 || !self.is_idle(world) {
            return None;
        }
        if silent.is_power_of_two() {
            let state = self.frames.iter().map(Frame::state).collect();
            self.spin.round = Some((state, BTreeSet::new()));
            return None;
        }
        let (start, places) = self.spin.round.as_mut()?;
        places.insert(self.span);
        let is_back = start.len() == self.frames.len()
            && self.frames.iter().zip(&*start).rev().all(|(frame, state)| frame.is_at(state));
        if !is_back {
            return None;
        }
        if !world.spins {
            return Some(Stop::Leaves);
        }
        let own = world.execution.violation.as_ref().filter(|violation| violation.thread == self.id);
        let named = own.map(|violation| violation.span).filter(|span| places.contains(span));
        Some(Stop::Waits { span: named.unwrap_or(self.span), reads: BTreeSet::new() })
    }
}
