//! `fencepost weaken` and repairs by memory orders on classic structures: what is needed, that no order can be weaker, and that the
//! same program with nothing but relaxed orders is repaired at the same cost.

use crate::common::{fencepost, root, scratch, stdout};
use std::path::Path;
use std::process::Command;

/// Programs, models, and for the lines of the text with memory orders what they need, `-` for relaxed.
const EXPECTED: &[(&str, &[&str], &str)] = &[
    ("dekker", &["rc11"], "seq_cst seq_cst release"),
    ("dekker", &["aarch64"], "release acquire release"),
    ("dekker", &["tso"], "seq_cst - -"),
    ("dekker", &["aarch64", "ppc", "tso"], "seq_cst seq_cst release"),
    ("ttas", &["aarch64"], "- acquire release"),
    ("ttas", &["ppc"], "- acquire release"),
    ("ticket", &["rc11"], "- acquire - release"),
    ("ticket", &["aarch64", "riscv", "ppc"], "- acquire - release"),
    ("clh", &["rc11"], "- acq_rel acquire release"),
    ("clh", &["aarch64"], "- release acquire release"),
    // With a relaxed second store the lock is still a lock, and the threads wait for ever.
    ("mcs", &["aarch64"], "- release acquire - acquire - release - - release"),
    ("spsc-ring", &["rc11"], "- acquire release - acquire release"),
    ("spsc-ring", &["riscv"], "- - release - acquire release"),
    ("chase-lev", &["rc11"], "- - - - seq_cst seq_cst - - - - - - seq_cst - seq_cst -"),
    ("seqlock", &["rc11"], "- - release - - release acquire - - acquire -"),
    ("michael-scott", &["aarch64"], "- - - - - release - acquire - - - - - - - -"),
    ("rcu-pointer", &["rc11"], "release acquire"),
    ("rcu-pointer", &["aarch64"], "release -"),
    ("rcu-pointer", &["tso"], "- -"),
];

/// The classic structures; `cargo xtask bench orders` is about all of them under all of these models.
const STRUCTURES: &[&str] = &[
    "chase-lev",
    "clh",
    "dekker",
    "mcs",
    "michael-scott",
    "mpmc-ring",
    "rcu-pointer",
    "seqlock",
    "spsc-ring",
    "ticket",
    "treiber-hazard",
    "ttas",
];

/// What is said on standard output, and the exit code.
fn run(args: &[&str]) -> (String, Option<i32>) {
    let output = fencepost(args).output().expect("the binary starts");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!stdout(&output).is_empty(), "{args:?}: {error}");
    (stdout(&output), output.status.code())
}

fn last(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

/// A number that stands behind a word.
fn number(text: &str, word: &str) -> u64 {
    let rest = text.split(word).nth(1).unwrap_or_else(|| panic!("no {word} in {text}"));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("no number behind {word} in {text}"))
}

fn options<'a>(command: &[&'a str], models: &[&'a str]) -> Vec<&'a str> {
    command.iter().copied().chain(models.iter().flat_map(|model| ["--model", *model])).collect()
}

/// The places of memory orders in a text.
fn orders(text: &str) -> Vec<(usize, &str)> {
    let found = text.match_indices("memory_order_");
    found
        .map(|(at, prefix)| {
            let rest = &text[at + prefix.len()..];
            let end = rest.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            (at, &rest[..end])
        })
        .collect()
}

/// A text with another order at a place.
fn with_order(text: &str, at: usize, order: &str) -> String {
    let rest = &text[at + "memory_order_".len()..];
    let end = rest.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    format!("{}memory_order_{order}{}", &text[..at], &rest[end..])
}

/// The orders right below one.
fn weaker(order: &str) -> &'static [&'static str] {
    match order {
        "acquire" | "release" => &["relaxed"],
        "acq_rel" => &["acquire", "release"],
        "seq_cst" => &["acquire", "release"],
        _ => &[],
    }
}

