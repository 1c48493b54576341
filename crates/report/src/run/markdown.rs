//! The rows of a run as Markdown, for the summary of a pull request.

use super::{Row, Status, summary};
use std::fmt::Write;

/// Text for a cell: nothing in it is Markdown or HTML.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '|' | '[' | ']' | '#' | '!' | '~' | '@' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A block of text as it is, with a fence that is longer than any in it.
fn block(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

/// A table of all rows, and the story of each that failed.
pub fn markdown(rows: &[Row]) -> String {
    let mut out = format!("### Fencepost: {}\n\n", summary(rows));
    if rows.is_empty() {
        return out;
    }
    out += "| | target | model | verdict | expected | time |\n|---|---|---|---|---|---:|\n";
    for row in rows {
        let mark = match row.status {
            Status::Passed => "✅",
            Status::Incomplete => "⚠️",
            Status::Failed | Status::Error | Status::Internal => "❌",
        };
        let time = if row.cached { "cached".to_owned() } else { format!("{:.2} s", row.seconds) };
        let (target, line) = (cell(&row.target), cell(row.line.lines().next().unwrap_or_default()));
        let _ = writeln!(out, "| {mark} | {target} | {} | {line} | {} | {time} |", cell(&row.model), row.expected);
    }
    for row in rows.iter().filter(|row| row.status == Status::Failed && row.verdict == "unsafe") {
        let _ = write!(out, "\n<details><summary>{} under {}: ", cell(&row.target), cell(&row.model));
        let _ = writeln!(out, "{}</summary>\n", cell(&row.sentence()));
        let mut story = String::new();
        for step in row.steps() {
            let line = if step.line > 0 { step.line.to_string() } else { String::new() };
            let _ = writeln!(story, "{:>4}  {:<12} {line:>5} | {}", step.number, step.thread, step.source);
            let _ = writeln!(story, "{:>26} {}", "→", step.what);
        }
        out += &block("", &format!("{}:{}\n{story}", row.file, row.place().0));
        if let Some(diff) = row.diff() {
            out += "\nThese fences make it safe:\n\n";
            out += &block("diff", diff);
        }
        out += "\n</details>\n";
    }
    out
}
