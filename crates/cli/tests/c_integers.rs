//! The programs in `corpus/c/integers`, which never end and some of which count without end: how they are proved, and as many
//! fences as the paper has.

use crate::common::{fencepost, last, root, scratch, stdout};

fn says(args: &[&str]) -> String {
    last(&fencepost(args).output().expect("the binary starts"))
}

/// Which of the paper's four cases a path was, in the order of paths.
fn cases(name: &str, args: &[&str]) -> Vec<String> {
    let file = root().join(format!("corpus/c/integers/{name}.c")).display().to_string();
    let mut all = vec!["check", &file, "--engine", "predicate", "--model", "tso", "--progress"];
    all.extend(args);
    let output = fencepost(&all).output().expect("the binary starts");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let detail =
        |line: &str| Some((line.strip_prefix("case ")?.get(..1)?.to_owned(), line.split(" s  ").nth(1)?.to_owned()));
    error.lines().filter_map(detail).map(|(case, detail)| format!("{case} {detail}")).collect()
}

/// The four cases of section 7, each as a line of the progress.
#[test]
fn each_case_of_a_path_is_shown() {
    assert_eq!(cases("test-then-set", &["-DFENCE"]), ["1 possible under SC: fences do not help"]);
    assert_eq!(cases("peterson", &[]), ["2 possible under TSO: fences can help"]);
    let longer = ["3 possible in the k-abstraction only: k = 3", "3 possible in the k-abstraction only: k = 4"];
    assert_eq!(cases("lamport-fast", &["-DFENCE"]), longer);
    let values = cases("stock", &[]);
    assert_eq!(values, ["4 impossible: new predicates -came + stock + went <= 0 (3 constants, 1 sums)"]);
}

#[test]
fn what_goes_wrong_without_delays_is_not_repairable() {
    let file = root().join("corpus/c/integers/test-then-set.c").display().to_string();
    assert_eq!(says(&["fences", &file, "--engine", "predicate", "--model", "tso"]), "NOT REPAIRABLE");
}

/// Table 1 of the paper: fences for each process under TSO.
#[test]
fn as_many_fences_as_the_paper() {
    let table = [
        ("burns", "FENCES 1 (cost 10)"),
        ("dekker-simple", "FENCES 1 (cost 10)"),
        ("dekker", "FENCES 1 (cost 10)"),
        ("dijkstra", "FENCES 1 (cost 10)"),
        ("bakery", "FENCES 2 (cost 20, no overflow)"),
        ("lamport-fast", "FENCES 2 (cost 20)"),
        ("peterson", "FENCES 1 (cost 10)"),
        ("ticket", "NO FENCES NEEDED (no overflow)"),
    ];
    for (name, expected) in table {
        let file = root().join(format!("corpus/c/integers/{name}.c")).display().to_string();
        assert_eq!(says(&["fences", &file, "--engine", "predicate", "--model", "tso"]), expected, "{name}");
    }
}

#[test]
fn who_wants_the_machine_s_integers_gets_no_answer_that_needs_more() {
    let check = |name: &str| {
        let file = root().join(format!("corpus/c/integers/{name}.c")).display().to_string();
        says(&["check", &file, "--engine", "predicate", "--model", "tso", "--integers", "machine", "-DFENCE"])
    };
    assert_eq!(check("peterson"), "SAFE");
    assert!(
        check("bakery").starts_with("UNKNOWN (a result may be out of the range of its type"),
        "{}",
        check("bakery")
    );
}

#[test]
fn auto_finds_the_engine() {
    let file = root().join("corpus/c/integers/ticket.c").display().to_string();
    let said = says(&["check", &file, "--model", "tso", "--timeout", "20"]);
    assert_eq!(said, "SAFE (no overflow)");
}

/// With their fences, all eight programs have certificates that were checked, and `--certificate` writes them.
#[test]
fn proofs_have_certificates() {
    let folder = scratch("certificates");
    let mut written = 0;
    let names = ["burns", "dekker-simple", "dekker", "dijkstra", "bakery", "lamport-fast", "peterson", "ticket"];
    // These need sums of variables.
    for name in names.into_iter().chain(["account", "stock"]) {
        let file = root().join(format!("corpus/c/integers/{name}.c"));
        for model in ["tso", "pso"] {
            // These need more fences on PSO than on TSO.
            if model == "pso" && ["lamport-fast", "peterson"].contains(&name) {
                continue;
            }
            let (file, to) = (file.display().to_string(), folder.join(format!("{name}-{model}.json")));
            let path = to.display().to_string();
            let args = ["check", &file, "--engine", "predicate", "--model", model, "-DFENCE", "--stats"];
            let output = fencepost(&[&args[..], &["--certificate", &path]].concat()).output().expect("it starts");
            let text = stdout(&output);
            let statistic = text.lines().find_map(|line| line.trim().strip_prefix("certificate "));
            let count: usize = statistic.and_then(|rest| rest.trim().parse().ok()).expect(&text);
            let json = std::fs::read_to_string(&to).expect("it was written");
            assert_eq!(json.matches("\"bounds\":").count(), count, "{name} {model}");
            let claim = format!("\"claim\": \"{}\"", text.lines().last().unwrap_or_default());
            assert!(json.contains(&claim), "{name} {model}: {claim}");
            assert!(count >= 20, "{name} {model}: {count}");
            written += 1;
        }
    }
    assert_eq!(written, 18);
}
