//! `fencepost.toml`: what a project wants to have checked.

use super::toml::{self, Kind, Table, Value};
use crate::input;
use anyhow::{Context, Result};
use source::{Diagnostic, SourceFile, Span};
use std::path::{Path, PathBuf};

/// What a verdict has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Proved.
    Safe,
    /// Safe, maybe with bounds.
    Bounded,
    /// A violation is found.
    Unsafe,
    /// Whatever comes out.
    Any,
}

impl Expected {
    /// All, with their names.
    const ALL: [(&'static str, Expected); 4] = [
        ("safe", Expected::Safe),
        ("bounded", Expected::Bounded),
        ("unsafe", Expected::Unsafe),
        ("any", Expected::Any),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Expected::ALL.iter().find(|(_, this)| *this == self).map_or("", |(name, _)| name)
    }
}

/// How something is to be checked: what a target says, or all targets that say nothing else.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// The models.
    pub models: Option<Vec<String>>,
    /// The verdict for all models.
    pub expect: Option<Expected>,
    /// The verdicts for single models.
    pub expect_of: Vec<(String, Expected)>,
    /// Whether a bound is good enough.
    pub allow_bounded: Option<bool>,
    /// Options with a value: `--unwind 3` and so on, by name.
    pub options: Vec<(String, String)>,
    /// Macros.
    pub define: Vec<String>,
    /// Folders with headers.
    pub include: Vec<PathBuf>,
    /// Where `compile_commands.json` is.
    pub compile_commands: Option<PathBuf>,
}

/// Files that are checked in the same way.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Its name; the name of the file if it has none.
    pub name: Option<String>,
    /// The files, relative to the project's folder.
    pub files: Vec<PathBuf>,
    /// How they are checked, defaults included.
    pub settings: Settings,
}

/// A project.
#[derive(Debug, Clone, PartialEq)]
pub struct Project {
    /// The folder that paths are relative to.
    pub folder: PathBuf,
    /// What is to be checked.
    pub targets: Vec<Target>,
}

/// The options of `check` that a target may give a value to. An engine's own options are written the same way.
const OPTIONS: [&str; 6] = ["engine", "unwind", "timeout", "memory", "property", "entry"];

/// Reads a project file.
///
/// # Errors
/// It cannot be read or makes no sense.
pub fn read(path: &Path, engines: session::Engines) -> Result<Project> {
    let file = input::read(path)?;
    let table = toml::parse(&file)?;
    let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let reader = Reader { file: &file, folder: &folder, engines };
    let project = reader.project(&table)?;
    Ok(project)
}

struct Reader<'a> {
    file: &'a SourceFile,
    folder: &'a Path,
    engines: session::Engines,
}

