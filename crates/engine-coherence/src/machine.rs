//! The machine: steps from state to state.
//!
//! A state is a row of numbers: the memory, and for each thread its own state and its buffer. Each number stands for
//! something that is kept once in a table, and what a thread does next with which value is looked up, not computed
//! again. So a step costs a few lookups, and a state a few words.

use crate::buffer::{BufferId, Buffers, Flush, Policy};
use crate::local::{Local, Status};
use crate::thread::{Pending, Runner};
use crate::world::{At, CROWD, HANDLE, Halt, World};
use indexmap::IndexSet;
use ir::TagSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use source::Span;
use std::rc::Rc;
use witness::{Action, Record, TWO_INSIDE, Violation};

/// How many threads there may be.
const THREADS: usize = 32;

/// How many actions one step may have.
const LENGTH: usize = 100_000;

/// How many values one cell or how many states one thread may have.
const VALUES: usize = 4_000_000;

/// The number of a thread's state. 0 stands for a thread that does not exist.
type LocalId = u32;

/// What memory holds: a value for each shared cell, in the order in which the machine came to know them. The last ones
/// are left out while they hold what they held at first.
type Memory = Box<[Option<u64>]>;

/// A thread of a crowd: its state and its buffer.
pub type Member = [u32; 2];

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
    /// Whether there are crowds: then steps lead to `arrivals`.
    crowded: bool,
    locals: IndexSet<Local, FxBuildHasher>,
    pendings: Vec<Rc<Pending>>,
    after: FxHashMap<(LocalId, u64), (LocalId, Option<u64>)>,
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
    /// The same, if there are crowds: memory and threads that have numbers, and threads of crowds.
    pub arrivals: Vec<(Box<[u32]>, Vec<Member>)>,
    /// A step that shows that the property fails, if there was one.
    pub failure: Option<(Step, Violation)>,
    work: Vec<Item>,
}

/// A step that is not at its end.
struct Item {
    state: Vec<u32>,
    /// Whether it may still do something that others can notice.
    may: bool,
    choices: Vec<u64>,
}

/// What came of an action of a thread.
enum Flow {
    /// It was done; go on.
    Done,
    /// The step ends before it.
    Before,
    /// It is not possible now.
    Disabled,
    /// There are several ways to go on.
    Split(Vec<u64>),
}

impl<'p> Machine<'p> {
    pub fn new(world: World<'p>, policy: Policy, crowded: bool) -> Self {
        let mut memories = IndexSet::default();
        memories.insert(Memory::default());
        let mut locals = IndexSet::default();
        let nobody = Runner::start(&world, 0, world.program.threads[0].body, &[]);
        locals.insert(Local { frames: Vec::new(), status: Status::Stopped, thread: usize::MAX, ..nobody });
        Machine {
            world,
            buffers: Buffers::new(policy),
            crowded,
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
        }
    }

    /// How many numbers a state has, but for threads of crowds.
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

    fn settle(&mut self, local: Local) -> Result<LocalId, Halt> {
        let mut runner = Runner { world: &mut self.world, local, alone: None };
        let pending = runner.run()?;
        runner.settle(&pending);
        let (id, new) = self.locals.insert_full(runner.local);
        if new {
            self.pendings.push(Rc::new(pending));
            if self.locals.len() > VALUES {
                return Err(Halt::Limit(format!("a thread has more than {VALUES} states: its values are not finite")));
            }
        }
        Ok(id as LocalId)
    }

    /// What becomes of a thread's state with this input, and what it writes then.
    fn resume(&mut self, local: LocalId, input: u64) -> Result<(LocalId, Option<u64>), Halt> {
        let remember = self.world.record.is_none();
        if let Some(&known) = self.after.get(&(local, input)).filter(|_| remember) {
            return Ok(known);
        }
        let own = self.locals[local as usize].clone();
        let mut runner = Runner { world: &mut self.world, local: own, alone: None };
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
        held.unwrap_or(self.world.cells[cell as usize].initial)
    }

