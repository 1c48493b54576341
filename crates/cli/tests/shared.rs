//! Samples of the shared corpora, where they lie beside the repository: tests under all their models.

mod common;

use common::{fencepost, root, scratch, stdout};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn verdicts_of_x86_power_and_c() {
    println!("{}", compare("litmus", 10, 3000));
}

#[test]
fn verdicts_of_arm_and_risc_v() {
    println!("{}", compare("litmus-modern", 5, 500));
}

/// Compares every so many-th test of a corpus, with both encodings of order, and wants at least so many comparisons.
/// Gives a note for the reader of the log.
fn compare(corpus: &str, step: usize, least: usize) -> String {
    let folder = root().join("../shared/corpus").join(corpus);
    let Ok(table) = std::fs::read_to_string(folder.join("verdicts.csv")) else {
        return "skipped: there is no shared corpus beside the repository".to_owned();
    };
    let files: BTreeSet<&str> = table.lines().skip(1).filter_map(|row| row.split(',').next()).collect();
    let sample: BTreeSet<&str> = files.into_iter().step_by(step).collect();
    // model -> file -> the rest of the row
    let mut expected: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for row in table.lines().skip(1) {
        let mut fields = row.splitn(3, ',');
        if let (Some(file), Some(model), Some(rest)) = (fields.next(), fields.next(), fields.next())
            && sample.contains(file)
        {
            expected.entry(model).or_default().insert(file, rest);
        }
    }
    let folder = folder.canonicalize().expect("the folder exists");
    let mut checked = 0;
    let mut complaints = Vec::new();
    for (model, rows) in &expected {
        let list = scratch(corpus).join(format!("{model}.list"));
        let lines: Vec<String> = rows.keys().map(|file| folder.join(file).display().to_string()).collect();
        std::fs::write(&list, lines.join("\n")).expect("the list can be written");
        let list = format!("@{}", list.display());
        for order in ["theory", "clocks"] {
            let args =
                ["litmus", &list, "--model", model, "--states", "--format", "csv", "--order", order, "--jobs", "2"];
            let output = fencepost(&args).output().expect("the binary starts");
            let text = stdout(&output);
            assert_eq!(text.lines().count(), rows.len() + 1, "{model}: a line for each test");
            for (line, (file, rest)) in text.lines().skip(1).zip(rows) {
                checked += 1;
                if !line.ends_with(&format!("{file},{model},{rest}")) {
                    complaints.push(format!("{line} with {order}, expected {rest}"));
                }
            }
        }
    }
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    assert!(checked > least, "only {checked} verdicts were compared");
    format!("{checked} verdicts equal")
}
