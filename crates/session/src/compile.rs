//! Atomics of C as the hardware of a model runs them, by the mapping that the model's head declares, or as the language has them.
//!
//! What belongs to a site ([`ir::Site`]) shows it: the access keeps its mark, and the fences before and behind it are one fence each, with
//! a mark of its own, which is there also where no fence is needed. So an execution shows what it would be with another order.

use ir::{BinaryOp, Block, BlockId, Expr, Function, Instr, LocalId, Op, Program, Site, TagId, TagSet, Terminator};
use model::{CompileStep, Head};
use source::Span;

/// The program with every access and fence replaced by what the head says.
pub fn compile(program: &Program, head: &Head) -> Program {
    let mut result = program.clone();
    for (at, function) in program.functions.iter().enumerate() {
        result.functions[at] = Compiler { head, program: &mut result }.function(function);
    }
    result
}

/// The program as the language itself sees it: every access keeps its order. What functions of the library synchronise is what their accesses
/// acquire and release; the fences around these, which hardware has, are gone. A lock that is only tried acquires where it is taken.
pub fn keep(program: &Program) -> Program {
    let mut result = program.clone();
    let [library, mutex, tries, atomic, acquire, release, relaxed] =
        [LIBRARY, "MUTEX", "TRY", "A", "ACQ", "REL", "RLX"].map(|name| result.tag(name));
    let set = |tags: &mut TagSet, order: TagId| {
        let tried = tags.contains(tries).then_some(tries);
        if tags.contains(library) || tried.is_some() {
            *tags = [atomic, order].into_iter().chain(tried).collect();
        }
    };
    for block in result.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        block
            .instrs
            .retain(|instr| !matches!(&instr.op, Op::Fence { tags } if tags.contains(library) || tags.contains(mutex)));
    }
    for function in &mut result.functions {
        acquire_on_success(function, tries, acquire);
        for instr in function.blocks.iter_mut().flat_map(|block| &mut block.instrs) {
            match &mut instr.op {
                Op::Load { tags, .. } => set(tags, acquire),
                Op::Store { tags, .. } | Op::StoreConditional { tags, .. } => set(tags, release),
                Op::Rmw { read_tags, write_tags, .. } => {
                    let order = if read_tags.contains(tries) { relaxed } else { acquire };
                    set(read_tags, order);
                    set(write_tags, release);
                }
                Op::Assign { .. } | Op::Fence { .. } | Op::Assume { .. } | Op::System(_) => {}
            }
        }
    }
    result
}

/// Puts a fence that acquires behind each operation that is only tried, where it succeeds.
fn acquire_on_success(function: &mut Function, tries: TagId, acquire: TagId) {
    let tried = |op: &Op| {
        let Op::Rmw { when, read_tags, .. } = op else { return None };
        when.clone().filter(|_| read_tags.contains(tries))
    };
    let mut at = 0;
    while at < function.blocks.len() {
        let instrs = function.blocks[at].instrs.iter().enumerate();
        let found = instrs.filter_map(|(place, instr)| Some((place, tried(&instr.op)?))).next();
        if let Some((place, condition)) = found {
            let (then, otherwise) = (empty_block(function), empty_block(function));
            let Block { instrs, terminator } = &mut function.blocks[at];
            let (rest, span) = (instrs.split_off(place + 1), instrs[place].span);
            let branch = Terminator::Branch { condition, then, otherwise, join: Some(otherwise), span };
            let terminator = std::mem::replace(terminator, branch);
            let fence = Op::Fence { tags: TagSet::from_iter([acquire]) };
            let goes_on = Terminator::Goto(otherwise);
            function.blocks[then.index()] = Block { instrs: vec![Instr { op: fence, span }], terminator: goes_on };
            function.blocks[otherwise.index()] = Block { instrs: rest, terminator };
        }
        at += 1;
    }
}

