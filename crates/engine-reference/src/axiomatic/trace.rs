//! All that one thread can do, when each read may take any value of a domain.

use crate::layout::{Layout, gave_up, stray};
use crate::loops::{Loops, Rounds};
use engine::{NoAnswer, Observer};
use ir::{
    BlockId, Expr, Function, FunctionId, Instr, LocalId, ObjectId, Op, Program, Status, System, TagSet, Terminator,
    ThreadId, eval, truncate,
};
use source::Span;
use std::collections::BTreeSet;

/// How many traces of a thread are kept before the engine gives up.
const TRACES: usize = 200_000;

/// The values that each cell may hold.
pub(super) type Domain = Vec<BTreeSet<u64>>;

/// The reads (and store-conditionals) of the thread that a value was computed from, as positions in its events.
type Taint = BTreeSet<usize>;

/// What an event does; cells by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Read { cell: usize, value: u64 },
    Write { cell: usize, value: u64 },
    Fence,
}

/// An event of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Happening {
    pub act: Act,
    pub tags: TagSet,
    pub span: Span,
}

/// One way through a thread: its events, the relations between them, and its locals at the end.
#[derive(Debug, Clone, Default)]
pub(super) struct Trace {
    pub events: Vec<Happening>,
    pub addr: BTreeSet<(usize, usize)>,
    pub data: BTreeSet<(usize, usize)>,
    pub ctrl: BTreeSet<(usize, usize)>,
    pub rmw: BTreeSet<(usize, usize)>,
    pub amo: BTreeSet<(usize, usize)>,
    pub locals: Vec<u64>,
    /// What was chosen: truth values that can be anything, and for each store-conditional whether it succeeded.
    pub choices: Vec<u64>,
    /// The complaint about an access to no cell, at which the thread stopped.
    pub stray: Option<String>,
}

impl Trace {
    /// The reads: cell and value.
    pub fn reads(&self) -> impl Iterator<Item = (usize, u64)> {
        self.events.iter().filter_map(|event| match event.act {
            Act::Read { cell, value } => Some((cell, value)),
            Act::Write { .. } | Act::Fence => None,
        })
    }

    /// The writes: cell and value.
    pub fn writes(&self) -> impl Iterator<Item = (usize, u64)> {
        self.events.iter().filter_map(|event| match event.act {
            Act::Write { cell, value } => Some((cell, value)),
            Act::Read { .. } | Act::Fence => None,
        })
    }
}

/// The traces of a thread, and the loops where one of them went beyond the bound and was dropped.
#[derive(Debug, Clone, Default)]
pub(super) struct Traces {
    pub all: Vec<Trace>,
    pub cut: BTreeSet<Span>,
    /// The blocks that one of the traces passes.
    pub passed: BTreeSet<BlockId>,
    /// The steps from one block to the next that one of the traces takes.
    pub steps: BTreeSet<(BlockId, BlockId)>,
}

#[derive(Debug, Clone)]
struct Reservation {
    cell: usize,
    read: usize,
    taint: Taint,
}

/// A thread on its way.
#[derive(Debug, Clone)]
struct Path {
    block: BlockId,
    passed: Vec<BlockId>,
    index: usize,
    rounds: Rounds,
    taints: Vec<Taint>,
    /// The branches whose control dependency has not ended: where it ends, and what they depend on.
    branches: Vec<(Option<BlockId>, Taint)>,
    reservation: Option<Reservation>,
    trace: Trace,
}

/// Enumerates the traces of a thread.
pub(super) fn traces(
    program: &Program,
    (layout, loops): (&Layout, &Loops<'_>),
    thread: ThreadId,
    domain: &Domain,
    observer: &dyn Observer,
) -> Result<Traces, NoAnswer> {
    let (id, body) = (program.threads[thread.index()].body, program.body(thread));
    let tracer = Tracer { program, layout, loops, id, body, domain };
    let locals = body.locals.len();
    let mut pending = vec![Path {
        block: BlockId(0),
        passed: vec![BlockId(0)],
        index: 0,
        rounds: Rounds::new(),
        taints: vec![Taint::new(); locals],
        branches: Vec::new(),
        reservation: None,
        trace: Trace { locals: vec![0; locals], ..Trace::default() },
    }];
    let mut traces = Traces::default();
    while let Some(path) = pending.pop() {
        if let Some(why) = observer.stop() {
            return Err(why);
        }
        tracer.advance(path, &mut pending, &mut traces);
        if traces.all.len() + pending.len() > TRACES {
            return gave_up(format!("more than {TRACES} ways through a thread"));
        }
    }
    Ok(traces)
}

struct Tracer<'a> {
    program: &'a Program,
    layout: &'a Layout,
    loops: &'a Loops<'a>,
    id: FunctionId,
    body: &'a Function,
    domain: &'a Domain,
}

