//! Names and places as the user wrote them, in all files of a program; programs of several translation units; and what is said
//! beside a verdict.

use crate::common::{clean, last, scratch, stderr, stdout};
use std::io::Write;
use std::process::{Output, Stdio};

const MAIN: &str = "int main(void)\n{\n  pthread_t a, b;\n  pthread_create(&a, 0, producer, 0);\n  \
                    pthread_create(&b, 0, consumer, 0);\n  pthread_join(a, 0);\n  pthread_join(b, 0);\n  return 0;\n}\n";

const INCLUDES: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n";

fn write(folder: &str, files: &[(&str, &str)]) -> Vec<String> {
    let folder = scratch(folder);
    let one = |(name, text): &(&str, &str)| {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        std::fs::write(&path, text).expect("the scratch folder can be written to");
        path.display().to_string()
    };
    files.iter().map(one).collect()
}

fn run(args: &[&str]) -> Output {
    clean(args).output().expect("the binary runs")
}

/// The program under a model: the last line and all that is printed.
fn check(file: &str, more: &[&str]) -> (String, String) {
    let output = run(&[&["check", file], more].concat());
    (last(&output), stdout(&output) + &stderr(&output))
}

#[test]
fn stories_name_members_and_headers() {
    let queue = "struct queue { int head, tail; struct { int seq; int value; } slot[2]; unsigned a : 3, b : 5; };\n\
                 static void put(struct queue *q, int v)\n{\n  q->slot[1].value = v;\n  q->tail = 1;\n}\n";
    let program = format!(
        "{INCLUDES}#include \"inc/queue.h\"\nstruct queue ring;\n\
         void *producer(void *u) {{ put(&ring, 7); ring.b = 1; return 0; }}\n\
         void *consumer(void *u) {{ if (ring.tail && ring.b) assert(ring.slot[1].value == 7); return 0; }}\n{MAIN}"
    );
    let files = write("places-story", &[("inc/queue.h", queue), ("story.c", &program)]);
    let (last, text) = check(&files[1], &["--model", "pso"]);
    assert_eq!(last, "UNSAFE", "{text}");
    assert!(text.contains("inc/queue.h:4 | q->slot[1].value = v;"), "{text}");
    assert!(text.contains("ring.slot[1].value = 7 (inc/queue.h:4)"), "{text}");
    assert!(text.contains("ring.tail = 1") && text.contains("ring.{a,b} = 8"), "{text}");
}

#[test]
fn the_heap_is_called_by_its_variables() {
    let program = format!(
        "{INCLUDES}struct node {{ int id; struct node *next; }} *top;\n\
         void *producer(void *u) {{\n  struct node *m = malloc(sizeof *m);\n  m->id = 5;\n  top = m;\n  return 0;\n}}\n\
         void *consumer(void *u) {{ struct node *n = top; if (n) assert(n->id == 5); return 0; }}\n{MAIN}"
    );
    let files = write("places-heap", &[("heap.c", &program)]);
    let (_, text) = check(&files[0], &["--model", "pso"]);
    assert!(text.contains("m->id = 5 (delayed") && text.contains("top = m"), "{text}");
    assert!(text.contains("(uninitialised)"), "{text}");
}

#[test]
fn line_markers_of_preprocessed_texts_count() {
    let text = "# 1 \"orig.c\"\nvoid reach_error(void);\nint x;\n# 40 \"other.h\" 1\nint main(void) {\n  x = 1;\n  reach_error();\n}\n";
    let files = write("places-markers", &[("marked.i", text)]);
    let (last, text) = check(&files[0], &["--model", "sc"]);
    assert_eq!(last, "UNSAFE", "{text}");
    assert!(text.contains("in thread main, other.h:42"), "{text}");
}

#[test]
fn translation_units_are_linked() {
    let head =
        "extern int shared; int get(void); static int own = 1; int common; static inline int two(void) { return 2; }\n";
    let a = "#include <assert.h>\n#include \"both.h\"\nstatic int helper(void) { return own; }\nint common;\n\
             int main(void) { assert(shared == 7 && get() == 5 && helper() == 1 && two() == 2 && common == 0); return 0; }\n";
    let b = "#include \"both.h\"\nint shared = 7;\nint common;\nstatic int helper(void) { return own + 4; }\n\
             int get(void) { own = 1; return helper(); }\n";
    let c = "int shared = 8;\n";
    let files = write("places-units", &[("both.h", head), ("a.c", a), ("b.c", b), ("c.c", c)]);
    let (last, text) = check(&files[1], &[&files[2], "--model", "sc"]);
    assert_eq!(last, "SAFE", "{text}");
    let (_, text) = check(&files[1], &["--model", "sc"]);
    assert!(text.contains("`get` is not defined"), "{text}");
    let (_, text) = check(&files[1], &[&files[2], &files[3], "--model", "sc"]);
    assert!(text.contains("`shared` is defined twice") && text.contains("c.c:1:5"), "{text}");
    let database = format!(
        "[{{\"directory\": \"{0}\", \"file\": \"a.c\", \"command\": \"cc -I. -c a.c\"}},\n\
          {{\"directory\": \"{0}\", \"file\": \"b.c\", \"arguments\": [\"cc\", \"-Dunused\", \"-c\", \"b.c\"]}}]",
        scratch("places-units").display()
    );
    let database = write("places-units", &[("compile_commands.json", &database)]);
    let output = run(&["check", "--compile-commands", &database[0], "--model", "sc"]);
    assert_eq!(last_of(&output), "SAFE", "{}", stderr(&output));
}

