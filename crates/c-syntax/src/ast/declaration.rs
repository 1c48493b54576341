//! Declarations and types.

use super::{Attribute, Expression, Initializer, Name, Node, Range, Statement, StringLiteral};

/// A declaration of variables, types or functions.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// What stands before the first declarator.
    pub specifiers: Specifiers,
    /// What is declared.
    pub declarators: Vec<InitDeclarator>,
    /// The text, with its semicolon.
    pub span: Range,
}

/// A function with its body.
#[derive(Debug, Clone)]
pub struct FunctionDefinition {
    /// What stands before the declarator.
    pub specifiers: Specifiers,
    /// Name and parameters.
    pub declarator: Declarator,
    /// For a definition in the old style: the declarations of the parameters.
    pub declarations: Vec<Declaration>,
    /// The body.
    pub statement: Node<Statement>,
    /// The whole text.
    pub span: Range,
}

/// `_Static_assert(condition, "message");`
#[derive(Debug, Clone)]
pub struct StaticAssert {
    /// What must not be zero.
    pub expression: Node<Expression>,
    /// What to say otherwise.
    pub message: Option<StringLiteral>,
    /// The text.
    pub span: Range,
}

/// What stands before the declarators.
#[derive(Debug, Clone)]
pub struct Specifiers {
    /// Storage classes, and the words for functions.
    pub storage: Storage,
    /// The type.
    pub ty: TypeSpecifier,
    /// Its qualifiers.
    pub qualifiers: Qualifiers,
    /// All `_Alignas`.
    pub alignment: Vec<Node<Alignment>>,
    /// The attributes of all that is declared.
    pub attributes: Vec<Attribute>,
    /// The text; empty if there is none.
    pub span: Range,
}

/// Storage classes, and the words for functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Storage {
    /// `typedef`.
    pub is_typedef: bool,
    /// `extern`.
    pub is_extern: bool,
    /// `static`.
    pub is_static: bool,
    /// `_Thread_local`, `__thread`.
    pub is_thread_local: bool,
    /// `auto`.
    pub is_auto: bool,
    /// `register`.
    pub is_register: bool,
    /// `constexpr`.
    pub is_constexpr: bool,
    /// `inline`.
    pub is_inline: bool,
    /// `_Noreturn`.
    pub is_noreturn: bool,
}

/// Type qualifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Qualifiers {
    /// `const`.
    pub is_const: bool,
    /// `volatile`.
    pub is_volatile: bool,
    /// `restrict`.
    pub is_restrict: bool,
    /// `_Atomic` without parentheses.
    pub is_atomic: bool,
}

/// An alignment: a number or that of a type.
#[derive(Debug, Clone)]
pub enum Alignment {
    /// A number of bytes.
    Expression(Box<Node<Expression>>),
    /// That of a type.
    Type(Box<TypeName>),
}

/// A type without pointers, arrays and parameters.
#[derive(Debug, Clone)]
pub enum TypeSpecifier {
    /// `void`.
    Void,
    /// `_Bool`.
    Bool,
    /// A number.
    Arithmetic(Arithmetic),
    /// `_Atomic(type)`.
    Atomic(Box<TypeName>),
    /// `struct` or `union`.
    Record(Box<RecordSpecifier>),
    /// `enum`.
    Enum(Box<EnumSpecifier>),
    /// A name declared with `typedef`, or one that compilers know.
    Typedef(Name),
    /// `typeof(…)`.
    TypeOf(Box<TypeOf>),
    /// `__auto_type`, or C23's `auto`: the type of the initialiser.
    Auto,
    /// None is written: `int`.
    Implicit,
}

/// The arithmetic types, whatever words they are written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `char`.
    Char,
    /// `signed char`.
    SignedChar,
    /// `unsigned char`.
    UnsignedChar,
    /// `short`.
    Short,
    /// `unsigned short`.
    UnsignedShort,
    /// `int`.
    Int,
    /// `unsigned`.
    UnsignedInt,
    /// `long`.
    Long,
    /// `unsigned long`.
    UnsignedLong,
    /// `long long`.
    LongLong,
    /// `unsigned long long`.
    UnsignedLongLong,
    /// `__int128`.
    Int128,
    /// `unsigned __int128`.
    UnsignedInt128,
    /// `_Float16`.
    Float16,
    /// `float`, `_Float32`.
    Float,
    /// `double`, `_Float64`, `_Float32x`.
    Double,
    /// `long double`, `_Float64x`.
    LongDouble,
    /// `_Float128`, `__float128`.
    Float128,
    /// A decimal floating type: `_Decimal32` and its kin.
    Decimal,
    /// Any complex type.
    Complex,
}

/// `typeof(…)`.
#[derive(Debug, Clone)]
pub enum TypeOf {
    /// Of an expression, which is not evaluated.
    Expression(Node<Expression>),
    /// Of a type.
    Type(TypeName),
}

