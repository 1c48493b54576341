//! Threads as automata over integers.
//!
//! A node is a place of a thread where others can come between, with the values of all locals that do not depend on
//! what was read: so an address, a loop over an array and a call are decided here. What depends on reads is a variable. An
//! edge is a list of steps that are executed at once: at most one that others can notice or prevent, and all that follows
//! which they cannot.

use crate::linear::{Case, Env, Form, Value, Var, number};
use engine::Property;
use indexmap::IndexSet;
use ir::liveness::Liveness;
use ir::{Address, Expr, FunctionId, Instr, LocalId, Op, Program, System, TagId, TagSet, Terminator, Width, truncate};
use model::{Buffers, Head};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use source::Span;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Why there is no automaton.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halt {
    /// What was taken for one thread's own is shared, or a local has too many values: begin anew.
    Again,
    /// The engine cannot do this.
    Limit(String),
}

/// Who uses a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Nobody writes it; these threads read it.
    Constant(u64),
    /// Only this thread uses it.
    Private(usize),
    /// Its accesses go through buffers.
    Shared,
}

/// What was learnt and holds for the next attempt.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    pub classes: BTreeMap<u32, Class>,
    /// Locals that are variables even where their value is known.
    forced: FxHashSet<(FunctionId, LocalId)>,
}

/// A location.
#[derive(Debug, Clone)]
pub struct Cell {
    pub address: Address,
    pub initial: Option<u64>,
    pub width: Width,
}

#[derive(Debug, Clone)]
struct Slot {
    offset: u64,
    width: Width,
    value: Option<u64>,
}

#[derive(Debug, Clone)]
struct Object {
    name: String,
    /// How many bytes it has, if accesses make its cells.
    grows: Option<u64>,
    zeroed: bool,
    cells: Vec<Slot>,
}

/// What executes a function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Frame {
    function: FunctionId,
    block: u32,
    index: u32,
    values: Vec<Value>,
    dst: Option<LocalId>,
    place: Option<Span>,
}

/// What a thread is up to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Status {
    Runs,
    Ended(u64),
    Stopped,
    Failed(Span, String),
}

/// A place of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Node {
    thread: usize,
    pub body: FunctionId,
    frames: Vec<Frame>,
    pub status: Status,
    /// How many atomic sections are open.
    pub open: u32,
    /// Where it entered the critical section that it is in.
    pub inside: Option<Span>,
    own: BTreeMap<u32, Value>,
    spawned: usize,
}

/// What a variable is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Name {
    Local(usize, FunctionId, LocalId),
    Own(u32),
}

/// How an access reaches memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Through the buffer.
    Buffer,
    /// At once, when the buffer is empty.
    Direct,
}

/// Where an event stands and its tags.
#[derive(Debug, Clone)]
pub struct Shown {
    pub span: Span,
    pub tags: TagSet,
}

/// A step.
#[derive(Debug, Clone)]
pub enum Step {
    /// Only if this is at most zero.
    Guard(Form),
    /// It is taken for granted that this is in the range of the width.
    Fits(Form, Width),
    Assign(Var, Form),
    Forget(Var),
    /// The variable takes any value of this width.
    Choose(Var, Width),
    /// An object of this number was made.
    Made(u64),
    Load {
        cell: u32,
        var: Var,
        way: Way,
        shown: Shown,
    },
    Store {
        cell: u32,
        form: Form,
        way: Way,
        shown: Shown,
    },
    Fence {
        drains: bool,
        orders: bool,
        shown: Shown,
    },
    Begin,
    End(Span),
    /// Start a thread of this number at this node.
    Spawn(usize, u32),
    /// Wait for the thread of this number; the variable takes what it returned.
    Join(usize, Option<Var>),
}

/// An edge.
#[derive(Debug, Clone)]
pub struct Edge {
    pub steps: Vec<Step>,
    pub to: u32,
}

/// An edge that is being made.
#[derive(Clone)]
struct Item {
    node: Node,
    steps: Vec<Step>,
    /// Whether it may still do something that others can notice or prevent.
    may: bool,
    /// Whether it ends here.
    done: bool,
    seen: Vec<Node>,
}

impl Item {
    /// The same edge in a case.
    fn under(&self, case: Case) -> Item {
        let mut next = self.clone();
        next.steps.extend(case.guards.into_iter().map(Step::Guard));
        next.steps.extend(case.fits.into_iter().map(|(form, width)| Step::Fits(form, width)));
        next
    }
}

/// How many instructions the first thread may execute alone.
const ALONE: usize = 1_000_000;

/// How many instructions an edge may have.
const LENGTH: usize = 100_000;

/// How many jumps back an edge may have before a local counts as a variable.
const JUMPS: usize = 200;

/// How many nodes there may be before a local counts as a variable.
const NODES: usize = 4_000;

/// How many edges a node may have.
const EDGES: usize = 512;

const DEPTH: usize = 100;

/// All threads of a program.
pub struct Automata<'p> {
    pub program: &'p Program,
    property: Property,
    pub buffers: Buffers,
    tags: [TagSet; 2],
    pub knowledge: Knowledge,
    liveness: Liveness<'p>,
    objects: Vec<Object>,
    pub cells: Vec<Cell>,
    numbers: FxHashMap<Address, u32>,
    nodes: IndexSet<Node, FxBuildHasher>,
    edges: Vec<Option<Rc<[Edge]>>>,
    vars: IndexSet<Name, FxBuildHasher>,
    alone: bool,
    /// What the first thread chooses and makes alone.
    pub prefix: Vec<Step>,
    /// The node at which the first thread is when others may come.
    pub first: u32,
}

