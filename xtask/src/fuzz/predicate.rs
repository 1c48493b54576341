//! `cargo xtask fuzz --predicate N`: random C programs, and what the engine `predicate` says about them beside
//! `coherence` and `buffers`.
//!
//! Each program is asked about under `sc`, `tso` and `pso`, with the oldest and with the newest writes kept in order. A
//! disagreement is shrunk and saved.

use crate::run::root;
use anyhow::{Context, Result, bail};
use engine::{Deadline, NoAnswer, Verdict};
use ir::Program;
use model::Model;
use session::{Failure, Reading, Request};
use source::SourceFile;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use testkit::Rng;
use testkit::c::{Config, generate, shrink};

/// How long shrinking one program may take.
const PATIENCE: Duration = Duration::from_secs(90);

/// How the engine is asked: how many writes it keeps in order, and which.
const WAYS: [&[(&str, &str)]; 4] = [
    &[("keep", "oldest")],
    &[("keep", "newest")],
    &[("k", "1"), ("keep", "oldest")],
    &[("k", "1"), ("keep", "newest")],
];

/// The bound on loops for those that unroll them.
const UNWIND: u32 = 12;

/// How many answers there were, and how many of them were compared with an answer of somebody else.
#[derive(Default)]
struct Counts {
    safe: u64,
    wrong: u64,
    unknown: u64,
    /// Why there was no answer, without the line.
    reasons: BTreeMap<String, u64>,
    compared: u64,
}

fn ask(
    program: &Program,
    model: &str,
    (engine, own): (&str, &[(&str, &str)]),
    limit: Duration,
) -> Result<Verdict, String> {
    let model = Model::builtin(model).ok_or("there is no such model")?;
    let mut request = Request::of(engine, own).map_err(|failure| failure.to_string())?;
    request.options.unwind = UNWIND;
    match session::check(program, &model, &request, &Deadline::within(limit)) {
        Ok(found) => Ok(found.result),
        Err(Failure::Refused(reason, _)) => Ok(Verdict::Unknown(NoAnswer::GaveUp(reason))),
        Err(failure) => Err(format!("{engine} fails: {failure}")),
    }
}

fn contradict(one: &Verdict, other: &Verdict) -> bool {
    match (one, other) {
        (Verdict::Unsafe(_), Verdict::Safe(guarantee)) | (Verdict::Safe(guarantee), Verdict::Unsafe(_)) => {
            guarantee.is_full()
        }
        (Verdict::Unsafe(_), Verdict::Unsafe(_))
        | (Verdict::Safe(_), Verdict::Safe(_))
        | (Verdict::Unknown(_), _)
        | (_, Verdict::Unknown(_)) => false,
    }
}

/// What is wrong with the answers about a program, if something is.
fn disagreement(text: &str, limit: Duration, counts: &mut Counts) -> Option<String> {
    let program = match session::load(&SourceFile::new("random.c", text), &Reading::default()) {
        Ok(program) => program,
        Err(failure) => return Some(format!("it is refused: {failure}")),
    };
    for model in ["sc", "tso", "pso"] {
        let mut judges: Option<Vec<Verdict>> = None;
        for own in WAYS.into_iter().take(if model == "sc" { 1 } else { WAYS.len() }) {
            let verdict = match ask(&program, model, ("predicate", own), limit) {
                Ok(verdict) => verdict,
                Err(what) => return Some(format!("{model}: {what}")),
            };
            match &verdict {
                Verdict::Safe(_) => counts.safe += 1,
                Verdict::Unsafe(_) => counts.wrong += 1,
                Verdict::Unknown(why) => {
                    counts.unknown += 1;
                    let why = why.to_string();
                    let reason = why.split_once(": ").map_or(&why[..], |(_, reason)| reason);
                    *counts.reasons.entry(reason.to_owned()).or_insert(0) += 1;
                    continue;
                }
            }
            let judges = judges.get_or_insert_with(|| {
                let of = |engine| ask(&program, model, (engine, &[]), limit);
                ["coherence", "buffers"].into_iter().filter_map(|engine| of(engine).ok()).collect()
            });
            counts.compared += u64::from(judges.iter().any(|judge| !matches!(judge, Verdict::Unknown(_))));
            if let Some(judge) = judges.iter().find(|judge| contradict(&verdict, judge)) {
                return Some(format!("{model}, {own:?}: predicate {verdict}, a judge {judge}"));
            }
        }
    }
    None
}

/// The smallest program found with a disagreement.
fn shrunk(mut text: String, mut what: String, limit: Duration) -> (String, String) {
    let until = Instant::now() + PATIENCE;
    let of = |text: &str| disagreement(text, limit, &mut Counts::default());
    loop {
        let smaller = shrink(&text).take_while(|_| Instant::now() < until);
        let Some(next) = smaller.filter_map(|text| Some((of(&text)?, text))).next() else { return (text, what) };
        (what, text) = next;
    }
}

/// Compares, and gives 1 if there was a disagreement.
pub fn run(args: &[String]) -> Result<u8> {
    let (mut count, mut seed, mut skip, mut limit) = (0u64, 0u64, 0u64, Duration::from_secs(1));
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut number = || -> Result<f64> {
            let value = rest.next().with_context(|| format!("`{arg}` takes a number"))?;
            value.parse().with_context(|| format!("`{value}` is no number"))
        };
        match arg.as_str() {
            "--predicate" => count = number()? as u64,
            "--seed" => seed = number()? as u64,
            "--skip" => skip = number()? as u64,
            "--limit" => limit = Duration::from_secs_f64(number()?),
            other => bail!("`--predicate` goes with --seed, --skip and --limit, not with `{other}`"),
        }
    }
    let started = Instant::now();
    let mut counts = Counts::default();
    let mut found = 0;
    for at in skip..skip + count {
        // Every other program has only what the engine takes.
        let plain = Config { threads: 2, accesses: 8, library: false, memory: false, rare: false, ..Config::default() };
        let config = if at % 2 == 0 { Config::default() } else { plain };
        let text = generate(&mut Rng::new(seed.wrapping_mul(1_000_000_007).wrapping_add(at)), &config);
        let Some(what) = disagreement(&text, limit, &mut counts) else { continue };
        let (text, what) = shrunk(text, what, limit);
        let path = root().join("corpus/regressions").join(format!("predicate-{seed}-{at}.c"));
        std::fs::write(&path, format!("// {what}\n{text}")).context("the program cannot be saved")?;
        println!("program {at}: {what}\n{text}\nsaved as {}\n", path.display());
        found += 1;
    }
    let Counts { safe, wrong, unknown, reasons, compared } = counts;
    for (reason, times) in reasons {
        println!("{times:>6} × no answer: {reason}");
    }
    println!(
        "{count} programs from {skip}, sc, tso and pso: {safe} SAFE, {wrong} UNSAFE, {unknown} UNKNOWN, \
         {compared} answers compared, \
         {found} disagreements   (seed {seed}, {:.1} s)",
        started.elapsed().as_secs_f64()
    );
    Ok(u8::from(found > 0))
}
