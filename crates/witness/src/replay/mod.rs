//! Replay: a plain interpreter that runs every thread of a program along the events of an execution.
//!
//! Every read takes the value that the execution gives it; everything else is computed anew and compared. A thread that is
//! the only one runs on plain memory until it publishes. From there on the accesses to shared locations take the
//! events of the execution in turn; accesses to other locations stay on plain memory, where only one thread may write.
//! A thread is run as soon as it is started; one that joins another is resumed when that one has stopped. A thread about
//! which the execution says no more is run on only if somebody wants to know how it stops: because the property fails in
//! it, or because it is joined. If two threads are said to be inside a critical section, the one that the violation names
//! is run on to the place that it names, and then others, one by one, until one is found that can stop inside.
//!
//! Program order is more than the order within each thread: what a thread did before it started another comes before
//! all of that one, and all of a thread comes before what follows a join with it. Dependencies follow values through
//! calls and through locations that are not shared, but not from thread to thread.
//!
//! # Atomic sections
//! The events between the outermost `AtomicBegin` and its `AtomicEnd` are a section. A section is atomic with respect to
//! all other events: see [`crate::axioms`] for what that means for a model. Of each location, only the first access that
//! is a read makes an event, and the last value that is written does, at the end of the section. A thread does not stop inside a section,
//! except where its property fails, or (for a deadlock) at a wait before which the section has written nothing.

mod memory;
mod spin;
mod system;
mod thread;

use crate::execution::{Execution, Property, TWO_INSIDE, UNORDERED, Violation};
use crate::flaw::Flaw;
use ir::{Address, Program, ThreadId};
use memory::Memory;
use source::Span;
use std::collections::BTreeSet;
use thread::{Pause, Thread};

/// The reads that a value was computed from, as positions in the execution.
pub(crate) type Taint = BTreeSet<usize>;

/// What the replay of a thread finds: the dependencies between its events, and the values of its outermost locals.
#[derive(Debug, Clone, Default)]
pub(crate) struct Replayed {
    pub addr: BTreeSet<(usize, usize)>,
    pub data: BTreeSet<(usize, usize)>,
    pub ctrl: BTreeSet<(usize, usize)>,
    pub rmw: BTreeSet<(usize, usize)>,
    pub amo: BTreeSet<(usize, usize)>,
    pub locals: Vec<u64>,
}

/// What the replay of all threads finds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Replays {
    pub threads: Vec<Replayed>,
    /// Program order, transitive.
    pub order: Vec<(usize, usize)>,
    /// For each event the atomic section it is in: the number of the section's first event.
    pub sections: Vec<Option<u32>>,
    /// For each event the single-copy atomic access to several locations that it is a part of.
    pub groups: Vec<Option<u32>>,
    /// Whether an access has several events, atomic or not.
    pub mixed: bool,
}

/// How a thread stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It was never started.
    Unborn,
    /// It ran to its end, with this result.
    Finished(u64),
    /// The execution says no more about it, or it is on a path that nobody asks about.
    Leaves,
    /// A waiting condition does not hold; it was computed from these reads.
    Waits { span: Span, reads: Taint },
    /// It waits for a thread that does not end.
    Joins { span: Span },
    /// An assertion fails.
    Fails { span: Span, message: String },
    /// An access to no location.
    Strays { span: Span },
}

/// Whether threads are run as far as they go, beyond what somebody has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whole {
    /// They are not.
    No,
    /// They are.
    Waits,
    /// They are, and one that goes round a loop for ever without effect waits there.
    Spins,
}

impl Whole {
    /// What has to be known of threads for a property.
    pub fn of(property: Property) -> Whole {
        match property {
            Property::Assertions { memory: _ } | Property::Race => Whole::No,
            Property::Deadlock => Whole::Waits,
            Property::Progress => Whole::Spins,
        }
    }
}

