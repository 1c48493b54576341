//! Verdicts as diagnostics of an editor.

use super::wire::Sender;
use crate::input::Beside;
use serde_json::{Value, json};
use session::Failure;
use source::{Diagnostic, SourceFile};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

const ERROR: u8 = 1;
const WARNING: u8 = 2;
const INFORMATION: u8 = 3;

/// What an editor can choose, in `initializationOptions`.
#[derive(Clone)]
pub struct Settings {
    /// The models; without any, those that `check` takes: for litmus tests all.
    pub models: Vec<String>,
    /// Seconds for one check.
    pub timeout: u64,
    /// Whether data races of C programs are looked for.
    pub races: bool,
    /// Further arguments for C programs: `-I include`.
    pub arguments: Vec<String>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { models: Vec::new(), timeout: 20, races: true, arguments: Vec::new() }
    }
}

impl Settings {
    /// Those that an editor names.
    pub fn new(options: &Value) -> Settings {
        let words = |name: &str| {
            let all = options[name].as_array().map(Vec::as_slice).unwrap_or_default();
            all.iter().filter_map(|word| Some(word.as_str()?.to_owned())).collect::<Vec<_>>()
        };
        let default = Settings::default();
        Settings {
            models: words("models"),
            timeout: options["timeout"].as_u64().unwrap_or(default.timeout),
            races: options["races"].as_bool().unwrap_or(default.races),
            arguments: words("arguments"),
        }
    }
}

/// A check that goes on; none when it was ended.
type Running = Arc<Mutex<Option<Child>>>;

/// The checks that go on, by document.
#[derive(Default)]
pub struct Checks(BTreeMap<String, (Running, Arc<Mutex<bool>>)>);

impl Checks {
    /// Ends the check of a document.
    pub fn stop(&mut self, uri: &str) {
        let Some((running, stopped)) = self.0.remove(uri) else { return };
        *stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        if let Some(mut child) = running.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // One that has ended by itself cannot be ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Ends all.
    pub fn end(&mut self) {
        for uri in self.0.keys().cloned().collect::<Vec<_>>() {
            self.stop(&uri);
        }
    }

    /// Checks a document, and no longer an older state of it.
    pub fn start(&mut self, sender: &Sender, uri: &str, path: &Path, settings: &Settings) {
        self.stop(uri);
        let (running, stopped) = (Running::default(), Arc::new(Mutex::new(false)));
        self.0.insert(uri.to_owned(), (Arc::clone(&running), Arc::clone(&stopped)));
        let (sender, uri, path, settings) = (sender.clone(), uri.to_owned(), path.to_owned(), settings.clone());
        std::thread::spawn(move || {
            let mut found = Vec::new();
            for line in lines(&path, &settings) {
                let Some(answer) = answer(&line, &running, &stopped) else { return };
                found.extend(diagnostics(&path, &answer));
                if answer["kind"] == "error" {
                    break;
                }
            }
            let stopped = stopped.lock().unwrap_or_else(PoisonError::into_inner);
            if !*stopped {
                publish(&sender, &uri, &found);
            }
        });
    }
}

/// The command lines that check a file.
fn lines(path: &Path, settings: &Settings) -> Vec<Vec<String>> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_c = matches!(ending, "c" | "i");
    let timeout = settings.timeout.to_string();
    let mut line: Vec<String> =
        ["check", "--format", "json", "--jobs", "1", "--timeout", &timeout].map(str::to_owned).into();
    if is_c {
        line.extend(settings.arguments.iter().cloned());
    }
    line.push(path.display().to_string());
    let with = |more: &[&str]| line.iter().cloned().chain(more.iter().map(|&word| word.to_owned())).collect::<Vec<_>>();
    let models: Vec<&str> = settings.models.iter().flat_map(|model| ["--model", model]).collect();
    let first = match ending {
        "litmus" if models.is_empty() => with(&["--model", "all"]),
        "cub" => with(&[]),
        _ => with(&models),
    };
    let races = || with(&["--property", "race", "--model", "sc"]);
    if is_c && settings.races { vec![first, races()] } else { vec![first] }
}

