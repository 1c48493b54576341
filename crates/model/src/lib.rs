//! Memory models: the relation language of `models/`, parsed, resolved and evaluated.
//!
//! A model is a text in a subset of herd's cat language. [`Library`] finds included files, [`Model::load`] parses and
//! resolves one into a graph of [`Node`]s with [`Axiom`]s over them, [`Evaluator`] evaluates that graph on an execution
//! given as a [`Structure`].

mod node;
mod relation;

pub use node::{Axiom, Base, BaseSet, Node, NodeId, RecGroup, Requirement, Role, Scope, Sort};
pub use relation::{EventSet, Relation};
