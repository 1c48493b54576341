//! The execution as a picture, drawn here without any other program.
//!
//! A lane per thread, events from top to bottom, initial writes in a row above if somebody reads them. The picture has
//! its own light background, so that it looks the same on a page, on a slide and in print.

use crate::graph::{Edge, EventKind, Graph, GraphEvent, colour};
use crate::route::{Curve, Point, Rect, Router};
use std::fmt::Write;

/// Width of a character of the monospaced font in events.
const CHARACTER: f64 = 8.4;
const BOX_HEIGHT: f64 = 30.0;
const ROW: f64 = 92.0;
const GAP: f64 = 148.0;
const MARGIN: f64 = 28.0;
const LANE_TITLE: f64 = 34.0;

/// Text as it may stand in XML, between tags and in attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            '\n' | '\t' => out.push(c),
            // No escape makes a control character legal in XML.
            c if c.is_control() => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// A relation's name as part of a class or an identifier.
pub(crate) fn class(relation: &str) -> String {
    relation.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

struct Layout {
    /// For each event its box, if it is drawn.
    boxes: Vec<Option<Rect>>,
    lanes: Vec<Rect>,
    width: f64,
    height: f64,
}

fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * CHARACTER
}

fn layout(graph: &Graph) -> Layout {
    let width_of = |event: &GraphEvent| text_width(&event.show()) + 22.0;
    let of = |thread: Option<u32>| {
        graph.events.iter().filter(move |event| event.thread == thread).filter(|event| graph.is_drawn(event.id))
    };
    let initial = of(None).count();
    let top = if initial > 0 { MARGIN + BOX_HEIGHT + 40.0 } else { MARGIN };
    let rows = (0..graph.threads.len()).map(|t| of(Some(t as u32)).count()).max().unwrap_or(0).max(1) as f64;
    let lane_height = LANE_TITLE + rows * ROW - (ROW - BOX_HEIGHT) + 34.0;
    let mut boxes = vec![None; graph.events.len()];
    let mut lanes = Vec::new();
    let mut x = MARGIN + 48.0;
    for (thread, name) in graph.threads.iter().enumerate() {
        let events = || of(Some(thread as u32));
        let inner = events().map(width_of).fold(text_width(name) + 20.0, f64::max);
        let center = x + inner / 2.0;
        let lane = Rect { x: center, y: top + lane_height / 2.0, width: inner + 72.0, height: lane_height };
        lanes.push(lane);
        for (row, event) in events().enumerate() {
            let y = top + LANE_TITLE + 12.0 + BOX_HEIGHT / 2.0 + row as f64 * ROW;
            let (width, height) = match event.kind {
                EventKind::Fence => (inner, BOX_HEIGHT - 8.0),
                EventKind::Read | EventKind::Write => (width_of(event), BOX_HEIGHT),
            };
            boxes[event.id] = Some(Rect { x: center, y, width, height });
        }
        x += inner + GAP;
    }
    let mut width = x - GAP + 48.0 + MARGIN;
    // Initial writes stand in even distances, in the order of the columns of their first readers.
    let reader = |id: usize| {
        let columns = graph.edges_of("rf").filter(|edge| edge.from == id);
        columns.filter_map(|edge| graph.events[edge.to].thread).min()
    };
    let mut starts: Vec<&GraphEvent> = of(None).collect();
    starts.sort_by_key(|event| (reader(event.id), event.id));
    let needed: f64 = starts.iter().map(|event| width_of(event) + 24.0).sum::<f64>() + 2.0 * MARGIN;
    if needed > width {
        width = needed;
    }
    for (at, event) in starts.iter().enumerate() {
        let x = width * (at as f64 + 0.5) / initial as f64;
        boxes[event.id] = Some(Rect { x, y: MARGIN + BOX_HEIGHT / 2.0, width: width_of(event), height: BOX_HEIGHT });
    }
    Layout { boxes, lanes, width, height: top + lane_height }
}

fn path(points: &[Point; 4]) -> String {
    let [a, b, c, d] = points;
    format!("M{:.1} {:.1} C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}", a.x, a.y, b.x, b.y, c.x, c.y, d.x, d.y)
}

/// The picture, entitled `title`.
pub fn render(graph: &Graph, title: &str) -> String {
    render_part(graph, title, "")
}

