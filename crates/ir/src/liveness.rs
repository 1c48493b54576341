//! Which locals matter: values that nobody will look at again make no two states different.

use crate::{Block, Expr, Function, FunctionId, Instr, LocalId, Op, Program, System, Terminator};
use std::collections::HashMap;
use std::rc::Rc;

/// For each local whether its value may be looked at.
pub type Live = Rc<[bool]>;

/// What is live where, found as it is needed.
#[derive(Debug)]
pub struct Liveness<'p> {
    program: &'p Program,
    /// For each function what is live where each block begins.
    starts: HashMap<FunctionId, Vec<Vec<bool>>>,
    places: HashMap<(FunctionId, u32, u32), Live>,
}

impl<'p> Liveness<'p> {
    /// Nothing is found yet.
    pub fn new(program: &'p Program) -> Self {
        Liveness { program, starts: HashMap::new(), places: HashMap::new() }
    }

    /// What is live before an instruction of a block.
    pub fn before(&mut self, function: FunctionId, block: u32, index: u32) -> Live {
        let body = &self.program.functions[function.index()];
        let starts = self.starts.entry(function).or_insert_with(|| starts(body));
        let place = self.places.entry((function, block, index));
        place.or_insert_with(|| backwards(body, starts, block as usize, index as usize).into()).clone()
    }
}

/// Whether an instruction, or without one the end of the block, looks at a local.
pub fn looks_at(function: &Function, block: &Block, instr: Option<&Instr>, local: LocalId) -> bool {
    let mut live = vec![false; function.locals.len()];
    match instr {
        Some(instr) => {
            through(&mut live, &instr.op);
            // What it changes and looks at.
            if let Op::Rmw { when, value, .. } = &instr.op {
                when.iter().for_each(|when| uses(&mut live, when));
                uses(&mut live, value);
            }
        }
        None => exits(&mut live, &block.terminator),
    }
    live[local.index()]
}

fn exits(live: &mut [bool], terminator: &Terminator) {
    match terminator {
        Terminator::Branch { condition, .. } => uses(live, condition),
        Terminator::Return(Some(value)) | Terminator::Exit(Some(value)) => uses(live, value),
        Terminator::Goto(_) | Terminator::Return(None) | Terminator::Exit(None) | Terminator::Cut { .. } => {}
    }
}

fn starts(function: &Function) -> Vec<Vec<bool>> {
    let mut live = vec![vec![false; function.locals.len()]; function.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..function.blocks.len()).rev() {
            let now = backwards(function, &live, block, 0);
            changed |= now != live[block];
            live[block] = now;
        }
    }
    live
}

/// What is live before an instruction, from what is live where the blocks begin.
fn backwards(function: &Function, starts: &[Vec<bool>], block: usize, index: usize) -> Vec<bool> {
    let block = &function.blocks[block];
    let mut live = vec![false; function.locals.len()];
    for next in block.terminator.successors() {
        live.iter_mut().zip(&starts[next.index()]).for_each(|(own, next)| *own |= next);
    }
    exits(&mut live, &block.terminator);
    for instr in block.instrs[index..].iter().rev() {
        through(&mut live, &instr.op);
    }
    live
}

fn uses(live: &mut [bool], expr: &Expr) {
    expr.for_each_local(&mut |local| live[local.index()] = true);
}

/// From what is live after an instruction to what is live before.
fn through(live: &mut [bool], op: &Op) {
    let kill = |live: &mut [bool], local: LocalId| live[local.index()] = false;
    match op {
        Op::Assign { dst, value } => {
            kill(live, *dst);
            uses(live, value);
        }
        Op::Load { dst, addr, tags: _, reserve: _ } => {
            kill(live, *dst);
            uses(live, addr);
        }
        Op::Store { addr, value, tags: _ } => {
            uses(live, addr);
            uses(live, value);
        }
        Op::Rmw { dst, addr, when, value, read_tags: _, write_tags: _ } => {
            when.iter().for_each(|when| uses(live, when));
            uses(live, value);
            // In these it stands for what was read.
            kill(live, *dst);
            uses(live, addr);
        }
        Op::StoreConditional { success, addr, value, tags: _, status: _ } => {
            kill(live, *success);
            uses(live, addr);
            uses(live, value);
        }
        Op::Fence { tags: _ } => {}
        Op::Assume { condition, waits: _ } => uses(live, condition),
        Op::System(op) => match op {
            System::Call { dst, function: _, args } => {
                dst.iter().for_each(|dst| kill(live, *dst));
                args.iter().for_each(|arg| uses(live, arg));
            }
            System::Spawn { dst, function: _, args } => {
                kill(live, *dst);
                args.iter().for_each(|arg| uses(live, arg));
            }
            System::Nondet { dst } | System::Current { dst } => kill(live, *dst),
            System::Assert { condition, message: _ } => uses(live, condition),
            System::Join { thread, result } => {
                result.iter().for_each(|dst| kill(live, *dst));
                uses(live, thread);
            }
            System::Alloc { dst, name: _, size, cells: _, zeroed: _, align: _ } => {
                kill(live, *dst);
                uses(live, size);
            }
            System::AtomicBegin | System::AtomicEnd | System::Critical { .. } | System::Await | System::Publish => {}
        },
    }
}
