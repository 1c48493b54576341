//! Programs that start threads, under the machines with store buffers. Every execution is checked by `witness`.

mod support;

use engine::{Engine, Findings, Guarantee, Options, Property, Question, Task, UNWIND, Unobserved};
use engine_reference::{Axiomatic, Operational};
use ir::{
    Address, Atom, BinaryOp, Block, BlockId, Cell, Comparison, Expr, FunctionId, LocalId, Location, ObjectId, Op,
    Program, Proposition, System, TagSet, Terminator, ThreadId, Width,
};
use source::Span;
use support::model;
use testkit::Sketch;
use witness::{Execution, Flaw, check_violation};

const ASSERTIONS: Property = Property::Assertions { memory: true };

/// What the engine finds, and how far it looked.
fn ask(program: &Program, name: &str, property: Property) -> (Option<Execution>, Guarantee) {
    ir::validate(program).unwrap_or_else(|error| panic!("{error}\n{program}"));
    let (model, options) = (model(name), Options::default());
    let task = Task { program, model: &model, question: Question::Violation(property), options: &options };
    assert_eq!(Operational.accepts(&task), Ok(()));
    let answer = Operational.run(&task, &Unobserved).unwrap_or_else(|why| panic!("{why}\n{program}"));
    let Findings::Reach(mut found) = answer.findings else { panic!("not an answer to the question") };
    let found = found.pop().flatten();
    if let Some(execution) = &found {
        check_violation(program, &model, execution, property)
            .unwrap_or_else(|flaw| panic!("{name}: {flaw}\n{program}\n{execution:#?}"));
    }
    (found, answer.guarantee)
}

fn fails(program: &Program, name: &str, property: Property) -> bool {
    let (found, guarantee) = ask(program, name, property);
    assert!(found.is_some() || guarantee.is_full(), "{guarantee:?}\n{program}");
    found.is_some()
}

fn violation(program: &Program, name: &str, property: Property) -> (u32, String) {
    let found = ask(program, name, property).0.and_then(|execution| execution.violation);
    found.map(|violation| (violation.thread.0, violation.message)).expect("the property fails")
}

/// Store buffering between two threads that main starts and joins; fails if both read 0.
fn store_buffering(fence: Option<&str>) -> Program {
    let mut sketch = Sketch::new("SB", "C", &["x", "y", "a", "b"]);
    let mut threads = Vec::new();
    for (own, other, result) in [(0, 1, 2), (1, 0, 3)] {
        threads.push(sketch.routine(&format!("t{own}"), &[]));
        sketch.store(own, 1);
        fence.into_iter().for_each(|fence| {
            sketch.fence(fence);
        });
        sketch.load("r", other);
        let value = Expr::Local(sketch.local("r"));
        sketch.op(Op::Store { addr: Sketch::address(result), value, tags: TagSet::default() });
        sketch.fence("MFENCE");
    }
    let main = sketch.routine("main", &[]);
    sketch.store(2, 1).store(3, 1).system(System::Publish);
    sketch.spawn("h0", threads[0]).spawn("h1", threads[1]).join("h0").join("h1");
    sketch.load("a", 2).load("b", 3);
    let (a, b) = (sketch.compare(BinaryOp::Eq, "a", 1), sketch.compare(BinaryOp::Eq, "b", 1));
    let condition = a.binary(BinaryOp::Or, b);
    sketch.system(System::Assert { condition, message: "a or b".to_owned() });
    sketch.finish_alone(main)
}

#[test]
fn store_buffering_fails_with_buffers_and_without_fences() {
    let program = store_buffering(None);
    assert!(!fails(&program, "sc", ASSERTIONS));
    assert!(fails(&program, "tso", ASSERTIONS));
    assert!(fails(&program, "pso", ASSERTIONS));
    for name in ["sc", "tso", "pso"] {
        assert!(!fails(&store_buffering(Some("MFENCE")), name, ASSERTIONS), "{name}");
        assert!(!fails(&store_buffering(None), name, Property::Deadlock), "{name}");
    }
}

