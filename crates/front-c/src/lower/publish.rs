//! Where other threads may begin to exist.
//!
//! `main` runs alone at first: until it executes `Publish`, its accesses are no events. The later that is, the smaller
//! the problem. It must come before every instruction that may start a thread, once at most, and not in an atomic
//! section.

use ir::{Function, FunctionId, Instr, Op, Program, System};
use source::Span;

/// Inserts the instruction into the first thread's function, if anything starts threads.
pub(crate) fn publish(program: &mut Program) {
    let Some(main) = program.threads.first().map(|thread| thread.body) else { return };
    let spawning = spawning(program);
    let function = &program.functions[main.index()];
    let Some((block, at)) = point(function, &spawning) else { return };
    let block = &mut program.functions[main.index()].blocks[block];
    let span = block.instrs.get(at).map_or(Span::default(), |instr| instr.span);
    block.instrs.insert(at, Instr { op: Op::System(System::Publish), span });
}

/// For each function, whether it may start a thread.
fn spawning(program: &Program) -> Vec<bool> {
    let mut may: Vec<bool> = vec![false; program.functions.len()];
    loop {
        let before = may.clone();
        for (at, function) in program.functions.iter().enumerate() {
            let mut instrs = function.blocks.iter().flat_map(|block| &block.instrs);
            may[at] |= instrs.any(|instr| starts(&instr.op, &before));
        }
        if may == before {
            return may;
        }
    }
}

fn starts(op: &Op, spawning: &[bool]) -> bool {
    let calls = |function: FunctionId| spawning.get(function.index()).copied().unwrap_or(false);
    if let Op::System(System::Call { function, .. }) = op {
        return calls(*function);
    }
    matches!(op, Op::System(System::Spawn { .. }))
}

/// The latest point before all that starts threads, outside loops and atomic sections: block and instruction.
fn point(function: &Function, spawning: &[bool]) -> Option<(usize, usize)> {
    let count = function.blocks.len();
    let first = |block: usize| function.blocks[block].instrs.iter().position(|i| starts(&i.op, spawning));
    let places: Vec<usize> = (0..count).filter(|&block| first(block).is_some()).collect();
    let dominators = dominators(function);
    let mut block = places.iter().copied().reduce(|a, b| common(a, b, &dominators))?;
    let mut limit = first(block).unwrap_or(function.blocks[block].instrs.len());
    let cyclic = cyclic(function);
    let depths = depths(function);
    loop {
        if !cyclic[block]
            && let Some(at) = outside(function, block, limit, depths[block])
        {
            return Some((block, at));
        }
        let Some(up) = dominators[block].filter(|&up| up != block) else { return Some((block, 0)) };
        block = up;
        limit = function.blocks[block].instrs.len();
    }
}

/// The last position in a block, `limit` at most, that is in no atomic section.
fn outside(function: &Function, block: usize, limit: usize, depth: usize) -> Option<usize> {
    let mut depth = depth;
    let mut found = if depth == 0 { Some(0) } else { None };
    for (at, instr) in function.blocks[block].instrs.iter().enumerate().take(limit) {
        match &instr.op {
            Op::System(System::AtomicBegin) => depth += 1,
            Op::System(System::AtomicEnd) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            found = Some(at + 1);
        }
    }
    found
}

/// How many atomic sections are open where each block begins.
fn depths(function: &Function) -> Vec<usize> {
    let mut depths: Vec<Option<usize>> = vec![None; function.blocks.len()];
    let mut work = vec![(0usize, 0usize)];
    while let Some((block, depth)) = work.pop() {
        if depths[block].is_some() {
            continue;
        }
        depths[block] = Some(depth);
        let after = function.blocks[block].instrs.iter().fold(depth, |depth, instr| match &instr.op {
            Op::System(System::AtomicBegin) => depth + 1,
            Op::System(System::AtomicEnd) => depth.saturating_sub(1),
            _ => depth,
        });
        work.extend(function.blocks[block].terminator.successors().map(|next| (next.index(), after)));
    }
    depths.into_iter().map(|depth| depth.unwrap_or(0)).collect()
}

/// The immediate dominator of each block; that of the first is itself. All blocks are reachable.
pub(super) fn dominators(function: &Function) -> Vec<Option<usize>> {
    let count = function.blocks.len();
    let mut predecessors = vec![Vec::new(); count];
    for (at, block) in function.blocks.iter().enumerate() {
        for next in block.terminator.successors() {
            predecessors[next.index()].push(at);
        }
    }
    // Sets as bit vectors: functions are small, and it is done once.
    let words = count.div_ceil(64);
    let mut sets = vec![vec![u64::MAX; words]; count];
    if let Some(start) = sets.first_mut() {
        *start = vec![0; words];
        start[0] = 1;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for at in 1..count {
            let mut new = vec![u64::MAX; words];
            for &before in &predecessors[at] {
                for (word, other) in new.iter_mut().zip(&sets[before]) {
                    *word &= other;
                }
            }
            new[at / 64] |= 1 << (at % 64);
            if new != sets[at] {
                sets[at] = new;
                changed = true;
            }
        }
    }
    let has = |set: &[u64], at: usize| set[at / 64] >> (at % 64) & 1 == 1;
    let size = |at: usize| (0..count).filter(|&other| has(&sets[at], other)).count();
    let sizes: Vec<usize> = (0..count).map(size).collect();
    (0..count)
        .map(|at| match at {
            0 => Some(0),
            _ => (0..count).filter(|&other| other != at && has(&sets[at], other)).max_by_key(|&other| sizes[other]),
        })
        .collect()
}

pub(super) fn common(a: usize, b: usize, dominators: &[Option<usize>]) -> usize {
    let chain = |start: usize| {
        let up = |&at: &usize| dominators[at].filter(|&next| next != at);
        std::iter::successors(Some(start), up).collect::<Vec<_>>()
    };
    let of_a = chain(a);
    chain(b).into_iter().find(|at| of_a.contains(at)).unwrap_or(0)
}

/// For each block, whether it is in a loop.
fn cyclic(function: &Function) -> Vec<bool> {
    let reaches_itself = |start: usize| {
        let mut seen = vec![false; function.blocks.len()];
        let mut work = vec![start];
        while let Some(at) = work.pop() {
            for next in function.blocks[at].terminator.successors() {
                if next.index() == start {
                    return true;
                }
                if !std::mem::replace(&mut seen[next.index()], true) {
                    work.push(next.index());
                }
            }
        }
        false
    };
    (0..function.blocks.len()).map(reaches_itself).collect()
}
