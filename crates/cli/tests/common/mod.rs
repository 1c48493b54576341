//! What the tests of the command line share.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("crates/cli lies two folders below the root").to_path_buf()
}

/// The binary, in the root.
pub fn fencepost(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.current_dir(root()).args(args);
    command
}

/// What the binary prints on its standard output.
pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A folder of a test's own for files.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the target folder can be written to");
    folder
}

/// The litmus files in a folder, in order.
pub fn litmus_files(folder: &Path) -> Vec<PathBuf> {
    files(folder, "litmus")
}

/// The C files in a folder, in order.
pub fn c_files(folder: &Path) -> Vec<PathBuf> {
    files(folder, "c")
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("folders can be read").path());
    let mut found: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == extension)).collect();
    found.sort();
    found
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

/// Small and good enough to choose places: the generator of Steele, Lea and Flood ("SplitMix").
pub struct Dice(pub u64);

impl Dice {
    /// A number below this one.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % end.max(1) as u64) as usize
    }
}

/// Flips some bytes, truncates, or doubles a part.
pub fn damaged(mut bytes: Vec<u8>, how: usize, dice: &mut Dice) -> Vec<u8> {
    match how {
        0 => {
            for _ in 0..=dice.below(4) {
                let at = dice.below(bytes.len());
                bytes[at] ^= 1 << dice.below(8);
            }
        }
        1 => bytes.truncate(dice.below(bytes.len())),
        _ => {
            let from = dice.below(bytes.len());
            let to = from + dice.below(bytes.len() - from);
            let part = bytes[from..to].to_vec();
            bytes.splice(to..to, part);
        }
    }
    bytes
}
