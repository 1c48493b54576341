//! Array-based systems with any number of processes: backward reachability over cubes.
//!
//! # The method
//! Conchon, Declerck and Zaïdi's paper on Cubicle-W ("Parameterized Model Checking Modulo Explicit Weak Memory Models", EPTCS 271, 2018): from the bad states backwards, each set of states is a cube, a conjunction about some distinct processes. A cube
//! that another one covers, for some renaming of its processes, is dropped. Reads of weak variables stay pending until
//! a write is found for them.
//!
//! # How it deviates
//! * Events that have found their partners are not kept. All that they can still do is to come after something new, so
//!   each pending read remembers what comes before it (`Hook`). This is exact and keeps cubes small.
//! * PSO. There, transitions are taken in the order in which they are issued, and coherence need not follow it: a read
//!   that does not take a write is before it, or reads a write that was issued earlier and became visible later; the write
//!   that was overtaken is then kept as an event.
//! * Candidates (`guess`) are chosen by how many new cubes they lead to, and are tried without being asked for when there
//!   are many cubes; the exploration that they come from has store buffers.
//! * A fence is an event also if its transition reads nothing. `X := ?` is a write.
//!
//! # What it can miss
//! Nothing that happens: guards over all processes are asked of those with names only, quantifiers over some process
//! below a disjunction or in a case are taken to hold. So a bad state may be found that is none. Traces are replayed by `system::machine`.

mod certificate;
mod cube;
mod ground;
mod guess;
mod linear;
mod pre;
mod search;
mod subsume;

pub use search::{Options, check};

use engine::{Answer, Declared, Engine, NoAnswer, Number, Observer, Refusal, SystemAnswer, SystemTask, Systems, Task};

/// The cubes of a search are given to be shown if they are no more than this.
const SHOWN: usize = 400;

const BRAB: Number = Number {
    name: "brab",
    value: "N",
    help: "Guess invariants from what this many processes do; they are proved or dropped",
    range: (1, 4),
};

/// The engine `parametric`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Parametric;

impl Engine for Parametric {
    fn name(&self) -> &'static str {
        "parametric"
    }

    fn about(&self) -> &'static str {
        "any number of processes: backward reachability over cubes, for .cub systems"
    }

    fn options(&self) -> Vec<Declared> {
        vec![BRAB.declared()]
    }

    fn certifies(&self) -> bool {
        true
    }

    fn accepts(&self, _task: &Task<'_>) -> Result<(), Refusal> {
        Err(Refusal::new("the engine `parametric` takes array-based systems (.cub)", "use another engine for programs"))
    }

    fn systems(&self) -> Option<&dyn Systems> {
        Some(self)
    }

    fn run(&self, _task: &Task<'_>, _observer: &dyn Observer) -> Result<Answer, NoAnswer> {
        Err(NoAnswer::GaveUp("the engine `parametric` does not take programs".to_owned()))
    }
}

impl Systems for Parametric {
    fn run(&self, task: &SystemTask<'_>, observer: &dyn Observer) -> Result<SystemAnswer, NoAnswer> {
        let guess = BRAB.of(task.options).and_then(|processes| u8::try_from(processes).ok());
        check(task.system, task.memory, Options { guess, shown: SHOWN }, observer)
    }
}
