//! The shape of what is emitted: accesses and their tags, what lives in memory, branches, threads.

mod common;

use common::{lower, lower_with};
use front_c::{Options, parse};
use ir::{Op, Program, System, Terminator};
use source::SourceFile;

/// The text of one function of the program, or of all that begin with the name; that of a thread that is there from the start.
fn function(program: &Program, name: &str) -> String {
    let text = program.to_string();
    let start = text.find(&format!("function {name}(")).or_else(|| text.find(&format!("thread {name}:")));
    let rest = &text[start.unwrap_or_else(|| panic!("no {name} in\n{text}"))..];
    let end = rest[1..].find("\nfunction ").map_or(rest.len(), |end| end + 1);
    rest[..end].to_owned()
}

/// The lines of `main`, for a program that declares `x`, `y`, `p`, `a` and has this body.
fn body(text: &str) -> Vec<String> {
    let declarations = "int x, y; int *p = &x; int a[4]; _Atomic int n; struct { int first; short second; } s; \
                        enum { N = 2 };";
    let program = lower(&format!("{declarations} int main(void) {{ {text} return 0; }}"));
    let function = function(&program, "main");
    function
        .lines()
        .skip(1)
        .map(|line| line.trim().to_owned())
        .filter(|line| line != "b0:" && line != "return")
        .collect()
}

#[test]
fn each_access_to_memory_is_one_event() {
    assert_eq!(body("x = y;"), ["%t1 := load &y NA", "store &x := %t1 NA"]);
    assert_eq!(body("x++;"), ["%t1 := load &x NA", "store &x := (%t1 + 1) NA"]);
    assert_eq!(body("x = x + y + x;").iter().filter(|line| line.contains("load")).count(), 3);
    assert_eq!(body("*p = 1;"), ["%t1 := load &p NA", "store %t1 := 1 NA"]);
    assert_eq!(body("a[2] = x;"), ["%t1 := load &x NA", "store &a[2] := %t1 NA"]);
    assert_eq!(body("a[y] = 1;"), ["%t1 := load &y NA", "store (&a[0] + (sext64(%t1) * 4)) := 1 NA"]);
    assert_eq!(body("s.second = 3;"), ["store &s.second := 3 NA"]);
    assert_eq!(body("(void)x;"), ["%t1 := load &x NA"], "a read for nothing is a read");
    assert_eq!(body("(void)sizeof(x++);"), [""; 0], "the operand of sizeof is not evaluated");
    assert_eq!(body("(void)&x;"), [""; 0]);
}

#[test]
fn atomic_objects_are_accessed_in_one_total_order() {
    assert_eq!(body("n = 1;"), ["store &n := 1 A SC"]);
    assert_eq!(body("x = n;"), ["%t1 := load &n A SC", "store &x := %t1 NA"]);
    assert_eq!(body("n++;"), ["%t1 := rmw &n := (%t1 + 1) A SC A SC"]);
    assert_eq!(body("n -= 3;"), ["%t1 := rmw &n := (%t1 - 3) A SC A SC"]);
    assert_eq!(body("x = n++;")[1], "store &x := %t1 NA");
    assert_eq!(body("x = ++n;")[1], "store &x := (%t1 + 1) NA");
}

#[test]
fn evaluation_is_from_left_to_right() {
    let program = lower(
        "int n; static int tick(void) { return ++n; } static int three(int a, int b, int c) { return a; } \
         int main(void) { int i = 1; return three(i, i++, tick()); }",
    );
    let main = function(&program, "main");
    let order: Vec<usize> = ["%t1 := i", "%t2 := i", "i := (%t2 + 1)", "call tick"]
        .iter()
        .map(|what| main.find(what).unwrap_or_else(|| panic!("no {what} in\n{main}")))
        .collect();
    assert!(order.is_sorted(), "{main}");
    assert!(main.contains("call three(%t1, %t2, "), "{main}");
}

