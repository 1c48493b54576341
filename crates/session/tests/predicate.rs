//! The engine `predicate` against the engines that enumerate: random C programs, and what each of them says about them.
//!
//! `cargo xtask fuzz --predicate N` tries more programs than these few.

use engine::{NoAnswer, SECOND, Verdict};
use ir::Program;
use model::Model;
use session::{Failure, Reading, Request};
use source::SourceFile;
use testkit::c::{Config, generate, shrink};
use testkit::{Budget, Rng};

/// How many programs are tried.
const PROGRAMS: u64 = 40;

/// How many smaller programs are tried before one is shown.
const SMALLER: usize = 100;

/// How the engine is asked: how many writes it keeps, and which.
type How<'a> = &'a [(&'a str, &'a str)];

const WAYS: [How<'_>; 7] = [
    &[],
    &[("k", "0"), ("keep", "oldest")],
    &[("k", "1"), ("keep", "oldest")],
    &[("k", "3"), ("keep", "oldest")],
    &[("keep", "newest")],
    &[("k", "0"), ("keep", "newest")],
    &[("k", "1"), ("keep", "newest")],
];

fn ask(program: &Program, model: &str, engine: &str, how: How<'_>) -> Result<Verdict, String> {
    let model = Model::builtin(model).expect("a model of ours");
    let mut request = Request::of(engine, how).expect("options that the engine has");
    request.options.unwind = 12;
    match session::check(program, &model, &request, &Budget::units(SECOND)) {
        Ok(found) => Ok(found.result),
        Err(Failure::Refused(reason, _)) => Ok(Verdict::Unknown(NoAnswer::GaveUp(reason))),
        Err(failure) => Err(format!("{engine} fails: {failure}")),
    }
}

/// How many answers there were and how many of them a judge had an answer to as well, those that were UNSAFE, and a
/// disagreement.
#[derive(Debug, Default)]
struct Compared {
    answers: u64,
    judged: u64,
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
            let ask = |engine| ask(&program, model, engine, &[]).expect("the judges do not fail");
            let judges = judges.get_or_insert_with(|| ["coherence", "buffers"].map(ask).to_vec());
            sum.answers += 1;
            sum.judged += u64::from(judges.iter().any(|judge| !matches!(judge, Verdict::Unknown(_))));
            for judge in judges {
                let agree = match (&verdict, &*judge) {
                    (_, Verdict::Unknown(_)) => true,
                    (Verdict::Unsafe(_), Verdict::Safe(guarantee)) => !guarantee.is_full(),
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
        sum.judged += found.judged;
        sum.wrong += found.wrong;
        while found.disagreement.is_some() {
            let smaller = shrink(&text).take(SMALLER);
            let smaller =
                smaller.map(|text| (compare(&text, seed), text)).find(|(found, _)| found.disagreement.is_some());
            let Some((next, shorter)) = smaller else { panic!("seed {seed}: {:?}\n{text}", found.disagreement) };
            (found, text) = (next, shorter);
        }
    }
    println!("{programs} programs, {} answers, {} times both say UNSAFE", sum.answers, sum.wrong);
    assert!(sum.answers >= programs, "only {} answers about {programs} programs", sum.answers);
    assert!(sum.judged * 10 >= sum.answers * 9, "only {} of {} answers were judged", sum.judged, sum.answers);
    assert!(sum.wrong >= programs / 2, "only {} times both say UNSAFE", sum.wrong);
}

/// A thread reads its own newest write, whichever part of the buffer that and the older one are in.
#[test]
fn threads_read_their_own_newest_writes() {
    let text = "typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
void assert(int);
int x, y;
static void *writes(void *arg) { x = 1; y = 1; x = 2; assert(x == 2); return arg; }
static void *reads(void *arg) { int seen = x; y = seen; return arg; }
int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, writes, 0);
    pthread_create(&other, 0, reads, 0);
    return 0;
}
";
    let file = SourceFile::new("own.c", text);
    let program = session::load(&file, &Reading::default()).expect("it is a program");
    for model in ["tso", "pso"] {
        for how in ["0", "1", "2"].into_iter().flat_map(|k| ["oldest", "newest"].map(|keep| [("k", k), ("keep", keep)]))
        {
            let verdict = ask(&program, model, "predicate", &how).expect("the engine does not fail");
            assert_eq!(verdict.to_string(), "SAFE", "{model}, {how:?}");
        }
    }
}
