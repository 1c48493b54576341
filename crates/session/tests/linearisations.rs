//! Orders that a model asks for with `linearisations`: sequential consistency said in three ways is one model.

use engine::Unobserved;
use ir::Program;
use model::{Model, NoInclude};
use session::{Failure, Request};
use source::SourceFile;
use std::collections::BTreeMap;
use testkit::{Config, generate};

/// Lamport's definition: there is one order of all accesses, and each read takes the last value written before it.
const ONE: &str = r#""SC"
let M = R | W
with S from linearisations(M, po)
empty rf \ S
empty co \ S
irreflexive S; fr"#;

/// The same with an order of writes first, which the order of all has to respect. The paths of `co` go through the initial writes.
const TWO: &str = r#""SC"
let M = R | W
with T from linearisations(W, co)
with S from linearisations(M, po | rf | T)
irreflexive S; fr"#;

fn load(text: &str) -> Model {
    Model::load("test", &SourceFile::new("test.cat", text), &NoInclude).expect("the model is well formed")
}

/// The final states and how many executions end in each.
fn states(program: &Program, model: &Model, engine: &str) -> BTreeMap<String, u64> {
    let request = Request::of(engine, &[]).expect("there is such an engine");
    let found = session::states(program, model, &request, &Unobserved).expect("no failure").expect("an answer");
    let text = |state: &ir::State| format!("{state:?}");
    found.result.states.iter().map(|state| (text(&state.state), state.executions)).collect()
}

#[test]
fn one_model_in_three_ways() {
    let sc = session::model("sc").expect("sc is in the library");
    // Neither text says what is atomic.
    let config =
        Config { threads: 3, accesses: 4, locations: 2, atomics: false, reservations: false, ..Config::default() };
    for seed in 0..60 {
        let program = Program { arch: "X86".to_owned(), ..generate(seed, &config) };
        let expected = states(&program, &sc, "enumerate");
        for text in [ONE, TWO] {
            let model = load(text);
            assert_eq!(states(&program, &model, "enumerate"), expected, "seed {seed}\n{program}");
            assert_eq!(states(&program, &model, "partial-order"), expected, "seed {seed}\n{program}");
        }
    }
}

#[test]
fn without_an_order_there_is_no_execution() {
    let program = Program { arch: "X86".to_owned(), ..generate(1, &Config::default()) };
    let model = load("\"none\"\nwith S from linearisations(W, co | co^-1)\nempty S & rf");
    for engine in ["enumerate", "partial-order"] {
        assert_eq!(states(&program, &model, engine), BTreeMap::new(), "{engine}");
    }
}

/// herd's C11 models take a read-modify-write for one event, in `R & W`.
#[test]
fn models_that_do_not_say_what_is_atomic_get_no_programs_with_read_modify_writes() {
    let config = Config { atomics: true, ..Config::default() };
    let has = |program: &Program| format!("{program}").contains("rmw");
    let programs = (0..50).map(|seed| Program { arch: "C".to_owned(), ..generate(seed, &config) });
    let (with, without): (Vec<Program>, Vec<Program>) = programs.partition(has);
    let (foreign, atomic) = (load(ONE), load(&format!("{ONE}\nempty rmw & (fre; coe)")));
    let [foreign, atomic] = [foreign, atomic].map(|model| Model { foreign: true, ..model });
    assert!(!with.is_empty() && !without.is_empty());
    assert!(with.iter().all(|program| session::suits(program, &foreign).is_err()));
    assert!(with.iter().all(|program| session::suits(program, &atomic).is_ok()));
    assert!(without.iter().all(|program| session::suits(program, &foreign).is_ok()));
}

#[test]
fn why_says_that_it_cannot() {
    let program = Program { arch: "X86".to_owned(), ..generate(1, &Config::default()) };
    let result = session::why(&program, &load(ONE), &Request::default(), &Unobserved);
    assert!(matches!(result, Err(Failure::Refused(reason, _)) if reason.contains("linearisations")));
}
