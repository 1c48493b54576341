//! Random C programs: the partial-order engine, both ways of ordering events, and the search over store buffers say the
//! same, what fails under a model fails under weaker ones, and all evidence holds.
//!
//! `FENCEPOST_FUZZ=5000` tries more programs than the usual few; `cargo xtask fuzz --c N` does the same faster.

use engine::{Property, SECOND, Verdict};
use ir::Program;
use model::Model;
use session::{Failure, Reading, Request};
use source::SourceFile;
use testkit::c::{Answer, Complaint, Config, Tally, Way, agree, can_deadlock, endless, generate, shrink};
use testkit::{Budget, Rng};

const MODELS: [&str; 6] = ["sc", "tso", "pso", "rmo", "alpha", "power-frame"];

/// How many programs are tried if nobody says otherwise.
const PROGRAMS: u64 = 150;

/// What an engine may spend on one of them, and how often a program is made smaller before it is shown.
const WORK: u64 = 5 * SECOND;
const SMALLER: usize = 300;

fn ask(program: &Program, model: &str, property: Property, way: Way, unwind: u32) -> Result<Answer, (String, String)> {
    if way == Way::Coherence && property == Property::Deadlock {
        return Ok(Answer::Unknown("deadlocks".to_owned()));
    }
    let (engine, own) = way.engine(unwind);
    let model = Model::builtin(model).expect("a model of ours");
    let mut request = Request { property, ..Request::of(engine, own).expect("options that the engine has") };
    request.options.unwind = unwind;
    match session::check(program, &model, &request, &Budget::units(WORK)) {
        Ok(found) => Ok(match found.result {
            Verdict::Unsafe(_) => Answer::Unsafe,
            Verdict::Safe(guarantee) => Answer::Safe { full: guarantee.is_full() },
            Verdict::Unknown(reason) => Answer::Unknown(reason.to_string()),
        }),
        Err(Failure::Refused(reason, _)) => Ok(Answer::Unknown(reason)),
        Err(failure) => Err((format!("{engine} fails"), failure.to_string())),
    }
}

fn judge(text: &str) -> (Tally, Option<Complaint>) {
    let program = match session::load(&SourceFile::new("random.c", text), &Reading::default()) {
        Ok(program) => program,
        Err(failure) => {
            let model = "no model".to_owned();
            let complaint = Complaint { kind: "refused".to_owned(), model, what: failure.to_string() };
            return (Tally::default(), Some(complaint));
        }
    };
    let mut properties = vec![Property::Assertions { memory: true }];
    if can_deadlock(text) {
        properties.push(Property::Deadlock);
    }
    let mut sum = Tally::default();
    for property in properties {
        let mut ask = |model: &str, way, unwind| ask(&program, model, property, way, unwind);
        let (tally, complaint) = agree(&MODELS, text, &mut ask);
        sum += tally;
        if complaint.is_some() {
            return (sum, complaint);
        }
    }
    (sum, None)
}

/// The smallest program about which there is the same kind of complaint.
fn smallest(mut text: String, mut complaint: Complaint) -> (String, Complaint) {
    let mut tried = 0;
    'again: while complaint.kind != "refused" {
        for variant in shrink(&text) {
            tried += 1;
            if tried > SMALLER {
                break;
            }
            if let Some(found) = judge(&variant).1.filter(|found| found.kind == complaint.kind) {
                (text, complaint) = (variant, found);
                continue 'again;
            }
        }
        break;
    }
    (text, complaint)
}

/// How many programs without an end are tried.
const ENDLESS: u64 = 25;

#[test]
fn engines_agree_about_programs_that_never_end() {
    let mut sum = Tally::default();
    for seed in 0..ENDLESS {
        let text = endless(&mut Rng::new(seed));
        let program = session::load(&SourceFile::new("endless.c", &*text), &Reading::default());
        let program = program.unwrap_or_else(|failure| panic!("{failure}\n{text}"));
        // Each iteration has more states than other programs have in all.
        let bound = |way, bound| if way == Way::Buffers { bound / 6 } else { bound };
        let property = Property::Assertions { memory: true };
        let mut ask = |model: &str, way, unwind| ask(&program, model, property, way, bound(way, unwind));
        let (tally, complaint) = agree(&["sc", "tso", "pso"], &text, &mut ask);
        if let Some(complaint) = complaint {
            panic!("seed {seed}, {} under {}: {}\n{text}", complaint.kind, complaint.model, complaint.what);
        }
        sum += tally;
    }
    println!("{ENDLESS} programs: {sum:?}");
    assert!(sum.abstracted >= ENDLESS * 6, "only {} answers from abstract buffers", sum.abstracted);
    let unsafe_percent = sum.unsafe_models * 100 / sum.asked;
    assert!((10..=90).contains(&unsafe_percent), "{unsafe_percent} % of the verdicts are UNSAFE");
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
        sum += tally;
    }
    println!("{programs} programs: {sum:?}");
    assert!(sum.judged >= programs * 3 * 9 / 10, "only {} of {} were judged", sum.judged, programs * 3);
    assert!(sum.unknown <= programs / 5, "{} times there was no answer", sum.unknown);
    let unsafe_percent = sum.unsafe_models * 100 / sum.asked;
    assert!((20..=70).contains(&unsafe_percent), "{unsafe_percent} % of the verdicts are UNSAFE");
}
