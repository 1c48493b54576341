//! The execution of threads.

use crate::frame::{Frame, Returned, State};
use crate::invariant::{Invariant, escaped};
use crate::lasting::Lasting;
use crate::memory::Memory;
use crate::prove::{Base, extent};
use engine::{Meter, NoAnswer, Observer};
use ir::{BinaryOp, BlockId, Expr, FunctionId, Instr, LocalId, ObjectId, Op, Program, System, Terminator, Width};
use logic::{Blaster, Bool, Solver, Term, Terms};
use model::Model;
use rustc_hash::FxHashMap;
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use symbolic::{Analysis, Item, Loop};

/// How deep calls may be nested.
const DEPTH: usize = 64;

/// How many units of work an instruction costs.
const INSTRUCTION: u64 = 2;

/// How many instructions are executed at most: who needs more is not for a glance.
const LIMIT: u64 = 200_000;

/// The execution of all threads, one after the other.
pub(crate) struct Walk<'p> {
    pub(crate) program: &'p Program,
    /// Whether accesses count.
    pub(crate) memory: bool,
    pub(crate) terms: Terms,
    pub(crate) solver: Solver,
    pub(crate) blaster: Blaster,
    /// The objects that there are, by their addresses.
    pub(crate) bases: FxHashMap<Term, Base>,
    pub(crate) objects: FxHashMap<ObjectId, Term>,
    /// The objects whose address somebody may have.
    pub(crate) escaped: BTreeSet<ObjectId>,
    pub(crate) invariant: Invariant,
    pub(crate) lasting: Lasting,
    /// What the thread that is executed executes, and how many loops it is in.
    pub(crate) thread: FunctionId,
    pub(crate) loops: usize,
    /// How many atomic sections were begun.
    sections: u32,
    /// Where memory was written, in the order in which writes are executed.
    pub(crate) written: Vec<(Term, Width)>,
    /// Whether nothing is proved now: what is executed will be executed again.
    pub(crate) quiet: bool,
    pub(crate) asked: u64,
    pub(crate) at: Span,
    pub(crate) observer: &'p dyn Observer,
    meter: Meter,
    executed: u64,
    analyses: FxHashMap<FunctionId, Rc<Analysis>>,
    calls: Vec<FunctionId>,
    /// The threads that are started, with what is known of their arguments.
    threads: Vec<(FunctionId, Vec<Option<Term>>)>,
}

/// What a thread knows the value of.
#[derive(Debug, Clone, Copy)]
enum Place {
    Local(LocalId),
    Cell(Term, Width),
}

/// What a loop may keep: a place holds at least what it held before the loop, or at most.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    place: Place,
    before: Term,
    least: bool,
}

fn gave_up<T>(why: &str) -> Result<T, NoAnswer> {
    Err(NoAnswer::GaveUp(why.to_owned()))
}

impl<'p> Walk<'p> {
    pub(crate) fn new(program: &'p Program, model: &Model, memory: bool, observer: &'p dyn Observer) -> Self {
        let work = observer.meter();
        let escaped = escaped(program);
        let kept = model.forbids_load_buffering();
        Walk {
            program,
            memory,
            terms: Terms::new(),
            solver: Solver::metered(Box::new(move |units| work.spend(units))),
            blaster: Blaster::new(),
            bases: FxHashMap::default(),
            objects: FxHashMap::default(),
            invariant: if kept { Invariant::new(program, &escaped) } else { Invariant::default() },
            lasting: if kept { Lasting::new(program, &escaped) } else { Lasting::default() },
            thread: FunctionId(0),
            loops: 0,
            sections: 0,
            escaped,
            written: Vec::new(),
            quiet: false,
            asked: 0,
            at: Span::default(),
            observer,
            meter: observer.meter(),
            executed: 0,
            analyses: FxHashMap::default(),
            calls: Vec::new(),
            threads: Vec::new(),
        }
    }

    /// How often the solver was asked.
    pub(crate) fn questions(&self) -> u64 {
        self.asked
    }

    /// Executes all threads, until all bounds hold that this takes for granted.
    pub(crate) fn program(&mut self) -> Result<(), NoAnswer> {
        loop {
            self.invariant.weakened = false;
            self.written.clear();
            self.lasting.restart(self.program);
            self.all_threads()?;
            if !self.invariant.weakened {
                return Ok(());
            }
        }
    }

