//! The plain data that renderers take.

use engine::{FinalState, Guarantee, Verdict};
use ir::{Location, Program, State, Width};
use model::{Relation, Structure};
use serde::Serialize;
use source::Span;
use witness::{Action, Execution};

/// What kind of event it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// Takes a value from memory.
    Read,
    /// Gives a value to memory.
    Write,
    /// Touches no memory.
    Fence,
}

/// An event of a [`Graph`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GraphEvent {
    /// Its position in [`Graph::events`] and in the execution.
    pub id: usize,
    /// The letter that the reader knows it by; empty for initial writes.
    pub label: String,
    /// Whose it is; the initial writes belong to nobody.
    pub thread: Option<u32>,
    /// What it is.
    pub kind: EventKind,
    /// `W[x]=1`.
    pub text: String,
    /// The names of its tags.
    pub tags: Vec<String>,
    /// The line of its instruction, from 1; 0 for initial writes.
    pub line: u32,
    /// The character of the line at which its instruction begins, from 1; 0 for initial writes.
    pub column: u32,
    /// The character after the instruction, or after the line if it goes on beyond it.
    pub end_column: u32,
    /// The text of its instruction.
    pub source: String,
    /// Whether it is an initial write.
    pub initial: bool,
}

impl GraphEvent {
    /// The event with its letter: `a: W[x]=1`, `b: W[y]=1 (rel)`, `init: [x]=0`.
    pub fn show(&self) -> String {
        if self.initial {
            return format!("init: {}", self.text.trim_start_matches('W'));
        }
        if self.tags.is_empty() || self.kind == EventKind::Fence {
            return format!("{}: {}", self.label, self.text);
        }
        format!("{}: {} ({})", self.label, self.text, self.tags.join(" "))
    }

    /// The event in running text: its letter with the line, or whose initial value it is.
    pub fn mention(&self) -> String {
        if self.initial {
            return format!("the initial {}", self.text.trim_start_matches('W'));
        }
        format!("{} (line {})", self.show(), self.line)
    }
}

/// A pair of a relation, to be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edge {
    /// From which event.
    pub from: usize,
    /// To which event.
    pub to: usize,
    /// The name of the relation.
    pub relation: String,
    /// Whether the reader should look here first.
    pub highlight: bool,
}

/// An execution to be shown: events and the pairs between them that a picture needs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Graph {
    /// The names of the threads.
    pub threads: Vec<String>,
    /// The events, in the order of the execution.
    pub events: Vec<GraphEvent>,
    /// The pairs.
    pub edges: Vec<Edge>,
    /// The final values: a location and its value each.
    pub finals: Vec<(String, String)>,
}

/// The letters of the alphabet, then `aa`, `ab`…
fn letters(mut number: usize) -> String {
    let mut out = Vec::new();
    loop {
        out.push(b'a' + (number % 26) as u8);
        if number < 26 {
            break;
        }
        number = number / 26 - 1;
    }
    out.reverse();
    String::from_utf8_lossy(&out).into_owned()
}

/// The line of a span, the column where it begins, and the column after it on that line.
fn place(program: &Program, span: Span) -> (u32, u32, u32) {
    let (start, end) = (program.source.position(span.start), program.source.position(span.end));
    let to_end_of_line = || program.source.slice(span).lines().next().map_or(0, |first| first.chars().count() as u32);
    let end_column = if end.line == start.line { end.column } else { start.column + to_end_of_line() };
    (start.line, start.column, end_column)
}

/// The pairs of a transitive relation that are not made of two others.
fn immediate(relation: &Relation) -> Vec<(usize, usize)> {
    let between = |from: usize, to: usize| relation.successors(from).any(|mid| mid != to && relation.contains(mid, to));
    relation.iter().filter(|&(from, to)| !between(from, to)).collect()
}

impl Graph {
    /// The graph of an execution. Of program order, coherence and from-reads only the immediate pairs are kept, of
    /// control dependencies the first event that depends.
    pub fn new(program: &Program, execution: &Execution, structure: &Structure) -> Graph {
        let mut next = 0;
        let mut events = Vec::new();
        for (id, event) in execution.events.iter().enumerate() {
            let tags: Vec<String> = event.tags.iter().map(|tag| program.tags[tag.index()].clone()).collect();
            let access = |letter: char, address, value| {
                let width = program.cell(address).map_or(Width::WORD, |cell| cell.width);
                format!("{letter}[{}]={}", program.address_name(address), program.value_name(value, width))
            };
            let (kind, text) = match event.action {
                Action::Read { address, value } => (EventKind::Read, access('R', address, value)),
                Action::Write { address, value } => (EventKind::Write, access('W', address, value)),
                Action::Fence => (EventKind::Fence, format!("F[{}]", tags.join(" "))),
            };
            let initial = event.thread.is_none();
            let label = if initial { String::new() } else { letters(next) };
            next += usize::from(!initial);
            let (line, column, end_column) = if initial { (0, 0, 0) } else { place(program, event.span) };
            let source = program.source.slice(event.span).split_whitespace().collect::<Vec<_>>().join(" ");
            let source = if initial { String::new() } else { source };
            let thread = event.thread.map(|thread| thread.0);
            events.push(GraphEvent { id, label, thread, kind, text, tags, line, column, end_column, source, initial });
        }
        let finals = show_state(program, &execution.finals);
        let threads = program.threads.iter().map(|thread| thread.name.clone()).collect();
        let mut graph = Graph { threads, events, edges: Vec::new(), finals };
        graph.connect(structure);
        graph
    }

