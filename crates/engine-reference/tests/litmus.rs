//! Classic tests with the final states that the literature gives them, for both engines.

mod support;

use engine::{Engine, Findings, Guarantee, NoAnswer, Options, Question, Task, Unobserved};
use engine_reference::{Axiomatic, Operational};
use ir::{
    Address, Atom, BinaryOp, Block, BlockId, Cell, Comparison, Expr, Instr, LocalId, Location, ObjectId, Op, Program,
    Proposition, TagSet, Terminator, ThreadId, UnaryOp, Width,
};
use source::Span;
use std::collections::BTreeSet;
use support::{model, states};
use testkit::Sketch;

/// The values of the observed locations, registers first, in every final state, such as `0 1`.
fn outcomes(program: &Program, model_name: &str) -> BTreeSet<String> {
    let engines: [&dyn Engine; 2] = [&Operational, &Axiomatic];
    let [first, second] = engines.map(|engine| {
        let found = states(engine, program, &model(model_name), 10_000_000).expect("small tests have an answer");
        let show = |value: &u64| value.to_string();
        found.iter().map(|state| state.values().map(show).collect::<Vec<_>>().join(" ")).collect::<BTreeSet<_>>()
    });
    assert_eq!(first, second, "{} under {model_name}", program.name);
    first
}

/// Checks for each model whether the outcome is there.
fn expect(program: &Program, outcome: &str, sc: bool, tso: bool, pso: bool) {
    for (name, allowed) in [("sc", sc), ("tso", tso), ("pso", pso)] {
        let found = outcomes(program, name);
        assert_eq!(found.contains(outcome), allowed, "{} under {name}: {found:?}", program.name);
    }
}

fn set(outcomes: &[&str]) -> BTreeSet<String> {
    outcomes.iter().map(|outcome| (*outcome).to_owned()).collect()
}

#[test]
fn store_buffering() {
    let program = |fence: bool| {
        let mut sketch = Sketch::new("SB", "X86", &["x", "y"]);
        for (own, other) in [(0, 1), (1, 0)] {
            sketch.thread();
            sketch.store(own, 1);
            if fence {
                sketch.fence("MFENCE");
            }
            sketch.load("r", other);
        }
        sketch.finish(&[], &[])
    };
    assert_eq!(outcomes(&program(false), "sc"), set(&["0 1", "1 0", "1 1"]));
    assert_eq!(outcomes(&program(false), "tso"), set(&["0 0", "0 1", "1 0", "1 1"]));
    expect(&program(true), "0 0", false, false, false);
}

#[test]
fn message_passing() {
    let program = |fence: Option<&str>| {
        let mut sketch = Sketch::new("MP", "PPC", &["x", "y"]);
        sketch.thread();
        sketch.store(0, 1);
        if let Some(fence) = fence {
            sketch.fence(fence);
        }
        sketch.store(1, 1);
        sketch.thread();
        sketch.load("a", 1).load("b", 0);
        sketch.finish(&[], &[])
    };
    expect(&program(None), "1 0", false, false, true);
    for fence in ["SYNC", "LWSYNC", "EIEIO", "MFENCE"] {
        expect(&program(Some(fence)), "1 0", false, false, false);
    }
    expect(&program(Some("ISYNC")), "1 0", false, false, true);
}

#[test]
fn load_buffering() {
    let mut sketch = Sketch::new("LB", "X86", &["x", "y"]);
    for (own, other) in [(0, 1), (1, 0)] {
        sketch.thread();
        sketch.load("r", own).store(other, 1);
    }
    expect(&sketch.finish(&[], &[]), "1 1", false, false, false);
}

#[test]
fn two_plus_two_writes() {
    let mut sketch = Sketch::new("2+2W", "X86", &["x", "y"]);
    for (first, second) in [(0, 1), (1, 0)] {
        sketch.thread();
        sketch.store(first, 1).store(second, 2);
    }
    expect(&sketch.finish(&[0, 1], &[]), "1 1", false, false, true);
}

