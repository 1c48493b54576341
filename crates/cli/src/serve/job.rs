//! One request: a child that checks a program within limits, and what it says meanwhile.

use super::gate::Gate;
use super::http::Lines;
use serde::Deserialize;
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Result, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The limits of one request.
pub struct Limits {
    /// Seconds of time.
    pub timeout: u64,
    /// MiB of memory.
    pub memory: u64,
    /// Bytes of text.
    pub bytes: u64,
}

/// How often the page is told how it goes. A page that has gone away is noticed then.
const HEARTBEAT: Duration = Duration::from_millis(200);

/// A child that has been told its limits and does not keep them is ended after so much more time.
const GRACE: Duration = Duration::from_secs(3);

/// Pages larger than this are not sent.
const LARGEST: u64 = 64 << 20;

/// What a page asks for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    program: String,
    command: What,
    /// None: what the command takes without one.
    #[serde(default)]
    model: String,
    #[serde(default)]
    property: String,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum What {
    Check,
    Why,
    Fences,
    Weaken,
}

/// A child that is gone when this is.
struct Gone(Child);

impl Drop for Gone {
    fn drop(&mut self) {
        // A child that has ended by itself cannot be ended, and one that was ended is waited for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What comes from a child.
enum News {
    Progress(String),
    Page(String),
}

impl Job {
    /// Reads what a page asks for.
    pub fn parse(body: &[u8]) -> std::result::Result<Job, String> {
        let job: Job = serde_json::from_slice(body).map_err(|error| format!("this is no request: {error}"))?;
        // Models are names here: the page is no way to files.
        let is_name = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '_'));
        if !is_name(&job.model)
            || !is_name(&job.property)
            || job.model.starts_with('-')
            || job.property.starts_with('-')
        {
            return Err("this is no name of a model or a property".to_owned());
        }
        Ok(job)
    }

    /// Waits for its turn, runs, and tells the page; ends early when the page goes away.
    pub fn run(self, gate: &Gate, limits: &Limits, stream: &mut TcpStream) -> Result<()> {
        let mut lines = Lines::begin(stream)?;
        let mut ticket = gate.stand();
        while let Err(before) = ticket.wait(HEARTBEAT) {
            lines.line(&json!({ "waiting": before + 1 }))?;
        }
        let started = Instant::now();
        let (mut child, news) = self.start(limits)?;
        let deadline = started + Duration::from_secs(limits.timeout) + GRACE;
        let (mut said, mut complaints, mut page) = (String::new(), String::new(), String::new());
        loop {
            match news.recv_timeout(HEARTBEAT) {
                Ok(News::Progress(line)) => {
                    complaints += &format!("{line}\n");
                    said = line;
                    continue;
                }
                Ok(News::Page(text)) => {
                    page = text;
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if Instant::now() > deadline {
                let message = format!("stopped: it went on beyond the limit of {} s", limits.timeout);
                return lines.line(&json!({ "done": { "code": crate::UNKNOWN, "said": message, "page": "" } }));
            }
            lines.line(&json!({ "seconds": started.elapsed().as_secs_f64(), "progress": said }))?;
        }
        let code = child.0.wait()?.code();
        drop(child);
        drop(ticket);
        let said = if page.is_empty() { complaints } else { String::new() };
        lines.line(&json!({ "done": { "code": code, "said": said, "page": page } }))
    }

    /// Starts the child.
    fn start(&self, limits: &Limits) -> Result<(Gone, Receiver<News>)> {
        let mut command = Command::new(std::env::current_exe()?);
        let word = match self.command {
            What::Check => "check",
            What::Why => "why",
            What::Fences => "fences",
            What::Weaken => "weaken",
        };
        command.args([word, "-", "--format", "html", "--progress", "--jobs", "1"]);
        command.args(["--timeout", &limits.timeout.to_string(), "--memory", &limits.memory.to_string()]);
        if !self.model.is_empty() {
            command.args(["--model", &self.model]);
        }
        if !self.property.is_empty() {
            command.args(["--property", &self.property]);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Gone(command.spawn()?);
        let (sender, news) = channel();
        if let Some(mut input) = child.0.stdin.take() {
            let program = self.program.clone();
            // A child that does not want all of its input says why on its standard error.
            std::thread::spawn(move || input.write_all(program.as_bytes()));
        }
        if let Some(errors) = child.0.stderr.take() {
            let sender = sender.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(errors).lines().map_while(Result::ok) {
                    if sender.send(News::Progress(line)).is_err() {
                        break;
                    }
                }
            });
        }
        if let Some(out) = child.0.stdout.take() {
            std::thread::spawn(move || {
                let mut text = String::new();
                // What is no text, or breaks off, is no page.
                let _ = out.take(LARGEST).read_to_string(&mut text);
                // If nobody waits for it any more, it is not wanted.
                let _ = sender.send(News::Page(text));
            });
        }
        Ok((child, news))
    }
}
