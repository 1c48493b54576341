//! What there is: front ends, engines, models. Lists, help texts and the book's tables are printed from here.

use crate::{AUTO, Failure, Reading, STRATEGIES, strategy};
use engine::{Engine, Options, Refusal, Task};
use engine_coherence::Coherence;
use engine_lazy::Lazy;
use engine_local::Local;
use engine_parametric::Parametric;
use engine_partial_order::PartialOrder;
use engine_predicate::Predicate;
use engine_reference::{Axiomatic, Operational};
use ir::Program;
use model::{Include, Model};
use source::{Diagnostic, SourceFile};
use std::collections::BTreeSet;
use std::path::Path;
use system::System;

/// A language that programs are written in.
pub struct Frontend {
    /// What it reads.
    pub about: &'static str,
    /// The endings of its files, without the dot.
    pub extensions: &'static [&'static str],
    /// Text to what it describes.
    pub parse: fn(&SourceFile, &Reading) -> Result<Subject, Diagnostic>,
}

/// What a text describes.
#[derive(Debug, Clone)]
pub enum Subject {
    /// A program: objects, functions, threads.
    Program(Box<Program>),
    /// A system of any number of processes: arrays, and transitions as formulas.
    System(Box<System>),
}

/// All front ends.
pub static FRONTENDS: &[Frontend] = &[
    Frontend {
        about: "litmus tests of herd's format for X86, PPC, AArch64, RISCV and C",
        extensions: &["litmus"],
        parse: |file, reading| {
            let mut program = front_litmus::parse(file)?;
            if reading.c.seams {
                front_litmus::mark_sites(&mut program);
            }
            Ok(Subject::Program(Box::new(program)))
        },
    },
    Frontend {
        about: "C programs with threads; .i files are taken as preprocessed",
        extensions: &["c", "i"],
        parse: |file, reading| {
            let program = if reading.units.is_empty() {
                front_c::parse(file, None, &reading.c)?
            } else {
                front_c::parse_units(file, &reading.units, &reading.c)?
            };
            Ok(Subject::Program(Box::new(program)))
        },
    },
    Frontend {
        about: "array-based systems in Cubicle's language, with weak variables",
        extensions: &["cub"],
        parse: |file, _| front_arrays::parse(file).map(|system| Subject::System(Box::new(system))),
    },
];

/// Engines, the one that `auto` prefers first.
pub type Engines = &'static [&'static dyn Engine];

/// All engines that come with Fencepost. An engine is a crate, and its place in this list.
pub static ENGINES: Engines =
    &[&PartialOrder, &Coherence, &Predicate, &Axiomatic, &Lazy, &Local, &Operational, &Parametric];

/// The engine of this name.
pub fn engine(engines: Engines, name: &str) -> Option<&'static dyn Engine> {
    engines.iter().copied().find(|engine| engine.name() == name)
}

/// The names of the engines that work when this engine or strategy is asked for.
pub fn members(name: &str) -> Vec<&str> {
    match strategy(name) {
        Some(strategy) => strategy.steps.iter().map(|step| step.engine).collect(),
        None => vec![name],
    }
}

/// Sets an option of the engines that will work.
///
/// # Errors
/// None of them has such an option, or the value is wrong.
pub(crate) fn set_option(
    (all, working): (Engines, &[&str]),
    (name, value): (&str, &str),
    options: &mut Options,
) -> Result<(), Failure> {
    let has = |engine: &&&dyn Engine| engine.options().iter().any(|option| option.name == name);
    let at_work = all.iter().filter(|engine| working.contains(&engine.name())).filter(has);
    let declared = at_work.flat_map(|engine| engine.options()).find(|option| option.name == name);
    let Some(declared) = declared else {
        let owners: Vec<&str> = all.iter().filter(has).map(|engine| engine.name()).collect();
        let message = format!("--{name} is an option of {}, which does not work here", owners.join(" and "));
        return Err(Failure::Usage(message));
    };
    declared.set(options, value).map_err(Failure::Usage)
}

