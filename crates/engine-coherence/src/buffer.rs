//! Store buffers, exact and abstract.
//!
//! Kuperstein, Vechev and Yahav (PLDI 2011) abstract the buffer of a thread and a location to ⟨latest, set, head⟩: the newest
//! value, the oldest k values in order, and what comes after those as a set. A [`Line`] is that. A buffer is a sequence of *groups* of lines:
//! what is in a group reaches memory before anything of the next group. Under PSO there is one group, and one more for
//! each fence that only orders writes. Under TSO each write would be a group of its own.
//!
//! There are at most k groups and one more. What comes when they are used up goes to the last one, where only writes to
//! the same location are kept in order, as far as a line does that: so less order is known than there is, never more.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// How much of a buffer is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// All of it; but a thread waits when there are this many writes in its buffer.
    Exact(usize),
    /// A set per location.
    Set,
    /// The abstraction with this k in which two buffers with different sets are different.
    Full(usize),
    /// The one in which they are merged.
    Partial(usize),
}

impl Memory {
    /// Whether what never had to abstract a buffer with that memory does not have to with this one.
    pub fn remembers(self, other: Memory) -> bool {
        match (self, other) {
            (Memory::Exact(own) | Memory::Full(own) | Memory::Partial(own), Memory::Exact(other))
            | (Memory::Full(own) | Memory::Partial(own), Memory::Full(other) | Memory::Partial(other)) => own >= other,
            (Memory::Set, _) | (_, Memory::Set) | (Memory::Exact(_), Memory::Full(_) | Memory::Partial(_)) => false,
        }
    }

    /// How a reader of progress is told.
    pub fn words(self) -> String {
        match self {
            Memory::Exact(usize::MAX) => "buffers as they are".to_owned(),
            Memory::Exact(longest) => format!("buffers as they are, up to {longest} writes each"),
            Memory::Set => "buffers as sets of values".to_owned(),
            Memory::Full(k) => format!("buffers abstracted, k = {k}"),
            Memory::Partial(k) => format!("buffers abstracted, k = {k}, merged"),
        }
    }
}

/// What buffers are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// How much is remembered.
    pub memory: Memory,
    /// Whether all writes of a thread stay in order (TSO), or only those to the same location (PSO).
    pub total: bool,
}

/// An interned buffer. 0 is the empty one.
pub type BufferId = u32;

/// The writes of a thread to one location that are in one group.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Line {
    cell: u32,
    /// The newest value.
    latest: u64,
    /// The oldest values, oldest first.
    head: Vec<u64>,
    /// What came after those, in ascending order; if there is something, `latest` is one of them.
    set: Vec<u64>,
    /// How many of the oldest values, those in `head`, later reads wait for.
    awaited: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct Buffer {
    /// The oldest group first; each is a list of lines in the order of cells.
    groups: Vec<Vec<Line>>,
    /// Whether the next write begins a group.
    closed: bool,
}

/// A way in which a write reaches memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flush {
    pub cell: u32,
    pub value: u64,
    /// What is left.
    pub rest: BufferId,
}

/// All buffers there are, and what can be done with them.
pub struct Buffers {
    policy: Policy,
    all: IndexSet<Buffer, FxBuildHasher>,
    flushes: Vec<Option<Box<[Flush]>>>,
    stored: FxHashMap<(BufferId, u32, u64), Option<BufferId>>,
    joined: FxHashMap<(BufferId, BufferId), BufferId>,
    shapes: FxHashMap<BufferId, BufferId>,
    /// Whether a set was ever used, an order was lost, or a write had to wait for room: otherwise the search was exact.
    pub abstracted: bool,
}

impl Policy {
    /// How many groups there may be.
    fn groups(self) -> usize {
        match self.memory {
            Memory::Exact(_) => usize::MAX,
            Memory::Set => 1,
            Memory::Full(k) | Memory::Partial(k) => k + 1,
        }
    }

    /// How long the head of a line may be.
    fn head(self) -> usize {
        match self.memory {
            Memory::Exact(_) => usize::MAX,
            Memory::Set => 0,
            Memory::Full(k) | Memory::Partial(k) => k,
        }
    }
}

impl Line {
    fn is_empty(&self) -> bool {
        self.head.is_empty() && self.set.is_empty()
    }

