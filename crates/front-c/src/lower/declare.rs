//! Types from declarations.

use super::Lowering;
use super::scope::{Entity, Scope, Tag};
use crate::layout;
use crate::types::{BitField, Kind, Member, Record, RecordId, Signature, Type};
use c_syntax::ast::{
    Alignment, Arithmetic, Attribute, Declarator, Derived, EnumSpecifier, Field, FieldDeclarator, Meaning, Name, Node,
    Parameter, RecordSpecifier, Specifiers, TypeName, TypeOf, TypeSpecifier,
};
use source::Diagnostic;
use std::rc::Rc;

/// What the specifiers of a declaration say.
#[derive(Debug, Clone)]
pub(crate) struct Base {
    /// The type; none for `__auto_type`, which takes that of the initialiser.
    pub ty: Option<Type>,
    pub typedef: bool,
    pub external: bool,
    pub fixed: bool,
    pub thread: bool,
    /// Whether it is `const`.
    pub constant: bool,
    /// The alignment that the specifiers ask for.
    pub aligned: Option<u64>,
}

impl Base {
    /// Whether what a declarator declares is a constant object, as far as the declaration itself says so.
    pub fn is_constant(&self, declarator: &Declarator) -> bool {
        let element = declarator.derived.iter().rev().find(|derived| !matches!(derived.node, Derived::Array(_)));
        match element.map(|derived| &derived.node) {
            Some(Derived::Pointer(pointer)) => pointer.qualifiers.is_const,
            Some(Derived::Array(_) | Derived::Function(_) | Derived::OldFunction(_)) => false,
            None => self.constant,
        }
    }
}

impl Lowering {
    /// The type that a type name (of `sizeof`, of a cast) stands for.
    pub fn type_name(&mut self, name: &TypeName) -> Result<Type, Diagnostic> {
        let base = self.specified(&name.specifiers)?;
        self.declarator_type(base, &name.declarator)
    }

    /// What the specifiers of a declaration say.
    pub fn base(&mut self, specifiers: &Specifiers) -> Result<Base, Diagnostic> {
        let storage = specifiers.storage;
        let ty = match specifiers.ty {
            TypeSpecifier::Auto => None,
            _ => Some(self.specified(specifiers)?),
        };
        let aligned = self.alignment(&specifiers.attributes, &specifiers.alignment)?;
        Ok(Base {
            ty,
            aligned,
            typedef: storage.is_typedef,
            external: storage.is_extern,
            fixed: storage.is_static,
            thread: storage.is_thread_local,
            constant: specifiers.qualifiers.is_const || storage.is_constexpr,
        })
    }

    /// The type that specifiers say.
    fn specified(&mut self, specifiers: &Specifiers) -> Result<Type, Diagnostic> {
        self.check_attributes(&specifiers.attributes)?;
        let mut ty = match &specifiers.ty {
            TypeSpecifier::Void => Type::VOID,
            TypeSpecifier::Bool => Type::BOOL,
            TypeSpecifier::Arithmetic(arithmetic) => self.arithmetic(*arithmetic, specifiers)?,
            TypeSpecifier::Atomic(name) => Type { atomic: true, ..self.type_name(name)? },
            TypeSpecifier::Record(record) => self.record_type(record)?,
            TypeSpecifier::Enum(e) => self.enum_type(e)?,
            TypeSpecifier::Typedef(name) => self.typedef_type(name)?,
            TypeSpecifier::TypeOf(of) => match &**of {
                TypeOf::Expression(e) => self.type_of(e)?,
                TypeOf::Type(name) => self.type_name(name)?,
            },
            TypeSpecifier::Auto | TypeSpecifier::Implicit => Type::INT,
        };
        ty = self.mode(ty, &specifiers.attributes);
        ty.atomic |= specifiers.qualifiers.is_atomic;
        ty.qualifiers.0 |= specifiers.qualifiers.is_const;
        ty.qualifiers.1 |= specifiers.qualifiers.is_volatile;
        Ok(ty)
    }

