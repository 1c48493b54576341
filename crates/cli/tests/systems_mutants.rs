//! Damaged array-based systems: an error or a verdict, never a panic, never a hang, never a certificate that does not hold.

use crate::common::{fencepost, scratch};
use testkit::corpus::files;
use testkit::{Rng, damaged};

/// Words, spaces and signs.
fn tokens(text: &str) -> Vec<String> {
    let kind = |c: char| if c.is_alphanumeric() || c == '_' { 0 } else { 1 + usize::from(!c.is_whitespace()) };
    let mut tokens: Vec<String> = Vec::new();
    let mut last = None;
    for c in text.chars() {
        match tokens.last_mut() {
            Some(token) if last == Some(kind(c)) && kind(c) < 2 => token.push(c),
            _ => tokens.push(c.to_string()),
        }
        last = Some(kind(c));
    }
    tokens
}

/// Replaces a constructor behind `init` by another one of its type; the text stays a system.
fn other_value(text: &str, rng: &mut Rng) -> String {
    let mut types: Vec<Vec<&str>> = vec![vec!["True", "False"]];
    for line in text.lines().filter(|line| line.starts_with("type ")) {
        let values = line.split('=').nth(1).unwrap_or_default();
        types.push(values.split('|').map(str::trim).filter(|value| !value.is_empty()).collect());
    }
    let mut tokens = tokens(text);
    let begin = tokens.iter().position(|token| token == "init").unwrap_or(0);
    let places: Vec<usize> =
        (begin..tokens.len()).filter(|&at| types.iter().any(|values| values.contains(&tokens[at].as_str()))).collect();
    if let Some(&at) = places.get(rng.below(places.len())) {
        let values = types.iter().find(|values| values.contains(&tokens[at].as_str()));
        let values = values.map_or(&[][..], |values| &values[..]);
        if let Some(value) = values.get(rng.below(values.len())) {
            tokens[at] = (*value).to_owned();
        }
    }
    tokens.concat()
}

fn mutate(bytes: &[u8], how: usize, rng: &mut Rng) -> Vec<u8> {
    match how {
        0..=2 => damaged(bytes, how, rng),
        3 => {
            let mut tokens = tokens(&String::from_utf8_lossy(bytes));
            let (from, to) = (rng.below(tokens.len()), rng.below(tokens.len()));
            tokens[to] = tokens[from].clone();
            tokens.concat().into_bytes()
        }
        _ => {
            let text = String::from_utf8_lossy(bytes).into_owned();
            other_value(&other_value(&text, rng), rng).into_bytes()
        }
    }
}

#[test]
fn damaged_systems_give_an_error_or_a_verdict() {
    let sources = files(&["corpus/arrays", "examples"], "cub");
    assert!(sources.len() >= 10, "the systems are there");
    let folder = scratch("systems_mutants");
    let mut rng = Rng::new(7);
    let mut complaints = Vec::new();
    let mut verdicts = 0;
    for number in 0..200 {
        let source = rng.pick(&sources);
        let how = if number % 2 == 0 { 4 } else { number / 2 % 4 };
        let bytes = mutate(&std::fs::read(source).expect("the file was listed"), how, &mut rng);
        let path = folder.join(format!("{number}.cub"));
        std::fs::write(&path, bytes).expect("the mutant can be written");
        let file = path.display().to_string();
        let format = ["text", "json", "html", "dot"][number / 4 % 4];
        let mut args = vec!["check", &file, "--timeout", "2", "--memory", "2000", "--format", format];
        if number % 5 == 0 {
            args.extend(["--brab", "2"]);
        }
        let output = fencepost(&args).output().expect("the binary starts");
        verdicts += usize::from(matches!(output.status.code(), Some(0 | 10)));
        if !matches!(output.status.code(), Some(0 | 10 | 5 | 2)) {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            complaints.push(format!("{file} (from {}): {:?} {said}", source.display(), output.status.code()));
        }
    }
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    assert!(verdicts >= 60, "only {verdicts} mutants were still systems");
}

#[test]
fn what_is_no_system_is_refused_with_a_place() {
    let folder = scratch("systems_bad");
    let huge = format!("type t = A | B\n{}", "array P[proc] : t\n".repeat(200_000));
    let deep = format!("init () {{ {}true{} }}", "(".repeat(100_000), ")".repeat(100_000));
    let cases: &[(&str, &[u8], &str)] = &[
        ("empty", b"", "error"),
        ("spaces", b"  \n\n (* nothing *) \n", "there is no `init`"),
        ("binary", &[0x7f, b'E', b'L', b'F', 0, 1, 2, 0xff, 0xfe, 0], "error"),
        ("no-init", b"var X : bool\nunsafe () { X = True }\n", "there is no `init`"),
        ("no-unsafe", b"var X : bool\ninit () { X = True }\n", "there is no `unsafe`"),
        ("type", b"var X : bool\ninit () { X = 3 }\nunsafe () { X = True }\n", ":2:"),
        ("twice", huge.as_bytes(), ":3:"),
        ("deep", deep.as_bytes(), "error"),
    ];
    for (name, bytes, expected) in cases {
        let path = folder.join(format!("{name}.cub"));
        std::fs::write(&path, bytes).expect("there is room for a file");
        let output = fencepost(&["check", &path.display().to_string(), "--timeout", "5"]).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains(expected), "{name}: {said}");
    }
}