/// One of several pictures on a page: its identifiers begin with `prefix`.
pub(crate) fn render_part(graph: &Graph, title: &str, prefix: &str) -> String {
    let Layout { boxes, lanes, width, height } = layout(graph);
    let mut relations: Vec<&str> = Vec::new();
    for edge in graph.edges.iter().filter(|edge| graph.is_edge_drawn(edge)) {
        if !relations.contains(&edge.relation.as_str()) {
            relations.push(&edge.relation);
        }
    }
    let legend = legend(&relations, width, height + 30.0);
    let total = height + 30.0 + legend.1;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"execution\" viewBox=\"0 0 {width:.0} {total:.0}\" \
         width=\"{width:.0}\" height=\"{total:.0}\" role=\"img\" font-family=\"Helvetica, Arial, sans-serif\">"
    );
    let _ = writeln!(out, "<title>{}</title>", escape(title));
    out += "<defs>\n";
    for relation in &relations {
        let _ = writeln!(
            out,
            "<marker id=\"{prefix}arrow-{}\" class=\"rel-{0}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" \
             markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0.8 L10 5 L0 9.2 L2.5 5 z\" fill=\"{}\"/></marker>",
            class(relation),
            colour(relation)
        );
    }
    out += "</defs>\n";
    let _ = writeln!(out, "<rect class=\"paper\" width=\"{width:.0}\" height=\"{total:.0}\" fill=\"#ffffff\"/>");
    for (lane, name) in lanes.iter().zip(&graph.threads) {
        let (left, top) = (lane.x - lane.width / 2.0, lane.y - lane.height / 2.0);
        let _ = writeln!(
            out,
            "<rect class=\"lane\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"10\" fill=\"#f3f5f8\"/>\
             <text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"15\" font-weight=\"bold\" fill=\"#505866\">{}</text>",
            lane.width,
            lane.height,
            left + 12.0,
            top + 22.0,
            escape(name)
        );
    }
    edges(&mut out, graph, (&boxes, &lanes), Point { x: width, y: height + 26.0 }, prefix);
    for event in &graph.events {
        if let Some(rect) = boxes[event.id] {
            draw_event(&mut out, event, rect);
        }
    }
    out += &legend.0;
    out += "</svg>\n";
    out
}

fn edges(out: &mut String, graph: &Graph, (boxes, lanes): (&[Option<Rect>], &[Rect]), bounds: Point, prefix: &str) {
    let mut obstacles: Vec<Rect> = boxes.iter().flatten().copied().collect();
    obstacles.extend(lanes.iter().zip(&graph.threads).map(|(lane, name)| {
        let width = text_width(name) + 6.0;
        let (left, top) = (lane.x - lane.width / 2.0, lane.y - lane.height / 2.0);
        Rect { x: left + 10.0 + width / 2.0, y: top + 17.0, width, height: 18.0 }
    }));
    let mut router = Router::new(obstacles, bounds);
    // Short edges first: they have the least choice. Those of the initial writes last: they say the least.
    let mut order: Vec<((u8, i64), usize, Rect, Rect)> = Vec::new();
    for (at, edge) in graph.edges.iter().enumerate() {
        if !graph.is_edge_drawn(edge) {
            continue;
        }
        if let (Some(from), Some(to)) = (boxes[edge.from], boxes[edge.to]) {
            let length = (from.x - to.x).hypot(from.y - to.y) as i64;
            let rank = match edge.relation.as_str() {
                _ if graph.events[edge.from].initial => 2,
                "po" => 0,
                _ => 1,
            };
            order.push(((rank, length), at, from, to));
        }
    }
    order.sort_by_key(|&(rank, at, ..)| (rank, at));
    let mut curves: Vec<(usize, Curve)> = Vec::new();
    for (_, at, from, to) in order {
        let label = graph.edges[at].relation.chars().count() as f64 * 7.6 + 6.0;
        curves.push((at, router.route(from, to, label, 16.0)));
    }
    curves.sort_by_key(|&(at, _)| (graph.edges[at].highlight, at));
    for (at, curve) in &curves {
        let edge = &graph.edges[*at];
        let (colour, class, d) = (colour(&edge.relation), class(&edge.relation), path(&curve.points));
        let dashed = matches!(edge.relation.as_str(), "addr" | "data" | "ctrl" | "rmw" | "start" | "join");
        let dash = if dashed { " stroke-dasharray=\"6 4\"" } else { "" };
        let thick = if edge.highlight { 2.8 } else { 1.5 };
        let more = marks(graph, edge);
        let _ = write!(
            out,
            "<g class=\"edge rel-{class}{more}\" data-from=\"{}\" data-to=\"{}\"><title>{}</title>",
            edge.from,
            edge.to,
            escape(&graph.words(edge.from, edge.to, &edge.relation))
        );
        if edge.highlight {
            let _ = write!(
                out,
                "<path d=\"{d}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"11\" stroke-opacity=\"0.18\" \
                 stroke-linecap=\"round\"/>"
            );
        }
        let _ = writeln!(
            out,
            "<path d=\"{d}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{thick}\"{dash} marker-end=\"url(#{prefix}arrow-{class})\"/></g>"
        );
    }
    for (at, curve) in curves.iter().filter(|(_, curve)| curve.clear) {
        let edge = &graph.edges[*at];
        let Rect { x, y, width, height } = curve.label;
        let weight = if edge.highlight { " font-weight=\"bold\"" } else { "" };
        let _ = writeln!(
            out,
            "<g class=\"label rel-{}{}\" data-from=\"{}\" data-to=\"{}\"><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"4\" \
             fill=\"#ffffff\" fill-opacity=\"0.88\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"13\"{weight} \
             fill=\"{}\">{}</text></g>",
            class(&edge.relation),
            marks(graph, edge),
            edge.from,
            edge.to,
            x - width / 2.0,
            y - height / 2.0,
            y + 4.5,
            colour(&edge.relation),
            escape(&edge.relation)
        );
    }
}

