//! Data races of C programs.

use crate::violation::{fails, violation};
use crate::{Failure, Found, Request};
use engine::{Guarantee, Observer, Property, Verdict};
use ir::Program;
use model::{Buffers, Model, NoInclude, Role};
use races::Analysis;
use source::SourceFile;
use witness::{EventId, Execution};

/// Who found out that no pair of accesses may race.
const ANALYSIS: &str = "lockset";

/// Can the program be undefined, by what the model says of a data race?
pub fn undefined(
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Found<Verdict>, Failure> {
    if let Some(proved) = analysed(program, request, observer).1 {
        return Ok(proved);
    }
    let request = Request { property: Property::Race, ..request.clone() };
    let mut found = fails(program, model, &request, observer)?;
    if matches!(found.result, Verdict::Unsafe(_)) {
        let axiom = model.axioms.iter().find(|axiom| axiom.role == Role::Undefines);
        found.undefined = axiom.map(|axiom| axiom.name.clone());
    }
    Ok(found)
}

/// Sequential consistency with C11's happens-before, under the name of the model that was asked for.
fn ordering(model: &Model) -> Result<Model, Failure> {
    let file = SourceFile::new("sc-race.cat", "\"SC\"\ninclude \"sc-race.cat\"\n");
    let ordering = Model::load(&model.name, &file, &NoInclude);
    ordering.map_err(|wrong| Failure::Internal(format!("models/sc-race.cat: {wrong:?}")))
}

/// Can two accesses race in a sequentially consistent execution?
pub fn race(
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Found<Verdict>, Failure> {
    if model.axioms.iter().any(|axiom| axiom.role == Role::Undefines) {
        return undefined(program, model, request, observer);
    }
    if model.head.buffers != Some(Buffers::None) {
        return Err(Failure::Refused(
            format!("the model {} does not say what a data race is", model.name),
            "use `--model rc11`, or `--model sc` for races in sequentially consistent executions".to_owned(),
        ));
    }
    if !races::is_ordered(program) {
        // Accesses that nothing orders need not be able to come next to each other: it takes happens-before to see them.
        return undefined(program, &ordering(model)?, request, observer);
    }
    let (analysis, proved) = analysed(program, request, observer);
    if let Some(proved) = proved {
        return Ok(proved);
    }
    let watched = races::instrument(program, analysis.as_ref());
    let request = Request { property: Property::Assertions { memory: false }, ..request.clone() };
    violation(&watched, model, &request, observer)
}

/// What the static analysis says, and the verdict if that is that no pair may race. It holds under every model: locks, starting and
/// joining threads order what they order in all of them. Whoever asks for an engine gets that engine.
fn analysed(
    program: &Program,
    request: &Request,
    observer: &dyn Observer,
) -> (Option<Analysis>, Option<Found<Verdict>>) {
    let analysis = if request.engine.is_none() { races::analyse(program) } else { None };
    let Some(found) = &analysis else { return (None, None) };
    let (accesses, pairs) = (found.accesses, found.pairs.len() as u64);
    observer.phase(ANALYSIS, &format!("{accesses} accesses, {pairs} pairs may race"));
    let statistics = vec![("accesses".to_owned(), accesses)];
    let proved = found
        .pairs
        .is_empty()
        .then(|| Found::new(Verdict::Safe(Guarantee::FULL), ANALYSIS, statistics, program.clone()));
    (analysis, proved)
}

/// The two accesses that race in an execution that was found, in words, and what would order them.
pub fn race_in_words(program: &Program, model: &Model, execution: &Execution) -> Option<String> {
    let violation = execution.violation.as_ref()?;
    let order = "A mutex that both threads hold would order them, or atomic accesses by which the one releases and the other acquires; \
                 or both accesses can be atomic themselves.";
    match &*violation.message {
        races::RACE => return Some(order.to_owned()),
        witness::UNORDERED => {}
        _ => return None,
    }
    let (a, b) = witness::racing(program, model, execution).ok()??;
    let words = |id: EventId| {
        let event = &execution.events[id.index()];
        let thread = event.thread.map_or_else(String::new, |thread| execution.thread_name(program, thread));
        let verb = if event.is_write() { "writes" } else { "reads" };
        let plain = event.tags.iter().any(|tag| program.tags[tag.index()] == "NA");
        let kind = if plain { "" } else { " atomically" };
        format!("{thread} {verb} it{kind} in line {}", program.source.line(event.span))
    };
    let location = execution.events[a.index()].address().map(|address| execution.address_name(program, address));
    let name = location.unwrap_or_default();
    Some(format!("data race on `{name}`: {}, {}, and nothing orders them. {order}", words(b), words(a)))
}
