//! The page for `fences` and `weaken`: what to change, as a diff, and for each change an execution that it forbids.

use super::{Told, execution, page, section};
use crate::data::{FenceRow, LineOf, OrderRow, PlacementRow, ReasonRow, Repair, RepairEnd};
use crate::svg::escape;
use engine::Verdict;
use std::fmt::Write;

/// The page.
pub fn fences(repair: &Repair<'_>) -> String {
    let mut body = String::new();
    let count = repair.placements.len();
    for (at, row) in repair.placements.iter().enumerate() {
        if count > 1 {
            let _ = writeln!(body, "<h2>Placement {} of {count}</h2>", at + 1);
        }
        placement(&mut body, repair, row);
    }
    match &repair.end {
        RepairEnd::Complete => {}
        RepairEnd::NotRepairable(why, case) => {
            let _ = writeln!(body, "<p class=\"note\">{}</p>", escape(why));
            if let Some((case, graph)) = case.and_then(|case| Some((case, case.graph.as_ref()?))) {
                execution(&mut body, case, graph);
            }
        }
        RepairEnd::Unknown(reason) => {
            let before = if count == 0 { "No answer" } else { "There may be other placements; the search ended" };
            let _ = writeln!(body, "<p class=\"note\">{before}: {}.</p>", escape(reason));
        }
    }
    let (places, tried, seconds) = (repair.places, repair.tried, repair.seconds);
    let _ = writeln!(
        body,
        "<p class=\"fine\">A fence could stand at {places} places; {tried} placements were tried, {seconds:.2} s</p>"
    );
    let badge = match (&repair.placements[..], &repair.end) {
        ([], RepairEnd::Unknown(_)) => "unknown",
        ([], _) => "unsafe",
        (_, _) => "safe",
    };
    let question = match repair.weakened {
        None => "Which fences and memory orders make it right?",
        Some(_) => "How weak can its memory orders be?",
    };
    page(repair.program, &repair.model.title, (badge, &repair.line(), question), &body)
}

fn placement(out: &mut String, repair: &Repair<'_>, row: &PlacementRow) {
    let proof = match &row.verdict {
        Verdict::Safe(guarantee) => format!("Proved for {}.", guarantee.words()),
        Verdict::Unsafe(_) | Verdict::Unknown(_) => row.verdict.to_string(),
    };
    let words = if row.is_empty() { "Nothing need be changed." } else { "It is safe with these changes." };
    let _ = writeln!(out, "<p>{words} {}</p>", escape(&proof));
    diff(out, &row.diff);
    // The first change is open, so that a reader sees that there is an execution behind each.
    let mut open = true;
    for fence in &row.fences {
        site(out, &fence_words(fence), &fence.orders, std::mem::take(&mut open));
        match &fence.without {
            Some(reason) => forbidden(out, repair, "Without it, this happens", reason),
            None => out.push_str("</details>\n"),
        }
    }
    for order in row.orders.iter().filter(|order| order.now != order.needed || !order.reasons.is_empty()) {
        site(out, &order_words(order), &order.orders, std::mem::take(&mut open));
        let Some((last, rest)) = order.reasons.split_last() else {
            out.push_str("</details>\n");
            continue;
        };
        for reason in rest {
            told(out, repair, &format!("With {}, this happens", reason.order), reason);
        }
        forbidden(out, repair, &format!("With {}, this happens", last.order), last);
    }
}

/// A unified diff in colours.
pub(crate) fn diff(out: &mut String, text: &str) {
    if text.is_empty() {
        return;
    }
    out.push_str("<pre class=\"diff text\">");
    for line in text.lines() {
        let class = match line.as_bytes().first() {
            Some(b'+') if !line.starts_with("+++") => "added",
            Some(b'-') if !line.starts_with("---") => "removed",
            Some(b'@') => "place",
            _ => "same",
        };
        let _ = writeln!(out, "<span class=\"{class}\">{}</span>", escape(line));
    }
    out.push_str("</pre>\n");
}

/// Opens the part about one change.
fn site(out: &mut String, words: &str, orders: &[(LineOf, LineOf)], open: bool) {
    let pairs: Vec<String> = orders.iter().map(|(first, second)| format!("{first} before {second}")).collect();
    let keeps = if pairs.is_empty() { String::new() } else { format!(", keeps line {}", pairs.join(", ")) };
    let open = if open { " open" } else { "" };
    let _ = writeln!(out, "<details class=\"site\"{open}>\n<summary>{words}{}</summary>", escape(&keeps));
}

fn fence_words(fence: &FenceRow) -> String {
    let (kind, text, side) = (escape(&fence.kind), escape(&fence.text), escape(&fence.side));
    let (line, statement) = (escape(&source::line_words(&fence.mark)), escape(&fence.statement));
    format!("A {kind} fence <code>{text}</code> {side} {line}, <code>{statement}</code>")
}

fn order_words(order: &OrderRow) -> String {
    let (needed, now, text) = (escape(&order.needed), escape(&order.now), escape(&order.text));
    let line = escape(&source::line_words(&order.mark));
    let change = if order.now == order.needed { "is needed" } else { &format!("instead of {now}") };
    format!("The order <code>{needed}</code> {change} in {line}, <code>{text}</code>")
}

/// The execution behind a reason.
fn told(out: &mut String, repair: &Repair<'_>, words: &str, reason: &ReasonRow) {
    let (model, what) = (escape(&reason.model), escape(&reason.what));
    let _ = writeln!(out, "<p>{} under {model}: {what}.</p>", escape(words));
    if let Some(graph) = &reason.execution {
        let told = Told { explanation: reason.explanation.as_ref(), ..Told::default() };
        section(out, repair.program, graph, &told, &reason.model);
    }
}

/// The execution behind the last reason of a change; closes the part about it.
fn forbidden(out: &mut String, repair: &Repair<'_>, words: &str, reason: &ReasonRow) {
    told(out, repair, words, reason);
    out.push_str("</details>\n");
}
