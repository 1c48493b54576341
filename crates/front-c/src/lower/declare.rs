//! Types from declarations.

use super::scope::{Entity, Tag};
use super::{Lowering, Unit};
use crate::types::{BitField, Kind, Member, Record, RecordId, Signature, Type};
use lang_c::ast::{
    ArraySize, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, Ellipsis, EnumType, Expression,
    Extension, ParameterDeclaration, PointerQualifier, SpecifierQualifier, StorageClassSpecifier, StructDeclaration,
    StructKind, StructType, TypeName, TypeOf, TypeQualifier, TypeSpecifier,
};
use lang_c::span::{Node, Span};
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

/// Counts the words of an arithmetic type.
#[derive(Debug, Default)]
struct Words {
    char: bool,
    short: bool,
    int: bool,
    long: u8,
    signed: bool,
    unsigned: bool,
    float: bool,
    double: bool,
    complex: bool,
}

impl Lowering {
    /// The type that a type name (of `sizeof`, of a cast) stands for.
    pub fn type_name(&mut self, name: &Node<TypeName>) -> Result<Type, Diagnostic> {
        let base = self.qualified(&name.node.specifiers, name.span)?;
        match &name.node.declarator {
            Some(declarator) => self.declarator_type(base, &declarator.node),
            None => Ok(base),
        }
    }

    /// What the specifiers of a declaration say.
    pub fn base(&mut self, specifiers: &[Node<DeclarationSpecifier>], span: Span) -> Result<Base, Diagnostic> {
        let mut base = Base { ty: None, typedef: false, external: false, fixed: false, thread: false };
        let (mut types, mut atomic) = (Vec::new(), false);
        for specifier in specifiers {
            match &specifier.node {
                DeclarationSpecifier::StorageClass(class) => match class.node {
                    StorageClassSpecifier::Typedef => base.typedef = true,
                    StorageClassSpecifier::Extern => base.external = true,
                    StorageClassSpecifier::Static => base.fixed = true,
                    StorageClassSpecifier::ThreadLocal => base.thread = true,
                    StorageClassSpecifier::Auto | StorageClassSpecifier::Register => {}
                },
                DeclarationSpecifier::TypeSpecifier(ty) => types.push(ty),
                DeclarationSpecifier::TypeQualifier(qualifier) => atomic |= is_atomic(&qualifier.node),
                DeclarationSpecifier::Function(_) | DeclarationSpecifier::Alignment(_) => {}
                DeclarationSpecifier::Extension(extensions) => self.check_extensions(extensions)?,
            }
        }
        let auto = matches!(types.as_slice(), [one] if matches!(&one.node,
            TypeSpecifier::TypedefName(name) if name.node.name == "__auto_type"));
        if !auto {
            base.ty = Some(self.specified(&types, atomic, span)?);
        }
        Ok(base)
    }

    fn qualified(&mut self, specifiers: &[Node<SpecifierQualifier>], span: Span) -> Result<Type, Diagnostic> {
        let (mut types, mut atomic) = (Vec::new(), false);
        for specifier in specifiers {
            match &specifier.node {
                SpecifierQualifier::TypeSpecifier(ty) => types.push(ty),
                SpecifierQualifier::TypeQualifier(qualifier) => atomic |= is_atomic(&qualifier.node),
                SpecifierQualifier::Extension(extensions) => self.check_extensions(extensions)?,
            }
        }
        self.specified(&types, atomic, span)
    }

    /// Complains about attributes that change what the program means.
    fn check_extensions(&mut self, extensions: &[Node<Extension>]) -> Result<(), Diagnostic> {
        for extension in extensions {
            if let Extension::Attribute(attribute) = &extension.node {
                let name = attribute.name.node.trim_matches('_');
                if matches!(name, "vector_size" | "cleanup" | "constructor" | "destructor") {
                    let message = format!("the attribute `{name}` is not supported");
                    return Err(self.error(self.at(extension.span), message).help("write the code without it"));
                }
            }
        }
        Ok(())
    }

