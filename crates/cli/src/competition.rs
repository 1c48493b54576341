//! What SV-COMP wants besides a verdict: witnesses, and its own last line.

use crate::args::Check;
use crate::{input, output};
use anyhow::Result;
use engine::Verdict;
use front_c::{Checks, Leaks};
use model::Model;
use report::litmus::Words;
use report::{Case, svcomp};
use session::Failure;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// A property of the competition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Specification {
    /// The error function is never called.
    #[default]
    Unreachable,
    /// Accesses and `free` are given what they need, and no memory is lost.
    MemorySafety,
    /// All memory is freed in the end.
    MemoryCleanup,
    /// Signed integers do not overflow.
    NoOverflow,
    /// No two accesses race.
    NoDataRace,
}

impl Specification {
    /// The property in a file.
    ///
    /// # Errors
    /// There is no such file, or its property is not known.
    pub fn read(path: &Path) -> Result<Self> {
        let text = input::read(path)?;
        let words: String = text.text().split_whitespace().collect();
        let known = [
            (vec!["G!call(reach_error())"], Self::Unreachable),
            (vec!["G!call(__VERIFIER_error())"], Self::Unreachable),
            (vec!["Gvalid-free", "Gvalid-deref", "Gvalid-memtrack"], Self::MemorySafety),
            (vec!["Gvalid-memcleanup"], Self::MemoryCleanup),
            (vec!["G!overflow"], Self::NoOverflow),
            (vec!["G!data-race"], Self::NoDataRace),
        ];
        let asked = words.matches("LTL(").count();
        let fits = |formulas: &[&str]| {
            formulas.len() == asked && formulas.iter().all(|formula| words.contains(&format!("LTL({formula})")))
        };
        let found = known.into_iter().find(|(formulas, _)| fits(formulas));
        found.map(|(_, specification)| specification).ok_or_else(|| {
            let reason = format!("{}: this property is not supported", path.display());
            let help =
                "those that are: ! call(reach_error()), ! overflow, ! data-race, valid-free with valid-deref and \
                        valid-memtrack, and valid-memcleanup"
                    .to_owned();
            Failure::Refused(reason, help).into()
        })
    }

    /// What becomes an assertion.
    pub fn checks(self) -> Checks {
        let none = Checks { only: true, ..Checks::default() };
        match self {
            Self::Unreachable | Self::NoDataRace => Checks::default(),
            Self::MemorySafety => Checks { lifetimes: true, leaks: Leaks::Lost, ..none },
            Self::MemoryCleanup => Checks { leaks: Leaks::Any, ..none },
            Self::NoOverflow => Checks { overflow: true, ..none },
        }
    }

    /// What the last line says about a verdict.
    pub fn last_line(self, verdict: &Verdict) -> String {
        let violated = match (self, verdict) {
            (Self::Unreachable, _) => "unreach-call",
            (Self::NoOverflow, _) => "no-overflow",
            (Self::NoDataRace, _) => "no-data-race",
            (Self::MemoryCleanup, _) => "valid-memcleanup",
            (Self::MemorySafety, Verdict::Unsafe(execution)) => {
                let message = execution.violation.as_ref().map_or("", |violation| &violation.message);
                front_c::memory_property(message)
            }
            (Self::MemorySafety, Verdict::Safe(_) | Verdict::Unknown(_)) => "",
        };
        svcomp::last_line(verdict, violated)
    }
}

/// The property that is meant if there is no file.
const PROPERTY: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )";

/// Writes the witness that was asked for, if there is a violation.
pub fn witness(case: &Case<'_>, args: &Check) -> Result<()> {
    let Some(path) = &args.witness else { return Ok(()) };
    let property = args.c.svcomp_property.as_deref().map(input::read).transpose()?;
    let specification = property.as_ref().map_or(PROPERTY, |file| file.text().trim());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let creation_time = date(now.as_secs());
    let uuid = uuid(&format!("{} {} {}", now.as_nanos(), std::process::id(), case.program.name));
    let version = env!("CARGO_PKG_VERSION");
    let task = svcomp::Task { specification, ilp32: args.c.ilp32, creation_time: &creation_time, uuid: &uuid, version };
    let is_yaml = path.extension().is_some_and(|extension| extension == "yml" || extension == "yaml");
    let text = if is_yaml { svcomp::yaml(case, &task) } else { svcomp::graphml(case, &task) };
    match text {
        Some(text) => output::write(&text, Some(path)),
        None => {
            output::say("no violation, so no witness was written");
            Ok(())
        }
    }
}

/// Writes the litmus test that was asked for, if there is one to write.
pub fn litmus(case: &Case<'_>, model: &Model, args: &Check) -> Result<()> {
    let Some(path) = &args.emit_litmus else { return Ok(()) };
    let words = if session::is_kernels(model) { Words::Kernel } else { Words::C11 };
    match report::litmus::extract(case, words) {
        Some(text) => output::write(&text, Some(path)),
        None => {
            output::say("there is no reordering that a litmus test could show, so none was written");
            Ok(())
        }
    }
}

/// Seconds since 1970 as `2026-01-31T12:00:00Z`.
fn date(seconds: u64) -> String {
    let (days, time) = (seconds / 86_400, seconds % 86_400);
    // Days since the first of March of the year 0, in cycles of 400 years.
    let shifted = days + 719_468;
    let (cycle, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = 400 * cycle + year + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", time / 3_600, time / 60 % 60, time % 60)
}

/// An identifier of the form that UUIDs of version 4 have, made from what is different each time.
fn uuid(seed: &str) -> String {
    let digits = svcomp::sha256(seed);
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    format!("{}-{}-4{}-a{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01T00:00:00Z");
        assert_eq!(date(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(date(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(date(1_767_225_600), "2026-01-01T00:00:00Z");
    }

    #[test]
    fn identifiers_look_like_uuids_and_differ() {
        let one = uuid("a");
        assert_eq!(one.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        assert_ne!(one, uuid("b"));
    }
}
