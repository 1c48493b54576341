//! The shared array-based systems beside Cubicle's times, and Table 1 of Conchon, Declerck and Zaïdi
//! ("Parameterized Model Checking Modulo Explicit Weak Memory Models", EPTCS 271, 2018) with our versions of its systems.
//!
//! Times are those of whole runs, start-up included. Cubicle's are CPU times from the corpus's table, the paper's are
//! those of its Table 1.

use crate::run::{fencepost, root, shared_corpus, statistic, timed};
use anyhow::Result;
use std::path::{Path, PathBuf};

/// Table 1: the paper's name, our system, the verdict under TSO, and the paper's seconds.
const TABLE: &[(&str, &str, &str, &str)] = &[
    ("naive mutex", "examples/mutex-no-fence.cub", "UNSAFE", "0.04"),
    ("naive mutex", "examples/mutex.cub", "SAFE", "0.30"),
    ("lamport", "corpus/arrays/lamport-no-fence.cub", "UNSAFE", "0.10"),
    ("lamport", "corpus/arrays/lamport.cub", "SAFE", "0.60"),
    ("spinlock", "corpus/arrays/spinlock.cub", "SAFE", "0.07"),
    ("sense reversing barrier", "corpus/arrays/barrier.cub", "SAFE", "0.06"),
    ("arbiter v1", "corpus/arrays/arbiter1.cub", "SAFE", "0.18"),
    ("arbiter v2", "corpus/arrays/arbiter2.cub", "SAFE", "13.5"),
    ("two phase commit", "corpus/arrays/two-phase.cub", "SAFE", "54.1"),
];

/// What a run says: its last line, the number of cubes, and the seconds it took.
fn run_once(binary: &Path, file: &Path, more: &[&str]) -> Result<(String, u64, f64)> {
    let file = file.display().to_string();
    let args = ["check", &file, "--stats", "--timeout", "60", "--memory", "3000"];
    let (text, seconds) = timed(binary, &[&args[..], more].concat())?;
    let cubes = statistic(&text, "cubes:").unwrap_or(0);
    Ok((text.lines().last().unwrap_or_default().to_owned(), cubes, seconds))
}

pub fn run(_quick: bool) -> Result<()> {
    let binary = fencepost()?;
    println!("Table 1: ours (verdict under TSO, cubes, seconds), the paper's seconds");
    for (name, file, expected, theirs) in TABLE {
        let (verdict, cubes, seconds) = run_once(&binary, &root().join(file), &["--model", "tso"])?;
        let mark = if verdict == *expected { "" } else { "  WRONG" };
        println!("{name:<24} {verdict:<7} {cubes:>5} {seconds:>8.3} {theirs:>6}{mark}");
    }
    let folder = std::env::var_os("FENCEPOST_ARRAYS").map_or_else(|| shared_corpus().join("arrays"), PathBuf::from);
    let Ok(table) = std::fs::read_to_string(folder.join("verdicts.csv")) else {
        println!("there is no shared corpus beside the repository (or set FENCEPOST_ARRAYS)");
        return Ok(());
    };
    println!("shared corpus: ours (verdict, cubes, seconds), Cubicle's nodes and seconds, how many times faster");
    let (mut rows, mut wrong, mut slower) = (0, 0, 0);
    for row in table.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let &[file, _, expected, theirs, nodes, options] = &fields[..] else { continue };
        let more: &[&str] = if options.contains("-brab") { &["--brab", "2"] } else { &[] };
        let (verdict, cubes, seconds) = run_once(&binary, &folder.join(file), more)?;
        let times = theirs.parse::<f64>().unwrap_or(0.0) / seconds;
        rows += 1;
        wrong += usize::from(verdict != expected);
        slower += usize::from(times < 1.0);
        let mark = if verdict == expected { "" } else { "  WRONG" };
        println!("{file:<36} {verdict:<7} {cubes:>5} {seconds:>8.3} {nodes:>5} {theirs:>8} {times:>8.1}{mark}");
    }
    println!("{rows} systems, {wrong} wrong, {slower} slower than Cubicle");
    Ok(())
}