    fn all_threads(&mut self) -> Result<(), NoAnswer> {
        self.threads = self.program.threads.iter().map(|thread| (thread.body, Vec::new())).collect();
        let mut done = 0;
        while let Some((function, known)) = self.threads.get(done).cloned() {
            let first = done == 0 && self.program.begins_alone();
            self.thread = function;
            let (guard, memory) = if first {
                (Bool::TRUE, self.initial())
            } else {
                (self.lasting.condition(), Memory::Shared(self.inherited()))
            };
            done += 1;
            let args = self.arguments(function, &known);
            self.function(function, State { guard, locals: args, memory })?;
        }
        Ok(())
    }

    /// What a thread is given: what is known, and anything else.
    fn arguments(&mut self, function: FunctionId, known: &[Option<Term>]) -> Vec<Term> {
        let body = &self.program.functions[function.index()];
        let mut args = Vec::new();
        for at in 0..body.params as usize {
            let known = known.get(at).copied().flatten();
            args.push(known.unwrap_or_else(|| self.terms.fresh(body.locals[at].width)));
        }
        args
    }

    /// Executes a function, beginning in a state whose locals are the arguments.
    fn function(&mut self, id: FunctionId, mut begin: State) -> Result<Option<Returned>, NoAnswer> {
        if self.calls.contains(&id) || self.calls.len() >= DEPTH {
            return gave_up("a function calls itself");
        }
        let function = &self.program.functions[id.index()];
        let analysis = self.analyses.entry(id).or_insert_with(|| Rc::new(Analysis::new(function, false)));
        let analysis = Rc::clone(analysis);
        for local in &function.locals[begin.locals.len()..] {
            begin.locals.push(self.terms.constant(0, local.width));
        }
        let incoming = BTreeMap::from([(BlockId(0), vec![begin])]);
        let mut frame = Frame { function: id, analysis: Rc::clone(&analysis), incoming, returned: Vec::new() };
        self.calls.push(id);
        self.items(&mut frame, &analysis.items)?;
        self.calls.pop();
        Ok(self.returned(frame))
    }

    fn items(&mut self, frame: &mut Frame, items: &[Item]) -> Result<(), NoAnswer> {
        for item in items {
            match item {
                Item::Block(block) => self.block(frame, *block)?,
                Item::Loop(inner) => self.repeat(frame, inner)?,
            }
        }
        Ok(())
    }

    /// Executes a loop once, from any state in which it may begin an iteration.
    fn repeat(&mut self, frame: &mut Frame, this: &Loop) -> Result<(), NoAnswer> {
        if frame.incoming.keys().any(|&block| block != this.header && this.contains[block.index()]) {
            return gave_up("a loop that is entered in two places");
        }
        let Some(mut entry) = self.meet(frame, this.header) else { return Ok(()) };
        let body = &self.program.functions[frame.function.index()];
        let blocks = body.blocks.iter().zip(&this.contains).filter(|(_, inside)| **inside);
        let instrs = blocks.flat_map(|(block, _)| &block.instrs);
        let assigned: BTreeSet<LocalId> = instrs.filter_map(|instr| instr.op.defines()).collect();
        let live = &frame.analysis.live[this.header.index()];
        let matters = |local: &&LocalId| live[local.index()];
        let locals = assigned.iter().filter(matters).map(|&local| (Place::Local(local), entry.locals[local.index()]));
        let mut known: Vec<(Place, Term)> = locals.collect();
        if let Some(cells) = entry.memory.clone().cells() {
            known.extend(cells.iter().map(|(&(at, width), &value)| (Place::Cell(at, width), value)));
        }
        let both = |(place, before)| [true, false].map(|least| Candidate { place, before, least });
        let mut candidates: Vec<Candidate> = known.into_iter().flat_map(both).collect();
        let quiet = std::mem::replace(&mut self.quiet, true);
        self.loops += 1;
        let first = self.written.len();
        loop {
            let mut trial = frame.clone();
            let written = self.written.len();
            let start = self.iteration(&entry, &assigned, &candidates, first);
            let unwritten = self.unwritten(&entry.memory, &self.written[first..]);
            trial.incoming.insert(this.header, vec![start]);
            self.items(&mut trial, &this.items)?;
            let mut back = trial.incoming.remove(&this.header).unwrap_or_default();
            let before = candidates.len();
            candidates = self.kept(candidates, &mut back)?;
            let mut stable = candidates.len() == before;
            // What the loop writes is known only now.
            stable &=
                written == self.written.len() || unwritten == self.unwritten(&entry.memory, &self.written[first..]);
            let unlike = back.iter().find(|state| !state.memory.is_like(&entry.memory));
            if let Some(either) = unlike.map(|state| entry.memory.either(&state.memory))
                && either != entry.memory
            {
                entry.memory = either;
                candidates.retain(|candidate| matches!(candidate.place, Place::Local(_)));
                stable = false;
            }
            if stable {
                break;
            }
        }
        self.quiet = quiet;
        let start = self.iteration(&entry, &assigned, &candidates, first);
        frame.incoming.insert(this.header, vec![start]);
        self.items(frame, &this.items)?;
        frame.incoming.remove(&this.header);
        self.loops -= 1;
        Ok(())
    }

