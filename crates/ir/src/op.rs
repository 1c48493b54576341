//! Instructions: what kinds there are, and what every reader of programs asks of each.
//!
//! A new kind of instruction is described here; besides, whoever executes programs has to know what it does.

use crate::expr::{Expr, Width};
use crate::life::Storage;
use crate::print::{expr, tags};
use crate::program::{Cell, Function, FunctionId, LocalId, Program, TagSet};
use crate::validate::Checker;

/// What an instruction does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// `dst := value`.
    Assign {
        /// The local that changes.
        dst: LocalId,
        /// Its new value.
        value: Expr,
    },
    /// Read the cell at `addr`: one read event.
    Load {
        /// The local that takes the value.
        dst: LocalId,
        /// Which cell.
        addr: Expr,
        /// The tags of the read.
        tags: TagSet,
        /// Whether this opens a reservation for a [`Op::StoreConditional`].
        reserve: bool,
    },
    /// Write the cell at `addr`: one write event.
    Store {
        /// Which cell.
        addr: Expr,
        /// What to write.
        value: Expr,
        /// The tags of the write.
        tags: TagSet,
    },
    /// Read the cell at `addr` and, if `when` holds, write it in the same atomic step.
    ///
    /// `when` and `value` may mention `dst`, which then stands for the value just read.
    Rmw {
        /// The local that takes the value read.
        dst: LocalId,
        /// Which cell.
        addr: Expr,
        /// Whether the write happens; always, if there is none.
        when: Option<Expr>,
        /// What to write.
        value: Expr,
        /// The tags of the read.
        read_tags: TagSet,
        /// The tags of the write.
        write_tags: TagSet,
    },
    /// Write the cell at `addr` if the reservation of the last reserving load of the thread stands.
    ///
    /// It may fail for no reason. It must fail when there is no reservation, when the reservation is for another cell,
    /// and when another thread's write to the cell came between. Either way the reservation is gone.
    StoreConditional {
        /// A truth value: whether it succeeded.
        success: LocalId,
        /// Which cell.
        addr: Expr,
        /// What to write.
        value: Expr,
        /// The tags of the write.
        tags: TagSet,
        /// What its outcome depends on.
        status: Status,
    },
    /// A fence: one event that touches no memory.
    Fence {
        /// Which fence it is.
        tags: TagSet,
    },
    /// Where the truth value `condition` does not hold, the thread stops here for ever. Others go on.
    ///
    /// In an atomic section (see [`System::AtomicBegin`]) it is the section that does not take place: the thread stops
    /// before it.
    Assume {
        /// What must hold.
        condition: Expr,
        /// Whether this is a wait (for a lock, for a condition) that another thread may end, so that a thread that
        /// stops here is deadlocked; otherwise it is a path that nobody asks about.
        waits: bool,
    },
    /// What only programs do that have functions and start threads.
    System(System),
}

/// What the outcome of a store-conditional depends on, as far as dependencies between accesses go. Machines differ in when they
/// know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// On what the addresses of the pair and the value were computed from, as on Power. These are also what the write
    /// depends on.
    Operands,
    /// On the write itself, as on RISC-V; a failure depends on nothing.
    Write,
    /// On nothing, as on Arm, where the outcome may be known before the pair takes place.
    Nothing,
}

