//! `fencepost litmus` on many tests at once: the table that it prints has the observations and the numbers of final states that
//! are known. Our own tests always; samples of the shared corpora, under all their models, where they lie beside the
//! repository.

use crate::common::{fencepost, root, scratch, stdout};
use std::collections::{BTreeMap, BTreeSet};
use testkit::corpus::{cases, shared};

/// What is known about a test under a model.
struct Row {
    file: String,
    observation: String,
    states: Option<usize>,
}

/// By model.
type Rows = BTreeMap<String, Vec<Row>>;

/// What the heads of our own tests say.
fn own() -> Rows {
    let mut rows = Rows::new();
    for case in cases(&["corpus/litmus", "corpus/regressions", "examples"], "litmus") {
        let file = root().join(&case.file).display().to_string();
        let row = Row { file, observation: case.expectation.outcome, states: case.expectation.states };
        rows.entry(case.expectation.model).or_default().push(row);
    }
    rows
}

/// The rows of every `step`th test of a shared corpus of which this is true.
fn sample(corpus: &str, step: usize, wanted: impl Fn(&str) -> bool) -> Option<Rows> {
    let folder = shared()?.join(corpus);
    let table = std::fs::read_to_string(folder.join("verdicts.csv")).expect("the corpus has a table");
    let files: BTreeSet<&str> = table.lines().skip(1).filter_map(|row| row.split(',').next()).collect();
    let files: BTreeSet<&str> = files.into_iter().filter(|file| wanted(file)).step_by(step).collect();
    let mut rows = Rows::new();
    for line in table.lines().skip(1) {
        let &[file, model, observation, states] = &line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        if files.contains(file) {
            let file = folder.join(file).display().to_string();
            let row = Row { file, observation: observation.to_owned(), states: states.parse().ok() };
            // What the table calls so is the model of the frame of 2013.
            let model = if model == "power" { "power-frame" } else { model };
            rows.entry(model.to_owned()).or_default().push(row);
        }
    }
    Some(rows)
}

/// Compares the tables for all these tests; how many rows there were.
fn compare(name: &str, rows: &Rows, options: &[&str]) -> usize {
    let mut checked = 0;
    let mut complaints = Vec::new();
    for (model, rows) in rows {
        let list = scratch("shared").join(format!("{name}-{model}.list"));
        let lines: Vec<&str> = rows.iter().map(|row| &*row.file).collect();
        std::fs::write(&list, lines.join("\n")).expect("the list can be written");
        let list = format!("@{}", list.display());
        let args = [&["litmus", &list, "--model", model, "--format", "csv", "--jobs", "2"], options].concat();
        let text = stdout(&fencepost(&args).output().expect("the binary starts"));
        assert_eq!(text.lines().count(), rows.len() + 1, "{model}: a line for each test");
        for (line, Row { file, observation, states }) in text.lines().skip(1).zip(rows) {
            checked += 1;
            let mut expected = format!("{file},{model},{observation}");
            if options.contains(&"--states") {
                let counted = line.rsplit(',').next().and_then(|number| number.parse().ok());
                expected += &states.or(counted).map_or_else(String::new, |states| format!(",{states}"));
            }
            if line != expected {
                complaints.push(format!("{line}, expected {expected}"));
            }
        }
    }
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    checked
}

const ORDERS: [[&str; 3]; 2] = [["--states", "--order", "theory"], ["--states", "--order", "clocks"]];

#[test]
fn tables_of_our_own_tests() {
    for options in ORDERS {
        let checked = compare("own", &own(), &options);
        assert!(checked >= 478, "only {checked} rows were compared");
    }
}

/// Compares every so many-th test of a shared corpus; there are at least so many rows.
///
/// False if there is no shared corpus beside the repository.
fn compare_sample(corpus: &str, step: usize, least: usize) -> bool {
    let Some(rows) = sample(corpus, step, |_| true) else {
        return false;
    };
    for options in ORDERS {
        let checked = compare(corpus, &rows, &options);
        assert!(checked > least, "only {checked} rows were compared");
    }
    true
}

#[test]
fn tables_of_x86_power_and_c() {
    if !compare_sample("litmus", 10, 1500) {
        println!("there is no shared corpus beside the repository; our own tests are compared");
    }
}

#[test]
fn tables_of_arm_and_risc_v() {
    if !compare_sample("litmus-modern", 1, 1476) {
        println!("there is no shared corpus beside the repository; our own tests are compared");
    }
}

/// The lazy engine on tests for x86, which is what its store buffers are about.
#[test]
fn tables_of_the_lazy_engine() {
    let options = ["--engine", "lazy"];
    let mut rows = own();
    rows.retain(|model, _| ["sc", "tso", "pso"].contains(&&**model));
    rows.values_mut().for_each(|rows| rows.retain(|row| row.file.contains("/x86-")));
    let checked = compare("lazy-own", &rows, &options);
    assert!(checked >= 60, "only {checked} rows were compared");
    let Some(mut rows) = sample("litmus", 16, |file| file.starts_with("X86/")) else { return };
    rows.retain(|model, _| ["sc", "tso", "pso"].contains(&&**model));
    let checked = compare("lazy", &rows, &options);
    assert!(checked > 150, "only {checked} rows were compared");
}
