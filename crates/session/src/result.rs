//! What is asked of the session and what it gives back.

use crate::registry::{self, ENGINES, Engines};
use engine::{Answer, FinalState, Findings, Guarantee, Options, Property};
use ir::Program;
use source::Diagnostic;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use witness::{Execution, Invariant};

/// Why there is no result.
#[derive(Debug, Clone)]
pub enum Failure {
    /// The command does not make sense.
    Usage(String),
    /// The text is wrong or not supported.
    Input(Diagnostic),
    /// The task is not for any engine: what cannot be done, and a way round it.
    Refused(String, String),
    /// A defect of Fencepost: an engine panicked, or its evidence did not hold.
    Internal(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(message) => f.write_str(message),
            Failure::Input(diagnostic) => write!(f, "{diagnostic}"),
            Failure::Refused(reason, help) => write!(f, "{reason}; {help}"),
            Failure::Internal(message) => write!(f, "internal error: {message}"),
        }
    }
}

impl std::error::Error for Failure {}

/// How a task is to be done.
#[derive(Debug, Clone)]
pub struct Request {
    /// The engines that there are.
    pub engines: Engines,
    /// The name of the engine; chosen if there is none.
    pub engine: Option<String>,
    /// For the engine.
    pub options: Options,
    /// For programs with assertions: what can fail.
    pub property: Property,
    /// For programs with assertions: whether to go on with larger bounds on loops until one suffices; this much work at
    /// most, in units of [`engine::Meter`].
    pub deepen: Option<u64>,
    /// How many engines may work at the same time. It makes no difference to the result.
    pub jobs: usize,
}

impl Default for Request {
    fn default() -> Self {
        Request {
            engines: ENGINES,
            engine: None,
            options: Options::default(),
            property: Property::Assertions { memory: true },
            deepen: None,
            jobs: 1,
        }
    }
}

/// How much work larger bounds on loops are worth if there is no time limit; with one, as much more or less as it is more or less than
/// ten seconds.
const PATIENCE: u64 = 6 * engine::SECOND;

impl Request {
    /// The work for larger bounds on loops in so much time, for [`Request::deepen`]: most of it, so that a machine of today comes to its
    /// end and a slow one stops with the last bound that it has done.
    pub fn patience(timeout: Option<Duration>) -> u64 {
        timeout.map_or(PATIENCE, |time| (time.as_secs_f64() / 10.0 * PATIENCE as f64) as u64)
    }

    /// An engine, with values for options that it declares.
    ///
    /// # Errors
    /// It has no such option, or the value is wrong.
    pub fn of(engine: &str, own: &[(&str, &str)]) -> Result<Request, Failure> {
        Request { engine: Some(engine.to_owned()), ..Request::default() }.with(own, &[engine])
    }

    /// The same with values for options that engines declare which will work: `working`.
    ///
    /// # Errors
    /// None of these engines has such an option, or the value is wrong.
    pub fn with<S: AsRef<str>>(mut self, own: &[(S, S)], working: &[&str]) -> Result<Request, Failure> {
        for (name, value) in own {
            registry::set_option((self.engines, working), (name.as_ref(), value.as_ref()), &mut self.options)?;
        }
        Ok(self)
    }
}

/// How a text is to be read.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The translation units of a C program, whose files are all in the source; if there are none, the file is one as it is.
    pub units: Vec<front_c::Unit>,
    /// For C: how wide types are, and what counts as a property.
    pub c: front_c::Options,
}

/// A result and who found it.
#[derive(Debug, Clone)]
pub struct Found<T> {
    /// What was found.
    pub result: T,
    /// The engine that found it.
    pub engine: &'static str,
    /// What the search cost.
    pub statistics: Vec<(String, u64)>,
    /// The program that was run: the given one, compiled for the model where it needed to be.
    pub program: Program,
    /// The name of the axiom by which the execution found makes the whole program undefined, if it does.
    pub undefined: Option<String>,
    /// What shows that the property cannot fail, if the engine gives such a thing; it was checked.
    pub certificate: Option<Arc<Invariant>>,
}

/// Which of a condition's two outcomes can happen, with an execution for each that can.
#[derive(Debug, Clone)]
pub struct Outcomes {
    /// An execution whose final state satisfies the condition's proposition.
    pub positive: Option<Execution>,
    /// One whose final state does not.
    pub negative: Option<Execution>,
    /// How far the engine looked.
    pub guarantee: Guarantee,
}

/// All final states.
#[derive(Debug, Clone)]
pub struct States {
    /// The states.
    pub states: Vec<FinalState>,
    /// How far the engine looked.
    pub guarantee: Guarantee,
}

impl<T> Found<T> {
    /// A result without more to it.
    pub fn new(result: T, engine: &'static str, statistics: Vec<(String, u64)>, program: Program) -> Self {
        Found { result, engine, statistics, program, undefined: None, certificate: None }
    }

    /// The same with another result.
    pub(crate) fn map<U>(self, result: impl FnOnce(T) -> U) -> Found<U> {
        let Found { result: old, engine, statistics, program, undefined, certificate } = self;
        Found { result: result(old), engine, statistics, program, undefined, certificate }
    }
}

impl Found<Answer> {
    /// What an engine found.
    pub(crate) fn answered(answer: Answer, engine: &'static str, program: Program) -> Self {
        let certificate = match &answer.findings {
            Findings::Proof(invariant) => Some(Arc::clone(invariant)),
            Findings::Reach(_) | Findings::States(_) => None,
        };
        let statistics = answer.statistics.clone();
        Found { certificate, ..Found::new(answer, engine, statistics, program) }
    }
}
