//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use engine::{Options, Order};
use session::Request;
use std::path::PathBuf;
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
    /// Can the condition be reached (exists), or violated (forall)? Shows the execution
    ///
    /// `exists (P)` and `~exists (P)` ask whether a final state with P can be reached; `forall (P)` whether one without
    /// P can. UNSAFE means yes, and an execution is shown that was replayed by an independent checker. SAFE means no
    /// execution ends so; `SAFE (unwind N)` that none does in which a loop is repeated more than N times.
    Check(Check),
    /// What do litmus tests observe: Never, Sometimes or Always? For many files at once
    Litmus(Litmus),
    /// Why is an outcome forbidden? The cycle, the axiom, the source lines
    Why(Why),
    /// What is there: models, engines, formats
    List {
        /// What to list.
        what: What,
    },
}

/// Options for everything that runs an engine.
#[derive(Args)]
pub struct Running {
    /// The engine, `auto` for the one that fits (see `fencepost list engines`)
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub engine: String,
    /// How often a loop is repeated at most
    #[arg(long, default_value_t = 2, value_name = "N")]
    pub unwind: u32,
    /// How the partial-order engine orders events
    #[arg(long, value_enum, default_value_t = OrderName::Theory)]
    pub order: OrderName,
    /// Give up on a program and a model after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
}

/// `fencepost check`.
#[derive(Args)]
pub struct Check {
    /// The program
    pub file: PathBuf,
    /// A memory model: a name from `fencepost list models`, a .cat file, or `all`. May be repeated
    #[arg(short, long, default_value = "sc", value_name = "NAME|FILE")]
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
    /// Work on this many files at once
    #[arg(short, long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,
    /// Write the results to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `fencepost why`.
#[derive(Args)]
pub struct Why {
    /// The program
    pub file: PathBuf,
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
}

/// What to list.
#[derive(Clone, Copy, ValueEnum)]
pub enum What {
    /// Memory models.
    Models,
    /// Engines.
    Engines,
    /// Output formats.
    Formats,
}

/// Names of [`Order`]s.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OrderName {
    /// A theory inside the SAT solver.
    Theory,
    /// A clock of bits for each event: slower, for cross-checking.
    Clocks,
}

/// Formats of `check`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people.
    Text,
    /// For programs; the schema is fencepost/1.
    Json,
    /// The execution as a graph for `neato -n`.
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
    /// The forbidden execution as a graph for `neato -n`.
    Dot,
    /// The forbidden execution as a picture.
    Svg,
    /// A self-contained page with the execution and the source.
    Html,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is no number of seconds"))?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("`{text}` is no time to wait"))
}

impl Running {
    /// The request to the session.
    pub fn request(&self) -> Request {
        let order = match self.order {
            OrderName::Theory => Order::Theory,
            OrderName::Clocks => Order::Clocks,
        };
        let engine = (self.engine != "auto").then(|| self.engine.clone());
        Request { engine, options: Options { unwind: self.unwind, order } }
    }
}
