//! Every system of our corpus and, where it is present, of the shared one: the verdict under each model against a search
//! of all states with two and with three processes and store buffers, as far as that is not too large.

use engine::Reached;
use engine_parametric::{Options, check};
use source::SourceFile;
use std::path::{Path, PathBuf};
use system::Memory;
use system::machine::{Machine, Search};
use testkit::Budget;
use witness::{CubeFlaw, check_cubes};

/// How many states are searched.
const STATES: usize = 20_000;

/// How often the engine may ask whether to stop.
const WORK: u64 = 50_000_000;

/// Certificates with more cubes than this are not checked.
const CUBES: usize = 4_000;

/// All systems below these folders.
fn systems(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = folders.to_vec();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder is there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "cub") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// What was compared.
#[derive(Debug, Default)]
struct Counts {
    safe: usize,
    certified: usize,
    bad: usize,
    undecided: usize,
    complete: usize,
    cut: usize,
}

fn compare(files: &[PathBuf]) -> Counts {
    let mut counts = Counts::default();
    for path in files {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).expect("the file was listed");
        // The heads of our own systems say which models are of interest.
        let head = text.lines().next().unwrap_or_default().to_owned();
        let system = front_arrays::parse(&SourceFile::new(&*name, text)).unwrap_or_else(|error| panic!("{error}"));
        let all = [("sc:", Memory::Sc), ("tso:", Memory::Tso), ("pso:", Memory::Pso)];
        let wanted =
            |model: &str| if head.contains("sc:") { head.contains(model) } else { system.is_weak() || model == "sc:" };
        for (_, memory) in all.into_iter().filter(|(model, _)| wanted(model)) {
            // Without weak memory some systems are only proved with candidates; with it, none needs them.
            let guess = (!system.is_weak()).then_some(2);
            let answer = check(&system, memory, Options { guess, ..Options::default() }, &Budget::of(WORK));
            let mut found = false;
            for n in [2, 3] {
                if system.processes.is_some_and(|fixed| fixed != n) {
                    continue;
                }
                let run = Machine::new(&system, n, memory).search(STATES, &|| false);
                match run {
                    Search::Bad { .. } => found = true,
                    Search::Exhausted { .. } => counts.complete += 1,
                    Search::Unfinished => counts.cut += 1,
                }
            }
            match answer.map(|answer| answer.reached) {
                Ok(Reached::Never(certificate)) => {
                    assert!(!found, "{name} under {memory:?}: SAFE, but a bad state is reached");
                    let large = certificate.cubes.len() > CUBES;
                    match check_cubes(&system, &certificate, &|| large) {
                        Ok(_) => counts.certified += 1,
                        Err(CubeFlaw::Stopped) => {}
                        Err(flaw) => panic!("{name} under {memory:?}: {flaw}"),
                    }
                    counts.safe += 1;
                }
                Ok(Reached::Trace { processes, steps }) => {
                    let run = Machine::new(&system, processes, memory).replay(&steps, 100_000, &|| false);
                    let real = matches!(run, Search::Bad { .. });
                    assert!(real || !found, "{name} under {memory:?}: the trace is not real, but there is one");
                    if real { counts.bad += 1 } else { counts.undecided += 1 }
                }
                Err(_) => counts.undecided += 1,
            }
        }
    }
    counts
}

#[test]
fn our_systems_agree_with_the_machine() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = systems(&[root.join("examples"), root.join("corpus/arrays")]);
    let counts = compare(&files);
    assert_eq!(counts.undecided, 0, "{counts:?}");
    assert!(counts.complete > counts.cut, "{counts:?}");
}

#[test]
fn shared_systems_agree_with_the_machine() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/arrays");
    let folder = std::env::var_os("FENCEPOST_ARRAYS").map_or(folder, PathBuf::from);
    if !folder.is_dir() {
        eprintln!("skipped: there is no shared corpus beside the repository (or set FENCEPOST_ARRAYS)");
        return;
    }
    let files = systems(&[folder]);
    assert_eq!(files.len(), 62);
    let counts = compare(&files);
    eprintln!("{counts:?}");
    assert!(counts.undecided <= 4 && counts.complete >= 120 && counts.certified + 4 >= counts.safe, "{counts:?}");
}

/// The answer for a text without weak memory.
fn reached(text: &str, guess: Option<u8>) -> Reached {
    let system = front_arrays::parse(&SourceFile::new("small.cub", text)).unwrap_or_else(|error| panic!("{error}"));
    check(&system, Memory::Sc, Options { guess, ..Options::default() }, &Budget::of(WORK)).expect("it is small").reached
}

#[test]
fn candidates_of_systems_that_name_processes_by_number() {
    let text = "number_procs 3
        array A[proc] : bool
        var Turn : proc
        init (p) { A[p] = False && Turn = #3 }
        unsafe () { A[#1] = True && A[#2] = True }
        transition take (p) requires { Turn = p && A[p] = False } { A[p] := True }
        transition give (p) requires { Turn = p && A[p] = True } { A[p] := False; Turn := #2 }
        transition back () requires { Turn = #2 && A[#2] = False } { Turn := #1 }";
    for guess in [None, Some(1), Some(2)] {
        assert!(matches!(reached(text, guess), Reached::Never(_)), "{guess:?}");
    }
}

#[test]
fn a_process_is_chosen_for_exists() {
    let text = |quantifier: &str| {
        format!(
            "array A[proc] : bool
            var Seen : bool
            init (p) {{ A[p] = False && Seen = False }}
            unsafe () {{ Seen = True }}
            transition look (p) requires {{ A[p] = False && {quantifier} q. A[q] = True }} {{ Seen := True }}"
        )
    };
    // Nobody ever sets A, so nobody sees it set.
    assert!(matches!(reached(&text("exists"), None), Reached::Never(_)));
    assert!(matches!(reached(&text("exists_other"), None), Reached::Never(_)));
    let with = |set: &str| text("exists_other") + set;
    let set = "transition set (p) { A[p] := True }";
    let Reached::Trace { processes, steps } = reached(&with(set), None) else { panic!("somebody sets A") };
    assert_eq!((processes, steps.len()), (2, 2));
}

#[test]
fn init_speaks_of_one_process_at_least() {
    let text = "var X : bool
        array A[proc] : bool
        init (p) { X = False && A[p] = False }
        unsafe () { X = True }
        transition keep (p) requires { A[p] = False } { A[p] := True }";
    assert!(matches!(reached(text, None), Reached::Never(_)));
}

#[test]
fn invariants_exclude_no_more_than_they_say() {
    let text = |invariant: &str| {
        format!(
            "type t = A | B\narray P[proc] : t\ninit (p) {{ P[p] = A }}\n{invariant}\nunsafe (p q) {{ P[p] = B && P[q] = B }}\n\
             transition go ([p]) requires {{ P[p] = A }} {{ P[p] := B }}\n"
        )
    };
    // Of two processes none is a third one.
    for (invariant, safe) in
        [("invariant (p q r) { P[p] = B && P[q] = B }", false), ("invariant (p q) { P[p] = B && P[q] = B }", true)]
    {
        assert_eq!(matches!(reached(&text(invariant), None), Reached::Never(_)), safe, "{invariant}");
    }
}
