//! The kernel's model on random tests with the kernel's operations: the judge and the partial-order engine find the same final
//! states, as many executions of each, and the same flags.

use engine::{FinalState, Options, Unobserved};
use ir::{Program, State};
use model::Model;
use session::{Reading, Request};
use source::SourceFile;
use std::collections::BTreeMap;
use std::fmt::Write;
use testkit::Rng;

/// The code of a thread, and how many registers it sets.
fn thread(rng: &mut Rng, locks: bool) -> (String, usize) {
    let (mut code, mut registers, mut open, mut locked) = (String::new(), 0, 0, false);
    let accesses = 2 + rng.below(2);
    let mut done = 0;
    while done < accesses {
        let place = *rng.pick(&["x", "y"]);
        let line = match rng.below(10) {
            0..3 => {
                done += 1;
                registers += 1;
                let read = match rng.below(4) {
                    0 => format!("smp_load_acquire({place})"),
                    1 => format!("*{place}"),
                    _ => format!("READ_ONCE(*{place})"),
                };
                format!("r{} = {read};", registers - 1)
            }
            3..6 => {
                done += 1;
                let value = 1 + rng.below(2);
                match rng.below(4) {
                    0 => format!("smp_store_release({place}, {value});"),
                    1 => format!("*{place} = {value};"),
                    2 if registers > 0 => format!("if (r0) {{ WRITE_ONCE(*{place}, {value}); }}"),
                    _ => format!("WRITE_ONCE(*{place}, {value});"),
                }
            }
            6 => {
                done += 1;
                registers += 1;
                let order = *rng.pick(&["", "_relaxed", "_acquire", "_release"]);
                let update = match rng.below(3) {
                    0 => format!("xchg{order}({place}, 1)"),
                    1 => format!("cmpxchg{order}({place}, 0, 2)"),
                    _ => format!("atomic_add_return{order}(1, {place})"),
                };
                format!("r{} = {update};", registers - 1)
            }
            7 => format!(
                "{}();",
                rng.pick(&["smp_mb", "smp_wmb", "smp_rmb", "synchronize_rcu", "smp_mb__after_spinlock"])
            ),
            8 if open == 0 || rng.chance(20) => {
                open += 1;
                "rcu_read_lock();".to_owned()
            }
            8 => {
                open -= 1;
                "rcu_read_unlock();".to_owned()
            }
            _ if !locks => continue,
            _ => {
                locked = !locked;
                if locked { "spin_lock(l);".to_owned() } else { "spin_unlock(l);".to_owned() }
            }
        };
        let _ = writeln!(code, "  {line}");
    }
    code.push_str(&"  rcu_read_unlock();\n".repeat(open));
    if locked {
        code.push_str("  spin_unlock(l);\n");
    }
    (code, registers)
}

/// A random test of two threads.
fn test(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let locks = rng.chance(40);
    let (mut text, mut observed) = (format!("C random-{seed}\n{{ }}\n"), "x; y;".to_owned());
    for number in 0..2 {
        let (code, registers) = thread(&mut rng, locks);
        let _ = writeln!(text, "P{number} (int *x, int *y, spinlock_t *l) {{\n{code}}}");
        (0..registers).for_each(|r| {
            let _ = write!(observed, " {number}:r{r};");
        });
    }
    text + &format!("locations [{observed}]\nexists (x=1)\n")
}

type Found = BTreeMap<State, (u64, Vec<String>)>;

fn states(program: &Program, model: &Model, engine: &str) -> Found {
    let request = Request { engine: Some(engine.to_owned()), options: Options::default(), ..Request::default() };
    let found = session::states(program, model, &request, &Unobserved)
        .unwrap_or_else(|failure| panic!("{engine}: {failure}\n{program}"))
        .unwrap_or_else(|reason| panic!("{engine}: {reason}\n{program}"));
    let entry = |FinalState { state, executions, flags, .. }| (state, (executions, flags));
    found.result.states.into_iter().map(entry).collect()
}