#[test]
fn variables_that_stay_inside_are_no_memory() {
    let quiet = [
        "int i = 1; i = i + 1;",
        "struct { int a, b; } q = { 1, 2 }; q.a = q.b;",
        "int t[3]; t[0] = 1; t[2] = t[0];",
        "struct { int k[2]; } q, r; q.k[1] = 1; r = q;",
        "int t[N]; t[N - 1] = 1;",
        "_Atomic int *a = 0; __typeof__((void)0, *a) k = 1; k = k + 1;",
    ];
    for text in quiet {
        let lines = body(text);
        let touches = |line: &String| ["alloc", "load", "store", "rmw"].iter().any(|word| line.contains(word));
        assert!(!lines.iter().any(touches), "{text}: {lines:?}");
    }
    let needs = [
        "int i = 1; p = &i;",
        "int t[3]; t[x] = 1;",
        "int t[3]; p = t;",
        "struct { int a, b; } q; p = &q.b;",
        "struct { int k[2]; } q; p = q.k;",
        "_Atomic int k = 0; k++;",
    ];
    for text in needs {
        assert!(body(text).iter().any(|line| line.contains("alloc")), "{text}: {:?}", body(text));
    }
}

#[test]
fn variables_without_a_first_value_hold_any() {
    assert_eq!(body("int i; x = i;"), ["i := any", "store &x := i NA"]);
    assert!(body("int i; p = &i;")[0].ends_with("alloc i of 4"), "{:?}", body("int i; p = &i;"));
    assert!(body("int t[9] = { 0 }; p = t;")[0].ends_with("zeroed"), "{:?}", body("int t[9] = { 0 }; p = t;"));
}

#[test]
fn first_values_are_in_the_objects() {
    let program = lower(
        "struct s { char c; long l; struct s *next; }; struct s second; struct s first = { 'a', -1, &second }; \
         int unused = 3; int main(void) { return first.c; }",
    );
    let text = program.to_string();
    for line in ["first+0: i8 = 97", "first+8: i64 = -1", "first+16: i64 = &second.c", "second+8: i64 = 0"] {
        assert!(text.contains(line), "no {line} in\n{text}");
    }
    assert!(!text.contains("unused"), "what is not reachable is not there");
}

#[test]
fn what_is_not_reachable_may_be_anything() {
    let text = "typedef _Complex double c; c z; c f(c a) { return a * z; } int g(void) { return __builtin_va_arg(x, int); } \
                int main(void) { return 0; }";
    assert_eq!(lower(text).functions.len(), 1);
}

#[test]
fn branches_know_where_they_join() {
    let join = |text: &str| {
        let program = lower(&format!("int x, y; int main(void) {{ {text} y = 9; return 0; }}"));
        let main = &program.functions[program.threads[0].body.index()];
        let branch = main.blocks.iter().find_map(|block| {
            let Terminator::Branch { join, .. } = &block.terminator else { return None };
            Some(*join)
        });
        let join = branch.expect("a branch");
        join.map(|join| {
            let last = main.blocks[join.index()].instrs.first().map(|instr| instr.op.clone());
            matches!(last, Some(Op::Store { .. }))
        })
    };
    assert_eq!(join("if (x) y = 1;"), Some(true));
    assert_eq!(join("if (x) y = 1; else y = 2;"), Some(true));
    assert_eq!(join("while (x) y = 1;"), Some(true));
    assert_eq!(join("do y = 1; while (x);"), Some(true));
    assert_eq!(join("if (x) return 1;"), Some(false), "the paths meet where the function ends");
    assert_eq!(join("if (x) { extern void reach_error(void); reach_error(); }"), Some(true), "one path has no future");
    assert_eq!(join("switch (x) { case 1: break; case 2: y = 2; }"), Some(true));
}

