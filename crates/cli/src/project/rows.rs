//! The rows of a project, and the processes that fill them in.

use super::cache::{Cache, Key};
use super::config::{Project, Settings, Target};
use super::usage;
use crate::args::{C, Run};
use crate::input::Beside;
use crate::watch::interrupted;
use crate::{INTERNAL, UNKNOWN, UNSAFE, input, output, units};
use anyhow::{Context, Result};
use fencepost::preprocess::{Input, preprocess};
use model::Include;
use report::json::Trouble;
use report::run::{self, Row, Status};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A row to be filled in.
pub struct Work {
    /// What is known of it.
    pub row: Row,
    /// The arguments behind `check` or `fences`: the file, the model, the options.
    arguments: Vec<String>,
    /// The digest of all that the result depends on.
    key: String,
    /// The files that the result depends on.
    pub depends: Vec<PathBuf>,
    /// How long it may take.
    timeout: Option<Duration>,
}

/// How long a process may go on beyond its own limit before it is ended from outside.
const GRACE: Duration = Duration::from_secs(20);

/// The rows of a project that are to be filled in, in its order.
///
/// # Errors
/// A target makes no sense.
pub fn works(project: &Project, args: &Run) -> Result<Vec<Work>> {
    let mut works = Vec::new();
    for target in &project.targets {
        for file in &target.files {
            for model in target.settings.models.as_deref().unwrap_or(&["sc".to_owned()]) {
                works.push(work(project, (target, file), model, args)?);
            }
        }
    }
    let total = works.len();
    for (index, work) in works.iter_mut().enumerate() {
        (work.row.index, work.row.total) = (index, total);
    }
    Ok(works)
}

fn work(project: &Project, (target, file): (&Target, &Path), model: &str, args: &Run) -> Result<Work> {
    let settings = &target.settings;
    if model == "all" {
        return Err(usage("a target names its models one by one"));
    }
    let path = project.folder.join(file);
    let own_model = Path::new(model).extension().is_some_and(|extension| extension == "cat");
    let model_path = own_model.then(|| project.folder.join(model));
    let given = model_path.as_ref().map_or_else(|| model.to_owned(), |path| path.display().to_string());
    let mut arguments = vec![path.display().to_string(), "--model".to_owned(), given];
    let is_c = path.extension().is_some_and(|extension| extension == "c" || extension == "i");
    for (name, value) in &settings.options {
        // A litmus test and a system say themselves what must not happen, and where they begin.
        if !matches!(&**name, "property" | "entry") || is_c {
            arguments.extend([format!("--{name}"), value.clone()]);
        }
    }
    let timeout = settings.options.iter().find(|(name, _)| name == "timeout").and_then(|(_, value)| value.parse().ok());
    let timeout = timeout.or(args.timeout);
    if let (Some(limit), false) = (args.timeout, settings.options.iter().any(|(name, _)| name == "timeout")) {
        arguments.extend(["--timeout".to_owned(), limit.to_string()]);
    }
    let c = options_of_c(project, settings, &path);
    if let Some(commands) = &c.compile_commands {
        arguments.extend(["--compile-commands".to_owned(), commands.display().to_string()]);
    }
    arguments.extend(c.define.iter().map(|define| format!("-D{define}")));
    arguments.extend(c.include.iter().map(|folder| format!("-I{}", folder.display())));
    let (key, depends) = key((&path, &c), model_path.as_deref(), &arguments, args.fences);
    let row = Row {
        index: 0,
        total: 0,
        target: target.name.clone().unwrap_or_else(|| file.display().to_string()),
        file: file.display().to_string(),
        model: model.to_owned(),
        expected: settings.expected(model).name().to_owned(),
        allow_bounded: settings.allow_bounded.unwrap_or(args.allow_bounded),
        verdict: String::new(),
        line: String::new(),
        status: Status::Incomplete,
        seconds: 0.0,
        cached: false,
        result: Value::Null,
        fences: Value::Null,
    };
    let timeout = timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    Ok(Work { row, arguments, key, depends, timeout })
}

