//! Witnesses of violations in the YAML format, version 2.0: a sequence of waypoints that ends at the target.

use super::{Task, assumptions, sha256, told};
use crate::data::Case;
use std::fmt::Write;

/// A string between double quotes of YAML.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                let _ = write!(out, "\\U{:08x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out + "\""
}

/// The witness of a violation of a C program; nothing if there is none.
///
/// The format knows no threads: a waypoint says where the execution passes, and what holds there if that is simple.
pub fn yaml(case: &Case<'_>, task: &Task<'_>) -> Option<String> {
    let (graph, story) = told(case)?;
    let source = &case.program.source;
    let file = quoted(source.name());
    let model = if task.ilp32 { "ILP32" } else { "LP64" };
    let mut out = format!(
        "- entry_type: violation_sequence\n  metadata:\n    format_version: \"2.0\"\n    uuid: {}\n    creation_time: {}\n    \
         producer:\n      name: Fencepost\n      version: {}\n    task:\n      input_files:\n        - {file}\n      \
         input_file_hashes:\n        {file}: {}\n      specification: {}\n      data_model: {model}\n      language: C\n  \
         content:\n",
        quoted(task.uuid),
        quoted(task.creation_time),
        quoted(task.version),
        quoted(&sha256(source.text())),
        quoted(task.specification.trim()),
    );
    let mut waypoint = |kind: &str, constraint: Option<&str>, line: u32, column: u32| {
        let _ =
            write!(out, "    - segment:\n        - waypoint:\n            type: {kind}\n            action: follow\n");
        if let Some(value) = constraint {
            let value = quoted(value);
            let _ = write!(
                out,
                "            constraint:\n              value: {value}\n              format: c_expression\n"
            );
        }
        let _ = write!(
            out,
            "            location:\n              file_name: {file}\n              line: {line}\n              column: {column}\n"
        );
    };
    let mut steps = story.steps.iter().peekable();
    while let Some(step) = steps.next() {
        let facts = assumptions(case.program, graph, story, step);
        // What a step leaves holds where the next step of the same thread begins.
        let next = steps.peek().filter(|next| next.thread == step.thread && next.line != step.line);
        if let (Some(next), false) = (next, facts.is_empty()) {
            let column = next.events.first().map_or(1, |&event| graph.events[event].column);
            waypoint("assumption", Some(&facts.join(" && ")), next.line, column);
        }
    }
    waypoint("target", None, story.failure.line, story.failure.column);
    Some(out)
}
