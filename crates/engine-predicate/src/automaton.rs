//! Threads as automata over integers.
//!
//! A node is a place of a thread where others can come between, with the values of all locals that do not depend on
//! what was read: so an address, a loop over an array and a call are decided here. What depends on reads is a variable. An
//! edge is a list of steps that are executed at once: at most one that others can notice or prevent, and all that follows
//! which they cannot.

mod certificate;
mod code;
mod memory;

use crate::linear::{Case, Env, Form, Value, Var, number};
use engine::Property;
use indexmap::IndexSet;
use ir::liveness::Liveness;
use ir::{Address, Expr, FunctionId, Instr, LocalId, Op, Program, System, TagSet, Terminator, Usage, Width, truncate};
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
    /// The first thread cannot do this alone, since memory would depend on a choice: it goes on as a thread.
    Choice,
    /// The engine cannot do this.
    Limit(String),
}

/// What was learnt and holds for the next attempt.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    pub classes: BTreeMap<u32, Usage>,
    /// Locals and own cells that are variables even where their value is known.
    forced: FxHashSet<Holder>,
    /// Cells that somebody writes while there may be several threads.
    written: FxHashSet<u32>,
}

/// What can hold a value that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Holder {
    Local(FunctionId, LocalId),
    /// A cell that is one thread's own.
    Own(u32),
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
    /// The variable that holds what it returned, if that depends on what was read.
    pub returns: Option<Var>,
    /// How many atomic sections are open.
    pub open: u32,
    /// Where it entered the critical section that it is in.
    pub inside: Option<Span>,
    own: BTreeMap<u32, Value>,
    spawned: usize,
    /// Whether there cannot be other threads yet: accesses are no events then.
    early: bool,
}

/// What a variable is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Name {
    Local(usize, FunctionId, LocalId),
    Own(u32),
    /// What a thread returned.
    Returned,
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
        /// Nothing if it is no event.
        shown: Option<Shown>,
    },
    Store {
        cell: u32,
        form: Form,
        way: Way,
        /// Nothing if it is no event.
        shown: Option<Shown>,
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
    /// How many accesses it has that others cannot notice: in an atomic section, or to what nobody writes any more.
    quiet: usize,
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

/// How many values a local or an own cell may have at the places of a thread before it can become a variable.
const VALUES: usize = 8;

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
    /// The node at which the first thread is when others may come, or when memory begins to depend on choices.
    pub first: u32,
}

/// The locals and own cells with the most values at these places, if those are many.
fn many<'n>(nodes: impl IntoIterator<Item = &'n Node>) -> Vec<Holder> {
    let mut values: BTreeMap<Holder, FxHashSet<u64>> = BTreeMap::new();
    for node in nodes {
        let locals = node.frames.iter().flat_map(|frame| {
            let local = move |(at, value)| (Holder::Local(frame.function, LocalId(at as u32)), value);
            frame.values.iter().enumerate().map(local)
        });
        for (holder, value) in locals.chain(node.own.iter().map(|(cell, value)| (Holder::Own(*cell), value))) {
            if let Value::Known(value) = value {
                values.entry(holder).or_default().insert(*value);
            }
        }
    }
    let most = values.values().map(FxHashSet::len).max().unwrap_or(0);
    let wanted = values.into_iter().filter(|(_, values)| most > VALUES && values.len() == most);
    wanted.map(|(holder, _)| holder).collect()
}

