//! The engine `predicate` against the engines that enumerate: random C programs, and what each of them says about them.
//!
//! `cargo xtask fuzz --predicate N` tries more programs than these few.

use engine::{Guarantee, Keep, NoAnswer, Observer, Options, Verdict};
use ir::Program;
use model::Model;
use session::{Failure, Reading, Request};
use source::SourceFile;
use std::time::{Duration, Instant};
use testkit::Rng;
use testkit::c::{Config, generate, shrink};

/// How many programs are tried.
const PROGRAMS: u64 = 60;

/// Stops an engine that takes too long; that is no disagreement.
struct Watch(Instant);

impl Observer for Watch {
    fn stop(&self) -> Option<NoAnswer> {
        let limit = Duration::from_secs(1);
        (self.0.elapsed() > limit).then_some(NoAnswer::TimedOut(limit))
    }

    fn phase(&self, _name: &str, _detail: &str) {}
}

/// How the engine is asked: how many writes it keeps, and which.
type How = (Option<u32>, Option<Keep>);

const WAYS: [How; 7] = [
    (None, None),
    (Some(0), Some(Keep::Oldest)),
    (Some(1), Some(Keep::Oldest)),
    (Some(3), Some(Keep::Oldest)),
    (None, Some(Keep::Newest)),
    (Some(0), Some(Keep::Newest)),
    (Some(1), Some(Keep::Newest)),
];

fn ask(program: &Program, model: &str, engine: &str, (k, keep): How) -> Result<Verdict, String> {
    let model = Model::builtin(model).expect("a model of ours");
    let options = Options { unwind: 12, k, keep, ..Options::default() };
    let request = Request { engine: Some(engine.to_owned()), options, ..Request::default() };
    match session::check(program, &model, &request, &Watch(Instant::now())) {
        Ok(found) => Ok(found.result),
        Err(Failure::Refused(reason, _)) => Ok(Verdict::Unknown(NoAnswer::GaveUp(reason))),
        Err(failure) => Err(format!("{engine} fails: {failure}")),
    }
}

/// How many answers were compared, those that were UNSAFE, and a disagreement.
#[derive(Debug, Default)]
struct Compared {
    answers: u64,
    wrong: u64,
    disagreement: Option<String>,
}

/// Compares in the first way and in one more.
fn compare(text: &str, seed: u64) -> Compared {
    let mut sum = Compared::default();
    let Ok(program) = session::load(&SourceFile::new("random.c", text), &Reading::default()) else { return sum };
    for model in ["sc", "tso", "pso"] {
        let mut judges: Option<Vec<Verdict>> = None;
        for how in [WAYS[0], WAYS[1 + seed as usize % (WAYS.len() - 1)]] {
            let verdict = match ask(&program, model, "predicate", how) {
                Ok(Verdict::Unknown(_)) => continue,
                Ok(verdict) => verdict,
                Err(what) => {
                    sum.disagreement = Some(format!("{model}: {what}"));
                    return sum;
                }
            };
            let ask = |engine| ask(&program, model, engine, (None, None)).expect("the judges do not fail");
            let judges = judges.get_or_insert_with(|| ["coherence", "buffers"].map(ask).to_vec());
            sum.answers += 1;
            for judge in judges {
                let agree = match (&verdict, &*judge) {
                    (_, Verdict::Unknown(_)) => true,
                    (Verdict::Unsafe(_), Verdict::Safe(guarantee)) => *guarantee != Guarantee::Full,
                    (Verdict::Safe(_), Verdict::Unsafe(_)) => false,
                    (Verdict::Unsafe(_), Verdict::Unsafe(_)) => {
                        sum.wrong += 1;
                        true
                    }
                    (Verdict::Safe(_), Verdict::Safe(_)) | (Verdict::Unknown(_), _) => true,
                };
                if !agree {
                    sum.disagreement = Some(format!("{model}, {how:?}: predicate {verdict}, a judge {judge}"));
                    return sum;
                }
            }
        }
    }
    sum
}

#[test]
fn predicates_agree_with_enumeration() {
    let programs = PROGRAMS;
    let mut sum = Compared::default();
    for seed in 0..programs {
        let mut text = generate(&mut Rng::new(seed), &Config::default());
        let mut found = compare(&text, seed);
        sum.answers += found.answers;
        sum.wrong += found.wrong;
        let until = Instant::now() + Duration::from_secs(60);
        while found.disagreement.is_some() {
            let smaller = shrink(&text).take_while(|_| Instant::now() < until);
            let smaller =
                smaller.map(|text| (compare(&text, seed), text)).find(|(found, _)| found.disagreement.is_some());
            let Some((next, shorter)) = smaller else { panic!("seed {seed}: {:?}\n{text}", found.disagreement) };
            (found, text) = (next, shorter);
        }
    }
    println!("{programs} programs, {} answers, {} times both say UNSAFE", sum.answers, sum.wrong);
    assert!(sum.answers >= programs, "only {} answers about {programs} programs", sum.answers);
    assert!(sum.wrong >= programs / 2, "only {} times both say UNSAFE", sum.wrong);
}
