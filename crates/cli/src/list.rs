//! `fencepost list`.

use crate::args::What;
use crate::{SAFE, output, own};
use anyhow::Result;
use engine::Values;
use session::Engines;
use std::fmt::Write;

/// Lists what there is.
pub fn run(what: What, engines: Engines) -> Result<u8> {
    output::write(&text(what, engines)?, None)?;
    Ok(SAFE)
}

/// The list.
pub fn text(what: What, engines: Engines) -> Result<String> {
    let mut text = String::new();
    match what {
        What::Models => {
            let models = session::models();
            let width = models.iter().map(|model| model.name.len()).max().unwrap_or(0);
            for model in &models {
                let about = if model.head.about.is_empty() { &model.title } else { &model.head.about };
                writeln!(text, "{:<width$} {about}", model.name)?;
            }
            writeln!(text, "{:<width$} a model of your own, in herd's cat language", "FILE.cat")?;
        }
        What::Engines => {
            for strategy in session::STRATEGIES {
                writeln!(text, "{:<14} {}", strategy.name, strategy.about)?;
            }
            for engine in engines {
                writeln!(text, "{:<14} {}", engine.name(), engine.about())?;
            }
        }
        What::Options => {
            for (option, owners) in own::declared(engines) {
                let values = match option.values {
                    Values::Number(from, u32::MAX) => format!("{from}.."),
                    Values::Number(from, to) => format!("{from}..{to}"),
                    Values::Choice(choices) => choices.iter().map(|c| c.name).collect::<Vec<_>>().join("|"),
                };
                let name = format!("--{} {values}", option.name);
                writeln!(text, "{name:<33} {} ({})", option.help, owners.join(", "))?;
            }
        }
        What::Formats => {
            for command in own::command(engines).get_subcommands() {
                let formats = command.get_arguments().find(|arg| arg.get_id() == "format");
                let names: Vec<String> = formats
                    .into_iter()
                    .flat_map(clap::Arg::get_possible_values)
                    .map(|value| value.get_name().to_owned())
                    .collect();
                if !names.is_empty() {
                    writeln!(text, "{:<7} {}", command.get_name(), names.join(" "))?;
                }
            }
        }
    }
    Ok(text)
}
