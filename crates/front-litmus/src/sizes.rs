//! Which bytes accesses of machine code touch, and so what the cells of objects are.
//!
//! A cell is what one access reads or writes. Addresses of litmus tests are nearly always known from the initial state, if
//! one sees through `EOR W2,W1,W1`; so the values of registers are followed along each thread. Two accesses that overlap
//! without being equal are refused, and so is an access that may go astray into cells of another size.

use crate::build::Build;
use ir::{
    Address, BinaryOp, Cell, Expr, Function, Instr, Object, ObjectId, Op, Terminator, Width, eval, eval_binary,
    eval_unary,
};
use source::{Diagnostic, Span};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of the locals at a point of a thread.
type Known = Vec<Option<u64>>;

/// An access: where it stands, at which address if that is known, how many bytes.
struct Access {
    span: Span,
    address: Option<u64>,
    size: u64,
    /// The objects whose addresses are part of the address, if it is not known.
    near: BTreeSet<ObjectId>,
}

impl Access {
    fn object(&self) -> Option<ObjectId> {
        self.address.and_then(Address::from_bits).map(|address| address.object)
    }
}

/// Gives the objects of a program the cells that its accesses need.
pub(crate) fn settle(build: &mut Build<'_>) -> Result<(), Diagnostic> {
    let mut escaped = BTreeSet::new();
    for object in &build.program.objects {
        escaped.extend(object.cells.iter().filter_map(|cell| match cell.initial {
            Expr::Address(to, _) => Some(to),
            _ => None,
        }));
    }
    let mut accesses = Vec::new();
    for function in &build.program.functions {
        thread(function, &mut accesses, &mut escaped);
    }
    let mut sizes: BTreeMap<Address, u64> = BTreeMap::new();
    for access in &accesses {
        // An address of no object is complained about when an execution gets there.
        let Some(at) = access.address.and_then(Address::from_bits) else { continue };
        if at.object.index() >= build.program.objects.len() {
            continue;
        }
        let mixed = |(other, size): (&Address, &u64)| {
            other.object == at.object
                && (other.offset, *size) != (at.offset, access.size)
                && other.offset < at.offset + access.size
                && at.offset < other.offset + size
        };
        if at.offset % access.size != 0 || sizes.iter().any(mixed) {
            return Err(refuse(build, access, at.object));
        }
        sizes.insert(at, access.size);
    }
    for at in 0..build.program.objects.len() {
        let object = ObjectId(at as u32);
        let own: Vec<(u64, u64)> =
            sizes.iter().filter(|(at, _)| at.object == object).map(|(at, size)| (at.offset, *size)).collect();
        let stride = build.stride(object);
        if let Some(cells) = cells(&build.program.objects[at], stride, &own) {
            build.program.objects[at].cells = cells;
        } else if let Some(access) = accesses.iter().find(|access| access.object() == Some(object)) {
            return Err(refuse(build, access, object));
        }
    }
    for access in accesses.iter().filter(|access| access.address.is_none()) {
        let reachable = escaped.iter().chain(&access.near);
        let other = |object: &&ObjectId| {
            let cells = &build.program.objects[object.index()].cells;
            cells.iter().any(|cell| u64::from(cell.width.bits()) != 8 * access.size)
        };
        if let Some(&object) = reachable.into_iter().find(other) {
            return Err(refuse(build, access, object));
        }
    }
    Ok(())
}

fn refuse(build: &Build<'_>, access: &Access, object: ObjectId) -> Diagnostic {
    let name = &build.program.objects[object.index()].name;
    let message = format!("`{name}` is accessed in pieces of different sizes, which is not supported");
    Diagnostic::error(build.file, access.span, message).help("let all accesses to a location have the same size")
}

/// The cells of an object: one for each access, and the rest of what was declared. `None` if an address would be cut.
fn cells(object: &Object, stride: u64, accesses: &[(u64, u64)]) -> Option<Vec<Cell>> {
    let declared: u64 = object.cells.iter().map(|cell| cell.offset + stride).max().unwrap_or(0);
    let initial = |offset: u64, size: u64| -> Option<Expr> {
        let width = Width::new(u8::try_from(8 * size).ok()?);
        let mut value = 0u64;
        for cell in &object.cells {
            match cell.initial {
                Expr::Const(bits, _) => {
                    for byte in 0..stride.min(8) {
                        let at = cell.offset + byte;
                        if (offset..offset + size).contains(&at) {
                            value |= (bits >> (8 * byte) & 0xFF) << (8 * (at - offset));
                        }
                    }
                }
                _ if cell.offset == offset && width == Width::WORD => return Some(cell.initial.clone()),
                _ if cell.offset < offset + size && offset < cell.offset + 8 => return None,
                _ => {}
            }
        }
        Some(Expr::Const(value & width.mask(), width))
    };
    let mut cells = Vec::new();
    let mut push = |offset: u64, size: u64| -> Option<()> {
        let initial = initial(offset, size)?;
        let width = Width::new(u8::try_from(8 * size).ok()?);
        cells.push(Cell { offset, width, initial });
        Some(())
    };
    let mut accesses = accesses.iter().copied().peekable();
    let mut at = 0;
    loop {
        let next = accesses.peek().copied();
        if let Some((offset, size)) = next.filter(|&(offset, _)| offset == at) {
            push(offset, size)?;
            at += size;
            accesses.next();
            continue;
        }
        let end = next.map_or(declared, |(offset, _)| offset);
        if at >= end {
            return Some(cells);
        }
        // What nobody accesses keeps the size of its elements as far as it can.
        let pointer = object.cells.iter().any(|cell| cell.offset == at && matches!(cell.initial, Expr::Address(..)));
        let fits = |size: &u64| *size <= stride && at % size == 0 && at + size <= end;
        let size = if pointer { 8 } else { [8, 4, 2, 1].into_iter().find(fits)? };
        push(at, size)?;
        at += size;
    }
}

