//! `fencepost completions` and `fencepost man`: what shells and readers of manuals want to know of the command line.

use crate::{SAFE, output, own};
use anyhow::Result;
use clap_complete::Shell;
use session::{Engines, Failure};

/// Prints what a shell needs to complete commands, options, engines and models.
pub fn completions(shell: Shell, engines: Engines) -> Result<u8> {
    output::write(&script(shell, engines)?, None)?;
    Ok(SAFE)
}

/// Prints the manual page of everything, or of a command.
pub fn man(command: Option<&str>, engines: Engines) -> Result<u8> {
    output::write(&page(command, engines)?, None)?;
    Ok(SAFE)
}

/// The completions as the shell reads them.
pub fn script(shell: Shell, engines: Engines) -> Result<String> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut own::command(engines), "fencepost", &mut text);
    Ok(String::from_utf8(text)?)
}

/// A manual page as `man` reads it.
pub fn page(command: Option<&str>, engines: Engines) -> Result<String> {
    let mut all = own::command(engines);
    all.build();
    let page = match command {
        None => all,
        Some(name) => {
            let known = all.get_subcommands().find(|sub| sub.get_name() == name);
            let known = known.ok_or_else(|| Failure::Usage(format!("there is no command `{name}`")))?;
            known.clone().display_name(format!("fencepost-{name}"))
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    Ok(String::from_utf8(text)?)
}
