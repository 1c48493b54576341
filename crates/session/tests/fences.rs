//! Fences for litmus tests: the placements that are found are those that trying out everything finds, and each of them
//! is needed, which the text without it shows.

use crate::common::{self, is_safe, litmus_tests};
use engine::Unobserved;
use fences::{Costs, Fence, Kind, Options, Spelling};
use ir::{Program, Seam};
use model::{Include, Model};
use session::{Conclusion, Reading, Repairs, Request};
use source::SourceFile;
use std::collections::BTreeSet;

const MODELS: [&str; 7] = ["tso", "pso", "rmo", "alpha", "power-frame", "x86tso", "ppc"];

/// More fences than this are not tried out in all combinations.
const MAX_ATOMS: usize = 6;

fn load(name: &str, text: &str) -> Program {
    common::load(name, text, &Reading::default())
}

fn repairs(program: &Program, model: &Model, options: &Options) -> Repairs {
    common::repairs(program, model, options, &Reading::default())
}

fn all() -> Options {
    Options { all: true, ..Options::default() }
}

/// A fence for comparisons: function, block, instruction, kind.
type Key = (u32, u32, u32, Kind);

fn key(seam: &Seam, kind: Kind) -> Key {
    (seam.function.0, seam.block.0, seam.index, kind)
}

fn covers(set: &BTreeSet<Key>, other: &BTreeSet<Key>) -> bool {
    other.iter().all(|old| set.iter().any(|new| (new.0, new.1, new.2) == (old.0, old.1, old.2) && new.3.covers(old.3)))
}

/// All placements that are safe and no stronger form of a cheaper one; nothing if there are too many to try.
fn brute(program: &Program, model: &Model, kinds: &[Spelling]) -> Option<BTreeSet<BTreeSet<Key>>> {
    let seams = fences::useful(program);
    let atoms: Vec<(usize, Spelling)> =
        (0..seams.len()).flat_map(|at| kinds.iter().map(move |&kind| (at, kind))).collect();
    if atoms.len() > MAX_ATOMS {
        return None;
    }
    let chosen = |bits: u32| -> Vec<(usize, Spelling)> {
        (0..atoms.len()).filter(|at| bits >> at & 1 == 1).map(|at| atoms[at]).collect()
    };
    let mut sets: Vec<Vec<(usize, Spelling)>> = (0..1u32 << atoms.len()).map(chosen).collect();
    let costs = Costs::default();
    sets.sort_by_key(|set| (set.iter().map(|(_, kind)| costs.of(kind.kind)).sum::<u32>(), set.len()));
    let mut found: BTreeSet<BTreeSet<Key>> = BTreeSet::new();
    for set in sets {
        let keys: BTreeSet<Key> = set.iter().map(|(at, spelling)| key(&seams[*at], spelling.kind)).collect();
        let new = !found.iter().any(|old| covers(&keys, old));
        // Marks only: the text is what the repairs are checked with.
        if new && is_safe(&fences::with_fences(program, &seams, &set), model) {
            found.insert(keys);
        }
    }
    Some(found)
}

#[test]
fn what_is_found_is_what_trying_everything_finds() {
    let (mut compared, mut several, mut hopeless) = (0, 0, 0);
    for path in litmus_tests() {
        let text = std::fs::read_to_string(&path).expect("a text");
        let program = load(&path.display().to_string(), &text);
        for name in MODELS {
            let model = Model::builtin(name).expect("a model of ours");
            if session::suits(&program, &model).is_err() {
                continue;
            }
            // For C, which fences a model tells apart depends on its compilation; the other languages have them all.
            let kinds: Vec<Spelling> = if program.is_c() {
                fences::spellings(&program)[..1].to_vec()
            } else {
                fences::spellings(&program).to_vec()
            };
            let Some(expected) = brute(&program, &model, &kinds) else { continue };
            let options = Options { kinds: kinds.iter().map(|kind| kind.kind).collect(), ..all() };
            let found = repairs(&program, &model, &options);
            let sets: BTreeSet<BTreeSet<Key>> = found
                .repairs
                .iter()
                .map(|repair| repair.placement.fences.iter().map(|f| key(&f.seam, f.spelling.kind)).collect())
                .collect();
            assert_eq!(sets, expected, "{} under {name}", path.display());
            assert_eq!(sets.len(), found.repairs.len(), "each once: {} under {name}", path.display());
            compared += 1;
            several += usize::from(expected.len() > 1);
            hopeless += usize::from(expected.is_empty());
            match found.conclusion {
                Conclusion::Complete => assert!(!expected.is_empty()),
                Conclusion::Sequential(_) | Conclusion::Beyond(..) => assert!(expected.is_empty()),
                Conclusion::TooMany(_) | Conclusion::Stopped(_) => panic!("{} under {name}", path.display()),
            }
        }
    }
    assert!(
        compared > 100 && several > 10 && hopeless > 5,
        "{compared} compared, {several} several, {hopeless} hopeless"
    );
}