impl<'p> Automata<'p> {
    pub fn new(program: &'p Program, head: &Head, property: Property, knowledge: Knowledge) -> Result<Self, Halt> {
        let named = |names: &[String]| -> TagSet {
            let tags = program.tags.iter().enumerate().filter(|(_, tag)| names.contains(tag));
            tags.map(|(at, _)| TagId(at as u32)).collect()
        };
        let mut all = Automata {
            program,
            property,
            buffers: head.buffers.unwrap_or(Buffers::None),
            tags: [named(&head.drain), named(&head.order_writes)],
            knowledge,
            liveness: Liveness::new(program),
            objects: Vec::new(),
            cells: Vec::new(),
            numbers: FxHashMap::default(),
            nodes: IndexSet::default(),
            edges: Vec::new(),
            vars: IndexSet::default(),
            alone: true,
            prefix: Vec::new(),
            first: 0,
        };
        all.begin()?;
        Ok(all)
    }

    /// Lets the first thread run until others may come to be.
    fn begin(&mut self) -> Result<(), Halt> {
        for object in &self.program.objects {
            let slot = |cell: &ir::Cell| {
                let env = Env { function: &self.program.functions[0], values: &[] };
                let value = env.known(&cell.initial).map(|(value, _)| truncate(value, cell.width));
                Slot { offset: cell.offset, width: cell.width, value }
            };
            let cells = object.cells.iter().map(slot).collect();
            self.objects.push(Object { name: object.name.clone(), grows: None, zeroed: false, cells });
        }
        let node = self.start(0, self.program.threads[0].body, &[]);
        let mut item = Item { node, steps: Vec::new(), may: false, done: false, seen: Vec::new() };
        let mut more = Vec::new();
        let mut length = 0;
        while self.alone {
            length += 1;
            if length > ALONE {
                return Err(Halt::Limit("the first thread runs on without an end".to_owned()));
            }
            if item.node.status != Status::Runs {
                return Err(Halt::Limit("no thread is ever started, or the first one fails before that".to_owned()));
            }
            self.advance(&mut item, &mut more)?;
            if !more.is_empty() {
                return Err(Halt::Limit("the first thread makes choices before there are others".to_owned()));
            }
            if item.seen.len() > JUMPS {
                item.seen.clear();
            }
        }
        for object in &mut self.objects {
            object.cells.sort_by_key(|slot| slot.offset);
        }
        for (number, object) in self.objects.iter().enumerate() {
            for slot in &object.cells {
                let address = Address { object: ir::ObjectId(number as u32), offset: slot.offset };
                self.numbers.insert(address, self.cells.len() as u32);
                self.cells.push(Cell { address, initial: slot.value, width: slot.width });
            }
        }
        self.first = self.settle(&mut item);
        self.prefix = item.steps;
        Ok(())
    }

    fn start(&self, thread: usize, body: FunctionId, args: &[u64]) -> Node {
        let function = &self.program.functions[body.index()];
        let mut values = vec![Value::Known(0); function.locals.len()];
        for (at, &arg) in args.iter().enumerate() {
            values[at] = Value::Known(truncate(arg, function.locals[at].width));
        }
        let frame = Frame { function: body, block: 0, index: 0, values, dst: None, place: None };
        Node {
            thread,
            body,
            frames: vec![frame],
            status: Status::Runs,
            open: 0,
            inside: None,
            own: BTreeMap::new(),
            spawned: 0,
        }
    }

    pub fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The objects that the first thread made alone, for the record.
    pub fn made(&self) -> Vec<ir::Object> {
        let cell =
            |slot: &Slot| ir::Cell { offset: slot.offset, width: slot.width, initial: Expr::Const(0, slot.width) };
        let object =
            |object: &Object| ir::Object { name: object.name.clone(), cells: object.cells.iter().map(cell).collect() };
        self.objects.iter().skip(self.program.objects.len()).map(object).collect()
    }

    fn intern(&mut self, node: Node) -> Result<u32, Halt> {
        let (at, new) = self.nodes.insert_full(node);
        if new {
            self.edges.push(None);
            if self.nodes.len() > NODES {
                let nodes: Vec<Node> = self.nodes.iter().cloned().collect();
                return Err(self.force(&nodes));
            }
        }
        Ok(at as u32)
    }

    /// Makes the local with the most values a variable.
    fn force(&mut self, nodes: &[Node]) -> Halt {
        let mut values: BTreeMap<(u32, u32), FxHashSet<u64>> = BTreeMap::new();
        for frame in nodes.iter().flat_map(|node| &node.frames) {
            for (at, value) in frame.values.iter().enumerate() {
                if let Value::Known(value) = value {
                    values.entry((frame.function.0, at as u32)).or_default().insert(*value);
                }
            }
        }
        let most = values.into_iter().max_by_key(|(_, values)| values.len());
        match most {
            Some(((function, local), values)) if values.len() > 8 => {
                self.knowledge.forced.insert((FunctionId(function), LocalId(local)));
                Halt::Again
            }
            _ => Halt::Limit("a thread has too many places".to_owned()),
        }
    }

