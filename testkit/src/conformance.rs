//! What every engine must do, as tests that its crate runs on itself: [`conformance!`](crate::conformance!).
//!
//! An engine is compared with the judges of `engine-reference` on random programs, and what it shows is replayed by `witness`.
//! Programs come as front ends make them: an engine must get along with any of them. All limits are on work, so that the same
//! comparisons are made on every machine, and each test demands that enough of them were made.

use crate::c::{self, generate as random_c};
use crate::systems::{Compared, compare as compare_systems};
use crate::{Budget, Config, Rng, generate};
use engine::{Answer, Engine, Findings, NoAnswer, Options, Property, Question, Task};
use engine_reference::{Axiomatic, Operational};
use ir::{Program, Proposition, State};
use model::Model;
use source::SourceFile;
use std::collections::BTreeSet;

/// How many random programs are tried.
const LITMUS: u64 = 40;
const PROGRAMS: u64 = 24;
const SYSTEMS: u64 = 40;

/// What an engine may spend on a program, and what the judges may.
const WORK: u64 = 20_000;
const JUDGED: u64 = 200_000;

/// The property that C programs are asked about.
const PROPERTY: Property = Property::Assertions { memory: true };

/// Tests an engine in its own crate: `testkit::conformance!(Lazy, "lazy", reach: ["sc", "tso"], programs: ["sc", "tso"]);`
///
/// `states` and `reach` name the models under which it answers these questions about litmus tests, `programs` those under
/// which it looks for violations in programs that start threads. What is not named it must refuse. `gives_up_on` has words of the
/// reasons with which it may give up on litmus tests; all others it must answer. `systems` names the models under which it takes
/// array-based systems.
#[macro_export]
macro_rules! conformance {
    ($engine:expr, $name:literal $(, states: $states:expr)? $(, reach: $reach:expr $(, gives_up_on: $why:expr)?)?
     $(, programs: $programs:expr)? $(, systems: $systems:expr)?) => {
        #[test]
        fn it_says_who_it_is() {
            $crate::conformance::introduces_itself(&$engine, $name);
        }

        #[test]
        fn what_it_does_not_do_it_refuses() {
            let states: &[&[&str]] = &[$(&$states)?];
            let reach: &[&[&str]] = &[$(&$reach)?];
            let programs: &[&[&str]] = &[$(&$programs)?];
            $crate::conformance::refuses_the_rest(&$engine, &states.concat(), &reach.concat(), &programs.concat());
        }

        $(#[test]
        fn final_states_are_those_of_the_judge() {
            $crate::conformance::states(&$engine, &$states);
        })?

        $(#[test]
        fn what_can_be_reached_is_what_the_judge_reaches() {
            let excused: &[&[&str]] = &[$(&$why)?];
            $crate::conformance::reach(&$engine, &$reach, &excused.concat());
        })?

        $(#[test]
        fn violations_are_those_of_the_judge() {
            $crate::conformance::violations(&$engine, &$programs);
        })?

        $(#[test]
        fn bad_states_are_those_of_the_machine() {
            $crate::conformance::systems(&$engine, &$systems);
        })?
    };
}

fn model(name: &str) -> Model {
    Model::builtin(name).unwrap_or_else(|| panic!("there is no model {name}"))
}

/// The judge for litmus tests under a model: the one that the engine is not.
fn judge(engine: &dyn Engine, model: &Model) -> &'static dyn Engine {
    let buffered = model.head.buffers.is_some();
    if buffered && engine.name() != Operational.name() { &Operational } else { &Axiomatic }
}

