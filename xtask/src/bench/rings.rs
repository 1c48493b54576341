//! How the cost grows: classic tests with ever more threads.
//!
//! With indices modulo n:
//! * `sb`: thread i writes `x_i`, then reads `x_{i+1}`; can all read 0? n = 2 is SB.
//! * `mp`: a message over n − 1 stations. Thread 0 writes `x_0` and `x_1`, each thread between reads `x_i` and writes
//!   `x_{i+1}`, the last reads `x_{n-1}` and `x_0`; can all see the flag and the last miss `x_0`? n = 2 is MP, 3 is ISA2.
//! * `2+2w`: thread i writes 2 to `x_i`, then 1 to `x_{i+1}`; can all end as 2? n = 2 is 2+2W.
//! * `iriw`: n writers, thread i writes `x_i`; n readers, reader i reads 1 from `x_i`, then 0 from `x_{i+1}`; can all?
//!   n = 2 is IRIW. It has 2n threads.

use crate::run::{fencepost, scratch};
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const MODELS: [&str; 6] = ["sc", "tso", "pso", "rmo", "alpha", "power-frame"];

/// A test: the instructions of each thread, and the atoms of its condition.
type Test = (Vec<Vec<String>>, Vec<String>);

/// A family: its name, and its member of a size.
type Family = (&'static str, fn(usize) -> Test);

const FAMILIES: [Family; 4] = [("sb", sb), ("mp", mp), ("2+2w", two_plus_two_w), ("iriw", iriw)];

/// Prints a table for each family; a quick look stops at 8 threads and 5 seconds.
pub fn run(quick: bool) -> Result<()> {
    let sizes: &[usize] = if quick { &[2, 4, 8] } else { &[2, 4, 8, 16, 32, 64] };
    let seconds = if quick { 5 } else { 60 };
    let binary = fencepost()?;
    let folder = scratch("rings")?;
    println!(
        "milliseconds for `check`, start-up included; U unsafe, S safe, ? no answer in {seconds} s, ! failed, - not tried"
    );
    for (name, family) in FAMILIES {
        print!("{name:<6}");
        MODELS.iter().for_each(|model| print!(" {model:>11}"));
        println!();
        let mut hopeless = [false; MODELS.len()];
        for &size in sizes {
            let path = folder.join(format!("{name}-{size}.litmus"));
            std::fs::write(&path, litmus(name, size, family)).with_context(|| path.display().to_string())?;
            print!("{size:<6}");
            for (model, hopeless) in MODELS.iter().zip(&mut hopeless) {
                if *hopeless {
                    print!(" {:>11}", "-");
                    continue;
                }
                let (verdict, milliseconds) = check(&binary, &path, model, seconds)?;
                *hopeless = matches!(verdict, '?' | '!');
                print!(" {milliseconds:>9.1} {verdict}");
            }
            println!();
        }
    }
    Ok(())
}

/// The verdict as a letter, and the milliseconds.
fn check(binary: &Path, file: &Path, model: &str, seconds: u32) -> Result<(char, f64)> {
    let started = Instant::now();
    let mut command = Command::new(binary);
    command.arg("check").arg(file).args(["--model", model, "--timeout", &seconds.to_string()]);
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
    let text = String::from_utf8_lossy(&output.stdout);
    let verdict = match text.lines().last().unwrap_or_default() {
        "SAFE" => 'S',
        "UNSAFE" => 'U',
        line if line.starts_with("UNKNOWN (timeout") => '?',
        _ => '!',
    };
    Ok((verdict, milliseconds))
}

/// The member of a family as a litmus test for X86.
fn litmus(name: &str, size: usize, family: fn(usize) -> Test) -> String {
    let (columns, atoms) = family(size);
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let row = |cell: &dyn Fn(usize) -> String| {
        let cells: Vec<String> = (0..columns.len()).map(|at| format!(" {:<12} ", cell(at))).collect();
        format!("{};\n", cells.join("|"))
    };
    let mut text = format!("X86 {name}-ring-{size}\n{{ }}\n");
    text += &row(&|at| format!("P{at}"));
    for line in 0..rows {
        text += &row(&|at| columns[at].get(line).cloned().unwrap_or_default());
    }
    text + &format!("exists ({})\n", atoms.join(" /\\ "))
}

fn write(location: usize, value: usize) -> String {
    format!("MOV [x{location}],${value}")
}

fn read(register: &str, location: usize) -> String {
    format!("MOV {register},[x{location}]")
}

fn sb(n: usize) -> Test {
    let columns = (0..n).map(|i| vec![write(i, 1), read("EAX", (i + 1) % n)]).collect();
    (columns, (0..n).map(|i| format!("{i}:EAX=0")).collect())
}

fn mp(n: usize) -> Test {
    let mut columns = vec![vec![write(0, 1), write(1, 1)]];
    columns.extend((1..n - 1).map(|i| vec![read("EAX", i), write(i + 1, 1)]));
    columns.push(vec![read("EAX", n - 1), read("EBX", 0)]);
    let mut atoms: Vec<String> = (1..n).map(|i| format!("{i}:EAX=1")).collect();
    atoms.push(format!("{}:EBX=0", n - 1));
    (columns, atoms)
}

fn two_plus_two_w(n: usize) -> Test {
    let columns = (0..n).map(|i| vec![write(i, 2), write((i + 1) % n, 1)]).collect();
    (columns, (0..n).map(|i| format!("x{i}=2")).collect())
}

fn iriw(n: usize) -> Test {
    let writers = (0..n).map(|i| vec![write(i, 1)]);
    let readers = (0..n).map(|i| vec![read("EAX", i), read("EBX", (i + 1) % n)]);
    let atoms = (n..2 * n).flat_map(|i| [format!("{i}:EAX=1"), format!("{i}:EBX=0")]);
    (writers.chain(readers).collect(), atoms.collect())
}