/// Message passing; fails if the flag is seen but not the message. The fences are the writer's and the reader's.
fn message_passing(writer: Option<&str>, reader: Option<&str>) -> Program {
    let mut sketch = Sketch::new("MP", "C", &["x", "y"]);
    let thread = sketch.routine("writer", &[]);
    sketch.store(0, 1);
    writer.into_iter().for_each(|fence| {
        sketch.fence(fence);
    });
    sketch.store(1, 1);
    let main = sketch.routine("main", &[]);
    sketch.system(System::Publish).spawn("h", thread).load("flag", 1);
    reader.into_iter().for_each(|fence| {
        sketch.fence(fence);
    });
    sketch.load("message", 0);
    let (flag, message) = (sketch.compare(BinaryOp::Eq, "flag", 0), sketch.compare(BinaryOp::Eq, "message", 1));
    sketch.system(System::Assert { condition: flag.binary(BinaryOp::Or, message), message: "seen".to_owned() });
    sketch.finish_alone(main)
}

#[test]
fn fences_that_order_writes_only_are_enough_for_messages() {
    assert!(!fails(&message_passing(None, None), "tso", ASSERTIONS));
    assert!(fails(&message_passing(None, None), "pso", ASSERTIONS));
    assert!(fails(&message_passing(Some("WRFENCE"), None), "pso", ASSERTIONS));
    assert!(!fails(&message_passing(Some("WWFENCE"), None), "pso", ASSERTIONS));
}

#[test]
fn fences_between_a_write_and_a_read_are_enough_for_store_buffering() {
    for name in ["tso", "pso"] {
        assert!(fails(&store_buffering(Some("WWFENCE")), name, ASSERTIONS), "{name}");
        assert!(fails(&store_buffering(Some("RRFENCE")), name, ASSERTIONS), "{name}");
        assert!(!fails(&store_buffering(Some("WRFENCE")), name, ASSERTIONS), "{name}");
    }
}

/// Two threads increment `x`, with a mutex around or without; main expects 2 in the end.
fn counter(locked: bool) -> Program {
    let mut sketch = Sketch::new("counter", "C", &["x", "m"]);
    let thread = sketch.routine("count", &[]);
    if locked {
        sketch.lock("l", 1);
    }
    sketch.load("r", 0);
    let value = Expr::Local(sketch.local("r")).binary(BinaryOp::Add, Expr::constant(1, Width::INT));
    sketch.op(Op::Store { addr: Sketch::address(0), value, tags: TagSet::default() });
    sketch.fence("MFENCE");
    if locked {
        sketch.store(1, 0).fence("MFENCE");
    }
    let main = sketch.routine("main", &[]);
    sketch.system(System::Publish).spawn("a", thread).spawn("b", thread).join("a").join("b");
    sketch.load("x", 0).assert_eq("x", 2);
    sketch.finish_alone(main)
}

#[test]
fn a_mutex_makes_increments_atomic() {
    for name in ["sc", "tso", "pso"] {
        assert!(fails(&counter(false), name, ASSERTIONS), "{name}");
        assert!(!fails(&counter(true), name, ASSERTIONS), "{name}");
        assert!(!fails(&counter(true), name, Property::Deadlock), "{name}");
    }
    let execution = ask(&counter(false), "sc", ASSERTIONS).0.unwrap();
    let names: Vec<&str> = execution.started.iter().map(|thread| &*thread.name).collect();
    assert_eq!(names, ["count", "count"]);
    // The mutex is not touched, and no other location either.
    assert_eq!(execution.events.iter().filter(|event| event.thread.is_none()).count(), 1);
}

/// Two threads take two locks, in this order each.
fn two_locks(first: [usize; 2], second: [usize; 2]) -> Program {
    let mut sketch = Sketch::new("locks", "C", &["m", "n"]);
    let mut threads = Vec::new();
    for locks in [first, second] {
        threads.push(sketch.routine("t", &[]));
        sketch.lock("a", locks[0]).lock("b", locks[1]);
        sketch.store(locks[1], 0).store(locks[0], 0).fence("MFENCE");
    }
    let main = sketch.routine("main", &[]);
    sketch.system(System::Publish).spawn("a", threads[0]).spawn("b", threads[1]).join("a").join("b");
    sketch.finish_alone(main)
}

