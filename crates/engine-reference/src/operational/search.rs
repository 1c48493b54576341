//! The search: which states were seen, how each was reached, and what was found.

use super::history::History;
use super::machine::{Halt, Machine, Notes, Step};
use super::state::{State, Status};
use crate::layout::{Observation, gave_up};
use engine::{Answer, FinalState, Findings, NoAnswer, Observer, Property, Question, Task};
use ir::{Op, System};
use model::Buffers;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use witness::{Execution, Violation};

/// How many states are visited before the engine gives up.
const STATES: usize = 20_000_000;

/// A step of a path: what is done, and the choices that are made in it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Move {
    action: Action,
    choices: Box<[u64]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    /// The threads that are there from the start begin.
    Begin,
    /// A thread runs.
    Run(u32),
    /// A write in the buffer of a thread, by its position, reaches memory.
    Drain(u32, u32),
}

/// Answers a question by visiting all states.
pub(super) fn search(task: &Task<'_>, buffers: Buffers, observer: &dyn Observer) -> Result<Answer, NoAnswer> {
    let property = match task.question {
        Question::Violation(property) => Some(property),
        Question::Reach(_) | Question::States => None,
    };
    let machine = Machine::new(task.program, &task.model.head, buffers, property, task.options);
    let mut notes = Notes::default();
    loop {
        let mut search = Search::new(task, &machine, notes, observer);
        let found = search.run()?;
        if let Outcome::Again(object, cuts) = found {
            notes = Notes { shared: search.notes.shared, cuts: search.notes.cuts, ..Notes::default() };
            match cuts {
                Some(cuts) => notes.cuts.entry(object).or_default().extend(cuts),
                None => _ = notes.shared.insert(object),
            }
            continue;
        }
        observer.phase("search", &format!("{} states", search.seen.len()));
        if let (Outcome::Nothing, Some(limit)) = (&found, &search.notes.limit) {
            return gave_up(limit.clone());
        }
        let loops: Vec<_> = search.notes.cut.iter().copied().collect();
        return Ok(Answer {
            findings: search.findings(found)?,
            guarantee: crate::loops::guarantee(task, loops),
            statistics: vec![("states".to_owned(), search.seen.len() as u64)],
        });
    }
}

enum Outcome {
    /// All states were visited, and there may be final ones among them.
    Nothing,
    /// Every final state that was asked for is there.
    Enough,
    /// The property fails.
    Found(Box<Execution>),
    /// This object is shared, or its cells must be cut there: the search was too coarse.
    Again(ir::ObjectId, Option<[u64; 2]>),
}

struct Search<'m, 'a> {
    task: &'m Task<'a>,
    machine: &'m Machine<'a>,
    observer: &'m dyn Observer,
    observation: Observation<'a>,
    notes: Notes,
    seen: FxHashSet<u128>,
    /// For each state in the order of discovery, the one before and the way from there.
    origins: Vec<(usize, Move)>,
    pending: Vec<(usize, State)>,
    finals: BTreeSet<ir::State>,
    /// For each final state that is asked for, the number of a state that satisfies it.
    reached: Vec<Option<usize>>,
}

impl<'m, 'a> Search<'m, 'a> {
    fn new(task: &'m Task<'a>, machine: &'m Machine<'a>, notes: Notes, observer: &'m dyn Observer) -> Self {
        let goals = match task.question {
            Question::Reach(goals) => goals.len(),
            Question::States | Question::Violation(_) => 0,
        };
        Search {
            task,
            machine,
            observer,
            observation: Observation::new(task),
            notes,
            seen: FxHashSet::default(),
            origins: Vec::new(),
            pending: Vec::new(),
            finals: BTreeSet::new(),
            reached: vec![None; goals],
        }
    }

