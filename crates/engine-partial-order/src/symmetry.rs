//! Threads that do the same: of the executions that differ only in which of them did what, one is enough.
//!
//! Some threads are interchangeable if exchanging any two of them, event by event, leaves everything that the question depends on as it is:
//! guards, addresses, values, dependencies, program order from and to other threads, failures, and what is required in any case. This is looked at
//! on the events, not on the text. So a thread that looks at its own number, or at its argument, or that makes an object with an
//! address of its own, is not interchangeable where that shows in an event, and is where it does not.
//!
//! Such threads are then asked to come in the order in which one of their writes reaches memory: that of the first of them is first in
//! coherence, and who does not execute it comes last. Any execution becomes one like that by exchanging threads.

mod canonical;
mod inert;

use crate::events::{Coherence, Events};
use canonical::{Canon, Swap, View};
use engine::NoAnswer;
use logic::{Bool, Terms};
use model::Model;
use rustc_hash::{FxHashMap, FxHashSet};
use symbolic::{Dependency, Event, Input, Kind, Structure};

/// Sees to it that one execution stands for all those with interchangeable threads exchanged. Gives the number of such threads.
pub(crate) fn representatives(events: &mut Events<'_>, model: &Model) -> Result<usize, NoAnswer> {
    if !inert::may_be_ignored(model) {
        return Ok(0);
    }
    let mut required = Vec::new();
    let mut count = 0;
    for group in candidates(&events.structure) {
        let ignored = inert::fences(events, &group);
        let mut rest = group;
        while let [first, others @ ..] = &rest[..]
            && !others.is_empty()
        {
            let (mut alike, mut different) = (vec![*first], Vec::new());
            for &other in others {
                let same = interchangeable(events, (*first, other), &ignored)?;
                if same { alike.push(other) } else { different.push(other) }
            }
            if alike.len() > 1
                && let Some(key) = key(events, &alike)
            {
                in_order(events, &alike, key, &mut required);
                count += alike.len();
            }
            rest = different;
        }
    }
    events.constraints.extend(required);
    Ok(count)
}

