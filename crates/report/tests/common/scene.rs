//! Executions of C programs, made by hand.
#![allow(dead_code)]

use super::Example;
use ir::{
    Address, Block, Cell, Expr, Function, FunctionId, Instr, Object, ObjectId, Op, Program, System, TagId, TagSet,
    Terminator, Thread, ThreadId, Width,
};
use model::{EventSet, Relation, Structure};
use source::{SourceFile, Span};
use witness::{Action, Event, EventId, Execution, Violation};

/// An event: `R x 0`, `W x 1`, or `F MFENCE 0`, and the line it stands in.
pub type Row = (char, &'static str, u64, u32);

/// A C program and what happens in it. Events are numbered through, the initial writes (one per variable) first.
pub struct Scene<'a> {
    pub file: &'a str,
    pub text: &'a str,
    /// Variables and what they hold at first.
    pub variables: &'a [(&'a str, u64)],
    /// Threads by name; the first is the program's own.
    pub threads: &'a [(&'a str, &'a [Row])],
    pub rf: &'a [(usize, usize)],
    pub co: &'a [&'a [usize]],
    /// Pairs of program order across threads: starts and joins.
    pub across: &'a [(usize, usize)],
    pub rmw: &'a [(usize, usize)],
    /// The thread, the line and the message.
    pub failure: (u32, u32, &'a str),
}

fn line_span(text: &str, line: u32) -> Span {
    let start: usize = text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
    let own = text[start..].lines().next().unwrap_or("");
    let blank = own.len() - own.trim_start().len();
    Span::new(start + blank, start + own.trim_end().len())
}

impl Scene<'_> {
    fn address(&self, name: &str) -> Address {
        let at = self.variables.iter().position(|(variable, _)| *variable == name).unwrap();
        Address { object: ObjectId(at as u32), offset: 0 }
    }

    pub fn example(&self) -> Example {
        let mut program = Program::new("main", "C", SourceFile::new(self.file, self.text));
        let cell = || Cell { offset: 0, width: Width::WORD, initial: Expr::constant(0, Width::WORD) };
        let object =
            |&(name, _): &(&str, u64)| Object { name: name.to_owned(), cells: vec![cell()], shared: false, align: 8 };
        program.objects = self.variables.iter().map(object).collect();
        let (_, line, message) = self.failure;
        let mut instrs = Vec::new();
        if message != "deadlock" && !message.starts_with("an access") {
            let condition = Expr::Const(0, Width::BOOL);
            let op = Op::System(System::Assert { condition, message: message.to_owned() });
            instrs.push(Instr { op, span: line_span(self.text, line) });
        }
        let function = |(at, &(name, _)): (usize, &(&str, &[Row]))| {
            let instrs = if at == 0 { instrs.clone() } else { Vec::new() };
            let blocks = vec![Block { instrs, terminator: Terminator::Return(None) }];
            Function { name: name.to_owned(), params: 0, library: false, locals: vec![], blocks }
        };
        program.functions = self.threads.iter().enumerate().map(function).collect();
        let thread =
            |(at, &(name, _)): (usize, &(&str, &[Row]))| Thread { name: name.to_owned(), body: FunctionId(at as u32) };
        let mut threads: Vec<Thread> = self.threads.iter().enumerate().map(thread).collect();
        let started = threads.split_off(1);
        program.threads = threads;
        let events = self.events(&mut program);
        let structure = self.structure(&program, &events);
        let id = |&event: &usize| EventId(event as u32);
        let (thread, line, message) = self.failure;
        let span = line_span(self.text, line);
        let execution = Execution {
            events,
            rf: self.rf.iter().map(|(write, read)| (id(write), id(read))).collect(),
            co: self.co.iter().map(|order| order.iter().map(id).collect()).collect(),
            started,
            violation: Some(Violation { thread: ThreadId(thread), span, message: message.to_owned() }),
            ..Execution::default()
        };
        Example { program, execution, structure }
    }

    fn events(&self, program: &mut Program) -> Vec<Event> {
        let mut events = Vec::new();
        for &(name, value) in self.variables {
            let action = Action::Write { address: self.address(name), value };
            events.push(Event { thread: None, action, tags: TagSet::default(), span: Span::default() });
        }
        for (thread, (_, rows)) in self.threads.iter().enumerate() {
            for &(kind, name, value, line) in *rows {
                let mut tags = TagSet::default();
                let action = match kind {
                    'R' => Action::Read { address: self.address(name), value },
                    'W' => Action::Write { address: self.address(name), value },
                    _ => {
                        tags.insert(program.tag(name));
                        Action::Fence
                    }
                };
                let span = line_span(self.text, line);
                events.push(Event { thread: Some(ThreadId(thread as u32)), action, tags, span });
            }
        }
        events
    }

    fn structure(&self, program: &Program, events: &[Event]) -> Structure {
        let size = events.len();
        let mut s = Structure::new(size);
        s.threads = events.iter().map(|event| event.thread.map(|thread| thread.0)).collect();
        let mut po = Relation::empty(size);
        for (at, event) in events.iter().enumerate() {
            let set = match event.action {
                Action::Read { .. } => &mut s.reads,
                Action::Write { .. } => &mut s.writes,
                Action::Fence => &mut s.fences,
            };
            set.insert(at);
            if at > 0 && event.thread.is_some() && event.thread == events[at - 1].thread {
                po.insert(at - 1, at);
            }
            for (other, later) in events.iter().enumerate() {
                if event.address().is_some() && event.address() == later.address() {
                    s.loc.insert(at, other);
                }
            }
        }
        for (at, name) in program.tags.iter().enumerate() {
            let with = (0..size).filter(|&event| events[event].tags.contains(TagId(at as u32)));
            s.tags.insert(name.clone(), EventSet::of(size, with));
        }
        self.across.iter().for_each(|&(from, to)| po.insert(from, to));
        s.po = po.plus();
        s.rf = Relation::from_pairs(size, self.rf.iter().copied());
        let chains = self.co.iter().flat_map(|order| order.windows(2).map(|pair| (pair[0], pair[1])));
        s.co = Relation::from_pairs(size, chains).plus();
        s.rmw = Relation::from_pairs(size, self.rmw.iter().copied());
        s
    }
}

