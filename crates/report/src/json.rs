//! Results as JSON. The shape is described by `schema/fencepost-1.json`; within `fencepost/1` it only grows.

use crate::data::{
    Case, Explanation, FenceRow, Graph, ModelName, ModelRow, ModelTable, Observation, OrderRow, Refuted, Repair,
    RepairEnd, StateTable, Why,
};
use crate::herd;
use crate::story::{Failure, Story, StoryStep, Telling, Waiting};
use engine::{Bound, Guarantee, UNWIND, Verdict};
use ir::Program;
use serde::Serialize;

/// The name of the shape.
pub const SCHEMA: &str = "fencepost/1";

/// The JSON Schema of everything here.
pub const SCHEMA_TEXT: &str = include_str!("../schema/fencepost-1.json");

/// What all documents begin with.
#[derive(Serialize)]
struct Document<T> {
    schema: &'static str,
    kind: &'static str,
    #[serde(flatten)]
    body: T,
}

#[derive(Serialize)]
struct Test<'a> {
    file: &'a str,
    name: &'a str,
    arch: &'a str,
    condition: Option<String>,
}

#[derive(Serialize)]
struct Outcome {
    verdict: &'static str,
    line: String,
    unwind: Option<u32>,
    loops: Vec<u32>,
    bounds: Vec<NamedBound>,
    reason: Option<String>,
}

#[derive(Serialize)]
struct NamedBound {
    name: &'static str,
    value: Option<u32>,
    /// What holds for executions within it.
    within: String,
}

#[derive(Serialize)]
struct Pair {
    from: usize,
    to: usize,
}

#[derive(Serialize)]
struct Statistic<'a> {
    name: &'a str,
    value: u64,
}

#[derive(Serialize)]
struct Check<'a> {
    test: Test<'a>,
    model: &'a ModelName,
    engine: &'a str,
    outcome: Outcome,
    execution: Option<&'a Graph>,
    explanation: Option<&'a Explanation>,
    relaxed: Vec<Pair>,
    undefined: Option<&'a str>,
    notes: &'a [String],
    seconds: f64,
    statistics: Vec<Statistic<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<Violated<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<&'a [StoryStep]>,
}

/// What fails, how the steps are to be read, and what they begin and end with.
#[derive(Serialize)]
struct Violated<'a> {
    #[serde(flatten)]
    failure: &'a Failure,
    sentence: String,
    telling: Telling,
    initial: &'a [(String, String)],
    state: &'a [(String, String)],
    waiting: &'a [Waiting],
}

impl<'a> Violated<'a> {
    fn new(graph: &Graph, story: &'a Story) -> Self {
        Violated {
            failure: &story.failure,
            sentence: story.failure.sentence(&graph.threads),
            telling: story.telling,
            initial: &story.initial,
            state: &story.state,
            waiting: &story.waiting,
        }
    }
}

#[derive(Serialize)]
struct Litmus<'a> {
    observations: &'a [Observation],
    errors: &'a [Trouble],
}

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trouble {
    /// `usage`, `input`, `refused`, `stopped` or `internal`.
    pub reason: &'static str,
    /// What is wrong.
    pub message: String,
    /// A way round it.
    pub help: Option<String>,
    /// The file that it is about.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column, from 1.
    pub column: Option<u32>,
    /// The exit code that goes with it.
    pub exit_code: u8,
    /// The same for people.
    pub rendered: String,
}

/// Why there is no result.
pub fn error(trouble: &Trouble) -> String {
    document("error", trouble)
}

#[derive(Serialize)]
struct CountedState {
    values: Vec<(String, String)>,
    executions: u64,
    holds: Option<bool>,
    flags: Vec<String>,
}

#[derive(Serialize)]
struct States<'a> {
    test: Test<'a>,
    model: &'a ModelName,
    unwind: Option<u32>,
    loops: Vec<u32>,
    states: Vec<CountedState>,
    seconds: f64,
}

#[derive(Serialize)]
struct Reasons<'a> {
    test: Test<'a>,
    model: &'a ModelName,
    refuted: &'a [Refuted],
}

#[derive(Serialize)]
struct Row<'a> {
    model: &'a ModelName,
    outcome: Outcome,
    seconds: f64,
}

#[derive(Serialize)]
struct Models<'a> {
    test: Test<'a>,
    rows: Vec<Row<'a>>,
    weakest_safe: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<serde_json::Value>,
}

#[derive(Serialize)]
struct Fences<'a> {
    test: Test<'a>,
    model: &'a ModelName,
    line: String,
    placements: Vec<Placement<'a>>,
    complete: bool,
    reason: Option<&'a str>,
    execution: Option<&'a Graph>,
    places: usize,
    tried: u64,
    progress: bool,
    seconds: f64,
}

#[derive(Serialize)]
struct Placement<'a> {
    cost: u64,
    outcome: Outcome,
    fences: &'a [FenceRow],
    orders: &'a [OrderRow],
    diff: &'a str,
}

pub(crate) fn document<T: Serialize>(kind: &'static str, body: T) -> String {
    let document = Document { schema: SCHEMA, kind, body };
    let mut out =
        serde_json::to_string_pretty(&document).expect("keys are strings and nothing here fails to serialise");
    out.push('\n');
    out
}

