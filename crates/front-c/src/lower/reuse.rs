//! Freed memory that is allocated again.
//!
//! For each size that is allocated there is a slot of ours. `free` may put the block into the slot of its size, and `malloc` may take the block
//! that it finds there instead of a new one. What comes before `free` happens before what follows that `malloc`, as C says. So an address
//! comes back, with what the block held, and whoever compares it with one that was kept from before does not notice (the ABA problem).
//!
//! It matters only where threads compare addresses: without comparisons, an execution in which a block comes back and nobody uses the
//! old one is, but for the name of the block, one in which it does not; and the use of an old one is a failure already. [`Lowering::settle_reuse`] looks
//! for comparisons when all functions are there, and turns the choices off if there are none.

use super::{Lowering, alive};
use crate::types::Type;
use ir::life::Storage;
use ir::{BinaryOp, Cell, Expr, Function, LocalId, Object, ObjectId, Op, Program, System, Terminator, UnaryOp, Width};
use source::Diagnostic;

/// The name of the locals that decide whether a block comes back.
const CHOICE: &str = "%reuse";

impl Lowering {
    /// The slot for freed blocks of a size.
    fn slot(&mut self, bytes: u64) -> Expr {
        let object = match self.slots.get(&bytes) {
            Some(&object) => object,
            None => {
                let cell = Cell { offset: 0, width: Width::WORD, initial: Expr::Const(0, Width::WORD) };
                let name = format!("freed block of {bytes} bytes");
                self.program.objects.push(Object { name, cells: vec![cell], shared: false, align: 8 });
                let object = ObjectId(self.program.objects.len() as u32 - 1);
                self.slots.insert(bytes, object);
                object
            }
        };
        Expr::Address(object, 0)
    }

    fn choice(&mut self) -> Expr {
        let dst = self.body.local(CHOICE, Width::BOOL);
        self.emit(Op::System(System::Nondet { dst }));
        Expr::Local(dst)
    }

    /// Perhaps a freed block is taken instead of a new one.
    pub fn take_freed(&mut self, block: LocalId, bytes: u64) -> Result<(), Diagnostic> {
        if !self.options.checks.lifetimes {
            return Ok(());
        }
        let (addr, choice) = (self.slot(bytes), self.choice());
        let (read_tags, write_tags, plain) =
            (self.tags(&["A", "ACQ", "HEAP"]), self.tags(&["A", "RLX", "HEAP"]), self.tags(&["NA"]));
        let take = |lowering: &mut Lowering| {
            let dst = lowering.temp(Width::WORD);
            let nothing = Expr::Const(0, Width::WORD);
            let there = Expr::Local(dst).binary(BinaryOp::Ne, nothing.clone());
            let when = Some(there.clone());
            lowering.emit(Op::Rmw { dst, addr, when, value: nothing, read_tags, write_tags });
            let begin = |lowering: &mut Lowering| {
                let begins = alive::begin(&Expr::Local(dst), Storage::Heap, &plain);
                begins.into_iter().for_each(|op| lowering.emit(op));
                lowering.emit(Op::Assign { dst: block, value: Expr::Local(dst) });
                Ok(())
            };
            lowering.if_(there, begin, |_| Ok(()))
        };
        self.if_(choice, take, |_| Ok(()))
    }

    /// Perhaps a block that was freed through a pointer to this type will come back.
    pub fn give_freed(&mut self, block: &Expr, pointee: &Type) -> Result<(), Diagnostic> {
        let Ok(bytes) = self.types.size(pointee) else { return Ok(()) };
        let (addr, choice, tags) = (self.slot(bytes), self.choice(), self.tags(&["A", "REL", "HEAP"]));
        let give = |lowering: &mut Lowering| {
            lowering.emit(Op::Store { addr, value: block.clone(), tags });
            Ok(())
        };
        self.if_(choice, give, |_| Ok(()))
    }

    /// Freed memory does not come back in programs that could not notice.
    pub fn settle_reuse(&mut self) {
        let program = &mut self.program;
        let starts = |op: &Op| matches!(op, Op::System(System::Spawn { .. }));
        let spawns = program
            .functions
            .iter()
            .any(|function| function.blocks.iter().flat_map(|block| &block.instrs).any(|instr| starts(&instr.op)));
        let compared = program.functions.iter().any(|function| !function.library && compares(function));
        if let Some(assumes) = program.info.get_mut(Program::ASSUMES) {
            if spawns && compared {
                *assumes =
                    "of the freed blocks of one size, at most one at a time waits to be allocated again".to_owned();
                return;
            }
            if !compared {
                program.info.remove(Program::ASSUMES);
            }
        }
        for function in &mut program.functions {
            let locals = &function.locals;
            for instr in function.blocks.iter_mut().flat_map(|block| &mut block.instrs) {
                if let Op::System(System::Nondet { dst }) = instr.op
                    && locals[dst.index()].name == CHOICE
                {
                    instr.op = Op::Assign { dst, value: Expr::Const(0, Width::BOOL) };
                }
            }
        }
    }
}

/// Whether the function compares two words that may be addresses.
fn compares(function: &Function) -> bool {
    let found = |expr: &Expr| has_comparison(expr, function);
    function.blocks.iter().any(|block| {
        let decides = match &block.terminator {
            Terminator::Branch { condition, .. } => found(condition),
            Terminator::Return(value) | Terminator::Exit(value) => value.as_ref().is_some_and(found),
            Terminator::Goto(_) | Terminator::Cut { .. } => false,
        };
        let evaluates = |op: &Op| {
            let operands = op.operands();
            operands.before.into_iter().chain(operands.after).any(found)
        };
        decides || block.instrs.iter().any(|instr| evaluates(&instr.op))
    })
}

fn has_comparison(expr: &Expr, function: &Function) -> bool {
    let inner = |expr: &Expr| has_comparison(expr, function);
    match expr {
        Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right) => {
            let unknown =
                |expr: &Expr| !matches!(expr, Expr::Const(..) | Expr::Address(..) | Expr::Unary(UnaryOp::Life, _));
            left.width(function) == Width::WORD && unknown(left) && unknown(right) || inner(left) || inner(right)
        }
        Expr::Binary(_, left, right) => inner(left) || inner(right),
        Expr::Unary(_, operand) => inner(operand),
        Expr::Select(condition, then, otherwise) => inner(condition) || inner(then) || inner(otherwise),
        Expr::Const(..) | Expr::Local(_) | Expr::Address(..) => false,
    }
}
