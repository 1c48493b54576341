//! The way of a thread through its functions: which locks it has at each access, and which threads may run then.
//!
//! Calls are followed with what is known at each of them, so a function that locks what it is given is as good as the lock itself. Each function
//! is executed once for each state in which it is entered.

use crate::points::{Points, Target, Targets, bytes, evaluate};
use crate::state::{Lock, Mode, State};
use crate::threads::{Class, Classes, MAIN};
use crate::{At, is_plain};
use ir::{BlockId, Expr, FunctionId, LocalId, Op, Program, System, Terminator};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// How many blocks are executed before the analysis gives up.
const PATIENCE: u32 = 200_000;

/// An access, by a thread of some class in some state.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Access {
    pub class: Class,
    pub at: At,
    pub targets: Targets,
    pub size: u64,
    pub write: bool,
    /// By its kind or by an atomic section.
    pub atomic: bool,
    pub locks: BTreeMap<Lock, Mode>,
    pub alive: BTreeSet<Class>,
}

/// What a call does to a lock.
enum Effect {
    Lock(Mode),
    Try(Mode),
    Unlock,
    Nothing,
}

/// What a function of the library does to the lock that its first argument points to. A wait for a condition variable gives the lock back and
/// takes it again.
fn effect(name: &str) -> Effect {
    match name {
        "pthread_mutex_lock" | "pthread_spin_lock" | "mtx_lock" | "pthread_rwlock_wrlock" => {
            Effect::Lock(Mode::Exclusive)
        }
        "pthread_rwlock_rdlock" => Effect::Lock(Mode::Shared),
        "pthread_mutex_trylock"
        | "pthread_mutex_timedlock"
        | "pthread_mutex_clocklock"
        | "pthread_spin_trylock"
        | "pthread_rwlock_trywrlock"
        | "pthread_rwlock_timedwrlock"
        | "mtx_trylock"
        | "mtx_timedlock" => Effect::Try(Mode::Exclusive),
        "pthread_rwlock_tryrdlock" | "pthread_rwlock_timedrdlock" => Effect::Try(Mode::Shared),
        "pthread_mutex_unlock"
        | "pthread_spin_unlock"
        | "mtx_unlock"
        | "pthread_rwlock_unlock"
        | "pthread_mutex_init"
        | "pthread_spin_init"
        | "mtx_init"
        | "pthread_rwlock_init" => Effect::Unlock,
        _ => Effect::Nothing,
    }
}

/// The walk over all threads.
pub(crate) struct Walk<'a> {
    program: &'a Program,
    points: &'a Points<'a>,
    classes: &'a Classes,
    /// The accesses found.
    pub accesses: BTreeSet<Access>,
    /// Which classes may have threads where a thread is started.
    pub alive: BTreeMap<At, BTreeSet<Class>>,
    /// What is left of each class's own threads when it ends.
    ends: BTreeMap<Class, BTreeSet<Class>>,
    /// Where locks are that somebody may give back who need not have them: they protect nothing.
    pub loose: Targets,
    known: FxHashMap<(Class, FunctionId, State), Option<State>>,
    /// The functions being executed, and whether anything may hold there.
    stack: Vec<(FunctionId, bool)>,
    class: Class,
    walking: BTreeSet<Class>,
    exits: BTreeSet<Class>,
    work: u32,
}

impl<'a> Walk<'a> {
    pub fn new(program: &'a Program, points: &'a Points<'a>, classes: &'a Classes) -> Self {
        Walk {
            program,
            points,
            classes,
            accesses: BTreeSet::new(),
            alive: BTreeMap::new(),
            ends: BTreeMap::new(),
            loose: Targets::new(),
            known: FxHashMap::default(),
            stack: Vec::new(),
            class: MAIN,
            walking: BTreeSet::new(),
            exits: BTreeSet::new(),
            work: 0,
        }
    }

    /// Follows the threads of a class; nothing comes back if the analysis gives up.
    pub fn class(&mut self, class: Class) -> Option<()> {
        if self.ends.contains_key(&class) {
            return Some(());
        }
        if !self.walking.insert(class) {
            // It is started, in the end, by itself: whatever it starts may be left.
            self.ends.insert(class, self.classes.descendants[class as usize].clone());
            return Some(());
        }
        let outer = (self.class, std::mem::take(&mut self.stack), std::mem::take(&mut self.exits));
        self.class = class;
        let end = self.function(self.classes.roots[class as usize], State::default())?;
        let mut left = std::mem::take(&mut self.exits);
        left.extend(end.into_iter().flat_map(|state| state.alive));
        (self.class, self.stack, self.exits) = outer;
        self.ends.entry(class).or_insert(left);
        Some(())
    }