/// Threads of the same shape, at least two of them.
fn candidates(structure: &Structure) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for (thread, events) in structure.threads.iter().enumerate().filter(|(_, events)| !events.is_empty()) {
        let is_like = |group: &&mut Vec<u32>| {
            let other = &structure.threads[group[0] as usize];
            other.len() == events.len()
                && events.iter().zip(other).all(|(&a, &b)| {
                    let (a, b): (&Event, &Event) = (&structure.events[a as usize], &structure.events[b as usize]);
                    a.kind == b.kind && a.span == b.span && a.tags == b.tags && a.candidates == b.candidates
                })
        };
        match groups.iter_mut().find(is_like) {
            Some(group) => group.push(thread as u32),
            None => groups.push(vec![thread as u32]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// An exchange of two threads: their events, and the variables in these.
struct Exchange<'s> {
    threads: (u32, u32),
    ignored: &'s FxHashSet<usize>,
    events: FxHashMap<u32, u32>,
    swapped: View<'s>,
    plain: View<'s>,
    canon: Canon,
}

/// Whether exchanging two threads changes nothing, apart from some fences that do nothing.
fn interchangeable(events: &mut Events<'_>, threads: (u32, u32), ignored: &FxHashSet<usize>) -> Result<bool, NoAnswer> {
    let structure = &events.structure;
    let own = |thread: u32| structure.threads[thread as usize].iter().copied();
    let mut swap = Swap::default();
    for (a, b) in own(threads.0).zip(own(threads.1)) {
        let (a, b) = (&structure.events[a as usize], &structure.events[b as usize]);
        let terms = &structure.terms;
        if !(swap.unify(terms, a.guard, b.guard)
            && swap.unify_terms(terms, a.address, b.address)
            && swap.unify_terms(terms, a.value, b.value))
        {
            return Ok(false);
        }
    }
    let pairs = own(threads.0).zip(own(threads.1));
    let mut exchange = Exchange {
        threads,
        ignored,
        events: pairs.flat_map(|(a, b)| [(a, b), (b, a)]).collect(),
        swapped: View::of(&swap),
        plain: View::plain(),
        canon: Canon::default(),
    };
    events.count(structure.events.len())?;
    Ok(exchange.keeps_events(structure)
        && exchange.keeps_relations(structure)
        && exchange.keeps_conditions(structure)
        && exchange.keeps_order(events)?)
}

impl Exchange<'_> {
    /// Whether the second is what becomes of the first.
    fn same(&mut self, terms: &Terms, a: Bool, b: Bool) -> bool {
        self.swapped.bool(&mut self.canon, terms, a) == self.plain.bool(&mut self.canon, terms, b)
    }

    fn event(&self, event: u32) -> u32 {
        self.events.get(&event).copied().unwrap_or(event)
    }

    fn thread(&self, thread: u32) -> u32 {
        let (a, b) = self.threads;
        if thread == a {
            b
        } else if thread == b {
            a
        } else {
            thread
        }
    }

    fn keeps_events(&mut self, structure: &Structure) -> bool {
        let mut sections: FxHashMap<u32, u32> = FxHashMap::default();
        let mut groups: FxHashMap<u32, u32> = FxHashMap::default();
        let ignored = self.ignored;
        (0..structure.events.len()).filter(|at| !ignored.contains(at)).all(|at| {
            let (a, b) = (&structure.events[at], &structure.events[self.event(at as u32) as usize]);
            let terms = &structure.terms;
            let mut same_term =
                |a, b| self.swapped.term(&mut self.canon, terms, a) == self.plain.term(&mut self.canon, terms, b);
            let same_section = match (a.section, b.section) {
                (Some(a), Some(b)) => *sections.entry(a).or_insert(b) == b,
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            };
            let same_group = match (a.group, b.group) {
                (Some(a), Some(b)) => a.atomic == b.atomic && *groups.entry(a.number).or_insert(b.number) == b.number,
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            };
            same_term(a.address, b.address)
                && same_term(a.value, b.value)
                && same_section
                && same_group
                && self.same(terms, a.guard, b.guard)
        })
    }

    fn keeps_relations(&mut self, structure: &Structure) -> bool {
        let relations = [&structure.addr, &structure.data, &structure.ctrl, &structure.rmw, &structure.amo];
        relations.into_iter().all(|relation| {
            self.is_invariant(relation, |exchange, dependency: &Dependency, swapped| {
                let Dependency { from, to, when } = *dependency;
                let when = exchange.number(&structure.terms, when, swapped);
                if swapped { vec![exchange.event(from), exchange.event(to), when] } else { vec![from, to, when] }
            })
        })
    }

    /// The number of a condition, with variables exchanged or not.
    fn number(&mut self, terms: &Terms, when: Bool, swapped: bool) -> u32 {
        if swapped {
            self.swapped.bool(&mut self.canon, terms, when)
        } else {
            self.plain.bool(&mut self.canon, terms, when)
        }
    }

    /// Whether a set is what becomes of it.
    fn is_invariant<T>(&mut self, items: &[T], mut describe: impl FnMut(&mut Self, &T, bool) -> Vec<u32>) -> bool {
        let mut described = |swapped: bool| -> Vec<Vec<u32>> {
            let mut all: Vec<Vec<u32>> = items.iter().map(|item| describe(self, item, swapped)).collect();
            all.sort_unstable();
            all
        };
        described(true) == described(false)
    }

    /// Failures, waits, and whatever else conditions are about.
    fn keeps_conditions(&mut self, structure: &Structure) -> bool {
        let terms = &structure.terms;
        let thread =
            |exchange: &Self, thread: u32, swapped: bool| if swapped { exchange.thread(thread) } else { thread };
        let stops = |when: Bool| u32::from(structure.stuck.iter().any(|stuck| stuck.when == when));
        let finished: Vec<(u32, Bool)> = (0..).zip(structure.finished.iter().copied()).collect();
        let given: Vec<(u32, Bool, Input)> = (0..)
            .zip(&structure.inputs)
            .flat_map(|(thread, inputs)| inputs.iter().map(move |&(when, input)| (thread, when, input)))
            .filter(|(_, _, input)| matches!(input, Input::Thread(_)))
            .collect();
        let cells: Vec<logic::Term> = structure
            .made
            .iter()
            .flat_map(|made| made.cells.iter().map(|&(_, _, initial)| initial).chain(made.limit))
            .collect();
        self.is_invariant(&structure.constraints, |exchange, &when, swapped| {
            vec![exchange.number(terms, when, swapped)]
        }) && structure.widen.iter().all(|&when| self.same(terms, when, when))
            && cells.iter().all(|&cell| {
                self.swapped.term(&mut self.canon, terms, cell) == self.plain.term(&mut self.canon, terms, cell)
            })
            && self
                .is_invariant(&structure.mixed, |exchange, &when, swapped| vec![exchange.number(terms, when, swapped)])
            && self.is_invariant(&structure.cuts, |exchange, &(when, _), swapped| {
                vec![exchange.number(terms, when, swapped)]
            })
            && self.is_invariant(&finished, |exchange, &(of, when), swapped| {
                vec![thread(exchange, of, swapped), exchange.number(terms, when, swapped)]
            })
            && self.is_invariant(&structure.failures, |exchange, failure, swapped| {
                vec![exchange.number(terms, failure.when, swapped), u32::from(failure.memory), stops(failure.when)]
            })
            && self.is_invariant(&structure.stuck, |exchange, stuck, swapped| {
                vec![exchange.number(terms, stuck.when, swapped), stuck.cause as u32]
            })
            && self.is_invariant(&structure.stands, |exchange, stand, swapped| {
                vec![thread(exchange, stand.thread.0, swapped), exchange.number(terms, stand.when, swapped)]
            })
            && self.is_invariant(&structure.waits, |exchange, wait, swapped| {
                let mut all =
                    vec![thread(exchange, wait.thread.0, swapped), exchange.number(terms, wait.when, swapped)];
                let mut reads: Vec<(u32, u32)> = Vec::with_capacity(wait.reads.len());
                for &(read, when) in &wait.reads {
                    let read = if swapped { exchange.event(read) } else { read };
                    reads.push((read, exchange.number(terms, when, swapped)));
                }
                reads.sort_unstable();
                all.extend(reads.into_iter().flat_map(|(read, when)| [read, when]));
                all
            })
            && self.is_invariant(&given, |exchange, &(by, when, input), swapped| {
                let Input::Thread(number) = input else { return Vec::new() };
                let threads = [thread(exchange, by, swapped), thread(exchange, number, swapped)];
                vec![threads[0], threads[1], exchange.number(terms, when, swapped)]
            })
    }

    /// Whether the threads are before, after and beside the same events.
    fn keeps_order(&mut self, events: &mut Events<'_>) -> Result<bool, NoAnswer> {
        let ignored = self.ignored;
        let own = |events: &Events<'_>, thread: u32| events.structure.threads[thread as usize].clone();
        let (ones, others) = (own(events, self.threads.0), own(events, self.threads.1));
        for (&a, &b) in ones.iter().zip(&others) {
            events.count(events.len())?;
            for outside in (0..events.len()).filter(|&event| !ignored.contains(&event)) {
                if self.events.contains_key(&(outside as u32)) {
                    // Neither is before the other.
                    let related = [(a, outside), (b, outside)].into_iter().any(|(event, outside)| {
                        let event = event as usize;
                        !events.same_thread(event, outside)
                            && (events.po(event, outside) != Bool::FALSE || events.po(outside, event) != Bool::FALSE)
                    });
                    if related {
                        return Ok(false);
                    }
                    continue;
                }
                let (a, b) = (a as usize, b as usize);
                let before = (events.po(outside, a), events.po(outside, b));
                let after = (events.po(a, outside), events.po(b, outside));
                let terms = &events.structure.terms;
                if !self.same(terms, before.0, before.1) || !self.same(terms, after.0, after.1) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// Which of their events tells the threads apart: the first write to a certain location, of an instruction that reads too if there is one.
fn key(events: &Events<'_>, threads: &[u32]) -> Option<usize> {
    let own = &events.structure.threads[threads[0] as usize];
    let writes = |&at: &usize| {
        let event = own[at] as usize;
        events.kind(event) == Kind::Write && events.certain_location(event).is_some()
    };
    let reads_too = |&at: &usize| events.structure.rmw.iter().any(|pair| pair.to == own[at]);
    let writes: Vec<usize> = (0..own.len()).filter(writes).collect();
    writes.iter().find(|at| reads_too(at)).or_else(|| writes.first()).copied()
}

/// The writes with this place in their threads come in the order of the threads.
fn in_order(events: &mut Events<'_>, threads: &[u32], key: usize, required: &mut Vec<Bool>) {
    let writes: FxHashMap<usize, usize> =
        (0..).zip(threads).map(|(at, &thread)| (events.structure.threads[thread as usize][key] as usize, at)).collect();
    for pair in 0..events.co.len() {
        let Coherence { first, second, when, .. } = events.co[pair];
        let (Some(a), Some(b)) = (writes.get(&first), writes.get(&second)) else { continue };
        if a < b {
            let (earlier, later) = (events.guard(first), events.guard(second));
            let terms = events.terms();
            let ordered = terms.and(earlier, when);
            let constraint = terms.implies(later, ordered);
            required.push(constraint);
        }
    }
}
