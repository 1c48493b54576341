//! One pass over the blocks of each thread, merging paths where they meet.

use ir::{Address, BlockId, Expr, Function, Instr, LocalId, Op, Program, TagSet, Terminator, ThreadId, Width};
use logic::{Bool, Term, Terms};
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
    /// What it reads or writes, as wide as the register or expression. Zero for fences.
    pub value: Term,
    /// Its tags.
    pub tags: TagSet,
    /// Its instruction.
    pub span: Span,
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

/// A program as symbolic events.
#[derive(Debug)]
pub struct Structure {
    /// The terms that everything below is made of.
    pub terms: Terms,
    /// The initial writes in the order of [`Program::addresses`], then each thread's events in program order.
    pub events: Vec<Event>,
    /// What holds in every execution.
    pub constraints: Vec<Bool>,
    /// When each cut of a loop is reached; these conditions are denied among the constraints.
    pub cuts: Vec<Bool>,
    /// The final values of each thread's locals.
    pub finals: Vec<Vec<Term>>,
    /// Free choices that are not visible in reads-from and coherence: whether a store-conditional fails.
    pub choices: Vec<Bool>,
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

/// Reads and when a value depends on them, sorted by read.
type Taint = Vec<(u32, Bool)>;

/// Branches that were taken on the way, and where their influence ends.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Control {
    taint: Taint,
    join: Option<BlockId>,
}

/// A reservation that may stand: by which read, for which address, computed from what, and when.
#[derive(Debug, Clone)]
struct Reservation {
    read: u32,
    address: Term,
    taint: Taint,
    when: Bool,
}

/// What is known at a point of a thread.
#[derive(Debug, Clone)]
struct State {
    guard: Bool,
    locals: Vec<Term>,
    taints: Vec<Taint>,
    control: Vec<Control>,
    reservations: Vec<Reservation>,
}

/// Executes a program whose functions are acyclic with their blocks in topological order (see [`ir::unroll`]).
pub fn execute(program: &Program) -> Structure {
    let mut structure = Structure {
        terms: Terms::new(),
        events: Vec::new(),
        constraints: Vec::new(),
        cuts: Vec::new(),
        finals: Vec::new(),
        choices: Vec::new(),
        addr: Vec::new(),
        data: Vec::new(),
        ctrl: Vec::new(),
        rmw: Vec::new(),
        amo: Vec::new(),
    };
    for address in program.addresses() {
        let cell = program.cell(address).expect("addresses() lists cells");
        let terms = &mut structure.terms;
        let value = initial(terms, &cell.initial, cell.width);
        let address = terms.constant(address.to_bits(), Width::WORD);
        structure.events.push(Event {
            thread: None,
            kind: Kind::Write,
            guard: Bool::TRUE,
            address,
            value,
            tags: TagSet::default(),
            span: Span::default(),
        });
    }
    for thread in 0..program.threads.len() {
        let thread = ThreadId(thread as u32);
        Executor { function: program.body(thread), thread, structure: &mut structure }.run();
    }
    structure
}

/// The initial value of a cell: a constant or an address.
fn initial(terms: &mut Terms, value: &Expr, width: Width) -> Term {
    match value {
        Expr::Address(object, offset) => {
            terms.constant(Address { object: *object, offset: *offset }.to_bits(), Width::WORD)
        }
        Expr::Const(value, _) => terms.constant(*value, width),
        Expr::Local(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => {
            panic!("an initial value is a constant or an address")
        }
    }
}

struct Executor<'p> {
    function: &'p Function,
    thread: ThreadId,
    structure: &'p mut Structure,
}

