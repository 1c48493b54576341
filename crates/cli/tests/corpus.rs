//! Our own programs, under the models that their heads name: `(* @expect tso: Sometimes, states 4; sc: Never *)`.

mod common;

use common::{litmus_files, root};
use engine::{Deadline, Options, Order};
use model::Model;
use session::{Failure, Request};
use source::SourceFile;
use std::path::Path;
use std::time::Duration;

/// The expectations in the heads of all programs, counted when the last program was added. A run that finds fewer has
/// lost some.
const EXPECTATIONS: usize = 478;

/// What a head expects under a model.
struct Expectation {
    model: String,
    observation: String,
    states: Option<usize>,
}

/// The expectations in the head of a program.
fn expectations(text: &str) -> Result<Vec<Expectation>, String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let Some(rest) = line.trim().strip_prefix("(* @expect ") else { continue };
        let list = rest.strip_suffix("*)").ok_or("a line of expectations ends in `*)`")?;
        for item in list.split(';').map(str::trim) {
            let (model, what) = item.split_once(':').ok_or_else(|| format!("`{item}` names no model"))?;
            let mut parts = what.split(',').map(str::trim);
            let observation = parts.next().unwrap_or_default().to_owned();
            if !["Never", "Sometimes", "Always"].contains(&&*observation) {
                return Err(format!("`{observation}` is no observation"));
            }
            let mut states = None;
            for part in parts {
                let number = part.strip_prefix("states ").and_then(|n| n.parse().ok());
                states = Some(number.ok_or_else(|| format!("`{part}` is no expectation"))?);
            }
            found.push(Expectation { model: model.trim().to_owned(), observation, states });
        }
    }
    if found.is_empty() { Err("no expectations".to_owned()) } else { Ok(found) }
}

/// Compares an engine with an expectation. Whether it was compared: the judges may refuse or give up.
fn compare(file: &SourceFile, expected: &Expectation, engine: &str, order: Order) -> Result<bool, String> {
    let program = session::load(file, &session::Reading::default()).map_err(|failure| failure.to_string())?;
    let model: Model = session::model(&expected.model).map_err(|failure| failure.to_string())?;
    let request = Request {
        engine: Some(engine.to_owned()),
        options: Options { order, ..Options::default() },
        ..Request::default()
    };
    let judge = engine != "partial-order";
    let found = match session::states(&program, &model, &request, &Deadline::within(Duration::from_secs(10))) {
        Ok(Ok(found)) => found.result.states,
        Ok(Err(_)) | Err(Failure::Refused(..)) if judge => return Ok(false),
        Ok(Err(reason)) => return Err(reason.to_string()),
        Err(failure) => return Err(failure.to_string()),
    };
    let condition = program.condition.as_ref().ok_or("the program asks no question")?;
    let holding = found.iter().filter(|state| condition.proposition.holds(&state.state)).count();
    let observation = match (holding, found.len() - holding) {
        (0, _) => "Never",
        (_, 0) => "Always",
        _ => "Sometimes",
    };
    if observation != expected.observation {
        return Err(format!("{observation}, expected {}", expected.observation));
    }
    match expected.states {
        Some(states) if states != found.len() => Err(format!("{} states, expected {states}", found.len())),
        _ => Ok(true),
    }
}

fn check(path: &Path, complaints: &mut Vec<String>, counts: &mut [usize; 4]) {
    let name = path.strip_prefix(root()).unwrap_or(path).display().to_string();
    let text = std::fs::read_to_string(path).expect("the file was listed");
    let expected = match expectations(&text) {
        Ok(expected) => expected,
        Err(why) => return complaints.push(format!("{name}: {why}")),
    };
    let file = SourceFile::new(name.clone(), text);
    let ways = [
        ("partial-order", Order::Theory),
        ("partial-order", Order::Clocks),
        ("enumerate", Order::Theory),
        ("buffers", Order::Theory),
    ];
    for expectation in &expected {
        for ((engine, order), count) in ways.into_iter().zip(&mut *counts) {
            match compare(&file, expectation, engine, order) {
                Ok(compared) => *count += usize::from(compared),
                Err(why) => complaints.push(format!("{name}: {} with {engine} ({order:?}): {why}", expectation.model)),
            }
        }
    }
}

#[test]
fn programs_behave_as_their_heads_say() {
    let (mut complaints, mut counts) = (Vec::new(), [0; 4]);
    for folder in ["corpus/litmus", "corpus/regressions", "examples"] {
        for path in litmus_files(&root().join(folder)) {
            check(&path, &mut complaints, &mut counts);
        }
    }
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    let [theory, clocks, enumerate, buffers] = counts;
    println!("{theory} with the theory, {clocks} with clocks, {enumerate} enumerated, {buffers} with store buffers");
    assert!(theory >= EXPECTATIONS && clocks >= EXPECTATIONS, "only {theory} and {clocks} expectations were checked");
    assert!(enumerate >= EXPECTATIONS * 9 / 10, "only {enumerate} expectations were enumerated");
    assert!(buffers >= EXPECTATIONS * 4 / 10, "only {buffers} expectations were searched with store buffers");
}

#[test]
fn heads_are_read() {
    let found = expectations("X86 a\n(* @expect sc: Never; tso: Sometimes, states 4 *)\n").expect("it is well formed");
    let shown: Vec<_> = found.iter().map(|e| (&*e.model, &*e.observation, e.states)).collect();
    assert_eq!(shown, [("sc", "Never", None), ("tso", "Sometimes", Some(4))]);
    assert!(expectations("(* @expect sc: Perhaps *)").is_err());
    assert!(expectations("(* @expect sc: Never, state 4 *)").is_err());
    assert!(expectations("X86 a").is_err());
}
