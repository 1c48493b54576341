//! The plain data that renderers take.

pub use crate::graph::{Edge, EventKind, Graph, GraphEvent};

use engine::{FinalState, Guarantee, Verdict};
use ir::{Location, Program, State};
use serde::Serialize;
use source::{SourceFile, Span};
use std::fmt;

/// The observed locations and their values for the reader, registers first, then memory by name, as herd sorts them.
pub fn show_state(program: &Program, state: &State) -> Vec<(String, String)> {
    let mut locations: Vec<Location> = state.keys().copied().collect();
    locations.sort_by_key(|&location| crate::herd::location_key(program, location));
    let show = |location: Location| {
        let value = program.value_name(state[&location], location.width(program));
        (crate::herd::location_name(program, location), value)
    };
    locations.into_iter().map(show).collect()
}

/// A step of an [`Explanation`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// From which event.
    pub from: usize,
    /// To which event.
    pub to: usize,
    /// The name of the relation.
    pub relation: String,
    /// What it means here; made up from the relation if empty.
    pub words: String,
}

/// Why a model forbids an execution.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Explanation {
    /// The name of the axiom that is violated.
    pub axiom: String,
    /// What the axiom says: `acyclic po | rf | fr | co`.
    pub requirement: String,
    /// The cycle or path that violates it.
    pub steps: Vec<Step>,
}

/// A candidate execution and why a model forbids it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refuted {
    /// The execution.
    pub graph: Graph,
    /// Why it is forbidden.
    pub explanation: Explanation,
}

/// The name of a model for `--model` and the title in its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelName {
    /// `tso`.
    pub name: String,
    /// `TSO, as the CAV 2013 paper has it`.
    pub title: String,
}

/// What `check` found out about a program under a model.
#[derive(Debug, Clone)]
pub struct Case<'a> {
    /// The program.
    pub program: &'a Program,
    /// The model.
    pub model: ModelName,
    /// The name of the engine that decided.
    pub engine: String,
    /// What is known.
    pub verdict: &'a Verdict,
    /// The execution of an unsafe program.
    pub graph: Option<Graph>,
    /// Which axiom of sequential consistency (or another model) the execution violates, if somebody found out.
    pub explanation: Option<Explanation>,
    /// Pairs of events in program order that took effect in the other order.
    pub relaxed: Vec<(usize, usize)>,
    /// The name of the axiom by which the execution makes the whole program undefined, if it does.
    pub undefined: Option<String>,
    /// Remarks, a sentence each.
    pub notes: Vec<String>,
    /// How long it took.
    pub seconds: f64,
    /// What the search cost, in the engine's own terms.
    pub statistics: Vec<(String, u64)>,
    /// What a reader of a proof wants to know besides.
    pub facts: Facts,
}

/// How a verdict came about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// The property of a C program, as a sentence that holds if it is safe.
    pub property: String,
    /// What was chosen: definitions for the preprocessor, entry, bounds; a name and a value each.
    pub options: Vec<(String, String)>,
    /// The text of the model.
    pub definitions: String,
    /// Whether a certificate stands behind the verdict.
    pub certified: bool,
    /// The command that gives the verdict, or its certificate, again.
    pub again: String,
}

/// A fence that is put into a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FenceRow {
    /// `full`, `store-store`…
    pub kind: String,
    /// How it is written.
    pub text: String,
    /// The line of the statement beside which it is put.
    pub line: u32,
    /// The file that the line is in, if it is not the one that the user named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line for the reader: `12`, `queue.h:12`.
    #[serde(skip)]
    pub mark: String,
    /// On which side of that statement: `before` or `after`.
    pub side: String,
    /// The first line of that statement; of a table, the cell.
    pub statement: String,
    /// The function or the thread.
    pub function: String,
    /// What it costs.
    pub cost: u32,
    /// The lines of accesses that it keeps in order where they would go wrong otherwise.
    pub orders: Vec<(LineOf, LineOf)>,
    /// What goes wrong without it and with all the others.
    #[serde(skip)]
    pub without: Option<ReasonRow>,
}

/// A line, as a number where it is in the file that the user named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum LineOf {
    /// In that file.
    Main(u32),
    /// In another one: `queue.h:12`.
    Other(String),
}

impl LineOf {
    /// The line that a span begins on.
    pub fn of(source: &SourceFile, span: Span) -> LineOf {
        let mark = source.mark(span);
        mark.parse().map_or(LineOf::Other(mark), LineOf::Main)
    }
}