/// `struct` or `union`.
#[derive(Debug, Clone)]
pub struct RecordSpecifier {
    /// Whether it is a union.
    pub is_union: bool,
    /// The tag.
    pub tag: Option<Name>,
    /// The members; none if it is only mentioned.
    pub fields: Option<Vec<Field>>,
    /// Attributes of the type.
    pub attributes: Vec<Attribute>,
    /// The bound that `#pragma pack` sets on the alignment of members, where the members end.
    pub pack: Option<u64>,
    /// The text.
    pub span: Range,
}

/// A declaration inside a structure or union.
#[derive(Debug, Clone)]
pub enum Field {
    /// Members of one type; without declarators an anonymous structure or union.
    Members {
        /// The type.
        specifiers: Box<Specifiers>,
        /// The members.
        declarators: Vec<FieldDeclarator>,
    },
    /// `_Static_assert(…);`
    StaticAssert(Box<StaticAssert>),
}

/// A member.
#[derive(Debug, Clone)]
pub struct FieldDeclarator {
    /// Its name and type; an unnamed bit-field has no name.
    pub declarator: Declarator,
    /// How many bits it has, for a bit-field.
    pub width: Option<Node<Expression>>,
}

/// `enum`.
#[derive(Debug, Clone)]
pub struct EnumSpecifier {
    /// The tag.
    pub tag: Option<Name>,
    /// C23's underlying type.
    pub underlying: Option<Box<TypeName>>,
    /// The enumerators; none if it is only mentioned.
    pub enumerators: Option<Vec<Enumerator>>,
    /// Attributes of the type.
    pub attributes: Vec<Attribute>,
    /// The text.
    pub span: Range,
}

/// A constant of an enumeration.
#[derive(Debug, Clone)]
pub struct Enumerator {
    /// Its name.
    pub name: Name,
    /// Its value, if one is given.
    pub value: Option<Node<Expression>>,
}

/// The name of a type: of a cast, of `sizeof`.
#[derive(Debug, Clone)]
pub struct TypeName {
    /// The type.
    pub specifiers: Specifiers,
    /// Pointers, arrays and parameters; it has no name.
    pub declarator: Declarator,
    /// The text.
    pub span: Range,
}

/// A declarator with its initialiser.
#[derive(Debug, Clone)]
pub struct InitDeclarator {
    /// What is declared.
    pub declarator: Declarator,
    /// Its first value.
    pub initializer: Option<Node<Initializer>>,
    /// The text.
    pub span: Range,
}

/// What a declaration makes of the type before it.
#[derive(Debug, Clone)]
pub struct Declarator {
    /// The name; a type name has none.
    pub name: Option<Name>,
    /// What is made of the type, in order: of `*a[2]`, first a pointer, then an array.
    pub derived: Vec<Node<Derived>>,
    /// Attributes of this declarator.
    pub attributes: Vec<Attribute>,
    /// The name that `asm("…")` gives it for the linker.
    pub label: Option<StringLiteral>,
    /// The text.
    pub span: Range,
}

/// One step from a type to another.
#[derive(Debug, Clone)]
pub enum Derived {
    /// A pointer to it.
    Pointer(PointerDeclarator),
    /// An array of it.
    Array(ArrayDeclarator),
    /// A function that returns it.
    Function(Parameters),
    /// A function in the old style: the names of the parameters only.
    OldFunction(Vec<Name>),
}

/// `*`.
#[derive(Debug, Clone)]
pub struct PointerDeclarator {
    /// The qualifiers of the pointer itself.
    pub qualifiers: Qualifiers,
    /// The attributes after it.
    pub attributes: Vec<Attribute>,
}

/// `[size]`.
#[derive(Debug, Clone)]
pub struct ArrayDeclarator {
    /// How many elements; none for `[]` and `[*]`.
    pub size: Option<Box<Node<Expression>>>,
    /// The qualifiers of a parameter.
    pub qualifiers: Qualifiers,
    /// `static`, in a parameter.
    pub is_static: bool,
}

/// The parameters of a function.
#[derive(Debug, Clone)]
pub struct Parameters {
    /// The parameters; a single `void` is still there.
    pub parameters: Vec<Parameter>,
    /// Whether `...` follows.
    pub ellipsis: bool,
}

/// A parameter.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// What stands before the declarator.
    pub specifiers: Specifiers,
    /// The declarator, perhaps without a name.
    pub declarator: Declarator,
    /// The text.
    pub span: Range,
}

impl Declarator {
    /// The parameters, if it declares a function and is no pointer to one.
    pub fn parameters(&self) -> Option<&Parameters> {
        match self.derived.last().map(|derived| &derived.node) {
            Some(Derived::Function(parameters)) => Some(parameters),
            Some(Derived::Pointer(_) | Derived::Array(_) | Derived::OldFunction(_)) | None => None,
        }
    }

    /// The names of the parameters, if it declares a function in the old style.
    pub fn old_parameters(&self) -> Option<&[Name]> {
        match self.derived.last().map(|derived| &derived.node) {
            Some(Derived::OldFunction(names)) => Some(names),
            Some(Derived::Pointer(_) | Derived::Array(_) | Derived::Function(_)) | None => None,
        }
    }

    /// Whether it declares a function and is no pointer to one.
    pub fn is_function(&self) -> bool {
        self.parameters().is_some() || self.old_parameters().is_some()
    }
}
