//! Instructions.

use crate::Halt;
use crate::domain::{Domain, Fault};
use crate::memory::{Object, Slot};
use crate::thread::{Status, Thread};
use crate::value::{Scope, Value};
use ir::{Address, Expr, FunctionId, Instr, LocalId, ObjectId, Op, Program, System, TagSet};
use source::Span;

/// What a thread is about to do that others can notice or prevent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action<'p, T> {
    /// Read a cell. The input is the value.
    Load {
        /// Which.
        cell: u32,
        /// The tags of the read.
        tags: &'p TagSet,
    },
    /// Write a cell.
    Store {
        /// Which.
        cell: u32,
        /// What.
        value: T,
        /// The tags of the write.
        tags: &'p TagSet,
    },
    /// Read a cell and perhaps write it. The input is the value that is read.
    Rmw {
        /// Which.
        cell: u32,
        /// The tags of the read and of the write.
        tags: [&'p TagSet; 2],
    },
    /// Pass a fence.
    Fence {
        /// Its tags.
        tags: &'p TagSet,
    },
    /// Begin an atomic section.
    Begin,
    /// End it.
    End,
    /// Start a thread. The input is its handle.
    Spawn {
        /// What it runs.
        function: FunctionId,
        /// Its parameters; see [`Stepper::arguments`].
        args: &'p [Expr],
    },
    /// Wait for a thread. The input is its result.
    Join {
        /// Its handle.
        handle: u64,
    },
    /// Enter or leave a critical section, or end inside one.
    Critical,
    /// Other threads may exist from here on.
    Publish,
}

/// How far a thread has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress<'p, T> {
    /// One instruction further.
    On,
    /// Back to a block where it may have been before. Each cycle has such a jump.
    Back,
    /// Before this.
    Before(Action<'p, T>),
}

/// A thread that is executed.
pub struct Stepper<'a, 'p, D: Domain<'p>> {
    /// What values are.
    pub domain: &'a mut D,
    /// The thread.
    pub thread: &'a mut Thread<D::Symbol>,
    /// The program.
    pub program: &'p Program,
}

/// What is said of memory that nobody has written.
pub(crate) const UNWRITTEN: &str = "memory is read that was never written";

