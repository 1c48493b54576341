//! `cargo xtask repeat [--programs N] [--times N]`: the same command prints the same verdict and guarantee each time, also
//! beside a busy machine.

use crate::run::{fencepost, files, root, timed};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command};

/// Processes that keep all cores busy as long as this lives.
struct Noise(Vec<Child>);

impl Noise {
    fn new() -> Result<Noise> {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let busy = || Command::new("sh").args(["-c", "while :; do :; done"]).spawn().context("`sh` does not start");
        (0..2 * cores).map(|_| busy()).collect::<Result<_>>().map(Noise)
    }
}

impl Drop for Noise {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // One that has ended already cannot be killed, and need not be.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Runs programs of the corpus again and again, half of the times beside noise.
pub fn run(args: &[String]) -> Result<u8> {
    let (mut programs, mut times) = (50, 10);
    for pair in args.chunks(2) {
        match pair {
            [name, value] if name == "--programs" => programs = value.parse()?,
            [name, value] if name == "--times" => times = value.parse()?,
            _ => bail!("`repeat` takes --programs N and --times N"),
        }
    }
    let binary = fencepost()?;
    let all: Vec<PathBuf> = files(&root().join("corpus/c"), &["c"])?;
    let step = (all.len() / programs).max(1);
    let chosen: Vec<String> =
        all.iter().step_by(step).take(programs).map(|path| path.to_string_lossy().into_owned()).collect();
    let mut answers: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    for round in 0..times {
        let _noise = if round % 2 == 1 { Some(Noise::new()?) } else { None };
        for program in &chosen {
            let (text, _) = timed(&binary, &["check", program, "--model", "tso", "--timeout", "60"])?;
            let verdict = text.lines().last().unwrap_or_default().to_owned();
            *answers.entry(program).or_default().entry(verdict).or_default() += 1;
        }
    }
    let different: Vec<_> = answers.iter().filter(|(_, verdicts)| verdicts.len() > 1).collect();
    for (program, verdicts) in &different {
        println!("{program}: {verdicts:?}");
    }
    println!(
        "{} programs, {times} times each, half of them beside a busy machine: {} differ",
        answers.len(),
        different.len()
    );
    Ok(u8::from(!different.is_empty()))
}
