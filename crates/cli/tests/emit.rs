//! What `check` writes about a violation in a C program: who waits for whom in a deadlock, the litmus test with the
//! heart of a reordering, and the witnesses for SV-COMP.
#![allow(clippy::unwrap_used)]

use crate::common::{fencepost, root, scratch, stdout};
use std::path::Path;

/// Checks a program under a model, and gives the text that the option writes; nothing if it writes none.
fn emitted(program: &str, model: &str, option: &str, file: &str) -> Option<String> {
    let path = scratch("emit").join(file);
    let _ = std::fs::remove_file(&path);
    let output = fencepost(&["check", program, "--model", model, option]).arg(&path).output().unwrap();
    assert_eq!(output.status.code(), Some(10), "{program} under {model}: {}", stdout(&output));
    std::fs::read_to_string(&path).ok()
}

fn observation(test: &Path, model: &str) -> String {
    let output = fencepost(&["litmus", "--format", "csv", "--model", model]).arg(test).output().unwrap();
    stdout(&output).lines().last().and_then(|line| line.rsplit(',').next()).unwrap_or("").to_owned()
}

/// The outcome of the test is possible under the model in question, and not under sequential consistency.
#[test]
fn the_heart_of_a_violation_shows_the_same_reordering() {
    let cases = [
        ("examples/store-buffering.c", "tso"),
        ("examples/peterson.c", "tso"),
        ("examples/message-passing.c", "pso"),
        ("examples/message-passing.c", "power-frame"),
        ("examples/double-checked-locking.c", "power-frame"),
        ("corpus/c/litmus-lb.c", "power-frame"),
        ("corpus/c/litmus-iriw.c", "power-frame"),
        ("corpus/c/litmus-two-plus-two-w.c", "pso"),
        ("examples/message-passing.c", "aarch64"),
        ("examples/message-passing.c", "riscv"),
        ("examples/message-passing.c", "ppc"),
        ("examples/peterson.c", "aarch64"),
        ("corpus/c/litmus-iriw.c", "ppc"),
        ("corpus/c/linux-message-passing.c", "lkmm"),
    ];
    for (program, model) in cases {
        let file = format!("{}-{model}.litmus", Path::new(program).file_stem().unwrap().to_string_lossy());
        let text = emitted(program, model, "--emit-litmus", &file);
        assert!(text.is_some(), "{program} under {model}");
        let test = scratch("emit").join(&file);
        assert_eq!(observation(&test, model), "Sometimes", "{program} under {model}: {}", text.unwrap());
        assert_eq!(observation(&test, "sc"), "Never", "{program} under sc");
    }
}

#[test]
fn a_violation_without_reordering_has_no_heart() {
    assert_eq!(emitted("corpus/c/queue-two-producers.c", "tso", "--emit-litmus", "none.litmus"), None);
}

#[test]
fn witnesses_name_the_file_and_the_line() {
    let program = "corpus/c/queue-two-producers.c";
    let xml = emitted(program, "sc", "--witness", "witness.graphml").unwrap();
    assert!(xml.contains("<data key=\"producer\">Fencepost "), "{xml}");
    assert!(xml.contains("<data key=\"architecture\">64bit</data>"), "{xml}");
    assert_eq!(xml.matches("<data key=\"createThread\">").count(), 3, "{xml}");
    let text = std::fs::read_to_string(root().join(program)).unwrap();
    let line = 1 + text.lines().position(|line| line.contains("assert(")).unwrap();
    let last = xml.rsplit("<data key=\"startline\">").next().unwrap();
    assert!(last.starts_with(&format!("{line}<")), "{xml}");
    let yaml = emitted(program, "sc", "--witness", "witness.yml").unwrap();
    assert!(yaml.starts_with("- entry_type: violation_sequence\n"), "{yaml}");
    assert!(yaml.trim_end().rsplit("type: target").next().unwrap().contains(&format!("line: {line}\n")), "{yaml}");
}

#[test]
fn a_deadlock_says_who_holds_what() {
    let path = scratch("emit").join("deadlock.c");
    let text = "#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *left(void *unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    return 0;
}
static void *right(void *unused) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    return 0;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, left, 0);
    pthread_create(&u, 0, right, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
";
    std::fs::write(&path, text).unwrap();
    let output = fencepost(&["check", "--model", "sc", "--property", "deadlock"]).arg(&path).output().unwrap();
    let told = stdout(&output);
    assert_eq!(output.status.code(), Some(10), "{told}");
    let places = ["5 | pthread_mutex_lock(&b);", "10 | pthread_mutex_lock(&a);", "17 | pthread_join(t, 0);"];
    for part in places.iter().chain(&["b, held by right since line 9", "a, held by left since line 4"]) {
        assert!(told.contains(part), "{part} in {told}");
    }
}
