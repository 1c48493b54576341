//! A tree that is printed and parsed again is the same tree.

mod common;

use common::{accepted, describe, on_large_stack, print};
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::Rng;

/// Prints, parses, prints.
fn round_trip(text: &str, name: &str) {
    let unit = c_syntax::parse(text, &[]).unwrap_or_else(|error| panic!("{name}:{}", describe(text, &error)));
    let printed = print::unit(&unit);
    let again = c_syntax::parse(&printed, &[])
        .unwrap_or_else(|error| panic!("{name}, printed: {}\n{printed}", describe(&printed, &error)));
    assert_eq!(print::unit(&again), printed, "{name}");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &Path, extension: &str, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, extension, out);
        } else if path.extension().is_some_and(|e| e == extension) {
            out.push(path);
        }
    }
}

/// What the compiler's preprocessor makes of a text.
fn preprocessed(arguments: &[&str], file: &Path) -> String {
    let output = Command::new("cc").arg("-E").args(arguments).arg(file).output().expect("a C compiler");
    assert!(output.status.success(), "{}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn all_programs_of_the_corpus() {
    let root = root();
    let mut paths = Vec::new();
    for folder in ["corpus/c", "examples", "crates/front-c/runtime", "crates/front-c/tests"] {
        files(&root.join(folder), "c", &mut paths);
    }
    assert!(paths.len() > 250, "only {} programs", paths.len());
    let include = root.join("crates/front-c/runtime/include");
    let include = format!("-I{}", include.display());
    on_large_stack(|| {
        for path in &paths {
            round_trip(&preprocessed(&["-DT=int", &include], path), &path.display().to_string());
        }
    });
}

#[test]
fn all_headers_of_the_system() {
    let headers = [
        "assert",
        "complex",
        "ctype",
        "dirent",
        "errno",
        "fcntl",
        "float",
        "inttypes",
        "limits",
        "locale",
        "math",
        "poll",
        "pthread",
        "regex",
        "sched",
        "search",
        "semaphore",
        "setjmp",
        "signal",
        "stdalign",
        "stdarg",
        "stdatomic",
        "stdbool",
        "stddef",
        "stdint",
        "stdio",
        "stdlib",
        "stdnoreturn",
        "string",
        "sys/mman",
        "sys/socket",
        "sys/stat",
        "sys/time",
        "sys/types",
        "sys/wait",
        "threads",
        "time",
        "ucontext",
        "unistd",
        "wchar",
        "wctype",
    ];
    let text: String =
        headers.iter().map(|name| format!("#if __has_include(<{name}.h>)\n#include <{name}.h>\n#endif\n")).collect();
    let file = std::env::temp_dir().join(format!("c-syntax-headers-{}.c", std::process::id()));
    std::fs::write(&file, text).expect("a file");
    let output = preprocessed(&["-D_GNU_SOURCE"], &file);
    std::fs::remove_file(&file).expect("it was there");
    assert!(output.len() > 50_000, "these are no headers");
    on_large_stack(|| round_trip(&output, "headers"));
}

/// An expression with the parentheses that its tree needs, and with all of them.
fn random_expression(random: &mut Rng, depth: usize) -> (String, u8, String) {
    let binary: &[(&str, u8)] = &[
        ("||", 4),
        ("&&", 5),
        ("|", 6),
        ("^", 7),
        ("&", 8),
        ("==", 9),
        ("!=", 9),
        ("<", 10),
        (">=", 10),
        ("<<", 11),
        (">>", 11),
        ("+", 12),
        ("-", 12),
        ("*", 13),
        ("/", 13),
        ("%", 13),
    ];
    let wrap = |text: String, own: u8, least: u8| if own < least { format!("({text})") } else { text };
    if depth == 0 {
        let atom = ["a", "b", "p", "f", "1", "0x2u", "'c'"][random.below(7)].to_owned();
        let shown = match &*atom {
            "'c'" => "'\\000\\000\\000\\143'".to_owned(),
            _ => atom.clone(),
        };
        return (atom, 17, shown);
    }
    let operand = |random: &mut Rng| random_expression(random, depth - 1);
    match random.below(8) {
        0..=3 => {
            let (word, own) = binary[random.below(binary.len())];
            let ((left, l, full_left), (right, r, full_right)) = (operand(random), operand(random));
            let text = format!("{} {word} {}", wrap(left, l, own), wrap(right, r, own + 1));
            (text, own, format!("({full_left} {word} {full_right})"))
        }
        4 => {
            let word = ["=", "+=", "<<=", "|="][random.below(4)];
            let ((left, l, full_left), (right, r, full_right)) = (operand(random), operand(random));
            (
                format!("{} {word} {}", wrap(left, l, 15), wrap(right, r, 2)),
                2,
                format!("({full_left} {word} {full_right})"),
            )
        }
        5 => {
            let ((c, cl, fc), (t, tl, ft), (e, el, fe)) = (operand(random), operand(random), operand(random));
            let text = format!("{} ? {} : {}", wrap(c, cl, 4), wrap(t, tl, 1), wrap(e, el, 3));
            (text, 3, format!("({fc} ? {ft} : {fe})"))
        }
        6 => {
            let (inner, own, full) = operand(random);
            let word = ["-", "!", "~", "*", "&", "(unsigned)"][random.below(6)];
            let shown = if word == "(unsigned)" { "( unsigned )" } else { word };
            (format!("{word} {}", wrap(inner, own, 15)), 15, format!("({shown}{full})"))
        }
        _ => {
            let ((inner, own, full), (index, _, full_index)) = (operand(random), operand(random));
            let inner = wrap(inner, own, 16);
            match random.below(4) {
                0 => (format!("{inner}[{index}]"), 16, format!("({full}[{full_index}])")),
                1 => (format!("{inner}->m"), 16, format!("({full}->m)")),
                2 => (format!("{inner}++"), 16, format!("({full}++)")),
                _ => {
                    let (argument, own, full_argument) = operand(random);
                    let argument = wrap(argument, own, 2);
                    (format!("{inner}({argument}, 1)"), 16, format!("({full}({full_argument}, 1))"))
                }
            }
        }
    }
}

#[test]
fn operators_bind_as_the_grammar_says() {
    let mut random = Rng::new(0x5eed_cafe);
    for _ in 0..3_000 {
        let depth = 1 + random.below(5);
        let (text, _, full) = random_expression(&mut random, depth);
        let program = format!("int a, b, *p, f(); int main() {{ {text}; }}");
        let printed = print::unit(&accepted(&program));
        assert!(printed.contains(&format!("\n{full};\n")), "{text}\n{full}\n{printed}");
    }
}

#[test]
fn declarators_read_from_the_inside_out() {
    let mut random = Rng::new(0xdec1);
    for _ in 0..2_000 {
        let mut declarator = "x".to_owned();
        for _ in 0..random.below(6) {
            declarator = match random.below(4) {
                0 => format!("*{declarator}"),
                1 => format!("({declarator})[3]"),
                2 => format!("({declarator})(int, char *y)"),
                _ => format!("* const ({declarator})"),
            };
        }
        round_trip(
            &format!("int {declarator}; int f(void) {{ return sizeof(int {}); }}", declarator.replace('x', "")),
            &declarator,
        );
    }
}
