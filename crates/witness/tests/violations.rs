//! The checker accepts executions in which a property fails, and rejects everything else.

use ir::{
    Address, BinaryOp, Cell, Expr, FunctionId, Object, ObjectId, Op, Program, System, TagSet, Thread, ThreadId, Width,
};
use model::Model;
use source::Span;
use testkit::Sketch;
use witness::{Action, Event, EventId, Execution, Flaw, Property, Violation, check_violation, structure};

const ASSERTIONS: Property = Property::Assertions { memory: true };

fn at(object: u32) -> Address {
    Address { object: ObjectId(object), offset: 0 }
}

fn read(object: u32, value: u64) -> Action {
    Action::Read { address: at(object), value }
}

fn write(object: u32, value: u64) -> Action {
    Action::Write { address: at(object), value }
}

fn model(name: &str) -> Model {
    Model::builtin(name).unwrap_or_else(|| panic!("no model {name}"))
}

fn check(program: &Program, name: &str, execution: &Execution, property: Property) -> Result<(), Flaw> {
    ir::validate(program).unwrap_or_else(|error| panic!("{error}\n{program}"));
    check_violation(program, &model(name), execution, property)
}

/// The message of the flaw that an execution has.
fn flaw(program: &Program, execution: &Execution, property: Property) -> String {
    check(program, "tso", execution, property).expect_err("the execution has a flaw").to_string()
}

/// An execution in the making.
struct Draft<'a> {
    program: &'a Program,
    execution: Execution,
}

impl<'a> Draft<'a> {
    /// These locations are shared and hold these values at first; these functions are started as threads.
    fn new(program: &'a Program, initial: &[Action], started: &[FunctionId]) -> Self {
        let event = |action: &Action| {
            let (thread, tags, span) = (None, TagSet::default(), Span::default());
            Event { thread, action: *action, tags, span }
        };
        let thread = |&body: &FunctionId| Thread { name: format!("t{}", body.0), body };
        let execution = Execution {
            events: initial.iter().map(event).collect(),
            started: started.iter().map(thread).collect(),
            ..Execution::default()
        };
        Draft { program, execution }
    }

    /// An event of a thread: what the instruction with this number of a function's first block does.
    fn event(mut self, thread: u32, (function, index): (FunctionId, usize), action: Action) -> Self {
        let instr = &self.program.functions[function.index()].blocks[0].instrs[index];
        let tags = match &instr.op {
            Op::Load { tags, .. } | Op::Store { tags, .. } | Op::Fence { tags } => tags.clone(),
            Op::StoreConditional { tags, .. } => tags.clone(),
            Op::Rmw { read_tags, .. } => read_tags.clone(),
            Op::Assign { .. } | Op::Assume { .. } | Op::System(_) => TagSet::default(),
        };
        self.execution.events.push(Event { thread: Some(ThreadId(thread)), action, tags, span: instr.span });
        self
    }

    fn rf(mut self, pairs: &[(u32, u32)]) -> Self {
        self.execution.rf = pairs.iter().map(|&(write, read)| (EventId(write), EventId(read))).collect();
        self
    }

    fn co(mut self, orders: &[&[u32]]) -> Self {
        self.execution.co = orders.iter().map(|order| order.iter().map(|&write| EventId(write)).collect()).collect();
        self
    }

    fn choices(mut self, choices: &[&[u64]]) -> Self {
        self.execution.choices = choices.iter().map(|own| own.to_vec()).collect();
        self
    }

    /// The instruction at which a thread fails.
    fn fails(mut self, thread: u32, (function, index): (FunctionId, usize), message: &str) -> Execution {
        let span = self.program.functions[function.index()].blocks[0].instrs[index].span;
        let violation = Violation { thread: ThreadId(thread), span, message: message.to_owned() };
        self.execution.violation = Some(violation);
        self.execution
    }
}

const WRITER: FunctionId = FunctionId(0);
const MAIN: FunctionId = FunctionId(1);

