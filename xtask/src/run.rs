//! Where things are, and running other programs.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::time::Instant;

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or_else(|| here.to_path_buf(), Path::to_path_buf)
}

/// The corpus that lies beside the repository on some machines.
pub fn shared_corpus() -> PathBuf {
    root().join("../shared/corpus")
}

/// Cargo, in the root.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).args(args);
    command
}

/// Whether a program starts and is content with its arguments.
pub fn works(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}

/// The target folder that this program was built in.
fn target() -> Result<PathBuf> {
    let here = std::env::current_exe()?;
    Ok(here.parent().and_then(Path::parent).context("xtask lies in the target folder")?.to_path_buf())
}

/// Builds `fencepost` for speed, beside this program, and says where it is.
pub fn fencepost() -> Result<PathBuf> {
    let target = target()?;
    let mut build = cargo(&["build", "--release", "--quiet", "--package", "fencepost-cli", "--target-dir"]);
    if !build.arg(&target).status()?.success() {
        bail!("fencepost does not build");
    }
    Ok(target.join("release").join(format!("fencepost{}", std::env::consts::EXE_SUFFIX)))
}

/// What a run of `fencepost` prints, and the seconds that it took.
pub fn timed(binary: &Path, args: &[&str]) -> Result<(String, f64)> {
    let started = Instant::now();
    let output = Command::new(binary).args(args).stdin(Stdio::null()).output().context("fencepost does not start")?;
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), started.elapsed().as_secs_f64()))
}

/// What the last of some equal runs of `fencepost` prints, and the CPU seconds of one, by the shell's `times`.
pub fn cpu_seconds(binary: &Path, args: &[&str], times: u32) -> Result<(String, f64)> {
    let script = "n=$1; shift; while [ $n -gt 0 ]; do \"$@\"; n=$((n - 1)); done; times";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh", &times.to_string()]).arg(binary).args(args);
    let output = command.stdin(Stdio::null()).output().context("`sh` does not start")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().collect();
    let [said @ .., _, children] = &lines[..] else {
        bail!("{}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr));
    };
    let seconds: Option<f64> = children.split_whitespace().map(seconds).sum();
    let seconds = seconds.with_context(|| format!("`times` says `{children}`"))?;
    Ok((said.join("\n"), seconds / f64::from(times)))
}

/// The seconds that `1m2.5s` means.
fn seconds(text: &str) -> Option<f64> {
    let (minutes, seconds) = text.strip_suffix('s')?.split_once('m')?;
    Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
}

/// A number among the statistics that a run prints.
pub fn statistic<N: FromStr>(text: &str, name: &str) -> Option<N> {
    text.lines().find_map(|line| line.trim().strip_prefix(name)?.trim().parse().ok())
}

/// A folder for what a chore needs in between, below the target folder.
pub fn scratch(name: &str) -> Result<PathBuf> {
    let folder = target()?.join("xtask").join(name);
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

/// The files below a folder with one of these endings, in order; hidden folders and `target` are left out.
pub fn files(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(found) };
    let mut entries = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    entries.sort();
    for path in entries {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" {
                found.extend(files(&path, endings)?);
            }
        } else if endings.iter().any(|ending| path.extension().is_some_and(|e| e == *ending)) {
            found.push(path);
        }
    }
    Ok(found)
}
