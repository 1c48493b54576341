//! `fencepost merge` of the answers about cubes: `fencepost check --cubes 4 --cube 0 --format json`, and so on.

use crate::args::Merge;
use crate::{SAFE, UNKNOWN, UNSAFE, input, output};
use anyhow::{Result, bail};
use engine::{CUBE, Cube};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The answer in a file.
pub struct Answer<'a> {
    path: &'a Path,
    value: Value,
}

/// The answers of `check` in these files; none if the files hold something else.
pub fn answers(files: &[PathBuf]) -> Result<Option<Vec<Answer<'_>>>> {
    let mut found = Vec::new();
    for path in files {
        let file = input::read(path)?;
        match serde_json::from_str::<Value>(file.text()) {
            Ok(value) if value["kind"] == "check" || value["kind"] == "error" => found.push(Answer { path, value }),
            Ok(_) | Err(_) => return Ok(None),
        }
    }
    Ok(Some(found).filter(|found| !found.is_empty()))
}

impl Answer<'_> {
    fn verdict(&self) -> &str {
        self.value["outcome"]["verdict"].as_str().unwrap_or("unknown")
    }

    fn bounds(&self) -> &[Value] {
        self.value["outcome"]["bounds"].as_array().map(Vec::as_slice).unwrap_or_default()
    }

    fn cube(&self) -> Option<Cube> {
        let bound = self.bounds().iter().find(|bound| bound["name"] == CUBE)?;
        Cube::from_words(bound["within"].as_str()?)
    }
}

/// Concludes from the answers about all cubes.
pub fn merge(answers: &[Answer<'_>], args: &Merge) -> Result<u8> {
    let [first, ..] = answers else { bail!("there are no answers") };
    let of = |answer: &Answer<'_>, name: &str| answer.value["test"][name].clone();
    for other in answers {
        let same = of(other, "file") == of(first, "file") && other.value["model"] == first.value["model"];
        if !same {
            bail!("{} and {} are about different questions", first.path.display(), other.path.display());
        }
    }
    let (line, code) = conclude(answers)?;
    output::write(&format!("{line}\n"), args.output.as_deref())?;
    Ok(code)
}

/// The verdict, and the exit code for it.
fn conclude(answers: &[Answer<'_>]) -> Result<(String, u8)> {
    if let Some(found) = answers.iter().find(|answer| answer.verdict() == "unsafe") {
        return Ok((format!("The execution is in {}.\n\nUNSAFE", found.path.display()), UNSAFE));
    }
    let proves = |answer: &&Answer<'_>| answer.verdict() == "safe" && answer.bounds().is_empty();
    if let Some(found) = answers.iter().find(proves) {
        return Ok((format!("{} has a proof of the whole.\n\nSAFE", found.path.display()), SAFE));
    }
    if let Some(open) = answers.iter().find(|answer| answer.verdict() != "safe") {
        return Ok((format!("{} has no answer.\n\nUNKNOWN (a cube has no answer)", open.path.display()), UNKNOWN));
    }
    let mut cubes: BTreeMap<u32, Cube> = BTreeMap::new();
    for answer in answers {
        let Some(cube) = answer.cube() else { bail!("{} is about no cube", answer.path.display()) };
        if let Some(other) = cubes.values().find(|other| (other.of, other.split) != (cube.of, cube.split)) {
            let (one, two) = (other.split, cube.split);
            bail!(
                "{} is of another question, or one that was cut otherwise (split {two:016x}, not {one:016x}): \
                 cubes need the same text, options and --unwind",
                answer.path.display()
            );
        }
        cubes.insert(cube.index, cube);
    }
    let all = cubes.values().next().map_or(0, |cube| cube.of);
    if let Some(missing) = (0..all).find(|index| !cubes.contains_key(index)) {
        bail!("cube {missing} of {all} is missing");
    }
    Ok(match bounds(answers) {
        rest if rest.is_empty() => (format!("All {all} cubes are safe.\n\nSAFE"), SAFE),
        rest => (format!("All {all} cubes are safe within bounds.\n\nSAFE ({rest})"), UNKNOWN),
    })
}

/// The other bounds of all answers together: the least of each name.
fn bounds(answers: &[Answer<'_>]) -> String {
    let mut least: BTreeMap<&str, Option<u64>> = BTreeMap::new();
    for bound in answers.iter().flat_map(Answer::bounds).filter(|bound| bound["name"] != CUBE) {
        let (name, value) = (bound["name"].as_str().unwrap_or_default(), bound["value"].as_u64());
        let known = least.entry(name).or_insert(value);
        *known = (*known).min(value);
    }
    let word = |(name, value): (&str, Option<u64>)| value.map_or(name.to_owned(), |value| format!("{name} {value}"));
    least.into_iter().map(word).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{Answer, conclude};
    use engine::Cube;
    use serde_json::json;
    use std::path::Path;

    fn safe(index: u32, split: u64, unwind: Option<u32>) -> Answer<'static> {
        let cube = Cube { index, of: 2, split }.bound();
        let mut bounds = vec![json!({ "name": cube.name, "value": null, "within": cube.within })];
        bounds.extend(unwind.map(|value| json!({ "name": "unwind", "value": value, "within": "loops" })));
        Answer { path: Path::new("a"), value: json!({ "outcome": { "verdict": "safe", "bounds": bounds } }) }
    }

    fn line(answers: &[Answer<'_>]) -> String {
        conclude(answers)
            .map_or_else(|error| error.to_string(), |(text, _)| text.lines().last().unwrap_or_default().to_owned())
    }

    #[test]
    fn only_all_cubes_of_one_question_conclude() {
        assert_eq!(line(&[safe(0, 7, None), safe(1, 7, None)]), "SAFE");
        assert_eq!(line(&[safe(0, 7, Some(5)), safe(1, 7, Some(3))]), "SAFE (unwind 3)");
        assert_eq!(line(&[safe(0, 7, None)]), "cube 1 of 2 is missing");
        assert_eq!(line(&[safe(0, 7, None), safe(0, 7, None)]), "cube 1 of 2 is missing");
        assert!(line(&[safe(0, 7, None), safe(1, 8, None)]).contains("another question"));
        let with = |verdict: &str| Answer {
            path: Path::new("b"),
            value: json!({ "outcome": { "verdict": verdict, "bounds": [] } }),
        };
        assert_eq!(line(&[safe(0, 7, None), with("unknown")]), "UNKNOWN (a cube has no answer)");
        assert_eq!(line(&[safe(0, 7, None), with("unsafe")]), "UNSAFE");
        assert_eq!(line(&[safe(0, 7, None), with("safe")]), "SAFE", "a proof of the whole");
    }
}
