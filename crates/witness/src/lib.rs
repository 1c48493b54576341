//! Executions and their independent checker.

mod execution;

pub use execution::{Action, Event, EventId, Execution};
