//! The initial state.

use crate::lex::{Cursor, Kind, tokens};
use crate::state::{LocationName, Value, place, value};
use ir::Width;
use source::{Diagnostic, SourceFile, Span};
use std::collections::HashSet;
use std::ops::Range;

/// The type that an item of the initial state gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type<'s> {
    /// None: `x=1`.
    None,
    /// `int x`.
    Plain(&'s str),
    /// `_Atomic int x`.
    Atomic(&'s str),
    /// `int *x`; the name is empty in `*x`.
    Pointer(&'s str),
    /// `int x[2]`.
    Array(&'s str, u32),
}

/// An item of the initial state.
#[derive(Debug)]
pub(crate) struct Item<'s> {
    pub place: LocationName<'s>,
    pub ty: Type<'s>,
    /// One value, or the values of an array.
    pub values: Vec<Value<'s>>,
    pub span: Span,
}

/// Reads the initial state.
pub(crate) fn parse(file: &SourceFile, range: Range<usize>) -> Result<Vec<Item<'_>>, Diagnostic> {
    let tokens = tokens(file, range.start, range.end)?;
    let mut cursor = Cursor::new(file, &tokens, Span::new(range.end, range.end));
    let mut items: Vec<Item<'_>> = Vec::new();
    while !cursor.at_end() {
        if cursor.eat(";") {
            continue;
        }
        items.push(item(&mut cursor)?);
        if !cursor.at_end() {
            cursor.expect(";")?;
        }
    }
    let mut seen = HashSet::with_capacity(items.len());
    for item in &items {
        let key = match item.place {
            LocationName::Register(thread, name) => (Some(thread), name),
            LocationName::Memory(name) | LocationName::Element(name, _) => (None, name),
        };
        if !seen.insert(key) {
            return Err(Diagnostic::error(file, item.span, format!("`{}` is initialised twice", item.place)));
        }
    }
    Ok(items)
}

/// Reads one item: an optional type, a location, an optional value.
fn item<'s>(cursor: &mut Cursor<'s, '_>) -> Result<Item<'s>, Diagnostic> {
    let start = cursor.peek().span;
    let mut ty = Type::None;
    if cursor.eat("*") {
        ty = Type::Pointer("");
    } else if cursor.eat_word("_Atomic") {
        ty = Type::Atomic(cursor.name("a type")?.0);
    } else {
        cursor.eat_word("volatile");
        cursor.eat_word("unsigned");
        cursor.eat_word("struct");
        // A word before another word, a number, `*` or `[` is a type; `x[2]` alone is refused below.
        let (here, next) = (cursor.peek(), cursor.peek_at(1));
        let bracket_of_place = next.kind == Kind::Sym("[") && cursor.peek_at(2).kind == Kind::Name;
        if here.kind == Kind::Name
            && (matches!(next.kind, Kind::Name | Kind::Number | Kind::Sym("*")) || bracket_of_place)
        {
            cursor.bump();
            let name = cursor.text(here);
            ty = if cursor.eat("*") { Type::Pointer(name) } else { Type::Plain(name) };
            while cursor.eat("*") {}
        }
    }
    let (mut place, mut span) = place(cursor)?;
    if let LocationName::Element(name, size) = place {
        let Type::Plain(element) = ty else {
            return Err(cursor.error(span, "an array needs a type and all its values").help("write `int x[2]={1,2};`"));
        };
        if size == 0 {
            return Err(cursor.error(span, "an array has at least one element"));
        }
        place = LocationName::Memory(name);
        ty = Type::Array(element, size);
    }
    let mut values = Vec::new();
    if cursor.eat("=") {
        if cursor.eat_word("ATOMIC_INIT") {
            cursor.expect("(")?;
            values.push(value(cursor)?.0);
            span = cursor.expect(")")?.span;
        } else if let Type::Array(_, size) = ty {
            cursor.expect("{")?;
            values.push(value(cursor)?.0);
            while cursor.eat(",") {
                values.push(value(cursor)?.0);
            }
            span = cursor.expect("}")?.span;
            if values.len() != size as usize {
                let message = format!("an array of {size} elements with {} values", values.len());
                return Err(cursor.error(start.to(span), message));
            }
        } else {
            let (one, end) = value(cursor)?;
            values.push(one);
            span = end;
        }
    }
    if values.is_empty() {
        let count = if let Type::Array(_, size) = ty { size as usize } else { 1 };
        values.resize(count, Value::Number(0, "0"));
    }
    Ok(Item { place, ty, values, span: start.to(span) })
}

impl Type<'_> {
    /// The size of what is in the location, in bits.
    pub fn width(self) -> Width {
        u8::try_from(8 * self.element_size()).map_or(Width::INT, Width::new)
    }

    /// The size of what is in the location, in bytes, as C has it.
    pub fn element_size(self) -> u64 {
        match self {
            Type::None => 4,
            Type::Pointer(_) => 8,
            Type::Plain(name) | Type::Atomic(name) | Type::Array(name, _) => u64::from(crate::c::base_type(name).0) / 8,
        }
    }
}