    fn len(&self) -> usize {
        self.head.len() + self.set.len()
    }
}

impl Buffer {
    /// Takes a value out of a line of the first group.
    fn drop_line_if_empty(&mut self, at: usize) {
        if self.groups[0][at].is_empty() {
            self.groups[0].remove(at);
        }
        if self.groups[0].is_empty() {
            self.groups.remove(0);
        }
        if self.groups.is_empty() {
            self.closed = false;
        }
    }
}

impl Buffers {
    pub fn new(policy: Policy) -> Self {
        let mut all = IndexSet::default();
        all.insert(Buffer::default());
        Buffers {
            policy,
            all,
            flushes: vec![None],
            stored: FxHashMap::default(),
            joined: FxHashMap::default(),
            shapes: FxHashMap::default(),
            abstracted: false,
        }
    }

    /// How many different buffers there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// All values in a buffer.
    pub fn values(&self, id: BufferId) -> impl Iterator<Item = u64> {
        let lines = self.all[id as usize].groups.iter().flatten();
        lines.flat_map(|line| line.head.iter().chain(&line.set).chain([&line.latest]).copied())
    }

    fn intern(&mut self, buffer: Buffer) -> BufferId {
        let (at, new) = self.all.insert_full(buffer);
        if new {
            self.flushes.push(None);
        }
        at as BufferId
    }

    /// A write goes to the buffer. Nothing, if there is no room for it.
    pub fn store(&mut self, id: BufferId, cell: u32, value: u64) -> Option<BufferId> {
        if let Some(&known) = self.stored.get(&(id, cell, value)) {
            return known;
        }
        let next = self.append(id, cell, value);
        self.stored.insert((id, cell, value), next);
        next
    }

    fn append(&mut self, id: BufferId, cell: u32, value: u64) -> Option<BufferId> {
        let mut buffer = self.all[id as usize].clone();
        if let Memory::Exact(room) = self.policy.memory
            && buffer.groups.iter().flatten().map(Line::len).sum::<usize>() >= room
        {
            self.abstracted = true;
            return None;
        }
        let wants = buffer.groups.is_empty() || buffer.closed || self.policy.total;
        if wants {
            if buffer.groups.len() < self.policy.groups() {
                buffer.groups.push(Vec::new());
            } else {
                self.abstracted = true;
            }
        }
        buffer.closed = false;
        let group = buffer.groups.last_mut()?;
        let at = match group.binary_search_by_key(&cell, |line| line.cell) {
            Ok(at) => at,
            Err(at) => {
                group.insert(at, Line { cell, latest: value, head: Vec::new(), set: Vec::new(), awaited: 0 });
                at
            }
        };
        let line = &mut group[at];
        line.latest = value;
        if line.set.is_empty() && line.head.len() < self.policy.head() {
            line.head.push(value);
        } else if let Err(place) = line.set.binary_search(&value) {
            line.set.insert(place, value);
        }
        self.abstracted |= !line.set.is_empty();
        Some(self.intern(buffer))
    }

    /// A fence that later writes do not pass.
    pub fn close(&mut self, id: BufferId) -> BufferId {
        let mut buffer = self.all[id as usize].clone();
        buffer.closed = !buffer.groups.is_empty();
        self.intern(buffer)
    }

    /// A fence behind which reads wait for the writes before it. What is in sets is not waited for.
    pub fn wait(&mut self, id: BufferId) -> BufferId {
        let mut buffer = self.all[id as usize].clone();
        buffer.groups.iter_mut().flatten().for_each(|line| line.awaited = line.head.len());
        self.intern(buffer)
    }

    /// Whether reads have to wait.
    pub fn is_awaited(&self, id: BufferId) -> bool {
        self.all[id as usize].groups.iter().flatten().any(|line| line.awaited > 0)
    }

    /// What the thread reads from its own buffer: nothing if it has not written the location, several values if nobody
    /// knows which is the newest.
    pub fn read(&self, id: BufferId, cell: u32) -> &[u64] {
        let groups = self.all[id as usize].groups.iter().rev();
        let found = groups.filter_map(|group| {
            let at = group.binary_search_by_key(&cell, |line| line.cell).ok()?;
            Some(&group[at])
        });
        match found.into_iter().next() {
            None => &[],
            Some(line) if self.policy.memory == Memory::Set => &line.set,
            Some(line) => std::slice::from_ref(&line.latest),
        }
    }

