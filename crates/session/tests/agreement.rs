//! All engines, all readings, both order encodings: the same final states, and the same number of executions of each.

use engine::{FinalState, Unobserved};
use ir::{Program, State};
use model::Model;
use session::Request;
use source::SourceFile;
use std::collections::BTreeMap;
use std::ops::Range;
use testkit::{Config, generate};

/// The final states with their counts, and the flags that one of the executions of each raises.
fn states(program: &Program, model: &Model, engine: &str, own: &[(&str, &str)]) -> BTreeMap<State, (u64, Vec<String>)> {
    let request = Request::of(engine, own).expect("options that the engine has");
    let found = session::states(program, model, &request, &Unobserved)
        .unwrap_or_else(|failure| panic!("{engine} under {}: {failure}\n{program}", model.name))
        .unwrap_or_else(|reason| panic!("{engine} under {}: {reason}\n{program}", model.name));
    let row = |FinalState { state, executions, flags, .. }| (state, (executions, flags));
    found.result.states.into_iter().map(row).collect()
}

/// Compares the engines on random programs; returns how many final states there were in all.
fn compare(models: &[&str], seeds: Range<u64>, config: &Config) -> usize {
    let models: Vec<Model> = models.iter().map(|name| Model::builtin(name).expect("a model of ours")).collect();
    compare_under(&models, seeds, config)
}

fn compare_under(models: &[Model], seeds: Range<u64>, config: &Config) -> usize {
    let mut total = 0;
    for seed in seeds {
        let program = generate(seed, config);
        for model in models {
            let judged = states(&program, model, "enumerate", &[]);
            for order in ["theory", "clocks"] {
                let found = states(&program, model, "partial-order", &[("order", order)]);
                assert_eq!(found, judged, "seed {seed}, {}, {order}\n{program}", model.name);
            }
            if model.head.buffers.is_some() {
                let searched: Vec<State> = states(&program, model, "buffers", &[]).into_keys().collect();
                let judged: Vec<State> = judged.keys().cloned().collect();
                assert_eq!(searched, judged, "seed {seed}, {} with buffers\n{program}", model.name);
            }
            total += judged.len();
        }
    }
    total
}

fn small() -> Config {
    Config { accesses: 7, ..Config::default() }
}

#[test]
fn engines_agree_under_buffered_models() {
    assert!(compare(&["sc", "tso", "pso"], 0..120, &small()) > 1000);
}

#[test]
fn engines_agree_under_weaker_models() {
    assert!(compare(&["rmo", "alpha", "power-frame", "ppc"], 1000..1060, &small()) > 600);
}

#[test]
fn engines_agree_about_arm_and_risc_v() {
    assert!(compare(&["aarch64"], 2000..2060, &small().for_arch("AArch64")) > 150);
    assert!(compare(&["riscv"], 2000..2060, &small().for_arch("RISCV")) > 150);
}

/// Reads of what only one thread writes are encoded by how much of it they see.
#[test]
fn engines_agree_about_locations_with_one_writer() {
    let config = Config { accesses: 9, sole_writers: true, reservations: false, ..Config::default() };
    assert!(compare(&["tso", "rmo", "power-frame", "ppc"], 4000..4150, &config) > 1500);
    assert!(compare(&["aarch64"], 4000..4150, &config.clone().for_arch("AArch64")) > 300);
    assert!(compare(&["rc11"], 4000..4150, &config.clone().for_arch("C")) > 300);
    // Nothing orders the writes here but what they depend on, and fences.
    let text = "\"causes\"\nacyclic po-loc | rf | fr | co as uniproc\nacyclic addr | data | ctrl | rfe | fencerel(MFENCE) as thinair\n\
                irreflexive fre; (addr | data | ctrl | rfe | fencerel(SYNC))+ as observation\n";
    let model = Model::load("causes", &SourceFile::new("causes.cat", text), &model::NoInclude).expect("a model");
    assert!(compare_under(&[model], 4000..4400, &config) > 1500);
}

