//! Random litmus tests, and the same as programs that start their threads: both machines must agree.

mod support;

use engine::{Engine, Findings, Options, Property, Question, Task, Unobserved};
use engine_reference::Operational;
use ir::{
    Address, BinaryOp, Block, Cell, Comparison, Expr, Function, FunctionId, Instr, Local, LocalId, Location, Object,
    ObjectId, Op, Program, Proposition, System, TagSet, Terminator, Thread, UnaryOp, Width,
};
use source::Span;
use std::collections::BTreeMap;
use support::model;
use testkit::{Config, generate};
use witness::check_violation;

/// The proposition as a truth value, where the final values are in these locals of a function.
fn formula(proposition: &Proposition, locals: &BTreeMap<Location, (LocalId, Width)>) -> Expr {
    let fold = |parts: &[Proposition], op: BinaryOp, unit: i64| {
        let parts = parts.iter().map(|part| formula(part, locals));
        parts.fold(Expr::constant(unit, Width::BOOL), |left, right| left.binary(op, right))
    };
    match proposition {
        Proposition::True => Expr::constant(1, Width::BOOL),
        Proposition::False => Expr::constant(0, Width::BOOL),
        Proposition::Atom(atom) => {
            let (local, width) = locals[&atom.location];
            let op = match atom.comparison {
                Comparison::Eq => BinaryOp::Eq,
                Comparison::Ne => BinaryOp::Ne,
            };
            Expr::Local(local).binary(op, Expr::Const(atom.value, width))
        }
        Proposition::Same(left, right) => {
            let word = |location: &Location| {
                let (local, width) = locals[location];
                let value = Expr::Local(local);
                if width == Width::WORD { value } else { value.unary(UnaryOp::ZeroExtend(Width::WORD)) }
            };
            word(left).binary(BinaryOp::Eq, word(right))
        }
        Proposition::Not(inner) => formula(inner, locals).unary(UnaryOp::Not),
        Proposition::And(parts) => fold(parts, BinaryOp::And, 1),
        Proposition::Or(parts) => fold(parts, BinaryOp::Or, 0),
        Proposition::Implies(left, right) => {
            formula(left, locals).unary(UnaryOp::Not).binary(BinaryOp::Or, formula(right, locals))
        }
    }
}

/// A program that starts the threads of a litmus test, joins them, and asserts that the goal is not reached.
fn started(litmus: &Program, goal: &Proposition) -> Program {
    let mut program = litmus.clone();
    let mut line = 0;
    let mut instr = |op: Op| {
        line += 1;
        Instr { op, span: Span::new(line, line + 1) }
    };
    let fence: TagSet = [program.tag("MFENCE")].into_iter().collect();
    let mut places: Vec<(Location, Address)> =
        litmus.addresses().map(|address| (Location::Memory(address), address)).collect();
    for (at, thread) in litmus.threads.iter().enumerate() {
        let mut end = vec![instr(Op::Fence { tags: fence.clone() })];
        for (local, info) in litmus.functions[thread.body.index()].locals.iter().enumerate() {
            let address = Address { object: ObjectId(program.objects.len() as u32), offset: 0 };
            let cell = Cell { offset: 0, width: info.width, initial: Expr::Const(0, info.width) };
            program.objects.push(Object {
                name: format!("{at}:{}", info.name),
                cells: vec![cell],
                shared: false,
                align: 8,
            });
            places.push((Location::Local(ir::ThreadId(at as u32), LocalId(local as u32)), address));
            let (addr, value) = (Expr::Address(address.object, 0), Expr::Local(LocalId(local as u32)));
            end.push(instr(Op::Store { addr, value, tags: TagSet::default() }));
        }
        end.push(instr(Op::Fence { tags: fence.clone() }));
        for block in &mut program.functions[thread.body.index()].blocks {
            block.instrs.iter_mut().for_each(|own| *own = instr(own.op.clone()));
            if matches!(block.terminator, Terminator::Return(_)) {
                block.instrs.extend(end.clone());
            }
        }
    }
    let mut main = Function { name: "main".into(), params: 0, library: false, locals: Vec::new(), blocks: Vec::new() };
    let mut local = |name: &str, width: Width| {
        main.locals.push(Local { name: name.to_owned(), width });
        LocalId(main.locals.len() as u32 - 1)
    };
    let mut instrs = vec![instr(Op::System(System::Publish))];
    let handles: Vec<LocalId> = litmus.threads.iter().map(|thread| local(&thread.name, Width::WORD)).collect();
    for (&dst, thread) in handles.iter().zip(&litmus.threads) {
        instrs.push(instr(Op::System(System::Spawn { dst, function: thread.body, args: Vec::new() })));
    }
    for &handle in &handles {
        instrs.push(instr(Op::System(System::Join { thread: Expr::Local(handle), result: None })));
    }
    let mut locals = BTreeMap::new();
    for (location, address) in places {
        let width = program.cell(address).expect("a place is a cell").width;
        let dst = local("final", width);
        let addr = Expr::Address(address.object, address.offset);
        instrs.push(instr(Op::Load { dst, addr, tags: TagSet::default(), reserve: false }));
        locals.insert(location, (dst, width));
    }
    let condition = formula(goal, &locals).unary(UnaryOp::Not);
    instrs.push(instr(Op::System(System::Assert { condition, message: "goal".to_owned() })));
    main.blocks.push(Block { instrs, terminator: Terminator::Return(None) });
    program.functions.push(main);
    program.threads = vec![Thread { name: "main".into(), body: FunctionId(program.functions.len() as u32 - 1) }];
    program.condition = None;
    program.objects.iter_mut().for_each(|object| object.shared = false);
    program.observed.clear();
    program
}

fn reaches(program: &Program, name: &str, question: Question<'_>) -> bool {
    ir::validate(program).unwrap_or_else(|error| panic!("{error}\n{program}"));
    let (model, options) = (model(name), Options::default());
    let task = Task { program, model: &model, question, options: &options };
    let answer = Operational.run(&task, &Unobserved).unwrap_or_else(|why| panic!("{why}\n{program}"));
    let Findings::Reach(found) = answer.findings else { panic!("not an answer to the question") };
    if let (Question::Violation(property), [Some(execution)]) = (question, &found[..]) {
        check_violation(program, &model, execution, property)
            .unwrap_or_else(|flaw| panic!("{name}: {flaw}\n{program}\n{execution:#?}"));
    }
    found[0].is_some()
}

#[test]
fn litmus_tests_and_programs_agree() {
    let config = Config {
        threads: 3,
        accesses: 7,
        unlocked: false,
        reservations: false,
        fences: vec!["MFENCE", "SFENCE", "LFENCE", "WWFENCE", "WRFENCE"],
        ..Config::default()
    };
    let (mut reached, mut missed) = (0, 0);
    for seed in 0..150 {
        let litmus = generate(seed, &config);
        let Some(condition) = &litmus.condition else { continue };
        let goal = &condition.proposition;
        let program = started(&litmus, goal);
        for name in ["sc", "tso", "pso"] {
            let expected = reaches(&litmus, name, Question::Reach(std::slice::from_ref(goal)));
            let question = Question::Violation(Property::Assertions { memory: true });
            assert_eq!(reaches(&program, name, question), expected, "seed {seed}, {name}\n{litmus}");
            *(if expected { &mut reached } else { &mut missed }) += 1;
        }
    }
    assert!(reached > 50 && missed > 50, "{reached} reached, {missed} not");
}
