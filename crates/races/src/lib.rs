//! Data races of C programs in sequentially consistent executions.
//!
//! # The method
//! A data race is two accesses of two threads to one location, one of them at least a write and one of them at least not
//! atomic, that nothing orders. Where all atomic accesses acquire and release, such a pair exists iff a state can be reached
//! in which two threads are about to do such accesses (Boehm and Adve, "Foundations of the C++ Concurrency Memory Model",
//! PLDI 2008: data races of type 1 and 2). So the question can be put as an assertion, to any engine.
//!
//! * [`analyse`] finds the pairs of instructions that may race. It over-approximates: where pointers point (`points`, after
//!   Andersen), which threads may run at the same time (`threads`), and under-approximates which locks are held (`walk`: locksets as
//!   of Savage et al., "Eraser", TOCS 1997, but on all paths instead of one). If it finds none, there is no race.
//! * [`instrument`] adds watchpoints for the pairs that are left. At an access of a pair a thread may choose to
//!   write down its address and stop, or to compare its address with what another one has written down.
//!
//! # What it can miss
//! Nothing, in programs whose atomic accesses acquire and release ([`is_ordered`]); with weaker ones, two accesses may be unordered
//! without ever being next to each other, and the question has to be put to a model that says what happens before what.

mod graph;
mod instrument;
mod pairs;
mod points;
mod state;
mod threads;
mod walk;

pub use instrument::{RACE, instrument, watched, watches_writes};
pub use pairs::{Analysis, Pair, analyse};

use ir::{BlockId, FunctionId, Op, Program, TagSet};

/// An instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct At {
    /// Of this function.
    pub function: FunctionId,
    /// In this block.
    pub block: BlockId,
    /// At this place of the block.
    pub index: usize,
}

impl At {
    /// The instruction itself.
    pub fn op(self, program: &Program) -> &Op {
        &program.functions[self.function.index()].blocks[self.block.index()].instrs[self.index].op
    }
}

/// Whether an access with these tags is not atomic.
fn is_plain(program: &Program, tags: &TagSet) -> bool {
    tags.iter().any(|tag| program.tags[tag.index()] == "NA")
}

/// Whether every atomic access acquires as a read and releases as a write, and no fence is needed for that. Accesses of the
/// library do: what is relaxed there stands between fences.
pub fn is_ordered(program: &Program) -> bool {
    let has = |tags: &TagSet, names: &[&str]| tags.iter().any(|tag| names.contains(&&*program.tags[tag.index()]));
    let user = program.functions.iter().filter(|function| !function.library);
    let mut ops = user.flat_map(|function| &function.blocks).flat_map(|block| &block.instrs).map(|instr| &instr.op);
    ops.all(|op| match op {
        Op::Load { tags, .. } => !has(tags, &["A"]) || has(tags, &["ACQ", "SC"]),
        Op::Store { tags, .. } | Op::StoreConditional { tags, .. } => !has(tags, &["A"]) || has(tags, &["REL", "SC"]),
        Op::Rmw { read_tags, write_tags, .. } => {
            !has(read_tags, &["A"]) || has(read_tags, &["ACQ", "SC"]) && has(write_tags, &["REL", "SC"])
        }
        Op::Fence { .. } | Op::Assign { .. } | Op::Assume { .. } | Op::System(_) => true,
    })
}
