//! What users see: each case is a command line, its output is in `corpus/ui/NAME.txt`. `cargo xtask bless` rewrites them.

use crate::common::{clean, last, ring, root, scratch, stderr, stdout};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use testkit::console::without_times;

/// The name of the file with the expected output, and the command line.
const CASES: &[(&str, &str)] = &[
    ("check-tso", "check examples/sb.litmus --model tso"),
    ("check-sc", "check examples/sb.litmus --model sc"),
    ("check-all", "check examples/sb.litmus --model all"),
    ("check-all-power", "check examples/mp+lwsync+addr.litmus --model all"),
    ("check-several", "check examples/mp.litmus --model sc --model pso"),
    ("check-json", "check examples/sb.litmus --model tso --format json"),
    ("check-json-several", "check examples/sb.litmus --model sc --model tso --format json"),
    ("check-short", "check examples/postgres-latch.c --model aarch64"),
    ("check-dot", "check examples/mp.litmus --model pso --format dot"),
    ("check-stats", "check examples/sb.litmus --model sc --engine buffers --stats"),
    ("check-forall", "check corpus/litmus/x86-forall-sb.litmus --model sc"),
    ("check-forall-unsafe", "check corpus/litmus/x86-forall-sb.litmus --model tso"),
    ("check-loop-unsafe", "check examples/spin.litmus --model pso"),
    ("check-loop-bounded", "check examples/spin.litmus --model tso"),
    ("check-pointer", "check corpus/litmus/ppc-pointer.litmus --model power-frame"),
    ("check-c11", "check examples/mp-c11.litmus --model all"),
    ("check-own-model", "check examples/sb.litmus --model corpus/ui/input/own.cat"),
    ("check-draw-nothing", "check examples/sb.litmus --model sc --format svg"),
    ("why-sc", "why examples/sb.litmus --model sc"),
    ("why-mfences", "why examples/sb+mfences.litmus --model tso"),
    ("why-ppc", "why examples/mp+lwsync+addr.litmus --model ppc"),
    ("why-allowed", "why examples/sb.litmus --model tso"),
    ("why-impossible", "why corpus/litmus/x86-corw1.litmus --model sc"),
    ("why-json", "why examples/sb.litmus --model sc --format json"),
    ("why-c", "why examples/dekker.c --model sc"),
    ("why-json-allowed", "why examples/sb.litmus --model tso --format json"),
    ("check-bystanders", "check corpus/c/bystanders.c --model pso"),
    ("check-ring", "check examples/spsc-ring.c --model pso"),
    ("fences-tso", "fences examples/sb.litmus --model tso"),
    ("fences-pso", "fences examples/peterson.c --model pso"),
    ("fences-all", "fences corpus/litmus/c-mp-relaxed.litmus --model rmo --all"),
    ("fences-several", "fences examples/mp.litmus --model tso --model pso --model power-frame"),
    ("check-system", "check examples/mutex.cub"),
    ("check-system-unsafe", "check examples/mutex-no-fence.cub"),
    ("fences-none", "fences examples/sb+mfences.litmus --model tso"),
    ("fences-sequential", "fences corpus/c/mutex-peterson-wrong-order.c --model tso"),
    ("fences-kinds", "fences examples/sb.litmus --model tso --kinds store-store,load-load"),
    ("fences-cost", "fences examples/mp.litmus --model pso --cost corpus/ui/input/costs.txt --stats"),
    ("fences-diff", "fences examples/mp.litmus --model pso --diff"),
    ("fences-json", "fences examples/mp.litmus --model rmo --format json"),
    ("fences-orders", "fences corpus/litmus/c-mp-relaxed.litmus --model aarch64 --model riscv --together"),
    ("weaken", "weaken corpus/c/orders/ticket.c --model aarch64 --model ppc"),
    ("weaken-explain", "weaken corpus/litmus/aarch64-mp-stlr-ldar.litmus --model aarch64 --explain"),
    ("litmus-text", "litmus examples --model tso"),
    ("litmus-csv", "litmus examples/sb.litmus examples/mp.litmus --model all --format csv"),
    ("litmus-csv-states", "litmus examples/sb.litmus --model sc --model tso --format csv --states"),
    ("litmus-json", "litmus examples/sb.litmus --model tso --format json"),
    ("litmus-herd", "litmus examples/sb.litmus examples/2+2w.litmus --model tso --format herd"),
    ("litmus-states", "litmus examples/sb.litmus --model tso --states"),
    ("litmus-one-bad", "litmus examples/sb.litmus corpus/ui/input/syntax.litmus examples/mp.litmus --format csv"),
    ("litmus-pattern", "litmus examples/sb*.litmus --format csv"),
    ("litmus-no-match", "litmus examples/nothing*.litmus"),
    ("list-models", "list models"),
    ("list-engines", "list engines"),
    ("list-formats", "list formats"),
    ("list-options", "list options"),
    ("error-engine-option", "check examples/sb.litmus --engine partial-order --rounds 3"),
    ("error-file-several", "check examples/dekker.c --model sc --model tso --witness nobody.graphml"),
    ("error-file-litmus", "check examples/sb.litmus --emit-litmus nobody.litmus"),
    ("error-file-certificate", "check examples/dekker.c --engine lazy --certificate nobody.json"),
    ("error-file-system", "check examples/mutex.cub --witness nobody.graphml"),
    ("error-system-option", "check examples/mutex.cub --k 2"),
    ("error-brab", "check examples/dekker.c --brab 2"),
    ("help", "--help"),
    ("help-check", "check --help"),
    ("help-litmus", "litmus --help"),
    ("help-why", "why --help"),
    ("help-fences", "fences --help"),
    ("help-weaken", "weaken --help"),
    ("help-run", "run --help"),
    ("help-merge", "merge --help"),
    ("help-serve", "serve --help"),
    ("help-lsp", "lsp --help"),
    ("help-list", "list --help"),
    ("version", "--version"),
    ("error-nothing", ""),
    ("error-missing-file", "check examples/nothing.litmus"),
    ("error-missing-file-like", "check examples/sbb.litmus"),
    ("error-json-missing-file", "check examples/nothing.litmus --format json"),
    ("error-json-syntax", "check corpus/ui/input/syntax.litmus --format json"),
    ("error-json-usage", "check examples/sb.litmus --format json --modl tso"),
    ("error-engine-like", "check examples/sb.litmus --engine bufers"),
    ("error-empty", "check corpus/ui/input/empty.litmus"),
    ("error-binary", "check corpus/ui/input/binary.litmus"),
    ("error-syntax", "check corpus/ui/input/syntax.litmus"),
    ("error-unknown-instruction", "check corpus/ui/input/unknown-instruction.litmus"),
    ("error-unknown-register", "check corpus/ui/input/unknown-register.litmus"),
    ("error-unknown-architecture", "check corpus/ui/input/unknown-architecture.litmus"),
    ("error-unsupported", "check corpus/ui/input/unsupported.litmus"),
    ("error-folder", "check examples"),
    ("error-ending", "check Cargo.toml"),
    ("error-unknown-model", "check examples/sb.litmus --model vax"),
    ("error-unknown-engine", "check examples/sb.litmus --engine steam"),
    ("error-refusing-engine", "check examples/sb.litmus --engine buffers --model power-frame"),
    ("error-other-architecture", "check examples/sb.litmus --model ppc"),
    ("error-model-missing", "check examples/sb.litmus --model nothing.cat"),
    ("error-model-name", "check examples/sb.litmus --model corpus/ui/input/unknown-name.cat"),
    ("error-model-syntax", "check examples/sb.litmus --model corpus/ui/input/syntax.cat"),
    ("error-fences-kind", "fences examples/sb.litmus --kinds strong"),
    ("error-fences-cost", "fences examples/sb.litmus --cost corpus/ui/input/bad-costs.txt"),
    ("error-option", "check examples/sb.litmus --frobnicate"),
    ("error-timeout", "check examples/sb.litmus --timeout soon"),
    ("error-why-all", "why examples/sb.litmus --model all"),
];

