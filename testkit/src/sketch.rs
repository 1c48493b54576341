//! Programs written down quickly.

use ir::{
    Atom, BinaryOp, Block, BlockId, Cell, Comparison, Condition, Expr, Function, FunctionId, Instr, Local, LocalId,
    Location, Object, ObjectId, Op, Program, Proposition, Quantifier, Status, System, TagSet, Terminator, Thread,
    ThreadId, Width,
};
use source::{SourceFile, Span};

/// A program in the making. Instructions go to the end of the newest thread.
#[derive(Debug, Clone)]
pub struct Sketch {
    program: Program,
    /// The branches of the newest thread that are still open: the blocks they were made in, and whether they join.
    open: Vec<(BlockId, Expr, bool)>,
}

impl Sketch {
    /// A program without threads, with `int` locations that are zero at first.
    pub fn new(name: &str, arch: &str, locations: &[&str]) -> Self {
        let mut program = Program::new(name, arch, SourceFile::new(format!("{name}.txt"), ""));
        for location in locations {
            let cell = Cell { offset: 0, width: Width::INT, initial: Expr::constant(0, Width::INT) };
            program.objects.push(Object { name: (*location).to_owned(), cells: vec![cell], shared: true, align: 8 });
        }
        Sketch { program, open: Vec::new() }
    }

    /// Begins a thread.
    pub fn thread(&mut self) -> ThreadId {
        self.close_all();
        let at = self.program.threads.len();
        let name = format!("P{at}");
        let block = Block { instrs: Vec::new(), terminator: Terminator::Return(None) };
        self.program.threads.push(Thread { name: name.clone(), body: FunctionId(at as u32) });
        self.program.functions.push(Function {
            name,
            params: 0,
            library: false,
            locals: Vec::new(),
            blocks: vec![block],
        });
        ThreadId(at as u32)
    }

    fn function(&mut self) -> &mut Function {
        self.program.functions.last_mut().expect("a thread was begun")
    }

    /// The local of the newest thread with this name, of 32 bits if it is new.
    pub fn local(&mut self, name: &str) -> LocalId {
        self.sized_local(name, Width::INT)
    }

    /// The truth value of the newest thread with this name.
    pub fn truth(&mut self, name: &str) -> LocalId {
        self.sized_local(name, Width::BOOL)
    }

    fn sized_local(&mut self, name: &str, width: Width) -> LocalId {
        let locals = &mut self.function().locals;
        let at = locals.iter().position(|local| local.name == name).unwrap_or_else(|| {
            locals.push(Local { name: name.to_owned(), width });
            locals.len() - 1
        });
        LocalId(at as u32)
    }

    /// The word of the newest function with this name: a handle or an address.
    pub fn word(&mut self, name: &str) -> LocalId {
        self.sized_local(name, Width::WORD)
    }

    /// The tags with these names.
    pub fn tags(&mut self, names: &[&str]) -> TagSet {
        names.iter().map(|name| self.program.tag(name)).collect()
    }

    /// The address of the location with this number.
    pub fn address(location: usize) -> Expr {
        Expr::Address(ObjectId(location as u32), 0)
    }

    /// Adds an instruction.
    pub fn op(&mut self, op: Op) -> &mut Self {
        let block = self.function().blocks.last_mut().expect("a function has a block");
        block.instrs.push(Instr { op, span: Span::default() });
        self
    }

    /// Adds `name := [location]`.
    pub fn load(&mut self, name: &str, location: usize) -> &mut Self {
        let dst = self.local(name);
        self.op(Op::Load { dst, addr: Self::address(location), tags: TagSet::default(), reserve: false })
    }

    /// Adds `[location] := value`.
    pub fn store(&mut self, location: usize, value: i64) -> &mut Self {
        let value = Expr::constant(value, Width::INT);
        self.op(Op::Store { addr: Self::address(location), value, tags: TagSet::default() })
    }

    /// Adds a fence with one tag.
    pub fn fence(&mut self, tag: &str) -> &mut Self {
        let tags = self.tags(&[tag]);
        self.op(Op::Fence { tags })
    }

    /// Adds `name := [location], [location] := value` in one step, with these tags on the read and the write.
    pub fn exchange(&mut self, name: &str, location: usize, value: i64, tags: &[&str]) -> &mut Self {
        let (dst, tags) = (self.local(name), self.tags(tags));
        let value = Expr::constant(value, Width::INT);
        let addr = Self::address(location);
        self.op(Op::Rmw { dst, addr, when: None, value, read_tags: tags.clone(), write_tags: tags })
    }

    /// Adds a load of the location into `name` with a reservation.
    pub fn reserve(&mut self, name: &str, location: usize) -> &mut Self {
        let (dst, tags) = (self.local(name), self.tags(&["X"]));
        self.op(Op::Load { dst, addr: Self::address(location), tags, reserve: true })
    }

    /// Adds a store-conditional of a value to the location; `success` says whether it succeeded.
    pub fn store_conditional(&mut self, success: &str, location: usize, value: Expr) -> &mut Self {
        let (success, tags) = (self.truth(success), self.tags(&["X"]));
        self.op(Op::StoreConditional { success, addr: Self::address(location), value, tags, status: Status::Operands })
    }

    /// What follows, until [`Sketch::end_if`], happens only if the truth value holds.
    ///
    /// With `joins` the control dependency ends there, as in structured languages; else it never does.
    pub fn begin_if(&mut self, condition: Expr, joins: bool) -> &mut Self {
        let blocks = &mut self.function().blocks;
        let here = BlockId(blocks.len() as u32 - 1);
        blocks.push(Block { instrs: Vec::new(), terminator: Terminator::Return(None) });
        self.open.push((here, condition, joins));
        self
    }

