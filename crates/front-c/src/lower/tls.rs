//! Thread-local variables: one block of memory for each thread.
//!
//! Where a program has such variables, every function has one more parameter, the address of its thread's block. A
//! thread begins with an adapter that makes the block; `main` makes its own.

use super::body::Body;
use super::{GlobalId, Lowering, Unit, alive};
use ir::life::Storage;
use ir::{Expr, Function, FunctionId, Instr, LocalId, Op, Program, System, TagSet, Terminator, Width};
use source::{Diagnostic, Span};

/// What the variable is called that has the address of the block.
pub(crate) const NAME: &str = "%tls";

/// What the function is called that makes a block.
const MAKER: &str = "%thread_locals";

/// The block of thread-local variables.
#[derive(Debug, Default)]
pub(crate) struct Tls {
    /// Whether functions have the additional parameter.
    pub on: bool,
    /// Whether they should have it.
    pub missing: bool,
    /// The variables in the block.
    variables: Vec<GlobalId>,
    size: u64,
    /// The function that makes a block.
    maker: Option<FunctionId>,
}

impl Tls {
    pub fn new(on: bool) -> Self {
        Tls { on, ..Tls::default() }
    }
}

impl Lowering {
    /// Where a thread-local variable is in the block.
    pub fn tls_offset(&mut self, id: GlobalId) -> Result<u64, Diagnostic> {
        if !self.tls.on {
            self.tls.missing = true;
        }
        let global = &self.globals[id.0 as usize];
        if let Some(offset) = global.offset {
            return Ok(offset);
        }
        let ty = global.ty.clone();
        let size = self.size(&ty)?;
        let align = self.types.align(&ty).unwrap_or(8).max(1);
        let offset = self.tls.size.next_multiple_of(align);
        self.tls.size = offset + size;
        self.globals[id.0 as usize].offset = Some(offset);
        self.tls.variables.push(id);
        Ok(offset)
    }

    /// The function that makes a block; it gets its body at the end.
    pub fn tls_maker(&mut self) -> FunctionId {
        match self.tls.maker {
            Some(id) => id,
            None => {
                let id = self.new_function(MAKER);
                self.tls.maker = Some(id);
                id
            }
        }
    }

    /// What `main` begins with.
    pub fn main_prologue(&mut self) {
        if self.tls.on {
            let tls = self.body.local(NAME, Width::WORD);
            self.body.tls = Some(tls);
            let function = self.tls_maker();
            self.emit(Op::System(System::Call { dst: Some(tls), function, args: Vec::new() }));
        }
    }

    /// Gives the function that makes a block its body.
    pub fn build_tls(&mut self) -> Result<(), Diagnostic> {
        let Some(id) = self.tls.maker else { return Ok(()) };
        let mut cells = Vec::new();
        let mut stores = Vec::new();
        // An initialiser may mention further variables, but no thread-local ones: their addresses are no constants.
        for variable in self.tls.variables.clone() {
            let global = &self.globals[variable.0 as usize];
            let offset = global.offset.unwrap_or(0);
            let initial = self.initial_cells(variable)?;
            for mut cell in initial {
                cell.offset += offset;
                if !matches!(cell.initial, Expr::Const(0, _)) {
                    stores.push((cell.offset, cell.initial.clone()));
                }
                cell.initial = Expr::constant(0, cell.width);
                cells.push(cell);
            }
        }
        cells.sort_by_key(|cell| cell.offset);
        let mut body = Body::new(MAKER, Unit::Library);
        let dst = body.local(NAME, Width::WORD);
        let size = Expr::constant(self.tls.size.max(1) as i64, Width::WORD);
        let name = "thread-local".to_owned();
        let storage = Storage::Thread;
        body.emit(Op::System(System::Alloc { dst, name, size, cells: Some(cells), zeroed: true, align: 8, storage }));
        let tags = self.tags(&["NA"]);
        for (offset, value) in stores {
            let addr = super::fold::add_offset(Expr::Local(dst), offset);
            body.emit(Op::Store { addr, value, tags: tags.clone() });
        }
        body.leave(Terminator::Return(Some(Expr::Local(dst))));
        self.program.functions[id.index()] = super::finish::finish(body.function);
        Ok(())
    }
}

/// Ends the block of each thread with the thread, if somebody may know the address of a variable in it. What the function `kept` has is
/// there until the program ends.
pub(crate) fn end_blocks(program: &mut Program, kept: Option<FunctionId>, tags: &TagSet) {
    if !program.functions.iter().any(|function| gives_away(function, &program.functions)) {
        return;
    }
    let main = program.threads.first().map(|thread| thread.body);
    for (at, function) in program.functions.iter_mut().enumerate() {
        let Some(block) = variable(function) else { continue };
        // The function that a thread begins with has the block from nobody.
        let begins = block.0 >= function.params && main.is_none_or(|main| main.index() != at);
        let kept = kept.is_some_and(|kept| kept.index() == at);
        for part in &mut function.blocks {
            let ends = match part.terminator {
                Terminator::Exit(Some(_)) => !kept,
                Terminator::Return(_) => begins,
                Terminator::Exit(None) | Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::Cut { .. } => {
                    false
                }
            };
            if ends {
                let span = part.instrs.last().map_or(Span::default(), |instr| instr.span);
                let stores = alive::end(&Expr::Local(block), Storage::Thread, tags);
                part.instrs.extend(stores.map(|op| Instr { op, span }));
            }
        }
    }
}

/// The variable of a function that has the address of its thread's block. Who makes the block does not count.
fn variable(function: &Function) -> Option<LocalId> {
    let at = function.locals.iter().position(|local| local.name == NAME).filter(|_| function.name != MAKER)?;
    Some(LocalId(at as u32))
}

/// Whether an address in the block goes anywhere but into the variable that each function has for it.
fn gives_away(function: &Function, all: &[Function]) -> bool {
    let Some(block) = variable(function) else { return false };
    let mentions = |value: &Expr| {
        let mut found = false;
        value.for_each_local(&mut |local| found |= local == block);
        found
    };
    let instrs = function.blocks.iter().flat_map(|part| &part.instrs);
    let returns = function.blocks.iter().any(|part| match &part.terminator {
        Terminator::Return(Some(value)) | Terminator::Exit(Some(value)) => mentions(value),
        Terminator::Return(None)
        | Terminator::Exit(None)
        | Terminator::Goto(_)
        | Terminator::Branch { .. }
        | Terminator::Cut { .. } => false,
    });
    returns
        || instrs.map(|instr| &instr.op).any(|op| match op {
            Op::System(System::Call { function, args, .. }) => {
                let own = variable(&all[function.index()]);
                let other = |at: &usize| own != Some(LocalId(*at as u32));
                (0..args.len()).filter(other).any(|at| mentions(&args[at]))
            }
            _ => {
                let mut found = false;
                alive::values(op, &mut |value| found |= mentions(value));
                found
            }
        })
}
