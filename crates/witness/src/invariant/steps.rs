//! What a thread can do from a place: an interpreter of instructions over linear terms.

use super::eval::{Case, Scope, number, range};
use super::form::{Form, Var};
use super::world::World;
use super::{Buffer, ControlPoint, Held, Quantity, Status};
use crate::flaw::Flaw;
use ir::{Address, BlockId, Expr, FunctionId, Instr, LocalId, Op, System, Terminator, Width, truncate};
use source::Span;
use std::collections::BTreeMap;

/// How many instructions the first thread may execute alone.
const ALONE: usize = 1_000_000;

/// How many instructions a step may have.
const LENGTH: usize = 200_000;

/// How many ways there may be to go on from a place.
const WAYS: usize = 2_048;

/// How deep calls may be.
const DEPTH: usize = 200;

/// What a local or an own cell holds on the way.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub form: Form<Var>,
    /// Whether it counts as a variable.
    pub variable: bool,
}

/// What counts when places are compared on the way; a variable has no value here.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shape {
    frames: Vec<(FunctionId, u32, u32, Vec<Option<i64>>)>,
    own: BTreeMap<Address, Option<i64>>,
    open: u32,
    inside: bool,
    started: usize,
    early: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub function: FunctionId,
    pub block: u32,
    pub index: u32,
    pub locals: Vec<Value>,
    pub dst: Option<LocalId>,
}

/// What has to be looked at on the way, in this order.
#[derive(Debug, Clone)]
pub(super) enum Check {
    /// Only if this is at most zero.
    Guard(Form<Var>),
    /// This has to be in the range of the width.
    Fits(Form<Var>, Width),
}

/// How a way ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    Runs,
    Ended(Form<Var>),
    Stopped,
    Failed(String),
    /// An atomic section that does not take place.
    Dropped,
}

/// A thread that is to be started.
#[derive(Debug, Clone)]
pub(super) struct Start {
    pub number: usize,
    pub function: FunctionId,
    pub args: Vec<i64>,
}

/// A way from a place.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub thread: usize,
    pub frames: Vec<Frame>,
    pub own: BTreeMap<Address, Value>,
    pub fate: Fate,
    pub open: u32,
    pub inside: bool,
    pub started: usize,
    /// Whether there cannot be other threads yet.
    pub early: bool,
    pub buffer: Buffer,
    /// The quantities of memory and of the buffer that change.
    pub written: BTreeMap<Quantity, Form<Var>>,
    pub checks: Vec<Check>,
    /// How many variables can be anything.
    pub fresh: u32,
    pub starts: Option<Start>,
    /// The thread that it waits for, and the variable that is what that one returns.
    pub joins: Option<(usize, u32)>,
    /// Whether it may still do something that others can notice or prevent.
    pub may: bool,
    /// How many accesses it has that others cannot notice.
    quiet: usize,
    done: bool,
    seen: Vec<Shape>,
}

pub(super) type Ways = Result<Vec<Way>, Flaw>;

impl Way {
    /// A thread at a place.
    pub fn from(place: &ControlPoint, buffer: &Buffer, world: &World<'_>) -> Way {
        let mut fresh = 0;
        let thread = place.thread;
        let mut value = |held: Held, width: Width, quantity: Quantity| match held {
            Held::Known(bits) => Value { form: Form::constant(number(truncate(bits, width), width)), variable: false },
            Held::Variable => Value { form: Form::var(Var::Now(quantity)), variable: true },
            Held::Nothing => {
                fresh += 1;
                Value { form: Form::var(Var::Fresh(fresh - 1)), variable: false }
            }
        };
        let mut frames = Vec::new();
        for (number, frame) in place.frames.iter().enumerate() {
            let widths = world.program.functions[frame.function.index()].locals.iter().map(|local| local.width);
            let locals = frame.locals.iter().zip(widths).enumerate().map(|(at, (held, width))| {
                let quantity = Quantity::Local { thread, frame: number, local: LocalId(at as u32) };
                value(*held, width, quantity)
            });
            let locals = locals.collect();
            let super::Frame { function, block, index, dst, .. } = *frame;
            frames.push(Frame { function, block, index, locals, dst });
        }
        let own = place.own.iter().map(|(cell, held)| {
            let width = world.cell(*cell).map_or(Width::WORD, |cell| cell.width);
            (*cell, value(*held, width, Quantity::Own { thread, cell: *cell }))
        });
        let own = own.collect();
        let fate = match place.status {
            Status::Runs => Fate::Runs,
            Status::Ended(held) => Fate::Ended(value(held, Width::WORD, Quantity::Result { thread }).form),
            Status::Stopped => Fate::Stopped,
            Status::Failed => Fate::Failed("a failed assertion".to_owned()),
        };
        Way {
            thread,
            frames,
            own,
            fate,
            open: place.open,
            inside: place.inside,
            started: place.started,
            early: place.early,
            buffer: buffer.clone(),
            written: BTreeMap::new(),
            checks: Vec::new(),
            fresh,
            starts: None,
            joins: None,
            // Inside an atomic section the rest of the section is what others can notice.
            may: place.open == 0,
            quiet: 0,
            done: false,
            seen: Vec::new(),
        }
    }

