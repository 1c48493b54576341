//! One run over a program, and what is learnt from it for the next.
//!
//! Which cells are shared, and where pointers point, is found out by running. A run takes what it knows for granted:
//! cells that are not known to be shared make no events, and a loaded pointer points where it is known to point. If the
//! run finds that more is shared, or that a pointer can point elsewhere, it is thrown away and the next one knows more.
//! The last run found nothing new, so what it took for granted holds in it.

use crate::memory::{MadeObject, Touch, first_value};
use crate::parts::pieces;
use crate::pointers::{Analysis as Pointers, Pointers as PointerSet};
use crate::regions::Analysis;
use crate::state::{Memory, State, Taint};
use crate::structure::{Cause, Event, Failure, Input, Kind, Location, Made, Moment, Structure, Stuck};
use crate::transient::Own;
use ir::{Address, BlockId, Cell, Expr, FunctionId, ObjectId, Op, Program, System, TagSet, Thread, ThreadId, Width};
use logic::{Bool, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// How a program is executed.
pub struct Settings<'a> {
    /// How often each loop goes round at most while nothing but its bound decides, and how deep recursion goes: a first
    /// bound, and a last one up to which [`Structure::widen`] widens it.
    pub unwind: (u32, u32),
    /// How many iterations that constants decide, and that others could see, are free in each loop; further ones count
    /// against the bound.
    pub free: u32,
    /// How many threads are started for free; further ones count against the bound, and beyond it a thread does nothing.
    pub threads: u32,
    /// Bounds for single loops, by the line in which they begin.
    pub loops: &'a [(u32, u32)],
    /// Whether dependencies between events are wanted.
    pub dependencies: bool,
    /// Whether what a branch has chosen keeps depending on the branch behind its end. It does on a machine, where a branch or a
    /// conditional move has chosen; it does not in a language whose dependencies are those of its expressions.
    pub choices: bool,
    /// Whether final states are asked for: the last values of locals matter, and an access to no location is refused.
    pub finals: bool,
    /// Whether an access that can be to one whole cell may also be to several: see [`Structure::mixed`].
    pub mixed: bool,
    /// Whether it is of interest where threads wait for ever; dependencies are needed for that.
    pub waits: bool,
    /// Whether it is of interest what accesses race: then an iteration with a read that is not atomic is not left out, since the
    /// thread may go on and do what another one needs to come to its access.
    pub races: bool,
    /// Whether a thread that goes round a loop without any effect waits, too.
    pub spins: bool,
    /// Asked now and then whether to go on.
    pub go_on: &'a dyn Fn() -> bool,
}

/// Why there is no structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halt {
    /// Somebody said stop.
    Cancelled,
    /// The program does something that is not supported; the text says what and where.
    Refused(String),
}

/// The end of a thread, as the position of a link, while the thread may not have been executed yet.
pub const END: u32 = u32::MAX;

/// What is known from earlier runs.
#[derive(Debug, Default)]
pub struct Knowledge {
    /// The shared cells, by number.
    pub shared: FxHashMap<Address, u32>,
    /// The shared cells in the order of their numbers.
    pub order: Vec<Address>,
    /// The addresses that shared cells can hold.
    pub points: FxHashMap<Address, PointerSet>,
    /// The numbers of objects, by where in the execution they are made.
    pub objects: FxHashMap<u64, u32>,
    /// The numbers of threads, likewise.
    pub threads: FxHashMap<u64, u32>,
    /// The threads that were started, in the order of their numbers.
    pub started: Vec<Thread>,
    /// The objects, as they are when they are made.
    pub made: FxHashMap<u32, MadeObject>,
    /// The cells of objects that the program makes.
    pub cells: FxHashMap<u32, BTreeMap<u64, Width>>,
    /// For each object the offsets at which shared cells are cut, so that every access consists of whole cells.
    pub cuts: BTreeMap<u32, BTreeSet<u64>>,
}

impl Knowledge {
    fn share(&mut self, cell: Address) {
        if !self.shared.contains_key(&cell) {
            self.shared.insert(cell, self.order.len() as u32);
            self.order.push(cell);
        }
    }

    /// What a cell falls into where it is cut.
    pub fn pieces(&self, object: u32, offset: u64, width: Width) -> Vec<(u64, Width)> {
        self.cuts.get(&object).map_or_else(|| vec![(offset, width)], |cuts| pieces(offset, width, cuts))
    }

