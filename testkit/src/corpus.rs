//! The corpus runner: which files there are, what their heads expect, and whether that is what happens.

use crate::heads::{Expectation, head};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or_else(|| here.to_path_buf(), Path::to_path_buf)
}

/// The folder of programs with verdicts found independently, where it lies beside the repository, or where
/// `FENCEPOST_SHARED` says that it is.
pub fn shared() -> Option<PathBuf> {
    let beside = root().join("../shared/corpus");
    let folder = std::env::var_os("FENCEPOST_SHARED").map_or(beside, PathBuf::from);
    folder.canonicalize().ok()
}

/// The files in these folders of the repository with this ending, in order; what is in subfolders is not among them.
///
/// # Panics
/// A folder is missing: a test that finds nothing to do must not pass.
pub fn files(folders: &[&str], ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
        let paths = entries.map(|entry| entry.unwrap_or_else(|error| panic!("{folder}: {error}")).path());
        let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == ending)).collect();
        paths.sort();
        found.extend(paths);
    }
    found
}

/// One expectation of one program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The file, below the root of the repository.
    pub file: String,
    /// Its text.
    pub text: String,
    /// Options for all variants of the program.
    pub options: Vec<String>,
    /// What is expected of it.
    pub expectation: Expectation,
}

impl Case {
    /// The arguments of `fencepost` that ask for the verdict.
    pub fn check(&self) -> Vec<&str> {
        let mut args = vec!["check", &self.file, "--model", &self.expectation.model];
        args.extend(self.expectation.arguments.iter().chain(&self.options).map(String::as_str));
        args
    }

    /// A complaint that something else was said than is expected; nothing if it was not.
    pub fn unless(&self, said: &str) -> Option<String> {
        (said != self.expectation.outcome).then(|| self.complaint(said))
    }

    /// A complaint about what was said.
    pub fn complaint(&self, said: &str) -> String {
        let Expectation { model, arguments, outcome, .. } = &self.expectation;
        let words = [&[self.file.clone(), model.clone()], &arguments[..], &self.options].concat();
        format!("{}: {said}, expected {outcome}", words.join(" "))
    }
}

/// What the heads of all files in these folders expect.
///
/// # Panics
/// A head is wrong or missing; each of them is named.
pub fn cases(folders: &[&str], ending: &str) -> Vec<Case> {
    let (mut cases, mut complaints) = (Vec::new(), Vec::new());
    let root = root();
    for path in files(folders, ending) {
        let file = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
        match head(&text) {
            Ok(head) => cases.extend(head.expectations.into_iter().map(|expectation| Case {
                file: file.clone(),
                text: text.clone(),
                options: head.options.clone(),
                expectation,
            })),
            Err(why) => complaints.push(format!("{file}: {why}")),
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    cases
}

/// What is said about the items that something is said about, in order; some are looked at at the same time.
///
/// # Panics
/// If `look` does.
pub fn each<T: Sync>(items: &[T], look: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, std::num::NonZero::get) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(said) = look(item) {
                        found.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(said);
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    found.sort();
    found
}

/// Looks at all items. There must be at least as many as somebody counted once, so that none is lost, and nothing to say about
/// any of them.
///
/// # Panics
/// It is not so; all complaints are listed.
pub fn all_well<T: Sync>(items: &[T], counted: usize, look: impl Fn(&T) -> Option<String> + Sync) {
    let complaints = each(items, look);
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), items.len(), complaints.join("\n"));
    assert!(items.len() >= counted, "only {} of {counted} are left", items.len());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    fn case(outcome: &str) -> Case {
        let expectation = Expectation {
            model: "tso".to_owned(),
            arguments: vec!["-DA".to_owned()],
            outcome: outcome.to_owned(),
            states: None,
        };
        Case { file: "a.c".to_owned(), text: String::new(), options: vec!["--unwind".to_owned()], expectation }
    }

    #[test]
    fn a_bound_is_no_proof() {
        assert_eq!(case("SAFE").unless("SAFE"), None);
        for (expected, said) in [
            ("SAFE", "SAFE (unwind 4)"),
            ("SAFE (unwind 4)", "SAFE"),
            ("SAFE (unwind 4)", "SAFE (unwind 3)"),
            ("SAFE", "UNSAFE"),
            ("SAFE", "UNKNOWN (timeout)"),
        ] {
            let complaint = case(expected).unless(said).unwrap_or_default();
            assert_eq!(complaint, format!("a.c tso -DA --unwind: {said}, expected {expected}"));
        }
        assert_eq!(case("SAFE").check(), ["check", "a.c", "--model", "tso", "-DA", "--unwind"]);
    }

    #[test]
    fn complaints_and_lost_items_are_noticed() {
        let odd = |n: &u32| (n % 2 == 1).then(|| n.to_string());
        assert_eq!(each(&[4, 3, 2, 1], odd), ["1", "3"]);
        all_well(&[2, 4], 2, odd);
        assert!(catch_unwind(|| all_well(&[2, 3], 2, odd)).is_err());
        assert!(catch_unwind(|| all_well(&[2], 2, odd)).is_err());
        assert!(catch_unwind(|| files(&["no-such-folder"], "c")).is_err());
    }
}
