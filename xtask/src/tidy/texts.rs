//! Rules about what stands in files.

use super::layers::layer;
use crate::run::files;
use anyhow::Result;
use std::path::{Path, PathBuf};

/// No file of Rust is longer.
const LONGEST: usize = 900;

/// What engines say about themselves, as headings in the documentation of their crate or of their module.
const HEADINGS: [&str; 3] = ["# The method", "# How it deviates", "# What it can miss"];

/// Texts: everything that people write here.
const TEXTS: &[&str] = &["rs", "toml", "md", "cat", "litmus", "txt", "sh", "css", "js", "json", "yml"];

/// Below the library's face nothing reads files, the environment or sockets, starts processes or prints.
pub fn no_io_below_the_face(root: &Path) -> Result<Vec<String>> {
    let mut broken = Vec::new();
    let top = layer("fencepost");
    for (name, folder) in crates(root)? {
        if layer(&name) >= top {
            continue;
        }
        for file in files(&folder.join("src"), &["rs"])? {
            if file.file_name().is_some_and(|name| name == "tests.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&file)?;
            for (number, line) in code(&text) {
                if let Some(what) = io(line) {
                    broken.push(format!(
                        "{}: {what} below fencepost and cli; hand it in from above",
                        place(root, &file, number)
                    ));
                }
            }
        }
    }
    Ok(broken)
}

/// What `witness` offers besides the data of evidence.
const CHECKERS: [&str; 8] =
    ["check", "check_cubes", "check_invariant", "check_violation", "forbidden", "inside", "structure", "waiting"];

/// Engines make evidence and do not call who checks it.
pub fn engines_call_no_checker(root: &Path) -> Result<Vec<String>> {
    let mut broken = Vec::new();
    for (name, folder) in crates(root)? {
        if !name.starts_with("engine") && name != "stepper" {
            continue;
        }
        for file in files(&folder.join("src"), &["rs"])? {
            if file.file_name().is_some_and(|name| name == "tests.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&file)?;
            for (number, line) in code(&text) {
                if let Some(what) = checker(line) {
                    broken.push(format!("{}: witness::{what}; ask Observer::confirm", place(root, &file, number)));
                }
            }
        }
    }
    Ok(broken)
}

/// What a line uses of the checkers.
fn checker(line: &str) -> Option<&'static str> {
    let (_, used) = line.split_once("witness::")?;
    let mut words = used.split(|c: char| !c.is_alphanumeric() && c != '_');
    let grouped = used.starts_with('{');
    let first = words.next().filter(|_| !grouped);
    let names = first.into_iter().chain(words.take_while(|_| grouped));
    names.filter_map(|name| CHECKERS.into_iter().find(|checker| *checker == name)).next()
}

/// What a line uses of the outside world.
fn io(line: &str) -> Option<String> {
    for module in ["fs", "env", "net", "process"] {
        let grouped = line.trim_start().starts_with("use std::{")
            && line.split(['{', ',', '}', ' ', ':', ';']).any(|word| word == module);
        if grouped || mentions(line, &format!("std::{module}")) {
            return Some(format!("std::{module}"));
        }
    }
    let prints = ["println", "eprintln", "print", "eprint"].into_iter().map(|name| format!("{name}!"));
    prints.into_iter().find(|name| mentions(line, name))
}

/// No macro that stands for work not done.
pub fn no_leftovers(root: &Path) -> Result<Vec<String>> {
    let mut broken = Vec::new();
    for file in files(root, &["rs"])? {
        let text = std::fs::read_to_string(&file)?;
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            for name in ["todo", "unimplemented", "dbg"].map(|name| format!("{name}!")) {
                if mentions(line, &name) {
                    broken.push(format!("{}: `{name}` is left over", place(root, &file, number + 1)));
                }
            }
        }
    }
    Ok(broken)
}

/// No file too long to read.
pub fn no_long_files(root: &Path) -> Result<Vec<String>> {
    let mut broken = Vec::new();
    for file in files(root, &["rs"])? {
        let lines = std::fs::read_to_string(&file)?.lines().count();
        if lines > LONGEST {
            broken.push(format!("{}: {lines} lines; no file has more than {LONGEST}", shown(root, &file)));
        }
    }
    Ok(broken)
}

/// No path that exists on one machine only.
pub fn no_paths_of_a_machine(root: &Path) -> Result<Vec<String>> {
    let folders = ["home", "root", "work", "tmp"].map(|name| format!("/{name}/"));
    let mut broken = Vec::new();
    for file in files(root, TEXTS)? {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        for (number, line) in text.lines().enumerate() {
            if let Some(folder) = folders.iter().find(|folder| mentions(line, folder)) {
                broken.push(format!("{}: `{folder}` is a path of a machine", place(root, &file, number + 1)));
            }
        }
    }
    Ok(broken)
}

