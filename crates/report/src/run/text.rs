//! The rows of a run for a terminal.

use super::{Row, Status, summary};
use crate::text::{Options, Paint, wrap};
use std::fmt::Write;

fn paint(status: Status) -> Paint {
    match status {
        Status::Passed => Paint::Green,
        Status::Incomplete => Paint::Yellow,
        Status::Error | Status::Failed | Status::Internal => Paint::Red,
    }
}

/// A row in a line.
pub fn line(row: &Row, width: usize, options: Options) -> String {
    let name = format!("{:<10}", row.status.name());
    let expected = if row.status == Status::Failed { format!(", expected {}", row.expected) } else { String::new() };
    let line: String = row.line.lines().next().unwrap_or_default().chars().filter(|c| !c.is_control()).collect();
    let cached = if row.cached { "  (cached)" } else { "" };
    let target: String = row.target.chars().filter(|c| !c.is_control()).collect();
    format!("{} {target:<width$}  {:<8} {line}{expected}{cached}", options.paint(paint(row.status), &name), row.model)
}

/// All rows, and what they come to.
pub fn text(rows: &[Row], options: Options) -> String {
    let width = rows.iter().map(|row| row.target.chars().count()).max().unwrap_or(0).min(48);
    let mut out = String::new();
    for row in rows {
        let _ = writeln!(out, "{}", line(row, width, options).trim_end());
        if row.status == Status::Failed && row.verdict == "unsafe" {
            out += &wrap::paragraph(&format!("{}:{}: {}", row.file, row.place().0, row.sentence()), options.width, 11);
            let fences = row.fences["line"].as_str().filter(|_| row.diff().is_some());
            if let Some(fences) = fences {
                let _ =
                    writeln!(out, "           {fences}: `fencepost fences {} --model {} --diff`", row.file, row.model);
            }
        }
    }
    let _ = writeln!(out, "{}{}", if rows.is_empty() { "" } else { "\n" }, summary(rows));
    out
}
