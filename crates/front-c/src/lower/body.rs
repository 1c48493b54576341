//! A function under construction.

use super::scope::Scope;
use super::temporary::Temporary;
use super::usage::Usage;
use super::{Unit, Value};
use crate::types::Type;
use ir::{Block, BlockId, Expr, Function, Instr, Local, LocalId, Op, Terminator, Width};
use rustc_hash::FxHashMap;
use source::Span;
use std::rc::Rc;

/// A function that grows at its current block.
#[derive(Debug)]
pub(crate) struct Body {
    pub function: Function,
    /// The place of what is being translated.
    pub span: Span,
    pub unit: Unit,
    /// The scopes inside the function, the innermost last.
    pub scopes: Vec<Scope>,
    pub usage: Rc<Usage>,
    /// What it returns.
    pub result: Type,
    /// Where a structure is returned to: a parameter that holds an address.
    pub result_address: Option<LocalId>,
    /// Where `return` goes, and the local that holds the result, if more is to be done before the end.
    pub epilogue: Option<(BlockId, Option<LocalId>)>,
    /// Where thread-local variables are.
    pub tls: Option<LocalId>,
    /// The number of the program's arguments, in `main`.
    pub argc: Option<LocalId>,
    /// Where the arguments after `...` are.
    pub rest: Option<LocalId>,
    /// Whether this is `main`, which has no result.
    pub is_main: bool,
    /// The blocks of labels, and where each was first mentioned.
    pub labels: FxHashMap<String, Label>,
    /// How many labels belong to one block only.
    pub own_labels: u32,
    /// Where jumps to an address go, and the local that holds it.
    pub computed: Option<(LocalId, BlockId)>,
    /// The first `goto`.
    pub jumps: Option<Span>,
    /// Whether there are variables to be cleaned up.
    pub cleans: bool,
    /// Whether a block may be entered behind the declarations at its beginning.
    pub enters: bool,
    /// Whether a jump may lead past a declaration.
    pub skips: bool,
    /// Where `break` and `continue` go, and how many scopes there are.
    pub breaks: Vec<(BlockId, usize)>,
    pub continues: Vec<(BlockId, usize)>,
    pub switches: Vec<Switch>,
    /// In a loop that only waits for a condition variable: the local that says whether the last wait ended for no reason.
    pub woken: Option<LocalId>,
    /// The structures that live as long as the full expression.
    pub passing: Vec<Temporary>,
    current: BlockId,
    temporaries: u32,
}

/// A label that statements go to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Label {
    pub block: BlockId,
    pub defined: bool,
    pub span: Span,
}

/// A `switch` whose body is being translated.
#[derive(Debug)]
pub(crate) struct Switch {
    pub value: Value,
    /// From the first to the last value, and where to go.
    pub cases: Vec<(i64, i64, BlockId, Span)>,
    pub default: Option<BlockId>,
    /// How many scopes there are around it.
    pub depth: usize,
}

impl Body {
    /// An empty function, at its first block.
    pub fn new(name: &str, unit: Unit) -> Self {
        let library = !unit.is_user();
        let function = Function { name: name.to_owned(), params: 0, library, locals: Vec::new(), blocks: Vec::new() };
        let mut body = Body {
            function,
            span: Span::default(),
            unit,
            scopes: Vec::new(),
            usage: Rc::default(),
            result: Type::VOID,
            result_address: None,
            epilogue: None,
            tls: None,
            argc: None,
            is_main: false,
            labels: FxHashMap::default(),
            own_labels: 0,
            computed: None,
            jumps: None,
            cleans: false,
            enters: false,
            skips: false,
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            woken: None,
            passing: Vec::new(),
            rest: None,
            current: BlockId(0),
            temporaries: 0,
        };
        body.block();
        body
    }

    /// Whether this is text of our own library.
    pub fn is_library(&self) -> bool {
        !self.unit.is_user()
    }

    /// All instructions so far.
    pub fn ops(&mut self) -> impl Iterator<Item = &mut Op> {
        self.function.blocks.iter_mut().flat_map(|block| &mut block.instrs).map(|instr| &mut instr.op)
    }

    /// A new local.
    pub fn local(&mut self, name: &str, width: Width) -> LocalId {
        self.function.locals.push(Local { name: name.to_owned(), width });
        LocalId(self.function.locals.len() as u32 - 1)
    }

    /// A new parameter. All parameters come before all other locals.
    pub fn param(&mut self, name: &str, width: Width) -> LocalId {
        self.function.params += 1;
        self.local(name, width)
    }

    /// A local that no source can name.
    pub fn temporary(&mut self, width: Width) -> LocalId {
        self.temporaries += 1;
        let name = format!("%t{}", self.temporaries);
        self.local(&name, width)
    }

    /// The width of an expression.
    pub fn width(&self, expr: &Expr) -> Width {
        expr.width(&self.function)
    }

    /// Adds an instruction to the current block.
    pub fn emit(&mut self, op: Op) {
        let span = self.span;
        self.function.blocks[self.current.index()].instrs.push(Instr { op, span });
    }

    /// Adds an instruction at the beginning of the function.
    pub fn begin_with(&mut self, op: Op) {
        let span = self.span;
        self.function.blocks[0].instrs.insert(0, Instr { op, span });
    }

    /// Whether what is being translated may be executed several times in one call, or be jumped over.
    pub fn repeats(&self) -> bool {
        !self.continues.is_empty() || !self.switches.is_empty() || self.labels.values().any(|label| label.defined)
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

    /// The block that grows.
    pub fn current(&self) -> BlockId {
        self.current
    }

    /// Ends the current block and goes on in `next`.
    pub fn end(&mut self, terminator: Terminator, next: BlockId) {
        self.function.blocks[self.current.index()].terminator = terminator;
        self.current = next;
    }

    /// Ends the current block; what follows is dead.
    pub fn leave(&mut self, terminator: Terminator) {
        let dead = self.block();
        self.end(terminator, dead);
    }

    /// Falls through to `next` and goes on there.
    pub fn fall_into(&mut self, next: BlockId) {
        self.end(Terminator::Goto(next), next);
    }

    /// Ends the current block with a branch and goes on in `next`.
    pub fn branch(&mut self, condition: Expr, then: BlockId, otherwise: BlockId, next: BlockId) {
        let span = self.span;
        let terminator = match condition {
            Expr::Const(value, _) => Terminator::Goto(if value == 0 { otherwise } else { then }),
            _ if then == otherwise => Terminator::Goto(then),
            condition => Terminator::Branch { condition, then, otherwise, join: None, span },
        };
        self.end(terminator, next);
    }

    /// Continues at a block that was left.
    pub fn resume(&mut self, block: BlockId) {
        self.current = block;
    }

    /// The block of a label.
    pub fn label(&mut self, name: &str, span: Span) -> BlockId {
        if let Some(label) = self.labels.get(name) {
            return label.block;
        }
        let block = self.block();
        self.labels.insert(name.to_owned(), Label { block, defined: false, span });
        block
    }

    /// How many instructions there are: tells whether something was emitted.
    pub fn instructions(&self) -> (usize, usize) {
        (self.function.blocks.len(), self.function.blocks[self.current.index()].instrs.len())
    }
}
