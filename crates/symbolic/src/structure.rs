//! Symbolic events and what relates them.

use ir::life::is_life;
use ir::{Address, Cell, Expr, Object, ObjectId, Program, TagSet, Thread, ThreadId, Width};
use logic::{Bool, Evaluation, Term, Terms};
use source::Span;

/// What an event does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Reads `value` from `address`.
    Read,
    /// Writes `value` to `address`.
    Write,
    /// Touches no memory.
    Fence,
}

/// A symbolic event.
#[derive(Debug, Clone)]
pub struct Event {
    /// Whose; the initial writes are nobody's.
    pub thread: Option<ThreadId>,
    /// What it does.
    pub kind: Kind,
    /// When it is executed.
    pub guard: Bool,
    /// Where; the address is a word. Zero for fences.
    pub address: Term,
    /// The locations, by number, that the address can be, sorted: whenever the event is executed it is one of these.
    pub candidates: Vec<u32>,
    /// What it reads or writes, as wide as the register or expression. Zero for fences.
    pub value: Term,
    /// Its tags.
    pub tags: TagSet,
    /// Its instruction.
    pub span: Span,
    /// The atomic section it is in: no event of another thread comes between those of a section.
    pub section: Option<u32>,
    /// The access that it is a part of, if that is made of several events.
    pub group: Option<Group>,
}

/// An access to several cells: its events have the same instruction, and no order among themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// Which one. The read and the write of a read-modify-write are two.
    pub number: u32,
    /// Whether it is single-copy atomic: nobody sees it in part.
    pub atomic: bool,
}

/// A location of shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// Where.
    pub address: Address,
    /// How wide.
    pub width: Width,
}

/// A dependency, or another relation between two events of a thread, and when it holds (given that both are executed).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dependency {
    /// The read it comes from.
    pub from: u32,
    /// The event that depends on it.
    pub to: u32,
    /// When.
    pub when: Bool,
}

/// Program order between threads: all events of a thread before a position come before all events of another from a
/// position on. A position counts the events of the thread (see [`Structure::threads`]) that come before it. Links at
/// the same position of a thread are in [`Structure::links`] in the order in which the thread comes to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The thread and the position that come first.
    pub from: (u32, u32),
    /// The thread and the position that come after.
    pub to: (u32, u32),
    /// When.
    pub when: Bool,
}

/// How far a thread has come: it is behind this many of its events (see [`Structure::threads`]), and behind those of its
/// links up to there that are among the first so many of [`Structure::links`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// How many events.
    pub events: u32,
    /// How many links.
    pub links: u32,
}

/// A property that can fail.
#[derive(Debug, Clone)]
pub struct Failure {
    /// When it fails.
    pub when: Bool,
    /// In which thread.
    pub thread: ThreadId,
    /// Where.
    pub span: Span,
    /// What.
    pub message: String,
    /// Whether it is an access to no location, not an assertion.
    pub memory: bool,
    /// How far the thread has come then.
    pub moment: Moment,
}

/// A place where a thread can wait for ever.
#[derive(Debug, Clone)]
pub struct Wait {
    /// When it waits there in vain.
    pub when: Bool,
    /// Which thread.
    pub thread: ThreadId,
    /// Where.
    pub span: Span,
    /// The reads that the condition depends on, and when.
    pub reads: Vec<(u32, Bool)>,
}

/// A thread stops inside an atomic section, so that nobody else could ever go on: no execution that counts, unless one
/// asks for what makes it stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stuck {
    /// When.
    pub when: Bool,
    /// What makes it stop.
    pub cause: Cause,
}

/// Why a thread stops inside an atomic section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The bound on loops.
    Bound,
    /// An access to no location.
    Memory,
    /// An assertion that fails.
    Assertion,
}

