//! Enumeration of candidate executions, filtered by the model's axioms.
//!
//! # The method
//! Each thread is run with every read taking every value that its cell may hold; which values these are is found by
//! iteration from the initial ones. Then: one trace for each thread, for each read a write of its cell and value, for
//! each cell an order of its writes, and the axioms decide. An execution is such a choice; executions that differ only
//! in which store-conditionals fail are different.
//!
//! # What it can miss
//! Executions beyond the bound on loops, as the guarantee says, and executions with values out of thin air: a value is
//! tried only if it follows from the initial values in as many rounds as there can be writes.

mod candidate;
mod judge;
#[cfg(test)]
mod tests;
mod trace;

use crate::layout::{Layout, Observation, gave_up};
use crate::loops::Loops;
use candidate::{Candidate, Choices};
use engine::{Answer, Engine, FinalState, Findings, NoAnswer, Observer, Question, Refusal, Task};
use ir::{Address, BlockId, Expr, Function, Op, Program, State, System, Terminator, ThreadId, Width};
use judge::Judge;
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use trace::{Domain, Trace, Traces, traces};
use witness::Execution;

/// The engine `enumerate`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Axiomatic;

impl Engine for Axiomatic {
    fn name(&self) -> &'static str {
        "enumerate"
    }

    fn about(&self) -> &'static str {
        "enumeration of candidate executions, any model: slow, the judge"
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Refusal> {
        let plain = !task.program.begins_alone() && !task.program.functions.iter().any(asks_the_system);
        if plain && task.question.is_about_ends() {
            return Ok(());
        }
        Err(Refusal {
            reason: "the engine `enumerate` takes litmus tests, not programs that start threads".to_owned(),
            help: "use the engine `buffers` or `partial-order`".to_owned(),
        })
    }

    fn run(&self, task: &Task<'_>, observer: &dyn Observer) -> Result<Answer, NoAnswer> {
        let layout = Layout::new(task.program);
        let loops = Loops::new(task.program, task.options);
        let threads = all_traces(task.program, (&layout, &loops), observer)?;
        let counts: Vec<String> = threads.iter().map(|traces| traces.all.len().to_string()).collect();
        observer.phase("traces", &counts.join(" × "));
        let mut enumeration = Enumeration::new(task, &layout, observer);
        enumeration.combine(&threads, &writes_to_come(&threads), &mut Vec::new())?;
        let findings = match task.question {
            Question::Reach(_) | Question::Violation(_) => Findings::Reach(enumeration.reached),
            Question::States => Findings::States(enumeration.finals.into_values().collect()),
        };
        let cut: BTreeSet<Span> = threads.iter().flat_map(|traces| traces.cut.iter().copied()).collect();
        let loops = Vec::from_iter(cut);
        Ok(Answer {
            findings,
            guarantee: crate::loops::guarantee(task, loops),
            statistics: vec![
                ("candidates".to_owned(), enumeration.candidates),
                ("executions".to_owned(), enumeration.executions),
            ],
        })
    }
}

/// Whether a function wants more than a truth value that can be anything.
fn asks_the_system(function: &Function) -> bool {
    function.blocks.iter().flat_map(|block| &block.instrs).any(|instr| match &instr.op {
        Op::System(System::Nondet { dst }) => function.locals[dst.index()].width != Width::BOOL,
        Op::System(_) => true,
        Op::Assign { .. }
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::Rmw { .. }
        | Op::StoreConditional { .. }
        | Op::Fence { .. }
        | Op::Assume { .. } => false,
    })
}

