//! Expressions and initialisers.

use super::{Name, Node, Range, Statement, TypeName};

/// An expression. Parentheses leave no trace.
#[derive(Debug, Clone)]
pub enum Expression {
    /// A name.
    Identifier(String),
    /// A number or a character.
    Constant(Constant),
    /// Text; neighbours are joined.
    StringLiteral(StringLiteral),
    /// `_Generic(…)`.
    GenericSelection(Box<GenericSelection>),
    /// `a.b`, `a->b`.
    Member(Box<Member>),
    /// `f(…)`.
    Call(Box<Call>),
    /// `(type){ … }`.
    CompoundLiteral(Box<CompoundLiteral>),
    /// `sizeof(type)`.
    SizeOfType(Box<TypeName>),
    /// `sizeof e`.
    SizeOfValue(Box<Node<Expression>>),
    /// `_Alignof(type)`.
    AlignOfType(Box<TypeName>),
    /// `__alignof__ e`.
    AlignOfValue(Box<Node<Expression>>),
    /// One operand.
    Unary(Box<Unary>),
    /// `(type)e`.
    Cast(Box<Cast>),
    /// Two operands, also assignments and `a[b]`.
    Binary(Box<Binary>),
    /// `a ? b : c`.
    Conditional(Box<Conditional>),
    /// `a, b, c`: at least two.
    Comma(Vec<Node<Expression>>),
    /// `__builtin_offsetof(type, member)`.
    OffsetOf(Box<OffsetOf>),
    /// `__builtin_va_arg(list, type)`.
    VaArg(Box<VaArg>),
    /// `__builtin_types_compatible_p(a, b)`.
    TypesCompatible(Box<TypesCompatible>),
    /// `({ … })`.
    Statement(Box<Node<Statement>>),
    /// `&&label`.
    LabelAddress(Name),
}

/// A number or a character.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    /// An integer.
    Integer(Integer),
    /// A floating-point number.
    Float(Float),
    /// A character.
    Character(Character),
    /// `true` or `false` where no name says otherwise.
    Bool(bool),
    /// `nullptr` where no name says otherwise.
    Nullptr,
}

/// An integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Integer {
    /// Its value.
    pub value: u64,
    /// Whether it is written with the digits 0 to 9: then it is not unsigned without a suffix.
    pub is_decimal: bool,
    /// The suffix `u`.
    pub is_unsigned: bool,
    /// How many `l` the suffix has.
    pub longs: u8,
}

/// A floating-point number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Float {
    /// Its value.
    pub value: f64,
    /// Its suffix.
    pub suffix: FloatSuffix,
}

/// What the suffix of a floating-point number says about its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FloatSuffix {
    /// None: `double`.
    Double,
    /// `f`: `float`.
    Float,
    /// `l`, or one of the longer types.
    Long,
}

/// How the characters of a literal are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// No prefix: bytes.
    Plain,
    /// `u8`: bytes.
    Utf8,
    /// `u`: units of 16 bits.
    Utf16,
    /// `U`: units of 32 bits.
    Utf32,
    /// `L`: units of 32 bits.
    Wide,
}

/// A character constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Character {
    /// Its value; of several characters, as gcc computes it.
    pub value: i64,
    /// Its prefix.
    pub encoding: Encoding,
}

/// Text.
#[derive(Debug, Clone)]
pub struct StringLiteral {
    /// Its prefix, or that of the neighbour that has one.
    pub encoding: Encoding,
    /// Its units, escapes resolved, without the final zero.
    pub units: Vec<u32>,
    /// The text, from the first quote to the last.
    pub span: Range,
}

impl StringLiteral {
    /// The bytes, without the final zero; none if the units are wider than a byte.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match self.encoding {
            Encoding::Plain | Encoding::Utf8 => Some(self.units.iter().map(|&unit| unit as u8).collect()),
            Encoding::Utf16 | Encoding::Utf32 | Encoding::Wide => None,
        }
    }

    /// The text, as far as it is one.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes().unwrap_or_default()).into_owned()
    }
}

/// `_Generic(…)`.
#[derive(Debug, Clone)]
pub struct GenericSelection {
    /// What decides by its type.
    pub expression: Node<Expression>,
    /// What to choose from.
    pub associations: Vec<Association>,
}

/// One choice of a generic selection.
#[derive(Debug, Clone)]
pub struct Association {
    /// The type; none for `default`.
    pub ty: Option<TypeName>,
    /// What is chosen.
    pub expression: Node<Expression>,
}