/// A place inside a critical section where a thread may stop; see [`ir::System::Critical`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stand {
    /// When it stops there.
    pub when: Bool,
    /// Which thread.
    pub thread: ThreadId,
    /// Where it entered.
    pub span: Span,
    /// Whether it has just entered.
    pub enters: bool,
    /// How far the thread has come then.
    pub moment: Moment,
}

/// Something that a thread is given where the program leaves it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// A value.
    Value(Term),
    /// The number of an object that it makes.
    Object(u32),
    /// The number of a thread that it starts.
    Thread(u32),
}

/// An object that the program makes while it runs.
#[derive(Debug, Clone)]
pub struct Made {
    /// Its name in reports.
    pub name: String,
    /// The cells: at which byte, how wide, and what they hold at first.
    pub cells: Vec<(u64, Width, Term)>,
    /// How many bytes it has, if that is no constant: cells behind that are not there.
    pub limit: Option<Term>,
}

impl Made {
    /// The object, as large as it is in a solution, with what it holds at first.
    pub fn object(&self, solution: &mut Evaluation<'_>) -> Object {
        let size = self.limit.map_or(u64::MAX, |limit| solution.value(limit));
        let mut cell = |&(offset, width, initial): &(u64, Width, Term)| {
            // Of a cell that ends behind the object the first bytes may be there.
            let there = if is_life(offset) { bytes(width) } else { size.saturating_sub(offset).min(bytes(width)) };
            let width = if there == bytes(width) { width } else { Width::new((8 * there) as u8) };
            let initial = Expr::Const(ir::truncate(solution.value(initial), width), width);
            Cell { offset, width, initial }
        };
        let inside = |&&(offset, _, _): &&(u64, Width, Term)| offset < size || is_life(offset);
        Object {
            name: self.name.clone(),
            cells: self.cells.iter().filter(inside).map(&mut cell).collect(),
            shared: false,
            align: 8,
        }
    }
}

/// How many bytes a value takes in memory.
fn bytes(width: Width) -> u64 {
    u64::from(width.bits().div_ceil(8))
}

/// A program as symbolic events.
#[derive(Debug)]
pub struct Structure {
    /// The terms that everything below is made of.
    pub terms: Terms,
    /// The initial writes of the locations, in their order, then the events of threads.
    pub events: Vec<Event>,
    /// Shared memory.
    pub locations: Vec<Location>,
    /// The events of each thread in program order.
    pub threads: Vec<Vec<u32>>,
    /// Program order between threads.
    pub links: Vec<Link>,
    /// What holds in every execution.
    pub constraints: Vec<Bool>,
    /// When each cut of a loop is reached, and where; a thread stops there.
    pub cuts: Vec<(Bool, Span)>,
    /// Which thread that is, and how far it has come then.
    pub cut_moments: Vec<(ThreadId, Moment)>,
    /// When an access was left out that is not to one whole cell, which its address does not tell for certain. They are cuts too;
    /// if one can be reached, the program has to be executed again with [`crate::Settings::mixed`].
    pub mixed: Vec<Bool>,
    /// Whether threads, or iterations that constants decide, counted against the bound because there were more than are free.
    pub charged: bool,
    /// Truth values that widen the bound on loops, one repetition each: they must hold up to some point and not beyond.
    pub widen: Vec<Bool>,
    /// When each thread runs to its end.
    pub finished: Vec<Bool>,
    /// The final values of each thread's locals, if the thread was there from the start; nothing if nobody asks for final
    /// states.
    pub finals: Vec<Vec<Term>>,
    /// The properties that can fail.
    pub failures: Vec<Failure>,
    /// The places where threads can wait for ever.
    pub waits: Vec<Wait>,
    /// The ways in which threads stop inside atomic sections.
    pub stuck: Vec<Stuck>,
    /// The places inside critical sections where threads may stop.
    pub stands: Vec<Stand>,
    /// Free choices that are not visible in reads-from and coherence: whether a store-conditional fails.
    pub choices: Vec<Bool>,
    /// For each thread what it is given, in order, and when it asks for it.
    pub inputs: Vec<Vec<(Bool, Input)>>,
    /// How far it has come when it asks for each of these.
    pub moments: Vec<Vec<Moment>>,
    /// The threads that the program starts: their numbers follow those of its own.
    pub started: Vec<Thread>,
    /// The objects that it makes: their numbers follow those of its own.
    pub made: Vec<Made>,
    /// The cells of the program's own objects that are accessed in parts by several threads: as small as the accesses
    /// want them.
    pub refined: Vec<(ObjectId, Vec<Cell>)>,
    /// Address dependencies.
    pub addr: Vec<Dependency>,
    /// Data dependencies.
    pub data: Vec<Dependency>,
    /// Control dependencies.
    pub ctrl: Vec<Dependency>,
    /// Read and write of a read-modify-write.
    pub rmw: Vec<Dependency>,
    /// Read and write of a single read-modify-write instruction.
    pub amo: Vec<Dependency>,
}

