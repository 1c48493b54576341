//! One page about one result: verdict, story, picture, source, explanation. Nothing is loaded from elsewhere.
//!
//! What is on a page is there without its script, too. The script steps through an execution, links story, source and picture,
//! and folds what is rarely wanted.

mod bar;
mod listing;
mod picture;
mod proof;
mod repair;
mod steps;

pub(crate) use bar::{bar, moments};
pub(crate) use repair::diff;
pub use repair::fences;

use crate::data::{Case, Explanation, Graph, GraphEvent, ModelTable, Why};
use crate::herd;
use crate::svg::escape;
use crate::text;
use engine::Verdict;
use ir::Program;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What may be loaded: nothing. The page's own style and script stand in it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

fn badge(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Safe(guarantee) if guarantee.is_full() => "safe",
        Verdict::Safe(_) | Verdict::Unknown(_) => "unknown",
        Verdict::Unsafe(_) => "unsafe",
    }
}

/// The page for what `check` found out.
pub fn check(case: &Case<'_>) -> String {
    page_for(case, String::new())
}

/// The page for what `check` found out under several models: their verdicts, and one of them in full.
pub fn machines(models: &ModelTable<'_>, case: &Case<'_>) -> String {
    let mut out = String::from("<table class=\"models\">\n<caption>Under each model</caption>\n");
    for row in &models.rows {
        let (name, title) = (escape(&row.model.name), escape(&row.model.title));
        let (badge, verdict) = (badge(&row.verdict), escape(&row.verdict.to_string()));
        let _ = writeln!(
            out,
            "<tr><td><code>{name}</code></td><td>{title}</td><td><span class=\"verdict {badge}\">{verdict}</span></td></tr>"
        );
    }
    out.push_str("</table>\n");
    page_for(case, out)
}

fn page_for(case: &Case<'_>, mut body: String) -> String {
    match &case.graph {
        Some(graph) => execution(&mut body, case, graph),
        None => proof::proof(&mut body, case),
    }
    if let Some(axiom) = &case.undefined {
        let axiom = escape(axiom);
        let _ = writeln!(body, "<p class=\"note\">It is undefined: anything may happen, since {axiom} fails here.</p>");
    }
    for note in &case.notes {
        let _ = writeln!(body, "<p class=\"note\">{}</p>", escape(note));
    }
    if case.graph.is_none() {
        body += "<div class=\"pair\">\n";
        listing::source(&mut body, case.program, None);
        body += "</div>\n";
    }
    let _ = writeln!(body, "<p class=\"fine\">Engine {}, {:.2} s</p>", escape(&case.engine), case.seconds);
    let told = case.graph.as_ref().and_then(|graph| Some(steps::headline(graph, graph.story.as_ref()?)));
    let head = told.unwrap_or_else(|| question(case.program));
    page(case.program, &case.model.title, (badge(case.verdict), &case.verdict.to_string(), &head), &body)
}

/// The execution of a case: the story, the picture, what was reordered, why that is not sequentially consistent.
fn execution(body: &mut String, case: &Case<'_>, graph: &Graph) {
    let pairs = overtakings(graph, &case.relaxed);
    let mut more = String::new();
    if !pairs.is_empty() {
        let _ = writeln!(more, "<h2>Reordered</h2>\n<ul>\n{}</ul>", pairs.concat());
    }
    let told = Told { explanation: case.explanation.as_ref(), more: &more, forbidden: false };
    section(body, case.program, graph, &told, &case.model.title);
}

/// The pairs of program order that the model did not keep, as items of a list.
fn overtakings(graph: &Graph, pairs: &[(usize, usize)]) -> Vec<String> {
    let item = |(first, second): (usize, usize), words: String| {
        format!("<li data-from=\"{first}\" data-to=\"{second}\">{words}</li>\n")
    };
    if graph.story.is_some() {
        let words = text::overtakings(graph, pairs);
        return words.iter().map(|words| format!("<li>{}</li>\n", escape(words))).collect();
    }
    let events = |&(first, second): &(usize, usize)| graph.events.get(first).zip(graph.events.get(second));
    let words = |(first, second): (&GraphEvent, &GraphEvent)| {
        let ids = (first.id, second.id);
        let (first, second) = (escape(&first.mention()), escape(&second.mention()));
        item(ids, format!("<code>{second}</code> took effect before <code>{first}</code>"))
    };
    pairs.iter().filter_map(events).map(words).collect()
}

fn question(program: &Program) -> String {
    let question = program.condition.as_ref().map_or(String::new(), |_| herd::condition(program));
    if question.is_empty() { String::new() } else { format!("<code>{}</code>", escape(&question)) }
}