    /// The ways in which a write can reach memory.
    pub fn flushes(&mut self, id: BufferId) -> &[Flush] {
        if self.flushes[id as usize].is_none() {
            let flushes = self.find_flushes(id);
            self.flushes[id as usize] = Some(flushes.into());
        }
        self.flushes[id as usize].as_deref().unwrap_or(&[])
    }

    fn find_flushes(&mut self, id: BufferId) -> Vec<Flush> {
        let mut flushes = Vec::new();
        let buffer = self.all[id as usize].clone();
        let lines = buffer.groups.first().map_or(0, Vec::len);
        for at in 0..lines {
            let line = &buffer.groups[0][at];
            let cell = line.cell;
            if let Some(&value) = line.head.first() {
                let mut rest = buffer.clone();
                let own = &mut rest.groups[0][at];
                own.head.remove(0);
                own.awaited = own.awaited.saturating_sub(1);
                rest.drop_line_if_empty(at);
                flushes.push(Flush { cell, value, rest: self.intern(rest) });
                continue;
            }
            for &value in &line.set {
                // More of the same value may be in the buffer (rules FLUSH-SN and FLUSH-NE).
                flushes.push(Flush { cell, value, rest: id });
                // Or this was the last one (FLUSH-SD and FLUSH-E). The newest value goes last, if it is known.
                let is_newest = value == line.latest;
                let leaves: Option<Vec<u64>> = match self.policy.memory {
                    Memory::Exact(_) => None,
                    Memory::Set => Some(without(&line.set, value)),
                    Memory::Full(_) => (!is_newest || line.set.len() == 1).then(|| without(&line.set, value)),
                    Memory::Partial(_) => is_newest.then(Vec::new),
                };
                if let Some(set) = leaves {
                    let mut rest = buffer.clone();
                    rest.groups[0][at].set = set;
                    rest.drop_line_if_empty(at);
                    flushes.push(Flush { cell, value, rest: self.intern(rest) });
                }
            }
        }
        flushes
    }

    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// What buffers have in common that are merged: all but the sets. It has to be learnt before.
    pub fn shape(&self, id: BufferId) -> BufferId {
        self.shapes.get(&id).copied().unwrap_or(id)
    }

    /// Finds out the shape of a buffer.
    pub fn learn_shape(&mut self, id: BufferId) {
        if !matches!(self.policy.memory, Memory::Partial(_)) || self.shapes.contains_key(&id) {
            return;
        }
        let mut buffer = self.all[id as usize].clone();
        for line in buffer.groups.iter_mut().flatten().filter(|line| !line.set.is_empty()) {
            line.set = vec![line.latest];
        }
        let shape = self.intern(buffer);
        self.shapes.insert(id, shape);
        self.shapes.insert(shape, shape);
    }

    /// The union of two buffers of the same shape.
    pub fn join(&mut self, left: BufferId, right: BufferId) -> BufferId {
        if left == right {
            return left;
        }
        if let Some(&known) = self.joined.get(&(left, right)) {
            return known;
        }
        let mut buffer = self.all[left as usize].clone();
        let other = self.all[right as usize].clone();
        for (line, more) in buffer.groups.iter_mut().flatten().zip(other.groups.iter().flatten()) {
            line.set.extend(&more.set);
            line.set.sort_unstable();
            line.set.dedup();
        }
        let union = self.intern(buffer);
        self.joined.insert((left, right), union);
        union
    }
}

