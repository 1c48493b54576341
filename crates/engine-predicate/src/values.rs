//! What the machine asks of whoever knows values: zones in the search, constraints on a path.

use crate::linear::{Form, Var};
use ir::Width;

/// What has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dim {
    /// The number zero.
    Zero,
    /// What memory holds.
    Memory(u32),
    /// A variable of a thread.
    Local(usize, Var),
    /// A write in the buffer of a thread, counted from the oldest.
    Slot(usize, usize),
    /// The newest write of a thread to a cell, beyond those that are kept in order.
    Last(usize, u32),
    /// A choice on a path, when the path is tried.
    Choice(usize),
    /// A sum of others that is tracked, by its number.
    Sum(usize),
    /// What such a sum, or one that is assigned to, will be after a step.
    Next(usize),
}

/// A set of valuations.
pub trait Values: Clone {
    /// A new dimension that can be anything.
    fn push(&mut self, dim: Dim);

    /// Forgets a dimension.
    fn drop(&mut self, dim: Dim);

    /// Gives a dimension another name; what had that name is forgotten.
    fn rename(&mut self, from: Dim, to: Dim);

    /// A dimension becomes another one plus a constant.
    fn copy(&mut self, dim: Dim, from: Dim, constant: i64);

    /// A dimension takes the value of a form, whose variables are those of a thread.
    fn assign(&mut self, dim: Dim, form: &Form, thread: usize);

    /// Only valuations in which the form is at most zero. Says whether some may be left.
    fn guard(&mut self, guard: &Form, thread: usize) -> bool;

    /// Fixes a dimension to a value. Says whether something may be left.
    fn set(&mut self, dim: Dim, value: i64) -> bool;

    /// Whether all values of a form are in the range of a width.
    fn fits(&self, form: &Form, width: Width, thread: usize) -> bool;

    /// The value of a dimension, if it is known to have only one.
    fn value(&self, dim: Dim) -> Option<i64>;

    /// A step is over.
    fn settle(&mut self);
}
