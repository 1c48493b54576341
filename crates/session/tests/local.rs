//! The engine `local`: what it proves, and what it must leave to others.

use engine::{NoAnswer, Property, Unobserved, Verdict};
use front_c::Checks;
use session::{Reading, Request};
use source::SourceFile;
use testkit::Rng;

/// What the engine says about a program in which accesses and overflows count.
fn says(text: &str) -> Verdict {
    asked(text, "local", "tso")
}

fn asked(text: &str, engine: &str, model: &str) -> Verdict {
    let file = SourceFile::new("test.c", text);
    let checks = Checks { overflow: true, shifts: true, ..Checks::default() };
    let reading = Reading { c: front_c::Options { checks, ..front_c::Options::default() }, ..Reading::default() };
    let program = session::load(&file, &reading).unwrap_or_else(|failure| panic!("{failure}\n{text}"));
    let model = session::model(model).unwrap_or_else(|failure| panic!("{failure}"));
    let property = Property::Assertions { memory: true };
    let request = Request { property, ..Request::of(engine, &[]).unwrap_or_else(|failure| panic!("{failure}")) };
    session::check(&program, &model, &request, &Unobserved).unwrap_or_else(|failure| panic!("{failure}\n{text}")).result
}

fn proves(text: &str) {
    let verdict = says(text);
    assert!(matches!(&verdict, Verdict::Safe(guarantee) if guarantee.is_full()), "{verdict}\n{text}");
}

fn leaves(text: &str) {
    let verdict = says(text);
    assert!(matches!(verdict, Verdict::Unknown(NoAnswer::GaveUp(_))), "{verdict}\n{text}");
}

const ANY: &str = "typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
void assert(int);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int g, a[8];
";

#[test]
fn what_holds_whatever_others_do_is_proved() {
    proves(&format!("{ANY} int main(void) {{ while (g != 1) ; return 0; }}"));
    proves(&format!("{ANY} int main(void) {{ for (int i = 0; i < 8; i++) a[i] = g; return 0; }}"));
    proves(&format!("{ANY} int main(void) {{ int n = g; for (int i = 0; i < n; i++) g = 1; return 0; }}"));
    proves(&format!("{ANY} int main(void) {{ for (int i = 7; i >= 0; i--) a[i] = a[i] / 2; return 0; }}"));
    proves(&format!(
        "{ANY} void need(int c) {{ __VERIFIER_assume(c); }} int main(void) {{ int x = g, y = g; need(y >= 0 || x <= 2147483647 + y); need(y <= 0 || x >= y - 2147483647); return x - y == 3; }}"
    ));
    proves(&format!("{ANY} int main(void) {{ int i = g; if (i >= 0 && i < 8) a[i] = 1 << i; return 0; }}"));
}

/// A program whose `main` does this beside a thread that writes anything everywhere.
fn beside(body: &str) -> String {
    format!(
        "{ANY} int *p = a, b = 1;
void *other(void *unused) {{ for (int i = 0; i < 8; i++) a[i] = g = __VERIFIER_nondet_int(); p = 0; return 0; }}
int f(int n) {{ return n <= 0 ? 0 : f(n - 1); }}
int main(void) {{ pthread_t thread; pthread_create(&thread, 0, other, 0); {body} }}"
    )
}

#[test]
fn what_may_fail_is_left_to_others() {
    leaves(&beside("return g + 1;"));
    leaves(&beside("int i = g; a[i & 15] = 1; return 0;"));
    leaves(&beside("for (int i = 0; i <= 8; i++) a[i] = g; return 0;"));
    leaves(&beside("for (int i = 7; i >= -1; i--) a[i] = 0; return 0;"));
    leaves(&beside("int n = 0; while (g) n++; return n;"));
    leaves(&beside("int *q = g ? a : 0; return *q;"));
    leaves(&beside("return *p;"));
    leaves(&beside("return g >> a[0];"));
    leaves(&beside("return f(g);"));
}