    fn drains(&self, tags: &TagSet) -> bool {
        tags.iter().any(|tag| self.tags[0].contains(tag))
    }

    fn orders(&self, tags: &TagSet) -> bool {
        tags.iter().any(|tag| self.tags[1].contains(tag))
    }

    /// The edges from a node.
    pub fn edges(&mut self, id: u32) -> Result<Rc<[Edge]>, Halt> {
        if let Some(known) = &self.edges[id as usize] {
            return Ok(Rc::clone(known));
        }
        let node = self.nodes[id as usize].clone();
        let mut edges = Vec::new();
        if node.status == Status::Runs {
            let mut work = vec![Item { node, steps: Vec::new(), may: true, done: false, seen: Vec::new() }];
            while let Some(mut item) = work.pop() {
                let mut length = 0;
                while !item.done && item.node.status == Status::Runs {
                    self.advance(&mut item, &mut work)?;
                    length += 1;
                    if length > LENGTH || work.len() + edges.len() > EDGES {
                        return Err(Halt::Limit("a thread runs on without an end".to_owned()));
                    }
                    if item.seen.len() > JUMPS {
                        return Err(self.force(&item.seen));
                    }
                }
                // A section that does not come to its end does not take place.
                if item.node.open > 0 && item.node.status == Status::Stopped {
                    continue;
                }
                let to = self.settle_checked(&mut item)?;
                edges.push(Edge { steps: item.steps, to });
            }
        }
        let edges: Rc<[Edge]> = edges.into();
        self.edges[id as usize] = Some(Rc::clone(&edges));
        Ok(edges)
    }

    fn settle(&mut self, item: &mut Item) -> u32 {
        self.tidy(item);
        let (at, new) = self.nodes.insert_full(item.node.clone());
        if new {
            self.edges.push(None);
        }
        at as u32
    }

    fn settle_checked(&mut self, item: &mut Item) -> Result<u32, Halt> {
        self.tidy(item);
        self.intern(item.node.clone())
    }

    /// Forgets what nobody will look at.
    fn tidy(&mut self, item: &mut Item) {
        if item.node.status != Status::Runs {
            for frame in std::mem::take(&mut item.node.frames) {
                forget(&mut item.steps, frame.values);
            }
            let own = std::mem::take(&mut item.node.own);
            forget(&mut item.steps, own.into_values());
        }
        let mut returns = None;
        for frame in item.node.frames.iter_mut().rev() {
            let live = self.liveness.before(frame.function, frame.block, frame.index);
            for (at, value) in frame.values.iter_mut().enumerate() {
                if !live[at] || returns == Some(LocalId(at as u32)) {
                    let old = std::mem::replace(value, Value::Known(0));
                    forget(&mut item.steps, [old]);
                }
            }
            returns = frame.dst;
        }
    }

    fn limit<T>(&self, item: &Item, span: Span, what: &str) -> Result<T, Halt> {
        let place = item.node.frames.last().and_then(|frame| frame.place).unwrap_or(span);
        Err(Halt::Limit(format!("line {}: {what}", self.program.source.line(place))))
    }