    /// Values that stand for all that a thread can read from a cell that nobody has written.
    fn any(&mut self, local: LocalId, cell: u32) -> Result<Vec<u64>, Halt> {
        let own = self.locals[local as usize].clone();
        let values = Runner { world: &mut self.world, local: own, alone: None }.any();
        values.ok_or_else(|| {
            let name = self.world.program.address_name(self.world.cells[cell as usize].address);
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
            next.push(self.world.cells[cell].initial);
        }
        next[place] = Some(value);
        let initial = |at: usize| self.world.cells[self.shared[at] as usize].initial;
        while next.last().is_some_and(|last| *last == initial(next.len() - 1)) {
            next.pop();
        }
        let next = self.memories.insert_full(next.into()).0 as u32;
        self.written.insert((memory, cell, value), next);
        next
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

    /// The steps of one thread from a state; those of a thread of a crowd that is there besides, if the number is that of
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
    pub fn is_inside(&self, local: LocalId) -> bool {
        self.locals[local as usize].inside.is_some()
    }

    fn flush(&mut self, state: &[u32], thread: usize, flush: Flush) {
        let memory = self.store(state[0], flush.cell, flush.value);
        let mut state = state.to_vec();
        state[0] = memory;
        state[2 + 2 * thread] = flush.rest;
        self.emit(state, Step::Flush(thread, flush.cell));
    }

    /// A step leads to this state.
    fn emit(&mut self, state: Vec<u32>, step: Step) {
        if !self.crowded {
            self.found.extend(state);
            if self.world.record.is_none() {
                self.steps.push(step);
            }
            return;
        }
        let (numbered, rest) = state.split_at(self.width());
        let crowd = rest.chunks_exact(2).map(|own| [own[0], own[1]]);
        // Who has nothing to do any more leaves the crowd, unless it keeps others out of a critical section.
        let idle = |local: LocalId| *self.pendings[local as usize] == Pending::Nothing && !self.is_inside(local);
        let stays = |own: &Member| own[1] != 0 || !idle(own[0]);
        self.arrivals.push((numbered.into(), crowd.filter(stays).collect()));
    }

    /// The steps in which a thread runs: the next thing that others can notice, and all that follows which they cannot.
    fn run(&mut self, state: &[u32], thread: usize) -> Result<(), Halt> {
        if matches!(*self.pendings[state[1 + 2 * thread] as usize], Pending::Nothing | Pending::Fail) {
            return Ok(());
        }
        debug_assert!(self.work.is_empty());
        self.work.push(Item { state: state.to_vec(), may: true, choices: Vec::new() });
        while let Some(item) = self.work.pop() {
            self.advance(item, thread, &mut std::iter::empty())?;
        }
        Ok(())
    }

    /// Runs a thread up to the end of the step, with these choices as long as there are some.
    fn advance(&mut self, mut item: Item, thread: usize, given: &mut dyn Iterator<Item = u64>) -> Result<bool, Halt> {
        for _ in 0..LENGTH {
            if self.failure.is_some() {
                self.work.clear();
                self.found.extend(item.state);
                return Ok(true);
            }
            match self.act(&mut item, thread)? {
                Flow::Done => {}
                Flow::Before => {
                    self.emit(item.state, Step::Run(thread, item.choices));
                    return Ok(true);
                }
                Flow::Disabled => return Ok(false),
                Flow::Split(values) => {
                    if self.world.record.is_some() {
                        let value = given.next().filter(|value| values.contains(value)).or(values.first().copied());
                        let Some(value) = value else { return Ok(false) };
                        self.choose(&mut item, thread, value)?;
                        continue;
                    }
                    for &value in values.iter().rev() {
                        let (state, may) = (item.state.clone(), item.may);
                        let mut next = Item { state, may, choices: item.choices.clone() };
                        next.choices.push(value);
                        self.choose(&mut next, thread, value)?;
                        self.work.push(next);
                    }
                    return Ok(false);
                }
            }
        }
        Err(Halt::Limit("a step does not come to an end".to_owned()))
    }

    /// Goes on with one of several values.
    fn choose(&mut self, item: &mut Item, thread: usize, value: u64) -> Result<(), Halt> {
        if let Pending::Load { cell, .. } = *Rc::clone(&self.pendings[item.state[1 + 2 * thread] as usize]) {
            let own = !self.buffers.read(item.state[2 + 2 * thread], cell).is_empty();
            if self.world.record.is_some() && !own {
                // From here on it holds what was read.
                let address = self.world.cells[cell as usize].address;
                if let Some(record) = &mut self.world.record {
                    record.any(address, value);
                }
                item.state[0] = self.store(item.state[0], cell, value);
            }
            self.note_read(&item.state, thread, cell, value, own);
        }
        item.may &= matches!(*self.pendings[item.state[1 + 2 * thread] as usize], Pending::Choose(_))
            && !self.locals[item.state[1 + 2 * thread] as usize].jumped;
        self.go_on(&mut item.state, thread, value)?;
        self.look(item, thread, thread);
        Ok(())
    }

    /// Whether the property fails where a thread has come to in a step of a thread, mostly its own.
    fn look(&mut self, item: &Item, thread: usize, step_of: usize) {
        if let Status::Failed(span, message) = &self.locals[item.state[1 + 2 * thread] as usize].status {
            let violation = Violation { thread: ir::ThreadId(thread as u32), span: *span, message: message.clone() };
            self.failure = Some((Step::Run(step_of, item.choices.clone()), violation));
        }
    }

    /// Whether another thread is inside a critical section too, if this one is.
    fn together(&mut self, item: &Item, thread: usize) {
        let inside = |at: usize| self.locals[item.state[1 + 2 * at] as usize].inside;
        let Some(span) = inside(thread) else { return };
        if (0..(item.state.len() - 1) / 2).any(|other| other != thread && inside(other).is_some()) {
            let violation = Violation { thread: ir::ThreadId(thread as u32), span, message: TWO_INSIDE.to_owned() };
            self.failure = Some((Step::Run(thread, item.choices.clone()), violation));
        }
    }

    fn go_on(&mut self, state: &mut [u32], thread: usize, input: u64) -> Result<Option<u64>, Halt> {
        let (next, written) = self.resume(state[1 + 2 * thread], input)?;
        state[1 + 2 * thread] = next;
        Ok(written)
    }

    /// Does what a thread is about to do.
    fn act(&mut self, item: &mut Item, thread: usize) -> Result<Flow, Halt> {
        let (own, buffered) = (1 + 2 * thread, 2 + 2 * thread);
        let id = item.state[own];
        let pending = Rc::clone(&self.pendings[id as usize]);
        let (open, jumped) = {
            let local = &self.locals[id as usize];
            (local.open > 0, local.jumped)
        };
        let buffer = item.state[buffered];
        if !open && !item.may && (!pending.is_hidden() || jumped) {
            return Ok(Flow::Before);
        }
        // What waits for the buffer to be empty.
        let wait = |may: bool| Ok(if may { Flow::Disabled } else { Flow::Before });
        let mut may = false;
        match &*pending {
            Pending::Load { cell, drains } => {
                if !open {
                    if buffer != 0 && (*drains || self.buffers.is_awaited(buffer)) {
                        return Ok(Flow::Disabled);
                    }
                    let known = self.buffers.read(buffer, *cell);
                    if known.len() > 1 {
                        return Ok(Flow::Split(known.to_vec()));
                    }
                    if let Some(&value) = known.first() {
                        self.note_read(&item.state, thread, *cell, value, true);
                        self.go_on(&mut item.state, thread, value)?;
                        item.may = false;
                        self.look(item, thread, thread);
                        return Ok(Flow::Done);
                    }
                }
                let Some(value) = self.load(item.state[0], *cell) else {
                    // Each time it is read, it can be anything: that is more than can happen.
                    return self.any(id, *cell).map(Flow::Split);
                };
                self.note_read(&item.state, thread, *cell, value, false);
                self.go_on(&mut item.state, thread, value)?;
            }
            Pending::Store { cell, value, drains } => {
                let direct = open || *drains;
                if direct && buffer != 0 {
                    return wait(item.may);
                }
                if !direct && self.buffers.store(buffer, *cell, *value).is_none() {
                    return wait(item.may);
                }
                self.note_write(&item.state, thread, *cell, *value, !direct, false);
                if direct {
                    item.state[0] = self.store(item.state[0], *cell, *value);
                } else if let Some(next) = self.buffers.store(buffer, *cell, *value) {
                    item.state[buffered] = next;
                }
                self.go_on(&mut item.state, thread, 0)?;
            }
            Pending::Rmw { cell } => {
                if buffer != 0 {
                    return Ok(Flow::Disabled);
                }
                let Some(value) = self.load(item.state[0], *cell) else {
                    return Err(Halt::Limit("memory is changed that nobody has written".to_owned()));
                };
                self.note_read(&item.state, thread, *cell, value, false);
                let before = item.state.clone();
                if let Some(written) = self.go_on(&mut item.state, thread, value)? {
                    self.note_write(&before, thread, *cell, written, false, true);
                    item.state[0] = self.store(item.state[0], *cell, written);
                }
            }
            Pending::Fence { drains, orders, waits } => {
                if buffer != 0 {
                    if *drains {
                        return wait(item.may);
                    }
                    if *orders {
                        item.state[buffered] = self.buffers.close(item.state[buffered]);
                    }
                    if *waits {
                        item.state[buffered] = self.buffers.wait(item.state[buffered]);
                    }
                }
                // Nothing has changed: if the step proves impossible further on, it can be tried again from here.
                may = item.may && !jumped && item.state[buffered] == buffer;
                self.note(id, |record, (span, tags, _)| record.fence(thread, &tags, span));
                self.go_on(&mut item.state, thread, 0)?;
            }
            Pending::Begin => {
                if buffer != 0 {
                    return Ok(Flow::Disabled);
                }
                self.note(id, |record, _| record.begin());
                self.go_on(&mut item.state, thread, 0)?;
            }
            Pending::End => {
                self.note(id, |record, (span, ..)| record.end(thread, span));
                self.go_on(&mut item.state, thread, 0)?;
                self.together(item, thread);
            }
            Pending::Choose(values) => return Ok(Flow::Split(values.to_vec())),
            Pending::Spawn { function, args, at } => {
                if buffer != 0 {
                    return wait(item.may);
                }
                if self.world.knowledge.crowds.contains(at) {
                    self.go_on(&mut item.state, thread, HANDLE)?;
                    let born = Runner::start(&self.world, CROWD, *function, args);
                    let born = self.settle(born)?;
                    item.state.extend([born, 0]);
                    self.look(item, item.state.len() / 2 - 1, thread);
                } else {
                    let free = self.free(&item.state, thread, *at)?;
                    self.note(id, |record, _| record.choose(thread, free as u64));
                    self.go_on(&mut item.state, thread, free as u64 + 1)?;
                    let born = Local { started: Some(*at), ..Runner::start(&self.world, free, *function, args) };
                    item.state[1 + 2 * free] = self.settle(born)?;
                    self.look(item, free, thread);
                }
            }
            Pending::Join { handle } => {
                if *handle == HANDLE && self.world.has_crowds() {
                    return Err(Halt::Limit("one of any number of threads is waited for".to_owned()));
                }
                let other = usize::try_from(*handle).ok().and_then(|handle| handle.checked_sub(1));
                let other = other.filter(|&other| other != thread && other < self.world.knowledge.threads);
                let ended = other.filter(|other| item.state[2 + 2 * other] == 0).and_then(|other| {
                    match self.locals[item.state[1 + 2 * other] as usize].status {
                        Status::Ended(value) => Some(value),
                        Status::Runs | Status::Stopped | Status::Failed(..) => None,
                    }
                });
                match ended {
                    Some(value) => self.go_on(&mut item.state, thread, value)?,
                    None if open => return Ok(Flow::Disabled),
                    None => return wait(item.may),
                };
            }
            Pending::Critical => {
                self.go_on(&mut item.state, thread, 0)?;
                self.together(item, thread);
            }
            Pending::Publish => return Err(Halt::Limit("memory is published twice".to_owned())),
            Pending::Nothing if open => return Ok(Flow::Disabled),
            Pending::Nothing | Pending::Fail => return Ok(Flow::Before),
        }
        // A section that does not come to its end does not take place.
        if self.stopped_inside(item, thread) {
            return Ok(Flow::Disabled);
        }
        item.may = may;
        self.look(item, thread, thread);
        Ok(Flow::Done)
    }

    /// The number of a thread that is started here. If many are, they become a crowd, and the search begins anew.
    fn free(&mut self, state: &[u32], thread: usize, at: At) -> Result<usize, Halt> {
        let numbered = self.world.knowledge.threads;
        let same = |slot: &usize| self.locals[state[1 + 2 * slot] as usize].started == Some(at);
        let many = thread >= numbered || (0..numbered).filter(same).count() >= self.world.knowledge.few;
        let knowledge = &mut self.world.knowledge;
        if many && !knowledge.apart {
            knowledge.crowds.insert(at);
            knowledge.threads = 1;
            return Err(Halt::Again);
        }
        (0..numbered).find(|at| state[1 + 2 * at] == 0).ok_or_else(|| {
            knowledge.threads += 1;
            if knowledge.threads > THREADS {
                Halt::Limit(format!("more than {THREADS} threads are started"))
            } else {
                Halt::Again
            }
        })
    }

    fn stopped_inside(&self, item: &Item, thread: usize) -> bool {
        let local = &self.locals[item.state[1 + 2 * thread] as usize];
        local.open > 0 && local.status == Status::Stopped
    }

    fn note(&mut self, local: LocalId, write: impl FnOnce(&mut Record, (Span, TagSet, TagSet))) {
        if self.world.record.is_some() {
            let own = self.locals[local as usize].clone();
            let shown = Runner { world: &mut self.world, local: own, alone: None }.shown();
            if let Some(record) = &mut self.world.record {
                write(record, shown);
            }
        }
    }

    fn note_read(&mut self, state: &[u32], thread: usize, cell: u32, value: u64, own: bool) {
        if self.world.record.is_some() {
            let held = self.load(state[0], cell);
            let address = self.world.cells[cell as usize].address;
            self.note(state[1 + 2 * thread], |record, (span, tags, _)| {
                record.touch(address, held);
                record.read(thread, Action::Read { address, value }, own, &tags, span);
            });
        }
    }

    fn note_write(&mut self, state: &[u32], thread: usize, cell: u32, value: u64, to_buffer: bool, rmw: bool) {
        if self.world.record.is_some() {
            let held = self.load(state[0], cell);
            let address = self.world.cells[cell as usize].address;
            self.note(state[1 + 2 * thread], |record, (span, tags, more)| {
                record.touch(address, held);
                let tags = if rmw { more } else { tags };
                record.write(thread, Action::Write { address, value }, to_buffer, &tags, span);
            });
        }
    }

    /// Takes a step of a path that is shown. Where it is not possible as it was thought, something like it is done.
    pub fn follow(&mut self, state: &[u32], step: &Step) -> Result<Vec<u32>, Halt> {
        let mut state = state.to_vec();
        match step {
            Step::Flush(thread, cell) => self.land(&mut state, *thread, Some(*cell)),
            Step::Run(thread, choices) => {
                self.found.clear();
                self.work.clear();
                let first = |state: &[u32]| Item { state: state.to_vec(), may: true, choices: Vec::new() };
                let before = (self.world.record.clone(), self.world.shown.clone());
                if !self.advance(first(&state), *thread, &mut choices.iter().copied())? {
                    (self.world.record, self.world.shown) = before;
                    // It waits for its buffer, perhaps.
                    while state[2 + 2 * thread] != 0 {
                        self.land(&mut state, *thread, None);
                    }
                    let before = (self.world.record.clone(), self.world.shown.clone());
                    if !self.advance(first(&state), *thread, &mut choices.iter().copied())? {
                        (self.world.record, self.world.shown) = before;
                    }
                }
                if !self.found.is_empty() {
                    state = self.found.clone();
                }
            }
        }
        Ok(state)
    }

    /// The oldest write of a thread, to this cell if one is given, reaches memory.
    fn land(&mut self, state: &mut [u32], thread: usize, cell: Option<u32>) {
        let buffer: BufferId = state[2 + 2 * thread];
        let flushes = self.buffers.flushes(buffer);
        let Some(&flush) = flushes.iter().find(|flush| cell.is_none_or(|cell| flush.cell == cell)) else { return };
        state[0] = self.store(state[0], flush.cell, flush.value);
        state[2 + 2 * thread] = flush.rest;
        let address = self.world.cells[flush.cell as usize].address;
        if let Some(record) = &mut self.world.record {
            record.land(thread, address);
        }
    }

    /// What the threads of a state run.
    pub fn bodies(&self, state: &[u32]) -> Vec<ir::FunctionId> {
        let ids = state[1..].iter().step_by(2).take_while(|&&id| id != 0);
        ids.map(|&id| self.locals[id as usize].body).collect()
    }
}
