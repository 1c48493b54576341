//! The C programs of the shared corpus, where it lies beside the repository.

use crate::common::{fencepost, last};
use testkit::corpus::{all_well, shared};

/// The rows of the table, and those for every day.
const ALL: usize = 354;
const ROWS: usize = 312;

/// A row of the table.
#[derive(Debug)]
struct Row<'a> {
    file: &'a str,
    model: &'a str,
    definitions: Vec<&'a str>,
    unwind: &'a str,
    expected: &'a str,
}

impl Row<'_> {
    /// The number that a macro is defined as.
    fn number(&self, name: &str) -> Option<u32> {
        let of = |definition: &&str| definition.strip_prefix("-D")?.strip_prefix(name)?.strip_prefix('=')?.parse().ok();
        self.definitions.iter().find_map(of)
    }

    /// Whether the row has so many iterations that only `FENCEPOST_ALL` runs it.
    fn heavy(&self) -> bool {
        let above = |name: &str, most: u32| self.number(name).is_some_and(|number| number > most);
        above("ITER", 4) || above("N", 8)
    }
}

/// What is wrong with the last line for a row. It is the one of the table: each SAFE there is a proof for all executions, none
/// is up to a bound.
fn complaint(folder: &str, row: &Row<'_>) -> Option<String> {
    let path = format!("{folder}/{}", row.file);
    let mut args = vec!["check", &path, "--model", row.model, "--unwind", row.unwind, "--timeout", "60", "-I", folder];
    args.extend(&row.definitions);
    let said = last(&fencepost(&args).output().expect("the binary starts"));
    let Row { file, model, definitions, unwind, expected } = row;
    let shown = || format!("{file} {model} {} --unwind {unwind}: {said}, expected {expected}", definitions.join(" "));
    (said != *expected).then(shown)
}

#[test]
fn verdicts_of_the_shared_c_programs() {
    let Some(folder) = shared().map(|folder| folder.join("c")) else {
        println!("there is no shared corpus beside the repository: corpus::c_programs runs our own");
        return;
    };
    let table = std::fs::read_to_string(folder.join("verdicts.csv")).expect("the corpus has a table");
    let mut rows = Vec::new();
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let &[file, model, definitions, unwind, expected] = &fields[..] else { panic!("`{line}` is no row") };
        let definitions = definitions.split_whitespace().collect();
        rows.push(Row { file, model, definitions, unwind, expected });
    }
    let all = std::env::var_os("FENCEPOST_ALL").is_some();
    if !all {
        rows.retain(|row| !row.heavy());
    }
    let folder = folder.display().to_string();
    all_well(&rows, if all { ALL } else { ROWS }, |row| complaint(&folder, row));
}
