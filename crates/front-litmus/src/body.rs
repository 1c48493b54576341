//! A thread's function under construction.

use ir::{Block, BlockId, Expr, Function, FunctionId, Instr, Local, LocalId, Op, Place, Seam, Terminator, Width};
use source::Span;
use std::collections::HashMap;

/// A function that grows at its current block.
#[derive(Debug)]
pub(crate) struct Body {
    pub function: Function,
    /// Registers and variables by the name that identifies them.
    pub names: HashMap<String, LocalId>,
    /// The place of what is being translated.
    pub span: Span,
    /// Where a fence could be put in; the function is filled in when it is known.
    pub seams: Vec<Seam>,
    current: BlockId,
    temporaries: u32,
}

impl Body {
    /// An empty function, at its first block.
    pub fn new(thread: usize) -> Self {
        let function =
            Function { name: format!("P{thread}"), params: 0, library: false, locals: Vec::new(), blocks: Vec::new() };
        let span = Span::default();
        let mut body =
            Body { function, names: HashMap::new(), span, seams: Vec::new(), current: BlockId(0), temporaries: 0 };
        body.block();
        body
    }

    /// The local identified by `key`, which is added under `name` if it is new.
    pub fn local(&mut self, key: &str, name: &str, width: Width) -> LocalId {
        if let Some(&local) = self.names.get(key) {
            return local;
        }
        let local = self.push_local(name.to_owned(), width);
        self.names.insert(key.to_owned(), local);
        local
    }

    /// A local that no source can name.
    pub fn temporary(&mut self, width: Width) -> LocalId {
        self.temporaries += 1;
        self.push_local(format!("%t{}", self.temporaries), width)
    }

    fn push_local(&mut self, name: String, width: Width) -> LocalId {
        self.function.locals.push(Local { name, width });
        LocalId(self.function.locals.len() as u32 - 1)
    }

    /// The width of a local.
    pub fn width(&self, local: LocalId) -> Width {
        self.function.locals[local.index()].width
    }

    /// Adds an instruction to the current block.
    pub fn emit(&mut self, op: Op) {
        let span = self.span;
        self.function.blocks[self.current.index()].instrs.push(Instr { op, span });
    }

    /// A statement could be put in here.
    pub fn seam(&mut self, place: Place) {
        let index = self.function.blocks[self.current.index()].instrs.len() as u32;
        self.seams.push(Seam { function: FunctionId(0), block: self.current, index, place });
    }

    /// Adds an assignment.
    pub fn assign(&mut self, dst: LocalId, value: Expr) {
        self.emit(Op::Assign { dst, value });
    }

    /// A new block, not yet entered, that returns.
    pub fn block(&mut self) -> BlockId {
        self.function.blocks.push(Block { instrs: Vec::new(), terminator: Terminator::Return(None) });
        BlockId(self.function.blocks.len() as u32 - 1)
    }

    /// Ends the current block and goes on in `next`.
    pub fn end(&mut self, terminator: Terminator, next: BlockId) {
        self.function.blocks[self.current.index()].terminator = terminator;
        self.current = next;
    }

    /// Falls through to `next` and goes on there.
    pub fn fall_into(&mut self, next: BlockId) {
        self.end(Terminator::Goto(next), next);
    }

    /// Ends the current block with a branch and goes on in `next`.
    pub fn branch(&mut self, condition: Expr, targets: (BlockId, BlockId), join: Option<BlockId>, next: BlockId) {
        let (then, otherwise) = targets;
        let span = self.span;
        self.end(Terminator::Branch { condition, then, otherwise, join, span }, next);
    }
}