#[test]
fn locks_in_different_orders_deadlock() {
    for name in ["sc", "tso", "pso"] {
        assert!(fails(&two_locks([0, 1], [1, 0]), name, Property::Deadlock), "{name}");
        assert!(!fails(&two_locks([0, 1], [0, 1]), name, Property::Deadlock), "{name}");
        assert!(!fails(&two_locks([0, 1], [1, 0]), name, ASSERTIONS), "{name}");
    }
    assert_eq!(violation(&two_locks([0, 1], [1, 0]), "sc", Property::Deadlock), (0, "deadlock".to_owned()));
}

#[test]
fn a_violation_counts_while_another_thread_is_blocked() {
    let mut sketch = Sketch::new("blocked", "C", &["m", "x"]);
    let waits = sketch.routine("waits", &[]);
    sketch.lock("l", 0);
    let fails = sketch.routine("fails", &[]);
    sketch.load("x", 1).assert_eq("x", 1);
    let main = sketch.routine("main", &[]);
    sketch.store(0, 1).system(System::Publish).spawn("a", waits).spawn("b", fails).join("a");
    sketch.store(1, 1);
    let program = sketch.finish_alone(main);
    for name in ["sc", "tso", "pso"] {
        assert_eq!(violation(&program, name, ASSERTIONS), (2, "x == 1".to_owned()), "{name}");
    }
}

#[test]
fn assertions_in_the_prelude() {
    let mut sketch = Sketch::new("prelude", "C", &["x"]);
    let main = sketch.routine("main", &[]);
    sketch.store(0, 3).load("x", 0).assert_eq("x", 3).load("x", 0).assert_eq("x", 4);
    sketch.system(System::Publish);
    let program = sketch.finish_alone(main);
    let execution = ask(&program, "tso", ASSERTIONS).0.unwrap();
    assert!(execution.events.is_empty());
    assert_eq!(violation(&program, "tso", ASSERTIONS), (0, "x == 4".to_owned()));
}

/// A thread adds 1 to `x` and `y`, between `begin` and `end`; another reads both and expects no difference.
fn pair(begin: &[System], end: &[System]) -> Program {
    let mut sketch = Sketch::new("pair", "C", &["x", "y"]);
    let writer = sketch.routine("writer", &[]);
    sketch.fence("MFENCE");
    begin.iter().for_each(|op| {
        sketch.system(op.clone());
    });
    sketch.store(0, 1).store(1, 1);
    end.iter().for_each(|op| {
        sketch.system(op.clone());
    });
    sketch.fence("MFENCE");
    let main = sketch.routine("main", &[]);
    sketch.system(System::Publish).spawn("h", writer).fence("MFENCE");
    begin.iter().for_each(|op| {
        sketch.system(op.clone());
    });
    sketch.load("x", 0).load("y", 1);
    end.iter().for_each(|op| {
        sketch.system(op.clone());
    });
    let (x, y) = (Expr::Local(sketch.local("x")), Expr::Local(sketch.local("y")));
    sketch.system(System::Assert { condition: x.binary(BinaryOp::Eq, y), message: "same".to_owned() });
    sketch.finish_alone(main)
}

#[test]
fn atomic_sections_are_atomic() {
    use System::{AtomicBegin, AtomicEnd};
    for name in ["sc", "tso", "pso"] {
        assert!(fails(&pair(&[], &[]), name, ASSERTIONS), "{name}");
        assert!(!fails(&pair(&[AtomicBegin], &[AtomicEnd]), name, ASSERTIONS), "{name}");
        assert!(!fails(&pair(&[AtomicBegin, AtomicBegin], &[AtomicEnd, AtomicEnd]), name, ASSERTIONS), "{name}");
    }
}

