//! The registries and the pipeline: load, choose an engine, run it, check the evidence, report.
//!
//! This is the only place where front ends, models, engines, witness checking and reports meet.

mod compile;
mod explain;
mod registry;

pub use explain::{Reason, Relaxation, relaxation, why};
pub use registry::{ENGINES, FRONTENDS, Frontend, engine, frontend, model, model_from, models};

use ::engine::{Answer, Engine, FinalState, Findings, Guarantee, NoAnswer, Observer, Options, Question, Task, Verdict};
use ::model::{Model, Role};
use ir::{Program, Proposition};
use source::{Diagnostic, SourceFile};
use std::borrow::Cow;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use witness::Execution;

/// Why there is no result.
#[derive(Debug, Clone)]
pub enum Failure {
    /// The command does not make sense.
    Usage(String),
    /// The text is wrong or not supported.
    Input(Diagnostic),
    /// The task is not for any engine: what cannot be done, and a way round it.
    Refused(String, String),
    /// A defect of Fencepost: an engine panicked, or its evidence did not hold.
    Internal(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(message) => f.write_str(message),
            Failure::Input(diagnostic) => write!(f, "{diagnostic}"),
            Failure::Refused(reason, help) => write!(f, "{reason}; {help}"),
            Failure::Internal(message) => write!(f, "internal error: {message}"),
        }
    }
}

impl std::error::Error for Failure {}

/// How a task is to be done.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The name of the engine; chosen if there is none.
    pub engine: Option<String>,
    /// For the engine.
    pub options: Options,
}

/// A result and who found it.
#[derive(Debug, Clone)]
pub struct Found<T> {
    /// What was found.
    pub result: T,
    /// The engine that found it.
    pub engine: &'static str,
    /// What the search cost.
    pub statistics: Vec<(String, u64)>,
    /// The program that was run: the given one, compiled for the model where it needed to be.
    pub program: Program,
    /// The name of the axiom by which the execution found makes the whole program undefined, if it does.
    pub undefined: Option<String>,
}

/// Which of a condition's two outcomes can happen, with an execution for each that can.
#[derive(Debug, Clone)]
pub struct Outcomes {
    /// An execution whose final state satisfies the condition's proposition.
    pub positive: Option<Execution>,
    /// One whose final state does not.
    pub negative: Option<Execution>,
    /// How far the engine looked.
    pub guarantee: Guarantee,
}

/// All final states.
#[derive(Debug, Clone)]
pub struct States {
    /// The states.
    pub states: Vec<FinalState>,
    /// How far the engine looked.
    pub guarantee: Guarantee,
}

/// Reads a program.
///
/// # Errors
/// What is wrong with the text.
pub fn load(file: &SourceFile) -> Result<Program, Failure> {
    let frontend = frontend(file.name()).ok_or_else(|| {
        let known: Vec<String> =
            FRONTENDS.iter().flat_map(|f| f.extensions).map(|extension| format!(".{extension}")).collect();
        Failure::Usage(format!("{}: what language is this? Known endings: {}", file.name(), known.join(", ")))
    })?;
    let program = (frontend.parse)(file).map_err(Failure::Input)?;
    ir::validate(&program).map_err(|invalid| Failure::Internal(format!("{}: {invalid}", file.name())))?;
    Ok(program)
}