#[test]
fn every_fence_is_needed_in_the_text_too() {
    let mut removed = 0;
    for path in litmus_tests() {
        let text = std::fs::read_to_string(&path).expect("a text");
        let program = load(&path.display().to_string(), &text);
        for name in ["tso", "pso", "rmo", "power-frame"] {
            let model = Model::builtin(name).expect("a model of ours");
            if session::suits(&program, &model).is_err() {
                continue;
            }
            for repair in repairs(&program, &model, &Options::default()).repairs {
                let fences = &repair.placement.fences;
                assert!(is_safe(&load(program.source.name(), &repair.patch.text), &model));
                for left_out in 0..fences.len() {
                    let mut others: Vec<Fence> = fences.clone();
                    others.remove(left_out);
                    let patch = fences::patch(&program.source, &others, &[], program.threads.len());
                    let safe = is_safe(&load(program.source.name(), &patch.text), &model);
                    assert!(!safe, "{} under {name} without fence {left_out}\n{}", path.display(), patch.text);
                    removed += 1;
                }
                assert_eq!(repair.placement.without.len(), fences.len(), "an execution for each");
                for (_, execution, program) in &repair.placement.without {
                    let tags = execution.events.iter().flat_map(|event| event.tags.iter());
                    let marked = tags.map(|tag| &program.tags[tag.index()]).find(|name| name.starts_with('?'));
                    assert_eq!(marked, None, "nobody wants to read of marks");
                }
            }
        }
    }
    assert!(removed > 80, "{removed} fences were left out");
}

/// Models that include nothing.
struct Nothing;

impl Include for Nothing {
    fn read(&self, _name: &str) -> Option<String> {
        None
    }
}

/// The fences of the first repair, as text.
fn first(path: &str, model: &str, options: &Options) -> Vec<String> {
    let root = testkit::corpus::root();
    let text = std::fs::read_to_string(root.join(path)).expect("a text");
    let model = Model::builtin(model).expect("a model of ours");
    let found = repairs(&load(path, &text), &model, options);
    let first = found.repairs.first().unwrap_or_else(|| panic!("{path} under {}", model.name));
    first.placement.fences.iter().map(|fence| fence.spelling.text.to_owned()).collect()
}

#[test]
fn classical_tests_get_the_fences_that_everybody_knows() {
    let options = Options::default();
    let expected: [(&str, &str, &[&str]); 11] = [
        ("examples/sb.litmus", "tso", &["MFENCE", "MFENCE"]),
        ("examples/sb.litmus", "sc", &[]),
        ("examples/mp.litmus", "tso", &[]),
        ("examples/mp.litmus", "pso", &["SFENCE"]),
        ("examples/mp.litmus", "rmo", &["SFENCE", "LFENCE"]),
        ("examples/2+2w.litmus", "pso", &["SFENCE", "SFENCE"]),
        ("examples/lb.litmus", "rmo", &["LFENCE", "LFENCE"]),
        ("examples/iriw.litmus", "rmo", &["LFENCE", "LFENCE"]),
        ("examples/iriw.litmus", "power-frame", &["MFENCE", "MFENCE"]),
        ("corpus/litmus/ppc-mp-po-po.litmus", "ppc", &["eieio", "lwsync"]),
        ("corpus/litmus/c-mp-relaxed.litmus", "pso", &["atomic_thread_fence(memory_order_release);"]),
    ];
    for (path, model, fences) in expected {
        assert_eq!(first(path, model, &options), fences, "{path} under {model}");
    }
}

