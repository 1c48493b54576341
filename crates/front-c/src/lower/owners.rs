//! Whether each mutex is unlocked by the thread that locked it, as one can see.
//!
//! Who unlocks a normal mutex must be the one that has it. In most programs that is evident: on every way to an unlock there is
//! a lock of the same mutex, by the same thread. This is a walk over the functions from where threads begin, with
//! the mutexes that are surely held. Where it does not suffice, a mutex says who has it, which is exact and costs more: threads that
//! do the same can then be told apart.

use ir::{Expr, Function, FunctionId, LocalId, Op, Program, System, Terminator};
use std::collections::{BTreeMap, BTreeSet};

/// What a function of the library does to the mutex that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Takes it.
    Lock,
    /// Gives it back.
    Unlock,
    /// Gives it back and takes it again.
    Wait,
}

/// The functions of the library that lock and unlock, what each does, and which argument is the mutex, from the last on.
pub(crate) const FUNCTIONS: &[(&str, Role, usize)] = &[
    ("pthread_mutex_lock", Role::Lock, 0),
    ("mtx_lock", Role::Lock, 0),
    ("pthread_mutex_unlock", Role::Unlock, 0),
    ("mtx_unlock", Role::Unlock, 0),
    ("pthread_cond_wait", Role::Wait, 0),
    ("cnd_wait", Role::Wait, 0),
    ("pthread_cond_timedwait", Role::Wait, 1),
    ("pthread_cond_clockwait", Role::Wait, 2),
    ("cnd_timedwait", Role::Wait, 1),
];

/// More walks through functions than this are not made.
const WALKS: usize = 2000;

/// The mutexes that this thread holds for certain, by the expressions that give their addresses.
type Held = Vec<Expr>;

/// A function, and the constant addresses of mutexes that are held when it begins.
type Entry = (FunctionId, Vec<(u32, u64)>);

/// Whether every unlock is evidently by the thread that locked.
pub(crate) fn evident(program: &Program, roles: &[(FunctionId, Role, usize)]) -> bool {
    let unlocks = |op: &Op| match op {
        Op::System(System::Call { function, .. }) => {
            roles.iter().any(|(known, role, _)| known == function && *role != Role::Lock)
        }
        _ => false,
    };
    let mut all = program.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.instrs);
    if !all.any(|instr| unlocks(&instr.op)) {
        return true;
    }
    let mut walk = Walk { program, roles, known: BTreeMap::new(), open: BTreeSet::new(), walks: 0 };
    let mut starts: Vec<FunctionId> = program.threads.iter().map(|thread| thread.body).collect();
    for block in program.functions.iter().flat_map(|function| &function.blocks) {
        starts.extend(block.instrs.iter().filter_map(|instr| match &instr.op {
            Op::System(System::Spawn { function, .. }) => Some(*function),
            _ => None,
        }));
    }
    starts.into_iter().all(|start| walk.function(start, Vec::new()).is_ok())
}

/// An unlock was met that is not evident.
struct Doubt;

struct Walk<'a> {
    program: &'a Program,
    roles: &'a [(FunctionId, Role, usize)],
    /// What each function leaves held, if it returns, by what was held when it began.
    known: BTreeMap<Entry, Option<Held>>,
    /// The functions that are being walked through.
    open: BTreeSet<FunctionId>,
    walks: usize,
}

impl Walk<'_> {
    /// Walks through a function with the mutexes held that have constant addresses. Gives those that are held at its end.
    fn function(&mut self, id: FunctionId, held: Held) -> Result<Option<Held>, Doubt> {
        let mut key: Vec<(u32, u64)> = held.iter().filter_map(constant).collect();
        key.sort_unstable();
        if let Some(known) = self.known.get(&(id, key.clone())) {
            return Ok(known.clone());
        }
        self.walks += 1;
        if self.walks > WALKS || !self.open.insert(id) {
            return Err(Doubt);
        }
        let result = self.body(&self.program.functions[id.index()], held);
        self.open.remove(&id);
        self.known.insert((id, key), result.as_ref().ok().cloned().flatten());
        result
    }

    fn body(&mut self, function: &Function, held: Held) -> Result<Option<Held>, Doubt> {
        let mut incoming: Vec<Option<Held>> = vec![None; function.blocks.len()];
        incoming[0] = Some(held);
        let mut work = vec![0];
        let mut left: BTreeMap<usize, Held> = BTreeMap::new();
        while let Some(at) = work.pop() {
            let Some(mut held) = incoming[at].clone() else { continue };
            let block = &function.blocks[at];
            let mut goes_on = true;
            for instr in &block.instrs {
                goes_on = self.op(&instr.op, &mut held)?;
                if !goes_on {
                    break;
                }
            }
            if !goes_on {
                continue;
            }
            if let Terminator::Return(_) = block.terminator {
                left.insert(at, held.iter().filter(|mutex| constant(mutex).is_some()).cloned().collect());
            }
            for next in block.terminator.successors() {
                let entry = &mut incoming[next.index()];
                let merged = match entry {
                    None => held.clone(),
                    Some(before) => common(before, &held),
                };
                if entry.as_ref() != Some(&merged) {
                    *entry = Some(merged);
                    work.push(next.index());
                }
            }
        }
        Ok(left.into_values().reduce(|one, other| common(&one, &other)))
    }

    /// What an instruction does to the mutexes that are held. Gives whether the thread goes on.
    fn op(&mut self, op: &Op, held: &mut Held) -> Result<bool, Doubt> {
        if let Op::System(System::Call { function, args, .. }) = op {
            let role = self.roles.iter().find(|(known, ..)| known == function);
            let mutex = role.and_then(|(_, _, from)| args.len().checked_sub(from + 1).map(|at| &args[at]));
            match (role, mutex) {
                (Some((_, Role::Lock, _)), Some(mutex)) => held.push(mutex.clone()),
                (Some((_, role, _)), Some(mutex)) => {
                    let at = held.iter().position(|known| known == mutex).ok_or(Doubt)?;
                    if *role == Role::Unlock {
                        held.swap_remove(at);
                    }
                }
                (Some(_), None) => return Err(Doubt),
                (None, _) => {
                    let own: Held = held.iter().filter(|mutex| constant(mutex).is_some()).cloned().collect();
                    let Some(left) = self.function(*function, own)? else { return Ok(false) };
                    held.retain(|mutex| constant(mutex).is_none());
                    held.extend(left);
                }
            }
        }
        if let Some(local) = op.defines() {
            held.retain(|mutex| !mentions(mutex, local));
        }
        Ok(true)
    }
}

/// What is held on both of two ways, as often as on each.
fn common(one: &[Expr], other: &[Expr]) -> Held {
    let mut rest: Vec<&Expr> = other.iter().collect();
    let both = |mutex: &&Expr| {
        let found = rest.iter().position(|known| known == mutex);
        found.map(|at| rest.swap_remove(at)).is_some()
    };
    one.iter().filter(both).cloned().collect()
}

fn constant(mutex: &Expr) -> Option<(u32, u64)> {
    match mutex {
        Expr::Address(object, offset) => Some((object.0, *offset)),
        Expr::Const(..) | Expr::Local(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => None,
    }
}

fn mentions(mutex: &Expr, local: LocalId) -> bool {
    let mut found = false;
    mutex.for_each_local(&mut |mentioned| found |= mentioned == local);
    found
}
