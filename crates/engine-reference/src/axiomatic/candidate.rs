//! Candidate executions: one trace per thread, a write for every read, an order of the writes of every cell.

use super::trace::{Act, Trace};
use crate::layout::Layout;
use ir::{Location, Program, State, TagSet, ThreadId};
use model::{EventSet, Relation, Structure};
use source::Span;
use witness::{Action, Event, EventId, Execution};

/// The events of a choice of traces, with the choices that are left.
pub(super) struct Candidate<'a> {
    layout: &'a Layout,
    traces: &'a [&'a Trace],
    /// The number of the first event of each thread; initial writes come before.
    firsts: Vec<usize>,
    size: usize,
    /// The writes of each cell, the initial one first.
    writes: Vec<Vec<usize>>,
    /// Each read, and the writes of its cell and value.
    pub reads: Vec<(usize, Vec<usize>)>,
}

impl<'a> Candidate<'a> {
    /// Numbers the events; none if some read has no write to read from.
    pub fn new(layout: &'a Layout, traces: &'a [&'a Trace]) -> Option<Self> {
        let cells = layout.addresses.len();
        let mut firsts = Vec::new();
        let mut size = cells;
        let mut writes: Vec<Vec<usize>> = (0..cells).map(|cell| vec![cell]).collect();
        let mut values = layout.initial.clone();
        for trace in traces {
            firsts.push(size);
            for (at, event) in trace.events.iter().enumerate() {
                let value = match event.act {
                    Act::Write { cell, value } => {
                        writes[cell].push(size + at);
                        value
                    }
                    Act::Read { cell: _, value } => value,
                    Act::Fence => 0,
                };
                values.push(value);
            }
            size += trace.events.len();
        }
        let mut reads = Vec::new();
        for (trace, first) in traces.iter().zip(&firsts) {
            for (at, event) in trace.events.iter().enumerate() {
                let Act::Read { cell, value } = event.act else { continue };
                let sources: Vec<usize> =
                    writes[cell].iter().copied().filter(|&write| values[write] == value).collect();
                if sources.is_empty() {
                    return None;
                }
                reads.push((first + at, sources));
            }
        }
        Some(Candidate { layout, traces, firsts, size, writes, reads })
    }

    /// The structure without reads-from and coherence.
    pub fn structure(&self, program: &Program) -> Structure {
        let mut structure = Structure::new(self.size);
        let mut cells: Vec<Option<usize>> = (0..self.layout.addresses.len()).map(Some).collect();
        for cell in 0..cells.len() {
            structure.writes.insert(cell);
            structure.initial.insert(cell);
        }
        for (thread, (trace, &first)) in self.traces.iter().zip(&self.firsts).enumerate() {
            for (at, event) in trace.events.iter().enumerate() {
                let id = first + at;
                structure.threads[id] = Some(thread as u32);
                let cell = match event.act {
                    Act::Read { cell, value: _ } => {
                        structure.reads.insert(id);
                        Some(cell)
                    }
                    Act::Write { cell, value: _ } => {
                        structure.writes.insert(id);
                        Some(cell)
                    }
                    Act::Fence => {
                        structure.fences.insert(id);
                        None
                    }
                };
                cells.push(cell);
                for tag in event.tags.iter() {
                    let set = structure.tags.entry(program.tags[tag.index()].clone());
                    set.or_insert_with(|| EventSet::empty(self.size)).insert(id);
                }
                (first..id).for_each(|earlier| structure.po.insert(earlier, id));
            }
            let relations = [
                (&mut structure.addr, &trace.addr),
                (&mut structure.data, &trace.data),
                (&mut structure.ctrl, &trace.ctrl),
                (&mut structure.rmw, &trace.rmw),
                (&mut structure.amo, &trace.amo),
            ];
            for (relation, pairs) in relations {
                pairs.iter().for_each(|&(from, to)| relation.insert(first + from, first + to));
            }
        }
        for (one, cell) in cells.iter().enumerate().filter(|(_, cell)| cell.is_some()) {
            let same = cells.iter().enumerate().filter(|(_, other)| *other == cell);
            same.for_each(|(other, _)| structure.loc.insert(one, other));
        }
        structure
    }

    /// All choices of a write for each read, in the order of `reads`.
    pub fn sources(&self) -> Choices {
        Choices::new(self.reads.iter().map(|(_, sources)| sources.len()).collect())
    }

    /// Reads-from for a choice.
    pub fn rf(&self, choice: &[usize]) -> Relation {
        let pairs = self.reads.iter().zip(choice).map(|((read, sources), &at)| (sources[at], *read));
        Relation::from_pairs(self.size, pairs)
    }

    /// All orders of the writes of each cell, by cell.
    pub fn orders(&self) -> Vec<Vec<Vec<usize>>> {
        let after_initial = |writes: &Vec<usize>| {
            let orders = permutations(&writes[1..]).into_iter();
            orders.map(|order| writes[..1].iter().copied().chain(order).collect()).collect()
        };
        self.writes.iter().map(after_initial).collect()
    }

    /// Coherence for an order of the writes of each cell.
    pub fn co(&self, orders: &[&Vec<usize>]) -> Relation {
        let mut relation = Relation::empty(self.size);
        for order in orders {
            for (at, &write) in order.iter().enumerate() {
                order[..at].iter().for_each(|&earlier| relation.insert(earlier, write));
            }
        }
        relation
    }

    /// The value of a location when everything is done.
    pub fn value(&self, location: Location, orders: &[&Vec<usize>]) -> u64 {
        match location {
            Location::Local(thread, local) => self.traces[thread.index()].locals[local.index()],
            Location::Memory(address) => {
                let cell = self.layout.cell(address.to_bits());
                let last = cell.and_then(|cell| orders[cell].last());
                last.and_then(|&write| self.event(write).value()).unwrap_or(0)
            }
        }
    }

    fn event(&self, id: usize) -> Event {
        let address = |cell: usize| self.layout.addresses[cell];
        if id < self.layout.addresses.len() {
            let action = Action::Write { address: address(id), value: self.layout.initial[id] };
            return Event { thread: None, action, tags: TagSet::default(), span: Span::default() };
        }
        let thread = self.firsts.partition_point(|&first| first <= id) - 1;
        let event = &self.traces[thread].events[id - self.firsts[thread]];
        let action = match event.act {
            Act::Read { cell, value } => Action::Read { address: address(cell), value },
            Act::Write { cell, value } => Action::Write { address: address(cell), value },
            Act::Fence => Action::Fence,
        };
        Event { thread: Some(ThreadId(thread as u32)), action, tags: event.tags.clone(), span: event.span }
    }

    /// The execution for a choice of sources and orders.
    pub fn execution(&self, choice: &[usize], orders: &[&Vec<usize>], finals: State) -> Execution {
        let id = |event: usize| EventId(event as u32);
        let rf = self.reads.iter().zip(choice).map(|((read, sources), &at)| (id(sources[at]), id(*read)));
        let written = orders.iter().filter(|order| order.len() > 1);
        Execution {
            events: (0..self.size).map(|event| self.event(event)).collect(),
            rf: rf.collect(),
            co: written.map(|order| order.iter().map(|&write| id(write)).collect()).collect(),
            finals,
            choices: self.traces.iter().map(|trace| trace.choices.clone()).collect(),
            ..Execution::default()
        }
    }
}

/// All sequences with a number below each of the limits, like the digits of a counter.
pub(super) struct Choices {
    limits: Vec<usize>,
    next: Option<Vec<usize>>,
}

impl Choices {
    pub fn new(limits: Vec<usize>) -> Self {
        let next = limits.iter().all(|&limit| limit > 0).then(|| vec![0; limits.len()]);
        Choices { limits, next }
    }
}

impl Iterator for Choices {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let current = self.next.take()?;
        let mut following = current.clone();
        for (digit, &limit) in following.iter_mut().zip(&self.limits) {
            *digit += 1;
            if *digit < limit {
                self.next = Some(following);
                break;
            }
            *digit = 0;
        }
        Some(current)
    }
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, &first) in items.iter().enumerate() {
        let rest: Vec<usize> = items[..at].iter().chain(&items[at + 1..]).copied().collect();
        all.extend(permutations(&rest).into_iter().map(|tail| [vec![first], tail].concat()));
    }
    all
}
