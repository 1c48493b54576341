//! The system's C preprocessor, as the command line and [`crate::Source`] use it.

use source::SourceFile;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// The name of a C program that comes from the standard input.
pub const STDIN: &str = "stdin.c";

/// Texts larger than this are not read.
pub const MAX_BYTES: u64 = 16 << 20;

/// A translation unit, and what the preprocessor is told about it.
#[derive(Debug, Clone)]
pub struct Input {
    /// The file; `-` for a text that is in no file.
    pub path: PathBuf,
    /// What the preprocessor is told.
    pub flags: Flags,
}

/// What the preprocessor is told, as far as we understand it.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// `-D` and `-U`, in order.
    pub macros: Vec<String>,
    /// `-I`.
    pub include: Vec<PathBuf>,
    /// `-iquote`.
    pub quote: Vec<PathBuf>,
    /// `-isystem`.
    pub system: Vec<PathBuf>,
    /// `-include`.
    pub first: Vec<PathBuf>,
    /// `-std`.
    pub standard: Option<String>,
    /// Whether `long` has 32 bits.
    pub ilp32: bool,
}

/// Why there is no preprocessed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint(String);

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Complaint {}

type Result<T> = std::result::Result<T, Complaint>;

/// What could not be done, and what the system says about it.
fn cannot(what: impl fmt::Display, why: impl fmt::Display) -> Complaint {
    Complaint(format!("{what}: {why}"))
}

/// A folder with our own headers, gone when this is.
fn headers() -> Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("fencepost-").tempdir();
    let folder = folder.map_err(|error| cannot("cannot make a temporary folder", error))?;
    for (name, text) in front_c::headers() {
        write(&folder.path().join("headers").join(name), text)?;
    }
    Ok(folder)
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(parent) = path.parent() {
        make(parent)?;
    }
    std::fs::write(path, text).map_err(|error| cannot(format_args!("cannot write {}", path.display()), error))
}

fn make(folder: &Path) -> Result<()> {
    let made = std::fs::create_dir_all(folder);
    made.map_err(|error| cannot(format_args!("cannot make {}", folder.display()), error))
}

/// What the preprocessor makes of a file.
///
/// # Errors
/// There is no preprocessor, or it does not take the file.
pub fn preprocess(input: &Input, file: &SourceFile) -> Result<String> {
    let folder = headers()?;
    run(input, file.text(), &folder, None)
}

/// What the preprocessor makes of a file, where these texts stand in the place of the files of these names. They must be all
/// that are included, but for those of the system.
///
/// # Errors
/// There is no preprocessor, or it does not take the file.
pub fn preprocess_changed(input: &Input, files: &SourceFile) -> Result<String> {
    let folder = headers()?;
    let mirror = Mirror::new(folder.path().join("mirror"))?;
    for file in files.files().filter(|file| file.name != STDIN) {
        write(&mirror.of(Path::new(file.name)), file.text)?;
    }
    for folder in input.flags.include.iter().chain(&input.flags.quote) {
        make(&mirror.of(folder))?;
    }
    let given = files.files().find(|file| file.name == STDIN).map_or("", |file| file.text);
    let text = run(input, given, &folder, Some(&mirror))?;
    Ok(text.replace(&*mirror.root.to_string_lossy(), ""))
}

/// A folder in which files have the places that they have in the file system, so that includes find them there.
struct Mirror {
    root: PathBuf,
    /// The current folder.
    here: PathBuf,
}

impl Mirror {
    fn new(root: PathBuf) -> Result<Mirror> {
        let here = std::env::current_dir().map_err(|error| cannot("there is no current folder", error))?;
        let mirror = Mirror { here: root.join(relative(&here)), root };
        make(&mirror.here)?;
        Ok(mirror)
    }

    /// Where a file of this name is.
    fn of(&self, name: &Path) -> PathBuf {
        if name.is_absolute() { self.root.join(relative(name)) } else { self.here.join(name) }
    }

