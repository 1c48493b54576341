//! Random C programs: the partial-order engine, both ways of ordering events, and the search over store buffers say the
//! same, what fails under a model fails under weaker ones, and all evidence holds.
//!
//! `FENCEPOST_FUZZ=5000` tries more programs than the usual few; `cargo xtask fuzz --c N` does the same faster.

use engine::{Guarantee, NoAnswer, Observer, Options, Order, Verdict};
use ir::Program;
use model::Model;
use session::{Failure, Reading, Request};
use source::SourceFile;
use std::time::{Duration, Instant};
use testkit::Rng;
use testkit::c::{Answer, Complaint, Config, Tally, Way, agree, generate, shrink};

const MODELS: [&str; 6] = ["sc", "tso", "pso", "rmo", "alpha", "power"];

/// How many programs are tried if nobody says otherwise.
const PROGRAMS: u64 = 150;

/// Stops an engine that takes too long; that is no disagreement, but it is counted.
struct Watch(Instant);

impl Observer for Watch {
    fn stop(&self) -> Option<NoAnswer> {
        let limit = Duration::from_secs(20);
        (self.0.elapsed() > limit).then_some(NoAnswer::TimedOut(limit))
    }

    fn phase(&self, _name: &str, _detail: &str) {}
}

fn ask(program: &Program, model: &str, way: Way, unwind: u32) -> Result<Answer, (String, String)> {
    let (engine, order) = match way {
        Way::Theory => ("partial-order", Order::Theory),
        Way::Clocks => ("partial-order", Order::Clocks),
        Way::Buffers => ("buffers", Order::Theory),
    };
    let model = Model::builtin(model).expect("a model of ours");
    let options = Options { unwind, order, ..Options::default() };
    let request = Request { engine: Some(engine.to_owned()), options, ..Request::default() };
    match session::check(program, &model, &request, &Watch(Instant::now())) {
        Ok(found) => Ok(match found.result {
            Verdict::Unsafe(_) => Answer::Unsafe,
            Verdict::Safe(guarantee) => Answer::Safe { full: guarantee == Guarantee::Full },
            Verdict::Unknown(reason) => Answer::Unknown(reason.to_string()),
        }),
        Err(Failure::Refused(reason, _)) => Ok(Answer::Unknown(reason)),
        Err(failure) => Err((format!("{engine} fails"), failure.to_string())),
    }
}

fn judge(text: &str) -> (Tally, Option<Complaint>) {
    match session::load(&SourceFile::new("random.c", text), &Reading::default()) {
        Ok(program) => agree(&MODELS, text, &mut |model, way, unwind| ask(&program, model, way, unwind)),
        Err(failure) => {
            let model = "no model".to_owned();
            let complaint = Complaint { kind: "refused".to_owned(), model, what: failure.to_string() };
            (Tally::default(), Some(complaint))
        }
    }
}

/// The smallest program about which there is the same kind of complaint.
fn smallest(mut text: String, mut complaint: Complaint) -> (String, Complaint) {
    let until = Instant::now() + Duration::from_secs(120);
    'again: while complaint.kind != "refused" {
        for variant in shrink(&text).take_while(|_| Instant::now() < until) {
            if let Some(found) = judge(&variant).1.filter(|found| found.kind == complaint.kind) {
                (text, complaint) = (variant, found);
                continue 'again;
            }
        }
        break;
    }
    (text, complaint)
}

#[test]
fn engines_agree_about_random_c_programs() {
    let wanted = std::env::var("FENCEPOST_FUZZ").ok().and_then(|number| number.parse().ok());
    let programs: u64 = wanted.unwrap_or(PROGRAMS);
    let mut sum = Tally::default();
    for seed in 0..programs {
        let text = generate(&mut Rng::new(seed), &Config::default());
        let (tally, complaint) = judge(&text);
        if let Some(complaint) = complaint {
            let (text, complaint) = smallest(text, complaint);
            panic!("seed {seed}, {} under {}: {}\n{text}", complaint.kind, complaint.model, complaint.what);
        }
        sum.compared += tally.compared;
        sum.judged += tally.judged;
        sum.unsafe_models += tally.unsafe_models;
        sum.unknown += tally.unknown;
    }
    println!("{programs} programs: {sum:?}");
    let verdicts = programs * MODELS.len() as u64;
    assert!(sum.judged >= programs * 3 * 9 / 10, "only {} of {} were judged", sum.judged, programs * 3);
    assert!(sum.unknown <= programs / 5, "{} times there was no answer", sum.unknown);
    let unsafe_percent = sum.unsafe_models * 100 / verdicts;
    assert!((20..=70).contains(&unsafe_percent), "{unsafe_percent} % of the verdicts are UNSAFE");
}
