//! States and steps: control and buffers as they are, values as zones.
//!
//! The same steps serve three purposes: the search (zones are abstracted after each), the question whether a path of
//! the search is possible with its buffers but exact values, and the replay with real buffers, which tells a
//! [`Record`].

use crate::automaton::{Automata, Edge, Halt, Status, Step, Way};
use crate::values::{Dim, Values};
use crate::zone::Zone;
use engine::Keep;
use ir::{ThreadId, Width, truncate};
use model::Buffers;
use std::collections::BTreeSet;
use std::rc::Rc;
use witness::{Action, Record, TWO_INSIDE, Violation};

/// The writes of a thread that have not reached memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Buffer {
    /// The oldest ones in order, or the newest: the cell, and the group. What is in a group reaches memory before the
    /// next group.
    pub slots: Vec<(u32, u32)>,
    /// The cells of all others, in the order of cells.
    pub set: Vec<u32>,
    /// The last group of the others, where the newest are kept.
    group: u32,
    /// Whether the next write begins a group.
    pub closed: bool,
}

/// Where a thread is, and its buffer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Control {
    pub node: u32,
    pub buffer: Buffer,
}

/// A set of states.
#[derive(Debug, Clone)]
pub struct State<V = Zone> {
    pub control: Vec<Control>,
    pub zone: V,
}

/// A move from state to state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// A thread takes an edge.
    Run(usize, usize),
    /// A write of a thread, by its place among those in order, reaches memory.
    Slot(usize, usize),
    /// A write to a cell from beyond those reaches memory; there are more of them.
    Some(usize, u32),
    /// The last one.
    Last(usize, u32),
}

/// How steps are taken.
pub struct Machine<'a, 'p> {
    pub automata: &'a mut Automata<'p>,
    /// How many writes are kept in order.
    pub k: usize,
    /// Which.
    pub keep: Keep,
    /// The widths of results that were out of range.
    pub overflow: BTreeSet<u32>,
    /// On a path: the values that are chosen, as far as they are fixed.
    pub choices: Option<Vec<i64>>,
    /// On a path: how many were chosen so far.
    pub chosen: usize,
    pub record: Option<Record>,
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
    fn ready(&self) -> impl Iterator<Item = usize> + '_ {
        let first = self.slots.first().map_or(0, |slot| slot.1);
        (0..self.slots.len()).filter(move |&at| {
            let (cell, group) = self.slots[at];
            group == first && !self.slots[..at].iter().any(|(other, _)| *other == cell)
        })
    }

    /// Whether a write in order has to wait for the others, if those are older.
    fn behind_the_set(&self, at: usize) -> bool {
        let (cell, group) = self.slots[at];
        !self.set.is_empty() && (group > self.group || self.set.contains(&cell))
    }

    /// The group of a new write.
    fn next_group(&mut self, total: bool) -> u32 {
        let set = (!self.set.is_empty()).then_some(self.group);
        let last = self.slots.last().map(|slot| slot.1).or(set);
        let group = last.map_or(0, |last| last + u32::from(total || self.closed));
        self.closed = false;
        group
    }

    /// Counts groups from zero again.
    fn settle(&mut self, keep: Keep) {
        let set = (keep == Keep::Newest && !self.set.is_empty()).then_some(self.group);
        let first = set.or(self.slots.first().map(|slot| slot.1)).unwrap_or(0);
        self.slots.iter_mut().for_each(|slot| slot.1 -= first);
        self.group = 0;
        self.closed &= !self.is_empty();
    }
}

