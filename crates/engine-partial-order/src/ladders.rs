//! Reads of locations that only one thread writes.
//!
//! The writes have an order that is known, so what a read sees is a height: at least the first write, at least the second, and so on. A read that is at
//! least as high as a write comes after it, and one that is lower comes before it. If edges carry these conditions and not the choice
//! of a single write, one conflict tells the solver about all lower and all higher writes too: there are as many conflicts as writes and
//! not as pairs of them.

use crate::events::Events;
use crate::graph::{Ends, HOME, Product};
use logic::Bool;
use model::Scope;
use std::rc::Rc;

/// What a read sees of the writes of a location's only writer.
#[derive(Debug, Clone)]
pub(crate) struct Ladder {
    thread: u32,
    /// The writes in coherence order, and when the read sees this one or a later one.
    rungs: Rc<Vec<(usize, Bool)>>,
}

const ANYWHERE: Ends = Ends { from: None, to: None };

impl Events<'_> {
    /// The ladder of a read, if its location has one writer.
    pub(crate) fn ladder(&mut self, read: usize) -> Option<Ladder> {
        if let Some(known) = self.ladders.get(&read) {
            return known.clone();
        }
        let ladder = self.make_ladder(read);
        self.ladders.insert(read, ladder.clone());
        ladder
    }

    fn make_ladder(&mut self, read: usize) -> Option<Ladder> {
        let location = self.certain_location(read)?;
        let mut here = self.chains.iter().filter(|chain| chain.location == location);
        let chain = here.next()?;
        if here.next().is_some() {
            return None;
        }
        let (thread, writes) = (chain.thread, chain.writes.clone());
        // Besides the chain only the initial write, which has the number of its location.
        let others = |&(event, _): &(usize, Bool)| self.kind(event) == symbolic::Kind::Write && event != location;
        if self.accesses[location].iter().filter(|access| others(access)).count() != writes.len() {
            return None;
        }
        let mut rungs = Vec::with_capacity(writes.len());
        let mut at_least = Bool::FALSE;
        for &(_, write) in writes.iter().rev() {
            let source = self.rf[read].iter().find(|&&(source, _)| source == write);
            if let Some(&(_, reads)) = source {
                self.only_source(reads, at_least);
                at_least = self.structure.terms.or(at_least, reads);
            }
            rungs.push((write, at_least));
        }
        rungs.reverse();
        if let Some(&(_, reads)) = self.rf[read].iter().find(|&&(source, _)| source == location) {
            self.only_source(reads, at_least);
        }
        // What is seen for certain whenever the read is executed.
        if !self.rf[read].iter().any(|&(source, _)| source == location) {
            let lowest = writes.iter().position(|&(_, write)| self.rf[read].iter().any(|&(source, _)| source == write));
            for rung in rungs.iter_mut().take(lowest.map_or(0, |lowest| lowest + 1)) {
                rung.1 = Bool::TRUE;
            }
        }
        Some(Ladder { thread, rungs: Rc::new(rungs) })
    }

    /// Who reads from here reads from nowhere higher: without single choices on the edges no cycle sees to that.
    fn only_source(&mut self, reads: Bool, higher: Bool) {
        let both = self.structure.terms.and(reads, higher);
        if both != Bool::FALSE {
            self.constraints.push(!both);
        }
    }

    /// Whether the writer of a ladder is in this scope of a reader.
    fn ladder_in_scope(&self, scope: Scope, read: usize, ladder: &Ladder) -> bool {
        let near = self.structure.events[read].thread.is_some_and(|thread| thread.0 == ladder.thread);
        match scope {
            Scope::Any => true,
            Scope::Internal => near,
            Scope::External => !near,
        }
    }
}

impl Product<'_, '_, '_> {
    /// Reads-from by a ladder: the read comes after each write that it is at least as high as. The graph has coherence within
    /// the writer's thread, so this adds nothing to it but shorter ways.
    pub(crate) fn climb(&mut self, scope: Scope, read: usize, ladder: &Ladder) {
        let location = self.events.certain_location(read);
        for at in 0..self.events.rf[read].len() {
            let (write, when) = self.events.rf[read][at];
            if Some(write) == location && self.events.in_scope(scope, write, read) {
                self.step((HOME, write), (HOME, read), when, true, &ANYWHERE);
            }
        }
        if !self.events.ladder_in_scope(scope, read, ladder) {
            return;
        }
        // Of those below for certain the highest that is executed for certain stands for all.
        for &(write, at_least) in ladder.rungs.iter().rev() {
            self.step((HOME, write), (HOME, read), at_least, false, &ANYWHERE);
            if at_least == Bool::TRUE && self.events.guard(write) == Bool::TRUE {
                break;
            }
        }
    }

    /// From-read by ladders: a read comes before each write that it is lower than.
    pub(crate) fn descend(&mut self, scope: Scope, readers: Vec<usize>) {
        for read in readers {
            let Some(ladder) = self.events.ladder(read) else { continue };
            if !self.events.ladder_in_scope(scope, read, &ladder) {
                continue;
            }
            for &(write, at_least) in ladder.rungs.iter() {
                self.step((HOME, read), (HOME, write), !at_least, false, &ANYWHERE);
                if at_least == Bool::FALSE && self.events.guard(write) == Bool::TRUE {
                    break;
                }
            }
        }
    }
}
