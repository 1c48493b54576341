//! Programs of any size: one number says how large. What they ask is always the same, so that only the size changes.

use std::fmt::Write as _;

/// Text with lines added to it.
#[derive(Default)]
struct Text(String);

impl Text {
    fn c() -> Text {
        let mut text = Text::default();
        text.line("#include <assert.h>").line("#include <pthread.h>").line("#include <stdlib.h>");
        text
    }

    fn line(&mut self, line: impl AsRef<str>) -> &mut Text {
        self.0.push_str(line.as_ref());
        self.0.push('\n');
        self
    }

    /// A function that a thread runs.
    fn thread(&mut self, name: &str, body: &str) -> &mut Text {
        self.line(format!("void *{name}(void *unused) {{ {body} return 0; }}"))
    }

    /// `main`: it starts a thread for each of these functions, waits for them all and asserts.
    fn main(mut self, threads: &[String], last: &str) -> String {
        self.line("int main(void)").line("{").line(format!("    pthread_t t[{}];", threads.len()));
        for (at, thread) in threads.iter().enumerate() {
            self.line(format!("    pthread_create(&t[{at}], 0, {thread}, 0);"));
        }
        for at in 0..threads.len() {
            self.line(format!("    pthread_join(t[{at}], 0);"));
        }
        self.line(format!("    {last}")).line("    return 0;").line("}");
        self.0
    }
}

const FENCE: &str = "__sync_synchronize();";

/// Independent pairs of threads, each a store-buffering test.
fn store_buffers(n: u32, fence: &str) -> String {
    let mut text = Text::c();
    let (mut threads, mut asserts) = (Vec::new(), String::new());
    for i in 0..n {
        text.line(format!("int x{i}, y{i}, a{i}, b{i};"));
        text.thread(&format!("left{i}"), &format!("x{i} = 1; {fence} a{i} = y{i};"));
        text.thread(&format!("right{i}"), &format!("y{i} = 1; {fence} b{i} = x{i};"));
        threads.extend([format!("left{i}"), format!("right{i}")]);
        let _ = write!(asserts, "assert(a{i} || b{i}); ");
    }
    text.main(&threads, &asserts)
}

pub fn pairs(n: u32) -> String {
    store_buffers(n, FENCE)
}

pub fn pairs_without_fences(n: u32) -> String {
    store_buffers(n, "")
}

/// A ring of threads: each raises its flag and looks at the next one's.
pub fn ring(n: u32) -> String {
    let mut text = Text::c();
    let (mut threads, mut seen) = (Vec::new(), Vec::new());
    for i in 0..n {
        text.line(format!("int x{i}, r{i};"));
    }
    for i in 0..n {
        text.thread(&format!("next{i}"), &format!("x{i} = 1; {FENCE} r{i} = x{};", (i + 1) % n));
        threads.push(format!("next{i}"));
        seen.push(format!("r{i}"));
    }
    text.main(&threads, &format!("assert({});", seen.join(" || ")))
}

/// Straight-line code: one thread counts in two places, another looks at them in the other order.
pub fn straight(n: u32) -> String {
    let mut text = Text::c();
    text.line("int x, y;");
    let writes: String = (1..=n / 4).map(|i| format!("x = {i};\n {FENCE} y = {i};\n")).collect();
    let reads: String = (1..=n / 4).map(|i| format!("a = y;\n {FENCE} b = x;\n{}", check(i, n / 4))).collect();
    text.thread("writer", &writes).thread("reader", &format!("int a, b; {reads}"));
    text.main(&["writer".into(), "reader".into()], "")
}

/// An assertion behind the last of some steps.
fn check(step: u32, last: u32) -> &'static str {
    if step == last { "assert(a <= b);\n" } else { "" }
}

/// A loop that stores its counter; another thread must not see it go back.
pub fn counted_stores(n: u32) -> String {
    let mut text = Text::c();
    text.line("int x;");
    text.thread("writer", &format!("for (int i = 0; i < {n}; i++) x = i;"));
    text.thread("reader", &format!("int a = x; {FENCE} int b = x; assert(a <= b);"));
    text.main(&["writer".into(), "reader".into()], "")
}

/// An array that one thread writes and another reads at an index that can be anything.
pub fn array(n: u32) -> String {
    let mut text = Text::c();
    text.line(format!("int a[{n}];"));
    text.thread("writer", &format!("for (int i = 0; i < {n}; i++) a[i] = i + 1;"));
    let read = format!(
        "unsigned i = __VERIFIER_nondet_uint(); if (i < {n}) {{ int v = a[i]; assert(v == 0 || v == (int)i + 1); }}"
    );
    text.line("unsigned __VERIFIER_nondet_uint(void);").thread("reader", &read);
    text.main(&["writer".into(), "reader".into()], "")
}

/// A list that is read while it is written.
pub fn list(n: u32) -> String {
    let mut text = Text::c();
    text.line("struct node { int value; struct node *next; };");
    text.line(format!("struct node nodes[{n}], *head;"));
    let write = format!("nodes[i].value = i + 1; nodes[i].next = head; {FENCE} head = &nodes[i];");
    text.thread("writer", &format!("for (int i = 0; i < {n}; i++) {{ {write} }}"));
    let read = "for (struct node *at = head; at; at = at->next) assert(at->value > 0);";
    text.thread("reader", read);
    text.main(&["writer".into(), "reader".into()], "")
}

