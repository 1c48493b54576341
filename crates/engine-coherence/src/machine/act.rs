//! One step of a thread: the next thing that others can notice, and all that follows which they cannot.

use super::{Item, Machine, Step, THREADS};
use crate::thread::{Local, Pending};
use crate::world::{HANDLE, REPLICA};
use ir::FunctionId;
use std::rc::Rc;
use stepper::{At, Halt, Status};
use witness::{TWO_INSIDE, Violation};

/// How many actions one step may have.
const LENGTH: usize = 100_000;

/// What came of an action of a thread.
enum Flow {
    /// It was done; go on.
    Done,
    /// It was done and has changed nothing: if the step proves impossible further on, it can be tried again from here.
    Passed,
    /// The step ends before it.
    Before,
    /// It is not possible now.
    Disabled,
    /// There are several ways to go on.
    Split(Vec<u64>),
}

impl Flow {
    /// Of an action that has to wait, for the buffer or for another thread: it is the next step, if it is not the only one of this.
    fn wait(item: &Item) -> Flow {
        if item.may { Flow::Disabled } else { Flow::Before }
    }
}

/// A thread that does something: its number and what it is in.
#[derive(Clone, Copy)]
struct Actor {
    thread: usize,
    /// Its state.
    local: u32,
    buffer: u32,
    /// Whether an atomic section is open.
    open: bool,
}