    /// The name by which the preprocessor is told of a file: relative ones are as they were.
    fn argument(&self, name: &Path) -> PathBuf {
        if name.is_absolute() { self.of(name) } else { name.to_owned() }
    }
}

/// A path without its root.
fn relative(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, Component::RootDir | Component::Prefix(_))).collect()
}

fn run(input: &Input, text: &str, folder: &TempDir, mirror: Option<&Mirror>) -> Result<String> {
    let (path, flags) = (&*input.path, &input.flags);
    let name = |path: &Path| mirror.map_or_else(|| path.to_owned(), |mirror| mirror.argument(path));
    let headers = folder.path().join("headers");
    let mut arguments: Vec<OsString> =
        ["-E", "-D__FENCEPOST__=1", "-U__SIZEOF_INT128__", "-D__NO_CTYPE=1", "-x", "c"].map(OsString::from).to_vec();
    // clang says so, gcc does not.
    arguments.push("-D__LITTLE_ENDIAN__=1".into());
    arguments.push(format!("-std={}", flags.standard.as_deref().unwrap_or("gnu11")).into());
    arguments.extend(flags.ilp32.then(|| "-m32".into()));
    arguments.extend(flags.macros.iter().map(OsString::from));
    let mut folders = |flag: &str, paths: &[PathBuf], ours: bool| {
        for path in paths {
            let path = if ours { name(path) } else { absolute(path) };
            arguments.extend([flag.into(), path.into_os_string()]);
        }
    };
    folders("-I", &flags.include, true);
    folders("-iquote", &flags.quote, true);
    folders("-isystem", &flags.system, false);
    folders("-include", &flags.first, true);
    folders("-isystem", &[headers.join("first")], false);
    folders("-idirafter", &[headers], false);
    arguments.push(name(path).into_os_string());
    let output = compiler(path, &arguments, text, mirror.map(|mirror| &*mirror.here))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let message = format!("the preprocessor does not take {}:\n{}", path.display(), complaint.trim_end());
        return Err(Complaint(message));
    }
    String::from_utf8(output.stdout).map_err(|error| cannot(format_args!("{} is no UTF-8 text", path.display()), error))
}

/// A path that means the same in another folder.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Runs the first compiler that there is. If it reads its standard input, it reads `text`.
fn compiler(path: &Path, arguments: &[OsString], text: &str, folder: Option<&Path>) -> Result<Output> {
    let own = std::env::var_os("CC");
    let compilers = own.iter().map(OsString::as_os_str).chain(["cc", "gcc", "clang"].map(OsStr::new));
    for compiler in compilers {
        let fails = |error| cannot(format_args!("cannot run {}", compiler.display()), error);
        let mut command = Command::new(compiler);
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if path == Path::new("-") { Stdio::piped() } else { Stdio::null() });
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        let mut child = match command.spawn() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            other => other.map_err(fails)?,
        };
        let stdin = child.stdin.take();
        return std::thread::scope(|scope| {
            // A compiler that does not read on says why itself.
            scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(text.as_bytes())));
            child.wait_with_output().map_err(fails)
        });
    }
    let help = "install one, set CC, or give a preprocessed .i file";
    Err(Complaint(format!("there is no C compiler to preprocess {}; {help}", path.display())))
}

/// A file with those that it includes, as far as they can be read: those of the system are not looked at.
pub fn with_included(file: &SourceFile, preprocessed: &str) -> SourceFile {
    let known: Vec<&str> = file.files().map(|file| file.name).collect();
    let names = front_c::named_files(preprocessed).into_iter().filter(|name| !known.contains(name));
    let small = |name: &&str| std::fs::metadata(name).is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_BYTES);
    let texts = names.filter(small).filter_map(|name| Some((name.to_owned(), std::fs::read_to_string(name).ok()?)));
    file.with_files(texts.collect::<Vec<_>>())
}
