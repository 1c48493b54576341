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
//! The programs in `corpus/c/mutex` never end. Their heads ask for the engine `coherence`, and SAFE is a full proof there;
//! without that engine only their heads are read. `c_mutex.rs` runs them for a few rounds.

mod common;

use common::{c_files, fencepost, root, stdout};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The expectations in the heads of all programs, counted when the last program was added. A run that finds fewer has
/// lost some.
const EXPECTATIONS: usize = 2257;

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

/// What is wrong with what the binary says.
fn complaint(case: &Case) -> Option<String> {
    let file = case.file.display().to_string();
    let mut args = vec!["check", &file, "--model", &case.model];
    args.extend(case.definitions.iter().chain(&case.options).map(String::as_str));
    let output = fencepost(&args).output().expect("the binary starts");
    let text = stdout(&output);
    let last = text.lines().last().unwrap_or_default();
    let bounded = !case.file.starts_with(root().join(ENDLESS));
    let same = last == case.expected || (bounded && case.expected == "SAFE" && last.starts_with("SAFE (unwind "));
    if same {
        return None;
    }
    let error = String::from_utf8_lossy(&output.stderr);
    let name = case.file.strip_prefix(root()).unwrap_or(&case.file).display();
    let said = if last.is_empty() { error.lines().next().unwrap_or_default() } else { last };
    Some(format!("{name} {} {}: {said}, expected {}", case.model, case.definitions.join(" "), case.expected))
}

#[test]
fn programs_behave_as_their_heads_say() {
    let mut all = Vec::new();
    let mut complaints = Vec::new();
    for folder in ["corpus/c", "corpus/c/probes", "corpus/regressions", "examples"] {
        for path in c_files(&root().join(folder)) {
            let text = std::fs::read_to_string(&path).expect("the file was listed");
            match cases(&path, &text) {
                Ok(cases) => all.extend(cases),
                Err(why) => complaints.push(format!("{}: {why}", path.display())),
            }
        }
    }
    let (next, found) = (AtomicUsize::new(0), Mutex::new(complaints));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, std::num::NonZero::get) {
            scope.spawn(|| {
                while let Some(case) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(complaint) = complaint(case) {
                        found.lock().expect("nobody panics").push(complaint);
                    }
                }
            });
        }
    });
    let mut complaints = found.into_inner().expect("nobody panics");
    complaints.sort();
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    println!("{} expectations", all.len());
    assert!(all.len() >= EXPECTATIONS, "only {} expectations were found", all.len());
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
    let engines = stdout(&fencepost(&["list", "engines"]).output().expect("the binary starts"));
    if engines.contains("coherence") {
        let complaints: Vec<String> = all.iter().filter_map(complaint).collect();
        assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    }
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
