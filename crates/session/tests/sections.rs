//! Atomic sections that are left in several places, or end and begin anew on some paths: random programs, proved and refuted by engines that
//! know nothing of each other.
//!
//! `FENCEPOST_FUZZ=2000` tries more programs than the usual few, and `FENCEPOST_SEED=5000` others.

use crate::common::{ask, seeds};
use engine::Verdict;
use testkit::Rng;

/// How many programs are tried if nobody says otherwise.
const PROGRAMS: u64 = 250;

const HEAD: &str = "typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
void __VERIFIER_assert(int);
void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
int x, y, z;
";

const BEGIN: &str = "__VERIFIER_atomic_begin();";
const END: &str = "__VERIFIER_atomic_end();";

/// A statement, perhaps inside a section, with others inside it up to a depth.
fn statement(rng: &mut Rng, depth: u32, inside: bool) -> String {
    let (one, other) = (*rng.pick(&["x", "y", "z"]), *rng.pick(&["r", "s", "x", "y", "z"]));
    let number = rng.below(3);
    match rng.below(9) {
        0 | 1 => format!("{one} = {number};"),
        2 => format!("r = {one};"),
        3 => format!("s = {one};"),
        4 => format!("{one} = r + 1;"),
        5 if depth > 0 => {
            let (then, otherwise) = (statement(rng, depth - 1, inside), statement(rng, depth - 1, inside));
            format!("if (r == {number}) {{ {then} }} else {{ {otherwise} }}")
        }
        6 if depth > 0 && inside => format!("if ({one}) {{ {END} {} return 0; }}", statement(rng, 0, false)),
        7 if inside => {
            let between = if rng.chance(50) { statement(rng, 0, false) } else { String::new() };
            format!("if ({other}) {{ {END} {between} {BEGIN} }}")
        }
        8 if depth > 0 && inside => format!("for (int i = 0; i < 2; i++) {{ {} }}", statement(rng, 0, true)),
        _ => format!("r += {one};"),
    }
}

fn thread(rng: &mut Rng, number: u32) -> String {
    let mut body = String::new();
    for _ in 0..1 + rng.below(2) {
        if rng.chance(80) {
            let statements: Vec<String> = (0..2 + rng.below(2)).map(|_| statement(rng, 1, true)).collect();
            body += &format!("{BEGIN} {} {END}\n", statements.join("\n"));
        } else {
            body += &statement(rng, 1, false);
        }
    }
    format!("void *run{number}(void *unused) {{ int r = 0, s = 0;\n{body} return 0; }}\n")
}

fn program(rng: &mut Rng) -> String {
    let threads = thread(rng, 0) + &thread(rng, 1);
    let (one, other) = (*rng.pick(&["x", "y", "z"]), *rng.pick(&["x", "y", "z"]));
    format!(
        "{HEAD}{threads}int main(void) {{ pthread_t t, u; pthread_create(&t, 0, run0, 0); pthread_create(&u, 0, run1, 0);\n\
         pthread_join(t, 0); pthread_join(u, 0); __VERIFIER_assert({one} != {} || {other} != {}); return 0; }}\n",
        rng.below(3),
        rng.below(3)
    )
}

#[test]
fn engines_agree_where_sections_end() {
    let seeds = seeds(PROGRAMS);
    let programs = seeds.end - seeds.start;
    let (mut safe, mut refuted) = (0, 0);
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let text = program(&mut rng);
        let model = *rng.pick(&["sc", "tso", "pso"]);
        let (judge, _) = ask(&text, model, "buffers");
        for engine in ["partial-order", "coherence", "lazy"] {
            let (verdict, _) = ask(&text, model, engine);
            match (&verdict, &judge) {
                (Verdict::Safe(_), Verdict::Safe(_)) => safe += 1,
                (Verdict::Unsafe(_), Verdict::Unsafe(_)) => refuted += 1,
                // Within the bound there was nothing.
                (Verdict::Safe(guarantee), Verdict::Unsafe(_)) if !guarantee.is_full() => {}
                (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => {}
                _ => panic!("seed {seed}, {engine}, {model}: {verdict}, but {judge}\n{text}"),
            }
        }
    }
    println!("{programs} programs: {safe} proofs and {refuted} refutations");
    assert!(safe >= programs, "only {safe} proofs of {programs} programs");
    assert!(refuted * 5 >= programs, "only {refuted} refutations of {programs} programs");
}
