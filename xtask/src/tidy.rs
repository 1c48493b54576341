//! `cargo xtask tidy`: the house rules, kept by machine.

mod layers;
mod texts;

use crate::run::root;
use anyhow::Result;

/// Checks all rules, prints what breaks them, and gives 1 if something does.
pub fn run() -> Result<u8> {
    let root = root();
    let rules: &[(&str, Rule)] = &[
        ("layers", layers::layers),
        ("io", texts::no_io_below_the_face),
        ("checkers", texts::engines_call_no_checker),
        ("leftovers", texts::no_leftovers),
        ("length", texts::no_long_files),
        ("paths", texts::no_paths_of_a_machine),
        ("expectations", texts::programs_have_expectations),
        ("tests", texts::tests_are_run),
        ("models", texts::models_have_heads),
        ("engines", texts::engines_explain_themselves),
    ];
    let mut broken = 0;
    for (name, rule) in rules {
        for message in rule(&root)? {
            println!("tidy [{name}] {message}");
            broken += 1;
        }
    }
    println!("tidy: {} rules, {broken} breaches", rules.len());
    Ok(u8::from(broken > 0))
}

/// A rule looks at the repository and says what breaks it.
type Rule = fn(&std::path::Path) -> Result<Vec<String>>;
