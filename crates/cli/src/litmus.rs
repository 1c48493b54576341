//! `fencepost litmus`: many tests, many models, results in the order of the files.

use crate::args::{Litmus, LitmusFormat};
use crate::check::{applies, text_options};
use crate::watch::{Watch, interrupted};
use crate::{INPUT, INTERNAL, SAFE, UNKNOWN, input, output};
use anyhow::Result;
use engine::{Guarantee, NoAnswer};
use fencepost::case::model_name;
use indicatif::{ProgressBar, ProgressStyle};
use ir::Program;
use model::Model;
use report::json::Trouble;
use report::{Kind, Observation, StateTable};
use session::Reading;
use source::SourceFile;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// What came of one file: text to print in order, observations for JSON, and complaints.
#[derive(Default)]
struct Outcome {
    text: String,
    observations: Vec<Observation>,
    errors: Vec<anyhow::Error>,
    remarks: Vec<String>,
    /// Why it was not run under some model, or at all.
    skipped: Vec<String>,
}

/// Runs all tests under all models.
pub fn run(args: &Litmus) -> Result<u8> {
    args.running.whole()?;
    args.running.request(None, None)?;
    let files = input::litmus_files(&args.files)?;
    let models = input::models(&args.model)?;
    let all = args.model.iter().any(|name| name == "all");
    let batch = Batch { args, models, all, several: files.len() > 1 };
    let bar = progress(files.len());
    let mut sink: Box<dyn Write> = match &args.output {
        Some(path) => Box::new(std::io::BufWriter::new(std::fs::File::create(path)?)),
        None => Box::new(std::io::BufWriter::new(std::io::stdout())),
    };
    let mut totals = Totals::default();
    let header = if args.format == LitmusFormat::Csv { report::csv::header(args.states) } else { "" };
    let mut said = BTreeSet::new();
    let mut alive = sink.write_all(header.as_bytes()).is_ok();
    batch.each(&files, |outcome| {
        totals.add(&outcome);
        bar.inc(1);
        let new = outcome.remarks.into_iter().filter(|remark| said.insert(remark.clone()));
        new.for_each(|remark| bar.suspend(|| output::say(&remark)));
        bar.suspend(|| outcome.errors.iter().for_each(|error| totals.complain(error)));
        if args.format == LitmusFormat::Json && !args.states {
            totals.observations.extend(outcome.observations);
        } else if alive {
            alive = sink.write_all(outcome.text.as_bytes()).is_ok();
        }
        // Whoever reads this through a pipe may go away early; then there is nothing left to do.
        alive
    });
    bar.finish_and_clear();
    if args.format == LitmusFormat::Json && !args.states && alive {
        alive = sink.write_all(report::json::litmus(&totals.observations, &totals.troubles).as_bytes()).is_ok();
    }
    let _ = alive && sink.flush().is_ok();
    totals.say(files.len());
    Ok(totals.code())
}

/// Counts for the end.
#[derive(Default)]
struct Totals {
    observations: Vec<Observation>,
    unknown: usize,
    bounded: usize,
    bad: usize,
    internal: usize,
    /// Whether anything was looked at.
    looked: bool,
    /// The reasons why files were left out, and how often.
    skipped: BTreeMap<String, usize>,
    /// All that went wrong.
    troubles: Vec<Trouble>,
    /// The files with what went wrong, by reason: two complaints that differ in the names they mention are alike.
    alike: BTreeMap<String, Vec<String>>,
}

/// Of complaints that are alike this many are printed as they come.
const SHOWN: usize = 2;

/// Of files with complaints that are alike this many are named at the end.
const NAMED: usize = 5;

/// A message without the names that it mentions.
fn pattern(message: &str) -> String {
    let parts = message.split('`').enumerate().map(|(at, part)| if at % 2 == 1 { "`…`" } else { part });
    parts.collect()
}

