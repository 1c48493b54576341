//! Attributes.

use super::{Alignment, Expression, Name, Node, Range};

/// An attribute, in GNU's or in C23's notation.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// Its name without the underscores around it.
    pub name: String,
    /// What it means.
    pub meaning: Meaning,
    /// Its text.
    pub span: Range,
}

/// What an attribute means.
#[derive(Debug, Clone)]
pub enum Meaning {
    /// `packed`.
    Packed,
    /// `aligned`, with an expression or without.
    Aligned(Option<Alignment>),
    /// `mode(name)`; the name is without the underscores around it.
    Mode(String),
    /// `constructor`, with a priority or without.
    Constructor(Option<Box<Node<Expression>>>),
    /// `destructor`, with a priority or without.
    Destructor(Option<Box<Node<Expression>>>),
    /// `cleanup(function)`.
    Cleanup(Name),
    /// `weak`.
    Weak,
    /// `alias("target")`, also `weakref("target")`.
    Alias(String),
    /// It changes nothing that can be observed in the program: a hint, a promise, a matter of linking or of warnings.
    Harmless,
    /// It is not known, or it is known to change what the program means in a way that is not described here.
    Unknown,
}
