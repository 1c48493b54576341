//! Critical sections: the search over store buffers and the partial-order engine say the same about the programs in
//! `corpus/c/mutex`, cut to two rounds, as the heads do; and about small programs that show what a critical section is.

use crate::common::{fencepost, last, scratch, stdout};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use testkit::corpus::{all_well, cases};

const ENGINES: [&str; 2] = ["buffers", "partial-order"];

/// What an engine says about two rounds, with one iteration of each waiting loop.
fn said(file: &str, model: &str, engine: &str) -> String {
    let args = ["check", file, "--model", model, "--engine", engine, "--unwind", "1", "-DROUNDS=2"];
    last(&fencepost(&args).output().expect("the binary starts"))
}

/// The same without the bound.
fn verdict(file: &Path, model: &str, engine: &str) -> String {
    let said = said(&file.display().to_string(), model, engine);
    said.strip_suffix(" (unwind 1)").map_or(said.clone(), str::to_owned)
}

/// The judge counts each time that somebody waits, so that it always has a bound to tell. The formula often needs none.
#[test]
fn two_rounds_are_as_the_heads_say() {
    let proved = AtomicUsize::new(0);
    all_well(&cases(&["corpus/c/mutex"], "c"), 45, |case| {
        let model = &case.expectation.model;
        let [judge, other] = ENGINES.map(|engine| said(&case.file, model, engine));
        proved.fetch_add(usize::from(other == "SAFE"), Ordering::Relaxed);
        let (bounded, full) = match &*case.expectation.outcome {
            "SAFE" => ("SAFE (unwind 1)", "SAFE"),
            outcome => (outcome, outcome),
        };
        let right = judge == bounded && (other == bounded || other == full);
        (!right).then(|| case.complaint(&format!("{judge} and {other}")))
    });
    assert!(proved.into_inner() >= 14);
}

/// Two threads that run these functions, under SC.
fn two(name: &str, first: &str, second: &str) -> [String; 2] {
    let text = format!(
        "#include <fencepost.h>\n#include <pthread.h>\nint x, y;\n\
         static void *first(void *arg) {{ {first} return arg; }}\n\
         static void *second(void *arg) {{ {second} return arg; }}\n\
         int main(void) {{ pthread_t a, b; pthread_create(&a, NULL, first, NULL);\n\
         pthread_create(&b, NULL, second, NULL); pthread_join(a, NULL); pthread_join(b, NULL); return 0; }}\n"
    );
    let file = scratch("critical").join(format!("{name}.c"));
    std::fs::write(&file, text).expect("the folder can be written to");
    ENGINES.map(|engine| verdict(&file, "sc", engine))
}

const IN: &str = "FP_CRITICAL_BEGIN();";
const OUT: &str = "FP_CRITICAL_END();";

#[test]
fn what_is_inside() {
    let cases = [
        ("nothing-between", format!("{IN} {OUT}"), format!("{IN} {OUT}"), "UNSAFE"),
        ("no-end", IN.to_owned(), IN.to_owned(), "UNSAFE"),
        ("one", format!("{IN} {OUT}"), OUT.to_owned(), "SAFE"),
        ("again", format!("{IN} {IN} {OUT} {OUT}"), OUT.to_owned(), "SAFE"),
        ("accesses", format!("{IN} x = 1; y = 1; {OUT}"), format!("{IN} x = 2; y = 2; {OUT}"), "UNSAFE"),
        // The other one enters because of what happens inside, or behind the end.
        ("handed-over-inside", format!("{IN} x = 1; x = 2; {OUT}"), format!("if (x == 1) {{ {IN} {OUT} }}"), "UNSAFE"),
        ("handed-over", format!("{IN} x = 1; {OUT} x = 2;"), format!("if (x == 2) {{ {IN} {OUT} }}"), "SAFE"),
        ("turns", format!("{IN} x = 1; {OUT} x = 0;"), format!("x = 3; if (x == 1) {{ {IN} {OUT} }}"), "UNSAFE"),
        (
            "entered-once-left-once",
            format!("{IN} {OUT} x = 1; {IN} {OUT}"),
            format!("if (x) {{ {IN} {OUT} }}"),
            "UNSAFE",
        ),
        // Nobody stops in an atomic section.
        (
            "atomic",
            format!("__VERIFIER_atomic_begin(); {IN} x = 1; {OUT} __VERIFIER_atomic_end();"),
            format!("{IN} y = x; {OUT}"),
            "SAFE",
        ),
        (
            "left-later",
            format!("__VERIFIER_atomic_begin(); {IN} x = 1; __VERIFIER_atomic_end(); {OUT}"),
            format!("{IN} y = x; {OUT}"),
            "UNSAFE",
        ),
    ];
    for (name, first, second, expected) in cases {
        assert_eq!(two(name, &first, &second), [expected, expected], "{name}");
    }
}

#[test]
fn who_has_ended_is_outside() {
    let text = format!(
        "#include <fencepost.h>\n#include <pthread.h>\nstatic void *first(void *arg) {{ {IN} return arg; }}\n\
         int main(void) {{ pthread_t a; pthread_create(&a, NULL, first, NULL); pthread_join(a, NULL);\n{IN} return 0; }}\n"
    );
    let file = scratch("critical").join("ended.c");
    std::fs::write(&file, &text).expect("the folder can be written to");
    assert_eq!(ENGINES.map(|engine| verdict(&file, "sc", engine)), ["SAFE", "SAFE"]);
    std::fs::write(&file, text.replace("pthread_join(a, NULL);", "")).expect("the folder can be written to");
    assert_eq!(ENGINES.map(|engine| verdict(&file, "sc", engine)), ["UNSAFE", "UNSAFE"]);
}

#[test]
fn the_story_says_who_is_inside() {
    let args = ["check", "corpus/c/mutex/dekker0.c", "--model", "tso", "--engine", "partial-order", "-DROUNDS=1"];
    let text = stdout(&fencepost(&args).output().expect("the binary starts"));
    assert!(text.contains("two threads are in a critical section: "), "{text}");
    let last = text.lines().find(|line| line.contains("enters the critical section; ")).unwrap_or_default();
    assert!(last.contains("FP_CRITICAL_BEGIN();") && last.contains(" entered it in line "), "{text}");
}
