//! One page about one result: verdict, picture, source, events, explanation. Nothing is loaded from elsewhere.

mod steps;

use crate::data::{Case, Explanation, Graph, GraphEvent, Why};
use crate::herd;
use crate::svg::{self, class, escape};
use crate::text;
use engine::Verdict;
use ir::Program;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page for what `check` found out.
pub fn check(case: &Case<'_>) -> String {
    let line = case.verdict.to_string();
    let badge = match case.verdict {
        Verdict::Safe(_) => "safe",
        Verdict::Unsafe(_) => "unsafe",
        Verdict::Unknown(_) => "unknown",
    };
    let mut body = String::new();
    match &case.graph {
        Some(graph) => {
            section(&mut body, case.program, graph, case.explanation.as_ref(), &case.model.title);
            let pairs = overtakings(graph, &case.relaxed);
            if !pairs.is_empty() {
                let _ = writeln!(body, "<h2>Reordered</h2>\n<ul>\n{}</ul>", pairs.concat());
            }
        }
        None => {
            body += "<div class=\"pair\">\n";
            source(&mut body, case.program, None);
            body += "</div>\n";
        }
    }
    if let Some(axiom) = &case.undefined {
        let axiom = escape(axiom);
        let _ = writeln!(body, "<p class=\"note\">It is undefined: anything may happen, since {axiom} fails here.</p>");
    }
    for note in &case.notes {
        let _ = writeln!(body, "<p class=\"note\">{}</p>", escape(note));
    }
    let _ = writeln!(body, "<p class=\"fine\">Engine {}, {:.2} s</p>", escape(&case.engine), case.seconds);
    let told = case.graph.as_ref().and_then(|graph| Some(steps::headline(graph, graph.story.as_ref()?)));
    let head = told.unwrap_or_else(|| question(case.program));
    page(case.program, &case.model.title, (badge, &line, &head), &body)
}

/// The pairs of program order that the model did not keep, as items of a list.
fn overtakings(graph: &Graph, pairs: &[(usize, usize)]) -> Vec<String> {
    let item = |words: String| format!("<li>{words}</li>\n");
    if graph.story.is_some() {
        return text::overtakings(graph, pairs).iter().map(|words| item(escape(words))).collect();
    }
    let events = |&(first, second): &(usize, usize)| graph.events.get(first).zip(graph.events.get(second));
    let words = |(first, second): (&GraphEvent, &GraphEvent)| {
        let (first, second) = (escape(&first.mention()), escape(&second.mention()));
        item(format!("<code>{second}</code> took effect before <code>{first}</code>"))
    };
    pairs.iter().filter_map(events).map(words).collect()
}

fn question(program: &Program) -> String {
    let question = program.condition.as_ref().map_or(String::new(), |_| herd::condition(program));
    format!("<code>{}</code>", escape(&question))
}

/// The page for what `why` found out.
pub fn why(why: &Why<'_>) -> String {
    let mut body = String::new();
    if why.refuted.is_empty() {
        body += "<p>No choice of who reads from whom ends so, whatever the model.</p>\n";
    }
    for refuted in &why.refuted {
        section(&mut body, why.program, &refuted.graph, Some(&refuted.explanation), &why.model.title);
    }
    page(why.program, &why.model.title, ("safe", "FORBIDDEN", &question(why.program)), &body)
}

fn page(program: &Program, model: &str, head: (&str, &str, &str), body: &str) -> String {
    let name = if program.condition.is_none() { program.source.name() } else { &program.name };
    page_of(name, model, head, body)
}

/// A page about something with this name.
pub(crate) fn page_of(name: &str, model: &str, (badge, line, question): (&str, &str, &str), body: &str) -> String {
    let (name, model) = (escape(name), escape(model));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{name} under {model}: {line}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n\
         <span class=\"badge {badge}\">{line}</span>\n<h1>{name} <small>under {model}</small></h1>\n\
         <p class=\"question\">{question}</p>\n</header>\n<main>\n{body}</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        line = escape(line),
    )
}

/// An execution: switches, picture, source, events, final state, explanation.
fn section(out: &mut String, program: &Program, graph: &Graph, explanation: Option<&Explanation>, model: &str) {
    out.push_str("<section>\n<div class=\"pair\">\n");
    if let Some(story) = &graph.story {
        steps::table(out, graph, story);
        source(out, program, Some(graph));
        out.push_str("</div>\n<div class=\"pair\">\n");
    }
    out.push_str("<div class=\"picture\">\n<div class=\"switches\">");
    let mut relations: Vec<&str> = Vec::new();
    for edge in &graph.edges {
        if graph.is_edge_drawn(edge) && !relations.contains(&edge.relation.as_str()) {
            relations.push(&edge.relation);
        }
    }
    for relation in &relations {
        let (class, name) = (class(relation), escape(relation));
        let _ = write!(out, "<label><input type=\"checkbox\" checked data-relation=\"{class}\">{name}</label>");
    }
    out.push_str("</div>\n");
    out.push_str(&svg::render(graph, &format!("{} under {model}", program.name)));
    out.push_str("</div>\n");
    if graph.story.is_none() {
        source(out, program, Some(graph));
    }
    out.push_str("</div>\n");
    if let Some(explanation) = explanation {
        explain(out, graph, explanation);
    }
    events(out, graph);
    out.push_str("</section>\n");
}