/// The output as it is written down.
fn transcript(line: &str, output: &Output) -> String {
    let code = output.status.code().map_or_else(|| "none".to_owned(), |code| code.to_string());
    let (out, err) = (without_times(&stdout(output)), without_times(&stderr(output)));
    format!("$ {}\nexit code {code}\n-- stdout\n{out}-- stderr\n{err}", format!("fencepost {line}").trim_end())
}

#[test]
fn what_users_see() {
    let folder = root().join("corpus/ui");
    let bless = std::env::var_os("BLESS").is_some();
    let mut complaints = Vec::new();
    for (name, line) in CASES {
        let args: Vec<&str> = line.split_whitespace().collect();
        let output = clean(&args).output().expect("the binary starts");
        let actual = transcript(line, &output);
        assert!(!matches!(output.status.code(), None | Some(6 | 101)), "`{line}` must not fail so:\n{actual}");
        let path = folder.join(format!("{name}.txt"));
        if bless {
            std::fs::write(&path, &actual).expect("the folder can be written to");
        } else if std::fs::read_to_string(&path).unwrap_or_default() != actual {
            complaints
                .push(format!("corpus/ui/{name}.txt differs; `cargo xtask bless` rewrites it. Now it is:\n{actual}"));
        }
    }
    assert!(complaints.is_empty(), "{}\n{} cases differ", complaints.join("\n"), complaints.len());
}

