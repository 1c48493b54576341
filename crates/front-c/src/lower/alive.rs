//! Lifetimes: each use of an object that may have ended asserts that it has not.
//!
//! A pass over the finished functions. An object has a life cell ([`ir::life`]); `free` writes it, and so does a function that
//! ends, for its variables whose address somebody else may have. Before each access through a pointer there is a load of the
//! life cell and an assertion about what it gave. All of these are plain accesses. So an access is wrong if a plain read in its place
//! could see the write of the end (see SOUNDNESS.md).
//!
//! Accesses at constant addresses and to the variables of the own call need no such look, and where nothing ever ends, none does.

use super::{exits, tls};
use ir::faults::{self, ENDED};
use ir::life::{CONSTANT, DEAD, LIFE, LIFE_OF_ATOMICS, LIFE_WIDTH, Storage};
use ir::{
    BinaryOp, Block, BlockId, Expr, Function, Instr, LocalId, Op, Program, System, TagSet, Terminator, UnaryOp, Width,
};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// The tags of reads that hold back all that comes after them.
const STRONG: [&str; 4] = ["ACQ", "ACQ_REL", "SC", "ACQUIRE"];

/// The address of the life cell for plain accesses of what an address points into.
pub(crate) fn life(addr: Expr) -> Expr {
    addr.unary(UnaryOp::Life)
}

/// The address of the other one.
fn life_of_atomics(addr: Expr) -> Expr {
    life(addr).binary(BinaryOp::Add, Expr::Const(LIFE_OF_ATOMICS - LIFE, Width::WORD))
}

/// The stores that end an object.
pub(crate) fn end(addr: &Expr, storage: Storage, tags: &TagSet) -> [Op; 2] {
    stores(addr, storage.ended(), tags)
}

/// The stores that begin the life of an object, which may have ended before.
pub(crate) fn begin(addr: &Expr, storage: Storage, tags: &TagSet) -> [Op; 2] {
    stores(addr, storage.life(), tags)
}

/// The stores behind which a variable may no longer be written.
pub(crate) fn seal(addr: &Expr, tags: &TagSet) -> [Op; 2] {
    stores(addr, Storage::Automatic.life() | CONSTANT, tags)
}

fn stores(addr: &Expr, life: u64, tags: &TagSet) -> [Op; 2] {
    let store = |addr: Expr| Op::Store { addr, value: Expr::Const(life, LIFE_WIDTH), tags: tags.clone() };
    [store(self::life(addr.clone())), store(life_of_atomics(addr.clone()))]
}

/// The variable whose life begins or ends here with its block, or that cannot be written from here on.
fn variable(op: &Op) -> Option<LocalId> {
    let Op::Store { addr, value: Expr::Const(value, LIFE_WIDTH), .. } = op else { return None };
    let of_variable = [Storage::Automatic.life(), Storage::Automatic.ended()].contains(&(value & !CONSTANT));
    let Expr::Unary(UnaryOp::Life, pointer) = base(addr) else { return None };
    let Expr::Local(local) = **pointer else { return None };
    of_variable.then_some(local)
}

/// Lets variables live as long as the call: where a block can be entered behind a declaration, it is not known where their life begins.
pub(crate) fn outlive_blocks(function: &mut Function) {
    keep_variables(function, |_| false);
}

/// Leaves out where the life of variables begins and ends, but for some.
fn keep_variables(function: &mut Function, keep: impl Fn(LocalId) -> bool) {
    for block in &mut function.blocks {
        block.instrs.retain(|instr| variable(&instr.op).is_none_or(&keep));
    }
}

/// What is asked about lifetimes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    /// Whether an access must also come after the beginning of the object, which its thread may not know of.
    pub begins: bool,
    /// Whether the program is asked about with other memory orders, too.
    pub orders_change: bool,
    /// Whether the variables of `main` end where it calls `pthread_exit`.
    pub main_ends: bool,
}

