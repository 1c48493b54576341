//! What tests have in common: programs, expectations, and who watches.
//!
//! [`generate`] makes small random programs in the program representation itself, [`shrink`] makes a program smaller in
//! all possible ways, [`to_litmus`] prints one as a litmus test, and [`Sketch`] writes one by hand. [`c`] does the same for
//! C programs, as text, and [`systems`] for array-based systems. [`heads`] reads what a program of the corpus says about itself, [`corpus`] runs all of them, [`console`] runs the commands that documents show, and a
//! [`Budget`] stops engines after an amount of work. [`mod@conformance`] has the tests that each engine's crate
//! runs on itself, [`server`] asks `fencepost serve`. [`Rng`] is the one source of random numbers.

pub mod c;
pub mod conformance;
pub mod console;
pub mod corpus;
mod damage;
mod generate;
pub mod heads;
mod litmus;
mod observer;
mod rng;
pub mod server;
mod shrink;
mod sketch;
pub mod systems;

pub use damage::{WAYS, damaged};
pub use generate::{Config, Machine, generate};
pub use litmus::to_litmus;
pub use observer::Budget;
pub use rng::Rng;
pub use shrink::shrink;
pub use sketch::Sketch;
