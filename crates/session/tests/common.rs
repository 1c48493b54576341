//! What several tests need.

use engine::{MILLI, Unobserved, Verdict};
use fences::Options;
use ir::Program;
use model::Model;
use session::{Reading, Repairs, Request};
use source::SourceFile;
use std::path::PathBuf;
use testkit::Budget;

/// The litmus tests of the repository.
pub fn litmus_tests() -> Vec<PathBuf> {
    testkit::corpus::files(&["corpus/litmus", "examples"], "litmus")
}

/// A test that was read like this.
pub fn load(name: &str, text: &str, reading: &Reading) -> Program {
    let loaded = session::load(&SourceFile::new(name, text), reading);
    loaded.unwrap_or_else(|failure| panic!("{failure}\n{text}"))
}

/// Whether a program is safe, which has to be found out.
pub fn is_safe(program: &Program, model: &Model) -> bool {
    let found = session::check(program, model, &Request::default(), &Unobserved);
    match found.unwrap_or_else(|failure| panic!("{}: {failure}", program.name)).result {
        Verdict::Safe(_) => true,
        Verdict::Unsafe(_) => false,
        Verdict::Unknown(reason) => panic!("{}: {reason}", program.name),
    }
}

/// What is found for a program whose changed texts are read like this.
pub fn repairs(program: &Program, model: &Model, options: &Options, reading: &Reading) -> Repairs {
    let reload = |file: &SourceFile| session::load(file, reading);
    let (request, models) = (Request::default(), std::slice::from_ref(model));
    let found = session::demands(program, models, (&request, false), &Unobserved)
        .and_then(|demands| session::fences(program, &demands, (&request, options), &Unobserved, &reload));
    found.unwrap_or_else(|failure| panic!("{} under {}: {failure}", program.name, model.name))
}

/// What an engine says of a C program, and how many states it met.
pub fn ask(text: &str, model: &str, engine: &str) -> (Verdict, u64) {
    let program = load("random.c", text, &Reading::default());
    let model = Model::builtin(model).expect("a model of ours");
    let request = Request::of(engine, &[]).unwrap_or_else(|why| panic!("{why}"));
    let found = session::check(&program, &model, &request, &Budget::units(2000 * MILLI))
        .unwrap_or_else(|why| panic!("{engine}: {why}\n{text}"));
    let states = found.statistics.iter().find(|(name, _)| name == "states").map_or(0, |&(_, count)| count);
    (found.result, states)
}

/// Which random programs are tried: so many from the first on, or as `FENCEPOST_FUZZ` and `FENCEPOST_SEED` say.
pub fn seeds(count: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let first = number("FENCEPOST_SEED").unwrap_or(0);
    first..first + number("FENCEPOST_FUZZ").unwrap_or(count)
}
