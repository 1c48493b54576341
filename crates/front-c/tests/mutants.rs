//! Whatever the text, there is a program or a complaint, and it comes in good time.

mod common;

use front_c::{Options, parse};
use source::SourceFile;
use testkit::Rng;

const PROGRAMS: &[&str] = &[
    include_str!("programs/integers.c"),
    include_str!("programs/control.c"),
    include_str!("programs/memory.c"),
    include_str!("programs/functions.c"),
];

/// Parses; a program must keep the rules, a complaint must render.
fn survive(text: &str) -> bool {
    let file = SourceFile::new("t.i", text);
    match parse(&file, None, &Options::default()) {
        Ok(program) => {
            ir::validate(&program).unwrap_or_else(|error| panic!("{error}\n{text}"));
            true
        }
        Err(error) => {
            assert!(!error.render(false).is_empty());
            false
        }
    }
}

#[test]
fn texts_that_break_off_are_refused() {
    for text in PROGRAMS {
        let main = text.find("int main").expect("a main function");
        for end in (0..text.len()).step_by(97) {
            let accepted = survive(&text[..end]);
            assert!(!accepted || end > main, "a program without main is accepted: {end}");
        }
    }
}

#[test]
fn mutated_texts_give_a_program_or_a_complaint() {
    let mut random = Rng::new(0x5eed);
    let words = [
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        "*",
        "&",
        "&&",
        "=",
        "==",
        "?",
        ":",
        "->",
        ".",
        "...",
        "'",
        "\"",
        "#",
        "\\",
        "/*",
        "*/",
        "//",
        "0",
        "-1",
        "99999999999999999999",
        "1.5",
        "int",
        "void",
        "struct",
        "union",
        "enum",
        "static",
        "extern",
        "typedef",
        "_Atomic",
        "__thread",
        "return",
        "goto",
        "case",
        "default:",
        "if",
        "else",
        "for",
        "while",
        "do",
        "switch",
        "break",
        "sizeof",
        "main",
        "x",
        "\u{e9}",
        "\0",
        "__attribute__((",
        "__auto_type",
        "$",
    ];
    let mut refused = 0;
    for round in 0..400 {
        let text = PROGRAMS[round % PROGRAMS.len()];
        let mut tokens: Vec<&str> = text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_').collect();
        for _ in 0..=random.below(3) {
            let at = random.below(tokens.len());
            match random.below(4) {
                0 => {
                    tokens.remove(at);
                }
                1 => tokens.insert(at, words[random.below(words.len())]),
                2 => tokens[at] = words[random.below(words.len())],
                _ => {
                    let other = random.below(tokens.len());
                    tokens.swap(at, other);
                }
            }
        }
        refused += usize::from(!survive(&tokens.concat()));
    }
    assert!(refused > 50, "mutations that change nothing test nothing: {refused}");
}

#[test]
fn texts_that_are_no_text_are_refused() {
    let binary: String = (0u32..600).filter_map(|n| char::from_u32(n * 7 % 0x300)).collect();
    for text in
        ["", " ", "\0\0\0", "\"", "'", "/*", "#", "#include <stdio.h>\nint main(void) { return 0; }", "}", "{", &binary]
    {
        assert!(!survive(text), "{text:?}");
    }
}

#[test]
fn deeply_nested_texts_do_not_overflow_the_stack() {
    let body = |inside: String| {
        format!("int f(int x) {{ return x; }} int main(void) {{ int a = 0, b[3]; {inside} return 0; }}")
    };
    let nest =
        |open: &str, middle: &str, close: &str, n: usize| format!("{}{middle}{}", open.repeat(n), close.repeat(n));
    for n in [50, 390, 3_000, 100_000] {
        survive(&body(format!("a = {};", nest("(", "1", ")", n))));
        survive(&body(format!("a = {};", nest("f(", "1", ")", n))));
        survive(&body(format!("a = {};", nest("b[", "1", "]", n))));
        survive(&body(format!("a = {};", nest("({", "1", ";})", n))));
        survive(&body(format!("a = {};", nest("(a ? 1 : ", "1", ")", n))));
        survive(&body(format!("a = {} 1;", "- ".repeat(n))));
        survive(&body(format!("a = {} 1;", "!".repeat(n))));
        survive(&body(format!("a = 1 {};", "+ a".repeat(n))));
        survive(&body(format!("{} a = 1;", "if (a) ".repeat(n))));
        survive(&body(format!("{} a = 1;", "if (a) a = 2; else ".repeat(n))));
        survive(&body(format!("{} a = 1;", "a = ".repeat(n))));
        survive(&body(format!("a = {} 1;", "a ? a : ".repeat(n))));
        survive(&body(nest("{", ";", "}", n)));
        survive(&body(nest("while (a) {", ";", "}", n)));
        survive(&format!("int {} x; int main(void) {{ return 0; }}", "*".repeat(n)));
        survive(&format!("{} int main(void) {{ return 0; }}", nest("struct {", "int x;", "} y;", n)));
        survive(&format!("int x = {}; int main(void) {{ return x; }}", nest("{", "1", "}", n)));
    }
}
