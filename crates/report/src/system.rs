//! Array-based systems: verdicts as text; JSON, pictures and pages are below.

mod certificate;
mod graph;
mod html;
mod json;
mod repair;
mod run;

pub use certificate::certificate;
pub use graph::{dot, svg};
pub use html::{html, repair_html};
pub use json::{json, repair_json};
pub use repair::{SystemPlacement, SystemRepair, repair_text};

use crate::data::ModelName;
use engine::{Run, SystemVerdict};
use std::fmt::Write;
use system::certificate::{Certificate, Found};
use system::machine::{Group, Machine, Step};
use system::{Memory, System, Type};

/// A model as systems know it.
#[derive(Debug, Clone)]
pub struct SystemModel {
    /// How it is called.
    pub model: ModelName,
    /// Its store buffers.
    pub memory: Memory,
}

/// A system and what is known about it.
#[derive(Debug)]
pub struct SystemCase<'a> {
    /// The system.
    pub system: &'a System,
    /// Under which model.
    pub model: &'a SystemModel,
    /// What is known.
    pub verdict: &'a SystemVerdict,
    /// What the search cost.
    pub statistics: &'a [(String, u64)],
    /// Why it is safe, if it is.
    pub certificate: Option<&'a Certificate>,
    /// The cubes of the search, if they are few.
    pub found: &'a [Found],
    /// How long it took.
    pub seconds: f64,
}

fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}

impl SystemCase<'_> {
    fn cell(&self, machine: &Machine<'_>, cell: usize) -> String {
        let (symbol, args) = machine.cell(cell);
        let args: Vec<String> = args.iter().map(|arg| format!("#{}", arg + 1)).collect();
        let name = &self.system.symbols[symbol].name;
        if args.is_empty() { name.clone() } else { format!("{name}[{}]", args.join(",")) }
    }

    fn value(&self, machine: &Machine<'_>, cell: usize, value: Option<i64>) -> String {
        let Some(value) = value else { return "?".to_owned() };
        match self.system.symbols[machine.cell(cell).0].ty {
            Type::Int | Type::Real | Type::Opaque(_) => value.to_string(),
            Type::Proc => format!("#{}", value + 1),
            Type::Enum(at) => {
                let known = self.system.enums[at].constructors.get(value as usize);
                known.cloned().unwrap_or_else(|| value.to_string())
            }
        }
    }

    fn group(&self, machine: &Machine<'_>, group: &Group) -> String {
        let write = |&(cell, value): &(usize, Option<i64>)| {
            format!("{} = {}", self.cell(machine, cell), self.value(machine, cell, value))
        };
        group.iter().map(write).collect::<Vec<_>>().join(", ")
    }

    fn step(&self, machine: &Machine<'_>, step: &Step) -> String {
        match step {
            Step::Take(number, processes) => {
                let args: Vec<String> = processes.iter().map(|process| format!("#{}", process + 1)).collect();
                format!("{}({})", clean(&self.system.transitions[*number].name), args.join(", "))
            }
            Step::Look(_, readers) => {
                let readers: Vec<String> = readers.iter().map(|process| format!("#{}", process + 1)).collect();
                format!("  last look at memory: {}", readers.join(", "))
            }
            Step::Commit(process, group) => {
                format!("  memory takes from #{}: {}", process + 1, clean(&self.group(machine, group)))
            }
        }
    }

    fn property(&self, number: usize) -> String {
        let property = &self.system.bad[number];
        let line = self.system.file.line(property.span);
        if property.name.is_empty() { format!("unsafe (line {line})") } else { clean(&property.name) }
    }

    fn first(&self, machine: &Machine<'_>, run: &Run) -> Vec<String> {
        let known = run.first.memory.iter().enumerate().filter(|(_, value)| value.is_some());
        known.map(|(cell, &value)| self.group(machine, &vec![(cell, value)])).collect()
    }

    /// A run, step by step.
    fn told(&self, run: &Run) -> String {
        let mut out = String::new();
        let machine = Machine::new(self.system, run.processes, self.model.memory);
        // Writing to a string does not fail.
        let _ = writeln!(out, "  at first: {}\n", clean(&self.first(&machine, run).join(", ")));
        let lines = self.lines(&machine, run);
        let width = lines.iter().map(|line| line.who.chars().count()).max().unwrap_or(0);
        for (at, line) in lines.iter().enumerate() {
            let _ = writeln!(out, "  {:>3}  {:<width$}  {}", at + 1, line.who, line.words.join("; "));
        }
        let _ = writeln!(out, "\n  bad state: {}", self.bad(&machine, run));
        for waiting in self.waiting(&machine, run) {
            let _ = writeln!(out, "  still waiting: {waiting}");
        }
        out
    }
}

/// What a person reads.
pub fn text(case: &SystemCase<'_>, statistics: bool) -> String {
    let mut out = String::new();
    let model = clean(&case.model.model.title);
    let file = clean(case.system.file.name());
    let processes = case.system.processes.map_or("any number of processes".to_owned(), |n| format!("{n} processes"));
    // Writing to a string does not fail.
    let _ = writeln!(out, "{file} under {model}, {processes}: can a bad state be reached?\n");
    for invariant in &case.system.invariants {
        let line = case.system.file.line(invariant.span);
        let _ = writeln!(out, "Taken for granted: the states of the invariant in line {line} do not occur.");
    }
    match case.verdict {
        SystemVerdict::Safe { checked } => {
            let cubes = case.certificate.map_or(0, |certificate| certificate.cubes.len());
            let how = if *checked { "was checked" } else { "was not checked" };
            let _ = writeln!(out, "No, for {processes}. The certificate (cubes: {cubes}) {how}.");
        }
        SystemVerdict::Unsafe(run) => {
            let count =
                if run.processes == 1 { "1 process".to_owned() } else { format!("{} processes", run.processes) };
            let _ = writeln!(out, "Yes. A run of {count}:\n");
            out += &case.told(run);
        }
        SystemVerdict::Unknown(_) => {}
    }
    if statistics {
        let _ = writeln!(out, "\nengine parametric, {:.3} s", case.seconds);
        for (name, value) in case.statistics {
            let _ = writeln!(out, "  {name}: {value}");
        }
    }
    let _ = writeln!(out, "\n{}", case.verdict);
    out
}
