//! `cargo xtask tables FOLDER`: the verdicts of a table, whose tests lie in a public repository, against ours.
//!
//! A row has a model, the path of a litmus test below FOLDER, and 1 if the condition of the test holds as herd says it (`exists`: in some
//! execution, `~exists`: in none, `forall`: in all). For the model `lkmm-race` it is 1 if the Linux kernel's model flags no data race. The
//! table that is read unless `--table` names another lies beside the repository on some machines; where it or the folder is
//! missing there is nothing to compare, which is said.

use crate::run::{cargo, shared_corpus};
use anyhow::{Context, Result, bail};
use engine::{Deadline, Verdict};
use ir::{Program, Quantifier};
use model::Model;
use session::{Reading, Request};
use source::SourceFile;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The rows of this model ask for data races.
const RACES: &str = "lkmm-race";

/// What of a hundred tests must be read at least.
const BAR: f64 = 99.0;

/// Refusals that say this are not held against the front end: memory is not yet bytes everywhere.
const MIXED: &str = "of different sizes";

struct Plan {
    folder: PathBuf,
    table: PathBuf,
    models: Vec<String>,
    jobs: usize,
    step: usize,
    limit: Duration,
}

struct Row {
    path: String,
    holds: bool,
}

/// What came of one row.
enum Outcome {
    Right,
    Wrong,
    Refused(String),
}

/// Compares, and gives 1 if a row is wrong or too few were accepted.
pub fn run(args: &[String]) -> Result<u8> {
    if cfg!(debug_assertions) {
        let status =
            cargo(&["run", "--release", "--quiet", "--package", "xtask", "--", "tables"]).args(args).status()?;
        return Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1));
    }
    let plan = plan(args)?;
    let Ok(table) = std::fs::read_to_string(&plan.table) else {
        println!("there is no table {}: nothing to compare", plan.table.display());
        return Ok(0);
    };
    if !plan.folder.is_dir() {
        println!("there is no folder {}: nothing to compare", plan.folder.display());
        return Ok(0);
    }
    let mut rows: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    for line in table.lines().skip(1) {
        let &[model, path, holds] = &line.split(',').collect::<Vec<_>>()[..] else { bail!("this is no row: {line}") };
        rows.entry(model).or_default().push(Row { path: path.to_owned(), holds: holds == "1" });
    }
    let mut failed = false;
    for (name, rows) in rows {
        if !plan.models.is_empty() && !plan.models.iter().any(|wanted| wanted == name) {
            continue;
        }
        let Ok(model) = session::model(if name == RACES { "lkmm" } else { name }) else {
            println!("{name:<10} {} rows skipped: there is no such model", rows.len());
            continue;
        };
        failed |= !compare(&plan, name, &model, &rows);
    }
    Ok(u8::from(failed))
}

/// Compares the rows of a model; whether they are as they should be.
fn compare(plan: &Plan, name: &str, model: &Model, rows: &[Row]) -> bool {
    let started = Instant::now();
    let (present, absent): (Vec<&Row>, Vec<&Row>) =
        rows.iter().step_by(plan.step).partition(|row| plan.folder.join(&row.path).is_file());
    let next = AtomicUsize::new(0);
    let outcomes: Mutex<Vec<Outcome>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs {
            scope.spawn(|| {
                while let Some(row) = present.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = judge(plan, name, model, row).unwrap_or_else(Outcome::Refused);
                    let Ok(mut outcomes) = outcomes.lock() else { return };
                    if matches!(outcome, Outcome::Wrong) {
                        println!(
                            "{name}: {} is wrong, it should {}hold",
                            row.path,
                            if row.holds { "" } else { "not " }
                        );
                    }
                    outcomes.push(outcome);
                }
            });
        }
    });
    let outcomes = outcomes.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (mut right, mut wrong, mut mixed) = (0, 0, 0);
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for outcome in outcomes {
        match outcome {
            Outcome::Right => right += 1,
            Outcome::Wrong => wrong += 1,
            Outcome::Refused(reason) if reason.contains(MIXED) => mixed += 1,
            Outcome::Refused(reason) => *reasons.entry(reason).or_default() += 1,
        }
    }
    let refused: usize = reasons.values().sum();
    let accepted = 100.0 * (right + wrong) as f64 / (right + wrong + refused).max(1) as f64;
    println!(
        "{name:<10} {:>5} rows: {right} right, {wrong} wrong, {refused} refused, {mixed} of mixed sizes, {} absent; \
         {accepted:.2} % accepted   ({:.1} s)",
        present.len() + absent.len(),
        absent.len(),
        started.elapsed().as_secs_f64(),
    );
    for (reason, count) in reasons {
        println!("  {count:>4} × {reason}");
    }
    wrong == 0 && accepted >= BAR
}

