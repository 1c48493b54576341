//! The search as a graph: cubes, and the transitions that lead from one to the next. Bad states stand on the right, what
//! leads to them to the left of them, as time goes by.

use super::{SystemCase, clean};
use crate::svg::escape;
use std::fmt::Write;
use system::certificate::Found;

/// More cubes than this are not drawn; of a run that ends badly only its own cubes are.
const DRAWN: usize = 60;

const CHARACTER: f64 = 7.3;
const LINE: f64 = 17.0;
const MARGIN: f64 = 24.0;
const GAP: f64 = 18.0;

/// The cubes to be drawn, by their numbers in the search; nothing if they are too many.
pub(super) fn drawn(case: &SystemCase<'_>) -> Vec<usize> {
    let all = 0..case.found.len();
    if case.found.len() <= DRAWN {
        return all.collect();
    }
    let trace: Vec<usize> = all.filter(|&at| case.found[at].on_trace).collect();
    if trace.len() <= DRAWN { trace } else { Vec::new() }
}

/// The transition of a cube with its processes.
fn label(case: &SystemCase<'_>, found: &Found) -> String {
    let Some((_, transition, processes)) = &found.from else { return String::new() };
    let processes: Vec<String> = processes.iter().map(|process| format!("#{}", process + 1)).collect();
    format!("{}({})", clean(&case.system.transitions[*transition].name), processes.join(", "))
}

/// What stands in a box: a number, and a condition a line.
fn lines(case: &SystemCase<'_>, at: usize) -> Vec<String> {
    let found = &case.found[at];
    let mut lines = vec![format!("{}{}", at + 1, if found.from.is_none() { "  bad" } else { "" })];
    lines.extend(found.cube.conditions.iter().map(|of| clean(&found.cube.condition(case.system, of))));
    lines
}

/// What is said about the order of pending reads.
pub(super) fn order(case: &SystemCase<'_>, found: &Found) -> Vec<String> {
    let words = |(at, read): (usize, &system::certificate::Read)| {
        format!("r{} by #{}: {}", at + 1, read.process + 1, clean(&read.order(case.system).join(", ")))
    };
    found.cube.reads.iter().enumerate().map(words).collect()
}

struct Box {
    at: usize,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    lines: Vec<String>,
}

struct Layout<'a> {
    case: &'a SystemCase<'a>,
    shown: &'a [usize],
    boxes: Vec<Box>,
    /// The left end of each column, from the right.
    columns: Vec<f64>,
}

impl Layout<'_> {
    fn children(&self, of: usize) -> Vec<usize> {
        let is_child = |at: &usize| self.case.found[*at].from.as_ref().is_some_and(|(to, ..)| *to == of);
        self.shown.iter().copied().filter(is_child).collect()
    }

    /// The room that a cube and all that lead to it need.
    fn room(&self, at: usize) -> f64 {
        let own = lines(self.case, at).len() as f64 * LINE + 14.0;
        let children = self.children(at);
        let below: f64 = children.iter().map(|&child| self.room(child) + GAP).sum();
        own.max(below - GAP)
    }

    fn place(&mut self, at: usize, depth: usize, top: f64) {
        let lines = lines(self.case, at);
        let room = self.room(at);
        let (width, height) = size(&lines);
        let children = self.children(at);
        let needed: f64 = children.iter().map(|&child| self.room(child) + GAP).sum::<f64>() - GAP;
        let mut below = top + (room - needed.max(0.0)) / 2.0;
        for child in children {
            self.place(child, depth + 1, below);
            below += self.room(child) + GAP;
        }
        self.boxes.push(Box { at, x: self.columns[depth], y: top + (room - height) / 2.0, width, height, lines });
    }
}

fn size(lines: &[String]) -> (f64, f64) {
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    (longest as f64 * CHARACTER + 20.0, lines.len() as f64 * LINE + 14.0)
}