/// Programs say in their heads what is expected of them, in the one format that there is. The programs in `corpus/ui` are
/// input for the command line.
pub fn programs_have_expectations(root: &Path) -> Result<Vec<String>> {
    let mut broken = Vec::new();
    for folder in ["corpus", "examples"] {
        for file in files(&root.join(folder), &["litmus", "c", "cub"])? {
            if file.starts_with(root.join("corpus/ui")) {
                continue;
            }
            if let Err(why) = testkit::heads::head(&std::fs::read_to_string(&file)?) {
                broken.push(format!("{}: {why}; testkit/src/heads.rs has the format", shown(root, &file)));
            }
        }
    }
    Ok(broken)
}

/// Where a crate's tests are one binary, each file of tests is a part of it.
pub fn tests_are_run(root: &Path) -> Result<Vec<String>> {
    let mut broken = Vec::new();
    for (_, folder) in crates(root)? {
        if !std::fs::read_to_string(folder.join("Cargo.toml"))?.contains("autotests = false") {
            continue;
        }
        let all = folder.join("tests/all.rs");
        let text = std::fs::read_to_string(&all)?;
        for entry in std::fs::read_dir(folder.join("tests"))? {
            let path = entry?.path();
            let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let rust = path.extension().is_some_and(|ending| ending == "rs");
            if rust && path != all && !text.lines().any(|line| line == format!("mod {name};")) {
                broken.push(format!("{}: nobody runs it; write `mod {name};` into all.rs", shown(root, &path)));
            }
        }
    }
    Ok(broken)
}

/// Models say what they are about.
pub fn models_have_heads(root: &Path) -> Result<Vec<String>> {
    let mut broken = Vec::new();
    for file in files(&root.join("models"), &["cat"])? {
        let text = std::fs::read_to_string(&file)?;
        if !["@about ", "@library"].iter().any(|key| text.contains(key)) {
            broken.push(format!("{}: neither `@about …` nor `@library` in its head", shown(root, &file)));
        }
    }
    Ok(broken)
}

/// Engines name their method, how they deviate from its paper, and what they can miss.
pub fn engines_explain_themselves(root: &Path) -> Result<Vec<String>> {
    let mut broken = Vec::new();
    for (name, folder) in crates(root)?.into_iter().filter(|(name, _)| name.starts_with("engine-")) {
        let heads = files(&folder.join("src"), &["rs"])?.into_iter().map(std::fs::read_to_string);
        let heads = heads.collect::<Result<Vec<String>, _>>()?;
        let explained = |text: &String, heading: &str| text.lines().any(|line| line == format!("//! {heading}"));
        let whole = heads.iter().any(|text| HEADINGS.iter().all(|heading| explained(text, heading)));
        if !whole {
            broken.push(format!("crates/{name}: the head of no module has all of `{}`", HEADINGS.join("`, `")));
        }
    }
    Ok(broken)
}

/// The crates in layers, with their folders.
fn crates(root: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root.join("crates"))? {
        let entry = entry?;
        if entry.path().is_dir() {
            found.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

/// The lines of a file that are code and no tests, with their numbers; tests stand at the end.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    lines.map(|(at, line)| (at + 1, line)).filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Whether a text stands in a line, and not as the end of a longer word.
fn mentions(line: &str, text: &str) -> bool {
    line.match_indices(text).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + text.len()..].chars().next();
        let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
        !word(before) && (text.ends_with(['/', '!']) || !word(after))
    })
}

fn shown(root: &Path, file: &Path) -> String {
    file.strip_prefix(root).unwrap_or(file).display().to_string()
}

fn place(root: &Path, file: &Path, line: usize) -> String {
    format!("{}:{line}", shown(root, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outside_world_is_recognised() {
        assert_eq!(io("use std::fs::File;").as_deref(), Some("std::fs"));
        assert_eq!(io("use std::{fmt, env};").as_deref(), Some("std::env"));
        assert_eq!(io("    eprintln!(\"x\");").as_deref(), Some("eprintln!"));
        assert_eq!(io("use std::fmt::Write; writeln!(text)"), None);
        assert_eq!(io("let x = std::fsx::y;"), None);
    }

    #[test]
    fn checkers_are_recognised() {
        assert_eq!(checker("witness::check_violation(program)"), Some("check_violation"));
        assert_eq!(checker("use witness::{Execution, structure};"), Some("structure"));
        assert_eq!(checker("use witness::{Execution, Violation};"), None);
        assert_eq!(checker("witness::TWO_INSIDE, structure"), None);
    }

    #[test]
    fn comments_and_tests_are_no_code() {
        let text = "fn a() {}\n// std::fs\n#[cfg(test)]\nuse std::fs;\n";
        assert_eq!(code(text).collect::<Vec<_>>(), [(1, "fn a() {}")]);
    }
}
