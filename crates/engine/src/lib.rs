//! What an engine is: tasks, answers, guarantees, limits, observers.
//!
//! An [`Engine`] gets a [`Task`] (a program, a model, a question) and gives an [`Answer`]. It never prints, never reads
//! files, and checks its [`Observer`] for cancellation. What it finds is evidence, not truth: `session` has it checked
//! by `witness` before anybody is told.

mod cube;
mod family;
mod guarantee;
mod meter;
mod options;
mod record;
mod systems;

pub use cube::{CUBE, Cube};
pub use family::{Alternative, Choices, Family, Half, Marked};
pub use guarantee::{Bound, Guarantee, UNWIND};
pub use meter::{MILLI, Meter, SECOND};
pub use options::{Choice, Declared, K, Number, OneOf, Options, Own, Values};
pub use record::Record;
pub use systems::{Reached, Run, SystemAnswer, SystemTask, SystemVerdict, Systems};

use ir::{Program, Proposition, State};
use model::{Axiom, Model, Role};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};
use witness::{Execution, Invariant};

pub use witness::Property;

/// What an engine is asked to do.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// About what.
    pub program: &'a Program,
    /// Under which memory model.
    pub model: &'a Model,
    /// What to find out.
    pub question: Question<'a>,
    /// How.
    pub options: &'a Options,
}

/// What to find out about the executions of a program.
#[derive(Debug, Clone, Copy)]
pub enum Question<'a> {
    /// For each proposition: is there an execution whose final state satisfies it?
    Reach(&'a [Proposition]),
    /// All final states of the observed locations, with the number of executions that end in each.
    States,
    /// Is there an execution in which a property fails? The answer is [`Findings::Reach`] with one entry.
    Violation(Property),
}

impl Question<'_> {
    /// Whether it is about final states, which only executions have in which all threads end.
    pub fn is_about_ends(&self) -> bool {
        match self {
            Question::Reach(_) | Question::States => true,
            Question::Violation(_) => false,
        }
    }
}

/// What an engine found out.
#[derive(Debug, Clone)]
pub struct Answer {
    /// What there is.
    pub findings: Findings,
    /// How far the engine looked.
    pub guarantee: Guarantee,
    /// What the search cost, in the engine's own terms and order.
    pub statistics: Vec<(String, u64)>,
}

/// What there is.
#[derive(Debug, Clone)]
pub enum Findings {
    /// For each proposition of the question an execution that satisfies it, if there is one.
    Reach(Vec<Option<Execution>>),
    /// The final states in ascending order.
    States(Vec<FinalState>),
    /// The property of the question cannot fail, as far as the guarantee says, and this shows it.
    Proof(Arc<Invariant>),
}

/// A final state and how it comes about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinalState {
    /// The values of the observed locations.
    pub state: State,
    /// How many executions end in it (how many choices of reads-from and coherence).
    pub executions: u64,
    /// One of them, unless the engine searches states instead of executions.
    pub example: Option<Execution>,
    /// The names of the model's flags that one of the executions raises.
    pub flags: Vec<String>,
}

/// The flag of an execution that makes the whole program undefined, as herd prints it.
pub const UNDEFINED: &str = "*undef*";

/// The name under which a raised flag is reported.
pub fn flag_name(axiom: &Axiom) -> String {
    match axiom.role {
        Role::Undefines => UNDEFINED.to_owned(),
        Role::Flags | Role::Forbids => axiom.name.clone(),
    }
}

/// Why an engine has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// It was told to stop.
    Cancelled,
    /// The time was up.
    TimedOut(Duration),
    /// A limit of the engine was reached; the text says which.
    GaveUp(String),
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoAnswer::Cancelled => f.write_str("cancelled"),
            NoAnswer::TimedOut(after) => write!(f, "timeout after {} s", after.as_secs_f64()),
            NoAnswer::GaveUp(why) => f.write_str(why),
        }
    }
}

/// Why an engine does not take a task: what it cannot do, and a way round it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What it cannot do.
    pub reason: String,
    /// What to do instead.
    pub help: String,
}

impl Refusal {
    /// A refusal for a reason, with a way round it.
    pub fn new(reason: impl Into<String>, help: impl Into<String>) -> Self {
        Refusal { reason: reason.into(), help: help.into() }
    }
}

/// Whether an engine of this name that executes store buffers and looks for no deadlocks can take the task.
///
/// # Errors
/// The model has no store buffers, or deadlocks are asked for.
pub fn takes_buffers(engine: &str, task: &Task<'_>) -> Result<(), Refusal> {
    if task.model.head.buffers.is_none() {
        let reason = format!("the model {} has no reading with store buffers", task.model.name);
        return Err(Refusal::new(reason, "use the engine `partial-order`, or a model with `@buffers` in its head"));
    }
    match task.question {
        Question::Violation(Property::Deadlock | Property::Progress) => {
            let reason = format!("the engine `{engine}` does not look for deadlocks");
            Err(Refusal::new(reason, "use the engine `partial-order`"))
        }
        Question::Violation(Property::Race) => {
            let reason = format!("the engine `{engine}` does not know what happens before what");
            Err(Refusal::new(reason, "use the engine `partial-order`"))
        }
        Question::Violation(Property::Assertions { .. }) | Question::Reach(_) | Question::States => Ok(()),
    }
}

