//! Executions: what an engine shows as evidence that something can happen.

use ir::{Address, State, TagSet, ThreadId};
use source::Span;

/// An event of an execution: its position in [`Execution::events`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub u32);

impl EventId {
    /// The position in [`Execution::events`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an event does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Takes `value` from a location.
    Read {
        /// The location.
        address: Address,
        /// The value.
        value: u64,
    },
    /// Gives `value` to a location.
    Write {
        /// The location.
        address: Address,
        /// The value.
        value: u64,
    },
    /// Touches no memory.
    Fence,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Whose it is; the initial writes belong to nobody.
    pub thread: Option<ThreadId>,
    /// What it does.
    pub action: Action,
    /// Its tags.
    pub tags: TagSet,
    /// The instruction it comes from.
    pub span: Span,
}

/// An execution: the events, who reads from whom, and in which order writes reach memory.
///
/// The events are the initial writes, one per location in the order of [`ir::Program::addresses`], and then the events
/// of each thread in turn, in program order. Everything else (dependencies, read-modify-write pairs, final values) is
/// recomputed from the program by whoever needs it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Execution {
    /// The events.
    pub events: Vec<Event>,
    /// For each read, the write that it reads from: pairs of the write and the read.
    pub rf: Vec<(EventId, EventId)>,
    /// For each location that is written besides its initial write, all its writes in coherence order, the initial one first.
    pub co: Vec<Vec<EventId>>,
    /// The final values of the observed locations.
    pub finals: State,
}

impl Event {
    /// The location it accesses, if it accesses one.
    pub fn address(&self) -> Option<Address> {
        match self.action {
            Action::Read { address, .. } | Action::Write { address, .. } => Some(address),
            Action::Fence => None,
        }
    }

    /// The value it reads or writes, if it does.
    pub fn value(&self) -> Option<u64> {
        match self.action {
            Action::Read { value, .. } | Action::Write { value, .. } => Some(value),
            Action::Fence => None,
        }
    }

    /// Whether it is a read.
    pub fn is_read(&self) -> bool {
        matches!(self.action, Action::Read { .. })
    }

    /// Whether it is a write.
    pub fn is_write(&self) -> bool {
        matches!(self.action, Action::Write { .. })
    }
}