/// What only programs do that have functions and start threads: those from C, not those from litmus tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum System {
    /// Call a function. Its locals are new: the parameters have these values, the others are zero.
    Call {
        /// The local that takes the result.
        dst: Option<LocalId>,
        /// Which function.
        function: FunctionId,
        /// As many as it has parameters.
        args: Vec<Expr>,
    },
    /// `dst` takes any value.
    Nondet {
        /// The local that changes.
        dst: LocalId,
    },
    /// The property: where the truth value `condition` does not hold, the program is wrong and stops.
    Assert {
        /// What must hold.
        condition: Expr,
        /// What the report calls it: `x == 1`, `reach_error()`.
        message: String,
    },
    /// The same where nothing that comes after waits for the outcome: the program is wrong where `condition` does not hold, and
    /// the thread may go on all the same. A machine that lets writes overtake reads may have done what comes after before it fails.
    Check {
        /// What must hold.
        condition: Expr,
        /// What the report calls it.
        message: String,
    },
    /// Start a thread. All that the thread does comes after, in program order, what this one did before.
    Spawn {
        /// The local, a word, that takes the thread's handle: not zero, and different for each thread.
        dst: LocalId,
        /// What it runs.
        function: FunctionId,
        /// As many as the function has parameters.
        args: Vec<Expr>,
    },
    /// Wait for a thread to end. All that this one does from here on comes after, in program order, what that one did.
    ///
    /// Waits for ever if `thread` is not the handle of a thread, or is the own one.
    Join {
        /// Its handle.
        thread: Expr,
        /// The local, a word, that takes what it returned.
        result: Option<LocalId>,
    },
    /// `dst`, a word, takes the handle of this thread. That of the first one is 1.
    Current {
        /// The local that changes.
        dst: LocalId,
    },
    /// Make a new object. Each execution of this makes another object.
    Alloc {
        /// The local, a word, that takes its address.
        dst: LocalId,
        /// How it is called in reports: the variable's name, or `malloc` and the line.
        name: String,
        /// How many bytes it has.
        size: Expr,
        /// The cells, if the type is known; their initial values do not count. Otherwise accesses make the cells: the
        /// first one to touch a byte says how wide the cell is.
        cells: Option<Vec<Cell>>,
        /// Whether it holds zeros at first; otherwise each cell holds any value.
        zeroed: bool,
        /// What its address is a multiple of.
        align: u64,
        /// How long it lives.
        storage: Storage,
    },
    /// From here to the matching end, no other thread comes between. Sections can be nested: only the outermost counts.
    AtomicBegin,
    /// The end of an atomic section.
    AtomicEnd,
    /// The thread enters or leaves a critical section; no event. A thread is *inside* from an enter to the next leave, or
    /// to its end. Entering while inside and leaving while outside change nothing.
    ///
    /// The property: two threads are never inside at once. A (partial) execution violates it if two threads, each of
    /// them stopped anywhere but in an atomic section, are inside where they stop.
    Critical {
        /// Whether it enters; else it leaves.
        enter: bool,
    },
    /// A wait begins: what is read from here on, up to the [`Op::Assume`] that waits, is read again and again. What was read
    /// before stays as it was read.
    Await,
    /// Other threads may exist from here on. Until then a program that [begins alone](Program::begins_alone) makes no
    /// events, and the initial values of its executions are what memory holds here. It is executed once at most.
    Publish,
}

/// The expressions of an instruction, by when they are evaluated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Operands<'a> {
    /// Before the local that it defines has its new value.
    pub before: Vec<&'a Expr>,
    /// With the new value of that local: what a read-modify-write makes of what it has read.
    pub after: Vec<&'a Expr>,
}

impl Op {
    /// The local that takes a value.
    pub fn defines(&self) -> Option<LocalId> {
        match self {
            Op::Assign { dst, .. } | Op::Load { dst, .. } | Op::Rmw { dst, .. } => Some(*dst),
            Op::StoreConditional { success, .. } => Some(*success),
            Op::Store { .. } | Op::Fence { .. } | Op::Assume { .. } => None,
            Op::System(system) => match system {
                System::Call { dst, .. } | System::Join { result: dst, .. } => *dst,
                System::Nondet { dst }
                | System::Current { dst }
                | System::Spawn { dst, .. }
                | System::Alloc { dst, .. } => Some(*dst),
                System::Assert { .. }
                | System::Check { .. }
                | System::AtomicBegin
                | System::AtomicEnd
                | System::Critical { .. }
                | System::Await
                | System::Publish => None,
            },
        }
    }

