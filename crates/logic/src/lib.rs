//! Terms, bit-blasting, SAT and the ordering theory.
//!
//! [`Terms`] holds hash-consed truth values ([`Bool`]) and bit-vectors ([`Term`]), simplified as they are built. A
//! [`Solver`] decides sets of clauses; [`Blaster`] turns terms into clauses. An [`OrderGraph`] is a graph whose edges
//! carry literals and that must have no cycle: either the [`Theory`] inside the solver sees to that, or
//! [`OrderGraph::encode_clocks`] does with clauses. [`linear`] decides linear constraints over integers and has
//! interpolants for them.

mod blast;
mod implication;
pub mod linear;
mod order;
mod paths;
mod print;
mod simplify;
mod solver;
mod substitute;
mod terms;
mod theory;

pub use blast::{Assignment, Blaster};
pub use implication::Implications;
pub use order::{Edge, OrderGraph};
pub use solver::{Lit, Outcome, Solver, Spend};
pub use substitute::{Evaluation, Substitution};
pub use terms::{Bool, BoolNode, Term, TermNode, Terms};
pub use theory::Theory;
