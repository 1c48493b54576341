//! The judge: a system with a given number of processes, run with store buffers.
//!
//! Slow and plain. A transition is atomic. A read of a weak cell sees the reader's own newest buffered write, else
//! memory. All writes of one transition enter the actor's buffer as one group, which becomes visible at once. A guard
//! with `fence()`, and a transition that both reads and writes weak memory, wait until the actor's buffer is empty;
//! the writes of the latter go to memory. Under TSO the oldest group leaves first; under PSO a group may overtake those
//! that write other cells.
//!
//! What `p @ X` in a bad state means is what p sees when it has done its last step; others may go on before the state
//! is looked at, but all who look do so at the same time.
//!
//! Values that nothing determines (at first, or after `:= ?`) are chosen when somebody reads them. Numbers are then
//! chosen among those that the text mentions and their neighbours: what is found is real, but not everything is found.

mod reach;
mod telling;

pub use reach::Reach;
pub use telling::{Sight, Told};

use crate::{
    Access, Comparison, Formula, Kind, Memory, NewValue, Process, Property, System, Target, Term, Transition, Type,
    Update,
};
use rustc_hash::FxHashMap;

/// A value: a number, a constructor's place, a process.
pub type Value = i64;

/// The writes of one transition.
pub type Group = Vec<(usize, Option<Value>)>;

/// What all processes and the memory are like; what is `None` is not yet chosen.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// All cells.
    pub memory: Vec<Option<Value>>,
    /// The buffers, oldest first.
    pub buffers: Vec<Vec<Group>>,
}

/// What can happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A transition, by these processes.
    Take(usize, Vec<u8>),
    /// A group of writes of a process becomes visible.
    Commit(u8, Group),
    /// These processes look at memory for the last time, for a bad state of this number.
    Look(usize, Vec<u8>),
}

/// Where a value is missing.
#[derive(Debug, Clone, Copy)]
enum Missing {
    Memory(usize),
    Buffer(usize, usize, usize),
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Search {
    /// A bad state is reached by these steps from this state.
    Bad {
        /// The first state, as far as its values mattered.
        first: State,
        /// The steps.
        steps: Vec<Step>,
        /// The state after each step, as far as its values mattered until then.
        states: Vec<State>,
        /// The number of the property.
        property: usize,
    },
    /// No bad state was found, and all states that the machine can choose were seen.
    Exhausted {
        /// How many.
        states: usize,
    },
    /// The search was not finished.
    Unfinished,
}

/// A system with a number of processes.
#[derive(Debug)]
pub struct Machine<'a> {
    system: &'a System,
    n: u8,
    memory: Memory,
    /// Where the cells of each symbol begin.
    base: Vec<usize>,
    cells: usize,
    /// The symbol of each cell.
    owner: Vec<usize>,
    /// The numbers to choose from.
    numbers: Vec<Value>,
    weak: bool,
    /// Whether a variable may hold a process that is none of them, because `init` leaves no other choice.
    beyond: bool,
}

/// The processes in slots.
type Frame = Vec<u8>;

/// What some processes saw when they looked for the last time: the property, its processes, the state, who looked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Look {
    property: usize,
    tuple: Frame,
    seen: State,
    readers: Vec<u8>,
}

/// A state, and what weak memory was like when it was looked at, if that is not now.
type View<'v> = (&'v State, Option<&'v State>);

/// A state, how far each plan is done, and a last look.
type Node = (State, Vec<u8>, Option<Box<Look>>);

impl<'a> Machine<'a> {
    /// A machine.
    pub fn new(system: &'a System, n: u8, memory: Memory) -> Self {
        let mut base = Vec::new();
        let mut owner = Vec::new();
        for (at, symbol) in system.symbols.iter().enumerate() {
            base.push(owner.len());
            let size = usize::from(n).pow(symbol.arity as u32);
            owner.extend(std::iter::repeat_n(at, size));
        }
        let weak = memory != Memory::Sc && system.is_weak();
        let cells = owner.len();
        let mut machine =
            Machine { system, n, memory, base, cells, owner, numbers: numbers(system), weak, beyond: false };
        machine.beyond = machine.initial().is_empty();
        machine
    }