/// Can the program's condition be violated (for `forall`) or reached (for `exists` and `~exists`)?
///
/// # Errors
/// Why there is no verdict.
pub fn check(
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Found<Verdict>, Failure> {
    let goals = [condition(program)?.bad()];
    let found = match run(program, model, request, Question::Reach(&goals), observer)? {
        Ok(found) => found,
        Err((engine, reason)) => {
            let program = program.clone();
            let result = Verdict::Unknown(reason);
            return Ok(Found { result, engine, statistics: Vec::new(), program, undefined: None });
        }
    };
    let [execution] = reached(&found.result)? else { return Err(confused()) };
    let verdict = match execution {
        Some(execution) => Verdict::Unsafe(Box::new(execution.clone())),
        None => Verdict::Safe(found.result.guarantee.clone()),
    };
    let found = found.map(|_| verdict);
    // A proof is worth nothing if some execution makes the whole program undefined.
    match &found.result {
        Verdict::Safe(_) => Ok(undefined(program, model, request, observer)?.unwrap_or(found)),
        Verdict::Unsafe(_) | Verdict::Unknown(_) => Ok(found),
    }
}

/// An execution that the model says makes the program undefined, such as a data race.
fn undefined(
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Option<Found<Verdict>>, Failure> {
    for at in (0..model.axioms.len()).filter(|&at| model.axioms[at].role == Role::Undefines) {
        let mut demanding = model.clone();
        demanding.axioms[at].role = Role::Forbids;
        demanding.axioms[at].negated = !model.axioms[at].negated;
        let (program, result, engine) =
            match run(program, &demanding, request, Question::Reach(&[Proposition::True]), observer)? {
                Err((engine, reason)) => (program.clone(), Verdict::Unknown(reason), engine),
                Ok(found) => match reached(&found.result)? {
                    [Some(execution)] => (found.program, Verdict::Unsafe(Box::new(execution.clone())), found.engine),
                    _ => continue,
                },
            };
        let undefined = matches!(result, Verdict::Unsafe(_)).then(|| model.axioms[at].name.clone());
        return Ok(Some(Found { result, engine, statistics: Vec::new(), program, undefined }));
    }
    Ok(None)
}

/// Which outcomes of the program's condition can happen?
///
/// # Errors
/// Why nobody knows.
pub fn observe(
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Result<Found<Outcomes>, NoAnswer>, Failure> {
    let positive = condition(program)?.proposition.clone();
    let goals = [positive.clone(), Proposition::Not(Box::new(positive))];
    let found = match run(program, model, request, Question::Reach(&goals), observer)? {
        Ok(found) => found,
        Err((_, reason)) => return Ok(Err(reason)),
    };
    let [positive, negative] = reached(&found.result)? else { return Err(confused()) };
    let (positive, negative) = (positive.clone(), negative.clone());
    let guarantee = found.result.guarantee.clone();
    Ok(Ok(found.map(|_| Outcomes { positive, negative, guarantee })))
}

/// All final states of the observed locations.
///
/// # Errors
/// Why nobody knows.
pub fn states(
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Result<Found<States>, NoAnswer>, Failure> {
    let found = match run(program, model, request, Question::States, observer)? {
        Ok(found) => found,
        Err((_, reason)) => return Ok(Err(reason)),
    };
    let Findings::States(states) = found.result.findings.clone() else { return Err(confused()) };
    let guarantee = found.result.guarantee.clone();
    Ok(Ok(found.map(|_| States { states, guarantee })))
}

/// The pipeline: compile for the model, choose an engine, run it, check its evidence; if it gives up, the next one.
fn run(
    program: &Program,
    model: &Model,
    request: &Request,
    question: Question<'_>,
    observer: &dyn Observer,
) -> Result<Result<Found<Answer>, (&'static str, NoAnswer)>, Failure> {
    let program = compiled(program, model)?;
    let task = Task { program: &program, model, question, options: &request.options };
    let mut refusal = None;
    for engine in choose(&task, request)? {
        match run_engine(engine, &task, observer)? {
            Ok(answer) => {
                let statistics = answer.statistics.clone();
                let program = program.into_owned();
                return Ok(Ok(Found { result: answer, engine: engine.name(), statistics, program, undefined: None }));
            }
            // Another engine may manage what this one could not.
            Err(reason @ NoAnswer::GaveUp(_)) => refusal = refusal.or(Some((engine.name(), reason))),
            Err(reason) => return Ok(Err((engine.name(), reason))),
        }
    }
    refusal.map_or_else(|| Err(Failure::Internal("no engine was chosen".to_owned())), |refusal| Ok(Err(refusal)))
}

/// Runs one engine and checks its evidence.
fn run_engine(
    engine: &dyn Engine,
    task: &Task<'_>,
    observer: &dyn Observer,
) -> Result<Result<Answer, NoAnswer>, Failure> {
    let answer = match catch_unwind(AssertUnwindSafe(|| engine.run(task, observer))) {
        Ok(Ok(answer)) => answer,
        Ok(Err(reason)) => return Ok(Err(reason)),
        Err(panic) => {
            let message = panic.downcast_ref::<String>().cloned();
            let message = message.or_else(|| panic.downcast_ref::<&str>().map(|&m| m.to_owned()));
            let message = message.unwrap_or_else(|| "a panic".to_owned());
            return Err(Failure::Internal(format!("the engine {} stopped: {message}", engine.name())));
        }
    };
    check_evidence(task, &answer).map_err(|flaw| {
        let engine = engine.name();
        Failure::Internal(format!("{}: an execution that {engine} found does not hold: {flaw}", task.program.name))
    })?;
    observer.phase("check", "every execution replayed");
    Ok(Ok(answer))
}

/// Has every execution replayed and its axioms evaluated by code that no engine uses.
fn check_evidence(task: &Task<'_>, answer: &Answer) -> Result<(), witness::Flaw> {
    let check = |execution: &Execution, goal: &Proposition| witness::check(task.program, task.model, execution, goal);
    match (&answer.findings, task.question) {
        (Findings::Reach(found), Question::Reach(goals)) => {
            assert_eq!(found.len(), goals.len(), "an answer for each question");
            let pairs = found.iter().zip(goals);
            pairs.filter_map(|(e, goal)| e.as_ref().map(|e| (e, goal))).try_for_each(|(e, goal)| check(e, goal))
        }
        (Findings::States(states), _) => {
            let examples = states.iter().filter_map(|state| state.example.as_ref());
            examples.into_iter().try_for_each(|execution| check(execution, &Proposition::True))
        }
        (Findings::Reach(_), Question::States) => Ok(()),
    }
}

/// The program as the model's hardware runs it.
fn compiled<'p>(program: &'p Program, model: &Model) -> Result<Cow<'p, Program>, Failure> {
    let wanted = &model.head.architectures;
    if !wanted.is_empty() && !wanted.contains(&program.arch) {
        return Err(Failure::Refused(
            format!("the model {} is about {}, not about {} programs", model.name, wanted.join(", "), program.arch),
            "choose another model: `fencepost list models`".to_owned(),
        ));
    }
    if program.is_c() && !model.head.compile.is_empty() {
        return Ok(Cow::Owned(compile::compile(program, &model.head)));
    }
    Ok(Cow::Borrowed(program))
}

/// The engine that was asked for, or all that take the task, the best first.
fn choose(task: &Task<'_>, request: &Request) -> Result<Vec<&'static dyn Engine>, Failure> {
    if let Some(name) = &request.engine {
        let known = || ENGINES.iter().map(|e| e.name()).collect::<Vec<_>>().join(", ");
        let chosen = engine(name)
            .ok_or_else(|| Failure::Usage(format!("there is no engine `{name}`; there are {}", known())))?;
        let refused = |refusal: ::engine::Refusal| Failure::Refused(refusal.reason, refusal.help);
        return chosen.accepts(task).map_err(refused).map(|()| vec![chosen]);
    }
    let (mut chosen, mut refusals) = (Vec::new(), Vec::new());
    for &engine in ENGINES {
        match engine.accepts(task) {
            Ok(()) => chosen.push(engine),
            Err(refusal) => refusals.push(format!("{}: {}", engine.name(), refusal.reason)),
        }
    }
    if chosen.is_empty() {
        return Err(Failure::Refused(refusals.join("; "), "no engine takes this task".to_owned()));
    }
    Ok(chosen)
}

fn condition(program: &Program) -> Result<&ir::Condition, Failure> {
    program.condition.as_ref().ok_or_else(|| {
        let start = source::Span::default();
        Failure::Input(
            Diagnostic::error(&program.source, start, "the program asks no question").help("add `exists (…)`"),
        )
    })
}

fn reached(answer: &Answer) -> Result<&[Option<Execution>], Failure> {
    match &answer.findings {
        Findings::Reach(found) => Ok(found),
        Findings::States(_) => Err(confused()),
    }
}

fn confused() -> Failure {
    Failure::Internal("an engine answered another question than it was asked".to_owned())
}

impl<T> Found<T> {
    fn map<U>(self, result: impl FnOnce(T) -> U) -> Found<U> {
        let Found { result: old, engine, statistics, program, undefined } = self;
        Found { result: result(old), engine, statistics, program, undefined }
    }
}
