//! Memory with store buffers as what they are: TSO-SMA and PSO-SMA of Tomasco et al. (FMCAD 2016), the reference for the timed lists.
//!
//! Memory has a value for each location, and there is a queue of writes for each thread (TSO), or for each thread and
//! location (PSO). Before each step a few of the oldest writes of queues reach memory; which ones is guessed. A fence
//! empties the queues of its thread. A queue has a bounded length, and a write waits for a place in it.
//!
//! Fences that only order writes are numbered: a write remembers how many came before it, and waits for those with smaller
//! numbers. Fences that only make reads wait leave a mark on the writes that are on their way.

use crate::memory::{Access, Build, Fence, Memory};
use crate::values::{fit, width_for};
use ir::Width;
use logic::{Bool, Term};

/// Whose writes a queue holds, and to which locations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    pub thread: usize,
    pub places: Vec<usize>,
}

/// The queues of a program; `delayed`: who makes writes to which location that may take their time.
pub fn owners(total: bool, delayed: &[(usize, usize)]) -> Vec<Owner> {
    let mut all = delayed.to_vec();
    all.sort_unstable();
    all.dedup();
    if !total {
        return all.into_iter().map(|(thread, place)| Owner { thread, places: vec![place] }).collect();
    }
    let own = |own: &[(usize, usize)]| Owner { thread: own[0].0, places: own.iter().map(|pair| pair.1).collect() };
    all.chunk_by(|a, b| a.0 == b.0).map(own).collect()
}

/// A place in a queue. Truth values are numbers of one bit.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Whether there is a write.
    taken: Term,
    /// The number of its location among those of the queue.
    place: Term,
    value: Term,
    /// How many fences that order writes came before it.
    epoch: Term,
    /// Whether reads wait for it.
    awaited: Term,
}

#[derive(Debug, Clone)]
struct Queue {
    owner: Owner,
    /// The oldest one comes first.
    entries: Vec<Entry>,
}

/// Memory with queues.
#[derive(Debug, Clone)]
pub struct Queues {
    total: bool,
    memory: Vec<Term>,
    queues: Vec<Queue>,
    /// For each thread how many fences that order writes it has passed.
    epochs: Vec<Term>,
}

/// The width of guesses which queue a write comes from: one number more stands for none.
pub fn choice(owners: &[Owner]) -> Width {
    width_for(owners.len() as u64 + 1)
}

fn holds(build: &mut Build<'_>, flag: Term) -> Bool {
    let one = build.terms.constant(1, Width::new(1));
    build.terms.eq(flag, one)
}

impl Queues {
    /// Memory that holds this at first; `length`: of each queue; `orders`: how many fences at most only order writes.
    pub fn new(
        build: &mut Build<'_>,
        total: bool,
        length: u32,
        initial: &[Term],
        owners: &[Owner],
        (threads, orders): (usize, usize),
    ) -> Self {
        let epoch = build.terms.constant(0, width_for(orders as u64 + 1));
        let no = build.terms.constant(0, Width::new(1));
        let mut queues = Vec::with_capacity(owners.len());
        for owner in owners {
            let widths = owner.places.iter().map(|&place| build.terms.width(initial[place]));
            let width = widths.max().unwrap_or(Width::new(1));
            let place = build.terms.constant(0, width_for(owner.places.len() as u64));
            let value = build.terms.constant(0, width);
            let entry = Entry { taken: no, place, value, epoch, awaited: no };
            queues.push(Queue { owner: owner.clone(), entries: vec![entry; length as usize] });
        }
        Queues { total, memory: initial.to_vec(), queues, epochs: vec![epoch; threads] }
    }

    /// A write reaches memory.
    fn arrive(&mut self, build: &mut Build<'_>, owner: &Owner, when: Bool, entry: Entry) {
        for (number, &place) in owner.places.iter().enumerate() {
            let number = build.terms.constant(number as u64, build.terms.width(entry.place));
            let here = build.terms.eq(entry.place, number);
            let here = build.terms.and(when, here);
            let held = self.memory[place];
            let width = build.terms.width(held);
            let value = fit(build.terms, entry.value, width);
            self.memory[place] = build.choose(here, value, held);
        }
    }

