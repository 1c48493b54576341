//! `cargo xtask fuzz --sequential N`: random C programs of one thread, run by GCC and by us.
//!
//! GCC's program prints a checksum of all that it computed. Ours must prove that the checksum is that number, and must find the
//! execution that comes to the end if it is said to be another one: a path that ends in silence would prove everything. Programs
//! are those of our own generator ([`ours`]), or with `--csmith N` those of csmith ([`csmith`]). What we refuse and what takes too long
//! is counted, with the reason.

mod csmith;
mod ours;

use crate::run::{fencepost, scratch};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// After so many differences there is enough to do.
const ENOUGH: u64 = 10;

/// How often loops may go round: blocks of bytes whose size is hidden are copied by loops.
const UNWIND: &str = "80";

/// Programs are made and compiled so many at a time, and after each batch there is a line that says how far we are.
const BATCH: u64 = 50;

/// A program, and what GCC made of it.
struct Case {
    /// What a complaint is called.
    name: String,
    /// The files and flags that `check` is given for a claim about the checksum.
    claim: Box<dyn Fn(Claim) -> Result<Vec<PathBuf>>>,
}

/// What is claimed of the checksum: that it is the one of GCC, or that it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Claim {
    Same,
    Other,
}

impl Claim {
    fn operator(self) -> &'static str {
        match self {
            Claim::Same => "==",
            Claim::Other => "!=",
        }
    }

    fn verdict(self) -> &'static str {
        match self {
            Claim::Same => "SAFE",
            Claim::Other => "UNSAFE",
        }
    }
}

/// Where random programs come from: those of these numbers, with what GCC made of them, in this folder.
type Source = fn(&Path, std::ops::Range<u64>) -> Result<Vec<Case>>;

struct Plan {
    source: Source,
    count: u64,
    seed: u64,
    jobs: u64,
    limit: u64,
    /// Who is asked, instead of a fresh build.
    binary: Option<PathBuf>,
}

/// What came of the programs.
#[derive(Default)]
struct Counts {
    done: AtomicU64,
    different: AtomicU64,
    /// How often we gave no answer, by reason, and an example.
    unanswered: Mutex<BTreeMap<String, (u64, String)>>,
}

enum Outcome {
    Agreed,
    Different(String),
    Unanswered(String),
}

/// Compares, and gives 1 if there was a difference.
pub fn run(args: &[String]) -> Result<u8> {
    let plan = plan(args)?;
    let binary = plan.binary.clone().map_or_else(fencepost, Ok)?;
    // Several may run side by side.
    let folder = scratch(&format!("sequential-{}", std::process::id()))?;
    let (counts, next, started) = (Counts::default(), AtomicU64::new(0), Instant::now());
    std::thread::scope(|scope| {
        let worker = |job| worker(&plan, &binary, &folder.join(format!("job{job}")), &next, &counts, started);
        let workers: Vec<_> = (0..plan.jobs).map(|job| scope.spawn(move || worker(job))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|_| bail!("a worker panicked")))
    })?;
    let unanswered = counts.unanswered.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    for (reason, (count, example)) in &unanswered {
        println!("{count:>6} without an answer: {reason}   (e.g. {example})");
    }
    let (done, different) = (counts.done.into_inner(), counts.different.into_inner());
    let without: u64 = unanswered.values().map(|(count, _)| count).sum();
    let seconds = started.elapsed().as_secs_f64();
    if different == 0 && without == 0 {
        std::fs::remove_dir_all(&folder)?;
    }
    println!(
        "{done} programs, {different} different, {without} without an answer   (seed {}, {seconds:.1} s)",
        plan.seed
    );
    Ok(u8::from(different > 0))
}

