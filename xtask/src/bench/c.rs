//! CPU seconds on C programs, beside those of two other bounded model checkers.
//!
//! The peers' figures were measured once, side by side on a machine of the same kind, with CBMC 6.6.0
//! and Deagle 4.1.0, user and system time; they are constants here. The programs are those of the shared corpus, which
//! lies beside the repository on some machines, and our own. A peer's figure that begins with `>` is where it was
//! stopped; `-` means that it was not tried, and `wrong` that its verdict was.
//!
//! A bar is what we promise. The ratio is the best right answer of a peer to ours.

use crate::run::{cpu_seconds, fencepost, root, shared_corpus, works};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One line of the table.
struct Row {
    /// The program, below the shared corpus's `c` or, with a `/` in it, below the repository.
    program: &'static str,
    definitions: &'static str,
    model: &'static str,
    options: &'static str,
    cbmc: &'static str,
    deagle: &'static str,
    /// The most seconds that it may take.
    bar: Option<f64>,
}

/// Seconds after which a run is given up.
const LIMIT: u32 = 120;

const ROWS: &[Row] = &[
    fib("-DN=5 -DMAXV=144", "sc", "3.0", "0.8", None),
    fib("-DN=6 -DMAXV=377", "sc", "15", "2.5", None),
    fib("-DN=7 -DMAXV=987", "sc", "40", "6.3", None),
    fib("-DN=8 -DMAXV=2584", "sc", ">120", "10", None),
    fib("-DN=10 -DMAXV=17711", "sc", "-", "72", None),
    fib("-DN=5 -DMAXV=144", "tso", "3.0", "0.75", None),
    fib("-DN=6 -DMAXV=377", "tso", "12", "2.0", None),
    fib("-DN=7 -DMAXV=987", "tso", "55", "5.3", None),
    fib("-DN=8 -DMAXV=2584", "tso", "94", "12", Some(6.0)),
    fib("-DN=10 -DMAXV=17711", "tso", ">120", "-", Some(60.0)),
    fib("-DN=5 -DMAXV=144", "pso", "-", "0.9", None),
    fib("-DN=6 -DMAXV=377", "pso", "-", "1.9", None),
    fib("-DN=7 -DMAXV=987", "pso", "-", "5.4", None),
    fib("-DN=8 -DMAXV=2584", "pso", "-", "13", None),
    fib("-DN=5 -DMAXV=144 -DUNSAFE", "sc", "0.9", "0.4", None),
    fib("-DN=6 -DMAXV=377 -DUNSAFE", "sc", "4.0", "1.3", None),
    fib("-DN=7 -DMAXV=987 -DUNSAFE", "sc", "16", "2.3", None),
    fib("-DN=8 -DMAXV=2584 -DUNSAFE", "sc", "30", "2.7", None),
    fib("-DN=10 -DMAXV=17711 -DUNSAFE", "sc", ">120", "39", None),
    fib("-DN=5 -DMAXV=144 -DUNSAFE", "tso", "1.1", "0.4", None),
    fib("-DN=6 -DMAXV=377 -DUNSAFE", "tso", "7.6", "0.75", None),
    fib("-DN=7 -DMAXV=987 -DUNSAFE", "tso", "14", "3.3", None),
    fib("-DN=8 -DMAXV=2584 -DUNSAFE", "tso", "41", "3.9", None),
    fib("-DN=5 -DMAXV=144 -DUNSAFE", "pso", "-", "0.7", None),
    fib("-DN=6 -DMAXV=377 -DUNSAFE", "pso", "-", "1.6", None),
    fib("-DN=7 -DMAXV=987 -DUNSAFE", "pso", "-", "1.9", None),
    fib("-DN=8 -DMAXV=2584 -DUNSAFE", "pso", "-", "8.6", None),
    exclusion("peterson.c", "-DITER=1 -DFENCE=1", "tso", "--unwind 3", "0.21", "0.12", None),
    exclusion("peterson.c", "-DITER=2 -DFENCE=1", "tso", "--unwind 3", "0.46", "0.14", None),
    exclusion("peterson.c", "-DITER=3 -DFENCE=1", "tso", "--unwind 4", "5.0", "0.15", None),
    exclusion("peterson.c", "-DITER=4 -DFENCE=1", "tso", "--unwind 5", "26", "-", None),
    exclusion("dekker.c", "-DITER=1 -DFENCE=1", "tso", "--unwind 3", "0.36", "0.12", None),
    exclusion("dekker.c", "-DITER=2 -DFENCE=1", "tso", "--unwind 3", "3.6", "0.25", None),
    exclusion("dekker.c", "-DITER=3 -DFENCE=1", "tso", "--unwind 4", ">120", "1.5", None),
    exclusion("dekker.c", "-DITER=4 -DFENCE=1", "tso", "--unwind 5", "-", "-", Some(20.0)),
    exclusion("dekker.c", "-DITER=1 -DFENCE=2", "pso", "--unwind 3", "0.37", "0.15", None),
    exclusion("dekker.c", "-DITER=2 -DFENCE=2", "pso", "--unwind 3", "4.3", "0.39", None),
    exclusion("dekker.c", "-DITER=3 -DFENCE=2", "pso", "--unwind 4", ">55", "3.4", None),
    lamport("-DITER=1", "sc", "0.48", "0.23", None),
    lamport("-DITER=2", "sc", "19", "0.62", None),
    lamport("-DITER=3", "sc", "-", "91", Some(30.0)),
    lamport("-DITER=1 -DFENCE", "tso", "0.95", "0.21", None),
    lamport("-DITER=2 -DFENCE", "tso", ">115", "0.86", None),
    treiber("-DNT=2", "sc", "8.7", None),
    treiber("-DNT=2", "tso", "28", None),
    treiber("-DNT=2", "pso", "42", None),
    treiber("-DNT=3", "sc", "-", Some(60.0)),
    treiber("-DNT=3", "tso", "-", Some(60.0)),
    treiber("-DNT=3", "pso", "-", Some(60.0)),
    treiber("-DNT=3", "rmo", "-", Some(60.0)),
    treiber("-DNT=3", "alpha", "-", Some(60.0)),
    treiber("-DNT=3", "power-frame", "-", Some(60.0)),
    ours("examples/mutex-counter.c", "sc", "3.0", 0.2),
    ours("examples/mutex-counter.c", "tso", "26", 0.2),
    ours("examples/mutex-counter.c", "power-frame", "-", 0.2),
    ours("corpus/c/trivial.c", "sc", "-", 0.05),
];

