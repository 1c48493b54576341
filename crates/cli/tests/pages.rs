//! Pages in a browser: legible, stepped through by the keyboard, closed to the world. Skipped where no browser is installed.

use crate::common::{clean, last, root, scratch};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a page is asked; the answers are written into its title as JSON.
const PROBE: &str = include_str!("pages/probe.js");

/// The browser, if one is installed.
pub fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.into_iter().find(|name| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    })
}

/// The document of an address after its scripts have run, in a window of this size.
fn document(browser: &str, address: &str, size: &str, more: &[&str]) -> String {
    let profile = tempfile::tempdir().expect("there is room for a profile");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"])
        .args([&format!("--user-data-dir={}", profile.path().display()), &format!("--window-size={size}")])
        .args(["--virtual-time-budget=4000", "--dump-dom"])
        .args(more)
        .arg(address)
        .output()
        .expect("the browser starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A page made by a command, in a folder of the test's own.
fn page(name: &str, args: &[&str]) -> PathBuf {
    let path = scratch("pages").join(format!("{name}.html"));
    let text = path.display().to_string();
    let output = clean(args).args(["--format", "html", "-o", &text]).output().expect("the binary starts");
    assert!(path.exists(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    path
}

/// The answers of a page to the probe.
fn probe(browser: &str, page: &Path, size: &str, more: &[&str]) -> Value {
    let text = std::fs::read_to_string(page).expect("the page is there");
    let probed = page.with_extension("probed.html");
    let with = text.replace("</body>", &format!("<script>{PROBE}</script></body>"));
    assert_ne!(with, text, "a page has a body");
    std::fs::write(&probed, with).expect("the target folder can be written to");
    let dom = document(browser, &format!("file://{}", probed.display()), size, more);
    let answer = dom.split("PROBE ").nth(1).and_then(|rest| rest.split(" EBORP").next()).unwrap_or_default();
    let answer = answer.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{}: {error}\n{dom:.2000}", page.display()))
}

/// Nothing to complain about, and as many steps as wanted at least.
fn assert_fine(name: &str, answers: &Value, steps: u64) {
    for question in ["overlaps", "faint", "requests", "errors", "unlinked", "wordless", "spread"] {
        assert_eq!(answers[question], serde_json::json!([]), "{name}: {question}");
    }
    assert_eq!(answers["scrolls"], Value::Bool(false), "{name} is wider than its window");
    assert!(answers["steps"].as_u64() >= Some(steps), "{name} has {} steps", answers["steps"]);
    assert_eq!(answers["walked"], answers["steps"], "{name}: the right arrow goes to the end");
    assert_eq!(answers["back"], Value::Bool(true), "{name}: the left arrow and Home go back");
}

/// A program whose failure takes about a hundred steps.
const HUNDRED: &str = "#include <pthread.h>\n#include <assert.h>\nint log_[8], sum;\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nvoid *worker(void *arg) {\n  for (int i = 0; i < 8; i++) {\n\
    pthread_mutex_lock(&m);\n    log_[i] = log_[i] + 1;\n    sum = sum + log_[i];\n    pthread_mutex_unlock(&m);\n  }\n\
    return 0;\n}\nint main(void) {\n  pthread_t a, b;\n  pthread_create(&a, 0, worker, 0);\n\
    pthread_create(&b, 0, worker, 0);\n  pthread_join(a, 0);\n  pthread_join(b, 0);\n  assert(sum != 24);\n  return 0;\n}\n";

#[test]
fn six_pages_are_legible_and_stepped_through() {
    let Some(browser) = browser() else {
        eprintln!("skipped: no chromium is installed");
        return;
    };
    let hundred = scratch("pages").join("hundred.c");
    std::fs::write(&hundred, HUNDRED).expect("the target folder can be written to");
    let hundred = hundred.display().to_string();
    let pages: &[(&str, &[&str], u64)] = &[
        ("dekker", &["check", "examples/dekker.c", "--model", "tso"], 8),
        ("ring", &["check", "examples/spsc-ring.c"], 6),
        ("hundred", &["check", &hundred, "--model", "sc"], 60),
        ("sb", &["check", "examples/sb.litmus", "--model", "tso"], 5),
        ("system", &["check", "examples/mutex-no-fence.cub"], 4),
        ("repair", &["fences", "examples/dekker.c", "--model", "tso"], 5),
        ("why", &["why", "examples/sb+mfences.litmus", "--model", "tso"], 4),
        ("proof", &["check", "examples/sb+mfences.litmus", "--model", "tso"], 0),
    ];
    for (name, args, steps) in pages {
        let page = page(name, args);
        let answers = probe(browser, &page, "1280,900", &[]);
        assert_fine(name, &answers, *steps);
        assert_eq!(answers["cut"], serde_json::json!([]), "{name}: a picture is cut off");
    }
    let narrow = page("narrow", &["check", "examples/mutex-no-fence.cub"]);
    assert_fine("a system on a phone", &probe(browser, &narrow, "500,900", &[]), 4);
    let dark = page("dark", &["check", "examples/dekker.c", "--model", "tso"]);
    let answers = probe(browser, &dark, "500,900", &["--blink-settings=preferredColorScheme=0"]);
    assert_eq!(answers["dark"], Value::Bool(true));
    assert_fine("dark, on a phone", &answers, 8);
}

#[test]
fn hostile_names_stay_names() {
    let Some(browser) = browser() else {
        eprintln!("skipped: no chromium is installed");
        return;
    };
    let evil = "</script><script>window.broken=1</script><img src=x onerror=window.broken=1>";
    let folder = scratch("pages");
    let file = folder.join("a<img src=x onerror=window.broken=1>.c");
    let text = format!(
        "#include <assert.h>\n/* {evil} */\nint x;\nint main(void) {{ x = 1; assert(x == 0 && \"{evil}\"); return 0; }}\n"
    );
    std::fs::write(&file, text).expect("the target folder can be written to");
    let name = file.display().to_string();
    let test = folder.join("evil.litmus");
    let text = std::fs::read_to_string(root().join("examples/sb.litmus")).expect("the example is there");
    std::fs::write(&test, text.replacen("X86 sb", "X86 sb<img/src=x/onerror=window.broken=1>", 1))
        .expect("it is written");
    let test = test.display().to_string();
    for (name, args) in
        [("evil-c", ["check", &name, "--model", "sc"]), ("evil-litmus", ["check", &test, "--model", "tso"])]
    {
        let answers = probe(browser, &page(name, &args), "1280,900", &[]);
        assert_eq!(answers["broken"], Value::Bool(false), "{name}");
        assert_eq!(answers["images"], 0, "{name}");
        assert_eq!(answers["errors"], serde_json::json!([]), "{name}");
    }
}

/// The command that a proof's page names gives the verdict again: with the same macros, property and bounds.
#[test]
fn a_proof_says_how_to_get_it_again() {
    let cases: &[(&[&str], &str)] = &[
        (&["check", "examples/peterson.c", "--model", "tso", "-DFENCE=1"], "SAFE"),
        (&["check", "examples/peterson.c", "--model", "tso", "-DFENCE=1 /* a 'word' */"], "SAFE"),
        (&["check", "examples/mutex-counter.c", "--model", "tso", "--property", "deadlock", "--unwind", "3"], "SAFE"),
    ];
    for (args, expected) in cases {
        let text = std::fs::read_to_string(page("again", args)).expect("the page is there");
        let row = text.split("Check it again</th><td>").nth(1).and_then(|rest| rest.split("</td>").next());
        let line = row.expect("the page says how").replace("&#39;", "'").replace("&quot;", "\"").replace("&amp;", "&");
        let line = line.split(" --certificate").next().unwrap_or_default().replacen(
            "fencepost",
            env!("CARGO_BIN_EXE_fencepost"),
            1,
        );
        let again = Command::new("sh").args(["-c", &line]).current_dir(root()).output().expect("a shell starts");
        let first = clean(args).output().expect("the binary starts");
        assert_eq!(last(&again), last(&first), "{line}");
        assert_eq!(last(&first), *expected, "{args:?}");
    }
}
