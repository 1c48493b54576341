//! Objects and parts of objects: what can be read, written and pointed to.

use super::fold::{add_offset, fold};
use super::scope::{Entity, Storage};
use super::{Lowering, Value, expr};
use crate::types::{BitField, Kind, Type};
use c_syntax::ast::{BinaryOperator, Expression, Member, MemberOperator, Node, Range as Span, UnaryOperator};
use ir::{BinaryOp, Expr, LocalId, Op, System, UnaryOp, Width};
use source::Diagnostic;
use std::cmp::Ordering;
use std::rc::Rc;

/// An object or a part of one.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub at: At,
    pub ty: Type,
    pub bits: Option<BitField>,
}

/// Where an object is.
#[derive(Debug, Clone)]
pub(crate) enum At {
    Local(LocalId),
    /// The scalars by offset, and the offset of this part.
    Split(Rc<Vec<(u64, LocalId)>>, u64),
    Memory(Expr),
}

impl Place {
    /// An object in memory.
    pub fn memory(addr: Expr, ty: Type) -> Place {
        Place { at: At::Memory(addr), ty, bits: None }
    }
}

impl Lowering {
    /// Finds an object: for what can be assigned to, and for everything that has a structure as its value.
    pub fn place(&mut self, e: &Node<Expression>) -> Result<Place, Diagnostic> {
        let outer = self.enter(e.span);
        let place = self.place_inner(e);
        self.body.span = outer;
        place
    }

    fn place_inner(&mut self, e: &Node<Expression>) -> Result<Place, Diagnostic> {
        match &e.node {
            Expression::Identifier(name) => self.named_place(name, e.span),
            Expression::Member(member) => self.member_place(member, e.span),
            Expression::Unary(unary) => match unary.operator {
                UnaryOperator::Indirection => {
                    let value = self.rvalue(&unary.operand)?;
                    self.dereference(value)
                }
                UnaryOperator::PreIncrement | UnaryOperator::PreDecrement => {
                    self.rvalue(e)?;
                    self.place(&unary.operand)
                }
                UnaryOperator::PostIncrement
                | UnaryOperator::PostDecrement
                | UnaryOperator::Address
                | UnaryOperator::Plus
                | UnaryOperator::Minus
                | UnaryOperator::Complement
                | UnaryOperator::Negate => Err(self.no_object(e.span)),
            },
            Expression::Binary(binary) => match binary.operator {
                BinaryOperator::Index => self.index_place(&binary.lhs, &binary.rhs),
                BinaryOperator::Assign => self.assign_record(&binary.lhs, &binary.rhs),
                _ => Err(self.no_object(e.span)),
            },
            Expression::StringLiteral(literal) => {
                let bytes = self.string_bytes(literal)?;
                let ty = Kind::Array(Rc::new(Type::CHAR), Some(bytes.len() as u64 + 1)).into();
                let address = self.literal_address(bytes, e.span);
                Ok(Place::memory(address, ty))
            }
            Expression::CompoundLiteral(literal) => {
                let ty = self.type_name(&literal.type_name)?;
                self.compound_literal(ty, &literal.initializer, e.span)
            }
            Expression::Call(call) => {
                let ty = self.type_of(e)?;
                if !ty.is_record() {
                    return Err(self.no_object(e.span));
                }
                let place = self.temporary_object(&ty)?;
                let At::Memory(addr) = &place.at else { return Err(self.no_object(e.span)) };
                self.call_record(call, addr.clone(), e.span)?;
                Ok(place)
            }
            Expression::Conditional(parts) => {
                // A structure decides nothing, so that there is no `a ?: b` of structures.
                let Some(then_expression) = &parts.then_expression else { return Err(self.no_object(e.span)) };
                let ty = self.type_of(then_expression)?;
                let place = self.split_temporary("%choice", &ty)?;
                let (then, otherwise, after) = (self.body.block(), self.body.block(), self.body.block());
                self.branch_on(&parts.condition, then, otherwise)?;
                self.body.resume(then);
                let chosen = self.place(then_expression)?;
                self.copy(&place, &chosen)?;
                self.body.end(ir::Terminator::Goto(after), otherwise);
                let chosen = self.place(&parts.else_expression)?;
                self.copy(&place, &chosen)?;
                self.body.fall_into(after);
                Ok(place)
            }
            Expression::Comma(all) => {
                let Some((last, first)) = all.split_last() else { return Err(self.no_object(e.span)) };
                for each in first {
                    self.effect(each)?;
                }
                self.place(last)
            }
            Expression::Statement(statement) => match self.statement_expression(statement)? {
                expr::Outcome::Place(place) => Ok(place),
                expr::Outcome::Value(_) | expr::Outcome::Nothing => Err(self.no_object(e.span)),
            },
            Expression::GenericSelection(selection) => {
                let chosen = self.selected(selection, e.span)?;
                self.place(chosen)
            }
            // A cast of a structure to its own type.
            Expression::Cast(cast) if self.type_name(&cast.type_name)?.is_record() => self.place(&cast.expression),
            Expression::Cast(_)
            | Expression::Constant(_)
            | Expression::SizeOfType(_)
            | Expression::SizeOfValue(_)
            | Expression::AlignOfType(_)
            | Expression::AlignOfValue(_)
            | Expression::TypesCompatible(_)
            | Expression::LabelAddress(_)
            | Expression::OffsetOf(_)
            | Expression::VaArg(_) => Err(self.no_object(e.span)),
        }
    }

