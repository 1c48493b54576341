//! Any number of threads against two, three and four of them: random small threads. What is SAFE for any number must be
//! SAFE for these, as engines say that look at each thread.
//!
//! `FENCEPOST_FUZZ=2000` tries more programs than the usual few, and `FENCEPOST_SEED=5000` others.

use engine::{MILLI, Options, Verdict};
use model::Model;
use session::{Reading, Request};
use source::SourceFile;
use std::fmt::Write;
use testkit::{Budget, Rng};

/// How many programs are tried if nobody says otherwise.
const PROGRAMS: u64 = 100;

fn ask(text: &str, model: &str, engine: &str, work: u64) -> Verdict {
    let source = SourceFile::new("random.c", text);
    let program = session::load(&source, &Reading::default()).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let model = Model::builtin(model).expect("a model of ours");
    let options = Options { unwind: 3, ..Options::default() };
    let request = Request { engine: Some(engine.to_owned()), options, ..Request::default() };
    session::check(&program, &model, &request, &Budget::units(work))
        .unwrap_or_else(|why| panic!("{engine}: {why}\n{text}"))
        .result
}

fn simple(rng: &mut Rng) -> String {
    let cells = ["x", "y", "z"];
    let (a, b) = (*rng.pick(&cells), *rng.pick(&cells));
    let (c, d) = (rng.below(3), rng.below(3));
    // Half of what is chosen is simple.
    let kinds = if rng.chance(50) { 11 } else { 25 };
    match rng.below(kinds) {
        11 => format!("if ({a} == {c}) while (1);"),
        12 => format!("if ({a} == {c}) abort();"),
        13 => format!("__VERIFIER_assume({a} == {c});"),
        14 => format!("__VERIFIER_atomic_begin(); {a} = ({b} + {c}) % 3; __VERIFIER_atomic_end();"),
        15 => format!("__VERIFIER_atomic_begin(); __VERIFIER_assume({a} == {c}); {b} = {d}; __VERIFIER_atomic_end();"),
        16 => format!("__atomic_store_n(&{a}, {c}, {});", rng.pick(&["0", "3", "5"])),
        17 => format!("r = __atomic_exchange_n(&{a}, {c}, 5);"),
        18 => format!("w[{a} % 3] = {c}; r = w[{b} % 3];"),
        19 => format!("p = {d} ? &{a} : &{b}; *p = {c};"),
        20 => "if (pthread_mutex_trylock(&m)) return 0;".to_owned(),
        21 => format!("__atomic_thread_fence(3); {a} = {c};"),
        22 => format!(
            "{{ int n = __VERIFIER_nondet_int(); int k = n; if (n == {c}) {a} = {d}; if (k == {d}) {b} = {c}; }}"
        ),
        23 => {
            format!("{{ int n = __VERIFIER_nondet_int(); {a} = same(n) == {c} ? {d} : {c}; if (n == {d}) {b} = {d}; }}")
        }
        24 => format!("{a} = {c}; __sync_synchronize(); r = {b};"),
        0 => format!("{a} = {c};"),
        1 => format!("r = {a};"),
        2 => format!("{a} = r;"),
        3 => format!("if ({a} == {c}) {b} = {d};"),
        4 => format!("{a} = ({a} + 1) % 3;"),
        5 => format!("__sync_bool_compare_and_swap(&{a}, {c}, {});", c + 1),
        6 => "__sync_synchronize();".to_owned(),
        7 | 8 => format!("if (__sync_bool_compare_and_swap(&{a}, {c}, {})) return 0;", c + 1),
        9 => format!("if (!__sync_bool_compare_and_swap(&{a}, 0, 1)) return 0;"),
        _ => format!("if (r == {c}) {a} = {d};"),
    }
}

fn check(rng: &mut Rng) -> String {
    let cells = ["x", "y", "z", "r"];
    let (a, b) = (*rng.pick(&cells), *rng.pick(&cells));
    let (c, d) = (1 + rng.below(3), rng.below(3));
    match rng.below(6) {
        4 => format!("__fencepost_critical_begin(); {} __fencepost_critical_end();", simple(rng)),
        5 => format!("__fencepost_critical_begin(); {}", simple(rng)),
        0 => format!("__VERIFIER_assert({a} != {c});"),
        1 => format!("__VERIFIER_assert({a} != {c} || {b} != {d});"),
        2 => "__fencepost_critical_begin(); __fencepost_critical_end();".to_owned(),
        _ => format!("__VERIFIER_assert({a} <= {c});"),
    }
}

fn body(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..1 + rng.below(3) {
        match rng.below(5) {
            0 | 1 => text += &simple(rng),
            2 => text += &check(rng),
            _ => {
                let inside: String = (0..1 + rng.below(3)).map(|_| simple(rng).replace("return 0;", ";")).collect();
                let check = if rng.chance(60) { check(rng) } else { String::new() };
                let (lock, unlock) = match rng.below(3) {
                    0 => ("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"),
                    1 => ("while (!__sync_bool_compare_and_swap(&s, 0, 1));", "__sync_lock_release(&s);"),
                    _ => ("while (s != 0); s = 1;", "s = 0;"),
                };
                write!(text, "{lock} {inside} {check} {unlock}").expect("a string takes all");
            }
        }
        text.push('\n');
    }
    if rng.chance(60) {
        text += &check(rng);
    }
    if rng.chance(25) { format!("while (1) {{ {text} }}") } else { text }
}

