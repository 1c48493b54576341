//! Random programs that wait for each other: `--property progress` says what a search over all states of a small machine says, which shares
//! nothing with the engines.
//!
//! A program hangs if a state can be reached in which all writes are in memory, and each thread has ended or, left alone, comes back to where
//! it is without having written anything.

use engine::{Property, SECOND, Verdict};
use front_c::{Checks, Options};
use model::Model;
use session::{Failure, Reading, Request};
use source::SourceFile;
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;
use testkit::{Budget, Rng};

/// How many programs are tried if nobody says otherwise.
const PROGRAMS: u64 = 120;

/// What an engine may spend on one of them.
const WORK: u64 = 2 * SECOND;

const NAMES: [&str; 3] = ["x", "y", "z"];

/// A step of a thread. `acc` is its one local.
#[derive(Debug, Clone, Copy)]
enum Step {
    Store(usize, u8),
    /// `acc` takes the value of a location.
    Load(usize),
    /// Goes elsewhere unless `acc` has this value.
    Unless(u8, usize),
    /// Goes elsewhere if `acc` has this value.
    If(u8, usize),
    /// Goes elsewhere.
    Jump(usize),
    /// If the location has the first value it gets the second one; `acc` says whether.
    Swap(usize, u8, u8),
    Add(usize),
    Lock,
    Unlock,
}

/// A thread: its steps, and the same as C.
#[derive(Debug, Clone, Default)]
struct Thread {
    steps: Vec<Step>,
    text: String,
}

impl Thread {
    fn statement(&mut self, rng: &mut Rng, depth: usize) {
        let (at, value) = (rng.below(NAMES.len()), rng.below(3) as u8);
        let (name, here) = (NAMES[at], self.steps.len());
        let load = |name: &str| format!("__atomic_load_n(&{name}, __ATOMIC_RELAXED)");
        match rng.below(if depth == 0 { 9 } else { 5 }) {
            0..3 => {
                self.steps.push(Step::Store(at, value));
                self.line(&format!("__atomic_store_n(&{name}, {value}, __ATOMIC_RELAXED);"));
            }
            3 => {
                self.steps.push(Step::Add(at));
                self.line(&format!("__atomic_fetch_add(&{name}, 1, __ATOMIC_RELAXED);"));
            }
            4 => {
                self.steps.extend([Step::Load(at), Step::Unless(value, here)]);
                self.line(&format!("while ({} != {value})\n        ;", load(name)));
            }
            5 => {
                let (other, next) = (rng.below(NAMES.len()), rng.below(3) as u8);
                self.steps.extend([
                    Step::Load(at),
                    Step::If(value, here + 4),
                    Step::Load(other),
                    Step::Unless(next, here),
                ]);
                self.line(&format!("while ({} != {value} && {} != {next})\n        ;", load(name), load(NAMES[other])));
            }
            6 => {
                let next = rng.below(3) as u8;
                self.steps.extend([Step::Swap(at, value, next), Step::Unless(1, here)]);
                self.line(&format!(
                    "do\n        expected = {value};\n    while (!__atomic_compare_exchange_n(&{name}, &expected, {next}, 0, \
                     __ATOMIC_RELAXED, __ATOMIC_RELAXED));"
                ));
            }
            7 => {
                self.steps.extend([Step::Load(at), Step::Jump(0)]);
                self.line(&format!("if ({} == {value}) {{", load(name)));
                self.statement(rng, depth + 1);
                self.line("}");
                let end = self.steps.len();
                self.steps[here + 1] = Step::Unless(value, end);
            }
            _ => {
                self.steps.push(Step::Lock);
                self.line("pthread_mutex_lock(&m);");
                self.statement(rng, depth + 1);
                self.steps.push(Step::Unlock);
                self.line("pthread_mutex_unlock(&m);");
            }
        }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "    {text}");
    }
}

