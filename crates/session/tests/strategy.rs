//! What `auto` answers depends on the program and the options alone.

use engine::{MILLI, NoAnswer, Observer, Options, Unobserved};
use ir::Program;
use model::Model;
use session::{Reading, Request};
use source::SourceFile;
use std::sync::atomic::{AtomicBool, Ordering};

const HEAD: &str = "typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
void __VERIFIER_assert(int);
int x, y, z;
";

/// Two threads and what `main` asks when both are done.
fn program(first: &str, second: &str, after: &str) -> Program {
    let text = format!(
        "{HEAD}void *p(void *arg) {{ int r, i; {first} return 0; }}\nvoid *q(void *arg) {{ int r, i; {second} return 0; }}\n\
        int main(void) {{ pthread_t a, b; pthread_create(&a, 0, p, 0); pthread_create(&b, 0, q, 0);\n\
        pthread_join(a, 0); pthread_join(b, 0); {after} return 0; }}\n"
    );
    let source = SourceFile::new("strategy.c", &text);
    session::load(&source, &Reading::default()).unwrap_or_else(|why| panic!("{why}\n{text}"))
}

/// The verdict's line and the engine.
fn ask(program: &Program, request: &Request, observer: &dyn Observer) -> (String, &'static str) {
    let model = Model::builtin("tso").expect("a model of ours");
    let found = session::check(program, &model, request, observer).unwrap_or_else(|why| panic!("{why}"));
    (found.result.to_string(), found.engine)
}

fn request(jobs: usize) -> Request {
    let options = Options { unwind: 1, ..Options::default() };
    Request { options, deepen: Some(100 * MILLI), jobs, ..Request::default() }
}

/// Programs that are decided by different rows of the table, or by none.
fn programs() -> Vec<(Program, &'static str)> {
    vec![
        (program("x = 1;", "y = 1;", "__VERIFIER_assert(x == 1 && y == 1);"), "SAFE"),
        (program("x = 1; r = y; z += !r;", "y = 1; r = x; z += !r;", "__VERIFIER_assert(z < 2);"), "UNSAFE"),
        (program("while (1) { x = 1; x = 0; }", "while (1) { r = x; __VERIFIER_assert(r < 2); }", ""), "SAFE"),
        // Nobody sees that numbers stay even: a bound is all there is.
        (program("while (!y) x += 2;", "r = x; __VERIFIER_assert(r != 7); y = 1;", ""), "SAFE (unwind"),
    ]
}

#[test]
fn cores_change_the_time_and_nothing_else() {
    for (at, (program, expected)) in programs().iter().enumerate() {
        let alone = ask(program, &request(1), &Unobserved);
        assert!(alone.0.starts_with(expected), "program {at}: {} by {}", alone.0, alone.1);
        assert_eq!(ask(program, &request(4), &Unobserved), alone, "program {at}");
    }
}

/// Stops everybody as soon as a bound is done.
#[derive(Default)]
struct Impatient(AtomicBool);

impl Observer for Impatient {
    fn stop(&self) -> Option<NoAnswer> {
        self.0.load(Ordering::Relaxed).then_some(NoAnswer::Cancelled)
    }

    fn phase(&self, name: &str, _detail: &str) {
        self.0.fetch_or(name == "bound", Ordering::Relaxed);
    }
}

#[test]
fn a_bound_that_was_done_is_not_lost() {
    let (program, _) = programs().remove(3);
    let (verdict, engine) = ask(&program, &request(2), &Impatient::default());
    assert!(verdict.starts_with("SAFE (unwind "), "{verdict} by {engine}");
}

#[test]
fn a_bound_on_loops_keeps_nobody_out_who_unrolls_none() {
    let (program, _) = programs().remove(2);
    let options = Options { unwind: 2, ..Options::default() };
    let bounded = Request { options: options.clone(), engine: Some("partial-order".to_owned()), ..Request::default() };
    assert_eq!(ask(&program, &bounded, &Unobserved).0, "SAFE (unwind 2)");
    let (verdict, engine) = ask(&program, &Request { options, ..Request::default() }, &Unobserved);
    assert_eq!((verdict.as_str(), engine), ("SAFE", "local"));
}
