//! Sets and relations over the events of one execution, as bit vectors and bit matrices.

/// A set of events.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EventSet {
    size: usize,
    words: Vec<u64>,
}

/// A relation between events: a square bit matrix.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Relation {
    size: usize,
    stride: usize,
    words: Vec<u64>,
}

fn bits(word: u64) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(word), |&w| Some(w & w.wrapping_sub(1)))
        .take_while(|&w| w != 0)
        .map(|w| w.trailing_zeros() as usize)
}

fn indices(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(at, &word)| bits(word).map(move |bit| at * 64 + bit))
}

/// All bits of the first `size` positions.
fn full(size: usize) -> Vec<u64> {
    let mut words = vec![u64::MAX; size.div_ceil(64)];
    if let (Some(last), used @ 1..) = (words.last_mut(), size % 64) {
        *last = u64::MAX >> (64 - used);
    }
    words
}

impl EventSet {
    /// The empty set among `size` events.
    pub fn empty(size: usize) -> Self {
        EventSet { size, words: vec![0; size.div_ceil(64)] }
    }

    /// All `size` events.
    pub fn universe(size: usize) -> Self {
        EventSet { size, words: full(size) }
    }

    /// Some of `size` events.
    pub fn of(size: usize, events: impl IntoIterator<Item = usize>) -> Self {
        let mut set = EventSet::empty(size);
        events.into_iter().for_each(|event| set.insert(event));
        set
    }

    /// The number of events there are, in the set or not.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Adds an event.
    pub fn insert(&mut self, event: usize) {
        self.words[event / 64] |= 1 << (event % 64);
    }

    /// Whether an event is in the set.
    pub fn contains(&self, event: usize) -> bool {
        self.words[event / 64] >> (event % 64) & 1 == 1
    }

    /// The events of the set in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        indices(&self.words)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// The set combined with another word by word.
    #[must_use]
    pub fn zip(&self, other: &EventSet, combine: impl Fn(u64, u64) -> u64) -> EventSet {
        let words = self.words.iter().zip(&other.words).map(|(&a, &b)| combine(a, b)).collect();
        EventSet { size: self.size, words }
    }

    /// The events that are not in the set.
    #[must_use]
    pub fn complement(&self) -> EventSet {
        EventSet::universe(self.size).zip(self, |all, own| all & !own)
    }
}

impl Relation {
    /// The empty relation on `size` events.
    pub fn empty(size: usize) -> Self {
        let stride = size.div_ceil(64);
        Relation { size, stride, words: vec![0; size * stride] }
    }

    /// The identity.
    pub fn identity(size: usize) -> Self {
        let mut relation = Relation::empty(size);
        (0..size).for_each(|event| relation.insert(event, event));
        relation
    }

    /// The pairs of an iterator.
    pub fn from_pairs(size: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut relation = Relation::empty(size);
        pairs.into_iter().for_each(|(from, to)| relation.insert(from, to));
        relation
    }

    /// All pairs from one set to another.
    pub fn product(from: &EventSet, to: &EventSet) -> Self {
        let mut relation = Relation::empty(from.size);
        for event in from.iter() {
            relation.row_mut(event).copy_from_slice(&to.words);
        }
        relation
    }

    /// The identity on a set.
    pub fn test(set: &EventSet) -> Self {
        Relation::from_pairs(set.size, set.iter().map(|event| (event, event)))
    }

    /// The number of events.
    pub fn size(&self) -> usize {
        self.size
    }

    fn row(&self, from: usize) -> &[u64] {
        &self.words[from * self.stride..(from + 1) * self.stride]
    }

    fn row_mut(&mut self, from: usize) -> &mut [u64] {
        &mut self.words[from * self.stride..(from + 1) * self.stride]
    }

    /// Adds a pair.
    pub fn insert(&mut self, from: usize, to: usize) {
        self.row_mut(from)[to / 64] |= 1 << (to % 64);
    }

    /// Whether a pair is in the relation.
    pub fn contains(&self, from: usize, to: usize) -> bool {
        self.row(from)[to / 64] >> (to % 64) & 1 == 1
    }

    /// The events that `from` is related to, in order.
    pub fn successors(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        indices(self.row(from))
    }