#[test]
fn independent_reads_of_independent_writes() {
    let mut sketch = Sketch::new("IRIW", "X86", &["x", "y"]);
    for (first, second) in [(0, 1), (1, 0)] {
        sketch.thread();
        sketch.store(first, 1);
        sketch.thread();
        sketch.load("a", first).load("b", second);
    }
    expect(&sketch.finish(&[], &[]), "1 0 1 0", false, false, false);
}

/// x86-TSO's n6: a thread reads its own write early.
#[test]
fn store_forwarding() {
    let mut sketch = Sketch::new("n6", "X86", &["x", "y"]);
    sketch.thread();
    sketch.store(0, 1).load("a", 0).load("b", 1);
    sketch.thread();
    sketch.store(1, 2).store(0, 2);
    expect(&sketch.finish(&[0], &[]), "1 0 1", false, true, true);
}

#[test]
fn a_locked_exchange_is_a_fence() {
    let program = |tags: &[&str]| {
        let mut sketch = Sketch::new("SB+xchg", "X86", &["x", "y"]);
        for (own, other) in [(0, 1), (1, 0)] {
            sketch.thread();
            sketch.exchange("a", own, 1, tags).load("b", other);
        }
        sketch.finish(&[], &[])
    };
    expect(&program(&["LOCK", "X"]), "0 0 0 0", false, false, false);
    let mut sketch = Sketch::new("xchg", "X86", &["x"]);
    for value in [1, 2] {
        sketch.thread();
        sketch.exchange("a", 0, value, &["LOCK", "X"]);
    }
    let exchange = sketch.finish(&[0], &[]);
    for name in ["sc", "tso", "pso"] {
        assert_eq!(outcomes(&exchange, name), set(&["0 1 2", "2 0 1"]), "{name}");
    }
}

#[test]
fn reservations_count_without_losing() {
    let mut sketch = Sketch::new("counter", "PPC", &["x"]);
    for _ in 0..2 {
        sketch.thread();
        let sum = Expr::Local(sketch.local("a")).binary(BinaryOp::Add, Expr::constant(1, Width::INT));
        sketch.reserve("a", 0).store_conditional("s", 0, sum);
    }
    let program = sketch.finish(&[0], &[]);
    // Register and success of each thread, then memory: two successes always make two.
    let expected = ["0 0 0 0 0", "0 0 0 1 1", "0 1 0 0 1", "0 1 1 0 1", "0 1 1 1 2", "1 0 0 1 1", "1 1 0 1 2"];
    for name in ["sc", "tso", "pso"] {
        let found = outcomes(&program, name);
        assert_eq!(found, set(&expected), "{name}");
    }
}

/// A store-conditional ends the reservation, whether it succeeds or fails.
#[test]
fn a_reservation_serves_once() {
    let mut sketch = Sketch::new("once", "PPC", &["x"]);
    sketch.thread();
    let value = |value| Expr::constant(value, Width::INT);
    sketch.reserve("a", 0).store_conditional("s", 0, value(1)).store_conditional("t", 0, value(2));
    let program = sketch.finish(&[0], &[]);
    for name in ["sc", "tso", "pso"] {
        assert_eq!(outcomes(&program, name), set(&["0 0 0 0", "0 1 0 1"]), "{name}");
    }
}

/// A reservation of the thread's own buffered write holds although another write gets to memory before that one.
#[test]
fn reservations_of_buffered_writes() {
    let mut sketch = Sketch::new("own", "PPC", &["x", "y"]);
    sketch.thread();
    sketch.store(0, 1).reserve("a", 0).load("b", 1).store_conditional("s", 0, Expr::constant(2, Width::INT));
    sketch.thread();
    sketch.store(1, 1).store(0, 5);
    let program = sketch.finish(&[0], &[]);
    expect(&program, "1 0 1 2", false, true, true);
    expect(&program, "5 0 1 2", false, false, true);
}

