//! What programs compute is what C says: each program in `programs/` checks itself, and runs without a failed check.
//!
//! A C compiler agrees: the programs are plain C and need nothing but a `reach_error`.

mod common;

use common::{End, lower, lower_with, run};
use front_c::Options;

fn programs() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");
    let mut all: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the folder of programs")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a text"))
        })
        .collect();
    all.sort();
    all
}

#[test]
fn programs_that_check_themselves_run_to_their_end() {
    let all = programs();
    assert!(all.len() == 7, "programs are missing or new: {}", all.len());
    for (name, text) in all {
        assert_eq!(run(&lower(&text)), End::Done, "{name}");
        let ilp32 = Options { ilp32: true, ..Options::default() };
        assert_eq!(run(&lower_with(&text, &ilp32)), End::Done, "{name} with 32-bit longs");
    }
}

/// The oracle can fail: with any check turned round, the program fails at that line.
#[test]
fn a_check_that_does_not_hold_is_found() {
    for (name, text) in programs() {
        let lines: Vec<&str> = text.lines().collect();
        let checks = (0..lines.len())
            .filter(|&at| lines[at].trim_start().starts_with("check(") && !lines[at].contains("check(0)"));
        for at in checks.step_by(5) {
            let mut mutated: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            mutated[at] = mutated[at].replacen("check(", "check(0 && ", 1);
            assert!(matches!(run(&lower(&mutated.join("\n"))), End::Failed(..)), "{name}:{}", at + 1);
        }
    }
}