#[test]
fn before_other_threads_exist_memory_holds_what_was_written() {
    let alone = |body: &str| format!("{ANY} int *p = a; int main(void) {{ {body} }}");
    proves(&alone("return g + 1;"));
    proves(&alone("g = __VERIFIER_nondet_int(); if (g < 5) g++; return *p;"));
    proves(&alone("g = 3; for (int i = 0; i < 8; i++) a[i] = 2147483647; return g + 1;"));
    leaves(&alone("g = 2147483647; return g + 1;"));
    leaves(&alone("for (int i = 0; i < 8; i++) { g++; a[i] = g + 2147483640; } return 0;"));
    leaves(&alone("g = 0; p = __VERIFIER_nondet_int() ? &g : a; *p = 2147483647; return g + 1;"));
    leaves(&alone("a[2] = 0; a[__VERIFIER_nondet_int() & 7] = 2147483647; return a[2] + 1;"));
}

/// Two threads that do the same.
fn twice(variables: &str, body: &str) -> String {
    format!(
        "{ANY} extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void); {variables}
void *work(void *unused) {{ {body} return 0; }}
int main(void) {{
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    return 0;
}}"
    )
}

#[test]
fn in_an_atomic_section_nobody_else_writes() {
    let section = |body: &str| twice("", &format!("__VERIFIER_atomic_begin(); {body} __VERIFIER_atomic_end();"));
    proves(&section("if (g < 2147483647) g++;"));
    proves(&section("if (a[3] > 0) { g = 5; a[4] = 7; a[3]--; }"));
    leaves(&twice("", "if (g < 2147483647) g++;"));
    leaves(&section("if (a[3] < 2147483647) { a[__VERIFIER_nondet_int() & 7] = 2147483647; a[3]++; }"));
    leaves(&section("if (g < 2147483647) { __VERIFIER_atomic_end(); __VERIFIER_atomic_begin(); g++; }"));
}

#[test]
fn bounds_that_every_write_keeps_hold_of_what_is_read() {
    proves(&twice("int x;", "int r = x; if (r < 10) x = r + 1; assert(x >= 0 && x <= 10);"));
    proves(&twice("int x, y = 3;", "x = y; y = x < 5 ? 4 : 3; assert(x + y <= 8);"));
    leaves(&twice("int x;", "int r = x; if (r < 10) x = r + 2; assert(x >= 0 && x <= 10);"));
    leaves(&twice("int x; int *p = &x;", "int r = x; if (r < 10) x = r + 1; *p = g; assert(x >= 0 && x <= 10);"));
    leaves(&twice("int x;", "int r = x; if (r < 10) x = r + 1; ((char *)&x)[3] = 1; assert(x >= 0 && x <= 10);"));
    leaves(&twice("int x;", "if (x < 10) x = x + 1; assert(x <= 10);"));
    leaves(&twice("int x = 11;", "int r = x; if (r < 10) x = r + 1; assert(x <= 10);"));
}

#[test]
fn bounds_need_not_hold_before_other_threads_exist() {
    let set = |before: &str, after: &str| {
        format!(
            "{ANY} int n;
void *work(void *unused) {{ assert(n >= 1 && n <= 10); return 0; }}
int main(void) {{ pthread_t one; n = __VERIFIER_nondet_int(); {before} pthread_create(&one, 0, work, 0); {after} return 0; }}"
        )
    };
    proves(&set("if (n < 1 || n > 10) return 0;", ""));
    proves(&set("for (int i = 0; i < 8; i++) a[i] = i; if (n < 1 || n > 10) return 0;", ""));
    proves(&set("if (n < 1 || n > 10) n = 10;", "n = 2;"));
    leaves(&set("if (n < 1 || n > 11) return 0;", ""));
    leaves(&set("if (n < 1 || n > 10) return 0;", "n = 0;"));
    leaves(&set("if (n < 1 || n > 10) return 0; for (int i = 0; i < 8; i++) n = i;", ""));
    leaves(&set("if (n < 1 || n > 10) for (int i = 0; i < 2; i++) pthread_create(&one, 0, work, 0);", ""));
}