    /// A thread that begins.
    pub fn begin(world: &World<'_>, thread: usize, function: FunctionId, args: &[i64]) -> Way {
        let locals = &world.program.functions[function.index()].locals;
        let local = |(at, local): (usize, &ir::Local)| {
            let bits = args.get(at).map_or(0, |arg| truncate(*arg as u64, local.width));
            Value { form: Form::constant(number(bits, local.width)), variable: false }
        };
        let locals = locals.iter().enumerate().map(local).collect();
        Way {
            thread,
            frames: vec![Frame { function, block: 0, index: 0, locals, dst: None }],
            own: BTreeMap::new(),
            fate: Fate::Runs,
            open: 0,
            inside: false,
            started: 0,
            early: false,
            buffer: Buffer::default(),
            written: BTreeMap::new(),
            checks: Vec::new(),
            fresh: 0,
            starts: None,
            joins: None,
            may: false,
            quiet: 0,
            done: false,
            seen: Vec::new(),
        }
    }

    fn top(&self) -> &Frame {
        self.frames.last().expect("a thread that runs has a frame")
    }

    pub fn top_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a thread that runs has a frame")
    }

    pub fn anything(&mut self) -> Form<Var> {
        self.fresh += 1;
        Form::var(Var::Fresh(self.fresh - 1))
    }

    /// On the conditions of a case.
    pub fn under(&self, case: &Case) -> Way {
        let mut way = self.clone();
        way.checks.extend(case.guards.iter().cloned().map(Check::Guard));
        way.checks.extend(case.fits.iter().cloned().map(|(form, width)| Check::Fits(form, width)));
        way
    }

    pub fn with(mut self, fate: Fate) -> Way {
        self.fate = fate;
        self
    }

    /// Stops here for ever; a section does not take place then.
    pub fn stopped(self) -> Way {
        let fate = if self.open > 0 { Fate::Dropped } else { Fate::Stopped };
        self.with(fate)
    }

    /// Whether one more access may be made that others cannot notice; otherwise the step ends here.
    pub fn unnoticed(&mut self) -> bool {
        self.quiet += 1;
        self.done = self.quiet > super::QUIET;
        !self.done
    }

    /// Whether something that others can notice or prevent may be done now; otherwise the step ends here.
    pub fn noticed(&mut self) -> bool {
        if self.open > 0 {
            return self.unnoticed();
        }
        self.done = !self.may;
        std::mem::replace(&mut self.may, false)
    }

    pub fn next(mut self) -> Way {
        self.top_mut().index += 1;
        self
    }

    pub fn read(&self, quantity: Quantity) -> Form<Var> {
        self.written.get(&quantity).cloned().unwrap_or_else(|| Form::var(Var::Now(quantity)))
    }

    fn shape(&self) -> Shape {
        // What nobody knows is taken for zero here: that only says where a step ends.
        let of = |value: &Value| (!value.variable).then(|| value.form.number().unwrap_or(0));
        let frame = |frame: &Frame| (frame.function, frame.block, frame.index, frame.locals.iter().map(of).collect());
        let own = self.own.iter().map(|(cell, value)| (*cell, of(value))).collect();
        let frames = self.frames.iter().map(frame).collect();
        Shape { frames, own, open: self.open, inside: self.inside, started: self.started, early: self.early }
    }

    fn goes(&mut self, to: BlockId) {
        let frame = self.top_mut();
        let back = to.0 <= frame.block;
        (frame.block, frame.index) = (to.0, 0);
        if back {
            let shape = self.shape();
            if self.seen.contains(&shape) {
                self.done = true;
            } else {
                self.seen.push(shape);
            }
        }
    }
}

impl<'a> World<'a> {
    pub(super) fn flaw(&self, span: Span, what: impl Into<String>) -> Flaw {
        let what = format!("{}: {}", self.program.source.place(span), what.into());
        Flaw::Invariant(what)
    }