impl Reader<'_> {
    fn error(&self, span: Span, message: impl Into<String>) -> anyhow::Error {
        Diagnostic::error(self.file, span, message).into()
    }

    fn project(&self, table: &Table) -> Result<Project> {
        let mut defaults = Settings::default();
        let mut targets = Vec::new();
        for (key, value) in table {
            match (&**key, &value.kind) {
                ("defaults", Kind::Table(given)) => {
                    for (key, value) in given {
                        self.setting(&mut defaults, key, value)?;
                    }
                }
                ("target", Kind::List(all)) => targets.extend(all),
                (key, _) => return Err(self.unknown(value.span, key, &["defaults", "target"])),
            }
        }
        if targets.is_empty() {
            let help = "add one: [[target]] and file = \"program.c\"";
            return Err(Diagnostic::error(self.file, Span::default(), "there is no target").help(help).into());
        }
        let targets =
            targets.into_iter().map(|value| self.target(value, &defaults)).collect::<Result<Vec<Target>>>()?;
        Ok(Project { folder: self.folder.to_path_buf(), targets })
    }

    fn unknown(&self, span: Span, key: &str, known: &[&str]) -> anyhow::Error {
        let nearest = known.iter().map(|name| (model::distance(key, name), *name)).min();
        let hint = match nearest {
            Some((far, name)) if far <= 2 => format!("; did you mean `{name}`?"),
            Some(_) | None => format!("; there are {}", known.join(", ")),
        };
        self.error(span, format!("`{key}` means nothing here{hint}"))
    }

    fn target(&self, value: &Value, defaults: &Settings) -> Result<Target> {
        let Kind::Table(table) = &value.kind else { return Err(self.error(value.span, "a target is a table")) };
        let mut target = Target { name: None, files: Vec::new(), settings: Settings::default() };
        for (key, value) in table {
            match &**key {
                "name" => target.name = Some(self.text(value)?),
                "file" => target.files.push(PathBuf::from(self.text(value)?)),
                "files" => {
                    for pattern in self.texts(value)? {
                        target.files.extend(self.matching(&pattern, value.span)?);
                    }
                }
                key => self.setting(&mut target.settings, key, value)?,
            }
        }
        if target.files.is_empty() {
            return Err(self.error(value.span, "the target has no file: file = \"program.c\""));
        }
        if target.name.is_some() && target.files.len() > 1 {
            return Err(self.error(value.span, "a name is for one file: leave it out, and files are their own names"));
        }
        target.settings = target.settings.over(defaults);
        Ok(target)
    }

    /// The files that a pattern stands for, relative to the folder, in order.
    fn matching(&self, pattern: &str, span: Span) -> Result<Vec<PathBuf>> {
        let whole = self.folder.join(pattern);
        let found = glob::glob(&whole.to_string_lossy()).map_err(|error| self.error(span, error.to_string()))?;
        let mut files = found.collect::<Result<Vec<PathBuf>, _>>().context("cannot read a folder")?;
        files.sort();
        if files.is_empty() {
            return Err(self.error(span, format!("there is no file {pattern}")));
        }
        let inside = |path: PathBuf| path.strip_prefix(self.folder).map_or(path.clone(), Path::to_path_buf);
        Ok(files.into_iter().map(inside).collect())
    }

    fn setting(&self, settings: &mut Settings, key: &str, value: &Value) -> Result<()> {
        match key {
            "models" => settings.models = Some(self.texts(value)?),
            "model" => settings.models = Some(vec![self.text(value)?]),
            "expect" => self.expectation(settings, value)?,
            "allow-bounded" => settings.allow_bounded = Some(self.truth(value)?),
            "define" => settings.define = self.texts(value)?,
            "include" => settings.include = self.texts(value)?.into_iter().map(PathBuf::from).collect(),
            "compile-commands" => settings.compile_commands = Some(PathBuf::from(self.text(value)?)),
            key => {
                let own = crate::own::declared(self.engines);
                let known: Vec<&str> = OPTIONS.into_iter().chain(own.iter().map(|(option, _)| option.name)).collect();
                if !known.contains(&key) {
                    let also = ["name", "file", "files", "models", "expect", "allow-bounded", "define", "include"];
                    let all: Vec<&str> = also.into_iter().chain(["compile-commands"]).chain(known).collect();
                    return Err(self.unknown(value.span, key, &all));
                }
                settings.options.push((key.to_owned(), self.scalar(value)?));
            }
        }
        Ok(())
    }

    fn expectation(&self, settings: &mut Settings, value: &Value) -> Result<()> {
        match &value.kind {
            Kind::Table(of) => {
                for (model, value) in of {
                    settings.expect_of.push((model.clone(), self.expected(value)?));
                }
            }
            Kind::Text(_) | Kind::Number(_) | Kind::Truth(_) | Kind::List(_) => {
                settings.expect = Some(self.expected(value)?);
            }
        }
        Ok(())
    }

    fn expected(&self, value: &Value) -> Result<Expected> {
        let name = self.text(value)?;
        let found = Expected::ALL.iter().find(|(known, _)| *known == name).map(|(_, expected)| *expected);
        let known = Expected::ALL.map(|(known, _)| known);
        found.ok_or_else(|| self.unknown(value.span, &name, &known))
    }

    fn text(&self, value: &Value) -> Result<String> {
        let Kind::Text(text) = &value.kind else { return Err(self.error(value.span, "expected a string")) };
        Ok(text.clone())
    }

    fn scalar(&self, value: &Value) -> Result<String> {
        match &value.kind {
            Kind::Text(text) => Ok(text.clone()),
            Kind::Number(number) => Ok(number.to_string()),
            Kind::Truth(_) | Kind::List(_) | Kind::Table(_) => {
                Err(self.error(value.span, "expected a string or a number"))
            }
        }
    }

    fn truth(&self, value: &Value) -> Result<bool> {
        let Kind::Truth(truth) = &value.kind else { return Err(self.error(value.span, "expected true or false")) };
        Ok(*truth)
    }

    fn texts(&self, value: &Value) -> Result<Vec<String>> {
        let Kind::List(all) = &value.kind else { return Err(self.error(value.span, "expected a list of strings")) };
        all.iter().map(|value| self.text(value)).collect()
    }
}

