//! What `fencepost run` found out about a project: rows of targets and models, as text, JSON lines, SARIF, JUnit and Markdown.
//!
//! A row holds the documents of `fencepost/1` that `check` and `fences` gave. So rows can be written down on one machine,
//! cached, and put together on another, and every format is made from the same data.

mod junit;
mod markdown;
mod sarif;
mod text;

pub use junit::junit;
pub use markdown::markdown;
pub use sarif::sarif;
pub use text::{line, text};

use crate::json::SCHEMA;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a verdict means for a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// As expected.
    Passed,
    /// There is no answer, or one with bounds that nobody allowed.
    Incomplete,
    /// The program could not be read, or is not supported.
    Error,
    /// The verdict contradicts what is expected.
    Failed,
    /// A defect of Fencepost.
    Internal,
}

impl Status {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Status::Passed => "passed",
            Status::Incomplete => "incomplete",
            Status::Error => "error",
            Status::Failed => "failed",
            Status::Internal => "internal",
        }
    }

    /// The exit code that goes with it.
    pub fn exit_code(self) -> u8 {
        match self {
            Status::Passed => 0,
            Status::Incomplete => 5,
            Status::Error => 2,
            Status::Failed => 10,
            Status::Internal => 6,
        }
    }
}

/// What was found out about a file under a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its place among all rows of the project, from 0.
    pub index: usize,
    /// How many rows the project has.
    pub total: usize,
    /// The name of the target.
    pub target: String,
    /// The file, relative to the project's folder.
    pub file: String,
    /// The name of the model.
    pub model: String,
    /// `safe`, `bounded`, `unsafe` or `any`.
    pub expected: String,
    /// Whether a bound is good enough where `safe` is expected.
    pub allow_bounded: bool,
    /// `safe`, `bounded`, `unsafe`, `unknown` or `error`.
    pub verdict: String,
    /// The last line of `check`, or what went wrong.
    pub line: String,
    /// What it means.
    pub status: Status,
    /// How long it took.
    pub seconds: f64,
    /// Whether it was known from before.
    pub cached: bool,
    /// The document of `check`.
    pub result: Value,
    /// The document of `fences`, if fences were looked for.
    pub fences: Value,
}

impl Row {
    /// Fills in the verdict, its line and what it means, from the document of `check`.
    pub fn judge(&mut self) {
        let (verdict, line) = judged(&self.result);
        self.status = match (&*verdict, &*self.expected) {
            ("error", _) if self.result["reason"] == "internal" => Status::Internal,
            ("error", _) if self.result["reason"] == "stopped" => Status::Incomplete,
            ("error", _) => Status::Error,
            (_, "any") | ("safe", "safe" | "bounded") | ("bounded", "bounded") | ("unsafe", "unsafe") => Status::Passed,
            ("bounded", "safe") if self.allow_bounded => Status::Passed,
            ("bounded", "safe") | ("unknown", _) => Status::Incomplete,
            (_, _) => Status::Failed,
        };
        (self.verdict, self.line) = (verdict, line);
    }

    /// What fails, in a sentence, or the line of the verdict.
    pub fn sentence(&self) -> String {
        let told = self.result["violation"]["sentence"].as_str();
        told.map_or_else(|| self.line.clone(), str::to_owned)
    }

    /// The line that it is about, and the column; the first if it is about none.
    fn place(&self) -> (u64, u64) {
        let number = |value: &Value| value.as_u64().filter(|number| *number > 0);
        let (violation, result) = (&self.result["violation"], &self.result);
        let line = number(&violation["line"]).or_else(|| number(&result["line"]));
        let column = number(&violation["column"]).or_else(|| number(&result["column"]));
        (line.unwrap_or(1), column.unwrap_or(1))
    }

    /// The change of the text that adds the cheapest fences.
    fn diff(&self) -> Option<&str> {
        let placement = &self.fences["placements"][0];
        placement["diff"].as_str().filter(|diff| !diff.is_empty())
    }