    /// All ways from a place to where steps end.
    pub fn ways(&mut self, place: &ControlPoint, buffer: &Buffer) -> Ways {
        let mut ended = Vec::new();
        if place.status != Status::Runs {
            return Ok(ended);
        }
        let mut work = vec![Way::from(place, buffer, self)];
        let mut length = 0;
        while let Some(way) = work.pop() {
            length += 1;
            if length > LENGTH || work.len() + ended.len() > WAYS {
                return Err(Flaw::Invariant("a thread runs on without an end".to_owned()));
            }
            if way.done || way.fate != Fate::Runs {
                ended.push(way);
            } else {
                work.extend(self.advance(way)?);
            }
        }
        Ok(ended)
    }

    /// Runs the first thread until others may come to be, or until memory or its way would depend on a choice.
    pub fn prefix(&mut self) -> Result<Way, Flaw> {
        let mut way = Way::begin(self, 0, self.program.threads[0].body, &[]);
        for _ in 0..ALONE {
            if !self.alone {
                return Ok(way);
            }
            // While it is alone it never stops because of what it has seen.
            (way.done, way.seen) = (false, Vec::new());
            let mut ways = self.advance(way.clone())?;
            let (Some(next), true, false) = (ways.pop(), ways.is_empty(), self.stuck) else {
                (self.alone, self.stuck, way.early) = (false, false, true);
                return Ok(way);
            };
            if next.fate != Fate::Runs {
                return Err(Flaw::Invariant("the first thread comes to an end before there are others".to_owned()));
            }
            way = next;
        }
        Err(Flaw::Invariant("the first thread runs on without an end".to_owned()))
    }

    /// The first thread cannot do this alone. Memory is as before.
    pub(super) fn chooses(&mut self) -> Ways {
        self.stuck = true;
        Ok(Vec::new())
    }

    /// One instruction, or the end of a block.
    fn advance(&mut self, way: Way) -> Ways {
        let frame = way.top();
        let block = &self.program.functions[frame.function.index()].blocks[frame.block as usize];
        match block.instrs.get(frame.index as usize) {
            Some(instr) => self.instr(way, instr),
            None => self.leave(way, &block.terminator),
        }
    }

    pub(super) fn cases(&self, way: &Way, expr: &Expr, span: Span) -> Result<Vec<Case>, Flaw> {
        let frame = way.top();
        let locals = |at: usize| frame.locals[at].form.clone();
        let scope = Scope { function: &self.program.functions[frame.function.index()], locals: &locals };
        scope.cases(expr).map_err(|what| self.flaw(span, what))
    }

    pub(super) fn truth(&self, way: &Way, expr: &Expr, wanted: bool, span: Span) -> Result<Vec<Case>, Flaw> {
        let frame = way.top();
        let locals = |at: usize| frame.locals[at].form.clone();
        let scope = Scope { function: &self.program.functions[frame.function.index()], locals: &locals };
        scope.truth(expr, wanted).map_err(|what| self.flaw(span, what))
    }

    fn width(&self, way: &Way, expr: &Expr) -> Width {
        let function = &self.program.functions[way.top().function.index()];
        Scope { function, locals: &|_| Form::constant(0) }.width(expr)
    }

    /// A value that has to be a constant.
    fn known(&self, way: &Way, expr: &Expr, span: Span) -> Result<i64, Flaw> {
        match &self.cases(way, expr, span)?[..] {
            [case] if case.guards.is_empty() => case.form.number(),
            _ => None,
        }
        .ok_or_else(|| self.flaw(span, "what has to be known depends on what was read"))
    }

    pub(super) fn assign(&self, way: &mut Way, local: LocalId, form: Form<Var>) {
        let variables = self.variables;
        let frame = way.top_mut();
        let width = self.program.functions[frame.function.index()].locals[local.index()].width;
        let form = match form.number() {
            Some(known) => Form::constant(number(truncate(known as u64, width), width)),
            None => form,
        };
        let variable = form.number().is_none() || variables.contains(&(frame.function, local));
        frame.locals[local.index()] = Value { form, variable };
    }

    fn local_width(&self, way: &Way, local: LocalId) -> Width {
        self.program.functions[way.top().function.index()].locals[local.index()].width
    }