#[test]
fn pure_operators_make_no_branches() {
    let lines = body("int i = x, j = y; x = i && j || !i; x = i ? j : 3;");
    assert!(!lines.iter().any(|line| line.starts_with("if")), "{lines:?}");
    let lines = body("if (x && y) a[0] = 1;");
    assert_eq!(lines.iter().filter(|line| line.starts_with("if")).count(), 2, "{lines:?}");
}

const THREADS: &str = "typedef unsigned long pthread_t; typedef struct { int k; } pthread_attr_t; \
    int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *); int pthread_join(pthread_t, void **); \
    int x, y; void *run(void *arg) { x = 1; return arg; } ";

/// The instruction after which other threads may exist, and the one before.
fn around_publish(text: &str) -> (String, String) {
    let main = function(&lower(&format!("{THREADS} {text}")), "main");
    let lines: Vec<&str> = main.lines().map(str::trim).collect();
    let at = lines.iter().position(|line| *line == "publish").unwrap_or_else(|| panic!("no publish in\n{main}"));
    assert_eq!(lines.iter().filter(|line| **line == "publish").count(), 1);
    (lines[at - 1].to_owned(), lines[at + 1].to_owned())
}

#[test]
fn main_is_alone_until_it_starts_a_thread() {
    let (_, next) = around_publish("int main(void) { pthread_t t; x = 2; pthread_create(&t, 0, run, 0); return 0; }");
    assert!(next.contains("spawn run(0)"), "{next}");
    let (before, next) = around_publish(
        "static void go(void) { pthread_t t; pthread_create(&t, 0, run, 0); } int main(void) { x = 2; go(); return 0; }",
    );
    assert!(before.contains("store &x"), "{before}");
    assert!(next.contains("call go"), "{next}");
    let (before, _) = around_publish(
        "int main(void) { pthread_t t; x = 2; for (int i = 0; i < 2; i++) pthread_create(&t, 0, run, 0); return 0; }",
    );
    assert_eq!(before, "i := 0", "outside the loop");
    let (before, next) = around_publish(
        "int main(void) { pthread_t t; int i = x; if (i) pthread_create(&t, 0, run, 0); else pthread_create(&t, 0, run, 0); }",
    );
    assert!(before.contains("i := ") && next.starts_with("if"), "{before}, {next}");
    let alone = lower(&format!("{THREADS} int main(void) {{ x = 1; return 0; }}"));
    assert!(alone.begins_alone() && !alone.to_string().contains("publish"), "nobody starts a thread");
}

#[test]
fn threads_begin_with_a_word_and_end_with_one() {
    let main = |text: &str| lower(&format!("{THREADS} {text}"));
    let plain = main("int main(void) { pthread_t t; pthread_create(&t, 0, run, &x); pthread_join(t, 0); return 0; }");
    assert!(function(&plain, "main").contains("spawn run(&x)"), "{plain}");
    let odd = main(
        "int odd(int k) { return k; } int main(void) { pthread_t t; void *r; \
         pthread_create(&t, 0, (void *(*)(void *))odd, (void *)7); pthread_join(t, &r); return (long)r == 7; }",
    );
    let spawned = odd.functions.iter().find_map(|f| {
        f.blocks.iter().flat_map(|b| &b.instrs).find_map(|i| {
            let Op::System(System::Spawn { function, .. }) = &i.op else { return None };
            Some(*function)
        })
    });
    let adapter = &odd.functions[spawned.expect("a thread").index()];
    assert!(adapter.library && adapter.params == 1 && adapter.locals[0].width == ir::Width::WORD, "{odd}");
    let through = main(
        "void *(*start)(void *) = run; void *other(void *a) { return a; } void *(*unused)(void *) = other; \
         int main(void) { pthread_t t; if (x) start = other; pthread_create(&t, 0, start, 0); return 0; }",
    );
    let spawner = function(&through, "%spawn");
    assert!(spawner.contains("spawn run") && spawner.contains("spawn other"), "{spawner}");
}

