//! Executions read off solutions: the schedule is gone through again, step by step, with real values.

use crate::problem::{Problem, Settled, Step, Work, in_order};
use crate::queues::Owner;
use crate::schedule::Item;
use ir::State;
use logic::{Evaluation, Term};
use model::Buffers;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use symbolic::{Input, Kind};
use witness::{Action, Event, EventId, Execution, Violation};

/// A write on its way or in memory: when it lands, and its event.
#[derive(Debug, Clone, Copy)]
struct Write {
    lands: u64,
    event: usize,
}

/// What happens in the order in which it happens.
#[derive(Debug, Default)]
struct Path {
    /// With explicit queues: who owns them, and the writes that they hold with their locations.
    owners: Vec<Owner>,
    queues: Vec<VecDeque<(usize, Write)>>,
    clock: u64,
    /// The writes to each location, in the order in which they reach memory.
    writes: BTreeMap<usize, Vec<Write>>,
    /// The last write of each thread to each location.
    last: BTreeMap<(usize, usize), Write>,
    /// For each thread the time by which all its writes have reached memory.
    latest: BTreeMap<usize, u64>,
    /// Who reads from whom.
    rf: Vec<(usize, usize)>,
}

impl Path {
    /// The oldest write of a queue reaches memory.
    fn arrive(&mut self, queue: usize) {
        if let Some((place, write)) = self.queues[queue].pop_front() {
            self.writes.entry(place).or_default().push(write);
        }
    }

    /// Writes reach memory by themselves.
    fn pass(&mut self, arrivals: &[Term], solution: &mut Evaluation<'_>) {
        for &arrival in arrivals {
            let queue = solution.value(arrival) as usize;
            if queue < self.queues.len() {
                self.arrive(queue);
            }
        }
    }

    fn drain(&mut self, thread: usize) {
        for queue in 0..self.queues.len() {
            while self.owners[queue].thread == thread && !self.queues[queue].is_empty() {
                self.arrive(queue);
            }
        }
        let latest = self.latest.get(&thread).copied().unwrap_or(0);
        self.clock = self.clock.max(latest);
    }

    fn read(&mut self, thread: usize, place: usize, event: usize) {
        let queues = self.queues.iter().zip(&self.owners).filter(|(_, owner)| owner.thread == thread);
        let queued = queues.flat_map(|(queue, _)| queue).rfind(|write| write.0 == place);
        let timed = self.last.get(&(place, thread)).filter(|write| write.lands > self.clock);
        let own = queued.map(|write| write.1).or(timed.copied());
        let landed = self.writes.get(&place).and_then(|all| all.iter().rev().find(|write| write.lands <= self.clock));
        // The initial write of a location has its number.
        let source = own.or(landed.copied()).map_or(place, |write| write.event);
        self.rf.push((source, event));
    }

    /// A write goes into its queue.
    fn push(&mut self, thread: usize, place: usize, write: Write) {
        let own = |owner: &Owner| owner.thread == thread && owner.places.contains(&place);
        let queue = self.owners.iter().position(own).expect("what takes its time has a queue");
        self.queues[queue].push_back((place, write));
    }

    fn write(&mut self, thread: usize, place: usize, write: Write) {
        let all = self.writes.entry(place).or_default();
        let at = all.partition_point(|other| other.lands <= write.lands);
        all.insert(at, write);
        self.last.insert((place, thread), write);
        let latest = self.latest.entry(thread).or_default();
        *latest = (*latest).max(write.lands);
    }
}

/// How far each thread comes: the position in its row of the first event that it should make and does not.
fn ends(problem: &Problem<'_>, solution: &mut Evaluation<'_>) -> Vec<Option<usize>> {
    let mut ends = Vec::new();
    for (thread, row) in problem.rows.rows.iter().enumerate() {
        let mut end = None;
        for (at, item) in row.items.iter().enumerate() {
            let waits = match *item {
                Item::Event(event) => solution.truth(problem.structure.events[event as usize].guard),
                Item::Arrives(link) => solution.truth(problem.structure.links[link].when),
                Item::Departs(_) => false,
            };
            if waits && !solution.truth(problem.turns.passed(thread, row.units[at])) {
                end = Some(at);
                break;
            }
        }
        ends.push(end);
    }
    ends
}