const fn fib(
    definitions: &'static str,
    model: &'static str,
    cbmc: &'static str,
    deagle: &'static str,
    bar: Option<f64>,
) -> Row {
    Row { program: "fib.c", definitions, model, options: "-DT=int", cbmc, deagle, bar }
}

const fn exclusion(
    program: &'static str,
    definitions: &'static str,
    model: &'static str,
    options: &'static str,
    cbmc: &'static str,
    deagle: &'static str,
    bar: Option<f64>,
) -> Row {
    Row { program, definitions, model, options, cbmc, deagle, bar }
}

const fn lamport(
    definitions: &'static str,
    model: &'static str,
    cbmc: &'static str,
    deagle: &'static str,
    bar: Option<f64>,
) -> Row {
    let program = "corpus/c/lamport-fast-iter.c";
    Row { program, definitions, model, options: "--unwind 3", cbmc, deagle, bar }
}

const fn treiber(definitions: &'static str, model: &'static str, cbmc: &'static str, bar: Option<f64>) -> Row {
    Row { program: "treiber.c", definitions, model, options: "--unwind 4", cbmc, deagle: "wrong", bar }
}

const fn ours(program: &'static str, model: &'static str, cbmc: &'static str, bar: f64) -> Row {
    Row { program, definitions: "", model, options: "", cbmc, deagle: "-", bar: Some(bar) }
}

