//! The machine: one step of one thread.
//!
//! A step of a thread is its next instruction that others can notice and all that follows up to the one after. What
//! others cannot notice: locals, calls, choices, objects that one thread uses only, writes that go to the buffer, fences
//! that have nothing to wait for, and starting and joining threads, which others cannot prevent. An atomic section is one
//! step. Entering and leaving a critical section, and ending inside one, are steps of their own.

use super::choice;
use super::history::History;
use super::state::{Cuts, Entry, Frame, State, Status, Taint, Thread};
use crate::loops::Loops;
use engine::{Options, Property};
use ir::{Expr, Function, FunctionId, Instr, LocalId, ObjectId, Program, TagSet, Width, truncate};
use model::{Buffers, Head};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use witness::Violation;

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
    /// An access covers a part of a cell of this object, from one offset to another.
    Part(ObjectId, [u64; 2]),
}

/// What the search knows beyond states.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// The objects whose accesses others can notice.
    pub shared: BTreeSet<ObjectId>,
    /// Where the cells of objects are cut.
    pub cuts: Cuts,
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
    /// What can fail; nothing if final states are asked for.
    pub property: Option<Property>,
    pub buffers: Buffers,
    drain: TagSet,
    pub order_writes: TagSet,
    pub wait: TagSet,
    pub loops: Loops<'a>,
}

/// A step that is being taken.
pub(super) struct Step<'m, 'a> {
    pub machine: &'m Machine<'a>,
    pub state: State,
    pub choices: &'m [u64],
    pub chosen: usize,
    pub record: Option<&'m mut History>,
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
    pub fn new(
        program: &'a Program,
        head: &Head,
        buffers: Buffers,
        property: Option<Property>,
        options: &'a Options,
    ) -> Self {
        let named = |names: &[String]| program.tags_named(names);
        Machine {
            program,
            property,
            buffers,
            drain: named(&head.drain),
            order_writes: named(&head.order_writes),
            wait: named(&head.wait),
            loops: Loops::new(program, options),
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

    /// Where the thread is, also at the end of a block: the next instruction, or what decides there, or what came before.
    fn near(&self, thread: &Thread) -> Option<Span> {
        thread.frames.iter().rev().find_map(|frame| {
            let block = &self.function(frame.function).blocks[frame.block as usize];
            let next = block.instrs.get(frame.index as usize).map(|instr| instr.span);
            let decides = match &block.terminator {
                ir::Terminator::Branch { span, .. } | ir::Terminator::Cut { span } => Some(*span),
                ir::Terminator::Goto(_) | ir::Terminator::Return(_) | ir::Terminator::Exit(_) => None,
            };
            next.or(decides).or_else(|| block.instrs.last().map(|instr| instr.span))
        })
    }

    /// Where that instruction stands for the reader.
    pub fn here(&self, thread: &Thread) -> Option<Span> {
        let instr = self.next(thread)?;
        Some(thread.frames.last()?.place.unwrap_or(instr.span))
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
            Buffers::Location => buffer[..at].iter().all(|e| !e.overlaps(entry) && e.epoch == entry.epoch),
        }
    }

    pub fn tracks(&self) -> bool {
        self.property == Some(Property::Deadlock)
    }
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

    pub fn note(&mut self, write: impl FnOnce(&mut History)) {
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
        let thread = &self.state.threads[at];
        let frame = thread.frames.last().expect("a thread that runs has a frame");
        let align = |object: ObjectId| self.state.objects.get(object.index()).map(|object| object.align);
        let local = |local: LocalId| Some(frame.locals[local.index()]);
        match ir::numbers::check(expr, self.machine.function(frame.function), &local, &align) {
            Ok(found) => found.ok_or_else(|| Halt::Limit("internal: a local without a value".to_owned())),
            Err(what) => {
                let span = frame.place.or_else(|| self.machine.near(thread)).unwrap_or_default();
                let place = self.machine.program.source.place(span);
                Err(Halt::Limit(format!("{place}: {what}")))
            }
        }
    }

    /// Chooses the locals of an expression that can be anything.
    fn settle(&mut self, at: usize, expr: &Expr) -> Result<(), Halt> {
        let mut wanted = BTreeSet::new();
        let frame = self.frame(at);
        expr.for_each_local(&mut |local| wanted.extend(frame.open.contains(&local).then_some(local)));
        for local in wanted {
            let (width, depth) = (self.width(at, local), self.state.threads[at].frames.len());
            let function = self.machine.function(self.frame(at).function);
            let value = self.any(width, || choice::values(function, local))?;
            self.note(|record| record.decide(at, (depth, local), value));
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
        self.state.threads.push(Thread {
            body: function,
            frames,
            status: Status::Runs,
            buffer,
            epoch: 0,
            open: 0,
            inside: None,
            reservation: None,
            finals: Vec::new(),
        });
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