    /// Executes a function; nothing comes back if the analysis gives up, no state if the function does not return.
    fn function(&mut self, function: FunctionId, entry: State) -> Option<Option<State>> {
        let key = (self.class, function, entry.clone());
        if let Some(known) = self.known.get(&key) {
            return Some(known.clone());
        }
        let worst = State { alive: self.classes.descendants[self.class as usize].clone(), ..State::default() };
        let unsure = entry == worst;
        if self.stack.contains(&(function, true)) {
            return Some(Some(worst));
        }
        if !unsure && self.stack.contains(&(function, false)) {
            // A function that calls itself may do so with any locks and any threads.
            self.function(function, worst.clone())?;
            return Some(Some(worst));
        }
        self.stack.push((function, unsure));
        let body = &self.program.functions[function.index()];
        let mut states: Vec<Option<State>> = vec![None; body.blocks.len()];
        let mut pending = BTreeSet::from([BlockId(0)]);
        states[0] = Some(entry);
        let mut end: Option<State> = None;
        while let Some(block) = pending.pop_first() {
            self.work += 1;
            if self.work > PATIENCE {
                return None;
            }
            let Some(mut state) = states[block.index()].clone() else { continue };
            let mut goes_on = true;
            for (index, instr) in body.blocks[block.index()].instrs.iter().enumerate() {
                let at = At { function, block, index };
                goes_on = self.op(at, &instr.op, &mut state)?;
                if !goes_on {
                    break;
                }
            }
            if !goes_on {
                continue;
            }
            let mut go = |to: BlockId, state: State| {
                let old = states[to.index()].take();
                let new = old.as_ref().map_or_else(|| state.clone(), |old| old.join(&state));
                if old.as_ref() != Some(&new) {
                    pending.insert(to);
                }
                states[to.index()] = Some(new);
            };
            match &body.blocks[block.index()].terminator {
                Terminator::Goto(to) => go(*to, state),
                Terminator::Branch { condition, then, otherwise, .. } => {
                    let mut other = state.clone();
                    state.branch(condition, true);
                    other.branch(condition, false);
                    go(*then, state);
                    go(*otherwise, other);
                }
                Terminator::Return(_) => end = Some(end.map_or_else(|| state.clone(), |end| end.join(&state))),
                Terminator::Exit(_) => self.exits.extend(state.alive),
                Terminator::Cut { .. } => {}
            }
        }
        self.stack.pop();
        self.known.insert(key, end.clone());
        Some(end)
    }

    /// What an expression may be.
    fn targets(&self, function: FunctionId, expr: &Expr, state: &State) -> Targets {
        evaluate(expr, &mut |local| match state.known.get(&local) {
            Some(&target) => Targets::from([target]),
            None => self.points.local(function, local).clone(),
        })
    }

    /// The lock at an address, if it is always the same.
    fn lock(&self, targets: &Targets) -> Option<Lock> {
        let mut targets = targets.iter();
        let (Some(Target::Byte(site, Some(offset))), None) = (targets.next(), targets.next()) else { return None };
        let once = self.points.allocation(*site).is_none_or(|at| self.classes.is_once(at));
        once.then_some((*site, *offset))
    }

    /// Executes an instruction; no truth value comes back if the analysis gives up, and that it does not end if it does not.
    fn op(&mut self, at: At, op: &Op, state: &mut State) -> Option<bool> {
        let body = &self.program.functions[at.function.index()];
        let size = |local: LocalId| bytes(body.locals[local.index()].width);
        match op {
            Op::Assign { dst, value } => {
                let tried = match value {
                    Expr::Local(from) => state.tried.get(from).copied(),
                    Expr::Const(..) | Expr::Address(..) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => None,
                };
                state.assign(*dst, state.known(value));
                tried.map(|tried| state.tried.insert(*dst, tried));
            }
            Op::Load { dst, addr, tags, .. } => {
                self.access(at, (addr, size(*dst)), false, is_plain(self.program, tags), state);
                state.assign(*dst, None);
            }
            Op::Store { addr, value, tags } | Op::StoreConditional { addr, value, tags, .. } => {
                let size = bytes(value.width(body));
                self.access(at, (addr, size), true, is_plain(self.program, tags), state);
                if let Op::StoreConditional { success, .. } = op {
                    state.assign(*success, None);
                }
            }
            Op::Rmw { dst, addr, .. } => {
                self.access(at, (addr, size(*dst)), true, false, state);
                state.assign(*dst, None);
            }
            Op::Fence { .. } | Op::Assume { .. } => {}
            Op::System(op) => return self.system(at, op, state),
        }
        Some(true)
    }

