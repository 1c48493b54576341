//! Accesses and fences.

use super::choice;
use super::machine::{Flow, Halt, Step};
use super::state::{Entry, Reservation, Status, Taint, Target};
use crate::layout::stray;
use engine::Property;
use ir::{Address, Instr, LocalId, Op, TagSet, Width, truncate};
use model::Buffers;
use source::Span;
use witness::Violation;

/// How an access is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// On memory, without an event.
    Plain,
    /// On memory, with an event: in an atomic section.
    Direct,
    /// Through the buffer.
    Buffered,
}

impl<'a> Step<'_, 'a> {
    /// Executes an instruction if others cannot notice that, or if it `may` be noticed.
    pub fn execute(&mut self, at: usize, instr: &'a Instr, may: bool) -> Result<Flow, Halt> {
        let span = self.place(at, instr.span);
        match &instr.op {
            Op::Assign { dst, value } => {
                let (result, taint) = (self.value(at, value)?.0, self.taint(at, value));
                self.assign(at, *dst, result, taint);
            }
            Op::Load { dst, addr, tags, reserve } => {
                let (word, width) = (self.value(at, addr)?.0, self.width(at, *dst));
                let Some(cells) = self.locate(at, word, width, span)? else { return Ok(Flow::Done) };
                let Some(way) = self.way(at, &cells, false, may)? else { return Ok(Flow::Later) };
                self.aligned(way, &cells, width, span)?;
                if way == Way::Buffered {
                    self.wait(at, self.machine.drains(tags))?;
                }
                let read = self.read(at, (way, &cells), *dst, (tags, span))?;
                if *reserve {
                    let [link] = read[..] else { return Err(self.several(span)) };
                    self.thread(at).reservation = Some(link);
                }
            }
            Op::Store { addr, value, tags } => {
                let ((value, width), word) = (self.value(at, value)?, self.value(at, addr)?.0);
                let word = self.machine.program.write_target(word);
                let Some(cells) = self.locate(at, word, width, span)? else { return Ok(Flow::Done) };
                // Nobody can notice or prevent that a write goes to the buffer.
                let hidden = !self.machine.drains(tags);
                let Some(way) = self.way(at, &cells, true, may || hidden)? else { return Ok(Flow::Later) };
                self.aligned(way, &cells, width, span)?;
                self.write(at, (way, &cells), (value, Vec::new()), (tags, span))?;
            }
            Op::Rmw { .. } => return self.exchange(at, instr, may),
            Op::StoreConditional { .. } => return self.store_conditional(at, instr, may),
            Op::Fence { tags } => {
                if !self.fence(at, tags) {
                    return if may { Err(Halt::Disabled { waits: false }) } else { Ok(Flow::Later) };
                }
                if self.state.published && self.state.threads[at].open == 0 {
                    self.note(|record| record.fence(at, (tags, span)));
                }
            }
            Op::Assume { condition, waits } => {
                if self.value(at, condition)?.0 == 0 {
                    let taint = self.taint(at, condition);
                    self.stop(at, if *waits { Status::Waits(span, taint) } else { Status::Stopped })?;
                    return Ok(Flow::Done);
                }
            }
            Op::System(op) => return self.system(at, op, span, may),
        }
        self.advance(at);
        Ok(Flow::Done)
    }

    /// Goes on behind an instruction.
    pub fn advance(&mut self, at: usize) {
        self.frame(at).index += 1;
    }

    /// A thread stops. In an atomic section, it is the section that is not possible.
    pub fn stop(&mut self, at: usize, status: Status) -> Result<(), Halt> {
        if self.state.published && self.state.threads[at].open > 0 {
            return match status {
                Status::Waits(..) => Err(Halt::Disabled { waits: !self.wrote }),
                Status::Stopped => Err(Halt::Disabled { waits: false }),
                Status::Runs | Status::Ended(_) => {
                    Err(Halt::Limit("a thread ends inside an atomic section".to_owned()))
                }
            };
        }
        self.thread(at).status = status;
        Ok(())
    }

    pub fn violation(&self, at: usize, span: Span, message: &str) -> Halt {
        let thread = ir::ThreadId(at as u32);
        Halt::Violation(Violation { thread, span, message: message.to_owned() })
    }

    /// The cells of an access. If there are none, the thread stops or the property fails.
    fn locate(
        &mut self,
        at: usize,
        word: u64,
        width: Width,
        span: Span,
    ) -> Result<Option<Vec<(Address, Width)>>, Halt> {
        match self.state.target(word, width, &self.notes.cuts) {
            Target::Cells(cells) if cells.len() > 1 && self.is_declared(word) => Err(self.several(span)),
            Target::Cells(cells) => Ok(Some(cells)),
            // What is declared to be shared is accessed by whole cells.
            Target::Part(_) if self.is_declared(word) => Err(self.several(span)),
            Target::Nowhere if self.is_declared(word) => Err(self.several(span)),
            Target::Part(start) if self.state.holds_address(start, width) => Err(self.address_part(span)),
            Target::Part(start) => {
                let end = start.offset + u64::from(width.bits().div_ceil(8));
                Err(Halt::Part(start.object, [start.offset, end]))
            }
            Target::Nowhere => match self.machine.property {
                Some(Property::Assertions { memory: true }) => {
                    Err(self.violation(at, span, "an access to no location"))
                }
                Some(
                    Property::Assertions { memory: false } | Property::Deadlock | Property::Progress | Property::Race,
                ) => {
                    self.stop(at, Status::Stopped)?;
                    Ok(None)
                }
                None => Err(Halt::Limit(stray(self.machine.program, span, word))),
            },
        }
    }

    fn address_part(&self, span: Span) -> Halt {
        let line = self.machine.program.source.line(span);
        Halt::Limit(format!("line {line}: a part of an address is used as a number, and nobody knows which number"))
    }

    /// Whether a word is the address of a cell that is declared to be shared.
    fn is_declared(&self, word: u64) -> bool {
        let program = self.machine.program;
        let cell = Address::from_bits(word).filter(|address| program.is_shared(address.object));
        cell.is_some_and(|address| program.cell(address).is_some())
    }

    fn several(&self, span: Span) -> Halt {
        let place = self.machine.program.source.place(span);
        Halt::Limit(format!("{place} accesses a part of a location, or several"))
    }

    /// In which parts a misaligned access is made, and in which order, is beyond the machine.
    fn aligned(&self, way: Way, cells: &[(Address, Width)], width: Width, span: Span) -> Result<(), Halt> {
        let start = cells[0].0;
        let declared = self.machine.program.is_shared(start.object);
        if way == Way::Plain || declared || self.state.is_aligned(start, width) {
            return Ok(());
        }
        let place = self.machine.program.source.place(span);
        Err(Halt::Limit(format!("{place} makes a misaligned access to shared memory")))
    }

    /// How to make an access; nothing if it has to be a step of its own.
    fn way(&mut self, at: usize, cells: &[(Address, Width)], writes: bool, may: bool) -> Result<Option<Way>, Halt> {
        let address = cells[0].0;
        if !self.state.published {
            return Ok(Some(Way::Plain));
        }
        if !self.notes.shared.contains(&address.object) && !self.machine.program.is_shared(address.object) {
            let touched = self.notes.touched.entry(address.object).or_insert((at, false, false));
            touched.1 |= touched.0 != at;
            touched.2 |= writes;
            if touched.1 && touched.2 {
                return Err(Halt::Conflict(address.object));
            }
            return Ok(Some(Way::Plain));
        }
        if self.state.threads[at].open > 0 {
            return Ok(Some(Way::Direct));
        }
        Ok(may.then_some(Way::Buffered))
    }

    /// What memory holds; what nobody has written is chosen.
    fn peek(&mut self, address: Address, width: Width) -> Result<u64, Halt> {
        if let Some(value) = self.state.slot(address).value {
            return Ok(value);
        }
        let value = self.any(width, || choice::every(width))?;
        self.state.slot_mut(address).value = Some(value);
        self.note(|record| record.settle(address, value));
        Ok(value)
    }

    /// A thread reads the newest write of each cell in its buffer, else memory. Gives what it read of each.
    fn read(
        &mut self,
        at: usize,
        (way, cells): (Way, &[(Address, Width)]),
        dst: LocalId,
        (tags, span): (&TagSet, Span),
    ) -> Result<Vec<Reservation>, Halt> {
        let (mut whole, mut taint, mut read) = (0, Taint::default(), Vec::new());
        for &(address, width) in cells {
            let buffer = &self.state.threads[at].buffer;
            let covers = |entry: &Entry| Some((entry.value(address)?, entry.id));
            let newest = buffer.iter().rev().find_map(covers).filter(|_| way == Way::Buffered);
            let (value, own) = match newest {
                Some((value, id)) => (value, Some(id)),
                None => (self.peek(address, width)?, None),
            };
            if way != Way::Plain {
                taint.reads.push((address, own.map(|id| (at, id))));
                let held = self.state.slot(address).value;
                self.note(|record| {
                    record.touch(address, held);
                    record.read(at, (address, value), own, (tags, span));
                });
            }
            whole |= value << (8 * (address.offset - cells[0].0.offset));
            read.push(Reservation { address, own });
        }
        self.assign(at, dst, whole, taint);
        Ok(read)
    }

    fn write(
        &mut self,
        at: usize,
        (way, cells): (Way, &[(Address, Width)]),
        (value, link): (u64, Vec<Reservation>),
        (tags, span): (&TagSet, Span),
    ) -> Result<(), Halt> {
        let part = |&(address, width): &(Address, Width)| {
            (address, truncate(value >> (8 * (address.offset - cells[0].0.offset)), width))
        };
        let cells: Vec<(Address, u64)> = cells.iter().map(part).collect();
        if cells.len() > 1 && self.state.is_address(value) {
            return Err(self.address_part(span));
        }
        let drains = way == Way::Direct || self.machine.drains(tags);
        if way == Way::Plain {
            cells.into_iter().for_each(|(address, value)| self.state.slot_mut(address).value = Some(value));
            return Ok(());
        }
        let thread = &mut self.state.threads[at];
        self.wrote |= thread.open > 0;
        if drains && !thread.buffer.is_empty() {
            return Err(Halt::Disabled { waits: false });
        }
        let id = thread.buffer.iter().map(|entry| entry.id + 1).max().unwrap_or(0);
        if !drains {
            let epoch = thread.epoch;
            thread.buffer.push(Entry { cells: cells.clone(), id, epoch, awaited: false, link });
        }
        for &(address, value) in &cells {
            let held = self.state.slot(address).value;
            self.note(|record| {
                record.touch(address, held);
                record.write(at, (address, value), (!drains).then_some(id), (tags, span));
            });
        }
        if drains && !cells.iter().all(|&(address, value)| self.state.land(at, address, value, None)) {
            return Err(Halt::Disabled { waits: false });
        }
        Ok(())
    }

    /// A read of a thread waits for writes in its buffer: for all of them, or for those that are awaited.
    fn wait(&self, at: usize, all: bool) -> Result<(), Halt> {
        let mut buffer = self.state.threads[at].buffer.iter();
        if buffer.any(|entry| all || entry.awaited) { Err(Halt::Disabled { waits: false }) } else { Ok(()) }
    }

    fn exchange(&mut self, at: usize, instr: &'a Instr, may: bool) -> Result<Flow, Halt> {
        let Op::Rmw { dst, addr, when, value, read_tags, write_tags } = &instr.op else { return Ok(Flow::Later) };
        let span = self.place(at, instr.span);
        let word = self.machine.program.write_target(self.value(at, addr)?.0);
        let width = self.width(at, *dst);
        let Some(cells) = self.locate(at, word, width, span)? else { return Ok(Flow::Done) };
        let Some(way) = self.way(at, &cells, true, may)? else { return Ok(Flow::Later) };
        // It waits for the buffer, whoever else uses its operand.
        let drains = self.machine.drains(read_tags) || self.machine.drains(write_tags);
        if way == Way::Plain && self.state.published && self.machine.buffers != Buffers::None && drains {
            return Err(Halt::Conflict(cells[0].0.object));
        }
        if way == Way::Buffered {
            self.wait(at, drains)?;
        }
        // A locked instruction is made on memory: the buffer is empty.
        let on = if way == Way::Buffered && drains { Way::Direct } else { way };
        let link = self.read(at, (on, &cells), *dst, (read_tags, span))?;
        let writes = match when {
            Some(when) => self.value(at, when)?.0 != 0,
            None => true,
        };
        if writes {
            let value = self.value(at, value)?.0;
            self.write(at, (on, &cells), (value, link), (write_tags, span))?;
        }
        self.advance(at);
        Ok(Flow::Done)
    }

    /// Whether it succeeds is a choice, as far as the reservation lets it. Either way the reservation is gone.
    fn store_conditional(&mut self, at: usize, instr: &'a Instr, may: bool) -> Result<Flow, Halt> {
        let Op::StoreConditional { success, addr, value, tags, status: _ } = &instr.op else { return Ok(Flow::Later) };
        let span = self.place(at, instr.span);
        let ((value, width), word) = (self.value(at, value)?, self.value(at, addr)?.0);
        let Some(cells) = self.locate(at, word, width, span)? else { return Ok(Flow::Done) };
        let Some(way) = self.way(at, &cells, true, may)? else { return Ok(Flow::Later) };
        let [(address, _)] = cells[..] else { return Err(self.several(span)) };
        let link = self.thread(at).reservation.take().filter(|open| open.address == address);
        let outcomes = if link.is_some() { vec![0, 1] } else { vec![0] };
        let succeeds = self.any(Width::BOOL, || Some(outcomes))?;
        self.note(|record| record.choose(at, succeeds));
        if succeeds != 0 {
            self.write(at, (way, &cells), (value, link.into_iter().collect()), (tags, span))?;
        }
        self.assign(at, *success, succeeds, Taint::default());
        self.advance(at);
        Ok(Flow::Done)
    }

    /// Passes a fence, unless it has to wait.
    fn fence(&mut self, at: usize, tags: &TagSet) -> bool {
        let machine = self.machine;
        let thread = &mut self.state.threads[at];
        if thread.buffer.is_empty() || machine.buffers == Buffers::None {
            return true;
        }
        if machine.drains(tags) {
            return false;
        }
        if tags.iter().any(|tag| machine.order_writes.contains(tag)) {
            thread.epoch += 1;
        }
        if tags.iter().any(|tag| machine.wait.contains(tag)) {
            thread.buffer.iter_mut().for_each(|entry| entry.awaited = true);
        }
        true
    }
}
