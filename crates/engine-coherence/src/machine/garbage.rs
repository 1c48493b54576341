//! What nobody can reach any more does not tell states apart.
//!
//! An object that was made on the way, and to which no thread, no buffer and no location that can be reached has an address, holds what it
//! held at first. So a list from which nodes were taken is the same list whatever these nodes point to.
//! A word that is no number and no address of an object may hide one (a counter beside an address, two addresses combined): where there
//! is such a word, memory is left as it is.

use super::Machine;
use crate::domain::Word;
use crate::thread::Local;
use indexmap::IndexSet;
use ir::Address;
use rustc_hash::{FxBuildHasher, FxHashMap};
use stepper::{PRIVATE, Status, Value};

/// The objects to which some words have addresses: a bit for each object that was made on the way. Nothing, if a word may hide one.
type Roots = Option<Box<[u64]>>;

/// What is known about garbage.
#[derive(Default)]
pub struct Garbage {
    /// The roots of states of threads and of buffers that were met.
    locals: FxHashMap<u32, Roots>,
    buffers: FxHashMap<u32, Roots>,
    sets: IndexSet<Box<[u64]>, FxBuildHasher>,
    /// What becomes of a memory with these roots.
    cleaned: FxHashMap<(u32, u32), u32>,
}

/// A set of objects that were made on the way.
struct Marks {
    /// The numbers of the first one and of the one that will be made next.
    numbers: std::ops::Range<u32>,
    bits: Vec<u64>,
}

impl Marks {
    /// Takes note of a word. False, if it may hide an address.
    fn word(&mut self, word: u64) -> bool {
        let upper = word & !Address::OFFSETS;
        if upper == 0 || upper == !Address::OFFSETS {
            return true;
        }
        let Some(address) = Address::from_bits(word) else { return false };
        let number = address.object.0;
        self.add(number);
        // Perhaps it points before the next object.
        if address.offset > Address::OFFSETS / 2 {
            self.add(number + 1);
        }
        number < self.numbers.end || number >= PRIVATE
    }

    fn words(&mut self, mut words: impl Iterator<Item = u64>) -> bool {
        words.all(|word| self.word(word))
    }

    fn add(&mut self, number: u32) {
        if self.numbers.contains(&number) {
            let at = (number - self.numbers.start) as usize;
            self.bits[at / 64] |= 1 << (at % 64);
        }
    }

    fn has(&self, number: u32) -> bool {
        let at = number.wrapping_sub(self.numbers.start) as usize;
        !self.numbers.contains(&number) || self.bits[at / 64] >> (at % 64) & 1 == 1
    }
}

fn known(value: &Word) -> Option<u64> {
    match value {
        Value::Known(word) => Some(*word),
        Value::Symbolic(_) => None,
    }
}

/// All words that a thread has.
fn words(local: &Local) -> impl Iterator<Item = u64> {
    let thread = &local.thread;
    let locals = thread.frames.iter().flat_map(|frame| &frame.values);
    let own = thread.own.iter().map(|(_, value)| value);
    let result = match &thread.status {
        Status::Ended(value) => Some(value),
        Status::Runs | Status::Stopped | Status::Failed(..) => None,
    };
    let private = thread.heap.iter().flat_map(|(_, object)| object.cells.iter().filter_map(|slot| slot.value));
    locals.chain(own).chain(result).filter_map(known).chain(private)
}

impl Machine<'_> {
    fn marks(&self) -> Marks {
        let first = self.world.memory.objects.len() as u32;
        let made = self.world.memory.made.len();
        Marks { numbers: first..first + made as u32, bits: vec![0; made.div_ceil(64)] }
    }

    /// The roots of a thread and its buffer, joined to these. False, if a word may hide an address.
    fn add_roots(&mut self, local: u32, buffer: u32, roots: &mut Marks) -> bool {
        if !self.garbage.locals.contains_key(&local) {
            let mut marks = self.marks();
            let plain = marks.words(words(&self.locals[local as usize]));
            self.garbage.locals.insert(local, plain.then(|| marks.bits.into()));
        }
        if !self.garbage.buffers.contains_key(&buffer) {
            let mut marks = self.marks();
            let plain = marks.words(self.buffers.values(buffer));
            self.garbage.buffers.insert(buffer, plain.then(|| marks.bits.into()));
        }
        [&self.garbage.locals[&local], &self.garbage.buffers[&buffer]].into_iter().all(|known| {
            let Some(known) = known else { return false };
            roots.bits.iter_mut().zip(known.iter()).for_each(|(bits, more)| *bits |= more);
            true
        })
    }

    /// Takes what nobody can reach out of the memory of a state.
    pub(super) fn forget_garbage(&mut self, state: &mut [u32]) {
        if self.world.memory.made.is_empty() || self.world.record.is_some() {
            return;
        }
        let mut roots = self.marks();
        for at in (1..state.len()).step_by(2) {
            if state[at] != 0 && !self.add_roots(state[at], state[at + 1], &mut roots) {
                return;
            }
        }
        let set = match self.garbage.sets.get_index_of(&*roots.bits) {
            Some(known) => known,
            None => self.garbage.sets.insert_full(roots.bits.clone().into()).0,
        };
        let key = (state[0], set as u32);
        if let Some(&known) = self.garbage.cleaned.get(&key) {
            state[0] = known;
            return;
        }
        state[0] = self.cleaned(state[0], roots);
        self.garbage.cleaned.insert(key, state[0]);
    }

    /// A memory without what cannot be reached from itself and from these roots.
    fn cleaned(&mut self, memory: u32, mut reached: Marks) -> u32 {
        let mut next: Vec<Option<u64>> = self.memories[memory as usize].to_vec();
        let owner = |at: usize| self.world.memory.cells[self.shared[at] as usize].address.object.0;
        let mut open: Vec<usize> = (0..next.len()).collect();
        loop {
            let (now, later): (Vec<usize>, Vec<usize>) = open.iter().partition(|&&at| reached.has(owner(at)));
            open = later;
            if now.is_empty() {
                break;
            }
            if !reached.words(now.into_iter().filter_map(|at| next[at])) {
                return memory;
            }
        }
        if open.is_empty() {
            return memory;
        }
        for at in open {
            next[at] = self.world.memory.cells[self.shared[at] as usize].initial;
        }
        self.remember(next)
    }
}