    /// What it evaluates.
    pub fn operands(&self) -> Operands<'_> {
        let before = match self {
            Op::Assign { value, .. } => vec![value],
            Op::Load { addr, .. } => vec![addr],
            Op::Store { addr, value, .. } | Op::StoreConditional { addr, value, .. } => vec![addr, value],
            Op::Rmw { addr, when, value, .. } => {
                return Operands { before: vec![addr], after: when.iter().chain([value]).collect() };
            }
            Op::Fence { .. } => Vec::new(),
            Op::Assume { condition, .. } => vec![condition],
            Op::System(system) => match system {
                System::Call { args, .. } | System::Spawn { args, .. } => args.iter().collect(),
                System::Assert { condition: value, .. }
                | System::Check { condition: value, .. }
                | System::Join { thread: value, .. }
                | System::Alloc { size: value, .. } => vec![value],
                System::Nondet { .. }
                | System::Current { .. }
                | System::AtomicBegin
                | System::AtomicEnd
                | System::Critical { .. }
                | System::Await
                | System::Publish => Vec::new(),
            },
        };
        Operands { before, after: Vec::new() }
    }

    /// Where it reads or writes memory.
    pub fn address(&self) -> Option<&Expr> {
        match self {
            Op::Load { addr, .. }
            | Op::Store { addr, .. }
            | Op::Rmw { addr, .. }
            | Op::StoreConditional { addr, .. } => Some(addr),
            Op::Assign { .. } | Op::Fence { .. } | Op::Assume { .. } | Op::System(_) => None,
        }
    }

    /// All expressions in it.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let Operands { before, after } = self.operands();
        before.into_iter().chain(after)
    }

    /// Whether others may notice when this happens.
    pub fn is_visible(&self) -> bool {
        match self {
            Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::StoreConditional { .. } | Op::Fence { .. } => {
                true
            }
            Op::Assign { .. } | Op::Assume { .. } => false,
            Op::System(system) => match system {
                System::Call { .. }
                | System::Spawn { .. }
                | System::Join { .. }
                | System::AtomicBegin
                | System::AtomicEnd
                | System::Critical { .. }
                | System::Publish => true,
                System::Await
                | System::Nondet { .. }
                | System::Assert { .. }
                | System::Check { .. }
                | System::Current { .. }
                | System::Alloc { .. } => false,
            },
        }
    }

    /// The instruction as text.
    pub(crate) fn text(&self, program: &Program, function: &Function) -> String {
        let name = |local: LocalId| &function.locals[local.index()].name;
        let show = |e: &Expr| expr(program, function, e);
        match self {
            Op::Assign { dst, value } => format!("{} := {}", name(*dst), show(value)),
            Op::Load { dst, addr, tags: t, reserve } => {
                let verb = if *reserve { "reserve" } else { "load" };
                format!("{} := {verb} {}{}", name(*dst), show(addr), tags(program, t))
            }
            Op::Store { addr, value, tags: t } => {
                format!("store {} := {}{}", show(addr), show(value), tags(program, t))
            }
            Op::Rmw { dst, addr, when, value, read_tags, write_tags } => format!(
                "{} := rmw {} := {}{}{}{}",
                name(*dst),
                show(addr),
                show(value),
                when.as_ref().map_or(String::new(), |w| format!(" when {}", show(w))),
                tags(program, read_tags),
                tags(program, write_tags),
            ),
            Op::StoreConditional { success, addr, value, tags: t, status: _ } => {
                format!("{} := store-conditional {} := {}{}", name(*success), show(addr), show(value), tags(program, t))
            }
            Op::Fence { tags: t } => format!("fence{}", tags(program, t)),
            Op::Assume { condition, waits } => {
                let verb = if *waits { "wait" } else { "assume" };
                format!("{verb} {}", show(condition))
            }
            Op::System(system) => system.text(program, function),
        }
    }

    /// Whether locals exist and widths agree.
    pub(crate) fn validate(&self, checker: &Checker<'_>) -> Result<(), String> {
        match self {
            Op::Assign { dst, value } => checker.expect(value, checker.local(*dst)?),
            Op::Load { dst, addr, tags: _, reserve: _ } => {
                checker.local(*dst)?;
                checker.expect(addr, Width::WORD)
            }
            Op::Store { addr, value, tags: _ } => {
                checker.width(value)?;
                checker.expect(addr, Width::WORD)
            }
            Op::Rmw { dst, addr, when, value, read_tags: _, write_tags: _ } => {
                checker.expect(value, checker.local(*dst)?)?;
                if let Some(when) = when {
                    checker.expect(when, Width::BOOL)?;
                }
                checker.expect(addr, Width::WORD)
            }
            Op::StoreConditional { success, addr, value, tags: _, status: _ } => {
                checker.width(value)?;
                checker.expect(addr, Width::WORD)?;
                if checker.local(*success)? == Width::BOOL {
                    Ok(())
                } else {
                    Err("success is a truth value".to_owned())
                }
            }
            Op::Fence { tags: _ } => Ok(()),
            Op::Assume { condition, waits: _ } => checker.expect(condition, Width::BOOL),
            Op::System(system) => system.validate(checker),
        }
    }
}