/// Puts the ends of variables and the assertions into the program. Accesses get these tags.
pub(crate) fn guard(program: &mut Program, asked: Asked, tags: &TagSet) {
    let main = program.threads.first().map(|thread| thread.body);
    exits::pass_variables(program, main.filter(|_| !asked.main_ends));
    let own: Vec<Own> = program.functions.iter().map(Own::of).collect();
    let begins = asked.begins && (asked.orders_change || published_weakly(program));
    for (at, (function, own)) in program.functions.iter_mut().zip(&own).enumerate() {
        keep_variables(function, |local| own.escaping.contains(&local));
        if begins {
            begin_objects(function, own, tags);
        }
        // What `main` leaves behind when it returns is there until the program ends.
        let is_main = main.is_some_and(|main| main.index() == at);
        let leaves = |terminator: &Terminator| match terminator {
            Terminator::Exit(Some(_)) => asked.main_ends || !is_main,
            Terminator::Return(_) | Terminator::Exit(None) => !is_main,
            Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::Cut { .. } => false,
        };
        end_variables(function, own, leaves, tags);
    }
    tls::end_blocks(program, main.filter(|_| !asked.main_ends), tags);
    if !program.functions.iter().any(ends_something) {
        return;
    }
    let mut blocks = program.functions.iter().flat_map(|function| &function.blocks);
    let seals = blocks.any(|block| block.instrs.iter().any(|instr| seals(&instr.op)));
    let strong = program.tags_named(&STRONG.map(str::to_owned));
    for (function, own) in program.functions.iter_mut().zip(&own) {
        check_accesses(function, own, (&strong, seals), tags);
    }
}

/// Whether a thread may come by an address from another one that does not order it behind what that one did before. Where every atomic
/// word is written by releases and read by acquires, and nothing else races, each access comes after the beginning of its object.
fn published_weakly(program: &Program) -> bool {
    let has = |tags: &TagSet, names: &[&str]| tags.iter().any(|tag| names.contains(&&*program.tags[tag.index()]));
    let weak = |tags: &TagSet, order: &str| has(tags, &["A"]) && !has(tags, &[order, "ACQ_REL", "SC"]);
    let user = program.functions.iter().filter(|function| !function.library);
    let mut words = user.flat_map(|function| {
        let instrs = function.blocks.iter().flat_map(|block| &block.instrs);
        instrs.map(move |instr| (&instr.op, function))
    });
    words.any(|(op, function)| match op {
        Op::Load { dst, tags, .. } => function.locals[dst.index()].width == Width::WORD && weak(tags, "ACQ"),
        Op::Store { value, tags, .. } | Op::StoreConditional { value, tags, .. } => {
            value.width(function) == Width::WORD && !matches!(value, Expr::Const(..)) && weak(tags, "REL")
        }
        Op::Rmw { dst, read_tags, write_tags, .. } => {
            function.locals[dst.index()].width == Width::WORD && (weak(read_tags, "ACQ") || weak(write_tags, "REL"))
        }
        Op::Assign { .. } | Op::Fence { .. } | Op::Assume { .. } | Op::System(_) => false,
    })
}

/// The life of each object begins where it is made, with a write: who does not come after it races with that.
fn begin_objects(function: &mut Function, own: &Own, tags: &TagSet) {
    for block in &mut function.blocks {
        for instr in std::mem::take(&mut block.instrs) {
            let made = match &instr.op {
                Op::System(System::Alloc { dst, storage: Storage::Heap, .. }) => Some((*dst, Storage::Heap)),
                Op::System(System::Alloc { dst, storage, .. }) if own.escaping.contains(dst) => Some((*dst, *storage)),
                _ => None,
            };
            let span = instr.span;
            block.instrs.push(instr);
            let begins = made.map(|(dst, storage)| begin(&Expr::Local(dst), storage, tags));
            block.instrs.extend(begins.into_iter().flatten().map(|op| Instr { op, span }));
        }
    }
}

/// The locals of a function that hold addresses of its own variables and nothing else.
pub(crate) struct Own {
    /// Those, and the hidden variables that point to what outlives the call.
    safe: BTreeSet<LocalId>,
    /// Those whose value may be known elsewhere, in the order of the program, with their names.
    pub escaping: Vec<LocalId>,
}

