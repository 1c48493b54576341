//! Objects that nobody can reach any more: random programs with nodes on the heap, searched by `coherence`, which forgets such objects, and
//! judged by `partial-order`, which knows nothing of it.
//!
//! `FENCEPOST_FUZZ=2000` tries more programs than the usual few, and `FENCEPOST_SEED=5000` others.

use crate::common::{ask, seeds};
use engine::Verdict;
use testkit::Rng;

/// How many programs are tried if nobody says otherwise.
const PROGRAMS: u64 = 60;

const HEAD: &str = "typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
void *malloc(unsigned long);
void __VERIFIER_assert(int);
struct node { int value; struct node *next; } *g0, *g1;
int r0, r1;
";

/// What a thread begins with, so that there are nodes, and ends with, so that it matters what they hold.
const MAKE: &str = "a = malloc(sizeof *a); a->value = 1; a->next = g0; g0 = a;\n";
const ADD: &str = "a = g0; if (a) { sum += a->value; b = a->next; } if (b) sum += b->value;\n";

fn statement(rng: &mut Rng) -> String {
    let (a, b) = (*rng.pick(&["a", "b"]), *rng.pick(&["a", "b"]));
    let (global, value) = (*rng.pick(&["g0", "g1"]), 1 + rng.below(3));
    match rng.below(10) {
        0 | 1 => format!("{a} = malloc(sizeof *{a}); {a}->value = {value}; {a}->next = 0;"),
        2 => format!("if ({a}) {a}->next = {global};"),
        3 => format!("{global} = {a};"),
        4 => format!("{a} = {global};"),
        5 => format!("if ({a}) {b} = {a}->next;"),
        6 => format!("if ({a}) sum += {a}->value;"),
        7 => format!("{global} = 0;"),
        8 => format!("if ({a}) __sync_bool_compare_and_swap(&{global}, {a}, {a}->next);"),
        _ => format!("if ({a}) {a}->value = {value};"),
    }
}

fn thread(rng: &mut Rng, number: u64) -> String {
    let mut body: String = (0..4 + rng.below(5)).map(|_| statement(rng) + "\n").collect();
    if rng.chance(30) {
        body = format!("for (int i = 0; i < 2; i++) {{\n{body}}}\n");
    }
    format!(
        "void *run{number}(void *unused) {{ struct node *a = 0, *b = 0; int sum = 0;\n\
         {MAKE}{body}{ADD}r{number} = sum; return 0; }}\n"
    )
}

fn program(rng: &mut Rng) -> String {
    let threads = thread(rng, 0) + &thread(rng, 1);
    let (one, other) = (rng.below(5), rng.below(5));
    let claim = match rng.below(3) {
        0 => format!("r0 != {one} || r1 != {other}"),
        1 => format!("r0 <= {one} || r1 <= {other}"),
        _ => format!("r0 + r1 <= {}", one + other),
    };
    format!(
        "{HEAD}{threads}int main(void) {{ pthread_t t, u; pthread_create(&t, 0, run0, 0); pthread_create(&u, 0, run1, 0);\n\
         pthread_join(t, 0); pthread_join(u, 0); __VERIFIER_assert({claim}); return 0; }}\n"
    )
}

/// A thread that pushes so many nodes and one that takes as many, on one stack.
fn push_and_pop(nodes: u32) -> String {
    format!(
        "{HEAD}void *push(void *unused) {{ for (int i = 0; i < {nodes}; i++) {{ struct node *new = malloc(sizeof *new), *old; new->value = i + 1;
do {{ old = g0; new->next = old; }} while (!__sync_bool_compare_and_swap(&g0, old, new)); }} return 0; }}
void *pop(void *unused) {{ for (int i = 0; i < {nodes}; i++) {{ struct node *old = g0;
if (old && __sync_bool_compare_and_swap(&g0, old, old->next)) __VERIFIER_assert(old->value > 0); }} return 0; }}
int main(void) {{ pthread_t t, u; pthread_create(&t, 0, push, 0); pthread_create(&u, 0, pop, 0);
pthread_join(t, 0); pthread_join(u, 0); return 0; }}\n"
    )
}

#[test]
fn what_is_forgotten_changes_no_verdict() {
    let seeds = seeds(PROGRAMS);
    let programs = seeds.end - seeds.start;
    let (mut safe, mut refuted) = (0, 0);
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let text = program(&mut rng);
        let model = *rng.pick(&["sc", "tso", "pso"]);
        let (searched, _) = ask(&text, model, "coherence");
        let (judge, _) = ask(&text, model, "partial-order");
        match (&searched, &judge) {
            (Verdict::Safe(_), Verdict::Safe(_)) => safe += 1,
            (Verdict::Unsafe(_), Verdict::Unsafe(_)) => refuted += 1,
            (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => {}
            _ => panic!("seed {seed}, {model}: {searched:?} but {judge:?}\n{text}"),
        }
    }
    println!("{programs} programs: {safe} proved and {refuted} refuted by both");
    assert!(safe * 10 >= programs, "only {safe} of {programs} were proved by both");
    assert!(refuted * 10 >= programs, "only {refuted} of {programs} were refuted by both");
}

#[test]
fn nodes_that_were_taken_do_not_tell_states_apart() {
    let (verdict, states) = ask(&push_and_pop(5), "sc", "coherence");
    assert!(matches!(&verdict, Verdict::Safe(guarantee) if guarantee.is_full()), "{verdict:?}");
    assert!(states < 14_000, "{states} states: 11,945 without what nobody can reach, 16,279 with it");
}
