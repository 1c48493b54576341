//! Smaller variants of a C text, for finding the core of a disagreement.
//!
//! Works on texts with one statement in a line and blocks that begin with a line ending in `{` and end with a line that
//! begins with `}`, as [`super::generate`] writes them. Variants need not be valid programs: whoever asks for them throws
//! away what a front end refuses.

use std::collections::BTreeSet;

/// Texts that are smaller than this one by one step, those with the largest steps first: without everything that mentions a
/// name, without a block or a line, with the content of a block alone, with less in a line.
pub fn shrink(text: &str) -> impl Iterator<Item = String> + use<> {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let spans = spans(&lines);
    let mut variants = Vec::new();
    for name in names(&lines) {
        variants.push(without_name(&lines, &spans, &name));
    }
    let mut by_size = spans.clone();
    by_size.sort_by_key(|&(from, to)| std::cmp::Reverse(to - from));
    for &(from, to) in &by_size {
        variants.push(without(&lines, from..to + 1));
    }
    for &(from, to) in by_size.iter().filter(|(from, to)| to > from) {
        variants.push(unwrapped(&lines, from, to));
    }
    for (at, line) in lines.iter().enumerate() {
        for simpler in simpler(line) {
            let mut variant = lines.clone();
            variant[at] = simpler;
            variants.push(variant);
        }
    }
    let before = lines;
    variants.into_iter().filter(move |variant| *variant != before).map(|variant| variant.join("\n") + "\n")
}

/// The first and the last line of each statement: of a line alone, or of a block with all its parts.
fn spans(lines: &[String]) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut open = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let line = line.trim();
        let (ends, begins) = (line.starts_with('}'), line.ends_with('{'));
        match (ends, begins) {
            (true, false) => spans.extend(open.pop().map(|from| (from, at))),
            (false, true) => open.push(at),
            // `} else {`: a part of a block that goes on.
            (true, true) => {}
            (false, false) if line.is_empty() => {}
            (false, false) => spans.push((at, at)),
        }
    }
    spans
}

fn without(lines: &[String], removed: std::ops::Range<usize>) -> Vec<String> {
    let kept = lines.iter().enumerate().filter(|(at, _)| !removed.contains(at));
    kept.map(|(_, line)| line.clone()).collect()
}

/// The content of a block without its head, its end and what is between its parts.
fn unwrapped(lines: &[String], from: usize, to: usize) -> Vec<String> {
    let mut depth = 0;
    let mut kept = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let inside = (from..=to).contains(&at);
        let text = line.trim();
        if inside && text.starts_with('}') {
            depth -= 1;
        }
        let frame = inside && depth == 0 && (text.starts_with('}') || text.ends_with('{'));
        if inside && text.ends_with('{') {
            depth += 1;
        }
        if !frame {
            kept.push(line.clone());
        }
    }
    kept
}

/// The words of the text that are declared somewhere in it: each line that mentions one can go together with the others.
fn names(lines: &[String]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in lines {
        for word in line.split(|c: char| !c.is_alphanumeric() && c != '_') {
            let own = word.len() < 9 && word.chars().next().is_some_and(char::is_alphabetic);
            let keyword = ["int", "void", "if", "else", "while", "return", "main", "assert", "struct", "long", "for"];
            if own && !keyword.contains(&word) {
                names.insert(word.to_owned());
            }
        }
    }
    names
}

fn mentions(line: &str, name: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

fn without_name(lines: &[String], spans: &[(usize, usize)], name: &str) -> Vec<String> {
    let gone = |at: usize| spans.iter().any(|&(from, to)| (from..=to).contains(&at) && mentions(&lines[from], name));
    lines.iter().enumerate().filter(|(at, _)| !gone(*at)).map(|(_, line)| line.clone()).collect()
}

/// Simpler variants of one line: a conjunct less, a constant for what is assigned, a relaxed order.
fn simpler(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let (Some(start), true) = (line.find("(!("), line.contains("assert(")) {
        let inner = &line[start + 3..];
        if let Some(inner) = inner.strip_suffix("));") {
            let parts: Vec<&str> = inner.split(" && ").collect();
            for gone in (0..parts.len()).filter(|_| parts.len() > 1) {
                let kept: Vec<&str> = parts.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, p)| *p).collect();
                found.push(format!("{}(!({}));", &line[..start], kept.join(" && ")));
            }
        }
    }
    if let Some((place, value)) = line.split_once(" = ") {
        let constant = value.trim_end_matches(';').parse::<u32>().is_ok();
        if !constant && line.ends_with(';') && !line.contains("for (") {
            found.push(format!("{place} = 1;"));
            found.push(format!("{place} = 0;"));
        }
    }
    for order in 1..6 {
        let (from, to) = (format!(", {order})"), ", 0)".to_owned());
        if line.contains("__atomic") && line.contains(&from) {
            found.push(line.replacen(&from, &to, 1));
        }
    }
    if let Some((condition, then)) = line.trim().strip_prefix("if (").and_then(|rest| rest.split_once(") "))
        && !then.ends_with('{')
        && !condition.is_empty()
    {
        found.push(then.to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "int x;\nint y;\n\nvoid *thread0(void *unused) {\n    if (x) {\n        y = x + 1;\n    } else {\n        \
                        x = 1;\n    }\n    return 0;\n}\n\nint main(void) {\n    pthread_create(&t0, 0, thread0, 0);\n    \
                        assert(!(x == 1 && y == 0));\n}\n";

    #[test]
    fn statements_blocks_and_threads_go() {
        let variants: Vec<String> = shrink(TEXT).collect();
        let has = |wanted: &dyn Fn(&str) -> bool| variants.iter().any(|variant| wanted(variant));
        assert!(has(&|v| !v.contains("thread0") && v.contains("int main")), "a thread with its start");
        assert!(has(&|v| !v.contains("if (x)") && !v.contains("x = 1;\n    }") && v.contains("return 0;")), "a branch");
        assert!(has(&|v| !v.contains("if (x)") && v.contains("y = x + 1;") && v.contains("x = 1;")), "its condition");
        assert!(has(&|v| v.contains("assert(!(x == 1));")), "a conjunct");
        assert!(has(&|v| v.contains("y = 1;")), "a value");
        assert!(variants.iter().all(|variant| variant != TEXT));
    }

    #[test]
    fn what_matters_remains() {
        // The smallest text with a write to `y` in a thread.
        let wanted = |text: &str| text.contains("y = ") && text.contains("void *thread0");
        let mut text = TEXT.to_owned();
        while let Some(smaller) = shrink(&text).find(|variant| wanted(variant)) {
            text = smaller;
        }
        assert!(text.lines().filter(|line| !line.is_empty()).count() <= 3, "{text}");
    }
}
