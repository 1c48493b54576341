//! Random C programs: the static analysis with the engines behind it, watchpoints everywhere, the search over states and C11's happens-before
//! say the same about data races.

use engine::{Property, SECOND, Verdict};
use ir::Program;
use model::{Model, NoInclude};
use session::{Failure, Reading, Request};
use source::SourceFile;
use testkit::c::{Config, generate};
use testkit::{Budget, Rng};

/// How many programs are tried if nobody says otherwise.
const PROGRAMS: u64 = 60;

/// What an engine may spend on one of them.
const WORK: u64 = 3 * SECOND;

/// Whether two accesses race, if that is known for all executions.
fn races(program: &Program, model: &Model, engine: Option<&str>) -> Result<Option<bool>, String> {
    let mut request = Request { property: Property::Race, ..Request::default() };
    request.engine = engine.map(str::to_owned);
    request.options.unwind = 4;
    match session::check(program, model, &request, &Budget::units(WORK)) {
        Ok(found) => Ok(match found.result {
            Verdict::Unsafe(_) => Some(true),
            Verdict::Safe(guarantee) => guarantee.is_full().then_some(false),
            Verdict::Unknown(_) => None,
        }),
        Err(Failure::Refused(..)) => Ok(None),
        Err(failure) => Err(failure.to_string()),
    }
}

#[test]
fn all_ways_agree_about_races() {
    let wanted = std::env::var("FENCEPOST_FUZZ").ok().and_then(|number| number.parse().ok());
    let programs: u64 = wanted.unwrap_or(PROGRAMS);
    let sc = Model::builtin("sc").expect("a model of ours");
    let file = SourceFile::new("ordering.cat", "\"SC\"\ninclude \"sc-race.cat\"\n");
    let ordering = Model::load("ordering", &file, &NoInclude).expect("a model of ours");
    let (mut racy, mut free, mut compared) = (0u64, 0u64, 0u64);
    for seed in 0..programs {
        let text = generate(&mut Rng::new(seed), &Config { rare: false, ..Config::default() });
        let program = session::load(&SourceFile::new("random.c", &*text), &Reading::default());
        let program = program.unwrap_or_else(|failure| panic!("{failure}\n{text}"));
        let ask = |model, engine| {
            races(&program, model, engine).unwrap_or_else(|failure| panic!("seed {seed}: {failure}\n{text}"))
        };
        let Some(answer) = ask(&sc, None) else { continue };
        *(if answer { &mut racy } else { &mut free }) += 1;
        for (name, other) in [
            ("watchpoints everywhere", ask(&sc, Some("partial-order"))),
            ("the search over states", ask(&sc, Some("buffers"))),
            ("happens-before", ask(&ordering, Some("partial-order"))),
        ] {
            compared += u64::from(other.is_some());
            assert!(other.is_none_or(|other| other == answer), "seed {seed}: {name}: {other:?}, not {answer}\n{text}");
        }
    }
    println!("{programs} programs: {racy} with a race, {free} without, {compared} comparisons");
    assert!(racy * 5 >= programs && free * 40 >= programs, "{racy} with a race, {free} without");
    assert!(compared * 2 >= programs * 3, "only {compared} comparisons");
}
