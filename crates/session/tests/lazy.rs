//! The lazy engine against the partial-order engine: on random C programs and random litmus tests, under SC, TSO and PSO.
//!
//! With the same bound on loops both know the same executions, if there are rounds enough. What the lazy engine calls safe
//! without bounds must be so, and what it calls safe up to bounds must turn unsafe with larger ones if it is unsafe.
//!
//! `FENCEPOST_FUZZ=1000` tries more programs than the usual few, and `FENCEPOST_SEED=5000` others.

use engine::{Guarantee, NoAnswer, SECOND, Verdict};
use ir::Program;
use model::Model;
use session::{Failure, Reading, Request};
use source::SourceFile;
use testkit::{Budget, Config, Rng, generate};

const MODELS: [&str; 3] = ["sc", "tso", "pso"];

/// How many C programs and how many litmus tests are tried.
const PROGRAMS: u64 = 25;
const TESTS: u64 = 100;

/// The same for the comparison of lists with queues.
const QUEUED_PROGRAMS: u64 = 3;
const QUEUED_TESTS: u64 = 60;

/// Bounds that are enough for small programs.
const LARGE: How<'_> = &[("rounds", "14"), ("clock", "12"), ("nodes", "7")];

/// Options of the engine, with their values.
type How<'a> = &'a [(&'a str, &'a str)];

fn ask(program: &Program, model: &str, engine: &str, how: How<'_>) -> Verdict {
    ask_for(20, program, model, engine, how)
}

fn ask_for(seconds: u64, program: &Program, model: &str, engine: &str, how: How<'_>) -> Verdict {
    let watch = Budget::units(seconds * SECOND);
    let model = Model::builtin(model).expect("a model of ours");
    let request = Request::of(engine, how).expect("options that the engine has");
    match session::check(program, &model, &request, &watch) {
        Ok(found) => found.result,
        Err(Failure::Refused(reason, _)) => Verdict::Unknown(NoAnswer::GaveUp(reason)),
        Err(failure) => panic!("{engine} under {}: {failure}\n{}", model.name, program.source.text()),
    }
}

/// The seeds to try: so many, unless somebody wants others.
fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let first = number("FENCEPOST_SEED").unwrap_or(0);
    first..first + number("FENCEPOST_FUZZ").unwrap_or(usual)
}

/// Litmus tests of the kind that the engine takes: it knows no reservations.
fn tests() -> Config {
    Config { reservations: false, ..Config::default() }
}

fn has_rounds(guarantee: &Guarantee) -> bool {
    guarantee.bound("rounds").is_some()
}

#[derive(Debug, Default)]
struct Tally {
    safe: u64,
    bounded: u64,
    unsafe_: u64,
    unknown: u64,
}

