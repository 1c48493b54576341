//! The interpreter of one thread.

use super::memory::{Piece, Target};
use super::spin::{Spin, Spins};
use super::{Replayed, Stop, Taint, World};
use crate::execution::Action;
use crate::flaw::Flaw;
use ir::{
    Address, BlockId, Expr, Function, FunctionId, Instr, LocalId, Op, Status, TagSet, Terminator, ThreadId, Width,
    eval, truncate,
};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// How many instructions a thread may execute without an event before the replay gives up on it.
const SILENT_STEPS: u32 = 1_000_000;

/// The same for a thread of which the execution says that more is to come: an engine has gone through all of it.
const PROMISED_STEPS: u32 = 200_000_000;

/// A function that is being executed.
pub(super) struct Frame<'a> {
    function: &'a Function,
    block: BlockId,
    index: usize,
    locals: Vec<u64>,
    taints: Vec<Taint>,
    /// The branches whose control dependency has not ended: where it will end, and what decided them.
    branches: Vec<(Option<BlockId>, Taint)>,
    /// The local of the caller that takes the result.
    dst: Option<LocalId>,
    /// For a function of the library: where the library was called.
    pub place: Option<Span>,
}

/// What an atomic section knows about a shared location.
pub(super) struct Known {
    pub value: u64,
    pub taint: Taint,
    pub written: bool,
}

/// An open reservation: for which cell, by which event (none if the cell is not shared), and what the address was
/// computed from.
pub(super) struct Reservation {
    pub address: Address,
    pub read: Option<usize>,
    pub taint: Taint,
}

/// A thread that is being replayed.
pub(super) struct Thread<'a> {
    pub(super) id: ThreadId,
    pub(super) frames: Vec<Frame<'a>>,
    /// The next event of the thread, and the position after its last one.
    pub(super) next: usize,
    pub(super) end: usize,
    /// How many choices the thread has made.
    pub(super) chosen: usize,
    /// The events of other threads that come before whatever this one does next.
    pub(super) before: BTreeSet<usize>,
    order: Vec<(usize, usize)>,
    /// How many atomic sections are open, and the first event that the outermost can have.
    pub(super) open: u32,
    pub(super) section: usize,
    /// What the section knows of shared locations.
    pub(super) known: BTreeMap<Address, Known>,
    /// The first event of the access that is being made, if it has several, and its number if it is atomic.
    group: Option<(usize, Option<u32>)>,
    /// Where the thread entered the critical section that it is inside.
    pub(super) inside: Option<Span>,
    pub(super) reservation: Option<Reservation>,
    /// The next event of the thread when its last wait began.
    pub(super) awaits: usize,
    silent: u32,
    pub(super) span: Span,
    pub(super) spin: Spin,
    /// The checks that failed on the way, with their places.
    pub(super) failed: Vec<(Span, String)>,
    found: Replayed,
}

/// Why a thread does not run on now.
pub(super) enum Pause {
    Stopped(Stop),
    /// The execution says no more about it, and nobody wants to know more. Says whether it did anything before.
    Idle {
        moved: bool,
    },
    /// It joins, here, a thread that has not stopped yet. Says whether it did anything before.
    Blocked {
        span: Span,
        moved: bool,
    },
}

/// What the first event of an access to a shared location is, if it makes one.
#[derive(Clone, Copy)]
enum Makes {
    Read,
    Write,
    Nothing,
}

/// What comes of an instruction.
pub(super) enum Flow {
    Next,
    Stop(Stop),
    /// The instruction has to be executed again later.
    Block,
}

impl<'a> Frame<'a> {
    pub fn new(function: &'a Function, args: Vec<(u64, Taint)>, dst: Option<LocalId>, place: Option<Span>) -> Self {
        let count = function.locals.len();
        let (mut locals, mut taints) = (vec![0; count], vec![Taint::new(); count]);
        for (at, (value, taint)) in args.into_iter().enumerate().take(count) {
            locals[at] = truncate(value, function.locals[at].width);
            taints[at] = taint;
        }
        Frame { function, block: BlockId(0), index: 0, locals, taints, branches: Vec::new(), dst, place }
    }

    /// Where it is, and with which locals.
    pub fn state(&self) -> (BlockId, usize, Vec<u64>) {
        (self.block, self.index, self.locals.clone())
    }

