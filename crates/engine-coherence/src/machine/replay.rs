//! A path that is shown: its steps again, with a record of what happens.

use super::{Item, Machine, Step, ThreadState};
use crate::buffer::BufferId;
use crate::thread::Runner;
use engine::Record;
use ir::TagSet;
use source::Span;
use stepper::Halt;
use witness::Action;

impl Machine<'_> {
    pub(super) fn note(&mut self, local: ThreadState, write: impl FnOnce(&mut Record, (Span, TagSet, TagSet))) {
        if self.world.record.is_some() {
            let own = self.locals[local as usize].clone();
            let shown = Runner { world: &mut self.world, local: own }.shown();
            if let Some(record) = &mut self.world.record {
                write(record, shown);
            }
        }
    }

    pub(super) fn note_read(&mut self, state: &[u32], thread: usize, cell: u32, value: u64, own: bool) {
        if self.world.record.is_some() {
            let held = self.load(state[0], cell);
            let address = self.world.memory.cells[cell as usize].address;
            self.note(state[1 + 2 * thread], |record, (span, tags, _)| {
                record.touch(address, held);
                record.read(thread, Action::Read { address, value }, own, &tags, span);
            });
        }
    }

    pub(super) fn note_write(
        &mut self,
        state: &[u32],
        thread: usize,
        cell: u32,
        value: u64,
        to_buffer: bool,
        rmw: bool,
    ) {
        if self.world.record.is_some() {
            let held = self.load(state[0], cell);
            let address = self.world.memory.cells[cell as usize].address;
            self.note(state[1 + 2 * thread], |record, (span, tags, more)| {
                record.touch(address, held);
                let tags = if rmw { more } else { tags };
                record.write(thread, Action::Write { address, value }, to_buffer, &tags, span);
            });
        }
    }

    /// Takes a step of a path that is shown. Where it is not possible as it was thought, something like it is done.
    pub fn follow(&mut self, state: &[u32], step: &Step) -> Result<Vec<u32>, Halt> {
        let mut state = state.to_vec();
        match step {
            Step::Flush(thread, cell) => self.land(&mut state, *thread, Some(*cell)),
            Step::Run(thread, choices) => {
                self.found.clear();
                self.work.clear();
                let first = |state: &[u32]| Item { state: state.to_vec(), may: true, choices: Vec::new() };
                let before = (self.world.record.clone(), self.world.shown.clone());
                if !self.advance(first(&state), *thread, &mut choices.iter().copied())? {
                    (self.world.record, self.world.shown) = before;
                    // It waits for its buffer, perhaps.
                    while state[2 + 2 * thread] != 0 {
                        self.land(&mut state, *thread, None);
                    }
                    let before = (self.world.record.clone(), self.world.shown.clone());
                    if !self.advance(first(&state), *thread, &mut choices.iter().copied())? {
                        (self.world.record, self.world.shown) = before;
                    }
                }
                if !self.found.is_empty() {
                    state = self.found.clone();
                }
            }
        }
        Ok(state)
    }

    /// The oldest write of a thread, to this cell if one is given, reaches memory.
    fn land(&mut self, state: &mut [u32], thread: usize, cell: Option<u32>) {
        let buffer: BufferId = state[2 + 2 * thread];
        let flushes = self.buffers.flushes(buffer);
        let Some(&flush) = flushes.iter().find(|flush| cell.is_none_or(|cell| flush.cell == cell)) else { return };
        state[0] = self.store(state[0], flush.cell, flush.value);
        state[2 + 2 * thread] = flush.rest;
        let address = self.world.memory.cells[flush.cell as usize].address;
        if let Some(record) = &mut self.world.record {
            record.land(thread, address);
        }
    }
}
