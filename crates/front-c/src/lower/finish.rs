//! The last touches on a function: dead blocks go, and branches learn where they join.

use ir::{Block, BlockId, Expr, Function, Instr, Local, LocalId, Op, System, Terminator, Width};
use source::Span;

/// Removes what cannot be reached, and computes where the paths from each branch meet again.
pub(crate) fn finish(mut function: Function) -> Function {
    skip_empty(&mut function);
    remove_dead(&mut function);
    return_once(&mut function);
    join(&mut function);
    function
}

/// Variables that may be read before anything is written to them hold any value at first: a jump may lead past their declaration. For a function
/// that has not been finished.
pub(crate) fn any_at_first(function: &mut Function) {
    let live = ir::liveness::at_entry(function);
    let named = |local: &LocalId| !function.locals[local.index()].name.starts_with('%');
    let variables = (function.params..function.locals.len() as u32).map(LocalId).filter(named);
    let unset: Vec<LocalId> = variables.filter(|local| live[local.index()]).collect();
    if unset.is_empty() {
        return;
    }
    // The first block may be the target of jumps: it gets another number.
    let moved = BlockId(function.blocks.len() as u32);
    let any = unset.into_iter().map(|dst| Instr { op: Op::System(System::Nondet { dst }), span: Span::default() });
    let first = Block { instrs: any.collect(), terminator: Terminator::Goto(moved) };
    let old = std::mem::replace(&mut function.blocks[0], first);
    function.blocks.push(old);
    for block in &mut function.blocks[1..] {
        let renumber = |to: &mut BlockId| {
            if to.0 == 0 {
                *to = moved;
            }
        };
        match &mut block.terminator {
            Terminator::Goto(to) => renumber(to),
            Terminator::Branch { then, otherwise, .. } => [then, otherwise].into_iter().for_each(renumber),
            Terminator::Return(_) | Terminator::Exit(_) | Terminator::Cut { .. } => {}
        }
    }
}

/// Makes all ways out of a function meet in one block. A branch that decides which way is taken ends there, as it does where the same
/// is written with `else`: what the caller does next does not depend on it.
fn return_once(function: &mut Function) {
    let returns = |block: &Block| matches!(block.terminator, Terminator::Return(_));
    let ways: Vec<usize> = (0..function.blocks.len()).filter(|&at| returns(&function.blocks[at])).collect();
    let value = |at: &usize| match &function.blocks[*at].terminator {
        Terminator::Return(value) => value.as_ref().map(|value| value.width(function)),
        Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::Exit(_) | Terminator::Cut { .. } => None,
    };
    let widths: Vec<Option<Width>> = ways.iter().map(value).collect();
    if widths.len() < 2 || widths.iter().any(|width| *width != widths[0]) {
        return;
    }
    let result = widths[0].map(|width| {
        function.locals.push(Local { name: "%result".to_owned(), width });
        LocalId(function.locals.len() as u32 - 1)
    });
    let end = BlockId(function.blocks.len() as u32);
    for at in ways {
        let block = &mut function.blocks[at];
        let old = std::mem::replace(&mut block.terminator, Terminator::Goto(end));
        if let (Terminator::Return(Some(value)), Some(dst)) = (old, result) {
            let span = block.instrs.last().map_or(Span::default(), |instr| instr.span);
            block.instrs.push(Instr { op: Op::Assign { dst, value }, span });
        }
    }
    let terminator = Terminator::Return(result.map(Expr::Local));
    function.blocks.push(Block { instrs: Vec::new(), terminator });
}

/// Jumps to an empty block that only jumps on go there directly.
fn skip_empty(function: &mut Function) {
    let count = function.blocks.len();
    let target = |start: BlockId, function: &Function| {
        let mut at = start;
        for _ in 0..count {
            match &function.blocks[at.index()] {
                block if !block.instrs.is_empty() => break,
                block => match block.terminator {
                    Terminator::Goto(next) if next != at => at = next,
                    _ => break,
                },
            }
        }
        at
    };
    for at in 0..count {
        let mut terminator = function.blocks[at].terminator.clone();
        match &mut terminator {
            Terminator::Goto(to) => *to = target(*to, function),
            Terminator::Branch { then, otherwise, .. } => {
                *then = target(*then, function);
                *otherwise = target(*otherwise, function);
            }
            Terminator::Return(_) | Terminator::Exit(_) | Terminator::Cut { .. } => {}
        }
        function.blocks[at].terminator = terminator;
    }
}

