//! `fencepost check` and `fencepost fences` for array-based systems.

use crate::args::{Check, CheckFormat, FencesFormat, Repair as Args};
use crate::check::text_options;
use crate::watch::Watch;
use crate::{SAFE, UNKNOWN, UNSAFE, input, output};
use anyhow::Result;
use engine::{NoAnswer, SystemVerdict};
use fencepost::case::model_name;
use model::Model;
use report::system::{
    SystemCase, SystemModel, SystemPlacement, SystemRepair, certificate, dot, html, json, repair_html, repair_json,
    repair_text, svg, text,
};
use session::{Failure, SystemFound, SystemRepairs};
use system::System;

/// Checks a system under one model.
pub fn check(args: &Check, system: &System, watch: &Watch) -> Result<u8> {
    let request = args.running.system_request()?;
    let files = [("--emit-c", &args.emit_c), ("--witness", &args.witness), ("--emit-litmus", &args.emit_litmus)];
    if let Some((name, _)) = files.into_iter().find(|(_, path)| path.is_some()) {
        return Err(Failure::Usage(format!("{name} is not for array-based systems: nothing would be written")).into());
    }
    let (model, told) = model(system, &args.model)?;
    let give_up = |why: NoAnswer| {
        // The process ends now: if nobody can be told, that is all.
        let _ = tell(args, system, &told, &SystemFound::unknown(why), watch);
    };
    let found = watch.guard(|| session::check_system(system, &model, &request, watch), give_up)?;
    tell(args, system, &told, &found, watch)?;
    Ok(match found.verdict {
        SystemVerdict::Safe { .. } => SAFE,
        SystemVerdict::Unsafe(_) => UNSAFE,
        SystemVerdict::Unknown(_) => UNKNOWN,
    })
}

fn tell(args: &Check, system: &System, model: &SystemModel, found: &SystemFound, watch: &Watch) -> Result<()> {
    let case = SystemCase {
        system,
        model,
        verdict: &found.verdict,
        statistics: &found.statistics,
        certificate: found.certificate.as_ref(),
        found: &found.found,
        seconds: watch.seconds(),
    };
    let text = match args.format {
        CheckFormat::Text => text(&case, args.stats),
        CheckFormat::Json => json(&case),
        CheckFormat::Dot => dot(&case),
        CheckFormat::Svg => svg(&case).ok_or_else(|| {
            let message = "the search has too many cubes for a picture: take html, or dot for graphviz";
            Failure::Usage(message.to_owned())
        })?,
        CheckFormat::Html => html(&case),
    };
    if let Some(path) = &args.certificate {
        match &found.certificate {
            Some(why) => output::write(&certificate(&case, why), Some(path))?,
            None => output::say("no certificate was written: the system was not found safe"),
        }
    }
    output::write(&text, args.output.as_deref())
}

/// The model that was asked for; without one, that which fits the system.
fn model(system: &System, names: &[String]) -> Result<(Model, SystemModel)> {
    let default = [if system.is_weak() { "tso" } else { "sc" }.to_owned()];
    let mut models = input::models(if names.is_empty() { &default } else { names })?;
    let (Some(model), true) = (models.pop(), models.is_empty()) else {
        return Err(Failure::Usage("give one model for an array-based system".to_owned()).into());
    };
    let told = SystemModel { model: model_name(&model), memory: session::system_memory(&model)? };
    Ok((model, told))
}

/// Finds the transitions of a system that need a fence.
pub fn fences(args: &Args, kinds: bool, system: &System) -> Result<u8> {
    if args.cost.is_some() || kinds {
        let message = "array-based systems have one kind of fence";
        return Err(Failure::Usage(message.to_owned()).into());
    }
    let request = args.running.system_request()?;
    let watch = Watch::new(&args.running, true);
    let (model, told) = model(system, &args.model)?;
    let give_up = |why: NoAnswer| {
        // The process ends now: if nobody can be told, that is all.
        let repair = SystemRepair { unknown: Some(why), ..SystemRepair::default() };
        let _ = output::write(&repaired(args, system, &told, &repair, &watch), args.output.as_deref());
    };
    let found = watch.guard(|| session::fence_system(system, &model, (&request, args.all), &watch), give_up)?;
    let first = found.repairs.first();
    if let Some(first) = first.filter(|first| args.write && !first.transitions.is_empty()) {
        std::fs::write(system.file.name(), &first.patch.text)?;
    }
    let code = match (first, &found.unknown) {
        (Some(_), _) => SAFE,
        (None, None) => UNSAFE,
        (None, Some(_)) => UNKNOWN,
    };
    output::write(&repaired(args, system, &told, &in_report(found), &watch), args.output.as_deref())?;
    Ok(code)
}

/// The same in the report's terms.
fn in_report(found: SystemRepairs) -> SystemRepair {
    let SystemRepairs { repairs, unrepairable, unknown } = found;
    let row = |repair: session::SystemRepair| SystemPlacement {
        transitions: repair.transitions,
        cost: repair.cost,
        diff: repair.patch.diff,
    };
    SystemRepair { placements: repairs.into_iter().map(row).collect(), unrepairable, unknown }
}

/// What `fences` prints.
fn repaired(args: &Args, system: &System, model: &SystemModel, repair: &SystemRepair, watch: &Watch) -> String {
    match (args.format, repair.placements.first()) {
        (FencesFormat::Json, _) => repair_json(system, model, repair, watch.seconds()),
        (FencesFormat::Html, _) => repair_html(system, model, repair, watch.seconds()),
        (FencesFormat::Text, Some(first)) if args.diff => first.diff.clone(),
        (FencesFormat::Text, _) => repair_text(system, model, repair, text_options(args.output.as_deref(), args.stats)),
    }
}
