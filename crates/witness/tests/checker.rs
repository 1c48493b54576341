//! The checker accepts executions that exist and rejects everything else.

use ir::{
    Address, Atom, BinaryOp, Comparison, Expr, LocalId, Location, ObjectId, Op, Program, Proposition, State, TagSet,
    ThreadId, Width,
};
use model::Model;
use source::Span;
use testkit::Sketch;
use witness::{Action, Event, EventId, Execution, Flaw, check, structure};

fn model(name: &str) -> Model {
    Model::builtin(name).unwrap_or_else(|| panic!("no model {name}"))
}

fn at(location: u32) -> Address {
    Address { object: ObjectId(location), offset: 0 }
}

fn read(location: u32, value: u64) -> Action {
    Action::Read { address: at(location), value }
}

fn write(location: u32, value: u64) -> Action {
    Action::Write { address: at(location), value }
}

fn local(thread: u32, local: u32) -> Location {
    Location::Local(ThreadId(thread), LocalId(local))
}

/// An execution of straight-line code in which every instruction makes one event.
fn execution(program: &Program, actions: &[&[Action]], rf: &[(u32, u32)], co: &[&[u32]], finals: State) -> Execution {
    let initial = (0..program.objects.len() as u32).map(|location| Event {
        thread: None,
        action: write(location, 0),
        tags: TagSet::default(),
        span: Span::default(),
    });
    let mut events: Vec<Event> = initial.collect();
    for (thread, actions) in actions.iter().enumerate() {
        let instrs = program.functions[thread].blocks.iter().flat_map(|block| &block.instrs);
        for (action, instr) in actions.iter().zip(instrs) {
            let tags = match &instr.op {
                Op::Load { tags, .. } | Op::Store { tags, .. } | Op::Fence { tags } => tags.clone(),
                Op::StoreConditional { tags, .. } => tags.clone(),
                Op::Rmw { .. } | Op::Assign { .. } | Op::Assume { .. } | Op::System(_) => TagSet::default(),
            };
            let thread = Some(ThreadId(thread as u32));
            events.push(Event { thread, action: *action, tags, span: instr.span });
        }
    }
    Execution {
        events,
        rf: rf.iter().map(|&(write, read)| (EventId(write), EventId(read))).collect(),
        co: co.iter().map(|order| order.iter().map(|&write| EventId(write)).collect()).collect(),
        finals,
        ..Execution::default()
    }
}

/// Store buffering: both reads see zero.
fn store_buffering() -> (Program, Execution) {
    let mut sketch = Sketch::new("SB", "X86", &["x", "y"]);
    sketch.thread();
    sketch.store(0, 1).load("a", 1);
    sketch.thread();
    sketch.store(1, 1).load("b", 0);
    let program = sketch.finish(&[0], &[(local(0, 0), 0), (local(1, 0), 0)]);
    let finals = State::from([(local(0, 0), 0), (local(1, 0), 0), (Location::Memory(at(0)), 1)]);
    let actions: [&[Action]; 2] = [&[write(0, 1), read(1, 0)], &[write(1, 1), read(0, 0)]];
    let execution = execution(&program, &actions, &[(1, 3), (0, 5)], &[&[0, 2], &[1, 4]], finals);
    (program, execution)
}

/// Message passing: the flag is seen, the message is not.
fn message_passing() -> (Program, Execution) {
    let mut sketch = Sketch::new("MP", "X86", &["x", "y"]);
    sketch.thread();
    sketch.store(0, 1).store(1, 1);
    sketch.thread();
    sketch.load("a", 1).load("b", 0);
    let program = sketch.finish(&[], &[(local(1, 0), 1), (local(1, 1), 0)]);
    let finals = State::from([(local(1, 0), 1), (local(1, 1), 0)]);
    let actions: [&[Action]; 2] = [&[write(0, 1), write(1, 1)], &[read(1, 1), read(0, 0)]];
    let execution = execution(&program, &actions, &[(3, 4), (0, 5)], &[&[0, 2], &[1, 3]], finals);
    (program, execution)
}

fn bad(program: &Program) -> Proposition {
    program.condition.as_ref().expect("the programs of these tests ask something").bad()
}