/// Main sets `x` to 1, publishes, starts a thread that sets `x` to 2, perhaps joins it, and expects 1.
fn overwritten(joins: bool) -> Program {
    let mut sketch = Sketch::new("overwritten", "C", &["x", "y"]);
    sketch.routine("writer", &[]);
    sketch.store(0, 2).fence("MFENCE");
    let main = sketch.routine("main", &[]);
    sketch.store(0, 1).system(System::Publish).spawn("h", WRITER);
    if joins {
        sketch.join("h");
    }
    sketch.load("x", 0).assert_eq("x", 1);
    sketch.finish_alone(main)
}

/// Main reads the other thread's write. The load is instruction 3, or 4 after a join.
fn seen(program: &Program, joins: bool) -> Execution {
    let load = if joins { 4 } else { 3 };
    Draft::new(program, &[write(0, 1)], &[WRITER])
        .event(0, (MAIN, load), read(0, 2))
        .event(1, (WRITER, 0), write(0, 2))
        .event(1, (WRITER, 1), Action::Fence)
        .rf(&[(2, 1)])
        .co(&[&[0, 2]])
        .choices(&[&[1]])
        .fails(0, (MAIN, load + 1), "x == 1")
}

#[test]
fn an_assertion_that_fails() {
    for joins in [false, true] {
        let program = overwritten(joins);
        check(&program, "tso", &seen(&program, joins), ASSERTIONS).unwrap();
        check(&program, "rc11", &seen(&program, joins), ASSERTIONS).unwrap();
        assert!(flaw(&program, &seen(&program, joins), Property::Deadlock).contains("neither ended"));
    }
}

#[test]
fn joins_order_events_and_need_threads_that_end() {
    let program = overwritten(true);
    let s = structure(&program, &seen(&program, true)).unwrap();
    // The write and the fence of the thread come before the read after the join.
    assert!(s.po.iter().eq([(2, 1), (2, 3), (3, 1)]), "{:?}", s.po);
    assert_eq!(s.threads, [None, Some(0), Some(1), Some(1)]);
    let unjoined = overwritten(false);
    assert!(structure(&unjoined, &seen(&unjoined, false)).unwrap().po.iter().eq([(2, 3)]));

    let mut stops_early = seen(&program, true);
    stops_early.events.pop();
    assert!(flaw(&program, &stops_early, ASSERTIONS).contains("stops before its event 1"));
    let early = seen(&unjoined, false);
    let early = Execution { events: early.events[..3].to_vec(), ..early };
    check(&unjoined, "tso", &early, ASSERTIONS).unwrap();
}

#[test]
fn events_before_the_start_of_a_thread_come_first() {
    let mut sketch = Sketch::new("start", "C", &["x"]);
    sketch.routine("reader", &[]);
    sketch.load("x", 0).assert_eq("x", 1);
    let main = sketch.routine("main", &[]);
    sketch.system(System::Publish).store(0, 1).fence("MFENCE").spawn("h", WRITER);
    let program = sketch.finish_alone(main);
    let execution = Draft::new(&program, &[write(0, 0)], &[WRITER])
        .event(0, (MAIN, 1), write(0, 1))
        .event(0, (MAIN, 2), Action::Fence)
        .event(1, (WRITER, 0), read(0, 0))
        .rf(&[(0, 3)])
        .co(&[&[0, 1]])
        .choices(&[&[1]])
        .fails(1, (WRITER, 1), "x == 1");
    assert_eq!(check(&program, "tso", &execution, ASSERTIONS), Err(Flaw::Forbidden("uniproc".to_owned())));
}

