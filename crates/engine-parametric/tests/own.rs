//! Our own systems: the verdict of each model in the head, and the machine's opinion for two and three processes.

use engine::{Reached, Unobserved};
use engine_parametric::{Options, check};
use source::SourceFile;
use system::machine::{Machine, Search};
use system::{Memory, System};
use testkit::corpus::{all_well, cases};

fn verdict(system: &System, memory: Memory) -> &'static str {
    match check(system, memory, Options::default(), &Unobserved) {
        Err(_) => "UNKNOWN",
        Ok(answer) => match answer.reached {
            Reached::Never(_) => "SAFE",
            Reached::Trace { processes, steps } => {
                let run = Machine::new(system, processes, memory).replay(&steps, 100_000, &|| false);
                if matches!(run, Search::Bad { .. }) { "UNSAFE" } else { "UNKNOWN" }
            }
        },
    }
}

/// The verdicts in the heads of all systems, counted when the last one was added.
const VERDICTS: usize = 70;

#[test]
fn every_system_has_the_verdicts_of_its_head() {
    all_well(&cases(&["examples", "corpus/arrays"], "cub"), VERDICTS, |case| {
        let system = front_arrays::parse(&SourceFile::new(&*case.file, &*case.text));
        let system = system.unwrap_or_else(|error| panic!("{error}"));
        let memory = match &*case.expectation.model {
            "sc" => Memory::Sc,
            "tso" => Memory::Tso,
            "pso" => Memory::Pso,
            model => return Some(case.complaint(&format!("{model} is no memory of systems"))),
        };
        let wrong = case.unless(verdict(&system, memory));
        wrong.or_else(|| {
            let fits = |n: &u8| system.processes.is_none_or(|fixed| fixed == *n);
            let bad = |n| matches!(Machine::new(&system, n, memory).search(3000, &|| false), Search::Bad { .. });
            let found = [2, 3].into_iter().filter(fits).find(|&n| bad(n));
            let contradicts = found.filter(|_| case.expectation.outcome != "UNSAFE");
            contradicts.map(|n| case.complaint(&format!("{n} processes go wrong")))
        })
    });
}
