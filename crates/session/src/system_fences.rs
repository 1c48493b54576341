//! Which transitions of a system need `fence()`: minimal sets, each verified in the changed text.

use crate::systems::check_system;
use crate::{Failure, Reading, Request, Subject, SystemFound, read};
use engine::{NoAnswer, Observer, Run, SystemVerdict};
use fences::{Blocked, Hit, Hitting, Patch};
use model::Model;
use source::SourceFile;
use system::machine::Step;
use system::{Room, System};

/// What became of the search for fences. If there is nothing in it, no placement helps.
#[derive(Debug, Clone, Default)]
pub struct SystemRepairs {
    /// These placements make the system safe; none has a fence too many, and the first is a cheapest one.
    pub repairs: Vec<SystemRepair>,
    /// A run that no fence forbids.
    pub unrepairable: Option<Run>,
    /// Why there may be more.
    pub unknown: Option<NoAnswer>,
}

/// Fences that make a system safe.
#[derive(Debug, Clone)]
pub struct SystemRepair {
    /// The transitions that get one.
    pub transitions: Vec<usize>,
    /// What they cost.
    pub cost: u64,
    /// The text with them.
    pub patch: Patch,
}

/// What a fence costs: the same in each transition.
const COST: u32 = 10;

/// The text with `fence()` in the guards of some transitions.
fn with_fences(system: &System, transitions: &[usize]) -> Patch {
    let mut words = Vec::new();
    for &number in transitions {
        match system.transitions[number].room {
            Room::Guard(start, end) => {
                let (start, end) = (start as usize, end as usize);
                let guard = &system.file.text()[start..end];
                // What binds less than `&&` needs brackets.
                if ["||", "=>", "if", "let"].iter().any(|sign| guard.contains(sign)) {
                    words.push((end - guard.trim_start().len(), "fence() && (".to_owned()));
                    words.push((start + guard.trim_end().len(), ")".to_owned()));
                } else {
                    words.push((start, " fence() &&".to_owned()));
                }
            }
            Room::Body(at) => words.push((at as usize, "requires { fence() }\n".to_owned())),
        }
    }
    fences::insert(&system.file, &words)
}

/// The smallest set of fences that makes a system safe, or all sets without a fence too many.
///
/// A run that ends badly goes on doing so if only transitions that it does not take get a fence. So every repair has a
/// fence in one that it takes.
///
/// # Errors
/// Why there is no answer.
pub fn fence_system(
    system: &System,
    model: &Model,
    (request, all): (&Request, bool),
    observer: &dyn Observer,
) -> Result<SystemRepairs, Failure> {
    let places: Vec<usize> = (0..system.transitions.len())
        .filter(|&number| {
            let transition = &system.transitions[number];
            transition.actor.is_some() && !transition.has_fence()
        })
        .collect();
    let ask = |chosen: &[usize]| -> Result<(SystemFound, Patch), Failure> {
        let patch = with_fences(system, chosen);
        let changed = SourceFile::new(system.file.name(), patch.text.clone());
        let Subject::System(changed) = read(&changed, &Reading::default())? else {
            return Err(Failure::Internal("with fences a system is no system any more".to_owned()));
        };
        Ok((check_system(&changed, model, request, observer)?, patch))
    };
    let mut repair = SystemRepairs::default();
    if let SystemVerdict::Unsafe(run) = ask(&places)?.0.verdict {
        repair.unrepairable = Some(run);
        return Ok(repair);
    }
    let costs = vec![COST; places.len()];
    let mut demands: Vec<Vec<usize>> = Vec::new();
    let mut found: Vec<Vec<usize>> = Vec::new();
    loop {
        let blocked = |set: &[usize]| found.iter().any(|known| known.iter().all(|at| set.contains(at)));
        let go_on = || observer.stop().is_none();
        let blocked: Option<Blocked<'_>> = if found.is_empty() { None } else { Some(&blocked) };
        let hitting = Hitting { costs: &costs, ties: &[], clauses: &demands, blocked, go_on: &go_on };
        let set = match hitting.cheapest() {
            Hit::Set(set) => set,
            Hit::None => return Ok(repair),
            Hit::Stopped => {
                repair.unknown = Some(observer.stop().unwrap_or(NoAnswer::Cancelled));
                return Ok(repair);
            }
        };
        let chosen: Vec<usize> = set.iter().map(|&at| places[at]).collect();
        observer.phase("fences", &format!("{} of {} places", chosen.len(), places.len()));
        let (answer, patch) = ask(&chosen)?;
        match answer.verdict {
            SystemVerdict::Safe { .. } => {
                let cost = u64::from(COST) * chosen.len() as u64;
                repair.repairs.push(SystemRepair { transitions: chosen, cost, patch });
                if !all || set.is_empty() {
                    return Ok(repair);
                }
                found.push(set);
            }
            SystemVerdict::Unsafe(run) => {
                let taken = |number: usize| {
                    run.steps.iter().any(|step| matches!(step, Step::Take(taken, _) if *taken == number))
                };
                let open = |at: &usize| taken(places[*at]) && !set.contains(at);
                let demand: Vec<usize> = (0..places.len()).filter(open).collect();
                if demand.is_empty() {
                    // No fence more can forbid it.
                    repair.unrepairable = repair.repairs.is_empty().then_some(run);
                    return Ok(repair);
                }
                demands.push(demand);
            }
            SystemVerdict::Unknown(reason) => {
                repair.unknown = Some(reason);
                return Ok(repair);
            }
        }
    }
}
