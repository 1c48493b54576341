//! Disagreements as files.

use super::compare::Disagreement;
use crate::run::root;
use anyhow::{Context, Result};
use engine::Unobserved;
use session::Request;
use std::path::PathBuf;

/// Saves a disagreement in `corpus/regressions`: as a litmus test if it can be written as one, else as printed.
///
/// The expectation in the head is what the slow judge says. Think about it before it goes in: the judge can be wrong.
pub fn save(disagreement: &Disagreement) -> Result<PathBuf> {
    let folder = root().join("corpus/regressions");
    std::fs::create_dir_all(&folder)?;
    let name = format!("{}-{}", disagreement.model, disagreement.seed);
    let note = format!("Found by `cargo xtask fuzz` as program {} under {}.", disagreement.seed, disagreement.model);
    let (path, text) = match testkit::to_litmus(&disagreement.program) {
        Some(litmus) => {
            let (first, rest) = litmus.split_once('\n').unwrap_or((&litmus, ""));
            let expect = expectation(disagreement).unwrap_or_else(|why| format!("(* no expectation: {why} *)"));
            (folder.join(format!("{name}.litmus")), format!("{first}\n(* {note} *)\n{expect}\n{rest}"))
        }
        None => {
            (folder.join(format!("{name}.txt")), format!("{note}\n\n{}\n{}", disagreement.program, disagreement.what))
        }
    };
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

/// What the judge says: store buffers where the model has them, else the enumeration.
fn expectation(disagreement: &Disagreement) -> Result<String> {
    let model = session::model(&disagreement.model)?;
    let judge = if model.head.buffers.is_some() { "buffers" } else { "enumerate" };
    let request = Request { engine: Some(judge.to_owned()), ..Request::default() };
    let program = super::compare::for_model(&disagreement.program, &model);
    let states = session::states(&program, &model, &request, &Unobserved)?.map_err(|why| anyhow::anyhow!("{why}"))?;
    let outcomes =
        session::observe(&program, &model, &request, &Unobserved)?.map_err(|why| anyhow::anyhow!("{why}"))?;
    let observation = match (outcomes.result.positive.is_some(), outcomes.result.negative.is_some()) {
        (true, true) => "Sometimes",
        (true, false) => "Always",
        (false, _) => "Never",
    };
    Ok(format!("(* @expect {}: {observation}, states {} *)", model.name, states.result.states.len()))
}
