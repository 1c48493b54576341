//! The flags of a file in `compile_commands.json` that mean something here: macros and folders with headers.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Macros and folders.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// Of `-D`.
    pub define: Vec<String>,
    /// Of `-I`, `-isystem` and `-iquote`.
    pub include: Vec<PathBuf>,
}

/// The flags of a file.
///
/// # Errors
/// The file is not in the list, or has a flag that would change the program and is not known here.
pub fn flags(commands: &Path, file: &Path) -> Result<Flags> {
    let text = std::fs::read_to_string(commands).with_context(|| format!("cannot read {}", commands.display()))?;
    let all: Vec<Value> =
        serde_json::from_str(&text).with_context(|| format!("{} is no list of commands", commands.display()))?;
    let wanted = std::fs::canonicalize(file).with_context(|| format!("cannot read {}", file.display()))?;
    for entry in &all {
        let directory = Path::new(entry["directory"].as_str().unwrap_or(""));
        let path = directory.join(entry["file"].as_str().unwrap_or(""));
        if std::fs::canonicalize(&path).is_ok_and(|path| path == wanted) {
            return of_words(&words(entry), directory);
        }
    }
    bail!("{} has no command for {}", commands.display(), file.display())
}

fn words(entry: &Value) -> Vec<String> {
    if let Some(arguments) = entry["arguments"].as_array() {
        return arguments.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    }
    split(entry["command"].as_str().unwrap_or(""))
}

/// The words of a command as a shell has them: blanks, quotes and backslashes.
fn split(command: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut quote, mut begun) = (String::new(), None, false);
    let mut letters = command.chars();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() => {
                if std::mem::take(&mut begun) {
                    words.push(std::mem::take(&mut word));
                }
                continue;
            }
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None | Some('"'), '\\') => word.extend(letters.next()),
            (_, c) => word.push(c),
        }
        begun = true;
    }
    if begun {
        words.push(word);
    }
    words
}

fn of_words(words: &[String], directory: &Path) -> Result<Flags> {
    let mut flags = Flags::default();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        let mut value = |flag: &str| match &word[flag.len()..] {
            "" => words.next().cloned().unwrap_or_default(),
            rest => rest.to_owned(),
        };
        if word.starts_with("-D") {
            flags.define.push(value("-D"));
        } else if let Some(flag) = ["-isystem", "-iquote", "-I"].into_iter().find(|flag| word.starts_with(flag)) {
            flags.include.push(directory.join(value(flag)));
        } else if word.starts_with("-U") || word == "-include" || word == "-imacros" {
            bail!(
                "the flag {word} changes what the program is and is not supported; write a target with `define` instead"
            );
        } else if matches!(&**word, "-o" | "-MF" | "-MT" | "-MQ" | "-x" | "-arch" | "-target") {
            words.next();
        }
    }
    Ok(flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_splits_them() {
        assert_eq!(split("cc -DA='1 2' \"-D B\" a\\ b.c "), ["cc", "-DA=1 2", "-D B", "a b.c"]);
    }

    #[test]
    fn macros_and_folders_are_taken() {
        let words = split("cc -O2 -DN=3 -D M -Iinc -isystem /usr/x -o a.o -c a.c");
        let flags = of_words(&words, Path::new("/build")).expect("all is known");
        assert_eq!(flags.define, ["N=3", "M"]);
        assert_eq!(flags.include, [PathBuf::from("/build/inc"), PathBuf::from("/usr/x")]);
        assert!(of_words(&split("cc -UNDEBUG a.c"), Path::new("")).is_err());
    }
}
