//! Watchpoints: the question whether accesses race as an assertion.
//!
//! Each group of pairs that hang together has two cells of its own, which hold no address at first. Before an access of a
//! pair that is not atomic, a thread may write its address into one of these and stop there; before any access of a pair,
//! a thread may compare its address with what is there, and stop. If they are equal, both threads are about to access one
//! location. A thread that has stopped does no harm: it could as well have been slow. Inside an atomic section a thread cannot stop, so
//! what it does there only ever compares.
//!
//! Where the accesses of a group have different sizes, a thread chooses one of the bytes of its access.

use crate::pairs::{Analysis, Pair};
use crate::points::{bytes, instructions};
use crate::{At, is_plain};
use ir::{
    Address, BinaryOp, Block, BlockId, Cell, Expr, Function, FunctionId, Instr, Local, LocalId, Object, ObjectId, Op,
    Program, System, TagSet, Terminator, UnaryOp, Width,
};
use source::Span;
use std::collections::BTreeMap;

/// What the assertions are called.
pub const RACE: &str = "data race";

/// What the names of cells of watchpoints begin with.
const NAME: &str = "%race";

/// Where a cell of a group holds the address of a write, and of a read.
const WRITES: u64 = 0;
const READS: u64 = 8;

/// The width of the number of a byte in an access.
const BYTE: Width = Width::INT;

/// Whether an object is the cell of a watchpoint.
pub fn watched(program: &Program, object: ObjectId) -> bool {
    program.objects.get(object.index()).is_some_and(|object| object.name.starts_with(NAME))
}

/// Whether what is written there is the address of a write, not of a read.
pub fn watches_writes(cell: Address) -> bool {
    cell.offset == WRITES
}

/// What is added before an access.
#[derive(Debug, Clone, Copy, Default)]
struct Role {
    group: usize,
    watches: bool,
    checks: bool,
}

/// The access of an instruction: where, and whether it writes.
fn access(op: &Op) -> Option<(&Expr, bool)> {
    match op {
        Op::Load { addr, .. } => Some((addr, false)),
        Op::Store { addr, .. } | Op::Rmw { addr, .. } | Op::StoreConditional { addr, .. } => Some((addr, true)),
        Op::Assign { .. } | Op::Fence { .. } | Op::Assume { .. } | Op::System(_) => None,
    }
}

/// How many bytes an instruction accesses.
fn size(at: At, program: &Program) -> Option<u64> {
    let function = &program.functions[at.function.index()];
    match at.op(program) {
        Op::Load { dst, .. } | Op::Rmw { dst, .. } => Some(bytes(function.locals[dst.index()].width)),
        Op::Store { value, .. } | Op::StoreConditional { value, .. } => Some(bytes(value.width(function))),
        Op::Assign { .. } | Op::Fence { .. } | Op::Assume { .. } | Op::System(_) => None,
    }
}

/// The program in which an assertion fails iff two accesses of a pair can race: of those that the analysis left, or of all if
/// there is no analysis. Other assertions just end their threads.
pub fn instrument(program: &Program, analysis: Option<&Analysis>) -> Program {
    let roles = match analysis {
        Some(analysis) => roles(analysis.pairs.iter()),
        None => everything(program),
    };
    let mut result = program.clone();
    result.seams.clear();
    let atomic: TagSet = [result.tag("A"), result.tag("SC")].into_iter().collect();
    let groups = roles.values().map(|role| role.group + 1).max().unwrap_or(0);
    let cells = (0..groups).map(|group| Watch::new(&mut result, group, &roles, program)).collect::<Vec<_>>();
    for (at, function) in program.functions.iter().enumerate() {
        let mut builder = Builder { program, function: function.clone(), own: None, atomic: &atomic, cells: &cells };
        builder.rewrite(FunctionId(at as u32), &roles);
        result.functions[at] = builder.function;
    }
    result
}

/// The roles of the accesses of pairs.
fn roles<'a>(pairs: impl Iterator<Item = &'a Pair>) -> BTreeMap<At, Role> {
    let mut roles: BTreeMap<At, Role> = BTreeMap::new();
    let mut groups = 0;
    for pair in pairs {
        let (first, second) = (roles.get(&pair.watcher).map(|r| r.group), roles.get(&pair.checker).map(|r| r.group));
        let group = match (first, second) {
            (Some(one), Some(other)) if one != other => {
                roles.values_mut().filter(|role| role.group == other).for_each(|role| role.group = one);
                one
            }
            (Some(group), _) | (None, Some(group)) => group,
            (None, None) => {
                groups += 1;
                groups - 1
            }
        };
        let watcher = roles.entry(pair.watcher).or_default();
        (watcher.group, watcher.watches) = (group, true);
        let checker = roles.entry(pair.checker).or_default();
        (checker.group, checker.checks) = (group, true);
    }
    roles
}