/// The search as a picture; nothing if it is too large for one.
pub fn svg(case: &SystemCase<'_>) -> Option<String> {
    let shown = drawn(case);
    if shown.is_empty() {
        return None;
    }
    let depth_of = |mut at: usize| {
        let mut depth = 0;
        while let Some((to, ..)) = &case.found[at].from {
            (at, depth) = (*to, depth + 1);
        }
        depth
    };
    let deepest = shown.iter().map(|&at| depth_of(at)).max().unwrap_or(0);
    // From left to right: the deepest cubes first, with room for the names of transitions behind them.
    let mut columns = vec![0.0; deepest + 1];
    let mut x = MARGIN;
    for depth in (0..=deepest).rev() {
        columns[depth] = x;
        let here: Vec<usize> = shown.iter().copied().filter(|&at| depth_of(at) == depth).collect();
        let width = here.iter().map(|&at| size(&lines(case, at)).0).fold(0.0, f64::max);
        let name = here.iter().map(|&at| label(case, &case.found[at]).chars().count()).max().unwrap_or(0);
        x += width + name as f64 * CHARACTER + 64.0;
    }
    let width = x - 64.0 + MARGIN;
    let mut layout = Layout { case, shown: &shown, boxes: Vec::new(), columns };
    let mut y = MARGIN;
    for &root in shown.iter().filter(|&&at| case.found[at].from.is_none()) {
        layout.place(root, 0, y);
        y += layout.room(root) + GAP;
    }
    let width = width.max(560.0);
    let height = y + 34.0;
    // In a page it shrinks with its window, as long as it can be read.
    let least = width * 0.7;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"search\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" style=\"min-width: {least:.0}px\" role=\"img\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"12\">"
    );
    let title = format!("The search in {} under {}", case.system.file.name(), clean(&case.model.model.name));
    let _ = writeln!(out, "<title>{}</title>", escape(&title));
    out += "<defs>\n";
    for (name, colour) in [("plain", "#606a78"), ("run", "#b3201c")] {
        let _ = writeln!(
            out,
            "<marker id=\"search-{name}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" \
             markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0.8 L10 5 L0 9.2 L2.5 5 z\" fill=\"{colour}\"/></marker>"
        );
    }
    let _ = writeln!(out, "</defs>\n<rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#ffffff\"/>");
    layout.boxes.iter().for_each(|from| edge(&mut out, case, &layout.boxes, from));
    layout.boxes.iter().for_each(|of| draw(&mut out, case, of));
    legend(&mut out, height);
    out += "</svg>\n";
    Some(out)
}

fn edge(out: &mut String, case: &SystemCase<'_>, boxes: &[Box], from: &Box) {
    let found = &case.found[from.at];
    let Some((to, ..)) = &found.from else { return };
    let Some(to) = boxes.iter().find(|of| of.at == *to) else { return };
    let on_run = found.on_trace && case.found[to.at].on_trace;
    let (name, colour, thick) = if on_run { ("run", "#b3201c", 2.4) } else { ("plain", "#606a78", 1.3) };
    let dash = if found.covered { " stroke-dasharray=\"6 4\"" } else { "" };
    let (x1, y1) = (from.x + from.width, from.y + from.height / 2.0);
    let (x2, y2) = (to.x, to.y + to.height / 2.0);
    // The name stands on a straight piece in front of the column's end.
    let label = label(case, found);
    let long = label.chars().count() as f64 * CHARACTER;
    let turn = (x2 - 44.0).max(x1 + long + 12.0).min(x2 - 20.0);
    let middle = (turn + x2) / 2.0;
    let _ = writeln!(
        out,
        "<path d=\"M{x1:.1} {y1:.1} L{turn:.1} {y1:.1} C{middle:.1} {y1:.1} {middle:.1} {y2:.1} {x2:.1} {y2:.1}\" fill=\"none\" \
         stroke=\"{colour}\" stroke-width=\"{thick}\"{dash} marker-end=\"url(#search-{name})\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{}</text>",
        x1 + 8.0,
        y1 - 5.0,
        escape(&label)
    );
}

