//! What is to be verified: assertions, assumptions, inputs, atomic sections, as other verifiers spell them; critical
//! sections as we do.

use super::Outcome;
use super::context::Call;
use crate::lower::Lowering;
use crate::types::Type;
use ir::{BinaryOp, Expr, Op, System, TagSet, Width};
use source::Diagnostic;

/// Begins an atomic section: a full fence, then the section.
pub(crate) fn atomic_begin(lowering: &mut Lowering) {
    let tags: TagSet = lowering.tags(&["SC"]);
    lowering.emit(Op::Fence { tags });
    lowering.emit(Op::System(System::AtomicBegin));
}

/// Ends an atomic section: the end, then a full fence.
pub(crate) fn atomic_end(lowering: &mut Lowering) {
    lowering.emit(Op::System(System::AtomicEnd));
    let tags: TagSet = lowering.tags(&["SC"]);
    lowering.emit(Op::Fence { tags });
}

pub(super) fn call(call: &mut Call<'_, '_>) -> Outcome {
    let value = match call.name {
        "reach_error" | "__VERIFIER_error" if call.lowering.options().checks.only => {
            call.stop();
            None
        }
        "reach_error" | "__VERIFIER_error" => {
            let message = format!("{}()", call.name);
            fail(call, message);
            None
        }
        "__assert_fail" | "__assert" | "__assert_perror_fail" | "__assert_rtn" => {
            let message = call.args.iter().find_map(|arg| call.lowering.string_value(arg));
            violate(call, message.unwrap_or_else(|| "assertion".to_owned()));
            None
        }
        "assert" | "__CPROVER_assert" | "__VERIFIER_assert" => {
            call.at_least(1)?;
            let text = call.args.get(1).and_then(|arg| call.lowering.string_value(arg));
            let message = text.unwrap_or_else(|| {
                let place = call.lowering.at(call.args[0].span);
                call.lowering.program.source.slice(place).to_owned()
            });
            let condition = call.truth(0)?;
            if call.lowering.options().competition {
                call.assume(condition, false);
            } else {
                call.lowering.emit(Op::System(System::Assert { condition, message }));
            }
            None
        }
        "__VERIFIER_assume" | "__CPROVER_assume" | "assume_abort_if_not" => {
            call.arity(1)?;
            let condition = call.truth(0)?;
            call.assume(condition, false);
            None
        }
        "__VERIFIER_atomic_begin" | "__CPROVER_atomic_begin" => {
            atomic_begin(call.lowering);
            None
        }
        "__VERIFIER_atomic_end" | "__CPROVER_atomic_end" => {
            atomic_end(call.lowering);
            None
        }
        "__fencepost_critical_begin" | "__fencepost_critical_end" => {
            call.arity(0)?;
            let enter = call.name == "__fencepost_critical_begin";
            call.lowering.emit(Op::System(System::Critical { enter }));
            None
        }
        "__builtin_va_start" | "__builtin_c23_va_start" => {
            call.at_least(1)?;
            call.lowering.va_start(&call.args[0], call.span)?;
            None
        }
        "__builtin_va_copy" => {
            call.arity(2)?;
            call.lowering.va_copy(&call.args[0], &call.args[1])?;
            None
        }
        "__builtin_va_end" => None,
        "__VERIFIER_loop_bound" | "__CPROVER_cover" | "__CPROVER_input" | "__CPROVER_output" => {
            call.evaluate_all()?;
            None
        }
        "abort" | "__builtin_trap" | "__builtin_abort" => {
            violate(call, format!("{}()", call.name));
            None
        }
        "exit" | "_exit" | "_Exit" | "quick_exit" | "err" | "errx" | "verr" | "verrx" => {
            leave(call)?;
            None
        }
        "__builtin_unreachable" | "__CPROVER_unreachable" => {
            violate(call, "a place is reached that is said to be unreachable".to_owned());
            None
        }
        _ => {
            let Some(suffix) = nondet(call.name) else { return Ok(None) };
            let Some(ty) = nondet_type(call.lowering, suffix) else {
                let help = "known are int, unsigned, char, short, long, longlong, bool, size_t and their unsigned kin; to \
                            choose among objects, choose an index";
                return Err(call.error(format!("`{}` gives any value of an unknown kind", call.name)).help(help));
            };
            Some(call.any_value(&ty)?)
        }
    };
    Ok(Some(value))
}

/// The property is violated, whatever the rules.
fn fail(call: &mut Call<'_, '_>, message: String) {
    call.lowering.emit(Op::System(System::Assert { condition: Expr::Const(0, Width::BOOL), message }));
    call.lowering.unreachable_from_here();
}

/// An assertion fails; under the rules of competitions that only ends the path.
fn violate(call: &mut Call<'_, '_>, message: String) {
    if call.lowering.options().competition {
        call.stop();
    } else {
        fail(call, message);
    }
}

/// The program ends; with a status other than 0 it says that something is wrong.
fn leave(call: &mut Call<'_, '_>) -> Result<(), Diagnostic> {
    if call.args.is_empty() || call.lowering.options().competition {
        call.evaluate_all()?;
    } else {
        let text = call.lowering.at(call.args[0].span);
        let message = format!("{}({})", call.name, call.lowering.program.source.slice(text));
        let status = call.value_as(0, &Type::INT)?;
        let status = call.keep(status).expr;
        if !matches!(status, Expr::Const(0, _)) {
            let condition = status.binary(BinaryOp::Eq, Expr::constant(0, Width::INT));
            call.lowering.emit(Op::System(System::Assert { condition, message }));
        }
        for at in 1..call.args.len() {
            call.value(at)?;
        }
    }
    if call.name == "exit" {
        call.lowering.call_destructors()?;
        call.lowering.judge_leaks();
    }
    call.stop();
    Ok(())
}

/// What kind of value an input function gives, by its name.
fn nondet(name: &str) -> Option<&str> {
    name.strip_prefix("__VERIFIER_nondet_").or_else(|| name.strip_prefix("nondet_"))
}

fn nondet_type(lowering: &Lowering, suffix: &str) -> Option<Type> {
    Some(match suffix {
        "int" | "S32" | "s32" | "int32" | "int32_t" => Type::INT,
        "uint" | "unsigned" | "unsigned_int" | "u32" | "U32" | "uint32" | "uint32_t" => Type::UINT,
        "char" | "schar" | "signed_char" | "s8" | "S8" | "int8" | "int8_t" => Type::CHAR,
        "uchar" | "unsigned_char" | "unchar" | "u8" | "U8" | "uint8" | "uint8_t" => Type::UCHAR,
        "short" | "s16" | "S16" | "int16" | "int16_t" => Type::SHORT,
        "ushort" | "unsigned_short" | "u16" | "U16" | "uint16" | "uint16_t" => Type::USHORT,
        "long" | "loff_t" => lowering.types.long(true),
        "ulong" | "unsigned_long" | "size_t" | "sizet" | "uintptr_t" => lowering.types.long(false),
        "longlong" | "long_long" | "s64" | "S64" | "int64" | "int64_t" => Type::LONG_LONG,
        "ulonglong" | "unsigned_long_long" | "u64" | "U64" | "uint64" | "uint64_t" => Type::ULONG_LONG,
        "bool" | "_Bool" => Type::BOOL,
        "float" => Type::FLOAT,
        "double" => Type::DOUBLE,
        _ => return None,
    })
}