fn remove_dead(function: &mut Function) {
    let mut new = vec![None; function.blocks.len()];
    let mut order = vec![0usize];
    new[0] = Some(BlockId(0));
    let mut at = 0;
    while at < order.len() {
        for next in function.blocks[order[at]].terminator.successors() {
            if new[next.index()].is_none() {
                new[next.index()] = Some(BlockId(0));
                order.push(next.index());
            }
        }
        at += 1;
    }
    // The order of the text is kept.
    order.sort_unstable();
    for (number, &old) in order.iter().enumerate() {
        new[old] = Some(BlockId(number as u32));
    }
    let renumber = |id: &mut BlockId| *id = new[id.index()].unwrap_or(*id);
    let old = std::mem::take(&mut function.blocks);
    for (at, mut block) in old.into_iter().enumerate() {
        if new[at].is_none() {
            continue;
        }
        match &mut block.terminator {
            Terminator::Goto(to) => renumber(to),
            Terminator::Branch { then, otherwise, .. } => {
                renumber(then);
                renumber(otherwise);
            }
            Terminator::Return(_) | Terminator::Exit(_) | Terminator::Cut { .. } => {}
        }
        function.blocks.push(block);
    }
}

/// Sets the join of each branch to its immediate post-dominator; none if the paths only meet at the end.
fn join(function: &mut Function) {
    let joins = post_dominators(function);
    for (at, block) in function.blocks.iter_mut().enumerate() {
        if let Terminator::Branch { join, .. } = &mut block.terminator {
            *join = joins[at];
        }
    }
}

/// The immediate post-dominator of each block. Loops without an exit count as if they had one at their last block.
/// Paths that end because nobody asks about them, such as failing assertions, do not count.
fn post_dominators(function: &Function) -> Vec<Option<BlockId>> {
    let count = function.blocks.len();
    let exit = count;
    let mut successors: Vec<Vec<usize>> =
        function.blocks.iter().map(|b| b.terminator.successors().map(BlockId::index).collect()).collect();
    let hopeless = |block: &Block| block.instrs.iter().any(|instr| is_never(&instr.op));
    let mut ignored: Vec<bool> = function.blocks.iter().map(hopeless).collect();
    for (at, own) in successors.iter_mut().enumerate() {
        if ignored[at] {
            own.clear();
        } else if own.is_empty() {
            own.push(exit);
        }
    }
    // What only leads to such an end is of the same kind.
    let mut changed = true;
    while changed {
        changed = false;
        for at in 0..count {
            let all = successors[at].iter().all(|&next| next != exit && ignored[next]);
            if !ignored[at] && all {
                ignored[at] = true;
                changed = true;
            }
        }
    }
    successors.push(Vec::new());
    let order = loop {
        let order = backward_order(&successors, exit);
        match (0..count).rev().find(|at| !order.contains_key(at) && !ignored[*at]) {
            Some(stuck) => successors[stuck].push(exit),
            None => break order,
        }
    };
    // Cooper, Harvey and Kennedy's algorithm on the reversed graph; numbers grow towards the exit.
    let number = |at: usize| order.get(&at).copied().unwrap_or(0);
    let mut by_number: Vec<usize> = (0..=count).filter(|at| order.contains_key(at)).collect();
    by_number.sort_unstable_by_key(|&at| std::cmp::Reverse(number(at)));
    let mut dominator: Vec<Option<usize>> = vec![None; count + 1];
    dominator[exit] = Some(exit);
    let mut changed = true;
    while changed {
        changed = false;
        for &at in by_number.iter().filter(|&&at| at != exit) {
            let mut new: Option<usize> = None;
            for &next in &successors[at] {
                if dominator[next].is_none() {
                    continue;
                }
                new = Some(match new {
                    None => next,
                    Some(other) => meet(next, other, &dominator, &number),
                });
            }
            if new != dominator[at] {
                dominator[at] = new;
                changed = true;
            }
        }
    }
    dominator.into_iter().take(count).map(|d| d.filter(|&d| d != exit).map(|d| BlockId(d as u32))).collect()
}

/// Whether no path goes on after this.
fn is_never(op: &Op) -> bool {
    matches!(op, Op::Assume { condition: Expr::Const(0, _), .. })
}

fn meet(mut a: usize, mut b: usize, dominator: &[Option<usize>], number: &impl Fn(usize) -> usize) -> usize {
    while a != b {
        while number(a) < number(b) {
            match dominator[a] {
                Some(up) if up != a => a = up,
                _ => return b,
            }
        }
        while number(b) < number(a) {
            match dominator[b] {
                Some(up) if up != b => b = up,
                _ => return a,
            }
        }
    }
    a
}

/// Blocks that reach the exit, numbered in postorder of a walk against the edges.
fn backward_order(successors: &[Vec<usize>], exit: usize) -> rustc_hash::FxHashMap<usize, usize> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (at, own) in successors.iter().enumerate() {
        for &next in own {
            predecessors[next].push(at);
        }
    }
    let mut order = rustc_hash::FxHashMap::default();
    let mut seen = vec![false; successors.len()];
    seen[exit] = true;
    let mut stack = vec![(exit, 0)];
    while let Some((at, next)) = stack.pop() {
        match predecessors[at].get(next) {
            Some(&before) => {
                stack.push((at, next + 1));
                if !seen[before] {
                    seen[before] = true;
                    stack.push((before, 0));
                }
            }
            None => {
                let number = order.len();
                order.insert(at, number);
            }
        }
    }
    order
}