/// The roles if any access may race with any.
fn everything(program: &Program) -> BTreeMap<At, Role> {
    let mut roles = BTreeMap::new();
    for (at, op) in instructions(program) {
        let watches = match op {
            Op::Load { tags, .. } | Op::Store { tags, .. } => is_plain(program, tags),
            Op::Rmw { .. } | Op::StoreConditional { .. } => false,
            Op::Assign { .. } | Op::Fence { .. } | Op::Assume { .. } | Op::System(_) => continue,
        };
        roles.insert(at, Role { group: 0, watches, checks: true });
    }
    roles
}

/// The cells of a group.
struct Watch {
    object: ObjectId,
    /// Whether somebody writes down the address of a write, of a read.
    writes: bool,
    reads: bool,
    /// Whether accesses may overlap that do not begin at one byte.
    mixed: bool,
}

impl Watch {
    fn new(result: &mut Program, group: usize, roles: &BTreeMap<At, Role>, program: &Program) -> Self {
        let watchers = roles.iter().filter(|(_, role)| role.group == group && role.watches);
        let kinds: Vec<bool> = watchers.filter_map(|(at, _)| access(at.op(program))).map(|(_, write)| write).collect();
        let mut sizes = roles.iter().filter(|(_, role)| role.group == group).filter_map(|(at, _)| size(*at, program));
        let first = sizes.next();
        let mixed = sizes.any(|size| Some(size) != first);
        let cell = |offset| Cell { offset, width: Width::WORD, initial: Expr::Const(0, Width::WORD) };
        let cells = vec![cell(WRITES), cell(READS)];
        result.objects.push(Object { name: format!("{NAME}{group}"), cells, shared: false, align: 8 });
        let object = ObjectId(result.objects.len() as u32 - 1);
        Watch { object, writes: kinds.contains(&true), reads: kinds.contains(&false), mixed }
    }
}

/// The locals that watchpoints of a function need.
#[derive(Clone, Copy)]
struct Own {
    here: LocalId,
    watch: LocalId,
    seen: LocalId,
    byte: LocalId,
}

/// Rewrites a function.
struct Builder<'a> {
    program: &'a Program,
    function: Function,
    own: Option<Own>,
    atomic: &'a TagSet,
    cells: &'a [Watch],
}

