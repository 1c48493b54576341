//! Addresses in places of type `int`.
//!
//! herd's tests have no types to speak of: they store the address of `x` into the location of an `int *z`, read it into an `int r1`
//! and dereference that. Here such a location and such a variable get the type of a pointer.

use super::ast::{E, Function, Node, Stmt};
use crate::init::Item;
use crate::state::{LocationName, Value};
use std::collections::HashSet;

/// The names that hold addresses, whatever their types say.
#[derive(Debug, Default)]
pub(crate) struct Addresses<'s> {
    /// Shared locations into which an address is stored, at the beginning or by a thread.
    locations: HashSet<&'s str>,
}

impl<'s> Addresses<'s> {
    /// Looks through the initial state and the functions.
    pub fn new(items: &[Item<'s>], functions: &[Function<'s>]) -> Self {
        let mut found = Addresses::default();
        for item in items {
            if let LocationName::Memory(name) = item.place
                && item.values.iter().any(|value| matches!(value, Value::Address(..)))
            {
                found.locations.insert(name);
            }
        }
        loop {
            let before = found.locations.len();
            functions.iter().for_each(|function| found.stores(function));
            if found.locations.len() == before {
                break;
            }
        }
        found
    }

    /// Adds the locations into which a function stores an address: that of a location, or one that it has read.
    fn stores(&mut self, function: &Function<'s>) {
        let params: HashSet<&str> = function.params.iter().map(|param| param.name).collect();
        let mut read = HashSet::new();
        let mut look = |e: &E<'s>| {
            let (target, value) = match &e.kind {
                Node::Assign(target, None, value) => (&**target, &**value),
                // Stores and exchanges; of a compare-and-exchange the last argument is stored.
                Node::Call(_, args) if args.len() >= 2 => (&args[0], &args[args.len() - 1]),
                _ => return,
            };
            if let (Node::Name(name), Node::Call(_, args)) = (&target.kind, &value.kind)
                && args.first().and_then(location).is_some_and(|from| self.locations.contains(from))
            {
                read.insert(*name);
            }
            let address = match &value.kind {
                Node::Name(name) => params.contains(name) || read.contains(name),
                Node::AddressOf(_) => true,
                _ => false,
            };
            if let Some(name) = location(target).filter(|name| address && params.contains(name)) {
                self.locations.insert(name);
            }
        };
        function.body.iter().for_each(|statement| visit(statement, &mut look));
    }

    /// Whether a shared location holds addresses.
    pub fn holds(&self, name: &str) -> bool {
        self.locations.contains(name)
    }
}

/// The variables of a function that are dereferenced.
pub(crate) fn dereferenced<'s>(function: &Function<'s>) -> HashSet<&'s str> {
    let mut names = HashSet::new();
    let mut look = |e: &E<'s>| {
        if let Node::Deref(inner) = &e.kind
            && let Node::Name(name) = inner.kind
        {
            names.insert(name);
        }
    };
    function.body.iter().for_each(|statement| visit(statement, &mut look));
    names
}

/// The name of the location that `*x` or `x` stands for.
fn location<'s>(e: &E<'s>) -> Option<&'s str> {
    match &e.kind {
        Node::Name(name) => Some(name),
        Node::Deref(inner) => match inner.kind {
            Node::Name(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// Calls `look` with every expression of a statement.
fn visit<'s>(statement: &Stmt<'s>, look: &mut impl FnMut(&E<'s>)) {
    match statement {
        Stmt::Block(inner) => inner.iter().for_each(|statement| visit(statement, look)),
        Stmt::Declare { value, .. } => value.iter().for_each(|value| expression(value, look)),
        Stmt::Expr(e) => expression(e, look),
        Stmt::If(condition, then, otherwise) => {
            expression(condition, look);
            visit(then, look);
            otherwise.iter().for_each(|otherwise| visit(otherwise, look));
        }
        Stmt::While(condition, body) | Stmt::DoWhile(body, condition) => {
            expression(condition, look);
            visit(body, look);
        }
        Stmt::For(first, condition, step, body) => {
            visit(first, look);
            condition.iter().chain(step).for_each(|e| expression(e, look));
            visit(body, look);
        }
        Stmt::Seam(_) => {}
    }
}

fn expression<'s>(e: &E<'s>, look: &mut impl FnMut(&E<'s>)) {
    look(e);
    match &e.kind {
        Node::Number(_) | Node::Name(_) => {}
        Node::Negate(a)
        | Node::Complement(a)
        | Node::Not(a)
        | Node::Deref(a)
        | Node::AddressOf(a)
        | Node::Step(a, _)
        | Node::Cast(_, a) => expression(a, look),
        Node::Index(a, b) | Node::Binary(_, a, b) | Node::And(a, b) | Node::Or(a, b) | Node::Assign(a, _, b) => {
            expression(a, look);
            expression(b, look);
        }
        Node::Choose(a, b, c) => [a, b, c].into_iter().for_each(|e| expression(e, look)),
        Node::Call(_, args) => args.iter().for_each(|arg| expression(arg, look)),
    }
}
