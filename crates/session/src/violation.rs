//! Programs with assertions: can one fail?

use crate::evidence::run_engine;
use crate::minimal::minimal;
use crate::strategy::{AUTO, Shortening, strategy};
use crate::{Failure, Found, Request, compiled, confused, engine, reached, run};
use engine::{Answer, Findings, Meter, NoAnswer, Observer, Property, Question, Task, Verdict};
use ir::Program;
use model::Model;
use witness::Execution;

/// Can a property of the program fail?
pub fn violation(
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Found<Verdict>, Failure> {
    if request.property == Property::Race {
        return crate::races::race(program, model, request, observer);
    }
    let found = fails(program, model, request, observer)?;
    // A proof is worth nothing if some execution makes the whole program undefined.
    match &found.result {
        Verdict::Safe(guarantee) if model.undefines() => {
            let guarantee = guarantee.clone();
            let racing = crate::races::undefined(program, model, request, observer)?;
            Ok(match &racing.result {
                // Of two bounded answers the first says how far it went.
                Verdict::Safe(_) if !guarantee.is_full() => found,
                Verdict::Safe(_) | Verdict::Unsafe(_) | Verdict::Unknown(_) => racing,
            })
        }
        Verdict::Safe(_) | Verdict::Unsafe(_) | Verdict::Unknown(_) => Ok(found),
    }
}

/// Can a property of the program fail, whether it is defined or not? The execution is short.
pub fn fails(
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Found<Verdict>, Failure> {
    let found = somehow_fails(program, model, request, observer)?;
    let strategy = strategy(request.engine.as_deref().unwrap_or(AUTO));
    let found = match strategy.and_then(|strategy| strategy.shortens).filter(|_| request.deepen.is_some()) {
        Some(shortens) => shortest(found, shortens, (program, model, request), observer)?,
        None => found,
    };
    let shorter = match &found.result {
        Verdict::Unsafe(execution) => minimal(&found.program, model, execution, request.property),
        Verdict::Safe(_) | Verdict::Unknown(_) => None,
    };
    Ok(match shorter {
        Some(execution) => found.map(|_| Verdict::Unsafe(Box::new(execution))),
        None => found,
    })
}

/// Can a property of the program fail, whether it is defined or not? Any execution will do.
pub fn somehow_fails(
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Found<Verdict>, Failure> {
    match run(program, model, request, Question::Violation(request.property), observer)? {
        Ok(found) => {
            let verdict = verdict(&found)?;
            Ok(found.map(|_| verdict))
        }
        Err((engine, reason)) => Ok(Found::new(Verdict::Unknown(reason), engine, Vec::new(), program.clone())),
    }
}

/// The same violation in fewer events, if a search over states finds one with little work: a formula shows any execution,
/// the search one of the shortest.
fn shortest(
    found: Found<Verdict>,
    by: Shortening,
    (program, model, request): (&Program, &Model, &Request),
    observer: &dyn Observer,
) -> Result<Found<Verdict>, Failure> {
    let Verdict::Unsafe(execution) = &found.result else { return Ok(found) };
    let engine = engine(request.engines, by.engine).filter(|engine| engine.name() != found.engine);
    let Some(engine) = engine else { return Ok(found) };
    let program = compiled(program, model)?;
    let request = Request { engine: Some(by.engine.to_owned()), ..request.clone() }.with(by.own, &[by.engine])?;
    let question = Question::Violation(request.property);
    let mut task = Task { program: &program, model, question, options: &request.options };
    let stand_in;
    if engine.accepts(&task).is_err() {
        stand_in = crate::model(by.stand_in)?;
        task.model = &stand_in;
        if engine.accepts(&task).is_err() {
            return Ok(found);
        }
    }
    let watcher = Limited { inner: observer, meter: Meter::limited(by.units) };
    let Ok(answer) = run_engine(engine, &task, &watcher)? else { return Ok(found) };
    let allowed = |e: &Execution| {
        task.model.name == model.name || witness::check_violation(&program, model, e, request.property).is_ok()
    };
    let shorter = match &answer.findings {
        Findings::Reach(all) => {
            all.iter().flatten().any(|shorter| shorter.events.len() < execution.events.len() && allowed(shorter))
        }
        Findings::States(_) | Findings::Proof(_) => false,
    };
    if !shorter {
        return Ok(found);
    }
    let other = Found::answered(answer, engine.name(), program.into_owned());
    let verdict = verdict(&other)?;
    Ok(other.map(|_| verdict))
}

/// Lets an engine do so much and no more.
pub struct Limited<'a> {
    pub inner: &'a dyn Observer,
    pub meter: Meter,
}

impl Observer for Limited<'_> {
    fn stop(&self) -> Option<NoAnswer> {
        self.inner.stop()
    }

    fn phase(&self, name: &str, detail: &str) {
        self.inner.phase(name, detail);
    }

    fn meter(&self) -> Meter {
        self.meter.clone()
    }

    fn wants(&self, artefact: &str) -> bool {
        self.inner.wants(artefact)
    }

    fn artefact(&self, name: &str, text: &str) {
        self.inner.artefact(name, text);
    }
}

fn verdict(found: &Found<Answer>) -> Result<Verdict, Failure> {
    let [execution] = reached(&found.result)? else { return Err(confused()) };
    Ok(match execution {
        Some(execution) => Verdict::Unsafe(Box::new(execution.clone())),
        None => Verdict::Safe(found.result.guarantee.clone()),
    })
}
