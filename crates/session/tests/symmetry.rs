//! Threads that do the same are taken in one order only: random programs with such threads, with the symmetry broken and kept, and
//! judged by the machine with buffers. Some of the threads look at who they are, draw numbers, or leave addresses of their own behind.
//!
//! `FENCEPOST_FUZZ=2000` tries more programs than the usual few, and `FENCEPOST_SEED=5000` others.

use engine::{MILLI, Property, Verdict};
use model::Model;
use session::{Reading, Request};
use source::SourceFile;
use testkit::{Budget, Rng};

/// How many programs are tried if nobody says otherwise.
const PROGRAMS: u64 = 150;

const HEAD: &str = "typedef unsigned long pthread_t;
typedef struct { int lock, kind; unsigned long owner; unsigned int count; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
pthread_t pthread_self(void);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
void *malloc(unsigned long);
void __VERIFIER_assert(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x, y, next, turn;
pthread_t who, t[3];
int *where;
pthread_mutex_t m;
";

fn statement(rng: &mut Rng) -> String {
    let (a, b) = (*rng.pick(&["x", "y"]), *rng.pick(&["x", "y"]));
    let (c, d) = (rng.below(3), rng.below(3));
    match rng.below(22) {
        0 => format!("{a} = {c};"),
        1 => format!("r = {a};"),
        2 => format!("{a} = r;"),
        3 => format!("if ({a} == {c}) {b} = {d};"),
        4 => format!("{a} = {b} + 1;"),
        5 => format!("mine = __sync_fetch_and_add(&next, 1); {a} = mine;"),
        6 => "mine = __sync_fetch_and_add(&next, 1);".to_owned(),
        7 => format!("if (mine == {c}) {a} = {d};"),
        8 => format!("__sync_bool_compare_and_swap(&{a}, {c}, {});", c + 1),
        9 => "__sync_synchronize();".to_owned(),
        10 => format!("pthread_mutex_lock(&m); {a} = {b} + 1; pthread_mutex_unlock(&m);"),
        11 => "who = pthread_self();".to_owned(),
        12 => format!("if (who == pthread_self()) {a} = {c};"),
        13 => format!("if (pthread_self() == t[{c}]) {a} = {d};"),
        14 => format!("{{ int *p = malloc(4); *p = {c}; where = p; r = *p; }}"),
        15 => format!("where = &mine; {a} = {c};"),
        16 => format!("__VERIFIER_atomic_begin(); {a} = {b} + 1; r = {a}; __VERIFIER_atomic_end();"),
        17 => format!("if (arg) {a} = {c};"),
        18 => format!("__VERIFIER_assert({a} <= {});", c + 1),
        19 => format!("__VERIFIER_assert(r != {c} || mine != {d});"),
        20 => "while (turn != mine); turn = mine + 1;".to_owned(),
        _ => format!("do {{ r = {a}; }} while (!__sync_bool_compare_and_swap(&{a}, r, r + 1));"),
    }
}

/// A program with three threads of one kind, or of two, and what `main` does between starting and joining them.
fn program(rng: &mut Rng) -> String {
    let mut text = HEAD.to_owned();
    let kinds = if rng.chance(25) { 2 } else { 1 };
    for kind in 0..kinds {
        let body: String = (0..1 + rng.below(3)).map(|_| statement(rng) + "\n").collect();
        text += &format!("void *run{kind}(void *arg) {{ int r = 0, mine = 0;\n{body}return 0; }}\n");
    }
    let count = 2 + rng.below(2);
    let mut main = "int main(void) { int r = 0, mine = 0; void *arg = 0;\n".to_owned();
    let idle = |rng: &mut Rng| if rng.chance(15) { statement(rng) + "\n" } else { String::new() };
    for thread in 0..count {
        main += &idle(rng);
        let (kind, arg) = (rng.below(kinds), if rng.chance(10) { "&x" } else { "0" });
        main += &format!("pthread_create(&t[{thread}], 0, run{kind}, {arg});\n");
        if rng.chance(10) {
            main += &format!("pthread_join(t[{thread}], 0);\n");
        }
    }
    if rng.chance(70) {
        for thread in 0..count {
            main += &idle(rng);
            main += &format!("pthread_join(t[{thread}], 0);\n");
        }
    }
    let (cell, value) = (*rng.pick(&["x", "y", "next", "turn"]), rng.below(4));
    main += &match rng.below(5) {
        0 => format!("__VERIFIER_assert({cell} == {value});"),
        1 => format!("__VERIFIER_assert(who != t[{}] || {cell} <= {value});", rng.below(count)),
        2 => format!("__VERIFIER_assert(!where || {cell} != {value});"),
        _ => format!("__VERIFIER_assert({cell} <= {value});"),
    };
    text + &main + "\nreturn 0; }\n"
}

struct Asked<'t> {
    text: &'t str,
    model: &'t str,
    property: Property,
}

impl Asked<'_> {
    /// What an engine says, and how many threads it took to be alike.
    fn ask(&self, engine: &str, own: &[(&str, &str)]) -> (Verdict, u64) {
        let source = SourceFile::new("random.c", self.text);
        let program = session::load(&source, &Reading::default()).unwrap_or_else(|why| panic!("{why}\n{}", self.text));
        let model = Model::builtin(self.model).expect("a model of ours");
        let request = Request::of(engine, own).unwrap_or_else(|why| panic!("{why}"));
        let request = Request { property: self.property, ..request };
        let found = session::check(&program, &model, &request, &Budget::units(1000 * MILLI))
            .unwrap_or_else(|why| panic!("{engine}: {why}\n{}", self.text));
        let alike = found.statistics.iter().find(|(name, _)| name == "threads alike").map_or(0, |&(_, count)| count);
        (found.result, alike)
    }
}

