//! `fencepost check` for array-based systems.

use crate::args::{Check, CheckFormat};
use crate::watch::Watch;
use crate::{SAFE, UNKNOWN, UNSAFE, input, output};
use anyhow::Result;
use engine::NoAnswer;
use report::system::{SystemCase, SystemVerdict, json, text};
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
    let model = match &args.model[..] {
        [] => None,
        [one] => Some(one.as_str()),
        _ => return Err(Failure::Usage("give one model for an array-based system".to_owned()).into()),
    };
    let memory = session::system_memory(&system, model)?;
    let give_up = |why: NoAnswer| {
        let verdict = SystemVerdict::Unknown(why);
        // The process ends now: if nobody can be told, that is all.
        let _ = tell(args, &system, memory, &SystemFound { verdict, statistics: Vec::new() }, &watch);
    };
    let found = watch.guard(|| session::check_system(&system, memory, args.brab, &watch), give_up)?;
    tell(args, &system, memory, &found, &watch)?;
    Ok(match found.verdict {
        SystemVerdict::Safe => SAFE,
        SystemVerdict::Unsafe(_) => UNSAFE,
        SystemVerdict::Unknown(_) => UNKNOWN,
    })
}

fn tell(args: &Check, system: &System, memory: Memory, found: &SystemFound, watch: &Watch) -> Result<()> {
    let case =
        SystemCase { system, memory, verdict: &found.verdict, statistics: &found.statistics, seconds: watch.seconds() };
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