    /// The oldest write of a queue reaches memory; there is one, and it need not wait.
    fn pop(&mut self, build: &mut Build<'_>, at: usize, when: Bool) {
        let Queue { owner, entries } = self.queues[at].clone();
        let first = entries[0];
        let taken = holds(build, first.taken);
        build.demand(when, taken);
        for other in self.queues.clone().iter().filter(|other| other.owner.thread == owner.thread) {
            let waits = holds(build, other.entries[0].taken);
            let older = build.less(other.entries[0].epoch, first.epoch);
            let blocked = build.terms.and(waits, older);
            build.demand(when, !blocked);
        }
        self.arrive(build, &owner, when, first);
        let no = build.terms.constant(0, Width::new(1));
        for (number, &entry) in entries.iter().enumerate() {
            let next = entries.get(number + 1).copied().unwrap_or(Entry { taken: no, ..entry });
            let place = &mut self.queues[at].entries[number];
            place.taken = build.choose(when, next.taken, entry.taken);
            place.place = build.choose(when, next.place, entry.place);
            place.value = build.choose(when, next.value, entry.value);
            place.epoch = build.choose(when, next.epoch, entry.epoch);
            place.awaited = build.choose(when, next.awaited, entry.awaited);
        }
    }

    /// All writes of a thread reach memory.
    fn drain(&mut self, build: &mut Build<'_>, thread: usize, when: Bool) {
        let no = build.terms.constant(0, Width::new(1));
        for at in (0..self.queues.len()).filter(|&at| self.queues[at].owner.thread == thread).collect::<Vec<_>>() {
            let Queue { owner, entries } = self.queues[at].clone();
            for (number, entry) in entries.into_iter().enumerate() {
                let taken = holds(build, entry.taken);
                let now = build.terms.and(when, taken);
                self.arrive(build, &owner, now, entry);
                self.queues[at].entries[number].taken = build.choose(when, no, entry.taken);
            }
        }
    }

    /// A write goes into its queue.
    fn push(&mut self, build: &mut Build<'_>, access: &Access, place: usize, when: Bool, value: Term) {
        let own = |queue: &Queue| queue.owner.thread == access.thread && queue.owner.places.contains(&place);
        let at = self.queues.iter().position(own).expect("what takes its time has a queue");
        let queue = &mut self.queues[at];
        let number = queue.owner.places.iter().position(|&other| other == place).unwrap_or_default();
        let epoch = self.epochs[access.thread];
        let mut full = Bool::TRUE;
        for entry in &mut queue.entries {
            let taken = holds(build, entry.taken);
            let here = build.terms.all([when, full, !taken]);
            full = build.terms.and(full, taken);
            let (yes, no) = (build.terms.constant(1, Width::new(1)), build.terms.constant(0, Width::new(1)));
            let number = build.terms.constant(number as u64, build.terms.width(entry.place));
            let width = build.terms.width(entry.value);
            let value = fit(build.terms, value, width);
            entry.taken = build.choose(here, yes, entry.taken);
            entry.place = build.choose(here, number, entry.place);
            entry.value = build.choose(here, value, entry.value);
            entry.epoch = build.choose(here, epoch, entry.epoch);
            entry.awaited = build.choose(here, no, entry.awaited);
        }
        build.demand(when, !full);
    }

    /// What a write that lands at once must not overtake has reached memory.
    fn nothing_before(&mut self, build: &mut Build<'_>, thread: usize, place: usize, when: Bool) {
        let epoch = self.epochs[thread];
        for queue in self.queues.clone().iter().filter(|queue| queue.owner.thread == thread) {
            let first = queue.entries[0];
            let taken = holds(build, first.taken);
            let older = build.less(first.epoch, epoch);
            let same = if queue.owner.places.contains(&place) { Bool::TRUE } else { older };
            let blocked = build.terms.and(taken, same);
            build.demand(when, !blocked);
        }
    }
}

