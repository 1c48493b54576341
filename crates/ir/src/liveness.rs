//! Which locals matter: values that nobody will look at again make no two states different.

use crate::{Block, Expr, Function, FunctionId, Instr, LocalId, Op, Operands, Program, Terminator};
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
            instr.op.operands().after.into_iter().for_each(|expr| uses(&mut live, expr));
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
    let Operands { before, after } = op.operands();
    after.into_iter().for_each(|expr| uses(live, expr));
    if let Some(local) = op.defines() {
        live[local.index()] = false;
    }
    before.into_iter().for_each(|expr| uses(live, expr));
}
