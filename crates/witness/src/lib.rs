//! Executions and their independent checker.
//!
//! What an engine finds is an [`Execution`]. [`check`] decides whether it is one: it runs every thread again with a
//! plain interpreter, recomputes every relation from the program, and evaluates the model's axioms with an evaluator of
//! its own. It shares no code with any engine, nor with the evaluator of `model`.

mod axioms;
mod check;
mod execution;
mod flaw;
mod relations;
mod replay;

pub use check::check;
pub use execution::{Action, Event, EventId, Execution};
pub use flaw::Flaw;
pub use relations::structure;
