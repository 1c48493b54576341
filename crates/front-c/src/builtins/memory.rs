//! Memory: allocation, and copying of objects whose types are known.

use super::Outcome;
use super::bits::swapped_bytes;
use super::context::Call;
use crate::Leaks;
use crate::lower::fold::add_offset;
use crate::lower::{Lowering, Value, alive};
use crate::types::{Leaf, Type};
use c_syntax::ast::{BinaryOperator, Expression, Node};
use ir::life::{LIFE, LIFE_WIDTH, Storage};
use ir::{BinaryOp, Cell, Expr, Op, System, UnaryOp, Width, faults};
use source::Diagnostic;

/// What blocks of memory are aligned to: that suffices for every scalar.
const MAX_ALIGN: u64 = 16;

/// A block with more scalars than this is not copied one by one.
const MAX_LEAVES: u64 = 1 << 14;

/// An offset that no object has, and that is none of a life cell.
const BEYOND: u64 = 1 << 37;

pub(super) fn call(call: &mut Call<'_, '_>) -> Outcome {
    let value = match call.name {
        "malloc" | "__fencepost_block" | "valloc" | "vmalloc" | "alloca" | "__builtin_alloca" => {
            call.arity(1)?;
            Some(allocate(call, 0, None, false)?)
        }
        "kmalloc" | "kmalloc_atomic" => {
            call.arity(2)?;
            call.evaluate_effects(1..2)?;
            Some(allocate(call, 0, None, false)?)
        }
        "kzalloc" | "vzalloc" => {
            call.at_least(1)?;
            call.evaluate_effects(1..call.args.len())?;
            Some(allocate(call, 0, None, true)?)
        }
        "aligned_alloc" | "memalign" => {
            call.arity(2)?;
            aligned(call)?;
            Some(allocate(call, 1, None, false)?)
        }
        "calloc" | "kcalloc" => {
            call.at_least(2)?;
            call.evaluate_effects(2..call.args.len())?;
            Some(allocate(call, 1, Some(0), true)?)
        }
        "posix_memalign" => {
            call.arity(3)?;
            call.evaluate_effects(1..2)?;
            let block = allocate(call, 2, None, false)?;
            call.lowering.assign_through(&call.args[0], block)?;
            Some(call.success())
        }
        "free" | "kfree" | "vfree" | "cfree" => {
            call.arity(1)?;
            free(call)?;
            None
        }
        "memcpy" | "memmove" => {
            call.arity(3)?;
            Some(copy(call)?)
        }
        "memset" => {
            call.arity(3)?;
            Some(fill(call)?)
        }
        "bzero" => {
            call.arity(2)?;
            let target = uncast(call, 0)?;
            let target = call.keep(target);
            let zero = call.lowering.int(0, &Type::INT);
            fill_with(call, &target, 1, 0, &zero)?;
            None
        }
        "strlen" => {
            call.arity(1)?;
            // Other texts are counted by the library's own loop.
            let Some(text) = call.lowering.string_value(&call.args[0]) else { return Ok(None) };
            let length = text.split('\0').next().map_or(0, str::len);
            let ty = call.lowering.types.size_type();
            Some(call.lowering.int(length as i64, &ty))
        }
        "memcmp" => {
            call.arity(3)?;
            Some(compare(call)?)
        }
        "scanf" | "fscanf" | "sscanf" | "fgets" | "gets" | "getline" | "fread" | "read" => {
            let message = format!("`{}` is not supported", call.name);
            return Err(call.error(message).help("take any value instead: x = __VERIFIER_nondet_int()"));
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// Zeros of larger blocks are there from the start, as if everybody had seen them.
const MOST_ZEROS: usize = 64;

/// A new block. Argument `size` says how many bytes it has, or each of `count` elements has.
fn allocate(call: &mut Call<'_, '_>, size: usize, count: Option<usize>, zeroed: bool) -> Result<Value, Diagnostic> {
    let cells = known_cells(call, size, count)?;
    let line = call.lowering.program.source.line(call.span);
    let name = format!("malloc:{line}");
    let mut bytes = Expr::Const(1, Width::WORD);
    if let Some(count) = count {
        let value = call.value_as(count, &Type::ULONG_LONG)?;
        bytes = call.keep(value).expr;
    }
    let each = call.value_as(size, &Type::ULONG_LONG)?.expr;
    let unit = each.clone();
    let storage = if call.name.ends_with("alloca") { Storage::Automatic } else { Storage::Heap };
    let room = if storage == Storage::Heap { room(call, &bytes, &each) } else { None };
    let size = match bytes {
        Expr::Const(1, _) => each,
        count => count.binary(BinaryOp::Mul, each),
    };
    let bytes = match &size {
        Expr::Const(bytes, _) => Some(*bytes),
        Expr::Local(_) | Expr::Address(..) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => None,
    };
    let dst = call.lowering.temp(Width::WORD);
    let own = call.name == "__fencepost_block";
    let written = zeroed && call.lowering.options().checks.zeros;
    let zeros = cells.clone().or_else(|| numbers(&unit, bytes));
    let zeros = zeros.filter(|cells| written && cells.len() <= MOST_ZEROS).unwrap_or_default();
    let initial = zeroed && zeros.is_empty();
    let made = System::Alloc { dst, name, size: size.clone(), cells, zeroed: initial, align: MAX_ALIGN, storage };
    let make = |lowering: &mut Lowering| {
        lowering.emit(Op::System(made));
        let tags = lowering.tags(&["NA"]);
        for Cell { offset, initial: value, .. } in zeros {
            let addr = add_offset(Expr::Local(dst), offset);
            lowering.emit(Op::Store { addr, value, tags: tags.clone() });
        }
        if storage == Storage::Heap && own {
            lowering.note_size(dst, &size);
        } else if storage == Storage::Heap {
            if let (Some(bytes), false) = (bytes, zeroed) {
                lowering.take_freed(dst, bytes)?;
            }
            lowering.watch(dst)?;
            lowering.note_size(dst, &size);
        }
        Ok(())
    };
    match room {
        None => make(call.lowering)?,
        Some(room) => call.lowering.if_(room, make, |lowering| {
            lowering.emit(Op::Assign { dst, value: Expr::Const(0, Width::WORD) });
            Ok(())
        })?,
    }
    Ok(Value { expr: Expr::Local(dst), ty: Type::VOID.pointer_to() })
}

/// The cells of a block of so many bytes whose elements have the size of numbers.
fn numbers(each: &Expr, bytes: Option<u64>) -> Option<Vec<Cell>> {
    let (Expr::Const(each @ (1 | 2 | 4 | 8), _), Some(bytes)) = (each, bytes) else { return None };
    let width = Width::new(8 * *each as u8);
    let cell = |at: u64| Cell { offset: at * each, width, initial: Expr::constant(0, width) };
    (bytes <= MOST_ZEROS as u64 * each).then(|| (0..bytes / each).map(cell).collect())
}

/// What a block is aligned to must be a power of two. Others give NULL in later editions of the language and are not defined in C11.
fn aligned(call: &mut Call<'_, '_>) -> Result<(), Diagnostic> {
    let known = call.lowering.const_value(&call.args[0]);
    if call.lowering.options().competition || known.is_some_and(|bytes| bytes > 0 && bytes & (bytes - 1) == 0) {
        return Ok(());
    }
    let bytes = call.value_as(0, &Type::ULONG_LONG)?;
    let bytes = call.keep(bytes).expr;
    let word = |value: u64| Expr::Const(value, Width::WORD);
    let below = bytes.clone().binary(BinaryOp::Sub, word(1));
    let single = bytes.clone().binary(BinaryOp::And, below).binary(BinaryOp::Eq, word(0));
    let condition = bytes.binary(BinaryOp::Ne, word(0)).binary(BinaryOp::And, single);
    let message = format!("{}: the alignment is no power of two", call.name);
    call.lowering.emit(Op::System(System::Assert { condition, message }));
    Ok(())
}

/// Whether a block can be there at all, if that is not certain: none has more bytes than differences of pointers have numbers. For
/// competitions memory never runs out.
fn room(call: &Call<'_, '_>, count: &Expr, each: &Expr) -> Option<Expr> {
    let most = u64::MAX >> 1;
    let word = |value: u64| Expr::Const(value, Width::WORD);
    let at_most = |value: &Expr, limit: u64| value.clone().binary(BinaryOp::ULe, word(limit));
    let fits = match (count, each) {
        _ if call.lowering.options().competition => return None,
        (Expr::Const(count, _), Expr::Const(each, _)) => {
            let fits = count.checked_mul(*each).is_some_and(|bytes| bytes <= most);
            return (!fits).then_some(Expr::Const(0, Width::BOOL));
        }
        (Expr::Const(count, _), each) => at_most(each, most.checked_div(*count).unwrap_or(most)),
        (count, Expr::Const(each, _)) => at_most(count, most.checked_div(*each).unwrap_or(most)),
        (count, each) => {
            let none = each.clone().binary(BinaryOp::Eq, word(0));
            let limit = word(most).binary(BinaryOp::UDiv, each.clone());
            none.binary(BinaryOp::Or, count.clone().binary(BinaryOp::ULe, limit))
        }
    };
    // What was made of 32 bits or fewer without a sign is never too much.
    let small = |value: &Expr| matches!(value, Expr::Unary(UnaryOp::ZeroExtend(_), _));
    let one = matches!(count, Expr::Const(1, _)) && small(each);
    (!one).then_some(fits)
}

/// The life of a block ends. It must be one that was allocated, given by its beginning, and not have ended before.
fn free(call: &mut Call<'_, '_>) -> Result<(), Diagnostic> {
    let pointer = call.value_as(0, &Type::ULONG_LONG)?;
    let checks = call.lowering.options().checks;
    if !checks.lifetimes && checks.leaks == Leaks::Allowed {
        return Ok(());
    }
    let assumes = "freed memory is never allocated again".to_owned();
    call.lowering.program.info.insert(ir::Program::ASSUMES.to_owned(), assumes);
    let pointer = call.keep(pointer).expr;
    let ty = call.lowering.type_of(without_casts(&call.args[0]))?;
    let pointee = ty.pointee().filter(|pointee| checks.lifetimes && !pointee.is_void()).cloned();
    let some = pointer.clone().binary(BinaryOp::Ne, Expr::Const(0, Width::WORD));
    let ends = |lowering: &mut Lowering| {
        let tags = lowering.tags(&["NA"]);
        let dst = lowering.temp(LIFE_WIDTH);
        let life = alive::life(pointer.clone());
        lowering.emit(Op::Load { dst, addr: life.clone(), tags: tags.clone(), reserve: false });
        let number = |value: u64| Expr::Const(value, LIFE_WIDTH);
        let beginning = pointer.clone().binary(BinaryOp::Add, Expr::Const(LIFE, Width::WORD));
        let asserted = [
            (Expr::Local(dst).binary(BinaryOp::Ne, number(Storage::Heap.ended())), faults::TWICE),
            (Expr::Local(dst).binary(BinaryOp::Eq, number(Storage::Heap.life())), faults::FOREIGN),
            (life.clone().binary(BinaryOp::Eq, beginning), faults::INSIDE),
        ];
        for (condition, message) in asserted.into_iter().filter(|_| checks.lifetimes) {
            lowering.emit(Op::System(System::Assert { condition, message: message.to_owned() }));
        }
        alive::end(&pointer, Storage::Heap, &tags).into_iter().for_each(|op| lowering.emit(op));
        pointee.map_or(Ok(()), |pointee| lowering.give_freed(&pointer, &pointee))
    };
    call.lowering.if_(some, ends, |_| Ok(()))
}

/// The cells of a block whose size is a constant number of objects of one type.
fn known_cells(call: &mut Call<'_, '_>, size: usize, count: Option<usize>) -> Result<Option<Vec<Cell>>, Diagnostic> {
    let times = match count.map(|at| call.lowering.const_value(&call.args[at])) {
        None => 1,
        Some(Some(count)) => count,
        Some(None) => return Ok(None),
    };
    let Some((ty, count)) = objects(call, &call.args[size])? else { return Ok(None) };
    let total = times.checked_mul(count).and_then(|total| u64::try_from(total).ok());
    match total {
        Some(total) if total > 0 && !ty.is_void() && !call.lowering.types.is_variable(&ty) => {
            Ok(Some(call.lowering.cells(&ty, total)?))
        }
        _ => Ok(None),
    }
}

/// The type and the number that `sizeof(T)`, `n * sizeof(T)` and `sizeof x` mean.
fn objects(call: &mut Call<'_, '_>, size: &Node<Expression>) -> Result<Option<(Type, i64)>, Diagnostic> {
    Ok(match &size.node {
        Expression::SizeOfType(of) => Some((call.lowering.type_name(of)?, 1)),
        Expression::SizeOfValue(of) => Some((call.lowering.type_of(of)?, 1)),
        Expression::Cast(cast) => objects(call, &cast.expression)?,
        Expression::Binary(binary) if binary.operator == BinaryOperator::Multiply => {
            let (left, right) = (&binary.lhs, &binary.rhs);
            for (of, times) in [(left, right), (right, left)] {
                if let Some((ty, count)) = objects(call, of)? {
                    let times = call.lowering.const_value(times);
                    return Ok(times.and_then(|times| times.checked_mul(count)).map(|total| (ty, total)));
                }
            }
            None
        }
        Expression::Identifier(_)
        | Expression::Constant(_)
        | Expression::StringLiteral(_)
        | Expression::GenericSelection(_)
        | Expression::Member(_)
        | Expression::Call(_)
        | Expression::CompoundLiteral(_)
        | Expression::AlignOfType(_)
        | Expression::AlignOfValue(_)
        | Expression::TypesCompatible(_)
        | Expression::LabelAddress(_)
        | Expression::Unary(_)
        | Expression::Binary(_)
        | Expression::Conditional(_)
        | Expression::Comma(_)
        | Expression::OffsetOf(_)
        | Expression::VaArg(_)
        | Expression::Statement(_) => None,
    })
}

/// The first `bytes` bytes behind a pointer to objects of type `ty`: scalars, what lies between them, and single bytes where
/// an object is not whole.
fn leaves(call: &Call<'_, '_>, ty: &Type, bytes: u64) -> Result<Vec<Leaf>, Diagnostic> {
    let wrong = |why: String| {
        call.error(format!("`{}` cannot take this block: {why}", call.name)).help("copy the members one by one")
    };
    // No object has so many bytes: whatever the order in which the block is taken, one of the accesses is to no object.
    if bytes > size_mask(call) >> 1 {
        return Ok(vec![Leaf { offset: BEYOND, ty: Type::UCHAR }]);
    }
    let (one, size) = if ty.is_void() {
        (Vec::new(), 0)
    } else {
        let all = call.lowering.types.all_leaves(ty).map_err(wrong)?;
        (all, call.lowering.types.size(ty).map_err(wrong)?)
    };
    let count = bytes.checked_div(size).unwrap_or(0);
    let rest = bytes - count * size;
    if count.saturating_mul(one.len() as u64).saturating_add(rest) > MAX_LEAVES {
        return Err(wrong(format!("it has more than {MAX_LEAVES} scalars")));
    }
    let shifted = |at: u64| {
        one.iter().map(move |leaf| Leaf { offset: leaf.offset + at * size, ty: leaf.ty.clone() }).collect::<Vec<_>>()
    };
    let tail = (count * size..bytes).map(|offset| Leaf { offset, ty: Type::UCHAR });
    Ok((0..count).flat_map(shifted).chain(tail).collect())
}

/// How two blocks are taken together: as one of them is divided, if the other is too or consists of bytes only; else byte
/// by byte.
fn common_leaves(call: &Call<'_, '_>, one: &Type, other: &Type, bytes: u64) -> Result<Vec<Leaf>, Diagnostic> {
    let own = leaves(call, if one.is_void() { other } else { one }, bytes)?;
    let others = leaves(call, if other.is_void() { one } else { other }, bytes)?;
    let single = |leaf: &Leaf| leaf.ty.width().is_some_and(|width| width.bits() == 8);
    let same = |a: &Leaf, b: &Leaf| a.offset == b.offset && a.ty.width() == b.ty.width();
    if own.len() == others.len() && own.iter().zip(&others).all(|(a, b)| same(a, b)) || others.iter().all(single) {
        return Ok(own);
    }
    if own.iter().all(single) { Ok(others) } else { leaves(call, &Type::UCHAR, bytes) }
}

/// The largest number of the type of sizes.
fn size_mask(call: &Call<'_, '_>) -> u64 {
    call.lowering.types.size_type().width().unwrap_or(Width::WORD).mask()
}

/// The number of bytes in an argument, if it is a constant.
fn byte_count(call: &mut Call<'_, '_>, at: usize) -> Option<u64> {
    let mask = size_mask(call);
    call.lowering.const_value(&call.args[at]).map(|bytes| bytes as u64 & mask)
}

/// The same, where nothing else will do.
fn constant_bytes(call: &mut Call<'_, '_>, at: usize) -> Result<u64, Diagnostic> {
    byte_count(call, at).ok_or_else(|| {
        let span = call.lowering.at(call.args[at].span);
        call.lowering
            .error(span, format!("the size that `{}` is given is not a constant", call.name))
            .help("write the loop over the elements")
    })
}

/// Calls the loop over bytes of our library, for blocks whose size is not a constant.
fn by_bytes(call: &mut Call<'_, '_>, name: &str) -> Result<Value, Diagnostic> {
    let mut args = Vec::new();
    for at in 0..call.args.len() {
        let value = call.value(at)?;
        args.push(call.keep(value));
    }
    let result = call.lowering.call_function(name, args)?;
    result.ok_or_else(|| call.error(format!("`{name}` has no value")))
}

fn shifted(base: &Expr, offset: u64) -> Expr {
    if offset == 0 { base.clone() } else { base.clone().binary(BinaryOp::Add, Expr::Const(offset, Width::WORD)) }
}

/// Reads all scalars, then writes them all, so that blocks may overlap.
fn copy(call: &mut Call<'_, '_>) -> Result<Value, Diagnostic> {
    if byte_count(call, 2).is_none() {
        let own = if call.name == "memcpy" { "__fencepost_copy" } else { "__fencepost_move" };
        return by_bytes(call, own);
    }
    let bytes = constant_bytes(call, 2)?;
    let target = uncast(call, 0)?;
    let target = call.keep(target);
    let source = uncast(call, 1)?;
    let source = call.keep(source);
    let (to, from) = (call.lowering.pointee(&target)?, call.lowering.pointee(&source)?);
    let leaves = common_leaves(call, &to, &from, bytes)?;
    let tags = call.lowering.tags(&["NA"]);
    let mut values = Vec::new();
    for leaf in &leaves {
        let value = call.lowering.load(shifted(&source.expr, leaf.offset), &leaf.ty.unqualified(), tags.clone())?;
        values.push(value);
    }
    for (leaf, value) in leaves.iter().zip(values) {
        let value = Value { expr: value.expr, ty: leaf.ty.unqualified() };
        call.lowering.store(shifted(&target.expr, leaf.offset), value, tags.clone());
    }
    if call.name == "memcpy" {
        apart(call, &target.expr, &source.expr, &Expr::Const(bytes, Width::WORD))?;
    }
    Ok(Value { expr: target.expr, ty: Type::VOID.pointer_to() })
}

/// Blocks between which `memcpy` copies do not overlap, which is undefined; but that one is copied to itself does no harm anywhere.
/// Only blocks in the same object can overlap, and only there a distance is a number. This is asked behind the accesses: if one of them
/// was to no object, that has failed before.
pub(super) fn apart(call: &mut Call<'_, '_>, to: &Expr, from: &Expr, bytes: &Expr) -> Result<(), Diagnostic> {
    let overlap = |distance: u64, bytes: u64| distance != 0 && (distance < bytes || distance.wrapping_neg() < bytes);
    match (to, from, bytes) {
        (Expr::Address(one, _), Expr::Address(other, _), _) if one != other => return Ok(()),
        (Expr::Address(_, at), Expr::Address(_, from), Expr::Const(bytes, _))
            if !overlap(at.wrapping_sub(*from), *bytes) =>
        {
            return Ok(());
        }
        (Expr::Const(..), ..) | (_, Expr::Const(..), _) => return Ok(()),
        _ => {}
    }
    let some = |pointer: &Expr| pointer.clone().binary(BinaryOp::Ne, Expr::Const(0, Width::WORD));
    let both = some(to).binary(BinaryOp::And, some(from));
    let same = alive::life(to.clone()).binary(BinaryOp::Eq, alive::life(from.clone()));
    let message = "memcpy: the blocks overlap";
    if call.lowering.options().competition {
        return Ok(());
    }
    let (to, from, bytes) = (to.clone(), from.clone(), bytes.clone());
    let check = |lowering: &mut Lowering| {
        let ahead = to.clone().binary(BinaryOp::Sub, from.clone());
        let behind = from.binary(BinaryOp::Sub, to);
        let equal = ahead.clone().binary(BinaryOp::Eq, Expr::Const(0, Width::WORD));
        let far = |distance: Expr| bytes.clone().binary(BinaryOp::ULe, distance);
        let condition = equal.binary(BinaryOp::Or, far(ahead).binary(BinaryOp::And, far(behind)));
        lowering.emit(Op::System(System::Assert { condition, message: message.to_owned() }));
        Ok(())
    };
    call.lowering.if_(both, |lowering| lowering.if_(same, check, |_| Ok(())), |_| Ok(()))
}

/// Compares two blocks scalar by scalar, from the first on, each as its bytes lie in memory: the lowest one first.
fn compare(call: &mut Call<'_, '_>) -> Result<Value, Diagnostic> {
    let Some(bytes) = byte_count(call, 2) else { return by_bytes(call, "__fencepost_compare") };
    let left = uncast(call, 0)?;
    let left = call.keep(left);
    let right = uncast(call, 1)?;
    let right = call.keep(right);
    let (one, other) = (call.lowering.pointee(&left)?, call.lowering.pointee(&right)?);
    call.lowering.note_bytes(&one);
    call.lowering.note_bytes(&other);
    let leaves = common_leaves(call, &one, &other, bytes)?;
    let tags = call.lowering.tags(&["NA"]);
    let mut pairs = Vec::new();
    for leaf in &leaves {
        let ty = leaf.ty.unqualified();
        let width = ty.width().unwrap_or(Width::WORD);
        let mut side = |base: &Expr| -> Result<Expr, Diagnostic> {
            let value = call.lowering.load(shifted(base, leaf.offset), &ty, tags.clone())?;
            Ok(swapped_bytes(&call.keep(value).expr, width))
        };
        pairs.push((side(&left.expr)?, side(&right.expr)?));
    }
    // Only the sign counts: C promises no more. The second number survives no conversion to a character.
    let near = call.any(Width::BOOL);
    let number = |n: i64| {
        let (near_by, far) = (Expr::constant(n, Width::INT), Expr::constant(256 * n, Width::INT));
        Box::new(Expr::Select(Box::new(near.clone()), Box::new(near_by), Box::new(far)))
    };
    let expr = pairs.into_iter().rev().fold(Expr::constant(0, Width::INT), |rest, (a, b)| {
        let less = a.clone().binary(BinaryOp::ULt, b.clone());
        let differs = a.binary(BinaryOp::Ne, b);
        Expr::Select(Box::new(differs), Box::new(Expr::Select(Box::new(less), number(-1), number(1))), Box::new(rest))
    });
    Ok(Value { expr, ty: Type::INT })
}

/// An argument without the casts around it.
fn without_casts(arg: &Node<Expression>) -> &Node<Expression> {
    match &arg.node {
        Expression::Cast(cast) => without_casts(&cast.expression),
        _ => arg,
    }
}

/// An argument without the casts around it that leave an address whole: those to pointers and to integers as large as these.
fn without_whole_casts<'a>(
    call: &mut Call<'_, '_>,
    arg: &'a Node<Expression>,
) -> Result<&'a Node<Expression>, Diagnostic> {
    let Expression::Cast(cast) = &arg.node else { return Ok(arg) };
    let ty = call.lowering.type_of(arg)?;
    let whole = ty.is_pointer() || ty.is_integer() && ty.width() == call.lowering.types.size_type().width();
    if whole { without_whole_casts(call, &cast.expression) } else { Ok(arg) }
}

/// The value of a pointer argument, with the type it has without a cast to `void *` or `char *`.
fn uncast(call: &mut Call<'_, '_>, at: usize) -> Result<Value, Diagnostic> {
    let args = call.args;
    let inner = without_whole_casts(call, &args[at])?;
    let value = call.lowering.rvalue(inner)?;
    // A number that is taken for an address, such as 0: an access there is one to no object.
    if value.ty.is_pointer() { Ok(value) } else { call.lowering.convert(value, &Type::VOID.pointer_to()) }
}

fn fill(call: &mut Call<'_, '_>) -> Result<Value, Diagnostic> {
    if byte_count(call, 2).is_none() {
        return by_bytes(call, "__fencepost_fill");
    }
    let target = uncast(call, 0)?;
    let target = call.keep(target);
    let byte = call.value_as(1, &Type::UCHAR)?;
    let constant = call.lowering.const_value(&call.args[1]).unwrap_or(-1);
    fill_with(call, &target, 2, constant, &byte)?;
    Ok(Value { expr: target.expr, ty: Type::VOID.pointer_to() })
}

/// Fills the block behind `target`, whose size is in argument `size`. Zero fits all scalars, other bytes only characters
/// and, repeated, integers.
fn fill_with(
    call: &mut Call<'_, '_>,
    target: &Value,
    size: usize,
    constant: i64,
    byte: &Value,
) -> Result<(), Diagnostic> {
    let bytes = constant_bytes(call, size)?;
    let ty = call.lowering.pointee(target)?;
    let leaves = leaves(call, &ty, bytes)?;
    let tags = call.lowering.tags(&["NA"]);
    for leaf in leaves {
        let ty = leaf.ty.unqualified();
        let width = ty.width().unwrap_or(Width::WORD);
        let expr = if width.bits() == 8 && ty.is_integer() {
            // The byte as it is, in a truth value too.
            call.lowering.convert(byte.clone(), &Type::UCHAR)?.expr
        } else if matches!(byte.expr, Expr::Const(..)) || constant == 0 {
            let repeated = (constant as u64 & 0xff).wrapping_mul(0x0101_0101_0101_0101);
            Expr::Const(repeated & width.mask(), width)
        } else {
            let byte = call.lowering.convert(byte.clone(), &Type::UCHAR)?.expr;
            let ones = Expr::Const(0x0101_0101_0101_0101 & width.mask(), width);
            Expr::Unary(UnaryOp::ZeroExtend(width), Box::new(byte)).binary(BinaryOp::Mul, ones)
        };
        call.lowering.store(shifted(&target.expr, leaf.offset), Value { expr, ty }, tags.clone());
    }
    Ok(())
}
