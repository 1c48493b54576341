//! What only programs do that have functions and start threads.

use super::thread::{Flow, Frame, Thread};
use super::{Slot, Stop, Taint, World};
use crate::flaw::Flaw;
use ir::{Expr, FunctionId, LocalId, System, TagSet, ThreadId};

impl<'a> Thread<'a> {
    /// The next choice of this thread; none when the execution says no more about the thread.
    pub(super) fn choose(&mut self, world: &World<'_>) -> Result<Option<u64>, Flaw> {
        let choice = world.execution.choices.get(self.id.index()).and_then(|own| own.get(self.chosen)).copied();
        if choice.is_none() && self.next != self.end {
            return Err(self.flaw(world, "the execution does not say what is chosen here"));
        }
        self.chosen += 1;
        Ok(choice)
    }

    pub(super) fn system(&mut self, world: &mut World<'a>, op: &'a System) -> Result<Flow, Flaw> {
        match op {
            System::Call { dst, function, args } => {
                let args = args.iter().map(|arg| (self.value(arg).0, self.taint(arg))).collect();
                let function = &world.program.functions[function.index()];
                let outside = self.frame().place;
                let place = outside.or(function.library.then_some(self.span));
                self.frames.push(Frame::new(function, args, *dst, place));
            }
            // What may fail for no reason does not do so for ever.
            System::Nondet { dst } if self.may_spin(world) => {
                self.frame().assign(*dst, 0, Taint::new());
            }
            System::Nondet { dst } => {
                let Some(value) = self.choose(world)? else { return Ok(Flow::Stop(Stop::Leaves)) };
                self.frame().assign(*dst, value, Taint::new());
            }
            System::Assert { condition, message } => {
                if self.value(condition).0 == 0 {
                    return Ok(Flow::Stop(Stop::Fails { span: self.span, message: message.clone() }));
                }
            }
            System::Check { condition, message } => {
                if self.value(condition).0 == 0 {
                    self.failed.push((self.span, message.clone()));
                    let another = world.execution.violation.as_ref().is_some_and(|violation| {
                        violation.thread == self.id && (violation.span, &violation.message) != (self.span, message)
                    });
                    if !another && self.is_idle(world) {
                        // That it fails is known. It goes on only if somebody waits for its end.
                        world.wanted[self.id.index()] = false;
                    }
                }
            }
            System::Spawn { dst, function, args } => return self.spawn(world, *dst, *function, args),
            System::Join { thread, result } => return self.join(world, thread, *result),
            System::Current { dst } => {
                let handle = u64::from(self.id.0) + 1;
                self.frame().assign(*dst, handle, Taint::new());
            }
            System::Alloc { dst, name: _, size, cells, zeroed, align, storage } => {
                let Some(number) = self.choose(world)? else { return Ok(Flow::Stop(Stop::Leaves)) };
                let size = self.value(size).0;
                let made = world.memory.make(number, (size, *align), cells.as_deref(), (*zeroed, *storage));
                let address = made.map_err(|what| self.flaw(world, what))?;
                self.frame().assign(*dst, address.to_bits(), Taint::new());
            }
            System::AtomicBegin => {
                if self.open == 0 {
                    self.section = self.next;
                    self.known.clear();
                }
                self.open += 1;
            }
            System::Await => self.awaits = self.next,
            System::AtomicEnd => return self.end_section(world),
            System::Critical { enter } => self.inside = enter.then_some(self.span),
            System::Publish => {
                if world.memory.is_published() {
                    return Err(self.flaw(world, "memory is published twice"));
                }
                world.memory.publish()?;
            }
        }
        Ok(Flow::Next)
    }

    /// The outermost section makes its writes.
    fn end_section(&mut self, world: &mut World<'a>) -> Result<Flow, Flaw> {
        if self.open == 0 {
            return Err(self.flaw(world, "an atomic section ends that never began"));
        }
        if self.open == 1 {
            let writes = self.known.values().any(|known| known.written);
            if writes && self.next == self.end {
                return Ok(Flow::Stop(Stop::Leaves));
            }
            for (address, known) in std::mem::take(&mut self.known).into_iter().filter(|(_, known)| known.written) {
                let untagged = TagSet::default();
                self.take_write(world, (address, known.value), &untagged, (&Taint::new(), &known.taint))?;
            }
        }
        self.open -= 1;
        Ok(Flow::Next)
    }

    fn spawn(&mut self, w: &mut World<'a>, dst: LocalId, function: FunctionId, args: &[Expr]) -> Result<Flow, Flaw> {
        if !w.memory.is_published() {
            return Err(self.flaw(w, "a thread is started before memory is published"));
        }
        let Some(number) = self.choose(w)? else { return Ok(Flow::Stop(Stop::Leaves)) };
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        let first = w.program.threads.len();
        let started = at.checked_sub(first).and_then(|at| w.execution.started.get(at));
        let (Some(started), Some(Slot::Unborn)) = (started, w.threads.get(at)) else {
            return Err(self.flaw(w, format!("thread {number} is not one that can be started here")));
        };
        if started.body != function {
            return Err(self.flaw(w, format!("thread {number} does not run the function that is started here")));
        }
        let args = args.iter().map(|arg| self.value(arg).0).collect();
        let mut before = self.before.clone();
        before.extend(w.ranges[self.id.index()].0..self.next);
        let thread = Thread::new(w, ThreadId(at as u32), function, args, before);
        w.threads[at] = Slot::Alive(Box::new(thread));
        self.frame().assign(dst, number + 1, Taint::new());
        Ok(Flow::Next)
    }

    fn join(&mut self, world: &mut World<'a>, thread: &Expr, result: Option<LocalId>) -> Result<Flow, Flaw> {
        let handle = self.value(thread).0;
        let at = handle.checked_sub(1).and_then(|at| usize::try_from(at).ok());
        let slot = at.filter(|&at| at != self.id.index()).and_then(|at| world.threads.get(at));
        match slot {
            Some(Slot::Stopped(other, Stop::Finished(value))) => {
                let range = world.ranges[other.id.index()];
                self.before.extend(other.before.iter().copied().chain(range.0..range.1));
                let value = *value;
                if let Some(dst) = result {
                    self.frame().assign(dst, value, Taint::new());
                }
                Ok(Flow::Next)
            }
            Some(Slot::Alive(other)) => {
                let at = other.id.index();
                // Whoever only looks for a place to stop at wants nothing of others.
                let own = self.id.index();
                world.wanted[at] |= !world.sought[own] || world.wanted[own] || !self.is_idle(world);
                Ok(Flow::Block)
            }
            Some(Slot::Unborn) => Ok(Flow::Block),
            Some(Slot::Stopped(..) | Slot::Running) | None => Ok(Flow::Stop(Stop::Joins { span: self.span })),
        }
    }
}
