//! What others can notice or prevent: the steps of an edge, and where an edge ends.

use super::path::{ADDRESS, Fork, Path};
use super::{Automata, Item, Shown, Step, Way};
use crate::linear::{Form, Var};
use ir::{Expr, FunctionId, Op, TagSet};
use model::Buffers;
use source::Span;
use stepper::{Action, Halt, Progress, Status, Stepper};

impl<'p> Automata<'p> {
    /// One instruction, or the end of a block, in all its cases. Further ways to go on are added to `more`.
    pub(super) fn advance(&mut self, item: &mut Item, more: &mut Vec<Item>) -> Result<(), Halt> {
        let before = item.clone();
        let mut fork = Fork::default();
        self.one(item, &mut fork)?;
        while let Some(taken) = fork.open.pop() {
            fork = Fork::taking(taken, fork.open);
            let mut other = before.clone();
            self.one(&mut other, &mut fork)?;
            more.push(other);
        }
        Ok(())
    }

    /// One instruction, or the end of a block, in one case.
    fn one(&mut self, item: &mut Item, fork: &mut Fork) -> Result<(), Halt> {
        self.refuse_unlocked(item)?;
        let mut path = Path { automata: self, steps: &mut item.steps, fork, early: item.node.early };
        match Stepper::new(&mut path, &mut item.node.thread).step()? {
            Progress::On => {}
            Progress::Back if item.seen.contains(&item.node) => item.done = true,
            Progress::Back => item.seen.push(item.node.clone()),
            Progress::Before(action) => self.perform(item, fork, action)?,
        }
        Ok(())
    }

    fn stepping<T>(
        &mut self,
        item: &mut Item,
        fork: &mut Fork,
        then: impl FnOnce(&mut Stepper<'_, 'p, Path<'_, 'p>>) -> T,
    ) -> T {
        let mut path = Path { automata: self, steps: &mut item.steps, fork, early: item.node.early };
        then(&mut Stepper::new(&mut path, &mut item.node.thread))
    }

    fn resume(&mut self, item: &mut Item, fork: &mut Fork, input: Form) -> Result<Option<Form>, Halt> {
        self.stepping(item, fork, |stepper| stepper.resume(input))
    }

    fn limit<T>(&self, item: &Item, what: &str) -> Result<T, Halt> {
        let thread = &item.node.thread;
        let span = thread.instr(self.program).map_or(Span::default(), |instr| instr.span);
        thread.scope(self.program).limit(span, what)
    }

    fn refuse_unlocked(&self, item: &Item) -> Result<(), Halt> {
        let thread = &item.node.thread;
        let Some(Op::Rmw { read_tags, write_tags, .. }) = thread.instr(self.program).map(|instr| &instr.op) else {
            return Ok(());
        };
        let locked = self.drains(read_tags) || self.drains(write_tags) || self.buffers == Buffers::None;
        if locked || self.memory.alone || item.node.early || thread.atomic > 0 {
            return Ok(());
        }
        self.limit(item, "a read-modify-write that is no locked instruction")
    }

    fn perform(&mut self, item: &mut Item, fork: &mut Fork, action: Action<'p, Form>) -> Result<(), Halt> {
        let early = item.node.early;
        match action {
            Action::Load { cell, tags } => return self.load(item, fork, cell, tags),
            Action::Store { cell, value, tags } => return self.store(item, fork, (cell, value), tags),
            Action::Rmw { cell, tags } => return self.read_modify_write(item, fork, cell, tags),
            // While there cannot be others, nobody sees these.
            Action::Fence { .. } | Action::Begin | Action::End if early => {}
            Action::Fence { tags } => {
                let drains = self.drains(tags) && self.buffers != Buffers::None;
                if drains && !item.visible() {
                    return Ok(());
                }
                let shown = self.shown(item, tags);
                item.steps.push(Step::Fence { drains, orders: self.orders(tags), shown });
            }
            Action::Begin if !item.visible() => return Ok(()),
            Action::Begin => item.steps.push(Step::Begin),
            Action::End => {
                let Shown { span, .. } = self.shown(item, &TagSet::default());
                item.steps.push(Step::End(span));
            }
            Action::Spawn { function, args } => return self.spawn(item, fork, function, args),
            Action::Join { handle } => return self.join(item, fork, handle),
            Action::Critical if !item.visible() => return Ok(()),
            Action::Critical => {
                // Others can see it there, whatever comes next; but not that it is about to end.
                let ends = item.node.thread.instr(self.program).is_none();
                item.done = !ends && item.node.thread.atomic == 0;
            }
            Action::Publish if !self.memory.alone && !early => return self.limit(item, "memory is published twice"),
            Action::Publish => {
                self.memory.alone = false;
                item.node.early = false;
            }
        }
        self.resume(item, fork, Form::constant(0)).map(drop)
    }