    fn specified(&mut self, types: &[&Node<TypeSpecifier>], atomic: bool, span: Span) -> Result<Type, Diagnostic> {
        let mut words = Words::default();
        let mut whole = None;
        for ty in types {
            match &ty.node {
                TypeSpecifier::Void => whole = Some(Type::VOID),
                TypeSpecifier::Char => words.char = true,
                TypeSpecifier::Short => words.short = true,
                TypeSpecifier::Int => words.int = true,
                TypeSpecifier::Long => words.long += 1,
                TypeSpecifier::Float => words.float = true,
                TypeSpecifier::Double => words.double = true,
                TypeSpecifier::Signed => words.signed = true,
                TypeSpecifier::Unsigned => words.unsigned = true,
                TypeSpecifier::Bool => whole = Some(Type::BOOL),
                TypeSpecifier::Complex => words.complex = true,
                TypeSpecifier::Atomic(name) => {
                    let mut inner = self.type_name(name)?;
                    inner.atomic = true;
                    whole = Some(inner);
                }
                TypeSpecifier::Struct(record) => whole = Some(self.record_type(record)?),
                TypeSpecifier::Enum(e) => whole = Some(self.enum_type(e)?),
                TypeSpecifier::TypedefName(name) => {
                    let known = self.lookup(&name.node.name);
                    whole = Some(match known {
                        Some(Entity::Typedef(ty)) => ty,
                        Some(Entity::Bad(why)) => return Err((*why).clone()),
                        Some(Entity::Constant(..) | Entity::Variable(_) | Entity::Global(_) | Entity::Function(_))
                        | None
                            if name.node.name == "__builtin_va_list" =>
                        {
                            let complaint = self.error(self.at(name.span), "arguments after `...` are not supported");
                            return Err(complaint.help("give the function a fixed number of parameters"));
                        }
                        Some(Entity::Constant(..) | Entity::Variable(_) | Entity::Global(_) | Entity::Function(_))
                        | None => {
                            let message = format!("`{}` is not a type that is supported", name.node.name);
                            return Err(self.error(self.at(name.span), message).help("define it with `typedef`"));
                        }
                    });
                }
                TypeSpecifier::TypeOf(of) => {
                    let ty = match &of.node {
                        TypeOf::Expression(e) => self.type_of(e)?,
                        TypeOf::Type(name) => self.type_name(name)?,
                    };
                    whole = Some(ty);
                }
                TypeSpecifier::TS18661Float(float) => {
                    whole = Some(if float.width <= 32 { Type::FLOAT } else { Type::DOUBLE });
                }
            }
        }
        let mut ty = match whole {
            Some(ty) => ty,
            None => self.arithmetic(&words, span)?,
        };
        ty.atomic |= atomic;
        Ok(ty)
    }

    fn arithmetic(&self, words: &Words, span: Span) -> Result<Type, Diagnostic> {
        if words.complex {
            let message = "complex numbers and 128-bit integers are not supported";
            return Err(self.error(self.at(span), message).help("use an integer type of at most 64 bits"));
        }
        if words.float {
            return Ok(Type::FLOAT);
        }
        if words.double {
            return Ok(Type::DOUBLE);
        }
        let signed = !words.unsigned;
        if words.char {
            return Ok(if signed { Type::CHAR } else { Type::UCHAR });
        }
        if words.short {
            return Ok(if signed { Type::SHORT } else { Type::USHORT });
        }
        Ok(match words.long {
            0 => Type::integer(32, signed, 3),
            1 => self.types.long(signed),
            _ => Type::integer(64, signed, 5),
        })
    }

    fn record_type(&mut self, node: &Node<StructType>) -> Result<Type, Diagnostic> {
        let union = node.node.kind.node == StructKind::Union;
        let tag = node.node.identifier.as_ref().map(|name| name.node.name.clone());
        let Some(declarations) = &node.node.declarations else {
            let Some(tag) = tag else { return Err(self.error(self.at(node.span), "a structure without members")) };
            if let Some(Tag::Record(id)) = self.lookup_tag(&tag) {
                return Ok(Kind::Record(id).into());
            }
            let id = self.new_record(Some(&tag), union);
            return Ok(Kind::Record(id).into());
        };
        let known = tag.as_ref().and_then(|tag| self.innermost().tags.get(tag).cloned());
        let known = known.and_then(|tag| match tag {
            Tag::Record(id) if self.types.record(id).members.is_none() => Some(id),
            Tag::Record(_) | Tag::Enum(_) => None,
        });
        let id = known.unwrap_or_else(|| self.new_record(tag.as_deref(), union));
        let mut members = Vec::new();
        for declaration in declarations {
            match &declaration.node {
                StructDeclaration::Field(field) => {
                    let base = self.qualified(&field.node.specifiers, field.span).unwrap_or_else(bad);
                    if field.node.declarators.is_empty() {
                        members.push(Member { name: None, ty: base.clone(), offset: 0, bits: None });
                    }
                    for declarator in &field.node.declarators {
                        members.push(self.member(&base, &declarator.node)?);
                    }
                }
                StructDeclaration::StaticAssert(_) => {}
            }
        }
        if let Err(why) = self.types.complete(id, members) {
            let name = self.types.record(id).name.clone();
            let complaint = self.error(self.at(node.span), format!("`{name}` has no layout: {why}"));
            return Err(complaint.help("give every member a complete type of constant size"));
        }
        Ok(Kind::Record(id).into())
    }

