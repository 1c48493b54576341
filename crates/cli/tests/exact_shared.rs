//! C programs whose meaning is easy to get wrong, with verdicts by hand, where they lie beside the repository.

use crate::common::{fencepost, last};
use testkit::corpus::shared;

/// The exit code of a refusal.
const REFUSED: i32 = 2;

#[test]
fn verdicts_of_the_shared_exact_programs() {
    let Some(folder) = shared().map(|folder| folder.join("exact")) else {
        return println!("there is no shared corpus beside the repository; corpus::c_programs runs our own");
    };
    let table = std::fs::read_to_string(folder.join("verdicts.csv")).expect("the corpus has a table");
    let (mut complaints, mut rows) = (Vec::new(), 0);
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.trim_end().split(',').collect();
        let &[file, model, property, expected, refusal] = &fields[..] else { panic!("`{line}` is no row") };
        let path = folder.join(file).display().to_string();
        let args = ["check", &path, "--model", model, "--property", property];
        let output = fencepost(&args).output().expect("the binary starts");
        let said = last(&output);
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