    fn typedef_type(&self, name: &Name) -> Result<Type, Diagnostic> {
        let (message, help) = match self.lookup(&name.text) {
            Some(Entity::Typedef(ty)) => return Ok(ty),
            Some(Entity::Bad(why)) => return Err((*why).clone()),
            Some(Entity::Constant(..) | Entity::Variable(_) | Entity::Global(_) | Entity::Function(_)) | None => {
                if name.text == "__builtin_va_list" {
                    return Ok(Type::VOID.pointer_to());
                }
                (format!("`{}` is not a type that is supported", name.text), "define it with `typedef`")
            }
        };
        Err(self.error(self.at(name.span), message).help(help))
    }

    /// Complains about attributes that change what the program means.
    fn check_attributes(&self, attributes: &[Attribute]) -> Result<(), Diagnostic> {
        for attribute in attributes {
            match attribute.meaning {
                Meaning::Unknown => {
                    let message = format!("the attribute `{}` is not supported", attribute.name);
                    return Err(self.error(self.at(attribute.span), message).help("write the code without it"));
                }
                Meaning::Cleanup(_)
                | Meaning::Constructor(_)
                | Meaning::Destructor(_)
                | Meaning::Packed
                | Meaning::Aligned(_)
                | Meaning::Mode(_)
                | Meaning::Weak
                | Meaning::Alias(_)
                | Meaning::Harmless => {}
            }
        }
        Ok(())
    }

    fn arithmetic(&self, arithmetic: Arithmetic, specifiers: &Specifiers) -> Result<Type, Diagnostic> {
        Ok(match arithmetic {
            Arithmetic::Char => Type::CHAR,
            Arithmetic::SignedChar => Type::SCHAR,
            Arithmetic::UnsignedChar => Type::UCHAR,
            Arithmetic::Short => Type::SHORT,
            Arithmetic::UnsignedShort => Type::USHORT,
            Arithmetic::Int => Type::INT,
            Arithmetic::UnsignedInt => Type::UINT,
            Arithmetic::Long => self.types.long(true),
            Arithmetic::UnsignedLong => self.types.long(false),
            Arithmetic::LongLong => Type::LONG_LONG,
            Arithmetic::UnsignedLongLong => Type::ULONG_LONG,
            Arithmetic::Float => Type::FLOAT,
            Arithmetic::Double => Type::DOUBLE,
            Arithmetic::LongDouble | Arithmetic::Float128 => Type::LONG_DOUBLE,
            Arithmetic::Int128
            | Arithmetic::UnsignedInt128
            | Arithmetic::Float16
            | Arithmetic::Decimal
            | Arithmetic::Complex => {
                let message = "complex numbers and 128-bit integers are not supported";
                let complaint = self.error(self.at(specifiers.span), message);
                return Err(complaint.help("use an integer type of at most 64 bits"));
            }
        })
    }

    fn record_type(&mut self, record: &RecordSpecifier) -> Result<Type, Diagnostic> {
        self.check_attributes(&record.attributes)?;
        let tag = record.tag.as_ref().map(|name| name.text.clone());
        let Some(fields) = &record.fields else {
            let Some(tag) = tag else { return Err(self.error(self.at(record.span), "a structure without members")) };
            if let Some(Tag::Record(id)) = self.lookup_tag(&tag) {
                return Ok(Kind::Record(id).into());
            }
            let id = self.new_record(Some(&tag), record.is_union);
            return Ok(Kind::Record(id).into());
        };
        let known = tag.as_ref().and_then(|tag| self.innermost().tags.get(tag).cloned());
        let known = known.and_then(|tag| match tag {
            Tag::Record(id) if self.types.record(id).members.is_none() => Some(id),
            Tag::Record(_) | Tag::Enum(_) => None,
        });
        let id = known.unwrap_or_else(|| self.new_record(tag.as_deref(), record.is_union));
        let result = self.lay_out(id, record, fields);
        if let Err(why) = &result {
            self.types.records[id.0 as usize].broken = Some(why.message().to_owned());
        }
        result.map(|()| Kind::Record(id).into())
    }

    /// `struct s;` alone declares another type than the `struct s` of an outer block.
    pub fn tag_of_its_own(&mut self, specifier: &TypeSpecifier) {
        if let TypeSpecifier::Record(record) = specifier
            && let (Some(tag), None) = (&record.tag, &record.fields)
            && !self.innermost().tags.contains_key(&tag.text)
        {
            self.new_record(Some(&tag.text), record.is_union);
        }
    }

