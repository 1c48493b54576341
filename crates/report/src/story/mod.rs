//! How a property comes to fail, told step by step.
//!
//! `order` finds an order of everything that happens, `words` says what happens in each step. Both know nothing about
//! formats.

mod call;
mod moments;
mod order;
mod wait;
mod words;

use crate::graph::Graph;
use crate::names::Names;
use crate::replay::Replay;
use ir::{Address, Op, Program, System};
use model::Structure;
use order::{Discipline, End};
use serde::Serialize;
use source::Span;
use witness::{Event, Execution, Violation};

pub(crate) use order::FULL;

/// What failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FailureKind {
    /// An assertion.
    Assertion,
    /// A function was called that must not be: `reach_error`.
    Reached,
    /// An access outside of all objects.
    Memory,
    /// A division by zero.
    Arithmetic,
    /// All threads have ended or wait.
    Deadlock,
    /// Two threads are in a critical section.
    Critical,
    /// Nothing orders two accesses to one location.
    Race,
}

/// The property that fails, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// What kind of property it is.
    pub kind: FailureKind,
    /// The text of the assertion, or a description.
    pub message: String,
    /// The number of the thread.
    pub thread: u32,
    /// The line, from 1.
    pub line: u32,
    /// The file that the line is in, if it is not the one that the user named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line for the reader: `12`, `queue.h:12`.
    #[serde(skip)]
    pub mark: String,
    /// The column, from 1.
    pub column: u32,
    /// The line's text, without the blanks around it.
    pub source: String,
}

/// What the steps of a story have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Telling {
    /// The threads take turns; every write reaches memory at once.
    Turns,
    /// The threads take turns; some writes reach memory later.
    Delayed,
    /// The steps are in the order in which they take effect, which is not that of the program.
    Early,
    /// There is no order that explains the execution: the threads see writes in different orders, or do not even keep
    /// dependencies.
    Apart,
}

/// What kind of step it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// A thread executes a line or a part of it.
    Run,
    /// Writes that were issued earlier reach memory.
    Arrive,
    /// The property fails.
    Fail,
}

/// A step of a story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoryStep {
    /// Its number, from 1.
    pub number: usize,
    /// What kind of step it is.
    pub kind: StepKind,
    /// Whose it is; a deadlock is nobody's.
    pub thread: Option<u32>,
    /// The events of the execution that happen here.
    pub events: Vec<usize>,
    /// The line, from 1; 0 if there is none.
    pub line: u32,
    /// The file that the line is in, if it is not the one that the user named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line for the reader: `12`, `queue.h:12`.
    #[serde(skip)]
    pub mark: String,
    /// The line's text, without the blanks around it.
    pub source: String,
    /// What happens.
    pub what: String,
}

impl StoryStep {
    /// A step of nobody in no line.
    fn nowhere() -> StoryStep {
        StoryStep {
            number: 0,
            kind: StepKind::Run,
            thread: None,
            events: Vec::new(),
            line: 0,
            file: None,
            mark: String::new(),
            source: String::new(),
            what: String::new(),
        }
    }
}

/// A thread that waits for ever.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// The number of the thread.
    pub thread: u32,
    /// The line, from 1.
    pub line: u32,
    /// The file that the line is in, if it is not the one that the user named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line for the reader: `12`, `queue.h:12`.
    #[serde(skip)]
    pub mark: String,
    /// The line's text, without the blanks around it.
    pub source: String,
    /// What it waits for, if that can be seen.
    pub what: String,
}

/// How a property comes to fail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Story {
    /// What fails.
    pub failure: Failure,
    /// What the steps have in common.
    pub telling: Telling,
    /// What the locations hold at first that the steps touch: a location and its value each.
    pub initial: Vec<(String, String)>,
    /// The steps; none if no order explains the execution.
    pub steps: Vec<StoryStep>,
    /// What the locations hold that the assertion mentions, when it fails.
    pub state: Vec<(String, String)>,
    /// For a deadlock, who waits.
    pub waiting: Vec<Waiting>,
    /// The writes that are executed, but not in memory when the property fails.
    pub pending: Vec<usize>,
}

/// Messages longer than this are cut.
const LONGEST_LINE: usize = 200;

