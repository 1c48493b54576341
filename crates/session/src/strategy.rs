//! Which engines are asked, in which order, and how much work each may do before the others have a turn.
//!
//! A strategy is a table. Its rows are tried in rounds: in each round every row may go on for as much work as its column
//! says, from where it was. The answer is that of the first row of the first round that decides. Work is counted, not timed
//! (see [`engine::Meter`]), so the same task has the same answer on a slow machine and on a fast one, on one core and on many.

use engine::{MILLI, Options};

/// A way to an answer.
#[derive(Debug)]
pub struct Strategy {
    /// The name for `--engine`.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// The rows, the one whose bounds count as an answer first.
    pub steps: &'static [Step],
    /// The engine that may show a violation in fewer events.
    pub shortens: Option<Shortening>,
    /// In how many rounds the rows are tried one after the other, however many cores there are. Most tasks are done by then:
    /// nobody should pay for a second opinion.
    pub patient: usize,
}

/// Who looks for a violation in fewer events once there is one.
#[derive(Debug, Clone, Copy)]
pub struct Shortening {
    /// The engine.
    pub engine: &'static str,
    /// Options of its own: their names and values.
    pub own: &'static [(&'static str, &'static str)],
    /// How much work it may do.
    pub units: u64,
    /// The model under which it looks if it does not know that of the task. What it finds counts if the model of the task
    /// allows it.
    pub stand_in: &'static str,
}

/// A row of a strategy.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// The engine.
    pub engine: &'static str,
    /// Why it is here.
    pub why: &'static str,
    /// How it is set up.
    pub setting: Setting,
    /// How much work it may do in each round as long as the first row has not done its first bound on loops. After the last
    /// column each is four times the one before. A row without columns is for when nobody else is left.
    pub first: &'static [u64],
    /// The same once a bound is done, and the question is whether there is more to see.
    pub then: &'static [u64],
}

/// How an engine of a row is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// As the options say.
    Plain,
    /// Few threads and few iterations of loops that constants decide are free; more of them count against the bound.
    Small,
    /// Under this model instead of one that is weaker and that the engine does not know. Only violations count: the weaker model
    /// must allow them, too.
    Under(&'static str),
}

/// Iterations that constants decide, and threads, that are free in [`Setting::Small`].
const SMALL: (u32, u32) = (8, 4);

/// By how much rounds grow when a row has no more columns.
const GROWTH: u64 = 4;

/// As much as there is.
pub const ALL: &[u64] = &[u64::MAX / 4];

/// The name of the strategy that is taken if none is asked for.
pub const AUTO: &str = "auto";

