//! The machine: its states and its steps.

use super::history::History;
use crate::layout::{Layout, stray};
use ir::{Expr, Function, Instr, LocalId, Op, Program, TagSet, Terminator, eval, truncate};
use model::{Buffers, Head};
use source::Span;

/// A state of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Snapshot {
    threads: Vec<ThreadState>,
    memory: Vec<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ThreadState {
    block: u32,
    index: u32,
    locals: Vec<u64>,
    reservation: Option<Reservation>,
    /// The writes that have not reached memory, oldest first.
    buffer: Vec<Entry>,
    /// How many writes the thread has made: the number of the next one.
    writes: u32,
    /// How many fences that order writes the thread has passed since its buffer was last empty.
    epoch: u32,
}

/// What a load with reservation read: a cell, and the thread's own write if that has not reached memory yet.
///
/// A reservation that another thread's write has broken is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Reservation {
    cell: usize,
    own: Option<u32>,
}

/// A buffered write.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Entry {
    cell: usize,
    value: u64,
    number: u32,
    epoch: u32,
    /// Whether later reads of the thread wait for this one.
    awaited: bool,
    /// For the write of an atomic pair: what the read of the pair read. Between that and this write no write of another
    /// thread may reach the cell.
    link: Option<Reservation>,
}

/// What the machine can do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A thread executes its next instruction; a store-conditional succeeds.
    Run(usize),
    /// The store-conditional that is a thread's next instruction fails.
    Fail(usize),
    /// A write in the buffer of a thread, by its position, reaches memory.
    Drain(usize, usize),
}

/// Why a step leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    /// It is not possible here, or makes an execution that does not exist.
    Disabled,
    /// It leads beyond the bound on loops.
    Cut,
    /// It accesses no cell.
    Stray(String),
}

/// The machine for a program.
pub(super) struct Machine<'a> {
    program: &'a Program,
    layout: &'a Layout,
    buffers: Buffers,
    drain: TagSet,
    order_writes: TagSet,
    wait: TagSet,
}

impl Snapshot {
    /// Whether all threads have ended and all writes have reached memory.
    ///
    /// A thread that has ended stands before an instruction that does not exist, at a block that returns.
    pub fn is_final(&self) -> bool {
        self.threads.iter().all(|thread| thread.index == u32::MAX && thread.buffer.is_empty())
    }

    pub fn local(&self, thread: usize, local: usize) -> u64 {
        self.threads[thread].locals[local]
    }

    pub fn memory(&self, cell: usize) -> u64 {
        self.memory[cell]
    }
}

impl<'a> Machine<'a> {
    pub fn new(program: &'a Program, layout: &'a Layout, head: &Head, buffers: Buffers) -> Self {
        let named = |names: &[String]| program.tags_named(names);
        let (drain, order_writes, wait) = (named(&head.drain), named(&head.order_writes), named(&head.wait));
        Machine { program, layout, buffers, drain, order_writes, wait }
    }

    pub fn history(&self) -> History {
        History::new(self.layout, self.program.threads.len())
    }