/// The page for what `why` found out.
pub fn why(why: &Why<'_>) -> String {
    let mut body = String::new();
    if why.refuted.is_empty() {
        body += "<p>No choice of who reads from whom ends so, whatever the model.</p>\n";
    }
    for refuted in &why.refuted {
        let told = Told { explanation: Some(&refuted.explanation), more: "", forbidden: true };
        section(&mut body, why.program, &refuted.graph, &told, &why.model.title);
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
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{name} under {model}: {line}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n\
         <span class=\"badge {badge}\">{line}</span>\n<h1>{name} <small>under {model}</small></h1>\n\
         <p class=\"question\">{question}</p>\n</header>\n<main>\n{body}</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        line = escape(line),
    )
}

/// What is said about an execution besides what happens.
#[derive(Default)]
struct Told<'a> {
    /// Which axiom it violates.
    explanation: Option<&'a Explanation>,
    /// Something to stand before that.
    more: &'a str,
    /// Whether it is one that the model forbids. What is forbidden does not happen: one steps through its cycle.
    forbidden: bool,
}

/// An execution: the bar to step through it, story, source, picture, explanation, events, final state.
fn section(out: &mut String, program: &Program, graph: &Graph, told: &Told<'_>, model: &str) {
    let Told { explanation, more, forbidden } = *told;
    out.push_str("<section class=\"execution\">\n");
    let replay = graph.replay.as_ref().filter(|_| !forbidden);
    let cycle = explanation.map_or(0, |explanation| explanation.steps.len());
    match replay {
        Some(replay) => bar(out, replay.steps.len(), "step"),
        None => bar(out, cycle, "step of the cycle"),
    }
    out.push_str("<div class=\"pair\">\n<div class=\"left\">\n");
    match (replay, &graph.story) {
        (Some(replay), story) => {
            steps::table(out, graph, replay, story.as_ref());
            moments(out, &graph.threads, &replay.moments);
        }
        (None, Some(story)) if !forbidden => steps::apart(out, graph, story),
        (None, _) => {}
    }
    out.push_str(more);
    picture::pictures(out, program, graph, model);
    if let Some(explanation) = explanation {
        explain(out, graph, explanation, forbidden, replay.is_none());
    }
    out.push_str("</div>\n");
    listing::source(out, program, Some(graph));
    out.push_str("</div>\n");
    events(out, graph);
    out.push_str("</section>\n");
}

fn explain(out: &mut String, graph: &Graph, explanation: &Explanation, forbidden: bool, stepped: bool) {
    let why = if forbidden { "Why it cannot happen" } else { "Why a stronger model forbids it" };
    let (axiom, requirement) = (escape(&explanation.axiom), escape(&explanation.requirement));
    let _ = writeln!(
        out,
        "<h2>{why}</h2>\n<p>Axiom <code>{axiom}</code>: <code>{requirement}</code> is violated.</p>\n<ol class=\"steps\">"
    );
    for (at, step) in explanation.steps.iter().enumerate() {
        let words =
            if step.words.is_empty() { graph.words(step.from, step.to, &step.relation) } else { step.words.clone() };
        let number = if stepped { format!(" data-step=\"{}\"", at + 1) } else { String::new() };
        let _ = writeln!(
            out,
            "<li{number} data-from=\"{0}\" data-to=\"{1}\" data-events=\"{0} {1}\"><code>{2}</code> {3}</li>",
            step.from,
            step.to,
            escape(&step.relation),
            escape(&words)
        );
    }
    out.push_str("</ol>\n");
}

/// More events than this are listed only on demand.
const LISTED: usize = 16;

fn events(out: &mut String, graph: &Graph) {
    let count = graph.events.iter().filter(|event| !event.initial).count();
    let open = if count <= LISTED { " open" } else { "" };
    let _ = writeln!(
        out,
        "<details{open}>\n<summary>Events ({count})</summary>\n<div class=\"tables\">\n<div class=\"wide\"><table>\n\
         <tr><th>event</th><th>thread</th><th>line</th><th>instruction</th><th>reads from</th></tr>"
    );
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
    out.push_str("</table></div>\n");
    if !graph.finals.is_empty() {
        out.push_str("<table>\n<caption>Final state</caption>\n<tr><th>location</th><th>value</th></tr>\n");
        for (name, value) in &graph.finals {
            let (name, value) = (escape(name), escape(value));
            let _ = writeln!(out, "<tr><td><code>{name}</code></td><td><code>{value}</code></td></tr>");
        }
        out.push_str("</table>\n");
    }
    out.push_str("</div>\n</details>\n");
}
