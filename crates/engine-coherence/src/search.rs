//! The search: from the first state to all others, breadth first, until the property fails or there are no more.

use crate::buffer::{Memory, Policy};
use crate::machine::{Machine, Step};
use crate::space::{NOBODY, Space};
use crate::thread::{Local, Pending, Runner};
use crate::world::{Knowledge, World};
use crate::{ABSTRACTION, Abstraction};
use engine::Record;
use engine::{Meter, NoAnswer, Observer, Task};
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use stepper::{CellName, Halt, Object, Status};
use witness::{Execution, Violation};

/// How often the observer hears of the search.
const REPORT: Duration = Duration::from_millis(500);

/// How many units of work a beat of the search costs, and each state that is new since the last one.
const VISIT: u64 = 50;
const STATE: u64 = 1;

/// How many ways the first thread may take before others come to be.
const WAYS: usize = 256;

/// The state in which others may come to be: the first thread, the objects, and the choices up to here.
#[derive(Debug, Clone)]
pub struct Beginning {
    pub local: Local,
    objects: Vec<Object>,
    choices: Vec<u64>,
}

/// What the first thread does alone.
pub struct Alone {
    pub beginnings: Vec<Beginning>,
    /// If the property fails: the choices that lead there, and where.
    pub failure: Option<(Vec<u64>, Violation)>,
}

/// What a search has found.
pub enum Explored {
    /// All states were visited. Exact means: nothing was abstracted.
    Done { exact: bool },
    /// The property fails on this path.
    Failure(Vec<NamedStep>),
    /// There are more states than were allowed; `exact` if no buffer was abstracted and none was full.
    Budget { exact: bool },
    /// There are replicas, and the search was to give each thread a number.
    Replicated,
}

/// A step of a path, in terms that another machine understands.
#[derive(Debug, Clone)]
pub enum NamedStep {
    /// See [`Step::Run`].
    Run(usize, Vec<u64>),
    /// See [`Step::Flush`].
    Flush(usize, CellName),
}

/// What a search cost.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    pub states: u64,
    /// The bytes of the states and of their table.
    pub bytes: u64,
}

/// Lets the first thread run alone, with these choices as long as there are some, up to what it needs others for: a choice
/// that nobody has made, the moment from which others may exist, or an end.
fn lead<'w, 'p>(world: &'w mut World<'p>, choices: &[u64]) -> Result<(Runner<'w, 'p>, Pending), Halt> {
    let local = Local::start(world, 0, world.memory.program.threads[0].body, &[], None);
    world.memory.begin();
    let mut runner = Runner { world, local };
    let mut given = choices.iter();
    loop {
        let pending = runner.run()?;
        let input = if matches!(pending, Pending::Choose(_)) { given.next().copied() } else { None };
        match input {
            Some(value) => runner.resume(value)?,
            None => return Ok((runner, pending)),
        };
    }
}

/// Lets the first thread run until others may come to be, in all ways.
pub fn alone(world: &mut World<'_>) -> Result<Alone, Halt> {
    let mut all = Alone { beginnings: Vec::new(), failure: None };
    let mut open: Vec<Vec<u64>> = vec![Vec::new()];
    let mut ways = 0;
    while let Some(choices) = open.pop() {
        ways += 1;
        if ways > WAYS {
            return Err(Halt::Limit(format!("the first thread has more than {WAYS} ways to begin")));
        }
        let (mut runner, pending) = lead(world, &choices)?;
        match pending {
            Pending::Choose(values) => {
                open.extend(values.iter().rev().map(|&value| [&choices[..], &[value]].concat()));
            }
            Pending::Publish => {
                runner.resume(0)?;
                let objects = std::mem::take(&mut runner.world.memory.objects);
                all.beginnings.push(Beginning { local: runner.local, objects, choices });
            }
            Pending::Fail => {
                if let Status::Failed(span, message) = runner.local.thread.status {
                    let thread = ir::ThreadId(0);
                    all.failure = Some((choices, Violation { thread, span, message }));
                }
                return Ok(all);
            }
            Pending::Nothing => {}
            Pending::Load { .. }
            | Pending::Store { .. }
            | Pending::Rmw { .. }
            | Pending::Fence { .. }
            | Pending::Begin
            | Pending::End
            | Pending::Critical
            | Pending::Spawn { .. }
            | Pending::Join { .. } => {
                return Err(Halt::Limit("internal: the first thread is not alone".to_owned()));
            }
        }
    }
    Ok(all)
}

/// The beginning again, with a record of what happens.
fn again(world: &mut World<'_>, choices: &[u64]) -> Result<Local, Halt> {
    let (mut runner, pending) = lead(world, choices)?;
    if pending == Pending::Publish {
        runner.resume(0)?;
    }
    let local = runner.local;
    world.memory.alone = false;
    Ok(local)
}