/// Further classes of an edge: whether it is on the cycle, and whether it begins at an initial write.
fn marks(graph: &Graph, edge: &Edge) -> &'static str {
    match (edge.highlight, graph.events[edge.from].initial) {
        (true, _) => " lit",
        (false, true) => " of-init",
        (false, false) => "",
    }
}

fn draw_event(out: &mut String, event: &GraphEvent, rect: Rect) {
    let (fill, stroke, rx, dash) = match event.kind {
        _ if event.initial => ("#ffffff", "#98a0ac", 8.0, " stroke-dasharray=\"3 3\""),
        EventKind::Read => ("#eef6ff", "#5580b0", 8.0, ""),
        EventKind::Write => ("#fff6e6", "#b08840", 8.0, ""),
        EventKind::Fence => ("#596273", "#596273", 3.0, ""),
    };
    let ink = if event.kind == EventKind::Fence { "#ffffff" } else { "#101418" };
    let kind = match event.kind {
        _ if event.initial => "initial",
        EventKind::Read => "read",
        EventKind::Write => "write",
        EventKind::Fence => "fence",
    };
    let hover = if event.initial { event.show() } else { format!("{}: {}", event.place(), event.source) };
    let _ = writeln!(
        out,
        "<g class=\"event {kind}\" data-event=\"{}\" data-line=\"{}\"><title>{}</title><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" \
         height=\"{:.1}\" rx=\"{rx}\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"1.3\"{dash}/><text x=\"{:.1}\" y=\"{:.1}\" \
         text-anchor=\"middle\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\" fill=\"{ink}\">{}</text></g>",
        event.id,
        escape(if event.initial { "0" } else { &event.mark }),
        escape(&hover),
        rect.x - rect.width / 2.0,
        rect.y - rect.height / 2.0,
        rect.width,
        rect.height,
        rect.x,
        rect.y + 5.0,
        escape(&event.show())
    );
}

/// What a relation means, for the legend.
fn meaning(relation: &str) -> &'static str {
    match relation {
        "po" => "program order",
        "rf" => "reads from",
        "co" => "coherence",
        "fr" => "read before overwritten",
        "addr" => "address dependency",
        "data" => "data dependency",
        "ctrl" => "control dependency",
        "rmw" => "read-modify-write",
        "start" => "thread starts",
        "join" => "thread has ended",
        _ => "ordered by the model",
    }
}

/// The legend and its height.
fn legend(relations: &[&str], width: f64, top: f64) -> (String, f64) {
    let mut out = String::from("<g class=\"legend\" font-size=\"12\">\n");
    let (mut x, mut y) = (MARGIN, top);
    for relation in relations {
        let text = format!("{relation}: {}", meaning(relation));
        let needed = text.chars().count() as f64 * 6.3 + 56.0;
        if x > MARGIN && x + needed > width - MARGIN / 2.0 {
            (x, y) = (MARGIN, y + 20.0);
        }
        let _ = writeln!(
            out,
            "<path class=\"rel-{}\" d=\"M{x:.1} {y:.1} h26\" stroke=\"{}\" stroke-width=\"2\"/><text x=\"{:.1}\" y=\"{:.1}\" fill=\"#404854\">{}</text>",
            class(relation),
            colour(relation),
            x + 32.0,
            y + 4.0,
            escape(&text)
        );
        x += needed;
    }
    out += "</g>\n";
    (out, y - top + 22.0)
}
