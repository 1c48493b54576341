//! Systems as JSON; the shapes are in `schema/fencepost-1.json`.

use super::run::Line;
use super::{SystemCase, SystemModel, SystemRepair, clean};
use crate::json::SCHEMA;
use engine::SystemVerdict;
use serde::Serialize;
use system::System;
use system::machine::Machine;

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    kind: &'static str,
    file: &'a str,
    model: &'a str,
    engine: &'static str,
    processes: Option<u8>,
    verdict: &'static str,
    line: String,
    reason: Option<String>,
    certificate: Option<CertificateDocument>,
    run: Option<RunDocument>,
    seconds: f64,
    statistics: Vec<Statistic<'a>>,
}

#[derive(Serialize)]
struct CertificateDocument {
    cubes: usize,
    checked: bool,
}

#[derive(Serialize)]
struct RunDocument {
    processes: u8,
    first: Vec<String>,
    steps: Vec<String>,
    events: Vec<EventDocument>,
    waiting: Vec<String>,
    bad: String,
    property: String,
}

#[derive(Serialize)]
struct EventDocument {
    who: String,
    process: Option<String>,
    line: Option<u32>,
    sees: Vec<SeenDocument>,
    changes: Vec<String>,
    writes: Vec<String>,
}

#[derive(Serialize)]
struct SeenDocument {
    what: String,
    own: bool,
    missed: Vec<String>,
}

#[derive(Serialize)]
struct Statistic<'a> {
    name: &'a str,
    value: u64,
}

/// With line breaks, as all our documents.
pub(super) fn pretty<T: Serialize>(document: &T) -> String {
    let mut out = serde_json::to_string_pretty(document).expect("keys are strings and nothing here fails to serialise");
    out.push('\n');
    out
}

fn event(line: Line) -> EventDocument {
    let sees = line.sees.into_iter().map(|seen| SeenDocument { what: seen.what, own: seen.own, missed: seen.missed });
    EventDocument {
        who: line.who,
        process: line.process.map(|process| format!("#{}", process + 1)),
        line: line.line,
        sees: sees.collect(),
        changes: line.changes,
        writes: line.writes,
    }
}

/// What `check` found out, for programs.
pub fn json(case: &SystemCase<'_>) -> String {
    let (verdict, reason, run) = match case.verdict {
        SystemVerdict::Safe { .. } => ("safe", None, None),
        SystemVerdict::Unsafe(run) => ("unsafe", None, Some(run)),
        SystemVerdict::Unknown(reason) => ("unknown", Some(reason.to_string()), None),
    };
    let run = run.map(|run| {
        let machine = Machine::new(case.system, run.processes, case.model.memory);
        RunDocument {
            processes: run.processes,
            first: case.first(&machine, run),
            steps: run.steps.iter().map(|step| case.step(&machine, step).trim().to_owned()).collect(),
            events: case.lines(&machine, run).into_iter().map(event).collect(),
            waiting: case.waiting(&machine, run),
            bad: case.property(run.property),
            property: case.bad(&machine, run),
        }
    });
    let checked = matches!(case.verdict, SystemVerdict::Safe { checked: true });
    let certificate =
        case.certificate.map(|certificate| CertificateDocument { cubes: certificate.cubes.len(), checked });
    pretty(&Document {
        schema: SCHEMA,
        kind: "system",
        file: case.system.file.name(),
        model: &case.model.model.name,
        engine: "parametric",
        processes: case.system.processes,
        verdict,
        line: case.verdict.to_string(),
        reason,
        certificate,
        run,
        seconds: case.seconds,
        statistics: case.statistics.iter().map(|(name, value)| Statistic { name, value: *value }).collect(),
    })
}

#[derive(Serialize)]
struct Repair<'a> {
    schema: &'static str,
    kind: &'static str,
    file: &'a str,
    model: &'a str,
    line: String,
    reason: Option<String>,
    placements: Vec<Placement>,
    seconds: f64,
}

#[derive(Serialize)]
struct Placement {
    cost: u64,
    fences: Vec<Fence>,
    diff: String,
}

#[derive(Serialize)]
struct Fence {
    transition: String,
    line: u32,
}

/// What `fences` found out, for programs: each placement is the transitions with a fence and the change as a diff.
pub fn repair_json(system: &System, model: &SystemModel, repair: &SystemRepair, seconds: f64) -> String {
    let fence = |&number: &usize| {
        let transition = &system.transitions[number];
        Fence { transition: clean(&transition.name), line: system.file.line(transition.span) }
    };
    let placements = repair.placements.iter().map(|placement| Placement {
        cost: placement.cost,
        fences: placement.transitions.iter().map(fence).collect(),
        diff: placement.diff.clone(),
    });
    let (schema, kind, file, model) = (SCHEMA, "system-fences", system.file.name(), &*model.model.name);
    let (line, reason) = (repair.line(), repair.unknown.as_ref().map(ToString::to_string));
    pretty(&Repair { schema, kind, file, model, line, reason, placements: placements.collect(), seconds })
}
