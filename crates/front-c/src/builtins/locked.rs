//! Inline assembly of x86 that updates memory: `xchg`, and `lock` before `cmpxchg`, `xadd` and simple arithmetic.
//!
//! Each is one atomic read-modify-write, and a full fence. A statement has one such instruction and nothing else; the flags
//! it sets are not looked at.

use super::context::{Call, Update};
use crate::lower::Value;
use crate::lower::place::At;
use crate::types::Type;
use c_syntax::ast::{Asm, AsmOperand, Expression, Node};
use ir::{BinaryOp, Expr};
use source::Diagnostic;

/// What an instruction makes of the memory operand and the register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Exchange,
    CompareExchange,
    ExchangeAdd,
    /// Memory changes, the operand does not.
    Change(BinaryOp),
    /// One is added or subtracted.
    Step(BinaryOp),
}

/// The kind of an instruction, without the letter for the size of its operands.
fn kind(mnemonic: &str, locked: bool) -> Option<Kind> {
    let known = |name: &str| match (name, locked) {
        ("xchg", _) => Some(Kind::Exchange),
        ("cmpxchg", true) => Some(Kind::CompareExchange),
        ("xadd", true) => Some(Kind::ExchangeAdd),
        ("add", true) => Some(Kind::Change(BinaryOp::Add)),
        ("sub", true) => Some(Kind::Change(BinaryOp::Sub)),
        ("and", true) => Some(Kind::Change(BinaryOp::And)),
        ("or", true) => Some(Kind::Change(BinaryOp::Or)),
        ("xor", true) => Some(Kind::Change(BinaryOp::Xor)),
        ("inc", true) => Some(Kind::Step(BinaryOp::Add)),
        ("dec", true) => Some(Kind::Step(BinaryOp::Sub)),
        _ => None,
    };
    known(mnemonic).or_else(|| known(mnemonic.strip_suffix(['b', 'w', 'l', 'q'])?))
}

/// An operand of the statement.
struct Operand<'a> {
    name: Option<&'a str>,
    constraint: String,
    expression: &'a Node<Expression>,
    output: bool,
}

impl<'a> Operand<'a> {
    fn new(operand: &'a AsmOperand, output: bool) -> Self {
        let name = operand.name.as_ref().map(|name| &*name.text);
        let constraint = operand.constraint.text();
        Operand { name, constraint, expression: &operand.expression, output }
    }

    fn is_memory(&self) -> bool {
        self.constraint.contains(['m', 'Q', 'o']) && !self.constraint.contains(['r', 'q', 'a'])
    }
}

/// Translates a statement that consists of one such instruction. False: it is none.
pub(super) fn update(call: &mut Call<'_, '_>, statement: &Asm, instruction: &str) -> Result<bool, Diagnostic> {
    let (locked, rest) = match instruction.strip_prefix("lock ") {
        Some(rest) => (true, rest),
        None => (false, instruction),
    };
    let (mnemonic, text) = rest.split_once(' ').unwrap_or((rest, ""));
    let Some(kind) = kind(mnemonic, locked) else { return Ok(false) };
    let outputs = statement.outputs.iter().map(|node| Operand::new(node, true));
    let inputs = statement.inputs.iter().map(|node| Operand::new(node, false));
    let operands: Vec<Operand<'_>> = outputs.chain(inputs).collect();
    let Some(named) = text.split(',').map(|word| find(&operands, word.trim())).collect::<Option<Vec<usize>>>() else {
        return immediate(call, kind, &operands, text);
    };
    let (memory, register) = match (kind, &named[..]) {
        (Kind::Step(_), &[memory]) => (memory, None),
        (Kind::Step(_), _) => return Ok(false),
        (Kind::Exchange, &[a, b]) if operands[a].is_memory() => (a, Some(b)),
        (_, &[register, memory]) => (memory, Some(register)),
        (_, _) => return Ok(false),
    };
    if !operands[memory].is_memory() {
        return Ok(false);
    }
    emit(call, kind, &operands, memory, register)?;
    Ok(true)
}