#[test]
fn every_expected_output_has_a_case() {
    if std::env::var_os("BLESS").is_some() {
        return;
    }
    let names: BTreeSet<String> = CASES.iter().map(|(name, _)| format!("{name}.txt")).collect();
    assert_eq!(names.len(), CASES.len(), "names are given once");
    let entries = std::fs::read_dir(root().join("corpus/ui")).expect("the folder is there");
    let files = entries.map(|entry| entry.expect("it can be read").path()).filter(|path| path.is_file());
    let found: BTreeSet<String> =
        files.filter_map(|path| path.file_name().map(|name| name.to_string_lossy().into_owned())).collect();
    assert_eq!(found, names);
}

#[test]
fn lines_are_as_wide_as_the_terminal() {
    for (line, columns) in
        [("check examples/dekker.c --model tso", 80), ("check examples/iriw.litmus --model power-frame", 60)]
    {
        let args: Vec<&str> = line.split_whitespace().collect();
        let output = clean(&args).env("COLUMNS", columns.to_string()).output().expect("the binary starts");
        let text = stdout(&output);
        let wide = text.lines().find(|line| line.chars().count() > columns);
        assert!(wide.is_none(), "{line}: {wide:?} is wider than {columns}");
        assert!(text.lines().count() > 10 && last(&output) == "UNSAFE", "{text}");
    }
}

#[test]
fn the_standard_input_is_a_program_too() {
    for (file, model) in
        [("examples/sb.litmus", "tso"), ("examples/store-buffering.c", "tso"), ("examples/mutex-no-fence.cub", "tso")]
    {
        let input = std::fs::File::open(root().join(file)).expect("the example is there");
        let output = clean(&["check", "-", "--model", model]).stdin(input).output().expect("the binary starts");
        assert_eq!(last(&output), "UNSAFE", "{file}: {}", stderr(&output));
    }
}

/// A program that the engine `enumerate` does not finish.
fn endless(name: &str) -> String {
    let path = scratch("ui").join(format!("{name}.litmus"));
    std::fs::write(&path, ring(24)).expect("the target folder can be written to");
    path.display().to_string()
}

#[test]
fn time_runs_out() {
    let file = endless("timeout");
    for engine in ["enumerate", "buffers"] {
        let args = ["check", &file, "--engine", engine, "--timeout", "0.01"];
        let output = clean(&args).output().expect("the binary starts");
        assert!(last(&output).starts_with("UNKNOWN (timeout"), "{engine}: {}", stdout(&output));
        assert_eq!(output.status.code(), Some(5), "{engine}");
    }
}

#[cfg(unix)]
#[test]
fn interrupted_work_ends_in_order() {
    let file = endless("interrupt");
    let mut command = clean(&["check", &file, "--engine", "enumerate", "--timeout", "60"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    // Time to start and to install the handler.
    std::thread::sleep(Duration::from_millis(700));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is installed");
    assert!(killed.success());
    let output = child.wait_with_output().expect("the process ends");
    assert_eq!(last(&output), "UNKNOWN (cancelled)");
    assert_eq!(output.status.code(), Some(5));
}

#[test]
fn a_reader_may_go_away() {
    for args in [&["litmus", "corpus/litmus", "examples", "--model", "all", "--states"][..], &["list", "models"][..]] {
        let mut child = clean(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
        let mut first = String::new();
        let mut reader = BufReader::with_capacity(16, child.stdout.take().expect("it was piped"));
        reader.read_line(&mut first).expect("there is a line");
        drop(reader);
        let output = child.wait_with_output().expect("the process ends");
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!first.is_empty());
        assert!(!complaint.contains("panic") && !complaint.contains("internal error"), "{args:?}: {complaint}");
        assert!(!matches!(output.status.code(), None | Some(6 | 101)), "{args:?}: {:?}", output.status);
    }
}