#[test]
fn declarations_of_two_files_agree() {
    let head = "struct pair { int a; long b; };\nextern struct pair pair; extern int table[]; struct pair *get(struct hidden *);\n";
    let main = "#include \"pair.h\"\nint main(void) { return get(0)->b != 2 || table[1] != 4; }\n";
    let pair = "struct hidden { int x; };\n#include \"pair.h\"\nstruct pair pair = { 1, 2 }; int table[2] = { 3, 4 };\n\
                struct pair *get(struct hidden *h) { return h ? 0 : &pair; }\n";
    let other = "struct pair { long a; int b; };\nextern struct pair pair;\nint main(void) { return pair.b != 2; }\n";
    let files = write("places-types", &[("pair.h", head), ("main.c", main), ("pair.c", pair), ("other.c", other)]);
    let (last, text) = check(&files[1], &[&files[2], "--model", "sc"]);
    assert_eq!(last, "SAFE", "{text}");
    let (_, text) = check(&files[3], &[&files[2], "--model", "sc"]);
    assert!(text.contains("`pair` is declared as `struct pair` here") && text.contains("other.c:2"), "{text}");
}

fn last_of(output: &Output) -> String {
    last(output)
}

#[test]
fn the_preprocessor_is_told_what_compilers_are_told() {
    let text = "#include <sys.h>\n#if defined A || !defined FORCED || __STDC_VERSION__ != 199901L || defined __LP64__\n#error no\n#endif\n\
                int main(void) { return SYS; }\n";
    let files =
        write("places-flags", &[("sys/sys.h", "#define SYS 0\n"), ("forced.h", "#define FORCED\n"), ("flags.c", text)]);
    let system = scratch("places-flags").join("sys").display().to_string();
    let flags = ["-DA", "-UA", "-include", &files[1], "-isystem", &system, "-std=c99", "--ilp32", "--model", "sc"];
    let (last, text) = check(&files[2], &flags);
    assert_eq!(last, "SAFE", "{text}");
}