    /// Gives a structure or union its members.
    fn lay_out(&mut self, id: RecordId, record: &RecordSpecifier, fields: &[Field]) -> Result<(), Diagnostic> {
        let members = self.fields(fields)?;
        let rules = layout::Rules {
            packed: is_packed(&record.attributes),
            aligned: self.alignment(&record.attributes, &[])?,
            pack: record.pack,
        };
        if let Err(why) = self.types.complete(id, members, rules) {
            let name = self.types.record(id).name.clone();
            let complaint = self.error(self.at(record.span), format!("`{name}` has no layout: {why}"));
            return Err(complaint.help("give every member a complete type of constant size"));
        }
        Ok(())
    }

    fn fields(&mut self, fields: &[Field]) -> Result<Vec<layout::Field>, Diagnostic> {
        let mut members = Vec::new();
        for field in fields {
            let (specifiers, declarators) = match field {
                Field::Members { specifiers, declarators } => (specifiers, declarators),
                Field::StaticAssert(assert) => {
                    self.static_assert(assert)?;
                    continue;
                }
            };
            let base = self.specified(specifiers).unwrap_or_else(bad);
            let packed = is_packed(&specifiers.attributes);
            let aligned = self.alignment(&specifiers.attributes, &specifiers.alignment)?;
            if declarators.is_empty() {
                let member = Member { name: None, ty: base.clone(), offset: 0, bits: None };
                members.push(layout::Field { member, packed, aligned });
            }
            for declarator in declarators {
                let own = self.alignment(&declarator.declarator.attributes, &[])?;
                let packed = packed || is_packed(&declarator.declarator.attributes);
                let member = self.member(&base, declarator)?;
                members.push(layout::Field { member, packed, aligned: aligned.max(own) });
            }
        }
        Ok(members)
    }

    /// The largest alignment that attributes and `_Alignas` ask for.
    pub fn alignment(
        &mut self,
        attributes: &[Attribute],
        alignas: &[Node<Alignment>],
    ) -> Result<Option<u64>, Diagnostic> {
        let wishes = attributes.iter().filter_map(|attribute| match &attribute.meaning {
            Meaning::Aligned(wish) => Some((wish.as_ref(), attribute.span)),
            _ => None,
        });
        let wishes = wishes.chain(alignas.iter().map(|node| (Some(&node.node), node.span)));
        let mut most = None;
        for (wish, span) in wishes {
            let bytes = match wish {
                // The largest that any type of the machine needs.
                None => Some(16),
                Some(Alignment::Expression(e)) => self.const_value(e).and_then(|bytes| u64::try_from(bytes).ok()),
                Some(Alignment::Type(name)) => {
                    let ty = self.type_name(name)?;
                    self.types.align(&ty).ok()
                }
            };
            match bytes {
                // `_Alignas(0)` says nothing.
                Some(0) => {}
                Some(bytes) if bytes.is_power_of_two() && bytes <= 1 << 28 => most = most.max(Some(bytes)),
                Some(_) | None => {
                    let complaint = self.error(self.at(span), "this alignment is not a power of two");
                    return Err(complaint.help("use a constant such as 8 or 64"));
                }
            }
        }
        Ok(most)
    }

    fn member(&mut self, base: &Type, field: &FieldDeclarator) -> Result<Member, Diagnostic> {
        let name = field.declarator.name.as_ref().map(|name| name.text.clone());
        let ty = self.declarator_type(base.clone(), &field.declarator).unwrap_or_else(bad);
        let bits = match &field.width {
            Some(width) => {
                let bits = self.const_value(width).and_then(|bits| u8::try_from(bits).ok());
                let limit = ty.width().map_or(0, |w| w.bits() as u8);
                match bits {
                    Some(bits) if bits <= limit && (bits >= 1 || name.is_none()) => {
                        Some(BitField { bits, shift: 0, unit: limit })
                    }
                    Some(_) | None => {
                        let message = "the width of this bit-field is not supported";
                        return Err(self.error(self.at(width.span), message).help("use a constant that fits its type"));
                    }
                }
            }
            None => None,
        };
        Ok(Member { name, ty, offset: 0, bits })
    }

