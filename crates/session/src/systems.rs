//! Array-based systems: load, run the engine, replay what it found.

use crate::{Failure, panic_message};
use engine::{NoAnswer, Observer};
use engine_parametric::{Options, Outcome, check};
use report::system::{Run, SystemVerdict};
use source::SourceFile;
use std::panic::{AssertUnwindSafe, catch_unwind};
use system::machine::{Machine, Search};
use system::{Memory, System};

/// The engine for systems.
pub const SYSTEM_ENGINE: (&str, &str) =
    ("parametric", "any number of processes: backward reachability over cubes, for .cub systems");

/// How many states a replay may need.
const REPLAY: usize = 200_000;

/// A verdict and what it cost.
#[derive(Debug, Clone)]
pub struct SystemFound {
    /// The verdict.
    pub verdict: SystemVerdict,
    /// What the search cost.
    pub statistics: Vec<(String, u64)>,
}

/// Whether a file is an array-based system, by its name.
pub fn is_system(name: &str) -> bool {
    name.ends_with(".cub")
}

/// Reads a system.
///
/// # Errors
/// What is wrong with the text.
pub fn load_system(file: &SourceFile) -> Result<System, Failure> {
    front_arrays::parse(file).map_err(Failure::Input)
}

/// The memory model with this name; without one, that which fits the system.
///
/// # Errors
/// There is no such model for systems.
pub fn system_memory(system: &System, name: Option<&str>) -> Result<Memory, Failure> {
    match name {
        Some("sc") => Ok(Memory::Sc),
        Some("tso") => Ok(Memory::Tso),
        Some("pso") => Ok(Memory::Pso),
        Some(name) => {
            Err(Failure::Usage(format!("the model {name} is not for array-based systems: they take sc, tso and pso")))
        }
        None if system.is_weak() => Ok(Memory::Tso),
        None => Ok(Memory::Sc),
    }
}

/// Can a bad state be reached?
///
/// # Errors
/// Why there is no verdict.
pub fn check_system(
    system: &System,
    memory: Memory,
    guess: Option<u8>,
    observer: &dyn Observer,
) -> Result<SystemFound, Failure> {
    let options = Options { guess };
    let answer = match catch_unwind(AssertUnwindSafe(|| check(system, memory, options, observer))) {
        Ok(Ok(answer)) => answer,
        Ok(Err(reason)) => {
            return Ok(SystemFound { verdict: SystemVerdict::Unknown(reason), statistics: Vec::new() });
        }
        Err(panic) => {
            return Err(Failure::Internal(format!("the engine parametric stopped: {}", panic_message(&*panic))));
        }
    };
    let verdict = match answer.outcome {
        Outcome::Safe => SystemVerdict::Safe,
        Outcome::Trace { processes, steps } => replay(system, memory, processes, &steps, observer),
    };
    Ok(SystemFound { verdict, statistics: answer.statistics })
}

/// Believes a trace only if the machine can run it, or finds another way to a bad state.
fn replay(
    system: &System,
    memory: Memory,
    processes: u8,
    steps: &[(usize, Vec<u8>)],
    observer: &dyn Observer,
) -> SystemVerdict {
    let stop = || observer.stop().is_some();
    let machine = Machine::new(system, processes, memory);
    let mut found = machine.replay(steps, REPLAY, &stop);
    observer.phase("replay", &format!("{} transitions of {processes} processes", steps.len()));
    let mut number = processes;
    if !matches!(found, Search::Bad { .. }) {
        found = machine.search(REPLAY, &stop);
    }
    if !matches!(found, Search::Bad { .. }) && system.processes.is_none() {
        number = processes + 1;
        found = Machine::new(system, number, memory).search(REPLAY, &stop);
    }
    match found {
        Search::Bad { first, steps, property } => {
            SystemVerdict::Unsafe(Run { processes: number, first, steps, property })
        }
        Search::Exhausted { .. } | Search::Unfinished => SystemVerdict::Unknown(NoAnswer::GaveUp(format!(
            "a way of {} transitions to a bad state was found, but {processes} processes cannot go it",
            steps.len()
        ))),
    }
}
