//! `cargo xtask fuzz`: random programs through all engines, which must agree on every final state.
//!
//! For each program and model the engine `enumerate` is compared with the partial-order engine, with both of its
//! encodings of order, on the final states and on how many executions end in each; and, where the model has a reading
//! with store buffers, on the final states with `buffers`. All go through `session`, so every execution they show is
//! replayed too. A disagreement is shrunk and saved in `corpus/regressions`.
//!
//! `--c N` does it with C programs instead, `--endless N` with C programs that never end; see [`c`]. `--predicate N` compares the
//! engine `predicate` with those that enumerate; see [`predicate`]. `--sequential N` and `--csmith N` compare programs of one
//! thread with what a compiler makes of them; see [`sequential`].

mod c;
mod compare;
mod predicate;
mod save;
mod sequential;

use crate::run::cargo;
use anyhow::{Context, Result, bail};
use compare::{Disagreement, compare};
use model::Model;
use std::io::{IsTerminal, Write};
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use testkit::Config;

/// What to do.
struct Plan {
    seed: u64,
    count: u64,
    models: Vec<Model>,
    jobs: usize,
    /// What the programs may contain.
    config: Config,
    /// How long an engine may take for a program.
    limit: Duration,
}

/// Counts for the end.
#[derive(Default)]
struct Counts {
    programs: AtomicU64,
    comparisons: AtomicU64,
    /// Runs that an engine gave up or did not finish in time.
    unknown: AtomicU64,
    /// The microseconds spent in each way.
    times: [AtomicU64; compare::WAYS.len()],
}

/// Compares, and gives 1 if there was a disagreement.
pub fn run(args: &[String]) -> Result<u8> {
    if args.iter().any(|arg| arg == "--predicate") {
        return predicate::run(args);
    }
    if args.iter().any(|arg| arg == "--sequential" || arg == "--csmith") {
        return sequential::run(args);
    }
    if cfg!(debug_assertions) {
        // Most of the time is spent in our own code: worth a release build.
        let status = cargo(&["run", "--release", "--quiet", "--package", "xtask", "--", "fuzz"]).args(args).status()?;
        return Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1));
    }
    if args.iter().any(|arg| ["--c", "--endless"].contains(&arg.split('=').next().unwrap_or_default())) {
        return c::run(args);
    }
    let plan = plan(args)?;
    let started = Instant::now();
    let counts = Counts::default();
    let next = AtomicU64::new(0);
    let found: Mutex<Vec<Disagreement>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs {
            scope.spawn(|| worker(&plan, &next, &counts, &found));
        }
    });
    let mut found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    found.sort_by(|a, b| (a.seed, &a.model).cmp(&(b.seed, &b.model)));
    for disagreement in &found {
        let path = save::save(disagreement)?;
        println!("{}\nsaved as {}\n", disagreement, path.display());
    }
    for ((name, ..), time) in compare::WAYS.iter().zip(&counts.times) {
        println!("{name:<26} {:>9.1} s", time.load(Ordering::Relaxed) as f64 / 1e6);
    }
    let (programs, unknown) = (counts.programs.into_inner(), counts.unknown.into_inner());
    if unknown > 0 {
        println!("{unknown} runs without an answer (an engine gave up, or {} s were up)", plan.limit.as_secs());
    }
    println!(
        "{programs} programs, {} models, {} comparisons, {} disagreements   (seed {}, {:.1} s)",
        plan.models.len(),
        counts.comparisons.into_inner(),
        found.len(),
        plan.seed,
        started.elapsed().as_secs_f64(),
    );
    Ok(u8::from(!found.is_empty()))
}

/// After so many disagreements there is enough to do.
const ENOUGH: usize = 10;

fn worker(plan: &Plan, next: &AtomicU64, counts: &Counts, found: &Mutex<Vec<Disagreement>>) {
    let terminal = std::io::stderr().is_terminal();
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        if at >= plan.count {
            return;
        }
        let seed = plan.seed.wrapping_mul(1_000_000_007).wrapping_add(at);
        let program = testkit::generate(seed, &plan.config(at));
        for model in &plan.models {
            let comparison = compare(&program, model, plan.limit);
            counts.comparisons.fetch_add(comparison.compared, Ordering::Relaxed);
            counts.unknown.fetch_add(comparison.unknown, Ordering::Relaxed);
            for (sum, time) in counts.times.iter().zip(comparison.times) {
                sum.fetch_add(u64::try_from(time.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
            }
            if let Some(what) = comparison.disagreement {
                let smallest = compare::shrink(&program, model, what, plan.limit);
                let Ok(mut found) = found.lock() else { return };
                found.push(Disagreement { seed, ..smallest });
                if found.len() >= ENOUGH {
                    next.store(plan.count, Ordering::Relaxed);
                }
            }
        }
        let done = counts.programs.fetch_add(1, Ordering::Relaxed) + 1;
        if terminal && done.is_multiple_of(50) {
            // Nobody is left to tell if this fails.
            let _ = write!(std::io::stderr(), "\r{done}/{} programs", plan.count);
            if done + 50 > plan.count {
                let _ = writeln!(std::io::stderr());
            }
        }
    }
}

impl Plan {
    /// What the program of this number may contain: the sizes go round, since small programs find most of what there is
    /// to find in a fraction of the time.
    fn config(&self, number: u64) -> Config {
        let most = self.config.accesses as u64;
        let least = most.min(4);
        Config { accesses: (least + number % (most - least + 1)) as usize, ..self.config.clone() }
    }
}

fn plan(args: &[String]) -> Result<Plan> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut plan = Plan {
        seed: 1,
        count: 1000,
        models: Vec::new(),
        jobs: cores,
        config: Config::default(),
        limit: Duration::from_secs(20),
    };
    let mut names = "sc,tso,pso".to_owned();
    let mut args = args.iter();
    while let Some(option) = args.next() {
        let (option, value) = match option.split_once('=') {
            Some((option, value)) => (option, value),
            None => (option.as_str(), args.next().with_context(|| format!("`{option}` wants a value"))?.as_str()),
        };
        let number = || value.parse::<u64>().with_context(|| format!("{option}: `{value}` is no number"));
        match option {
            "--seed" => plan.seed = number()?,
            "--count" => plan.count = number()?,
            "--jobs" => plan.jobs = usize::try_from(number()?)?.max(1),
            "--accesses" => plan.config.accesses = usize::try_from(number()?)?.max(1),
            "--limit" => plan.limit = Duration::from_secs(number()?),
            "--models" => value.clone_into(&mut names),
            _ => bail!("fuzz does not know `{option}`; it knows --c --seed --count --models --jobs --accesses --limit"),
        }
    }
    for name in names.split(',').filter(|name| !name.is_empty()) {
        plan.models.push(session::model(name)?);
    }
    // The first model decides whose instructions the programs have.
    let arch = plan.models.first().and_then(|model| model.head.architectures.first());
    plan.config = plan.config.for_arch(arch.map_or("", String::as_str));
    Ok(plan)
}