#[test]
fn costs_and_kinds_decide() {
    let costs = Costs::parse(&SourceFile::new("costs", "full 1\n")).expect("costs");
    let cheap = Options { costs, ..Options::default() };
    assert_eq!(first("examples/mp.litmus", "pso", &cheap), ["MFENCE"]);
    let full = Options { kinds: vec![Kind::Full], ..Options::default() };
    assert_eq!(first("examples/mp.litmus", "pso", &full), ["MFENCE"]);
    let stores = Options { kinds: vec![Kind::StoreStore], ..Options::default() };
    assert_eq!(first("examples/mp.litmus", "pso", &stores), ["SFENCE"]);
}

#[test]
fn fences_that_cannot_help_are_not_offered() {
    let stores = Options { kinds: vec![Kind::StoreStore], ..Options::default() };
    let sb = "X86 sb\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";
    let tso = Model::builtin("tso").expect("a model of ours");
    let found = repairs(&load("sb.litmus", sb), &tso, &stores);
    assert!(found.repairs.is_empty() && matches!(found.conclusion, Conclusion::Beyond(..)), "{found:?}");
    let late = sb.replace("exists (0:EAX=0 /\\ 1:EAX=0)", "exists (0:EAX=1 /\\ 1:EAX=1)");
    let found = repairs(&load("late.litmus", &late), &tso, &all());
    assert!(found.repairs.is_empty() && matches!(found.conclusion, Conclusion::Sequential(_)), "{found:?}");
}

#[test]
fn a_model_that_knows_no_kinds_gets_no_answer() {
    let sb = "X86 sb\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";
    let text = "\"any fence\"\nacyclic po-loc | rf | fr | co\nlet order = (po & ((R * M) | (W * W))) | (po; [F]; po)\n\
                acyclic order | rfe | fr | co\n";
    let model = Model::load("any", &SourceFile::new("any.cat", text), &Nothing).expect("a model");
    assert!(!is_safe(&load("sb.litmus", sb), &model));
    let found = repairs(&load("sb.litmus", sb), &model, &Options::default());
    assert!(found.repairs.is_empty() && matches!(found.conclusion, Conclusion::Stopped(_)), "{found:?}");
}

#[test]
fn fences_can_end_a_race() {
    let text = "C race\n{ }\nP0 (int* x, atomic_int* y) {\n  *x = 1;\n  atomic_store_explicit(y, 1, memory_order_relaxed);\n}\n\
                P1 (int* x, atomic_int* y) {\n  int r0 = atomic_load_explicit(y, memory_order_relaxed);\n  int r1 = 1;\n  \
                if (r0) { r1 = *x; }\n}\nexists (1:r1=0)\n";
    let rc11 = Model::builtin("rc11").expect("a model of ours");
    let found = repairs(&load("race.litmus", text), &rc11, &Options::default());
    let fences: Vec<&str> = found.repairs[0].placement.fences.iter().map(|fence| fence.spelling.text).collect();
    let expected = ["atomic_thread_fence(memory_order_release);", "atomic_thread_fence(memory_order_acquire);"];
    assert_eq!(fences, expected);
    // Nothing tells the reader when to read.
    let found = repairs(&load("race.litmus", &text.replace("if (r0)", "if (1)")), &rc11, &Options::default());
    assert!(found.repairs.is_empty() && matches!(found.conclusion, Conclusion::Sequential(_)), "{found:?}");
}

#[test]
fn a_mark_orders_nothing() {
    for path in litmus_tests() {
        let text = std::fs::read_to_string(&path).expect("a text");
        let program = load(&path.display().to_string(), &text);
        let marked = fences::with_fences(&program, &program.seams, &[]);
        ir::validate(&marked).expect("marks are fences");
        for engine in ["partial-order", "enumerate", "buffers"] {
            for name in ["sc", "tso", "pso", "power-frame"] {
                let model = Model::builtin(name).expect("a model of ours");
                let request = Request { engine: Some(engine.to_owned()), ..Request::default() };
                let ask = |program: &Program| {
                    session::check(program, &model, &request, &Unobserved).map(|f| f.result.to_string())
                };
                if let Ok(plain) = ask(&program) {
                    let marked = ask(&marked).unwrap_or_else(|failure| failure.to_string());
                    assert_eq!(plain, marked, "{} under {name} with {engine}", path.display());
                }
            }
        }
    }
}
