//! Classical executions and the models that allow them.

mod common;

use common::Execution;
use model::{Evaluator, Model};

fn builtin(name: &str) -> Model {
    Model::builtin(name).unwrap_or_else(|| panic!("the model {name} does not load"))
}

/// The models of this list that allow the execution, in order.
fn allowed<'a>(execution: &Execution, models: &[&'a str]) -> Vec<&'a str> {
    let structure = execution.structure();
    let allows = |name: &&&str| {
        let model = builtin(name);
        let mut evaluator = Evaluator::new(&model, &structure);
        let consistent = evaluator.is_consistent();
        assert_eq!(consistent, evaluator.violated().is_empty(), "{name}");
        consistent
    };
    models.iter().filter(allows).copied().collect()
}

const MACHINES: &[&str] = &["sc", "tso", "x86tso", "pso", "rmo", "alpha", "power-frame", "ppc"];

/// The explanation of the one axiom that forbids the execution: its name, and its steps.
fn why(execution: &Execution, model: &str) -> (String, String) {
    let (model, structure) = (builtin(model), execution.structure());
    let mut evaluator = Evaluator::new(&model, &structure);
    let violated = evaluator.violated();
    let [axiom] = violated[..] else { panic!("{violated:?} are violated") };
    let explanation = evaluator.explain(axiom).expect("a violated axiom");
    let steps = &explanation.steps;
    for (at, step) in steps.iter().enumerate() {
        assert_eq!(step.to, steps[(at + 1) % steps.len()].from, "the steps make no cycle: {steps:?}");
    }
    let steps: Vec<String> = steps.iter().map(|s| format!("{} {} {}", s.from, s.relation, s.to)).collect();
    (model.axioms[axiom].name.clone(), steps.join(", "))
}

/// Store buffering: both threads write, then read the other's location and see nothing. Events 2 (3) 4, 5 (6) 7.
fn store_buffering(fence: Option<&'static str>) -> Execution {
    let mut e = Execution::new(&["x", "y"]);
    for (mine, other) in [("x", "y"), ("y", "x")] {
        e.thread().write(mine, &[]);
        if let Some(tag) = fence {
            e.fence(tag);
        }
        e.read(other, &[]);
    }
    e
}

#[test]
fn store_buffering_needs_a_full_fence() {
    assert_eq!(allowed(&store_buffering(None), MACHINES), &MACHINES[1..]);
    assert_eq!(allowed(&store_buffering(Some("MFENCE")), &MACHINES[..7]), [""; 0]);
    assert_eq!(allowed(&store_buffering(Some("SYNC")), &["tso", "pso", "rmo", "alpha", "power-frame", "ppc"]), [""; 0]);
    let frame = ["tso", "pso", "rmo", "alpha", "power-frame", "ppc"];
    assert_eq!(allowed(&store_buffering(Some("LWSYNC")), &frame), frame);
    assert_eq!(allowed(&store_buffering(Some("SFENCE")), &["tso", "x86tso", "pso"]), ["tso", "x86tso", "pso"]);
}

#[test]
fn the_cycle_of_store_buffering_is_shown_with_the_names_of_the_model() {
    assert_eq!(why(&store_buffering(None), "sc").1, "2 ppo 3, 3 fr 4, 4 ppo 5, 5 fr 2");
    let (axiom, steps) = why(&store_buffering(Some("MFENCE")), "tso");
    assert_eq!((axiom.as_str(), steps.as_str()), ("ghb", "2 mfence 4, 4 fr 5, 5 mfence 7, 7 fr 2"));
    assert_eq!(why(&store_buffering(Some("MFENCE")), "x86tso").1, "2 mfence 4, 4 fr 5, 5 mfence 7, 7 fr 2");
}

