//! `fencepost check` and `fencepost fences` on array-based systems: last lines, exit codes, complaints.

mod common;

use common::{fencepost, root, scratch, stdout};

fn run(args: &[&str]) -> (String, Option<i32>) {
    let output = fencepost(args).output().expect("fencepost starts");
    (stdout(&output), output.status.code())
}

fn last(text: &str) -> &str {
    text.trim_end().lines().last().unwrap_or_default()
}

#[test]
fn verdicts_and_exit_codes() {
    let cases: &[(&[&str], &str, i32)] = &[
        (&["check", "examples/mutex.cub"], "SAFE", 0),
        (&["check", "examples/mutex-no-fence.cub"], "UNSAFE", 10),
        (&["check", "examples/mutex-no-fence.cub", "--model", "sc"], "SAFE", 0),
        (&["check", "corpus/arrays/message.cub", "--model", "pso", "--engine", "parametric"], "UNSAFE", 10),
        (&["check", "corpus/arrays/cache.cub", "--brab", "2"], "SAFE", 0),
        (&["fences", "examples/mutex-no-fence.cub"], "FENCES 1 (cost 10)", 0),
        (&["fences", "corpus/arrays/lamport-no-fence.cub"], "FENCES 1 (cost 10)", 0),
        (&["fences", "corpus/arrays/dekker-no-fence.cub"], "FENCES 1 (cost 10)", 0),
        (&["fences", "examples/mutex.cub"], "NO FENCES NEEDED", 0),
        // Candidates are tried without being asked for.
        (&["check", "corpus/arrays/german.cub"], "SAFE", 0),
        (&["check", "corpus/arrays/arbiter1.cub", "--model", "pso"], "SAFE", 0),
        (&["fences", "corpus/arrays/exchange-lost.cub"], "NOT REPAIRABLE", 10),
    ];
    for (args, expected, code) in cases {
        let (text, found) = run(args);
        assert_eq!((last(&text), found), (*expected, Some(*code)), "{args:?}\n{text}");
    }
    let (text, _) = run(&["check", "examples/mutex.cub"]);
    assert!(text.contains("any number of processes"), "{text}");
    let (text, _) = run(&["check", "examples/mutex-no-fence.cub", "--format", "json"]);
    assert!(text.contains("\"verdict\": \"unsafe\"") && text.contains("\"enter(#1)\""), "{text}");
}

#[test]
fn a_repaired_text_is_safe() {
    let path = scratch("systems").join("repaired.cub");
    std::fs::copy(root().join("corpus/arrays/message.cub"), &path).expect("there is room for a copy");
    let name = path.display().to_string();
    assert_eq!(run(&["fences", &name, "--model", "pso", "--write"]).1, Some(0));
    assert_eq!(last(&run(&["check", &name, "--model", "pso"]).0), "SAFE");
}

#[test]
fn what_is_wrong_is_refused() {
    assert_eq!(run(&["check", "examples/mutex.cub", "--model", "power"]).1, Some(1));
    assert_eq!(run(&["check", "examples/mutex.cub", "--engine", "buffers"]).1, Some(1));
    let path = scratch("systems").join("bad.cub");
    std::fs::write(&path, "init () { X = 1 }").expect("there is room for a file");
    assert_eq!(run(&["check", &path.display().to_string()]).1, Some(2));
}
