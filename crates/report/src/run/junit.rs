//! The rows of a run as JUnit's XML, which every system for continuous integration reads.

use super::{Row, Status};
use std::fmt::Write;

/// Text for XML: also without the characters that XML cannot have at all.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// What a person wants to read about a row that did not pass.
fn details(row: &Row) -> String {
    let mut out = format!("{}:{}: {}\n", row.file, row.place().0, row.sentence());
    for step in row.steps() {
        let place = if step.line > 0 { format!("line {}: {}  ", step.line, step.source) } else { String::new() };
        let _ = writeln!(out, "{:>4}  {}  {place}{}", step.number, step.thread, step.what);
    }
    if let Some(diff) = row.diff() {
        let _ = write!(out, "\nThese fences make it safe:\n{diff}");
    }
    out
}

/// All rows as one test suite.
pub fn junit(rows: &[Row]) -> String {
    let count = |keep: &dyn Fn(Status) -> bool| rows.iter().filter(|row| keep(row.status)).count();
    let failures = count(&|status| matches!(status, Status::Failed | Status::Incomplete));
    let errors = count(&|status| matches!(status, Status::Error | Status::Internal));
    let time: f64 = rows.iter().map(|row| row.seconds).sum();
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time:.3}\"", rows.len());
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"fencepost\" {counts}>");
    let _ = writeln!(out, "  <testsuite name=\"fencepost\" {counts} skipped=\"0\">");
    for row in rows {
        let name = escape(&format!("{} [{}]", row.target, row.model));
        let head =
            format!("    <testcase classname=\"{}\" name=\"{name}\" time=\"{:.3}\"", escape(&row.file), row.seconds);
        let element = match row.status {
            Status::Passed => {
                let _ = writeln!(out, "{head}/>");
                continue;
            }
            Status::Failed | Status::Incomplete => "failure",
            Status::Error | Status::Internal => "error",
        };
        let message = escape(&format!("{}, expected {}", row.line.replace('\n', " "), row.expected));
        let _ = writeln!(out, "{head}>");
        let _ = writeln!(
            out,
            "      <{element} type=\"{}\" message=\"{message}\">{}</{element}>",
            row.status.name(),
            escape(&details(row))
        );
        let _ = writeln!(out, "    </testcase>");
    }
    out + "  </testsuite>\n</testsuites>\n"
}