    fn no_object(&self, span: Span) -> Diagnostic {
        let complaint = self.error(self.at(span), "this is a value, not a variable or a part of one");
        complaint.help("put the value into a variable first")
    }

    fn named_place(&mut self, name: &str, span: Span) -> Result<Place, Diagnostic> {
        match self.lookup(name) {
            Some(Entity::Variable(variable)) => {
                let at = match &variable.storage {
                    Storage::Local(local) => At::Local(*local),
                    Storage::Split(parts) => At::Split(parts.clone(), 0),
                    Storage::Memory(address) => At::Memory(Expr::Local(*address)),
                };
                Ok(Place { at, ty: variable.ty.clone(), bits: None })
            }
            Some(Entity::Global(id)) => {
                let (addr, ty) = self.global_address(id, self.at(span))?;
                Ok(Place::memory(addr, ty))
            }
            Some(Entity::Function(id)) => {
                let ty = Kind::Function(self.callees[id.0 as usize].signature.clone()).into();
                if self.is_missing(id) {
                    return Ok(Place::memory(Expr::constant(0, Width::WORD), ty));
                }
                let object = self.function_object(id);
                Ok(Place::memory(Expr::Address(object, 0), ty))
            }
            Some(Entity::Bad(why)) => Err((*why).clone()),
            Some(Entity::Constant(..) | Entity::Typedef(_)) => Err(self.no_object(span)),
            None if is_function_name(name) => {
                let ty = self.function_name_type();
                let object = self.string_object(self.body.function.name.clone().into_bytes());
                Ok(Place::memory(Expr::Address(object, 0), ty))
            }
            None => {
                let complaint = self.error(self.at(span), format!("`{name}` is not declared"));
                Err(complaint.help("declare it, or include the header that does"))
            }
        }
    }

    /// The type of `__func__`.
    pub fn function_name_type(&self) -> Type {
        let letter = Type { qualifiers: (true, false), ..Type::CHAR };
        Kind::Array(Rc::new(letter), Some(self.body.function.name.len() as u64 + 1)).into()
    }

    /// What a pointer points to.
    pub fn dereference(&mut self, pointer: Value) -> Result<Place, Diagnostic> {
        let ty = self.pointee(&pointer)?;
        Ok(Place::memory(pointer.expr, ty))
    }

    fn member_place(&mut self, member: &Member, span: Span) -> Result<Place, Diagnostic> {
        let outer = match member.operator {
            MemberOperator::Direct => self.outer_record(&member.expression)?,
            MemberOperator::Indirect => {
                let pointer = self.rvalue(&member.expression)?;
                self.dereference(pointer)?
            }
        };
        self.member_of(&outer, &member.identifier.text, span)
    }

    /// A member of a structure or union.
    pub fn member_of(&mut self, outer: &Place, name: &str, span: Span) -> Result<Place, Diagnostic> {
        let described = self.types.describe(&outer.ty);
        let Kind::Record(id) = outer.ty.kind else {
            if let Kind::Bad(why) = &outer.ty.kind {
                return Err((**why).clone());
            }
            let complaint = self.error(self.at(span), format!("`{described}` has no members"));
            return Err(complaint.help("only structures and unions have members"));
        };
        self.size(&outer.ty)?;
        let Some(member) = self.types.member(id, name) else {
            let complaint = self.error(self.at(span), format!("`{described}` has no member `{name}`"));
            return Err(complaint.help("see its definition for the names of its members"));
        };
        let ty = match member.bits {
            Some(_) => member.ty.unqualified(),
            None => member.ty.clone().qualified_as(&outer.ty),
        };
        if !matches!(outer.at, At::Memory(_)) {
            self.check_union(&outer.ty, &member, span)?;
        }
        let mut place = self.part(outer, member.offset, ty);
        place.bits = member.bits;
        Ok(place)
    }

