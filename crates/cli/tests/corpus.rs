//! Our own programs do what their heads say: litmus tests in each way that there is, C programs and array-based systems as
//! `fencepost check` prints it.
//!
//! The format of heads is said in `testkit::heads`. `SAFE` there is a proof for all executions, and nothing else is.

use crate::common::{fencepost, last, root};
use engine::{NoAnswer, Unobserved};
use session::{Failure, Request};
use source::SourceFile;
use std::sync::atomic::{AtomicUsize, Ordering};
use testkit::corpus::{Case, all_well, cases, each};

/// The expectations in the heads of all programs of a kind, counted when somebody did. A run that finds fewer has lost some.
const LITMUS: usize = 529;
const C: usize = 2610;
const ADDRESSES: usize = 34;
const RACES: usize = 55;
const ENDLESS: usize = 183;
const SYSTEMS: usize = 70;

/// Where litmus tests lie, and C programs that end.
const FOLDERS: [&str; 3] = ["corpus/litmus", "corpus/regressions", "examples"];
const PROGRAMS: [&str; 7] = [
    "corpus/c",
    "corpus/c/bytes",
    "corpus/c/lifetimes",
    "corpus/c/probes",
    "corpus/c/progress",
    "corpus/regressions",
    "examples",
];

/// Options of an engine, with their values.
type Own = &'static [(&'static str, &'static str)];

/// What is said about a litmus test in some way: the observation and the number of final states; nothing if a judge has none.
fn observed(case: &Case, engine: &str, own: Own) -> Result<Option<(&'static str, usize)>, String> {
    let file = SourceFile::new(&*case.file, &*case.text);
    let program = session::load(&file, &session::Reading::default()).map_err(|failure| failure.to_string())?;
    let model = session::model(&case.expectation.model).map_err(|failure| failure.to_string())?;
    let request = Request::of(engine, own).map_err(|failure| failure.to_string())?;
    let found = match session::states(&program, &model, &request, &Unobserved) {
        Ok(Ok(found)) => found.result.states,
        // A judge may refuse, or reach its limit; how many answers there must be is counted.
        Ok(Err(NoAnswer::GaveUp(_))) | Err(Failure::Refused(..)) if engine != "partial-order" => return Ok(None),
        Ok(Err(reason)) => return Err(reason.to_string()),
        Err(failure) => return Err(failure.to_string()),
    };
    let condition = program.condition.as_ref().ok_or("the program asks no question")?;
    let holding = found.iter().filter(|state| condition.proposition.holds(&state.state)).count();
    let observation = match (holding, found.len() - holding) {
        (0, _) => "Never",
        (_, 0) => "Always",
        _ => "Sometimes",
    };
    Ok(Some((observation, found.len())))
}

/// Litmus tests in one way; how many expectations were compared with an answer.
fn litmus(engine: &str, own: Own) -> usize {
    let compared = AtomicUsize::new(0);
    all_well(&cases(&FOLDERS, "litmus"), LITMUS, |case| match observed(case, engine, own) {
        Ok(None) => None,
        Ok(Some((observation, states))) => {
            compared.fetch_add(1, Ordering::Relaxed);
            let wrong = case.expectation.states.filter(|expected| *expected != states);
            let wrong = wrong.map(|expected| format!("{}: {states} states, not {expected}", case.file));
            case.unless(observation).or(wrong)
        }
        Err(why) => Some(case.complaint(&why)),
    });
    compared.into_inner()
}

#[test]
fn litmus_tests_with_the_ordering_theory() {
    assert!(litmus("partial-order", &[]) >= LITMUS);
}

#[test]
fn litmus_tests_with_clocks() {
    assert!(litmus("partial-order", &[("order", "clocks")]) >= LITMUS);
}

#[test]
fn litmus_tests_enumerated() {
    let compared = litmus("enumerate", &[]);
    assert!(compared >= LITMUS * 9 / 10, "only {compared} expectations were enumerated");
}

#[test]
fn litmus_tests_with_store_buffers() {
    let compared = litmus("buffers", &[]);
    assert!(compared >= LITMUS * 4 / 10, "only {compared} expectations were searched with store buffers");
}

/// The last line of what `check` says about a case.
fn said(case: &Case, more: &[&str]) -> String {
    last(&fencepost(&[&case.check(), more].concat()).output().expect("the binary starts"))
}

#[test]
fn c_programs() {
    all_well(&cases(&PROGRAMS, "c"), C, |case| case.unless(&said(case, &[])));
}

