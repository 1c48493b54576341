//! A plain interpreter that runs one thread along the events of an execution.
//!
//! Every read takes the value that the execution gives it; everything else is computed anew and compared.

use crate::execution::{Action, Event, Execution};
use crate::flaw::Flaw;
use ir::{Address, BlockId, Expr, Instr, LocalId, Op, Program, Status, TagSet, Terminator, ThreadId, eval, truncate};
use source::Span;
use std::collections::BTreeSet;

/// How many instructions a thread may execute without an event before the replay gives up on it.
pub(crate) const SILENT_STEPS: u32 = 1_000_000;

/// The reads that a value was computed from, as positions in the execution.
pub(crate) type Taint = BTreeSet<usize>;

/// What the replay of a thread finds: the dependencies between its events, and the values of its locals at the end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Replayed {
    pub addr: BTreeSet<(usize, usize)>,
    pub data: BTreeSet<(usize, usize)>,
    pub ctrl: BTreeSet<(usize, usize)>,
    pub rmw: BTreeSet<(usize, usize)>,
    pub amo: BTreeSet<(usize, usize)>,
    pub locals: Vec<u64>,
}

/// What the replay of all threads finds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Replays {
    pub threads: Vec<Replayed>,
    /// Program order, transitive.
    pub order: Vec<(usize, usize)>,
    /// For each event the atomic section it is in.
    pub sections: Vec<Option<u32>>,
}

/// An open reservation: for which cell, by which read, and what the address was computed from.
#[derive(Debug, Clone)]
struct Reservation {
    address: Address,
    read: usize,
    taint: Taint,
}

#[derive(Clone)]
struct Replay<'a> {
    program: &'a Program,
    thread: ThreadId,
    events: &'a [Event],
    /// The next event of the thread, and the position after its last one.
    next: usize,
    end: usize,
    block: BlockId,
    index: usize,
    span: Span,
    taints: Vec<Taint>,
    /// The branches whose control dependency has not ended: where it will end, and what decided them.
    branches: Vec<(Option<BlockId>, Taint)>,
    reservation: Option<Reservation>,
    silent: u32,
    result: Replayed,
}

/// Runs `thread` along the events `first..end` of the execution.
pub(crate) fn replay(
    program: &Program,
    execution: &Execution,
    thread: ThreadId,
    first: usize,
    end: usize,
) -> Result<Replayed, Flaw> {
    let locals = program.body(thread).locals.len();
    let mut replay = Replay {
        program,
        thread,
        events: &execution.events,
        next: first,
        end,
        block: BlockId(0),
        index: 0,
        span: Span::default(),
        taints: vec![Taint::new(); locals],
        branches: Vec::new(),
        reservation: None,
        silent: 0,
        result: Replayed { locals: vec![0; locals], ..Replayed::default() },
    };
    replay.run()?;
    Ok(replay.result)
}

impl<'a> Replay<'a> {
    fn flaw(&self, what: impl Into<String>) -> Flaw {
        let thread = self.program.threads[self.thread.index()].name.clone();
        Flaw::Thread { thread, line: self.program.source.line(self.span), what: what.into() }
    }

    /// Runs to the end of the thread.
    fn run(&mut self) -> Result<(), Flaw> {
        let program = self.program;
        let blocks = &program.body(self.thread).blocks;
        loop {
            self.silent += 1;
            if self.silent > SILENT_STEPS {
                return Err(self.flaw("the thread runs on without any event"));
            }
            let block = &blocks[self.block.index()];
            if let Some(instr) = block.instrs.get(self.index) {
                self.index += 1;
                self.span = instr.span;
                if let Op::StoreConditional { .. } = instr.op {
                    // Whether it succeeds is the execution's choice: the rest of the thread decides which one fits.
                    let mut succeeds = self.clone();
                    if succeeds.store_conditional(instr, true).and_then(|()| succeeds.run()).is_ok() {
                        *self = succeeds;
                        return Ok(());
                    }
                    self.store_conditional(instr, false)?;
                } else {
                    self.execute(instr)?;
                }
                continue;
            }
            match &block.terminator {
                Terminator::Goto(to) => self.enter(*to),
                Terminator::Branch { condition, then, otherwise, join, span } => {
                    self.span = *span;
                    self.branches.push((*join, self.taint(condition)));
                    let to = if self.value(condition) != 0 { *then } else { *otherwise };
                    self.enter(to);
                }
                Terminator::Return(_) | Terminator::Exit(_) if self.next == self.end => return Ok(()),
                Terminator::Return(_) | Terminator::Exit(_) => {
                    return Err(self.flaw("the thread ends before its last event"));
                }
                Terminator::Cut { span } => {
                    self.span = *span;
                    return Err(self.flaw("the thread goes on beyond the bound on loops"));
                }
            }
        }
    }

    fn enter(&mut self, block: BlockId) {
        self.block = block;
        self.index = 0;
        self.branches.retain(|(join, _)| *join != Some(block));
    }

    fn value(&self, expr: &Expr) -> u64 {
        eval(expr, self.program.body(self.thread), &self.result.locals).0
    }

    fn taint(&self, expr: &Expr) -> Taint {
        let mut taint = Taint::new();
        expr.for_each_local(&mut |local| taint.extend(&self.taints[local.index()]));
        taint
    }

    fn assign(&mut self, local: LocalId, value: u64, taint: Taint) {
        let width = self.program.body(self.thread).locals[local.index()].width;
        self.result.locals[local.index()] = truncate(value, width);
        self.taints[local.index()] = taint;
    }

