//! One thread by itself: from one instruction that others can notice to the next.

use crate::domain::{Anything, COMPUTES, Word};
use crate::world::{HANDLE, REPLICA, World};
use ir::{FunctionId, LocalId, Op, TagSet};
use rustc_hash::FxHashSet;
use source::Span;
use std::hash::{DefaultHasher, Hash, Hasher};
use stepper::{Action, At, Domain, Halt, Progress, Status, Stepper, Thread, Value};

/// How many instructions a thread may execute that nobody can notice.
const LENGTH: u32 = 1_000_000;

/// After this many jumps back a thread may run in circles.
const PATIENCE: u32 = 100;

/// The state of a thread, but for its buffer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Local {
    pub thread: Thread<Anything>,
    /// Where it was started, if it has a number of its own and another thread started it.
    pub started: Option<At>,
    /// Whether it has jumped back since its last step that others could notice.
    pub jumped: bool,
}

impl Local {
    /// A thread that begins.
    pub fn start(world: &World<'_>, number: usize, body: FunctionId, args: &[u64], started: Option<At>) -> Self {
        Local { thread: Thread::start(world.memory.program, number, body, args), started, jumped: false }
    }
}

/// What a thread is about to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pending {
    /// Read a cell. The input is the value.
    Load { cell: u32, drains: bool },
    /// Write a cell.
    Store { cell: u32, value: u64, drains: bool },
    /// Read a cell and perhaps write it. The input is the value that is read.
    Rmw { cell: u32 },
    /// Pass a fence.
    Fence { drains: bool, orders: bool, waits: bool },
    /// Begin an atomic section.
    Begin,
    /// End it.
    End,
    /// Go on with one of these values as the input.
    Choose(Box<[u64]>),
    /// Start a thread. The input is its handle.
    Spawn { function: FunctionId, args: Vec<u64>, at: At },
    /// Wait for the thread with this handle. The input is its result.
    Join { handle: u64 },
    /// Enter or leave a critical section, or end inside one.
    Critical,
    /// Other threads may exist from here on.
    Publish,
    /// Nothing any more.
    Nothing,
    /// Be wrong.
    Fail,
}

impl Pending {
    /// Whether others can neither notice nor prevent it, mostly: it belongs to the step before, then. But a thread that does
    /// only such things in a loop must come to the end of a step.
    pub fn is_hidden(&self) -> bool {
        match self {
            Pending::Store { drains, .. } => !drains,
            Pending::Fence { .. }
            | Pending::End
            | Pending::Choose(_)
            | Pending::Spawn { .. }
            | Pending::Join { .. } => true,
            Pending::Load { .. } | Pending::Rmw { .. } | Pending::Begin | Pending::Critical | Pending::Publish => false,
            Pending::Nothing | Pending::Fail => false,
        }
    }
}

/// A thread that is being executed.
pub struct Runner<'w, 'p> {
    pub world: &'w mut World<'p>,
    pub local: Local,
}

