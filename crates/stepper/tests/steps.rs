//! What a thread does by itself and what it leaves to others, with machine words as values.

use ir::{BinaryOp, Expr, ObjectId, Op, Program, System, TagSet, Usage, Width, truncate};
use source::Span;
use stepper::{
    Access, Action, Domain, Fault, Halt, Holder, Memory, Object, PRIVATE, Progress, Scope, Slot, Status, Stepper,
    Thread, Value,
};
use testkit::Sketch;

/// There are no symbols.
type Never = std::convert::Infallible;

/// A world in which some cells are shared, by the numbers of their objects.
struct Words<'p> {
    memory: Memory<'p>,
    shared: Vec<u32>,
    /// Whether an access to no location is a violation.
    strict: bool,
}

impl<'p> Words<'p> {
    fn new(program: &'p Program, shared: &[u32]) -> Self {
        let mut memory = Memory::new(program, &Default::default());
        memory.begin();
        memory.alone = false;
        Words { memory, shared: shared.to_vec(), strict: true }
    }
}

impl<'p> Domain<'p> for Words<'p> {
    type Symbol = Never;
    type Term = u64;

    fn memory(&self) -> &Memory<'p> {
        &self.memory
    }

    fn memory_mut(&mut self) -> &mut Memory<'p> {
        &mut self.memory
    }

    fn eval(&mut self, scope: Scope<'_, Never>, expr: &Expr, span: Span) -> Result<u64, Halt> {
        self.word(scope, expr, span, "")
    }

    fn decide(&mut self, scope: Scope<'_, Never>, condition: &Expr, span: Span) -> Result<bool, Halt> {
        Ok(self.word(scope, condition, span, "")? != 0)
    }

    fn address(&mut self, scope: Scope<'_, Never>, addr: &Expr, _: Width, span: Span) -> Result<Option<u64>, Halt> {
        self.word(scope, addr, span, "").map(Some)
    }

    fn bits(&self, term: &u64, width: Width) -> Result<u64, Halt> {
        Ok(truncate(*term, width))
    }

    fn term(&self, value: Value<Never>, _: Width) -> u64 {
        value.known().expect("there are no symbols")
    }

    fn hold(&mut self, _: Holder, width: Width, term: u64) -> Value<Never> {
        Value::Known(truncate(term, width))
    }

    fn choose(&mut self, _: usize, _: Holder, _: Width) -> Value<Never> {
        Value::Known(7)
    }

    fn kept(&self, value: Value<Never>, _: Option<u64>) -> Option<Value<Never>> {
        Some(value)
    }

    fn touch(&mut self, thread: usize, cell: u32, _: Access) -> Result<Usage, Halt> {
        let object = self.memory.cells[cell as usize].address.object.0;
        Ok(if self.shared.contains(&object) { Usage::Shared } else { Usage::Private(thread) })
    }

    fn own_update(&mut self, _: stepper::Own, _: [&TagSet; 2]) -> Result<(), Halt> {
        Ok(())
    }

    fn violates(&self, fault: Fault) -> bool {
        fault == Fault::Assertion || self.strict
    }

    fn make(&mut self, thread: &mut Thread<Never>, object: Object, _: Span) -> Result<u32, Halt> {
        let number = PRIVATE + thread.heap.len() as u32;
        thread.heap.push((number, object));
        Ok(number)
    }

    fn grow(&mut self, _: Scope<'_, Never>, _: ObjectId, _: &Slot, _: Span) -> Result<(), Halt> {
        Ok(())
    }
}

fn describe(action: &Action<'_, u64>) -> String {
    match action {
        Action::Load { .. } => "load".to_owned(),
        Action::Store { value, .. } => format!("store {value}"),
        Action::Rmw { .. } => "rmw".to_owned(),
        Action::Fence { .. } => "fence".to_owned(),
        Action::Begin => "begin".to_owned(),
        Action::End => "end".to_owned(),
        Action::Spawn { args, .. } => format!("spawn with {}", args.len()),
        Action::Join { handle } => format!("join {handle}"),
        Action::Critical => "critical".to_owned(),
        Action::Publish => "publish".to_owned(),
    }
}

/// The actions of a thread up to its end. Each input is the next of these numbers, and then zero.
fn actions(world: &mut Words<'_>, thread: &mut Thread<Never>, inputs: &[u64]) -> Vec<String> {
    let mut inputs = inputs.iter().copied();
    let mut all = Vec::new();
    for _ in 0..1000 {
        if thread.status != Status::Runs {
            return all;
        }
        let mut stepper = Stepper::new(world, thread);
        let Progress::Before(action) = stepper.step().expect("no limit") else { continue };
        all.push(describe(&action));
        if let Some(written) = stepper.resume(inputs.next().unwrap_or(0)).expect("no limit") {
            all.push(format!("writes {written}"));
        }
    }
    panic!("the thread does not come to an end");
}

fn run(sketch: Sketch, shared: &[u32], inputs: &[u64]) -> (Vec<String>, Thread<Never>) {
    let program = sketch.finish(&[], &[]);
    let mut world = Words::new(&program, shared);
    let mut thread = Thread::start(&program, 0, program.threads[0].body, &[]);
    let all = actions(&mut world, &mut thread, inputs);
    (all, thread)
}