    /// Refuses a member of a union that is read with another size than the cells have.
    fn check_union(&self, outer: &Type, member: &crate::types::Member, span: Span) -> Result<(), Diagnostic> {
        let Kind::Record(id) = outer.kind else { return Ok(()) };
        let record = self.types.record(id);
        let anonymous = record.members.iter().flatten().any(|m| m.name.is_none());
        if !record.union && !anonymous {
            return Ok(());
        }
        let cells = self.leaves(outer)?;
        let own = match member.bits {
            Some(field) => vec![crate::types::Leaf { offset: 0, ty: field.unit_type() }],
            None => match member.ty.kind {
                Kind::Array(_, None) => return Ok(()),
                _ => self.leaves(&member.ty)?,
            },
        };
        let fits = own.iter().all(|leaf| {
            let at = cells.binary_search_by_key(&(leaf.offset + member.offset), |cell| cell.offset);
            at.is_ok_and(|at| cells[at].ty.width() == leaf.ty.width())
        });
        if fits {
            return Ok(());
        }
        let message = format!(
            "the member `{}` of `{}` divides the memory in another way than its other members",
            member.name.as_deref().unwrap_or("?"),
            record.name
        );
        Err(self.error(self.at(span), message).help("give the members of the union the same sizes, or use a structure"))
    }

    /// The part of an object at an offset.
    pub fn part(&mut self, outer: &Place, offset: u64, ty: Type) -> Place {
        let at = match &outer.at {
            At::Local(local) => At::Local(*local),
            At::Split(parts, base) => At::Split(parts.clone(), base + offset),
            At::Memory(addr) => At::Memory(add_offset(addr.clone(), offset)),
        };
        Place { at, ty, bits: None }
    }

    fn index_place(&mut self, array: &Node<Expression>, index: &Node<Expression>) -> Result<Place, Diagnostic> {
        // Of a variable that is split up, the element itself is a variable.
        if let Ok(Type { kind: Kind::Array(element, _) | Kind::VariableArray(element, _), .. }) = self.type_of(array) {
            let outer = self.place(array)?;
            if let At::Split(..) = outer.at {
                let at = self.rvalue(index)?;
                let size = self.size(&element)?;
                if let Expr::Const(at, width) = at.expr {
                    let offset = ir::sign_extend(at, width) as u64;
                    return Ok(self.part(&outer, offset.wrapping_mul(size), (*element).clone()));
                }
                let complaint = self.error(self.span(), "this array is a temporary value and has no address");
                return Err(complaint.help("put it into a variable first"));
            }
            let base = self.decay(&outer)?;
            let base = self.keep_unless_pure(base, &index.node);
            let at = self.rvalue(index)?;
            let sum = self.pointer_sum(base, at, false)?;
            return self.dereference(sum);
        }
        let left = self.rvalue(array)?;
        let left = self.keep_unless_pure(left, &index.node);
        let right = self.rvalue(index)?;
        let (base, at) = if left.ty.is_pointer() { (left, right) } else { (right, left) };
        let sum = self.pointer_sum(base, at, false)?;
        self.dereference(sum)
    }

    /// The address of an object.
    pub fn address(&mut self, place: &Place) -> Result<Value, Diagnostic> {
        match &place.at {
            At::Memory(addr) if place.bits.is_none() => {
                self.note_address(addr);
                Ok(Value { expr: addr.clone(), ty: place.ty.clone().pointer_to() })
            }
            At::Memory(_) => {
                Err(self.error(self.span(), "a bit-field has no address").help("make it a member of its own"))
            }
            At::Local(_) | At::Split(..) => {
                let complaint = self.error(self.span(), "the address of this value cannot be taken");
                Err(complaint.help("put it into a variable first"))
            }
        }
    }

    /// The value of an array or function used in an expression: its address.
    pub fn decay(&mut self, place: &Place) -> Result<Value, Diagnostic> {
        let ty = super::declare::decayed(place.ty.clone());
        let address = self.address(place)?;
        Ok(Value { expr: address.expr, ty })
    }

