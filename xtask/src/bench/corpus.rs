//! Time per verdict on the shared corpus, in one thread, start-up included, beside herd7's.
//!
//! herd7 always enumerates all final states, so the ratio is that to our `--states`; deciding the verdict alone is less
//! work and is shown for itself. These are times on the clock: other work on the machine shows in them.

use crate::run::{fencepost, scratch, shared_corpus, works};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// One batch: the tests of an architecture under a model.
struct Batch {
    arch: String,
    model: String,
    files: Vec<String>,
}

/// Prints a line for each architecture and model; a quick look takes every tenth test.
pub fn run(quick: bool) -> Result<()> {
    let folder = shared_corpus().join("litmus");
    let verdicts = folder.join("verdicts.csv");
    let Ok(rows) = std::fs::read_to_string(&verdicts) else {
        println!("skipped: there is no shared corpus beside the repository");
        return Ok(());
    };
    let binary = fencepost()?;
    let herd = works(Command::new("herd7").arg("-version"));
    if !herd {
        println!("no herd7 on the path: our times only");
    }
    println!("milliseconds per verdict{}", if quick { ", every tenth test" } else { "" });
    println!(
        "{:<6} {:<8} {:>6} {:>8} {:>8} {:>8} {:>8} {:>12}",
        "arch", "model", "tests", "theory", "clocks", "states", "herd7", "herd7/states"
    );
    let (mut verdicts, mut total) = (0, 0.0);
    for batch in batches(&rows, quick) {
        let tests = batch.files.len();
        let list = list(&folder, &batch)?;
        let per_test = |seconds: f64| seconds * 1000.0 / tests as f64;
        let row = format!(",{},", batch.model);
        let answered = |line: &str| line.contains(&row) && !line.contains(",Unknown");
        let theory = timed(&mut ours(&binary, &batch.model, "theory", &list), tests, answered)?;
        let clocks = timed(&mut ours(&binary, &batch.model, "clocks", &list), tests, answered)?;
        let states = timed(ours(&binary, &batch.model, "theory", &list).arg("--states"), tests, answered)?;
        verdicts += tests;
        total += theory;
        let observed = |line: &str| line.starts_with("Observation ");
        let (peer, ratio) = match herd.then(|| timed(&mut herd7(&folder, &batch), tests, observed)) {
            None => ("-".to_owned(), "-".to_owned()),
            Some(Ok(seconds)) => (format!("{:.2}", per_test(seconds)), format!("{:.1}", seconds / states)),
            Some(Err(why)) => {
                println!("herd7 on {} under {}: {why}", batch.arch, batch.model);
                ("failed".to_owned(), "-".to_owned())
            }
        };
        println!(
            "{:<6} {:<8} {tests:>6} {:>8.2} {:>8.2} {:>8.2} {peer:>8} {ratio:>12}",
            batch.arch,
            batch.model,
            per_test(theory),
            per_test(clocks),
            per_test(states)
        );
    }
    println!(
        "{verdicts} verdicts with the theory in {total:.1} s: {:.2} ms each",
        total * 1000.0 / verdicts.max(1) as f64
    );
    Ok(())
}

/// The rows of the table, by architecture and model.
fn batches(rows: &str, quick: bool) -> Vec<Batch> {
    let mut found: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for row in rows.lines().skip(1) {
        let mut fields = row.split(',');
        if let (Some(file), Some(model)) = (fields.next(), fields.next()) {
            let arch = file.split('/').next().unwrap_or(file);
            // What the table calls so is the model of the frame of 2013.
            let model = if model == "power" { "power-frame" } else { model };
            found.entry((arch, model)).or_default().push(file.to_owned());
        }
    }
    let step = if quick { 10 } else { 1 };
    let batch = |((arch, model), files): ((&str, &str), Vec<String>)| Batch {
        arch: arch.to_owned(),
        model: model.to_owned(),
        files: files.into_iter().step_by(step).collect(),
    };
    found.into_iter().map(batch).collect()
}

/// Writes the list of a batch's files.
fn list(folder: &Path, batch: &Batch) -> Result<PathBuf> {
    let path = scratch("corpus")?.join(format!("{}-{}.list", batch.arch, batch.model));
    let folder = folder.canonicalize()?;
    let lines: Vec<String> = batch.files.iter().map(|file| folder.join(file).display().to_string()).collect();
    std::fs::write(&path, lines.join("\n") + "\n").with_context(|| path.display().to_string())?;
    Ok(path)
}

fn ours(binary: &Path, model: &str, order: &str, list: &Path) -> Command {
    let mut command = Command::new(binary);
    command.args(["litmus", "--format", "csv", "--jobs", "1", "--model", model, "--order", order]);
    command.arg(format!("@{}", list.display()));
    command
}

/// herd7 with the model that the corpus's column comes from.
fn herd7(folder: &Path, batch: &Batch) -> Command {
    let cat = folder.join("cat");
    let own = cat.join(format!("cav-{}.cat", batch.model));
    let mut command = Command::new("herd7");
    command.args(["-unroll", "2"]);
    if own.exists() && batch.model != "sc" {
        command.arg("-I").arg(&cat).arg("-model").arg(own);
    } else {
        command.args(["-model", &format!("{}.cat", batch.model)]);
    }
    command.args(batch.files.iter().map(|file| folder.join(file)));
    command
}

/// The seconds that a command takes, if it has as many results as there are tests: a time without them means nothing.
fn timed(command: &mut Command, tests: usize, is_result: impl Fn(&str) -> bool) -> Result<f64> {
    let started = Instant::now();
    let output = command.stdin(Stdio::null()).output().with_context(|| "it does not start".to_owned())?;
    let seconds = started.elapsed().as_secs_f64();
    let results = String::from_utf8_lossy(&output.stdout).lines().filter(|line| is_result(line)).count();
    if results != tests {
        let said = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned();
        bail!("{results} results for {tests} tests; {said}");
    }
    Ok(seconds)
}
