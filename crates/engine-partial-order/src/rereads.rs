//! Two reads of one thread and one location that see different writes of others: `po-loc & (fre; rfe)`.
//!
//! The pairs are a quadratic number of reads, each with a way through every write. Where one thread writes the location and another one reads it, what is
//! read only grows along program order. So two reads see different writes iff some two neighbours between them do, and a chain along the
//! reads with two tracks is enough: one gets on the first track, changes to the second where neighbours differ, and gets off the second.

use crate::bases::po_loc_between;
use crate::events::Events;
use crate::graph::{Ends, HOME, Layer, Product};
use crate::ladders::Ladder;
use crate::pairs::{self, Conditions};
use crate::relations::Bound;
use engine::NoAnswer;
use logic::Bool;
use model::{Base, Model, Node, NodeId, Scope};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use symbolic::Kind;

/// The parts of `fre; rfe`, if these are the members of `po-loc & (fre; rfe)`.
pub(crate) fn parts(model: &Model, members: &[NodeId]) -> Option<[NodeId; 2]> {
    let [po, composed] = *members else { return None };
    let (po, composed) = if matches!(model.node(po), Node::Sequence(_)) { (composed, po) } else { (po, composed) };
    let Node::Sequence(steps) = model.node(composed) else { return None };
    let [fr, rf] = steps[..] else { return None };
    let is = |node: NodeId, base: Base| *model.node(node) == Node::Base(base);
    let all = is(po, Base::PoLoc) && is(fr, Base::Fr(Scope::External)) && is(rf, Base::Rf(Scope::External));
    all.then_some([fr, rf])
}

impl Events<'_> {
    /// The reads of each location and thread with their positions, in program order, and the thread.
    fn reads_in_order(&self) -> Vec<(u32, Vec<(u32, usize)>)> {
        let mut groups: BTreeMap<(usize, u32), Vec<(u32, usize)>> = BTreeMap::new();
        for read in (0..self.len()).filter(|&event| self.kind(event) == Kind::Read) {
            if let (Some(location), Some((thread, position))) = (self.certain_location(read), self.order.place(read)) {
                groups.entry((location, thread)).or_default().push((position, read));
            }
        }
        groups.values_mut().for_each(|reads| reads.sort_unstable());
        groups.into_iter().map(|((_, thread), reads)| (thread, reads)).collect()
    }

    /// Reads of one thread and one location in program order, where another thread does all the writing and each read is executed only if those
    /// before it are.
    fn rereads(&mut self) -> Vec<Vec<(usize, Ladder)>> {
        let mut found = Vec::new();
        for (thread, reads) in self.reads_in_order() {
            let ladders = reads.iter().map(|&(_, read)| Some((read, self.ladder(read)?)));
            let Some(ladders) = ladders.collect::<Option<Vec<(usize, Ladder)>>>() else { continue };
            let nested = reads.windows(2).all(|two| {
                let (before, after) = (self.guard(two[0].1), self.guard(two[1].1));
                two[0].0 < two[1].0 && self.implied(after, before)
            });
            if nested && ladders.iter().all(|(_, ladder)| ladder.thread != thread) {
                found.push(ladders);
            }
        }
        found
    }

    /// Whether a read sees a later write than the one before it: a truth value that holds at least then.
    fn differs(&mut self, (before, one): &(usize, Ladder), (after, other): &(usize, Ladder)) -> Bool {
        if let Some(&known) = self.differing.get(&(*before, *after)) {
            return known;
        }
        let rungs = one.rungs.iter().zip(other.rungs.iter());
        let ways = rungs.map(|(&(_, one), &(_, other))| self.structure.terms.and(!one, other));
        let ways: Vec<Bool> = ways.filter(|&way| way != Bool::FALSE).collect();
        let differs = match ways[..] {
            [] => Bool::FALSE,
            [only] => only,
            _ => {
                let holds = self.demanded();
                ways.into_iter().for_each(|way| pairs::imply(self, way, holds));
                holds
            }
        };
        self.differing.insert((*before, *after), differs);
        differs
    }
}

impl Product<'_, '_, '_> {
    /// The reads that see different writes, given the parts of that relation; false if it must be done pair by pair.
    pub(crate) fn rereads(
        &mut self,
        [fr, rf]: [NodeId; 2],
        (p, q): (Layer, Layer),
        ends: &Ends,
    ) -> Result<bool, NoAnswer> {
        if p == HOME || q == HOME {
            return Ok(false);
        }
        let groups = self.events.rereads();
        let mut group_of: FxHashMap<usize, usize> = FxHashMap::default();
        for (number, group) in groups.iter().enumerate() {
            group_of.extend(group.iter().map(|&(read, _)| (read, number)));
        }
        for group in &groups {
            self.events.count(group.len() * group[0].1.rungs.len())?;
            self.two_tracks(group, (p, q), ends);
        }
        let reads: FxHashSet<usize> =
            (0..self.events.len()).filter(|&event| self.events.kind(event) == Kind::Read).collect();
        let within: Conditions = po_loc_between(self.events, &|a| reads.contains(&a), &|b| reads.contains(&b))
            .iter()
            .filter(|((a, b), _)| group_of.get(a).is_none_or(|group| group_of.get(b) != Some(group)))
            .map(|(&pair, &when)| (pair, when))
            .collect();
        if !within.is_empty() {
            let first = self.relations.pairs(self.events, fr, Bound::Upper)?;
            let last = self.relations.pairs(self.events, rf, Bound::Upper)?;
            for ((a, b), when) in pairs::compose_within(self.events, &within, &first, &last)? {
                self.step((p, a), (q, b), when, false, ends);
            }
        }
        Ok(true)
    }

    fn two_tracks(&mut self, group: &[(usize, Ladder)], (p, q): (Layer, Layer), ends: &Ends) {
        let mut tracks: Option<(u32, u32)> = None;
        for (at, this) in group.iter().enumerate() {
            let read = &this.0;
            let (first, second) = (self.graph.node(), self.graph.node());
            if let Some((before, changed)) = tracks {
                let differs = self.events.differs(&group[at - 1], this);
                self.edge(before, second, differs);
                self.graph.add_fixed(before, first);
                self.graph.add_fixed(changed, second);
            }
            tracks = Some((first, second));
            let (guard, allowed) = (self.events.guard(*read), self.allowed(*read, &ends.to));
            let off = self.events.terms().and(guard, allowed);
            let (from, to) = (self.node(p, *read), self.node(q, *read));
            self.edge(second, to, off);
            let on = self.allowed(*read, &ends.from);
            self.edge(from, first, on);
        }
    }
}
