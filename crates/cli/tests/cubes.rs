//! `check --cubes N --cube I` and `merge`: all cubes together say what the whole question says.

use crate::common::{clean, last, scratch, stderr};
use std::process::Output;

/// Programs with both verdicts, some of which go wrong in some cubes only.
const PROGRAMS: &[(&str, &str)] = &[
    ("examples/peterson.c", "tso"),
    ("examples/dekker.c", "sc"),
    ("examples/dekker.c", "tso"),
    ("examples/spsc-ring.c", "tso"),
    ("examples/spsc-ring.c", "pso"),
    ("examples/treiber-stack.c", "sc"),
    ("examples/mutex-counter.c", "pso"),
    ("examples/fib.c", "sc"),
    ("corpus/c/deque-chase-lev.c", "tso"),
    ("corpus/c/mutex-lamport-fast.c", "tso"),
    ("corpus/c/lock-mcs.c", "tso"),
    ("corpus/c/queue-lamport.c", "pso"),
];

fn check(program: &str, model: &str, more: &[&str]) -> Output {
    let args = ["check", program, "--model", model, "--engine", "partial-order", "--unwind", "2"];
    clean(&args).args(more).output().expect("the binary starts")
}

#[test]
fn all_cubes_together_are_the_whole_question() {
    let folder = scratch("cubes");
    let mut partly = 0;
    for (at, (program, model)) in PROGRAMS.iter().enumerate() {
        let whole = last(&check(program, model, &[]));
        let files: Vec<String> =
            (0..4).map(|cube| folder.join(format!("{at}-{cube}.json")).display().to_string()).collect();
        let mut bad = 0;
        for (cube, file) in files.iter().enumerate() {
            let more = ["--cubes", "4", "--cube", &cube.to_string(), "--format", "json", "-o", file];
            let output = check(program, model, &more);
            assert_ne!(output.status.code(), Some(0), "no cube is a proof: {program} under {model}");
            bad += usize::from(output.status.code() == Some(10));
        }
        partly += usize::from(bad > 0 && bad < 4);
        let names: Vec<&str> = files.iter().map(String::as_str).collect();
        let merged = clean(&["merge"]).args(&names).output().expect("the binary starts");
        assert_eq!(last(&merged), whole, "{program} under {model}: {}", stderr(&merged));
        if whole.starts_with("SAFE") {
            let missing = clean(&["merge"]).args(&names[1..]).output().expect("the binary starts");
            assert!(stderr(&missing).contains("cube 0 of 4 is missing"), "{}", stderr(&missing));
        }
    }
    assert!(partly > 0, "cubes cut: some programs go wrong in some cubes only");
}

#[test]
fn a_cube_is_asked_for_in_full() {
    let complaint = |more: &[&str]| stderr(&check("examples/dekker.c", "sc", more));
    assert!(complaint(&["--cubes", "4"]).contains("belong together"));
    assert!(complaint(&["--cubes", "3", "--cube", "0"]).contains("power of two"));
    assert!(complaint(&["--cubes", "4", "--cube", "4"]).contains("no cube of this number"));
    let text = last(&check("examples/dekker.c", "sc", &["--cubes", "4", "--cube", "1"]));
    assert_eq!(text, "SAFE (cube)");
    let fences = clean(&["fences", "examples/dekker.c", "--cubes", "2", "--cube", "0"]).output().expect("it starts");
    assert!(stderr(&fences).contains("only `check`"), "{}", stderr(&fences));
}
