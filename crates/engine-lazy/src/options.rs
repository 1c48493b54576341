//! What can be asked of the engine, and how far its answers reach.

use engine::{Bound, Declared, Number, OneOf, Options};

/// How store buffers are represented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Representation {
    /// As lists of writes, each with the time at which it reaches memory.
    Timed,
    /// As queues of writes: one for each thread, or one for each thread and location.
    Explicit,
}

pub const ROUNDS: Number = Number {
    name: "rounds",
    value: "N",
    help: "How often each thread has a turn; otherwise more and more often",
    range: (1, 64),
};

pub const CLOCK: Number = Number {
    name: "clock",
    value: "K",
    help: "Up to which point of time writes reach memory, under models with store buffers",
    range: (1, 1000),
};

pub const NODES: Number = Number {
    name: "nodes",
    value: "N",
    help: "How many writes to one location are remembered at a time, under models with store buffers",
    range: (2, 1000),
};

const QUEUES: OneOf<Representation> = OneOf {
    name: "queues",
    value: "HOW",
    help: "How store buffers are represented",
    choices: &[
        ("timed", "As lists of writes with the times at which they reach memory", Representation::Timed),
        (
            "explicit",
            "As queues of writes, --nodes long; before each step --clock writes at most reach memory by themselves",
            Representation::Explicit,
        ),
    ],
};

pub const INT_WIDTH: Number = Number {
    name: "int-width",
    value: "BITS",
    help: "Look first for executions in which no value needs more than this many bits",
    range: (1, 64),
};

pub const ADDRESSES: Number = Number {
    name: "addresses",
    value: "V",
    help: "Refuse programs that can write more locations than this through pointers",
    range: (0, u32::MAX),
};

/// All of them.
pub fn declared() -> Vec<Declared> {
    let [rounds, clock, nodes, width, addresses] =
        [ROUNDS, CLOCK, NODES, INT_WIDTH, ADDRESSES].map(|number| number.declared());
    vec![rounds, clock, nodes, QUEUES.declared(), width, addresses]
}

/// How store buffers are to be represented.
pub fn representation(options: &Options) -> Representation {
    QUEUES.of(options).unwrap_or(Representation::Timed)
}

/// How far a search looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// How often each thread has a turn.
    pub rounds: u32,
    /// The last point of time at which a write reaches memory; with explicit queues, how many writes reach memory before a
    /// step.
    pub clock: u32,
    /// How many writes to one location are remembered at a time; how long explicit queues are.
    pub nodes: u32,
}

impl Bounds {
    /// What is left out with these bounds: on turns, and where there are store buffers, on them.
    pub fn guaranteed(&self, buffers: Option<Representation>) -> Vec<Bound> {
        let Bounds { rounds, clock, nodes } = *self;
        let mut bounds = vec![Bound::limit("rounds", rounds, format!("each thread has at most {rounds} turns"))];
        let (times, writes) = match buffers {
            None => return bounds,
            Some(Representation::Timed) => (
                Bound::limit("clock", clock, format!("writes reach memory at {clock} points of time")),
                Bound::limit("nodes", nodes, format!("{nodes} writes to one location are remembered")),
            ),
            Some(Representation::Explicit) => (
                Bound::limit("arrivals", clock, format!("{clock} writes reach memory by themselves before a step")),
                Bound::limit("queues", nodes, format!("{nodes} writes are in a queue")),
            ),
        };
        bounds.extend([times, writes]);
        bounds
    }
}