/// The source with line numbers; the lines of events carry their letters, the instructions are marked. Of further files
/// only those are shown in which something happens.
fn source(out: &mut String, program: &Program, graph: Option<&Graph>) {
    let all = graph.map_or(&[][..], |graph| &graph.events);
    for file in program.source.files() {
        let own: Vec<&GraphEvent> = all
            .iter()
            .filter(|event| event.line > 0 && event.file.as_deref().unwrap_or(program.source.name()) == file.name)
            .collect();
        if file.start > 0 && own.is_empty() {
            continue;
        }
        let _ = writeln!(out, "<div class=\"source\">\n<h2>{}</h2>\n<pre>", escape(file.name));
        let mut start = file.start as usize;
        for (at, text) in file.text.split_inclusive('\n').enumerate() {
            let mut here: Vec<&GraphEvent> =
                own.iter().copied().filter(|event| event.line as usize == at + 1).collect();
            let letters: Vec<&str> = here.iter().map(|event| event.label.as_str()).collect();
            let (letters, line) = (escape(&letters.join(" ")), at + 1);
            here.sort_by_key(|event| (event.column, event.id));
            let marked = if here.is_empty() { "" } else { " marked" };
            let mark = escape(&program.source.mark(source::Span::new(start, start)));
            let _ = write!(out, "<span class=\"line{marked}\" data-line=\"{mark}\"><i>{line}</i><b>{letters}</b>");
            let _ = writeln!(out, "{}</span>", marked_instructions(text.trim_end_matches(['\r', '\n']), &here));
            start += text.len();
        }
        out.push_str("</pre>\n</div>\n");
    }
}

/// A line in which the instructions of events, sorted by column, are marked. Where two overlap, the first is.
fn marked_instructions(text: &str, events: &[&GraphEvent]) -> String {
    let characters: Vec<char> = text.chars().collect();
    let part = |from: usize, to: usize| escape(&characters[from..to].iter().collect::<String>());
    let (mut out, mut at) = (String::new(), 0);
    for same in events.chunk_by(|a, b| a.column == b.column) {
        let from = (same[0].column as usize).saturating_sub(1);
        let end = same.iter().map(|event| event.end_column as usize).max().unwrap_or(0);
        let to = end.saturating_sub(1).min(characters.len());
        if from < at || to <= from {
            continue;
        }
        let ids: Vec<String> = same.iter().map(|event| event.id.to_string()).collect();
        let (before, inside) = (part(at, from), part(from, to));
        let _ = write!(out, "{before}<span class=\"instruction\" data-events=\"{}\">{inside}</span>", ids.join(" "));
        at = to;
    }
    out + &part(at, characters.len())
}

fn explain(out: &mut String, graph: &Graph, explanation: &Explanation) {
    let (axiom, requirement) = (escape(&explanation.axiom), escape(&explanation.requirement));
    let _ = writeln!(
        out,
        "<h2>Axiom <code>{axiom}</code></h2>\n<p><code>{requirement}</code> is violated:</p>\n<ol class=\"steps\">"
    );
    for step in &explanation.steps {
        let words =
            if step.words.is_empty() { graph.words(step.from, step.to, &step.relation) } else { step.words.clone() };
        let _ = writeln!(
            out,
            "<li data-from=\"{}\" data-to=\"{}\"><code>{}</code> {}</li>",
            step.from,
            step.to,
            escape(&step.relation),
            escape(&words)
        );
    }
    out.push_str("</ol>\n");
}

fn events(out: &mut String, graph: &Graph) {
    out.push_str("<div class=\"tables\">\n<table>\n<caption>Events</caption>\n<tr><th>event</th><th>thread</th><th>line</th><th>instruction</th><th>reads from</th></tr>\n");
    for event in graph.events.iter().filter(|event| !event.initial) {
        let thread = event.thread.and_then(|thread| graph.threads.get(thread as usize)).map_or("", String::as_str);
        let from = graph.edges_of("rf").find(|edge| edge.to == event.id).map(|edge| graph.events[edge.from].show());
        let _ = writeln!(
            out,
            "<tr data-event=\"{}\" data-line=\"{}\"><td><code>{}</code></td><td>{}</td><td>{}</td><td><code>{}</code></td><td><code>{}</code></td></tr>",
            event.id,
            escape(&event.mark),
            escape(&event.show()),
            escape(thread),
            escape(&event.mark),
            escape(&event.source),
            escape(&from.unwrap_or_default())
        );
    }
    if graph.finals.is_empty() {
        out.push_str("</table>\n</div>\n");
        return;
    }
    out.push_str("</table>\n<table>\n<caption>Final state</caption>\n<tr><th>location</th><th>value</th></tr>\n");
    for (name, value) in &graph.finals {
        let _ = writeln!(out, "<tr><td><code>{}</code></td><td><code>{}</code></td></tr>", escape(name), escape(value));
    }
    out.push_str("</table>\n</div>\n");
}
