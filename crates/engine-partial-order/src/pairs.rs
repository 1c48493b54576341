//! Operations on relations that are given as conditions on pairs.

use crate::events::Events;
use engine::NoAnswer;
use logic::Bool;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The pairs that a relation can have and when, relative to both events being executed.
pub(crate) type Conditions = BTreeMap<(usize, usize), Bool>;

/// Adds a pair under two conditions, unless they exclude each other.
pub(crate) fn insert(events: &mut Events<'_>, into: &mut Conditions, pair: (usize, usize), a: Bool, b: Bool) {
    let when = events.terms().and(a, b);
    add(events, into, pair, when);
}

/// Adds a pair under a condition.
pub(crate) fn add(events: &mut Events<'_>, into: &mut Conditions, pair: (usize, usize), when: Bool) {
    if when != Bool::FALSE {
        let already = into.get(&pair).copied().unwrap_or(Bool::FALSE);
        into.insert(pair, events.terms().or(already, when));
    }
}

/// Every event to itself.
pub(crate) fn identity(events: &Events<'_>) -> Conditions {
    (0..events.len()).map(|e| ((e, e), Bool::TRUE)).collect()
}

pub(crate) fn union(events: &mut Events<'_>, left: &Conditions, right: &Conditions) -> Conditions {
    let mut either = left.clone();
    for (&pair, &when) in right {
        add(events, &mut either, pair, when);
    }
    either
}

pub(crate) fn intersection(events: &mut Events<'_>, left: &Conditions, right: &Conditions) -> Conditions {
    let mut both = Conditions::new();
    for (&pair, &when) in left {
        if let Some(&also) = right.get(&pair) {
            insert(events, &mut both, pair, when, also);
        }
    }
    both
}

pub(crate) fn difference(events: &mut Events<'_>, left: &Conditions, right: &Conditions) -> Conditions {
    let mut result = Conditions::new();
    for (&pair, &when) in left {
        let not = right.get(&pair).copied().unwrap_or(Bool::FALSE);
        insert(events, &mut result, pair, when, !not);
    }
    result
}

pub(crate) fn compose(events: &mut Events<'_>, left: &Conditions, right: &Conditions) -> Result<Conditions, NoAnswer> {
    let mut result = Conditions::new();
    for (&(a, middle), &first) in left {
        let guard = events.guard(middle);
        let first = events.terms().and(first, guard);
        let mut pairs = 0;
        for (&(_, b), &second) in right.range((middle, 0)..(middle + 1, 0)) {
            insert(events, &mut result, (a, b), first, second);
            pairs += 1;
        }
        events.count(pairs)?;
    }
    Ok(result)
}

/// A relation that contains `within & (left ; right)`: fresh truth values that hold at least where the composition has a pair.
pub(crate) fn compose_within(
    events: &mut Events<'_>,
    within: &Conditions,
    left: &Conditions,
    right: &Conditions,
) -> Result<Conditions, NoAnswer> {
    let mut result = Conditions::new();
    for (&(a, b), &when) in within {
        let mut ways = Vec::new();
        for (&(_, middle), &first) in left.range((a, 0)..(a + 1, 0)) {
            if let Some(&second) = right.get(&(middle, b)) {
                let guard = events.guard(middle);
                ways.push(events.terms().all([guard, first, second]));
            }
        }
        events.count(ways.len())?;
        ways.retain(|&way| way != Bool::FALSE);
        let holds = match ways[..] {
            [] => continue,
            [only] => only,
            _ if ways.contains(&Bool::TRUE) => Bool::TRUE,
            _ => {
                let holds = events.demanded();
                ways.iter().for_each(|&way| imply(events, way, holds));
                holds
            }
        };
        insert(events, &mut result, (a, b), when, holds);
    }
    Ok(result)
}

/// Warshall's algorithm.
pub(crate) fn closure(events: &mut Events<'_>, pairs: &Conditions) -> Result<Conditions, NoAnswer> {
    let mut result = pairs.clone();
    for middle in 0..events.len() {
        let guard = events.guard(middle);
        let into: Vec<(usize, Bool)> =
            result.iter().filter(|((_, b), _)| *b == middle).map(|(&(a, _), &when)| (a, when)).collect();
        let out: Vec<(usize, Bool)> =
            result.range((middle, 0)..(middle + 1, 0)).map(|(&(_, b), &when)| (b, when)).collect();
        events.count(into.len() * out.len())?;
        for &(a, first) in &into {
            let first = events.terms().and(first, guard);
            for &(b, second) in &out {
                insert(events, &mut result, (a, b), first, second);
            }
        }
    }
    Ok(result)
}