    /// Whether an access reaches memory at once, when the buffer is empty.
    fn direct(&self, item: &Item, tags: &TagSet) -> bool {
        item.node.early || item.node.thread.atomic > 0 || self.buffers == Buffers::None || self.drains(tags)
    }

    fn way(&self, item: &Item, tags: &TagSet) -> Way {
        if self.direct(item, tags) { Way::Direct } else { Way::Buffer }
    }

    /// The variable that takes what a thread is about to get.
    fn destination(&mut self, item: &mut Item, fork: &mut Fork) -> Option<Var> {
        let local = self.stepping(item, fork, |stepper| stepper.destination())?;
        let holder = item.node.thread.scope(self.program).holder(local);
        Some(self.var(holder))
    }

    fn load(&mut self, item: &mut Item, fork: &mut Fork, cell: u32, tags: &TagSet) -> Result<(), Halt> {
        // What nobody writes any more is the same at all times.
        let waits = self.buffers != Buffers::None && self.direct(item, tags);
        let settled = !item.node.early && !waits && !self.knowledge.written.contains(&cell);
        if !(if settled { item.quiet() } else { item.visible() }) {
            return Ok(());
        }
        let way = self.way(item, tags);
        self.read(item, fork, cell, way, tags).map(drop)
    }

    /// The thread reads a cell and goes on.
    fn read(
        &mut self,
        item: &mut Item,
        fork: &mut Fork,
        cell: u32,
        way: Way,
        tags: &TagSet,
    ) -> Result<Option<Form>, Halt> {
        let shown = self.event(item, tags);
        let Some(var) = self.destination(item, fork) else { return self.limit(item, "internal: nobody reads") };
        item.steps.push(Step::Load { cell, var, way, shown });
        self.resume(item, fork, Form::var(var))
    }

    fn store(
        &mut self,
        item: &mut Item,
        fork: &mut Fork,
        (cell, form): (u32, Form),
        tags: &TagSet,
    ) -> Result<(), Halt> {
        let way = self.way(item, tags);
        if way == Way::Direct && !item.visible() {
            return Ok(());
        }
        self.refuse_address(item, &form)?;
        // What comes next may have to wait until the write has reached memory.
        item.may = false;
        let shown = self.event(item, tags);
        item.steps.push(Step::Store { cell, form, way, shown });
        self.resume(item, fork, Form::constant(0)).map(drop)
    }

    fn read_modify_write(
        &mut self,
        item: &mut Item,
        fork: &mut Fork,
        cell: u32,
        [read_tags, write_tags]: [&TagSet; 2],
    ) -> Result<(), Halt> {
        if !item.visible() {
            return Ok(());
        }
        let shown = self.event(item, write_tags);
        if let Some(form) = self.read(item, fork, cell, Way::Direct, read_tags)? {
            self.refuse_address(item, &form)?;
            item.steps.push(Step::Store { cell, form, way: Way::Direct, shown });
        }
        Ok(())
    }

    fn refuse_address(&self, item: &Item, form: &Form) -> Result<(), Halt> {
        if self.is_address(form.constant as u64) { self.limit(item, ADDRESS) } else { Ok(()) }
    }

    fn spawn(&mut self, item: &mut Item, fork: &mut Fork, function: FunctionId, args: &[Expr]) -> Result<(), Halt> {
        let thread = &item.node.thread;
        if item.node.early || thread.number != 0 || thread.atomic > 0 {
            return self.limit(item, "a thread is started by another one than `main`");
        }
        if !item.visible() {
            return Ok(());
        }
        let args = self.stepping(item, fork, |stepper| stepper.arguments(args))?;
        item.node.spawned += 1;
        let number = item.node.spawned;
        let start = self.start(number, function, &args);
        let start = self.intern(start)?;
        item.steps.push(Step::Spawn(number, start));
        self.resume(item, fork, Form::constant(number as i64 + 1)).map(drop)
    }

    fn join(&mut self, item: &mut Item, fork: &mut Fork, handle: u64) -> Result<(), Halt> {
        let other = usize::try_from(handle).ok().and_then(|handle| handle.checked_sub(1));
        let Some(other) = other.filter(|other| *other != item.node.thread.number && !item.node.early) else {
            self.stepping(item, fork, |stepper| stepper.stop(Status::Stopped));
            return Ok(());
        };
        if !item.visible() {
            return Ok(());
        }
        let var = self.destination(item, fork);
        item.steps.push(Step::Join(other, var));
        self.resume(item, fork, var.map_or(Form::constant(0), Form::var)).map(drop)
    }

    /// How an access is shown, if it is an event.
    fn event(&self, item: &Item, tags: &TagSet) -> Option<Shown> {
        (!item.node.early).then(|| self.shown(item, tags))
    }

    fn shown(&self, item: &Item, tags: &TagSet) -> Shown {
        let thread = &item.node.thread;
        let span = thread.instr(self.program).map_or(Span::default(), |instr| instr.span);
        Shown { span: thread.shown(span), tags: tags.clone() }
    }
}