    /// Cuts cells, and forgets what was known to be shared, since that was said of other cells.
    fn cut(&mut self, cuts: BTreeMap<u32, BTreeSet<u64>>) {
        for (object, offsets) in cuts {
            self.cuts.entry(object).or_default().extend(offsets);
            let cells = self.cells.remove(&object).unwrap_or_default();
            let cut = cells.into_iter().flat_map(|(offset, width)| self.pieces(object, offset, width)).collect();
            self.cells.insert(object, cut);
        }
        self.shared.clear();
        self.order.clear();
    }
}

/// The thread being executed.
#[derive(Debug)]
pub struct Current {
    pub id: ThreadId,
    /// Where in the execution we are: a hash of thread, calls and iterations.
    pub context: u64,
    /// The functions being executed.
    pub calls: Vec<FunctionId>,
    /// What the threads run that led to this one, each started by the one before; its own function comes last.
    pub line: Vec<FunctionId>,
    /// How many functions are being executed in those threads before this one.
    pub outer: usize,
    /// Where our own library was called.
    pub visible: Option<Span>,
    /// The instruction that is being executed.
    pub at: Span,
    /// How many events there were when the last wait began.
    pub awaits: u32,
    /// The states in which the thread ended, and its results.
    pub ends: Vec<(State, Term)>,
    /// What it knows of the objects that it has made.
    pub own: Own,
}

/// What is known about the end of a thread.
#[derive(Debug, Clone, Copy)]
pub struct End {
    pub finished: Bool,
    pub result: Term,
}

/// One run.
pub struct Run<'p> {
    pub program: &'p Program,
    pub settings: &'p Settings<'p>,
    pub knowledge: &'p mut Knowledge,
    pub structure: Structure,
    pub pointers: Pointers,
    pub made: FxHashMap<u32, MadeObject>,
    pub touched: FxHashMap<Address, Touch>,
    /// Cells of accesses that can be shared or not: they should all be shared.
    pub mixed: Vec<Address>,
    /// Where shared cells should be cut, since an access takes a part of one: then there is another run.
    pub cuts: BTreeMap<u32, BTreeSet<u64>>,
    /// Why such a cut is not possible.
    pub torn_address: Option<Halt>,
    /// How many accesses to several cells there were.
    pub groups: u32,
    /// Whether a cell turned out to be shared that was not known to be: then there is another run, and this one only
    /// goes on for what it finds out.
    pub stale: bool,
    /// Whether a pointer can point where it was not known to.
    pub grew: bool,
    /// Whether a thread was joined, any of those that were known then.
    pub joined: bool,
    /// What is refused, if what this run takes for shared is shared.
    pub doubt: Option<Halt>,
    /// Whether other threads may exist, and what memory held when that began.
    pub published: bool,
    pub initial: Memory,
    pub current: Current,
    /// The ends of threads: found, or supposed because somebody joins a thread before it is executed here.
    pub ends: FxHashMap<u32, End>,
    pub supposed: FxHashMap<u32, End>,
    /// How many threads were started.
    pub starts: u32,
    pub analyses: FxHashMap<FunctionId, Rc<Analysis>>,
    pub sections: Vec<Section>,
}

/// An atomic section. Those of paths that exclude each other and meet inside are one.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// The one that stands for it, perhaps itself.
    pub parent: u32,
    /// The first of those that it stands for.
    pub first: u32,
    /// Only those with smaller numbers may have ended before one of these began on the same path.
    pub ended: u32,
}

/// Executes a program.
///
/// # Errors
/// Why that was not possible.
pub fn execute(program: &Program, settings: &Settings<'_>) -> Result<Structure, Halt> {
    let mut knowledge = Knowledge::default();
    let mut refined: Option<Program> = None;
    loop {
        let cuts = match settle(refined.as_ref().unwrap_or(program), settings, &mut knowledge)? {
            Settled::Done(mut structure) => {
                let own = knowledge.cuts.keys().map(|&object| object as usize);
                let program = refined.as_ref().unwrap_or(program);
                let cells = |object: usize| Some(program.objects.get(object)?.cells.clone());
                structure.refined = own.filter_map(|object| Some((ObjectId(object as u32), cells(object)?))).collect();
                return Ok(*structure);
            }
            Settled::Cut(cuts) => cuts,
        };
        knowledge.cut(cuts);
        refined = Some(refine(program, &knowledge.cuts));
    }
}