impl<'a, 'p, D: Domain<'p>> Stepper<'a, 'p, D> {
    /// A thread in a world.
    pub fn new(domain: &'a mut D, thread: &'a mut Thread<D::Symbol>) -> Self {
        let program = domain.memory().program;
        Stepper { domain, thread, program }
    }

    /// Executes one instruction, or the end of a block, of a thread that runs; unless others can notice it.
    pub fn step(&mut self) -> Result<Progress<'p, D::Term>, Halt> {
        match self.thread.instr(self.program) {
            Some(instr) => Ok(self.execute(instr)?.map_or(Progress::On, Progress::Before)),
            None => self.leave(),
        }
    }

    pub(crate) fn scope(&self) -> Scope<'_, D::Symbol> {
        self.thread.scope(self.program)
    }

    pub(crate) fn limit<T>(&self, span: Span, what: &str) -> Result<T, Halt> {
        self.scope().limit(span, what)
    }

    /// Refuses an expression that tells which number an address is.
    pub(crate) fn look(&self, expr: &Expr, span: Span) -> Result<(), Halt> {
        let values = match expr {
            Expr::Const(..) | Expr::Address(..) | Expr::Local(_) => return Ok(()),
            Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => &self.scope().frame.values,
        };
        let memory = self.domain.memory();
        let align = |object: ObjectId| {
            let own = || self.thread.heap.iter().find(|(number, _)| *number == object.0).map(|(_, object)| object);
            match self.program.objects.get(object.index()) {
                Some(object) => Some(object.align),
                None => memory.object(object).or_else(own).map(|object| memory.sites[object.site as usize].align),
            }
        };
        let checked = ir::numbers::check(expr, self.scope().function, &|local| values[local.index()].known(), &align);
        checked.map_or_else(|what| self.limit(span, what), |_| Ok(()))
    }

    pub(crate) fn eval(&mut self, expr: &Expr, span: Span) -> Result<D::Term, Halt> {
        self.look(expr, span)?;
        self.domain.eval(self.thread.scope(self.program), expr, span)
    }

    pub(crate) fn word(&self, expr: &Expr, span: Span, what: &str) -> Result<u64, Halt> {
        self.look(expr, span)?;
        self.domain.word(self.scope(), expr, span, what)
    }

    pub(crate) fn decide(&mut self, condition: &Expr, span: Span) -> Result<bool, Halt> {
        self.look(condition, span)?;
        self.domain.decide(self.thread.scope(self.program), condition, span)
    }

    pub(crate) fn next(&mut self) {
        self.thread.frame().index += 1;
    }

    /// A local of the innermost function takes a value.
    pub fn assign(&mut self, local: LocalId, term: D::Term) {
        let scope = self.thread.scope(self.program);
        let (holder, width) = (scope.holder(local), scope.function.locals[local.index()].width);
        let value = self.domain.hold(holder, width, term);
        self.set(local, value);
    }

    fn set(&mut self, local: LocalId, value: Value<D::Symbol>) {
        let old = std::mem::replace(&mut self.thread.frame().values[local.index()], value);
        // A symbol stands for its local: what it stood for before is gone.
        if let Value::Known(_) = value {
            self.domain.forget(old);
        }
    }

    /// The thread does nothing any more.
    pub fn stop(&mut self, status: Status<D::Symbol>) {
        self.thread.status = status;
        for frame in std::mem::take(&mut self.thread.frames) {
            frame.values.into_iter().for_each(|value| self.domain.forget(value));
        }
        for (_, value) in std::mem::take(&mut self.thread.own) {
            self.domain.forget(value);
        }
    }

    /// Something is wrong: the property fails, or the thread goes no further.
    pub(crate) fn fault(&mut self, fault: Fault, span: Span, message: &str) {
        let status = match self.domain.violates(fault) {
            true => Status::Failed(self.thread.shown(span), message.to_owned()),
            false => Status::Stopped,
        };
        self.stop(status);
    }

    /// Whether others can be there, so that they can notice a fence or the border of an outermost section.
    fn is_noticed(&self) -> bool {
        !self.domain.memory().alone && self.thread.atomic == 0
    }

    fn execute(&mut self, instr: &'p Instr) -> Result<Option<Action<'p, D::Term>>, Halt> {
        let span = instr.span;
        match &instr.op {
            Op::Assign { dst, value } => {
                let term = self.eval(value, span)?;
                self.assign(*dst, term);
            }
            Op::Load { dst, addr, tags, reserve: false } => return self.load(*dst, addr, tags, span),
            Op::Store { addr, value, tags } => return self.store(addr, value, tags, span),
            Op::Rmw { dst, addr, when: _, value: _, read_tags, write_tags } => {
                return self.rmw(*dst, addr, [read_tags, write_tags], span);
            }
            Op::Load { reserve: true, .. } | Op::StoreConditional { .. } => {
                return self.limit(span, "reservations do not go with threads that are started");
            }
            Op::Fence { tags } if self.is_noticed() => return Ok(Some(Action::Fence { tags })),
            Op::Fence { tags: _ } => {}
            Op::Assume { condition, waits: _ } => {
                self.look(condition, span)?;
                let scope = self.thread.scope(self.program);
                let holds = match self.thread.atomic {
                    0 => self.domain.decide(scope, condition, span)?,
                    _ => self.domain.require(scope, condition, span)?,
                };
                if !holds {
                    self.stop(Status::Stopped);
                    return Ok(None);
                }
            }
            Op::System(op) => return self.system(op, span),
        }
        self.next();
        Ok(None)
    }

    fn system(&mut self, op: &'p System, span: Span) -> Result<Option<Action<'p, D::Term>>, Halt> {
        match op {
            System::Call { dst, function, args } => {
                self.call(*dst, *function, args, span)?;
                return Ok(None);
            }
            System::Nondet { dst } => {
                let scope = self.thread.scope(self.program);
                let (holder, width) = (scope.holder(*dst), scope.function.locals[dst.index()].width);
                let value = self.domain.choose(self.thread.number, holder, width);
                self.set(*dst, value);
            }
            System::Assert { condition, message } | System::Check { condition, message } => {
                if !self.decide(condition, span)? {
                    self.fault(Fault::Assertion, span, message);
                    return Ok(None);
                }
            }
            System::Spawn { dst: _, function, args } => {
                if self.domain.memory().alone {
                    return self.limit(span, "a thread is started before memory is published");
                }
                return Ok(Some(Action::Spawn { function: *function, args }));
            }
            System::Join { thread, result: _ } => {
                let handle = self.word(thread, span, "which thread is waited for")?;
                if self.domain.memory().alone {
                    self.stop(Status::Stopped);
                    return Ok(None);
                }
                return Ok(Some(Action::Join { handle }));
            }
            System::Current { dst } => {
                let handle = self.domain.handle(self.scope(), self.thread.number, span)?;
                self.assign_bits(*dst, handle);
            }
            System::Alloc { dst, name: _, size, cells, zeroed, align: _, storage: _ } => {
                self.alloc(*dst, size, cells.as_deref().unwrap_or_default(), *zeroed, span)?;
            }
            System::AtomicBegin if self.is_noticed() => return Ok(Some(Action::Begin)),
            System::AtomicBegin => self.thread.atomic += 1,
            System::AtomicEnd if self.thread.atomic == 0 => {
                return self.limit(span, "an atomic section ends that never began");
            }
            System::AtomicEnd if self.thread.atomic == 1 && !self.domain.memory().alone => {
                return Ok(Some(Action::End));
            }
            System::AtomicEnd => self.thread.atomic -= 1,
            System::Critical { .. } if !self.domain.memory().alone => return Ok(Some(Action::Critical)),
            System::Critical { enter } => self.cross(*enter, span),
            // Only who asks about deadlocks wants to know.
            System::Await => {}
            System::Publish => return Ok(Some(Action::Publish)),
        }
        self.next();
        Ok(None)
    }

    /// What a thread is given that is about to be started.
    pub fn arguments(&self, args: &[Expr]) -> Result<Vec<u64>, Halt> {
        let span = self.thread.instr(self.program).map_or(Span::default(), |instr| instr.span);
        args.iter().map(|arg| self.word(arg, span, "what a thread is given")).collect()
    }

    /// A local that is a word takes known bits.
    fn assign_bits(&mut self, local: LocalId, bits: u64) {
        let term = self.domain.constant(bits, ir::Width::WORD);
        self.assign(local, term);
    }

    fn alloc(&mut self, dst: LocalId, size: &Expr, cells: &[ir::Cell], zeroed: bool, span: Span) -> Result<(), Halt> {
        let size = self.word(size, span, "how much memory is made")?;
        let frame = self.thread.frame();
        let site = self.domain.memory().site((frame.function, frame.block, frame.index));
        let slot = |cell: &ir::Cell| Slot { offset: cell.offset, width: cell.width, value: zeroed.then_some(0) };
        let object = Object { site, size, cells: cells.iter().map(slot).collect() };
        let number = self.domain.make(self.thread, object, span)?;
        self.assign_bits(dst, Address { object: ObjectId(number), offset: 0 }.to_bits());
        Ok(())
    }

    /// Enters or leaves a critical section.
    fn cross(&mut self, enter: bool, span: Span) {
        self.thread.critical = enter.then(|| self.thread.shown(span));
    }

    /// The local that the input of the action goes to that the thread is about to do.
    pub fn destination(&self) -> Option<LocalId> {
        match &self.thread.instr(self.program)?.op {
            Op::Load { dst, .. } | Op::Rmw { dst, .. } | Op::System(System::Spawn { dst, .. }) => Some(*dst),
            Op::System(System::Join { result, .. }) => *result,
            Op::Assign { .. }
            | Op::Store { .. }
            | Op::StoreConditional { .. }
            | Op::Fence { .. }
            | Op::Assume { .. }
            | Op::System(_) => None,
        }
    }

    /// Does what the thread was about to do, with what comes of it. Gives what a read-modify-write writes.
    pub fn resume(&mut self, input: D::Term) -> Result<Option<D::Term>, Halt> {
        let Some(instr) = self.thread.instr(self.program) else {
            // It was about to end inside a critical section.
            self.thread.critical = None;
            return Ok(None);
        };
        if let Some(dst) = self.destination() {
            self.assign(dst, input);
        }
        let mut written = None;
        match &instr.op {
            Op::Rmw { when, value, .. } => written = self.modified(when.as_ref(), value, instr.span)?,
            Op::System(System::Critical { enter }) => self.cross(*enter, instr.span),
            Op::System(System::AtomicBegin) => self.thread.atomic += 1,
            Op::System(System::AtomicEnd) => self.thread.atomic -= 1,
            Op::Load { .. }
            | Op::Store { .. }
            | Op::Fence { .. }
            | Op::System(System::Spawn { .. } | System::Join { .. } | System::Publish) => {}
            Op::Assign { .. } | Op::StoreConditional { .. } | Op::Assume { .. } | Op::System(_) => {
                return self.limit(instr.span, "internal: a thread stopped where nobody can notice it");
            }
        }
        self.next();
        Ok(written)
    }

    /// What a read-modify-write writes, when its local has what was read.
    pub(crate) fn modified(&mut self, when: Option<&Expr>, value: &Expr, span: Span) -> Result<Option<D::Term>, Halt> {
        let writes = match when {
            Some(when) => self.decide(when, span)?,
            None => true,
        };
        if writes { self.eval(value, span).map(Some) } else { Ok(None) }
    }
}
