//! The rows of a run as SARIF 2.1.0, which code hosts and editors show beside the lines.
//!
//! A row that did not pass is a result. Its story is a code flow with a flow for each thread, the numbers of the steps are
//! the order of execution; the accesses that the model reorders are related locations; fences are a fix.

use super::{Happening, Row, Status};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The rules: an identifier, a name, what it means.
const RULES: [(&str, &str, &str); 4] = [
    ("violation", "PropertyViolated", "A property of the program can fail under the memory model."),
    ("unexpected", "UnexpectedVerdict", "The verdict is not the one that the project expects."),
    ("incomplete", "NoFullAnswer", "There is no answer, or only one with bounds."),
    ("input", "NotSupported", "The program could not be read, or has something that is not supported."),
];

fn rule(row: &Row) -> (usize, &'static str) {
    match row.status {
        Status::Failed | Status::Passed if row.verdict == "unsafe" => (0, "error"),
        Status::Failed | Status::Passed => (1, "error"),
        Status::Incomplete => (2, "warning"),
        Status::Error | Status::Internal => (3, "error"),
    }
}

/// A path as an address: what means something in one is encoded.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' | b'+' => {
                out.push(char::from(byte));
            }
            byte => out += &format!("%{byte:02X}"),
        }
    }
    out
}

fn physical(file: &str, region: &Value) -> Value {
    json!({"artifactLocation": {"uri": uri(file), "uriBaseId": "%SRCROOT%"}, "region": region})
}

fn place(file: &str, line: u64, message: &str) -> Value {
    json!({"physicalLocation": physical(file, &json!({"startLine": line.max(1)})), "message": {"text": message}})
}

/// A flow for each thread, in the order in which they begin.
fn flows(row: &Row) -> Vec<Value> {
    let steps: Vec<Happening<'_>> = row.steps().into_iter().filter(|step| step.line > 0).collect();
    let mut threads: Vec<&str> = Vec::new();
    for step in &steps {
        if !threads.contains(&step.thread) {
            threads.push(step.thread);
        }
    }
    let location = |step: &Happening<'_>| {
        let message = format!("{}: {}", step.thread, step.what);
        json!({"location": place(&row.file, step.line, &message), "executionOrder": step.number})
    };
    let flow = |thread: &&str| {
        let own: Vec<Value> = steps.iter().filter(|step| step.thread == *thread).map(location).collect();
        json!({"id": thread, "locations": own})
    };
    threads.iter().map(flow).collect()
}

/// The accesses of the pairs that the model does not keep in order.
fn related(row: &Row) -> Vec<Value> {
    let mut all = Vec::new();
    let empty = Vec::new();
    for pair in row.result["relaxed"].as_array().unwrap_or(&empty) {
        for (end, words) in [("from", "comes first in program order"), ("to", "takes effect first")] {
            let event = pair[end]
                .as_u64()
                .and_then(|at| usize::try_from(at).ok())
                .map(|at| &row.result["execution"]["events"][at]);
            let Some(event) = event else { continue };
            if let (Some(line), Some(text)) = (event["line"].as_u64().filter(|line| *line > 0), event["text"].as_str())
            {
                all.push(place(&row.file, line, &format!("{text} {words}")));
            }
        }
    }
    all
}

/// The replacements of a unified diff of one file.
fn replacements(diff: &str) -> Vec<Value> {
    let mut all: Vec<(u64, u64, String)> = Vec::new();
    let mut old = 0;
    let mut open = false;
    for line in diff.lines() {
        if let Some(head) = line.strip_prefix("@@ -") {
            old = head.split([',', ' ']).next().and_then(|number| number.parse().ok()).unwrap_or(1);
            open = false;
        } else if line.starts_with("--- ") || line.starts_with("+++ ") || old == 0 {
            continue;
        } else if let Some(added) = line.strip_prefix('+') {
            if !open {
                all.push((old, old, String::new()));
                open = true;
            }
            if let Some((_, _, text)) = all.last_mut() {
                *text += &format!("{added}\n");
            }
        } else if line.starts_with('-') {
            if !open {
                all.push((old, old, String::new()));
                open = true;
            }
            old += 1;
            if let Some((_, end, _)) = all.last_mut() {
                *end = old;
            }
        } else {
            old += 1;
            open = false;
        }
    }
    let replacement = |(start, end, text): (u64, u64, String)| {
        let region = json!({"startLine": start, "startColumn": 1, "endLine": end, "endColumn": 1});
        json!({"deletedRegion": region, "insertedContent": {"text": text}})
    };
    all.into_iter().map(replacement).collect()
}

fn fixes(row: &Row) -> Vec<Value> {
    let Some(diff) = row.diff() else { return Vec::new() };
    let change = json!({"artifactLocation": {"uri": uri(&row.file), "uriBaseId": "%SRCROOT%"}, "replacements": replacements(diff)});
    let line = row.fences["line"].as_str().unwrap_or("fences");
    let text = format!("Put in fences that make it safe under {}: {line}", row.model);
    vec![json!({"description": {"text": text}, "artifactChanges": [change]})]
}

/// What stays the same when lines move: the rule, the file, the model and the text of the line.
fn fingerprint(row: &Row, rule: &str) -> String {
    let source = row.result["violation"]["source"].as_str().unwrap_or(&row.target);
    let digest = Sha256::digest(format!("{rule}\0{}\0{}\0{source}", row.file, row.model));
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

fn result(row: &Row) -> Value {
    let (index, level) = rule(row);
    let (line, column) = row.place();
    let region = json!({"startLine": line, "startColumn": column});
    let message = format!("{} under {}: {} (expected {})", row.target, row.model, row.sentence(), row.expected);
    let mut result = json!({
        "ruleId": RULES[index].0,
        "ruleIndex": index,
        "level": level,
        "message": {"text": message},
        "locations": [{"physicalLocation": physical(&row.file, &region)}],
        "partialFingerprints": {"fencepost/v1": fingerprint(row, RULES[index].0)},
        "properties": {"model": row.model, "verdict": row.line, "target": row.target},
    });
    let (flows, related, fixes) = (flows(row), related(row), fixes(row));
    if !flows.is_empty() {
        result["codeFlows"] = json!([{"message": {"text": row.sentence()}, "threadFlows": flows}]);
    }
    if !related.is_empty() {
        result["relatedLocations"] = json!(related);
    }
    if !fixes.is_empty() {
        result["fixes"] = json!(fixes);
    }
    result
}

/// All rows that did not pass.
pub fn sarif(rows: &[Row], version: &str) -> String {
    let described = |(id, name, text): &(&str, &str, &str)| json!({"id": id, "name": name, "shortDescription": {"text": text}, "defaultConfiguration": {"level": "error"}});
    let results: Vec<Value> = rows.iter().filter(|row| row.status != Status::Passed).map(result).collect();
    let successful = rows.iter().all(|row| row.status != Status::Internal);
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "Fencepost",
                "semanticVersion": version,
                "rules": RULES.iter().map(described).collect::<Vec<Value>>(),
            }},
            "invocations": [{"executionSuccessful": successful}],
            "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The folder of the project."}}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{document:#}\n")
}