    /// The pairs in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.size).flat_map(|from| self.successors(from).map(move |to| (from, to)))
    }

    /// Whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// The relation combined with another word by word.
    #[must_use]
    pub fn zip(&self, other: &Relation, combine: impl Fn(u64, u64) -> u64) -> Relation {
        let words = self.words.iter().zip(&other.words).map(|(&a, &b)| combine(a, b)).collect();
        Relation { size: self.size, stride: self.stride, words }
    }

    /// The union with another relation.
    #[must_use]
    pub fn union(&self, other: &Relation) -> Relation {
        self.zip(other, |a, b| a | b)
    }

    /// The pairs that are not in the relation.
    #[must_use]
    pub fn complement(&self) -> Relation {
        let all = EventSet::universe(self.size);
        Relation::product(&all, &all).zip(self, |all, own| all & !own)
    }

    /// Removes all pairs.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Becomes equal to another relation on the same events, without allocating.
    pub fn copy_from(&mut self, other: &Relation) {
        self.words.copy_from_slice(&other.words);
    }

    /// Combines with another relation word by word, in place.
    pub fn apply(&mut self, other: &Relation, combine: impl Fn(u64, u64) -> u64) {
        self.words.iter_mut().zip(&other.words).for_each(|(own, &word)| *own = combine(*own, word));
    }

    /// Becomes `first ; second`.
    pub fn become_composition(&mut self, first: &Relation, second: &Relation) {
        self.clear();
        for from in 0..self.size {
            for middle in first.successors(from) {
                for word in 0..self.stride {
                    self.words[from * self.stride + word] |= second.words[middle * self.stride + word];
                }
            }
        }
    }

    /// Becomes `first ; second`, where the second is transitive: of what an event leads to by the first, that which another one of these leads to by
    /// the second adds nothing.
    pub fn become_transitive_composition(&mut self, first: &Relation, second: &Relation) {
        self.clear();
        let mut left = vec![0; self.stride];
        for from in 0..self.size {
            left.copy_from_slice(first.row(from));
            for at in 0..self.stride {
                while left[at] != 0 {
                    let middle = at * 64 + left[at].trailing_zeros() as usize;
                    left[at] &= left[at] - 1;
                    let own = &mut self.words[from * self.stride..(from + 1) * self.stride];
                    let rows = own.iter_mut().zip(&mut left).zip(second.row(middle));
                    rows.for_each(|((own, left), &word)| {
                        *own |= word;
                        *left &= !word;
                    });
                }
            }
        }
    }

    /// Keeps the pairs that begin in one set and end in another; no set is one of all events.
    pub fn restrict(&mut self, from: Option<&EventSet>, to: Option<&EventSet>) {
        for event in 0..self.size {
            let row = &mut self.words[event * self.stride..(event + 1) * self.stride];
            if from.is_some_and(|from| !from.contains(event)) {
                row.fill(0);
            } else if let Some(to) = to {
                row.iter_mut().zip(&to.words).for_each(|(own, &word)| *own &= word);
            }
        }
    }

    /// Adds the pairs from an event to those of a set.
    pub fn relate(&mut self, from: usize, to: &EventSet) {
        self.row_mut(from).iter_mut().zip(&to.words).for_each(|(own, &word)| *own |= word);
    }

    /// Adds the pairs from `to` to everything that `from` is related to in `other`.
    pub fn add_successors(&mut self, to: usize, other: &Relation, from: usize) {
        self.row_mut(to).iter_mut().zip(other.row(from)).for_each(|(own, &word)| *own |= word);
    }

    /// Becomes its transitive closure.
    pub fn close(&mut self) {
        let mut through = vec![0; self.stride];
        for middle in 0..self.size {
            through.copy_from_slice(self.row(middle));
            for from in 0..self.size {
                if self.contains(from, middle) {
                    self.row_mut(from).iter_mut().zip(&through).for_each(|(word, &via)| *word |= via);
                }
            }
        }
    }

    /// Adds the identity.
    pub fn add_identity(&mut self) {
        (0..self.size).for_each(|event| self.insert(event, event));
    }

    /// Whether there is no cycle.
    pub fn is_acyclic(&self) -> bool {
        // Events whose successors are all gone cannot be on a cycle: take them away until nothing changes.
        let mut left = full(self.size);
        let mut count = self.size;
        loop {
            let before = count;
            for event in 0..self.size {
                let (word, bit) = (event / 64, 1 << (event % 64));
                if left[word] & bit != 0 && self.row(event).iter().zip(&left).all(|(&row, &left)| row & left == 0) {
                    left[word] &= !bit;
                    count -= 1;
                }
            }
            if count == 0 || count == before {
                return count == 0;
            }
        }
    }

    /// `self ; other`.
    #[must_use]
    pub fn compose(&self, other: &Relation) -> Relation {
        let mut result = Relation::empty(self.size);
        result.become_composition(self, other);
        result
    }

    /// The inverse.
    #[must_use]
    pub fn inverse(&self) -> Relation {
        Relation::from_pairs(self.size, self.iter().map(|(from, to)| (to, from)))
    }

    /// The transitive closure.
    #[must_use]
    pub fn plus(&self) -> Relation {
        let mut closure = self.clone();
        closure.close();
        closure
    }

    /// The relation and the identity.
    #[must_use]
    pub fn optional(&self) -> Relation {
        self.union(&Relation::identity(self.size))
    }

    /// Whether some event is related to itself.
    pub fn is_reflexive_somewhere(&self) -> bool {
        (0..self.size).any(|event| self.contains(event, event))
    }

    /// The sources of pairs.
    pub fn domain(&self) -> EventSet {
        let mut set = EventSet::empty(self.size);
        (0..self.size).filter(|&from| self.row(from).iter().any(|&w| w != 0)).for_each(|from| set.insert(from));
        set
    }

    /// The targets of pairs.
    pub fn range(&self) -> EventSet {
        let mut set = EventSet::empty(self.size);
        for from in 0..self.size {
            set.words.iter_mut().zip(self.row(from)).for_each(|(word, &row)| *word |= row);
        }
        set
    }

    /// A shortest cycle: each event is related to the next, the last to the first. None if the relation is acyclic.
    pub fn shortest_cycle(&self) -> Option<Vec<usize>> {
        let mut best: Option<Vec<usize>> = None;
        for start in 0..self.size {
            let mut parent = vec![usize::MAX; self.size];
            let mut queue = std::collections::VecDeque::from([start]);
            'search: while let Some(at) = queue.pop_front() {
                for next in self.successors(at) {
                    if next == start {
                        let mut cycle = vec![at];
                        while *cycle.last().expect("never empty") != start {
                            cycle.push(parent[*cycle.last().expect("never empty")]);
                        }
                        cycle.reverse();
                        if best.as_ref().is_none_or(|b| cycle.len() < b.len()) {
                            best = Some(cycle);
                        }
                        break 'search;
                    }
                    if parent[next] == usize::MAX {
                        parent[next] = at;
                        queue.push_back(next);
                    }
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closure_composition_and_cycles() {
        let chain = Relation::from_pairs(70, [(0, 1), (1, 69), (3, 3)]);
        let closure = chain.plus();
        assert!(closure.contains(0, 69) && !closure.contains(69, 0));
        assert_eq!(chain.compose(&chain).iter().collect::<Vec<_>>(), [(0, 69), (3, 3)]);
        assert_eq!(chain.shortest_cycle(), Some(vec![3]));
        let ring = Relation::from_pairs(4, [(0, 1), (1, 2), (2, 0), (2, 3)]);
        assert_eq!(ring.shortest_cycle(), Some(vec![0, 1, 2]));
        assert_eq!(Relation::from_pairs(3, [(0, 1), (1, 2)]).shortest_cycle(), None);
        assert!(!chain.is_acyclic() && !ring.is_acyclic());
        assert!(Relation::from_pairs(70, [(0, 69), (69, 1), (1, 68)]).is_acyclic());
        assert!(Relation::empty(0).is_acyclic());
        let mut composed = Relation::empty(70);
        composed.become_transitive_composition(&chain, &closure);
        assert_eq!(composed, chain.compose(&closure));
        composed.restrict(Some(&EventSet::of(70, [0, 1])), Some(&EventSet::of(70, [69])));
        assert_eq!(composed.iter().collect::<Vec<_>>(), [(0, 69)]);
        assert_eq!(chain.inverse().inverse(), chain);
        assert_eq!(chain.complement().complement(), chain);
        assert_eq!(chain.domain().iter().collect::<Vec<_>>(), [0, 1, 3]);
        assert_eq!(chain.range().iter().collect::<Vec<_>>(), [1, 3, 69]);
    }
}