fn random(rng: &mut Rng) -> Vec<Thread> {
    let threads = 2 + usize::from(rng.chance(25));
    let thread = |rng: &mut Rng| {
        let mut thread = Thread::default();
        for _ in 0..1 + rng.below(if threads == 2 { 4 } else { 3 }) {
            thread.statement(rng, 0);
        }
        thread
    };
    (0..threads).map(|_| thread(rng)).collect()
}

fn text(threads: &[Thread]) -> String {
    let mut text = "typedef unsigned long pthread_t;\n\
         int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n\
         int pthread_join(pthread_t, void **);\n\
         typedef union { char size[40]; long align; } pthread_mutex_t;\n\
         int pthread_mutex_lock(pthread_mutex_t *);\nint pthread_mutex_unlock(pthread_mutex_t *);\n\
         pthread_mutex_t m;\nint x, y, z;\n"
        .to_owned();
    for (at, thread) in threads.iter().enumerate() {
        let body = thread.text.replace("__ATOMIC_RELAXED", "0");
        let _ = write!(text, "void *t{at}(void *unused) {{\n    int expected = 0;\n{body}    return 0;\n}}\n");
    }
    let each = |line: &dyn Fn(usize) -> String| (0..threads.len()).map(line).collect::<String>();
    let starts = each(&|at| format!("    pthread_create(&h{at}, 0, t{at}, 0);\n"));
    let joins = each(&|at| format!("    pthread_join(h{at}, 0);\n"));
    let handles = each(&|at| format!("    pthread_t h{at};\n"));
    let _ = write!(text, "int main(void) {{\n{handles}{starts}{joins}    return 0;\n}}\n");
    text
}

/// Where a thread is, with its local and its store buffer.
type Standing = (usize, u8, VecDeque<(usize, u8)>);

/// A state: the threads, memory, and whether the mutex is taken.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    threads: Vec<Standing>,
    memory: [u8; 3],
    taken: bool,
}

/// What becomes of a thread that takes its next step.
enum Next {
    Ended,
    Blocked,
    /// It has changed nothing but itself.
    Silent(State),
    Writes(State),
}

impl State {
    fn step(&self, at: usize, steps: &[Step], delays: bool) -> Next {
        let (place, acc, buffer) = &self.threads[at];
        let Some(step) = steps.get(*place) else { return Next::Ended };
        let mut next = self.clone();
        next.threads[at].0 = place + 1;
        let seen = |cell: usize| {
            buffer.iter().rev().find(|(own, _)| *own == cell).map_or(self.memory[cell], |(_, value)| *value)
        };
        let waits = matches!(step, Step::Swap(..) | Step::Add(_) | Step::Lock | Step::Unlock) && !buffer.is_empty();
        match *step {
            _ if waits => return Next::Blocked,
            Step::Lock if self.taken => return Next::Blocked,
            Step::Store(cell, value) if delays => next.threads[at].2.push_back((cell, value)),
            Step::Store(cell, value) => next.memory[cell] = value,
            Step::Load(cell) => {
                next.threads[at].1 = seen(cell);
                return Next::Silent(next);
            }
            Step::Unless(value, to) | Step::If(value, to) => {
                let goes = matches!(step, Step::If(..)) == (*acc == value);
                if goes {
                    next.threads[at].0 = to;
                }
                next.threads[at].1 = 0;
                return Next::Silent(next);
            }
            Step::Jump(to) => {
                next.threads[at].0 = to;
                return Next::Silent(next);
            }
            Step::Swap(cell, old, new) => {
                next.threads[at].1 = u8::from(self.memory[cell] == old);
                if self.memory[cell] != old {
                    return Next::Silent(next);
                }
                next.memory[cell] = new;
            }
            Step::Add(cell) => next.memory[cell] += 1,
            Step::Lock => next.taken = true,
            Step::Unlock => next.taken = false,
        }
        Next::Writes(next)
    }

