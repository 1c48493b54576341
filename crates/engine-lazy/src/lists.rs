//! Memory with store buffers as temporal circular doubly linked lists: eTSO-SMA and ePSO-SMA of Tomasco et al. (FMCAD 2016).
//!
//! There are no buffers and there is no memory. Time passes; a write is given the time at which it will reach memory, and
//! goes into the list of its location, which is ordered by time. The last write of a list whose time has come is what
//! memory holds. Nodes whose time is over are used again. Each operation costs the same, however many writes are on their
//! way. Figure 3 of the paper, with these differences:
//!
//! * Line 36 stores the time of the node, not of the thread.
//! * The node that is the head is found by comparing, not by guessing: there is exactly one.
//! * Time does not pass before a fence: it may as well pass before the next read or write.
//! * The sentinel's time is one more than the last point of time, so that writes can land at the last one.
//! * A location to which all writes reach memory at once needs no list, only its value.
//! * Fences that only order writes, and fences that only make reads wait, leave a time that later accesses respect.

use crate::memory::{Access, Build, Fence, Memory};
use crate::values::width_for;
use ir::Width;
use logic::{Bool, Term};

/// The list of a location. The last place of `times`, `previous` and `next` is the sentinel's.
#[derive(Debug, Clone)]
struct List {
    values: Vec<Term>,
    times: Vec<Term>,
    previous: Vec<Term>,
    next: Vec<Term>,
}

/// What is known of a location.
#[derive(Debug, Clone)]
enum LocationState {
    /// Its value: all writes to it reach memory at once.
    Plain(Term),
    /// Nothing but when writes land: one thread makes them, and `sole.rs` knows what they are.
    Sole(Term),
    Timed(List),
}

/// The last write of a thread to a location: the value, and when it reaches memory.
#[derive(Debug, Clone, Copy)]
struct Last {
    value: Term,
    time: Term,
}

/// How large the lists are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// The last point of time (K).
    pub clock: u32,
    /// How many nodes each list has besides the sentinel (N): two at least.
    pub nodes: u32,
    /// How many threads there are.
    pub threads: usize,
    /// Whether there is a node for every write.
    pub roomy: bool,
}

/// Which writes may take their time.
#[derive(Debug, Clone)]
pub struct Delays {
    /// For each location whether one to it may.
    pub locations: Vec<bool>,
    /// For each thread whether one of its own may.
    pub threads: Vec<bool>,
    /// For each location whether one thread writes it, so that it needs no list in any case.
    pub sole: Vec<bool>,
}

/// Memory with store buffers.
#[derive(Debug, Clone)]
pub struct Lists {
    size: Size,
    /// Whether writes of a thread to different locations stay in order.
    total: bool,
    /// For each thread whether one of its writes may take its time.
    delays: Vec<bool>,
    clock: Term,
    places: Vec<LocationState>,
    /// By location and thread.
    last: Vec<Vec<Last>>,
    /// For each thread the latest time at which one of its writes reaches memory.
    latest: Vec<Term>,
    /// For each thread the time before which no later write reaches memory.
    floor: Vec<Term>,
    /// For each thread the time before which it does not read.
    waits: Vec<Term>,
}

impl Size {
    /// The width of points of time.
    pub fn time(self) -> Width {
        width_for(u64::from(self.clock) + 2)
    }

    /// The width of numbers of nodes.
    pub fn node(self) -> Width {
        width_for(u64::from(self.nodes) + 1)
    }
}