    /// A state in which an iteration may begin of a loop that writes where was written since then.
    fn iteration(
        &mut self,
        entry: &State,
        assigned: &BTreeSet<LocalId>,
        candidates: &[Candidate],
        since: usize,
    ) -> State {
        let mut state = entry.clone();
        for local in assigned {
            let width = self.terms.width(entry.locals[local.index()]);
            state.locals[local.index()] = self.terms.fresh(width);
        }
        state.memory = self.unwritten(&entry.memory, &self.written[since..]);
        for candidate in candidates {
            if let (Place::Cell(at, width), Some(cells)) = (candidate.place, state.memory.cells()) {
                cells.entry((at, width)).or_insert_with(|| self.terms.fresh(width));
            }
            let holds = self.candidate(*candidate, &mut state).unwrap_or(Bool::TRUE);
            state.guard = self.terms.and(state.guard, holds);
        }
        state
    }

    /// That a candidate holds in a state; nothing if it is not known what the state has there.
    fn candidate(&mut self, Candidate { place, before, least }: Candidate, state: &mut State) -> Option<Bool> {
        let now = match place {
            Place::Local(local) => Some(state.locals[local.index()]),
            Place::Cell(at, width) => state.memory.cells().and_then(|cells| cells.get(&(at, width)).copied()),
        };
        let now = now?;
        if now == before {
            return Some(Bool::TRUE);
        }
        let (small, large) = if least { (before, now) } else { (now, before) };
        Some(self.terms.compare(BinaryOp::SLe, small, large))
    }

