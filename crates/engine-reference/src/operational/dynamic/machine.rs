//! The machine for programs that start threads: one step of one thread.
//!
//! A step of a thread is its next instruction that others can notice and all that follows up to the one after. What
//! others cannot notice: locals, calls, choices, objects that one thread uses only, writes that go to the buffer, fences
//! that have nothing to wait for, and starting and joining threads, which others cannot prevent. An atomic section is one
//! step. Entering and leaving a critical section, and ending inside one, are steps of their own.

use super::state::{Entry, Frame, State, Status, Taint, Thread};
use engine::{Options, Property};
use ir::{Expr, Function, FunctionId, Instr, LocalId, ObjectId, Program, TagSet, Width, eval, truncate};
use model::{Buffers, Head};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use witness::{Record, Violation};

/// How many instructions a step may have.
const STEP_LENGTH: u32 = 1_000_000;

/// How many threads there may be.
const THREADS: usize = 1_000;

/// Why a step leads nowhere.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Halt {
    /// It is not possible here; because of a waiting condition, or for another reason.
    Disabled { waits: bool },
    /// It depends on a choice among these values that was not made.
    Choose(Vec<u64>),
    /// The property fails.
    Violation(Violation),
    /// The machine cannot do this.
    Limit(String),
    /// Several threads use this object, which was taken for one thread's own.
    Conflict(ObjectId),
}

/// What the search knows beyond states.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// The objects whose accesses others can notice.
    pub shared: BTreeSet<ObjectId>,
    /// Who used the other objects: a thread, whether others too, whether any of them wrote.
    pub touched: BTreeMap<ObjectId, (usize, bool, bool)>,
    /// The loops and calls that were cut.
    pub cut: BTreeSet<Span>,
    /// Why the search is not exhaustive, if it is not.
    pub limit: Option<String>,
}

/// The machine for a program and a model.
pub(super) struct Machine<'a> {
    pub program: &'a Program,
    pub property: Property,
    options: &'a Options,
    pub buffers: Buffers,
    drain: TagSet,
    pub order_writes: TagSet,
    pub wait: TagSet,
    /// For each function the position of each block in a reverse postorder.
    positions: Vec<Vec<u32>>,
}

/// A step that is being taken.
pub(super) struct Step<'m, 'a> {
    pub machine: &'m Machine<'a>,
    pub state: State,
    pub choices: &'m [u64],
    pub chosen: usize,
    pub record: Option<&'m mut Record>,
    pub notes: &'m mut Notes,
    /// The threads that were started in this step.
    pub born: Vec<usize>,
    /// Whether an atomic section has written.
    pub wrote: bool,
}

/// What came of an instruction.
pub(super) enum Flow {
    /// It was executed.
    Done,
    /// It was not executed: it has to be a step of its own.
    Later,
}

impl<'a> Machine<'a> {
    pub fn new(program: &'a Program, head: &Head, buffers: Buffers, property: Property, options: &'a Options) -> Self {
        let named = |names: &[String]| program.tags_named(names);
        Machine {
            program,
            property,
            options,
            buffers,
            drain: named(&head.drain),
            order_writes: named(&head.order_writes),
            wait: named(&head.wait),
            positions: program.functions.iter().map(positions).collect(),
        }
    }

