//! Documents are tests: every litmus test in the book is run, and its observations are those that the book claims.
//!
//! A block of a litmus test has a comment `<!-- expect sc: Never; tso: Sometimes -->` in the line above it. A block of
//! output has `<!-- output of fencepost check examples/peterson.c -->`, and is what that command prints.

mod common;

use common::{fencepost, root, scratch, stdout};

/// A litmus test in the book: where, what is claimed, and the text.
struct Block {
    place: String,
    claims: Vec<(String, String)>,
    text: String,
}

fn blocks() -> Vec<Block> {
    let mut found = Vec::new();
    let chapters = std::fs::read_dir(root().join("book/src")).expect("the book is there");
    for path in chapters.map(|entry| entry.expect("folders can be read").path()) {
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let chapter = std::fs::read_to_string(&path).expect("chapters are text");
        let lines: Vec<&str> = chapter.lines().collect();
        for (at, _) in lines.iter().enumerate().filter(|(_, line)| **line == "```litmus") {
            let place = format!("{}:{}", path.file_name().unwrap_or_default().to_string_lossy(), at + 1);
            let claim = lines[at - 1].strip_prefix("<!-- expect ").and_then(|rest| rest.strip_suffix(" -->"));
            let claim = claim.unwrap_or_else(|| panic!("{place}: a litmus test says what to expect in the line above"));
            let claims = claim.split("; ").map(|part| {
                let (model, observation) = part.split_once(": ").unwrap_or_else(|| panic!("{place}: `{part}`"));
                (model.to_owned(), observation.to_owned())
            });
            let claims: Vec<(String, String)> = claims.collect();
            let text = lines[at + 1..].iter().take_while(|line| **line != "```");
            let text = text.map(|line| format!("{line}\n")).collect();
            found.push(Block { place, claims, text });
        }
    }
    found
}

#[test]
fn the_books_litmus_tests_do_what_it_says() {
    let folder = scratch("book");
    let mut checked = 0;
    for (number, block) in blocks().iter().enumerate() {
        let file = folder.join(format!("{number}.litmus"));
        std::fs::write(&file, &block.text).expect("the scratch folder can be written to");
        for (model, expected) in &block.claims {
            let file = file.display().to_string();
            let output = fencepost(&["litmus", &file, "--model", model, "--format", "csv"]).output().expect("it runs");
            let table = stdout(&output);
            let observed = table.lines().nth(1).and_then(|row| row.rsplit(',').next()).unwrap_or("nothing");
            assert_eq!(observed, expected, "{} under {model}", block.place);
            checked += 1;
        }
    }
    assert!(checked > 50, "the book has tests: {checked}");
}

#[test]
fn the_book_shows_what_is_printed() {
    let mut checked = 0;
    let chapters = std::fs::read_dir(root().join("book/src")).expect("the book is there");
    for path in chapters.map(|entry| entry.expect("folders can be read").path()) {
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let chapter = std::fs::read_to_string(&path).expect("chapters are text");
        let lines: Vec<&str> = chapter.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let command = line.strip_prefix("<!-- output of fencepost ").and_then(|rest| rest.strip_suffix(" -->"));
            let Some(command) = command else { continue };
            let place = format!("{}:{}", path.file_name().unwrap_or_default().to_string_lossy(), at + 1);
            assert_eq!(lines.get(at + 1), Some(&"```text"), "{place}: the output follows");
            let shown: Vec<&str> = lines[at + 2..].iter().take_while(|line| **line != "```").copied().collect();
            let args: Vec<&str> = command.split(' ').collect();
            let output = fencepost(&args).current_dir(root()).output().expect("it runs");
            let printed = stdout(&output);
            let printed: Vec<&str> = printed.trim_end().lines().collect();
            assert_eq!(printed, shown, "{place}: `fencepost {command}` prints something else");
            checked += 1;
        }
    }
    assert!(checked >= 4, "the book shows outputs: {checked}");
}
