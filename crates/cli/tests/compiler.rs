//! Random C programs of one thread compute what a compiler says they compute.

use crate::common::{fencepost, scratch, stdout};
use std::process::Command;
use testkit::Rng;
use testkit::c::sequential;

/// How many programs are compared; `cargo xtask fuzz --sequential` compares more.
const PROGRAMS: u64 = 9;

#[test]
fn sums_are_those_of_the_compiler() {
    let folder = scratch("compiler");
    for seed in 0..PROGRAMS {
        let path = folder.join(format!("{seed}.c"));
        std::fs::write(&path, sequential(&mut Rng::new(seed), seed % 3 == 2)).expect("the program can be written");
        let path = path.to_string_lossy().into_owned();
        let binary = folder.join("reference");
        let mut compiler = Command::new("cc");
        compiler.args(["-w", "-DREFERENCE", "-pthread", &path, "-o"]).arg(&binary);
        assert!(compiler.status().expect("there is a C compiler").success(), "{path}");
        let printed = Command::new(&binary).output().expect("the program runs");
        let definition = format!("-DEXPECTED={}u", stdout(&printed).trim());
        for (relation, verdict) in [("-DRELATION===", "SAFE"), ("-DRELATION=!=", "UNSAFE")] {
            let args = ["check", &path, relation, &definition, "--model", "sc", "--unwind", "80"];
            let output = fencepost(&[&args[..], &["--engine", "partial-order"]].concat()).output();
            let output = output.expect("the binary runs");
            assert_eq!(stdout(&output).lines().last(), Some(verdict), "{path} {definition}");
        }
    }
}
