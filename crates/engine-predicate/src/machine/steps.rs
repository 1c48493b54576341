//! The steps of an edge, and what they do to buffers and values.

use super::{Buffer, Control, Machine, State};
use crate::automaton::{Edge, Shown, Step, Way};
use crate::linear::{Form, Value, Var, number};
use crate::values::{Dim, Values};
use ir::{Width, truncate};
use model::Buffers;
use stepper::Status;
use witness::Action;
use witness::invariant::Keep;

impl Machine<'_, '_> {
    pub(super) fn flush<V: Values>(&mut self, state: &mut State<V>, thread: usize, at: usize) {
        let buffer = &mut state.control[thread].buffer;
        let (cell, _) = buffer.slots.remove(at);
        let left = buffer.slots.len();
        buffer.settle(self.keep);
        state.zone.rename(Dim::Slot(thread, at), Dim::Memory(cell));
        for later in at..left {
            state.zone.rename(Dim::Slot(thread, later + 1), Dim::Slot(thread, later));
        }
        if let Some(record) = &mut self.record {
            record.land(thread, self.automata.memory.cells[cell as usize].address);
        }
    }

    /// What a thread reads from a cell.
    fn source<V>(&self, state: &State<V>, thread: usize, cell: u32) -> Dim {
        let buffer = &state.control[thread].buffer;
        let slot = buffer.slots.iter().rposition(|(own, _)| *own == cell);
        match (slot, buffer.set.contains(&cell)) {
            (Some(at), false) => Dim::Slot(thread, at),
            (Some(at), true) if self.keep == Keep::Newest => Dim::Slot(thread, at),
            (_, true) => Dim::Last(thread, cell),
            (None, false) => Dim::Memory(cell),
        }
    }

    /// Takes an edge. Says whether it is possible; it is not if the record could not be told a value.
    pub(super) fn run<V: Values>(&mut self, state: &mut State<V>, thread: usize, edge: &Edge) -> bool {
        for step in &edge.steps {
            if !self.one(state, thread, step) {
                return false;
            }
        }
        state.control[thread].node = edge.to;
        true
    }

    /// Takes a step. Says whether it is possible.
    pub(super) fn one<V: Values>(&mut self, state: &mut State<V>, thread: usize, step: &Step) -> bool {
        let local = |var: &Var| Dim::Local(thread, *var);
        match step {
            Step::Guard(form) => return state.zone.guard(form, thread),
            Step::Fits(form, width) => {
                if !state.zone.fits(form, *width, thread) {
                    self.overflow.insert(width.bits());
                }
            }
            Step::Assign(var, form) => state.zone.assign(local(var), form, thread),
            Step::Forget(var) => state.zone.drop(local(var)),
            Step::Choose(var, width) => return self.choose(state, thread, (local(var), *width)),
            Step::Made(number) => {
                if let Some(record) = &mut self.record {
                    record.choose(thread, *number);
                }
            }
            Step::Load { cell, var, way, shown } => return self.load(state, thread, (*cell, local(var)), *way, shown),
            Step::Store { cell, form, way, shown } => return self.store(state, thread, (*cell, form), *way, shown),
            Step::Fence { drains, orders, shown } => return self.fence(state, thread, [*drains, *orders], shown),
            Step::Begin if !state.control[thread].buffer.is_empty() => return false,
            Step::Begin => {
                if let Some(record) = &mut self.record {
                    record.begin();
                }
            }
            Step::End(span) => {
                if let Some(record) = &mut self.record {
                    record.end(thread, *span);
                }
            }
            Step::Spawn(number, node) => return self.spawn(state, thread, *number, *node),
            Step::Join(other, var) => return self.join(state, thread, *other, var.as_ref().map(local)),
        }
        true
    }

    fn load<V: Values>(
        &mut self,
        state: &mut State<V>,
        thread: usize,
        (cell, dim): (u32, Dim),
        way: Way,
        shown: &Option<Shown>,
    ) -> bool {
        if way == Way::Direct && !state.control[thread].buffer.is_empty() {
            return false;
        }
        let source = self.source(state, thread, cell);
        let own = !matches!(source, Dim::Memory(_));
        state.zone.copy(dim, source, 0);
        if self.record.is_some() {
            let (Some(value), held) = (self.bits(state, source, cell), self.held(state, cell)) else { return false };
            let address = self.automata.memory.cells[cell as usize].address;
            if let (Some(record), Some(shown)) = (&mut self.record, shown) {
                record.touch(address, held);
                record.read(thread, Action::Read { address, value }, own, &shown.tags, shown.span);
            }
        }
        true
    }

