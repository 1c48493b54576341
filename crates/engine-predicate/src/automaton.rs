//! Threads as automata over integers.
//!
//! A node is a place of a thread where others can come between, with the values of all locals that do not depend on
//! what was read: so an address, a loop over an array and a call are decided here. What depends on reads is a variable. An
//! edge is a list of steps that are executed at once: at most one that others can notice or prevent, and all that follows
//! which they cannot.

mod certificate;
mod path;
mod perform;

use crate::linear::{Form, Value, Var};
use engine::Property;
use indexmap::IndexSet;
use ir::liveness::Liveness;
use ir::{Address, FunctionId, LocalId, ObjectId, Program, TagSet, Usage, Width};
use model::{Buffers, Head};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use source::Span;
use std::collections::BTreeMap;
use std::rc::Rc;
use stepper::{Frame, Halt, Holder, Memory, Status, Thread};

/// What was learnt and holds for the next attempt.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    pub classes: BTreeMap<u32, Usage>,
    /// Locals and own cells that are variables even where their value is known.
    forced: FxHashSet<Forced>,
    /// Cells that somebody writes while there may be several threads.
    written: FxHashSet<u32>,
}

/// What is a variable even where its value is known: a local at any depth of calls, or a cell that is one thread's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Forced {
    Local(FunctionId, LocalId),
    Own(u32),
}

/// A place of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Node {
    thread: Thread<Var>,
    /// How many threads it has started.
    spawned: usize,
    /// Whether there cannot be other threads yet: accesses are no events then.
    early: bool,
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
    fn new(node: Node, may: bool) -> Self {
        Item { node, steps: Vec::new(), may, quiet: 0, done: false, seen: Vec::new() }
    }

    /// Whether one more access may be made that others cannot notice; otherwise the edge ends here.
    ///
    /// A limit keeps the number of cases of an edge small.
    fn quiet(&mut self) -> bool {
        self.quiet += 1;
        self.done = self.quiet > witness::invariant::QUIET;
        !self.done
    }

    /// Whether something that others can notice or prevent may be done now; otherwise the edge ends here.
    fn visible(&mut self) -> bool {
        if self.node.thread.atomic > 0 {
            return self.quiet();
        }
        self.done = !self.may;
        std::mem::replace(&mut self.may, false)
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
    pub memory: Memory<'p>,
    nodes: IndexSet<Node, FxBuildHasher>,
    edges: Vec<Option<Rc<[Edge]>>>,
    vars: IndexSet<Holder, FxBuildHasher>,
    /// What the first thread chooses and makes alone.
    pub prefix: Vec<Step>,
    /// The node at which the first thread is when others may come, or when memory begins to depend on choices.
    pub first: u32,
}

/// The locals and own cells with the most values at these places, if those are many.
fn many<'n>(nodes: impl IntoIterator<Item = &'n Node>) -> Vec<Forced> {
    let mut values: BTreeMap<Forced, FxHashSet<u64>> = BTreeMap::new();
    for Node { thread, .. } in nodes {
        let locals = thread.frames.iter().flat_map(|frame| {
            let local = move |(at, value)| (Forced::Local(frame.function, LocalId(at as u32)), value);
            frame.values.iter().enumerate().map(local)
        });
        for (holder, value) in locals.chain(thread.own.iter().map(|(cell, value)| (Forced::Own(*cell), value))) {
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
            memory: Memory::new(program, &FxHashSet::default()),
            nodes: IndexSet::default(),
            edges: Vec::new(),
            vars: IndexSet::default(),
            prefix: Vec::new(),
            first: 0,
        };
        all.begin()?;
        Ok(all)
    }

    /// Lets the first thread run until others may come to be, or until memory or the way to go depends on a choice.
    fn begin(&mut self) -> Result<(), Halt> {
        self.memory.begin();
        let mut item = Item::new(self.start(0, self.program.threads[0].body, &[]), false);
        let mut more = Vec::new();
        let mut length = 0;
        while self.memory.alone {
            length += 1;
            if length > ALONE {
                return Err(Halt::Limit("the first thread runs on without an end".to_owned()));
            }
            if item.node.thread.status != Status::Runs {
                return Err(Halt::Limit("no thread is ever started, or the first one fails before that".to_owned()));
            }
            let (before, steps) = (item.node.clone(), item.steps.len());
            (item.done, item.seen) = (false, Vec::new());
            match self.advance(&mut item, &mut more) {
                Err(Halt::Choice) => {
                    item.node = before;
                    item.steps.truncate(steps);
                    item.node.early = true;
                    self.memory.alone = false;
                }
                result => result?,
            }
        }
        for (number, object) in self.memory.objects.clone().iter().enumerate() {
            for slot in &object.cells {
                self.memory.cell(Address { object: ObjectId(number as u32), offset: slot.offset }, slot);
            }
        }
        self.first = self.settle(&mut item);
        self.prefix = item.steps;
        Ok(())
    }

    fn start(&self, number: usize, body: FunctionId, args: &[u64]) -> Node {
        Node { thread: Thread::start(self.program, number, body, args), spawned: 0, early: false }
    }

    /// The thread at a node.
    pub fn node(&self, id: u32) -> &Thread<Var> {
        &self.nodes[id as usize].thread
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How a cell is called in messages.
    pub fn cell_name(&self, cell: u32) -> String {
        let Address { object, offset } = self.memory.cells[cell as usize].address;
        let own = &self.memory.objects[object.index()];
        let name = match self.program.objects.get(object.index()) {
            Some(object) => &object.name,
            None => &self.memory.sites[own.site as usize].name,
        };
        if own.cells.len() == 1 { name.clone() } else { format!("{name}+{offset}") }
    }

    /// How a variable is called in messages.
    pub fn var_name(&self, var: Var) -> String {
        match self.vars.get_index(var as usize) {
            Some(Holder::Local(_, function, local)) => {
                self.program.functions[function.index()].locals[local.index()].name.clone()
            }
            Some(Holder::Own(cell)) => self.cell_name(*cell),
            Some(Holder::Result) => "result".to_owned(),
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
        if node.thread.status == Status::Runs {
            // Inside an atomic section the rest of the section is what others can notice.
            let may = node.thread.atomic == 0;
            let mut work = vec![Item::new(node, may)];
            while let Some(mut item) = work.pop() {
                let mut length = 0;
                while !item.done && item.node.thread.status == Status::Runs {
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
                if item.node.thread.atomic > 0 && item.node.thread.status == Status::Stopped {
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
        let Item { node, steps, .. } = item;
        node.thread.forget_dead(&mut self.liveness, |value| forget(steps, value));
    }
}

fn forget(steps: &mut Vec<Step>, value: Value) {
    if let Value::Symbolic(var) = value {
        steps.push(Step::Forget(var));
    }
}