    /// Reads an object: one load if it is in memory.
    pub fn read(&mut self, place: &Place) -> Result<Value, Diagnostic> {
        if matches!(place.ty.kind, Kind::Array(..) | Kind::VariableArray(..) | Kind::Function(_)) {
            return self.decay(place);
        }
        let ty = match place.bits {
            Some(field) => field.unit_type(),
            None => place.ty.unqualified(),
        };
        let value = match &place.at {
            At::Local(local) => Value { expr: Expr::Local(*local), ty },
            At::Split(parts, offset) => {
                let local = self.split_part(parts, *offset, &ty)?;
                Value { expr: Expr::Local(local), ty }
            }
            At::Memory(addr) => {
                let tags = self.plain_tags(&place.ty);
                self.load(addr.clone(), &ty, tags)?
            }
        };
        let Some(field) = place.bits else { return Ok(value) };
        let promoted = super::type_of::promoted_field(&place.ty, field);
        let shift = Expr::Const(field.shift.into(), Width::new(field.unit));
        let moved = if field.shift == 0 { value.expr } else { fold(value.expr.binary(BinaryOp::LShr, shift)) };
        let expr = resize(moved, Width::new(field.unit), Width::new(field.bits), false);
        let to = self.scalar_width(&promoted)?;
        Ok(Value { expr: resize(expr, Width::new(field.bits), to, place.ty.is_signed()), ty: promoted })
    }

    /// Writes an object: one store if it is in memory. The value has the object's type. Gives what the object then has.
    /// A bit-field's unit is read before it is written.
    pub fn write(&mut self, place: &Place, value: Value) -> Result<Value, Diagnostic> {
        let width = self.scalar_width(&place.ty)?;
        let (stored, value) = match place.bits {
            Some(field) => {
                let cut = resize(value.expr, width, Width::new(field.bits), false);
                let kept = resize(cut.clone(), Width::new(field.bits), width, place.ty.is_signed());
                let unit = self.with_field(place, field, cut)?;
                (unit, Value { expr: kept, ty: place.ty.unqualified() })
            }
            None => (value.clone(), value),
        };
        let local = match &place.at {
            At::Local(local) => *local,
            At::Split(parts, offset) => self.split_part(parts, *offset, &stored.ty)?,
            At::Memory(addr) => {
                let tags = self.plain_tags(&place.ty);
                self.store(addr.clone(), stored, tags);
                return Ok(value);
            }
        };
        self.body.assign(local, stored.expr);
        if place.bits.is_some() {
            let value = self.read(place)?;
            return self.convert(value, &place.ty.unqualified());
        }
        Ok(Value { expr: Expr::Local(local), ty: place.ty.unqualified() })
    }

    /// The unit of a bit-field with these bits in the field and the others as they are.
    fn with_field(&mut self, place: &Place, field: BitField, bits: Expr) -> Result<Value, Diagnostic> {
        let (ty, width) = (field.unit_type(), Width::new(field.unit));
        let shift = Expr::Const(field.shift.into(), width);
        let wide = resize(bits, Width::new(field.bits), width, false);
        let new = if field.shift == 0 { wide } else { fold(wide.binary(BinaryOp::Shl, shift)) };
        if field.bits == field.unit {
            return Ok(Value { expr: new, ty });
        }
        let unit = self.read(&Place { at: place.at.clone(), ty: ty.clone(), bits: None })?;
        let others = Expr::Const(!(Width::new(field.bits).mask() << field.shift) & width.mask(), width);
        let kept = fold(unit.expr.binary(BinaryOp::And, others));
        Ok(Value { expr: fold(kept.binary(BinaryOp::Or, new)), ty })
    }

    fn split_part(&self, parts: &[(u64, LocalId)], offset: u64, ty: &Type) -> Result<LocalId, Diagnostic> {
        let width = self.scalar_width(ty)?;
        let found = parts.binary_search_by_key(&offset, |(at, _)| *at).ok().map(|at| parts[at].1);
        match found {
            Some(local) if self.body.function.locals[local.index()].width == width => Ok(local),
            Some(_) | None => {
                let complaint = self.error(self.span(), "this part of the variable is accessed with another size");
                Err(complaint.help("access every part of a variable with its own type, and inside its bounds"))
            }
        }
    }

