//! Console blocks of documents: what a command prints is what the document shows.
//!
//! A block begins with ` ```console `. A line `$ fencepost …` in it is run, and so is `$ cargo run --release -- …`, which is
//! how one calls it before it is installed; `$ echo $?` shows the exit code of the command before it. A line `…` stands for
//! any number of lines. Times are zero.

/// What a command has printed, and its exit code.
#[derive(Debug, Clone)]
pub struct Ran {
    /// All that was printed.
    pub text: String,
    /// The exit code.
    pub code: i32,
}

/// A document with what commands print now, and what is different in it.
#[derive(Debug)]
pub struct Refreshed {
    /// The document as it should be.
    pub text: String,
    /// How many commands were run.
    pub commands: usize,
    /// The commands that print something else than is shown, each with its line and what it prints.
    pub stale: Vec<String>,
}

/// A line that stands for any number of lines.
const ELLIPSIS: &str = "…";

/// Runs the commands of a document. `run` gets the arguments of `fencepost`.
pub fn refreshed(text: &str, run: &mut dyn FnMut(&[&str]) -> Ran) -> Refreshed {
    let lines: Vec<&str> = text.lines().collect();
    let mut fresh = Refreshed { text: String::new(), commands: 0, stale: Vec::new() };
    let (mut inside, mut code, mut at) = (false, 0, 0);
    while let Some(&line) = lines.get(at) {
        at += 1;
        fresh.text.push_str(line);
        fresh.text.push('\n');
        if line.starts_with("```") {
            inside = line == "```console";
        }
        let Some(command) = line.strip_prefix("$ ").filter(|_| inside) else { continue };
        let shown = lines[at..].iter().take_while(|line| !line.starts_with("$ ") && !line.starts_with("```"));
        let shown: Vec<&str> = shown.copied().collect();
        let printed = match arguments(command) {
            Some(args) => {
                fresh.commands += 1;
                let ran = run(&args);
                code = ran.code;
                without_times(&ran.text)
            }
            None if command == "echo $?" => format!("{code}\n"),
            None => {
                fresh.stale.push(format!("line {at}: `{command}` is no command that can be tested"));
                continue;
            }
        };
        let printed: Vec<&str> = printed.trim_end_matches('\n').lines().collect();
        if !fits(&shown, &printed) {
            fresh.stale.push(format!("line {at}: `{command}` prints\n{}", printed.join("\n")));
        }
        for line in refresh(&shown, &printed) {
            fresh.text.push_str(line);
            fresh.text.push('\n');
        }
        at += shown.len();
    }
    fresh
}

/// The arguments of `fencepost`, if that is what is called.
fn arguments(command: &str) -> Option<Vec<&str>> {
    let rest = ["fencepost ", "cargo run --release -- "].iter().find_map(|call| command.strip_prefix(call))?;
    Some(rest.split_whitespace().collect())
}

