//! Random array-based systems, and the judge for them: the machine with store buffers, for two and three processes.

use crate::{Budget, Rng};
use engine::{Engine, Options, Reached, SystemTask};
use model::{Buffers, Model};
use source::SourceFile;
use std::fmt::Write;
use system::certificate::Certificate;
use system::machine::{Machine, Search};
use system::{Formula, Memory, System};

/// What an engine may do about a system, and how many states the machine may have.
const WORK: u64 = 4_000;
const STATES: usize = 3000;

fn transition(random: &mut Rng, number: usize) -> String {
    let with_other = random.below(4) == 0;
    let mut guard = vec![format!("PC[p] = L{}", random.below(3))];
    let mut guards = random.below(3);
    while guards > 0 {
        guards -= 1;
        guard.push(match random.below(if with_other { 9 } else { 7 }) {
            0 => format!("X = {}", random.pick(&["A", "B"])),
            1 => format!("Y <> {}", random.pick(&["A", "B"])),
            2 => format!("F[p] = {}", random.pick(&["True", "False"])),
            3 => format!("R[p] = {}", random.pick(&["A", "B"])),
            4 => format!("(X = {} || R[p] = C)", random.pick(&["A", "B"])),
            5 => random.pick(&["N < 2", "N = K[p]", "K[p] <= 1", "N <> 0", "N + K[p] > 1"]).to_string(),
            6 => format!("K[p] = {}", random.below(3)),
            _ => format!("F[q] = {}", random.pick(&["True", "False"])),
        });
    }
    if random.below(3) == 0 {
        guard.push("fence()".to_owned());
    }
    if random.below(5) == 0 {
        let which = random.pick(&["forall_other", "exists_other", "exists"]);
        guard.push(format!("{which} o. F[o] = {}", random.pick(&["True", "False"])));
    }
    let mut updates = vec![format!("PC[p] := L{}", random.below(4))];
    if random.below(2) == 0 {
        updates.push(match random.below(7) {
            0 => "X := ?".to_owned(),
            1 => "X := Y".to_owned(),
            2 => "X := case | Y = A : B | F[p] = True : A".to_owned(),
            _ => format!("X := {}", random.pick(&["A", "B", "C"])),
        });
    }
    if random.below(3) == 0 {
        updates.push(format!("Y := {}", random.pick(&["A", "B", "X"])));
    }
    if random.below(2) == 0 {
        updates.push(match random.below(6) {
            0 => "F[j] := case | j = p : True | _ : False".to_owned(),
            1 => "F[j] := case | F[j] = True : False | j = p : True".to_owned(),
            2 if with_other => "F[q] := True".to_owned(),
            _ => format!("F[p] := {}", random.pick(&["True", "False"])),
        });
    }
    if random.below(4) == 0 {
        updates.push(format!("N := {}", random.pick(&["0", "1", "N + 1", "K[p]", "K[p] + 1"])));
    }
    if random.below(5) == 0 {
        updates.push(format!("K[p] := {}", random.pick(&["0", "1", "N", "N + 1", "K[p] + 1"])));
    }
    if random.below(3) == 0 {
        updates.push(format!("R[p] := {}", random.pick(&["X", "Y", "X", "B"])));
    }
    let params = if with_other { "[p] q" } else { "[p]" };
    format!("transition t{number} ({params})\nrequires {{ {} }}\n{{ {} }}\n", guard.join(" && "), updates.join("; "))
}

/// A small random system: weak variables, fences, conditions on all other processes, integers.
pub fn system(random: &mut Rng) -> String {
    let mut text =
        "type pc = L0 | L1 | L2 | L3\ntype v = A | B | C\narray PC[proc] : pc\narray R[proc] : v\n".to_owned();
    text.push_str("weak var X : v\nweak var Y : v\nweak array F[proc] : bool\nweak var N : int\narray K[proc] : int\n");
    text.push_str("init (p) { PC[p] = L0 && R[p] = A && X = A && Y = A && F[p] = False && N = 0 && K[p] = 0 }\n");
    let mut bad = vec![format!("PC[p] = L{}", random.below(4)), format!("PC[q] = L{}", 1 + random.below(3))];
    let mut more = random.below(3);
    while more > 0 {
        more -= 1;
        bad.push(match random.below(7) {
            0 => format!("p @ X = {}", random.pick(&["A", "B"])),
            1 => format!("q @ Y <> {}", random.pick(&["A", "B"])),
            2 => "p @ F[q] = True".to_owned(),
            3 => format!("R[q] = {}", random.pick(&["A", "B"])),
            4 => "p @ N = K[q]".to_owned(),
            5 => "K[p] <= K[q]".to_owned(),
            _ => format!("R[p] <> {}", random.pick(&["A", "B"])),
        });
    }
    // Writing to a string does not fail.
    let _ = writeln!(text, "unsafe (p q) {{ {} }}", bad.join(" && "));
    for number in 0..3 + random.below(3) {
        text.push_str(&transition(random, number));
    }
    text
}

