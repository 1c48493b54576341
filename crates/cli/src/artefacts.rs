//! Intermediate results for those who debug: `--print-after` and `--dump`.

use crate::args::Running;
use crate::output;
use engine::ARTEFACTS;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Who wants to see which intermediate results.
pub struct Artefacts {
    printed: Vec<String>,
    folder: Option<PathBuf>,
    /// How many files were written.
    written: AtomicUsize,
}

impl Artefacts {
    /// What the command line asks for.
    pub fn new(running: &Running) -> Self {
        Artefacts { printed: running.print_after.clone(), folder: running.dump.clone(), written: AtomicUsize::new(0) }
    }

    /// Whether somebody wants to see it.
    pub fn wants(&self, name: &str) -> bool {
        self.folder.is_some() || self.printed.iter().any(|printed| printed == name)
    }

    /// Prints it, and writes it into the folder under the next number, as asked for.
    pub fn take(&self, name: &str, text: &str) {
        if self.printed.iter().any(|printed| printed == name) {
            output::say(text);
        }
        let Some(folder) = &self.folder else { return };
        let number = self.written.fetch_add(1, Ordering::Relaxed) + 1;
        let ending = ARTEFACTS.iter().find(|(known, ..)| *known == name).map_or("txt", |(_, ending, _)| *ending);
        let path = folder.join(format!("{number:03}-{name}.{ending}"));
        let done = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
        if let Err(error) = done {
            output::say(&format!("warning: cannot write {}: {error}", path.display()));
        }
    }
}