    fn access(&mut self, at: At, (addr, size): (&Expr, u64), write: bool, plain: bool, state: &State) {
        let targets = self.targets(at.function, addr, state);
        let atomic = !plain || state.depth > 0;
        let (class, locks, alive) = (self.class, state.locks.clone(), state.alive.clone());
        self.accesses.insert(Access { class, at, targets, size, write, atomic, locks, alive });
    }

    fn system(&mut self, at: At, op: &System, state: &mut State) -> Option<bool> {
        match op {
            System::Call { dst, function, args } => return self.call(at, (*dst, *function, args), state),
            System::Spawn { dst, .. } => {
                let number = self.points.spawn(at)?;
                let class = number + 1;
                self.class(class)?;
                self.alive.entry(at).or_default().extend(state.alive.iter().copied());
                state.alive.insert(class);
                state.alive.extend(&self.classes.descendants[class as usize]);
                state.assign(*dst, Some(Target::Thread(number)));
            }
            System::Join { thread, result } => {
                let mut handles = self.targets(at.function, thread, state).into_iter();
                if let (Some(Target::Thread(number)), None) = (handles.next(), handles.next())
                    && self.classes.single[number as usize + 1]
                {
                    let class = number + 1;
                    let left = self.ends.get(&class).cloned().unwrap_or_default();
                    // What it has started and not joined is left; others may have been started by others too.
                    let ended = |other: &Class| {
                        *other == class
                            || self.classes.descendants[class as usize].contains(other)
                                && !left.contains(other)
                                && self.classes.parents[*other as usize] == BTreeSet::from([class])
                    };
                    state.alive.retain(|other| !ended(other));
                }
                result.map(|result| state.assign(result, None));
            }
            System::Alloc { dst, .. } => {
                let site = self.points.site(at).map(|site| Target::Byte(site, Some(0)));
                state.assign(*dst, site);
            }
            System::Nondet { dst } | System::Current { dst } => state.assign(*dst, None),
            System::AtomicBegin => state.depth += 1,
            System::AtomicEnd => state.depth = state.depth.saturating_sub(1),
            System::Assert { .. }
            | System::Check { .. }
            | System::Critical { .. }
            | System::Await
            | System::Publish => {}
        }
        Some(true)
    }

    fn call(
        &mut self,
        at: At,
        (dst, callee, args): (Option<LocalId>, FunctionId, &[Expr]),
        state: &mut State,
    ) -> Option<bool> {
        let function = &self.program.functions[callee.index()];
        let locked = args.first().map(|arg| self.targets(at.function, arg, state)).unwrap_or_default();
        let mut entry = State { known: BTreeMap::new(), tried: BTreeMap::new(), ..state.clone() };
        for (param, arg) in args.iter().enumerate() {
            if let Some(value) = state.known(arg) {
                entry.known.insert(LocalId(param as u32), value);
            }
        }
        let Some(after) = self.function(callee, entry)? else { return Some(false) };
        (state.alive, state.depth) = (after.alive, after.depth);
        if let Some(dst) = dst {
            state.assign(dst, None);
        }
        if !function.library {
            state.locks = after.locks;
            // What was tried may have been given back there.
            state.tried.clear();
            return Some(true);
        }
        if self.program.functions[at.function.index()].library {
            return Some(true);
        }
        match effect(&function.name) {
            Effect::Lock(mode) => {
                if let Some(lock) = self.lock(&locked) {
                    state.locks.insert(lock, mode);
                }
            }
            Effect::Try(mode) => {
                if let (Some(lock), Some(dst)) = (self.lock(&locked), dst) {
                    state.tried.insert(dst, (lock, mode));
                }
            }
            Effect::Unlock => {
                let may = |&(site, offset): &Lock| {
                    let own = Target::Byte(site, Some(offset));
                    locked.iter().any(|target| crate::points::overlap(target, 1, &own, 1))
                };
                let owned = self.lock(&locked).is_some_and(|lock| state.locks.contains_key(&lock));
                let alone = self.class == MAIN && state.alive.is_empty();
                if !owned && !alone {
                    self.loose.extend(locked.iter().copied());
                }
                state.locks.retain(|lock, _| !may(lock));
                // What was tried before may have been given back since.
                state.tried.clear();
            }
            Effect::Nothing => {}
        }
        Some(true)
    }
}
