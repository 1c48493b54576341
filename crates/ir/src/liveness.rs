//! Which locals matter: values that nobody will look at again make no two states different.

use crate::{Block, Expr, Function, FunctionId, Instr, LocalId, Op, Operands, Program, Terminator};
use std::collections::HashMap;
use std::rc::Rc;

/// How many instructions of a block lie between two places that are remembered on the way to others, so that asking for all places of a long
/// block is linear in its length.
const STRIDE: u32 = 64;

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
        if let Some(known) = self.places.get(&(function, block, index)) {
            return known.clone();
        }
        let body = &self.program.functions[function.index()];
        let starts = self.starts.entry(function).or_insert_with(|| starts(body));
        let here = &body.blocks[block as usize];
        let end = here.instrs.len() as u32;
        // From the next place that is known, or from the end, back to this one.
        let mut from = (index / STRIDE + 1) * STRIDE;
        while from < end && !self.places.contains_key(&(function, block, from)) {
            from += STRIDE;
        }
        let mut live = match self.places.get(&(function, block, from)) {
            Some(known) => known.to_vec(),
            None => at_end(body, starts, here),
        };
        for at in (index..from.min(end)).rev() {
            through(&mut live, &here.instrs[at as usize].op);
            if at.is_multiple_of(STRIDE) {
                self.places.insert((function, block, at), live.as_slice().into());
            }
        }
        self.places.entry((function, block, index)).or_insert_with(|| live.into()).clone()
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

/// What is live where a function begins: it may be looked at before anything is assigned to it.
pub fn at_entry(function: &Function) -> Vec<bool> {
    starts(function).into_iter().next().unwrap_or_default()
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
            let mut now = at_end(function, &live, &function.blocks[block]);
            for instr in function.blocks[block].instrs.iter().rev() {
                through(&mut now, &instr.op);
            }
            changed |= now != live[block];
            live[block] = now;
        }
    }
    live
}

/// What is live behind the last instruction of a block, from what is live where the blocks begin.
fn at_end(function: &Function, starts: &[Vec<bool>], block: &Block) -> Vec<bool> {
    let mut live = vec![false; function.locals.len()];
    for next in block.terminator.successors() {
        live.iter_mut().zip(&starts[next.index()]).for_each(|(own, next)| *own |= next);
    }
    exits(&mut live, &block.terminator);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Local, Width};
    use source::{SourceFile, Span};

    /// A long block that copies locals to and fro and returns the first.
    fn copies(length: u32) -> Program {
        let copy = |at: u32| {
            let (dst, from) = (LocalId(at * 7 % 5), LocalId((at * at + 3) % 5));
            Instr { op: Op::Assign { dst, value: Expr::Local(from) }, span: Span::default() }
        };
        let block = Block {
            instrs: (0..length).map(copy).collect(),
            terminator: Terminator::Return(Some(Expr::Local(LocalId(0)))),
        };
        let local = |at: u32| Local { name: format!("l{at}"), width: Width::INT };
        let mut program = Program::new("copies", "C", SourceFile::new("copies.c", ""));
        program.functions.push(Function {
            name: "copies".to_owned(),
            params: 0,
            library: false,
            locals: (0..5).map(local).collect(),
            blocks: vec![block],
        });
        program
    }

    #[test]
    fn places_of_long_blocks_do_not_depend_on_who_asked_before() {
        let program = copies(5 * STRIDE / 2);
        let body = &program.functions[0];
        let from_the_end = |index: u32| {
            let mut live = at_end(body, &[], &body.blocks[0]);
            body.blocks[0].instrs[index as usize..].iter().rev().for_each(|instr| through(&mut live, &instr.op));
            live
        };
        let end = body.blocks[0].instrs.len() as u32;
        let mut upwards = Liveness::new(&program);
        let mut anyhow = Liveness::new(&program);
        for at in 0..=end {
            let (up, any) = (at, at * 67 % (end + 1));
            assert_eq!(*upwards.before(FunctionId(0), 0, up), *from_the_end(up), "before {up}");
            assert_eq!(*anyhow.before(FunctionId(0), 0, any), *from_the_end(any), "before {any}");
        }
    }
}
