//! Output. Nobody looks at what is printed; but who prints a text reads it, so it must be there, and it is read while others may write it.

use super::Outcome;
use super::context::{Call, is_stream};
use crate::lower::Value;
use crate::types::Type;
use source::Diagnostic;

pub(super) fn call(call: &mut Call<'_, '_>) -> Outcome {
    match call.name {
        "printf" | "printk" | "vprintf" => formatted(call, 0)?,
        "fprintf" | "dprintf" | "__printf_chk" | "vfprintf" | "vdprintf" => formatted(call, 1)?,
        "__fprintf_chk" => formatted(call, 2)?,
        "puts" | "fputs" => {
            call.at_least(1)?;
            text(call, 0, None)?;
            evaluate(call, 1)?;
        }
        "perror" => {
            call.arity(1)?;
            if !call.is_null(0) {
                text(call, 0, None)?;
            }
            return Ok(Some(None));
        }
        "write" => {
            call.arity(3)?;
            let length = call.lowering.string_value(&call.args[1]).map(|text| text.len() as i64 + 1);
            let size = call.lowering.const_value(&call.args[2]);
            if matches!((length, size), (Some(length), Some(size)) if (0..=length).contains(&size)) {
                evaluate(call, 0)?;
            } else {
                let mut values = Vec::new();
                for at in 0..3 {
                    let value = call.value(at)?;
                    values.push(call.keep(value));
                }
                call.lowering.call_function("__fencepost_read_block", values.split_off(1))?;
            }
        }
        "putchar" | "putc" | "fputc" | "fflush" | "setvbuf" | "fclose" => call.evaluate_all()?,
        _ => return Ok(None),
    }
    Ok(Some(Some(call.any_value(&Type::INT)?)))
}

/// Evaluates the arguments from one on, but for streams, which are not modelled, and texts that are written there.
fn evaluate(call: &mut Call<'_, '_>, from: usize) -> Result<(), Diagnostic> {
    (from..call.args.len()).try_for_each(|at| evaluate_one(call, at))
}

fn evaluate_one(call: &mut Call<'_, '_>, at: usize) -> Result<(), Diagnostic> {
    if call.lowering.string_value(&call.args[at]).is_none() && !is_stream(&call.args[at]) {
        call.value(at)?;
    }
    Ok(())
}

/// An argument is read as a text: up to its end, or so many characters if it does not end before. One that is written there is a text.
fn text(call: &mut Call<'_, '_>, at: usize, most: Option<Value>) -> Result<(), Diagnostic> {
    if call.lowering.string_value(&call.args[at]).is_some() {
        return Ok(());
    }
    let value = call.value(at)?;
    let value = call.keep(value);
    let most = most.unwrap_or_else(|| call.lowering.int(-1, &Type::LONG_LONG));
    call.lowering.call_function("__fencepost_read_text", vec![value, most])?;
    Ok(())
}

/// What a conversion of a format makes of the next argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Conversion {
    /// It is a number, or an address that is only printed.
    Word,
    /// It is the precision of the conversion that follows.
    Precision,
    /// It is a text, of which so many characters are read at most, if that is said by a number.
    Text(Option<i64>),
}

/// Prints arguments as a format says that comes before them.
fn formatted(call: &mut Call<'_, '_>, format: usize) -> Result<(), Diagnostic> {
    call.at_least(format + 1)?;
    for at in 0..format {
        evaluate_one(call, at)?;
    }
    let known = call.lowering.string_value(&call.args[format]);
    let conversions = match known {
        Some(text) if !call.name.starts_with('v') => conversions(call, &text)?,
        _ => return by_runtime(call, format),
    };
    let mut precision = None;
    for (at, conversion) in
        (format + 1..call.args.len()).zip(conversions.iter().map(Some).chain(std::iter::repeat(None)))
    {
        match conversion {
            Some(Conversion::Precision) => {
                let value = call.value_as(at, &Type::INT)?;
                precision = Some(call.keep(value));
            }
            Some(Conversion::Text(most)) => {
                let most = most.map(|most| call.lowering.int(most, &Type::LONG_LONG));
                text(call, at, most.or(precision.take()))?;
            }
            Some(Conversion::Word) | None => {
                precision = None;
                evaluate_one(call, at)?;
            }
        }
    }
    Ok(())
}

/// A format that is not written there is followed by our library, as the program runs.
fn by_runtime(call: &mut Call<'_, '_>, format: usize) -> Result<(), Diagnostic> {
    let value = call.value(format)?;
    let text = call.keep(value);
    let list = if call.name.starts_with('v') {
        call.at_least(format + 2)?;
        call.value(format + 1)?
    } else {
        let mut words = Vec::new();
        for arg in &call.args[format + 1..] {
            words.push(call.lowering.rest_argument(arg)?);
        }
        let expr = call.lowering.rest_block(words)?;
        Value { expr, ty: Type::VOID.pointer_to() }
    };
    call.lowering.call_function("__fencepost_prints", vec![text, list])?;
    Ok(())
}

/// The conversions of a format, one for each argument.
fn conversions(call: &Call<'_, '_>, format: &str) -> Result<Vec<Conversion>, Diagnostic> {
    let mut found = Vec::new();
    let mut rest = format.split('\0').next().unwrap_or_default().chars().peekable();
    while let Some(c) = rest.next() {
        if c != '%' {
            continue;
        }
        let (mut most, mut wide) = (None, false);
        let mut after_point = false;
        loop {
            match rest.next() {
                Some('*') => found.push(if after_point { Conversion::Precision } else { Conversion::Word }),
                Some('.') => {
                    after_point = true;
                    most = (rest.peek() != Some(&'*')).then_some(0);
                }
                Some(digit @ '0'..='9') => {
                    let digit = i64::from(u32::from(digit) - u32::from('0'));
                    most = most.map(|most: i64| most.saturating_mul(10).saturating_add(digit));
                }
                Some('-' | '+' | ' ' | '#' | '\'' | 'h' | 'L' | 'q' | 'j' | 'z' | 't') => {}
                Some('l') => wide = true,
                Some('%' | 'm') | None => break,
                Some('s') if !wide => {
                    found.push(Conversion::Text(most));
                    break;
                }
                Some(c @ ('n' | '$' | 's' | 'S')) => {
                    let what = match c {
                        'n' => "`%n`, which writes",
                        '$' => "arguments that are named by numbers (`%1$d`)",
                        _ => "texts of wide characters",
                    };
                    let message = format!("`{}` is given a format with {what}: that is not supported", call.name);
                    return Err(call.error(message).help("print it in another way, or leave the call out"));
                }
                Some(_) => {
                    found.push(Conversion::Word);
                    break;
                }
            }
        }
    }
    Ok(found)
}
