//! Loop unrolling: the pass that makes control-flow graphs acyclic.

use crate::program::{Block, BlockId, Function, Program, Terminator};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// A program without loops, and what the bound left out.
#[derive(Debug, Clone)]
pub struct Unrolled {
    /// The program; every function is acyclic and its blocks are in topological order.
    pub program: Program,
    /// The places of the loops that were cut. Empty if the program had no loops: then nothing was left out.
    pub cut: Vec<Span>,
}

/// Unrolls every loop of every function so that each jump back is taken at most `bound` times on a path.
///
/// Paths that would go on end in [`Terminator::Cut`]. The result has, per function, a copy of each block for each
/// combination of counts with which it can be reached.
pub fn unroll(program: &Program, bound: u32) -> Unrolled {
    let mut cut = Vec::new();
    let mut program = program.clone();
    for function in &mut program.functions {
        unroll_function(function, bound, &mut cut);
    }
    cut.sort();
    cut.dedup();
    Unrolled { program, cut }
}

/// A copy of a block: which block, and how often each jump back was taken on the way here.
type Copy = (BlockId, Vec<(BlockId, u32)>);

fn unroll_function(function: &mut Function, bound: u32, cut: &mut Vec<Span>) {
    let order = topological_positions(function);
    let is_back = |from: BlockId, to: BlockId| order[from.index()] >= order[to.index()];
    let mut copies: BTreeSet<Copy> = BTreeSet::new();
    let mut pending: Vec<Copy> = vec![(BlockId(0), Vec::new())];
    while let Some(copy) = pending.pop() {
        if copies.insert(copy.clone()) {
            let next = function.blocks[copy.0.index()].terminator.successors();
            pending.extend(next.filter_map(|to| follow(&copy, to, bound, &is_back)));
        }
    }
    let copies: Vec<Copy> = copies.into_iter().collect();
    let sorted = sort_copies(function, &copies, bound, &is_back);
    let number: BTreeMap<&Copy, BlockId> = sorted.iter().enumerate().map(|(i, c)| (c, BlockId(i as u32))).collect();
    let mut blocks: Vec<Block> = Vec::with_capacity(sorted.len());
    let mut cuts: Vec<Span> = Vec::new();
    let cut_base = sorted.len();
    for copy in &sorted {
        let original = &function.blocks[copy.0.index()];
        let mut goto = |to: BlockId, span: Span| match follow(copy, to, bound, &is_back) {
            Some(next) => number[&next],
            None => {
                cuts.push(span);
                BlockId((cut_base + cuts.len() - 1) as u32)
            }
        };
        let here = original.instrs.last().map_or(Span::default(), |instr| instr.span);
        let terminator = match &original.terminator {
            Terminator::Goto(to) => Terminator::Goto(goto(*to, here)),
            Terminator::Branch { condition, then, otherwise, join, span } => Terminator::Branch {
                condition: condition.clone(),
                then: goto(*then, *span),
                otherwise: goto(*otherwise, *span),
                join: join
                    .and_then(|join| follow(copy, join, bound, &is_back))
                    .and_then(|next| number.get(&next).copied()),
                span: *span,
            },
            Terminator::Return(value) => Terminator::Return(value.clone()),
            Terminator::Exit(value) => Terminator::Exit(value.clone()),
            Terminator::Cut { span } => Terminator::Cut { span: *span },
        };
        blocks.push(Block { instrs: original.instrs.clone(), terminator });
    }
    blocks.extend(cuts.iter().map(|&span| Block { instrs: Vec::new(), terminator: Terminator::Cut { span } }));
    cut.extend(cuts);
    function.blocks = blocks;
}

/// The copy that a jump from `copy` to `to` reaches, unless the bound forbids it.
fn follow(copy: &Copy, to: BlockId, bound: u32, is_back: &impl Fn(BlockId, BlockId) -> bool) -> Option<Copy> {
    let mut counts = copy.1.clone();
    if is_back(copy.0, to) {
        match counts.iter_mut().find(|(head, _)| *head == to) {
            Some((_, count)) => *count += 1,
            None => {
                counts.push((to, 1));
                counts.sort();
            }
        }
        if counts.iter().any(|&(head, count)| head == to && count > bound) {
            return None;
        }
    }
    Some((to, counts))
}