/// What a command says; nothing if it was ended.
fn answer(line: &[String], running: &Running, stopped: &Mutex<bool>) -> Option<Value> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.args(line).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let out = child.stdout.take()?;
    // It may have been ended before there was a child to end: whoever does so says it first, and then looks for the child.
    let mut running_child = running.lock().unwrap_or_else(PoisonError::into_inner);
    if *stopped.lock().unwrap_or_else(PoisonError::into_inner) {
        let _ = child.kill();
        let _ = child.wait();
        return None;
    }
    *running_child = Some(child);
    drop(running_child);
    let text = std::io::read_to_string(out).ok()?;
    if let Some(mut child) = running.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // It has closed its output, so it ends.
        let _ = child.wait();
    }
    if *stopped.lock().unwrap_or_else(PoisonError::into_inner) {
        return None;
    }
    serde_json::from_str(&text).ok()
}

/// Shows diagnostics, and no others.
pub fn publish(sender: &Sender, uri: &str, found: &[Value]) {
    sender.tell("textDocument/publishDiagnostics", &json!({ "uri": uri, "diagnostics": found }));
}

/// What is wrong with a model.
pub fn model(path: &Path, text: &str) -> Vec<Value> {
    let file = SourceFile::new(path.display().to_string(), text);
    let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let folder = path.parent().map_or_else(Default::default, Path::to_path_buf);
    let one = |diagnostic: &Diagnostic, severity: u8| {
        let (span, file) = (diagnostic.span(), diagnostic.file());
        let own = file.name() == path.display().to_string();
        let (start, end) = (file.position(span.start), file.position(span.end));
        let range =
            if own { range(text, (start.line, start.column), (end.line, end.column)) } else { line_range(text, 1) };
        entry(&range, severity, diagnostic.message())
    };
    match session::model_from(&name, &file, &Beside(folder)) {
        Ok(model) => model.warnings.iter().map(|warning| one(warning, WARNING)).collect(),
        Err(Failure::Input(diagnostic)) => vec![one(&diagnostic, ERROR)],
        Err(Failure::Usage(message) | Failure::Refused(message, _) | Failure::Internal(message)) => {
            vec![entry(&line_range(text, 1), ERROR, &message)]
        }
    }
}

/// The column of a character of a line, both from 1, in units of UTF-16, from 0.
fn units(line: &str, column: u32) -> usize {
    line.chars().take(column.saturating_sub(1) as usize).map(char::len_utf16).sum()
}

/// A range between lines and columns that are counted from 1.
fn range(text: &str, (line, column): (u32, u32), (to, end): (u32, u32)) -> Value {
    let at = |line: u32, column: u32| {
        let row = text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
        json!({ "line": line.saturating_sub(1), "character": units(row, column) })
    };
    json!({ "start": at(line, column), "end": at(to, end) })
}

/// All of a line but the blanks before it.
fn line_range(text: &str, line: u32) -> Value {
    let row = text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
    let blanks = row.chars().take_while(|c| c.is_whitespace()).count() as u32;
    range(text, (line, blanks + 1), (line, row.chars().count() as u32 + 1))
}

fn entry(range: &Value, severity: u8, message: &str) -> Value {
    json!({ "range": range, "severity": severity, "source": "fencepost", "message": message })
}

/// The diagnostics that an answer of `check` means.
fn diagnostics(path: &Path, answer: &Value) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let number = |value: &Value| value.as_u64().map(|number| number as u32);
    match answer["kind"].as_str().unwrap_or_default() {
        "error" => {
            let own = answer["file"].as_str().is_none_or(|file| Path::new(file) == path);
            let line = number(&answer["line"]).filter(|_| own).unwrap_or(1);
            let place = match number(&answer["column"]).filter(|_| own) {
                Some(column) => {
                    let row = text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
                    range(&text, (line, column), (line, row.chars().count() as u32 + 1))
                }
                None => line_range(&text, line),
            };
            let mut message = answer["message"].as_str().unwrap_or_default().to_owned();
            if let Some(help) = answer["help"].as_str() {
                message += &format!("\nhelp: {help}");
            }
            // A limit that was reached is no fault of the text.
            let severity = if answer["reason"] == "stopped" { INFORMATION } else { ERROR };
            vec![entry(&place, severity, &message)]
        }
        "models" if answer["shown"].is_object() => case(path, &text, &answer["shown"]),
        "models" => vec![observed(&text, answer)],
        "system" => system(&text, answer),
        _ => case(path, &text, answer),
    }
}

