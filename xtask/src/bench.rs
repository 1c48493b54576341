//! `cargo xtask bench [--quick] [NAME…]`: how long things take. A benchmark is no test and never fails the build.

mod arrays;
mod c;
mod coherence;
mod corpus;
mod growth;
mod integers;
mod orders;
mod rings;

use anyhow::{Result, bail};

/// A benchmark: how it is called, and what runs it; `true` for a quick look.
type Bench = (&'static str, fn(bool) -> Result<()>);

const BENCHES: &[Bench] = &[
    ("arrays", arrays::run),
    ("c", c::run),
    ("coherence", coherence::run),
    ("corpus", corpus::run),
    ("growth", growth::run),
    ("integers", integers::run),
    ("orders", orders::run),
    ("rings", rings::run),
];

/// Runs the benchmarks of these names, or all.
pub fn run(args: &[String]) -> Result<u8> {
    let quick = args.iter().any(|arg| arg == "--quick");
    let names: Vec<&String> = args.iter().filter(|arg| *arg != "--quick").collect();
    if let Some(unknown) = names.iter().find(|name| BENCHES.iter().all(|(known, _)| *known != name.as_str())) {
        let known: Vec<&str> = BENCHES.iter().map(|(name, _)| *name).collect();
        bail!("there is no benchmark `{unknown}`; there are {}", known.join(", "));
    }
    for (name, bench) in BENCHES {
        if names.is_empty() || names.iter().any(|wanted| wanted.as_str() == *name) {
            println!("── {name}");
            if let Err(error) = bench(quick) {
                println!("{name} could not be run: {error:#}");
            }
        }
    }
    Ok(0)
}
