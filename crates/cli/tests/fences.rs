//! `fencepost fences` on C programs: how many fences, that each of them is needed, and what becomes of the file.

use crate::common::{fencepost, root, scratch, stdout};
use std::path::{Path, PathBuf};

/// Programs, models, and the last line that is expected.
const EXPECTED: &[(&str, &str, &str)] = &[
    ("examples/store-buffering.c", "tso", "FENCES 2 (cost 20)"),
    ("examples/peterson.c", "tso", "FENCES 1 (cost 10)"),
    ("examples/peterson.c", "pso", "FENCES 3 (cost 16)"),
    ("examples/dekker.c", "tso", "FENCES 1 (cost 10)"),
    ("examples/dekker.c", "pso", "FENCES 2 (cost 13)"),
    ("examples/message-passing.c", "tso", "NO FENCES NEEDED"),
    ("examples/message-passing.c", "pso", "FENCES 1 (cost 3)"),
    ("examples/message-passing.c", "power-frame", "FENCES 2 (cost 15)"),
    ("examples/seqlock.c", "pso", "FENCES 2 (cost 6)"),
    ("examples/spsc-ring.c", "pso", "FENCES 1 (cost 3)"),
    ("examples/double-checked-locking.c", "pso", "FENCES 1 (cost 3)"),
    ("examples/treiber-stack.c", "pso", "NO FENCES NEEDED"),
    ("corpus/c/mutex-bakery.c", "tso", "FENCES 2 (cost 20)"),
    ("corpus/c/mutex-bakery.c", "pso", "FENCES 3 (cost 23)"),
    ("corpus/c/mutex-burns.c", "tso", "FENCES 2 (cost 20)"),
    ("corpus/c/mutex-burns.c", "pso", "FENCES 3 (cost 23)"),
    ("corpus/c/mutex-lamport-fast.c", "tso", "FENCES 2 (cost 20)"),
    ("corpus/c/mutex-szymanski.c", "tso", "FENCES 2 (cost 20)"),
    ("corpus/c/mutex-three-filter.c", "tso", "FENCES 1 (cost 10)"),
    ("corpus/c/mutex-three-filter.c", "pso", "FENCES 3 (cost 16)"),
    ("corpus/c/mutex-turn-only.c", "tso", "NO FENCES NEEDED"),
    ("corpus/c/mutex-turn-only.c", "pso", "FENCES 1 (cost 3)"),
    ("corpus/c/mutex-peterson-twice.c", "pso", "NO FENCES NEEDED"),
    ("corpus/c/mutex-peterson-wrong-order.c", "tso", "NOT REPAIRABLE"),
    ("corpus/c/mutex-bakery-no-choosing.c", "pso", "NOT REPAIRABLE"),
    ("corpus/c/linux-rcu.c", "pso", "FENCES 1 (cost 3)"),
    ("corpus/c/deque-chase-lev.c", "tso", "FENCES 1 (cost 10)"),
];

/// Four bugs that were published and mended in the projects that had them, with the options they need and the last line. Their authors made
/// one relaxed access a release or an acquire (cost 2), or put an acquire fence between two reads (cost 3).
const ARM: &[(&str, &[&str], &str)] = &[
    ("corpus/c/arm-mcslock.c", &["--property", "deadlock"], "FENCES 0 ORDERS 1 (cost 2)"),
    ("corpus/c/arm-ring.c", &[], "FENCES 0 ORDERS 1 (cost 2)"),
    ("corpus/c/arm-chase-lev.c", &[], "FENCES 0 ORDERS 1 (cost 2)"),
    ("corpus/c/arm-seqlock.c", &[], "FENCES 1 (cost 3)"),
];

/// The last line and the exit code.
fn run(args: &[&str]) -> (String, Option<i32>, String) {
    let output = fencepost(args).output().expect("the binary starts");
    let text = stdout(&output);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    (text.lines().last().unwrap_or_default().to_owned(), output.status.code(), text + &error)
}

/// A copy of a program that may be changed.
fn copy(file: &str, model: &str) -> PathBuf {
    let name = Path::new(file).file_name().expect("a file").to_string_lossy().into_owned();
    let path = scratch("fences").join(format!("{model}-{name}"));
    std::fs::copy(root().join(file), &path).expect("the target folder can be written to");
    path
}

/// The lines of `new` that `old` does not have, by their numbers in `new`; nothing is changed besides.
fn added(old: &str, new: &str) -> Vec<usize> {
    let mut rest = old.lines().peekable();
    (0..new.lines().count()).filter(|&at| rest.next_if(|line| Some(*line) == new.lines().nth(at)).is_none()).collect()
}

