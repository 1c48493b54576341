//! C programs whose meaning is easy to get wrong, with verdicts by hand, where they lie beside the repository.

mod common;

use common::{fencepost, root, stdout};

/// The exit code of a refusal.
const REFUSED: i32 = 2;

#[test]
fn verdicts_of_the_shared_exact_programs() {
    let folder = "../shared/corpus/exact";
    let Ok(table) = std::fs::read_to_string(root().join(folder).join("verdicts.csv")) else {
        println!("skipped: there is no {folder} beside the repository");
        return;
    };
    let (mut complaints, mut rows) = (Vec::new(), 0);
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.trim_end().split(',').collect();
        let &[file, model, property, expected, refusal] = &fields[..] else { panic!("`{line}` is no row") };
        let path = format!("{folder}/{file}");
        let args = ["check", &path, "--model", model, "--property", property];
        let output = fencepost(&args).output().expect("the binary starts");
        let text = stdout(&output);
        let said = text.lines().last().unwrap_or_default();
        let refused = output.status.code() == Some(REFUSED) && refusal == "yes";
        if said != expected && !refused {
            complaints.push(format!("{file} {model} {property}: {said}, expected {expected}"));
        }
        rows += 1;
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    println!("{rows} rows");
    assert!(rows >= 28, "only {rows} rows were found");
}