/// A program under one model.
fn case(path: &Path, text: &str, case: &Value) -> Vec<Value> {
    let model = case["model"]["name"].as_str().unwrap_or_default();
    let line = case["outcome"]["line"].as_str().unwrap_or_default();
    let violation = &case["violation"];
    let (Some(at), Some(sentence)) = (violation["line"].as_u64(), violation["sentence"].as_str()) else {
        if case["test"]["condition"].is_string() {
            let place = line_range(text, condition_line(text));
            return vec![entry(&place, INFORMATION, &format!("{line} under {model}"))];
        }
        // What is proved needs no mark; what is not known does.
        let known = case["outcome"]["verdict"] == "safe" && line == "SAFE";
        return if known {
            Vec::new()
        } else {
            vec![entry(&line_range(text, 1), INFORMATION, &format!("{line} under {model}"))]
        };
    };
    let own = violation["file"].as_str().is_none_or(|file| Path::new(file) == path);
    let place = line_range(text, if own { at as u32 } else { 1 });
    let mut found = entry(&place, ERROR, &format!("{sentence}, under {model}"));
    found["code"] = violation["kind"].clone();
    // Orders that do not matter under sequential consistency are not what is missing.
    if case["relaxed"].as_array().is_some_and(|pairs| !pairs.is_empty()) {
        found["data"] = json!({ "model": model });
    }
    let uri = format!("file://{}", path.display());
    let threads = case["threads"].as_array().map(Vec::as_slice).unwrap_or_default();
    let step = |step: &Value| {
        let line = step["line"].as_u64().filter(|&line| line > 0 && step["file"].is_null())? as u32;
        let thread =
            step["thread"].as_u64().and_then(|thread| threads.get(thread as usize)?.as_str()).unwrap_or_default();
        let message = format!("{}. {thread}: {}", step["number"], step["what"].as_str().unwrap_or_default());
        Some(json!({ "location": { "uri": uri, "range": line_range(text, line) }, "message": message }))
    };
    let steps = case["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    found["relatedInformation"] = steps.iter().filter_map(step).collect();
    vec![found]
}

/// The line of a litmus test in which its condition begins, from 1.
fn condition_line(text: &str) -> u32 {
    let begins = |line: &str| ["exists", "~exists", "forall"].iter().any(|word| line.trim_start().starts_with(word));
    text.lines().position(begins).map_or(1, |at| at as u32 + 1)
}

/// What a litmus test does under all models.
fn observed(text: &str, answer: &Value) -> Value {
    let rows = answer["rows"].as_array().map(Vec::as_slice).unwrap_or_default();
    let under = |verdict: &str| {
        let same = rows.iter().filter(|row| row["outcome"]["verdict"] == verdict);
        same.filter_map(|row| row["model"]["name"].as_str()).collect::<Vec<_>>().join(", ")
    };
    let parts =
        [("UNSAFE", "unsafe"), ("SAFE", "safe"), ("UNKNOWN", "unknown")].map(|(word, verdict)| (word, under(verdict)));
    let known = parts.iter().filter(|(_, models)| !models.is_empty());
    let words: Vec<String> = known.map(|(word, models)| format!("{word} under {models}")).collect();
    entry(&line_range(text, condition_line(text)), INFORMATION, &words.join("; "))
}

/// An array-based system.
fn system(text: &str, answer: &Value) -> Vec<Value> {
    let (line, model) = (answer["line"].as_str().unwrap_or_default(), answer["model"].as_str().unwrap_or_default());
    let place = text.lines().position(|line| line.trim_start().starts_with("unsafe")).map_or(1, |at| at as u32 + 1);
    if answer["verdict"] == "safe" {
        return Vec::new();
    }
    let steps = answer["run"]["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    let steps: Vec<&str> = steps.iter().filter_map(Value::as_str).map(str::trim).collect();
    let how = if steps.is_empty() { String::new() } else { format!(": {}", steps.join(", ")) };
    let is_unsafe = answer["verdict"] == "unsafe";
    let mut found = entry(
        &line_range(text, place),
        if is_unsafe { ERROR } else { INFORMATION },
        &format!("{line} under {model}{how}"),
    );
    if is_unsafe {
        found["data"] = json!({ "model": model });
    }
    vec![found]
}