#[test]
fn variables_that_others_leave_alone_hold_what_they_held() {
    let owned = |begin: &str, first: &str, second: &str, start: &str| {
        format!(
            "{ANY} extern void *malloc(unsigned long); int n, i, *p;
void *one(void *unused) {{ {first} return 0; }}
void *two(void *unused) {{ {second} return 0; }}
int main(void) {{ pthread_t thread; n = __VERIFIER_nondet_int(); {begin} {start} return 0; }}"
        )
    };
    let both = "pthread_create(&thread, 0, one, 0); pthread_create(&thread, 0, two, 0);";
    let positive = "if (n < 1 || n > 1000) return 0;";
    let array = &format!("{positive} p = malloc(n * sizeof(int)); if (!p) return 0;");
    let fill = "for (int k = 0; k < n; k++) p[k] = k;";
    proves(&owned(array, fill, fill, both));
    proves(&owned(array, "for (i = 0; i < n; i++) p[i] = i;", "g = i;", both));
    leaves(&owned(array, &fill.replace("k < n", "k <= n"), "", both));
    leaves(&owned(array, fill, "n = 1001;", both));
    leaves(&owned(array, fill, "p = 0;", both));
    leaves(&owned(array, fill, "", &format!("{both} n = n + 1;")));
    leaves(&owned(&format!("{array} n = n + 1;"), fill, "", both));
    let count = "for (i = 0; i < 8; i++) a[i] = i;";
    proves(&owned(positive, count, "g = i;", both));
    leaves(&owned(positive, count, count, both));
    leaves(&owned(positive, count, "i = 9;", both));
    leaves(&owned(positive, count, "", &format!("{both} pthread_create(&thread, 0, one, 0);")));
    leaves(&owned(positive, count, "", "for (int k = 0; k < 2; k++) pthread_create(&thread, 0, one, 0);"));
    leaves(&owned(positive, count, "", &format!("{both} i = -1;")));
    let started = "pthread_t thread; pthread_create(&thread, 0, one, 0);";
    proves(&owned(positive, count, started, "pthread_create(&thread, 0, two, 0);"));
    leaves(&owned(positive, count, started, both));
    leaves(&owned(
        positive,
        "assert(n > 0);",
        "",
        "if (g) n = 0; for (int k = 0; k < 2; k++) { pthread_create(&thread, 0, one, 0); n = 0; }",
    ));
    let late = "for (int k = 0; k < 2; k++) { n = __VERIFIER_nondet_int(); if (k == 0) { if (n < 8) return 0; pthread_create(&thread, 0, two, 0); }
int *q = malloc(n * sizeof(int)); pthread_create(&thread, 0, one, q); }";
    leaves(&owned("", "((int *)unused)[7] = 1;", "", late));
}

#[test]
fn where_a_write_may_come_before_the_reads_that_lead_to_it_nothing_follows_from_it() {
    let load_buffering = "int x, y; void *one(void *unused) { while (y == 0) ; x = 1; return 0; }
int main(void) { pthread_t thread; pthread_create(&thread, 0, one, 0); while (x == 0) ; y = 1; assert(0); return 0; }";
    let text = format!("{ANY} {load_buffering}");
    proves(&text);
    let verdict = asked(&text, "local", "aarch64");
    assert!(matches!(verdict, Verdict::Unknown(NoAnswer::GaveUp(_))), "{verdict}");
}

