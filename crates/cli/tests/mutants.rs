//! Damaged litmus tests: an error or a verdict, never a panic, never a hang.

mod common;

use common::{Dice, fencepost, litmus_files, root, scratch};

/// Flips some bytes, truncates, or doubles a part.
fn mutate(mut bytes: Vec<u8>, how: usize, dice: &mut Dice) -> Vec<u8> {
    match how {
        0 => {
            for _ in 0..=dice.below(4) {
                let at = dice.below(bytes.len());
                bytes[at] ^= 1 << dice.below(8);
            }
        }
        1 => bytes.truncate(dice.below(bytes.len())),
        _ => {
            let from = dice.below(bytes.len());
            let to = from + dice.below(bytes.len() - from);
            let part = bytes[from..to].to_vec();
            bytes.splice(to..to, part);
        }
    }
    bytes
}

#[test]
fn damaged_files_give_an_error_or_a_verdict() {
    let mut sources = litmus_files(&root().join("corpus/litmus"));
    sources.extend(litmus_files(&root().join("examples")));
    assert!(sources.len() >= 40, "the corpus is there");
    let folder = scratch("mutants");
    let mut dice = Dice(2);
    let mut complaints = Vec::new();
    for number in 0..200 {
        let source = &sources[dice.below(sources.len())];
        let bytes = mutate(std::fs::read(source).expect("the file was listed"), number % 3, &mut dice);
        let path = folder.join(format!("{number}.litmus"));
        std::fs::write(&path, bytes).expect("the mutant can be written");
        let model = ["sc", "tso", "pso", "rmo", "alpha", "power"][number % 6];
        let file = path.display().to_string();
        let output = fencepost(&["check", &file, "--model", model, "--timeout", "5"]).output();
        let code = output.expect("the binary starts").status.code();
        if !matches!(code, Some(0 | 10 | 5 | 2)) {
            complaints.push(format!("{file} (from {}) under {model}: {code:?}", source.display()));
        }
    }
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}