#[test]
fn a_program_can_come_from_the_standard_input() {
    let mut child = clean(&["check", "-", "--model", "sc"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let text = "#include <assert.h>\nint main(void) { int x = 1; assert(x == 2); return 0; }\n";
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(last(&output), "UNSAFE");
    assert!(stdout(&output).contains("line 2"), "{}", stdout(&output));
}

#[test]
fn any_function_can_be_the_entry() {
    let text = "#include <assert.h>\nstruct s { int a; };\nint f(struct s *p, unsigned n) { if (p && n < 3) assert(p->a != 4 || n != 2); return n; }\n\
                int g(unsigned n) { assert(n * 2 != 7); return 0; }\nint h(int *p) { return *p; }\n";
    let files = write("places-entry", &[("entry.c", text)]);
    let verdict = |entry: &str| check(&files[0], &["--entry", entry, "--model", "sc"]);
    assert_eq!(verdict("f").0, "UNSAFE");
    assert_eq!(verdict("g").0, "SAFE", "{}", verdict("g").1);
    assert_eq!(verdict("h").0, "UNSAFE", "the pointer may be null");
    assert!(verdict("k").1.contains("there is no function `k`"));
}

#[test]
fn pointers_that_are_arguments_may_share_objects() {
    let text = "#include <assert.h>\nstruct s { int a; int b[2]; };\n\
                int same(int *p, int *q) { if (p && q) { *p = 1; *q = 2; assert(*p == 1); } return 0; }\n\
                int next(int *p, int *q) { if (p && q && p != q) assert(p + 1 != q || q - p != 1); return 0; }\n\
                int part(struct s *s, int *p) { if (s && p) { s->b[1] = 1; *p = 2; assert(s->b[1] == 1); } return 0; }\n\
                int bytes(int *p, char *c) { if (p && c) { *p = 0; *c = 1; assert(*p == 0); } return 0; }\n\
                int own(int *restrict p, int *restrict q) { if (p && q) { *p = 1; *q = 2; assert(*p == 1); } return 0; }\n\
                int types(int *p, long *q) { if (p && q) { *p = 1; *q = 2; assert(*p == 1); } return 0; }\n\
                int alone(int *p) { if (p) assert(p[1] == 0); return 0; }\n";
    let files = write("places-aliases", &[("aliases.c", text)]);
    for (entry, expected) in [
        ("same", "UNSAFE"),
        ("next", "UNSAFE"),
        ("part", "UNSAFE"),
        ("bytes", "UNSAFE"),
        ("own", "SAFE"),
        ("types", "SAFE"),
        ("alone", "UNSAFE"),
    ] {
        let (last, text) = check(&files[0], &["--entry", entry, "--model", "sc"]);
        assert_eq!(last, expected, "{entry}: {text}");
    }
}

#[test]
fn without_a_model_every_machine_is_asked() {
    let sb = "#include <assert.h>\n#include <pthread.h>\nint x, y, p, q;\n\
              void *producer(void *u) { x = 1; FENCE; p = y; return 0; }\nvoid *consumer(void *u) { y = 1; FENCE; q = x; return 0; }\n";
    let program = format!("{sb}{}", MAIN.replace("  return 0;", "  assert(p || q);\n  return 0;"));
    let files = write("places-machines", &[("sb.c", &program)]);
    let output = run(&["check", &files[0], "-DFENCE="]);
    let text = stdout(&output);
    assert_eq!((output.status.code(), &*last(&output)), (Some(10), "UNSAFE"), "{text}");
    for row in [
        "  sc       SAFE\n",
        "  x86tso   UNSAFE\n",
        "  aarch64  UNSAFE\n",
        "  riscv    UNSAFE\n",
        "  ppc      UNSAFE\n",
    ] {
        assert!(text.contains(row), "{row}{text}");
    }
    assert!(text.contains("under x86-TSO: can it go wrong?"), "{text}");
    let output = run(&["check", &files[0], "-DFENCE=__sync_synchronize()"]);
    assert_eq!((output.status.code(), &*last(&output)), (Some(0), "SAFE"), "{}", stdout(&output));
}

#[test]
fn calls_that_give_up_are_failures() {
    let verdict = |name: &str, body: &str| {
        let text = format!(
            "#include <stdlib.h>\nint nondet_int(void);\nint main(void) {{ int x = nondet_int(); {body} return 0; }}\n"
        );
        let files = write("places-failures", &[(name, &text)]);
        check(&files[0], &["--model", "sc"])
    };
    for (number, (body, words)) in [
        ("if (x == 3) abort();", "`abort()` is called in thread main, line 3"),
        ("if (x == 3) __builtin_trap();", "`__builtin_trap()` is called"),
        ("if (x == 3) exit(2);", "`exit(2)` is called"),
        ("x = 5 / x;", "division by zero in thread main, line 3"),
        ("x = 5 % x;", "division by zero"),
    ]
    .into_iter()
    .enumerate()
    {
        let (last, text) = verdict(&format!("bad{number}.c"), body);
        assert_eq!(last, "UNSAFE", "{body}\n{text}");
        assert!(text.contains(words), "{body}\n{text}");
    }
    for (number, body) in
        ["if (x == 3) exit(0);", "if (x && 5 / x == 1) x = 0;", "x = x ? 5 % x : 0;", "x /= 2;"].into_iter().enumerate()
    {
        let (last, text) = verdict(&format!("good{number}.c"), body);
        assert_eq!(last, "SAFE", "{body}\n{text}");
    }
}

#[test]
fn a_proof_of_nothing_says_so() {
    let note = |name: &str, text: &str| {
        let files = write("places-vacuous", &[(name, text)]);
        let (last, text) = check(&files[0], &["--model", "tso"]);
        assert_eq!(last, "SAFE", "{text}");
        text
    };
    let head = "#include <assert.h>\n#include <pthread.h>\nvoid __VERIFIER_assume(int);\nint x;\n\
                void *worker(void *u) { x = 1; return 0; }\n";
    let text = note("none.c", &format!("{head}int main(void) {{ return 0; }}\n"));
    assert!(text.contains("the program has no assertion"), "{text}");
    let text = note("dead.c", &format!("{head}int main(void) {{ if (x) assert(x == 2); return 0; }}\n"));
    assert!(text.contains("no assertion can be reached"), "{text}");
    let text =
        note("assume.c", &format!("{head}int main(void) {{ assert(!x); __VERIFIER_assume(x == 1); return 0; }}\n"));
    assert!(text.contains("the assumption in line 6 never holds"), "{text}");
    let start = "pthread_t t; if (x) pthread_create(&t, 0, worker, 0);";
    let text = note("thread.c", &format!("{head}int main(void) {{ {start} assert(!x); return 0; }}\n"));
    assert!(text.contains("the thread `worker` is never started (line 6)"), "{text}");
    let start = "pthread_t t; pthread_create(&t, 0, worker, 0);";
    // How a compare-and-swap ends is nobody's assumption.
    let swap = "int e = 7; __atomic_compare_exchange_n(&x, &e, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);";
    let text = note("swap.c", &format!("{head}int main(void) {{ {swap} assert(!x); return 0; }}\n"));
    assert!(!text.contains("Note:"), "{text}");
    let text = note("good.c", &format!("{head}int main(void) {{ {start} assert(x < 2); return 0; }}\n"));
    assert!(!text.contains("Note:"), "{text}");
}