/// A search of a program under a model.
pub struct Search<'t> {
    pub task: &'t Task<'t>,
    /// Whether to give up after a first look.
    pub shallow: bool,
    pub buffers: model::Buffers,
    pub property: engine::Property,
    pub observer: &'t dyn Observer,
    pub knowledge: Knowledge,
    pub cost: Cost,
    /// How many replicas a view has at most; none if there are no replicas.
    pub view_size: usize,
}

/// The beat at which a search asks whether to stop and tells how far it is.
pub struct Pulse<'t> {
    observer: &'t dyn Observer,
    meter: Meter,
    /// How many states were accounted for.
    accounted: usize,
    started: Instant,
    reported: Instant,
}

impl Pulse<'_> {
    pub fn beat(&mut self, space: &Space) -> Result<(), NoAnswer> {
        let states = space.len().saturating_sub(self.accounted);
        self.accounted = space.len();
        engine::spend(&self.meter, self.observer, VISIT + STATE * states as u64)?;
        if self.reported.elapsed() > REPORT {
            self.reported = Instant::now();
            let rate = space.len() as f64 / self.started.elapsed().as_secs_f64();
            let (states, mib) = (space.len(), space.bytes() >> 20);
            self.observer.phase("search", &format!("{states} states, {rate:.0} a second, {mib} MiB"));
        }
        Ok(())
    }
}

impl<'t> Search<'t> {
    pub fn world(&self) -> World<'t> {
        let (program, head) = (self.task.program, &self.task.model.head);
        let mut world = World::new(program, head, self.buffers, self.property, self.knowledge.clone());
        // Who asks for an abstraction by name gets it as the papers have it, with all stores in buffers.
        let asked = ABSTRACTION.of(self.task.options);
        world.direct = matches!(asked, None | Some(Abstraction::Auto | Abstraction::None));
        world
    }

    pub fn policy(&self, memory: Memory) -> Policy {
        Policy { memory, total: self.buffers == model::Buffers::Thread }
    }

    /// Visits all states, up to so many.
    pub fn run(
        &mut self,
        beginning: &Beginning,
        memory: Memory,
        budget: usize,
    ) -> Result<Result<Explored, String>, NoAnswer> {
        loop {
            if !self.knowledge.replicated.is_empty() && self.view_size == 0 {
                return Ok(Ok(Explored::Replicated));
            }
            let mut world = self.world();
            world.memory.objects.clone_from(&beginning.objects);
            let mut machine = Machine::new(world, self.policy(memory), self.view_size > 0);
            let result = if self.view_size == 0 {
                self.explore(&mut machine, beginning, budget)
            } else {
                self.explore_views(&mut machine, beginning, budget)
            };
            self.knowledge = machine.world.knowledge.clone();
            match result? {
                Ok(outcome) => return Ok(Ok(outcome)),
                Err(Halt::Again) => {}
                Err(Halt::Choice) => return Ok(Err("internal: the first thread is not alone".to_owned())),
                Err(Halt::Limit(what)) => return Ok(Err(what)),
            }
        }
    }

    fn explore(
        &mut self,
        machine: &mut Machine<'_>,
        beginning: &Beginning,
        budget: usize,
    ) -> Result<Result<Explored, Halt>, NoAnswer> {
        let merges = matches!(machine.buffers.policy().memory, Memory::Partial(_));
        let mut space = Space::new(machine.width());
        let first = match machine.start(beginning.local.clone()) {
            Ok(first) => first,
            Err(halt) => return Ok(Err(halt)),
        };
        if machine.failure.take().is_some() {
            return Ok(Ok(Explored::Failure(Vec::new())));
        }
        space.insert(&first, NOBODY, |_, word| word);
        let mut again: VecDeque<u32> = VecDeque::new();
        let (mut next, mut pulse) = (0, self.pulse());
        let mut state = first;
        let outcome = loop {
            let at = if next < space.len() as u32 {
                next += 1;
                next - 1
            } else if let Some(at) = again.pop_front() {
                at
            } else {
                break Explored::Done { exact: !machine.buffers.abstracted };
            };
            // As long as no write is on its way all abstractions are the same: there is nobody to hand over to.
            if space.len() > budget && (self.shallow || machine.buffers.len() > 1) {
                break Explored::Budget { exact: !machine.buffers.abstracted };
            }
            if at.is_multiple_of(256) {
                pulse.beat(&space)?;
            }
            state.copy_from_slice(space.row(at));
            if let Err(halt) = machine.expand(&state) {
                return Ok(Err(halt));
            }
            if let Some((step, _)) = machine.failure.take() {
                break Explored::Failure(path(machine, &space, at, step));
            }
            let found = std::mem::take(&mut machine.found);
            for row in found.chunks_exact(machine.width()) {
                if !merges {
                    space.insert(row, at, |_, word| word);
                } else if let Some(grown) = merge(machine, &mut space, row, at)
                    && grown < next
                {
                    // A state that is still to be visited will be visited with what it is now.
                    again.push_back(grown);
                }
            }
            machine.found = found;
        };
        self.count(&space, machine);
        Ok(Ok(outcome))
    }

    pub fn pulse(&self) -> Pulse<'t> {
        let (observer, meter) = (self.observer, self.observer.meter());
        Pulse { observer, meter, accounted: 0, started: Instant::now(), reported: Instant::now() }
    }

    /// Adds up what a search cost, and tells it.
    pub fn count(&mut self, space: &Space, machine: &Machine<'_>) {
        self.cost.states += space.len() as u64;
        self.cost.bytes = self.cost.bytes.max(space.bytes() as u64);
        let (locals, memories, buffers) = machine.sizes();
        let shape = format!(
            "{} states; {locals} of threads, {memories} of memory, {buffers} of buffers; {}",
            space.len(),
            machine.buffers.policy().memory.words()
        );
        self.observer.phase("search", &shape);
    }

    /// Goes a path with buffers as they are, and shows it if the property fails on it.
    pub fn replay(&self, beginning: &Beginning, path: &[NamedStep]) -> Option<Execution> {
        let mut world = self.world();
        world.record = Some(Record::default());
        let local = again(&mut world, &beginning.choices).ok()?;
        let mut machine = Machine::new(world, self.policy(Memory::Exact(usize::MAX)), false);
        let mut state = machine.start(local).ok()?;
        if let Some((_, violation)) = machine.failure.take() {
            return Some(show(machine, &state, violation));
        }
        for step in path {
            let step = match step {
                NamedStep::Run(thread, choices) => Step::Run(*thread, choices.clone()),
                NamedStep::Flush(thread, name) => {
                    let Some(cell) = machine.world.memory.cells.iter().position(|cell| cell.name == *name) else {
                        continue;
                    };
                    Step::Flush(*thread, cell as u32)
                }
            };
            state = machine.follow(&state, &step).ok()?;
            if let Some((_, violation)) = machine.failure.take() {
                return Some(show(machine, &state, violation));
            }
        }
        None
    }

    /// A failure of the first thread before there were others.
    pub fn replay_alone(&self, choices: &[u64], violation: Violation) -> Option<Execution> {
        let mut world = self.world();
        world.record = Some(Record::default());
        let bodies = [again(&mut world, choices).ok()?.thread.body];
        let made = world.memory.declared(&world.shown);
        let record = world.record.take()?;
        Some(record.execution(world.memory.program, &bodies, made, violation))
    }
}

