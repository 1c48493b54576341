//! Where changes are allowed, which places are in loops, and which are executed more often than others.

use ir::{BlockId, Function, Instr, Op, Program, System, Terminator};
use source::{SourceFile, Span};
use std::str::FromStr;

/// Lines of a file, as a user writes them: `31`, `31-40`, `queue.h:31`, `queue.h:31-40`, `queue.h`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// The file, or the end of its path; without one, the file that the user named.
    file: Option<String>,
    from: u32,
    to: u32,
}

impl FromStr for Lines {
    type Err = String;

    fn from_str(text: &str) -> Result<Lines, String> {
        let numbers = |text: &str| {
            let (from, to) = text.split_once('-').unwrap_or((text, text));
            Some((from.parse().ok()?, to.parse().ok()?)).filter(|(from, to): &(u32, u32)| 1 <= *from && from <= to)
        };
        let (file, lines) = match (numbers(text), text.rsplit_once(':')) {
            (Some(lines), _) => (None, Some(lines)),
            (None, Some((file, lines))) => (Some(file), numbers(lines)),
            (None, None) if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => (None, None),
            (None, None) => (Some(text), Some((1, u32::MAX))),
        };
        let (from, to) = lines.filter(|_| file != Some("")).ok_or_else(|| format!("`{text}` is no line of a file"))?;
        Ok(Lines { file: file.map(str::to_owned), from, to })
    }
}

impl Lines {
    /// Whether a place of a text begins in these lines.
    pub fn contain(&self, source: &SourceFile, span: Span) -> bool {
        let named = match &self.file {
            None => source.is_main(span.start),
            Some(end) => {
                let name = source.file_at(span.start).name;
                name.strip_suffix(end.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            }
        };
        named && (self.from..=self.to).contains(&source.line(span))
    }
}

/// Which blocks of which functions can run many times in one thread: they are on a cycle, or in a function that is called from one.
pub(crate) struct Loops(Vec<Vec<bool>>);

impl Loops {
    pub fn new(program: &Program) -> Loops {
        let mut looping: Vec<Vec<bool>> = program.functions.iter().map(on_cycles).collect();
        loop {
            let mut changed = false;
            for (caller, function) in program.functions.iter().enumerate() {
                let again = function.blocks.iter().zip(&looping[caller]).filter(|(_, looping)| **looping);
                let calls = again.flat_map(|(block, _)| &block.instrs).filter_map(called).collect::<Vec<_>>();
                for callee in calls {
                    changed |= looping[callee].iter().any(|looping| !looping);
                    looping[callee].fill(true);
                }
            }
            if !changed {
                return Loops(looping);
            }
        }
    }

    pub fn has(&self, function: usize, block: BlockId) -> bool {
        self.0[function].get(block.index()).copied().unwrap_or(false)
    }
}

/// How often each block of each function is executed, as one guesses without running anything: what a branch decides takes place in half of
/// the cases, and a function as often as its calls. Loops count once: costs have a factor for these.
pub(crate) struct Frequencies {
    functions: Vec<u32>,
    /// For each block, how many branches decide about it.
    depths: Vec<Vec<u32>>,
}

/// What is executed once.
const ONCE: u32 = 1 << 12;

/// More than this is not told apart.
const OFTEN: u32 = 1 << 24;

impl Frequencies {
    pub fn new(program: &Program) -> Frequencies {
        let depths: Vec<Vec<u32>> = program.functions.iter().map(decided).collect();
        let mut called_by = vec![Vec::new(); program.functions.len()];
        for (caller, function) in program.functions.iter().enumerate() {
            for (block, depth) in function.blocks.iter().zip(&depths[caller]) {
                block.instrs.iter().filter_map(called).for_each(|callee| called_by[callee].push((caller, *depth)));
            }
        }
        let mut functions = vec![ONCE; program.functions.len()];
        // As many rounds as a chain of calls has members; recursion grows until nobody tells the difference.
        for _ in 0..functions.len() {
            let before = functions.clone();
            for (function, callers) in called_by.iter().enumerate().filter(|(_, callers)| !callers.is_empty()) {
                let all = callers.iter().map(|&(caller, depth)| before[caller].checked_shr(depth).unwrap_or(0));
                functions[function] = all.fold(0, u32::saturating_add).clamp(1, OFTEN);
            }
            if functions == before {
                break;
            }
        }
        Frequencies { functions, depths }
    }

    pub fn of(&self, function: usize, block: BlockId) -> u32 {
        let depth = self.depths[function].get(block.index()).copied().unwrap_or(0);
        self.functions[function].checked_shr(depth).unwrap_or(0).max(1)
    }
}

/// For each block, how many branches decide whether it is executed: those from which a path leads there that has not come to where
/// all paths from the branch meet.
fn decided(function: &Function) -> Vec<u32> {
    let mut depths = vec![0; function.blocks.len()];
    for block in &function.blocks {
        let Terminator::Branch { then, otherwise, join, .. } = &block.terminator else { continue };
        let mut seen = vec![false; function.blocks.len()];
        let mut work = vec![*then, *otherwise];
        while let Some(at) = work.pop() {
            if Some(at) != *join && !std::mem::replace(&mut seen[at.index()], true) {
                depths[at.index()] += 1;
                work.extend(function.blocks[at.index()].terminator.successors());
            }
        }
    }
    depths
}

fn called(instr: &Instr) -> Option<usize> {
    if let Op::System(System::Call { function, .. }) = &instr.op { Some(function.index()) } else { None }
}

/// For each block, whether one comes back to it.
fn on_cycles(function: &Function) -> Vec<bool> {
    let next = |at: usize| function.blocks[at].terminator.successors().map(BlockId::index);
    let returns = |start: usize| {
        let mut seen = vec![false; function.blocks.len()];
        let mut work: Vec<usize> = next(start).collect();
        while let Some(at) = work.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                work.extend(next(at));
            }
        }
        seen[start]
    };
    (0..function.blocks.len()).map(returns).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let source = SourceFile::new("a/queue.c", "one\ntwo\nthree\n");
        let second = Span::new(4, 7);
        let holds = |text: &str| text.parse::<Lines>().map(|lines| lines.contain(&source, second));
        for good in ["2", "1-2", "2-9", "queue.c", "queue.c:2", "a/queue.c:1-3"] {
            assert_eq!(holds(good), Ok(true), "{good}");
        }
        for other in ["1", "3-4", "ueue.c", "other.c:2", "queue.c:3", "b/queue.c"] {
            assert_eq!(holds(other), Ok(false), "{other}");
        }
        for bad in ["0", "3-1", ":3", "queue.c:x", "queue.c:0"] {
            assert!(bad.parse::<Lines>().is_err(), "{bad}");
        }
    }
}
