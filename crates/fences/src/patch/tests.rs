use super::*;
use crate::kinds::{Kind, Spelling};
use ir::{BlockId, FunctionId, Seam};

/// A fence at a place; nothing but place and spelling counts for a patch.
fn fence(place: Place, text: &'static str) -> Fence {
    let seam = Seam { function: FunctionId(0), block: BlockId(0), index: 0, place };
    Fence { seam, spelling: Spelling { kind: Kind::Full, text, tag: "SC" }, cost: 1, orders: Vec::new() }
}

fn span(text: &str, what: &str) -> Span {
    let at = text.find(what).expect("it is there");
    Span::new(at, at + what.len())
}

fn after(text: &str, what: &str, braces: bool) -> Fence {
    fence(Place::After { statement: span(text, what), braces }, "F();")
}

fn before(text: &str, what: &str, braces: bool) -> Fence {
    fence(Place::Before { statement: span(text, what), braces }, "F();")
}

fn patched(text: &str, fences: &[Fence]) -> String {
    patch(&SourceFile::new("t.c", text), fences, &[], 2).text
}

/// Applies a unified diff as `patch` does, trusting nothing but the diff.
fn apply(text: &str, diff: &str) -> String {
    let old: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut out, mut at) = (String::new(), 0);
    let mut lines = diff.split_inclusive('\n').skip(2).peekable();
    while let Some(head) = lines.next() {
        let numbers = head.strip_prefix("@@ -").expect("a hunk").split(' ').next().expect("the old side");
        let (start, size) = numbers.split_once(',').unwrap_or((numbers, "1"));
        let (start, size): (usize, usize) = (start.parse().expect("a line"), size.parse().expect("a size"));
        let first = if size == 0 { start } else { start - 1 };
        old[at..first].iter().for_each(|line| out.push_str(line));
        at = first;
        while let Some(line) = lines.next_if(|line| !line.starts_with("@@")) {
            let cut = lines.next_if(|next| next.starts_with('\\')).is_some();
            let body = if cut { line[1..].trim_end_matches('\n') } else { &line[1..] };
            match &line[..1] {
                "+" => out.push_str(body),
                sign => {
                    assert_eq!(old[at], body, "the old text is as the diff says");
                    out.push_str(if sign == " " { body } else { "" });
                    at += 1;
                }
            }
        }
        assert_eq!(at, first + size, "the hunk is as long as it says");
    }
    old[at..].iter().for_each(|line| out.push_str(line));
    out
}

#[test]
fn a_statement_gets_a_line_of_its_own() {
    let text = "a;\n  x = 1;\n  y = 2;\n";
    assert_eq!(patched(text, &[after(text, "x = 1;", false)]), "a;\n  x = 1;\n  F();\n  y = 2;\n");
    assert_eq!(patched(text, &[before(text, "x = 1;", false)]), "a;\n  F();\n  x = 1;\n  y = 2;\n");
}

#[test]
fn a_comment_stays_with_its_statement() {
    let text = "  x = 1; // one\n  y = 2; /* two */\n  z = 3; /* three\n */\n";
    let fences = [after(text, "x = 1;", false), after(text, "y = 2;", false), after(text, "z = 3;", false)];
    let expected = "  x = 1; // one\n  F();\n  y = 2; /* two */\n  F();\n  z = 3; F(); /* three\n */\n";
    assert_eq!(patched(text, &fences), expected);
}

#[test]
fn several_statements_share_a_line() {
    let text = "{ x = 1; y = 2; }\n";
    assert_eq!(patched(text, &[after(text, "x = 1;", false)]), "{ x = 1; F(); y = 2; }\n");
    assert_eq!(patched(text, &[before(text, "y = 2;", false)]), "{ x = 1; F(); y = 2; }\n");
}

#[test]
fn bodies_without_braces_get_them_once() {
    let text = "if (c)\n  x = 1;\ny = 2;\n";
    assert_eq!(patched(text, &[after(text, "x = 1;", true)]), "if (c)\n  { x = 1; F(); }\ny = 2;\n");
    let both = [before(text, "x = 1;", true), after(text, "x = 1;", true)];
    assert_eq!(patched(text, &both), "if (c)\n  { F(); x = 1; F(); }\ny = 2;\n");
}

