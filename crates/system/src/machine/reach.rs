//! A forward exploration with few processes, up to what the text cannot tell apart.
//!
//! Processes without numbers of their own that the text does not compare by order are alike, and so are the values of types
//! without constructors. Of states that differ only in which is which, one is explored.

use super::{Frame, Machine, State, Value};
use crate::{Comparison, Formula, NewValue, System, Term, Transition, Type};
use rustc_hash::FxHashSet;

/// A forward exploration that can be continued.
#[derive(Debug, Default)]
pub struct Reach {
    seen: FxHashSet<State>,
    /// The states that were found.
    pub states: Vec<State>,
    /// How many of them have been left behind.
    done: usize,
}

/// Two neighbours among the processes that are alike, and where each cell is when they change places.
struct Swap {
    first: usize,
    cells: Vec<usize>,
}

impl Swap {
    fn value(&self, value: Value) -> Value {
        let first = self.first as Value;
        if value == first {
            first + 1
        } else if value == first + 1 {
            first
        } else {
            value
        }
    }
}

impl Machine<'_> {
    /// Explores until about `limit` states are known, or `stop` says so. Says whether something new was found.
    pub fn reach(&self, reach: &mut Reach, limit: usize, stop: &dyn Fn() -> bool) -> bool {
        let before = reach.states.len();
        let mut fresh = if before == 0 { self.initial() } else { Vec::new() };
        let tuples = |transition: &Transition| self.tuples(transition.params.len(), true);
        let tuples: Vec<Vec<Frame>> = self.system.transitions.iter().map(tuples).collect();
        let swaps = self.swaps();
        loop {
            for mut state in fresh.drain(..) {
                self.representative(&mut state, &swaps);
                if reach.seen.contains(&state) {
                    continue;
                }
                for (state, forbidden) in self.matching(state, &self.system.invariants) {
                    if forbidden.is_none() && reach.seen.insert(state.clone()) {
                        reach.states.push(state);
                    }
                }
            }
            let Some(state) = reach.states.get(reach.done) else { break };
            if reach.states.len() > limit || stop() {
                break;
            }
            self.commits(state, &mut |_, next| fresh.push(next));
            for (transition, tuples) in self.system.transitions.iter().zip(&tuples) {
                for tuple in tuples {
                    fresh.extend(self.take(state, transition, tuple));
                }
            }
            reach.done += 1;
        }
        reach.states.len() > before
    }

    /// The neighbours that may change places: none if the text tells processes apart.
    fn swaps(&self) -> Vec<Swap> {
        if self.system.fixed() > 0 || self.system.processes.is_some() || orders_processes(self.system) {
            return Vec::new();
        }
        let swap = |first: usize| {
            let mut swap = Swap { first, cells: Vec::new() };
            for cell in 0..self.cells {
                let (symbol, mut args) = self.cell(cell);
                args.iter_mut().for_each(|arg| *arg = swap.value(Value::from(*arg)) as u8);
                swap.cells.push(self.index(symbol, &args));
            }
            swap
        };
        (1..usize::from(self.n)).map(|second| swap(second - 1)).collect()
    }

    /// Neighbours change places while that makes memory smaller, then values without names get numbers.
    fn representative(&self, state: &mut State, swaps: &[Swap]) {
        while let Some(swap) = swaps.iter().find(|swap| self.smaller(state, swap)) {
            let value = |cell: usize, value: Option<Value>| match self.type_of_cell(cell) {
                Type::Proc => value.map(|value| swap.value(value)),
                Type::Int | Type::Real | Type::Enum(_) | Type::Opaque(_) => value,
            };
            let memory = (0..self.cells).map(|cell| value(cell, state.memory[swap.cells[cell]])).collect();
            state.memory = memory;
            state.buffers.swap(swap.first, swap.first + 1);
            for (cell, written) in state.buffers.iter_mut().flatten().flatten() {
                *written = value(*cell, *written);
                *cell = swap.cells[*cell];
            }
        }
        self.rename_opaque(state);
    }

    /// Whether memory is smaller when two neighbours change places; values without names do not count.
    fn smaller(&self, state: &State, swap: &Swap) -> bool {
        for cell in 0..self.cells {
            let (here, there) = (state.memory[cell], state.memory[swap.cells[cell]]);
            let there = match self.type_of_cell(cell) {
                Type::Proc => there.map(|value| swap.value(value)),
                Type::Int | Type::Real | Type::Enum(_) => there,
                Type::Opaque(_) => continue,
            };
            if here != there {
                return there < here;
            }
        }
        false
    }

    fn type_of_cell(&self, cell: usize) -> Type {
        self.system.symbols[self.owner[cell]].ty
    }

    /// Values of types without constructors are only ever compared with each other, so it does not matter which is
    /// which: they get their numbers in the order of the cells that hold them.
    fn rename_opaque(&self, state: &mut State) {
        let mut names: Vec<(Type, Value)> = Vec::new();
        let buffered = state.buffers.iter_mut().flatten().flatten().map(|(cell, value)| (*cell, value));
        for (cell, value) in state.memory.iter_mut().enumerate().chain(buffered) {
            let ty = self.system.symbols[self.owner[cell]].ty;
            let (Type::Opaque(_), Some(value)) = (ty, value) else { continue };
            let known = names.iter().filter(|(of, _)| *of == ty).position(|(_, name)| name == value);
            let number = known.unwrap_or_else(|| {
                names.push((ty, *value));
                names.iter().filter(|(of, _)| *of == ty).count() - 1
            });
            *value = number as Value;
        }
    }
}

/// Whether the text compares processes by their order.
fn orders_processes(system: &System) -> bool {
    let properties = system.bad.iter().chain(&system.invariants).chain([&system.init]);
    let guards = system.transitions.iter().map(|transition| &transition.guard);
    let updates = system.transitions.iter().flat_map(|transition| &transition.updates);
    let cases = updates.flat_map(|update| match &update.value {
        NewValue::Term(_) | NewValue::Any => &[][..],
        NewValue::Case(cases) => cases,
    });
    let formulas = properties.map(|property| &property.formula).chain(guards).chain(cases.map(|(formula, _)| formula));
    formulas.into_iter().any(|formula| orders(system, formula))
}

fn orders(system: &System, formula: &Formula) -> bool {
    match formula {
        Formula::Bool(_) | Formula::Fence => false,
        Formula::Compare(how, left, right) => {
            let is_process = |term: &Term| system.type_of(term) == Type::Proc;
            matches!(how, Comparison::Less | Comparison::AtMost) && (is_process(left) || is_process(right))
        }
        Formula::Not(inner) => orders(system, inner),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| orders(system, part)),
        Formula::Each { body, .. } => orders(system, body),
    }
}
