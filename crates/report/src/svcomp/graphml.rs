//! Witnesses of violations as GraphML, version 1.0: a path of steps, each with its thread and its line.

use super::{Task, assumptions, sha256, told};
use crate::data::Case;
use crate::graph::Graph;
use crate::story::{StepKind, Story, spawn_place};
use crate::svg::escape;
use engine::Verdict;
use ir::Program;
use std::fmt::Write;
use witness::Execution;

/// Keys, what they belong to, and their defaults.
const KEYS: &[(&str, &str, &str)] = &[
    ("witness-type", "graph", ""),
    ("sourcecodelang", "graph", ""),
    ("producer", "graph", ""),
    ("specification", "graph", ""),
    ("programfile", "graph", ""),
    ("programhash", "graph", ""),
    ("architecture", "graph", ""),
    ("creationtime", "graph", ""),
    ("entry", "node", "false"),
    ("violation", "node", "false"),
    ("threadId", "edge", ""),
    ("createThread", "edge", ""),
    ("startline", "edge", ""),
    ("enterFunction", "edge", ""),
    ("assumption", "edge", ""),
];

/// The path that is being written.
struct Path {
    out: String,
    nodes: usize,
}

impl Path {
    /// A node.
    fn node(&mut self, data: Option<&str>) {
        let _ = write!(self.out, "  <node id=\"N{}\">", self.nodes);
        if let Some(key) = data {
            let _ = write!(self.out, "<data key=\"{key}\">true</data>");
        }
        self.out += "</node>\n";
        self.nodes += 1;
    }

    /// An edge from the last node to the next one, which comes afterwards.
    fn edge(&mut self, data: &[(&str, String)]) {
        let _ = writeln!(self.out, "  <edge source=\"N{}\" target=\"N{}\">", self.nodes - 1, self.nodes);
        for (key, value) in data.iter().filter(|(_, value)| !value.is_empty()) {
            let _ = writeln!(self.out, "    <data key=\"{key}\">{}</data>", escape(value));
        }
        self.out += "  </edge>\n";
    }
}

/// The witness of a violation of a C program; nothing if there is none, or if no order of steps explains it.
pub fn graphml(case: &Case<'_>, task: &Task<'_>) -> Option<String> {
    let (graph, story) = told(case)?;
    let Verdict::Unsafe(execution) = case.verdict else { return None };
    if story.steps.is_empty() {
        return None;
    }
    let mut path = Path { out: head(case.program, task), nodes: 0 };
    path.node(Some("entry"));
    let first = case.program.threads.first().map_or("main", |thread| &thread.name);
    let data = [("threadId", "0"), ("createThread", "0"), ("enterFunction", first)];
    path.edge(&data.map(|(key, value)| (key, value.to_owned())));
    steps(&mut path, case.program, execution, (graph, story));
    path.node(Some("violation"));
    Some(path.out + " </graph>\n</graphml>\n")
}

fn head(program: &Program, task: &Task<'_>) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n",
    );
    for (key, owner, default) in KEYS {
        let kind = if *owner == "node" { "boolean" } else { "string" };
        let _ = write!(out, " <key attr.name=\"{key}\" attr.type=\"{kind}\" for=\"{owner}\" id=\"{key}\">");
        if !default.is_empty() {
            let _ = write!(out, "<default>{default}</default>");
        }
        out += "</key>\n";
    }
    out += " <graph edgedefault=\"directed\">\n";
    let data = [
        ("witness-type", "violation_witness"),
        ("sourcecodelang", "C"),
        ("producer", &format!("Fencepost {}", task.version)),
        ("specification", task.specification.trim()),
        ("programfile", program.source.name()),
        ("programhash", &sha256(program.source.text())),
        ("architecture", if task.ilp32 { "32bit" } else { "64bit" }),
        ("creationtime", task.creation_time),
    ];
    for (key, value) in data {
        let _ = writeln!(out, "  <data key=\"{key}\">{}</data>", escape(value));
    }
    out
}

/// The steps of the story. Before the first step of a thread stand its start and the call of its function.
fn steps(path: &mut Path, program: &Program, execution: &Execution, (graph, story): (&Graph, &Story)) {
    let mut known = vec![0];
    for step in &story.steps {
        let Some(thread) = step.thread.filter(|_| step.kind != StepKind::Arrive) else { continue };
        if !known.contains(&thread) {
            known.push(thread);
            start(path, program, execution, (graph, thread));
        }
        let assumed: Vec<String> =
            assumptions(program, graph, story, step).iter().map(|fact| format!("{fact};")).collect();
        path.node(None);
        path.edge(&[
            ("threadId", thread.to_string()),
            ("startline", step.line.to_string()),
            ("assumption", assumed.join(" ")),
        ]);
    }
}

fn start(path: &mut Path, program: &Program, execution: &Execution, (graph, thread): (&Graph, u32)) {
    let started = program.threads.iter().chain(&execution.started).nth(thread as usize);
    let function = started.and_then(|thread| program.functions.get(thread.body.index()));
    let line = started.and_then(|thread| spawn_place(program, thread.body)).map(|span| program.source.line(span));
    let of = |edge: &&crate::Edge| graph.events[edge.to].thread == Some(thread);
    let parent = graph.edges_of("start").find(of).and_then(|edge| graph.events[edge.from].thread).unwrap_or(0);
    path.node(None);
    path.edge(&[
        ("threadId", parent.to_string()),
        ("startline", line.map_or(String::new(), |line| line.to_string())),
        ("createThread", thread.to_string()),
    ]);
    path.node(None);
    path.edge(&[
        ("threadId", thread.to_string()),
        ("enterFunction", function.map_or(String::new(), |function| function.name.clone())),
    ]);
}