/// What comes of runs with the same cells.
enum Settled {
    /// The last of them, which found nothing new.
    Done(Box<Structure>),
    /// Where shared cells must be cut.
    Cut(BTreeMap<u32, BTreeSet<u64>>),
}

/// Runs until a run finds nothing new.
fn settle(program: &Program, settings: &Settings<'_>, knowledge: &mut Knowledge) -> Result<Settled, Halt> {
    let declared: Vec<Address> = program.addresses().filter(|address| program.is_shared(address.object)).collect();
    declared.iter().for_each(|&address| knowledge.share(address));
    // The first run shares whatever looks like it; the second only what the first found to be shared.
    suspects(program).into_iter().for_each(|address| knowledge.share(address));
    let mut first = true;
    loop {
        let mut run = Run::new(program, settings, knowledge);
        run.threads()?;
        let mut shared: Vec<Address> =
            run.touched.iter().filter(|(_, touch)| touch.is_shared()).map(|(&address, _)| address).collect();
        shared.append(&mut run.mixed);
        shared.extend(&declared);
        shared.sort();
        shared.dedup();
        let known = shared.iter().all(|address| run.knowledge.shared.contains_key(address));
        let exact = !first || shared.len() == run.knowledge.order.len();
        if known && exact && !run.grew {
            if let Some(halt) = run.torn_address.take() {
                return Err(halt);
            }
            if !run.cuts.is_empty() {
                return Ok(Settled::Cut(run.cuts));
            }
            if let Some(halt) = run.doubt.take() {
                return Err(halt);
            }
            return Ok(Settled::Done(Box::new(run.finish())));
        }
        if first {
            knowledge.shared.clear();
            knowledge.order.clear();
        }
        first = false;
        shared.into_iter().for_each(|address| knowledge.share(address));
    }
}

/// The program with the cells of its objects cut.
fn refine(program: &Program, cuts: &BTreeMap<u32, BTreeSet<u64>>) -> Program {
    let mut refined = program.clone();
    for (&number, cuts) in cuts {
        let Some(object) = refined.objects.get_mut(number as usize) else { continue };
        object.cells = object.cells.iter().flat_map(|cell| cut_cell(cell, cuts)).collect();
    }
    refined
}

/// The pieces of a cell, each with its part of the initial value.
fn cut_cell(cell: &Cell, cuts: &BTreeSet<u64>) -> Vec<Cell> {
    let all = pieces(cell.offset, cell.width, cuts);
    if all.len() == 1 {
        return vec![cell.clone()];
    }
    let bits = match &cell.initial {
        Expr::Const(value, _) => *value,
        Expr::Address(object, offset) => Address { object: *object, offset: *offset }.to_bits(),
        Expr::Local(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => {
            panic!("an initial value is a constant or an address")
        }
    };
    let piece = |(offset, width): (u64, Width)| {
        let value = ir::truncate(bits >> (8 * (offset - cell.offset)), width);
        Cell { offset, width, initial: Expr::Const(value, width) }
    };
    all.into_iter().map(piece).collect()
}

/// The cells of objects that several threads mention, and that are not declared to be shared.
fn suspects(program: &Program) -> Vec<Address> {
    if program.objects.iter().all(|object| object.shared) {
        return Vec::new();
    }
    let mut roots: Vec<FunctionId> = program.threads.iter().map(|thread| thread.body).collect();
    let mut often: FxHashSet<FunctionId> = FxHashSet::default();
    let spawns = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.instrs);
    for instr in spawns {
        if let Op::System(System::Spawn { function, .. }) = &instr.op
            && (!often.insert(*function) || !roots.contains(function))
        {
            roots.push(*function);
        }
    }
    let mut users: FxHashMap<u32, BTreeSet<usize>> = FxHashMap::default();
    for (at, root) in roots.iter().enumerate() {
        let mut seen = BTreeSet::from([*root]);
        let mut pending = vec![*root];
        while let Some(function) = pending.pop() {
            for block in &program.functions[function.index()].blocks {
                let mut expressions: Vec<&Expr> = Vec::new();
                for instr in &block.instrs {
                    if let Op::System(System::Call { function, .. }) = &instr.op
                        && seen.insert(*function)
                    {
                        pending.push(*function);
                    }
                    expressions.extend(instr.op.expressions());
                }
                for expr in expressions {
                    objects(expr, &mut |object| {
                        users.entry(object).or_default().insert(at);
                    });
                }
            }
        }
    }
    let often = |address: &Address| users.get(&address.object.0).is_some_and(|users| users.len() > 1);
    let shared = |address: &Address| !program.is_shared(address.object) && often(address);
    program.addresses().filter(shared).collect()
}

