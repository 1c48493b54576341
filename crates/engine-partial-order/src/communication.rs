//! Who can read from whom, and which writes coherence can order.

use crate::events::{Coherence, Events, WriteChain};
use engine::NoAnswer;
use ir::Width;
use logic::{Bool, Term, TermNode};
use rustc_hash::FxHashMap;
use symbolic::Kind;

/// A write that a read can see: when they are at the same location, and what it would see and when.
pub(crate) type Candidate = (usize, Bool, Vec<(Bool, Term)>);

impl Events<'_> {
    /// Makes reads-from and coherence. `coherent`: the model has an axiom that gives every location a sequential order.
    pub fn communicate(&mut self, coherent: bool) -> Result<(), NoAnswer> {
        self.rf = vec![Vec::new(); self.len()];
        self.coherence(coherent)?;
        self.reads_from(coherent)
    }

    /// Pairs of events of two kinds at the same location, and when they are there, in the order of the events; without those that are in one
    /// chain. A number for each event says in which, counted from 1.
    fn meetings(
        &mut self,
        (first, second): (Kind, Kind),
        chain_of: &[u32],
    ) -> Result<Vec<(usize, usize, Bool)>, NoAnswer> {
        let mut pairs: Vec<(usize, usize, Bool)> = Vec::new();
        for location in 0..self.accesses.len() {
            let here = |kind: Kind| -> Vec<(usize, Bool)> {
                self.accesses[location].iter().filter(|&&(event, _)| self.kind(event) == kind).copied().collect()
            };
            let (firsts, mut seconds) = (here(first), here(second));
            seconds.sort_by_key(|&(event, _)| chain_of[event]);
            for &(a, one) in &firsts {
                let chain = chain_of[a];
                let own = match chain {
                    0 => 0..0,
                    _ => {
                        seconds.partition_point(|&(b, _)| chain_of[b] < chain)
                            ..seconds.partition_point(|&(b, _)| chain_of[b] <= chain)
                    }
                };
                let (terms, found) = (&mut self.structure.terms, pairs.len());
                let others = seconds[..own.start].iter().chain(&seconds[own.end..]);
                for &(b, other) in others.filter(|&&(b, _)| first != second || a < b) {
                    let both = terms.and(one, other);
                    if both != Bool::FALSE {
                        pairs.push((a, b, both));
                    }
                }
                self.count(pairs.len() - found)?;
            }
        }
        pairs.sort_by_key(|&(a, b, _)| (a, b));
        let terms = &mut self.structure.terms;
        pairs.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 = terms.or(kept.2, next.2);
            }
            same
        });
        Ok(pairs)
    }

    /// The chains of writes that coherence orders as program order does.
    fn write_chains(&self) -> Vec<WriteChain> {
        let mut chains = Vec::new();
        for location in 0..self.accesses.len() {
            let mut places: Vec<(u32, u32, usize)> = Vec::new();
            for &(event, _) in &self.accesses[location] {
                if self.kind(event) == Kind::Write && self.certain_location(event) == Some(location) {
                    places.extend(self.order.place(event).map(|(thread, position)| (thread, position, event)));
                }
            }
            places.sort_unstable();
            for group in places.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
                let writes = group.iter().map(|&(_, position, event)| (position, event)).collect();
                chains.push(WriteChain { location, thread: group[0].0, writes });
            }
        }
        chains
    }

    fn coherence(&mut self, coherent: bool) -> Result<(), NoAnswer> {
        self.chains = if coherent { self.write_chains() } else { Vec::new() };
        // The chain of each write that is in one, counted from 1.
        let mut chain_of = vec![0u32; self.len()];
        for (number, chain) in (1..).zip(&self.chains) {
            chain.writes.iter().for_each(|&(_, write)| chain_of[write] = number);
        }
        for (a, b, same) in self.meetings((Kind::Write, Kind::Write), &chain_of)? {
            if self.is_initial(a) {
                self.co.push(Coherence { first: a, second: b, when: same, sure: false, chained: chain_of[b] != 0 });
                continue;
            }
            if coherent && self.po(a, b) == Bool::TRUE {
                self.co.push(Coherence { first: a, second: b, when: same, sure: false, chained: false });
                continue;
            }
            if coherent && self.po(b, a) == Bool::TRUE {
                self.co.push(Coherence { first: b, second: a, when: same, sure: false, chained: false });
                continue;
            }
            let (one, other) = (self.guard(a), self.guard(b));
            let terms = &mut self.structure.terms;
            let both = terms.all([same, one, other]);
            if both == Bool::FALSE {
                continue;
            }
            let forward = terms.fresh_bool();
            let backward = if both == Bool::TRUE { !forward } else { terms.fresh_bool() };
            if both != Bool::TRUE {
                let either = terms.or(forward, backward);
                let not_both = !terms.and(forward, backward);
                self.constraints.push(not_both);
                let ordered = terms.implies(both, either);
                self.constraints.push(ordered);
                for needed in [same, one, other] {
                    let (yes, no) = (terms.implies(forward, needed), terms.implies(backward, needed));
                    self.constraints.extend([yes, no]);
                }
            }
            self.co.push(Coherence { first: a, second: b, when: forward, sure: true, chained: false });
            self.co.push(Coherence { first: b, second: a, when: backward, sure: true, chained: false });
        }
        Ok(())
    }

    fn reads_from(&mut self, coherent: bool) -> Result<(), NoAnswer> {
        let pairs = self.meetings((Kind::Read, Kind::Write), &vec![0; self.len()])?;
        for group in pairs.chunk_by(|x, y| x.0 == y.0) {
            self.count(group.len())?;
            let read = group[0].0;
            let covers = if coherent { self.covers(read) } else { Vec::new() };
            let mut candidates = Vec::new();
            for &(_, write, same) in group {
                if !coherent || !self.cannot_see(write, read, &covers) {
                    candidates.push((write, same));
                }
            }
            self.choose_source(read, &candidates, coherent);
        }
        let empty: Vec<usize> =
            (0..self.len()).filter(|&e| self.kind(e) == Kind::Read && self.rf[e].is_empty()).collect();
        for read in empty {
            let guard = self.guard(read);
            self.constraints.push(!guard);
        }
        Ok(())
    }

    /// Writes that certainly come before a read, to its location, whenever it is executed: of each thread the last.
    fn covers(&mut self, read: usize) -> Vec<usize> {
        let Some(location) = self.certain_location(read) else { return Vec::new() };
        let guard = self.guard(read);
        let mut last: FxHashMap<u32, (u32, usize)> = FxHashMap::default();
        for at in 0..self.accesses[location].len() {
            let (write, when) = self.accesses[location][at];
            if self.kind(write) != Kind::Write || when != Bool::TRUE || self.po(write, read) != Bool::TRUE {
                continue;
            }
            let from = self.guard(write);
            let Some((thread, position)) = self.order.place(write).filter(|_| self.implied(guard, from)) else {
                continue;
            };
            let known = last.entry(thread).or_insert((position, write));
            if known.0 < position {
                *known = (position, write);
            }
        }
        let mut covers: Vec<usize> = last.into_values().map(|(_, write)| write).collect();
        covers.sort_unstable();
        covers
    }

    /// Whether coherence within program order rules out that `read` reads from `write`.
    fn cannot_see(&mut self, write: usize, read: usize, covers: &[usize]) -> bool {
        if self.po(read, write) == Bool::TRUE {
            return true;
        }
        if self.is_initial(write) {
            return !covers.is_empty();
        }
        // A write that certainly comes between hides those before it.
        covers.iter().any(|&between| between != write && self.po(write, between) == Bool::TRUE)
    }

    fn choose_source(&mut self, read: usize, candidates: &[(usize, Bool)], coherent: bool) {
        let guard = self.guard(read);
        let value = self.structure.events[read].value;
        let is_variable = matches!(self.structure.terms.node(value), TermNode::Var(_));
        let mut possible: Vec<Candidate> = Vec::with_capacity(candidates.len());
        for &(write, same) in candidates {
            let seen = self.values_at(write, read);
            let from = self.guard(write);
            let terms = &mut self.structure.terms;
            let mut needs = terms.all([guard, from, same]);
            // A variable can have any value.
            for &(when, written) in seen.iter().filter(|_| !is_variable) {
                let equal = terms.eq(written, value);
                let equal = terms.implies(when, equal);
                needs = terms.and(needs, equal);
            }
            if needs != Bool::FALSE {
                possible.push((write, same, seen));
            }
        }
        if let Some(chain) = self.only_chain(read).filter(|_| possible.len() > 1) {
            self.choose_height(read, &possible, chain);
            return;
        }
        let single = possible.len() == 1;
        let mut sources = Vec::with_capacity(possible.len());
        for (write, same, seen) in possible {
            let from = self.guard(write);
            let terms = &mut self.structure.terms;
            let reads = if single { guard } else { terms.fresh_bool() };
            for needed in [guard, from, same] {
                let constraint = terms.implies(reads, needed);
                self.constraints.push(constraint);
            }
            for (when, written) in seen {
                let when = terms.and(reads, when);
                self.copies.push((when, written, value));
            }
            sources.push((write, reads));
        }
        let terms = &mut self.structure.terms;
        let some = terms.any(sources.iter().map(|&(_, reads)| reads));
        let constraint = terms.implies(guard, some);
        self.constraints.push(constraint);
        if !coherent {
            // Where no axiom sees to it, a read must be told to have one source only.
            for (at, &(_, one)) in sources.iter().enumerate() {
                for &(_, other) in &sources[at + 1..] {
                    let constraint = !self.structure.terms.and(one, other);
                    self.constraints.push(constraint);
                }
            }
        }
        self.rf[read] = sources;
    }

    /// What `read` would see of `write`, and when: cut to the cell, then fitted to the register.
    fn values_at(&mut self, write: usize, read: usize) -> Vec<(Bool, Term)> {
        let mut widths: Vec<(Width, Bool)> = Vec::new();
        for &(location, here) in &self.locations[read] {
            if self.locations[write].iter().any(|&(other, _)| other == location) {
                let width = self.structure.locations[location].width;
                match widths.iter_mut().find(|(known, _)| *known == width) {
                    Some((_, when)) => *when = self.structure.terms.or(*when, here),
                    None => widths.push((width, here)),
                }
            }
        }
        // If all cells are alike it does not matter which one it is.
        if let [(_, when)] = &mut widths[..] {
            *when = Bool::TRUE;
        }
        let value = self.structure.events[write].value;
        let to = self.structure.terms.width(self.structure.events[read].value);
        let mut seen = Vec::with_capacity(widths.len());
        for (cell, when) in widths {
            let stored = self.fit(value, cell);
            seen.push((when, self.fit(stored, to)));
        }
        seen
    }
}