    fn new_record(&mut self, tag: Option<&str>, union: bool) -> RecordId {
        let word = if union { "union" } else { "struct" };
        let name = tag.map_or(format!("{word} {{…}}"), |tag| format!("{word} {tag}"));
        let id = RecordId(self.types.records.len() as u32);
        let library = !self.body.unit.is_user();
        self.types.records.push(Record {
            name,
            union,
            library,
            unit: self.body.unit.index(),
            broken: None,
            members: None,
            size: 0,
            align: 1,
        });
        if let Some(tag) = tag {
            self.innermost().tags.insert(tag.to_owned(), Tag::Record(id));
        }
        id
    }

    fn enum_type(&mut self, e: &EnumSpecifier) -> Result<Type, Diagnostic> {
        self.check_attributes(&e.attributes)?;
        let tag = e.tag.as_ref().map(|name| name.text.clone());
        let Some(enumerators) = &e.enumerators else {
            if let Some(Tag::Enum(ty)) = tag.and_then(|tag| self.lookup_tag(&tag)) {
                return Ok(ty);
            }
            return Ok(Type::UINT);
        };
        let underlying = match &e.underlying {
            Some(name) => Some(self.type_name(name)?),
            None => None,
        };
        let (mut next, mut low, mut high) = (0i64, 0i64, 0i64);
        for enumerator in enumerators {
            if let Some(value) = &enumerator.value {
                next = self.const_value(value).ok_or_else(|| {
                    let complaint = self.error(self.at(value.span), "this is not an integer constant");
                    complaint.help("an enumerator's value must be known when the program is compiled")
                })?;
            }
            (low, high) = (low.min(next), high.max(next));
            let plain = if i32::try_from(next).is_ok() { Type::INT } else { Type::LONG_LONG };
            let ty = underlying.clone().unwrap_or(plain);
            self.innermost().names.insert(enumerator.name.text.clone(), Entity::Constant(next, ty));
            next = next.wrapping_add(1);
        }
        // As compilers have it: unsigned unless there is a negative enumerator.
        let most = if low < 0 { i64::from(i32::MAX) } else { i64::from(u32::MAX) };
        let wide = high > most || low < i64::from(i32::MIN);
        let ty = match (underlying, wide, low < 0) {
            (Some(ty), ..) => ty,
            (None, ..) if is_packed(&e.attributes) => smallest(low, high),
            (None, false, false) => Type::UINT,
            (None, false, true) => Type::INT,
            (None, true, false) => Type::ULONG_LONG,
            (None, true, true) => Type::LONG_LONG,
        };
        if let Some(tag) = tag {
            self.innermost().tags.insert(tag, Tag::Enum(ty.clone()));
        }
        Ok(ty)
    }

    /// The type of what a declarator declares, from the type that the specifiers give.
    pub fn declarator_type(&mut self, base: Type, declarator: &Declarator) -> Result<Type, Diagnostic> {
        self.check_attributes(&declarator.attributes)?;
        let mut ty = self.mode(base, &declarator.attributes);
        for derived in &declarator.derived {
            ty = self.derive(ty, derived)?;
        }
        Ok(ty)
    }

    /// The type that the attribute `mode` asks for.
    fn mode(&self, ty: Type, attributes: &[Attribute]) -> Type {
        let Kind::Int { signed, .. } = ty.kind else { return ty };
        let name = attributes.iter().find_map(|attribute| match &attribute.meaning {
            Meaning::Mode(name) => Some(&**name),
            _ => None,
        });
        match name {
            Some("QI" | "byte") => Type::integer(8, signed, 1),
            Some("HI") => Type::integer(16, signed, 2),
            Some("SI") => Type::integer(32, signed, 3),
            Some("DI") => Type::integer(64, signed, 5),
            Some("word" | "pointer" | "unwind_word") => self.types.long(signed),
            _ => ty,
        }
    }