fn objects(expr: &Expr, visit: &mut impl FnMut(u32)) {
    match expr {
        Expr::Const(..) | Expr::Local(_) => {}
        Expr::Address(object, _) => visit(object.0),
        Expr::Unary(_, operand) => objects(operand, visit),
        Expr::Binary(_, left, right) => {
            objects(left, visit);
            objects(right, visit);
        }
        Expr::Select(condition, then, otherwise) => {
            objects(condition, visit);
            objects(then, visit);
            objects(otherwise, visit);
        }
    }
}

/// A place in the execution below another.
pub fn within(context: u64, place: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    (context, place).hash(&mut hasher);
    hasher.finish()
}

impl<'p> Run<'p> {
    fn new(program: &'p Program, settings: &'p Settings<'p>, knowledge: &'p mut Knowledge) -> Self {
        let mut structure = Structure::new();
        let (first, last) = settings.unwind;
        structure.widen = (first..last).map(|_| structure.terms.fresh_bool()).collect();
        let widths: Vec<(Address, Width)> = knowledge
            .order
            .iter()
            .map(|&address| {
                let made = || knowledge.cells.get(&address.object.0)?.get(&address.offset).copied();
                (address, program.cell(address).map(|cell| cell.width).or_else(made).unwrap_or(Width::WORD))
            })
            .collect();
        for (number, (address, width)) in widths.into_iter().enumerate() {
            structure.locations.push(Location { address, width });
            let value = first_value(&mut structure.terms, program, &FxHashMap::default(), address);
            let value = if structure.terms.width(value) == width { value } else { structure.terms.constant(0, width) };
            let address = structure.terms.constant(address.to_bits(), Width::WORD);
            structure.events.push(Event {
                thread: None,
                kind: Kind::Write,
                guard: Bool::TRUE,
                address,
                candidates: vec![number as u32],
                value,
                tags: TagSet::default(),
                span: Span::default(),
                section: None,
                group: None,
            });
        }
        let current = Current {
            id: ThreadId(0),
            context: 0,
            calls: vec![],
            line: vec![],
            outer: 0,
            visible: None,
            at: Span::default(),
            awaits: 0,
            ends: vec![],
            own: Own::default(),
        };
        Run {
            program,
            settings,
            knowledge,
            structure,
            pointers: Pointers::default(),
            made: FxHashMap::default(),
            touched: FxHashMap::default(),
            mixed: Vec::new(),
            cuts: BTreeMap::new(),
            torn_address: None,
            groups: 0,
            stale: false,
            grew: false,
            joined: false,
            doubt: None,
            published: !program.begins_alone(),
            initial: Memory::default(),
            current,
            ends: FxHashMap::default(),
            supposed: FxHashMap::default(),
            starts: 0,
            analyses: FxHashMap::default(),
            sections: Vec::new(),
        }
    }

    /// How many objects there are, made ones included.
    pub fn object_count(&self) -> u32 {
        (self.program.objects.len() + self.knowledge.objects.len()) as u32
    }

    /// Executes the threads that are there from the start, and whatever they start.
    fn threads(&mut self) -> Result<(), Halt> {
        if self.published {
            for at in 0..self.knowledge.order.len() {
                let cell = self.knowledge.order[at];
                let value = self.structure.events[at].value;
                self.note_pointers(&[cell], value, Bool::TRUE, Span::default())?;
            }
        }
        for (at, thread) in self.program.threads.iter().enumerate() {
            let id = ThreadId(at as u32);
            let state = self.fresh_state(Bool::TRUE);
            let finals = self.thread(id, within(0, at), thread.body, Vec::new(), state)?;
            if !self.settings.finals {
                continue;
            }
            let zero = |width: Width, run: &mut Run<'_>| run.structure.terms.constant(0, width);
            let body = self.program.body(id);
            let finals = match finals {
                Some(finals) => finals,
                None => body.locals.iter().map(|local| zero(local.width, self)).collect(),
            };
            self.structure.finals.push(finals);
        }
        Ok(())
    }