impl<'p> Runner<'_, 'p> {
    fn stepper(&mut self) -> Stepper<'_, 'p, World<'p>> {
        Stepper::new(self.world, &mut self.local.thread)
    }

    /// Where the thread stands for the reader, and the tags of what comes next.
    pub fn shown(&self) -> (Span, TagSet, TagSet) {
        let thread = &self.local.thread;
        let Some(instr) = thread.instr(self.world.memory.program) else { return Default::default() };
        let (tags, more) = match &instr.op {
            Op::Load { tags, .. } | Op::Store { tags, .. } | Op::Fence { tags } => (tags.clone(), TagSet::default()),
            Op::Rmw { read_tags, write_tags, .. } => (read_tags.clone(), write_tags.clone()),
            Op::Assign { .. } | Op::StoreConditional { .. } | Op::Assume { .. } | Op::System(_) => Default::default(),
        };
        (thread.shown(instr.span), tags, more)
    }

    pub fn limit<T>(&self, what: &str) -> Result<T, Halt> {
        let program = self.world.memory.program;
        let span = self.local.thread.instr(program).map_or(Span::default(), |instr| instr.span);
        let place = program.source.place(self.local.thread.shown(span));
        Err(Halt::Limit(format!("{place}: {what}")))
    }

    /// Does what is pending, with what the others contribute. Gives what is to be written, for a read-modify-write.
    pub fn resume(&mut self, input: u64) -> Result<Option<u64>, Halt> {
        self.local.jumped = false;
        if let Some(local) = self.undecided() {
            self.settle_choice(local, input);
            return Ok(None);
        }
        let next = self.local.thread.instr(self.world.memory.program).map(|instr| &instr.op);
        if input == HANDLE && self.world.has_replicas() && matches!(next, Some(Op::Rmw { .. })) {
            return self.limit(COMPUTES);
        }
        let Some(written) = self.stepper().resume(Value::Known(input))? else { return Ok(None) };
        let written = self.chosen(written)?;
        self.refuse_escape(written)?;
        Ok(Some(written))
    }

    /// A local that could be anything takes a value.
    fn settle_choice(&mut self, local: LocalId, value: u64) {
        self.stepper().assign(local, Value::Known(value));
        let (thread, depth) = (self.local.thread.number, self.local.thread.frames.len());
        if let Some(record) = &mut self.world.record {
            record.settle(thread, (depth, local), value);
        }
    }

    /// Values that stand for all that the pending read can give.
    pub fn any(&self) -> Option<Vec<u64>> {
        let program = self.world.memory.program;
        match &self.local.thread.instr(program)?.op {
            Op::Load { dst, .. } => ir::domain::values(self.local.thread.scope(program).function, *dst),
            Op::Assign { .. }
            | Op::Store { .. }
            | Op::Rmw { .. }
            | Op::StoreConditional { .. }
            | Op::Fence { .. }
            | Op::Assume { .. }
            | Op::System(_) => None,
        }
    }

    /// Runs the thread up to what others can notice.
    pub fn run(&mut self) -> Result<Pending, Halt> {
        let mut jumps = 0;
        let mut seen = FxHashSet::default();
        for _ in 0..LENGTH {
            match &self.local.thread.status {
                Status::Runs => {}
                Status::Ended(_) | Status::Stopped => return Ok(Pending::Nothing),
                Status::Failed(..) => return Ok(Pending::Fail),
            }
            if self.world.has_replicas() && self.leaves_out()? {
                self.local.thread.frame().index += 1;
                continue;
            }
            if let Some(local) = self.undecided() {
                return self.choices(local);
            }
            match self.stepper().step()? {
                Progress::On => self.check_result()?,
                Progress::Back => {
                    self.local.jumped = true;
                    jumps += 1;
                    // A thread that comes to the same state again never does anything that others can notice.
                    if jumps > PATIENCE && !seen.insert(self.fingerprint()) {
                        self.local.thread.status = Status::Stopped;
                    }
                }
                // What happens inside an atomic section is seen at its end.
                Progress::Before(Action::Critical) if self.local.thread.atomic > 0 => {
                    self.stepper().resume(Value::Known(0))?;
                }
                Progress::Before(action) => return self.pending(&action),
            }
        }
        self.limit("a thread runs on without an end")
    }

    /// What a thread returns must be known to others.
    fn check_result(&mut self) -> Result<(), Halt> {
        let Status::Ended(Value::Known(word)) = &mut self.local.thread.status else { return Ok(()) };
        // Nobody can wait for a replica.
        if self.local.thread.number == REPLICA {
            *word = 0;
        }
        let word = *word;
        self.refuse_escape(word)
    }

    /// The values from which a local must be chosen before the thread can go on.
    fn choices(&self, local: LocalId) -> Result<Pending, Halt> {
        let function = self.local.thread.scope(self.world.memory.program).function;
        match ir::domain::values(function, local) {
            Some(values) => Ok(Pending::Choose(values.into())),
            None => {
                let name = &function.locals[local.index()].name;
                self.limit(&format!("too many values are possible for `{name}`"))
            }
        }
    }

    /// An action in terms of buffers.
    fn pending(&mut self, action: &Action<'p, Word>) -> Result<Pending, Halt> {
        let frame = self.local.thread.frame();
        let at = (frame.function, frame.block, frame.index);
        Ok(match *action {
            Action::Load { cell, tags } => Pending::Load { cell, drains: self.world.drains(tags) },
            Action::Store { cell, value, tags } => {
                let value = self.chosen(value)?;
                self.refuse_escape(value)?;
                let drains = self.world.drains(tags) || self.world.drains_after(at);
                Pending::Store { cell, value, drains }
            }
            Action::Rmw { cell, tags } => {
                if self.local.thread.atomic == 0 && !tags.iter().any(|tags| self.world.drains(tags)) {
                    return self.limit("a read-modify-write that is no locked instruction");
                }
                Pending::Rmw { cell }
            }
            Action::Fence { tags } => {
                let (drains, orders) = (self.world.drains(tags), self.world.orders(tags));
                Pending::Fence { drains, orders, waits: self.world.waits(tags) }
            }
            Action::Begin => Pending::Begin,
            Action::End => Pending::End,
            Action::Spawn { function, args } => {
                let args = self.stepper().arguments(args)?;
                for &arg in &args {
                    self.refuse_escape(arg)?;
                }
                Pending::Spawn { function, args, at }
            }
            Action::Join { handle } => Pending::Join { handle },
            Action::Critical => Pending::Critical,
            Action::Publish => Pending::Publish,
        })
    }

    /// What goes to memory, or to another thread: it was chosen before.
    fn chosen(&self, word: Word) -> Result<u64, Halt> {
        self.world.bits(&word, ir::Width::WORD)
    }

    /// Others must not learn about a private object.
    fn refuse_escape(&mut self, word: u64) -> Result<(), Halt> {
        let Some(address) = ir::Address::from_bits(word) else { return Ok(()) };
        let found = self.local.thread.heap.iter().find(|(number, _)| *number == address.object.0);
        match found.map(|(_, object)| object.site) {
            Some(site) => Err(self.world.escape(site)),
            None => Ok(()),
        }
    }

    /// A number for the state, whatever numbers its private objects have.
    fn fingerprint(&mut self) -> u64 {
        self.local.thread.forget_dead(&mut self.world.liveness, |_| {});
        let mut hasher = DefaultHasher::new();
        self.world.memory.fingerprint().hash(&mut hasher);
        if self.world.record.is_none() {
            self.local.thread.tidy_heap();
            self.local.hash(&mut hasher);
        } else {
            // A path that is shown keeps its objects.
            let mut tidy = self.local.clone();
            tidy.thread.tidy_heap();
            tidy.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Puts the state into the form in which states are compared.
    pub fn settle(&mut self, pending: &Pending) {
        self.local.jumped &= pending.is_hidden();
        self.local.thread.forget_dead(&mut self.world.liveness, |_| {});
        if self.world.record.is_none() {
            self.local.thread.tidy_heap();
        }
    }
}