    fn derive(&mut self, ty: Type, derived: &Node<Derived>) -> Result<Type, Diagnostic> {
        match &derived.node {
            Derived::Pointer(pointer) => {
                let qualifiers = (pointer.qualifiers.is_const, pointer.qualifiers.is_volatile);
                Ok(Type { atomic: pointer.qualifiers.is_atomic, qualifiers, ..ty.pointer_to() })
            }
            Derived::Array(array) => {
                let count = match &array.size {
                    None => None,
                    // Who calls the function is not told how large the array is.
                    Some(size) if self.prototype && self.const_value(size).is_none() => None,
                    Some(size) => {
                        let count = self.const_value(size);
                        if count.is_none() && !self.body.scopes.is_empty() {
                            return self.variable_array(ty, size);
                        }
                        let count = count.and_then(|count| u64::try_from(count).ok());
                        Some(count.ok_or_else(|| {
                            let message = "the size of this array is not a constant";
                            let help = "give the array a constant size, or allocate it with malloc";
                            self.error(self.at(size.span), message).help(help)
                        })?)
                    }
                };
                Ok(Kind::Array(Rc::new(ty), count).into())
            }
            Derived::Function(function) => {
                let outer = std::mem::replace(&mut self.prototype, true);
                // Types and enumerators that are declared here are known here only, and in the body of the function.
                self.body.scopes.push(Scope::default());
                let all: Result<Vec<Type>, Diagnostic> =
                    function.parameters.iter().map(|parameter| self.parameter(parameter)).collect();
                self.parameter_scope = self.body.scopes.pop().unwrap_or_default();
                self.prototype = outer;
                let mut params = all?;
                if let [only] = params.as_slice()
                    && only.is_void()
                {
                    params.clear();
                }
                Ok(Kind::Function(Rc::new(Signature { result: ty, params, open: function.ellipsis })).into())
            }
            Derived::OldFunction(names) => {
                // The types of the parameters follow; see `definition_signature`.
                let params = names.iter().map(|_| Type::INT).collect();
                Ok(Kind::Function(Rc::new(Signature { result: ty, params, open: names.is_empty() })).into())
            }
        }
    }

    /// The type of a parameter: arrays and functions become pointers.
    pub fn parameter(&mut self, parameter: &Parameter) -> Result<Type, Diagnostic> {
        let base = self.base(&parameter.specifiers)?.ty.unwrap_or(Type::INT);
        // The size of an array as a parameter says nothing, and need not be constant.
        let ty = match parameter.declarator.derived.as_slice() {
            [only] if matches!(only.node, Derived::Array(_)) => base.pointer_to(),
            _ => self.declarator_type(base, &parameter.declarator)?,
        };
        Ok(decayed(ty))
    }
}

fn is_packed(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| matches!(attribute.meaning, Meaning::Packed))
}

/// The smallest integer type for these values, as gcc takes it for a packed enumeration.
fn smallest(low: i64, high: i64) -> Type {
    let fits = |bits: u32| {
        let (most, least) = (i64::MAX >> (64 - bits), i64::MIN >> (64 - bits));
        if low < 0 { least <= low && high <= most } else { high <= most.saturating_mul(2).saturating_add(1) }
    };
    let signed = low < 0;
    match (fits(8), fits(16), fits(32)) {
        (true, ..) => Type::integer(8, signed, 1),
        (_, true, _) => Type::integer(16, signed, 2),
        (_, _, true) => Type::integer(32, signed, 3),
        _ => Type::integer(64, signed, 5),
    }
}

/// A type that is complained about where it is used.
pub(crate) fn bad(why: Diagnostic) -> Type {
    Kind::Bad(Rc::new(why)).into()
}

/// The type of the value that an array or a function stands for.
pub(crate) fn decayed(ty: Type) -> Type {
    match ty.kind {
        Kind::Array(element, _) | Kind::VariableArray(element, _) => Kind::Pointer(element).into(),
        Kind::Function(_) => ty.pointer_to(),
        Kind::Void
        | Kind::Bool
        | Kind::Int { .. }
        | Kind::Float(_)
        | Kind::Pointer(_)
        | Kind::Record(_)
        | Kind::Bad(_) => ty,
    }
}
