//! The command line.

use crate::competition::Specification;
use crate::serve::Serve;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use engine::{Engine, Options, Property};
use fences::{Kind, Lines};
use front_c::Checks;
use session::{Engines, Failure, Request};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the program prints for `--help`, at the end.
const EXIT_CODES: &str = "\
Exit codes: 0 proved safe, 10 unsafe, 5 bounded or unknown, 1 wrong usage, 2 bad or unsupported input, 6 internal error.
The last line of `check` is SAFE, SAFE (unwind N), UNSAFE or UNKNOWN (reason).";

/// Verify concurrent programs on weak memory.
#[derive(Parser)]
#[command(name = "fencepost", version, after_help = EXIT_CODES, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Can an assertion fail, or a condition be reached? Shows the execution
    ///
    /// For a C program (.c, .i): can an assertion fail, or an access go to no object (see --property)?
    ///
    /// For a litmus test:
    /// `exists (P)` and `~exists (P)` ask whether a final state with P can be reached; `forall (P)` whether one without
    /// P can. UNSAFE means yes, and an execution is shown that was replayed by an independent checker. SAFE means no
    /// execution ends so; `SAFE (unwind N)` that none does in which a loop is repeated more than N times.
    Check(Check),
    /// What do litmus tests observe: Never, Sometimes or Always? For many files at once
    Litmus(Litmus),
    /// Why is an outcome forbidden? The cycle, the axiom, the source lines
    Why(Why),
    /// Which fences make a program right? The cheapest, as a patch of its text, verified
    ///
    /// The last line is `FENCES n (cost c)`, `NO FENCES NEEDED`, `NOT REPAIRABLE` or `UNKNOWN (reason)`. With a bound on
    /// loops it says `unwind N` in the brackets. Exit codes: 0 found and proved, or none needed; 10 not repairable;
    /// 5 bounded or unknown.
    Fences(Fences),
    /// How weak can the memory orders of a program be? The cheapest that are still right, as a patch of its text, verified
    ///
    /// Each order that cannot be weaker comes with the reason: what goes wrong with the next weaker one. Under several models the
    /// result suits all of them. The last line is `WEAKENED n of m (cost c, was d)`, `NOTHING TO WEAKEN (cost c)`, `NOT SAFE` or
    /// `UNKNOWN (reason)`. Exit codes: 0 found and proved; 10 the program goes wrong as it is; 5 bounded or unknown.
    Weaken(Weaken),
    /// Check all targets of a project, as its fencepost.toml says
    ///
    /// Exit codes: 0 all verdicts are as expected; 10 some contradict what is expected; 2 some target could not be read;
    /// 5 some have no full answer; 6 a defect of Fencepost. Results are kept in the folder .fencepost beside the project file, by the
    /// content of all that they depend on.
    Run(Run),
    /// Put the results of shards together: `fencepost run --shard 0/2 --format jsonl`, …
    Merge(Merge),
    /// A page on this machine with an editor: check programs in a browser
    ///
    /// Prints the address of the page and serves it until Ctrl-C. It listens on loopback only, loads nothing from elsewhere and keeps
    /// nothing: a link holds the program itself. Each request has the limits below.
    Serve(Serve),
    /// Diagnostics, repairs and definitions for editors: a language server on the standard input and output
    ///
    /// `initializationOptions` may have `models` (a list), `timeout` (seconds, 20), `races` (true) and `arguments` for C programs (a list, such
    /// as `-I`, `include`).
    Lsp,
    /// What is there: models, engines, formats
    List {
        /// What to list.
        what: What,
    },
    /// Completions of commands, options, engines and models for a shell
    ///
    /// For bash: `fencepost completions bash > ~/.local/share/bash-completion/completions/fencepost`.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// The manual page of Fencepost or of one of its commands
    ///
    /// For example `fencepost man check | man -l -`.
    Man {
        /// The command.
        command: Option<String>,
    },
}