/// The engine of this name, or for `auto` all that take the task, the best first.
pub(crate) fn choose(engines: Engines, task: &Task<'_>, name: &str) -> Result<Vec<&'static dyn Engine>, Failure> {
    if name != AUTO {
        let names =
            || STRATEGIES.iter().map(|strategy| strategy.name).chain(engines.iter().map(|engine| engine.name()));
        let known = || names().collect::<Vec<_>>().join(", ");
        let chosen = engine(engines, name).ok_or_else(|| {
            Failure::Usage(format!("there is no engine `{name}`; there are {}{}", known(), like(name, names())))
        })?;
        let refused = |refusal: Refusal| Failure::Refused(refusal.reason, refusal.help);
        return chosen.accepts(task).map_err(refused).map(|()| vec![chosen]);
    }
    let (mut chosen, mut refusals) = (Vec::new(), Vec::new());
    for &engine in engines {
        match engine.accepts(task) {
            Ok(()) => chosen.push(engine),
            Err(refusal) => refusals.push(format!("{}: {}", engine.name(), refusal.reason)),
        }
    }
    if chosen.is_empty() {
        return Err(Failure::Refused(refusals.join("; "), "no engine takes this task".to_owned()));
    }
    Ok(chosen)
}

/// The front end for a file of this name; litmus tests need no ending.
pub fn frontend(name: &str) -> Option<&'static Frontend> {
    let extension = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or("litmus");
    FRONTENDS.iter().find(|frontend| frontend.extensions.contains(&extension))
}

/// The architecture that a litmus test says it is for, if nobody here reads it.
pub fn unknown_architecture(file: &SourceFile) -> Option<&str> {
    let is_litmus = frontend(file.name()).is_some_and(|frontend| frontend.extensions.contains(&"litmus"));
    front_litmus::unknown_architecture(file).filter(|_| is_litmus)
}

/// The models that come with Fencepost: first those for every architecture, from strong to weak, then the others.
pub fn models() -> Vec<Model> {
    let mut models = library();
    let rank = |m: &Model| (!m.head.architectures.is_empty(), strength(&models, &m.name), m.name.clone());
    let mut order: Vec<(bool, usize, String)> = models.iter().map(rank).collect();
    order.sort();
    models.sort_by_key(|m| order.iter().position(|(_, _, name)| *name == m.name));
    models
}

fn library() -> Vec<Model> {
    model::library().iter().filter_map(|(name, _)| Model::builtin(name)).collect()
}

/// The length of the longest chain of these models from the one with this name to stronger ones.
fn strength(models: &[Model], name: &str) -> usize {
    let Some(model) = models.iter().find(|m| m.name == name) else { return 0 };
    let stronger = model.head.weaker_than.iter().map(|next| strength(models, next));
    stronger.max().map_or(0, |longest| longest + 1)
}

/// The model that comes with Fencepost under this name, or under one that its head offers besides; behind each `+`, an option of it.
///
/// # Errors
/// There is none; says which there are, and which name is nearest.
pub fn model(name: &str) -> Result<Model, Failure> {
    let mut parts = name.split('+');
    let mut model = plain_model(parts.next().unwrap_or_default())?;
    for option in parts {
        let options: BTreeSet<String> = model.head.options.iter().map(|(name, _)| format!("+{name}")).collect();
        let plain = model.name.clone();
        model = model.with_option(&option.to_lowercase()).ok_or_else(|| {
            let known = if options.is_empty() { "none".to_owned() } else { Vec::from_iter(options).join(", ") };
            Failure::Usage(format!("the model `{plain}` has no option `+{option}`; there are {known}"))
        })?;
    }
    Ok(model)
}

fn plain_model(name: &str) -> Result<Model, Failure> {
    let wanted = name.to_lowercase();
    if let Some(model) = Model::builtin(&wanted) {
        return Ok(model);
    }
    let mut models = models();
    if let Some(at) = models.iter().position(|model| model.head.also.contains(&wanted)) {
        return Ok(models.swap_remove(at));
    }
    let all = || models.iter().flat_map(|model| std::iter::once(&model.name).chain(&model.head.also));
    let hint = like(&wanted, all().map(String::as_str));
    let known: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
    let known = known.join(", ");
    Err(Failure::Usage(format!("there is no model `{name}`; there are {known} and files ending in .cat{hint}")))
}

/// The question whether one of these names was meant that is nearly the same, if there is one.
fn like<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> String {
    match names.map(|name| (model::distance(wanted, name), name)).min() {
        Some((far, name)) if far <= 2 && far < wanted.chars().count() => format!("; did you mean `{name}`?"),
        Some(_) | None => String::new(),
    }
}

/// A model from a user's file.
///
/// # Errors
/// What is wrong with the file.
pub fn model_from(name: &str, file: &SourceFile, includes: &dyn Include) -> Result<Model, Failure> {
    let model = Model::load(name, file, includes).map_err(Failure::Input)?;
    Ok(Model { foreign: true, ..model })
}
