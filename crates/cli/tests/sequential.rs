//! The engine `lazy` on the classical programs of Tomasco et al. ("Lazy Sequentialization for TSO and PSO via Shared Memory
//! Abstractions", FMCAD 2016), and programs as sequential C.

use crate::common::{fencepost, root, scratch, stderr, stdout};
use std::path::Path;
use std::process::Command;
use testkit::corpus::{all_well, cases};

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
        let (last, code) = verdict(&[file, "--model", "sc", "--engine", "lazy", "--unwind", "2", "--rounds", "3"]);
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

/// Table I of the paper: six iterations need six rounds. Under PSO fewer of both, for the sake of time.
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

/// The C compiler, told to accept no warning.
fn compiler(args: &[&str]) -> Result<(), String> {
    let output = Command::new("cc").args(["-Wall", "-Werror", "-O1"]).args(args).output().expect("there is a compiler");
    if output.status.success() { Ok(()) } else { Err(stderr(&output)) }
}

#[test]
fn sequential_programs_compile_without_a_warning() {
    let folder = scratch("sequential");
    for (at, file) in EMITTED.into_iter().enumerate() {
        for model in ["sc", "tso", "pso"] {
            let name = |ending: &str| folder.join(format!("{at}-{model}.{ending}")).display().to_string();
            let (last, code) = verdict(&[file, "--model", model, "--unwind", "2", "--emit-c", &name("c")]);
            let answered = match &*last {
                "UNSAFE" => code == Some(10),
                "SAFE" => code == Some(0),
                _ => last.starts_with("SAFE (unwind ") && code == Some(5),
            };
            assert!(answered, "{file} under {model}: {last}, exit code {code:?}");
            let compiled = compiler(&["-c", &name("c"), "-o", &name("o")]);
            compiled.unwrap_or_else(|complaint| panic!("{file} under {model}: {complaint}"));
        }
    }
}

/// How many values variables begin with, and how many choices there are for anything else: units of a thread, or writes.
fn choices(text: &str) -> (usize, usize) {
    let values = text.lines().filter(|line| line.contains("= nondet() & 0x")).count();
    let units = text.lines().filter_map(|line| line.split_once("to <= ")?.1.strip_suffix(");")?.parse().ok());
    (values, 1 + units.max().unwrap_or(0).max(2))
}

/// Emits a program, runs it for all its choices, and compares: what is wrong, if anything is.
fn executed(file: &str, model: &str) -> Option<String> {
    let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = scratch("executed");
    let name = |ending: &str| folder.join(format!("{stem}-{model}.{ending}")).display().to_string();
    let mut args = vec![file, "--model", model, "--engine", "lazy", "--unwind", "1", "--rounds", "2"];
    if model != "sc" {
        args.extend(["--clock", "1", "--nodes", "2"]);
    }
    let emitted = name("c");
    args.extend(["--emit-c", &emitted]);
    let (last, _) = verdict(&args);
    let expected = match &*last {
        "UNSAFE" => 10,
        last if last == "SAFE" || last.starts_with("SAFE (rounds 2") => 0,
        _ => return Some(format!("{file} under {model}: {last}")),
    };
    let driver = root().join("crates/cli/tests/common/enumerate.c").display().to_string();
    let compiled = compiler(&["-c", "-Dmain=program", &emitted, "-o", &name("o")])
        .and_then(|()| compiler(&[&driver, &name("o"), "-o", &name("run")]));
    if let Err(complaint) = compiled {
        return Some(format!("{file} under {model}: {complaint}"));
    }
    let (values, choices) = choices(&std::fs::read_to_string(&emitted).expect("it was written"));
    let mut run = Command::new(name("run"));
    let output = run.args([values, choices, RUNS].map(|number| number.to_string())).output().expect("it starts");
    let code = output.status.code();
    (code != Some(expected)).then(|| format!("{file} under {model}: {last}, but its runs end with {code:?}"))
}

/// More runs than any of the programs has.
const RUNS: usize = 5_000_000;

/// Emitted programs reach their error for some choices exactly if the engine says so with the same bounds.
#[cfg(target_os = "linux")]
#[test]
fn sequential_programs_do_what_the_engine_says() {
    let mut files: Vec<String> = cases(&["corpus/litmus"], "litmus").into_iter().map(|case| case.file).collect();
    files.retain(|file| file.starts_with("corpus/litmus/x86-"));
    files.extend(["examples/store-buffering.c", "examples/message-passing.c"].map(str::to_owned));
    files.dedup();
    let tasks: Vec<(&str, &str)> =
        files.iter().flat_map(|file| ["sc", "tso", "pso"].map(|model| (&**file, model))).collect();
    all_well(&tasks, 69, |(file, model)| executed(file, model));
}

#[test]
fn several_models_do_not_become_c() {
    let path = scratch("sequential").join("none.c");
    let text = path.to_string_lossy().into_owned();
    let (_, code) = verdict(&["examples/dekker.c", "--model", "all", "--emit-c", &text]);
    assert_eq!(code, Some(1));
    assert!(!path.exists());
}