/// A section waits until `x` is 1; main sets `x`, or not.
fn section_waits(sets: bool) -> Program {
    let mut sketch = Sketch::new("waits", "C", &["x", "y"]);
    let waits = sketch.routine("waits", &[]);
    sketch.system(System::AtomicBegin).load("x", 0);
    let condition = sketch.compare(BinaryOp::Eq, "x", 1);
    sketch.op(Op::Assume { condition, waits: true });
    sketch.store(1, 1).system(System::AtomicEnd);
    let main = sketch.routine("main", &[]);
    sketch.system(System::Publish).spawn("h", waits);
    sketch.store(0, if sets { 1 } else { 2 }).fence("MFENCE").join("h").load("y", 1).assert_eq("y", 0);
    sketch.finish_alone(main)
}

#[test]
fn a_section_that_cannot_go_on_does_not_take_place() {
    for name in ["sc", "tso", "pso"] {
        assert!(fails(&section_waits(true), name, ASSERTIONS), "{name}");
        assert!(!fails(&section_waits(true), name, Property::Deadlock), "{name}");
        assert!(!fails(&section_waits(false), name, ASSERTIONS), "{name}");
        assert!(fails(&section_waits(false), name, Property::Deadlock), "{name}");
    }
}

#[test]
fn results_and_arguments_go_from_thread_to_thread() {
    let mut sketch = Sketch::new("results", "C", &[]);
    let next = sketch.routine("next", &[("n", Width::WORD)]);
    let mut program = {
        let main = sketch.routine("main", &[]);
        let (h, r) = (sketch.word("h"), sketch.word("r"));
        let args = vec![Expr::constant(41, Width::WORD)];
        sketch.system(System::Publish).system(System::Spawn { dst: h, function: next, args });
        sketch.system(System::Join { thread: Expr::Local(h), result: Some(r) });
        let condition = Expr::Local(r).binary(BinaryOp::Ne, Expr::constant(42, Width::WORD));
        sketch.system(System::Assert { condition, message: "not 42".to_owned() });
        let condition = Expr::Local(h).binary(BinaryOp::Eq, Expr::constant(2, Width::WORD));
        sketch.system(System::Assert { condition, message: "handle".to_owned() });
        sketch.finish_alone(main)
    };
    let result = Expr::Local(LocalId(0)).binary(BinaryOp::Add, Expr::constant(1, Width::WORD));
    program.functions[next.index()].blocks[0].terminator = Terminator::Exit(Some(result));
    assert_eq!(violation(&program, "tso", ASSERTIONS), (0, "not 42".to_owned()));
    program.functions[next.index()].blocks[0].terminator = Terminator::Return(None);
    assert!(!fails(&program, "tso", ASSERTIONS));
}

#[test]
fn joins_that_never_end_are_deadlocks() {
    for handle in [0, 1, 7] {
        let mut sketch = Sketch::new("self", "C", &["x"]);
        let main = sketch.routine("main", &[]);
        sketch.system(System::Publish);
        sketch.system(System::Join { thread: Expr::constant(handle, Width::WORD), result: None });
        sketch.load("x", 0).assert_eq("x", 1);
        let program = sketch.finish_alone(main);
        assert!(fails(&program, "tso", Property::Deadlock), "{handle}");
        assert!(!fails(&program, "tso", ASSERTIONS), "{handle}");
    }
}

/// A cell of a new object is read at once; its size and the offset are bytes.
fn fresh(size: i64, offset: i64, cells: Option<Vec<Cell>>, zeroed: bool) -> Program {
    let mut sketch = Sketch::new("fresh", "C", &[]);
    let main = sketch.routine("main", &[]);
    let (dst, size) = (sketch.word("p"), Expr::constant(size, Width::WORD));
    sketch.system(System::Publish);
    sketch.system(System::Alloc {
        dst,
        name: "new".to_owned(),
        size,
        cells,
        zeroed,
        align: 16,
        storage: ir::life::Storage::Heap,
    });
    let addr = Expr::Local(dst).binary(BinaryOp::Add, Expr::constant(offset, Width::WORD));
    let bit = sketch.truth("bit");
    sketch.op(Op::Load { dst: bit, addr, tags: TagSet::default(), reserve: false });
    sketch.system(System::Assert { condition: Expr::Local(bit), message: "set".to_owned() });
    sketch.finish_alone(main)
}