    pub fn function(&self, id: FunctionId) -> &'a Function {
        &self.program.functions[id.index()]
    }

    /// The instruction that a thread executes next, if it is not at the end of a block.
    pub fn next(&self, thread: &Thread) -> Option<&'a Instr> {
        let frame = thread.frames.last()?;
        self.function(frame.function).blocks[frame.block as usize].instrs.get(frame.index as usize)
    }

    /// Where that instruction stands for the reader.
    pub fn here(&self, thread: &Thread) -> Option<Span> {
        let instr = self.next(thread)?;
        Some(thread.frames.last()?.place.unwrap_or(instr.span))
    }

    /// Whether a jump goes back.
    pub fn is_back(&self, function: FunctionId, from: u32, to: u32) -> bool {
        let positions = &self.positions[function.index()];
        positions[from as usize] >= positions[to as usize]
    }

    /// How often the jumps back to a block may be taken.
    pub fn bound(&self, function: FunctionId, head: u32) -> u32 {
        let block = &self.function(function).blocks[head as usize];
        let first = block.instrs.first().map(|instr| instr.span);
        let span = first.or(match &block.terminator {
            ir::Terminator::Branch { span, .. } => Some(*span),
            ir::Terminator::Goto(_)
            | ir::Terminator::Return(_)
            | ir::Terminator::Exit(_)
            | ir::Terminator::Cut { .. } => None,
        });
        let line = span.map(|span| self.program.source.line(span));
        let own = self.options.loops.iter().find(|(at, _)| Some(*at) == line);
        own.map_or(self.options.unwind, |(_, bound)| *bound)
    }

    pub fn depth(&self) -> u32 {
        self.options.unwind
    }

    /// Whether something with these tags waits until the buffer is empty and leaves nothing in it.
    pub fn drains(&self, tags: &TagSet) -> bool {
        self.buffers == Buffers::None || tags.iter().any(|tag| self.drain.contains(tag))
    }

    /// Whether no earlier write of the buffer has to reach memory before this one.
    pub fn may_drain(&self, buffer: &[Entry], at: usize) -> bool {
        let entry = &buffer[at];
        match self.buffers {
            Buffers::None | Buffers::Thread => at == 0,
            Buffers::Location => buffer[..at].iter().all(|e| e.address != entry.address && e.epoch == entry.epoch),
        }
    }

    pub fn tracks(&self) -> bool {
        self.property == Property::Deadlock
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

impl<'a> Step<'_, 'a> {
    /// The next choice, among these values, or among some of this width if there are too many.
    pub fn any(&mut self, width: Width, values: impl FnOnce() -> Option<Vec<u64>>) -> Result<u64, Halt> {
        let Some(&value) = self.choices.get(self.chosen) else {
            return Err(Halt::Choose(values().unwrap_or_else(|| {
                // Some values are better than none: what they lead to is real, but it is not all there is.
                let bits = width.bits();
                self.notes.limit = Some(format!("a choice among all values of {bits} bits is too much to enumerate"));
                vec![0, 1, 2, 3, width.mask(), width.mask() >> 1]
            })));
        };
        self.chosen += 1;
        Ok(value)
    }

    pub fn note(&mut self, write: impl FnOnce(&mut Record)) {
        if let Some(record) = self.record.as_deref_mut() {
            write(record);
        }
    }

    pub fn thread(&mut self, at: usize) -> &mut Thread {
        &mut self.state.threads[at]
    }

    pub fn frame(&mut self, at: usize) -> &mut Frame {
        self.thread(at).frames.last_mut().expect("a thread that runs has a frame")
    }

    pub fn value(&mut self, at: usize, expr: &Expr) -> Result<(u64, Width), Halt> {
        if !self.frame(at).open.is_empty() {
            self.settle(at, expr)?;
        }
        let machine = self.machine;
        let frame = self.frame(at);
        Ok(eval(expr, machine.function(frame.function), &frame.locals))
    }

    /// Chooses the locals of an expression that can be anything.
    fn settle(&mut self, at: usize, expr: &Expr) -> Result<(), Halt> {
        let mut wanted = Vec::new();
        let frame = self.frame(at);
        expr.for_each_local(&mut |local| wanted.extend(frame.open.contains(&local).then_some(local)));
        wanted.sort();
        wanted.dedup();
        for local in wanted {
            let width = self.width(at, local);
            let function = self.machine.function(self.frame(at).function);
            let value = self.any(width, || ir::domain::values(function, local))?;
            let depth = self.state.threads[at].frames.len();
            self.note(|record| record.settle(at, (depth, local), value));
            self.assign(at, local, value, Taint::default());
        }
        Ok(())
    }

    pub fn taint(&mut self, at: usize, expr: &Expr) -> Taint {
        let mut taint = Taint::default();
        if self.machine.tracks() {
            let frame = self.frame(at);
            expr.for_each_local(&mut |local| taint.join(&frame.taints[local.index()]));
        }
        taint
    }

    pub fn assign(&mut self, at: usize, local: LocalId, value: u64, taint: Taint) {
        let machine = self.machine;
        let frame = self.frame(at);
        let width = machine.function(frame.function).locals[local.index()].width;
        frame.locals[local.index()] = truncate(value, width);
        frame.open.retain(|open| *open != local);
        if machine.tracks() {
            frame.taints[local.index()] = taint;
        }
    }

    pub fn width(&mut self, at: usize, local: LocalId) -> Width {
        let function = self.frame(at).function;
        self.machine.function(function).locals[local.index()].width
    }

    /// Where an instruction stands for the reader.
    pub fn place(&mut self, at: usize, span: Span) -> Span {
        self.frame(at).place.unwrap_or(span)
    }

    pub fn enter(
        &mut self,
        at: usize,
        function: FunctionId,
        args: Vec<(u64, Taint)>,
        call: Option<(Option<LocalId>, Span)>,
    ) {
        let body = self.machine.function(function);
        let mut locals = vec![0; body.locals.len()];
        let mut taints = vec![Taint::default(); if self.machine.tracks() { body.locals.len() } else { 0 }];
        for (at, (value, taint)) in args.into_iter().enumerate() {
            locals[at] = truncate(value, body.locals[at].width);
            taints.get_mut(at).into_iter().for_each(|own| own.clone_from(&taint));
        }
        let outside = self.thread(at).frames.last().and_then(|frame| frame.place);
        let place = outside.or(call.map(|(_, span)| span).filter(|_| body.library));
        let dst = call.and_then(|(dst, _)| dst);
        let frame =
            Frame { function, block: 0, index: 0, locals, taints, dst, place, loops: Vec::new(), open: Vec::new() };
        self.thread(at).frames.push(frame);
    }

    pub fn create(&mut self, function: FunctionId, args: Vec<(u64, Taint)>) -> usize {
        let at = self.state.threads.len();
        let (frames, buffer) = (Vec::new(), Vec::new());
        let thread = Thread { body: function, frames, status: Status::Runs, buffer, epoch: 0, open: 0, inside: None };
        self.state.threads.push(thread);
        self.enter(at, function, args, None);
        at
    }

    /// Runs a thread: its next instruction, even if others can notice that, if it `may`, and all they cannot notice.
    pub fn run(&mut self, at: usize, mut may: bool) -> Result<(), Halt> {
        let mut steps = 0;
        while self.state.threads[at].status == Status::Runs {
            steps += 1;
            if steps > STEP_LENGTH {
                return Err(Halt::Limit("a thread runs on without an end".to_owned()));
            }
            let Some(instr) = self.machine.next(&self.state.threads[at]) else {
                if !may && self.ends_inside(at) {
                    break;
                }
                self.leave(at)?;
                continue;
            };
            match self.execute(at, instr, may)? {
                Flow::Done => may = false,
                Flow::Later => break,
            }
        }
        while let Some(born) = self.born.pop() {
            if self.state.threads.len() > THREADS {
                return Err(Halt::Limit(format!("more than {THREADS} threads are started")));
            }
            self.run(born, false)?;
        }
        Ok(())
    }
}
