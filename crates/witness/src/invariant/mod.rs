//! Certificates of proofs over store buffers and integers, and their independent checker.
//!
//! An [`Invariant`] is a list of [`Region`]s. A region stands for a set of states of a machine; all of them together hold every
//! state that the machine can be in, and none that is bad. [`check_invariant`] decides whether that is so. It shares no code with
//! any engine: it executes instructions on linear terms, has its own rules for buffers and its own decision procedure.
//!
//! # The machine
//! Threads execute instructions one after the other. A write goes to the buffer of its thread, if the model has buffers. Under TSO
//! the oldest write is the next to reach memory; under PSO any write before which there is none to the same cell, and none from
//! before an ordering fence that it comes after. A read takes the newest write to its cell in the own buffer, else what memory
//! holds. What drains (a fence, a locked instruction, starting a thread, an atomic section, being joined) waits for an empty buffer.
//! Fences behind which only reads wait are taken for nothing, which allows more.
//!
//! # What a region stands for
//! All states in which each thread is at its place (functions, instructions, values of locals that are known), the buffers are as
//! described, and all bounds `x - y <= c` hold, where x and y are quantities or sums of some. Values are signed numbers of their widths, truth values 0 or 1. A buffer holds the
//! writes of [`Buffer::slots`] in this order, their values being the quantities [`Quantity::Slot`], and after them (with
//! [`Keep::Newest`]: before them) some writes, each to a cell of [`Buffer::rest`], at least one to each of these; the value of the newest
//! of these to such a cell is [`Quantity::Newest`]. So when its turn comes any write of the rest may be the next one: with any
//! value if it is not the last one to its cell, with the newest value if it is. Groups are counted from that of the oldest slot;
//! with [`Keep::Newest`], from that of the last of the rest, if there is a rest.
//!
//! # What is checked
//! * The first thread runs alone until others may come to be, or until memory or its way would depend on a choice; the state it
//!   leaves is in a region. In the second case it goes on as a thread, and what it does until others may come to be reaches memory at once.
//! * From each region each step of each thread and each write that reaches memory lead into a region. One region has to
//!   suffice for each way that a step can go.
//! * No region is bad: no assertion has failed, no two threads are inside critical sections.
//! * If it is claimed for the machine's integers, each result is in the range of its type, in each region. Without that the
//!   claim is about executions in which it is so.
//!
//! A step of a thread here is a row of instructions of which one at most can be noticed or prevented by others; it ends before the next such
//! one. What is left can be done at once: nobody can tell when local work was done, and a write that goes to the own buffer right
//! after an earlier step could have gone there at any later time as far as others can see. Nothing but local work comes
//! before the noticeable instruction. A step may end earlier (so it does where a jump back comes to what was seen
//! before), which only adds states. A thread that does nothing but start another one, with an empty buffer, may do so before
//! anybody else does something: that step needs nothing from others and hinders nobody. A read of a cell that nobody writes once there may be several
//! threads is local work, unless it waits for the buffer. A step has at most
//! [`QUIET`] of these or of accesses in an atomic section, so that it has few cases. Where a section goes on in another step, nobody else does anything in between.

mod access;
mod bounds;
mod buffer;
mod check;
mod eval;
mod form;
mod steps;
mod world;

pub use check::{Checked, Claim, NO_OVERFLOW, check_invariant};

use ir::{Address, FunctionId, LocalId};
use model::Buffers;
use std::collections::{BTreeMap, BTreeSet};

/// How many accesses that others cannot notice a step has: in an atomic section, or to cells that nobody writes any more.
pub const QUIET: usize = 8;