    /// The symbol and the indices of a cell.
    pub fn cell(&self, cell: usize) -> (usize, Vec<u8>) {
        let symbol = self.owner[cell];
        let mut rest = cell - self.base[symbol];
        let mut args = vec![0; self.system.symbols[symbol].arity];
        for arg in args.iter_mut().rev() {
            *arg = (rest % usize::from(self.n)) as u8;
            rest /= usize::from(self.n);
        }
        (symbol, args)
    }

    fn at(&self, symbol: usize, args: &[Process], frame: &Frame) -> usize {
        let index = args.iter().fold(0, |index, &arg| index * usize::from(self.n) + usize::from(place(arg, frame)));
        self.base[symbol] + index
    }

    /// What `reader` sees in a cell.
    fn read(&self, state: &State, cell: usize, reader: Option<u8>) -> Result<Value, Missing> {
        if self.weak
            && self.system.symbols[self.owner[cell]].weak
            && let Some(reader) = reader
        {
            let reader = usize::from(reader);
            for (at, group) in state.buffers[reader].iter().enumerate().rev() {
                if let Some(entry) = group.iter().position(|&(written, _)| written == cell) {
                    return group[entry].1.ok_or(Missing::Buffer(reader, at, entry));
                }
            }
        }
        state.memory[cell].ok_or(Missing::Memory(cell))
    }

    fn access(
        &self,
        (state, seen): View<'_>,
        access: &Access,
        frame: &Frame,
        actor: Option<u8>,
    ) -> Result<Value, Missing> {
        let reader = access.by.map(|by| place(by, frame)).or(actor);
        let state = match seen {
            Some(seen) if self.weak && self.system.symbols[access.symbol].weak => seen,
            Some(_) | None => state,
        };
        self.read(state, self.at(access.symbol, &access.args, frame), reader)
    }

    fn term(&self, state: View<'_>, term: &Term, frame: &Frame, actor: Option<u8>) -> Result<Value, Missing> {
        Ok(match term {
            Term::Proc(process) => Value::from(place(*process, frame)),
            Term::Constructor(_, at) => Value::from(*at),
            Term::Access(access) => self.access(state, access, frame, actor)?,
            Term::Sum(parts, number) => {
                let mut sum = *number;
                for (factor, access) in parts {
                    sum = sum.saturating_add(factor.saturating_mul(self.access(state, access, frame, actor)?));
                }
                sum
            }
        })
    }

    fn holds(&self, state: View<'_>, formula: &Formula, frame: &mut Frame, actor: Option<u8>) -> Result<bool, Missing> {
        Ok(match formula {
            Formula::Bool(value) => *value,
            Formula::Fence => !self.weak || actor.is_none_or(|actor| state.0.buffers[usize::from(actor)].is_empty()),
            Formula::Compare(how, left, right) => {
                let left = self.term(state, left, frame, actor)?;
                let right = self.term(state, right, frame, actor)?;
                match how {
                    Comparison::Equal => left == right,
                    Comparison::Differ => left != right,
                    Comparison::Less => left < right,
                    Comparison::AtMost => left <= right,
                }
            }
            Formula::Not(inner) => !self.holds(state, inner, frame, actor)?,
            Formula::And(parts) => {
                for part in parts {
                    if !self.holds(state, part, frame, actor)? {
                        return Ok(false);
                    }
                }
                true
            }
            Formula::Or(parts) => {
                for part in parts {
                    if self.holds(state, part, frame, actor)? {
                        return Ok(true);
                    }
                }
                false
            }
            Formula::Each { all, slot, apart, body } => {
                let slot = usize::from(*slot);
                frame.resize(frame.len().max(slot + 1), 0);
                let apart: Vec<u8> = apart.iter().map(|&p| place(p, frame)).collect();
                for process in (0..self.n).filter(|process| !apart.contains(process)) {
                    frame[slot] = process;
                    if self.holds(state, body, frame, actor)? != *all {
                        return Ok(!*all);
                    }
                }
                *all
            }
        })
    }

