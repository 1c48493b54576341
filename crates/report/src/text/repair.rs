//! Fences and memory orders for people.

use super::{Options, Paint, clean, pad};
use crate::data::{FenceRow, LineOf, OrderRow, PlacementRow, Repair, RepairEnd};
use engine::Verdict;
use source::line_words;
use std::fmt::Write;

/// What `fences` says. The last line is an interface.
pub fn fences(repair: &Repair<'_>, options: Options) -> String {
    let (file, model) = (clean(repair.program.source.name()), clean(&repair.model.title));
    let asked = match repair.weakened {
        None => "which fences make it right?",
        Some(_) => "how weak can its memory orders be?",
    };
    let question = format!("{file} under {model}: {asked}");
    let mut out = format!("{}\n", options.paint(Paint::Bold, &question));
    let count = repair.placements.len();
    for (at, row) in repair.placements.iter().enumerate() {
        if count > 1 {
            let _ = writeln!(out, "\n{}", options.paint(Paint::Bold, &format!("Placement {} of {count}:", at + 1)));
        }
        out += &if repair.weakened.is_some() {
            weakened(row, repair.progress, options)
        } else {
            placement(row, repair.progress, options)
        };
    }
    match &repair.end {
        RepairEnd::Complete => {}
        RepairEnd::NotRepairable(why, case) => {
            let _ = writeln!(out, "{} {}", options.paint(Paint::Red, "None."), clean(why));
            if let Some(case) = case {
                let text = super::check(case, options);
                // The verdict on that model is not the answer to this question.
                let (story, _) = text.trim_end().rsplit_once('\n').unwrap_or_default();
                let _ = writeln!(out, "\n{}", story.trim_end());
            }
        }
        RepairEnd::Unknown(reason) if count == 0 => {
            let _ = writeln!(out, "{} {}.", options.paint(Paint::Yellow, "No answer:"), clean(reason));
        }
        RepairEnd::Unknown(reason) => {
            let _ = writeln!(out, "\nThere may be other placements; the search ended: {}.", clean(reason));
        }
    }
    if options.statistics {
        let _ = writeln!(
            out,
            "\n  places  {}\n  tried   {}\n  time    {:.2} s",
            repair.places, repair.tried, repair.seconds
        );
    }
    let _ = writeln!(out, "\n{}", repair.line().replace('\n', " "));
    out
}

fn placement(row: &PlacementRow, progress: bool, options: Options) -> String {
    let mut out = String::new();
    let proof = match &row.verdict {
        Verdict::Safe(guarantee) => format!("Proved for {}.", guarantee.words()),
        Verdict::Unsafe(_) | Verdict::Unknown(_) => row.verdict.to_string(),
    };
    if row.is_empty() {
        let _ = writeln!(
            out,
            "{} {proof}",
            options.paint(Paint::Green, &format!("None: it is safe as it is{}.", waiting(progress)))
        );
        return out;
    }
    let words = match (row.fences.len(), row.changed().count()) {
        (1, 0) => "this fence".to_owned(),
        (fences, 0) => format!("these {fences} fences"),
        (0, 1) => "this memory order".to_owned(),
        (0, orders) => format!("these {orders} memory orders"),
        (fences, orders) => format!("these {} changes", fences + orders),
    };
    let _ = writeln!(
        out,
        "{} {proof}\n",
        options.paint(Paint::Green, &format!("It is safe with {words}{}.", waiting(progress)))
    );
    let place = |fence: &FenceRow| clean(&format!("{} {}, `{}`", fence.side, line_words(&fence.mark), fence.statement));
    let order_place = |order: &OrderRow| {
        // An access that is not atomic has no order.
        let now =
            order.now.strip_prefix("non-").map_or(format!("not {}", order.now), |now| format!("is not {now} yet"));
        clean(&format!("in {}, `{}`, {now}", line_words(&order.mark), order.text))
    };
    let fences = row.fences.iter().map(|fence| (fence.kind.clone(), place(fence), &fence.orders[..]));
    let changed = row.changed().map(|order| (order.needed.clone(), order_place(order), &order.orders[..]));
    let rows: Vec<_> = fences.chain(changed).collect();
    let width = rows.iter().map(|(_, place, _)| place.chars().count()).max().unwrap_or(0);
    let kinds = rows.iter().map(|(kind, ..)| kind.chars().count()).max().unwrap_or(0);
    for (kind, place, pairs) in rows {
        let line = format!("  {}  {}{}", pad(&kind, kinds), pad(&place, width), orders(pairs));
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.push('\n');
    out + &painted(&row.diff, options)
}

/// What else was asked.
fn waiting(progress: bool) -> &'static str {
    if progress { ", and no thread waits for ever" } else { "" }
}

