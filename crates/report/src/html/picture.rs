//! The pictures of an execution: the cycle, everything with runs of events folded, everything.

use crate::data::Graph;
use crate::svg::{self, class, escape};
use ir::Program;
use std::fmt::Write;

/// Beyond this many events a picture of all of them is no help.
const MOST: usize = 260;

/// Relations that are shown only on demand where they are on no cycle.
const FOLDED: &[&str] = &["co", "fr", "addr", "data", "ctrl", "rmw", "start", "join"];

/// The pictures that there are, the simplest first, of which one is shown.
pub(super) fn pictures(out: &mut String, program: &Program, graph: &Graph, model: &str) {
    let title = format!("{} under {model}", program.name);
    let drawn = graph.events.iter().filter(|event| graph.is_drawn(event.id)).count();
    let mut all: Vec<(&str, Graph)> = Vec::new();
    all.extend(graph.cycle().map(|cycle| ("The cycle", cycle)));
    all.extend(graph.folded().map(|folded| ("Everything, runs of events folded", folded)));
    if drawn <= MOST {
        all.push(("Everything", Graph { story: None, replay: None, ..graph.clone() }));
    }
    out.push_str("<div class=\"picture\">\n<div class=\"tabs\" role=\"tablist\">");
    for (at, (name, _)) in all.iter().enumerate().filter(|_| all.len() > 1) {
        let _ = write!(
            out,
            "<button type=\"button\" role=\"tab\" data-tab=\"{at}\" aria-selected=\"{}\">{name}</button>",
            at == 0
        );
    }
    out.push_str(
        "<span class=\"zoom\"><button type=\"button\" data-zoom=\"out\" aria-label=\"smaller\">\u{2212}</button>\
         <button type=\"button\" data-zoom=\"fit\">fit</button><button type=\"button\" data-zoom=\"in\" aria-label=\"larger\">+</button></span></div>\n",
    );
    for (at, (name, part)) in all.iter().enumerate() {
        // Identifiers are those of the whole page, which may show several executions.
        let prefix = format!("v{}-", out.matches("class=\"view\"").count());
        let _ = writeln!(out, "<div class=\"view\" data-view=\"{at}\" aria-label=\"{name}\">");
        switches(out, part, *name == "The cycle");
        out.push_str("<div class=\"canvas\" tabindex=\"0\" role=\"group\" aria-label=\"picture; drag to move it\">\n");
        out.push_str(&svg::render_part(part, &title, &prefix));
        out.push_str("</div>\n</div>\n");
    }
    out.push_str("</div>\n");
}

/// A switch for each relation that is drawn and for the initial writes.
fn switches(out: &mut String, graph: &Graph, cycle: bool) {
    let mut relations: Vec<&str> = Vec::new();
    for edge in graph.edges.iter().filter(|edge| graph.is_edge_drawn(edge)) {
        if !relations.contains(&edge.relation.as_str()) {
            relations.push(&edge.relation);
        }
    }
    let initial = graph.events.iter().any(|event| event.initial && graph.is_drawn(event.id));
    relations.extend(initial.then_some("init"));
    if cycle && relations.len() < 2 {
        return;
    }
    out.push_str("<div class=\"switches\">");
    for relation in &relations {
        let folded = !cycle && (FOLDED.contains(relation) || *relation == "init");
        let checked = if folded { "" } else { " checked" };
        let (class, name) = (class(relation), escape(relation));
        let _ = write!(out, "<label><input type=\"checkbox\"{checked} data-relation=\"{class}\">{name}</label>");
    }
    out.push_str("</div>\n");
}
