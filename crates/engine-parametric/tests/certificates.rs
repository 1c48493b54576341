//! Certificates: those of safe systems are accepted, changed ones are not.

use engine::Reached;
use engine_parametric::{Options, check};
use source::SourceFile;
use std::path::{Path, PathBuf};
use system::certificate::{Behind, Certificate, Condition};
use system::machine::{Machine, Search};
use system::{Comparison, Formula, Memory, System};
use testkit::Budget;
use witness::{CubeFlaw, check_cubes};

fn load(path: &Path) -> System {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).expect("the file was listed");
    front_arrays::parse(&SourceFile::new(&*name, text)).unwrap_or_else(|error| panic!("{error}"))
}

/// The certificate, if the system is found safe with little work.
fn certificate(system: &System, memory: Memory, guess: Option<u8>) -> Option<Certificate> {
    match check(system, memory, Options { guess, ..Options::default() }, &Budget::of(2_000)).ok()?.reached {
        Reached::Never(certificate) => Some(certificate),
        Reached::Trace { .. } => None,
    }
}

fn own() -> Vec<System> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in ["examples", "corpus/arrays"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the folder is there");
        files.extend(entries.filter_map(|entry| entry.ok().map(|entry| entry.path())));
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cub"));
    files.sort();
    files.iter().map(|path| load(path)).collect()
}

fn accepted(system: &System, certificate: &Certificate) -> Result<u64, CubeFlaw> {
    check_cubes(system, certificate, &|| false)
}

#[test]
fn certificates_of_our_systems_are_accepted() {
    let mut count = 0;
    for system in own() {
        for (memory, guess) in [(Memory::Sc, None), (Memory::Tso, None), (Memory::Pso, None), (Memory::Sc, Some(2))] {
            let Some(certificate) = certificate(&system, memory, guess) else { continue };
            let checked = accepted(&system, &certificate);
            assert!(checked.is_ok(), "{} under {memory:?}: {checked:?}", system.file.name());
            count += 1;
        }
    }
    assert!(count >= 20, "{count} certificates");
}

#[test]
fn certificates_of_the_shared_corpus_are_accepted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/arrays");
    let folder = std::env::var_os("FENCEPOST_ARRAYS").map_or(folder, PathBuf::from);
    if !folder.is_dir() {
        eprintln!("skipped: there is no shared corpus beside the repository (or set FENCEPOST_ARRAYS)");
        return;
    }
    let table = std::fs::read_to_string(folder.join("verdicts.csv")).expect("the corpus has a table");
    let mut count = 0;
    for row in table.lines().skip(1).filter(|row| row.contains(",SAFE,")) {
        let fields: Vec<&str> = row.split(',').collect();
        let system = load(&folder.join(fields[0]));
        let memory = if fields[1] == "sc" { Memory::Sc } else { Memory::Tso };
        let Some(certificate) = certificate(&system, memory, fields[5].contains("-brab").then_some(2)) else {
            continue;
        };
        let checked = accepted(&system, &certificate);
        assert!(checked.is_ok(), "{}: {checked:?}", fields[0]);
        count += 1;
    }
    assert!(count >= 45, "{count} certificates");
}

/// Our systems and their certificates under a model, if they are small: they are checked many times.
fn certified(memory: Memory) -> Vec<(System, Certificate)> {
    let with = |system: System| certificate(&system, memory, None).map(|certificate| (system, certificate));
    own().into_iter().filter_map(with).filter(|(_, certificate)| certificate.cubes.len() <= 24).collect()
}

#[test]
fn a_certificate_without_a_cube_is_rejected() {
    for memory in [Memory::Sc, Memory::Tso, Memory::Pso] {
        let (mut dropped, mut rejected) = (0, 0);
        for (system, certificate) in certified(memory) {
            for at in 0..certificate.cubes.len() {
                let mut changed = certificate.clone();
                changed.cubes.remove(at);
                dropped += 1;
                rejected += usize::from(accepted(&system, &changed).is_err());
            }
        }
        // A cube that others have come to cover together may be missing.
        assert!(dropped >= 20 && rejected * 20 >= dropped * 19, "{memory:?}: {rejected} of {dropped} rejected");
    }
}

/// A cube with fewer states: a condition is turned into a contradiction, or a read has to wait for more.
fn smaller(certificate: &Certificate) -> Vec<Certificate> {
    let mut all = Vec::new();
    for (at, cube) in certificate.cubes.iter().enumerate() {
        let mut never = certificate.clone();
        never.cubes[at].conditions.push(Condition::Number(Vec::new(), 1, Comparison::AtMost));
        all.push(never);
        for read in 0..cube.reads.len() {
            let mut waits = certificate.clone();
            let behind = (0..cube.processes).flat_map(|by| [Behind::Reads(by), Behind::Writes(by)]);
            waits.cubes[at].reads[read].behind.extend(behind);
            if waits.cubes[at].reads != cube.reads {
                all.push(waits);
            }
        }
    }
    all
}

#[test]
fn a_certificate_with_too_small_a_cube_is_rejected() {
    let (mut made, mut rejected) = (0, 0);
    for memory in [Memory::Sc, Memory::Tso, Memory::Pso] {
        for (system, certificate) in certified(memory) {
            for changed in smaller(&certificate) {
                made += 1;
                rejected += usize::from(accepted(&system, &changed).is_err());
            }
        }
    }
    // A read may have to wait for all of these anyway, and a cube may be covered by others.
    assert!(made >= 100 && rejected * 20 >= made * 17, "{rejected} of {made} rejected");
}

#[test]
fn a_cube_of_all_states_is_rejected() {
    for (system, certificate) in certified(Memory::Sc) {
        let mut changed = certificate.clone();
        changed.cubes[0].conditions.clear();
        changed.cubes[0].reads.clear();
        assert!(matches!(accepted(&system, &changed), Err(CubeFlaw::Initial(0))), "{}", system.file.name());
    }
}

#[test]
fn what_is_not_there_is_rejected() {
    for (system, mut certificate) in certified(Memory::Tso) {
        certificate.cubes[0].conditions.push(Condition::Before(7, 9));
        assert!(matches!(accepted(&system, &certificate), Err(CubeFlaw::Malformed(_))), "{}", system.file.name());
    }
}

/// The system with less to wait for, in all ways that concern one part of one guard.
fn laxer(system: &System) -> Vec<System> {
    let mut all = Vec::new();
    for (number, transition) in system.transitions.iter().enumerate() {
        let Formula::And(parts) = &transition.guard else { continue };
        for at in 0..parts.len() {
            let mut changed = system.clone();
            let mut parts = parts.clone();
            parts.remove(at);
            changed.transitions[number].guard = Formula::And(parts);
            all.push(changed);
        }
    }
    all
}

#[test]
fn a_certificate_of_an_unsafe_system_is_rejected() {
    let mut wrong = 0;
    for memory in [Memory::Sc, Memory::Tso, Memory::Pso] {
        for (system, certificate) in certified(memory) {
            for changed in laxer(&system) {
                let processes = system.processes.unwrap_or(2);
                let run = Machine::new(&changed, processes, memory).search(3000, &|| false);
                if matches!(run, Search::Bad { .. }) {
                    let found = accepted(&changed, &certificate);
                    assert!(found.is_err(), "{} under {memory:?}: {:?}", system.file.name(), changed.transitions);
                    wrong += 1;
                }
            }
        }
    }
    assert!(wrong >= 20, "{wrong} systems");
}