impl Command {
    /// The options for running engines, if it runs some.
    pub fn running(&mut self) -> Option<&mut Running> {
        match self {
            Command::Check(args) => Some(&mut args.running),
            Command::Litmus(args) => Some(&mut args.running),
            Command::Why(args) => Some(&mut args.running),
            Command::Fences(args) => Some(&mut args.repair.running),
            Command::Weaken(args) => Some(&mut args.repair.running),
            Command::Run(_) | Command::Merge(_) | Command::Serve(_) | Command::Lsp => None,
            Command::List { .. } | Command::Completions { .. } | Command::Man { .. } => None,
        }
    }
}

impl Command {
    /// Where the result goes, if it is to be JSON.
    pub fn json(&self) -> Option<Option<&Path>> {
        let (wanted, to) = match self {
            Command::Check(args) => (args.format == CheckFormat::Json, &args.output),
            Command::Litmus(args) => (args.format == LitmusFormat::Json, &args.output),
            Command::Why(args) => (args.format == WhyFormat::Json, &args.output),
            Command::Fences(args) => (args.repair.format == FencesFormat::Json, &args.repair.output),
            Command::Weaken(args) => (args.repair.format == FencesFormat::Json, &args.repair.output),
            Command::Run(_) | Command::Merge(_) | Command::Serve(_) | Command::Lsp => return None,
            Command::List { .. } | Command::Completions { .. } | Command::Man { .. } => return None,
        };
        wanted.then_some(to.as_deref())
    }
}

/// Whether a command line that makes no sense asks for JSON at least.
pub fn asks_for_json(line: &[OsString]) -> bool {
    let is_format = |word: &OsString| word == "--format" || word == "-f";
    let spaced = line.windows(2).any(|pair| is_format(&pair[0]) && pair[1] == "json");
    spaced || line.iter().any(|word| word == "--format=json" || word == "-fjson" || word == "-f=json")
}

/// Options for everything that runs an engine.
#[derive(Args)]
pub struct Running {
    /// The engine, `auto` for the one that fits (see `fencepost list engines`)
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub engine: String,
    /// How often a loop is repeated at most; `auto` begins with few and goes on until it suffices or the time is up
    ///
    /// The default is `auto` for C programs and 2 for litmus tests. `auto` stops with the last bound that was done when it
    /// has done as much work as takes about ten seconds, or with --timeout most of that time. Loops that end by themselves,
    /// and loops that only wait, need no bound. Engines that unroll no loops take no notice of it.
    #[arg(long, value_name = "N|auto", value_parser = unwind)]
    pub unwind: Option<Unwind>,
    /// The same for the loop that begins in a line of the program. May be repeated
    #[arg(long, value_name = "LINE:N", value_parser = loop_bound)]
    pub unwind_loop: Vec<(u32, u32)>,
    /// Give up on a program and a model after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Give up when this much memory is used
    #[arg(long, value_name = "MIB")]
    pub memory: Option<u64>,
    /// Let this many engines work at once, by default as many as there are cores; for `litmus`, this many files, by default 1
    ///
    /// It changes how long it takes, never what comes out.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
    /// Print each phase of the work to stderr, also where that is no terminal
    #[arg(long)]
    pub progress: bool,
    /// Log to stderr what each part does and how long it takes: `debug`, or by crate, `session=debug,symbolic=trace`
    ///
    /// The variable FENCEPOST_LOG says the same.
    #[arg(long, value_name = "FILTER")]
    pub log: Option<String>,
    /// Print an intermediate result to stderr: program, compiled, events, relations, graphs or formula. May be repeated
    ///
    /// The program is what the front end made of the text, `compiled` what the machine of the model runs. The others
    /// are those of the engine partial-order.
    #[arg(long, value_name = "RESULT", value_parser = PossibleValuesParser::new(engine::ARTEFACTS.iter().map(|(name, ..)| *name)))]
    pub print_after: Vec<String>,
    /// Write all intermediate results into a folder, numbered as they come
    #[arg(long, value_name = "FOLDER")]
    pub dump: Option<PathBuf>,
    /// The options of engines that were given, with their values.
    #[arg(skip)]
    pub own: Vec<(String, String)>,
    /// The engines that there are.
    #[arg(skip = session::ENGINES)]
    pub engines: Engines,
}

/// A bound on loops.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unwind {
    /// Larger and larger ones.
    Auto,
    /// This one.
    Bound(u32),
}

