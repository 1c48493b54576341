//! Every test of the corpus is read and valid: of our own, and of the shared one where it lies beside the repository.

use source::SourceFile;
use std::path::{Path, PathBuf};
use testkit::corpus::{files, shared};

fn below(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            below(&path, found);
        } else if path.extension().is_some_and(|ending| ending == front_litmus::EXTENSION) {
            found.push(path);
        }
    }
}

#[test]
fn every_test_of_the_corpus_is_read() {
    let mut paths = files(&["corpus/litmus", "corpus/regressions", "examples"], front_litmus::EXTENSION);
    assert!(paths.len() >= 70, "{} tests found", paths.len());
    if let Some(folder) = shared() {
        below(&folder.join("litmus"), &mut paths);
        assert!(paths.len() >= 3200, "{} tests found", paths.len());
    }
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a test of the corpus is text");
        let file = SourceFile::new(path.to_string_lossy(), text);
        let program = front_litmus::parse(&file).unwrap_or_else(|error| panic!("{}", error.render(false)));
        ir::validate(&program).unwrap_or_else(|error| panic!("{}: {error}", file.name()));
        assert!(program.condition.is_some() && !program.observables().is_empty(), "{}", file.name());
        for function in &program.functions {
            for instr in function.blocks.iter().flat_map(|block| &block.instrs) {
                let text = file.slice(instr.span);
                assert!(!text.is_empty() && text == text.trim(), "{}: {text:?}", file.name());
            }
        }
    }
}
