//! What came out.

use engine::SystemVerdict;
use report::system::{SystemCase, SystemModel};
use report::{Case, Explanation, Facts, Graph, ModelName};
use session::{Found, SystemFound};
use std::fmt;
use system::System;

/// What is known.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// No execution goes wrong.
    Safe {
        /// For which executions this was proved: for those within all of these bounds. If there are none, for all executions.
        bounds: Vec<Bound>,
    },
    /// An execution goes wrong; it was replayed.
    Unsafe,
    /// Nothing is known, for this reason.
    Unknown(String),
}

impl Verdict {
    /// Whether it was proved for all executions that nothing goes wrong.
    pub fn is_proof(&self) -> bool {
        matches!(self, Verdict::Safe { bounds } if bounds.is_empty())
    }
}

/// A bound of a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bound {
    /// Its name: `unwind`, `rounds`…
    pub name: String,
    /// Its value, if it has one.
    pub value: Option<u32>,
    /// The executions within it, in words.
    pub within: String,
}

/// A verdict with what stands behind it. Printing it gives the text for people.
#[derive(Debug)]
pub struct Report {
    known: Known,
    verdict: Verdict,
    pub(crate) seconds: f64,
}

#[derive(Debug)]
pub(crate) enum Known {
    Program(Box<ProgramReport>),
    System(Box<SystemReport>),
}

#[derive(Debug)]
pub(crate) struct ProgramReport {
    pub found: Found<engine::Verdict>,
    pub model: ModelName,
    pub graph: Option<Graph>,
    pub explanation: Option<Explanation>,
    pub relaxed: Vec<(usize, usize)>,
    pub notes: Vec<String>,
    pub facts: Facts,
}

#[derive(Debug)]
pub(crate) struct SystemReport {
    pub system: System,
    pub model: SystemModel,
    pub found: SystemFound,
}

impl Report {
    pub(crate) fn new(known: Known) -> Report {
        let verdict = match &known {
            Known::Program(program) => of_program(&program.found.result),
            Known::System(system) => match &system.found.verdict {
                SystemVerdict::Safe { .. } => Verdict::Safe { bounds: Vec::new() },
                SystemVerdict::Unsafe(_) => Verdict::Unsafe,
                SystemVerdict::Unknown(reason) => Verdict::Unknown(reason.to_string()),
            },
        };
        Report { known, verdict, seconds: 0.0 }
    }

    /// What is known.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// The verdict as the last line of the command line has it: `SAFE`, `SAFE (unwind 4)`, `UNSAFE`, `UNKNOWN (…)`.
    pub fn line(&self) -> String {
        match &self.known {
            Known::Program(program) => program.found.result.to_string(),
            Known::System(system) => system.found.verdict.to_string(),
        }
    }

    /// What a verdict does not say, a sentence each: what was taken for granted, assertions that nothing reaches, races.
    pub fn notes(&self) -> &[String] {
        match &self.known {
            Known::Program(program) => &program.notes,
            Known::System(_) => &[],
        }
    }

    /// How long it took.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The whole story for people.
    pub fn text(&self) -> String {
        match &self.known {
            Known::Program(program) => {
                report::text::check(&program.case(self.seconds), report::text::Options::default())
            }
            Known::System(system) => report::system::text(&system.case(self.seconds), false),
        }
    }

    /// A document of the schema `fencepost/1`.
    pub fn json(&self) -> String {
        match &self.known {
            Known::Program(program) => report::json::check(&program.case(self.seconds)),
            Known::System(system) => report::system::json(&system.case(self.seconds)),
        }
    }

    /// A page in one file, with the execution and the source.
    pub fn html(&self) -> String {
        match &self.known {
            Known::Program(program) => report::html::check(&program.case(self.seconds)),
            Known::System(system) => report::system::html(&system.case(self.seconds)),
        }
    }

    /// A picture of the execution, or of the search of a system; none if there is nothing to draw.
    pub fn svg(&self) -> Option<String> {
        match &self.known {
            Known::Program(program) => {
                program.graph.as_ref().map(|graph| report::svg::render(graph, &program.found.program.name))
            }
            Known::System(system) => report::system::svg(&system.case(self.seconds)),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

fn of_program(verdict: &engine::Verdict) -> Verdict {
    let bound =
        |bound: &engine::Bound| Bound { name: bound.name.to_owned(), value: bound.value, within: bound.within.clone() };
    match verdict {
        engine::Verdict::Safe(guarantee) => Verdict::Safe { bounds: guarantee.bounds().iter().map(bound).collect() },
        engine::Verdict::Unsafe(_) => Verdict::Unsafe,
        engine::Verdict::Unknown(reason) => Verdict::Unknown(reason.to_string()),
    }
}

impl ProgramReport {
    fn case(&self, seconds: f64) -> Case<'_> {
        Case {
            program: &self.found.program,
            model: self.model.clone(),
            engine: self.found.engine.to_owned(),
            verdict: &self.found.result,
            graph: self.graph.clone(),
            explanation: self.explanation.clone(),
            relaxed: self.relaxed.clone(),
            undefined: self.found.undefined.clone(),
            notes: self.notes.clone(),
            seconds,
            statistics: self.found.statistics.clone(),
            facts: self.facts.clone(),
        }
    }
}

impl SystemReport {
    fn case(&self, seconds: f64) -> SystemCase<'_> {
        SystemCase {
            system: &self.system,
            model: &self.model,
            verdict: &self.found.verdict,
            statistics: &self.found.statistics,
            certificate: self.found.certificate.as_ref(),
            found: &self.found.found,
            seconds,
        }
    }
}
