//! Exhaustive search over the states of a machine with store buffers.
//!
//! # The method
//! A state is, for each thread, where it is, its locals, its reservation and its buffer, and the memory. Each step runs
//! one instruction of a thread or lets one buffered write reach memory. All states are visited once. A path to a final
//! state is replayed with a history to show it as an execution.
//!
//! Programs that start threads have a machine of their own, in [`dynamic`].
//!
//! # What it can miss
//! Nothing, within the bound on loops, for models whose head describes their buffers: none (SC), one queue per thread
//! (TSO), one per thread and location (PSO). It counts states, not executions: final states have a count of 0 and no
//! example.

mod dynamic;
mod history;
mod machine;

use crate::layout::{Layout, Observation, gave_up, guarantee};
use engine::{Answer, Engine, FinalState, Findings, NoAnswer, Observer, Question, Refusal, Task};
use ir::{Location, State};
use machine::{Machine, Snapshot, Step, Stop};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use witness::Execution;

/// How many states are kept before the engine gives up.
const STATES: usize = 20_000_000;

/// The engine `buffers`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Operational;

impl Engine for Operational {
    fn name(&self) -> &'static str {
        "buffers"
    }

    fn about(&self) -> &'static str {
        "explicit search over store buffers (SC, TSO, PSO): slow, the judge"
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Refusal> {
        let violation = matches!(task.question, Question::Violation(_));
        match task.model.head.buffers {
            Some(_) if task.program.alone == violation => Ok(()),
            Some(_) => Err(Refusal {
                reason: "programs that start threads are asked for violations, litmus tests for final states"
                    .to_owned(),
                help: "ask the other question".to_owned(),
            }),
            None => Err(Refusal {
                reason: format!("the model {} has no reading with store buffers", task.model.name),
                help: "use the engine `enumerate`, or a model with `@buffers` in its head".to_owned(),
            }),
        }
    }

    fn run(&self, task: &Task<'_>, observer: &dyn Observer) -> Result<Answer, NoAnswer> {
        let Some(buffers) = task.model.head.buffers else {
            return gave_up("the model has no reading with store buffers");
        };
        if let Question::Violation(property) = task.question {
            return dynamic::search(task, buffers, property, observer);
        }
        let unrolled = ir::unroll(task.program, task.options.unwind);
        let layout = Layout::new(&unrolled.program);
        let machine = Machine::new(&unrolled.program, &layout, &task.model.head, buffers);
        let mut search = Search::new(task, &layout);
        let complete = search.run(&machine, observer)?;
        let cut = search.cut || (!complete && !unrolled.cut.is_empty());
        observer.phase("search", &format!("{} states", search.seen.len()));
        let findings = match task.question {
            Question::Reach(_) | Question::Violation(_) => Findings::Reach(search.reached(&machine)?),
            Question::States => {
                let bare = |state| FinalState { state, executions: 0, example: None, flags: Vec::new() };
                Findings::States(search.finals.into_iter().map(bare).collect())
            }
        };
        Ok(Answer {
            findings,
            guarantee: guarantee(&unrolled, task.options.unwind, cut),
            statistics: vec![("states".to_owned(), search.seen.len() as u64)],
        })
    }
}

/// The search: which states were seen, how each was reached, and what was found.
struct Search<'a> {
    task: &'a Task<'a>,
    layout: &'a Layout,
    observation: Observation<'a>,
    seen: FxHashSet<Snapshot>,
    /// For each state in the order of discovery, the one before and the step from there.
    origins: Vec<Option<(usize, Step)>>,
    finals: BTreeSet<State>,
    /// For each goal, the state that satisfies it.
    reached: Vec<Option<usize>>,
    cut: bool,
}

impl<'a> Search<'a> {
    fn new(task: &'a Task<'a>, layout: &'a Layout) -> Self {
        let goals = match task.question {
            Question::Reach(goals) => goals.len(),
            Question::States | Question::Violation(_) => 0,
        };
        Search {
            task,
            layout,
            observation: Observation::new(task),
            seen: FxHashSet::default(),
            origins: Vec::new(),
            finals: BTreeSet::new(),
            reached: vec![None; goals],
            cut: false,
        }
    }

    /// Visits all states, or fewer if every goal is reached before; says whether it was all.
    fn run(&mut self, machine: &Machine<'_>, observer: &dyn Observer) -> Result<bool, NoAnswer> {
        let mut pending = Vec::new();
        self.discover(machine.start(), None, &mut pending)?;
        while let Some((at, state)) = pending.pop() {
            if let Some(why) = observer.stop() {
                return Err(why);
            }
            if state.is_final() {
                self.finish(at, &state);
                if !self.reached.is_empty() && self.reached.iter().all(Option::is_some) {
                    return Ok(false);
                }
            }
            for step in machine.steps(&state) {
                self.discover(machine.apply(&state, step, None), Some((at, step)), &mut pending)?;
            }
        }
        Ok(true)
    }

    fn discover(
        &mut self,
        next: Result<Snapshot, Stop>,
        origin: Option<(usize, Step)>,
        pending: &mut Vec<(usize, Snapshot)>,
    ) -> Result<(), NoAnswer> {
        match next {
            Ok(state) => {
                if self.seen.insert(state.clone()) {
                    pending.push((self.origins.len(), state));
                    self.origins.push(origin);
                    if self.origins.len() > STATES {
                        return gave_up(format!("more than {STATES} states"));
                    }
                }
            }
            Err(Stop::Disabled) => {}
            Err(Stop::Cut) => self.cut = true,
            Err(Stop::Stray(what)) => return gave_up(what),
        }
        Ok(())
    }

    /// Notes what a final state satisfies.
    fn finish(&mut self, at: usize, end: &Snapshot) {
        let Some(state) = self.observation.state(|location| self.value(end, location)) else { return };
        match self.task.question {
            Question::Reach(goals) => {
                for (goal, reached) in goals.iter().zip(&mut self.reached) {
                    if reached.is_none() && goal.holds(&state) {
                        *reached = Some(at);
                    }
                }
            }
            Question::States => {
                self.finals.insert(self.observation.observed(&state));
            }
            Question::Violation(_) => {}
        }
    }

    fn value(&self, end: &Snapshot, location: Location) -> u64 {
        match location {
            Location::Local(thread, local) => end.local(thread.index(), local.index()),
            Location::Memory(address) => self.layout.cell(address.to_bits()).map_or(0, |cell| end.memory(cell)),
        }
    }

    /// The executions that lead to the goals.
    fn reached(&self, machine: &Machine<'_>) -> Result<Vec<Option<Execution>>, NoAnswer> {
        self.reached.iter().map(|at| at.map(|at| self.execution(machine, at)).transpose()).collect()
    }

    /// Goes the way to a state again and writes down what happens.
    fn execution(&self, machine: &Machine<'_>, at: usize) -> Result<Execution, NoAnswer> {
        let mut steps: Vec<Step> = Vec::new();
        let mut from = at;
        while let Some((before, step)) = self.origins[from] {
            steps.push(step);
            from = before;
        }
        let mut history = machine.history();
        let mut state = machine.start();
        for &step in steps.iter().rev() {
            state = state.and_then(|state| machine.apply(&state, step, Some(&mut history)));
        }
        match state {
            Ok(end) => {
                let state = self.observation.state(|location| self.value(&end, location)).unwrap_or_default();
                Ok(history.execution(self.observation.observed(&state)))
            }
            Err(_) => gave_up("internal: a path of the search cannot be gone again"),
        }
    }
}
