//! Damaged and unreasonable C files: an error or a verdict, never a crash, never a hang.

use crate::common::{fencepost, last, scratch, stderr};
use std::path::Path;
use std::process::Output;
use testkit::c::{Config, generate};
use testkit::corpus::files;
use testkit::{Rng, damaged};

fn check(path: &Path, timeout: &str) -> Output {
    let file = path.display().to_string();
    let args = ["check", &*file, "--model", "tso", "--unwind", "2", "--timeout", timeout];
    fencepost(&args).output().expect("the binary starts")
}

/// What is wrong with how the binary ended, if anything is. A panic anywhere, the front end's included, is exit 6.
fn complaint(output: &Output) -> Option<String> {
    let (code, error) = (output.status.code(), stderr(output));
    let fine = matches!(code, Some(0 | 10 | 5 | 2)) && !error.contains("please report");
    (!fine).then(|| format!("ended with {code:?}: {}", error.lines().next().unwrap_or_default()))
}

/// Runs on a text; gives the exit code and what went to the standard error.
fn run(name: &str, text: impl AsRef<[u8]>, timeout: &str) -> (Option<i32>, String) {
    let path = scratch("c-bad-input").join(name);
    std::fs::write(&path, text).expect("the file can be written");
    let output = check(&path, timeout);
    assert_eq!(complaint(&output), None, "{name}");
    (output.status.code(), stderr(&output))
}

#[test]
fn damaged_programs_give_an_error_or_a_verdict() {
    let files = files(&["corpus/c", "examples"], "c");
    let sources: Vec<String> = files.iter().map(|f| std::fs::read_to_string(f).expect("it was listed")).collect();
    assert!(sources.len() >= 100, "the corpus is there");
    let mut rng = Rng::new(3);
    let folder = scratch("c-mutants");
    let (mut complaints, mut refused) = (Vec::new(), 0);
    for number in 0..300 {
        let text = match number % 3 {
            0 => generate(&mut rng, &Config::default()),
            _ => rng.pick(&sources).clone(),
        };
        let path = folder.join(format!("{number}.c"));
        std::fs::write(&path, damaged(text.as_bytes(), number, &mut rng)).expect("the mutant can be written");
        let output = check(&path, "3");
        refused += usize::from(output.status.code() == Some(2));
        complaints.extend(complaint(&output).map(|what| format!("{}: {what}", path.display())));
    }
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    println!("{refused} of 300 mutants are refused");
    assert!(refused >= 50, "only {refused} of 300 mutants are refused");
}

#[test]
fn what_is_no_program_is_refused() {
    for (name, text) in [
        ("empty.c", &b""[..]),
        ("empty.i", b""),
        ("junk.c", b"\x00\xff\xfe\x80\x00\x01int\x00"),
        ("junk.i", b"\x7fELF\x02\x01\x01\x00\xff\xff\xff\xff"),
        ("open-comment.c", b"int main(void) { return 0; } /* and so on"),
        ("open-string.i", b"char *s = \"and so on\nint main(void) { return 0; }\n"),
        ("no-main.c", b"int f(void) { return 0; }\n"),
        ("main-is-a-number.c", b"int main = 0;\n"),
        ("no-header.c", b"#include <there-is-no-such-header.h>\nint main(void) { return 0; }\n"),
        ("own-header.c", b"#include \"own-header.c\"\nint main(void) { return 0; }\n"),
        ("half.i", b"# 1 \"half.c\"\nint main(void) { if (1) {"),
    ] {
        let (code, error) = run(name, text, "10");
        assert_eq!(code, Some(2), "{name}: {error}");
        assert!(!error.trim().is_empty(), "{name}: no word of explanation");
    }
}

