//! How violations in C programs are told, in all formats. `BLESS=1 cargo test -p report` rewrites what is expected.
// Clippy's exception for tests does not see helper functions of integration tests.
#![allow(clippy::unwrap_used)]

mod common;

use common::scene::{deadlock, different_orders, early_read, lost_update, pointer, store_buffering};
use common::{Example, expect};
use engine::{Guarantee, Verdict};
use report::story::{StepKind, Telling};
use report::{Case, ModelName, text};

fn case<'a>(example: &'a Example, verdict: &'a Verdict, relaxed: &[(usize, usize)]) -> Case<'a> {
    Case {
        program: &example.program,
        model: ModelName { name: "tso".to_owned(), title: "TSO".to_owned() },
        engine: "partial-order".to_owned(),
        verdict,
        graph: matches!(verdict, Verdict::Unsafe(_)).then(|| example.graph()),
        explanation: None,
        relaxed: relaxed.to_vec(),
        undefined: None,
        notes: vec![],
        seconds: 0.012,
        statistics: vec![],
    }
}

fn told(example: &Example, relaxed: &[(usize, usize)]) -> String {
    let verdict = Verdict::Unsafe(Box::new(example.execution.clone()));
    text::check(&case(example, &verdict, relaxed), text::Options::default())
}

#[test]
fn stories_as_text() {
    expect("c-sb.txt", &told(&store_buffering(), &[(10, 11), (13, 14)]));
    expect("c-early.txt", &told(&early_read(), &[(5, 6)]));
    expect("c-apart.txt", &told(&different_orders(), &[]));
    expect("c-lost-update.txt", &told(&lost_update(), &[]));
    expect("c-deadlock.txt", &told(&deadlock(), &[]));
    expect("c-pointer.txt", &told(&pointer(), &[(6, 7)]));
}

#[test]
fn a_safe_program_is_told_in_a_line() {
    let example = store_buffering();
    let verdict = Verdict::Safe(Guarantee::Full);
    let text = text::check(&case(&example, &verdict, &[]), text::Options::default());
    assert_eq!(text, "sb.c under TSO: can it go wrong?\nNo. Proved for all executions.\n\nSAFE\n");
}