/// A loop that waits for a flag: cut, and complete when nobody can wait for long.
#[test]
fn loops_are_unrolled_and_the_answer_says_so() {
    let mut sketch = Sketch::new("spin", "C", &["x"]);
    sketch.thread();
    sketch.store(0, 1);
    sketch.thread();
    sketch.load("r", 0);
    let mut program = sketch.finish(&[], &[]);
    let register = Expr::Local(LocalId(0));
    let body = &mut program.functions[1];
    body.blocks[0].terminator = Terminator::Branch {
        condition: register.binary(BinaryOp::Eq, Expr::constant(0, Width::INT)),
        then: BlockId(0),
        otherwise: BlockId(1),
        join: None,
        span: Span::new(1, 2),
    };
    body.blocks.push(Block { instrs: Vec::new(), terminator: Terminator::Return(None) });
    assert_eq!(outcomes(&program, "tso"), set(&["1"]));
    let (options, tso) = (Options::default(), model("tso"));
    let task = Task { program: &program, model: &tso, question: Question::States, options: &options };
    let engines: [&dyn Engine; 2] = [&Operational, &Axiomatic];
    for engine in engines {
        let guarantee = engine.run(&task, &Unobserved).unwrap().guarantee;
        assert_eq!(guarantee, Guarantee::unwound(&program.source, 2, vec![Span::new(1, 2)]), "{}", engine.name());
    }
}

#[test]
fn an_access_to_nowhere_is_no_answer() {
    let mut sketch = Sketch::new("wild", "C", &["x"]);
    sketch.thread();
    sketch.store(0, 1);
    let mut program = sketch.finish(&[0], &[]);
    let wild = Op::Store {
        addr: Expr::constant(5, Width::WORD),
        value: Expr::constant(1, Width::INT),
        tags: TagSet::default(),
    };
    let span = program.functions[0].blocks[0].instrs[0].span;
    program.functions[0].blocks[0].instrs.push(Instr { op: wild, span });
    let (options, tso) = (Options::default(), model("tso"));
    let task = Task { program: &program, model: &tso, question: Question::States, options: &options };
    let engines: [&dyn Engine; 2] = [&Operational, &Axiomatic];
    for engine in engines {
        let line = program.source.line(span);
        match engine.run(&task, &Unobserved) {
            Err(NoAnswer::GaveUp(why)) => assert!(why.starts_with(&format!("line {line} accesses 5")), "{why}"),
            other => panic!("{}: {other:?}", engine.name()),
        }
    }
}

#[test]
fn models_without_buffers_are_refused_by_one() {
    let mut sketch = Sketch::new("empty", "PPC", &["x"]);
    sketch.thread();
    let program = sketch.finish(&[], &[]);
    let (options, power) = (Options::default(), model("power-frame"));
    let task = Task { program: &program, model: &power, question: Question::States, options: &options };
    let refusal = Operational.accepts(&task).unwrap_err();
    assert!(refusal.reason.contains("power-frame") && refusal.help.contains("enumerate"));
    assert_eq!(Axiomatic.accepts(&task), Ok(()));
}

/// The engines show executions for what can be reached, also beyond what is observed, and the checker accepts them.
#[test]
fn both_engines_show_what_they_find() {
    let mut sketch = Sketch::new("SB", "X86", &["x", "y"]);
    for (own, other) in [(0, 1), (1, 0)] {
        sketch.thread();
        sketch.store(own, 1).load("r", other);
    }
    let mut program = sketch.finish(&[], &[]);
    let is = |location, value| Proposition::Atom(Atom { location, comparison: Comparison::Eq, value });
    let register = |thread| Location::Local(ThreadId(thread), LocalId(0));
    let y = Location::Memory(Address { object: ObjectId(1), offset: 0 });
    let goals = [
        Proposition::And(vec![is(register(0), 0), is(register(1), 0)]),
        is(y, 1),
        is(y, 0),
        Proposition::And(vec![is(register(0), 1), is(register(1), 1)]),
    ];
    let (options, tso) = (Options::default(), model("tso"));
    let engines: [&dyn Engine; 2] = [&Operational, &Axiomatic];
    for (filter, expected) in
        [(None, [true, true, false, true]), (Some(is(register(0), 1)), [false, true, false, true])]
    {
        program.filter = filter;
        for engine in engines {
            let task = Task { program: &program, model: &tso, question: Question::Reach(&goals), options: &options };
            let Ok(Findings::Reach(found)) = engine.run(&task, &Unobserved).map(|answer| answer.findings) else {
                panic!("{} has no answer", engine.name())
            };
            assert_eq!(found.iter().map(Option::is_some).collect::<Vec<_>>(), expected, "{}", engine.name());
            for (execution, goal) in found.iter().zip(&goals).filter_map(|(e, goal)| Some((e.as_ref()?, goal))) {
                assert_eq!(witness::check(&program, &tso, execution, goal), Ok(()), "{}", engine.name());
            }
        }
    }
}