/// A set of states that holds all that can be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invariant {
    /// What store buffers there are.
    pub buffers: Buffers,
    /// Which writes of a buffer are kept in order.
    pub keep: Keep,
    /// How many of them.
    pub k: usize,
    /// The cells that several threads use while one writes.
    pub shared: BTreeSet<Address>,
    /// Those of them that nobody writes once there may be several threads.
    pub settled: BTreeSet<Address>,
    /// The cells that only this thread uses. What is in neither is never written while there are threads.
    pub private: BTreeMap<Address, usize>,
    /// Locals that are variables even where their value is known. It says only where steps may end.
    pub variables: BTreeSet<(FunctionId, LocalId)>,
    /// Own cells of which the same holds.
    pub counted: BTreeSet<Address>,
    /// The places of threads.
    pub places: Vec<ControlPoint>,
    /// What bounds are about: quantities, or sums of some with factors.
    pub terms: Vec<Term>,
    /// The sets of states.
    pub regions: Vec<Region>,
}

/// Which writes of a buffer are kept in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keep {
    /// The oldest ones: the others come after them.
    #[default]
    Oldest,
    /// The newest ones: the others come before them.
    Newest,
}

/// Where a thread is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ControlPoint {
    /// Whose place it is; threads are counted in the order in which they are started.
    pub thread: usize,
    /// The functions that it executes, the outermost first; none when it does not run.
    pub frames: Vec<Frame>,
    /// What it is up to.
    pub status: Status,
    /// How many atomic sections are open.
    pub open: u32,
    /// Whether it is inside a critical section.
    pub inside: bool,
    /// What its own cells hold; those that are not here hold what they held when others came to be.
    pub own: BTreeMap<Address, Held>,
    /// How many threads it has started.
    pub started: usize,
    /// Whether there cannot be other threads yet.
    pub early: bool,
}

/// A function that is executed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Which one.
    pub function: FunctionId,
    /// The block.
    pub block: u32,
    /// The next instruction in it.
    pub index: u32,
    /// The locals.
    pub locals: Vec<Held>,
    /// The local of the caller that takes the result.
    pub dst: Option<LocalId>,
}

/// What is known about a local or an own cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Held {
    /// It holds this.
    Known(u64),
    /// It is a quantity that bounds may speak of.
    Variable,
    /// Nothing.
    Nothing,
}

/// What a thread is up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It goes on.
    Runs,
    /// It has ended; this is what it returned, a word.
    Ended(Held),
    /// It stays where it is for ever.
    Stopped,
    /// An assertion has failed.
    Failed,
}

/// The writes of a thread that have not reached memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Buffer {
    /// Those that are kept in order: the cell, and the group. What is in a group reaches memory before the next group.
    pub slots: Vec<(Address, u32)>,
    /// The cells of all others, in order.
    pub rest: Vec<Address>,
    /// Whether a fence that orders writes came after the last of the slots.
    pub closed: bool,
}

/// What a bound speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantity {
    /// The number zero.
    Zero,
    /// What memory holds.
    Memory(Address),
    /// A local of a thread, in its frame of this number, the outermost being 0.
    Local {
        /// Whose.
        thread: usize,
        /// In which frame.
        frame: usize,
        /// Which one.
        local: LocalId,
    },
    /// An own cell of a thread.
    Own {
        /// Whose.
        thread: usize,
        /// Which one.
        cell: Address,
    },
    /// What a thread returned.
    Result {
        /// Which one.
        thread: usize,
    },
    /// The value of a write that is kept in order, counted from the oldest.
    Slot {
        /// Whose.
        thread: usize,
        /// Which one.
        at: usize,
    },
    /// The value of the newest of the other writes to a cell.
    Newest {
        /// Whose.
        thread: usize,
        /// To which cell.
        cell: Address,
    },
}

/// A sum of quantities with factors.
pub type Term = Vec<(Quantity, i64)>;

/// `left - right <= limit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// A term, by its number in [`Invariant::terms`].
    pub left: u32,
    /// Another one.
    pub right: u32,
    /// The limit.
    pub limit: i64,
}

/// A set of states.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Region {
    /// For each thread its place, by its number in [`Invariant::places`], and its buffer.
    pub threads: Vec<(u32, Buffer)>,
    /// What is known about values.
    pub bounds: Vec<Bound>,
}