/// How a C file is preprocessed.
fn options_of_c(project: &Project, settings: &Settings, path: &Path) -> C {
    let mut c = C {
        more: Vec::new(),
        compile_commands: None,
        entry: None,
        define: Vec::new(),
        undefine: Vec::new(),
        include: Vec::new(),
        iquote: Vec::new(),
        isystem: Vec::new(),
        include_first: Vec::new(),
        standard: None,
        ilp32: false,
        property: None,
        svcomp_property: None,
    };
    if !path.extension().is_some_and(|extension| extension == "c" || extension == "i") {
        return c;
    }
    c.compile_commands = settings.compile_commands.as_ref().map(|commands| project.folder.join(commands));
    c.define.extend(settings.define.iter().cloned());
    c.include.extend(settings.include.iter().map(|folder| project.folder.join(folder)));
    c
}

/// The digest of all that a result depends on, and the files among that. A text that cannot be read makes a row with an error
/// later; here it is no text.
fn key((path, c): (&Path, &C), model: Option<&Path>, arguments: &[String], fences: bool) -> (String, Vec<PathBuf>) {
    let mut key = Key::default();
    let mut depends = vec![path.to_path_buf()];
    key.add(env!("CARGO_PKG_VERSION").as_bytes());
    if let Ok(meta) = std::env::current_exe().and_then(std::fs::metadata) {
        let modified = meta.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        key.add(format!("{} {:?}", meta.len(), modified).as_bytes());
    }
    key.add(&[u8::from(fences)]);
    arguments.iter().for_each(|argument| key.add(argument.as_bytes()));
    key.add(&std::fs::read(path).unwrap_or_default());
    if path.extension().is_some_and(|extension| extension == "c") {
        let units = units::inputs(Some(path), c).unwrap_or_default();
        // Also what changes no letter of the text, such as the size of pointers.
        units.iter().for_each(|input| key.add(format!("{:?}", input.flags).as_bytes()));
        let one = |input: &Input| anyhow::Ok(preprocess(input, &input::read(&input.path)?)?);
        let texts: Vec<String> = units.iter().map(|input| one(input).unwrap_or_default()).collect();
        let text = texts.concat();
        // Our own headers are in a folder with another name each time.
        let is_marker = |line: &&str| line.starts_with("# ");
        let markers = text.lines().filter(is_marker).filter_map(|line| line.split('"').nth(1));
        depends.extend(markers.filter(|name| !name.starts_with('<')).map(PathBuf::from));
        text.lines().filter(|line| !is_marker(line)).for_each(|line| key.add(line.as_bytes()));
    }
    if let Some(model) = model {
        key.add(&std::fs::read(model).unwrap_or_default());
        depends.push(model.to_path_buf());
        for (path, text) in included(model) {
            key.add(path.display().to_string().as_bytes());
            // A file that is not there yet would take the place of one that comes along.
            key.add(&[u8::from(text.is_some())]);
            key.add(text.unwrap_or_default().as_bytes());
            depends.push(path);
        }
    }
    depends.sort();
    depends.dedup();
    (key.name(), depends)
}

/// The files that a model asks for when it is read, wherever they are, each with its text if it is there.
fn included(model: &Path) -> Vec<(PathBuf, Option<String>)> {
    let folder = model.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let asked = Asked { beside: Beside(folder), all: RefCell::default() };
    if let Ok(file) = input::read(model) {
        // What is wrong with the model is said where it is used.
        let _ = session::model_from("model", &file, &asked);
    }
    asked.all.into_inner()
}

/// Remembers which files are asked for.
struct Asked {
    beside: Beside,
    all: RefCell<Vec<(PathBuf, Option<String>)>>,
}

impl Include for Asked {
    fn read(&self, name: &str) -> Option<String> {
        let text = self.beside.read(name);
        self.all.borrow_mut().push((self.beside.0.join(name), text.clone()));
        text
    }
}

/// Fills in rows.
pub struct Runner<'a> {
    /// What was asked for.
    pub args: &'a Run,
    /// The folder of the project.
    pub folder: &'a Path,
    /// Whether each row is told on the standard error when it is done.
    pub talkative: bool,
}

