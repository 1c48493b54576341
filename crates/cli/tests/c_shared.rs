//! The C programs of the shared corpus, where it lies beside the repository.

mod common;

use common::{fencepost, root, stdout};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

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

fn complaint(row: &Row<'_>) -> Option<String> {
    let path = format!("../shared/corpus/c/{}", row.file);
    let mut args = vec!["check", &path, "--model", row.model, "--unwind", row.unwind, "--timeout", "60"];
    args.extend(["-I", "../shared/corpus/c"]);
    args.extend(&row.definitions);
    let output = fencepost(&args).output().expect("the binary starts");
    let text = stdout(&output);
    let last = text.lines().last().unwrap_or_default();
    if last == row.expected || (row.expected == "SAFE" && last.starts_with("SAFE (unwind ")) {
        return None;
    }
    let error = String::from_utf8_lossy(&output.stderr);
    let said = if last.is_empty() { error.lines().next().unwrap_or_default() } else { last };
    let Row { file, model, definitions, unwind, expected } = row;
    Some(format!("{file} {model} {} --unwind {unwind}: {said}, expected {expected}", definitions.join(" ")))
}

#[test]
fn verdicts_of_the_shared_c_programs() {
    let Ok(table) = std::fs::read_to_string(root().join("../shared/corpus/c/verdicts.csv")) else {
        println!("skipped: there is no shared corpus beside the repository");
        return;
    };
    let mut rows = Vec::new();
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let &[file, model, definitions, unwind, expected] = &fields[..] else { panic!("`{line}` is no row") };
        let definitions = definitions.split_whitespace().collect();
        rows.push(Row { file, model, definitions, unwind, expected });
    }
    let all = rows.len();
    if std::env::var_os("FENCEPOST_ALL").is_none() {
        rows.retain(|row| !row.heavy());
    }
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, std::num::NonZero::get) {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(complaint) = complaint(row) {
                        found.lock().expect("nobody panics").push(complaint);
                    }
                }
            });
        }
    });
    let mut complaints = found.into_inner().expect("nobody panics");
    complaints.sort();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), rows.len(), complaints.join("\n"));
    println!("{} of {all} verdicts, all right", rows.len());
    assert!(rows.len() * 2 > all, "only {} of {all} rows are for every day", rows.len());
}
