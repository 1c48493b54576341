//! What several tests of repairs need.

use engine::{Unobserved, Verdict};
use fences::Options;
use ir::Program;
use model::Model;
use session::{Reading, Repairs, Request};
use source::SourceFile;
use std::path::PathBuf;

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
