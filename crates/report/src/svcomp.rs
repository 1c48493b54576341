//! What the competition on software verification (SV-COMP) reads: the last line, and witnesses of violations.

mod graphml;
mod yaml;

use crate::data::Case;
use crate::graph::Graph;
use crate::names::is_identifier;
use crate::story::{StepKind, Story, StoryStep, Telling, is_thread_call};
use engine::Verdict;
use ir::Program;
use sha2::{Digest, Sha256};

pub use graphml::graphml;
pub use yaml::yaml;

/// What a witness says about the task besides the violation. Who calls knows the time and makes the identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task<'a> {
    /// The property as its file has it: `CHECK( init(main()), LTL(G ! call(reach_error())) )`.
    pub specification: &'a str,
    /// Whether `long` has 32 bits.
    pub ilp32: bool,
    /// `2026-01-31T12:00:00Z`.
    pub creation_time: &'a str,
    /// A fresh identifier of the witness.
    pub uuid: &'a str,
    /// Our own version.
    pub version: &'a str,
}

/// The last line of the output, where this is what an execution violates. Bounded proofs are no proofs.
pub fn last_line(verdict: &Verdict, violated: &str) -> String {
    match verdict {
        Verdict::Safe(guarantee) if guarantee.is_full() => "true".to_owned(),
        Verdict::Unsafe(_) => format!("false({violated})"),
        Verdict::Safe(_) | Verdict::Unknown(_) => "unknown".to_owned(),
    }
}

/// The SHA-256 of a text, in hexadecimal digits.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The graph and the story of a violation.
fn told<'a>(case: &'a Case<'_>) -> Option<(&'a Graph, &'a Story)> {
    let graph = case.graph.as_ref()?;
    Some((graph, graph.story.as_ref()?))
}

/// What a step of a story in which the threads take turns says about variables: `x == 1`.
///
/// Only plain variables with numbers in them count, no locks, and each as the step leaves it.
fn assumptions(program: &Program, graph: &Graph, story: &Story, step: &StoryStep) -> Vec<String> {
    if story.telling != Telling::Turns || step.kind == StepKind::Arrive {
        return Vec::new();
    }
    let mut values: Vec<(&str, &str)> = Vec::new();
    for event in step.events.iter().filter_map(|&event| graph.events.get(event)) {
        let (name, value) = (event.location(), event.value());
        let plain = is_identifier(name) && program.objects.iter().any(|o| o.name == name && o.cells.len() == 1);
        if plain && !is_thread_call(&event.source) && value.parse::<i64>().is_ok() {
            values.retain(|(other, _)| *other != name);
            values.push((name, value));
        }
    }
    values.into_iter().map(|(name, value)| format!("{name} == {value}")).collect()
}
