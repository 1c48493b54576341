//! Symbolic execution of a program into guarded events.
//!
//! Section 4 of paper 000: each thread is executed once with path merging; every access becomes a symbolic event with a
//! guard, an address, a value and its place in program order, and every read has a value of its own. [`execute`] does
//! that; [`narrow`] then replaces the values of reads that can only take a few constants by choices between those, which
//! is what keeps bits out of the formulas of most small programs.
//!
//! What it can miss: nothing of the unrolled program. The values of a read are the least set that the program's constants
//! can produce, so a value that comes out of thin air is never considered, whatever the model says about it.

mod execute;
mod narrow;

pub use execute::{Dependency, Event, Kind, Structure, execute};
pub use narrow::narrow;