#[test]
fn the_missing_header_is_named() {
    let (_, error) = run("missing.c", "#include \"missing-part.h\"\nint main(void) { return 0; }\n", "10");
    assert!(error.contains("missing-part.h"), "{error}");
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let many = 20_000;
    let (open, close) = ("(".repeat(many), ")".repeat(many));
    run("parentheses.i", format!("int x;\nint main(void) {{ x = {open}1{close}; return 0; }}\n"), "10");
    let (open, close) = ("{".repeat(many), "}".repeat(many));
    run("braces.i", format!("int main(void) {{ {open}{close} return 0; }}\n"), "10");
    run("not.i", format!("int main(void) {{ return {}1; }}\n", "!".repeat(many)), "10");
    run("stars.i", format!("int main(void) {{ int {}p; return 0; }}\n", "*".repeat(many)), "10");
    let sum = "1 + ".repeat(many);
    run("sum.i", format!("int main(void) {{ return {sum}1; }}\n"), "10");
    let (open, close) = ("if (x) {".repeat(2000), "}".repeat(2000));
    run("ifs.i", format!("int x;\nint main(void) {{ {open}{close} return 0; }}\n"), "10");
    let (open, close) = ("struct { ".repeat(500), " x; }".repeat(500));
    run("structures.i", format!("{open}int a;{close} s;\nint main(void) {{ return 0; }}\n"), "10");
}

#[test]
fn endless_recursion_and_large_objects_end() {
    run("recursion.i", "int f(int n) { return f(n + 1); }\nint main(void) { return f(0); }\n", "5");
    run("array.i", "int a[100000000];\nint main(void) { a[99999999] = 1; return a[5]; }\n", "10");
    run("negative.i", "int a[-5];\nint main(void) { return a[0]; }\n", "10");
    run("shift.i", "int main(void) { return 1 << 99; }\n", "10");
    run("number.i", "int main(void) { return 99999999999999999999999999; }\n", "10");
    run("zero.i", "int a[1 / 0];\nint main(void) { return a[0]; }\n", "10");
}

#[test]
fn a_long_file_is_read() {
    let mut text = String::from("int x;\nvoid assert(int);\n");
    for number in 0..12_500 {
        text += &format!("int f{number}(int a) {{\n    x = a + {number};\n    return x;\n}}\n");
    }
    text += "int main(void) {\n    f1(1);\n    assert(x == 2);\n    return 0;\n}\n";
    assert!(text.lines().count() > 50_000);
    // Whoever needs more than linear time for it does not come to an end here.
    assert_eq!(run("long.i", &text, "300"), (Some(0), String::new()));
}

#[test]
fn limits_are_kept_while_a_large_formula_is_built() {
    let mut text = String::from("#include <pthread.h>\n#include <assert.h>\nint g[100];\n");
    let (count, mut calls) = (5_000, String::new());
    for n in 0..count {
        let (read, add) = (n * 7 % 100, n * 3 % 100);
        let body =
            format!("    int r = a;\n    g[{}] = r + {n};\n    if (g[{read}] > a)\n        r += g[{add}];", n % 100);
        text += &format!("static int f{n}(int a)\n{{\n{body}\n    return r;\n}}\n\n");
        calls += &format!("    r += f{n}(r);\n");
    }
    text +=
        &format!("static void *t(void *p)\n{{\n    int r = 0;\n{calls}    assert(r != 12345);\n    return 0;\n}}\n");
    text +=
        "int main(void)\n{\n    pthread_t a, b;\n    pthread_create(&a, 0, t, 0);\n    pthread_create(&b, 0, t, 0);\n";
    text += "    pthread_join(a, 0);\n    pthread_join(b, 0);\n    return 0;\n}\n";
    let path = scratch("c-bad-input").join("formula.c");
    std::fs::write(&path, text).expect("the file can be written");
    let file = path.display().to_string();
    for (option, value, said) in
        [("--timeout", "1", "timeout after 1 s"), ("--memory", "150", "memory limit of 150 MiB")]
    {
        let output = fencepost(&["check", &file, "--model", "tso", option, value]).output().expect("the binary starts");
        let last = last(&output);
        assert!(last.starts_with("UNKNOWN (") && last.contains(said), "{option}: {last}");
        assert_eq!(output.status.code(), Some(5));
    }
}
