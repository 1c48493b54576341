//! One thread of a program to its next noticeable action.
//!
//! A [`Thread`] is where a thread is, what its locals hold, and the memory that only it uses. A [`Stepper`] executes its
//! instructions one by one. What others can notice or prevent, it does not do: it says so by an [`Action`], and whoever
//! drives it decides whether that happens now, does its own part of it (memory, store buffers, other threads), and lets the
//! thread resume with what comes of it. So the stepper knows no memory model.
//!
//! It is generic over what a value is: a [`Domain`] says what expressions give. In an explicit-state search they are
//! machine words, in a symbolic one linear forms over variables.

mod access;
mod code;
mod control;
mod domain;
mod memory;
mod thread;
mod value;

pub use access::Location;
pub use code::{Action, Progress, Stepper};
pub use domain::{Access, Domain, Fault, Own};
pub use memory::{At, Cell, CellName, Made, Memory, Object, Site, Slot, Target};
pub use thread::{PRIVATE, Status, Thread, private};
pub use value::{Frame, Holder, Scope, Value, known};

/// Why a thread does not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halt {
    /// What was taken for granted (that a cell is one thread's own, how many threads there are) is not so: begin anew with
    /// what is known now.
    Again,
    /// The first thread cannot do this alone: what memory holds would depend on a choice.
    Choice,
    /// The engine cannot do this.
    Limit(String),
}
