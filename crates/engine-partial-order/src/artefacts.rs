//! What somebody who debugs a run wants to see of it: events, relations, graphs, clauses.

use crate::events::Events;
use engine::Observer;
use logic::{Bool, OrderGraph, Solver};
use std::fmt::Write;
use symbolic::{Dependency, Kind};

/// Shows the events and what can be between them.
pub fn show_events(events: &Events<'_>, observer: &dyn Observer) {
    if observer.wants("events") {
        observer.artefact("events", &rows(events));
    }
    if observer.wants("relations") {
        observer.artefact("relations", &relations(events));
    }
}

/// Shows the graphs and the clauses.
pub fn show_formula(graphs: &[OrderGraph], solver: &Solver, observer: &dyn Observer) {
    if observer.wants("graphs") {
        observer.artefact("graphs", &dot(graphs));
    }
    if observer.wants("formula") {
        observer.artefact("formula", &solver.dimacs());
    }
}

fn rows(events: &Events<'_>) -> String {
    let (program, terms) = (events.program, &events.structure.terms);
    let mut text = String::new();
    for (number, event) in events.structure.events.iter().enumerate() {
        let thread = event.thread.map_or_else(|| "initial".to_owned(), |thread| format!("T{}", thread.0));
        let kind = match event.kind {
            Kind::Read => "read",
            Kind::Write => "write",
            Kind::Fence => "fence",
        };
        let line = program.source.line(event.span);
        let (guard, value) = (terms.show(event.guard), terms.show_term(event.value));
        let places: Vec<String> =
            events.locations[number].iter().map(|&(at, when)| location(events, at, when)).collect();
        // Writing to a string cannot fail.
        let _ = write!(text, "e{number} {thread} {kind} line {line}: when {guard}");
        if event.kind != Kind::Fence {
            let _ = write!(text, ", at {}, value {value}", places.join(" or "));
        }
        text.push('\n');
    }
    text
}

fn location(events: &Events<'_>, at: usize, when: Bool) -> String {
    let name = events.program.address_name(events.structure.locations[at].address);
    if when == Bool::TRUE { name } else { format!("{name} if {}", events.structure.terms.show(when)) }
}

fn relations(events: &Events<'_>) -> String {
    let structure = &events.structure;
    let mut text = String::new();
    let mut pair = |name: &str, from: usize, to: usize, when: Bool| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name} e{from} e{to}: {}", structure.terms.show(when));
    };
    for (read, sources) in events.rf.iter().enumerate() {
        sources.iter().for_each(|&(write, when)| pair("rf", write, read, when));
    }
    events.coherent_pairs().for_each(|co| pair("co", co.first, co.second, co.when));
    let lists: [(&str, &[Dependency]); 5] = [
        ("addr", &structure.addr),
        ("data", &structure.data),
        ("ctrl", &structure.ctrl),
        ("rmw", &structure.rmw),
        ("amo", &structure.amo),
    ];
    for (name, list) in lists {
        list.iter().for_each(|d| pair(name, d.from as usize, d.to as usize, d.when));
    }
    text
}

fn dot(graphs: &[OrderGraph]) -> String {
    let mut text = "digraph orders {\n".to_owned();
    for (number, graph) in graphs.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  subgraph cluster_{number} {{");
        for (from, to) in graph.fixed() {
            let _ = writeln!(text, "    g{number}n{from} -> g{number}n{to};");
        }
        for edge in graph.edges() {
            let sign = if edge.literal.is_negated() { "-" } else { "" };
            let label = format!("{sign}{}", edge.literal.variable() + 1);
            let _ = writeln!(text, "    g{number}n{} -> g{number}n{} [label=\"{label}\"];", edge.from, edge.to);
        }
        text += "  }\n";
    }
    text + "}\n"
}