/// Follows the values of locals through a thread and collects its accesses.
fn thread(function: &Function, accesses: &mut Vec<Access>, escaped: &mut BTreeSet<ObjectId>) {
    let mut before: Vec<Option<Known>> = vec![None; function.blocks.len()];
    before[0] = Some(vec![Some(0); function.locals.len()]);
    let mut pending = vec![0];
    while let Some(at) = pending.pop() {
        let Some(mut known) = before[at].clone() else { continue };
        let block = &function.blocks[at];
        block.instrs.iter().for_each(|instr| step(function, instr, &mut known));
        let next = match &block.terminator {
            Terminator::Goto(to) => vec![*to],
            Terminator::Branch { then, otherwise, .. } => vec![*then, *otherwise],
            Terminator::Return(_) | Terminator::Exit(_) | Terminator::Cut { .. } => Vec::new(),
        };
        for to in next {
            let merged = match &before[to.index()] {
                None => known.clone(),
                Some(old) => old.iter().zip(&known).map(|(a, b)| if a == b { *a } else { None }).collect(),
            };
            if before[to.index()].as_ref() != Some(&merged) {
                before[to.index()] = Some(merged);
                pending.push(to.index());
            }
        }
    }
    for (block, known) in function.blocks.iter().zip(before) {
        let Some(mut known) = known else { continue };
        for instr in &block.instrs {
            collect(function, instr, &known, accesses, escaped);
            step(function, instr, &mut known);
        }
    }
}

/// What an instruction does to what is known.
fn step(function: &Function, instr: &Instr, known: &mut Known) {
    match &instr.op {
        Op::Assign { dst, value } => known[dst.index()] = constant(function, value, known),
        Op::Load { dst, .. } | Op::Rmw { dst, .. } => known[dst.index()] = None,
        Op::StoreConditional { success, .. } => known[success.index()] = None,
        Op::Store { .. } | Op::Fence { .. } | Op::Assume { .. } | Op::System(_) => {}
    }
}

fn collect(
    function: &Function,
    instr: &Instr,
    known: &Known,
    accesses: &mut Vec<Access>,
    escaped: &mut BTreeSet<ObjectId>,
) {
    let (addr, width, stored) = match &instr.op {
        Op::Load { dst, addr, .. } => (addr, function.locals[dst.index()].width, None),
        Op::Store { addr, value, .. } | Op::StoreConditional { addr, value, .. } => {
            (addr, value.width(function), Some(value))
        }
        Op::Rmw { dst, addr, value, .. } => (addr, function.locals[dst.index()].width, Some(value)),
        Op::Assign { .. } | Op::Fence { .. } | Op::Assume { .. } | Op::System(_) => return,
    };
    if let Some(value) = stored {
        pointed(function, value, known, escaped);
    }
    let address = constant(function, addr, known);
    let mut near = BTreeSet::new();
    if address.is_none() {
        pointed(function, addr, known, &mut near);
    }
    accesses.push(Access { span: instr.span, address, size: u64::from(width.bits()) / 8, near });
}

/// The objects whose addresses an expression mentions.
fn pointed(function: &Function, expr: &Expr, known: &Known, found: &mut BTreeSet<ObjectId>) {
    let objects = constant(function, expr, known).and_then(Address::from_bits).map(|address| address.object);
    found.extend(objects);
    expr.for_each_local(&mut |local| {
        found.extend(known[local.index()].and_then(Address::from_bits).map(|address| address.object));
    });
}

/// The value of an expression, if what is known decides it.
fn constant(function: &Function, expr: &Expr, known: &Known) -> Option<u64> {
    let mut all = true;
    expr.for_each_local(&mut |local| all &= known[local.index()].is_some());
    if all {
        let values: Vec<u64> = known.iter().map(|value| value.unwrap_or(0)).collect();
        return Some(eval(expr, function, &values).0);
    }
    match expr {
        Expr::Binary(BinaryOp::Xor | BinaryOp::Sub, left, right) if left == right => Some(0),
        Expr::Binary(BinaryOp::And, left, right)
            if [left, right].into_iter().any(|side| constant(function, side, known) == Some(0)) =>
        {
            Some(0)
        }
        Expr::Binary(op, left, right) => {
            let (left_value, right) = (constant(function, left, known)?, constant(function, right, known)?);
            Some(eval_binary(*op, left_value, right, left.width(function)).0)
        }
        Expr::Unary(op, inner) => Some(eval_unary(*op, constant(function, inner, known)?, inner.width(function)).0),
        Expr::Const(..) | Expr::Local(_) | Expr::Address(..) | Expr::Select(..) => None,
    }
}
