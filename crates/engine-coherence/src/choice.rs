//! Choices are made as late as possible, and what cannot matter is left out.

use crate::domain::{Anything, COMPUTES, is_open};
use crate::thread::Runner;
use crate::world::HANDLE;
use ir::{Expr, LocalId, Op, System, Terminator, UnaryOp};
use model::Buffers;
use stepper::{Halt, Location, Scope, Stepper, Value};

impl<'p> Runner<'_, 'p> {
    /// What comes next: an instruction, or else the end of a block.
    fn upcoming(&self) -> Option<(Scope<'_, Anything>, Option<&'p Op>, &'p Terminator)> {
        let (thread, program) = (&self.local.thread, self.world.memory.program);
        let frame = thread.frames.last()?;
        let block = &program.functions[frame.function.index()].blocks[frame.block as usize];
        let op = block.instrs.get(frame.index as usize).map(|instr| &instr.op);
        Some((thread.scope(program), op, &block.terminator))
    }

    /// The local that must be chosen before the thread can go on.
    pub fn undecided(&self) -> Option<LocalId> {
        let frame = self.local.thread.frames.last()?;
        let mut open = frame.values.iter().enumerate().filter(|(_, value)| value.known().is_none()).peekable();
        open.peek()?;
        let (thread, program) = (&self.local.thread, self.world.memory.program);
        let function = &program.functions[frame.function.index()];
        let (block, instr) = (&function.blocks[frame.block as usize], thread.instr(program));
        let mut open = open.map(|(at, _)| LocalId(at as u32));
        let found = open.find(|local| ir::liveness::looks_at(function, block, instr, *local))?;
        if self.world.has_replicas() && self.hands_on() { None } else { Some(found) }
    }

    /// Whether what comes next only hands on what can be anything. Then the copy can be anything, too: that is more than can
    /// happen, and nobody follows a path of replicas.
    fn hands_on(&self) -> bool {
        let Some((scope, op, terminator)) = self.upcoming() else { return false };
        let whole = |expr: &Expr| !looks_at_open(scope, expr) || is_open(scope, expr);
        match (op, terminator) {
            (Some(Op::Assign { dst: _, value }), _) => whole(value),
            (Some(Op::System(System::Call { args, .. })), _) => args.iter().all(whole),
            (
                Some(
                    Op::Load { .. }
                    | Op::Store { .. }
                    | Op::Rmw { .. }
                    | Op::StoreConditional { .. }
                    | Op::Fence { .. }
                    | Op::Assume { .. }
                    | Op::System(_),
                ),
                _,
            ) => false,
            (None, Terminator::Return(Some(value))) => scope.depth > 1 && whole(value),
            (
                None,
                Terminator::Goto(_)
                | Terminator::Branch { .. }
                | Terminator::Return(None)
                | Terminator::Exit(_)
                | Terminator::Cut { .. },
            ) => false,
        }
    }

    /// Whether what comes next is a write that nobody reads and that orders nothing, so that it need not be done. There
    /// are replicas: their handles may be handed on only.
    pub fn leaves_out(&mut self) -> Result<bool, Halt> {
        if self.computes_with_handles() {
            return self.limit(COMPUTES);
        }
        let Some((_, Some(Op::Store { tags, .. }), _)) = self.upcoming() else { return Ok(false) };
        let orders = self.world.buffers != Buffers::None && self.world.drains(tags);
        if orders || self.world.memory.alone {
            return Ok(false);
        }
        let found = Stepper::new(self.world, &mut self.local.thread).known_store()?;
        Ok(match found {
            Some(Location::Cell(cell)) => self.world.leaves_out(cell),
            Some(Location::Heap(..) | Location::Alone(..) | Location::Nowhere) | None => false,
        })
    }

    /// Whether what comes next does more with the handle of a replica than to hand it on.
    fn computes_with_handles(&self) -> bool {
        let Some((scope, op, terminator)) = self.upcoming() else { return false };
        let values = &scope.frame.values;
        if !values.contains(&Value::Known(HANDLE)) {
            return false;
        }
        let holds = |local: LocalId| values[local.index()] == Value::Known(HANDLE);
        match (op, terminator) {
            (Some(op), _) => op.expressions().any(|expr| computes(expr, &holds)),
            (
                None,
                Terminator::Branch { condition: looked, .. }
                | Terminator::Return(Some(looked))
                | Terminator::Exit(Some(looked)),
            ) => computes(looked, &holds),
            (
                None,
                Terminator::Goto(_) | Terminator::Return(None) | Terminator::Exit(None) | Terminator::Cut { .. },
            ) => false,
        }
    }
}

fn looks_at_open(scope: Scope<'_, Anything>, expr: &Expr) -> bool {
    let mut open = false;
    expr.for_each_local(&mut |local| open |= scope.frame.values[local.index()].known().is_none());
    open
}

/// Whether an expression is more than a copy of what it looks at, and looks at a local that holds a handle.
fn computes(expr: &Expr, holds: &impl Fn(LocalId) -> bool) -> bool {
    match expr {
        Expr::Const(..) | Expr::Address(..) | Expr::Local(_) => false,
        Expr::Unary(UnaryOp::ZeroExtend(_) | UnaryOp::SignExtend(_), operand) => computes(operand, holds),
        Expr::Unary(UnaryOp::Truncate(width), operand) if width.bits() >= 32 => computes(operand, holds),
        Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => {
            let mut found = false;
            expr.for_each_local(&mut |local| found |= holds(local));
            found
        }
    }
}
