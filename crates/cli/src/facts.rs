//! What a reader of a proof wants to know: the property, the definitions and options, how to get it again.

use crate::args::{C, Check, Unwind};
use model::Model;
use report::Facts;
use std::path::Path;

/// How a verdict on a program came about.
pub fn facts(args: &Check, model: &Model, engine: &str, certified: bool) -> Facts {
    Facts {
        property: property(&args.c).to_owned(),
        options: options(args),
        definitions: definitions(args, model),
        certified,
        again: again(args, model, engine, certified),
    }
}

/// The property as a sentence that holds for a safe program.
fn property(c: &C) -> &'static str {
    if c.svcomp_property.is_some() { "The property of SV-COMP holds." } else { c.named().sentence() }
}

fn paths<'a>(flag: &'a str, all: &'a [std::path::PathBuf]) -> impl Iterator<Item = String> + 'a {
    all.iter().map(move |path| format!("{flag} {}", path.display()))
}

/// What was chosen, a name and a value each.
fn options(args: &Check) -> Vec<(String, String)> {
    let (c, running) = (&args.c, &args.running);
    let words =
        c.define.iter().map(|word| format!("-D{word}")).chain(c.undefine.iter().map(|word| format!("-U{word}")));
    let words = words.chain(paths("-I", &c.include)).chain(paths("-include", &c.include_first));
    let mut chosen = vec![("Definitions".to_owned(), words.collect::<Vec<_>>().join(" "))];
    chosen.push(("Entry".to_owned(), c.entry.clone().unwrap_or_default()));
    if c.ilp32 {
        chosen.push(("Sizes".to_owned(), "long and pointers have 32 bits".to_owned()));
    }
    let bound = match running.unwind {
        Some(Unwind::Bound(bound)) => format!("--unwind {bound}"),
        Some(Unwind::Auto) => "--unwind auto".to_owned(),
        None => String::new(),
    };
    let loops = running.unwind_loop.iter().map(|(line, bound)| format!("--unwind-loop {line}:{bound}"));
    let own = running.own.iter().map(|(name, value)| format!("--{name} {value}"));
    let all: Vec<String> = [bound].into_iter().filter(|one| !one.is_empty()).chain(loops).chain(own).collect();
    chosen.push(("Options".to_owned(), all.join(" ")));
    chosen.retain(|(_, value)| !value.is_empty());
    chosen
}

/// The text of a model: that of a file of the user's, or the one that comes along.
fn definitions(args: &Check, model: &Model) -> String {
    let is_file = |name: &&String| Path::new(name).file_stem().is_some_and(|stem| *stem == *model.name);
    let file = args.model.iter().filter(|name| name.ends_with(".cat")).find(is_file);
    let own = file.and_then(|name| std::fs::read_to_string(name).ok());
    let base = model.name.split('+').next().unwrap_or_default();
    let known = || model::library().iter().find(|(name, _)| *name == base).map(|(_, text)| (*text).to_owned());
    own.or_else(known).unwrap_or_default()
}

/// The command for the same verdict: the file, the model, and all that was chosen besides.
fn again(args: &Check, model: &Model, engine: &str, certified: bool) -> String {
    let (c, running) = (&args.c, &args.running);
    let mut words: Vec<String> = vec!["fencepost".to_owned(), "check".to_owned()];
    let mut say =
        |flag: &str, value: &str| words.extend([flag, value].iter().filter(|w| !w.is_empty()).map(|w| quoted(w)));
    let path = |path: &Path| path.display().to_string();
    args.file.iter().chain(&c.more).for_each(|file| say("", &path(file)));
    c.compile_commands.iter().for_each(|file| say("--compile-commands", &path(file)));
    say("--model", args.model.iter().find(|name| name.ends_with(".cat")).unwrap_or(&model.name));
    c.define.iter().for_each(|name| say("", &format!("-D{name}")));
    c.undefine.iter().for_each(|name| say("", &format!("-U{name}")));
    for (flag, folders) in
        [("-I", &c.include), ("--iquote", &c.iquote), ("--isystem", &c.isystem), ("--include", &c.include_first)]
    {
        folders.iter().for_each(|folder| say(flag, &path(folder)));
    }
    c.standard.iter().for_each(|name| say("--std", name));
    say("", if c.ilp32 { "--ilp32" } else { "" });
    c.entry.iter().for_each(|name| say("--entry", name));
    c.property.iter().for_each(|property| say("--property", property.name()));
    c.svcomp_property.iter().for_each(|file| say("--svcomp-property", &path(file)));
    if engine != "none" {
        say("--engine", engine);
    }
    match running.unwind {
        Some(Unwind::Bound(bound)) => say("--unwind", &bound.to_string()),
        Some(Unwind::Auto) => say("--unwind", "auto"),
        None => {}
    }
    running.unwind_loop.iter().for_each(|(line, bound)| say("--unwind-loop", &format!("{line}:{bound}")));
    running.own.iter().for_each(|(name, value)| say(&format!("--{name}"), value));
    let certificate = if certified { " --certificate proof.json, which writes what was checked" } else { "" };
    format!("{}{certificate}", words.join(" "))
}

/// A word as a shell takes it for one.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