impl Own {
    pub fn of(function: &Function) -> Own {
        let mut made: Vec<LocalId> = Vec::new();
        let mut assigned: BTreeMap<LocalId, usize> = BTreeMap::new();
        let mut escaping: BTreeSet<LocalId> = BTreeSet::new();
        // Constants, and those of them that are written nevertheless, as by `*(int *)&constant = 1`: that is to fail.
        let (mut sealed, mut written) = (BTreeSet::new(), BTreeSet::new());
        for block in &function.blocks {
            for instr in &block.instrs {
                match (seals(&instr.op), &instr.op) {
                    (true, op) => sealed.extend(variable(op)),
                    (false, Op::Store { addr, .. } | Op::Rmw { addr, .. } | Op::StoreConditional { addr, .. }) => {
                        if let Expr::Local(local) = base(addr) {
                            written.extend(sealed.get(local));
                        }
                    }
                    (false, _) => {}
                }
                if let Op::System(System::Alloc { dst, storage: Storage::Automatic, .. }) = &instr.op {
                    made.push(*dst);
                }
                if let Some(dst) = instr.op.defines() {
                    *assigned.entry(dst).or_default() += 1;
                }
                values(&instr.op, &mut |value| value.for_each_local(&mut |local| _ = escaping.insert(local)));
            }
            if let Terminator::Return(Some(value)) | Terminator::Exit(Some(value)) = &block.terminator {
                value.for_each_local(&mut |local| _ = escaping.insert(local));
            }
        }
        made.retain(|dst| assigned.get(dst) == Some(&1));
        let hidden = |&local: &LocalId| {
            let name = &function.locals[local.index()].name;
            name == tls::NAME || local.0 < function.params && name == "%result"
        };
        let params = (0..function.locals.len() as u32).map(LocalId).filter(hidden);
        escaping.extend(&written);
        let safe = params.chain(made.iter().copied()).filter(|local| !written.contains(local)).collect();
        Own { safe, escaping: made.into_iter().filter(|dst| escaping.contains(dst)).collect() }
    }

    /// Whether what an address points into is sure to be there.
    fn is_safe(&self, addr: &Expr) -> bool {
        match base(addr) {
            Expr::Address(..) | Expr::Const(..) => true,
            Expr::Local(local) => self.safe.contains(local),
            // A life cell outlives its object.
            Expr::Unary(op, _) => *op == UnaryOp::Life,
            Expr::Binary(..) | Expr::Select(..) => false,
        }
    }
}

/// The pointer in an address: without the offsets that are added to it.
pub(crate) fn base(addr: &Expr) -> &Expr {
    match addr {
        Expr::Binary(BinaryOp::Add | BinaryOp::Sub, pointer, offset) if is_offset(offset) => base(pointer),
        _ => addr,
    }
}

/// Whether this is a number: a constant, or what was computed from a narrower value.
fn is_offset(expr: &Expr) -> bool {
    match expr {
        Expr::Const(..) | Expr::Unary(UnaryOp::SignExtend(_) | UnaryOp::ZeroExtend(_), _) => true,
        Expr::Binary(BinaryOp::Mul | BinaryOp::Shl, left, right) => is_offset(left) || is_offset(right),
        Expr::Local(_) | Expr::Address(..) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => false,
    }
}

/// Whether the life of something can end here.
fn ends_something(function: &Function) -> bool {
    let ends = |instr: &Instr| matches!(&instr.op, Op::Store { addr: Expr::Unary(UnaryOp::Life, _), .. });
    function.blocks.iter().any(|block| block.instrs.iter().any(ends))
}

/// Whether a variable becomes constant here.
fn seals(op: &Op) -> bool {
    let sealed = Storage::Automatic.life() | CONSTANT;
    matches!(op, Op::Store { value: Expr::Const(value, LIFE_WIDTH), .. } if *value == sealed) && variable(op).is_some()
}

/// The variables of a call end with it, and those of the calls around it where the thread ends.
fn end_variables(function: &mut Function, own: &Own, leaves: impl Fn(&Terminator) -> bool, tags: &TagSet) {
    let first = |dst: LocalId| {
        let is = |instr: &Instr| matches!(&instr.op, Op::System(System::Alloc { dst: own, .. }) if *own == dst);
        function.blocks[0].instrs.iter().any(is)
    };
    let variables: Vec<(LocalId, bool)> = own.escaping.iter().map(|&dst| (dst, first(dst))).collect();
    let around = exits::around(function).into_iter().map(|param| (param, false));
    let all: Vec<(LocalId, bool)> = variables.iter().copied().chain(around).collect();
    for at in 0..function.blocks.len() {
        let terminator = &function.blocks[at].terminator;
        let ending = if matches!(terminator, Terminator::Exit(Some(_))) { &all } else { &variables };
        if leaves(terminator) && !ending.is_empty() && (at == 0 || is_reachable(function, at)) {
            end_in(function, at, ending, tags);
        }
    }
}

