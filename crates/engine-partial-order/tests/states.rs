//! Final states without counts are those with counts, which are compared with a judge elsewhere.

use engine::{Engine, FinalState, Findings, Options, Question, Task, Unobserved};
use engine_partial_order::PartialOrder;
use model::Model;
use testkit::{Config, generate};

/// The final states, counted if there are no more than so many executions.
fn states(program: &ir::Program, model: &Model, executions: u32) -> Vec<FinalState> {
    let mut options = Options::default();
    let declared = PartialOrder.options().into_iter().find(|option| option.name == "executions");
    declared.expect("it is declared").set(&mut options, &executions.to_string()).expect("it is in range");
    let task = Task { program, model, question: Question::States, options: &options };
    let answer = PartialOrder.run(&task, &Unobserved).unwrap_or_else(|reason| panic!("{reason:?}\n{program}"));
    let Findings::States(found) = answer.findings else { panic!("asked for states") };
    found
}

#[test]
fn states_are_the_same_with_counts_and_without() {
    let config = Config { accesses: 8, ..Config::default() };
    let (mut counted, mut uncounted) = (0, 0);
    for name in ["sc", "tso", "pso", "rmo", "power-frame"] {
        let model = Model::builtin(name).expect("it is built in");
        for program in (0..60).map(|seed| generate(seed, &config)) {
            let all = states(&program, &model, u32::MAX);
            let executions: u64 = all.iter().map(|found| found.executions).sum();
            for most in [0, 1, executions.saturating_sub(1) as u32, executions as u32] {
                let few = states(&program, &model, most);
                let same = few.iter().map(|found| &found.state).eq(all.iter().map(|found| &found.state));
                assert!(same, "{most} of {executions} executions under {name}\n{few:?}\n{all:?}\n{program}");
                let counts = few.iter().map(|found| found.executions).sum::<u64>();
                assert_eq!(counts, if u64::from(most) < executions { 0 } else { executions }, "{name}\n{program}");
                assert!(few.iter().all(|found| found.example.is_some()), "each state has an execution");
                *(if counts > 0 { &mut counted } else { &mut uncounted }) += 1;
            }
        }
    }
    assert!(counted > 200 && uncounted > 500, "{counted} and {uncounted}");
}