/// What the programs declare.
const HEAD: &str = "typedef unsigned long pthread_t;
typedef struct { int lock, kind; unsigned long owner; unsigned int count; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
void abort(void);
void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __fencepost_critical_begin(void);
void __fencepost_critical_end(void);
void __VERIFIER_assert(int);
int __VERIFIER_nondet_int(void);
int x, y, z, s, anything, w[3];
pthread_mutex_t m;
void *run1(void *arg);
int same(int n) { return n; }
";

/// What is too much for threads that have numbers, but not for crowds: so there are crowds from the beginning.
const CROWD: &str = "anything = __VERIFIER_nondet_int();\n";

/// A program whose threads run these bodies, after this code, started by that code.
fn program(bodies: &[String], before: &str, start: &str) -> String {
    let mut text = HEAD.to_owned();
    for (at, body) in bodies.iter().enumerate() {
        writeln!(
            text,
            "void *run{at}(void *arg) {{ int r = 0; int *p = &x; pthread_t t;\n{before}{body}\nreturn 0; }}"
        )
        .expect("a string takes all");
    }
    text + "int main(void) { pthread_t t; int r = 0; int *p = &x;\n" + start + "return 0; }\n"
}

fn create(body: usize) -> String {
    format!("pthread_create(&t, 0, run{body}, 0);\n")
}

#[test]
fn what_holds_for_any_number_holds_for_some() {
    let wanted = std::env::var("FENCEPOST_FUZZ").ok().and_then(|number| number.parse().ok());
    let programs: u64 = wanted.unwrap_or(PROGRAMS);
    let (mut proved, mut refuted) = (0, 0);
    // What somebody who looks at each thread was asked, and had an answer to.
    let (mut asked, mut compared) = (0, 0);
    let first: u64 = std::env::var("FENCEPOST_SEED").ok().and_then(|number| number.parse().ok()).unwrap_or(0);
    for seed in first..first + programs {
        let mut rng = Rng::new(seed);
        let mut bodies: Vec<String> = (0..if rng.chance(30) { 2 } else { 1 }).map(|_| body(&mut rng)).collect();
        // One kind of thread may start the other, and the first thread may have work of its own.
        if bodies.len() == 2 && rng.chance(40) {
            bodies[0] = if rng.chance(50) { create(1) + &bodies[0] } else { bodies[0].clone() + &create(1) };
        }
        let mut main = || match rng.below(10) {
            0..3 => simple(&mut rng),
            3 => check(&mut rng),
            _ => String::new(),
        };
        let (early, late, each) = (main(), main(), main());
        // The second kind of thread is one that is there once, or another crowd.
        let once = rng.chance(50);
        let second = bodies.len() == 2;
        let starts = match (second, once) {
            (false, _) => format!("{early} {} {late} while (1) {{ {each} {} }}", create(0), create(0)),
            (true, true) => format!("{early} {} {late} while (1) {{ {each} {} }}", create(1), create(0)),
            (true, false) => format!("{early} {} {late} while (1) {{ {each} {} {} }}", create(0), create(0), create(1)),
        };
        let model = *rng.pick(&["sc", "tso", "pso"]);
        let any = program(&bodies, if rng.chance(70) { CROWD } else { "" }, &starts);
        let verdict = ask(&any, model, "coherence", 400 * MILLI);
        proved += u64::from(matches!(verdict, Verdict::Safe(_)));
        refuted += u64::from(matches!(verdict, Verdict::Unsafe(_)));
        let Verdict::Safe(guarantee) = verdict else { continue };
        assert!(guarantee.is_full(), "{guarantee}");
        for count in 2..=4 {
            let others = match (second, once) {
                (false, _) => format!("{early} {} {late}", create(0)) + &(each.clone() + &create(0)).repeat(count - 1),
                (true, true) => {
                    format!("{early} {} {late}", create(1)) + &(each.clone() + &create(0)).repeat(count - 1)
                }
                (true, false) => {
                    let pair = format!("{each} {} {}", create(0), create(1));
                    format!("{early} {} {late}", create(0)) + &pair.repeat(count / 2)
                }
            };
            let some = program(&bodies, "", &others);
            for engine in ["coherence", "buffers"] {
                let verdict = ask(&some, model, engine, 100 * MILLI);
                assert!(!matches!(verdict, Verdict::Unsafe(_)), "seed {seed}, {model}, {engine}, {count}:\n{any}");
                asked += 1;
                compared += u64::from(!matches!(verdict, Verdict::Unknown(_)));
            }
        }
    }
    println!("{programs} programs: {proved} proved, {refuted} refuted; {compared} of {asked} compared");
    assert!(compared * 2 >= asked, "only {compared} of {asked} proofs were compared with few threads");
    assert!(proved * 8 >= programs, "only {proved} of {programs} are proved");
    assert!(refuted * 200 >= programs, "only {refuted} of {programs} are refuted");
}