#[test]
fn thread_local_variables_are_one_for_each_thread() {
    let program = lower(&format!(
        "{THREADS} __thread int mine = 5; void *use(void *a) {{ mine++; return &mine; }} \
         int main(void) {{ pthread_t t; pthread_create(&t, 0, use, 0); mine = 1; return 0; }}"
    ));
    let make = function(&program, "%thread_locals");
    assert!(make.contains("alloc thread-local of 4 zeroed") && make.contains("store %tls := 5"), "{make}");
    let main = function(&program, "main");
    assert!(main.contains("%tls := call %thread_locals()") && main.contains("store %tls := 1"), "{main}");
    assert!(function(&program, "use").starts_with("function use(%tls, a)"), "{program}");
    assert_eq!(common::run(&program), common::End::Done);
}

#[test]
fn the_last_case_of_an_indirect_call_is_no_path() {
    let program = lower("int one(void) { return 1; } int (*f)(void) = one; int main(void) { return f(); }");
    let call = function(&program, "%call");
    assert!(
        call.contains("if (%function == &one)") && call.contains("call one()") && call.contains("assume 0"),
        "{call}"
    );
}

#[test]
fn functions_can_be_called_as_if_they_returned_less_or_more() {
    let text = "int n; int work(int k) { n += k; return k; } void quiet(int k) { n -= k; } \
                void (*task)(int) = (void (*)(int))work; int (*odd)(int) = (int (*)(int))quiet; \
                void reach_error(void); \
                int main(void) { if (n) { task = quiet; odd = work; } task(5); odd(2); if (n != 3) reach_error(); }";
    let program = lower(text);
    assert_eq!(common::run(&program), common::End::Done, "{program}");
}

#[test]
fn declarations_may_follow_labels() {
    let text = "int main(void) { switch (1) { case 1: int k = 2; k++; break; default: } goto end; end: struct { int a; } s; s.a = 1; }";
    assert_eq!(common::run(&lower(text)), common::End::Done);
}

#[test]
fn atomic_functions_are_atomic_sections() {
    let text = "int x; int __VERIFIER_atomic_take(void) { if (x) return 0; x = 1; return 1; } \
                int main(void) { return __VERIFIER_atomic_take(); }";
    let take = function(&lower(text), "__VERIFIER_atomic_take");
    assert_eq!(take.matches("atomic {").count(), 1, "{take}");
    assert_eq!(take.matches("} atomic").count(), 1, "{take}");
    assert_eq!(take.matches("    return %returned").count(), 1, "one way out: {take}");
}

#[test]
fn longs_have_the_size_that_is_asked_for() {
    let text = "long l; int main(void) { l = -1; return 0; }";
    assert!(lower(text).to_string().contains("l+0: i64"));
    assert!(lower_with(text, &Options { ilp32: true, ..Options::default() }).to_string().contains("l+0: i32"));
}

#[test]
fn places_are_those_of_the_users_file() {
    let file = SourceFile::new("t.c", "#include \"h.h\"\nint main(void) {\n  x = ONE;\n  y = x;\n  return 0;\n}\n");
    let output =
        "# 1 \"t.c\"\n# 1 \"h.h\" 1\nint x, y;\n# 2 \"t.c\" 2\nint main(void) {\n  x = 1;\n  y = x;\n  return 0;\n}\n";
    let program = parse(&file, Some(output), &Options::default()).expect("a program");
    let instrs = &program.functions[program.threads[0].body.index()].blocks[0].instrs;
    let places: Vec<&str> = instrs.iter().map(|instr| file.slice(instr.span)).collect();
    assert_eq!(places, ["x = ONE;", "x", "y = x"]);
}

#[test]
fn variables_defined_elsewhere_hold_any_value() {
    let program = lower("extern int given; int main(void) { return given; }");
    let main = function(&program, "main");
    assert!(main.contains(":= any") && main.contains("store &given := %unknown"), "{main}");
}
