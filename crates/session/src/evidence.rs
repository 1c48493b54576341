//! Running an engine without trusting it: panics are caught, and every execution is checked by `witness`.

use crate::Failure;
use engine::{Answer, Engine, Findings, Guarantee, Meter, NoAnswer, Observer, Question, Task};
use ir::{Program, Proposition};
use model::Structure;
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use witness::invariant::{Checked, Claim, NO_OVERFLOW};
use witness::{Execution, Invariant};

/// Runs one engine and checks its evidence.
pub fn run_engine(
    engine: &dyn Engine,
    task: &Task<'_>,
    observer: &dyn Observer,
) -> Result<Result<Answer, NoAnswer>, Failure> {
    let _span = tracing::info_span!("engine", name = engine.name(), model = task.model.name).entered();
    let mut answer = match catch_unwind(AssertUnwindSafe(|| engine.run(task, &Checking(observer)))) {
        Ok(Ok(answer)) => answer,
        Ok(Err(reason)) => return Ok(Err(reason)),
        Err(panic) => {
            let message = format!("the engine {} stopped: {}", engine.name(), panic_message(&*panic));
            return Err(Failure::Internal(message));
        }
    };
    let _span = tracing::info_span!("check").entered();
    check_evidence(task, &answer).map_err(|flaw| {
        let engine = engine.name();
        Failure::Internal(format!("{}: an execution that {engine} found does not hold: {flaw}", task.program.name))
    })?;
    if let Findings::Proof(invariant) = &answer.findings {
        let Some(checked) = check_proof(engine.name(), task, invariant, &answer.guarantee, observer)? else {
            return Ok(Err(observer.stop().unwrap_or(NoAnswer::Cancelled)));
        };
        let Checked { regions, steps } = checked;
        observer.phase("check", &format!("certificate of {regions} abstract states, {steps} steps: holds"));
        answer.statistics.extend([("certificate".to_owned(), regions), ("certificate steps".to_owned(), steps)]);
        return Ok(Ok(answer));
    }
    observer.phase("check", "every execution replayed");
    Ok(Ok(answer))
}

/// An observer who knows the checker.
struct Checking<'a>(&'a dyn Observer);

impl Observer for Checking<'_> {
    fn stop(&self) -> Option<NoAnswer> {
        self.0.stop()
    }

    fn phase(&self, name: &str, detail: &str) {
        self.0.phase(name, detail);
    }

    fn meter(&self) -> Meter {
        self.0.meter()
    }

    fn known(&self, answer: Answer) {
        self.0.known(answer);
    }

    fn wants(&self, artefact: &str) -> bool {
        self.0.wants(artefact)
    }

    fn artefact(&self, name: &str, text: &str) {
        self.0.artefact(name, text);
    }

    fn confirm(&self, task: &Task<'_>, execution: &Execution) -> Result<(), String> {
        let checked = match task.question {
            Question::Violation(property) => witness::check_violation(task.program, task.model, execution, property),
            Question::Reach(_) | Question::States => {
                witness::check(task.program, task.model, execution, &Proposition::True)
            }
        };
        checked.map_err(|flaw| flaw.to_string())
    }
}

/// The relations of an execution that was found, recomputed from the program.
///
/// # Errors
/// The execution does not belong to the program, which is a defect: it was checked when it was found.
pub fn structure(program: &Program, execution: &Execution) -> Result<Structure, Failure> {
    witness::structure(program, execution).map_err(|flaw| Failure::Internal(flaw.to_string()))
}

thread_local! {
    /// Where the last panic of this thread was.
    static PANICKED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// From here on a panic prints nothing by itself: [`panic_message`] says what it said, and where.
pub fn remember_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        PANICKED.with_borrow_mut(|last| *last = place);
    }));
}

/// What a panic of this thread said, and where it was if that was remembered.
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<String>().map(String::as_str);
    let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message");
    match PANICKED.take() {
        Some(place) => format!("{message} ({place})"),
        None => message.to_owned(),
    }
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
        (Findings::Reach(_), Question::States) | (Findings::Proof(_), _) => Ok(()),
    }
}

/// Has a proof checked by code that no engine uses. Nothing comes back if the observer said stop.
fn check_proof(
    engine: &str,
    task: &Task<'_>,
    invariant: &Invariant,
    guarantee: &Guarantee,
    observer: &dyn Observer,
) -> Result<Option<Checked>, Failure> {
    let wrong =
        |what: &str| Failure::Internal(format!("{}: a proof of {engine} does not hold: {what}", task.program.name));
    let Question::Violation(property) = task.question else { return Err(wrong("nobody asked for it")) };
    if guarantee.is_limited() || guarantee.bounds().iter().any(|bound| bound.name != NO_OVERFLOW) {
        return Err(wrong("it has bounds"));
    }
    let claim = Claim { property, machine: guarantee.is_full() };
    let check = || witness::check_invariant(task.program, task.model, invariant, claim, &|| observer.stop().is_none());
    match catch_unwind(AssertUnwindSafe(check)) {
        Ok(Ok(checked)) => Ok(checked),
        Ok(Err(flaw)) => Err(wrong(&flaw.to_string())),
        Err(panic) => Err(wrong(&panic_message(&*panic))),
    }
}
