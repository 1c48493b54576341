//! Documents are tests: every litmus test in the book is run, and its observations are those that the book claims.
//!
//! A block of a litmus test has a comment `<!-- @expect sc: Never; tso: Sometimes -->` in the line above it. Console blocks, of
//! the README too, show what their commands print; `cargo xtask bless` refreshes them, see `testkit::console`.

use crate::common::{clean, fencepost, root, scratch, stderr, stdout};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use testkit::console::{Ran, refreshed};
use testkit::corpus::{each, files};
use testkit::heads::head;

/// The commands in console blocks, counted when the last one was added.
const COMMANDS: usize = 53;

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
            let head = head(lines[at - 1]).unwrap_or_else(|why| panic!("{place}: {why}"));
            let claims = head.expectations.into_iter().map(|claim| (claim.model, claim.outcome)).collect();
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

/// A folder in which the commands of documents can be run and may write files: the folders that they name are in it.
fn workplace() -> PathBuf {
    let folder = scratch("documents");
    for name in ["book", "corpus", "examples", "models"] {
        let link = folder.join(name);
        if !link.exists() {
            std::os::unix::fs::symlink(root().join(name), &link).expect("the scratch folder can be written to");
        }
    }
    folder
}

#[test]
fn documents_show_what_is_printed() {
    let bless = std::env::var_os("BLESS").is_some();
    let folder = workplace();
    let mut documents = files(&["book/src"], "md");
    documents.push(root().join("README.md"));
    let commands = AtomicUsize::new(0);
    let stale = each(&documents, |path| {
        let text = std::fs::read_to_string(path).expect("documents are text");
        let fresh = refreshed(&text, &mut |args| {
            let output = clean(args).current_dir(&folder).output().expect("the binary starts");
            Ran { text: stdout(&output) + &stderr(&output), code: output.status.code().unwrap_or(-1) }
        });
        commands.fetch_add(fresh.commands, Ordering::Relaxed);
        if bless {
            std::fs::write(path, &fresh.text).expect("documents can be written");
        }
        let name = path.strip_prefix(root()).unwrap_or(path).display();
        let stale: Vec<String> = fresh.stale.iter().map(|what| format!("{name}, {what}\n")).collect();
        (!bless && !stale.is_empty()).then(|| stale.concat())
    });
    assert!(stale.is_empty(), "{}\n`cargo xtask bless` refreshes them", stale.join("\n"));
    let commands = commands.into_inner();
    assert!(commands >= COMMANDS, "only {commands} commands were run");
}

/// The options in the help of a command: the words behind two spaces that begin with a dash.
fn options(command: &str) -> Vec<String> {
    let help = stdout(&clean(&[command, "--help"]).output().expect("the binary starts"));
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-') && !line.starts_with("- "));
    let words = lines.flat_map(|line| line.split([' ', ',']).take_while(|word| !word.starts_with('<')));
    words.filter(|word| word.starts_with('-')).map(str::to_owned).collect()
}

/// Each option has a row in the reference that names the command.
#[test]
fn the_reference_has_every_option() {
    let text = std::fs::read_to_string(root().join("book/src/reference.md")).expect("the chapter is there");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(" | ").collect()).collect();
    let (mut missing, mut found) = (Vec::new(), 0);
    for command in ["check", "litmus", "why", "fences", "weaken"] {
        for option in options(command).into_iter().filter(|option| option != "-h" && option != "--help") {
            let named = |cell: &str| cell.split(['`', ' ']).any(|word| word == option);
            let told = rows.iter().any(|row| row.len() > 2 && named(row[0]) && row[1].contains(command));
            // What engines declare is listed by the program itself, and documents show what is printed.
            let told = told || text.lines().any(|line| line.starts_with(&format!("{option} ")));
            found += usize::from(told);
            if !told {
                missing.push(format!("{command} {option}"));
            }
        }
    }
    assert!(missing.is_empty(), "not in book/src/reference.md: {}", missing.join(", "));
    assert!(found >= 80, "only {found} options were found in the help");
}
