//! Executions written by hand.

use model::{EventSet, Relation, Structure};
use std::collections::BTreeMap;

/// Builds a [`Structure`] thread by thread. The events 0, 1, … are the initial writes of the locations.
pub struct Execution {
    locations: Vec<&'static str>,
    events: Vec<Event>,
    thread: u32,
    addr: Vec<(usize, usize)>,
    data: Vec<(usize, usize)>,
    ctrl: Vec<(usize, usize)>,
    rmw: Vec<(usize, usize)>,
    amo: Vec<(usize, usize)>,
    rf: Vec<(usize, usize)>,
    co: Vec<Vec<usize>>,
}

#[derive(Clone)]
struct Event {
    thread: Option<u32>,
    kind: char,
    location: Option<&'static str>,
    tags: Vec<&'static str>,
}

#[allow(dead_code, reason = "each test file uses a part of it")]
impl Execution {
    pub fn new(locations: &[&'static str]) -> Self {
        let initial =
            |location: &&'static str| Event { thread: None, kind: 'I', location: Some(location), tags: vec![] };
        Execution {
            locations: locations.to_vec(),
            events: locations.iter().map(initial).collect(),
            thread: 0,
            addr: vec![],
            data: vec![],
            ctrl: vec![],
            rmw: vec![],
            amo: vec![],
            rf: vec![],
            co: locations.iter().enumerate().map(|(initial, _)| vec![initial]).collect(),
        }
    }

    pub fn thread(&mut self) -> &mut Self {
        self.thread += 1;
        self
    }

    fn push(&mut self, kind: char, location: Option<&'static str>, tags: &[&'static str]) -> usize {
        self.events.push(Event { thread: Some(self.thread), kind, location, tags: tags.to_vec() });
        self.events.len() - 1
    }

    fn place(&self, location: &str) -> usize {
        self.locations.iter().position(|own| *own == location).expect("a declared location")
    }

    /// A write; coherence is the order of these calls unless [`Execution::coherence`] says otherwise.
    pub fn write(&mut self, location: &'static str, tags: &[&'static str]) -> usize {
        let event = self.push('W', Some(location), tags);
        let place = self.place(location);
        self.co[place].push(event);
        event
    }

    /// A read of the initial value, unless [`Execution::reads`] says otherwise.
    pub fn read(&mut self, location: &'static str, tags: &[&'static str]) -> usize {
        let event = self.push('R', Some(location), tags);
        self.rf.push((self.place(location), event));
        event
    }

    pub fn fence(&mut self, tag: &'static str) -> usize {
        self.push('F', None, &[tag])
    }

    pub fn reads(&mut self, read: usize, write: usize) -> &mut Self {
        self.rf.retain(|(_, other)| *other != read);
        self.rf.push((write, read));
        self
    }

    pub fn coherence(&mut self, location: &str, order: &[usize]) -> &mut Self {
        let place = self.place(location);
        self.co[place] = [&[place], order].concat();
        self
    }

    pub fn addr(&mut self, from: usize, to: usize) -> &mut Self {
        self.addr.push((from, to));
        self
    }

    pub fn data(&mut self, from: usize, to: usize) -> &mut Self {
        self.data.push((from, to));
        self
    }

    /// A control dependency: to everything after the branch, which stands just before `to`.
    pub fn ctrl(&mut self, from: usize, to: usize) -> &mut Self {
        let thread = self.events[from].thread;
        self.ctrl.extend((to..self.events.len()).filter(|e| self.events[*e].thread == thread).map(|e| (from, e)));
        self
    }

    pub fn rmw(&mut self, read: usize, write: usize, one_instruction: bool) -> &mut Self {
        self.rmw.push((read, write));
        if one_instruction {
            self.amo.push((read, write));
        }
        self
    }

    pub fn structure(&self) -> Structure {
        let size = self.events.len();
        let set = |keep: &dyn Fn(&Event) -> bool| {
            let mut set = EventSet::empty(size);
            self.events.iter().enumerate().filter(|(_, e)| keep(e)).for_each(|(at, _)| set.insert(at));
            set
        };
        let pairs = |keep: &dyn Fn(usize, usize) -> bool| {
            let all = (0..size).flat_map(|a| (0..size).map(move |b| (a, b)));
            Relation::from_pairs(size, all.filter(|(a, b)| keep(*a, *b)))
        };
        let e = &self.events;
        let mut tags: BTreeMap<String, EventSet> = BTreeMap::new();
        for (at, event) in e.iter().enumerate() {
            for tag in &event.tags {
                tags.entry((*tag).to_owned()).or_insert_with(|| EventSet::empty(size)).insert(at);
            }
        }
        let co = self.co.iter().flat_map(|order| {
            order.iter().enumerate().flat_map(|(at, from)| order[at + 1..].iter().map(|to| (*from, *to)))
        });
        let relation = |pairs: &[(usize, usize)]| Relation::from_pairs(size, pairs.iter().copied());
        Structure {
            threads: e.iter().map(|event| event.thread).collect(),
            reads: set(&|event| event.kind == 'R'),
            writes: set(&|event| "WI".contains(event.kind)),
            fences: set(&|event| event.kind == 'F'),
            initial: set(&|event| event.kind == 'I'),
            tags,
            po: pairs(&|a, b| a < b && e[a].thread.is_some() && e[a].thread == e[b].thread),
            loc: pairs(&|a, b| e[a].location.is_some() && e[a].location == e[b].location),
            addr: relation(&self.addr),
            data: relation(&self.data),
            ctrl: relation(&self.ctrl),
            rmw: relation(&self.rmw),
            amo: relation(&self.amo),
            rf: relation(&self.rf),
            co: Relation::from_pairs(size, co),
            ..Structure::new(size)
        }
    }
}