/// Adds a state, or the values in its buffers to one that differs in these only. Says which one has grown.
fn merge(machine: &mut Machine<'_>, space: &mut Space, row: &[u32], from: u32) -> Option<u32> {
    row[2..].iter().step_by(2).for_each(|&buffer| machine.buffers.learn_shape(buffer));
    let buffers = &machine.buffers;
    let key = |at: usize, word: u32| if at >= 2 && at.is_multiple_of(2) { buffers.shape(word) } else { word };
    let (known, new) = space.insert(row, from, key);
    if new {
        return None;
    }
    let mut grown = false;
    for at in (2..row.len()).step_by(2) {
        let union = machine.buffers.join(space.row(known)[at], row[at]);
        machine.buffers.learn_shape(union);
        grown |= union != space.row(known)[at];
        space.row_mut(known)[at] = union;
    }
    grown.then_some(known)
}

/// The steps that lead to a state, and one more.
fn path(machine: &mut Machine<'_>, space: &Space, at: u32, last: Step) -> Vec<NamedStep> {
    let mut states = vec![at];
    let mut from = at;
    while space.parent(from) != NOBODY {
        from = space.parent(from);
        states.push(from);
    }
    states.reverse();
    let mut steps = Vec::new();
    for pair in states.windows(2) {
        let (from, to) = (space.row(pair[0]).to_vec(), space.row(pair[1]));
        if machine.expand(&from).is_err() {
            break;
        }
        let width = machine.width();
        let shape = |machine: &Machine<'_>, row: &[u32]| -> Vec<u32> {
            let key = |(at, &word): (usize, &u32)| {
                if at >= 2 && at.is_multiple_of(2) { machine.buffers.shape(word) } else { word }
            };
            row.iter().enumerate().map(key).collect()
        };
        let wanted = shape(machine, to);
        let step = machine.found.chunks_exact(width).position(|row| row == to || shape(machine, row) == wanted);
        steps.extend(step.map(|step| machine.steps[step].clone()));
    }
    steps.push(last);
    steps.into_iter().map(|step| named(machine, step)).collect()
}

fn named(machine: &Machine<'_>, step: Step) -> NamedStep {
    match step {
        Step::Run(thread, choices) => NamedStep::Run(thread, choices),
        Step::Flush(thread, cell) => NamedStep::Flush(thread, machine.world.memory.cells[cell as usize].name),
    }
}

fn show(mut machine: Machine<'_>, state: &[u32], violation: Violation) -> Execution {
    let bodies = machine.bodies(state);
    let made = machine.world.memory.declared(&machine.world.shown);
    let record = machine.world.record.take().unwrap_or_default();
    record.execution(machine.world.memory.program, &bodies, made, violation)
}