    /// Whether it is there.
    pub fn is_at(&self, (block, index, locals): &(BlockId, usize, Vec<u64>)) -> bool {
        self.block == *block && self.index == *index && self.locals == *locals
    }

    fn value(&self, expr: &Expr) -> (u64, Width) {
        eval(expr, self.function, &self.locals)
    }

    fn taint(&self, expr: &Expr) -> Taint {
        let mut taint = Taint::new();
        expr.for_each_local(&mut |local| taint.extend(&self.taints[local.index()]));
        taint
    }

    pub fn assign(&mut self, local: LocalId, value: u64, taint: Taint) {
        self.locals[local.index()] = truncate(value, self.function.locals[local.index()].width);
        self.taints[local.index()] = taint;
    }

    fn enter(&mut self, block: BlockId) {
        (self.block, self.index) = (block, 0);
        self.branches.retain(|(join, _)| *join != Some(block));
    }
}

impl<'a> Thread<'a> {
    pub fn new(world: &World<'a>, id: ThreadId, body: FunctionId, args: Vec<u64>, before: BTreeSet<usize>) -> Self {
        let args = args.into_iter().map(|value| (value, Taint::new())).collect();
        let (next, end) = world.ranges[id.index()];
        let frame = Frame::new(&world.program.functions[body.index()], args, None, None);
        Thread {
            id,
            frames: vec![frame],
            next,
            end,
            chosen: 0,
            before,
            order: Vec::new(),
            open: 0,
            section: next,
            known: BTreeMap::new(),
            group: None,
            inside: None,
            reservation: None,
            awaits: 0,
            silent: 0,
            span: Span::default(),
            spin: Spin::default(),
            failed: Vec::new(),
            found: Replayed::default(),
        }
    }

    /// What the replay found: relations, and program order between the events of this thread and what came before.
    pub fn found(mut self) -> (Replayed, Vec<(usize, usize)>) {
        self.found.locals = self.frames.into_iter().next().map(|frame| frame.locals).unwrap_or_default();
        (self.found, self.order)
    }

    pub fn flaw(&self, world: &World<'_>, what: impl Into<String>) -> Flaw {
        let line = world.program.source.line(self.span);
        Flaw::Thread { thread: world.thread_name(self.id), line, what: what.into() }
    }

    pub fn frame(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("a thread that runs has a frame")
    }

    pub fn value(&self, expr: &Expr) -> (u64, Width) {
        self.frames.last().expect("a thread that runs has a frame").value(expr)
    }

    pub fn taint(&self, expr: &Expr) -> Taint {
        self.frames.last().expect("a thread that runs has a frame").taint(expr)
    }

    pub(super) fn width(&mut self, local: LocalId) -> Width {
        self.frame().function.locals[local.index()].width
    }

    /// The thread stops: checks that it may.
    pub fn stop(&mut self, world: &World<'_>, stop: Stop) -> Result<Stop, Flaw> {
        if self.next != self.end {
            return Err(self.flaw(world, format!("the thread stops before its event {}", self.next)));
        }
        if self.open > 0 && self.next > self.section {
            let violates = world.execution.violation.as_ref().is_some_and(|violation| violation.thread == self.id);
            let allowed = match &stop {
                Stop::Fails { .. } | Stop::Strays { .. } => violates,
                Stop::Waits { .. } => self.known.values().all(|known| !known.written),
                Stop::Unborn | Stop::Finished(_) | Stop::Leaves | Stop::Joins { .. } => false,
            };
            if !allowed {
                return Err(self.flaw(world, "the thread stops inside an atomic section"));
            }
        }
        Ok(stop)
    }

    /// Whether the execution says no more about the thread.
    pub(super) fn is_idle(&self, world: &World<'_>) -> bool {
        let choices = world.execution.choices.get(self.id.index()).map_or(0, Vec::len);
        self.next == self.end && self.chosen >= choices
    }