fn is_reachable(function: &Function, at: usize) -> bool {
    let to = BlockId(at as u32);
    function.blocks.iter().any(|block| block.terminator.successors().any(|next| next == to))
}

/// Ends variables before a block leaves the function: those that are made in the first block for sure, others if they were made.
fn end_in(function: &mut Function, at: usize, variables: &[(LocalId, bool)], tags: &TagSet) {
    let span = function.blocks[at].instrs.last().map_or(Span::default(), |instr| instr.span);
    let ends =
        |dst: LocalId| end(&Expr::Local(dst), Storage::Automatic, tags).into_iter().map(move |op| Instr { op, span });
    let mut current = at;
    for &(dst, sure) in variables {
        if sure {
            function.blocks[current].instrs.extend(ends(dst));
            continue;
        }
        let last = function.blocks[current].terminator.clone();
        let (then, after) = (function.blocks.len() as u32, function.blocks.len() as u32 + 1);
        function.blocks.push(Block { instrs: ends(dst).collect(), terminator: Terminator::Goto(BlockId(after)) });
        function.blocks.push(Block { instrs: Vec::new(), terminator: last });
        function.blocks[current].terminator = Terminator::Branch {
            condition: Expr::Local(dst).binary(BinaryOp::Ne, Expr::Const(0, Width::WORD)),
            then: BlockId(then),
            otherwise: BlockId(after),
            join: Some(BlockId(after)),
            span,
        };
        current = after as usize;
    }
}

/// Puts a look at the life cell before each access through a pointer.
fn check_accesses(function: &mut Function, own: &Own, (strong, seals): (&TagSet, bool), tags: &TagSet) {
    for at in 0..function.blocks.len() {
        let old = std::mem::take(&mut function.blocks[at].instrs);
        let mut guarded = Guarded { function: &mut *function, current: at, seals, tags };
        for mut instr in old {
            let plain = is_plain(&instr.op, tags);
            match address(&mut instr.op).filter(|addr| !own.is_safe(addr)) {
                Some(addr) => {
                    let pointer = base(addr).clone();
                    let life = if plain { life(pointer) } else { life_of_atomics(pointer) };
                    guarded.access(instr, life, strong);
                }
                None => guarded.push(instr),
            }
        }
    }
}

/// Whether an access has these tags and no others.
fn is_plain(op: &Op, plain: &TagSet) -> bool {
    matches!(op, Op::Load { tags, .. } | Op::Store { tags, .. } if tags == plain)
}

/// The address of an access.
fn address(op: &mut Op) -> Option<&mut Expr> {
    match op {
        Op::Load { addr, .. } | Op::Store { addr, .. } | Op::Rmw { addr, .. } | Op::StoreConditional { addr, .. } => {
            Some(addr)
        }
        Op::Assign { .. } | Op::Fence { .. } | Op::Assume { .. } | Op::System(_) => None,
    }
}

/// A function whose accesses are being checked.
struct Guarded<'a> {
    function: &'a mut Function,
    /// The block that grows.
    current: usize,
    /// Whether there are variables that must not be written.
    seals: bool,
    /// The tags of a look at a life cell.
    tags: &'a TagSet,
}