/// All that the threads share while they are replayed.
struct World<'a> {
    program: &'a Program,
    execution: &'a Execution,
    memory: Memory<'a>,
    /// The threads that have been started, by number.
    threads: Vec<Slot<'a>>,
    /// The ranges of the threads' events.
    ranges: Vec<(usize, usize)>,
    sections: Vec<Option<u32>>,
    groups: Vec<Option<u32>>,
    next_group: u32,
    /// The threads that must be run as far as they go.
    wanted: Vec<bool>,
    /// The threads that must be run until they can stop inside a critical section.
    sought: Vec<bool>,
    /// For each thread, where it entered the critical sections that it can stop inside after its last event.
    stands: Vec<BTreeSet<Span>>,
    /// Whether a thread about which the execution says no more may go round a loop, with all writes in memory.
    spins: bool,
}

/// What came of a replay.
pub(crate) struct Outcome<'a> {
    pub replays: Replays,
    memory: Memory<'a>,
    /// How each thread stopped.
    pub stops: Vec<Stop>,
    /// For each thread, where it entered the critical sections that it can stop inside.
    pub stands: Vec<BTreeSet<Span>>,
    /// For each thread, the checks that failed on its way: where, and what they are called.
    pub failed: Vec<Vec<(Span, String)>>,
}

/// A thread in the replay.
enum Slot<'a> {
    Unborn,
    /// It can run, or waits for another to stop.
    Alive(Box<Thread<'a>>),
    /// It is being run.
    Running,
    Stopped(Box<Thread<'a>>, Stop),
}

impl Outcome<'_> {
    /// What a location that is not shared holds at the end.
    pub fn plain(&self, address: Address) -> Option<u64> {
        self.memory.plain(address)
    }

    /// The shared locations of objects that the program made in which nothing was set before they were shared.
    pub fn unset(&self) -> BTreeSet<Address> {
        self.memory.unset()
    }
}

/// Runs all threads of an execution; says how each stopped. `whole` says whether every thread is run as far as it goes.
pub(crate) fn replay_all<'a>(
    program: &'a Program,
    execution: &'a Execution,
    whole: Whole,
) -> Result<Outcome<'a>, Flaw> {
    let (memory, initial) = Memory::new(program, execution)?;
    let count = program.threads.len() + execution.started.len();
    let ranges = ranges(execution, initial, count)?;
    let mut wanted = vec![whole != Whole::No; count];
    let ends = |violation: &&Violation| violation.message != TWO_INSIDE && violation.message != UNORDERED;
    let fails = execution.violation.as_ref().filter(ends);
    let violating = fails.and_then(|violation| wanted.get_mut(violation.thread.index()));
    violating.into_iter().for_each(|wanted| *wanted = true);
    let mut world = World {
        program,
        execution,
        memory,
        threads: (0..count).map(|_| Slot::Unborn).collect(),
        ranges,
        sections: vec![None; execution.events.len()],
        groups: vec![None; execution.events.len()],
        next_group: 0,
        wanted,
        sought: vec![false; count],
        stands: vec![BTreeSet::new(); count],
        spins: whole == Whole::Spins,
    };
    for (at, thread) in program.threads.iter().enumerate() {
        let first = Thread::new(&world, ThreadId(at as u32), thread.body, Vec::new(), BTreeSet::new());
        world.threads[at] = Slot::Alive(Box::new(first));
    }
    world.run()?;
    world.result()
}

/// The events of each thread: from where to where.
fn ranges(execution: &Execution, initial: usize, count: usize) -> Result<Vec<(usize, usize)>, Flaw> {
    let mut first = initial;
    let mut ranges = Vec::new();
    for thread in (0..count).map(|at| ThreadId(at as u32)) {
        let own = execution.events[first..].iter().take_while(|event| event.thread == Some(thread)).count();
        ranges.push((first, first + own));
        first += own;
    }
    if first != execution.events.len() {
        return Err(Flaw::Initial(format!("event {first} does not stand with the events of its thread")));
    }
    Ok(ranges)
}

impl<'a> World<'a> {
    fn thread_name(&self, thread: ThreadId) -> String {
        self.execution.thread_name(self.program, thread)
    }

    /// Runs the threads until all that were started have stopped.
    fn run(&mut self) -> Result<(), Flaw> {
        loop {
            let wanted = self.wanted.clone();
            let mut progress = false;
            for at in 0..self.threads.len() {
                if let Slot::Alive(_) = self.threads[at] {
                    progress |= self.run_thread(at, false)?;
                }
            }
            if progress || wanted != self.wanted {
                continue;
            }
            if let Some(at) = self.seek() {
                self.sought[at] = true;
                continue;
            }
            // Those that are left wait for each other or for a thread that nobody has started, or nobody cares.
            let Some(at) = self.threads.iter().position(|slot| matches!(slot, Slot::Alive(_))) else { return Ok(()) };
            self.run_thread(at, true)?;
        }
    }

