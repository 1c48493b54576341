//! Where fences are worth a try, and programs with fences at such places.

use crate::kinds::Spelling;
use ir::{BlockId, FunctionId, Instr, Op, Place, Program, Seam, System, TagSet};
use source::Span;
use witness::{Action, Event, Execution};

/// How the names of tags that mark seams begin.
const MARKER: char = '?';

/// The name of the tag that marks a seam. No model knows it, so it orders nothing.
pub(crate) fn marker(seam: usize) -> String {
    format!("{MARKER}{seam}")
}

/// A program and its execution without the marks of seams, which no reader wants to see.
pub fn unmarked(program: &Program, execution: &Execution) -> (Program, Execution) {
    let marks =
        |tags: &TagSet| !tags.is_empty() && tags.iter().all(|tag| program.tags[tag.index()].starts_with(MARKER));
    let kept = |event: &Event| event.action != Action::Fence || !marks(&event.tags);
    let kept: Vec<bool> = execution.events.iter().map(kept).collect();
    let mut clean = program.clone();
    for block in clean.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        block.instrs.retain(|instr| !matches!(&instr.op, Op::Fence { tags } if marks(tags)));
    }
    (clean, execution.restricted(&kept))
}

/// The statement beside which a seam is.
pub(crate) fn beside(place: Place) -> Span {
    match place {
        Place::Before { statement, .. } | Place::After { statement, .. } => statement,
        Place::Row { row, .. } => row,
    }
}

/// The seams at which a fence can do something: there is an access before it and one after it, and none of them stands
/// for the same place as another.
pub fn useful(program: &Program) -> Vec<Seam> {
    let mut kept: Vec<Seam> = Vec::new();
    let mut seams = program.seams.clone();
    // At one place, the end of a statement is better than the beginning of the next one.
    let rank = |seam: &Seam| match seam.place {
        Place::After { braces, .. } => u8::from(braces) * 2,
        Place::Row { .. } => 0,
        Place::Before { braces, .. } => 1 + u8::from(braces) * 2,
    };
    seams.sort_by_key(|seam| (seam.function, seam.block, seam.index, rank(seam), beside(seam.place)));
    for seam in seams {
        let instrs = &program.functions[seam.function.index()].blocks[seam.block.index()].instrs;
        let same = kept.last().is_some_and(|last| {
            let between = instrs.get(last.index as usize..seam.index as usize);
            (last.function, last.block) == (seam.function, seam.block)
                && between.is_some_and(|between| !between.iter().any(|instr| instr.op.is_visible()))
        });
        if !same && reaches(program, &seam) {
            kept.push(seam);
        }
    }
    // Of fences that cost the same, one in a function that is called is better: it is right for all who call it.
    let called: Vec<bool> = (0..program.functions.len()).map(|at| !is_root(program, FunctionId(at as u32))).collect();
    kept.sort_by_key(|seam| {
        let span = beside(seam.place);
        let (offset, side) = match seam.place {
            Place::Before { .. } => (span.start, 0),
            Place::After { .. } | Place::Row { .. } => (span.end, 1),
        };
        let column = if let Place::Row { column, .. } = seam.place { column } else { 0 };
        (column, !called[seam.function.index()], offset, side, seam.function, seam.block, seam.index)
    });
    kept
}

/// Whether something that matters can come before the seam, and something can come after it.
fn reaches(program: &Program, seam: &Seam) -> bool {
    let function = &program.functions[seam.function.index()];
    let Some(block) = function.blocks.get(seam.block.index()) else { return false };
    let Some((earlier, later)) = block.instrs.split_at_checked(seam.index as usize) else { return false };
    if !is_root(program, seam.function) {
        return true;
    }
    let has = |instrs: &[Instr]| instrs.iter().any(|instr| instr.op.is_visible());
    let next = |at: usize| -> Vec<usize> { function.blocks[at].terminator.successors().map(BlockId::index).collect() };
    let before =
        |at: usize| -> Vec<usize> { (0..function.blocks.len()).filter(|&from| next(from).contains(&at)).collect() };
    let from = |start: usize, step: &dyn Fn(usize) -> Vec<usize>| {
        let mut seen = vec![false; function.blocks.len()];
        let mut work = step(start);
        while let Some(at) = work.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if has(&function.blocks[at].instrs) {
                return true;
            }
            work.extend(step(at));
        }
        false
    };
    let at = seam.block.index();
    (has(earlier) || from(at, &before)) && (has(later) || from(at, &next))
}

/// Whether a function is run by threads and not called.
fn is_root(program: &Program, id: FunctionId) -> bool {
    let calls = |op: &Op| matches!(op, Op::System(System::Call { function, .. }) if *function == id);
    let mut instrs = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|block| &block.instrs);
    !instrs.any(|instr| calls(&instr.op))
}

/// The program with a mark at each seam, and with these fences: the number of a seam and how the fence is spelled.
pub fn with_fences(program: &Program, seams: &[Seam], fences: &[(usize, Spelling)]) -> Program {
    let mut result = program.clone();
    result.seams.clear();
    let mut order: Vec<usize> = (0..seams.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse((seams[at].function, seams[at].block, seams[at].index, at)));
    for at in order {
        let seam = &seams[at];
        let mut names = vec![marker(at)];
        names.extend(fences.iter().filter(|(place, _)| *place == at).map(|(_, fence)| fence.tag.to_owned()));
        let block = (seam.function.index(), seam.block.index());
        for name in names.iter().rev() {
            let tags = TagSet::from_iter([result.tag(name)]);
            let instr = Instr { op: Op::Fence { tags }, span: beside(seam.place) };
            result.functions[block.0].blocks[block.1].instrs.insert(seam.index as usize, instr);
        }
    }
    result
}
