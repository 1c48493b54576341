//! The system's C preprocessor.

use crate::args::C;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A folder with our own headers, gone when this is.
fn headers() -> Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("fencepost-").tempdir().context("cannot make a temporary folder")?;
    for (name, text) in front_c::headers() {
        let path = folder.path().join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(folder)
}

/// What the preprocessor makes of a file.
pub fn preprocess(path: &Path, c: &C) -> Result<String> {
    run(path, c, None)
}

/// What the preprocessor makes of another text in the place of a file.
pub fn preprocess_text(path: &Path, c: &C, text: &str) -> Result<String> {
    run(path, c, Some(text))
}

fn run(path: &Path, c: &C, text: Option<&str>) -> Result<String> {
    let headers = headers()?;
    let changed = headers.path().join("changed.c");
    if let Some(text) = text {
        std::fs::write(&changed, text).with_context(|| format!("cannot write {}", changed.display()))?;
    }
    let own = std::env::var_os("CC");
    let compilers = own.iter().map(std::ffi::OsString::as_os_str).chain(["cc", "gcc", "clang"].map(AsRef::as_ref));
    for compiler in compilers {
        let mut command = Command::new(compiler);
        command.args(["-E", "-std=gnu11", "-D__FENCEPOST__=1", "-U__SIZEOF_INT128__", "-x", "c"]);
        // clang says so, gcc does not.
        command.arg("-D__LITTLE_ENDIAN__=1");
        command.args(c.define.iter().map(|definition| format!("-D{definition}")));
        for folder in &c.include {
            command.arg("-I").arg(folder);
        }
        let input = if text.is_some() {
            // What the file includes is beside the file.
            command.arg("-iquote").arg(path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")));
            &changed
        } else {
            path
        };
        command.arg("-isystem").arg(headers.path().join("first"));
        command.arg("-idirafter").arg(headers.path()).arg(input).stdin(Stdio::null());
        let output = match command.output() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            other => other.with_context(|| format!("cannot run {}", compiler.display()))?,
        };
        if !output.status.success() {
            bail!(
                "the preprocessor does not take {}:\n{}",
                path.display(),
                String::from_utf8_lossy(&output.stderr).trim_end()
            );
        }
        return String::from_utf8(output.stdout).with_context(|| format!("{} is no UTF-8 text", path.display()));
    }
    bail!(
        "there is no C compiler to preprocess {}; install one, set CC, or give a preprocessed .i file",
        path.display()
    )
}
