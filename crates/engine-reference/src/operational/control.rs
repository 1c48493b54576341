//! Blocks, calls, threads, choices and sections.

use super::history::History;
use super::machine::{Flow, Halt, Step};
use super::state::{Object, Status, Taint};
use engine::Property;
use ir::{Address, Expr, ObjectId, System, Terminator};
use source::Span;
use std::rc::Rc;

impl<'a> Step<'_, 'a> {
    /// Goes on behind a block.
    pub fn leave(&mut self, at: usize) -> Result<(), Halt> {
        let frame = self.frame(at);
        let (function, block) = (frame.function, frame.block);
        let block = &self.machine.function(function).blocks[block as usize];
        match &block.terminator {
            Terminator::Goto(to) => self.jump(at, to.0),
            Terminator::Branch { condition, then, otherwise, join: _, span: _ } => {
                let to = if self.value(at, condition)?.0 != 0 { then } else { otherwise };
                self.jump(at, to.0)
            }
            Terminator::Return(result) => {
                let dst = self.frame(at).dst;
                let outermost = self.state.threads[at].frames.len() == 1;
                let (value, taint) = match result.as_ref().filter(|_| outermost || dst.is_some()) {
                    Some(result) => (self.value(at, result)?.0, self.taint(at, result)),
                    None => (0, Taint::default()),
                };
                if outermost {
                    return self.end(at, value);
                }
                self.thread(at).frames.pop();
                if let Some(dst) = dst {
                    self.assign(at, dst, value, taint);
                }
                Ok(())
            }
            Terminator::Exit(result) => {
                let value = match result {
                    Some(result) => self.value(at, result)?.0,
                    None => 0,
                };
                self.end(at, value)
            }
            Terminator::Cut { span } => self.cut(at, *span),
        }
    }

    /// Whether a thread is about to end, inside a critical section.
    pub fn ends_inside(&self, at: usize) -> bool {
        let thread = &self.state.threads[at];
        let Some(frame) = thread.frames.last().filter(|_| self.state.published && thread.inside.is_some()) else {
            return false;
        };
        match self.machine.function(frame.function).blocks[frame.block as usize].terminator {
            Terminator::Return(_) => thread.frames.len() == 1,
            Terminator::Exit(_) => true,
            Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::Cut { .. } => false,
        }
    }

    /// Checks that no other thread is inside a critical section if this one is. In an atomic section, its end matters.
    fn together(&self, at: usize) -> Result<(), Halt> {
        let this = &self.state.threads[at];
        let Some(entered) = this.inside.filter(|_| this.open == 0) else { return Ok(()) };
        let mut others = self.state.threads.iter().enumerate().filter(|&(other, _)| other != at);
        if others.any(|(_, other)| other.inside.is_some()) {
            return Err(self.violation(at, entered, witness::TWO_INSIDE));
        }
        Ok(())
    }

    fn end(&mut self, at: usize, value: u64) -> Result<(), Halt> {
        self.stop(at, Status::Ended(value))?;
        let thread = self.thread(at);
        (thread.inside, thread.reservation) = (None, None);
        let outermost = std::mem::take(&mut thread.frames).into_iter().next();
        if self.machine.property.is_none() {
            if outermost.as_ref().is_some_and(|frame| !frame.open.is_empty()) {
                return Err(Halt::Limit("a final value can be anything".to_owned()));
            }
            self.thread(at).finals = outermost.map(|frame| frame.locals).unwrap_or_default();
        }
        Ok(())
    }

    fn cut(&mut self, at: usize, span: Span) -> Result<(), Halt> {
        self.notes.cut.insert(span);
        self.stop(at, Status::Stopped)
    }

    fn jump(&mut self, at: usize, to: u32) -> Result<(), Halt> {
        let machine = self.machine;
        let frame = self.frame(at);
        let (function, from) = (frame.function, frame.block);
        if !machine.loops.jump(function, (from, to), &mut frame.loops) {
            return self.cut(at, machine.loops.place(function, from));
        }
        (frame.block, frame.index) = (to, 0);
        Ok(())
    }

    fn arguments(&mut self, at: usize, args: &[Expr]) -> Result<Vec<(u64, Taint)>, Halt> {
        args.iter().map(|arg| Ok((self.value(at, arg)?.0, self.taint(at, arg)))).collect()
    }

    pub fn system(&mut self, at: usize, op: &'a System, span: Span, may: bool) -> Result<Flow, Halt> {
        let later = || if may { Err(Halt::Disabled { waits: false }) } else { Ok(Flow::Later) };
        let settled = self.state.threads[at].buffer.is_empty();
        match op {
            System::Call { dst, function, args } => {
                let inside = self.state.threads[at].frames.iter().filter(|frame| frame.function == *function).count();
                if inside > self.machine.loops.depth() as usize {
                    self.cut(at, span)?;
                    return Ok(Flow::Done);
                }
                let args = self.arguments(at, args)?;
                self.advance(at);
                self.enter(at, *function, args, Some((*dst, span)));
                return Ok(Flow::Done);
            }
            System::Nondet { dst } => {
                // It is chosen when somebody wants to know: most variables are written before they are read.
                self.assign(at, *dst, 0, Taint::default());
                let depth = self.state.threads[at].frames.len();
                self.frame(at).open.push(*dst);
                self.frame(at).open.sort();
                self.note(|record| record.postpone(at, (depth, *dst)));
            }
            System::Assert { condition, message } | System::Check { condition, message } => {
                if self.value(at, condition)?.0 == 0 {
                    return match self.machine.property {
                        Some(Property::Assertions { memory: _ }) => Err(self.violation(at, span, message)),
                        Some(Property::Deadlock | Property::Progress | Property::Race) | None => {
                            self.stop(at, Status::Stopped).map(|()| Flow::Done)
                        }
                    };
                }
            }
            System::Spawn { dst, function, args } => {
                if !self.state.published {
                    return Err(Halt::Limit("a thread is started before memory is published".to_owned()));
                }
                if !settled {
                    return later();
                }
                let args = self.arguments(at, args)?.into_iter().map(|(arg, _)| (arg, Taint::default())).collect();
                let born = self.create(*function, args);
                self.born.push(born);
                self.note(|record| record.choose(at, born as u64));
                self.assign(at, *dst, born as u64 + 1, Taint::default());
            }
            System::Join { thread, result } => {
                let handle = self.value(at, thread)?.0;
                let other = handle.checked_sub(1).and_then(|other| usize::try_from(other).ok());
                let other = other.filter(|&other| other != at).and_then(|other| self.state.threads.get(other));
                let ended = other.filter(|other| other.buffer.is_empty()).map(|other| &other.status);
                let Some(&Status::Ended(value)) = ended else {
                    let inside = self.state.published && self.state.threads[at].open > 0;
                    return if inside { Err(Halt::Disabled { waits: !self.wrote }) } else { later() };
                };
                if let Some(dst) = result {
                    self.assign(at, *dst, value, Taint::default());
                }
            }
            System::Current { dst } => self.assign(at, *dst, at as u64 + 1, Taint::default()),
            System::Alloc { dst, name, size, cells, zeroed, align, storage } => {
                let size = self.value(at, size)?.0;
                let number = self.state.objects.len();
                let made = Object::made(name, size, cells.as_deref(), *zeroed, (*align, *storage));
                let made = made.cut(&self.notes.cuts, ObjectId(number as u32));
                self.state.objects.push(Rc::new(made));
                self.note(|record| record.choose(at, number as u64));
                let address = Address { object: ObjectId(number as u32), offset: 0 };
                self.assign(at, *dst, address.to_bits(), Taint::default());
            }
            System::AtomicBegin => {
                let outermost = self.state.published && self.state.threads[at].open == 0;
                if outermost && !may {
                    return Ok(Flow::Later);
                }
                if outermost && !settled {
                    return Err(Halt::Disabled { waits: false });
                }
                self.thread(at).open += 1;
                if outermost {
                    self.note(History::begin);
                }
            }
            System::AtomicEnd => {
                let Some(open) = self.state.threads[at].open.checked_sub(1) else {
                    return Err(Halt::Limit("an atomic section ends that never began".to_owned()));
                };
                self.thread(at).open = open;
                if open == 0 {
                    self.note(|record| record.end(at, span));
                    self.together(at)?;
                }
            }
            System::Critical { enter } => {
                if matches!(self.machine.property, Some(Property::Assertions { .. })) {
                    let alone = !self.state.published || self.state.threads[at].open > 0;
                    if !alone && !may {
                        return Ok(Flow::Later);
                    }
                    let place = self.place(at, span);
                    self.thread(at).inside = enter.then_some(place);
                    self.together(at)?;
                }
            }
            System::Await => {
                self.thread(at).frames.iter_mut().flat_map(|frame| &mut frame.taints).for_each(Taint::settle);
            }
            System::Publish => self.state.published = true,
        }
        self.advance(at);
        Ok(Flow::Done)
    }
}
