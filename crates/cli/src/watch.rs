//! Time limits, Ctrl-C, and phases on the terminal.

use crate::output;
use engine::{NoAnswer, Observer};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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

/// Watches one task.
pub struct Watch {
    started: Instant,
    limit: Option<Duration>,
    talkative: bool,
}

impl Watch {
    /// Watches with a time limit; `talkative` shows phases on a terminal.
    pub fn new(limit: Option<Duration>, talkative: bool) -> Self {
        Watch { started: Instant::now(), limit, talkative: talkative && std::io::stderr().is_terminal() }
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
        self.limit.filter(|&limit| self.started.elapsed() > limit).map(NoAnswer::TimedOut)
    }

    fn phase(&self, name: &str, detail: &str) {
        // Quick tasks need no progress.
        if self.talkative && self.started.elapsed() > Duration::from_millis(500) {
            output::say(&format!("{name:<8}{:>8.2} s  {detail}", self.seconds()));
        }
    }
}