/// The program as a model of the kernel sees it: what the library does is done by the kernel's operations. Threads are started and joined
/// with full fences; a mutex acquires and releases.
pub fn kernel(program: &Program) -> Program {
    let mut result = program.clone();
    let names = ["HEAP", "A", "LIBRARY", "MUTEX", "ACQ", "REL", "MB", "ONCE", "ACQUIRE", "RELEASE", "RMW"];
    let [heap, atomic, library, mutex, acq, rel, full, once, acquire, release, rmw] =
        names.map(|name| result.tag(name));
    for function in &mut result.functions {
        let own = function.library;
        for block in &mut function.blocks {
            block.instrs.retain(|instr| !matches!(&instr.op, Op::Fence { tags } if tags.contains(mutex)));
        }
        for instr in function.blocks.iter_mut().flat_map(|block| &mut block.instrs) {
            let access = |tags: &mut TagSet, more: Option<TagId>| {
                if !(own || tags.contains(heap)) || !tags.contains(atomic) {
                    return;
                }
                let order = match (tags.contains(acq), tags.contains(rel)) {
                    (true, _) => acquire,
                    (_, true) => release,
                    (false, false) => once,
                };
                *tags = more.into_iter().chain([order]).collect();
            };
            match &mut instr.op {
                Op::Fence { tags } if tags.contains(library) => *tags = TagSet::from_iter([full]),
                Op::Load { tags, .. } | Op::Store { tags, .. } | Op::StoreConditional { tags, .. } => {
                    access(tags, None);
                }
                Op::Rmw { read_tags, write_tags, .. } => {
                    access(read_tags, Some(rmw));
                    access(write_tags, Some(rmw));
                }
                Op::Fence { .. } | Op::Assign { .. } | Op::Assume { .. } | Op::System(_) => {}
            }
        }
    }
    result
}

/// The tag of what the library needs to synchronise threads.
const LIBRARY: &str = "LIBRARY";

struct Compiler<'a> {
    head: &'a Head,
    program: &'a mut Program,
}

impl Compiler<'_> {
    fn function(&mut self, function: &Function) -> Function {
        let mut result = function.clone();
        for at in 0..function.blocks.len() {
            let Block { instrs, terminator } = function.blocks[at].clone();
            let mut here = at;
            result.blocks[here].instrs = Vec::new();
            for instr in instrs {
                let mut after = None;
                for piece in self.instr(&instr) {
                    match piece {
                        Piece::Instr(instr) => result.blocks[here].instrs.push(instr),
                        Piece::Ctrl(read, span) => {
                            let next = empty_block(&mut result);
                            let same = Expr::Local(read).binary(BinaryOp::Eq, Expr::Local(read));
                            result.blocks[here].terminator =
                                Terminator::Branch { condition: same, then: next, otherwise: next, join: None, span };
                            here = next.index();
                        }
                        Piece::OnSuccess(condition, span) => {
                            let (then, otherwise) = (empty_block(&mut result), empty_block(&mut result));
                            result.blocks[here].terminator =
                                Terminator::Branch { condition, then, otherwise, join: Some(otherwise), span };
                            here = then.index();
                            after = Some(otherwise);
                        }
                    }
                }
                if let Some(after) = after {
                    result.blocks[here].terminator = Terminator::Goto(after);
                    here = after.index();
                }
            }
            result.blocks[here].terminator = terminator;
        }
        result
    }

    /// What becomes of an instruction.
    fn instr(&mut self, instr: &Instr) -> Vec<Piece> {
        let (kind, tags, read) = match &instr.op {
            Op::Load { dst, tags, .. } => ("R", tags.clone(), Some(*dst)),
            Op::Store { tags, .. } | Op::StoreConditional { tags, .. } => ("W", tags.clone(), None),
            Op::Rmw { dst, when, read_tags, write_tags, .. } => {
                let kind = if when.is_some() { "CAS" } else { "RMW" };
                (kind, read_tags.iter().chain(write_tags.iter()).collect(), Some(*dst))
            }
            Op::Fence { tags } if tags.iter().all(|tag| !is_order(&self.program.tags[tag.index()])) => {
                // A fence of the machine, from inline assembly: it is what it is.
                return vec![Piece::Instr(instr.clone())];
            }
            Op::Fence { tags } => ("F", tags.clone(), None),
            Op::Assign { .. } | Op::Assume { .. } | Op::System(_) => return vec![Piece::Instr(instr.clone())],
        };
        let carries = |name: &str| tags.iter().any(|tag| self.program.tags[tag.index()] == name);
        // The two halves of acq_rel are on the read and on the write.
        let has = |name: &str| carries(name) || (name == "ACQ_REL" && carries("ACQ") && carries("REL"));
        let Some(rule) = self.head.compile_rule(kind, has) else { return vec![Piece::Instr(instr.clone())] };
        let kernels = carries("RMW") || carries("LKR");
        if let Some(site) = self.program.site_of(instr).filter(|_| !kernels) {
            return self.marked(instr, (kind, site), &rule.steps.clone(), read);
        }
        let mut pieces = Vec::new();
        for step in rule.steps.clone() {
            match step {
                CompileStep::Access { read, write } => {
                    let mut tags = |names: &[String]| names.iter().map(|name| self.program.tag(name)).collect();
                    let (read, write): (TagSet, TagSet) = (tags(&read), tags(&write));
                    pieces.push(Piece::Instr(Instr { op: with_tags(&instr.op, read, write), span: instr.span }));
                    // What the kernel has behind an operation is there only where it succeeds.
                    if let Op::Rmw { when: Some(when), .. } = &instr.op
                        && kernels
                    {
                        pieces.push(Piece::OnSuccess(when.clone(), instr.span));
                    }
                }
                CompileStep::Fence(name) => {
                    let tag: TagId = self.program.tag(&name);
                    let op = Op::Fence { tags: TagSet::from_iter([tag]) };
                    pieces.push(Piece::Instr(Instr { op, span: instr.span }));
                }
                CompileStep::Ctrl => pieces.extend(read.map(|read| Piece::Ctrl(read, instr.span))),
            }
        }
        pieces
    }

    /// What becomes of an instruction of a site.
    fn marked(
        &mut self,
        instr: &Instr,
        (kind, site): (&str, usize),
        steps: &[CompileStep],
        read: Option<LocalId>,
    ) -> Vec<Piece> {
        let is_access = |step: &CompileStep| matches!(step, CompileStep::Access { .. });
        let mark = Site::mark(site);
        let fence = |compiler: &mut Self, steps: &[CompileStep], mark: String| {
            let names =
                steps.iter().filter_map(|step| if let CompileStep::Fence(name) = step { Some(&**name) } else { None });
            let tags = names.chain([&*mark]).map(|name| compiler.program.tag(name)).collect();
            Piece::Instr(Instr { op: Op::Fence { tags }, span: instr.span })
        };
        let Some(at) = steps.iter().position(is_access) else { return vec![fence(self, steps, mark)] };
        let (before, after) = (&steps[..at], &steps[at + 1..]);
        let sides = |steps: &[CompileStep]| {
            let at = steps.iter().position(is_access).unwrap_or(0);
            [!steps[..at].is_empty(), steps.len() > at + 1]
        };
        let rules = self.head.compile.iter().filter(|rule| rule.kind == kind || (kind == "CAS" && rule.kind == "RMW"));
        let [first, last] = rules.map(|rule| sides(&rule.steps)).fold([false; 2], |a, b| [a[0] || b[0], a[1] || b[1]]);
        let mut pieces = Vec::new();
        if first {
            pieces.push(fence(self, before, format!("{mark}-")));
        }
        if let CompileStep::Access { read, write } = &steps[at] {
            let mut tags = |names: &[String]| names.iter().chain([&mark]).map(|name| self.program.tag(name)).collect();
            let (read, write): (TagSet, TagSet) = (tags(read), tags(write));
            pieces.push(Piece::Instr(Instr { op: with_tags(&instr.op, read, write), span: instr.span }));
        }
        if after.contains(&CompileStep::Ctrl) {
            pieces.extend(read.map(|read| Piece::Ctrl(read, instr.span)));
        }
        if last {
            pieces.push(fence(self, after, format!("{mark}+")));
        }
        pieces
    }
}

