//! Reads that can only take a few constants become choices between those constants.

use crate::structure::{Event, Input, Kind, Structure};
use logic::{Substitution, Term, TermNode, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Reads with more possible values than this keep a bit-vector.
const MAX_VALUES: usize = 8;

/// The possible values of a term; none means any value.
type Values = Option<BTreeSet<u64>>;

/// Computes which values reads can take and rewrites the structure accordingly.
///
/// The analysis starts with nothing and adds what writes can write until nothing changes, so it finds the least
/// solution: values that only justify themselves are not in it.
pub fn narrow(structure: &mut Structure, go_on: &dyn Fn() -> bool) {
    let reads: Vec<usize> = (0..structure.events.len()).filter(|&e| structure.events[e].kind == Kind::Read).collect();
    let writes: Vec<usize> = (0..structure.events.len()).filter(|&e| structure.events[e].kind == Kind::Write).collect();
    let mut known: FxHashMap<Term, Values> = FxHashMap::default();
    reads.iter().for_each(|&read| drop(known.insert(structure.events[read].value, Some(BTreeSet::new()))));
    // What can be written to each location, as far as it is known.
    let mut written: Vec<Values> = vec![Some(BTreeSet::new()); structure.locations.len()];
    loop {
        if !go_on() {
            return;
        }
        let mut memo = FxHashMap::default();
        for &write in &writes {
            let event = &structure.events[write];
            let there = values(&structure.terms, event.address, &known, &mut memo);
            let new = values(&structure.terms, event.value, &known, &mut memo);
            for location in possible(structure, event, &there) {
                let mask = structure.locations[location].width.mask();
                written[location] = union(written[location].take(), new.as_ref(), mask);
            }
        }
        let mut changed = false;
        for &read in &reads {
            let event = &structure.events[read];
            let mask = structure.terms.width(event.value).mask();
            let there = values(&structure.terms, event.address, &known, &mut memo);
            let mut found: Values = known[&event.value].clone();
            for location in possible(structure, event, &there) {
                found = union(found, written[location].as_ref(), mask);
            }
            if found != known[&event.value] {
                changed = true;
                known.insert(event.value, found);
            }
        }
        if !changed {
            break;
        }
    }
    let mut substitution = Substitution::new();
    for &read in &reads {
        let variable = structure.events[read].value;
        if let Some(values) = &known[&variable] {
            let choice = choice(&mut structure.terms, variable, values);
            substitution.replace(variable, choice);
        }
    }
    if !substitution.is_empty() {
        rewrite(structure, &mut substitution);
    }
}

/// A choice between constants by fresh truth values.
fn choice(terms: &mut Terms, like: Term, values: &BTreeSet<u64>) -> Term {
    let width = terms.width(like);
    let mut values = values.iter();
    let first = values.next().copied().unwrap_or(0);
    let mut chosen = terms.constant(first, width);
    for &value in values {
        let selector = terms.fresh_bool();
        let value = terms.constant(value, width);
        chosen = terms.ite(selector, value, chosen);
    }
    chosen
}

fn rewrite(structure: &mut Structure, substitution: &mut Substitution) {
    let terms = &mut structure.terms;
    for event in &mut structure.events {
        event.guard = substitution.apply_bool(terms, event.guard);
        event.address = substitution.apply(terms, event.address);
        event.value = substitution.apply(terms, event.value);
    }
    let finals = structure.finals.iter_mut().flatten();
    finals.for_each(|value| *value = substitution.apply(terms, *value));
    let made = structure.made.iter_mut().flat_map(|made| &mut made.cells);
    made.for_each(|(_, _, value)| *value = substitution.apply(terms, *value));
    let limits = structure.made.iter_mut().filter_map(|made| made.limit.as_mut());
    limits.for_each(|limit| *limit = substitution.apply(terms, *limit));
    for (when, input) in structure.inputs.iter_mut().flatten() {
        *when = substitution.apply_bool(terms, *when);
        match input {
            Input::Value(value) => *value = substitution.apply(terms, *value),
            Input::Object(_) | Input::Thread(_) => {}
        }
    }
    for wait in &mut structure.waits {
        wait.when = substitution.apply_bool(terms, wait.when);
        wait.reads.iter_mut().for_each(|(_, when)| *when = substitution.apply_bool(terms, *when));
    }
    let truths = structure.constraints.iter_mut().chain(&mut structure.choices).chain(&mut structure.finished);
    let truths = truths.chain(structure.cuts.iter_mut().map(|(when, _)| when)).chain(&mut structure.mixed);
    let truths = truths.chain(structure.links.iter_mut().map(|link| &mut link.when));
    let truths = truths.chain(structure.stuck.iter_mut().map(|stuck| &mut stuck.when));
    let truths = truths.chain(structure.stands.iter_mut().map(|stand| &mut stand.when));
    let truths = truths.chain(structure.failures.iter_mut().map(|failure| &mut failure.when));
    truths.for_each(|truth| *truth = substitution.apply_bool(terms, *truth));
    let lists = [&mut structure.addr, &mut structure.data, &mut structure.ctrl, &mut structure.rmw, &mut structure.amo];
    for dependency in lists.into_iter().flatten() {
        dependency.when = substitution.apply_bool(terms, dependency.when);
    }
}

/// The locations that an event can access when its address has one of these values.
fn possible(structure: &Structure, event: &Event, at: &Values) -> Vec<usize> {
    let locations = event.candidates.iter().map(|&location| location as usize);
    let meets = |location: &usize| {
        at.as_ref().is_none_or(|values| values.contains(&structure.locations[*location].address.to_bits()))
    };
    locations.filter(meets).collect()
}

/// The union of two sets of values, the second one cut to a mask.
fn union(into: Values, new: Option<&BTreeSet<u64>>, mask: u64) -> Values {
    let mut into = into?;
    into.extend(new?.iter().map(|value| value & mask));
    (into.len() <= MAX_VALUES).then_some(into)
}

/// The values that a term can take when reads take the known ones.
fn values(terms: &Terms, term: Term, known: &FxHashMap<Term, Values>, memo: &mut FxHashMap<Term, Values>) -> Values {
    if let Some(done) = known.get(&term).or_else(|| memo.get(&term)) {
        return done.clone();
    }
    let width = terms.width(term);
    let result = match terms.node(term) {
        TermNode::Const(value) => Some(BTreeSet::from([value])),
        TermNode::Var(_) => None,
        TermNode::Ite(_, then, otherwise) => {
            let then = values(terms, then, known, memo);
            let otherwise = values(terms, otherwise, known, memo);
            union(then, otherwise.as_ref(), width.mask())
        }
        TermNode::Unary(op, operand) => {
            let from = terms.width(operand);
            let operand = values(terms, operand, known, memo);
            operand.map(|set| set.into_iter().map(|value| ir::eval_unary(op, value, from).0).collect())
        }
        TermNode::Binary(op, left, right) => {
            let from = terms.width(left);
            let left = values(terms, left, known, memo);
            let right = values(terms, right, known, memo);
            let pairs = left.zip(right).map(|(left, right)| {
                let all = left.iter().flat_map(|&l| right.iter().map(move |&r| ir::eval_binary(op, l, r, from).0));
                all.collect::<BTreeSet<u64>>()
            });
            pairs.filter(|set| set.len() <= MAX_VALUES)
        }
    };
    memo.insert(term, result.clone());
    result
}