impl Lists {
    /// Memory that holds this at first; `total`: TSO, otherwise PSO; `delays`: who and what may take its time.
    pub fn new(build: &mut Build<'_>, size: Size, total: bool, initial: &[Term], delays: &Delays) -> Self {
        assert!(size.nodes >= 2, "a list needs a head and a node that is free");
        let nodes = u64::from(size.nodes);
        let zero = build.terms.constant(0, size.time());
        let mut places = Vec::with_capacity(initial.len());
        let mut last = Vec::with_capacity(initial.len());
        for (place, &value) in initial.iter().enumerate() {
            last.push(vec![Last { value, time: zero }; size.threads]);
            if delays.sole[place] {
                places.push(LocationState::Sole(value));
                continue;
            }
            if !delays.locations[place] {
                places.push(LocationState::Plain(value));
                continue;
            }
            let mut node = |number: u64| build.terms.constant(number, size.node());
            let next: Vec<Term> = (0..=nodes).map(|at| node((at + 1) % (nodes + 1))).collect();
            let previous: Vec<Term> = (0..=nodes).map(|at| node((at + nodes) % (nodes + 1))).collect();
            let mut times = vec![zero; nodes as usize];
            times.push(build.terms.constant(u64::from(size.clock) + 1, size.time()));
            places.push(LocationState::Timed(List { values: vec![value; nodes as usize], times, previous, next }));
        }
        let each = || vec![zero; size.threads];
        let delays = delays.threads.clone();
        Lists { size, total, delays, clock: zero, places, last, latest: each(), floor: each(), waits: each() }
    }

    /// What an array holds at a place that is a term.
    fn select(&self, build: &mut Build<'_>, array: &[Term], at: Term) -> Term {
        let mut found = array[array.len() - 1];
        for (number, &entry) in array.iter().enumerate().rev().skip(1) {
            let number = build.terms.constant(number as u64, self.size.node());
            let here = build.terms.eq(at, number);
            found = build.terms.ite(here, entry, found);
        }
        found
    }

    /// The larger one of two times, where the condition holds; else the first.
    fn raise(build: &mut Build<'_>, when: Bool, time: Term, to: Term) -> Term {
        let less = build.less(time, to);
        let when = build.terms.and(when, less);
        build.choose(when, to, time)
    }

    /// Time passes: `clock_update` of the paper.
    fn tick(&mut self, build: &mut Build<'_>, access: &Access) {
        // Where nobody cares what time it is, it may as well pass later.
        let timed = access.places.iter().any(|&(place, _)| matches!(self.places[place], LocationState::Timed(_)));
        if !timed && !access.late && !self.delays[access.thread] {
            return;
        }
        let when = build.terms.and(access.when, access.ticks);
        let end = build.terms.constant(u64::from(self.size.clock), self.size.time());
        let later = build.at_most(self.clock, access.guess.time);
        let in_time = build.at_most(access.guess.time, end);
        build.demand(when, later);
        build.demand(when, in_time);
        self.clock = build.choose(when, access.guess.time, self.clock);
    }

    fn write_to(&mut self, build: &mut Build<'_>, access: &Access, place: usize, when: Bool, value: Term) {
        let sentinel = self.size.nodes as usize;
        let mut list = match self.places[place].clone() {
            LocationState::Timed(list) => list,
            LocationState::Plain(old) => {
                assert!(access.at_once, "what takes its time needs a list");
                let thread = access.thread;
                let own = if self.total { self.latest[thread] } else { self.floor[thread] };
                let late = build.at_most(own, self.clock);
                build.demand(when, late);
                self.places[place] = LocationState::Plain(build.choose(when, value, old));
                return;
            }
            LocationState::Sole(_) => {
                self.land(build, access, place, when, value);
                return;
            }
        };
        // The first node is free if the one behind it has expired too.
        let node = list.next[sentinel];
        let second = self.select(build, &list.next, node);
        let time = self.select(build, &list.times, second);
        let free = build.at_most(time, self.clock);
        build.demand(when, free);
        let end = build.terms.constant(sentinel as u64, self.size.node());
        list.next[sentinel] = build.choose(when, second, list.next[sentinel]);
        self.put(build, &mut list.previous, second, when, end);
        // Where it goes.
        let successor = access.guess.before;
        let known = build.at_most(successor, end);
        build.demand(when, known);
        let after = self.select(build, &list.times, successor);
        let pending = build.less(self.clock, after);
        build.demand(when, pending);
        let predecessor = self.select(build, &list.previous, successor);
        // When it lands.
        let lands = self.land(build, access, place, when, value);
        let before = self.select(build, &list.times, predecessor);
        let late = build.at_most(before, lands);
        build.demand(when, late);
        let early = build.less(lands, after);
        build.demand(when, early);
        // Put it there.
        self.put(build, &mut list.values, node, when, value);
        self.put(build, &mut list.times, node, when, lands);
        self.put(build, &mut list.next, node, when, successor);
        self.put(build, &mut list.previous, node, when, predecessor);
        self.put(build, &mut list.next, predecessor, when, node);
        self.put(build, &mut list.previous, successor, when, node);
        self.places[place] = LocationState::Timed(list);
    }

