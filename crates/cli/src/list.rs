//! `fencepost list`.

use crate::args::What;
use crate::{SAFE, output};
use anyhow::Result;
use std::fmt::Write;

/// Lists what there is.
pub fn run(what: What) -> Result<u8> {
    let mut text = String::new();
    match what {
        What::Models => {
            for model in session::models() {
                let about = if model.head.about.is_empty() { &model.title } else { &model.head.about };
                writeln!(text, "{:<8} {about}", model.name)?;
            }
            text.push_str("FILE.cat a model of your own, in herd's cat language\n");
        }
        What::Engines => {
            for strategy in session::STRATEGIES {
                writeln!(text, "{:<14} {}", strategy.name, strategy.about)?;
            }
            for engine in session::ENGINES {
                writeln!(text, "{:<14} {}", engine.name(), engine.about())?;
            }
            let (name, about) = session::SYSTEM_ENGINE;
            writeln!(text, "{name:<14} {about}")?;
        }
        What::Formats => {
            text.push_str(
                "check   text json dot svg html\n\
                 litmus  text herd csv json\n\
                 why     text json dot svg html\n\
                 fences  text json\n",
            );
        }
    }
    output::write(&text, None)?;
    Ok(SAFE)
}
