//! Helpers of the tests: models, and the final states that each engine finds.
#![allow(dead_code)]

use engine::{Engine, Findings, NoAnswer, Options, Question, Task};
use ir::{Program, Proposition, State};
use model::Model;
use std::collections::BTreeSet;
use testkit::Budget;

/// The final states that an engine finds, their examples checked.
pub fn states(engine: &dyn Engine, program: &Program, model: &Model, work: u64) -> Result<BTreeSet<State>, NoAnswer> {
    let options = Options::default();
    let task = Task { program, model, question: Question::States, options: &options };
    engine.accepts(&task).expect("accepted");
    let answer = engine.run(&task, &Budget::of(work))?;
    let Findings::States(found) = answer.findings else { panic!("asked for states") };
    for state in &found {
        if let Some(example) = &state.example {
            witness::check(program, model, example, &Proposition::True)
                .unwrap_or_else(|flaw| panic!("{}: {flaw}\n{program}\n{example:?}", engine.name()));
        }
    }
    Ok(found.into_iter().map(|found| found.state).collect())
}

/// A model of the library.
pub fn model(name: &str) -> Model {
    Model::builtin(name).unwrap_or_else(|| panic!("no model {name}"))
}

/// The models that both engines can read.
pub fn models() -> Vec<Model> {
    ["sc", "tso", "pso"].map(model).into()
}
