//! Initialisers.
//!
//! An initialiser is first flattened into settings: which scalar, or which structure as a whole, gets which expression.
//! Variables outside functions take them as constants, others as assignments.

use super::place::Place;
use super::{Lowering, Value};
use crate::types::{BitField, Kind, Member, RecordId, Type};
use c_syntax::ast::{Designator, Expression, Initializer, InitializerItem, Node};
use ir::{Expr, Width};
use rustc_hash::FxHashMap;
use source::{Diagnostic, Span};

/// A part of an object and what it is set to.
#[derive(Debug, Clone)]
pub(crate) struct Setting<'a> {
    pub offset: u64,
    /// How many bytes the part has; the unit, for a bit-field.
    pub size: u64,
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
    /// How many designators of the current item have been followed, if it has been begun.
    followed: Option<usize>,
}

impl<'a> Cursor<'a> {
    /// The next designator of the current item.
    fn designator(&self) -> Option<&'a Node<Designator>> {
        self.items.get(self.at)?.designation.get(self.followed.unwrap_or(0))
    }

    /// Whether the current item is a list in braces or a text, which say all about a part.
    fn gives_all(&self) -> bool {
        self.items.get(self.at).is_some_and(|item| match &item.initializer.node {
            Initializer::List(_) => true,
            Initializer::Expression(e) => matches!(e.node, Expression::StringLiteral(_)),
        })
    }

    fn advance(&mut self) {
        self.at += 1;
        self.followed = None;
    }
}

/// What an initialiser has set so far.
#[derive(Default)]
struct Settings<'a> {
    list: Vec<Setting<'a>>,
    /// Where the last of them ends.
    end: u64,
    /// The member of each union that was set last, and the size of the union, by its offset and type.
    chosen: FxHashMap<(u64, RecordId), (usize, u64)>,
}

impl<'a> Settings<'a> {
    fn push(&mut self, setting: Setting<'a>) {
        self.end = self.end.max(setting.offset.saturating_add(setting.size));
        self.list.push(setting);
    }

    /// Forgets what was set of a part: it is initialised anew, as if nothing had been said about it. A structure that was to be copied as a
    /// whole is not copied when a part of it is initialised, as GCC and Clang do.
    fn clear(&mut self, offset: u64, size: u64, bits: Option<BitField>) {
        if offset >= self.end {
            return;
        }
        let end = offset.saturating_add(size);
        let inside = |at: u64, length: u64| offset <= at && at.saturating_add(length) <= end;
        let around = |s: &Setting<'_>| s.ty.is_record() && s.offset <= offset && end <= s.offset + s.size;
        if bits.is_some() {
            self.list.retain(|s| !around(s) && (s.offset != offset || s.bits != bits));
            return;
        }
        self.list.retain(|s| !around(s) && !inside(s.offset, s.size));
        self.chosen.retain(|&(at, _), &mut (_, length)| !inside(at, length));
    }

    /// A member of a union will be set: what other members had been set to is gone.
    fn leave_others(&mut self, offset: u64, union: RecordId, member: usize, size: u64) {
        if self.chosen.get(&(offset, union)).is_some_and(|&(known, _)| known != member) {
            self.clear(offset, size, None);
        }
    }
}

