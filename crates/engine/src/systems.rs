//! Array-based systems: what an engine is asked about them, and what is known then.

use crate::{NoAnswer, Observer, Options};
use std::fmt;
use system::certificate::{Certificate, Found};
use system::machine::{State, Step};
use system::{Memory, System};

/// Can a bad state of a system be reached?
#[derive(Debug, Clone, Copy)]
pub struct SystemTask<'a> {
    /// About what.
    pub system: &'a System,
    /// With which store buffers.
    pub memory: Memory,
    /// How.
    pub options: &'a Options,
}

/// What an engine found out about a system. It is evidence, to be checked.
#[derive(Debug, Clone)]
pub enum Reached {
    /// No bad state can be reached, for this reason.
    Never(Certificate),
    /// One may be, from an initial state.
    Trace {
        /// How many processes there are.
        processes: u8,
        /// The transitions in their order, each with its processes.
        steps: Vec<(usize, Vec<u8>)>,
    },
}

/// What an engine found out, and at what cost.
#[derive(Debug, Clone)]
pub struct SystemAnswer {
    /// What there is.
    pub reached: Reached,
    /// What the search cost, in the engine's own terms and order.
    pub statistics: Vec<(String, u64)>,
    /// The steps of the search in the order in which they were made, to be shown, if they are few.
    pub found: Vec<Found>,
}

/// The side of an engine that takes systems.
pub trait Systems: Sync {
    /// Does the task.
    ///
    /// # Errors
    /// Why there is no answer.
    fn run(&self, task: &SystemTask<'_>, observer: &dyn Observer) -> Result<SystemAnswer, NoAnswer>;
}

/// What is known about a system.
#[derive(Debug, Clone)]
pub enum SystemVerdict {
    /// No bad state can be reached.
    Safe {
        /// Whether the certificate was checked.
        checked: bool,
    },
    /// One is, by this run, which was replayed.
    Unsafe(Run),
    /// Nothing is known.
    Unknown(NoAnswer),
}

impl fmt::Display for SystemVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SystemVerdict::Safe { .. } => f.write_str("SAFE"),
            SystemVerdict::Unsafe(_) => f.write_str("UNSAFE"),
            SystemVerdict::Unknown(reason) => write!(f, "UNKNOWN ({reason})"),
        }
    }
}

/// A run of a system that ends in a bad state.
#[derive(Debug, Clone)]
pub struct Run {
    /// How many processes there are.
    pub processes: u8,
    /// The first state.
    pub first: State,
    /// The steps.
    pub steps: Vec<Step>,
    /// The state after each step.
    pub states: Vec<State>,
    /// The number of the bad property.
    pub property: usize,
}