/// The same for an engine that only takes programs that start threads.
///
/// # Errors
/// Those, or it is no such program.
pub fn takes_programs(engine: &str, task: &Task<'_>) -> Result<(), Refusal> {
    takes_buffers(engine, task)?;
    match task.question {
        Question::Violation(_) if task.program.begins_alone() => Ok(()),
        Question::Violation(_) | Question::Reach(_) | Question::States => Err(Refusal::new(
            format!("the engine `{engine}` takes C programs with assertions"),
            "use `partial-order` or `buffers` for litmus tests",
        )),
    }
}

/// Who watches an engine work.
pub trait Observer: Sync {
    /// Whether to stop, and why. Asked often, so it must be cheap.
    fn stop(&self) -> Option<NoAnswer>;

    /// A phase of the work is done.
    fn phase(&self, name: &str, detail: &str);

    /// Counts the work. An engine asks for it once and spends what it does.
    fn meter(&self) -> Meter {
        Meter::default()
    }

    /// An answer that holds, with bounds, while the engine goes on to look beyond them.
    fn known(&self, _answer: Answer) {}

    /// Whether somebody wants to see this intermediate result, one of [`ARTEFACTS`].
    fn wants(&self, _artefact: &str) -> bool {
        false
    }

    /// An intermediate result that was wanted.
    fn artefact(&self, _name: &str, _text: &str) {}

    /// Whether an execution holds that the engine is not sure of, so that it can go on if it does not. An engine does not
    /// know its checker: whoever runs engines and checks their evidence answers this with the checker.
    ///
    /// # Errors
    /// What is wrong with the execution.
    fn confirm(&self, _task: &Task<'_>, _execution: &Execution) -> Result<(), String> {
        Ok(())
    }
}

/// The intermediate results that can be seen: the name, the ending of a file, and what it is.
pub const ARTEFACTS: &[(&str, &str, &str)] = &[
    ("program", "txt", "the program as the front end made it"),
    ("compiled", "txt", "the program as the machine of the model runs it"),
    ("events", "txt", "the events of partial-order: thread, guard, address, value, place"),
    ("relations", "txt", "who can read from whom, coherence, dependencies, and when"),
    ("graphs", "dot", "the graphs that must have no cycle, an axiom each"),
    ("formula", "cnf", "the clauses, in the DIMACS format"),
];

/// Counts work that an engine does and asks whether to go on.
///
/// # Errors
/// Why not.
pub fn spend(meter: &Meter, observer: &dyn Observer, units: u64) -> Result<(), NoAnswer> {
    let goes_on = meter.spend(units);
    match observer.stop() {
        Some(why) => Err(why),
        None if goes_on => Ok(()),
        None => Err(NoAnswer::Cancelled),
    }
}

/// Somebody who lets the engine work for as long as it wants and says nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn stop(&self) -> Option<NoAnswer> {
        None
    }

    fn phase(&self, _name: &str, _detail: &str) {}
}

/// Somebody who stops the engine when its time is up and says nothing.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    started: Instant,
    limit: Duration,
}

impl Deadline {
    /// It has this much time from now on.
    pub fn within(limit: Duration) -> Self {
        Deadline { started: Instant::now(), limit }
    }
}

impl Observer for Deadline {
    fn stop(&self) -> Option<NoAnswer> {
        (self.started.elapsed() > self.limit).then_some(NoAnswer::TimedOut(self.limit))
    }

    fn phase(&self, _name: &str, _detail: &str) {}
}

/// A method of verification.
pub trait Engine: fmt::Debug + Sync {
    /// The name for `--engine`.
    fn name(&self) -> &'static str;

    /// One line about it.
    fn about(&self) -> &'static str;

    /// The options that it has besides those of all engines.
    fn options(&self) -> Vec<Declared> {
        Vec::new()
    }

    /// Whether what it proves comes with a certificate.
    fn certifies(&self) -> bool {
        false
    }

    /// Whether what it costs grows with the relations of the model, so that a relaxed model ([`Model::relaxed`]) should be tried first.
    fn reads_relations(&self) -> bool {
        false
    }

    /// Whether it takes the task.
    ///
    /// # Errors
    /// What it cannot do.
    fn accepts(&self, task: &Task<'_>) -> Result<(), Refusal>;

    /// How it does array-based systems, if it takes these.
    fn systems(&self) -> Option<&dyn Systems> {
        None
    }

    /// Does the task, which it has accepted.
    ///
    /// # Errors
    /// Why there is no answer.
    fn run(&self, task: &Task<'_>, observer: &dyn Observer) -> Result<Answer, NoAnswer>;

    /// The same task, which it has accepted, for whatever is chosen in its program; nothing if it cannot leave tags open.
    ///
    /// # Errors
    /// Why there is no answer.
    fn family<'t>(
        &self,
        _task: &Task<'t>,
        _choices: &Choices,
        _observer: &'t dyn Observer,
    ) -> Result<Option<Box<dyn Family + 't>>, NoAnswer> {
        Ok(None)
    }
}

/// What is known about a property.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// It cannot fail, as far as the guarantee says.
    Safe(Guarantee),
    /// It fails in this execution.
    Unsafe(Box<Execution>),
    /// Nothing is known.
    Unknown(NoAnswer),
}

impl fmt::Display for Verdict {
    /// The last line of the text output, an interface: `SAFE`, `SAFE (unwind 5)`, `UNSAFE`, `UNKNOWN (reason)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Safe(guarantee) if guarantee.is_full() => f.write_str("SAFE"),
            Verdict::Safe(guarantee) => write!(f, "SAFE ({guarantee})"),
            Verdict::Unsafe(_) => f.write_str("UNSAFE"),
            Verdict::Unknown(reason) => write!(f, "UNKNOWN ({reason})"),
        }
    }
}
