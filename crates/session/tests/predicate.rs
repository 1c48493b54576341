//! The engine `predicate` against the engines that enumerate: random C programs, and what each of them says about them.
//!
//! `FENCEPOST_FUZZ=2000` tries more programs than the usual few.

use engine::{Guarantee, NoAnswer, Observer, Options, Verdict};
use ir::Program;
use model::Model;
use session::{Failure, Reading, Request};
use source::SourceFile;
use std::time::{Duration, Instant};
use testkit::Rng;
use testkit::c::{Config, generate, shrink};

/// How many programs are tried if nobody says otherwise.
const PROGRAMS: u64 = 150;

/// Stops an engine that takes too long; that is no disagreement.
struct Watch(Instant);

impl Observer for Watch {
    fn stop(&self) -> Option<NoAnswer> {
        let limit = Duration::from_secs(3);
        (self.0.elapsed() > limit).then_some(NoAnswer::TimedOut(limit))
    }

    fn phase(&self, _name: &str, _detail: &str) {}
}

fn ask(program: &Program, model: &str, engine: &str, k: Option<u32>) -> Result<Verdict, String> {
    let model = Model::builtin(model).expect("a model of ours");
    let options = Options { unwind: 12, k, ..Options::default() };
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

fn compare(text: &str) -> Compared {
    let mut sum = Compared::default();
    let Ok(program) = session::load(&SourceFile::new("random.c", text), &Reading::default()) else { return sum };
    for model in ["sc", "tso", "pso"] {
        let mut judges: Option<Vec<Verdict>> = None;
        for k in [None, Some(0), Some(1), Some(3)] {
            let verdict = match ask(&program, model, "predicate", k) {
                Ok(Verdict::Unknown(_)) => continue,
                Ok(verdict) => verdict,
                Err(what) => {
                    sum.disagreement = Some(format!("{model}: {what}"));
                    return sum;
                }
            };
            let ask = |engine| ask(&program, model, engine, None).expect("the judges do not fail");
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
                    sum.disagreement = Some(format!("{model}, k = {k:?}: predicate {verdict}, a judge {judge}"));
                    return sum;
                }
            }
        }
    }
    sum
}

#[test]
fn predicates_agree_with_enumeration() {
    let wanted = std::env::var("FENCEPOST_FUZZ").ok().and_then(|number| number.parse().ok());
    let programs: u64 = wanted.unwrap_or(PROGRAMS);
    let mut sum = Compared::default();
    for seed in 0..programs {
        let mut text = generate(&mut Rng::new(seed), &Config::default());
        let mut found = compare(&text);
        sum.answers += found.answers;
        sum.wrong += found.wrong;
        let until = Instant::now() + Duration::from_secs(60);
        while found.disagreement.is_some() {
            let smaller = shrink(&text).take_while(|_| Instant::now() < until);
            let smaller = smaller.map(|text| (compare(&text), text)).find(|(found, _)| found.disagreement.is_some());
            let Some((next, shorter)) = smaller else { panic!("seed {seed}: {:?}\n{text}", found.disagreement) };
            (found, text) = (next, shorter);
        }
    }
    println!("{programs} programs, {} answers, {} times both say UNSAFE", sum.answers, sum.wrong);
    assert!(sum.answers >= programs, "only {} answers about {programs} programs", sum.answers);
    assert!(sum.wrong >= programs / 2, "only {} times both say UNSAFE", sum.wrong);
}