/// An access is as wide as its cell: a value is cut before it is stored, and an access of another width is refused.
#[test]
fn accesses_are_as_wide_as_their_cells() {
    let (byte, narrow) =
        (Width::new(8), |value| Expr::constant(value, Width::INT).unary(UnaryOp::Truncate(Width::new(8))));
    let program = |cut: bool| {
        let mut sketch = Sketch::new("widths", "C", &["x", "y"]);
        sketch.thread();
        let value = if cut { narrow(0x1FF) } else { Expr::constant(0x1FF, Width::INT) };
        sketch.op(Op::Store { addr: Sketch::address(0), value, tags: TagSet::default() });
        sketch.store(1, 0x1FF).load("a", 0).load("b", 1);
        let mut program = sketch.finish(&[0, 1], &[]);
        program.objects[0].cells[0] = Cell { offset: 0, width: byte, initial: Expr::constant(0, byte) };
        program.functions[0].locals[0].width = byte;
        program
    };
    for name in ["sc", "tso", "pso"] {
        assert_eq!(outcomes(&program(true), name), set(&["255 511 255 511"]), "{name}");
        for engine in [&Axiomatic as &dyn Engine, &Operational] {
            let found = states(engine, &program(false), &model(name), 1_000_000);
            let Err(NoAnswer::GaveUp(why)) = found else { panic!("{}: {found:?}", engine.name()) };
            assert!(why.contains("a part of a location"), "{why}");
        }
    }
}

/// A counter with a loop around load-reserve and store-conditional, up to two retries.
#[test]
fn reservations_in_loops() {
    let mut sketch = Sketch::new("loop", "PPC", &["x"]);
    for _ in 0..2 {
        sketch.thread();
        let sum = Expr::Local(sketch.local("a")).binary(BinaryOp::Add, Expr::constant(1, Width::INT));
        sketch.reserve("a", 0).store_conditional("s", 0, sum);
    }
    let mut program = sketch.finish(&[0], &[]);
    for body in &mut program.functions {
        let condition = Expr::Local(LocalId(1));
        let (then, otherwise) = (BlockId(1), BlockId(0));
        body.blocks[0].terminator =
            Terminator::Branch { condition, then, otherwise, join: None, span: Span::default() };
        body.blocks.push(Block { instrs: Vec::new(), terminator: Terminator::Return(None) });
    }
    for name in ["sc", "tso", "pso"] {
        assert_eq!(outcomes(&program, name), set(&["0 1 1 1 2", "1 1 0 1 2"]), "{name}");
    }
}

/// Executions are counted: the four outcomes of store buffering have one execution each.
#[test]
fn executions_are_counted() {
    let mut sketch = Sketch::new("SB", "X86", &["x", "y"]);
    for (own, other) in [(0, 1), (1, 0)] {
        sketch.thread();
        sketch.store(own, 1).load("r", other);
    }
    let program = sketch.finish(&[], &[]);
    let (options, tso) = (Options::default(), model("tso"));
    let task = Task { program: &program, model: &tso, question: Question::States, options: &options };
    let answer = Axiomatic.run(&task, &Unobserved).unwrap();
    let Findings::States(found) = answer.findings else { panic!("asked for states") };
    assert_eq!(found.iter().map(|state| state.executions).collect::<Vec<_>>(), [1, 1, 1, 1]);
    assert!(matches!(found[0].state.keys().next(), Some(Location::Local(..))));
}
