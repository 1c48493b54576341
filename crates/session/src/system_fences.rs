//! Which transitions of a system need `fence()`: minimal sets, each verified in the changed text.

use crate::systems::{check_system, load_system};
use crate::{Failure, SystemFound};
use engine::Observer;
use report::system::SystemVerdict;
use source::SourceFile;
use system::machine::Step;
use system::{Formula, Memory, Room, System};

/// What became of the search for fences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SystemRepair {
    /// The system is safe as it is.
    NotNeeded,
    /// These placements make it safe; none has a fence too many, and the first is a smallest one.
    Fences(Vec<Placement>),
    /// No placement does.
    NotRepairable,
    /// Nobody knows.
    Unknown(String),
}

/// Fences that make a system safe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The transitions that get one.
    pub transitions: Vec<usize>,
    /// The changed text.
    pub text: String,
}

/// The text with `fence()` in the guards of some transitions.
fn with_fences(system: &System, transitions: &[usize]) -> SourceFile {
    let text = system.file.text();
    let mut rooms: Vec<(usize, &str)> = transitions
        .iter()
        .map(|&number| match system.transitions[number].room {
            Room::Guard(at) => (at as usize, " fence() &&"),
            Room::Body(at) => (at as usize, "requires { fence() }\n"),
        })
        .collect();
    rooms.sort_unstable();
    let mut changed = String::new();
    let mut done = 0;
    for (at, words) in rooms {
        changed.push_str(&text[done..at]);
        changed.push_str(words);
        done = at;
    }
    changed.push_str(&text[done..]);
    SourceFile::new(system.file.name(), changed)
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
    memory: Memory,
    all: bool,
    observer: &dyn Observer,
) -> Result<SystemRepair, Failure> {
    // Behind `{` of a disjunction there is no room for a conjunct.
    let places: Vec<usize> = (0..system.transitions.len())
        .filter(|&number| {
            let transition = &system.transitions[number];
            let room = !matches!(transition.guard, Formula::Or(_));
            room && transition.actor.is_some() && !transition.has_fence()
        })
        .collect();
    let mut demands: Vec<Vec<usize>> = Vec::new();
    let mut found: Vec<Placement> = Vec::new();
    let ask = |chosen: &[usize]| -> Result<(SystemFound, String), Failure> {
        let file = with_fences(system, chosen);
        let changed = load_system(&file)?;
        Ok((check_system(&changed, memory, None, observer)?, file.text().to_owned()))
    };
    if let SystemVerdict::Unsafe(_) = ask(&places)?.0.verdict {
        return Ok(SystemRepair::NotRepairable);
    }
    for size in 0..=places.len() {
        let mut choice: Vec<usize> = (0..size).collect();
        loop {
            let chosen: Vec<usize> = choice.iter().map(|&at| places[at]).collect();
            let hits = demands.iter().all(|demand| demand.iter().any(|number| chosen.contains(number)));
            let minimal = !found.iter().any(|known| known.transitions.iter().all(|number| chosen.contains(number)));
            if hits && minimal {
                let (answer, text) = ask(&chosen)?;
                match answer.verdict {
                    SystemVerdict::Safe { .. } if size == 0 => return Ok(SystemRepair::NotNeeded),
                    SystemVerdict::Safe { .. } => {
                        found.push(Placement { transitions: chosen, text });
                        if !all {
                            return Ok(SystemRepair::Fences(found));
                        }
                    }
                    SystemVerdict::Unsafe(run) => {
                        let taken = |number: usize| {
                            run.steps.iter().any(|step| matches!(step, Step::Take(taken, _) if *taken == number))
                        };
                        let open = |number: &usize| taken(*number) && !chosen.contains(number);
                        demands.push(places.iter().copied().filter(open).collect());
                    }
                    SystemVerdict::Unknown(reason) => return Ok(SystemRepair::Unknown(reason.to_string())),
                }
            }
            // The next choice in lexical order.
            let Some(at) = (0..size).rev().find(|&at| choice[at] < places.len() - size + at) else { break };
            choice[at] += 1;
            for later in at + 1..size {
                choice[later] = choice[later - 1] + 1;
            }
        }
    }
    Ok(if found.is_empty() { SystemRepair::NotRepairable } else { SystemRepair::Fences(found) })
}
