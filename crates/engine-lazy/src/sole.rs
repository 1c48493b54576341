//! Locations that one thread writes.
//!
//! The writes to such a location come in the order of that thread, in every model with store buffers. So there is nothing
//! to put in order and nothing to remember: what the thread itself reads there is known from its own steps, and what
//! another one reads is the last write that has been made and has reached memory by then. A read happens once, so this is
//! said once for all rounds; a round only says which of the writes have been made.
//!
//! Steps that nobody else can notice at the moment at which they happen are hidden: a thread passes them together with the
//! step before. Such a step could as well have come right after the step before it, so no run is left out.

use crate::memory::{Build, Fence};
use crate::options::Representation;
use crate::problem::{Step, Tags, at_once};
use crate::schedule::{Turns, begins};
use logic::{Bool, Term, Terms};
use model::Buffers;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use symbolic::{Kind, Structure};

/// Locations with more writes than this are treated like others.
const MANY: usize = 24;

/// Who writes a location once there are other threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    Nobody,
    One(usize),
    /// Several, or one too often.
    Many,
}

impl Writer {
    /// Whether only this thread can change the location.
    fn is(self, thread: usize) -> bool {
        self == Writer::Nobody || self == Writer::One(thread)
    }
}

/// For each event whether it happens before there are other threads.
pub fn early(structure: &Structure) -> Vec<bool> {
    let mut early = vec![false; structure.events.len()];
    let first = structure.threads.first().map_or(&[][..], |first| &first[..begins(structure).unwrap_or(0)]);
    first.iter().for_each(|&event| early[event as usize] = true);
    early
}

/// The writes to a location that are made when there are other threads.
fn writes<'s>(structure: &'s Structure, early: &'s [bool], location: usize) -> impl Iterator<Item = usize> + 's {
    let writes = move |&event: &usize| {
        let own = &structure.events[event];
        own.kind == Kind::Write
            && own.thread.is_some()
            && own.guard != Bool::FALSE
            && !early[event]
            && own.candidates.contains(&(location as u32))
    };
    (0..structure.events.len()).filter(writes)
}

/// How many writes to a location there are, and who makes them.
pub fn writers(structure: &Structure, early: &[bool]) -> Vec<(usize, Writer)> {
    let each = |location: usize| {
        let (mut count, mut writer) = (0, Writer::Nobody);
        for event in writes(structure, early, location) {
            let Some(thread) = structure.events[event].thread else { continue };
            count += 1;
            writer = if writer.is(thread.index()) { Writer::One(thread.index()) } else { Writer::Many };
        }
        (count, if count > MANY { Writer::Many } else { writer })
    };
    (0..structure.locations.len()).map(each).collect()
}

/// The same where queues hold the writes: to them all locations are alike.
pub fn unknown(structure: &Structure) -> Vec<(usize, Writer)> {
    vec![(usize::MAX, Writer::Many); structure.locations.len()]
}

/// For each thread, by location, the number of its writes that may take their time.
pub fn delayed(structure: &Structure, tags: &Tags, early: &[bool]) -> BTreeMap<(usize, usize), usize> {
    let at_once = at_once(structure, tags);
    let mut found = BTreeMap::new();
    for (at, event) in structure.events.iter().enumerate() {
        let Some(thread) = event.thread else { continue };
        if event.kind == Kind::Write && event.guard != Bool::FALSE && !at_once[at] && !early[at] {
            event.candidates.iter().for_each(|&place| *found.entry((thread.index(), place as usize)).or_insert(0) += 1);
        }
    }
    found
}

/// How long queues must be to hold all writes.
pub fn length(structure: &Structure, tags: &Tags, early: &[bool]) -> u32 {
    let at_once = at_once(structure, tags);
    let longest = match tags.buffers {
        Buffers::None => 0,
        Buffers::Location => delayed(structure, tags, early).into_values().max().unwrap_or(0),
        Buffers::Thread => {
            let takes = |&&event: &&u32| {
                let (own, at) = (&structure.events[event as usize], event as usize);
                own.kind == Kind::Write && own.guard != Bool::FALSE && !at_once[at] && !early[at]
            };
            structure.threads.iter().map(|own| own.iter().filter(takes).count()).max().unwrap_or(0)
        }
    };
    (longest as u32).max(2)
}

/// For each event whether it is hidden, if lists have so many nodes, or queues of this length.
pub fn hidden(structure: &Structure, tags: &Tags, nodes: u32) -> Vec<bool> {
    let early = early(structure);
    let (writers, room) = match tags.queues {
        Representation::Timed => (writers(structure, &early), false),
        Representation::Explicit => (unknown(structure), nodes >= length(structure, tags, &early)),
    };
    let at_once = at_once(structure, tags);
    let delayed = |event: u32| {
        let own = &structure.events[event as usize];
        own.kind == Kind::Write && own.guard != Bool::FALSE && !at_once[event as usize] && !early[event as usize]
    };
    let delays: Vec<bool> = structure.threads.iter().map(|own| own.iter().any(|&event| delayed(event))).collect();
    let mut hidden = vec![false; structure.events.len()];
    for (at, event) in structure.events.iter().enumerate() {
        let Some(thread) = event.thread else { continue };
        let thread = thread.index();
        let pair = |pair: &symbolic::Dependency| pair.from as usize == at || pair.to as usize == at;
        let bound = event.section.is_some() || structure.amo.iter().any(pair);
        let mut places = event.candidates.iter().map(|&place| writers[place as usize]);
        let alone = match event.kind {
            Kind::Read => places.all(|(_, writer)| writer.is(thread)),
            // A write that takes its time is noticed when it lands, if there is a node for it at any time.
            Kind::Write => {
                let roomy = |(count, writer): (usize, Writer)| writer.is(thread) || count < nodes as usize;
                tags.buffers != Buffers::None && !at_once[at] && (room || places.all(roomy))
            }
            Kind::Fence => {
                !tags.fences(&event.tags).contains(&Fence::Drain) || tags.buffers == Buffers::None || !delays[thread]
            }
        };
        hidden[at] = event.guard == Bool::FALSE || (alone && !bound);
    }
    hidden
}

