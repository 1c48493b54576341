//! What memory, store buffers and locks hold after each step of an order.

use super::call::{Call, call};
use super::order::Point;
use super::words::Teller;
use crate::replay::Moment;
use ir::Address;
use std::collections::{BTreeMap, BTreeSet};

/// The machine between two points.
struct Machine {
    memory: BTreeMap<Address, u64>,
    /// For each thread the writes on their way, the oldest first.
    buffers: Vec<Vec<usize>>,
    /// The threads that hold each lock, in the order in which they took it.
    owners: BTreeMap<Address, Vec<u32>>,
}

impl Teller<'_> {
    /// What there is before the first step and after each of them, for `steps` steps: a failure may be one of its own.
    pub fn moments(&self, steps: usize) -> Vec<Moment> {
        let (shown, locks) = (self.touched(), self.locks());
        let initial = self.execution.events.iter().filter(|event| event.thread.is_none());
        let initial: BTreeMap<Address, u64> = initial.filter_map(|event| event.address().zip(event.value())).collect();
        let threads = self.graph.threads.len();
        let mut machine =
            Machine { memory: initial.clone(), buffers: vec![Vec::new(); threads], owners: BTreeMap::new() };
        let mut moments = vec![self.moment(&machine, shown.keys())];
        let mut current = 0;
        for point in self.points.iter().take_while(|point| **point != Point::Fail) {
            // A write that is not delayed arrives in the step in which it is issued.
            let step = match *point {
                Point::Issue(event) => self.step_of[event],
                Point::Arrive(event) => self.arrival_step[event].or(self.step_of[event]),
                Point::Fail => None,
            };
            current = current.max(step.unwrap_or(current));
            self.apply(&mut machine, *point, &locks, &initial);
            let now = self.moment(&machine, shown.keys());
            moments.resize(current, moments.last().cloned().unwrap_or_default());
            moments.push(now);
        }
        let last = moments.last().cloned().unwrap_or_default();
        moments.resize(steps + 1, last);
        moments
    }

    /// The locations that calls of the thread library take as locks.
    fn locks(&self) -> BTreeSet<Address> {
        let takes = |event: usize| match call(&self.graph.events[event].source) {
            Some(Call::Take(verb) | Call::Try(verb)) => verb.ends_with("locks"),
            Some(Call::Give(_) | Call::Wait | Call::Start | Call::Join) | None => false,
        };
        let exchanged = self.s.rmw.iter().filter(|&(_, write)| takes(write));
        exchanged.filter_map(|(_, write)| self.execution.events[write].address()).collect()
    }

    fn apply(&self, machine: &mut Machine, point: Point, locks: &BTreeSet<Address>, initial: &BTreeMap<Address, u64>) {
        let (Point::Issue(at) | Point::Arrive(at)) = point else { return };
        let event = &self.execution.events[at];
        let (Some(address), Some(value), Some(thread)) = (event.address(), event.value(), event.thread) else { return };
        if !event.is_write() {
            return;
        }
        let buffer = machine.buffers.get_mut(thread.index());
        if matches!(point, Point::Issue(_)) {
            if let Some(buffer) = buffer.filter(|_| self.is_shown_delayed(at)) {
                buffer.push(at);
            }
            return;
        }
        if let Some(buffer) = buffer {
            buffer.retain(|&other| other != at);
        }
        machine.memory.insert(address, value);
        if locks.contains(&address) {
            let owners = machine.owners.entry(address).or_default();
            owners.retain(|&other| other != thread.0);
            if initial.get(&address).is_none_or(|&free| free == value) {
                owners.clear();
            } else if self.s.rmw.iter().any(|(_, write)| write == at) {
                owners.push(thread.0);
            }
        }
    }

    /// Whether a write waits in a buffer, where a reader would look for it.
    fn is_shown_delayed(&self, write: usize) -> bool {
        let library = call(&self.graph.events[write].source).is_some();
        !library && (self.arrival_step[write].is_some() || self.arrived[write].is_none())
    }

    fn moment<'a>(&self, machine: &Machine, shown: impl Iterator<Item = &'a Address>) -> Moment {
        let cell = |address: Address, value: u64| (self.names.address(address), self.names.value(address, value));
        let buffered = |&write: &usize| {
            let event = &self.execution.events[write];
            event.address().zip(event.value()).map(|(address, value)| cell(address, value))
        };
        let owner = |thread: &u32| self.names.thread(ir::ThreadId(*thread));
        Moment {
            memory: shown.map(|&address| cell(address, machine.memory.get(&address).copied().unwrap_or(0))).collect(),
            buffers: machine.buffers.iter().map(|buffer| buffer.iter().filter_map(buffered).collect()).collect(),
            locks: machine
                .owners
                .iter()
                .filter(|(_, owners)| !owners.is_empty())
                .map(|(&address, owners)| (self.names.address(address), owners.iter().map(owner).collect()))
                .collect(),
        }
    }
}
