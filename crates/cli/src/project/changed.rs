//! Which files have changed, as git sees it.

use super::usage;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files that have changed.
pub struct Changed(BTreeSet<PathBuf>);

impl Changed {
    /// Whether a file is one of them.
    pub fn touches(&self, path: &Path) -> bool {
        std::fs::canonicalize(path).is_ok_and(|path| self.0.contains(&path))
    }
}

fn git(folder: &Path, args: &[&str]) -> Result<String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let output = Command::new("git").arg("-C").arg(folder).args(args).output().context("cannot run git")?;
    if !output.status.success() {
        bail!("git {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim_end());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The files that differ from a commit: in later commits, in the working tree, and those that git does not know yet.
///
/// # Errors
/// There is no git, or no such commit.
pub fn since(folder: &Path, reference: &str) -> Result<Changed> {
    if reference.starts_with('-') {
        return Err(usage(format!("`{reference}` is no commit")));
    }
    let root = PathBuf::from(git(folder, &["rev-parse", "--show-toplevel"])?.trim_end_matches('\n'));
    let differing = git(&root, &["diff", "--name-only", "-z", reference, "--"])?;
    let unknown = git(&root, &["ls-files", "--others", "--exclude-standard", "-z"])?;
    let names = differing.split('\0').chain(unknown.split('\0')).filter(|name| !name.is_empty());
    Ok(Changed(names.filter_map(|name| std::fs::canonicalize(root.join(name)).ok()).collect()))
}
