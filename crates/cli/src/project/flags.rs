//! The flags of a file in `compile_commands.json` that mean something here: macros and folders with headers.

use crate::units::{Compilation, database, same_file};
use anyhow::{Context, Result, bail};
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
    std::fs::canonicalize(file).with_context(|| format!("cannot read {}", file.display()))?;
    let found = database(commands)?.into_iter().find(|one| same_file(&one.file, file));
    let Some(Compilation { folder, line, .. }) = found else {
        bail!("{} has no command for {}", commands.display(), file.display())
    };
    of_words(&line, &folder)
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
    use crate::units::words;

    #[test]
    fn macros_and_folders_are_taken() {
        let line = words("cc -O2 -DN=3 -D M -Iinc -isystem /usr/x -o a.o -c a.c");
        let flags = of_words(&line, Path::new("/build")).expect("all is known");
        assert_eq!(flags.define, ["N=3", "M"]);
        assert_eq!(flags.include, [PathBuf::from("/build/inc"), PathBuf::from("/usr/x")]);
        assert!(of_words(&words("cc -UNDEBUG a.c"), Path::new("")).is_err());
    }
}
