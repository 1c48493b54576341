//! The engine `lazy` on the classical programs of paper 001, and programs as sequential C.

mod common;

use common::{fencepost, root, scratch, stdout};
use std::process::Command;

/// The last line that `check` prints.
fn verdict(args: &[&str]) -> (String, Option<i32>) {
    let output = fencepost(&[&["check"], args].concat()).output().expect("the binary runs");
    (stdout(&output).lines().last().unwrap_or_default().to_owned(), output.status.code())
}

/// Mutual exclusions that store buffers break.
const BROKEN: [&str; 6] = [
    "examples/dekker.c",
    "examples/peterson.c",
    "corpus/c/mutex-lamport-fast.c",
    "corpus/c/mutex-szymanski.c",
    "corpus/c/parker.c",
    "corpus/c/stack-claims.c",
];

#[test]
fn two_rounds_break_what_store_buffers_break() {
    for file in BROKEN {
        for model in ["tso", "pso"] {
            let (last, code) = verdict(&[file, "--model", model, "--engine", "lazy", "--unwind", "2"]);
            assert_eq!((&*last, code), ("UNSAFE", Some(10)), "{file} under {model}");
        }
    }
}

#[test]
fn explicit_queues_break_the_same() {
    for file in BROKEN {
        for model in ["tso", "pso"] {
            let args = [file, "--model", model, "--engine", "lazy", "--unwind", "2", "--queues", "explicit"];
            assert_eq!(verdict(&args), ("UNSAFE".to_owned(), Some(10)), "{file} under {model}");
        }
    }
    let bounds = ["--unwind", "3", "--rounds", "2", "--clock", "1", "--nodes", "2", "--queues", "explicit"];
    let args = [&["examples/fib.c", "-DN=3", "--model", "tso", "--engine", "lazy"], &bounds[..]].concat();
    assert_eq!(verdict(&args), ("SAFE (rounds 2, arrivals 1, queues 2)".to_owned(), Some(5)));
}

/// Small values come first, and then all others: what needs large ones is found too.
#[test]
fn a_small_width_leaves_nothing_out() {
    let path = scratch("sequential").join("width.c");
    let text = "#include <assert.h>\n#include <pthread.h>\nint x, y;\nint __VERIFIER_nondet_int(void);\n\
        void *other(void *unused) { x = __VERIFIER_nondet_int(); y = 1; return 0; }\n\
        int main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, other, 0);\n    \
        if (y == 1) { assert(x != WANTED); }\n    return 0;\n}\n";
    std::fs::write(&path, text).expect("the program can be written");
    let path = path.to_string_lossy().into_owned();
    for (wanted, large) in [("3", false), ("-4", false), ("300", true)] {
        let define = format!("-DWANTED={wanted}");
        let args = ["check", &path, &define, "--model", "tso", "--engine", "lazy", "--int-width", "4", "--progress"];
        let output = fencepost(&args).output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(10), "{wanted}: {}", stdout(&output));
        let progress = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(progress.contains("nothing in 4 bits"), large, "{wanted}: {progress}");
    }
    let args = ["examples/message-passing.c", "--model", "tso", "--engine", "lazy", "--int-width", "1"];
    assert_eq!(verdict(&args), ("SAFE".to_owned(), Some(0)));
}

#[test]
fn more_addresses_than_allowed_are_refused() {
    let path = scratch("sequential").join("addresses.c");
    let text = "#include <assert.h>\n#include <pthread.h>\nint a[3], n;\n\
        void *other(void *unused) { a[n] = 1; return 0; }\n\
        int main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, other, 0);\n    n = 2;\n    \
        assert(a[2] == 0);\n    return 0;\n}\n";
    std::fs::write(&path, text).expect("the program can be written");
    let path = path.to_string_lossy().into_owned();
    let run = |limit: &str| {
        let args = ["check", &path, "--model", "tso", "--engine", "lazy", "--addresses", limit];
        let output = fencepost(&args).output().expect("the binary runs");
        (stdout(&output), output.status.code())
    };
    let (said, code) = run("2");
    assert_ne!(code, Some(0), "{said}");
    assert!(said.contains("3 locations can be written through pointers"), "{said}");
    assert_eq!(run("3").1, Some(10));
}

#[test]
fn what_is_bounded_says_so_and_does_not_exit_with_zero() {
    for file in BROKEN {
        let (last, code) = verdict(&[file, "--engine", "lazy", "--unwind", "2", "--rounds", "3"]);
        assert_eq!((&*last, code), ("SAFE (rounds 3)", Some(5)), "{file}");
    }
    let bounds = ["--unwind", "3", "--rounds", "2", "--clock", "2", "--nodes", "2"];
    let args = [&["examples/fib.c", "-DN=3", "--model", "tso", "--engine", "lazy"], &bounds[..]].concat();
    assert_eq!(verdict(&args), ("SAFE (rounds 2, clock 2, nodes 2)".to_owned(), Some(5)));
    // Writes that are on their way are no reason for another turn.
    let args = ["examples/store-buffering.c", "--model", "tso", "--engine", "lazy", "--rounds", "1"];
    assert_eq!(verdict(&args), ("UNSAFE".to_owned(), Some(10)));
}