    fn leave(&mut self, way: Way, terminator: &'a Terminator) -> Ways {
        match terminator {
            Terminator::Goto(to) => {
                let mut way = way;
                way.goes(*to);
                Ok(vec![way])
            }
            Terminator::Branch { condition, then, otherwise, join: _, span } => {
                let mut all = Vec::new();
                for (wanted, to) in [(true, then), (false, otherwise)] {
                    for case in self.truth(&way, condition, wanted, *span)? {
                        let mut next = way.under(&case);
                        next.goes(*to);
                        all.push(next);
                    }
                }
                Ok(all)
            }
            Terminator::Return(result) if way.frames.len() > 1 => {
                let returned = result.as_ref().map(|result| self.width(&way, result));
                let cases = match result {
                    Some(result) => self.cases(&way, result, Span::default())?,
                    None => vec![Case::plain(Form::constant(0))],
                };
                let mut all = Vec::new();
                for case in cases {
                    let mut next = way.under(&case);
                    let frame = next.frames.pop();
                    if let Some(dst) = frame.and_then(|frame| frame.dst) {
                        let width = self.local_width(&next, dst);
                        if returned.is_some_and(|returned| returned != width) && case.form.number().is_none() {
                            next.checks.push(Check::Fits(case.form.clone(), width));
                        }
                        self.assign(&mut next, dst, case.form);
                    }
                    all.push(next);
                }
                Ok(all)
            }
            Terminator::Return(result) | Terminator::Exit(result) => self.end(way, result.as_ref()),
            Terminator::Cut { span } => Err(self.flaw(*span, "a loop was cut before")),
        }
    }

    fn end(&mut self, mut way: Way, result: Option<&'a Expr>) -> Ways {
        if way.inside {
            if !way.noticed() {
                return Ok(vec![way]);
            }
            way.inside = false;
        }
        if way.open > 0 {
            return Err(Flaw::Invariant("a thread ends inside an atomic section".to_owned()));
        }
        let cases = match result {
            Some(result) => self.cases(&way, result, Span::default())?,
            None => vec![Case::plain(Form::constant(0))],
        };
        Ok(cases.into_iter().map(|case| way.under(&case).with(Fate::Ended(case.form))).collect())
    }

    fn instr(&mut self, way: Way, instr: &'a Instr) -> Ways {
        let span = instr.span;
        match &instr.op {
            Op::Assign { dst, value } => {
                let mut all = Vec::new();
                for case in self.cases(&way, value, span)? {
                    let mut next = way.under(&case);
                    self.assign(&mut next, *dst, case.form);
                    all.push(next.next());
                }
                Ok(all)
            }
            Op::Load { dst, addr, tags, reserve: false } => {
                let width = self.local_width(&way, *dst);
                self.locate(&way, (addr, width, span), |world, way, cell| world.load(way, *dst, cell, tags, span))
            }
            Op::Store { addr, value, tags } => {
                let width = self.width(&way, value);
                let mut all = Vec::new();
                let cases = self.cases(&way, value, span)?;
                if self.alone && cases.len() > 1 {
                    return self.chooses();
                }
                for case in cases {
                    let next = way.under(&case);
                    all.extend(self.locate(&next, (addr, width, span), |world, way, cell| {
                        world.store(way, cell, case.form.clone(), tags, span)
                    })?);
                }
                Ok(all)
            }
            Op::Rmw { dst, addr, when, value, read_tags, write_tags } => {
                let width = self.local_width(&way, *dst);
                let locked = self.drains(read_tags) || self.drains(write_tags);
                if !self.alone && !way.early && way.open == 0 && !locked {
                    return Err(self.flaw(span, "a read-modify-write that is no locked instruction"));
                }
                self.locate(&way, (addr, width, span), |world, way, cell| {
                    world.update(way, (*dst, cell, when.as_ref(), value), span)
                })
            }
            Op::Load { reserve: true, .. } | Op::StoreConditional { .. } => Err(self.flaw(span, "a reservation")),
            Op::Fence { tags } => {
                let mut way = way;
                if !self.alone && !way.early && way.open == 0 {
                    if self.buffers != model::Buffers::None && self.drains(tags) {
                        if !way.noticed() {
                            return Ok(vec![way]);
                        }
                        if !way.buffer.is_empty() {
                            return Ok(Vec::new());
                        }
                    }
                    if self.orders(tags) {
                        way.buffer.order();
                    }
                }
                Ok(vec![way.next()])
            }
            Op::Assume { condition, waits: _ } => {
                let holds = self.truth(&way, condition, true, span)?;
                let mut all: Vec<Way> = holds.iter().map(|case| way.under(case).next()).collect();
                let fails = self.truth(&way, condition, false, span)?;
                all.extend(fails.iter().map(|case| way.under(case).stopped()));
                Ok(all)
            }
            Op::System(op) => self.system(way, op, span),
        }
    }

