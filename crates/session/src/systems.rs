//! Array-based systems: choose an engine, run it, check what it found.

use crate::{Engines, Failure, Request, panic_message};
use engine::{Engine, NoAnswer, Observer, Reached, Run, SystemTask, SystemVerdict, Systems};
use model::{Buffers, Model};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use system::certificate::{Certificate, Found};
use system::machine::{Machine, Search};
use system::{Memory, System};
use witness::{CubeFlaw, check_cubes};

/// How many states a replay may need.
const REPLAY: usize = 200_000;

/// How much work the check of a certificate may be before it is given up: how often a cube is compared with another, about.
const PATIENCE: u64 = 100_000_000;

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

/// The engines that work when systems are checked and this engine or strategy is asked for.
///
/// # Errors
/// There are none.
pub fn system_engines(engines: Engines, name: &str) -> Result<Vec<&'static dyn Engine>, Failure> {
    let takes = |engine: &&'static dyn Engine| engine.systems().is_some();
    let wanted = |engine: &&'static dyn Engine| name == crate::AUTO || engine.name() == name;
    let found: Vec<&dyn Engine> = engines.iter().copied().filter(takes).filter(wanted).collect();
    if found.is_empty() {
        let known: Vec<&str> = engines.iter().copied().filter(takes).map(Engine::name).collect();
        let message = format!("the engine {name} is not for array-based systems: take {}", known.join(", "));
        return Err(Failure::Usage(message));
    }
    Ok(found)
}

/// The store buffers of a model, as systems have them.
///
/// # Errors
/// The model has no reading with store buffers.
pub fn system_memory(model: &Model) -> Result<Memory, Failure> {
    match model.head.buffers {
        Some(Buffers::None) => Ok(Memory::Sc),
        Some(Buffers::Thread) => Ok(Memory::Tso),
        Some(Buffers::Location) => Ok(Memory::Pso),
        None => Err(Failure::Refused(
            format!("the model {} has no reading with store buffers, which array-based systems need", model.name),
            "choose one that has: sc, tso, x86tso or pso, or a model of your own with `@buffers` in its head"
                .to_owned(),
        )),
    }
}

/// Can a bad state be reached?
///
/// # Errors
/// Why there is no verdict.
pub fn check_system(
    system: &System,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<SystemFound, Failure> {
    let memory = system_memory(model)?;
    let task = SystemTask { system, memory, options: &request.options };
    let mut refusal = None;
    for engine in system_engines(request.engines, request.engine.as_deref().unwrap_or(crate::AUTO))? {
        let Some(systems) = engine.systems() else { continue };
        let found = run(engine.name(), systems, &task, observer)?;
        match &found.verdict {
            SystemVerdict::Unknown(NoAnswer::GaveUp(_)) => refusal = refusal.or(Some(found)),
            SystemVerdict::Safe { .. } | SystemVerdict::Unsafe(_) | SystemVerdict::Unknown(_) => return Ok(found),
        }
    }
    refusal.ok_or_else(|| Failure::Internal("no engine was chosen".to_owned()))
}

/// Runs one engine and checks its evidence.
fn run(
    name: &'static str,
    engine: &dyn Systems,
    task: &SystemTask<'_>,
    observer: &dyn Observer,
) -> Result<SystemFound, Failure> {
    let answer = match catch_unwind(AssertUnwindSafe(|| engine.run(task, observer))) {
        Ok(Ok(answer)) => answer,
        Ok(Err(reason)) => return Ok(SystemFound::unknown(reason)),
        Err(panic) => {
            return Err(Failure::Internal(format!("the engine {name} stopped: {}", panic_message(&*panic))));
        }
    };
    let mut statistics = answer.statistics;
    let (verdict, certificate) = match answer.reached {
        Reached::Never(certificate) => {
            (safe(name, task.system, &certificate, &mut statistics, observer)?, Some(certificate))
        }
        Reached::Trace { processes, steps } => (replay(task, processes, &steps, observer), None),
    };
    let certificate = certificate.filter(|_| matches!(verdict, SystemVerdict::Safe { .. }));
    Ok(SystemFound { verdict, statistics, certificate, found: answer.found })
}

/// Believes a certificate only if it stands the check; one that is too large is believed unchecked, and said to be so.
fn safe(
    engine: &str,
    system: &System,
    certificate: &Certificate,
    statistics: &mut Vec<(String, u64)>,
    observer: &dyn Observer,
) -> Result<SystemVerdict, Failure> {
    let cubes = certificate.cubes.len() as u64;
    // A transition into a cube is compared with all cubes.
    let spent = Cell::new(0u64);
    let stop = || {
        spent.set(spent.get() + cubes);
        spent.get() > PATIENCE || observer.stop().is_some()
    };
    let checked = catch_unwind(AssertUnwindSafe(|| check_cubes(system, certificate, &stop))).map_err(|panic| {
        Failure::Internal(format!("the check of a certificate stopped: {}", panic_message(&*panic)))
    })?;
    match checked {
        Ok(sets) => {
            observer.phase("check", &format!("certificate of {cubes} cubes, {sets} steps into them"));
            statistics.push(("certificate checked (cubes)".to_owned(), cubes));
            statistics.push(("sets of states checked".to_owned(), sets));
            Ok(SystemVerdict::Safe { checked: true })
        }
        Err(CubeFlaw::Stopped | CubeFlaw::Unsure(_)) => {
            if let Some(reason) = observer.stop() {
                return Ok(SystemVerdict::Unknown(reason));
            }
            statistics.push(("certificate not checked (cubes)".to_owned(), cubes));
            Ok(SystemVerdict::Safe { checked: false })
        }
        Err(flaw) => {
            let file = system.file.name();
            Err(Failure::Internal(format!("{file}: the certificate that {engine} gave does not hold: {flaw}")))
        }
    }
}

/// Believes a trace only if the machine can run it, or finds another way to a bad state.
fn replay(task: &SystemTask<'_>, processes: u8, steps: &[(usize, Vec<u8>)], observer: &dyn Observer) -> SystemVerdict {
    let stop = || observer.stop().is_some();
    let machine = Machine::new(task.system, processes, task.memory);
    let mut found = machine.replay(steps, REPLAY, &stop);
    observer.phase("replay", &format!("{} transitions of {processes} processes", steps.len()));
    let mut number = processes;
    if !matches!(found, Search::Bad { .. }) {
        found = machine.search(REPLAY, &stop);
    }
    if !matches!(found, Search::Bad { .. }) && task.system.processes.is_none() {
        number = processes + 1;
        found = Machine::new(task.system, number, task.memory).search(REPLAY, &stop);
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