/// Message passing: data x, flag y; the reader sees the flag but not the data.
fn message_passing(writer: Option<&'static str>, reader: Option<&'static str>, address: bool) -> Execution {
    let mut e = Execution::new(&["x", "y"]);
    e.thread().write("x", &[]);
    if let Some(tag) = writer {
        e.fence(tag);
    }
    let flag = e.write("y", &[]);
    let first = e.thread().read("y", &[]);
    if let Some(tag) = reader {
        e.fence(tag);
    }
    let second = e.read("x", &[]);
    e.reads(first, flag);
    if address {
        e.addr(first, second);
    }
    e
}

#[test]
fn message_passing_needs_order_on_both_sides() {
    let weak = ["pso", "rmo", "alpha", "power-frame", "ppc"];
    assert_eq!(allowed(&message_passing(None, None, false), MACHINES), weak);
    assert_eq!(allowed(&message_passing(Some("LWSYNC"), None, false), MACHINES[3..].as_ref()), weak[1..]);
    // The frame's lwsync is not B-cumulative for a write and a read, so its Power allows more than the real one.
    assert_eq!(allowed(&message_passing(Some("LWSYNC"), None, true), &weak), ["alpha", "power-frame"]);
    assert_eq!(allowed(&message_passing(Some("SYNC"), None, true), &weak), ["alpha"]);
    assert_eq!(allowed(&message_passing(Some("EIEIO"), None, false), &["pso"]), [""; 0]);
    assert_eq!(allowed(&message_passing(Some("SFENCE"), None, false), &["pso"]), [""; 0]);
    assert_eq!(allowed(&message_passing(Some("LFENCE"), None, false), &["pso"]), ["pso"]);
    assert_eq!(allowed(&message_passing(Some("SFENCE"), Some("LFENCE"), false), &["rmo", "alpha"]), [""; 0]);
    assert_eq!(allowed(&message_passing(Some("LWSYNC"), Some("LWSYNC"), false), &weak), ["power-frame"]);
    assert_eq!(allowed(&message_passing(Some("SYNC"), Some("LWSYNC"), false), &weak), [""; 0]);
    assert_eq!(
        allowed(&message_passing(Some("LWSYNC"), Some("ISYNC"), false), &["power-frame", "ppc"]),
        ["power-frame", "ppc"]
    );
}

#[test]
fn a_branch_and_isync_order_reads_on_power() {
    let mut e = message_passing(Some("SYNC"), Some("ISYNC"), false);
    e.ctrl(5, 6);
    assert_eq!(allowed(&e, &["rmo", "power-frame", "ppc"]), ["rmo"]);
    let mut branch_only = message_passing(Some("SYNC"), None, false);
    branch_only.ctrl(5, 6);
    assert_eq!(allowed(&branch_only, &["rmo", "power-frame", "ppc"]), ["rmo", "power-frame", "ppc"]);
    let mut light = message_passing(Some("LWSYNC"), Some("ISYNC"), false);
    light.ctrl(5, 6);
    assert_eq!(why(&light, "ppc"), ("observation".to_owned(), "7 fre 2, 2 lwsync 4, 4 rfe 5, 5 ppo 7".to_owned()));
}

#[test]
fn load_buffering_is_for_the_weakest_and_needs_independence() {
    let mut e = Execution::new(&["x", "y"]);
    let a = e.thread().read("x", &[]);
    let b = e.write("y", &[]);
    let c = e.thread().read("y", &[]);
    let d = e.write("x", &[]);
    e.reads(a, d).reads(c, b);
    assert_eq!(allowed(&e, MACHINES), ["rmo", "alpha", "power-frame", "ppc"]);
    assert_eq!(allowed(&e, &["rc11"]), [""; 0]);
    e.data(a, b).ctrl(c, d);
    assert_eq!(allowed(&e, MACHINES), [""; 0]);
    assert_eq!(why(&e, "alpha").0, "thinair");
}

/// Independent reads of independent writes: two readers see the writes in different orders.
fn independent_reads(fence: Option<&'static str>, dependent: bool) -> Execution {
    let mut e = Execution::new(&["x", "y"]);
    let x = e.thread().write("x", &[]);
    let y = e.thread().write("y", &[]);
    for (first, second, write) in [("x", "y", x), ("y", "x", y)] {
        let a = e.thread().read(first, &[]);
        if let Some(tag) = fence {
            e.fence(tag);
        }
        let b = e.read(second, &[]);
        e.reads(a, write);
        if dependent {
            e.addr(a, b);
        }
    }
    e
}

