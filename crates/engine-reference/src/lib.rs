//! The judge: brute force over store buffers and over candidate executions.
//!
//! # The method
//! Two engines that have nothing clever in them. [`Operational`] searches all states of a machine with store buffers;
//! [`Axiomatic`] enumerates all candidate executions and keeps those that the model's axioms allow. They read a model
//! in two different ways, its head and its axioms, and every other engine is compared with them on small programs.
//!
//! # How it deviates
//! None to speak of: the buffer machines are those of the SPARC manual and of x86-TSO, the enumeration is herd's.
//!
//! # What it can miss
//! Executions beyond the bound on loops, which the guarantee says. [`Axiomatic`] does not invent values: it misses
//! executions in which a value comes out of thin air, that is, is justified only by itself.

mod axiomatic;
mod layout;
mod loops;
mod operational;

pub use axiomatic::Axiomatic;
pub use operational::Operational;
