//! What can be wrong with an execution.

use crate::execution::EventId;
use std::fmt;

/// Why an execution is no evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// The events do not begin with the initial writes of the program.
    Initial(String),
    /// A thread of the program cannot do what the execution says.
    Thread {
        /// The thread's name.
        thread: String,
        /// The line of the source where it happens, from 1.
        line: u32,
        /// What is wrong.
        what: String,
    },
    /// A thread with this name does not run to its end, so that there is no final state.
    Unfinished(String),
    /// Reads-from is wrong at this event.
    ReadsFrom(EventId, String),
    /// Coherence is wrong at this location.
    Coherence(String, String),
    /// A final value is not the one that the execution leads to.
    Final {
        /// The location's name.
        location: String,
        /// What the execution claims, if it claims anything.
        claimed: Option<u64>,
        /// What it leads to, if the location is observed at all.
        found: Option<u64>,
    },
    /// The final state is not one that the program's filter lets through.
    Filter,
    /// The final state does not satisfy the proposition that it is evidence for.
    Goal,
    /// The execution does not show that the property fails.
    Violation(String),
    /// The model forbids the execution by this axiom.
    Forbidden(String),
    /// The invariant is none, or does not show what is claimed.
    Invariant(String),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |v: &Option<u64>| v.map_or("nothing".to_owned(), |v| v.to_string());
        match self {
            Flaw::Initial(what) => write!(f, "initial writes: {what}"),
            Flaw::Thread { thread, line, what } => write!(f, "thread {thread}, line {line}: {what}"),
            Flaw::Unfinished(thread) => write!(f, "thread {thread} does not run to its end"),
            Flaw::ReadsFrom(event, what) => write!(f, "reads-from at event {}: {what}", event.0),
            Flaw::Coherence(location, what) => write!(f, "coherence of {location}: {what}"),
            Flaw::Final { location, claimed, found } => {
                write!(f, "final value of {location}: {} is claimed, {} is found", value(claimed), value(found))
            }
            Flaw::Filter => f.write_str("the final state does not pass the program's filter"),
            Flaw::Goal => f.write_str("the final state does not satisfy the proposition"),
            Flaw::Violation(what) => write!(f, "the property: {what}"),
            Flaw::Invariant(what) => write!(f, "the invariant: {what}"),
            Flaw::Forbidden(axiom) => write!(f, "the model forbids this execution: `{axiom}`"),
        }
    }
}

impl std::error::Error for Flaw {}