#[test]
fn new_objects_hold_anything_or_zeros() {
    let cells = |offset| Some(vec![Cell { offset, width: Width::BOOL, initial: Expr::Const(0, Width::BOOL) }]);
    assert_eq!(violation(&fresh(4, 1, None, false), "sc", ASSERTIONS).1, "set");
    assert_eq!(violation(&fresh(4, 1, cells(1), true), "sc", ASSERTIONS).1, "set");
    for program in [fresh(4, 4, None, true), fresh(4, 2, cells(1), true), fresh(4, -1, None, true)] {
        assert_eq!(violation(&program, "sc", ASSERTIONS).1, "an access to no location");
        assert!(!fails(&program, "sc", Property::Assertions { memory: false }));
    }
}

#[test]
fn choices_are_enumerated_if_there_are_few() {
    let with = |width: Width, value: i64| {
        let mut sketch = Sketch::new("any", "C", &[]);
        let main = sketch.routine("main", &[("r", width)]);
        let dst = LocalId(0);
        let next = Expr::Local(dst).binary(BinaryOp::Add, Expr::constant(1, width));
        let condition = next.binary(BinaryOp::Ne, Expr::constant(value, width));
        sketch.system(System::Nondet { dst }).system(System::Assert { condition, message: "other".to_owned() });
        let mut program = sketch.finish_alone(main);
        program.functions[0].params = 0;
        program
    };
    assert!(fails(&with(Width::new(8), 200), "sc", ASSERTIONS));
    // Some values are tried in any case, but that is no proof.
    assert!(fails(&with(Width::INT, 1), "sc", ASSERTIONS));
    let (program, sc, options) = (with(Width::INT, 200), model("sc"), Options::default());
    let question = Question::Violation(ASSERTIONS);
    let task = Task { program: &program, model: &sc, question, options: &options };
    assert!(Operational.run(&task, &Unobserved).unwrap_err().to_string().contains("32 bits"));
    assert!(Axiomatic.accepts(&task).is_err());
}

/// Which threads there are from the start does not decide what can be asked.
#[test]
fn programs_that_start_threads_have_final_states() {
    let mut sketch = Sketch::new("race", "C", &["x"]);
    let one = sketch.routine("one", &[]);
    sketch.store(0, 1);
    let two = sketch.routine("two", &[]);
    sketch.store(0, 2);
    let main = sketch.routine("main", &[]);
    sketch.system(System::Publish).spawn("a", one).spawn("b", two).join("a").load("r", 0);
    let mut program = sketch.finish_alone(main);
    let (x, r) =
        (Location::Memory(Address { object: ObjectId(0), offset: 0 }), Location::Local(ThreadId(0), LocalId(2)));
    program.observed = vec![x, r];
    let (tso, options) = (model("tso"), Options::default());
    let task = Task { program: &program, model: &tso, question: Question::States, options: &options };
    assert!(Axiomatic.accepts(&task).is_err());
    let Findings::States(found) = Operational.run(&task, &Unobserved).unwrap().findings else { panic!("no states") };
    let values: Vec<Vec<u64>> = found.iter().map(|found| found.state.values().copied().collect()).collect();
    assert_eq!(values, [[1, 1], [1, 2], [2, 2]]);
    let is = |location, value| Proposition::Atom(Atom { location, comparison: Comparison::Eq, value });
    let goals = [Proposition::And(vec![is(x, 2), is(r, 1)]), is(r, 0)];
    let question = Question::Reach(&goals);
    let Findings::Reach(found) = Operational.run(&Task { question, ..task }, &Unobserved).unwrap().findings else {
        panic!("not an answer to the question")
    };
    let [Some(execution), None] = &found[..] else { panic!("{found:?}") };
    assert_eq!(witness::check(&program, &tso, execution, &goals[0]), Ok(()));
    assert_eq!(witness::check(&program, &tso, execution, &goals[1]), Err(Flaw::Goal));
}

