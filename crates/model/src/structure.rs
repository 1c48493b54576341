//! Executions as models see them: events, sets and relations.

use crate::relation::{EventSet, Relation};
use std::collections::BTreeMap;

/// An execution as a model sees it. Events are numbers from 0 to `size`.
#[derive(Debug, Clone)]
pub struct Structure {
    /// The number of events.
    pub size: usize,
    /// The thread of each event; the initial writes have none.
    pub threads: Vec<Option<u32>>,
    /// Reads.
    pub reads: EventSet,
    /// Writes, the initial ones included.
    pub writes: EventSet,
    /// Fences.
    pub fences: EventSet,
    /// Initial writes.
    pub initial: EventSet,
    /// The events with each tag.
    pub tags: BTreeMap<String, EventSet>,
    /// Program order, transitive. It also orders threads that start and join others.
    pub po: Relation,
    /// Address dependencies.
    pub addr: Relation,
    /// Data dependencies.
    pub data: Relation,
    /// Control dependencies.
    pub ctrl: Relation,
    /// Read and write of a read-modify-write.
    pub rmw: Relation,
    /// Read and write of a single read-modify-write instruction.
    pub amo: Relation,
    /// Same location, reads and writes; reflexive on them.
    pub loc: Relation,
    /// The atomic section of each event, if it is in one. No event comes between those of a section.
    pub sections: Vec<Option<u32>>,
    /// The access that an event is a part of, if that is single-copy atomic and made of several events.
    pub groups: Vec<Option<u32>>,
    /// Reads-from.
    pub rf: Relation,
    /// Coherence, transitive, from the initial write of each location on.
    pub co: Relation,
}

impl Structure {
    /// `size` events of which nothing is known yet.
    pub fn new(size: usize) -> Self {
        let set = || EventSet::empty(size);
        let relation = || Relation::empty(size);
        Structure {
            size,
            threads: vec![None; size],
            reads: set(),
            writes: set(),
            fences: set(),
            initial: set(),
            tags: BTreeMap::new(),
            po: relation(),
            addr: relation(),
            data: relation(),
            ctrl: relation(),
            rmw: relation(),
            amo: relation(),
            loc: relation(),
            sections: vec![None; size],
            groups: vec![None; size],
            rf: relation(),
            co: relation(),
        }
    }
}