#[test]
fn models_decide() {
    for (name, sb, mp) in [("sc", false, false), ("tso", true, false), ("pso", true, true)] {
        for ((program, execution), allowed) in [(store_buffering(), sb), (message_passing(), mp)] {
            let result = check(&program, &model(name), &execution, &bad(&program));
            match result {
                Ok(()) => assert!(allowed, "{} under {name}", program.name),
                Err(Flaw::Forbidden(axiom)) => assert!(!allowed, "{} under {name}: {axiom}", program.name),
                Err(flaw) => panic!("{} under {name}: {flaw}", program.name),
            }
        }
    }
}

#[test]
fn every_part_matters() {
    type Edit = (&'static str, fn(&mut Execution));
    let edits: &[Edit] = &[
        ("the value of a write", |e| e.events[2].action = write(0, 2)),
        ("the value of a read", |e| e.events[3].action = read(1, 1)),
        ("the location of a read", |e| e.events[3].action = read(0, 0)),
        ("a read that is a write", |e| e.events[3].action = write(1, 0)),
        ("an initial value", |e| e.events[0].action = write(0, 1)),
        ("the thread of an initial write", |e| e.events[0].thread = Some(ThreadId(0))),
        ("the thread of an event", |e| e.events[3].thread = Some(ThreadId(1))),
        ("the source of a read", |e| e.rf[0].0 = EventId(4)),
        ("a read without a source", |e| _ = e.rf.pop()),
        ("a read with two sources", |e| e.rf.push((EventId(4), EventId(3)))),
        ("a source that does not exist", |e| e.rf[0].0 = EventId(99)),
        ("a pair the wrong way round", |e| e.rf[0] = (EventId(3), EventId(1))),
        ("coherence the wrong way round", |e| e.co[0].reverse()),
        ("coherence without a write", |e| _ = e.co[0].pop()),
        ("coherence with a write twice", |e| e.co[0].push(EventId(2))),
        ("coherence with a write of another location", |e| e.co[0].push(EventId(4))),
        ("coherence of a location missing", |e| _ = e.co.remove(1)),
        ("coherence of a location twice", |e| e.co.push(e.co[0].clone())),
        ("coherence with an event that does not exist", |e| e.co[0].push(EventId(99))),
        ("an event missing at the end", |e| _ = e.events.pop()),
        ("an event missing in the middle", |e| _ = e.events.remove(3)),
        ("an event too many", |e| e.events.push(e.events[5].clone())),
        ("two events swapped", |e| e.events.swap(2, 3)),
        ("two threads swapped", |e| e.events[2..].rotate_left(2)),
        ("the place of an event", |e| e.events[2].span = Span::new(0, 1)),
        ("a tag", |e| e.events[2].tags.insert(ir::TagId(0))),
        ("a final register", |e| _ = e.finals.insert(local(0, 0), 1)),
        ("a final memory value", |e| _ = e.finals.insert(Location::Memory(at(0)), 0)),
        ("a final value missing", |e| _ = e.finals.pop_first()),
        ("a final value too many", |e| _ = e.finals.insert(Location::Memory(at(1)), 1)),
    ];
    let (program, good) = store_buffering();
    let goal = bad(&program);
    assert_eq!(check(&program, &model("tso"), &good, &goal), Ok(()));
    for (what, edit) in edits {
        let mut mutant = good.clone();
        edit(&mut mutant);
        let flaw = check(&program, &model("tso"), &mutant, &goal).expect_err(what);
        assert!(!matches!(flaw, Flaw::Forbidden(_) | Flaw::Goal), "{what}: {flaw}");
        assert!(!flaw.to_string().is_empty());
    }
}

#[test]
fn the_goal_and_the_filter_must_hold() {
    let (mut program, good) = store_buffering();
    let is = |location, value| Proposition::Atom(Atom { location, comparison: Comparison::Eq, value });
    let model = model("tso");
    assert_eq!(check(&program, &model, &good, &is(local(0, 0), 1)), Err(Flaw::Goal));
    assert_eq!(check(&program, &model, &good, &is(Location::Memory(at(1)), 1)), Ok(()), "not observed, but asked for");
    program.filter = Some(is(local(0, 0), 1));
    assert_eq!(check(&program, &model, &good, &Proposition::True), Err(Flaw::Filter));
}

#[test]
fn dependencies_are_syntactic() {
    let mut sketch = Sketch::new("deps", "PPC", &["x", "y"]);
    sketch.thread();
    let (a, b) = (sketch.local("a"), sketch.local("b"));
    sketch.load("a", 0);
    let zero = Expr::Local(a).binary(BinaryOp::Xor, Expr::Local(a)).unary(ir::UnaryOp::ZeroExtend(Width::WORD));
    let addr = Sketch::address(1).binary(BinaryOp::Add, zero);
    sketch.op(Op::Load { dst: b, addr, tags: TagSet::default(), reserve: false });
    let one = Expr::constant(1, Width::INT);
    let condition = |local| Expr::Local(local).binary(BinaryOp::Eq, Expr::constant(0, Width::INT));
    sketch.begin_if(condition(b), true);
    let value = Expr::Local(a).binary(BinaryOp::Add, one);
    sketch.op(Op::Store { addr: Sketch::address(0), value, tags: TagSet::default() });
    sketch.end_if();
    sketch.fence("SYNC");
    sketch.begin_if(condition(a), false);
    sketch.end_if();
    sketch.store(1, 2);
    let program = sketch.finish(&[], &[]);
    // Events: 0 and 1 initial, 2 a := x, 3 b := y, 4 x := a + 1, 5 the fence, 6 y := 2.
    let actions: [&[Action]; 1] = [&[read(0, 0), read(1, 0), write(0, 1), Action::Fence, write(1, 2)]];
    let execution = execution(&program, &actions, &[(0, 2), (1, 3)], &[&[0, 4], &[1, 6]], State::new());
    let found = structure(&program, &execution).unwrap();
    assert_eq!(found.addr.iter().collect::<Vec<_>>(), [(2, 3)]);
    assert_eq!(found.data.iter().collect::<Vec<_>>(), [(2, 4)]);
    assert_eq!(found.ctrl.iter().collect::<Vec<_>>(), [(2, 6), (3, 4)], "the first branch has joined");
    assert_eq!(found.po.iter().count(), 10);
    assert!(found.rf.contains(0, 2) && found.co.contains(1, 6));
}

#[test]
fn store_conditionals_need_their_reservation() {
    let mut sketch = Sketch::new("llsc", "PPC", &["x"]);
    sketch.thread();
    let one = Expr::constant(1, Width::INT);
    sketch.reserve("a", 0).store_conditional("s", 0, one.clone()).store_conditional("t", 0, one);
    let program = sketch.finish(&[], &[]);
    let finals = |s, t| State::from([(local(0, 0), 0), (local(0, 1), s), (local(0, 2), t)]);
    let actions: [&[Action]; 1] = [&[read(0, 0), write(0, 1)]];
    let chosen = |execution: Execution, choices: &[u64]| Execution { choices: vec![choices.to_vec()], ..execution };
    let once = chosen(execution(&program, &actions, &[(0, 1)], &[&[0, 2]], finals(1, 0)), &[1, 0]);
    assert_eq!(check(&program, &model("sc"), &once, &Proposition::True), Ok(()));
    assert!(structure(&program, &once).unwrap().rmw.contains(1, 2));
    assert!(structure(&program, &once).unwrap().amo.is_empty());
    let actions: [&[Action]; 1] = [&[read(0, 0), write(0, 1), write(0, 1)]];
    let twice = chosen(execution(&program, &actions, &[(0, 1)], &[&[0, 2, 3]], finals(1, 1)), &[1, 1]);
    let flaw = check(&program, &model("sc"), &twice, &Proposition::True);
    assert!(matches!(flaw, Err(Flaw::Thread { .. })), "{flaw:?}");
    let actions: [&[Action]; 1] = [&[read(0, 0)]];
    let never = chosen(execution(&program, &actions, &[(0, 1)], &[], finals(0, 0)), &[0, 0]);
    assert_eq!(check(&program, &model("sc"), &never, &Proposition::True), Ok(()), "both may fail");
}
