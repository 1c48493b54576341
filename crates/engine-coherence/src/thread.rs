//! One thread by itself: from one instruction that others can notice to the next.

use crate::local::{Frame, Local, Object, PRIVATE, Slot, Status, Target, private};
use crate::world::{At, CROWD, HANDLE, Halt, OBJECTS, World};
use engine::Property;
use ir::{
    Address, Expr, FunctionId, Instr, LocalId, ObjectId, Op, System, TagSet, Terminator, UnaryOp, Usage, Width, eval,
    truncate,
};
use model::Buffers;
use rustc_hash::FxHashSet;
use source::Span;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How many instructions a thread may execute that nobody can notice.
const LENGTH: u32 = 1_000_000;

/// How deep calls may be.
const DEPTH: usize = 200;

/// After this many jumps back a thread may run in circles.
const PATIENCE: u32 = 100;

/// What cannot be done with the handles of crowds.
const COMPUTES: &str = "the handle of one of any number of threads is compared or computed with";

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
    /// While there is only one thread: all objects.
    pub alone: Option<Vec<Object>>,
}

impl<'p> Runner<'_, 'p> {
    /// The state of a thread that begins.
    pub fn start(world: &World<'_>, thread: usize, body: FunctionId, args: &[u64]) -> Local {
        let function = &world.program.functions[body.index()];
        let mut locals = vec![0; function.locals.len()];
        for (at, &arg) in args.iter().enumerate() {
            locals[at] = truncate(arg, function.locals[at].width);
        }
        let frame = Frame { function: body, block: 0, index: 0, locals, dst: None, place: None, open: Vec::new() };
        Local {
            thread,
            body,
            started: None,
            frames: vec![frame],
            status: Status::Runs,
            open: 0,
            inside: None,
            jumped: false,
            heap: Vec::new(),
            own: Vec::new(),
            made: Vec::new(),
        }
    }

    fn function(&self) -> &'p ir::Function {
        let frame = self.local.frames.last().expect("a thread that runs has a frame");
        &self.world.program.functions[frame.function.index()]
    }

    /// The instruction that comes next, unless it is the end of a block.
    fn instr(&self) -> Option<&'p Instr> {
        let frame = self.local.frames.last()?;
        self.function().blocks[frame.block as usize].instrs.get(frame.index as usize)
    }

    /// Where it stands for the reader, and its tags.
    pub fn shown(&self) -> (Span, TagSet, TagSet) {
        let Some(instr) = self.instr() else { return Default::default() };
        let place = self.local.frames.last().and_then(|frame| frame.place);
        let (tags, more) = match &instr.op {
            Op::Load { tags, .. } | Op::Store { tags, .. } | Op::Fence { tags } => (tags.clone(), TagSet::default()),
            Op::Rmw { read_tags, write_tags, .. } => (read_tags.clone(), write_tags.clone()),
            Op::Assign { .. } | Op::StoreConditional { .. } | Op::Assume { .. } | Op::System(_) => Default::default(),
        };
        (place.unwrap_or(instr.span), tags, more)
    }

    fn value(&self, expr: &Expr) -> (u64, Width) {
        let frame = self.local.frames.last().expect("a thread that runs has a frame");
        eval(expr, self.function(), &frame.locals)
    }

    fn width(&self, local: LocalId) -> Width {
        self.function().locals[local.index()].width
    }

    fn assign(&mut self, local: LocalId, value: u64) {
        let width = self.width(local);
        let frame = self.local.frame();
        frame.locals[local.index()] = truncate(value, width);
        frame.open.retain(|open| *open != local);
    }

    /// The local that must be chosen before the thread can go on.
    fn undecided(&self) -> Option<LocalId> {
        let frame = self.local.frames.last()?;
        if frame.open.is_empty() {
            return None;
        }
        let function = self.function();
        let block = &function.blocks[frame.block as usize];
        let looked = |local: &LocalId| ir::liveness::looks_at(function, block, self.instr(), *local);
        let found = frame.open.iter().copied().find(looked)?;
        if self.world.has_crowds() && self.hands_on() { None } else { Some(found) }
    }

    /// Whether what comes next only hands on what can be anything. Then the copy can be anything, too: that is more than can
    /// happen, and nobody follows a path of a crowd.
    fn hands_on(&self) -> bool {
        let Some(frame) = self.local.frames.last() else { return false };
        let whole = |expr: &Expr| {
            let mut open = false;
            expr.for_each_local(&mut |local| open |= frame.open.contains(&local));
            !open || self.is_open(expr)
        };
        match self.instr().map(|instr| &instr.op) {
            Some(Op::Assign { dst: _, value }) => whole(value),
            Some(Op::System(System::Call { args, .. })) => args.iter().all(whole),
            Some(
                Op::Load { .. }
                | Op::Store { .. }
                | Op::Rmw { .. }
                | Op::StoreConditional { .. }
                | Op::Fence { .. }
                | Op::Assume { .. }
                | Op::System(_),
            ) => false,
            None => match &self.function().blocks[frame.block as usize].terminator {
                Terminator::Return(Some(value)) => self.local.frames.len() > 1 && whole(value),
                Terminator::Goto(_)
                | Terminator::Branch { .. }
                | Terminator::Return(None)
                | Terminator::Exit(_)
                | Terminator::Cut { .. } => false,
            },
        }
    }

    /// Whether an expression is a local that can be anything, perhaps of another width.
    fn is_open(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Local(local) => self.local.frames.last().is_some_and(|frame| frame.open.contains(local)),
            Expr::Unary(UnaryOp::ZeroExtend(_) | UnaryOp::SignExtend(_) | UnaryOp::Truncate(_), operand) => {
                self.is_open(operand)
            }
            Expr::Const(..) | Expr::Address(..) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => false,
        }
    }

    /// From here on a local can be anything.
    fn open(&mut self, local: LocalId) {
        self.assign(local, 0);
        let frame = self.local.frame();
        let at = frame.open.partition_point(|open| *open < local);
        frame.open.insert(at, local);
    }

    fn limit<T>(&self, what: &str) -> Result<T, Halt> {
        let span = self.instr().map_or(Span::default(), |instr| instr.span);
        let place = self.local.frames.last().and_then(|frame| frame.place).unwrap_or(span);
        Err(Halt::Limit(format!("line {}: {what}", self.world.program.source.line(place))))
    }

    /// Does what is pending, with what the others contribute. Gives what is to be written, for a read-modify-write.
    pub fn resume(&mut self, input: u64) -> Result<Option<u64>, Halt> {
        self.local.jumped = false;
        if let Some(local) = self.undecided() {
            self.assign(local, input);
            let (thread, depth) = (self.local.thread, self.local.frames.len());
            if let Some(record) = &mut self.world.record {
                record.settle(thread, (depth, local), input);
            }
            return Ok(None);
        }
        let Some(instr) = self.instr() else {
            self.local.inside = None;
            return Ok(None);
        };
        let mut written = None;
        match &instr.op {
            Op::Load { dst, .. } => self.assign(*dst, input),
            Op::Rmw { dst, when, value, .. } => {
                self.assign(*dst, input);
                if input == HANDLE && self.world.has_crowds() {
                    return self.limit(COMPUTES);
                }
                if when.as_ref().is_none_or(|when| self.value(when).0 != 0) {
                    let (value, width) = self.value(value);
                    self.refuse_escape(value)?;
                    written = Some(truncate(value, width));
                }
            }
            Op::System(System::Spawn { dst, .. }) => self.assign(*dst, input),
            Op::System(System::Join { result, .. }) => {
                if let Some(dst) = result {
                    self.assign(*dst, input);
                }
            }
            Op::System(System::Critical { enter }) => self.cross(*enter, instr.span),
            Op::System(System::AtomicBegin) => self.local.open += 1,
            Op::System(System::AtomicEnd) => self.local.open = self.local.open.saturating_sub(1),
            Op::Store { .. } | Op::Fence { .. } | Op::System(System::Publish) => {}
            Op::Assign { .. } | Op::StoreConditional { .. } | Op::Assume { .. } | Op::System(_) => {
                return self.limit("internal: a thread stopped where nobody can notice it");
            }
        }
        self.local.frame().index += 1;
        Ok(written)
    }

    /// Values that stand for all that the pending read can give.
    pub fn any(&self) -> Option<Vec<u64>> {
        match &self.instr()?.op {
            Op::Load { dst, .. } => ir::domain::values(self.function(), *dst),
            Op::Assign { .. }
            | Op::Store { .. }
            | Op::Rmw { .. }
            | Op::StoreConditional { .. }
            | Op::Fence { .. }
            | Op::Assume { .. }
            | Op::System(_) => None,
        }
    }

    /// What a path needs to be told again.
    fn choose(&mut self, value: u64) {
        let thread = self.local.thread;
        if let Some(record) = &mut self.world.record {
            record.choose(thread, value);
        }
    }

    /// Runs the thread up to what others can notice.
    pub fn run(&mut self) -> Result<Pending, Halt> {
        let mut jumps = 0;
        let mut seen = FxHashSet::default();
        for _ in 0..LENGTH {
            match &self.local.status {
                Status::Runs => {}
                Status::Ended(_) | Status::Stopped => return Ok(Pending::Nothing),
                Status::Failed(..) => return Ok(Pending::Fail),
            }
            if self.world.has_crowds() {
                if self.computes_with_handles() {
                    return self.limit(COMPUTES);
                }
                if self.leaves_out()? {
                    self.local.frame().index += 1;
                    continue;
                }
            }
            if let Some(local) = self.undecided() {
                let function = self.function();
                let Some(values) = ir::domain::values(function, local) else {
                    let name = &function.locals[local.index()].name;
                    return self.limit(&format!("too many values are possible for `{name}`"));
                };
                return Ok(Pending::Choose(values.into()));
            }
            let Some(instr) = self.instr() else {
                if self.ends_inside() {
                    return Ok(Pending::Critical);
                }
                if self.leave()? {
                    jumps += 1;
                    // A thread that comes to the same state again never does anything that others can notice.
                    if jumps > PATIENCE && !seen.insert(self.fingerprint()) {
                        self.local.status = Status::Stopped;
                    }
                }
                continue;
            };
            if let Some(pending) = self.execute(instr)? {
                return Ok(pending);
            }
        }
        self.limit("a thread runs on without an end")
    }

    /// Enters or leaves a critical section.
    fn cross(&mut self, enter: bool, span: Span) {
        let place = self.local.frames.last().and_then(|frame| frame.place).unwrap_or(span);
        self.local.inside = enter.then_some(place);
    }

    /// Whether the thread is about to end, inside a critical section.
    fn ends_inside(&self) -> bool {
        let Some(frame) = self.local.frames.last().filter(|_| self.local.inside.is_some()) else { return false };
        match &self.function().blocks[frame.block as usize].terminator {
            Terminator::Return(_) => self.local.frames.len() == 1,
            Terminator::Exit(_) => true,
            Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::Cut { .. } => false,
        }
    }

    /// A number for the state, whatever numbers its private objects have.
    fn fingerprint(&mut self) -> u64 {
        self.forget();
        let mut hasher = DefaultHasher::new();
        if self.world.record.is_none() {
            self.local.tidy();
            self.local.hash(&mut hasher);
        } else {
            // A path that is shown keeps its objects.
            let mut tidy = self.local.clone();
            tidy.tidy();
            tidy.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Puts the state into the form in which states are compared.
    pub fn settle(&mut self, pending: &Pending) {
        self.local.jumped &= pending.is_hidden();
        self.forget();
        if self.world.record.is_none() {
            self.local.tidy();
        }
    }

    /// Forgets what nobody will look at again.
    fn forget(&mut self) {
        let mut returns = None;
        for frame in self.local.frames.iter_mut().rev() {
            let live = self.world.liveness.before(frame.function, frame.block, frame.index);
            for (at, value) in frame.locals.iter_mut().enumerate() {
                // What a call gives back is not there yet.
                if !live[at] || returns == Some(LocalId(at as u32)) {
                    *value = 0;
                    frame.open.retain(|open| open.index() != at);
                }
            }
            returns = frame.dst;
        }
    }

    fn stop(&mut self, status: Status) {
        if !matches!(status, Status::Failed(..)) {
            self.local.frames.clear();
        }
        self.local.status = status;
    }

    fn fail(&mut self, span: Span, message: &str) {
        let place = self.local.frames.last().and_then(|frame| frame.place).unwrap_or(span);
        self.stop(Status::Failed(place, message.to_owned()));
    }

    /// Goes on behind a block. Says whether that was a jump back.
    fn leave(&mut self) -> Result<bool, Halt> {
        let function = self.function();
        let from = self.local.frame().block;
        let to = match &function.blocks[from as usize].terminator {
            Terminator::Goto(to) => *to,
            Terminator::Branch { condition, then, otherwise, join: _, span: _ } => {
                if self.value(condition).0 != 0 {
                    *then
                } else {
                    *otherwise
                }
            }
            Terminator::Return(result) => {
                let value = result.as_ref().map_or(0, |result| self.value(result).0);
                if self.local.frames.len() == 1 {
                    return self.end(value).map(|()| false);
                }
                let open = result.as_ref().is_some_and(|result| self.is_open(result));
                match self.local.frames.pop().and_then(|frame| frame.dst) {
                    Some(dst) if open => self.open(dst),
                    Some(dst) => self.assign(dst, value),
                    None => {}
                }
                return Ok(false);
            }
            Terminator::Exit(result) => {
                let value = result.as_ref().map_or(0, |result| self.value(result).0);
                return self.end(value).map(|()| false);
            }
            Terminator::Cut { .. } => return self.limit("a loop was cut before"),
        };
        let frame = self.local.frame();
        (frame.block, frame.index) = (to.0, 0);
        // Any jump to an earlier or the same block counts: each cycle has one.
        let back = to.0 <= from;
        self.local.jumped |= back;
        Ok(back)
    }

    fn end(&mut self, value: u64) -> Result<(), Halt> {
        if self.local.open > 0 {
            return self.limit("a thread ends inside an atomic section");
        }
        // Nobody can wait for a thread of a crowd.
        let value = if self.local.thread == CROWD { 0 } else { value };
        self.refuse_escape(value)?;
        self.stop(Status::Ended(value));
        Ok(())
    }

    /// Whether what comes next does more with the handle of a crowd's thread than to hand it on.
    fn computes_with_handles(&self) -> bool {
        let Some(frame) = self.local.frames.last().filter(|frame| frame.locals.contains(&HANDLE)) else { return false };
        let holds = |local: LocalId| frame.locals[local.index()] == HANDLE;
        match self.instr() {
            Some(instr) => expressions(&instr.op).into_iter().any(|expr| computes(expr, &holds)),
            None => match &self.function().blocks[frame.block as usize].terminator {
                Terminator::Branch { condition: looked, .. }
                | Terminator::Return(Some(looked))
                | Terminator::Exit(Some(looked)) => computes(looked, &holds),
                Terminator::Goto(_) | Terminator::Return(None) | Terminator::Exit(None) | Terminator::Cut { .. } => {
                    false
                }
            },
        }
    }

    /// Whether what comes next is a write that nobody reads and that orders nothing: it need not be done.
    fn leaves_out(&mut self) -> Result<bool, Halt> {
        let Some(Op::Store { addr, value, tags }) = self.instr().map(|instr| &instr.op) else { return Ok(false) };
        let orders = self.world.buffers != Buffers::None && self.world.drains(tags);
        if orders || self.alone.is_some() {
            return Ok(false);
        }
        let (mut open, frame) = (false, self.local.frame());
        addr.for_each_local(&mut |local| open |= frame.open.contains(&local));
        if open {
            return Ok(false);
        }
        let (width, word) = (self.value(value).1, self.value(addr).0);
        Ok(match self.find(word, width)? {
            Place::Cell(cell) => self.world.leaves_out(cell),
            Place::Private(..) | Place::Alone(..) | Place::Nowhere => false,
        })
    }

    /// Executes an instruction that nobody can notice, or says what comes that somebody can.
    fn execute(&mut self, instr: &'p Instr) -> Result<Option<Pending>, Halt> {
        let span = instr.span;
        match &instr.op {
            Op::Assign { dst, value } if self.is_open(value) => self.open(*dst),
            Op::Assign { dst, value } => {
                let value = self.value(value).0;
                self.assign(*dst, value);
            }
            Op::Load { dst, addr, tags, reserve: false } => {
                let (word, width) = (self.value(addr).0, self.width(*dst));
                match self.locate(word, width, span)? {
                    Place::Nowhere => return Ok(None),
                    Place::Private(object, slot) => {
                        let Some(value) = self.local.heap[object].1.cells[slot].value else {
                            return self.limit("memory is read that was never written");
                        };
                        self.assign(*dst, value);
                    }
                    Place::Alone(object, slot) => {
                        let known = self.alone.as_ref().and_then(|all| all[object].cells[slot].value);
                        let Some(value) = known else {
                            return self.limit("memory is read that was never written");
                        };
                        self.assign(*dst, value);
                    }
                    Place::Cell(cell) => match self.read_touch(cell, false)? {
                        Usage::Shared => return Ok(Some(Pending::Load { cell, drains: self.world.drains(tags) })),
                        Usage::Constant(_) | Usage::Private(_) => {
                            let value = self.own(cell)?;
                            self.assign(*dst, value);
                        }
                    },
                }
            }
            Op::Store { addr, value, tags } => {
                let ((value, width), word) = (self.value(value), self.value(addr).0);
                match self.locate(word, width, span)? {
                    Place::Nowhere => return Ok(None),
                    Place::Private(object, slot) => self.local.heap[object].1.cells[slot].value = Some(value),
                    Place::Alone(object, slot) => self.alone_write(object, slot, value),
                    Place::Cell(cell) => match self.world.touch(cell, self.local.thread, true)? {
                        Usage::Shared => {
                            self.refuse_escape(value)?;
                            let frame = self.local.frame();
                            let (function, block, index) = (frame.function, frame.block, frame.index);
                            let drains = self.world.drains(tags) || self.world.drains_after(function, block, index);
                            return Ok(Some(Pending::Store { cell, value, drains }));
                        }
                        Usage::Constant(_) | Usage::Private(_) => self.set_own(cell, value),
                    },
                }
            }
            Op::Rmw { dst, addr, when, value, read_tags, write_tags } => {
                let (word, width) = (self.value(addr).0, self.width(*dst));
                let place = self.locate(word, width, span)?;
                let read = match place {
                    Place::Nowhere => return Ok(None),
                    Place::Private(object, slot) => self.local.heap[object].1.cells[slot].value,
                    Place::Alone(object, slot) => self.alone.as_ref().and_then(|all| all[object].cells[slot].value),
                    Place::Cell(cell) => match self.read_touch(cell, true)? {
                        Usage::Shared => {
                            let world = &self.world;
                            if self.local.open == 0 && !world.drains(read_tags) && !world.drains(write_tags) {
                                return self.limit("a read-modify-write that is no locked instruction");
                            }
                            return Ok(Some(Pending::Rmw { cell }));
                        }
                        Usage::Constant(_) | Usage::Private(_) => Some(self.own(cell)?),
                    },
                };
                let Some(read) = read else { return self.limit("memory is read that was never written") };
                self.assign(*dst, read);
                if when.as_ref().is_none_or(|when| self.value(when).0 != 0) {
                    let value = truncate(self.value(value).0, width);
                    match place {
                        Place::Nowhere => {}
                        Place::Private(object, slot) => self.local.heap[object].1.cells[slot].value = Some(value),
                        Place::Alone(object, slot) => self.alone_write(object, slot, value),
                        Place::Cell(cell) => self.set_own(cell, value),
                    }
                }
            }
            Op::Load { reserve: true, .. } | Op::StoreConditional { .. } => {
                return self.limit("reservations do not go with threads that are started");
            }
            Op::Fence { tags } => {
                if self.alone.is_none() && self.local.open == 0 {
                    let (drains, orders) = (self.world.drains(tags), self.world.orders(tags));
                    return Ok(Some(Pending::Fence { drains, orders, waits: self.world.waits(tags) }));
                }
            }
            Op::Assume { condition, waits: _ } => {
                if self.value(condition).0 == 0 {
                    self.stop(Status::Stopped);
                    return Ok(None);
                }
            }
            Op::System(op) => return self.system(op, span),
        }
        self.local.frame().index += 1;
        Ok(None)
    }

    fn system(&mut self, op: &'p System, span: Span) -> Result<Option<Pending>, Halt> {
        match op {
            System::Call { dst, function, args } => {
                if self.local.frames.len() >= DEPTH {
                    return self.limit("calls are nested without an end");
                }
                let body = &self.world.program.functions[function.index()];
                let mut locals = vec![0; body.locals.len()];
                for (at, arg) in args.iter().enumerate() {
                    locals[at] = truncate(self.value(arg).0, body.locals[at].width);
                }
                let open = (0..args.len()).filter(|at| self.is_open(&args[*at])).map(|at| LocalId(at as u32)).collect();
                let frame = self.local.frame();
                frame.index += 1;
                let place = frame.place.or(Some(span).filter(|_| body.library));
                let frame = Frame { function: *function, block: 0, index: 0, locals, dst: *dst, place, open };
                self.local.frames.push(frame);
                return Ok(None);
            }
            System::Nondet { dst } => {
                // It is chosen when somebody wants to know.
                self.open(*dst);
                let (thread, depth) = (self.local.thread, self.local.frames.len());
                if let Some(record) = &mut self.world.record {
                    record.postpone(thread, (depth, *dst));
                }
            }
            System::Assert { condition, message } => {
                if self.value(condition).0 == 0 {
                    match self.world.property {
                        Property::Assertions { memory: _ } => self.fail(span, message),
                        Property::Deadlock => self.stop(Status::Stopped),
                    }
                    return Ok(None);
                }
            }
            System::Spawn { dst: _, function, args } => {
                if self.alone.is_some() {
                    return self.limit("a thread is started before memory is published");
                }
                let args: Vec<u64> = args.iter().map(|arg| self.value(arg).0).collect();
                for &arg in &args {
                    self.refuse_escape(arg)?;
                }
                let frame = self.local.frame();
                let at = (frame.function, frame.block, frame.index);
                return Ok(Some(Pending::Spawn { function: *function, args, at }));
            }
            System::Join { thread, result: _ } => {
                let handle = self.value(thread).0;
                if self.alone.is_some() {
                    self.stop(Status::Stopped);
                    return Ok(None);
                }
                return Ok(Some(Pending::Join { handle }));
            }
            System::Current { dst } => {
                if self.local.thread == CROWD {
                    return self.limit("one of any number of threads asks who it is");
                }
                let handle = self.local.thread as u64 + 1;
                self.assign(*dst, handle);
            }
            System::Alloc { dst, name: _, size, cells, zeroed } => {
                let size = self.value(size).0;
                let value = zeroed.then_some(0);
                let slot = |cell: &ir::Cell| Slot { offset: cell.offset, width: cell.width, value };
                let cells = cells.iter().flatten().map(slot).collect();
                let number = self.make(size, cells)?;
                self.choose(u64::from(number));
                self.assign(*dst, Address { object: ObjectId(number), offset: 0 }.to_bits());
            }
            System::AtomicBegin => {
                if self.alone.is_none() && self.local.open == 0 {
                    return Ok(Some(Pending::Begin));
                }
                self.local.open += 1;
            }
            System::AtomicEnd => {
                if self.alone.is_none() && self.local.open == 1 {
                    return Ok(Some(Pending::End));
                }
                if self.local.open == 0 {
                    return self.limit("an atomic section ends that never began");
                }
                self.local.open -= 1;
            }
            System::Critical { enter } => {
                if self.alone.is_none() && self.local.open == 0 {
                    return Ok(Some(Pending::Critical));
                }
                self.cross(*enter, span);
            }
            // Only who asks about deadlocks wants to know.
            System::Await => {}
            System::Publish => return Ok(Some(Pending::Publish)),
        }
        self.local.frame().index += 1;
        Ok(None)
    }

    /// Makes an object and gives its number.
    fn make(&mut self, size: u64, cells: Vec<Slot>) -> Result<u32, Halt> {
        let frame = self.local.frames.last().expect("a thread that runs has a frame");
        let site = self.world.site(frame.function, frame.block, frame.index);
        let object = Object { site, size, cells };
        if let Some(alone) = &mut self.alone {
            alone.push(object);
            return Ok(alone.len() as u32 - 1);
        }
        let shown = self.world.record.is_some().then(|| {
            self.world.shown.push(object.clone());
            (self.world.globals.len() + self.world.shown.len()) as u32 - 1
        });
        if !self.world.sites[site as usize].escapes {
            let free = (PRIVATE..).find(|number| self.local.heap.iter().all(|(own, _)| own != number));
            let number = shown.or(free).unwrap_or(PRIVATE);
            self.local.heap.push((number, object));
            return Ok(number);
        }
        let thread = self.local.thread;
        if thread == CROWD {
            return self.limit("one of any number of threads makes an object that others may know");
        }
        let at = self.local.made.iter().position(|(own, _)| *own == site).unwrap_or_else(|| {
            self.local.made.push((site, 0));
            self.local.made.len() - 1
        });
        let count = self.local.made[at].1;
        if count >= OBJECTS {
            return self.limit("objects are made without an end");
        }
        self.local.made[at].1 += 1;
        let first = self.world.globals.len() as u32;
        let number = shown.unwrap_or_else(|| {
            let same =
                |(object, by, number): &(Object, usize, u32)| object.site == site && *by == thread && *number == count;
            let known = self.world.made.iter().find(|(_, made)| same(made)).map(|(number, _)| *number);
            known.unwrap_or(first + self.world.made.len() as u32)
        });
        self.world.made.entry(number).or_insert((object, thread, count));
        Ok(number)
    }

    /// The thread reads a cell, and perhaps writes it: who uses it now?
    fn read_touch(&mut self, cell: u32, writes: bool) -> Result<Usage, Halt> {
        self.world.note_read(cell)?;
        self.world.touch(cell, self.local.thread, writes)
    }

    /// Others must not learn about a private object.
    fn refuse_escape(&mut self, value: u64) -> Result<(), Halt> {
        let Some(address) = Address::from_bits(value) else { return Ok(()) };
        let found = self.local.heap.iter().find(|(number, _)| *number == address.object.0);
        match found.map(|(_, object)| object.site) {
            Some(site) => Err(self.world.escape(site)),
            None => Ok(()),
        }
    }

    fn alone_write(&mut self, object: usize, slot: usize, value: u64) {
        if let Some(all) = &mut self.alone {
            all[object].cells[slot].value = Some(value);
        }
    }

    /// What a cell holds that no two threads use.
    fn own(&self, cell: u32) -> Result<u64, Halt> {
        match self.local.own(cell).or(self.world.cells[cell as usize].initial) {
            Some(value) => Ok(value),
            None => self.limit("memory is read that was never written"),
        }
    }

    fn set_own(&mut self, cell: u32, value: u64) {
        let initial = self.world.cells[cell as usize].initial;
        self.local.set_own(cell, value, initial);
    }

    /// The cell of an access. If there is none, the thread stops or the property fails.
    fn locate(&mut self, word: u64, width: Width, span: Span) -> Result<Place, Halt> {
        if word == HANDLE && self.world.has_crowds() {
            return self.limit(COMPUTES);
        }
        let found = self.find(word, width)?;
        if matches!(found, Place::Nowhere) {
            match self.world.property {
                Property::Assertions { memory: true } => self.fail(span, "an access to no location"),
                Property::Assertions { memory: false } | Property::Deadlock => self.stop(Status::Stopped),
            }
        }
        Ok(found)
    }

    fn find(&mut self, word: u64, width: Width) -> Result<Place, Halt> {
        let Some(address) = Address::from_bits(word) else { return Ok(Place::Nowhere) };
        let (number, offset) = (address.object, address.offset);
        let mixed = "a part of a location is accessed, or several locations at once";
        if let Some(all) = &mut self.alone {
            let Some(object) = all.get_mut(number.index()) else { return Ok(Place::Nowhere) };
            let site = &self.world.sites[object.site as usize];
            return match object.target(site, offset, width) {
                Target::Slot(slot) => Ok(Place::Alone(number.index(), slot)),
                Target::New(slot) => Ok(Place::Alone(number.index(), object.insert(slot))),
                Target::Nowhere => Ok(Place::Nowhere),
                Target::Mixed => self.limit(mixed),
            };
        }
        if let Some(at) = self.local.heap.iter().position(|(own, _)| *own == number.0) {
            let object = &mut self.local.heap[at].1;
            let site = &self.world.sites[object.site as usize];
            return match object.target(site, offset, width) {
                Target::Slot(slot) => Ok(Place::Private(at, slot)),
                Target::New(slot) => {
                    self.show(number, &slot);
                    let object = &mut self.local.heap[at].1;
                    Ok(Place::Private(at, object.insert(slot)))
                }
                Target::Nowhere => Ok(Place::Nowhere),
                Target::Mixed => self.limit(mixed),
            };
        }
        let Some(object) = self.world.object(number.0) else {
            // A private object of another thread cannot be known here.
            return if private(word).is_some() {
                self.limit("an address that nobody gave")
            } else {
                Ok(Place::Nowhere)
            };
        };
        let site = &self.world.sites[object.site as usize];
        let slot = match object.target(site, offset, width) {
            Target::Slot(slot) => object.cells[slot].clone(),
            Target::New(slot) => {
                self.show(number, &slot);
                self.world.grow(number, slot.clone());
                slot
            }
            Target::Nowhere => return Ok(Place::Nowhere),
            Target::Mixed => return self.limit(mixed),
        };
        Ok(Place::Cell(self.world.cell(address, &slot)))
    }

    /// A cell of an object that was made comes to be.
    fn show(&mut self, number: ObjectId, slot: &Slot) {
        if let Some(at) = number.index().checked_sub(self.world.globals.len())
            && let Some(object) = self.world.shown.get_mut(at)
        {
            object.insert(slot.clone());
        }
    }
}

/// The expressions of an instruction.
fn expressions(op: &Op) -> Vec<&Expr> {
    match op {
        Op::Assign { dst: _, value } => vec![value],
        Op::Load { addr, .. } => vec![addr],
        Op::Store { addr, value, tags: _ } | Op::StoreConditional { success: _, addr, value, tags: _, status: _ } => {
            vec![addr, value]
        }
        Op::Rmw { addr, when, value, .. } => when.iter().chain([addr, value]).collect(),
        Op::Fence { tags: _ } => Vec::new(),
        Op::Assume { condition, waits: _ } => vec![condition],
        Op::System(op) => match op {
            System::Call { args, .. } | System::Spawn { args, .. } => args.iter().collect(),
            System::Assert { condition, message: _ } => vec![condition],
            System::Join { thread, result: _ } => vec![thread],
            System::Alloc { size, .. } => vec![size],
            System::Nondet { .. }
            | System::Current { .. }
            | System::AtomicBegin
            | System::AtomicEnd
            | System::Critical { .. }
            | System::Await
            | System::Publish => Vec::new(),
        },
    }
}

/// Whether an expression is more than a copy of what it looks at, and looks at a local that holds a handle.
fn computes(expr: &Expr, holds: &impl Fn(LocalId) -> bool) -> bool {
    match expr {
        Expr::Const(..) | Expr::Address(..) | Expr::Local(_) => false,
        Expr::Unary(UnaryOp::ZeroExtend(_) | UnaryOp::SignExtend(_), operand) => computes(operand, holds),
        Expr::Unary(UnaryOp::Truncate(width), operand) if width.bits() >= 32 => computes(operand, holds),
        Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => {
            let mut found = false;
            expr.for_each_local(&mut |local| found |= holds(local));
            found
        }
    }
}

/// Where an access goes.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// To a private object and its slot, by their positions.
    Private(usize, usize),
    /// To an object and its slot, while there is only one thread.
    Alone(usize, usize),
    /// To a cell that others may know.
    Cell(u32),
    Nowhere,
}