#[test]
fn another_section_is_another_moment() {
    leaves(
        &(ANY.to_owned()
            + "extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
void *other(void *unused) { __VERIFIER_atomic_begin(); g = 1; __VERIFIER_atomic_end(); return 0; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    __VERIFIER_atomic_begin();
    int u = g;
    for (int i = 0; i < 2; i++) { __VERIFIER_atomic_end(); __VERIFIER_atomic_begin(); }
    int v = g;
    __VERIFIER_atomic_end();
    assert(u == v);
    return 0;
}"),
    );
}

/// A random program over three variables, some of which are used under their names only.
fn random(seed: u64) -> String {
    let random = &mut Rng::new(seed);
    let names = ["x", "y", "z"];
    let statement = |random: &mut Rng| {
        let (one, other, number) = (*random.pick(&names), *random.pick(&names), random.below(4));
        match random.below(14) {
            0 => format!("{one} = {number};"),
            1 => format!("{one} = {other};"),
            2 => format!("r = {one}; if (r < {number}) {one} = r + 1;"),
            3 => format!("if ({one} < {number}) {one} = {one} + 1;"),
            4 => {
                format!("__VERIFIER_atomic_begin(); if ({one} < {number}) {one} = {one} + 1; __VERIFIER_atomic_end();")
            }
            5 => format!(
                "__VERIFIER_atomic_begin(); r = {one}; {other} = {number}; assert(r == {one}); __VERIFIER_atomic_end();"
            ),
            6 => format!("for (int i = 0; i < 2; i++) {{ r = {one}; if (r > 0) {one} = r - 1; }}"),
            7 => format!("*p = {number};"),
            12 => format!(
                "__VERIFIER_atomic_begin(); if ({one}) {{ __VERIFIER_atomic_end(); {other} = {number}; }} \
                 else {{ {one} = 1; __VERIFIER_atomic_end(); }}"
            ),
            13 => format!(
                "__VERIFIER_atomic_begin(); r = {one}; while ({other} < r) {{ __VERIFIER_atomic_end(); __VERIFIER_atomic_begin(); }} \
                 assert(r == {one}); __VERIFIER_atomic_end();"
            ),
            8 => format!(
                "for ({one} = 0; {one} < {number}; {one}++) {{ r = {one}; assert(r <= {number} && {one} == r); }}"
            ),
            9 => format!("r = {one}; {other} = r; assert({one} == r && {other} == r);"),
            10 => format!(
                "if ({one} > {number} || {other}) {{ r = {one}; {one} = {number}; }} assert({one} <= {number} || {one} == r);"
            ),
            _ => format!("assert({one} <= {number});"),
        }
    };
    let body = |random: &mut Rng, length: usize| {
        let statements: Vec<String> = (0..1 + random.below(length)).map(|_| statement(random)).collect();
        statements.join(" ")
    };
    let (pointed, begins) = (*random.pick(&["x", "other", "other"]), random.below(3));
    let (one, two) = (body(random, 3), body(random, 3));
    let (before, after) = (body(random, 2), body(random, 2));
    let look = format!("assert({} >= 0 && {} <= {});", random.pick(&names), random.pick(&names), 1 + random.below(4));
    format!(
        "{ANY} extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
int x = {begins}, y, z, other, *p = &{pointed};
void *first(void *unused) {{ int r; {one} {look} return 0; }}
void *second(void *unused) {{ int r; {two} return 0; }}
int main(void) {{
    pthread_t thread;
    int r;
    {before}
    pthread_create(&thread, 0, first, 0);
    pthread_create(&thread, 0, second, 0);
    {after}
    return 0;
}}"
    )
}

#[test]
fn what_it_proves_the_partial_order_engine_cannot_refute() {
    let (mut proved, mut wrong) = (0, 0);
    for seed in 0..400 {
        let text = random(seed);
        let other = asked(&text, "partial-order", "pso");
        wrong += usize::from(matches!(other, Verdict::Unsafe(_)));
        if matches!(says(&text), Verdict::Safe(_)) {
            proved += 1;
            assert!(!matches!(other, Verdict::Unsafe(_)), "seed {seed}\n{text}");
        }
    }
    assert!(proved >= 40 && wrong >= 40, "only {proved} were proved and {wrong} go wrong");
}
