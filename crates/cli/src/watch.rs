//! Time limits, Ctrl-C, and phases on the terminal.

use crate::args::Running;
use crate::artefacts::Artefacts;
use crate::output;
use engine::{NoAnswer, Observer};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long work may go on that was told to stop; building a large formula, it may not listen.
const GRACE: Duration = Duration::from_secs(1);

/// How often work that may have to be ended is looked at.
const INTERVAL: Duration = Duration::from_millis(50);

/// Whether Ctrl-C was pressed.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Makes Ctrl-C end the work in order; pressed twice it ends the process.
pub fn catch_interrupts() {
    // Without a handler Ctrl-C just ends the process, which is all right too.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(crate::UNKNOWN));
        }
    });
}

/// Whether Ctrl-C was pressed.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// The memory that this process uses, where the system says so.
fn used_mib() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4 / 1024)
}

/// Complains if more MiB are used than may be.
fn overfull(limit: u64) -> Option<NoAnswer> {
    let used = used_mib()?;
    (used > limit).then(|| NoAnswer::GaveUp(format!("memory limit of {limit} MiB reached, {used} MiB used")))
}

/// Watches one task.
pub struct Watch {
    started: Instant,
    limit: Option<Duration>,
    /// The memory that may be used, in MiB.
    memory: Option<u64>,
    /// When the memory was looked at last, in milliseconds since the start.
    looked: AtomicU64,
    talkative: bool,
    /// Whether all phases are shown, however quick, and whoever reads them.
    always: bool,
    artefacts: Artefacts,
}

impl Watch {
    /// Watches with the limits of the command line; `talkative` shows phases on a terminal.
    pub fn new(running: &Running, talkative: bool) -> Self {
        Watch {
            started: Instant::now(),
            limit: running.timeout,
            memory: running.memory,
            looked: AtomicU64::new(0),
            talkative: talkative && std::io::stderr().is_terminal(),
            always: running.progress,
            artefacts: Artefacts::new(running),
        }
    }

    /// Whether more memory is used than may be; looked at now and then only.
    fn is_full(&self) -> Option<NoAnswer> {
        let limit = self.memory?;
        let now = self.started.elapsed().as_millis() as u64;
        if now < self.looked.load(Ordering::Relaxed) + 20 {
            return None;
        }
        self.looked.store(now, Ordering::Relaxed);
        overfull(limit)
    }

    /// Does the work. If it does not stop soon after it was told to, `give_up` says so and the process ends.
    pub fn guard<T>(&self, work: impl FnOnce() -> T, give_up: impl FnOnce(NoAnswer) + Send) -> T {
        let (working, worked) = channel::<()>();
        std::thread::scope(move |scope| {
            scope.spawn(move || self.wait(&worked, give_up));
            let result = work();
            drop(working);
            result
        })
    }

    /// Waits until the work is done or must be ended.
    fn wait(&self, worked: &Receiver<()>, give_up: impl FnOnce(NoAnswer)) {
        let mut told: Option<Instant> = None;
        while worked.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
            let Some(why) = self.memory.and_then(overfull).or_else(|| self.stop()) else {
                told = None;
                continue;
            };
            if told.get_or_insert_with(Instant::now).elapsed() > GRACE {
                give_up(why);
                std::process::exit(i32::from(crate::UNKNOWN));
            }
        }
    }

    /// The seconds since the task began.
    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

impl Observer for Watch {
    fn stop(&self) -> Option<NoAnswer> {
        if interrupted() {
            return Some(NoAnswer::Cancelled);
        }
        if let Some(full) = self.is_full() {
            return Some(full);
        }
        self.limit.filter(|&limit| self.started.elapsed() > limit).map(NoAnswer::TimedOut)
    }

    fn phase(&self, name: &str, detail: &str) {
        // Quick tasks need no progress unless it is asked for.
        if self.always || (self.talkative && self.started.elapsed() > Duration::from_millis(500)) {
            output::say(&format!("{name:<8}{:>8.2} s  {detail}", self.seconds()));
        }
    }

    fn wants(&self, artefact: &str) -> bool {
        self.artefacts.wants(artefact)
    }

    fn artefact(&self, name: &str, text: &str) {
        self.artefacts.take(name, text);
    }
}