impl Settings {
    /// These settings, and where they say nothing, the others. Macros and folders come together.
    fn over(self, defaults: &Settings) -> Settings {
        let join = |mine: Vec<String>, theirs: &[String]| theirs.iter().cloned().chain(mine).collect();
        let named = |name: &str| self.options.iter().any(|(own, _)| own == name);
        let more: Vec<(String, String)> = defaults.options.iter().filter(|(name, _)| !named(name)).cloned().collect();
        let expects = self.expect.is_some() || !self.expect_of.is_empty();
        Settings {
            models: self.models.or_else(|| defaults.models.clone()),
            expect: self.expect.or(if expects { None } else { defaults.expect }),
            expect_of: if expects { self.expect_of } else { defaults.expect_of.clone() },
            allow_bounded: self.allow_bounded.or(defaults.allow_bounded),
            options: more.into_iter().chain(self.options).collect(),
            define: join(self.define, &defaults.define),
            include: defaults.include.iter().cloned().chain(self.include).collect(),
            compile_commands: self.compile_commands.or_else(|| defaults.compile_commands.clone()),
        }
    }

    /// The verdict that a model is expected to give.
    pub fn expected(&self, model: &str) -> Expected {
        let own = self.expect_of.iter().find(|(name, _)| name == model).map(|(_, expected)| *expected);
        own.or(self.expect).unwrap_or(Expected::Safe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Project> {
        let file = SourceFile::new("fencepost.toml", text);
        Reader { file: &file, folder: Path::new(""), engines: session::ENGINES }.project(&toml::parse(&file)?)
    }

    #[test]
    fn targets_take_what_they_do_not_say_from_the_defaults() {
        let text = "[defaults]\nmodels = [\"tso\"]\nunwind = 3\ndefine = [\"A\"]\nexpect = \"unsafe\"\n\
            [[target]]\nfile = \"a.c\"\n[[target]]\nname = \"b\"\nfile = \"b.c\"\nmodel = \"sc\"\nunwind = \"auto\"\ndefine = [\"B=1\"]\n\
            expect.sc = \"safe\"\nrounds = 2\n";
        let project = read(text).expect("it is good");
        let [a, b] = &project.targets[..] else { panic!("two targets") };
        assert_eq!(a.settings.models.as_deref(), Some(&["tso".to_owned()][..]));
        assert_eq!(a.settings.expected("tso"), Expected::Unsafe);
        assert_eq!(
            b.settings.options,
            [("rounds", "2"), ("unwind", "auto")].map(|(a, b)| (a.to_owned(), b.to_owned()))
        );
        assert_eq!(b.settings.define, ["A", "B=1"]);
        assert_eq!((b.settings.expected("sc"), b.settings.expected("tso")), (Expected::Safe, Expected::Safe));
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for (text, said) in [
            ("[[target]]\nfil = \"a.c\"", "did you mean `file`?"),
            ("[[target]]\nfile = \"a.c\"\nexpect = \"saf\"", "did you mean `safe`?"),
            ("[[targets]]\n", "did you mean `target`?"),
            ("[[target]]\nname = \"a\"", "the target has no file"),
            ("", "there is no target"),
        ] {
            let error = read(text).expect_err("it means nothing");
            assert!(format!("{error:#}").contains(said), "{text}: {error:#}");
        }
    }
}
