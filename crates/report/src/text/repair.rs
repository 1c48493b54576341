//! Fences for people.

use super::{Options, Paint, clean, pad};
use crate::data::{FenceRow, LineOf, PlacementRow, Repair, RepairEnd};
use engine::Verdict;
use source::line_words;
use std::fmt::Write;

/// What `fences` says. The last line is an interface.
pub fn fences(repair: &Repair<'_>, options: Options) -> String {
    let (file, model) = (clean(repair.program.source.name()), clean(&repair.model.title));
    let question = format!("{file} under {model}: which fences make it right?");
    let mut out = format!("{}\n", options.paint(Paint::Bold, &question));
    let count = repair.placements.len();
    for (at, row) in repair.placements.iter().enumerate() {
        if count > 1 {
            let _ = writeln!(out, "\n{}", options.paint(Paint::Bold, &format!("Placement {} of {count}:", at + 1)));
        }
        out += &placement(row, options);
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

fn placement(row: &PlacementRow, options: Options) -> String {
    let mut out = String::new();
    let proof = match &row.verdict {
        Verdict::Safe(guarantee) => format!("Proved for {}.", guarantee.words()),
        Verdict::Unsafe(_) | Verdict::Unknown(_) => row.verdict.to_string(),
    };
    if row.fences.is_empty() {
        let _ = writeln!(out, "{} {proof}", options.paint(Paint::Green, "None: it is safe as it is."));
        return out;
    }
    let words =
        if row.fences.len() == 1 { "this fence".to_owned() } else { format!("these {} fences", row.fences.len()) };
    let _ = writeln!(out, "{} {proof}\n", options.paint(Paint::Green, &format!("It is safe with {words}.")));
    let place = |fence: &FenceRow| clean(&format!("{} {}, `{}`", fence.side, line_words(&fence.mark), fence.statement));
    let width = row.fences.iter().map(|fence| place(fence).chars().count()).max().unwrap_or(0);
    let kinds = row.fences.iter().map(|fence| fence.kind.chars().count()).max().unwrap_or(0);
    for fence in &row.fences {
        let _ = writeln!(out, "  {}  {}{}", pad(&fence.kind, kinds), pad(&place(fence), width), orders(fence));
    }
    out.push('\n');
    out + &painted(&row.diff, options)
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

/// Which lines a fence keeps in order.
fn orders(fence: &FenceRow) -> String {
    let pairs: Vec<String> = fence.orders.iter().map(|(first, second)| format!("{first} before {second}")).collect();
    let words = if matches!(fence.orders.first(), Some((LineOf::Main(_), _))) { "line " } else { "" };
    if pairs.is_empty() { String::new() } else { format!("  keeps {words}{}", clean(&pairs.join(", "))) }
}
