//! `fencepost run` and `fencepost merge`: all that a project wants to have checked.
//!
//! Each file and model is a process of its own, `fencepost check --format json`: a limit, a crash or a leak of one does not
//! touch the others, and what comes back is the document that everybody can read. Results are remembered by the content of
//! all that they depend on.

mod cache;
mod changed;
mod config;
mod cubes;
mod rows;
mod toml;

use crate::args::{Merge, Run, RunFormat};
use crate::check::text_options;
use crate::{input, output};
use anyhow::{Result, bail};
use report::run::{self, Row};
use rows::Runner;
use session::{Engines, Failure};
use std::io::IsTerminal;
use std::path::Path;

/// Checks all targets of a project, or those of a shard.
pub fn run(args: &Run, engines: Engines) -> Result<u8> {
    let project = config::read(&args.project, engines)?;
    let mut works = rows::works(&project, args)?;
    if let Some((shard, shards)) = args.shard {
        works.retain(|work| work.row.index % shards == shard);
    }
    if let Some(reference) = &args.changed {
        let changed = changed::since(&project.folder, reference)?;
        if !changed.touches(&args.project) {
            works.retain(|work| work.depends.iter().any(|path| changed.touches(path)));
        }
    }
    let talkative = args.progress || std::io::stderr().is_terminal();
    let runner = Runner { args, folder: &project.folder, talkative };
    let rows = runner.all(&works)?;
    finish(&rows, args.format, args.output.as_deref(), &args.report)
}

/// Puts the rows of shards together.
pub fn merge(args: &Merge) -> Result<u8> {
    if let Some(answers) = cubes::answers(&args.files)? {
        return cubes::merge(&answers, args);
    }
    let mut rows: Vec<Row> = Vec::new();
    for path in &args.files {
        let file = input::read(path)?;
        for (at, line) in file.text().lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let row = run::from_json_line(line);
            rows.push(row.map_err(|why| anyhow::anyhow!("{}:{}: {why}", path.display(), at + 1))?);
        }
    }
    rows.sort_by_key(|row| row.index);
    complete(&rows)?;
    finish(&rows, args.format, args.output.as_deref(), &args.report)
}

/// Checks that there is one row for each place, all of one project.
fn complete(rows: &[Row]) -> Result<()> {
    let Some(total) = rows.first().map(|row| row.total) else { bail!("there are no rows") };
    if let Some(row) = rows.iter().find(|row| row.total != total) {
        bail!("row {} is of a run with {} rows, others of one with {total}", row.index, row.total);
    }
    for (at, row) in rows.iter().enumerate() {
        if row.index < at {
            bail!("row {} ({} under {}) is there twice", row.index, row.target, row.model);
        }
        if row.index > at {
            bail!("row {at} of {total} is missing: the shard that has it was not given, or did not end");
        }
    }
    if rows.len() < total {
        bail!("row {} of {total} is missing: the shard that has it was not given, or did not end", rows.len());
    }
    Ok(())
}

/// Prints the rows and writes the reports.
fn finish(
    rows: &[Row],
    format: RunFormat,
    to: Option<&Path>,
    reports: &[(RunFormat, std::path::PathBuf)],
) -> Result<u8> {
    for (format, path) in reports {
        output::write(&rendered(rows, *format, Some(path)), Some(path))?;
    }
    output::write(&rendered(rows, format, to), to)?;
    Ok(run::worst(rows).exit_code())
}

fn rendered(rows: &[Row], format: RunFormat, to: Option<&Path>) -> String {
    match format {
        RunFormat::Text => run::text(rows, text_options(to, false)),
        RunFormat::Jsonl => rows.iter().map(run::json_line).collect(),
        RunFormat::Sarif => run::sarif(rows, env!("CARGO_PKG_VERSION")),
        RunFormat::Junit => run::junit(rows),
        RunFormat::Markdown => run::markdown(rows),
    }
}

/// A shard: `i/n`.
pub fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match parts {
        Some((shard, shards)) if shard < shards => Ok((shard, shards)),
        Some(_) | None => Err(format!("`{text}` is no shard, such as 0/4, …, 3/4")),
    }
}

/// A report: `format=file`.
pub fn report_file(text: &str) -> Result<(RunFormat, std::path::PathBuf), String> {
    let (format, path) =
        text.split_once('=').ok_or_else(|| format!("`{text}` is no format and file, such as sarif=out.sarif"))?;
    let format = <RunFormat as clap::ValueEnum>::from_str(format, false)
        .map_err(|_| format!("`{format}` is no format; there are text, jsonl, sarif, junit, markdown"))?;
    Ok((format, path.into()))
}

/// An error about a command line.
fn usage(message: impl Into<String>) -> anyhow::Error {
    Failure::Usage(message.into()).into()
}