    /// The values that a missing one may have.
    fn domain(&self, state: &State, missing: Missing) -> Vec<Value> {
        let cell = match missing {
            Missing::Memory(cell) => cell,
            Missing::Buffer(process, group, entry) => state.buffers[process][group][entry].0,
        };
        match self.system.symbols[self.owner[cell]].ty {
            Type::Int | Type::Real => self.numbers.clone(),
            Type::Proc => (0..Value::from(self.n) + Value::from(self.beyond)).collect(),
            Type::Enum(at) => (0..self.system.enums[at].constructors.len() as Value).collect(),
            Type::Opaque(_) => (0..3).collect(),
        }
    }

    /// Evaluates, choosing missing values in all ways.
    fn settle<T>(&self, state: State, ask: &dyn Fn(&State) -> Result<T, Missing>, found: &mut dyn FnMut(State, T)) {
        let mut waiting = vec![state];
        while let Some(state) = waiting.pop() {
            match ask(&state) {
                Ok(answer) => found(state, answer),
                Err(missing) => {
                    for value in self.domain(&state, missing) {
                        let mut next = state.clone();
                        match missing {
                            Missing::Memory(cell) => next.memory[cell] = Some(value),
                            Missing::Buffer(process, group, entry) => {
                                next.buffers[process][group][entry].1 = Some(value);
                            }
                        }
                        waiting.push(next);
                    }
                }
            }
        }
    }

    /// All tuples of processes; `distinct` ones if asked for.
    fn tuples(&self, length: usize, distinct: bool) -> Vec<Frame> {
        let mut tuples = vec![Vec::new()];
        for _ in 0..length {
            let longer = |tuple: &Frame| {
                let fits = |process: &u8| !distinct || !tuple.contains(process);
                let next: Vec<Frame> =
                    (0..self.n).filter(fits).map(|process| tuple.iter().copied().chain([process]).collect()).collect();
                next
            };
            tuples = tuples.iter().flat_map(longer).collect();
        }
        tuples
    }

