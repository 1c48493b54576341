//! What an engine says about values and about the world of a thread.

use crate::Halt;
use crate::memory::{Memory, Object, Slot};
use crate::thread::Thread;
use crate::value::{Holder, Scope, Value};
use ir::{Expr, TagSet, Usage, Width};
use source::Span;
use std::fmt::Debug;
use std::hash::Hash;

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads and perhaps writes.
    ReadWrite,
}

/// Memory that only one thread uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Own {
    /// An object that the thread made at this allocation site.
    Object(u32),
    /// A cell that others could know.
    Cell(u32),
}

/// What a program can do that a property may forbid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// An assertion does not hold.
    Assertion,
    /// An access to no location.
    Access,
}

/// What values are, and what is known of the world outside of the thread.
///
/// An expression may have several values, each under a condition. The domain then gives one of them and remembers that there
/// are others: who drives the stepper executes the same instruction again for each of these, from the same state of the
/// thread.
pub trait Domain<'p> {
    /// What stands for a value that is not known.
    type Symbol: Copy + Eq + Hash + Debug;
    /// What an expression gives.
    type Term: Clone + Debug;

    /// What there is in memory.
    fn memory(&self) -> &Memory<'p>;

    /// The same, to change it.
    fn memory_mut(&mut self) -> &mut Memory<'p>;

    /// The value of an expression.
    fn eval(&mut self, scope: Scope<'_, Self::Symbol>, expr: &Expr, span: Span) -> Result<Self::Term, Halt>;

    /// Whether a truth value holds.
    fn decide(&mut self, scope: Scope<'_, Self::Symbol>, condition: &Expr, span: Span) -> Result<bool, Halt>;

    /// Whether a truth value holds, where nothing happens if it does not: an atomic section does not take place then.
    fn require(&mut self, scope: Scope<'_, Self::Symbol>, condition: &Expr, span: Span) -> Result<bool, Halt> {
        self.decide(scope, condition, span)
    }

    /// The word of an address. Nothing stands for a word that is no address of an object's cell.
    fn address(
        &mut self,
        scope: Scope<'_, Self::Symbol>,
        addr: &Expr,
        width: Width,
        span: Span,
    ) -> Result<Option<u64>, Halt>;

    /// The value of an expression that has to be known; `what` says what it is.
    fn word(&self, scope: Scope<'_, Self::Symbol>, expr: &Expr, span: Span, what: &str) -> Result<u64, Halt> {
        match scope.known(expr) {
            Some((value, _)) => Ok(value),
            None => scope.limit(span, &format!("{what} depends on what was read from shared memory")),
        }
    }

    /// The bits of what is written to an object's cell itself, and not to memory that several threads use.
    fn bits(&self, term: &Self::Term, width: Width) -> Result<u64, Halt>;

    /// Known bits as a term.
    fn constant(&self, bits: u64, width: Width) -> Self::Term {
        self.term(Value::Known(bits), width)
    }

    /// What a holder of a width has, as a term.
    fn term(&self, value: Value<Self::Symbol>, width: Width) -> Self::Term;

    /// A holder of a width takes a value.
    fn hold(&mut self, holder: Holder, width: Width, term: Self::Term) -> Value<Self::Symbol>;

    /// A holder of a width takes any value.
    fn choose(&mut self, thread: usize, holder: Holder, width: Width) -> Value<Self::Symbol>;

    /// What is held in a cell of the thread's own; nothing if that is as good as what the cell held at first.
    fn kept(&self, value: Value<Self::Symbol>, initial: Option<u64>) -> Option<Value<Self::Symbol>>;

    /// A result goes to a local of another width.
    fn convert(&mut self, _term: &Self::Term, _to: Width) {}

    /// Nobody will look at this value again.
    fn forget(&mut self, _value: Value<Self::Symbol>) {}

    /// A thread uses a cell: who uses it now?
    fn touch(&mut self, thread: usize, cell: u32, access: Access) -> Result<Usage, Halt>;

    /// A read-modify-write with these tags, outside of atomic sections, goes to memory of the thread's own. Where that empties
    /// the thread's buffer it is noticed by others all the same.
    fn own_update(&mut self, own: Own, tags: [&TagSet; 2]) -> Result<(), Halt>;

    /// Whether this violates the property. If not, the thread goes no further.
    fn violates(&self, fault: Fault) -> bool;

    /// The handle of a thread.
    fn handle(&self, _scope: Scope<'_, Self::Symbol>, thread: usize, _span: Span) -> Result<u64, Halt> {
        Ok(thread as u64 + 1)
    }

    /// A thread makes an object. Gives its number.
    fn make(&mut self, thread: &mut Thread<Self::Symbol>, object: Object, span: Span) -> Result<u32, Halt>;

    /// An access makes a cell of an object, while there may be other threads.
    fn grow(
        &mut self,
        scope: Scope<'_, Self::Symbol>,
        object: ir::ObjectId,
        slot: &Slot,
        span: Span,
    ) -> Result<(), Halt>;
}