    fn function(&self, item: &Item) -> &'p ir::Function {
        let frame = item.node.frames.last().expect("a thread that runs has a frame");
        &self.program.functions[frame.function.index()]
    }

    fn cases(&self, item: &Item, expr: &Expr, span: Span) -> Result<Vec<Case>, Halt> {
        let frame = item.node.frames.last().expect("a thread that runs has a frame");
        let env = Env { function: self.function(item), values: &frame.values };
        env.cases(expr).or_else(|what| self.limit(item, span, &not_linear(what)))
    }

    fn truth(&self, item: &Item, expr: &Expr, wanted: bool, span: Span) -> Result<Vec<Case>, Halt> {
        let frame = item.node.frames.last().expect("a thread that runs has a frame");
        let env = Env { function: self.function(item), values: &frame.values };
        env.truth(expr, wanted).or_else(|what| self.limit(item, span, &not_linear(what)))
    }

    fn known(&self, item: &Item, expr: &Expr, span: Span, what: &str) -> Result<u64, Halt> {
        let frame = item.node.frames.last().expect("a thread that runs has a frame");
        let env = Env { function: self.function(item), values: &frame.values };
        match env.known(expr) {
            Some((value, _)) => Ok(value),
            None => self.limit(item, span, &format!("{what} depends on what was read from shared memory")),
        }
    }

    fn var(&mut self, name: Name) -> Var {
        self.vars.insert_full(name).0 as Var
    }

    /// The variable that a local of the innermost frame becomes.
    fn symbol(&mut self, item: &mut Item, local: LocalId) -> Var {
        let depth = item.node.frames.len();
        let frame = item.node.frames.last_mut().expect("a thread that runs has a frame");
        let var = self.vars.insert_full(Name::Local(depth, frame.function, local)).0 as Var;
        frame.values[local.index()] = Value::Symbol(var);
        var
    }

    /// A local of the innermost frame takes a value.
    fn assign(&mut self, item: &mut Item, local: LocalId, form: &Form) {
        let width = self.function(item).locals[local.index()].width;
        let frame = item.node.frames.last_mut().expect("a thread that runs has a frame");
        let forced = self.knowledge.forced.contains(&(frame.function, local));
        if form.terms.is_empty() && !forced {
            let known = Value::Known(truncate(form.constant as u64, width));
            let old = std::mem::replace(&mut frame.values[local.index()], known);
            forget(&mut item.steps, [old]);
        } else {
            let form = if form.terms.is_empty() {
                Form::constant(number(truncate(form.constant as u64, width), width))
            } else {
                form.clone()
            };
            let var = self.symbol(item, local);
            item.steps.push(Step::Assign(var, form));
        }
    }

    /// Whether something that others can notice or prevent may be done now; otherwise the edge ends here.
    fn visible(item: &mut Item) -> bool {
        if item.node.open > 0 {
            return true;
        }
        item.done = !item.may;
        std::mem::replace(&mut item.may, false)
    }

    /// One instruction, or the end of a block. Further ways to go on are added to `more`.
    fn advance(&mut self, item: &mut Item, more: &mut Vec<Item>) -> Result<(), Halt> {
        let frame = item.node.frames.last().expect("a thread that runs has a frame");
        let block = &self.function(item).blocks[frame.block as usize];
        match block.instrs.get(frame.index as usize) {
            Some(instr) => self.instr(item, more, instr),
            None => self.leave(item, more, &block.terminator),
        }
    }

    /// Goes on in all of these cases.
    ///
    /// While there is only one thread there must be one case: memory has no cases.
    fn split(
        &mut self,
        item: &mut Item,
        more: &mut Vec<Item>,
        cases: Vec<Case>,
        mut then: impl FnMut(&mut Self, &mut Item, Form) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let whole = item.clone();
        let mut first = true;
        for case in cases {
            let form = case.form.clone();
            let mut next = whole.under(case);
            then(self, &mut next, form)?;
            if first {
                *item = next;
            } else {
                more.push(next);
            }
            first = false;
        }
        if first {
            // No case is possible.
            item.node.status = Status::Stopped;
        }
        Ok(())
    }

    fn leave(&mut self, item: &mut Item, more: &mut Vec<Item>, terminator: &'p Terminator) -> Result<(), Halt> {
        let goes = |item: &mut Item, to: ir::BlockId| {
            let frame = item.node.frames.last_mut().expect("a thread that runs has a frame");
            let back = to.0 <= frame.block;
            (frame.block, frame.index) = (to.0, 0);
            if back {
                if item.seen.contains(&item.node) {
                    item.done = true;
                } else {
                    item.seen.push(item.node.clone());
                }
            }
        };
        match terminator {
            Terminator::Goto(to) => {
                goes(item, *to);
                Ok(())
            }
            Terminator::Branch { condition, then, otherwise, join: _, span } => {
                let mut all = Vec::new();
                for (wanted, to) in [(true, *then), (false, *otherwise)] {
                    all.extend(self.truth(item, condition, wanted, *span)?.into_iter().map(|case| (case, to)));
                }
                let targets: Vec<ir::BlockId> = all.iter().map(|(_, to)| *to).collect();
                let mut targets = targets.into_iter();
                let cases = all.into_iter().map(|(case, _)| case).collect();
                self.split(item, more, cases, |_, item, _| {
                    goes(item, targets.next().expect("each case has a target"));
                    Ok(())
                })
            }
            Terminator::Return(result) => {
                let last = item.node.frames.len() == 1;
                if last {
                    return self.end(item, result.as_ref());
                }
                let returned = result.as_ref().map(|result| self.width(item, result));
                let cases = match result {
                    Some(result) => self.cases(item, result, Span::default())?,
                    None => vec![Case { guards: vec![], fits: vec![], form: Form::constant(0) }],
                };
                self.split(item, more, cases, |all, item, form| {
                    let frame = item.node.frames.pop().expect("there is a caller");
                    if let Some(dst) = frame.dst {
                        let width = all.function(item).locals[dst.index()].width;
                        if returned.is_some_and(|returned| returned != width) {
                            item.steps.push(Step::Fits(form.clone(), width));
                        }
                        all.assign(item, dst, &form);
                    }
                    forget(&mut item.steps, frame.values);
                    Ok(())
                })
            }
            Terminator::Exit(result) => self.end(item, result.as_ref()),
            Terminator::Cut { span } => self.limit(item, *span, "a loop was cut before"),
        }
    }

    fn end(&mut self, item: &mut Item, result: Option<&'p Expr>) -> Result<(), Halt> {
        if item.node.inside.is_some() {
            if !Self::visible(item) {
                return Ok(());
            }
            item.node.inside = None;
        }
        if item.node.open > 0 {
            return self.limit(item, Span::default(), "a thread ends inside an atomic section");
        }
        let what = "what a thread returns";
        let value = result.map_or(Ok(0), |result| self.known(item, result, Span::default(), what))?;
        item.node.status = Status::Ended(value);
        Ok(())
    }

    fn next(item: &mut Item) {
        if let Some(frame) = item.node.frames.last_mut() {
            frame.index += 1;
        }
    }

    fn fail(item: &mut Item, span: Span, message: &str) {
        let place = item.node.frames.last().and_then(|frame| frame.place).unwrap_or(span);
        item.node.status = Status::Failed(place, message.to_owned());
    }

    fn instr(&mut self, item: &mut Item, more: &mut Vec<Item>, instr: &'p Instr) -> Result<(), Halt> {
        let span = instr.span;
        match &instr.op {
            Op::Assign { dst, value } => {
                let cases = self.cases(item, value, span)?;
                self.split(item, more, cases, |all, item, form| {
                    all.assign(item, *dst, &form);
                    Self::next(item);
                    Ok(())
                })
            }
            Op::Load { dst, addr, tags, reserve: false } => {
                let width = self.function(item).locals[dst.index()].width;
                self.locate(item, more, (addr, width, span), &mut |all, item, cell| {
                    all.load(item, *dst, cell, tags, span)
                })
            }
            Op::Store { addr, value, tags } => {
                // A truth value is never stored as such, so the width is that of the value.
                let width = self.width(item, value);
                let value_cases = self.cases(item, value, span)?;
                let mut later = Vec::new();
                self.split(item, &mut later, value_cases, |all, item, form| {
                    let mut inner = Vec::new();
                    all.locate(item, &mut inner, (addr, width, span), &mut |all, item, cell| {
                        all.store(item, cell, &form, width, tags, span)
                    })?;
                    more.extend(inner);
                    Ok(())
                })?;
                more.extend(later);
                Ok(())
            }
            Op::Rmw { dst, addr, when, value, read_tags, write_tags } => {
                let width = self.function(item).locals[dst.index()].width;
                let mut later = Vec::new();
                self.locate(item, &mut later, (addr, width, span), &mut |all, item, cell| {
                    let tags = [read_tags, write_tags];
                    let locked = tags.iter().any(|tags| all.drains(tags)) || all.buffers == Buffers::None;
                    if !all.alone && item.node.open == 0 && !locked {
                        return all.limit(item, span, "a read-modify-write that is no locked instruction");
                    }
                    let mut inner = Vec::new();
                    all.rmw(item, &mut inner, (*dst, cell, when.as_ref(), value), (tags, span))?;
                    more.extend(inner);
                    Ok(())
                })?;
                more.extend(later);
                Ok(())
            }
            Op::Load { reserve: true, .. } | Op::StoreConditional { .. } => {
                self.limit(item, span, "reservations do not go with threads that are started")
            }
            Op::Fence { tags } => {
                if !self.alone && item.node.open == 0 {
                    let drains = self.drains(tags) && self.buffers != Buffers::None;
                    if drains && !Self::visible(item) {
                        return Ok(());
                    }
                    let shown = self.shown(item, tags, span);
                    item.steps.push(Step::Fence { drains, orders: self.orders(tags), shown });
                }
                Self::next(item);
                Ok(())
            }
            Op::Assume { condition, waits: _ } => {
                let whole = item.clone();
                let holds = self.truth(item, condition, true, span)?;
                self.split(item, more, holds, |_, item, _| {
                    Self::next(item);
                    Ok(())
                })?;
                if whole.node.open == 0 {
                    for case in self.truth(&whole, condition, false, span)? {
                        let mut stops = whole.under(case);
                        stops.node.status = Status::Stopped;
                        more.push(stops);
                    }
                }
                Ok(())
            }
            Op::System(op) => self.system(item, more, op, span),
        }
    }

    fn width(&self, item: &Item, expr: &Expr) -> Width {
        let frame = item.node.frames.last().expect("a thread that runs has a frame");
        Env { function: self.function(item), values: &frame.values }.width(expr)
    }

    fn shown(&self, item: &Item, tags: &TagSet, span: Span) -> Shown {
        let place = item.node.frames.last().and_then(|frame| frame.place);
        Shown { span: place.unwrap_or(span), tags: tags.clone() }
    }

    /// A thread uses a cell: who uses it now?
    fn touch(&mut self, cell: u32, thread: usize, writes: bool) -> Result<Class, Halt> {
        let class = self.knowledge.classes.get(&cell).copied().unwrap_or(Class::Constant(0));
        let me = 1u64 << thread.min(63);
        let now = match class {
            Class::Constant(readers) if !writes => Class::Constant(readers | me),
            Class::Constant(readers) if readers & !me == 0 => Class::Private(thread),
            Class::Private(owner) if owner == thread => class,
            Class::Constant(_) | Class::Private(_) | Class::Shared => Class::Shared,
        };
        if now != class {
            self.knowledge.classes.insert(cell, now);
            if !matches!(now, Class::Constant(_)) {
                return Err(Halt::Again);
            }
        }
        if now == Class::Shared && self.cells[cell as usize].initial.is_none() {
            let name = self.program.address_name(self.cells[cell as usize].address);
            return Err(Halt::Limit(format!("{name} is shared, but nobody has written it before there are threads")));
        }
        Ok(now)
    }

    fn own(&self, item: &Item, cell: u32, span: Span) -> Result<Form, Halt> {
        let Cell { initial, width, .. } = &self.cells[cell as usize];
        match (item.node.own.get(&cell), initial) {
            (Some(Value::Known(value)), _) | (None, Some(value)) => Ok(Form::constant(number(*value, *width))),
            (Some(Value::Symbol(var)), _) => Ok(Form::var(*var)),
            (None, None) => self.limit(item, span, "memory is read that was never written"),
        }
    }

    fn set_own(&mut self, item: &mut Item, cell: u32, form: &Form) {
        let width = self.cells[cell as usize].width;
        let value = if form.terms.is_empty() {
            Value::Known(truncate(form.constant as u64, width))
        } else {
            let var = self.var(Name::Own(cell));
            item.steps.push(Step::Assign(var, form.clone()));
            Value::Symbol(var)
        };
        if let (Some(old), Value::Known(_)) = (item.node.own.insert(cell, value), value) {
            forget(&mut item.steps, [old]);
        }
    }

    fn alone_slot(&mut self, cell: u32) -> &mut Slot {
        &mut self.objects[(cell >> 16) as usize].cells[(cell & 0xffff) as usize]
    }

    fn load(&mut self, item: &mut Item, dst: LocalId, cell: u32, tags: &TagSet, span: Span) -> Result<(), Halt> {
        if self.alone {
            let Slot { value, width, .. } = *self.alone_slot(cell);
            let Some(value) = value else { return self.limit(item, span, "memory is read that was never written") };
            self.assign(item, dst, &Form::constant(number(value, width)));
            Self::next(item);
            return Ok(());
        }
        match self.touch(cell, item.node.thread, false)? {
            Class::Shared => {
                if !Self::visible(item) {
                    return Ok(());
                }
                let direct = item.node.open > 0 || self.buffers == Buffers::None || self.drains(tags);
                let way = if direct { Way::Direct } else { Way::Buffer };
                let shown = self.shown(item, tags, span);
                let var = self.symbol(item, dst);
                item.steps.push(Step::Load { cell, var, way, shown });
            }
            Class::Constant(_) | Class::Private(_) => {
                let form = self.own(item, cell, span)?;
                self.assign(item, dst, &form);
            }
        }
        Self::next(item);
        Ok(())
    }

    fn store(
        &mut self,
        item: &mut Item,
        cell: u32,
        form: &Form,
        width: Width,
        tags: &TagSet,
        span: Span,
    ) -> Result<(), Halt> {
        if self.alone {
            if !form.terms.is_empty() {
                return self.limit(item, span, "a choice before there are threads");
            }
            self.alone_slot(cell).value = Some(truncate(form.constant as u64, width));
            Self::next(item);
            return Ok(());
        }
        match self.touch(cell, item.node.thread, true)? {
            Class::Shared => {
                let direct = item.node.open > 0 || self.buffers == Buffers::None || self.drains(tags);
                if direct && !Self::visible(item) {
                    return Ok(());
                }
                // What comes next may have to wait until the write has reached memory.
                item.may = false;
                let way = if direct { Way::Direct } else { Way::Buffer };
                let shown = self.shown(item, tags, span);
                item.steps.push(Step::Store { cell, form: form.clone(), way, shown });
            }
            Class::Constant(_) | Class::Private(_) => self.set_own(item, cell, form),
        }
        Self::next(item);
        Ok(())
    }

    fn rmw(
        &mut self,
        item: &mut Item,
        more: &mut Vec<Item>,
        (dst, cell, when, value): (LocalId, u32, Option<&'p Expr>, &'p Expr),
        ([read_tags, write_tags], span): ([&TagSet; 2], Span),
    ) -> Result<(), Halt> {
        let mut shared = false;
        let width;
        if self.alone {
            let Slot { value, width: own, .. } = *self.alone_slot(cell);
            width = own;
            let Some(value) = value else { return self.limit(item, span, "memory is read that was never written") };
            self.assign(item, dst, &Form::constant(number(value, width)));
        } else {
            width = self.cells[cell as usize].width;
            shared = self.touch(cell, item.node.thread, true)? == Class::Shared;
            if shared {
                if !Self::visible(item) {
                    return Ok(());
                }
                let shown = self.shown(item, read_tags, span);
                let var = self.symbol(item, dst);
                item.steps.push(Step::Load { cell, var, way: Way::Direct, shown });
            } else {
                let form = self.own(item, cell, span)?;
                self.assign(item, dst, &form);
            }
        }
        if let Some(when) = when {
            for case in self.truth(item, when, false, span)? {
                let mut fails = item.under(case);
                Self::next(&mut fails);
                more.push(fails);
            }
        }
        let holds = match when {
            Some(when) => self.truth(item, when, true, span)?,
            None => vec![Case { guards: vec![], fits: vec![], form: Form::constant(1) }],
        };
        if holds.is_empty() {
            // It never writes: the other cases are all there is.
            *item = more.pop().unwrap_or_else(|| item.clone());
            return Ok(());
        }
        let mut later = Vec::new();
        self.split(item, &mut later, holds, |all, item, _| {
            let cases = all.cases(item, value, span)?;
            let mut inner = Vec::new();
            all.split(item, &mut inner, cases, |all, item, form| {
                if all.alone {
                    all.alone_slot(cell).value = Some(truncate(form.constant as u64, width));
                } else if shared {
                    let shown = all.shown(item, write_tags, span);
                    item.steps.push(Step::Store { cell, form, way: Way::Direct, shown });
                } else {
                    all.set_own(item, cell, &form);
                }
                Self::next(item);
                Ok(())
            })?;
            more.extend(inner);
            Ok(())
        })?;
        more.extend(later);
        Ok(())
    }

    /// Goes on for each cell that an access may go to.
    fn locate(
        &mut self,
        item: &mut Item,
        more: &mut Vec<Item>,
        (addr, width, span): (&'p Expr, Width, Span),
        then: &mut dyn FnMut(&mut Self, &mut Item, u32) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let cases = self.cases(item, addr, span)?;
        let mut all = Vec::new();
        for case in cases {
            let Some(base) = Address::from_bits(case.form.constant as u64) else {
                if case.form.terms.is_empty() {
                    all.push((case, None));
                    continue;
                }
                return self.limit(item, span, "an address that was read from shared memory");
            };
            if case.form.terms.is_empty() {
                let cell = self.cell(item, base, width, span)?;
                all.push((case, cell));
                continue;
            }
            self.spread(item, &case, base, (width, span), &mut all)?;
        }
        let cells: Vec<Option<u32>> = all.iter().map(|(_, cell)| *cell).collect();
        let mut cells = cells.into_iter();
        let cases = all.into_iter().map(|(case, _)| case).collect();
        self.split(item, more, cases, |all, item, _| match cells.next().flatten() {
            Some(cell) => then(all, item, cell),
            None => {
                match all.property {
                    Property::Assertions { memory: true } => Self::fail(item, span, "an access to no location"),
                    Property::Assertions { memory: false } | Property::Deadlock => item.node.status = Status::Stopped,
                }
                Ok(())
            }
        })
    }

    /// The cells that an address with variables may mean, and what lies beside them.
    fn spread(
        &self,
        item: &Item,
        case: &Case,
        base: Address,
        (width, span): (Width, Span),
        all: &mut Vec<(Case, Option<u32>)>,
    ) -> Result<(), Halt> {
        let Some(object) = self.objects.get(base.object.index()).filter(|object| object.grows.is_none()) else {
            return self.limit(item, span, "an index into memory without a type depends on what was read");
        };
        let too_large = || Halt::Limit("numbers that are too large".to_owned());
        let mut bound = |low: Option<i64>, high: Option<i64>, cell: Option<u32>| -> Result<(), Halt> {
            let mut own = case.clone();
            if let Some(low) = low {
                own.guards.push(Form::constant(low).plus(&case.form, -1).ok_or_else(too_large)?.tightened());
            }
            if let Some(high) = high {
                own.guards.push(Form::constant(-high).plus(&case.form, 1).ok_or_else(too_large)?.tightened());
            }
            all.push((own, cell));
            Ok(())
        };
        let mut below: Option<i64> = None;
        for slot in &object.cells {
            let address = Address { object: base.object, offset: slot.offset };
            if slot.width != width {
                return self.limit(item, span, "an index into a structure depends on what was read");
            }
            let at = address.to_bits() as i64;
            bound(below.map(|below| below + 1), Some(at - 1), None)?;
            bound(Some(at), Some(at), self.numbers.get(&address).copied())?;
            below = Some(at);
        }
        bound(below.map(|below| below + 1), None, None)
    }

    /// The cell at an address.
    fn cell(&mut self, item: &Item, address: Address, width: Width, span: Span) -> Result<Option<u32>, Halt> {
        let mixed = "a part of a location is accessed, or several locations at once";
        let alone = self.alone;
        let Some(object) = self.objects.get_mut(address.object.index()) else { return Ok(None) };
        let at = match object.cells.iter().position(|slot| slot.offset == address.offset) {
            Some(at) if object.cells[at].width == width => at,
            Some(_) => return self.limit(item, span, mixed),
            None => {
                let bytes = |width: Width| u64::from(width.bits().div_ceil(8));
                let end = address.offset + bytes(width);
                let Some(size) = object.grows else { return Ok(None) };
                if end > size {
                    return Ok(None);
                }
                let apart = |slot: &Slot| slot.offset >= end || slot.offset + bytes(slot.width) <= address.offset;
                if !object.cells.iter().all(apart) {
                    return self.limit(item, span, mixed);
                }
                if !alone {
                    return self.limit(item, span, "memory without a type is used that was not used before");
                }
                // At the end, so that the numbers of the others stay.
                let value = object.zeroed.then_some(0);
                object.cells.push(Slot { offset: address.offset, width, value });
                object.cells.len() - 1
            }
        };
        if alone {
            if at > 0xffff || address.object.index() > 0xffff {
                return self.limit(item, span, "an object that is too large");
            }
            return Ok(Some((address.object.0 << 16) | at as u32));
        }
        Ok(self.numbers.get(&address).copied())
    }

    fn system(&mut self, item: &mut Item, more: &mut Vec<Item>, op: &'p System, span: Span) -> Result<(), Halt> {
        match op {
            System::Call { dst, function, args } => return self.call(item, more, (*dst, *function, args), span),
            System::Nondet { dst } => {
                let width = self.function(item).locals[dst.index()].width;
                let var = self.symbol(item, *dst);
                item.steps.push(Step::Choose(var, width));
                if width.bits() < 58 {
                    let half = 1i64 << (width.bits() - 1);
                    let (low, high) = if width == Width::BOOL { (0, 1) } else { (-half, half - 1) };
                    item.steps.push(Step::Guard(Form { constant: -high, terms: vec![(var, 1)] }));
                    item.steps.push(Step::Guard(Form { constant: low, terms: vec![(var, -1)] }));
                }
            }
            System::Assert { condition, message } => {
                let whole = item.clone();
                let holds = self.truth(item, condition, true, span)?;
                self.split(item, more, holds, |_, item, _| {
                    Self::next(item);
                    Ok(())
                })?;
                for case in self.truth(&whole, condition, false, span)? {
                    let mut fails = whole.under(case);
                    match self.property {
                        Property::Assertions { memory: _ } => Self::fail(&mut fails, span, message),
                        Property::Deadlock => fails.node.status = Status::Stopped,
                    }
                    more.push(fails);
                }
                return Ok(());
            }
            System::Spawn { dst, function, args } => {
                if self.alone || item.node.thread != 0 || item.node.open > 0 {
                    return self.limit(item, span, "a thread is started by another one than `main`");
                }
                if !Self::visible(item) {
                    return Ok(());
                }
                let what = "what a thread is given";
                let args = args.iter().map(|arg| self.known(item, arg, span, what));
                let args: Vec<u64> = args.collect::<Result<_, _>>()?;
                item.node.spawned += 1;
                let number = item.node.spawned;
                let start = self.start(number, *function, &args);
                let start = self.intern(start)?;
                item.steps.push(Step::Spawn(number, start));
                self.assign(item, *dst, &Form::constant(number as i64 + 1));
            }
            System::Join { thread, result } => {
                let handle = self.known(item, thread, span, "which thread is waited for")?;
                let other = usize::try_from(handle).ok().and_then(|handle| handle.checked_sub(1));
                match other.filter(|other| *other != item.node.thread && !self.alone) {
                    None => {
                        item.node.status = Status::Stopped;
                        return Ok(());
                    }
                    Some(other) => {
                        if !Self::visible(item) {
                            return Ok(());
                        }
                        let var = result.map(|result| self.symbol(item, result));
                        item.steps.push(Step::Join(other, var));
                    }
                }
            }
            System::Current { dst } => {
                let handle = Form::constant(item.node.thread as i64 + 1);
                self.assign(item, *dst, &handle);
            }
            System::Alloc { dst, name, size, cells, zeroed } => {
                if !self.alone {
                    return self.limit(item, span, "memory is made while there are threads");
                }
                let size = self.known(item, size, span, "how much memory is made")?;
                let value = zeroed.then_some(0);
                let slot = |cell: &ir::Cell| Slot { offset: cell.offset, width: cell.width, value };
                let grows = cells.is_none().then_some(size);
                let cells = cells.iter().flatten().map(slot).collect();
                let number = self.objects.len();
                self.objects.push(Object { name: name.clone(), grows, zeroed: *zeroed, cells });
                item.steps.push(Step::Made(number as u64));
                let address = Address { object: ir::ObjectId(number as u32), offset: 0 };
                self.assign(item, *dst, &Form::constant(address.to_bits() as i64));
            }
            System::AtomicBegin => {
                if item.node.open == 0 && !self.alone {
                    if !Self::visible(item) {
                        return Ok(());
                    }
                    item.steps.push(Step::Begin);
                }
                item.node.open += 1;
            }
            System::AtomicEnd => {
                item.node.open = item.node.open.saturating_sub(1);
                if item.node.open == 0 && !self.alone {
                    let Shown { span, .. } = self.shown(item, &TagSet::default(), span);
                    item.steps.push(Step::End(span));
                }
            }
            System::Critical { enter } => {
                if !self.alone && !Self::visible(item) {
                    return Ok(());
                }
                let Shown { span, .. } = self.shown(item, &TagSet::default(), span);
                item.node.inside = enter.then_some(span);
                // Others can see it there, whatever comes next.
                item.done = !self.alone && item.node.open == 0;
            }
            System::Await => {}
            System::Publish => {
                if !self.alone {
                    return self.limit(item, span, "memory is published twice");
                }
                self.alone = false;
            }
        }
        Self::next(item);
        Ok(())
    }

    fn call(
        &mut self,
        item: &mut Item,
        more: &mut Vec<Item>,
        (dst, function, args): (Option<LocalId>, FunctionId, &'p [Expr]),
        span: Span,
    ) -> Result<(), Halt> {
        if item.node.frames.len() >= DEPTH {
            return self.limit(item, span, "calls are nested without an end");
        }
        let body = &self.program.functions[function.index()];
        // One argument after the other: each may have cases.
        let mut open = vec![(item.clone(), Vec::new())];
        for arg in args {
            let mut next = Vec::new();
            for (whole, forms) in open {
                for case in self.cases(&whole, arg, span)? {
                    let mut forms: Vec<Form> = forms.clone();
                    forms.push(case.form.clone());
                    next.push((whole.under(case), forms));
                }
            }
            open = next;
        }
        let mut called = Vec::new();
        for (mut own, forms) in open {
            Self::next(&mut own);
            let outer = own.node.frames.last().and_then(|frame| frame.place);
            let place = outer.or(Some(span).filter(|_| body.library));
            let values = vec![Value::Known(0); body.locals.len()];
            own.node.frames.push(Frame { function, block: 0, index: 0, values, dst, place });
            for (at, form) in forms.iter().enumerate() {
                self.assign(&mut own, LocalId(at as u32), form);
            }
            called.push(own);
        }
        let mut called = called.into_iter();
        if let Some(first) = called.next() {
            *item = first;
        }
        more.extend(called);
        Ok(())
    }
}

fn forget(steps: &mut Vec<Step>, values: impl IntoIterator<Item = Value>) {
    for value in values {
        if let Value::Symbol(var) = value {
            steps.push(Step::Forget(var));
        }
    }
}

fn not_linear(what: &str) -> String {
    format!("{what}; write it with sums and comparisons, or use the engine `partial-order`")
}