#[test]
fn everything_must_be_right() {
    let program = overwritten(false);
    let changed = |change: &dyn Fn(&mut Execution)| {
        let mut execution = seen(&program, false);
        change(&mut execution);
        flaw(&program, &execution, ASSERTIONS)
    };
    let wrong = [
        (changed(&|e| e.events[0].action = write(0, 0)), "x is 0 in the execution, 1 is found"),
        (changed(&|e| e.events.insert(1, Event { action: write(2, 0), ..e.events[0].clone() })), "is not a location"),
        (changed(&|e| e.choices = vec![vec![2]]), "thread 2 is not one that can be started"),
        (changed(&|e| e.choices = vec![vec![0]]), "thread 0 is not one that can be started"),
        (changed(&|e| e.choices.clear()), "does not say what is chosen"),
        (changed(&|e| e.started[0].body = MAIN), "does not run the function"),
        (changed(&|e| e.violation = None), "does not say what fails"),
        (changed(&|e| e.violation.as_mut().unwrap().message.push('!')), "what fails is `x == 1`"),
        (changed(&|e| e.violation.as_mut().unwrap().span = Span::new(0, 1)), "at another place"),
        (changed(&|e| e.violation.as_mut().unwrap().thread = ThreadId(1)), "does not fail"),
        (changed(&|e| e.violation.as_mut().unwrap().thread = ThreadId(2)), "no such thread"),
        (changed(&|e| drop(e.events.remove(1))), "reads-from at event 1"),
        (changed(&|e| drop(e.events.remove(2))), "the tags of event 2"),
        (changed(&|e| e.events[2].span = Span::new(0, 1)), "comes from another instruction"),
        (changed(&|e| e.events[1].action = read(0, 1)), "the write has another location or value"),
        (changed(&|e| e.events[2].action = write(0, 3)), "is not the write of 2 to x"),
        (changed(&|e| e.events.swap(1, 2)), "does not stand with the events of its thread"),
        (changed(&|e| drop(e.events.drain(..3))), "several threads access it"),
    ];
    let mut other = seen(&program, false);
    other.started.push(other.started[0].clone());
    check(&program, "tso", &other, ASSERTIONS).unwrap();
    other.choices = vec![vec![2]];
    assert!(flaw(&program, &other, ASSERTIONS).contains("has events, but is never started"));
    for (found, expected) in wrong {
        assert!(found.contains(expected), "`{found}` is not `{expected}`");
    }
}

#[test]
fn handles_are_the_numbers_of_threads_and_one_more() {
    let mut sketch = Sketch::new("handles", "C", &[]);
    sketch.routine("writer", &[]);
    let own = sketch.word("own");
    sketch.system(System::Current { dst: own });
    let condition = Expr::Local(own).binary(BinaryOp::Ne, Expr::constant(3, Width::WORD));
    sketch.system(System::Assert { condition, message: "not 3".to_owned() });
    let main = sketch.routine("main", &[]);
    sketch.system(System::Publish).spawn("a", WRITER).spawn("b", WRITER);
    let program = sketch.finish_alone(main);
    let with = |choices: &[u64], thread| {
        Draft::new(&program, &[], &[WRITER, WRITER]).choices(&[choices]).fails(thread, (WRITER, 1), "not 3")
    };
    check(&program, "tso", &with(&[1, 2], 2), ASSERTIONS).unwrap();
    check(&program, "tso", &with(&[2, 1], 2), ASSERTIONS).unwrap();
    assert!(flaw(&program, &with(&[1, 2], 1), ASSERTIONS).contains("does not fail"));
    assert!(flaw(&program, &with(&[1, 1], 1), ASSERTIONS).contains("thread 1 is not one"));
}

/// Both threads read `x` and set it to one more, in sections if `atomic`; main expects that it is 0 or 2.
fn increments(atomic: bool) -> Program {
    let mut sketch = Sketch::new("increments", "C", &["x"]);
    let wrap = |sketch: &mut Sketch, op: System| {
        if atomic {
            sketch.system(op);
        } else {
            sketch.fence("MFENCE");
        }
    };
    for name in ["writer", "main"] {
        sketch.routine(name, &[]);
        if name == "main" {
            sketch.system(System::Publish).spawn("h", WRITER);
        }
        wrap(&mut sketch, System::AtomicBegin);
        sketch.load("x", 0);
        let value = Expr::Local(sketch.local("x")).binary(BinaryOp::Add, Expr::constant(1, Width::INT));
        sketch.op(Op::Store { addr: Sketch::address(0), value, tags: TagSet::default() });
        wrap(&mut sketch, System::AtomicEnd);
    }
    sketch.join("h").load("x", 0).assert_eq("x", 2);
    sketch.finish_alone(MAIN)
}

/// An execution of [`increments`] in which both threads read 0: between fences, or in sections.
fn lost(program: &Program, fences: bool) -> Draft<'_> {
    let mut draft = Draft::new(program, &[write(0, 0)], &[WRITER]);
    for (thread, function, first) in [(0, MAIN, 2), (1, WRITER, 0)] {
        if fences {
            draft = draft.event(thread, (function, first), Action::Fence);
        }
        draft = draft.event(thread, (function, first + 1), read(0, 0));
        // A section writes where it ends.
        let end = if fences { first + 2 } else { first + 3 };
        draft = draft.event(thread, (function, end), write(0, 1));
        if fences {
            draft = draft.event(thread, (function, first + 3), Action::Fence);
        }
        if thread == 0 {
            draft = draft.event(thread, (function, 7), read(0, 1));
        }
    }
    draft
}

