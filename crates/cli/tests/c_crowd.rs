//! The programs in `corpus/c/crowd`, which start any number of threads: verdicts as their heads say, found by `check` without
//! options, and by the engine `coherence` alone what it can say.

mod common;

use common::{c_files, fencepost, root, scratch, stdout};

fn last(file: &str, model: &str, more: &[&str]) -> String {
    let args = [&["check", file, "--model", model, "--timeout", "60", "--memory", "3000"], more].concat();
    let output = fencepost(&args).output().expect("the binary starts");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    stdout(&output).lines().last().map_or(error, str::to_owned)
}

#[test]
fn verdicts_are_as_the_heads_say() {
    let mut runs = 0;
    for file in c_files(&root().join("corpus/c/crowd")) {
        let text = std::fs::read_to_string(&file).expect("the file was listed");
        let file = file.display().to_string();
        let mut check = |model: &str, definition: Option<&str>, expected: &str| {
            let more: Vec<&str> = definition.into_iter().collect();
            assert_eq!(last(&file, model, &more), expected, "{file} {model} {definition:?}");
            runs += 1;
        };
        for line in text.lines().map(|line| line.trim_start_matches([' ', '*'])) {
            if let Some((model, expected)) = line.strip_prefix("expect ").and_then(|rest| rest.split_once(": ")) {
                check(model, None, expected);
            } else if let Some((definition, rest)) = line.strip_prefix("with ").and_then(|rest| rest.split_once(": ")) {
                for item in rest.split(", ") {
                    let (model, expected) = item.split_once(' ').expect("a model and a verdict");
                    check(model, Some(definition), expected);
                }
            }
        }
    }
    assert_eq!(runs, 49);
}

/// What the engine `coherence` says about threads that are started by this code.
fn said(name: &str, work: &str, start: &str) -> String {
    let text = format!(
        "#include <assert.h>\n#include <pthread.h>\nint x, y;\npthread_t last;\n\
         static void *work(void *arg) {{ {work} return arg; }}\n\
         int main(void) {{ pthread_t t, all[8]; {start} return 0; }}\n"
    );
    let file = scratch("crowd").join(format!("{name}.c"));
    std::fs::write(&file, text).expect("the folder can be written to");
    last(&file.display().to_string(), "sc", &["--engine", "coherence"])
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
