//! What those who debug a run can see of it: intermediate results, the log, the place of a panic.

use crate::common::{clean, scratch, stderr};
use std::process::Output;

fn fencepost(args: &[&str]) -> Output {
    clean(args).output().expect("fencepost starts")
}

#[test]
fn all_intermediate_results_are_written_into_a_folder() {
    let folder = scratch("inspect-dump");
    let written = folder.join("run");
    let dump = written.to_string_lossy().into_owned();
    fencepost(&["check", "examples/sb.litmus", "--model", "tso", "--dump", &dump]);
    let read = |name: &str| {
        std::fs::read_to_string(written.join(name)).unwrap_or_else(|error| panic!("{name} is written: {error}"))
    };
    assert!(read("001-program.txt").contains("program sb"));
    assert!(read("002-compiled.txt").contains("thread"));
    assert!(read("003-events.txt").lines().any(|line| line.contains("T0 write") && line.contains("at x")));
    assert!(read("004-relations.txt").lines().any(|line| line.starts_with("rf ")));
    assert!(read("005-graphs.dot").starts_with("digraph"));
    let formula = read("006-formula.cnf");
    let clauses = formula.lines().next().and_then(|head| head.split(' ').next_back()?.parse::<usize>().ok());
    assert_eq!(clauses, Some(formula.lines().count() - 1), "the head counts the clauses");
}

#[test]
fn one_intermediate_result_is_printed() {
    let shown = stderr(&fencepost(&["check", "examples/sb.litmus", "--model", "tso", "--print-after", "relations"]));
    assert!(shown.lines().any(|line| line.starts_with("co ")), "{shown}");
    assert!(!shown.contains("digraph"), "{shown}");
}

#[test]
fn the_log_names_the_parts_and_a_bad_filter_is_an_error() {
    let log = stderr(&fencepost(&["check", "examples/sb.litmus", "--model", "tso", "--log", "debug"]));
    for part in ["load", "engine", "encode", "solve", "check"] {
        assert!(log.contains(part), "{part} is in the log: {log}");
    }
    let bad = fencepost(&["check", "examples/sb.litmus", "--log", "session=loud"]);
    assert_eq!(bad.status.code(), Some(1));
    assert!(stderr(&bad).contains("session=loud"));
}
