//! `fencepost check` and `fencepost fences` on array-based systems: last lines, exit codes, complaints.

use crate::common::{fencepost, root, scratch, stdout};

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
    assert!(text.contains("The certificate (cubes: 8) was checked."), "{text}");
    let (text, _) = run(&["check", "examples/mutex-no-fence.cub"]);
    assert!(text.contains("enter(#2)  sees Flag[#1] = False (#1 has written True); At[#2] = Inside"), "{text}");
    assert!(text.contains("bad state: unsafe (line 11), with p = #1, q = #2"), "{text}");
    assert!(text.contains("still waiting: Flag[#2] = True in the buffer of #2"), "{text}");
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

/// Fences are shown as a change of the text; a guard that binds less than `&&` gets brackets.
#[test]
fn fences_are_a_patch() {
    let (text, code) = run(&["fences", "examples/mutex-no-fence.cub"]);
    assert_eq!(code, Some(0));
    assert!(text.contains("It is safe with this fence. Proved for any number of processes."), "{text}");
    assert!(text.contains("\n-requires { At[p] = Wants && forall_other q. Flag[q] = False }\n"), "{text}");
    assert!(text.contains("\n+requires { fence() && At[p] = Wants && forall_other q. Flag[q] = False }\n"), "{text}");
    let path = scratch("systems").join("or.cub");
    let system = "type t = A | B | C\narray P[proc] : t\nweak array F[proc] : bool\n\
                  init (p) { P[p] = A && F[p] = False }\nunsafe (p q) { P[p] = C && P[q] = C }\n\
                  transition want ([p]) { P[p] := B; F[p] := True }\ntransition enter ([p])\n\
                  requires { P[p] = B && forall_other q. F[q] = False || P[p] = C }\n{ P[p] := C }\n";
    std::fs::write(&path, system).expect("there is room for a file");
    let (text, _) = run(&["fences", &path.display().to_string()]);
    let guard = "+requires { fence() && (P[p] = B && forall_other q. F[q] = False || P[p] = C) }\n";
    assert!(text.contains(guard) && text.ends_with("\nFENCES 1 (cost 10)\n"), "{text}");
    let (text, code) = run(&["fences", "corpus/arrays/exchange-lost.cub"]);
    assert_eq!(code, Some(10));
    assert!(
        text.contains("This run is there with a fence in every transition") && text.contains("bad state"),
        "{text}"
    );
}

#[test]
fn what_is_wrong_is_refused() {
    assert_eq!(run(&["check", "examples/mutex.cub", "--model", "power-frame"]).1, Some(2), "it has no store buffers");
    assert_eq!(run(&["check", "examples/mutex.cub", "--model", "x86tso"]).1, Some(0), "it has");
    assert_eq!(run(&["check", "examples/mutex.cub", "--engine", "buffers"]).1, Some(1));
    let path = scratch("systems").join("bad.cub");
    std::fs::write(&path, "init () { X = 1 }").expect("there is room for a file");
    assert_eq!(run(&["check", &path.display().to_string()]).1, Some(2));
}

#[test]
fn the_certificate_is_written() {
    let path = scratch("systems").join("certificate.json");
    let name = path.display().to_string();
    assert_eq!(run(&["check", "examples/mutex.cub", "--certificate", &name]).1, Some(0));
    let text = std::fs::read_to_string(&path).expect("it was written");
    assert!(text.contains("\"kind\": \"system-certificate\""), "{text}");
    assert!(text.contains("#1 @ Flag[#2] = False") && text.contains("after the writes of #1"), "{text}");
}

#[test]
fn the_search_is_drawn() {
    let (text, code) = run(&["check", "examples/mutex-no-fence.cub", "--format", "dot"]);
    assert_eq!(code, Some(10));
    assert!(text.starts_with("digraph G {") && text.contains("n2 -> n1 [label=\"enter(#1)\", color=red"), "{text}");
    let (text, _) = run(&["check", "examples/mutex.cub", "--format", "svg"]);
    assert!(text.starts_with("<svg") && text.matches("class=\"cube\"").count() == 8, "{text}");
    let (text, _) = run(&["check", "examples/mutex-no-fence.cub", "--format", "html"]);
    assert!(text.contains("A run of 2 processes") && text.contains("class=\"search\""), "{text}");
    let (text, _) = run(&["fences", "examples/mutex-no-fence.cub", "--format", "json"]);
    assert!(text.contains("\"kind\": \"system-fences\"") && text.contains("\"transition\": \"enter\""), "{text}");
}