    /// Runs until the thread stops or has to wait for another one.
    pub fn run(&mut self, world: &mut World<'a>) -> Result<Pause, Flaw> {
        let mut moved = false;
        loop {
            let idle = self.open == 0 && self.is_idle(world);
            if let Some(entered) = self.inside.filter(|_| idle) {
                world.stands[self.id.index()].insert(entered);
            }
            let sought = world.is_sought(self.id);
            if idle && !world.wanted[self.id.index()] && !sought {
                return Ok(Pause::Idle { moved });
            }
            self.silent += 1;
            let fails = world.execution.violation.as_ref().is_some_and(|violation| violation.thread == self.id);
            let patience = if idle && !sought && !fails { SILENT_STEPS } else { PROMISED_STEPS };
            let leaves = (self.silent > patience).then_some(Stop::Leaves);
            if let Some(stop) = leaves.or_else(|| self.goes_round(world, self.silent)) {
                return Ok(Pause::Stopped(self.stop(world, stop)?));
            }
            let frame = self.frame();
            let function = frame.function;
            let block = &function.blocks[frame.block.index()];
            let flow = match block.instrs.get(frame.index) {
                Some(instr) => {
                    // A call enters its function, so the place to come back to is set before.
                    frame.index += 1;
                    self.span = frame.place.unwrap_or(instr.span);
                    self.execute(world, instr)?
                }
                None => self.leave(&block.terminator),
            };
            match flow {
                Flow::Next => {}
                Flow::Stop(stop) => return Ok(Pause::Stopped(self.stop(world, stop)?)),
                Flow::Block => {
                    self.frame().index -= 1;
                    return Ok(Pause::Blocked { span: self.span, moved });
                }
            }
            moved = true;
        }
    }

    /// Goes on behind a block.
    fn leave(&mut self, terminator: &Terminator) -> Flow {
        match terminator {
            Terminator::Goto(to) => self.frame().enter(*to),
            Terminator::Branch { condition, then, otherwise, join, span } => {
                let (holds, taint) = (self.value(condition).0 != 0, self.taint(condition));
                let frame = self.frame();
                if !taint.is_empty() {
                    frame.branches.push((*join, taint));
                }
                frame.enter(if holds { *then } else { *otherwise });
                let place = frame.place.unwrap_or(*span);
                self.span = place;
            }
            Terminator::Return(result) => {
                let result = result.as_ref().map(|value| (self.value(value).0, self.taint(value)));
                let dst = self.frame().dst;
                // What never ends does not end here either.
                let mut branches = std::mem::take(&mut self.frame().branches);
                branches.retain(|(join, _)| join.is_none());
                if self.frames.len() == 1 {
                    return Flow::Stop(Stop::Finished(result.map_or(0, |(value, _)| value)));
                }
                self.frames.pop();
                self.frame().branches.append(&mut branches);
                if let Some(dst) = dst {
                    let (value, taint) = result.unwrap_or_default();
                    self.frame().assign(dst, value, taint);
                }
            }
            Terminator::Exit(result) => {
                let result = result.as_ref().map_or(0, |value| self.value(value).0);
                return Flow::Stop(Stop::Finished(result));
            }
            Terminator::Cut { span: _ } => return Flow::Stop(Stop::Leaves),
        }
        Flow::Next
    }

    /// Takes the next event of the thread, which must have these tags and come from the current instruction.
    fn take(&mut self, world: &mut World<'a>, tags: &TagSet, addr: &Taint) -> Result<(usize, Action), Flaw> {
        let at = self.next;
        if at == self.end {
            return Err(self.flaw(world, "the execution has no event for the rest of this instruction"));
        }
        let event = &world.execution.events[at];
        if event.tags != *tags {
            return Err(self.flaw(world, format!("the tags of event {at} are not those of this instruction")));
        }
        if event.span != self.span {
            return Err(self.flaw(world, format!("event {at} comes from another instruction")));
        }
        let first = world.ranges[self.id.index()].0;
        // The events of one access have no order among themselves.
        let last = self.group.map_or(at, |(start, _)| start);
        self.order.extend(self.before.iter().copied().chain(first..last).map(|earlier| (earlier, at)));
        world.groups[at] = self.group.and_then(|(_, number)| number);
        for (_, taint) in self.frames.iter().flat_map(|frame| &frame.branches) {
            self.found.ctrl.extend(taint.iter().map(|&read| (read, at)));
        }
        self.found.addr.extend(addr.iter().map(|&read| (read, at)));
        if self.open > 0 {
            world.sections[at] = Some(self.section as u32);
        }
        self.next += 1;
        self.silent = 0;
        Ok((at, event.action))
    }