/// The traces of every thread over all values that the cells may hold.
fn all_traces(
    program: &Program,
    (layout, loops): (&Layout, &Loops<'_>),
    observer: &dyn Observer,
) -> Result<Vec<Traces>, NoAnswer> {
    let mut domain: Domain = layout.initial.iter().map(|&value| BTreeSet::from([value])).collect();
    let mut rounds = 0;
    loop {
        let ids = (0..program.threads.len()).map(|at| ThreadId(at as u32));
        let threads: Result<Vec<Traces>, NoAnswer> =
            ids.map(|thread| traces(program, (layout, loops), thread, &domain, observer)).collect();
        let threads = threads?;
        let before = domain.clone();
        let mut writes_at_most = 0;
        for thread in &threads {
            let mut longest = 0;
            for trace in &thread.all {
                longest = longest.max(trace.writes().map(|(cell, value)| domain[cell].insert(value)).count());
            }
            writes_at_most += longest;
        }
        rounds += 1;
        // Each round follows the values through one more write, and no execution has more writes than this.
        if domain == before || rounds > writes_at_most {
            // A write of a constant may stand behind a branch that only its own value opens: then no trace goes that way, and
            // its value is tried everywhere.
            let hidden = hidden_constants(program, &threads);
            if domain.iter().all(|values| hidden.is_subset(values)) {
                return Ok(threads);
            }
            domain.iter_mut().for_each(|values| values.extend(&hidden));
            rounds = 0;
        }
    }
}

/// The constants in the blocks that no trace passes; and in all blocks of a thread with a branch that no trace takes both ways.
fn hidden_constants(program: &Program, threads: &[Traces]) -> BTreeSet<u64> {
    let mut found = BTreeSet::new();
    for (at, traces) in threads.iter().enumerate() {
        let blocks =
            || program.body(ThreadId(at as u32)).blocks.iter().enumerate().map(|(at, b)| (BlockId(at as u32), b));
        let one_way = blocks().any(|(from, block)| match &block.terminator {
            Terminator::Branch { then, otherwise, .. } => {
                [then, otherwise].into_iter().any(|&to| !traces.steps.contains(&(from, to)))
            }
            Terminator::Goto(_) | Terminator::Return(_) | Terminator::Exit(_) | Terminator::Cut { .. } => false,
        });
        let hidden = blocks().filter(|(number, _)| one_way || !traces.passed.contains(number));
        for instr in hidden.flat_map(|(_, block)| &block.instrs) {
            match &instr.op {
                Op::Store { value, .. }
                | Op::Rmw { value, .. }
                | Op::StoreConditional { value, .. }
                | Op::Assign { value, .. } => collect_constants(value, &mut found),
                Op::Load { .. } | Op::Fence { .. } | Op::Assume { .. } | Op::System(_) => {}
            }
        }
    }
    found
}

fn collect_constants(expr: &Expr, found: &mut BTreeSet<u64>) {
    match expr {
        Expr::Const(value, _) => {
            found.insert(*value);
        }
        Expr::Address(object, offset) => {
            found.insert(Address { object: *object, offset: *offset }.to_bits());
        }
        Expr::Local(_) => {}
        Expr::Unary(_, operand) => collect_constants(operand, found),
        Expr::Binary(_, left, right) => {
            collect_constants(left, found);
            collect_constants(right, found);
        }
        Expr::Select(condition, then, otherwise) => {
            collect_constants(condition, found);
            collect_constants(then, found);
            collect_constants(otherwise, found);
        }
    }
}

/// The enumeration and what it has found so far.
struct Enumeration<'a> {
    task: &'a Task<'a>,
    layout: &'a Layout,
    observer: &'a dyn Observer,
    observation: Observation<'a>,
    candidates: u64,
    executions: u64,
    finals: BTreeMap<State, FinalState>,
    reached: Vec<Option<Execution>>,
}

impl<'a> Enumeration<'a> {
    fn new(task: &'a Task<'a>, layout: &'a Layout, observer: &'a dyn Observer) -> Self {
        let goals = match task.question {
            Question::Reach(goals) => goals.len(),
            Question::States | Question::Violation(_) => 0,
        };
        Enumeration {
            task,
            layout,
            observer,
            observation: Observation::new(task),
            candidates: 0,
            executions: 0,
            finals: BTreeMap::new(),
            reached: vec![None; goals],
        }
    }