impl<'p> Machine<'_, 'p> {
    /// The state in which others may come to be.
    pub fn first<V: Values>(&mut self, mut zone: V) -> Result<State<V>, Halt> {
        for (cell, known) in self.automata.cells.iter().enumerate() {
            if self.automata.knowledge.classes.get(&(cell as u32)) != Some(&ir::Usage::Shared) {
                continue;
            }
            zone.push(Dim::Memory(cell as u32));
            if let Some(value) = known.initial {
                zone.set(Dim::Memory(cell as u32), crate::linear::number(value, known.width));
            }
        }
        let control = vec![Control { node: self.automata.first, buffer: Buffer::default() }];
        let mut state = State { control, zone };
        for step in self.automata.prefix.clone() {
            if !self.one(&mut state, 0, &step)? {
                return Err(Halt::Limit("internal: the first thread cannot begin".to_owned()));
            }
        }
        state.zone.settle();
        Ok(state)
    }

    /// What can happen in a state.
    pub fn moves<V>(&mut self, state: &State<V>) -> Result<Vec<Move>, Halt> {
        let mut moves = Vec::new();
        let opened = state.control.iter().position(|own| self.automata.node(own.node).open > 0);
        for (thread, own) in state.control.iter().enumerate() {
            if opened.is_some_and(|opened| opened != thread) {
                continue;
            }
            let edges = self.automata.edges(own.node)?;
            let runs = (0..edges.len()).map(|edge| Move::Run(thread, edge));
            let starts = |edge: &Edge| edge.steps.iter().any(|step| matches!(step, Step::Spawn(..)));
            if own.buffer.is_empty() && !edges.is_empty() && edges.iter().all(starts) {
                // Nobody can tell whether a thread was started earlier.
                return Ok(runs.collect());
            }
            moves.extend(runs);
            if opened.is_some() {
                continue;
            }
            let newest = self.keep == Keep::Newest;
            let ready = own.buffer.ready().filter(|&at| !newest || !own.buffer.behind_the_set(at));
            moves.extend(ready.map(|at| Move::Slot(thread, at)));
            let total = self.automata.buffers == Buffers::Thread;
            for &cell in &own.buffer.set {
                let waits = match total {
                    true => !own.buffer.slots.is_empty(),
                    false => own.buffer.slots.iter().any(|(other, _)| *other == cell),
                };
                if newest || !waits {
                    moves.extend([Move::Some(thread, cell), Move::Last(thread, cell)]);
                }
            }
        }
        Ok(moves)
    }

    /// Does a move, if it is possible.
    pub fn step<V: Values>(&mut self, state: &State<V>, step: Move) -> Result<Option<State<V>>, Halt> {
        let mut next = state.clone();
        match step {
            Move::Run(thread, edge) => {
                let edges = self.automata.edges(state.control[thread].node)?;
                let Some(edge) = edges.get(edge) else { return Ok(None) };
                if !self.run(&mut next, thread, edge)? {
                    return Ok(None);
                }
            }
            Move::Slot(thread, at) => self.flush(&mut next, thread, at),
            Move::Some(_, cell) => next.zone.push(Dim::Memory(cell)),
            Move::Last(thread, cell) => {
                next.zone.rename(Dim::Last(thread, cell), Dim::Memory(cell));
                let buffer = &mut next.control[thread].buffer;
                buffer.set.retain(|own| *own != cell);
                buffer.settle(self.keep);
            }
        }
        next.zone.settle();
        Ok(Some(next))
    }

    fn flush<V: Values>(&mut self, state: &mut State<V>, thread: usize, at: usize) {
        let buffer = &mut state.control[thread].buffer;
        let (cell, _) = buffer.slots.remove(at);
        let left = buffer.slots.len();
        buffer.settle(self.keep);
        state.zone.rename(Dim::Slot(thread, at), Dim::Memory(cell));
        for later in at..left {
            state.zone.rename(Dim::Slot(thread, later + 1), Dim::Slot(thread, later));
        }
        if let Some(record) = &mut self.record {
            record.land(thread, self.automata.cells[cell as usize].address);
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

    /// Takes an edge. Says whether it is possible; nothing comes back if the record could not be told a value.
    fn run<V: Values>(&mut self, state: &mut State<V>, thread: usize, edge: &Edge) -> Result<bool, Halt> {
        for step in &edge.steps {
            if !self.one(state, thread, step)? {
                return Ok(false);
            }
        }
        state.control[thread].node = edge.to;
        Ok(true)
    }

    fn one<V: Values>(&mut self, state: &mut State<V>, thread: usize, step: &Step) -> Result<bool, Halt> {
        match step {
            Step::Guard(form) => {
                return Ok(state.zone.guard(form, thread));
            }
            Step::Fits(form, width) => {
                if !state.zone.fits(form, *width, thread) {
                    self.overflow.insert(width.bits());
                }
            }
            Step::Assign(var, form) => {
                state.zone.assign(Dim::Local(thread, *var), form, thread);
            }
            Step::Forget(var) => state.zone.drop(Dim::Local(thread, *var)),
            Step::Choose(var, width) => return Ok(self.choose(state, thread, (Dim::Local(thread, *var), *width))),
            Step::Made(number) => {
                if let Some(record) = &mut self.record {
                    record.choose(thread, *number);
                }
            }
            Step::Load { cell, var, way, shown } => {
                if *way == Way::Direct && !state.control[thread].buffer.is_empty() {
                    return Ok(false);
                }
                let source = self.source(state, thread, *cell);
                let own = !matches!(source, Dim::Memory(_));
                state.zone.copy(Dim::Local(thread, *var), source, 0);
                if self.record.is_some() {
                    let (Some(value), held) = (self.bits(state, source, *cell), self.held(state, *cell)) else {
                        return Ok(false);
                    };
                    let address = self.automata.cells[*cell as usize].address;
                    if let (Some(record), Some(shown)) = (&mut self.record, shown) {
                        record.touch(address, held);
                        record.read(thread, Action::Read { address, value }, own, &shown.tags, shown.span);
                    }
                }
            }
            Step::Store { cell, form, way, shown } => {
                let held = self.held(state, *cell);
                let dim = match way {
                    Way::Direct => {
                        if !state.control[thread].buffer.is_empty() {
                            return Ok(false);
                        }
                        Dim::Memory(*cell)
                    }
                    Way::Buffer => self.append(state, thread, *cell),
                };
                state.zone.assign(dim, form, thread);
                if self.record.is_some() {
                    let Some(value) = self.bits(state, dim, *cell) else { return Ok(false) };
                    let address = self.automata.cells[*cell as usize].address;
                    if let (Some(record), Some(shown)) = (&mut self.record, shown) {
                        record.touch(address, held);
                        let action = Action::Write { address, value };
                        record.write(thread, action, *way == Way::Buffer, &shown.tags, shown.span);
                    }
                }
            }
            Step::Fence { drains, orders, shown } => {
                let buffer = &mut state.control[thread].buffer;
                if *drains && !buffer.is_empty() {
                    return Ok(false);
                }
                if *orders {
                    buffer.closed = !buffer.is_empty();
                }
                if let Some(record) = &mut self.record {
                    record.fence(thread, &shown.tags, shown.span);
                }
            }
            Step::Begin => {
                if !state.control[thread].buffer.is_empty() {
                    return Ok(false);
                }
                if let Some(record) = &mut self.record {
                    record.begin();
                }
            }
            Step::End(span) => {
                if let Some(record) = &mut self.record {
                    record.end(thread, *span);
                }
            }
            Step::Spawn(number, node) => {
                if !state.control[thread].buffer.is_empty() || state.control.len() != *number {
                    return Ok(false);
                }
                state.control.push(Control { node: *node, buffer: Buffer::default() });
                if let Some(record) = &mut self.record {
                    record.choose(thread, *number as u64);
                }
            }
            Step::Join(other, var) => {
                let Some(Control { node, buffer }) = state.control.get(*other) else { return Ok(false) };
                let ended = self.automata.node(*node);
                let (Status::Ended(value), returns) = (&ended.status, ended.returns) else { return Ok(false) };
                if !buffer.is_empty() {
                    return Ok(false);
                }
                if let (Some(var), Some(returns)) = (var, returns) {
                    state.zone.copy(Dim::Local(thread, *var), Dim::Local(*other, returns), 0);
                } else if let Some(var) = var {
                    let value = crate::linear::number(*value, Width::WORD);
                    state.zone.assign(Dim::Local(thread, *var), &crate::linear::Form::constant(value), thread);
                }
            }
        }
        Ok(true)
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
        Some(truncate(value as u64, self.automata.cells[cell as usize].width))
    }

    fn held<V: Values>(&self, state: &State<V>, cell: u32) -> Option<u64> {
        self.bits(state, Dim::Memory(cell), cell)
    }

    /// What fails in a state into which this thread has come.
    pub fn violation<V>(&self, state: &State<V>, thread: usize) -> Option<Violation> {
        let node = self.automata.node(state.control[thread].node);
        let id = ThreadId(thread as u32);
        if let Status::Failed(span, message) = &node.status {
            return Some(Violation { thread: id, span: *span, message: message.clone() });
        }
        let span = node.inside?;
        let counts = |own: &Control| {
            let node = self.automata.node(own.node);
            node.inside.is_some() && node.open == 0
        };
        let others = state.control.iter().enumerate().filter(|(at, _)| *at != thread);
        let together = counts(&state.control[thread]) && others.into_iter().any(|(_, own)| counts(own));
        together.then(|| Violation { thread: id, span, message: TWO_INSIDE.to_owned() })
    }

    /// Goes a path with real buffers: where a thread has to wait for its buffer, it is emptied. If writes reach memory
    /// at once, it always is.
    pub fn follow<V: Values>(
        &mut self,
        path: &[Move],
        at_once: bool,
        zone: V,
    ) -> Result<Option<(State<V>, Violation)>, Halt> {
        let mut state = self.first(zone)?;
        for &step in path {
            match step {
                Move::Run(thread, edge) => {
                    let Some(own) = state.control.get(thread) else { return Ok(None) };
                    let edges: Rc<[Edge]> = self.automata.edges(own.node)?;
                    let Some(edge) = edges.get(edge) else { return Ok(None) };
                    if edge.steps.iter().any(waits) {
                        while let Some(at) = { state.control[thread].buffer.ready().next() } {
                            self.flush(&mut state, thread, at);
                        }
                    }
                    for step in &edge.steps {
                        if let Step::Join(other, _) = step
                            && *other < state.control.len()
                        {
                            while let Some(at) = { state.control[*other].buffer.ready().next() } {
                                self.flush(&mut state, *other, at);
                            }
                        }
                    }
                    if !self.run(&mut state, thread, edge)? {
                        return Ok(None);
                    }
                    if let Some(violation) = self.violation(&state, thread) {
                        return Ok(Some((state, violation)));
                    }
                    while let (true, Some(at)) = (at_once, { state.control[thread].buffer.ready().next() }) {
                        self.flush(&mut state, thread, at);
                    }
                }
                Move::Slot(..) | Move::Some(..) | Move::Last(..) if at_once => {}
                Move::Slot(thread, _) | Move::Some(thread, _) | Move::Last(thread, _) => {
                    // Which one it was is known by its cell.
                    let Some(own) = state.control.get(thread) else { return Ok(None) };
                    let at = match step {
                        Move::Slot(_, at) => own.buffer.ready().find(|ready| *ready == at),
                        Move::Some(_, cell) | Move::Last(_, cell) => {
                            own.buffer.ready().find(|ready| own.buffer.slots[*ready].0 == cell)
                        }
                        Move::Run(..) => None,
                    };
                    if let Some(at) = at {
                        self.flush(&mut state, thread, at);
                    }
                }
            }
        }
        Ok(None)
    }
}

/// Whether a step waits for the buffer to be empty.
fn waits(step: &Step) -> bool {
    match step {
        Step::Load { way, .. } | Step::Store { way, .. } => *way == Way::Direct,
        Step::Fence { drains, .. } => *drains,
        Step::Begin | Step::Spawn(..) => true,
        Step::Guard(_)
        | Step::Fits(..)
        | Step::Assign(..)
        | Step::Forget(_)
        | Step::Choose(..)
        | Step::Made(_)
        | Step::End(_)
        | Step::Join(..) => false,
    }
}