impl fmt::Display for LineOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineOf::Main(line) => write!(f, "{line}"),
            LineOf::Other(mark) => f.write_str(mark),
        }
    }
}

/// The memory order that an access or a fence of the text is to have.
#[derive(Debug, Clone, Serialize)]
pub struct OrderRow {
    /// The line.
    pub line: u32,
    /// The file that the line is in, if it is not the one that the user named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line for the reader: `12`, `queue.h:12`.
    #[serde(skip)]
    pub mark: String,
    /// What stands there: the order, or the operation.
    pub text: String,
    /// The order that it has.
    pub now: String,
    /// The order that it needs.
    pub needed: String,
    /// What that costs.
    pub cost: u32,
    /// The lines of accesses that it keeps in order where they would go wrong otherwise.
    pub orders: Vec<(LineOf, LineOf)>,
    /// For each of the next weaker orders, what goes wrong with it.
    pub reasons: Vec<ReasonRow>,
}

/// What goes wrong with a weaker order, or without a fence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReasonRow {
    /// The weaker order; empty for a fence.
    pub order: String,
    /// The model under which it goes wrong.
    pub model: String,
    /// What goes wrong, in a few words.
    pub what: String,
    /// The execution.
    pub execution: Option<Graph>,
    /// The execution as `check` tells it.
    #[serde(skip)]
    pub story: String,
    /// Why it is not sequentially consistent.
    #[serde(skip)]
    pub explanation: Option<Explanation>,
}

/// Fences and memory orders that make a program safe, and without any one of which it goes wrong.
#[derive(Debug, Clone)]
pub struct PlacementRow {
    /// The fences; none if none are needed.
    pub fences: Vec<FenceRow>,
    /// The memory orders that were looked at.
    pub orders: Vec<OrderRow>,
    /// What they cost together.
    pub cost: u64,
    /// The verdict on the text with them.
    pub verdict: Verdict,
    /// The change of the text as a unified diff.
    pub diff: String,
}

impl PlacementRow {
    /// The memory orders that are not those of the text.
    pub fn changed(&self) -> impl Iterator<Item = &OrderRow> {
        self.orders.iter().filter(|row| row.now != row.needed)
    }

    /// Whether the text stays as it is.
    pub fn is_empty(&self) -> bool {
        self.fences.is_empty() && self.changed().next().is_none()
    }
}

/// Why there are no more fences to show.
#[derive(Debug, Clone)]
pub enum RepairEnd<'a> {
    /// All that was asked for is there.
    Complete,
    /// No fences will do: why, and what goes wrong.
    NotRepairable(String, Option<&'a Case<'a>>),
    /// It had to stop: why.
    Unknown(String),
}

/// What `fences` found out.
#[derive(Debug, Clone)]
pub struct Repair<'a> {
    /// The program.
    pub program: &'a Program,
    /// The model.
    pub model: ModelName,
    /// The placements, the cheapest first.
    pub placements: Vec<PlacementRow>,
    /// Why there are no more.
    pub end: RepairEnd<'a>,
    /// At how many places of the text a fence could stand.
    pub places: usize,
    /// How many placements were tried.
    pub tried: u64,
    /// Whether it was also asked if a thread can wait for ever.
    pub progress: bool,
    /// Where orders were to be weakened: what those of the text cost.
    pub weakened: Option<u64>,
    /// How long it took.
    pub seconds: f64,
}

impl Repair<'_> {
    /// The last line of the text output, an interface: `FENCES 2 (cost 20)`, `NO FENCES NEEDED`, `NOT REPAIRABLE`,
    /// `UNKNOWN (reason)`; with `unwind N` in the brackets if that was the bound on loops. With memory orders `FENCES 1 ORDERS 2
    /// (cost 7)`; of `weaken`, `WEAKENED 4 of 9 (cost 6, was 20)`, `NOTHING TO WEAKEN (cost 6)` and `NOT SAFE`.
    pub fn line(&self) -> String {
        let bound = |row: &PlacementRow| match &row.verdict {
            Verdict::Safe(guarantee) if !guarantee.is_full() => Some(guarantee.to_string()),
            Verdict::Safe(_) | Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
        };
        let more = |row: &PlacementRow| bound(row).map(|bound| format!(", {bound}")).unwrap_or_default();
        match (self.placements.first(), &self.end) {
            (Some(row), _) if let Some(was) = self.weakened => {
                let (changed, all, more) = (row.changed().count(), row.orders.len(), more(row));
                if changed == 0 {
                    format!("NOTHING TO WEAKEN (cost {}{more})", row.cost)
                } else {
                    format!("WEAKENED {changed} of {all} (cost {}, was {was}{more})", row.cost)
                }
            }
            (Some(row), _) if row.is_empty() => {
                bound(row).map_or("NO FENCES NEEDED".to_owned(), |bound| format!("NO FENCES NEEDED ({bound})"))
            }
            (Some(row), _) => {
                let orders = match row.changed().count() {
                    0 => String::new(),
                    changed => format!(" ORDERS {changed}"),
                };
                format!("FENCES {}{orders} (cost {}{})", row.fences.len(), row.cost, more(row))
            }
            (None, RepairEnd::Unknown(reason)) => format!("UNKNOWN ({reason})"),
            (None, _) if self.weakened.is_some() => "NOT SAFE".to_owned(),
            (None, RepairEnd::NotRepairable(..) | RepairEnd::Complete) => "NOT REPAIRABLE".to_owned(),
        }
    }
}

