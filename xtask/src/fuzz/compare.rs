//! One program under one model through all engines.

use engine::{Deadline, FinalState};
use ir::Program;
use model::Model;
use session::Request;
use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

/// The final states, as text so that they can be shown, and how many executions end in each. The text also has the flags that these raise, such as
/// a data race.
type States = BTreeMap<String, u64>;

/// What came of a comparison.
#[derive(Default)]
pub struct Comparison {
    /// How many pairs of engines were compared.
    pub compared: u64,
    /// How many engines had no answer.
    pub unknown: u64,
    /// How long each of the [`WAYS`] took.
    pub times: [Duration; WAYS.len()],
    /// What the first two engines that disagree say.
    pub disagreement: Option<String>,
}

/// A smallest program on which engines disagree.
pub struct Disagreement {
    /// The seed of the program it was made from.
    pub seed: u64,
    /// The model.
    pub model: String,
    /// The program.
    pub program: Program,
    /// Who says what.
    pub what: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "disagreement under {} (program {}):\n{}\n{}", self.model, self.seed, self.program, self.what)
    }
}

/// The ways to find all final states: what to call it, the engine, its options, and whether it counts executions.
pub const WAYS: [(&str, &str, Own, bool); 4] = [
    ("enumerate", "enumerate", &[], true),
    ("partial-order", "partial-order", &[], true),
    ("partial-order with clocks", "partial-order", &[("order", "clocks")], true),
    ("buffers", "buffers", &[], false),
];

/// Options of an engine, with their values.
type Own = &'static [(&'static str, &'static str)];

/// Compares all ways with the first that has an answer.
pub fn compare(program: &Program, model: &Model, limit: Duration) -> Comparison {
    let mut comparison = Comparison::default();
    let program = for_model(program, model);
    let mut judge: Option<(&str, States)> = None;
    for (way, (name, engine, own, counts)) in WAYS.into_iter().enumerate() {
        if engine == "buffers" && model.head.buffers.is_none() {
            continue;
        }
        let started = Instant::now();
        let answer = Request::of(engine, own).and_then(|request| states(&program, model, &request, limit));
        comparison.times[way] = started.elapsed();
        let states = match answer {
            Ok(Some(states)) => states,
            Ok(None) => {
                comparison.unknown += 1;
                continue;
            }
            Err(failure) => {
                comparison.disagreement = Some(format!("{name} fails: {failure}"));
                return comparison;
            }
        };
        let Some((other, expected)) = &judge else {
            judge = Some((name, states));
            continue;
        };
        comparison.compared += 1;
        let same = if counts { states == *expected } else { states.keys().eq(expected.keys()) };
        if !same {
            comparison.disagreement = Some(format!("{other}:\n{}{name}:\n{}", list(expected), list(&states)));
            return comparison;
        }
    }
    comparison
}

/// The program in an architecture that the model is about. Random programs have the tags of hardware already, so they
/// must not be taken for C, which would be compiled.
pub fn for_model(program: &Program, model: &Model) -> Program {
    let arch = model.head.architectures.first().map_or("X86", String::as_str);
    Program { arch: arch.to_owned(), ..program.clone() }
}

/// All final states; nothing if the engine has no answer.
fn states(
    program: &Program,
    model: &Model,
    request: &Request,
    limit: Duration,
) -> Result<Option<States>, session::Failure> {
    let watch = Deadline::within(limit);
    let Ok(found) = session::states(program, model, request, &watch)? else { return Ok(None) };
    let show = |state: &FinalState| {
        let values = state.state.iter().map(|(location, value)| format!("{}={value};", location.name(&found.program)));
        values.chain(state.flags.iter().cloned()).collect::<Vec<_>>().join(" ")
    };
    Ok(Some(found.result.states.iter().map(|state| (show(state), state.executions)).collect()))
}

fn list(states: &States) -> String {
    states.iter().map(|(state, executions)| format!("  {executions:>4} × {state}\n")).collect()
}

/// The smallest program that can be reached by steps of shrinking and on which the engines still disagree.
pub fn shrink(program: &Program, model: &Model, what: String, limit: Duration) -> Disagreement {
    let mut smallest = Disagreement { seed: 0, model: model.name.clone(), program: program.clone(), what };
    loop {
        let variants = testkit::shrink(&smallest.program).filter(|variant| ir::validate(variant).is_ok());
        let mut judged = variants.map(|variant| (compare(&variant, model, limit).disagreement, variant));
        match judged.find(|(what, _)| what.is_some()) {
            Some((Some(what), program)) => smallest = Disagreement { program, what, ..smallest },
            _ => return smallest,
        }
    }
}
