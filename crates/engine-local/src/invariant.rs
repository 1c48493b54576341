//! Bounds that all threads keep.
//!
//! Candidates are `x >= c` and `x <= c` for variables `x` that only accesses which name them can reach, and constants `c` of the program. A
//! candidate that does not hold when the first other thread may begin, or that a write does not keep, is dropped, and all threads are
//! executed anew (Houdini again). What is left holds of every value that is ever written, so of every value that is read, under each model
//! in which no read sees a write that depends on it: each write is computed from reads of earlier ones. Where machines may execute a write before
//! a read that it does not depend on, and control dependencies end with the `if` or the loop, that is not so: there are no bounds then.

use crate::memory::{Cells, Target};
use crate::prove::bytes;
use crate::walk::Walk;
use engine::NoAnswer;
use ir::{BinaryOp, Expr, ObjectId, Program, Terminator, Width};
use logic::{Bool, Term};
use std::collections::{BTreeMap, BTreeSet};

/// How many variables are looked at, and how many constants.
const VARIABLES: usize = 64;
const CONSTANTS: usize = 24;

/// A bound of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bound {
    constant: u64,
    /// Whether the variable is at least that, else at most. The numbers are signed.
    least: bool,
}

/// The bounds of one variable.
#[derive(Debug, Clone)]
struct Variable {
    width: Width,
    bounds: Vec<Bound>,
}

/// The bounds that hold as far as is known.
#[derive(Debug, Default)]
pub(crate) struct Invariant {
    variables: BTreeMap<(ObjectId, u64), Variable>,
    /// Whether a bound was dropped, so that what was proved has to be proved again.
    pub weakened: bool,
}

/// The objects whose address is used for more than accesses that name them.
pub(crate) fn escaped(program: &Program) -> BTreeSet<ObjectId> {
    let mut found = BTreeSet::new();
    for cell in program.objects.iter().flat_map(|object| &object.cells) {
        addresses(&cell.initial, &mut found);
    }
    for block in program.functions.iter().flat_map(|function| &function.blocks) {
        for instr in &block.instrs {
            let accessed = instr.op.address();
            for expr in instr.op.expressions() {
                match accessed.filter(|addr| std::ptr::eq(*addr, expr)).and_then(index) {
                    Some(index) => index.into_iter().for_each(|index| addresses(index, &mut found)),
                    None => addresses(expr, &mut found),
                }
            }
        }
        match &block.terminator {
            Terminator::Branch { condition, .. } => addresses(condition, &mut found),
            Terminator::Return(Some(value)) => addresses(value, &mut found),
            Terminator::Goto(_) | Terminator::Return(None) | Terminator::Exit(_) | Terminator::Cut { .. } => {}
        }
    }
    found
}

/// Of an address that names its object: what is added to the object's address, if anything is.
fn index(addr: &Expr) -> Option<Option<&Expr>> {
    match addr {
        Expr::Address(..) => Some(None),
        Expr::Binary(BinaryOp::Add, base, index) if matches!(**base, Expr::Address(..)) => Some(Some(index)),
        Expr::Const(..) | Expr::Local(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => None,
    }
}

/// The objects that an expression mentions.
fn addresses(expr: &Expr, found: &mut BTreeSet<ObjectId>) {
    match expr {
        Expr::Address(object, _) => {
            found.insert(*object);
        }
        Expr::Const(..) | Expr::Local(_) => {}
        Expr::Unary(_, operand) => addresses(operand, found),
        Expr::Binary(_, left, right) => [left, right].into_iter().for_each(|part| addresses(part, found)),
        Expr::Select(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|part| addresses(part, found));
        }
    }
}

/// The numbers that an expression mentions, with their widths.
fn constants(expr: &Expr, found: &mut BTreeSet<(u64, Width)>) {
    match expr {
        Expr::Const(value, width) => {
            found.insert((*value, *width));
        }
        Expr::Address(..) | Expr::Local(_) => {}
        Expr::Unary(_, operand) => constants(operand, found),
        Expr::Binary(_, left, right) => [left, right].into_iter().for_each(|part| constants(part, found)),
        Expr::Select(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|part| constants(part, found));
        }
    }
}

impl Invariant {
    /// All candidates.
    pub fn new(program: &Program, escaped: &BTreeSet<ObjectId>) -> Self {
        let mut numbers = BTreeSet::new();
        for block in program.functions.iter().filter(|function| !function.library).flat_map(|function| &function.blocks)
        {
            block.instrs.iter().flat_map(|instr| instr.op.expressions()).for_each(|expr| constants(expr, &mut numbers));
            if let Terminator::Branch { condition, .. } = &block.terminator {
                constants(condition, &mut numbers);
            }
        }
        let mut variables = BTreeMap::new();
        for (at, object) in program.objects.iter().enumerate() {
            let id = ObjectId(at as u32);
            let plain = object.cells.len() == 1 && !escaped.contains(&id) && !program.constants.contains(&id);
            for cell in object.cells.iter().filter(|cell| plain && cell.width.bits() >= 8) {
                let bounds = bounds(&numbers, cell.width);
                variables.insert((id, cell.offset), Variable { width: cell.width, bounds });
            }
        }
        if variables.len() > VARIABLES {
            variables.clear();
        }
        Invariant { variables, weakened: false }
    }
}