/// How a C program is read, and what is asked about it.
#[derive(Args)]
#[command(next_help_heading = "C programs")]
pub struct C {
    /// Further translation units of a C program, linked with the first
    #[arg(value_name = "FILE")]
    pub more: Vec<PathBuf>,
    /// Compile as this compilation database says (compile_commands.json): the files that are named, or all
    #[arg(long, value_name = "FILE")]
    pub compile_commands: Option<PathBuf>,
    /// Begin with this function instead of `main`; its arguments can be anything
    #[arg(long, value_name = "FUNCTION")]
    pub entry: Option<String>,
    /// Define a macro for the preprocessor
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Take a macro away, after all that are defined
    #[arg(short = 'U', value_name = "NAME")]
    pub undefine: Vec<String>,
    /// Look for headers in this folder too
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// The same for headers in quotes; may be written -iquote
    #[arg(long, value_name = "DIR")]
    pub iquote: Vec<PathBuf>,
    /// The same for headers of the system, which get no fences; may be written -isystem
    #[arg(long, value_name = "DIR")]
    pub isystem: Vec<PathBuf>,
    /// Include this file first; may be written -include
    #[arg(long = "include", value_name = "FILE")]
    pub include_first: Vec<PathBuf>,
    /// The C standard for the preprocessor, gnu11 by default; may be written -std=NAME
    #[arg(long = "std", value_name = "NAME")]
    pub standard: Option<String>,
    /// `long` and pointers have 32 bits
    #[arg(long)]
    pub ilp32: bool,
    /// What can go wrong; by default safety
    ///
    /// Where memory orders are changed, by `fences` and `weaken`, the default is safety and also progress, if no thread waits for ever
    /// under sequential consistency and this can be decided under the models.
    #[arg(long, value_parser = property())]
    pub property: Option<fencepost::Property>,
    /// As SV-COMP wants it: the property is in this file (.prp), and the last line is true, false(…) with what is violated, or unknown
    ///
    /// Known are unreach-call, no-data-race, valid-memsafety, valid-memcleanup and no-overflow.
    #[arg(long, value_name = "FILE")]
    pub svcomp_property: Option<PathBuf>,
}

/// The properties, as the library lists them.
fn property() -> impl TypedValueParser<Value = fencepost::Property> {
    let value = |property: &fencepost::Property| PossibleValue::new(property.name()).help(property.about());
    PossibleValuesParser::new(fencepost::Property::ALL.iter().map(value))
        .try_map(|name| fencepost::Property::named(&name).ok_or_else(|| format!("`{name}` is no property")))
}

/// `fencepost check`.
#[derive(Args)]
pub struct Check {
    /// The program; `-` for the standard input
    #[arg(required_unless_present = "compile_commands")]
    pub file: Option<PathBuf>,
    /// A memory model: a name from `fencepost list models`, a .cat file, or `all`. May be repeated
    ///
    /// Without it, a C program is checked under sc and under every model of a machine, see `fencepost list models`. For litmus tests
    /// the default is sc, for array-based systems (.cub) with weak variables it is tso.
    #[arg(short, long, value_name = "NAME|FILE")]
    pub model: Vec<String>,
    #[command(flatten)]
    pub running: Running,
    /// How to print the result
    #[arg(short, long, value_enum, default_value_t = CheckFormat::Text)]
    pub format: CheckFormat,
    /// Write the result to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print what the search cost
    #[arg(long)]
    pub stats: bool,
    /// For C programs: write a violation witness to this file: GraphML, or YAML 2.0 if it ends in .yml
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// For C programs: write the litmus test that shows the reordering to this file
    #[arg(long, value_name = "FILE")]
    pub emit_litmus: Option<PathBuf>,
    /// Write the program or litmus test as a sequential C program to this file, for other checkers, and then check it as usual
    ///
    /// It has the bounds of the engine `lazy`: --rounds, --clock, --nodes, --unwind.
    #[arg(long, value_name = "FILE")]
    pub emit_c: Option<PathBuf>,
    /// Write what shows that the program is safe to this file, as JSON: for array-based systems (.cub), and for C programs
    /// that the engine `predicate` proves
    ///
    /// For a program it is a list of abstract states: it holds the first state, is closed under every step, and no state in it is
    /// bad. For a system it is a list of cubes: no initial state is in one, all bad states are, and all from which they can be
    /// reached. Both were checked.
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    #[command(flatten)]
    pub c: C,
}

