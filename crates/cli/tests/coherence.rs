//! The tables of Kuperstein, Vechev and Yahav ("Partial-Coherence Abstractions for Relaxed Memory Models", PLDI 2011) with our
//! versions of its programs: which abstraction proves what, and which fences are found.

use crate::common::{fencepost, root, scratch, stdout};
use std::path::Path;

fn run(args: &[&str]) -> String {
    stdout(&fencepost(args).output().expect("the binary starts"))
}

fn last(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

fn program(name: &str) -> String {
    root().join("corpus/c/mutex").join(name).display().to_string()
}

/// Table 1: for each program whether it is proved under PSO by `set`, by `fd` with k = 0 and with k = 1.
///
/// In the paper `set` proves none. Ours proves the barrier: the decrement empties the buffer, so that no two writes to the
/// same variable are ever in it.
#[test]
fn abstractions_prove_what_they_prove_in_the_paper() {
    let table = [
        ("sense1.c", [true, true, true]),
        ("peterson2.c", [false, true, true]),
        ("dekker2.c", [false, true, true]),
        ("lamport2.c", [false, true, true]),
        ("fast3.c", [false, false, true]),
        ("clh2.c", [false, false, true]),
    ];
    for (name, proved) in table {
        for (at, abstraction) in [["set", "0"], ["fd", "0"], ["fd", "1"]].into_iter().enumerate() {
            let [abstraction, k] = abstraction;
            let args = ["--engine", "coherence", "--abstraction", abstraction, "--k", k, "--model", "pso"];
            let text = run(&[&["check", &program(name)][..], &args].concat());
            let right = match last(&text) {
                "SAFE" => proved[at],
                last => !proved[at] && last.starts_with("UNKNOWN (the abstraction "),
            };
            assert!(right, "{name} {abstraction} {k}: {text}");
        }
    }
}

/// What merging gives up, refining finds again: with merged sets each program is proved by some k.
#[test]
fn merged_states_prove_it_too() {
    for name in ["sense1.c", "peterson2.c", "dekker2.c", "lamport2.c", "fast3.c", "clh2.c"] {
        for model in ["tso", "pso"] {
            let args = ["--engine", "coherence", "--abstraction", "pd", "--k", "2", "--model", model];
            let text = run(&[&["check", &program(name)][..], &args].concat());
            assert_eq!(last(&text), "SAFE", "{name} {model}");
        }
    }
}

/// What fails before the first thread is started is found with every abstraction.
#[test]
fn what_fails_before_there_are_others() {
    let file = root().join("corpus/regressions/wrong-before-the-first-start.c").display().to_string();
    for abstraction in ["none", "set", "fd", "pd", "auto"] {
        for model in ["sc", "tso", "pso"] {
            let args = ["--engine", "coherence", "--abstraction", abstraction, "--model", model];
            let text = run(&[&["check", &file][..], &args].concat());
            assert_eq!(last(&text), "UNSAFE", "{abstraction} {model}: {text}");
        }
    }
}

/// The lines of a text that are full fences of a patch.
fn fences(before: &str, after: &str) -> Vec<usize> {
    let old: Vec<&str> = before.lines().collect();
    let mut at = 0;
    let mut found = Vec::new();
    for (number, line) in after.lines().enumerate() {
        if old.get(at) == Some(&line) {
            at += 1;
        } else {
            found.push(number);
        }
    }
    assert_eq!(at, old.len(), "a patch only adds lines");
    found
}

fn verdict(file: &Path, model: &str) -> String {
    last(&run(&["check", &file.display().to_string(), "--model", model])).to_owned()
}

/// Table 2: the fences that are found, and that each of them is needed.
#[test]
fn fences_are_optimal_and_needed() {
    let table = [
        ("sense0.c", [0, 1]),
        ("peterson0.c", [1, 2]),
        ("dekker0.c", [2, 2]),
        ("lamport0.c", [2, 2]),
        ("fast0.c", [2, 3]),
        ("clh0.c", [0, 0]),
        ("fast1a.c", [1, 2]),
        ("fast1b.c", [1, 2]),
        ("fast1c.c", [2, 2]),
    ];
    for (name, counts) in table {
        for (model, count) in ["tso", "pso"].into_iter().zip(counts) {
            let text = std::fs::read_to_string(program(name)).expect("the program is there");
            let file = scratch("coherence").join(format!("{model}-{name}"));
            std::fs::write(&file, &text).expect("the folder can be written to");
            let said = run(&["fences", &file.display().to_string(), "--model", model, "--kinds", "full", "--write"]);
            // A full fence costs 10, and there is no bound.
            let wanted =
                if count == 0 { "NO FENCES NEEDED".to_owned() } else { format!("FENCES {count} (cost {count}0)") };
            assert_eq!(last(&said), wanted, "{name} {model}: {said}");
            let patched = std::fs::read_to_string(&file).expect("it is still there");
            let added = fences(&text, &patched);
            assert_eq!(added.len(), count, "{name} {model}");
            assert_eq!(verdict(&file, model), "SAFE", "{name} {model}");
            for without in added {
                let kept = patched.lines().enumerate().filter(|(at, _)| *at != without);
                let less: Vec<&str> = kept.map(|(_, line)| line).collect();
                std::fs::write(&file, less.join("\n")).expect("the folder can be written to");
                assert_eq!(verdict(&file, model), "UNSAFE", "{name} {model} without line {without}");
            }
        }
    }
}

/// What SC does wrong, no fence repairs.
#[test]
fn without_a_lock_there_is_nothing_to_repair() {
    let text = "#include <fencepost.h>\n#include <pthread.h>\nint x;\n\
                static void *process(void *arg) {\n    while (1) {\n        x = 1;\n        FP_CRITICAL_BEGIN();\n        \
                FP_CRITICAL_END();\n        x = 0;\n    }\n    return arg;\n}\n\
                int main(void) {\n    pthread_t a, b;\n    pthread_create(&a, NULL, process, NULL);\n    \
                pthread_create(&b, NULL, process, NULL);\n    return 0;\n}\n";
    let file = scratch("coherence").join("no-lock.c");
    std::fs::write(&file, text).expect("the folder can be written to");
    let output = fencepost(&["fences", &file.display().to_string(), "--model", "tso"]).output().expect("it starts");
    assert_eq!(last(&stdout(&output)), "NOT REPAIRABLE");
    assert_eq!(output.status.code(), Some(10));
}
