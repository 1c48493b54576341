//! `cargo xtask fuzz --sequential N`: random C programs of one thread, run by GCC and by us.
//!
//! GCC's program prints a checksum of all that it computed. Ours must prove that the checksum is that number, and must find the
//! execution that comes to the end if it is said to be another one: a path that ends in silence would prove everything. Every
//! third program does its work in a second thread, so that its memory is shared. A program that we refuse is a complaint too.

use crate::run::{fencepost, scratch};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;
use testkit::Rng;
use testkit::c::sequential;

/// After so many complaints there is enough to do.
const ENOUGH: usize = 10;

/// How often loops may go round: blocks of bytes whose size is hidden are copied by loops.
const UNWIND: &str = "80";

/// Compares, and gives 1 if there was a complaint.
pub fn run(args: &[String]) -> Result<u8> {
    let (mut count, mut seed) = (0, 0);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut number = || -> Result<u64> {
            let value = args.next().with_context(|| format!("`{arg}` needs a number"))?;
            value.parse().with_context(|| format!("`{value}` is no number"))
        };
        match &**arg {
            "--sequential" => count = number()?,
            "--seed" => seed = number()?,
            _ => bail!("unknown argument `{arg}`; known are --sequential N and --seed N"),
        }
    }
    let binary = fencepost()?;
    let folder = scratch("sequential")?;
    let mut complaints = 0;
    for at in 0..count {
        let number = seed.wrapping_mul(1_000_000_007).wrapping_add(at);
        let text = sequential(&mut Rng::new(number), at % 3 == 2);
        let path = folder.join(format!("{number}.c"));
        std::fs::write(&path, &text)?;
        match compare(&binary, &folder, &path)? {
            None => std::fs::remove_file(&path)?,
            Some(what) => {
                complaints += 1;
                println!("{}: {what}", path.display());
            }
        }
        if complaints >= ENOUGH {
            break;
        }
    }
    println!("{count} programs, {complaints} complaints");
    Ok(u8::from(complaints > 0))
}

/// What is wrong with our answers about a program.
fn compare(binary: &Path, folder: &Path, path: &Path) -> Result<Option<String>> {
    let reference = folder.join("reference");
    let mut gcc = Command::new("gcc");
    gcc.args(["-w", "-DREFERENCE", "-pthread"]).arg(path).arg("-o").arg(&reference);
    let compiled = gcc.output().context("gcc cannot be run")?;
    if !compiled.status.success() {
        return Ok(Some(format!("gcc: {}", String::from_utf8_lossy(&compiled.stderr))));
    }
    let printed = Command::new(&reference).output()?;
    let expected = String::from_utf8_lossy(&printed.stdout).trim().to_owned();
    for (relation, verdict) in [("==", "SAFE"), ("!=", "UNSAFE")] {
        let definitions = [format!("-DRELATION={relation}"), format!("-DEXPECTED={expected}u")];
        let mut check = Command::new(binary);
        check.arg("check").arg(path).args(definitions).args(["--model", "sc", "--unwind", UNWIND]);
        let output = check.args(["--engine", "partial-order"]).output()?;
        let said = String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_owned();
        if said != verdict {
            let errors = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned();
            return Ok(Some(format!("sum {relation} {expected} is said to be `{said}` {errors}")));
        }
    }
    Ok(None)
}