/// Asks an engine and checks all the evidence that it gives.
fn ask(
    engine: &dyn Engine,
    program: &Program,
    model: &Model,
    question: Question<'_>,
    work: u64,
) -> Result<Answer, NoAnswer> {
    let options = Options::default();
    let task = Task { program, model, question, options: &options };
    let name = engine.name();
    engine.accepts(&task).unwrap_or_else(|refusal| panic!("{name} refuses: {}\n{program}", refusal.reason));
    let answer = engine.run(&task, &Budget::of(work))?;
    let flawed = |flaw: witness::Flaw| panic!("{name} under {}: {flaw}\n{program}", model.name);
    match (&answer.findings, question) {
        (Findings::Reach(found), Question::Reach(goals)) => {
            assert_eq!(found.len(), goals.len(), "{name}: an answer for each goal");
            for (execution, goal) in found.iter().zip(goals) {
                execution.iter().for_each(|e| witness::check(program, model, e, goal).unwrap_or_else(flawed));
            }
        }
        (Findings::States(found), Question::States) => {
            for example in found.iter().filter_map(|state| state.example.as_ref()) {
                witness::check(program, model, example, &Proposition::True).unwrap_or_else(flawed);
            }
        }
        (Findings::Reach(found), Question::Violation(property)) => {
            assert_eq!(found.len(), 1, "{name}: one answer");
            for execution in found.iter().flatten() {
                witness::check_violation(program, model, execution, property).unwrap_or_else(flawed);
            }
        }
        // Proofs are checked in their own tests, which change them.
        (Findings::Proof(_), Question::Violation(_)) => {}
        (findings, question) => panic!("{name} answers {findings:?} to {question:?}"),
    }
    Ok(answer)
}

/// A name for `--engine`, a line about it, and the name is the one that is expected.
pub fn introduces_itself(engine: &dyn Engine, name: &str) {
    assert_eq!(engine.name(), name);
    assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{name} is a word for the command line");
    assert!(!engine.about().is_empty() && !engine.about().contains('\n'), "one line about {name}");
}

/// Random litmus tests. With few things in them these meet more often.
fn litmus() -> impl Iterator<Item = Program> {
    let few = Config { threads: 2, locations: 2, accesses: 6, ..Config::default() };
    let many = Config { accesses: 7, ..Config::default() };
    (0..LITMUS).map(move |seed| generate(seed, if seed % 2 == 0 { &few } else { &many }))
}

/// Random C programs: every other one is without library calls and heap, which not all engines take.
fn programs() -> impl Iterator<Item = Program> {
    (0..PROGRAMS).map(|seed| {
        let plain = seed % 2 == 0;
        let config = c::Config { library: !plain, memory: !plain, rare: false, accesses: 7, ..c::Config::default() };
        let text = random_c(&mut Rng::new(seed), &config);
        let file = SourceFile::new("random.i", text);
        front_c::parse(&file, None, &front_c::Options::default())
            .unwrap_or_else(|error| panic!("random programs are read: {}", error.render(false)))
    })
}

/// What is asked of an engine that did not promise an answer is refused, with a reason and a way round.
///
/// # Panics
/// It is accepted, or what was promised is refused.
pub fn refuses_the_rest(engine: &dyn Engine, states: &[&str], reach: &[&str], programs: &[&str]) {
    let (test, program) = (generate(0, &Config::default()), self::programs().next().expect("there are programs"));
    let goals: Vec<Proposition> = test.condition.iter().map(ir::Condition::bad).collect();
    for name in ["sc", "tso", "pso", "rmo", "alpha", "power-frame"] {
        let questions = [
            (&test, Question::States, states.contains(&name)),
            (&test, Question::Reach(&goals), reach.contains(&name)),
            (&program, Question::Violation(PROPERTY), programs.contains(&name)),
        ];
        for (program, question, promised) in questions {
            let (model, options) = (model(name), Options::default());
            let task = Task { program, model: &model, question, options: &options };
            match engine.accepts(&task) {
                Ok(()) => assert!(promised, "{} takes {question:?} under {name}: say so", engine.name()),
                Err(refusal) => {
                    assert!(!promised, "{} refuses {question:?} under {name}: {}", engine.name(), refusal.reason);
                    assert!(!refusal.reason.is_empty() && !refusal.help.is_empty(), "a reason and a way round");
                }
            }
        }
    }
}

/// Final states are those that a judge finds.
///
/// # Panics
/// They are not, or too few could be compared.
pub fn states(engine: &dyn Engine, models: &[&str]) {
    let of = |answer: Answer| -> BTreeSet<State> {
        let Findings::States(found) = answer.findings else { panic!("asked for states") };
        found.into_iter().map(|found| found.state).collect()
    };
    for model in models.iter().map(|name| model(name)) {
        let mut compared = 0;
        for program in litmus() {
            let mine = ask(engine, &program, &model, Question::States, WORK);
            let judged = ask(judge(engine, &model), &program, &model, Question::States, JUDGED);
            let (Ok(mine), Ok(judged)) = (mine, judged) else { continue };
            assert_eq!(of(mine), of(judged), "{} under {}\n{program}", engine.name(), model.name);
            compared += 1;
        }
        assert!(compared * 10 >= LITMUS * 9, "{}: only {compared} of {LITMUS} were compared", model.name);
    }
}

