//! Store buffers of which some writes are kept in order.

use witness::invariant::Keep;

/// The writes of a thread that have not reached memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Buffer {
    /// The oldest ones in order, or the newest: the cell, and the group. What is in a group reaches memory before the
    /// next group.
    pub slots: Vec<(u32, u32)>,
    /// The cells of all others, in the order of cells.
    pub set: Vec<u32>,
    /// The last group of the others, where the newest are kept.
    pub(super) group: u32,
    /// Whether the next write begins a group.
    pub closed: bool,
}

impl Buffer {
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty() && self.set.is_empty()
    }

    /// Whether there may be more in it than is known.
    pub fn is_abstract(&self) -> bool {
        !self.set.is_empty()
    }

    /// The writes in order that can be the next to reach memory, as far as others in order are concerned.
    pub(super) fn ready(&self) -> impl Iterator<Item = usize> + '_ {
        let first = self.slots.first().map_or(0, |slot| slot.1);
        (0..self.slots.len()).filter(move |&at| {
            let (cell, group) = self.slots[at];
            group == first && !self.slots[..at].iter().any(|(other, _)| *other == cell)
        })
    }

    /// Whether a write in order has to wait for the others, if those are older.
    pub(super) fn behind_the_set(&self, at: usize) -> bool {
        let (cell, group) = self.slots[at];
        !self.set.is_empty() && (group > self.group || self.set.contains(&cell))
    }

    /// The group of a new write.
    pub(super) fn next_group(&mut self, total: bool) -> u32 {
        let set = (!self.set.is_empty()).then_some(self.group);
        let last = self.slots.last().map(|slot| slot.1).or(set);
        let group = last.map_or(0, |last| last + u32::from(total || self.closed));
        self.closed = false;
        group
    }

    /// Counts groups from zero again.
    pub(super) fn settle(&mut self, keep: Keep) {
        let set = (keep == Keep::Newest && !self.set.is_empty()).then_some(self.group);
        let first = set.or(self.slots.first().map(|slot| slot.1)).unwrap_or(0);
        self.slots.iter_mut().for_each(|slot| slot.1 -= first);
        self.group = 0;
        self.closed &= !self.is_empty();
    }
}
