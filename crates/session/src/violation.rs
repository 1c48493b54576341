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

/// The engines that prove programs safe whose loops do not end: for finitely many values, and for integers.
const PROVERS: [&str; 2] = ["coherence", "predicate"];

/// The engine for bugs that need few turns, where all executions at once are too many.
const DEEP: &str = "lazy";

/// The part of the time that is for the first bound, for those that need few turns, and for each prover in the end.
const PART: u32 = 4;

/// The part of the time that each prover has at first: what is easy for one of them is not kept waiting by others that
/// get lost.
const GLANCE: u32 = 10 * PART;

/// Formulas with more clauses than this have to wait until others have tried.
const LARGE: u64 = 400_000;

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

/// What an engine for endless loops says, if it takes this program and comes to an answer in this part of the time.
fn prove(
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

/// What the first of these engines says that comes to an answer in this part of the time.
fn provers(
    part: u32,
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Option<Found<Verdict>>, Failure> {
    for prover in PROVERS {
        if let Some(proof) = prove((prover, part), program, model, request, observer)? {
            return Ok(Some(proof));
        }
    }
    Ok(None)
}

/// A violation that the engine for few turns finds within a part of the time, with larger and larger bounds on loops; or its
/// proof that there is none.
fn deep(
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
    end: Option<Instant>,
) -> Result<Option<Found<Verdict>>, Failure> {
    observer.phase("turns", "the formula of all executions is too large: those with few turns come first");
    let until = request.deepen.zip(end).map(|(patience, end)| (end.min(Instant::now() + patience / PART), patience));
    let patience = Patience { inner: observer, until };
    for unwind in request.options.unwind.. {
        let mut request = Request { engine: Some(DEEP.to_owned()), ..request.clone() };
        request.options.unwind = unwind;
        let found = match run(program, model, &request, Question::Violation(request.property), &patience) {
            Ok(Ok(found)) => found,
            // It takes other programs, or has no time left.
            Err(Failure::Refused(..)) | Ok(Err(_)) => return Ok(None),
            Err(failure) => return Err(failure),
        };
        let verdict = verdict(&found)?;
        match verdict {
            Verdict::Unsafe(_) | Verdict::Safe(Guarantee::Full) => {
                return shortest(found.map(|_| verdict), program, model, &request, observer).map(Some);
            }
            _ if !is_cut(&verdict) => return Ok(None),
            Verdict::Safe(_) | Verdict::Unknown(_) => {}
        }
    }
    Ok(None)
}

/// The same violation in fewer events, if the search over states finds that at a glance: a formula shows any execution, the
/// search one of the shortest.
fn shortest(
    found: Found<Verdict>,
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Found<Verdict>, Failure> {
    let Verdict::Unsafe(execution) = &found.result else { return Ok(found) };
    let mut request = request.clone();
    request.options.glance = true;
    let other = prove((PROVERS[0], PART), program, model, &request, observer)?;
    let shorter = |other: &Found<Verdict>| match &other.result {
        Verdict::Unsafe(shorter) => shorter.events.len() < execution.events.len(),
        Verdict::Safe(_) | Verdict::Unknown(_) => false,
    };
    Ok(other.filter(shorter).unwrap_or(found))
}

fn verdict(found: &Found<Answer>) -> Result<Verdict, Failure> {
    let [execution] = reached(&found.result)? else { return Err(confused()) };
    Ok(match execution {
        Some(execution) => Verdict::Unsafe(Box::new(execution.clone())),
        None => Verdict::Safe(found.result.guarantee.clone()),
    })
}

/// Whether a larger bound on loops may show more.
fn is_cut(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Safe(Guarantee::Unwound { .. } | Guarantee::Rounds { unwind: Some(_), .. }) => true,
        Verdict::Safe(Guarantee::Full | Guarantee::NoOverflow | Guarantee::Rounds { unwind: None, .. })
        | Verdict::Unsafe(_)
        | Verdict::Unknown(_) => false,
    }
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
        // For the first bound there is all the time that there is, if nobody else comes to an answer.
        let alone = request.engine.is_some() || request.deepen.is_none();
        let until = match request.deepen {
            Some(patience) if best.is_some() => Some((started + patience, patience)),
            Some(patience) if !alone => Some((started + patience / PART, patience)),
            Some(_) | None => None,
        };
        let patience = Patience { inner: observer, until };
        request.options.clauses = (!alone).then_some(LARGE);
        let mut answer = run(program, model, &request, question, &patience)?;
        request.options.clauses = None;
        let large = matches!(answer, Err((_, NoAnswer::TooLarge(_))));
        let late = (large || matches!(answer, Err((_, NoAnswer::TimedOut(_))))) && observer.stop().is_none();
        let first = best.is_none();
        if late && !alone {
            if first && let Some(proof) = provers(GLANCE, program, model, &request, observer)? {
                return Ok(proof);
            }
            let end = request.deepen.map(|patience| started + patience);
            if (first || large)
                && let Some(found) = deep(program, model, &request, observer, end)?
            {
                return Ok(found);
            }
            if first && let Some(proof) = provers(PART, program, model, &request, observer)? {
                return Ok(proof);
            }
            // Nobody else knows: it has all the time that is left.
            if first || large {
                let left: &dyn Observer = if first { observer } else { &patience };
                answer = run(program, model, &request, question, left)?;
            }
        }
        let found = match answer {
            Ok(found) => found,
            Err((engine, reason)) => {
                let unknown = || {
                    let result = Verdict::Unknown(reason);
                    Found::new(result, engine, Vec::new(), program.clone())
                };
                return Ok(best.unwrap_or_else(unknown));
            }
        };
        let verdict = verdict(&found)?;
        let done = request.deepen.is_none() || !is_cut(&verdict);
        let found = found.map(|_| verdict);
        if done {
            let shortens = request.engine.is_none() && request.deepen.is_some();
            return if shortens { shortest(found, program, model, &request, observer) } else { Ok(found) };
        }
        // A few iterations show nothing: perhaps all of them can be covered at once.
        for part in [GLANCE, PART].into_iter().filter(|_| first && !late && !alone) {
            if let Some(proof) = provers(part, program, model, &request, observer)? {
                return Ok(proof);
            }
        }
        best = Some(found);
    }
    best.ok_or_else(confused)
}