#[test]
fn c_programs_get_the_fences_they_need_and_no_more() {
    let mut removed = 0;
    for (file, model, expected) in EXPECTED {
        let path = copy(file, model);
        let name = path.display().to_string();
        let before = std::fs::read_to_string(&path).expect("a text");
        let (last, code, text) = run(&["fences", &name, "--model", model, "--write"]);
        assert_eq!(last, *expected, "{file} under {model}\n{text}");
        assert_eq!(code, Some(if *expected == "NOT REPAIRABLE" { 10 } else { 0 }), "{file} under {model}\n{text}");
        let after = std::fs::read_to_string(&path).expect("a text");
        let lines = added(&before, &after);
        let Some(count) = expected.strip_prefix("FENCES ").and_then(|rest| rest.split(' ').next()) else {
            assert_eq!(before, after, "{file} under {model} is left alone");
            continue;
        };
        assert_eq!(lines.len().to_string(), count, "{file} under {model}: a line for each\n{after}");
        let (last, code, text) = run(&["check", &name, "--model", model]);
        assert_eq!((&*last, code), ("SAFE", Some(0)), "{file} under {model}\n{text}");
        for line in lines {
            let without: Vec<&str> = after.lines().enumerate().filter(|(at, _)| *at != line).map(|(_, l)| l).collect();
            std::fs::write(&path, without.join("\n")).expect("the target folder can be written to");
            let (last, ..) = run(&["check", &name, "--model", model]);
            assert_eq!(last, "UNSAFE", "{file} under {model} without line {}:\n{after}", line + 1);
            removed += 1;
        }
    }
    assert!(removed > 30, "{removed} fences were left out");
}

#[test]
fn published_bugs_of_arm_get_repairs_that_cost_as_much_as_their_fixes() {
    for (file, options, expected) in ARM {
        let file = root().join(file).to_string_lossy().into_owned();
        let args = [&["fences", &*file, "--model", "aarch64"], *options].concat();
        let (last, code, text) = run(&args);
        assert_eq!((&*last, code), (*expected, Some(0)), "{text}");
    }
}

fn program(name: &str, text: &str) -> String {
    let path = scratch("fences").join(name);
    std::fs::write(&path, text).expect("the target folder can be written to");
    path.display().to_string()
}

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\nint x, y, a, b;\n";
const TAIL: &str = "int main(void)\n{\n    pthread_t s, t;\n    pthread_create(&s, 0, left, 0);\n    pthread_create(&t, 0, right, 0);\n    \
                    pthread_join(s, 0);\n    pthread_join(t, 0);\n    assert(a || b);\n    return 0;\n}\n";

#[test]
fn fences_go_where_the_text_has_room() {
    let left = "void *left(void *u) {\n  if (!u)\n    x = 1;\n  a = y; return 0;\n}\n";
    let right =
        "#define STORE y = 1\nvoid *right(void *u) { for (int i = 0; i < 1; i++) STORE;\n  b = x; return 0; }\n";
    let file = program("room.c", &format!("{HEAD}{left}{right}{TAIL}"));
    let (last, code, text) = run(&["fences", &file, "--model", "tso"]);
    assert_eq!((&*last, code), ("FENCES 2 (cost 20)", Some(0)), "{text}");
    let (_, _, diff) = run(&["fences", &file, "--model", "tso", "--diff"]);
    assert_eq!(diff.matches("\n+").count(), 3, "two lines and the head\n{diff}");
}

#[test]
fn headers_get_fences_too() {
    let left = "#define STORE(v) v = 1\nstatic void *left(void *u) { STORE(x); a = y; return 0; }\n";
    let right = "static void *right(void *u) { y = 1; b = x; return 0; }\n";
    let first = program("left.h", &format!("{left}#include \"right.h\"\n"));
    let second = program("right.h", right);
    let file = program("header.c", &format!("{HEAD}#include \"left.h\"\n{TAIL}"));
    let (last, code, text) = run(&["fences", &file, "--model", "tso"]);
    assert_eq!((&*last, code), ("FENCES 2 (cost 20)", Some(0)), "{text}");
    assert!(text.contains("after left.h:2, `STORE(x);`  keeps left.h:2 before left.h:2"), "{text}");
    let (_, _, diff) = run(&["fences", &file, "--model", "tso", "--diff"]);
    assert!(diff.starts_with(&format!("--- {first}\n")) && diff.contains(&format!("\n--- {second}\n")), "{diff}");
    let before = std::fs::read_to_string(&file).expect("a text");
    run(&["fences", &file, "--model", "tso", "--write"]);
    assert_eq!(std::fs::read_to_string(&file).expect("a text"), before, "nothing goes into the program itself");
    for (path, statement) in [(first, "STORE(x); __atomic"), (second, "y = 1; __atomic")] {
        let text = std::fs::read_to_string(path).expect("a text");
        assert!(text.contains(statement), "{text}");
    }
    assert_eq!(run(&["check", &file, "--model", "tso"]).0, "SAFE");
}

