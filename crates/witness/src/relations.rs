//! The relations of an execution, recomputed from the program.

use crate::execution::{Action, Event, EventId, Execution};
use crate::flaw::Flaw;
use crate::replay::{Replays, Whole, replay_all};
use ir::{Address, Program};
use model::{EventSet, Relation, Structure};
use std::collections::BTreeMap;

/// The execution as a model sees it.
///
/// Every thread is run again along its events; the relations come from what the interpreter sees, reads-from and
/// coherence from the execution after they have been found to be well formed.
///
/// # Errors
/// What the program cannot do, or what is wrong with reads-from or coherence.
pub fn structure(program: &Program, execution: &Execution) -> Result<Structure, Flaw> {
    relate(program, execution, &replay_all(program, execution, Whole::No)?.replays)
}

/// A function without locals, to evaluate constants in.
pub(crate) fn no_locals() -> ir::Function {
    ir::Function { name: String::new(), params: 0, library: false, locals: Vec::new(), blocks: Vec::new() }
}

/// Builds the structure from what the replay of the threads found.
pub(crate) fn relate(program: &Program, execution: &Execution, replays: &Replays) -> Result<Structure, Flaw> {
    let events = &execution.events;
    let size = events.len();
    let mut structure = Structure::new(size);
    for (at, event) in events.iter().enumerate() {
        structure.threads[at] = event.thread.map(|thread| thread.0);
        match event.action {
            Action::Read { .. } => structure.reads.insert(at),
            Action::Write { .. } => structure.writes.insert(at),
            Action::Fence => structure.fences.insert(at),
        }
        if event.thread.is_none() {
            structure.initial.insert(at);
        }
        for tag in event.tags.iter() {
            let name = program.tags[tag.index()].clone();
            structure.tags.entry(name).or_insert_with(|| EventSet::empty(size)).insert(at);
        }
        for (other, later) in events.iter().enumerate() {
            if event.address().is_some() && event.address() == later.address() {
                structure.loc.insert(at, other);
            }
        }
    }
    replays.order.iter().for_each(|&(earlier, later)| structure.po.insert(earlier, later));
    structure.sections.clone_from(&replays.sections);
    structure.groups.clone_from(&replays.groups);
    for thread in &replays.threads {
        let parts = [
            (&mut structure.addr, &thread.addr),
            (&mut structure.data, &thread.data),
            (&mut structure.ctrl, &thread.ctrl),
            (&mut structure.rmw, &thread.rmw),
            (&mut structure.amo, &thread.amo),
        ];
        for (relation, pairs) in parts {
            pairs.iter().for_each(|&(from, to)| relation.insert(from, to));
        }
    }
    structure.rf = reads_from(execution)?;
    structure.co = coherence(program, execution)?;
    Ok(structure)
}

/// Checks that each read reads from exactly one write of its location and value.
fn reads_from(execution: &Execution) -> Result<Relation, Flaw> {
    let events = &execution.events;
    let mut relation = Relation::empty(events.len());
    let mut sources = vec![0; events.len()];
    for &(write, read) in &execution.rf {
        let (Some(reader), Some(writer)) = (events.get(read.index()), events.get(write.index())) else {
            return Err(Flaw::ReadsFrom(read, "there is no such event".to_owned()));
        };
        if !reader.is_read() || !writer.is_write() {
            return Err(Flaw::ReadsFrom(read, "not a read and a write".to_owned()));
        }
        if reader.address() != writer.address() || reader.value() != writer.value() {
            return Err(Flaw::ReadsFrom(read, "the write has another location or value".to_owned()));
        }
        sources[read.index()] += 1;
        relation.insert(write.index(), read.index());
    }
    let wrong = events.iter().zip(&sources).position(|(event, &count)| event.is_read() && count != 1);
    match wrong {
        Some(read) => Err(Flaw::ReadsFrom(EventId(read as u32), format!("{} writes instead of one", sources[read]))),
        None => Ok(relation),
    }
}

/// Checks that coherence orders all writes of each location, the initial one first.
fn coherence(program: &Program, execution: &Execution) -> Result<Relation, Flaw> {
    let events = &execution.events;
    let mut missing: BTreeMap<Address, usize> = BTreeMap::new();
    let written = |event: &Event| event.address().filter(|_| event.is_write());
    events.iter().filter_map(written).for_each(|address| *missing.entry(address).or_default() += 1);
    let mut relation = Relation::empty(events.len());
    for order in &execution.co {
        let first = order.first().and_then(|id| events.get(id.index()));
        let Some((first, address)) = first.and_then(|event| Some((event, written(event)?))) else {
            return Err(Flaw::Coherence("?".to_owned(), "an order that does not begin with a write".to_owned()));
        };
        let flaw = |what: &str| Flaw::Coherence(execution.address_name(program, address), what.to_owned());
        if first.thread.is_some() {
            return Err(flaw("the initial write is not the first"));
        }
        for (at, &id) in order.iter().enumerate() {
            if events.get(id.index()).and_then(written) != Some(address) || order[..at].contains(&id) {
                return Err(flaw("not all different writes of one location"));
            }
            order[..at].iter().for_each(|earlier| relation.insert(earlier.index(), id.index()));
        }
        if missing.remove(&address) != Some(order.len()) {
            return Err(flaw("not all its writes, once"));
        }
    }
    // A location without an order may have its initial write only.
    match missing.into_iter().find(|&(_, count)| count > 1) {
        Some((address, _)) => {
            Err(Flaw::Coherence(execution.address_name(program, address), "its writes have no order".to_owned()))
        }
        None => Ok(relation),
    }
}