fn compare(program: &Program, tally: &mut Tally) {
    for model in MODELS {
        let (lazy, other) = (ask(program, model, "lazy", &[]), ask(program, model, "partial-order", &[]));
        let wrong = |what: &str| panic!("{what} under {model}: {lazy}, not {other}\n{}", program.source.text());
        match (&lazy, &other) {
            (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => tally.unknown += 1,
            (Verdict::Unsafe(_), Verdict::Unsafe(_)) => tally.unsafe_ += 1,
            (Verdict::Unsafe(_), Verdict::Safe(_)) => wrong("found what is not there"),
            (Verdict::Safe(mine), Verdict::Safe(_)) if has_rounds(mine) => tally.bounded += 1,
            (Verdict::Safe(mine), Verdict::Safe(guarantee)) => {
                if mine.is_full() && !guarantee.is_full() {
                    wrong("proved what is not");
                }
                tally.safe += 1;
            }
            (Verdict::Safe(mine), Verdict::Unsafe(_)) if !has_rounds(mine) => wrong("missed"),
            (Verdict::Safe(_), Verdict::Unsafe(_)) => match ask(program, model, "lazy", LARGE) {
                Verdict::Unsafe(_) => tally.unsafe_ += 1,
                Verdict::Unknown(_) => tally.unknown += 1,
                Verdict::Safe(_) => wrong("missed with large bounds"),
            },
        }
    }
}

#[test]
fn random_c_programs() {
    let mut tally = Tally::default();
    for seed in seeds(PROGRAMS) {
        let text = testkit::c::generate(&mut Rng::new(seed), &testkit::c::Config::default());
        let file = SourceFile::new("random.c", text);
        let program = session::load(&file, &Reading::default()).expect("random programs are supported");
        compare(&program, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.unsafe_ > PROGRAMS / 2 && tally.safe > PROGRAMS / 4, "{tally:?}");
    assert!(tally.unknown <= PROGRAMS / 4, "{tally:?}");
}

#[test]
fn random_litmus_tests() {
    let mut tally = Tally::default();
    for seed in seeds(TESTS) {
        compare(&generate(seed, &tests()), &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.unsafe_ > TESTS / 10 && tally.safe > TESTS / 10, "{tally:?}");
    // Under store buffers it refuses read-modify-writes that are no locked instructions.
    assert!(tally.unknown <= TESTS, "two of three were compared: {tally:?}");
}

/// Turns can end between two writes, and between two reads, that others notice.
#[test]
fn what_others_notice_is_not_one_step() {
    for condition in ["1:EAX=1 /\\ 1:EBX=0", "1:EAX=0 /\\ 1:EBX=1"] {
        let text = format!(
            "X86 between\n{{ x=0; y=0; }}\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[x] ;\n \
             MOV [y],$1 | MOV EBX,[y] ;\nexists ({condition})\n"
        );
        let program = session::load(&SourceFile::new("between.litmus", text), &Reading::default()).expect("a test");
        for model in MODELS {
            let verdict = ask(&program, model, "lazy", &[]);
            assert!(matches!(verdict, Verdict::Unsafe(_)), "{condition} under {model}: {verdict}");
        }
    }
}

/// The timed lists and the explicit queues know the same executions.
fn compare_memories(program: &Program, tally: &mut Tally) {
    for model in ["tso", "pso"] {
        let [timed, queues] =
            ["timed", "explicit"].map(|queues| ask_for(5, program, model, "lazy", &[("queues", queues)]));
        match (&timed, &queues) {
            (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => tally.unknown += 1,
            (Verdict::Unsafe(_), Verdict::Unsafe(_)) => tally.unsafe_ += 1,
            (Verdict::Safe(bounded), _) | (_, Verdict::Safe(bounded)) if has_rounds(bounded) => tally.bounded += 1,
            (Verdict::Safe(one), Verdict::Safe(other)) if one == other => tally.safe += 1,
            (Verdict::Safe(_) | Verdict::Unsafe(_), _) => {
                panic!("under {model}: {timed} with lists, {queues} with queues\n{}", program.source.text())
            }
        }
    }
}

#[test]
fn explicit_queues_on_litmus_tests() {
    let mut tally = Tally::default();
    for seed in 0..QUEUED_TESTS {
        compare_memories(&generate(seed, &tests()), &mut tally);
    }
    assert!(tally.unsafe_ > QUEUED_TESTS / 10 && tally.safe > QUEUED_TESTS / 10, "{tally:?}");
    assert!(tally.bounded <= QUEUED_TESTS / 10, "{tally:?}");
}

#[test]
fn explicit_queues_on_c_programs() {
    let mut tally = Tally::default();
    for seed in 0..QUEUED_PROGRAMS {
        let text = testkit::c::generate(&mut Rng::new(seed), &testkit::c::Config::default());
        let program = session::load(&SourceFile::new("random.c", text), &Reading::default()).expect("supported");
        compare_memories(&program, &mut tally);
    }
    assert!(tally.unsafe_ + tally.safe >= QUEUED_PROGRAMS, "{tally:?}");
}