    /// When a write lands: not before what it must not overtake. Remembers it as the last one of its thread.
    fn land(&mut self, build: &mut Build<'_>, access: &Access, place: usize, when: Bool, value: Term) -> Term {
        let thread = access.thread;
        // What lands at once does so at whatever time it is.
        let lands = if access.at_once { self.clock } else { access.guess.lands };
        let own = if self.total { self.latest[thread] } else { self.last[place][thread].time };
        for earliest in [self.clock, own, self.floor[thread]] {
            let late = build.at_most(earliest, lands);
            build.demand(when, late);
        }
        if !access.at_once {
            let end = build.terms.constant(u64::from(self.size.clock), self.size.time());
            let in_time = build.at_most(lands, end);
            build.demand(when, in_time);
        }
        let last = self.last[place][thread];
        self.last[place][thread] =
            Last { value: build.choose(when, value, last.value), time: build.choose(when, lands, last.time) };
        self.latest[thread] = if self.total {
            build.choose(when, lands, self.latest[thread])
        } else {
            Self::raise(build, when, self.latest[thread], lands)
        };
        lands
    }

    /// Changes an array at a place that is a term, where a condition holds.
    fn put(&self, build: &mut Build<'_>, array: &mut [Term], at: Term, when: Bool, value: Term) {
        for (number, entry) in array.iter_mut().enumerate() {
            let number = build.terms.constant(number as u64, self.size.node());
            let here = build.terms.eq(at, number);
            let here = build.terms.and(here, when);
            *entry = build.choose(here, value, *entry);
        }
    }
}

impl Memory for Lists {
    fn read(&mut self, build: &mut Build<'_>, access: &Access) -> Vec<Term> {
        self.tick(build, access);
        let late = build.at_most(self.waits[access.thread], self.clock);
        build.demand(access.when, late);
        let mut read = Vec::with_capacity(access.places.len());
        for &(place, _) in &access.places {
            let list = match self.places[place].clone() {
                LocationState::Timed(list) => list,
                LocationState::Plain(value) | LocationState::Sole(value) => {
                    read.push(value);
                    continue;
                }
            };
            // The head: its time has come, that of the next one has not.
            let mut held = list.values[0];
            for node in 1..self.size.nodes as usize {
                let expired = build.at_most(list.times[node], self.clock);
                let next = self.select(build, &list.times, list.next[node]);
                let pending = build.less(self.clock, next);
                let head = build.terms.and(expired, pending);
                held = build.terms.ite(head, list.values[node], held);
            }
            let last = self.last[place][access.thread];
            let own = build.less(self.clock, last.time);
            read.push(build.terms.ite(own, last.value, held));
        }
        read
    }

    fn write(&mut self, build: &mut Build<'_>, access: &Access, values: &[Term]) {
        // Before a write that takes its time, time only needs to pass where nodes get used again.
        if access.at_once || !self.size.roomy {
            self.tick(build, access);
        }
        for (&(place, here), &value) in access.places.iter().zip(values) {
            let when = build.terms.and(access.when, here);
            if when != Bool::FALSE {
                self.write_to(build, access, place, when, value);
            }
        }
    }

    fn fence(&mut self, build: &mut Build<'_>, thread: usize, when: Bool, fence: Fence) {
        let latest = self.latest[thread];
        match fence {
            Fence::Drain => self.clock = Self::raise(build, when, self.clock, latest),
            Fence::Order => self.floor[thread] = Self::raise(build, when, self.floor[thread], latest),
            Fence::Wait => self.waits[thread] = Self::raise(build, when, self.waits[thread], latest),
        }
    }

    fn clock(&self) -> Option<Term> {
        Some(self.clock)
    }

    fn last(&mut self, build: &mut Build<'_>, location: usize) -> Term {
        let list = match &self.places[location] {
            LocationState::Timed(list) => list,
            LocationState::Plain(value) | LocationState::Sole(value) => return *value,
        };
        let end = list.previous[self.size.nodes as usize];
        self.select(build, &list.values, end)
    }
}
