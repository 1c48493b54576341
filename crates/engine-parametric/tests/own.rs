//! Our own systems: the verdict of each model in the head, and the machine's opinion for two and three processes.

use engine::Deadline;
use engine_parametric::{Options, Outcome, check};
use source::SourceFile;
use std::path::{Path, PathBuf};
use std::time::Duration;
use system::machine::{Machine, Search};
use system::{Memory, System};

fn systems() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["examples", "corpus/arrays"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the folder is there");
        files.extend(entries.filter_map(|entry| entry.ok().map(|entry| entry.path())));
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cub"));
    files.sort();
    files
}

fn verdict(system: &System, memory: Memory) -> &'static str {
    match check(system, memory, Options::default(), &Deadline::within(Duration::from_secs(300))) {
        Err(_) => "unknown",
        Ok(answer) => match answer.outcome {
            Outcome::Safe => "safe",
            Outcome::Trace { processes, steps } => {
                let run = Machine::new(system, processes, memory).replay(&steps, 100_000, &|| false);
                if matches!(run, Search::Bad { .. }) { "unsafe" } else { "unknown" }
            }
        },
    }
}

#[test]
fn every_system_has_the_verdicts_of_its_head() {
    let files = systems();
    assert!(files.len() >= 31, "{} systems", files.len());
    let mut verdicts = 0;
    for path in files {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("the file was listed");
        let head = text.lines().next().unwrap_or_default().trim_start_matches("(*").trim_end_matches("*)").to_owned();
        let system = front_arrays::parse(&SourceFile::new(&*name, text)).unwrap_or_else(|error| panic!("{error}"));
        for part in head.split(',') {
            let (model, expected) = part.trim().split_once(": ").unwrap_or_else(|| panic!("{name}: {head}"));
            let memory = match model {
                "sc" => Memory::Sc,
                "tso" => Memory::Tso,
                "pso" => Memory::Pso,
                _ => panic!("{name}: {model}"),
            };
            assert_eq!(verdict(&system, memory), expected, "{name} under {model}");
            verdicts += 1;
            for n in [2, 3] {
                if system.processes.is_some_and(|fixed| fixed != n) {
                    continue;
                }
                let run = Machine::new(&system, n, memory).search(3000, &|| false);
                let bad = matches!(run, Search::Bad { .. });
                assert!(!bad || expected == "unsafe", "{name} under {model}: {n} processes go wrong");
            }
        }
    }
    assert!(verdicts >= 65, "{verdicts} verdicts");
}