/// The text of the line of a span, without the blanks around it and without a comment at its end.
pub(crate) fn line_text(program: &Program, span: Span) -> String {
    let text = program.source.line_text(span);
    let code = text.split("//").next().unwrap_or("");
    let code = match code.rfind("/*") {
        Some(at) if code.trim_end().ends_with("*/") && !code[..at].trim().is_empty() => &code[..at],
        Some(_) | None => code,
    };
    code.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LONGEST_LINE).collect()
}

/// Whether a message is that of a call that must not happen.
fn is_ending(message: &str) -> bool {
    let name = message.split('(').next().unwrap_or_default();
    let ends = ["exit", "_exit", "_Exit", "quick_exit", "err", "errx", "verr", "verrx"].contains(&name);
    let plain = ["reach_error", "__VERIFIER_error", "abort", "__builtin_trap", "__builtin_abort"].contains(&name);
    message.ends_with(')') && (ends || plain && message.ends_with("()"))
}

/// What fails, by the instruction that the violation names.
fn failure(program: &Program, execution: &Execution, violation: &Violation, names: &Names<'_>) -> Failure {
    let mut instrs = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|block| &block.instrs);
    let asserted = |op: &Op| matches!(op, Op::System(System::Assert { message, .. }) if *message == violation.message);
    let mut message = violation.message.split_whitespace().collect::<Vec<_>>().join(" ");
    let kind = if violation.message == witness::TWO_INSIDE {
        // An execution that cannot be replayed is no evidence anyway.
        let inside = witness::inside(program, execution).unwrap_or_default();
        if let Some(&(other, span)) = inside.iter().find(|(thread, _)| *thread != violation.thread) {
            message += &format!(": {} entered it in {}", names.thread(other), program.source.place(span));
        }
        FailureKind::Critical
    } else if violation.message == races::RACE || violation.message == witness::UNORDERED {
        message = race(program, execution, violation, names);
        FailureKind::Race
    } else if is_ending(&violation.message) {
        FailureKind::Reached
    } else if violation.message == ir::DIVISION {
        FailureKind::Arithmetic
    } else if instrs.any(|instr| asserted(&instr.op)) && !ir::faults::is_fault(&violation.message) {
        FailureKind::Assertion
    } else if violation.message == "deadlock" {
        FailureKind::Deadlock
    } else {
        FailureKind::Memory
    };
    let place = program.source.position(violation.span.start);
    let (file, mark) = crate::graph::file_and_mark(program, violation.span);
    Failure {
        kind,
        message,
        thread: violation.thread.0,
        line: place.line,
        file,
        mark,
        column: place.column,
        source: line_text(program, violation.span),
    }
}

/// A data race in words: where it is, and who does what to it in which line.
fn race(program: &Program, execution: &Execution, violation: &Violation, names: &Names<'_>) -> String {
    let own = |event: &&Event| event.thread == Some(violation.thread) && event.span == violation.span;
    let line = |span| program.source.place(span);
    // At a watchpoint, the last event of the one thread reads what the other one has left there.
    let found = execution.events.iter().enumerate().filter(|(_, event)| own(event)).rev().find_map(|(at, event)| {
        let cell = event.address().filter(|cell| races::watched(program, cell.object))?;
        let (writer, _) = execution.rf.iter().find(|(_, read)| read.index() == at)?;
        let other = &execution.events[writer.index()];
        let location = Address::from_bits(other.value()?)?;
        Some((location, other.thread?, races::watches_writes(cell), line(other.span)))
    });
    let Some((location, thread, writes, at)) = found else { return "data race".to_owned() };
    let does = if writes { "writes" } else { "reads" };
    format!("data race on `{}`: {} {does} it in {at}", names.address(location), names.thread(thread))
}