/// `lock; addl $1,%0`.
fn immediate(call: &mut Call<'_, '_>, kind: Kind, operands: &[Operand<'_>], text: &str) -> Result<bool, Diagnostic> {
    let Kind::Change(op) = kind else { return Ok(false) };
    let Some((number, memory)) = text.split_once(',') else { return Ok(false) };
    let number = number.trim().strip_prefix('$').and_then(|digits| digits.parse::<i64>().ok());
    let memory = find(operands, memory.trim()).filter(|&at| operands[at].is_memory());
    let (Some(number), Some(memory)) = (number, memory) else { return Ok(false) };
    let place = call.lowering.place(operands[memory].expression)?;
    if let At::Local(_) = place.at {
        // Nobody else sees the variable: what remains is the fence.
        call.fence(&["MFENCE"]);
        let old = call.lowering.read(&place)?;
        let by = call.lowering.int(number, &old.ty).expr;
        call.lowering.write(&place, Value { expr: old.expr.binary(op, by), ty: old.ty })?;
        return Ok(true);
    }
    let (addr, ty) = object(call, operands[memory].expression)?;
    let by = call.lowering.int(number, &ty).expr;
    exchange(call, addr, &ty, |old| (None, old.binary(op, by)));
    Ok(true)
}

fn emit(
    call: &mut Call<'_, '_>,
    kind: Kind,
    operands: &[Operand<'_>],
    memory: usize,
    register: Option<usize>,
) -> Result<(), Diagnostic> {
    let (addr, ty) = object(call, operands[memory].expression)?;
    let given = match register {
        Some(at) => value(call, operands, at, &ty)?,
        None => call.lowering.int(1, &ty).expr,
    };
    match kind {
        Kind::Exchange | Kind::ExchangeAdd => {
            let add = kind == Kind::ExchangeAdd;
            let old = exchange(call, addr, &ty, |old| {
                let new = if add { old.binary(BinaryOp::Add, given) } else { given };
                (None, new)
            });
            give(call, operands, register, old)
        }
        Kind::CompareExchange => {
            let accumulator = operands.iter().position(|operand| operand.constraint.contains('a'));
            let Some(accumulator) = accumulator else {
                let message = "`cmpxchg` without an operand in the register a";
                return Err(call.error(message).help("write it in C: __sync_val_compare_and_swap"));
            };
            let expected = value(call, operands, accumulator, &ty)?;
            let old = exchange(call, addr, &ty, |old| (Some(old.binary(BinaryOp::Eq, expected)), given));
            let output = operands.iter().position(|operand| operand.output && operand.constraint.contains('a'));
            give(call, operands, output, old)
        }
        Kind::Change(op) | Kind::Step(op) => {
            exchange(call, addr, &ty, |old| (None, old.binary(op, given)));
            Ok(())
        }
    }
}

/// Emits the update between two fences and gives what was read.
fn exchange(call: &mut Call<'_, '_>, addr: Expr, ty: &Type, new: impl FnOnce(Expr) -> (Option<Expr>, Expr)) -> Value {
    let tags = call.lowering.tags(&["A", "SC"]);
    call.fence(&["MFENCE"]);
    let old = call.update(Update { addr, ty: ty.clone(), read_tags: tags.clone(), write_tags: tags }, new);
    call.fence(&["MFENCE"]);
    old
}

/// The operand that `%1`, `%k1` or `%[name]` stands for.
fn find(operands: &[Operand<'_>], word: &str) -> Option<usize> {
    let word = word.strip_prefix('%')?;
    let word = word.strip_prefix(['b', 'w', 'k', 'q']).unwrap_or(word);
    if let Some(name) = word.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        // Instructions are compared in small letters.
        return operands.iter().position(|operand| operand.name.is_some_and(|known| known.to_lowercase() == name));
    }
    word.parse().ok().filter(|&at: &usize| at < operands.len())
}

/// The memory operand: its address and its type.
fn object(call: &mut Call<'_, '_>, expression: &Node<Expression>) -> Result<(Expr, Type), Diagnostic> {
    let place = call.lowering.place(expression)?;
    let ty = place.ty.unqualified();
    let At::Memory(addr) = place.at else {
        let message = "this operand is a variable that no other thread can see";
        return Err(call.error(message).help("write the instruction in C"));
    };
    if !ty.is_integer() && !ty.is_pointer() || place.bits.is_some() {
        return Err(call.error("this operand is no integer and no pointer").help("write the instruction in C"));
    }
    let kept = call.keep(Value { expr: addr, ty: Type::ULONG_LONG });
    Ok((kept.expr, ty))
}

/// What an operand holds before the instruction.
fn value(call: &mut Call<'_, '_>, operands: &[Operand<'_>], at: usize, ty: &Type) -> Result<Expr, Diagnostic> {
    let operand = &operands[at];
    let source = if operand.output && !operand.constraint.starts_with('+') {
        // An input names the output whose register it is in, or names the register too.
        let number = at.to_string();
        let same = |other: &&Operand<'_>| {
            let name = operand.name.is_some_and(|name| other.constraint == format!("[{name}]"));
            !other.output
                && (other.constraint == number || name || (operand.constraint == "=a" && other.constraint == "a"))
        };
        operands.iter().find(same)
    } else {
        Some(operand)
    };
    let Some(source) = source else {
        let message = format!("operand {at} of this assembly is used before it has a value");
        return Err(call.error(message).help("write the instruction in C"));
    };
    let value = call.lowering.rvalue(source.expression)?;
    let value = call.lowering.convert(value, ty)?;
    Ok(call.keep(value).expr)
}

/// Puts what the instruction leaves in a register into the variable that stands for it.
fn give(call: &mut Call<'_, '_>, operands: &[Operand<'_>], at: Option<usize>, value: Value) -> Result<(), Diagnostic> {
    let Some(operand) = at.map(|at| &operands[at]).filter(|operand| operand.output) else { return Ok(()) };
    let place = call.lowering.place(operand.expression)?;
    let value = call.lowering.convert(value, &place.ty.unqualified())?;
    call.lowering.write(&place, value)?;
    Ok(())
}