#[test]
fn sections_are_not_interleaved() {
    let program = increments(false);
    let execution = lost(&program, true).rf(&[(0, 2), (3, 5), (0, 7)]).co(&[&[0, 8, 3]]).choices(&[&[1]]);
    check(&program, "tso", &execution.fails(0, (MAIN, 8), "x == 2"), ASSERTIONS).unwrap();

    let program = increments(true);
    let draft = lost(&program, false).rf(&[(0, 1), (2, 3), (0, 4)]).co(&[&[0, 5, 2]]).choices(&[&[1]]);
    let execution = draft.fails(0, (MAIN, 8), "x == 2");
    let s = structure(&program, &execution).unwrap();
    assert_eq!(s.sections.iter().flatten().count(), 4);
    assert_ne!(s.sections[1], s.sections[4]);
    assert_eq!(s.sections[1], s.sections[2]);
    for name in ["sc", "tso", "pso"] {
        let found = check(&program, name, &execution, ASSERTIONS);
        assert!(matches!(found, Err(Flaw::Forbidden(_))), "{name}: {found:?}");
    }
    let found = check(&program, "rc11", &execution, ASSERTIONS).expect_err("rc11 does not know sections");
    assert!(found.to_string().contains("does not say what an atomic section is"), "{found}");

    // A thread does not stop inside its section.
    let partial = Draft::new(&program, &[write(0, 0)], &[WRITER])
        .event(0, (MAIN, 3), read(0, 0))
        .rf(&[(0, 1)])
        .choices(&[&[1]])
        .fails(0, (MAIN, 8), "x == 2");
    assert!(flaw(&program, &partial, ASSERTIONS).contains("inside an atomic section"));
}

/// The thread takes `m`, which main holds, perhaps after main lets it go.
fn lock(unlocks: bool) -> Program {
    let mut sketch = Sketch::new("lock", "C", &["m"]);
    sketch.routine("writer", &[]);
    sketch.lock("l", 0);
    let main = sketch.routine("main", &[]);
    sketch.store(0, 1).system(System::Publish).spawn("h", WRITER);
    if unlocks {
        sketch.store(0, 0).fence("MFENCE");
    }
    sketch.join("h");
    sketch.finish_alone(main)
}

#[test]
fn a_deadlock_is_a_wait_for_the_last_write() {
    let program = lock(false);
    let draft = |program| Draft::new(program, &[write(0, 1)], &[WRITER]).choices(&[&[1]]);
    let execution = draft(&program).event(1, (WRITER, 0), read(0, 1)).rf(&[(0, 1)]).fails(1, (WRITER, 1), "deadlock");
    check(&program, "tso", &execution, Property::Deadlock).unwrap();
    let mut other = execution.clone();
    other.violation = Some(Violation {
        thread: ThreadId(0),
        span: program.functions[MAIN.index()].blocks[0].instrs[3].span,
        message: String::new(),
    });
    check(&program, "tso", &other, Property::Deadlock).unwrap();
    other.violation.as_mut().unwrap().span = Span::new(0, 1);
    assert!(flaw(&program, &other, Property::Deadlock).contains("does not wait there"));
    assert!(flaw(&program, &execution, ASSERTIONS).contains("does not fail"));
    let unlocking = lock(true);
    let execution = draft(&unlocking)
        .event(0, (MAIN, 3), write(0, 0))
        .event(0, (MAIN, 4), Action::Fence)
        .event(1, (WRITER, 0), read(0, 1))
        .rf(&[(0, 3)])
        .co(&[&[0, 1]])
        .fails(1, (WRITER, 1), "deadlock");
    assert!(flaw(&unlocking, &execution, Property::Deadlock).contains("what it read at event 3 changes"));
}