    /// Whether a thread has ended, or waits for ever if nobody else moves.
    fn rests(&self, at: usize, steps: &[Step]) -> bool {
        let mut seen = BTreeSet::new();
        let mut state = self.clone();
        while seen.insert(state.clone()) {
            match state.step(at, steps, false) {
                Next::Ended => return seen.len() == 1,
                Next::Blocked => return true,
                Next::Silent(next) => state = next,
                Next::Writes(_) => return false,
            }
        }
        true
    }
}

/// Whether the program can hang, on a machine without or with store buffers.
fn hangs(threads: &[Thread], delays: bool) -> bool {
    let first = State { threads: vec![(0, 0, VecDeque::new()); threads.len()], memory: [0; 3], taken: false };
    let mut seen = BTreeSet::from([first.clone()]);
    let mut work = vec![first];
    while let Some(state) = work.pop() {
        let landed = state.threads.iter().all(|(.., buffer)| buffer.is_empty());
        let all = |test: &dyn Fn(usize) -> bool| (0..threads.len()).all(test);
        let ended = all(&|at| state.threads[at].0 >= threads[at].steps.len());
        if landed && !ended && all(&|at| state.rests(at, &threads[at].steps)) {
            return true;
        }
        for (at, thread) in threads.iter().enumerate() {
            let mut more = Vec::new();
            match state.step(at, &thread.steps, delays) {
                Next::Ended | Next::Blocked => {}
                Next::Silent(next) | Next::Writes(next) => more.push(next),
            }
            let mut landing = state.clone();
            if let Some((cell, value)) = landing.threads[at].2.pop_front() {
                landing.memory[cell] = value;
                more.push(landing);
            }
            work.extend(more.into_iter().filter(|next| seen.insert(next.clone())));
        }
    }
    false
}

/// Whether a thread can wait for ever, if that is known for all executions.
fn asked(text: &str, model: &str) -> Result<Option<bool>, Failure> {
    let c = Options { checks: Checks { fair: true, ..Checks::default() }, ..Options::default() };
    let program = session::load(&SourceFile::new("random.c", text), &Reading { c, ..Reading::default() })?;
    let mut request = Request { property: Property::Progress, ..Request::default() };
    request.options.unwind = 4;
    let found =
        session::check(&program, &Model::builtin(model).expect("a model of ours"), &request, &Budget::units(WORK))?;
    Ok(match found.result {
        Verdict::Unsafe(_) => Some(true),
        Verdict::Safe(guarantee) => guarantee.is_full().then_some(false),
        Verdict::Unknown(_) => None,
    })
}

#[test]
fn who_waits_for_ever_is_found_as_by_a_search_over_states() {
    let wanted = std::env::var("FENCEPOST_FUZZ").ok().and_then(|number| number.parse().ok());
    let programs: u64 = wanted.unwrap_or(PROGRAMS);
    let (mut hanging, mut ending, mut delayed) = (0u64, 0u64, 0u64);
    for seed in 0..programs {
        let threads = random(&mut Rng::new(seed));
        let text = text(&threads);
        let ask = |model: &str| asked(&text, model).unwrap_or_else(|failure| panic!("seed {seed}: {failure}\n{text}"));
        let judged = [hangs(&threads, false), hangs(&threads, true)];
        for (model, judged) in ["sc", "tso"].into_iter().zip(judged) {
            let Some(said) = ask(model) else { continue };
            assert_eq!(said, judged, "seed {seed}, {model}: whether it hangs\n{text}");
            *(if said { &mut hanging } else { &mut ending }) += 1;
        }
        delayed += u64::from(judged[0] != judged[1]);
        if judged[0] {
            for model in ["rc11", "aarch64"] {
                assert_ne!(ask(model), Some(false), "seed {seed}: it hangs under sc, so it does under {model}\n{text}");
            }
        }
    }
    println!(
        "{programs} programs: {hanging} answers that it hangs, {ending} that it does not, {delayed} differ by buffers"
    );
    assert!(hanging * 5 >= programs && ending * 5 >= programs, "{hanging} hang, {ending} do not");
}