    /// If two threads must be inside a critical section and that is not known yet: the next one to look at.
    fn seek(&self) -> Option<usize> {
        let violation = self.execution.violation.as_ref().filter(|violation| violation.message == TWO_INSIDE)?;
        let first = violation.thread.index();
        let new = |&at: &usize| !self.sought[at] && matches!(self.threads[at], Slot::Alive(_));
        let others = || (0..self.threads.len()).filter(|&at| at != first);
        let found = others().any(|at| !self.stands[at].is_empty());
        Some(first).filter(|&at| at < self.threads.len()).filter(new).or_else(|| others().filter(|_| !found).find(new))
    }

    /// Whether a thread has to be run on until it can stop inside a critical section.
    fn is_sought(&self, thread: ThreadId) -> bool {
        let at = thread.index();
        let named = self.execution.violation.as_ref().filter(|violation| violation.thread == thread);
        let found = match named {
            Some(violation) => self.stands[at].contains(&violation.span),
            None => !self.stands[at].is_empty(),
        };
        self.sought[at] && !found
    }

    /// Runs a thread until it stops or waits for another; with `ends`, it does not wait. Says whether it moved.
    fn run_thread(&mut self, at: usize, ends: bool) -> Result<bool, Flaw> {
        let Slot::Alive(mut thread) = std::mem::replace(&mut self.threads[at], Slot::Running) else { return Ok(false) };
        if self.is_sought(thread.id) && !self.wanted[at] && thread.open == 0 && thread.is_idle(self) {
            self.threads[at] = self.look(thread);
            return Ok(true);
        }
        let (moved, slot) = match thread.run(self)? {
            Pause::Stopped(stop) => (true, Slot::Stopped(thread, stop)),
            Pause::Blocked { span, moved: _ } if ends => {
                let stop = thread.stop(self, Stop::Joins { span })?;
                (true, Slot::Stopped(thread, stop))
            }
            Pause::Idle { moved: _ } if ends => (true, Slot::Stopped(thread, Stop::Leaves)),
            Pause::Blocked { moved, .. } | Pause::Idle { moved } => (moved, Slot::Alive(thread)),
        };
        self.threads[at] = slot;
        Ok(moved)
    }

    /// Runs a thread on, about which the execution says no more, until it can stop inside a critical section. If it comes
    /// to something that it cannot do in this execution before that, it has not been run on at all.
    fn look(&mut self, mut thread: Box<Thread<'a>>) -> Slot<'a> {
        let memory = self.memory.clone();
        let outcome = thread.run(self);
        if outcome.is_ok() && !self.is_sought(thread.id) {
            return Slot::Alive(thread);
        }
        self.memory = memory;
        Slot::Stopped(thread, Stop::Leaves)
    }

    fn result(self) -> Result<Outcome<'a>, Flaw> {
        let (sections, groups, mixed) = (self.sections, self.groups, self.next_group > 0);
        let mut replays = Replays { sections, groups, mixed, ..Replays::default() };
        let (mut stops, mut failed) = (Vec::new(), Vec::new());
        for (at, slot) in self.threads.into_iter().enumerate() {
            let Slot::Stopped(thread, stop) = slot else {
                if self.ranges[at].0 != self.ranges[at].1 {
                    let name = self.execution.thread_name(self.program, ThreadId(at as u32));
                    return Err(Flaw::Initial(format!("the thread {name} has events, but is never started")));
                }
                replays.threads.push(Replayed::default());
                stops.push(Stop::Unborn);
                failed.push(Vec::new());
                continue;
            };
            failed.push(thread.failed.clone());
            let (found, order): (Replayed, Vec<(usize, usize)>) = thread.found();
            replays.order.extend(order);
            replays.threads.push(found);
            stops.push(stop);
        }
        Ok(Outcome { replays, memory: self.memory, stops, stands: self.stands, failed })
    }
}
