//! Settings, and the run.

use crate::result::{Known, ProgramReport, SystemReport};
use crate::{Error, Property, Report, Source, case};
use engine::{Deadline, Observer, Options, Unobserved};
use front_c::Checks;
use ir::Program;
use model::{Model, NoInclude};
use report::Facts;
use report::system::SystemModel;
use session::{AUTO, Failure, Request, Subject};
use source::SourceFile;
use std::time::{Duration, Instant};
use system::System;

/// What to ask about a [`Source`], and how. What is not set is as on the command line.
#[derive(Debug, Clone)]
pub struct Check {
    model: Choice,
    property: Property,
    entry: Option<String>,
    engine: Option<String>,
    options: Vec<(String, String)>,
    unwind: Option<u32>,
    timeout: Option<Duration>,
    jobs: usize,
}

/// A memory model.
#[derive(Debug, Clone)]
enum Choice {
    /// One that comes along.
    Named(String),
    /// A name and a text.
    Own(String, String),
}

impl Check {
    /// Under the model of this name: `sc`, `tso`, `aarch64`, `rc11`…; [`crate::models`] has them all.
    pub fn new(model: impl Into<String>) -> Check {
        Check::with(Choice::Named(model.into()))
    }

    /// Under a model of your own, in herd's language cat. It may include what comes along.
    pub fn under(name: impl Into<String>, cat: impl Into<String>) -> Check {
        Check::with(Choice::Own(name.into(), cat.into()))
    }

    fn with(model: Choice) -> Check {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        Check {
            model,
            property: Property::default(),
            entry: None,
            engine: None,
            options: Vec::new(),
            unwind: None,
            timeout: None,
            jobs,
        }
    }

    /// What can go wrong in a C program; [`Property::Safety`] if nothing is said.
    #[must_use]
    pub fn property(mut self, property: Property) -> Check {
        self.property = property;
        self
    }

    /// The function that a C program begins with, if it is not `main`; its arguments can be anything.
    #[must_use]
    pub fn entry(mut self, function: impl Into<String>) -> Check {
        self.entry = Some(function.into());
        self
    }

    /// The engine; without it the best one is chosen, or several take turns.
    #[must_use]
    pub fn engine(mut self, name: impl Into<String>) -> Check {
        self.engine = Some(name.into());
        self
    }

    /// An option of the engine, as `fencepost list options` has them, without its dashes.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: impl Into<String>) -> Check {
        self.options.push((name.into(), value.into()));
        self
    }

    /// How often loops go back at most. Without it, loops of C programs are unrolled further and further until that suffices, and those of
    /// litmus tests twice.
    #[must_use]
    pub fn unwind(mut self, bound: u32) -> Check {
        self.unwind = Some(bound);
        self
    }

    /// Gives up after this time. An engine listens while it searches; where it is building a large formula it ends somewhat later.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Check {
        self.timeout = Some(limit);
        self
    }

    /// How many engines may work at once, as many as there are cores by default. It makes no difference to the result.
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> Check {
        self.jobs = jobs.max(1);
        self
    }

    /// Finds out.
    ///
    /// # Errors
    /// Why there is no verdict.
    pub fn run(&self, source: &Source) -> Result<Report, Error> {
        session::with_stack(|| self.answer(source))
    }

    /// The same on the caller's stack.
    fn answer(&self, source: &Source) -> Result<Report, Error> {
        let started = Instant::now();
        let limit = self.timeout.map(Deadline::within);
        let observer: &dyn Observer = limit.as_ref().map_or(&Unobserved, |limit| limit);
        let model = self.model()?;
        let begins = model.undefines();
        let c = front_c::Options {
            entry: self.entry.clone(),
            ilp32: false,
            competition: self.property.ignores_assertions(),
            checks: Checks { begins, zeros: model.reorders_writes(), ..self.property.checks() },
            seams: false,
            non_atomic: false,
        };
        let mut report = match source.read(c)? {
            Subject::Program(program) => self.program(&program, &model, observer)?,
            Subject::System(system) => self.system(*system, &model, observer)?,
        };
        report.seconds = started.elapsed().as_secs_f64();
        Ok(report)
    }

    fn model(&self) -> Result<Model, Failure> {
        match &self.model {
            Choice::Named(name) => session::model(name),
            Choice::Own(name, text) => {
                let file = SourceFile::new(format!("{name}.cat"), text.as_str());
                session::model_from(name, &file, &NoInclude)
            }
        }
    }

    fn program(&self, program: &Program, model: &Model, observer: &dyn Observer) -> Result<Report, Error> {
        let request = self.request(program)?;
        let found = session::check(program, model, &request, observer)?;
        let mut case = case::described(&found, model)?;
        case::remarks(&mut case, (program, model), (&request, true), observer)?;
        let facts = Facts {
            property: if program.condition.is_none() { self.property.sentence().to_owned() } else { String::new() },
            certified: found.certificate.is_some(),
            definitions: self.definitions(&model.name),
            ..Facts::default()
        };
        let report::Case { model, graph, explanation, relaxed, notes, .. } = case;
        let known = ProgramReport { found, model, graph, explanation, relaxed, notes, facts };
        Ok(Report::new(Known::Program(Box::new(known))))
    }

    /// The text of the model.
    fn definitions(&self, name: &str) -> String {
        let base = name.split('+').next().unwrap_or_default();
        let known = || model::library().iter().find(|(name, _)| *name == base).map(|(_, text)| (*text).to_owned());
        match &self.model {
            Choice::Named(_) => known().unwrap_or_default(),
            Choice::Own(_, text) => text.clone(),
        }
    }

    fn request(&self, program: &Program) -> Result<Request, Failure> {
        let is_c = program.condition.is_none();
        let (unwind, deepen) = match self.unwind {
            Some(bound) => (bound, None),
            None if is_c => (1, Some(Request::patience(self.timeout))),
            None => (2, None),
        };
        let property = if is_c { self.property } else { Property::default() }.asked();
        let options = Options { unwind, ..Options::default() };
        let engine = self.engine.clone().filter(|name| name != AUTO);
        let working = session::members(self.engine.as_deref().unwrap_or(AUTO));
        Request { engine, options, property, deepen, jobs: self.jobs, ..Request::default() }
            .with(&self.options, &working)
    }

    fn system(&self, system: System, model: &Model, observer: &dyn Observer) -> Result<Report, Error> {
        if self.unwind.is_some() {
            return Err(Error::Usage("systems have no loops to unwind".to_owned()));
        }
        let name = self.engine.as_deref().unwrap_or(AUTO);
        let request = Request { jobs: self.jobs, ..Request::default() };
        let working: Vec<&str> =
            session::system_engines(request.engines, name)?.into_iter().map(engine::Engine::name).collect();
        let engine = self.engine.clone().filter(|name| name != AUTO);
        let request = Request { engine, ..request }.with(&self.options, &working)?;
        let told = SystemModel { model: case::model_name(model), memory: session::system_memory(model)? };
        let found = session::check_system(&system, model, &request, observer)?;
        Ok(Report::new(Known::System(Box::new(SystemReport { system, model: told, found }))))
    }
}