fn compiles(path: &Path) {
    let output = Command::new("cc").args(["-std=gnu11", "-fsyntax-only"]).arg(path).output();
    // Without a compiler nothing of this could be preprocessed.
    let output = output.expect("there is a C compiler");
    assert!(output.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
}

#[test]
fn orders_are_as_weak_as_they_can_be() {
    let mut weakened = 0;
    for (name, models, expected) in EXPECTED {
        let file = root().join(format!("corpus/c/orders/{name}.c"));
        let before = std::fs::read_to_string(&file).expect("a text");
        let path = scratch("weaken").join(format!("{}-{name}.c", models.join("-")));
        std::fs::write(&path, &before).expect("the target folder can be written to");
        let changed = path.display().to_string();
        let (text, code) = run(&options(&["weaken", &changed, "--write"], models));
        assert_eq!(code, Some(0), "{name} under {models:?}\n{text}");
        let after = std::fs::read_to_string(&path).expect("a text");
        compiles(&path);
        let found: Vec<&str> = orders(&after).into_iter().map(|(_, order)| order).collect();
        assert_eq!(found.join(" ").replace("relaxed", "-"), *expected, "{name} under {models:?}\n{text}");
        for (at, order) in orders(&after) {
            let operation = after[..at].rsplit("atomic_").next().unwrap_or_default();
            let allowed = |weak: &&&str| match operation.split('_').next() {
                Some("load") => **weak != "release",
                Some("store") => **weak != "acquire",
                _ => true,
            };
            for weak in weaker(order).iter().filter(allowed) {
                std::fs::write(&path, with_order(&after, at, weak)).expect("the target folder can be written to");
                let is = |property: &str, model: &str| {
                    last(&run(&["check", &changed, "--model", model, "--property", property]).0) == "SAFE"
                };
                let right = |model: &&str| is("safety", model) && is("progress", model);
                assert!(!models.iter().all(right), "{name} under {models:?}: {order} at {at} could be {weak}");
                weakened += 1;
            }
        }
    }
    assert!(weakened > 25, "{weakened} orders were made weaker");
}

/// Nothing is forgotten on the way from either side.
#[test]
fn relaxed_programs_are_repaired_at_the_same_cost() {
    let dear = ["mcs", "treiber-hazard", "michael-scott", "mpmc-ring", "ttas"];
    for name in STRUCTURES {
        let file = root().join(format!("corpus/c/orders/{name}.c")).display().to_string();
        let text =
            std::fs::read_to_string(&file).expect("a text").replace("memory_order_seq_cst", "memory_order_relaxed");
        let path = scratch("weaken").join(format!("relaxed-{name}.c"));
        std::fs::write(&path, text).expect("the target folder can be written to");
        let relaxed = path.display().to_string();
        let models = ["aarch64", "rc11"];
        for model in models.iter().filter(|model| **model == "aarch64" || !dear.contains(name)) {
            let (weak, _) = run(&["weaken", &file, "--model", model]);
            let (strong, code) = run(&["fences", &relaxed, "--model", model, "--kinds", "orders"]);
            assert!(matches!(code, Some(0 | 5)), "{name} under {model}\n{strong}");
            assert_eq!(
                number(last(&weak), "(cost "),
                number(last(&strong), "(cost "),
                "{name} under {model}\n{weak}\n{strong}"
            );
        }
    }
}

fn program(name: &str, text: &str) -> String {
    let path = scratch("weaken").join(name);
    std::fs::write(&path, text).expect("the target folder can be written to");
    path.display().to_string()
}

const TAIL: &str = "int main(void)\n{\n    pthread_t s, t;\n    pthread_create(&s, 0, left, 0);\n    pthread_create(&t, 0, right, 0);\n    \
                    pthread_join(s, 0);\n    pthread_join(t, 0);\n    return 0;\n}\n";

/// Operations without an order, GNU's, and macros that stand for several accesses.
#[test]
fn orders_are_changed_where_the_text_has_them() {
    let head = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nint d; atomic_int x, y;\n";
    let left = "void *left(void *u) { d = 1; atomic_store(&x, (1)); return 0; }\n";
    let right = "void *right(void *u) { if (atomic_load(&x)) assert(d == 1); return 0; }\n";
    let file = program("implicit.c", &format!("{head}{left}{right}{TAIL}"));
    let (text, code) = run(&["weaken", &file, "--model", "aarch64", "--diff"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("atomic_store_explicit(&x, (1), memory_order_release);"), "{text}");
    assert!(text.contains("if (atomic_load_explicit(&x, memory_order_acquire))"), "{text}");
    let gnu = format!("{head}{left}{right}{TAIL}")
        .replace("atomic_store(&x, (1))", "__atomic_store_n((int *)&x, 1, __ATOMIC_SEQ_CST)")
        .replace("#include <stdatomic.h>\n", "")
        .replace("atomic_int", "int")
        .replace("atomic_load(&x)", "GET(&x)");
    let gnu = format!("#define GET(p) __atomic_load_n(p, __ATOMIC_SEQ_CST)\n{gnu}");
    let (text, code) = run(&["weaken", &program("gnu.c", &gnu), "--model", "aarch64", "--diff"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("+#define GET(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)"), "{text}");
    assert!(text.contains("__atomic_store_n((int *)&x, 1, __ATOMIC_RELEASE)"), "{text}");
}

#[test]
fn what_goes_wrong_as_it_is_is_not_weakened() {
    let wrong = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\n\
                 void *left(void *u) { atomic_store(&x, 1); return 0; }\n\
                 void *right(void *u) { assert(atomic_load(&x) == 0); return 0; }\n";
    let file = program("wrong.c", &format!("{wrong}{TAIL}"));
    let (text, code) = run(&["weaken", &file, "--model", "aarch64"]);
    assert_eq!((last(&text), code), ("NOT SAFE", Some(10)), "{text}");
    let plain = program(
        "plain.c",
        &format!(
            "#include <pthread.h>\nint x;\nvoid *left(void *u) {{ return u; }}\nvoid *right(void *u) {{ return u; }}\n{TAIL}"
        ),
    );
    let (text, code) = run(&["weaken", &plain, "--model", "aarch64"]);
    assert_eq!((last(&text), code), ("NOTHING TO WEAKEN (cost 0)", Some(0)), "{text}");
}

#[test]
fn one_repair_can_suit_several_models() {
    let file = root().join("corpus/c/orders/dekker.c");
    let text = std::fs::read_to_string(file).expect("a text").replace("memory_order_seq_cst", "memory_order_relaxed");
    let relaxed = program("together.c", &text);
    let models = ["aarch64", "tso"];
    let (text, code) = run(&options(&["fences", &relaxed, "--together", "--write", "--kinds", "orders"], &models));
    assert_eq!(code, Some(0), "{text}");
    for model in models {
        assert_eq!(last(&run(&["check", &relaxed, "--model", model]).0), "SAFE", "{model}: {text}");
    }
}

const MESSAGE: &str = "#include <assert.h>
#include <lkmm.h>
#include <pthread.h>
struct message { int data, ready; } m;
#define PUBLISH() smp_mb()
static void *writer(void *unused)
{
    WRITE_ONCE(m.data, 1);
    PUBLISH();
    smp_store_release(&m.ready, 1);
    return 0;
}
static void *reader(void *unused)
{
    if (smp_load_acquire(&m.ready)) {
        smp_mb();
        assert(READ_ONCE(m.data) == 1);
    }
    return 0;
}
int main(void)
{
    pthread_t w, r;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r, 0);
    return 0;
}
";

/// The kernel's operations have their order in their name, and take an object or a pointer; some stand in macros.
#[test]
fn operations_of_the_kernel_are_weakened_and_strengthened() {
    for model in ["lkmm", "aarch64"] {
        let strong = program(&format!("kernel-{model}.c"), MESSAGE);
        let (text, code) = run(&["weaken", &strong, "--model", model, "--write"]);
        assert_eq!(code, Some(0), "{text}");
        let weak = std::fs::read_to_string(&strong).expect("the weakened text");
        assert_eq!(weak, MESSAGE.replace("smp_mb()", "barrier()"), "{model}: {text}");
        assert_eq!(last(&run(&["check", &strong, "--model", model]).0), "SAFE", "{model}");
        let none = weak
            .replace("smp_store_release(&m.ready", "WRITE_ONCE(m.ready")
            .replace("smp_load_acquire(&m.ready", "READ_ONCE(m.ready");
        let relaxed = program(&format!("kernel-relaxed-{model}.c"), &none);
        assert_eq!(last(&run(&["check", &relaxed, "--model", model]).0), "UNSAFE", "{model}");
        let (text, code) = run(&["fences", &relaxed, "--kinds", "orders", "--model", model, "--write"]);
        assert_eq!((last(&text), code), ("FENCES 0 ORDERS 2 (cost 4)", Some(0)), "{model}: {text}");
        assert_eq!(std::fs::read_to_string(&relaxed).expect("the repaired text"), weak, "{model}: {text}");
    }
}

const RACE: &str = "#include <assert.h>
#include <pthread.h>
int data, ready, tries, *where;
static void *writer(void *unused)
{
    data = 1;
    ready = 1;
    tries = 2;
    return 0;
}
static void *reader(void *unused)
{
    int n = tries;
    if (ready) assert(data == 1);
    where = n ? &data : 0;
    return 0;
}
int main(void)
{
    pthread_t w, r;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r, 0);
    return 0;
}
";

/// Accesses that race are made atomic, no others, with the weakest order that is right; a line may have macros in it.
#[test]
fn accesses_that_race_are_made_atomic() {
    let file = program("race.c", RACE);
    let (text, code) = run(&["fences", &file, "--model", "rc11", "--write"]);
    assert_eq!((last(&text), code), ("FENCES 0 ORDERS 4 (cost 6)", Some(0)), "{text}");
    let expected = RACE
        .replace("    ready = 1", "    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE)")
        .replace("if (ready)", "if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))")
        .replace("    tries = 2", "    __atomic_store_n(&tries, 2, __ATOMIC_RELAXED)")
        .replace("int n = tries", "int n = __atomic_load_n(&tries, __ATOMIC_RELAXED)");
    assert_eq!(std::fs::read_to_string(&file).expect("the repaired text"), expected, "{text}");
    assert_eq!(last(&run(&["check", &file, "--model", "rc11"]).0), "SAFE", "{text}");
    compiles(Path::new(&file));
    // Machines have no data races: there the accesses stay as they are.
    let file = program("race-machine.c", RACE);
    let (text, _) = run(&["fences", &file, "--model", "aarch64"]);
    assert!(last(&text).starts_with("FENCES 2 "), "{text}");
}

const OPERATORS: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int ready;
struct box { int data; _Atomic long count; } box;
static void *writer(void *unused)
{
    struct box *b = &box;
    b->data = 1;
    b->count++;
    ready = b->count > 0;
    b->count += 2;
    return 0;
}
static void *reader(void *unused)
{
    while (!ready)
        ;
    int seen = box.data;
    box.count--;
    assert(seen == 1);
    return 0;
}
int main(void)
{
    pthread_t w, r;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r, 0);
    assert(box.count == 2);
    return 0;
}
";

