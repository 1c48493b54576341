//! What it means that engines and models agree about a program.
//!
//! * Under models with a reading as store buffers, the explicit search over buffers is the judge of the partial-order
//!   engine; under all models the two ways of ordering events must say the same.
//! * What fails under a model fails under weaker ones.
//!
//! Engines count iterations in different ways: the search counts every jump back, the formula leaves out those that
//! constants decide and those that change nothing. So the search gets a larger bound, and an answer that is only good up
//! to its bound is asked for again with a larger one before it counts against another.

/// A way to an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The partial-order engine with its ordering theory.
    Theory,
    /// The partial-order engine with clocks.
    Clocks,
    /// The explicit search over store buffers.
    Buffers,
    /// The search over abstract store buffers. Instead of a bound it gets the number of an abstraction, 0 for the automatic
    /// choice.
    Coherence,
}

impl Way {
    /// The engine, with its own options; for `coherence`, those of the abstraction of this number.
    pub fn engine(self, bound: u32) -> (&'static str, &'static [(&'static str, &'static str)]) {
        match (self, bound) {
            (Way::Theory, _) => ("partial-order", &[]),
            (Way::Clocks, _) => ("partial-order", &[("order", "clocks")]),
            (Way::Buffers, _) => ("buffers", &[]),
            (Way::Coherence, 1) => ("coherence", &[("abstraction", "set")]),
            (Way::Coherence, 2) => ("coherence", &[("abstraction", "pd"), ("k", "0")]),
            (Way::Coherence, 3) => ("coherence", &[("abstraction", "fd"), ("k", "0")]),
            (Way::Coherence, 4) => ("coherence", &[("abstraction", "pd"), ("k", "1")]),
            (Way::Coherence, _) => ("coherence", &[]),
        }
    }
}

/// How many abstractions are tried.
const ABSTRACTIONS: u32 = 5;

/// What an engine says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// An assertion can fail.
    Unsafe,
    /// None can: in no execution, or in none up to the bound.
    Safe {
        /// Whether all executions were covered.
        full: bool,
    },
    /// Nothing, and why.
    Unknown(String),
}

/// What was compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Models under which the question was asked.
    pub asked: u64,
    /// Pairs of answers that were compared.
    pub compared: u64,
    /// Answers of the judge that were compared with another one.
    pub judged: u64,
    /// Answers from abstract buffers that were compared with another one.
    pub abstracted: u64,
    /// Models under which the program is unsafe.
    pub unsafe_models: u64,
    /// Engines that had no answer.
    pub unknown: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.asked += other.asked;
        self.compared += other.compared;
        self.judged += other.judged;
        self.abstracted += other.abstracted;
        self.unsafe_models += other.unsafe_models;
        self.unknown += other.unknown;
    }
}

/// A disagreement, or an engine that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// What kind of disagreement it is. Shrinking keeps it.
    pub kind: String,
    /// The model.
    pub model: String,
    /// Who says what.
    pub what: String,
}

/// The bound of the formula on loops, and a larger one.
const UNWIND: [u32; 2] = [3, 9];

/// The bound of the search, and a larger one.
const JUMPS: [u32; 2] = [6, 20];

/// Models with store buffers, each weaker than the one before.
const BUFFERED: [&str; 3] = ["sc", "tso", "pso"];

/// Models that are weaker than all of these.
const WEAKER: [&str; 3] = ["rmo", "alpha", "power-frame"];

/// Whether what fails with store buffers must also fail under the weaker models.
///
/// The published mappings put a fence behind acquiring reads and for acquiring fences where reads are out of order. It
/// orders the writes around it too, which store buffers for each location do not.
pub fn grows_beyond_buffers(text: &str) -> bool {
    let acquires = |line: &str| {
        let load = line.contains("__atomic_load_n") && [", 1)", ", 2)", ", 5)"].iter().any(|end| line.contains(end));
        let fences = ["__atomic_thread_fence(1)", "__atomic_thread_fence(2)"];
        load || line.contains("_Atomic") || fences.iter().any(|fence| line.contains(fence))
    };
    !text.lines().any(acquires)
}