fn draw(out: &mut String, case: &SystemCase<'_>, of: &Box) {
    let found = &case.found[of.at];
    let stroke = if found.on_trace { "#b3201c" } else { "#606a78" };
    let thick = if found.on_trace { 2.4 } else { 1.2 };
    let dash = if found.covered { " stroke-dasharray=\"6 4\"" } else { "" };
    let fill = match (found.from.is_none(), found.guessed) {
        (true, _) => "#fde4e1",
        (false, true) => "#e4eefc",
        (false, false) => "#f6f8fa",
    };
    let mut hint = order(case, found).join("\n");
    if found.covered {
        hint = format!("covered by another cube\n{hint}");
    }
    let _ = writeln!(
        out,
        "<g class=\"cube\"><title>{}</title><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\" fill=\"{fill}\" \
         stroke=\"{stroke}\" stroke-width=\"{thick}\"{dash}/>",
        escape(hint.trim()),
        of.x,
        of.y,
        of.width,
        of.height
    );
    for (row, line) in of.lines.iter().enumerate() {
        let (weight, colour) = if row == 0 { (" font-weight=\"bold\"", "#505866") } else { ("", "#1b2028") };
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\"{weight}>{}</text>",
            of.x + 10.0,
            of.y + 18.0 + row as f64 * LINE,
            escape(line)
        );
    }
    out.push_str("</g>\n");
}

fn legend(out: &mut String, height: f64) {
    let y = height - 16.0;
    let mut x = MARGIN;
    for (words, fill, stroke, dash) in [
        ("bad states", "#fde4e1", "#606a78", ""),
        ("cube", "#f6f8fa", "#606a78", ""),
        ("guessed", "#e4eefc", "#606a78", ""),
        ("covered later", "#f6f8fa", "#606a78", " stroke-dasharray=\"6 4\""),
        ("the run", "#f6f8fa", "#b3201c", ""),
    ] {
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"16\" height=\"12\" rx=\"3\" fill=\"{fill}\" stroke=\"{stroke}\"{dash}/>\
             <text x=\"{:.1}\" y=\"{y:.1}\" fill=\"#505866\">{words}</text>",
            y - 10.0,
            x + 22.0
        );
        x += 22.0 + words.len() as f64 * CHARACTER + 20.0;
    }
}

/// A string between quotes of the dot language; lines begin on the left.
fn quoted(lines: &[String]) -> String {
    let line = |line: &String| format!("{}\\l", line.replace('\\', "\\\\").replace('"', "\\\""));
    format!("\"{}\"", lines.iter().map(line).collect::<String>())
}

/// The search for graphviz.
pub fn dot(case: &SystemCase<'_>) -> String {
    let mut out = String::from("digraph G {\n");
    let title = format!("{} under {}: {}", clean(case.system.file.name()), clean(&case.model.model.name), case.verdict);
    let _ = writeln!(out, "label=\"{}\";", title.replace('\\', "\\\\").replace('"', "\\\""));
    out += "layout=dot;\nrankdir=LR;\nnode [shape=box, style=rounded, fontname=\"Courier\", fontsize=10];\n";
    out += "edge [fontname=\"Helvetica\", fontsize=10];\n";
    for (at, found) in case.found.iter().enumerate() {
        let mut text = lines(case, at);
        text.extend(order(case, found));
        let mut more = String::new();
        if found.covered {
            more += ", style=\"rounded,dashed\"";
        }
        if found.on_trace {
            more += ", color=red, penwidth=2";
        }
        let _ = writeln!(out, "n{} [label={}{more}];", at + 1, quoted(&text));
    }
    for (at, found) in case.found.iter().enumerate() {
        let Some((to, ..)) = &found.from else { continue };
        let on_run = found.on_trace && case.found[*to].on_trace;
        let mut more = if found.covered { ", style=dashed".to_owned() } else { String::new() };
        if on_run {
            more += ", color=red, fontcolor=red, penwidth=2";
        }
        let name = label(case, found).replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(out, "n{} -> n{} [label=\"{name}\"{more}];", at + 1, to + 1);
    }
    out += "}\n";
    out
}
