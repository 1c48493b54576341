//! Memory models: the relation language of `models/`, parsed, resolved and evaluated.
//!
//! A model is a text in a subset of herd's cat language. It is parsed and resolved into a [`Model`]: a graph of
//! [`Node`]s with [`Axiom`]s over them, which an [`Evaluator`] evaluates on executions given as [`Structure`]s.
//!
//! Coherence is built in: `co`, `fr` and their parts are given, `include "cos.cat"` does nothing, and what cat has for
//! computing sets of orders is refused.

mod ast;
mod builder;
mod enumerations;
mod eval;
mod explain;
mod fixpoint;
mod head;
mod lex;
mod library;
mod load;
mod model;
mod node;
mod operators;
mod orders;
mod parse;
mod plan;
mod relation;
mod resolve;
mod structure;
mod text;

pub use eval::Evaluator;
pub use explain::{Explanation, Step};
pub use library::library;
pub use model::{Buffers, CompileRule, CompileStep, Head, Model};
pub use node::{Axiom, Base, BaseSet, Node, NodeId, RecGroup, Requirement, Role, Scope, Sort};
pub use operators::distance;
pub use relation::{EventSet, Relation};
pub use resolve::{Include, KNOWN_TAGS, NoInclude};
pub use structure::Structure;