/// `fencepost litmus`.
#[derive(Args)]
pub struct Litmus {
    /// Files, folders (searched for *.litmus), patterns with * and ?, and @lists of such, one a line
    #[arg(required = true)]
    pub files: Vec<String>,
    /// A memory model: a name from `fencepost list models`, a .cat file, or `all`. May be repeated
    #[arg(short, long, default_value = "sc", value_name = "NAME|FILE")]
    pub model: Vec<String>,
    #[command(flatten)]
    pub running: Running,
    /// How to print the results
    #[arg(short, long, value_enum, default_value_t = LitmusFormat::Text)]
    pub format: LitmusFormat,
    /// Enumerate all final states, with the number of executions that end in each
    #[arg(long)]
    pub states: bool,
    /// Write the results to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `fencepost why`.
#[derive(Args)]
pub struct Why {
    /// The program; `-` for the standard input
    #[arg(required_unless_present = "compile_commands")]
    pub file: Option<PathBuf>,
    /// A memory model: a name from `fencepost list models`, or a .cat file
    #[arg(short, long, default_value = "sc", value_name = "NAME|FILE")]
    pub model: String,
    #[command(flatten)]
    pub running: Running,
    /// How to print the reason
    #[arg(short, long, value_enum, default_value_t = WhyFormat::Text)]
    pub format: WhyFormat,
    /// Write the reason to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub c: C,
}

/// `fencepost fences`.
#[derive(Args)]
pub struct Fences {
    /// Use only fences of these kinds: full, light, store-store, load-load. With `orders`, memory orders may be changed too
    ///
    /// By default both.
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', value_parser = fence_kind)]
    pub kinds: Vec<Option<Kind>>,
    /// Find one repair that suits all models, not one for each
    #[arg(long)]
    pub together: bool,
    /// Change at most this many places
    #[arg(long, value_name = "N")]
    pub at_most: Option<usize>,
    /// Besides the cheapest repair, find those that cost more and change fewer places
    #[arg(long, conflicts_with_all = ["all", "diff", "write"])]
    pub pareto: bool,
    #[command(flatten)]
    pub repair: Repair,
}

/// `fencepost weaken`.
#[derive(Args)]
pub struct Weaken {
    /// Tell for each order that cannot be weaker how the program goes wrong with the next weaker one
    #[arg(long)]
    pub explain: bool,
    #[command(flatten)]
    pub repair: Repair,
}

/// Options for everything that changes a program.
#[derive(Args)]
pub struct Repair {
    /// The program; `-` for the standard input
    #[arg(required_unless_present = "compile_commands")]
    pub file: Option<PathBuf>,
    /// A memory model: a name from `fencepost list models`, a .cat file, or `all`. May be repeated
    ///
    /// Without it, what is found for a C program suits sc and every model of a machine together. For litmus tests the default is sc, for
    /// array-based systems (.cub) with weak variables tso.
    #[arg(short, long, value_name = "NAME|FILE")]
    pub model: Vec<String>,
    /// What fences and orders cost: a file with lines `KIND COST`
    ///
    /// The default is full 10, light 5, store-store 3, load-load 3; for accesses acquire 2, release 2, seq-cst 4. `loop N`: what is in
    /// a loop costs N times as much, by default 1.
    #[arg(long, value_name = "FILE")]
    pub cost: Option<PathBuf>,
    /// Change only these lines: `31`, `31-40`, `queue.h:31`, `queue.h`. May be repeated
    #[arg(long, value_name = "LINES")]
    pub only: Vec<Lines>,
    /// Change nothing in these lines. May be repeated
    #[arg(long, value_name = "LINES")]
    pub not: Vec<Lines>,
    /// Find all minimal placements, the cheapest first
    #[arg(long)]
    pub all: bool,
    /// Print the change of the text alone, for `patch`
    #[arg(long, conflicts_with_all = ["format", "all"])]
    pub diff: bool,
    /// Change the file
    #[arg(long, conflicts_with_all = ["diff", "all"])]
    pub write: bool,
    #[command(flatten)]
    pub running: Running,
    /// How to print the result
    #[arg(short, long, value_enum, default_value_t = FencesFormat::Text)]
    pub format: FencesFormat,
    /// Write the result to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print what the search cost
    #[arg(long)]
    pub stats: bool,
    #[command(flatten)]
    pub c: C,
}

/// `fencepost run`.
#[derive(Args)]
pub struct Run {
    /// The project file
    #[arg(default_value = "fencepost.toml")]
    pub project: PathBuf,
    /// Check this many files at once, by default as many as there are cores
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
    /// Give up on a file and a model after this many seconds, where the project says nothing else
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// Take a verdict with bounds for as good as SAFE, where the project says nothing else
    #[arg(long)]
    pub allow_bounded: bool,
    /// Look for fences where a target fails, for the reports
    #[arg(long)]
    pub fences: bool,
    /// Check only targets that depend on a file that differs from this commit, or that git does not know
    #[arg(long, value_name = "COMMIT", num_args = 0..=1, default_missing_value = "HEAD", require_equals = true)]
    pub changed: Option<String>,
    /// Check only every n-th file and model, beginning with the i-th: 0/n, …, n-1/n
    #[arg(long, value_name = "I/N", value_parser = crate::project::shard)]
    pub shard: Option<(usize, usize)>,
    /// Do not use results from before, and keep none
    #[arg(long)]
    pub no_cache: bool,
    /// Keep results in this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "no_cache")]
    pub cache: Option<PathBuf>,
    /// Tell each result on the standard error when it is there, also where that is no terminal
    #[arg(long)]
    pub progress: bool,
    /// How to print the results
    #[arg(short, long, value_enum, default_value_t = RunFormat::Text)]
    pub format: RunFormat,
    /// Write the results to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the results in a format to a file as well. May be repeated
    #[arg(long, value_name = "FORMAT=FILE", value_parser = crate::project::report_file)]
    pub report: Vec<(RunFormat, PathBuf)>,
}

/// `fencepost merge`.
#[derive(Args)]
pub struct Merge {
    /// What the shards wrote with `--format jsonl`
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// How to print the results
    #[arg(short, long, value_enum, default_value_t = RunFormat::Text)]
    pub format: RunFormat,
    /// Write the results to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the results in a format to a file as well. May be repeated
    #[arg(long, value_name = "FORMAT=FILE", value_parser = crate::project::report_file)]
    pub report: Vec<(RunFormat, PathBuf)>,
}

/// Formats of `run` and `merge`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RunFormat {
    /// For people.
    Text,
    /// A line of JSON for each file and model, for `fencepost merge`.
    Jsonl,
    /// SARIF 2.1.0, for code hosts and editors.
    Sarif,
    /// JUnit's XML, for systems of continuous integration.
    Junit,
    /// For the summary of a pull request.
    Markdown,
}

