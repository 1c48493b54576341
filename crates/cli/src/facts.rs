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

/// The command for the same verdict.
fn again(args: &Check, model: &Model, engine: &str, certified: bool) -> String {
    let file = args.file.as_deref().map_or_else(|| "FILE".to_owned(), |path| path.display().to_string());
    let name = args.model.iter().find(|name| name.ends_with(".cat")).unwrap_or(&model.name);
    let engine = if engine == "none" { String::new() } else { format!(" --engine {engine}") };
    let certificate = if certified { " --certificate proof.json, which writes what was checked" } else { "" };
    format!("fencepost check {file} --model {name}{engine}{certificate}")
}