impl Totals {
    fn add(&mut self, outcome: &Outcome) {
        let count = |keep: &dyn Fn(&&Observation) -> bool| outcome.observations.iter().filter(keep).count();
        self.unknown += count(&|o| o.kind == Kind::Unknown);
        self.bounded += count(&|o| o.kind != Kind::Unknown && !o.note.is_empty());
        self.looked |= !outcome.observations.is_empty();
        for reason in &outcome.skipped {
            *self.skipped.entry(reason.clone()).or_default() += 1;
        }
    }

    /// Says what went wrong, unless the same was said of other files already.
    fn complain(&mut self, error: &anyhow::Error) {
        let trouble = output::trouble(error);
        if trouble.exit_code == INTERNAL {
            self.internal += 1;
        } else {
            self.bad += 1;
        }
        let alike = self.alike.entry(pattern(&trouble.message)).or_default();
        if alike.len() < SHOWN {
            output::complain(error);
        }
        let line = trouble.line.map_or(String::new(), |line| format!(":{line}"));
        alike.push(trouble.file.as_ref().map_or_else(|| trouble.message.clone(), |file| format!("{file}{line}")));
        self.troubles.push(trouble);
    }

    fn say(&self, files: usize) {
        let mut alike: Vec<(&String, &Vec<String>)> = self.alike.iter().filter(|(_, at)| at.len() > SHOWN).collect();
        alike.sort_by_key(|(_, at)| Reverse(at.len()));
        for (reason, places) in alike {
            let named = places[SHOWN..].iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = if places.len() > SHOWN + NAMED { ", …" } else { "" };
            output::say(&format!("{} more: {reason}: {named}{more}", places.len() - SHOWN));
        }
        for (reason, count) in &self.skipped {
            output::say(&format!("{count} of {files} files skipped: {reason}"));
        }
        let counts = [
            (self.bad, "bad"),
            (self.unknown, "unknown"),
            (self.bounded, "true up to --unwind only"),
            (self.internal, "internal errors"),
        ];
        let said: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        if !said.is_empty() {
            output::say(&format!("of {files} files: {}", said.join(", ")));
        }
    }

    fn code(&self) -> u8 {
        match (self.internal, self.bad, self.unknown) {
            (1.., _, _) => INTERNAL,
            (_, 1.., _) => INPUT,
            _ if !self.looked && !self.skipped.is_empty() => INPUT,
            (_, _, 1..) => UNKNOWN,
            _ if self.bounded > 0 || interrupted() => UNKNOWN,
            _ => SAFE,
        }
    }
}

