//! The syntax that initial states and conditions share: locations and values.

use crate::lex::{Cursor, Kind};
use source::{Diagnostic, Span};
use std::cmp::Ordering;

/// A location as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LocationName<'s> {
    /// `0:r1`.
    Register(u32, &'s str),
    /// `x` or `[x]`.
    Memory(&'s str),
    /// `x[1]`.
    Element(&'s str, u32),
}

/// A value as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value<'s> {
    /// A number, and its text, which the hash is made of.
    Number(i64, &'s str),
    /// The address of a location, or of an element of it.
    Address(&'s str, u32),
}

impl LocationName<'_> {
    /// The order of herd: registers, then locations, then elements.
    pub fn order(&self, other: &Self) -> Ordering {
        let rank = |place: &LocationName<'_>| match place {
            LocationName::Register(..) => 0,
            LocationName::Memory(_) => 1,
            LocationName::Element(..) => 2,
        };
        match (self, other) {
            (LocationName::Register(t, r), LocationName::Register(u, s)) => (t, r).cmp(&(u, s)),
            (LocationName::Memory(x), LocationName::Memory(y)) => x.cmp(y),
            (LocationName::Element(x, i), LocationName::Element(y, j)) => (x, i).cmp(&(y, j)),
            _ => rank(self).cmp(&rank(other)),
        }
    }
}

impl std::fmt::Display for LocationName<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LocationName::Register(thread, name) => write!(f, "{thread}:{name}"),
            LocationName::Memory(name) => f.write_str(name),
            LocationName::Element(name, index) => write!(f, "{name}[{index}]"),
        }
    }
}

impl std::fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Number(_, text) => f.write_str(text),
            Value::Address(name, 0) => f.write_str(name),
            Value::Address(name, index) => write!(f, "{name}[{index}]"),
        }
    }
}

/// Reads `0:r1`, `P0:r1`, `x`, `[x]` or `x[1]`.
pub(crate) fn place<'s>(cursor: &mut Cursor<'s, '_>) -> Result<(LocationName<'s>, Span), Diagnostic> {
    let start = cursor.peek();
    if cursor.eat("[") {
        let (name, _) = cursor.name("the name of a location")?;
        let end = cursor.expect("]")?;
        return Ok((LocationName::Memory(name), start.span.to(end.span)));
    }
    if start.kind == Kind::Number {
        let (thread, span) = cursor.number("a thread")?;
        cursor.expect(":")?;
        return register(cursor, u32::try_from(thread).unwrap_or(u32::MAX), span);
    }
    let (name, span) = cursor.name("a register such as `0:r1` or a location such as `x`")?;
    let colon = matches!(cursor.peek().kind, Kind::Sym(":"));
    if let Some(thread) = name.strip_prefix('P').filter(|_| colon).and_then(|digits| digits.parse().ok()) {
        cursor.bump();
        return register(cursor, thread, span);
    }
    if matches!(cursor.peek().kind, Kind::Sym("[")) {
        let (index, end) = index(cursor)?;
        return Ok((LocationName::Element(name, index), span.to(end)));
    }
    Ok((LocationName::Memory(name), span))
}

fn register<'s>(cursor: &mut Cursor<'s, '_>, thread: u32, start: Span) -> Result<(LocationName<'s>, Span), Diagnostic> {
    let (name, span) = cursor.name("the name of a register")?;
    Ok((LocationName::Register(thread, name), start.to(span)))
}

/// Reads `[3]`.
pub(crate) fn index(cursor: &mut Cursor<'_, '_>) -> Result<(u32, Span), Diagnostic> {
    let start = cursor.expect("[")?;
    let (index, span) = cursor.number("an index")?;
    let end = cursor.expect("]")?;
    let index = u32::try_from(index).ok().filter(|&index| index <= 4096);
    let index = index.ok_or_else(|| cursor.error(span, "an array index is a number from 0 to 4096"))?;
    Ok((index, start.span.to(end.span)))
}

/// Reads `1`, `-1`, `0x10`, `x`, `&x` or `x[1]`.
pub(crate) fn value<'s>(cursor: &mut Cursor<'s, '_>) -> Result<(Value<'s>, Span), Diagnostic> {
    let start = cursor.peek();
    let ampersand = cursor.eat("&");
    if !ampersand && matches!(start.kind, Kind::Number | Kind::Sym("-")) {
        let (number, span) = cursor.number("a value")?;
        if matches!(cursor.peek().kind, Kind::Sym(":")) {
            return Err(cursor
                .error(span.to(cursor.peek().span), "a register where a constant is needed")
                .help("only a condition compares registers with each other"));
        }
        return Ok((Value::Number(number, cursor.file.slice(span)), span));
    }
    let (name, span) = cursor.name("a number or the name of a location")?;
    let mut span = start.span.to(span);
    let mut element = 0;
    if matches!(cursor.peek().kind, Kind::Sym("[")) {
        let (index, end) = index(cursor)?;
        element = index;
        span = span.to(end);
    }
    Ok((Value::Address(name, element), span))
}
