//! Where pointers may point: inclusion-based, after Andersen; neither the order of instructions nor callers are told apart.
//! Locations are bytes of objects of the program or of allocation sites; where an offset is not a constant, it is any.

use crate::At;
use ir::{BinaryOp, BlockId, Expr, Function, FunctionId, Op, Program, System, Terminator, UnaryOp, Width};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// An object of the program, or all objects that an instruction allocates: their numbers follow.
pub(crate) type Site = u32;

/// What a word may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Target {
    /// The address of a byte, or of any byte.
    Byte(Site, Option<u64>),
    /// The handle of a thread that this instruction starts, by its number.
    Thread(u32),
}

/// What a word may be, besides a number.
pub(crate) type Targets = BTreeSet<Target>;

/// More offsets into one site than this are all of them.
const OFFSETS: usize = 24;

/// How many expressions are evaluated before the analysis gives up.
const PATIENCE: u64 = 20_000_000;

/// Where everything may point.
#[derive(Debug)]
pub(crate) struct Points<'p> {
    program: &'p Program,
    /// For each function, its locals.
    locals: Vec<Vec<Targets>>,
    results: Vec<Targets>,
    /// What threads leave behind for those that join them.
    ends: Targets,
    /// What cells hold: by site, offset and size.
    contents: BTreeMap<Site, BTreeMap<(Option<u64>, u64), Targets>>,
    sites: FxHashMap<At, Site>,
    pub spawns: Vec<At>,
    numbers: FxHashMap<At, u32>,
    changed: bool,
    work: u64,
}

/// All instructions of a program, with their places.
pub(crate) fn instructions(program: &Program) -> impl Iterator<Item = (At, &Op)> {
    program.functions.iter().enumerate().flat_map(|(function, body)| {
        body.blocks.iter().enumerate().flat_map(move |(block, b)| {
            b.instrs.iter().enumerate().map(move |(index, instr)| {
                let at = At { function: FunctionId(function as u32), block: BlockId(block as u32), index };
                (at, &instr.op)
            })
        })
    })
}

/// How many bytes a value has.
pub(crate) fn bytes(width: Width) -> u64 {
    u64::from(width.bits().div_ceil(8))
}

/// Adds a target to a set; says whether it is new.
fn insert(set: &mut Targets, target: Target) -> bool {
    if set.contains(&target) {
        return false;
    }
    let Target::Byte(site, offset) = target else { return set.insert(target) };
    let any = Target::Byte(site, None);
    if set.contains(&any) {
        return false;
    }
    let same = |t: &Target| matches!(t, Target::Byte(other, _) if *other == site);
    if offset.is_some() && set.iter().filter(|t| same(t)).count() < OFFSETS {
        return set.insert(target);
    }
    set.retain(|t| !same(t));
    set.insert(any)
}

/// Adds targets to a set.
fn extend(set: &mut Targets, more: &Targets) {
    for &target in more {
        insert(set, target);
    }
}

/// The same objects, at any offset.
fn smear(set: &Targets) -> Targets {
    let mut result = Targets::new();
    for &target in set {
        match target {
            Target::Byte(site, _) => result.insert(Target::Byte(site, None)),
            Target::Thread(_) => result.insert(target),
        };
    }
    result
}

fn shift(set: &Targets, by: u64) -> Targets {
    let mut result = Targets::new();
    for &target in set {
        let moved = match target {
            Target::Byte(site, Some(offset)) => Target::Byte(site, Some(offset.wrapping_add(by))),
            Target::Byte(_, None) | Target::Thread(_) => target,
        };
        insert(&mut result, moved);
    }
    result
}

/// What an expression may be, where locals may be what `local` says.
pub(crate) fn evaluate(expr: &Expr, local: &mut dyn FnMut(ir::LocalId) -> Targets) -> Targets {
    match expr {
        Expr::Const(..) => Targets::new(),
        Expr::Local(of) => local(*of),
        Expr::Address(object, offset) => Targets::from([Target::Byte(object.0, Some(*offset))]),
        Expr::Unary(UnaryOp::ZeroExtend(_) | UnaryOp::SignExtend(_), operand) => evaluate(operand, local),
        Expr::Unary(UnaryOp::Truncate(to), operand) if *to == Width::WORD => evaluate(operand, local),
        Expr::Unary(UnaryOp::Not | UnaryOp::Neg | UnaryOp::Truncate(_), operand) => smear(&evaluate(operand, local)),
        Expr::Unary(UnaryOp::Life, operand) => {
            let life = |target: Target| match target {
                Target::Byte(site, _) => Target::Byte(site, Some(ir::life::LIFE)),
                Target::Thread(_) => target,
            };
            evaluate(operand, local).into_iter().map(life).collect()
        }
        Expr::Binary(op, ..) if op.is_comparison() => Targets::new(),
        Expr::Binary(op, left, right) => {
            let (a, b) = (evaluate(left, local), evaluate(right, local));
            match (op, &**left, &**right) {
                (BinaryOp::Add, _, Expr::Const(by, _)) => shift(&a, *by),
                (BinaryOp::Add, Expr::Const(by, _), _) => shift(&b, *by),
                (BinaryOp::Sub, _, Expr::Const(by, _)) => shift(&a, by.wrapping_neg()),
                _ => {
                    let mut all = smear(&a);
                    all.extend(smear(&b));
                    all
                }
            }
        }
        Expr::Select(_, then, otherwise) => {
            let mut all = evaluate(then, local);
            for target in evaluate(otherwise, local) {
                insert(&mut all, target);
            }
            all
        }
    }
}

