//! An execution as a picture or a list needs it: events with their texts, and the pairs between them.

use crate::data::{Step, show_state};
use crate::names::Names;
use crate::replay::Replay;
use crate::story::{self, Story};
use ir::Program;
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
    /// The file that the line is in, if it is not the one that the user named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line for the reader: `12`, `queue.h:12`.
    #[serde(skip)]
    pub mark: String,
    /// The character of the line at which its instruction begins, from 1; 0 for initial writes.
    pub column: u32,
    /// The character after the instruction, or after the line if it goes on beyond it.
    pub end_column: u32,
    /// The text of its instruction.
    pub source: String,
    /// Whether it is an initial write.
    pub initial: bool,
    /// For an event that stands for a run of events of its thread: the letter of the last one, and how many there are.
    #[serde(skip)]
    pub run: Option<(String, usize)>,
}

impl GraphEvent {
    /// The event with its letter: `a: W[x]=1`, `b: W[y]=1 (rel)`, `init: [x]=0`.
    pub fn show(&self) -> String {
        if self.initial {
            return format!("init: {}", self.text.trim_start_matches('W'));
        }
        if let Some((last, count)) = &self.run {
            return format!("{}\u{2013}{last}: {count} events", self.label);
        }
        if self.tags.is_empty() || self.kind == EventKind::Fence {
            return format!("{}: {}", self.label, self.text);
        }
        format!("{}: {} ({})", self.label, self.text, self.tags.join(" "))
    }

    /// The location that it accesses: `x`.
    pub fn location(&self) -> &str {
        let inside = self.text.split_once('[').map_or("", |(_, rest)| rest);
        inside.rsplit_once("]=").map_or(inside, |(location, _)| location)
    }

    /// The value that it reads or writes: `1`.
    pub fn value(&self) -> &str {
        self.text.rsplit_once("]=").map_or("", |(_, value)| value)
    }

    /// What a write does: `x = 1`.
    pub fn assignment(&self) -> String {
        format!("{} = {}", self.location(), self.value())
    }

    /// Where its instruction is, in running text: `line 12`.
    pub fn place(&self) -> String {
        source::line_words(&self.mark)
    }

    /// The event in running text: its letter with the line, or whose initial value it is.
    pub fn mention(&self) -> String {
        if self.initial {
            return format!("the initial {}", self.text.trim_start_matches('W'));
        }
        format!("{} ({})", self.show(), self.place())
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
    /// What happens step by step, for an execution in which a property fails.
    #[serde(skip)]
    pub story: Option<Story>,
    /// The same for every execution that an order of all that happens explains, with the state after each step.
    #[serde(skip)]
    pub replay: Option<Replay>,
    /// Events that a picture of a part of the execution leaves out; none are if it is empty.
    #[serde(skip)]
    pub(crate) omitted: Vec<bool>,
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

/// The name of a span's file, unless it is the one that the user named, and the line for the reader.
pub(crate) fn file_and_mark(program: &Program, span: Span) -> (Option<String>, String) {
    let source = &program.source;
    let file = (!source.is_main(span.start)).then(|| source.file_at(span.start).name.to_owned());
    (file, source.mark(span))
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
        let names = Names::new(program, execution);
        let mut next = 0;
        let mut events = Vec::new();
        for (id, event) in execution.events.iter().enumerate() {
            // Marks of places and sites mean nothing, neither to models nor to the reader.
            let names_of = event.tags.iter().map(|tag| &program.tags[tag.index()]);
            let tags: Vec<String> = names_of.filter(|tag| !tag.starts_with(['?', '!'])).cloned().collect();
            let access =
                |letter: char, at, value| format!("{letter}[{}]={}", names.address(at), names.value(at, value));
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
            let (file, mark) = if initial { (None, String::new()) } else { file_and_mark(program, event.span) };
            events.push(GraphEvent {
                id,
                label,
                thread,
                kind,
                text,
                tags,
                line,
                file,
                mark,
                column,
                end_column,
                source,
                initial,
                run: None,
            });
        }
        let finals = show_state(program, &execution.finals);
        let threads = names.threads().to_vec();
        let mut graph = Graph { threads, events, finals, ..Graph::default() };
        graph.connect(structure);
        (graph.story, graph.replay) = story::tell(program, execution, structure, &graph, &names);
        graph
    }

    fn connect(&mut self, s: &Structure) {
        let po = immediate(&s.po).into_iter().filter(|&(from, _)| !self.events[from].initial);
        let (po, across): (Vec<_>, Vec<_>) = po.partition(|&(from, to)| s.threads[from] == s.threads[to]);
        let is_first = |event: usize| event.checked_sub(1).is_none_or(|last| s.threads[last] != s.threads[event]);
        let (start, join) = across.into_iter().partition(|&(_, to)| is_first(to));
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
            ("start", start),
            ("join", join),
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
        let omitted = self.omitted.get(id).copied().unwrap_or(false);
        !omitted && (!self.events[id].initial || self.edges.iter().any(wanted))
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
            "start" => format!("{to} is in a thread that is started after {from}"),
            "join" => format!("{to} comes after the end of the thread of {from}"),
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
        "fr" => "#a85400",
        "addr" | "data" | "ctrl" => "#4b0082",
        "rmw" => "#806000",
        "start" | "join" => "#5f6b7a",
        _ => "#006400",
    }
}
