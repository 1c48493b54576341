//! The loops of a control-flow graph, one inside the other, and which locals matter where.

use ir::{BlockId, Expr, Function, Operands, Terminator};

/// A part of a function, in an order in which control only goes forward, but for the jumps back of loops.
#[derive(Debug)]
pub enum Item {
    /// A block that is in no further loop.
    Block(BlockId),
    /// A loop.
    Loop(Loop),
}

/// A loop: blocks that can reach each other.
#[derive(Debug)]
pub struct Loop {
    /// Where it begins: jumps to this block from inside are jumps back.
    pub header: BlockId,
    /// Whether each block of the function is in it.
    pub contains: Vec<bool>,
    /// Its parts, without the jumps back.
    pub items: Vec<Item>,
}

/// What is known about a function before it is executed.
#[derive(Debug)]
pub struct Analysis {
    /// Its parts.
    pub items: Vec<Item>,
    /// For each block, the locals whose value at its beginning matters.
    pub live: Vec<Vec<bool>>,
}

impl Analysis {
    /// Analyses a function; `keep` says that all locals matter when it returns.
    pub fn new(function: &Function, keep: bool) -> Self {
        let count = function.blocks.len();
        let reachable = postorder(function, count);
        let mut order: Vec<usize> = vec![usize::MAX; count];
        reachable.iter().rev().enumerate().for_each(|(at, &block)| order[block] = at);
        let blocks: Vec<usize> = reachable.iter().rev().copied().collect();
        Analysis { items: items(function, &blocks, &order, None), live: liveness(function, &reachable, keep) }
    }
}

fn successors(function: &Function, block: usize) -> impl Iterator<Item = usize> + use<> {
    function.blocks[block].terminator.successors().map(BlockId::index)
}

/// The blocks that can be reached from the first, each after its successors.
fn postorder(function: &Function, count: usize) -> Vec<usize> {
    let mut seen = vec![false; count];
    let mut order = Vec::new();
    let mut stack = vec![(0, successors(function, 0).collect::<Vec<_>>())];
    seen[0] = true;
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) if !seen[next] => {
                seen[next] = true;
                stack.push((next, successors(function, next).collect()));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order
}

/// The parts that the blocks make; jumps to `header` do not count.
fn items(function: &Function, blocks: &[usize], order: &[usize], header: Option<usize>) -> Vec<Item> {
    let inside: std::collections::BTreeSet<usize> = blocks.iter().copied().collect();
    let next = |block: usize| {
        let inside = &inside;
        successors(function, block).filter(move |to| inside.contains(to) && Some(*to) != header)
    };
    components(blocks, next)
        .into_iter()
        .map(|mut component| {
            component.sort_by_key(|&block| order[block]);
            let first = component[0];
            if component.len() == 1 && next(first).all(|to| to != first) {
                return Item::Block(BlockId(first as u32));
            }
            let mut contains = vec![false; function.blocks.len()];
            component.iter().for_each(|&block| contains[block] = true);
            let items = items(function, &component, order, Some(first));
            Item::Loop(Loop { header: BlockId(first as u32), contains, items })
        })
        .collect()
}

/// The strongly connected components, in topological order (Tarjan's algorithm).
fn components<I: Iterator<Item = usize>>(nodes: &[usize], next: impl Fn(usize) -> I) -> Vec<Vec<usize>> {
    let size = nodes.iter().max().map_or(0, |&max| max + 1);
    let (mut index, mut low, mut on_stack) = (vec![usize::MAX; size], vec![0; size], vec![false; size]);
    let (mut counter, mut stack, mut found) = (0, Vec::new(), Vec::new());
    for &root in nodes {
        if index[root] != usize::MAX {
            continue;
        }
        let mut work: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut enter = Some(root);
        loop {
            if let Some(node) = enter.take() {
                (index[node], low[node]) = (counter, counter);
                counter += 1;
                stack.push(node);
                on_stack[node] = true;
                work.push((node, next(node).collect()));
            }
            let Some((node, rest)) = work.last_mut() else { break };
            let node = *node;
            match rest.pop() {
                Some(to) if index[to] == usize::MAX => enter = Some(to),
                Some(to) if on_stack[to] => low[node] = low[node].min(index[to]),
                Some(_) => {}
                None => {
                    work.pop();
                    if let Some((parent, _)) = work.last() {
                        low[*parent] = low[*parent].min(low[node]);
                    }
                    if low[node] == index[node] {
                        let mut component = Vec::new();
                        while let Some(member) = stack.pop() {
                            on_stack[member] = false;
                            component.push(member);
                            if member == node {
                                break;
                            }
                        }
                        found.push(component);
                    }
                }
            }
        }
    }
    found.reverse();
    found
}

/// For each block, the locals that are read before they are written.
fn liveness(function: &Function, postorder: &[usize], keep: bool) -> Vec<Vec<bool>> {
    let locals = function.locals.len();
    let mut live = vec![vec![false; locals]; function.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for &block in postorder {
            let mut now = vec![false; locals];
            let body = &function.blocks[block];
            for to in successors(function, block) {
                now.iter_mut().zip(&live[to]).for_each(|(now, &there)| *now |= there);
            }
            let read = |expr: &Expr, now: &mut Vec<bool>| expr.for_each_local(&mut |local| now[local.index()] = true);
            match &body.terminator {
                Terminator::Branch { condition, .. } => read(condition, &mut now),
                Terminator::Return(value) | Terminator::Exit(value) => {
                    if keep {
                        now.iter_mut().for_each(|now| *now = true);
                    }
                    value.iter().for_each(|value| read(value, &mut now));
                }
                Terminator::Goto(_) | Terminator::Cut { .. } => {}
            }
            for instr in body.instrs.iter().rev() {
                let Operands { before, after } = instr.op.operands();
                after.into_iter().for_each(|expr| read(expr, &mut now));
                if let Some(written) = instr.op.defines() {
                    now[written.index()] = false;
                }
                before.into_iter().for_each(|expr| read(expr, &mut now));
            }
            if now != live[block] {
                live[block] = now;
                changed = true;
            }
        }
    }
    live
}
