//! Array-based systems: load, run the engine, check what it found.

use crate::{Failure, panic_message};
use engine::{NoAnswer, Observer};
use engine_parametric::{Options, Outcome, check};
use report::system::{Run, SystemVerdict};
use source::SourceFile;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use system::certificate::{Certificate, Found};
use system::machine::{Machine, Search};
use system::{Memory, System};
use witness::{CubeFlaw, check_cubes};

/// The engine for systems.
pub const SYSTEM_ENGINE: (&str, &str) =
    ("parametric", "any number of processes: backward reachability over cubes, for .cub systems");

/// How many states a replay may need.
const REPLAY: usize = 200_000;

/// Certificates with more cubes than this are not checked.
const CUBES: usize = 20_000;

/// How long a certificate is checked at least before the check is given up; otherwise as long as four searches take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The cubes of a search are kept to be shown if they are no more than this.
const SHOWN: usize = 400;

/// A verdict and what it cost.
#[derive(Debug, Clone)]
pub struct SystemFound {
    /// The verdict.
    pub verdict: SystemVerdict,
    /// What the search cost.
    pub statistics: Vec<(String, u64)>,
    /// Why the system is safe, if it is.
    pub certificate: Option<Certificate>,
    /// The cubes of the search, if they are few.
    pub found: Vec<Found>,
}

impl SystemFound {
    /// There is no verdict.
    pub fn unknown(reason: NoAnswer) -> SystemFound {
        let verdict = SystemVerdict::Unknown(reason);
        SystemFound { verdict, statistics: Vec::new(), certificate: None, found: Vec::new() }
    }
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
    let options = Options { guess, shown: SHOWN };
    let begin = Instant::now();
    let answer = match catch_unwind(AssertUnwindSafe(|| check(system, memory, options, observer))) {
        Ok(Ok(answer)) => answer,
        Ok(Err(reason)) => {
            return Ok(SystemFound::unknown(reason));
        }
        Err(panic) => {
            return Err(Failure::Internal(format!("the engine parametric stopped: {}", panic_message(&*panic))));
        }
    };
    let mut statistics = answer.statistics;
    let verdict = match answer.outcome {
        Outcome::Safe => {
            let Some(certificate) = &answer.certificate else {
                return Err(Failure::Internal("the engine parametric gives no reason for its answer".to_owned()));
            };
            let patience = PATIENCE.max(4 * begin.elapsed());
            safe(system, certificate, patience, &mut statistics, observer)?
        }
        Outcome::Trace { processes, steps } => replay(system, memory, processes, &steps, observer),
    };
    let certificate = answer.certificate.filter(|_| matches!(verdict, SystemVerdict::Safe { .. }));
    Ok(SystemFound { verdict, statistics, certificate, found: answer.found })
}

/// Believes a certificate only if it stands the check; one that is too large is believed unchecked, and said to be so.
fn safe(
    system: &System,
    certificate: &Certificate,
    patience: Duration,
    statistics: &mut Vec<(String, u64)>,
    observer: &dyn Observer,
) -> Result<SystemVerdict, Failure> {
    let cubes = certificate.cubes.len();
    let begin = Instant::now();
    let stop = || begin.elapsed() > patience || observer.stop().is_some();
    let checked = if cubes > CUBES {
        Err(CubeFlaw::Stopped)
    } else {
        catch_unwind(AssertUnwindSafe(|| check_cubes(system, certificate, &stop))).map_err(|panic| {
            Failure::Internal(format!("the check of a certificate stopped: {}", panic_message(&*panic)))
        })?
    };
    match checked {
        Ok(sets) => {
            observer.phase("check", &format!("certificate of {cubes} cubes, {sets} steps into them"));
            statistics.push(("certificate checked (cubes)".to_owned(), cubes as u64));
            statistics.push(("sets of states checked".to_owned(), sets));
            Ok(SystemVerdict::Safe { checked: true })
        }
        Err(CubeFlaw::Stopped | CubeFlaw::Unsure(_)) => {
            if let Some(reason) = observer.stop() {
                return Ok(SystemVerdict::Unknown(reason));
            }
            statistics.push(("certificate not checked (cubes)".to_owned(), cubes as u64));
            Ok(SystemVerdict::Safe { checked: false })
        }
        Err(flaw) => {
            let file = system.file.name();
            Err(Failure::Internal(format!("{file}: the certificate that parametric gave does not hold: {flaw}")))
        }
    }
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
        Search::Bad { first, steps, states, property } => {
            SystemVerdict::Unsafe(Run { processes: number, first, steps, states, property })
        }
        Search::Exhausted { .. } | Search::Unfinished => SystemVerdict::Unknown(NoAnswer::GaveUp(format!(
            "a way of {} transitions to a bad state was found, but {processes} processes cannot go it",
            steps.len()
        ))),
    }
}