fn test(program: &Program) -> Test<'_> {
    let condition = program.condition.as_ref().map(|_| herd::condition(program));
    Test { file: program.source.name(), name: &program.name, arch: &program.arch, condition }
}

fn bound(program: &Program, guarantee: &Guarantee) -> (Option<u32>, Vec<u32>) {
    let Some(unwind) = guarantee.bound(UNWIND) else { return (None, Vec::new()) };
    (unwind.value, unwind.cuts.iter().map(|&span| program.source.line(span)).collect())
}

fn outcome(program: &Program, verdict: &Verdict) -> Outcome {
    let full = Guarantee::FULL;
    let guarantee = match verdict {
        Verdict::Safe(guarantee) => guarantee,
        Verdict::Unsafe(_) | Verdict::Unknown(_) => &full,
    };
    let (unwind, loops) = bound(program, guarantee);
    let named = |bound: &Bound| NamedBound { name: bound.name, value: bound.value, within: bound.within.clone() };
    let bounds = guarantee.bounds().iter().map(named).collect();
    let (name, reason) = match verdict {
        Verdict::Safe(_) => ("safe", None),
        Verdict::Unsafe(_) => ("unsafe", None),
        Verdict::Unknown(reason) => ("unknown", Some(reason.to_string())),
    };
    Outcome { verdict: name, line: verdict.to_string(), unwind, loops, bounds, reason }
}

/// What `check` found out.
pub fn check(case: &Case<'_>) -> String {
    let told = case.graph.as_ref().and_then(|graph| Some((graph, graph.story.as_ref()?)));
    let body = Check {
        test: test(case.program),
        model: &case.model,
        engine: &case.engine,
        outcome: outcome(case.program, case.verdict),
        execution: case.graph.as_ref(),
        explanation: case.explanation.as_ref(),
        relaxed: case.relaxed.iter().map(|&(from, to)| Pair { from, to }).collect(),
        undefined: case.undefined.as_deref(),
        notes: &case.notes,
        seconds: case.seconds,
        statistics: case.statistics.iter().map(|(name, value)| Statistic { name, value: *value }).collect(),
        violation: told.map(|(graph, story)| Violated::new(graph, story)),
        threads: told.map(|(graph, _)| &graph.threads[..]),
        steps: told.map(|(_, story)| &story.steps[..]),
    };
    document("check", body)
}

/// What `litmus` observed.
pub fn litmus(observations: &[Observation], errors: &[Trouble]) -> String {
    document("litmus", Litmus { observations, errors })
}

/// All final states.
pub fn states(table: &StateTable<'_>) -> String {
    let program = table.program;
    let (unwind, loops) = bound(program, table.guarantee);
    let state = |found: &engine::FinalState| CountedState {
        values: crate::data::show_state(program, &found.state),
        executions: found.executions,
        holds: program.condition.as_ref().map(|c| c.proposition.holds(&found.state)),
        flags: found.flags.clone(),
    };
    let states = table.states.iter().map(state).collect();
    document(
        "states",
        States { test: test(program), model: &table.model, unwind, loops, states, seconds: table.seconds },
    )
}

/// Why an outcome is forbidden.
pub fn why(why: &Why<'_>) -> String {
    document("why", Reasons { test: test(why.program), model: &why.model, refuted: &why.refuted })
}

/// Which fences make a program safe.
pub fn fences(repair: &Repair<'_>) -> String {
    let (reason, case) = match &repair.end {
        RepairEnd::Complete => (None, None),
        RepairEnd::NotRepairable(why, case) => (Some(&**why), *case),
        RepairEnd::Unknown(reason) => (Some(&**reason), None),
    };
    let row = |row: &'_ crate::data::PlacementRow| outcome(repair.program, &row.verdict);
    let placements = repair.placements.iter();
    let placements = placements
        .map(|p| Placement { cost: p.cost, outcome: row(p), fences: &p.fences, orders: &p.orders, diff: &p.diff })
        .collect();
    let body = Fences {
        test: test(repair.program),
        model: &repair.model,
        line: repair.line(),
        placements,
        complete: matches!(repair.end, RepairEnd::Complete | RepairEnd::NotRepairable(..)),
        reason,
        execution: case.and_then(|case| case.graph.as_ref()),
        places: repair.places,
        tried: repair.tried,
        progress: repair.progress,
        seconds: repair.seconds,
    };
    document(if repair.weakened.is_some() { "weaken" } else { "fences" }, body)
}

/// A program under several models.
pub fn models<'t>(table: &'t ModelTable<'_>) -> String {
    let row = |row: &'t ModelRow| Row {
        model: &row.model,
        outcome: outcome(table.program, &row.verdict),
        seconds: row.seconds,
    };
    let rows = table.rows.iter().map(row).collect();
    document("models", Models { test: test(table.program), rows, weakest_safe: table.weakest_safe(), shown: None })
}

/// Verdicts of several models, and what `check` says about one of them.
pub fn machines<'t>(table: &'t ModelTable<'_>, case: &'t Case<'_>) -> String {
    let row = |row: &'t ModelRow| Row {
        model: &row.model,
        outcome: outcome(table.program, &row.verdict),
        seconds: row.seconds,
    };
    let rows = table.rows.iter().map(row).collect();
    let shown = serde_json::from_str(&check(case)).ok();
    document("models", Models { test: test(table.program), rows, weakest_safe: table.weakest_safe(), shown })
}