    /// The state in which a thread begins.
    pub fn fresh_state(&mut self, guard: Bool) -> State {
        State {
            guard,
            locals: Vec::new(),
            taints: Vec::new(),
            control: Vec::new(),
            reservations: Vec::new(),
            memory: Rc::clone(&self.initial),
            memory_taints: Rc::default(),
            broken: Rc::default(),
            effects: Vec::new(),
            section: None,
            ended: 0,
            cache: Rc::default(),
            inside: Vec::new(),
        }
    }

    /// Room in the tables of threads for this one.
    pub fn make_room(&mut self, id: ThreadId) {
        let size = self.structure.threads.len().max(id.index() + 1);
        self.structure.threads.resize(size, Vec::new());
        self.structure.inputs.resize(size, Vec::new());
        self.structure.moments.resize(size, Vec::new());
    }

    /// Executes a thread from its beginning; gives the final values of its outermost function's locals.
    pub fn thread(
        &mut self,
        id: ThreadId,
        context: u64,
        body: FunctionId,
        args: Vec<(Term, Taint)>,
        state: State,
    ) -> Result<Option<Vec<Term>>, Halt> {
        self.make_room(id);
        let line = [&self.current.line[..], &[body]].concat();
        let outer = self.current.outer + self.current.calls.len();
        let new = Current {
            id,
            context,
            calls: Vec::new(),
            line,
            outer,
            visible: None,
            at: Span::default(),
            awaits: 0,
            ends: Vec::new(),
            own: Own::default(),
        };
        let outside = std::mem::replace(&mut self.current, new);
        let returned = self.function(body, args, state)?;
        let mut ends = std::mem::take(&mut self.current.ends);
        let mut finals = None;
        if let Some((state, result)) = returned {
            finals = Some(state.locals.clone());
            let result = match result {
                Some((value, _)) if self.structure.terms.width(value) == Width::WORD => value,
                _ => self.structure.terms.constant(0, Width::WORD),
            };
            ends.push((state, result));
        }
        let mut end = End { finished: Bool::FALSE, result: self.structure.terms.constant(0, Width::WORD) };
        for (state, result) in ends {
            if state.section.is_some() && state.guard != Bool::FALSE {
                return Err(self.refuse(self.current.at, "a thread ends inside an atomic section"));
            }
            let terms = &mut self.structure.terms;
            end.result = terms.ite(state.guard, result, end.result);
            end.finished = terms.or(end.finished, state.guard);
        }
        self.ends.insert(id.0, end);
        self.current = outside;
        Ok(finals)
    }

    /// The end of a thread, even if it has not been executed yet.
    pub fn end(&mut self, thread: u32) -> End {
        if let Some(&end) = self.ends.get(&thread).or_else(|| self.supposed.get(&thread)) {
            return end;
        }
        let terms = &mut self.structure.terms;
        let end = End { finished: terms.fresh_bool(), result: terms.fresh(Width::WORD) };
        self.supposed.insert(thread, end);
        end
    }

    /// What is asked for is not there.
    pub fn refuse(&self, span: Span, what: &str) -> Halt {
        let span = self.current.visible.unwrap_or(span);
        Halt::Refused(format!("{}: {what}", self.program.source.place(span)))
    }

    /// A property fails.
    pub fn failure(&mut self, when: Bool, message: &str, span: Span, memory: bool) {
        if when != Bool::FALSE {
            let span = self.current.visible.unwrap_or(span);
            let (thread, message) = (self.current.id, message.to_owned());
            let moment = self.moment();
            self.structure.failures.push(Failure { when, thread, span, message, memory, moment });
        }
    }

    /// How far the thread has come that is being executed.
    pub fn moment(&self) -> Moment {
        let events = self.structure.threads[self.current.id.index()].len() as u32;
        Moment { events, links: self.structure.links.len() as u32 }
    }

    /// The thread that is being executed asks for something.
    pub fn input(&mut self, when: Bool, input: Input) {
        let (thread, moment) = (self.current.id.index(), self.moment());
        self.structure.inputs[thread].push((when, input));
        self.structure.moments[thread].push(moment);
    }