/// A certificate that is accepted for a system with a part of a guard less is right about it too.
fn accepted_is_safe(system: &System, certificate: &Certificate) {
    for number in 0..system.transitions.len() {
        let Formula::And(parts) = &system.transitions[number].guard else { continue };
        for at in 0..parts.len() {
            let mut changed = system.clone();
            let mut parts = parts.clone();
            parts.remove(at);
            changed.transitions[number].guard = Formula::And(parts);
            if witness::check_cubes(&changed, certificate, &|| false).is_ok() {
                let run = Machine::new(&changed, 2, certificate.memory).search(800, &|| false);
                let (text, transition) = (changed.file.text(), &changed.transitions[number].name);
                let bad = matches!(run, Search::Bad { .. });
                assert!(!bad, "accepted though unsafe without part {at} of {transition}:\n{text}");
            }
        }
    }
}

/// How many systems were found safe, and unsafe, and how often the engine was wrong about the latter, which its
/// approximations allow.
#[derive(Debug, Default)]
pub struct Compared {
    /// Safe, with a certificate that was accepted.
    pub safe: usize,
    /// Unsafe, with a run that was replayed.
    pub unsafe_: usize,
    /// Said to be unsafe, by a run that does not exist.
    pub alarms: usize,
}

/// Compares an engine with the machine on so many random systems.
///
/// # Panics
/// They disagree, a certificate does not hold, or the engine takes no systems.
pub fn compare(engine: &dyn Engine, model: &Model, seed: u64, count: usize) -> Compared {
    let systems = engine.systems().unwrap_or_else(|| panic!("{} takes systems", engine.name()));
    let memory = match model.head.buffers {
        Some(Buffers::None) => Memory::Sc,
        Some(Buffers::Thread) => Memory::Tso,
        Some(Buffers::Location) => Memory::Pso,
        None => panic!("the model {} has store buffers", model.name),
    };
    let (mut random, mut compared, options) = (Rng::new(seed), Compared::default(), Options::default());
    for _ in 0..count {
        let text = system(&mut random);
        let system =
            front_arrays::parse(&SourceFile::new("random.cub", &*text)).expect("random systems keep the rules");
        let task = SystemTask { system: &system, memory, options: &options };
        let Ok(answer) = systems.run(&task, &Budget::of(WORK)) else { continue };
        let bad = |n: &u8| matches!(Machine::new(&system, *n, memory).search(STATES, &|| false), Search::Bad { .. });
        match answer.reached {
            Reached::Never(certificate) => {
                let bad = [2, 3].iter().find(|n| bad(n));
                assert!(bad.is_none(), "a wrong SAFE under {memory:?}: {bad:?} processes\n{text}");
                let checked = witness::check_cubes(&system, &certificate, &|| false);
                assert!(checked.is_ok(), "a refused certificate under {memory:?}:\n{text}\n{checked:?}");
                accepted_is_safe(&system, &certificate);
                compared.safe += 1;
            }
            Reached::Trace { processes, steps } => {
                let machine = Machine::new(&system, processes, memory);
                let replayed = matches!(machine.replay(&steps, 100_000, &|| false), Search::Bad { .. });
                // Guards over all processes and, under PSO, coherence are approximated.
                let exact = memory != Memory::Pso && !text.contains("forall_other");
                assert!(replayed || !exact, "a false alarm under {memory:?}:\n{text}\n{steps:?}");
                if replayed { compared.unsafe_ += 1 } else { compared.alarms += 1 }
            }
        }
    }
    compared
}
