//! What is known about a program, made ready for the renderers of `report`. For whoever writes reports of their own, as the command line does; its types
//! are those of the crates below and change with them.

use engine::{CUBE, Observer, Property, Verdict};
use ir::Program;
use model::Model;
use report::{Case, Explanation, Facts, Graph, ModelName, Step};
use session::{Failure, Found, Request};

/// A verdict with nothing around it.
pub fn bare<'a>(program: &'a Program, model: &Model, engine: &str, verdict: &'a Verdict) -> Case<'a> {
    Case {
        program,
        model: model_name(model),
        engine: engine.to_owned(),
        verdict,
        graph: None,
        explanation: None,
        relaxed: Vec::new(),
        undefined: None,
        notes: Vec::new(),
        seconds: 0.0,
        statistics: Vec::new(),
        facts: Facts::default(),
    }
}

/// What was found, with the execution if there is one.
///
/// # Errors
/// The execution does not fit the program, a defect.
pub fn described<'a>(found: &'a Found<Verdict>, model: &Model) -> Result<Case<'a>, Failure> {
    let plain = bare(&found.program, model, found.engine, &found.result);
    let (statistics, undefined) = (found.statistics.clone(), found.undefined.clone());
    let mut case = Case { statistics, undefined, ..plain };
    describe(&mut case, model)?;
    Ok(case)
}

/// Adds the execution to a case that has one: as a graph, and what the model did differently from sequential consistency.
fn describe(case: &mut Case<'_>, model: &Model) -> Result<(), Failure> {
    let Verdict::Unsafe(execution) = case.verdict else { return Ok(()) };
    let structure = session::structure(case.program, execution)?;
    let mut graph = Graph::new(case.program, execution, &structure);
    match session::relaxation(case.program, model, execution)? {
        Some(relaxation) => {
            let steps = steps(&graph, &relaxation.cycle);
            graph.highlight(&steps);
            graph.highlight_relaxed(&relaxation.pairs);
            case.relaxed = relaxation.pairs;
            let axiom = format!("{} of {}", relaxation.axiom, relaxation.stronger);
            case.explanation = Some(Explanation { axiom, requirement: relaxation.requirement, steps });
        }
        None if case.undefined.is_none() => {
            case.notes.push("this happens under sequential consistency too".to_owned());
        }
        None => {}
    }
    case.notes.extend(session::race_in_words(case.program, model, execution));
    case.graph = Some(graph);
    Ok(())
}

/// Says beside a verdict what it does not mean: what it takes for granted, what the model's head has to say, and what a proof did not look
/// at. `program` is the one that was asked about, before it was compiled for the model; `vacuity` says whether assertions that nothing reaches are looked
/// for.
///
/// # Errors
/// Why nobody knows.
pub fn remarks(
    case: &mut Case<'_>,
    (program, model): (&Program, &Model),
    (request, vacuity): (&Request, bool),
    observer: &dyn Observer,
) -> Result<(), Failure> {
    let is_c = program.condition.is_none();
    if let (Verdict::Safe(_), Some(assumes)) = (case.verdict, case.program.info.get(Program::ASSUMES)) {
        case.notes.push(assumes.clone());
    }
    let undefines = model.undefines();
    if matches!(case.verdict, Verdict::Safe(_)) && is_c && request.property != Property::Race && undefines {
        let note = "data races were looked for too, since the model leaves programs with one undefined";
        case.notes.push(note.to_owned());
    }
    if !model.head.note.is_empty() {
        case.notes.push(model.head.note.clone());
    }
    // What a cube leaves out is in another one.
    let whole = !matches!(case.verdict, Verdict::Safe(guarantee) if guarantee.bound(CUBE).is_some());
    let about_assertions = whole && is_c && matches!(request.property, Property::Assertions { .. });
    if let (Verdict::Safe(guarantee), true, true) = (case.verdict, about_assertions, vacuity) {
        case.notes.extend(session::vacuous(program, model, request, guarantee, observer)?);
    }
    Ok(())
}

/// The model's name and title for reports.
pub fn model_name(model: &Model) -> ModelName {
    ModelName { name: model.name.clone(), title: model.title.clone() }
}

/// The steps of a cycle, in the report's terms.
pub fn steps(graph: &Graph, cycle: &[model::Step]) -> Vec<Step> {
    let step = |step: &model::Step| Step {
        from: step.from,
        to: step.to,
        relation: step.relation.clone(),
        words: graph.words(step.from, step.to, &step.relation),
    };
    cycle.iter().map(step).collect()
}