impl Guarded<'_> {
    fn push(&mut self, instr: Instr) {
        self.function.blocks[self.current].instrs.push(instr);
    }

    /// An access, after a look at the life cell at `life`. What the machine keeps behind the access it shall keep behind the look,
    /// and nothing else: so an access that holds back all that follows has the look in its address, a store depends on it by a
    /// branch that ends with the store, and the write of any other read-modify-write has it in its value.
    fn access(&mut self, mut instr: Instr, life: Expr, strong: &TagSet) {
        let (dst, span) = (LocalId(self.function.locals.len() as u32), instr.span);
        self.function.locals.push(ir::Local { name: format!("%life{}", dst.0), width: LIFE_WIDTH });
        let tags = self.tags.clone();
        self.push(Instr { op: Op::Load { dst, addr: life, tags, reserve: false }, span });
        let below = |limit: u64| Expr::Local(dst).binary(BinaryOp::ULt, Expr::Const(limit, LIFE_WIDTH));
        let alive = below(DEAD);
        let nothing = |width: Width| {
            let seen = || {
                if width > LIFE_WIDTH { Expr::Local(dst).unary(UnaryOp::ZeroExtend(width)) } else { Expr::Local(dst) }
            };
            seen().binary(BinaryOp::Sub, seen())
        };
        let is_strong = |tags: &TagSet| tags.iter().any(|tag| strong.contains(tag));
        let width = |value: &Expr, function: &Function| value.width(function);
        match &mut instr.op {
            Op::Store { .. } if self.seals => {
                let fails = vec![check(alive, ENDED), check(at_least(dst, DEAD), faults::CONSTANT)];
                return self.store(instr, below(CONSTANT), fails);
            }
            Op::Store { .. } => return self.store(instr, alive, vec![check(Expr::Const(0, Width::BOOL), ENDED)]),
            Op::Load { addr, tags, .. } if is_strong(tags) => {
                *addr = addr.clone().binary(BinaryOp::Add, nothing(Width::WORD));
            }
            Op::Rmw { addr, read_tags, .. } if is_strong(read_tags) => {
                *addr = addr.clone().binary(BinaryOp::Add, nothing(Width::WORD));
            }
            Op::Rmw { value, .. } | Op::StoreConditional { value, .. } => {
                let width = width(value, self.function);
                if width >= LIFE_WIDTH {
                    *value = value.clone().binary(BinaryOp::Add, nothing(width));
                }
            }
            Op::Load { .. } | Op::Assign { .. } | Op::Fence { .. } | Op::Assume { .. } | Op::System(_) => {}
        }
        self.push(Instr { op: check(alive, ENDED), span });
        let writes = matches!(instr.op, Op::Rmw { .. } | Op::StoreConditional { .. });
        if writes && self.seals {
            let writable = below(CONSTANT).binary(BinaryOp::Or, at_least(dst, DEAD));
            self.push(Instr { op: check(writable, faults::CONSTANT), span });
        }
        self.push(instr);
    }

    /// A store where the object may be written, a failure elsewhere.
    fn store(&mut self, store: Instr, alive: Expr, fails: Vec<Op>) {
        let span = store.span;
        let [then, otherwise, after] = [0, 1, 2].map(|more| BlockId(self.function.blocks.len() as u32 + more));
        let block = |instrs| Block { instrs, terminator: Terminator::Goto(after) };
        let branch = Terminator::Branch { condition: alive, then, otherwise, join: Some(after), span };
        let terminator = std::mem::replace(&mut self.function.blocks[self.current].terminator, branch);
        let fails = fails.into_iter().map(|op| Instr { op, span }).collect();
        self.function.blocks.extend([block(vec![store]), block(fails), Block { instrs: Vec::new(), terminator }]);
        self.current = after.index();
    }
}

fn check(condition: Expr, message: &str) -> Op {
    Op::System(System::Check { condition, message: message.to_owned() })
}

/// Whether a life cell that was looked at held this or more.
fn at_least(life: LocalId, limit: u64) -> Expr {
    Expr::Const(limit, LIFE_WIDTH).binary(BinaryOp::ULe, Expr::Local(life))
}

/// The expressions of an instruction whose value goes somewhere, as opposed to addresses of accesses and to conditions.
pub(crate) fn values(op: &Op, visit: &mut impl FnMut(&Expr)) {
    match op {
        Op::Assign { value, .. }
        | Op::Store { value, .. }
        | Op::Rmw { value, .. }
        | Op::StoreConditional { value, .. } => visit(value),
        Op::Load { .. } | Op::Fence { .. } | Op::Assume { .. } => {}
        Op::System(system) => match system {
            System::Call { args, .. } | System::Spawn { args, .. } => args.iter().for_each(visit),
            System::Join { .. }
            | System::Nondet { .. }
            | System::Current { .. }
            | System::Alloc { .. }
            | System::Assert { .. }
            | System::Check { .. }
            | System::AtomicBegin
            | System::AtomicEnd
            | System::Critical { .. }
            | System::Await
            | System::Publish => {}
        },
    }
}
