//! Our own C programs, under the models and with the definitions that their heads name:
//!
//! ```text
//!  * expect tso: UNSAFE
//!  * with -DFENCE=1: sc SAFE, tso SAFE
//!  * options: --property deadlock
//! ```
//!
//! SAFE in a head means SAFE up to some bound, too. A head with `no verdict test: WHY` has no expectations.
//!
//! The programs in `corpus/c/mutex` never end. Their heads ask for the engine `coherence`, and SAFE is a full proof there.
//! `c_mutex.rs` runs them for a few rounds.

mod common;

use common::{c_files, fencepost, root, stdout};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The expectations in the heads of all programs, counted when the last program was added. A run that finds fewer has
/// lost some.
const EXPECTATIONS: usize = 2337;

/// The programs that never end, and the expectations in their heads: three models each.
const ENDLESS: &str = "corpus/c/mutex";
const ENDLESS_EXPECTATIONS: usize = 45;

/// One run of the binary.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Case {
    file: PathBuf,
    model: String,
    definitions: Vec<String>,
    options: Vec<String>,
    expected: String,
}

/// The expectations in the head of a program.
fn cases(file: &Path, text: &str) -> Result<Vec<Case>, String> {
    let head = text.split("*/").next().unwrap_or_default();
    let lines = || head.lines().map(|line| line.trim().trim_start_matches(['/', '*']).trim());
    let options = lines().find_map(|line| line.strip_prefix("options: ")).unwrap_or_default();
    let options: Vec<String> = options.split_whitespace().map(str::to_owned).collect();
    let exempt = lines().any(|line| line.starts_with("no verdict test: "));
    let mut found = Vec::new();
    let mut add = |model: &str, definitions: &[String], expected: &str| {
        if !["SAFE", "UNSAFE"].contains(&expected) {
            return Err(format!("`{expected}` is no verdict"));
        }
        found.push(Case {
            file: file.to_owned(),
            model: model.to_owned(),
            definitions: definitions.to_vec(),
            options: options.clone(),
            expected: expected.to_owned(),
        });
        Ok(())
    };
    for line in lines() {
        if let Some((model, verdict)) = line.strip_prefix("expect ").and_then(|rest| rest.split_once(": ")) {
            add(model, &[], verdict)?;
        } else if let Some(rest) = line.strip_prefix("with -D") {
            let (definitions, verdicts) = rest.split_once(": ").ok_or_else(|| format!("`{line}` has no verdicts"))?;
            let definitions: Vec<String> = definitions.split(" -D").map(|word| format!("-D{word}")).collect();
            for item in verdicts.split(", ") {
                let (model, verdict) = item.split_once(' ').ok_or_else(|| format!("`{item}` is no verdict"))?;
                add(model, &definitions, verdict)?;
            }
        }
    }
    if found.is_empty() != exempt {
        Err("expectations, or the reason why there are none".to_owned())
    } else {
        Ok(found)
    }
}

/// The last line of what the binary says, or the first line of its complaints.
fn said(case: &Case, more: &[&str]) -> String {
    let file = case.file.display().to_string();
    let mut args = vec!["check", &file, "--model", &case.model];
    args.extend(case.definitions.iter().chain(&case.options).map(String::as_str));
    args.extend(more);
    let output = fencepost(&args).output().expect("the binary starts");
    let (text, error) = (stdout(&output), String::from_utf8_lossy(&output.stderr));
    text.lines().last().or(error.lines().next()).unwrap_or_default().to_owned()
}

/// What is wrong with what the binary says.
fn complaint(case: &Case) -> Option<String> {
    let last = said(case, &[]);
    let bounded = !case.file.starts_with(root().join(ENDLESS));
    let same = last == case.expected || (bounded && case.expected == "SAFE" && last.starts_with("SAFE (unwind "));
    if same { None } else { Some(shown(case, &last)) }
}

fn shown(case: &Case, said: &str) -> String {
    let name = case.file.strip_prefix(root()).unwrap_or(&case.file).display();
    format!("{name} {} {}: {said}, expected {}", case.model, case.definitions.join(" "), case.expected)
}

