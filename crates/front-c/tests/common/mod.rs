//! Lowers C text, and runs what comes out: one thread at a time, unknown values are zero.

#![allow(dead_code, reason = "each test uses a part of this")]

use front_c::{Options, parse};
use ir::{Expr, FunctionId, LocalId, Op, Program, System, Terminator, Width};
use source::SourceFile;
use std::collections::BTreeMap;

/// Lowers a text that needs no preprocessor, and checks the rules that programs keep.
pub fn lower(text: &str) -> Program {
    lower_with(text, &Options::default())
}

pub fn lower_with(text: &str, options: &Options) -> Program {
    let file = SourceFile::new("t.i", text);
    let program = parse(&file, None, options).unwrap_or_else(|error| panic!("{}", error.render(false)));
    ir::validate(&program).unwrap_or_else(|error| panic!("{error}\n{program}"));
    program
}

/// The complaint about a text that is refused.
pub fn refused(text: &str) -> String {
    let file = SourceFile::new("t.i", text);
    match parse(&file, None, &Options::default()) {
        Ok(program) => panic!("this is accepted:\n{text}\n{program}"),
        Err(error) => error.render(false),
    }
}

/// How a run ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    Done,
    /// An assertion failed: its message and line.
    Failed(String, u32),
    /// A path that nobody asks about.
    Stopped,
    /// It did not end.
    TooLong,
}

/// Runs a program.
pub fn run(program: &Program) -> End {
    let mut machine = Machine { program, memory: BTreeMap::new(), objects: 0, steps: 0, threads: Vec::new() };
    for (object, o) in program.objects.iter().enumerate() {
        for cell in &o.cells {
            let value = match cell.initial {
                Expr::Const(value, _) => value,
                Expr::Address(object, offset) => address(object.0, offset),
                Expr::Local(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => panic!("{cell:?}"),
            };
            machine.memory.insert(address(object as u32, cell.offset), (value, cell.width));
        }
    }
    machine.objects = program.objects.len() as u32;
    match machine.call(program.threads[0].body, Vec::new(), 0) {
        Ok(_) | Err(Stop::Exit(_)) => End::Done,
        Err(Stop::End(end)) => end,
    }
}

fn address(object: u32, offset: u64) -> u64 {
    ir::Address { object: ir::ObjectId(object), offset }.to_bits()
}

enum Stop {
    End(End),
    Exit(Option<u64>),
}

struct Machine<'p> {
    program: &'p Program,
    /// Value and width by address. What was allocated without cells gets them when they are touched.
    memory: BTreeMap<u64, (u64, Width)>,
    objects: u32,
    steps: usize,
    threads: Vec<u64>,
}