/// Prints a line for each row; a quick look takes every fourth row and those with a bar.
pub fn run(quick: bool) -> Result<()> {
    if !works(Command::new("sh").args(["-c", "times"])) {
        println!("skipped: there is no `sh` with `times` to measure CPU seconds with");
        return Ok(());
    }
    let binary = fencepost()?;
    let shared = shared_corpus().join("c");
    if !shared.is_dir() {
        println!("skipped: fib, peterson, dekker, treiber, for there is no shared corpus beside the repository");
    }
    println!("CPU seconds, start-up included; the ratio is the better peer's right answer to ours");
    println!(
        "{:<22} {:<29} {:<6} {:<16} {:>7} {:>6} {:>6} {:>7} {:>5}",
        "program", "definitions", "model", "verdict", "ours", "CBMC", "Deagle", "ratio", "bar"
    );
    let (mut run, mut late) = (0, Vec::new());
    for (_, row) in ROWS.iter().enumerate().filter(|(at, row)| !quick || at % 4 == 0 || row.bar.is_some()) {
        let Some(path) = place(&shared, row.program) else { continue };
        let (verdict, seconds) = measure(&binary, &path, row)?;
        let peers = [row.cbmc, row.deagle].into_iter().filter_map(bound);
        let best = peers.min_by(|a, b| a.1.total_cmp(&b.1));
        let ratio = best.map_or("-".to_owned(), |(at_least, peer)| {
            format!("{}{:.1}", if at_least { ">" } else { "" }, peer / seconds)
        });
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let bar = row.bar.map_or("-".to_owned(), |bar| bar.to_string());
        println!(
            "{name:<22} {:<29} {:<6} {verdict:<16} {seconds:>7.3} {:>6} {:>6} {ratio:>7} {bar:>5}",
            row.definitions, row.model, row.cbmc, row.deagle
        );
        run += 1;
        let slower = best.is_some_and(|(at_least, peer)| !at_least && seconds > peer);
        if slower || row.bar.is_some_and(|bar| seconds > bar) || verdict.starts_with("UNKNOWN") {
            late.push(format!("{name} {} {}", row.definitions, row.model));
        }
    }
    println!("{run} rows, {} behind a peer or a bar{}", late.len(), if late.is_empty() { "" } else { ":" });
    late.iter().for_each(|row| println!("  {row}"));
    Ok(())
}

/// Where a program is, if it is there.
fn place(shared: &Path, program: &str) -> Option<PathBuf> {
    let path = if program.contains('/') { root().join(program) } else { shared.join(program) };
    path.exists().then_some(path)
}

/// A peer's figure: whether it is only known to take longer, and the seconds. Nothing for what is no right answer.
fn bound(figure: &str) -> Option<(bool, f64)> {
    let number = figure.strip_prefix('>');
    Some((number.is_some(), number.unwrap_or(figure).parse().ok()?))
}

/// The verdict and the CPU seconds. What is over soon is run again, for the clock of the CPU is coarse.
fn measure(binary: &Path, program: &Path, row: &Row) -> Result<(String, f64)> {
    let (verdict, seconds) = once(binary, program, row, 1)?;
    if seconds > 1.0 { Ok((verdict, seconds)) } else { once(binary, program, row, 10) }
}

fn once(binary: &Path, program: &Path, row: &Row, times: u32) -> Result<(String, f64)> {
    let (path, limit) = (program.to_string_lossy(), LIMIT.to_string());
    let mut args = vec!["check", &path, "--model", row.model, "--timeout", &limit, "--memory", "3000"];
    args.extend(row.definitions.split_whitespace().chain(row.options.split_whitespace()));
    let (text, seconds) = cpu_seconds(binary, &args, times)?;
    let verdict = text.lines().last().unwrap_or_default();
    let verdict = if verdict.starts_with("UNSAFE") { "UNSAFE" } else { verdict };
    Ok((verdict.to_owned(), seconds))
}
