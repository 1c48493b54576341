//! What is asked about final states.

use crate::expr::Width;
use crate::program::{Address, LocalId, Program, ThreadId};
use std::collections::BTreeMap;

/// Something that has a value when all threads have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Location {
    /// A register or variable of a thread.
    Local(ThreadId, LocalId),
    /// A cell of shared memory.
    Memory(Address),
}

/// The final values of the observed locations.
pub type State = BTreeMap<Location, u64>;

/// A condition: a proposition with a quantifier over final states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// In some, in none, or in all.
    pub quantifier: Quantifier,
    /// What.
    pub proposition: Proposition,
}

/// How a condition ranges over final states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    /// `exists`: some final state satisfies the proposition.
    Exists,
    /// `~exists`: none does.
    NotExists,
    /// `forall`: all do.
    Forall,
}

/// A proposition about a final state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposition {
    /// Holds.
    True,
    /// Does not hold.
    False,
    /// A comparison.
    Atom(Atom),
    /// Two final values are the same number.
    Same(Location, Location),
    /// Negation.
    Not(Box<Proposition>),
    /// All hold.
    And(Vec<Proposition>),
    /// One holds.
    Or(Vec<Proposition>),
    /// The second holds if the first does.
    Implies(Box<Proposition>, Box<Proposition>),
}

/// A comparison of a final value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Atom {
    /// Whose value.
    pub location: Location,
    /// How it is compared.
    pub comparison: Comparison,
    /// With what: a constant (addresses as words).
    pub value: u64,
}

/// Equal or different.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// Equal.
    Eq,
    /// Different.
    Ne,
}

impl Location {
    /// The width of the location's value.
    pub fn width(self, program: &Program) -> Width {
        match self {
            Location::Local(thread, local) => program.body(thread).locals[local.index()].width,
            Location::Memory(address) => program.cell(address).map_or(Width::WORD, |cell| cell.width),
        }
    }

    /// The name of the location as litmus tests write it: `0:EAX`, `[x]`.
    pub fn name(self, program: &Program) -> String {
        match self {
            Location::Local(thread, local) => {
                format!("{}:{}", thread.0, program.body(thread).locals[local.index()].name)
            }
            Location::Memory(address) => format!("[{}]", program.address_name(address)),
        }
    }
}

impl Condition {
    /// The proposition that a bad final state satisfies: one that the author wants never to see.
    pub fn bad(&self) -> Proposition {
        match self.quantifier {
            Quantifier::Exists | Quantifier::NotExists => self.proposition.clone(),
            Quantifier::Forall => Proposition::Not(Box::new(self.proposition.clone())),
        }
    }
}

impl Proposition {
    /// Whether the state, which must have a value for every location mentioned, satisfies this.
    pub fn holds(&self, state: &State) -> bool {
        match self {
            Proposition::True => true,
            Proposition::False => false,
            Proposition::Atom(atom) => {
                let equal = state.get(&atom.location) == Some(&atom.value);
                match atom.comparison {
                    Comparison::Eq => equal,
                    Comparison::Ne => !equal,
                }
            }
            Proposition::Same(left, right) => state.get(left) == state.get(right),
            Proposition::Not(inner) => !inner.holds(state),
            Proposition::And(all) => all.iter().all(|p| p.holds(state)),
            Proposition::Or(any) => any.iter().any(|p| p.holds(state)),
            Proposition::Implies(left, right) => !left.holds(state) || right.holds(state),
        }
    }

    /// Calls `visit` with every location mentioned.
    pub fn for_each_location(&self, visit: &mut impl FnMut(Location)) {
        match self {
            Proposition::True | Proposition::False => {}
            Proposition::Atom(atom) => visit(atom.location),
            Proposition::Same(left, right) => {
                visit(*left);
                visit(*right);
            }
            Proposition::Not(inner) => inner.for_each_location(visit),
            Proposition::And(all) | Proposition::Or(all) => all.iter().for_each(|p| p.for_each_location(visit)),
            Proposition::Implies(left, right) => {
                left.for_each_location(visit);
                right.for_each_location(visit);
            }
        }
    }
}