/// Operators on atomic objects are sequentially consistent; weaker, they become functions with orders.
#[test]
fn operators_on_atomic_objects_are_weakened() {
    let file = program("operators.c", OPERATORS);
    let (text, code) = run(&options(&["weaken", &file, "--write"], &["rc11", "aarch64"]));
    assert_eq!(code, Some(0), "{text}");
    let relaxed = "memory_order_relaxed)";
    let expected = OPERATORS
        .replace("    b->count++", &format!("    atomic_fetch_add_explicit(&b->count, 1, {relaxed}"))
        .replace(
            "    ready = b->count > 0",
            &format!(
                "    atomic_store_explicit(&ready, atomic_load_explicit(&b->count, {relaxed} > 0, memory_order_release)"
            ),
        )
        .replace("    b->count += 2", &format!("    atomic_fetch_add_explicit(&b->count, 2, {relaxed}"))
        .replace("!ready", "!atomic_load_explicit(&ready, memory_order_acquire)")
        .replace("    box.count--", &format!("    atomic_fetch_sub_explicit(&box.count, 1, {relaxed}"));
    assert_eq!(std::fs::read_to_string(&file).expect("the weakened text"), expected, "{text}");
    for model in ["rc11", "aarch64"] {
        assert_eq!(last(&run(&["check", &file, "--model", model]).0), "SAFE", "{model}: {text}");
    }
    compiles(Path::new(&file));
}