/// What is asked for if nothing else is said, and what can be asked for instead of a single engine.
pub static STRATEGIES: &[Strategy] = &[
    Strategy {
        name: AUTO,
        about: "several engines in turn, each with a budget of work",
        patient: 2,
        shortens: Some(Shortening {
            engine: "coherence",
            own: &[("depth", "shallow")],
            units: 150 * MILLI,
            stand_in: "pso",
        }),
        steps: &[
            Step {
                engine: "partial-order",
                why: "covers all executions of a bound at once: decides most programs at the first bound, and its bounds are \
                    an answer if nobody has a better one",
                setting: Setting::Plain,
                first: &[100 * MILLI, 1400 * MILLI, 4500 * MILLI, 18_000 * MILLI],
                then: &[100 * MILLI, 500 * MILLI, 2000 * MILLI, 8000 * MILLI],
            },
            Step {
                engine: "local",
                why: "proves what holds whatever other threads do, for any number of iterations, at a glance",
                setting: Setting::Plain,
                first: &[30 * MILLI, 200 * MILLI],
                then: &[100 * MILLI, 1000 * MILLI],
            },
            Step {
                engine: "coherence",
                why: "proves endless loops over few values, and finds deep violations over little data where the formula is \
                    large",
                setting: Setting::Plain,
                first: &[40 * MILLI, 460 * MILLI, 4000 * MILLI, 16_000 * MILLI],
                then: &[300 * MILLI, 1000 * MILLI, 3000 * MILLI, 8000 * MILLI],
            },
            Step {
                engine: "coherence",
                why: "finds what goes wrong on any machine where it does not know the model",
                setting: Setting::Under("sc"),
                first: &[0, 2500 * MILLI, 1000 * MILLI, 4000 * MILLI],
                then: &[0, 750 * MILLI, 2000 * MILLI, 4000 * MILLI],
            },
            Step {
                engine: "predicate",
                why: "proves endless loops over integers without bounds; a program whose first bound takes long is seldom one of these",
                setting: Setting::Plain,
                first: &[0, 0, 0, 0, 500 * MILLI],
                then: &[300 * MILLI, 750 * MILLI, 2000 * MILLI, 4000 * MILLI],
            },
            Step {
                engine: "lazy",
                why: "finds violations that need few turns where the formula of all executions is too large",
                setting: Setting::Plain,
                first: &[0, 0, 500 * MILLI, 1000 * MILLI],
                then: &[0, 0, 500 * MILLI, 1000 * MILLI],
            },
            Step {
                engine: "partial-order",
                why: "finds violations among the first threads and the first iterations where all of them are too many",
                setting: Setting::Small,
                first: &[0, 0, 500 * MILLI, 1000 * MILLI],
                then: &[0, 250 * MILLI, 1000 * MILLI, 2000 * MILLI],
            },
            Step {
                engine: "buffers",
                why: "takes what the others do not: slow, but without restrictions of their methods",
                setting: Setting::Plain,
                first: &[],
                then: &[],
            },
        ],
    },
    Strategy {
        name: "race",
        about: "partial-order and lazy side by side",
        patient: 0,
        shortens: None,
        steps: &[
            Step {
                engine: "partial-order",
                why: "its bounds say more",
                setting: Setting::Plain,
                first: &[500 * MILLI],
                then: &[500 * MILLI],
            },
            Step {
                engine: "lazy",
                why: "violations that need few turns",
                setting: Setting::Plain,
                first: &[500 * MILLI],
                then: &[500 * MILLI],
            },
        ],
    },
];

/// The strategy of this name.
pub fn strategy(name: &str) -> Option<&'static Strategy> {
    STRATEGIES.iter().find(|strategy| strategy.name == name)
}

impl Step {
    /// An engine alone: it has all the work that there is.
    pub const fn alone(engine: &'static str) -> Step {
        Step { engine, why: "it was asked for", setting: Setting::Plain, first: ALL, then: ALL }
    }

    /// How much it may do in a round, counted from 0.
    pub fn grant(&self, round: usize, bounded: bool) -> u64 {
        let columns = if bounded { self.then } else { self.first };
        let Some(last) = columns.len().checked_sub(1) else { return 0 };
        let beyond = round.saturating_sub(last).min(30) as u32;
        columns[round.min(last)].saturating_mul(GROWTH.saturating_pow(beyond)).min(ALL[0])
    }

    /// Whether it is for when nobody else is left.
    pub fn is_last_resort(&self) -> bool {
        self.first.is_empty()
    }

    /// The options of the task, as this row wants them.
    pub fn set(&self, options: &mut Options) {
        match self.setting {
            Setting::Plain | Setting::Under(_) => {}
            Setting::Small => (options.free_iterations, options.free_threads) = SMALL,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_name_engines_and_nobody_is_left_for_good() {
        for strategy in STRATEGIES {
            if let Some(Shortening { engine, own, .. }) = strategy.shortens {
                assert!(crate::Request::of(engine, own).is_ok(), "{}: {engine}", strategy.name);
            }
            for step in strategy.steps {
                assert!(crate::engine(crate::ENGINES, step.engine).is_some(), "{}: {}", strategy.name, step.engine);
                let far = |bounded| step.grant(12, bounded);
                assert!(step.is_last_resort() || (far(false) > 0 && far(true) > 0), "{}", step.engine);
                assert!(step.grant(13, false) >= far(false), "{}", step.engine);
            }
        }
    }
}
