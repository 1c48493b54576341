//! The Cubicle language: array-based systems with weak variables.
//!
//! `parse` reads a text and resolves its names; `rules` checks what the language demands of systems with weak memory.
//! Predicates and `let` are expanded, implications become disjunctions, so that a [`System`] has few kinds of nodes.

mod expand;
mod lex;
mod parse;
mod rules;
mod terms;

use source::{Diagnostic, SourceFile};
use system::System;

/// Reads a system.
///
/// # Errors
/// What is wrong with the text, or not supported.
pub fn parse(file: &SourceFile) -> Result<System, Diagnostic> {
    let system = parse::Parser::new(file)?.system()?;
    rules::check(&system)?;
    Ok(system)
}