/// Reads the execution off a solution.
pub fn extract(problem: &mut Problem<'_>, buffers: Buffers, assignment: &logic::Assignment) -> Execution {
    let asked = !problem.structure.finals.is_empty();
    let observed = if asked { problem.program.observables() } else { Vec::new() };
    let finals: Vec<(ir::Location, Term)> =
        observed.into_iter().map(|location| (location, problem.final_value(location))).collect();
    let problem = &*problem;
    let structure = &problem.structure;
    let mut solution = Evaluation::new(&structure.terms, assignment);
    let ends = ends(problem, &mut solution);
    let happens = |step: &Step, solution: &mut Evaluation<'_>| {
        solution.truth(structure.events[step.event].guard)
            && solution.truth(problem.turns.passed(step.thread, step.unit))
    };
    let mut execution = Execution::default();
    let mut number: Vec<Option<EventId>> = vec![None; structure.events.len()];
    let given: Vec<Vec<(bool, Input)>> = (0..structure.inputs.len())
        .map(|thread| {
            let all = structure.inputs[thread].iter().zip(&structure.moments[thread]);
            let asked = all.map(|(&(when, input), &moment)| {
                let reached = match (ends[thread], problem.rows.item(thread, moment)) {
                    (Some(end), Some(place)) => place < end,
                    (None, _) | (_, None) => true,
                };
                (reached && solution.truth(when), input)
            });
            asked.collect()
        })
        .collect();
    let absent = absent(problem, &given);
    let initial =
        (0..structure.locations.len()).filter(|&at| !absent.contains(&structure.locations[at].address.object.0));
    for at in initial {
        if !structure.fits(problem.program, at, &mut solution) {
            continue;
        }
        let symbolic::Location { address, width } = structure.locations[at];
        let event = &structure.events[at];
        let value = ir::truncate(solution.value(event.value), width);
        push(&mut execution, &mut number, at, event, Action::Write { address, value });
    }
    let mut places: Vec<Option<usize>> = vec![None; structure.events.len()];
    for work in problem.work.iter().flatten() {
        let Work::Step(step) = work else { continue };
        if !happens(step, &mut solution) {
            continue;
        }
        let event = &structure.events[step.event];
        let action = match event.kind {
            Kind::Fence => Action::Fence,
            Kind::Read | Kind::Write => {
                let place = step.places.iter().find(|&&(_, when)| solution.truth(when));
                let &(place, _) = place.expect("an executed access has a location");
                places[step.event] = Some(place);
                let symbolic::Location { address, width } = structure.locations[place];
                let value = solution.value(event.value);
                if event.kind == Kind::Read {
                    Action::Read { address, value }
                } else {
                    Action::Write { address, value: ir::truncate(value, width) }
                }
            }
        };
        push(&mut execution, &mut number, step.event, event, action);
    }
    let path = follow(problem, buffers, &places, &mut solution);
    let named = |event: usize| number[event].expect("whoever communicates is executed");
    execution.rf = path.rf.iter().map(|&(write, read)| (named(write), named(read))).collect();
    execution.rf.sort();
    execution.co = path
        .writes
        .iter()
        .map(|(&place, writes)| std::iter::once(place).chain(writes.iter().map(|w| w.event)).map(named).collect())
        .collect();
    execution.finals = finals.iter().map(|&(location, term)| (location, solution.value(term))).collect::<State>();
    execution.started = structure.started.clone();
    execution.made = structure.made.iter().map(|made| made.object(&mut solution)).collect();
    for own in given {
        let mut choices = Vec::new();
        for (_, input) in own.into_iter().filter(|(asked, _)| *asked) {
            choices.push(match input {
                Input::Value(value) => solution.value(value),
                Input::Object(number) | Input::Thread(number) => number.into(),
            });
        }
        execution.choices.push(choices);
    }
    execution.violation = problem.failing(&mut solution).map(|failing| Violation {
        thread: failing.thread,
        span: failing.span,
        message: failing.message.clone(),
    });
    execution
}

fn push(execution: &mut Execution, number: &mut [Option<EventId>], at: usize, event: &symbolic::Event, action: Action) {
    number[at] = Some(EventId(execution.events.len() as u32));
    execution.events.push(Event { thread: event.thread, action, tags: event.tags.clone(), span: event.span });
}

/// The numbers of the objects that are made in other executions, but not in this one.
fn absent(problem: &Problem<'_>, given: &[Vec<(bool, Input)>]) -> BTreeSet<u32> {
    let first = problem.program.objects.len() as u32;
    let mut absent: BTreeSet<u32> = (first..first + problem.structure.made.len() as u32).collect();
    for (asked, input) in given.iter().flatten() {
        match input {
            Input::Object(number) if *asked => {
                absent.remove(number);
            }
            Input::Object(_) | Input::Value(_) | Input::Thread(_) => {}
        }
    }
    absent
}

/// Goes through the steps in the order in which they have their turns.
fn follow(problem: &Problem<'_>, buffers: Buffers, places: &[Option<usize>], solution: &mut Evaluation<'_>) -> Path {
    let owners = problem.owners.clone().unwrap_or_default();
    let explicit = problem.owners.is_some();
    let mut path = Path { queues: vec![VecDeque::new(); owners.len()], owners, ..Path::default() };
    for round in 0..problem.bounds.rounds as usize {
        for work in in_order(&problem.rows, &problem.work, round) {
            let step = match work {
                Work::Step(step) => step,
                Work::Settled(Settled { thread, when, turns, arrivals, .. }) => {
                    if solution.truth(*when) && solution.truth(turns[round]) {
                        path.pass(arrivals, solution);
                        path.drain(*thread);
                    }
                    continue;
                }
            };
            let event = &problem.structure.events[step.event];
            if !solution.truth(event.guard) || !solution.truth(step.turns[round]) {
                continue;
            }
            if solution.truth(step.ticks) {
                path.pass(&step.arrivals, solution);
            }
            if buffers != Buffers::None && (step.drains || step.fences.contains(&crate::memory::Fence::Drain)) {
                path.drain(step.thread);
            }
            let Some(place) = places[step.event] else { continue };
            let idle = event.kind == Kind::Write && !step.at_once && problem.roomy;
            if buffers != Buffers::None && !explicit && !idle && solution.truth(step.ticks) {
                // Where it did not matter, no time was guessed.
                path.clock = path.clock.max(solution.value(step.guess.time));
            }
            match event.kind {
                Kind::Fence => {}
                Kind::Read => path.read(step.thread, place, step.event),
                Kind::Write if explicit => {
                    let write = Write { lands: 0, event: step.event };
                    match (step.at_once, buffers) {
                        (false, _) => path.push(step.thread, place, write),
                        (true, Buffers::Thread) => {
                            path.drain(step.thread);
                            path.write(step.thread, place, write);
                        }
                        (true, Buffers::Location | Buffers::None) => path.write(step.thread, place, write),
                    }
                }
                Kind::Write => {
                    let lands = if step.at_once { path.clock } else { solution.value(step.guess.lands) };
                    path.write(step.thread, place, Write { lands, event: step.event });
                }
            }
        }
    }
    path.pass(&problem.arrivals, solution);
    for thread in 0..problem.rows.rows.len() {
        path.drain(thread);
    }
    path
}
