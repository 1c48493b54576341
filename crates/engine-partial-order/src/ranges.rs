//! How large the values of reads can be.
//!
//! A value is made by a finite derivation: from constants, through operators, writes and reads. No write is its own cause,
//! so on each path of the derivation every write occurs at most once. The bounds of values are therefore what one gets
//! by going round as often as there are writes, beginning with nothing. For arithmetic over shared variables this
//! leaves far fewer bits than the type has.

use crate::events::Events;
use ir::{BinaryOp, UnaryOp};
use logic::{Term, TermNode, Terms};
use rustc_hash::FxHashMap;
use symbolic::Kind;

/// Going round more often than this makes bounds that are of no use.
const MAX_ROUNDS: usize = 256;

/// The largest values of reads, for those reads that cannot have all values of their type.
pub fn largest(events: &Events<'_>) -> Vec<(Term, u64)> {
    let terms = &events.structure.terms;
    let reads: Vec<usize> = (0..events.len())
        .filter(|&e| {
            events.kind(e) == Kind::Read && matches!(terms.node(events.structure.events[e].value), TermNode::Var(_))
        })
        .collect();
    let is_constant = |event: usize| terms.as_const(events.structure.events[event].value).is_some();
    let writes = (0..events.len()).filter(|&e| events.kind(e) == Kind::Write && !is_constant(e)).count();
    if writes > MAX_ROUNDS {
        return Vec::new();
    }
    let mut known: FxHashMap<Term, Option<u64>> = FxHashMap::default();
    for &read in &reads {
        known.insert(events.structure.events[read].value, None);
    }
    for _ in 0..=writes {
        let mut memo = FxHashMap::default();
        let mut next = known.clone();
        for &read in &reads {
            let value = events.structure.events[read].value;
            let mut bound = None;
            for &(write, _) in &events.rf[read] {
                let written = largest_of(terms, events.structure.events[write].value, &known, &mut memo);
                bound = bound.max(written.map(|written| written.min(terms.width(value).mask())));
            }
            let known = next.entry(value).or_default();
            *known = (*known).max(bound);
        }
        if next == known {
            break;
        }
        known = next;
    }
    let limited = |&read: &usize| {
        let value = events.structure.events[read].value;
        let bound = known[&value]?;
        (bound < terms.width(value).mask()).then_some((value, bound))
    };
    reads.iter().filter_map(limited).collect()
}

/// The largest value of a term; nothing if it has none yet.
fn largest_of(
    terms: &Terms,
    term: Term,
    known: &FxHashMap<Term, Option<u64>>,
    memo: &mut FxHashMap<Term, Option<u64>>,
) -> Option<u64> {
    if let Some(&bound) = known.get(&term).or_else(|| memo.get(&term)) {
        return bound;
    }
    let mask = terms.width(term).mask();
    let bound = match terms.node(term) {
        TermNode::Const(value) => Some(value),
        TermNode::Var(_) => Some(mask),
        TermNode::Ite(_, then, otherwise) => {
            largest_of(terms, then, known, memo).max(largest_of(terms, otherwise, known, memo))
        }
        TermNode::Unary(op, operand) => {
            let width = terms.width(operand);
            largest_of(terms, operand, known, memo).map(|bound| match op {
                UnaryOp::ZeroExtend(_) => bound,
                UnaryOp::SignExtend(_) if bound <= width.mask() >> 1 => bound,
                UnaryOp::Truncate(to) if bound <= to.mask() => bound,
                UnaryOp::Not | UnaryOp::Neg | UnaryOp::SignExtend(_) | UnaryOp::Truncate(_) | UnaryOp::Life => mask,
            })
        }
        TermNode::Binary(op, left, right) => {
            let left = largest_of(terms, left, known, memo);
            let right = largest_of(terms, right, known, memo);
            left.zip(right).map(|(left, right)| binary(op, left, right, mask))
        }
    };
    memo.insert(term, bound);
    bound
}

fn binary(op: BinaryOp, left: u64, right: u64, mask: u64) -> u64 {
    let ones = |value: u64| u64::MAX.checked_shr(value.leading_zeros()).unwrap_or(0);
    let fits = |value: Option<u64>| value.filter(|&value| value <= mask).unwrap_or(mask);
    match op {
        BinaryOp::Add => fits(left.checked_add(right)),
        BinaryOp::Mul => fits(left.checked_mul(right)),
        BinaryOp::And => left.min(right),
        BinaryOp::Or | BinaryOp::Xor => ones(left | right),
        BinaryOp::LShr | BinaryOp::URem => left,
        BinaryOp::Sub
        | BinaryOp::UDiv
        | BinaryOp::SDiv
        | BinaryOp::SRem
        | BinaryOp::Shl
        | BinaryOp::AShr
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::ULt
        | BinaryOp::ULe
        | BinaryOp::SLt
        | BinaryOp::SLe => mask,
    }
}