    /// The first states.
    fn initial(&self) -> Vec<State> {
        let nothing = State { memory: vec![None; self.cells], buffers: vec![Vec::new(); usize::from(self.n)] };
        let init = &self.system.init;
        let tuples = self.tuples(init.params.len(), false);
        let mut state = nothing;
        // What is simply equal to something known needs no choice.
        for tuple in &tuples {
            self.force(&mut state, &init.formula, tuple);
        }
        let ask = |state: &State| {
            for tuple in &tuples {
                if !self.holds((state, None), &init.formula, &mut tuple.clone(), None)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let mut states = Vec::new();
        self.settle(state, &ask, &mut |state, holds| {
            if holds {
                states.push(state);
            }
        });
        states
    }

    fn force(&self, state: &mut State, formula: &Formula, frame: &Frame) {
        match formula {
            Formula::And(parts) => parts.iter().for_each(|part| self.force(state, part, frame)),
            Formula::Compare(Comparison::Equal, Term::Access(access), value)
            | Formula::Compare(Comparison::Equal, value, Term::Access(access)) => {
                if let Ok(value) = self.term((state, None), value, frame, None) {
                    let cell = self.at(access.symbol, &access.args, frame);
                    state.memory[cell].get_or_insert(value);
                }
            }
            Formula::Bool(_) | Formula::Fence | Formula::Compare(..) | Formula::Not(_) | Formula::Or(_) => {}
            Formula::Each { .. } => {}
        }
    }

    /// Which of the properties hold, with values chosen.
    fn matching(&self, state: State, properties: &[Property]) -> Vec<(State, Option<usize>)> {
        if properties.is_empty() {
            return vec![(state, None)];
        }
        let tuples: Vec<Vec<Frame>> =
            properties.iter().map(|property| self.tuples(property.params.len(), true)).collect();
        let ask = |state: &State| {
            for (at, property) in properties.iter().enumerate() {
                for tuple in &tuples[at] {
                    if self.holds((state, None), &property.formula, &mut tuple.clone(), None)? {
                        return Ok(Some(at));
                    }
                }
            }
            Ok(None)
        };
        let mut found = Vec::new();
        self.settle(state, &ask, &mut |state, at| found.push((state, at)));
        found
    }

    /// The states after a transition.
    fn take(&self, state: &State, transition: &Transition, tuple: &Frame) -> Vec<State> {
        let actor = transition.actor.map(|slot| tuple[usize::from(slot)]);
        let locked = self.weak && transition.reads(self.system) && transition.writes(self.system);
        if self.weak
            && (locked || transition.has_fence())
            && actor.is_some_and(|actor| !state.buffers[usize::from(actor)].is_empty())
        {
            return Vec::new();
        }
        let ask = |state: &State| {
            if !self.holds((state, None), &transition.guard, &mut tuple.clone(), actor)? {
                return Ok(None);
            }
            let mut changes = Vec::new();
            for update in &transition.updates {
                self.update(state, update, tuple, actor, &mut changes)?;
            }
            Ok(Some(changes))
        };
        let mut states = Vec::new();
        let mut enter = |mut state: State, changes: Option<Group>| {
            let Some(changes) = changes else { return };
            let mut group = Group::new();
            for (cell, value) in changes {
                if self.weak && !locked && self.system.symbols[self.owner[cell]].weak {
                    group.push((cell, value));
                } else {
                    state.memory[cell] = value;
                }
            }
            if let (false, Some(actor)) = (group.is_empty(), actor) {
                state.buffers[usize::from(actor)].push(group);
            }
            states.push(state);
        };
        // Most guards do not hold, and most values are known: then nothing has to be copied to find that out.
        match ask(state) {
            Ok(None) => {}
            Ok(changes) => enter(state.clone(), changes),
            Err(_) => self.settle(state.clone(), &ask, &mut enter),
        }
        states
    }

    fn update(
        &self,
        state: &State,
        update: &Update,
        tuple: &Frame,
        actor: Option<u8>,
        changes: &mut Group,
    ) -> Result<(), Missing> {
        let slots: &[u8] = match &update.target {
            Target::Cell(_) => &[],
            Target::Every(slots) => slots,
        };
        let n = usize::from(self.n);
        let mut frame = tuple.clone();
        for number in 0..n.pow(slots.len() as u32) {
            let mut rest = number;
            for &slot in slots.iter().rev() {
                frame.resize(frame.len().max(usize::from(slot) + 1), 0);
                frame[usize::from(slot)] = (rest % n) as u8;
                rest /= n;
            }
            let cell = match &update.target {
                Target::Cell(args) => self.at(update.symbol, args, &frame),
                Target::Every(_) => self.base[update.symbol] + number,
            };
            match &update.value {
                NewValue::Term(term) => changes.push((cell, Some(self.term((state, None), term, &frame, actor)?))),
                NewValue::Any => changes.push((cell, None)),
                NewValue::Case(cases) => {
                    for (condition, term) in cases {
                        if self.holds((state, None), condition, &mut frame, actor)? {
                            changes.push((cell, Some(self.term((state, None), term, &frame, actor)?)));
                            break;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The ways in which a buffer can lose a group.
    fn commits(&self, state: &State, found: &mut dyn FnMut(Step, State)) {
        for process in 0..usize::from(self.n) {
            let buffer = &state.buffers[process];
            for (at, group) in buffer.iter().enumerate() {
                let blocked = match self.memory {
                    Memory::Sc | Memory::Tso => at > 0,
                    Memory::Pso => {
                        let shared = |old: &Group| old.iter().any(|(cell, _)| group.iter().any(|(c, _)| c == cell));
                        buffer[..at].iter().any(shared)
                    }
                };
                if blocked {
                    continue;
                }
                let mut next = state.clone();
                let group = next.buffers[process].remove(at);
                for &(cell, value) in &group {
                    next.memory[cell] = value;
                }
                found(Step::Commit(process as u8, group), next);
            }
        }
    }

    /// The place of a cell; indices beyond those of the symbol are ignored.
    pub fn index(&self, symbol: usize, args: &[u8]) -> usize {
        let args = args.iter().take(self.system.symbols[symbol].arity);
        self.base[symbol] + args.fold(0, |index, &arg| index * usize::from(self.n) + usize::from(arg))
    }

    /// Searches all states, at most `limit` of them, until `stop` says so.
    pub fn search(&self, limit: usize, stop: &dyn Fn() -> bool) -> Search {
        let free: Vec<Vec<Step>> = Vec::new();
        self.run(&free, limit, stop)
    }

    /// Searches the states that each process reaches by the given steps in their order.
    pub fn replay(&self, steps: &[(usize, Vec<u8>)], limit: usize, stop: &dyn Fn() -> bool) -> Search {
        let mut plans = vec![Vec::new(); usize::from(self.n)];
        for (transition, processes) in steps {
            // In weak systems the actor orders its own steps; otherwise all steps stay in order.
            let actor = self.system.transitions[*transition].actor.filter(|_| self.weak);
            let actor = actor.map_or(0, |slot| processes[usize::from(slot)]);
            plans[usize::from(actor)].push(Step::Take(*transition, processes.clone()));
        }
        self.run(&plans, limit, stop)
    }

    fn run(&self, plans: &[Vec<Step>], limit: usize, stop: &dyn Fn() -> bool) -> Search {
        let mut seen: FxHashMap<Node, usize> = FxHashMap::default();
        let mut nodes: Vec<(Node, Option<(usize, Step)>)> = Vec::new();
        let mut at = 0;
        let start = vec![0u8; plans.len()];
        let mut fresh: Vec<(Node, Option<(usize, Step)>)> =
            self.initial().into_iter().map(|state| ((state, start.clone(), None), None)).collect();
        loop {
            for ((state, position, look), from) in fresh.drain(..) {
                for (state, forbidden) in self.matching(state, &self.system.invariants) {
                    let node = (state, position.clone(), look.clone());
                    if forbidden.is_none() && !seen.contains_key(&node) {
                        seen.insert(node.clone(), nodes.len());
                        nodes.push((node, from.clone()));
                    }
                }
            }
            let Some(((state, position, look), _)) = nodes.get(at) else { break };
            if at >= limit || nodes.len() > 4 * limit || stop() {
                return Search::Unfinished;
            }
            let ended = plans.iter().zip(position).all(|(plan, &at)| plan.len() == usize::from(at));
            if ended && let Some((state, property)) = self.is_bad(state, look.as_deref()) {
                return self.trace(&nodes, at, &state, property);
            }
            self.commits(state, &mut |step, next| {
                fresh.push(((next, position.clone(), look.clone()), Some((at, step))));
            });
            if look.is_none() {
                self.looks(state, &mut |next, look| {
                    let step = Step::Look(look.property, look.readers.clone());
                    fresh.push(((next, position.clone(), Some(Box::new(look))), Some((at, step))));
                });
            }
            let may_act = |number: usize, tuple: &Frame| {
                let actor = self.system.transitions[number].actor.map(|slot| tuple[usize::from(slot)]);
                look.as_ref().is_none_or(|look| actor.is_none_or(|actor| !look.readers.contains(&actor)))
            };
            if plans.is_empty() {
                for (number, transition) in self.system.transitions.iter().enumerate() {
                    for tuple in self.tuples(transition.params.len(), true) {
                        if !may_act(number, &tuple) {
                            continue;
                        }
                        for next in self.take(state, transition, &tuple) {
                            let step = Step::Take(number, tuple.clone());
                            fresh.push(((next, position.clone(), look.clone()), Some((at, step))));
                        }
                    }
                }
            }
            for (process, plan) in plans.iter().enumerate() {
                if let Some(Step::Take(number, tuple)) = plan.get(usize::from(position[process])) {
                    if !may_act(*number, tuple) {
                        continue;
                    }
                    for next in self.take(state, &self.system.transitions[*number], tuple) {
                        let mut position = position.clone();
                        position[process] += 1;
                        fresh.push(((next, position, look.clone()), Some((at, Step::Take(*number, tuple.clone())))));
                    }
                }
            }
            at += 1;
        }
        Search::Exhausted { states: nodes.len() }
    }

    /// The number of the property that holds, now or with what was seen at the last look.
    fn is_bad(&self, state: &State, look: Option<&Look>) -> Option<(State, usize)> {
        let Some(look) = look else {
            let found = self.matching(state.clone(), &self.system.bad);
            return found.into_iter().find_map(|(state, bad)| bad.map(|property| (state, property)));
        };
        let formula = &self.system.bad[look.property].formula;
        let ask = |state: &State| self.holds((state, Some(&look.seen)), formula, &mut look.tuple.clone(), None);
        let mut found = None;
        self.settle(state.clone(), &ask, &mut |state, holds| {
            if holds {
                found = Some((state, look.property));
            }
        });
        found
    }

    /// The ways to look for the last time, where others may go on afterwards.
    fn looks(&self, state: &State, found: &mut dyn FnMut(State, Look)) {
        if !self.weak {
            return;
        }
        for (number, property) in self.system.bad.iter().enumerate() {
            let mut accesses: Vec<Access> = Vec::new();
            property.formula.accesses(&mut |access| {
                if self.system.symbols[access.symbol].weak {
                    accesses.push(access.clone());
                }
            });
            if accesses.is_empty() {
                continue;
            }
            for tuple in self.tuples(property.params.len(), true) {
                let mut readers: Vec<u8> =
                    accesses.iter().filter_map(|access| access.by.map(|by| place(by, &tuple))).collect();
                readers.sort_unstable();
                readers.dedup();
                if tuple.iter().all(|process| readers.contains(process)) {
                    continue;
                }
                let ask = |state: &State| {
                    for access in &accesses {
                        self.access((state, None), access, &tuple, None)?;
                    }
                    Ok(())
                };
                self.settle(state.clone(), &ask, &mut |state, ()| {
                    let seen = state.clone();
                    let look = Look { property: number, tuple: tuple.clone(), seen, readers: readers.clone() };
                    found(state, look);
                });
            }
        }
    }

    fn trace(&self, nodes: &[(Node, Option<(usize, Step)>)], last: usize, end: &State, property: usize) -> Search {
        let mut steps = Vec::new();
        let mut states = Vec::new();
        let mut at = last;
        while let Some((from, step)) = &nodes[at].1 {
            steps.push(step.clone());
            states.push(if at == last { end.clone() } else { nodes[at].0.0.clone() });
            at = *from;
        }
        steps.reverse();
        states.reverse();
        let mut first = nodes[at].0.0.clone();
        // Constants that were chosen on the way were so from the beginning.
        for (cell, value) in first.memory.iter_mut().enumerate() {
            if self.system.symbols[self.owner[cell]].kind == Kind::Constant {
                *value = end.memory[cell];
            }
        }
        Search::Bad { first, steps, states, property }
    }
}

fn place(process: Process, frame: &Frame) -> u8 {
    match process {
        Process::Slot(slot) => frame[usize::from(slot)],
        Process::Fixed(process) => process,
    }
}

/// The numbers that a text mentions, and their neighbours.
fn numbers(system: &System) -> Vec<Value> {
    let mut found = vec![0, 1, 2];
    let mut term = |term: &Term| {
        if let Term::Sum(_, number) = term {
            found.extend([number - 1, *number, number + 1]);
        }
    };
    fn formula(of: &Formula, see: &mut dyn FnMut(&Term)) {
        match of {
            Formula::Bool(_) | Formula::Fence => {}
            Formula::Compare(_, left, right) => {
                see(left);
                see(right);
            }
            Formula::Not(inner) => formula(inner, see),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| formula(part, see)),
            Formula::Each { body, .. } => formula(body, see),
        }
    }
    for property in system.bad.iter().chain([&system.init]) {
        formula(&property.formula, &mut term);
    }
    for transition in &system.transitions {
        formula(&transition.guard, &mut term);
    }
    found.sort_unstable();
    found.dedup();
    found
}
