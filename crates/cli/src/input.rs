//! Files: programs, models, folders, patterns and lists.

use crate::args::C;
use crate::competition::Specification;
use crate::{output, units};
use anyhow::{Context, Result, bail};
use fencepost::preprocess::{MAX_BYTES, preprocess, with_included};
use front_c::Unit;
use model::{Include, Model};
use session::{Failure, Reading};
use source::SourceFile;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Reads a text file.
pub fn read(path: &Path) -> Result<SourceFile> {
    let name = path.display().to_string();
    let meta = match std::fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => bail!("{}", missing(path)),
        other => other.with_context(|| format!("cannot read {name}"))?,
    };
    if meta.is_dir() {
        bail!("{name} is a folder; `fencepost litmus` takes folders");
    }
    if meta.len() > MAX_BYTES {
        bail!("{name} has {} bytes; files up to {MAX_BYTES} are read", meta.len());
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
    text(name, bytes)
}

fn text(name: String, bytes: Vec<u8>) -> Result<SourceFile> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(SourceFile::new(name, text)),
        Err(error) => bail!("{name} is no text: byte {} is not UTF-8", error.utf8_error().valid_up_to()),
    }
}

/// That there is no such file, and the name beside it that is nearly the same, if there is one.
fn missing(path: &Path) -> String {
    let said = format!("there is no file {}", path.display());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(wanted) = path.file_name().map(|name| name.to_string_lossy()) else { return said };
    let Ok(entries) = std::fs::read_dir(folder) else { return said };
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()));
    let nearest = names.map(|name| (model::distance(&wanted, &name), name)).min();
    match nearest {
        Some((far, name)) if far <= 2 && far < wanted.chars().count() => {
            format!("{said}; did you mean {}?", path.with_file_name(name).display())
        }
        Some(_) | None => said,
    }
}

/// The standard input, under a name whose ending says what language it is.
fn read_stdin() -> Result<SourceFile> {
    let mut bytes = Vec::new();
    std::io::stdin().take(MAX_BYTES + 1).read_to_end(&mut bytes).context("cannot read the standard input")?;
    if bytes.len() as u64 > MAX_BYTES {
        bail!("the standard input has more than {MAX_BYTES} bytes");
    }
    let file = text("stdin".to_owned(), bytes)?;
    Ok(SourceFile::new(format!("stdin.{}", language(file.text())), file.text().to_owned()))
}

/// The ending of files in the language of a text. A litmus test begins with its architecture and its name; an array-based
/// system has transitions; all else is C.
fn language(text: &str) -> &'static str {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_name = |word: &str| !word.is_empty() && !word.contains(['(', ';', '=', '*']);
    let architectures = ["X86", "X86_64", "PPC", "AArch64", "ARM", "RISCV", "C", "LISA", "MIPS"];
    if architectures.contains(&first) && words.next().is_some_and(is_name) {
        return "litmus";
    }
    let begins = |word: &str| text.lines().any(|line| line.split([' ', '(', '\t']).next() == Some(word));
    if begins("transition") && begins("unsafe") { "cub" } else { "c" }
}

/// Reads a program and says how to understand it; `.c` files go through the C preprocessor.
pub fn read_program(path: Option<&Path>, c: &C) -> Result<(SourceFile, Reading)> {
    let competition = c.ignores_assertions();
    if let Some(property) = &c.svcomp_property {
        Specification::read(property)?;
    }
    let inputs = units::inputs(path, c)?;
    let mut files: Option<SourceFile> = None;
    let mut units = Vec::new();
    for input in &inputs {
        let file = if input.path == Path::new("-") { read_stdin()? } else { read(&input.path)? };
        let is_c = [".c", ".i"].iter().any(|ending| file.name().ends_with(ending));
        if inputs.len() > 1 && !is_c {
            let message = format!("{}: only C programs have several files", file.name());
            return Err(Failure::Usage(message).into());
        }
        let preprocessed = match file.name().ends_with(".c") {
            true => Some(preprocess(input, &file)?),
            false => None,
        };
        units.push(Unit { name: file.name().to_owned(), preprocessed });
        files = Some(match files {
            None => file,
            Some(all) => all.with_files([(file.name().to_owned(), file.text().to_owned())]),
        });
    }
    let Some(files) = files else { bail!("there is no program") };
    let files =
        units.iter().filter_map(|unit| unit.preprocessed.as_deref()).fold(files, |all, text| with_included(&all, text));
    let c = front_c::Options {
        ilp32: c.ilp32,
        competition,
        checks: c.checks(),
        seams: false,
        non_atomic: false,
        entry: c.entry.clone(),
    };
    Ok((files, Reading { units, c }))
}

