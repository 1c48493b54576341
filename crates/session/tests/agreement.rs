//! All engines, all readings, both order encodings: the same final states, and the same number of executions of each.

use engine::{FinalState, Options, Order, Unobserved};
use ir::{Program, State};
use model::Model;
use session::Request;
use std::collections::BTreeMap;
use testkit::{Config, generate};

/// The final states with their counts.
fn states(program: &Program, model: &Model, engine: &str, order: Order) -> BTreeMap<State, u64> {
    let request = Request { engine: Some(engine.to_owned()), options: Options { order, ..Options::default() } };
    let found = session::states(program, model, &request, &Unobserved)
        .unwrap_or_else(|failure| panic!("{engine} under {}: {failure}\n{program}", model.name))
        .unwrap_or_else(|reason| panic!("{engine} under {}: {reason}\n{program}", model.name));
    found.result.states.into_iter().map(|FinalState { state, executions, .. }| (state, executions)).collect()
}

/// Compares the engines on random programs; returns how many final states there were in all.
fn compare(models: &[&str], seeds: std::ops::Range<u64>, config: &Config) -> usize {
    let models: Vec<Model> = models.iter().map(|name| Model::builtin(name).expect("a model of ours")).collect();
    let mut total = 0;
    for seed in seeds {
        let program = generate(seed, config);
        for model in &models {
            let judged = states(&program, model, "enumerate", Order::Theory);
            for order in [Order::Theory, Order::Clocks] {
                let found = states(&program, model, "partial-order", order);
                assert_eq!(found, judged, "seed {seed}, {}, {order:?}\n{program}", model.name);
            }
            if model.head.buffers.is_some() {
                let searched: Vec<State> = states(&program, model, "buffers", Order::Theory).into_keys().collect();
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
    assert!(compare(&["rmo", "alpha", "power", "ppc"], 1000..1060, &small()) > 600);
}