impl<'p> Points<'p> {
    /// Analyses a program; nothing comes back if that takes too long.
    pub fn new(program: &'p Program) -> Option<Self> {
        let (mut sites, mut spawns, mut numbers) = (FxHashMap::default(), Vec::new(), FxHashMap::default());
        for (at, op) in instructions(program) {
            match op {
                Op::System(System::Alloc { .. }) => {
                    sites.insert(at, (program.objects.len() + sites.len()) as Site);
                }
                Op::System(System::Spawn { .. }) => {
                    numbers.insert(at, spawns.len() as u32);
                    spawns.push(at);
                }
                Op::Assign { .. }
                | Op::Load { .. }
                | Op::Store { .. }
                | Op::Rmw { .. }
                | Op::StoreConditional { .. }
                | Op::Fence { .. }
                | Op::Assume { .. }
                | Op::System(_) => {}
            }
        }
        let locals = program.functions.iter().map(|f| vec![Targets::new(); f.locals.len()]).collect();
        let results = vec![Targets::new(); program.functions.len()];
        let (ends, contents) = (Targets::new(), BTreeMap::new());
        let mut points =
            Points { program, locals, results, ends, contents, sites, spawns, numbers, changed: true, work: 0 };
        for (object, o) in program.objects.iter().enumerate() {
            for cell in &o.cells {
                let initial = evaluate(&cell.initial, &mut |_| Targets::new());
                points.write(
                    &Targets::from([Target::Byte(object as u32, Some(cell.offset))]),
                    bytes(cell.width),
                    &initial,
                );
            }
        }
        while std::mem::take(&mut points.changed) {
            for (at, op) in instructions(program) {
                points.op(at, op);
            }
            for at in 0..program.functions.len() {
                points.leave(FunctionId(at as u32));
            }
            if points.work > PATIENCE {
                return None;
            }
        }
        Some(points)
    }

    /// The site of an allocation.
    pub fn site(&self, at: At) -> Option<Site> {
        self.sites.get(&at).copied()
    }

    /// The allocation of a site, if it is not an object of the program.
    pub fn allocation(&self, site: Site) -> Option<At> {
        self.sites.iter().find(|&(_, &other)| other == site).map(|(&at, _)| at)
    }

    /// The number of an instruction that starts threads.
    pub fn spawn(&self, at: At) -> Option<u32> {
        self.numbers.get(&at).copied()
    }

    /// What a local may be.
    pub fn local(&self, function: FunctionId, local: ir::LocalId) -> &Targets {
        &self.locals[function.index()][local.index()]
    }

    /// The sites that more than one thread can know: objects of the program, and what these, arguments and results of threads lead to.
    pub fn escaped(&self) -> BTreeSet<Site> {
        let mut pending: Vec<Site> = (0..self.program.objects.len() as u32).collect();
        let sites = |set: &Targets| -> Vec<Site> {
            let site = |target: &Target| match target {
                Target::Byte(site, _) => Some(*site),
                Target::Thread(_) => None,
            };
            set.iter().filter_map(site).collect()
        };
        pending.extend(sites(&self.ends));
        for &at in &self.spawns {
            if let Op::System(System::Spawn { function, args, .. }) = at.op(self.program) {
                let params = &self.locals[function.index()][..args.len()];
                params.iter().for_each(|param| pending.extend(sites(param)));
                pending.extend(sites(&self.results[function.index()]));
            }
        }
        let mut escaped = BTreeSet::new();
        while let Some(site) = pending.pop() {
            if escaped.insert(site) {
                self.contents
                    .get(&site)
                    .into_iter()
                    .flat_map(BTreeMap::values)
                    .for_each(|set| pending.extend(sites(set)));
            }
        }
        escaped
    }

    fn eval(&mut self, function: FunctionId, expr: &Expr) -> Targets {
        self.work += 1;
        let locals = &self.locals[function.index()];
        evaluate(expr, &mut |local| locals[local.index()].clone())
    }

    fn read(&self, from: &Targets, size: u64) -> Targets {
        let mut found = Targets::new();
        for target in from {
            let Target::Byte(site, offset) = *target else { continue };
            let Some(cells) = self.contents.get(&site) else { continue };
            for (&(at, held), set) in cells {
                let exact = at == offset && held == size;
                let overlaps = match (at, offset) {
                    (Some(at), Some(offset)) => at < offset.wrapping_add(size) && offset < at.wrapping_add(held),
                    (None, _) | (_, None) => true,
                };
                // A word that is read with any offset is a word that was written with another one.
                let whole = held == size && (at.is_none() || offset.is_none());
                if exact || whole {
                    extend(&mut found, set);
                } else if overlaps {
                    extend(&mut found, &smear(set));
                }
            }
        }
        found
    }

