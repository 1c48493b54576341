//! `fencepost run` and `fencepost merge`, and the commands of `contrib/`.

use crate::common::{clean, root, scratch, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A project with a target of each kind in a folder of its own.
fn project(name: &str) -> PathBuf {
    let folder = scratch("project").join(name);
    // What is left from before would be found in the cache.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("include")).expect("the target folder can be written to");
    for file in ["sb.litmus", "mp.litmus", "mutex-no-fence.cub"] {
        std::fs::copy(root().join("examples").join(file), folder.join(file)).expect("the example is there");
    }
    let program = "#include \"value.h\"\n#include <assert.h>\nint main(void) { assert(VALUE == WANTED); return 0; }\n";
    write(&folder, "value.c", program);
    write(&folder, "include/value.h", "#define VALUE 1\n");
    let text = "[defaults]\nmodels = [\"tso\"]\n\n\
        [[target]]\nfile = \"sb.litmus\"\nmodels = [\"sc\", \"tso\"]\nexpect = { sc = \"safe\", tso = \"unsafe\" }\n\n\
        [[target]]\nname = \"value\"\nfile = \"value.c\"\ndefine = [\"WANTED=1\"]\ninclude = [\"include\"]\n\n\
        [[target]]\nfiles = [\"m*.litmus\", \"*.cub\"]\nexpect = \"any\"\n";
    write(&folder, "fencepost.toml", text);
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("the target folder can be written to");
}

fn run(folder: &Path, args: &[&str]) -> Output {
    clean(args).current_dir(folder).output().expect("the binary starts")
}

/// The rows without what differs from run to run.
fn rows(output: &Output) -> Vec<String> {
    let timed = |line: &str| {
        let mut row: Vec<&str> =
            line.split(',').filter(|part| !part.contains("\"seconds\":") && !part.contains("\"cached\":")).collect();
        row.sort_unstable();
        row.join(",")
    };
    stdout(output).lines().map(timed).collect()
}

#[test]
fn files_are_preprocessed_as_the_compilation_database_says() {
    let folder = project("database");
    let command = "cc -UWANTED -include wanted.h -Iinclude -DMORE=1 -c value.c";
    let database = format!("[{{\"directory\": \".\", \"file\": \"value.c\", \"command\": \"{command}\"}}]");
    write(&folder, "compile_commands.json", &database);
    write(&folder, "wanted.h", "#define WANTED MORE\n");
    let target = "[[target]]\nfile = \"value.c\"\nmodel = \"sc\"\ncompile-commands = \"compile_commands.json\"\n";
    write(&folder, "fencepost.toml", target);
    let output = run(&folder, &["run"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    write(&folder, "fencepost.toml", &format!("{target}define = [\"MORE=2\"]\n"));
    let output = run(&folder, &["run"]);
    assert_eq!(output.status.code(), Some(10), "the project says more: {}", stdout(&output));
    write(&folder, "fencepost.toml", &format!("{target}entry = \"start\"\n"));
    write(&folder, "value.c", "#include <assert.h>\nint x;\nvoid start(void) { assert(MORE == 1 && x == 0); }\n");
    let output = run(&folder, &["run"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    write(&folder, "compile_commands.json", "[]");
    assert_eq!(run(&folder, &["run"]).status.code(), Some(2), "the file is not in the database");
}

#[test]
fn verdicts_are_compared_with_what_the_project_expects() {
    let folder = project("expected");
    let output = run(&folder, &["run"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).ends_with("5 as expected\n"), "{}", stdout(&output));
    // The header is changed: what depends on it is checked again, and all else is known.
    write(&folder, "include/value.h", "#define VALUE 2\n");
    let output = run(&folder, &["run"]);
    assert_eq!(output.status.code(), Some(10), "{}", stdout(&output));
    assert_eq!(stdout(&output).matches("(cached)").count(), 4, "{}", stdout(&output));
    assert!(stdout(&output).contains("failed     value"), "{}", stdout(&output));
    write(&folder, "value.c", "int main(void) { return }\n");
    assert_eq!(run(&folder, &["run"]).status.code(), Some(2));
    let output = run(&folder, &["run", "nothing.toml"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

/// A model is what it includes: a file of another folder that is changed makes its results new.
#[test]
fn included_models_are_part_of_a_result() {
    let folder = project("included");
    std::fs::create_dir_all(folder.join("models")).expect("the target folder can be written to");
    std::fs::create_dir_all(folder.join("parts")).expect("the target folder can be written to");
    write(&folder, "models/own.cat", "\"own\"\ninclude \"../parts/part.cat\"\nacyclic all as sc\n");
    write(&folder, "parts/part.cat", "let all = po | rf | fr | co\n");
    write(
        &folder,
        "fencepost.toml",
        "[[target]]\nfile = \"sb.litmus\"\nmodels = [\"models/own.cat\"]\nexpect = \"safe\"\n",
    );
    assert_eq!(run(&folder, &["run"]).status.code(), Some(0));
    assert!(stdout(&run(&folder, &["run"])).contains("(cached)"));
    write(&folder, "parts/part.cat", "let all = rf | co\n");
    let output = run(&folder, &["run"]);
    assert_eq!(output.status.code(), Some(10), "{}", stdout(&output));
}

#[test]
fn bounds_must_be_allowed() {
    let folder = project("bounded");
    let program = "#include <assert.h>\nextern unsigned __VERIFIER_nondet_uint(void);\nint main(void)\n{\n    unsigned n = 0;\n\
        \x20   while (n < 100000u) {\n        n += 1u + (__VERIFIER_nondet_uint() & 1u);\n        assert(n != 0u);\n    }\n    return 0;\n}\n";
    write(&folder, "loop.c", program);
    write(&folder, "fencepost.toml", "[[target]]\nfile = \"loop.c\"\nengine = \"partial-order\"\nunwind = 2\n");
    let output = run(&folder, &["run"]);
    assert_eq!(output.status.code(), Some(5), "{}{}", stdout(&output), stderr(&output));
    assert_eq!(run(&folder, &["run", "--allow-bounded"]).status.code(), Some(0));
}

#[test]
fn shards_come_together_to_the_whole() {
    let folder = project("shards");
    let whole = run(&folder, &["run", "--no-cache", "--format", "jsonl"]);
    let mut files = Vec::new();
    for shard in ["0/3", "1/3", "2/3"] {
        let file = format!("{}.jsonl", &shard[..1]);
        run(&folder, &["run", "--no-cache", "--shard", shard, "--format", "jsonl", "--output", &file]);
        files.push(file);
    }
    let merged = run(&folder, &["merge", &files[2], &files[0], &files[1], "--format", "jsonl"]);
    assert_eq!(rows(&whole).len(), 5);
    assert_eq!(rows(&whole), rows(&merged));
    assert_eq!(whole.status.code(), merged.status.code());
    let missing = run(&folder, &["merge", &files[0], &files[2]]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("row 1 of 5 is missing"), "{}", stderr(&missing));
    let twice = run(&folder, &["merge", &files[0], &files[0], &files[1], &files[2]]);
    assert!(stderr(&twice).contains("is there twice"), "{}", stderr(&twice));
}

/// A shell in a project, with the binary on its path.
fn shell(folder: &Path, script: &str, variables: &[(&str, &str)]) -> Output {
    let binary = Path::new(env!("CARGO_BIN_EXE_fencepost"));
    let own = binary.parent().expect("the binary is in a folder").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("bash");
    command.arg("-ec").arg(script).current_dir(folder).env("PATH", format!("{own}:{path}"));
    command.envs(variables.iter().copied()).output().expect("bash starts")
}

fn contrib(name: &str) -> String {
    std::fs::read_to_string(root().join("contrib").join(name)).expect("the file is there")
}

/// The lines of a block of YAML that begins with a line that ends in `head`, without their indentation.
fn block(text: &str, head: &str) -> String {
    let lines = text.lines().skip_while(|line| line.trim() != head).skip(1);
    let mut lines = lines.peekable();
    let indent = lines.peek().map_or(0, |line| line.len() - line.trim_start().len());
    let inside = lines.take_while(|line| line.len() - line.trim_start().len() >= indent && !line.is_empty());
    inside.map(|line| format!("{}\n", line[indent..].trim_start_matches("- "))).collect()
}

#[test]
fn the_action_checks_and_reports() {
    let folder = project("action");
    let script = block(&contrib("github-action/action.yml"), "run: |");
    let variables = [("PROJECT", "fencepost.toml"), ("ARGUMENTS", "--jobs 1"), ("GITHUB_STEP_SUMMARY", "summary.md")];
    let output = shell(&folder, &script, &variables);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let summary = std::fs::read_to_string(folder.join("summary.md")).expect("the summary was written");
    assert!(summary.starts_with("### Fencepost: 5 as expected"), "{summary}");
    assert!(folder.join("fencepost.sarif").is_file() && folder.join("fencepost.xml").is_file());
    write(&folder, "include/value.h", "#define VALUE 2\n");
    assert_eq!(shell(&folder, &script, &variables).status.code(), Some(10));
}

#[test]
fn the_template_of_gitlab_makes_shards() {
    let folder = project("gitlab");
    let script = block(&contrib("gitlab/fencepost.gitlab-ci.yml"), "script:");
    for index in ["1", "2"] {
        let output = shell(&folder, &script, &[("CI_NODE_INDEX", index), ("CI_NODE_TOTAL", "2")]);
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    }
    let merged = run(&folder, &["merge", "fencepost-1.jsonl", "fencepost-2.jsonl"]);
    assert!(stdout(&merged).ends_with("5 as expected\n"), "{}", stdout(&merged));
}

#[test]
fn the_hook_checks_what_has_changed() {
    let folder = project("hook");
    let hook = contrib("pre-commit/.pre-commit-hooks.yaml");
    let entry = hook.lines().find_map(|line| line.trim().strip_prefix("entry: ")).expect("the hook has an entry");
    let git = "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm a";
    let output = shell(&folder, git, &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let output = shell(&folder, &format!("{entry} --no-cache"), &[]);
    assert!(stdout(&output).ends_with("nothing to check\n"), "{}{}", stdout(&output), stderr(&output));
    write(&folder, "include/value.h", "#define VALUE 2\n");
    let output = shell(&folder, &format!("{entry} --no-cache"), &[]);
    assert_eq!(output.status.code(), Some(10));
    assert!(stdout(&output).ends_with("\n1 failed\n"), "{}", stdout(&output));
}

#[test]
fn a_test_of_cmake_checks_a_project() {
    let folder = project("cmake");
    if Command::new("cmake").arg("--version").output().is_err() {
        // Without CMake the command that its module runs is tested at least.
        let module = contrib("cmake/Fencepost.cmake");
        assert!(module.contains("COMMAND \"${FENCEPOST_EXECUTABLE}\" run \"${path}\""));
        assert_eq!(run(&folder, &["run", &folder.join("fencepost.toml").display().to_string()]).status.code(), Some(0));
        return;
    }
    let module = root().join("contrib/cmake/Fencepost.cmake").display().to_string();
    let lists = format!(
        "cmake_minimum_required(VERSION 3.10)\nproject(p NONE)\nenable_testing()\ninclude(\"{module}\")\nfencepost_add_project(weak fencepost.toml)\n"
    );
    write(&folder, "CMakeLists.txt", &lists);
    let output = shell(&folder, "cmake -S . -B build > log && cd build && ctest", &[]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
}

/// What the release workflow packs: every command has its manual page, every shell its completions, and the same files make the same archive.
#[test]
fn a_release_has_manuals_and_completions() {
    let folder = project("release");
    let script = root().join("contrib/release/archive.sh").display().to_string();
    let binary = env!("CARGO_BIN_EXE_fencepost");
    let pack = |name: &str| {
        let output =
            shell(&folder, &format!("sh '{script}' '{binary}' {name} && sha256sum -c {name}.tar.gz.sha256"), &[]);
        assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
        std::fs::read(folder.join(format!("{name}.tar.gz"))).expect("the archive is there")
    };
    assert!(pack("fencepost-0") == pack("fencepost-0"), "the archive differs from run to run");
    let list = stdout(&shell(&folder, "tar tzf fencepost-0.tar.gz", &[]));
    let help = stdout(&run(&folder, &["--help"]));
    let commands = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let commands = commands.take_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix("  "));
    let commands: Vec<&str> =
        commands.filter_map(|line| line.split(' ').next().filter(|word| !word.is_empty())).collect();
    assert!(commands.contains(&"check"), "{help}");
    for command in commands.iter().filter(|command| !["help", "completions", "man"].contains(command)) {
        assert!(list.contains(&format!("man1/fencepost-{command}.1\n")), "{command}: {list}");
    }
    for file in
        ["bin/fencepost", "completions/fencepost", "_fencepost", "fencepost.fish", "models/tso.cat", "LICENSE-MIT"]
    {
        assert!(list.contains(&format!("{file}\n")), "{file}: {list}");
    }
    let workflow = std::fs::read_to_string(root().join(".github/workflows/release.yml")).expect("there is a workflow");
    assert!(workflow.contains("contrib/release/archive.sh"));
}