fn plan(args: &[String]) -> Result<Plan> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get) as u64;
    let mut plan = Plan { source: ours::cases, count: 0, seed: 0, jobs: cores, limit: 20, binary: None };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let value = args.next().with_context(|| format!("`{arg}` needs a value"))?;
        if arg == "--binary" {
            plan.binary = Some(PathBuf::from(value));
            continue;
        }
        let value: u64 = value.parse().with_context(|| format!("`{value}` is no number"))?;
        match &**arg {
            "--sequential" => plan.count = value,
            "--csmith" => (plan.count, plan.source) = (value, csmith::cases),
            "--seed" => plan.seed = value,
            "--jobs" => plan.jobs = value.max(1),
            "--limit" => plan.limit = value,
            _ => bail!(
                "unknown argument `{arg}`; known are --sequential N, --csmith N, --seed N, --jobs N, --limit SECONDS and \
                 --binary FILE"
            ),
        }
    }
    Ok(plan)
}

fn worker(
    plan: &Plan,
    binary: &Path,
    folder: &Path,
    next: &AtomicU64,
    counts: &Counts,
    started: Instant,
) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    loop {
        let from = next.fetch_add(BATCH, Ordering::Relaxed);
        if from >= plan.count || counts.different.load(Ordering::Relaxed) >= ENOUGH {
            return Ok(());
        }
        let first = plan.seed.wrapping_mul(1_000_000_007).wrapping_add(from);
        let numbers = first..first + BATCH.min(plan.count - from);
        let cases = match (plan.source)(folder, numbers.clone()) {
            Ok(cases) => cases,
            // GCC 12 stops at a conversion of a comma expression to `_Bool`.
            Err(why) if why.to_string().contains("internal compiler error") => {
                let Ok(mut all) = counts.unanswered.lock() else { bail!("a worker panicked") };
                let reason = "GCC stops with an internal error at one of a batch".to_owned();
                all.entry(reason).or_insert_with(|| (0, format!("{numbers:?}"))).0 += numbers.end - numbers.start;
                continue;
            }
            Err(why) => return Err(why),
        };
        for case in &cases {
            match compare(binary, case, plan.limit)? {
                Outcome::Agreed => {}
                Outcome::Different(what) => {
                    counts.different.fetch_add(1, Ordering::Relaxed);
                    println!("{}: {what}", case.name);
                }
                Outcome::Unanswered(reason) => {
                    let Ok(mut all) = counts.unanswered.lock() else { bail!("a worker panicked") };
                    all.entry(reason).or_insert_with(|| (0, case.name.clone())).0 += 1;
                }
            }
        }
        let done = counts.done.fetch_add(cases.len() as u64, Ordering::Relaxed) + cases.len() as u64;
        eprintln!("{done}/{} programs, {:.0} s", plan.count, started.elapsed().as_secs_f64());
    }
}

/// What comes of a program.
fn compare(binary: &Path, case: &Case, limit: u64) -> Result<Outcome> {
    for claim in [Claim::Same, Claim::Other] {
        let mut check = Command::new(binary);
        check.arg("check").args((case.claim)(claim)?).args(["--model", "sc", "--unwind", UNWIND]);
        check.args(["--engine", "partial-order", "--timeout", &limit.to_string()]);
        let output = check.output()?;
        let said = String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_owned();
        if said == claim.verdict() {
            continue;
        }
        let errors = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned();
        return Ok(match output.status.code() {
            Some(2) => Outcome::Unanswered(errors),
            Some(5) => Outcome::Unanswered(said),
            _ => Outcome::Different(format!(
                "that the sum is {} GCC's is said to be `{said}` {errors}",
                claim.operator()
            )),
        });
    }
    Ok(Outcome::Agreed)
}

/// Compiles a file with GCC; a complaint of it is an error of ours.
fn compile(file: &Path, into: &Path, flags: &[&str]) -> Result<()> {
    let mut gcc = Command::new("gcc");
    gcc.args(["-w", "-O0", "-pthread"]).args(flags).arg(file).arg("-o").arg(into);
    let compiled = gcc.output().context("gcc cannot be run")?;
    if !compiled.status.success() {
        bail!("{}: gcc: {}", file.display(), String::from_utf8_lossy(&compiled.stderr));
    }
    Ok(())
}