    fn take_read(
        &mut self,
        world: &mut World<'a>,
        (expected, width): (Address, Width),
        tags: &TagSet,
        addr: &Taint,
    ) -> Result<(usize, u64), Flaw> {
        let (at, action) = self.take(world, tags, addr)?;
        match action {
            Action::Read { address, value } if address == expected && truncate(value, width) == value => {
                Ok((at, value))
            }
            Action::Read { .. } | Action::Write { .. } | Action::Fence => {
                let name = world.execution.address_name(world.program, expected);
                Err(self.flaw(world, format!("event {at} is not the read of {name} that this instruction makes")))
            }
        }
    }

    pub(super) fn take_write(
        &mut self,
        world: &mut World<'a>,
        (address, value): (Address, u64),
        tags: &TagSet,
        (addr, data): (&Taint, &Taint),
    ) -> Result<usize, Flaw> {
        let (at, action) = self.take(world, tags, addr)?;
        self.found.data.extend(data.iter().map(|&read| (read, at)));
        if action == (Action::Write { address, value }) {
            return Ok(at);
        }
        let name = world.execution.address_name(world.program, address);
        Err(self.flaw(world, format!("event {at} is not the write of {value} to {name} that this instruction makes")))
    }

    fn execute(&mut self, world: &mut World<'a>, instr: &'a Instr) -> Result<Flow, Flaw> {
        match &instr.op {
            Op::Assign { dst, value } => {
                let (result, taint) = (self.value(value).0, self.taint(value));
                self.frame().assign(*dst, result, taint);
            }
            Op::Load { dst, addr, tags, reserve } => {
                let (width, word, taint) = (self.width(*dst), self.value(addr).0, self.taint(addr));
                return self.access(world, word, (width, Makes::Read, *reserve), |thread, world, target| {
                    let reads = thread.read(world, &target, *dst, tags, &taint)?;
                    if *reserve {
                        let read = reads.first().copied();
                        thread.reservation = target.address().map(|address| Reservation { address, read, taint });
                    }
                    Ok(())
                });
            }
            Op::Store { addr, value, tags } => {
                let ((value, width), data) = (self.value(value), self.taint(value));
                let (word, taint) = (world.program.write_target(self.value(addr).0), self.taint(addr));
                return self.access(world, word, (width, Makes::Write, false), |thread, world, target| {
                    thread.write(world, &target, value, tags, (&taint, data)).map(|_| ())
                });
            }
            Op::Rmw { dst, addr, when, value, read_tags, write_tags } => {
                let word = world.program.write_target(self.value(addr).0);
                let (width, taint) = (self.width(*dst), self.taint(addr));
                return self.access(world, word, (width, Makes::Read, true), |thread, world, target| {
                    let reads = thread.read(world, &target, *dst, read_tags, &taint)?;
                    if when.as_ref().is_none_or(|when| thread.value(when).0 != 0) {
                        let mut data = thread.taint(value);
                        data.extend(when.iter().flat_map(|when| thread.taint(when)));
                        reads.iter().for_each(|read| {
                            data.remove(read);
                        });
                        let value = thread.value(value).0;
                        let writes = thread.write(world, &target, value, write_tags, (&taint, data))?;
                        for pair in reads.into_iter().zip(writes) {
                            thread.found.rmw.insert(pair);
                            thread.found.amo.insert(pair);
                        }
                    }
                    Ok(())
                });
            }
            Op::StoreConditional { success, addr, value, tags, status } => {
                let Some(succeeds) = self.choose(world)? else { return Ok(Flow::Stop(Stop::Leaves)) };
                let ((value, width), data) = (self.value(value), self.taint(value));
                let (word, taint) = (self.value(addr).0, self.taint(addr));
                let makes = if succeeds == 0 { Makes::Nothing } else { Makes::Write };
                let flow = self.access(world, word, (width, makes, true), |thread, world, target| {
                    let outcome =
                        thread.conditional(world, &target, (value, succeeds != 0), tags, (&taint, data), *status)?;
                    thread.frame().assign(*success, succeeds, outcome);
                    Ok(())
                })?;
                if let Flow::Block = flow {
                    self.chosen -= 1;
                }
                return Ok(flow);
            }
            Op::Fence { tags } if world.memory.is_published() && self.open == 0 => {
                if self.next == self.end {
                    return Ok(self.beyond(world, Makes::Nothing));
                }
                let (at, action) = self.take(world, tags, &Taint::new())?;
                if action != Action::Fence {
                    return Err(self.flaw(world, format!("event {at} is not the fence that stands here")));
                }
            }
            Op::Fence { tags: _ } => {}
            Op::Assume { condition, waits } => {
                if self.value(condition).0 == 0 {
                    let (span, reads) = (self.span, self.taint(condition));
                    let repeated = reads.into_iter().filter(|read| *read >= self.awaits).collect();
                    return Ok(Flow::Stop(if *waits { Stop::Waits { span, reads: repeated } } else { Stop::Leaves }));
                }
            }
            Op::System(op) => return self.system(world, op),
        }
        Ok(Flow::Next)
    }

