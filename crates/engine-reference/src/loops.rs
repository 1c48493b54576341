//! How often loops go round: both judges count jumps back on the way.

use engine::{Guarantee, Options, Task};
use ir::{Function, FunctionId, Program, Terminator};
use source::Span;

/// The loops of a program and their bounds.
pub(crate) struct Loops<'a> {
    program: &'a Program,
    options: &'a Options,
    /// For each function the position of each block in a reverse postorder.
    positions: Vec<Vec<u32>>,
}

/// What it means that nothing was found, if these loops went no further.
pub(crate) fn guarantee(task: &Task<'_>, cut: Vec<Span>) -> Guarantee {
    if cut.is_empty() {
        return Guarantee::FULL;
    }
    Guarantee::unwound(&task.program.source, task.options.unwind, cut)
}

/// For each block to which a jump back was taken since its loop was entered, how often.
pub(crate) type Rounds = Vec<(u32, u32)>;

impl<'a> Loops<'a> {
    pub fn new(program: &'a Program, options: &'a Options) -> Self {
        Loops { program, options, positions: program.functions.iter().map(positions).collect() }
    }

    /// Counts a jump from a block to another; says whether that is within the bound.
    pub fn jump(&self, function: FunctionId, (from, to): (u32, u32), rounds: &mut Rounds) -> bool {
        let positions = &self.positions[function.index()];
        let known = rounds.iter().position(|(head, _)| *head == to);
        if positions[from as usize] < positions[to as usize] {
            // If it is the beginning of a loop, that is entered anew.
            rounds.retain(|(head, _)| *head != to);
            return true;
        }
        let known = known.unwrap_or_else(|| {
            rounds.push((to, 0));
            rounds.len() - 1
        });
        rounds[known].1 += 1;
        rounds[known].1 <= self.bound(function, to)
    }

    /// How often the jumps back to a block may be taken.
    fn bound(&self, function: FunctionId, head: u32) -> u32 {
        let block = &self.program.functions[function.index()].blocks[head as usize];
        let first = block.instrs.first().map(|instr| instr.span);
        let span = first.or(match &block.terminator {
            Terminator::Branch { span, .. } => Some(*span),
            Terminator::Goto(_) | Terminator::Return(_) | Terminator::Exit(_) | Terminator::Cut { .. } => None,
        });
        let line = span.map(|span| self.program.source.line(span));
        let own = self.options.loops.iter().find(|(at, _)| Some(*at) == line);
        own.map_or(self.options.unwind, |(_, bound)| *bound)
    }

    /// How deep a function may be inside itself.
    pub fn depth(&self) -> u32 {
        self.options.unwind
    }

    /// The place of a jump at the end of a block: that of the branch, or of the last instruction.
    pub fn place(&self, function: FunctionId, block: u32) -> Span {
        let block = &self.program.functions[function.index()].blocks[block as usize];
        match &block.terminator {
            Terminator::Branch { span, .. } | Terminator::Cut { span } => *span,
            Terminator::Goto(_) | Terminator::Return(_) | Terminator::Exit(_) => {
                block.instrs.last().map_or(Span::default(), |instr| instr.span)
            }
        }
    }
}

/// The position of each block in a reverse postorder from block 0; unreachable blocks come last.
fn positions(function: &Function) -> Vec<u32> {
    fn visit(function: &Function, block: usize, seen: &mut [bool], order: &mut Vec<usize>) {
        // Each entry: a block, and how many of its successors have been visited.
        let mut path = vec![(block, 0)];
        seen[block] = true;
        while let Some((at, done)) = path.last_mut() {
            let next = function.blocks[*at].terminator.successors().nth(*done);
            *done += 1;
            match next {
                Some(next) if !seen[next.index()] => {
                    seen[next.index()] = true;
                    path.push((next.index(), 0));
                }
                Some(_) => {}
                None => order.extend(path.pop().map(|(at, _)| at)),
            }
        }
    }
    let mut order = Vec::new();
    visit(function, 0, &mut vec![false; function.blocks.len()], &mut order);
    let mut positions = vec![u32::MAX; function.blocks.len()];
    order.iter().rev().enumerate().for_each(|(position, &block)| positions[block] = position as u32);
    positions
}