/// Main makes an object and reads a cell of 32 bits at this byte of it; expects 5.
fn fresh(offset: i64, zeroed: bool) -> Program {
    let mut sketch = Sketch::new("fresh", "C", &[]);
    sketch.routine("writer", &[]);
    let main = sketch.routine("main", &[]);
    let (dst, size) = (sketch.word("p"), Expr::constant(8, Width::WORD));
    sketch.system(System::Publish);
    sketch.system(System::Alloc {
        dst,
        name: "new".to_owned(),
        size,
        cells: None,
        zeroed,
        align: 16,
        storage: ir::life::Storage::Heap,
    });
    let addr = Expr::Local(dst).binary(BinaryOp::Add, Expr::constant(offset, Width::WORD));
    let value = sketch.local("r");
    sketch.op(Op::Load { dst: value, addr, tags: TagSet::default(), reserve: false });
    sketch.assert_eq("r", 5);
    sketch.finish_alone(main)
}

#[test]
fn objects_that_are_made() {
    let cell = |offset, width, value| Cell { offset, width, initial: Expr::constant(value, width) };
    let made = |program: &Program, cells: Vec<Cell>, shared: &[Action], index| {
        let mut draft = Draft::new(program, shared, &[]).choices(&[&[0]]);
        if !shared.is_empty() {
            draft = draft.event(0, (MAIN, 2), read(0, 6)).rf(&[(0, 1)]);
        }
        draft.execution.made = vec![Object { name: "new".to_owned(), cells, shared: false, align: 8 }];
        draft.fails(0, (MAIN, index), "r == 5")
    };
    let program = fresh(0, false);
    let int = |value| vec![cell(0, Width::INT, value)];
    check(&program, "tso", &made(&program, int(6), &[], 3), ASSERTIONS).unwrap();
    check(&program, "tso", &made(&program, int(6), &[write(0, 6)], 3), ASSERTIONS).unwrap();
    // What is not shared is bytes.
    let bytes = [6, 0, 0, 0].iter().enumerate().map(|(at, &byte)| cell(at as u64, Width::new(8), byte)).collect();
    check(&program, "tso", &made(&program, bytes, &[], 3), ASSERTIONS).unwrap();
    check(&program, "tso", &made(&program, vec![cell(0, Width::WORD, 6)], &[], 3), ASSERTIONS).unwrap();
    let rejected = [
        (made(&program, int(5), &[], 3), "does not fail"),
        (made(&program, int(7), &[write(0, 6)], 3), "new is 6 in the execution, 7 is found"),
        (made(&program, Vec::new(), &[], 3), "does not list new"),
        (
            made(&program, vec![cell(0, Width::WORD, 6)], &[write(0, 6)], 3),
            "32 bits covers a part of a shared location",
        ),
        (made(&program, vec![cell(0, Width::WORD, 5 | 6 << 32)], &[], 3), "does not fail"),
        (made(&program, vec![cell(1, Width::INT, 6)], &[], 3), "does not list new"),
        (made(&program, vec![cell(0, Width::INT, 6), cell(8, Width::INT, 6)], &[], 3), "no cell at byte 8"),
        (made(&program, vec![cell(0, Width::INT, 6), cell(2, Width::INT, 6)], &[], 3), "no cell at byte 2"),
    ];
    for (execution, expected) in rejected {
        let found = flaw(&program, &execution, ASSERTIONS);
        assert!(found.contains(expected), "`{found}` is not `{expected}`");
    }
    // A zeroed object holds zeros whatever the execution says.
    let zeroed = fresh(0, true);
    assert!(flaw(&zeroed, &made(&zeroed, int(6), &[write(0, 6)], 3), ASSERTIONS).contains("0 is found"));
    check(&zeroed, "tso", &made(&zeroed, int(5), &[], 3), ASSERTIONS).unwrap();
    // Beyond the object there is nothing.
    let outside = fresh(6, true);
    check(&outside, "tso", &made(&outside, Vec::new(), &[], 2), ASSERTIONS).unwrap();
    let lenient = Property::Assertions { memory: false };
    assert!(flaw(&outside, &made(&outside, Vec::new(), &[], 2), lenient).contains("does not fail"));
}

