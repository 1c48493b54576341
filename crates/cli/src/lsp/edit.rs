//! Repairs as edits of documents.

use super::check::Settings;
use super::path;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::{Command, Stdio};

/// The edits that make a document right under a model.
pub fn repair(uri: &str, model: &str, settings: &Settings) -> Result<Value, String> {
    let file = path(uri).ok_or("only files can be changed")?;
    let failed = |error: std::io::Error| error.to_string();
    let mut command = Command::new(std::env::current_exe().map_err(failed)?);
    command.args(["fences", "--format", "json", "--model", model, "--timeout", &settings.timeout.to_string()]);
    if file.extension().is_some_and(|ending| ending == "c" || ending == "i") {
        command.args(&settings.arguments);
    }
    let output = command.arg(&file).stdin(Stdio::null()).stderr(Stdio::null()).output().map_err(failed)?;
    let answer: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let line = answer["line"].as_str().or(answer["message"].as_str()).unwrap_or("there is no answer");
    let diff = answer["placements"][0]["diff"].as_str().filter(|diff| !diff.is_empty()).ok_or(line)?;
    let mut changes: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (name, edits) in edits(diff) {
        let address = if name == file.display().to_string() { uri.to_owned() } else { format!("file://{name}") };
        changes.entry(address).or_default().extend(edits);
    }
    Ok(json!({ "changes": changes }))
}

/// The edits of each file of a unified diff.
fn edits(diff: &str) -> Vec<(String, Vec<Value>)> {
    let mut files: Vec<(String, Vec<Value>)> = Vec::new();
    let mut lines = diff.split_inclusive('\n').peekable();
    // The line of the old text that comes next, from 0, inside a hunk.
    let mut at: Option<usize> = None;
    let mut left = (0, 0);
    while let Some(line) = lines.next() {
        if left == (0, 0) && line.starts_with("--- ") {
            let name = line.trim_end().trim_start_matches("--- ").to_owned();
            // The name of the new text is the same.
            lines.next();
            files.push((name, Vec::new()));
            continue;
        }
        if let Some((start, old, new)) = hunk(line).filter(|_| left == (0, 0)) {
            at = Some(if old == 0 { start } else { start.saturating_sub(1) });
            left = (old, new);
            continue;
        }
        let (Some(here), Some((_, edits))) = (at, files.last_mut()) else { continue };
        match line.as_bytes().first() {
            Some(b'+') => {
                left.1 = left.1.saturating_sub(1);
                edits.push(edit(here, here, &line[1..]));
            }
            Some(b'-') => {
                left.0 = left.0.saturating_sub(1);
                edits.push(edit(here, here + 1, ""));
                at = Some(here + 1);
            }
            Some(b'\\') => {}
            _ => {
                left = (left.0.saturating_sub(1), left.1.saturating_sub(1));
                at = Some(here + 1);
            }
        }
    }
    files
}

fn edit(from: usize, to: usize, text: &str) -> Value {
    let at = |line: usize| json!({ "line": line, "character": 0 });
    json!({ "range": { "start": at(from), "end": at(to) }, "newText": text })
}

/// The first line of a hunk in the old text, and how many lines it has in the old and in the new one.
fn hunk(line: &str) -> Option<(usize, usize, usize)> {
    let mut words = line.strip_prefix("@@ -")?.split(' ');
    let (old, new) = (words.next()?, words.next()?.strip_prefix('+')?);
    let pair = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
    };
    let ((start, old), (_, new)) = (pair(old)?, pair(new)?);
    Some((start, old, new))
}

#[cfg(test)]
mod tests {
    use super::{edit, edits};

    #[test]
    fn a_diff_is_edits_of_lines() {
        let diff = "--- a.c\n+++ a.c\n@@ -2,3 +2,4 @@\n x\n+fence;\n--- y;\n+z;\n w\n@@ -9,1 +10,0 @@\n-gone\n";
        let expected = vec![edit(2, 2, "fence;\n"), edit(2, 3, ""), edit(3, 3, "z;\n"), edit(8, 9, "")];
        assert_eq!(edits(diff), vec![("a.c".to_owned(), expected)]);
    }
}