/// A write to such a location.
#[derive(Debug, Clone, Copy)]
struct Entry {
    event: usize,
    unit: usize,
    /// When it goes there, if it is made.
    when: Bool,
    /// When it lands; nothing if it lands at once.
    lands: Option<Term>,
    value: Term,
}

/// What a read of another thread sees.
#[derive(Debug, Clone)]
struct Seen {
    /// For each write whether it has been made by then.
    made: Vec<Bool>,
    /// The time of the read.
    now: Term,
    value: Term,
}

/// The locations that one thread writes.
#[derive(Debug, Default)]
pub struct Sole {
    /// For each location who writes it and what, in order; nothing for other locations.
    places: Vec<Option<(Writer, Vec<Entry>)>>,
    /// What locations hold when the first thread is started.
    initial: Vec<Term>,
    seen: FxHashMap<(usize, usize), Seen>,
}

impl Sole {
    /// `writers`: who writes each location; `initial`: what it holds at first.
    pub fn new(writers: &[(usize, Writer)], initial: &[Term]) -> Self {
        let place = |&(_, writer): &(usize, Writer)| (writer != Writer::Many).then_some((writer, Vec::new()));
        let places = writers.iter().map(place).collect();
        Sole { places, initial: initial.to_vec(), seen: FxHashMap::default() }
    }

    /// Whether a location is one of them.
    pub fn has(&self, place: usize) -> bool {
        self.places[place].is_some()
    }

    /// Whether this thread sees writes of others there that took their time.
    pub fn is_late(&self, place: usize, thread: usize) -> bool {
        let Some((writer, entries)) = &self.places[place] else { return false };
        !writer.is(thread) && entries.iter().any(|entry| entry.lands.is_some())
    }

    /// Adds a write; those of a location come in order.
    pub fn add(&mut self, terms: &mut Terms, step: &Step, guard: Bool, (place, here): (usize, Bool), value: Term) {
        let Some((_, entries)) = &mut self.places[place] else { return };
        let when = terms.and(guard, here);
        let lands = (!step.at_once).then_some(step.guess.lands);
        entries.push(Entry { event: step.event, unit: step.unit, when, lands, value });
    }

    /// What a step reads from a location in a round; `clock`: the time then, where there are buffers.
    pub fn read(
        &mut self,
        build: &mut Build<'_>,
        turns: &Turns,
        step: &Step,
        (place, when): (usize, Bool),
        round: usize,
        clock: Option<Term>,
    ) -> Term {
        let Some((writer, entries)) = &self.places[place] else { return self.initial[place] };
        let initial = self.initial[place];
        let writer = match *writer {
            Writer::One(writer) if writer != step.thread => writer,
            // Its own writes, however far they have come; the events of a thread are numbered in order.
            Writer::One(_) | Writer::Nobody | Writer::Many => {
                let own = entries.iter().filter(|entry| entry.event < step.event);
                return own.fold(initial, |held, entry| build.terms.ite(entry.when, entry.value, held));
            }
        };
        let fresh = |build: &mut Build<'_>| {
            let made: Vec<Bool> = entries.iter().map(|_| build.terms.fresh_bool()).collect();
            for pair in made.windows(2) {
                let fact = build.terms.implies(pair[1], pair[0]);
                build.facts.push(fact);
            }
            let now = match clock {
                Some(clock) if step.ticks != Bool::TRUE => build.terms.fresh(build.terms.width(clock)),
                Some(_) | None => step.guess.time,
            };
            let mut value = initial;
            for (entry, &made) in entries.iter().zip(&made) {
                let landed = entry.lands.map_or(Bool::TRUE, |lands| build.at_most(lands, now));
                let visible = build.terms.all([made, entry.when, landed]);
                value = build.terms.ite(visible, entry.value, value);
            }
            Seen { made, now, value }
        };
        let seen = self.seen.entry((step.event, place)).or_insert_with(|| fresh(build)).clone();
        for (entry, made) in entries.iter().zip(seen.made) {
            let is = turns.by_then(writer, entry.unit, step.thread, round);
            for (one, other) in [(made, is), (is, made)] {
                let both = build.terms.and(when, one);
                build.demand(both, other);
            }
        }
        if let Some(clock) = clock
            && seen.now != step.guess.time
        {
            build.copies.push((when, seen.now, clock));
        }
        seen.value
    }

    /// What a location holds when all writes that are made have reached memory.
    pub fn last(&self, terms: &mut Terms, turns: &Turns, place: usize) -> Option<Term> {
        let (writer, entries) = self.places[place].as_ref()?;
        let mut value = self.initial[place];
        for entry in entries {
            let Writer::One(writer) = *writer else { continue };
            let when = terms.and(turns.passed(writer, entry.unit), entry.when);
            value = terms.ite(when, entry.value, value);
        }
        Some(value)
    }
}
