//! `cargo xtask fuzz --c N`: random C programs, as text, through the front end and all engines.
//!
//! What it means that they agree is said in `testkit::c`. Programs that the front end refuses and engines that stop or show
//! evidence which does not hold are complaints too. A complaint is shrunk, line by line, and saved.

use crate::run::root;
use anyhow::{Context, Result, bail};
use engine::{NoAnswer, Observer, Property, Verdict};
use ir::Program;
use model::Model;
use session::{Failure, Reading, Request};
use source::SourceFile;
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use testkit::Rng;
use testkit::c::{Answer, Complaint, Config, Tally, Way, agree, can_deadlock, endless};

/// What to do.
struct Plan {
    seed: u64,
    /// How many programs to leave out at the beginning.
    skip: u64,
    count: u64,
    models: Vec<Model>,
    jobs: usize,
    config: Config,
    /// How long an engine may take for a program.
    limit: Duration,
    /// Whether the programs never end.
    endless: bool,
}

/// Counts for the end.
#[derive(Default)]
struct Counts {
    programs: u64,
    tally: Tally,
    /// By what the engines say who have no answer: how often, and one of the programs.
    reasons: BTreeMap<String, (u64, u64)>,
    /// The seconds spent in each way.
    times: [f64; 4],
}

/// A program that somebody complains about, shrunk.
struct Found {
    seed: u64,
    text: String,
    complaint: Complaint,
}

/// After so many complaints there is enough to do.
const ENOUGH: usize = 10;

/// The most memory that may be used, in MiB.
const MEMORY: u64 = 3000;

/// How long shrinking one program may take.
const PATIENCE: Duration = Duration::from_secs(90);

/// Compares, and gives 1 if there was a complaint.
pub fn run(args: &[String]) -> Result<u8> {
    let plan = plan(args)?;
    let started = Instant::now();
    let counts = Mutex::new(Counts::default());
    let next = AtomicU64::new(0);
    let found: Mutex<Vec<Found>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs {
            scope.spawn(|| worker(&plan, &next, &counts, &found));
        }
    });
    let mut found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let counts = counts.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    found.sort_by_key(|found| found.seed);
    for found in &found {
        let path = save(&plan, found)?;
        let Complaint { kind, model, what } = &found.complaint;
        println!(
            "{kind} under {model} (program {}):\n{}\n{what}\nsaved as {}\n",
            found.seed,
            found.text,
            path.display()
        );
    }
    for (name, time) in ["partial-order", "partial-order with clocks", "buffers", "coherence"].iter().zip(counts.times)
    {
        println!("{name:<26} {time:>9.1} s");
    }
    for (reason, (times, example)) in &counts.reasons {
        println!("{times:>6} × no answer: {reason} (as program {example})");
    }
    let Tally { asked, compared, judged, abstracted, unsafe_models, unknown: _ } = counts.tally;
    println!(
        "{} programs, {} models, {compared} comparisons ({judged} with buffers, {abstracted} with abstract ones), {unsafe_models} of {asked} verdicts unsafe, \
         {} complaints   (seed {}, {:.1} s)",
        counts.programs,
        plan.models.len(),
        found.len(),
        plan.seed,
        started.elapsed().as_secs_f64(),
    );
    Ok(u8::from(!found.is_empty()))
}

fn worker(plan: &Plan, next: &AtomicU64, counts: &Mutex<Counts>, found: &Mutex<Vec<Found>>) {
    let terminal = std::io::stderr().is_terminal();
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        if at >= plan.count {
            return;
        }
        let seed = plan.seed.wrapping_mul(1_000_000_007).wrapping_add(plan.skip + at);
        let mut rng = Rng::new(seed);
        let text = if plan.endless { endless(&mut rng) } else { testkit::c::generate(&mut rng, &plan.config) };
        let mut mine = Counts::default();
        let (tally, complaint) = judge(plan, &text, &mut mine);
        if let Some(complaint) = complaint {
            let smallest = shrink(plan, text, complaint);
            let Ok(mut found) = found.lock() else { return };
            found.push(Found { seed, ..smallest });
            if found.len() >= ENOUGH {
                next.store(plan.count, Ordering::Relaxed);
            }
        }
        let Ok(mut counts) = counts.lock() else { return };
        counts.programs += 1;
        counts.tally += tally;
        for (reason, (times, _)) in mine.reasons {
            counts.reasons.entry(reason).or_insert((0, seed)).0 += times;
        }
        for (sum, time) in counts.times.iter_mut().zip(mine.times) {
            *sum += time;
        }
        if terminal && counts.programs.is_multiple_of(50) {
            // Nobody is left to tell if this fails.
            let _ = write!(std::io::stderr(), "\r{}/{} programs", counts.programs, plan.count);
        }
    }
}

