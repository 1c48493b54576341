//! Programs of our own generator. Every tenth one does its work in a second thread, so that its memory is shared, which takes ten times as
//! long; every sixteenth one hides numbers, which takes longer still.

use super::{Case, Claim, compile};
use anyhow::{Result, bail};
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use testkit::Rng;
use testkit::c::{claim, for_compilers, sequential};

/// The programs of these numbers. GCC compiles them as one file.
pub(super) fn cases(folder: &Path, numbers: Range<u64>) -> Result<Vec<Case>> {
    let text = |number: u64| sequential(&mut Rng::new(number), number.is_multiple_of(10), number.is_multiple_of(16));
    let texts: Vec<String> = numbers.clone().map(text).collect();
    let sums = reference(folder, &texts)?;
    let mut cases = Vec::new();
    for ((number, text), sum) in numbers.zip(texts).zip(sums) {
        let file = folder.join(format!("{number}.i"));
        cases.push(Case {
            name: file.display().to_string(),
            claim: Box::new(move |wanted: Claim| {
                std::fs::write(&file, claim(&text, wanted.operator(), sum))?;
                Ok(vec![file.clone()])
            }),
        });
    }
    Ok(cases)
}

/// What GCC's programs print.
fn reference(folder: &Path, texts: &[String]) -> Result<Vec<u64>> {
    let (file, binary) = (folder.join("reference.c"), folder.join("reference"));
    std::fs::write(&file, for_compilers(texts))?;
    compile(&file, &binary, &[])?;
    let output = Command::new(&binary).output()?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let sums: Vec<u64> = printed.lines().map(str::parse).collect::<Result<_, _>>()?;
    if sums.len() != texts.len() {
        bail!("{}: {} of {} programs end", file.display(), sums.len(), texts.len());
    }
    Ok(sums)
}