/// `a.b`, `a->b`.
#[derive(Debug, Clone)]
pub struct Member {
    /// Which of the two.
    pub operator: MemberOperator,
    /// The structure, or the pointer to it.
    pub expression: Node<Expression>,
    /// The member.
    pub identifier: Name,
}

/// The operators that choose a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberOperator {
    /// `.`
    Direct,
    /// `->`
    Indirect,
}

/// `f(…)`.
#[derive(Debug, Clone)]
pub struct Call {
    /// What is called.
    pub callee: Node<Expression>,
    /// What it is given.
    pub arguments: Vec<Node<Expression>>,
}

/// `(type){ … }`.
#[derive(Debug, Clone)]
pub struct CompoundLiteral {
    /// The type.
    pub type_name: TypeName,
    /// Its parts.
    pub initializer: Vec<InitializerItem>,
}

/// One operand.
#[derive(Debug, Clone)]
pub struct Unary {
    /// The operator.
    pub operator: UnaryOperator,
    /// The operand.
    pub operand: Node<Expression>,
}

/// The operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `x++`
    PostIncrement,
    /// `x--`
    PostDecrement,
    /// `++x`
    PreIncrement,
    /// `--x`
    PreDecrement,
    /// `&x`
    Address,
    /// `*x`
    Indirection,
    /// `+x`
    Plus,
    /// `-x`
    Minus,
    /// `~x`
    Complement,
    /// `!x`
    Negate,
}

/// `(type)e`.
#[derive(Debug, Clone)]
pub struct Cast {
    /// The type.
    pub type_name: TypeName,
    /// What is converted.
    pub expression: Node<Expression>,
}

/// Two operands.
#[derive(Debug, Clone)]
pub struct Binary {
    /// The operator.
    pub operator: BinaryOperator,
    /// The left operand.
    pub lhs: Node<Expression>,
    /// The right operand.
    pub rhs: Node<Expression>,
}

/// The operators with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `a[b]`
    Index,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `<=`
    LessOrEqual,
    /// `>=`
    GreaterOrEqual,
    /// `==`
    Equals,
    /// `!=`
    NotEquals,
    /// `&`
    BitwiseAnd,
    /// `^`
    BitwiseXor,
    /// `|`
    BitwiseOr,
    /// `&&`
    LogicalAnd,
    /// `||`
    LogicalOr,
    /// `=`
    Assign,
    /// `*=`
    AssignMultiply,
    /// `/=`
    AssignDivide,
    /// `%=`
    AssignModulo,
    /// `+=`
    AssignPlus,
    /// `-=`
    AssignMinus,
    /// `<<=`
    AssignShiftLeft,
    /// `>>=`
    AssignShiftRight,
    /// `&=`
    AssignBitwiseAnd,
    /// `^=`
    AssignBitwiseXor,
    /// `|=`
    AssignBitwiseOr,
}

/// `a ? b : c`.
#[derive(Debug, Clone)]
pub struct Conditional {
    /// What decides.
    pub condition: Node<Expression>,
    /// If it is not zero; none for GNU's `a ?: c`, which is the condition itself.
    pub then_expression: Option<Node<Expression>>,
    /// If it is zero.
    pub else_expression: Node<Expression>,
}

/// `__builtin_offsetof(type, member)`.
#[derive(Debug, Clone)]
pub struct OffsetOf {
    /// The type.
    pub type_name: TypeName,
    /// The way to the member; the first step is a member.
    pub designators: Vec<Node<Designator>>,
}

/// `__builtin_va_arg(list, type)`.
#[derive(Debug, Clone)]
pub struct VaArg {
    /// The list.
    pub list: Node<Expression>,
    /// The type of the argument.
    pub type_name: TypeName,
}

/// `__builtin_types_compatible_p(a, b)`.
#[derive(Debug, Clone)]
pub struct TypesCompatible {
    /// One type.
    pub left: TypeName,
    /// The other.
    pub right: TypeName,
}

/// A first value.
#[derive(Debug, Clone)]
pub enum Initializer {
    /// A value.
    Expression(Box<Node<Expression>>),
    /// `{ … }`.
    List(Vec<InitializerItem>),
}

/// An item of a list of first values.
#[derive(Debug, Clone)]
pub struct InitializerItem {
    /// Which part it is for; none for the next one.
    pub designation: Vec<Node<Designator>>,
    /// The value.
    pub initializer: Node<Initializer>,
}

/// A step from an object to a part of it.
#[derive(Debug, Clone)]
pub enum Designator {
    /// `[index]`
    Index(Node<Expression>),
    /// `[low ... high]`
    Range(Node<Expression>, Node<Expression>),
    /// `.member`, or `member:` as it was once written.
    Member(Name),
}