    fn member(&mut self, base: &Type, node: &lang_c::ast::StructDeclarator) -> Result<Member, Diagnostic> {
        let (name, ty) = match &node.declarator {
            Some(declarator) => {
                let ty = self.declarator_type(base.clone(), &declarator.node).unwrap_or_else(bad);
                (super::usage::declared(&declarator.node).map(|(name, _)| name.to_owned()), ty)
            }
            None => (None, base.clone()),
        };
        let bits = match &node.bit_width {
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
        let library = self.body.unit == Unit::Library;
        self.types.records.push(Record { name, union, library, members: None, size: 0, align: 1 });
        if let Some(tag) = tag {
            self.innermost().tags.insert(tag.to_owned(), Tag::Record(id));
        }
        id
    }

    fn enum_type(&mut self, node: &Node<EnumType>) -> Result<Type, Diagnostic> {
        let tag = node.node.identifier.as_ref().map(|name| name.node.name.clone());
        if node.node.enumerators.is_empty() {
            if let Some(Tag::Enum(ty)) = tag.and_then(|tag| self.lookup_tag(&tag)) {
                return Ok(ty);
            }
            return Ok(Type::UINT);
        }
        let (mut next, mut negative, mut wide) = (0i64, false, false);
        for enumerator in &node.node.enumerators {
            if let Some(value) = &enumerator.node.expression {
                next = self.const_value(value).ok_or_else(|| {
                    let complaint = self.error(self.at(value.span), "this is not an integer constant");
                    complaint.help("an enumerator's value must be known when the program is compiled")
                })?;
            }
            negative |= next < 0;
            wide |= next > i64::from(u32::MAX) || next < i64::from(i32::MIN);
            let ty = if i32::try_from(next).is_ok() { Type::INT } else { Type::LONG_LONG };
            let name = enumerator.node.identifier.node.name.clone();
            self.innermost().names.insert(name, Entity::Constant(next, ty));
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
        let mut ty = base;
        self.check_extensions(&declarator.extensions)?;
        for extension in &declarator.extensions {
            if let Extension::Attribute(attribute) = &extension.node
                && attribute.name.node.trim_matches('_') == "mode"
            {
                ty = self.mode(ty, attribute);
            }
        }
        // Pointers come first and apply in order; of arrays and functions, the last applies first.
        let (pointers, others): (Vec<_>, Vec<_>) = declarator
            .derived
            .iter()
            .partition(|d| matches!(d.node, DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_)));
        for derived in pointers.into_iter().chain(others.into_iter().rev()) {
            ty = self.derive(ty, derived)?;
        }
        match &declarator.kind.node {
            DeclaratorKind::Declarator(inner) => self.declarator_type(ty, &inner.node),
            DeclaratorKind::Abstract | DeclaratorKind::Identifier(_) => Ok(ty),
        }
    }

    /// The type that the attribute `mode` asks for.
    fn mode(&self, ty: Type, attribute: &lang_c::ast::Attribute) -> Type {
        let Kind::Int { signed, .. } = ty.kind else { return ty };
        let name = attribute.arguments.first().and_then(|arg| match &arg.node {
            Expression::Identifier(name) => Some(name.node.name.trim_matches('_')),
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

    fn derive(&mut self, ty: Type, derived: &Node<DerivedDeclarator>) -> Result<Type, Diagnostic> {
        match &derived.node {
            DerivedDeclarator::Pointer(qualifiers) | DerivedDeclarator::Block(qualifiers) => {
                let mut pointer = ty.pointer_to();
                pointer.atomic = qualifiers.iter().any(|q| match &q.node {
                    PointerQualifier::TypeQualifier(qualifier) => is_atomic(&qualifier.node),
                    PointerQualifier::Extension(_) => false,
                });
                Ok(pointer)
            }
            DerivedDeclarator::Array(array) => {
                let count = match &array.node.size {
                    ArraySize::Unknown | ArraySize::VariableUnknown => None,
                    ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => {
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
            DerivedDeclarator::Function(function) => {
                let mut params = Vec::new();
                for parameter in &function.node.parameters {
                    params.push(self.parameter(&parameter.node, parameter.span)?);
                }
                if let [only] = params.as_slice()
                    && only.is_void()
                {
                    params.clear();
                }
                let open = function.node.ellipsis == Ellipsis::Some;
                Ok(Kind::Function(Rc::new(Signature { result: ty, params, open })).into())
            }
            DerivedDeclarator::KRFunction(names) => {
                // The types of the parameters follow; see `definition_signature`.
                let params = names.iter().map(|_| Type::INT).collect();
                Ok(Kind::Function(Rc::new(Signature { result: ty, params, open: names.is_empty() })).into())
            }
        }
    }

    /// The type of a parameter: arrays and functions become pointers.
    pub fn parameter(&mut self, node: &ParameterDeclaration, span: Span) -> Result<Type, Diagnostic> {
        // The size of an array as a parameter says nothing, and need not be constant.
        let base = self.base(&node.specifiers, span)?.ty.unwrap_or(Type::INT);
        let ty = match &node.declarator {
            Some(declarator) => match &declarator.node.derived.first().map(|d| &d.node) {
                Some(DerivedDeclarator::Array(_)) if declarator.node.derived.len() == 1 => base.pointer_to(),
                _ => self.declarator_type(base, &declarator.node)?,
            },
            None => base,
        };
        Ok(decayed(ty))
    }
}

fn is_atomic(qualifier: &TypeQualifier) -> bool {
    match qualifier {
        TypeQualifier::Atomic => true,
        TypeQualifier::Const
        | TypeQualifier::Restrict
        | TypeQualifier::Volatile
        | TypeQualifier::Nonnull
        | TypeQualifier::NullUnspecified
        | TypeQualifier::Nullable => false,
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
