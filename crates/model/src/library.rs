//! The models that Fencepost brings along, and the texts that models can include.

use crate::model::Model;
use crate::resolve::NoInclude;
use source::SourceFile;
use std::sync::OnceLock;

include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// What is visible in every model.
pub(crate) const PRELUDE: &str = include_str!("../prelude/stdlib.cat");

/// herd's files that define what is built in here. Including them does nothing, and they are never read.
pub(crate) const BUILT_IN_INCLUDES: &[&str] =
    &["stdlib.cat", "cos.cat", "cross.cat", "cos-opt.cat", "cos-no-opt.cat", "cos-ok-opt.cat"];

/// Stand-ins for files of herd, for when the reader of included files has none.
const FALLBACKS: &[(&str, &str)] = &[
    ("fences.cat", include_str!("../prelude/fences.cat")),
    ("x86fences.cat", include_str!("../prelude/x86fences.cat")),
    ("ppcfences.cat", include_str!("../prelude/ppcfences.cat")),
    ("filters.cat", include_str!("../prelude/filters.cat")),
];

/// herd's files whose definitions are replaced by ours, wherever they are: locks need no enumeration of their own here, since a
/// lock is a location that is 0 or 1.
const NATIVE: &[(&str, &str)] = &[("lock.cat", include_str!("../prelude/lock.cat"))];

/// The text that stands for one of herd's files.
pub(crate) fn native(name: &str) -> Option<&'static str> {
    NATIVE.iter().find(|(file, _)| *file == name).map(|(_, text)| *text)
}

/// The models of `models/`: name and text, sorted by name.
pub fn library() -> &'static [(&'static str, &'static str)] {
    MODELS
}

/// The text to include under this name when the user has no such file.
pub(crate) fn included(name: &str) -> Option<&'static str> {
    let ours = name
        .strip_suffix(".cat")
        .and_then(|stem| MODELS.iter().chain(PARTS).find(|(model, _)| *model == stem).map(|(_, text)| *text));
    ours.or_else(|| FALLBACKS.iter().find(|(file, _)| *file == name).map(|(_, text)| *text))
}

impl Model {
    /// The model of the library with this name. Its text is read once.
    pub fn builtin(name: &str) -> Option<Model> {
        static READ: [OnceLock<Option<Model>>; MODELS.len()] = [const { OnceLock::new() }; MODELS.len()];
        let at = MODELS.iter().position(|(model, _)| *model == name)?;
        // A test loads every model of the library.
        let load = || Model::load(name, &SourceFile::new(format!("models/{name}.cat"), MODELS[at].1), &NoInclude).ok();
        READ[at].get_or_init(load).clone()
    }
}
