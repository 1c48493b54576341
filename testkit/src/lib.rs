//! Random programs, smaller programs, and programs written down quickly, for tests.
//!
//! [`generate`] makes small random programs in the program representation itself, [`shrink`] makes a program smaller in
//! all possible ways, [`to_litmus`] prints one as a litmus test, and [`Sketch`] writes one by hand. [`c`] does the same for
//! C programs, as text.

pub mod c;
mod generate;

mod litmus;
mod rng;
mod shrink;
mod sketch;

pub use generate::{Config, generate};

pub use litmus::to_litmus;
pub use rng::Rng;
pub use shrink::shrink;
pub use sketch::Sketch;
