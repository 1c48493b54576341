//! The execution for graphviz, drawn as herd7 draws it with `-graph columns`: for `neato`, a column per thread at
//! pinned positions, events as plain text.

use crate::data::{Graph, GraphEvent};
use std::fmt::Write;

/// A string between quotes of the dot language.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\r', "").replace('\n', "\\n");
    format!("\"{text}\"")
}

/// herd's colours.
fn colour(relation: &str) -> &'static str {
    match relation {
        "po" => "black",
        "rf" => "red",
        "co" => "blue",
        "fr" => "#ffa040",
        "addr" | "data" | "ctrl" => "indigo",
        "start" | "join" => "gray",
        _ => "darkgreen",
    }
}

/// Inches between columns, at least.
const COLUMN: f64 = 1.9;
/// Inches between rows.
const ROW: f64 = 0.9;
/// How wide a letter is, and how much room there is between two columns for the names of relations.
const LETTER: f64 = 0.117;
const GAP: f64 = 0.6;

/// The graph, entitled `title`.
pub fn render(graph: &Graph, title: &str) -> String {
    let mut out = String::from("digraph G {\n\n/* legend */\n");
    let _ = writeln!(out, "label={};", quoted(title));
    out += "layout=neato;\nsplines=true;\nnode [fontname=\"Courier\"];\nedge [fontname=\"Helvetica\"];\n";
    let drawn = |event: &&GraphEvent| graph.is_drawn(event.id);
    let of = |thread: Option<u32>| graph.events.iter().filter(move |event| event.thread == thread).filter(drawn);
    let letters = graph.events.iter().filter(drawn).map(|event| event.show().chars().count()).max().unwrap_or(0);
    let column = COLUMN.max(letters as f64 * LETTER + GAP);
    let height = (0..graph.threads.len()).map(|t| of(Some(t as u32)).count()).max().unwrap_or(0) as f64 * ROW;
    let mut node = |event: &GraphEvent, x: f64, y: f64| {
        let label = quoted(&event.show());
        let _ = writeln!(out, "eiid{} [label={label}, shape=\"none\", pos=\"{x:.6},{y:.6}!\"];", event.id);
    };
    for (at, event) in of(None).enumerate() {
        node(event, column * (at as f64 + 1.0), height + 2.0 * ROW);
    }
    for thread in 0..graph.threads.len() {
        for (at, event) in of(Some(thread as u32)).enumerate() {
            node(event, column * (thread as f64 + 1.0), height - ROW * at as f64);
        }
    }
    out += "\n/* threads */\n";
    for (thread, name) in graph.threads.iter().enumerate() {
        let (x, y) = (column * (thread as f64 + 1.0), height + 0.75);
        let label = quoted(&format!("Thread {thread}"));
        let label = if *name == format!("P{thread}") { label } else { quoted(name) };
        let _ = writeln!(out, "proc{thread}_label_node [shape=none, label={label}, pos=\"{x:.6},{y:.6}!\"];");
    }
    out += "\n/* edges */\n";
    for edge in graph.edges.iter().filter(|edge| graph.is_drawn(edge.from) && graph.is_drawn(edge.to)) {
        let (relation, colour) = (quoted(&edge.relation), colour(&edge.relation));
        let bold = if edge.highlight { ", penwidth=\"3\"" } else { "" };
        let attributes = format!("label={relation}, color=\"{colour}\", fontcolor=\"{colour}\"{bold}");
        let _ = writeln!(out, "eiid{} -> eiid{} [{attributes}];", edge.from, edge.to);
    }
    out += "}\n";
    out
}