/// A unified diff as it is shown.
pub(crate) fn painted(diff: &str, options: Options) -> String {
    let mut out = String::new();
    for line in diff.lines() {
        // Tabs are part of the text; nothing else that controls the terminal gets through.
        let parts: Vec<String> = line.trim_end_matches('\r').split('\t').map(clean).collect();
        let line = parts.join("\t");
        let paint = match line.as_bytes().first() {
            Some(b'+') if !line.starts_with("+++") => Some(Paint::Green),
            Some(b'-') if !line.starts_with("---") => Some(Paint::Red),
            _ => None,
        };
        let _ = writeln!(out, "{}", paint.map_or(line.clone(), |paint| options.paint(paint, &line)));
    }
    out
}

/// Which lines are kept in order.
fn orders(pairs: &[(LineOf, LineOf)]) -> String {
    let words = if matches!(pairs.first(), Some((LineOf::Main(_), _))) { "line " } else { "" };
    let pairs: Vec<String> = pairs.iter().map(|(first, second)| format!("{first} before {second}")).collect();
    if pairs.is_empty() { String::new() } else { format!("  keeps {words}{}", clean(&pairs.join(", "))) }
}

/// Memory orders as weak as they can be.
fn weakened(row: &PlacementRow, progress: bool, options: Options) -> String {
    let mut out = String::new();
    let proof = match &row.verdict {
        Verdict::Safe(guarantee) => format!("Proved for {}.", guarantee.words()),
        Verdict::Unsafe(_) | Verdict::Unknown(_) => row.verdict.to_string(),
    };
    if row.orders.is_empty() {
        let _ =
            writeln!(out, "{} {proof}", options.paint(Paint::Green, "It has no memory orders that could be weaker."));
        return out;
    }
    let _ = writeln!(
        out,
        "{} {proof}\n",
        options.paint(Paint::Green, &format!("It is safe with these{}.", waiting(progress)))
    );
    let table: Vec<[String; 5]> = row.orders.iter().map(order_row).collect();
    let head = ["line", "now", "needed", "cost", "why not weaker"].map(str::to_owned);
    let all: Vec<&[String; 5]> = std::iter::once(&head).chain(&table).collect();
    let width = |column: usize| all.iter().map(|cells| cells[column].chars().count()).max().unwrap_or(0);
    for cells in &all {
        let line = format!(
            "  {:>lines$}  {}  {}  {:>costs$}  {}",
            cells[0],
            pad(&cells[1], width(1)),
            pad(&cells[2], width(2)),
            cells[3],
            cells[4],
            lines = width(0),
            costs = width(3),
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    if !row.diff.is_empty() {
        out.push('\n');
        out += &painted(&row.diff, options);
    }
    for (order, reason) in row.orders.iter().flat_map(|order| order.reasons.iter().map(move |reason| (order, reason))) {
        if !reason.story.is_empty() {
            let line = if order.mark.contains(':') { clean(&order.mark) } else { format!("Line {}", order.mark) };
            let words = format!("{line} must stay {}. With {}:", order.needed, reason.order);
            let _ = writeln!(out, "\n{}\n\n{}", options.paint(Paint::Bold, &words), reason.story.trim_end());
        }
    }
    out
}

fn order_row(order: &OrderRow) -> [String; 5] {
    let because = |reason: &crate::data::ReasonRow| format!("{}: {} ({})", reason.order, reason.what, reason.model);
    let mut why: Vec<String> = order.reasons.iter().map(because).collect();
    let kept = orders(&order.orders);
    if !kept.is_empty() {
        why.push(kept.trim_start().to_owned());
    }
    let cells = [order.mark.clone(), order.now.clone(), order.needed.clone(), order.cost.to_string(), why.join("; ")];
    cells.map(|cell| clean(&cell))
}
