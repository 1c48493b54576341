//! The tables of Kuperstein, Vechev and Yahav ("Partial-Coherence Abstractions for Relaxed Memory Models", PLDI 2011) with our versions of its programs, beside the paper's figures, and how fast states are visited.
//!
//! The paper's numbers of states are thousands, of its own versions of the programs; in its Table 2 states carry labels.
//! `M` means that it ran out of memory (16 GB).

use crate::run::{fencepost, root, statistic, timed};
use anyhow::Result;
use std::path::Path;

/// Table 1: a fenced program, and the paper's states with `set`, `fd` 0 and `fd` 1.
const PROOFS: &[(&str, [&str; 3])] = &[
    ("sense1.c", ["0.6", "1.7", "0.8"]),
    ("peterson2.c", ["7.7", "2.4", "1.8"]),
    ("dekker2.c", ["9.7", "4.5", "3.1"]),
    ("lamport2.c", ["41.2", "22.2", "9"]),
    ("fast3.c", ["22.2", "16.4", "11.1"]),
    ("clh2.c", ["M", "M", "68.8"]),
];

/// Table 2: an unfenced program, and the paper's states with `fd` 1.
const REPAIRS: &[(&str, &str)] = &[
    ("sense0.c", "58.6"),
    ("peterson0.c", "524.5"),
    ("dekker0.c", "3238.1"),
    ("lamport0.c", "M"),
    ("fast0.c", "M"),
    ("fast1a.c", "105.2"),
    ("fast1b.c", "972.3"),
    ("fast1c.c", "M"),
    ("clh0.c", "M"),
];

/// Large searches: program, model, further options.
const LARGE: &[(&str, &str, &str)] = &[
    ("corpus/c/mutex/dekker2.c", "pso", "--abstraction fd --k 1"),
    ("corpus/c/mutex/dekker2.c", "pso", "--abstraction fd --k 2"),
    ("corpus/c/mutex/clh2.c", "pso", "--abstraction fd --k 1"),
    ("corpus/c/mutex/clh2.c", "pso", "--abstraction fd --k 2"),
    ("examples/safestack.c", "sc", ""),
    ("examples/safestack.c", "tso", ""),
    ("corpus/c/mutex-three-filter.c", "pso", ""),
];

/// What a run says: its last line, the statistics, and the seconds it took.
struct Run {
    line: String,
    states: f64,
    bytes: f64,
    seconds: f64,
}

fn run_once(binary: &Path, args: &[&str]) -> Result<Run> {
    let (text, seconds) = timed(binary, args)?;
    let number = |name: &str| statistic(&text, name).unwrap_or(0.0);
    let line = text.lines().last().unwrap_or_default().to_owned();
    Ok(Run { line, states: number("states"), bytes: number("bytes"), seconds })
}

pub fn run(quick: bool) -> Result<()> {
    let binary = fencepost()?;
    let file = |name: &str| root().join("corpus/c/mutex").join(name).display().to_string();
    println!("proofs under PSO: ours (verdict, states, seconds with start-up), the paper's thousands of states");
    for (name, paper) in PROOFS {
        let program = file(name);
        for (abstraction, theirs) in [["set", "0"], ["fd", "0"], ["fd", "1"]].iter().zip(paper) {
            let [kind, k] = abstraction;
            let args = ["--engine", "coherence", "--abstraction", kind, "--k", k, "--model", "pso", "--stats"];
            let found = run_once(&binary, &[&["check", &program][..], &args].concat())?;
            let verdict = if found.line == "SAFE" { "proved" } else { "spurious" };
            let states = if found.states > 0.0 { found.states.to_string() } else { "-".to_owned() };
            println!("{name:<12} {kind:<4} {k}  {verdict:<9} {states:>7} {:>7.3}   {theirs:>6}", found.seconds);
        }
    }
    println!("fences: ours (result, seconds with start-up and proof), the paper's thousands of states with fd, k = 1");
    for (name, theirs) in REPAIRS {
        let program = file(name);
        for model in ["tso", "pso"] {
            let args = ["fences", &program, "--model", model, "--kinds", "full"];
            let found = run_once(&binary, &args)?;
            let theirs = if model == "pso" { theirs } else { "-" };
            println!("{name:<12} {model:<4} {:<22} {:>7.3}   {theirs:>6}", found.line, found.seconds);
        }
    }
    if quick {
        return Ok(());
    }
    println!("large searches: verdict, states, states a second, bytes a state in the largest search");
    for (program, model, options) in LARGE {
        let path = root().join(program).display().to_string();
        let mut args = vec!["check", &path, "--model", model, "--engine", "coherence", "--stats", "--timeout", "120"];
        args.extend(options.split_whitespace());
        let found = run_once(&binary, &args)?;
        let (rate, size) = (found.states / found.seconds, found.bytes / found.states.max(1.0));
        println!(
            "{program:<30} {model:<4} {options:<24} {:<8} {:>9} {rate:>10.0} {size:>6.1}",
            found.line, found.states
        );
    }
    Ok(())
}
