//! The steps of an execution, beside the source: a click on a step shows its line.

use crate::graph::Graph;
use crate::replay::Replay;
use crate::story::{StepKind, Story, StoryStep, Telling};
use crate::svg::escape;
use std::fmt::Write;

/// What fails, for the head of the page.
pub(super) fn headline(graph: &Graph, story: &Story) -> String {
    escape(&story.failure.sentence(&graph.threads))
}

fn name(graph: &Graph, thread: Option<u32>) -> String {
    escape(thread.and_then(|thread| graph.threads.get(thread as usize)).map_or("", String::as_str))
}

fn values(all: &[(String, String)]) -> String {
    let all: Vec<String> = all.iter().map(|(name, value)| escape(&format!("{name} = {value}"))).collect();
    all.join(", ")
}

fn open(out: &mut String, graph: &Graph, telling: Telling, story: Option<&Story>) {
    out.push_str("<div class=\"story\">\n<h2>What happens</h2>\n");
    for waiting in story.map_or(&[][..], |story| &story.waiting) {
        let (thread, what) = (name(graph, Some(waiting.thread)), escape(&waiting.what));
        let _ = writeln!(
            out,
            "<p class=\"waiting\" data-goto=\"{0}\"><b>{thread}</b> {what} in {2}: <code>{1}</code></p>",
            escape(&waiting.mark),
            escape(&waiting.source),
            escape(&source::line_words(&waiting.mark))
        );
    }
    let words = match telling {
        Telling::Turns => "The threads take turns.",
        Telling::Delayed => "The threads take turns; a delayed write reaches memory later, and others read old values.",
        Telling::Early => {
            "The steps are in the order in which they take effect, which is not always that of the program."
        }
        Telling::Apart => "No order of all steps explains this; the picture shows each thread by itself.",
    };
    let _ = writeln!(out, "<p>{words}</p>");
}

/// A story that no order of all steps explains.
pub(super) fn apart(out: &mut String, graph: &Graph, story: &Story) {
    open(out, graph, Telling::Apart, Some(story));
    out.push_str("</div>\n");
}

/// The table of steps.
pub(super) fn table(out: &mut String, graph: &Graph, replay: &Replay, story: Option<&Story>) {
    open(out, graph, replay.telling, story);
    let initial =
        story.map_or_else(|| replay.moments.first().map_or(&[][..], |first| &first.memory), |story| &story.initial);
    if !initial.is_empty() {
        let _ = writeln!(out, "<p class=\"fine\">Initially <code>{}</code></p>", values(initial));
    }
    out.push_str("<div class=\"wide\"><table class=\"happenings\">\n");
    for step in &replay.steps {
        row(out, graph, step);
    }
    out.push_str("</table></div>\n");
    if let Some(story) = story.filter(|story| !story.state.is_empty()) {
        let _ = writeln!(out, "<p>In memory when it fails: <code>{}</code></p>", values(&story.state));
    }
    out.push_str("</div>\n");
}

fn row(out: &mut String, graph: &Graph, step: &StoryStep) {
    let kind = match step.kind {
        StepKind::Run => "run",
        StepKind::Arrive => "arrive",
        StepKind::Fail => "fail",
    };
    let colour = step.thread.map_or(0, |thread| thread % 6);
    let events: Vec<String> = step.events.iter().map(ToString::to_string).collect();
    let line = escape(&step.mark);
    let thread = name(graph, step.thread);
    let memory = if step.kind == StepKind::Arrive { " <i>memory</i>" } else { "" };
    let number = step.number;
    let _ = writeln!(
        out,
        "<tr class=\"{kind} thread-{colour}\" tabindex=\"0\" data-step=\"{number}\" data-goto=\"{}\" data-events=\"{}\"><td>{number}</td>\
         <td>{thread}{memory}</td><td>{line}</td><td><code>{}</code></td><td>{}</td></tr>",
        if step.line == 0 { "0" } else { &line },
        events.join(" "),
        escape(&step.source),
        escape(&step.what)
    );
}