/// Orders are changed where they stand: in a header, and in a full fence that has none.
#[test]
fn orders_are_weakened_in_headers_and_in_fences_without_orders() {
    let header = "#include <stdatomic.h>\nstatic atomic_int flag;\nstatic inline void raise_flag(void)\n{\n    \
                  __sync_synchronize();\n    atomic_store(&flag, 1);\n}\nstatic inline int is_raised(void)\n{\n    \
                  return atomic_load_explicit(&flag, memory_order_seq_cst);\n}\n";
    let main = "#include \"orders-flag.h\"\n#include <assert.h>\n#include <pthread.h>\nint data;\n\
                static void *a(void *u) { data = 1; raise_flag(); return u; }\n\
                static void *b(void *u) { if (is_raised()) assert(data == 1); return u; }\n\
                int main(void) { pthread_t p, q; pthread_create(&p, 0, a, 0); pthread_create(&q, 0, b, 0); \
                pthread_join(p, 0); pthread_join(q, 0); }\n";
    let header_file = program("orders-flag.h", header);
    let (text, code) = run(&options(&["weaken", &program("orders-header.c", main), "--write"], &["rc11", "aarch64"]));
    assert!(last(&text).starts_with("WEAKENED 3 of 3 (cost 4, ") && code == Some(0), "{text}");
    let expected = header
        .replace("__sync_synchronize()", "__atomic_thread_fence(__ATOMIC_RELAXED)")
        .replace("atomic_store(&flag, 1)", "atomic_store_explicit(&flag, 1, memory_order_release)")
        .replace("memory_order_seq_cst", "memory_order_acquire");
    assert_eq!(std::fs::read_to_string(&header_file).expect("the header"), expected, "{text}");
}