#[test]
fn a_section_reads_a_location_once_and_writes_it_at_its_end() {
    let mut sketch = Sketch::new("section", "C", &["x", "y"]);
    sketch.routine("writer", &[]);
    sketch.store(0, 5).store(1, 5);
    let main = sketch.routine("main", &[]);
    sketch.system(System::Publish).spawn("h", WRITER).system(System::AtomicBegin);
    sketch.load("a", 1).load("b", 1).store(1, 7).store(0, 8).load("c", 0).store(0, 9).fence("MFENCE");
    sketch.system(System::AtomicEnd).assert_eq("c", 9);
    let program = sketch.finish_alone(main);
    let draft = |events: &[(usize, Action)]| {
        let draft = Draft::new(&program, &[write(0, 0), write(1, 0)], &[WRITER]).choices(&[&[1]]);
        let events = events.iter();
        events.fold(draft, |draft, &(index, action)| draft.event(0, (MAIN, index), action))
    };
    let finish = |draft: Draft<'_>| draft.rf(&[(1, 2)]).co(&[&[0, 3], &[1, 4]]).fails(0, (MAIN, 11), "c == 9");
    let right = finish(draft(&[(3, read(1, 0)), (10, write(0, 9)), (10, write(1, 7))]));
    check(&program, "tso", &right, ASSERTIONS).unwrap();
    let wrong = [
        draft(&[(3, read(1, 0)), (10, write(1, 7)), (10, write(0, 9))]),
        draft(&[(3, read(1, 0)), (10, write(0, 8)), (10, write(1, 7))]),
        draft(&[(3, read(1, 0)), (4, read(1, 0)), (10, write(0, 9)), (10, write(1, 7))]),
        draft(&[(3, read(1, 0)), (10, write(0, 9))]),
        draft(&[(3, read(1, 0))]),
    ];
    for draft in wrong {
        let found = flaw(&program, &finish(draft), ASSERTIONS);
        assert!(found.contains("thread main"), "{found}");
    }
}

/// Main and another thread read `x`, and each is then inside a critical section until it writes `y`.
fn both_inside(leaves_early: bool) -> Program {
    let mut sketch = Sketch::new("critical", "C", &["x", "y"]);
    sketch.routine("other", &[]);
    sketch.load("x", 0).system(System::Critical { enter: true });
    if leaves_early {
        sketch.system(System::Critical { enter: false });
    }
    sketch.store(1, 1);
    let main = sketch.routine("main", &[]);
    sketch.system(System::Publish).spawn("h", WRITER).load("x", 0);
    sketch.system(System::Critical { enter: true }).store(1, 2).system(System::Critical { enter: false });
    sketch.finish_alone(main)
}

#[test]
fn two_threads_inside_a_critical_section() {
    let message = witness::TWO_INSIDE;
    let entered = |program: &Program| {
        Draft::new(program, &[write(0, 0), write(1, 0)], &[WRITER])
            .event(0, (MAIN, 2), read(0, 0))
            .event(1, (WRITER, 0), read(0, 0))
            .rf(&[(0, 2), (0, 3)])
            .choices(&[&[1]])
            .fails(0, (MAIN, 3), message)
    };
    // A thread may stop between two instructions that make no events.
    for leaves_early in [false, true] {
        let program = both_inside(leaves_early);
        check(&program, "tso", &entered(&program), ASSERTIONS).unwrap();
    }
    let program = both_inside(true);
    let mut elsewhere = entered(&program);
    elsewhere.violation.as_mut().unwrap().span = elsewhere.events[2].span;
    assert!(flaw(&program, &elsewhere, ASSERTIONS).contains("not inside"));
    let mut alone = entered(&program);
    alone.events.pop();
    alone.rf.pop();
    assert!(flaw(&program, &alone, ASSERTIONS).contains("no other thread"));
    // After its write of `y` the other thread has left long ago.
    let left = Draft::new(&program, &[write(0, 0), write(1, 0)], &[WRITER])
        .event(0, (MAIN, 2), read(0, 0))
        .event(1, (WRITER, 0), read(0, 0))
        .event(1, (WRITER, 3), write(1, 1))
        .rf(&[(0, 2), (0, 3)])
        .co(&[&[1, 4]])
        .choices(&[&[1]])
        .fails(0, (MAIN, 3), message);
    assert!(flaw(&program, &left, ASSERTIONS).contains("no other thread"));
    assert!(flaw(&program, &entered(&program), Property::Deadlock).contains("neither ended"));
}