fn progress(files: usize) -> ProgressBar {
    if files < 20 {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} tests  {per_sec}  {eta} left");
    ProgressBar::new(files as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

struct Batch<'a> {
    args: &'a Litmus,
    models: Vec<Model>,
    /// Whether models that do not apply are left out without a word.
    all: bool,
    /// Whether there are several files: then those that no model here is about are left out.
    several: bool,
}

impl Batch<'_> {
    /// Works through the files, several at once, and hands on what came of each in order until told to stop.
    fn each(&self, files: &[PathBuf], mut done: impl FnMut(Outcome) -> bool) {
        let workers = usize::from(self.args.running.jobs.unwrap_or(1)).min(files.len()).max(1);
        if workers == 1 {
            for file in files {
                if interrupted() || !done(self.file(file)) {
                    return;
                }
            }
            return;
        }
        let next = AtomicUsize::new(0);
        let (send, receive) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..workers {
                let (send, next) = (send.clone(), &next);
                scope.spawn(move || {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(file) = files.get(at) else { return };
                        if interrupted() || send.send((at, self.file(file))).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(send);
            let mut waiting = BTreeMap::new();
            let mut printed = 0;
            for (at, outcome) in receive {
                waiting.insert(at, outcome);
                while let Some(outcome) = waiting.remove(&printed) {
                    printed += 1;
                    if !done(outcome) {
                        next.store(files.len(), Ordering::Relaxed);
                        return;
                    }
                }
            }
        });
    }

    fn file(&self, path: &Path) -> Outcome {
        let mut outcome = Outcome::default();
        let read = |file: SourceFile| match session::unknown_architecture(&file) {
            Some(arch) if self.several => Ok(Err(format!("tests for {arch} are not read"))),
            _ => Ok(Ok(session::load(&file, &Reading::default())?)),
        };
        let program = match input::read(path).and_then(read) {
            Ok(Ok(program)) => program,
            Ok(Err(reason)) => {
                outcome.skipped.push(reason);
                return outcome;
            }
            Err(error) => {
                outcome.errors.push(error);
                return outcome;
            }
        };
        for model in self.models.iter().filter(|model| !self.all || applies(model, &program)) {
            if self.several && !applies(model, &program) {
                outcome.skipped.push(format!("the model {} is not about {} programs", model.name, program.arch));
                continue;
            }
            outcome.remarks.extend(session::remarks(&program, model));
            if let Err(error) = self.test(path, &program, model, &mut outcome) {
                outcome.errors.push(error);
            }
        }
        outcome
    }

    fn test(&self, path: &Path, program: &Program, model: &Model, outcome: &mut Outcome) -> Result<()> {
        let watch = Watch::new(&self.args.running, false);
        let mut observation = Observation {
            file: path.display().to_string(),
            test: program.name.clone(),
            model: model.name.clone(),
            kind: Kind::Unknown,
            states: None,
            note: String::new(),
            seconds: 0.0,
        };
        let request = session::Request { jobs: 1, ..self.args.running.request(None, None)? };
        if self.args.states || self.args.format == LitmusFormat::Herd {
            match session::states(program, model, &request, &watch)? {
                Ok(found) => {
                    let table = StateTable {
                        program: &found.program,
                        model: model_name(model),
                        states: &found.result.states,
                        guarantee: &found.result.guarantee,
                        seconds: watch.seconds(),
                    };
                    let (positive, negative) = report::herd::count(&table);
                    observation.kind = Kind::of(positive, negative);
                    observation.note = bound(observation.kind, &found.result.guarantee);
                    observation.states = Some(table.states.len() as u64);
                    match self.args.format {
                        LitmusFormat::Herd => outcome.text += &report::herd::block(&table),
                        LitmusFormat::Text => {
                            let options = text_options(self.args.output.as_deref(), false);
                            outcome.text += &report::text::states(&table, options);
                        }
                        LitmusFormat::Json => outcome.text += &report::json::states(&table),
                        LitmusFormat::Csv => {}
                    }
                }
                Err(reason) => unknown(&mut observation, &reason),
            }
        } else {
            match session::observe(program, model, &request, &watch)? {
                Ok(found) => {
                    let (positive, negative) = (found.result.positive.is_some(), found.result.negative.is_some());
                    observation.kind = Kind::of(positive.into(), negative.into());
                    observation.note = bound(observation.kind, &found.result.guarantee);
                }
                Err(reason) => unknown(&mut observation, &reason),
            }
        }
        observation.seconds = watch.seconds();
        match self.args.format {
            LitmusFormat::Csv => outcome.text += &report::csv::row(&observation, self.args.states),
            LitmusFormat::Text if !self.args.states => {
                let (kind, file) = (observation.kind.name(), &observation.file);
                let note = if observation.note.is_empty() { String::new() } else { format!(" ({})", observation.note) };
                let width = self.models.iter().map(|model| model.name.len()).max().map_or(8, |longest| longest.max(8));
                outcome.text += &format!("{kind:<10} {:<width$} {file}{note}\n", model.name);
            }
            LitmusFormat::Text | LitmusFormat::Herd | LitmusFormat::Json => {}
        }
        if observation.kind == Kind::Unknown {
            output::say(&format!("{}: {}: {}", observation.file, model.name, observation.note));
        }
        outcome.observations.push(observation);
        Ok(())
    }
}

/// What an answer is worth if loops were cut: that both outcomes were seen is certain, that only one was is not.
fn bound(kind: Kind, guarantee: &Guarantee) -> String {
    match kind {
        Kind::Never | Kind::Always => guarantee.to_string(),
        Kind::Sometimes | Kind::Unknown => String::new(),
    }
}

fn unknown(observation: &mut Observation, reason: &NoAnswer) {
    observation.note = reason.to_string();
}