    fn write(&mut self, to: &Targets, size: u64, value: &Targets) {
        if value.is_empty() {
            return;
        }
        for target in to {
            let Target::Byte(site, offset) = *target else { continue };
            let cell = self.contents.entry(site).or_default().entry((offset, size)).or_default();
            for &target in value {
                self.changed |= insert(cell, target);
            }
        }
    }

    fn assign(&mut self, function: FunctionId, local: ir::LocalId, value: &Targets) {
        let own = &mut self.locals[function.index()][local.index()];
        for &target in value {
            self.changed |= insert(own, target);
        }
    }

    fn op(&mut self, at: At, op: &Op) {
        let f = at.function;
        let program: &'p Program = self.program;
        let body: &Function = &program.functions[f.index()];
        match op {
            Op::Assign { dst, value } => {
                let value = self.eval(f, value);
                self.assign(f, *dst, &value);
            }
            Op::Load { dst, addr, .. } => {
                let from = self.eval(f, addr);
                let value = self.read(&from, bytes(body.locals[dst.index()].width));
                self.assign(f, *dst, &value);
            }
            Op::Store { addr, value, .. } | Op::StoreConditional { addr, value, .. } => {
                let size = bytes(value.width(body));
                let (to, value) = (self.eval(f, addr), self.eval(f, value));
                self.write(&to, size, &value);
            }
            Op::Rmw { dst, addr, value, .. } => {
                let size = bytes(body.locals[dst.index()].width);
                let to = self.eval(f, addr);
                let old = self.read(&to, size);
                self.assign(f, *dst, &old);
                let value = self.eval(f, value);
                self.write(&to, size, &value);
            }
            Op::Fence { .. } | Op::Assume { .. } => {}
            Op::System(op) => self.system(at, op),
        }
    }

    fn system(&mut self, at: At, op: &System) {
        let f = at.function;
        match op {
            System::Call { dst, function, args } => {
                self.pass(f, *function, args);
                if let Some(dst) = dst {
                    let result = self.results[function.index()].clone();
                    self.assign(f, *dst, &result);
                }
            }
            System::Spawn { dst, function, args } => {
                self.pass(f, *function, args);
                let handle = self.numbers.get(&at).map(|&number| Target::Thread(number));
                self.assign(f, *dst, &handle.into_iter().collect());
            }
            System::Join { thread: _, result } => {
                if let Some(dst) = result {
                    let mut left = self.ends.clone();
                    for at in self.spawns.clone() {
                        if let Op::System(System::Spawn { function, .. }) = at.op(self.program) {
                            left.extend(self.results[function.index()].iter().copied());
                        }
                    }
                    self.assign(f, *dst, &left);
                }
            }
            System::Alloc { dst, .. } => {
                let site = self.sites.get(&at).map(|&site| Target::Byte(site, Some(0)));
                self.assign(f, *dst, &site.into_iter().collect());
            }
            System::Nondet { .. }
            | System::Assert { .. }
            | System::Check { .. }
            | System::Current { .. }
            | System::AtomicBegin
            | System::AtomicEnd
            | System::Critical { .. }
            | System::Await
            | System::Publish => {}
        }
    }

    fn pass(&mut self, from: FunctionId, to: FunctionId, args: &[Expr]) {
        for (at, arg) in args.iter().enumerate() {
            let value = self.eval(from, arg);
            self.assign(to, ir::LocalId(at as u32), &value);
        }
    }

    /// What a function leaves behind.
    fn leave(&mut self, function: FunctionId) {
        let program: &'p Program = self.program;
        for block in &program.functions[function.index()].blocks {
            match &block.terminator {
                Terminator::Return(Some(value)) => {
                    let value = self.eval(function, value);
                    let own = &mut self.results[function.index()];
                    value.into_iter().for_each(|target| self.changed |= insert(own, target));
                }
                Terminator::Exit(Some(value)) => {
                    let value = self.eval(function, value);
                    value.into_iter().for_each(|target| self.changed |= insert(&mut self.ends, target));
                }
                Terminator::Return(None)
                | Terminator::Exit(None)
                | Terminator::Goto(_)
                | Terminator::Branch { .. }
                | Terminator::Cut { .. } => {}
            }
        }
    }
}

/// Whether two ranges of bytes can overlap.
pub(crate) fn overlap(a: &Target, size_a: u64, b: &Target, size_b: u64) -> bool {
    match (a, b) {
        (Target::Byte(one, at), Target::Byte(other, offset)) => {
            one == other
                && match (at, offset) {
                    (Some(at), Some(offset)) => at.wrapping_sub(*offset) < size_b || offset.wrapping_sub(*at) < size_a,
                    (None, _) | (_, None) => true,
                }
        }
        (Target::Thread(_), _) | (_, Target::Thread(_)) => false,
    }
}