impl Failure {
    /// What fails and where, in a sentence without an end: ``assertion `x == 1` fails in thread t1, line 12``.
    pub fn sentence(&self, threads: &[String]) -> String {
        let thread = threads.get(self.thread as usize).map_or("?", String::as_str);
        let line = source::line_words(&self.mark);
        let place = format!("in thread {thread}, {line}");
        match self.kind {
            FailureKind::Assertion => format!("assertion `{}` fails {place}", self.message),
            FailureKind::Reached => format!("`{}` is called {place}", self.message),
            FailureKind::Arithmetic => format!("{} {place}", self.message),
            FailureKind::Memory => match self.message.split_once(": ") {
                Some((what, more)) => format!("{what} {place} ({more})"),
                None => format!("{} {place}", self.message),
            },
            FailureKind::Critical => match self.message.split_once(": ") {
                Some((what, other)) => format!("{what}: {other}, {thread} enters it in {line}"),
                None => format!("{} {place}", self.message),
            },
            FailureKind::Race => match self.message.split_once(": ") {
                Some(_) => {
                    format!("{}, {thread} accesses it in {line}, and nothing orders them", self.message)
                }
                None => format!("{} {place}", self.message),
            },
            FailureKind::Deadlock => "deadlock: every thread has ended or waits for ever".to_owned(),
        }
    }
}

/// How an execution comes about: what fails, if something does, and the steps, if an order of all that happens explains it.
/// The graph needs its events and edges.
pub(crate) fn tell(
    program: &Program,
    execution: &Execution,
    structure: &Structure,
    graph: &Graph,
    names: &Names<'_>,
) -> (Option<Story>, Option<Replay>) {
    let failure = execution.violation.as_ref().map(|violation| failure(program, execution, violation, names));
    let (end, deadlock) = match (&failure, &execution.violation) {
        (Some(failure), Some(violation)) => (end(failure, violation), failure.kind == FailureKind::Deadlock),
        (_, _) => (End::Last, false),
    };
    let waiting = if deadlock { wait::waiting(program, execution, structure, graph, names) } else { Vec::new() };
    let mut story = failure.map(|failure| Story {
        failure,
        telling: Telling::Apart,
        initial: Vec::new(),
        steps: Vec::new(),
        state: Vec::new(),
        waiting,
        pending: Vec::new(),
    });
    let Some(order) = order::order(structure, end) else { return (story, None) };
    let teller = words::Teller::new(program, execution, structure, (graph, names), &order.points);
    let delayed = teller.has_delays();
    let telling = match order.discipline {
        Discipline::Early => Telling::Early,
        Discipline::Turns | Discipline::Queue | Discipline::Queues | Discipline::Light if !delayed => Telling::Turns,
        Discipline::Turns | Discipline::Queue | Discipline::Queues | Discipline::Light => Telling::Delayed,
    };
    let steps = teller.steps(story.as_ref().map(|story| &story.failure));
    let moments = teller.moments(steps.len());
    if let Some(story) = &mut story {
        story.telling = telling;
        story.steps.clone_from(&steps);
        story.initial = teller.initial();
        story.state = teller.state(&story.failure);
        story.pending = teller.pending();
    }
    (story, Some(Replay { telling, steps, moments }))
}

/// Where the failure stands among all that happens.
fn end(failure: &Failure, violation: &Violation) -> End {
    match failure.kind {
        FailureKind::Assertion | FailureKind::Reached | FailureKind::Memory | FailureKind::Arithmetic => {
            End::After(failure.thread)
        }
        FailureKind::Critical => End::Executed,
        FailureKind::Race if violation.message == witness::UNORDERED => End::Executed,
        FailureKind::Race => End::After(failure.thread),
        FailureKind::Deadlock => End::Last,
    }
}

impl Story {
    /// Whether the second of two events takes effect before the first in this story.
    pub fn inverts(&self, first: usize, second: usize) -> bool {
        let effect = |event: usize| {
            let mut steps = self.steps.iter().rev().filter(|step| step.events.contains(&event));
            if self.pending.contains(&event) { Some(usize::MAX) } else { steps.next().map(|step| step.number) }
        };
        effect(first).zip(effect(second)).is_some_and(|(first, second)| first > second)
    }
}

/// Whether a piece of source calls the thread library: what it does to memory is not the program's business.
pub(crate) fn is_thread_call(source: &str) -> bool {
    call::call(source).is_some()
}

/// Where threads of a function are started, if that is one place.
pub(crate) fn spawn_place(program: &Program, function: ir::FunctionId) -> Option<Span> {
    let instrs = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|block| &block.instrs);
    let starts = |op: &Op| matches!(op, Op::System(System::Spawn { function: other, .. }) if *other == function);
    let mut places = instrs.filter(|instr| starts(&instr.op)).map(|instr| instr.span);
    places.next().filter(|_| places.next().is_none())
}
