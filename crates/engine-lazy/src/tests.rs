//! The lists and the queues against a machine with store buffers: on random sequences of operations both can read the same values (theorems 1 and 2
//! of Tomasco et al., FMCAD 2016).

use crate::lists::{Delays, Lists, Size};
use crate::memory::{Access, Build, Fence, Guess, Memory};
use crate::queues::{self, Queues};
use ir::Width;
use logic::{Blaster, Bool, Evaluation, Lit, Outcome, Solver, Term, Terms};
use std::collections::BTreeSet;
use testkit::Rng;

const THREADS: usize = 2;
const LOCATIONS: usize = 2;

/// An operation of a thread.
#[derive(Debug, Clone, Copy)]
enum Operation {
    Read(usize, usize),
    Write(usize, usize, u64),
    Fence(usize, Fence),
}

fn sequence(seed: u64) -> Vec<Operation> {
    let mut random = Rng::new(seed);
    (0..8)
        .map(|at| {
            let (thread, place) = (random.below(2), random.below(2));
            // One of them mostly writes, the other one mostly reads.
            match random.below(12) + 4 * thread {
                8.. if thread == 1 => Operation::Read(thread, place),
                0..=1 => Operation::Read(thread, place),
                2..=9 => Operation::Write(thread, place, at + 1),
                10 => Operation::Fence(thread, Fence::Drain),
                _ => Operation::Fence(thread, if random.below(2) == 0 { Fence::Order } else { Fence::Wait }),
            }
        })
        .collect()
}

/// A write in a buffer, and whether fences stand before and behind it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    place: usize,
    value: u64,
    /// How many fences that order writes stand before it.
    epoch: u32,
    /// Whether reads wait for it.
    awaited: bool,
}

/// A machine with explicit buffers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Machine {
    memory: [u64; LOCATIONS],
    buffers: [Vec<Entry>; THREADS],
    epochs: [u32; THREADS],
    read: Vec<u64>,
}

impl Machine {
    /// All states that this one becomes when writes reach memory.
    fn drained(self, total: bool) -> BTreeSet<Machine> {
        let mut all = BTreeSet::from([self.clone()]);
        let mut pending = vec![self];
        while let Some(state) = pending.pop() {
            for thread in 0..THREADS {
                let buffer = &state.buffers[thread];
                for at in 0..buffer.len() {
                    let blocks = |e: &Entry| total || e.place == buffer[at].place || e.epoch != buffer[at].epoch;
                    if buffer[..at].iter().any(blocks) {
                        continue;
                    }
                    let mut next = state.clone();
                    let entry = next.buffers[thread].remove(at);
                    next.memory[entry.place] = entry.value;
                    if all.insert(next.clone()) {
                        pending.push(next);
                    }
                }
            }
        }
        all
    }

    fn apply(&self, operation: Operation) -> Option<Machine> {
        let mut next = self.clone();
        match operation {
            Operation::Read(thread, place) => {
                if self.buffers[thread].iter().any(|entry| entry.awaited) {
                    return None;
                }
                let own = self.buffers[thread].iter().rev().find(|entry| entry.place == place);
                next.read.push(own.map_or(self.memory[place], |entry| entry.value));
            }
            Operation::Write(thread, place, value) => {
                let epoch = self.epochs[thread];
                next.buffers[thread].push(Entry { place, value, epoch, awaited: false });
            }
            Operation::Fence(thread, Fence::Drain) => return self.buffers[thread].is_empty().then_some(next),
            Operation::Fence(thread, Fence::Order) => next.epochs[thread] += 1,
            Operation::Fence(thread, Fence::Wait) => {
                next.buffers[thread].iter_mut().for_each(|entry| entry.awaited = true);
            }
        }
        Some(next)
    }
}

/// What explicit buffers can read.
fn explicit(operations: &[Operation], total: bool) -> BTreeSet<Vec<u64>> {
    let start =
        Machine { memory: [0; LOCATIONS], buffers: [Vec::new(), Vec::new()], epochs: [0; THREADS], read: Vec::new() };
    let mut states = BTreeSet::from([start]);
    for &operation in operations {
        let drained = states.into_iter().flat_map(|state| state.drained(total));
        states = drained.filter_map(|state| state.apply(operation)).collect();
    }
    states.into_iter().map(|state| state.read).collect()
}

/// What the lists can read.
fn lists(operations: &[Operation], total: bool, clock: u32, nodes: u32) -> BTreeSet<Vec<u64>> {
    reads(operations, total, clock, nodes, false)
}

/// What the queues can read.
fn queues(operations: &[Operation], total: bool, clock: u32, nodes: u32) -> BTreeSet<Vec<u64>> {
    reads(operations, total, clock, nodes, true)
}

