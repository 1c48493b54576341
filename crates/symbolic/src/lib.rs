//! Symbolic execution of a program into guarded events.
//!
//! Section 4 of Alglave, Kroening and Tautschnig ("Partial Orders for Efficient Bounded Model Checking of Concurrent
//! Software", CAV 2013): each thread is executed once with path merging; every access becomes a symbolic event with a
//! guard, an address, a value and its place in program order, and every read has a value of its own. [`execute`] does
//! that; [`narrow`] then replaces the values of reads that can only take a few constants by choices between those, which
//! is what keeps bits out of the formulas of most small programs.
//!
//! Only accesses to cells that several threads use make events: see [`run`](execute) for how that is found out. Loops go
//! round as long as constants say so, and beyond that up to a bound; an iteration that changes nothing is left out, so
//! loops that only wait need no bound. Functions are executed where they are called, and threads where they are started.
//!
//! What it can miss: executions that go beyond a bound (they are listed as cuts). The values of a read are the least set
//! that the program's constants can produce, so a value that comes out of thin air is never considered, whatever the
//! model says about it. Freed memory that comes back is the front end's business.

mod congruence;
mod group;
mod memory;
mod narrow;
mod numbers;
mod ops;
mod parts;
mod pointers;
mod regions;
mod run;
mod spin;
mod state;
mod structure;
mod thread;
mod transient;

pub use narrow::narrow;
pub use regions::{Analysis, Item, Loop};
pub use run::{Halt, Settings, execute};
pub use structure::{
    Cause, Dependency, Event, Failing, Failure, Group, Input, Kind, Link, Location, Made, Moment, Stand, Structure,
    Stuck, Wait,
};