    fn store<V: Values>(
        &mut self,
        state: &mut State<V>,
        thread: usize,
        (cell, form): (u32, &Form),
        way: Way,
        shown: &Option<Shown>,
    ) -> bool {
        let held = self.held(state, cell);
        let dim = match way {
            Way::Direct if !state.control[thread].buffer.is_empty() => return false,
            Way::Direct => Dim::Memory(cell),
            Way::Buffer => self.append(state, thread, cell),
        };
        state.zone.assign(dim, form, thread);
        if self.record.is_some() {
            let Some(value) = self.bits(state, dim, cell) else { return false };
            let address = self.automata.memory.cells[cell as usize].address;
            if let (Some(record), Some(shown)) = (&mut self.record, shown) {
                record.touch(address, held);
                let action = Action::Write { address, value };
                record.write(thread, action, way == Way::Buffer, &shown.tags, shown.span);
            }
        }
        true
    }

    fn fence<V>(&mut self, state: &mut State<V>, thread: usize, [drains, orders]: [bool; 2], shown: &Shown) -> bool {
        let buffer = &mut state.control[thread].buffer;
        if drains && !buffer.is_empty() {
            return false;
        }
        if orders {
            buffer.closed = !buffer.is_empty();
        }
        if let Some(record) = &mut self.record {
            record.fence(thread, &shown.tags, shown.span);
        }
        true
    }

    fn spawn<V>(&mut self, state: &mut State<V>, thread: usize, number: usize, node: u32) -> bool {
        if !state.control[thread].buffer.is_empty() || state.control.len() != number {
            return false;
        }
        state.control.push(Control { node, buffer: Buffer::default() });
        if let Some(record) = &mut self.record {
            record.choose(thread, number as u64);
        }
        true
    }

    /// A thread has ended, and its result goes to another one.
    fn join<V: Values>(&mut self, state: &mut State<V>, thread: usize, other: usize, dim: Option<Dim>) -> bool {
        let Some(Control { node, buffer }) = state.control.get(other) else { return false };
        let Status::Ended(result) = self.automata.node(*node).status else { return false };
        if !buffer.is_empty() {
            return false;
        }
        match (dim, result) {
            (Some(dim), Value::Symbolic(returned)) => state.zone.copy(dim, Dim::Local(other, returned), 0),
            (Some(dim), Value::Known(bits)) => {
                let form = Form::constant(number(bits, Width::WORD));
                state.zone.assign(dim, &form, thread);
            }
            (None, _) => {}
        }
        true
    }

    /// A write goes to the buffer; its value has this name.
    fn append<V: Values>(&self, state: &mut State<V>, thread: usize, cell: u32) -> Dim {
        let total = self.automata.buffers == Buffers::Thread;
        let buffer = &mut state.control[thread].buffer;
        let room = buffer.slots.len() < self.k;
        if room && (self.keep == Keep::Newest || buffer.set.is_empty()) {
            let group = buffer.next_group(total);
            buffer.slots.push((cell, group));
            return Dim::Slot(thread, buffer.slots.len() - 1);
        }
        match self.keep {
            Keep::Oldest => {
                if let Err(at) = buffer.set.binary_search(&cell) {
                    buffer.set.insert(at, cell);
                }
                Dim::Last(thread, cell)
            }
            Keep::Newest => {
                let group = buffer.next_group(total);
                buffer.slots.push((cell, group));
                let (oldest, group) = buffer.slots.remove(0);
                let left = buffer.slots.len();
                if let Err(at) = buffer.set.binary_search(&oldest) {
                    buffer.set.insert(at, oldest);
                }
                buffer.group = group;
                buffer.settle(self.keep);
                if left == 0 {
                    return Dim::Last(thread, cell);
                }
                // The oldest of those in order is the newest of the others.
                state.zone.rename(Dim::Slot(thread, 0), Dim::Last(thread, oldest));
                for later in 1..left {
                    state.zone.rename(Dim::Slot(thread, later), Dim::Slot(thread, later - 1));
                }
                Dim::Slot(thread, left - 1)
            }
        }
    }

    fn choose<V: Values>(&mut self, state: &mut State<V>, thread: usize, (dim, width): (Dim, Width)) -> bool {
        state.zone.push(dim);
        let Some(choices) = &self.choices else { return true };
        let choice = Dim::Choice(self.chosen);
        state.zone.push(choice);
        let fixed = choices.get(self.chosen).copied();
        let possible = fixed.is_none_or(|value| state.zone.set(choice, value));
        if let (Some(record), Some(value)) = (&mut self.record, fixed) {
            record.choose(thread, truncate(value as u64, width));
        }
        self.chosen += 1;
        state.zone.copy(dim, choice, 0);
        possible
    }

    /// What a dimension holds, as bits of a cell, if that is one value.
    fn bits<V: Values>(&self, state: &State<V>, dim: Dim, cell: u32) -> Option<u64> {
        let value = state.zone.value(dim)?;
        Some(truncate(value as u64, self.automata.memory.cells[cell as usize].width))
    }

    fn held<V: Values>(&self, state: &State<V>, cell: u32) -> Option<u64> {
        self.bits(state, Dim::Memory(cell), cell)
    }
}