    fn system(&mut self, mut way: Way, op: &'a System, span: Span) -> Ways {
        match op {
            System::Call { dst, function, args } => return self.call(way, *dst, (*function, args), span),
            System::Nondet { dst } => {
                let any = way.anything();
                let (low, high) = range(self.local_width(&way, *dst));
                for guard in [any.plus(-1, &Form::constant(high)), Form::constant(low).plus(-1, &any)] {
                    // Without a guard it can be more than it is.
                    way.checks.extend(guard.map(Check::Guard));
                }
                self.assign(&mut way, *dst, any);
            }
            System::Assert { condition, message } | System::Check { condition, message } => {
                let holds = self.truth(&way, condition, true, span)?;
                let mut all: Vec<Way> = holds.iter().map(|case| way.under(case).next()).collect();
                for case in self.truth(&way, condition, false, span)? {
                    all.push(way.under(&case).with(Fate::Failed(message.clone())));
                }
                return Ok(all);
            }
            System::Spawn { dst, function, args } => {
                if self.alone || way.early || way.thread != 0 || way.open > 0 {
                    return Err(self.flaw(span, "a thread is started by another one than `main`"));
                }
                if !way.noticed() {
                    return Ok(vec![way]);
                }
                if !way.buffer.is_empty() {
                    return Ok(Vec::new());
                }
                let args = args.iter().map(|arg| self.known(&way, arg, span)).collect::<Result<_, _>>()?;
                way.started += 1;
                let number = way.started;
                way.starts = Some(Start { number, function: *function, args });
                self.assign(&mut way, *dst, Form::constant(number as i64 + 1));
            }
            System::Join { thread, result } => {
                let handle = self.known(&way, thread, span)?;
                let other = usize::try_from(handle).ok().and_then(|handle| handle.checked_sub(1));
                let Some(other) = other.filter(|other| *other != way.thread && !self.alone && !way.early) else {
                    return Ok(vec![way.stopped()]);
                };
                if !way.noticed() {
                    return Ok(vec![way]);
                }
                if way.joins.is_some() {
                    return Err(self.flaw(span, "two threads are waited for in an atomic section"));
                }
                let returned = way.anything();
                way.joins = Some((other, way.fresh - 1));
                if let Some(result) = result {
                    self.assign(&mut way, *result, returned);
                }
            }
            System::Current { dst } => {
                let handle = Form::constant(way.thread as i64 + 1);
                self.assign(&mut way, *dst, handle);
            }
            System::Alloc { dst, name: _, size, cells, zeroed, align: _, storage } => {
                if !self.alone {
                    return Err(self.flaw(span, "memory is made while there are threads"));
                }
                let size = self.known(&way, size, span)? as u64;
                let address = self.make(size, cells.as_deref(), *zeroed, *storage);
                self.assign(&mut way, *dst, Form::constant(number(address.to_bits(), Width::WORD)));
            }
            System::AtomicBegin => {
                if way.open == 0 && !self.alone && !way.early {
                    if !way.noticed() {
                        return Ok(vec![way]);
                    }
                    if !way.buffer.is_empty() {
                        return Ok(Vec::new());
                    }
                }
                way.open += 1;
            }
            System::AtomicEnd => way.open = way.open.saturating_sub(1),
            System::Critical { enter } => {
                if !self.alone && !way.noticed() {
                    return Ok(vec![way]);
                }
                way.inside = *enter;
                // Others can see it there, whatever comes next.
                way.done = !self.alone && way.open == 0;
            }
            System::Await => {}
            System::Publish => {
                if !self.alone && !way.early {
                    return Err(self.flaw(span, "memory is published twice"));
                }
                self.alone = false;
                way.early = false;
            }
        }
        Ok(vec![way.next()])
    }

    fn call(&mut self, way: Way, dst: Option<LocalId>, callee: (FunctionId, &'a [Expr]), span: Span) -> Ways {
        let (function, args) = callee;
        if way.frames.len() >= DEPTH {
            return Err(self.flaw(span, "calls are nested without an end"));
        }
        let mut open = vec![(way, Vec::new())];
        for arg in args {
            let mut next = Vec::new();
            for (way, forms) in open {
                for case in self.cases(&way, arg, span)? {
                    let mut forms: Vec<Form<Var>> = forms.clone();
                    let own = way.under(&case);
                    forms.push(case.form);
                    next.push((own, forms));
                }
            }
            open = next;
        }
        let count = self.program.functions[function.index()].locals.len();
        let zero = Value { form: Form::constant(0), variable: false };
        let mut all = Vec::new();
        for (way, forms) in open {
            let mut way = way.next();
            way.frames.push(Frame { function, block: 0, index: 0, locals: vec![zero.clone(); count], dst });
            for (at, form) in forms.into_iter().enumerate() {
                self.assign(&mut way, LocalId(at as u32), form);
            }
            all.push(way);
        }
        Ok(all)
    }
}