/// Whether it makes sense to ask engines about deadlocks: the program has something to wait for, and waits for it in calls
/// only. A loop that waits is an endless one for the search, and no wait.
pub fn can_deadlock(text: &str) -> bool {
    let waits =
        ["pthread_mutex_lock", "sem_wait", "pthread_barrier_wait", "pthread_rwlock_wrlock", "pthread_spin_lock"];
    let spins = |line: &str| line.trim_start().starts_with("while (") && line.ends_with(';') || line.contains("do ");
    let threads = text.split_once("*thread").map_or("", |(_, threads)| threads);
    waits.iter().any(|wait| threads.contains(wait)) && !text.lines().any(spins)
}

/// Asks about a program, in one way, under a bound: the answer, or what went wrong and where.
type Ask<'a> = dyn FnMut(&str, Way, u32) -> Result<Answer, (String, String)> + 'a;

/// Asks every engine under the models and compares what they say. `ask` gets a model, a way and a bound on loops; what it
/// fails with is a complaint by itself: its kind and what it says.
pub fn agree(models: &[&str], text: &str, ask: &mut Ask<'_>) -> (Tally, Option<Complaint>) {
    let mut tally = Tally::default();
    let complaint = compare(models, text, ask, &mut tally).err();
    (tally, complaint)
}

