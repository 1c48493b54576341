//! What programs of the corpus say in their heads about themselves: one format for litmus tests, C programs and systems.
//!
//! ```text
//! (* @expect sc: Never, states 3; tso: Sometimes, states 4 *)
//!  * @expect sc: SAFE; tso: UNSAFE
//!  * @expect -DFENCE=1 tso: SAFE; pso: SAFE (unwind 4)
//!  * @options --property deadlock
//!  * @no-expect too heavy for every day
//! ```
//!
//! A line `@expect` has the definitions and options of a variant, if it is about one, and then models with outcomes. An outcome of a
//! litmus test is its observation, which may come with the number of final states. Any other outcome is the last line of
//! `fencepost check`, word by word: `SAFE` is a proof for all executions, and `SAFE (unwind 4)` is none. `@options` are
//! options of `fencepost check` for all variants. A program without expectations says why in a line `@no-expect`.

/// What a program is expected to do under a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// The model.
    pub model: String,
    /// The definitions and options that make the variant.
    pub arguments: Vec<String>,
    /// The observation, or the last line of `check`.
    pub outcome: String,
    /// How many final states there are.
    pub states: Option<usize>,
}

/// All that a head says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// What is expected, in the order of the text.
    pub expectations: Vec<Expectation>,
    /// Options of `fencepost check`.
    pub options: Vec<String>,
}

/// Observations of litmus tests.
pub const OBSERVATIONS: [&str; 3] = ["Never", "Sometimes", "Always"];

/// Reads the head of a program: the `@` lines in the comments that the text begins with, or that stand in a line of their
/// own.
///
/// # Errors
/// What is wrong with it; also that it says nothing.
pub fn head(text: &str) -> Result<Head, String> {
    let mut head = Head::default();
    let mut exempt = false;
    for line in text.lines() {
        let line = line.trim_start_matches([' ', '*', '/', '(', '<', '!', '-']).trim_end();
        let line = ["*/", "*)", "-->"].iter().find_map(|end| line.strip_suffix(end)).unwrap_or(line).trim_end();
        if let Some(rest) = line.strip_prefix("@expect ") {
            head.expectations.extend(expectations(rest)?);
        } else if let Some(rest) = line.strip_prefix("@options ") {
            head.options.extend(rest.split_whitespace().map(str::to_owned));
        } else if line.starts_with("@no-expect ") {
            exempt = true;
        }
    }
    match (head.expectations.is_empty(), exempt) {
        (true, false) => Err("it has neither `@expect MODEL: OUTCOME` nor `@no-expect WHY`".to_owned()),
        (false, true) => Err("it has expectations and a reason why there are none".to_owned()),
        (true, true) | (false, false) => Ok(head),
    }
}

/// The expectations of a line, without `@expect`.
///
/// # Errors
/// What is wrong with it.
pub fn expectations(line: &str) -> Result<Vec<Expectation>, String> {
    let before = line.split_once(": ").map_or(line, |(before, _)| before);
    let (arguments, model) = before.rsplit_once(' ').unwrap_or(("", before));
    let arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
    let items = &line[before.len() - model.len()..];
    items.split(';').map(|item| expectation(item.trim(), &arguments)).collect()
}

fn expectation(item: &str, arguments: &[String]) -> Result<Expectation, String> {
    let (model, outcome) = item.split_once(": ").ok_or_else(|| format!("`{item}` is not `MODEL: OUTCOME`"))?;
    let (outcome, states) = match outcome.split_once(", states ") {
        Some((outcome, number)) => {
            let number = number.parse().map_err(|_| format!("`{number}` is no number of states"))?;
            (outcome, Some(number))
        }
        None => (outcome, None),
    };
    let bounded = |word| outcome.strip_prefix(word).is_some_and(|rest| rest.starts_with(" (") && rest.ends_with(')'));
    let verdict = ["SAFE", "UNSAFE"].contains(&outcome) || bounded("SAFE") || bounded("UNKNOWN");
    let observation = OBSERVATIONS.contains(&outcome);
    if model.contains(' ') || !(observation || verdict) || (verdict && states.is_some()) {
        return Err(format!("`{item}` is no expectation"));
    }
    if let Some(word) = arguments.first().filter(|word| !word.starts_with('-')) {
        return Err(format!("`{word}` is no option"));
    }
    Ok(Expectation { model: model.to_owned(), arguments: arguments.to_vec(), outcome: outcome.to_owned(), states })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Models, definitions, outcomes and states.
    fn read(text: &str) -> Vec<String> {
        let head = head(text).unwrap_or_else(|why| panic!("{why}"));
        let show = |e: &Expectation| format!("{}|{}|{}|{:?}", e.model, e.arguments.join(" "), e.outcome, e.states);
        head.expectations.iter().map(show).collect()
    }

    #[test]
    fn heads_of_all_languages_are_read() {
        let litmus = "X86 a\n(* @expect sc: Never; tso: Sometimes, states 4 *)\n{ }\n";
        assert_eq!(read(litmus), ["sc||Never|None", "tso||Sometimes|Some(4)"]);
        let c = "/* About it.\n * @expect sc: SAFE\n * @expect -DA -DB=2 sc: SAFE (unwind 4); tso: UNSAFE\n */\n";
        assert_eq!(read(c), ["sc||SAFE|None", "sc|-DA -DB=2|SAFE (unwind 4)|None", "tso|-DA -DB=2|UNSAFE|None"]);
        assert_eq!(read("(* @expect sc: SAFE; pso: UNSAFE *)\ntype t = A\n"), ["sc||SAFE|None", "pso||UNSAFE|None"]);
        assert_eq!(read("/* @expect tso: SAFE (rounds 2, queues 1) */"), ["tso||SAFE (rounds 2, queues 1)|None"]);
        assert_eq!(read("/* @expect --unwind 8 pso: SAFE (unwind 8) */"), ["pso|--unwind 8|SAFE (unwind 8)|None"]);
        assert_eq!(read("<!-- @expect sc: Never -->"), ["sc||Never|None"]);
    }

    #[test]
    fn options_hold_for_all() {
        let head = head("/* @options --unwind 4\n * @expect sc: SAFE (unwind 4) */").expect("it is well formed");
        assert_eq!(head.options, ["--unwind", "4"]);
        assert_eq!(head.expectations[0].outcome, "SAFE (unwind 4)");
    }

    #[test]
    fn what_is_no_expectation_is_refused() {
        for text in [
            "int main(void) { return 0; }",
            "/* @expect sc: MAYBE */",
            "(* @expect sc: Never, state 4 *)",
            "(* @expect sc: Never, states many *)",
            "/* @expect sc SAFE */",
            "/* @expect SAFE */",
            "/* @expect sc: SAFE, states 4 */",
            "/* @expect -DA: sc SAFE */",
            "/* @expect tso pso: SAFE */",
            "/* @expect sc: SAFE; -DA tso: SAFE */",
            "/* @expect sc: SAFE\n * @no-expect heavy */",
        ] {
            assert!(head(text).is_err(), "{text}");
        }
        assert_eq!(head("/* @no-expect too heavy */"), Ok(Head::default()));
    }
}
