//! The text of a model as a tree, before names mean anything.

use crate::node::{Requirement, Role};
use source::Span;
use std::rc::Rc;

/// An expression with its place.
#[derive(Debug)]
pub(crate) struct Expr {
    pub span: Span,
    pub kind: ExprKind,
    /// How deep the tree below is; the parser limits it, so that no later recursion can exhaust the stack.
    pub height: u32,
}

#[derive(Debug)]
pub(crate) enum ExprKind {
    Name(String),
    /// `0`
    Zero,
    /// `{}`
    Braces,
    /// `_`
    Universe,
    Union(Vec<Expr>),
    Intersection(Vec<Expr>),
    Sequence(Vec<Expr>),
    Difference(Box<Expr>, Box<Expr>),
    Product(Box<Expr>, Box<Expr>),
    Complement(Box<Expr>),
    Inverse(Box<Expr>),
    Plus(Box<Expr>),
    Star(Box<Expr>),
    Optional(Box<Expr>),
    Test(Box<Expr>),
    Tuple(Vec<Expr>),
    /// `f x` or `f(x, y)`; several arguments are a tuple.
    Apply(Box<Expr>, Box<Expr>),
    Let(Rc<Bindings>, Box<Expr>),
    Fun(Rc<Function>),
    Try(Box<Expr>, Box<Expr>),
    If(Condition, Box<Expr>, Box<Expr>),
}

/// What is between `let` and `in`.
#[derive(Debug)]
pub(crate) struct Bindings {
    pub recursive: bool,
    pub items: Vec<Binding>,
}

#[derive(Debug)]
pub(crate) struct Binding {
    pub name: String,
    pub span: Span,
    pub value: Bound,
}

#[derive(Debug)]
pub(crate) enum Bound {
    Value(Expr),
    Function(Rc<Function>),
}

#[derive(Debug)]
pub(crate) struct Function {
    /// `None` is `_`.
    pub params: Vec<Option<String>>,
    pub body: Expr,
}

/// A condition on herd's command-line variants.
#[derive(Debug)]
pub(crate) enum Condition {
    Variant,
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

impl Condition {
    /// Fencepost has no variants: each one is off.
    pub fn holds(&self) -> bool {
        match self {
            Condition::Variant => false,
            Condition::Not(inner) => !inner.holds(),
            Condition::All(parts) => parts.iter().all(Condition::holds),
            Condition::Any(parts) => parts.iter().any(Condition::holds),
        }
    }
}

/// An instruction with its place.
#[derive(Debug)]
pub(crate) struct Instr {
    pub span: Span,
    pub kind: InstrKind,
}

#[derive(Debug)]
pub(crate) enum InstrKind {
    Let(Rc<Bindings>),
    Axiom {
        role: Role,
        negated: bool,
        requirement: Requirement,
        expr: Expr,
        name: Option<String>,
    },
    Include(String),
    If(Condition, Vec<Instr>, Vec<Instr>),
    Procedure(String, Rc<Procedure>),
    Call {
        name: String,
        argument: Expr,
        rename: Option<String>,
    },
    /// `enum Name = 'a || 'b`: tags that events may carry.
    Enum(Vec<String>),
    /// `with order from …`: each of several orders, one at a time.
    From(String, Expr),
    /// What says nothing about executions: `show r`, `instructions R[…]`.
    Nothing,
}

#[derive(Debug)]
pub(crate) struct Procedure {
    pub params: Vec<Option<String>>,
    pub body: Vec<Instr>,
}

/// A parsed file.
#[derive(Debug)]
pub(crate) struct File {
    pub title: Option<String>,
    /// The comments before the first instruction.
    pub head: Vec<Span>,
    pub instrs: Vec<Instr>,
}