    fn run(&mut self) -> Result<Outcome, NoAnswer> {
        let start = State::new(self.machine.program, &self.notes.cuts);
        let mut found = self.explore(usize::MAX, &start, Action::Begin)?;
        while let (Outcome::Nothing, Some((at, state))) = (&found, self.pending.pop()) {
            if self.machine.property == Some(Property::Deadlock)
                && let Some(execution) = self.deadlock(at, &state)?
            {
                return Ok(Outcome::Found(Box::new(execution)));
            }
            if self.machine.property.is_none() && state.is_final() {
                self.finish(at, &state);
                if !self.reached.is_empty() && self.reached.iter().all(Option::is_some) {
                    return Ok(Outcome::Enough);
                }
            }
            for action in self.moves(&state) {
                found = self.explore(at, &state, action)?;
                if !matches!(found, Outcome::Nothing) {
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Notes what a final state satisfies.
    fn finish(&mut self, at: usize, end: &State) {
        let Some(state) = self.observation.state(|location| end.last(location)) else { return };
        match self.task.question {
            Question::Reach(goals) => {
                for (goal, reached) in goals.iter().zip(&mut self.reached) {
                    if reached.is_none() && goal.holds(&state) {
                        *reached = Some(at);
                    }
                }
            }
            Question::States => _ = self.finals.insert(self.observation.observed(&state)),
            Question::Violation(_) => {}
        }
    }

    fn findings(&mut self, found: Outcome) -> Result<Findings, NoAnswer> {
        Ok(match self.task.question {
            Question::Violation(_) => Findings::Reach(vec![match found {
                Outcome::Found(execution) => Some(*execution),
                Outcome::Nothing | Outcome::Enough | Outcome::Again(..) => None,
            }]),
            Question::Reach(_) => {
                let reached = self.reached.clone();
                let ends = reached.into_iter().map(|at| at.map(|at| self.ending(at)).transpose());
                Findings::Reach(ends.collect::<Result<_, _>>()?)
            }
            Question::States => {
                let bare = |state| FinalState { state, executions: 0, example: None, flags: Vec::new() };
                Findings::States(std::mem::take(&mut self.finals).into_iter().map(bare).collect())
            }
        })
    }

    /// The execution that ends in a final state.
    fn ending(&mut self, at: usize) -> Result<Execution, NoAnswer> {
        let (record, end) = self.path(at, None)?;
        let state = self.observation.state(|location| end.last(location)).unwrap_or_default();
        Ok(Execution { finals: self.observation.observed(&state), ..self.execution(record, &end) })
    }

    fn moves(&self, state: &State) -> Vec<Action> {
        let mut moves = Vec::new();
        for (at, thread) in state.threads.iter().enumerate() {
            if thread.status == Status::Runs {
                moves.push(Action::Run(at as u32));
            }
            let positions = (0..thread.buffer.len()).filter(|&i| self.machine.may_drain(&thread.buffer, i));
            moves.extend(positions.map(|position| Action::Drain(at as u32, position as u32)));
        }
        moves
    }

    /// Takes a step with all choices that it leads to.
    fn explore(&mut self, from: usize, state: &State, action: Action) -> Result<Outcome, NoAnswer> {
        let mut open: Vec<Vec<u64>> = vec![Vec::new()];
        while let Some(choices) = open.pop() {
            // One step with many choices can take longer than all others.
            if let Some(why) = self.observer.stop() {
                return Err(why);
            }
            let result = self.step(state.clone(), action, &choices, None).1;
            let this = Move { action, choices: choices.clone().into() };
            match result {
                Ok(next) => {
                    if self.seen.insert(next.fingerprint()) {
                        self.pending.push((self.origins.len(), next));
                        self.origins.push((from, this));
                        if self.origins.len() > STATES {
                            return gave_up(format!("more than {STATES} states"));
                        }
                    }
                }
                Err(Halt::Disabled { waits: _ }) => {}
                Err(Halt::Choose(values)) => {
                    open.extend(values.into_iter().map(|value| [&choices[..], &[value]].concat()));
                }
                Err(Halt::Violation(violation)) => {
                    let (record, last) = self.path(from, Some(&this))?;
                    let execution = Execution { violation: Some(violation), ..self.execution(record, &last) };
                    return Ok(Outcome::Found(Box::new(execution)));
                }
                Err(Halt::Limit(what)) => self.notes.limit = Some(what),
                Err(Halt::Conflict(object)) => return Ok(Outcome::Again(object, None)),
                Err(Halt::Part(object, cuts)) => return Ok(Outcome::Again(object, Some(cuts))),
            }
        }
        Ok(Outcome::Nothing)
    }

    /// Takes a step. Gives the state in which it ends, in any case, and what comes of it.
    fn step(
        &mut self,
        state: State,
        action: Action,
        choices: &[u64],
        record: Option<&mut History>,
    ) -> (State, Result<State, Halt>) {
        let (machine, notes) = (self.machine, &mut self.notes);
        let mut step = Step { machine, state, choices, chosen: 0, record, notes, born: Vec::new(), wrote: false };
        let result = match action {
            Action::Begin => {
                machine.program.threads.iter().for_each(|thread| _ = step.create(thread.body, Vec::new()));
                (0..machine.program.threads.len()).try_for_each(|at| step.run(at, false))
            }
            Action::Run(at) => step.run(at as usize, true),
            Action::Drain(at, position) => {
                let at = at as usize;
                let thread = &mut step.state.threads[at];
                let entry = thread.buffer.remove(position as usize);
                if thread.buffer.is_empty() {
                    thread.epoch = 0;
                }
                step.note(|record| record.land(at, entry.id));
                let mut cells = entry.cells.iter();
                let landed = cells.all(|&(address, value)| step.state.land(at, address, value, Some(entry.id)));
                if landed { Ok(()) } else { Err(Halt::Disabled { waits: false }) }
            }
        };
        let state = step.state;
        match result {
            Ok(()) => (state.clone(), Ok(state)),
            Err(halt) => (state, Err(halt)),
        }
    }

    /// Goes the way to a state again, and one step further, and writes down what happens.
    fn path(&mut self, to: usize, last: Option<&Move>) -> Result<(History, State), NoAnswer> {
        let mut moves: Vec<Move> = last.cloned().into_iter().collect();
        let mut from = to;
        while let Some((before, this)) = self.origins.get(from) {
            moves.push(this.clone());
            from = *before;
        }
        let mut record = History::new(self.machine.program);
        let mut state = State::new(self.machine.program, &self.notes.cuts);
        for (left, this) in moves.iter().rev().enumerate() {
            let is_last = last.is_some() && left + 1 == moves.len();
            let (end, result) = self.step(state, this.action, &this.choices, Some(&mut record));
            match result {
                Err(_) if !is_last => return gave_up("internal: a path of the search cannot be gone again"),
                Ok(_) | Err(_) => state = end,
            }
        }
        Ok((record, state))
    }

    fn execution(&self, record: History, state: &State) -> Execution {
        let program = self.machine.program;
        let threads: Vec<_> = state.threads.iter().map(|thread| thread.body).collect();
        let made = state.objects.iter().skip(program.objects.len()).map(|object| object.shown()).collect();
        let begin = State::new(program, &self.notes.cuts);
        let own = self.notes.cuts.keys().filter(|object| object.index() < program.objects.len());
        let refined = own.map(|&object| (object, begin.objects[object.index()].initial())).collect();
        record.execution(program, &threads, made, refined)
    }

    /// Whether all threads have ended or wait for ever, and one waits.
    fn deadlock(&mut self, from: usize, state: &State) -> Result<Option<Execution>, NoAnswer> {
        let mut waiting = None;
        let mut sections = Vec::new();
        for (at, thread) in state.threads.iter().enumerate() {
            if !thread.buffer.is_empty() {
                return Ok(None);
            }
            let span = match &thread.status {
                Status::Ended(_) => continue,
                Status::Waits(_, taint) if taint.stale => return Ok(None),
                Status::Waits(span, _) => *span,
                Status::Stopped => return Ok(None),
                Status::Runs => {
                    let Some(instr) = self.machine.next(thread) else { return Ok(None) };
                    let place = self.machine.here(thread).unwrap_or(instr.span);
                    match &instr.op {
                        Op::System(System::Join { .. }) if self.is_stuck(state, at) => place,
                        Op::System(System::AtomicBegin) => match self.waits_in_section(state, at) {
                            Some(choices) => {
                                sections.push((at, choices));
                                place
                            }
                            None => return Ok(None),
                        },
                        Op::System(_)
                        | Op::Assign { .. }
                        | Op::Load { .. }
                        | Op::Store { .. }
                        | Op::Rmw { .. }
                        | Op::StoreConditional { .. }
                        | Op::Fence { .. }
                        | Op::Assume { .. } => return Ok(None),
                    }
                }
            };
            waiting = waiting.or(Some((at, span)));
        }
        let Some((at, span)) = waiting else { return Ok(None) };
        let (mut record, mut end) = self.path(from, None)?;
        let mut span = span;
        for (thread, choices) in sections {
            // The section does not take place, but what it read says why.
            let action = Action::Run(thread as u32);
            let after = self.step(end.clone(), action, &choices, Some(&mut record)).0;
            if thread == at {
                span = self.machine.here(&after.threads[thread]).unwrap_or(span);
            }
            record.abandon();
            end.objects = after.objects;
        }
        let violation = Violation { thread: ir::ThreadId(at as u32), span, message: "deadlock".to_owned() };
        Ok(Some(Execution { violation: Some(violation), ..self.execution(record, &end) }))
    }

    /// Whether a thread cannot take a step.
    fn is_stuck(&mut self, state: &State, at: usize) -> bool {
        matches!(self.step(state.clone(), Action::Run(at as u32), &[], None).1, Err(Halt::Disabled { .. }))
    }

    /// Choices with which the section that a thread stands before comes to a wait that does not end.
    fn waits_in_section(&mut self, state: &State, at: usize) -> Option<Vec<u64>> {
        let mut open: Vec<Vec<u64>> = vec![Vec::new()];
        while let Some(choices) = open.pop() {
            match self.step(state.clone(), Action::Run(at as u32), &choices, None).1 {
                Err(Halt::Disabled { waits: true }) => return Some(choices),
                Err(Halt::Choose(values)) => {
                    open.extend(values.into_iter().map(|value| [&choices[..], &[value]].concat()));
                }
                Ok(_)
                | Err(Halt::Disabled { waits: false })
                | Err(Halt::Violation(_) | Halt::Limit(_) | Halt::Conflict(_) | Halt::Part(..)) => {}
            }
        }
        None
    }
}
