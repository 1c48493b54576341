//! The states that were visited: rows of numbers side by side, and a table of their places.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// States of the same width.
pub struct Space {
    width: usize,
    rows: Vec<u32>,
    /// For each state the one from which it was found.
    parents: Vec<u32>,
    table: HashTable<u32>,
}

/// The state from which the first one was found.
pub const NOBODY: u32 = u32::MAX;

fn hash(row: &[u32], key: &impl Fn(usize, u32) -> u32) -> u64 {
    let mut hash: u64 = 0x9E37_79B9_7F4A_7C15;
    for (at, &word) in row.iter().enumerate() {
        hash = (hash ^ u64::from(key(at, word))).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        hash ^= hash >> 32;
    }
    hash
}

impl Space {
    pub fn new(width: usize) -> Self {
        Space { width, rows: Vec::new(), parents: Vec::new(), table: HashTable::new() }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// How many bytes they take.
    pub fn bytes(&self) -> usize {
        // The table keeps a number and a byte for each place.
        4 * (self.rows.capacity() + self.parents.capacity()) + 5 * self.table.capacity()
    }

    pub fn row(&self, at: u32) -> &[u32] {
        &self.rows[at as usize * self.width..][..self.width]
    }

    pub fn row_mut(&mut self, at: u32) -> &mut [u32] {
        &mut self.rows[at as usize * self.width..][..self.width]
    }

    pub fn parent(&self, at: u32) -> u32 {
        self.parents[at as usize]
    }

    /// Where a state is, if it is there.
    pub fn find(&self, row: &[u32]) -> Option<u32> {
        let key = |_: usize, word: u32| word;
        self.table.find(hash(row, &key), |at| self.row(*at) == row).copied()
    }

    /// Adds a state, unless one with the same key is there: a number in a row counts as what `key` makes of it. Says where
    /// it is and whether it is new.
    pub fn insert(&mut self, row: &[u32], parent: u32, key: impl Fn(usize, u32) -> u32) -> (u32, bool) {
        let Space { width, rows, parents, table } = self;
        let stored = |at: u32| &rows[at as usize * *width..][..*width];
        let same = |at: &u32| {
            let other = stored(*at);
            row.iter().zip(other).enumerate().all(|(at, (&own, &other))| own == other || key(at, own) == key(at, other))
        };
        match table.entry(hash(row, &key), same, |at| hash(stored(*at), &key)) {
            Entry::Occupied(entry) => (*entry.get(), false),
            Entry::Vacant(entry) => {
                let at = parents.len() as u32;
                entry.insert(at);
                rows.extend(row);
                parents.push(parent);
                (at, true)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_found_again_by_their_keys() {
        let mut space = Space::new(2);
        let exact = |_: usize, word: u32| word;
        for i in 0..10_000 {
            assert_eq!(space.insert(&[i % 100, i / 100], NOBODY, exact), (i, true));
        }
        for i in 0..10_000 {
            assert_eq!(space.insert(&[i % 100, i / 100], NOBODY, exact), (i, false));
        }
        assert_eq!(space.row(4321), [21, 43]);
        let mut halves = Space::new(1);
        let half = |_: usize, word: u32| word / 2;
        assert_eq!(halves.insert(&[4], NOBODY, half), (0, true));
        assert_eq!(halves.insert(&[5], 0, half), (0, false));
        assert_eq!(halves.insert(&[6], 0, half), (1, true));
        assert_eq!(halves.parent(1), 0);
    }
}
