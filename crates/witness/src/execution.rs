//! Executions: what an engine shows as evidence that something can happen.

use ir::{Address, Cell, Object, ObjectId, Program, State, TagSet, Thread, ThreadId};
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
/// The events are the initial writes, one per location, and then the events of each thread in turn, in program order.
/// Everything else (dependencies, read-modify-write pairs, final values) is recomputed from the program by whoever needs
/// it.
///
/// The locations with an initial write are the *shared* ones, among them all that are declared so ([`Object::shared`]):
/// from [`ir::System::Publish`] on, every access to one of them is an event; from the start, if the program does not
/// [begin alone](ir::Program::begins_alone). The initial write holds what the first
/// thread left there before. A location without an initial write is accessed by one thread only after that point, or
/// only read, and its accesses are no events. If the execution shows a final state, every thread runs to its end. Otherwise a thread may stop before any of its instructions that would make an event
/// (its events are a prefix of what it could do), but not inside a read-modify-write; nor inside an atomic section,
/// except for the one thread in which the property fails.
///
/// Inside an atomic section nobody can see in which order things happen, so there are fewer events: of each location the
/// first read that no access of the section to that location precedes, and, where the section ends, one write for each
/// location that it wrote, in the order of their addresses, with the last value, without tags, at the place of the end.
/// Read-modify-writes are a read and a write there; fences inside are no events.
///
/// An access that covers several shared locations is an event for each of them, in the order of their addresses; it covers
/// all of each. One that may be misaligned, and is no read-modify-write, only covers locations of a byte each.
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
    /// The threads that were started: their numbers follow those of the program's own threads.
    pub started: Vec<Thread>,
    /// The objects that were made: their numbers follow those of the program's own objects. The cells are those that
    /// were accessed; their initial values, constants, are what an object that is not zeroed happens to hold at first.
    pub made: Vec<Object>,
    /// The objects of the program that have smaller locations here than there, and these: each location of the program is one of
    /// them or falls into several.
    pub refined: Vec<(ObjectId, Vec<Cell>)>,
    /// For each thread, in the order in which it asks: the values of [`ir::System::Nondet`], the numbers of the objects
    /// made by [`ir::System::Alloc`], the numbers of the threads started by [`ir::System::Spawn`], and whether an
    /// [`ir::Op::StoreConditional`] succeeds.
    pub choices: Vec<Vec<u64>>,
    /// The property that fails, if that is what the execution shows.
    pub violation: Option<Violation>,
}

/// What can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Property {
    /// An assertion ([`ir::System::Assert`]), and that two threads are inside a critical section; with `memory`, an access where there is no location counts too.
    /// (Without, a thread that makes such an access stops there.)
    Assertions {
        /// Whether accesses outside of objects and through null pointers count.
        memory: bool,
    },
    /// All threads have ended or wait, and at least one waits.
    Deadlock,
    /// The same, where a thread that goes round a loop for ever without any effect waits, too: with all writes in memory, what
    /// it reads never changes.
    Progress,
    /// The model says that the program is undefined, because of a data race.
    Race,
}

/// The message of a violation by which the model leaves the program undefined: nothing orders two accesses. It names the thread and the place
/// of one of them.
pub const UNORDERED: &str = "nothing orders two accesses";

/// The message of a violation in which two threads are inside a critical section ([`ir::System::Critical`]). It names
/// one of them and the place where it entered; if one of them has just entered, it names that one.
pub const TWO_INSIDE: &str = "two threads are in a critical section";

/// A property that fails: the thread whose last step shows it, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The thread. For a deadlock, one of those that wait.
    pub thread: ThreadId,
    /// The instruction.
    pub span: Span,
    /// What fails: the message of the assertion, or a description.
    pub message: String,
}

impl Execution {
    /// The execution with the events only for which `kept` holds.
    pub fn restricted(&self, kept: &[bool]) -> Execution {
        let mut names: Vec<Option<EventId>> = Vec::new();
        let mut next = 0;
        for &kept in kept {
            names.push(kept.then_some(EventId(next)));
            next += u32::from(kept);
        }
        let name = |event: EventId| names[event.index()];
        let events = self.events.iter().zip(kept).filter(|(_, kept)| **kept).map(|(event, _)| event.clone());
        let order = |writes: &Vec<EventId>| writes.iter().filter_map(|&write| name(write)).collect::<Vec<_>>();
        Execution {
            events: events.collect(),
            rf: self.rf.iter().filter_map(|&(write, read)| name(write).zip(name(read))).collect(),
            co: self.co.iter().map(order).filter(|writes| writes.len() > 1).collect(),
            ..self.clone()
        }
    }

    /// The name of a thread for the reader, whether the program has it or started it.
    pub fn thread_name(&self, program: &Program, thread: ThreadId) -> String {
        let mut all = program.threads.iter().chain(&self.started);
        all.nth(thread.index()).map_or_else(|| format!("thread {}", thread.0), |thread| thread.name.clone())
    }

    /// The name of a location for the reader, as [`Program::address_name`], in objects that were made too.
    pub fn address_name(&self, program: &Program, address: Address) -> String {
        let Some(made) = address.object.index().checked_sub(program.objects.len()).and_then(|at| self.made.get(at))
        else {
            return program.address_name(address);
        };
        if ir::life::is_life(address.offset) {
            return format!("life of {}", made.name);
        }
        if address.offset == 0 { made.name.clone() } else { format!("{}[{}]", made.name, address.offset) }
    }
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