/// What all engines say about a text.
fn judge(plan: &Plan, text: &str, counts: &mut Counts) -> (Tally, Option<Complaint>) {
    let file = SourceFile::new("random.c", text);
    let loaded = catch_unwind(AssertUnwindSafe(|| session::load(&file, &Reading::default())));
    let failed = |kind: &str, what: String| {
        (Tally::default(), Some(Complaint { kind: kind.to_owned(), model: "no model".to_owned(), what }))
    };
    let program = match loaded {
        Ok(Ok(program)) => program,
        Ok(Err(Failure::Internal(what))) => return failed("front end: defect", what),
        Ok(Err(failure)) => return failed("front end: refusal", failure.to_string()),
        Err(panic) => return failed("front end: panic", session::panic_message(&*panic)),
    };
    let names: Vec<&str> = plan.models.iter().map(|model| &*model.name).collect();
    let mut properties = vec![Property::Assertions { memory: true }];
    if !plan.endless && can_deadlock(text) {
        properties.push(Property::Deadlock);
    }
    let mut sum = Tally::default();
    for property in properties {
        let (tally, complaint) = agree(&names, text, &mut |name, way, unwind| {
            let Some(model) = plan.models.iter().find(|model| model.name == name) else {
                return Err(("no model".to_owned(), name.to_owned()));
            };
            let started = Instant::now();
            // Loops without an end have more states for each iteration than others in all.
            let unwind = if plan.endless && way == Way::Buffers { unwind / 3 } else { unwind };
            let answer = ask(&program, model, property, way, unwind, plan.limit);
            counts.times[way as usize] += started.elapsed().as_secs_f64();
            if let Ok(Answer::Unknown(reason)) = &answer {
                counts.reasons.entry(reason.clone()).or_default().0 += 1;
            }
            answer
        });
        sum += tally;
        if let Some(complaint) = complaint {
            let kind = format!("{property:?}, {}", complaint.kind);
            return (sum, Some(Complaint { kind, ..complaint }));
        }
    }
    (sum, None)
}

fn ask(
    program: &Program,
    model: &Model,
    property: Property,
    way: Way,
    unwind: u32,
    limit: Duration,
) -> Result<Answer, (String, String)> {
    if way == Way::Coherence && property == Property::Deadlock {
        return Ok(Answer::Unknown("deadlocks".to_owned()));
    }
    let kind = |what: &str| format!("{way:?}: {what}");
    let (engine, own) = way.engine(unwind);
    let request = Request::of(engine, own).map_err(|failure| (kind("options"), failure.to_string()))?;
    let mut request = Request { property, ..request };
    request.options.unwind = unwind;
    let watch = Watch { started: Instant::now(), limit, looked: AtomicU64::new(0) };
    match catch_unwind(AssertUnwindSafe(|| session::check(program, model, &request, &watch))) {
        Ok(Ok(found)) => Ok(match found.result {
            Verdict::Unsafe(_) => Answer::Unsafe,
            Verdict::Safe(guarantee) => Answer::Safe { full: guarantee.is_full() },
            Verdict::Unknown(reason) => Answer::Unknown(format!("{way:?}: {reason}")),
        }),
        Ok(Err(Failure::Refused(reason, _))) => Ok(Answer::Unknown(format!("{way:?}: {reason}"))),
        Ok(Err(failure)) => Err((kind("failure"), failure.to_string())),
        Err(panic) => Err((kind("panic"), session::panic_message(&*panic))),
    }
}

