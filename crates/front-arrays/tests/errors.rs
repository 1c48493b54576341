//! What is wrong or not supported is refused with its place; what is right is read.

use source::SourceFile;

const HEAD: &str = "type t = A | B\narray P[proc] : t\nweak var X : t\nweak array F[proc] : bool\n";
const TAIL: &str = "init (p) { P[p] = A && X = A }\nunsafe (p q) { P[p] = B && p @ X = B }\n";

fn error(text: &str) -> String {
    front_arrays::parse(&SourceFile::new("s.cub", text)).expect_err("this is wrong").to_string()
}

fn with(transition: &str) -> String {
    format!("{HEAD}{TAIL}{transition}")
}

#[test]
fn a_system_is_read() {
    let text = with(
        "predicate free(p) { F[p] = False }\n\
         transition t ([p] q) requires { P[p] = A && not (X = B) && free(q) && fence() }\n\
         { let v = X in P[p] := v; F[j] := case | j = p : True | _ : False; }\n\
         transition u ([p]) { X := ? }",
    );
    let system = front_arrays::parse(&SourceFile::new("s.cub", text)).expect("this is right");
    assert_eq!(system.transitions.len(), 2);
    assert!(system.is_weak() && system.transitions[0].has_fence());
    assert!(system.transitions[0].reads(&system) && system.transitions[0].writes(&system));
}

#[test]
fn errors_have_places() {
    let cases: &[(&str, &str)] = &[
        ("transition t (p) { P[p] := B }", "7:12: error: which process does this?"),
        ("transition t ([p] q) { P[q] := B }", "7:24: error: this array is not weak"),
        ("transition t ([p] q) requires { q @ X = A } { }", "7:37: error: a process cannot read for another one"),
        ("transition t ([p]) { X := A; X := B }", "7:30: error: `X` is changed twice"),
        ("transition t ([p]) { X := True }", "7:27: error: this is of type `bool`, not `t`"),
        ("transition t ([p]) requires { Z = A } { }", "7:31: error: unknown variable `Z`"),
        ("transition t ([p]) requires { X = A || fence() } { }", "7:12: error: `fence()` can only be demanded"),
        ("transition t ([p]) requires { P[#1] = A } { }", "7:33: error: there need not be a process #1"),
        ("transition t ([p]) requires { X < A } { }", "7:31: error: only numbers and processes are ordered"),
        ("transition t ([p]) { F[p] := case | _ : True }", "7:24: error: `p` is already a process here"),
        ("invariant (p q) { p @ X = B }", "error: an invariant about weak variables is not supported"),
        ("var Y : t", "7:5: error: `Y` is shared, but not weak"),
        ("transition t ([p] q) requires { forall_other r. F[r] = True && fence() } { }", "belongs to the `forall`"),
        ("(* no end", "7:1: error: this comment has no end"),
    ];
    for (text, expected) in cases {
        let found = error(&with(text));
        assert!(found.contains(expected), "{text}: {found}");
    }
    assert!(
        error(&format!("{HEAD}unsafe (p) {{ P[p] = B && X = B }}\ninit (p) {{ P[p] = A }}")).contains("whose view")
    );
    assert!(error("init () { true }").contains("there is no `unsafe`"));
    assert!(error("var X : real\ninit () { X = 0.5 }").contains("fraction"));
}

#[test]
fn what_is_too_large_is_refused() {
    let guard = |guard: &str| with(&format!("transition t ([p]) requires {{ {guard} }} {{ }}"));
    let depth = 100_000;
    for formula in [
        format!("{}X = A{}", "(".repeat(depth), ")".repeat(depth)),
        format!("{}X = A", "not ".repeat(depth)),
        format!("{}X = A", "X = A => ".repeat(depth)),
        format!("{}X = A", "if X = A then X = B else ".repeat(depth)),
    ] {
        assert!(error(&guard(&formula)).contains("deeper than 100 levels"));
    }
    let twice = format!("{}X = A", "X = A <=> ".repeat(60));
    assert!(error(&guard(&twice)).contains("too large"));
    let mut text = "predicate a0(p) { F[p] = True }\n".to_owned();
    for at in 1..60 {
        text += &format!("predicate a{at}(p) {{ a{}(p) && a{}(p) }}\n", at - 1, at - 1);
    }
    assert!(error(&with(&text)).contains("too large"));
    assert!(error("").contains("there is no `init`"));
    assert!(error("unsafe () { true }").contains("there is no `init`"));
    assert!(error("\u{1}").contains("1:1: error: this character has no meaning here"));
}
