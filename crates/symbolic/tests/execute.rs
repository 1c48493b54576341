//! Which events a program has: only those that another thread could see.

use ir::{
    BinaryOp, Block, BlockId, Cell, Expr, Function, FunctionId, Instr, Local, LocalId, Object, ObjectId, Op, Program,
    System, TagSet, Terminator, Thread, Width,
};
use logic::Bool;
use source::{SourceFile, Span};
use symbolic::{Kind, Settings, Structure, execute};

const INT: Width = Width::INT;

fn instr(op: Op) -> Instr {
    Instr { op, span: Span::default() }
}

fn block(ops: Vec<Op>, terminator: Terminator) -> Block {
    Block { instrs: ops.into_iter().map(instr).collect(), terminator }
}

fn function(name: &str, params: u32, locals: &[Width], blocks: Vec<Block>) -> Function {
    let local = |(at, &width): (usize, &Width)| Local { name: format!("l{at}"), width };
    let locals = locals.iter().enumerate().map(local).collect();
    Function { name: name.to_owned(), params, library: false, locals, blocks }
}

fn local(at: u32) -> Expr {
    Expr::Local(LocalId(at))
}

fn int(value: i64) -> Expr {
    Expr::constant(value, INT)
}

fn at(object: u32) -> Expr {
    Expr::Address(ObjectId(object), 0)
}

fn load(dst: u32, object: u32) -> Op {
    Op::Load { dst: LocalId(dst), addr: at(object), tags: TagSet::default(), reserve: false }
}

fn store(object: u32, value: Expr) -> Op {
    Op::Store { addr: at(object), value, tags: TagSet::default() }
}

fn branch(condition: Expr, then: u32, otherwise: u32) -> Terminator {
    let (then, otherwise) = (BlockId(then), BlockId(otherwise));
    Terminator::Branch { condition, then, otherwise, join: None, span: Span::default() }
}

/// A program whose first function is `main`, with these integers in memory.
fn program(objects: &[&str], functions: Vec<Function>) -> Program {
    let mut program = Program::new("t", "C", SourceFile::new("t.c", ""));
    for name in objects {
        let cells = vec![Cell { offset: 0, width: INT, initial: int(0) }];
        program.objects.push(Object { name: (*name).to_owned(), cells, shared: false, align: 8 });
    }
    program.functions = functions;
    program.threads.push(Thread { name: "main".to_owned(), body: FunctionId(0) });
    ir::validate(&program).expect("the program is well formed");
    program
}

fn run(program: &Program, unwind: u32) -> Structure {
    let settings = Settings {
        unwind: (unwind, unwind),
        free: u32::MAX,
        threads: u32::MAX,
        loops: &[],
        dependencies: true,
        choices: true,
        finals: false,
        mixed: false,
        waits: false,
        races: false,
        spins: false,
        go_on: &|| true,
    };
    execute(program, &settings).expect("the program can be executed")
}

/// The events of a kind that are not initial writes.
fn count(structure: &Structure, kind: Kind) -> usize {
    structure.events.iter().filter(|event| event.thread.is_some() && event.kind == kind).count()
}

fn spawn(dst: u32, function: u32) -> Op {
    Op::System(System::Spawn { dst: LocalId(dst), function: FunctionId(function), args: Vec::new() })
}

/// `main` starts the second function and then does `ops`.
fn main_with(ops: Vec<Op>, locals: &[Width]) -> Function {
    let mut all = vec![Op::System(System::Publish), spawn(0, 1)];
    all.extend(ops);
    let locals: Vec<Width> = [Width::WORD].into_iter().chain(locals.iter().copied()).collect();
    function("main", 0, &locals, vec![block(all, Terminator::Return(None))])
}

#[test]
fn only_cells_that_two_threads_use_make_events() {
    // x is written by one and read by the other, y is only main's, z is only read.
    let child = function("t", 0, &[INT], vec![block(vec![store(0, int(1)), load(0, 2)], Terminator::Return(None))]);
    let main = main_with(vec![store(1, int(5)), load(1, 1), load(1, 0), load(1, 2)], &[INT]);
    let structure = run(&program(&["x", "y", "z"], vec![main, child]), 1);
    assert_eq!(structure.locations.len(), 1);
    assert_eq!((count(&structure, Kind::Read), count(&structure, Kind::Write)), (1, 1));
}

