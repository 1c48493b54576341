//! The corpus that lies beside the repository, where it does: every test is read and valid.

use source::SourceFile;
use std::path::{Path, PathBuf};

fn litmus_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            litmus_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == front_litmus::EXTENSION) {
            found.push(path);
        }
    }
}

#[test]
fn every_test_of_the_corpus_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/litmus");
    if !folder.is_dir() {
        println!("skipped: there is no corpus beside the repository");
        return;
    }
    let mut files = Vec::new();
    litmus_files(&folder, &mut files);
    assert!(files.len() >= 3000, "{} tests found", files.len());
    for path in files {
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