impl Path {
    fn taint(&self, expr: &Expr) -> Taint {
        let mut taint = Taint::new();
        expr.for_each_local(&mut |local| taint.extend(&self.taints[local.index()]));
        taint
    }

    fn assign(&mut self, body: &Function, local: LocalId, value: u64, taint: Taint) {
        self.trace.locals[local.index()] = truncate(value, body.locals[local.index()].width);
        self.taints[local.index()] = taint;
    }

    /// Adds an event that depends on `addr` by its address and on the open branches.
    fn event(&mut self, act: Act, tags: &TagSet, span: Span, addr: &Taint) -> usize {
        let at = self.trace.events.len();
        self.trace.events.push(Happening { act, tags: tags.clone(), span });
        self.trace.addr.extend(addr.iter().map(|&read| (read, at)));
        for (_, taint) in &self.branches {
            self.trace.ctrl.extend(taint.iter().map(|&read| (read, at)));
        }
        at
    }

    fn enter(&mut self, block: BlockId) {
        (self.block, self.index) = (block, 0);
        self.passed.push(block);
        self.branches.retain(|(join, _)| *join != Some(block));
    }
}

impl Tracer<'_> {
    /// The value of an expression. If it tells which number an address is, the thread goes no further.
    fn value(&self, path: &mut Path, expr: &Expr) -> u64 {
        let align = |object: ObjectId| self.program.objects.get(object.index()).map(|object| object.align);
        let local = |local: LocalId| Some(path.trace.locals[local.index()]);
        match ir::numbers::check(expr, self.body, &local, &align) {
            Ok(found) => found.map_or(0, |(value, _)| value),
            Err(what) => {
                let block = &self.body.blocks[path.block.index()];
                let at = path.index.checked_sub(1).and_then(|at| block.instrs.get(at));
                let line = self.program.source.line(at.map_or(Span::default(), |instr| instr.span));
                path.trace.stray = Some(format!("line {line}: {what}"));
                0
            }
        }
    }

    /// Runs a path to its end or to its next choice, and leaves the alternatives in `pending`.
    fn advance(&self, mut path: Path, pending: &mut Vec<Path>, traces: &mut Traces) {
        loop {
            if path.trace.stray.is_some() {
                return traces.all.push(path.trace);
            }
            let block = &self.body.blocks[path.block.index()];
            if let Some(instr) = block.instrs.get(path.index) {
                path.index += 1;
                match self.execute(path, instr) {
                    Outcome::On(next) => path = *next,
                    Outcome::Choice(paths) => return pending.extend(paths),
                    Outcome::Stray(trace) => return traces.all.push(*trace),
                }
                continue;
            }
            let to = match &block.terminator {
                Terminator::Goto(to) => *to,
                Terminator::Branch { condition, then, otherwise, join, span: _ } => {
                    let taint = path.taint(condition);
                    path.branches.push((*join, taint));
                    if self.value(&mut path, condition) != 0 { *then } else { *otherwise }
                }
                Terminator::Return(_) | Terminator::Exit(_) => {
                    traces.steps.extend(path.passed.windows(2).map(|step| (step[0], step[1])));
                    traces.passed.extend(path.passed);
                    return traces.all.push(path.trace);
                }
                Terminator::Cut { span } => {
                    traces.cut.insert(*span);
                    return;
                }
            };
            if !self.loops.jump(self.id, (path.block.0, to.0), &mut path.rounds) {
                traces.cut.insert(self.loops.place(self.id, path.block.0));
                return;
            }
            path.enter(to);
        }
    }

    fn execute(&self, mut path: Path, instr: &Instr) -> Outcome {
        let span = instr.span;
        let (addr, width) = match &instr.op {
            Op::Load { dst, addr, .. } | Op::Rmw { dst, addr, .. } => (addr, self.body.locals[dst.index()].width),
            Op::Store { addr, value, .. } | Op::StoreConditional { addr, value, .. } => {
                (addr, eval(value, self.body, &path.trace.locals).1)
            }
            Op::Assign { dst, value } => {
                let (result, taint) = (self.value(&mut path, value), path.taint(value));
                path.assign(self.body, *dst, result, taint);
                return Outcome::On(Box::new(path));
            }
            Op::Fence { tags } => {
                path.event(Act::Fence, tags, span, &Taint::new());
                return Outcome::On(Box::new(path));
            }
            Op::Assume { condition, waits: _ } => {
                let holds = self.value(&mut path, condition) != 0;
                return if holds { Outcome::On(Box::new(path)) } else { Outcome::Choice(Vec::new()) };
            }
            Op::System(System::Nondet { dst }) => {
                let choose = |value: u64| {
                    let mut path = path.clone();
                    path.trace.choices.push(value);
                    path.assign(self.body, *dst, value, Taint::new());
                    path
                };
                return Outcome::Choice(vec![choose(0), choose(1)]);
            }
            // Such programs are refused.
            Op::System(_) => return Outcome::Choice(Vec::new()),
        };
        let word = self.value(&mut path, addr);
        if path.trace.stray.is_some() {
            return Outcome::Stray(Box::new(path.trace));
        }
        let Some(cell) = self.layout.cell(word) else {
            path.trace.stray = Some(stray(self.program, span, word));
            return Outcome::Stray(Box::new(path.trace));
        };
        if self.layout.widths[cell] != width {
            let line = self.program.source.line(span);
            path.trace.stray = Some(format!("line {line} accesses a part of a location, or several"));
            return Outcome::Stray(Box::new(path.trace));
        }
        let taint = path.taint(addr);
        Outcome::Choice(self.access(path, instr, cell, &taint))
    }

    /// The alternatives of an access to a cell.
    fn access(&self, path: Path, instr: &Instr, cell: usize, addr: &Taint) -> Vec<Path> {
        let span = instr.span;
        let reads = |dst: LocalId, tags: &TagSet| -> Vec<(Path, usize)> {
            let read = |&value: &u64| {
                let mut path = path.clone();
                let at = path.event(Act::Read { cell, value }, tags, span, addr);
                path.assign(self.body, dst, value, Taint::from([at]));
                (path, at)
            };
            self.domain[cell].iter().map(read).collect()
        };
        let write = |path: &mut Path, value: &Expr, tags: &TagSet, data: &Taint| {
            let value = truncate(self.value(path, value), self.layout.widths[cell]);
            let at = path.event(Act::Write { cell, value }, tags, span, addr);
            path.trace.data.extend(data.iter().map(|&read| (read, at)));
            at
        };
        match &instr.op {
            Op::Load { dst, addr: _, tags, reserve } => {
                let mut paths = reads(*dst, tags);
                for (path, read) in paths.iter_mut().filter(|_| *reserve) {
                    path.reservation = Some(Reservation { cell, read: *read, taint: addr.clone() });
                }
                paths.into_iter().map(|(path, _)| path).collect()
            }
            Op::Store { addr: _, value, tags } => {
                let mut path = path;
                let data = path.taint(value);
                write(&mut path, value, tags, &data);
                vec![path]
            }
            Op::Rmw { dst, addr: _, when, value, read_tags, write_tags } => {
                let mut paths = reads(*dst, read_tags);
                for (path, read) in &mut paths {
                    if when.as_ref().is_none_or(|when| self.value(path, when) != 0) {
                        let mut data = path.taint(value);
                        data.extend(when.iter().flat_map(|when| path.taint(when)));
                        data.remove(read);
                        let pair = (*read, write(path, value, write_tags, &data));
                        path.trace.rmw.insert(pair);
                        path.trace.amo.insert(pair);
                    }
                }
                paths.into_iter().map(|(path, _)| path).collect()
            }
            Op::StoreConditional { success, addr: _, value, tags, status } => {
                let mut fails = path;
                let open = fails.reservation.take();
                let mut data = fails.taint(value);
                let mut operands = Taint::new();
                if *status == Status::Operands {
                    data.extend(open.iter().flat_map(|open| open.taint.iter().copied()));
                    operands = data.union(addr).copied().collect();
                }
                let mut paths = Vec::new();
                if let Some(open) = open.filter(|open| open.cell == cell) {
                    let mut succeeds = fails.clone();
                    let at = write(&mut succeeds, value, tags, &data);
                    succeeds.trace.rmw.insert((open.read, at));
                    succeeds.trace.choices.push(1);
                    let outcome = match status {
                        Status::Operands => operands.clone(),
                        Status::Write => Taint::from([at]),
                        Status::Nothing => Taint::new(),
                    };
                    succeeds.assign(self.body, *success, 1, outcome);
                    paths.push(succeeds);
                }
                fails.trace.choices.push(0);
                fails.assign(self.body, *success, 0, operands);
                paths.push(fails);
                paths
            }
            Op::Assign { .. } | Op::Fence { .. } | Op::Assume { .. } | Op::System(_) => vec![path],
        }
    }
}

/// What comes of executing an instruction.
enum Outcome {
    On(Box<Path>),
    Choice(Vec<Path>),
    Stray(Box<Trace>),
}