#[test]
fn power_lets_threads_see_writes_at_different_times() {
    assert_eq!(allowed(&independent_reads(None, true), MACHINES), ["alpha", "power-frame", "ppc"]);
    assert_eq!(allowed(&independent_reads(Some("LWSYNC"), false), &MACHINES[3..]), ["power-frame", "ppc"]);
    assert_eq!(allowed(&independent_reads(Some("SYNC"), false), &MACHINES[3..]), [""; 0]);
    let (_, steps) = why(&independent_reads(Some("SYNC"), false), "power-frame");
    assert_eq!(steps, "2 rf 4, 4 sync 6, 6 fr 3, 3 rf 7, 7 sync 9, 9 fr 2");
}

#[test]
fn two_plus_two_writes() {
    let mut e = Execution::new(&["x", "y"]);
    let (a, b) = (e.thread().write("x", &[]), e.write("y", &[]));
    let (c, d) = (e.thread().write("y", &[]), e.write("x", &[]));
    e.coherence("x", &[d, a]).coherence("y", &[b, c]);
    assert_eq!(allowed(&e, MACHINES), ["pso", "rmo", "alpha", "power-frame", "ppc"]);
}

/// As n6 of the x86 manuals: a thread reads its own write early, and nobody else sees it that soon.
#[test]
fn a_thread_reads_its_own_writes_early() {
    let mut e = Execution::new(&["x", "y"]);
    for (mine, other) in [("x", "y"), ("y", "x")] {
        let write = e.thread().write(mine, &[]);
        let own = e.read(mine, &[]);
        e.reads(own, write);
        e.read(other, &[]);
    }
    assert_eq!(allowed(&e, MACHINES), &MACHINES[1..]);
}

#[test]
fn a_location_is_coherent_in_every_model() {
    let mut e = Execution::new(&["x"]);
    let write = e.thread().write("x", &[]);
    let first = e.thread().read("x", &[]);
    e.read("x", &[]);
    e.reads(first, write);
    assert_eq!(allowed(&e, MACHINES), [""; 0]);
    assert_eq!(allowed(&e, &["rc11"]), [""; 0]);
    assert_eq!(why(&e, "power-frame"), ("uniproc".to_owned(), "1 rf 2, 2 po-loc 3, 3 fr 1".to_owned()));
}

#[test]
fn nothing_comes_between_the_halves_of_a_read_modify_write() {
    for (one_instruction, tags) in [(true, &["LOCK", "X"][..]), (false, &["X"][..])] {
        let mut e = Execution::new(&["x"]);
        let read = e.thread().read("x", tags);
        let write = e.write("x", tags);
        let other = e.thread().write("x", &[]);
        e.rmw(read, write, one_instruction).coherence("x", &[other, write]);
        assert_eq!(allowed(&e, MACHINES), [""; 0]);
        assert_eq!(why(&e, "rmo"), ("atomic".to_owned(), "1 fre 3, 3 coe 2, 2 rmw^-1 1".to_owned()));
        e.coherence("x", &[write, other]);
        assert_eq!(allowed(&e, MACHINES), MACHINES);
    }
}

#[test]
fn locked_instructions_are_fences_and_reservations_are_not() {
    for (tags, weak) in [(&["LOCK", "X"][..], false), (&["X"][..], true)] {
        let mut e = Execution::new(&["x", "y"]);
        for (mine, other) in [("x", "y"), ("y", "x")] {
            let read = e.thread().read(mine, tags);
            let write = e.write(mine, tags);
            e.rmw(read, write, !weak);
            e.read(other, &[]);
        }
        let expected: &[&str] = if weak { &["tso", "pso", "rmo", "alpha", "power-frame"] } else { &[] };
        assert_eq!(allowed(&e, &["sc", "tso", "pso", "rmo", "alpha", "power-frame"]), expected);
        if !weak {
            assert_eq!(allowed(&e, &["x86tso"]), [""; 0]);
        }
    }
}