fn reads(operations: &[Operation], total: bool, clock: u32, nodes: u32, explicit: bool) -> BTreeSet<Vec<u64>> {
    let mut terms = Terms::new();
    let width = Width::new(4);
    let size = Size { clock, nodes, threads: THREADS, roomy: nodes > 8 };
    let zero = terms.constant(0, width);
    let mut build = Build { terms: &mut terms, facts: Vec::new(), copies: Vec::new() };
    let delays =
        Delays { locations: vec![true; LOCATIONS], threads: vec![true; THREADS], sole: vec![false; LOCATIONS] };
    let owners = queues::owners(total, &[(0, 0), (0, 1), (1, 0), (1, 1)]);
    let mut memory: Box<dyn Memory> = if explicit {
        Box::new(Queues::new(&mut build, total, nodes, &[zero; LOCATIONS], &owners, (THREADS, operations.len())))
    } else {
        Box::new(Lists::new(&mut build, size, total, &[zero; LOCATIONS], &delays))
    };
    let mut reads: Vec<Term> = Vec::new();
    for &operation in operations {
        let guess = Guess {
            time: build.terms.fresh(size.time()),
            lands: build.terms.fresh(size.time()),
            before: build.terms.fresh(size.node()),
        };
        let access = |thread: usize, place: usize| Access {
            thread,
            when: Bool::TRUE,
            places: vec![(place, Bool::TRUE)],
            ticks: Bool::TRUE,
            late: false,
            at_once: false,
            guess,
        };
        let arrivals: Vec<Term> = (0..clock).map(|_| build.terms.fresh(queues::choice(&owners))).collect();
        memory.pass(&mut build, Bool::TRUE, &arrivals);
        match operation {
            Operation::Read(thread, place) => reads.extend(memory.read(&mut build, &access(thread, place))),
            Operation::Write(thread, place, value) => {
                let value = build.terms.constant(value, width);
                memory.write(&mut build, &access(thread, place), &[value]);
            }
            Operation::Fence(thread, fence) => memory.fence(&mut build, thread, Bool::TRUE, fence),
        }
    }
    let Build { facts, copies, .. } = build;
    let (mut blaster, mut solver) = (Blaster::new(), Solver::new());
    facts.into_iter().for_each(|fact| blaster.assert(&terms, &mut solver, fact));
    for (when, left, right) in copies {
        blaster.assert_equal(&mut terms, &mut solver, when, left, right);
    }
    let mut found = BTreeSet::new();
    let bits: Vec<Vec<Lit>> = reads.iter().map(|&read| blaster.bits(&terms, &mut solver, read)).collect();
    while solver.solve(&[], &|| true) == Outcome::Satisfiable {
        let assignment = blaster.assignment(&terms, &mut solver);
        let mut evaluation = Evaluation::new(&terms, &assignment);
        found.insert(reads.iter().map(|&read| evaluation.value(read)).collect());
        let all = bits.iter().flatten();
        let clause: Vec<Lit> = all.map(|&bit| if solver.value(bit) { !bit } else { bit }).collect();
        solver.clause(&clause);
    }
    found
}

#[test]
fn lists_are_explicit_buffers() {
    let mut weak = 0;
    for seed in 0..150 {
        let operations = sequence(seed);
        let mut sizes = Vec::new();
        for total in [true, false] {
            let (expected, found) = (explicit(&operations, total), lists(&operations, total, 8, 9));
            assert_eq!(found, expected, "seed {seed}, total {total}: {operations:?}");
            sizes.push(expected.len());
        }
        weak += usize::from(sizes[1] > sizes[0]);
    }
    assert!(weak > 0, "no sequence tells TSO from PSO");
}

#[test]
fn only_partial_store_order_sends_messages_out_of_order() {
    let operations =
        [Operation::Write(0, 0, 1), Operation::Write(0, 1, 2), Operation::Read(1, 1), Operation::Read(1, 0)];
    let fenced = [operations[0], Operation::Fence(0, Fence::Order), operations[1], operations[2], operations[3]];
    for reads in [lists, queues] {
        assert!(!reads(&operations, true, 2, 2).contains(&vec![2, 0]));
        assert!(reads(&operations, false, 2, 2).contains(&vec![2, 0]));
        assert!(!reads(&fenced, false, 2, 2).contains(&vec![2, 0]));
    }
}

#[test]
fn reads_wait_where_a_fence_says_so() {
    let free = [Operation::Write(0, 0, 1), Operation::Read(0, 1), Operation::Read(1, 0)];
    let fenced = [free[0], Operation::Fence(0, Fence::Wait), free[1], free[2]];
    for reads in [lists, queues] {
        for total in [true, false] {
            assert!(reads(&free, total, 2, 2).contains(&vec![0, 0]));
            assert!(!reads(&fenced, total, 2, 2).contains(&vec![0, 0]));
        }
    }
}

#[test]
fn short_lists_read_nothing_else() {
    for seed in 0..100 {
        let operations = sequence(seed);
        for total in [true, false] {
            let (expected, found) = (explicit(&operations, total), lists(&operations, total, 2, 2));
            assert!(found.is_subset(&expected), "seed {seed}, total {total}: {operations:?}");
        }
    }
}

/// At most six of the eight operations of a sequence are writes that are on their way at a time.
#[test]
fn queues_are_explicit_buffers() {
    for seed in 0..60 {
        let operations = sequence(seed);
        for total in [true, false] {
            let (expected, found) = (explicit(&operations, total), queues(&operations, total, 6, 6));
            assert_eq!(found, expected, "seed {seed}, total {total}: {operations:?}");
        }
    }
}

#[test]
fn short_queues_read_nothing_else() {
    let mut less = 0;
    for seed in 0..60 {
        let operations = sequence(seed);
        for total in [true, false] {
            let (expected, found) = (explicit(&operations, total), queues(&operations, total, 1, 2));
            assert!(found.is_subset(&expected), "seed {seed}, total {total}: {operations:?}");
            less += usize::from(found.len() < expected.len());
        }
    }
    assert!(less > 0, "the bounds bound nothing");
}
