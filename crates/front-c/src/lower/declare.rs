//! Types from declarations.

use super::scope::{Entity, Tag};
use super::{Lowering, Unit};
use crate::types::{BitField, Kind, Layout, Member, Record, RecordId, Signature, Type};
use c_syntax::ast::{
    Arithmetic, Attribute, Declarator, Derived, EnumSpecifier, Field, FieldDeclarator, Meaning, Name, Node, Parameter,
    RecordSpecifier, Specifiers, TypeName, TypeOf, TypeSpecifier,
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
        Ok(Base {
            ty,
            typedef: storage.is_typedef,
            external: storage.is_extern,
            fixed: storage.is_static,
            thread: storage.is_thread_local,
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
        Ok(ty)
    }

    fn typedef_type(&self, name: &Name) -> Result<Type, Diagnostic> {
        let (message, help) = match self.lookup(&name.text) {
            Some(Entity::Typedef(ty)) => return Ok(ty),
            Some(Entity::Bad(why)) => return Err((*why).clone()),
            Some(Entity::Constant(..) | Entity::Variable(_) | Entity::Global(_) | Entity::Function(_)) | None => {
                if name.text == "__builtin_va_list" {
                    let message = "arguments after `...` are not supported".to_owned();
                    (message, "give the function a fixed number of parameters")
                } else {
                    (format!("`{}` is not a type that is supported", name.text), "define it with `typedef`")
                }
            }
        };
        Err(self.error(self.at(name.span), message).help(help))
    }

    /// Complains about attributes that change what the program means.
    fn check_attributes(&self, attributes: &[Attribute]) -> Result<(), Diagnostic> {
        for attribute in attributes {
            match attribute.meaning {
                Meaning::Unknown | Meaning::Cleanup(_) => {
                    let message = format!("the attribute `{}` is not supported", attribute.name);
                    return Err(self.error(self.at(attribute.span), message).help("write the code without it"));
                }
                Meaning::Packed
                | Meaning::Aligned(_)
                | Meaning::Constructor(_)
                | Meaning::Destructor(_)
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
            Arithmetic::Char | Arithmetic::SignedChar => Type::CHAR,
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
            Arithmetic::Double | Arithmetic::LongDouble | Arithmetic::Float128 => Type::DOUBLE,
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
        let mut members = Vec::new();
        for field in fields {
            let Field::Members { specifiers, declarators } = field else { continue };
            let base = self.specified(specifiers).unwrap_or_else(bad);
            if declarators.is_empty() {
                let layout = self.member_layout(specifiers, None)?;
                members.push(Member { name: None, ty: base.clone(), offset: 0, bits: None, layout });
            }
            for declarator in declarators {
                let layout = self.member_layout(specifiers, Some(&declarator.declarator))?;
                members.push(Member { layout, ..self.member(&base, declarator)? });
            }
        }
        let layout = self.record_layout(record)?;
        if let Err(why) = self.types.complete(id, members, layout) {
            let name = self.types.record(id).name.clone();
            let complaint = self.error(self.at(record.span), format!("`{name}` has no layout: {why}"));
            return Err(complaint.help("give every member a complete type of constant size"));
        }
        Ok(Kind::Record(id).into())
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
        Ok(Member { name, ty, offset: 0, bits, layout: Layout::default() })
    }

    fn new_record(&mut self, tag: Option<&str>, union: bool) -> RecordId {
        let word = if union { "union" } else { "struct" };
        let name = tag.map_or(format!("{word} {{…}}"), |tag| format!("{word} {tag}"));
        let id = RecordId(self.types.records.len() as u32);
        let library = self.body.unit == Unit::Library;
        self.types.records.push(Record { name, union, library, members: None, size: 0, align: 1 });
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
        let (mut next, mut negative, mut wide) = (0i64, false, false);
        for enumerator in enumerators {
            if let Some(value) = &enumerator.value {
                next = self.const_value(value).ok_or_else(|| {
                    let complaint = self.error(self.at(value.span), "this is not an integer constant");
                    complaint.help("an enumerator's value must be known when the program is compiled")
                })?;
            }
            negative |= next < 0;
            wide |= next > i64::from(u32::MAX) || next < i64::from(i32::MIN);
            let ty = if i32::try_from(next).is_ok() { Type::INT } else { Type::LONG_LONG };
            self.innermost().names.insert(enumerator.name.text.clone(), Entity::Constant(next, ty));
            next = next.wrapping_add(1);
        }
        // As compilers have it: unsigned unless there is a negative enumerator.
        let ty = match (wide, negative) {
            (false, false) => Type::UINT,
            (false, true) => Type::INT,
            (true, false) => Type::ULONG_LONG,
            (true, true) => Type::LONG_LONG,
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
            Derived::Pointer(pointer) => Ok(Type { atomic: pointer.qualifiers.is_atomic, ..ty.pointer_to() }),
            Derived::Array(array) => {
                let count = match &array.size {
                    None => None,
                    Some(size) => {
                        let count = self.const_value(size).and_then(|count| u64::try_from(count).ok());
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
                let mut params = Vec::new();
                for parameter in &function.parameters {
                    params.push(self.parameter(parameter)?);
                }
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

/// A type that is complained about where it is used.
pub(crate) fn bad(why: Diagnostic) -> Type {
    Kind::Bad(Rc::new(why)).into()
}

/// The type of the value that an array or a function stands for.
pub(crate) fn decayed(ty: Type) -> Type {
    match ty.kind {
        Kind::Array(element, _) => Kind::Pointer(element).into(),
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
