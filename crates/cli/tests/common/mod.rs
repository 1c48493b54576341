//! What the tests of the command line share.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
pub use testkit::corpus::root;

/// The binary, in the root.
pub fn fencepost(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.current_dir(root()).args(args);
    command
}

/// The command with nothing in its environment that changes what is printed.
pub fn clean(args: &[&str]) -> Command {
    let mut command = fencepost(args);
    for name in ["COLUMNS", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RUST_BACKTRACE"] {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

/// What the binary prints on its standard output.
pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What the binary prints on its standard error.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The last line that the binary prints; if it prints none, its complaint.
pub fn last(output: &Output) -> String {
    stdout(output).lines().last().map_or_else(|| stderr(output), str::to_owned)
}

/// A folder of a test's own for files.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the target folder can be written to");
    folder
}

/// A ring of store buffering with so many threads; no engine that enumerates finishes a large one.
pub fn ring(threads: usize) -> String {
    let row = |cell: &dyn Fn(usize) -> String| {
        let cells: Vec<String> = (0..threads).map(|at| format!(" {:<12} ", cell(at))).collect();
        format!("{};\n", cells.join("|"))
    };
    let atoms: Vec<String> = (0..threads).map(|at| format!("{at}:EAX=0")).collect();
    let mut text = format!("X86 ring{threads}\n{{ }}\n");
    text += &row(&|at| format!("P{at}"));
    text += &row(&|at| format!("MOV [x{at}],$1"));
    text += &row(&|at| format!("MOV EAX,[x{}]", (at + 1) % threads));
    text + &format!("exists ({})\n", atoms.join(" /\\ "))
}
