//! The library says what the command line says.

use fencepost::{Check, Error, Property, Source, Verdict, check};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

fn line(name: &str, model: &str) -> String {
    let source = Source::open(example(name)).expect("the example is there");
    check(&source, model).expect("it is read").line()
}

#[test]
fn verdicts_of_all_kinds_of_texts() {
    assert_eq!(line("sb.litmus", "sc"), "SAFE");
    assert_eq!(line("sb.litmus", "tso"), "UNSAFE");
    assert_eq!(line("dekker.c", "sc"), "SAFE");
    assert_eq!(line("dekker.c", "tso"), "UNSAFE");
    assert_eq!(line("mutex-no-fence.cub", "sc"), "SAFE");
    assert_eq!(line("mutex-no-fence.cub", "tso"), "UNSAFE");
}

#[test]
fn reports_have_every_format() {
    for name in ["sb.litmus", "dekker.c", "mutex-no-fence.cub"] {
        let report = check(&Source::open(example(name)).expect("it is there"), "tso").expect("it is read");
        assert_eq!(report.verdict(), &Verdict::Unsafe);
        assert!(report.text().ends_with("UNSAFE\n"), "{}", report.text());
        assert!(report.json().contains("\"fencepost/1\"") && report.html().contains("</html>"));
        assert!(report.svg().is_some_and(|svg| svg.contains("</svg>")));
    }
}

#[test]
fn texts_that_are_in_no_file_include_what_is_beside_their_name() {
    let folder = tempfile::tempdir().expect("there is room");
    std::fs::write(folder.path().join("value.h"), "#define VALUE 1\n").expect("there is room");
    let name = folder.path().join("main.c").display().to_string();
    let text = "#include \"value.h\"\n#include <assert.h>\nint main(void) {\n  assert(VALUE == WANTED);\n}\n";
    let source = Source::new(name, text);
    assert!(check(&source.clone().define("WANTED=1"), "sc").expect("it is read").verdict().is_proof());
    let wrong = check(&source.define("WANTED=2"), "sc").expect("it is read");
    assert!(wrong.text().contains("line 4"), "{}", wrong.text());
}

#[test]
fn bounds_properties_and_models_are_chosen() {
    let text =
        "int nondet(void);\nvoid assert(int);\nint main(void) { int n = 0; while (nondet()) { n++; } return n; }\n";
    let text = text.replace("nondet", "__VERIFIER_nondet_int");
    let counts = Source::new("counts.i", text);
    let asked = Check::new("sc").engine("partial-order").unwind(3);
    let report = asked.property(Property::Overflow).run(&counts).expect("it is read");
    assert_eq!(report.line(), "SAFE (unwind 3)");
    let Verdict::Safe { bounds } = report.verdict() else { panic!("{report}") };
    assert!(bounds.iter().any(|bound| bound.name == "unwind" && bound.value == Some(3)), "{bounds:?}");
    let sb = Source::open(example("sb.litmus")).expect("it is there");
    let own = Check::under("own", "\"own\"\nacyclic po | rf | co | fr as sc\n").run(&sb).expect("it is read");
    assert!(own.verdict().is_proof());
    let late = Check::new("tso").timeout(Duration::ZERO).run(&Source::open(example("dekker.c")).expect("it is there"));
    assert!(matches!(late.expect("it is read").verdict(), Verdict::Unknown(why) if why.contains("timeout")));
}

#[test]
fn errors_say_what_is_wrong_and_where() {
    let test = Source::new("bad.litmus", "X86 bad\n{ }\n P0 ;\n NONSENSE ;\nexists (x=1)\n");
    assert!(matches!(check(&test, "tso"), Err(Error::Input { line: 4, .. })), "{:?}", check(&test, "tso").err());
    assert!(matches!(check(&test, "tos"), Err(Error::Usage(why)) if why.contains("did you mean `tso`")));
    let broken = Source::new("broken.c", "#error no\n");
    assert!(matches!(check(&broken, "sc"), Err(Error::File(why)) if why.contains("preprocessor")));
    assert!(matches!(Source::open("nowhere.c"), Err(Error::File(_))));
}

#[test]
fn deep_calls_do_not_need_a_deep_stack_of_the_caller() {
    let text = "void __VERIFIER_assert(int);\nint f(int n) { return n ? f(n - 1) + 1 : 0; }\n\
                int main(void) { __VERIFIER_assert(f(3000) == 3000); return 0; }\n";
    let report = Check::new("sc").engine("partial-order").unwind(3500).run(&Source::new("deep.c", text));
    assert_eq!(report.expect("it is read").line(), "SAFE");
}