/// A stack with `malloc`: one thread pushes, the other pops what there is.
pub fn push_pop(n: u32) -> String {
    let mut text = Text::c();
    text.line("struct node { int value; struct node *next; } *top;");
    let push = "struct node *new = malloc(sizeof *new); new->value = i + 1; struct node *old; \
                do { old = top; new->next = old; } while (!__sync_bool_compare_and_swap(&top, old, new));";
    text.thread("push", &format!("for (int i = 0; i < {n}; i++) {{ {push} }}"));
    let pop = "struct node *old = top; if (old && __sync_bool_compare_and_swap(&top, old, old->next)) \
               assert(old->value > 0);";
    text.thread("pop", &format!("for (int i = 0; i < {n}; i++) {{ {pop} }}"));
    text.main(&["push".into(), "pop".into()], "")
}

/// Threads that all do the same, and what they must have counted.
fn identical(n: u32, declarations: &str, body: &str) -> String {
    let mut text = Text::c();
    text.line(declarations).thread("one", body);
    text.main(&vec!["one".to_owned(); n as usize], &format!("assert(counter == {n});"))
}

pub fn mutex(n: u32) -> String {
    let lock = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int counter;";
    identical(n, lock, "pthread_mutex_lock(&m); counter++; pthread_mutex_unlock(&m);")
}

pub fn ticket(n: u32) -> String {
    let body = "int mine = __sync_fetch_and_add(&next, 1); while (now != mine); counter++; __sync_synchronize(); now = mine + 1;";
    identical(n, "volatile int next, now; int counter;", body)
}

pub fn compare_and_swap(n: u32) -> String {
    let body = "int old; do old = counter; while (!__sync_bool_compare_and_swap(&counter, old, old + 1));";
    identical(n, "int counter;", body)
}

/// Independent messages, each of data and a flag.
pub fn messages(n: u32) -> String {
    let mut text = Text::c();
    let mut threads = Vec::new();
    for i in 0..n {
        text.line(format!("int data{i}, flag{i};"));
        text.thread(&format!("send{i}"), &format!("data{i} = 1; flag{i} = 1;"));
        text.thread(&format!("take{i}"), &format!("if (flag{i}) assert(data{i} == 1);"));
        threads.extend([format!("send{i}"), format!("take{i}")]);
    }
    text.main(&threads, "")
}

/// Two threads with many places where a fence could stand; one in each is enough.
pub fn places(n: u32) -> String {
    let mut text = Text::c();
    text.line("int x, y, a, b;");
    let idle = |name: &str| (0..n / 2).map(|i| format!("{name}[{i}] = {i};\n")).collect::<String>();
    text.line(format!("int p[{n}], q[{n}];"));
    text.thread("left", &format!("x = 1;\n {} a = y;", idle("p")));
    text.thread("right", &format!("y = 1;\n {} b = x;", idle("q")));
    text.main(&["left".into(), "right".into()], "assert(a || b);")
}

/// Processes that go through many places one after the other, with a lock around the last.
pub fn enumeration(n: u32) -> String {
    let mut text = Text::default();
    let names: Vec<String> = (0..n).map(|i| format!("P{i}")).collect();
    text.line(format!("type place = {}", names.join(" | "))).line("array At[proc] : place").line("var Free : bool");
    text.line("init (p) { At[p] = P0 && Free = True }");
    text.line(format!("unsafe (p q) {{ At[p] = P{0} && At[q] = P{0} }}", n - 1));
    for i in 0..n - 2 {
        text.line(format!("transition go{i} ([p])\nrequires {{ At[p] = P{i} }}\n{{ At[p] := P{} }}", i + 1));
    }
    let (last, before) = (n - 1, n - 2);
    text.line(format!(
        "transition take ([p])\nrequires {{ At[p] = P{before} && Free = True }}\n{{ At[p] := P{last}; Free := False }}"
    ));
    text.line(format!("transition leave ([p])\nrequires {{ At[p] = P{last} }}\n{{ At[p] := P0; Free := True }}"));
    text.0
}

/// Processes that raise several weak flags, one after the other, before they look at those of all others.
pub fn flags(n: u32) -> String {
    let mut text = Text::default();
    let places: Vec<String> = (0..=n).map(|i| format!("W{i}")).collect();
    text.line(format!("type place = {} | Inside", places.join(" | "))).line("array At[proc] : place");
    for i in 0..n {
        text.line(format!("weak array F{i}[proc] : bool"));
    }
    let each = |value: &str| (0..n).map(|i| format!("F{i}[p] = {value}")).collect::<Vec<_>>().join(" && ");
    text.line(format!("init (p) {{ At[p] = W0 && {} }}", each("False")));
    text.line("unsafe (p q) { At[p] = Inside && At[q] = Inside }");
    for i in 0..n {
        text.line(format!(
            "transition raise{i} ([p])\nrequires {{ At[p] = W{i} }}\n{{ At[p] := W{}; F{i}[p] := True }}",
            i + 1
        ));
    }
    text.line(format!(
        "transition enter ([p])\nrequires {{ At[p] = W{n} && fence() && forall_other q. F0[q] = False }}\n{{ At[p] := Inside }}"
    ));
    text.0
}

/// A lock, and so many processes that must not all be inside.
pub fn crowd(n: u32) -> String {
    let mut text = Text::default();
    let names: Vec<String> = (0..n).map(|i| format!("p{i}")).collect();
    let inside: Vec<String> = names.iter().map(|name| format!("At[{name}] = Inside")).collect();
    text.line("type place = Idle | Wants | Inside").line("array At[proc] : place").line("var Free : bool");
    text.line("init (p) { At[p] = Idle && Free = True }");
    text.line(format!("unsafe ({}) {{ {} }}", names.join(" "), inside.join(" && ")));
    text.line("transition want ([p])\nrequires { At[p] = Idle }\n{ At[p] := Wants }");
    text.line("transition take ([p])\nrequires { At[p] = Wants && Free = True }\n{ At[p] := Inside; Free := False }");
    text.line("transition leave ([p])\nrequires { At[p] = Inside }\n{ At[p] := Idle; Free := True }");
    text.0
}
