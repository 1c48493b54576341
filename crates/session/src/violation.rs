//! Programs with assertions: can one fail? With larger and larger bounds on loops, if need be.

use crate::{Failure, Found, Request, confused, reached, run};
use engine::{Answer, Guarantee, NoAnswer, Observer, Question, Verdict};
use ir::Program;
use model::{Model, Role};
use std::time::{Duration, Instant};

/// The bounds that are tried one after the other: the first one, and by how much the engine may widen it.
fn bounds(first: u32) -> impl Iterator<Item = (u32, u32)> {
    std::iter::successors(Some((first, 0)), |&(first, widen)| {
        let next = first.checked_add(widen)?.checked_add(1)?;
        Some((next, (next / 2).max(1)))
    })
}

/// The engines that prove programs safe whose loops do not end, in the order in which they are asked: the second one takes
/// values that are not finite, and has less time.
const PROVERS: [(&str, u32); 2] = [("coherence", 2), ("predicate", 4)];

/// Says stop when the time for larger bounds is up.
struct Patience<'a> {
    inner: &'a dyn Observer,
    until: Option<(Instant, Duration)>,
}

impl Observer for Patience<'_> {
    fn stop(&self) -> Option<NoAnswer> {
        let late = || self.until.filter(|(until, _)| Instant::now() > *until).map(|(_, all)| NoAnswer::TimedOut(all));
        self.inner.stop().or_else(late)
    }

    fn phase(&self, name: &str, detail: &str) {
        self.inner.phase(name, detail);
    }
}

/// What an engine for endless loops says, if there is one for this program and it comes to an answer in its part of the time.
fn prove(
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Option<Found<Verdict>>, Failure> {
    for (prover, part) in PROVERS {
        let found = prove_with((prover, part), program, model, request, observer)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

fn prove_with(
    (prover, part): (&str, u32),
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Option<Found<Verdict>>, Failure> {
    let request = Request { engine: Some(prover.to_owned()), ..request.clone() };
    let until = request.deepen.map(|patience| (Instant::now() + patience / part, patience));
    let patience = Patience { inner: observer, until };
    let found = match run(program, model, &request, Question::Violation(request.property), &patience) {
        Ok(Ok(found)) => found,
        // It takes other programs, or gives up: the bounded answer stands.
        Err(Failure::Refused(..)) | Ok(Err(_)) => return Ok(None),
        Err(failure) => return Err(failure),
    };
    let verdict = verdict(&found)?;
    Ok(Some(found.map(|_| verdict)))
}

fn verdict(found: &Found<Answer>) -> Result<Verdict, Failure> {
    let [execution] = reached(&found.result)? else { return Err(confused()) };
    Ok(match execution {
        Some(execution) => Verdict::Unsafe(Box::new(execution.clone())),
        None => Verdict::Safe(found.result.guarantee.clone()),
    })
}

/// Can a property of the program fail?
pub fn violation(
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Found<Verdict>, Failure> {
    if let Some(axiom) = model.axioms.iter().find(|axiom| axiom.role == Role::Undefines) {
        return Err(Failure::Refused(
            format!(
                "under {} a program can be undefined ({}), which is not checked for C programs",
                model.name, axiom.name
            ),
            "choose a model of hardware, or write the case as a litmus test".to_owned(),
        ));
    }
    let question = Question::Violation(request.property);
    let started = Instant::now();
    let mut best: Option<Found<Verdict>> = None;
    for (bound, widen) in bounds(request.options.unwind) {
        let mut request = request.clone();
        request.options.unwind = bound;
        request.options.deepens = request.deepen.is_some();
        request.options.widen = if request.deepen.is_some() { widen } else { 0 };
        // The first bound has all the time that there is.
        let until = request.deepen.filter(|_| best.is_some()).map(|patience| (started + patience, patience));
        let patience = Patience { inner: observer, until };
        let found = match run(program, model, &request, question, &patience)? {
            Ok(found) => found,
            Err((engine, reason)) => {
                let unknown = || {
                    let result = Verdict::Unknown(reason);
                    Found { result, engine, statistics: Vec::new(), program: program.clone(), undefined: None }
                };
                return Ok(best.unwrap_or_else(unknown));
            }
        };
        let verdict = verdict(&found)?;
        let done = request.deepen.is_none() || !matches!(verdict, Verdict::Safe(Guarantee::Unwound { .. }));
        let found = found.map(|_| verdict);
        if done {
            return Ok(found);
        }
        // A few iterations show nothing: perhaps all of them can be covered at once.
        if best.is_none()
            && request.engine.is_none()
            && let Some(proof) = prove(program, model, &request, observer)?
        {
            return Ok(proof);
        }
        best = Some(found);
    }
    best.ok_or_else(confused)
}
