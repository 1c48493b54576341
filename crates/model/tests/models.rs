//! The models of the library, and texts made from them.

mod random;

use model::{Buffers, Evaluator, Include, Model, NoInclude, Role, library};
use random::{FENCES, execution};
use source::SourceFile;
use testkit::Rng;

fn load(name: &str, text: &str) -> Model {
    let file = SourceFile::new(format!("{name}.cat"), text);
    Model::load(name, &file, &NoInclude).unwrap_or_else(|error| panic!("{}", error.render(false)))
}

#[test]
fn every_model_loads_and_says_what_it_is() {
    let names: Vec<&str> = library().iter().map(|(name, _)| *name).collect();
    assert!(!names.contains(&"frame"), "a part is no model");
    for wanted in ["sc", "tso", "pso", "rmo", "alpha", "power-frame", "x86tso", "ppc", "aarch64", "riscv", "rc11"] {
        assert!(names.contains(&wanted), "{wanted}");
    }
    for (name, text) in library() {
        let model = load(name, text);
        assert!(!model.head.about.is_empty() && !model.axioms.is_empty(), "{name}");
        assert_eq!(model.nodes.len(), model.names.len());
        let known = |other: &String| names.contains(&other.as_str());
        assert!(model.head.weaker_than.iter().all(known), "{name}");
        for (at, weaker) in model.head.weaker_than.iter().enumerate() {
            let behind: Vec<String> = Model::builtin(weaker).expect("a model").head.weaker_than;
            assert_eq!(behind, model.head.weaker_than[at + 1..], "{name}: the weakest comes first");
        }
        assert!(Model::builtin(name).is_some());
        if !model.head.compile.is_empty() {
            for (kind, tag) in [("R", "SC"), ("W", "NA"), ("RMW", "RLX"), ("F", "SC"), ("F", "WMB")] {
                assert!(
                    model.head.compile_rule(kind, |own| own == tag).is_some(),
                    "{name} does not compile {kind} {tag}"
                );
            }
        }
    }
    assert_eq!(Model::builtin("pso").and_then(|model| model.head.buffers), Some(Buffers::Location));
    assert!(Model::builtin("frame").is_none() && Model::builtin("nothing").is_none());
}

#[test]
fn no_beginning_of_a_model_makes_the_loader_panic() {
    for (name, text) in library() {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)).step_by(3) {
            let file = SourceFile::new(*name, &text[..end]);
            if let Err(error) = Model::load(name, &file, &NoInclude) {
                assert!(!error.render(false).is_empty());
            }
            // What stands after it, too: the texts then begin anywhere.
            let file = SourceFile::new(*name, &text[end..]);
            let _ = Model::load(name, &file, &NoInclude);
        }
    }
}

#[test]
fn no_mixture_of_models_makes_the_loader_or_the_evaluator_panic() {
    let mut numbers = Rng::new(5);
    let words: Vec<&str> = library().iter().flat_map(|(_, text)| text.split_inclusive(char::is_whitespace)).collect();
    let code: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with('@')).collect();
    let mut loaded = 0;
    for round in 0..ROUNDS {
        let mut text = String::new();
        for _ in 0..1 + numbers.below(4) {
            let start = numbers.below(code.len());
            text.extend(code[start..].iter().take(1 + numbers.below(25)).copied());
        }
        let text = if round % 2 == 0 { format!("include \"frame.cat\" {text}") } else { text };
        if let Ok(model) = Model::load("mixed", &SourceFile::new("mixed.cat", text), &NoInclude) {
            loaded += 1;
            let s = execution(&mut numbers, FENCES, &[], true);
            let mut evaluator = Evaluator::new(&model, &s);
            evaluator.flags();
            for axiom in evaluator.violated() {
                evaluator.explain(axiom);
            }
        }
    }
    assert!(loaded > 10, "only {loaded} texts were models");
}

const ROUNDS: usize = 3_000;

#[test]
fn weaker_models_allow_what_stronger_ones_allow() {
    let models: Vec<Model> = library().iter().map(|(name, text)| load(name, text)).collect();
    let mut numbers = Rng::new(7);
    let mut both = 0;
    for round in 0..ROUNDS {
        let s = execution(&mut numbers, FENCES, &[], round % 2 == 0);
        let allows = |model: &Model| Evaluator::new(model, &s).is_consistent();
        for model in &models {
            for stronger in &model.head.weaker_than {
                let stronger = models.iter().find(|other| other.name == *stronger).expect("a model");
                if allows(stronger) {
                    both += 1;
                    assert!(allows(model), "{} forbids what {} allows: {s:?}", model.name, stronger.name);
                }
            }
        }
    }
    assert!(both > ROUNDS / 20, "only {both} executions were worth comparing");
}

