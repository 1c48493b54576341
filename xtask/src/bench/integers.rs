//! Table 1 of Abdulla, Atig, Chen, Leonardsson and Rezine ("Automatic Fence Insertion in Integer Programs via Predicate
//! Abstraction", SAS 2012) with our versions of its programs, beside the paper's figures; PSO and three processes, which
//! it does not have.
//!
//! The time is that of finding the fences and proving the program with them. States and predicates are those of the
//! proof: constants of predicates and sums that are tracked.

use crate::run::{fencepost, root, statistic, timed};
use anyhow::Result;
use std::path::Path;

/// A program, the paper's seconds, its fences for each process and its predicates.
const PROGRAMS: &[(&str, &str)] = &[
    ("burns", "0.02 s, 1 fence, 1 predicate"),
    ("dekker-simple", "0.04 s, 1 fence, 1 predicate"),
    ("dekker", "0.06 s, 1 fence, 1 predicate"),
    ("dijkstra", "0.35 s, 1 fence, 4 predicates"),
    ("bakery", "154 s, 2 fences, 17 predicates"),
    ("lamport-fast", "2 s, 2 fences, 4 predicates"),
    ("peterson", "2 s, 1 fence, 6 predicates"),
    ("ticket", "2 s, 0 fences, 2 predicates"),
    ("burns-3", "-"),
    ("ticket-3", "-"),
    ("filter-3", "-"),
];

/// Programs whose proofs need sums of variables.
const SUMS: &[&str] = &["account", "wheels", "stock", "locked-sum"];

/// The seconds that a program may take.
const LIMIT: &str = "120";

/// The figures of a proof.
fn proof(binary: &Path, file: &str, model: &str, defined: &[&str]) -> Result<String> {
    let args = ["check", file, "--engine", "predicate", "--model", model, "--stats", "--timeout", LIMIT];
    let (text, seconds) = timed(binary, &[&args[..], defined].concat())?;
    let number = |name: &str| statistic::<u64>(&text, name).map_or("-".to_owned(), |number| number.to_string());
    let verdict = text.lines().last().unwrap_or_default().split(" (").next().unwrap_or_default().to_owned();
    let (states, k) = (number("states"), number("k"));
    Ok(format!("{verdict:<7} {states:>7} {:>5} {:>5} {k:>3} {seconds:>8.3}", number("predicates"), number("sums")))
}

pub fn run(quick: bool) -> Result<()> {
    let binary = fencepost()?;
    let file = |name: &str| root().join(format!("corpus/c/integers/{name}.c")).display().to_string();
    let titles = "with fences: verdict, states, constants, sums, k, seconds";
    println!("{:<14} {:<4} {:<32} {:>8}   {titles}   paper", "program", "", "fences", "seconds");
    for model in if quick { &["tso"][..] } else { &["tso", "pso"] } {
        for (name, paper) in PROGRAMS {
            let program = file(name);
            let args = ["fences", &program, "--engine", "predicate", "--model", model, "--timeout", LIMIT];
            let (text, seconds) = timed(&binary, &args)?;
            let line = text.lines().last().unwrap_or_default();
            let proof = proof(&binary, &program, model, &["-DFENCE"])?;
            let paper = if *model == "tso" { paper } else { "-" };
            println!("{name:<14} {model:<4} {line:<32} {seconds:>8.3}   {proof}   {paper}");
        }
    }
    println!("proofs with sums: verdict, states, constants, sums, k, seconds");
    for name in SUMS {
        println!("{name:<14} tso  {}", proof(&binary, &file(name), "tso", &[])?);
    }
    Ok(())
}
