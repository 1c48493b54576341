//! What a name means: of a model, or in one.

use serde_json::{Value, json};
use std::path::Path;

/// What the relations and sets mean that no model defines.
const BUILT_IN: &[(&str, &str)] = &[
    ("po", "program order: the order of the instructions of a thread"),
    ("rf", "reads-from: from a write to the reads that take its value"),
    ("co", "coherence: the order in which writes to a location reach memory"),
    ("fr", "from-read: from a read to the writes that overwrite what it has read"),
    ("rmw", "the read and the write of a read-modify-write"),
    ("addr", "address dependency: the address of an access comes from a read"),
    ("data", "data dependency: the value of a write comes from a read"),
    ("ctrl", "control dependency: whether an event happens depends on a read"),
    ("loc", "events at the same location"),
    ("ext", "events of different threads"),
    ("int", "events of the same thread"),
    ("id", "each event with itself"),
    ("R", "reads"),
    ("W", "writes"),
    ("M", "accesses: reads and writes"),
    ("F", "fences"),
    ("IW", "initial writes"),
];

/// What the word at a place of a text means.
pub fn hover(text: &str, position: &Value, path: Option<&Path>) -> Option<Value> {
    let line = text.lines().nth(position["line"].as_u64()? as usize)?;
    let word = word(line, position["character"].as_u64()? as usize)?;
    let model = path.is_some_and(|path| path.extension().is_some_and(|ending| ending == "cat"));
    let words = if model { in_model(text, &word) } else { None }.or_else(|| of_model(&word))?;
    Some(json!({ "contents": { "kind": "markdown", "value": words } }))
}

/// The word around a column in units of UTF-16.
fn word(line: &str, column: usize) -> Option<String> {
    let part = |c: &char| c.is_alphanumeric() || matches!(*c, '-' | '_' | '.');
    let letters: Vec<char> = line.chars().collect();
    let before = letters.iter().scan(0, |units, letter| {
        *units += letter.len_utf16();
        Some(*units)
    });
    let at = before.take_while(|&units| units <= column).count();
    let start = letters[..at].iter().rposition(|letter| !part(letter)).map_or(0, |gap| gap + 1);
    let found: String = letters[start..].iter().take_while(|letter| part(letter)).collect();
    let found = found.trim_matches(['.', '-']).to_owned();
    (!found.is_empty() && letters.get(at).is_some_and(part)).then_some(found)
}

/// What a name means in a model: its definition there or in what comes along, or what it stands for.
fn in_model(text: &str, name: &str) -> Option<String> {
    let parts = model::library().iter().map(|(_, text)| *text);
    let defined = definition(text, name).or_else(|| parts.filter_map(|text| definition(text, name)).next());
    let built_in = BUILT_IN.iter().find(|(known, _)| *known == name).map(|(name, words)| format!("`{name}`: {words}"));
    defined.or(built_in)
}

/// The definition of a name in a text, with the comment before it.
fn definition(text: &str, name: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let defines = |line: &str| {
        let mut words = line.split(|c: char| c.is_whitespace() || c == '=' || c == '(').filter(|word| !word.is_empty());
        let first = words.next();
        let second = words.next().filter(|&word| word != "rec");
        matches!(first, Some("let" | "and")) && second.or_else(|| words.next()) == Some(name)
    };
    let at = lines.iter().position(|line| defines(line))?;
    let more = lines[at + 1..].iter().take_while(|line| line.starts_with([' ', '\t', '|']) && !line.trim().is_empty());
    let code: Vec<&str> = std::iter::once(&lines[at]).chain(more).copied().collect();
    let comment = at.checked_sub(1).map(|before| lines[before].trim()).filter(|line| line.ends_with("*)"));
    let comment = comment.map(|line| line.trim_start_matches("(*").trim_end_matches("*)").trim().to_owned());
    Some(format!("```cat\n{}\n```\n{}", code.join("\n"), comment.unwrap_or_default()))
}

/// What a model is, by its name.
fn of_model(name: &str) -> Option<String> {
    let model = session::models().into_iter().find(|model| model.name == name)?;
    let mut words = format!("**{}**: {}", model.title, model.head.about);
    for axiom in 0..model.axioms.len() {
        words += &format!("\n* `{}`: `{}`", model.axioms[axiom].name, model.axiom_text(axiom));
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::{hover, word};
    use serde_json::json;
    use std::path::Path;

    #[test]
    fn words_are_found_at_columns() {
        assert_eq!(word("let ppo = po-loc | rf", 4).as_deref(), Some("ppo"));
        assert_eq!(word("let ppo = po-loc | rf", 12).as_deref(), Some("po-loc"));
        assert_eq!(word("let ppo = po-loc | rf", 20).as_deref(), Some("rf"));
        assert_eq!(word("let ppo = po-loc | rf", 17), None);
        assert_eq!(word("", 0), None);
    }

    #[test]
    fn names_of_models_and_in_models_mean_something() {
        let path = Path::new("a.cat");
        let text = "\"a\"\n(* What stays. *)\nlet kept = po \\ (W * R)\nacyclic kept | rf\n";
        let at = |line: usize, character: usize| {
            let found = hover(text, &json!({ "line": line, "character": character }), Some(path));
            found.map(|found| found["contents"]["value"].as_str().unwrap_or_default().to_owned())
        };
        assert!(at(3, 9).is_some_and(|words| words.contains("let kept = po") && words.contains("What stays.")));
        assert!(at(3, 16).is_some_and(|words| words.contains("reads-from")));
        assert_eq!(at(0, 0), None);
    }
}