    fn body(&self, thread: usize) -> &'a Function {
        self.program.body(ir::ThreadId(thread as u32))
    }

    /// The state at the beginning.
    pub fn start(&self) -> Result<Snapshot, Stop> {
        let thread = |at: usize| ThreadState {
            block: 0,
            index: 0,
            locals: vec![0; self.body(at).locals.len()],
            reservation: None,
            buffer: Vec::new(),
            writes: 0,
            epoch: 0,
        };
        let threads: Vec<ThreadState> = (0..self.program.threads.len()).map(thread).collect();
        let mut state = Snapshot { threads, memory: self.layout.initial.clone() };
        for at in 0..state.threads.len() {
            self.settle(&mut state.threads[at], self.body(at))?;
        }
        Ok(state)
    }

    /// The steps to try in a state. Some of them may turn out to be impossible.
    pub fn steps(&self, state: &Snapshot) -> Vec<Step> {
        let mut steps = Vec::new();
        for (at, thread) in state.threads.iter().enumerate() {
            if let Some(instr) = self.next(thread, at) {
                steps.push(Step::Run(at));
                if matches!(instr.op, Op::StoreConditional { .. }) {
                    steps.push(Step::Fail(at));
                }
            }
            let positions = 0..thread.buffer.len();
            steps.extend(positions.filter(|&i| self.may_drain(&thread.buffer, i)).map(|i| Step::Drain(at, i)));
        }
        steps
    }

    /// Whether no earlier write of the buffer has to reach memory before this one.
    fn may_drain(&self, buffer: &[Entry], at: usize) -> bool {
        let entry = &buffer[at];
        match self.buffers {
            Buffers::None | Buffers::Thread => at == 0,
            Buffers::Location => buffer[..at].iter().all(|e| e.cell != entry.cell && e.epoch == entry.epoch),
        }
    }

    fn next(&self, thread: &ThreadState, at: usize) -> Option<&'a Instr> {
        self.body(at).blocks[thread.block as usize].instrs.get(thread.index as usize)
    }

    /// The state after a step.
    pub fn apply(&self, state: &Snapshot, step: Step, history: Option<&mut History>) -> Result<Snapshot, Stop> {
        let mut next = state.clone();
        let mut history = history;
        match step {
            Step::Run(at) => {
                let instr = self.next(&state.threads[at], at).ok_or(Stop::Disabled)?;
                next.threads[at].index += 1;
                self.execute(&mut next, at, instr, &mut history)?;
                self.settle(&mut next.threads[at], self.body(at))?;
            }
            Step::Fail(at) => {
                let instr = self.next(&state.threads[at], at).ok_or(Stop::Disabled)?;
                let Op::StoreConditional { success, addr, .. } = &instr.op else { return Err(Stop::Disabled) };
                self.cell(&next.threads[at], at, addr, instr.span)?;
                let thread = &mut next.threads[at];
                thread.index += 1;
                thread.locals[success.index()] = 0;
                thread.reservation = None;
                self.settle(thread, self.body(at))?;
            }
            Step::Drain(at, position) => {
                let entry = next.threads[at].buffer.remove(position);
                if next.threads[at].buffer.is_empty() {
                    next.threads[at].epoch = 0;
                }
                land(&mut next, at, &entry, &mut history)?;
            }
        }
        Ok(next)
    }

    /// Goes on to the next instruction that others can notice: runs assignments, assumptions and jumps.
    fn settle(&self, thread: &mut ThreadState, body: &Function) -> Result<(), Stop> {
        loop {
            let block = &body.blocks[thread.block as usize];
            let value = |expr: &Expr, locals: &[u64]| eval(expr, body, locals).0;
            if let Some(instr) = block.instrs.get(thread.index as usize) {
                match &instr.op {
                    Op::Assign { dst, value: expr } => thread.locals[dst.index()] = value(expr, &thread.locals),
                    Op::Assume { condition, waits: _ } if value(condition, &thread.locals) == 0 => {
                        return Err(Stop::Disabled);
                    }
                    Op::Assume { .. } => {}
                    Op::Load { .. }
                    | Op::Store { .. }
                    | Op::Rmw { .. }
                    | Op::StoreConditional { .. }
                    | Op::Fence { .. }
                    | Op::System(_) => return Ok(()),
                }
                thread.index += 1;
                continue;
            }
            let to = match &block.terminator {
                Terminator::Goto(to) => to,
                Terminator::Branch { condition, then, otherwise, join: _, span: _ } => {
                    if value(condition, &thread.locals) != 0 { then } else { otherwise }
                }
                Terminator::Return(_) | Terminator::Exit(_) => {
                    thread.index = u32::MAX;
                    return Ok(());
                }
                Terminator::Cut { span: _ } => return Err(Stop::Cut),
            };
            (thread.block, thread.index) = (to.0, 0);
        }
    }

    fn cell(&self, thread: &ThreadState, at: usize, addr: &Expr, span: Span) -> Result<usize, Stop> {
        let word = eval(addr, self.body(at), &thread.locals).0;
        self.layout.cell(word).ok_or_else(|| Stop::Stray(stray(self.program, span, word)))
    }

    /// Whether something with these tags waits until the buffer is empty and leaves nothing in it.
    fn drains(&self, tags: &TagSet) -> bool {
        tags.iter().any(|tag| self.drain.contains(tag))
    }

    fn execute(
        &self,
        state: &mut Snapshot,
        at: usize,
        instr: &Instr,
        history: &mut Option<&mut History>,
    ) -> Result<(), Stop> {
        let span = instr.span;
        let body = self.body(at);
        let waits = |state: &Snapshot| if state.threads[at].buffer.is_empty() { Ok(()) } else { Err(Stop::Disabled) };
        let reads = |state: &Snapshot| match state.threads[at].buffer.iter().any(|entry| entry.awaited) {
            true => Err(Stop::Disabled),
            false => Ok(()),
        };
        match &instr.op {
            Op::Load { dst, addr, tags, reserve } => {
                let cell = self.cell(&state.threads[at], at, addr, span)?;
                if self.drains(tags) {
                    waits(state)?;
                }
                reads(state)?;
                let own = read(state, at, cell, *dst, body, (tags, span), history);
                if *reserve {
                    state.threads[at].reservation = Some(Reservation { cell, own });
                }
            }
            Op::Store { addr, value, tags } => {
                let cell = self.cell(&state.threads[at], at, addr, span)?;
                let value = eval(value, body, &state.threads[at].locals).0;
                self.write(state, at, (cell, value, None), (tags, span), self.drains(tags), history)?;
            }
            Op::Rmw { dst, addr, when, value, read_tags, write_tags } => {
                let cell = self.cell(&state.threads[at], at, addr, span)?;
                let drains = self.drains(read_tags) || self.drains(write_tags);
                if drains {
                    waits(state)?;
                }
                reads(state)?;
                let own = read(state, at, cell, *dst, body, (read_tags, span), history);
                let locals = &state.threads[at].locals;
                if when.as_ref().is_none_or(|when| eval(when, body, locals).0 != 0) {
                    let value = eval(value, body, locals).0;
                    let link = Some(Reservation { cell, own });
                    self.write(state, at, (cell, value, link), (write_tags, span), drains, history)?;
                }
            }
            Op::StoreConditional { success, addr, value, tags, status: _ } => {
                let cell = self.cell(&state.threads[at], at, addr, span)?;
                let value = eval(value, body, &state.threads[at].locals).0;
                let link = state.threads[at].reservation.take().filter(|open| open.cell == cell);
                if link.is_none() {
                    return Err(Stop::Disabled);
                }
                self.write(state, at, (cell, value, link), (tags, span), self.drains(tags), history)?;
                state.threads[at].locals[success.index()] = 1;
            }
            Op::Fence { tags } => {
                if self.drains(tags) {
                    waits(state)?;
                }
                let thread = &mut state.threads[at];
                if !thread.buffer.is_empty() && tags.iter().any(|tag| self.order_writes.contains(tag)) {
                    thread.epoch += 1;
                }
                if tags.iter().any(|tag| self.wait.contains(tag)) {
                    thread.buffer.iter_mut().for_each(|entry| entry.awaited = true);
                }
                history.iter_mut().for_each(|history| history.fence(at, tags, span));
            }
            Op::Assign { .. } | Op::Assume { .. } => {}
            Op::System(_) => return Err(Stop::Disabled),
        }
        Ok(())
    }

    /// A thread writes: to memory if there are no buffers or the write drains, else to its buffer.
    fn write(
        &self,
        state: &mut Snapshot,
        at: usize,
        (cell, value, link): (usize, u64, Option<Reservation>),
        (tags, span): (&TagSet, Span),
        drains: bool,
        history: &mut Option<&mut History>,
    ) -> Result<(), Stop> {
        let value = truncate(value, self.layout.widths[cell]);
        let thread = &mut state.threads[at];
        let entry = Entry { cell, value, number: thread.writes, epoch: thread.epoch, awaited: false, link };
        thread.writes += 1;
        history.iter_mut().for_each(|history| history.write(at, cell, value, tags, span));
        if drains && !thread.buffer.is_empty() {
            return Err(Stop::Disabled);
        }
        if drains || self.buffers == Buffers::None {
            return land(state, at, &entry, history);
        }
        thread.buffer.push(entry);
        Ok(())
    }
}

