//! `cargo xtask bless`: rewrites the expected outputs. Read the difference before it goes in.

use crate::run::cargo;
use anyhow::Result;

/// The tests that compare with files and rewrite them if `BLESS` is set.
const TESTS: &[&[&str]] = &[
    &["test", "--package", "fencepost-cli", "--test", "all", "--", "ui::", "book::"],
    &["test", "--package", "fencepost-report"],
];

/// Runs these tests with `BLESS=1`.
pub fn run() -> Result<u8> {
    for args in TESTS {
        let status = cargo(args).env("BLESS", "1").status()?;
        if !status.success() {
            return Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1));
        }
    }
    println!(
        "the expected outputs are in corpus/ui, crates/report/tests/expected, README.md and book/src; see `git diff`"
    );
    Ok(0)
}