impl Memory for Queues {
    fn pass(&mut self, build: &mut Build<'_>, when: Bool, arrivals: &[Term]) {
        let mut before: Option<Bool> = None;
        for &arrival in arrivals {
            let mut some = Vec::with_capacity(self.queues.len());
            for at in 0..self.queues.len() {
                let number = build.terms.constant(at as u64, build.terms.width(arrival));
                let here = build.terms.eq(arrival, number);
                some.push(here);
                let now = build.terms.and(when, here);
                self.pop(build, at, now);
            }
            // Those that are none come last: one schedule for each run.
            let some = build.terms.any(some);
            if let Some(before) = before {
                let both = build.terms.and(when, some);
                build.demand(both, before);
            }
            before = Some(some);
        }
    }

    fn read(&mut self, build: &mut Build<'_>, access: &Access) -> Vec<Term> {
        let own: Vec<Queue> = self.queues.iter().filter(|queue| queue.owner.thread == access.thread).cloned().collect();
        for entry in own.iter().flat_map(|queue| &queue.entries) {
            let (taken, awaited) = (holds(build, entry.taken), holds(build, entry.awaited));
            let waits = build.terms.and(taken, awaited);
            build.demand(access.when, !waits);
        }
        let mut read = Vec::with_capacity(access.places.len());
        for &(place, _) in &access.places {
            let mut value = self.memory[place];
            let width = build.terms.width(value);
            for queue in &own {
                let Some(number) = queue.owner.places.iter().position(|&other| other == place) else { continue };
                for entry in &queue.entries {
                    let number = build.terms.constant(number as u64, build.terms.width(entry.place));
                    let here = build.terms.eq(entry.place, number);
                    let taken = holds(build, entry.taken);
                    let newer = build.terms.and(taken, here);
                    let written = fit(build.terms, entry.value, width);
                    value = build.terms.ite(newer, written, value);
                }
            }
            read.push(value);
        }
        read
    }

    fn write(&mut self, build: &mut Build<'_>, access: &Access, values: &[Term]) {
        for (&(place, here), &value) in access.places.iter().zip(values) {
            let when = build.terms.and(access.when, here);
            if when == Bool::FALSE {
                continue;
            }
            if !access.at_once {
                self.push(build, access, place, when, value);
                continue;
            }
            if self.total {
                self.drain(build, access.thread, when);
            } else {
                self.nothing_before(build, access.thread, place, when);
            }
            self.memory[place] = build.choose(when, value, self.memory[place]);
        }
    }

    fn fence(&mut self, build: &mut Build<'_>, thread: usize, when: Bool, fence: Fence) {
        match fence {
            Fence::Drain => self.drain(build, thread, when),
            // One queue for all writes keeps them in order.
            Fence::Order if self.total => {}
            Fence::Order => {
                let epoch = self.epochs[thread];
                let one = build.terms.constant(1, build.terms.width(epoch));
                let next = build.terms.binary(ir::BinaryOp::Add, epoch, one);
                self.epochs[thread] = build.choose(when, next, epoch);
            }
            Fence::Wait => {
                let yes = build.terms.constant(1, Width::new(1));
                let own = self.queues.iter_mut().filter(|queue| queue.owner.thread == thread);
                for entry in own.flat_map(|queue| &mut queue.entries) {
                    entry.awaited = build.choose(when, yes, entry.awaited);
                }
            }
        }
    }

    fn clock(&self) -> Option<Term> {
        None
    }

    fn finish(&mut self, build: &mut Build<'_>) {
        for thread in 0..self.epochs.len() {
            self.drain(build, thread, Bool::TRUE);
        }
    }

    fn last(&mut self, _build: &mut Build<'_>, location: usize) -> Term {
        self.memory[location]
    }
}
