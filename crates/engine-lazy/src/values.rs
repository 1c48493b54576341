//! What memory holds, in as few bits as possible.
//!
//! Where all that is written to a location, and all that is read there, is chosen among a few constants, memory holds the
//! number of the constant instead of the constant. This is exact: no value is left out.

use ir::{UnaryOp, Width};
use logic::{Term, TermNode, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use symbolic::{Kind, Structure};

/// Locations with more values than this hold the values themselves.
const MANY: usize = 64;

/// How the values of each location are represented.
#[derive(Debug)]
pub struct Values {
    /// For each location the constants, in order; nothing if it holds values of its own width.
    constants: Vec<Option<Vec<u64>>>,
    widths: Vec<Width>,
    memo: FxHashMap<(Term, usize), Term>,
}

/// The least width that has a place for the numbers below `count`.
pub fn width_for(count: u64) -> Width {
    let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
    Width::new(bits.clamp(1, 64) as u8)
}

impl Values {
    pub fn new(structure: &Structure) -> Self {
        let mut constants: Vec<Option<BTreeSet<u64>>> = vec![Some(BTreeSet::new()); structure.locations.len()];
        for event in structure.events.iter().filter(|event| event.kind != Kind::Fence) {
            let leaves = leaves(&structure.terms, event.value);
            let width = structure.terms.width(event.value);
            for &location in &event.candidates {
                let location = location as usize;
                let known = &mut constants[location];
                let fits = width == structure.locations[location].width;
                match (&leaves, event.kind) {
                    (Some(leaves), Kind::Write) if fits => {
                        if let Some(known) = known {
                            known.extend(leaves);
                        }
                    }
                    (Some(_), Kind::Read) if fits => {}
                    (_, Kind::Read | Kind::Write | Kind::Fence) => *known = None,
                }
            }
        }
        let few = |set: BTreeSet<u64>| (set.len() <= MANY).then(|| set.into_iter().collect::<Vec<u64>>());
        let constants: Vec<Option<Vec<u64>>> = constants.into_iter().map(|known| known.and_then(few)).collect();
        let width = |(at, known): (usize, &Option<Vec<u64>>)| match known {
            // One number more stands for whatever is never there.
            Some(known) => width_for(known.len() as u64 + 1),
            None => structure.locations[at].width,
        };
        let widths = constants.iter().enumerate().map(width).collect();
        Values { constants, widths, memo: FxHashMap::default() }
    }

    /// What memory holds when it holds a value.
    pub fn encode(&mut self, terms: &mut Terms, location: usize, value: Term) -> Term {
        let width = self.widths[location];
        if self.constants[location].is_none() {
            return fit(terms, value, width);
        }
        if let Some(&known) = self.memo.get(&(value, location)) {
            return known;
        }
        let result = match terms.node(value) {
            TermNode::Const(value) => {
                let known = self.constants[location].as_deref().unwrap_or_default();
                let number = known.binary_search(&value).unwrap_or(known.len());
                terms.constant(number as u64, width)
            }
            TermNode::Ite(condition, then, otherwise) => {
                let then = self.encode(terms, location, then);
                let otherwise = self.encode(terms, location, otherwise);
                terms.ite(condition, then, otherwise)
            }
            TermNode::Var(_) | TermNode::Unary(..) | TermNode::Binary(..) => {
                panic!("only choices among constants are numbered")
            }
        };
        self.memo.insert((value, location), result);
        result
    }

    /// Two terms that are equal if a value is read where memory holds this.
    pub fn read(&mut self, terms: &mut Terms, location: usize, value: Term, held: Term) -> (Term, Term) {
        if self.constants[location].is_some() {
            return (self.encode(terms, location, value), held);
        }
        let width = terms.width(value);
        (value, fit(terms, held, width))
    }

    /// The value that memory holds, of the location's own width.
    pub fn decode(&self, terms: &mut Terms, location: usize, held: Term, width: Width) -> Term {
        let Some(known) = &self.constants[location] else { return fit(terms, held, width) };
        let mut value = terms.constant(0, width);
        for (number, &constant) in known.iter().enumerate() {
            let number = terms.constant(number as u64, self.widths[location]);
            let here = terms.eq(held, number);
            let constant = terms.constant(constant, width);
            value = terms.ite(here, constant, value);
        }
        value
    }
}

/// The value cut or widened with zeros to a width.
pub fn fit(terms: &mut Terms, value: Term, to: Width) -> Term {
    let op = if terms.width(value) > to { UnaryOp::Truncate(to) } else { UnaryOp::ZeroExtend(to) };
    terms.unary(op, value)
}

/// The constants that a term chooses among, if that is all it does.
fn leaves(terms: &Terms, term: Term) -> Option<BTreeSet<u64>> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::from([term]);
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        match terms.node(term) {
            TermNode::Const(value) => {
                found.insert(value);
            }
            TermNode::Ite(_, then, otherwise) => {
                pending.extend([then, otherwise].into_iter().filter(|&t| seen.insert(t)));
            }
            TermNode::Var(_) | TermNode::Unary(..) | TermNode::Binary(..) => return None,
        }
    }
    Some(found)
}
