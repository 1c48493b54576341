//! The source with line numbers, its instructions linked to events.

use crate::data::{Graph, GraphEvent};
use crate::svg::escape;
use ir::Program;
use std::fmt::Write;

/// More letters than this are not written beside a line.
const LETTERS: usize = 4;

/// The source with line numbers; the lines of events carry their letters, the instructions are marked. Of further files
/// only those are shown in which something happens.
pub(super) fn source(out: &mut String, program: &Program, graph: Option<&Graph>) {
    let all = graph.map_or(&[][..], |graph| &graph.events);
    for file in program.source.files() {
        let own: Vec<&GraphEvent> = all
            .iter()
            .filter(|event| event.line > 0 && event.file.as_deref().unwrap_or(program.source.name()) == file.name)
            .collect();
        if file.start > 0 && own.is_empty() {
            continue;
        }
        let name = escape(file.name);
        let width = letters_width(&own);
        let _ = writeln!(out, "<div class=\"source\">\n<h2>{name}</h2>\n<pre style=\"--letters: {width}ch\">");
        let mut start = file.start as usize;
        for (at, text) in file.text.split_inclusive('\n').enumerate() {
            let mut here: Vec<&GraphEvent> =
                own.iter().copied().filter(|event| event.line as usize == at + 1).collect();
            let (letters, line) = (escape(&letters(&here)), at + 1);
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

/// The letters of the events of a line.
fn letters(here: &[&GraphEvent]) -> String {
    let mut letters: Vec<&str> = here.iter().map(|event| event.label.as_str()).take(LETTERS).collect();
    letters.extend((here.len() > LETTERS).then_some("\u{2026}"));
    letters.join(" ")
}

/// How many letters stand beside some line at most: all lines of a text begin at the same place.
fn letters_width(events: &[&GraphEvent]) -> usize {
    let mut lines = events.to_vec();
    lines.sort_by_key(|event| event.line);
    lines.chunk_by(|a, b| a.line == b.line).map(|here| letters(here).chars().count()).max().unwrap_or(0)
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