impl System {
    fn text(&self, program: &Program, function: &Function) -> String {
        let name = |local: LocalId| &function.locals[local.index()].name;
        let show = |e: &Expr| expr(program, function, e);
        let callee = |id: FunctionId| &program.functions[id.index()].name;
        let list = |args: &[Expr]| args.iter().map(show).collect::<Vec<_>>().join(", ");
        match self {
            System::Call { dst, function, args } => {
                let dst = dst.map_or(String::new(), |dst| format!("{} := ", name(dst)));
                format!("{dst}call {}({})", callee(*function), list(args))
            }
            System::Nondet { dst } => format!("{} := any", name(*dst)),
            System::Assert { condition, message } => format!("assert {} as {message:?}", show(condition)),
            System::Check { condition, message } => format!("check {} as {message:?}", show(condition)),
            System::Spawn { dst, function, args } => {
                format!("{} := spawn {}({})", name(*dst), callee(*function), list(args))
            }
            System::Join { thread, result } => {
                let result = result.map_or(String::new(), |dst| format!("{} := ", name(dst)));
                format!("{result}join {}", show(thread))
            }
            System::Current { dst } => format!("{} := current thread", name(*dst)),
            System::Alloc { dst, name: object, size, cells: _, zeroed, align: _, storage: _ } => {
                let zeroed = if *zeroed { " zeroed" } else { "" };
                format!("{} := alloc {object} of {}{zeroed}", name(*dst), show(size))
            }
            System::AtomicBegin => "atomic {".to_owned(),
            System::AtomicEnd => "} atomic".to_owned(),
            System::Await => "await".to_owned(),
            System::Critical { enter: true } => "critical {".to_owned(),
            System::Critical { enter: false } => "} critical".to_owned(),
            System::Publish => "publish".to_owned(),
        }
    }

    fn validate(&self, checker: &Checker<'_>) -> Result<(), String> {
        let word = |local: LocalId| match checker.local(local)? {
            Width::WORD => Ok(()),
            _ => Err("a handle or an address is a word".to_owned()),
        };
        match self {
            System::Call { dst, function, args } => {
                dst.map_or(Ok(()), |dst| checker.local(dst).map(|_| ()))?;
                checker.arguments(*function, args)
            }
            System::Nondet { dst } => checker.local(*dst).map(|_| ()),
            System::Assert { condition, message: _ } | System::Check { condition, message: _ } => {
                checker.expect(condition, Width::BOOL)
            }
            System::Spawn { dst, function, args } => {
                word(*dst)?;
                checker.arguments(*function, args)
            }
            System::Join { thread, result } => {
                result.map_or(Ok(()), word)?;
                checker.expect(thread, Width::WORD)
            }
            System::Current { dst } => word(*dst),
            System::Alloc { dst, name: _, size, cells: _, zeroed: _, align: _, storage: _ } => {
                word(*dst)?;
                checker.expect(size, Width::WORD)
            }
            System::AtomicBegin
            | System::AtomicEnd
            | System::Critical { enter: _ }
            | System::Await
            | System::Publish => Ok(()),
        }
    }
}
