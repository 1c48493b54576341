//! An execution as something that can be stepped through: what memory, store buffers and locks hold after each step.

use crate::story::{StoryStep, Telling};

/// A location and its value.
pub type Cell = (String, String);

/// What there is at a point between two steps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moment {
    /// What is in memory, at the locations that the steps touch.
    pub memory: Vec<Cell>,
    /// For each thread, the writes that it has issued and that are not in memory, the oldest first.
    pub buffers: Vec<Vec<Cell>>,
    /// The locks that are held, and by whom.
    pub locks: Vec<(String, Vec<String>)>,
}

/// The steps of an execution with what there is before the first and behind each of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// What the steps have in common.
    pub telling: Telling,
    /// The steps.
    pub steps: Vec<StoryStep>,
    /// What there is at first, and then after each step: one more than steps.
    pub moments: Vec<Moment>,
}
