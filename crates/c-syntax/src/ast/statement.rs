//! Statements.

use super::{Declaration, Expression, Name, Node, Range, StaticAssert, StringLiteral};

/// A statement.
#[derive(Debug, Clone)]
pub enum Statement {
    /// A label and what follows it.
    Labeled(Box<Labeled>),
    /// `{ … }`.
    Compound(Vec<Node<BlockItem>>),
    /// An expression, or nothing, and a semicolon.
    Expression(Option<Box<Node<Expression>>>),
    /// `if`.
    If(Box<If>),
    /// `switch`.
    Switch(Box<Switch>),
    /// `while`.
    While(Box<While>),
    /// `do … while`.
    DoWhile(Box<DoWhile>),
    /// `for`.
    For(Box<For>),
    /// `goto label;`
    Goto(Name),
    /// `goto *address;`
    ComputedGoto(Box<Node<Expression>>),
    /// `continue;`
    Continue,
    /// `break;`
    Break,
    /// `return;`
    Return(Option<Box<Node<Expression>>>),
    /// `asm(…);`
    Asm(Box<Asm>),
}

/// A label and what follows it.
#[derive(Debug, Clone)]
pub struct Labeled {
    /// The label.
    pub label: Node<Label>,
    /// The statement; empty before a declaration and at the end of a block.
    pub statement: Node<Statement>,
}

/// A label.
#[derive(Debug, Clone)]
pub enum Label {
    /// `name:`.
    Name(Name),
    /// `case value:`.
    Case(Box<Node<Expression>>),
    /// `case low ... high:`.
    CaseRange(Box<Node<Expression>>, Box<Node<Expression>>),
    /// `default:`.
    Default,
}

/// `if`.
#[derive(Debug, Clone)]
pub struct If {
    /// What decides.
    pub condition: Node<Expression>,
    /// If it is not zero.
    pub then_statement: Node<Statement>,
    /// If it is zero.
    pub else_statement: Option<Node<Statement>>,
}

/// `switch`.
#[derive(Debug, Clone)]
pub struct Switch {
    /// What decides.
    pub expression: Node<Expression>,
    /// The cases.
    pub statement: Node<Statement>,
}

/// `while`.
#[derive(Debug, Clone)]
pub struct While {
    /// What decides.
    pub expression: Node<Expression>,
    /// The body.
    pub statement: Node<Statement>,
}

/// `do … while`.
#[derive(Debug, Clone)]
pub struct DoWhile {
    /// The body.
    pub statement: Node<Statement>,
    /// What decides.
    pub expression: Node<Expression>,
}

/// `for`.
#[derive(Debug, Clone)]
pub struct For {
    /// What is done first.
    pub initializer: ForInitializer,
    /// What decides.
    pub condition: Option<Node<Expression>>,
    /// What is done after each round.
    pub step: Option<Node<Expression>>,
    /// The body.
    pub statement: Node<Statement>,
}

/// What a `for` does first.
#[derive(Debug, Clone)]
pub enum ForInitializer {
    /// Nothing.
    Empty,
    /// It evaluates an expression.
    Expression(Box<Node<Expression>>),
    /// It declares variables.
    Declaration(Box<Declaration>),
    /// It asserts something.
    StaticAssert(Box<StaticAssert>),
}

/// What a block consists of.
#[derive(Debug, Clone)]
pub enum BlockItem {
    /// A declaration.
    Declaration(Box<Declaration>),
    /// `_Static_assert(…);`
    StaticAssert(Box<StaticAssert>),
    /// A statement.
    Statement(Statement),
    /// `__label__ a, b;`: labels that belong to this block only.
    Labels(Vec<Name>),
}

/// Inline assembly.
#[derive(Debug, Clone)]
pub struct Asm {
    /// Whether it is `volatile`.
    pub is_volatile: bool,
    /// Whether it may jump to a label.
    pub is_goto: bool,
    /// Whether there is a colon: then `%` in the template begins an operand.
    pub is_extended: bool,
    /// The instructions.
    pub template: StringLiteral,
    /// What it writes.
    pub outputs: Vec<AsmOperand>,
    /// What it reads.
    pub inputs: Vec<AsmOperand>,
    /// What else it changes.
    pub clobbers: Vec<StringLiteral>,
    /// Where it may jump to.
    pub labels: Vec<Name>,
    /// The text.
    pub span: Range,
}

/// An operand of inline assembly.
#[derive(Debug, Clone)]
pub struct AsmOperand {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// Where it may be and how it is used.
    pub constraint: StringLiteral,
    /// What it is.
    pub expression: Node<Expression>,
    /// The text.
    pub span: Range,
}