/// What to list.
#[derive(Clone, Copy, ValueEnum)]
pub enum What {
    /// Memory models.
    Models,
    /// Engines.
    Engines,
    /// Options of engines.
    Options,
    /// Output formats.
    Formats,
}

/// Formats of `check`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people.
    Text,
    /// For programs; the schema is fencepost/1.
    Json,
    /// The execution as a graph for `neato`.
    Dot,
    /// The execution as a picture.
    Svg,
    /// A self-contained page with the execution and the source.
    Html,
}

/// Formats of `litmus`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LitmusFormat {
    /// For people.
    Text,
    /// herd7's block for each test.
    Herd,
    /// `file,model,observation`.
    Csv,
    /// For programs; the schema is fencepost/1.
    Json,
}

/// Formats of `why`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WhyFormat {
    /// For people.
    Text,
    /// For programs; the schema is fencepost/1.
    Json,
    /// The forbidden execution as a graph for `neato`.
    Dot,
    /// The forbidden execution as a picture.
    Svg,
    /// A self-contained page with the execution and the source.
    Html,
}

/// Formats of `fences`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FencesFormat {
    /// For people.
    Text,
    /// For programs; the schema is fencepost/1.
    Json,
    /// A self-contained page with the change and the executions that it forbids.
    Html,
}