/// Whether a row is right; an error is the reason why nobody knows.
fn judge(plan: &Plan, name: &str, model: &Model, row: &Row) -> Result<Outcome, String> {
    let path = plan.folder.join(&row.path);
    let text = std::fs::read(&path).map_err(|error| error.to_string())?;
    let file = SourceFile::new(row.path.clone(), String::from_utf8_lossy(&text).into_owned());
    let program = session::load(&file, &Reading::default()).map_err(|failure| first_line(&failure.to_string()))?;
    let holds = if name == RACES { no_race(plan, &program, model) } else { condition_holds(plan, &program, model) }?;
    Ok(if holds == row.holds { Outcome::Right } else { Outcome::Wrong })
}

fn condition_holds(plan: &Plan, program: &Program, model: &Model) -> Result<bool, String> {
    let watch = Deadline::within(plan.limit);
    let found =
        session::observe(program, model, &Request::default(), &watch).map_err(|e| first_line(&e.to_string()))?;
    let found = found.map_err(|reason| reason.to_string())?;
    let (positive, negative) = (found.result.positive.is_some(), found.result.negative.is_some());
    Ok(match program.condition.as_ref().map(|condition| condition.quantifier) {
        Some(Quantifier::Exists) => positive,
        Some(Quantifier::NotExists) => !positive,
        Some(Quantifier::Forall) | None => !negative,
    })
}

fn no_race(plan: &Plan, program: &Program, model: &Model) -> Result<bool, String> {
    let watch = Deadline::within(plan.limit);
    let found = session::undefined(program, model, &Request::default(), &watch);
    match found.map_err(|failure| first_line(&failure.to_string()))?.map(|found| found.result) {
        None | Some(Verdict::Safe(_)) => Ok(true),
        Some(Verdict::Unsafe(_)) => Ok(false),
        Some(Verdict::Unknown(reason)) => Err(reason.to_string()),
    }
}

/// What is wrong, without where: so that equal reasons are counted together.
fn first_line(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let quoted = line.split('`').enumerate();
    quoted.map(|(at, part)| if at % 2 == 1 { "…" } else { part }).collect::<Vec<_>>().join("`")
}

fn plan(args: &[String]) -> Result<Plan> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut plan = Plan {
        folder: PathBuf::new(),
        table: shared_corpus().join("dat3m-dev.csv"),
        models: Vec::new(),
        jobs: cores,
        step: 1,
        limit: Duration::from_secs(30),
    };
    let mut args = args.iter();
    while let Some(option) = args.next() {
        let mut value = || args.next().with_context(|| format!("`{option}` wants a value"));
        match option.as_str() {
            "--table" => plan.table = PathBuf::from(value()?),
            "--models" => plan.models = value()?.split(',').map(str::to_owned).collect(),
            "--jobs" => plan.jobs = value()?.parse::<usize>()?.max(1),
            "--step" => plan.step = value()?.parse::<usize>()?.max(1),
            "--limit" => plan.limit = Duration::from_secs(value()?.parse()?),
            folder if !folder.starts_with('-') => plan.folder = Path::new(folder).to_path_buf(),
            _ => bail!("tables does not know `{option}`; it knows --table --models --jobs --step --limit"),
        }
    }
    if plan.folder.as_os_str().is_empty() {
        bail!("say where the tests of the table are: a copy of the repository that it names");
    }
    Ok(plan)
}
