//! The machine: steps from state to state.
//!
//! A state is a row of numbers: the memory, and for each thread its own state and its buffer. Each number stands for
//! something that is kept once in a table, and what a thread does next with which value is looked up, not computed
//! again. So a step costs a few lookups, and a state a few words.

mod act;
mod garbage;
mod replay;

use crate::buffer::{Buffers, Flush, Policy};
use crate::thread::{Local, Pending, Runner};
use crate::world::World;
use garbage::Garbage;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::rc::Rc;
use stepper::{Halt, Status};
use witness::Violation;

/// How many threads there may be.
const THREADS: usize = 32;

/// How many values one cell or how many states one thread may have.
const VALUES: usize = 4_000_000;

/// The number of a thread's state. 0 stands for a thread that does not exist.
type ThreadState = u32;

/// What memory holds: a value for each shared cell, in the order in which the machine came to know them. The last ones
/// are left out while they hold what they held at first.
type Memory = Box<[Option<u64>]>;

/// A replica: its state and its buffer.
pub type Replica = [u32; 2];

/// A step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A thread runs, with these choices on the way.
    Run(usize, Vec<u64>),
    /// A write of a thread to a cell reaches memory.
    Flush(usize, u32),
}

pub struct Machine<'p> {
    pub world: World<'p>,
    pub buffers: Buffers,
    /// Whether there are replicas: then steps lead to `arrivals`.
    replicated: bool,
    locals: IndexSet<Local, FxBuildHasher>,
    pendings: Vec<Rc<Pending>>,
    after: FxHashMap<(ThreadState, u64), (ThreadState, Option<u64>)>,
    memories: IndexSet<Memory, FxBuildHasher>,
    written: FxHashMap<(u32, u32, u64), u32>,
    /// For each cell its place in memory.
    places: Vec<Option<u32>>,
    /// The cells by their places.
    shared: Vec<u32>,
    /// What the steps that were asked for last lead to: rows of a state each.
    pub found: Vec<u32>,
    /// Those steps.
    pub steps: Vec<Step>,
    /// The same, if there are replicas: memory and threads that have numbers, and replicas.
    pub arrivals: Vec<(Box<[u32]>, Vec<Replica>)>,
    /// A step that shows that the property fails, if there was one.
    pub failure: Option<(Step, Violation)>,
    work: Vec<Item>,
    garbage: Garbage,
}

/// A step that is not at its end.
struct Item {
    state: Vec<u32>,
    /// Whether it may still do something that others can notice.
    may: bool,
    choices: Vec<u64>,
}

impl<'p> Machine<'p> {
    pub fn new(world: World<'p>, policy: Policy, replicated: bool) -> Self {
        let mut memories = IndexSet::default();
        memories.insert(Memory::default());
        let mut locals = IndexSet::default();
        let mut nobody = Local::start(&world, usize::MAX, world.memory.program.threads[0].body, &[], None);
        nobody.thread.frames.clear();
        nobody.thread.status = Status::Stopped;
        locals.insert(nobody);
        Machine {
            world,
            buffers: Buffers::new(policy),
            replicated,
            locals,
            pendings: vec![Rc::new(Pending::Nothing)],
            after: FxHashMap::default(),
            memories,
            written: FxHashMap::default(),
            places: Vec::new(),
            shared: Vec::new(),
            found: Vec::new(),
            steps: Vec::new(),
            arrivals: Vec::new(),
            failure: None,
            work: Vec::new(),
            garbage: Garbage::default(),
        }
    }

    /// How many numbers a state has, but for replicas.
    pub fn width(&self) -> usize {
        1 + 2 * self.world.knowledge.threads
    }

    /// How many different states threads and memory have.
    pub fn sizes(&self) -> (usize, usize, usize) {
        (self.locals.len(), self.memories.len(), self.buffers.len())
    }

    /// The state in which the first thread is here and others may come. The property can fail right there.
    pub fn start(&mut self, first: Local) -> Result<Vec<u32>, Halt> {
        let mut state = vec![0; self.width()];
        state[1] = self.settle(first)?;
        let item = Item { state, may: true, choices: Vec::new() };
        self.look(&item, 0, 0);
        Ok(item.state)
    }

    fn settle(&mut self, local: Local) -> Result<ThreadState, Halt> {
        let mut runner = Runner { world: &mut self.world, local };
        let pending = runner.run()?;
        runner.settle(&pending);
        let (id, new) = self.locals.insert_full(runner.local);
        if new {
            self.pendings.push(Rc::new(pending));
            if self.locals.len() > VALUES {
                return Err(Halt::Limit(format!("a thread has more than {VALUES} states: its values are not finite")));
            }
        }
        Ok(id as ThreadState)
    }