/// The models that the names stand for; `all` for every model that comes with Fencepost.
pub fn models(names: &[String]) -> Result<Vec<Model>> {
    let mut found: Vec<Model> = Vec::new();
    for name in names {
        let new = if name == "all" {
            session::models()
        } else if Path::new(name).extension().is_some_and(|extension| extension == "cat") {
            vec![model_file(Path::new(name))?]
        } else {
            vec![session::model(name)?]
        };
        found.extend(
            new.into_iter().filter(|model| found.iter().all(|known| known.name != model.name)).collect::<Vec<_>>(),
        );
    }
    Ok(found)
}

/// Includes are looked for beside the file that includes them.
pub struct Beside(pub PathBuf);

impl Include for Beside {
    fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.0.join(name)).ok()
    }
}

fn model_file(path: &Path) -> Result<Model> {
    let model = read_model(path)?;
    let color = output::color(&std::io::stderr());
    model.warnings.iter().for_each(|warning| output::say(&warning.render(color)));
    Ok(model)
}

fn read_model(path: &Path) -> Result<Model> {
    let file = read(path)?;
    let name = path.file_stem().map_or_else(|| "model".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    Ok(session::model_from(&name, &file, &Beside(folder))?)
}

/// What the program has to say because of these models. What is wrong with a name is said where it is used.
pub fn suit_models(checks: &mut front_c::Checks, names: &[String]) {
    let model = |name: &String| match Path::new(name).extension() {
        Some(extension) if extension == "cat" => read_model(Path::new(name)).ok(),
        _ => session::model(name).ok(),
    };
    let named = names.iter().filter(|name| *name != "all");
    let models: Vec<Model> = named.filter_map(model).collect();
    checks.begins = models.iter().any(Model::undefines);
    // Without a name, and with `all`, there are such models among those that are asked.
    checks.zeros = models.len() < names.len().max(1) || models.iter().any(Model::reorders_writes);
}

/// The litmus files that arguments stand for: files, folders, patterns, and lists of these behind `@`.
pub fn litmus_files(arguments: &[String]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for argument in arguments {
        expand(argument, Path::new(""), 0, &mut files)?;
    }
    Ok(files)
}

fn expand(argument: &str, base: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    if let Some(list) = argument.strip_prefix('@') {
        if depth > 8 {
            bail!("{list}: lists of lists go too deep");
        }
        let path = base.join(list);
        let text = read(&path)?;
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        for line in text.text().lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            expand(line, &folder, depth + 1, files)?;
        }
        return Ok(());
    }
    let path = base.join(argument);
    if path.is_dir() {
        let before = files.len();
        folder(&path, files)?;
        if files.len() == before {
            bail!("{argument}: no litmus tests in this folder");
        }
        return Ok(());
    }
    if !path.exists() && argument.contains(['*', '?', '[']) {
        let pattern = path.to_string_lossy().into_owned();
        let before = files.len();
        let matches = glob::glob(&pattern).map_err(|error| Failure::Usage(format!("{argument}: {error}")))?;
        for found in matches {
            let found = found?;
            if found.is_dir() { folder(&found, files)? } else { files.push(found) }
        }
        if files.len() == before {
            bail!("{argument}: no such file");
        }
        return Ok(());
    }
    files.push(path);
    Ok(())
}

/// All litmus files below a folder, in order.
fn folder(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut entries = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            folder(&entry, files)?;
        } else if entry.extension().is_some_and(|extension| extension == "litmus") {
            files.push(entry);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::language;

    #[test]
    fn texts_say_what_language_they_are() {
        assert_eq!(language("X86 SB\n{ }\n P0 ;\n"), "litmus");
        assert_eq!(language("\nC mp+rel\n{}\nP0 (int *x) {}\n"), "litmus");
        assert_eq!(language("typedef int C;\nC x;\nint main(void) { return 0; }\n"), "c");
        assert_eq!(language("#include <assert.h>\nint main(void) {}"), "c");
        assert_eq!(
            language("array X[proc] : bool\ninit (i) { X[i] = True }\nunsafe (i j) { }\ntransition t (i)\n"),
            "cub"
        );
        assert_eq!(language(""), "c");
    }
}
