//! The syntax tree.
//!
//! Declarations are kept as they are meant rather than as they are spelt: the words of an arithmetic type are one
//! [`Arithmetic`], a declarator is its name and the list of what it makes of the type, from the base outwards.

mod attribute;
mod declaration;
mod expression;
mod statement;

pub use attribute::{Attribute, Meaning};
pub use declaration::{
    Alignment, Arithmetic, ArrayDeclarator, Declaration, Declarator, Derived, EnumSpecifier, Enumerator, Field,
    FieldDeclarator, FunctionDefinition, InitDeclarator, Parameter, Parameters, PointerDeclarator, Qualifiers,
    RecordSpecifier, Specifiers, StaticAssert, Storage, TypeName, TypeOf, TypeSpecifier,
};
pub use expression::{
    Association, Binary, BinaryOperator, Call, Cast, Character, CompoundLiteral, Conditional, Constant, Designator,
    Encoding, Expression, Float, FloatSuffix, GenericSelection, Initializer, InitializerItem, Integer, Member,
    MemberOperator, OffsetOf, StringLiteral, TypesCompatible, Unary, UnaryOperator, VaArg,
};
pub use statement::{
    Asm, AsmOperand, BlockItem, DoWhile, For, ForInitializer, If, Label, Labeled, Statement, Switch, While,
};

/// A range of bytes in the text that was parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Range {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Range {
    /// The smallest range that covers both.
    #[must_use]
    pub fn to(self, other: Range) -> Range {
        Range { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A part of the tree and where it stands.
#[derive(Debug, Clone)]
pub struct Node<T> {
    /// The part.
    pub node: T,
    /// Its text.
    pub span: Range,
}

impl<T> Node<T> {
    /// A part that stands at a place.
    pub fn new(node: T, span: Range) -> Self {
        Node { node, span }
    }
}

/// A name where it stands.
#[derive(Debug, Clone)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: Range,
}

/// A whole text.
#[derive(Debug, Clone)]
pub struct Unit {
    /// What it declares, in order.
    pub items: Vec<Item>,
}

/// What can stand outside functions.
#[derive(Debug, Clone)]
pub enum Item {
    /// A function with its body.
    Function(Box<FunctionDefinition>),
    /// Variables, types, functions without body.
    Declaration(Box<Declaration>),
    /// `_Static_assert(…);`
    StaticAssert(Box<StaticAssert>),
    /// `asm("…");`
    Asm(Box<Asm>),
}
