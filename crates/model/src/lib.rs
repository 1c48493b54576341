//! Memory models: the relation language of `models/`, parsed, resolved and evaluated.
//!
//! A model is a text in a subset of herd's cat language. It is parsed and resolved into a [`Model`]: a graph of
//! [`Node`]s with [`Axiom`]s over them, which is evaluated on executions given as [`Structure`]s.

mod model;
mod node;
mod relation;
mod structure;

pub use model::{Buffers, CompileRule, CompileStep, Head, Model};
pub use node::{Axiom, Base, BaseSet, Node, NodeId, RecGroup, Requirement, Role, Scope, Sort};
pub use relation::{EventSet, Relation};
pub use structure::Structure;