    fn connect(&mut self, s: &Structure) {
        let po = immediate(&s.po).into_iter().filter(|&(from, _)| !self.events[from].initial).collect();
        let co = immediate(&s.co);
        let mut fr: Vec<(usize, usize)> = Vec::new();
        for (write, read) in s.rf.iter() {
            let over = co.iter().filter(|&&(from, to)| from == write && !s.rmw.contains(read, to));
            fr.extend(over.map(|&(_, to)| (read, to)));
        }
        fr.sort_unstable();
        let first = |&(from, to): &(usize, usize)| !s.ctrl.successors(from).any(|mid| s.po.contains(mid, to));
        let ctrl = s.ctrl.iter().filter(first).collect();
        let all = |relation: &Relation| relation.iter().collect::<Vec<_>>();
        let relations = [
            ("po", po),
            ("rf", all(&s.rf)),
            ("co", co),
            ("fr", fr),
            ("addr", all(&s.addr)),
            ("data", all(&s.data)),
            ("ctrl", ctrl),
            ("rmw", all(&s.rmw)),
        ];
        for (relation, pairs) in relations {
            for (from, to) in pairs {
                self.edges.push(Edge { from, to, relation: relation.to_owned(), highlight: false });
            }
        }
    }

    /// Marks the steps of a cycle. A step that is no edge yet becomes one; `rfe` and the like are found as `rf`.
    pub fn highlight(&mut self, steps: &[Step]) {
        for step in steps {
            let relation = base_relation(&step.relation);
            let same = |edge: &&mut Edge| edge.from == step.from && edge.to == step.to && edge.relation == relation;
            if let Some(edge) = self.edges.iter_mut().find(same) {
                edge.highlight = true;
            } else {
                self.edges.push(Edge { from: step.from, to: step.to, relation: relation.to_owned(), highlight: true });
            }
        }
    }

    /// Marks pairs in program order that took effect in the other order.
    pub fn highlight_relaxed(&mut self, pairs: &[(usize, usize)]) {
        let step = |&(from, to): &(usize, usize)| Step { from, to, relation: "po".to_owned(), words: String::new() };
        self.highlight(&pairs.iter().map(step).collect::<Vec<_>>());
    }

    /// The edges of a relation.
    pub fn edges_of<'a>(&'a self, relation: &'a str) -> impl Iterator<Item = &'a Edge> + 'a {
        self.edges.iter().filter(move |edge| edge.relation == relation)
    }

    /// Whether an event belongs in a picture: all do but the initial writes that nobody reads and no cycle mentions.
    pub fn is_drawn(&self, id: usize) -> bool {
        let wanted = |e: &Edge| (e.from == id || e.to == id) && (e.relation == "rf" || e.highlight);
        !self.events[id].initial || self.edges.iter().any(wanted)
    }

    /// Whether an edge belongs in a picture: not if an end is missing. That everything comes after the initial writes
    /// goes without saying.
    pub fn is_edge_drawn(&self, edge: &Edge) -> bool {
        let evident = edge.relation == "co" && self.events[edge.from].initial && !edge.highlight;
        !evident && self.is_drawn(edge.from) && self.is_drawn(edge.to)
    }

    /// A pair of a relation in words, with lines.
    pub fn words(&self, from: usize, to: usize, relation: &str) -> String {
        let (Some(source), Some(target)) = (self.events.get(from), self.events.get(to)) else {
            return String::new();
        };
        let (from, to) = (source.mention(), target.mention());
        match base_relation(relation) {
            "po" => format!("{from} comes before {to} in program order"),
            "rf" => format!("{to} reads from {from}"),
            "co" => format!("{from} reaches memory before {to}, which overwrites it"),
            "fr" => format!("{from} reads a value that {to} overwrites later"),
            "addr" => format!("the address of {to} depends on the value of {from}"),
            "data" => format!("the value of {to} depends on the value of {from}"),
            "ctrl" => format!("whether {to} happens depends on the value of {from}"),
            "rmw" => format!("{from} and {to} are one read-modify-write"),
            other => format!("{from} is ordered before {to} by {other}"),
        }
    }
}

/// `rf` for `rfe` and `rfi`, and so on; other names as they are.
pub(crate) fn base_relation(name: &str) -> &str {
    match name {
        "rfe" | "rfi" => "rf",
        "coe" | "coi" => "co",
        "fre" | "fri" => "fr",
        "po-loc" => "po",
        other => other,
    }
}

/// The colour of a relation in pictures, as herd has them, dark enough for print.
pub(crate) fn colour(relation: &str) -> &'static str {
    match relation {
        "po" => "#202020",
        "rf" => "#d00000",
        "co" => "#1040d0",
        "fr" => "#c86400",
        "addr" | "data" | "ctrl" => "#4b0082",
        "rmw" => "#806000",
        _ => "#006400",
    }
}

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
