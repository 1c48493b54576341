//! Functions get more parameters.

use crate::expr::Expr;
use crate::op::{Op, System};
use crate::program::{Function, Local, LocalId, Terminator};

impl Function {
    /// Adds parameters behind those that there are, and gives their numbers. Those of other locals grow.
    pub fn add_params(&mut self, new: Vec<Local>) -> Vec<LocalId> {
        let (first, count) = (self.params, new.len() as u32);
        let mut moved = |local: &mut LocalId| {
            if local.0 >= first {
                local.0 += count;
            }
        };
        for block in &mut self.blocks {
            block.instrs.iter_mut().for_each(|instr| instr.op.for_each_local_mut(&mut moved));
            match &mut block.terminator {
                Terminator::Branch { condition: value, .. }
                | Terminator::Return(Some(value))
                | Terminator::Exit(Some(value)) => value.for_each_local_mut(&mut moved),
                Terminator::Goto(_) | Terminator::Return(None) | Terminator::Exit(None) | Terminator::Cut { .. } => {}
            }
        }
        self.locals.splice(first as usize..first as usize, new);
        self.params += count;
        (first..first + count).map(LocalId).collect()
    }
}

impl Op {
    /// Calls `visit` with every local that it defines or mentions.
    pub fn for_each_local_mut(&mut self, visit: &mut impl FnMut(&mut LocalId)) {
        match self {
            Op::Assign { dst, value } => {
                visit(dst);
                value.for_each_local_mut(visit);
            }
            Op::Load { dst, addr, .. } => {
                visit(dst);
                addr.for_each_local_mut(visit);
            }
            Op::Store { addr, value, .. } => {
                addr.for_each_local_mut(visit);
                value.for_each_local_mut(visit);
            }
            Op::Rmw { dst, addr, when, value, .. } => {
                visit(dst);
                addr.for_each_local_mut(visit);
                when.iter_mut().for_each(|when| when.for_each_local_mut(visit));
                value.for_each_local_mut(visit);
            }
            Op::StoreConditional { success, addr, value, .. } => {
                visit(success);
                addr.for_each_local_mut(visit);
                value.for_each_local_mut(visit);
            }
            Op::Assume { condition, .. } => condition.for_each_local_mut(visit),
            Op::Fence { .. } => {}
            Op::System(system) => system.for_each_local_mut(visit),
        }
    }
}

impl System {
    fn for_each_local_mut(&mut self, visit: &mut impl FnMut(&mut LocalId)) {
        match self {
            System::Call { dst, args, .. } => {
                dst.iter_mut().for_each(&mut *visit);
                args.iter_mut().for_each(|arg| arg.for_each_local_mut(visit));
            }
            System::Spawn { dst, args, .. } => {
                visit(dst);
                args.iter_mut().for_each(|arg| arg.for_each_local_mut(visit));
            }
            System::Join { thread, result } => {
                thread.for_each_local_mut(visit);
                result.iter_mut().for_each(visit);
            }
            System::Alloc { dst, size, .. } => {
                visit(dst);
                size.for_each_local_mut(visit);
            }
            System::Nondet { dst } | System::Current { dst } => visit(dst),
            System::Assert { condition, .. } | System::Check { condition, .. } => condition.for_each_local_mut(visit),
            System::AtomicBegin | System::AtomicEnd | System::Critical { .. } | System::Await | System::Publish => {}
        }
    }
}

impl Expr {
    /// Calls `visit` with every local that the expression mentions.
    pub fn for_each_local_mut(&mut self, visit: &mut impl FnMut(&mut LocalId)) {
        match self {
            Expr::Const(..) | Expr::Address(..) => {}
            Expr::Local(local) => visit(local),
            Expr::Unary(_, operand) => operand.for_each_local_mut(visit),
            Expr::Binary(_, left, right) => {
                left.for_each_local_mut(visit);
                right.for_each_local_mut(visit);
            }
            Expr::Select(condition, then, otherwise) => {
                condition.for_each_local_mut(visit);
                then.for_each_local_mut(visit);
                otherwise.for_each_local_mut(visit);
            }
        }
    }
}