    /// The steps of the story: thread, line, source, what happens.
    fn steps(&self) -> Vec<Happening<'_>> {
        let name = |step: &'_ Value| {
            if step["kind"] == "arrive" {
                return None;
            }
            let thread = step["thread"].as_u64().and_then(|thread| usize::try_from(thread).ok());
            thread.and_then(|thread| self.result["threads"][thread].as_str())
        };
        let steps = self.result["steps"].as_array().map_or(&[][..], Vec::as_slice);
        let step = |step: &'_ Value| -> Option<(u64, u64)> { Some((step["number"].as_u64()?, step["line"].as_u64()?)) };
        let told = steps.iter().filter_map(|s| step(s).map(|(number, line)| (s, number, line)));
        let text = |value: &'_ Value| value.as_str().map_or("", |text| text).to_owned();
        told.map(|(s, number, line)| Happening {
            number,
            line,
            thread: name(s).unwrap_or("memory"),
            source: text(&s["source"]),
            what: text(&s["what"]),
        })
        .collect()
    }
}

/// A step of a story.
struct Happening<'a> {
    number: u64,
    line: u64,
    thread: &'a str,
    source: String,
    what: String,
}

/// The verdict of a document of `check`, and its line.
fn judged(result: &Value) -> (String, String) {
    if result["kind"] == "error" {
        return ("error".to_owned(), result["message"].as_str().unwrap_or_default().to_owned());
    }
    // A document about a system has its outcome at the top.
    let outcome = if result["outcome"].is_object() { &result["outcome"] } else { result };
    let line = outcome["line"].as_str().unwrap_or_default().to_owned();
    let bounded = line.starts_with("SAFE") && line != "SAFE";
    let verdict = match outcome["verdict"].as_str() {
        Some("safe") if bounded => "bounded",
        Some(verdict @ ("safe" | "unsafe" | "unknown")) => verdict,
        Some(_) | None => return ("error".to_owned(), "the result cannot be understood".to_owned()),
    };
    (verdict.to_owned(), line)
}

/// The worst of all rows.
pub fn worst(rows: &[Row]) -> Status {
    rows.iter().map(|row| row.status).max().unwrap_or(Status::Passed)
}

/// How many rows there are of each kind that occurs, in words.
pub fn summary(rows: &[Row]) -> String {
    let all = [Status::Passed, Status::Failed, Status::Incomplete, Status::Error, Status::Internal];
    let count = |status: Status| rows.iter().filter(|row| row.status == status).count();
    let words = |status: Status| match (status, count(status)) {
        (_, 0) => None,
        (Status::Passed, n) => Some(format!("{n} as expected")),
        (Status::Failed, n) => Some(format!("{n} failed")),
        (Status::Incomplete, n) => Some(format!("{n} without a full answer")),
        (Status::Error, n) => Some(format!("{n} not read")),
        (Status::Internal, n) => Some(format!("{n} with a defect of Fencepost")),
    };
    let said: Vec<String> = all.into_iter().filter_map(words).collect();
    if said.is_empty() { "nothing to check".to_owned() } else { said.join(", ") }
}

/// A row as a line of JSON, for `fencepost merge`.
pub fn json_line(row: &Row) -> String {
    let mut value = json!(row);
    value["schema"] = json!(SCHEMA);
    value["kind"] = json!("row");
    format!("{value}\n")
}

/// Reads a line that [`json_line`] wrote.
///
/// # Errors
/// What is wrong with it.
pub fn from_json_line(line: &str) -> Result<Row, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if value["schema"] != SCHEMA || value["kind"] != "row" {
        return Err(format!("this is no row of {SCHEMA}"));
    }
    let mut row: Row = serde_json::from_value(value).map_err(|error| error.to_string())?;
    // Whoever changes a line does not change what it means.
    row.judge();
    Ok(row)
}
