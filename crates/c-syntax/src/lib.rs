//! A parser for preprocessed C: C11, with what C23 and GNU's compilers add to it.
//!
//! [`parse`] takes text that the preprocessor has seen and gives a tree whose parts know where in this text they stand.
//! Line markers stay in the text; whoever has it can find a place's file and line by them.
//!
//! # What it decides
//!
//! * Which names are types is followed through scopes, as the grammar needs. Everything else that names mean is left to
//!   the reader of the tree, and so is whether an expression has a type at all.
//! * An attribute is known to matter, known not to matter, or unknown: see [`ast::Meaning`].
//! * The tree is at most [`MAX_DEPTH`] levels deep, so that a walk over it by recursion fits into [`STACK`] bytes. What
//!   is nested deeper is refused. The parser takes time in proportion to the text.
//! * Functions inside functions, complex numbers' parts and blocks are refused.
#![allow(clippy::wildcard_enum_match_arm, reason = "any other token is a mistake in the text")]

pub mod ast;
mod error;
mod lexer;
mod literal;
mod parser;
mod scope;
mod token;
pub mod visit;

pub use error::Error;

/// More levels than these are refused.
pub const MAX_DEPTH: usize = 6_000;

/// The stack that a thread needs to parse any text, and to walk over the tree.
pub const STACK: usize = 512 << 20;

/// Parses a preprocessed text. `types` are names of types that it may use without declaring them.
///
/// # Errors
/// When the text is no C, or is nested too deeply.
pub fn parse<'t>(text: &'t str, types: &[&'t str]) -> Result<ast::Unit, Error> {
    let lexed = lexer::lex(text)?;
    parser::Parser::new(text, lexed, types.iter().copied()).unit()
}