/// A thread reads the newest write of the cell in its buffer, else memory. Gives the number of the buffered write.
fn read(
    state: &mut Snapshot,
    at: usize,
    cell: usize,
    dst: LocalId,
    body: &Function,
    (tags, span): (&TagSet, Span),
    history: &mut Option<&mut History>,
) -> Option<u32> {
    let thread = &mut state.threads[at];
    let newest = thread.buffer.iter().rev().find(|entry| entry.cell == cell);
    let (value, own) = newest.map_or((state.memory[cell], None), |entry| (entry.value, Some(entry.number)));
    thread.locals[dst.index()] = truncate(value, body.locals[dst.index()].width);
    history.iter_mut().for_each(|history| history.read(at, cell, value, own, tags, span));
    own
}

/// A write of thread `at` reaches memory.
///
/// It breaks the reservations of other threads that read this cell from memory. If it comes between the read and the
/// buffered write of an atomic pair of another thread, that write can never reach memory: the path ends.
fn land(state: &mut Snapshot, at: usize, entry: &Entry, history: &mut Option<&mut History>) -> Result<(), Stop> {
    state.memory[entry.cell] = entry.value;
    history.iter_mut().for_each(|history| history.land(at, entry.cell, entry.number));
    for (other, thread) in state.threads.iter_mut().enumerate() {
        let links = thread.buffer.iter_mut().filter_map(|entry| entry.link.as_mut());
        if other == at {
            let read_it = |link: &&mut Reservation| link.own == Some(entry.number);
            links.chain(&mut thread.reservation).filter(read_it).for_each(|link| link.own = None);
        } else {
            let broken = |link: &Reservation| link.cell == entry.cell && link.own.is_none();
            if links.into_iter().any(|link| broken(link)) {
                return Err(Stop::Disabled);
            }
            thread.reservation = thread.reservation.filter(|link| !broken(link));
        }
    }
    Ok(())
}