fn compare(models: &[&str], text: &str, ask: &mut Ask<'_>, tally: &mut Tally) -> Result<(), Complaint> {
    let grows = grows_beyond_buffers(text);
    // The stronger models under which the program is unsafe.
    let mut unsafe_under: Vec<&str> = Vec::new();
    for &model in models {
        let mut ask = |way: Way, bound: u32| {
            ask(model, way, bound).map_err(|(kind, what)| Complaint { kind, model: model.to_owned(), what })
        };
        let complain = |kind: &str, what: String| Complaint { kind: kind.to_owned(), model: model.to_owned(), what };
        tally.asked += 1;
        let theory = ask(Way::Theory, UNWIND[0])?;
        let clocks = ask(Way::Clocks, UNWIND[0])?;
        tally.unknown += [&theory, &clocks].iter().filter(|answer| matches!(answer, Answer::Unknown(_))).count() as u64;
        if let (Answer::Unknown(_), _) | (_, Answer::Unknown(_)) = (&theory, &clocks) {
            continue;
        }
        tally.compared += 1;
        if theory != clocks {
            return Err(complain("encodings", format!("with the theory {theory:?}, with clocks {clocks:?}")));
        }
        if BUFFERED.contains(&model) {
            let judge = ask(Way::Buffers, JUMPS[0])?;
            let agreed = match (&theory, &judge) {
                (_, Answer::Unknown(_)) => {
                    tally.unknown += 1;
                    true
                }
                (Answer::Safe { full: false }, Answer::Unsafe) => ask(Way::Theory, UNWIND[1])? == Answer::Unsafe,
                (Answer::Unsafe, Answer::Safe { full: false }) => ask(Way::Buffers, JUMPS[1])? == Answer::Unsafe,
                (Answer::Unsafe, Answer::Unsafe) | (Answer::Safe { .. }, Answer::Safe { .. }) => true,
                (Answer::Unsafe, _) | (_, Answer::Unsafe) | (Answer::Unknown(_), _) => false,
            };
            if !matches!(judge, Answer::Unknown(_)) {
                tally.compared += 1;
                tally.judged += 1;
            }
            if !agreed {
                return Err(complain("judge", format!("partial-order {theory:?}, buffers {judge:?}")));
            }
            for abstraction in 0..ABSTRACTIONS {
                let abstracted = ask(Way::Coherence, abstraction)?;
                let others = [&theory, &judge];
                let agreed = match &abstracted {
                    Answer::Unknown(_) => continue,
                    Answer::Unsafe => !others.contains(&&Answer::Safe { full: true }),
                    Answer::Safe { .. } => !others.contains(&&Answer::Unsafe),
                };
                tally.compared += 1;
                tally.abstracted += 1;
                if !agreed {
                    let what = format!("partial-order {theory:?}, buffers {judge:?}, coherence {abstracted:?}");
                    return Err(complain("coherence", format!("{what} with abstraction {abstraction}")));
                }
            }
        }
        if theory == Answer::Unsafe {
            tally.unsafe_models += 1;
        }
        let stronger = unsafe_under.iter().find(|_| BUFFERED.contains(&model) || (grows && WEAKER.contains(&model)));
        if let Some(stronger) = stronger {
            tally.compared += 1;
            if theory != Answer::Unsafe && ask(Way::Theory, UNWIND[1])? != Answer::Unsafe {
                return Err(complain("models", format!("unsafe under {stronger}, but {theory:?} under {model}")));
            }
        }
        if theory == Answer::Unsafe && BUFFERED.contains(&model) {
            unsafe_under.push(model);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&str; 6] = ["sc", "tso", "pso", "rmo", "alpha", "power-frame"];

    fn run(text: &str, say: impl Fn(&str, Way, u32) -> Answer) -> (Tally, Option<Complaint>) {
        agree(&ALL, text, &mut |model, way, bound| Ok(say(model, way, bound)))
    }

    #[test]
    fn the_judge_is_compared_with_the_formula() {
        let (tally, complaint) = run("", |_, _, _| Answer::Safe { full: true });
        assert_eq!((tally.compared, tally.judged, tally.abstracted, complaint), (24, 3, 15, None));
        let wrong = |model: &str, way, _| match (model, way) {
            ("tso", Way::Buffers) => Answer::Unsafe,
            _ => Answer::Safe { full: true },
        };
        let (_, complaint) = run("", wrong);
        let complaint = complaint.expect("they disagree");
        assert_eq!((&*complaint.kind, &*complaint.model), ("judge", "tso"));
    }

    #[test]
    fn abstract_buffers_must_not_contradict_anybody() {
        let wrong = |model: &str, way, bound| match (model, way, bound) {
            ("pso", Way::Coherence, 3) => Answer::Safe { full: true },
            ("pso", Way::Coherence, _) => Answer::Unknown("too coarse".to_owned()),
            ("pso", ..) => Answer::Unsafe,
            _ => Answer::Safe { full: true },
        };
        let complaint = run("", wrong).1.expect("they disagree");
        assert_eq!((&*complaint.kind, &*complaint.model), ("coherence", "pso"));
    }

    #[test]
    fn bounded_answers_are_asked_for_again() {
        let late = |_: &str, way, bound| match way {
            Way::Buffers | Way::Coherence => Answer::Unsafe,
            Way::Theory | Way::Clocks if bound > 3 => Answer::Unsafe,
            Way::Theory | Way::Clocks => Answer::Safe { full: false },
        };
        assert_eq!(run("", late).1, None);
        let never = |_: &str, way, _| if way == Way::Buffers { Answer::Unsafe } else { Answer::Safe { full: false } };
        assert!(run("", never).1.is_some());
    }

    #[test]
    fn weaker_models_allow_more() {
        let odd = |model: &str, _, _| if model == "pso" { Answer::Unsafe } else { Answer::Safe { full: true } };
        let complaint = run("x = 1;", odd).1.expect("they disagree");
        assert_eq!((&*complaint.kind, &*complaint.model), ("models", "rmo"));
        assert_eq!(run("int l0 = __atomic_load_n(&x, 2);", odd).1, None);
    }

    #[test]
    fn deadlocks_are_for_programs_that_wait_in_calls() {
        let text = |statement: &str| {
            format!("int pthread_mutex_lock(void *);\nvoid *thread0(void *unused) {{\n{statement}\n}}\n")
        };
        assert!(can_deadlock(&text("    pthread_mutex_lock(&m);")));
        assert!(!can_deadlock(&text("    x = 1;")));
        assert!(!can_deadlock(&text("    pthread_mutex_lock(&m);\n    while (x == 0);")));
    }

    #[test]
    fn encodings_must_agree() {
        let odd = |_: &str, way, _| if way == Way::Clocks { Answer::Unsafe } else { Answer::Safe { full: true } };
        assert_eq!(run("", odd).1.map(|complaint| complaint.kind), Some("encodings".to_owned()));
    }
}