/// Adds an empty block.
fn empty_block(function: &mut Function) -> BlockId {
    function.blocks.push(Block { instrs: Vec::new(), terminator: Terminator::Return(None) });
    BlockId(function.blocks.len() as u32 - 1)
}

/// Whether a tag says how a fence of C or of the kernel orders, and so what the mapping is about.
fn is_order(tag: &str) -> bool {
    let c = ["RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC"];
    let kernel = ["MB", "RMB", "WMB", "BEFORE-ATOMIC", "AFTER-ATOMIC", "AFTER-SPINLOCK", "AFTER-UNLOCK-LOCK"];
    c.contains(&tag) || kernel.contains(&tag)
}

/// A part of what an instruction becomes: an instruction, a branch on the value read that goes on either way, or a branch
/// behind which the rest is executed only where the operation succeeded.
enum Piece {
    Instr(Instr),
    Ctrl(LocalId, Span),
    OnSuccess(Expr, Span),
}

/// The access with these tags instead of its own.
fn with_tags(op: &Op, read: TagSet, write: TagSet) -> Op {
    let mut op = op.clone();
    match &mut op {
        Op::Load { tags, .. } => *tags = read,
        Op::Store { tags, .. } | Op::StoreConditional { tags, .. } => *tags = write,
        Op::Rmw { read_tags, write_tags, .. } => (*read_tags, *write_tags) = (read, write),
        Op::Fence { .. } | Op::Assign { .. } | Op::Assume { .. } | Op::System(_) => {}
    }
    op
}