#[test]
fn a_relaxed_model_allows_what_the_model_allows() {
    let models: Vec<Model> = library().iter().map(|(name, text)| load(name, text)).collect();
    let relaxing: Vec<&Model> = models.iter().filter(|model| !model.head.relax.is_empty()).collect();
    assert!(relaxing.iter().any(|model| model.name == "ppc"));
    for model in relaxing {
        let relaxed = model.relaxed().unwrap_or_else(|| panic!("{}: its @relax names nothing", model.name));
        assert!(relaxed.relaxed().is_none() && Model { foreign: true, ..model.clone() }.relaxed().is_none());
        // What marks executions would mark more of them.
        assert!(model.axioms.iter().all(|axiom| axiom.role == Role::Forbids && !axiom.negated), "{}", model.name);
        let (mut numbers, mut allowed, mut left_out) = (Rng::new(23), 0, 0);
        for round in 0..4 * ROUNDS {
            let s = execution(&mut numbers, FENCES, &[], round % 2 == 0);
            let mut evaluator = Evaluator::new(model, &s);
            for (whole, part) in &model.head.relax {
                let mut relation = |name: &str| evaluator.relation(model.named(name).expect("a relation")).clone();
                let (whole, part) = (relation(whole), relation(part));
                assert!(part.iter().all(|(a, b)| whole.contains(a, b)), "{}: {s:?}", model.name);
                left_out += whole.iter().filter(|&(a, b)| !part.contains(a, b)).count();
            }
            if evaluator.is_consistent() {
                allowed += 1;
                assert!(Evaluator::new(&relaxed, &s).is_consistent(), "relaxing {} forbids {s:?}", model.name);
            }
        }
        assert!(allowed > ROUNDS / 2 && left_out > 10, "{}: {allowed} executions, {left_out} pairs", model.name);
    }
}

#[test]
fn every_violated_axiom_is_explained_by_a_cycle() {
    let models: Vec<Model> = library().iter().map(|(name, text)| load(name, text)).collect();
    let mut numbers = Rng::new(3);
    for round in 0..ROUNDS / 20 {
        let s = execution(&mut numbers, FENCES, &[], round % 2 == 0);
        for model in &models {
            let mut evaluator = Evaluator::new(model, &s);
            for axiom in evaluator.violated() {
                let steps = evaluator.explain(axiom).expect("violated").steps;
                let next = steps.iter().cycle().skip(1);
                assert!(!steps.is_empty() && steps.iter().zip(next).all(|(a, b)| a.to == b.from), "{steps:?}");
            }
        }
    }
}

/// Reads files of a directory outside the repository, where it is there.
struct Directory(std::path::PathBuf);

impl Include for Directory {
    fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.0.join(name)).ok()
    }
}

fn compare(ours: &str, directory: std::path::PathBuf, theirs: &str, fences: &[&str], orders: &[&str], locked: bool) {
    let directory = Directory(directory);
    let Some(text) = directory.read(theirs) else { return };
    let theirs = Model::load("theirs", &SourceFile::new(theirs, text), &directory)
        .unwrap_or_else(|error| panic!("{}", error.render(false)));
    let ours = Model::builtin(ours).expect("a model");
    let mut numbers = Rng::new(11);
    let mut allowed = 0;
    for _ in 0..ROUNDS {
        let s = execution(&mut numbers, fences, orders, locked);
        let mut own = Evaluator::new(&ours, &s);
        let mut other = Evaluator::new(&theirs, &s);
        let consistent = own.is_consistent();
        allowed += usize::from(consistent);
        assert_eq!(consistent, other.is_consistent(), "{}: {s:?}", ours.name);
        if consistent {
            assert_eq!(own.flags().is_empty(), other.flags().is_empty(), "{}: {s:?}", ours.name);
        }
    }
    assert!((ROUNDS / 100..ROUNDS).contains(&allowed), "{allowed} of {ROUNDS} executions allowed");
}

#[test]
fn the_frame_agrees_with_the_reading_of_the_corpus() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/litmus/cat");
    for name in ["sc", "tso", "pso", "rmo", "alpha", "power-frame"] {
        for locked in [false, true] {
            compare(name, directory.clone(), &format!("cav-{name}.cat"), &FENCES[..5], &[], locked);
        }
    }
}

/// Set `HERD_LIBDIR` to the directory of herd's own models to compare with them.
#[test]
fn the_models_of_herd_agree_with_ours() {
    let Some(directory) = std::env::var_os("HERD_LIBDIR").map(std::path::PathBuf::from) else { return };
    let reader = Directory(directory.clone());
    for name in ["ppc", "x86tso", "rc11", "sc", "tso", "uniproc"] {
        let file = SourceFile::new(format!("{name}.cat"), reader.read(&format!("{name}.cat")).expect("a file of herd"));
        let model = Model::load(name, &file, &reader).unwrap_or_else(|error| panic!("{}", error.render(false)));
        assert!(!model.axioms.is_empty(), "{name}");
    }
    let orders = ["NA", "RLX", "ACQ", "REL", "ACQ_REL", "SC"];
    compare("ppc", directory.clone(), "ppc.cat", &["SYNC", "LWSYNC", "EIEIO", "ISYNC"], &[], false);
    compare("x86tso", directory.clone(), "x86tso.cat", &["MFENCE", "LFENCE", "SFENCE"], &[], true);
    compare("tso", directory.clone(), "x86tso.cat", &["MFENCE"], &[], true);
    compare("sc", directory.clone(), "sc.cat", FENCES, &[], true);
    compare("rc11", directory, "rc11.cat", &["SC", "ACQ", "REL", "ACQ_REL"], &orders, true);
}
