//! `locations`, `filter` and the condition, as written.

use crate::lex::{Cursor, Kind, skip_comment, tokens};
use crate::state::{LocationName, Value, place, value};
use ir::{Comparison, Quantifier};
use source::{Diagnostic, SourceFile, Span};
use std::ops::Range;

/// How deep propositions may nest.
const DEPTH: u32 = 200;

/// What stands after the program.
#[derive(Debug)]
pub(crate) struct Final<'s> {
    pub locations: Vec<(LocationName<'s>, Span)>,
    pub filter: Option<Prop<'s>>,
    pub quantifier: Quantifier,
    pub proposition: Prop<'s>,
}

/// A proposition as written.
#[derive(Debug)]
pub(crate) enum Prop<'s> {
    True,
    False,
    Atom {
        place: LocationName<'s>,
        comparison: Comparison,
        value: Value<'s>,
        span: Span,
    },
    /// Two registers or locations are compared.
    Same {
        places: [LocationName<'s>; 2],
        comparison: Comparison,
        span: Span,
    },
    Not(Box<Prop<'s>>),
    And(Vec<Prop<'s>>),
    Or(Vec<Prop<'s>>),
    Implies(Box<Prop<'s>>, Box<Prop<'s>>),
}

impl<'s> Prop<'s> {
    /// Calls `visit` with every location mentioned.
    pub fn for_each_place(&self, visit: &mut impl FnMut(LocationName<'s>)) {
        match self {
            Prop::True | Prop::False => {}
            Prop::Atom { place, .. } => visit(*place),
            Prop::Same { places, .. } => places.iter().for_each(|place| visit(*place)),
            Prop::Not(inner) => inner.for_each_place(visit),
            Prop::And(all) | Prop::Or(all) => all.iter().for_each(|p| p.for_each_place(visit)),
            Prop::Implies(left, right) => {
                left.for_each_place(visit);
                right.for_each_place(visit);
            }
        }
    }
}

/// Reads what stands after the program.
pub(crate) fn parse(file: &SourceFile, range: Range<usize>) -> Result<Final<'_>, Diagnostic> {
    let range = range.start..directives(file, range)?;
    let tokens = tokens(file, range.start, range.end)?;
    let mut cursor = Cursor::new(file, &tokens, Span::new(range.end, range.end));
    let cursor = &mut cursor;
    let locations = if cursor.eat_word("locations") { locations(cursor)? } else { Vec::new() };
    let filter = if cursor.eat_word("filter") { Some(disjunction(cursor, 0)?) } else { None };
    // A test may only list locations: then every outcome is as good as any other.
    if cursor.at_end() && !locations.is_empty() {
        return Ok(Final { locations, filter, quantifier: Quantifier::Forall, proposition: Prop::True });
    }
    let quantifier = quantifier(cursor)?;
    let proposition = disjunction(cursor, 0)?;
    cursor.eat(";");
    expectations(cursor)?;
    if !cursor.at_end() {
        return Err(cursor.expected("the end of the condition"));
    }
    Ok(Final { locations, filter, quantifier, proposition })
}

fn quantifier(cursor: &mut Cursor<'_, '_>) -> Result<Quantifier, Diagnostic> {
    let missing = "a condition: `exists`, `~exists` or `forall`";
    if cursor.eat_word("exists") || cursor.eat_word("final") {
        Ok(Quantifier::Exists)
    } else if cursor.eat_word("forall") {
        Ok(Quantifier::Forall)
    } else if cursor.eat("~") || cursor.eat_word("not") {
        if cursor.eat_word("exists") { Ok(Quantifier::NotExists) } else { Err(cursor.expected("`exists`")) }
    } else {
        Err(cursor.expected(missing))
    }
}

/// What old tests expect of each model, `with tso: ~exists; default: exists;`, is theirs to say: here it is only read over.
fn expectations(cursor: &mut Cursor<'_, '_>) -> Result<(), Diagnostic> {
    if !cursor.eat_word("with") {
        return Ok(());
    }
    while !cursor.at_end() {
        cursor.name("a model")?;
        cursor.expect(":")?;
        quantifier(cursor)?;
        cursor.eat(";");
    }
    Ok(())
}

/// Where the condition ends: old tests have blocks `<< … >>` of directives for drawing behind it.
fn directives(file: &SourceFile, range: Range<usize>) -> Result<usize, Diagnostic> {
    let bytes = file.text().as_bytes();
    let mut at = range.start;
    while at < range.end {
        if bytes[at..range.end].starts_with(b"(*") {
            at = skip_comment(file, at, range.end)?;
        } else if bytes[at..range.end].starts_with(b"<<") {
            return Ok(at);
        } else {
            at += 1;
        }
    }
    Ok(range.end)
}

fn locations<'s>(cursor: &mut Cursor<'s, '_>) -> Result<Vec<(LocationName<'s>, Span)>, Diagnostic> {
    cursor.expect("[")?;
    let mut all = Vec::new();
    loop {
        while cursor.eat(";") {}
        if cursor.eat("]") {
            return Ok(all);
        }
        all.push(place(cursor)?);
        // A type may follow: `0:r1 int;`, `x*;`.
        if cursor.peek().kind == Kind::Name {
            cursor.bump();
        }
        while cursor.eat("*") {}
        if !matches!(cursor.peek().kind, Kind::Sym(";" | "]")) {
            return Err(cursor.expected("`;` or `]`"));
        }
    }
}

fn disjunction<'s>(cursor: &mut Cursor<'s, '_>, depth: u32) -> Result<Prop<'s>, Diagnostic> {
    let first = conjunction(cursor, depth)?;
    if !matches!(cursor.peek().kind, Kind::Sym("\\/")) {
        return Ok(first);
    }
    let mut all = vec![first];
    while cursor.eat("\\/") {
        all.push(conjunction(cursor, depth)?);
    }
    Ok(Prop::Or(all))
}

fn conjunction<'s>(cursor: &mut Cursor<'s, '_>, depth: u32) -> Result<Prop<'s>, Diagnostic> {
    let first = implication(cursor, depth)?;
    if !matches!(cursor.peek().kind, Kind::Sym("/\\")) {
        return Ok(first);
    }
    let mut all = vec![first];
    while cursor.eat("/\\") {
        all.push(implication(cursor, depth)?);
    }
    Ok(Prop::And(all))
}

/// In herd `=>` binds tighter than `/\` and `\/`.
fn implication<'s>(cursor: &mut Cursor<'s, '_>, depth: u32) -> Result<Prop<'s>, Diagnostic> {
    let left = negation(cursor, depth)?;
    if !cursor.eat("=>") {
        return Ok(left);
    }
    let right = implication(cursor, deeper(cursor, depth)?)?;
    Ok(Prop::Implies(Box::new(left), Box::new(right)))
}

fn negation<'s>(cursor: &mut Cursor<'s, '_>, depth: u32) -> Result<Prop<'s>, Diagnostic> {
    if cursor.eat("~") || cursor.eat_word("not") {
        return Ok(Prop::Not(Box::new(negation(cursor, deeper(cursor, depth)?)?)));
    }
    if cursor.eat("(") {
        let inner = disjunction(cursor, deeper(cursor, depth)?)?;
        cursor.expect(")")?;
        return Ok(inner);
    }
    if cursor.eat_word("true") {
        return Ok(Prop::True);
    }
    if cursor.eat_word("false") {
        return Ok(Prop::False);
    }
    let (place, start) = place(cursor)?;
    let comparison = if cursor.eat("=") || cursor.eat("==") {
        Comparison::Eq
    } else if cursor.eat("!=") || cursor.eat("<>") {
        Comparison::Ne
    } else {
        return Err(cursor.expected("`=` or `!=`"));
    };
    if at_register(cursor) {
        let (other, end) = self::place(cursor)?;
        return Ok(Prop::Same { places: [place, other], comparison, span: start.to(end) });
    }
    let (value, end) = value(cursor)?;
    Ok(Prop::Atom { place, comparison, value, span: start.to(end) })
}

/// Whether `1:r0` or `P1:r0` comes next.
fn at_register(cursor: &Cursor<'_, '_>) -> bool {
    matches!(cursor.peek().kind, Kind::Number | Kind::Name) && matches!(cursor.peek_at(1).kind, Kind::Sym(":"))
}

fn deeper(cursor: &Cursor<'_, '_>, depth: u32) -> Result<u32, Diagnostic> {
    if depth >= DEPTH {
        return Err(cursor.error(cursor.peek().span, format!("a condition that nests deeper than {DEPTH} levels")));
    }
    Ok(depth + 1)
}
