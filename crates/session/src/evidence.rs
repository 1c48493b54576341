//! Running an engine without trusting it: panics are caught, and every execution is checked by `witness`.

use crate::Failure;
use engine::{Answer, Engine, Findings, NoAnswer, Observer, Question, Task};
use ir::{Program, Proposition};
use model::Structure;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use witness::Execution;

/// Runs one engine and checks its evidence.
pub fn run_engine(
    engine: &dyn Engine,
    task: &Task<'_>,
    observer: &dyn Observer,
) -> Result<Result<Answer, NoAnswer>, Failure> {
    let answer = match catch_unwind(AssertUnwindSafe(|| engine.run(task, observer))) {
        Ok(Ok(answer)) => answer,
        Ok(Err(reason)) => return Ok(Err(reason)),
        Err(panic) => {
            let message = format!("the engine {} stopped: {}", engine.name(), panic_message(&*panic));
            return Err(Failure::Internal(message));
        }
    };
    check_evidence(task, &answer).map_err(|flaw| {
        let engine = engine.name();
        Failure::Internal(format!("{}: an execution that {engine} found does not hold: {flaw}", task.program.name))
    })?;
    observer.phase("check", "every execution replayed");
    Ok(Ok(answer))
}

/// The relations of an execution that was found, recomputed from the program.
///
/// # Errors
/// The execution does not belong to the program, which is a defect: it was checked when it was found.
pub fn structure(program: &Program, execution: &Execution) -> Result<Structure, Failure> {
    witness::structure(program, execution).map_err(|flaw| Failure::Internal(flaw.to_string()))
}

/// What a panic said.
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<String>().map(String::as_str);
    message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message").to_owned()
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
        (Findings::Reach(found), Question::Violation(property)) => {
            let found = found.iter().flatten();
            found.into_iter().try_for_each(|e| witness::check_violation(task.program, task.model, e, property))
        }
        (Findings::Reach(_), Question::States) => Ok(()),
    }
}