impl Structure {
    /// Nothing yet.
    pub fn new() -> Self {
        Structure {
            terms: Terms::new(),
            events: Vec::new(),
            locations: Vec::new(),
            threads: Vec::new(),
            links: Vec::new(),
            constraints: Vec::new(),
            cuts: Vec::new(),
            mixed: Vec::new(),
            cut_moments: Vec::new(),
            widen: Vec::new(),
            charged: false,
            finished: Vec::new(),
            finals: Vec::new(),
            failures: Vec::new(),
            waits: Vec::new(),
            stuck: Vec::new(),
            stands: Vec::new(),
            choices: Vec::new(),
            inputs: Vec::new(),
            moments: Vec::new(),
            started: Vec::new(),
            made: Vec::new(),
            refined: Vec::new(),
            addr: Vec::new(),
            data: Vec::new(),
            ctrl: Vec::new(),
            rmw: Vec::new(),
            amo: Vec::new(),
        }
    }
}

impl Default for Structure {
    fn default() -> Self {
        Structure::new()
    }
}

impl Structure {
    /// Whether a location is inside its object, as large as that is in a solution.
    pub fn fits(&self, program: &Program, location: usize, solution: &mut Evaluation<'_>) -> bool {
        let Location { address, width } = self.locations[location];
        let made = address.object.index().checked_sub(program.objects.len());
        let limit = made.and_then(|made| self.made.get(made)?.limit);
        limit.is_none_or(|limit| is_life(address.offset) || address.offset + bytes(width) <= solution.value(limit))
    }

    /// No thread stops inside an atomic section, except in the ways that are allowed.
    pub fn not_stuck(&mut self, allowed: impl Fn(&Stuck) -> bool) -> Bool {
        let stuck: Vec<Bool> = self.stuck.iter().filter(|stuck| !allowed(stuck)).map(|stuck| !stuck.when).collect();
        self.terms.all(stuck)
    }
}

/// A place where a property can fail, for the report.
#[derive(Debug, Clone)]
pub struct Failing {
    /// When it fails there.
    pub when: Bool,
    /// Which thread shows it.
    pub thread: ThreadId,
    /// Where.
    pub span: Span,
    /// What is said.
    pub message: String,
}

impl Failing {
    /// Two threads stand inside a critical section: for each place where one may, when another one does too. Where one
    /// has just entered comes last.
    pub fn together(terms: &mut Terms, mut stands: Vec<Stand>, message: &str) -> Vec<Failing> {
        stands.sort_by_key(|stand| stand.enters);
        let mut failing = Vec::new();
        for stand in &stands {
            let others = stands.iter().filter(|other| other.thread != stand.thread);
            let others = terms.any(others.map(|other| other.when));
            let when = terms.and(stand.when, others);
            if when != Bool::FALSE {
                failing.push(Failing { when, thread: stand.thread, span: stand.span, message: message.to_owned() });
            }
        }
        failing
    }
}
