//! Collects the files of `models/`, so that adding a model needs no Rust.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("models").canonicalize()?;
    println!("cargo::rerun-if-changed={}", directory.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "cat") {
            files.push(path);
        }
    }
    files.sort();
    let (mut models, mut parts) = (String::new(), String::new());
    for path in files {
        println!("cargo::rerun-if-changed={}", path.display());
        let name = path.file_stem().and_then(|name| name.to_str()).ok_or("the name of a model is not UTF-8")?;
        let text = std::fs::read_to_string(&path)?;
        // A file that is only there to be included says so with a line `@library` in its head.
        let list = if text.lines().any(|line| line.trim() == "@library") { &mut parts } else { &mut models };
        writeln!(list, "    ({name:?}, include_str!({path:?})),")?;
    }
    let table =
        format!("const MODELS: &[(&str, &str)] = &[\n{models}];\nconst PARTS: &[(&str, &str)] = &[\n{parts}];\n");
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("library.rs"), table)?;
    Ok(())
}