#[test]
fn nested_bodies_are_closed_from_the_inside() {
    let text = "if (a) if (b) x = 1;\n";
    let fences =
        [after(text, "x = 1;", true), after(text, "if (b) x = 1;", true), after(text, "if (a) if (b) x = 1;", false)];
    assert_eq!(patched(text, &fences), "if (a) { if (b) { x = 1; F(); } F(); }\nF();\n");
    let fences = [before(text, "x = 1;", true), before(text, "if (b) x = 1;", true)];
    assert_eq!(patched(text, &fences), "if (a) { F(); if (b) { F(); x = 1; } }\n");
}

#[test]
fn the_last_line_may_have_no_end() {
    let text = "a;\nx = 1;";
    let patch = patch(&SourceFile::new("t.c", text), &[after(text, "x = 1;", false)], &[], 1);
    assert_eq!(patch.text, "a;\nx = 1;\nF();");
    assert!(
        patch.diff.contains("-x = 1;\n\\ No newline at end of file\n+x = 1;\n+F();\n\\ No newline"),
        "{}",
        patch.diff
    );
    assert_eq!(apply(text, &patch.diff), patch.text);
}

#[test]
fn line_ends_stay_what_they_are() {
    let text = "a;\r\n  x = 1;\r\nb;\r\n";
    let patch = patch(&SourceFile::new("t.c", text), &[after(text, "x = 1;", false)], &[], 1);
    assert_eq!(patch.text, "a;\r\n  x = 1;\r\n  F();\r\nb;\r\n");
    assert_eq!(apply(text, &patch.diff), patch.text);
}

#[test]
fn rows_of_two_threads_are_one_row() {
    let text = " P0         | P1         ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n";
    let row = span(text, "MOV [x],$1 | MOV [y],$1 ;");
    let column = |column| fence(Place::Row { row, column }, "MFENCE");
    let expected = " P0         | P1         ;\n MOV [x],$1 | MOV [y],$1 ;\n MFENCE     | MFENCE     ;\n MOV EAX,[y] | MOV EAX,[x] ;\n";
    assert_eq!(patched(text, &[column(0), column(1)]), expected);
    let alone = " P0         | P1         ;\n MOV [x],$1 | MOV [y],$1 ;\n            | MFENCE     ;\n MOV EAX,[y] | MOV EAX,[x] ;\n";
    assert_eq!(patched(text, &[column(1)]), alone);
}

#[test]
fn diffs_do_what_they_say() {
    let lines: Vec<String> = (0..40).map(|n| format!("  s{n:02};\n")).collect();
    let text = lines.concat();
    for picked in [vec![0], vec![39], vec![3, 4], vec![2, 9, 17, 30], vec![0, 8, 39], (0..40).collect()] {
        let fences: Vec<Fence> = picked.iter().map(|n| after(&text, &format!("s{n:02};"), n % 3 == 0)).collect();
        let patch = patch(&SourceFile::new("t.c", &*text), &fences, &[], 1);
        assert_eq!(apply(&text, &patch.diff), patch.text, "{}", patch.diff);
        assert_eq!(patch.text.matches("F();").count(), picked.len());
    }
}

#[test]
fn words_are_replaced() {
    let text = "f(&x, memory_order_relaxed); g(&y);\nh();\n";
    let span = |word: &str| {
        let at = text.find(word).expect("there");
        Span::new(at, at + word.len())
    };
    let end = |word: &str| Span { start: span(word).end, ..span(word) };
    let edits = [
        (span("memory_order_relaxed"), "memory_order_acquire".to_owned()),
        (end("g"), "_explicit".to_owned()),
        (end("(&y"), ", memory_order_release".to_owned()),
    ];
    let patch = patch(&SourceFile::new("t.c", text), &[], &edits, 1);
    assert_eq!(patch.text, "f(&x, memory_order_acquire); g_explicit(&y, memory_order_release);\nh();\n");
    assert!(patch.diff.contains("-f(&x, memory_order_relaxed); g(&y);\n+f(&x, memory_order_acquire); g_explicit"));
}