    /// Stores if it `succeeds`, which takes a reservation for this location. Either way the reservation is gone. Gives what
    /// the outcome depends on.
    fn conditional(
        &mut self,
        world: &mut World<'a>,
        target: &Target,
        (value, succeeds): (u64, bool),
        tags: &TagSet,
        (addr, mut data): (&Taint, Taint),
        status: Status,
    ) -> Result<Taint, Flaw> {
        let reservation = self.reservation.take();
        let mut outcome = Taint::new();
        if status == Status::Operands {
            data.extend(reservation.iter().flat_map(|open| open.taint.iter().copied()));
            outcome.extend(data.union(addr));
        }
        if succeeds {
            let Some(open) = reservation.filter(|open| Some(open.address) == target.address()) else {
                return Err(self.flaw(world, "a store-conditional succeeds without a reservation"));
            };
            let write = self.write(world, target, value, tags, (addr, data))?.first().copied();
            self.found.rmw.extend(open.read.zip(write));
            outcome.extend(write.filter(|_| status == Status::Write));
        }
        Ok(outcome)
    }

    /// An access or a fence beyond the last event of the thread: only one that may spin makes it, and only to read.
    fn beyond(&mut self, world: &World<'a>, makes: Makes) -> Flow {
        if !self.may_spin(world) || matches!(makes, Makes::Write) {
            return Flow::Stop(Stop::Leaves);
        }
        match self.spin_on() {
            Spins::On => Flow::Next,
            Spins::ForEver(span) => Flow::Stop(Stop::Waits { span, reads: Taint::new() }),
            Spins::Unknown => Flow::Stop(Stop::Leaves),
        }
    }

