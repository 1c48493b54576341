//! `fencepost check` of a C program without a model: under sequential consistency and under every model of a machine, each
//! model's head says whether it is one.
//!
//! What one verdict says about another need not be asked: what a model allows, every weaker one allows, and what it proves holds for
//! every stronger one. Heads say which models are weaker than which.

use crate::args::{Check, CheckFormat};
use crate::check::{applies, code, print, render, request, table, text_options};
use crate::watch::Watch;
use crate::{facts, output};
use anyhow::Result;
use engine::{NoAnswer, Verdict};
use fencepost::case::{described, model_name};
use ir::Program;
use model::Model;
use report::{ModelRow, ModelTable};
use session::{Failure, Found};

/// What is known about a model so far.
struct Known {
    model: Model,
    verdict: Option<Verdict>,
    /// What the engines said, where they were asked.
    found: Option<Found<Verdict>>,
    seconds: f64,
}

/// The models that a program is checked under if none is named, the strongest first: a machine that has only store buffers reorders
/// less than one that has more.
pub fn models(program: &Program) -> Result<Vec<Model>, Failure> {
    let machines = session::models().into_iter().filter(|model| model.head.machine && applies(model, program));
    let mut machines: Vec<Model> = machines.collect();
    machines.sort_by_key(|model| model.head.buffers.is_none());
    Ok(std::iter::once(session::model("sc")?).chain(machines).collect())
}

/// Checks a program under all of them. Shows the table, and the story of the strongest model under which it goes wrong.
pub fn check(args: &Check, program: &Program) -> Result<u8> {
    let fresh = |model| Known { model, verdict: None, found: None, seconds: 0.0 };
    let mut all: Vec<Known> = models(program)?.into_iter().map(fresh).collect();
    all.iter().flat_map(|known| session::remarks(program, &known.model)).for_each(|remark| output::say(&remark));
    // A proof for the first machine is one for sequential consistency, too.
    let mut refused = None;
    let order: Vec<usize> = [1, 0].into_iter().chain(2..all.len()).filter(|&at| at < all.len()).collect();
    for at in order {
        if all[at].verdict.is_some() {
            continue;
        }
        let watch = Watch::new(&args.running, true);
        let give_up = |why: NoAnswer| {
            let rows = rows(&all, &Verdict::Unknown(why));
            // The process ends now: if nobody can be told, that is all.
            let _ = table(args, &ModelTable { program, rows }).and_then(|text| print(args, Some(text)));
        };
        let asked = request(args, program)?;
        let found = watch.guard(|| session::check(program, &all[at].model, &asked, &watch), give_up);
        let found = match found {
            // One machine that nobody can model is no reason to say nothing about the others.
            Err(Failure::Refused(reason, help)) => {
                refused.get_or_insert(Failure::Refused(reason.clone(), help));
                let verdict = Verdict::Unknown(NoAnswer::GaveUp(reason));
                let (program, statistics) = (program.clone(), Vec::new());
                Found { result: verdict, engine: "none", statistics, program, undefined: None, certificate: None }
            }
            other => other?,
        };
        all[at].seconds = watch.seconds();
        all[at].verdict = Some(found.result.clone());
        all[at].found = Some(found);
        infer(&mut all, at);
    }
    if let Some(failure) = refused {
        let is_refused = |known: &Known| known.found.as_ref().is_some_and(|found| found.engine == "none");
        if args.running.engine != session::AUTO {
            // Who names an engine asks about the models that it has.
            all.retain(|known| !is_refused(known));
        }
        if all.iter().all(is_refused) {
            return Err(failure.into());
        }
    }
    let shown = shown(&all);
    let worst = all.iter().filter_map(|known| known.verdict.as_ref()).map(code).max().unwrap_or(crate::SAFE);
    let text = told(args, program, &all, shown)?;
    print(args, text)?;
    Ok(worst)
}

/// Writes down what a verdict says about stronger and weaker models.
fn infer(all: &mut [Known], at: usize) {
    let Some(verdict) = all[at].verdict.clone() else { return };
    let (name, stronger) = (all[at].model.name.clone(), all[at].model.head.weaker_than.clone());
    for known in all.iter_mut().filter(|known| known.verdict.is_none()) {
        let follows = match &verdict {
            Verdict::Safe(guarantee) => guarantee.is_full() && stronger.contains(&known.model.name),
            Verdict::Unsafe(_) => known.model.head.weaker_than.contains(&name),
            Verdict::Unknown(_) => false,
        };
        if follows {
            known.verdict = Some(verdict.clone());
        }
    }
}

fn rows(all: &[Known], missing: &Verdict) -> Vec<ModelRow> {
    let row = |known: &Known| ModelRow {
        model: model_name(&known.model),
        weaker_than: known.model.head.weaker_than.clone(),
        verdict: known.verdict.clone().unwrap_or_else(|| missing.clone()),
        seconds: known.seconds,
    };
    all.iter().map(row).collect()
}

/// The model whose story is told: the strongest one that fails, or else the one about which least is known.
fn shown(all: &[Known]) -> usize {
    let rank = |known: &Known| match &known.verdict {
        Some(Verdict::Unsafe(_)) => 0,
        Some(Verdict::Unknown(_)) | None => 1,
        Some(Verdict::Safe(guarantee)) if !guarantee.is_full() => 2,
        Some(Verdict::Safe(_)) => 3,
    };
    let asked = |at: &usize| all[*at].found.is_some();
    let best = (0..all.len()).filter(asked).min_by_key(|&at| rank(&all[at]));
    let weakest = (0..all.len()).rfind(asked);
    match best {
        Some(at) if rank(&all[at]) < 3 => at,
        Some(_) | None => weakest.unwrap_or(0),
    }
}

/// The table and the story in the format that was asked for.
fn told(args: &Check, program: &Program, all: &[Known], at: usize) -> Result<Option<String>> {
    let missing = Verdict::Unknown(NoAnswer::GaveUp("not tried".to_owned()));
    let models = ModelTable { program, rows: rows(all, &missing) };
    let Some(found) = &all[at].found else { return table(args, &models).map(Some) };
    let watch = Watch::new(&args.running, false);
    let model = &all[at].model;
    let facts = facts::facts(args, model, found.engine, found.certificate.is_some());
    let mut case = report::Case { facts, seconds: all[at].seconds, ..described(found, model)? };
    crate::check::remarks(args, &mut case, program, model, &watch)?;
    match args.format {
        CheckFormat::Text => {
            let table = report::text::models(&models, text_options(args.output.as_deref(), args.stats));
            Ok(render(args, &case)?.map(|story| format!("{table}\n{story}")))
        }
        CheckFormat::Json => Ok(Some(report::json::machines(&models, &case))),
        CheckFormat::Html => Ok(Some(report::html::machines(&models, &case))),
        CheckFormat::Dot | CheckFormat::Svg => render(args, &case),
    }
}