    /// The cell that an address expression points to.
    fn address(&self, expr: &Expr) -> Result<Address, Flaw> {
        let address = Address::from_bits(self.value(expr)).filter(|&address| self.program.cell(address).is_some());
        address.ok_or_else(|| self.flaw("an access to no location"))
    }

    /// Takes the next event of the thread, which must have these tags and come from the current instruction.
    fn take(&mut self, tags: &TagSet) -> Result<(usize, Action), Flaw> {
        if self.next == self.end {
            return Err(self.flaw("the execution has no event for this instruction"));
        }
        let at = self.next;
        let event = &self.events[at];
        if event.tags != *tags {
            return Err(self.flaw(format!("the tags of event {at} are not those of this instruction")));
        }
        if event.span != self.span {
            return Err(self.flaw(format!("event {at} comes from another instruction")));
        }
        self.next += 1;
        self.silent = 0;
        for (_, taint) in &self.branches {
            self.result.ctrl.extend(taint.iter().map(|&read| (read, at)));
        }
        Ok((at, event.action))
    }

    /// Takes a read of `address` and gives its position and value.
    fn take_read(&mut self, expected: Address, tags: &TagSet, addr: &Taint) -> Result<(usize, u64), Flaw> {
        let (at, action) = self.take(tags)?;
        self.result.addr.extend(addr.iter().map(|&read| (read, at)));
        match action {
            Action::Read { address, value } if address == expected && self.fits(address, value) => Ok((at, value)),
            Action::Read { .. } | Action::Write { .. } | Action::Fence => {
                let name = self.program.address_name(expected);
                Err(self.flaw(format!("event {at} is not the read of {name} that this instruction makes")))
            }
        }
    }

    /// Takes the write of `value` to `address` and gives its position.
    fn take_write(&mut self, address: Address, value: u64, tags: &TagSet, addr: &Taint) -> Result<usize, Flaw> {
        let (at, action) = self.take(tags)?;
        self.result.addr.extend(addr.iter().map(|&read| (read, at)));
        let width = self.program.cell(address).map(|cell| cell.width);
        let value = width.map_or(value, |width| truncate(value, width));
        if action == (Action::Write { address, value }) {
            return Ok(at);
        }
        let name = self.program.address_name(address);
        Err(self.flaw(format!("event {at} is not the write of {value} to {name} that this instruction makes")))
    }

    fn fits(&self, address: Address, value: u64) -> bool {
        self.program.cell(address).is_some_and(|cell| truncate(value, cell.width) == value)
    }

    fn execute(&mut self, instr: &Instr) -> Result<(), Flaw> {
        match &instr.op {
            Op::Assign { dst, value } => self.assign(*dst, self.value(value), self.taint(value)),
            Op::Load { dst, addr, tags, reserve } => {
                let (address, taint) = (self.address(addr)?, self.taint(addr));
                let (read, value) = self.take_read(address, tags, &taint)?;
                self.assign(*dst, value, Taint::from([read]));
                if *reserve {
                    self.reservation = Some(Reservation { address, read, taint });
                }
            }
            Op::Store { addr, value, tags } => {
                let (address, taint) = (self.address(addr)?, self.taint(addr));
                let write = self.take_write(address, self.value(value), tags, &taint)?;
                self.result.data.extend(self.taint(value).into_iter().map(|read| (read, write)));
            }
            Op::Rmw { dst, addr, when, value, read_tags, write_tags } => {
                let (address, taint) = (self.address(addr)?, self.taint(addr));
                let (read, found) = self.take_read(address, read_tags, &taint)?;
                self.assign(*dst, found, Taint::from([read]));
                if when.as_ref().is_none_or(|when| self.value(when) != 0) {
                    let write = self.take_write(address, self.value(value), write_tags, &taint)?;
                    let mut data = self.taint(value);
                    data.extend(when.iter().flat_map(|when| self.taint(when)));
                    data.remove(&read);
                    self.result.data.extend(data.into_iter().map(|read| (read, write)));
                    self.result.rmw.insert((read, write));
                    self.result.amo.insert((read, write));
                }
            }
            Op::StoreConditional { .. } => self.store_conditional(instr, false)?,
            Op::Fence { tags } => {
                let (at, action) = self.take(tags)?;
                if action != Action::Fence {
                    return Err(self.flaw(format!("event {at} is not the fence that stands here")));
                }
            }
            Op::Assume { condition, waits: _ } => {
                if self.value(condition) == 0 {
                    return Err(self.flaw("an assumption does not hold"));
                }
            }
            Op::System(_) => return Err(self.flaw("an instruction of programs that start threads")),
        }
        Ok(())
    }

    /// Executes a store-conditional with the given outcome.
    fn store_conditional(&mut self, instr: &Instr, succeeds: bool) -> Result<(), Flaw> {
        let Op::StoreConditional { success, addr, value, tags, status } = &instr.op else {
            return Err(self.flaw("not a store-conditional"));
        };
        let address = self.address(addr)?;
        let (taint, mut data) = (self.taint(addr), self.taint(value));
        let reservation = self.reservation.take();
        let mut outcome = Taint::new();
        if *status == Status::Operands {
            data.extend(reservation.iter().flat_map(|open| open.taint.iter().copied()));
            outcome.extend(data.union(&taint));
        }
        if succeeds {
            let Some(open) = reservation.filter(|open| open.address == address) else {
                return Err(self.flaw("a store-conditional succeeds without a reservation"));
            };
            let write = self.take_write(address, self.value(value), tags, &taint)?;
            self.result.rmw.insert((open.read, write));
            self.result.data.extend(data.iter().map(|&read| (read, write)));
            if *status == Status::Write {
                outcome.insert(write);
            }
        }
        self.assign(*success, u64::from(succeeds), outcome);
        Ok(())
    }
}