    /// The thread goes on only where the condition holds. In an atomic section, where it does not hold, the section
    /// does not take place: an execution in which it does is none.
    pub fn stop_unless(&mut self, state: &mut State, condition: Bool) {
        let terms = &mut self.structure.terms;
        if state.section.is_some() {
            let constraint = terms.implies(state.guard, condition);
            self.structure.constraints.push(constraint);
        }
        state.guard = self.structure.terms.and(state.guard, condition);
    }

    /// The thread stops because something is wrong, or because of a bound.
    pub fn stop(&mut self, state: &mut State, unless: Bool, cause: Cause) {
        let terms = &mut self.structure.terms;
        let when = terms.and(state.guard, !unless);
        if state.section.is_some() && when != Bool::FALSE {
            self.structure.stuck.push(Stuck { when, cause });
        }
        state.guard = self.structure.terms.and(state.guard, unless);
    }

    /// When a thread may go round this often, or into a function this deep.
    pub fn allowed(&self, count: u32) -> Bool {
        let (first, last) = self.settings.unwind;
        match count.checked_sub(first) {
            None | Some(0) => Bool::TRUE,
            Some(_) if count > last => Bool::FALSE,
            Some(beyond) => self.structure.widen[beyond as usize - 1],
        }
    }

    /// The bound on iterations of the loop that begins at a block, if it has one of its own.
    pub fn own_bound(&self, function: FunctionId, header: BlockId) -> Option<u32> {
        let body = &self.program.functions[function.index()];
        let block = &body.blocks[header.index()];
        let span = block.instrs.first().map(|instr| instr.span).or(match &block.terminator {
            ir::Terminator::Branch { span, .. } | ir::Terminator::Cut { span } => Some(*span),
            ir::Terminator::Goto(_) | ir::Terminator::Return(_) | ir::Terminator::Exit(_) => None,
        });
        let line = span.map(|span| self.program.source.line(span));
        let own = self.settings.loops.iter().find(|(at, _)| Some(*at) == line);
        own.map(|&(_, bound)| bound)
    }

    /// The section that stands for this one.
    pub fn section(&self, mut section: u32) -> u32 {
        while self.sections[section as usize].parent != section {
            section = self.sections[section as usize].parent;
        }
        section
    }

    /// Everything is executed: fills in what had to wait.
    fn finish(mut self) -> Structure {
        let threads = self.program.threads.len() + self.knowledge.started.len();
        self.structure.threads.resize(threads, Vec::new());
        self.structure.inputs.resize(threads, Vec::new());
        self.structure.moments.resize(threads, Vec::new());
        for (thread, supposed) in std::mem::take(&mut self.supposed) {
            let never = End { finished: Bool::FALSE, result: self.structure.terms.constant(0, Width::WORD) };
            let found = self.ends.get(&thread).copied().unwrap_or(never);
            let terms = &mut self.structure.terms;
            let only_if = terms.implies(supposed.finished, found.finished);
            // That somebody waits for its end says that it has none; where nobody asks, a thread may stop anywhere.
            let if_so = if self.settings.waits { terms.implies(found.finished, supposed.finished) } else { Bool::TRUE };
            let same = terms.eq(supposed.result, found.result);
            let result = terms.implies(supposed.finished, same);
            self.structure.constraints.extend([only_if, if_so, result]);
        }
        for thread in 0..threads {
            let finished = self.ends.get(&(thread as u32)).map_or(Bool::FALSE, |end| end.finished);
            self.structure.finished.push(finished);
        }
        for link in self.structure.links.iter_mut().filter(|link| link.from.1 == END) {
            link.from.1 = self.structure.threads[link.from.0 as usize].len() as u32;
        }
        for at in 0..self.structure.events.len() {
            let section = self.structure.events[at].section;
            self.structure.events[at].section = section.map(|section| self.section(section));
        }
        self.structure.started = self.knowledge.started.clone();
        let first = self.program.objects.len() as u32;
        for number in first..self.object_count() {
            let made = self.made.get(&number);
            let cells = made.map_or(Vec::new(), |made| {
                made.cells.iter().map(|(&offset, &(width, value))| (offset, width, value)).collect()
            });
            let name = made.map_or_else(|| "?".to_owned(), |made| made.name.clone());
            self.structure.made.push(Made { name, cells, limit: made.and_then(|made| made.limit) });
        }
        self.structure
    }
}
