//! The shared corpus of array-based systems, where it is present: every verdict, and each trace replayed.

use engine::{Reached, Unobserved};
use engine_parametric::{Options, check};
use source::SourceFile;
use system::Memory;
use system::machine::{Machine, Search};
use testkit::corpus::shared;

#[test]
fn every_row_has_its_verdict() {
    let Some(folder) = shared().map(|folder| folder.join("arrays")) else {
        return println!("there is no shared corpus beside the repository; own.rs checks our own systems");
    };
    let table = std::fs::read_to_string(folder.join("verdicts.csv")).expect("the corpus has a table");
    let only = std::env::var("FENCEPOST_ROW").unwrap_or_default();
    let mut count = 0;
    for row in table.lines().skip(1).filter(|row| row.contains(&only)) {
        let fields: Vec<&str> = row.split(',').collect();
        let (name, model, expected, options) = (fields[0], fields[1], fields[2], fields[5]);
        let text = std::fs::read_to_string(folder.join(name)).expect("the table names files");
        let system = front_arrays::parse(&SourceFile::new(name, text)).unwrap_or_else(|error| panic!("{error}"));
        let memory = if model == "sc" { Memory::Sc } else { Memory::Tso };
        let guess = options.contains("-brab").then_some(2);
        let found = match check(&system, memory, Options { guess, ..Options::default() }, &Unobserved) {
            Err(_) => "UNKNOWN",
            Ok(answer) => match answer.reached {
                Reached::Never(_) => "SAFE",
                Reached::Trace { processes, steps } => {
                    let run = Machine::new(&system, processes, memory).replay(&steps, 100_000, &|| false);
                    assert!(matches!(run, Search::Bad { .. }), "{name}: the trace cannot be replayed");
                    "UNSAFE"
                }
            },
        };
        assert_eq!(found, expected, "{name}");
        count += 1;
    }
    assert!(!only.is_empty() || count == 62, "{count} rows");
}