impl Machine<'_> {
    /// The steps in which a thread runs: the next thing that others can notice, and all that follows which they cannot.
    pub(super) fn run(&mut self, state: &[u32], thread: usize) -> Result<(), Halt> {
        if matches!(*self.pendings[state[1 + 2 * thread] as usize], Pending::Nothing | Pending::Fail) {
            return Ok(());
        }
        debug_assert!(self.work.is_empty());
        self.work.push(Item { state: state.to_vec(), may: true, choices: Vec::new() });
        while let Some(item) = self.work.pop() {
            self.advance(item, thread, &mut std::iter::empty())?;
        }
        Ok(())
    }

    /// Runs a thread up to the end of the step, with these choices as long as there are some.
    pub(super) fn advance(
        &mut self,
        mut item: Item,
        thread: usize,
        given: &mut dyn Iterator<Item = u64>,
    ) -> Result<bool, Halt> {
        for _ in 0..LENGTH {
            if self.failure.is_some() {
                self.work.clear();
                self.found.extend(item.state);
                return Ok(true);
            }
            match self.act(&mut item, thread)? {
                Flow::Done | Flow::Passed => {}
                Flow::Before => {
                    self.emit(item.state, Step::Run(thread, item.choices));
                    return Ok(true);
                }
                Flow::Disabled => return Ok(false),
                Flow::Split(values) => {
                    if self.world.record.is_some() {
                        let value = given.next().filter(|value| values.contains(value)).or(values.first().copied());
                        let Some(value) = value else { return Ok(false) };
                        self.choose(&mut item, thread, value)?;
                        continue;
                    }
                    for &value in values.iter().rev() {
                        let (state, may) = (item.state.clone(), item.may);
                        let mut next = Item { state, may, choices: item.choices.clone() };
                        next.choices.push(value);
                        self.choose(&mut next, thread, value)?;
                        self.work.push(next);
                    }
                    return Ok(false);
                }
            }
        }
        Err(Halt::Limit("a step does not come to an end".to_owned()))
    }

    /// Goes on with one of several values.
    fn choose(&mut self, item: &mut Item, thread: usize, value: u64) -> Result<(), Halt> {
        if let Pending::Load { cell, .. } = *Rc::clone(&self.pendings[item.state[1 + 2 * thread] as usize]) {
            let own = !self.buffers.read(item.state[2 + 2 * thread], cell).is_empty();
            if self.world.record.is_some() && !own {
                // From here on it holds what was read.
                let address = self.world.memory.cells[cell as usize].address;
                if let Some(record) = &mut self.world.record {
                    record.any(address, value);
                }
                item.state[0] = self.store(item.state[0], cell, value);
            }
            self.note_read(&item.state, thread, cell, value, own);
        }
        item.may &= matches!(*self.pendings[item.state[1 + 2 * thread] as usize], Pending::Choose(_))
            && !self.locals[item.state[1 + 2 * thread] as usize].jumped;
        self.go_on(&mut item.state, thread, value)?;
        self.look(item, thread, thread);
        Ok(())
    }

    /// Whether the property fails where a thread has come to in a step of a thread, mostly its own.
    pub(super) fn look(&mut self, item: &Item, thread: usize, step_of: usize) {
        if let Status::Failed(span, message) = &self.locals[item.state[1 + 2 * thread] as usize].thread.status {
            let violation = Violation { thread: ir::ThreadId(thread as u32), span: *span, message: message.clone() };
            self.failure = Some((Step::Run(step_of, item.choices.clone()), violation));
        }
    }

    /// Whether another thread is inside a critical section too, if this one is.
    fn together(&mut self, item: &Item, thread: usize) {
        let inside = |at: usize| self.locals[item.state[1 + 2 * at] as usize].thread.critical;
        let Some(span) = inside(thread) else { return };
        if (0..(item.state.len() - 1) / 2).any(|other| other != thread && inside(other).is_some()) {
            let violation = Violation { thread: ir::ThreadId(thread as u32), span, message: TWO_INSIDE.to_owned() };
            self.failure = Some((Step::Run(thread, item.choices.clone()), violation));
        }
    }

    fn go_on(&mut self, state: &mut [u32], thread: usize, input: u64) -> Result<Option<u64>, Halt> {
        let (next, written) = self.resume(state[1 + 2 * thread], input)?;
        state[1 + 2 * thread] = next;
        Ok(written)
    }

    /// Does what a thread is about to do.
    fn act(&mut self, item: &mut Item, thread: usize) -> Result<Flow, Halt> {
        let local = item.state[1 + 2 * thread];
        let pending = Rc::clone(&self.pendings[local as usize]);
        let (open, jumped) = {
            let local = &self.locals[local as usize];
            (local.thread.atomic > 0, local.jumped)
        };
        if !open && !item.may && (!pending.is_hidden() || jumped) {
            return Ok(Flow::Before);
        }
        let actor = Actor { thread, local, buffer: item.state[2 + 2 * thread], open };
        match self.perform(item, actor, &pending)? {
            Flow::Done => item.may = false,
            Flow::Passed => item.may &= !jumped,
            flow @ (Flow::Before | Flow::Disabled | Flow::Split(_)) => return Ok(flow),
        }
        // A section that does not come to its end does not take place.
        if self.stopped_inside(item, thread) {
            return Ok(Flow::Disabled);
        }
        self.look(item, thread, thread);
        Ok(Flow::Done)
    }

    fn perform(&mut self, item: &mut Item, actor: Actor, pending: &Pending) -> Result<Flow, Halt> {
        match pending {
            Pending::Load { cell, drains } => self.read(item, actor, *cell, *drains),
            Pending::Store { cell, value, drains } => self.write(item, actor, (*cell, *value), *drains),
            Pending::Rmw { cell } => self.read_modify_write(item, actor, *cell),
            Pending::Fence { drains, orders, waits } => self.fence(item, actor, [*drains, *orders, *waits]),
            Pending::Begin if actor.buffer != 0 => Ok(Flow::Disabled),
            Pending::Begin => {
                self.note(actor.local, |record, _| record.begin());
                self.done(item, actor, 0)
            }
            Pending::End => {
                self.note(actor.local, |record, (span, ..)| record.end(actor.thread, span));
                let flow = self.done(item, actor, 0);
                self.together(item, actor.thread);
                flow
            }
            Pending::Choose(values) => Ok(Flow::Split(values.to_vec())),
            Pending::Spawn { .. } if actor.buffer != 0 => Ok(Flow::wait(item)),
            Pending::Spawn { function, args, at } => self.spawn(item, actor.thread, (*function, args), *at),
            Pending::Join { handle } => self.join(item, actor, *handle),
            Pending::Critical => {
                let flow = self.done(item, actor, 0);
                self.together(item, actor.thread);
                flow
            }
            Pending::Publish => Err(Halt::Limit("memory is published twice".to_owned())),
            Pending::Nothing if actor.open => Ok(Flow::Disabled),
            Pending::Nothing | Pending::Fail => Ok(Flow::Before),
        }
    }

    /// The thread goes on, with this input.
    fn done(&mut self, item: &mut Item, actor: Actor, input: u64) -> Result<Flow, Halt> {
        self.go_on(&mut item.state, actor.thread, input)?;
        Ok(Flow::Done)
    }

    fn read(&mut self, item: &mut Item, actor: Actor, cell: u32, drains: bool) -> Result<Flow, Halt> {
        if !actor.open {
            if actor.buffer != 0 && (drains || self.buffers.is_awaited(actor.buffer)) {
                return Ok(Flow::Disabled);
            }
            let known = self.buffers.read(actor.buffer, cell);
            if known.len() > 1 {
                return Ok(Flow::Split(known.to_vec()));
            }
            if let Some(&value) = known.first() {
                self.note_read(&item.state, actor.thread, cell, value, true);
                return self.done(item, actor, value);
            }
        }
        let Some(value) = self.load(item.state[0], cell) else {
            // Each time it is read, it can be anything: that is more than can happen.
            return self.any(actor.local, cell).map(Flow::Split);
        };
        self.note_read(&item.state, actor.thread, cell, value, false);
        self.done(item, actor, value)
    }

    fn write(&mut self, item: &mut Item, actor: Actor, (cell, value): (u32, u64), drains: bool) -> Result<Flow, Halt> {
        let direct = actor.open || drains;
        if direct && actor.buffer != 0 {
            return Ok(Flow::wait(item));
        }
        let buffer = if direct { None } else { self.buffers.store(actor.buffer, cell, value) };
        if !direct && buffer.is_none() {
            return Ok(Flow::wait(item));
        }
        self.note_write(&item.state, actor.thread, cell, value, !direct, false);
        match buffer {
            Some(buffer) => item.state[2 + 2 * actor.thread] = buffer,
            None => item.state[0] = self.store(item.state[0], cell, value),
        }
        self.done(item, actor, 0)
    }

    fn read_modify_write(&mut self, item: &mut Item, actor: Actor, cell: u32) -> Result<Flow, Halt> {
        if actor.buffer != 0 {
            return Ok(Flow::Disabled);
        }
        let Some(value) = self.load(item.state[0], cell) else {
            return Err(Halt::Limit("memory is changed that nobody has written".to_owned()));
        };
        self.note_read(&item.state, actor.thread, cell, value, false);
        let before = self.world.record.is_some().then(|| item.state.clone());
        if let Some(written) = self.go_on(&mut item.state, actor.thread, value)? {
            if let Some(before) = before {
                self.note_write(&before, actor.thread, cell, written, false, true);
            }
            item.state[0] = self.store(item.state[0], cell, written);
        }
        Ok(Flow::Done)
    }

    fn fence(&mut self, item: &mut Item, actor: Actor, [drains, orders, waits]: [bool; 3]) -> Result<Flow, Halt> {
        let mut buffer = actor.buffer;
        if buffer != 0 {
            if drains {
                return Ok(Flow::wait(item));
            }
            if orders {
                buffer = self.buffers.close(buffer);
            }
            if waits {
                buffer = self.buffers.wait(buffer);
            }
        }
        item.state[2 + 2 * actor.thread] = buffer;
        self.note(actor.local, |record, (span, tags, _)| record.fence(actor.thread, &tags, span));
        self.go_on(&mut item.state, actor.thread, 0)?;
        Ok(if buffer == actor.buffer { Flow::Passed } else { Flow::Done })
    }

    fn spawn(
        &mut self,
        item: &mut Item,
        thread: usize,
        (function, args): (FunctionId, &[u64]),
        at: At,
    ) -> Result<Flow, Halt> {
        if self.world.knowledge.replicated.contains(&at) {
            self.go_on(&mut item.state, thread, HANDLE)?;
            let born = Local::start(&self.world, REPLICA, function, args, None);
            let born = self.settle(born)?;
            item.state.extend([born, 0]);
            self.look(item, item.state.len() / 2 - 1, thread);
        } else {
            let free = self.free(&item.state, thread, at)?;
            self.note(item.state[1 + 2 * thread], |record, _| record.choose(thread, free as u64));
            self.go_on(&mut item.state, thread, free as u64 + 1)?;
            let born = Local::start(&self.world, free, function, args, Some(at));
            item.state[1 + 2 * free] = self.settle(born)?;
            self.look(item, free, thread);
        }
        Ok(Flow::Done)
    }

    fn join(&mut self, item: &mut Item, actor: Actor, handle: u64) -> Result<Flow, Halt> {
        if handle == HANDLE && self.world.has_replicas() {
            return Err(Halt::Limit("one of any number of threads is waited for".to_owned()));
        }
        let other = usize::try_from(handle).ok().and_then(|handle| handle.checked_sub(1));
        let other = other.filter(|&other| other != actor.thread && other < self.world.knowledge.threads);
        let ended = other.filter(|other| item.state[2 + 2 * other] == 0).and_then(|other| {
            match self.locals[item.state[1 + 2 * other] as usize].thread.status {
                Status::Ended(value) => value.known(),
                Status::Runs | Status::Stopped | Status::Failed(..) => None,
            }
        });
        match ended {
            Some(value) => self.done(item, actor, value),
            None if actor.open => Ok(Flow::Disabled),
            None => Ok(Flow::wait(item)),
        }
    }

    /// The number of a thread that is started here. If many are, they become replicas, and the search begins anew.
    fn free(&mut self, state: &[u32], thread: usize, at: At) -> Result<usize, Halt> {
        let numbered = self.world.knowledge.threads;
        let same = |slot: &usize| self.locals[state[1 + 2 * slot] as usize].started == Some(at);
        let many = thread >= numbered || (0..numbered).filter(same).count() >= self.world.knowledge.few;
        let knowledge = &mut self.world.knowledge;
        if many && !knowledge.apart {
            knowledge.replicated.insert(at);
            knowledge.threads = 1;
            return Err(Halt::Again);
        }
        (0..numbered).find(|at| state[1 + 2 * at] == 0).ok_or_else(|| {
            knowledge.threads += 1;
            if knowledge.threads > THREADS {
                Halt::Limit(format!("more than {THREADS} threads are started"))
            } else {
                Halt::Again
            }
        })
    }

    fn stopped_inside(&self, item: &Item, thread: usize) -> bool {
        let local = &self.locals[item.state[1 + 2 * thread] as usize];
        local.thread.atomic > 0 && local.thread.status == Status::Stopped
    }
}
