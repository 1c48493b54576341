//! Programs of several files: what is compiled, and how.

use crate::args::C;
use crate::input;
use anyhow::{Context, Result, bail};
use fencepost::preprocess::{Flags, Input};
use serde::Deserialize;
use session::Failure;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What the command line says.
fn flags(c: &C) -> Flags {
    let defined = c.define.iter().map(|name| format!("-D{name}"));
    Flags {
        macros: defined.chain(c.undefine.iter().map(|name| format!("-U{name}"))).collect(),
        include: c.include.clone(),
        quote: c.iquote.clone(),
        system: c.isystem.clone(),
        first: c.include_first.clone(),
        standard: c.standard.clone(),
        ilp32: c.ilp32,
    }
}

/// With what the command line of a compiler says. What is for other parts of a compiler is passed over.
fn add(flags: &mut Flags, line: &[String], folder: &Path) {
    let mut words = line.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let mut value = |flag: &str| match word.strip_prefix(flag) {
            Some("") => words.next().map(str::to_owned),
            rest => rest.map(str::to_owned),
        };
        // `-include` and `-isystem` begin as `-i` does, so the longer ones come first.
        if let Some(file) = value("-include") {
            flags.first.push(folder.join(file));
        } else if let Some(path) = value("-isystem") {
            flags.system.push(folder.join(path));
        } else if let Some(path) = value("-iquote") {
            flags.quote.push(folder.join(path));
        } else if let Some(path) = value("-I") {
            flags.include.push(folder.join(path));
        } else if let Some(name) = value("-D") {
            flags.macros.push(format!("-D{name}"));
        } else if let Some(name) = value("-U") {
            flags.macros.push(format!("-U{name}"));
        } else if let Some(name) = word.strip_prefix("-std=") {
            flags.standard = Some(name.to_owned());
        } else if word == "-m32" {
            flags.ilp32 = true;
        }
    }
}

/// What the user says, and behind it what the compiler was told: of two definitions of a macro the later one counts, of two folders
/// the earlier one.
fn over(own: Flags, told: Flags) -> Flags {
    fn join<T>(first: Vec<T>, second: Vec<T>) -> Vec<T> {
        first.into_iter().chain(second).collect()
    }
    Flags {
        macros: join(told.macros, own.macros),
        include: join(own.include, told.include),
        quote: join(own.quote, told.quote),
        system: join(own.system, told.system),
        first: join(told.first, own.first),
        standard: own.standard.or(told.standard),
        ilp32: own.ilp32 || told.ilp32,
    }
}

/// An entry of a compilation database.
#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    command: String,
    #[serde(default)]
    arguments: Vec<String>,
}

/// How a file is compiled.
struct Compilation {
    /// Where the compiler runs.
    folder: PathBuf,
    file: PathBuf,
    /// Its command line.
    line: Vec<String>,
}

/// What a compilation database says.
///
/// # Errors
/// It cannot be read.
fn database(path: &Path) -> Result<Vec<Compilation>> {
    let text = input::read(path)?;
    let entries: Vec<Entry> =
        serde_json::from_str(text.text()).with_context(|| format!("{} is no compilation database", path.display()))?;
    let base = path.parent().unwrap_or(Path::new(""));
    let compilation = |entry: Entry| {
        let folder = base.join(&entry.directory);
        let line = if entry.arguments.is_empty() { words(&entry.command) } else { entry.arguments };
        Compilation { file: folder.join(&entry.file), folder, line }
    };
    Ok(entries.into_iter().map(compilation).collect())
}