impl Lowering {
    /// Lists what an initialiser sets. Of what it says several times of one part, the last counts.
    pub fn flatten<'a>(
        &mut self,
        ty: &Type,
        initializer: &'a Node<Initializer>,
    ) -> Result<Vec<Setting<'a>>, Diagnostic> {
        let mut out = Settings::default();
        self.flatten_at(ty, 0, None, &initializer.node, &mut out)?;
        Ok(out.list)
    }

    /// The same for a list in braces at an offset.
    pub fn flatten_items<'a>(
        &mut self,
        ty: &Type,
        offset: u64,
        items: &'a [InitializerItem],
    ) -> Result<Vec<Setting<'a>>, Diagnostic> {
        let mut out = Settings::default();
        self.flatten_list(ty, offset, None, items, &mut out)?;
        Ok(out.list)
    }

    /// How many elements an initialiser gives an array of unknown size.
    pub fn initializer_count(&mut self, element: &Type, initializer: &Initializer) -> Result<u64, Diagnostic> {
        let ty: Type = Kind::Array(std::rc::Rc::new(element.clone()), None).into();
        self.flatten_at(&ty, 0, None, initializer, &mut Settings::default())
    }

    /// The same for a list in braces.
    pub fn items_count(&mut self, element: &Type, items: &[InitializerItem]) -> Result<u64, Diagnostic> {
        let ty: Type = Kind::Array(std::rc::Rc::new(element.clone()), None).into();
        self.flatten_list(&ty, 0, None, items, &mut Settings::default())
    }

    fn setting<'a>(
        &mut self,
        offset: u64,
        ty: &Type,
        bits: Option<BitField>,
        source: Source<'a>,
    ) -> Result<Setting<'a>, Diagnostic> {
        let size = bits.map_or_else(|| self.size(ty), |field| Ok(u64::from(field.unit) / 8))?;
        Ok(Setting { offset, size, ty: ty.clone(), bits, source })
    }

    /// The number of elements that were set, for an array.
    fn flatten_at<'a>(
        &mut self,
        ty: &Type,
        base: u64,
        bits: Option<BitField>,
        initializer: &'a Initializer,
        out: &mut Settings<'a>,
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
                let setting = self.setting(base, ty, bits, Source::Expression(e))?;
                out.push(setting);
                Ok(0)
            }
            Initializer::List(items) => self.flatten_list(ty, base, bits, items, out),
        }
    }

    fn flatten_list<'a>(
        &mut self,
        ty: &Type,
        base: u64,
        bits: Option<BitField>,
        items: &'a [InitializerItem],
        out: &mut Settings<'a>,
    ) -> Result<u64, Diagnostic> {
        if let Kind::Record(id) = &ty.kind
            && self.types.record(*id).library
            && self.body.unit.is_user()
        {
            self.library_initializer(ty, base, items, out)?;
            return Ok(0);
        }
        if ty.is_scalar() {
            return match items.first() {
                Some(item) => {
                    let inner = &item.initializer;
                    self.flatten_at(ty, base, bits, &inner.node, out)
                }
                None => {
                    let setting = self.setting(base, ty, bits, Source::Number(0))?;
                    out.push(setting);
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
        let mut cursor = Cursor { items, at: 0, followed: None };
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
        out: &mut Settings<'a>,
    ) -> Result<(), Diagnostic> {
        let Kind::Record(id) = ty.kind else { return Ok(()) };
        let (Some(kind), Some(number)) = (self.types.member(id, "kind"), self.first_number(items)) else {
            return Ok(());
        };
        let setting = self.setting(base + kind.offset, &kind.ty, None, Source::Number(number))?;
        out.push(setting);
        Ok(())
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
        out: &mut Settings<'_>,
    ) -> u64 {
        let count = count.unwrap_or(bytes.len() as u64 + 1);
        for (at, byte) in bytes.iter().chain([&0]).enumerate().take(usize::try_from(count).unwrap_or(usize::MAX)) {
            let source = Source::Number(i64::from(*byte as i8));
            out.push(Setting { offset: base + at as u64, size: 1, ty: element.clone(), bits: None, source });
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
        out: &mut Settings<'a>,
    ) -> Result<u64, Diagnostic> {
        match &ty.kind {
            Kind::Array(element, count) => self.fill_array(element, *count, base, cursor, braces, out),
            Kind::Record(id) => {
                self.fill_record(*id, ty, base, cursor, braces, out)?;
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

    fn fill_array<'a>(
        &mut self,
        element: &Type,
        count: Option<u64>,
        base: u64,
        cursor: &mut Cursor<'a>,
        braces: bool,
        out: &mut Settings<'a>,
    ) -> Result<u64, Diagnostic> {
        let size = self.size(element)?;
        let (mut next, mut most) = (0u64, 0u64);
        while cursor.at < cursor.items.len() {
            let (mut first, mut last) = (next, next);
            if let Some(designator) = cursor.designator() {
                if cursor.followed.is_none() && !braces {
                    break;
                }
                (first, last) = self.designated_indices(designator)?;
                if count.is_some_and(|count| last >= count) || last < first || last - first > 1 << 20 {
                    let complaint = self.error(self.at(designator.span), "this index is outside the array");
                    return Err(complaint.help("use an index from 0 to the number of elements less one"));
                }
                cursor.followed = Some(cursor.followed.unwrap_or(0) + 1);
            }
            if count.is_some_and(|count| last >= count) {
                break;
            }
            // What follows a range goes on behind its last element: the others have this item alone.
            for at in first..last {
                let items = &cursor.items[..=cursor.at];
                let mut alone = Cursor { items, at: cursor.at, followed: cursor.followed };
                self.part_of(element, base + at * size, None, &mut alone, out)?;
            }
            self.part_of(element, base + last * size, None, cursor, out)?;
            next = last + 1;
            most = most.max(next);
        }
        Ok(most)
    }

    fn fill_record<'a>(
        &mut self,
        id: RecordId,
        ty: &Type,
        base: u64,
        cursor: &mut Cursor<'a>,
        braces: bool,
        out: &mut Settings<'a>,
    ) -> Result<(), Diagnostic> {
        let size = self.size(ty)?;
        let record = self.types.record(id);
        let union = record.union;
        let members: Vec<Member> = record.members.clone().unwrap_or_default();
        let mut next = 0;
        while cursor.at < cursor.items.len() {
            let mut at = next;
            if let Some(designator) = cursor.designator() {
                if cursor.followed.is_none() && !braces {
                    break;
                }
                at = self.designated_member(ty, &members, designator)?;
                // The members of an anonymous one are found inside.
                let step = usize::from(members[at].name.is_some());
                cursor.followed = Some(cursor.followed.unwrap_or(0) + step);
            } else if union && at > 0 {
                break;
            }
            let Some(member) = members.get(at) else { break };
            if union {
                out.leave_others(base, id, at, size);
            }
            // A list may give elements to an array without a size at the end; the object has room for them then.
            let flexible = match &member.ty.kind {
                Kind::Array(element, Some(0)) if at + 1 == members.len() && cursor.gives_all() => {
                    Some(Kind::Array(element.clone(), None).into())
                }
                _ => None,
            };
            self.part_of(flexible.as_ref().unwrap_or(&member.ty), base + member.offset, member.bits, cursor, out)?;
            if union {
                out.chosen.insert((base, id), (at, size));
            }
            next = at + 1;
        }
        Ok(())
    }

    /// Uses the current item of a list for a part of the object, or for what its further designators name inside.
    fn part_of<'a>(
        &mut self,
        ty: &Type,
        base: u64,
        bits: Option<BitField>,
        cursor: &mut Cursor<'a>,
        out: &mut Settings<'a>,
    ) -> Result<(), Diagnostic> {
        match cursor.designator() {
            Some(_) if matches!(ty.kind, Kind::Array(..) | Kind::Record(_)) && cursor.followed.is_some() => {
                self.fill(ty, base, cursor, false, out)?;
                Ok(())
            }
            Some(designator) => Err(self.no_part(designator)),
            None => self.item(ty, base, bits, cursor, out),
        }
    }

    fn no_part(&self, designator: &Node<Designator>) -> Diagnostic {
        let complaint = self.error(self.at(designator.span), "this names no part of what is initialised");
        complaint.help("write .member = … for structures, [index] = … for arrays")
    }

    /// Uses the current item of a list for a part of the object, and further ones if the part has no braces of its own.
    fn item<'a>(
        &mut self,
        ty: &Type,
        base: u64,
        bits: Option<BitField>,
        cursor: &mut Cursor<'a>,
        out: &mut Settings<'a>,
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
            cursor.advance();
            // An array without a size comes last and is set once.
            let size = if matches!(ty.kind, Kind::Array(_, None)) { 0 } else { self.size(ty)? };
            out.clear(base, size, bits);
            self.flatten_at(ty, base, bits, &initializer.node, out)?;
            return Ok(());
        }
        let before = cursor.at;
        cursor.followed = Some(item.designation.len());
        self.fill(ty, base, cursor, false, out)?;
        if cursor.at == before {
            cursor.advance();
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

    /// The member that a designator names, by number; the anonymous one that it is in, if there it is.
    fn designated_member(
        &mut self,
        ty: &Type,
        members: &[Member],
        designator: &Node<Designator>,
    ) -> Result<usize, Diagnostic> {
        let Designator::Member(name) = &designator.node else { return Err(self.no_part(designator)) };
        let is_named = |member: &Member| member.name.as_deref() == Some(&name.text);
        let has_inside = |member: &Member| match member.ty.kind {
            Kind::Record(inner) => member.name.is_none() && self.types.member(inner, &name.text).is_some(),
            Kind::Void
            | Kind::Bool
            | Kind::Int { .. }
            | Kind::Float(_)
            | Kind::Pointer(_)
            | Kind::Array(..)
            | Kind::VariableArray(..)
            | Kind::Function(_)
            | Kind::Bad(_) => false,
        };
        members.iter().position(is_named).or_else(|| members.iter().position(has_inside)).ok_or_else(|| {
            let message = format!("`{}` has no member `{}`", self.types.describe(ty), name.text);
            let complaint = self.error(self.at(designator.span), message);
            complaint.help("see its definition for the names of its members")
        })
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
        let settings = self.flatten(&place.ty, initializer)?;
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
        let mut uses: FxHashMap<*const Node<Expression>, usize> = FxHashMap::default();
        for setting in &settings {
            if let Source::Expression(e) = setting.source {
                *uses.entry(std::ptr::from_ref(e)).or_default() += 1;
            }
        }
        // What a range of elements is set to is evaluated once.
        let mut known: FxHashMap<*const Node<Expression>, Evaluated> = FxHashMap::default();
        for setting in settings {
            let mut part = self.part(&target, setting.offset, setting.ty.unqualified());
            part.bits = setting.bits;
            let e = match setting.source {
                Source::Number(0) if zeroed => continue,
                Source::Number(number) => {
                    let value = self.int(number, &setting.ty);
                    self.write(&part, value)?;
                    continue;
                }
                Source::Expression(e) => e,
            };
            let again = uses[&std::ptr::from_ref(e)] > 1;
            let evaluated = match known.get(&std::ptr::from_ref(e)) {
                Some(evaluated) => evaluated.clone(),
                None if setting.ty.is_record() => Evaluated::Place(self.place(e)?),
                None => {
                    let taker = self.taker.take();
                    let value = self.rvalue(e)?;
                    let value = self.convert(value, &setting.ty)?;
                    if let Some(name) = taker {
                        self.name_block_as(&value, &name);
                    }
                    Evaluated::Value(if again { self.keep(value) } else { value })
                }
            };
            if again {
                known.insert(std::ptr::from_ref(e), evaluated.clone());
            }
            match evaluated {
                Evaluated::Place(from) => self.copy(&part, &from)?,
                Evaluated::Value(value) if zeroed && matches!(value.expr, Expr::Const(0, _)) => {}
                Evaluated::Value(value) => {
                    self.write(&part, value)?;
                }
            }
        }
        Ok(())
    }
}

/// What an expression of an initialiser has come to.
#[derive(Clone)]
enum Evaluated {
    Value(Value),
    /// A structure that is copied.
    Place(Place),
}