/// Store buffering with threads that are started and joined: both reads are old.
pub fn store_buffering() -> Example {
    let text = "int x, y, r0, r1;

void *left(void *unused) {
    x = 1; /* may wait */
    r0 = y;
    return 0;
}

void *right(void *unused) {
    y = 1;
    r1 = x;
    return 0;
}

int main(void) {
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(r0 == 1 || r1 == 1);
}
";
    Scene {
        file: "sb.c",
        text,
        variables: &[("x", 0), ("y", 0), ("r0", 7), ("r1", 7)],
        threads: &[
            (
                "main",
                &[
                    ('F', "MFENCE", 0, 16),
                    ('F', "MFENCE", 0, 17),
                    ('F', "MFENCE", 0, 18),
                    ('F', "MFENCE", 0, 19),
                    ('R', "r0", 0, 20),
                    ('R', "r1", 0, 20),
                ],
            ),
            ("left", &[('W', "x", 1, 4), ('R', "y", 0, 5), ('W', "r0", 0, 5)]),
            ("right", &[('W', "y", 1, 10), ('R', "x", 0, 11), ('W', "r1", 0, 11)]),
        ],
        rf: &[(12, 8), (15, 9), (1, 11), (0, 14)],
        co: &[&[0, 10], &[1, 13], &[2, 12], &[3, 15]],
        across: &[(4, 10), (5, 13), (12, 6), (15, 7)],
        rmw: &[],
        failure: (0, 20, "r0 == 1 || r1 == 1"),
    }
    .example()
}

/// A reader that reads the data before the flag.
pub fn early_read() -> Example {
    let text = "int data, flag;
void *writer(void *unused) {
    data = 1;
    fence();
    flag = 1;
}
void *reader(void *unused) {
    int f = flag;
    int d = data;
    assert(!f || d == 1);
}
";
    Scene {
        file: "mp.c",
        text,
        variables: &[("data", 0), ("flag", 0)],
        threads: &[
            ("main", &[]),
            ("writer", &[('W', "data", 1, 3), ('F', "SYNC", 0, 4), ('W', "flag", 1, 5)]),
            ("reader", &[('R', "flag", 1, 8), ('R', "data", 0, 9)]),
        ],
        rf: &[(4, 5), (0, 6)],
        co: &[&[0, 2], &[1, 4]],
        across: &[],
        rmw: &[],
        failure: (2, 10, "!f || d == 1"),
    }
    .example()
}

