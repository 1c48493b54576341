//! What is checked.

use crate::Error;
use crate::preprocess::{Flags, Input, MAX_BYTES, preprocess, with_included};
use front_c::Unit;
use session::{Reading, Subject};
use source::SourceFile;
use std::path::{Path, PathBuf};

/// A program, a litmus test or a system, as text.
#[derive(Debug, Clone)]
pub struct Source {
    file: SourceFile,
    input: Input,
}

impl Source {
    /// A text under a name whose ending says what language it is: `.litmus`, `.c`, `.i` for C that needs no preprocessor, `.cub`. What a C
    /// program includes with `"…"` is looked for in the folder of that name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        let file = SourceFile::new(name, text);
        let folder = Path::new(file.name()).parent().filter(|folder| !folder.as_os_str().is_empty());
        let quote = vec![folder.unwrap_or(Path::new(".")).to_owned()];
        Source { input: Input { path: PathBuf::from("-"), flags: Flags { quote, ..Flags::default() } }, file }
    }

    /// A file.
    ///
    /// # Errors
    /// It cannot be read, is no text, or is too large.
    pub fn open(path: impl AsRef<Path>) -> Result<Source, Error> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let complain = |why: &dyn std::fmt::Display| Error::File(format!("cannot read {name}: {why}"));
        let meta = std::fs::metadata(path).map_err(|error| complain(&error))?;
        if meta.len() > MAX_BYTES {
            return Err(complain(&format_args!("it has more than {MAX_BYTES} bytes")));
        }
        let text = std::fs::read_to_string(path).map_err(|error| complain(&error))?;
        let input = Input { path: path.to_owned(), flags: Flags::default() };
        Ok(Source { file: SourceFile::new(name, text), input })
    }

    /// Defines a macro for the preprocessor: `NAME` or `NAME=VALUE`.
    #[must_use]
    pub fn define(mut self, name: &str) -> Source {
        self.input.flags.macros.push(format!("-D{name}"));
        self
    }

    /// Adds a folder in which the preprocessor looks for headers.
    #[must_use]
    pub fn include(mut self, folder: impl Into<PathBuf>) -> Source {
        self.input.flags.include.push(folder.into());
        self
    }

    /// Everything else that the preprocessor can be told.
    pub fn flags(&mut self) -> &mut Flags {
        &mut self.input.flags
    }

    /// What the text describes.
    pub(crate) fn read(&self, mut c: front_c::Options) -> Result<Subject, Error> {
        let (mut file, mut units) = (self.file.clone(), Vec::new());
        if file.name().ends_with(".c") {
            let preprocessed = preprocess(&self.input, &file)?;
            units.push(Unit { name: file.name().to_owned(), preprocessed: Some(preprocessed.clone()) });
            file = with_included(&file, &preprocessed);
        }
        c.ilp32 = self.input.flags.ilp32;
        Ok(session::read(&file, &Reading { units, c })?)
    }
}