impl Runner<'_> {
    /// Fills in all rows, several at once, and gives them back in their order.
    ///
    /// # Errors
    /// No process can be started.
    pub fn all(&self, works: &[Work]) -> Result<Vec<Row>> {
        let folder = self.args.cache.clone().unwrap_or_else(|| self.folder.join(".fencepost"));
        let cache = Cache::new((!self.args.no_cache).then_some(folder));
        let (next, rows) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let workers = self.args.jobs.map_or_else(cores, usize::from).min(works.len()).max(1);
        let width = works.iter().map(|work| work.row.target.chars().count()).max().unwrap_or(0).min(48);
        let work = || -> Result<()> {
            loop {
                let Some(work) = works.get(next.fetch_add(1, Ordering::Relaxed)) else { return Ok(()) };
                let row = self.one(work, &cache)?;
                let mut rows = rows.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                rows.push(row);
                if let (true, Some(row)) = (self.talkative, rows.last()) {
                    let told = run::line(row, width, report::text::Options::default());
                    output::say(&format!("[{}/{}] {told}", rows.len(), works.len()));
                }
            }
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|_| Err(usage("a worker stopped"))))
        })?;
        let mut rows = rows.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        rows.sort_by_key(|row: &Row| row.index);
        Ok(rows)
    }

    fn one(&self, work: &Work, cache: &Cache) -> Result<Row> {
        let mut row = work.row.clone();
        if let Some((result, fences)) = cache.get(&work.key) {
            (row.result, row.fences, row.cached) = (result, fences, true);
            row.judge();
            return Ok(row);
        }
        let started = Instant::now();
        let (result, lasting) = self.process("check", work)?;
        row.result = result;
        row.judge();
        let wanted = self.args.fences && row.status == Status::Failed && row.verdict == "unsafe";
        let mut lasting_fences = true;
        if wanted {
            (row.fences, lasting_fences) = self.process("fences", work)?;
        }
        row.seconds = started.elapsed().as_secs_f64();
        if lasting && lasting_fences {
            cache.put(&work.key, &row.result, &row.fences);
        }
        Ok(row)
    }

    /// What a process prints, and whether it would print the same again: not if a limit on time or memory was reached.
    fn process(&self, command: &str, work: &Work) -> Result<(Value, bool)> {
        if interrupted() {
            return Ok((trouble("stopped", "cancelled", UNKNOWN), false));
        }
        let own = std::env::current_exe().context("cannot find the own binary")?;
        let mut child = Command::new(own)
            .arg(command)
            .args(&work.arguments)
            .args(["--format", "json", "--jobs", "1"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start a process")?;
        let mut pipe = child.stdout.take().context("cannot read from a process")?;
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            // What is cut or no text is no document, and told as such.
            let _ = pipe.read_to_string(&mut text);
            text
        });
        let limit = work.timeout.map(|limit| Instant::now() + limit * if command == "fences" { 3 } else { 1 } + GRACE);
        let mut ended = false;
        let status = loop {
            if let Some(status) = child.try_wait().context("cannot wait for a process")? {
                break status;
            }
            if interrupted() || limit.is_some_and(|limit| Instant::now() > limit) {
                ended = true;
                // It may have ended by itself just now.
                let _ = child.kill();
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        let text = reader.join().unwrap_or_default();
        if ended {
            return Ok((trouble("stopped", "the process was ended: it went on beyond its limit", UNKNOWN), false));
        }
        let Ok(value) = serde_json::from_str::<Value>(&text) else {
            let message = format!("{command} ended with {status} and without a result");
            return Ok((trouble("internal", &message, INTERNAL), false));
        };
        let settled = matches!(status.code(), Some(0)) || status.code() == Some(i32::from(UNSAFE));
        let bounded = value["outcome"]["verdict"] == "safe";
        Ok((value, settled || bounded))
    }
}

fn trouble(reason: &'static str, message: &str, exit_code: u8) -> Value {
    let (message, rendered) = (message.to_owned(), format!("error: {message}"));
    let trouble = Trouble { reason, message, help: None, file: None, line: None, column: None, exit_code, rendered };
    let mut value = json!(trouble);
    value["kind"] = json!("error");
    value
}