/// One fence in `load`, before the second call of it or where it is known that it is needed: the latter costs a program the least.
#[test]
fn of_equal_repairs_the_one_that_is_executed_least_is_proposed() {
    let text = "#include <assert.h>\n#include <pthread.h>\nint data, ready;\n\
                static int load(int *from)\n{\n    int value = __atomic_load_n(from, __ATOMIC_RELAXED);\n    return value;\n}\n\
                static int seen(void)\n{\n    if (load(&ready))\n        return 1;\n    return 0;\n}\n\
                static void *reader(void *unused)\n{\n    int is_ready = seen();\n    assert(load(&data) || !is_ready);\n    return unused;\n}\n\
                int main(void)\n{\n    pthread_t thread;\n    pthread_create(&thread, 0, reader, 0);\n    \
                __atomic_store_n(&data, 1, __ATOMIC_RELAXED);\n    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);\n    \
                pthread_join(thread, 0);\n    return 0;\n}\n";
    let file = program("rarest.c", text);
    let (last, code, text) = run(&["fences", &file, "--model", "ppc", "--kinds", "light"]);
    assert_eq!((&*last, code), ("FENCES 1 (cost 5)", Some(0)), "{text}");
    assert!(text.contains("before line 12, `return 1;`"), "{text}");
}

#[test]
fn what_is_in_a_macro_is_left_alone() {
    let both = "#define BOTH(v, r, w) v = 1; r = w;\nvoid *left(void *u) { BOTH(x, a, y) return 0; }\n\
                void *right(void *u) { BOTH(y, b, x) return 0; }\n";
    let in_macro = program("macro.c", &format!("{HEAD}{both}{TAIL}"));
    let (last, code, text) = run(&["fences", &in_macro, "--model", "tso"]);
    assert_eq!((&*last, code), ("NOT REPAIRABLE", Some(10)), "{text}");
    assert!(text.contains("places of the text with room for them do not help"), "{text}");
}

#[test]
fn preprocessed_texts_get_numbers() {
    let types = "typedef unsigned long pthread_t;\nint pthread_create(pthread_t *, void *, void *(*)(void *), void *);\n\
                 int pthread_join(pthread_t, void **);\nvoid reach_error(void);\nint x, y, a, b;\n";
    let threads = "void *left(void *u) { x = 1; a = y; return 0; }\nvoid *right(void *u) { y = 1; b = x; return 0; }\n";
    let text = format!("{types}{threads}{TAIL}").replace("assert(a || b)", "if (!a && !b) reach_error()");
    let file = program("plain.i", &text);
    let (last, code, text) = run(&["fences", &file, "--model", "tso", "--write"]);
    assert_eq!((&*last, code), ("FENCES 2 (cost 20)", Some(0)), "{text}");
    let after = std::fs::read_to_string(&file).expect("a text");
    assert!(after.contains("x = 1; __atomic_thread_fence(5); a = y;"), "{after}");
}

#[test]
fn a_bound_is_said() {
    let file = root().join("corpus/c/mutex-dijkstra.c").display().to_string();
    let args = ["fences", &file, "--model", "tso", "--unwind", "2", "--engine", "partial-order"];
    let (last, code, text) = run(&args);
    assert_eq!((&*last, code), ("FENCES 1 (cost 10, unwind 2)", Some(5)), "{text}");
}

#[test]
fn one_model_at_a_time_changes_a_file() {
    let file = copy("examples/dekker.c", "both").display().to_string();
    let (_, code, text) = run(&["fences", &file, "--model", "tso", "--model", "pso", "--write"]);
    assert_eq!(code, Some(1), "{text}");
    let (last, code, text) = run(&["fences", &file, "--model", "tso", "--model", "pso"]);
    assert_eq!((&*last, code), ("FENCES 2 (cost 13)", Some(0)), "{text}");
    assert!(text.contains("\nFENCES 1 (cost 10)\n"), "{text}");
}