#[test]
fn engines_agree_under_the_kernels_model() {
    let model = Model::builtin("lkmm").expect("a model of ours");
    let (mut executions, mut flagged) = (0, 0);
    for seed in 0..60 {
        let text = test(seed);
        let file = SourceFile::new("random.litmus", text.as_str());
        let program = session::load(&file, &Reading::default()).unwrap_or_else(|failure| panic!("{failure}\n{text}"));
        let judged = states(&program, &model, "enumerate");
        assert_eq!(states(&program, &model, "partial-order"), judged, "seed {seed}\n{text}");
        executions += judged.values().map(|(count, _)| count).sum::<u64>();
        flagged += judged.values().filter(|(_, flags)| !flags.is_empty()).count();
    }
    assert!(executions > 200 && flagged > 20, "{executions} executions, {flagged} states with flags");
}

/// What the kernel's operations mean is for the kernel's model; read-copy-update is for no other.
#[test]
fn models_refuse_what_they_know_nothing_of() {
    let load = |text: &str| session::load(&SourceFile::new("t.litmus", text), &Reading::default()).expect("a test");
    let rcu = load("C t\n{ }\nP0 (int *x) { rcu_read_lock(); r0 = READ_ONCE(*x); rcu_read_unlock(); }\nexists (x=1)");
    let atomic = load("C t\n{ }\nP0 (atomic_int *x) { int r0 = atomic_load(x); }\nexists (x=1)");
    let plain = load("C t\n{ }\nP0 (int *x) { int r0 = *x; }\nexists (x=1)");
    let refuses = |program: &Program, name: &str| {
        session::suits(program, &Model::builtin(name).expect("a model of ours")).is_err()
    };
    assert!(!refuses(&rcu, "lkmm") && refuses(&rcu, "sc") && refuses(&rcu, "ppc"));
    assert!(refuses(&atomic, "lkmm") && !refuses(&atomic, "rc11") && !refuses(&atomic, "ppc"));
    assert!(!refuses(&plain, "lkmm") && !refuses(&plain, "rc11"));
    let with = |statement: &str| {
        let text = format!("int x;\nint main(void) {{\n    {statement}\n    return x;\n}}\n");
        session::load(&SourceFile::new("t.c", text), &Reading::default()).expect("a program")
    };
    let (machine, language) = (with("__asm__ volatile(\"mfence\" ::: \"memory\");"), with("__atomic_thread_fence(5);"));
    assert!(refuses(&machine, "rc11") && !refuses(&machine, "tso") && !refuses(&language, "rc11"));
    let kernel = "x = READ_ONCE(&x);";
    assert!(refuses(&with(kernel), "rc11") && !refuses(&with(kernel), "tso"));
    assert!(!refuses(&with("__asm__ volatile(\"\" ::: \"memory\");"), "rc11"));
}

/// A data race makes a program undefined; a lock that is not given back is only remarked upon.
#[test]
fn races_are_found() {
    let model = Model::builtin("lkmm").expect("a model of ours");
    let race = |writer: &str, reader: &str| {
        let text =
            format!("C t\n{{ }}\nP0 (int *x, int *y) {{ {writer} }}\nP1 (int *x, int *y) {{ {reader} }}\nexists (x=9)");
        let program = session::load(&SourceFile::new("t.litmus", text), &Reading::default()).expect("a test");
        let found = session::check(&program, &model, &Request::default(), &Unobserved).expect("a question for all");
        found.undefined
    };
    let named = Some("data-race".to_owned());
    assert_eq!(race("*x = 1;", "int r0 = READ_ONCE(*x);"), named);
    assert_eq!(race("*x = 1; smp_wmb(); WRITE_ONCE(*y, 1);", "int r0 = READ_ONCE(*y); int r1 = *x;"), named);
    let apart = "int r0 = smp_load_acquire(y); if (r0) { int r1 = *x; }";
    assert_eq!(race("*x = 1; smp_store_release(y, 1);", apart), None);
    assert_eq!(race("WRITE_ONCE(*x, 1);", "int r0 = READ_ONCE(*x);"), None);
    assert_eq!(race("int r0 = *x;", "int r0 = *x;"), None);
}