#[test]
fn only_accesses_to_shared_cells_are_noticed() {
    let mut sketch = Sketch::new("accesses", "C", &["x", "own"]);
    sketch.thread();
    sketch.store(1, 3).load("a", 1).load("b", 0);
    let (a, b) = (sketch.local("a"), sketch.local("b"));
    let value = Expr::Local(a).binary(BinaryOp::Add, Expr::Local(b));
    sketch.op(Op::Store { addr: Sketch::address(0), value, tags: TagSet::default() });
    assert_eq!(run(sketch, &[0], &[4]).0, ["load", "store 7"]);
}

#[test]
fn a_read_modify_write_writes_what_it_makes_of_what_it_read() {
    let lock = |shared: &[u32], read: u64| {
        let mut sketch = Sketch::new("rmw", "C", &["x"]);
        sketch.thread();
        sketch.lock("a", 0).load("b", 0).assert_eq("b", 1);
        run(sketch, shared, &[read, 1])
    };
    assert_eq!(lock(&[0], 0).0, ["rmw", "writes 1", "load"]);
    let (waits, thread) = lock(&[0], 1);
    assert_eq!((waits, thread.status), (vec!["rmw".to_owned()], Status::Stopped));
    let (silent, thread) = lock(&[], 0);
    assert!(silent.is_empty());
    assert_eq!(thread.status, Status::Ended(Value::Known(0)));
}

#[test]
fn only_outermost_atomic_sections_have_borders() {
    let mut sketch = Sketch::new("sections", "C", &["x"]);
    sketch.thread();
    sketch.system(System::AtomicBegin).system(System::AtomicBegin).fence("MFENCE").store(0, 1);
    sketch.system(System::AtomicEnd).store(0, 2).system(System::AtomicEnd).fence("MFENCE");
    assert_eq!(run(sketch, &[0], &[]).0, ["begin", "store 1", "store 2", "end", "fence"]);
}

#[test]
fn who_ends_inside_a_critical_section_leaves_it_first() {
    let mut sketch = Sketch::new("critical", "C", &[]);
    sketch.thread();
    sketch.system(System::Critical { enter: true });
    let (all, thread) = run(sketch, &[], &[]);
    assert_eq!(all, ["critical", "critical"]);
    assert_eq!(thread.critical, None);
}

#[test]
fn calls_have_their_own_locals_and_give_results_back() {
    let mut sketch = Sketch::new("calls", "C", &["x"]);
    sketch.thread();
    let (dst, args) = (sketch.local("a"), vec![Expr::constant(20, Width::INT)]);
    sketch.system(System::Call { dst: Some(dst), function: ir::FunctionId(1), args });
    sketch.op(Op::Store { addr: Sketch::address(0), value: Expr::Local(dst), tags: TagSet::default() });
    sketch.routine("twice", &[("n", Width::INT)]);
    let mut program = sketch.finish(&[], &[]);
    let twice = Expr::Local(ir::LocalId(0)).binary(BinaryOp::Add, Expr::Local(ir::LocalId(0)));
    program.functions[1].blocks[0].terminator = ir::Terminator::Return(Some(twice));
    let mut world = Words::new(&program, &[0]);
    let mut thread = Thread::start(&program, 0, program.threads[0].body, &[]);
    assert_eq!(actions(&mut world, &mut thread, &[]), ["store 40"]);
}

#[test]
fn an_access_to_nothing_fails_or_stops_as_the_property_says() {
    for strict in [true, false] {
        let mut sketch = Sketch::new("nowhere", "C", &["x"]);
        sketch.thread();
        let (addr, value) = (Expr::constant(0, Width::WORD), Expr::constant(1, Width::INT));
        sketch.op(Op::Store { addr, value, tags: TagSet::default() });
        let program = sketch.finish(&[], &[]);
        let mut world = Words { strict, ..Words::new(&program, &[]) };
        let mut thread = Thread::start(&program, 0, program.threads[0].body, &[]);
        assert!(actions(&mut world, &mut thread, &[]).is_empty());
        assert_eq!(matches!(thread.status, Status::Failed(..)), strict);
        assert!(thread.frames.is_empty());
    }
}

#[test]
fn private_objects_are_numbered_in_the_order_in_which_they_are_reached() {
    let mut sketch = Sketch::new("heap", "C", &[]);
    sketch.thread();
    let (lost, kept) = (sketch.word("lost"), sketch.word("kept"));
    for dst in [lost, kept] {
        let size = Expr::constant(4, Width::WORD);
        sketch.system(System::Alloc {
            dst,
            name: "malloc".to_owned(),
            size,
            cells: None,
            zeroed: false,
            align: 16,
            storage: ir::life::Storage::Heap,
        });
    }
    let (addr, value) = (Expr::Local(kept), Expr::constant(5, Width::INT));
    sketch.op(Op::Store { addr, value, tags: TagSet::default() });
    let program = sketch.finish(&[], &[]);
    let mut world = Words::new(&program, &[]);
    let mut thread = Thread::start(&program, 0, program.threads[0].body, &[]);
    for _ in 0..3 {
        assert_eq!(Stepper::new(&mut world, &mut thread).step(), Ok(Progress::On));
    }
    thread.frame().values[lost.index()] = Value::Known(0);
    thread.tidy_heap();
    assert_eq!(thread.heap.len(), 1);
    assert_eq!((thread.heap[0].0, thread.heap[0].1.cells[0].value), (PRIVATE, Some(5)));
    let word = thread.frame().values[kept.index()].known().expect("an address");
    assert_eq!(stepper::private(word), Some(PRIVATE));
}