/// A kind of fence, or none for memory orders.
fn fence_kind(text: &str) -> Result<Option<Kind>, String> {
    let names = || Kind::ALL.map(Kind::name).join(", ");
    let unknown = || format!("`{text}` is no kind of fence; there are {}, and orders", names());
    if text == "orders" { Ok(None) } else { Kind::from_name(text).map(Some).ok_or_else(unknown) }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is no number of seconds"))?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("`{text}` is no time to wait"))
}

fn unwind(text: &str) -> Result<Unwind, String> {
    if text == "auto" {
        return Ok(Unwind::Auto);
    }
    text.parse().map(Unwind::Bound).map_err(|_| format!("`{text}` is no number of repetitions, and not `auto`"))
}

fn loop_bound(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once(':').and_then(|(line, bound)| Some((line.parse().ok()?, bound.parse().ok()?)));
    parts.ok_or_else(|| format!("`{text}` is no line and bound, such as 12:5"))
}

impl C {
    /// The property of SV-COMP, if one is given. A file that cannot be read is complained about where the program is read.
    pub fn specification(&self) -> Option<Specification> {
        self.svcomp_property.as_deref().map(|path| Specification::read(path).unwrap_or_default())
    }

    /// The property by its name.
    pub fn named(&self) -> fencepost::Property {
        self.property.unwrap_or_default()
    }

    /// What becomes an assertion.
    pub fn checks(&self) -> Checks {
        match self.specification() {
            Some(specification) => specification.checks(),
            None => self.named().checks(),
        }
    }

    /// Whether an assertion that fails just ends the path.
    pub fn ignores_assertions(&self) -> bool {
        self.svcomp_property.is_some() || self.named().ignores_assertions()
    }

    /// What can go wrong.
    pub fn property(&self) -> Property {
        match self.specification() {
            Some(Specification::NoDataRace) => Property::Race,
            Some(specification) => Property::Assertions { memory: specification == Specification::MemorySafety },
            None => self.named().asked(),
        }
    }
}

impl Running {
    /// How many engines may work at once.
    fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(cores, usize::from)
    }

    /// The request to the session, for a C program with this property or for a litmus test. `also`: an engine that works
    /// besides the one that was asked for.
    ///
    /// # Errors
    /// An option is given that no engine has which works.
    pub fn request(&self, c: Option<Property>, also: Option<&'static str>) -> Result<Request, Failure> {
        let engine = (self.engine != "auto").then(|| self.engine.clone());
        let default = if c.is_some() { Unwind::Auto } else { Unwind::Bound(2) };
        let (unwind, deepen) = match self.unwind.unwrap_or(default) {
            Unwind::Bound(bound) => (bound, None),
            Unwind::Auto => (1, Some(Request::patience(self.timeout))),
        };
        let options = Options { unwind, loops: self.unwind_loop.clone(), ..Options::default() };
        let property = c.unwrap_or(Property::Assertions { memory: true });
        let mut working = session::members(&self.engine);
        working.extend(also);
        let engines = self.engines;
        Request { engines, engine, options, property, deepen, jobs: self.threads() }.with(&self.own, &working)
    }

    /// Complains about cubes where the whole question is wanted.
    ///
    /// # Errors
    /// A cube is asked for.
    pub fn whole(&self) -> Result<(), Failure> {
        match self.own.iter().any(|(name, _)| name == "cube" || name == "cubes") {
            true => Err(Failure::Usage("only `check` looks at one cube of a question".to_owned())),
            false => Ok(()),
        }
    }

    /// The request for an array-based system.
    ///
    /// # Errors
    /// An option is given that means nothing for systems.
    pub fn system_request(&self) -> Result<Request, Failure> {
        let unwind = self.unwind.map(|_| "unwind").or((!self.unwind_loop.is_empty()).then_some("unwind-loop"));
        if let Some(name) = unwind {
            return Err(Failure::Usage(format!("--{name} is not for array-based systems")));
        }
        let working: Vec<&str> =
            session::system_engines(self.engines, &self.engine)?.into_iter().map(Engine::name).collect();
        let engine = (self.engine != "auto").then(|| self.engine.clone());
        Request { engines: self.engines, engine, jobs: self.threads(), ..Request::default() }.with(&self.own, &working)
    }
}
