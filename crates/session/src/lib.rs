//! The registries and the pipeline: load, choose an engine, run it, check the evidence, report.
//!
//! This is the only place where front ends, models, engines, witness checking and reports meet.

mod compile;
mod evidence;
mod explain;
mod fences;
mod minimal;
mod probes;
mod races;
mod registry;
mod relaxed;
mod result;
mod schedule;
mod sequential;
mod stack;
mod strategy;
mod suits;
mod system_fences;
mod systems;
mod undefined;
mod vacuous;
mod violation;

pub use evidence::{panic_message, remember_panics, structure};
pub use explain::{Reason, why};
pub use fences::{Conclusion, Demand, Repair, Repairs, demands, fences};
pub use races::race_in_words;
pub use registry::{
    ENGINES, Engines, FRONTENDS, Frontend, Subject, engine, frontend, members, model, model_from, models,
    unknown_architecture,
};
pub use relaxed::{Relaxation, relaxation};
pub use result::{Failure, Found, Outcomes, Reading, Request, States};
pub use sequential::sequential;
pub use stack::with_stack;
pub use strategy::{AUTO, STRATEGIES, Setting, Shortening, Step, Strategy, strategy};
pub use suits::{is_kernels, remarks, suits};
pub use system_fences::{SystemRepair, SystemRepairs, fence_system};
pub use systems::{SystemFound, check_system, system_engines, system_memory};
pub use undefined::undefined;
pub use vacuous::vacuous;

use ::engine::{Answer, Findings, NoAnswer, Observer, Question, Task, Verdict};
use ::model::Model;
use ir::{Program, Proposition};
use schedule::Schedule;
use source::{Diagnostic, SourceFile};
use std::borrow::Cow;
use witness::Execution;

/// Reads a program.
///
/// # Errors
/// What is wrong with the text, or it is no program.
pub fn load(file: &SourceFile, reading: &Reading) -> Result<Program, Failure> {
    match read(file, reading)? {
        Subject::Program(program) => Ok(*program),
        Subject::System(_) => {
            Err(Failure::Usage(format!("{}: `check` and `fences` are for array-based systems", file.name())))
        }
    }
}

/// Reads a program or a system.
///
/// # Errors
/// What is wrong with the text.
pub fn read(file: &SourceFile, reading: &Reading) -> Result<Subject, Failure> {
    let frontend = frontend(file.name()).ok_or_else(|| {
        let known: Vec<String> =
            FRONTENDS.iter().flat_map(|f| f.extensions).map(|extension| format!(".{extension}")).collect();
        Failure::Usage(format!("{}: what language is this? Known endings: {}", file.name(), known.join(", ")))
    })?;
    let _span = tracing::info_span!("load", file = file.name()).entered();
    let subject = (frontend.parse)(file, reading).map_err(Failure::Input)?;
    if let Subject::Program(program) = &subject {
        ir::validate(program).map_err(|invalid| Failure::Internal(format!("{}: {invalid}", file.name())))?;
    }
    Ok(subject)
}

/// Can the program's condition be violated (for `forall`) or reached (for `exists` and `~exists`)? Can an assertion fail?
///
/// # Errors
/// Why there is no verdict.
pub fn check(
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Found<Verdict>, Failure> {
    if program.condition.is_none() {
        return violation::violation(program, model, request, observer);
    }
    let goals = [condition(program)?.bad()];
    let found = match run(program, model, request, Question::Reach(&goals), observer)? {
        Ok(found) => found,
        Err((engine, reason)) => {
            let program = program.clone();
            let result = Verdict::Unknown(reason);
            return Ok(Found::new(result, engine, Vec::new(), program));
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

/// The pipeline: compile for the model, choose engines, run them, check their evidence.
fn run(
    program: &Program,
    model: &Model,
    request: &Request,
    question: Question<'_>,
    observer: &dyn Observer,
) -> Result<Result<Found<Answer>, (&'static str, NoAnswer)>, Failure> {
    show("program", program, observer);
    let program = compiled(program, model)?;
    show("compiled", &program, observer);
    let task = Task { program: &program, model, question, options: &request.options };
    let asked = request.engine.as_deref().unwrap_or(AUTO);
    let is_violation = matches!(question, Question::Violation(_));
    if let Some(strategy) = strategy(asked).filter(|strategy| is_violation || strategy.name != AUTO) {
        let plan = schedule::Plan { name: strategy.name, steps: strategy.steps, patient: strategy.patient };
        return Schedule::new(&plan, &task, request, observer)?.follow();
    }
    let engines = registry::choose(request.engines, &task, asked)?;
    if let ([engine], true) = (&engines[..], is_violation && request.deepen.is_some()) {
        let plan = schedule::Plan { name: engine.name(), steps: &[Step::alone(engine.name())], patient: 0 };
        return Schedule::new(&plan, &task, request, observer)?.follow();
    }
    let mut refusal = None;
    for engine in engines {
        match evidence::run_engine(engine, &task, observer)? {
            Ok(answer) => return Ok(Ok(Found::answered(answer, engine.name(), program.into_owned()))),
            // Another engine may manage what this one could not.
            Err(reason @ NoAnswer::GaveUp(_)) => refusal = refusal.or(Some((engine.name(), reason))),
            Err(reason) => return Ok(Err((engine.name(), reason))),
        }
    }
    refusal.map_or_else(|| Err(Failure::Internal("no engine was chosen".to_owned())), |refusal| Ok(Err(refusal)))
}

/// Shows a program to those who want to see it.
fn show(name: &str, program: &Program, observer: &dyn Observer) {
    if observer.wants(name) {
        observer.artefact(name, &program.to_string());
    }
}

/// The program as the model's hardware runs it.
fn compiled<'p>(program: &'p Program, model: &Model) -> Result<Cow<'p, Program>, Failure> {
    suits(program, model)?;
    if program.is_c() && !model.head.compile.is_empty() {
        return Ok(Cow::Owned(compile::compile(program, &model.head)));
    }
    if program.is_c() && program.begins_alone() && is_kernels(model) {
        return Ok(Cow::Owned(compile::kernel(program)));
    }
    if program.is_c() && program.begins_alone() {
        return Ok(Cow::Owned(compile::keep(program)));
    }
    Ok(Cow::Borrowed(program))
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
        Findings::Proof(_) => Ok(&[None]),
        Findings::States(_) => Err(confused()),
    }
}

fn confused() -> Failure {
    Failure::Internal("an engine answered another question than it was asked".to_owned())
}
