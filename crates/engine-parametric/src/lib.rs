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

pub use search::{Answer, Options, Outcome, check};