/// The expectations in the heads of all programs that end.
fn all() -> Vec<Case> {
    let (mut all, mut complaints) = (Vec::new(), Vec::new());
    for folder in ["corpus/c", "corpus/c/probes", "corpus/regressions", "examples"] {
        for path in c_files(&root().join(folder)) {
            let text = std::fs::read_to_string(&path).expect("the file was listed");
            match cases(&path, &text) {
                Ok(cases) => all.extend(cases),
                Err(why) => complaints.push(format!("{}: {why}", path.display())),
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    all
}

/// What is said about the cases that something is said about, some at a time.
fn each(all: &[Case], look: impl Fn(&Case) -> Option<String> + Sync) -> Vec<String> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, std::num::NonZero::get) {
            scope.spawn(|| {
                while let Some(case) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(said) = look(case) {
                        found.lock().expect("nobody panics").push(said);
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().expect("nobody panics");
    found.sort();
    found
}

#[test]
fn programs_behave_as_their_heads_say() {
    let all = all();
    let complaints = each(&all, complaint);
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    println!("{} expectations", all.len());
    assert!(all.len() >= EXPECTATIONS, "only {} expectations were found", all.len());
}

/// Programs that end are not what the engine `coherence` is for, but what it says about them must be right.
#[test]
fn abstract_buffers_never_contradict_the_heads() {
    let mut all = all();
    all.retain(|case| ["sc", "tso", "pso"].contains(&&*case.model) && !case.options.iter().any(|o| o == "deadlock"));
    let decided = AtomicUsize::new(0);
    let complaints = each(&all, |case| {
        let last = said(case, &["--engine", "coherence", "--timeout", "60", "--memory", "4000"]);
        let verdict = ["SAFE", "UNSAFE"].contains(&&*last);
        decided.fetch_add(usize::from(verdict), Ordering::Relaxed);
        (verdict && last != case.expected).then(|| shown(case, &last))
    });
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    let decided = decided.into_inner();
    println!("{decided} of {}", all.len());
    assert!(decided * 10 >= all.len() * 9, "only {decided} of {} were decided", all.len());
}

#[test]
fn programs_that_never_end_behave_as_their_heads_say() {
    let mut all = Vec::new();
    for path in c_files(&root().join(ENDLESS)) {
        let text = std::fs::read_to_string(&path).expect("the file was listed");
        let cases = cases(&path, &text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let models: Vec<&str> = cases.iter().map(|case| &*case.model).collect();
        assert_eq!(models, ["sc", "tso", "pso"], "{}", path.display());
        assert!(cases.iter().all(|case| case.options == ["--engine", "coherence"]), "{}", path.display());
        all.extend(cases);
    }
    assert_eq!(all.len(), ENDLESS_EXPECTATIONS);
    let complaints = each(&all, complaint);
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn heads_are_read() {
    let text =
        "/* About it.\n * expect sc: SAFE\n * with -DA -DB=2: sc SAFE, tso UNSAFE\n */\n/* expect pso: SAFE */\n";
    let found = cases(Path::new("a.c"), text).expect("it is well formed");
    let shown: Vec<_> = found.iter().map(|c| (&*c.model, c.definitions.join(" "), &*c.expected)).collect();
    let both = "-DA -DB=2".to_owned();
    assert_eq!(shown, [("sc", String::new(), "SAFE"), ("sc", both.clone(), "SAFE"), ("tso", both, "UNSAFE")]);
    let found = cases(Path::new("a.c"), "/* expect sc: SAFE\n * options: --unwind 4\n */").expect("it is well formed");
    assert_eq!(found[0].options, ["--unwind", "4"]);
    assert_eq!(cases(Path::new("a.c"), "/* no verdict test: heavy */"), Ok(Vec::new()));
    assert!(cases(Path::new("a.c"), "/* expect sc: MAYBE */").is_err());
    assert!(cases(Path::new("a.c"), "/* with -DA */").is_err());
    assert!(cases(Path::new("a.c"), "int main(void) { return 0; }").is_err());
}
