//! How weak the memory orders of classic structures can be: `weaken` from sequential consistency everywhere, and the repair of the same
//! text with everything relaxed, which has to cost the same. The table of the book.

use crate::run::{cpu_seconds, fencepost, files, root, scratch};
use anyhow::{Context, Result};
use std::path::Path;

const MODELS: [&str; 2] = ["rc11", "aarch64"];

/// Prints a row for each structure and model; a quick look is about `aarch64` alone.
pub fn run(quick: bool) -> Result<()> {
    let binary = fencepost()?;
    let folder = scratch("orders")?;
    println!("| structure | model | weakened | repaired | CPU s |\n|---|---|---|---|---|");
    for path in files(&root().join("corpus/c/orders"), &["c"])? {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let text = std::fs::read_to_string(&path)?.replace("memory_order_seq_cst", "memory_order_relaxed");
        let relaxed = folder.join(format!("{name}.c"));
        std::fs::write(&relaxed, text).with_context(|| relaxed.display().to_string())?;
        for model in MODELS.iter().filter(|model| !quick || **model == "aarch64") {
            let (weak, first) = said(&binary, &["weaken"], &path, model)?;
            let (strong, second) = said(&binary, &["fences", "--kinds", "orders"], &relaxed, model)?;
            println!("| {name} | {model} | {weak} | {strong} | {first:.1} + {second:.1} |");
        }
    }
    Ok(())
}

/// The last line of what a command says about a program, and the CPU seconds that it took.
fn said(binary: &Path, command: &[&str], path: &Path, model: &str) -> Result<(String, f64)> {
    let path = path.display().to_string();
    let args = [command, &[path.as_str(), "--model", model]].concat();
    let (text, seconds) = cpu_seconds(binary, &args, 1)?;
    Ok((text.lines().last().unwrap_or_default().to_owned(), seconds))
}