    /// Copies an object scalar by scalar.
    pub fn copy(&mut self, to: &Place, from: &Place) -> Result<(), Diagnostic> {
        if to.ty.is_scalar() {
            let value = self.read(from)?;
            let value = self.convert(value, &to.ty.unqualified())?;
            self.write(to, value)?;
            return Ok(());
        }
        if (to.ty.atomic || from.ty.atomic) && self.image_of(&to.ty).is_some() {
            let image = self.pack(from)?;
            return self.unpack(to, image);
        }
        for leaf in self.leaves(&to.ty)? {
            let source = self.part(from, leaf.offset, leaf.ty.clone());
            let target = self.part(to, leaf.offset, leaf.ty.clone());
            let value = self.read(&source)?;
            self.write(&target, value)?;
        }
        self.forget_gaps(to)
    }

    /// `to = from` for structures; gives the place assigned to.
    fn assign_record(&mut self, to: &Node<Expression>, from: &Node<Expression>) -> Result<Place, Diagnostic> {
        let target = self.place(to)?;
        if target.ty.is_scalar() {
            let value = self.rvalue(from)?;
            let value = self.convert(value, &target.ty.unqualified())?;
            self.write(&target, value)?;
            return Ok(target);
        }
        let source = self.place(from)?;
        if !self.types.is_same(&target.ty, &source.ty) {
            let (a, b) = (self.types.describe(&target.ty), self.types.describe(&source.ty));
            let complaint = self.error(self.span(), format!("a `{b}` cannot be assigned to a `{a}`"));
            return Err(complaint.help("both sides of an assignment of structures have the same type"));
        }
        self.copy(&target, &source)?;
        Ok(target)
    }

    /// A new object in memory.
    ///
    /// In a loop it is the same object each time, as with compilers, which give each variable one place on the stack: who
    /// keeps its address beyond an iteration sees what the next one does to it.
    pub fn object(&mut self, name: &str, ty: &Type, zeroed: bool) -> Result<Place, Diagnostic> {
        let early = self.body.repeats();
        self.object_made(name, ty, zeroed, early)
    }

    /// A new object in memory, which is there from the beginning of the call if it is made `early`.
    pub fn object_made(&mut self, name: &str, ty: &Type, zeroed: bool, early: bool) -> Result<Place, Diagnostic> {
        let size = self.size(ty)?;
        let cells = self.cells(ty, 1)?;
        let dst = self.body.local(&format!("&{name}"), Width::WORD);
        let size = Expr::constant(size as i64, Width::WORD);
        let align = self.types.align(ty).unwrap_or(1);
        let (name, storage) = (self.shaped(name, ty), ir::life::Storage::Automatic);
        let alloc = |zeroed| System::Alloc { dst, name, size, cells: Some(cells.clone()), zeroed, align, storage };
        if !early {
            self.emit(Op::System(alloc(zeroed)));
            return Ok(Place::memory(Expr::Local(dst), ty.clone()));
        }
        self.body.begin_with(Op::System(alloc(false)));
        if zeroed {
            let tags = self.tags(&["NA"]);
            for cell in &cells {
                let (addr, value) = (add_offset(Expr::Local(dst), cell.offset), Expr::constant(0, cell.width));
                self.emit(Op::Store { addr, value, tags: tags.clone() });
            }
        }
        Ok(Place::memory(Expr::Local(dst), ty.clone()))
    }

    /// A temporary object of locals.
    pub fn split_temporary(&mut self, name: &str, ty: &Type) -> Result<Place, Diagnostic> {
        let parts = self.split(name, ty)?;
        Ok(Place { at: At::Split(parts, 0), ty: ty.unqualified(), bits: None })
    }

    /// A local for each scalar of a type.
    pub fn split(&mut self, name: &str, ty: &Type) -> Result<Rc<Vec<(u64, LocalId)>>, Diagnostic> {
        let mut parts = Vec::new();
        for leaf in self.leaves(ty)? {
            let width = self.scalar_width(&leaf.ty)?;
            let name = format!("{name}{}", self.types.path(ty, leaf.offset));
            parts.push((leaf.offset, self.body.local(&name, width)));
        }
        Ok(Rc::new(parts))
    }
}

/// The low bits of a value, or the value with more bits above.
fn resize(expr: Expr, from: Width, to: Width, signed: bool) -> Expr {
    match to.cmp(&from) {
        Ordering::Less => fold(expr.unary(UnaryOp::Truncate(to))),
        Ordering::Equal => expr,
        Ordering::Greater if signed => fold(expr.unary(UnaryOp::SignExtend(to))),
        Ordering::Greater => fold(expr.unary(UnaryOp::ZeroExtend(to))),
    }
}

/// Whether a name that nobody declared stands for the name of the function.
pub(crate) fn is_function_name(name: &str) -> bool {
    matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__")
}