fn without(set: &[u64], value: u64) -> Vec<u64> {
    set.iter().copied().filter(|&other| other != value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(policy: Policy, writes: &[(u32, u64)]) -> (Buffers, BufferId) {
        let mut buffers = Buffers::new(policy);
        let mut id = 0;
        for &(cell, value) in writes {
            id = buffers.store(id, cell, value).expect("there is room");
        }
        (buffers, id)
    }

    /// All sequences of writes in which a buffer can be emptied, with repetitions left out.
    fn orders(buffers: &mut Buffers, id: BufferId, length: usize) -> Vec<Vec<(u32, u64)>> {
        if id == 0 {
            return vec![Vec::new()];
        }
        if length == 0 {
            return Vec::new();
        }
        let mut all = Vec::new();
        for flush in buffers.flushes(id).to_vec() {
            for mut rest in orders(buffers, flush.rest, length - 1) {
                rest.insert(0, (flush.cell, flush.value));
                all.push(rest);
            }
        }
        all.sort();
        all.dedup();
        all
    }

    #[test]
    fn every_abstraction_keeps_the_real_order() {
        let writes = [(0, 1), (1, 1), (0, 2), (0, 1), (1, 2)];
        for total in [false, true] {
            let (mut exact, id) = after(Policy { memory: Memory::Exact(9), total }, &writes);
            let real = orders(&mut exact, id, writes.len());
            assert_eq!(real.len(), if total { 1 } else { 10 });
            for memory in [Memory::Set, Memory::Full(0), Memory::Partial(0), Memory::Full(1), Memory::Partial(2)] {
                let (mut buffers, id) = after(Policy { memory, total }, &writes);
                let possible = orders(&mut buffers, id, writes.len());
                assert!(real.iter().all(|order| possible.contains(order)), "{memory:?}");
                assert!(buffers.abstracted);
                let exact = Memory::Full(5);
                let (mut buffers, id) = after(Policy { memory: exact, total }, &writes);
                assert_eq!(orders(&mut buffers, id, writes.len()), real);
                assert!(!buffers.abstracted);
            }
        }
    }

    #[test]
    fn the_newest_value_goes_last() {
        for memory in [Memory::Full(0), Memory::Partial(0), Memory::Full(1), Memory::Partial(1)] {
            let (mut buffers, id) = after(Policy { memory, total: false }, &[(0, 1), (0, 2), (0, 3)]);
            assert_eq!(buffers.read(id, 0), [3]);
            assert_eq!(buffers.read(id, 1), [0; 0]);
            let orders = orders(&mut buffers, id, 4);
            assert!(orders.iter().all(|order| order.last() == Some(&(0, 3))), "{memory:?}");
        }
        let (mut buffers, id) = after(Policy { memory: Memory::Set, total: false }, &[(0, 1), (0, 2)]);
        assert_eq!(buffers.read(id, 0), [1, 2]);
        assert!(orders(&mut buffers, id, 2).contains(&vec![(0, 2), (0, 1)]));
    }

    #[test]
    fn fences_between_writes_keep_them_apart() {
        let mut buffers = Buffers::new(Policy { memory: Memory::Full(1), total: false });
        let first = buffers.store(0, 0, 1).expect("room");
        let closed = buffers.close(first);
        let second = buffers.store(closed, 1, 1).expect("room");
        assert_eq!(orders(&mut buffers, second, 2), [vec![(0, 1), (1, 1)]]);
        // There are no more groups: the order of the last two is lost.
        let closed = buffers.close(second);
        let third = buffers.store(closed, 2, 1).expect("room");
        assert_eq!(orders(&mut buffers, third, 3).len(), 2);
        assert_eq!(buffers.close(0), 0);
    }

    #[test]
    fn reads_wait_for_what_was_there() {
        let mut buffers = Buffers::new(Policy { memory: Memory::Exact(9), total: false });
        let first = buffers.store(0, 0, 1).expect("room");
        let waits = buffers.wait(first);
        let second = buffers.store(waits, 1, 1).expect("room");
        assert!(!buffers.is_awaited(first) && buffers.is_awaited(second));
        let rest = buffers.flushes(second).iter().find(|flush| flush.cell == 0).map(|flush| flush.rest);
        assert!(!buffers.is_awaited(rest.expect("a way")));
    }

    #[test]
    fn merged_buffers_have_the_values_of_both() {
        let policy = Policy { memory: Memory::Partial(0), total: false };
        let (mut buffers, left) = after(policy, &[(0, 1), (0, 3)]);
        let two = buffers.store(0, 0, 2).expect("room");
        let right = buffers.store(two, 0, 3).expect("room");
        [left, right].into_iter().for_each(|id| buffers.learn_shape(id));
        assert_eq!(buffers.shape(left), buffers.shape(right));
        let both = buffers.join(left, right);
        let values: Vec<u64> = buffers.flushes(both).iter().map(|flush| flush.value).collect();
        assert_eq!(values, [1, 2, 3, 3]);
        assert_eq!(buffers.join(both, left), both);
    }
}
