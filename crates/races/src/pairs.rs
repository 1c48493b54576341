//! The pairs of accesses that may race.

use crate::At;
use crate::points::{Points, Site, Target, overlap};
use crate::state::{Lock, Mode};
use crate::threads::{Classes, MAIN};
use crate::walk::{Access, Walk};
use ir::Program;
use std::collections::{BTreeMap, BTreeSet};

/// Two accesses that may race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// One that is not atomic; a write, if one that is not atomic is a write.
    pub watcher: At,
    /// The other one.
    pub checker: At,
}

/// What the analysis found.
#[derive(Debug, Clone, Default)]
pub struct Analysis {
    /// The pairs that may race.
    pub pairs: BTreeSet<Pair>,
    /// How many accesses were looked at, each as often as it differs in who does it with which locks.
    pub accesses: u64,
}

/// The pairs of accesses of a program that may race. Nothing comes back if the analysis gives up: then any pair may.
pub fn analyse(program: &Program) -> Option<Analysis> {
    let points = Points::new(program)?;
    let classes = Classes::new(program, &points)?;
    let mut walk = Walk::new(program, &points, &classes);
    for class in 0..classes.roots.len() {
        walk.class(class as u32)?;
    }
    let escaped = points.escaped();
    let mut found = std::mem::take(&mut walk.accesses).into_iter().collect::<Vec<Access>>();
    let loose = |&(site, offset): &Lock| {
        walk.loose.iter().any(|target| overlap(target, 1, &Target::Byte(site, Some(offset)), 1))
    };
    found.iter_mut().for_each(|access| access.locks.retain(|lock, _| !loose(lock)));
    let accesses: Vec<&Access> = found.iter().collect();
    let mut by_site: BTreeMap<Site, Vec<&Access>> = BTreeMap::new();
    for access in &accesses {
        let mut sites: Vec<Site> =
            access.targets.iter().filter_map(site).filter(|site| escaped.contains(site)).collect();
        sites.dedup();
        sites.into_iter().for_each(|site| by_site.entry(site).or_default().push(access));
    }
    let mut pairs = BTreeSet::new();
    for here in by_site.values() {
        if here.iter().all(|access| access.atomic) || !here.iter().any(|access| access.write) {
            continue;
        }
        for (at, a) in here.iter().enumerate() {
            for b in &here[at..] {
                if conflict(a, b) && parallel(a, b, &classes, &walk) {
                    pairs.insert(pair(a, b));
                }
            }
        }
    }
    Some(Analysis { pairs, accesses: accesses.len() as u64 })
}

fn site(target: &Target) -> Option<Site> {
    match target {
        Target::Byte(site, _) => Some(*site),
        Target::Thread(_) => None,
    }
}

/// Whether two accesses may be to one location, need an order, and no lock gives them one.
fn conflict(a: &Access, b: &Access) -> bool {
    let needs_order = (a.write || b.write) && !(a.atomic && b.atomic);
    let locked = || {
        let both = a.locks.iter().filter_map(|(lock, mode)| Some((*mode, *b.locks.get(lock)?)));
        both.into_iter().any(|(one, other)| one == Mode::Exclusive || other == Mode::Exclusive)
    };
    let meet = || a.targets.iter().any(|one| b.targets.iter().any(|other| overlap(one, a.size, other, b.size)));
    needs_order && !locked() && meet()
}

fn parallel(a: &Access, b: &Access, classes: &Classes, walk: &Walk<'_>) -> bool {
    if a.class == b.class {
        return !classes.single[a.class as usize];
    }
    for (one, other) in [(a, b), (b, a)] {
        let starter = classes.parents[other.class as usize] == BTreeSet::from([one.class]);
        if one.class == MAIN || starter && classes.single[one.class as usize] {
            return one.alive.contains(&other.class);
        }
    }
    classes.parallel(a.class, b.class, &walk.alive)
}

fn pair(a: &Access, b: &Access) -> Pair {
    let rank = |access: &Access| (!access.atomic, access.write);
    let (watcher, checker) = if rank(a) >= rank(b) { (a.at, b.at) } else { (b.at, a.at) };
    Pair { watcher, checker }
}