/// A relation that contains `left ; step*`: fresh truth values that hold at least where the relation has a pair.
pub(crate) fn reach(events: &mut Events<'_>, left: &Conditions, step: &Conditions) -> Result<Conditions, NoAnswer> {
    let mut result = Conditions::new();
    let rows: Vec<(usize, Vec<(usize, Bool)>)> = rows(left);
    for (source, first) in rows {
        events.count(step.len())?;
        let mut reached: FxHashMap<usize, Bool> = FxHashMap::default();
        let mut open = Vec::new();
        for &(event, _) in &first {
            reached.entry(event).or_insert_with(|| {
                open.push(event);
                Bool::FALSE
            });
        }
        while let Some(event) = open.pop() {
            for &(_, next) in step.range((event, 0)..(event + 1, 0)).map(|(pair, _)| pair) {
                reached.entry(next).or_insert_with(|| {
                    open.push(next);
                    Bool::FALSE
                });
            }
        }
        let mut events_reached: Vec<usize> = reached.keys().copied().collect();
        events_reached.sort_unstable();
        for &event in &events_reached {
            // What is there for certain needs no truth value of its own.
            let certain = first.iter().any(|&(target, when)| target == event && when == Bool::TRUE);
            let holds = if certain { Bool::TRUE } else { events.demanded() };
            reached.insert(event, holds);
            result.insert((source, event), holds);
        }
        for &(event, when) in &first {
            imply(events, when, reached[&event]);
        }
        for &event in &events_reached {
            let guard = events.guard(event);
            let here = events.terms().and(reached[&event], guard);
            for (&(_, next), &when) in step.range((event, 0)..(event + 1, 0)) {
                let there = events.terms().and(here, when);
                imply(events, there, reached[&next]);
            }
        }
    }
    Ok(result)
}

/// A linear order of the members of a set that contains a relation: a truth value for each two of them. Whether they are executed
/// does not matter, since an order of some events is a part of an order of more.
pub(crate) fn linear(events: &mut Events<'_>, set: &[Bool], within: &Conditions) -> Result<Conditions, NoAnswer> {
    let members: Vec<usize> = (0..set.len()).filter(|&event| set[event] != Bool::FALSE).collect();
    let mut before = Conditions::new();
    for (at, &a) in members.iter().enumerate() {
        for &b in &members[at + 1..] {
            let first = events.terms().fresh_bool();
            before.insert((a, b), first);
            before.insert((b, a), !first);
        }
    }
    for (at, &a) in members.iter().enumerate() {
        events.count(members.len() * members.len())?;
        // A tournament with a cycle has one of three events; it begins at the least of them.
        let others = &members[at + 1..];
        for &b in others {
            for &c in others.iter().filter(|&&c| c != b) {
                let path = events.terms().and(before[&(a, b)], before[&(b, c)]);
                imply(events, path, before[&(a, c)]);
            }
        }
    }
    for (&(a, b), &when) in within {
        let (from, to) = (events.guard(a), events.guard(b));
        let holds = events.terms().all([from, to, set[a], set[b], when]);
        imply(events, holds, before.get(&(a, b)).copied().unwrap_or(Bool::FALSE));
    }
    let mut result = Conditions::new();
    for (pair, first) in before {
        let both = events.terms().and(set[pair.0], set[pair.1]);
        insert(events, &mut result, pair, both, first);
    }
    Ok(result)
}

/// Requires that a condition implies another one.
pub(crate) fn imply(events: &mut Events<'_>, when: Bool, then: Bool) {
    let constraint = events.terms().implies(when, then);
    if constraint != Bool::TRUE {
        events.constraints.push(constraint);
    }
}

/// The pairs by their first event.
fn rows(pairs: &Conditions) -> Vec<(usize, Vec<(usize, Bool)>)> {
    let mut rows: Vec<(usize, Vec<(usize, Bool)>)> = Vec::new();
    for (&(a, b), &when) in pairs {
        match rows.last_mut() {
            Some((source, row)) if *source == a => row.push((b, when)),
            _ => rows.push((a, vec![(b, when)])),
        }
    }
    rows
}