impl Builder<'_> {
    fn rewrite(&mut self, id: FunctionId, roles: &BTreeMap<At, Role>) {
        let count = self.function.blocks.len();
        for block in 0..count {
            let Block { instrs, terminator } =
                std::mem::replace(&mut self.function.blocks[block], empty(Terminator::Return(None)));
            let mut here = block;
            for (index, instr) in instrs.into_iter().enumerate() {
                let at = At { function: id, block: BlockId(block as u32), index };
                if let (Some(role), Some((addr, write))) = (roles.get(&at), access(&instr.op)) {
                    let size = size(at, self.program).unwrap_or(1);
                    here = self.watchpoint(here, *role, (addr.clone(), write, size), instr.span);
                }
                let op = match instr.op {
                    Op::System(System::Assert { condition, .. }) => Op::Assume { condition, waits: false },
                    Op::System(System::Critical { .. }) => continue,
                    op @ (Op::Assign { .. }
                    | Op::Load { .. }
                    | Op::Store { .. }
                    | Op::Rmw { .. }
                    | Op::StoreConditional { .. }
                    | Op::Fence { .. }
                    | Op::Assume { .. }
                    | Op::System(_)) => op,
                };
                self.function.blocks[here].instrs.push(Instr { op, span: instr.span });
            }
            self.function.blocks[here].terminator = terminator;
        }
    }

    fn block(&mut self, block: Block) -> BlockId {
        self.function.blocks.push(block);
        BlockId(self.function.blocks.len() as u32 - 1)
    }

    fn own(&mut self) -> Own {
        if let Some(own) = self.own {
            return own;
        }
        let mut local = |name: &str, width| {
            self.function.locals.push(Local { name: name.to_owned(), width });
            LocalId(self.function.locals.len() as u32 - 1)
        };
        let (here, watch) = (local("%here", Width::BOOL), local("%watch", Width::BOOL));
        let (seen, byte) = (local("%seen", Width::WORD), local("%byte", BYTE));
        *self.own.insert(Own { here, watch, seen, byte })
    }

    /// Puts a watchpoint behind what a block has; gives the block that goes on.
    fn watchpoint(&mut self, block: usize, role: Role, (addr, write, size): (Expr, bool, u64), span: Span) -> usize {
        let Own { here, watch, seen: _, byte: _ } = self.own();
        let next = self.block(empty(Terminator::Return(None)));
        let choose = |dst| Instr { op: Op::System(System::Nondet { dst }), span };
        let branch = |condition, then, otherwise, join| Terminator::Branch {
            condition: Expr::Local(condition),
            then,
            otherwise,
            join,
            span,
        };
        let stop = match (role.watches, role.checks) {
            (true, true) => {
                let (watches, checks) =
                    (self.watch(role, (&addr, write, size), span), self.check(role, (&addr, write, size), span));
                self.block(Block { instrs: vec![choose(watch)], terminator: branch(watch, watches, checks, None) })
            }
            (true, false) => self.watch(role, (&addr, write, size), span),
            (false, _) => self.check(role, (&addr, write, size), span),
        };
        self.function.blocks[block].instrs.push(choose(here));
        self.function.blocks[block].terminator = branch(here, stop, next, Some(next));
        next.index()
    }

    /// The address that is written down or compared, and what comes before: where sizes differ, that of any byte of the access.
    fn address(&mut self, role: Role, (addr, size): (&Expr, u64), span: Span) -> (Expr, Vec<Instr>) {
        if !self.cells[role.group].mixed || size == 1 {
            return (addr.clone(), Vec::new());
        }
        let Own { byte, .. } = self.own();
        let inside = Expr::Local(byte).binary(BinaryOp::ULt, Expr::Const(size, BYTE));
        let choose = Op::System(System::Nondet { dst: byte });
        let before = [choose, Op::Assume { condition: inside, waits: false }].map(|op| Instr { op, span }).to_vec();
        let step = Expr::Local(byte).unary(UnaryOp::ZeroExtend(Width::WORD));
        (addr.clone().binary(BinaryOp::Add, step), before)
    }

    fn watch(&mut self, role: Role, (addr, write, size): (&Expr, bool, u64), span: Span) -> BlockId {
        let (addr, mut instrs) = self.address(role, (addr, size), span);
        let cell = Expr::Address(self.cells[role.group].object, if write { WRITES } else { READS });
        let store = Op::Store { addr: cell, value: addr, tags: self.atomic.clone() };
        instrs.extend([Instr { op: store, span }, stop(span)]);
        self.block(Block { instrs, terminator: Terminator::Exit(None) })
    }

    fn check(&mut self, role: Role, (addr, write, size): (&Expr, bool, u64), span: Span) -> BlockId {
        let Own { seen, .. } = self.own();
        let (addr, mut instrs) = self.address(role, (addr, size), span);
        let Watch { object, writes, reads, mixed: _ } = self.cells[role.group];
        let offsets = [(WRITES, writes), (READS, reads && write)];
        for (offset, _) in offsets.into_iter().filter(|(_, used)| *used) {
            let cell = Expr::Address(object, offset);
            let load = Op::Load { dst: seen, addr: cell, tags: self.atomic.clone(), reserve: false };
            let other = Expr::Local(seen).binary(BinaryOp::Ne, addr.clone());
            let nowhere = addr.clone().binary(BinaryOp::Eq, Expr::Const(0, Width::WORD));
            let condition = other.binary(BinaryOp::Or, nowhere);
            let assert = Op::System(System::Assert { condition, message: RACE.to_owned() });
            instrs.extend([load, assert].map(|op| Instr { op, span }));
        }
        instrs.push(stop(span));
        self.block(Block { instrs, terminator: Terminator::Exit(None) })
    }
}

fn empty(terminator: Terminator) -> Block {
    Block { instrs: Vec::new(), terminator }
}

/// The thread goes no further.
fn stop(span: Span) -> Instr {
    Instr { op: Op::Assume { condition: Expr::Const(0, Width::BOOL), waits: false }, span }
}