/// The smallest text that can be reached by steps of shrinking and about which there is the same kind of complaint.
fn shrink(plan: &Plan, text: String, complaint: Complaint) -> Found {
    let started = Instant::now();
    let mut smallest = Found { seed: 0, text, complaint };
    if smallest.complaint.kind == "front end: refusal" {
        return smallest;
    }
    'again: loop {
        for text in testkit::c::shrink(&smallest.text) {
            if started.elapsed() > PATIENCE {
                return smallest;
            }
            let (_, complaint) = judge(plan, &text, &mut Counts::default());
            if let Some(complaint) = complaint.filter(|found| found.kind == smallest.complaint.kind) {
                smallest = Found { seed: 0, text, complaint };
                continue 'again;
            }
        }
        return smallest;
    }
}

/// Saves a program in `corpus/regressions` with what the judge says about it in its head.
///
/// Think about it before it goes in: the judge can be wrong.
fn save(plan: &Plan, found: &Found) -> Result<PathBuf> {
    let folder = root().join("corpus/regressions");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("c-{}.c", found.seed));
    let Complaint { kind, model, what } = &found.complaint;
    let what = what.replace("*/", "* /").replace('\n', "\n * ");
    let mut text =
        format!("/* Found by `cargo xtask fuzz --c`, program {}: {kind} under {model}.\n * {what}\n", found.seed);
    let file = SourceFile::new("random.c", &*found.text);
    if let Ok(program) = session::load(&file, &Reading::default()) {
        let deadlock = kind.starts_with("Deadlock");
        let property = if deadlock { Property::Deadlock } else { Property::Assertions { memory: true } };
        if deadlock {
            text += " * @options --property deadlock\n";
        }
        for model in plan.models.iter().filter(|model| model.head.buffers.is_some()) {
            match ask(&program, model, property, Way::Buffers, 6, plan.limit) {
                Ok(Answer::Unsafe) => text += &format!(" * @expect {}: UNSAFE\n", model.name),
                Ok(Answer::Safe { .. }) => text += &format!(" * @expect {}: SAFE\n", model.name),
                Ok(Answer::Unknown(_)) | Err(_) => {}
            }
        }
    }
    text += " */\n";
    text += &found.text;
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

/// Stops an engine when the time is up or the memory is full.
struct Watch {
    started: Instant,
    limit: Duration,
    /// When the memory was looked at last, in milliseconds since the start.
    looked: AtomicU64,
}

impl Observer for Watch {
    fn stop(&self) -> Option<NoAnswer> {
        let now = self.started.elapsed();
        if now > self.limit {
            return Some(NoAnswer::TimedOut(self.limit));
        }
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        if now < self.looked.load(Ordering::Relaxed) + 20 {
            return None;
        }
        self.looked.store(now, Ordering::Relaxed);
        let used = used_mib().filter(|used| *used > MEMORY);
        used.map(|_| NoAnswer::GaveUp(format!("more than {MEMORY} MiB of memory used")))
    }

    fn phase(&self, _name: &str, _detail: &str) {}
}

/// The memory that this process uses, where the system says so.
fn used_mib() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4 / 1024)
}

fn plan(args: &[String]) -> Result<Plan> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut plan = Plan {
        seed: 1,
        skip: 0,
        count: 1000,
        models: Vec::new(),
        jobs: cores,
        config: Config::default(),
        limit: Duration::from_secs(20),
        endless: false,
    };
    let mut names = "sc,tso,pso,rmo,alpha,power-frame".to_owned();
    let mut args = args.iter();
    while let Some(option) = args.next() {
        let (option, value) = match option.split_once('=') {
            Some((option, value)) => (option, value),
            None => (option.as_str(), args.next().with_context(|| format!("`{option}` wants a value"))?.as_str()),
        };
        let number = || value.parse::<u64>().with_context(|| format!("{option}: `{value}` is no number"));
        match option {
            "--c" | "--count" => plan.count = number()?,
            "--endless" => (plan.count, plan.endless) = (number()?, true),
            "--seed" => plan.seed = number()?,
            "--skip" => plan.skip = number()?,
            "--jobs" => plan.jobs = usize::try_from(number()?)?.max(1),
            "--accesses" => plan.config.accesses = usize::try_from(number()?)?.max(1),
            "--limit" => plan.limit = Duration::from_secs(number()?),
            "--models" => value.clone_into(&mut names),
            _ => bail!(
                "fuzz --c does not know `{option}`; it knows --c --endless --seed --skip --models --jobs --accesses --limit"
            ),
        }
    }
    for name in names.split(',').filter(|name| !name.is_empty()) {
        plan.models.push(session::model(name)?);
    }
    Ok(plan)
}
