//! Random C programs of one thread compute what a compiler says they compute.

use crate::common::{fencepost, scratch, stdout};
use std::process::Command;
use testkit::Rng;
use testkit::c::{claim, for_compilers, sequential};

/// How many programs are compared; `cargo xtask fuzz --sequential` compares more.
const PROGRAMS: u64 = 12;

#[test]
fn sums_are_those_of_the_compiler() {
    let folder = scratch("compiler");
    let program = |seed: u64| sequential(&mut Rng::new(seed), seed.is_multiple_of(3), seed.is_multiple_of(4));
    let texts: Vec<String> = (0..PROGRAMS).map(program).collect();
    let (all, binary) = (folder.join("all.c"), folder.join("all"));
    std::fs::write(&all, for_compilers(&texts)).expect("the programs can be written");
    let compiled = Command::new("cc").args(["-w", "-pthread"]).arg(&all).arg("-o").arg(&binary).status();
    assert!(compiled.expect("there is a C compiler").success());
    let printed = stdout(&Command::new(&binary).output().expect("the program runs"));
    let sums: Vec<u64> = printed.lines().map(|line| line.parse().expect("a number")).collect();
    assert_eq!(sums.len(), texts.len());
    for (seed, (text, sum)) in texts.iter().zip(sums).enumerate() {
        let path = folder.join(format!("{seed}.i"));
        for (operator, verdict) in [("==", "SAFE"), ("!=", "UNSAFE")] {
            std::fs::write(&path, claim(text, operator, sum)).expect("the program can be written");
            let args = ["check", &*path.to_string_lossy(), "--model", "sc", "--unwind", "80"];
            let output = fencepost(&[&args[..], &["--engine", "partial-order"]].concat()).output();
            let output = output.expect("the binary runs");
            assert_eq!(stdout(&output).lines().last(), Some(verdict), "{} {operator} {sum}", path.display());
        }
    }
}
