//! What can happen to a buffer: a write goes in, or one reaches memory.

use super::form::{Form, Var};
use super::{Buffer, Keep, Quantity};
use ir::Address;
use model::Buffers;
use std::collections::BTreeMap;

/// A write that reaches memory: the buffer that is left, and the quantities that change.
pub(super) struct Landing {
    pub buffer: Buffer,
    pub written: BTreeMap<Quantity, Form<Var>>,
    /// How many variables of the step can be anything.
    pub fresh: u32,
}

/// What buffers there are, which writes are kept in order, and how many.
pub(super) type Kind = (Buffers, Keep, usize);

impl Buffer {
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty() && self.rest.is_empty()
    }

    /// What a thread reads from a cell.
    pub(super) fn source(&self, thread: usize, cell: Address, keep: Keep) -> Quantity {
        let slot = self.slots.iter().rposition(|slot| slot.0 == cell).map(|at| Quantity::Slot { thread, at });
        let rest = self.rest.contains(&cell).then_some(Quantity::Newest { thread, cell });
        let newest = match keep {
            Keep::Oldest => rest.or(slot),
            Keep::Newest => slot.or(rest),
        };
        newest.unwrap_or(Quantity::Memory(cell))
    }

    /// A write goes in: the quantity that takes its value, and before that, in this order, those that take the value of
    /// another one.
    pub(super) fn append(&mut self, thread: usize, cell: Address, kind: Kind) -> (Quantity, Vec<(Quantity, Quantity)>) {
        let (buffers, keep, k) = kind;
        if keep == Keep::Oldest && (!self.rest.is_empty() || self.slots.len() >= k) {
            self.join_rest(cell);
            return (Quantity::Newest { thread, cell }, Vec::new());
        }
        let apart = u32::from(self.closed || buffers == Buffers::Thread);
        let behind = if self.rest.is_empty() { 0 } else { apart };
        let group = self.slots.last().map_or(behind, |last| last.1 + apart);
        self.slots.push((cell, group));
        self.closed = false;
        let slot = |at| Quantity::Slot { thread, at };
        let last = self.slots.len() - 1;
        if last < k {
            return (slot(last), Vec::new());
        }
        // The oldest slot is now the last of the rest, and groups are counted from its own.
        let (oldest, group) = self.slots.remove(0);
        self.join_rest(oldest);
        self.slots.iter_mut().for_each(|slot| slot.1 -= group);
        if last == 0 {
            return (Quantity::Newest { thread, cell }, Vec::new());
        }
        let moves = (1..last).map(|at| (slot(at - 1), slot(at)));
        let moves = [(Quantity::Newest { thread, cell: oldest }, slot(0))].into_iter().chain(moves).collect();
        (slot(last - 1), moves)
    }

    fn join_rest(&mut self, cell: Address) {
        if let Err(at) = self.rest.binary_search(&cell) {
            self.rest.insert(at, cell);
        }
    }

    /// A fence that orders writes.
    pub(super) fn order(&mut self) {
        self.closed = !self.is_empty();
    }

    /// Counts groups from zero; behind nothing there is nothing to be ordered.
    fn settled(mut self, keep: Keep) -> Buffer {
        let first = match keep {
            Keep::Newest if !self.rest.is_empty() => 0,
            Keep::Oldest | Keep::Newest => self.slots.first().map_or(0, |slot| slot.1),
        };
        self.slots.iter_mut().for_each(|slot| slot.1 -= first);
        self.closed &= !self.is_empty();
        self
    }

    /// All writes that can be the next to reach memory.
    pub(super) fn landings(&self, thread: usize, buffers: Buffers, keep: Keep) -> Vec<Landing> {
        let mut all = Vec::new();
        let first = self.slots.first().map_or(0, |slot| slot.1);
        let older_rest = keep == Keep::Newest && !self.rest.is_empty();
        for (at, &(cell, group)) in self.slots.iter().enumerate() {
            let older = &self.slots[..at];
            let next = match buffers {
                Buffers::None | Buffers::Thread => older.is_empty() && !older_rest,
                Buffers::Location => {
                    let apart = older.iter().all(|slot| slot.0 != cell) && group == first;
                    apart && !(older_rest && (group > 0 || self.rest.contains(&cell)))
                }
            };
            if !next {
                continue;
            }
            let mut buffer = self.clone();
            buffer.slots.remove(at);
            let value = |at| Form::var(Var::Now(Quantity::Slot { thread, at }));
            let moved = (at..buffer.slots.len()).map(|at| (Quantity::Slot { thread, at }, value(at + 1)));
            let mut written: BTreeMap<_, _> = moved.collect();
            written.insert(Quantity::Memory(cell), value(at));
            all.push(Landing { buffer: buffer.settled(keep), written, fresh: 0 });
        }
        for &cell in &self.rest {
            let behind = match (keep, buffers) {
                (Keep::Newest, _) => false,
                (Keep::Oldest, Buffers::None | Buffers::Thread) => !self.slots.is_empty(),
                (Keep::Oldest, Buffers::Location) => self.slots.iter().any(|slot| slot.0 == cell),
            };
            if behind {
                continue;
            }
            // One that is not the last to its cell, with any value.
            let any = BTreeMap::from([(Quantity::Memory(cell), Form::var(Var::Fresh(0)))]);
            all.push(Landing { buffer: self.clone(), written: any, fresh: 1 });
            // The last one.
            let mut buffer = self.clone();
            buffer.rest.retain(|own| *own != cell);
            let newest = Form::var(Var::Now(Quantity::Newest { thread, cell }));
            let written = BTreeMap::from([(Quantity::Memory(cell), newest)]);
            all.push(Landing { buffer: buffer.settled(keep), written, fresh: 0 });
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::ObjectId;
    use testkit::Rng;

    fn cell(number: u64) -> Address {
        Address { object: ObjectId(number as u32), offset: 0 }
    }

    /// A real buffer: writes with their values, and fences that order them.
    #[derive(Debug, Clone, Default)]
    struct Real {
        writes: Vec<(Address, i64, u32)>,
        epoch: u32,
    }

    impl Real {
        fn ready(&self, at: usize, buffers: Buffers) -> bool {
            let (cell, _, epoch) = self.writes[at];
            self.writes[..at].iter().all(|older| buffers == Buffers::Location && older.0 != cell && older.2 == epoch)
        }
    }

    /// The values of the quantities of a buffer that stands for a real one: nothing if it does not.
    fn stands_for(buffer: &Buffer, real: &Real, keep: Keep) -> Option<BTreeMap<Quantity, i64>> {
        let mut values = BTreeMap::new();
        let others = real.writes.len().checked_sub(buffer.slots.len())?;
        let (slots, others) = match keep {
            Keep::Oldest => real.writes.split_at(buffer.slots.len()),
            Keep::Newest => {
                let (others, slots) = real.writes.split_at(others);
                (slots, others)
            }
        };
        for (at, (cell, group)) in buffer.slots.iter().enumerate() {
            let (own, value, epoch) = slots[at];
            // Groups tell which fences lie between; epochs may skip numbers.
            let groups = (0..at).all(|other| (slots[other].2 == epoch) == (buffer.slots[other].1 == *group));
            let first = (*group == 0) == (epoch == slots[0].2) || (keep == Keep::Newest && !others.is_empty());
            // What is in a later group than the last of the rest is behind a fence for all of the rest.
            let behind = *group == 0 || others.iter().all(|other| keep == Keep::Oldest || other.2 < epoch);
            if own != *cell || !first || !groups || !behind {
                return None;
            }
            values.insert(Quantity::Slot { thread: 0, at }, value);
        }
        let mut rest: Vec<Address> = others.iter().map(|write| write.0).collect();
        for write in others {
            values.insert(Quantity::Newest { thread: 0, cell: write.0 }, write.1);
        }
        rest.sort_unstable();
        rest.dedup();
        (rest == buffer.rest).then_some(values)
    }

    /// Real buffers and what stands for them, side by side on random walks: each write that can reach memory is among
    /// the landings, with its value, and leaves what stands for the real buffer that is left.
    #[test]
    fn each_step_of_a_real_buffer_is_one_of_its_abstraction() {
        let mut landed = 0;
        for seed in 0..4_000 {
            let mut rng = Rng::new(seed);
            let buffers = if seed % 2 == 0 { Buffers::Thread } else { Buffers::Location };
            let keep = if seed % 4 < 2 { Keep::Oldest } else { Keep::Newest };
            let k = (rng.next_u64() % 4) as usize;
            let (mut real, mut buffer) = (Real::default(), Buffer::default());
            for step in 0..24 {
                let total = buffers == Buffers::Thread;
                let before = stands_for(&buffer, &real, keep).expect("it stood for it so far");
                match rng.next_u64() % 5 {
                    0..=1 => {
                        let cell = cell(rng.next_u64() % 3);
                        // Under TSO each write is behind all earlier ones.
                        real.epoch += u32::from(total);
                        real.writes.push((cell, step, real.epoch));
                        let mut values = before;
                        let (quantity, moves) = buffer.append(0, cell, (buffers, keep, k));
                        for (to, from) in moves {
                            values.insert(to, values[&from]);
                        }
                        values.insert(quantity, step);
                        let after = stands_for(&buffer, &real, keep).expect("a write goes in");
                        assert!(
                            after.iter().all(|(quantity, value)| values.get(quantity) == Some(value)),
                            "seed {seed}"
                        );
                        let newest = real.writes.iter().rfind(|write| write.0 == cell).map(|write| write.1);
                        assert_eq!(after.get(&buffer.source(0, cell, keep)).copied(), newest, "seed {seed}");
                    }
                    2 => {
                        real.epoch += 1;
                        buffer.order();
                    }
                    _ => {
                        let ready = (0..real.writes.len()).filter(|&at| real.ready(at, buffers));
                        let ready: Vec<usize> = ready.collect();
                        let Some(&at) = ready.get((rng.next_u64() % 8) as usize % ready.len().max(1)) else { continue };
                        let (cell, value, _) = real.writes.remove(at);
                        let possible = buffer.landings(0, buffers, keep).into_iter().find(|landing| {
                            let Some(form) = landing.written.get(&Quantity::Memory(cell)) else { return false };
                            let lands = match form.terms[..] {
                                [(Var::Now(quantity), 1)] => before.get(&quantity) == Some(&value),
                                _ => landing.fresh == 1,
                            };
                            let moved = stands_for(&landing.buffer, &real, keep).is_some_and(|after| {
                                landing.written.iter().all(|(quantity, form)| {
                                    let now = match form.terms[..] {
                                        [(Var::Now(from), 1)] => before.get(&from),
                                        _ => None,
                                    };
                                    matches!(quantity, Quantity::Memory(_)) || now == after.get(quantity)
                                })
                            });
                            lands && moved
                        });
                        let possible = possible.unwrap_or_else(|| {
                            panic!("seed {seed}: {cell:?} := {value} leaves {real:?}, but was {buffer:?}")
                        });
                        buffer = possible.buffer;
                        landed += 1;
                    }
                }
                assert!(stands_for(&buffer, &real, keep).is_some(), "seed {seed}: {buffer:?} for {real:?}");
            }
        }
        assert!(landed > 10_000, "{landed}");
    }
}