    /// What becomes of a thread's state with this input, and what it writes then.
    fn resume(&mut self, local: ThreadState, input: u64) -> Result<(ThreadState, Option<u64>), Halt> {
        let remember = self.world.record.is_none();
        if let Some(&known) = self.after.get(&(local, input)).filter(|_| remember) {
            return Ok(known);
        }
        let own = self.locals[local as usize].clone();
        let mut runner = Runner { world: &mut self.world, local: own };
        let written = runner.resume(input)?;
        let next = runner.local;
        let next = self.settle(next)?;
        self.after.insert((local, input), (next, written));
        Ok((next, written))
    }

    fn place(&mut self, cell: u32) -> usize {
        let cell = cell as usize;
        if self.places.len() <= cell {
            self.places.resize(cell + 1, None);
        }
        let place = *self.places[cell].get_or_insert_with(|| {
            self.shared.push(cell as u32);
            self.shared.len() as u32 - 1
        });
        place as usize
    }

    /// What memory holds; nothing, if nobody has written it.
    fn load(&mut self, memory: u32, cell: u32) -> Option<u64> {
        let place = self.place(cell);
        let held = self.memories[memory as usize].get(place).copied();
        held.unwrap_or(self.world.memory.cells[cell as usize].initial)
    }

    /// Values that stand for all that a thread can read from a cell that nobody has written.
    fn any(&mut self, local: ThreadState, cell: u32) -> Result<Vec<u64>, Halt> {
        let own = self.locals[local as usize].clone();
        let values = Runner { world: &mut self.world, local: own }.any();
        values.ok_or_else(|| {
            let name = self.world.memory.program.address_name(self.world.memory.cells[cell as usize].address);
            Halt::Limit(format!("{name} is read before anybody has written it"))
        })
    }

    fn store(&mut self, memory: u32, cell: u32, value: u64) -> u32 {
        if let Some(&known) = self.written.get(&(memory, cell, value)) {
            return known;
        }
        let place = self.place(cell);
        let mut next: Vec<Option<u64>> = self.memories[memory as usize].to_vec();
        while next.len() <= place {
            let cell = self.shared[next.len()] as usize;
            next.push(self.world.memory.cells[cell].initial);
        }
        next[place] = Some(value);
        let next = self.remember(next);
        self.written.insert((memory, cell, value), next);
        next
    }

    /// The number of a memory that holds this.
    fn remember(&mut self, mut memory: Vec<Option<u64>>) -> u32 {
        let initial = |at: usize| self.world.memory.cells[self.shared[at] as usize].initial;
        while memory.last().is_some_and(|last| *last == initial(memory.len() - 1)) {
            memory.pop();
        }
        self.memories.insert_full(memory.into()).0 as u32
    }

    /// All steps from a state: they are in `steps`, where they lead to in `found`.
    pub fn expand(&mut self, state: &[u32]) -> Result<(), Halt> {
        self.found.clear();
        self.steps.clear();
        for thread in 0..self.world.knowledge.threads {
            if state[1 + 2 * thread] == 0 {
                break;
            }
            self.expand_one(state, thread)?;
        }
        Ok(())
    }

    /// The steps of one thread from a state; those of a replica that is there besides, if the number is that of
    /// no other.
    pub fn expand_one(&mut self, state: &[u32], thread: usize) -> Result<(), Halt> {
        self.run(state, thread)?;
        let buffer = state[2 + 2 * thread];
        if buffer != 0 {
            for at in 0..self.buffers.flushes(buffer).len() {
                let flush = self.buffers.flushes(buffer)[at];
                self.flush(state, thread, flush);
            }
        }
        Ok(())
    }

    /// Whether a thread is in a critical section.
    pub fn is_inside(&self, local: ThreadState) -> bool {
        self.locals[local as usize].thread.critical.is_some()
    }

    fn flush(&mut self, state: &[u32], thread: usize, flush: Flush) {
        let memory = self.store(state[0], flush.cell, flush.value);
        let mut state = state.to_vec();
        state[0] = memory;
        state[2 + 2 * thread] = flush.rest;
        self.emit(state, Step::Flush(thread, flush.cell));
    }

    /// A step leads to this state.
    fn emit(&mut self, mut state: Vec<u32>, step: Step) {
        if !self.replicated {
            self.forget_garbage(&mut state);
            self.found.extend(state);
            if self.world.record.is_none() {
                self.steps.push(step);
            }
            return;
        }
        let (numbered, rest) = state.split_at(self.width());
        let replicas = rest.chunks_exact(2).map(|own| [own[0], own[1]]);
        // A replica that has nothing to do any more leaves, unless it keeps others out of a critical section.
        let idle = |local: ThreadState| *self.pendings[local as usize] == Pending::Nothing && !self.is_inside(local);
        let stays = |own: &Replica| own[1] != 0 || !idle(own[0]);
        self.arrivals.push((numbered.into(), replicas.filter(stays).collect()));
    }

    /// What the threads of a state run.
    pub fn bodies(&self, state: &[u32]) -> Vec<ir::FunctionId> {
        let ids = state[1..].iter().step_by(2).take_while(|&&id| id != 0);
        ids.map(|&id| self.locals[id as usize].thread.body).collect()
    }
}