/// Two readers that see two writes in different orders, though each reads in order.
pub fn different_orders() -> Example {
    let text = "int x, y;
void *one(void *unused) { x = 1; }
void *two(void *unused) { y = 1; }
void *three(void *unused) {
    a = x;
    lwsync();
    b = y;
}
void *four(void *unused) {
    c = y;
    lwsync();
    assert(x == 1);
}
";
    Scene {
        file: "iriw.c",
        text,
        variables: &[("x", 0), ("y", 0)],
        threads: &[
            ("main", &[]),
            ("one", &[('W', "x", 1, 2)]),
            ("two", &[('W', "y", 1, 3)]),
            ("three", &[('R', "x", 1, 5), ('F', "LWSYNC", 0, 6), ('R', "y", 0, 7)]),
            ("four", &[('R', "y", 1, 10), ('F', "LWSYNC", 0, 11), ('R', "x", 0, 12)]),
        ],
        rf: &[(2, 4), (1, 6), (3, 7), (0, 9)],
        co: &[&[0, 2], &[1, 3]],
        across: &[(6, 9)],
        rmw: &[],
        failure: (4, 12, "x == 1"),
    }
    .example()
}

/// A counter that is locked for reading and again for writing, by two threads of one function.
pub fn lost_update() -> Example {
    let text = "void *worker(void *unused) {
    pthread_mutex_lock(&m);
    int old = count;
    pthread_mutex_unlock(&m);
    count = old + 1;
    assert(count == old + 1);
}
";
    let first: &[Row] = &[
        ('F', "SYNC", 0, 2),
        ('R', "m", 0, 2),
        ('W', "m", 1, 2),
        ('F', "SYNC", 0, 2),
        ('R', "count", 0, 3),
        ('W', "m", 0, 4),
        ('W', "count", 1, 5),
        ('R', "count", 9, 6),
    ];
    let second: &[Row] =
        &[('R', "m", 0, 2), ('W', "m", 1, 2), ('R', "count", 0, 3), ('W', "m", 0, 4), ('W', "count", 9, 5)];
    Scene {
        file: "lost.c",
        text,
        variables: &[("m", 0), ("count", 0)],
        threads: &[("main", &[]), ("worker", first), ("worker", second)],
        rf: &[(0, 3), (1, 6), (14, 9), (7, 10), (1, 12)],
        co: &[&[0, 4, 7, 11, 13], &[1, 8, 14]],
        across: &[],
        rmw: &[(3, 4), (10, 11)],
        failure: (1, 6, "count == old + 1"),
    }
    .example()
}

/// Two threads that lock two mutexes in different orders.
pub fn deadlock() -> Example {
    let text = "void *left(void *unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
}
void *right(void *unused) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
}
";
    Scene {
        file: "deadlock.c",
        text,
        variables: &[("a", 0), ("b", 0)],
        threads: &[
            ("main", &[]),
            ("left", &[('R', "a", 0, 2), ('W', "a", 1, 2), ('R', "b", 1, 3)]),
            ("right", &[('R', "b", 0, 6), ('W', "b", 1, 6), ('R', "a", 1, 7)]),
        ],
        rf: &[(0, 2), (6, 4), (1, 5), (3, 7)],
        co: &[&[0, 3], &[1, 6]],
        across: &[],
        rmw: &[(2, 3), (5, 6)],
        failure: (1, 3, "deadlock"),
    }
    .example()
}

/// A pointer that is null at first and then points to an object that the program makes.
pub fn pointer() -> Example {
    let text = "struct node *top;
void *push(void *unused) {
    struct node *n = malloc(16);
    n->value = 5;
    top = n;
}
int main(void) {
    while (!top);
    assert(top->value == 5);
}
";
    let made = Address { object: ObjectId(2), offset: 8 };
    let mut example = Scene {
        file: "stack.c",
        text,
        variables: &[("node", 0), ("top", 0)],
        threads: &[
            ("main", &[('R', "top", 0, 8), ('R', "top", 0, 8), ('R', "top", 1, 8), ('R', "node", 0, 9)]),
            ("push", &[('W', "node", 5, 4), ('W', "top", 1, 5)]),
        ],
        rf: &[(1, 2), (1, 3), (7, 4), (0, 5)],
        co: &[&[0, 6], &[1, 7]],
        across: &[],
        rmw: &[],
        failure: (0, 9, "top->value == 5"),
    }
    .example();
    // The node is an object that was made, and what `top` holds is its address.
    let cell = Cell { offset: 8, width: Width::INT, initial: Expr::constant(0, Width::INT) };
    example.execution.made = vec![Object { name: "malloc:3".to_owned(), cells: vec![cell], shared: false, align: 8 }];
    let target = Address { object: ObjectId(2), offset: 0 }.to_bits();
    for event in &mut example.execution.events {
        match &mut event.action {
            Action::Read { address, value } | Action::Write { address, value } => {
                if address.object == ObjectId(0) {
                    *address = made;
                } else if *value == 1 {
                    *value = target;
                }
            }
            Action::Fence => {}
        }
    }
    example
}