/// What `why` found out: candidate executions that end as asked, and why each is forbidden.
#[derive(Debug, Clone)]
pub struct Why<'a> {
    /// The program.
    pub program: &'a Program,
    /// The model.
    pub model: ModelName,
    /// The executions; none if no candidate ends as asked.
    pub refuted: Vec<Refuted>,
}

/// How often a condition's proposition holds in final states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Kind {
    /// In no final state.
    Never,
    /// In some but not in all.
    Sometimes,
    /// In all.
    Always,
    /// Nobody knows; a note says why.
    Unknown,
}

impl Kind {
    /// The kind for these numbers of executions that do and do not satisfy the proposition, as herd decides it.
    pub fn of(positive: u64, negative: u64) -> Kind {
        match (positive, negative) {
            (0, _) => Kind::Never,
            (_, 0) => Kind::Always,
            _ => Kind::Sometimes,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Never => "Never",
            Kind::Sometimes => "Sometimes",
            Kind::Always => "Always",
            Kind::Unknown => "Unknown",
        }
    }
}

/// What `litmus` observed of a test under a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Observation {
    /// The file.
    pub file: String,
    /// The name of the test.
    pub test: String,
    /// The model's name.
    pub model: String,
    /// How often.
    #[serde(rename = "observation")]
    pub kind: Kind,
    /// How many final states there are, if they were counted.
    pub states: Option<u64>,
    /// Why it is unknown, or another remark; mostly empty.
    pub note: String,
    /// How long it took.
    pub seconds: f64,
}

/// All final states of a program under a model.
#[derive(Debug, Clone)]
pub struct StateTable<'a> {
    /// The program.
    pub program: &'a Program,
    /// The model.
    pub model: ModelName,
    /// The states; those that the program's filter excludes must not be there.
    pub states: &'a [FinalState],
    /// How far the engine looked.
    pub guarantee: &'a Guarantee,
    /// How long it took.
    pub seconds: f64,
}

/// A row of a [`ModelTable`].
#[derive(Debug, Clone)]
pub struct ModelRow {
    /// The model.
    pub model: ModelName,
    /// The models that this one is weaker than, from the head of its file.
    pub weaker_than: Vec<String>,
    /// What is known under it.
    pub verdict: Verdict,
    /// How long it took.
    pub seconds: f64,
}

/// A program under several models.
#[derive(Debug, Clone)]
pub struct ModelTable<'a> {
    /// The program.
    pub program: &'a Program,
    /// The models.
    pub rows: Vec<ModelRow>,
}

impl ModelTable<'_> {
    /// The names of the models under which the program is safe, without those that have a weaker safe model.
    pub fn weakest_safe(&self) -> Vec<&str> {
        let safe: Vec<&ModelRow> = self.rows.iter().filter(|row| matches!(row.verdict, Verdict::Safe(_))).collect();
        let covered = |row: &ModelRow| safe.iter().any(|other| self.is_weaker(&other.model.name, &row.model.name));
        safe.iter().filter(|row| !covered(row)).map(|row| row.model.name.as_str()).collect()
    }

    /// Whether the first model is weaker than the second, through any chain of rows.
    fn is_weaker(&self, weak: &str, strong: &str) -> bool {
        let mut reached = vec![weak];
        let mut at = 0;
        while let Some(&name) = reached.get(at) {
            at += 1;
            for row in self.rows.iter().filter(|row| row.model.name == name) {
                for next in &row.weaker_than {
                    if next == strong && strong != weak {
                        return true;
                    }
                    if !reached.contains(&next.as_str()) {
                        reached.push(next);
                    }
                }
            }
        }
        false
    }
}