/// What can be reached is what a judge reaches.
///
/// # Panics
/// It is not, or too few could be compared, or all answers are the same.
pub fn reach(engine: &dyn Engine, models: &[&str], excused: &[&str]) {
    for model in models.iter().map(|name| model(name)) {
        let (mut compared, mut asked) = ([0, 0], 0);
        for program in litmus() {
            let goals: Vec<Proposition> = program.condition.iter().map(ir::Condition::bad).collect();
            let question = Question::Reach(&goals);
            let mine = match ask(engine, &program, &model, question, WORK) {
                Err(NoAnswer::GaveUp(why)) if excused.iter().any(|word| why.contains(word)) => continue,
                answer => answer,
            };
            asked += 1;
            let judged = ask(judge(engine, &model), &program, &model, question, JUDGED);
            let (Ok(mine), Ok(judged)) = (mine, judged) else { continue };
            let (Some(found), Some(expected)) = (reached(&mine), reached(&judged)) else { panic!("asked for goals") };
            let bounded = !mine.guarantee.is_full();
            assert!(found == expected || (bounded && !found), "{} under {}\n{program}", engine.name(), model.name);
            compared[usize::from(found)] += u64::from(found == expected);
        }
        let [never, sometimes] = compared;
        assert!(asked * 3 >= LITMUS, "{}: excused from all but {asked} of {LITMUS}", model.name);
        assert!((never + sometimes) * 10 >= asked * 9, "{}: only {compared:?} of {asked}", model.name);
        assert!(sometimes > 0, "{}: nothing is ever reached", model.name);
    }
}

/// Whether the first goal is reached; nothing if something else was asked.
fn reached(answer: &Answer) -> Option<bool> {
    match &answer.findings {
        Findings::Reach(found) => found.first().map(Option::is_some),
        Findings::Proof(_) => Some(false),
        Findings::States(_) => None,
    }
}

/// Programs are safe or not as the judge says. An answer up to a bound may miss what the judge finds.
///
/// # Panics
/// They are not, or too few could be compared, or all answers are the same.
pub fn violations(engine: &dyn Engine, models: &[&str]) {
    let question = Question::Violation(PROPERTY);
    let (mut safe, mut found, mut missing) = (0, 0, 0);
    for name in models {
        let model = model(name);
        for program in programs() {
            let Ok(mine) = ask(engine, &program, &model, question, WORK) else {
                missing += 1;
                continue;
            };
            // Only models with store buffers have a judge; in others evidence is checked all the same.
            let judged = model.head.buffers.map(|_| ask(&Operational, &program, &model, question, JUDGED));
            let violated = reached(&mine) == Some(true);
            let complete = !mine.guarantee.is_limited();
            if let Some(Ok(judged)) = judged {
                let right = match reached(&judged) == Some(true) {
                    true => violated || !complete,
                    false => !violated || !judged.guarantee.is_full(),
                };
                assert!(
                    right,
                    "{} under {name}: {}\n{program}",
                    engine.name(),
                    if violated { "UNSAFE" } else { "SAFE" }
                );
            }
            if violated { found += 1 } else { safe += 1 }
        }
    }
    let asked = PROGRAMS * models.len() as u64;
    assert!(safe * 10 >= asked && found * 10 >= asked, "{safe} safe, {found} not, {missing} without answer of {asked}");
}

/// Bad states of systems are reached as the machine with store buffers reaches them, proofs hold, and runs are replayed.
/// `FENCEPOST_SYSTEMS` and `FENCEPOST_SEED` say how many systems, and which.
///
/// # Panics
/// They are not, or all answers are the same, or too many are false alarms.
pub fn systems(engine: &dyn Engine, models: &[&str]) {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let (count, seed) =
        (number("FENCEPOST_SYSTEMS").unwrap_or(SYSTEMS), number("FENCEPOST_SEED").unwrap_or(0x5EED_0007));
    for name in models {
        let compared = compare_systems(engine, &model(name), seed, count as usize);
        let Compared { safe, unsafe_, alarms } = compared;
        assert!(safe > 0 && unsafe_ > 0 && alarms * 3 <= count as usize, "{name}: {compared:?}");
        assert!((safe + unsafe_ + alarms) * 10 >= count as usize * 9, "{name}: of {count} only {compared:?}");
    }
}
