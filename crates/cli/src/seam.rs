//! An engine more: what it takes is the engine itself and a line in a list of engines.

use crate::args::What;
use crate::{UNKNOWN, USAGE, list, own, run, shell};
use clap_complete::Shell;
use engine::{
    Answer, Bound, Declared, Engine, Findings, Guarantee, NoAnswer, Number, Observer, Question, Refusal, Task,
};
use session::Engines;
use std::ffi::OsString;
use std::path::Path;

const MOST: Number =
    Number { name: "most", value: "N", help: "How many instructions an execution may have", range: (0, 100) };

/// Covers the executions of so few instructions that no thread can have come to its end.
#[derive(Debug)]
struct Brief;

impl Engine for Brief {
    fn name(&self) -> &'static str {
        "brief"
    }

    fn about(&self) -> &'static str {
        "executions that are over before they begin"
    }

    fn options(&self) -> Vec<Declared> {
        vec![MOST.declared()]
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Refusal> {
        match task.question {
            Question::Reach(_) => Ok(()),
            Question::States | Question::Violation(_) => Err(Refusal::new("no final states", "ask for one")),
        }
    }

    fn run(&self, task: &Task<'_>, _observer: &dyn Observer) -> Result<Answer, NoAnswer> {
        let (most, Question::Reach(goals)) = (MOST.of(task.options).unwrap_or(0), task.question) else {
            return Err(NoAnswer::GaveUp("not accepted".to_owned()));
        };
        let needed: usize = task.program.functions.iter().map(|function| function.blocks[0].instrs.len()).sum();
        if most as usize >= needed {
            return Err(NoAnswer::GaveUp(format!("an execution may end within {most} instructions")));
        }
        let bound = Bound::limit("instructions", most, format!("at most {most} instructions are executed"));
        let findings = Findings::Reach(vec![None; goals.len()]);
        Ok(Answer { findings, guarantee: Guarantee::within([bound]), statistics: Vec::new() })
    }
}

/// The line.
static ENGINES: Engines = &[&Brief];

/// What `check` writes to a file, and its exit code.
fn check(more: &[&str]) -> (String, u8) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (to, test) =
        (folder.path().join("out"), Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sb.litmus"));
    let line =
        ["fencepost", "check"].map(OsString::from).into_iter().chain([test.into(), "-o".into(), to.clone().into()]);
    let code = run(ENGINES, line.chain(more.iter().map(OsString::from)));
    (std::fs::read_to_string(to).unwrap_or_default(), code)
}

#[test]
fn its_verdict_has_its_own_bound() {
    let (text, code) = check(&["--engine", "brief", "--most", "1"]);
    assert_eq!((text.lines().last(), code), (Some("SAFE (instructions 1)"), UNKNOWN));
    let words = "Proved for all executions in which at most 1 instructions are executed; others were not looked at.";
    assert!(text.contains(words), "{text}");
    let (json, _) = check(&["--engine", "brief", "--most", "1", "--format", "json"]);
    let json: String = json.split_whitespace().collect();
    assert!(json.contains(r#""bounds":[{"name":"instructions","value":1,"within":"#), "{json}");
    let (text, code) = check(&["--engine", "brief", "--most", "100"]);
    assert_eq!((text.lines().last(), code), (Some("UNKNOWN (an execution may end within 100 instructions)"), UNKNOWN));
    assert_eq!(check(&["--engine", "brief", "--most", "101"]), (String::new(), USAGE), "out of range");
}

#[test]
fn the_command_line_knows_it() {
    let listed = |what| list::text(what, ENGINES).expect("a list");
    assert!(listed(What::Engines).contains("brief          executions that are over before they begin"));
    assert!(listed(What::Options).starts_with("--most 0..100 "));
    let mut command = own::command(ENGINES);
    let check = command.find_subcommand_mut("check").expect("a command");
    assert!(check.render_long_help().to_string().contains("--most <N>"));
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        let script = shell::script(shell, ENGINES).expect("a script");
        assert!(script.contains("most") && script.contains("brief") && script.contains("x86tso"), "{shell}\n{script}");
    }
    let page = shell::page(Some("check"), ENGINES).expect("a page");
    assert!(page.contains(r"\-\-most") && page.starts_with(".ie"), "{page}");
}
