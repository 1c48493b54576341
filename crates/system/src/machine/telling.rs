//! What happens in a run, for whoever tells it: what a transition sees, changes and leaves in its buffer.

use super::{Frame, Group, Machine, State, Step, Value};
use crate::{Access, Formula, NewValue, Property, Target, Term};

/// What a process sees in a cell of weak memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sight {
    /// The cell.
    pub cell: usize,
    /// Its value; nothing if it was never chosen.
    pub value: Option<Value>,
    /// It comes from the reader's own buffer.
    pub own: bool,
    /// Other processes whose newest write of the cell still waits in their buffers, and what it is.
    pub missed: Vec<(u8, Option<Value>)>,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Told {
    /// What its guard and its values see in weak memory.
    pub sees: Vec<Sight>,
    /// The cells that have another value after it.
    pub changes: Group,
    /// The writes that wait in the buffer of who acts.
    pub waits: Group,
}

impl Machine<'_> {
    /// What a step from one state to the next does.
    pub fn tell(&self, before: &State, step: &Step, after: &State) -> Told {
        let Step::Take(number, tuple) = step else { return Told::default() };
        let transition = &self.system.transitions[*number];
        let actor = transition.actor.map(|slot| tuple[usize::from(slot)]);
        let mut cells = Vec::new();
        let mut see = |access: &Access, frame: &Frame| {
            let cell = self.at(access.symbol, &access.args, frame);
            if self.weak && self.system.symbols[access.symbol].weak && !cells.contains(&cell) {
                cells.push(cell);
            }
        };
        self.visit(&transition.guard, &mut tuple.clone(), &mut see);
        let mut every: Vec<(Frame, &NewValue)> = Vec::new();
        for update in &transition.updates {
            match &update.target {
                Target::Cell(_) => every.push((tuple.clone(), &update.value)),
                Target::Every(slots) => {
                    for indices in self.tuples(slots.len(), false) {
                        let mut frame = tuple.clone();
                        for (&slot, index) in slots.iter().zip(indices) {
                            frame.resize(frame.len().max(usize::from(slot) + 1), 0);
                            frame[usize::from(slot)] = index;
                        }
                        every.push((frame, &update.value));
                    }
                }
            }
        }
        for (frame, value) in &mut every {
            match value {
                NewValue::Term(term) => term.accesses(&mut |access| see(access, frame)),
                NewValue::Any => {}
                NewValue::Case(cases) => {
                    for (condition, term) in cases {
                        self.visit(condition, frame, &mut see);
                        Term::accesses(term, &mut |access| see(access, frame));
                    }
                }
            }
        }
        let sees = cells.into_iter().map(|cell| self.sight(before, after, cell, actor)).collect();
        let mut told = Told { sees, ..Told::default() };
        for (cell, &value) in after.memory.iter().enumerate() {
            // What was open before was chosen, not changed, unless the transition leaves it open.
            if before.memory[cell] != value && (before.memory[cell].is_some() || self.updates(*number, cell)) {
                told.changes.push((cell, value));
            }
        }
        if let Some(actor) = actor
            && after.buffers[usize::from(actor)].len() > before.buffers[usize::from(actor)].len()
            && let Some(group) = after.buffers[usize::from(actor)].last()
        {
            told.waits.clone_from(group);
        }
        told
    }

    /// Whether a transition changes a symbol that is not in weak memory.
    fn updates(&self, number: usize, cell: usize) -> bool {
        self.system.transitions[number].updates.iter().any(|update| update.symbol == self.owner[cell])
    }

    fn sight(&self, before: &State, after: &State, cell: usize, actor: Option<u8>) -> Sight {
        let newest = |process: usize| {
            let mut groups = before.buffers[process].iter().rev();
            groups.find_map(|group| group.iter().find(|(written, _)| *written == cell).map(|&(_, value)| value))
        };
        let own = actor.and_then(|actor| newest(usize::from(actor)));
        // The transition may have chosen what it saw, and an atomic one has overwritten it.
        let memory = before.memory[cell].or(after.memory[cell]);
        let others = (0..self.n).filter(|&process| Some(process) != actor);
        let missed = others.filter_map(|process| newest(usize::from(process)).map(|value| (process, value)));
        Sight { cell, value: own.unwrap_or(memory), own: own.is_some(), missed: missed.collect() }
    }

    /// All accesses of a formula, for all processes that its quantifiers are about.
    fn visit(&self, formula: &Formula, frame: &mut Frame, see: &mut dyn FnMut(&Access, &Frame)) {
        match formula {
            Formula::Bool(_) | Formula::Fence => {}
            Formula::Compare(_, left, right) => {
                for term in [left, right] {
                    term.accesses(&mut |access| see(access, frame));
                }
            }
            Formula::Not(inner) => self.visit(inner, frame, see),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| self.visit(part, frame, see)),
            Formula::Each { slot, apart, body, .. } => {
                let slot = usize::from(*slot);
                frame.resize(frame.len().max(slot + 1), 0);
                let apart: Vec<u8> = apart.iter().map(|&process| super::place(process, frame)).collect();
                for process in (0..self.n).filter(|process| !apart.contains(process)) {
                    frame[slot] = process;
                    self.visit(body, frame, see);
                }
            }
        }
    }

    /// The processes for which a property holds in a state, if it does without choosing values.
    pub fn whom(&self, state: &State, property: &Property) -> Option<Vec<u8>> {
        let holds =
            |tuple: &Frame| self.holds((state, None), &property.formula, &mut tuple.clone(), None).is_ok_and(|yes| yes);
        self.tuples(property.params.len(), true).into_iter().find(holds)
    }
}
