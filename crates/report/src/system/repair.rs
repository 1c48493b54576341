//! Fences of systems: what was found, and how it is told.

use super::{SystemCase, SystemModel, clean};
use crate::text::{Options, Paint, painted};
use engine::{NoAnswer, Run, SystemVerdict};
use std::fmt::Write;
use system::System;

/// What became of the search for fences. If there is nothing in it, no placement helps.
#[derive(Debug, Clone, Default)]
pub struct SystemRepair {
    /// These placements make the system safe; none has a fence too many, and the first is a cheapest one.
    pub placements: Vec<SystemPlacement>,
    /// A run that no fence forbids.
    pub unrepairable: Option<Run>,
    /// Why there may be more.
    pub unknown: Option<NoAnswer>,
}

/// Fences that make a system safe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemPlacement {
    /// The transitions that get one.
    pub transitions: Vec<usize>,
    /// What they cost.
    pub cost: u64,
    /// The change as a unified diff.
    pub diff: String,
}

impl SystemRepair {
    /// The last line.
    pub fn line(&self) -> String {
        match (self.placements.first(), &self.unknown) {
            (Some(first), _) if first.transitions.is_empty() => "NO FENCES NEEDED".to_owned(),
            (Some(first), _) => format!("FENCES {} (cost {})", first.transitions.len(), first.cost),
            (None, Some(reason)) => format!("UNKNOWN ({reason})"),
            (None, None) => "NOT REPAIRABLE".to_owned(),
        }
    }
}

/// What a person reads. The last line is an interface.
pub fn repair_text(system: &System, model: &SystemModel, repair: &SystemRepair, options: Options) -> String {
    let question =
        format!("{} under {}: which fences make it right?", clean(system.file.name()), clean(&model.model.title));
    let mut out = format!("{}\n", options.paint(Paint::Bold, &question));
    let processes = system.processes.map_or("any number of processes".to_owned(), |n| format!("{n} processes"));
    let count = repair.placements.len();
    for (at, placement) in repair.placements.iter().enumerate() {
        if count > 1 {
            // Writing to a string does not fail.
            let _ = writeln!(out, "\n{}", options.paint(Paint::Bold, &format!("Placement {} of {count}:", at + 1)));
        }
        let words = match placement.transitions.len() {
            0 => "None: it is safe as it is.".to_owned(),
            1 => "It is safe with this fence.".to_owned(),
            more => format!("It is safe with these {more} fences."),
        };
        let _ = writeln!(out, "{} Proved for {processes}.", options.paint(Paint::Green, &words));
        if placement.transitions.is_empty() {
            continue;
        }
        out.push('\n');
        for &number in &placement.transitions {
            let transition = &system.transitions[number];
            let (name, line) = (clean(&transition.name), system.file.line(transition.span));
            let _ = writeln!(out, "  fence() in the guard of {name}, line {line}");
        }
        out.push('\n');
        out += &painted(&placement.diff, options);
    }
    if let Some(run) = &repair.unrepairable {
        let verdict = SystemVerdict::Unsafe(run.clone());
        let case = SystemCase {
            system,
            model,
            verdict: &verdict,
            statistics: &[],
            certificate: None,
            found: &[],
            seconds: 0.0,
        };
        let none = options.paint(Paint::Red, "None.");
        let _ = writeln!(
            out,
            "{none} This run is there with a fence in every transition:\n\n{}",
            case.told(run).trim_end()
        );
    }
    match &repair.unknown {
        Some(reason) if count == 0 => {
            let _ = writeln!(out, "{} {reason}.", options.paint(Paint::Yellow, "No answer:"));
        }
        Some(reason) => {
            let _ = writeln!(out, "\nThere may be other placements; the search ended: {reason}.");
        }
        None => {}
    }
    let _ = writeln!(out, "\n{}", repair.line());
    out
}
