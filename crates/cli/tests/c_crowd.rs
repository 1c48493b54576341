//! Any number of threads: what the engine `coherence` says about programs that start them, and what it must not say.

use crate::common::{fencepost, last, root, scratch};

fn says(file: &str, model: &str, more: &[&str]) -> String {
    let args = [&["check", file, "--model", model, "--timeout", "60", "--memory", "3000"], more].concat();
    last(&fencepost(&args).output().expect("the binary starts"))
}

/// What the engine `coherence` says about threads that are started by this code.
fn said(name: &str, work: &str, start: &str) -> String {
    let text = format!(
        "#include <assert.h>\n#include <fencepost.h>\n#include <pthread.h>\nint x, y, anything;\npthread_t last;\n\
         static void *work(void *arg) {{ {work} return arg; }}\n\
         int main(void) {{ pthread_t t, all[8]; {start} return 0; }}\n"
    );
    let file = scratch("crowd").join(format!("{name}.c"));
    std::fs::write(&file, text).expect("the folder can be written to");
    says(&file.display().to_string(), "sc", &["--engine", "coherence"])
}

/// Threads that somebody has to tell apart are told apart: there is an answer if they are few.
#[test]
fn threads_that_are_told_apart() {
    let all = "for (int i = 0; i < 6; i++) pthread_create(&all[i], 0, work, 0);";
    let join = "for (int i = 0; i < 6; i++) pthread_join(all[i], 0);";
    let count = "__sync_fetch_and_add(&x, 1);";
    assert_eq!(said("joined", count, &format!("{all} {join} assert(x == 6);")), "SAFE");
    assert_eq!(said("not-joined", count, &format!("{all} assert(x != 6);")), "UNSAFE");
    let who = "if (y) assert(last != pthread_self()); last = pthread_self(); y = 1;";
    assert_eq!(said("self", who, &format!("{all} {join}")), "SAFE");
    // What a thread of many writes is not its own.
    assert_eq!(said("own", "x = 1; y = x; x = 0; assert(y == 1);", &format!("{all} {join}")), "UNSAFE");
}

/// What crowds must not be said to be safe for. The first assignment is too much for threads that have numbers: so there
/// are crowds from the beginning, and nobody else finds the violation.
#[test]
fn crowds_that_are_not_safe() {
    let first = "anything = __VERIFIER_nondet_int();";
    let climb = |limit: usize| {
        let step = |old: usize| format!("if (__sync_bool_compare_and_swap(&x, {old}, {})) return 0;", old + 1);
        (0..limit).map(step).collect::<String>() + "assert(0);"
    };
    // Two threads that are there before a third one opens: no two of them show that.
    let meeting = "if (x) return 0; if (__sync_bool_compare_and_swap(&y, 0, 1)) { x = 1; return 0; }\
                   while (!x); FP_CRITICAL_BEGIN(); FP_CRITICAL_END();";
    let works = [
        ("climb-1", climb(1)),
        ("climb-2", climb(2)),
        ("climb-3", climb(3)),
        ("climb-4", climb(4)),
        ("climb-6", climb(6)),
        ("meeting", meeting.to_owned()),
        ("read-later", "x = 1; assert(x == 0);".to_owned()),
        ("not-its-own", "x = 1; y = x; x = 0; assert(y == 1);".to_owned()),
        ("stays-inside", "FP_CRITICAL_BEGIN(); while (1);".to_owned()),
        ("stops-inside", "FP_CRITICAL_BEGIN(); abort();".to_owned()),
        ("owner", "last = pthread_self(); assert(last == pthread_self());".to_owned()),
    ];
    for (name, work) in works {
        let last = said(name, &format!("{first} {work}"), "while (1) pthread_create(&t, 0, work, 0);");
        assert!(last.starts_with("UNKNOWN (line "), "{name}: {last}");
    }
    // What the first thread writes once, before anybody is known to read it: nobody comes to the write again.
    let once = format!("for (int i = 0;; i = 1) {{ pthread_create(&t, 0, work, 0); if (!i) {{ {first} x = 1; }} }}");
    let last_line = said("written-once", "assert(x == 0);", &once);
    assert!(last_line.starts_with("UNKNOWN (line "), "written-once: {last_line}");
    let safe = "if (__sync_bool_compare_and_swap(&x, 0, 1)) { y = 1; assert(y == 1); y = 0; x = 0; }";
    assert_eq!(said("safe", &format!("{first} {safe}"), "while (1) pthread_create(&t, 0, work, 0);"), "SAFE");
    let handles = root().join("corpus/c/crowd/handles.c").display().to_string();
    assert_eq!(says(&handles, "sc", &["--engine", "coherence"]), "UNSAFE");
}

/// Threads that start threads like themselves, without an end: engines that follow them say how far they came.
#[test]
fn threads_that_start_themselves() {
    let file = root().join("corpus/regressions/starts-itself.c").display().to_string();
    let says = |more: &[&str]| says(&file, "sc", more);
    assert_eq!(says(&["--engine", "partial-order", "--unwind", "3"]), "SAFE (unwind 3)");
    assert_eq!(says(&["--engine", "partial-order", "--unwind", "3", "-DFAILS=1"]), "UNSAFE");
    for engine in ["partial-order", "lazy"] {
        let last = says(&["--engine", engine, "--unwind", "20000"]);
        assert_eq!(last, "UNKNOWN (line 1: functions are nested too deeply)", "{engine}");
    }
    assert_eq!(says(&["--engine", "coherence"]), "SAFE");
    let last = says(&["--engine", "buffers"]);
    assert!(last.starts_with("UNKNOWN (more than "), "{last}");
}
