//! Initialisers.
//!
//! An initialiser is first flattened into settings: which scalar, or which structure as a whole, gets which expression.
//! Variables outside functions take them as constants, others as assignments.

use super::place::Place;
use super::{Lowering, Value};
use crate::types::{BitField, Kind, Member, Type};
use c_syntax::ast::{Designator, Expression, Initializer, InitializerItem, Node};
use ir::{Expr, Width};
use source::{Diagnostic, Span};

/// A part of an object and what it is set to.
#[derive(Debug, Clone)]
pub(crate) struct Setting<'a> {
    pub offset: u64,
    /// The type of the part: a scalar, or a structure that is copied.
    pub ty: Type,
    pub bits: Option<BitField>,
    pub source: Source<'a>,
}

/// What a part is set to.
#[derive(Debug, Clone)]
pub(crate) enum Source<'a> {
    Expression(&'a Node<Expression>),
    Number(i64),
}

/// Where the next item of a list goes, one level of the object.
struct Cursor<'a> {
    items: &'a [InitializerItem],
    at: usize,
    /// Whether the designation of the current item has been followed already.
    followed: bool,
}

impl Lowering {
    /// Lists what an initialiser sets.
    pub fn flatten<'a>(
        &mut self,
        ty: &Type,
        initializer: &'a Node<Initializer>,
        out: &mut Vec<Setting<'a>>,
    ) -> Result<(), Diagnostic> {
        self.flatten_at(ty, 0, None, &initializer.node, out)?;
        Ok(())
    }

    /// How many elements an initialiser gives an array of unknown size.
    pub fn initializer_count(&mut self, element: &Type, initializer: &Node<Initializer>) -> Result<u64, Diagnostic> {
        let ty: Type = Kind::Array(std::rc::Rc::new(element.clone()), None).into();
        self.flatten_at(&ty, 0, None, &initializer.node, &mut Vec::new())
    }

    /// The number of elements that were set, for an array.
    fn flatten_at<'a>(
        &mut self,
        ty: &Type,
        base: u64,
        bits: Option<BitField>,
        initializer: &'a Initializer,
        out: &mut Vec<Setting<'a>>,
    ) -> Result<u64, Diagnostic> {
        match initializer {
            Initializer::Expression(e) => {
                if let (Kind::Array(element, count), Expression::StringLiteral(literal)) = (&ty.kind, &e.node)
                    && matches!(element.kind, Kind::Int { bits: 8, .. })
                {
                    let bytes = self.string_bytes(literal)?;
                    return Ok(self.string_settings(&bytes, base, element, *count, out));
                }
                if let (Kind::Array(..), Expression::CompoundLiteral(literal)) = (&ty.kind, &e.node) {
                    return self.flatten_list(ty, base, bits, &literal.initializer, out);
                }
                if matches!(ty.kind, Kind::Array(..)) {
                    let complaint = self.error(self.at(e.span), "an array is initialised with a list in braces");
                    return Err(complaint.help("write { … }"));
                }
                out.push(Setting { offset: base, ty: ty.clone(), bits, source: Source::Expression(e) });
                Ok(0)
            }
            Initializer::List(items) => self.flatten_list(ty, base, bits, items, out),
        }
    }

    /// The same for a list in braces.
    pub fn flatten_list<'a>(
        &mut self,
        ty: &Type,
        base: u64,
        bits: Option<BitField>,
        items: &'a [InitializerItem],
        out: &mut Vec<Setting<'a>>,
    ) -> Result<u64, Diagnostic> {
        if let Kind::Record(id) = &ty.kind
            && self.types.record(*id).library
            && self.body.unit.is_user()
        {
            self.library_initializer(ty, base, items, out);
            return Ok(0);
        }
        if ty.is_scalar() {
            return match items.first() {
                Some(item) => {
                    let inner = &item.initializer;
                    self.flatten_at(ty, base, bits, &inner.node, out)
                }
                None => {
                    out.push(Setting { offset: base, ty: ty.clone(), bits, source: Source::Number(0) });
                    Ok(0)
                }
            };
        }
        // A string in braces.
        if let (Kind::Array(element, _), [only]) = (&ty.kind, items)
            && element.is_scalar()
            && let Initializer::Expression(e) = &only.initializer.node
            && matches!(e.node, Expression::StringLiteral(_))
            && matches!(element.kind, Kind::Int { bits: 8, .. })
        {
            return self.flatten_at(ty, base, bits, &only.initializer.node, out);
        }
        let mut cursor = Cursor { items, at: 0, followed: false };
        let count = self.fill(ty, base, &mut cursor, true, out)?;
        if cursor.at < items.len() {
            let extra = items[cursor.at].initializer.span;
            let complaint = self.error(self.at(extra), "there is nothing left to initialise");
            return Err(complaint.help("remove what is too much in the list"));
        }
        Ok(count)
    }

    /// Any list initialises a type of our library: all is zero but the kind, which is the first number that is not.
    fn library_initializer<'a>(
        &mut self,
        ty: &Type,
        base: u64,
        items: &'a [InitializerItem],
        out: &mut Vec<Setting<'a>>,
    ) {
        let Kind::Record(id) = ty.kind else { return };
        let (Some(kind), Some(number)) = (self.types.member(id, "kind"), self.first_number(items)) else { return };
        out.push(Setting { offset: base + kind.offset, ty: kind.ty, bits: None, source: Source::Number(number) });
    }

    fn first_number(&mut self, items: &[InitializerItem]) -> Option<i64> {
        items.iter().find_map(|item| match &item.initializer.node {
            Initializer::Expression(e) => self.const_value(e).filter(|number| *number != 0),
            Initializer::List(inner) => self.first_number(inner),
        })
    }

    fn string_settings(
        &mut self,
        bytes: &[u8],
        base: u64,
        element: &Type,
        count: Option<u64>,
        out: &mut Vec<Setting<'_>>,
    ) -> u64 {
        let count = count.unwrap_or(bytes.len() as u64 + 1);
        for (at, byte) in bytes.iter().chain([&0]).enumerate().take(usize::try_from(count).unwrap_or(usize::MAX)) {
            let source = Source::Number(i64::from(*byte as i8));
            out.push(Setting { offset: base + at as u64, ty: element.clone(), bits: None, source });
        }
        count
    }

    /// Fills an array or a structure from a list; `braces` says whether the list is its own. Gives the number of elements.
    fn fill<'a>(
        &mut self,
        ty: &Type,
        base: u64,
        cursor: &mut Cursor<'a>,
        braces: bool,
        out: &mut Vec<Setting<'a>>,
    ) -> Result<u64, Diagnostic> {
        match &ty.kind {
            Kind::Array(element, count) => {
                let size = self.size(element)?;
                let (mut next, mut most) = (0u64, 0u64);
                while let Some(item) = cursor.items.get(cursor.at) {
                    let designation = if cursor.followed { &[] } else { item.designation.as_slice() };
                    if !designation.is_empty() && !braces {
                        break;
                    }
                    let mut last = next;
                    if let Some((first, rest)) = designation.split_first() {
                        (next, last) = self.designated_indices(first)?;
                        if count.is_some_and(|count| last >= count) || last < next || last - next > 1 << 20 {
                            let complaint = self.error(self.at(first.span), "this index is outside the array");
                            return Err(complaint.help("use an index from 0 to the number of elements less one"));
                        }
                        if !rest.is_empty() {
                            let (inner, offset, bits) = self.designated(element, base + next * size, rest)?;
                            self.item(&inner, offset, bits, cursor, out)?;
                            next += 1;
                            most = most.max(next);
                            continue;
                        }
                    }
                    if count.is_some_and(|count| next >= count) {
                        break;
                    }
                    let start = (cursor.at, out.len());
                    self.item(element, base + next * size, None, cursor, out)?;
                    for copy in next + 1..=last {
                        let again: Vec<Setting<'a>> = out[start.1..].to_vec();
                        let shift = size * (copy - next);
                        out.extend(again.into_iter().take_while(|s| s.offset < base + (next + 1) * size).map(
                            |mut s| {
                                s.offset += shift;
                                s
                            },
                        ));
                    }
                    next = last + 1;
                    most = most.max(next);
                }
                Ok(most)
            }
            Kind::Record(id) => {
                self.size(ty)?;
                let record = self.types.record(*id);
                let union = record.union;
                let members: Vec<Member> = record.members.clone().unwrap_or_default();
                let mut next = 0;
                while let Some(item) = cursor.items.get(cursor.at) {
                    let designation = if cursor.followed { &[] } else { item.designation.as_slice() };
                    if !designation.is_empty() && !braces {
                        break;
                    }
                    if !designation.is_empty() {
                        let (inner, offset, bits) = self.designated(ty, base, designation)?;
                        next = members.iter().rposition(|m| m.offset + base <= offset && !union).map_or(1, |at| at + 1);
                        self.item(&inner, offset, bits, cursor, out)?;
                        continue;
                    }
                    let limit = if union { 1 } else { members.len() };
                    if next >= limit.min(members.len()) {
                        break;
                    }
                    let member = &members[next];
                    self.item(&member.ty, base + member.offset, member.bits, cursor, out)?;
                    next += 1;
                }
                Ok(0)
            }
            Kind::Void
            | Kind::Bool
            | Kind::Int { .. }
            | Kind::Float(_)
            | Kind::Pointer(_)
            | Kind::VariableArray(..)
            | Kind::Function(_)
            | Kind::Bad(_) => {
                self.scalar_width(ty)?;
                Ok(0)
            }
        }
    }

    /// Uses the current item of a list for a part of the object, and further ones if the part has no braces of its own.
    fn item<'a>(
        &mut self,
        ty: &Type,
        base: u64,
        bits: Option<BitField>,
        cursor: &mut Cursor<'a>,
        out: &mut Vec<Setting<'a>>,
    ) -> Result<(), Diagnostic> {
        let Some(item) = cursor.items.get(cursor.at) else { return Ok(()) };
        let initializer = &item.initializer;
        let whole = match &initializer.node {
            Initializer::List(_) => true,
            Initializer::Expression(e) => match &ty.kind {
                Kind::Array(..) | Kind::VariableArray(..) => matches!(e.node, Expression::StringLiteral(_)),
                Kind::Record(_) => self.type_of(e).is_ok_and(|given| self.types.is_same(&given, ty)),
                Kind::Void
                | Kind::Bool
                | Kind::Int { .. }
                | Kind::Float(_)
                | Kind::Pointer(_)
                | Kind::Function(_)
                | Kind::Bad(_) => true,
            },
        };
        if whole {
            cursor.at += 1;
            cursor.followed = false;
            self.flatten_at(ty, base, bits, &initializer.node, out)?;
            return Ok(());
        }
        let before = cursor.at;
        cursor.followed = true;
        self.fill(ty, base, cursor, false, out)?;
        if cursor.at == before {
            cursor.at += 1;
            cursor.followed = false;
        }
        Ok(())
    }

    fn designated_indices(&mut self, designator: &Node<Designator>) -> Result<(u64, u64), Diagnostic> {
        let ends = match &designator.node {
            Designator::Index(index) => {
                let at = self.const_value(index);
                at.zip(at)
            }
            Designator::Range(low, high) => self.const_value(low).zip(self.const_value(high)),
            Designator::Member(_) => None,
        };
        let ends = ends.and_then(|(from, to)| Some((u64::try_from(from).ok()?, u64::try_from(to).ok()?)));
        ends.ok_or_else(|| {
            let complaint = self.error(self.at(designator.span), "this is no constant index of an array");
            complaint.help("write [0] = …, with a constant index")
        })
    }

    /// The part that a designation names.
    fn designated(
        &mut self,
        ty: &Type,
        base: u64,
        designation: &[Node<Designator>],
    ) -> Result<(Type, u64, Option<BitField>), Diagnostic> {
        let Some((first, rest)) = designation.split_first() else { return Ok((ty.clone(), base, None)) };
        let (inner, offset, bits) = match (&first.node, &ty.kind) {
            (Designator::Member(name), Kind::Record(id)) => {
                let Some(member) = self.types.member(*id, &name.text) else {
                    let message = format!("`{}` has no member `{}`", self.types.describe(ty), name.text);
                    let complaint = self.error(self.at(first.span), message);
                    return Err(complaint.help("see its definition for the names of its members"));
                };
                (member.ty, base + member.offset, member.bits)
            }
            (Designator::Index(_), Kind::Array(element, _)) => {
                let (at, _) = self.designated_indices(first)?;
                let size = self.size(element)?;
                ((**element).clone(), base + at * size, None)
            }
            _ => {
                let complaint = self.error(self.at(first.span), "this names no part of what is initialised");
                return Err(complaint.help("write .member = … for structures, [index] = … for arrays"));
            }
        };
        if rest.is_empty() { Ok((inner, offset, bits)) } else { self.designated(&inner, offset, rest) }
    }

    /// The place in the text of what a part is set to.
    pub fn setting_span(&self, setting: &Setting<'_>) -> Span {
        match &setting.source {
            Source::Expression(e) => self.at(e.span),
            Source::Number(_) => self.span(),
        }
    }

    /// What a part is set to, as a constant or an address.
    pub fn constant_setting(&mut self, setting: &Setting<'_>) -> Result<Expr, Diagnostic> {
        let value = match &setting.source {
            Source::Number(number) => Some(self.int(*number, &setting.ty)),
            Source::Expression(e) => {
                let complaint = self.dry(|lowering| match lowering.rvalue(e) {
                    Ok(value) => Ok(lowering.convert(value, &setting.ty)),
                    Err(complaint) => Err(complaint),
                });
                match complaint? {
                    Ok(value) => Some(value),
                    Err(complaint) => return Err(complaint),
                }
            }
        };
        match value {
            Some(Value { expr: expr @ (Expr::Const(..) | Expr::Address(..)), .. }) => {
                let Some(field) = setting.bits else { return Ok(expr) };
                let Expr::Const(value, _) = expr else { return Ok(expr) };
                let cut = value & Width::new(field.bits).mask();
                Ok(Expr::Const(cut << field.shift, Width::new(field.unit)))
            }
            Some(_) | None => {
                let complaint = self.error(self.setting_span(setting), "this first value is not a constant");
                Err(complaint.help("assign it at the beginning of `main` instead"))
            }
        }
    }

    /// Initialises an object inside a function. `zeroed`: it holds zeros already.
    pub fn initialize(
        &mut self,
        place: &Place,
        initializer: &Node<Initializer>,
        zeroed: bool,
    ) -> Result<(), Diagnostic> {
        let mut target = place.clone();
        // Initialising is no atomic access.
        target.ty.atomic = false;
        let mut settings = Vec::new();
        self.flatten(&place.ty, initializer, &mut settings)?;
        if !zeroed && !place.ty.is_scalar() {
            let whole =
                settings.iter().any(|s| s.offset == 0 && s.ty.is_record() && self.types.is_same(&s.ty, &place.ty));
            if !whole {
                for leaf in self.leaves(&place.ty)? {
                    if !settings.iter().any(|s| s.offset == leaf.offset && s.bits.is_none()) {
                        let part = self.part(&target, leaf.offset, leaf.ty.unqualified());
                        let zero = self.int(0, &leaf.ty);
                        self.write(&part, zero)?;
                    }
                }
            }
        }
        for setting in settings {
            let mut part = self.part(&target, setting.offset, setting.ty.unqualified());
            part.bits = setting.bits;
            match setting.source {
                Source::Number(0) if zeroed => {}
                Source::Number(number) => {
                    let value = self.int(number, &setting.ty);
                    self.write(&part, value)?;
                }
                Source::Expression(e) if setting.ty.is_record() => {
                    let from = self.place(e)?;
                    self.copy(&part, &from)?;
                }
                Source::Expression(e) => {
                    let taker = self.taker.take();
                    let value = self.rvalue(e)?;
                    let value = self.convert(value, &setting.ty)?;
                    if let Some(name) = taker {
                        self.name_block_as(&value, &name);
                    }
                    let zero = matches!(value.expr, Expr::Const(0, _));
                    if !(zero && zeroed) {
                        self.write(&part, value)?;
                    }
                }
            }
        }
        Ok(())
    }
}