#[test]
fn what_main_does_alone_becomes_the_initial_value() {
    let child = function("t", 0, &[INT], vec![block(vec![store(0, int(1))], Terminator::Return(None))]);
    let mut main = main_with(vec![load(1, 0)], &[INT]);
    main.blocks[0].instrs.insert(0, instr(store(0, int(7))));
    let structure = run(&program(&["x"], vec![main, child]), 1);
    assert_eq!(structure.terms.as_const(structure.events[0].value), Some(7));
    assert_eq!(count(&structure, Kind::Write), 1);
}

#[test]
fn a_loop_that_constants_decide_needs_no_bound() {
    // for (l0 = 0; l0 < 5; l0++) x = l0;
    let less = local(0).binary(BinaryOp::SLt, int(5));
    let step = Op::Assign { dst: LocalId(0), value: local(0).binary(BinaryOp::Add, int(1)) };
    let child = function(
        "t",
        0,
        &[INT],
        vec![
            block(vec![], Terminator::Goto(BlockId(1))),
            block(vec![], branch(less, 2, 3)),
            block(vec![store(0, local(0)), step], Terminator::Goto(BlockId(1))),
            block(vec![], Terminator::Return(None)),
        ],
    );
    let structure = run(&program(&["x"], vec![main_with(vec![load(1, 0)], &[INT]), child]), 1);
    assert_eq!(count(&structure, Kind::Write), 5);
    assert!(structure.cuts.iter().all(|(when, _)| *when == Bool::FALSE));
}

#[test]
fn a_loop_that_only_waits_goes_round_once() {
    // while (x == 0);
    let waits = local(0).binary(BinaryOp::Eq, int(0));
    let child = |store_too: bool| {
        let mut body = vec![load(0, 0)];
        if store_too {
            body.push(store(1, int(1)));
        }
        function(
            "t",
            0,
            &[INT],
            vec![
                block(vec![], Terminator::Goto(BlockId(1))),
                block(body, branch(waits.clone(), 1, 2)),
                block(vec![], Terminator::Return(None)),
            ],
        )
    };
    let main = || main_with(vec![store(0, int(1)), load(1, 1)], &[INT]);
    let pure = run(&program(&["x", "y"], vec![main(), child(false)]), 3);
    assert_eq!(count(&pure, Kind::Read), 1, "the second iteration would change nothing");
    assert!(pure.cuts.iter().all(|(when, _)| *when == Bool::FALSE));
    let seen = run(&program(&["x", "y"], vec![main(), child(true)]), 3);
    assert!(count(&seen, Kind::Read) > 3, "others can see that it goes round");
    assert!(seen.cuts.iter().any(|(when, _)| *when != Bool::FALSE));
}

#[test]
fn a_section_reads_and_writes_each_cell_once() {
    let begin = || Op::System(System::AtomicBegin);
    let end = || Op::System(System::AtomicEnd);
    let add = |dst: u32| Op::Assign { dst: LocalId(dst), value: local(dst).binary(BinaryOp::Add, int(1)) };
    let body = vec![begin(), load(0, 0), add(0), store(0, local(0)), load(0, 0), add(0), store(0, local(0)), end()];
    let child = function("t", 0, &[INT], vec![block(body, Terminator::Return(None))]);
    let structure = run(&program(&["x"], vec![main_with(vec![load(1, 0)], &[INT]), child]), 1);
    assert_eq!((count(&structure, Kind::Read), count(&structure, Kind::Write)), (2, 1));
}

#[test]
fn starting_and_joining_orders_threads() {
    let child = function("t", 0, &[INT], vec![block(vec![store(0, int(1))], Terminator::Return(None))]);
    let join = Op::System(System::Join { thread: local(0), result: None });
    let structure = run(&program(&["x"], vec![main_with(vec![join, load(1, 0)], &[INT]), child]), 1);
    let links: Vec<_> = structure.links.iter().map(|link| (link.from, link.to, link.when)).collect();
    assert_eq!(links, [((0, 0), (1, 0), Bool::TRUE), ((1, 1), (0, 0), Bool::TRUE)]);
}