#[test]
fn rc11_orders_release_and_acquire_and_finds_races() {
    let run = |store: &'static str, load: &'static str| {
        let mut e = Execution::new(&["x", "y"]);
        e.thread().write("x", &["NA"]);
        let flag = e.write("y", &[store]);
        let first = e.thread().read("y", &[load]);
        e.read("x", &["NA"]);
        e.reads(first, flag);
        let (model, structure) = (builtin("rc11"), e.structure());
        let mut evaluator = Evaluator::new(&model, &structure);
        let flags: Vec<&str> = evaluator.flags().iter().map(|axiom| model.axioms[*axiom].name.as_str()).collect();
        (evaluator.is_consistent(), flags.contains(&"data-race"))
    };
    assert_eq!(run("REL", "ACQ"), (false, false));
    assert_eq!(run("SC", "SC"), (false, false));
    assert_eq!(run("REL", "RLX"), (true, true));
    assert_eq!(run("RLX", "ACQ"), (true, true));
}

#[test]
fn rc11_orders_sc_accesses() {
    for (order, allowed_there) in [("SC", false), ("ACQ_REL", true)] {
        let mut e = Execution::new(&["x", "y"]);
        for (mine, other) in [("x", "y"), ("y", "x")] {
            e.thread().write(mine, &[order]);
            e.read(other, &[order]);
        }
        assert_eq!(!allowed(&e, &["rc11"]).is_empty(), allowed_there, "{order}");
    }
}

#[test]
fn one_evaluator_judges_many_executions() {
    let (model, mut e) = (builtin("tso"), store_buffering(Some("MFENCE")));
    let weak = e.structure();
    let strong = e.reads(7, 2).structure();
    let mut evaluator = Evaluator::new(&model, &weak);
    for _ in 0..3 {
        evaluator.set(&strong.rf, &strong.co);
        assert!(evaluator.is_consistent());
        evaluator.set(&weak.rf, &weak.co);
        assert!(!evaluator.is_consistent());
        assert_eq!(evaluator.violated().len(), 1);
    }
    let full = model.named("full").expect("defined in the frame");
    assert_eq!(evaluator.relation(full).iter().collect::<Vec<_>>(), [(2, 4), (5, 7)]);
    assert!(!evaluator.varies(full));
}

#[test]
fn the_lightweight_fence_is_cumulative_on_power() {
    // What another thread reads from after the fence: a chain over three threads.
    let run = |tag: &'static str| {
        let mut e = Execution::new(&["x", "y", "z"]);
        e.thread().write("z", &[]);
        e.fence("SYNC");
        let x = e.write("x", &[]);
        let a = e.thread().read("x", &[]);
        e.fence(tag);
        let y = e.write("y", &[]);
        let b = e.thread().read("y", &[]);
        let c = e.read("z", &[]);
        e.reads(a, x).reads(b, y).addr(b, c);
        allowed(&e, &["rmo", "alpha", "power-frame", "ppc"])
    };
    assert_eq!(run("LWSYNC"), ["alpha"]);
    assert_eq!(run("ISYNC"), ["rmo", "alpha", "power-frame", "ppc"]);

    // What the thread has read from another before the fence.
    let run = |tag: &'static str| {
        let mut e = Execution::new(&["x", "y"]);
        let x = e.thread().write("x", &[]);
        let a = e.thread().read("x", &[]);
        e.fence(tag);
        e.write("y", &[]);
        e.thread().write("y", &[]);
        e.fence("SYNC");
        e.read("x", &[]);
        e.reads(a, x);
        allowed(&e, &["power-frame"])
    };
    assert_eq!(run("LWSYNC"), [""; 0]);
    assert_eq!(run("EIEIO"), ["power-frame"]);
}