    /// Makes an access of this width, if there is a location and, where that needs an event, an event.
    fn access(
        &mut self,
        world: &mut World<'a>,
        word: u64,
        (width, makes, locked): (Width, Makes, bool),
        make: impl FnOnce(&mut Self, &mut World<'a>, Target) -> Result<(), Flaw>,
    ) -> Result<Flow, Flaw> {
        let target = world.memory.target(word, width, locked).map_err(|what| self.flaw(world, what))?;
        match target {
            // Another thread may make the object, as soon as it is run here.
            Target::Nowhere if world.memory.is_awaited(word) => return Ok(Flow::Block),
            Target::Nowhere => return Ok(Flow::Stop(Stop::Strays { span: self.span })),
            Target::Shared(ref pieces, _) if self.next == self.end => {
                // In a section, what is known makes no event, and writes are made at its end.
                let event = match makes {
                    Makes::Nothing => false,
                    Makes::Read => {
                        self.open == 0 || pieces.iter().any(|piece| !self.known.contains_key(&piece.address))
                    }
                    Makes::Write => self.open == 0,
                };
                if event {
                    let flow = self.beyond(world, makes);
                    if let Flow::Next = flow {
                        make(self, world, target)?;
                    }
                    return Ok(if self.spin.writes { Flow::Stop(Stop::Leaves) } else { flow });
                }
                make(self, world, target)?;
            }
            Target::Shared(..) | Target::Plain(..) | Target::Bytes(_) => make(self, world, target)?,
        }
        Ok(Flow::Next)
    }

    /// An access to shared locations begins.
    fn open_group(&mut self, world: &mut World<'a>, pieces: &[Piece], atomic: bool) {
        if pieces.len() > 1 && self.open == 0 {
            self.group = Some((self.next, atomic.then_some(world.next_group)));
            world.next_group += 1;
        }
    }

    /// Reads into a local; gives the events.
    fn read(
        &mut self,
        world: &mut World<'a>,
        target: &Target,
        dst: LocalId,
        tags: &TagSet,
        addr: &Taint,
    ) -> Result<Vec<usize>, Flaw> {
        match target {
            Target::Shared(pieces, _) if self.next == self.end && self.may_spin(world) => {
                let value = pieces.iter().fold(0, |whole, piece| whole | world.last(piece.address) << (8 * piece.byte));
                self.frame().assign(dst, value, Taint::new());
                Ok(Vec::new())
            }
            Target::Shared(pieces, atomic) => {
                let (mut whole, mut all, mut reads) = (0, Taint::new(), Vec::new());
                self.open_group(world, pieces, *atomic);
                for &Piece { address, width, byte } in pieces {
                    if !self.known.contains_key(&address) || self.open == 0 {
                        let (at, value) = self.take_read(world, (address, width), tags, addr)?;
                        if self.open > 0 {
                            self.known.insert(address, Known { value, taint: Taint::from([at]), written: false });
                        } else {
                            reads.push(at);
                            all.insert(at);
                            whole |= value << (8 * byte);
                            continue;
                        }
                    }
                    let known = &self.known[&address];
                    whole |= known.value << (8 * byte);
                    all.extend(&known.taint);
                }
                self.group = None;
                self.frame().assign(dst, whole, all);
                Ok(reads)
            }
            Target::Plain(..) | Target::Bytes(_) => {
                let read = match target {
                    Target::Bytes(at) => world.memory.read_bytes(self.id, at),
                    Target::Plain(address, _) => world.memory.read(self.id, *address),
                    Target::Shared(..) | Target::Nowhere => Ok((0, Taint::new())),
                };
                let (value, mut taint) = read.map_err(|what| self.flaw(world, what))?;
                taint.extend(addr);
                self.frame().assign(dst, value, taint);
                Ok(Vec::new())
            }
            Target::Nowhere => Ok(Vec::new()),
        }
    }

    /// Writes a value; gives the events.
    fn write(
        &mut self,
        world: &mut World<'a>,
        target: &Target,
        value: u64,
        tags: &TagSet,
        (addr, data): (&Taint, Taint),
    ) -> Result<Vec<usize>, Flaw> {
        match target {
            Target::Shared(pieces, _) if self.open > 0 => {
                let mut taint = data;
                taint.extend(addr);
                for &Piece { address, width, byte } in pieces {
                    let value = truncate(value >> (8 * byte), width);
                    self.known.insert(address, Known { value, taint: taint.clone(), written: true });
                }
                Ok(Vec::new())
            }
            Target::Shared(..) if self.next == self.end && self.may_spin(world) => {
                self.spin.writes = true;
                Ok(Vec::new())
            }
            Target::Shared(pieces, atomic) => {
                let mut writes = Vec::new();
                self.open_group(world, pieces, *atomic);
                for &Piece { address, width, byte } in pieces {
                    let value = truncate(value >> (8 * byte), width);
                    writes.push(self.take_write(world, (address, value), tags, (addr, &data))?);
                }
                self.group = None;
                Ok(writes)
            }
            Target::Plain(..) | Target::Bytes(_) => {
                let mut taint = data;
                taint.extend(addr);
                let same = match target {
                    Target::Plain(address, width) => world.memory.plain(*address) == Some(truncate(value, *width)),
                    Target::Bytes(_) | Target::Shared(..) | Target::Nowhere => false,
                };
                if !same {
                    self.spin_changes();
                }
                let written = match target {
                    Target::Bytes(at) => world.memory.write_bytes(self.id, at, value, &taint),
                    Target::Plain(address, width) => {
                        world.memory.write(self.id, *address, truncate(value, *width), taint)
                    }
                    Target::Shared(..) | Target::Nowhere => Ok(()),
                };
                written.map_err(|what| self.flaw(world, what))?;
                Ok(Vec::new())
            }
            Target::Nowhere => Ok(Vec::new()),
        }
    }
}