    /// The candidates that hold in all of these states.
    fn kept(&mut self, candidates: Vec<Candidate>, states: &mut [State]) -> Result<Vec<Candidate>, NoAnswer> {
        let mut kept = Vec::new();
        'candidates: for candidate in candidates {
            for state in states.iter_mut() {
                match self.candidate(candidate, state) {
                    Some(holds) if self.holds(state.guard, holds)? => {}
                    Some(_) | None => continue 'candidates,
                }
            }
            kept.push(candidate);
        }
        Ok(kept)
    }

    fn block(&mut self, frame: &mut Frame, id: BlockId) -> Result<(), NoAnswer> {
        let Some(mut state) = self.meet(frame, id) else { return Ok(()) };
        let block = &self.program.functions[frame.function.index()].blocks[id.index()];
        for instr in &block.instrs {
            self.instr(frame, &mut state, instr)?;
            if state.guard == Bool::FALSE {
                return Ok(());
            }
        }
        let mut go = |to: BlockId, state: State| frame.incoming.entry(to).or_default().push(state);
        match &block.terminator {
            Terminator::Goto(to) => go(*to, state),
            Terminator::Branch { condition, then, otherwise, .. } => {
                let condition = self.truth(&state, condition);
                let yes = self.terms.and(state.guard, condition);
                let no = self.terms.and(state.guard, !condition);
                go(*then, State { guard: yes, ..state.clone() });
                go(*otherwise, State { guard: no, ..state });
            }
            Terminator::Return(value) => {
                let value = value.as_ref().map(|value| self.expr(&state, value));
                frame.returned.push((state, value));
            }
            Terminator::Exit(_) => {}
            Terminator::Cut { .. } => self.prove(state.guard, Bool::FALSE, "that a bound is not reached")?,
        }
        Ok(())
    }

    fn expr(&mut self, state: &State, expr: &Expr) -> Term {
        match expr {
            Expr::Const(value, width) => self.terms.constant(*value, *width),
            Expr::Local(local) => state.locals[local.index()],
            Expr::Address(object, offset) => self.address(*object, *offset),
            Expr::Unary(op, operand) => {
                let operand = self.expr(state, operand);
                self.terms.unary(*op, operand)
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.expr(state, left), self.expr(state, right));
                self.terms.binary(*op, left, right)
            }
            Expr::Select(condition, then, otherwise) => {
                let condition = self.truth(state, condition);
                let (then, otherwise) = (self.expr(state, then), self.expr(state, otherwise));
                self.terms.ite(condition, then, otherwise)
            }
        }
    }

    fn truth(&mut self, state: &State, condition: &Expr) -> Bool {
        let condition = self.expr(state, condition);
        self.terms.to_bool(condition)
    }

    /// A local takes any value.
    fn forget(&mut self, state: &mut State, local: LocalId) {
        let width = self.terms.width(state.locals[local.index()]);
        state.locals[local.index()] = self.terms.fresh(width);
    }

    fn instr(&mut self, frame: &Frame, state: &mut State, instr: &Instr) -> Result<(), NoAnswer> {
        engine::spend(&self.meter, self.observer, INSTRUCTION)?;
        self.executed += 1;
        if self.executed > LIMIT {
            return gave_up("the program is too large for a glance at each thread");
        }
        self.at = instr.span;
        let width = |local: LocalId| self.program.functions[frame.function.index()].locals[local.index()].width;
        match &instr.op {
            Op::Assign { dst, value } => state.locals[dst.index()] = self.expr(state, value),
            Op::Load { dst, addr, .. } => {
                let width = width(*dst);
                let address = self.expr(state, addr);
                self.access(state.guard, address, width, false)?;
                state.locals[dst.index()] = self.read(state, address, width);
            }
            Op::Store { addr, value, .. } => {
                let (address, value) = (self.expr(state, addr), self.expr(state, value));
                self.access(state.guard, address, self.terms.width(value), true)?;
                self.write(state, address, value, Bool::TRUE)?;
            }
            Op::Rmw { dst, addr, when, value, .. } => {
                let width = width(*dst);
                let address = self.expr(state, addr);
                self.access(state.guard, address, width, true)?;
                state.locals[dst.index()] = self.read(state, address, width);
                let when = when.as_ref().map_or(Bool::TRUE, |when| self.truth(state, when));
                let value = self.expr(state, value);
                self.write(state, address, value, when)?;
            }
            Op::StoreConditional { success, addr, value, .. } => {
                let (address, value) = (self.expr(state, addr), self.expr(state, value));
                self.access(state.guard, address, self.terms.width(value), true)?;
                self.forget(state, *success);
                let when = self.terms.to_bool(state.locals[success.index()]);
                self.write(state, address, value, when)?;
            }
            Op::Fence { .. } => {}
            Op::Assume { condition, .. } => {
                let condition = self.truth(state, condition);
                state.guard = self.terms.and(state.guard, condition);
            }
            Op::System(op) => self.system(state, op)?,
        }
        Ok(())
    }

    fn system(&mut self, state: &mut State, op: &System) -> Result<(), NoAnswer> {
        match op {
            System::Call { dst, function, args } => {
                let locals = args.iter().map(|arg| self.expr(state, arg)).collect();
                let memory = std::mem::replace(&mut state.memory, Memory::Unclear);
                let Some(returned) = self.function(*function, State { guard: state.guard, locals, memory })? else {
                    state.guard = Bool::FALSE;
                    return Ok(());
                };
                (state.guard, state.memory) = (returned.guard, returned.memory);
                if let (Some(dst), Some(value)) = (dst, returned.value) {
                    state.locals[dst.index()] = value;
                }
            }
            System::Nondet { dst } | System::Current { dst } => self.forget(state, *dst),
            System::Assert { condition, message } | System::Check { condition, message } => {
                let condition = self.truth(state, condition);
                self.prove(state.guard, condition, &format!("`{message}`"))?;
                state.guard = self.terms.and(state.guard, condition);
            }
            System::Spawn { dst, function, args } => {
                self.publish(state)?;
                self.note_start(*function);
                let mut known = Vec::new();
                for arg in args {
                    let arg = self.expr(state, arg);
                    known.push(self.mentioned(arg).1.then_some(arg));
                }
                let thread = (*function, known);
                if !self.threads.contains(&thread) {
                    self.threads.push(thread);
                }
                self.forget(state, *dst);
            }
            System::Join { result, .. } => {
                if let Some(result) = result {
                    self.forget(state, *result);
                }
            }
            System::Alloc { dst, size, cells, .. } => {
                let size = match cells {
                    Some(cells) => self.terms.constant(extent(cells), Width::WORD),
                    None => self.expr(state, size),
                };
                state.locals[dst.index()] = self.base(None, size, true);
            }
            System::Critical { .. } => return gave_up("critical sections are a matter of several threads"),
            System::AtomicBegin => {
                if let Memory::Shared(cells) = &mut state.memory {
                    self.sections += 1;
                    state.memory = Memory::Section(std::mem::take(cells), self.sections);
                }
            }
            System::AtomicEnd => {
                if let Memory::Section(cells, _) = &mut state.memory {
                    state.memory = Memory::Shared(self.lasting(std::mem::take(cells)));
                }
            }
            System::Publish => self.publish(state)?,
            System::Await => {}
        }
        Ok(())
    }
}