/// Programs that look at addresses as numbers: where nobody can know what they see, no engine decides.
#[test]
fn addresses_are_no_numbers() {
    let all = cases(&["corpus/c/addresses"], "c");
    all_well(&all, ADDRESSES, |case| case.unless(&said(case, &[])));
    for engine in ["partial-order", "lazy", "coherence", "predicate", "buffers"] {
        all_well(&all, ADDRESSES, |case| {
            let said = said(case, &["--engine", engine]);
            let decides = !said.starts_with("UNKNOWN");
            (decides && said != case.expectation.outcome).then(|| case.complaint(&format!("{engine}: {said}")))
        });
    }
}

/// Programs with data races that only weak orders allow, and their repairs.
#[test]
fn races() {
    all_well(&cases(&["corpus/c/races"], "c"), RACES, |case| case.unless(&said(case, &[])));
}

/// Programs with endless loops, any number of threads, or integers without bounds.
#[test]
fn c_programs_that_never_end() {
    let folders = ["corpus/c/mutex", "corpus/c/crowd", "corpus/c/integers"];
    all_well(&cases(&folders, "c"), ENDLESS, |case| case.unless(&said(case, &[])));
}

#[test]
fn systems() {
    let folders = ["corpus/arrays", "examples"];
    all_well(&cases(&folders, "cub"), SYSTEMS, |case| case.unless(&said(case, &[])));
}

/// Programs that end are not what the engine `coherence` is for, but what it says about them must be right.
#[test]
fn abstract_buffers_never_contradict_the_heads() {
    let mut all = cases(&PROGRAMS, "c");
    let waits = |option: &String| option == "deadlock" || option == "progress";
    all.retain(|case| case.expectation.model.len() <= 3 && !case.options.iter().any(waits));
    all.retain(|case| ["sc", "tso", "pso"].contains(&&*case.expectation.model));
    let decided = AtomicUsize::new(0);
    let complaints = each(&all, |case| {
        let said = said(case, &["--engine", "coherence", "--memory", "4000"]);
        let verdict = ["SAFE", "UNSAFE"].contains(&&*said);
        decided.fetch_add(usize::from(verdict), Ordering::Relaxed);
        // What is safe up to a bound in the head may be so for all executions.
        (verdict && !case.expectation.outcome.starts_with(&said)).then(|| case.complaint(&said))
    });
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    let decided = decided.into_inner();
    assert!(decided * 10 >= all.len() * 9, "only {decided} of {} were decided", all.len());
}

/// What the engine `local` proves holds under every model: it says nothing about a program that goes wrong under one.
#[test]
fn local_proofs_never_contradict_the_heads() {
    let folders = [&PROGRAMS[..], &["corpus/c/mutex", "corpus/c/integers"]].concat();
    let mut all = cases(&folders, "c");
    let waits = |option: &String| option == "deadlock" || option == "progress";
    all.retain(|case| case.expectation.outcome == "UNSAFE" && !case.options.iter().any(waits));
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|case| seen.insert((case.file.clone(), case.expectation.arguments.clone())));
    let complaints = each(&all, |case| {
        let said = said(case, &["--engine", "local"]);
        (said == "SAFE").then(|| case.complaint(&said))
    });
    assert!(complaints.is_empty() && all.len() > 100, "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

/// A folder of programs that nobody runs would be noticed here.
#[test]
fn every_folder_of_programs_is_run() {
    let mut run: Vec<&str> = [&FOLDERS[..], &PROGRAMS].concat();
    run.extend(["corpus/c/mutex", "corpus/c/crowd", "corpus/c/integers", "corpus/c/addresses", "corpus/c/races"]);
    // The last ones are run by `weaken.rs`.
    run.extend(["corpus/arrays", "corpus/c/orders"]);
    let mut waiting = vec![root().join("corpus"), root().join("examples")];
    while let Some(folder) = waiting.pop() {
        let name = folder.strip_prefix(root()).unwrap_or(&folder).display().to_string();
        let paths: Vec<_> = std::fs::read_dir(&folder).expect("it is there").flatten().map(|e| e.path()).collect();
        let programs =
            paths.iter().any(|p| p.extension().is_some_and(|e| ["c", "cub", "litmus"].iter().any(|x| e == *x)));
        assert!(!programs || run.contains(&&*name) || name == "corpus/ui/input", "nobody runs the programs in {name}");
        waiting.extend(paths.into_iter().filter(|path| path.is_dir()));
    }
}