impl Machine<'_> {
    fn call(&mut self, id: FunctionId, args: Vec<u64>, depth: usize) -> Result<Option<u64>, Stop> {
        if depth > 200 {
            return Err(Stop::End(End::TooLong));
        }
        let function = &self.program.functions[id.index()];
        let mut locals = args;
        locals.resize(function.locals.len(), 0);
        let mut block = 0;
        loop {
            for instr in &function.blocks[block].instrs {
                self.steps += 1;
                if self.steps > 1_000_000 {
                    return Err(Stop::End(End::TooLong));
                }
                let line = self.program.source.line(instr.span);
                self.op(&instr.op, id, &mut locals, depth, line)?;
            }
            let value = |e: &Expr, locals: &[u64]| self.eval(e, id, locals);
            match &function.blocks[block].terminator {
                Terminator::Goto(to) => block = to.index(),
                Terminator::Branch { condition, then, otherwise, .. } => {
                    block = if value(condition, &locals) != 0 { then.index() } else { otherwise.index() };
                }
                Terminator::Return(e) => return Ok(e.as_ref().map(|e| value(e, &locals))),
                Terminator::Exit(e) => return Err(Stop::Exit(e.as_ref().map(|e| value(e, &locals)))),
                Terminator::Cut { .. } => return Err(Stop::End(End::TooLong)),
            }
        }
    }

    fn eval(&self, e: &Expr, id: FunctionId, locals: &[u64]) -> u64 {
        ir::eval(e, &self.program.functions[id.index()], locals).0
    }

    fn read(&mut self, at: u64, width: Width) -> u64 {
        let cell = self.memory.entry(at).or_insert((0, width));
        assert_eq!(cell.1, width, "a read of another size than the cell at {at:#x}");
        cell.0
    }

    fn write(&mut self, at: u64, value: u64, width: Width) {
        assert!(at >= 1 << 40, "a write to {at:#x}");
        let cell = self.memory.entry(at).or_insert((0, width));
        assert_eq!(cell.1, width, "a write of another size than the cell at {at:#x}");
        cell.0 = value;
    }

    fn op(&mut self, op: &Op, id: FunctionId, locals: &mut [u64], depth: usize, line: u32) -> Result<(), Stop> {
        let function = &self.program.functions[id.index()];
        let width = |local: LocalId| function.locals[local.index()].width;
        match op {
            Op::Assign { dst, value } => locals[dst.index()] = self.eval(value, id, locals),
            Op::Load { dst, addr, .. } => {
                let at = self.eval(addr, id, locals);
                locals[dst.index()] = self.read(at, width(*dst));
            }
            Op::Store { addr, value, .. } => {
                let at = self.eval(addr, id, locals);
                let (value, width) = ir::eval(value, function, locals);
                self.write(at, value, width);
            }
            Op::Rmw { dst, addr, when, value, .. } => {
                let at = self.eval(addr, id, locals);
                locals[dst.index()] = self.read(at, width(*dst));
                if when.as_ref().is_none_or(|when| self.eval(when, id, locals) != 0) {
                    let value = self.eval(value, id, locals);
                    self.write(at, value, width(*dst));
                }
            }
            Op::StoreConditional { .. } => panic!("C has no such thing"),
            Op::Fence { .. } => {}
            Op::Assume { condition, .. } => {
                if self.eval(condition, id, locals) == 0 {
                    return Err(Stop::End(End::Stopped));
                }
            }
            Op::System(system) => self.system(system, id, locals, depth, line)?,
        }
        Ok(())
    }

    fn system(&mut self, op: &System, id: FunctionId, locals: &mut [u64], depth: usize, line: u32) -> Result<(), Stop> {
        match op {
            System::Call { dst, function, args } => {
                let args = args.iter().map(|arg| self.eval(arg, id, locals)).collect();
                let result = self.call(*function, args, depth + 1)?;
                if let Some(dst) = dst {
                    locals[dst.index()] = result.expect("a call with a destination returns something");
                }
            }
            System::Nondet { dst } => locals[dst.index()] = 0,
            System::Assert { condition, message } | System::Check { condition, message } => {
                if self.eval(condition, id, locals) == 0 {
                    return Err(Stop::End(End::Failed(message.clone(), line)));
                }
            }
            // The thread runs at once, to its end.
            System::Spawn { dst, function, args } => {
                let args = args.iter().map(|arg| self.eval(arg, id, locals)).collect();
                let result = match self.call(*function, args, depth + 1) {
                    Ok(result) | Err(Stop::Exit(result)) => result,
                    Err(stop) => return Err(stop),
                };
                self.threads.push(result.unwrap_or(0));
                locals[dst.index()] = self.threads.len() as u64 + 1;
            }
            System::Join { thread, result } => {
                let thread = self.eval(thread, id, locals) as usize;
                if let Some(dst) = result {
                    locals[dst.index()] = self.threads[thread - 2];
                }
            }
            System::Current { dst } => locals[dst.index()] = 1,
            System::Alloc { dst, cells, .. } => {
                let object = self.objects;
                self.objects += 1;
                for cell in cells.iter().flatten() {
                    self.memory.insert(address(object, cell.offset), (0, cell.width));
                }
                locals[dst.index()] = address(object, 0);
            }
            System::AtomicBegin | System::AtomicEnd | System::Critical { .. } | System::Await | System::Publish => {}
        }
        Ok(())
    }
}
