//! Cubes: a question cut into parts by fixing some choices, for several machines.
//!
//! Some conditions are chosen, and each cube fixes the truth of all of them: every execution is in exactly one cube, whatever
//! the conditions are, so a choice can be poor but not wrong. Those are chosen that decide most: which of two threads' writes to a
//! busy location comes first, and whether a read with many sources takes an early or a late one. The choice depends on nothing but the
//! question, so nothing has to be sent from machine to machine but the number of the cube.

use crate::events::Events;
use engine::{Cube, Number, Options, Property, Question, Refusal, Task};
use ir::Program;
use logic::Bool;
use model::Model;
use rustc_hash::FxHasher;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

pub const CUBES: Number = Number {
    name: "cubes",
    value: "N",
    help: "Cut the question into this many cubes, a power of two, and look at --cube only; `fencepost merge` concludes",
    range: (1, 1 << 12),
};

pub const CUBE: Number =
    Number { name: "cube", value: "I", help: "The number of the cube to look at, from 0", range: (0, (1 << 12) - 1) };

/// The cube that is asked for: its number, and how many there are.
pub fn asked(options: &Options) -> Option<(u32, u32)> {
    CUBE.of(options).zip(CUBES.of(options))
}

/// Complains about a cube that there is not, and about questions that are not cut.
pub fn accepts(task: &Task<'_>) -> Result<(), Refusal> {
    let refuse = |reason: &str, help: &str| Err(Refusal { reason: reason.to_owned(), help: help.to_owned() });
    match (CUBES.of(task.options), CUBE.of(task.options)) {
        (None, None) => Ok(()),
        (Some(_), None) | (None, Some(_)) => {
            refuse("--cubes and --cube belong together", "give both: --cubes 4 --cube 0, and so on to --cube 3")
        }
        (Some(cubes), Some(_)) if !cubes.is_power_of_two() => {
            refuse("the number of cubes is no power of two", "take 2, 4, 8 and so on")
        }
        (Some(cubes), Some(cube)) if cube >= cubes => {
            refuse("there is no cube of this number", "cubes are numbered from 0")
        }
        (Some(_), Some(_)) if !matches!(task.question, Question::Violation(_)) => {
            refuse("only questions about C programs are cut into cubes", "leave out --cubes and --cube")
        }
        (Some(_), Some(_)) => Ok(()),
    }
}

/// A condition that can be fixed: the location or read that it is about, and how much is there to decide.
struct Candidate {
    weight: usize,
    about: (u8, usize),
    when: Bool,
}

/// The conditions to fix for so many cubes, the weightiest first; fewer if there are not so many.
pub fn choose(events: &mut Events<'_>, cubes: u32) -> Vec<Bool> {
    let mut found = coherence(events);
    found.extend(reads(events));
    found.retain(|candidate| candidate.when != Bool::TRUE && candidate.when != Bool::FALSE);
    found.sort_by_key(|candidate| (std::cmp::Reverse(candidate.weight), candidate.about));
    found.iter().map(|candidate| candidate.when).take(cubes.trailing_zeros() as usize).collect()
}

/// For each location with writes of several threads, the pair of such writes in the middle.
fn coherence(events: &Events<'_>) -> Vec<Candidate> {
    let mut pairs: BTreeMap<usize, Vec<Bool>> = BTreeMap::new();
    let thread = |event: usize| events.structure.events[event].thread;
    for pair in &events.co {
        let (first, second) = (pair.first, pair.second);
        let across = thread(first).is_some() && thread(second).is_some() && thread(first) != thread(second);
        if let (true, true, [(location, _)]) = (across, first < second, &events.locations[first][..]) {
            pairs.entry(*location).or_default().push(pair.when);
        }
    }
    let middle = |(location, all): (usize, Vec<Bool>)| Candidate {
        weight: events.accesses[location].len(),
        about: (0, location),
        when: all[all.len() / 2],
    };
    pairs.into_iter().map(middle).collect()
}

/// For each read that can take its value from several writes, that it takes it from the later half of them.
fn reads(events: &mut Events<'_>) -> Vec<Candidate> {
    let several: Vec<usize> = (0..events.rf.len()).filter(|&read| events.rf[read].len() > 1).collect();
    let mut found = Vec::new();
    for read in several {
        let sources = &events.rf[read];
        let weight = sources.len();
        let late: Vec<Bool> = sources[weight / 2..].iter().map(|&(_, when)| when).collect();
        found.push(Candidate { weight, about: (1, read), when: events.terms().any(late) });
    }
    found
}

/// The cube with what tells its question from others.
pub fn cube(task: &Task<'_>, (index, of): (u32, u32), chosen: &[Bool]) -> Cube {
    let Task { program, model, options, .. } = task;
    let property = match task.question {
        Question::Violation(property) => Some(property),
        Question::Reach(_) | Question::States => None,
    };
    Cube { index, of, split: fingerprint((program, model), property, options, chosen) }
}

/// A number for a question: the same on every machine, and hardly ever that of another question.
fn fingerprint(
    (program, model): (&Program, &Model),
    property: Option<Property>,
    options: &Options,
    chosen: &[Bool],
) -> u64 {
    let mut hasher = FxHasher::default();
    format!("{property:?}").hash(&mut hasher);
    for file in program.source.files() {
        (file.name, file.text).hash(&mut hasher);
    }
    program.to_string().hash(&mut hasher);
    (format!("{:?} {:?}", model.nodes, model.axioms)).hash(&mut hasher);
    (options.unwind, &options.loops, options.free_threads, options.free_iterations).hash(&mut hasher);
    format!("{chosen:?}").hash(&mut hasher);
    hasher.finish()
}
