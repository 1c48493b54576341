//! Damaged litmus tests: an error or a verdict, never a panic, never a hang.

use crate::common::{fencepost, scratch};
use testkit::corpus::files;
use testkit::{Rng, damaged};

#[test]
fn damaged_files_give_an_error_or_a_verdict() {
    let sources = files(&["corpus/litmus", "examples"], "litmus");
    assert!(sources.len() >= 40, "the corpus is there");
    let folder = scratch("mutants");
    let mut rng = Rng::new(2);
    let mut complaints = Vec::new();
    for number in 0..200 {
        let source = rng.pick(&sources);
        let bytes = damaged(&std::fs::read(source).expect("the file was listed"), number, &mut rng);
        let path = folder.join(format!("{number}.litmus"));
        std::fs::write(&path, bytes).expect("the mutant can be written");
        let model = ["sc", "tso", "pso", "rmo", "alpha", "power-frame"][number % 6];
        let file = path.display().to_string();
        let output = fencepost(&["check", &file, "--model", model, "--timeout", "5"]).output();
        let code = output.expect("the binary starts").status.code();
        if !matches!(code, Some(0 | 10 | 5 | 2)) {
            complaints.push(format!("{file} (from {}) under {model}: {code:?}", source.display()));
        }
    }
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}
