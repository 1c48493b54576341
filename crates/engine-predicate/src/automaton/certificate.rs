//! The certificate of a proof: the states that are left at the end of a search, in terms of the program.

use super::*;
use crate::machine::{Buffer, State};
use crate::values::Dim;
use crate::zone::Zone;
use std::collections::BTreeSet;
use witness::invariant::{self, Bound, ControlPoint, Held, Invariant, Keep, Quantity, Region, Term};

impl Automata<'_> {
    /// These states as an invariant.
    pub fn certificate(&mut self, k: usize, keep: Keep, states: &[State]) -> Invariant {
        let mut places: IndexSet<ControlPoint, FxBuildHasher> = IndexSet::default();
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let mut terms: IndexSet<Term, FxBuildHasher> = IndexSet::default();
        let mut regions = Vec::with_capacity(states.len());
        for state in states {
            let mut threads = Vec::new();
            for own in &state.control {
                let known = numbers.get(&own.node).copied();
                let place = known.unwrap_or_else(|| {
                    let place = self.place(own.node);
                    let number = places.insert_full(place).0 as u32;
                    numbers.insert(own.node, number);
                    number
                });
                threads.push((place, self.buffer(&own.buffer)));
            }
            let bound = |(left, right, limit): (Dim, Dim, i64)| {
                let mut number = |dim: Dim| Some(terms.insert_full(self.term(&state.zone, dim)?).0 as u32);
                Some(Bound { left: number(left)?, right: number(right)?, limit })
            };
            let bounds = state.zone.reduced().into_iter().filter_map(bound).collect();
            regions.push(Region { threads, bounds });
        }
        let address = |cell: &u32| self.memory.cells[*cell as usize].address;
        let classes = || self.knowledge.classes.iter();
        let shared = || classes().filter(|(_, usage)| **usage == Usage::Shared).map(|(cell, _)| cell);
        let private = classes().filter_map(|(cell, usage)| match usage {
            Usage::Private(thread) => Some((address(cell), *thread)),
            Usage::Shared | Usage::Constant(_) => None,
        });
        let (mut variables, mut counted) = (BTreeSet::new(), BTreeSet::new());
        for holder in &self.knowledge.forced {
            match holder {
                Forced::Local(function, local) => variables.insert((*function, *local)),
                Forced::Own(cell) => counted.insert(address(cell)),
            };
        }
        Invariant {
            buffers: self.buffers,
            keep,
            k,
            shared: shared().map(address).collect(),
            settled: shared().filter(|cell| !self.knowledge.written.contains(cell)).map(address).collect(),
            private: private.collect(),
            variables,
            counted,
            places: places.into_iter().collect(),
            terms: terms.into_iter().collect(),
            regions,
        }
    }

    /// A node as a place of the program. What nobody will look at is not known.
    fn place(&mut self, id: u32) -> ControlPoint {
        let Node { thread, spawned, early } = self.nodes[id as usize].clone();
        let held = |value: &Value| match value {
            Value::Known(bits) => Held::Known(*bits),
            Value::Symbolic(_) => Held::Variable,
        };
        let mut frames = Vec::new();
        let mut returns = None;
        for frame in thread.frames.iter().rev() {
            let live = self.liveness.before(frame.function, frame.block, frame.index);
            let local = |(at, value): (usize, &Value)| {
                if live[at] && returns != Some(LocalId(at as u32)) { held(value) } else { Held::Nothing }
            };
            let locals = frame.values.iter().enumerate().map(local).collect();
            let Frame { function, block, index, dst, .. } = *frame;
            frames.push(invariant::Frame { function, block, index, locals, dst });
            returns = frame.dst;
        }
        frames.reverse();
        let status = match thread.status {
            Status::Runs => invariant::Status::Runs,
            Status::Ended(value) => invariant::Status::Ended(held(&value)),
            Status::Stopped => invariant::Status::Stopped,
            Status::Failed(..) => invariant::Status::Failed,
        };
        ControlPoint {
            thread: thread.number,
            frames,
            status,
            open: thread.atomic,
            inside: thread.critical.is_some(),
            own: thread
                .own
                .iter()
                .map(|(cell, value)| (self.memory.cells[*cell as usize].address, held(value)))
                .collect(),
            started: spawned,
            early,
        }
    }

    fn buffer(&self, buffer: &Buffer) -> invariant::Buffer {
        let address = |cell: u32| self.memory.cells[cell as usize].address;
        let mut rest: Vec<Address> = buffer.set.iter().map(|cell| address(*cell)).collect();
        rest.sort_unstable();
        let slots = buffer.slots.iter().map(|(cell, group)| (address(*cell), *group)).collect();
        invariant::Buffer { slots, rest, closed: buffer.closed }
    }

    /// A dimension as a sum of quantities of the program.
    fn term(&self, zone: &Zone, dim: Dim) -> Option<Term> {
        match dim {
            Dim::Sum(number) => {
                let parts = zone.tracked(number).iter();
                parts.map(|(part, factor)| Some((self.quantity(*part)?, *factor))).collect()
            }
            Dim::Zero
            | Dim::Memory(_)
            | Dim::Local(..)
            | Dim::Slot(..)
            | Dim::Last(..)
            | Dim::Choice(_)
            | Dim::Next(_) => Some(vec![(self.quantity(dim)?, 1)]),
        }
    }

    /// A dimension as a quantity of the program.
    fn quantity(&self, dim: Dim) -> Option<Quantity> {
        let address = |cell: u32| self.memory.cells[cell as usize].address;
        match dim {
            Dim::Zero => Some(Quantity::Zero),
            Dim::Memory(cell) => Some(Quantity::Memory(address(cell))),
            Dim::Local(thread, var) => match self.vars.get_index(var as usize)? {
                Holder::Local(depth, _, local) => Some(Quantity::Local { thread, frame: depth - 1, local: *local }),
                Holder::Own(cell) => Some(Quantity::Own { thread, cell: address(*cell) }),
                Holder::Result => Some(Quantity::Result { thread }),
            },
            Dim::Slot(thread, at) => Some(Quantity::Slot { thread, at }),
            Dim::Last(thread, cell) => Some(Quantity::Newest { thread, cell: address(cell) }),
            Dim::Choice(_) | Dim::Sum(_) | Dim::Next(_) => None,
        }
    }
}
