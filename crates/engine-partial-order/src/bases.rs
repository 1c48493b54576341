//! The relations and sets that executions have by themselves, as conditions on pairs and events.

use crate::events::Events;
use crate::pairs::{Conditions, add, compose, insert};
use engine::NoAnswer;
use logic::Bool;
use model::{Base, BaseSet, Scope};
use std::collections::BTreeMap;
use symbolic::{Dependency, Kind};

fn dependencies(list: &[Dependency]) -> Conditions {
    let pairs = list.iter().filter(|d| d.when != Bool::FALSE);
    pairs.map(|d| ((d.from as usize, d.to as usize), d.when)).collect()
}

pub(crate) fn base_pairs(events: &mut Events<'_>, base: Base) -> Result<Conditions, NoAnswer> {
    let all = || (0..events.len()).flat_map(|a| (0..events.len()).map(move |b| (a, b)));
    let fixed = |keep: &dyn Fn(usize, usize) -> bool| {
        all().filter(|&(a, b)| keep(a, b)).map(|pair| (pair, Bool::TRUE)).collect::<BTreeMap<_, _>>()
    };
    Ok(match base {
        Base::Po => {
            let pairs: Vec<(usize, usize)> = all().collect();
            ordered(events, pairs)
        }
        Base::Int => fixed(&|a, b| events.same_thread(a, b)),
        Base::Ext => fixed(&|a, b| !events.same_thread(a, b) && (!events.is_initial(a) || !events.is_initial(b))),
        Base::Id => fixed(&|a, b| a == b),
        Base::PoLoc => po_loc_between(events, &|_| true, &|_| true),
        Base::Loc => located(events),
        Base::Addr => dependencies(&events.structure.addr),
        Base::Data => dependencies(&events.structure.data),
        Base::Ctrl => dependencies(&events.structure.ctrl),
        Base::Rmw => dependencies(&events.structure.rmw),
        Base::Amo => dependencies(&events.structure.amo),
        Base::Rf(scope) => {
            let reads = events.rf.iter().enumerate();
            let pairs = reads.flat_map(|(read, sources)| sources.iter().map(move |&(w, when)| ((w, read), when)));
            pairs.filter(|&((w, r), _)| events.in_scope(scope, w, r)).collect()
        }
        Base::Co(scope) => {
            let pairs = events.coherent_pairs().map(|pair| ((pair.first, pair.second), pair.when));
            pairs.filter(|&((a, b), _)| events.in_scope(scope, a, b)).collect()
        }
        Base::Fr(scope) => {
            let rf = base_pairs(events, Base::Rf(Scope::Any))?;
            let inverse = rf.into_iter().map(|((w, r), when)| ((r, w), when)).collect();
            let co = base_pairs(events, Base::Co(Scope::Any))?;
            let mut fr = compose(events, &inverse, &co)?;
            fr.retain(|&(r, w), _| events.in_scope(scope, r, w));
            fr
        }
    })
}

/// The pairs that are in program order, and when.
fn ordered(events: &mut Events<'_>, pairs: Vec<(usize, usize)>) -> Conditions {
    let mut result = BTreeMap::new();
    for (a, b) in pairs {
        let when = events.po(a, b);
        add(events, &mut result, (a, b), when);
    }
    result
}

/// The pairs in program order that are of the same location, and when: from some events to some others.
pub(crate) fn po_loc_between(
    events: &mut Events<'_>,
    from: &dyn Fn(usize) -> bool,
    to: &dyn Fn(usize) -> bool,
) -> Conditions {
    let mut result = BTreeMap::new();
    for location in 0..events.accesses.len() {
        let some = |wanted: &dyn Fn(usize) -> bool| -> Vec<(usize, Bool)> {
            events.accesses[location].iter().filter(|&&(event, _)| wanted(event)).copied().collect()
        };
        let (from, to) = (some(from), some(to));
        for &(a, one) in &from {
            for &(b, other) in &to {
                let po = events.po(a, b);
                if po != Bool::FALSE {
                    let same = events.terms().and(one, other);
                    insert(events, &mut result, (a, b), same, po);
                }
            }
        }
    }
    result
}

/// The pairs that are of the same location, and when.
fn located(events: &mut Events<'_>) -> Conditions {
    let mut result = BTreeMap::new();
    for location in 0..events.accesses.len() {
        let here = events.accesses[location].clone();
        for &(a, one) in &here {
            for &(b, other) in &here {
                insert(events, &mut result, (a, b), one, other);
            }
        }
    }
    result
}

pub(crate) fn base_members(events: &mut Events<'_>, set: &BaseSet) -> Vec<Bool> {
    let fixed = |keep: &dyn Fn(usize) -> bool| (0..events.len()).map(|e| Bool::constant(keep(e))).collect::<Vec<_>>();
    match set {
        BaseSet::Universe => fixed(&|_| true),
        BaseSet::R => fixed(&|e| events.kind(e) == Kind::Read),
        BaseSet::W => fixed(&|e| events.kind(e) == Kind::Write),
        BaseSet::F => fixed(&|e| events.kind(e) == Kind::Fence),
        BaseSet::Iw => fixed(&|e| events.is_initial(e)),
        BaseSet::Tag(name) => {
            let Some(tag) = events.program.tags.iter().position(|t| t == name) else { return fixed(&|_| false) };
            (0..events.len()).map(|e| events.tagged(e, ir::TagId(tag as u32))).collect()
        }
        BaseSet::Fw => {
            let mut members = vec![Bool::FALSE; events.len()];
            for location in 0..events.accesses.len() {
                for (write, last) in events.last_writes(location) {
                    members[write] = events.terms().or(members[write], last);
                }
            }
            members
        }
    }
}