/// The translation units that a command line names: its files, with what a compilation database says about them, or all files of the
/// database.
pub fn inputs(file: Option<&Path>, c: &C) -> Result<Vec<Input>> {
    let named: Vec<&Path> = file.into_iter().chain(c.more.iter().map(PathBuf::as_path)).collect();
    let Some(commands) = &c.compile_commands else {
        if named.is_empty() {
            return Err(Failure::Usage("name a program, or --compile-commands FILE".to_owned()).into());
        }
        let input = |path: &Path| Input { path: path.to_owned(), flags: flags(c) };
        return Ok(named.into_iter().map(input).collect());
    };
    let known = database_inputs(commands, c)?;
    if named.is_empty() {
        return Ok(known);
    }
    let mut found = Vec::new();
    for path in named {
        let own = known.iter().find(|input| same_file(&input.path, path));
        let Some(input) = own else {
            let reason = format!("{} is not in {}", path.display(), commands.display());
            let help = "name files that the compilation database has, or none for all of them".to_owned();
            return Err(Failure::Refused(reason, help).into());
        };
        found.push(Input { path: path.to_owned(), flags: input.flags.clone() });
    }
    Ok(found)
}

/// Whether two paths lead to the same file.
fn same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        (_, _) => one == other,
    }
}

fn database_inputs(path: &Path, c: &C) -> Result<Vec<Input>> {
    let here = std::env::current_dir().unwrap_or_default();
    let mut inputs: Vec<Input> = Vec::new();
    for Compilation { folder, file, line } in database(path)? {
        let file = file.strip_prefix(&here).map_or(file.clone(), Path::to_owned);
        let mut told = Flags::default();
        add(&mut told, &line, &folder);
        let told = over(flags(c), told);
        // A file that is compiled twice would be linked twice.
        if file.extension() == Some(OsStr::new("c")) && !inputs.iter().any(|known| known.path == file) {
            inputs.push(Input { path: file, flags: told });
        }
    }
    if inputs.is_empty() {
        bail!("{} names no C file", path.display());
    }
    Ok(inputs)
}

/// The words of a command, as a shell takes it apart.
fn words(command: &str) -> Vec<String> {
    let (mut all, mut word, mut begun) = (Vec::new(), String::new(), false);
    let mut letters = command.chars();
    let mut quote = None;
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => {
                word.extend(letters.next());
                begun = true;
            }
            (_, Some(open)) if letter == open => quote = None,
            (_, Some(_)) => word.push(letter),
            ('"' | '\'', None) => {
                quote = Some(letter);
                begun = true;
            }
            (_, None) if letter.is_whitespace() => {
                if begun {
                    all.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            (_, None) => {
                word.push(letter);
                begun = true;
            }
        }
    }
    if begun {
        all.push(word);
    }
    all
}

/// A command line as clap reads it: compilers write some long options with one dash.
pub fn normalised(line: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let long = |word: OsString| match word.to_str() {
        Some("-include" | "-isystem" | "-iquote") => OsString::from(format!("-{}", word.to_string_lossy())),
        Some(text) if text.starts_with("-std=") => OsString::from(format!("-{text}")),
        _ => word,
    };
    line.into_iter().map(long).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_taken_apart_as_a_shell_does() {
        let line = r#"cc -DNAME='"a b"' -I"x y" -Dz\ z  -c a.c """#;
        assert_eq!(words(line), ["cc", "-DNAME=\"a b\"", "-Ix y", "-Dz z", "-c", "a.c", ""]);
        assert_eq!(words("cc -DA='1 2' \"-D B\" a\\ b.c "), ["cc", "-DA=1 2", "-D B", "a b.c"]);
    }

    #[test]
    fn flags_are_those_of_the_preprocessor() {
        let mut flags = Flags::default();
        let line = [
            "cc", "-O2", "-Iinc", "-I", "more", "-DA=1", "-U", "B", "-include", "c.h", "-isystem", "s", "-std=c99",
            "-o", "x",
        ];
        add(&mut flags, &line.map(str::to_owned), Path::new("/p"));
        assert_eq!(flags.macros, ["-DA=1", "-UB"]);
        assert_eq!(flags.include, [Path::new("/p/inc"), Path::new("/p/more")]);
        assert_eq!((flags.first, flags.system), (vec!["/p/c.h".into()], vec!["/p/s".into()]));
        assert_eq!(flags.standard.as_deref(), Some("c99"));
    }
}