    fn is_done(&self) -> bool {
        !self.reached.is_empty() && self.reached.iter().all(Option::is_some)
    }

    /// Judges all choices of one trace per thread.
    ///
    /// A thread's trace is chosen only if its reads, and those of the threads before it, can still find their writes:
    /// among the initial ones, those of the traces chosen, and all that the threads to come can make.
    fn combine<'t>(
        &mut self,
        threads: &'t [Traces],
        to_come: &[BTreeSet<(usize, u64)>],
        chosen: &mut Vec<&'t Trace>,
    ) -> Result<(), NoAnswer> {
        let Some(next) = threads.get(chosen.len()) else { return self.judge(chosen) };
        for trace in &next.all {
            if self.is_done() {
                return Ok(());
            }
            if let Some(why) = self.observer.stop() {
                return Err(why);
            }
            chosen.push(trace);
            let made: BTreeSet<(usize, u64)> = chosen.iter().flat_map(|trace| trace.writes()).collect();
            let later = &to_come[chosen.len()];
            let found =
                |at: &(usize, u64)| self.layout.initial[at.0] == at.1 || made.contains(at) || later.contains(at);
            if chosen.iter().flat_map(|trace| trace.reads()).all(|read| found(&read)) {
                self.combine(threads, to_come, chosen)?;
            }
            chosen.pop();
        }
        Ok(())
    }

    /// Judges all executions of a choice of traces.
    fn judge(&mut self, chosen: &[&Trace]) -> Result<(), NoAnswer> {
        let Some(candidate) = Candidate::new(self.layout, chosen) else { return Ok(()) };
        let structure = candidate.structure(self.task.program);
        let mut judge = Judge::new(self.task.model, &structure);
        let orders = candidate.orders();
        for order in Choices::new(orders.iter().map(Vec::len).collect()) {
            let order: Vec<&Vec<usize>> = orders.iter().zip(&order).map(|(orders, &at)| &orders[at]).collect();
            let co = candidate.co(&order);
            for sources in candidate.sources() {
                if let Some(why) = self.observer.stop() {
                    return Err(why);
                }
                self.candidates += 1;
                if !judge.allows(&candidate.rf(&sources), &co) {
                    continue;
                }
                if let Some(stray) = chosen.iter().find_map(|trace| trace.stray.as_ref()) {
                    return gave_up(stray);
                }
                let value = |location| candidate.value(location, &order);
                if let Some(state) = self.observation.state(value) {
                    let execution = |finals| candidate.execution(&sources, &order, finals);
                    self.record(&state, execution, || judge.flags());
                }
                if self.is_done() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Notes an execution that the model allows.
    fn record(&mut self, state: &State, execution: impl Fn(State) -> Execution, flags: impl FnOnce() -> Vec<String>) {
        self.executions += 1;
        let observed = self.observation.observed(state);
        match self.task.question {
            Question::Reach(goals) => {
                for (goal, reached) in goals.iter().zip(&mut self.reached) {
                    if reached.is_none() && goal.holds(state) {
                        *reached = Some(execution(observed.clone()));
                    }
                }
            }
            Question::States => {
                let entry = self.finals.entry(observed.clone()).or_insert_with(|| FinalState {
                    state: observed.clone(),
                    executions: 0,
                    example: Some(execution(observed)),
                    flags: Vec::new(),
                });
                entry.executions += 1;
                entry.flags.extend(flags());
                entry.flags.sort();
                entry.flags.dedup();
            }
            Question::Violation(_) => {}
        }
    }
}

/// For each number of threads chosen, the writes that the other threads can make: cell and value.
fn writes_to_come(threads: &[Traces]) -> Vec<BTreeSet<(usize, u64)>> {
    let mut sets = vec![BTreeSet::new(); threads.len() + 1];
    for at in (0..threads.len()).rev() {
        let own = threads[at].all.iter().flat_map(Trace::writes);
        sets[at] = sets[at + 1].iter().copied().chain(own).collect();
    }
    sets
}
