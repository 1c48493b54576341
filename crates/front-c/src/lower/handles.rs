//! Which threads are joined or detached once, as one can see.
//!
//! A thread is joined or detached once at most; the library keeps a list of those that are gone (`runtime/thread.c`). Most
//! programs start a thread into a variable and join that variable further on. If all of a program's joins are of this kind, nobody needs
//! the list, and the calls that look at it are taken out.

use super::publish::{common, dominators};
use ir::{Expr, Function, FunctionId, LocalId, Op, Program, System};
use std::collections::BTreeMap;

/// Where an instruction is: block and position.
type At = (usize, usize);

/// Takes the calls of these functions out, if each of them is given a handle that its function got by starting a thread, and no
/// handle is given twice.
pub(crate) fn forget_evident(program: &mut Program, consumers: &[FunctionId]) {
    let evident = program.functions.iter().all(|function| {
        let own = calls(function, consumers);
        let Some(definitions) = (!own.is_empty()).then(|| definitions(function)) else { return true };
        let started: Option<Vec<At>> =
            own.iter().map(|(at, handle)| start(function, &definitions, *at, handle)).collect();
        started.is_some_and(|started| once(function, &own, &started))
    });
    if !evident {
        return;
    }
    for block in program.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        block.instrs.retain(|instr| !consumes(&instr.op, consumers));
    }
}

fn consumes(op: &Op, consumers: &[FunctionId]) -> bool {
    matches!(op, Op::System(System::Call { function, .. }) if consumers.contains(function))
}

/// The calls of some functions, with the last argument.
fn calls(function: &Function, consumers: &[FunctionId]) -> Vec<(At, Expr)> {
    let mut found = Vec::new();
    for (block, position, op) in instructions(function) {
        if let Op::System(System::Call { function, args, .. }) = op
            && consumers.contains(function)
            && let Some(last) = args.last()
        {
            found.push(((block, position), last.clone()));
        }
    }
    found
}

fn instructions(function: &Function) -> impl Iterator<Item = (usize, usize, &Op)> {
    let blocks = function.blocks.iter().enumerate();
    blocks.flat_map(|(block, of)| of.instrs.iter().enumerate().map(move |(at, instr)| (block, at, &instr.op)))
}

/// Where each local is defined.
fn definitions(function: &Function) -> BTreeMap<LocalId, Vec<At>> {
    let mut found: BTreeMap<LocalId, Vec<At>> = BTreeMap::new();
    for (block, position, op) in instructions(function) {
        if let Some(local) = op.defines() {
            found.entry(local).or_default().push((block, position));
        }
    }
    found
}

/// Where the thread was started whose handle this is: each local on the way has its value from one place.
fn start(function: &Function, definitions: &BTreeMap<LocalId, Vec<At>>, at: At, handle: &Expr) -> Option<At> {
    let Expr::Local(local) = handle else { return None };
    let all = definitions.get(local)?;
    let mut reaching = all.iter().filter(|from| reaches(function, **from, &[at], all));
    let (Some(&(block, position)), None) = (reaching.next(), reaching.next()) else { return None };
    let first = if block == at.0 { position < at.1 } else { common(block, at.0, &dominators(function)) == block };
    if !first {
        return None;
    }
    match &function.blocks[block].instrs[position].op {
        Op::System(System::Spawn { .. }) => Some((block, position)),
        Op::Assign { value, .. } => start(function, definitions, (block, position), value),
        Op::Load { .. }
        | Op::Store { .. }
        | Op::Rmw { .. }
        | Op::StoreConditional { .. }
        | Op::Fence { .. }
        | Op::Assume { .. }
        | Op::System(_) => None,
    }
}

/// Whether between two of these calls that have the same start, or from one back to itself, that start always lies.
fn once(function: &Function, calls: &[(At, Expr)], started: &[At]) -> bool {
    calls.iter().zip(started).all(|((from, _), start)| {
        let same = calls.iter().zip(started).filter(|(_, other)| *other == start);
        let ends: Vec<At> = same.map(|((at, _), _)| *at).collect();
        !reaches(function, *from, &ends, &[*start])
    })
}

/// Whether a path leads from behind an instruction to one of others without certain ones on it.
fn reaches(function: &Function, from: At, ends: &[At], without: &[At]) -> bool {
    let mut seen = vec![false; function.blocks.len()];
    let mut work = vec![(from.0, from.1 + 1)];
    while let Some((block, position)) = work.pop() {
        let next = |at: &At| at.0 == block && at.1 >= position;
        let stop = without.iter().filter(|at| next(at)).map(|at| at.1).min().unwrap_or(usize::MAX);
        if ends.iter().any(|end| next(end) && end.1 < stop) {
            return true;
        }
        if stop != usize::MAX {
            continue;
        }
        for after in function.blocks[block].terminator.successors() {
            if !std::mem::replace(&mut seen[after.index()], true) {
                work.push((after.index(), 0));
            }
        }
    }
    false
}