#[test]
fn breaking_the_symmetry_changes_no_verdict() {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let first = number("FENCEPOST_SEED").unwrap_or(0);
    let programs = number("FENCEPOST_FUZZ").unwrap_or(PROGRAMS);
    let (mut broken, mut refuted, mut judged) = (0, 0, 0);
    for seed in first..first + programs {
        let mut rng = Rng::new(seed);
        let text = program(&mut rng);
        let model = *rng.pick(&["sc", "tso", "pso", "power-frame", "ppc", "aarch64"]);
        let property = if rng.chance(20) { Property::Deadlock } else { Property::Assertions { memory: true } };
        let asked = Asked { text: &text, model, property };
        let (with, alike) = asked.ask("partial-order", &[]);
        let (without, _) = asked.ask("partial-order", &[("symmetry", "kept")]);
        let verdict = |verdict: &Verdict| match verdict {
            Verdict::Safe(guarantee) => format!("safe {guarantee}"),
            Verdict::Unsafe(_) => "unsafe".to_owned(),
            Verdict::Unknown(why) => format!("unknown {why:?}"),
        };
        assert_eq!(verdict(&with), verdict(&without), "seed {seed}, {model}, {property:?}:\n{text}");
        broken += u64::from(alike > 0);
        refuted += u64::from(alike > 0 && matches!(with, Verdict::Unsafe(_)));
        if alike > 0 && ["sc", "tso", "pso"].contains(&model) {
            let (judge, _) = asked.ask("buffers", &[]);
            let agree = match (&with, &judge) {
                (Verdict::Safe(guarantee), Verdict::Unsafe(_)) => !guarantee.is_full(),
                (Verdict::Unsafe(_), Verdict::Safe(_)) => false,
                (Verdict::Safe(_) | Verdict::Unsafe(_) | Verdict::Unknown(_), _) => true,
            };
            assert!(agree, "seed {seed}, {model}, {property:?}: {} but {}\n{text}", verdict(&with), verdict(&judge));
            judged += u64::from(!matches!(judge, Verdict::Unknown(_)));
        }
    }
    println!("{programs} programs: {broken} with threads alike, {refuted} of them refuted, {judged} judged");
    assert!(broken * 5 >= programs, "only {broken} of {programs} have threads that are alike");
    assert!(refuted * 8 >= broken, "only {refuted} of {broken} are refuted");
    assert!(judged * 4 >= broken, "only {judged} of {broken} were judged");
}