#[test]
fn loops_and_recursion_are_cut_at_the_bound() {
    // A thread counts `r` up from 0 as long as it is not 3; the assertion says that it never ends.
    let mut sketch = Sketch::new("loop", "C", &[]);
    let main = sketch.routine("main", &[]);
    let dst = sketch.local("r");
    let value = Expr::Local(dst).binary(BinaryOp::Add, Expr::constant(1, Width::INT));
    sketch.op(Op::Assign { dst, value });
    let condition = sketch.compare(BinaryOp::Eq, "r", 3);
    let mut program = sketch.finish_alone(main);
    let assert = System::Assert { condition: Expr::Const(0, Width::BOOL), message: "never".to_owned() };
    let instrs = vec![ir::Instr { op: Op::System(assert), span: Span::new(1, 2) }];
    let (then, otherwise) = (BlockId(1), BlockId(0));
    let span = Span::new(3, 4);
    program.functions[0].blocks[0].terminator = Terminator::Branch { condition, then, otherwise, join: None, span };
    program.functions[0].blocks.push(Block { instrs, terminator: Terminator::Return(None) });
    assert_eq!(violation(&program, "sc", ASSERTIONS).1, "never");
    let (sc, options) = (model("sc"), Options { unwind: 1, ..Options::default() });
    let question = Question::Violation(ASSERTIONS);
    let task = Task { program: &program, model: &sc, question, options: &options };
    let answer = Operational.run(&task, &Unobserved).unwrap();
    assert_eq!(answer.guarantee, Guarantee::unwound(&program.source, 1, vec![span]));
    assert!(matches!(answer.findings, Findings::Reach(found) if found == [None]));

    let mut sketch = Sketch::new("recursion", "C", &[]);
    let again = FunctionId(0);
    sketch.routine("again", &[]);
    sketch.system(System::Call { dst: None, function: again, args: Vec::new() });
    let main = sketch.routine("main", &[]);
    sketch.system(System::Call { dst: None, function: again, args: Vec::new() });
    let (found, guarantee) = ask(&sketch.finish_alone(main), "sc", ASSERTIONS);
    assert!(found.is_none() && guarantee.bound(UNWIND).is_some_and(|bound| bound.value == Some(2)), "{guarantee:?}");
}

#[test]
fn instructions_of_the_library_stand_where_it_was_called() {
    let mut sketch = Sketch::new("library", "C", &["x"]);
    let inner = sketch.routine("inner", &[]);
    sketch.load("x", 0).assert_eq("x", 0);
    let outer = sketch.routine("outer", &[]);
    sketch.system(System::Call { dst: None, function: inner, args: Vec::new() });
    let thread = sketch.routine("thread", &[]);
    sketch.store(0, 1);
    let main = sketch.routine("main", &[]);
    sketch.system(System::Publish).spawn("h", thread);
    sketch.system(System::Call { dst: None, function: outer, args: Vec::new() });
    let mut program = sketch.finish_alone(main);
    program.functions[inner.index()].library = true;
    program.functions[outer.index()].library = true;
    let call = program.functions[main.index()].blocks[0].instrs[2].span;
    let execution = ask(&program, "tso", ASSERTIONS).0.unwrap();
    let own = execution.events.iter().filter(|event| event.thread == Some(ThreadId(0)));
    assert!(own.map(|event| event.span).eq([call]));
    assert_eq!(execution.violation.map(|violation| violation.span), Some(call));
}

#[test]
fn what_a_thread_could_do_later_does_not_matter() {
    let mut sketch = Sketch::new("later", "C", &["x"]);
    let writer = sketch.routine("writer", &[]);
    sketch.store(0, 1);
    let main = sketch.routine("main", &[]);
    sketch.system(System::Publish).spawn("h", writer).load("x", 0).assert_eq("x", 1);
    let program = sketch.finish_alone(main);
    let execution = ask(&program, "tso", ASSERTIONS).0.unwrap();
    assert!(execution.events.iter().all(|event| event.thread != Some(ThreadId(1))));
}