/// Whether what is shown stands for what is printed.
fn fits(shown: &[&str], printed: &[&str]) -> bool {
    let parts: Vec<&[&str]> = shown.split(|line| *line == ELLIPSIS).collect();
    let (Some((&first, others)), true) = (parts.split_first(), printed.len() + parts.len() > shown.len()) else {
        return false;
    };
    let Some((&last, middle)) = others.split_last() else { return shown == printed };
    let Some(mut rest) = printed.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
    for &part in middle {
        let found = (0..=rest.len().saturating_sub(part.len())).find(|&at| rest[at..].starts_with(part));
        let Some(at) = found else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// What to show instead: as much of what is printed as was shown before. The parts between ellipses are found by their ends;
/// where these have changed, a part keeps its length if it is the first or the last one, and is left as it is otherwise.
fn refresh<'t>(shown: &[&'t str], printed: &[&'t str]) -> Vec<&'t str> {
    if fits(shown, printed) {
        return shown.to_vec();
    }
    let parts: Vec<&[&str]> = shown.split(|line| *line == ELLIPSIS).collect();
    if parts.len() == 1 {
        return printed.to_vec();
    }
    let mut fresh = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        if number > 0 {
            fresh.push(ELLIPSIS);
        }
        let (Some(first), Some(last)) = (part.first(), part.last()) else { continue };
        let short = part.len().min(printed.len());
        let begin = printed.iter().position(|line| line == first);
        let end = printed.iter().rposition(|line| line == last).map(|at| at + 1);
        let range = match (number, number + 1 == parts.len()) {
            (0, _) => Some((0, end.unwrap_or(short))),
            (_, true) => Some((begin.unwrap_or(printed.len() - short), printed.len())),
            (_, false) => begin.zip(end),
        };
        match range.and_then(|(from, to)| printed.get(from..to)) {
            Some(lines) => fresh.extend(lines),
            None => fresh.extend(*part),
        }
    }
    fresh
}

/// A text without the times in it, which differ from run to run.
pub fn without_times(text: &str) -> String {
    let mut result = String::new();
    for line in text.lines() {
        let words = line.trim_start();
        let last = words.rsplit([' ']).find(|word| *word != "s").unwrap_or_default().trim_end_matches(',');
        let timed = ["Time ", "time ", "\"seconds\": "].iter().any(|key| words.starts_with(key));
        if timed && last.parse::<f64>().is_ok() {
            result += &line.replace(last, "0.00");
        } else {
            result += line;
        }
        result.push('\n');
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str, prints: &str, code: i32) -> Refreshed {
        refreshed(text, &mut |_| Ran { text: prints.to_owned(), code })
    }

    const SHOWN: &str =
        "Text.\n\n```console\n$ fencepost check a\none\ntwo\n$ echo $?\n0\n```\n\n```text\n$ other\n```\n";

    #[test]
    fn what_is_shown_is_what_is_printed() {
        let same = run(SHOWN, "one\ntwo\n", 0);
        assert_eq!((&*same.text, same.commands, same.stale.len()), (SHOWN, 1, 0));
        let other = run(SHOWN, "one\nthree\n", 5);
        assert_eq!(other.stale.len(), 2, "the output and the code: {:?}", other.stale);
        assert_eq!(other.text, SHOWN.replace("two", "three").replace("\n0\n", "\n5\n"));
        assert_eq!(run("```console\n$ rm -rf *\n```\n", "", 0).stale.len(), 1, "only fencepost is run");
    }

    #[test]
    fn the_arguments_arrive() {
        for line in ["fencepost list models", "cargo run --release -- list models"] {
            let mut seen = Vec::new();
            refreshed(&format!("```console\n$ {line}\n```\n"), &mut |args| {
                seen = args.iter().map(|&arg| arg.to_owned()).collect();
                Ran { text: String::new(), code: 0 }
            });
            assert_eq!(seen, ["list", "models"]);
        }
    }

    #[test]
    fn an_ellipsis_stands_for_any_lines() {
        let printed = ["a", "b", "c", "d", "e"];
        for shown in [&["…"][..], &["a", "…"], &["…", "e"], &["a", "…", "c", "…", "e"], &["a", "b", "…", "c", "d", "e"]]
        {
            assert!(fits(shown, &printed), "{shown:?}");
            assert_eq!(refresh(shown, &printed), shown);
        }
        for shown in [&["b", "…"][..], &["…", "d"], &["a", "…", "x", "…", "e"], &["a", "b", "c", "d", "…", "d", "e"]]
        {
            assert!(!fits(shown, &printed), "{shown:?}");
        }
        assert_eq!(refresh(&["…", "b", "x", "d", "…"], &printed), ["…", "b", "c", "d", "…"]);
        assert_eq!(refresh(&["…", "c", "x", "e"], &printed), ["…", "c", "d", "e"]);
        assert_eq!(refresh(&["…", "x"], &printed), ["…", "e"]);
        assert_eq!(refresh(&["x", "b", "…"], &printed), ["a", "b", "…"]);
    }

    #[test]
    fn times_are_zero() {
        let text = "  time     1.25 s\n  states   12\n\"seconds\": 0.5,\nTime SB 3.50\na time 2\n";
        assert_eq!(
            without_times(text),
            "  time     0.00 s\n  states   12\n\"seconds\": 0.00,\nTime SB 0.00\na time 2\n"
        );
    }
}