/// Data races are flags of the executions that have one.
#[test]
fn engines_agree_about_c11_and_its_races() {
    assert!(compare(&["rc11"], 3000..3080, &small().for_arch("C")) > 250);
}

/// Models that nobody would write, for the corners of the translation from expressions to graphs: no axiom for coherence,
/// repetition of something cyclic, relations that are reflexive, differences of what changes, recursion.
const ODD: &[&str] = &[
    "acyclic rf | co as only",
    "acyclic rmw; (rf | rf^-1)* as starred",
    "acyclic [W]; po; (co | rf)+; [R] as plus",
    "acyclic [MFENCE]; po* as reflexive",
    "irreflexive (fr; co?; rf?) as triangle",
    "empty (po \\ (rf | co)) & (W * R) & loc as difference",
    "let rec r = addr | data | (r; po-loc) | (rfi; r)\nacyclic r | rfe | co as recursive",
    "acyclic (po & (R * W)) | rfe | (co; rf?) as mixed\nempty rmw & (fre; coe) as atomic",
    "acyclic fre | po-loc | (coe; rfe)\nirreflexive po; fri; rfi as inner",
    "acyclic po-loc | rf | co | fr\nacyclic fre ; ([W]; co?)* ; rfe as staying",
    "acyclic po-loc | rf | co | fr\nacyclic fre; (co? & (W * W))*; rfe\nacyclic rf; (po-loc?; rf?; [R])+; po",
    "acyclic po-loc | rf | co | fr\nacyclic ([R]; po; [W]) | ((co* \\ rf)*; rfe)",
    "acyclic po-loc | rf | co | fr\nlet rec r = rfe | (r; po; r) | (fre; r)\nirreflexive r; co as across",
    "acyclic po-loc | rf | co | fr\nlet rec a = rf | (b; po) and b = co | (a; a)\nacyclic a & ext\nempty b & fr^-1",
    "acyclic po-loc | rf | co | fr\nempty (fre; rfe) \\ (po | co | rf)+ as reaches",
    "acyclic po-loc | rf | co | fr\nlet rec s = range(rfe) | range([s]; po) and r = [s]; co; [s]\nempty r & ext",
    "acyclic po-loc | rf | co | fr\nirreflexive ext\nempty ext & (IW * IW)",
    "acyclic po | ([range(rf)]; po-loc; [domain(co)]) | rfe | ~(po | po^-1 | ext | id)",
];

#[test]
fn engines_agree_under_odd_models() {
    let load = |(at, text): (usize, &&str)| {
        // Values that justify themselves are the one thing that engines need not agree about.
        let text = format!("\"odd\"\nacyclic rf | addr | data | ctrl | rmw as thinair\n{text}\n");
        let file = SourceFile::new(format!("odd{at}.cat"), text);
        Model::load(&format!("odd{at}"), &file, &model::NoInclude).unwrap_or_else(|error| panic!("{error}"))
    };
    let models: Vec<Model> = ODD.iter().enumerate().map(load).collect();
    let config = Config { accesses: 5, threads: 3, locations: 2, ..Config::default() };
    assert!(compare_under(&models, 5000..5040, &config) > 500);
}

/// Where a pair must be in a recursion through other threads, the formula does not settle: the engine says so, and `auto` asks the next
/// one.
#[test]
fn auto_goes_on_when_an_engine_gives_up() {
    let text = "\"r\"\nacyclic po-loc | rf | co | fr as uniproc\nlet rec r = po-loc | (r; rf; r)\nempty coe \\ (r | co) as r\n";
    let model = Model::load("r", &SourceFile::new("r.cat", text), &model::NoInclude).expect("a model");
    let config = Config { accesses: 5, threads: 2, locations: 1, ..Config::default() };
    let mut engines = Vec::new();
    for seed in 0..40 {
        let program = generate(seed, &config);
        let found = session::states(&program, &model, &Request::default(), &Unobserved).expect("a task for everybody");
        engines.push(found.expect("an answer").engine);
    }
    engines.sort_unstable();
    engines.dedup();
    assert_eq!(engines, ["enumerate", "partial-order"]);
}