impl<'p> Automata<'p> {
    pub fn new(program: &'p Program, head: &Head, property: Property, knowledge: Knowledge) -> Result<Self, Halt> {
        let named = |names: &[String]| program.tags_named(names);
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

    /// Lets the first thread run until others may come to be, or until memory or the way to go depends on a choice.
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
        let mut item = Item { node, steps: Vec::new(), may: false, quiet: 0, done: false, seen: Vec::new() };
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
            let (before, steps) = (item.node.clone(), item.steps.len());
            (item.done, item.seen) = (false, Vec::new());
            match self.advance(&mut item, &mut more) {
                Err(Halt::Choice) => {}
                Err(halt) => return Err(halt),
                Ok(()) if more.is_empty() => continue,
                Ok(()) => {}
            }
            item.node = before;
            item.steps.truncate(steps);
            item.node.early = true;
            self.alone = false;
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
            returns: None,
            open: 0,
            inside: None,
            own: BTreeMap::new(),
            spawned: 0,
            early: false,
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

    /// How a cell is called in messages.
    pub fn cell_name(&self, cell: u32) -> String {
        let Address { object, offset } = self.cells[cell as usize].address;
        let own = &self.objects[object.index()];
        if own.cells.len() == 1 { own.name.clone() } else { format!("{}+{offset}", own.name) }
    }

    /// How a variable is called in messages.
    pub fn var_name(&self, var: Var) -> String {
        match self.vars.get_index(var as usize) {
            Some(Name::Local(_, function, local)) => {
                self.program.functions[function.index()].locals[local.index()].name.clone()
            }
            Some(Name::Own(cell)) => self.cell_name(*cell),
            Some(Name::Returned) => "result".to_owned(),
            None => format!("v{var}"),
        }
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

    /// Makes the locals and own cells with the most values variables.
    fn force(&mut self, nodes: &[Node]) -> Halt {
        let most = many(nodes);
        if most.is_empty() {
            return Halt::Limit("a thread has too many places".to_owned());
        }
        self.knowledge.forced.extend(most);
        Halt::Again
    }

    /// Whether some locals or own cells have taken many values at their places. They are variables from the next attempt on.
    pub fn unfolds(&mut self) -> bool {
        let most = many(&self.nodes);
        let some = !most.is_empty();
        self.knowledge.forced.extend(most);
        some
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
            // Inside an atomic section the rest of the section is what others can notice.
            let may = node.open == 0;
            let mut work = vec![Item { node, steps: Vec::new(), may, quiet: 0, done: false, seen: Vec::new() }];
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
        let forced = self.knowledge.forced.contains(&Holder::Local(frame.function, local));
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

    /// Whether one more access may be made that others cannot notice; otherwise the edge ends here.
    ///
    /// A limit keeps the number of cases of an edge small.
    fn quiet(item: &mut Item) -> bool {
        item.quiet += 1;
        item.done = item.quiet > witness::invariant::QUIET;
        !item.done
    }

    /// Whether something that others can notice or prevent may be done now; otherwise the edge ends here.
    fn visible(item: &mut Item) -> bool {
        if item.node.open > 0 {
            return Self::quiet(item);
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
    /// While the first thread runs alone there must be one case: memory has no cases then.
    fn split(
        &mut self,
        item: &mut Item,
        more: &mut Vec<Item>,
        cases: Vec<Case>,
        mut then: impl FnMut(&mut Self, &mut Item, Form) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        if self.alone && cases.len() > 1 {
            return Err(Halt::Choice);
        }
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

    fn next(item: &mut Item) {
        if let Some(frame) = item.node.frames.last_mut() {
            frame.index += 1;
        }
    }

    fn fail(item: &mut Item, span: Span, message: &str) {
        let place = item.node.frames.last().and_then(|frame| frame.place).unwrap_or(span);
        item.node.status = Status::Failed(place, message.to_owned());
    }

    fn width(&self, item: &Item, expr: &Expr) -> Width {
        let frame = item.node.frames.last().expect("a thread that runs has a frame");
        Env { function: self.function(item), values: &frame.values }.width(expr)
    }

    /// How an access is shown, if it is an event.
    fn event(&self, item: &Item, tags: &TagSet, span: Span) -> Option<Shown> {
        (!item.node.early).then(|| self.shown(item, tags, span))
    }

    fn shown(&self, item: &Item, tags: &TagSet, span: Span) -> Shown {
        let place = item.node.frames.last().and_then(|frame| frame.place);
        Shown { span: place.unwrap_or(span), tags: tags.clone() }
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
