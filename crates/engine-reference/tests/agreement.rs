//! The two engines find the same final states: the operational and the axiomatic reading of a model agree.

mod support;

use engine::{Engine, Findings, Options, Question, Task, Unobserved};
use engine_reference::{Axiomatic, Operational};
use ir::{Program, Proposition, State};
use model::{Evaluator, Model};
use std::ops::Range;
use support::{model, models, states};
use testkit::{Budget, Config, generate, shrink};
use witness::Flaw;

/// How many states or candidates a judge may look at.
const WORK: u64 = 300_000;

/// What comes of comparing the engines on a task.
enum Comparison {
    Agree,
    /// One of them has no answer within the limit.
    Skipped,
    /// What one of them finds and the other does not.
    Differ(String),
}

fn compare_states(program: &Program, model: &Model, work: u64) -> Comparison {
    let found = [states(&Operational, program, model, work), states(&Axiomatic, program, model, work)];
    let [Ok(operational), Ok(axiomatic)] = found else { return Comparison::Skipped };
    if operational == axiomatic {
        return Comparison::Agree;
    }
    let show = |states: Vec<&State>| {
        let one = |state: &&State| {
            let values = state.iter().map(|(location, value)| format!("{}={value}", location.name(program)));
            values.collect::<Vec<_>>().join(" ")
        };
        states.iter().map(one).collect::<Vec<_>>().join("; ")
    };
    let only_first = show(operational.difference(&axiomatic).collect());
    let only_second = show(axiomatic.difference(&operational).collect());
    Comparison::Differ(format!("{}: only buffers: {only_first}\nonly enumerate: {only_second}", model.name))
}

/// A smallest program on which the engines disagree, from one on which they do.
fn shrunk(mut program: Program, model: &Model) -> Program {
    let differs = |variant: &Program| matches!(compare_states(variant, model, WORK), Comparison::Differ(_));
    while let Some(smaller) = shrink(&program).find(differs) {
        program = smaller;
    }
    program
}

/// The evidence that the operational engine gives for the program's own condition is accepted by the checker.
fn evidence(program: &Program, model: &Model) -> bool {
    let goals: Vec<Proposition> = program.condition.iter().map(ir::Condition::bad).collect();
    let options = Options::default();
    let task = Task { program, model, question: Question::Reach(&goals), options: &options };
    let answer = Operational.run(&task, &Unobserved).expect("small programs have an answer");
    let Findings::Reach(found) = answer.findings else { panic!("asked for executions") };
    for (goal, execution) in goals.iter().zip(&found) {
        if let Some(execution) = execution {
            witness::check(program, model, execution, goal)
                .unwrap_or_else(|flaw| panic!("{}: {flaw}\n{program}\n{execution:#?}", model.name));
        }
    }
    found.iter().any(Option::is_some)
}

/// Compares the engines on random programs: how many tasks both could do, how many not, how many executions were shown.
fn compare(seeds: Range<u64>, models: &[Model], config: &Config, work: u64) -> (usize, usize, usize) {
    let (mut compared, mut skipped, mut found) = (0, 0, 0);
    for seed in seeds {
        let program = generate(seed, config);
        for model in models {
            match compare_states(&program, model, work) {
                Comparison::Agree => compared += 1,
                Comparison::Skipped => skipped += 1,
                Comparison::Differ(what) => panic!("seed {seed}\n{what}\n{}", shrunk(program, model)),
            }
            found += usize::from(evidence(&program, model));
        }
    }
    (compared, skipped, found)
}

/// Programs of everything, and programs of few things that meet more often.
fn configs(accesses: usize) -> [Config; 5] {
    let all = Config { accesses, ..Config::default() };
    let two = Config { threads: 2, locations: 2, ..all.clone() };
    let plain = Config { atomics: false, reservations: false, ..two.clone() };
    [
        Config { fences: vec!["MFENCE", "SYNC"], ..plain.clone() },
        Config { fences: vec!["LWSYNC", "EIEIO", "SFENCE"], ..plain },
        Config { reservations: false, branches: false, fences: Vec::new(), ..two.clone() },
        Config { atomics: false, locations: 1, fences: vec!["MFENCE", "LWSYNC"], ..two },
        all,
    ]
}

#[test]
fn random_programs() {
    for config in configs(7) {
        let (compared, skipped, found) = compare(0..150, &models(), &config, WORK);
        assert!(compared > 440 && found > 40, "{compared} compared, {skipped} skipped, {found} executions checked");
    }
}

/// What x86 has: every read-modify-write is locked.
fn x86(config: &Config) -> Config {
    let fences = vec!["MFENCE", "SFENCE", "LFENCE"];
    Config { unlocked: false, reservations: false, fences, ..config.clone() }
}

#[test]
fn random_x86_programs() {
    let config = x86(&Config { accesses: 7, ..Config::default() });
    let (compared, ..) = compare(0..100, &[model("x86tso")], &config, WORK);
    assert!(compared > 90);
}

/// The checker's own evaluator and the one that engines use agree on executions that exist and on others.
#[test]
fn both_evaluators_agree() {
    let all: Vec<Model> = model::library().iter().map(|(name, _)| model(name)).collect();
    let mut anything = model("sc");
    anything.axioms.clear();
    let (mut allowed, mut forbidden) = (0, 0);
    for seed in 0..120 {
        let program = generate(seed, &Config { accesses: 6, ..Config::default() });
        let options = Options::default();
        let task = Task { program: &program, model: &anything, question: Question::States, options: &options };
        let Ok(answer) = Axiomatic.run(&task, &Budget::of(WORK)) else { continue };
        let Findings::States(found) = answer.findings else { panic!("asked for states") };
        for execution in found.iter().filter_map(|state| state.example.as_ref()).take(20) {
            let structure = witness::structure(&program, execution).unwrap();
            for model in &all {
                let naive = witness::check(&program, model, execution, &Proposition::True);
                let consistent = Evaluator::new(model, &structure).is_consistent();
                match &naive {
                    Ok(()) | Err(Flaw::Forbidden(_)) => {}
                    Err(flaw) => panic!("seed {seed}: {flaw}"),
                }
                assert_eq!(
                    naive.is_ok(),
                    consistent,
                    "seed {seed} {}: {naive:?}\n{program}\n{execution:#?}",
                    model.name
                );
                if consistent { allowed += 1 } else { forbidden += 1 }
            }
        }
    }
    assert!(allowed > 500 && forbidden > 500, "{allowed} allowed, {forbidden} forbidden");
}