/// The position of each block in a reverse postorder from block 0; unreachable blocks come last.
fn topological_positions(function: &Function) -> Vec<u32> {
    let mut position = vec![u32::MAX; function.blocks.len()];
    let mut postorder = Vec::new();
    let mut seen = vec![false; function.blocks.len()];
    // Each entry: a block and the successors still to visit.
    let mut stack: Vec<(BlockId, Vec<BlockId>)> = Vec::new();
    let successors = |block: BlockId| function.blocks[block.index()].terminator.successors().collect::<Vec<_>>();
    seen[0] = true;
    stack.push((BlockId(0), successors(BlockId(0))));
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) if !seen[next.index()] => {
                seen[next.index()] = true;
                let following = successors(next);
                stack.push((next, following));
            }
            Some(_) => {}
            None => {
                postorder.push(*block);
                stack.pop();
            }
        }
    }
    for (at, block) in postorder.iter().rev().enumerate() {
        position[block.index()] = at as u32;
    }
    position
}

/// Orders the copies so that every jump goes forward.
fn sort_copies(
    function: &Function,
    copies: &[Copy],
    bound: u32,
    is_back: &impl Fn(BlockId, BlockId) -> bool,
) -> Vec<Copy> {
    let number: BTreeMap<Copy, usize> = copies.iter().cloned().enumerate().map(|(i, c)| (c, i)).collect();
    let successors: Vec<Vec<usize>> = copies
        .iter()
        .map(|copy| {
            let next = function.blocks[copy.0.index()].terminator.successors();
            next.filter_map(|to| follow(copy, to, bound, is_back)).map(|next| number[&next]).collect()
        })
        .collect();
    let mut indegree = vec![0usize; copies.len()];
    successors.iter().flatten().for_each(|&to| indegree[to] += 1);
    let mut ready: BTreeSet<usize> = (0..copies.len()).filter(|&i| indegree[i] == 0).collect();
    let mut sorted = Vec::with_capacity(copies.len());
    while let Some(at) = ready.pop_first() {
        sorted.push(copies[at].clone());
        for &to in &successors[at] {
            indegree[to] -= 1;
            if indegree[to] == 0 {
                ready.insert(to);
            }
        }
    }
    assert_eq!(sorted.len(), copies.len(), "counting jumps back makes the graph acyclic");
    sorted
}

impl Terminator {
    /// The blocks that control can go to.
    pub fn successors(&self) -> impl Iterator<Item = BlockId> + use<> {
        let (first, second) = match self {
            Terminator::Goto(to) => (Some(*to), None),
            Terminator::Branch { then, otherwise, .. } => (Some(*then), Some(*otherwise)),
            Terminator::Return(_) | Terminator::Exit(_) | Terminator::Cut { .. } => (None, None),
        };
        first.into_iter().chain(second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Expr, Thread, Width};
    use source::SourceFile;

    /// `b0: goto b1; b1: if 1 goto b1 else b2; b2: return`, or without the loop.
    fn program(back: u32) -> Program {
        let block = |terminator| Block { instrs: Vec::new(), terminator };
        let mut program = Program::new("t", "C", SourceFile::new("t", ""));
        let branch = Terminator::Branch {
            condition: Expr::constant(1, Width::BOOL),
            then: BlockId(back),
            otherwise: BlockId(2),
            join: None,
            span: Span::new(3, 4),
        };
        let blocks = vec![block(Terminator::Goto(BlockId(1))), block(branch), block(Terminator::Return(None))];
        program.functions.push(Function { name: "P0".into(), params: 0, library: false, locals: Vec::new(), blocks });
        program.threads.push(Thread { name: "P0".into(), body: crate::FunctionId(0) });
        program
    }

    #[test]
    fn a_loop_is_copied_and_cut() {
        let unrolled = unroll(&program(1), 2);
        assert_eq!(unrolled.cut, [Span::new(3, 4)]);
        let blocks = &unrolled.program.functions[0].blocks;
        assert!(blocks.iter().enumerate().all(|(at, b)| b.terminator.successors().all(|to| to.index() > at)));
        let cuts = blocks.iter().filter(|b| matches!(b.terminator, Terminator::Cut { .. })).count();
        assert_eq!(cuts, 1);
        let branches = blocks.iter().filter(|b| matches!(b.terminator, Terminator::Branch { .. })).count();
        assert_eq!(branches, 3, "once, and twice again");
    }

    #[test]
    fn without_loops_nothing_is_cut() {
        let unrolled = unroll(&program(2), 0);
        assert!(unrolled.cut.is_empty());
        assert_eq!(unrolled.program.functions[0].blocks.len(), 3);
    }
}