/// Where changes are allowed, how many, and what a loop costs.
#[test]
fn repairs_can_be_narrowed_down() {
    let file = root().join("corpus/c/orders/mcs.c");
    let text = std::fs::read_to_string(&file).expect("a text").replace("memory_order_seq_cst", "memory_order_relaxed");
    let (file, relaxed) = (file.display().to_string(), program("narrow.c", &text));
    let model = ["--model", "aarch64"];
    let (text, code) = run(&[&["weaken", &file, "--only", "20-25", "--not", "mcs.c:22"], &model[..]].concat());
    assert_eq!(code, Some(0), "{text}");
    let sites: Vec<&str> = text.lines().filter(|line| line.contains("seq_cst  ")).collect();
    assert!(sites.len() == 2 && sites[0].contains("  20  ") && sites[1].contains("  23  "), "{text}");
    let orders = ["fences", &relaxed, "--kinds", "orders"];
    let (text, code) = run(&[&orders[..], &["--at-most", "4"], &model].concat());
    assert_eq!((last(&text), code), ("NOT REPAIRABLE", Some(10)), "{text}");
    assert!(text.contains("No repair has at most 4 changes."), "{text}");
    let (text, code) = run(&[&orders[..], &["--at-most", "5"], &model].concat());
    assert_eq!((last(&text), code), ("FENCES 0 ORDERS 5 (cost 10)", Some(0)), "{text}");
    let costs = program("costs", "loop 4\n");
    let (text, code) = run(&[&orders[..], &["--cost", &costs], &model].concat());
    // Each thread locks twice, in a loop: all is dearer.
    assert_eq!((last(&text), code), ("FENCES 0 ORDERS 5 (cost 40)", Some(0)), "{text}");
}

/// Dearer and fewer: a full fence instead of two cheap orders.
#[test]
fn the_front_of_cost_and_changes_is_shown() {
    let head = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y, z;\n";
    let left = "void *left(void *u)\n{\n    atomic_store_explicit(&x, 1, memory_order_relaxed);\n    \
                atomic_store_explicit(&y, 1, memory_order_relaxed);\n    atomic_store_explicit(&z, 1, memory_order_relaxed);\n    \
                return 0;\n}\n";
    let right = "void *right(void *u)\n{\n    int c = atomic_load_explicit(&z, memory_order_acquire);\n    \
                 int b = atomic_load_explicit(&y, memory_order_acquire);\n    int a = atomic_load_explicit(&x, memory_order_acquire);\n    \
                 assert(!c || a);\n    assert(!b || a);\n    return 0;\n}\n";
    let file = program("front.c", &format!("{head}{left}{right}{TAIL}"));
    let (text, code) = run(&["fences", &file, "--model", "aarch64", "--pareto"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("Placement 1 of 2") && text.contains("these 2 memory orders"), "{text}");
    assert!(text.contains("Placement 2 of 2") && text.contains("this fence"), "{text}");
    let (text, code) = run(&["fences", &file, "--model", "aarch64", "--at-most", "1"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(last(&text).starts_with("FENCES 1 (cost "), "{text}");
}