/// The candidates for a variable of some width: with the constants nearest to zero, and with their neighbours.
fn bounds(numbers: &BTreeSet<(u64, Width)>, width: Width) -> Vec<Bound> {
    let unused = 64 - width.bits();
    let signed = |value: u64| ((value << unused) as i64) >> unused;
    let mut values: Vec<i64> =
        numbers.iter().filter(|number| number.1 == width).map(|number| signed(number.0)).collect();
    values.push(0);
    let mut values: Vec<i64> = values.iter().flat_map(|&value| [-1, 0, 1].map(|by| value.wrapping_add(by))).collect();
    values.sort_unstable_by_key(|value| (value.unsigned_abs(), *value));
    values.dedup();
    values.truncate(CONSTANTS);
    let both = |value: i64| [true, false].map(|least| Bound { constant: value as u64 & width.mask(), least });
    values.into_iter().flat_map(both).collect()
}

impl Walk<'_> {
    fn bound(&mut self, bound: Bound, value: Term) -> Bool {
        let constant = self.terms.constant(bound.constant, self.terms.width(value));
        let (small, large) = if bound.least { (constant, value) } else { (value, constant) };
        self.terms.compare(BinaryOp::SLe, small, large)
    }

    /// What holds of a value that was read at an address.
    pub(crate) fn invariant(&mut self, address: Term, value: Term) -> Bool {
        let Target::Exact(object, offset) = self.target(address) else { return Bool::TRUE };
        let width = self.terms.width(value);
        let Some(variable) = self.invariant.variables.get(&(object, offset)) else { return Bool::TRUE };
        if variable.width != width {
            return Bool::TRUE;
        }
        let mut holds = Bool::TRUE;
        for bound in variable.bounds.clone() {
            let bound = self.bound(bound, value);
            holds = self.terms.and(holds, bound);
        }
        holds
    }

    /// A value is written where others can see it.
    pub(crate) fn keep(&mut self, guard: Bool, address: Term, value: Term) -> Result<(), NoAnswer> {
        if self.quiet {
            return Ok(());
        }
        let width = self.terms.width(value);
        let touched: Vec<(ObjectId, u64)> = match self.target(address) {
            Target::Exact(object, offset)
                if self.invariant.variables.get(&(object, offset)).is_some_and(|v| v.width == width) =>
            {
                return self.hold((object, offset), guard, value);
            }
            Target::Exact(object, offset) => {
                let near = self.invariant.variables.range((object, 0)..(object, offset + bytes(width)));
                near.filter(|(at, variable)| at.1 + bytes(variable.width) > offset).map(|(at, _)| *at).collect()
            }
            Target::Anywhere(among) => {
                self.invariant.variables.keys().filter(|at| among.contains(&at.0)).copied().collect()
            }
        };
        for at in touched {
            self.drop_all(at);
        }
        Ok(())
    }

    /// The first other thread may begin, and memory holds this.
    pub(crate) fn establish(&mut self, guard: Bool, cells: &Cells) -> Result<(), NoAnswer> {
        if self.quiet {
            return Ok(());
        }
        let mut known = BTreeMap::new();
        for (&(address, width), &value) in cells {
            if let Target::Exact(object, offset) = self.target(address) {
                known.insert((object, offset, width), value);
            }
        }
        let variables: Vec<_> = self.invariant.variables.iter().map(|(at, variable)| (*at, variable.width)).collect();
        for (at, width) in variables {
            match known.get(&(at.0, at.1, width)) {
                Some(&value) => self.hold(at, guard, value)?,
                None => self.drop_all(at),
            }
        }
        Ok(())
    }

    fn drop_all(&mut self, at: (ObjectId, u64)) {
        let gone = self.invariant.variables.remove(&at);
        self.invariant.weakened |= gone.is_some_and(|variable| !variable.bounds.is_empty());
    }

    /// A variable takes this value: what does not hold of it is no bound.
    fn hold(&mut self, at: (ObjectId, u64), guard: Bool, value: Term) -> Result<(), NoAnswer> {
        let Some(variable) = self.invariant.variables.get(&at) else { return Ok(()) };
        let bounds = variable.bounds.clone();
        let mut all = Bool::TRUE;
        for &bound in &bounds {
            let holds = self.bound(bound, value);
            all = self.terms.and(all, holds);
        }
        if self.holds(guard, all)? {
            return Ok(());
        }
        let mut kept = Vec::new();
        for bound in bounds {
            let holds = self.bound(bound, value);
            if self.holds(guard, holds)? {
                kept.push(bound);
            }
        }
        self.invariant.weakened = true;
        if let Some(variable) = self.invariant.variables.get_mut(&at) {
            variable.bounds = kept;
        }
        Ok(())
    }
}
