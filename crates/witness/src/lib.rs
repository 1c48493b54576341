//! Executions and their independent checker.
//!
//! What an engine finds is an [`Execution`]. [`check`] decides whether it is one: it runs every thread again with a
//! plain interpreter, recomputes every relation from the program, and evaluates the model's axioms with an evaluator of
//! its own. It shares no code with any engine, nor with the evaluator of `model`. [`check_violation`] does the same where
//! what is shown is not a final state but a property that fails. [`check_invariant`] does it for proofs: an [`Invariant`] is what an engine shows for
//! `SAFE`. [`check_cubes`] checks why an array-based system is safe.

mod axioms;
mod check;
mod cubes;
mod execution;
mod flaw;
pub mod invariant;
mod matrix;
mod relations;
mod replay;
mod violation;

pub use axioms::forbidden_by as forbidden;
pub use check::check;
pub use cubes::{CubeFlaw, check_cubes};
pub use execution::{Action, Event, EventId, Execution, Property, TWO_INSIDE, UNORDERED, Violation};
pub use flaw::Flaw;
pub use invariant::{Invariant, check_invariant};
pub use relations::structure;
pub use violation::{check_violation, first_failure, inside, racing, unset, waiting};