impl Executor<'_> {
    fn run(&mut self) {
        let blocks = self.function.blocks.len();
        let mut incoming: Vec<Vec<State>> = vec![Vec::new(); blocks];
        let locals: Vec<Term> =
            self.function.locals.iter().map(|local| self.structure.terms.constant(0, local.width)).collect();
        incoming[0].push(State {
            guard: Bool::TRUE,
            taints: vec![Taint::new(); locals.len()],
            locals: locals.clone(),
            control: Vec::new(),
            reservations: Vec::new(),
        });
        let mut returned: Vec<State> = Vec::new();
        for (at, block) in self.function.blocks.iter().enumerate() {
            let Some(mut state) = self.merge(std::mem::take(&mut incoming[at])) else { continue };
            state.control.retain(|control| control.join != Some(BlockId(at as u32)));
            for instr in &block.instrs {
                self.instr(&mut state, instr);
            }
            match &block.terminator {
                Terminator::Goto(to) => incoming[to.index()].push(state),
                Terminator::Branch { condition, then, otherwise, join, span: _ } => {
                    let taint = self.taint(&state, condition);
                    let condition = self.expr(&state, condition);
                    let condition = self.structure.terms.to_bool(condition);
                    if !taint.is_empty() {
                        state.control.push(Control { taint, join: *join });
                    }
                    let terms = &mut self.structure.terms;
                    let mut taken = state.clone();
                    taken.guard = terms.and(state.guard, condition);
                    state.guard = terms.and(state.guard, !condition);
                    incoming[then.index()].push(taken);
                    incoming[otherwise.index()].push(state);
                }
                Terminator::Return => returned.push(state),
                Terminator::Cut { span: _ } => {
                    self.structure.constraints.push(!state.guard);
                    self.structure.cuts.push(state.guard);
                }
            }
        }
        let finals = self.merge(returned).map_or(locals, |state| state.locals);
        self.structure.finals.push(finals);
    }

    /// One state for all the paths that lead here; none if no path does.
    fn merge(&mut self, mut states: Vec<State>) -> Option<State> {
        states.retain(|state| state.guard != Bool::FALSE);
        let mut states = states.into_iter();
        let mut merged = states.next()?;
        for state in states {
            merged = self.merge_two(&merged, &state);
        }
        Some(merged)
    }

    fn merge_two(&mut self, a: &State, b: &State) -> State {
        let terms = &mut self.structure.terms;
        let locals = a.locals.iter().zip(&b.locals).map(|(&x, &y)| terms.ite(a.guard, x, y)).collect();
        let taints = a.taints.iter().zip(&b.taints).map(|(x, y)| merge_taints(terms, a.guard, x, b.guard, y)).collect();
        let mut control: Vec<Control> = Vec::new();
        for (side, guard, other) in [(a, a.guard, b), (b, b.guard, a)] {
            for entry in &side.control {
                if other.control.contains(entry) {
                    if !control.contains(entry) {
                        control.push(entry.clone());
                    }
                } else {
                    let taint = entry.taint.iter().map(|&(read, when)| (read, terms.and(when, guard))).collect();
                    control.push(Control { taint, join: entry.join });
                }
            }
        }
        let mut reservations = Vec::new();
        for side in [a, b] {
            for reservation in &side.reservations {
                let when = terms.and(reservation.when, side.guard);
                reservations.push(Reservation { when, ..reservation.clone() });
            }
        }
        State { guard: terms.or(a.guard, b.guard), locals, taints, control, reservations }
    }

    fn instr(&mut self, state: &mut State, instr: &Instr) {
        match &instr.op {
            Op::Assign { dst, value } => {
                state.taints[dst.index()] = self.taint(state, value);
                state.locals[dst.index()] = self.expr(state, value);
            }
            Op::Load { dst, addr, tags, reserve } => {
                let read = self.read(state, *dst, addr, tags, instr.span);
                if *reserve {
                    let taint = self.taint(state, addr);
                    let address = self.structure.events[read as usize].address;
                    state.reservations = vec![Reservation { read, address, taint, when: Bool::TRUE }];
                }
                self.assign_read(state, *dst, read);
            }
            Op::Store { addr, value, tags } => {
                let taint = self.taint(state, value);
                self.write(state, state.guard, addr, value, &taint, tags, instr.span);
            }
            Op::Rmw { dst, addr, when, value, read_tags, write_tags } => {
                let read = self.read(state, *dst, addr, read_tags, instr.span);
                // The value read decides what is written, but that is no dependency of the write on the read: the
                // pair is in rmw.
                let mut inputs = state.clone();
                inputs.taints[dst.index()] = Taint::new();
                let mut taint = self.taint(&inputs, value);
                let address = self.expr(state, addr);
                inputs.locals[dst.index()] = self.structure.events[read as usize].value;
                let mut guard = state.guard;
                if let Some(when) = when {
                    let decided_by = self.taint(&inputs, when);
                    taint = join_taints(&mut self.structure.terms, &taint, &decided_by);
                    let when = self.expr(&inputs, when);
                    let terms = &mut self.structure.terms;
                    let when = terms.to_bool(when);
                    guard = terms.and(guard, when);
                }
                let value = self.expr(&inputs, value);
                let addr_taint = self.taint(state, addr);
                let write =
                    self.event(state, Kind::Write, guard, (address, value), &addr_taint, write_tags, instr.span);
                self.depend(write, &taint, |s| &mut s.data);
                let pair = Dependency { from: read, to: write, when: Bool::TRUE };
                self.structure.rmw.push(pair);
                self.structure.amo.push(pair);
                self.assign_read(state, *dst, read);
            }
            Op::StoreConditional { success, addr, value, tags } => {
                self.store_conditional(state, *success, addr, value, tags, instr.span);
            }
            Op::Fence { tags } => {
                let zero = self.structure.terms.constant(0, Width::WORD);
                self.event(state, Kind::Fence, state.guard, (zero, zero), &Taint::new(), tags, instr.span);
            }
            Op::Assume { condition } => {
                let condition = self.expr(state, condition);
                let terms = &mut self.structure.terms;
                let condition = terms.to_bool(condition);
                let constraint = terms.implies(state.guard, condition);
                self.structure.constraints.push(constraint);
            }
        }
    }

    fn store_conditional(
        &mut self,
        state: &mut State,
        success: LocalId,
        addr: &Expr,
        value: &Expr,
        tags: &TagSet,
        span: Span,
    ) {
        let succeeds = self.structure.terms.fresh_bool();
        let guard = self.structure.terms.and(state.guard, succeeds);
        let mut taint = self.taint(state, value);
        for reservation in &state.reservations {
            taint = join_taints(&mut self.structure.terms, &taint, &reservation.taint);
        }
        let write = self.write(state, guard, addr, value, &taint, tags, span);
        let address = self.structure.events[write as usize].address;
        let mut reserved = Bool::FALSE;
        for reservation in std::mem::take(&mut state.reservations) {
            let terms = &mut self.structure.terms;
            let same = terms.eq(reservation.address, address);
            let stands = terms.and(reservation.when, same);
            reserved = terms.or(reserved, stands);
            self.structure.rmw.push(Dependency { from: reservation.read, to: write, when: reservation.when });
        }
        let constraint = self.structure.terms.implies(guard, reserved);
        self.structure.constraints.push(constraint);
        self.structure.choices.push(guard);
        let addr_taint = self.taint(state, addr);
        let terms = &mut self.structure.terms;
        state.taints[success.index()] = join_taints(terms, &taint, &addr_taint);
        state.locals[success.index()] = terms.from_bool(succeeds);
    }

    /// A read event; its value is as wide as the register that takes it.
    fn read(&mut self, state: &State, dst: LocalId, addr: &Expr, tags: &TagSet, span: Span) -> u32 {
        let address = self.expr(state, addr);
        let value = self.structure.terms.fresh(self.function.locals[dst.index()].width);
        let taint = self.taint(state, addr);
        self.event(state, Kind::Read, state.guard, (address, value), &taint, tags, span)
    }

    fn assign_read(&mut self, state: &mut State, dst: LocalId, read: u32) {
        state.locals[dst.index()] = self.structure.events[read as usize].value;
        state.taints[dst.index()] = vec![(read, Bool::TRUE)];
    }

    #[allow(clippy::too_many_arguments)]
    fn write(
        &mut self,
        state: &State,
        guard: Bool,
        addr: &Expr,
        value: &Expr,
        data: &Taint,
        tags: &TagSet,
        span: Span,
    ) -> u32 {
        let access = (self.expr(state, addr), self.expr(state, value));
        let addr_taint = self.taint(state, addr);
        let write = self.event(state, Kind::Write, guard, access, &addr_taint, tags, span);
        self.depend(write, data, |s| &mut s.data);
        write
    }

    /// Adds an event with its address and control dependencies.
    #[allow(clippy::too_many_arguments)]
    fn event(
        &mut self,
        state: &State,
        kind: Kind,
        guard: Bool,
        (address, value): (Term, Term),
        addr_taint: &Taint,
        tags: &TagSet,
        span: Span,
    ) -> u32 {
        let number = self.structure.events.len() as u32;
        let thread = Some(self.thread);
        self.structure.events.push(Event { thread, kind, guard, address, value, tags: tags.clone(), span });
        self.depend(number, addr_taint, |s| &mut s.addr);
        let mut control = Taint::new();
        for entry in &state.control {
            control = join_taints(&mut self.structure.terms, &control, &entry.taint);
        }
        self.depend(number, &control, |s| &mut s.ctrl);
        number
    }

    fn depend(&mut self, to: u32, taint: &Taint, list: impl Fn(&mut Structure) -> &mut Vec<Dependency>) {
        list(self.structure).extend(taint.iter().map(|&(from, when)| Dependency { from, to, when }));
    }

    fn taint(&mut self, state: &State, expr: &Expr) -> Taint {
        let mut taint = Taint::new();
        expr.for_each_local(&mut |local| {
            taint = join_taints(&mut self.structure.terms, &taint, &state.taints[local.index()]);
        });
        taint
    }

    fn expr(&mut self, state: &State, expr: &Expr) -> Term {
        match expr {
            Expr::Const(value, width) => self.structure.terms.constant(*value, *width),
            Expr::Local(local) => state.locals[local.index()],
            Expr::Address(object, offset) => {
                let address = Address { object: *object, offset: *offset };
                self.structure.terms.constant(address.to_bits(), Width::WORD)
            }
            Expr::Unary(op, operand) => {
                let operand = self.expr(state, operand);
                self.structure.terms.unary(*op, operand)
            }
            Expr::Binary(op, left, right) => {
                let left = self.expr(state, left);
                let right = self.expr(state, right);
                self.structure.terms.binary(*op, left, right)
            }
            Expr::Select(condition, then, otherwise) => {
                let condition = self.expr(state, condition);
                let then = self.expr(state, then);
                let otherwise = self.expr(state, otherwise);
                let condition = self.structure.terms.to_bool(condition);
                self.structure.terms.ite(condition, then, otherwise)
            }
        }
    }
}

/// What depends on either depends on both.
fn join_taints(terms: &mut Terms, a: &Taint, b: &Taint) -> Taint {
    let mut joined = a.clone();
    for &(read, when) in b {
        match joined.binary_search_by_key(&read, |&(r, _)| r) {
            Ok(at) => joined[at].1 = terms.or(joined[at].1, when),
            Err(at) => joined.insert(at, (read, when)),
        }
    }
    joined
}

/// The taint of a value that is one thing under one guard and another under the other.
fn merge_taints(terms: &mut Terms, guard_a: Bool, a: &Taint, guard_b: Bool, b: &Taint) -> Taint {
    if a == b {
        return a.clone();
    }
    let mut guarded = |taint: &Taint, guard: Bool| -> Taint {
        taint.iter().map(|&(read, when)| (read, terms.and(when, guard))).collect()
    };
    let (a, b) = (guarded(a, guard_a), guarded(b, guard_b));
    join_taints(terms, &a, &b)
}
