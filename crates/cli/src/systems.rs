//! `fencepost check` and `fencepost fences` for array-based systems.

use crate::args::{Check, CheckFormat, Fences, FencesFormat};
use crate::watch::Watch;
use crate::{SAFE, UNKNOWN, UNSAFE, input, output};
use anyhow::Result;
use engine::NoAnswer;
use report::system::{SystemCase, SystemVerdict, certificate, dot, html, json, repair_json, svg, text};
use session::{Failure, SystemFound, SystemRepair};
use std::fmt::Write;
use system::{Memory, System};

/// Checks a system under one model.
pub fn check(args: &Check) -> Result<u8> {
    let watch = Watch::new(&args.running, true);
    let system = session::load_system(&input::read(&args.file)?)?;
    if !["auto", session::SYSTEM_ENGINE.0].contains(&args.running.engine.as_str()) {
        let message = format!("the engine {} is not for array-based systems: take parametric", args.running.engine);
        return Err(Failure::Usage(message).into());
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
    let watch = Watch::new(&args.running, true);
    let system = session::load_system(&input::read(&args.file)?)?;
    let memory = memory(&system, &args.model)?;
    let give_up = |why: NoAnswer| {
        // The process ends now: if nobody can be told, that is all.
        let repair = SystemRepair::Unknown(why.to_string());
        let _ = output::write(&repaired(args, &system, memory, &repair, &watch), args.output.as_deref());
    };
    let repair = watch.guard(|| session::fence_system(&system, memory, args.all, &watch), give_up)?;
    if let (SystemRepair::Fences(placements), true) = (&repair, args.write)
        && let Some(first) = placements.first()
    {
        std::fs::write(&args.file, &first.text)?;
    }
    output::write(&repaired(args, &system, memory, &repair, &watch), args.output.as_deref())?;
    Ok(match repair {
        SystemRepair::NotNeeded | SystemRepair::Fences(_) => SAFE,
        SystemRepair::NotRepairable => UNSAFE,
        SystemRepair::Unknown(_) => UNKNOWN,
    })
}

/// What `fences` prints.
fn repaired(args: &Fences, system: &System, memory: Memory, repair: &SystemRepair, watch: &Watch) -> String {
    let placements = if let SystemRepair::Fences(placements) = repair { &placements[..] } else { &[] };
    let line = match (repair, placements.first()) {
        (SystemRepair::NotNeeded, _) => "NO FENCES NEEDED".to_owned(),
        (SystemRepair::NotRepairable, _) | (SystemRepair::Fences(_), None) => "NOT REPAIRABLE".to_owned(),
        (SystemRepair::Unknown(reason), _) => format!("UNKNOWN ({reason})"),
        (SystemRepair::Fences(_), Some(first)) => {
            let count = first.transitions.len();
            format!("FENCES {count} (cost {})", 10 * count)
        }
    };
    let change = |text: &str| diff(system.file.name(), system.file.text(), text);
    if args.format == FencesFormat::Json {
        let reason = if let SystemRepair::Unknown(reason) = repair { Some(reason.as_str()) } else { None };
        let changes: Vec<(&[usize], String)> =
            placements.iter().map(|placement| (&placement.transitions[..], change(&placement.text))).collect();
        return repair_json(system, memory, (&line, reason), &changes, watch.seconds());
    }
    if let (true, Some(first)) = (args.diff, placements.first()) {
        return change(&first.text);
    }
    let mut text = String::new();
    for (at, placement) in placements.iter().enumerate().filter(|_| !args.write) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "placement {}:", at + 1);
        for &number in &placement.transitions {
            let transition = &system.transitions[number];
            let line = system.file.line(transition.span);
            let _ = writeln!(text, "  fence() in the guard of {} (line {line})", transition.name);
        }
    }
    text + &line + "\n"
}

/// A unified diff without context. Fences change lines, or put one before the line of a body.
fn diff(name: &str, old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut out = format!("--- {name}\n+++ {name}\n");
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let within = new[j].matches(" fence() &&").count() > old[i].matches(" fence() &&").count();
        let lines = if within { 1 } else { 2 };
        out += &format!("@@ -{} +{},{lines} @@\n-{}\n", i + 1, j + 1, old[i]);
        for line in &new[j..(j + lines).min(new.len())] {
            out += &format!("+{line}\n");
        }
        (i, j) = (i + 1, j + lines);
    }
    out
}
