//! `fencepost check` and `fencepost fences` for array-based systems.

use crate::args::{Check, CheckFormat, Fences, FencesFormat};
use crate::watch::Watch;
use crate::{SAFE, UNKNOWN, UNSAFE, input, output};
use anyhow::Result;
use engine::NoAnswer;
use report::system::{SystemCase, SystemVerdict, json, text};
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
        CheckFormat::Dot | CheckFormat::Svg | CheckFormat::Html => {
            let message = "array-based systems are reported as text or json";
            return Err(Failure::Usage(message.to_owned()).into());
        }
    };
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
    if args.format == FencesFormat::Json || args.cost.is_some() || !args.kinds.is_empty() {
        let message = "array-based systems have one kind of fence, and their repairs are printed as text";
        return Err(Failure::Usage(message.to_owned()).into());
    }
    let watch = Watch::new(&args.running, true);
    let system = session::load_system(&input::read(&args.file)?)?;
    let memory = memory(&system, &args.model)?;
    let give_up = |why: NoAnswer| {
        // The process ends now: if nobody can be told, that is all.
        let _ = output::write(&format!("UNKNOWN ({why})\n"), args.output.as_deref());
    };
    let repair = watch.guard(|| session::fence_system(&system, memory, args.all, &watch), give_up)?;
    let mut text = String::new();
    let code = match &repair {
        SystemRepair::NotNeeded => {
            text.push_str("NO FENCES NEEDED\n");
            SAFE
        }
        SystemRepair::NotRepairable => {
            text.push_str("NOT REPAIRABLE\n");
            UNSAFE
        }
        SystemRepair::Unknown(reason) => {
            writeln!(text, "UNKNOWN ({reason})")?;
            UNKNOWN
        }
        SystemRepair::Fences(placements) => {
            for (at, placement) in placements.iter().enumerate() {
                if args.diff || args.write {
                    break;
                }
                writeln!(text, "placement {}:", at + 1)?;
                for &number in &placement.transitions {
                    let transition = &system.transitions[number];
                    let line = system.file.line(transition.span);
                    writeln!(text, "  fence() in the guard of {} (line {line})", transition.name)?;
                }
            }
            if let Some(first) = placements.first() {
                if args.diff {
                    text += &diff(system.file.name(), system.file.text(), &first.text);
                } else if args.write {
                    std::fs::write(&args.file, &first.text)?;
                }
                if !args.diff {
                    let count = first.transitions.len();
                    writeln!(text, "FENCES {count} (cost {})", 10 * count)?;
                }
            }
            SAFE
        }
    };
    output::write(&text, args.output.as_deref())?;
    Ok(code)
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
