//! `--log`: what the pipeline does and how long each part takes, on the standard error.

use anyhow::Result;
use session::Failure;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::prelude::*;

/// The variable that says the same as `--log`.
const VARIABLE: &str = "FENCEPOST_LOG";

/// Begins to log what the filter lets through: a level (`debug`), or levels by crate (`session=debug,logic=trace`).
///
/// # Errors
/// The filter makes no sense.
pub fn begin(filter: Option<&str>) -> Result<()> {
    let variable = std::env::var(VARIABLE).ok();
    let Some(filter) = filter.or(variable.as_deref()).filter(|filter| !filter.is_empty()) else { return Ok(()) };
    let targets: Targets = filter.parse().map_err(|error| {
        Failure::Usage(format!("--log {filter}: {error}. A level is off, error, warn, info, debug or trace"))
    })?;
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(crate::output::color(&std::io::stderr()))
        .with_span_events(FmtSpan::CLOSE)
        .without_time();
    // It is the first one: nobody else logs in this process.
    let _ = tracing_subscriber::registry().with(lines.with_filter(targets)).try_init();
    Ok(())
}
