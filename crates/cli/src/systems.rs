//! `fencepost check` and `fencepost fences` for array-based systems.

use crate::args::{Check, CheckFormat, Fences, FencesFormat, Running};
use crate::check::text_options;
use crate::watch::Watch;
use crate::{SAFE, UNKNOWN, UNSAFE, input, output};
use anyhow::Result;
use engine::NoAnswer;
use report::system::{
    SystemCase, SystemRepair, SystemVerdict, certificate, dot, html, json, repair_json, repair_text, svg, text,
};
use session::{Failure, SystemFound};
use system::{Memory, System};

/// Checks a system under one model.
pub fn check(args: &Check) -> Result<u8> {
    let watch = Watch::new(&args.running, true);
    let system = session::load_system(&input::read(&args.file)?)?;
    if !["auto", session::SYSTEM_ENGINE.0].contains(&args.running.engine.as_str()) {
        let message = format!("the engine {} is not for array-based systems: take parametric", args.running.engine);
        return Err(Failure::Usage(message).into());
    }
    not_for_systems(&args.running)?;
    let files = [("--emit-c", &args.emit_c), ("--witness", &args.witness), ("--emit-litmus", &args.emit_litmus)];
    if let Some((name, _)) = files.into_iter().find(|(_, path)| path.is_some()) {
        return Err(Failure::Usage(format!("{name} is not for array-based systems: nothing would be written")).into());
    }
    let memory = memory(&system, &args.model)?;
    let give_up = |why: NoAnswer| {
        // The process ends now: if nobody can be told, that is all.
        let _ = tell(args, &system, memory, &SystemFound::unknown(why), &watch);
    };
    let found = watch.guard(|| session::check_system(&system, memory, args.brab, &watch), give_up)?;
    tell(args, &system, memory, &found, &watch)?;
    Ok(match found.verdict {
        SystemVerdict::Safe { .. } => SAFE,
        SystemVerdict::Unsafe(_) => UNSAFE,
        SystemVerdict::Unknown(_) => UNKNOWN,
    })
}

/// Complains about options that mean nothing for systems.
fn not_for_systems(running: &Running) -> Result<(), Failure> {
    let own = running.own.first().map(|(name, _)| name.as_str());
    let unwind = running.unwind.map(|_| "unwind").or((!running.unwind_loop.is_empty()).then_some("unwind-loop"));
    match own.or(unwind) {
        Some(name) => Err(Failure::Usage(format!("--{name} is not for array-based systems"))),
        None => Ok(()),
    }
}

fn tell(args: &Check, system: &System, memory: Memory, found: &SystemFound, watch: &Watch) -> Result<()> {
    let case = SystemCase {
        system,
        memory,
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

fn memory(system: &System, models: &[String]) -> Result<Memory> {
    let model = match models {
        [] => None,
        [one] => Some(one.as_str()),
        _ => return Err(Failure::Usage("give one model for an array-based system".to_owned()).into()),
    };
    Ok(session::system_memory(system, model)?)
}

/// Finds the transitions of a system that need a fence.
pub fn fences(args: &Fences) -> Result<u8> {
    if args.cost.is_some() || !args.kinds.is_empty() {
        let message = "array-based systems have one kind of fence";
        return Err(Failure::Usage(message.to_owned()).into());
    }
    not_for_systems(&args.running)?;
    let watch = Watch::new(&args.running, true);
    let system = session::load_system(&input::read(&args.file)?)?;
    let memory = memory(&system, &args.model)?;
    let give_up = |why: NoAnswer| {
        // The process ends now: if nobody can be told, that is all.
        let repair = SystemRepair { unknown: Some(why), ..SystemRepair::default() };
        let _ = output::write(&repaired(args, &system, memory, &repair, &watch), args.output.as_deref());
    };
    let repair = watch.guard(|| session::fence_system(&system, memory, args.all, &watch), give_up)?;
    let first = repair.placements.first();
    if let Some(first) = first.filter(|first| args.write && !first.transitions.is_empty()) {
        std::fs::write(&args.file, &first.text)?;
    }
    output::write(&repaired(args, &system, memory, &repair, &watch), args.output.as_deref())?;
    Ok(match (first, &repair.unknown) {
        (Some(_), _) => SAFE,
        (None, None) => UNSAFE,
        (None, Some(_)) => UNKNOWN,
    })
}

/// What `fences` prints.
fn repaired(args: &Fences, system: &System, memory: Memory, repair: &SystemRepair, watch: &Watch) -> String {
    match (args.format, repair.placements.first()) {
        (FencesFormat::Json, _) => repair_json(system, memory, repair, watch.seconds()),
        (FencesFormat::Text, Some(first)) if args.diff => first.diff.clone(),
        (FencesFormat::Text, _) => {
            repair_text(system, memory, repair, text_options(args.output.as_deref(), args.stats))
        }
    }
}