    /// Ends the innermost conditional part.
    pub fn end_if(&mut self) -> &mut Self {
        let (branch, condition, joins) = self.open.pop().expect("a conditional part was begun");
        let blocks = &mut self.function().blocks;
        let after = BlockId(blocks.len() as u32);
        if let Some(last) = blocks.last_mut() {
            last.terminator = Terminator::Goto(after);
        }
        blocks[branch.index()].terminator = Terminator::Branch {
            condition,
            then: BlockId(branch.0 + 1),
            otherwise: after,
            join: joins.then_some(after),
            span: Span::default(),
        };
        blocks.push(Block { instrs: Vec::new(), terminator: Terminator::Return(None) });
        self
    }

    /// Begins a function that no thread runs from the start, with these parameters.
    pub fn routine(&mut self, name: &str, params: &[(&str, Width)]) -> FunctionId {
        self.close_all();
        let id = FunctionId(self.program.functions.len() as u32);
        let local = |&(name, width): &(&str, Width)| Local { name: name.to_owned(), width };
        self.program.functions.push(Function {
            name: name.to_owned(),
            params: params.len() as u32,
            library: false,
            locals: params.iter().map(local).collect(),
            blocks: vec![Block { instrs: Vec::new(), terminator: Terminator::Return(None) }],
        });
        id
    }

    /// Adds an instruction of programs that start threads.
    pub fn system(&mut self, op: System) -> &mut Self {
        self.op(Op::System(op))
    }

    /// Adds `name := spawn function()`.
    pub fn spawn(&mut self, name: &str, function: FunctionId) -> &mut Self {
        let dst = self.word(name);
        self.system(System::Spawn { dst, function, args: Vec::new() })
    }

    /// Adds `join name`.
    pub fn join(&mut self, name: &str) -> &mut Self {
        let thread = Expr::Local(self.word(name));
        self.system(System::Join { thread, result: None })
    }

    /// Adds `assert name == value`, with that as its message.
    pub fn assert_eq(&mut self, name: &str, value: i64) -> &mut Self {
        let condition = self.compare(BinaryOp::Eq, name, value);
        self.system(System::Assert { condition, message: format!("{name} == {value}") })
    }

    /// `name op value`, of a local of 32 bits.
    pub fn compare(&mut self, op: BinaryOp, name: &str, value: i64) -> Expr {
        Expr::Local(self.local(name)).binary(op, Expr::constant(value, Width::INT))
    }

    /// Adds a lock: `[location]` becomes 1 from 0, or the thread waits. `name` takes what was there.
    pub fn lock(&mut self, name: &str, location: usize) -> &mut Self {
        let (dst, tags) = (self.local(name), self.tags(&["LOCK", "X"]));
        let when = Some(self.compare(BinaryOp::Eq, name, 0));
        let (addr, value) = (Self::address(location), Expr::constant(1, Width::INT));
        self.op(Op::Rmw { dst, addr, when, value, read_tags: tags.clone(), write_tags: tags });
        let condition = self.compare(BinaryOp::Eq, name, 0);
        self.op(Op::Assume { condition, waits: true })
    }

    fn close_all(&mut self) {
        while !self.open.is_empty() {
            self.end_if();
        }
    }

    /// The program that begins with a function alone.
    pub fn finish_alone(mut self, main: FunctionId) -> Program {
        self.close_all();
        let mut program = self.program;
        let name = program.functions[main.index()].name.clone();
        program.threads = vec![Thread { name, body: main }];
        program.objects.iter_mut().for_each(|object| object.shared = false);
        write_source(&mut program);
        program
    }

    /// The program: all locals and the given memory locations are observed, and it is asked whether there is a final
    /// state with these values.
    pub fn finish(mut self, memory: &[usize], exists: &[(Location, u64)]) -> Program {
        self.close_all();
        let mut program = self.program;
        for (thread, function) in program.functions.iter().enumerate() {
            let local = |at| Location::Local(ThreadId(thread as u32), LocalId(at as u32));
            program.observed.extend((0..function.locals.len()).map(local));
        }
        program.observed.extend(memory.iter().map(|&location| memory_location(location)));
        if !exists.is_empty() {
            let atom = |&(location, value): &(Location, u64)| {
                Proposition::Atom(Atom { location, comparison: Comparison::Eq, value })
            };
            let proposition = Proposition::And(exists.iter().map(atom).collect());
            program.condition = Some(Condition { quantifier: Quantifier::Exists, proposition });
        }
        write_source(&mut program);
        program
    }
}

/// The location with this number as something observed.
pub(crate) fn memory_location(location: usize) -> Location {
    Location::Memory(ir::Address { object: ObjectId(location as u32), offset: 0 })
}

/// Gives the program its own printed form as its source, with the spans of instructions and branches in it.
pub(crate) fn write_source(program: &mut Program) {
    let text = program.to_string();
    let mut spans = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        // Instructions and terminators are indented by four, and nothing else is.
        if indent == 4 {
            spans.push(Span::new(start + indent, start + line.trim_end().len()));
        }
        start += line.len();
    }
    let mut spans = spans.into_iter();
    for function in &mut program.functions {
        for block in &mut function.blocks {
            for instr in &mut block.instrs {
                instr.span = spans.next().unwrap_or_default();
            }
            let here = spans.next().unwrap_or_default();
            match &mut block.terminator {
                Terminator::Branch { span, .. } | Terminator::Cut { span } => *span = here,
                Terminator::Goto(_) | Terminator::Return(_) | Terminator::Exit(_) => {}
            }
        }
    }
    program.source = SourceFile::new(format!("{}.txt", program.name), text);
}