#[test]
fn the_race_has_a_winner() {
    let (last, code) = verdict(&["examples/dekker.c", "--model", "tso", "--engine", "race"]);
    assert_eq!((&*last, code), ("UNSAFE", Some(10)));
    let (last, code) = verdict(&["examples/message-passing.c", "--model", "tso", "--engine", "race"]);
    assert_eq!((&*last, code), ("SAFE", Some(0)));
}

/// Table I of paper 001: six iterations need six rounds. Under PSO fewer of both, for the sake of time.
#[test]
fn fibonacci_needs_a_round_for_each_iteration() {
    for (model, count) in [("tso", "6"), ("pso", "4")] {
        let define = format!("-DN={count}");
        let bounds = ["--unwind", count, "--rounds", count, "--clock", "2", "--nodes", "2"];
        let args = [&["examples/fib.c", &*define, "--model", model, "--engine", "lazy"], &bounds[..]].concat();
        let safe = format!("SAFE (rounds {count}, clock 2, nodes 2)");
        assert_eq!(verdict(&args), (safe, Some(5)), "{model}");
        let args = [&args[..], &["-DUNSAFE"]].concat();
        assert_eq!(verdict(&args), ("UNSAFE".to_owned(), Some(10)), "{model}");
    }
}

/// Table II, with one thread more than the example has by itself; what is found is replayed as it is, at full width.
#[test]
fn four_threads_break_the_safe_stack() {
    let (last, code) = verdict(&["examples/safestack.c", "-DTHREADS=4", "--model", "pso", "--timeout", "100"]);
    assert_eq!((&*last, code), ("UNSAFE", Some(10)));
}

#[test]
fn a_sample_of_the_shared_litmus_tests() {
    let folder = root().join("../shared/corpus/litmus");
    let Ok(table) = std::fs::read_to_string(folder.join("verdicts.csv")) else {
        println!("skipped: there is no shared corpus beside the repository");
        return;
    };
    let folder = folder.canonicalize().expect("the folder exists");
    let mut checked = 0;
    for model in ["sc", "tso", "pso"] {
        let rows = table.lines().map(|row| row.split(',').collect::<Vec<_>>());
        let of_model = |row: &Vec<&str>| row.len() > 2 && row[0].starts_with("X86/") && row[1] == model;
        let rows: Vec<Vec<&str>> = rows.filter(of_model).step_by(16).collect();
        let list = scratch("sequential").join(format!("{model}.list"));
        let lines: Vec<String> = rows.iter().map(|row| folder.join(row[0]).display().to_string()).collect();
        std::fs::write(&list, lines.join("\n")).expect("the list can be written");
        let list = format!("@{}", list.display());
        let args = ["litmus", &list, "--model", model, "--engine", "lazy", "--format", "csv", "--jobs", "2"];
        let text = stdout(&fencepost(&args).output().expect("the binary starts"));
        assert_eq!(text.lines().count(), rows.len() + 1, "{model}: a line for each test");
        for (line, row) in text.lines().skip(1).zip(&rows) {
            checked += 1;
            assert!(line.ends_with(&format!("{},{model},{}", row[0], row[2])), "{line}, expected {}", row[2]);
        }
    }
    assert!(checked > 150, "only {checked} verdicts were compared");
}

/// Programs that become sequential C.
const EMITTED: [&str; 14] = [
    "examples/dekker.c",
    "examples/peterson.c",
    "examples/fib.c",
    "examples/message-passing.c",
    "examples/mutex-counter.c",
    "examples/treiber-stack.c",
    "examples/seqlock.c",
    "examples/spsc-ring.c",
    "corpus/c/parker.c",
    "corpus/c/language-types.c",
    "examples/sb.litmus",
    "examples/peterson.litmus",
    "examples/2+2w.litmus",
    "examples/mp-c11.litmus",
];

#[test]
fn sequential_programs_compile_without_a_warning() {
    let folder = scratch("sequential");
    for (at, file) in EMITTED.into_iter().enumerate() {
        for model in ["sc", "tso", "pso"] {
            let path = folder.join(format!("{at}-{model}.c"));
            let text = path.to_string_lossy().into_owned();
            let (last, _) = verdict(&[file, "--model", model, "--unwind", "2", "--emit-c", &text]);
            assert!(last.contains("SAFE"), "{file} under {model}: {last}");
            let object = path.with_extension("o");
            let mut compiler = Command::new("cc");
            compiler.args(["-Wall", "-Werror", "-c"]).arg(&path).arg("-o").arg(&object).current_dir(root());
            let output = compiler.output().expect("there is a C compiler");
            let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{file} under {model}: {complaint}");
        }
    }
}

#[test]
fn several_models_do_not_become_c() {
    let path = scratch("sequential").join("none.c");
    let text = path.to_string_lossy().into_owned();
    let (_, code) = verdict(&["examples/dekker.c", "--model", "all", "--emit-c", &text]);
    assert_eq!(code, Some(1));
    assert!(!path.exists());
}
